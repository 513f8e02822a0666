/* tree.c - geodisk_construct_tree: looks whether a graph is a tree or several, and has it constructed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "construction.h"
#include "embed/distances/distance_fit.h"
#include "embed/trainer.h"

/* A search from every tree's first node. */
typedef struct search {
  geodisk_graph_rows sides[2]; /* parents, children */
  uint32_t *parent, *queue;
  double *weights; /* of the edge to the parent, or NULL */
  bool *seen;
  uint32_t *depth;
  size_t cycles;     /* edges that close one */
  size_t around;     /* nodes on cycles, each as often as it is on one */
  bool *taken;       /* whether the edge of a node to its parent is on a cycle */
  uint32_t cycle[2]; /* an edge that closes one that there may not be, or NO_NODE */
  uint32_t bad;      /* a node whose edge is not of positive length, or NO_NODE */
} search;

static void look_at(search *s, uint32_t u, uint32_t v, double weight, size_t *tail) {
  if (s->seen[v])
    return;
  s->seen[v] = true;
  s->parent[v] = u;
  s->depth[v] = s->depth[u] + 1;
  s->queue[(*tail)++] = v;
  if (s->weights)
    s->weights[v] = weight;
  if (s->weights && !(weight > 0.0 && weight < 1e300))
    s->bad = v;
}

static void search_from(search *s, uint32_t start) {
  size_t head = 0, tail = 0;
  s->seen[start] = true;
  s->parent[start] = NO_NODE;
  s->depth[start] = 0;
  if (s->weights)
    s->weights[start] = 1.0;
  s->queue[tail++] = start;
  while (head < tail) {
    const uint32_t u = s->queue[head++];
    for (int side = 0; side < 2; side++) {
      const geodisk_graph_rows *rows = &s->sides[side];
      for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
        look_at(s, u, rows->nodes[e], rows->weights ? rows->weights[e] : 1.0, &tail);
    }
  }
}

/* ---- cycles ---- */

/* Whether u -> v is an edge that is not in the forest; of one in both directions the first. */
static bool closes(const search *s, const geodisk_graph *graph, uint32_t u, uint32_t v) {
  return u != v && s->parent[u] != v && s->parent[v] != u && (u < v || !geodisk_graph_has_edge(graph, v, u));
}

/* One step from the deeper of both ends up. */
static uint32_t *deeper(const search *s, uint32_t *u, uint32_t *v) { return s->depth[*u] >= s->depth[*v] ? u : v; }

static size_t cycle_length(const search *s, uint32_t u, uint32_t v) {
  size_t count = 1;
  for (; u != v; count++) {
    uint32_t *end = deeper(s, &u, &v);
    *end = s->parent[*end];
  }
  return count;
}

/* Takes the edges of the cycle that an edge closes; false: one of them is on another cycle. */
static bool take_cycle(search *s, uint32_t u, uint32_t v) {
  while (u != v) {
    uint32_t *end = deeper(s, &u, &v);
    if (s->taken[*end])
      return false;
    s->taken[*end] = true;
    *end = s->parent[*end];
  }
  return true;
}

/* Its nodes, from u up to the highest and down to v. */
static void list_cycle(const search *s, uint32_t u, uint32_t v, uint32_t *out, size_t length) {
  size_t first = 0, last = length;
  while (u != v) {
    uint32_t *end = deeper(s, &u, &v);
    out[end == &u ? first++ : --last] = *end;
    *end = s->parent[*end];
  }
  out[first] = u;
}

/* Counts cycles, until one has an edge in common with another, or there may be none. */
static void count_cycles(search *s, const geodisk_graph *graph, bool allowed) {
  for (uint32_t u = 0; u < geodisk_graph_nodes(graph); u++)
    for (uint64_t e = s->sides[0].offsets[u]; e < s->sides[0].offsets[u + 1]; e++) {
      const uint32_t v = s->sides[0].nodes[e];
      if (!closes(s, graph, u, v))
        continue;
      if (!allowed || !take_cycle(s, u, v)) {
        s->cycle[0] = u;
        s->cycle[1] = v;
        return;
      }
      s->around += cycle_length(s, u, v);
      s->cycles++;
    }
}

/* Its middle hangs on the highest of its nodes, all others on the middle. */
static void hang_cycle(search *s, const rings *cycles, size_t ring, uint32_t middle) {
  uint32_t top = cycles->members[cycles->starts[ring]];
  for (size_t i = cycles->starts[ring]; i < cycles->starts[ring + 1]; i++)
    top = s->depth[cycles->members[i]] < s->depth[top] ? cycles->members[i] : top;
  for (size_t i = cycles->starts[ring]; i < cycles->starts[ring + 1]; i++)
    if (cycles->members[i] != top)
      s->parent[cycles->members[i]] = middle;
  s->parent[middle] = top;
}

/* Cycles as rings. False: no memory. */
static bool ring_cycles(search *s, const geodisk_graph *graph, rings *out) {
  const size_t nodes = geodisk_graph_nodes(graph);
  size_t ring = 0;
  if (!embed_rings_create(out, s->cycles, s->around))
    return false;
  for (uint32_t u = 0; u < nodes; u++)
    for (uint64_t e = s->sides[0].offsets[u]; e < s->sides[0].offsets[u + 1]; e++) {
      const uint32_t v = s->sides[0].nodes[e];
      if (!closes(s, graph, u, v))
        continue;
      const size_t length = cycle_length(s, u, v);
      list_cycle(s, u, v, out->members + out->starts[ring], length);
      out->starts[ring + 1] = out->starts[ring] + length;
      out->closed[ring++] = true;
    }
  for (ring = 0; ring < s->cycles; ring++)
    hang_cycle(s, out, ring, (uint32_t)(nodes + ring));
  return true;
}

/* ---- what is asked for ---- */

static geodisk_status find_forest(geodisk_context *context, const geodisk_graph *graph, search *s, bool cycles) {
  for (uint32_t u = 0; u < geodisk_graph_nodes(graph); u++)
    if (!s->seen[u])
      search_from(s, u);
  count_cycles(s, graph, cycles);
  if (s->cycle[0] != NO_NODE)
    return geodisk_fail(
        context, GEODISK_ERROR_ARGUMENT,
        cycles ? "the graph is not a tree, nor are its cycles apart: the one that the edge between \"%s\" and \"%s\" "
                 "closes has an edge in common with another"
               : "the graph is not a tree: the edge between \"%s\" and \"%s\" closes a cycle",
        geodisk_graph_name(graph, s->cycle[0]), geodisk_graph_name(graph, s->cycle[1]));
  if (s->bad != NO_NODE)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the edge between \"%s\" and \"%s\" is %g long: lengths are positive",
                        geodisk_graph_name(graph, s->bad), geodisk_graph_name(graph, s->parent[s->bad]), s->weights[s->bad]);
  return GEODISK_OK;
}

/* Points of the nodes, of which `rows` has the coordinates and gaps. */
static geodisk_status place(geodisk_context *context, const geodisk_graph *graph, const geodisk_tree_options *options, search *s,
                            double **rows, geodisk_tree_info *info) {
  const size_t nodes = geodisk_graph_nodes(graph), all = nodes + s->cycles;
  rings cycles = {0};
  construction_forest forest = {.nodes = all, .weights = s->weights, .cycles = s->cycles > 0 ? &cycles : NULL};
  uint32_t *parent = geodisk_allocate(all + 1, sizeof *parent);
  *rows = geodisk_allocate(all + 1, ((size_t)options->dim + 1) * sizeof **rows);
  geodisk_status st = GEODISK_ERROR_MEMORY;
  if (parent && *rows) {
    memcpy(parent, s->parent, nodes * sizeof *parent);
    free(s->parent);
    s->parent = forest.parent = parent;
    if (s->cycles == 0 || ring_cycles(s, graph, &cycles))
      st = embed_construct(context, options, &forest, *rows, info);
  } else {
    free(parent);
  }
  embed_rings_free(&cycles);
  return st == GEODISK_ERROR_MEMORY ? geodisk_no_memory(context, "for a tree of %zu nodes", nodes) : st;
}

static geodisk_status check(geodisk_context *context, const geodisk_graph *graph, const geodisk_tree_options *o) {
  if (o->dim < 2 || o->dim > GEODISK_DIM_MOST)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "a tree is constructed in 2 to %d dimensions, not %d", GEODISK_DIM_MOST,
                        o->dim);
  if (!(o->stretch >= 0.0 && o->stretch <= 1e6))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the stretch must be a positive number, not %g", o->stretch);
  if ((unsigned)o->precision > GEODISK_PRECISION_FLOAT)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "there is no such precision, %d", (int)o->precision);
  if (geodisk_graph_nodes(graph) < 2)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "a tree has at least two nodes");
  return GEODISK_OK;
}

geodisk_status geodisk_construct_tree(geodisk_context *context, const geodisk_graph *graph, const geodisk_tree_options *options,
                                      double *points, double *gaps, geodisk_tree_info *info) {
  geodisk_status st = check(context, graph, options);
  if (st != GEODISK_OK)
    return st;
  const size_t nodes = geodisk_graph_nodes(graph), dim = (size_t)options->dim;
  search s = {.sides = {geodisk_graph_out(graph), geodisk_graph_in(graph)}, .cycle = {NO_NODE, NO_NODE}, .bad = NO_NODE};
  const bool weighted = options->weighted && s.sides[0].weights;
  double *rows = NULL;
  geodisk_tree_info found;
  s.parent = geodisk_allocate(nodes, sizeof *s.parent);
  s.depth = geodisk_allocate(nodes, sizeof *s.depth);
  s.queue = geodisk_allocate(nodes, sizeof *s.queue);
  s.seen = geodisk_allocate_zero(nodes, sizeof *s.seen);
  s.taken = geodisk_allocate_zero(nodes, sizeof *s.taken);
  s.weights = weighted ? geodisk_allocate(nodes + 1, sizeof *s.weights) : NULL;
  if (!s.parent || !s.depth || !s.queue || !s.seen || !s.taken || (weighted && !s.weights))
    st = geodisk_no_memory(context, "for a tree of %zu nodes", nodes);
  else
    st = find_forest(context, graph, &s, dim == 2 && !weighted);
  if (st == GEODISK_OK)
    st = place(context, graph, options, &s, &rows, &found);
  for (size_t u = 0; u < nodes && st == GEODISK_OK; u++) {
    memcpy(points + u * dim, rows + u * (dim + 1), dim * sizeof *points);
    gaps[u] = rows[u * (dim + 1) + dim];
  }
  if (st == GEODISK_OK && info)
    *info = found;
  geodisk_free_all(s.parent, s.depth, s.queue, s.seen, s.taken, s.weights, rows);
  return st;
}

/* ---- of any graph ---- */

bool embed_span_shortest(const geodisk_graph *graph, bool weighted, uint32_t *parent, double *lengths) {
  const geodisk_graph_rows sides[2] = {geodisk_graph_out(graph), geodisk_graph_in(graph)};
  const size_t n = geodisk_graph_nodes(graph);
  uint32_t *queue = geodisk_allocate(n, sizeof *queue);
  bool *seen = geodisk_allocate_zero(n, sizeof *seen);
  size_t hub = 0, tail = 0, head = 0;
  for (size_t u = 0; u < n; u++) {
    uint64_t degree[2];
    for (int i = 0; i < 2; i++) {
      const size_t v = i ? u : hub;
      degree[i] = sides[0].offsets[v + 1] - sides[0].offsets[v] + sides[1].offsets[v + 1] - sides[1].offsets[v];
    }
    hub = degree[1] > degree[0] ? u : hub;
  }
  for (size_t start = 0; start <= n && queue && seen; start++) { /* from the hub, then from what it does not reach */
    const uint32_t root = (uint32_t)(start == 0 ? hub : start - 1);
    if (seen[root])
      continue;
    seen[root] = true;
    parent[root] = NO_NODE;
    lengths[root] = 1.0;
    for (queue[tail++] = root; head < tail; head++)
      for (int side = 0; side < 2; side++)
        for (uint64_t e = sides[side].offsets[queue[head]]; e < sides[side].offsets[queue[head] + 1]; e++) {
          const uint32_t v = sides[side].nodes[e];
          if (seen[v])
            continue;
          seen[v] = true;
          parent[v] = queue[head];
          lengths[v] = weighted && sides[side].weights && sides[side].weights[e] > 0.0 ? sides[side].weights[e] : 1.0;
          queue[tail++] = v;
        }
  }
  const bool memory = queue && seen;
  geodisk_free_all(queue, seen);
  return memory;
}

/* Prim's algorithm. */
bool embed_span_matrix(const geodisk_distances *d, uint32_t *parent, double *lengths) {
  const size_t n = d->nodes;
  bool *in = geodisk_allocate_zero(n, sizeof *in);
  if (!in)
    return false;
  for (size_t u = 0; u < n; u++) {
    parent[u] = NO_NODE;
    lengths[u] = (double)INFINITY;
  }
  for (size_t step = 0; step < n; step++) {
    size_t at = n;
    for (size_t u = 0; u < n; u++)
      if (!in[u] && (at == n || lengths[u] < lengths[at]))
        at = u;
    in[at] = true;
    for (size_t v = 0; v < n; v++) {
      const double length = d->lengths[at * n + v];
      if (!in[v] && embed_counts(length) && length < lengths[v]) {
        lengths[v] = length;
        parent[v] = (uint32_t)at;
      }
    }
  }
  for (size_t u = 0; u < n; u++)
    lengths[u] = embed_counts(lengths[u]) ? lengths[u] : 1.0;
  free(in);
  return true;
}

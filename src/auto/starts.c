/* starts.c - points to begin from that no placement of a trainer has: a spanning tree, constructed, and distances in flat space,
 * brought into hyperbolic space. */
#include <stdlib.h>
#include <string.h>

#include "base/squares.h"
#include "kernel/portable.h"
#include "trials.h"

/* A model with the names of the graph and these points. */
static geodisk_status make_model(const auto_state *c, const double *points, const double *gaps, geodisk_model **out) {
  const size_t nodes = geodisk_graph_nodes(c->graph);
  const uint64_t *starts;
  const char *names = geodisk_graph_names(c->graph, &starts);
  const geodisk_model_spec spec = {.nodes = nodes, .ball = geodisk_unit_ball(c->given.dim), .names = names, .starts = starts};
  const geodisk_status st = geodisk_model_create(c->context, &spec, out);
  if (st != GEODISK_OK)
    return st;
  memcpy(geodisk_model_edit_vectors(*out), points, nodes * (size_t)c->given.dim * sizeof *points);
  memcpy(geodisk_model_edit_gap(*out), gaps, nodes * sizeof *gaps);
  return st;
}

/* ---- a spanning tree, and cycles that have no edge in common ---- */

/* What an edge is that is left out costs each end that has it: 1/degree of its precision. So those that cost most come first. */
typedef struct edge {
  double worth;
  uint32_t from, to;
} edge;

static int by_worth(const void *a, const void *b) {
  const edge *x = a, *y = b;
  if (x->worth > y->worth || x->worth < y->worth)
    return x->worth > y->worth ? -1 : 1;
  return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

static double worth_of(const auto_state *c, const geodisk_graph_rows *rows, uint32_t u, uint32_t v) {
  const double there = (double)(rows->offsets[u + 1] - rows->offsets[u]),
               back = (double)(rows->offsets[v + 1] - rows->offsets[v]);
  return 1.0 / there + (geodisk_graph_has_edge(c->graph, v, u) ? 1.0 / back : 0.0);
}

/* The edges, once each, sorted. */
static size_t list_edges(const auto_state *c, edge *out) {
  const geodisk_graph_rows rows = geodisk_graph_out(c->graph);
  size_t count = 0;
  for (uint32_t u = 0; u < geodisk_graph_nodes(c->graph); u++)
    for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++) {
      const uint32_t v = rows.nodes[e];
      if (u < v || (u > v && !geodisk_graph_has_edge(c->graph, v, u)))
        out[count++] = (edge){worth_of(c, &rows, u, v), u, v};
    }
  qsort(out, count, sizeof *out, by_worth);
  return count;
}

static uint32_t root_of(uint32_t *above, uint32_t u) {
  while (above[u] != u)
    u = above[u] = above[above[u]];
  return u;
}

/* Kruskal's forest: the edges that it takes come first. Returns how many. */
static size_t span(edge *edges, size_t count, uint32_t *above, size_t nodes) {
  size_t taken = 0;
  for (uint32_t u = 0; u < nodes; u++)
    above[u] = u;
  for (size_t i = 0; i < count; i++) {
    const uint32_t a = root_of(above, edges[i].from), b = root_of(above, edges[i].to);
    if (a == b)
      continue;
    const edge left_out = edges[taken];
    above[a] = b;
    edges[taken++] = edges[i];
    edges[i] = left_out;
  }
  qsort(edges + taken, count - taken, sizeof *edges, by_worth);
  return taken;
}

static geodisk_status make_graph(const auto_state *c, const edge *edges, size_t count, geodisk_graph **out) {
  uint32_t *from = geodisk_allocate(count, sizeof *from), *to = geodisk_allocate(count, sizeof *to);
  const geodisk_graph_arrays arrays = {.nodes = geodisk_graph_nodes(c->graph), .edges = count, .children = from, .parents = to};
  geodisk_status st = GEODISK_ERROR_MEMORY;
  for (size_t i = 0; i < count && from && to; i++) {
    from[i] = edges[i].from;
    to[i] = edges[i].to;
  }
  if (from && to)
    st = geodisk_graph_create(c->context, &arrays, NULL, out);
  geodisk_free_all(from, to);
  return st;
}

/* What each node of a forest hangs on (a root on itself), and how deep. queue: a number for each node. */
static void hang(const geodisk_graph *forest, uint32_t *above, uint32_t *depth, uint32_t *queue) {
  const size_t nodes = geodisk_graph_nodes(forest);
  const geodisk_graph_rows sides[2] = {geodisk_graph_out(forest), geodisk_graph_in(forest)};
  memset(above, 0xff, nodes * sizeof *above);
  for (uint32_t root = 0; root < nodes; root++) {
    size_t head = 0, tail = 0;
    if (above[root] != UINT32_MAX)
      continue;
    above[root] = root;
    depth[root] = 0;
    for (queue[tail++] = root; head < tail; head++)
      for (int side = 0; side < 2; side++)
        for (uint64_t e = sides[side].offsets[queue[head]]; e < sides[side].offsets[queue[head] + 1]; e++) {
          const uint32_t v = sides[side].nodes[e];
          if (above[v] != UINT32_MAX)
            continue;
          above[v] = queue[head];
          depth[v] = depth[queue[head]] + 1;
          queue[tail++] = v;
        }
  }
}

/* Whether no edge of the way between two nodes is on a cycle yet; with `take` they are from now on. */
static bool way_is_free(const uint32_t *above, const uint32_t *depth, bool *on_cycle, const edge *e, bool take) {
  uint32_t u = e->from, v = e->to;
  while (u != v) {
    uint32_t *deeper = depth[u] >= depth[v] ? &u : &v;
    if (!take && on_cycle[*deeper])
      return false;
    on_cycle[*deeper] = on_cycle[*deeper] || take;
    *deeper = above[*deeper];
  }
  return true;
}

/* Of the edges that a forest leaves out, those whose cycles have no edge in common come after its own. Returns how many there
 * are. */
static geodisk_status close_cycles(const auto_state *c, edge *edges, size_t *taken, size_t count) {
  const size_t nodes = geodisk_graph_nodes(c->graph);
  uint32_t *above = geodisk_allocate(nodes, sizeof *above), *depth = geodisk_allocate(nodes, sizeof *depth),
           *queue = geodisk_allocate(nodes, sizeof *queue);
  bool *on_cycle = geodisk_allocate_zero(nodes, sizeof *on_cycle);
  geodisk_graph *forest = NULL;
  geodisk_status st = GEODISK_ERROR_MEMORY;
  if (above && depth && queue && on_cycle)
    st = make_graph(c, edges, *taken, &forest);
  if (st == GEODISK_OK)
    hang(forest, above, depth, queue);
  for (size_t i = *taken; i < count && st == GEODISK_OK; i++)
    if (way_is_free(above, depth, on_cycle, &edges[i], false)) {
      way_is_free(above, depth, on_cycle, &edges[i], true);
      edges[(*taken)++] = edges[i];
    }
  geodisk_graph_destroy(forest);
  geodisk_free_all(above, depth, queue, on_cycle);
  return st;
}

static geodisk_status construct(const auto_state *c, const edge *edges, size_t count, double *points, geodisk_tree_info *info) {
  const size_t nodes = geodisk_graph_nodes(c->graph), dim = (size_t)c->given.dim;
  const geodisk_tree_options options = {.dim = c->given.dim, .precision = c->given.precision};
  geodisk_graph *graph = NULL;
  geodisk_status st = make_graph(c, edges, count, &graph);
  if (st == GEODISK_OK)
    st = geodisk_construct_tree(c->context, graph, &options, points, points + nodes * dim, info);
  geodisk_graph_destroy(graph);
  return st;
}

/* With the cycles, or without, if that takes less depth than there is. */
static geodisk_status from_tree(const auto_state *c, geodisk_model **out) {
  const size_t nodes = geodisk_graph_nodes(c->graph), dim = (size_t)c->given.dim;
  edge *edges = geodisk_allocate(geodisk_graph_edges(c->graph), sizeof *edges);
  uint32_t *above = geodisk_allocate(nodes, sizeof *above);
  double *points = geodisk_allocate(nodes, (dim + 1) * sizeof *points);
  geodisk_status st = GEODISK_ERROR_MEMORY;
  if (edges && above && points) {
    geodisk_tree_info info = {0}, bare = {0};
    const size_t count = list_edges(c, edges), tree = span(edges, count, above, nodes);
    size_t taken = tree;
    st = close_cycles(c, edges, &taken, count);
    if (st == GEODISK_OK)
      st = construct(c, edges, taken, points, &info);
    if (st == GEODISK_OK && !info.exact && taken > tree)
      st = construct(c, edges, tree, points, &bare);
    if (st == GEODISK_OK && !info.exact && taken > tree && !(bare.needed < info.needed))
      st = construct(c, edges, taken, points, &info);
    if (st == GEODISK_OK)
      st = make_model(c, points, points + nodes * dim, out);
  }
  if (st == GEODISK_ERROR_MEMORY)
    geodisk_no_memory(c->context, "for a tree of %zu nodes", nodes);
  geodisk_free_all(edges, above, points);
  return st;
}

/* ---- distances ---- */

/* Pairs of the descent in all, and epochs: an arrangement, no more. */
#define FLAT_PAIRS 4e7
enum { FLAT_STEPS = 30, LANDMARKS = 256, ALL_PAIRS = 4096, DEARER = 4 /* than a pair in training */ };

/* How far the outmost point is from the origin: where space is curved, and where it is nearly flat. */
#define WIDE   8.0
#define NARROW 2.0

/* Centred; and at as much as `radius` from the origin, all in proportion. */
static void lift(double *points, double *gaps, size_t nodes, size_t dim, double radius) {
  double furthest = 0.0;
  for (size_t k = 0; k < dim; k++) {
    double sum = 0.0;
    for (size_t u = 0; u < nodes; u++)
      sum += points[u * dim + k];
    for (size_t u = 0; u < nodes; u++)
      points[u * dim + k] -= sum / (double)nodes;
  }
  for (size_t u = 0; u < nodes; u++) {
    gaps[u] = norm_of(dim, points + u * dim);
    furthest = gaps[u] > furthest ? gaps[u] : furthest;
  }
  for (size_t u = 0; u < nodes; u++) {
    const double away = furthest > 0.0 ? radius * gaps[u] / furthest : 0.0, norm = portable_tanh_half(away),
                 e = portable_exp(-away);
    for (size_t k = 0; k < dim; k++)
      points[u * dim + k] *= gaps[u] > 0.0 ? norm / gaps[u] : 0.0;
    gaps[u] = 4.0 * e / ((1.0 + e) * (1.0 + e));
  }
}

static geodisk_status from_distances(auto_state *c, double radius, geodisk_model **out) {
  const size_t nodes = geodisk_graph_nodes(c->graph), dim = (size_t)c->given.dim;
  const double sources = nodes <= ALL_PAIRS ? (double)nodes : LANDMARKS, steps = FLAT_PAIRS / (0.5 * sources * sources);
  geodisk_distance_options options = geodisk_distance_defaults();
  options.dim = c->given.dim;
  options.space = GEODISK_SPACE_EUCLIDEAN;
  options.seed = c->given.seed;
  options.weighted = false;
  options.steps = steps >= FLAT_STEPS ? FLAT_STEPS : steps > 1.0 ? (uint64_t)steps : 1;
  geodisk_distance_result result;
  double *points = geodisk_allocate(nodes, (dim + 1) * sizeof *points);
  if (!points)
    return geodisk_no_memory(c->context, "for %zu nodes", nodes);
  geodisk_status st = geodisk_fit_graph_distances(c->context, c->graph, &options, points, points + nodes * dim, &result);
  if (st == GEODISK_OK) {
    c->trained += (uint64_t)(DEARER * (double)options.steps * 0.5 * sources * sources);
    lift(points, points + nodes * dim, nodes, dim, radius);
    st = make_model(c, points, points + nodes * dim, out);
  }
  free(points);
  return st;
}

geodisk_status auto_begin(auto_state *c, auto_candidate *candidate) {
  if (candidate->begins == AUTO_BEGINS_PLACED || candidate->options.start)
    return GEODISK_OK;
  geodisk_model **model = &c->starts[candidate->begins];
  geodisk_status st = GEODISK_OK;
  if (!*model)
    st = candidate->begins == AUTO_BEGINS_SPANNING
             ? from_tree(c, model)
             : from_distances(c, candidate->begins == AUTO_BEGINS_WIDE ? WIDE : NARROW, model);
  candidate->options.start = *model;
  return st;
}

/* starts.c - points to begin from that no placement of a trainer has: a spanning tree, constructed, and distances in flat space,
 * brought into hyperbolic space. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- a spanning tree ---- */

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

static uint32_t root_of(uint32_t *above, uint32_t u) {
  while (above[u] != u)
    u = above[u] = above[above[u]];
  return u;
}

/* Kruskal's forest; the edges are sorted, those taken come first. Returns how many. */
static size_t span(edge *edges, size_t count, uint32_t *above, size_t nodes) {
  size_t taken = 0;
  qsort(edges, count, sizeof *edges, by_worth);
  for (uint32_t u = 0; u < nodes; u++)
    above[u] = u;
  for (size_t i = 0; i < count; i++) {
    const uint32_t a = root_of(above, edges[i].from), b = root_of(above, edges[i].to);
    if (a == b)
      continue;
    above[a] = b;
    edges[taken++] = edges[i];
  }
  return taken;
}

static geodisk_status construct(const auto_state *c, const uint32_t *from, const uint32_t *to, size_t count,
                                geodisk_model **out) {
  const size_t nodes = geodisk_graph_nodes(c->graph), dim = (size_t)c->given.dim;
  const geodisk_graph_arrays arrays = {.nodes = nodes, .edges = count, .children = from, .parents = to};
  const geodisk_tree_options options = {.dim = c->given.dim, .precision = c->given.precision};
  double *points = geodisk_allocate(nodes, (dim + 1) * sizeof *points);
  geodisk_graph *tree = NULL;
  geodisk_status st = points ? geodisk_graph_create(c->context, &arrays, NULL, &tree) : GEODISK_ERROR_MEMORY;
  if (st == GEODISK_OK)
    st = geodisk_construct_tree(c->context, tree, &options, points, points + nodes * dim, NULL);
  if (st == GEODISK_OK)
    st = make_model(c, points, points + nodes * dim, out);
  geodisk_graph_destroy(tree);
  free(points);
  return st;
}

static geodisk_status from_tree(const auto_state *c, geodisk_model **out) {
  const geodisk_graph_rows rows = geodisk_graph_out(c->graph);
  const size_t nodes = geodisk_graph_nodes(c->graph), most = geodisk_graph_edges(c->graph);
  edge *edges = geodisk_allocate(most, sizeof *edges);
  uint32_t *above = geodisk_allocate(nodes, sizeof *above), *ends = geodisk_allocate(2 * nodes, sizeof *ends);
  geodisk_status st = GEODISK_OK;
  if (edges && above && ends) {
    size_t count = 0;
    for (uint32_t u = 0; u < nodes; u++)
      for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++)
        if (rows.nodes[e] != u)
          edges[count++] = (edge){worth_of(c, &rows, u, rows.nodes[e]), u, rows.nodes[e]};
    count = span(edges, count, above, nodes);
    for (size_t i = 0; i < count; i++) {
      ends[i] = edges[i].from;
      ends[nodes + i] = edges[i].to;
    }
    st = construct(c, ends, ends + nodes, count, out);
  }
  if (!edges || !above || !ends || st == GEODISK_ERROR_MEMORY)
    st = geodisk_no_memory(c->context, "for a tree of %zu nodes", nodes);
  free(edges);
  free(above);
  free(ends);
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
    double square = 0.0;
    for (size_t k = 0; k < dim; k++)
      square += points[u * dim + k] * points[u * dim + k];
    gaps[u] = sqrt(square);
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

/* learn.c - the decision "is c a p?" that a model carries: centre, threshold, reaches and the calibration, found from what
 * follows from the edges it was trained on, and drawn non-edges. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"
#include "near.h"

enum { SAMPLE = 20000, PER_EDGE = 10, STREAM_SAMPLE = 0x6301, TASK_NODES = 256, TASK_PAIRS = 1024, NEWTON_STEPS = 50 };

/* Edges and non-edges with their distances. */
typedef struct known_pair {
  uint32_t child, parent;
  bool yes;
  double distance;
  double margin; /* by how much the pair is within the threshold */
} known_pair;

typedef struct learning {
  geodisk_context *context;
  const geodisk_model *model;
  const geodisk_graph *graph; /* the closure of what it was trained on */
  const double *order;        /* nodes x 3: the points that are judged, in the plane; NULL: the model's */
  geodisk_ball ball;
  size_t nodes, dim;
  float *reach; /* NULL: it was not trained on the closure */
  known_pair *pairs;
  size_t n;
  atomic_bool memory_out;
} learning;

static double distance_of(const learning *l, uint32_t a, uint32_t b, double *scratch) {
  if (l->order != NULL) {
    const double *p = l->order + 3 * (size_t)a, *q = l->order + 3 * (size_t)b;
    return geodisk_distance_gap(&l->ball, p, p[2], q, q[2]);
  }
  double a_gap, b_gap;
  geodisk_model_point(l->model, a, scratch, &a_gap);
  geodisk_model_point(l->model, b, scratch + l->dim, &b_gap);
  return geodisk_distance_gap(&l->ball, scratch, a_gap, scratch + l->dim, b_gap);
}

static double radius_of(const learning *l, uint32_t node) {
  return l->order != NULL ? geodisk_radius_from_gap(&l->ball, l->order[3 * (size_t)node + 2])
                          : geodisk_model_radius(l->model, node);
}

/* ---- reaches ------------------------------------------------------------------------------------------------------------- */

/* The distance of a node's farthest ancestor, rounded up a little: by what float and another machine's last digit may differ.
 * Roots reach nothing. */
static void reach_task(void *arg, size_t index) {
  learning *l = arg;
  const geodisk_graph_rows rows = geodisk_graph_out(l->graph);
  const size_t end = l->nodes - index * TASK_NODES < TASK_NODES ? l->nodes : (index + 1) * TASK_NODES;
  double *scratch = geodisk_allocate(2, l->dim * sizeof *scratch);
  if (scratch == NULL) {
    atomic_store(&l->memory_out, true);
    return;
  }
  for (size_t u = index * TASK_NODES; u < end; u++) {
    double farthest = 0.0;
    for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++)
      farthest = fmax(farthest, distance_of(l, (uint32_t)u, rows.nodes[e], scratch));
    l->reach[u] = (float)(farthest * (1.0 + 0x1p-20));
  }
  free(scratch);
}

static geodisk_status find_reaches(learning *l) {
  l->reach = geodisk_allocate(l->nodes, sizeof *l->reach);
  if (l->reach != NULL)
    geodisk_parallel(l->context, (l->nodes + TASK_NODES - 1) / TASK_NODES, reach_task, l);
  return l->reach != NULL && !atomic_load(&l->memory_out)
             ? GEODISK_OK
             : geodisk_no_memory(l->context, "for the reaches of %zu nodes", l->nodes);
}

/* ---- pairs --------------------------------------------------------------------------------------------------------------- */

/* Some of the edges, as a graph of their own. */
static geodisk_status sample_edges(const learning *l, geodisk_graph **out) {
  const geodisk_graph_rows rows = geodisk_graph_out(l->graph);
  const uint64_t edges = geodisk_graph_edges(l->graph);
  uint64_t wanted = edges < SAMPLE ? edges : SAMPLE, left = edges;
  uint32_t *child = geodisk_allocate((size_t)wanted, sizeof *child), *parent = geodisk_allocate((size_t)wanted, sizeof *parent);
  size_t at = 0;
  geodisk_status st = GEODISK_OK;
  geodisk_random random = geodisk_random_stream(0, STREAM_SAMPLE);
  if (child == NULL || parent == NULL)
    st = geodisk_no_memory(l->context, "for a sample of edges");
  for (uint32_t u = 0; u < l->nodes && st == GEODISK_OK; u++)
    for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++)
      if (geodisk_random_below(&random, left--) < wanted) {
        wanted--;
        child[at] = u;
        parent[at++] = rows.nodes[e];
      }
  const geodisk_graph_arrays arrays = {.nodes = l->nodes, .edges = at, .children = child, .parents = parent};
  if (st == GEODISK_OK)
    st = geodisk_graph_create(l->context, &arrays, NULL, out);
  geodisk_free_all(child, parent);
  return st;
}

static void add_pairs(learning *l, const geodisk_graph *graph, bool yes) {
  const geodisk_graph_rows rows = geodisk_graph_out(graph);
  for (uint32_t u = 0; u < l->nodes; u++)
    for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++)
      l->pairs[l->n++] = (known_pair){.child = u, .parent = rows.nodes[e], .yes = yes};
}

/* What is done with each pair, by all threads. */
typedef struct pair_work {
  learning *l;
  void (*each)(const struct pair_work *work, size_t i, double *scratch /* 2 dim */);
  uint32_t centre;
  scored_pair *scored;
} pair_work;

static void pairs_task(void *arg, size_t index) {
  const pair_work *work = arg;
  learning *l = work->l;
  const size_t end = l->n - index * TASK_PAIRS < TASK_PAIRS ? l->n : (index + 1) * TASK_PAIRS;
  double *scratch = geodisk_allocate(2, l->dim * sizeof *scratch);
  if (scratch == NULL)
    atomic_store(&l->memory_out, true);
  for (size_t i = index * TASK_PAIRS; i < end && scratch != NULL; i++)
    work->each(work, i, scratch);
  free(scratch);
}

static geodisk_status for_each_pair(pair_work *work) {
  learning *l = work->l;
  geodisk_parallel(l->context, (l->n + TASK_PAIRS - 1) / TASK_PAIRS, pairs_task, work);
  return atomic_load(&l->memory_out) ? geodisk_no_memory(l->context, "for two points") : GEODISK_OK;
}

static void measure_pair(const pair_work *work, size_t i, double *scratch) {
  known_pair *p = &work->l->pairs[i];
  p->distance = distance_of(work->l, p->child, p->parent, scratch);
}

static geodisk_status draw_pairs(learning *l) {
  geodisk_graph *edges = NULL, *others = NULL;
  geodisk_status st = sample_edges(l, &edges);
  if (st == GEODISK_OK)
    st = geodisk_graph_non_edges(l->context, l->graph, edges, PER_EDGE, 0, &others);
  if (st == GEODISK_OK) {
    l->pairs = geodisk_allocate(geodisk_graph_edges(edges) + geodisk_graph_edges(others), sizeof *l->pairs);
    if (l->pairs == NULL)
      st = geodisk_no_memory(l->context, "for a sample of edges");
  }
  if (st == GEODISK_OK) {
    add_pairs(l, edges, true);
    add_pairs(l, others, false);
    st = for_each_pair(&(pair_work){.l = l, .each = measure_pair});
    if (geodisk_graph_edges(others) == 0)
      st = geodisk_fail(l->context, GEODISK_ERROR_ARGUMENT, "hierarchy: there are no pairs that are no edges");
  }
  geodisk_graph_destroy(edges);
  geodisk_graph_destroy(others);
  return st;
}

/* ---- centre, threshold, probability
 * --------------------------------------------------------------------------------------------- */

/* The root with the most nodes below it. */
static uint32_t main_root(const learning *l) {
  const geodisk_graph_rows out = geodisk_graph_out(l->graph), in = geodisk_graph_in(l->graph);
  uint32_t root = GEODISK_HIERARCHY_ORIGIN;
  uint64_t most = 0;
  for (uint32_t u = 0; u < l->nodes; u++) {
    const uint64_t below = in.offsets[u + 1] - in.offsets[u];
    if (out.offsets[u] == out.offsets[u + 1] && below > most) {
      most = below;
      root = u;
    }
  }
  return root;
}

static double from_centre(const learning *l, uint32_t centre, uint32_t node, double *scratch) {
  return centre == GEODISK_HIERARCHY_ORIGIN ? radius_of(l, node) : distance_of(l, centre, node, scratch);
}

static double score_of(const learning *l, uint32_t centre, const known_pair *p, double *scratch) {
  const double child = from_centre(l, centre, p->child, scratch);
  return l->order != NULL ? geodisk_order_score(p->distance, from_centre(l, centre, p->parent, scratch), child)
                          : p->distance - child;
}

static void score_pair(const pair_work *work, size_t i, double *scratch) {
  const known_pair *p = &work->l->pairs[i];
  work->scored[i] = (scored_pair){score_of(work->l, work->centre, p, scratch), p->yes};
}

/* The best threshold with a centre. */
static geodisk_status try_centre(learning *l, uint32_t centre, scored_pair *scored, double *threshold, double *f1) {
  const geodisk_status st = for_each_pair(&(pair_work){.l = l, .each = score_pair, .centre = centre, .scored = scored});
  if (st != GEODISK_OK)
    return st;
  classify_sort(scored, l->n);
  *threshold = classify_threshold(scored, l->n, f1);
  return GEODISK_OK;
}

static void set_margins(learning *l, const geodisk_hierarchy_info *info, double *scratch) {
  for (size_t i = 0; i < l->n; i++) {
    known_pair *p = &l->pairs[i];
    p->margin =
        l->reach != NULL ? (double)l->reach[p->child] - p->distance : info->threshold - score_of(l, info->centre, p, scratch);
  }
}

/* The slope of the logistic by Newton's method; edges and non-edges weigh the same in all, and a little pull to a slope of 1
 * keeps pairs that can be told apart without error from making it infinite. It has no offset: more than one half is what a yes
 * says. */
static void calibrate(const learning *l, geodisk_hierarchy_info *info) {
  const double pull = 1e-6;
  double a = 1.0, weight[2] = {0.0, 0.0};
  for (size_t i = 0; i < l->n; i++)
    weight[l->pairs[i].yes] += 1.0;
  for (int step = 0; step < NEWTON_STEPS; step++) {
    double gradient = -pull * (a - 1.0), curvature = pull;
    for (size_t i = 0; i < l->n; i++) {
      const known_pair *p = &l->pairs[i];
      const double w = 0.5 / weight[p->yes], q = 1.0 / (1.0 + exp(-a * p->margin));
      gradient += w * ((p->yes ? 1.0 : 0.0) - q) * p->margin;
      curvature += w * q * (1.0 - q) * p->margin * p->margin;
    }
    a += fmax(-5.0, fmin(5.0, gradient / curvature)); /* Newton's steps may overshoot from afar */
  }
  info->slope = a;
  info->offset = 0.0;
}

static void judge(const learning *l, geodisk_hierarchy_info *info) {
  double right = 0.0, said = 0.0, yes = 0.0;
  for (size_t i = 0; i < l->n; i++) {
    const known_pair *p = &l->pairs[i];
    const bool below = p->margin >= 0.0;
    yes += p->yes;
    said += below;
    right += below && p->yes;
  }
  info->precision = said > 0.0 ? right / said : 0.0;
  info->recall = right / yes;
  info->f1 = 2.0 * right / (said + yes);
}

/* Six digits are enough, and the same on every machine. */
static double rounded(double x) {
  const double unit = x != 0.0 ? pow(10.0, floor(log10(fabs(x))) - 5.0) : 1.0;
  return round(x / unit) * unit;
}

/* Centre and threshold. */
static geodisk_status choose_centre(learning *l, scored_pair *scored, geodisk_hierarchy_info *info) {
  const uint32_t root = main_root(l);
  double f1 = 0.0, root_f1 = -1.0, by_root = 0.0;
  *info = (geodisk_hierarchy_info){.centre = GEODISK_HIERARCHY_ORIGIN, .own_reach = l->reach != NULL};
  geodisk_status st = try_centre(l, GEODISK_HIERARCHY_ORIGIN, scored, &info->threshold, &f1);
  if (st == GEODISK_OK && root != GEODISK_HIERARCHY_ORIGIN)
    st = try_centre(l, root, scored, &by_root, &root_f1);
  if (root_f1 > f1) {
    info->centre = root;
    info->threshold = by_root;
  }
  info->threshold = rounded(info->threshold);
  return st;
}

static geodisk_status find_decision(learning *l, geodisk_hierarchy_info *info) {
  double *scratch = geodisk_allocate(2, l->dim * sizeof *scratch);
  scored_pair *scored = NULL;
  geodisk_status st = scratch != NULL ? draw_pairs(l) : geodisk_no_memory(l->context, "for two points");
  if (st == GEODISK_OK && (scored = geodisk_allocate(l->n, sizeof *scored)) == NULL)
    st = geodisk_no_memory(l->context, "for %zu pairs", l->n);
  if (st == GEODISK_OK)
    st = choose_centre(l, scored, info);
  if (st == GEODISK_OK) {
    set_margins(l, info, scratch);
    calibrate(l, info);
    judge(l, info);
    double *const numbers[] = {&info->slope, &info->offset, &info->precision, &info->recall, &info->f1};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
      *numbers[i] = rounded(*numbers[i]);
  }
  geodisk_free_all(scratch, scored);
  return st;
}

/* ---- the whole
 * -------------------------------------------------------------------------------------------------------------------- */

static geodisk_status check(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph) {
  if (model == NULL || graph == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: %s is NULL", model == NULL ? "model" : "graph");
  if (geodisk_model_space(model) != GEODISK_SPACE_HYPERBOLIC)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: the model is in flat space");
  if (geodisk_graph_nodes(graph) != geodisk_model_nodes(model) || geodisk_graph_edges(graph) == 0)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: the graph has %zu nodes and %zu edges, the model %zu nodes",
                        geodisk_graph_nodes(graph), geodisk_graph_edges(graph), geodisk_model_nodes(model));
  return GEODISK_OK;
}

/* Whether the points were placed for the score: by --placement arcs, as the recipe entailment does; or others beside them. Models
 * without, that were not trained on the closure, are asked by distance. */
static bool placed_for_it(const geodisk_model *model) {
  const char *options = geodisk_model_get(model, "options");
  if (geodisk_model_order(model) != NULL)
    return true;
  return options != NULL && strstr(options, "\"placement\":\"arcs\"") != NULL;
}

/* Whether the closure of a graph is small enough to learn from. */
static geodisk_status is_small(geodisk_context *context, const geodisk_graph *graph, bool *small) {
  const geodisk_closure_options limit = {.max_edges = GEODISK_HIERARCHY_EDGES};
  geodisk_graph *closure = NULL;
  const geodisk_status st = geodisk_graph_closure(context, graph, &limit, &closure);
  geodisk_graph_destroy(closure);
  *small = st == GEODISK_OK;
  return st == GEODISK_ERROR_ARGUMENT ? GEODISK_OK : st;
}

/* Whether a model of that graph may have a decision at all, and does not yet. */
static bool may_learn(const geodisk_model *model, const geodisk_graph *graph) {
  geodisk_hierarchy_info there;
  return geodisk_model_space(model) == GEODISK_SPACE_HYPERBOLIC && geodisk_graph_edges(graph) <= GEODISK_HIERARCHY_EDGES &&
         geodisk_graph_edges(graph) >= 2 && geodisk_graph_nodes(graph) == geodisk_model_nodes(model) &&
         !geodisk_model_hierarchy(model, &there);
}

/* Whether a graph that is not closed has something to be ordered by: its edges lead upwards, without cycles. A node may have so
 * many parents that it is no hierarchy to look at; what is above what follows from its edges all the same. */
static geodisk_status is_open_hierarchy(geodisk_context *context, const geodisk_graph *graph, const geodisk_kind_info *kind,
                                        bool *out) {
  geodisk_graph_facts facts;
  if (kind->kind == GEODISK_KIND_HIERARCHY)
    return is_small(context, graph, out);
  const geodisk_status st = geodisk_graph_describe(context, graph, &facts);
  return st == GEODISK_OK && facts.depth >= 0 && facts.edges > 0 ? is_small(context, graph, out) : st;
}

/* Whether a model can have a decision by its vectors, or (ordered) by an order beside them. */
static geodisk_status can_be(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph, bool ordered,
                             bool *out) {
  geodisk_kind_info kind;
  if (model == NULL || graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: an argument is NULL");
  *out = false;
  if (!may_learn(model, graph) || (ordered && placed_for_it(model)))
    return GEODISK_OK;
  const geodisk_status st = geodisk_graph_tell_kind(context, graph, &kind);
  if (st != GEODISK_OK)
    return st;
  *out = !ordered && kind.kind == GEODISK_KIND_HIERARCHY && kind.closed_share == 1.0;
  const bool open = ordered ? kind.closed_share != 1.0 : !*out && placed_for_it(model);
  return open ? is_open_hierarchy(context, graph, &kind, out) : st;
}

geodisk_status geodisk_hierarchy_can_be_learned(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                                bool *out) {
  return can_be(context, model, graph, false, out);
}

geodisk_status geodisk_hierarchy_can_be_ordered(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                                bool *out) {
  return can_be(context, model, graph, true, out);
}

geodisk_status geodisk_learn_hierarchy(geodisk_context *context, geodisk_model *model, const geodisk_graph *graph,
                                       geodisk_hierarchy_info *info) {
  geodisk_status st = check(context, model, graph);
  if (st != GEODISK_OK)
    return st;
  const geodisk_closure_options limit = {.max_edges = GEODISK_HIERARCHY_EDGES};
  geodisk_graph *closure = NULL;
  if ((st = geodisk_graph_closure(context, graph, &limit, &closure)) != GEODISK_OK)
    return st;
  learning l = {.context = context, .model = model, .graph = closure, .order = geodisk_model_order(model)};
  geodisk_hierarchy_info found;
  l.ball = l.order != NULL ? geodisk_unit_ball(2) : geodisk_model_ball(model);
  l.nodes = geodisk_graph_nodes(graph);
  l.dim = (size_t)l.ball.dim;
  if (geodisk_graph_edges(closure) == geodisk_graph_edges(graph) && l.order == NULL)
    st = find_reaches(&l);
  if (st == GEODISK_OK)
    st = find_decision(&l, &found);
  if (st == GEODISK_OK && l.order != NULL)
    st = near_reaches(context, model, &(near_graphs){graph, closure}, &found, &l.reach);
  if (st == GEODISK_OK)
    st = geodisk_model_set_hierarchy(context, model, &found, l.reach);
  if (st == GEODISK_OK && info != NULL)
    *info = found;
  geodisk_free_all(l.reach, l.pairs);
  geodisk_graph_destroy(closure);
  return st;
}

geodisk_status geodisk_learn_trained(geodisk_context *context, geodisk_model *model, const geodisk_graph *graph, bool *learned) {
  bool can = false;
  geodisk_status st = geodisk_hierarchy_can_be_learned(context, model, graph, &can);
  if (st == GEODISK_OK && can)
    st = geodisk_learn_hierarchy(context, model, graph, NULL);
  if (st == GEODISK_OK && learned != NULL)
    *learned = can;
  return st;
}

/* fit.c - how well distances are kept: rank correlations and distortion over pairs of nodes, exact or from a sample. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "depth.h"
#include "estimate.h"
#include "fit_pairs.h"
#include "merge_sort.h"
#include "relation.h"

enum { GROUPS = 20, DEFAULT_PAIRS = 1 << 19 };

/* ---- distortion ---------------------------------------------------------------------------------------------------------- */

/* |r - 1|, r = d/g or its square, summed over the pairs of a source; and how many there are. */
static void add_distortion(const fit_pairs *p, size_t source, bool squared, double *sum, double *count) {
  *sum = 0.0;
  for (size_t i = p->starts[source]; i < p->starts[source + 1]; i++) {
    const double r = p->points[i] / p->graph[i];
    *sum += fabs((squared ? r * r : r) - 1.0);
  }
  *count = (double)(p->starts[source + 1] - p->starts[source]);
}

static void distortion_term(const void *arg, size_t source, double *a, double *b) { add_distortion(arg, source, false, a, b); }
static void squared_term(const void *arg, size_t source, double *a, double *b) { add_distortion(arg, source, true, a, b); }

/* The s > 0 with the smallest mean of |s r - 1|, r = d/g (or its square): the median of 1/r with weights r; and that mean.
 * Infinite s (and mean 1) if every r is 0. */
static bool scaled_distortion(geodisk_context *context, size_t n, const double *points, const double *graph, bool squared,
                              double *scale, double *mean) {
  sort_pair *a = geodisk_allocate(n, sizeof *a), *b = geodisk_allocate(n, sizeof *b);
  bool ok = a != NULL && b != NULL;
  double total = 0.0;
  for (size_t i = 0; ok && i < n; i++) {
    const double r = points[i] / graph[i];
    a[i] = (sort_pair){.key = squared ? r * r : r};
    total += a[i].key;
  }
  const sort_pair *sorted = ok ? merge_sort(context, n, a, b, false, NULL) : NULL;
  ok = sorted != NULL;
  if (ok) {
    double half = 0.0;
    size_t i = n;
    while (i > 1 && half < 0.5 * total)
      half += sorted[--i].key;
    *scale = 1.0 / sorted[i < n ? i : n - 1].key;
    *mean = 0.0;
    for (size_t j = 0; j < n; j++)
      *mean += sorted[j].key > 0.0 ? fabs(*scale * sorted[j].key - 1.0) : 1.0;
    *mean /= (double)n;
  }
  geodisk_free_all(a, b);
  return ok;
}

static double worst_distortion(size_t n, const double *points, const double *graph) {
  double least = (double)INFINITY, most = 0.0;
  for (size_t i = 0; i < n; i++) {
    const double r = points[i] / graph[i];
    least = fmin(least, r);
    most = fmax(most, r);
  }
  return most / least;
}

/* ---- figures ------------------------------------------------------------------------------------------------------------- */

typedef struct pair_figures {
  double kendall_tau, spearman, scaled, scale, squared_scaled;
} pair_figures;

static geodisk_status figures_of(geodisk_context *context, size_t n, const double *graph, const double *points,
                                 pair_figures *out) {
  geodisk_correlation c;
  const geodisk_status st = geodisk_rank_correlation(context, n, graph, points, &c);
  if (st != GEODISK_OK)
    return st;
  *out = (pair_figures){.kendall_tau = c.kendall_tau, .spearman = c.spearman};
  double square_of_scale;
  if (!scaled_distortion(context, n, points, graph, false, &out->scale, &out->scaled) ||
      !scaled_distortion(context, n, points, graph, true, &square_of_scale, &out->squared_scaled))
    return geodisk_no_memory(context, "for %zu pairs", n);
  return GEODISK_OK;
}

/* The intervals of a sample: the same figures for every GROUPS-th first node. */
static geodisk_status add_intervals(geodisk_context *context, const fit_pairs *pairs, double share, geodisk_fit *fit) {
  const size_t n = pairs->starts[pairs->sources];
  double tau[GROUPS], rho[GROUPS], scaled[GROUPS], squared[GROUPS];
  double *graph = geodisk_allocate(n, sizeof *graph), *points = geodisk_allocate(n, sizeof *points);
  geodisk_status st = GEODISK_OK;
  if (graph == NULL || points == NULL)
    st = geodisk_no_memory(context, "for %zu pairs", n);
  for (size_t g = 0; g < GROUPS && st == GEODISK_OK; g++) {
    size_t count = 0;
    for (size_t s = g; s < pairs->sources; s += GROUPS) {
      const size_t from = pairs->starts[s], own = pairs->starts[s + 1] - from;
      memcpy(graph + count, pairs->graph + from, own * sizeof *graph);
      memcpy(points + count, pairs->points + from, own * sizeof *points);
      count += own;
    }
    pair_figures f;
    if (count < 2)
      st = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "a sample of %zu nodes is too small here: too few pairs have a path",
                        pairs->sources);
    else
      st = figures_of(context, count, graph, points, &f);
    if (st == GEODISK_OK) {
      tau[g] = f.kendall_tau;
      rho[g] = f.spearman;
      scaled[g] = f.scaled;
      squared[g] = f.squared_scaled;
    }
  }
  geodisk_free_all(graph, points);
  if (st != GEODISK_OK)
    return st;
  fit->kendall_tau = estimate_from_groups(fit->kendall_tau.value, GROUPS, tau, share);
  fit->spearman = estimate_from_groups(fit->spearman.value, GROUPS, rho, share);
  fit->distortion_scaled = estimate_from_groups(fit->distortion_scaled.value, GROUPS, scaled, share);
  fit->distortion_squared_scaled = estimate_from_groups(fit->distortion_squared_scaled.value, GROUPS, squared, share);
  return GEODISK_OK;
}

static geodisk_estimate exactly(double value) { return (geodisk_estimate){value, value, value}; }

static geodisk_status fill_fit(geodisk_context *context, const fit_pairs *pairs, size_t members, bool sampled, geodisk_fit *fit) {
  const size_t n = pairs->starts[pairs->sources];
  fit->pairs = n;
  fit->unreachable = pairs->unreachable;
  if (n < 2)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s of the graph's nodes has a path between them",
                        n == 0 ? "no pair" : "only one pair");
  pair_figures f;
  const geodisk_status st = figures_of(context, n, pairs->graph, pairs->points, &f);
  if (st != GEODISK_OK)
    return st;
  fit->kendall_tau = exactly(f.kendall_tau);
  fit->spearman = exactly(f.spearman);
  fit->distortion_scaled = exactly(f.scaled);
  fit->distortion_squared_scaled = exactly(f.squared_scaled);
  fit->scale = f.scale;
  fit->distortion_mean = estimate_ratio(pairs->sources, sampled ? members : pairs->sources, distortion_term, pairs);
  fit->distortion_squared = estimate_ratio(pairs->sources, sampled ? members : pairs->sources, squared_term, pairs);
  fit->distortion_worst = worst_distortion(n, pairs->points, pairs->graph);
  return sampled ? add_intervals(context, pairs, (double)pairs->sources / (double)members, fit) : GEODISK_OK;
}

/* ---- the graph and its members ------------------------------------------------------------------------------------------- */

/* The graph whose paths count: the transitive reduction (*reduced, the caller's to destroy) unless there are cycles. */
static geodisk_status reduce(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **reduced) {
  uint32_t *cycle = geodisk_allocate(geodisk_graph_nodes(graph), sizeof *cycle);
  if (cycle == NULL)
    return geodisk_no_memory(context, "for %zu nodes", geodisk_graph_nodes(graph));
  size_t length = 0;
  geodisk_status st = geodisk_graph_find_cycle(context, graph, cycle, &length);
  free(cycle);
  if (st == GEODISK_OK && length == 0)
    st = geodisk_graph_reduce(context, graph, reduced);
  return st;
}

/* The nodes that have points, and of a sample those that pairs begin from: both the request's, free() them. */
static geodisk_status choose_nodes(geodisk_context *context, const geodisk_fit_options *options, fit_request *r) {
  const size_t nodes = geodisk_graph_nodes(r->relation->graph);
  const size_t sample = estimate_sample(context, nodes, options->sample, options->all_pairs);
  uint32_t *members = geodisk_allocate(nodes, sizeof *members);
  r->members = members;
  if (members == NULL)
    return geodisk_no_memory(context, "for the nodes of the graph");
  r->members_count = relation_members(r->relation, members);
  if (sample == 0 || sample >= r->members_count)
    return GEODISK_OK;
  if (sample < (size_t)2 * GROUPS)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "a sample of %zu nodes is too small to compare distances: %d at least",
                        sample, 2 * GROUPS);
  uint32_t *sources = geodisk_allocate(sample, sizeof *sources);
  if (sources == NULL)
    return geodisk_no_memory(context, "for the nodes of the graph");
  estimate_draw(options->seed, 0, sample, r->members_count, sources);
  r->sources = sources;
  r->sources_count = sample;
  r->targets = (options->pairs > 0 ? options->pairs : DEFAULT_PAIRS) / sample;
  r->targets = r->targets < 1 ? 1 : r->targets;
  return GEODISK_OK;
}

geodisk_status geodisk_eval_fit(geodisk_context *context, const geodisk_eval_points *points, const geodisk_relation *relation,
                                const geodisk_fit_options *options, geodisk_fit *out) {
  options = options != NULL ? options : &(const geodisk_fit_options){0};
  prepared p = {0};
  geodisk_graph *reduced = NULL;
  fit_pairs pairs = {0};
  geodisk_fit fit = {0};
  geodisk_status st = relation_check(context, "comparing distances", relation, points, out);
  if (st == GEODISK_OK)
    st = prepared_create(context, points, &p);
  if (st != GEODISK_OK)
    return st;
  fit_request request = {.relation = relation,
                         .points = &p,
                         .way = options->directed ? GEODISK_WAY_TO_PARENTS : GEODISK_WAY_BOTH,
                         .weighted = options->weighted,
                         .seed = options->seed};
  if (!options->as_given && (st = reduce(context, relation->graph, &reduced)) != GEODISK_OK)
    goto done;
  request.graph = reduced != NULL ? reduced : relation->graph;
  if ((st = choose_nodes(context, options, &request)) != GEODISK_OK ||
      (st = fit_pairs_create(context, &request, &pairs)) != GEODISK_OK)
    goto done;
  const bool sampled = request.sources != NULL;
  fit.nodes = request.members_count;
  fit.first_nodes = sampled ? request.sources_count : request.members_count;
  fit.reduced = reduced != NULL;
  if ((st = fill_fit(context, &pairs, request.members_count, sampled, &fit)) != GEODISK_OK)
    goto done;
  if ((st = depth_radius(context, request.graph, relation, &p, &fit.depth_radius, &fit.depth_nodes)) != GEODISK_OK)
    goto done;
  *out = fit;
done:
  fit_pairs_destroy(&pairs);
  geodisk_free_all((void *)request.members, (void *)request.sources);
  geodisk_graph_destroy(reduced);
  prepared_destroy(&p);
  return st;
}

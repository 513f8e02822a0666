/* distances_start.c - fitting distances from the best of several beginnings: classical scaling, in hyperbolic space at several
 * curvatures, and the construction of a spanning tree. */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "construction.h"
#include "distance_fit.h"
#include "placement.h"
#include "trainer.h"

enum { TRIAL_STEPS = 40, MOST_STEPS = 800, LEAST_STEPS = 200, ALL_PAIRS = 4096, LANDMARKS = 256 };
#define PAIRS_IN_ALL 1.5e9 /* steps x pairs, unless steps are given */

/* The mean radius of classical scaling: nearly flat, and ever more curved. */
static const double radii[] = {0.3, 1.0, 3.0, 6.0};

typedef struct beginnings {
  geodisk_context *context;
  const geodisk_distances *d;
  const geodisk_distance_options *o;
  uint64_t steps;
  double *rows, *best; /* nodes x (dim + 1) */
  double least;        /* distortion of the best */
  const char *start;
} beginnings;

/* ---- how well it went ---- */

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Ratios of distance and length; each pair of sources once. */
static size_t list_ratios(const beginnings *b, const double *rows, double *out) {
  const size_t stride = (size_t)b->o->dim + 1, n = b->d->nodes;
  const bool flat = b->o->space == GEODISK_SPACE_EUCLIDEAN;
  size_t count = 0;
  double square;
  for (size_t i = 0; i < b->d->sources; i++) {
    const size_t u = b->d->source_nodes ? b->d->source_nodes[i] : i;
    for (size_t v = b->d->source_nodes ? 0 : i + 1; v < n; v++) {
      const double length = b->d->lengths[i * n + v];
      if (u != v && length > 0.0 && length < 1e300)
        out[count++] = embed_distance_between(b->o->dim, flat, rows + u * stride, rows + v * stride, &square) / length;
    }
  }
  return count;
}

/* The scale with the least mean |s r - 1| is 1/r at the median of r with weights r. */
static bool judge(const beginnings *b, const double *rows, geodisk_distance_result *out) {
  double *r = geodisk_allocate(b->d->sources * b->d->nodes, sizeof *r), sum = 0.0, half = 0.0;
  if (!r)
    return false;
  const size_t n = list_ratios(b, rows, r);
  qsort(r, n, sizeof *r, compare_doubles);
  for (size_t i = 0; i < n; i++)
    sum += r[i];
  size_t at = n;
  while (at > 1 && half < 0.5 * sum)
    half += r[--at];
  *out = (geodisk_distance_result){.pairs = n, .start = b->start};
  if (n > 0 && sum > 0.0) {
    out->scale = 1.0 / r[at < n ? at : n - 1];
    out->worst = r[n - 1] / r[0];
    for (size_t i = 0; i < n; i++) {
      const double ratio = out->scale * r[i];
      out->mean += fabs(ratio - 1.0) / (double)n;
      out->squared += fabs(ratio * ratio - 1.0) / (double)n;
    }
  }
  free(r);
  return true;
}

static double figure(const beginnings *b, const geodisk_distance_result *r) {
  return b->o->stress == GEODISK_STRESS_SQUARED ? r->squared : r->mean;
}

/* ---- beginnings ---- */

static geodisk_status no_memory(const beginnings *b) {
  return geodisk_fail(b->context, GEODISK_ERROR_MEMORY, "out of memory for the distances of %zu nodes", b->d->nodes);
}

/* A short descent from b->rows; kept if it is better than all before. */
static geodisk_status try_rows(beginnings *b, const char *name) {
  geodisk_distance_result r;
  const geodisk_status st = embed_descend_distances(b->context, b->d, b->o, TRIAL_STEPS, false, b->rows);
  if (st != GEODISK_OK)
    return st;
  if (!judge(b, b->rows, &r))
    return no_memory(b);
  if (b->start && !(figure(b, &r) < b->least))
    return GEODISK_OK;
  b->least = figure(b, &r);
  b->start = name;
  memcpy(b->best, b->rows, b->d->nodes * ((size_t)b->o->dim + 1) * sizeof *b->rows);
  return GEODISK_OK;
}

/* The flat points as tangents at the origin, so long that their mean radius is that. */
static void lift(const beginnings *b, const double *flat, double radius) {
  const size_t dim = (size_t)b->o->dim, n = b->d->nodes;
  double mean = 0.0;
  for (size_t u = 0; u < n; u++) {
    double square = 0.0;
    for (size_t k = 0; k < dim; k++)
      square += flat[u * dim + k] * flat[u * dim + k];
    mean += sqrt(square) / (double)n;
  }
  for (size_t u = 0; u < n; u++) {
    double *x = b->rows + u * (dim + 1), norm = 0.0;
    for (size_t k = 0; k < dim; k++)
      norm += flat[u * dim + k] * flat[u * dim + k];
    norm = sqrt(norm);
    const double length = mean > 0.0 ? norm / mean * radius : 0.0, t = portable_tanh_half(length < 30.0 ? length : 30.0);
    for (size_t k = 0; k < dim; k++)
      x[k] = norm > 0.0 ? t * flat[u * dim + k] / norm : 0.0;
    x[dim] = (1.0 - t) * (1.0 + t);
  }
}

/* Points that fall together would never part: each a little aside. */
static void part(const beginnings *b, double *flat) {
  const size_t count = b->d->nodes * (size_t)b->o->dim;
  double square = 0.0;
  geodisk_random random = geodisk_random_stream(b->o->seed, stream_of(STREAM_PLACE, 1, PLACE_SCALING));
  for (size_t i = 0; i < count; i++)
    square += flat[i] * flat[i] / (double)count;
  const double aside = square > 0.0 ? 1e-3 * sqrt(square) : 1.0;
  for (size_t i = 0; i < count; i++)
    flat[i] += aside * geodisk_random_normal(&random);
}

static geodisk_status try_scaling(beginnings *b) {
  const size_t dim = (size_t)b->o->dim, n = b->d->nodes;
  double *flat = geodisk_allocate(n, dim * sizeof *flat);
  geodisk_status st = flat ? embed_classical_scaling(b->context, b->d, b->o->dim, b->o->seed, flat) : no_memory(b);
  if (st == GEODISK_OK)
    part(b, flat);
  if (b->o->space == GEODISK_SPACE_EUCLIDEAN && st == GEODISK_OK) {
    for (size_t u = 0; u < n; u++) {
      memcpy(b->rows + u * (dim + 1), flat + u * dim, dim * sizeof *flat);
      b->rows[u * (dim + 1) + dim] = 1.0;
    }
    st = try_rows(b, "scaling");
  } else {
    for (size_t i = 0; i < sizeof radii / sizeof radii[0] && st == GEODISK_OK; i++) {
      lift(b, flat, radii[i]);
      st = try_rows(b, "scaling");
    }
  }
  free(flat);
  return st;
}

/* A tree of shortest ways from the hub, constructed as deep as doubles and as floats resolve. */
static geodisk_status try_tree(beginnings *b, const geodisk_graph *graph) {
  const size_t n = b->d->nodes, stride = (size_t)b->o->dim + 1;
  uint32_t *parent = geodisk_allocate(n + 1, sizeof *parent), *spanned = geodisk_allocate(n + 1, sizeof *spanned);
  double *weights = geodisk_allocate(n + 1, sizeof *weights), *lengths = geodisk_allocate(n + 1, sizeof *lengths);
  double *points = geodisk_allocate(n + 1, stride * sizeof *points);
  geodisk_status st = GEODISK_OK;
  if (!parent || !spanned || !weights || !lengths || !points || !embed_span_shortest(graph, b->o->weighted, spanned, lengths))
    st = no_memory(b);
  for (int i = 0; i < 2 && st == GEODISK_OK; i++) {
    const geodisk_tree_options o = {
        .dim = b->o->dim, .precision = i == 0 ? GEODISK_PRECISION_DOUBLE : GEODISK_PRECISION_FLOAT, .weighted = true};
    geodisk_tree_info info;
    memcpy(parent, spanned, n * sizeof *parent);
    memcpy(weights, lengths, n * sizeof *weights);
    st = embed_construct(b->context, &o, n, parent, weights, points, &info);
    if (st == GEODISK_OK) {
      memcpy(b->rows, points, n * stride * sizeof *points);
      st = try_rows(b, "tree");
    }
  }
  free(parent);
  free(spanned);
  free(weights);
  free(lengths);
  free(points);
  return st;
}

/* ---- all of it ---- */

static geodisk_status check(geodisk_context *context, const geodisk_distances *d, const geodisk_distance_options *o) {
  if (o->dim < 1 || o->dim > 512)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "dim must be 1 to 512, not %d", o->dim);
  if ((unsigned)o->space > GEODISK_SPACE_EUCLIDEAN || (unsigned)o->stress > GEODISK_STRESS_SQUARED)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "there is no such %s",
                        (unsigned)o->stress > GEODISK_STRESS_SQUARED ? "stress" : "space");
  if (d->nodes < 2 || d->sources < 1 || (!d->source_nodes && d->sources != d->nodes))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "distances between at least two nodes are needed, not of %zu", d->nodes);
  for (size_t i = 0; i < d->sources * d->nodes; i++)
    if (d->lengths[i] > 0.0 && d->lengths[i] < 1e300)
      return GEODISK_OK;
  return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "no two nodes have a distance: there is nothing to fit");
}

static uint64_t steps_for(const geodisk_distances *d, const geodisk_distance_options *o) {
  const double fit = PAIRS_IN_ALL / ((double)d->sources * (double)d->nodes);
  return o->steps ? o->steps : fit > MOST_STEPS ? MOST_STEPS : fit < LEAST_STEPS ? LEAST_STEPS : (uint64_t)fit;
}

static geodisk_status fit(geodisk_context *context, const geodisk_distances *d, const geodisk_distance_options *o,
                          const geodisk_graph *graph, double *points, double *gaps, geodisk_distance_result *result) {
  const size_t dim = (size_t)o->dim, size = d->nodes * (dim + 1);
  beginnings b = {.context = context, .d = d, .o = o, .steps = steps_for(d, o)};
  geodisk_distance_result after;
  b.rows = geodisk_allocate(size, sizeof *b.rows);
  b.best = geodisk_allocate(size, sizeof *b.best);
  geodisk_status st = b.rows && b.best ? try_scaling(&b) : no_memory(&b), ended = st;
  if (st == GEODISK_OK && graph && dim > 1 && o->space == GEODISK_SPACE_HYPERBOLIC)
    st = ended = try_tree(&b, graph);
  if (st == GEODISK_OK) {
    memcpy(b.rows, b.best, size * sizeof *b.rows);
    ended = embed_descend_distances(context, d, o, b.steps, true, b.rows);
    st = ended == GEODISK_ERROR_STOPPED ? GEODISK_OK : ended;
  }
  if (st == GEODISK_OK && !judge(&b, b.rows, &after))
    st = ended = no_memory(&b);
  if (st == GEODISK_OK && !(figure(&b, &after) <= b.least)) { /* the short descent was better */
    memcpy(b.rows, b.best, size * sizeof *b.rows);
    if (!judge(&b, b.rows, &after))
      st = ended = no_memory(&b);
  }
  for (size_t u = 0; u < d->nodes && st == GEODISK_OK; u++) {
    memcpy(points + u * dim, b.rows + u * (dim + 1), dim * sizeof *points);
    gaps[u] = b.rows[u * (dim + 1) + dim];
  }
  if (st == GEODISK_OK && result)
    *result = after;
  free(b.rows);
  free(b.best);
  return ended;
}

static geodisk_status fit_rounding(geodisk_context *context, const geodisk_distances *d, const geodisk_distance_options *o,
                                   const geodisk_graph *graph, double *points, double *gaps, geodisk_distance_result *result) {
  geodisk_status st = check(context, d, o);
  if (st != GEODISK_OK)
    return st;
  fenv_t theirs; /* rounding to nearest, whatever the caller has set */
  fegetenv(&theirs);
  fesetenv(FE_DFL_ENV);
  st = fit(context, d, o, graph, points, gaps, result);
  fesetenv(&theirs);
  return st;
}

geodisk_status geodisk_fit_distances(geodisk_context *context, const geodisk_distances *distances,
                                     const geodisk_distance_options *options, double *points, double *gaps,
                                     geodisk_distance_result *result) {
  return fit_rounding(context, distances, options, NULL, points, gaps, result);
}

/* Lengths of shortest ways from the sources. */
static geodisk_status measure(geodisk_context *context, const geodisk_graph *graph, bool weighted, size_t n_sources,
                              const uint32_t *sources, double *lengths) {
  const size_t n = geodisk_graph_nodes(graph);
  if (weighted)
    return geodisk_graph_lengths(context, graph, GEODISK_BOTH_WAYS, n_sources, sources, lengths, NULL);
  uint32_t *hops = (uint32_t *)lengths; /* the first half of the room; read from behind, before it is written over */
  const geodisk_status st = geodisk_graph_hops(context, graph, GEODISK_BOTH_WAYS, n_sources, sources, hops, NULL);
  for (size_t i = n_sources * n; i-- > 0 && st == GEODISK_OK;) {
    uint32_t h;
    memcpy(&h, (const char *)lengths + i * sizeof h, sizeof h);
    lengths[i] = h == GEODISK_UNREACHABLE ? (double)INFINITY : h;
  }
  return st;
}

geodisk_status geodisk_fit_graph_distances(geodisk_context *context, const geodisk_graph *graph,
                                           const geodisk_distance_options *options, double *points, double *gaps,
                                           geodisk_distance_result *result) {
  const size_t n = geodisk_graph_nodes(graph);
  uint32_t *sources = geodisk_allocate(n, sizeof *sources);
  const size_t count = n > ALL_PAIRS ? LANDMARKS : n;
  double *lengths = geodisk_allocate(count * n, sizeof *lengths);
  geodisk_status st = GEODISK_OK;
  if (!sources || !lengths) {
    st = geodisk_fail(context, GEODISK_ERROR_MEMORY, "out of memory for the distances of %zu nodes", n);
  } else {
    if (n > ALL_PAIRS)
      geodisk_graph_sample(graph, count, options->seed, sources);
    else
      for (uint32_t u = 0; u < n; u++)
        sources[u] = u;
    st = measure(context, graph, options->weighted && geodisk_graph_weighted(graph), count, sources, lengths);
  }
  const geodisk_distances d = {n, count, n > ALL_PAIRS ? sources : NULL, lengths};
  if (st == GEODISK_OK)
    st = fit_rounding(context, &d, options, graph, points, gaps, result);
  free(sources);
  free(lengths);
  return st;
}

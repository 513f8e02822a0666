/* distance_fit.c - points whose distances are those of a graph or a matrix, up to one scale s: descent on the mean distortion.
 *
 * Every step takes all pairs. Each node adds up, over its partners in their order, unit tangents times the derivative of its
 * distortion, and moves by the exact exponential map (in flat space straight on); a node's sum is made by one thread, so that the
 * result does not depend on their number. Steps are as long for all nodes: sums are divided by a running mean of their own size
 * (Adam with one number for a node), and the rate falls from step to step. The scale is fitted anew after each step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distance_fit.h"
#include "placement.h"
#include "trainer.h"

#define FIRST_RATE 0.05 /* of the mean distance between points: the longest step at first, */
#define LAST_RATE  2e-5 /* and at last */
#define MOMENTUM   0.8  /* of the direction, and of its size */
#define MEMORY     0.95
#define ROUNDING   0.02 /* distortions below this count in proportion, so that pairs that are right stop pulling */
enum { NODES_PER_TASK = 16 };

typedef struct fitting {
  const geodisk_distances *d;
  const geodisk_distance_options *o;
  const uint32_t *row_of; /* nodes: the source a node is, or NO_NODE; NULL: all are */
  double *x;              /* nodes x (dim + 1): coordinates and gap, as they are */
  double *to;             /* and as they will be */
  double *moment;         /* nodes x dim: directions, in units of hyperbolic length */
  double *size;           /* nodes: of the sums, squared */
  distance_sums *sums;    /* nodes */
  double scale, rate, correction_one, correction_two;
} fitting;

double embed_distance_between(int dim, bool flat, const double *x, const double *y, double *square) {
  double sum = 0.0;
  for (int k = 0; k < dim; k++)
    sum += (x[k] - y[k]) * (x[k] - y[k]);
  *square = sum;
  if (flat)
    return sqrt(sum);
  const double q = sum / (x[dim] * y[dim]), root = sqrt(q);
  return root < 1e-6 ? 2.0 * root : 2.0 * portable_log(root + sqrt(1.0 + q));
}

/* The derivative of the distortion of a pair by its distance, up to a factor: rounded off at 0. */
static double slope(geodisk_stress stress, double ratio, double length) {
  const double off = stress == GEODISK_STRESS_SQUARED ? ratio * ratio - 1.0 : ratio - 1.0;
  const double sign = off / sqrt(off * off + ROUNDING * ROUNDING);
  return (stress == GEODISK_STRESS_SQUARED ? 2.0 * ratio * sign : sign) / length;
}

/* The partner's part of the sum of node u, and of what the scale is fitted to. */
static void add_pair(const fitting *f, uint32_t u, uint32_t v, double length, double *sum, distance_sums *sums) {
  const int dim = f->o->dim;
  const bool flat = f->o->space == GEODISK_SPACE_EUCLIDEAN;
  const double *x = f->x + u * ((size_t)dim + 1), *y = f->x + v * ((size_t)dim + 1);
  double square;
  if (u == v || !(length > 0.0) || !(length < 1e300))
    return;
  const double d = embed_distance_between(dim, flat, x, y, &square), ratio = d / length;
  sums->ratio += ratio;
  sums->square += ratio * ratio;
  sums->distance += d;
  sums->pairs++;
  if (!(square > 0.0))
    return;
  const double pull = slope(f->o->stress, f->scale * ratio, length);
  const double along = flat ? pull / sqrt(square) : pull / sqrt(square * (x[dim] * y[dim] + square));
  const double out = flat ? along : along * x[dim], back = flat ? 0.0 : along * square;
  for (int k = 0; k < dim; k++)
    sum[k] += out * (y[k] - x[k]) - back * x[k];
}

static void add_partners(const fitting *f, uint32_t u, double *sum, distance_sums *sums) {
  const geodisk_distances *d = f->d;
  const uint32_t row = f->row_of ? f->row_of[u] : u;
  if (f->row_of)
    for (size_t i = 0; i < d->sources; i++)
      add_pair(f, u, d->source_nodes[i], d->lengths[i * d->nodes + u], sum, sums);
  for (size_t v = 0; v < d->nodes && row != NO_NODE; v++)
    add_pair(f, u, (uint32_t)v, d->lengths[row * d->nodes + v], sum, sums);
}

static void move_node(const fitting *f, uint32_t u, const double *sum) {
  const size_t dim = (size_t)f->o->dim;
  double *to = f->to + u * (dim + 1), *moment = f->moment + u * dim, square = 0.0, length = 0.0, n[512];
  memcpy(to, f->x + u * (dim + 1), (dim + 1) * sizeof *to);
  for (size_t k = 0; k < dim; k++) {
    moment[k] = MOMENTUM * moment[k] + (1.0 - MOMENTUM) * sum[k];
    square += sum[k] * sum[k];
    length += moment[k] * moment[k];
  }
  f->size[u] = MEMORY * f->size[u] + (1.0 - MEMORY) * square;
  length = sqrt(length);
  if (!(length > 0.0) || !(f->size[u] > 0.0))
    return;
  double step = f->rate * (length / f->correction_one) / sqrt(f->size[u] / f->correction_two);
  step = step < 2.0 * f->rate ? step : 2.0 * f->rate;
  for (size_t k = 0; k < dim; k++)
    n[k] = moment[k] / length;
  if (f->o->space == GEODISK_SPACE_EUCLIDEAN) {
    for (size_t k = 0; k < dim; k++)
      to[k] += step * n[k];
    return;
  }
  embed_walk((int)dim, to, to + dim, n, step);
  if (to[dim] > 0x1p-30) { /* measured anew where coordinates have the digits */
    double norm = 0.0;
    for (size_t k = 0; k < dim; k++)
      norm += to[k] * to[k];
    to[dim] = 1.0 - norm;
  }
}

static void run_task(void *arg, size_t task) {
  const fitting *f = arg;
  const size_t first = task * NODES_PER_TASK, left = f->d->nodes - first;
  double sum[512];
  for (size_t i = 0; i < (left < NODES_PER_TASK ? left : NODES_PER_TASK); i++) {
    const uint32_t u = (uint32_t)(first + i);
    memset(sum, 0, (size_t)f->o->dim * sizeof *sum);
    f->sums[u] = (distance_sums){0};
    add_partners(f, u, sum, &f->sums[u]);
    if (f->rate > 0.0)
      move_node(f, u, sum);
  }
}

/* One pass over all pairs: steps at f->rate, if any; returns the sums over all nodes. */
static distance_sums pass(geodisk_context *context, fitting *f) {
  distance_sums all = {0};
  geodisk_parallel(context, (f->d->nodes + NODES_PER_TASK - 1) / NODES_PER_TASK, run_task, f);
  for (size_t u = 0; u < f->d->nodes; u++) {
    all.ratio += f->sums[u].ratio;
    all.square += f->sums[u].square;
    all.distance += f->sums[u].distance;
    all.pairs += f->sums[u].pairs;
  }
  return all;
}

static geodisk_status descend(geodisk_context *context, fitting *f, uint64_t steps, bool told) {
  const double last = portable_log(LAST_RATE / FIRST_RATE);
  f->rate = 0.0;
  distance_sums all = pass(context, f);
  double one = 1.0, two = 1.0;
  for (uint64_t i = 0; i < steps; i++) {
    const double share = (double)i / (double)steps;
    f->scale = all.square > 0.0 ? all.ratio / all.square : 1.0;
    f->rate = FIRST_RATE * portable_exp(last * share) * all.distance / (double)all.pairs;
    f->correction_one = 1.0 - (one *= MOMENTUM);
    f->correction_two = 1.0 - (two *= MEMORY);
    all = pass(context, f);
    double *now = f->to;
    f->to = f->x;
    f->x = now;
    const geodisk_progress progress = {.task = "fitting distances", .unit = "steps", .done = i + 1, .total = steps};
    if (told && !geodisk_progress_event(context, &progress))
      return geodisk_fail(context, GEODISK_ERROR_STOPPED, "stopped after step %llu", (unsigned long long)(i + 1));
  }
  return GEODISK_OK;
}

geodisk_status embed_descend_distances(geodisk_context *context, const geodisk_distances *d, const geodisk_distance_options *o,
                                       uint64_t steps, bool told, double *rows) {
  const size_t n = d->nodes, dim = (size_t)o->dim;
  fitting f = {.d = d, .o = o};
  uint32_t *row_of = geodisk_allocate(n, sizeof *row_of);
  double *first = geodisk_allocate(n, (dim + 1) * sizeof *first), *second = geodisk_allocate(n, (dim + 1) * sizeof *second);
  f.moment = geodisk_allocate_zero(n, dim * sizeof *f.moment);
  f.size = geodisk_allocate_zero(n, sizeof *f.size);
  f.sums = geodisk_allocate(n, sizeof *f.sums);
  geodisk_status st = GEODISK_OK;
  if (!row_of || !first || !second || !f.moment || !f.size || !f.sums) {
    st = geodisk_fail(context, GEODISK_ERROR_MEMORY, "out of memory for the distances of %zu nodes", n);
  } else {
    memset(row_of, 0xff, n * sizeof *row_of);
    for (size_t i = 0; i < d->sources && d->source_nodes; i++)
      row_of[d->source_nodes[i]] = (uint32_t)i;
    f.row_of = d->source_nodes ? row_of : NULL;
    f.x = first;
    f.to = second;
    memcpy(first, rows, n * (dim + 1) * sizeof *rows);
    st = descend(context, &f, steps, told);
    if (st == GEODISK_OK || st == GEODISK_ERROR_STOPPED)
      memcpy(rows, f.x, n * (dim + 1) * sizeof *rows);
  }
  free(row_of);
  free(first);
  free(second);
  free(f.moment);
  free(f.size);
  free(f.sums);
  return st;
}

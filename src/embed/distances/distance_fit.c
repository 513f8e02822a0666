/* distance_fit.c - points whose distances are those of a graph or a matrix, up to one scale s: descent on the distortion.
 *
 * Epochs over all pairs (pair_steps.c) while heat falls. A descent from anywhere is hot at first, when pairs may pass each other,
 * on squared errors; then curvature grows, for what is arranged in flat space is easily bent and what is bent hardly arranged;
 * last come the errors themselves, from hot to cold, which is the distortion's own descent. Heat is in units of the mean squared
 * length: at heat h a pair of length g may move by the share h square / g^2 of it. */
#include "distance_fit.h"
#include "base/sorting.h"
#include "base/squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "embed/trainer.h"

typedef struct phase {
  double share; /* of the epochs */
  bool squares;
  double from, to;             /* heat */
  double from_curve, to_curve; /* of the last one */
} phase;

enum { PHASES = 3, TRIAL_EPOCHS = 35, CURVES = 10, RESTARTS = 24, RESTARTS_AT_LEAST = 3, RESTART_EPOCHS = 70 };
#define MORE_CURVED 1.05 /* than what suited a short descent: long ones bear more */
#define ALIKE       1.02 /* figures of arrangements that are taken for the same */
#define SMALL_START 0.1  /* of the size: random points, so near each other that they sort themselves */
#define FIRST_CURVE 0.5  /* times the root mean square length: nearly flat */
#define NEXT_CURVE  1.6  /* each so many times the one before */
#define WIDEST      66.0 /* distances that coordinates resolve: twice the depth */

static const phase phases[][PHASES] = {
    [COURSE_WHOLE] = {{1.0 / 7.0, true, 6.0, 3e-4, 1.0 / COURSE_GROWTH, 1.0 / COURSE_GROWTH},
                      {2.0 / 7.0, true, 0.3, 0.3, 1.0 / COURSE_GROWTH, 1.0},
                      {4.0 / 7.0, false, 0.3, 6e-5, 1.0, 1.0}},
    [COURSE_PLACED] = {{1.0, false, 0.1, 6e-5, 1.0, 1.0}},
    [COURSE_AGAIN] = {{1.0, false, 0.03, 2e-5, 1.0, 1.0}},
    [COURSE_WARM] = {{0.4, true, 0.02, 5e-4, 1.0, 1.0}, {0.6, false, 3e-3, 3e-6, 1.0, 1.0}},
    [COURSE_EXACT] = {{0.7, true, 20.0, 2.0, 1.0, 1.0}, {0.3, false, 2e-4, 2e-7, 1.0, 1.0}},
    [COURSE_LAST] = {{1.0, false, 2e-3, 2e-6, 1.0, 1.0}},
};

static bool tell(const pair_points *p, distance_watch *watch) {
  watch->done += p->count * (p->count - 1) / 2;
  const geodisk_progress progress = {.task = "fitting distances",
                                     .unit = "pairs",
                                     .done = watch->done,
                                     .total = watch->total > watch->done ? watch->total : watch->done};
  watch->stopped = !geodisk_progress_event(p->context, &progress);
  return !watch->stopped;
}

bool embed_descend_pairs(const pair_points *p, const distance_descent *d, distance_watch *watch) {
  double curve = 0.0; /* as points are now */
  for (int i = 0; i < PHASES; i++) {
    const phase *now = &phases[d->course][i];
    const uint64_t epochs = (uint64_t)(now->share * (double)d->epochs + 0.5);
    if (!(now->share > 0.0))
      break;
    for (uint64_t e = 0; e < epochs; e++) {
      const double done = (double)(e + 1) / (double)epochs;
      const double next = d->curve * now->from_curve * portable_pow(now->to_curve / now->from_curve, done);
      const pair_rule rule = {.stress = d->stress,
                              .curve = next,
                              .heat = d->square * now->from * portable_pow(now->to / now->from, done),
                              .squares = now->squares};
      if (curve > 0.0 && next != curve)
        embed_stretch(p, next / curve);
      curve = next;
      embed_pair_epoch(p, &rule, (*d->epoch)++);
      if (!tell(p, watch))
        return false;
    }
  }
  return true;
}

/* ---- how well it went ---- */

/* The scale with the least mean |s r - 1| is 1/r at the median of r with weights r. */
void embed_judge_ratios(size_t n, double *r, geodisk_distance_result *out) {
  double sum = 0.0, half = 0.0;
  qsort(r, n, sizeof *r, ascending_doubles);
  for (size_t i = 0; i < n; i++)
    sum += r[i];
  size_t at = n;
  while (at > 1 && half < 0.5 * sum)
    half += r[--at];
  *out = (geodisk_distance_result){.pairs = n};
  if (n == 0 || !(sum > 0.0))
    return;
  out->scale = 1.0 / r[at < n ? at : n - 1];
  out->worst = r[n - 1] / r[0];
  for (size_t i = 0; i < n; i++) {
    const double ratio = out->scale * r[i];
    out->mean += fabs(ratio - 1.0) / (double)n;
    out->squared += fabs(ratio * ratio - 1.0) / (double)n;
  }
}

bool embed_judge_pairs(const pair_points *p, geodisk_distance_result *out) {
  const size_t stride = (size_t)p->dim + 1;
  double *r = geodisk_allocate(p->count * p->count / 2 + 1, sizeof *r), square;
  size_t n = 0;
  for (size_t i = 0; i < p->count && r; i++)
    for (size_t j = i + 1; j < p->count; j++) {
      const double length = (double)p->lengths[i * p->nodes + j];
      if (length > 0.0 && length < 1e300)
        r[n++] = embed_distance_between(p->dim, p->flat, p->rows + i * stride, p->rows + j * stride, &square) / length;
    }
  if (!r)
    return false;
  embed_judge_ratios(n, r, out);
  free(r);
  return true;
}

double embed_figure(geodisk_stress stress, const geodisk_distance_result *r) {
  return stress == GEODISK_STRESS_SQUARED ? r->squared : r->mean;
}

/* ---- which curvature ---- */

void embed_lift(const pair_points *p, const double *flat, double size) {
  const size_t dim = (size_t)p->dim;
  double mean = 0.0;
  for (size_t i = 0; i < p->nodes * dim; i++)
    mean += flat[i] * flat[i] / (double)p->nodes;
  const double factor = mean > 0.0 ? size / sqrt(mean) : 1.0;
  for (size_t i = 0; i < p->nodes; i++) {
    double *x = p->rows + i * (dim + 1);
    for (size_t k = 0; k < dim; k++)
      x[k] = factor * flat[i * dim + k];
    const double square = square_of(dim, x);
    x[dim] = 1.0;
    if (p->flat || !(square > 0.0))
      continue;
    const double radius = sqrt(square) < 30.0 ? sqrt(square) : 30.0, t = portable_tanh_half(radius);
    for (size_t k = 0; k < dim; k++)
      x[k] *= t / sqrt(square);
    x[dim] = (1.0 - t) * (1.0 + t);
  }
}

/* From p->rows, and what comes of it if it is better than all before. */
static geodisk_status try_curve(distance_search *s, const pair_points *p, const distance_descent *d, double *figure) {
  geodisk_distance_result r;
  if (!embed_descend_pairs(p, d, s->watch))
    return geodisk_fail(p->context, GEODISK_ERROR_STOPPED, "stopped");
  if (!embed_judge_pairs(p, &r))
    return geodisk_no_memory(p->context, "for the distances of %zu nodes", p->count);
  *figure = embed_figure(d->stress, &r);
  if (s->curve > 0.0 && !(*figure < s->least))
    return GEODISK_OK;
  s->least = *figure;
  s->curve = d->curve;
  memcpy(s->rows, p->rows, p->count * ((size_t)p->dim + 1) * sizeof *s->rows);
  return GEODISK_OK;
}

/* From random points: other arrangements, of which one may be better; where they come to the same, few are enough. */
static geodisk_status restart(distance_search *s, const pair_points *p, double *random_points, distance_descent *d) {
  geodisk_status st = GEODISK_OK;
  double figure = 0.0, most = s->least;
  d->curve = s->curve * MORE_CURVED;
  d->epochs = RESTART_EPOCHS;
  for (uint64_t i = 0; i < RESTARTS && st == GEODISK_OK; i++) {
    if (i >= RESTARTS_AT_LEAST && most <= ALIKE * s->least)
      break;
    geodisk_random random = geodisk_random_stream(p->seed, stream_of(STREAM_PLACE, 3 + i, PLACE_SCALING));
    for (size_t k = 0; k < p->count * (size_t)p->dim; k++)
      random_points[k] = geodisk_random_normal(&random);
    embed_lift(p, random_points, SMALL_START * s->size * d->curve / COURSE_GROWTH);
    st = try_curve(s, p, d, &figure);
    most = figure > most ? figure : most;
  }
  return st;
}

/* The lowest point of a parabola through the best and its neighbours, over the logarithm of the curve; figures that were not
 * taken are below 0. */
static double between(const double *curves, const double *figures, int best) {
  if (best == 0 || best == CURVES - 1 || figures[best - 1] < 0.0 || figures[best + 1] < 0.0)
    return curves[best];
  const double down = figures[best - 1] - figures[best], up = figures[best + 1] - figures[best], sum = down + up;
  return sum > 0.0 ? curves[best] * portable_pow(NEXT_CURVE, 0.5 * (down - up) / sum) : curves[best];
}

geodisk_status embed_find_curve(distance_search *s, const pair_points *p, const double *flat, distance_descent d) {
  double curves[CURVES], figures[CURVES], *random_points = geodisk_allocate(p->nodes, (size_t)p->dim * sizeof *random_points);
  geodisk_status st = random_points ? GEODISK_OK : geodisk_no_memory(p->context, "to go on");
  int best = -1;
  curves[0] = FIRST_CURVE / sqrt(d.square);
  for (int i = 1; i < CURVES; i++)
    curves[i] = curves[i - 1] * NEXT_CURVE;
  for (int i = 0; i < CURVES; i++)
    figures[i] = -1.0;
  d.course = COURSE_WHOLE;
  d.epochs = TRIAL_EPOCHS;
  s->curve = 0.0;
  for (int i = 0; i < CURVES + 2 && st == GEODISK_OK; i++) { /* every second one, then the two beside the best */
    const int at = i < CURVES ? i : best + (i == CURVES ? 1 : -1);
    if ((i < CURVES) != (at % 2 == 0) || at < 0 || at >= CURVES || (best >= 0 && curves[at] * s->furthest > WIDEST))
      continue;
    d.curve = curves[at];
    embed_lift(p, flat, s->size * d.curve / COURSE_GROWTH);
    st = try_curve(s, p, &d, &figures[at]);
    if (st == GEODISK_OK && (best < 0 || figures[at] < figures[best]))
      best = at;
  }
  if (st == GEODISK_OK) {
    s->curve = between(curves, figures, best);
    st = restart(s, p, random_points, &d);
  }
  free(random_points);
  return st;
}

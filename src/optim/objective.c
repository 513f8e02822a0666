/* objective.c - objectives as sums of terms over pairs of points: creation, and the evaluation of loss and gradient by the chain
 * rule  grad_i f = sum over pairs (i,j) of  f'(d_ij) grad_i d_ij.
 *
 * Distances run in parallel over pairs, the caller's loss runs in order on the calling thread, gradients run in parallel over
 * points, each summed over its pairs in order: the same bytes for any number of threads. */
#include "objective.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS_A_TASK = 64, POINTS_A_TASK = 16 };

/* ---- creation -------------------------------------------------------------------------------------------------------- */

static geodisk_status check_spec(geodisk_context *context, const geodisk_objective_spec *spec) {
  if (spec == NULL || spec->loss == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "objective: no loss function");
  if (spec->n_points == 0)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "objective: no points");
  if (spec->n_pairs > 0 && spec->pairs == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "objective: no pairs");
  for (size_t p = 0; p < spec->n_pairs; p++) {
    const size_t i = spec->pairs[2 * p], j = spec->pairs[2 * p + 1];
    if (i >= spec->n_points || j >= spec->n_points || i == j)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                          "objective: pair %zu is (%zu, %zu), which are not two different points of %zu", p, i, j,
                          spec->n_points);
  }
  if (spec->term_begin == NULL)
    return GEODISK_OK;
  if (spec->term_begin[0] != 0 || spec->term_begin[spec->n_terms] != spec->n_pairs)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "objective: the terms do not cover the %zu pairs", spec->n_pairs);
  for (size_t t = 0; t < spec->n_terms; t++)
    if (spec->term_begin[t] > spec->term_begin[t + 1])
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "objective: term %zu ends before it begins", t);
  return GEODISK_OK;
}

/* Which pairs a point takes part in, by counting. */
static void fill_incidence(geodisk_objective *o) {
  for (size_t e = 0; e < 2 * o->n_pairs; e++)
    o->incident_begin[o->pairs[e] + 1]++;
  for (size_t i = 0; i < o->n_points; i++)
    o->incident_begin[i + 1] += o->incident_begin[i];
  for (size_t p = 0; p < o->n_pairs; p++)
    for (int side = 0; side < 2; side++)
      o->incident[o->incident_begin[o->pairs[2 * p + (size_t)side]]++] = p;
  memmove(o->incident_begin + 1, o->incident_begin, o->n_points * sizeof *o->incident_begin); /* the filling moved each by one */
  o->incident_begin[0] = 0;
}

geodisk_status geodisk_objective_create(geodisk_context *context, const geodisk_objective_spec *spec, geodisk_objective **out) {
  geodisk_status status = check_spec(context, spec);
  if (status != GEODISK_OK)
    return status;
  geodisk_objective *o = geodisk_allocate_zero(1, sizeof *o);
  if (o == NULL)
    return geodisk_no_memory(context, "for the objective");
  o->n_points = spec->n_points;
  o->n_pairs = spec->n_pairs;
  o->n_terms = spec->term_begin == NULL ? 1 : spec->n_terms;
  o->loss = spec->loss;
  o->user = spec->user;
  o->pairs = geodisk_allocate(o->n_pairs, 2 * sizeof *o->pairs);
  o->term_begin = geodisk_allocate(o->n_terms + 1, sizeof *o->term_begin);
  o->incident_begin = geodisk_allocate_zero(o->n_points + 1, sizeof *o->incident_begin);
  o->incident = geodisk_allocate(o->n_pairs, 2 * sizeof *o->incident);
  o->fixed = geodisk_allocate_zero(o->n_points, sizeof *o->fixed);
  if (o->pairs == NULL || o->term_begin == NULL || o->incident_begin == NULL || o->incident == NULL || o->fixed == NULL) {
    geodisk_objective_destroy(o);
    return geodisk_no_memory(context, "for an objective of %zu pairs", spec->n_pairs);
  }
  if (o->n_pairs > 0)
    memcpy(o->pairs, spec->pairs, o->n_pairs * 2 * sizeof *o->pairs);
  if (spec->fixed != NULL)
    memcpy(o->fixed, spec->fixed, o->n_points * sizeof *o->fixed);
  if (spec->term_begin != NULL)
    memcpy(o->term_begin, spec->term_begin, (o->n_terms + 1) * sizeof *o->term_begin);
  else {
    o->term_begin[0] = 0;
    o->term_begin[1] = o->n_pairs;
  }
  for (size_t t = 0; t < o->n_terms; t++)
    if (o->term_begin[t + 1] - o->term_begin[t] > o->largest_term)
      o->largest_term = o->term_begin[t + 1] - o->term_begin[t];
  fill_incidence(o);
  *out = o;
  return GEODISK_OK;
}

void geodisk_objective_destroy(geodisk_objective *o) {
  if (o == NULL)
    return;
  if (o->release != NULL)
    o->release(o->user);
  geodisk_free_all(o->pairs, o->term_begin, o->incident_begin, o->incident, o->fixed, o);
}

size_t geodisk_objective_points(const geodisk_objective *o) { return o->n_points; }
size_t geodisk_objective_pairs(const geodisk_objective *o) { return o->n_pairs; }
size_t geodisk_objective_terms(const geodisk_objective *o) { return o->n_terms; }

/* ---- evaluation ------------------------------------------------------------------------------------------------------ */

geodisk_status numeric_failure(geodisk_context *context, uint64_t iteration, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (iteration == NO_ITERATION)
    return geodisk_fail(context, GEODISK_ERROR_NUMERIC, "%s", text);
  return geodisk_fail(context, GEODISK_ERROR_NUMERIC, "iteration %llu: %s", (unsigned long long)iteration, text);
}

double tangent_norm(const geodisk_ball *ball, double gap, const double *v) {
  double largest = 0.0, sum = 0.0;
  for (int i = 0; i < ball->dim; i++)
    largest = fabs(v[i]) > largest || isnan(v[i]) ? fabs(v[i]) : largest;
  if (!(largest > 0.0))
    return largest;
  for (int i = 0; i < ball->dim; i++)
    sum += (v[i] / largest) * (v[i] / largest);
  return 2.0 * ball->radius / sqrt(ball->curvature) * (largest / gap) * sqrt(sum);
}

geodisk_status objective_load_points(geodisk_context *context, const geodisk_ball *ball, size_t n, const double *x,
                                     const double *gap, double *out_x, double *out_gap) {
  const size_t dim = (size_t)ball->dim;
  for (size_t i = 0; i < n; i++) {
    const double *p = x + i * dim;
    const double g = gap == NULL ? geodisk_gap(ball, p) : gap[i];
    if (!(geodisk_distance_gap(ball, p, g, p, g) == 0.0))
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "point %zu is not inside the ball", i);
    out_gap[i] = g;
  }
  memcpy(out_x, x, n * dim * sizeof *x);
  return GEODISK_OK;
}

geodisk_status evaluator_create(geodisk_context *context, const geodisk_ball *ball, const geodisk_objective *objective,
                                evaluator *out) {
  *out = (evaluator){.context = context, .ball = ball, .objective = objective};
  if (!geodisk_ball_valid(ball))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the ball needs dim >= 1, radius > 0 and curvature > 0");
  out->distances = geodisk_allocate(objective->n_pairs, sizeof(double));
  out->derivatives = geodisk_allocate(objective->n_pairs, sizeof(double));
  out->units = geodisk_allocate(objective->n_pairs, 2 * (size_t)ball->dim * sizeof(double));
  out->tangents = geodisk_allocate(objective->n_points, (size_t)ball->dim * sizeof(double));
  if (out->distances != NULL && out->derivatives != NULL && out->units != NULL && out->tangents != NULL)
    return GEODISK_OK;
  evaluator_destroy(out);
  return geodisk_no_memory(context, "for %zu pairs", objective->n_pairs);
}

void evaluator_destroy(evaluator *e) {
  geodisk_free_all(e->distances, e->derivatives, e->units, e->tangents);
  *e = (evaluator){0};
}

typedef struct evaluation_task {
  const evaluator *e;
  const double *x, *gap;
  double *gradient;
} evaluation_task;

/* The distance of a pair and, where a gradient is wanted, its gradients at the ends that may move. */
static void measure_pair(const evaluation_task *t, size_t p) {
  const geodisk_objective *o = t->e->objective;
  const size_t dim = (size_t)t->e->ball->dim, i = o->pairs[2 * p], j = o->pairs[2 * p + 1];
  const double *x = t->x + i * dim, *y = t->x + j * dim;
  double *units = t->e->units + 2 * p * dim;
  t->e->distances[p] = t->gradient == NULL
                           ? geodisk_distance_gap(t->e->ball, x, t->gap[i], y, t->gap[j])
                           : geodisk_distance_gradient_gap(t->e->ball, x, t->gap[i], y, t->gap[j], o->fixed[i] ? NULL : units,
                                                           o->fixed[j] ? NULL : units + dim);
}

static void pairs_task(void *arg, size_t index) {
  const evaluation_task *t = arg;
  const size_t n = t->e->objective->n_pairs, begin = index * PAIRS_A_TASK;
  const size_t end = begin + PAIRS_A_TASK < n ? begin + PAIRS_A_TASK : n;
  for (size_t p = begin; p < end; p++)
    measure_pair(t, p);
}

/* Adds factor f'(d) grad_i d for the end `side` of pair p to its row: nothing for d = 0, where the distance has no gradient. */
static void add_pull(const evaluation_task *t, size_t p, size_t side, double factor) {
  const size_t dim = (size_t)t->e->ball->dim;
  const double pull = factor * t->e->derivatives[p], *unit = t->e->units + (2 * p + side) * dim;
  double *row = t->gradient + t->e->objective->pairs[2 * p + side] * dim;
  for (size_t c = 0; c < dim; c++)
    row[c] += pull * unit[c];
}

static void gradients_task(void *arg, size_t index) {
  const evaluation_task *t = arg;
  const geodisk_objective *o = t->e->objective;
  const size_t dim = (size_t)t->e->ball->dim, begin = index * POINTS_A_TASK;
  const size_t end = begin + POINTS_A_TASK < o->n_points ? begin + POINTS_A_TASK : o->n_points;
  memset(t->gradient + begin * dim, 0, (end - begin) * dim * sizeof(double));
  for (size_t i = begin; i < end; i++)
    for (size_t k = o->incident_begin[i]; !o->fixed[i] && k < o->incident_begin[i + 1]; k++)
      add_pull(t, o->incident[k], o->pairs[2 * o->incident[k]] == i ? 0 : 1, 1.0);
}

/* Calls the caller's loss for one term whose distances are known. */
static geodisk_status call_loss(evaluator *e, size_t term, uint64_t iteration, double *loss) {
  const geodisk_objective *o = e->objective;
  const size_t begin = o->term_begin[term], count = o->term_begin[term + 1] - begin;
  for (size_t k = 0; k < count; k++)
    if (!isfinite(e->distances[begin + k]))
      return numeric_failure(e->context, iteration, "the distance of points %zu and %zu is not finite", o->pairs[2 * (begin + k)],
                             o->pairs[2 * (begin + k) + 1]);
  *loss = o->loss(o->user, term, count, e->distances + begin, e->derivatives + begin);
  if (!isfinite(*loss))
    return numeric_failure(e->context, iteration, "the loss of term %zu is not finite", term);
  for (size_t k = 0; k < count; k++)
    if (!isfinite(e->derivatives[begin + k]))
      return numeric_failure(e->context, iteration, "term %zu: the derivative for points %zu and %zu is not finite", term,
                             o->pairs[2 * (begin + k)], o->pairs[2 * (begin + k) + 1]);
  return GEODISK_OK;
}

geodisk_status evaluator_full(evaluator *e, const double *x, const double *gap, uint64_t iteration, double *loss,
                              double *gradient, double *norm) {
  const geodisk_objective *o = e->objective;
  evaluation_task task = {e, x, gap, gradient};
  geodisk_parallel(e->context, (o->n_pairs + PAIRS_A_TASK - 1) / PAIRS_A_TASK, pairs_task, &task);
  double sum = 0.0, rest = 0.0;
  for (size_t t = 0; t < o->n_terms; t++) {
    double value = 0.0;
    const geodisk_status status = call_loss(e, t, iteration, &value);
    if (status != GEODISK_OK)
      return status;
    const double next = sum + value; /* Neumaier's sum: many terms, one total */
    rest += fabs(sum) >= fabs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
  sum += rest;
  if (!isfinite(sum))
    return numeric_failure(e->context, iteration, "the loss is not finite");
  if (gradient == NULL) {
    *loss = sum;
    return GEODISK_OK;
  }
  geodisk_parallel(e->context, (o->n_points + POINTS_A_TASK - 1) / POINTS_A_TASK, gradients_task, &task);
  double square = 0.0;
  for (size_t i = 0; i < o->n_points; i++) {
    const double length = o->fixed[i] ? 0.0 : tangent_norm(e->ball, gap[i], gradient + i * (size_t)e->ball->dim);
    if (!isfinite(length))
      return numeric_failure(e->context, iteration, "the gradient of point %zu is not finite", i);
    square += length * length;
  }
  if (!isfinite(square))
    return numeric_failure(e->context, iteration, "the gradient norm is not finite");
  *loss = sum;
  *norm = sqrt(square);
  return GEODISK_OK;
}

geodisk_status evaluator_add_term(evaluator *e, size_t term, const double *x, const double *gap, uint64_t iteration,
                                  double factor, double *gradient) {
  const geodisk_objective *o = e->objective;
  evaluation_task task = {e, x, gap, NULL};
  task.gradient = gradient;
  for (size_t p = o->term_begin[term]; p < o->term_begin[term + 1]; p++)
    measure_pair(&task, p);
  double loss;
  const geodisk_status status = call_loss(e, term, iteration, &loss);
  if (status != GEODISK_OK)
    return status;
  for (size_t p = o->term_begin[term]; p < o->term_begin[term + 1]; p++)
    for (size_t side = 0; side < 2; side++)
      if (!o->fixed[o->pairs[2 * p + side]])
        add_pull(&task, p, side, factor);
  return GEODISK_OK;
}

geodisk_status geodisk_objective_evaluate(geodisk_context *context, const geodisk_ball *ball, const geodisk_objective *objective,
                                          const double *x, const double *gap, double *loss, double *gradient) {
  evaluator e = {.objective = objective};
  const size_t n = objective->n_points;
  double *own = NULL, *own_gap = NULL, *own_gradient = NULL, value = 0.0, norm;
  geodisk_status status = evaluator_create(context, ball, objective, &e);
  if (status != GEODISK_OK)
    return status;
  own = geodisk_allocate(n, (size_t)ball->dim * sizeof *own);
  own_gap = geodisk_allocate(n, sizeof *own_gap);
  own_gradient = geodisk_allocate(n, (size_t)ball->dim * sizeof *own_gradient);
  if (own == NULL || own_gap == NULL || own_gradient == NULL) {
    status = geodisk_no_memory(context, "for %zu points", n);
    goto done;
  }
  if ((status = objective_load_points(context, ball, n, x, gap, own, own_gap)) != GEODISK_OK)
    goto done;
  status = evaluator_full(&e, own, own_gap, NO_ITERATION, &value, gradient == NULL ? NULL : own_gradient, &norm);
  if (status != GEODISK_OK)
    goto done;
  if (loss != NULL)
    *loss = value;
  if (gradient != NULL)
    memcpy(gradient, own_gradient, n * (size_t)ball->dim * sizeof *gradient);
done:
  geodisk_free_all(own, own_gap, own_gradient);
  evaluator_destroy(&e);
  return status;
}

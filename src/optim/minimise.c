/* minimise.c - geodisk_minimise: checks the options, then evaluates, steps and stops; the methods only know how to take one step.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { POINTS_A_TASK = 32 };

static const method methods[] = {
    [GEODISK_METHOD_GRADIENT] = {.step = step_gradient},
    [GEODISK_METHOD_BACKTRACKING] = {.step = step_backtracking,
                                     .needs = NEEDS_TRIAL | NEEDS_FULL_GRADIENT,
                                     .whole_gradient = true},
    [GEODISK_METHOD_STOCHASTIC] = {.step = step_gradient, .sampled = true},
    [GEODISK_METHOD_MOMENTUM] = {.step = step_momentum, .needs = NEEDS_VELOCITY},
    [GEODISK_METHOD_ADAGRAD] = {.step = step_adagrad, .needs = NEEDS_SECOND},
    [GEODISK_METHOD_ADAM] = {.step = step_adam, .needs = NEEDS_VELOCITY | NEEDS_SECOND},
    [GEODISK_METHOD_RSVRG] = {.step = step_rsvrg, .needs = NEEDS_TRIAL | NEEDS_FULL_GRADIENT, .sampled = true},
    [GEODISK_METHOD_ACCELERATED] = {.step = step_accelerated,
                                    .needs = NEEDS_VELOCITY | NEEDS_TRIAL,
                                    .whole_gradient = true,
                                    .geodesic_only = true},
};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

geodisk_optim_options geodisk_optim_defaults(geodisk_method m) {
  const bool sampled = m == GEODISK_METHOD_STOCHASTIC || m == GEODISK_METHOD_RSVRG;
  return (geodisk_optim_options){.method = m,
                                 .update = GEODISK_UPDATE_GEODESIC,
                                 .margin = GEODISK_MARGIN_DEFAULT,
                                 .schedule = geodisk_schedule_constant(m == GEODISK_METHOD_BACKTRACKING ? 1.0 : 0.1),
                                 .iterations = 1000,
                                 .tolerance = 1e-9,
                                 .batch = sampled ? 1 : 0,
                                 .momentum = 0.9,
                                 .beta2 = 0.999,
                                 .stabiliser = 1e-12,
                                 .decrease = 1e-4,
                                 .shrink = 0.5,
                                 .convexity = 1.0,
                                 .distortion = 1.0};
}

/* ---- options --------------------------------------------------------------------------------------------------------- */

static bool between(double value, double low, double high) { return value > low && value < high; }

static geodisk_status check_options(const geodisk_optim_options *o) {
  if ((int)o->method < 0 || (int)o->method >= N_METHODS)
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "unknown method %d", (int)o->method);
  if ((int)o->update < 0 || o->update > GEODISK_UPDATE_EUCLIDEAN)
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "unknown update rule %d", (int)o->update);
  if ((unsigned)o->schedule.kind > GEODISK_SCHEDULE_CALLBACK)
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "unknown schedule %d", (int)o->schedule.kind);
  const method *m = &methods[o->method];
  if (m->whole_gradient && o->batch > 0)
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "this method needs the whole gradient, batch must be 0");
  if (m->sampled && o->batch == 0)
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "this method is stochastic, batch must be at least 1");
  if (m->geodesic_only && o->update != GEODISK_UPDATE_GEODESIC)
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "accelerated descent is defined for the geodesic update only");
  const struct {
    const char *name;
    double value;
    bool fine;
  } numbers[] = {
      {"margin", o->margin, between(o->margin, 0.0, 1.0)},
      {"tolerance", o->tolerance, o->tolerance >= 0.0},
      {"momentum", o->momentum, o->momentum >= 0.0 && o->momentum < 1.0},
      {"beta2", o->beta2, o->beta2 >= 0.0 && o->beta2 < 1.0},
      {"stabiliser", o->stabiliser, o->stabiliser > 0.0 && isfinite(o->stabiliser)},
      {"decrease", o->decrease, between(o->decrease, 0.0, 1.0)},
      {"shrink", o->shrink, between(o->shrink, 0.0, 1.0)},
      {"convexity", o->convexity, o->convexity > 0.0 && isfinite(o->convexity)},
      {"distortion", o->distortion, o->distortion >= 1.0 && isfinite(o->distortion)},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (!numbers[i].fine)
      return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "option %s is %g, outside its domain", numbers[i].name,
                          numbers[i].value);
  return GEODISK_OK;
}

/* ---- the run --------------------------------------------------------------------------------------------------------- */

static void run_destroy(run *r) {
  geodisk_free_all(r->x, r->gap, r->gradient, r->step, r->velocity, r->second, r->trial_x, r->trial_gap, r->full_gradient,
                   r->clipped);
  evaluator_destroy(&r->e);
}

static geodisk_status run_create(const geodisk_ball *ball, const geodisk_objective *objective,
                                 const geodisk_optim_options *options, run *r) {
  *r = (run){.options = *options, .n = objective->n_points};
  const geodisk_status status = evaluator_create(options->context, ball, objective, &r->e);
  if (status != GEODISK_OK)
    return status;
  r->dim = (size_t)ball->dim;
  r->random = geodisk_random_stream(options->seed, 0);
  if (r->options.schedule.steps == 0)
    r->options.schedule.steps = options->iterations;
  r->trial_step = -1.0;
  const int needs = methods[options->method].needs;
  const struct {
    double **array;
    size_t row;
    int need;
  } arrays[] = {
      {&r->x, r->dim, 0},
      {&r->gap, 1, 0},
      {&r->gradient, r->dim, 0},
      {&r->step, r->dim, 0},
      {&r->velocity, r->dim, NEEDS_VELOCITY},
      {&r->second, 1, NEEDS_SECOND},
      {&r->trial_x, r->dim, NEEDS_TRIAL},
      {&r->trial_gap, 1, NEEDS_TRIAL},
      {&r->full_gradient, r->dim, NEEDS_FULL_GRADIENT},
  };
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    if (arrays[i].need == 0 || (needs & arrays[i].need) != 0) {
      *arrays[i].array = geodisk_allocate_zero(r->n, arrays[i].row * sizeof(double));
      if (*arrays[i].array == NULL)
        return geodisk_no_memory(options->context, "for %zu points", r->n);
    }
  r->clipped = geodisk_allocate_zero(r->n, sizeof *r->clipped);
  if (r->clipped == NULL)
    return geodisk_no_memory(options->context, "for %zu points", r->n);
  return GEODISK_OK;
}

geodisk_status run_evaluate(run *r) {
  const geodisk_status status = evaluator_full(&r->e, r->x, r->gap, r->iteration, &r->loss, r->gradient, &r->norm);
  r->evaluations++;
  r->fresh = status == GEODISK_OK;
  return status;
}

geodisk_status run_sample_gradient(run *r, geodisk_random random, const double *x, const double *gap, double *gradient,
                                   geodisk_random *next) {
  const size_t terms = r->e.objective->n_terms;
  const double factor = (double)terms / (double)r->options.batch;
  memset(gradient, 0, r->n * r->dim * sizeof(double));
  for (size_t b = 0; terms > 0 && b < r->options.batch; b++) {
    const size_t term = (size_t)geodisk_random_below(&random, terms);
    const geodisk_status status = evaluator_add_term(&r->e, term, x, gap, r->iteration, factor, gradient);
    if (status != GEODISK_OK)
      return status;
  }
  *next = random;
  return GEODISK_OK;
}

geodisk_status run_estimate_gradient(run *r) {
  if (r->options.batch == 0)
    return r->fresh ? GEODISK_OK : run_evaluate(r);
  r->fresh = false;
  return run_sample_gradient(r, r->random, r->x, r->gap, r->gradient, &r->random);
}

typedef struct point_task {
  run *r;
  void (*task)(run *r, size_t i);
} point_task;

static void points_task(void *arg, size_t index) {
  const point_task *t = arg;
  const size_t begin = index * POINTS_A_TASK, end = begin + POINTS_A_TASK < t->r->n ? begin + POINTS_A_TASK : t->r->n;
  for (size_t i = begin; i < end; i++)
    if (!t->r->e.objective->fixed[i])
      t->task(t->r, i);
}

void run_for_free_points(run *r, void (*task)(run *r, size_t i)) {
  point_task t = {r, task};
  geodisk_parallel(r->options.context, (r->n + POINTS_A_TASK - 1) / POINTS_A_TASK, points_task, &t);
}

/* A point that did not move keeps its bytes and its velocity. The old coordinates are needed for the transport: they wait in the
 * row of `step`, which is used up. */
static void move_point(run *r, size_t i) {
  double *x = r->x + i * r->dim, *step = r->step + i * r->dim, old_gap = r->gap[i];
  bool still = true;
  for (size_t c = 0; c < r->dim; c++)
    still = still && step[c] == 0.0;
  r->clipped[i] = false;
  if (still)
    return;
  double *tangent = r->e.tangents + i * r->dim;
  memcpy(tangent, step, r->dim * sizeof(double));
  memcpy(step, x, r->dim * sizeof(double));
  r->clipped[i] = geodisk_update_point(r->e.ball, r->options.update, r->options.margin, step, old_gap, tangent, x, &r->gap[i]);
  if (r->velocity != NULL)
    geodisk_transport_gap(r->e.ball, step, old_gap, x, r->gap[i], r->velocity + i * r->dim, r->velocity + i * r->dim);
}

geodisk_status run_move(run *r) {
  run_for_free_points(r, move_point);
  r->fresh = false;
  for (size_t i = 0; i < r->n; i++) {
    r->clips += r->clipped[i];
    bool finite = isfinite(r->gap[i]);
    for (size_t c = 0; c < r->dim; c++)
      finite = finite && isfinite(r->x[i * r->dim + c]);
    if (!finite)
      return numeric_failure(r->options.context, r->iteration, "point %zu is no longer finite", i);
  }
  return GEODISK_OK;
}

/* ---- the loop -------------------------------------------------------------------------------------------------------- */

/* Tells the callbacks where the run stands. *stop: the caller's wants no more. */
static geodisk_status report(run *r, bool *stop) {
  char extra[64];
  snprintf(extra, sizeof extra, "loss %.9g, gradient %.3g", r->loss, r->norm);
  const geodisk_progress progress = {"minimising", "steps", r->iteration, r->options.iterations, extra};
  if (!geodisk_progress_event(r->options.context, &progress))
    return geodisk_fail(r->options.context, GEODISK_ERROR_STOPPED, "stopped at iteration %llu", (unsigned long long)r->iteration);
  const geodisk_iteration now = {r->iteration, r->loss, r->norm, r->last_rate, r->clips, r->x, r->gap};
  *stop = r->options.on_iteration != NULL && !r->options.on_iteration(r->options.user, &now);
  return GEODISK_OK;
}

static geodisk_status loop(run *r, bool *stopped) {
  const geodisk_optim_options *o = &r->options;
  const size_t terms = r->e.objective->n_terms;
  uint64_t every = 1;
  if (o->batch > 0)
    every = o->evaluate_every > 0 ? o->evaluate_every : (terms + o->batch - 1) / o->batch;
  geodisk_status status = run_evaluate(r);
  if (status != GEODISK_OK || (status = report(r, stopped)) != GEODISK_OK)
    return status;
  while (!*stopped && !r->finished && r->iteration < o->iterations && !(r->fresh && r->norm <= o->tolerance)) {
    const double rate = geodisk_schedule_rate(&o->schedule, r->iteration);
    if (!(rate > 0.0 && isfinite(rate)))
      return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "iteration %llu: the learning rate is %g, not > 0",
                          (unsigned long long)r->iteration, rate);
    r->last_rate = rate;
    if ((status = methods[o->method].step(r, rate)) != GEODISK_OK)
      return status;
    r->iteration++;
    if (r->iteration % every != 0 && r->iteration < o->iterations && !r->finished)
      continue;
    if (!r->fresh && (status = run_evaluate(r)) != GEODISK_OK)
      return status;
    if ((status = report(r, stopped)) != GEODISK_OK)
      return status;
  }
  return GEODISK_OK;
}

geodisk_status geodisk_minimise(const geodisk_ball *ball, const geodisk_objective *objective,
                                const geodisk_optim_options *options, double *x, double *gap, geodisk_optim_info *info) {
  const geodisk_optim_options defaults = geodisk_optim_defaults(GEODISK_METHOD_BACKTRACKING);
  if (options == NULL)
    options = &defaults;
  geodisk_status status = check_options(options);
  if (status != GEODISK_OK)
    return status;
  run r;
  bool stopped = false;
  if ((status = run_create(ball, objective, options, &r)) != GEODISK_OK)
    goto done;
  if ((status = objective_load_points(options->context, ball, r.n, x, gap, r.x, r.gap)) != GEODISK_OK)
    goto done;
  if ((status = loop(&r, &stopped)) != GEODISK_OK)
    goto done;
  memcpy(x, r.x, r.n * r.dim * sizeof *x);
  if (gap != NULL)
    memcpy(gap, r.gap, r.n * sizeof *gap);
  if (info != NULL)
    *info = (geodisk_optim_info){r.iteration, r.evaluations, r.loss, r.norm, r.clips, r.norm <= options->tolerance, stopped};
done:
  run_destroy(&r);
  return status;
}

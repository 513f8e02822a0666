/* mean.c - geodisk_mean: checks the options, runs passes over points in memory until the solver is done. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mean_run.h"

geodisk_mean_options geodisk_mean_defaults(void) {
  return (geodisk_mean_options){
      .method = GEODISK_MEAN_NEWTON, .update = GEODISK_UPDATE_GEODESIC, .margin = GEODISK_MARGIN_DEFAULT, .batch = 1};
}

/* ---- options --------------------------------------------------------------------------------------------------------- */

geodisk_status mean_check_options(const geodisk_ball *ball, const geodisk_mean_options *o) {
  if (!geodisk_ball_valid(ball))
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "the ball needs dim >= 1, radius > 0 and curvature > 0");
  if (!(ball->radius >= 1e-60 && ball->radius <= 1e60))
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "the radius is %g: means need one between 1e-60 and 1e60",
                        ball->radius);
  if ((int)o->method < 0 || o->method > GEODISK_MEAN_STOCHASTIC)
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "unknown method %d", (int)o->method);
  if ((int)o->update < 0 || o->update > GEODISK_UPDATE_EUCLIDEAN)
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "unknown update rule %d", (int)o->update);
  if ((unsigned)o->schedule.kind > GEODISK_SCHEDULE_CALLBACK)
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "unknown schedule %d", (int)o->schedule.kind);
  if (!(o->tolerance >= 0.0))
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "the tolerance is %g, not >= 0", o->tolerance);
  if (!(o->margin > 0.0 && o->margin < 1.0))
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "the margin is %g, not between 0 and 1", o->margin);
  if (!(o->schedule.rate >= 0.0 && isfinite(o->schedule.rate)))
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "the learning rate is %g, not >= 0", o->schedule.rate);
  if (o->method == GEODISK_MEAN_STOCHASTIC && o->batch == 0)
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "stochastic descent needs a batch of at least 1");
  if (o->start != NULL && !(geodisk_gap(ball, o->start) > 0.0))
    return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "the start is not inside the ball");
  return GEODISK_OK;
}

/* ---- the run --------------------------------------------------------------------------------------------------------- */

geodisk_status mean_run_create(const geodisk_ball *ball, const geodisk_mean_options *options, mean_run *r) {
  *r = (mean_run){.next = ASK_PLAIN};
  geodisk_status status = solver_create(ball, options, &r->solver);
  if (status != GEODISK_OK || (status = plain_create(ball, options, &r->plain)) != GEODISK_OK)
    return status;
  if (r->solver.options.schedule.steps == 0)
    r->solver.options.schedule.steps = r->solver.options.iterations;
  if (options->start != NULL)
    memcpy(r->plain.trial, options->start, r->plain.dim * sizeof(double));
  plain_adopt(&r->plain);
  return GEODISK_OK;
}

void mean_run_destroy(mean_run *r) {
  solver_destroy(&r->solver);
  plain_destroy(&r->plain);
}

void mean_run_begin_pass(mean_run *r) {
  const bool newton = r->solver.options.method == GEODISK_MEAN_NEWTON;
  const int wanted = newton ? PASS_HESSIAN | (r->solver.has_base ? 0 : PASS_CENTROID) : PASS_PLAIN;
  plain_begin(&r->plain, r->next == ASK_ACCURATE ? PASS_ACCURATE : wanted);
}

/* The step the paper proves convergence for: 1/(2D+1) with D the largest of the distances from the origin, for curvature -1. */
static void set_gradient_rate(mean_run *r) {
  const plain *e = &r->plain;
  if (r->solver.options.method != GEODISK_MEAN_GRADIENT || r->solver.options.schedule.rate > 0.0 ||
      r->solver.options.schedule.kind == GEODISK_SCHEDULE_CALLBACK)
    return;
  const double farthest = geodisk_radius_from_gap(&e->ball, fmin(e->least_gap, e->at.gap));
  r->solver.gradient_rate = 1.0 / (2.0 * sqrt(e->ball.curvature) * farthest + 1.0);
}

geodisk_status mean_go_on(const geodisk_mean_options *o, uint64_t iteration, const char *extra) {
  const geodisk_progress progress = {"barycenter", "iterations", iteration, 0, extra};
  return geodisk_progress_event(o->context, &progress)
             ? GEODISK_OK
             : geodisk_fail(o->context, GEODISK_ERROR_STOPPED, "stopped at iteration %llu", (unsigned long long)iteration);
}

geodisk_status mean_report(const geodisk_mean_options *o, const geodisk_mean_iteration *now, bool *stop) {
  char extra[64];
  snprintf(extra, sizeof extra, "loss %.9g, gradient %.3g", now->loss, now->gradient_norm);
  const geodisk_status status = mean_go_on(o, now->iteration, isnan(now->loss) ? NULL : extra); /* NaN: not evaluated */
  if (status == GEODISK_OK)
    *stop = o->on_iteration != NULL && !o->on_iteration(o->user, now);
  return status;
}

geodisk_status mean_run_end_pass(mean_run *r) {
  solver *s = &r->solver;
  plain *e = &r->plain;
  geodisk_status status = plain_end(e);
  if (status != GEODISK_OK)
    return status;
  if (!s->has_base)
    set_gradient_rate(r);
  evaluation found = e->found;
  if (e->accurate || !e->at.hessian)
    found.curvature = NULL;
  const uint64_t before = s->iterations;
  const bool first = !s->has_base;
  if (e->at.centroid)
    plain_centroid_step(e, s->centroid_step);
  r->next = solver_next(s, &found, e->accurate);
  if (s->accepted) {
    plain_adopt(e);
    if (first || s->iterations > before) {
      const geodisk_mean_iteration now = {s->iterations, s->base.loss, s->base.norm, e->base, e->base_gap, e->clips};
      bool stop = false;
      if ((status = mean_report(&s->options, &now, &stop)) != GEODISK_OK)
        return status;
      if (stop && r->next != ASK_DONE)
        r->next = solver_stop(s);
    }
  }
  return plain_move(e, s, &r->next);
}

void mean_run_result(const mean_run *r, double *out, geodisk_mean_info *info) {
  const solver *s = &r->solver;
  memcpy(out, r->plain.base, r->plain.dim * sizeof *out);
  if (info != NULL)
    *info = (geodisk_mean_info){.iterations = s->iterations,
                                .passes = s->passes,
                                .loss = s->base.loss,
                                .gradient_norm = s->base.norm,
                                .error_bound = s->base.norm + s->base.error,
                                .clips = r->plain.clips,
                                .converged = s->converged,
                                .stopped = s->stopped};
}

/* ---- points in memory ------------------------------------------------------------------------------------------------ */

static geodisk_status mean_in_memory(mean_run *r, size_t n, const double *points, const double *weights, double *gaps) {
  geodisk_status status = GEODISK_OK;
  while (r->next != ASK_DONE && status == GEODISK_OK) {
    mean_run_begin_pass(r);
    status = plain_feed(&r->plain, n, points, weights, gaps);
    if (status == GEODISK_OK)
      status = mean_run_end_pass(r);
  }
  return status;
}

geodisk_status geodisk_mean(const geodisk_ball *ball, size_t n, const double *points, const double *weights,
                            const geodisk_mean_options *options, double *out, geodisk_mean_info *info) {
  const geodisk_mean_options defaults = geodisk_mean_defaults();
  options = options != NULL ? options : &defaults;
  geodisk_status status = mean_check_options(ball, options);
  if (status != GEODISK_OK)
    return status;
  mean_run r;
  double *gaps = geodisk_allocate(n, sizeof *gaps);
  status = mean_run_create(ball, options, &r);
  if (status == GEODISK_OK && gaps == NULL)
    status = geodisk_no_memory(options->context, "for the mean of %zu points", n);
  if (status == GEODISK_OK)
    status = options->method == GEODISK_MEAN_STOCHASTIC ? mean_stochastic(&r, n, points, weights, gaps)
                                                        : mean_in_memory(&r, n, points, weights, gaps);
  if (status == GEODISK_OK)
    mean_run_result(&r, out, info);
  mean_run_destroy(&r);
  free(gaps);
  return status;
}

void geodisk_midpoint(const geodisk_ball *ball, const double *x, const double *y, double *out) {
  geodisk_geodesic(ball, x, y, 0.5, out);
}

/* stochastic.c - the barycenter by stochastic descent: each step draws points in proportion to their weights and moves towards
 * them under one of the three update rules. The paper's experiment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mean_run.h"

static const double DEFAULT_RATE = 0.1;
enum { DRAWS_BETWEEN = 4096 }; /* of a batch, between questions whether to go on */

/* One pass at the trial point: certifies it (accurate), or tells the callback's numbers. */
static geodisk_status evaluate(mean_run *r, size_t n, const double *points, const double *weights, double *gaps, bool accurate) {
  plain_begin(&r->plain, accurate ? PASS_ACCURATE : PASS_PLAIN);
  r->solver.passes++;
  const geodisk_status status = plain_feed(&r->plain, n, points, weights, gaps);
  return status == GEODISK_OK ? plain_end(&r->plain) : status;
}

/* cumulative[i]: the weights up to i; so a uniform number finds its point by bisection. */
static size_t draw(geodisk_random *random, size_t n, const double *cumulative) {
  if (cumulative == NULL)
    return (size_t)geodisk_random_below(random, n);
  const double target = geodisk_random_uniform(random) * cumulative[n - 1];
  size_t low = 0, high = n - 1;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (cumulative[middle] > target)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* trial = base moved towards a batch of points. step, tangent: dim. A batch can be as long as any other task: it can be stopped.
 */
static geodisk_status take_step(mean_run *r, geodisk_random *random, size_t n, const double *points, const double *gaps,
                                const double *cumulative, double rate, double *tangent) {
  plain *e = &r->plain;
  double *step = r->solver.step;
  const size_t batch = r->solver.options.batch;
  memset(step, 0, e->dim * sizeof(double));
  for (size_t b = 0; b < batch; b++) {
    const geodisk_status status =
        b % DRAWS_BETWEEN == DRAWS_BETWEEN - 1 ? mean_go_on(&r->solver.options, r->solver.iterations, NULL) : GEODISK_OK;
    if (status != GEODISK_OK)
      return status;
    const size_t i = draw(random, n, cumulative);
    geodisk_log_gap(&e->ball, e->base, e->base_gap, points + i * e->dim, gaps[i], tangent);
    for (size_t j = 0; j < e->dim; j++)
      step[j] += rate / (double)batch * tangent[j];
  }
  e->clips +=
      geodisk_update_point(&e->ball, r->solver.options.update, e->margin, e->base, e->base_gap, step, e->base, &e->base_gap);
  return GEODISK_OK;
}

static geodisk_status walk(mean_run *r, size_t n, const double *points, const double *weights, double *gaps,
                           const double *cumulative, double *tangent) {
  plain *e = &r->plain;
  solver *s = &r->solver;
  const geodisk_mean_options *o = &s->options;
  geodisk_schedule schedule = o->schedule;
  if (schedule.kind == GEODISK_SCHEDULE_CONSTANT && schedule.rate == 0.0)
    schedule.rate = DEFAULT_RATE;
  geodisk_random random = geodisk_random_stream(o->seed, 0);
  for (;; s->iterations++) {
    geodisk_status status = GEODISK_OK;
    bool known = s->iterations == 0 && o->evaluate_every > 0;
    if (s->iterations > 0 && o->evaluate_every > 0 && s->iterations % o->evaluate_every == 0) {
      memcpy(e->trial, e->base, e->dim * sizeof(double));
      if ((status = evaluate(r, n, points, weights, gaps, false)) != GEODISK_OK)
        return status;
      known = true;
    }
    const geodisk_mean_iteration now = {
        s->iterations, known ? e->found.loss : (double)NAN, known ? e->found.norm : (double)NAN, e->base, e->base_gap, e->clips};
    if ((status = mean_report(o, &now, &s->stopped)) != GEODISK_OK)
      return status;
    if (s->stopped || s->iterations >= o->iterations)
      return GEODISK_OK;
    const double rate = geodisk_schedule_rate(&schedule, s->iterations);
    if (!(rate > 0.0 && isfinite(rate)))
      return geodisk_fail(o->context, GEODISK_ERROR_ARGUMENT, "iteration %llu: the learning rate is %g, not > 0",
                          (unsigned long long)s->iterations, rate);
    if ((status = take_step(r, &random, n, points, gaps, cumulative, rate, tangent)) != GEODISK_OK)
      return status;
    for (size_t j = 0; j < e->dim; j++)
      if (!isfinite(e->base[j]))
        return geodisk_fail(o->context, GEODISK_ERROR_NUMERIC, "iteration %llu: the point is no longer finite",
                            (unsigned long long)s->iterations);
  }
}

geodisk_status mean_stochastic(mean_run *r, size_t n, const double *points, const double *weights, double *gaps) {
  plain *e = &r->plain;
  geodisk_status status = evaluate(r, n, points, weights, gaps, false); /* checks everything, fills the gaps */
  if (status != GEODISK_OK)
    return status;
  double *tangent = geodisk_allocate(e->dim, sizeof *tangent);
  double *cumulative = weights == NULL ? NULL : geodisk_allocate(n, sizeof *cumulative), sum = 0.0;
  if (tangent == NULL || (weights != NULL && cumulative == NULL)) {
    status = geodisk_no_memory(e->context, "for the mean of %zu points", n);
    goto done;
  }
  for (size_t i = 0; cumulative != NULL && i < n; i++)
    cumulative[i] = sum += weights[i] * e->at.weight_scale;
  if ((status = walk(r, n, points, weights, gaps, cumulative, tangent)) != GEODISK_OK)
    goto done;
  memcpy(e->trial, e->base, e->dim * sizeof(double));
  if ((status = evaluate(r, n, points, weights, gaps, true)) != GEODISK_OK)
    goto done;
  double *descent = r->solver.base.descent;
  r->solver.base = e->found;
  r->solver.base.descent = descent;
  r->solver.converged = e->found.norm + e->found.error <= r->solver.options.tolerance;
done:
  geodisk_free_all(tangent, cumulative);
  return status;
}

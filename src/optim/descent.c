/* descent.c - gradient descent with given steps, with Armijo's, with momentum, Adagrad and Adam. Momentum lives in the tangent
 * space of its point and is carried along by parallel transport; second moments are one number per point, the way an isometry of
 * the space cannot change (Becigneul and Ganea 2019). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run.h"

/* ---- the schedule's steps -------------------------------------------------------------------------------------------- */

/* Estimates the gradient, lets `step` make every free point's step of it, and takes them. */
static geodisk_status take_steps(run *r, void (*step)(run *r, size_t i)) {
  const geodisk_status status = run_estimate_gradient(r);
  if (status != GEODISK_OK)
    return status;
  run_for_free_points(r, step);
  return run_move(r);
}

static void gradient_step(run *r, size_t i) {
  for (size_t c = i * r->dim; c < (i + 1) * r->dim; c++)
    r->step[c] = -r->last_rate * r->gradient[c];
}

geodisk_status step_gradient(run *r, double rate) { return (void)rate, take_steps(r, gradient_step); }

static void momentum_step(run *r, size_t i) {
  for (size_t c = i * r->dim; c < (i + 1) * r->dim; c++) {
    r->velocity[c] = r->options.momentum * r->velocity[c] + r->gradient[c];
    r->step[c] = -r->last_rate * r->velocity[c];
  }
}

geodisk_status step_momentum(run *r, double rate) { return (void)rate, take_steps(r, momentum_step); }

static void adagrad_step(run *r, size_t i) {
  const double norm = tangent_norm(r->e.ball, r->gap[i], r->gradient + i * r->dim);
  r->second[i] += norm * norm;
  const double rate = r->last_rate / (sqrt(r->second[i]) + r->options.stabiliser);
  for (size_t c = i * r->dim; c < (i + 1) * r->dim; c++)
    r->step[c] = -rate * r->gradient[c];
}

geodisk_status step_adagrad(run *r, double rate) { return (void)rate, take_steps(r, adagrad_step); }

/* Both moments start at 0; dividing by 1 - beta^t makes up for it. */
static void adam_step(run *r, size_t i) {
  const geodisk_optim_options *o = &r->options;
  const double t = (double)(r->iteration + 1), norm = tangent_norm(r->e.ball, r->gap[i], r->gradient + i * r->dim);
  r->second[i] = o->beta2 * r->second[i] + (1.0 - o->beta2) * norm * norm;
  const double first_share = 1.0 - pow(o->momentum, t), second_share = 1.0 - pow(o->beta2, t);
  const double rate = r->last_rate / (first_share * (sqrt(r->second[i] / second_share) + o->stabiliser));
  for (size_t c = i * r->dim; c < (i + 1) * r->dim; c++) {
    r->velocity[c] = o->momentum * r->velocity[c] + (1.0 - o->momentum) * r->gradient[c];
    r->step[c] = -rate * r->velocity[c];
  }
}

geodisk_status step_adam(run *r, double rate) { return (void)rate, take_steps(r, adam_step); }

/* ---- backtracking ---------------------------------------------------------------------------------------------------- */

/* Differences of the loss below this share of it are rounding: the gradient norm then decides. */
static const double LOSS_ROUNDING = 64 * DBL_EPSILON;
static const double LONGEST_STEP = 50.0; /* hyperbolic length a point is moved at most in one trial */
enum { MOST_TRIALS = 100 };

/* The decrease per unit of step the linear model promises: |g|^2, weighted as the update rule goes. */
static double promised_decrease(const run *r) {
  if (r->options.update != GEODISK_UPDATE_EUCLIDEAN)
    return r->norm * r->norm;
  double sum = 0.0;
  for (size_t i = 0; i < r->n; i++)
    if (!r->e.objective->fixed[i]) {
      const double lam = 2.0 * r->e.ball->radius / (r->gap[i] * sqrt(r->e.ball->curvature));
      const double norm = lam * tangent_norm(r->e.ball, r->gap[i], r->gradient + i * r->dim);
      sum += norm * norm;
    }
  return sum;
}

static double largest_norm(const run *r) {
  double largest = 0.0;
  for (size_t i = 0; i < r->n; i++)
    if (!r->e.objective->fixed[i])
      largest = fmax(largest, tangent_norm(r->e.ball, r->gap[i], r->gradient + i * r->dim));
  return largest;
}

static void trial_point(run *r, size_t i) {
  gradient_step(r, i);
  r->clipped[i] = geodisk_update_point(r->e.ball, r->options.update, r->options.margin, r->x + i * r->dim, r->gap[i],
                                       r->step + i * r->dim, r->trial_x + i * r->dim, &r->trial_gap[i]);
}

static void swap_arrays(double **a, double **b) {
  double *t = *a;
  *a = *b;
  *b = t;
}

/* next: the step to try first in the next iteration, longer if this one was right at once. */
static void accept_trial(run *r, double next, double loss, double norm) {
  swap_arrays(&r->x, &r->trial_x);
  swap_arrays(&r->gap, &r->trial_gap);
  swap_arrays(&r->gradient, &r->full_gradient);
  for (size_t i = 0; i < r->n; i++)
    r->clips += r->clipped[i];
  r->trial_step = next;
  r->loss = loss;
  r->norm = norm;
}

/* A trial whose loss is not finite is too long a step; only when no step at all has a finite loss the run fails. When no step
 * decreases the loss the run is at the end of what rounding allows. */
geodisk_status step_backtracking(run *r, double rate) {
  const double promise = promised_decrease(r);
  geodisk_status status = GEODISK_OK;
  double a = r->trial_step > 0.0 ? r->trial_step : rate;
  if (r->options.update != GEODISK_UPDATE_EUCLIDEAN)
    a = fmin(a, LONGEST_STEP / largest_norm(r));
  memcpy(r->trial_x, r->x, r->n * r->dim * sizeof(double)); /* the fixed points */
  memcpy(r->trial_gap, r->gap, r->n * sizeof(double));
  for (int trial = 0; trial < MOST_TRIALS; trial++, a *= r->options.shrink) {
    double loss, norm;
    r->last_rate = a;
    run_for_free_points(r, trial_point);
    status = evaluator_full(&r->e, r->trial_x, r->trial_gap, r->iteration, &loss, r->full_gradient, &norm);
    r->evaluations++;
    if (status != GEODISK_OK)
      continue;
    const bool rounding = fabs(loss - r->loss) <= LOSS_ROUNDING * fabs(r->loss);
    if (rounding ? norm < r->norm : loss <= r->loss - r->options.decrease * a * promise) {
      accept_trial(r, trial == 0 ? a / r->options.shrink : a, loss, norm);
      return GEODISK_OK;
    }
  }
  r->finished = true;
  return status;
}

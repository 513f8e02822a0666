/* accelerated.c - RNAG-SC (Kim and Yang, ICML 2022), Nesterov's method for geodesically strongly convex functions, proved on
 * spaces of bounded curvature such as ours. With step s, q = mu s, distortion xi, from (y, v), v a tangent at y, g = grad f(y):
 *
 *     x' = exp_y(-s g),     u = (1 - sqrt(q/xi)) v - sqrt(q/xi) g/mu,     v^ = transport_{y -> x'}(u + s g)
 *     c  = sqrt(xi q) / (1 + sqrt(xi q)),     y' = exp_{x'}(c v^),     v' = transport_{x' -> y'}((1 - c) v^)
 *
 * (u + s g is u - log_y(x').) The run carries y, so that one evaluation an iteration suffices; xi = 1 on a flat space is
 * Nesterov's constant-step scheme. */
#include <math.h>

#include "run.h"

/* One point of one step. trial_x, trial_gap hold x'. */
static void accelerate_point(run *r, size_t i) {
  const geodisk_ball *ball = r->e.ball;
  const double s = r->last_rate, mu = r->options.convexity, xi = r->options.distortion, q = mu * s;
  const double pull = sqrt(q / xi), root = sqrt(xi * q), c = root / (1.0 + root);
  double *y = r->x + i * r->dim, *v = r->velocity + i * r->dim, *middle = r->trial_x + i * r->dim;
  double *step = r->step + i * r->dim;
  const double *g = r->gradient + i * r->dim;
  for (size_t k = 0; k < r->dim; k++) {
    step[k] = -s * g[k];
    v[k] = (1.0 - pull) * v[k] + (s - pull / mu) * g[k];
  }
  geodisk_exp_gap(ball, y, r->gap[i], step, middle, &r->trial_gap[i]);
  geodisk_transport_gap(ball, y, r->gap[i], middle, r->trial_gap[i], v, v);
  for (size_t k = 0; k < r->dim; k++) {
    step[k] = c * v[k];
    v[k] = (1.0 - c) * v[k];
  }
  geodisk_exp_gap(ball, middle, r->trial_gap[i], step, y, &r->gap[i]);
  geodisk_transport_gap(ball, middle, r->trial_gap[i], y, r->gap[i], v, v);
}

geodisk_status step_accelerated(run *r, double rate) {
  geodisk_status status;
  if (r->options.convexity * rate > r->options.distortion)
    return geodisk_fail(r->options.context, GEODISK_ERROR_ARGUMENT,
                        "the learning rate %g is more than distortion/convexity: it must be at most 1/smoothness", rate);
  if (!r->fresh && (status = run_evaluate(r)) != GEODISK_OK)
    return status;
  run_for_free_points(r, accelerate_point);
  r->fresh = false;
  for (size_t i = 0; i < r->n; i++)
    if (!isfinite(r->gap[i]) || !isfinite(r->x[i * r->dim]))
      return numeric_failure(r->options.context, r->iteration, "point %zu is no longer finite", i);
  return GEODISK_OK;
}

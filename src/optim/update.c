/* update.c - the paper's three update rules for one point, and the learning-rate schedules. */
#include <math.h>

#include "geodisk/optim.h"

bool geodisk_update_point(const geodisk_ball *ball, geodisk_update rule, double margin, const double *x, double x_gap,
                          const double *step, double *out, double *out_gap) {
  if (rule == GEODISK_UPDATE_GEODESIC) {
    geodisk_exp_gap(ball, x, x_gap, step, out, out_gap);
    return false;
  }
  /* Both other rules forget the gap: they live in coordinates, which is why they need a boundary. Far out lam^2 overflows; a step
   * that is not finite must end as NaN and not as a point on the boundary, which project would make of it. */
  const double factor = 2.0 * ball->radius / x_gap; /* lam sqrt(k) */
  const double scale = rule == GEODISK_UPDATE_NATURAL ? 1.0 : factor * factor / ball->curvature;
  bool finite = geodisk_ball_valid(ball) && x_gap > 0.0;
  for (int i = 0; i < ball->dim; i++) {
    out[i] = x[i] + scale * step[i];
    finite = finite && isfinite(out[i]);
  }
  bool clipped = false;
  if (finite)
    clipped = geodisk_project(ball, out, margin, out);
  else
    for (int i = 0; i < ball->dim; i++)
      out[i] = (double)NAN;
  if (out_gap != NULL)
    *out_gap = geodisk_gap(ball, out);
  return clipped;
}

geodisk_schedule geodisk_schedule_constant(double rate) {
  return (geodisk_schedule){.kind = GEODISK_SCHEDULE_CONSTANT, .rate = rate};
}

double geodisk_schedule_rate(const geodisk_schedule *schedule, uint64_t step) {
  const double pi = 3.14159265358979323846;
  const double rate = schedule->rate, end = schedule->end, t = (double)step;
  if (schedule->kind == GEODISK_SCHEDULE_CALLBACK)
    return schedule->callback == NULL ? (double)NAN : schedule->callback(schedule->user, step);
  if (!(rate > 0.0))
    return (double)NAN;
  if (schedule->kind == GEODISK_SCHEDULE_CONSTANT)
    return rate;
  if (schedule->kind == GEODISK_SCHEDULE_INVERSE)
    return schedule->decay >= 0.0 ? rate / (1.0 + schedule->decay * t) : (double)NAN;
  if (schedule->steps == 0 || !(end >= 0.0))
    return (double)NAN;
  const double share = step < schedule->steps ? t / (double)schedule->steps : 1.0;
  switch (schedule->kind) {
  case GEODISK_SCHEDULE_LINEAR:
    return share < 1.0 ? rate + (end - rate) * share : end;
  case GEODISK_SCHEDULE_GEOMETRIC:
    return end > 0.0 ? (share < 1.0 ? rate * pow(end / rate, share) : end) : (double)NAN;
  case GEODISK_SCHEDULE_COSINE:
    return share < 1.0 ? end + (rate - end) * 0.5 * (1.0 + cos(pi * share)) : end;
  default:
    return (double)NAN;
  }
}

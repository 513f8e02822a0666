/* centroid.c - the Lorentz centroid. Seen from any point p its direction and distance are a closed form of the sums of
 * w cosh(theta) and w sinh(theta) n; rounding is least when p is near, so the form is taken again from where it led. */
#include <math.h>
#include <string.h>

#include "mean_run.h"

/* The last look was from so near (hyperbolic length) that what it said is exact to rounding. */
static const double NEAR_ENOUGH = 1e-6;
enum { MOST_LOOKS = 60 }; /* from the origin the artanh of the first look ends at 18; deeper centroids take a few more */

static geodisk_status look(plain *e, size_t n, const double *points, const double *weights, double *gaps, double *step,
                           double *length) {
  plain_begin(e, PASS_CENTROID);
  geodisk_status status = plain_feed(e, n, points, weights, gaps);
  if (status != GEODISK_OK || (status = plain_end(e)) != GEODISK_OK)
    return status;
  plain_centroid_step(e, step);
  *length = 0.0;
  const double lam = 2.0 * e->ball.radius / (e->at.gap * sqrt(e->ball.curvature));
  for (size_t j = 0; j < e->dim; j++) {
    *length += step[j] * step[j];
    step[j] /= lam;
  }
  *length = sqrt(*length) * sqrt(e->ball.curvature);
  return GEODISK_OK;
}

geodisk_status geodisk_lorentz_centroid(geodisk_context *context, const geodisk_ball *ball, size_t n, const double *points,
                                        const double *weights, double *out) {
  geodisk_mean_options options = geodisk_mean_defaults();
  options.context = context;
  geodisk_status status = mean_check_options(ball, &options);
  if (status != GEODISK_OK)
    return status;
  plain e = {0};
  double *gaps = geodisk_allocate(n, sizeof *gaps), *step = geodisk_allocate((size_t)ball->dim, sizeof *step), length;
  if (gaps == NULL || step == NULL) {
    status = geodisk_no_memory(context, "for the centroid of %zu points", n);
    goto done;
  }
  if ((status = plain_create(ball, &options, &e)) != GEODISK_OK)
    goto done;
  for (int looks = 0; looks < MOST_LOOKS; looks++) {
    if ((status = look(&e, n, points, weights, gaps, step, &length)) != GEODISK_OK)
      goto done;
    geodisk_exp(ball, e.trial, step, e.trial);
    if (length < NEAR_ENOUGH)
      break;
  }
  memcpy(out, e.trial, e.dim * sizeof *out);
done:
  plain_destroy(&e);
  geodisk_free_all(gaps, step);
  return status;
}

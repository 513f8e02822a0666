/* mp_mean.h - the barycenter in multi-precision: the answer geodisk_mean is held to. */
#ifndef GEODISK_TESTS_MP_MEAN_H
#define GEODISK_TESTS_MP_MEAN_H

#include "mp_ball.h"

/* Points on the hyperboloid, as mp_lift makes them: n rows of dim+1 numbers. */
typedef struct mp_points {
  size_t n;
  int dim;
  mpfr_ptr rows;
} mp_points;

void mp_points_create(mp_ball *ball, size_t n, mp_points *points);
void mp_points_destroy(mp_points *points);
mpfr_ptr mp_points_row(const mp_points *points, size_t i);

/* The barycenter, from `p` (lifted), which must be near it; p becomes the barycenter to `digits` decimal digits of hyperbolic
 * length. Stops the program if it does not converge (tests only). weights NULL: ones. */
void mp_mean(mp_ball *ball, const mp_points *points, const double *weights, int digits, mpfr_ptr p);

/* The length of the gradient of half the mean squared distance at p, for curvature -1, into a double. */
double mp_mean_gradient(mp_ball *ball, const mp_points *points, const double *weights, mpfr_srcptr p, mpfr_ptr gradient);

#endif

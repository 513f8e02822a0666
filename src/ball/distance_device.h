/* distance_device.h - geodisk_distance_gap for code that devices run too: there nvcc compiles the sources of the ball themselves,
 * the same operations in the same order, and so the same number. */
#pragma once

#ifdef __CUDACC__
#include "pair.c"
#include "point.c"

/* Of a ball that is one. */
static __device__ double ball_distance_device(const geodisk_ball *ball, const double *x, double x_gap, const double *y,
                                              double y_gap) {
  frame f;
  point px, py;
  pair p;
  INTERNAL(make_frame)(ball, &f);
  if (!INTERNAL(load_point_gap)(&f, x, x_gap, &px) || !INTERNAL(load_point_gap)(&f, y, y_gap, &py))
    return (double)NAN;
  INTERNAL(load_pair)(&f, &px, &py, &p);
  return length_of(&p);
}
#else
#include "geodisk/ball.h"
#define ball_distance_device geodisk_distance_gap
#endif

/* distances_gap.c - distances from one point to several, by the digits of geodisk_distance_gap: what belongs to the one point is
 * computed once. This file, point.c and pair.c are compiled a second time for processors with fused multiply-add (GEODISK_FMA),
 * where an exact product takes two operations instead of seventeen. The numbers are the same, since it is exact either way. */
#include "point.h"

void INTERNAL(distances_gap)(const geodisk_ball *ball, const real *x, real x_gap, size_t n, const real *y, const real *y_gap,
                             real *out) {
  frame f;
  point px, py;
  pair p;
  const bool loaded = INTERNAL(load_frame)(ball, &f) && INTERNAL(load_point_gap)(&f, x, (double)x_gap, &px);
  for (size_t i = 0; i < n; i++) {
    out[i] = (real)NAN;
    if (!loaded || !INTERNAL(load_point_gap)(&f, y + i * (size_t)f.dim, (double)y_gap[i], &py))
      continue;
    INTERNAL(load_pair)(&f, &px, &py, &p);
    out[i] = length_of(&p);
  }
}

#ifndef GEODISK_FMA
#ifdef GEODISK_HAVE_FMA_TWIN
void ball_distances_gap_fma(const geodisk_ball *ball, const double *x, double x_gap, size_t n, const double *y,
                            const double *y_gap, double *out);
#endif

void NAME(distances_gap)(const geodisk_ball *ball, const real *x, real x_gap, size_t n, const real *y, const real *y_gap,
                         real *out) {
#ifdef GEODISK_HAVE_FMA_TWIN
  if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2")) {
    ball_distances_gap_fma(ball, x, x_gap, n, y, y_gap, out);
    return;
  }
#endif
  INTERNAL(distances_gap)(ball, x, x_gap, n, y, y_gap, out);
}
#endif

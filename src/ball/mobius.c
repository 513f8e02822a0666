/* mobius.c - Moebius addition as a walk: x (+) y goes from x in the direction of y as far as y is from the origin. */
#include "point.h"

static void add(const geodisk_ball *ball, const real *x, double x_sign, const real *y, real *out) {
  frame f;
  point px, py;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, x, x_sign, &px) || !INTERNAL(load_point)(&f, y, 1.0, &py)) {
    INTERNAL(fill_nan)(ball, out);
    return;
  }
  if (py.at_origin) {
    for (int i = 0; i < f.dim; i++)
      out[i] = (real)x_sign * x[i];
    return;
  }
  walk w = {.along = &py.toward, .t = py.rho}; /* 1 - |y|/R = T / (R^2 (1 + |y|/R)) */
  w.rest = dd_div(py.gap, dd_mul(f.radius2, dd_add_d(py.rho, 1.0)));
  double ratio = py.rho.hi / px.rho.hi;
  if (ratio > 0.5 && ratio < 2.0)
    w.same_size = &py;
  INTERNAL(translate)(&f, &px, &w, out, NULL);
}

void NAME(mobius_add)(const geodisk_ball *ball, const real *x, const real *y, real *out) { add(ball, x, 1.0, y, out); }

void NAME(centre)(const geodisk_ball *ball, const real *centre, const real *x, real *out) { add(ball, centre, -1.0, x, out); }

void NAME(mobius_scale)(const geodisk_ball *ball, real s, const real *x, real *out) {
  frame f;
  point p;
  if (!(fabs((double)s) <= DBL_MAX) || !INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, x, 1.0, &p)) {
    INTERNAL(fill_nan)(ball, out);
    return;
  }
  if (p.at_origin || s == (real)0.0) {
    for (int i = 0; i < f.dim; i++)
      out[i] = (real)0.0;
    return;
  }
  /* half the distance to the origin: asinh(|x| / sqrt(S)) */
  dd half = dd_asinh(dd_div(dd_scale(p.toward.length, f.scale), dd_sqrt(p.gap)));
  double times = fabs((double)s);
  dd length = half.hi * times < 1e6 ? dd_mul_d(dd_scale(half, 2.0), times) : dd_from(1e6);
  walk w = {.along = &p.toward};
  INTERNAL(set_walk_length)(length, &w);
  dd radius = dd_mul_d(w.t, s < (real)0.0 ? -f.radius : f.radius);
  for (int i = 0; i < f.dim; i++)
    out[i] = to_real(&f, dd_mul(radius, direction(&p.toward, i)));
  INTERNAL(settle)(&f, out);
}

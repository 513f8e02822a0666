/* retract.c - what the exponential map is compared with: project a point into the ball, and the natural-gradient step x + v. */
#include "point.h"

bool NAME(project)(const geodisk_ball *ball, const real *x, real margin, real *out) {
  frame f;
  heading h;
  if (!INTERNAL(load_frame)(ball, &f) || !(margin > (real)0.0 && margin < (real)1.0) ||
      !INTERNAL(load_heading)(f.dim, x, 1.0, &h)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return false;
  }
  dd limit = dd_mul_d(two_sum(1.0, -(double)margin), f.radius);
  dd length = dd_ldexp(h.norm, h.exponent - f.exponent); /* may be infinite */
  bool outside = !(dd_round(dd_sub(length, limit)) <= 0.0);
  for (int i = 0; i < f.dim; i++)
    out[i] = outside ? to_real(&f, dd_mul(limit, direction(&h, i))) : x[i];
  if (outside)
    INTERNAL(settle)(&f, out);
  return outside;
}

bool NAME(retract)(const geodisk_ball *ball, const real *x, const real *v, real margin, real *out) {
  frame f;
  point p;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, x, 1.0, &p)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return false;
  }
  for (int i = 0; i < f.dim; i++)
    out[i] = x[i] + v[i];
  return NAME(project)(ball, out, margin, out);
}

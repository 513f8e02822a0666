/* radii.c - hyperbolic radius r, gap S and Euclidean radius e of a point: S = R^2 sech^2(h), e = R tanh(h), h = sqrt(k) r / 2. */
#include "point.h"

/* r from tangent = e / sqrt(S) = sinh(h). */
static real radius_of(const frame *f, dd euclidean, dd gap) {
  dd half = dd_asinh(dd_div(euclidean, dd_sqrt(gap)));
  return (real)dd_round(dd_div(dd_scale(half, 2.0), f->root_k));
}

real NAME(radius_from_gap)(const geodisk_ball *ball, real gap) {
  frame f;
  if (!INTERNAL(load_frame)(ball, &f))
    return (real)NAN;
  dd s = dd_from((double)gap * f.scale * f.scale);
  dd square = dd_sub(f.radius2, s);
  if (square.hi < 0.0 && s.hi <= f.radius2.hi * (1.0 + 2.0 * REAL_EPSILON))
    square = dd_from(0.0); /* R^2, rounded up */
  if (!(s.hi > 0.0 && square.hi >= 0.0))
    return (real)NAN;
  return radius_of(&f, dd_sqrt(square), s);
}

real NAME(radius_from_euclidean)(const geodisk_ball *ball, real euclidean) {
  frame f;
  if (!INTERNAL(load_frame)(ball, &f) || !(euclidean >= (real)0.0))
    return (real)NAN;
  double e = (double)euclidean * f.scale;
  dd gap = dd_mul(two_sum(f.radius, -e), two_sum(f.radius, e));
  if (!(gap.hi > 0.0))
    return (real)NAN;
  return radius_of(&f, dd_from(e), gap);
}

/* t = tanh(h) and 1 - t for a hyperbolic radius >= 0. */
static bool load_radius(const geodisk_ball *ball, real radius, frame *f, walk *w) {
  if (!INTERNAL(load_frame)(ball, f) || !(radius >= (real)0.0 && (double)radius <= DBL_MAX))
    return false;
  *w = (walk){.sign = 1.0};
  double estimate = (double)radius * f->root_k.hi;
  INTERNAL(set_walk_length)(estimate < 1e6 ? dd_mul_d(f->root_k, (double)radius) : dd_from(1e6), w);
  return true;
}

real NAME(gap_from_radius)(const geodisk_ball *ball, real radius) {
  frame f;
  walk w;
  if (!load_radius(ball, radius, &f, &w))
    return (real)NAN;
  dd gap = dd_mul(f.radius2, dd_mul(w.rest, dd_add_d(w.t, 1.0)));
  return INTERNAL(gap_to_real)(&f, gap, w.rest_exponent);
}

real NAME(euclidean_from_radius)(const geodisk_ball *ball, real radius) {
  frame f;
  walk w;
  if (!load_radius(ball, radius, &f, &w))
    return (real)NAN;
  real e = to_real(&f, dd_mul_d(w.t, f.radius));
  f.dim = 1;
  INTERNAL(settle)(&f, &e);
  return e;
}

real NAME(gap_from_euclidean)(const geodisk_ball *ball, real euclidean) {
  frame f;
  if (!INTERNAL(load_frame)(ball, &f) || !(euclidean >= (real)0.0))
    return (real)NAN;
  double e = (double)euclidean * f.scale;
  dd gap = dd_mul(two_sum(f.radius, -e), two_sum(f.radius, e));
  return gap.hi > 0.0 ? INTERNAL(gap_to_real)(&f, gap, 0) : (real)NAN;
}

real NAME(euclidean_from_gap)(const geodisk_ball *ball, real gap) {
  frame f;
  if (!INTERNAL(load_frame)(ball, &f))
    return (real)NAN;
  dd s = dd_from((double)gap * f.scale * f.scale);
  dd square = dd_sub(f.radius2, s);
  if (square.hi < 0.0 && s.hi <= f.radius2.hi * (1.0 + 2.0 * REAL_EPSILON))
    square = dd_from(0.0);
  if (!(s.hi > 0.0 && square.hi >= 0.0))
    return (real)NAN;
  real e = to_real(&f, dd_sqrt(square));
  f.dim = 1;
  INTERNAL(settle)(&f, &e);
  return e;
}

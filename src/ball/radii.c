/* radii.c - hyperbolic radius r, gap S and Euclidean radius e of a point: S = R^2 sech^2(h), e = R tanh(h), h = sqrt(k) r / 2. */
#include "point.h"

/* r from sinh(h) = e / sqrt(S), e and S in frame units. */
static real radius_of(const frame *f, dd euclidean, dd gap) {
  if (euclidean.hi == 0.0)
    return (real)0.0;
  int exponent, root_exponent;
  dd a = dd_div(normalised(euclidean, &exponent), normalised(dd_sqrt(gap), &root_exponent));
  dd half = INTERNAL(asinh_wide)(a, exponent - root_exponent, &exponent);
  return to_real_wide(dd_div(half, f->root_k), exponent + 1);
}

/* S in frame units and e = sqrt(R^2 - S); false for what is no gap. R^2 may have been rounded up. */
static bool load_gap(const geodisk_ball *ball, real gap, frame *f, dd *s, dd *euclidean) {
  if (!INTERNAL(load_frame)(ball, f))
    return false;
  *s = dd_from(ldexp((double)gap, -2 * f->exponent));
  dd square = dd_sub(f->radius2, *s);
  if (square.hi < 0.0 && s->hi <= f->radius2.hi * (1.0 + 2.0 * REAL_EPSILON))
    square = dd_from(0.0);
  *euclidean = dd_sqrt(square);
  return s->hi > 0.0 && square.hi >= 0.0;
}

real NAME(radius_from_gap)(const geodisk_ball *ball, real gap) {
  frame f;
  dd s, euclidean;
  return load_gap(ball, gap, &f, &s, &euclidean) ? radius_of(&f, euclidean, s) : (real)NAN;
}

real NAME(euclidean_from_gap)(const geodisk_ball *ball, real gap) {
  frame f;
  dd s, euclidean;
  return load_gap(ball, gap, &f, &s, &euclidean) ? INTERNAL(settled_radius)(&f, euclidean) : (real)NAN;
}

/* e in frame units and S = (R - e)(R + e). */
static bool load_euclidean(const geodisk_ball *ball, real euclidean, frame *f, double *e, dd *gap) {
  if (!INTERNAL(load_frame)(ball, f) || !(euclidean >= (real)0.0))
    return false;
  *e = (double)euclidean * f->scale;
  *gap = dd_mul(two_sum(f->radius, -*e), two_sum(f->radius, *e));
  return gap->hi > 0.0;
}

real NAME(radius_from_euclidean)(const geodisk_ball *ball, real euclidean) {
  frame f;
  double e;
  dd gap;
  return load_euclidean(ball, euclidean, &f, &e, &gap) ? radius_of(&f, dd_from(e), gap) : (real)NAN;
}

real NAME(gap_from_euclidean)(const geodisk_ball *ball, real euclidean) {
  frame f;
  double e;
  dd gap;
  return load_euclidean(ball, euclidean, &f, &e, &gap) ? INTERNAL(gap_to_real)(&f, gap, 0) : (real)NAN;
}

/* t = tanh(h) and 1 - t for a hyperbolic radius >= 0. */
static bool load_radius(const geodisk_ball *ball, real radius, frame *f, walk *w) {
  if (!INTERNAL(load_frame)(ball, f) || !(radius >= (real)0.0 && (double)radius <= DBL_MAX))
    return false;
  int exponent;
  double number = frexp((double)radius, &exponent); /* in range whatever sqrt(k) is */
  INTERNAL(set_walk_length)(f, dd_mul_d(f->root_k, number), exponent, w);
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
  return load_radius(ball, radius, &f, &w) ? INTERNAL(settled_radius)(&f, w.reach) : (real)NAN;
}

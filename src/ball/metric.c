/* metric.c - the metric tensor: gap, metric factor lam = 2R/(S sqrt k), inner product, length and angle of tangents, gradients.
 */
#include "point.h"

#ifndef GEODISK_SINGLE
geodisk_ball geodisk_unit_ball(int dim) { return (geodisk_ball){dim, 1.0, 1.0}; }

bool geodisk_ball_valid(const geodisk_ball *ball) {
  return ball->dim >= 1 && ball->radius > 0.0 && ball->radius <= DBL_MAX && ball->curvature > 0.0 && ball->curvature <= DBL_MAX;
}
#endif

/* The gap at x, 0 for what is not in the ball. */
static dd load_gap(const geodisk_ball *ball, const real *x, frame *f) {
  if (!INTERNAL(load_frame)(ball, f))
    return dd_from(0.0);
  dd gap = INTERNAL(exact_gap)(f, x);
  return gap.hi > 0.0 ? gap : dd_from(0.0);
}

real NAME(gap)(const geodisk_ball *ball, const real *x) {
  frame f;
  dd gap = load_gap(ball, x, &f);
  return gap.hi > 0.0 ? INTERNAL(gap_to_real)(&f, gap, 0) : (real)NAN;
}

/* lam in the caller's units, and the same for frame lengths: lam * (caller's length) = frame_factor * (frame length). */
static dd frame_factor(const frame *f, dd gap) { return dd_div(dd_from(2.0 * f->radius), dd_mul(gap, f->root_k)); }

real NAME(metric_factor)(const geodisk_ball *ball, const real *x) {
  frame f;
  dd gap = load_gap(ball, x, &f);
  return gap.hi > 0.0 ? (real)(dd_round(frame_factor(&f, gap)) * f.scale) : (real)NAN;
}

real NAME(norm)(const geodisk_ball *ball, const real *x, const real *v) {
  frame f;
  heading h;
  dd gap = load_gap(ball, x, &f);
  if (!(gap.hi > 0.0) || !INTERNAL(load_heading)(f.dim, v, 1.0, &h))
    return (real)NAN;
  return (real)dd_round(dd_mul(frame_factor(&f, gap), dd_scale(h.length, f.scale)));
}

real NAME(inner)(const geodisk_ball *ball, const real *x, const real *u, const real *v) {
  frame f;
  heading hu, hv;
  dd gap = load_gap(ball, x, &f);
  if (!(gap.hi > 0.0) || !INTERNAL(load_heading)(f.dim, u, 1.0, &hu) || !INTERNAL(load_heading)(f.dim, v, 1.0, &hv))
    return (real)NAN;
  if (hu.scale == 0.0 || hv.scale == 0.0)
    return (real)0.0;
  sum3 s = {0.0, 0.0, 0.0};
  for (int i = 0; i < f.dim; i++)
    sum3_add_product(&s, (double)u[i] * hu.scale, (double)v[i] * hv.scale);
  dd factor = frame_factor(&f, gap);
  dd product = dd_mul(dd_mul(sum3_value(&s), factor), factor);
  return (real)(dd_round(product) * (f.scale / hu.scale) * (f.scale / hv.scale));
}

/* The angle from |u^ - v^| and |u^ + v^|: 2 atan of their ratio, which keeps its digits near 0 and pi. */
real NAME(angle)(const geodisk_ball *ball, const real *x, const real *u, const real *v) {
  frame f;
  heading hu, hv;
  dd gap = load_gap(ball, x, &f);
  if (!(gap.hi > 0.0) || !INTERNAL(load_heading)(f.dim, u, 1.0, &hu) || !INTERNAL(load_heading)(f.dim, v, 1.0, &hv))
    return (real)NAN;
  if (hu.scale == 0.0 || hv.scale == 0.0)
    return (real)NAN;
  dd minus = {0.0, 0.0}, plus = {0.0, 0.0};
  for (int i = 0; i < f.dim; i++) {
    dd a = direction(&hu, i), b = direction(&hv, i);
    minus = dd_add(minus, dd_sqr(dd_sub(a, b)));
    plus = dd_add(plus, dd_sqr(dd_add(a, b)));
  }
  bool acute = minus.hi <= plus.hi;
  dd ratio = dd_sqrt(acute ? dd_div(minus, plus) : dd_div(plus, minus));
  dd half = dd_add_d(dd_from(atan(ratio.hi)), ratio.lo / (1.0 + ratio.hi * ratio.hi));
  dd angle = dd_scale(half, 2.0);
  return (real)dd_round(acute ? angle : dd_sub(DD_PI, angle));
}

void NAME(gradient)(const geodisk_ball *ball, const real *x, const real *df, real *out) {
  frame f;
  heading h;
  dd gap = load_gap(ball, x, &f);
  if (!(gap.hi > 0.0) || !INTERNAL(load_heading)(f.dim, df, 1.0, &h)) {
    INTERNAL(fill_nan)(ball, out);
    return;
  }
  dd inverse = dd_inv(frame_factor(&f, gap)); /* of lam * unscale; so grad = (inverse * unscale)^2 df */
  dd factor = dd_sqr(inverse);
  for (int i = 0; i < f.dim; i++)
    out[i] = (real)(dd_round(dd_mul_d(factor, (double)df[i])) * f.unscale * f.unscale);
}

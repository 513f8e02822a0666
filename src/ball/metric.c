/* metric.c - the metric tensor: gap, metric factor lam = 2R/(S sqrt k), inner product, length and angle of tangents, gradients.
 */
#include "point.h"

#ifndef GEODISK_SINGLE
geodisk_ball geodisk_unit_ball(int dim) { return (geodisk_ball){dim, 1.0, 1.0}; }

bool geodisk_ball_valid(const geodisk_ball *ball) {
  return ball->dim >= 1 && ball->radius > 0.0 && ball->radius <= DBL_MAX && ball->curvature > 0.0 && ball->curvature <= DBL_MAX;
}
#endif

/* The gap at x; false for what is not in the ball. */
static bool load_gap(const geodisk_ball *ball, const real *x, frame *f, dd *gap) {
  if (!INTERNAL(load_frame)(ball, f))
    return false;
  *gap = INTERNAL(exact_gap)(f, x);
  return gap->hi > 0.0;
}

real NAME(gap)(const geodisk_ball *ball, const real *x) {
  frame f;
  dd gap;
  return load_gap(ball, x, &f, &gap) ? INTERNAL(gap_to_real)(&f, gap, 0) : (real)NAN;
}

/* lam = value * 2^exponent, in the caller's units. */
typedef struct metric {
  dd value; /* of the size of f->radius */
  int exponent;
} metric;

static bool load_metric(const geodisk_ball *ball, const real *x, frame *f, metric *lam) {
  dd gap;
  if (!load_gap(ball, x, f, &gap))
    return false;
  int exponent;
  lam->value = dd_div(dd_from(2.0 * f->radius), normalised(dd_mul(gap, f->root_k), &exponent));
  lam->exponent = -exponent - f->exponent; /* an inverse length */
  return true;
}

real NAME(metric_factor)(const geodisk_ball *ball, const real *x) {
  frame f;
  metric lam;
  return load_metric(ball, x, &f, &lam) ? to_real_wide(lam.value, lam.exponent) : (real)NAN;
}

real NAME(norm)(const geodisk_ball *ball, const real *x, const real *v) {
  frame f;
  metric lam;
  heading h;
  if (!load_metric(ball, x, &f, &lam) || !INTERNAL(load_heading)(f.dim, v, 1.0, &h))
    return (real)NAN;
  return to_real_wide(dd_mul(lam.value, h.norm), lam.exponent + h.exponent);
}

real NAME(inner)(const geodisk_ball *ball, const real *x, const real *u, const real *v) {
  frame f;
  metric lam;
  heading hu, hv;
  if (!load_metric(ball, x, &f, &lam) || !INTERNAL(load_heading)(f.dim, u, 1.0, &hu) ||
      !INTERNAL(load_heading)(f.dim, v, 1.0, &hv))
    return (real)NAN;
  sum3 s = {0.0, 0.0, 0.0};
  for (int i = 0; i < f.dim; i++)
    sum3_add_product(&s, (double)u[i] * hu.scale, (double)v[i] * hv.scale);
  return to_real_wide(dd_mul(sum3_value(&s), dd_sqr(lam.value)), 2 * lam.exponent + hu.exponent + hv.exponent);
}

/* atan(s / c) for s, c >= 0, not both 0. */
static dd arc_tangent(dd s, dd c) {
  bool low = s.hi <= c.hi;
  dd ratio = low ? dd_div(s, c) : dd_div(c, s);
  dd arc = dd_add_d(dd_from(atan(ratio.hi)), ratio.lo / (1.0 + ratio.hi * ratio.hi));
  return low ? arc : dd_sub(dd_scale(DD_PI, 0.5), arc);
}

real NAME(angle)(const geodisk_ball *ball, const real *x, const real *u, const real *v) {
  frame f;
  dd gap;
  heading hu, hv;
  if (!load_gap(ball, x, &f, &gap) || !INTERNAL(load_heading)(f.dim, u, 1.0, &hu) || !INTERNAL(load_heading)(f.dim, v, 1.0, &hv))
    return (real)NAN;
  if (hu.scale == 0.0 || hv.scale == 0.0)
    return (real)NAN;
  turn t;
  INTERNAL(load_turn)(f.dim, &hu, &hv, &t);
  if (t.cosine.hi < 0.0)
    return (real)dd_round(dd_sub(DD_PI, arc_tangent(t.sine, dd_neg(t.cosine))));
  return (real)dd_round(arc_tangent(t.sine, t.cosine));
}

void NAME(gradient)(const geodisk_ball *ball, const real *x, const real *df, real *out) {
  frame f;
  metric lam;
  heading h;
  if (!load_metric(ball, x, &f, &lam) || !INTERNAL(load_heading)(f.dim, df, 1.0, &h)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return;
  }
  dd factor = dd_inv(dd_sqr(lam.value));
  for (int i = 0; i < f.dim; i++)
    out[i] = to_real_wide(dd_mul_d(factor, (double)df[i] * h.scale), h.exponent - 2 * lam.exponent);
}

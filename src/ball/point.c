/* point.c - loading points and vectors: gaps to the last digit, directions without over- or underflow, and the rounding of
 * results back into the ball. */
#include "point.h"

/* Points whose gap is at most this share of R^2 take their radius from the gap, the others from the coordinates. */
#define GAP_RULES 0.5

bool INTERNAL(load_frame)(const geodisk_ball *ball, frame *f) {
  if (!geodisk_ball_valid(ball))
    return false;
  int e = ilogb(ball->radius);
  if (e < -1000)
    e = -1000; /* so that both powers of two are finite */
  f->dim = ball->dim;
  f->scale = power_of_two(-e);
  f->unscale = power_of_two(e);
  f->radius = ball->radius * f->scale;
  f->radius2 = two_prod(f->radius, f->radius);
  f->root_k = dd_sqrt(dd_from(ball->curvature));
  return true;
}

dd INTERNAL(exact_gap)(const frame *f, const real *x) {
  sum3 s = {f->radius2.hi, f->radius2.lo, 0.0};
  for (int i = 0; i < f->dim; i++) {
    double xi = (double)x[i] * f->scale;
    sum3_add_product(&s, xi, -xi);
  }
  return sum3_value(&s);
}

bool INTERNAL(load_heading)(int dim, const real *v, double sign, heading *h) {
  double largest = 0.0;
  for (int i = 0; i < dim; i++) {
    double a = fabs((double)v[i]);
    if (!(a <= DBL_MAX))
      return false;
    if (a > largest)
      largest = a;
  }
  *h = (heading){v, 0.0, {0.0, 0.0}, {0.0, 0.0}};
  if (largest == 0.0)
    return true;
  int e = ilogb(largest);
  if (e < -1000)
    e = -1000;
  double scale = power_of_two(-e);
  dd square = {0.0, 0.0};
  for (int i = 0; i < dim; i++) {
    double a = (double)v[i] * scale;
    square = dd_add(square, two_prod(a, a));
  }
  dd norm = dd_sqrt(square);
  h->scale = sign * scale;
  h->unit = dd_inv(norm);
  h->length = dd_ldexp(norm, e);
  return true;
}

/* |x| / R from the gap: sqrt(1 - S/R^2), to all digits since R^2 - S does not cancel where it is used. */
static dd rho_from_gap(const frame *f, dd gap) { return dd_sqrt(dd_div(dd_sub(f->radius2, gap), f->radius2)); }

bool INTERNAL(load_point)(const frame *f, const real *x, double sign, point *p) {
  *p = (point){.x = x, .sign = sign, .gap = INTERNAL(exact_gap)(f, x)};
  if (!(p->gap.hi > 0.0))
    return false;
  if (!INTERNAL(load_heading)(f->dim, x, sign, &p->toward))
    return false;
  p->at_origin = p->toward.length.hi == 0.0;
  p->rho = dd_div(dd_scale(p->toward.length, f->scale), dd_from(f->radius));
  return true;
}

bool INTERNAL(load_point_gap)(const frame *f, const real *x, double gap, point *p) {
  *p = (point){.x = x, .sign = 1.0, .gap_form = true};
  if (!INTERNAL(load_heading)(f->dim, x, 1.0, &p->toward))
    return false;
  p->at_origin = p->toward.length.hi == 0.0;
  dd length = dd_scale(p->toward.length, f->scale);
  if (!(dd_round(dd_add_d(length, -f->radius)) < 0.0))
    return false;
  p->gap = dd_from(gap * f->scale * f->scale);
  if (!(p->gap.hi > 0.0 && p->gap.hi <= f->radius2.hi * (1.0 + 2.0 * REAL_EPSILON)))
    return false;
  p->rho_from_gap = p->gap.hi <= GAP_RULES * f->radius2.hi;
  if (p->rho_from_gap && p->at_origin)
    return false; /* deep, but in no direction */
  p->rho = p->rho_from_gap ? rho_from_gap(f, p->gap) : dd_div(length, dd_from(f->radius));
  return true;
}

dd INTERNAL(coordinate)(const frame *f, const point *p, int i) {
  if (p->rho_from_gap)
    return dd_mul(dd_mul_d(p->rho, f->radius), direction(&p->toward, i));
  return dd_from(p->sign * (double)p->x[i] * f->scale);
}

/* ---- rounding into the ball ---- */

void INTERNAL(fill_nan)(const geodisk_ball *ball, real *out) {
  for (int i = 0; i < ball->dim; i++)
    out[i] = (real)NAN;
}

real INTERNAL(gap_to_real)(const frame *f, dd gap, int exponent) {
  double g = ldexp(dd_round(gap), exponent) * f->unscale * f->unscale;
  return (real)(g < REAL_MIN ? REAL_MIN : g);
}

/* Entries are rounded to nearest, so a point near the rim can land on it or past it by about half an ulp. It is then shrunk along
 * its ray by just the excess and the least margin that survives rounding. */
void INTERNAL(settle)(const frame *f, real *out) {
  for (double margin = REAL_EPSILON / 8;; margin *= 2) {
    dd gap = INTERNAL(exact_gap)(f, out);
    if (!(gap.hi <= 0.0))
      return; /* inside, or NaN */
    double shrink = -gap.hi / (2 * f->radius2.hi) + margin;
    for (int i = 0; i < f->dim; i++)
      out[i] = (real)((double)out[i] - (double)out[i] * shrink);
  }
}

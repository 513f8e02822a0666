/* geodesic.c - points along the geodesic from x to y; plain and (x, gap). With D = sqrt(k) d(x,y), a = sinh((1-t)D)/sinh D,
 * b = sinh(tD)/sinh D, for t in [0,1]
 *
 *     point  2R^2 (a x/S + b y/T) / N,     N = 1 + a (2R^2-S)/S + b (2R^2-T)/T,     gap  2R^2/N
 *
 * in which all terms of N are positive. Beyond the ends it is a walk along the tangent. */
#include "point.h"

/* A weight a = value * 2^exponent. */
typedef struct weight {
  dd value;
  int exponent;
} weight;

/* a and b. With A = e^-(1-t)D and B = e^-tD, sinh((1-t)D)/sinh D = B (1 - A^2) / (1 - A^2 B^2). */
static void load_weights(const pair *p, double t, weight *a, weight *b) {
  if (p->half_exponent < 0) { /* minute D: a = 1-t, b = t */
    *a = (weight){two_sum(1.0, -t), 0};
    *b = (weight){dd_from(t), 0};
    return;
  }
  dd d = dd_scale(p->half, -2.0), power_a, power_b;
  dd minus_a = dd_expm1_split(dd_mul(d, two_sum(1.0, -t)), &power_a, &b->exponent); /* A - 1 */
  dd minus_b = dd_expm1_split(dd_mul_d(d, t), &power_b, &a->exponent);
  dd minus = dd_add(minus_a, dd_add(minus_b, dd_mul(minus_a, minus_b))); /* AB - 1 */
  dd unit = dd_inv(dd_mul(minus, dd_add_d(minus, 2.0)));
  a->value = dd_mul(dd_mul(power_b, unit), dd_mul(minus_a, dd_add_d(minus_a, 2.0)));
  b->value = dd_mul(dd_mul(power_a, unit), dd_mul(minus_b, dd_add_d(minus_b, 2.0)));
}

static void between(const frame *f, const pair *p, double t, real *out, real *out_gap) {
  const point *x = p->x, *y = p->y;
  weight a, b;
  load_weights(p, t, &a, &b);
  /* Everything is multiplied by 2^-e, so that the largest of 1, 2R^2 a/S and 2R^2 b/T is about 1. */
  int x_exponent, y_exponent, e = 0, ax_exponent, by_exponent;
  dd twice = dd_scale(f->radius2, 2.0);
  dd ax = normalised(dd_div(dd_mul(a.value, twice), normalised(x->gap, &x_exponent)), &ax_exponent);
  dd by = normalised(dd_div(dd_mul(b.value, twice), normalised(y->gap, &y_exponent)), &by_exponent);
  ax_exponent += a.exponent - x_exponent;
  by_exponent += b.exponent - y_exponent;
  if (ax_exponent > e)
    e = ax_exponent;
  if (by_exponent > e)
    e = by_exponent;
  ax = dd_ldexp(ax, ax_exponent - e);
  by = dd_ldexp(by, by_exponent - e);
  dd x_part = dd_sub(ax, dd_ldexp(a.value, a.exponent - e)), y_part = dd_sub(by, dd_ldexp(b.value, b.exponent - e));
  dd unit = dd_inv(dd_add_d(dd_add(x_part, y_part), ldexp(1.0, -e))); /* 2^e / N */
  dd x_factor = dd_mul(dd_mul(ax, unit), x->stretch), y_factor = dd_mul(dd_mul(by, unit), y->stretch);
  if (out_gap)
    *out_gap = INTERNAL(gap_of_walk)(f, dd_mul(twice, unit), -e);
  for (int i = 0; i < f->dim; i++)
    out[i] = to_real(f, dd_add(dd_mul_d(x_factor, entry(x, i)), dd_mul_d(y_factor, entry(y, i))));
  INTERNAL(settle)(f, out);
}

static void along(const frame *f, point *x, point *y, double t, real *out, real *out_gap) {
  pair p;
  INTERNAL(load_pair)(f, x, y, &p);
  if (p.equal || t == 0.0) {
    INTERNAL(copy_point)(f, x, out, out_gap);
  } else if (t == 1.0) {
    INTERNAL(copy_point)(f, y, out, out_gap);
  } else if (t > 0.0 && t < 1.0) {
    between(f, &p, t, out, out_gap);
  } else { /* beyond the ends: walk on */
    if (!x->gap_form) {
      INTERNAL(load_direction)(f, x);
      INTERNAL(load_direction)(f, y);
    }
    INTERNAL(load_tangent)(&p);
    turn angle;
    walk w;
    INTERNAL(walk_along)(&p, t < 0.0, &angle, &w);
    int exponent;
    double share = frexp(fabs(t), &exponent);
    INTERNAL(set_walk_length)(f, dd_mul_d(p.half, share), p.half_exponent + exponent + 1, &w);
    INTERNAL(translate)(f, x, &w, out, out_gap);
  }
}

static void geodesic_of(const geodisk_ball *ball, const real *x, const real *x_gap, const real *y, const real *y_gap, real t,
                        real *out, real *out_gap) {
  frame f;
  point px, py;
  if (fabs((double)t) <= DBL_MAX && INTERNAL(load_points)(ball, x, x_gap, y, y_gap, &f, &px, &py))
    along(&f, &px, &py, (double)t, out, out_gap);
  else
    INTERNAL(fill_nan)(ball, out, out_gap);
}

void NAME(geodesic)(const geodisk_ball *ball, const real *x, const real *y, real t, real *out) {
  geodesic_of(ball, x, NULL, y, NULL, t, out, NULL);
}

void NAME(geodesic_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *y, real y_gap, real t, real *out,
                        real *out_gap) {
  geodesic_of(ball, x, &x_gap, y, &y_gap, t, out, out_gap);
}

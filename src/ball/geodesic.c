/* geodesic.c - points along the geodesic from x to y, and parallel transport; plain and (x, gap). With D = sqrt(k) d(x,y),
 * a = sinh((1-t)D)/sinh D, b = sinh(tD)/sinh D:
 *
 *   point      2R^2 (a x/S + b y/T) / N,   N = 1 + a (2R^2-S)/S + b (2R^2-T)/T,   gap 2R^2/N      for t in [0,1]: all terms >= 0
 *   transport  (T/S) (I - 2cc') (I - 2mm') v,   c along y - x, m the unit tangent at x towards y
 */
#include "point.h"

/* sinh(z)/sinh(D) for 0 <= z <= D, D > 0: e^(z-D) (1 - e^(-2z)) / (1 - e^(-2D)). */
static dd sinh_ratio(dd z, dd d) {
  dd rest;
  int e;
  dd_exp_split(dd_sub(z, d), &rest, &e);
  dd ratio = dd_div(dd_expm1(dd_scale(z, -2.0)), dd_expm1(dd_scale(d, -2.0)));
  return dd_ldexp(dd_mul(ratio, dd_add_d(rest, 1.0)), e);
}

static void between(const frame *f, const pair *p, double t, real *out, real *out_gap) {
  dd d = dd_scale(p->half, 2.0);
  dd a = sinh_ratio(dd_mul(d, two_sum(1.0, -t)), d), b = sinh_ratio(dd_mul_d(d, t), d);
  const point *x = p->x, *y = p->y;
  int e = ilogb(x->gap.hi) < ilogb(y->gap.hi) ? ilogb(x->gap.hi) : ilogb(y->gap.hi);
  if (e < -1000)
    e = -1000;
  dd ax = dd_div(dd_ldexp(a, e), x->gap), by = dd_div(dd_ldexp(b, e), y->gap); /* times 2^e: in range for the deepest */
  dd twice = dd_scale(f->radius2, 2.0);
  dd n = dd_add(dd_mul(ax, dd_sub(twice, x->gap)), dd_mul(by, dd_sub(twice, y->gap)));
  n = dd_add_d(n, power_of_two(e));
  dd factor = dd_div(twice, n);
  for (int i = 0; i < f->dim; i++) {
    dd s = dd_add(dd_mul(ax, INTERNAL(coordinate)(f, x, i)), dd_mul(by, INTERNAL(coordinate)(f, y, i)));
    out[i] = to_real(f, dd_mul(factor, s));
  }
  if (out_gap)
    *out_gap = INTERNAL(gap_to_real)(f, factor, e);
  INTERNAL(settle)(f, out);
}

static void geodesic_of(const frame *f, const point *x, const point *y, double t, real *out, real *out_gap) {
  pair p;
  INTERNAL(load_pair)(f, x, y, &p);
  if (p.equal || t == 0.0) {
    for (int i = 0; i < f->dim; i++)
      out[i] = x->x[i];
    if (out_gap)
      *out_gap = INTERNAL(gap_to_real)(f, x->gap, 0);
  } else if (t > 0.0 && t <= 1.0) {
    between(f, &p, t, out, out_gap);
  } else { /* beyond the ends: walk on */
    walk w = {.geodesic = &p, .sign = t < 0 ? -1.0 : 1.0};
    INTERNAL(set_walk_length)(dd_mul_d(dd_scale(p.half, 2.0), fmin(fabs(t), 1e290)), &w);
    INTERNAL(translate)(f, x, &w, out, out_gap);
  }
}

void NAME(geodesic)(const geodisk_ball *ball, const real *x, const real *y, real t, real *out) {
  frame f;
  point px, py;
  if (fabs((double)t) <= DBL_MAX && INTERNAL(load_frame)(ball, &f) && INTERNAL(load_point)(&f, x, 1.0, &px) &&
      INTERNAL(load_point)(&f, y, 1.0, &py))
    geodesic_of(&f, &px, &py, (double)t, out, NULL);
  else
    INTERNAL(fill_nan)(ball, out);
}

void NAME(geodesic_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *y, real y_gap, real t, real *out,
                        real *out_gap) {
  frame f;
  point px, py;
  if (fabs((double)t) <= DBL_MAX && INTERNAL(load_frame)(ball, &f) && INTERNAL(load_point_gap)(&f, x, (double)x_gap, &px) &&
      INTERNAL(load_point_gap)(&f, y, (double)y_gap, &py)) {
    geodesic_of(&f, &px, &py, (double)t, out, out_gap);
  } else {
    INTERNAL(fill_nan)(ball, out);
    if (out_gap)
      *out_gap = (real)NAN;
  }
}

/* (I - 2cc')(I - 2mm') v times `factor`; the identity for equal points. */
static void reflect_twice(const pair *p, const heading *h, dd factor, real *out) {
  int dim = p->f->dim;
  const real *v = h->v;
  if (h->scale == 0.0 || p->equal) {
    for (int i = 0; i < dim; i++)
      out[i] = (real)dd_round(dd_mul_d(factor, (double)v[i]));
    return;
  }
  dd unit = dd_inv(p->length);
  dd mv = {0.0, 0.0}, cv = {0.0, 0.0}, cm = {0.0, 0.0};
  for (int i = 0; i < dim; i++) {
    dd m = INTERNAL(tangent)(p, i), c = dd_mul(unit, INTERNAL(difference)(p, i));
    double vi = (double)v[i] * h->scale;
    mv = dd_add(mv, dd_mul_d(m, vi));
    cv = dd_add(cv, dd_mul_d(c, vi));
    cm = dd_add(cm, dd_mul(c, m));
  }
  dd along_m = dd_scale(mv, -2.0);
  dd along_c = dd_scale(dd_add(cv, dd_mul(along_m, cm)), -2.0);
  for (int i = 0; i < dim; i++) {
    dd m = INTERNAL(tangent)(p, i), c = dd_mul(unit, INTERNAL(difference)(p, i));
    dd entry = dd_add_d(dd_add(dd_mul(along_m, m), dd_mul(along_c, c)), (double)v[i] * h->scale);
    out[i] = (real)(dd_round(dd_mul(factor, entry)) / h->scale);
  }
}

static void transport_of(const frame *f, const point *x, const point *y, const heading *v, real *out) {
  pair p;
  INTERNAL(load_pair)(f, x, y, &p);
  reflect_twice(&p, v, dd_div(y->gap, x->gap), out);
}

void NAME(transport)(const geodisk_ball *ball, const real *x, const real *y, const real *v, real *out) {
  frame f;
  point px, py;
  heading h;
  if (INTERNAL(load_frame)(ball, &f) && INTERNAL(load_point)(&f, x, 1.0, &px) && INTERNAL(load_point)(&f, y, 1.0, &py) &&
      INTERNAL(load_heading)(f.dim, v, 1.0, &h))
    transport_of(&f, &px, &py, &h, out);
  else
    INTERNAL(fill_nan)(ball, out);
}

void NAME(transport_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *y, real y_gap, const real *v,
                         real *out) {
  frame f;
  point px, py;
  heading h;
  if (INTERNAL(load_frame)(ball, &f) && INTERNAL(load_point_gap)(&f, x, (double)x_gap, &px) &&
      INTERNAL(load_point_gap)(&f, y, (double)y_gap, &py) && INTERNAL(load_heading)(f.dim, v, 1.0, &h))
    transport_of(&f, &px, &py, &h, out);
  else
    INTERNAL(fill_nan)(ball, out);
}

/* Transport from -y to x without its change of length is the gyration gyr[x,y]. */
void NAME(gyration)(const geodisk_ball *ball, const real *x, const real *y, const real *v, real *out) {
  frame f;
  point from, to;
  heading h;
  if (INTERNAL(load_frame)(ball, &f) && INTERNAL(load_point)(&f, y, -1.0, &from) && INTERNAL(load_point)(&f, x, 1.0, &to) &&
      INTERNAL(load_heading)(f.dim, v, 1.0, &h)) {
    pair p;
    INTERNAL(load_pair)(&f, &from, &to, &p);
    reflect_twice(&p, &h, dd_from(1.0), out);
  } else {
    INTERNAL(fill_nan)(ball, out);
  }
}

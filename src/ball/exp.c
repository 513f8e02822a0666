/* exp.c - the exponential map and its inverse, in the inversion form of docs/math.md; plain and (x, gap). */
#include "point.h"

/* exp does not depend on the curvature: D = sqrt(k) lam |v| = 2 R |v| / S. */
void INTERNAL(exp_from)(const frame *f, const point *p, const heading *v, real *out, real *out_gap) {
  if (v->length.hi == 0.0) {
    for (int i = 0; i < f->dim; i++)
      out[i] = p->x[i];
    if (out_gap)
      *out_gap = INTERNAL(gap_to_real)(f, p->gap, 0);
    return;
  }
  walk w = {.along = v};
  dd length = dd_scale(v->length, f->scale); /* infinite for the longest v: then D is capped */
  double estimate = 2.0 * f->radius * (length.hi / p->gap.hi);
  dd d = estimate < 1e6 ? dd_div(dd_mul_d(length, 2.0 * f->radius), p->gap) : dd_from(1e6);
  INTERNAL(set_walk_length)(d, &w);
  INTERNAL(translate)(f, p, &w, out, out_gap);
}

void NAME(exp)(const geodisk_ball *ball, const real *x, const real *v, real *out) {
  frame f;
  point p;
  heading h;
  if (INTERNAL(load_frame)(ball, &f) && INTERNAL(load_point)(&f, x, 1.0, &p) && INTERNAL(load_heading)(f.dim, v, 1.0, &h))
    INTERNAL(exp_from)(&f, &p, &h, out, NULL);
  else
    INTERNAL(fill_nan)(ball, out);
}

void NAME(exp_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *v, real *out, real *out_gap) {
  frame f;
  point p;
  heading h;
  if (INTERNAL(load_frame)(ball, &f) && INTERNAL(load_point_gap)(&f, x, (double)x_gap, &p) &&
      INTERNAL(load_heading)(f.dim, v, 1.0, &h)) {
    INTERNAL(exp_from)(&f, &p, &h, out, out_gap);
  } else {
    INTERNAL(fill_nan)(ball, out);
    if (out_gap)
      *out_gap = (real)NAN;
  }
}

/* log_x(y) = (S/R) h m: m the unit tangent towards y, h = sqrt(k) d / 2. */
static void log_of(const frame *f, const point *x, const point *y, real *out) {
  pair p;
  INTERNAL(load_pair)(f, x, y, &p);
  dd length = p.equal ? dd_from(0.0) : dd_div(dd_mul(x->gap, p.half), dd_from(f->radius));
  for (int i = 0; i < f->dim; i++)
    out[i] = p.equal ? (real)0.0 : to_real(f, dd_mul(length, INTERNAL(tangent)(&p, i)));
}

void NAME(log)(const geodisk_ball *ball, const real *x, const real *y, real *out) {
  frame f;
  point px, py;
  if (INTERNAL(load_frame)(ball, &f) && INTERNAL(load_point)(&f, x, 1.0, &px) && INTERNAL(load_point)(&f, y, 1.0, &py))
    log_of(&f, &px, &py, out);
  else
    INTERNAL(fill_nan)(ball, out);
}

void NAME(log_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *y, real y_gap, real *out) {
  frame f;
  point px, py;
  if (INTERNAL(load_frame)(ball, &f) && INTERNAL(load_point_gap)(&f, x, (double)x_gap, &px) &&
      INTERNAL(load_point_gap)(&f, y, (double)y_gap, &py))
    log_of(&f, &px, &py, out);
  else
    INTERNAL(fill_nan)(ball, out);
}

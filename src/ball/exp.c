/* exp.c - the exponential map and its inverse, in the inversion form of docs/math.md; plain and (x, gap). */
#include "point.h"

/* exp does not depend on the curvature: D = sqrt(k) lam |v| = 2 R |v| / S. */
void INTERNAL(exp_from)(const frame *f, point *p, const heading *v, real *out, real *out_gap) {
  if (v->norm.hi == 0.0) {
    INTERNAL(copy_point)(f, p, out, out_gap);
    return;
  }
  if (!p->gap_form)
    INTERNAL(load_direction)(f, p);
  turn t;
  walk w;
  INTERNAL(walk_toward)(f, p, v, &t, &w);
  int exponent;
  dd length = dd_div(dd_mul_d(v->norm, f->radius), normalised(p->gap, &exponent));
  INTERNAL(set_walk_length)(f, length, v->exponent - f->exponent - exponent + 1, &w);
  INTERNAL(translate)(f, p, &w, out, out_gap);
}

static void exp_of(const geodisk_ball *ball, const real *x, const real *x_gap, const real *v, real *out, real *out_gap) {
  frame f;
  point p;
  heading h;
  if (INTERNAL(load_frame)(ball, &f) && INTERNAL(load_either)(&f, x, x_gap, &p) && INTERNAL(load_heading)(f.dim, v, 1.0, &h))
    INTERNAL(exp_from)(&f, &p, &h, out, out_gap);
  else
    INTERNAL(fill_nan)(ball, out, out_gap);
}

void NAME(exp)(const geodisk_ball *ball, const real *x, const real *v, real *out) { exp_of(ball, x, NULL, v, out, NULL); }

void NAME(exp_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *v, real *out, real *out_gap) {
  exp_of(ball, x, &x_gap, v, out, out_gap);
}

/* log_x(y) = (S/R) h m: m the unit tangent towards y, h = sqrt(k) d / 2. */
static void log_of(const geodisk_ball *ball, const real *x, const real *x_gap, const real *y, const real *y_gap, real *out) {
  frame f;
  point px, py;
  pair p;
  if (!INTERNAL(load_points)(ball, x, x_gap, y, y_gap, &f, &px, &py)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return;
  }
  INTERNAL(load_pair)(&f, &px, &py, &p);
  INTERNAL(load_tangent)(&p);
  if (p.equal) {
    for (int i = 0; i < f.dim; i++)
      out[i] = (real)0.0;
    return;
  }
  int exponent;
  dd length = dd_div_d(dd_mul(normalised(px.gap, &exponent), p.half), f.radius);
  combination c = {dd_mul(length, p.tangent.first), dd_mul(length, p.tangent.second)};
  exponent += p.half_exponent + f.exponent;
  for (int i = 0; i < f.dim; i++)
    out[i] = to_real_wide(combined(c, first_of(&p, i), second_of(&p, i)), exponent);
}

void NAME(log)(const geodisk_ball *ball, const real *x, const real *y, real *out) { log_of(ball, x, NULL, y, NULL, out); }

void NAME(log_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *y, real y_gap, real *out) {
  log_of(ball, x, &x_gap, y, &y_gap, out);
}

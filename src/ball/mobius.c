/* mobius.c - Moebius addition as a walk: x (+) y goes from x in the direction of y as far as y is from the origin. Multiples and
 * gyrations. */
#include "point.h"

static void add(const geodisk_ball *ball, const real *x, double x_sign, const real *y, real *out) {
  frame f;
  point px, py;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, x, x_sign, &px) || !INTERNAL(load_point)(&f, y, 1.0, &py)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return;
  }
  INTERNAL(load_direction)(&f, &px);
  INTERNAL(load_direction)(&f, &py);
  if (py.toward.scale == 0.0) {
    for (int i = 0; i < f.dim; i++)
      out[i] = (real)x_sign * x[i];
    return;
  }
  turn t;
  walk w;
  INTERNAL(walk_toward)(&f, &px, &py.toward, &t, &w);
  w.reach = py.radius;
  w.t = py.rho; /* 1 - |y|/R = T / (R^2 (1 + |y|/R)) */
  w.rest = dd_div(py.gap, dd_mul(f.radius2, dd_add_d(py.rho, 1.0)));
  INTERNAL(translate)(&f, &px, &w, out, NULL);
}

void NAME(mobius_add)(const geodisk_ball *ball, const real *x, const real *y, real *out) { add(ball, x, 1.0, y, out); }

void NAME(centre)(const geodisk_ball *ball, const real *centre, const real *x, real *out) { add(ball, centre, -1.0, x, out); }

/* A walk from the origin by |s| times the distance to x; half of that is asinh(|x| / sqrt(S)). */
void NAME(mobius_scale)(const geodisk_ball *ball, real s, const real *x, real *out) {
  frame f;
  point p, origin = {.x = NULL}; /* without a direction */
  if (!(fabs((double)s) <= DBL_MAX) || !INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, x, 1.0, &p)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return;
  }
  INTERNAL(load_direction)(&f, &p);
  if (p.toward.scale == 0.0 || s == (real)0.0) {
    for (int i = 0; i < f.dim; i++)
      out[i] = (real)0.0;
    return;
  }
  turn t;
  walk w;
  INTERNAL(walk_toward)(&f, &origin, &p.toward, &t, &w);
  if (s < (real)0.0)
    w.cosine = dd_neg(w.cosine);
  int root_exponent, exponent, s_exponent;
  dd a = dd_div(p.toward.norm, normalised(dd_sqrt(p.gap), &root_exponent));
  dd half = INTERNAL(asinh_wide)(a, p.toward.exponent - f.exponent - root_exponent, &exponent);
  double times = frexp(fabs((double)s), &s_exponent);
  INTERNAL(set_walk_length)(&f, dd_mul_d(half, times), exponent + s_exponent + 1, &w);
  INTERNAL(translate)(&f, &origin, &w, out, NULL);
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
    INTERNAL(load_tangent)(&p);
    INTERNAL(reflect_twice)(&p, &h, dd_from(1.0), 0, out);
  } else {
    INTERNAL(fill_nan)(ball, out, NULL);
  }
}

/* models.c - the hyperboloid, the Klein ball and the upper half-space, to and from the ball. */
#include "point.h"

static void nan_entries(int n, real *out) {
  for (int i = 0; i < n; i++)
    out[i] = (real)NAN;
}

/* time = (2R^2 - S) / (S sqrt k), space = 2R x / (S sqrt k) */
void NAME(to_lorentz)(const geodisk_ball *ball, const real *x, real *out) {
  frame f;
  point p;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, x, 1.0, &p)) {
    nan_entries(ball->dim + 1, out);
    return;
  }
  dd unit = dd_inv(dd_mul(p.gap, f.root_k));
  dd stretch = dd_mul_d(unit, 2.0 * f.radius);
  out[0] = (real)dd_round(dd_mul(dd_sub(dd_scale(f.radius2, 2.0), p.gap), unit));
  for (int i = 0; i < f.dim; i++)
    out[i + 1] = (real)dd_round(dd_mul_d(stretch, (double)x[i] * f.scale));
}

/* x = R u / (1 + sqrt(1 + |u|^2)), u = sqrt(k) space */
void NAME(from_lorentz)(const geodisk_ball *ball, const real *p, real *out) {
  frame f;
  heading h;
  if (!INTERNAL(load_frame)(ball, &f) || !(p[0] > (real)0.0 && (double)p[0] <= DBL_MAX) ||
      !INTERNAL(load_heading)(f.dim, p + 1, 1.0, &h)) {
    INTERNAL(fill_nan)(ball, out);
    return;
  }
  dd u = dd_mul(h.length, f.root_k);
  dd radius = dd_from(f.radius); /* R |u| / (1 + sqrt(1 + |u|^2)); R itself when |u| is past all gaps */
  if (u.hi < 0x1p100) {
    dd root = dd_sqrt(dd_add_d(dd_sqr(u), 1.0));
    radius = dd_mul_d(dd_div(u, dd_add_d(root, 1.0)), f.radius);
  }
  for (int i = 0; i < f.dim; i++)
    out[i] = h.scale == 0.0 ? (real)0.0 : to_real(&f, dd_mul(radius, direction(&h, i)));
  INTERNAL(settle)(&f, out);
}

/* 2R^2 x / (R^2 + |x|^2) */
void NAME(to_klein)(const geodisk_ball *ball, const real *x, real *out) {
  frame f;
  point p;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, x, 1.0, &p)) {
    INTERNAL(fill_nan)(ball, out);
    return;
  }
  dd twice = dd_scale(f.radius2, 2.0);
  dd factor = dd_div(twice, dd_sub(twice, p.gap));
  for (int i = 0; i < f.dim; i++)
    out[i] = to_real(&f, dd_mul_d(factor, (double)x[i] * f.scale));
  INTERNAL(settle)(&f, out);
}

/* R p / (R + sqrt(R^2 - |p|^2)) */
void NAME(from_klein)(const geodisk_ball *ball, const real *p, real *out) {
  frame f;
  point q;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, p, 1.0, &q)) {
    INTERNAL(fill_nan)(ball, out);
    return;
  }
  dd factor = dd_div(dd_from(f.radius), dd_add_d(dd_sqrt(q.gap), f.radius));
  for (int i = 0; i < f.dim; i++)
    out[i] = to_real(&f, dd_mul_d(factor, (double)p[i] * f.scale));
  INTERNAL(settle)(&f, out);
}

/* (2R x', S) / (|x'|^2 + (R - x_n)^2), x' the first dim-1 coordinates and x_n the last */
void NAME(to_halfspace)(const geodisk_ball *ball, const real *x, real *out) {
  frame f;
  point p;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, x, 1.0, &p)) {
    INTERNAL(fill_nan)(ball, out);
    return;
  }
  int last = f.dim - 1;
  dd square = dd_sqr(two_sum(f.radius, -(double)x[last] * f.scale));
  for (int i = 0; i < last; i++)
    square = dd_add(square, two_prod((double)x[i] * f.scale, (double)x[i] * f.scale));
  dd unit = dd_inv(square), side = dd_mul_d(unit, 2.0 * f.radius);
  for (int i = 0; i < last; i++)
    out[i] = (real)dd_round(dd_mul_d(side, (double)x[i] * f.scale));
  out[last] = (real)dd_round(dd_mul(unit, p.gap));
}

/* R (2p', |p'|^2 + h^2 - 1) / (|p'|^2 + (h+1)^2), h the last coordinate; all divided by c^2, c the largest entry or 1 */
void NAME(from_halfspace)(const geodisk_ball *ball, const real *p, real *out) {
  frame f;
  heading h;
  int last = ball->dim - 1;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_heading)(f.dim, p, 1.0, &h) || !(p[last] > (real)0.0)) {
    INTERNAL(fill_nan)(ball, out);
    return;
  }
  double c = fmin(h.scale, 1.0); /* a power of two */
  double height = (double)p[last] * c;
  dd side = {0.0, 0.0};
  for (int i = 0; i < last; i++)
    side = dd_add(side, two_prod((double)p[i] * c, (double)p[i] * c));
  dd above = two_sum(height, c), below = two_sum(height, -c);
  dd unit = dd_div(dd_from(f.radius), dd_add(side, dd_sqr(above)));
  dd up = dd_mul(unit, dd_add(side, dd_mul(above, below)));
  for (int i = 0; i < last; i++)
    out[i] = to_real(&f, dd_mul_d(unit, 2.0 * c * ((double)p[i] * c)));
  out[last] = to_real(&f, up);
  INTERNAL(settle)(&f, out);
}

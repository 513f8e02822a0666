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
    out[i + 1] = (real)dd_round(dd_mul_d(stretch, entry(&p, i)));
}

/* x = R u / (1 + sqrt(1 + |u|^2)), u = sqrt(k) space */
void NAME(from_lorentz)(const geodisk_ball *ball, const real *p, real *out) {
  frame f;
  heading h;
  if (!INTERNAL(load_frame)(ball, &f) || !(p[0] > (real)0.0 && (double)p[0] <= DBL_MAX) ||
      !INTERNAL(load_heading)(f.dim, p + 1, 1.0, &h)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return;
  }
  if (h.scale == 0.0) {
    for (int i = 0; i < f.dim; i++)
      out[i] = (real)0.0;
    return;
  }
  int exponent;
  dd u = normalised(dd_mul(h.norm, f.root_k), &exponent);
  exponent += h.exponent;
  dd radius = dd_from(f.radius); /* R |u| / (1 + sqrt(1 + |u|^2)); R itself when |u| is past all gaps */
  if (exponent < 100) {
    u = dd_ldexp(u, exponent);
    dd root = dd_sqrt(dd_add_d(dd_sqr(u), 1.0));
    radius = dd_mul_d(dd_div(u, dd_add_d(root, 1.0)), f.radius);
  }
  radius = dd_mul(radius, h.unit);
  for (int i = 0; i < f.dim; i++)
    out[i] = to_real(&f, dd_mul_d(radius, (double)p[i + 1] * h.scale));
  INTERNAL(settle)(&f, out);
}

/* 2R^2 x / (R^2 + |x|^2) */
void NAME(to_klein)(const geodisk_ball *ball, const real *x, real *out) {
  frame f;
  point p;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, x, 1.0, &p)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return;
  }
  dd twice = dd_scale(f.radius2, 2.0);
  dd factor = dd_div(twice, dd_sub(twice, p.gap));
  for (int i = 0; i < f.dim; i++)
    out[i] = to_real(&f, dd_mul_d(factor, entry(&p, i)));
  INTERNAL(settle)(&f, out);
}

/* R p / (R + sqrt(R^2 - |p|^2)) */
void NAME(from_klein)(const geodisk_ball *ball, const real *p, real *out) {
  frame f;
  point q;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, p, 1.0, &q)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return;
  }
  dd factor = dd_div(dd_from(f.radius), dd_add_d(dd_sqrt(q.gap), f.radius));
  for (int i = 0; i < f.dim; i++)
    out[i] = to_real(&f, dd_mul_d(factor, entry(&q, i)));
  INTERNAL(settle)(&f, out);
}

/* (2R x', S) / (|x'|^2 + (R - x_n)^2), x' the first dim-1 coordinates and x_n the last */
void NAME(to_halfspace)(const geodisk_ball *ball, const real *x, real *out) {
  frame f;
  point p;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point)(&f, x, 1.0, &p)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return;
  }
  int last = f.dim - 1;
  sum2 square = {0.0, 0.0};
  sum2_add(&square, dd_sqr(two_sum(f.radius, -entry(&p, last))));
  for (int i = 0; i < last; i++)
    sum2_add(&square, two_prod(entry(&p, i), entry(&p, i)));
  dd unit = dd_inv(sum2_value(&square)), side = dd_mul_d(unit, 2.0 * f.radius);
  for (int i = 0; i < last; i++)
    out[i] = (real)dd_round(dd_mul_d(side, entry(&p, i)));
  out[last] = (real)dd_round(dd_mul(unit, p.gap));
}

/* R (2p', |p'|^2 + h^2 - 1) / (|p'|^2 + (h+1)^2), h the last coordinate; all divided by c^2, c the largest entry or 1 */
void NAME(from_halfspace)(const geodisk_ball *ball, const real *p, real *out) {
  frame f;
  heading h;
  int last = ball->dim - 1;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_heading)(f.dim, p, 1.0, &h) || !(p[last] > (real)0.0)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return;
  }
  double c = fmin(h.scale, 1.0); /* a power of two */
  double height = (double)p[last] * c;
  sum2 squares = {0.0, 0.0};
  for (int i = 0; i < last; i++)
    sum2_add(&squares, two_prod((double)p[i] * c, (double)p[i] * c));
  dd side = sum2_value(&squares);
  dd above = two_sum(height, c), below = two_sum(height, -c);
  dd unit = dd_div(dd_from(f.radius), dd_add(side, dd_sqr(above)));
  dd up = dd_mul(unit, dd_add(side, dd_mul(above, below)));
  for (int i = 0; i < last; i++)
    out[i] = to_real(&f, dd_mul_d(unit, 2.0 * c * ((double)p[i] * c)));
  out[last] = to_real(&f, up);
  INTERNAL(settle)(&f, out);
}

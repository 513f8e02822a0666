/* distance.c - d(x,y) = (2/sqrt k) asinh(R |x-y| / sqrt(S T)), its gradients, and the Hessian of d^2/2; plain and (x, gap). */
#include "point.h"

static real distance_between(const frame *f, const point *x, const point *y) {
  pair p;
  INTERNAL(load_pair)(f, x, y, &p);
  return p.equal ? (real)0.0 : to_real_wide(dd_div(p.half, f->root_k), p.half_exponent + 1);
}

real NAME(distance)(const geodisk_ball *ball, const real *x, const real *y) {
  frame f;
  point px, py;
  return INTERNAL(load_points)(ball, x, y, &f, &px, &py) ? distance_between(&f, &px, &py) : (real)NAN;
}

real NAME(distance_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *y, real y_gap) {
  frame f;
  point px, py;
  return INTERNAL(load_points_gap)(ball, x, x_gap, y, y_gap, &f, &px, &py) ? distance_between(&f, &px, &py) : (real)NAN;
}

/* A unit tangent at x is S sqrt(k) / (2R) long in coordinates. The one at y towards x is along -T delta - |delta|^2 y, which is
 * as long as the one at x, S delta - |delta|^2 x. Entry by entry, so that outputs may overlap inputs. */
void NAME(distance_gradient)(const geodisk_ball *ball, const real *x, const real *y, real *grad_x, real *grad_y) {
  frame f;
  point px, py;
  if (!INTERNAL(load_points)(ball, x, y, &f, &px, &py)) {
    if (grad_x)
      INTERNAL(fill_nan)(ball, grad_x, NULL);
    if (grad_y)
      INTERNAL(fill_nan)(ball, grad_y, NULL);
    return;
  }
  pair p;
  INTERNAL(load_pair)(&f, &px, &py, &p);
  INTERNAL(load_tangent)(&p);
  combination at_x = {{0.0, 0.0}, {0.0, 0.0}}, at_y = at_x;
  if (!p.equal) {
    dd unit = dd_div_d(f.root_k, 2.0 * f.radius), x_unit = dd_mul(px.gap, unit), y_unit = dd_mul(py.gap, unit);
    dd ratio = dd_div(py.gap, px.gap);
    at_x = (combination){dd_neg(dd_mul(x_unit, p.tangent.first)), dd_neg(dd_mul(x_unit, p.tangent.second))};
    at_y = (combination){dd_mul(dd_mul(y_unit, ratio), p.tangent.first), dd_neg(dd_mul(y_unit, p.tangent.second))};
  }
  for (int i = 0; i < f.dim; i++) {
    dd delta = first_of(&p, i);
    double xi = entry(&px, i), yi = entry(&py, i);
    if (grad_x)
      grad_x[i] = to_real(&f, combined(at_x, delta, xi));
    if (grad_y)
      grad_y[i] = to_real(&f, combined(at_y, delta, yi));
  }
}

void NAME(hessian)(const geodisk_ball *ball, const real *x, const real *y, const real *v, real *out) {
  frame f;
  point px, py;
  heading h;
  if (!INTERNAL(load_points)(ball, x, y, &f, &px, &py) || !INTERNAL(load_heading)(f.dim, v, 1.0, &h)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return;
  }
  pair p;
  INTERNAL(load_pair)(&f, &px, &py, &p);
  INTERNAL(load_tangent)(&p);
  if (p.equal || p.half_exponent < 0 || h.scale == 0.0) { /* theta coth(theta) = 1 */
    for (int i = 0; i < f.dim; i++)
      out[i] = v[i];
    return;
  }
  /* theta coth(theta) = theta (2 - E) / E with E = 1 - e^(-2 theta) */
  dd theta = dd_scale(p.half, 2.0);
  dd e = dd_neg(dd_expm1(dd_scale(theta, -2.0)));
  dd across = dd_div(dd_mul(theta, dd_add_d(dd_neg(e), 2.0)), e);
  sum2 along = {0.0, 0.0}; /* m . v, v scaled */
  for (int i = 0; i < f.dim; i++)
    sum2_add(&along, dd_mul_d(combined(p.tangent, first_of(&p, i), second_of(&p, i)), (double)v[i] * h.scale));
  dd pull = dd_mul(dd_add_d(dd_neg(across), 1.0), sum2_value(&along));
  combination c = {dd_mul(pull, p.tangent.first), dd_mul(pull, p.tangent.second)};
  for (int i = 0; i < f.dim; i++) {
    dd stretched = dd_mul_d(across, (double)v[i] * h.scale);
    out[i] = to_real_wide(dd_add(stretched, combined(c, first_of(&p, i), second_of(&p, i))), h.exponent);
  }
}

/* distance.c - d(x,y) = (2/sqrt k) asinh(R |x-y| / sqrt(S T)), its gradients, and the Hessian of d^2/2; plain and (x, gap). */
#include "point.h"

static real distance_of(const geodisk_ball *ball, const real *x, const real *x_gap, const real *y, const real *y_gap) {
  frame f;
  point px, py;
  pair p;
  if (!INTERNAL(load_points)(ball, x, x_gap, y, y_gap, &f, &px, &py))
    return (real)NAN;
  INTERNAL(load_pair)(&f, &px, &py, &p);
  return length_of(&p);
}

real NAME(distance)(const geodisk_ball *ball, const real *x, const real *y) { return distance_of(ball, x, NULL, y, NULL); }

real NAME(distance_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *y, real y_gap) {
  return distance_of(ball, x, &x_gap, y, &y_gap);
}

/* A unit tangent at x is S sqrt(k) / (2R) long in coordinates. From plain coordinates the one at y towards x is along
 * -T delta - |delta|^2 y, which is as long as the one at x, S delta - |delta|^2 x; in polar form y has a pair of its own, `back`.
 * Entry by entry, so that outputs may overlap inputs. */
static void gradients_of(const pair *p, const pair *back, real *grad_x, real *grad_y) {
  const frame *f = p->f;
  const point *x = p->x, *y = p->y;
  combination at_x = {{0.0, 0.0}, {0.0, 0.0}}, at_y = at_x;
  if (!p->equal) {
    const dd unit = dd_div_d(f->root_k, -2.0 * f->radius), x_unit = dd_mul(x->gap, unit), y_unit = dd_mul(y->gap, unit);
    at_x = (combination){dd_mul(x_unit, p->tangent.first), dd_mul(x_unit, p->tangent.second)};
    at_y = p->polar ? (combination){dd_mul(y_unit, back->tangent.first), dd_mul(y_unit, back->tangent.second)}
                    : (combination){dd_neg(dd_mul(dd_mul(y_unit, dd_div(y->gap, x->gap)), p->tangent.first)),
                                    dd_mul(y_unit, p->tangent.second)};
  }
  for (int i = 0; i < f->dim; i++) {
    const dd first = first_of(p, i), back_first = p->polar ? first_of(back, i) : first;
    const double second = second_of(p, i), back_second = p->polar ? second_of(back, i) : entry(y, i);
    if (grad_x)
      grad_x[i] = to_real(f, combined(at_x, first, second));
    if (grad_y)
      grad_y[i] = to_real(f, combined(at_y, back_first, back_second));
  }
}

static real distance_and_gradients(const geodisk_ball *ball, const real *x, const real *x_gap, const real *y, const real *y_gap,
                                   real *grad_x, real *grad_y) {
  frame f;
  point px, py;
  if (!INTERNAL(load_points)(ball, x, x_gap, y, y_gap, &f, &px, &py)) {
    if (grad_x)
      INTERNAL(fill_nan)(ball, grad_x, NULL);
    if (grad_y)
      INTERNAL(fill_nan)(ball, grad_y, NULL);
    return (real)NAN;
  }
  pair p, back;
  INTERNAL(load_pair)(&f, &px, &py, &p);
  INTERNAL(load_tangent)(&p);
  if (p.polar && grad_y) {
    INTERNAL(load_pair)(&f, &py, &px, &back);
    INTERNAL(load_tangent)(&back);
  }
  gradients_of(&p, p.polar && grad_y ? &back : &p, grad_x, grad_y);
  return length_of(&p);
}

void NAME(distance_gradient)(const geodisk_ball *ball, const real *x, const real *y, real *grad_x, real *grad_y) {
  (void)distance_and_gradients(ball, x, NULL, y, NULL, grad_x, grad_y);
}

real NAME(distance_gradient_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *y, real y_gap, real *grad_x,
                                 real *grad_y) {
  return distance_and_gradients(ball, x, &x_gap, y, &y_gap, grad_x, grad_y);
}

void NAME(hessian)(const geodisk_ball *ball, const real *x, const real *y, const real *v, real *out) {
  frame f;
  point px, py;
  heading h;
  if (!INTERNAL(load_points)(ball, x, NULL, y, NULL, &f, &px, &py) || !INTERNAL(load_heading)(f.dim, v, 1.0, &h)) {
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

/* distance.c - d(x,y) = (2/sqrt k) asinh(R |x-y| / sqrt(S T)), its gradients, and the Hessian of d^2/2; plain and (x, gap). */
#include "point.h"

static bool load(const geodisk_ball *ball, const real *x, const real *y, frame *f, point *px, point *py) {
  return INTERNAL(load_frame)(ball, f) && INTERNAL(load_point)(f, x, 1.0, px) && INTERNAL(load_point)(f, y, 1.0, py);
}

static real distance_between(const frame *f, const point *x, const point *y) {
  pair p;
  INTERNAL(load_pair)(f, x, y, &p);
  return p.equal ? (real)0.0 : (real)dd_round(dd_div(dd_scale(p.half, 2.0), f->root_k));
}

real NAME(distance)(const geodisk_ball *ball, const real *x, const real *y) {
  frame f;
  point px, py;
  return load(ball, x, y, &f, &px, &py) ? distance_between(&f, &px, &py) : (real)NAN;
}

real NAME(distance_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *y, real y_gap) {
  frame f;
  point px, py;
  if (!INTERNAL(load_frame)(ball, &f) || !INTERNAL(load_point_gap)(&f, x, (double)x_gap, &px) ||
      !INTERNAL(load_point_gap)(&f, y, (double)y_gap, &py))
    return (real)NAN;
  return distance_between(&f, &px, &py);
}

/* Both gradients entry by entry, so that outputs may overlap inputs. */
void NAME(distance_gradient)(const geodisk_ball *ball, const real *x, const real *y, real *grad_x, real *grad_y) {
  frame f;
  point px, py;
  if (!load(ball, x, y, &f, &px, &py)) {
    if (grad_x)
      INTERNAL(fill_nan)(ball, grad_x);
    if (grad_y)
      INTERNAL(fill_nan)(ball, grad_y);
    return;
  }
  pair forward, back;
  INTERNAL(load_pair)(&f, &px, &py, &forward);
  INTERNAL(load_pair)(&f, &py, &px, &back);
  dd unit = dd_div(f.root_k, dd_from(-2.0 * f.radius)); /* a tangent of length 1 at x is S sqrt(k) / (2R) long in coordinates */
  for (int i = 0; i < f.dim; i++) {
    dd gx = {0.0, 0.0}, gy = {0.0, 0.0};
    if (!forward.equal) {
      gx = dd_mul(dd_mul(px.gap, unit), INTERNAL(tangent)(&forward, i));
      gy = dd_mul(dd_mul(py.gap, unit), INTERNAL(tangent)(&back, i));
    }
    if (grad_x)
      grad_x[i] = to_real(&f, gx);
    if (grad_y)
      grad_y[i] = to_real(&f, gy);
  }
}

void NAME(hessian)(const geodisk_ball *ball, const real *x, const real *y, const real *v, real *out) {
  frame f;
  point px, py;
  heading h;
  if (!load(ball, x, y, &f, &px, &py) || !INTERNAL(load_heading)(f.dim, v, 1.0, &h)) {
    INTERNAL(fill_nan)(ball, out);
    return;
  }
  pair p;
  INTERNAL(load_pair)(&f, &px, &py, &p);
  if (p.equal || h.scale == 0.0) {
    for (int i = 0; i < f.dim; i++)
      out[i] = v[i];
    return;
  }
  /* theta coth(theta) = theta (2 - E) / E with E = 1 - e^(-2 theta) */
  dd theta = dd_scale(p.half, 2.0);
  dd e = dd_neg(dd_expm1(dd_scale(theta, -2.0)));
  dd across = dd_div(dd_mul(theta, dd_add_d(dd_neg(e), 2.0)), e);
  dd along = {0.0, 0.0}; /* m . v, v scaled */
  for (int i = 0; i < f.dim; i++)
    along = dd_add(along, dd_mul_d(INTERNAL(tangent)(&p, i), (double)v[i] * h.scale));
  dd pull = dd_mul(dd_add_d(dd_neg(across), 1.0), along);
  for (int i = 0; i < f.dim; i++) {
    dd entry = dd_add(dd_mul_d(across, (double)v[i] * h.scale), dd_mul(pull, INTERNAL(tangent)(&p, i)));
    out[i] = (real)(dd_round(entry) / h.scale);
  }
}

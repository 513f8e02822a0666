/* transport.c - parallel transport along the geodesic from x to y, as two reflections; plain and (x, gap).
 *
 *     (T/S) (I - 2cc') (I - 2mm') v,     c along y - x, m the unit tangent at x towards y
 */
#include "point.h"

/* The result is v + (number) a + (number) b, a and b the vectors of the pair. c.m = (S + T + |delta|^2) / (2 sqrt(S T) cosh(h)),
 * since 2 x.delta = S - T - |delta|^2. */
void INTERNAL(reflect_twice)(const pair *p, const heading *h, dd factor, int exponent, real *out) {
  const int dim = p->f->dim;
  const real *v = h->v;
  combination sum = {{0.0, 0.0}, {0.0, 0.0}};
  if (!p->equal && h->scale != 0.0) {
    sum2 a_sum = {0.0, 0.0}, b_sum = {0.0, 0.0};
    for (int i = 0; i < dim; i++) {
      double vi = (double)v[i] * h->scale;
      sum2_add(&a_sum, dd_mul_d(first_of(p, i), vi));
      sum2_add(&b_sum, two_prod(second_of(p, i), vi));
    }
    dd av = sum2_value(&a_sum), bv = sum2_value(&b_sum);
    combination c = p->forward, m = p->tangent;
    dd cv = dd_add(dd_mul(c.first, av), dd_mul(c.second, bv)), mv = dd_add(dd_mul(m.first, av), dd_mul(m.second, bv));
    dd square = dd_sqr(dd_ldexp(p->length, p->exponent));
    dd cm = dd_div(dd_add(dd_add(p->x->gap, p->y->gap), square), dd_scale(p->hypotenuse, 2.0));
    dd along_m = dd_scale(mv, -2.0), along_c = dd_scale(dd_add(cv, dd_mul(along_m, cm)), -2.0);
    sum.first = dd_add(dd_mul(along_m, m.first), dd_mul(along_c, c.first));
    sum.second = dd_add(dd_mul(along_m, m.second), dd_mul(along_c, c.second));
  }
  for (int i = 0; i < dim; i++) {
    dd moved = p->equal ? dd_from(0.0) : combined(sum, first_of(p, i), second_of(p, i));
    out[i] = to_real_wide(dd_mul(factor, dd_add_d(moved, (double)v[i] * h->scale)), exponent + h->exponent);
  }
}

static void transport_of(const geodisk_ball *ball, const real *x, const real *x_gap, const real *y, const real *y_gap,
                         const real *v, real *out) {
  frame f;
  point px, py;
  pair p;
  heading h;
  if (!INTERNAL(load_points)(ball, x, x_gap, y, y_gap, &f, &px, &py) || !INTERNAL(load_heading)(f.dim, v, 1.0, &h)) {
    INTERNAL(fill_nan)(ball, out, NULL);
    return;
  }
  INTERNAL(load_pair)(&f, &px, &py, &p);
  INTERNAL(load_tangent)(&p);
  int x_exponent, y_exponent;
  dd ratio = dd_div(normalised(py.gap, &y_exponent), normalised(px.gap, &x_exponent));
  INTERNAL(reflect_twice)(&p, &h, ratio, y_exponent - x_exponent, out);
}

void NAME(transport)(const geodisk_ball *ball, const real *x, const real *y, const real *v, real *out) {
  transport_of(ball, x, NULL, y, NULL, v, out);
}

void NAME(transport_gap)(const geodisk_ball *ball, const real *x, real x_gap, const real *y, real y_gap, const real *v,
                         real *out) {
  transport_of(ball, x, &x_gap, y, &y_gap, v, out);
}

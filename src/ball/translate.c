/* translate.c - the one isometry behind exp, Moebius addition and re-centring: walk from x in direction n by D = 2 artanh(t).
 *
 *   z = n + t x/R,     x' - x = (S t / R) z / |z|^2,     S' = S (1 - t^2) / |z|^2
 *
 * |z| is small only when walking from near the rim straight inward. With rho = |x|/R, x^ = x/|x| and q = 1 - t rho =
 * (1-t) + t (1-rho), 1-rho = S / (R^2 (1+rho)), nothing cancels:
 *
 *   z = (n + x^) - q x^,     |z|^2 = q^2 + t rho |n + x^|^2
 *
 * docs/math.md derives it. q and |z| are carried times a power of two, so that walks from radius 600 to radius 600 on the other
 * side stay in range. */
#include "point.h"

/* Beyond this length a walk from anywhere a double can tell ends deeper than any gap. */
#define LONGEST_WALK 4000.0

void INTERNAL(set_walk_length)(dd length, walk *w) {
  if (!(length.hi <= LONGEST_WALK))
    length = dd_from(LONGEST_WALK);
  dd f = dd_neg(dd_expm1(dd_neg(length))); /* 1 - e^-D */
  dd sum = dd_add_d(dd_neg(f), 2.0);       /* 1 + e^-D */
  w->t = dd_div(f, sum);
  dd rest;
  dd_exp_split(dd_neg(length), &rest, &w->rest_exponent);
  w->rest = dd_div(dd_scale(dd_add_d(rest, 1.0), 2.0), sum); /* 1 - t = 2 e^-D / (1 + e^-D) */
}

static dd walk_direction(const walk *w, int i) {
  if (w->along)
    return direction(w->along, i);
  dd m = INTERNAL(tangent)(w->geodesic, i);
  return w->sign < 0 ? dd_neg(m) : m;
}

/* Entry i of n + x^. For Moebius addition of nearly opposite points of nearly the same radius, whose result depends on every
 * digit of this, from the exact x + y: ((x + y) + x (|y|-|x|)/|x|) / |y|. */
static dd sideways(const frame *f, const point *p, const walk *w, dd stretch, int i) {
  if (!w->same_size)
    return dd_add(walk_direction(w, i), direction(&p->toward, i));
  double xi = p->sign * (double)p->x[i] * f->scale, yi = w->same_size->sign * (double)w->same_size->x[i] * f->scale;
  dd s = dd_add(two_sum(xi, yi), dd_mul_d(stretch, xi));
  return dd_mul(s, dd_div(w->same_size->toward.unit, dd_from(f->scale / fabs(w->same_size->toward.scale))));
}

static dd same_size_stretch(const frame *f, const point *p, const point *y) {
  dd s = {0.0, 0.0};
  for (int i = 0; i < f->dim; i++) {
    double xi = p->sign * (double)p->x[i] * f->scale, yi = y->sign * (double)y->x[i] * f->scale;
    s = dd_add(s, dd_mul(two_sum(yi, -xi), two_sum(yi, xi)));
  }
  dd x_length = dd_scale(p->toward.length, f->scale), y_length = dd_scale(y->toward.length, f->scale);
  return dd_div(s, dd_mul(x_length, dd_add(x_length, y_length)));
}

static void translate_from_origin(const frame *f, const walk *w, real *out, real *out_gap) {
  dd length = dd_mul_d(w->t, f->radius);
  for (int i = 0; i < f->dim; i++)
    out[i] = to_real(f, dd_mul(length, walk_direction(w, i)));
  dd gap = dd_mul(f->radius2, dd_mul(w->rest, dd_add_d(w->t, 1.0)));
  if (out_gap)
    *out_gap = INTERNAL(gap_to_real)(f, gap, w->rest_exponent);
}

/* How far n is from -x^, and whether it is exactly x^. */
static dd compare_directions(const frame *f, const point *p, const walk *w, dd stretch, bool *parallel) {
  dd square = {0.0, 0.0};
  *parallel = true;
  for (int i = 0; i < f->dim; i++) {
    square = dd_add(square, dd_sqr(sideways(f, p, w, stretch, i)));
    dd turn = dd_sub(walk_direction(w, i), direction(&p->toward, i));
    if (turn.hi != 0.0)
      *parallel = false;
  }
  return dd_sqrt(square);
}

/* The binary exponent of a >= 0, far below all others for 0. */
static int exponent_of(dd a) { return a.hi > 0.0 ? ilogb(a.hi) : -4 * (int)LONGEST_WALK; }

void INTERNAL(translate)(const frame *f, const point *p, const walk *w, real *out, real *out_gap) {
  if (p->at_origin) {
    translate_from_origin(f, w, out, out_gap);
    INTERNAL(settle)(f, out);
    return;
  }
  bool parallel;
  dd stretch = w->same_size ? same_size_stretch(f, p, w->same_size) : dd_from(0.0);
  dd aside = compare_directions(f, p, w, stretch, &parallel);

  dd one_minus_rho = dd_div(p->gap, dd_mul(f->radius2, dd_add_d(p->rho, 1.0)));
  dd inward = dd_mul(w->t, one_minus_rho); /* q = (1-t) + inward */
  int largest = w->rest_exponent + exponent_of(w->rest);
  if (exponent_of(inward) > largest)
    largest = exponent_of(inward);
  if (exponent_of(aside) > largest)
    largest = exponent_of(aside);
  int k = -largest; /* z times 2^k is near 1 */
  dd q = dd_add(dd_ldexp(w->rest, w->rest_exponent + k), dd_ldexp(inward, k));
  dd z2 = dd_add(dd_sqr(q), dd_mul(dd_mul(w->t, p->rho), dd_sqr(dd_ldexp(aside, k))));
  dd z_unit = dd_inv(dd_sqrt(z2));

  dd gap_over_z = dd_mul(dd_ldexp(p->gap, k), z_unit);
  dd step = dd_div(dd_mul(w->t, gap_over_z), dd_from(f->radius)); /* x' - x = step z/|z| */
  dd gap = dd_mul(gap_over_z, dd_mul(dd_mul(w->rest, dd_add_d(w->t, 1.0)), z_unit));
  int gap_exponent = w->rest_exponent + k;
  if (out_gap)
    *out_gap = INTERNAL(gap_to_real)(f, gap, gap_exponent);

  /* Along its own ray, deeper than coordinates can tell: the direction must not be rounded again. */
  double deep = BEYOND_COORDINATES * f->radius2.hi;
  bool same_side = parallel || (aside.hi == 0.0 && step.hi < f->radius * p->rho.hi);
  bool keep = same_side && p->rho_from_gap && p->gap.hi < deep && ldexp(gap.hi, gap_exponent) < deep;
  for (int i = 0; i < f->dim; i++) {
    dd z = dd_sub(dd_ldexp(sideways(f, p, w, stretch, i), k), dd_mul(q, direction(&p->toward, i)));
    out[i] = keep ? p->x[i] : to_real(f, dd_add(INTERNAL(coordinate)(f, p, i), dd_mul(step, dd_mul(z, z_unit))));
  }
  INTERNAL(settle)(f, out);
}

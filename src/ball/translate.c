/* translate.c - the one isometry behind exp, Moebius addition and re-centring: walk from x in direction n by D = 2 artanh(t).
 *
 *     z = n + t x/R,     x' - x = (S t / R) z / |z|^2,     S' = S (1 - t^2) / |z|^2
 *
 * |z| is small only when walking from near the rim straight inward. Let rho = |x|/R, n = c x^ + s e (e the unit vector across
 * x^), 1 - rho = S / (R^2 (1+rho)) and q = 1 - t rho = (1-t) + t (1-rho). Then for c < 0, with 1 + c = s^2 / (1-c), nothing
 * cancels in
 *
 *     |z|^2 = q^2 + 2 t rho (1+c)
 *     x'    = ( R [(rho-t) q + (1+c) t (1+rho^2)] x^ + (S t / R) s e ) / |z|^2
 *
 * and for c >= 0 the bracket is rho (1+t^2) + c t (1+rho^2). docs/math.md derives it (q is b there). q, s, rho - t and |z| are
 * carried times a power of two, so that walks from radius 600 to radius 600 on the other side stay in range. */
#include "point.h"

void INTERNAL(set_walk_length)(const frame *f, dd length, int exponent, walk *w) {
  dd d = dd_ldexp(length, exponent), power; /* e^-D = power 2^rest_exponent */
  if (!(d.hi <= LONGEST_WALK))
    d = dd_from(LONGEST_WALK);
  dd drop = dd_neg(dd_expm1_split(dd_neg(d), &power, &w->rest_exponent)); /* 1 - e^-D */
  dd unit = dd_inv(dd_add_d(dd_neg(drop), 2.0));                          /* 1 / (1 + e^-D) */
  w->t = dd_mul(drop, unit);
  w->rest = dd_scale(dd_mul(power, unit), 2.0);
  bool minute = d.hi < 0x1p-100; /* tanh(D/2) = D/2 */
  w->reach = minute ? dd_ldexp(dd_mul_d(length, f->radius), exponent - 1) : dd_mul_d(w->t, f->radius);
}

void INTERNAL(walk_toward)(const frame *f, const point *p, const heading *h, turn *t, walk *w) {
  INTERNAL(load_turn)(f->dim, &p->toward, h, t);
  *w = (walk){.turn = t, .cosine = t->cosine, .first = t->unit};
}

static void translate_from_origin(const frame *f, const walk *w, real *out, real *out_gap) {
  const heading *to = w->turn->to;
  dd factor = dd_mul(dd_mul(w->reach, w->cosine), to->unit);
  for (int i = 0; i < f->dim; i++)
    out[i] = to_real(f, dd_mul_d(factor, (double)to->v[i] * to->scale));
  if (out_gap)
    *out_gap = INTERNAL(gap_of_walk)(f, dd_mul(f->radius2, dd_mul(w->rest, dd_add_d(w->t, 1.0))), w->rest_exponent);
}

/* k such that 2^k times the largest of 1-t, t (1-rho) and s, which make up |z|, is about 1. */
static int scale_of_z(const frame *f, const point *p, const walk *w, dd sine) {
  int largest = ilogb(p->gap.hi) - ilogb(f->radius2.hi); /* of 1-rho, about; when t is small 1-t is larger */
  if (w->rest_exponent > largest)
    largest = w->rest_exponent;
  if (sine.hi != 0.0 && ilogb(sine.hi) > largest)
    largest = ilogb(sine.hi);
  return -largest;
}

/* Where a walk ends: x' = along x^ + first (a - slope b), a and b as in its turn; the gap is gap * 2^gap_exponent. Frame units.
 */
typedef struct landing {
  dd along, first;
  dd gap;
  int gap_exponent;
} landing;

static landing land(const frame *f, const point *p, const walk *w) {
  const dd t = w->t, rho = p->rho, sine = dd_mul(w->first, w->turn->across);
  bool inward = w->cosine.hi < 0.0;
  int k = inward ? scale_of_z(f, p, w, sine) : 0;
  /* These and what follows times 2^k: s, 1 - t, S, 1 - rho^2, 1 - rho, q. */
  dd s = dd_ldexp(sine, k), rest = dd_ldexp(w->rest, w->rest_exponent + k), gap = dd_ldexp(p->gap, k);
  dd depth2 = dd_div(gap, f->radius2);
  dd depth = dd_div(depth2, dd_add_d(rho, 1.0));
  dd q = dd_add(rest, dd_mul(t, depth));
  dd reach = dd_mul(w->reach, dd_add_d(dd_sqr(rho), 1.0)); /* R t (1 + rho^2) */
  dd lean, along;                                          /* 1 + c and R times the bracket, times 2^2k */
  if (inward) {
    bool near_rim = rho.hi > 0.5 && t.hi > 0.5;
    dd ahead = near_rim ? dd_mul_d(dd_sub(rest, depth), f->radius) : dd_ldexp(dd_sub(p->radius, w->reach), k); /* R (rho - t) */
    lean = dd_div(dd_sqr(s), dd_add_d(dd_neg(w->cosine), 1.0));
    along = dd_add(dd_mul(ahead, q), dd_mul(lean, reach));
  } else {
    lean = dd_add_d(w->cosine, 1.0);
    along = dd_add(dd_mul(p->radius, dd_add_d(dd_sqr(t), 1.0)), dd_mul(w->cosine, reach));
  }
  dd unit = dd_inv(dd_add(dd_sqr(q), dd_scale(dd_mul(dd_mul(t, rho), lean), 2.0))); /* 1 / |z|^2 */
  return (landing){.along = dd_mul(along, unit),
                   .first = dd_mul(dd_mul(w->reach, dd_mul(depth2, unit)), dd_ldexp(w->first, k)),
                   .gap = dd_mul(dd_mul(gap, unit), dd_mul(w->rest, dd_add_d(t, 1.0))),
                   .gap_exponent = w->rest_exponent + k};
}

void INTERNAL(translate)(const frame *f, const point *p, const walk *w, real *out, real *out_gap) {
  if (p->toward.scale == 0.0) {
    translate_from_origin(f, w, out, out_gap);
    INTERNAL(settle)(f, out);
    return;
  }
  landing end = land(f, p, w);
  if (out_gap)
    *out_gap = INTERNAL(gap_of_walk)(f, end.gap, end.gap_exponent);

  /* Along its own ray, deeper than coordinates can tell: the direction must not be rounded again. */
  double deep = BEYOND_COORDINATES * f->radius2.hi;
  bool same_ray = w->first.hi == 0.0 && end.along.hi > 0.0;
  if (same_ray && p->rho_from_gap && p->gap.hi < deep && ldexp(end.gap.hi, end.gap_exponent) < deep) {
    for (int i = 0; i < f->dim; i++)
      out[i] = p->x[i];
    return;
  }
  const turn *t = w->turn;
  combination c = in_plane(t, end.along, end.first);
  for (int i = 0; i < f->dim; i++)
    out[i] = to_real(f, combined(c, determinant(t, i), (double)t->from->v[i] * t->from->scale));
  INTERNAL(settle)(f, out);
}

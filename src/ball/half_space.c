/* half_space.c - the score d(p,c) - d(o,c) of "c is below p", o a centre, and its gradients; plain and (x, gap).
 *
 * The points nearer to p than to o, those with a score below 0, form a half-space around p. Both distances are taken in
 * double-double, so that their difference keeps its digits unless they agree to fifty bits; near the origin it is formed another
 * way. */
#include "point.h"

/* Half of a distance, times sqrt(k): number * 2^exponent. */
typedef struct half {
  dd number;
  int exponent; /* not 0 only for minute distances */
} half;

/* What a score is made of. Without a centre o is the origin. */
typedef struct triple {
  frame f;
  point o, p, c;
  bool centred;
} triple;

static half half_between(const frame *f, const point *x, const point *y) {
  pair p;
  INTERNAL(load_pair)(f, x, y, &p);
  return p.equal ? (half){{0.0, 0.0}, 0} : (half){p.half, p.half_exponent};
}

/* Of the origin and a point with its direction loaded: sinh(h) = |x| / sqrt(S). */
static half half_radius(const point *x) {
  if (x->radius.hi == 0.0)
    return (half){{0.0, 0.0}, 0};
  int exponent, root_exponent;
  half h;
  const dd a = dd_div(normalised(x->radius, &exponent), normalised(dd_sqrt(x->gap), &root_exponent));
  h.number = INTERNAL(asinh_wide)(a, exponent - root_exponent, &h.exponent);
  return h;
}

/* sinh(h) for h > 0, as a number and an exponent. */
static dd wide_sinh(half h, int *exponent) {
  *exponent = h.exponent;
  if (h.exponent != 0)
    return h.number; /* h + h^3/6 */
  if (h.number.hi < 1.0) {
    const dd e = dd_expm1(h.number);
    return dd_scale(dd_add(e, dd_div(e, dd_add_d(e, 1.0))), 0.5);
  }
  const int twos = (int)(h.number.hi / DD_LN2.hi);
  const dd rest = dd_sub(h.number, dd_mul_d(DD_LN2, twos));
  *exponent = twos - 1;
  return dd_mul(dd_add_d(dd_expm1(rest), 1.0), dd_neg(dd_expm1(dd_scale(h.number, -2.0))));
}

/* How near to the origin p must be for the difference of distances to be formed another way. */
#define NEAR_ORIGIN 0x1p-20

/* Where p is much nearer to the origin than c both distances agree, and their difference D (half of it, times sqrt(k)) is
 *
 *     sinh(D) = sinh(h + h')^-1 |p| R^2 v / (S(p) S(c)),     v = |p| (1 + |c|^2/R^2) - 2 p^.c,
 *
 * h and h' the two halves: sinh(h)^2 - sinh(h')^2 = sinh(h - h') sinh(h + h'). */
static real score_near_origin(const triple *t, half sum) {
  const frame *f = &t->f;
  const point *p = &t->p, *c = &t->c;
  sum2 along = {0.0, 0.0}; /* p^.(p - 2c), whose entries are exact: c may be p/2, where all but the last term is 0 */
  for (int i = 0; i < f->dim; i++) {
    const double x = entry(p, i), y = -2.0 * entry(c, i);
    sum2_add(&along, dd_mul(direction(&p->toward, i), c->rho_from_gap ? dd_add_d(dd_mul_d(c->stretch, y), x) : two_sum(x, y)));
  }
  const dd share = dd_sqr(dd_div_d(c->radius, f->radius));
  const dd v = dd_add(sum2_value(&along), dd_mul(p->radius, share));
  if (v.hi == 0.0)
    return (real)0.0;
  int e[5], exponent;
  const dd above =
      dd_mul(dd_mul(normalised(p->radius, &e[0]), normalised(v.hi < 0.0 ? dd_neg(v) : v, &e[1])), normalised(f->radius2, &e[2]));
  const dd below = dd_mul(normalised(p->gap, &e[3]), normalised(c->gap, &e[4]));
  int sinh_exponent, own;
  const dd sinh = normalised(wide_sinh(sum, &sinh_exponent), &own);
  const dd a = normalised(dd_div(above, dd_mul(below, sinh)), &exponent);
  const dd d = INTERNAL(asinh_wide)(a, exponent + e[0] + e[1] + e[2] - e[3] - e[4] - sinh_exponent - own, &exponent);
  return to_real_wide(dd_div(v.hi < 0.0 ? dd_neg(d) : d, f->root_k), exponent + 1);
}

static real score_of(const triple *t) {
  if (!t->centred && t->p.radius.hi == 0.0)
    return (real)0.0; /* p is the origin */
  const half near = half_between(&t->f, &t->p, &t->c);
  const half far = t->centred ? half_between(&t->f, &t->o, &t->c) : half_radius(&t->c);
  const bool both = near.number.hi > 0.0 && far.number.hi > 0.0;
  int exponent = near.exponent > far.exponent ? near.exponent : far.exponent;
  if (!both) /* the exponent of 0 says nothing */
    exponent = near.exponent + far.exponent;
  const dd first = dd_ldexp(near.number, near.exponent - exponent), second = dd_ldexp(far.number, far.exponent - exponent);
  if (!t->centred && both && t->p.radius.hi < NEAR_ORIGIN * t->f.radius)
    return score_near_origin(t, (half){dd_add(first, second), exponent});
  return to_real_wide(dd_div(dd_sub(first, second), t->f.root_k), exponent + 1);
}

/* The centre has no gap of its own: that of its coordinates. */
static bool load(const geodisk_ball *ball, const real *centre, const real *p, const real *p_gap, const real *c, const real *c_gap,
                 triple *t) {
  t->centred = centre != NULL;
  if (!INTERNAL(load_points)(ball, p, p_gap, c, c_gap, &t->f, &t->p, &t->c))
    return false;
  if (p_gap == NULL) {
    INTERNAL(load_direction)(&t->f, &t->p);
    INTERNAL(load_direction)(&t->f, &t->c);
  }
  if (!t->centred || p_gap == NULL)
    return !t->centred || INTERNAL(load_point)(&t->f, centre, 1.0, &t->o);
  const dd gap = INTERNAL(exact_gap)(&t->f, centre);
  return gap.hi > 0.0 && INTERNAL(load_point_gap)(&t->f, centre, (double)INTERNAL(gap_to_real)(&t->f, gap, 0), &t->o);
}

real NAME(half_space_score)(const geodisk_ball *ball, const real *centre, const real *p, const real *c) {
  triple t;
  return load(ball, centre, p, NULL, c, NULL, &t) ? score_of(&t) : (real)NAN;
}

real NAME(half_space_score_gap)(const geodisk_ball *ball, const real *centre, const real *p, real p_gap, const real *c,
                                real c_gap) {
  triple t;
  return load(ball, centre, p, &p_gap, c, &c_gap, &t) ? score_of(&t) : (real)NAN;
}

/* ---- gradients --------------------------------------------------------------------------------------------------------- */

/* Entry i of the unit tangent at x towards y; 0 for equal points. */
static dd tangent_entry(const pair *p, int i) {
  return p->equal ? dd_from(0.0) : combined(p->tangent, first_of(p, i), second_of(p, i));
}

/* In p: the unit tangent away from c. In c: away from p, less away from o. Unit tangents at x are S sqrt(k) / (2R) long. */
static void gradients_of(const triple *t, real *grad_p, real *grad_c) {
  const dd unit = dd_div_d(t->f.root_k, 2.0 * t->f.radius);
  const dd p_unit = dd_mul(t->p.gap, unit), c_unit = dd_mul(t->c.gap, unit);
  pair from_p, from_c, to_centre = {.equal = true};
  INTERNAL(load_pair)(&t->f, &t->p, &t->c, &from_p);
  INTERNAL(load_tangent)(&from_p);
  INTERNAL(load_pair)(&t->f, &t->c, &t->p, &from_c);
  INTERNAL(load_tangent)(&from_c);
  if (t->centred) {
    INTERNAL(load_pair)(&t->f, &t->c, &t->o, &to_centre);
    INTERNAL(load_tangent)(&to_centre);
  }
  const bool inward = !t->centred && t->c.toward.scale != 0.0;
  for (int i = 0; i < t->f.dim; i++) { /* entry by entry, so that outputs may overlap inputs */
    const dd at_p = dd_neg(dd_mul(p_unit, tangent_entry(&from_p, i)));
    const dd inwards = inward ? dd_neg(direction(&t->c.toward, i)) : tangent_entry(&to_centre, i);
    const dd at_c = dd_mul(c_unit, dd_sub(inwards, tangent_entry(&from_c, i)));
    if (grad_p)
      grad_p[i] = to_real(&t->f, at_p);
    if (grad_c)
      grad_c[i] = to_real(&t->f, at_c);
  }
}

static void write_gradients(const geodisk_ball *ball, const real *centre, const real *p, const real *p_gap, const real *c,
                            const real *c_gap, real *grad_p, real *grad_c) {
  triple t;
  if (load(ball, centre, p, p_gap, c, c_gap, &t)) {
    gradients_of(&t, grad_p, grad_c);
    return;
  }
  if (grad_p)
    INTERNAL(fill_nan)(ball, grad_p, NULL);
  if (grad_c)
    INTERNAL(fill_nan)(ball, grad_c, NULL);
}

void NAME(half_space_gradient)(const geodisk_ball *ball, const real *centre, const real *p, const real *c, real *grad_p,
                               real *grad_c) {
  write_gradients(ball, centre, p, NULL, c, NULL, grad_p, grad_c);
}

void NAME(half_space_gradient_gap)(const geodisk_ball *ball, const real *centre, const real *p, real p_gap, const real *c,
                                   real c_gap, real *grad_p, real *grad_c) {
  write_gradients(ball, centre, p, &p_gap, c, &c_gap, grad_p, grad_c);
}

/* ---- batches ------------------------------------------------------------------------------------------------------------ */

/* Rows whose distances from the centre are taken at a time, and the largest dim for which the origin is at hand as a row. */
enum { CHUNK_ROWS = 2048, ORIGIN_DIM = 2048 };

/* out[i] -= d(o, c_i), the centre given. */
static void subtract_distances(geodisk_context *context, const geodisk_ball *ball, const real *centre, size_t n, const real *c,
                               const real *c_gap, real *out) {
  real far[CHUNK_ROWS];
  for (size_t first = 0; first < n; first += CHUNK_ROWS) {
    const size_t rows = n - first < CHUNK_ROWS ? n - first : CHUNK_ROWS;
    NAME(distance_many)(context, ball, centre, rows, c + first * (size_t)ball->dim, c_gap ? c_gap + first : NULL, far);
    for (size_t i = 0; i < rows; i++)
      out[first + i] -= far[i];
  }
}

void NAME(half_space_score_many)(geodisk_context *context, const geodisk_ball *ball, const real *centre, const real *p, size_t n,
                                 const real *c, const real *c_gap, real *out) {
  static const real origin[ORIGIN_DIM];
  if (centre != NULL || ball->dim <= ORIGIN_DIM) {
    NAME(distance_many)(context, ball, p, n, c, c_gap, out);
    subtract_distances(context, ball, centre != NULL ? centre : origin, n, c, c_gap, out);
    return;
  }
  const real p_gap = NAME(gap)(ball, p);
  for (size_t i = 0; i < n; i++) {
    const real *row = c + i * (size_t)ball->dim;
    out[i] = c_gap ? NAME(half_space_score_gap)(ball, NULL, p, p_gap, row, c_gap[i]) : NAME(half_space_score)(ball, NULL, p, row);
  }
}

void NAME(half_space_score_rows)(geodisk_context *context, const geodisk_ball *ball, const real *centre, size_t n, const real *p,
                                 const real *c, real *out) {
  static const real origin[ORIGIN_DIM];
  if (centre != NULL || ball->dim <= ORIGIN_DIM) {
    NAME(distance_rows)(context, ball, n, p, c, out);
    subtract_distances(context, ball, centre != NULL ? centre : origin, n, c, NULL, out);
    return;
  }
  for (size_t i = 0; i < n; i++)
    out[i] = NAME(half_space_score)(ball, NULL, p + i * (size_t)ball->dim, c + i * (size_t)ball->dim);
}

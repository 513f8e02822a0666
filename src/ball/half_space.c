/* half_space.c - the score d(p,c) - d(o,c) of "c is below p", o a centre, and its gradients; plain and (x, gap).
 *
 * The points nearer to p than to o, those with a score below 0, form a half-space around p. Both distances are taken in
 * double-double, so that their difference keeps its digits unless they agree to fifty bits. */
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

static real score_of(const triple *t) {
  const half near = half_between(&t->f, &t->p, &t->c);
  const half far = t->centred ? half_between(&t->f, &t->o, &t->c) : half_radius(&t->c);
  int exponent = near.exponent > far.exponent ? near.exponent : far.exponent;
  if (near.number.hi == 0.0 || far.number.hi == 0.0) /* the exponent of 0 says nothing */
    exponent = near.exponent + far.exponent;
  const dd difference = dd_sub(dd_ldexp(near.number, near.exponent - exponent), dd_ldexp(far.number, far.exponent - exponent));
  return to_real_wide(dd_div(difference, t->f.root_k), exponent + 1);
}

static bool load(const geodisk_ball *ball, const real *centre, const real *p, const real *c, triple *t) {
  t->centred = centre != NULL;
  if (!INTERNAL(load_points)(ball, p, c, &t->f, &t->p, &t->c))
    return false;
  INTERNAL(load_direction)(&t->f, &t->c);
  return !t->centred || INTERNAL(load_point)(&t->f, centre, 1.0, &t->o);
}

/* The centre has no gap of its own: that of its coordinates. */
static bool load_gap(const geodisk_ball *ball, const real *centre, const real *p, real p_gap, const real *c, real c_gap,
                     triple *t) {
  t->centred = centre != NULL;
  if (!INTERNAL(load_points_gap)(ball, p, p_gap, c, c_gap, &t->f, &t->p, &t->c))
    return false;
  if (!t->centred)
    return true;
  const dd gap = INTERNAL(exact_gap)(&t->f, centre);
  return gap.hi > 0.0 && INTERNAL(load_point_gap)(&t->f, centre, (double)INTERNAL(gap_to_real)(&t->f, gap, 0), &t->o);
}

real NAME(half_space_score)(const geodisk_ball *ball, const real *centre, const real *p, const real *c) {
  triple t;
  return load(ball, centre, p, c, &t) ? score_of(&t) : (real)NAN;
}

real NAME(half_space_score_gap)(const geodisk_ball *ball, const real *centre, const real *p, real p_gap, const real *c,
                                real c_gap) {
  triple t;
  return load_gap(ball, centre, p, p_gap, c, c_gap, &t) ? score_of(&t) : (real)NAN;
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

static void write_gradients(const geodisk_ball *ball, bool loaded, const triple *t, real *grad_p, real *grad_c) {
  if (loaded) {
    gradients_of(t, grad_p, grad_c);
    return;
  }
  if (grad_p)
    INTERNAL(fill_nan)(ball, grad_p, NULL);
  if (grad_c)
    INTERNAL(fill_nan)(ball, grad_c, NULL);
}

void NAME(half_space_gradient)(const geodisk_ball *ball, const real *centre, const real *p, const real *c, real *grad_p,
                               real *grad_c) {
  triple t;
  const bool loaded = load(ball, centre, p, c, &t);
  write_gradients(ball, loaded, &t, grad_p, grad_c);
}

void NAME(half_space_gradient_gap)(const geodisk_ball *ball, const real *centre, const real *p, real p_gap, const real *c,
                                   real c_gap, real *grad_p, real *grad_c) {
  triple t;
  const bool loaded = load_gap(ball, centre, p, p_gap, c, c_gap, &t);
  write_gradients(ball, loaded, &t, grad_p, grad_c);
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

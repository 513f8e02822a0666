/* point.c - loading points and vectors: gaps to the last digit, directions without over- or underflow, angles relative to their
 * own size; and the rounding of results back into the ball. */
#include "point.h"

/* ilogb(R) in frame units. */
#define FRAME_EXPONENT 200

/* Points whose gap is at most this share of R^2 take their radius from the gap, the others from the coordinates. */
#define GAP_RULES 0.5

ON_DEVICE void INTERNAL(make_frame)(const geodisk_ball *ball, frame *f) {
  int e = ilogb(ball->radius) - FRAME_EXPONENT;
  if (e < -1000)
    e = -1000; /* both powers of two must be normal; R stays below 2^200 then, at least 2^-74 */
  f->dim = ball->dim;
  f->exponent = e;
  f->scale = power_of_two(-e);
  f->unscale = power_of_two(e);
  f->radius = ball->radius * f->scale;
  f->radius2 = two_prod(f->radius, f->radius);
  int half = ilogb(ball->curvature) / 2; /* so that the square of the root is in range */
  f->root_k = dd_ldexp(dd_sqrt(dd_from(ldexp(ball->curvature, -2 * half))), half);
}

#ifndef __CUDACC__
bool INTERNAL(load_frame)(const geodisk_ball *ball, frame *f) {
  if (!geodisk_ball_valid(ball))
    return false;
  INTERNAL(make_frame)(ball, f);
  return true;
}
#endif

ON_DEVICE dd INTERNAL(exact_gap)(const frame *f, const real *x) {
  sum3 s = {f->radius2.hi, f->radius2.lo, 0.0};
  for (int i = 0; i < f->dim; i++) {
    double xi = (double)x[i] * f->scale;
    sum3_add_product(&s, xi, -xi);
  }
  return sum3_value(&s);
}

/* ---- directions and angles ---- */

/* Finds the largest entry and the scale; false if an entry is not finite. */
static ON_DEVICE bool load_scale(int dim, const real *v, double sign, heading *h) {
  double largest = 0.0;
  *h = (heading){.v = v};
  for (int i = 0; i < dim; i++) {
    double a = fabs((double)v[i]);
    if (!(a <= DBL_MAX))
      return false;
    if (a > largest) {
      largest = a;
      h->largest = i;
    }
  }
  if (largest > 0.0) {
    h->exponent = scale_exponent(largest);
    h->scale = sign * power_of_two(-h->exponent);
  }
  return true;
}

static ON_DEVICE void load_norm(int dim, heading *h) {
  sum2 square = {0.0, 0.0};
  for (int i = 0; i < dim; i++) {
    double a = (double)h->v[i] * h->scale;
    sum2_add(&square, two_prod(a, a));
  }
  h->norm = dd_sqrt(sum2_value(&square));
}

bool INTERNAL(load_heading)(int dim, const real *v, double sign, heading *h) {
  if (!load_scale(dim, v, sign, h))
    return false;
  if (h->scale != 0.0) {
    load_norm(dim, h);
    h->unit = dd_inv(h->norm);
  }
  return true;
}

/* |a|^2 and a.b */
static ON_DEVICE void measure(int dim, const turn *t, dd *square, dd *product) {
  sum2 aa = {0.0, 0.0}, ab = {0.0, 0.0};
  for (int i = 0; i < dim; i++) {
    dd a = determinant(t, i);
    sum2_add(&aa, dd_sqr(a));
    sum2_add(&ab, dd_mul_d(a, (double)t->from->v[i] * t->from->scale));
  }
  *square = sum2_value(&aa);
  *product = sum2_value(&ab);
}

/* a_m = 0 and |b_m| >= |b| / sqrt(dim), so a is not nearly along b: |a - slope b|^2 = |a|^2 - slope a.b keeps its digits but for
 * a factor of dim. The cosine needs no sum of its own: x.y |x_m| = a.b +- y_m |x|^2. */
ON_DEVICE void INTERNAL(load_turn)(int dim, const heading *from, const heading *to, turn *t) {
  *t = (turn){.from = from, .to = to, .boost = 1.0, .cosine = {1.0, 0.0}};
  if (from->scale == 0.0 || to->scale == 0.0)
    return; /* the origin has no direction: straight ahead */
  double pivot = (double)from->v[from->largest] * from->scale;
  t->pivot_from = fabs(pivot);
  t->pivot_to = (double)to->v[from->largest] * (pivot < 0.0 ? -to->scale : to->scale);
  dd square, product;
  measure(dim, t, &square, &product);
  if (square.hi < 0x1p-800) { /* parallel, or a^2 is out of range */
    t->boost = 0x1p900;
    measure(dim, t, &square, &product);
  }
  if (square.hi == 0.0) {
    t->cosine = dd_from(t->pivot_to < 0.0 ? -1.0 : 1.0);
    return;
  }
  dd unit = dd_div_d(to->unit, t->pivot_from);
  dd along = dd_add(dd_scale(product, 1.0 / t->boost), dd_mul_d(dd_sqr(from->norm), t->pivot_to));
  t->cosine = dd_mul(dd_mul(along, from->unit), unit);
  t->unit = dd_scale(unit, 1.0 / t->boost);
  t->slope = dd_mul(product, dd_sqr(from->unit));
  t->across = dd_sqrt(dd_sub(square, dd_mul(product, t->slope)));
  t->sine = dd_mul(t->across, t->unit);
}

/* ---- points ---- */

ON_DEVICE bool INTERNAL(load_point)(const frame *f, const real *x, double sign, point *p) {
  *p = (point){.x = x, .sign = sign, .entry_scale = sign * f->scale, .stretch = {1.0, 0.0}};
  p->gap = INTERNAL(exact_gap)(f, x);
  return p->gap.hi > 0.0;
}

/* |x|^2 = R^2 - S, with all digits unless S is nearly R^2. */
#define SQUARE_FROM_GAP 0.75

ON_DEVICE void INTERNAL(load_direction)(const frame *f, point *p) {
  heading *h = &p->toward;
  load_scale(f->dim, p->x, p->sign, h);
  if (h->scale == 0.0)
    return;
  int shift = h->exponent - f->exponent; /* frame lengths = 2^shift * scaled lengths */
  if (p->gap.hi <= SQUARE_FROM_GAP * f->radius2.hi) {
    p->radius = dd_sqrt(dd_sub(f->radius2, p->gap));
    h->norm = dd_ldexp(p->radius, -shift);
  } else {
    load_norm(f->dim, h);
    p->radius = dd_ldexp(h->norm, shift);
  }
  h->unit = dd_inv(h->norm);
  p->rho = dd_div_d(p->radius, f->radius);
}

/* Where the gap rules |x| = sqrt(R^2 - S) has all digits, since nothing cancels. Elsewhere the gap computed from the
 * coordinates is used, which has more of them than the given one. */
ON_DEVICE bool INTERNAL(load_point_gap)(const frame *f, const real *x, double gap, point *p) {
  if (!INTERNAL(load_point)(f, x, 1.0, p))
    return false;
  double given = ldexp(gap, -2 * f->exponent);
  if (!(given >= DEEPEST_GAP && given <= f->radius2.hi * (1.0 + 2.0 * REAL_EPSILON)))
    return false;
  INTERNAL(load_direction)(f, p);
  p->gap_form = true;
  p->rho_from_gap = given <= GAP_RULES * f->radius2.hi;
  if (!p->rho_from_gap)
    return true;
  if (p->toward.scale == 0.0)
    return false; /* deep, but in no direction */
  p->gap = dd_from(given);
  p->radius = dd_sqrt(dd_sub(f->radius2, p->gap));
  p->rho = dd_div_d(p->radius, f->radius);
  p->entry_scale = p->toward.scale;
  p->stretch = dd_mul(p->radius, p->toward.unit);
  return true;
}

#ifndef __CUDACC__
bool INTERNAL(load_either)(const frame *f, const real *x, const real *gap, point *p) {
  return gap == NULL ? INTERNAL(load_point)(f, x, 1.0, p) : INTERNAL(load_point_gap)(f, x, (double)*gap, p);
}

bool INTERNAL(load_points)(const geodisk_ball *ball, const real *x, const real *x_gap, const real *y, const real *y_gap, frame *f,
                           point *px, point *py) {
  return INTERNAL(load_frame)(ball, f) && INTERNAL(load_either)(f, x, x_gap, px) && INTERNAL(load_either)(f, y, y_gap, py);
}
#endif

/* ---- numbers ---- */

ON_DEVICE dd INTERNAL(asinh_wide)(dd a, int exponent, int *out_exponent) {
  *out_exponent = 0;
  if (exponent > 100)
    return dd_add(dd_log(a), dd_mul_d(DD_LN2, exponent + 1.0)); /* log(2a) + O(1/a^2) */
  if (exponent >= -100)
    return dd_asinh(dd_ldexp(a, exponent));
  *out_exponent = exponent;
  return a; /* a - a^3/6 */
}

/* ---- rounding into the ball ---- */

real INTERNAL(gap_to_real)(const frame *f, dd gap, int exponent) { return to_real_wide(gap, exponent + 2 * f->exponent); }

real INTERNAL(gap_of_walk)(const frame *f, dd gap, int exponent) {
  if (!(ldexp(gap.hi, exponent) > DEEPEST_GAP))
    gap = dd_from(DEEPEST_GAP), exponent = 0;
  real g = INTERNAL(gap_to_real)(f, gap, exponent);
  return g < (real)REAL_MIN ? (real)REAL_MIN : g;
}

/* Entries are rounded to nearest, so a point near the rim can land on it or past it by about half an ulp. It is then shrunk along
 * its ray by just the excess and the least margin that survives rounding. */
void INTERNAL(settle)(const frame *f, real *out) {
  double square = 0.0;
  for (int i = 0; i < f->dim; i++)
    square += ((double)out[i] * f->scale) * ((double)out[i] * f->scale);
  if (square < f->radius2.hi * (1.0 - (f->dim + 4.0) * DBL_EPSILON))
    return; /* inside, whatever the sum has lost */
  for (double margin = REAL_EPSILON / 8;; margin *= 2) {
    dd gap = INTERNAL(exact_gap)(f, out);
    if (!(gap.hi <= 0.0))
      return; /* inside, or NaN */
    double shrink = -gap.hi / (2 * f->radius2.hi) + margin;
    for (int i = 0; i < f->dim; i++)
      out[i] = (real)((double)out[i] - (double)out[i] * shrink);
  }
}

real INTERNAL(settled_radius)(const frame *f, dd radius) {
  frame line = *f;
  line.dim = 1;
  real e = to_real(f, radius);
  INTERNAL(settle)(&line, &e);
  return e;
}

void INTERNAL(fill_nan)(const geodisk_ball *ball, real *out, real *out_gap) {
  for (int i = 0; i < ball->dim; i++)
    out[i] = (real)NAN;
  if (out_gap)
    *out_gap = (real)NAN;
}

void INTERNAL(copy_point)(const frame *f, const point *p, real *out, real *out_gap) {
  for (int i = 0; i < f->dim; i++)
    out[i] = p->x[i];
  if (out_gap)
    *out_gap = INTERNAL(gap_to_real)(f, p->gap, 0);
}

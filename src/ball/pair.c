/* pair.c - two points and the geodesic between them: delta = y - x, h = sqrt(k) d(x,y) / 2, and the unit tangent at x towards y.
 *
 *     sinh(h) = R |delta| / sqrt(S T)
 *     w       = S delta - |delta|^2 x,     |w| = |delta| sqrt(S T) cosh(h)
 *
 * With plain coordinates delta is their difference, exact in two terms. Points given as (x, gap) beyond |x|^2 = R^2/2 know their
 * radius from the gap; then, with the angle between the directions x^ and y^,
 *
 *     |y| - |x|   = (S - T) / (|x| + |y|)
 *     |delta|^2   = (|y| - |x|)^2 + |x| |y| |y^ - x^|^2
 *     delta       = (|y| - |x| - |y| (1 - cosine)) x^ + |y| sine e,     e the unit vector across x^
 *
 * so that nothing is lost however deep they lie. */
#include "point.h"

/* Points are on one ray if their directions differ by no more than rounding leaves after a few steps along it (each coordinate is
 * known to REAL_EPSILON relative), and the difference can mean nothing else: one lies beyond its coordinates, or one lies deep
 * enough for rounding to matter and they are far apart radially. */
#define SAME_RAY         (8 * REAL_EPSILON)
#define ROUNDING_MATTERS (0.5 * sqrt(REAL_EPSILON)) /* as a share of R^2; 2^-27.5 in double */
#define FAR_APART        2.0                        /* ratio of the gaps */

static ON_DEVICE bool on_one_ray(const frame *f, const point *x, const point *y, double chord) {
  if (chord == 0.0)
    return true;
  if (!(chord <= SAME_RAY))
    return false;
  double inner = fmax(x->gap.hi, y->gap.hi), outer = fmin(x->gap.hi, y->gap.hi);
  return outer < BEYOND_COORDINATES * f->radius2.hi || (outer < ROUNDING_MATTERS * f->radius2.hi && inner > FAR_APART * outer);
}

/* Both radii are taken from the gaps when both gaps are at most this share of R^2: between 1/2 and 3/4 either source has all
 * digits. */
#define GAPS_SUFFICE 0.75

/* delta from the coordinates. */
static ON_DEVICE void load_difference(pair *p) {
  double largest = 0.0;
  for (int i = 0; i < p->f->dim; i++) {
    double d = fabs(entry(p->y, i) - entry(p->x, i));
    if (d > largest)
      largest = d;
  }
  p->equal = largest == 0.0;
  if (p->equal)
    return;
  p->exponent = scale_exponent(largest);
  p->scale = power_of_two(-p->exponent);
  sum2 square = {0.0, 0.0};
  for (int i = 0; i < p->f->dim; i++)
    sum2_add(&square, dd_sqr(first_of(p, i)));
  p->length = dd_sqrt(sum2_value(&square));
}

/* delta from radii and directions. */
static ON_DEVICE void load_polar_difference(pair *p) {
  const frame *f = p->f;
  const point *x = p->x, *y = p->y;
  turn *t = &p->turn;
  INTERNAL(load_turn)(f->dim, &x->toward, &y->toward, t);
  if (x->toward.scale == 0.0)
    t->from = &y->toward; /* the ray from the origin to y */

  dd sum = dd_add_d(t->cosine, 1.0), versine = dd_add_d(dd_neg(t->cosine), 1.0); /* 1 + cosine, 1 - cosine */
  if (t->cosine.hi >= 0.0)
    versine = dd_div(dd_sqr(t->sine), sum);
  /* |y^ - x^| = sqrt(2 (1 - cosine)), without the square where that may underflow */
  dd chord = versine.hi > 0x1p-900 ? dd_sqrt(dd_scale(versine, 2.0)) : t->sine;
  if (on_one_ray(f, x, y, chord.hi)) {
    chord = versine = t->sine = t->across = t->unit = dd_from(0.0);
    t->cosine = dd_from(1.0);
  }
  dd radial;
  if (fmax(x->gap.hi, y->gap.hi) <= GAPS_SUFFICE * f->radius2.hi)
    radial = dd_div(dd_sub(x->gap, y->gap), dd_add(x->radius, y->radius));
  else
    radial = dd_sub(y->radius, x->radius);
  dd across = dd_mul(dd_sqrt(dd_mul(x->radius, y->radius)), chord);
  double largest = fmax(fabs(radial.hi), across.hi);
  p->equal = largest == 0.0;
  if (p->equal)
    return;
  p->exponent = scale_exponent(largest);
  p->scale = power_of_two(-p->exponent);
  p->length = dd_sqrt(dd_add(dd_sqr(dd_scale(radial, p->scale)), dd_sqr(dd_scale(across, p->scale))));
  p->along = dd_scale(dd_sub(radial, dd_mul(y->radius, versine)), p->scale);
  p->first = dd_scale(dd_mul(y->radius, t->unit), p->scale);
}

ON_DEVICE void INTERNAL(load_pair)(const frame *f, const point *x, const point *y, pair *p) {
  *p = (pair){.f = f, .x = x, .y = y};
  p->polar = x->gap_form && (x->rho_from_gap || y->rho_from_gap);
  if (p->polar)
    load_polar_difference(p);
  else
    load_difference(p);
  if (p->equal)
    return;
  int far_exponent, root_exponent;
  p->root = p->polar ? dd_mul(dd_sqrt(x->gap), dd_sqrt(y->gap)) : dd_sqrt(dd_mul(x->gap, y->gap)); /* S T may underflow */
  dd far = normalised(dd_mul_d(p->length, f->radius), &far_exponent);
  p->sinh = dd_div(far, normalised(p->root, &root_exponent));
  p->sinh_exponent = far_exponent + p->exponent - root_exponent;
  p->half = INTERNAL(asinh_wide)(p->sinh, p->sinh_exponent, &p->half_exponent);
}

/* sqrt(S T + R^2 |delta|^2), neither square need be in range. */
static dd hypotenuse(const pair *p) {
  dd far = dd_ldexp(dd_mul_d(p->length, p->f->radius), p->exponent);
  bool near = far.hi < p->root.hi;
  dd ratio = near ? dd_div(far, p->root) : dd_div(p->root, far);
  return dd_mul(near ? p->root : far, dd_sqrt(dd_add_d(dd_sqr(ratio), 1.0)));
}

void INTERNAL(load_tangent)(pair *p) {
  if (p->equal)
    return;
  const point *x = p->x;
  p->hypotenuse = hypotenuse(p);
  dd w_unit = dd_inv(dd_mul(p->length, p->hypotenuse)), length_unit = dd_mul(w_unit, p->hypotenuse); /* 1 / |scale * w| */
  dd outward = dd_mul(x->gap, w_unit), inward = dd_mul(dd_ldexp(dd_sqr(p->length), p->exponent), w_unit);
  if (!p->polar) {
    p->forward.first = length_unit;
    p->tangent = (combination){outward, dd_neg(inward)};
    return;
  }
  p->forward = in_plane(&p->turn, dd_mul(p->along, length_unit), dd_mul(p->first, length_unit));
  p->tangent_along = dd_sub(dd_mul(outward, p->along), dd_mul(inward, x->radius));
  if (p->turn.sine.hi == 0.0)
    p->tangent_along = dd_from(p->along.hi < 0.0 ? -1.0 : 1.0);
  p->tangent = in_plane(&p->turn, p->tangent_along, dd_mul(outward, p->first));
}

/* With plain coordinates the part of the tangent along x^ is a sum over entries, the one across x^ is that of y times S / |w|. */
void INTERNAL(walk_along)(const pair *p, bool backwards, turn *t, walk *w) {
  dd along = p->tangent_along, first = p->tangent.first;
  if (p->polar) {
    *t = p->turn;
  } else {
    const heading *toward = &p->x->toward;
    INTERNAL(load_turn)(p->f->dim, toward, &p->y->toward, t);
    first = dd_mul(first, dd_scale(dd_mul(p->y->radius, t->unit), p->scale));
    sum2 sum = {0.0, 0.0};
    for (int i = 0; i < p->f->dim; i++)
      sum2_add(&sum, dd_mul(combined(p->tangent, first_of(p, i), second_of(p, i)), direction(toward, i)));
    along = sum2_value(&sum);
    if (t->sine.hi == 0.0)
      along = dd_from(along.hi < 0.0 ? -1.0 : 1.0); /* 1 from the origin */
  }
  *w = (walk){.turn = t, .cosine = backwards ? dd_neg(along) : along, .first = backwards ? dd_neg(first) : first};
}

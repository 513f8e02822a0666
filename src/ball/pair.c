/* pair.c - two points and the geodesic between them: delta = y - x, h = sqrt(k) d(x,y) / 2, and the unit tangent at x towards y.
 *
 *   a = sinh(h) = R |delta| / sqrt(S T),     w = S delta - |delta|^2 x,     |w| = |delta| sqrt(S T) cosh(h)
 *
 * With plain coordinates delta is their difference, exact in two terms. Points given as (x, gap) beyond |x|^2 = R^2/2 know their
 * radius from the gap; then, with unit directions x^, y^,
 *
 *   delta = (|y| - |x|) x^ + |y| (y^ - x^),     |y| - |x| = (S - T) / (|x| + |y|),     |delta|^2 = (|y|-|x|)^2 + |x| |y| |y^ -
 * x^|^2
 *
 * so that nothing is lost however deep they lie. */
#include "point.h"

/* Points are on one ray if their directions differ by no more than rounding leaves after a few steps along it (each coordinate is
 * known to REAL_EPSILON relative), and the difference can mean nothing else: one lies beyond its coordinates, or one lies deep
 * enough for rounding to matter and they are far apart radially. */
#define SAME_RAY         (8 * REAL_EPSILON)
#define ROUNDING_MATTERS (0.5 * sqrt(REAL_EPSILON)) /* as a share of R^2; 2^-27.5 in double */
#define FAR_APART        2.0                        /* ratio of the gaps */

static bool on_one_ray(const frame *f, const point *x, const point *y, double chord_length) {
  if (chord_length == 0.0)
    return true;
  if (!(chord_length <= SAME_RAY))
    return false;
  double inner = fmax(x->gap.hi, y->gap.hi), outer = fmin(x->gap.hi, y->gap.hi);
  return outer < BEYOND_COORDINATES * f->radius2.hi || (outer < ROUNDING_MATTERS * f->radius2.hi && inner > FAR_APART * outer);
}

/* Both radii are taken from the gaps when both gaps are at most this share of R^2: between 1/2 and 3/4 either source has all
 * digits. */
#define GAPS_SUFFICE 0.75

/* Entry i of y^ - x^ times |y| of the coordinates: (y - x) - x (|y|-|x|)/|x|, exact to its own size for nearly parallel
 * directions. For coordinates of very different length, where that cancels, y^ - x^ itself (chord_unit is then 1). */
static dd chord(const pair *p, int i) {
  if (p->unlike)
    return dd_sub(direction(&p->y->toward, i), direction(&p->x->toward, i));
  double xi = p->x->sign * (double)p->x->x[i] * p->f->scale, yi = p->y->sign * (double)p->y->x[i] * p->f->scale;
  return dd_sub(two_sum(yi, -xi), dd_mul_d(p->stretch, xi));
}

/* (|y| - |x|) / |x| of the coordinates, from sum (y-x)(y+x) so that near points keep their digits. */
static dd coordinate_stretch(const pair *p, dd x_length, dd y_length) {
  dd s = {0.0, 0.0};
  for (int i = 0; i < p->f->dim; i++) {
    double xi = p->x->sign * (double)p->x->x[i] * p->f->scale, yi = p->y->sign * (double)p->y->x[i] * p->f->scale;
    s = dd_add(s, dd_mul(two_sum(yi, -xi), two_sum(yi, xi)));
  }
  return dd_div(s, dd_mul(x_length, dd_add(x_length, y_length)));
}

/* delta from the coordinates. */
static void load_difference(pair *p) {
  double largest = 0.0;
  for (int i = 0; i < p->f->dim; i++) {
    double d = fabs(p->y->sign * (double)p->y->x[i] - p->x->sign * (double)p->x->x[i]);
    if (d > largest)
      largest = d;
  }
  p->equal = largest == 0.0;
  if (p->equal)
    return;
  int e = ilogb(largest);
  if (e < -1000)
    e = -1000;
  p->scale = power_of_two(-e); /* of the caller's units; made frame units below */
  dd square = {0.0, 0.0};
  for (int i = 0; i < p->f->dim; i++)
    square = dd_add(square, dd_sqr(INTERNAL(difference)(p, i)));
  p->length = dd_sqrt(square);
}

/* delta from radii and directions. */
static void load_polar_difference(pair *p) {
  const frame *f = p->f;
  const point *x = p->x, *y = p->y;
  dd chord_length = {0.0, 0.0};
  p->same_ray = x->at_origin || y->at_origin;
  if (!p->same_ray) {
    dd x_length = dd_scale(x->toward.length, f->scale), y_length = dd_scale(y->toward.length, f->scale);
    p->unlike = 2.0 * fmin(x_length.hi, y_length.hi) < fmax(x_length.hi, y_length.hi);
    if (!p->unlike)
      p->stretch = coordinate_stretch(p, x_length, y_length);
    p->chord_unit = p->unlike ? dd_from(1.0) : dd_inv(y_length);
    dd square = {0.0, 0.0};
    for (int i = 0; i < f->dim; i++)
      square = dd_add(square, dd_sqr(chord(p, i)));
    chord_length = dd_mul(dd_sqrt(square), p->chord_unit);
    p->same_ray = on_one_ray(f, x, y, chord_length.hi);
    if (p->same_ray)
      chord_length = dd_from(0.0);
  }
  if (fmax(x->gap.hi, y->gap.hi) <= GAPS_SUFFICE * f->radius2.hi)
    p->radial = dd_div(dd_sub(x->gap, y->gap), dd_mul_d(dd_add(x->rho, y->rho), f->radius));
  else
    p->radial = dd_mul_d(dd_sub(y->rho, x->rho), f->radius);
  dd across = dd_mul(dd_mul_d(dd_sqrt(dd_mul(x->rho, y->rho)), f->radius), chord_length);
  double largest = fmax(fabs(p->radial.hi), across.hi);
  p->equal = largest == 0.0;
  if (p->equal)
    return;
  int e = ilogb(largest);
  if (e < -1000)
    e = -1000;
  p->scale = power_of_two(-e);
  p->length = dd_sqrt(dd_add(dd_sqr(dd_scale(p->radial, p->scale)), dd_sqr(dd_scale(across, p->scale))));
}

dd INTERNAL(difference)(const pair *p, int i) {
  if (!p->polar) {
    dd d = two_sum(p->y->sign * (double)p->y->x[i], -(p->x->sign * (double)p->x->x[i]));
    return dd_scale(d, p->scale);
  }
  /* Along x^ (or y^, when x has no direction), and across. */
  const heading *ray = p->x->at_origin ? &p->y->toward : &p->x->toward;
  dd d = dd_mul(dd_scale(p->radial, p->scale), direction(ray, i));
  if (p->same_ray)
    return d;
  dd y_radius = dd_scale(dd_mul_d(p->y->rho, p->f->radius), p->scale);
  return dd_add(d, dd_mul(dd_mul(chord(p, i), p->chord_unit), y_radius));
}

/* The frame's length of one unit of scale * delta. */
static double unit_length(const pair *p) { return p->polar ? 1.0 / p->scale : p->f->scale / p->scale; }

void INTERNAL(load_pair)(const frame *f, const point *x, const point *y, pair *p) {
  *p = (pair){.f = f, .x = x, .y = y};
  p->polar = x->gap_form && (x->rho_from_gap || y->rho_from_gap);
  if (p->polar)
    load_polar_difference(p);
  else
    load_difference(p);
  if (p->equal)
    return;
  p->root_gaps = dd_mul(dd_sqrt(x->gap), dd_sqrt(y->gap));
  dd length = dd_scale(p->length, unit_length(p));
  p->sinh_half = dd_div(dd_mul_d(length, f->radius), p->root_gaps);
  p->half = dd_asinh(p->sinh_half);
  dd cosh_half = p->sinh_half.hi > 0x1p100 ? p->sinh_half : dd_sqrt(dd_add_d(dd_sqr(p->sinh_half), 1.0));
  dd norm = dd_mul(p->length, dd_mul(p->root_gaps, cosh_half));
  p->tangent_exponent = ilogb(norm.hi);
  p->tangent_unit = dd_inv(dd_ldexp(norm, -p->tangent_exponent));
}

dd INTERNAL(tangent)(const pair *p, int i) {
  dd square = dd_scale(dd_sqr(p->length), unit_length(p));
  dd w = dd_sub(dd_mul(p->x->gap, INTERNAL(difference)(p, i)), dd_mul(square, INTERNAL(coordinate)(p->f, p->x, i)));
  return dd_mul(dd_ldexp(w, -p->tangent_exponent), p->tangent_unit);
}

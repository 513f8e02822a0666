/* measure.c - exact answers at a sufficient precision, and the counting of errors (measure.h says how). */
#include "measure.h"

#include <math.h>
#include <string.h>

#define RN MPFR_RNDN

/* ---- precision ------------------------------------------------------------------------------------------------------- */

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* log2(R^2 / S) of the point a letter stands for. */
static double depth_bits(mp_ball *mp, const accuracy_case *c, char letter) {
  long offset = letter_offset(c->op, letter, c->ball.dim);
  if (offset < 0)
    return 0;
  const double *x = c->in + offset;
  size_t n = (size_t)c->ball.dim;
  double bits = 0;
  if (strchr("XY", letter)) /* the gap says it; nearer to the origin than R^2/2 there is nothing to lose */
    return 2 * log2(c->ball.radius) - log2(x[n]);
  mp_ball_set(mp, &c->ball, 320);
  mpfr_ptr point = mp_take(mp, n), gap = mp_take(mp, 1);
  mp_set_doubles(point, x, n);
  mp_gap(mp, point, gap);
  if (mpfr_sgn(gap) > 0)
    bits = 2 * log2(c->ball.radius) - (double)mpfr_get_exp(gap) + 2;
  return fmax(bits, 0);
}

/* log2 of how much nearer two points are to each other than to the origin: what subtracting them costs. */
static double near_bits(const accuracy_case *c) {
  size_t n = (size_t)c->ball.dim;
  long first = letter_offset(c->op, 'x', c->ball.dim), second = letter_offset(c->op, 'y', c->ball.dim);
  if (first < 0)
    first = letter_offset(c->op, 'X', c->ball.dim), second = letter_offset(c->op, 'Y', c->ball.dim);
  if (first < 0 || second < 0)
    return 0;
  double most = 0;
  for (size_t i = 0; i < n; i++)
    most = fmax(most, fabs(c->in[(size_t)first + i] - c->in[(size_t)second + i]));
  if (most == 0)
    return 0;
  return fmax(0, log2(fmax(largest(c->in + first, n), largest(c->in + second, n))) - log2(most));
}

mpfr_prec_t case_precision(mp_ball *mp, const accuracy_case *c) {
  double depth =
      depth_bits(mp, c, 'x') + depth_bits(mp, c, 'y') + depth_bits(mp, c, 'X') + depth_bits(mp, c, 'Y') + depth_bits(mp, c, 'K');
  long share = letter_offset(c->op, 't', c->ball.dim);
  double beyond = share < 0 ? 0 : fmax(0, fabs(c->in[share] - 0.5) - 0.5); /* of a geodesic that is extended */
  if (strncmp(c->op->name, "half_space_score", 16) == 0) /* a difference of distances that may agree to all digits */
    depth += 600;
  double bits = 256 + 4 * depth + 2 * near_bits(c) + 4 * beyond * (depth + 8);
  /* products of exact inputs stay exact, so that what is zero comes out as zero */
  if (strcmp(c->op->name, "angle") == 0 || strcmp(c->op->name, "inner") == 0)
    bits += 400;
  if (strcmp(c->op->name, "gyration") == 0)
    bits += 4 * depth;
  return (mpfr_prec_t)(64 * ceil(bits / 64));
}

/* ---- exact answers --------------------------------------------------------------------------------------------------- */

static mpfr_ptr load(mp_ball *mp, const accuracy_case *c, mpfr_prec_t precision) {
  mp_ball_set(mp, &c->ball, precision);
  size_t n = input_numbers(c->op, c->ball.dim);
  mpfr_ptr in = mp_take(mp, n);
  mp_set_doubles(in, c->in, n);
  return in;
}

mpfr_ptr case_exact(mp_ball *mp, const accuracy_case *c, mpfr_prec_t precision) {
  mpfr_ptr in = load(mp, c, precision), out = mp_take(mp, output_numbers(c->op, c->ball.dim));
  c->op->exact(mp, in, out);
  return out;
}

/* The largest move of the exact answer when each coordinate of v is multiplied by 1 +- eps, over 8 patterns of signs. */
static double moved_by_rounding(mp_ball *mp, const accuracy_case *c, mpfr_srcptr exact, double eps) {
  size_t mark = mp_mark(mp), n = (size_t)c->ball.dim, numbers = input_numbers(c->op, c->ball.dim),
         size = output_numbers(c->op, c->ball.dim);
  size_t offset = (size_t)letter_offset(c->op, 'v', c->ball.dim);
  mpfr_ptr in = mp_take(mp, numbers), out = mp_take(mp, size), factor = mp_take(mp, 1);
  geodisk_random random = geodisk_random_stream(c->salt, 0x51ac);
  double most = 0;
  for (int pattern = 0; pattern < 8; pattern++) {
    mp_set_doubles(in, c->in, numbers);
    for (size_t i = 0; i < n; i++) {
      mpfr_set_d(factor, geodisk_random_bits32(&random) & 1 ? eps : -eps, RN);
      mpfr_add_ui(factor, factor, 1, RN);
      mpfr_mul(in + offset + i, in + offset + i, factor, RN);
    }
    c->op->exact(mp, in, out);
    for (size_t i = 0; i < size; i++)
      mpfr_sub(out + i, out + i, exact + i, RN);
    mp_length(mp, out, size, factor);
    most = fmax(most, mpfr_get_d(factor, RN));
  }
  mp_release(mp, mark);
  return most;
}

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

bool strictly_inside(mp_ball *mp, const geodisk_ball *ball, const double *x) {
  size_t n = (size_t)ball->dim;
  mpfr_prec_t enough = 4400; /* every product of two doubles is a multiple of 2^-2148 below 2^2048: sums are exact */
  for (mpfr_prec_t precision = 256;; precision = enough) {
    mp_ball_set(mp, ball, precision);
    mpfr_ptr point = mp_take(mp, n), gap = mp_take(mp, 2), bound = gap + 1;
    mp_set_doubles(point, x, n);
    mp_gap(mp, point, gap);
    if (mpfr_nan_p(gap))
      return false;
    /* at most dim + 1 roundings of numbers near R^2 */
    mpfr_sqr(bound, mp->radius, RN);
    mpfr_mul_2si(bound, bound, 12 - (long)precision, RN);
    if (mpfr_cmpabs(gap, bound) > 0 || precision == enough)
      return mpfr_sgn(gap) > 0;
  }
}

/* Whether an operation returns a gap. */
static bool is_gap(const operation *op) {
  return strcmp(op->name, "exp_gap_gap") == 0 || strcmp(op->name, "geodesic_gap_gap") == 0;
}

measurement case_measure(mp_ball *mp, accuracy_case *c, const double *got) {
  size_t size = output_numbers(c->op, c->ball.dim);
  bool point = c->op->output == 'p';
  for (size_t i = 0; i < size; i++)
    if (!isfinite(got[i]))
      return (measurement){.units = (double)HUGE_VAL, .inside = !point};
  double eps = c->single ? 0x1p-24 : 0x1p-53;
  mpfr_ptr exact = case_exact(mp, c, case_precision(mp, c));
  mpfr_ptr error = mp_take(mp, size), total = mp_take(mp, 3), unit = total + 1, least = total + 2;
  if (c->op->slack && c->slack < 0)
    c->slack = moved_by_rounding(mp, c, exact, eps);
  for (size_t i = 0; i < size; i++) {
    mpfr_set_d(error + i, got[i], RN);
    mpfr_sub(error + i, error + i, exact + i, RN);
  }
  mp_length(mp, error, size, total);
  if (point) {
    mpfr_mul_d(unit, mp->radius, eps, RN);
  } else {
    mp_length(mp, exact, size, unit);
    mpfr_mul_d(unit, unit, eps, RN);
    mpfr_sqrt_ui(least, (unsigned long)size, RN);
    mpfr_mul_2si(least, least, c->single ? -150 : -1075, RN); /* half the spacing of the denormals, in each coordinate */
    mpfr_max(unit, unit, least, RN);
    /* a gap below the smallest normal number may be any positive number up to it */
    mpfr_set_d(least, c->single ? 0x1p-126 : 0x1p-1022, RN);
    if (is_gap(c->op) && mpfr_less_p(exact, least) && got[0] > 0 && mpfr_cmp_d(least, got[0]) >= 0)
      mpfr_set_zero(total, 1);
  }
  if (c->op->slack)
    mpfr_add_d(unit, unit, c->slack, RN);
  mpfr_div(total, total, unit, RN);
  double units = mpfr_nan_p(total) ? HUGE_VAL : mpfr_get_d(total, RN);
  return (measurement){.units = units, .inside = !point || strictly_inside(mp, &c->ball, got)};
}

void case_call(const accuracy_case *c, double *got) {
  if (!c->single) {
    c->op->call(&c->ball, c->in, got);
    return;
  }
  float in[MAX_NUMBERS], out[MAX_NUMBERS];
  size_t numbers = input_numbers(c->op, c->ball.dim), size = output_numbers(c->op, c->ball.dim);
  for (size_t i = 0; i < numbers; i++)
    in[i] = (float)c->in[i];
  c->op->call_float(&c->ball, in, out);
  for (size_t i = 0; i < size; i++)
    got[i] = (double)out[i];
}

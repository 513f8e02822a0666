/* mp_models.c - Moebius operations, conversions to other models and between radii, in multi-precision.
 *
 * Moebius addition by its definition in the unit ball, the gyration by the law it corrects (no closed form), the half-space by
 * the inversion in the sphere of radius sqrt(2) around the rim's point (0,...,0,1), the radii by their tanh and sech. */
#include "mp_ball.h"

#define RN MPFR_RNDN

/* ---- Moebius operations ---------------------------------------------------------------------------------------------- */

/* ((1 + 2 X.Y + |Y|^2) X + (1 - |X|^2) Y) / (1 + 2 X.Y + |X|^2 |Y|^2), X = x/R, Y = y/R. */
void mp_mobius_add(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_ptr out) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr square = mp_take(ball, 8), xx = square + 1, yy = square + 2, a = square + 3, b = square + 4, below = square + 5,
           term = square + 6;
  mpfr_sqr(square, ball->radius, RN);
  mp_dot(ball, x, x, n, xx);
  mpfr_div(xx, xx, square, RN);
  mp_dot(ball, y, y, n, yy);
  mpfr_div(yy, yy, square, RN);
  mp_dot(ball, x, y, n, a);
  mpfr_div(a, a, square, RN);
  mpfr_mul_ui(a, a, 2, RN);
  mpfr_add_ui(a, a, 1, RN);
  mpfr_mul(below, xx, yy, RN);
  mpfr_add(below, below, a, RN);
  mpfr_add(a, a, yy, RN);
  mpfr_ui_sub(b, 1, xx, RN);
  mpfr_div(a, a, below, RN);
  mpfr_div(b, b, below, RN);
  for (size_t i = 0; i < n; i++) {
    mpfr_mul(out + i, a, x + i, RN);
    mpfr_mul(term, b, y + i, RN);
    mpfr_add(out + i, out + i, term, RN);
  }
  mp_release(ball, mark);
}

/* R tanh(s artanh(|x|/R)) x/|x|. */
void mp_mobius_scale(mp_ball *ball, mpfr_srcptr s, mpfr_srcptr x, mpfr_ptr out) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr length = mp_take(ball, 2), factor = length + 1;
  mp_length(ball, x, n, length);
  if (mpfr_zero_p(length)) {
    mpfr_set_zero(factor, 1);
  } else {
    mpfr_div(factor, length, ball->radius, RN);
    mpfr_atanh(factor, factor, RN);
    mpfr_mul(factor, factor, s, RN);
    mpfr_tanh(factor, factor, RN);
    mpfr_mul(factor, factor, ball->radius, RN);
    mpfr_div(factor, factor, length, RN);
  }
  for (size_t i = 0; i < n; i++)
    mpfr_mul(out + i, factor, x + i, RN);
  mp_release(ball, mark);
}

/* gyr[x,y] z = -(x + y) + (x + (y + z)) with Moebius sums. It is linear in z, so v is first scaled to half the radius. */
void mp_gyration(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr v, mpfr_ptr out) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr scale = mp_take(ball, 1), z = mp_take(ball, n), inner = mp_take(ball, n), outer = mp_take(ball, n);
  mp_length(ball, v, n, scale);
  mpfr_div(scale, scale, ball->radius, RN);
  mpfr_mul_ui(scale, scale, 2, RN);
  if (mpfr_zero_p(scale)) {
    for (size_t i = 0; i < n; i++)
      mpfr_set_zero(out + i, 1);
    mp_release(ball, mark);
    return;
  }
  for (size_t i = 0; i < n; i++)
    mpfr_div(z + i, v + i, scale, RN);
  mp_mobius_add(ball, y, z, inner);
  mp_mobius_add(ball, x, inner, outer);
  mp_mobius_add(ball, x, y, inner);
  for (size_t i = 0; i < n; i++)
    mpfr_neg(inner + i, inner + i, RN);
  mp_mobius_add(ball, inner, outer, out);
  for (size_t i = 0; i < n; i++)
    mpfr_mul(out + i, out + i, scale, RN);
  mp_release(ball, mark);
}

void mp_centre(mp_ball *ball, mpfr_srcptr centre, mpfr_srcptr x, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr minus = mp_take(ball, (size_t)ball->dim);
  for (int i = 0; i < ball->dim; i++)
    mpfr_neg(minus + i, centre + i, RN);
  mp_mobius_add(ball, minus, x, out);
  mp_release(ball, mark);
}

/* ---- other models ---------------------------------------------------------------------------------------------------- */

void mp_to_lorentz(mp_ball *ball, mpfr_srcptr x, mpfr_ptr out) {
  mp_lift(ball, x, out);
  mpfr_add_ui(out, out, 1, RN);
  for (int i = 0; i <= ball->dim; i++)
    mpfr_div(out + i, out + i, ball->root, RN);
}

/* X = s / (1 + sqrt(1 + |s|^2)) with s the space part times sqrt(k). */
void mp_from_lorentz(mp_ball *ball, mpfr_srcptr p, mpfr_ptr out) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr factor = mp_take(ball, 2), product = factor + 1;
  mp_dot(ball, p + 1, p + 1, n, factor);
  mpfr_mul(factor, factor, ball->curvature, RN);
  mpfr_add_ui(factor, factor, 1, RN);
  mpfr_sqrt(factor, factor, RN);
  mpfr_add_ui(factor, factor, 1, RN);
  mpfr_mul(product, ball->root, ball->radius, RN);
  mpfr_div(factor, product, factor, RN);
  for (size_t i = 0; i < n; i++)
    mpfr_mul(out + i, p + 1 + i, factor, RN);
  mp_release(ball, mark);
}

/* s / t: the central projection of the hyperboloid. */
void mp_to_klein(mp_ball *ball, mpfr_srcptr x, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = mp_take(ball, (size_t)ball->dim + 1);
  mp_lift(ball, x, p);
  mpfr_add_ui(p, p, 1, RN);
  mpfr_div(p, ball->radius, p, RN);
  for (int i = 0; i < ball->dim; i++)
    mpfr_mul(out + i, p + 1 + i, p, RN);
  mp_release(ball, mark);
}

/* t = 1/sqrt(1 - |K|^2), s = t K, dropped into the ball: K / (1 + sqrt(1 - |K|^2)). */
void mp_from_klein(mp_ball *ball, mpfr_srcptr p, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr factor = mp_take(ball, 2), square = factor + 1;
  mp_gap(ball, p, factor);
  mpfr_sqr(square, ball->radius, RN);
  mpfr_div(factor, factor, square, RN);
  mpfr_sqrt(factor, factor, RN);
  mpfr_add_ui(factor, factor, 1, RN);
  for (int i = 0; i < ball->dim; i++)
    mpfr_div(out + i, p + i, factor, RN);
  mp_release(ball, mark);
}

/* P -> N + 2 (P - N) / |P - N|^2, N = (0,...,0,1): exchanges the unit ball and the half-space below 0. */
static void invert(mp_ball *ball, mpfr_srcptr p, mpfr_ptr out) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr factor = mp_take(ball, 1);
  for (size_t i = 0; i < n; i++)
    mpfr_set(out + i, p + i, RN);
  mpfr_sub_ui(out + n - 1, out + n - 1, 1, RN);
  mp_dot(ball, out, out, n, factor);
  mpfr_ui_div(factor, 2, factor, RN);
  for (size_t i = 0; i < n; i++)
    mpfr_mul(out + i, out + i, factor, RN);
  mpfr_add_ui(out + n - 1, out + n - 1, 1, RN);
  mp_release(ball, mark);
}

void mp_to_halfspace(mp_ball *ball, mpfr_srcptr x, mpfr_ptr out) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr unit = mp_take(ball, n);
  for (size_t i = 0; i < n; i++)
    mpfr_div(unit + i, x + i, ball->radius, RN);
  invert(ball, unit, out);
  mpfr_neg(out + n - 1, out + n - 1, RN);
  mp_release(ball, mark);
}

void mp_from_halfspace(mp_ball *ball, mpfr_srcptr p, mpfr_ptr out) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr below = mp_take(ball, n);
  for (size_t i = 0; i < n; i++)
    mpfr_set(below + i, p + i, RN);
  mpfr_neg(below + n - 1, below + n - 1, RN);
  invert(ball, below, out);
  for (size_t i = 0; i < n; i++)
    mpfr_mul(out + i, out + i, ball->radius, RN);
  mp_release(ball, mark);
}

/* ---- radii: S = R^2 sech^2(a), e = R tanh(a), a = sqrt(k) r / 2 -------------------------------------------------------- */

static void half_angle(mp_ball *ball, mpfr_srcptr radius, mpfr_ptr a) {
  mpfr_mul(a, radius, ball->root, RN);
  mpfr_div_ui(a, a, 2, RN);
}

static void radius_of(mp_ball *ball, mpfr_ptr a) {
  mpfr_mul_ui(a, a, 2, RN);
  mpfr_div(a, a, ball->root, RN);
}

void mp_gap_from_euclidean(mp_ball *ball, mpfr_srcptr euclidean, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr square = mp_take(ball, 2), e = square + 1;
  mpfr_sqr(square, ball->radius, RN);
  mpfr_sqr(e, euclidean, RN);
  mpfr_sub(out, square, e, RN);
  mp_release(ball, mark);
}

/* A gap above R^2, as the rounding of R^2 can make it, is the origin's. */
void mp_euclidean_from_gap(mp_ball *ball, mpfr_srcptr gap, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr square = mp_take(ball, 1);
  mpfr_sqr(square, ball->radius, RN);
  mpfr_sub(out, square, gap, RN);
  if (mpfr_sgn(out) < 0)
    mpfr_set_zero(out, 1);
  mpfr_sqrt(out, out, RN);
  mp_release(ball, mark);
}

void mp_radius_from_euclidean(mp_ball *ball, mpfr_srcptr euclidean, mpfr_ptr out) {
  mpfr_div(out, euclidean, ball->radius, RN);
  mpfr_atanh(out, out, RN);
  radius_of(ball, out);
}

/* sinh(a) = e / sqrt(S). */
void mp_radius_from_gap(mp_ball *ball, mpfr_srcptr gap, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr root = mp_take(ball, 1);
  mp_euclidean_from_gap(ball, gap, out);
  mpfr_sqrt(root, gap, RN);
  mpfr_div(out, out, root, RN);
  mpfr_asinh(out, out, RN);
  radius_of(ball, out);
  mp_release(ball, mark);
}

void mp_gap_from_radius(mp_ball *ball, mpfr_srcptr radius, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr a = mp_take(ball, 1);
  half_angle(ball, radius, a);
  mpfr_sech(a, a, RN);
  mpfr_mul(a, a, ball->radius, RN);
  mpfr_sqr(out, a, RN);
  mp_release(ball, mark);
}

void mp_euclidean_from_radius(mp_ball *ball, mpfr_srcptr radius, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr a = mp_take(ball, 1);
  half_angle(ball, radius, a);
  mpfr_tanh(a, a, RN);
  mpfr_mul(out, a, ball->radius, RN);
  mp_release(ball, mark);
}

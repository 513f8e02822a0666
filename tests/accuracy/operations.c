/* operations.c - the table of operations.h: for each one the MPFR answer and the calls of the library it judges. */
#include "operations.h"

#include <string.h>

/* ---- the exact answers: inputs lie one after the other --------------------------------------------------------------- */

/* N is where the second vector of an operation on plain vectors begins, N2 the third. */
#define N  ((size_t)ball->dim)
#define N2 (2 * (size_t)ball->dim)

#define EXACT(name, call)                                                                                                        \
  static void exact_##name(mp_ball *ball, mpfr_srcptr in, mpfr_ptr out) { call; }

EXACT(gap, mp_gap(ball, in, out))
EXACT(metric_factor, mp_metric_factor(ball, in, out))
EXACT(inner, mp_inner(ball, in, in + N, in + N2, out))
EXACT(norm, mp_norm(ball, in, in + N, out))
EXACT(angle, mp_angle(ball, in + N, in + N2, out))
EXACT(gradient, mp_gradient(ball, in, in + N, out))
EXACT(distance, mp_distance(ball, in, in + N, out))
EXACT(distance_gradient_x, mp_distance_gradient(ball, in, in + N, out))
EXACT(distance_gradient_y, mp_distance_gradient(ball, in + N, in, out))
EXACT(half_space_score, mp_half_space_score(ball, in, in + N, out))
EXACT(half_space_gradient_p, mp_distance_gradient(ball, in, in + N, out))
EXACT(hessian, mp_hessian(ball, in, in + N, in + N2, out))
EXACT(exp, mp_exp(ball, in, in + N, out))
EXACT(log, mp_log(ball, in, in + N, out))
EXACT(geodesic, mp_geodesic(ball, in, in + N, in + N2, out))
EXACT(transport, mp_transport(ball, in, in + N, in + N2, out))
EXACT(mobius_add, mp_mobius_add(ball, in, in + N, out))
EXACT(mobius_scale, mp_mobius_scale(ball, in, in + 1, out))
EXACT(gyration, mp_gyration(ball, in, in + N, in + N2, out))
EXACT(centre, mp_centre(ball, in, in + N, out))
EXACT(to_lorentz, mp_to_lorentz(ball, in, out))
EXACT(from_lorentz, mp_from_lorentz(ball, in, out))
EXACT(to_klein, mp_to_klein(ball, in, out))
EXACT(from_klein, mp_from_klein(ball, in, out))
EXACT(to_halfspace, mp_to_halfspace(ball, in, out))
EXACT(from_halfspace, mp_from_halfspace(ball, in, out))
EXACT(radius_from_gap, mp_radius_from_gap(ball, in, out))
EXACT(radius_from_euclidean, mp_radius_from_euclidean(ball, in, out))
EXACT(gap_from_radius, mp_gap_from_radius(ball, in, out))
EXACT(gap_from_euclidean, mp_gap_from_euclidean(ball, in, out))
EXACT(euclidean_from_radius, mp_euclidean_from_radius(ball, in, out))
EXACT(euclidean_from_gap, mp_euclidean_from_gap(ball, in, out))

/* Points as (x, gap) are dim+1 numbers each. */
static mpfr_ptr lifted_with_gap(mp_ball *ball, mpfr_srcptr x) {
  mpfr_ptr p = mp_take(ball, N + 1);
  mp_lift_gap(ball, x, x + N, p);
  return p;
}

static void exact_distance_gap(mp_ball *ball, mpfr_srcptr in, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = lifted_with_gap(ball, in), q = lifted_with_gap(ball, in + N + 1);
  mp_distance_lifted(ball, p, q, out);
  mpfr_div(out, out, ball->root, MPFR_RNDN);
  mp_release(ball, mark);
}

static void exact_half_space_score_gap(mp_ball *ball, mpfr_srcptr in, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = lifted_with_gap(ball, in), c = lifted_with_gap(ball, in + N + 1), far = mp_take(ball, N + 2);
  for (size_t i = 0; i <= N; i++)
    mpfr_set_zero(far + 1 + i, 1); /* the origin, lifted */
  mp_distance_lifted(ball, p, c, out);
  mp_distance_lifted(ball, far + 1, c, far);
  mpfr_sub(out, out, far, MPFR_RNDN);
  mpfr_div(out, out, ball->root, MPFR_RNDN);
  mp_release(ball, mark);
}

static void exact_exp_gap(mp_ball *ball, mpfr_srcptr in, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = lifted_with_gap(ball, in), q = mp_take(ball, N + 1);
  mp_exp_lifted(ball, p, in + N + 1, q);
  mp_drop(ball, q, out);
  mp_release(ball, mark);
}

static void exact_exp_gap_gap(mp_ball *ball, mpfr_srcptr in, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = lifted_with_gap(ball, in), q = mp_take(ball, N + 1);
  mp_exp_lifted(ball, p, in + N + 1, q);
  mp_drop_gap(ball, q, out);
  mp_release(ball, mark);
}

static void exact_log_gap(mp_ball *ball, mpfr_srcptr in, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = lifted_with_gap(ball, in), q = lifted_with_gap(ball, in + N + 1);
  mp_log_lifted(ball, p, q, out);
  mp_release(ball, mark);
}

static mpfr_ptr geodesic_with_gap(mp_ball *ball, mpfr_srcptr in) {
  mpfr_ptr p = lifted_with_gap(ball, in), q = lifted_with_gap(ball, in + N + 1), z = mp_take(ball, N + 1);
  mp_geodesic_lifted(ball, p, q, in + 2 * (N + 1), z);
  return z;
}

static void exact_geodesic_gap(mp_ball *ball, mpfr_srcptr in, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mp_drop(ball, geodesic_with_gap(ball, in), out);
  mp_release(ball, mark);
}

static void exact_geodesic_gap_gap(mp_ball *ball, mpfr_srcptr in, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mp_drop_gap(ball, geodesic_with_gap(ball, in), out);
  mp_release(ball, mark);
}

static void exact_transport_gap(mp_ball *ball, mpfr_srcptr in, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = lifted_with_gap(ball, in), q = lifted_with_gap(ball, in + N + 1);
  mp_transport_lifted(ball, p, q, in + 2 * (N + 1), out);
  mp_release(ball, mark);
}

#undef N
#undef N2

/* ---- the library's answers, double and float ------------------------------------------------------------------------- */

#define N  ((size_t)ball->dim)
#define G  in[N]            /* the gap of X */
#define Y  in + N + 1       /* the second point after a point with gap */
#define GY in[2 * N + 1]    /* its gap */
#define W  in + 2 * (N + 1) /* what follows two points with gaps */
#define T  in[2 * N]        /* a number after two vectors */
#define TW in[2 * (N + 1)]  /* a number after two points with gaps */

/* One definition makes both twins: `real` is the number type, F(f) the function's name with its suffix. */
#define CALL(name, body_double, body_float)                                                                                      \
  static void call_##name(const geodisk_ball *ball, const double *in, double *out) { body_double; }                              \
  static void call_float_##name(const geodisk_ball *ball, const float *in, float *out) { body_float; }
#define SCALAR(name, ...) CALL(name, *out = geodisk_##name(ball, __VA_ARGS__), *out = geodisk_##name##f(ball, __VA_ARGS__))
#define VECTOR(name, ...) CALL(name, geodisk_##name(ball, __VA_ARGS__, out), geodisk_##name##f(ball, __VA_ARGS__, out))

SCALAR(gap, in)
SCALAR(metric_factor, in)
SCALAR(inner, in, in + N, in + 2 * N)
SCALAR(norm, in, in + N)
SCALAR(angle, in, in + N, in + 2 * N)
VECTOR(gradient, in, in + N)
SCALAR(distance, in, in + N)
CALL(distance_gradient_x, geodisk_distance_gradient(ball, in, in + N, out, NULL),
     geodisk_distance_gradientf(ball, in, in + N, out, NULL))
CALL(distance_gradient_y, geodisk_distance_gradient(ball, in, in + N, NULL, out),
     geodisk_distance_gradientf(ball, in, in + N, NULL, out))
SCALAR(half_space_score, NULL, in, in + N)
CALL(half_space_gradient_p, geodisk_half_space_gradient(ball, NULL, in, in + N, out, NULL),
     geodisk_half_space_gradientf(ball, NULL, in, in + N, out, NULL))
VECTOR(hessian, in, in + N, in + 2 * N)
VECTOR(exp, in, in + N)
VECTOR(log, in, in + N)
VECTOR(geodesic, in, in + N, T)
VECTOR(transport, in, in + N, in + 2 * N)
VECTOR(mobius_add, in, in + N)
VECTOR(mobius_scale, in[0], in + 1)
VECTOR(gyration, in, in + N, in + 2 * N)
VECTOR(centre, in, in + N)
VECTOR(to_lorentz, in)
VECTOR(from_lorentz, in)
VECTOR(to_klein, in)
VECTOR(from_klein, in)
VECTOR(to_halfspace, in)
VECTOR(from_halfspace, in)
SCALAR(radius_from_gap, in[0])
SCALAR(radius_from_euclidean, in[0])
SCALAR(gap_from_radius, in[0])
SCALAR(gap_from_euclidean, in[0])
SCALAR(euclidean_from_radius, in[0])
SCALAR(euclidean_from_gap, in[0])
SCALAR(distance_gap, in, G, Y, GY)
SCALAR(half_space_score_gap, NULL, in, G, Y, GY)
VECTOR(log_gap, in, G, Y, GY)
VECTOR(transport_gap, in, G, Y, GY, W)

/* The two outputs of exp_gap and geodesic_gap are judged one by one; the point goes to a scratch vector where the gap is asked.
 */
CALL(exp_gap, geodisk_exp_gap(ball, in, G, Y, out, NULL), geodisk_exp_gapf(ball, in, G, Y, out, NULL))
CALL(geodesic_gap, geodisk_geodesic_gap(ball, in, G, Y, GY, TW, out, NULL),
     geodisk_geodesic_gapf(ball, in, G, Y, GY, TW, out, NULL))
CALL(exp_gap_gap, double point[MAX_DIM]; geodisk_exp_gap(ball, in, G, Y, point, out), float point[MAX_DIM];
     geodisk_exp_gapf(ball, in, G, Y, point, out))
CALL(geodesic_gap_gap, double point[MAX_DIM]; geodisk_geodesic_gap(ball, in, G, Y, GY, TW, point, out), float point[MAX_DIM];
     geodisk_geodesic_gapf(ball, in, G, Y, GY, TW, point, out))

/* ---- the table ------------------------------------------------------------------------------------------------------- */

#define ROW(name, inputs, output, slack, weight)                                                                                 \
  { #name, inputs, output, slack, weight, exact_##name, call_##name, call_float_##name }

const operation operations[] = {
    ROW(gap, "x", '1', false, 2),
    ROW(metric_factor, "x", '1', false, 2),
    ROW(inner, "xuv", '1', false, 2),
    ROW(norm, "xv", '1', false, 2),
    ROW(angle, "xuv", '1', false, 2),
    ROW(gradient, "xd", 'v', false, 2),
    ROW(distance, "xy", '1', false, 8),
    ROW(distance_gradient_x, "xy", 'v', false, 3),
    ROW(distance_gradient_y, "xy", 'v', false, 3),
    ROW(half_space_score, "xy", '1', false, 3),
    ROW(half_space_gradient_p, "xy", 'v', false, 2),
    ROW(hessian, "xyv", 'v', false, 3),
    ROW(exp, "xv", 'p', true, 8),
    ROW(log, "xy", 'v', false, 8),
    ROW(geodesic, "xyt", 'p', false, 8),
    ROW(transport, "xyv", 'v', false, 8),
    ROW(mobius_add, "xy", 'p', false, 8),
    ROW(mobius_scale, "sx", 'p', false, 2),
    ROW(gyration, "xyv", 'v', false, 3),
    ROW(centre, "xy", 'p', false, 2),
    ROW(to_lorentz, "x", 'l', false, 6),
    ROW(from_lorentz, "L", 'p', false, 2),
    ROW(to_klein, "x", 'p', false, 2),
    ROW(from_klein, "K", 'p', false, 2),
    ROW(to_halfspace, "x", 'v', false, 2),
    ROW(from_halfspace, "H", 'p', false, 2),
    ROW(radius_from_gap, "g", '1', false, 1),
    ROW(radius_from_euclidean, "e", '1', false, 1),
    ROW(gap_from_radius, "r", '1', false, 1),
    ROW(gap_from_euclidean, "e", '1', false, 1),
    ROW(euclidean_from_radius, "r", '1', false, 1),
    ROW(euclidean_from_gap, "g", '1', false, 1),
    ROW(distance_gap, "XY", '1', false, 3),
    ROW(half_space_score_gap, "XY", '1', false, 2),
    ROW(exp_gap, "Xv", 'p', true, 2),
    ROW(exp_gap_gap, "Xv", '1', true, 2),
    ROW(log_gap, "XY", 'v', false, 2),
    ROW(geodesic_gap, "XYt", 'p', false, 2),
    ROW(geodesic_gap_gap, "XYt", '1', false, 2),
    ROW(transport_gap, "XYv", 'v', false, 2),
};
const int operation_count = (int)(sizeof operations / sizeof operations[0]);

const operation *operation_named(const char *name) {
  for (int i = 0; i < operation_count; i++)
    if (strcmp(operations[i].name, name) == 0)
      return &operations[i];
  return NULL;
}

size_t letter_numbers(char letter, int dim) {
  if (strchr("XYL", letter))
    return (size_t)dim + 1;
  return strchr("tsgre", letter) ? 1 : (size_t)dim;
}

size_t input_numbers(const operation *op, int dim) {
  size_t n = 0;
  for (const char *c = op->inputs; *c; c++)
    n += letter_numbers(*c, dim);
  return n;
}

size_t output_numbers(const operation *op, int dim) { return op->output == '1' ? 1 : (size_t)dim + (op->output == 'l' ? 1 : 0); }

long letter_offset(const operation *op, char letter, int dim) {
  size_t n = 0;
  for (const char *c = op->inputs; *c; c++) {
    if (*c == letter)
      return (long)n;
    n += letter_numbers(*c, dim);
  }
  return -1;
}

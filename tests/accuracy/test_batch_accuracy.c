/* test_batch_accuracy.c - the batch functions against the single ones, on every instruction set this machine has, over random
 * cases of all regions: distances within 16 * 2^-53 relative, points within 16 * 2^-53 R, float within 2 * 2^-24.
 *
 * The case is one row of a small batch, at a random place among rows of other kinds, so that lanes, tails and bad neighbours are
 * exercised with it.
 *
 *     test_batch_accuracy [CASES] */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"

enum { MAX_ROWS = 24 };
#define BOUND       (16 * 0x1p-53)
#define BOUND_FLOAT (2 * 0x1p-24)

static const char *const sets[] = {"avx512", "avx2", "sse2", "ref"};
enum { SETS = sizeof sets / sizeof sets[0] };

static uint64_t cases = 6000;
static geodisk_context *context;
static geodisk_random filler;

static int set_up(void **state) {
  (void)state;
  filler = geodisk_random_stream(11, 1);
  return geodisk_context_create(2, &context) == GEODISK_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return 0;
}

/* ---- rows of two types ----------------------------------------------------------------------------------------------- */

typedef struct rows {
  size_t n, at; /* rows; where the case stands */
  double x[MAX_ROWS * MAX_DIM], y[MAX_ROWS * MAX_DIM], gap[MAX_ROWS], out[MAX_ROWS * MAX_DIM], out_gap[MAX_ROWS];
  float xf[MAX_ROWS * MAX_DIM], yf[MAX_ROWS * MAX_DIM], gapf[MAX_ROWS], outf[MAX_ROWS * MAX_DIM], out_gapf[MAX_ROWS];
} rows;

static rows all;

/* Other rows: the case's own turned round and shrunk, or bad ones. */
static void fill(double *to, const double *row, size_t dim, size_t n, size_t at) {
  for (size_t i = 0; i < n; i++) {
    const uint64_t kind = geodisk_random_below(&filler, 12);
    const double factor = kind == 0 ? (double)NAN : kind == 1 ? 1e300 : -geodisk_random_uniform(&filler);
    for (size_t c = 0; c < dim; c++)
      to[i * dim + c] = i == at ? row[c] : factor * row[c];
  }
}

/* x, y: one row each. */
static void lay_out(const accuracy_case *c, const double *x, const double *y, double gap) {
  const size_t dim = (size_t)c->ball.dim;
  all.n = 1 + (size_t)geodisk_random_below(&filler, MAX_ROWS);
  all.at = (size_t)geodisk_random_below(&filler, all.n);
  fill(all.x, x, dim, all.n, all.at);
  fill(all.y, y, dim, all.n, all.at);
  for (size_t i = 0; i < all.n; i++)
    all.gap[i] = i == all.at ? gap : gap * geodisk_random_uniform(&filler);
  for (size_t i = 0; i < all.n * dim; i++) {
    all.xf[i] = (float)all.x[i];
    all.yf[i] = (float)all.y[i];
  }
  for (size_t i = 0; i < all.n; i++)
    all.gapf[i] = (float)all.gap[i];
}

static const double *row_of(const double *array, int dim) { return array + all.at * (size_t)dim; }
static const float *row_off(const float *array, int dim) { return array + all.at * (size_t)dim; }

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

typedef struct worst {
  const char *what;
  double error; /* in units of the bound */
  accuracy_case c;
} worst;

static void record(worst *w, const accuracy_case *c, double error) {
  if (!(error <= w->error)) {
    w->error = error;
    w->c = *c;
  }
}

static double number_error(double got, double expected, double bound, double least) {
  if (isnan(got) || isnan(expected))
    return isnan(got) && isnan(expected) ? 0 : (double)INFINITY;
  return got == expected ? 0 : fabs(got - expected) / (bound * fabs(expected) + least);
}

/* |got - expected| / (bound R + slack); infinite if `got` is not strictly inside the ball. */
static double point_error(const geodisk_ball *ball, const double *got, const double *expected, double bound, double slack) {
  double square = 0;
  for (int i = 0; i < ball->dim; i++) {
    if (isnan(got[i]) || isnan(expected[i]))
      return isnan(got[i]) && isnan(expected[i]) ? 0 : (double)INFINITY;
    square += (got[i] - expected[i]) / ball->radius * ((got[i] - expected[i]) / ball->radius);
  }
  if (isnan(geodisk_gap(ball, got)))
    return (double)INFINITY;
  return sqrt(square) / (bound + slack / ball->radius);
}

static double point_errorf(const geodisk_ball *ball, const float *got, const float *expected, double bound, double slack) {
  double a[MAX_DIM], b[MAX_DIM];
  for (int i = 0; i < ball->dim; i++) {
    a[i] = (double)got[i];
    b[i] = (double)expected[i];
  }
  return point_error(ball, a, b, bound, slack);
}

static void conclude(const char *set, const char *what, const worst *w, const worst *wf) {
  printf("  %-7s %-14s worst %5.2f of 16 units, float %.2f of 2\n", set, what, 16 * w->error, 2 * wf->error);
  const worst *bad = !(w->error <= 1) ? w : !(wf->error <= 1) ? wf : NULL;
  if (bad != NULL) {
    printf("%s %s: %g times the bound\n", set, what, bad->error);
    case_print(stdout, &bad->c);
    fail();
  }
}

/* ---- the operations -------------------------------------------------------------------------------------------------- */

/* sinh^2(sqrt(k) d/2) = R^2 |x-y|^2 / (S T), wide in range and precision. */
static double sinh2_of(const geodisk_ball *b, const double *x, const double *y) {
  long double square = 0, radius = (long double)b->radius;
  for (int i = 0; i < b->dim; i++) {
    const long double d = (long double)x[i] - (long double)y[i];
    square += d * d;
  }
  return (double)(radius * radius * square / (long double)geodisk_gap(b, x) / (long double)geodisk_gap(b, y));
}

static void check_distances(const accuracy_case *c, worst *w, worst *q) {
  const geodisk_ball *b = &c->ball;
  const int dim = b->dim;
  if (!c->single) {
    const double expected = geodisk_distance(b, c->in, c->in + dim);
    geodisk_distance_many(context, b, c->in, all.n, all.y, NULL, all.out);
    record(w, c, number_error(all.out[all.at], expected, BOUND, 0));
    geodisk_distance_rows(context, b, all.n, all.x, all.y, all.out);
    record(w, c, number_error(all.out[all.at], expected, BOUND, 0));
    geodisk_distance_all(context, b, 1, c->in, all.n, all.y, all.out);
    record(w, c, number_error(all.out[all.at], expected, BOUND, 0));
    geodisk_distance_all(context, b, all.n, all.y, 1, c->in, all.out);
    record(w, c, number_error(all.out[all.at], expected, BOUND, 0));
    geodisk_sinh2_many(context, b, c->in, all.n, all.y, NULL, all.out);
    record(q, c, number_error(all.out[all.at], sinh2_of(b, c->in, c->in + dim), BOUND, 0x1p-1074 / BOUND));
    return;
  }
  float x[MAX_DIM];
  memcpy(x, row_off(all.xf, dim), sizeof(float) * (size_t)dim);
  const double expected = (double)geodisk_distancef(b, x, row_off(all.yf, dim));
  geodisk_distance_manyf(context, b, x, all.n, all.yf, NULL, all.outf);
  record(w, c, number_error((double)all.outf[all.at], expected, BOUND_FLOAT, 0));
  geodisk_distance_rowsf(context, b, all.n, all.xf, all.yf, all.outf);
  record(w, c, number_error((double)all.outf[all.at], expected, BOUND_FLOAT, 0));
  geodisk_distance_allf(context, b, 1, x, all.n, all.yf, all.outf);
  record(w, c, number_error((double)all.outf[all.at], expected, BOUND_FLOAT, 0));
}

/* Gaps given for y; x has that of its coordinates. */
static void check_gaps(const accuracy_case *c, worst *w) {
  const geodisk_ball *b = &c->ball;
  const int dim = b->dim;
  if (!c->single) {
    const double *x = row_of(all.x, dim), *y = row_of(all.y, dim);
    geodisk_distance_many(context, b, x, all.n, all.y, all.gap, all.out);
    const double expected = geodisk_distance_gap(b, x, geodisk_gap(b, x), y, all.gap[all.at]);
    record(w, c, number_error(all.out[all.at], expected, BOUND, 0));
    return;
  }
  const float *x = row_off(all.xf, dim), *y = row_off(all.yf, dim);
  geodisk_distance_manyf(context, b, x, all.n, all.yf, all.gapf, all.outf);
  const float expected = geodisk_distance_gapf(b, x, geodisk_gapf(b, x), y, all.gapf[all.at]);
  record(w, c, number_error((double)all.outf[all.at], (double)expected, BOUND_FLOAT, 0));
}

/* The gap of the result, relative; what v's rounding may change it by is its length's share. */
static void check_exp(const accuracy_case *c, worst *w, worst *g) {
  const geodisk_ball *b = &c->ball;
  const int dim = b->dim;
  const double *x = row_of(all.x, dim), *v = row_of(all.y, dim);
  if (!c->single) {
    double expected[MAX_DIM], gap;
    geodisk_exp(b, x, v, expected);
    geodisk_exp_many(context, b, all.n, all.x, all.y, all.out, NULL);
    record(w, c, point_error(b, row_of(all.out, dim), expected, BOUND, 0));
    geodisk_exp_many(context, b, all.n, all.x, all.y, all.out, all.out_gap);
    record(w, c, point_error(b, row_of(all.out, dim), expected, BOUND, 0));
    geodisk_exp_gap(b, x, geodisk_gap(b, x), v, expected, &gap);
    const double length = sqrt(b->curvature) * geodisk_norm(b, x, v);
    record(g, c, number_error(all.out_gap[all.at], gap, BOUND + (length > 3 ? 2 * 0x1p-53 * length : 0), DBL_MIN));
    return;
  }
  float expected[MAX_DIM];
  geodisk_expf(b, row_off(all.xf, dim), row_off(all.yf, dim), expected);
  geodisk_exp_manyf(context, b, all.n, all.xf, all.yf, all.outf, NULL);
  record(w, c, point_errorf(b, row_off(all.outf, dim), expected, BOUND_FLOAT, 0));
}

/* How far exp_x(v) moves when the entries of v are multiplied by 1 +- eps: the steps below round v on their way. */
static double slack_of(const geodisk_ball *b, const double *x, const double *v, const double *at, double eps) {
  double moved[MAX_DIM], most = 0;
  for (uint64_t pattern = 0; pattern < 8; pattern++) {
    double out[MAX_DIM], square = 0;
    for (int i = 0; i < b->dim; i++)
      moved[i] = v[i] * (1 + ((pattern * 0x9e3779b97f4a7c15u) >> (i % 57) & 1 ? eps : -eps));
    geodisk_exp(b, x, moved, out);
    for (int i = 0; i < b->dim; i++)
      square += (out[i] - at[i]) * (out[i] - at[i]);
    most = fmax(most, sqrt(square));
  }
  return most;
}

/* The tangent of a case as a gradient: df = -v lam^2 / lr, so that the step is v up to rounding. */
static void check_steps(const accuracy_case *c, worst *w, worst *n) {
  const geodisk_ball *b = &c->ball;
  const int dim = b->dim;
  const double lr = 0.5, margin = 1e-5;
  double x[MAX_DIM], v[MAX_DIM], df[MAX_DIM], expected[MAX_DIM], lam = geodisk_metric_factor(b, c->in);
  memcpy(x, c->in, sizeof(double) * (size_t)dim);
  for (int i = 0; i < dim; i++)
    df[i] = (c->single ? (double)(float)(-c->in[dim + i] * lam * lam / lr) : -c->in[dim + i] * lam * lam / lr);
  for (int i = 0; i < dim; i++)
    if (!(fabs(df[i]) < (c->single ? 1e37 : 1e150)))
      return;
  lay_out(c, x, df, 0);
  geodisk_gradient(b, x, df, v);
  for (int i = 0; i < dim; i++)
    v[i] *= -lr;
  geodisk_exp(b, x, v, expected);
  const double slack = slack_of(b, x, v, expected, 3 * 0x1p-53);
  if (!c->single) {
    geodisk_geodesic_step_many(context, b, all.n, all.x, all.y, lr, all.out);
    record(w, c, point_error(b, row_of(all.out, dim), expected, BOUND, slack));
    const bool projected = geodisk_retract(b, x, v, margin, expected);
    const size_t count = geodisk_natural_step_many(context, b, all.n, all.x, all.y, lr, margin, all.out);
    record(n, c, point_error(b, row_of(all.out, dim), expected, BOUND, 0));
    record(n, c, all.n == 1 && count != projected ? (double)INFINITY : 0);
    return;
  }
  float rounded[MAX_DIM];
  for (int i = 0; i < dim; i++)
    rounded[i] = (float)expected[i];
  geodisk_geodesic_step_manyf(context, b, all.n, all.xf, all.yf, (float)lr, all.outf);
  if (!isnan(geodisk_gapf(b, rounded))) /* else the expected point itself does not fit into floats */
    record(w, c, point_errorf(b, row_off(all.outf, dim), rounded, BOUND_FLOAT, slack));
  geodisk_retract(b, x, v, (double)(float)margin, expected);
  for (int i = 0; i < dim; i++)
    rounded[i] = (float)expected[i];
  geodisk_natural_step_manyf(context, b, all.n, all.xf, all.yf, (float)lr, (float)margin, all.outf);
  record(n, c, point_errorf(b, row_off(all.outf, dim), rounded, BOUND_FLOAT, 0));
}

/* ---- the tests ------------------------------------------------------------------------------------------------------- */

static bool use(const char *set) { return geodisk_use_instruction_set(context, set) == GEODISK_OK; }

static void test_distances(void **state) {
  (void)state;
  const operation *op = operation_named("distance");
  for (int s = 0; s < SETS; s++) {
    if (!use(sets[s]))
      continue;
    worst w[2] = {{0}}, q = {0};
    for (uint64_t i = 0; i < 2 * cases; i++) {
      accuracy_case c;
      case_draw(op, i % 2, 5, i, &c);
      lay_out(&c, c.in, c.in + c.ball.dim, 0);
      check_distances(&c, &w[i % 2], &q);
    }
    conclude(sets[s], "distance", &w[0], &w[1]);
    conclude(sets[s], "sinh2", &q, &(worst){0});
  }
}

static void test_distances_gap(void **state) {
  (void)state;
  const operation *op = operation_named("distance_gap");
  for (int s = 0; s < SETS; s++) {
    if (!use(sets[s]))
      continue;
    worst w[2] = {{0}};
    for (uint64_t i = 0; i < 2 * cases; i++) {
      accuracy_case c;
      case_draw(op, i % 2, 6, i, &c);
      lay_out(&c, c.in, c.in + c.ball.dim + 1, c.in[2 * c.ball.dim + 1]);
      check_gaps(&c, &w[i % 2]);
    }
    conclude(sets[s], "distance gap", &w[0], &w[1]);
  }
}

static void test_exp(void **state) {
  (void)state;
  const operation *op = operation_named("exp");
  for (int s = 0; s < SETS; s++) {
    if (!use(sets[s]))
      continue;
    worst w[2] = {{0}}, g = {0};
    for (uint64_t i = 0; i < 2 * cases; i++) {
      accuracy_case c;
      case_draw(op, i % 2, 7, i, &c);
      lay_out(&c, c.in, c.in + c.ball.dim, 0);
      check_exp(&c, &w[i % 2], &g);
    }
    conclude(sets[s], "exp", &w[0], &w[1]);
    conclude(sets[s], "gap of exp", &g, &(worst){0});
  }
}

static void test_steps(void **state) {
  (void)state;
  const operation *op = operation_named("exp");
  for (int s = 0; s < SETS; s++) {
    if (!use(sets[s]))
      continue;
    worst w[2] = {{0}}, n[2] = {{0}};
    for (uint64_t i = 0; i < cases; i++) {
      accuracy_case c;
      case_draw(op, i % 2, 8, i, &c);
      check_steps(&c, &w[i % 2], &n[i % 2]);
    }
    conclude(sets[s], "geodesic step", &w[0], &w[1]);
    conclude(sets[s], "natural step", &n[0], &n[1]);
  }
}

int main(int argc, char **argv) {
  if (argc > 1)
    cases = strtoull(argv[1], NULL, 10);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_distances), cmocka_unit_test(test_distances_gap),
                                     cmocka_unit_test(test_exp), cmocka_unit_test(test_steps)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* The batch functions: the same bytes for any number of threads, any n and any place in the batch, on every instruction set;
 * outputs over inputs; bad rows give NaN in that row alone; bad balls, NaN everywhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/ball.h"

enum { MOST_ROWS = 2500, MOST_DIM = 33, CONTEXTS = 4 };
static const char *const sets[] = {"avx512", "avx2", "sse2", "ref"};
enum { SETS = sizeof sets / sizeof sets[0] };

/* Everything a batch writes, and the rows it reads. */
typedef struct board {
  double x[MOST_ROWS * MOST_DIM], y[MOST_ROWS * MOST_DIM], gap[MOST_ROWS];
  double numbers[MOST_ROWS], points[MOST_ROWS * MOST_DIM], gaps[MOST_ROWS];
  float xf[MOST_ROWS * MOST_DIM], yf[MOST_ROWS * MOST_DIM], gapf[MOST_ROWS];
  float numbersf[MOST_ROWS], pointsf[MOST_ROWS * MOST_DIM], gapsf[MOST_ROWS];
} board;

static board *a, *b;

static int set_up(void **state) {
  (void)state;
  a = calloc(1, sizeof *a);
  b = calloc(1, sizeof *b);
  return a != NULL && b != NULL ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  free(a);
  free(b);
  return 0;
}

/* Points of all depths, from the origin to the rim; short and long tangents; here and there equal, zero and bad rows. */
static void fill(const geodisk_ball *ball, board *to, uint64_t seed) {
  geodisk_random random = geodisk_random_stream(seed, 3);
  const size_t dim = (size_t)ball->dim;
  for (size_t i = 0; i < MOST_ROWS; i++) {
    double *x = to->x + i * dim, *y = to->y + i * dim;
    const double depth = 34 * geodisk_random_uniform(&random);
    geodisk_random_wrapped_normal(ball, &random, NULL, depth / sqrt(ball->dim * ball->curvature), x, NULL);
    for (size_t c = 0; c < dim; c++)
      y[c] = geodisk_random_normal(&random) * geodisk_gap(ball, x) * geodisk_random_uniform(&random) / ball->radius;
    if (i % 97 == 5)
      memset(y, 0, dim * sizeof *y);
    if (i % 97 == 6)
      memset(x, 0, dim * sizeof *x);
    if (i % 97 == 7)
      x[dim - 1] = (double)NAN;
    if (i % 97 == 8)
      x[0] = 2 * ball->radius;
    if (i % 97 == 9)
      y[0] = (double)INFINITY;
    to->gap[i] = geodisk_gap(ball, x);
  }
  for (size_t i = 0; i < MOST_ROWS * dim; i++) {
    to->xf[i] = (float)to->x[i];
    to->yf[i] = (float)to->y[i];
  }
  for (size_t i = 0; i < MOST_ROWS; i++)
    to->gapf[i] = geodisk_gapf(ball, to->xf + i * dim);
}

/* The batch functions as one table: rows [first, first + n) of the board, results into the same rows. */
typedef void (*batch_call)(geodisk_context *context, const geodisk_ball *ball, size_t first, size_t n, board *t);
#define AT(array) (t->array + first * (size_t)ball->dim)

static void do_distance(geodisk_context *context, const geodisk_ball *ball, size_t first, size_t n, board *t) {
  geodisk_distance_many(context, ball, t->x, n, AT(x), NULL, t->numbers + first);
  geodisk_distance_manyf(context, ball, t->xf, n, AT(xf), NULL, t->numbersf + first);
}
static void do_distance_gap(geodisk_context *context, const geodisk_ball *ball, size_t first, size_t n, board *t) {
  geodisk_distance_many(context, ball, t->x, n, AT(x), t->gap + first, t->numbers + first);
  geodisk_distance_manyf(context, ball, t->xf, n, AT(xf), t->gapf + first, t->numbersf + first);
}
static void do_sinh2(geodisk_context *context, const geodisk_ball *ball, size_t first, size_t n, board *t) {
  geodisk_sinh2_many(context, ball, t->x, n, AT(x), NULL, t->numbers + first);
  geodisk_sinh2_manyf(context, ball, t->xf, n, AT(xf), NULL, t->numbersf + first);
}
static void do_rows(geodisk_context *context, const geodisk_ball *ball, size_t first, size_t n, board *t) {
  geodisk_distance_rows(context, ball, n, AT(x), AT(y), t->numbers + first);
  geodisk_distance_rowsf(context, ball, n, AT(xf), AT(yf), t->numbersf + first);
}
static void do_all(geodisk_context *context, const geodisk_ball *ball, size_t first, size_t n, board *t) {
  geodisk_distance_all(context, ball, 1, t->x, n, AT(x), t->numbers + first);
  geodisk_distance_allf(context, ball, n, AT(xf), 1, t->xf, t->numbersf + first);
}
static void do_exp(geodisk_context *context, const geodisk_ball *ball, size_t first, size_t n, board *t) {
  geodisk_exp_many(context, ball, n, AT(x), AT(y), AT(points), NULL);
  geodisk_exp_manyf(context, ball, n, AT(xf), AT(yf), AT(pointsf), NULL);
}
static void do_exp_gap(geodisk_context *context, const geodisk_ball *ball, size_t first, size_t n, board *t) {
  geodisk_exp_many(context, ball, n, AT(x), AT(y), AT(points), t->gaps + first);
  geodisk_exp_manyf(context, ball, n, AT(xf), AT(yf), AT(pointsf), t->gapsf + first);
}
static void do_geodesic(geodisk_context *context, const geodisk_ball *ball, size_t first, size_t n, board *t) {
  geodisk_geodesic_step_many(context, ball, n, AT(x), AT(y), 0.3, AT(points));
  geodisk_geodesic_step_manyf(context, ball, n, AT(xf), AT(yf), 0.3f, AT(pointsf));
}
static void do_natural(geodisk_context *context, const geodisk_ball *ball, size_t first, size_t n, board *t) {
  geodisk_natural_step_many(context, ball, n, AT(x), AT(y), 30.0, 1e-5, AT(points));
  geodisk_natural_step_manyf(context, ball, n, AT(xf), AT(yf), 30.0f, 1e-5f, AT(pointsf));
}

static const struct {
  const char *name;
  batch_call call;
} calls[] = {{"distance_many", do_distance},     {"distance_many with gaps", do_distance_gap},
             {"sinh2_many", do_sinh2},           {"distance_rows", do_rows},
             {"distance_all", do_all},           {"exp_many", do_exp},
             {"exp_many with gaps", do_exp_gap}, {"geodesic_step_many", do_geodesic},
             {"natural_step_many", do_natural}};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* Same numbers, bit for bit; all NaNs count as the same. */
static void check_same(const double *p, const double *q, size_t n, const char *what, const char *set) {
  for (size_t i = 0; i < n; i++)
    if (memcmp(p + i, q + i, sizeof *p) != 0 && !(isnan(p[i]) && isnan(q[i])))
      fail_msg("%s on %s: entry %zu is %a, was %a", what, set, i, q[i], p[i]);
}
static void check_samef(const float *p, const float *q, size_t n, const char *what, const char *set) {
  for (size_t i = 0; i < n; i++)
    if (memcmp(p + i, q + i, sizeof *p) != 0 && !(isnan(p[i]) && isnan(q[i])))
      fail_msg("%sf on %s: entry %zu is %a, was %a", what, set, i, (double)q[i], (double)p[i]);
}
static void check_boards(const geodisk_ball *ball, const char *what, const char *set) {
  check_same(a->numbers, b->numbers, MOST_ROWS, what, set);
  check_same(a->points, b->points, MOST_ROWS * (size_t)ball->dim, what, set);
  check_same(a->gaps, b->gaps, MOST_ROWS, what, set);
  check_samef(a->numbersf, b->numbersf, MOST_ROWS, what, set);
  check_samef(a->pointsf, b->pointsf, MOST_ROWS * (size_t)ball->dim, what, set);
  check_samef(a->gapsf, b->gapsf, MOST_ROWS, what, set);
}

static const geodisk_ball balls[] = {{1, 1.0, 1.0},  {2, 1.0, 1.0},   {10, 1.0, 1.0},
                                     {33, 1e6, 3.0}, {5, 1e-3, 0.01}, {3, 0x1p-300, 1.0}};
enum { BALLS = sizeof balls / sizeof balls[0] };

/* One thread and one batch against 2, 3, 8 threads (8 alone where only memory is judged), and against batches of all sizes. */
static void check_split(geodisk_context *const *contexts, const geodisk_ball *ball, int c, const char *set) {
  calls[c].call(contexts[0], ball, 0, MOST_ROWS, a);
  for (int t = SANITIZED ? CONTEXTS - 1 : 1; t < CONTEXTS; t++) {
    calls[c].call(contexts[t], ball, 0, MOST_ROWS, b);
    check_boards(ball, calls[c].name, set);
  }
  for (size_t first = 0, n = 0; first < MOST_ROWS; first += n, n = n < 40 ? n + 1 : 3 * n)
    calls[c].call(contexts[2], ball, first, n < MOST_ROWS - first ? n : MOST_ROWS - first, b);
  check_boards(ball, calls[c].name, set);
}

static void test_split(void **state) {
  (void)state;
  static const int threads[CONTEXTS] = {1, 2, 3, 8};
  geodisk_context *contexts[CONTEXTS];
  for (int t = 0; t < CONTEXTS; t++)
    assert_int_equal(geodisk_context_create(threads[t], &contexts[t]), GEODISK_OK);
  for (int k = 0; k < BALLS; k++) {
    fill(&balls[k], a, 1 + (uint64_t)k);
    *b = *a;
    for (int s = 0; s < SETS; s++) {
      bool here = true;
      for (int t = 0; t < CONTEXTS; t++)
        here = geodisk_use_instruction_set(contexts[t], sets[s]) == GEODISK_OK && here;
      for (int c = 0; here && c < CALLS; c++)
        check_split(contexts, &balls[k], c, sets[s]);
    }
  }
  for (int t = 0; t < CONTEXTS; t++)
    geodisk_context_destroy(contexts[t]);
}

/* out = x and out = v (df) give what a separate out gives. */
static void test_aliasing(void **state) {
  (void)state;
  const geodisk_ball ball = {10, 1.0, 1.0};
  const size_t n = 700, numbers = n * 10;
  board *filled = calloc(1, sizeof *filled);
  assert_non_null(filled);
  fill(&ball, filled, 9);
  for (int s = 0; s < SETS; s++) {
    geodisk_context *context;
    assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
    for (int c = 0; geodisk_use_instruction_set(context, sets[s]) == GEODISK_OK && c < 6; c++) {
      double *out = c % 2 ? b->x : b->y;
      float *outf = c % 2 ? b->xf : b->yf;
      *a = *b = *filled;
      if (c / 2 == 0) {
        do_exp(context, &ball, 0, n, a);
        geodisk_exp_many(context, &ball, n, b->x, b->y, out, NULL);
        geodisk_exp_manyf(context, &ball, n, b->xf, b->yf, outf, NULL);
      } else if (c / 2 == 1) {
        do_geodesic(context, &ball, 0, n, a);
        geodisk_geodesic_step_many(context, &ball, n, b->x, b->y, 0.3, out);
        geodisk_geodesic_step_manyf(context, &ball, n, b->xf, b->yf, 0.3f, outf);
      } else {
        do_natural(context, &ball, 0, n, a);
        geodisk_natural_step_many(context, &ball, n, b->x, b->y, 30.0, 1e-5, out);
        geodisk_natural_step_manyf(context, &ball, n, b->xf, b->yf, 30.0f, 1e-5f, outf);
      }
      check_same(a->points, out, numbers, "in place", sets[s]);
      check_samef(a->pointsf, outf, numbers, "in place", sets[s]);
    }
    geodisk_context_destroy(context);
  }
  free(filled);
}

/* A bad row is NaN, and nothing else is; every point is strictly inside. */
static void test_bad_rows(void **state) {
  (void)state;
  const geodisk_ball ball = {10, 1.0, 1.0};
  fill(&ball, a, 4);
  for (int s = 0; s < SETS; s++) {
    geodisk_context *context;
    assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
    if (geodisk_use_instruction_set(context, sets[s]) == GEODISK_OK) {
      for (int c = 0; c < CALLS; c++) {
        const bool points = c >= 5, rows = calls[c].call == do_rows; /* rows: y are points */
        calls[c].call(context, &ball, 0, MOST_ROWS, a);
        for (size_t i = 0; i < MOST_ROWS; i++) {
          bool bad = isnan(geodisk_gap(&ball, a->x + i * 10)) || (rows && isnan(geodisk_gap(&ball, a->y + i * 10)));
          for (size_t e = 0; points && e < 10; e++)
            bad = bad || !isfinite(a->y[i * 10 + e]);
          if (!points)
            if (isnan(a->numbers[i]) != bad)
              fail_msg("%s on %s: row %zu is %g", calls[c].name, sets[s], i, a->numbers[i]);
          for (size_t e = 0; points && e < 10; e++)
            assert_true(isnan(a->points[i * 10 + e]) == bad);
          if (points && !bad)
            assert_true(geodisk_gap(&ball, a->points + i * 10) > 0);
          if (points && !isnan(a->pointsf[i * 10]))
            assert_true(geodisk_gapf(&ball, a->pointsf + i * 10) > 0);
        }
      }
    }
    geodisk_context_destroy(context);
  }
}

/* What is no ball, or no margin, or a bad one among many: NaN in all of them. NULL is a context, 0 is a number of rows. */
static void test_bad_arguments(void **state) {
  (void)state;
  const geodisk_ball good = {2, 1.0, 1.0}, bad[] = {{2, -1.0, 1.0}, {2, 1.0, 0.0}, {2, (double)INFINITY, 1.0}, {0, 1.0, 1.0}};
  double x[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, out[9], gap[3];
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    for (int i = 0; i < 9; i++)
      out[i] = 0;
    geodisk_distance_many(NULL, &bad[k], x, 3, x, NULL, out);
    for (int i = 0; i < 3; i++)
      assert_true(isnan(out[i]));
    geodisk_distance_all(NULL, &bad[k], 3, x, 3, x, out);
    for (int i = 0; i < 9; i++)
      assert_true(isnan(out[i]));
    geodisk_exp_many(NULL, &bad[k], 3, x, x, out, gap);
    for (int i = 0; i < 3; i++)
      assert_true(isnan(gap[i]) && isnan(out[2 * i]));
    assert_int_equal(geodisk_natural_step_many(NULL, &bad[k], 3, x, x, 1.0, 0.1, out), 0);
  }
  out[0] = 7;
  geodisk_distance_many(NULL, &good, x, 0, x, NULL, out);
  geodisk_distance_all(NULL, &good, 0, x, 3, x, out);
  geodisk_distance_all(NULL, &good, 3, x, 0, x, out);
  geodisk_exp_many(NULL, &good, 0, x, x, out, NULL);
  assert_true(out[0] == 7);
  double rim[2] = {1.0, 0.0};
  geodisk_distance_many(NULL, &good, rim, 3, x, NULL, out);
  assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[2]));
  assert_int_equal(geodisk_natural_step_many(NULL, &good, 3, x, x, 1.0, 0.0, out), 0);
  assert_true(isnan(out[0]) && isnan(out[5]));
  geodisk_geodesic_step_many(NULL, &good, 3, x, x, (double)NAN, out);
  assert_true(isnan(out[0]) && isnan(out[5]));
  geodisk_geodesic_step_many(NULL, &good, 3, x, x, 0.0, out);
  assert_memory_equal(out, x, sizeof x);
}

/* The number of projected rows, all pairs in their places, and sinh2 as the monotone form of the distance. */
static void test_meaning(void **state) {
  (void)state;
  const geodisk_ball ball = {3, 2.0, 0.5};
  enum { N = 150, M = 70 };
  geodisk_random random = geodisk_random_stream(2, 2);
  double x[N * 3], y[M * 3], out[N * M], q[M];
  for (int i = 0; i < N; i++)
    geodisk_random_in_ball(&ball, &random, 3.0, x + 3 * i, NULL);
  for (int j = 0; j < M; j++)
    geodisk_random_in_ball(&ball, &random, 9.0, y + 3 * j, NULL);
  geodisk_distance_all(NULL, &ball, N, x, M, y, out);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      assert_true(fabs(out[i * M + j] / geodisk_distance(&ball, x + 3 * i, y + 3 * j) - 1) < 17 * 0x1p-53);
  geodisk_sinh2_many(NULL, &ball, x, M, y, NULL, q);
  for (int j = 0; j < M; j++) {
    const double s = sinh(sqrt(ball.curvature) * out[j] / 2);
    assert_true(fabs(q[j] / (s * s) - 1) < 1e-14);
  }
  size_t expected = 0;
  double df[N * 3], v[3], moved[3];
  for (int i = 0; i < N * 3; i++)
    df[i] = geodisk_random_normal(&random);
  for (int i = 0; i < N; i++) {
    geodisk_gradient(&ball, x + 3 * i, df + 3 * i, v);
    for (int c = 0; c < 3; c++)
      v[c] *= -5.0;
    expected += geodisk_retract(&ball, x + 3 * i, v, 0.01, moved);
  }
  assert_true(expected > 10 && expected < N - 10);
  assert_int_equal(geodisk_natural_step_many(NULL, &ball, N, x, df, 5.0, 0.01, x), expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_split), cmocka_unit_test(test_aliasing),
                                     cmocka_unit_test(test_bad_rows), cmocka_unit_test(test_bad_arguments),
                                     cmocka_unit_test(test_meaning)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

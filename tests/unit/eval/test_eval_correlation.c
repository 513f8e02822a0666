/* test_eval_correlation.c - tau-b and rho against counting all pairs, and worked examples. (tests/eval compares with scipy.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/eval.h"

enum { MOST = 40000 };

static double mean_rank_of(size_t n, const double *a, double value) {
  double rank = 0.5;
  for (size_t i = 0; i < n; i++)
    rank += a[i] < value ? 1.0 : a[i] == value ? 0.5 : 0.0;
  return rank;
}

static geodisk_correlation directly(size_t n, const double *x, const double *y) {
  geodisk_correlation r = {0};
  double xy = 0.0, xx = 0.0, yy = 0.0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      r.pairs++;
      r.tied_x += x[i] == x[j];
      r.tied_y += y[i] == y[j];
      r.tied_both += x[i] == x[j] && y[i] == y[j];
      r.concordant += (x[i] < x[j] && y[i] < y[j]) || (x[i] > x[j] && y[i] > y[j]);
      r.discordant += (x[i] < x[j] && y[i] > y[j]) || (x[i] > x[j] && y[i] < y[j]);
    }
    const double a = mean_rank_of(n, x, x[i]) - 0.5 * ((double)n + 1), b = mean_rank_of(n, y, y[i]) - 0.5 * ((double)n + 1);
    xy += a * b;
    xx += a * a;
    yy += b * b;
  }
  r.spearman = xy / sqrt(xx * yy);
  r.kendall_tau =
      ((double)r.concordant - (double)r.discordant) / sqrt((double)(r.pairs - r.tied_x) * (double)(r.pairs - r.tied_y));
  return r;
}

static void expect_same(const geodisk_correlation *got, const geodisk_correlation *expected) {
  assert_int_equal(got->pairs, expected->pairs);
  assert_int_equal(got->concordant, expected->concordant);
  assert_int_equal(got->discordant, expected->discordant);
  assert_int_equal(got->tied_x, expected->tied_x);
  assert_int_equal(got->tied_y, expected->tied_y);
  assert_int_equal(got->tied_both, expected->tied_both);
  if (!(fabs(got->kendall_tau - expected->kendall_tau) <= 1e-14) && !isnan(expected->kendall_tau))
    fail_msg("tau %.17g, expected %.17g", got->kendall_tau, expected->kendall_tau);
  if (!(fabs(got->spearman - expected->spearman) <= 1e-13) && !isnan(expected->spearman))
    fail_msg("rho %.17g, expected %.17g", got->spearman, expected->spearman);
  assert_int_equal(isnan(got->kendall_tau), isnan(expected->kendall_tau));
  assert_int_equal(isnan(got->spearman), isnan(expected->spearman));
}

static void by_counting(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(1, 1);
  double x[700], y[700];
  for (int round = 0; round < 200; round++) {
    const size_t n = 2 + (size_t)geodisk_random_below(&random, round % 10 == 0 ? 698 : 60);
    const uint64_t x_values = 1 + geodisk_random_below(&random, 30), y_values = 1 + geodisk_random_below(&random, 100);
    for (size_t i = 0; i < n; i++) {
      x[i] = (double)geodisk_random_below(&random, x_values) - 7.0;
      y[i] = round % 2 == 0 ? (double)geodisk_random_below(&random, y_values) : x[i] + 5.0 * geodisk_random_normal(&random);
    }
    geodisk_correlation got = {0}, expected = directly(n, x, y);
    assert_int_equal(geodisk_rank_correlation(NULL, n, x, y, &got), GEODISK_OK);
    expect_same(&got, &expected);
  }
}

/* Many runs and merges: sizes around multiples of the run length; any number of threads. */
static void large_and_threaded(void **state) {
  (void)state;
  static const size_t sizes[] = {8191, 8192, 8193, 16384, 16385, 24577, MOST};
  geodisk_random random = geodisk_random_stream(2, 1);
  double *x = test_malloc(MOST * sizeof *x), *y = test_malloc(MOST * sizeof *y);
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    const size_t n = sizes[s];
    for (size_t i = 0; i < n; i++) {
      x[i] = (double)geodisk_random_below(&random, 12);
      y[i] = s % 2 == 0 ? geodisk_random_normal(&random) + 0.3 * x[i] : (double)geodisk_random_below(&random, 5000);
    }
    geodisk_correlation first = {0}, r = {0};
    assert_int_equal(geodisk_rank_correlation(NULL, n, x, y, &first), GEODISK_OK);
    if (n <= 8193 && !SANITIZED) {
      const geodisk_correlation expected = directly(n, x, y);
      expect_same(&first, &expected);
    }
    for (int threads = 2; threads <= 5; threads++) {
      geodisk_context *context = NULL;
      assert_int_equal(geodisk_context_create(threads, &context), GEODISK_OK);
      assert_int_equal(geodisk_rank_correlation(context, n, x, y, &r), GEODISK_OK);
      assert_memory_equal(&first, &r, sizeof r);
      geodisk_context_destroy(context);
    }
    /* y against itself, and upside down */
    assert_int_equal(geodisk_rank_correlation(NULL, n, y, y, &r), GEODISK_OK);
    assert_true(fabs(r.kendall_tau - 1.0) < 1e-15 && r.discordant == 0 && fabs(r.spearman - 1.0) < 1e-12);
    for (size_t i = 0; i < n; i++)
      x[i] = -y[i];
    assert_int_equal(geodisk_rank_correlation(NULL, n, x, y, &r), GEODISK_OK);
    assert_true(fabs(r.kendall_tau + 1.0) < 1e-15 && r.concordant == 0 && fabs(r.spearman + 1.0) < 1e-12);
  }
  test_free(x);
  test_free(y);
}

static void examples_and_errors(void **state) {
  (void)state;
  const double x[] = {12, 2, 1, 12, 2}, y[] = {1, 4, 7, 1, 0}, bad[] = {1, 2, (double)NAN, 3, 4}, same[] = {3, 3, 3, 3, 3};
  geodisk_correlation r = {0};
  assert_int_equal(geodisk_rank_correlation(NULL, 5, x, y, &r), GEODISK_OK);
  assert_true(fabs(r.kendall_tau - -0.47140452079103173) < 1e-15); /* the example in scipy's documentation */
  assert_int_equal(geodisk_rank_correlation(NULL, 5, x, same, &r), GEODISK_OK);
  assert_true(isnan(r.kendall_tau) && isnan(r.spearman));
  const geodisk_correlation untouched = r;
  assert_int_equal(geodisk_rank_correlation(NULL, 5, x, bad, &r), GEODISK_ERROR_NUMERIC);
  assert_int_equal(geodisk_rank_correlation(NULL, 1, x, y, &r), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_rank_correlation(NULL, 5, NULL, y, &r), GEODISK_ERROR_ARGUMENT);
  assert_memory_equal(&r, &untouched, sizeof r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_counting), cmocka_unit_test(large_and_threaded),
                                     cmocka_unit_test(examples_and_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

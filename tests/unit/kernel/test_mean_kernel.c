/* test_mean_kernel.c - the vector passes of the means against the plain ones (mean_ref.c), on every instruction set of this
 * machine: any number of rows, any dim, weights, rows at the point itself and rows at the rim. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/mean.h"
#include "kernel/dd.h"
#include "kernel/kernel.h"

enum { LARGEST_DIM = 70, MOST_SUMS = 4 + 2 * LARGEST_DIM + LARGEST_DIM * (LARGEST_DIM + 1) / 2 };
static double rows[KERNEL_ROWS * LARGEST_DIM], gaps[KERNEL_ROWS], weights[KERNEL_ROWS], p[LARGEST_DIM];
static double expected[MOST_SUMS], sums[MOST_SUMS], scratch[MEAN_SCRATCH(LARGEST_DIM, KERNEL_ROWS)];

/* Rows all over the ball, some at p, some one ulp beside it, some at the rim. */
static mean_point make_case(int dim, uint64_t seed) {
  geodisk_random random = geodisk_random_stream(seed, (uint64_t)dim);
  const geodisk_ball ball = {dim, 1.5, 1.0};
  geodisk_random_in_ball(&ball, &random, 3.0, p, NULL);
  for (int i = 0; i < KERNEL_ROWS; i++) {
    double *row = rows + i * dim;
    geodisk_random_in_ball(&ball, &random, i % 5 == 0 ? 30.0 : 4.0, row, NULL);
    if (i % 17 == 3)
      memcpy(row, p, (size_t)dim * sizeof *p);
    if (i % 34 == 3)
      row[0] = nextafter(row[0], 0);
    gaps[i] = geodisk_gap(&ball, row);
    weights[i] = i % 11 == 4 ? 0 : exp(geodisk_random_normal(&random));
  }
  const double gap = geodisk_gap(&ball, p);
  const dd ratio = dd_div(dd_from(2.25), dd_from(gap));
  return (mean_point){.dim = (size_t)dim, .p = p, .gap = gap, .ratio = ratio.hi, .ratio_rest = ratio.lo, .weight_scale = 0.5};
}

/* Sums of terms of either sign are compared relative to the sum of their sizes, which the rows' pulls bound. */
static double size_of(const mean_point *at, size_t n, const double *w, double power) {
  double size = 0;
  for (size_t i = 0; i < n; i++) {
    double s = 0;
    for (size_t j = 0; j < at->dim; j++)
      s += (rows[i * at->dim + j] - p[j]) * (rows[i * at->dim + j] - p[j]);
    const double u = s * at->ratio / gaps[i], theta = log1p(2 * (u + sqrt(u + u * u)));
    size += (w == NULL ? 1 : w[i]) * at->weight_scale * pow(1 + theta, power);
  }
  return size;
}

typedef void each_fn(const kernel_table *table);

static void on_every_instruction_set(each_fn *test) {
  static const char *const names[] = {"sse2", "avx2", "avx512"};
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  for (int i = 0; i < 3; i++)
    if (geodisk_use_instruction_set(context, names[i]) == GEODISK_OK) {
      const kernel_table *table = geodisk_kernel_table(names[i]);
      assert_string_equal(table->name, names[i]);
      test(table);
    }
  geodisk_context_destroy(context);
}

static const int dims[] = {1, 2, 3, 4, 5, 7, 10, 11, 33, LARGEST_DIM};
static const size_t counts[] = {1, 2, 7, 8, 9, 31, 100, 255, KERNEL_ROWS};

static void compare_plain(const kernel_table *table) {
  double worst = 0;
  for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++)
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
      for (int kind = 0; kind < 8; kind++) {
        mean_point at = make_case(dims[d], c);
        at.hessian = kind % 2 == 0;
        at.centroid = kind == 0 || kind == 5;
        at.median = kind / 2 == 1;
        const double *w = kind < 4 ? weights : NULL;
        const size_t n = counts[c], dim = at.dim;
        memset(expected, 0, sizeof expected);
        memset(sums, 0, sizeof sums);
        geodisk_mean_plain_ref(&at, n, rows, gaps, w, expected, scratch);
        table->mean_plain(&at, n, rows, gaps, w, sums, scratch);
        const double bound = (64 + 2 * (double)dim) * DBL_EPSILON, pulls = size_of(&at, n, w, 2);
        const size_t length = 4 + 2 * dim + (at.hessian ? dim * (dim + 1) / 2 : 0);
        for (size_t i = 0; i < length; i++) {
          const bool positive = i < 4;
          double size = positive ? fabs(expected[i]) : pulls;
          if (i >= 4 + dim && i < 4 + 2 * dim) /* zeta itself is as long as sinh(theta): by its own largest rows */
            size = fmax(fabs(expected[3]) * 4, 1);
          if (at.median) /* near p the Hessian is as large as 1/d */
            size = fmax(size, fabs(expected[1]) * 4);
          if (i >= 4 + 2 * dim) /* (h-1)/g^2 below the series' switch is right to 2^-24 */
            size *= at.median ? 1 : 0x1p-24 / bound;
          const double error = fabs(sums[i] - expected[i]) / (size + DBL_MIN);
          if (!(error <= bound))
            fail_msg("%s, dim %d, n %zu, kind %d, sum %zu: %.17g, expected %.17g (size %g)", table->name, dims[d], n, kind, i,
                     sums[i], expected[i], size);
          if (i < 4 + 2 * dim)
            worst = fmax(worst, error);
        }
      }
  print_message("%s: plain sums within %.1f units of 2^-53\n", table->name, worst / (DBL_EPSILON / 2));
}

static void plain_passes(void **state) {
  (void)state;
  on_every_instruction_set(compare_plain);
}

/* Each row alone, where the error of its logarithm shows: it must be near 2^-53. */
static void compare_accurate(const kernel_table *table) {
  double worst = 0, worst_sum = 0;
  for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++) {
    const mean_point at = make_case(dims[d], 77);
    for (size_t i = 0; i < KERNEL_ROWS; i++) {
      double length2 = 0, off2 = 0;
      memset(expected, 0, sizeof expected);
      memset(sums, 0, sizeof sums);
      geodisk_mean_accurate_ref(&at, 1, rows + i * at.dim, gaps + i, weights + i, expected, scratch);
      table->mean_accurate(&at, 1, rows + i * at.dim, gaps + i, weights + i, sums, scratch);
      for (size_t j = 0; j < at.dim; j++) { /* S c delta - c s p, the logarithm */
        double value[2];
        for (int k = 0; k < 2; k++) {
          const double *from = k == 0 ? expected : sums;
          const dd log = dd_sub(dd_mul_d((dd){from[6 + 2 * j], from[7 + 2 * j]}, at.gap), dd_mul_d((dd){from[0], from[1]}, p[j]));
          value[k] = log.hi;
        }
        length2 += value[0] * value[0];
        off2 += (value[1] - value[0]) * (value[1] - value[0]);
      }
      if (length2 > 0)
        worst = fmax(worst, sqrt(off2 / length2));
    }
    memset(expected, 0, sizeof expected);
    memset(sums, 0, sizeof sums);
    geodisk_mean_accurate_ref(&at, KERNEL_ROWS, rows, gaps, weights, expected, scratch);
    table->mean_accurate(&at, KERNEL_ROWS, rows, gaps, weights, sums, scratch);
    for (size_t i = 2; i < 6; i += 2)
      worst_sum = fmax(worst_sum, fabs((sums[i] - expected[i]) + (sums[i + 1] - expected[i + 1])) / expected[i]);
  }
  print_message("%s: a row's logarithm within %.2f units of 2^-53, sums within %.1e\n", table->name, worst / (DBL_EPSILON / 2),
                worst_sum);
  assert_true(worst <=
              2.5 * DBL_EPSILON / 2); /* what the certificate of geodisk_mean counts on is 4, with the gap's own rounding */
  assert_true(worst_sum <= 2 * DBL_EPSILON);
}

static void accurate_passes(void **state) {
  (void)state;
  on_every_instruction_set(compare_accurate);
}

/* Barycenters on every instruction set agree as well as their certificates say. */
static void means_agree(void **state) {
  (void)state;
  enum { N = 5000, DIM = 6 };
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  static double x[N * DIM];
  geodisk_random random = geodisk_random_stream(3, 3);
  for (int i = 0; i < N; i++)
    geodisk_random_in_ball(&ball, &random, 5.0, x + i * DIM, NULL);
  static const char *const names[] = {"ref", "sse2", "avx2", "avx512"};
  double reference[DIM] = {0};
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
  for (int i = 0; i < 4; i++)
    if (geodisk_use_instruction_set(context, names[i]) == GEODISK_OK) {
      geodisk_mean_options options = geodisk_mean_defaults();
      options.context = context;
      geodisk_mean_info info;
      double mean[DIM];
      assert_int_equal(geodisk_mean(&ball, N, x, NULL, &options, mean, &info), GEODISK_OK);
      if (i == 0)
        memcpy(reference, mean, sizeof mean);
      assert_true(geodisk_distance(&ball, mean, reference) <= 1e-15);
      assert_true(info.converged && info.passes <= 8);
    }
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(plain_passes), cmocka_unit_test(accurate_passes),
                                     cmocka_unit_test(means_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_rank_kernel.c - the kernels of the evaluation: every instruction set against plain C, and plain C against direct formulas.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/base.h"
#include "kernel/rank.h"

enum { MOST_DIM = 70, MOST_THRESHOLDS = 700 };

typedef struct space {
  double y[MOST_DIM * RANK_POINTS], w[RANK_POINTS], x[MOST_DIM * RANK_SOURCES], limit[RANK_SOURCES];
  double out[(RANK_SOURCES + 1) * RANK_POINTS], plain[(RANK_SOURCES + 1) * RANK_POINTS];
  float yf[MOST_DIM * RANK_POINTS], wf[RANK_POINTS], xf[MOST_DIM * RANK_SOURCES], limitf[RANK_SOURCES];
  float outf[(RANK_SOURCES + 1) * RANK_POINTS], plainf[(RANK_SOURCES + 1) * RANK_POINTS];
  double t[MOST_THRESHOLDS];
  float tf[MOST_THRESHOLDS];
} space;

static const rank_table *const *all_tables(size_t *n) {
  static const rank_table *tables[4];
  static const char *const names[] = {"ref", "sse2", "avx2", "avx512"};
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  *n = 0;
  for (size_t i = 0; i < 4; i++)
    if (geodisk_use_instruction_set(context, names[i]) == GEODISK_OK) {
      tables[*n] = geodisk_rank_table(geodisk_instruction_set(context));
      assert_string_equal(tables[(*n)++]->name, names[i]);
    }
  geodisk_context_destroy(context);
  assert_ptr_equal(geodisk_rank_table("none"), &geodisk_rank_ref);
  return tables;
}

static void fill(space *s, geodisk_random *random, size_t dim) {
  for (size_t i = 0; i < dim * RANK_POINTS; i++)
    s->y[i] = (double)(s->yf[i] = (float)geodisk_random_normal(random));
  for (size_t i = 0; i < dim * RANK_SOURCES; i++)
    s->x[i] = (double)(s->xf[i] = (float)geodisk_random_normal(random));
  for (size_t i = 0; i < RANK_POINTS; i++)
    s->w[i] = (double)(s->wf[i] = (float)exp(4 * geodisk_random_normal(random)));
  for (size_t i = 0; i < RANK_SOURCES; i++)
    s->limit[i] = (double)(s->limitf[i] = (float)exp(geodisk_random_normal(random) * 6 - 4));
}

/* Element (point j, column c) of a tile. */
static double tile_entry(const space *s, size_t dim, size_t j, size_t c) {
  const size_t group = RANK_GROUP_BYTES / sizeof(double);
  return s->y[(j / group * dim + c) * group + j % group];
}

static void tile_is_distance(void **state) {
  (void)state;
  space *s = test_malloc(sizeof *s);
  geodisk_random random = geodisk_random_stream(1, 1);
  for (size_t dim = 1; dim <= MOST_DIM; dim += dim < 12 ? 1 : 29) {
    fill(s, &random, dim);
    const double near = (double)dim;
    const unsigned bits = geodisk_rank_ref.d.tile(dim, RANK_POINTS, s->y, s->w, s->x, s->limit, near, s->out);
    unsigned expected = 0;
    for (size_t a = 0; a < RANK_SOURCES; a++)
      for (size_t j = 0; j < RANK_POINTS; j++) {
        long double sum = 0;
        for (size_t c = 0; c < dim; c++) {
          const long double d = (long double)tile_entry(s, dim, j, c) - (long double)s->x[c * RANK_SOURCES + a];
          sum += d * d;
        }
        const double exact = (double)(sum * (long double)s->w[j]), got = s->out[a * RANK_POINTS + j];
        if (!(fabs(got - exact) <= (double)(dim + 4) * 0x1p-53 * exact))
          fail_msg("dim %zu: %.17g, exactly %.17g", dim, got, exact);
        expected |= (unsigned)(got < s->limit[a]) << a | (unsigned)((double)sum < near) << (RANK_SOURCES + a);
      }
    assert_int_equal(bits, expected);
  }
  test_free(s);
}

/* AVX2 and AVX-512: the same bits as plain C. SSE2 has no fma: within (dim + 2) roundings. */
static void tile_agrees(void **state) {
  (void)state;
  size_t n;
  const rank_table *const *tables = all_tables(&n);
  space *s = test_malloc(sizeof *s);
  geodisk_random random = geodisk_random_stream(2, 1);
  for (size_t i = 1; i < n; i++)
    for (size_t dim = 1; dim <= MOST_DIM; dim += dim < 12 ? 1 : 29)
      for (size_t points = 32; points <= RANK_POINTS; points += 32) {
        const bool exact = strcmp(tables[i]->name, "sse2") != 0;
        fill(s, &random, dim);
        memset(s->out, 0, sizeof s->out);
        memset(s->plain, 0, sizeof s->plain);
        memset(s->outf, 0, sizeof s->outf);
        memset(s->plainf, 0, sizeof s->plainf);
        const unsigned bits = tables[i]->d.tile(dim, points, s->y, s->w, s->x, s->limit, (double)dim, s->out);
        const unsigned plain = geodisk_rank_ref.d.tile(dim, points, s->y, s->w, s->x, s->limit, (double)dim, s->plain);
        const unsigned bitsf = tables[i]->f.tile(dim, points, s->yf, s->wf, s->xf, s->limitf, (float)dim, s->outf);
        const unsigned plainf = geodisk_rank_ref.f.tile(dim, points, s->yf, s->wf, s->xf, s->limitf, (float)dim, s->plainf);
        if (exact) {
          assert_int_equal(bits, plain);
          assert_int_equal(bitsf, plainf);
          assert_memory_equal(s->out, s->plain, sizeof s->out);
          assert_memory_equal(s->outf, s->plainf, sizeof s->outf);
          continue;
        }
        for (size_t j = 0; j < RANK_SOURCES * RANK_POINTS; j++) {
          if (!(fabs(s->out[j] - s->plain[j]) <= (double)(dim + 2) * DBL_EPSILON * s->plain[j]))
            fail_msg("%s dim %zu: %.17g, plain %.17g", tables[i]->name, dim, s->out[j], s->plain[j]);
          if (!(fabsf(s->outf[j] - s->plainf[j]) <= (float)(dim + 2) * FLT_EPSILON * s->plainf[j]))
            fail_msg("%s dim %zu: %.9g, plain %.9g", tables[i]->name, dim, (double)s->outf[j], (double)s->plainf[j]);
        }
      }
  test_free(s);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Thresholds taken from a coarse grid, so that many numbers equal one of them. */
static void counts_are_exact(void **state) {
  (void)state;
  size_t n;
  const rank_table *const *tables = all_tables(&n);
  space *s = test_malloc(sizeof *s);
  geodisk_random random = geodisk_random_stream(3, 1);
  for (size_t i = 0; i < n; i++)
    for (int round = 0; round < 600; round++) {
      const size_t points = 32 * (1 + (size_t)geodisk_random_below(&random, 8));
      const double span = exp(geodisk_random_normal(&random) * 4);
      size_t wanted = (size_t)(1 + geodisk_random_below(&random, round % 3 == 0 ? MOST_THRESHOLDS : 20)), k = 0;
      for (size_t t = 0; t < wanted; t++)
        s->t[t] = floor(1 + 999 * geodisk_random_uniform(&random)) / 1024;
      qsort(s->t, wanted, sizeof *s->t, compare);
      for (size_t t = 0; t < wanted; t++)
        if (k == 0 || s->t[k - 1] != s->t[t])
          s->t[k++] = s->t[t];
      uint32_t hist[MOST_THRESHOLDS] = {0}, histf[MOST_THRESHOLDS] = {0}, expected[MOST_THRESHOLDS] = {0};
      for (size_t j = 0; j < points; j++) {
        double q = floor(span * 1024 * geodisk_random_uniform(&random)) / 1024;
        if (geodisk_random_below(&random, 10) == 0)
          q = (double)INFINITY;
        s->out[j] = q;
        s->outf[j] = (float)q;
        for (size_t t = 0; t < k; t++)
          if (q < s->t[t]) {
            expected[t]++;
            break;
          }
      }
      for (size_t t = 0; t < k; t++)
        s->tf[t] = (float)s->t[t];
      tables[i]->d.count(points, s->out, k, s->t, hist);
      tables[i]->f.count(points, s->outf, k, s->tf, histf);
      for (size_t t = 0; t < k; t++)
        if (hist[t] != expected[t] || histf[t] != expected[t])
          fail_msg("%s, %zu points, %zu thresholds: below threshold %zu %u and %u, expected %u", tables[i]->name, points, k, t,
                   hist[t], histf[t], expected[t]);
    }
  test_free(s);
}

/* e^-d and d from q: the kinds of space, sizes from 1e-300 to beyond where e^-d vanishes, infinity. */
static void sums_and_distances(void **state) {
  (void)state;
  size_t n;
  const rank_table *const *tables = all_tables(&n);
  geodisk_random random = geodisk_random_stream(4, 1);
  double q[RANK_POINTS], d[RANK_POINTS], plain[RANK_POINTS];
  float qf[RANK_POINTS];
  for (size_t i = 1; i < n; i++)
    for (int round = 0; round < 300; round++) {
      const rank_distance kind = (rank_distance)(round % 3);
      const double scale = exp(5 * geodisk_random_normal(&random));
      const double unit = kind == RANK_UNIT ? 1.0 : exp(geodisk_random_normal(&random));
      const double spread = round % 2 == 0 ? 3.0 : 60.0;
      for (size_t j = 0; j < RANK_POINTS; j++) {
        qf[j] = (float)exp(spread / 3 * geodisk_random_normal(&random));
        q[j] = exp(spread * geodisk_random_normal(&random));
      }
      q[7] = 0.0;
      qf[9] = 0.0f;
      tables[i]->distances(kind, scale, unit, RANK_POINTS, q, d);
      geodisk_rank_ref.distances(kind, scale, unit, RANK_POINTS, q, plain);
      for (size_t j = 0; j < RANK_POINTS; j++)
        if (!(fabs(d[j] - plain[j]) <= 16 * DBL_EPSILON * plain[j]))
          fail_msg("%s, kind %d: q %.17g scale %.17g unit %.17g gives %.17g, plain %.17g", tables[i]->name, (int)kind, q[j],
                   scale, unit, d[j], plain[j]);
      q[3] = q[200] = (double)INFINITY;
      qf[3] = qf[200] = INFINITY;
      const double sum = tables[i]->d.sum(kind, scale, unit, RANK_POINTS, q);
      const double sumf = tables[i]->f.sum(kind, scale, unit, RANK_POINTS, qf);
      const double expected = geodisk_rank_ref.d.sum(kind, scale, unit, RANK_POINTS, q);
      const double expectedf = geodisk_rank_ref.f.sum(kind, scale, unit, RANK_POINTS, qf);
      /* d is known to 2^-52, so e^-d to d 2^-52 where it counts */
      if (!(fabs(sum - expected) <= 64 * DBL_EPSILON * expected) || !(fabs(sumf - expectedf) <= 64 * DBL_EPSILON * expectedf))
        fail_msg("%s, kind %d: sums %.17g and %.17g, plain %.17g and %.17g", tables[i]->name, (int)kind, sum, sumf, expected,
                 expectedf);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tile_is_distance), cmocka_unit_test(tile_agrees),
                                     cmocka_unit_test(counts_are_exact), cmocka_unit_test(sums_and_distances)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

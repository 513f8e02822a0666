/* test_double_double.c - the bounds that docs/numerics.md states for dd.h, against MPFR: arithmetic and square root within 2^-103
 * relative, e^x - 1, log, log(1 + x) and asinh within 2^-70, sums of three terms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <geodisk/base.h>
#include <mpfr.h>

#include "kernel/dd.h"

enum { CASES = 20000, BITS = 400 };
#define RN MPFR_RNDN

static geodisk_random random_numbers;

/* A double-double with a random sign and both words in use, its size 2^low ... 2^high. */
static dd draw(int low, int high) {
  double size = 1.0 + geodisk_random_uniform(&random_numbers);
  int e = low + (int)geodisk_random_below(&random_numbers, (uint64_t)(high - low));
  double lo = (geodisk_random_uniform(&random_numbers) - 0.5) * 0x1p-52;
  dd a = dd_ldexp(fast_two_sum(size, lo), e);
  return geodisk_random_below(&random_numbers, 2) ? a : dd_neg(a);
}

static void set(mpfr_ptr out, dd a) {
  mpfr_set_d(out, a.hi, RN);
  mpfr_add_d(out, out, a.lo, RN);
}

/* |got - exact| / |exact|. */
static double relative_error(dd got, mpfr_srcptr exact) {
  mpfr_t difference;
  mpfr_init2(difference, BITS);
  set(difference, got);
  mpfr_sub(difference, difference, exact, RN);
  double error = 0.0;
  if (!mpfr_zero_p(difference)) {
    mpfr_div(difference, difference, exact, RN);
    error = fabs(mpfr_get_d(difference, RN));
  }
  mpfr_clear(difference);
  return error;
}

static void report(const char *name, double worst, double bound) {
  print_message("%-10s worst 2^%.2f, bound 2^%.0f\n", name, worst > 0.0 ? log2(worst) : -1000.0, log2(bound));
  assert_true(worst <= bound);
  assert_true(worst > 0.0); /* it was measured at all */
}

/* ---- arithmetic ---- */

typedef int exact_binary(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static dd first_root(dd a, dd b) {
  (void)b;
  return dd_sqrt(a.hi < 0.0 ? dd_neg(a) : a);
}
static int exact_root(mpfr_t out, const mpfr_t a, const mpfr_t b, mpfr_rnd_t rounding) {
  (void)b;
  mpfr_abs(out, a, rounding);
  return mpfr_sqrt(out, out, rounding);
}

/* Opposite signs and nearly equal numbers are among the cases: the sum is right relative to itself, not to its terms. */
static void test_arithmetic(void **state) {
  (void)state;
  static const struct {
    const char *name;
    dd (*computed)(dd, dd);
    exact_binary *exact;
  } table[] = {{"add", dd_add, mpfr_add},
               {"sub", dd_sub, mpfr_sub},
               {"mul", dd_mul, mpfr_mul},
               {"div", dd_div, mpfr_div},
               {"sqrt", first_root, exact_root}};
  mpfr_t a, b, exact;
  mpfr_inits2(BITS, a, b, exact, (mpfr_ptr)NULL);
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    double worst = 0.0;
    for (int n = 0; n < CASES; n++) {
      dd p = draw(-40, 40), q = draw(-40, 40);
      if (n % 4 == 0) /* close to each other */
        q = dd_add(p, dd_ldexp(draw(-1, 0), ilogb(p.hi) - (int)geodisk_random_below(&random_numbers, 100)));
      set(a, p);
      set(b, q);
      table[i].exact(exact, a, b, RN);
      double error = mpfr_zero_p(exact) ? 0.0 : relative_error(table[i].computed(p, q), exact);
      if (error > worst)
        worst = error;
    }
    report(table[i].name, worst, 0x1p-103);
  }
  mpfr_clears(a, b, exact, (mpfr_ptr)NULL);
}

/* ---- functions ---- */

static void test_functions(void **state) {
  (void)state;
  enum { ANY, POSITIVE, ABOVE_MINUS_ONE };
  static const struct {
    const char *name;
    dd (*computed)(dd);
    int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    int domain, low, high;
  } table[] = {{"expm1", dd_expm1, mpfr_expm1, ANY, -200, 9},
               {"log", dd_log, mpfr_log, POSITIVE, -1000, 1000},
               {"log", dd_log, mpfr_log, POSITIVE, -1, 1}, /* near 1, where it vanishes */
               {"log1p", dd_log1p, mpfr_log1p, ABOVE_MINUS_ONE, -200, 100},
               {"log1p", dd_log1p, mpfr_log1p, ABOVE_MINUS_ONE, -3, 2},
               {"asinh", dd_asinh, mpfr_asinh, POSITIVE, -200, 900},
               {"asinh", dd_asinh, mpfr_asinh, POSITIVE, -4, 4}};
  mpfr_t a, exact;
  mpfr_inits2(BITS, a, exact, (mpfr_ptr)NULL);
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    double worst = 0.0;
    for (int n = 0; n < CASES; n++) {
      dd p = draw(table[i].low, table[i].high);
      if (p.hi < 0.0 && (table[i].domain == POSITIVE || (table[i].domain == ABOVE_MINUS_ONE && p.hi <= -0.999)))
        p = dd_neg(p);
      set(a, p);
      table[i].exact(exact, a, RN);
      double error = relative_error(table[i].computed(p), exact);
      if (error > worst)
        worst = error;
    }
    report(table[i].name, worst, 0x1p-70);
  }
  mpfr_clears(a, exact, (mpfr_ptr)NULL);
}

/* ---- the three-term sum ---- */

/* 1 - |x|^2 for |x| within 2^-53 of 1, dim 300: the worst case of the ball's gap. A sum in double-double is measured beside it,
 * to show what the third term is for. */
static void test_three_terms(void **state) {
  (void)state;
  enum { DIM = 300 };
  mpfr_t exact, square;
  mpfr_inits2(BITS, exact, square, (mpfr_ptr)NULL);
  double worst = 0.0, worst_of_two = 0.0;
  for (int n = 0; n < 500; n++) {
    double x[DIM], length = 0.0;
    for (int i = 0; i < DIM; i++) {
      x[i] = geodisk_random_normal(&random_numbers);
      length += x[i] * x[i];
    }
    length = sqrt(length);
    sum3 s = {1.0, 0.0, 0.0};
    dd two = {1.0, 0.0};
    mpfr_set_d(exact, 1.0, RN);
    for (int i = 0; i < DIM; i++) {
      x[i] /= length;
      sum3_add_product(&s, x[i], -x[i]);
      two = dd_sub(two, two_prod(x[i], x[i]));
      mpfr_set_d(square, x[i], RN);
      mpfr_sqr(square, square, RN);
      mpfr_sub(exact, exact, square, RN);
    }
    double error = relative_error(sum3_value(&s), exact), error_of_two = relative_error(two, exact);
    worst = error > worst ? error : worst;
    worst_of_two = error_of_two > worst_of_two ? error_of_two : worst_of_two;
  }
  print_message("gap at the rim, dim 300: three terms 2^%.2f, two terms 2^%.2f\n", worst > 0.0 ? log2(worst) : -1000.0,
                log2(worst_of_two));
  assert_true(worst <= 0x1p-80);
  assert_true(worst_of_two > 0x1p-53); /* so the cases are hard enough */
  mpfr_clears(exact, square, (mpfr_ptr)NULL);
}

int main(void) {
  random_numbers = geodisk_random_stream(1, 0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arithmetic),
      cmocka_unit_test(test_functions),
      cmocka_unit_test(test_three_terms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

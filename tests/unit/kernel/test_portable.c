/* The functions of portable.h, and flat_distance.h, against long double, over their domains, to what the header states; and at
 * their ends. That they do not depend on the system's libm is for test_embed_environment.c. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geodisk/base.h"
#include "kernel/flat_distance.h"
#include "kernel/portable.h"

enum { CASES = 200000 };
#define UNIT 0x1p-53L

static double uniform(geodisk_random *random, double low, double high) {
  return low + (high - low) * geodisk_random_uniform(random);
}

/* |got - expected| in units of 2^-53 of `scale`. */
static double units(double got, long double expected, long double scale) {
  return (double)(fabsl((long double)got - expected) / (UNIT * fabsl(scale)));
}

static void check(const char *what, double worst, double bound) {
  print_message("%s: %.3f units\n", what, worst);
  if (!(worst <= bound))
    fail_msg("%s: %g units, at most %g were promised", what, worst, bound);
}

static void test_exp(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(1, 1);
  double worst = 0.0;
  for (int i = 0; i < CASES; i++) {
    const double x = i % 2 ? uniform(&random, -700.0, 709.0) : uniform(&random, -2.0, 2.0);
    const long double y = expl((long double)x);
    worst = fmax(worst, units(portable_exp(x), y, y));
  }
  check("exp", worst, 2.0);
  assert_true(portable_exp(0.0) == 1.0 && portable_exp(-1000.0) == 0.0 && portable_exp(1000.0) == 0x1p1023);
  assert_true(isnan(portable_exp((double)NAN)));
}

static void test_log(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(1, 2);
  double worst = 0.0;
  for (int i = 0; i < CASES; i++) {
    const double x =
        i % 2 ? ldexp(uniform(&random, 1.0, 2.0), (int)uniform(&random, -1021.0, 1022.0)) : uniform(&random, 0.5, 2.0);
    const long double y = logl((long double)x);
    worst = fmax(worst, units(portable_log(x), y, y));
  }
  check("log", worst, 3.0);
  assert_true(portable_log(1.0) == 0.0);
}

/* x^y, |y log x| <= 40: the rounding of that product counts as often as it is large. */
static void test_pow(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(1, 3);
  double worst = 0.0;
  for (int i = 0; i < CASES; i++) {
    const double x = ldexp(uniform(&random, 1.0, 2.0), (int)uniform(&random, -20.0, 20.0));
    const double y = uniform(&random, -2.0, 2.0), product = fabs(y * log(x));
    const long double z = powl((long double)x, (long double)y);
    worst = fmax(worst, units(portable_pow(x, y), z, z) / (2.0 + 5.0 * product));
  }
  check("pow, over 2 + 5 |y log x|", worst, 1.0);
  assert_true(portable_pow(3.0, 0.0) == 1.0);
}

static void test_tanh(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(1, 4);
  double worst = 0.0;
  for (int i = 0; i < CASES; i++) {
    const double x = i % 3 == 0 ? uniform(&random, 0.0, 40.0) : i % 3 == 1 ? uniform(&random, 0.0, 2.0) : ldexp(1.0, -i % 60);
    const long double y = tanhl((long double)x / 2.0L);
    worst = fmax(worst, units(portable_tanh_half(x), y, y));
  }
  check("tanh(x / 2)", worst, 5.0);
  assert_true(portable_tanh_half(0.0) == 0.0 && portable_tanh_half(1e6) == 1.0);
}

static void test_sine_and_cosine(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(1, 5);
  double worst = 0.0, circle = 0.0;
  for (int i = 0; i < CASES; i++) {
    const double x = i % 2 ? uniform(&random, -10.0, 10.0) : uniform(&random, -1e5, 1e5);
    double s, c;
    portable_sincos(x, &s, &c);
    assert_true(portable_sin(x) == s && portable_cos(x) == c);
    worst = fmax(worst, fmax(units(s, sinl((long double)x), 1.0L), units(c, cosl((long double)x), 1.0L)));
    circle = fmax(circle, fabs(s * s + c * c - 1.0));
  }
  check("sin and cos", worst, 2.0);
  assert_true(circle < 1e-15);
  assert_true(portable_sin(0.0) == 0.0 && portable_cos(0.0) == 1.0);
}

static void test_powers_of_two(void **state) {
  (void)state;
  for (int n = -1022; n <= 1023; n++)
    assert_true(portable_power2(n) == ldexp(1.0, n));
}

/* Within half a unit and what long double leaves, at every size: the last ones would over- or underflow if squared. */
static void test_flat_distance(void **state) {
  (void)state;
  enum { DIM = 7, KINDS = 5 };
  static const int exponent[KINDS] = {0, 500, -500, 1020, -1040};
  geodisk_random random = geodisk_random_stream(1, 7);
  double x[DIM], y[DIM], worst = 0.0;
  for (int i = 0; i < CASES; i++) {
    long double sum = 0.0L;
    for (int k = 0; k < DIM; k++) {
      x[k] = ldexp(uniform(&random, -1.0, 1.0), exponent[i % KINDS]);
      y[k] = i % 2 ? ldexp(uniform(&random, -1.0, 1.0), exponent[i % KINDS]) : x[k] * (1.0 + 0x1p-40 * k);
      const long double d = (long double)x[k] - (long double)y[k];
      sum += d * d;
    }
    if (i % KINDS < KINDS - 1)
      worst = fmax(worst, units(flat_distance(DIM, x, y), sqrtl(sum), sqrtl(sum)));
    else /* denormal numbers: to their own unit */
      assert_true(fabsl((long double)flat_distance(DIM, x, y) - sqrtl(sum)) <= 0x1p-1074L);
    assert_true(flat_distance(DIM, x, y) == flat_distance(DIM, y, x) && flat_distance(DIM, x, x) == 0.0);
  }
  check("flat distance", worst, 1.01);
}

int main(void) {
  if (LDBL_MANT_DIG <= DBL_MANT_DIG) {
    print_message("long double is no more than double here: there is nothing to compare with\n");
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exp),
      cmocka_unit_test(test_log),
      cmocka_unit_test(test_pow),
      cmocka_unit_test(test_tanh),
      cmocka_unit_test(test_sine_and_cosine),
      cmocka_unit_test(test_powers_of_two),
      cmocka_unit_test(test_flat_distance),
  };
  return cmocka_run_group_tests_name("portable functions", tests, NULL, NULL);
}

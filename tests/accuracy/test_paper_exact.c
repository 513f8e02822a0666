/* test_paper_exact.c - `geodisk reproduce theory` counts the errors of the exponential map against 113-bit arithmetic, so that
 * the command does not need MPFR. Is that exact enough? Its cases again, as many of each kind, against MPFR. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <geodisk/geodisk.h>

#include "mp_ball.h"
#include "reproduce/paper_exact.h"

#define RN MPFR_RNDN

enum { DIM = PAPER_EXACT_DIM, BITS = 400, CASES = 50, DEPTHS = 37, ANGLES = 17, INWARD = 16 };

/* |paper_exp_exact - exact|, in units of the radius. */
static double error_of(mp_ball *mp, const double *x, const double *v) {
  double high[DIM], low[DIM];
  const size_t mark = mp_mark(mp);
  mpfr_ptr p = mp_take(mp, DIM), w = mp_take(mp, DIM), y = mp_take(mp, DIM), length = mp_take(mp, 1);
  paper_exp_exact(x, v, high, low);
  mp_set_doubles(p, x, DIM);
  mp_set_doubles(w, v, DIM);
  mp_exp(mp, p, w, y);
  for (int i = 0; i < DIM; i++) {
    mpfr_sub_d(y + i, y + i, high[i], RN);
    mpfr_sub_d(y + i, y + i, low[i], RN);
  }
  mp_length(mp, y, DIM, length);
  const double error = mpfr_get_d(length, RN);
  mp_release(mp, mark);
  return error;
}

/* The three surveys of the command: over depth with any step up to 5, over the angle with steps of 1 outwards from depth 3, and
 * over depth with steps inwards of up to the depth. The sum of two doubles has 106 bits; near the rim, where the gap has lost
 * digits, steps are as much smaller. */
static void reference_is_exact_enough(void **state) {
  (void)state;
  const geodisk_ball disk = geodisk_unit_ball(DIM);
  const double pi = acos(-1.0);
  geodisk_random random = geodisk_random_stream(5, 0);
  mp_ball mp;
  double worst = 0;
  if (paper_exact_bits() < 113)
    skip();
  mp_ball_create(&mp, DIM);
  mp_ball_set(&mp, &disk, BITS);
  for (int step = 0; step < DEPTHS + ANGLES + INWARD; step++)
    for (int i = 0; i < CASES; i++) {
      double x[DIM], v[DIM];
      const int depth = step - DEPTHS - ANGLES;
      const double direction = 2 * pi * geodisk_random_uniform(&random), other = geodisk_random_uniform(&random);
      const double share = 1 - geodisk_random_uniform(&random);
      if (step < DEPTHS)
        paper_exp_case(step, direction, 2 * pi * other, 5 * share, x, v);
      else if (depth < 0)
        paper_exp_case(3, direction, pow(10, DEPTHS - step), 1, x, v);
      else
        paper_exp_case(depth, direction, pow(10, -1 - 15 * other), -fmax(depth, 1) * share, x, v);
      const double error = error_of(&mp, x, v);
      assert_true(error >= 0); /* no NaN */
      worst = fmax(worst, error);
    }
  mp_ball_destroy(&mp);
  print_message("113 bits against MPFR: 2^%.1f of the radius\n", log2(worst));
  assert_true(worst <= 0x1p-100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reference_is_exact_enough)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_optim_update.c - the three update rules against their definitions, clipping and its count, bad input; the schedules at
 * their ends and in between. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geodisk/optim.h"

static void geodesic_rule_is_exp(void **state) {
  (void)state;
  const geodisk_ball ball = {3, 2.0, 0.5};
  const double x[3] = {0.5, -1.2, 0.3}, step[3] = {0.4, 0.2, -0.9};
  double expected[3], out[3], gap;
  geodisk_exp(&ball, x, step, expected);
  assert_false(geodisk_update_point(&ball, GEODISK_UPDATE_GEODESIC, 0.5, x, geodisk_gap(&ball, x), step, out, &gap));
  for (int i = 0; i < 3; i++)
    assert_true(fabs(out[i] - expected[i]) <= 4 * DBL_EPSILON);
  assert_true(fabs(gap - geodisk_gap(&ball, expected)) <= 16 * DBL_EPSILON);
}

static void flat_rules_add_and_project(void **state) {
  (void)state;
  const geodisk_ball ball = {2, 2.0, 0.5};
  const double x[2] = {0.5, -0.25}, step[2] = {0.125, 0.0625};
  const double lam = geodisk_metric_factor(&ball, x), gap = geodisk_gap(&ball, x);
  double out[2], out_gap;
  assert_false(geodisk_update_point(&ball, GEODISK_UPDATE_NATURAL, 1e-10, x, gap, step, out, &out_gap));
  assert_true(out[0] == 0.625 && out[1] == -0.1875);
  assert_true(out_gap == geodisk_gap(&ball, out));
  assert_false(geodisk_update_point(&ball, GEODISK_UPDATE_EUCLIDEAN, 1e-10, x, gap, step, out, NULL));
  assert_true(fabs(out[0] - (0.5 + lam * lam * 0.125)) < 1e-14);
  assert_true(fabs(out[1] - (-0.25 + lam * lam * 0.0625)) < 1e-14);
}

static void clipping_boundary_is_a_parameter(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2);
  const double x[2] = {0.6, 0.0}, far[2] = {3.0, 4.0};
  for (double margin = 1e-3; margin > 1e-14; margin *= 0.1)
    for (int rule = GEODISK_UPDATE_NATURAL; rule <= GEODISK_UPDATE_EUCLIDEAN; rule++) {
      double out[2], gap;
      assert_true(geodisk_update_point(&ball, (geodisk_update)rule, margin, x, geodisk_gap(&ball, x), far, out, &gap));
      assert_true(fabs(hypot(out[0], out[1]) - (1 - margin)) < 4e-16);
      assert_true(gap > 0 && gap == geodisk_gap(&ball, out));
    }
  /* The same step, geodesic: no clip, and as deep as it is long. */
  double out[2], gap;
  const double origin[2] = {0, 0}, step[2] = {100, 0};
  assert_false(geodisk_update_point(&ball, GEODISK_UPDATE_GEODESIC, 1e-3, origin, 1.0, step, out, &gap));
  assert_true(fabs(geodisk_radius_from_gap(&ball, gap) - 200) < 1e-12);
}

static void not_finite_in_nan_out(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2), bad = {2, -1.0, 1.0};
  const double x[2] = {0.3, 0.2}, steps[3][2] = {{(double)NAN, 0}, {0, (double)INFINITY}, {1e308, 1e308}};
  for (int rule = GEODISK_UPDATE_GEODESIC; rule <= GEODISK_UPDATE_EUCLIDEAN; rule++) {
    double out[2], gap;
    for (int i = 0; i < 2; i++) {
      assert_false(geodisk_update_point(&ball, (geodisk_update)rule, 1e-10, x, geodisk_gap(&ball, x), steps[i], out, &gap));
      assert_true(isnan(out[0]) && isnan(out[1]) && isnan(gap));
    }
    geodisk_update_point(&bad, (geodisk_update)rule, 1e-10, x, 0.8, x, out, NULL);
    assert_true(isnan(out[0]) && isnan(out[1]));
  }
}

static double halves(void *user, uint64_t step) { return *(double *)user / (double)(1 + step); }

static void schedules(void **state) {
  (void)state;
  double two = 2.0;
  const geodisk_schedule linear = {.kind = GEODISK_SCHEDULE_LINEAR, .rate = 1.0, .end = 0.5, .steps = 10};
  const geodisk_schedule geometric = {.kind = GEODISK_SCHEDULE_GEOMETRIC, .rate = 1.0, .end = 1e-4, .steps = 4};
  const geodisk_schedule inverse = {.kind = GEODISK_SCHEDULE_INVERSE, .rate = 3.0, .decay = 0.5};
  const geodisk_schedule cosine = {.kind = GEODISK_SCHEDULE_COSINE, .rate = 1.0, .end = 0.2, .steps = 8};
  const geodisk_schedule callback = {.kind = GEODISK_SCHEDULE_CALLBACK, .callback = halves, .user = &two};
  const geodisk_schedule constant = geodisk_schedule_constant(0.3);
  assert_true(geodisk_schedule_rate(&constant, 12345) == 0.3);
  assert_true(geodisk_schedule_rate(&linear, 0) == 1.0);
  assert_true(fabs(geodisk_schedule_rate(&linear, 5) - 0.75) < 1e-15);
  assert_true(geodisk_schedule_rate(&linear, 10) == 0.5 && geodisk_schedule_rate(&linear, 99) == 0.5);
  assert_true(fabs(geodisk_schedule_rate(&geometric, 1) - 0.1) < 1e-15);
  assert_true(fabs(geodisk_schedule_rate(&geometric, 3) - 1e-3) < 1e-17);
  assert_true(geodisk_schedule_rate(&geometric, 5) == 1e-4);
  assert_true(geodisk_schedule_rate(&inverse, 4) == 1.0);
  assert_true(geodisk_schedule_rate(&cosine, 0) == 1.0 && geodisk_schedule_rate(&cosine, 8) == 0.2);
  assert_true(fabs(geodisk_schedule_rate(&cosine, 4) - 0.6) < 1e-15);
  assert_true(fabs(geodisk_schedule_rate(&cosine, 2) - (0.2 + 0.4 * (1 + sqrt(0.5)))) < 1e-15);
  assert_true(geodisk_schedule_rate(&callback, 3) == 0.5);
}

static void malformed_schedules_are_nan(void **state) {
  (void)state;
  const geodisk_schedule bad[] = {
      {.kind = GEODISK_SCHEDULE_CONSTANT, .rate = 0.0},
      {.kind = GEODISK_SCHEDULE_CONSTANT, .rate = (double)NAN},
      {.kind = GEODISK_SCHEDULE_LINEAR, .rate = 1.0, .end = 0.5},
      {.kind = GEODISK_SCHEDULE_LINEAR, .rate = 1.0, .end = -0.5, .steps = 3},
      {.kind = GEODISK_SCHEDULE_GEOMETRIC, .rate = 1.0, .end = 0.0, .steps = 3},
      {.kind = GEODISK_SCHEDULE_INVERSE, .rate = 1.0, .decay = -1.0},
      {.kind = GEODISK_SCHEDULE_CALLBACK, .rate = 1.0},
      {.kind = (geodisk_schedule_kind)17, .rate = 1.0, .steps = 3},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_true(isnan(geodisk_schedule_rate(&bad[i], 1)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(geodesic_rule_is_exp),
      cmocka_unit_test(flat_rules_add_and_project),
      cmocka_unit_test(clipping_boundary_is_a_parameter),
      cmocka_unit_test(not_finite_in_nan_out),
      cmocka_unit_test(schedules),
      cmocka_unit_test(malformed_schedules_are_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

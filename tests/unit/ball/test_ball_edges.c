/* The ball at its edges: what is outside gives NaN; zero vectors, equal points, the origin, denormals and very long steps give
 * the right answer strictly inside; outputs may be inputs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ball_testing.h"

static void check_nan(const double *v, int n) {
  for (int i = 0; i < n; i++)
    assert_true(isnan(v[i]));
}

static void test_outside_gives_nan(void **state) {
  (void)state;
  const double inside[2] = {0.3, -0.2};
  const double bad[][2] = {
      {1.0, 0.0}, {0.0, -1.0}, {0.8, 0.7}, {1e300, 0.0}, {(double)NAN, 0.0}, {(double)INFINITY, 0.0}, {0.0, -(double)INFINITY}};
  const double bad_v[][2] = {{(double)NAN, 0.0}, {0.0, (double)INFINITY}};
  double out[2];
  for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
    assert_true(isnan(geodisk_gap(&plane, bad[b])));
    assert_true(isnan(geodisk_metric_factor(&plane, bad[b])));
    assert_true(isnan(geodisk_distance(&plane, bad[b], inside)));
    assert_true(isnan(geodisk_distance(&plane, inside, bad[b])));
    assert_true(isnan(geodisk_norm(&plane, bad[b], inside)));
    for (int i = 0; i < OPERATIONS; i++) {
      operations[i].call(&plane, bad[b], inside, inside, out);
      check_nan(out, 2);
      if (operations[i].uses_y) {
        operations[i].call(&plane, inside, bad[b], inside, out);
        check_nan(out, 2);
      }
    }
  }
  for (size_t b = 0; b < sizeof bad_v / sizeof bad_v[0]; b++)
    for (int i = 0; i < OPERATIONS; i++)
      if (operations[i].uses_v) {
        operations[i].call(&plane, inside, inside, bad_v[b], out);
        check_nan(out, 2);
      }
}

/* The other models, retractions, Theorem 1 and random points, of a ball that is none or with arguments that are none. */
static void check_models_of_bad_ball(const geodisk_ball *bad, const double *x, const double *y) {
  void (*const turns[])(const geodisk_ball *, const double *, double *) = {
      geodisk_from_lorentz, geodisk_to_klein, geodisk_from_klein, geodisk_to_halfspace, geodisk_from_halfspace};
  const double three[3] = {1.5, 0.5, 1.0};
  const int dim = bad->dim > 0 ? bad->dim : 0;
  double out[3] = {0.0}, gap = 0.0;
  geodisk_to_lorentz(bad, x, out);
  check_nan(out, bad->dim + 1);
  for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
    memset(out, 0, sizeof out);
    turns[i](bad, three, out);
    check_nan(out, dim);
  }
  memset(out, 0, sizeof out);
  assert_false(geodisk_project(bad, x, 0.1, out) || geodisk_retract(bad, x, y, 0.1, out) || geodisk_theorem1_holds(bad, x, y));
  check_nan(out, dim);
  memset(out, 0, sizeof out);
  geodisk_exp_theorem1(bad, x, y, out);
  check_nan(out, dim);
  geodisk_random random = geodisk_random_stream(1, 0);
  geodisk_random_in_ball(bad, &random, 1.0, out, &gap);
  check_nan(out, dim);
  assert_true(isnan(gap));
  gap = 0.0;
  geodisk_random_wrapped_normal(bad, &random, x, 1.0, out, &gap);
  check_nan(out, dim);
  assert_true(isnan(gap));
}

static void test_bad_balls_give_nan(void **state) {
  (void)state;
  const geodisk_ball bad[] = {{2, 0.0, 1.0},
                              {2, -1.0, 1.0},
                              {2, 1.0, 0.0},
                              {2, 1.0, -1.0},
                              {2, (double)NAN, 1.0},
                              {2, 1.0, (double)NAN},
                              {2, (double)INFINITY, 1.0},
                              {2, 1.0, (double)INFINITY},
                              {0, 1.0, 1.0},
                              {-3, 1.0, 1.0}};
  const double x[2] = {0.1, 0.2}, y[2] = {-0.3, 0.1};
  for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
    double out[2] = {7.0, 7.0};
    assert_false(geodisk_ball_valid(&bad[b]));
    assert_true(isnan(geodisk_distance(&bad[b], x, y)));
    assert_true(isnan(geodisk_radius_from_gap(&bad[b], 0.5)));
    geodisk_exp(&bad[b], x, y, out);
    check_nan(out, bad[b].dim > 0 ? 2 : 0);
    if (bad[b].dim <= 0)
      assert_true(out[0] == 7.0); /* nothing to fill */
    check_models_of_bad_ball(&bad[b], x, y);
  }
}

static void test_trivial_cases_are_exact(void **state) {
  (void)state;
  const double x[2] = {0.3, -0.2}, zero[2] = {0.0, 0.0}, v[2] = {0.125, 0.5};
  double out[2];
  geodisk_exp(&plane, x, zero, out);
  assert_memory_equal(out, x, sizeof out);
  geodisk_log(&plane, x, x, out);
  assert_memory_equal(out, zero, sizeof out);
  assert_true(geodisk_distance(&plane, x, x) == 0.0);
  geodisk_geodesic(&plane, x, x, 0.5, out);
  assert_memory_equal(out, x, sizeof out);
  geodisk_geodesic(&plane, x, v, 0.0, out);
  assert_memory_equal(out, x, sizeof out);
  geodisk_geodesic(&plane, x, v, 1.0, out);
  assert_memory_equal(out, v, sizeof out);
  geodisk_transport(&plane, x, x, v, out);
  assert_memory_equal(out, v, sizeof out);
  geodisk_transport(&plane, x, v, zero, out);
  assert_true(out[0] == 0.0 && out[1] == 0.0);
  geodisk_mobius_add(&plane, x, zero, out);
  assert_memory_equal(out, x, sizeof out);
  geodisk_mobius_add(&plane, zero, x, out);
  assert_memory_equal(out, x, sizeof out);
  const double minus[2] = {-0.3, 0.2};
  geodisk_mobius_add(&plane, x, minus, out);
  assert_true(out[0] == 0.0 && out[1] == 0.0);
  geodisk_centre(&plane, x, x, out);
  assert_true(out[0] == 0.0 && out[1] == 0.0);
  geodisk_hessian(&plane, x, x, v, out);
  assert_memory_equal(out, v, sizeof out);
  geodisk_distance_gradient(&plane, x, x, out, NULL);
  assert_true(out[0] == 0.0 && out[1] == 0.0);
  geodisk_mobius_scale(&plane, 0.0, x, out);
  assert_true(out[0] == 0.0 && out[1] == 0.0);
  assert_true(geodisk_gap(&plane, zero) == 1.0 && geodisk_metric_factor(&plane, zero) == 2.0);
  assert_true(isnan(geodisk_angle(&plane, x, zero, v)));
  assert_true(geodisk_inner(&plane, x, zero, v) == 0.0);
}

/* Near the origin d = 2|x - y|, however small: 2^-1074 is the smallest double. */
static void test_denormals(void **state) {
  (void)state;
  const double tiny[][2] = {{0x1p-1074, 0.0}, {0x1p-1060, 0x1p-1070}, {0x1p-1022, 0.0}, {1e-300, 0.0}, {1e-200, -1e-200}};
  const double zero[2] = {0.0, 0.0};
  for (size_t i = 0; i < sizeof tiny / sizeof tiny[0]; i++) {
    double out[2], expected = 2.0 * hypot(tiny[i][0], tiny[i][1]);
    double d = geodisk_distance(&plane, zero, tiny[i]);
    assert_true(fabs(d - expected) <= 0x1p-51 * expected + 0x1p-1074);
    geodisk_exp(&plane, zero, tiny[i], out); /* tanh(|v|) v/|v| = v */
    assert_true(fabs(out[0] - tiny[i][0]) <= 0x1p-52 * fabs(tiny[i][0]) + 0x1p-1074);
    geodisk_log(&plane, zero, tiny[i], out);
    assert_true(fabs(out[0] - tiny[i][0]) <= 0x1p-52 * fabs(tiny[i][0]) + 0x1p-1074);
    const double x[2] = {0.25, 0.5};
    geodisk_exp(&plane, x, tiny[i], out);
    assert_memory_equal(out, x, sizeof out);
  }
}

/* Steps from 1 to the largest double end strictly inside, in the direction of the step when it starts at the origin. */
static void test_long_steps_stay_inside(void **state) {
  (void)state;
  const double starts[][2] = {{0.0, 0.0}, {0.5, 0.5}, {1.0 - 0x1p-53, 0.0}, {-0.6, 0.79999999999999993}};
  for (int s = 0; s < 4; s++)
    for (double length = 1.0; length < 1e308; length *= 10.0)
      for (int turn = 0; turn < 8; turn++) {
        double v[2] = {length * cos(turn), length * sin(turn)}, out[2];
        assert_true(inside(&plane, starts[s]));
        geodisk_exp(&plane, starts[s], v, out);
        assert_true(inside(&plane, out));
        if (s == 0 && length >= 100.0)
          assert_true(fabs(out[0] - cos(turn)) < 4e-16 && fabs(out[1] - sin(turn)) < 4e-16);
        double end[2], gap;
        geodisk_exp_gap(&plane, starts[s], geodisk_gap(&plane, starts[s]), v, end, &gap);
        assert_true(gap > 0.0 && inside(&plane, end));
      }
}

static void test_outputs_may_be_inputs(void **state) {
  (void)state;
  const double x0[2] = {0.3, -0.2}, y0[2] = {-0.1, 0.7}, v0[2] = {0.4, 0.05};
  for (int i = 0; i < OPERATIONS; i++) {
    double expected[2];
    operations[i].call(&plane, x0, y0, v0, expected);
    for (int which = 0; which < 3; which++) {
      double a[3][2];
      memcpy(a[0], x0, sizeof x0);
      memcpy(a[1], y0, sizeof y0);
      memcpy(a[2], v0, sizeof v0);
      operations[i].call(&plane, a[0], a[1], a[2], a[which]);
      assert_memory_equal(a[which], expected, sizeof expected);
    }
  }
}

static void test_radii_agree_and_keep_their_digits(void **state) {
  (void)state;
  const geodisk_ball balls[] = {{2, 1.0, 1.0}, {2, 1e6, 0.01}, {2, 1e-3, 3.0}};
  for (int b = 0; b < 3; b++) {
    double root = sqrt(balls[b].curvature);
    for (double r = 1e-300; r * root < 700.0; r = r < 1e-3 ? r * 1e5 : r * 1.3) {
      double gap = geodisk_gap_from_radius(&balls[b], r), e = geodisk_euclidean_from_radius(&balls[b], r);
      assert_true(gap > 0.0 && e < balls[b].radius);
      if (r * root > 1.0)
        assert_true(fabs(geodisk_radius_from_gap(&balls[b], gap) - r) <= 4e-16 * r);
      if (r * root < 1.0)
        assert_true(fabs(geodisk_radius_from_euclidean(&balls[b], e) - r) <= 6e-16 * r);
    }
    assert_true(geodisk_radius_from_euclidean(&balls[b], 0.0) == 0.0);
    assert_true(isnan(geodisk_radius_from_euclidean(&balls[b], balls[b].radius)));
    assert_true(isnan(geodisk_radius_from_gap(&balls[b], 0.0)) && isnan(geodisk_radius_from_gap(&balls[b], -1.0)));
    assert_true(isnan(geodisk_gap_from_radius(&balls[b], -1.0)) && isnan(geodisk_gap_from_radius(&balls[b], (double)INFINITY)));
  }
}

static void test_gap_form_refuses_what_is_no_point(void **state) {
  (void)state;
  const double x[2] = {0.3, -0.2}, zero[2] = {0.0, 0.0}, rim[2] = {1.0, 0.0};
  double gap = geodisk_gap(&plane, x), out[2], out_gap;
  const double bad_gaps[] = {0.0, -0.1, 1.1, (double)NAN, (double)INFINITY};
  for (int i = 0; i < 5; i++) {
    assert_true(isnan(geodisk_distance_gap(&plane, x, bad_gaps[i], x, gap)));
    assert_true(isnan(geodisk_distance_gap(&plane, x, gap, x, bad_gaps[i])));
    geodisk_exp_gap(&plane, x, bad_gaps[i], x, out, &out_gap);
    assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out_gap));
  }
  assert_true(isnan(geodisk_distance_gap(&plane, rim, 0.5, x, gap)));
  assert_true(isnan(geodisk_distance_gap(&plane, zero, 1e-3, x, gap))); /* deep, but in no direction */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_outside_gives_nan),
      cmocka_unit_test(test_bad_balls_give_nan),
      cmocka_unit_test(test_trivial_cases_are_exact),
      cmocka_unit_test(test_denormals),
      cmocka_unit_test(test_long_steps_stay_inside),
      cmocka_unit_test(test_outputs_may_be_inputs),
      cmocka_unit_test(test_radii_agree_and_keep_their_digits),
      cmocka_unit_test(test_gap_form_refuses_what_is_no_point),
  };
  return cmocka_run_group_tests_name("ball: edges", tests, NULL, NULL);
}

/* The ball at the ends of the range of numbers: any unit of length, tangents of any size, results that do not fit, denormals, the
 * deepest gaps, minute angles; and random numbers of all sizes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ball_testing.h"

/* The unit of length does not matter: with R, points and tangents times 2^j every answer is the same to the last bit, or times
 * 2^j. R = 2^-1005 to 1.9 2^1023, where squares, differences of opposite points and R^2 itself are out of range. */
static void test_any_unit_of_length(void **state) {
  (void)state;
  const double points[][2] = {{0.3, -0.2}, {-1.1, 1.53}, {1.899999, 0.0}, {-1.899999, 0.0}, {0.0, 0.0}, {0x1p-10, 0x1p-9}};
  enum { POINTS = sizeof points / sizeof points[0] };
  const double v[2] = {0.0625, -0.125};
  const int shifts[] = {-1005, -960, -800, -500, -100, 40, 300, 824, 1000, 1023};
  const geodisk_ball ball = {2, 1.9, 0.6};
  for (size_t s = 0; s < sizeof shifts / sizeof shifts[0]; s++) {
    const int shift = shifts[s];
    const geodisk_ball scaled = {2, ldexp(ball.radius, shift), ball.curvature};
    const double w[2] = {ldexp(v[0], shift), ldexp(v[1], shift)};
    for (int a = 0; a < POINTS; a++)
      for (int b = 0; b < POINTS; b++) {
        const double x[2] = {ldexp(points[a][0], shift), ldexp(points[a][1], shift)};
        const double y[2] = {ldexp(points[b][0], shift), ldexp(points[b][1], shift)};
        assert_true(geodisk_gap(&scaled, x) == ldexp(geodisk_gap(&ball, points[a]), 2 * shift));
        assert_true(geodisk_distance(&scaled, x, y) == geodisk_distance(&ball, points[a], points[b]));
        assert_true(geodisk_norm(&scaled, x, w) == geodisk_norm(&ball, points[a], v));
        assert_true(geodisk_metric_factor(&scaled, x) == ldexp(geodisk_metric_factor(&ball, points[a]), -shift));
        assert_true(geodisk_inner(&scaled, x, w, w) == geodisk_inner(&ball, points[a], v, v));
        for (int i = 0; i < OPERATIONS; i++) {
          double expected[2], out[2];
          operations[i].call(&ball, points[a], points[b], v, expected);
          operations[i].call(&scaled, x, y, w, out);
          /* grad = df / lam^2, and lam is an inverse length */
          const int power = operations[i].call == op_gradient ? 3 * shift : shift;
          for (int j = 0; j < 2; j++)
            if (out[j] != ldexp(expected[j], power))
              fail_msg("2^%d, operation %d, points %d and %d: %a, expected %a", shift, i, a, b, out[j],
                       ldexp(expected[j], power));
        }
      }
  }
}

/* What is linear in v is so for every finite v, to the last bit under powers of two. */
static void test_any_length_of_tangents(void **state) {
  (void)state;
  const double x[2] = {0.3, -0.2}, y[2] = {0.5, 0.75}, v[2] = {1.75, -0.625};
  const operation linear[] = {op_transport, op_gyration, op_hessian, op_gradient};
  const int shifts[] = {-900, -40, 990, 1000, 1013, 1022};
  for (size_t i = 0; i < sizeof linear / sizeof linear[0]; i++)
    for (size_t s = 0; s < sizeof shifts / sizeof shifts[0]; s++)
      for (int same = 0; same < 2; same++) {
        const double w[2] = {ldexp(v[0], shifts[s]), ldexp(v[1], shifts[s])};
        double expected[2], out[2];
        linear[i](&plane, x, same ? x : y, v, expected);
        linear[i](&plane, x, same ? x : y, w, out);
        for (int j = 0; j < 2; j++)
          if (out[j] != ldexp(expected[j], shifts[s]))
            fail_msg("operation %zu, 2^%d: %a, expected %a", i, shifts[s], out[j], ldexp(expected[j], shifts[s]));
      }
}

/* A number too large for a double is infinite, one too small is 0; what fits is not lost on the way. */
static void test_results_out_of_range(void **state) {
  (void)state;
  const double zero[2] = {0.0, 0.0}, deep[2] = {1.0 - 0x1p-53, 0.0}, huge[2] = {1.7e308, 1.7e308}, tiny[2] = {1e-300, 0.0};
  const double minus[2] = {-1.7e308, 1.0};
  const geodisk_ball small = {2, 1e-200, 1e-300}, flat = {2, 1.0, 1e-300}, curved = {2, 1.0, 1e300};
  double out[2];
  assert_true(geodisk_norm(&plane, zero, huge) == (double)INFINITY);
  assert_true(geodisk_norm(&plane, deep, huge) == (double)INFINITY);
  assert_true(geodisk_inner(&plane, deep, huge, huge) == (double)INFINITY);
  assert_true(geodisk_inner(&plane, zero, minus, huge) == -(double)INFINITY);
  assert_true(fabs(geodisk_inner(&plane, zero, huge, tiny) - 6.8e8) <= 4e-16 * 6.8e8);
  assert_true(geodisk_metric_factor(&small, zero) == (double)INFINITY);
  assert_true(geodisk_norm(&flat, deep, huge) == (double)INFINITY);
  assert_true(geodisk_norm(&curved, zero, huge) < 1e160 && geodisk_norm(&curved, zero, huge) > 1e158);
  const geodisk_ball flatter = {2, 1.0, 0x1p-8}; /* lam = 32 at the origin */
  geodisk_gradient(&flatter, zero, huge, out);
  assert_true(out[0] == 1.7e308 / 1024 && out[1] == 1.7e308 / 1024);
  geodisk_gradient(&curved, zero, huge, out);
  assert_true(out[0] == (double)INFINITY);
  geodisk_gradient(&curved, zero, tiny, out);
  assert_true(fabs(out[0] - 0.25) <= 2e-16 && out[1] == 0.0);
  geodisk_transport(&plane, deep, zero, huge, out);
  assert_true(out[0] == (double)INFINITY);
}

/* The gap of a point is its true value, rounded: out of range only where R^2 is. */
static void test_gap_out_of_range(void **state) {
  (void)state;
  const double zero[2] = {0.0, 0.0};
  const struct {
    double radius, gap;
  } cases[] = {{1e-200, 0.0}, {1e-160, 1e-320}, {1e-150, 1e-300}, {1e150, 1e300}, {1e200, (double)INFINITY}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const geodisk_ball ball = {2, cases[i].radius, 1.0};
    const double gaps[] = {geodisk_gap(&ball, zero), geodisk_gap_from_euclidean(&ball, 0.0), geodisk_gap_from_radius(&ball, 0.0)};
    for (int j = 0; j < 3; j++)
      assert_true(gaps[j] == cases[i].gap || fabs(gaps[j] - cases[i].gap) <= 4e-16 * cases[i].gap);
  }
  assert_true(geodisk_gap_from_radius(&plane, 800.0) == 0.0); /* 4 e^-800 */
  assert_true(fabs(geodisk_gap_from_radius(&plane, 720.0) - 4.0 * exp(-720.0)) <= 0x1p-1074);
  const geodisk_ball wide = {2, 1e6, 1.0};
  const double radius = 730.0, gap = geodisk_gap_from_radius(&wide, radius);
  assert_true(fabs(geodisk_radius_from_gap(&wide, gap) - radius) <= 4e-16 * radius);
}

/* Walks end at the smallest normal gap, however long they are; a walk of length 0 changes no gap, not even a denormal one. */
static void test_walks_end_at_the_smallest_normal_gap(void **state) {
  (void)state;
  const geodisk_ball balls[] = {{2, 1.0, 1.0}, {2, 1e6, 0.5}, {2, 1e-3, 2.0}, {2, 1e50, 1.0}, {2, 1e-100, 1.0}};
  for (size_t b = 0; b < sizeof balls / sizeof balls[0]; b++) {
    const double R = balls[b].radius, x[2] = {0.6 * R, 0.7 * R}, zero[2] = {0.0, 0.0};
    const double farthest = -log(0x1p-1022) + log(4.0) + 2.0 * log(R); /* sqrt(k) r of the smallest normal gap */
    const double root = sqrt(balls[b].curvature), first = geodisk_gap(&balls[b], x);
    double out[2], gap = first;
    memcpy(out, x, sizeof x);
    /* Along its ray, which a power of two times x is exactly on, in steps of 30 to 60 as long as tangents are normal numbers; the
     * last one is too long. */
    for (bool last = false; !last;) {
      const double start = geodisk_radius_from_gap(&balls[b], gap) * root;
      int exponent = ilogb(30.0 * (gap / R)) - ilogb(R);
      last = exponent + ilogb(R) < -1000 || start + 70.0 > farthest;
      if (last)
        exponent += 20;
      const double v[2] = {ldexp(out[0], exponent), ldexp(out[1], exponent)}, length = 2 * R * (hypot(v[0], v[1]) / gap);
      geodisk_exp_gap(&balls[b], out, gap, v, out, &gap);
      assert_true(gap >= 0x1p-1022 && gap < first && geodisk_distance_gap(&balls[b], out, gap, out, gap) == 0.0);
      if (!last)
        assert_true(fabs(geodisk_radius_from_gap(&balls[b], gap) * root - (start + length)) < 1e-14 * farthest);
    }
    if (gap != 0x1p-1022)
      fail_msg("R = %g: the last gap is %a", R, gap);
    const double r = geodisk_radius_from_gap(&balls[b], gap);
    assert_true(fabs(r * root - farthest) < 1e-12 * farthest);
    /* from there to the origin, to the other side, and back by exp */
    const double d = geodisk_distance_gap(&balls[b], out, gap, zero, R * R), other[2] = {-out[0], -out[1]};
    assert_true(fabs(d - r) <= 4e-16 * r);
    assert_true(fabs(geodisk_distance_gap(&balls[b], out, gap, other, gap) - 2 * r) <= 8e-16 * r);
    double v[2], end[2], end_gap;
    geodisk_log_gap(&balls[b], out, gap, other, gap, v); /* (S/R) r long; denormal for R > 1 */
    geodisk_transport_gap(&balls[b], out, gap, zero, R * R, v, v);
    if (R <= 1.0)
      assert_true(fabs(hypot(v[0] / R, v[1] / R) - r * root) <= 4e-15 * r * root);
    geodisk_geodesic_gap(&balls[b], out, gap, other, gap, 0.5, end, &end_gap);
    assert_true(hypot(end[0], end[1]) <= 1e-15 * R && fabs(end_gap - R * R) <= 4e-16 * R * R);
    geodisk_geodesic_gap(&balls[b], out, gap, other, gap, 0.25, end, &end_gap);
    assert_true(fabs(geodisk_radius_from_gap(&balls[b], end_gap) - 0.5 * r) <= 4e-15 * r);
    geodisk_exp_gap(&balls[b], out, 0x1p-1030, zero, end, &end_gap);
    assert_true(end_gap == 0x1p-1030);
  }
}

/* Denormal numbers keep the digits they have, in balls of any size. */
static void test_denormals_in_large_balls(void **state) {
  (void)state;
  const geodisk_ball balls[] = {{2, 1e6, 0.01}, {2, 1.0, 1.0}, {2, 1e-3, 3.0}, {2, 1e30, 0.01}};
  const double x[2] = {0x1p-1060, -0x1.8p-1065}, y[2] = {0x1.55p-1060, 0x1p-1074};
  const double difference[2] = {y[0] - x[0], y[1] - x[1]}, sum[2] = {y[0] + x[0], y[1] + x[1]};
  for (size_t b = 0; b < sizeof balls / sizeof balls[0]; b++) {
    double out[2];
    geodisk_log(&balls[b], x, y, out);
    assert_memory_equal(out, difference, sizeof out);
    geodisk_exp(&balls[b], x, difference, out);
    assert_memory_equal(out, y, sizeof out);
    geodisk_mobius_add(&balls[b], x, y, out);
    assert_memory_equal(out, sum, sizeof out);
    geodisk_transport(&balls[b], x, y, difference, out);
    assert_memory_equal(out, difference, sizeof out);
    geodisk_hessian(&balls[b], x, y, difference, out);
    assert_memory_equal(out, difference, sizeof out);
    const double d =
        2 * hypot(ldexp(difference[0], 200), ldexp(difference[1], 200)) / (balls[b].radius * sqrt(balls[b].curvature));
    assert_true(fabs(geodisk_distance(&balls[b], x, y) - ldexp(d, -200)) <= 0x1p-1074);
  }
}

/* Angles are right relative to their own size: exactly 0 or pi for parallel vectors, and 2^-92 is told from 0. */
static void test_angles_of_nearly_parallel_vectors(void **state) {
  (void)state;
  const double x[3] = {0.1, 0.2, 0.3}, u[3] = {0.3, -0.7, 0x1p-40}, pi = 3.14159265358979323846;
  const geodisk_ball line = {1, 1.0, 1.0}, space = {3, 1.0, 1.0};
  const double four[3] = {4 * u[0], 4 * u[1], 4 * u[2]}, minus[3] = {-u[0], -u[1], -u[2]};
  assert_true(geodisk_angle(&line, x, u, u + 2) == 0.0 && geodisk_angle(&line, x, u, u + 1) == pi);
  assert_true(geodisk_angle(&space, x, u, u) == 0.0 && geodisk_angle(&space, x, u, four) == 0.0);
  assert_true(geodisk_angle(&space, x, u, minus) == pi);
  const double a[3] = {1.0, 0.0, 0x1p-40}, b[3] = {1.0, 0.0, 0x1.0000000000001p-40}, c[3] = {1.0, 0x1p-600, 0x1p-40};
  assert_true(fabs(geodisk_angle(&space, x, a, b) - 0x1p-92) <= 0x1p-144);
  assert_true(fabs(geodisk_angle(&space, x, a, c) - 0x1p-600) <= 0x1p-652);
  const double across[3] = {0x1p-40, 0.0, -1.0};
  assert_true(geodisk_angle(&space, x, a, across) == pi / 2);
}

static void test_project_huge_points(void **state) {
  (void)state;
  const geodisk_ball small = {2, 1e-3, 1.0};
  const double huge[2] = {1.7e308, 0.0};
  double out[2];
  assert_true(geodisk_project(&small, huge, 0.5, out));
  assert_true(fabs(out[0] - 5e-4) <= 1e-19 && out[1] == 0.0);
}

/* Uniform in balls of any radius: (r / top)^dim is uniform where the ball is flat. */
static void test_random_points_in_tiny_and_huge_balls(void **state) {
  (void)state;
  enum { N = 2000 };
  const double radii[] = {1e-310, 1e-300, 1e-160, 1e-20, 1e-9, 1e-7};
  const int dims[] = {1, 2, 3, 10};
  geodisk_random random = geodisk_random_stream(5, 1);
  double x[10], gap;
  for (size_t c = 0; c < 4; c++) {
    const geodisk_ball ball = geodisk_unit_ball(dims[c]);
    const double zero[10] = {0.0};
    for (size_t i = 0; i < sizeof radii / sizeof radii[0]; i++) {
      double mean = 0.0;
      for (int j = 0; j < N; j++) {
        geodisk_random_in_ball(&ball, &random, radii[i], x, &gap);
        const double share = geodisk_distance(&ball, zero, x) / radii[i];
        assert_true(share <= 1.0 + 1e-12 && fabs(gap - 1.0) <= radii[i] * radii[i]);
        mean += pow(share, dims[c]) / N;
      }
      assert_true(fabs(mean - 0.5) <= 4.0 / sqrt(12.0 * N));
    }
    const double ends[] = {0.0, 0x1p-1074, 1e4, 1e300, 1.7e308};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
      geodisk_random_in_ball(&ball, &random, ends[i], x, &gap);
      assert_true(inside(&ball, x) && (i < 2 ? gap == 1.0 : gap == 0x1p-1022 || dims[c] == 1));
      geodisk_random_wrapped_normal(&ball, &random, NULL, ends[i], x, &gap);
      assert_true(inside(&ball, x) && gap > 0.0);
    }
  }
}

/* ---- random numbers of all sizes ---- */

enum { MAX_DIM = 5 };

static double of_size(geodisk_random *random, int low, int high) {
  const double sign = geodisk_random_below(random, 2) == 0 ? -1.0 : 1.0;
  const int exponent = low + (int)geodisk_random_below(random, (uint64_t)(high - low + 1));
  return ldexp(sign * (1.0 + geodisk_random_uniform(random)), exponent);
}

/* Anywhere, near the origin, nearly on an axis at the rim; entries of like and unlike size. */
static void draw_point(geodisk_random *random, const geodisk_ball *ball, double *x) {
  do {
    const int kind = (int)geodisk_random_below(random, 4), axis = (int)geodisk_random_below(random, (uint64_t)ball->dim);
    for (int i = 0; i < ball->dim; i++)
      x[i] = ball->radius * of_size(random, kind == 0 ? -2 : kind == 1 ? -60 : -1074, -2);
    if (kind == 3)
      x[axis] = ball->radius * (1.0 - 0x1p-53);
  } while (isnan(geodisk_gap(ball, x)));
}

/* Relations that are special: the same, nearly, opposite, on the same ray. */
static void draw_second_point(geodisk_random *random, const geodisk_ball *ball, const double *x, double *y) {
  const int kind = (int)geodisk_random_below(random, 10);
  draw_point(random, ball, y);
  for (int i = 0; i < ball->dim && kind < 4; i++)
    y[i] = kind == 0 ? x[i] : kind == 1 ? nextafter(x[i], 0.0) : kind == 2 ? -x[i] : 0.5 * x[i];
}

static void draw_tangent(geodisk_random *random, const geodisk_ball *ball, const double *x, double *v) {
  const int along = (int)geodisk_random_below(random, 4), shift = -700 + (int)geodisk_random_below(random, 700);
  for (int i = 0; i < ball->dim; i++) {
    v[i] = geodisk_random_below(random, 5) == 0 ? 0.0 : of_size(random, -1074, 1022);
    if (along == 0)
      v[i] = -ldexp(x[i], shift);
  }
}

static void check_point(const char *what, const geodisk_ball *ball, const double *x) {
  if (!inside(ball, x))
    fail_msg("%s: not in the ball of dim %d, radius %a, curvature %a", what, ball->dim, ball->radius, ball->curvature);
}

/* Where the walk was not empty the gap is normal, and the point can be read again. */
static void check_gap_point(const char *what, const geodisk_ball *ball, const double *x, double gap, bool walked) {
  check_point(what, ball, x);
  if (!(gap >= 0x1p-1022 || !walked) || !(geodisk_distance_gap(ball, x, gap, x, gap) == 0.0))
    fail_msg("%s: the gap %a, in the ball of dim %d, radius %a", what, gap, ball->dim, ball->radius);
}

/* Balls of any radius and curvature: no operation gives NaN, every point is inside. */
static void test_plain_points_of_all_sizes(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(3, 0);
  for (int n = 0; n < 10000; n++) {
    const geodisk_ball ball = {1 + (int)geodisk_random_below(&random, MAX_DIM), fabs(of_size(&random, -1074, 1022)),
                               fabs(of_size(&random, -1074, 1022))};
    double x[MAX_DIM], y[MAX_DIM], v[MAX_DIM], out[MAX_DIM], share = of_size(&random, -1074, 1022);
    draw_point(&random, &ball, x);
    draw_second_point(&random, &ball, x, y);
    draw_tangent(&random, &ball, x, v);
    for (int i = 0; i < OPERATIONS; i++) {
      operations[i].call(&ball, x, y, v, out);
      for (int j = 0; j < ball.dim; j++)
        if (isnan(out[j]))
          fail_msg("operation %d: NaN in the ball of dim %d, radius %a, curvature %a", i, ball.dim, ball.radius, ball.curvature);
      if (operations[i].gives_point)
        check_point("operation", &ball, out);
    }
    assert_true(geodisk_distance(&ball, x, y) >= 0.0 && geodisk_norm(&ball, x, v) >= 0.0 && geodisk_inner(&ball, x, v, v) >= 0.0);
    geodisk_geodesic(&ball, x, y, share, out);
    check_point("geodesic", &ball, out);
    geodisk_mobius_scale(&ball, share, x, out);
    check_point("mobius_scale", &ball, out);
    geodisk_random_in_ball(&ball, &random, fabs(share), out, NULL);
    check_point("random_in_ball", &ball, out);
    geodisk_random_wrapped_normal(&ball, &random, x, fabs(share), out, NULL);
    check_point("random_wrapped_normal", &ball, out);
  }
}

/* The same with gaps of any size, where R^2 is a number. */
static void test_gap_points_of_all_sizes(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(3, 1);
  for (int n = 0; n < 10000; n++) {
    const geodisk_ball ball = {1 + (int)geodisk_random_below(&random, MAX_DIM), fabs(of_size(&random, -480, 170)), 1.5};
    double x[MAX_DIM], y[MAX_DIM], v[MAX_DIM], out[MAX_DIM], gap[2], end, share = of_size(&random, -1074, 1022);
    draw_point(&random, &ball, x);
    draw_second_point(&random, &ball, x, y);
    draw_tangent(&random, &ball, x, v);
    for (int i = 0; i < 2; i++) {
      gap[i] = geodisk_gap(&ball, i == 0 ? x : y);
      if (gap[i] < 0.75 * ball.radius * ball.radius && geodisk_random_below(&random, 2) == 0)
        gap[i] = fabs(of_size(&random, -1022, ilogb(ball.radius * ball.radius) - 2));
    }
    bool zero = true;
    for (int j = 0; j < ball.dim; j++)
      zero = zero && v[j] == 0.0;
    assert_true(geodisk_distance_gap(&ball, x, gap[0], y, gap[1]) >= 0.0);
    geodisk_exp_gap(&ball, x, gap[0], v, out, &end);
    check_gap_point("exp_gap", &ball, out, end, !zero);
    geodisk_geodesic_gap(&ball, x, gap[0], y, gap[1], geodisk_random_uniform(&random), out, &end);
    check_gap_point("geodesic_gap", &ball, out, end, false);
    geodisk_geodesic_gap(&ball, x, gap[0], y, gap[1], share, out, &end);
    check_gap_point("geodesic_gap beyond", &ball, out, end, false);
    geodisk_log_gap(&ball, x, gap[0], y, gap[1], out);
    geodisk_transport_gap(&ball, x, gap[0], y, gap[1], v, v);
    for (int j = 0; j < ball.dim; j++)
      assert_false(isnan(out[j]) || isnan(v[j]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_unit_of_length),
      cmocka_unit_test(test_any_length_of_tangents),
      cmocka_unit_test(test_results_out_of_range),
      cmocka_unit_test(test_gap_out_of_range),
      cmocka_unit_test(test_walks_end_at_the_smallest_normal_gap),
      cmocka_unit_test(test_denormals_in_large_balls),
      cmocka_unit_test(test_angles_of_nearly_parallel_vectors),
      cmocka_unit_test(test_project_huge_points),
      cmocka_unit_test(test_random_points_in_tiny_and_huge_balls),
      cmocka_unit_test(test_plain_points_of_all_sizes),
      cmocka_unit_test(test_gap_points_of_all_sizes),
  };
  return cmocka_run_group_tests_name("ball: range", tests, NULL, NULL);
}

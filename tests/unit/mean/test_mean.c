/* test_mean.c - barycenters: what must come out where the answer is known, every method, weights, the awkward inputs, errors that
 * name their index, callbacks, threads and instruction sets. (Accuracy is tested against MPFR in tests/accuracy.) */
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

static double *random_points(const geodisk_ball *ball, size_t n, double radius, const double *centre, uint64_t seed) {
  double *x = malloc(n * (size_t)ball->dim * sizeof *x);
  assert_non_null(x);
  geodisk_random random = geodisk_random_stream(seed, 0);
  for (size_t i = 0; i < n; i++) {
    double *row = x + i * (size_t)ball->dim;
    geodisk_random_in_ball(ball, &random, radius, row, NULL);
    if (centre != NULL)
      geodisk_mobius_add(ball, centre, row, row);
  }
  return x;
}

/* ---- known answers ---------------------------------------------------------------------------------------------------- */

static void two_points_have_their_midpoint(void **state) {
  (void)state;
  for (int dim = 1; dim <= 10; dim++) {
    const geodisk_ball ball = {dim, 1.7, 0.4};
    double *x = random_points(&ball, 2, 8.0, NULL, (uint64_t)dim), p[10], middle[10];
    assert_int_equal(geodisk_mean(&ball, 2, x, NULL, NULL, p, NULL), GEODISK_OK);
    geodisk_midpoint(&ball, x, x + dim, middle);
    assert_true(geodisk_distance(&ball, p, middle) < 1e-13 + 4 * DBL_EPSILON * 1.7 * geodisk_metric_factor(&ball, p));
    /* With weights a, b the barycenter is the share b / (a + b) of the way. */
    const double weights[2] = {0.3, 1.2};
    assert_int_equal(geodisk_mean(&ball, 2, x, weights, NULL, p, NULL), GEODISK_OK);
    geodisk_geodesic(&ball, x, x + dim, 0.8, middle);
    assert_true(geodisk_distance(&ball, p, middle) < 1e-13 + 4 * DBL_EPSILON * 1.7 * geodisk_metric_factor(&ball, p));
    free(x);
  }
}

static void one_point_is_its_own(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(5, 0);
  for (int i = 0; i < 200; i++) {
    const geodisk_ball ball = {1 + i % 7, 1.0 + i % 3, 0.5 + i % 2};
    double q[7], points[35], p[7];
    geodisk_random_in_ball(&ball, &random, 0.15 * i, q, NULL); /* to the rim and beyond what coordinates hold */
    geodisk_mean_info info;
    assert_int_equal(geodisk_mean(&ball, 1, q, NULL, NULL, p, &info), GEODISK_OK);
    assert_memory_equal(p, q, (size_t)ball.dim * sizeof *p);
    assert_true(info.converged && info.error_bound < 1e-15);
    for (int k = 0; k < 5; k++) /* five times the same */
      memcpy(points + k * ball.dim, q, (size_t)ball.dim * sizeof *q);
    assert_int_equal(geodisk_mean(&ball, 5, points, NULL, NULL, p, &info), GEODISK_OK);
    assert_memory_equal(p, q, (size_t)ball.dim * sizeof *p);
  }
}

static void zero_weights_do_not_count(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(3);
  double *x = random_points(&ball, 50, 5.0, NULL, 9), p[3], q[3], weights[50], kept[50 * 3];
  size_t n = 0;
  for (int i = 0; i < 50; i++) {
    weights[i] = i % 3 == 0 ? 0.0 : 1.0;
    if (weights[i] > 0)
      memcpy(kept + 3 * n++, x + i * 3, 3 * sizeof(double));
  }
  assert_int_equal(geodisk_mean(&ball, 50, x, weights, NULL, p, NULL), GEODISK_OK);
  assert_int_equal(geodisk_mean(&ball, n, kept, NULL, NULL, q, NULL), GEODISK_OK);
  assert_true(geodisk_distance(&ball, p, q) < 1e-14);
  free(x);
}

/* The barycenter goes where an isometry goes, and weights count by their ratios, whatever their size. */
static void isometries_and_scales(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(4);
  const double shift[4] = {0.2, -0.4, 0.1, 0.3};
  double *x = random_points(&ball, 100, 3.0, NULL, 2), p[4], q[4], moved[400], weights[100];
  for (int i = 0; i < 100; i++) {
    geodisk_mobius_add(&ball, shift, x + 4 * i, moved + 4 * i);
    weights[i] = 1 + i % 5;
  }
  assert_int_equal(geodisk_mean(&ball, 100, x, weights, NULL, p, NULL), GEODISK_OK);
  geodisk_mobius_add(&ball, shift, p, p);
  assert_int_equal(geodisk_mean(&ball, 100, moved, weights, NULL, q, NULL), GEODISK_OK);
  assert_true(geodisk_distance(&ball, p, q) < 1e-14);
  static const double scales[] = {1e-300, 1e-20, 1e20, 1e300};
  for (int k = 0; k < 4; k++) {
    double scaled[100];
    for (int i = 0; i < 100; i++)
      scaled[i] = weights[i] * scales[k];
    assert_int_equal(geodisk_mean(&ball, 100, moved, scaled, NULL, p, NULL), GEODISK_OK);
    assert_true(geodisk_distance(&ball, p, q) < 1e-14);
  }
  free(x);
}

static void radius_and_curvature_are_scales(void **state) {
  (void)state;
  const geodisk_ball unit = geodisk_unit_ball(3);
  double *x = random_points(&unit, 30, 6.0, NULL, 2), p[3];
  geodisk_mean_info info, scaled_info;
  assert_int_equal(geodisk_mean(&unit, 30, x, NULL, NULL, p, &info), GEODISK_OK);
  for (int e = -180; e <= 180; e += 20)
    for (double k = 0.25; k <= 4; k *= 4) {
      const geodisk_ball ball = {3, ldexp(1.0, e), k};
      double scaled[90], q[3];
      for (int i = 0; i < 90; i++)
        scaled[i] = ldexp(x[i], e);
      assert_int_equal(geodisk_mean(&ball, 30, scaled, NULL, NULL, q, &scaled_info), GEODISK_OK);
      for (int j = 0; j < 3; j++)
        assert_true(fabs(ldexp(q[j], -e) - p[j]) < 4e-15);
      assert_true(fabs(scaled_info.loss * k - info.loss) < 1e-13 * info.loss);
    }
  free(x);
}

/* ---- methods ------------------------------------------------------------------------------------------------------------ */

static void methods_agree(void **state) {
  (void)state;
  const double centre[3] = {0.5, 0.3, -0.2};
  for (int curvature = 1; curvature <= 4; curvature += 3) {
    const geodisk_ball ball = {3, 1.0, curvature};
    double *x = random_points(&ball, 60, 2.0, centre, 4), p[3], q[3];
    geodisk_mean_info info;
    assert_int_equal(geodisk_mean(&ball, 60, x, NULL, NULL, p, &info), GEODISK_OK);
    assert_true(info.converged && info.passes <= 8);
    for (int m = GEODISK_MEAN_GRADIENT; m <= GEODISK_MEAN_FIXED_POINT; m++) {
      geodisk_mean_options options = geodisk_mean_defaults();
      options.method = (geodisk_mean_method)m;
      assert_int_equal(geodisk_mean(&ball, 60, x, NULL, &options, q, &info), GEODISK_OK);
      print_message("method %d: %llu iterations, bound %.1e\n", m, (unsigned long long)info.iterations, info.error_bound);
      assert_true(info.converged && info.error_bound < 1e-12);
      assert_true(geodisk_distance(&ball, p, q) <= info.error_bound + 1e-14);
      options.tolerance = 1e-6;
      assert_int_equal(geodisk_mean(&ball, 60, x, NULL, &options, q, &info), GEODISK_OK);
      assert_true(info.converged && info.error_bound <= 1e-6 && info.error_bound > 1e-9);
      assert_true(geodisk_distance(&ball, p, q) <= info.error_bound);
    }
    free(x);
  }
}

/* The fixed point's steps decrease the loss from anywhere, the paper's step too; both from a start far away. */
static bool losses_fall(void *user, const geodisk_mean_iteration *now) {
  double *last = user;
  assert_true(now->loss <= *last * (1 + 1e-14));
  *last = now->loss;
  return true;
}

static void guaranteed_methods_decrease(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2);
  double *x = random_points(&ball, 20, 9.0, NULL, 4), p[2];
  const double start[2] = {-0.9999, 0.0};
  for (int m = GEODISK_MEAN_GRADIENT; m <= GEODISK_MEAN_FIXED_POINT; m++) {
    double last = (double)INFINITY;
    geodisk_mean_options options = geodisk_mean_defaults();
    options.method = (geodisk_mean_method)m;
    options.start = start;
    options.on_iteration = losses_fall;
    options.user = &last;
    geodisk_mean_info info;
    assert_int_equal(geodisk_mean(&ball, 20, x, NULL, &options, p, &info), GEODISK_OK);
    assert_true(info.converged);
  }
  free(x);
}

static void stochastic_descent(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2);
  double *x = random_points(&ball, 40, 2.0, NULL, 4), weights[40], p[2], q[2], again[2];
  for (int i = 0; i < 40; i++)
    weights[i] = i % 4;
  assert_int_equal(geodisk_mean(&ball, 40, x, weights, NULL, p, NULL), GEODISK_OK);
  geodisk_mean_options options = geodisk_mean_defaults();
  options.method = GEODISK_MEAN_STOCHASTIC;
  options.iterations = 20000;
  options.schedule = (geodisk_schedule){.kind = GEODISK_SCHEDULE_INVERSE, .rate = 0.5, .decay = 0.5};
  for (int rule = GEODISK_UPDATE_GEODESIC; rule <= GEODISK_UPDATE_EUCLIDEAN; rule++) {
    geodisk_mean_info info;
    options.update = (geodisk_update)rule;
    if (rule == GEODISK_UPDATE_EUCLIDEAN)
      options.schedule.rate = 0.01; /* in Euclidean units */
    assert_int_equal(geodisk_mean(&ball, 40, x, weights, &options, q, &info), GEODISK_OK);
    assert_true(geodisk_distance(&ball, p, q) < 0.05);
    assert_true(geodisk_distance(&ball, p, q) <= info.error_bound); /* certified all the same */
    assert_int_equal(geodisk_mean(&ball, 40, x, weights, &options, again, &info), GEODISK_OK);
    assert_memory_equal(q, again, sizeof q);
    options.seed++;
    assert_int_equal(geodisk_mean(&ball, 40, x, weights, &options, again, &info), GEODISK_OK);
    assert_true(memcmp(q, again, sizeof q) != 0);
  }
  free(x);
}

/* ---- the awkward -------------------------------------------------------------------------------------------------------- */

static void points_at_the_rim(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2);
  /* Nearest to the rim that doubles allow, one on each axis and a pair that nearly touches. */
  const double e = 1 - 0x1p-53;
  const double sets[4][4][2] = {{{e, 0}, {-e, 0}, {0, e}, {0, -e}},
                                {{e, 0}, {e, 0x1p-30}, {e, -0x1p-30}, {e, 0}},
                                {{e, 0}, {0, 0}, {0, 0}, {0, 0}},
                                {{e, 0}, {1 - 0x1p-52, 0}, {1 - 0x1p-40, 0}, {0.5, 0}}};
  for (int k = 0; k < 4; k++) {
    double p[2];
    geodisk_mean_info info;
    assert_int_equal(geodisk_mean(&ball, 4, sets[k][0], NULL, NULL, p, &info), GEODISK_OK);
    assert_true(geodisk_gap(&ball, p) > 0 && info.converged && isfinite(info.error_bound));
    if (k == 0)
      assert_true(fabs(p[0]) < 1e-15 && fabs(p[1]) < 1e-15);
    if (k == 2) { /* a quarter of the way along one ray */
      const double r = geodisk_radius_from_euclidean(&ball, e) / 4;
      assert_true(fabs(geodisk_radius_from_euclidean(&ball, p[0]) - r) < 1e-12 && fabs(p[1]) < 1e-15);
    }
  }
}

static void deep_points_with_gaps(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2);
  /* On one axis at radius 300, 200 and -50: the mean radius is 150. */
  const double x[3][2] = {{1 - 0x1p-53, 0}, {1 - 0x1p-53, 0}, {-1 + 0x1p-53, 0}};
  const double radii[3] = {300, 200, 50};
  double gaps[3], p[2], gap;
  for (int i = 0; i < 3; i++)
    gaps[i] = geodisk_gap_from_radius(&ball, radii[i]);
  geodisk_mean_info info;
  assert_int_equal(geodisk_mean_gap(&ball, &(geodisk_mean_points){.n = 3, .points = x[0], .gaps = gaps}, NULL, p, &gap, &info),
                   GEODISK_OK);
  assert_true(fabs(geodisk_radius_from_gap(&ball, gap) - 150) < 1e-12 && p[1] == 0 && p[0] > 0);
  assert_true(info.converged && info.error_bound < 1e-13);
  /* Two at radius 300 in different directions: the midpoint is where geodisk_geodesic_gap puts it. */
  const double y[2][2] = {{0.6, 0.8 - 0x1p-50}, {0.8, 0.6 - 0x1p-50}};
  double middle[2], middle_gap;
  geodisk_geodesic_gap(&ball, y[0], gaps[0], y[1], gaps[0], 0.5, middle, &middle_gap);
  assert_int_equal(geodisk_mean_gap(&ball, &(geodisk_mean_points){.n = 2, .points = y[0], .gaps = (double[]){gaps[0], gaps[0]}},
                                    NULL, p, &gap, &info),
                   GEODISK_OK);
  assert_true(geodisk_distance_gap(&ball, p, gap, middle, middle_gap) < 1e-13);
  /* Without gaps it is the plain barycenter. */
  double *z = random_points(&ball, 30, 6.0, NULL, 3), q[2];
  assert_int_equal(geodisk_mean_gap(&ball, &(geodisk_mean_points){.n = 30, .points = z}, NULL, p, NULL, NULL), GEODISK_OK);
  assert_int_equal(geodisk_mean(&ball, 30, z, NULL, NULL, q, NULL), GEODISK_OK);
  assert_true(geodisk_distance(&ball, p, q) < 1e-14);
  free(z);
}

static void large_dimensions(void **state) {
  (void)state;
  static const int dims[] = {64, 130, 300, 600};
  for (int k = 0; k < 4; k++) {
    const geodisk_ball ball = geodisk_unit_ball(dims[k]);
    double *x = random_points(&ball, 40, 3.0, NULL, 3), *p = malloc((size_t)dims[k] * sizeof *p);
    geodisk_mean_info info;
    assert_int_equal(geodisk_mean(&ball, 40, x, NULL, NULL, p, &info), GEODISK_OK);
    assert_true(info.converged && info.error_bound < 1e-13);
    free(x);
    free(p);
  }
}

/* ---- the frame ---------------------------------------------------------------------------------------------------------- */

static void threads_and_blocks_do_not_change_a_bit(void **state) {
  (void)state;
  enum { N = 50000, DIM = 5 };
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  double *x = random_points(&ball, N, 4.0, NULL, 8), *w = malloc(N * sizeof *w), expected[DIM];
  geodisk_mean_info expected_info;
  for (size_t i = 0; i < N; i++)
    w[i] = 1 + (double)(i % 7);
  for (int threads = 1; threads <= 4; threads++) {
    geodisk_context *context = NULL;
    assert_int_equal(geodisk_context_create(threads, &context), GEODISK_OK);
    geodisk_mean_options options = geodisk_mean_defaults();
    options.context = context;
    double p[DIM];
    geodisk_mean_info info;
    assert_int_equal(geodisk_mean(&ball, N, x, w, &options, p, &info), GEODISK_OK);
    if (threads == 1) {
      memcpy(expected, p, sizeof p);
      expected_info = info;
    }
    assert_memory_equal(p, expected, sizeof p);
    assert_true(info.loss == expected_info.loss && info.gradient_norm == expected_info.gradient_norm);

    geodisk_mean_stream *stream = NULL;
    assert_int_equal(geodisk_mean_stream_create(&ball, &options, &stream), GEODISK_OK);
    int passes = 0;
    for (bool done = false; !done; passes++) {
      for (size_t begin = 0, block = 1; begin < N; begin += block, block = block * 3 % 7001 + 1) {
        const size_t rows = begin + block < N ? block : N - begin;
        assert_int_equal(geodisk_mean_stream_push(stream, rows, x + begin * DIM, w + begin), GEODISK_OK);
        block = rows;
      }
      assert_int_equal(geodisk_mean_stream_end_pass(stream, &done), GEODISK_OK);
    }
    assert_int_equal(geodisk_mean_stream_result(stream, p, &info), GEODISK_OK);
    assert_memory_equal(p, expected, sizeof p);
    assert_true(info.error_bound == expected_info.error_bound && info.passes == (uint64_t)passes);
    geodisk_mean_stream_destroy(stream);
    geodisk_context_destroy(context);
  }
  free(x);
  free(w);
}

static void many_small_problems(void **state) {
  (void)state;
  enum { PROBLEMS = 500, DIM = 3 };
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  size_t begin[PROBLEMS + 1] = {0};
  for (size_t j = 0; j < PROBLEMS; j++)
    begin[j + 1] = begin[j] + 1 + j % 11;
  double *x = random_points(&ball, begin[PROBLEMS], 4.0, NULL, 6), *out = malloc(PROBLEMS * DIM * sizeof *out);
  geodisk_mean_info *info = malloc(PROBLEMS * sizeof *info);
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
  geodisk_mean_options options = geodisk_mean_defaults();
  options.context = context;
  assert_int_equal(geodisk_mean_many(&ball, &(geodisk_mean_problems){PROBLEMS, begin, x, NULL}, &options, out, info), GEODISK_OK);
  for (size_t j = 0; j < PROBLEMS; j++) {
    double p[DIM];
    assert_int_equal(geodisk_mean(&ball, begin[j + 1] - begin[j], x + begin[j] * DIM, NULL, NULL, p, NULL), GEODISK_OK);
    assert_memory_equal(p, out + j * DIM, sizeof p);
    assert_true(info[j].converged);
  }
  x[(begin[123] + 1) * DIM] = 2.0;
  out[0] = 7;
  assert_int_equal(geodisk_mean_many(&ball, &(geodisk_mean_problems){PROBLEMS, begin, x, NULL}, &options, out, info),
                   GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "problem 123: point 1 is not inside the ball");
  assert_true(out[0] == 7);
  begin[5] = begin[6] + 1;
  assert_int_equal(geodisk_mean_many(&ball, &(geodisk_mean_problems){PROBLEMS, begin, x, NULL}, &options, out, info),
                   GEODISK_ERROR_ARGUMENT);
  geodisk_context_destroy(context);
  free(x);
  free(out);
  free(info);
}

static void errors_name_the_index(void **state) {
  (void)state;
  enum { N = 3000 };
  const geodisk_ball ball = geodisk_unit_ball(2);
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
  geodisk_mean_options options = geodisk_mean_defaults();
  options.context = context;
  double *x = random_points(&ball, N, 2.0, NULL, 8), *w = malloc(N * sizeof *w), p[2] = {7, 7}, gap = 7;
  geodisk_mean_info info = {.passes = 77};
  for (size_t i = 0; i < N; i++)
    w[i] = 1;
#define FAILS_WITH(call, text)                                                                                                   \
  do {                                                                                                                           \
    assert_int_equal((call), GEODISK_ERROR_ARGUMENT);                                                                            \
    if (strstr(geodisk_context_error(context), text) == NULL)                                                                    \
      fail_msg("'%s' does not say '%s'", geodisk_context_error(context), text);                                                  \
    assert_true(p[0] == 7 && p[1] == 7 && gap == 7 && info.passes == 77);                                                        \
  } while (0)
  FAILS_WITH(geodisk_mean(&ball, 0, x, NULL, &options, p, &info), "no points");
  FAILS_WITH(geodisk_mean_gap(&ball, &(geodisk_mean_points){.n = 0, .points = x}, &options, p, &gap, &info), "no points");
  static const double bad_weights[] = {-1e-300, (double)NAN, (double)INFINITY};
  for (int k = 0; k < 3; k++) {
    w[2017] = bad_weights[k];
    FAILS_WITH(geodisk_mean(&ball, N, x, w, &options, p, &info), "weight 2017");
    FAILS_WITH(geodisk_mean_gap(&ball, &(geodisk_mean_points){.n = N, .points = x, .weights = w}, &options, p, &gap, &info),
               "weight 2017");
    FAILS_WITH(geodisk_median(&ball, N, x, w, &options, p, &info), "weight 2017");
  }
  w[2017] = 1;
  static const double bad_points[] = {1.0, -1.5, (double)NAN, (double)INFINITY};
  for (int k = 0; k < 4; k++) {
    const double keep = x[2 * 1234];
    x[2 * 1234] = bad_points[k];
    for (int m = GEODISK_MEAN_NEWTON; m <= GEODISK_MEAN_STOCHASTIC; m++) {
      options.method = (geodisk_mean_method)m;
      FAILS_WITH(geodisk_mean(&ball, N, x, w, &options, p, &info), "point 1234");
    }
    options.method = GEODISK_MEAN_NEWTON;
    FAILS_WITH(geodisk_mean_gap(&ball, &(geodisk_mean_points){.n = N, .points = x}, &options, p, &gap, &info), "point 1234");
    FAILS_WITH(geodisk_median(&ball, N, x, NULL, &options, p, &info), "point 1234");
    FAILS_WITH(geodisk_lorentz_centroid(context, &ball, N, x, NULL, p), "point 1234");
    x[2 * 1234] = keep;
  }
  double bad_gap[2] = {0.5, -0.5};
  FAILS_WITH(geodisk_mean_gap(&ball, &(geodisk_mean_points){.n = 2, .points = x, .gaps = bad_gap}, &options, p, &gap, &info),
             "point 1");
  memset(w, 0, N * sizeof *w);
  FAILS_WITH(geodisk_mean(&ball, N, x, w, &options, p, &info), "all weights are zero");
  const geodisk_ball bad = {2, -1, 1}, huge = {2, 1e61, 1};
  FAILS_WITH(geodisk_mean(&huge, N, x, NULL, &options, p, &info), "radius");
  FAILS_WITH(geodisk_mean(&bad, N, x, NULL, &options, p, &info), "radius");
  options.tolerance = -1;
  FAILS_WITH(geodisk_mean(&ball, N, x, NULL, &options, p, &info), "tolerance");
  options.tolerance = 0;
  options.start = (const double[]){3, 3};
  FAILS_WITH(geodisk_mean(&ball, N, x, NULL, &options, p, &info), "start");
  options.start = NULL;
  options.method = GEODISK_MEAN_STOCHASTIC;
  options.batch = 0;
  FAILS_WITH(geodisk_mean(&ball, N, x, NULL, &options, p, &info), "batch");
  geodisk_mean_stream *stream = NULL;
  options.batch = 1;
  FAILS_WITH(geodisk_mean_stream_create(&ball, &options, &stream), "stochastic");
  assert_null(stream);
  free(x);
  free(w);
  geodisk_context_destroy(context);
}

static void streams_must_repeat_themselves(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2);
  double *x = random_points(&ball, 100, 2.0, NULL, 8), p[2];
  geodisk_mean_stream *stream = NULL;
  bool done = false;
  assert_int_equal(geodisk_mean_stream_create(&ball, NULL, &stream), GEODISK_OK);
  assert_int_equal(geodisk_mean_stream_result(stream, p, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_mean_stream_push(stream, 100, x, NULL), GEODISK_OK);
  assert_int_equal(geodisk_mean_stream_end_pass(stream, &done), GEODISK_OK);
  assert_false(done);
  assert_int_equal(geodisk_mean_stream_push(stream, 99, x, NULL), GEODISK_OK);
  assert_int_equal(geodisk_mean_stream_end_pass(stream, &done), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_mean_stream_push(stream, 100, x, NULL), GEODISK_ERROR_ARGUMENT); /* it stays failed */
  geodisk_mean_stream_destroy(stream);
  geodisk_mean_stream_destroy(NULL);
  free(x);
}

static bool stop_at_two(void *user, const geodisk_mean_iteration *now) {
  (void)user;
  return now->iteration < 2;
}

static void callbacks_stop_with_a_certificate(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(3);
  const double centre[3] = {0.6, 0.1, -0.7};
  double *x = random_points(&ball, 200, 4.0, centre, 8), p[3], truth[3];
  assert_int_equal(geodisk_mean(&ball, 200, x, NULL, NULL, truth, NULL), GEODISK_OK);
  for (int m = GEODISK_MEAN_NEWTON; m <= GEODISK_MEAN_STOCHASTIC; m++) {
    geodisk_mean_options options = geodisk_mean_defaults();
    options.method = (geodisk_mean_method)m;
    options.on_iteration = stop_at_two;
    geodisk_mean_info info;
    assert_int_equal(geodisk_mean(&ball, 200, x, NULL, &options, p, &info), GEODISK_OK);
    assert_true(info.stopped && info.iterations == 2);
    assert_true(geodisk_distance(&ball, p, truth) <= info.error_bound);
  }
  free(x);
}

/* ---- other centres ------------------------------------------------------------------------------------------------------ */

static double sum_of_distances(const geodisk_ball *ball, size_t n, const double *x, const double *w, const double *p) {
  double sum = 0, weight = 0;
  for (size_t i = 0; i < n; i++) {
    sum += (w == NULL ? 1 : w[i]) * geodisk_distance(ball, p, x + i * (size_t)ball->dim);
    weight += w == NULL ? 1 : w[i];
  }
  return sum / weight;
}

static void medians(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(3, 0);
  for (int k = 0; k < 300; k++) {
    const geodisk_ball ball = {1 + k % 5, 1.0 + k % 2, 1.0 + k % 3};
    const size_t n = 1 + (size_t)k % 23;
    double *x = random_points(&ball, n, 3.0 + k % 5, NULL, (uint64_t)k), w[23], p[5], near[5], step[5];
    for (size_t i = 0; i < n; i++)
      w[i] = exp(geodisk_random_normal(&random));
    geodisk_mean_info info;
    assert_int_equal(geodisk_median(&ball, n, x, w, NULL, p, &info), GEODISK_OK);
    const double loss = sum_of_distances(&ball, n, x, w, p);
    assert_true(info.converged && fabs(loss - info.loss) < 1e-13 * (1 + loss) && info.error_bound < 1e-9);
    /* Nothing near is lower, nothing anywhere is lower than the bound says. */
    for (int t = 0; t < 30; t++) {
      for (int j = 0; j < ball.dim; j++)
        step[j] = geodisk_random_normal(&random) * pow(10, -(t % 6)) / geodisk_metric_factor(&ball, p);
      geodisk_exp(&ball, p, step, near);
      assert_true(sum_of_distances(&ball, n, x, w, near) >= loss - info.error_bound - 1e-13);
    }
    free(x);
  }
  /* A point with more than half of the weight is the median, bit for bit. */
  const geodisk_ball ball = geodisk_unit_ball(3);
  double *x = random_points(&ball, 9, 5.0, NULL, 77), p[3];
  const double w[9] = {1, 1, 1, 1, 8.5, 1, 1, 1, 1};
  assert_int_equal(geodisk_median(&ball, 9, x, w, NULL, p, NULL), GEODISK_OK);
  assert_memory_equal(p, x + 4 * 3, sizeof p);
  free(x);
}

static void lorentz_centroids(void **state) {
  (void)state;
  for (int k = 0; k < 50; k++) {
    const geodisk_ball ball = {1 + k % 4, 1.0, 1.0 + k % 3};
    double *x = random_points(&ball, 20, 4.0, NULL, (uint64_t)k), p[4], lifted[5], sum[5] = {0}, q[4];
    for (int i = 0; i < 20; i++) {
      geodisk_to_lorentz(&ball, x + i * ball.dim, lifted);
      for (int j = 0; j <= ball.dim; j++)
        sum[j] += (1 + i % 3) * lifted[j];
    }
    double norm = sum[0] * sum[0];
    for (int j = 1; j <= ball.dim; j++)
      norm -= sum[j] * sum[j];
    for (int j = 0; j <= ball.dim; j++)
      sum[j] /= sqrt(norm * ball.curvature);
    geodisk_from_lorentz(&ball, sum, q);
    double w[20];
    for (int i = 0; i < 20; i++)
      w[i] = 1 + i % 3;
    assert_int_equal(geodisk_lorentz_centroid(NULL, &ball, 20, x, w, p), GEODISK_OK);
    assert_true(geodisk_distance(&ball, p, q) < 1e-12);
    free(x);
  }
  /* Deep: the centroid of two points is their midpoint, wherever they are. */
  const geodisk_ball ball = geodisk_unit_ball(2);
  const double pair[4] = {1 - 1e-14, 0, 0.3, 0.4};
  double p[2], middle[2];
  assert_int_equal(geodisk_lorentz_centroid(NULL, &ball, 2, pair, NULL, p), GEODISK_OK);
  geodisk_midpoint(&ball, pair, pair + 2, middle);
  assert_true(geodisk_distance(&ball, p, middle) < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_points_have_their_midpoint),
      cmocka_unit_test(one_point_is_its_own),
      cmocka_unit_test(zero_weights_do_not_count),
      cmocka_unit_test(isometries_and_scales),
      cmocka_unit_test(radius_and_curvature_are_scales),
      cmocka_unit_test(methods_agree),
      cmocka_unit_test(guaranteed_methods_decrease),
      cmocka_unit_test(stochastic_descent),
      cmocka_unit_test(points_at_the_rim),
      cmocka_unit_test(deep_points_with_gaps),
      cmocka_unit_test(large_dimensions),
      cmocka_unit_test(threads_and_blocks_do_not_change_a_bit),
      cmocka_unit_test(many_small_problems),
      cmocka_unit_test(errors_name_the_index),
      cmocka_unit_test(streams_must_repeat_themselves),
      cmocka_unit_test(callbacks_stop_with_a_certificate),
      cmocka_unit_test(medians),
      cmocka_unit_test(lorentz_centroids),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_mean_accuracy.c - barycenters of random point sets against multi-precision: how far off they are, in coordinates (points
 * to depth 18) and as (x, gap) (points to depth 300), and whether the certified bound holds in every case.
 *
 *     test_mean_accuracy [SEED [CASES]] */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <geodisk/mean.h>

#include "mp_mean.h"

#define RN MPFR_RNDN

enum { LARGEST_DIM = 10, LARGEST_SET = 60, PLAIN_BITS = 400, DEEP_BITS = 1800 };
#define DEPTH      18.0
#define DEEP_DEPTH 300.0

static uint64_t seed = 1;
static int cases = 1000;
static mp_ball mp;

typedef struct point_set {
  geodisk_ball ball;
  size_t n;
  double x[LARGEST_SET * LARGEST_DIM], gap[LARGEST_SET], weights[LARGEST_SET];
  bool weighted;
  int kind;
} point_set;

/* ---- the cases ---------------------------------------------------------------------------------------------------------- */

static void random_frame(geodisk_random *random, point_set *s) {
  static const int dims[] = {1, 2, 3, 5, 10};
  s->ball = geodisk_unit_ball(dims[geodisk_random_below(random, 5)]);
  if (geodisk_random_below(random, 3) == 0) {
    s->ball.radius = exp(20 * (geodisk_random_uniform(random) - 0.5));
    s->ball.curvature = exp(4 * (geodisk_random_uniform(random) - 0.5));
  }
  s->n = 1 + (size_t)geodisk_random_below(random, geodisk_random_below(random, 2) ? 6 : LARGEST_SET);
  s->weighted = geodisk_random_below(random, 2);
  for (size_t i = 0; i < s->n; i++)
    s->weights[i] = exp(6 * (geodisk_random_uniform(random) - 0.5));
  s->kind = (int)geodisk_random_below(random, 5);
}

/* All over the ball; at all radii; a cluster, wide and narrow, around a point of depth 12; the same as wide as it is deep. */
static void random_plain_set(uint64_t index, point_set *s) {
  geodisk_random random = geodisk_random_stream(seed, index);
  random_frame(&random, s);
  const double unit = 1 / sqrt(s->ball.curvature);
  double centre[LARGEST_DIM];
  geodisk_random_in_ball(&s->ball, &random, 12 * unit, centre, NULL);
  for (size_t i = 0; i < s->n; i++) {
    double *x = s->x + i * (size_t)s->ball.dim;
    if (s->kind == 0)
      geodisk_random_in_ball(&s->ball, &random, DEPTH * unit, x, NULL);
    else if (s->kind == 1)
      geodisk_random_in_ball(&s->ball, &random, DEPTH * geodisk_random_uniform(&random) * unit, x, NULL);
    else if (s->kind == 2)
      geodisk_random_wrapped_normal(&s->ball, &random, centre, unit, x, NULL);
    else if (s->kind == 3)
      geodisk_random_wrapped_normal(&s->ball, &random, centre, 1e-3 * unit, x, NULL);
    else {
      geodisk_random_in_ball(&s->ball, &random, 6 * unit, x, NULL);
      geodisk_mobius_add(&s->ball, centre, x, x);
    }
  }
}

/* All directions and radii; on one line; directions that nearly agree; all at about the same depth; depths to 30. */
static void random_deep_set(uint64_t index, point_set *s) {
  geodisk_random random = geodisk_random_stream(seed, index + 1000000000);
  random_frame(&random, s);
  const double unit = 1 / sqrt(s->ball.curvature);
  const int dim = s->ball.dim;
  double common[LARGEST_DIM];
  for (int j = 0; j < dim; j++)
    common[j] = geodisk_random_normal(&random);
  const bool both_ways = geodisk_random_below(&random, 2);
  for (size_t i = 0; i < s->n; i++) {
    double *x = s->x + i * (size_t)dim, square = 0, radius = DEEP_DEPTH * geodisk_random_uniform(&random) * unit;
    if (s->kind == 3)
      radius = DEEP_DEPTH * (0.95 + 0.05 * geodisk_random_uniform(&random)) * unit;
    if (s->kind == 4)
      radius = 30 * geodisk_random_uniform(&random) * unit;
    const double spread = pow(10, -6 * geodisk_random_uniform(&random));
    for (int j = 0; j < dim; j++) {
      x[j] = geodisk_random_normal(&random);
      if (s->kind == 1) /* exactly on a coordinate axis */
        x[j] = j > 0 ? 0 : both_ways && geodisk_random_below(&random, 2) ? -1 : 1;
      if (s->kind == 2)
        x[j] = common[j] + spread * x[j];
      square += x[j] * x[j];
    }
    const double scale = geodisk_euclidean_from_radius(&s->ball, radius) / sqrt(square);
    for (int j = 0; j < dim; j++)
      x[j] *= scale;
    while (!(geodisk_gap(&s->ball, x) > 0))
      for (int j = 0; j < dim; j++)
        x[j] *= 1 - DBL_EPSILON / 2;
    s->gap[i] = geodisk_gap_from_radius(&s->ball, radius);
    if (s->gap[i] > 0.4 * s->ball.radius * s->ball.radius) /* where coordinates rule, the gap shall agree with them */
      s->gap[i] = geodisk_gap(&s->ball, x);
  }
}

/* ---- the exact side ------------------------------------------------------------------------------------------------------- */

static void lift_double(const double *x, const double *gap, mpfr_ptr out) {
  const size_t mark = mp_mark(&mp), n = (size_t)mp.dim;
  mpfr_ptr exact = mp_take(&mp, n), g = mp_take(&mp, 1);
  mp_set_doubles(exact, x, n);
  if (gap == NULL)
    mp_lift(&mp, exact, out);
  else {
    mpfr_set_d(g, *gap, RN);
    mp_lift_gap(&mp, exact, g, out);
  }
  mp_release(&mp, mark);
}

/* mp_mean needs a start near the barycenter, on the right branch. A result deeper than coordinates resolve is that only to
 * rounding: then the direction of the nearest point of the set is the better start. */
static void start_of_mean(const point_set *s, const mp_points *points, const double *x, const double *gap, mpfr_ptr p) {
  const size_t mark = mp_mark(&mp), dim = (size_t)s->ball.dim;
  mpfr_ptr gradient = mp_take(&mp, dim);
  const double *weights = s->weighted ? s->weights : NULL;
  lift_double(x, gap, p);
  if (mp_mean_gradient(&mp, points, weights, p, gradient) > 0.01) {
    double nearest = -2;
    size_t best = 0;
    for (size_t i = 0; i < s->n; i++) {
      double dot = 0, a = 0, b = 0;
      for (size_t j = 0; j < dim; j++) {
        dot += s->x[i * dim + j] * x[j];
        a += s->x[i * dim + j] * s->x[i * dim + j];
        b += x[j] * x[j];
      }
      if (dot / sqrt(a * b) > nearest) {
        nearest = dot / sqrt(a * b);
        best = i;
      }
    }
    lift_double(s->x + best * dim, gap, p);
  }
  mp_release(&mp, mark);
}

typedef struct deviation {
  double distance, radius, radius_error, direction_units; /* hyperbolic; of the exact one; absolute; of 2^-53 */
} deviation;

static deviation compare(const point_set *s, bool with_gaps, const double *x, double gap) {
  const size_t dim = (size_t)s->ball.dim;
  const double *weights = s->weighted ? s->weights : NULL;
  mp_points points;
  deviation d = {0};
  mp_ball_set(&mp, &s->ball, with_gaps ? DEEP_BITS : PLAIN_BITS);
  mp_points_create(&mp, s->n, &points);
  mpfr_ptr exact = mp_take(&mp, dim + 1), got = mp_take(&mp, dim + 1), origin = mp_take(&mp, dim + 1), a = mp_take(&mp, 5),
           b = a + 1, c = a + 2, sum = a + 3, t = a + 4;
  for (size_t i = 0; i < s->n; i++)
    lift_double(s->x + i * dim, with_gaps ? &s->gap[i] : NULL, mp_points_row(&points, i));
  for (size_t j = 0; j <= dim; j++)
    mpfr_set_zero(origin + j, 1);
  lift_double(x, with_gaps ? &gap : NULL, got);
  start_of_mean(s, &points, x, with_gaps ? &gap : NULL, exact);
  mp_mean(&mp, &points, weights, with_gaps ? 60 : 40, exact);

  mp_distance_lifted(&mp, exact, got, c);
  mpfr_div(c, c, mp.root, RN);
  d.distance = mpfr_get_d(c, RN);
  mp_distance_lifted(&mp, exact, origin, a);
  mp_distance_lifted(&mp, got, origin, b);
  mpfr_sub(b, b, a, RN);
  mpfr_div(b, b, mp.root, RN);
  mpfr_div(a, a, mp.root, RN);
  d.radius = mpfr_get_d(a, RN);
  d.radius_error = fabs(mpfr_get_d(b, RN));
  mp_length(&mp, exact + 1, dim, a);
  mp_length(&mp, got + 1, dim, b);
  mpfr_set_zero(sum, 1);
  for (size_t j = 1; j <= dim; j++) {
    mpfr_div(c, exact + j, a, RN);
    mpfr_div(t, got + j, b, RN);
    mpfr_sub(c, c, t, RN);
    mpfr_sqr(c, c, RN);
    mpfr_add(sum, sum, c, RN);
  }
  mpfr_sqrt(sum, sum, RN);
  d.direction_units = mpfr_get_d(sum, RN) / (DBL_EPSILON / 2);
  mp_points_destroy(&points);
  return d;
}

/* ---- the tests ------------------------------------------------------------------------------------------------------------ */

static void coordinates_to_depth_18(void **state) {
  (void)state;
  static point_set s;
  double worst = 0, closest = 0;
  uint64_t passes = 0, most_passes = 0;
  for (int i = 0; i < cases; i++) {
    double p[LARGEST_DIM];
    geodisk_mean_info info;
    random_plain_set((uint64_t)i, &s);
    assert_int_equal(geodisk_mean(&s.ball, s.n, s.x, s.weighted ? s.weights : NULL, NULL, p, &info), GEODISK_OK);
    assert_true(info.converged);
    const deviation d = compare(&s, false, p, 0);
    const double bound = 1e-14 * (1 + d.radius) + 2 * 0x1p-53 * s.ball.radius * geodisk_metric_factor(&s.ball, p);
    if (!(d.distance <= bound))
      fail_msg("case %d, kind %d, dim %d, %zu points: off by %.3e, allowed %.3e", i, s.kind, s.ball.dim, s.n, d.distance, bound);
    if (!(d.distance <= info.error_bound))
      fail_msg("case %d, kind %d, dim %d, %zu points: off by %.17g, certified %.17g", i, s.kind, s.ball.dim, s.n, d.distance,
               info.error_bound);
    worst = fmax(worst, d.distance / bound);
    closest = fmax(closest, d.distance / info.error_bound);
    passes += info.passes;
    most_passes = info.passes > most_passes ? info.passes : most_passes;
  }
  print_message(
      "%d sets to depth 18: worst error %.2f of the allowed, at most %.3f of the certified; passes: mean %.1f, most %llu\n",
      cases, worst, closest, (double)passes / cases, (unsigned long long)most_passes);
}

static void gaps_to_depth_300(void **state) {
  (void)state;
  static point_set s;
  double worst_radius = 0, worst_direction = 0, closest = 0;
  const int some = cases / 2;
  for (int i = 0; i < some; i++) {
    double p[LARGEST_DIM], gap;
    geodisk_mean_info info;
    random_deep_set((uint64_t)i, &s);
    assert_int_equal(
        geodisk_mean_gap(&s.ball,
                         &(geodisk_mean_points){.n = s.n, .points = s.x, .gaps = s.gap, .weights = s.weighted ? s.weights : NULL},
                         NULL, p, &gap, &info),
        GEODISK_OK);
    assert_true(info.converged);
    const deviation d = compare(&s, true, p, gap);
    if (!(d.radius_error <= 1e-14 * d.radius && d.direction_units <= 4))
      fail_msg("case %d, kind %d, dim %d, %zu points, radius %.17g: off by %.3e and %.2f units of direction", i, s.kind,
               s.ball.dim, s.n, d.radius, d.radius_error, d.direction_units);
    /* Deeper than coordinates resolve the certificate is one for the radius. */
    const bool resolved = gap >= 0x1p-51 * s.ball.radius * s.ball.radius;
    const double off = resolved ? d.distance : d.radius_error;
    if (!(off <= info.error_bound))
      fail_msg("case %d, kind %d: off by %.17g, certified %.17g, radius %g", i, s.kind, off, info.error_bound, d.radius);
    if (d.radius > 0)
      worst_radius = fmax(worst_radius, d.radius_error / d.radius);
    worst_direction = fmax(worst_direction, d.direction_units);
    closest = fmax(closest, off / info.error_bound);
  }
  print_message("%d sets to depth 300: radius off by %.1e at most, direction by %.2f units, at most %.3f of the certified\n",
                some, worst_radius, worst_direction, closest);
}

int main(int argc, char **argv) {
  if (argc > 1)
    seed = strtoull(argv[1], NULL, 10);
  if (argc > 2)
    cases = atoi(argv[2]);
  mp_ball_create(&mp, LARGEST_DIM);
  const struct CMUnitTest tests[] = {cmocka_unit_test(coordinates_to_depth_18), cmocka_unit_test(gaps_to_depth_300)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  mp_ball_destroy(&mp);
  return failed;
}

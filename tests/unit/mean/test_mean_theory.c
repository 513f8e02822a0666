/* test_mean_theory.c - the paper's theory on the barycenter problem, as it stands after its corrections: the guaranteed rate of
 * geodesic descent and the ball its iterates stay in, the eigenvalues of the Hessian, and the bias of the natural update. */
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

/* ---- convergence: f(p_t) - f* <= (1 - eps)^(t-2) D^3, eps = min(1/(D coth D), 1/(2D+1)), and d(0, p_t) <= D ---------------- */

typedef struct guarantee {
  const geodisk_ball *ball;
  double farthest;      /* D, for curvature -1 */
  double least;         /* f*, for curvature -1 */
  double closest_share; /* largest (f(p_t) - f*) / bound seen */
  uint64_t steps;
} guarantee;

static bool within_the_guarantee(void *user, const geodisk_mean_iteration *now) {
  guarantee *g = user;
  const double k = g->ball->curvature, D = g->farthest, rounding = 64 * DBL_EPSILON;
  const double eps = fmin(tanh(D) / D, 1 / (2 * D + 1));
  const double bound = pow(1 - eps, (double)now->iteration - 2) * D * D * D, above = now->loss * k - g->least;
  if (!(above <= bound * (1 + rounding) + rounding * g->least))
    fail_msg("D %g, t %llu: f - f* = %.17g, bound %.17g", D, (unsigned long long)now->iteration, above, bound);
  const double radius = sqrt(k) * geodisk_radius_from_gap(g->ball, now->gap);
  if (!(radius <= D * (1 + rounding)))
    fail_msg("D %g, t %llu: radius %.17g", D, (unsigned long long)now->iteration, radius);
  if (bound > 1e-12 * g->least)
    g->closest_share = fmax(g->closest_share, above / bound);
  g->steps++;
  return true;
}

static void guaranteed_rate(void **state) {
  (void)state;
  double closest = 0;
  uint64_t steps = 0;
  for (int problem = 0; problem < 200; problem++) {
    geodisk_random random = geodisk_random_stream(2018, (uint64_t)problem);
    const geodisk_ball ball = {1 + (int)geodisk_random_below(&random, 5), exp(geodisk_random_normal(&random)),
                               exp(geodisk_random_normal(&random))};
    const double root_k = sqrt(ball.curvature), spread = pow(10, -2 + 3.2 * geodisk_random_uniform(&random)); /* to 15 */
    const size_t n = 1 + (size_t)geodisk_random_below(&random, 20);
    double x[20 * 5], weights[20], start[5], best[5], farthest;
    geodisk_random_in_ball(&ball, &random, spread / root_k, start, NULL);
    farthest = geodisk_radius_from_gap(&ball, geodisk_gap(&ball, start));
    for (size_t i = 0; i < n; i++) {
      geodisk_random_in_ball(&ball, &random, spread * geodisk_random_uniform(&random) / root_k, x + i * (size_t)ball.dim, NULL);
      farthest = fmax(farthest, geodisk_radius_from_gap(&ball, geodisk_gap(&ball, x + i * (size_t)ball.dim)));
      weights[i] = geodisk_random_uniform(&random) + 0.01;
    }
    geodisk_mean_info info;
    assert_int_equal(geodisk_mean(&ball, n, x, weights, NULL, best, &info), GEODISK_OK);
    guarantee g = {.ball = &ball, .farthest = root_k * farthest, .least = info.loss * ball.curvature};
    geodisk_mean_options options = geodisk_mean_defaults();
    options.method = GEODISK_MEAN_GRADIENT;
    options.start = start;
    options.on_iteration = within_the_guarantee;
    options.user = &g;
    assert_int_equal(geodisk_mean(&ball, n, x, weights, &options, best, &info), GEODISK_OK);
    assert_true(info.converged);
    closest = fmax(closest, g.closest_share);
    steps += g.steps;
  }
  print_message("200 problems, %llu iterates: at most %.3f of the bound\n", (unsigned long long)steps, closest);
  assert_true(closest > 1e-3); /* the bound is not idle */
}

/* ---- the Hessian of d^2/2 has the eigenvalues 1 along the geodesic and theta coth(theta) across it ------------------------- */

static double half_square(const geodisk_ball *ball, const double *x, const double *v, double h, const double *y) {
  double step[5], moved[5];
  for (int j = 0; j < ball->dim; j++)
    step[j] = h * v[j];
  geodisk_exp(ball, x, step, moved);
  const double d = geodisk_distance(ball, moved, y);
  return 0.5 * d * d;
}

/* The second derivative along the unit tangent v, from second differences at h, h/2, h/4 extrapolated to 0. */
static double second_derivative(const geodisk_ball *ball, const double *x, const double *v, const double *y) {
  double table[3], h = 0.1 / sqrt(ball->curvature);
  const double zero = half_square(ball, x, v, 0, y);
  for (int i = 0; i < 3; i++, h /= 2)
    table[i] = (half_square(ball, x, v, h, y) - 2 * zero + half_square(ball, x, v, -h, y)) / (h * h);
  const double first = (4 * table[1] - table[0]) / 3, second = (4 * table[2] - table[1]) / 3;
  return (16 * second - first) / 15;
}

static void hessian_eigenvalues(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(31, 0);
  for (int i = 0; i < 200; i++) {
    const geodisk_ball ball = {2 + i % 4, 1.0 + i % 2, 1.0 + i % 3};
    double x[5], y[5], along[5], across[5], image[5], dot = 0, square = 0;
    geodisk_random_in_ball(&ball, &random, 1.5, x, NULL);
    geodisk_random_in_ball(&ball, &random, 3.0, y, NULL);
    const double d = geodisk_distance(&ball, x, y), theta = sqrt(ball.curvature) * d, lam = geodisk_metric_factor(&ball, x);
    if (theta < 0.5)
      continue; /* the distance has its kink too near for the differences */
    geodisk_log(&ball, x, y, along);
    for (int j = 0; j < ball.dim; j++) {
      along[j] /= d;
      across[j] = geodisk_random_normal(&random);
      dot += lam * lam * along[j] * across[j];
    }
    for (int j = 0; j < ball.dim; j++) {
      across[j] -= dot * along[j];
      square += across[j] * across[j];
    }
    for (int j = 0; j < ball.dim; j++)
      across[j] /= lam * sqrt(square);
    const double expected = theta / tanh(theta);
    assert_true(fabs(second_derivative(&ball, x, along, y) - 1) < 1e-8);
    assert_true(fabs(second_derivative(&ball, x, across, y) - expected) < 1e-8 * expected);
    /* ... and they are eigenvectors. */
    geodisk_hessian(&ball, x, y, along, image);
    for (int j = 0; j < ball.dim; j++)
      assert_true(fabs(image[j] - along[j]) < 1e-14);
    geodisk_hessian(&ball, x, y, across, image);
    for (int j = 0; j < ball.dim; j++)
      assert_true(fabs(image[j] - expected * across[j]) < 1e-14 * expected);
  }
}

/* ---- the bias theorem ----------------------------------------------------------------------------------------------------- */

/* q0 = 0 and q1 = 1 - eps on a line; their barycenter, as (x, gap) so that nothing is lost near 1. */
typedef struct anchors {
  geodisk_ball ball;
  double q[2], q_gap[2], best, best_gap, d; /* d: from the barycenter to either */
} anchors;

static anchors make_anchors(double eps) {
  anchors a = {.ball = geodisk_unit_ball(1), .q = {0, 1 - eps}};
  for (int i = 0; i < 2; i++)
    a.q_gap[i] = geodisk_gap(&a.ball, &a.q[i]);
  geodisk_geodesic_gap(&a.ball, &a.q[0], a.q_gap[0], &a.q[1], a.q_gap[1], 0.5, &a.best, &a.best_gap);
  a.d = geodisk_distance_gap(&a.ball, &a.best, a.best_gap, &a.q[0], a.q_gap[0]);
  return a;
}

/* How far one step of a rule with the gradient of d(., q_i)^2/2 leads from the barycenter. */
static double step_length(const anchors *a, geodisk_update rule, int i, double rate) {
  double log, moved, moved_gap;
  geodisk_log_gap(&a->ball, &a->best, a->best_gap, &a->q[i], a->q_gap[i], &log);
  log *= rate;
  geodisk_update_point(&a->ball, rule, GEODISK_MARGIN_DEFAULT, &a->best, a->best_gap, &log, &moved, &moved_gap);
  return geodisk_distance_gap(&a->ball, &a->best, a->best_gap, &moved, moved_gap);
}

static void bias_theorem(void **state) {
  (void)state;
  int cases = 0;
  for (double eps = 0.9; eps > 1e-9; eps *= 0.6)
    for (double rate = 1e-3; rate <= 1.0; rate *= 1.5, cases++) {
      const anchors a = make_anchors(eps);
      const double e = 1 - a.q[1];                                           /* eps as it was rounded */
      assert_true(fabs(a.best - (1 - sqrt((2 - e) * e)) / (1 - e)) < 1e-15); /* the paper's closed form */
      const double left = step_length(&a, GEODISK_UPDATE_GEODESIC, 0, rate),
                   right = step_length(&a, GEODISK_UPDATE_GEODESIC, 1, rate);
      if (!(fabs(left - right) <= 1e-12 && fabs(left - rate * a.d) <= 1e-12))
        fail_msg("eps %g, rate %g: geodesic steps %.17g and %.17g", eps, rate, left, right);
      const double inward = step_length(&a, GEODISK_UPDATE_NATURAL, 0, rate),
                   outward = step_length(&a, GEODISK_UPDATE_NATURAL, 1, rate);
      /* To second order the natural steps differ by p d^2 rate^2, p the barycenter; more for longer ones (until they clip). */
      const double margin = fmin(0.5 * a.best * a.d * a.d * rate * rate, 1.0);
      if (!(outward - inward > margin && margin > 1e-11))
        fail_msg("eps %g, rate %g: natural steps inward %.17g, outward %.17g", eps, rate, inward, outward);
    }
  print_message("%d pairs of eps and rate\n", cases);
}

/* ---- the chain: 10^5 stochastic steps between the two anchors ------------------------------------------------------------ */

typedef struct chain {
  geodisk_ball ball;
  double centre; /* radius of the barycenter */
  double sum;
  uint64_t steps;
} chain;

static bool add_offset(void *user, const geodisk_mean_iteration *now) {
  chain *c = user;
  const double r = geodisk_radius_from_gap(&c->ball, now->gap);
  if (now->iteration > 0) {
    c->sum += (now->point[0] < 0 ? -r : r) - c->centre;
    c->steps++;
  }
  return true;
}

/* The mean hyperbolic offset from the barycenter, outward positive; the chain starts there. */
static double mean_offset(const anchors *a, geodisk_update rule, double rate, uint64_t seed) {
  chain c = {.ball = a->ball, .centre = a->d};
  double p;
  geodisk_mean_options options = geodisk_mean_defaults();
  options.method = GEODISK_MEAN_STOCHASTIC;
  options.update = rule;
  options.schedule = geodisk_schedule_constant(rate);
  options.iterations = 100000;
  options.seed = seed;
  options.start = &a->best;
  options.on_iteration = add_offset;
  options.user = &c;
  assert_int_equal(geodisk_mean(&a->ball, 2, a->q, NULL, &options, &p, NULL), GEODISK_OK);
  assert_int_equal(c.steps, 100000);
  return c.sum / (double)c.steps;
}

/* On the line the geodesic chain is autoregressive: offset <- (1 - rate) offset +- rate d. The mean of n steps then has the
 * standard error d/sqrt(n), whatever the rate. */
static void stochastic_chain(void **state) {
  (void)state;
  static const double rates[] = {0.01, 0.02, 0.05, 0.1, 0.2}; /* the paper's */
  static const double distances[] = {1e-8, 1e-3};
  for (int e = 0; e < 2; e++) {
    const anchors a = make_anchors(distances[e]);
    const double error = a.d / sqrt(1e5);
    double last = 3 * error;
    for (int i = 0; i < (e == 0 ? 5 : 2); i++) {
      const uint64_t seed = (uint64_t)(10 * e + i);
      const double geodesic = mean_offset(&a, GEODISK_UPDATE_GEODESIC, rates[i], seed);
      const double natural = mean_offset(&a, GEODISK_UPDATE_NATURAL, rates[i], seed);
      print_message("eps %g, rate %g: geodesic offset %+.4f (%.1f standard errors), natural %+.4f\n", distances[e], rates[i],
                    geodesic, geodesic / error, natural);
      assert_true(fabs(geodesic) <= 3 * error);
      if (i > 0)
        assert_true(natural > last); /* positive, growing with the rate */
      last = fmax(last, natural);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(guaranteed_rate),
      cmocka_unit_test(hessian_eigenvalues),
      cmocka_unit_test(bias_theorem),
      cmocka_unit_test(stochastic_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_optim_methods.c - every method brings real problems to their minimum; accelerated, momentum and variance reduction against
 * plain descent; fixed points, callbacks, threads, clips, and failures that name iteration and point. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/optim.h"

/* ---- a barycenter: one free point among fixed ones -------------------------------------------------------------------- */

enum { ANCHORS = 40, DIM = 3 };

typedef struct barycenter {
  geodisk_ball ball;
  geodisk_objective *objective;
  double x[(ANCHORS + 1) * DIM]; /* the free point first */
} barycenter;

static barycenter make_barycenter(double radius) {
  barycenter b = {.ball = geodisk_unit_ball(DIM)};
  geodisk_random random = geodisk_random_stream(11, 0);
  size_t pairs[2 * ANCHORS];
  bool fixed[ANCHORS + 1] = {false};
  double weights[ANCHORS];
  const double mean[DIM] = {0.3, -0.5, 0.2};
  for (int i = 1; i <= ANCHORS; i++) {
    geodisk_random_in_ball(&b.ball, &random, radius, b.x + i * DIM, NULL);
    geodisk_mobius_add(&b.ball, mean, b.x + i * DIM, b.x + i * DIM);
    fixed[i] = true;
    pairs[2 * (i - 1)] = 0;
    pairs[2 * (i - 1) + 1] = (size_t)i;
    weights[i - 1] = 0.5 / ANCHORS; /* f = mean of d^2/2: 1-strongly convex */
  }
  b.x[0] = -0.9;
  assert_int_equal(
      geodisk_objective_squared(NULL, &(geodisk_objective_rows){ANCHORS + 1, ANCHORS, pairs, fixed}, weights, &b.objective),
      GEODISK_OK);
  return b;
}

static geodisk_optim_info solve(const barycenter *b, const geodisk_optim_options *options, double *p) {
  double x[(ANCHORS + 1) * DIM];
  memcpy(x, b->x, sizeof x);
  geodisk_optim_info info;
  assert_int_equal(geodisk_minimise(&b->ball, b->objective, options, x, NULL, &info), GEODISK_OK);
  assert_memory_equal(x + DIM, b->x + DIM, ANCHORS * DIM * sizeof(double)); /* fixed: bit for bit */
  memcpy(p, x, DIM * sizeof *p);
  return info;
}

static void every_method_finds_the_barycenter(void **state) {
  (void)state;
  barycenter b = make_barycenter(2.0);
  double truth[DIM], p[DIM];
  geodisk_optim_options options = geodisk_optim_defaults(GEODISK_METHOD_BACKTRACKING);
  options.tolerance = 1e-13;
  geodisk_optim_info info = solve(&b, &options, truth);
  assert_true(info.gradient_norm < 1e-11);
  static const struct {
    geodisk_method method;
    double rate;
    uint64_t iterations;
    double tolerance;
  } cases[] = {
      {GEODISK_METHOD_GRADIENT, 0.3, 2000, 1e-10},    {GEODISK_METHOD_BACKTRACKING, 1.0, 200, 1e-10},
      {GEODISK_METHOD_MOMENTUM, 0.05, 3000, 1e-10},   {GEODISK_METHOD_ADAGRAD, 0.5, 5000, 1e-10},
      {GEODISK_METHOD_ADAM, 0.05, 5000, 1e-6},        {GEODISK_METHOD_RSVRG, 0.1, 20000, 1e-10},
      {GEODISK_METHOD_ACCELERATED, 0.3, 2000, 1e-10},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    options = geodisk_optim_defaults(cases[i].method);
    options.schedule = geodisk_schedule_constant(cases[i].rate);
    options.iterations = cases[i].iterations;
    options.tolerance = cases[i].tolerance;
    info = solve(&b, &options, p);
    const double off = geodisk_distance(&b.ball, p, truth);
    print_message("method %d: %llu iterations, gradient %.1e, off by %.1e\n", (int)cases[i].method,
                  (unsigned long long)info.iterations, info.gradient_norm, off);
    assert_true(info.converged && info.gradient_norm <= cases[i].tolerance);
    assert_true(off <= 1.01 * cases[i].tolerance); /* 1-strongly convex: the gradient norm bounds the distance */
  }
  /* Stochastic descent with steps like 1/t: the mean square error of the last point falls like 1/t. */
  options = geodisk_optim_defaults(GEODISK_METHOD_STOCHASTIC);
  options.schedule = (geodisk_schedule){.kind = GEODISK_SCHEDULE_INVERSE, .rate = 0.5, .decay = 0.5};
  options.iterations = 20000;
  options.evaluate_every = 20000;
  options.tolerance = 0;
  info = solve(&b, &options, p);
  print_message("stochastic: off by %.1e\n", geodisk_distance(&b.ball, p, truth));
  assert_true(geodisk_distance(&b.ball, p, truth) < 0.02);
  geodisk_objective_destroy(b.objective);
}

/* Half of the anchors near each end of a long geodesic: the Hessian is 1 along it and the mean of theta coth theta, about 25,
 * across. Where the condition number is that large acceleration must pay. Iterations (one evaluation of all terms each) until the
 * gradient norm is below 1e-9, every method with its textbook step 1/L. */
static void acceleration_beats_plain_descent(void **state) {
  (void)state;
  barycenter b = make_barycenter(2.0);
  const double ends[2][DIM] = {{0.999999999975, 0, 0}, {-0.999999999975, 0, 0}}, smoothness = 26.0;
  double p[DIM], farthest = 0;
  geodisk_random random = geodisk_random_stream(4, 0);
  for (int i = 1; i <= ANCHORS; i++)
    geodisk_random_wrapped_normal(&b.ball, &random, ends[i % 2], 0.5, b.x + i * DIM, NULL);
  b.x[0] = 0.6;
  b.x[1] = 0.1;
  geodisk_optim_options options = geodisk_optim_defaults(GEODISK_METHOD_GRADIENT);
  options.schedule = geodisk_schedule_constant(1 / smoothness);
  options.iterations = 20000;
  const geodisk_optim_info plain = solve(&b, &options, p);
  for (int i = 1; i <= ANCHORS; i++)
    farthest = fmax(farthest, geodisk_distance(&b.ball, p, b.x + i * DIM));
  assert_true(farthest < smoothness + 1);
  options.method = GEODISK_METHOD_ACCELERATED;
  options.convexity = 1.0;
  const geodisk_optim_info accelerated = solve(&b, &options, p);
  options.method = GEODISK_METHOD_MOMENTUM;
  options.momentum = 0.6;
  const geodisk_optim_info momentum = solve(&b, &options, p);
  print_message("plain %llu, accelerated %llu, momentum %llu iterations\n", (unsigned long long)plain.iterations,
                (unsigned long long)accelerated.iterations, (unsigned long long)momentum.iterations);
  assert_true(plain.converged && accelerated.converged && momentum.converged);
  assert_true(2 * accelerated.iterations < plain.iterations);
  assert_true(momentum.iterations < plain.iterations);
  geodisk_objective_destroy(b.objective);
}

/* With the same steps and the same draws, plain stochastic descent stays in its noise, RSVRG does not. */
static void variance_reduction_reduces_variance(void **state) {
  (void)state;
  barycenter b = make_barycenter(3.0);
  double p[DIM];
  geodisk_optim_options options = geodisk_optim_defaults(GEODISK_METHOD_STOCHASTIC);
  options.schedule = geodisk_schedule_constant(0.05);
  options.iterations = 8000;
  options.evaluate_every = 8000;
  options.tolerance = 0;
  const geodisk_optim_info plain = solve(&b, &options, p);
  options.method = GEODISK_METHOD_RSVRG;
  const geodisk_optim_info reduced = solve(&b, &options, p);
  print_message("gradient norm after 8000 steps: plain %.2e, RSVRG %.2e\n", plain.gradient_norm, reduced.gradient_norm);
  assert_true(plain.gradient_norm > 1e-3);
  assert_true(reduced.gradient_norm < 1e-9);
  geodisk_objective_destroy(b.objective);
}

/* ---- embeddings ------------------------------------------------------------------------------------------------------- */

enum { NODES = 10 };

static void true_distances(const geodisk_ball *ball, double radius, double *matrix) {
  double truth[NODES * DIM];
  geodisk_random random = geodisk_random_stream(8, 0);
  for (int i = 0; i < NODES; i++)
    geodisk_random_in_ball(ball, &random, radius, truth + i * DIM, NULL);
  for (int i = 0; i < NODES; i++)
    for (int j = 0; j < NODES; j++)
      matrix[i * NODES + j] = geodisk_distance(ball, truth + i * DIM, truth + j * DIM);
}

/* A matrix of distances that points of the ball have: every method goes towards such points from a random
 * start. The stress is badly conditioned, so the shares differ; each bound is about five times what was measured. */
static void methods_embed_a_distance_matrix(void **state) {
  (void)state;
  const geodisk_ball ball = {DIM, 2.0, 0.6};
  double matrix[NODES * NODES], start[NODES * DIM], before;
  true_distances(&ball, 2.5, matrix);
  geodisk_random random = geodisk_random_stream(6, 0);
  for (int i = 0; i < NODES * DIM; i++)
    start[i] = geodisk_random_uniform(&random) - 0.5;
  geodisk_objective *o = NULL;
  assert_int_equal(geodisk_objective_stress(NULL, NODES, matrix, NULL, NULL, &o), GEODISK_OK);
  assert_int_equal(geodisk_objective_evaluate(NULL, &ball, o, start, NULL, &before, NULL), GEODISK_OK);
  static const struct {
    geodisk_method method;
    double rate;
    size_t batch;
    uint64_t iterations;
    double share; /* of the stress at the start that may be left */
  } cases[] = {
      {GEODISK_METHOD_BACKTRACKING, 1.0, 0, 300, 1e-3}, {GEODISK_METHOD_GRADIENT, 0.02, 0, 600, 1e-2},
      {GEODISK_METHOD_MOMENTUM, 0.005, 0, 600, 1e-4},   {GEODISK_METHOD_ADAGRAD, 1.0, 0, 600, 1e-2},
      {GEODISK_METHOD_ADAM, 0.1, 0, 600, 1e-2},         {GEODISK_METHOD_STOCHASTIC, 0.004, 2, 3000, 1e-2},
      {GEODISK_METHOD_RSVRG, 0.004, 2, 3000, 1e-2},     {GEODISK_METHOD_ACCELERATED, 0.01, 0, 600, 1e-4},
      {GEODISK_METHOD_ADAM, 0.03, 2, 3000, 1e-1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double x[NODES * DIM];
    memcpy(x, start, sizeof x);
    geodisk_optim_options options = geodisk_optim_defaults(cases[i].method);
    options.schedule = geodisk_schedule_constant(cases[i].rate);
    options.batch = cases[i].batch;
    options.iterations = cases[i].iterations;
    options.evaluate_every = 1000;
    options.seed = 3;
    geodisk_optim_info info;
    assert_int_equal(geodisk_minimise(&ball, o, &options, x, NULL, &info), GEODISK_OK);
    print_message("method %d, batch %zu: stress %.4f -> %.2e, %llu iterations\n", (int)cases[i].method, cases[i].batch, before,
                  info.loss, (unsigned long long)info.iterations);
    assert_true(info.loss < cases[i].share * before);
  }
  geodisk_objective_destroy(o);
}

/* ---- the frame: callbacks, clips, threads, errors ---------------------------------------------------------------------- */

typedef struct trace {
  uint64_t calls, last, stop_at;
  double losses[64];
} trace;

static bool record(void *user, const geodisk_iteration *now) {
  trace *t = user;
  if (t->calls < 64)
    t->losses[t->calls] = now->loss;
  t->calls++;
  t->last = now->iteration;
  return now->iteration < t->stop_at;
}

static void callbacks_see_and_stop(void **state) {
  (void)state;
  barycenter b = make_barycenter(2.0);
  double p[DIM];
  trace t = {.stop_at = 5};
  geodisk_optim_options options = geodisk_optim_defaults(GEODISK_METHOD_GRADIENT);
  options.on_iteration = record;
  options.user = &t;
  const geodisk_optim_info info = solve(&b, &options, p);
  assert_true(info.stopped && !info.converged && info.iterations == 5 && t.calls == 6 && t.last == 5);
  for (int i = 0; i < 5; i++)
    assert_true(t.losses[i + 1] < t.losses[i]);
  assert_true(info.loss == t.losses[5]);
  geodisk_objective_destroy(b.objective);
}

static void clips_are_counted(void **state) {
  (void)state;
  barycenter b = make_barycenter(2.0);
  double p[DIM];
  geodisk_optim_options options = geodisk_optim_defaults(GEODISK_METHOD_GRADIENT);
  options.iterations = 3;
  assert_int_equal(solve(&b, &options, p).clips, 0);
  options.update = GEODISK_UPDATE_EUCLIDEAN; /* from radius 0.9 the Euclidean gradient leaves the ball at once */
  options.margin = 1e-3;
  const geodisk_optim_info info = solve(&b, &options, p);
  assert_true(info.clips >= 1 && info.clips <= 3);
  options.schedule = geodisk_schedule_constant(1e-4);
  assert_int_equal(solve(&b, &options, p).clips, 0);
  geodisk_objective_destroy(b.objective);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  double matrix[NODES * NODES], results[3][NODES * DIM];
  true_distances(&ball, 3.0, matrix);
  for (int m = GEODISK_METHOD_GRADIENT; m <= GEODISK_METHOD_ACCELERATED; m++) {
    for (int run = 0; run < 3; run++) {
      geodisk_context *context = NULL;
      geodisk_objective *o = NULL;
      assert_int_equal(geodisk_context_create(run == 0 ? 1 : run == 1 ? 2 : 5, &context), GEODISK_OK);
      assert_int_equal(geodisk_objective_stress(context, NODES, matrix, NULL, NULL, &o), GEODISK_OK);
      for (int i = 0; i < NODES * DIM; i++)
        results[run][i] = 0.1 * sin(i);
      geodisk_optim_options options = geodisk_optim_defaults((geodisk_method)m);
      options.context = context;
      options.schedule = geodisk_schedule_constant(0.002);
      options.iterations = 40;
      assert_int_equal(geodisk_minimise(&ball, o, &options, results[run], NULL, NULL), GEODISK_OK);
      geodisk_objective_destroy(o);
      geodisk_context_destroy(context);
    }
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    assert_memory_equal(results[0], results[2], sizeof results[0]);
    assert_true(results[0][0] != 0.1 * sin(0));
  }
}

/* A loss that turns to NaN once its points are closer than 1: the run must end there, naming the iteration. */
static double poisoned(void *user, size_t term, size_t count, const double *d, double *derivatives) {
  (void)user;
  (void)term;
  (void)count;
  derivatives[0] = 2 * d[0];
  return d[0] < 1 ? (double)NAN : d[0] * d[0];
}

static void failures_name_the_iteration(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(1);
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  const size_t pair[2] = {0, 1};
  const geodisk_objective_spec spec = {.n_points = 2, .n_pairs = 1, .pairs = pair, .loss = poisoned};
  geodisk_objective *o = NULL;
  assert_int_equal(geodisk_objective_create(context, &spec, &o), GEODISK_OK);
  for (int m = GEODISK_METHOD_GRADIENT; m <= GEODISK_METHOD_ACCELERATED; m++) {
    double x[2] = {-0.9, 0.9};
    geodisk_optim_info info = {.iterations = 77};
    geodisk_optim_options options = geodisk_optim_defaults((geodisk_method)m);
    options.context = context;
    const geodisk_status status = geodisk_minimise(&ball, o, &options, x, NULL, &info);
    if (m == GEODISK_METHOD_BACKTRACKING) { /* backs off to finite ground and stays there */
      assert_int_equal(status, GEODISK_OK);
      assert_true(isfinite(x[0]) && isfinite(x[1]) && info.loss >= 1);
      continue;
    }
    assert_int_equal(status, GEODISK_ERROR_NUMERIC);
    assert_non_null(strstr(geodisk_context_error(context), "iteration "));
    assert_non_null(strstr(geodisk_context_error(context), "term 0"));
    assert_true(x[0] == -0.9 && x[1] == 0.9 && info.iterations == 77); /* untouched */
  }
  geodisk_objective_destroy(o);
  geodisk_context_destroy(context);
}

/* Nothing that overflows may come out as NaN: huge rates, all rules. */
static void huge_steps_never_give_nan(void **state) {
  (void)state;
  barycenter b = make_barycenter(2.0);
  for (int rule = GEODISK_UPDATE_GEODESIC; rule <= GEODISK_UPDATE_EUCLIDEAN; rule++)
    for (double rate = 10; rate < 1e300; rate *= 1e30)
      for (int m = GEODISK_METHOD_GRADIENT; m <= GEODISK_METHOD_RSVRG; m++) {
        double x[(ANCHORS + 1) * DIM];
        memcpy(x, b.x, sizeof x);
        geodisk_optim_options options = geodisk_optim_defaults((geodisk_method)m);
        options.update = (geodisk_update)rule;
        options.schedule = geodisk_schedule_constant(rate);
        options.iterations = 20;
        options.evaluate_every = 1;
        const geodisk_status status = geodisk_minimise(&b.ball, b.objective, &options, x, NULL, NULL);
        assert_true(status == GEODISK_OK || status == GEODISK_ERROR_NUMERIC);
        for (int i = 0; i < DIM; i++)
          assert_true(isfinite(x[i]));
        assert_true(geodisk_gap(&b.ball, x) > 0);
      }
  geodisk_objective_destroy(b.objective);
}

static void bad_options_are_refused(void **state) {
  (void)state;
  barycenter b = make_barycenter(2.0);
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  static const struct {
    size_t offset;
    double value;
    const char *name;
  } bad[] = {
      {offsetof(geodisk_optim_options, margin), 0.0, "margin"},
      {offsetof(geodisk_optim_options, tolerance), -1.0, "tolerance"},
      {offsetof(geodisk_optim_options, momentum), 1.0, "momentum"},
      {offsetof(geodisk_optim_options, beta2), (double)NAN, "beta2"},
      {offsetof(geodisk_optim_options, stabiliser), 0.0, "stabiliser"},
      {offsetof(geodisk_optim_options, decrease), 1.0, "decrease"},
      {offsetof(geodisk_optim_options, shrink), 0.0, "shrink"},
      {offsetof(geodisk_optim_options, convexity), 0.0, "convexity"},
      {offsetof(geodisk_optim_options, distortion), 0.5, "distortion"},
  };
  double x[(ANCHORS + 1) * DIM];
  memcpy(x, b.x, sizeof x);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    geodisk_optim_options options = geodisk_optim_defaults(GEODISK_METHOD_GRADIENT);
    options.context = context;
    memcpy((char *)&options + bad[i].offset, &bad[i].value, sizeof(double));
    assert_int_equal(geodisk_minimise(&b.ball, b.objective, &options, x, NULL, NULL), GEODISK_ERROR_ARGUMENT);
    assert_non_null(strstr(geodisk_context_error(context), bad[i].name));
  }
  geodisk_optim_options options = geodisk_optim_defaults(GEODISK_METHOD_ACCELERATED);
  options.batch = 1;
  assert_int_equal(geodisk_minimise(&b.ball, b.objective, &options, x, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  options = geodisk_optim_defaults(GEODISK_METHOD_ACCELERATED);
  options.update = GEODISK_UPDATE_NATURAL;
  assert_int_equal(geodisk_minimise(&b.ball, b.objective, &options, x, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  options = geodisk_optim_defaults(GEODISK_METHOD_STOCHASTIC);
  options.batch = 0;
  assert_int_equal(geodisk_minimise(&b.ball, b.objective, &options, x, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  options = geodisk_optim_defaults(GEODISK_METHOD_GRADIENT);
  options.schedule.rate = -1;
  assert_int_equal(geodisk_minimise(&b.ball, b.objective, &options, x, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  x[3 * DIM] = 1.0;
  options = geodisk_optim_defaults(GEODISK_METHOD_GRADIENT);
  options.context = context;
  assert_int_equal(geodisk_minimise(&b.ball, b.objective, &options, x, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "point 3"));
  geodisk_context_destroy(context);
  geodisk_objective_destroy(b.objective);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_finds_the_barycenter),
      cmocka_unit_test(acceleration_beats_plain_descent),
      cmocka_unit_test(variance_reduction_reduces_variance),
      cmocka_unit_test(methods_embed_a_distance_matrix),
      cmocka_unit_test(callbacks_see_and_stop),
      cmocka_unit_test(clips_are_counted),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(failures_name_the_iteration),
      cmocka_unit_test(huge_steps_never_give_nan),
      cmocka_unit_test(bad_options_are_refused),
  };
#ifdef __SANITIZE_THREAD__ /* the others run on one thread, and slowly there */
  cmocka_set_test_filter("threads_*");
#endif
  return cmocka_run_group_tests(tests, NULL, NULL);
}

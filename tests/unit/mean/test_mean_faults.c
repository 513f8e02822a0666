/* test_mean_faults.c - optimisers and means when memory runs out: whichever allocation fails, the call says so, leaks nothing and
 * leaves its outputs as they were. */
#include "faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/mean.h"

enum { N = 3000, DIM = 3, LARGE_DIM = 40 };
static geodisk_ball ball, large_ball;
static double x[N * DIM], gaps[N], weights[N], large[50 * LARGE_DIM], out[LARGE_DIM], gap;
static geodisk_mean_info info;
static geodisk_context *context;

static geodisk_mean_options options_for(geodisk_mean_method method) {
  geodisk_mean_options options = geodisk_mean_defaults();
  options.context = context;
  options.method = method;
  options.iterations = method == GEODISK_MEAN_STOCHASTIC ? 5 : 0;
  return options;
}

static geodisk_status newton(void) {
  const geodisk_mean_options options = options_for(GEODISK_MEAN_NEWTON);
  return geodisk_mean(&ball, N, x, weights, &options, out, &info);
}
static geodisk_status stochastic(void) {
  const geodisk_mean_options options = options_for(GEODISK_MEAN_STOCHASTIC);
  return geodisk_mean(&ball, N, x, weights, &options, out, &info);
}
static geodisk_status with_gaps(void) {
  const geodisk_mean_options options = options_for(GEODISK_MEAN_NEWTON);
  return geodisk_mean_gap(&ball, &(geodisk_mean_points){.n = 50, .points = x, .gaps = gaps, .weights = weights}, &options, out,
                          &gap, &info);
}
static geodisk_status large_dim(void) {
  const geodisk_mean_options options = options_for(GEODISK_MEAN_NEWTON);
  return geodisk_mean(&large_ball, 50, large, NULL, &options, out, &info);
}
static geodisk_status median(void) {
  const geodisk_mean_options options = options_for(GEODISK_MEAN_NEWTON);
  return geodisk_median(&ball, 50, x, weights, &options, out, &info);
}
static geodisk_status centroid(void) { return geodisk_lorentz_centroid(context, &ball, 50, x, weights, out); }
static geodisk_status many(void) {
  const size_t begin[4] = {0, 10, 20, 50};
  const geodisk_mean_options options = options_for(GEODISK_MEAN_NEWTON);
  double three[3 * DIM];
  const geodisk_status status = geodisk_mean_many(&ball, &(geodisk_mean_problems){3, begin, x, NULL}, &options, three, NULL);
  if (status == GEODISK_OK)
    memcpy(out, three, DIM * sizeof *out);
  return status;
}
static geodisk_status stream(void) {
  const geodisk_mean_options options = options_for(GEODISK_MEAN_NEWTON);
  geodisk_mean_stream *s = NULL;
  geodisk_status status = geodisk_mean_stream_create(&ball, &options, &s);
  for (bool done = false; status == GEODISK_OK && !done;) {
    status = geodisk_mean_stream_push(s, N, x, weights);
    if (status == GEODISK_OK)
      status = geodisk_mean_stream_end_pass(s, &done);
  }
  if (status == GEODISK_OK)
    status = geodisk_mean_stream_result(s, out, &info);
  geodisk_mean_stream_destroy(s);
  return status;
}
static geodisk_status minimise_with(geodisk_method method) {
  double points[12 * DIM], matrix[144];
  const size_t edges[6] = {0, 1, 1, 2, 5, 3}, triplets[6] = {0, 1, 2, 3, 4, 5};
  geodisk_objective *o[4] = {NULL, NULL, NULL, NULL};
  memcpy(points, x, sizeof points);
  for (int i = 0; i < 144; i++)
    matrix[i] = 1 + i % 3;
  geodisk_status status = geodisk_objective_stress(context, 12, matrix, NULL, NULL, &o[0]);
  if (status == GEODISK_OK)
    status = geodisk_objective_poincare(context, &(geodisk_objective_rows){12, 3, edges, NULL}, GEODISK_LOSS_NICKEL_KIELA, &o[1]);
  if (status == GEODISK_OK)
    status = geodisk_objective_squared(context, &(geodisk_objective_rows){12, 3, edges, NULL}, weights, &o[2]);
  if (status == GEODISK_OK)
    status = geodisk_objective_ranking(context, &(geodisk_objective_rows){12, 2, triplets, NULL}, 0.5, &o[3]);
  geodisk_gradient_check check;
  if (status == GEODISK_OK)
    status = geodisk_objective_check(context, &ball, o[2], points, NULL, &check);
  double loss, gradient[12 * DIM];
  if (status == GEODISK_OK)
    status = geodisk_objective_evaluate(context, &ball, o[1], points, NULL, &loss, gradient);
  geodisk_optim_options options = geodisk_optim_defaults(method);
  options.context = context;
  options.schedule = geodisk_schedule_constant(1e-3);
  options.iterations = 3;
  if (status == GEODISK_OK)
    status = geodisk_minimise(&ball, o[0], &options, points, NULL, NULL);
  if (status == GEODISK_OK)
    memcpy(out, points, DIM * sizeof *out);
  else
    assert_memory_equal(points, x, sizeof points);
  for (int i = 0; i < 4; i++)
    geodisk_objective_destroy(o[i]);
  return status;
}
static geodisk_status adam(void) { return minimise_with(GEODISK_METHOD_ADAM); }
static geodisk_status rsvrg(void) { return minimise_with(GEODISK_METHOD_RSVRG); }
static geodisk_status backtracking(void) { return minimise_with(GEODISK_METHOD_BACKTRACKING); }
static geodisk_status accelerated(void) { return minimise_with(GEODISK_METHOD_ACCELERATED); }

typedef geodisk_status action_fn(void);
static action_fn *const actions[] = {newton, stochastic, with_gaps, large_dim, median,       centroid,
                                     many,   stream,     adam,      rsvrg,     backtracking, accelerated};

static void every_allocation_fails_once(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(1, 0);
  ball = geodisk_unit_ball(DIM);
  large_ball = geodisk_unit_ball(LARGE_DIM);
  for (int i = 0; i < N; i++) {
    geodisk_random_in_ball(&ball, &random, 2.0, x + i * DIM, &gaps[i]);
    weights[i] = 1 + i % 3;
  }
  for (int i = 0; i < 50; i++)
    geodisk_random_in_ball(&large_ball, &random, 2.0, large + i * LARGE_DIM, NULL);
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  for (size_t a = 0; a < sizeof actions / sizeof actions[0]; a++) {
    int failures = 0;
    for (long nth = 1;; nth++) {
      double before[LARGE_DIM];
      for (int j = 0; j < LARGE_DIM; j++)
        out[j] = before[j] = 7;
      fault_countdown[FAULT_MEMORY] = nth;
      const geodisk_status status = actions[a]();
      const bool failed = fault_countdown[FAULT_MEMORY] == 0;
      fault_countdown[FAULT_MEMORY] = 0;
      if (!failed) {
        assert_int_equal(status, GEODISK_OK);
        break;
      }
      failures++;
      assert_int_equal(status, GEODISK_ERROR_MEMORY);
      assert_memory_equal(out, before, sizeof out);
    }
    print_message("action %zu: %d allocations\n", a, failures);
    assert_true(failures > 0);
  }
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

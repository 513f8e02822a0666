/* test_optim_objective.c - ready-made losses against their formulas written out, gradients against extrapolated differences (and
 * a wrong gradient that must be caught), arguments that are refused, and errors that name term and points. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/optim.h"

enum { N = 7, MOST_DIM = 5 };

static void random_points(const geodisk_ball *ball, uint64_t seed, double radius, double *x, double *gap) {
  geodisk_random random = geodisk_random_stream(seed, 0);
  for (int i = 0; i < N; i++)
    geodisk_random_in_ball(ball, &random, radius, x + i * ball->dim, gap + i);
}

static const size_t edges[][2] = {{0, 1}, {0, 2}, {1, 3}, {4, 0}, {5, 6}, {0, 1}, {6, 2}};
enum { N_EDGES = sizeof edges / sizeof edges[0] };
static const size_t triplets[][3] = {{0, 1, 2}, {3, 2, 5}, {6, 4, 1}, {5, 0, 3}};
enum { N_TRIPLETS = sizeof triplets / sizeof triplets[0] };

static void make_matrix(double *matrix, double *weights) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      matrix[i * N + j] = abs(i - j) * 0.7;
      weights[i * N + j] = (i + j) % 3;
    }
}

static geodisk_objective *make(int which, const bool *fixed) {
  static double matrix[N * N], weights[N * N];
  static const double edge_weights[N_EDGES] = {1, 0.5, 2, 0, 1, 3, 0.25};
  make_matrix(matrix, weights);
  geodisk_objective *o = NULL;
  geodisk_status status = GEODISK_ERROR_ARGUMENT;
  switch (which) {
  case 0:
    status = geodisk_objective_squared(NULL, &(geodisk_objective_rows){N, N_EDGES, edges[0], fixed}, edge_weights, &o);
    break;
  case 1:
    status = geodisk_objective_stress(NULL, N, matrix, NULL, fixed, &o);
    break;
  case 2:
    status = geodisk_objective_stress(NULL, N, matrix, weights, fixed, &o);
    break;
  case 3:
    status =
        geodisk_objective_poincare(NULL, &(geodisk_objective_rows){N, N_EDGES, edges[0], fixed}, GEODISK_LOSS_NICKEL_KIELA, &o);
    break;
  case 4:
    status =
        geodisk_objective_poincare(NULL, &(geodisk_objective_rows){N, N_EDGES, edges[0], fixed}, GEODISK_LOSS_COMPLEMENT, &o);
    break;
  case 5:
    status = geodisk_objective_ranking(NULL, &(geodisk_objective_rows){N, N_TRIPLETS, triplets[0], fixed}, 20.0,
                                       &o); /* far from every kink */
    break;
  default:
    break;
  }
  assert_int_equal(status, GEODISK_OK);
  return o;
}
enum { N_LOSSES = 6 };

/* ---- values ---------------------------------------------------------------------------------------------------------- */

static bool is_neighbour(size_t u, size_t m) {
  for (int e = 0; e < N_EDGES; e++)
    if (edges[e][0] == u && edges[e][1] == m)
      return true;
  return false;
}

static double written_out(int which, const geodisk_ball *ball, const double *x) {
  static const double edge_weights[N_EDGES] = {1, 0.5, 2, 0, 1, 3, 0.25};
  double matrix[N * N], weights[N * N], d[N][N], loss = 0;
  make_matrix(matrix, weights);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      d[i][j] = geodisk_distance(ball, x + i * ball->dim, x + j * ball->dim);
  if (which == 0)
    for (int e = 0; e < N_EDGES; e++)
      loss += edge_weights[e] * d[edges[e][0]][edges[e][1]] * d[edges[e][0]][edges[e][1]];
  if (which == 1 || which == 2)
    for (int i = 0; i < N; i++)
      for (int j = i + 1; j < N; j++)
        loss += (which == 1 ? 1.0 : weights[i * N + j]) * pow(d[i][j] - matrix[i * N + j], 2);
  if (which == 3 || which == 4)
    for (int e = 0; e < N_EDGES; e++) {
      const size_t u = edges[e][0], v = edges[e][1];
      double sum = which == 3 ? exp(-d[u][v]) : 1.0;
      for (size_t m = 0; m < N; m++)
        if (m != u && !is_neighbour(u, m))
          sum += exp(-d[u][m]);
      loss += d[u][v] + log(sum);
    }
  if (which == 5)
    for (int t = 0; t < N_TRIPLETS; t++)
      loss += fmax(0, 20.0 + d[triplets[t][0]][triplets[t][1]] - d[triplets[t][0]][triplets[t][2]]);
  return loss;
}

static void losses_are_their_formulas(void **state) {
  (void)state;
  for (int dim = 1; dim <= MOST_DIM; dim += 2)
    for (int which = 0; which < N_LOSSES; which++) {
      const geodisk_ball ball = {dim, 1.5, 0.7};
      double x[N * MOST_DIM], gap[N], loss;
      random_points(&ball, (uint64_t)dim, 3.0, x, gap);
      geodisk_objective *o = make(which, NULL);
      assert_int_equal(geodisk_objective_evaluate(NULL, &ball, o, x, NULL, &loss, NULL), GEODISK_OK);
      const double expected = written_out(which, &ball, x);
      if (!(fabs(loss - expected) <= 1e-14 * fabs(expected)))
        fail_msg("loss %d in dim %d: %.17g, written out %.17g", which, dim, loss, expected);
      geodisk_objective_destroy(o);
    }
}

/* ---- gradients ------------------------------------------------------------------------------------------------------- */

static const double CHECK_BOUND = 1e-12; /* worst measured over these cases: 8e-13 */

static void gradients_agree_with_differences(void **state) {
  (void)state;
  static const bool some_fixed[N] = {false, true, false, false, true, false, false};
  double worst = 0;
  for (int dim = 1; dim <= MOST_DIM; dim += 2)
    for (int which = 0; which < N_LOSSES; which++)
      for (int kind = 0; kind < 3; kind++) {
        const geodisk_ball ball = {dim, kind == 1 ? 2.5 : 1.0, kind == 1 ? 0.3 : 1.0};
        const double radius = kind == 2 ? 12.0 : 3.0;
        double x[N * MOST_DIM], gap[N];
        random_points(&ball, (uint64_t)(dim + 10 * kind), radius, x, gap);
        geodisk_objective *o = make(which, kind == 0 ? some_fixed : NULL);
        geodisk_gradient_check check;
        assert_int_equal(geodisk_objective_check(NULL, &ball, o, x, gap, &check), GEODISK_OK);
        worst = fmax(worst, check.error);
        if (!(check.error <= CHECK_BOUND))
          fail_msg("loss %d, dim %d, kind %d: point %zu, coordinate %zu: derivative %.17g, difference %.17g +- %.1e", which, dim,
                   kind, check.point, check.coordinate, check.derivative, check.difference, check.uncertainty);
        geodisk_objective_destroy(o);
      }
  print_message("worst gradient error %.2e\n", worst);
}

/* Deep in (x, gap) form: gradients are unit pulls along rays. */
static void gradients_at_depth(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2);
  double x[4] = {0, 0, 0.6, 0.8}, gap[2] = {1.0, geodisk_gap_from_radius(&ball, 250.0)}, gradient[4], loss;
  x[2] *= 1 - 1e-16;
  const size_t pair[2] = {0, 1};
  geodisk_objective *o = NULL;
  assert_int_equal(geodisk_objective_squared(NULL, &(geodisk_objective_rows){2, 1, pair, NULL}, NULL, &o), GEODISK_OK);
  assert_int_equal(geodisk_objective_evaluate(NULL, &ball, o, x, gap, &loss, gradient), GEODISK_OK);
  assert_true(fabs(loss - 62500) < 1e-9);
  assert_true(fabs(gradient[0] + 250 * 0.6) < 1e-12 && fabs(gradient[1] + 250 * 0.8) < 1e-12); /* -2 d n / lam, lam = 2 */
  assert_true(fabs(gradient[2] * 2 / gap[1] - 500 * 0.6) < 1e-11);
  geodisk_objective_destroy(o);
}

/* A custom loss, right and wrong: 1 - exp(-d) over two pairs, coupled. */
static double custom(void *user, size_t term, size_t count, const double *d, double *derivatives) {
  const double wrong = *(const double *)user;
  (void)term;
  assert_true(count == 2);
  derivatives[0] = cosh(d[0]) * d[1] + wrong;
  derivatives[1] = sinh(d[0]);
  return sinh(d[0]) * d[1];
}

static void wrong_gradients_are_caught(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(3);
  double x[N * 3], gap[N], wrong = 0;
  random_points(&ball, 3, 1.0, x, gap);
  const size_t pairs[4] = {0, 1, 1, 2};
  const geodisk_objective_spec spec = {.n_points = 3, .n_pairs = 2, .pairs = pairs, .loss = custom, .user = &wrong};
  geodisk_objective *o = NULL;
  assert_int_equal(geodisk_objective_create(NULL, &spec, &o), GEODISK_OK);
  geodisk_gradient_check check;
  assert_int_equal(geodisk_objective_check(NULL, &ball, o, x, NULL, &check), GEODISK_OK);
  assert_true(check.error < 1e-13);
  wrong = 1e-10; /* plain differences, good to 1e-8 or so, would not see this */
  assert_int_equal(geodisk_objective_check(NULL, &ball, o, x, NULL, &check), GEODISK_OK);
  assert_true(check.error > 1e-12);
  geodisk_objective_destroy(o);
}

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

static double not_finite(void *user, size_t term, size_t count, const double *d, double *derivatives) {
  const int kind = *(const int *)user;
  for (size_t i = 0; i < count; i++)
    derivatives[i] = kind == 1 && term == 1 ? (double)NAN : d[i];
  return kind == 0 && term == 2 ? (double)INFINITY : 1.0;
}

static void errors_name_what_is_wrong(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2);
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  double x[N * 2], gap[N], loss = 7, gradient[N * 2];
  random_points(&ball, 3, 1.0, x, gap);
  const size_t pairs[6] = {0, 1, 1, 2, 2, 3}, begin[4] = {0, 1, 2, 3};
  int kind = 0;
  geodisk_objective *o = NULL;
  const geodisk_objective_spec spec = {4, 3, pairs, 3, begin, NULL, not_finite, &kind};
  assert_int_equal(geodisk_objective_create(context, &spec, &o), GEODISK_OK);
  assert_int_equal(geodisk_objective_evaluate(context, &ball, o, x, NULL, &loss, gradient), GEODISK_ERROR_NUMERIC);
  assert_non_null(strstr(geodisk_context_error(context), "term 2"));
  assert_true(loss == 7);
  kind = 1;
  assert_int_equal(geodisk_objective_evaluate(context, &ball, o, x, NULL, &loss, gradient), GEODISK_ERROR_NUMERIC);
  assert_non_null(strstr(geodisk_context_error(context), "term 1"));
  assert_non_null(strstr(geodisk_context_error(context), "points 1 and 2"));
  x[2 * 3] = 1.5;
  assert_int_equal(geodisk_objective_evaluate(context, &ball, o, x, NULL, &loss, gradient), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "point 3"));
  const geodisk_ball bad = {2, -1, 1};
  assert_int_equal(geodisk_objective_evaluate(context, &bad, o, x, NULL, &loss, gradient), GEODISK_ERROR_ARGUMENT);
  geodisk_objective_destroy(o);
  geodisk_context_destroy(context);
}

static void malformed_objectives_are_refused(void **state) {
  (void)state;
  geodisk_objective *o = NULL;
  double weights[2] = {1, -1}, matrix[4] = {0, (double)NAN, 0, 0};
  const size_t good[4] = {0, 1, 1, 2}, loop[4] = {0, 1, 2, 2}, out_of_range[4] = {0, 1, 1, 3}, begin[2] = {0, 1},
               back[4] = {0, 2, 1, 2};
  const geodisk_objective_spec bad[] = {
      {3, 2, good, 0, NULL, NULL, NULL, NULL},    {0, 0, NULL, 0, NULL, NULL, custom, NULL},
      {3, 2, loop, 0, NULL, NULL, custom, NULL},  {3, 2, out_of_range, 0, NULL, NULL, custom, NULL},
      {3, 2, good, 1, begin, NULL, custom, NULL}, {3, 2, good, 3, back, NULL, custom, NULL},
      {3, 2, NULL, 0, NULL, NULL, custom, NULL},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(geodisk_objective_create(NULL, &bad[i], &o), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_objective_squared(NULL, &(geodisk_objective_rows){3, 2, good, NULL}, weights, &o),
                   GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_objective_squared(NULL, &(geodisk_objective_rows){3, 2, loop, NULL}, NULL, &o),
                   GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_objective_stress(NULL, 2, matrix, NULL, NULL, &o), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_objective_poincare(NULL, &(geodisk_objective_rows){3, 2, loop, NULL}, GEODISK_LOSS_COMPLEMENT, &o),
                   GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_objective_ranking(NULL, &(geodisk_objective_rows){3, 1, good, NULL}, -1.0, &o),
                   GEODISK_ERROR_ARGUMENT);
  assert_null(o);
  geodisk_objective_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(losses_are_their_formulas), cmocka_unit_test(gradients_agree_with_differences),
      cmocka_unit_test(gradients_at_depth),        cmocka_unit_test(wrong_gradients_are_caught),
      cmocka_unit_test(errors_name_what_is_wrong), cmocka_unit_test(malformed_objectives_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

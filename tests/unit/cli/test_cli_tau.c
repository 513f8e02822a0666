/* test_cli_tau.c - Kendall's tau of both readings, which `geodisk reproduce` takes from one sorting, against geodisk_eval_fit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reproduce/paper_tau.h"

enum { DIM = 3, DEPTH = 5, NODES = 63 };

static void equals_fit(geodisk_graph *graph, const geodisk_eval_points *points) {
  const geodisk_fit_options as_given = {.as_given = true};
  geodisk_relation *relation = NULL;
  geodisk_fit reduced, given;
  paper_distances distances;
  double tau, tau_given;
  assert_int_equal(geodisk_relation_create_plain(NULL, graph, NODES, &relation), GEODISK_OK);
  assert_int_equal(geodisk_eval_fit(NULL, points, relation, NULL, &reduced), GEODISK_OK);
  assert_int_equal(geodisk_eval_fit(NULL, points, relation, &as_given, &given), GEODISK_OK);
  assert_int_equal(paper_distances_open(NULL, graph, &distances), GEODISK_OK);
  assert_int_equal(paper_taus(&distances, points, &tau, &tau_given), GEODISK_OK);
  if (fabs(tau - reduced.kendall_tau.value) > 1e-12 || fabs(tau_given - given.kendall_tau.value) > 1e-12)
    fail_msg("tau %.17g is %.17g by the library, as given %.17g is %.17g", tau, reduced.kendall_tau.value, tau_given,
             given.kendall_tau.value);
  assert_true(fabs(tau - tau_given) > 1e-3); /* two readings, two numbers */
  paper_distances_close(&distances);
  geodisk_relation_destroy(relation);
}

/* A closed tree; points at all depths, some of them in one place, so that distances are tied. */
static void both_readings(void **state) {
  (void)state;
  const geodisk_generate_options generate = {
      .kind = GEODISK_GENERATOR_TREE, .shape = GEODISK_SHAPE_CLOSED, .branching = 2, .depth = DEPTH};
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  geodisk_graph *graph = NULL;
  double x[NODES][DIM], gap[NODES];
  assert_int_equal(geodisk_graph_generate(NULL, &generate, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_nodes(graph), NODES);
  for (uint64_t seed = 0; seed < 5; seed++) {
    geodisk_random random = geodisk_random_stream(seed, 0);
    for (int i = 0; i < NODES; i++) {
      geodisk_random_in_ball(&ball, &random, 8, x[i], NULL);
      for (int d = 0; i % 7 == 6 && d < DIM; d++)
        x[i][d] = x[i - 1][d];
      gap[i] = geodisk_gap(&ball, x[i]);
    }
    const geodisk_eval_points points = {.nodes = NODES, .ball = ball, .vectors = x, .gap = gap};
    const geodisk_eval_points plain = {.nodes = NODES, .ball = ball, .vectors = x};
    equals_fit(graph, &points);
    equals_fit(graph, &plain);
  }
  geodisk_graph_destroy(graph);
}

/* Points that are no numbers, graphs with nodes that no path connects. */
static void refusals(void **state) {
  (void)state;
  const geodisk_generate_options generate = {
      .kind = GEODISK_GENERATOR_TREE, .shape = GEODISK_SHAPE_CLOSED, .branching = 2, .depth = DEPTH};
  const uint32_t edge[2] = {0, 1};
  geodisk_graph *graph = NULL, *apart = NULL;
  paper_distances distances;
  double x[NODES][DIM] = {{(double)NAN}}, tau, given;
  const geodisk_eval_points points = {.nodes = NODES, .ball = geodisk_unit_ball(DIM), .vectors = x};
  assert_int_equal(geodisk_graph_generate(NULL, &generate, &graph), GEODISK_OK);
  assert_int_equal(paper_distances_open(NULL, graph, &distances), GEODISK_OK);
  assert_int_equal(paper_taus(&distances, &points, &tau, &given), GEODISK_ERROR_NUMERIC);
  paper_distances_close(&distances);
  const geodisk_graph_arrays arrays = {.nodes = 3, .edges = 1, .children = &edge[0], .parents = &edge[1]};
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &apart), GEODISK_OK);
  assert_int_equal(paper_distances_open(NULL, apart, &distances), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(apart);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_readings), cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

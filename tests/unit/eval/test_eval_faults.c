/* test_eval_faults.c - memory that runs out anywhere in the evaluation: the call says so, leaves its output alone and leaks
 * nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "faults.h"
#include "geodisk/eval.h"

enum { NODES = 90, EDGES = 89, DIM = 2 };

typedef struct setting {
  geodisk_context *context;
  geodisk_graph *graph;
  geodisk_model *model;
  geodisk_relation *relation;
  geodisk_eval_points points;
  double x[NODES * DIM], gap[NODES];
  char path[64];
} setting;

static setting s;

static void make_setting(void) {
  uint32_t child[EDGES], parent[EDGES];
  geodisk_random random = geodisk_random_stream(3, 3);
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  for (size_t i = 0; i < NODES; i++) {
    geodisk_random_in_ball(&ball, &random, 4.0, s.x + i * DIM, &s.gap[i]);
    if (i > 0) {
      child[i - 1] = (uint32_t)i;
      parent[i - 1] = (uint32_t)geodisk_random_below(&random, i);
    }
  }
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = EDGES, .children = child, .parents = parent};
  const geodisk_model_spec spec = {.nodes = NODES, .ball = ball, .vectors = s.x, .gap = s.gap};
  assert_int_equal(geodisk_context_create(1, &s.context), GEODISK_OK);
  assert_int_equal(geodisk_graph_create(s.context, &arrays, NULL, &s.graph), GEODISK_OK);
  assert_int_equal(geodisk_model_create(s.context, &spec, &s.model), GEODISK_OK);
  assert_int_equal(geodisk_relation_create(s.context, s.graph, s.model, false, NULL, &s.relation), GEODISK_OK);
  assert_int_equal(geodisk_eval_points_of_model(s.context, s.model, GEODISK_SPACE_HYPERBOLIC, &s.points), GEODISK_OK);
  snprintf(s.path, sizeof s.path, "/tmp/geodisk-faults-XXXXXX");
  const int file = mkstemp(s.path);
  assert_true(file >= 0);
  assert_int_equal(write(file, "1 2 3\n4 5 6\n7 8 1\n", 18), 18);
  close(file);
}

static geodisk_status run_relation(void) {
  geodisk_relation *relation = NULL;
  geodisk_status st = geodisk_relation_create(s.context, s.graph, s.model, false, NULL, &relation);
  if (st != GEODISK_OK)
    assert_null(relation);
  geodisk_relation_destroy(relation);
  relation = NULL;
  if (st == GEODISK_OK) /* one point more: rows of its own */
    st = geodisk_relation_create_plain(s.context, s.graph, NODES + 1, &relation);
  geodisk_relation_destroy(relation);
  return st;
}

static geodisk_status run_ranking(void) {
  geodisk_ranking r = {.nodes = 7};
  const geodisk_ranking_options options = {.loss = true, .sample = 20};
  const geodisk_status st = geodisk_eval_ranking(s.context, &s.points, s.relation, s.relation, &options, &r);
  assert_true(st == GEODISK_OK || r.nodes == 7);
  return st;
}

static geodisk_status run_fit(void) {
  geodisk_fit fit = {.nodes = 7};
  const geodisk_fit_options options = {.sample = 40, .pairs = 800};
  const geodisk_status st = geodisk_eval_fit(s.context, &s.points, s.relation, &options, &fit);
  assert_true(st == GEODISK_OK || fit.nodes == 7);
  return st;
}

static geodisk_status run_entailment(void) {
  geodisk_entailment e = {.pairs = 7};
  const geodisk_status st = geodisk_eval_entailment(s.context, s.model, &s.points, s.path, NULL, &e);
  assert_true(st == GEODISK_OK || e.pairs == 7);
  return st;
}

/* Lets the 1st, 2nd, ... request for memory fail until the call succeeds. */
static void fail_each(const char *what, geodisk_status (*run)(void)) {
  long tried = 0;
  for (;; tried++) {
    fault_countdown[FAULT_MEMORY] = tried + 1;
    const geodisk_status st = run();
    const bool happened = fault_countdown[FAULT_MEMORY] == 0;
    fault_countdown[FAULT_MEMORY] = 0;
    if (st == GEODISK_OK) {
      assert_false(happened);
      break;
    }
    if (st != GEODISK_ERROR_MEMORY)
      fail_msg("%s, request %ld fails: status %d, %s", what, tried + 1, (int)st, geodisk_context_error(s.context));
    assert_true(strlen(geodisk_context_error(s.context)) > 10);
  }
  if (tried < 3)
    fail_msg("%s asks for memory %ld times only", what, tried);
}

static void memory_runs_out(void **state) {
  (void)state;
  make_setting();
  fail_each("relation", run_relation);
  fail_each("ranking", run_ranking);
  fail_each("fit", run_fit);
  fail_each("entailment", run_entailment);
  unlink(s.path);
  geodisk_relation_destroy(s.relation);
  geodisk_model_destroy(s.model);
  geodisk_graph_destroy(s.graph);
  geodisk_context_destroy(s.context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

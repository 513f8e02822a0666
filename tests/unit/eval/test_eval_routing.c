/* test_eval_routing.c - greedy routing against a walk that is made step by step; threads, samples, nodes without points, errors.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/eval.h"

enum { NODES = 60, EDGES = 100, DIM = 3 };

typedef struct network {
  geodisk_graph *graph;
  geodisk_relation *relation;
  geodisk_eval_points points;
  double x[NODES * DIM];
} network;

static network *make_network(uint64_t seed, bool flat) {
  network *w = test_calloc(1, sizeof *w);
  geodisk_random random = geodisk_random_stream(seed, 3);
  uint32_t child[EDGES], parent[EDGES];
  for (size_t e = 0; e < EDGES; e++) {
    child[e] = (uint32_t)geodisk_random_below(&random, NODES);
    parent[e] = (uint32_t)((child[e] + 1 + geodisk_random_below(&random, NODES - 1)) % NODES);
  }
  for (size_t i = 0; i < (size_t)NODES * DIM; i++)
    w->x[i] = geodisk_random_uniform(&random) - 0.5;
  for (size_t i = 0; i < 3; i++) /* two nodes at one place */
    w->x[3 + i] = w->x[i];
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = EDGES, .children = child, .parents = parent};
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &w->graph), GEODISK_OK);
  assert_int_equal(geodisk_relation_create_plain(NULL, w->graph, NODES, &w->relation), GEODISK_OK);
  w->points = (geodisk_eval_points){.nodes = NODES,
                                    .ball = geodisk_unit_ball(DIM),
                                    .space = flat ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC,
                                    .vectors = w->x};
  return w;
}

static void destroy_network(network *w) {
  geodisk_relation_destroy(w->relation);
  geodisk_graph_destroy(w->graph);
  test_free(w);
}

static double distance(const network *w, size_t a, size_t b) {
  if (w->points.space == GEODISK_SPACE_HYPERBOLIC)
    return geodisk_distance(&w->points.ball, w->x + a * DIM, w->x + b * DIM);
  double sum = 0.0;
  for (size_t c = 0; c < DIM; c++)
    sum += (w->x[a * DIM + c] - w->x[b * DIM + c]) * (w->x[a * DIM + c] - w->x[b * DIM + c]);
  return sqrt(sum);
}

static bool adjacent(const network *w, uint32_t a, uint32_t b) {
  return geodisk_graph_has_edge(w->graph, a, b) || geodisk_graph_has_edge(w->graph, b, a);
}

/* The edges of a parcel's way, or -1. */
static int walk(const network *w, uint32_t from, uint32_t to) {
  int steps = 0;
  while (from != to) {
    uint32_t best = from;
    for (uint32_t v = 0; v < NODES && best != to; v++)
      if (adjacent(w, from, v) && (v == to || distance(w, v, to) < distance(w, best, to)))
        best = v;
    if (best == from)
      return -1;
    from = best;
    steps++;
  }
  return steps;
}

static void agrees_with_walks(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 8; round++) {
    network *w = make_network(round, round % 2 == 1);
    uint32_t hops[NODES * NODES];
    uint64_t pairs = 0, arrived = 0;
    double stretch = 0.0;
    assert_int_equal(geodisk_graph_hops(NULL, w->graph, NULL, hops, NULL), GEODISK_OK);
    for (uint32_t s = 0; s < NODES; s++)
      for (uint32_t t = 0; t < NODES; t++)
        if (s != t && hops[s * NODES + t] != GEODISK_GRAPH_UNREACHABLE) {
          const int steps = walk(w, s, t);
          pairs++;
          arrived += steps >= 0;
          stretch += steps >= 0 ? steps / (double)hops[s * NODES + t] : 0.0;
        }
    geodisk_routing r;
    assert_int_equal(geodisk_eval_routing(NULL, &w->points, w->relation, NULL, &r), GEODISK_OK);
    assert_int_equal(r.pairs, pairs);
    assert_int_equal(r.arrived, arrived);
    assert_true(arrived > 0 && arrived < pairs);
    assert_true(fabs(r.success.value - (double)arrived / (double)pairs) < 1e-12);
    assert_true(fabs(r.stretch.value - stretch / (double)arrived) < 1e-12);
    assert_true(r.success.low == r.success.value && r.targets == NODES);
    destroy_network(w);
  }
}

static void threads_and_samples(void **state) {
  (void)state;
  network *w = make_network(9, false);
  const geodisk_routing_options options = {.sample = 25, .seed = 4};
  geodisk_routing one, many, all;
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(4, &context), GEODISK_OK);
  assert_int_equal(geodisk_eval_routing(NULL, &w->points, w->relation, &options, &one), GEODISK_OK);
  assert_int_equal(geodisk_eval_routing(context, &w->points, w->relation, &options, &many), GEODISK_OK);
  assert_int_equal(geodisk_eval_routing(context, &w->points, w->relation, NULL, &all), GEODISK_OK);
  assert_memory_equal(&one, &many, sizeof one);
  assert_int_equal(one.targets, 25);
  assert_int_equal(one.all, NODES);
  assert_true(one.success.low < all.success.value && all.success.value < one.success.high);
  geodisk_context_destroy(context);
  destroy_network(w);
}

static void what_does_not_fit(void **state) {
  (void)state;
  network *w = make_network(2, false);
  geodisk_routing r;
  memset(&r, 7, sizeof r);
  const geodisk_routing before = r;
  geodisk_eval_points fewer = w->points;
  fewer.nodes--;
  assert_int_equal(geodisk_eval_routing(NULL, &fewer, w->relation, NULL, &r), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_eval_routing(NULL, &w->points, NULL, NULL, &r), GEODISK_ERROR_ARGUMENT);
  assert_memory_equal(&r, &before, sizeof r);
  destroy_network(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_walks), cmocka_unit_test(threads_and_samples),
                                     cmocka_unit_test(what_does_not_fit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

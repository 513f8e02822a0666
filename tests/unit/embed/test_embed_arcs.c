/* The placement on arcs: what is below a node is nearer to it than to the origin, exactly where a drawing without errors exists;
 * with second parents at random, more often than by any tree. */
#include <math.h>

#include "embed_testing.h"
#include "geodisk/ball.h"

enum { MOST = 400 };

#define EDGE 0.18232155679395463 /* log 1.2: the score at the ends of arcs */

static geodisk_graph *graph_of(uint32_t nodes, size_t edges, const uint32_t (*pairs)[2]) {
  uint32_t child[2 * MOST], parent[2 * MOST];
  assert_true(edges <= 2 * MOST);
  for (size_t i = 0; i < edges; i++) {
    child[i] = pairs[i][0];
    parent[i] = pairs[i][1];
  }
  const geodisk_graph_arrays arrays = {.nodes = nodes, .edges = edges, .children = child, .parents = parent};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  return graph;
}

static geodisk_trainer *placed(const geodisk_graph *graph, int dim) {
  geodisk_train_options o = geodisk_train_defaults();
  geodisk_trainer *t = NULL;
  o.dim = dim;
  assert_int_equal(geodisk_train_recipe(NULL, "entailment", &o), GEODISK_OK);
  assert_int_equal(geodisk_trainer_create(NULL, graph, &o, &t), GEODISK_OK);
  assert_int_equal(geodisk_trainer_run(t, NULL, NULL), GEODISK_OK);
  return t;
}

/* How many pairs of a node and one above it, or not above it, are told apart by the score, p being
 * nearer to the origin than c. */
typedef struct counts {
  size_t above, found, wrong;
} counts;

static counts count_pairs(const geodisk_trainer *t, const geodisk_graph *closure) {
  const geodisk_ball ball = geodisk_unit_ball(t->options.dim);
  counts out = {0};
  double p[512], c[512], p_gap, c_gap;
  for (uint32_t v = 0; v < t->nodes; v++)
    for (uint32_t u = 0; u < t->nodes; u++) {
      if (u == v)
        continue;
      embed_get_row(t, v, p, &p_gap);
      embed_get_row(t, u, c, &c_gap);
      const bool below = geodisk_half_space_score_gap(&ball, NULL, p, p_gap, c, c_gap) < EDGE && p_gap > c_gap;
      const bool is = geodisk_graph_has_edge(closure, u, v);
      out.above += is;
      out.found += is && below;
      out.wrong += !is && below;
    }
  return out;
}

static void check_exact(const geodisk_graph *graph) {
  geodisk_graph *closure = NULL;
  assert_int_equal(geodisk_graph_closure(NULL, graph, NULL, &closure), GEODISK_OK);
  for (int dim = 2; dim <= 10; dim += 4) {
    geodisk_trainer *t = placed(graph, dim);
    const counts got = count_pairs(t, closure);
    assert_true(got.above > 0);
    if (got.found != got.above || got.wrong)
      print_message("%zu %zu %zu\n", got.found, got.above, got.wrong);
    assert_int_equal(got.found, got.above);
    assert_int_equal(got.wrong, 0);
    geodisk_trainer_destroy(t);
  }
  geodisk_graph_destroy(closure);
}

static void test_trees(void **state) {
  (void)state;
  uint32_t pairs[MOST][2];
  for (uint32_t u = 1; u < 200; u++) {
    pairs[u - 1][0] = u;
    pairs[u - 1][1] = (u - 1) / (1 + u % 3);
  }
  geodisk_graph *tree = graph_of(200, 199, (const uint32_t(*)[2])pairs);
  check_exact(tree);
  geodisk_graph_destroy(tree);
  for (uint32_t u = 3; u < 60; u++) { /* nodes 0, 1, 2 are roots */
    pairs[u - 3][0] = u;
    pairs[u - 3][1] = (u - 3) / 2;
  }
  geodisk_graph *forest = graph_of(60, 57, (const uint32_t(*)[2])pairs);
  check_exact(forest);
  geodisk_graph_destroy(forest);
}

/* 1 and 3 have children in common, deep inside both, and 2, 3 others: 1 - 2 - 3 must not stay in this order. */
static void test_overlapping_parents(void **state) {
  (void)state;
  static const uint32_t pairs[][2] = {{1, 0},   {2, 0},   {3, 0},   {4, 1},  {5, 1},  {6, 1},   {7, 2},   {8, 2},
                                      {9, 2},   {10, 2},  {11, 3},  {12, 3}, {13, 3}, {14, 5},  {15, 5},  {16, 14},
                                      {17, 14}, {14, 12}, {18, 12}, {19, 2}, {20, 2}, {21, 16}, {22, 16}, {23, 12},
                                      {24, 12}, {25, 12}, {26, 12}, {27, 5}, {28, 5}, {29, 5},  {30, 5}};
  geodisk_graph *graph = graph_of(31, sizeof pairs / sizeof pairs[0], pairs);
  check_exact(graph);
  geodisk_graph_destroy(graph);
}

/* What hangs in 1 also hangs in 2, which has little besides: 2 takes the arc of what they have in common, as a causal agent that
 * of the persons among the organisms. Then only its own small child is lost. */
static void test_heavy_second_child(void **state) {
  (void)state;
  uint32_t pairs[MOST][2] = {{1, 0}, {2, 0}, {3, 1}, {3, 2}, {4, 1}, {5, 1}, {6, 4}, {7, 4}, {8, 2}};
  size_t edges = 9;
  for (uint32_t u = 9; u < 60; u++, edges++) {
    pairs[edges][0] = u;
    pairs[edges][1] = 3;
  }
  geodisk_graph *graph = graph_of(60, edges, (const uint32_t(*)[2])pairs), *closure = NULL;
  assert_int_equal(geodisk_graph_closure(NULL, graph, NULL, &closure), GEODISK_OK);
  geodisk_trainer *t = placed(graph, 2);
  const counts got = count_pairs(t, closure);
  assert_true(got.found + 1 >= got.above);
  assert_true(got.wrong <= 1);
  geodisk_trainer_destroy(t);
  geodisk_graph_destroy(closure);
  geodisk_graph_destroy(graph);
}

/* Second parents at random, a tenth of the nodes: arcs find more than the tree does, which has all that is above along itself. */
static void test_random_second_parents(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    geodisk_random random = geodisk_random_stream(seed, 9);
    uint32_t pairs[MOST][2];
    size_t edges = 0;
    for (uint32_t u = 1; u < 300; u++)
      for (int i = 0; i < (u % 10 == 0 ? 2 : 1); i++, edges++) {
        pairs[edges][0] = u;
        pairs[edges][1] = (uint32_t)(geodisk_random_uniform(&random) * (u < 100 ? u : 100));
      }
    geodisk_graph *graph = graph_of(300, edges, (const uint32_t(*)[2])pairs), *closure = NULL;
    assert_int_equal(geodisk_graph_closure(NULL, graph, NULL, &closure), GEODISK_OK);
    geodisk_train_options o = geodisk_train_defaults();
    geodisk_trainer *tree = NULL, *arcs = placed(graph, 2);
    o.dim = 2;
    o.placement = GEODISK_PLACEMENT_TREE;
    o.depth = 1.0;
    assert_int_equal(geodisk_trainer_create(NULL, graph, &o, &tree), GEODISK_OK);
    const counts by_tree = count_pairs(tree, closure), by_arcs = count_pairs(arcs, closure);
    assert_true(by_arcs.found > by_tree.found);
    assert_true(by_arcs.found - by_tree.found > 2 * by_arcs.wrong);
    geodisk_trainer_destroy(tree);
    geodisk_trainer_destroy(arcs);
    geodisk_graph_destroy(closure);
    geodisk_graph_destroy(graph);
  }
}

/* A graph in which edges run in circles is placed too. */
static void test_circles(void **state) {
  (void)state;
  geodisk_graph *graphs[] = {make_graph(CLIQUE, 9, false), make_graph(STAR, 40, true), make_graph(CHAIN, 120, false),
                             make_hub(400, false, true)};
  for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
    for (int dim = 1; dim <= 4; dim++) {
      geodisk_trainer *t = placed(graphs[i], dim);
      double x[512], gap;
      for (uint32_t u = 0; u < t->nodes; u++) {
        embed_get_row(t, u, x, &gap);
        assert_true(gap > 0.0 && gap <= 1.0 && isfinite(x[0]));
      }
      geodisk_trainer_destroy(t);
    }
    geodisk_graph_destroy(graphs[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trees),
      cmocka_unit_test(test_overlapping_parents),
      cmocka_unit_test(test_heavy_second_child),
      cmocka_unit_test(test_random_second_parents),
      cmocka_unit_test(test_circles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

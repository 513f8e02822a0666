/* Epochs of the core: what the core is, by brute force; leaves begin beside their parents; the same bytes for any number of
 * threads, across a resume and whoever looks on. */
#include <math.h>

#include "embed_testing.h"

typedef enum growth { DAG, CLOSED_DAG, GROWN_TREE, UNDIRECTED_TREE, GROWN_STAR, GROWTHS } growth;

/* Every node but the first has a parent before it; in a DAG, which is reduced or closed, each fourth one has a second. In a star
 * the parent is the first. */
static geodisk_graph *grow_graph(growth kind, uint32_t n, uint64_t seed, bool weighted) {
  geodisk_random random = geodisk_random_stream(seed, 1);
  uint32_t *child = malloc(2 * n * sizeof *child), *parent = malloc(2 * n * sizeof *parent);
  double *weights = malloc(2 * n * sizeof *weights);
  size_t edges = 0;
  for (uint32_t u = 1; u < n; u++)
    for (uint32_t i = 0; i < (kind <= CLOSED_DAG && u % 4 == 0 ? 2 : 1); i++) {
      child[edges] = u;
      parent[edges] = kind == GROWN_STAR ? 0 : (uint32_t)(geodisk_random_uniform(&random) * (u < 40 ? u : 40));
      weights[edges++] = 0.5 + u % 3;
    }
  const geodisk_graph_arrays arrays = {n, NULL, edges, child, parent, weighted ? weights : NULL};
  geodisk_graph *graph = NULL, *other = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  if (kind == DAG)
    assert_int_equal(geodisk_graph_reduce(NULL, graph, &other), GEODISK_OK);
  if (kind == CLOSED_DAG)
    assert_int_equal(geodisk_graph_closure(NULL, graph, NULL, &other), GEODISK_OK);
  if (kind == UNDIRECTED_TREE)
    assert_int_equal(geodisk_graph_undirected(NULL, graph, &other), GEODISK_OK);
  if (other)
    geodisk_graph_destroy(graph);
  free(child);
  free(parent);
  free(weights);
  return other ? other : graph;
}

static geodisk_train_options some_options(void) {
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = 4;
  o.negatives = 8;
  o.core_epochs = 6;
  o.epochs = 3;
  o.sharpness = 2;
  o.lr = o.lr_first = 1.0;
  o.placement = GEODISK_PLACEMENT_RANDOM;
  return o;
}

/* The parent that a simple leaf hangs on, or NO_NODE. */
static uint32_t hangs_on(const geodisk_graph *graph, uint32_t u) {
  const uint32_t n = (uint32_t)geodisk_graph_nodes(graph);
  uint32_t found = NO_NODE;
  for (uint32_t p = 0; p < n; p++) {
    bool simple = geodisk_graph_has_edge(graph, u, p);
    for (uint32_t v = 0; v < n; v++)
      simple = simple && (v == p || !geodisk_graph_has_edge(graph, v, u)) &&
               (v == p || !geodisk_graph_has_edge(graph, u, v) || geodisk_graph_has_edge(graph, p, v));
    if (simple)
      found = p;
  }
  return found;
}

static double distance_between(const geodisk_trainer *t, uint32_t u, uint32_t v) {
  const geodisk_ball ball = geodisk_unit_ball(t->options.dim);
  double x[512], y[512], gap_x, gap_y;
  embed_get_row(t, u, x, &gap_x);
  embed_get_row(t, v, y, &gap_y);
  return geodisk_distance_gap(&ball, x, gap_x, y, gap_y);
}

/* Epochs of the core have its edges; leaves stand half a unit beside what they hang on, whenever one looks; all epochs after
 * them have all edges. */
static void test_leaves_wait_beside_their_parents(void **state) {
  (void)state;
  geodisk_context *context = make_context(2);
  for (growth kind = 0; kind < GROWTHS; kind++) {
    geodisk_graph *graph = grow_graph(kind, 160, kind, false);
    const geodisk_train_options o = some_options();
    const geodisk_graph_rows out = geodisk_graph_out(graph);
    geodisk_trainer *t = make_trainer(context, graph, &o);
    const uint32_t n = (uint32_t)t->nodes;
    uint32_t on[160];
    size_t edges = 0, leaves = 0;
    for (uint32_t u = 0; u < n; u++) {
      on[u] = kind == GROWN_STAR ? NO_NODE : hangs_on(graph, u); /* of a star nothing would be left: all of it is the core */
      leaves += on[u] != NO_NODE;
    }
    for (uint32_t u = 0; u < n; u++)
      for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++)
        edges += on[u] == NO_NODE && on[out.nodes[e]] == NO_NODE;
    assert_true(kind == GROWN_STAR ? leaves == 0 : leaves > 20 && leaves < 150);
    for (uint64_t epoch = 0; epoch < o.core_epochs + o.epochs; epoch++) {
      geodisk_train_epoch info;
      double x[160 * 4];
      assert_int_equal(geodisk_trainer_epoch(t, &info), GEODISK_OK);
      assert_int_equal(info.epoch, epoch);
      assert_int_equal(info.edges, epoch < o.core_epochs ? edges : t->edges);
      geodisk_trainer_points(t, x);
      for (uint32_t u = 0; u < n && epoch < o.core_epochs; u++)
        if (on[u] != NO_NODE)
          assert_true(fabs(distance_between(t, u, on[u]) - 0.5) < 1e-9);
    }
    assert_null(t->core);
    geodisk_trainer_destroy(t);
    geodisk_graph_destroy(graph);
  }
  geodisk_context_destroy(context);
}

/* In each of these ways. */
static geodisk_train_options options_number(int i) {
  geodisk_train_options o = some_options();
  o.precision = i % 2 ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
  o.units = i == 2 ? GEODISK_UNITS_EDGE : GEODISK_UNITS_SOURCE;
  o.burn_in = i == 2 ? 2 : 0;
  o.space = i == 4 ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC;
  o.placement = i == 1 ? GEODISK_PLACEMENT_TREE : GEODISK_PLACEMENT_RANDOM;
  return o;
}

/* Any number of threads, saved and gone on with at any epoch, and looked at after each: the same bytes. */
static void test_same_bytes(void **state) {
  (void)state;
  const char *path = "embed_core.safetensors";
  for (int i = 0; i < 5; i++) {
    geodisk_graph *graph = grow_graph(CLOSED_DAG, 300, 5, false);
    const geodisk_train_options o = options_number(i);
    void *expected = NULL;
    for (int threads = 1; threads <= 4; threads++) {
      geodisk_context *context = make_context(threads);
      geodisk_trainer *t = make_trainer(context, graph, &o);
      const size_t size = t->nodes * row_bytes(t);
      for (uint64_t stop = 1; threads > 1 && stop <= o.core_epochs + 1; stop++) {
        assert_int_equal(geodisk_trainer_epoch(t, NULL), GEODISK_OK);
        if (stop % 2 == 0 && threads == 2)
          continue;
        assert_int_equal(geodisk_trainer_save(t, path), GEODISK_OK);
        if (threads == 4)
          continue; /* only looks on */
        geodisk_trainer_destroy(t);
        assert_int_equal(geodisk_trainer_resume(context, graph, path, &o, &t), GEODISK_OK);
        assert_int_equal(geodisk_trainer_position(t), stop);
      }
      assert_int_equal(geodisk_trainer_run(t, NULL, NULL), GEODISK_OK);
      if (threads == 1) {
        expected = malloc(size);
        memcpy(expected, t->rows, size);
      }
      assert_memory_equal(t->rows, expected, size);
      geodisk_trainer_destroy(t);
      geodisk_context_destroy(context);
    }
    free(expected);
    remove(path);
    geodisk_graph_destroy(graph);
  }
}

/* A chain of three and a leaf on its middle: the core is the chain, whose edges weigh nothing, so all is. */
static void test_edges_of_weight_0(void **state) {
  (void)state;
  geodisk_context *context = NULL;
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  const uint32_t child[] = {1, 2, 3, 3, 4}, parent[] = {0, 1, 1, 0, 2};
  const double weights[] = {0.0, 0.0, 0.0, 0.0, 1.0};
  const geodisk_graph_arrays arrays = {5, NULL, 5, child, parent, weights};
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  const geodisk_train_options o = some_options();
  geodisk_trainer *t = make_trainer(context, graph, &o);
  geodisk_train_epoch info;
  assert_int_equal(geodisk_trainer_epoch(t, &info), GEODISK_OK);
  assert_int_equal(info.edges, 5);
  geodisk_trainer_destroy(t);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

static void test_weights_and_what_is_refused(void **state) {
  (void)state;
  geodisk_context *context = make_context(1);
  geodisk_graph *plain = grow_graph(GROWN_TREE, 120, 3, false), *weighted = grow_graph(GROWN_TREE, 120, 3, true);
  geodisk_train_options o = some_options();
  geodisk_trainer *a = make_trainer(context, plain, &o), *b = make_trainer(context, weighted, &o), *c = NULL;
  geodisk_model *start = NULL;
  assert_int_equal(geodisk_trainer_epoch(a, NULL), GEODISK_OK);
  assert_int_equal(geodisk_trainer_epoch(b, NULL), GEODISK_OK);
  size_t count;
  assert_true(geodisk_trainer_history(a, &count)->loss != geodisk_trainer_history(b, &count)->loss); /* weights count */
  assert_int_equal(geodisk_trainer_model(a, &start), GEODISK_OK);
  o.start = start;
  assert_int_equal(geodisk_trainer_create(context, plain, &o, &c), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "core epochs"));
  geodisk_model_destroy(start);
  geodisk_trainer_destroy(a);
  geodisk_trainer_destroy(b);
  geodisk_graph_destroy(plain);
  geodisk_graph_destroy(weighted);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_leaves_wait_beside_their_parents),
      cmocka_unit_test(test_same_bytes),
      cmocka_unit_test(test_edges_of_weight_0),
      cmocka_unit_test(test_weights_and_what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

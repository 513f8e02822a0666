/* test_graph_algorithms.c - closure, reduction, directions, subgraphs, components, cycles, figures: small cases with known
 * answers, and random graphs against the plain definition by matrices. */
#include "graph_testing.h"

static geodisk_context *context;

static int set_up(void **state) {
  (void)state;
  return geodisk_context_create(2, &context) == GEODISK_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return 0;
}

/* ---- random graphs and matrices --------------------------------------------------------------------------------------- */

enum { MOST = 24 };
typedef struct matrix {
  size_t n;
  bool at[MOST][MOST];
} matrix;

/* A random graph; without cycles unless `cyclic`. Node numbers say nothing about the order. */
static geodisk_graph *random_graph(uint64_t seed, bool cyclic, matrix *m) {
  geodisk_random random = geodisk_random_stream(seed, 11);
  uint32_t children[MOST * MOST], parents[MOST * MOST], shuffled[MOST];
  *m = (matrix){.n = 1 + (size_t)geodisk_random_below(&random, MOST)};
  for (uint32_t i = 0; i < m->n; i++) {
    const uint64_t j = geodisk_random_below(&random, i + 1);
    shuffled[i] = shuffled[j];
    shuffled[j] = i;
  }
  const double density = geodisk_random_uniform(&random) * geodisk_random_uniform(&random);
  size_t edges = 0;
  for (uint32_t i = 0; i < m->n; i++)
    for (uint32_t j = 0; j < (cyclic ? m->n : i); j++)
      if (i != j && geodisk_random_uniform(&random) < density) {
        children[edges] = shuffled[i];
        parents[edges++] = shuffled[j];
        m->at[shuffled[i]][shuffled[j]] = true;
      }
  const geodisk_graph_arrays arrays = {.nodes = m->n, .edges = edges, .children = children, .parents = parents};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  return graph;
}

static matrix closure_of(const matrix *m) { /* Warshall */
  matrix c = *m;
  for (size_t k = 0; k < c.n; k++)
    for (size_t i = 0; i < c.n; i++)
      for (size_t j = 0; j < c.n; j++)
        c.at[i][j] = c.at[i][j] || (c.at[i][k] && c.at[k][j]);
  return c;
}

static void assert_graph_is(const geodisk_graph *graph, const matrix *m) {
  assert_int_equal(geodisk_graph_nodes(graph), m->n);
  assert_consistent(graph);
  for (uint32_t i = 0; i < m->n; i++)
    for (uint32_t j = 0; j < m->n; j++)
      assert_int_equal(geodisk_graph_has_edge(graph, i, j), m->at[i][j]);
}

/* ---- closure and reduction -------------------------------------------------------------------------------------------- */

static void closure_is_reachability(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    matrix m, c;
    const bool cyclic = seed % 3 == 0;
    geodisk_graph *graph = random_graph(seed, cyclic, &m), *closed = NULL, *again = NULL;
    const geodisk_closure_options options = {.allow_cycles = cyclic};
    assert_int_equal(geodisk_graph_closure(context, graph, &options, &closed), GEODISK_OK);
    c = closure_of(&m);
    for (size_t i = 0; i < c.n; i++)
      c.at[i][i] = false;
    assert_graph_is(closed, &c);
    assert_int_equal(geodisk_graph_closure(context, closed, &options, &again), GEODISK_OK);
    assert_int_equal(geodisk_graph_fingerprint(again), geodisk_graph_fingerprint(closed));
    geodisk_graph_destroy(graph);
    geodisk_graph_destroy(closed);
    geodisk_graph_destroy(again);
  }
}

static void reduction_keeps_what_no_path_replaces(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    matrix m, expected;
    geodisk_graph *graph = random_graph(seed, false, &m), *reduced = NULL, *closed = NULL, *from_closed = NULL;
    const matrix c = closure_of(&m);
    expected = m;
    for (size_t i = 0; i < m.n; i++)
      for (size_t j = 0; j < m.n; j++)
        for (size_t k = 0; k < m.n; k++)
          expected.at[i][j] = expected.at[i][j] && !(c.at[i][k] && c.at[k][j]);
    assert_int_equal(geodisk_graph_reduce(context, graph, &reduced), GEODISK_OK);
    assert_graph_is(reduced, &expected);
    assert_int_equal(geodisk_graph_closure(context, graph, NULL, &closed), GEODISK_OK);
    assert_int_equal(geodisk_graph_reduce(context, closed, &from_closed), GEODISK_OK);
    assert_graph_is(from_closed, &expected);
    geodisk_graph_destroy(graph);
    geodisk_graph_destroy(reduced);
    geodisk_graph_destroy(closed);
    geodisk_graph_destroy(from_closed);
  }
}

static void reduction_keeps_weights(void **state) {
  (void)state;
  geodisk_graph *graph = graph_of("a b 1\nb c 2\na c 3\nc d 4\n"), *reduced = NULL;
  assert_int_equal(geodisk_graph_reduce(context, graph, &reduced), GEODISK_OK);
  assert_int_equal(geodisk_graph_edges(reduced), 3);
  assert_true(weight_between(reduced, "b", "c") == 2);
  assert_true(weight_between(reduced, "c", "d") == 4);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(reduced);
}

static void cycles_are_named(void **state) {
  (void)state;
  geodisk_graph *graph = graph_of("x a\na b\nb c\nc a\nb d\n"), *out = NULL;
  assert_int_equal(geodisk_graph_closure(context, graph, NULL, &out), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "closure: the graph has a cycle: a -> b -> c -> a");
  assert_int_equal(geodisk_graph_reduce(context, graph, &out), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "reduction: the graph has a cycle: a -> b -> c -> a");
  assert_null(out);
  geodisk_graph_destroy(graph);
  char text[400] = "";
  for (int i = 0; i < 20; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "n%d n%d\n", i, (i + 1) % 20);
  graph = graph_of(text);
  assert_int_equal(geodisk_graph_reduce(context, graph, &out), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context),
                      "reduction: the graph has a cycle: n0 -> n1 -> n2 -> n3 -> n4 -> n5 -> n6 -> ... (13 more) -> n0");
  geodisk_graph_destroy(graph);
}

static void closure_limit(void **state) {
  (void)state;
  geodisk_graph *graph = graph_of("a b\nb c\nc d\n"), *out = NULL;
  const geodisk_closure_options five = {.max_edges = 5}, six = {.max_edges = 6};
  assert_int_equal(geodisk_graph_closure(context, graph, &five, &out), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "closure: it has more than 5 edges, the limit");
  assert_int_equal(geodisk_graph_closure(context, graph, &six, &out), GEODISK_OK);
  assert_int_equal(geodisk_graph_edges(out), 6);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(out);
  graph = graph_of("a b\na c\nb d\nc d\n"); /* d is reached twice and counts once */
  assert_int_equal(geodisk_graph_closure(context, graph, &five, &out), GEODISK_OK);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(out);
}

/* ---- directions and subgraphs ----------------------------------------------------------------------------------------- */

static void directions(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 100; seed++) {
    matrix m, both = {0}, back = {0};
    geodisk_graph *graph = random_graph(seed, true, &m), *undirected = NULL, *reversed = NULL;
    both.n = back.n = m.n;
    for (size_t i = 0; i < m.n; i++)
      for (size_t j = 0; j < m.n; j++) {
        both.at[i][j] = m.at[i][j] || m.at[j][i];
        back.at[i][j] = m.at[j][i];
      }
    assert_int_equal(geodisk_graph_undirected(context, graph, &undirected), GEODISK_OK);
    assert_graph_is(undirected, &both);
    assert_int_equal(geodisk_graph_reverse(context, graph, &reversed), GEODISK_OK);
    assert_graph_is(reversed, &back);
    geodisk_graph_destroy(graph);
    geodisk_graph_destroy(undirected);
    geodisk_graph_destroy(reversed);
  }
  geodisk_graph *graph = graph_of("a b 1\nb a 5\nb c 2\n"), *undirected = NULL;
  assert_int_equal(geodisk_graph_undirected(context, graph, &undirected), GEODISK_OK);
  assert_int_equal(geodisk_graph_edges(undirected), 4);
  assert_true(weight_between(undirected, "a", "b") == 5);
  assert_true(weight_between(undirected, "b", "a") == 5);
  assert_true(weight_between(undirected, "c", "b") == 2);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(undirected);
}

static void below(void **state) {
  (void)state;
  geodisk_graph *graph = graph_of("dog mammal 1\ncat mammal 2\nmammal animal 3\nbird animal 4\npuppy dog 5\ndog animal 6\n"),
                *out = NULL;
  assert_int_equal(geodisk_graph_subgraph_below(context, graph, node_of(graph, "mammal"), &out), GEODISK_OK);
  assert_int_equal(geodisk_graph_nodes(out), 4);
  assert_int_equal(geodisk_graph_edges(out), 3);
  assert_consistent(out);
  assert_true(weight_between(out, "puppy", "dog") == 5);
  assert_true(weight_between(out, "cat", "mammal") == 2);
  geodisk_graph_destroy(out);
  assert_int_equal(geodisk_graph_subgraph_below(context, graph, node_of(graph, "cat"), &out), GEODISK_OK);
  assert_int_equal(geodisk_graph_nodes(out), 1);
  assert_int_equal(geodisk_graph_edges(out), 0);
  geodisk_graph_destroy(out);
  assert_int_equal(geodisk_graph_subgraph_below(context, graph, 6, &out), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(graph);
  for (uint64_t seed = 0; seed < 100; seed++) {
    matrix m;
    graph = random_graph(seed, true, &m);
    const matrix c = closure_of(&m);
    const uint32_t root = (uint32_t)(seed % m.n);
    assert_int_equal(geodisk_graph_subgraph_below(context, graph, root, &out), GEODISK_OK);
    size_t nodes = 0, edges = 0;
    for (uint32_t i = 0; i < m.n; i++) {
      const bool in = i == root || c.at[i][root];
      nodes += in;
      for (uint32_t j = 0; j < m.n; j++)
        if (in && m.at[i][j] && (j == root || c.at[j][root])) {
          edges++;
          assert_true(edge_between(out, geodisk_graph_name(graph, i), geodisk_graph_name(graph, j)));
        }
    }
    assert_int_equal(geodisk_graph_nodes(out), nodes);
    assert_int_equal(geodisk_graph_edges(out), edges);
    geodisk_graph_destroy(graph);
    geodisk_graph_destroy(out);
  }
}

/* ---- components, cycles, figures -------------------------------------------------------------------------------------- */

static void components_are_classes(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    matrix m;
    geodisk_graph *graph = random_graph(seed, seed % 2 == 0, &m);
    for (int strong = 0; strong < 2; strong++) {
      uint32_t component[MOST], next = 0;
      size_t count;
      matrix joined = m;
      for (size_t i = 0; i < m.n && !strong; i++)
        for (size_t j = 0; j < m.n; j++)
          joined.at[i][j] = m.at[i][j] || m.at[j][i];
      const matrix c = closure_of(&joined);
      assert_int_equal(geodisk_graph_components(context, graph, strong, component, &count), GEODISK_OK);
      for (uint32_t i = 0; i < m.n; i++) {
        assert_true(component[i] <= next);
        next += component[i] == next;
        for (uint32_t j = 0; j < i; j++)
          assert_int_equal(component[i] == component[j], c.at[i][j] && c.at[j][i]);
      }
      assert_int_equal(count, next);
    }
    geodisk_graph_destroy(graph);
  }
}

static void cycles_are_shortest(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    matrix m;
    geodisk_graph *graph = random_graph(seed, seed % 2 == 0, &m);
    uint32_t cycle[MOST];
    size_t length, first = 0;
    assert_int_equal(geodisk_graph_find_cycle(context, graph, cycle, &length), GEODISK_OK);
    const matrix c = closure_of(&m);
    while (first < m.n && !c.at[first][first])
      first++;
    assert_int_equal(length > 0, first < m.n);
    if (length > 0)
      assert_int_equal(cycle[0], first);
    for (size_t i = 0; i < length; i++)
      assert_true(m.at[cycle[i]][cycle[(i + 1) % length]]);
    /* Powers of the matrix: no shorter walk comes back. */
    matrix power = m;
    for (size_t k = 1; k < length; k++) {
      assert_false(power.at[first][first]);
      matrix next = {.n = m.n};
      for (size_t i = 0; i < m.n; i++)
        for (size_t j = 0; j < m.n; j++)
          for (size_t v = 0; v < m.n; v++)
            next.at[i][j] = next.at[i][j] || (power.at[i][v] && m.at[v][j]);
      power = next;
    }
    geodisk_graph_destroy(graph);
  }
}

static void figures(void **state) {
  (void)state;
  geodisk_graph *graph = graph_of("dog mammal\ncat mammal\nmammal animal\ndog animal\nrock thing\nalone\n");
  geodisk_graph_facts f;
  assert_int_equal(geodisk_graph_describe(context, graph, &f), GEODISK_OK);
  assert_int_equal(f.nodes, 7);
  assert_int_equal(f.edges, 5);
  assert_int_equal(f.roots, 3);  /* animal, thing, alone */
  assert_int_equal(f.leaves, 4); /* dog, cat, rock, alone */
  assert_int_equal(f.isolated, 1);
  assert_int_equal(f.depth, 2);
  assert_int_equal(f.components, 3);
  assert_int_equal(f.largest_component, 4);
  assert_int_equal(f.cyclic_nodes, 0);
  assert_int_equal(f.max_parents, 2);
  assert_int_equal(f.max_children, 2);
  assert_true(f.mean_degree == 5.0 / 7);
  assert_false(f.weighted);
  assert_false(f.symmetric);
  geodisk_graph_destroy(graph);
  graph = graph_of("a b\nb a\nb c\nc d\nd c\n");
  assert_int_equal(geodisk_graph_describe(context, graph, &f), GEODISK_OK);
  assert_int_equal(f.depth, -1);
  assert_int_equal(f.cyclic_nodes, 4);
  assert_false(f.symmetric);
  geodisk_graph_destroy(graph);
  graph = graph_of("a b\nb a\n");
  assert_int_equal(geodisk_graph_describe(context, graph, &f), GEODISK_OK);
  assert_true(f.symmetric);
  geodisk_graph_destroy(graph);
}

/* A path of 200,000 nodes (20,000 under sanitizers): no recursion anywhere. */
static void deep_paths(void **state) {
  (void)state;
  enum { N = SANITIZED ? 20000 : 200000 };
  uint32_t *children = test_malloc(N * sizeof *children), *parents = test_malloc(N * sizeof *parents);
  for (uint32_t i = 0; i < N; i++) {
    children[i] = i;
    parents[i] = (i + 1) % N;
  }
  geodisk_graph_arrays arrays = {.nodes = N, .edges = N, .children = children, .parents = parents};
  geodisk_graph *ring = NULL, *path = NULL, *reduced = NULL;
  geodisk_graph_facts f;
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &ring), GEODISK_OK);
  assert_int_equal(geodisk_graph_describe(context, ring, &f), GEODISK_OK);
  assert_int_equal(f.cyclic_nodes, N);
  arrays.edges = N - 1;
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &path), GEODISK_OK);
  assert_int_equal(geodisk_graph_describe(context, path, &f), GEODISK_OK);
  assert_int_equal(f.depth, N - 1);
  assert_int_equal(geodisk_graph_reduce(context, path, &reduced), GEODISK_OK);
  assert_int_equal(geodisk_graph_fingerprint(reduced), geodisk_graph_fingerprint(path));
  geodisk_hyperbolicity h;
  assert_int_equal(geodisk_graph_hyperbolicity(context, path, NULL, &h), GEODISK_OK);
  assert_true(h.exact && h.lower == 0);
  geodisk_graph_destroy(ring);
  geodisk_graph_destroy(path);
  geodisk_graph_destroy(reduced);
  test_free(children);
  test_free(parents);
}

static bool stop(void *user, const geodisk_progress *progress) {
  (void)user;
  (void)progress;
  return false;
}

static void stopping_and_bad_arguments(void **state) {
  (void)state;
  const geodisk_generate_options tree = {.kind = GEODISK_GENERATOR_TREE, .branching = 2, .depth = 13};
  geodisk_graph *graph = NULL, *out = NULL;
  assert_int_equal(geodisk_graph_generate(context, &tree, &graph), GEODISK_OK);
  geodisk_context_on_progress(context, stop, NULL);
  assert_int_equal(geodisk_graph_closure(context, graph, NULL, &out), GEODISK_ERROR_STOPPED);
  assert_int_equal(geodisk_graph_reduce(context, graph, &out), GEODISK_ERROR_STOPPED);
  geodisk_context_on_progress(context, NULL, NULL);
  assert_int_equal(geodisk_graph_closure(context, NULL, NULL, &out), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_graph_reduce(context, graph, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_graph_undirected(context, NULL, &out), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_graph_reverse(context, graph, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_graph_components(context, graph, false, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_graph_find_cycle(context, graph, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_graph_describe(context, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  assert_null(out);
  geodisk_graph_destroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closure_is_reachability),
      cmocka_unit_test(reduction_keeps_what_no_path_replaces),
      cmocka_unit_test(reduction_keeps_weights),
      cmocka_unit_test(cycles_are_named),
      cmocka_unit_test(closure_limit),
      cmocka_unit_test(directions),
      cmocka_unit_test(below),
      cmocka_unit_test(components_are_classes),
      cmocka_unit_test(cycles_are_shortest),
      cmocka_unit_test(figures),
      cmocka_unit_test(deep_paths),
      cmocka_unit_test(stopping_and_bad_arguments),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* test_graph_store.c - the graph object: from arrays, rows both ways, names, fingerprint, memory. */
#include "graph_testing.h"

#include <math.h>

#include "graph/store.h"

static void from_arrays(void **state) {
  (void)state;
  const char *names[] = {"dog", "mammal", "cat", ""};
  const uint32_t children[] = {0, 2, 0, 1, 2}, parents[] = {1, 1, 1, 1, 3};
  const double weights[] = {2, 3, 9, 1, 0.5};
  const geodisk_graph_arrays arrays = {4, names, 5, children, parents, weights};
  geodisk_graph_dropped dropped = {99, 99};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, &dropped, &graph), GEODISK_OK);
  assert_int_equal(dropped.self_loops, 1);
  assert_int_equal(dropped.duplicates, 1);
  assert_int_equal(geodisk_graph_nodes(graph), 4);
  assert_int_equal(geodisk_graph_edges(graph), 3);
  assert_true(geodisk_graph_weighted(graph));
  assert_consistent(graph);
  assert_true(edge_between(graph, "dog", "mammal"));
  assert_false(edge_between(graph, "mammal", "dog"));
  assert_true(weight_between(graph, "dog", "mammal") == 2); /* the first one counts */
  const geodisk_graph_rows in = geodisk_graph_in(graph);
  assert_int_equal(in.offsets[2] - in.offsets[1], 2);
  assert_int_equal(in.nodes[in.offsets[1]], 0);
  assert_true(in.weights[in.offsets[1] + 1] == 3);
  uint32_t child[3];
  geodisk_graph_children(graph, child);
  assert_int_equal(child[0], 0);
  assert_int_equal(child[1], 2);
  assert_int_equal(child[2], 2);
  assert_string_equal(geodisk_graph_name(graph, 3), "");
  assert_null(geodisk_graph_name(graph, 4));
  assert_int_equal(geodisk_graph_name_length(graph, 4), 0);
  assert_false(geodisk_graph_has_edge(graph, 4, 0));
  uint32_t node = 77;
  assert_false(geodisk_graph_find(graph, "wolf", 4, &node));
  assert_false(geodisk_graph_find(graph, NULL, 0, &node));
  assert_int_equal(node, 77);
  assert_true(geodisk_graph_find(graph, "dogs", 3, &node));
  assert_int_equal(node, 0);
  const uint64_t *starts;
  assert_string_equal(geodisk_graph_names(graph, &starts) + starts[2], "cat");
  assert_int_equal(starts[4], 4 + 7 + 4 + 1);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(NULL);
}

static void default_names(void **state) {
  (void)state;
  const uint32_t children[] = {11}, parents[] = {0};
  const geodisk_graph_arrays arrays = {.nodes = 12, .edges = 1, .children = children, .parents = parents};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  assert_true(edge_between(graph, "11", "0"));
  assert_null(geodisk_graph_out(graph).weights);
  geodisk_graph_destroy(graph);
}

static void nothing_at_all(void **state) {
  (void)state;
  const geodisk_graph_arrays arrays = {0};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_nodes(graph), 0);
  assert_int_equal(geodisk_graph_edges(graph), 0);
  assert_consistent(graph);
  uint32_t node;
  assert_false(geodisk_graph_find(graph, "x", 1, &node));
  geodisk_graph_destroy(graph);
}

static void bad_arrays(void **state) {
  (void)state;
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  const char *twice[] = {"a", "a"}, *latin[] = {"a", "\xe9t\xe9"}, *missing[] = {"a", NULL};
  const uint32_t zero[] = {0}, one[] = {1}, two[] = {2};
  const double bad[] = {-1}, nan[] = {(double)NAN}, infinite[] = {(double)INFINITY};
  const struct {
    geodisk_graph_arrays arrays;
    const char *says;
  } cases[] = {
      {{2, twice, 0, NULL, NULL, NULL}, "names 0 and 1 are the same: 'a'"},
      {{2, latin, 0, NULL, NULL, NULL}, "name 1 is not valid UTF-8"},
      {{2, missing, 0, NULL, NULL, NULL}, "name 1 is NULL"},
      {{2, NULL, 1, zero, two, NULL}, "edge 0: 0 -> 2 is not between nodes 0 .. 1"},
      {{2, NULL, 1, zero, one, bad}, "edge 0: weight -1 is not finite and >= 0"},
      {{2, NULL, 1, zero, one, nan}, "edge 0: weight nan is not finite and >= 0"},
      {{2, NULL, 1, zero, one, infinite}, "edge 0: weight inf is not finite and >= 0"},
      {{2, NULL, 1, zero, NULL, NULL}, "graph from arrays: children or parents is NULL"},
  };
  geodisk_graph *graph = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(geodisk_graph_create(context, &cases[i].arrays, NULL, &graph), GEODISK_ERROR_ARGUMENT);
    assert_string_equal(geodisk_context_error(context), cases[i].says);
    assert_null(graph);
  }
  assert_int_equal(geodisk_graph_create(context, NULL, NULL, &graph), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_graph_create(context, &cases[0].arrays, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  geodisk_context_destroy(context);
}

/* Random multigraphs against a matrix. */
static void rows_against_matrix(void **state) {
  (void)state;
  enum { N = 40, ROUNDS = 50, EDGES = 400 };
  geodisk_random random = geodisk_random_stream(1, 0);
  for (int round = 0; round < ROUNDS; round++) {
    uint32_t children[EDGES], parents[EDGES];
    double weights[EDGES], matrix[N][N];
    for (int u = 0; u < N; u++)
      for (int v = 0; v < N; v++)
        matrix[u][v] = -1;
    uint64_t loops = 0, repeats = 0, kept = 0;
    for (int e = 0; e < EDGES; e++) {
      children[e] = (uint32_t)geodisk_random_below(&random, N);
      parents[e] = (uint32_t)geodisk_random_below(&random, N);
      weights[e] = geodisk_random_uniform(&random);
      double *place = &matrix[children[e]][parents[e]];
      if (children[e] == parents[e]) {
        loops++;
      } else if (*place >= 0) {
        repeats++;
      } else {
        *place = weights[e];
        kept++;
      }
    }
    const geodisk_graph_arrays arrays = {N, NULL, EDGES, children, parents, round % 2 ? weights : NULL};
    geodisk_graph_dropped dropped;
    geodisk_graph *graph = NULL;
    assert_int_equal(geodisk_graph_create(NULL, &arrays, &dropped, &graph), GEODISK_OK);
    assert_int_equal(dropped.self_loops, loops);
    assert_int_equal(dropped.duplicates, repeats);
    assert_int_equal(geodisk_graph_edges(graph), kept);
    assert_consistent(graph);
    for (uint32_t u = 0; u < N; u++)
      for (uint32_t v = 0; v < N; v++)
        assert_int_equal(geodisk_graph_has_edge(graph, u, v), matrix[u][v] >= 0);
    const geodisk_graph_rows out = geodisk_graph_out(graph), in = geodisk_graph_in(graph);
    for (uint32_t u = 0; u < N && round % 2; u++) {
      for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++)
        assert_true(out.weights[e] == matrix[u][out.nodes[e]]);
      for (uint64_t e = in.offsets[u]; e < in.offsets[u + 1]; e++)
        assert_true(in.weights[e] == matrix[in.nodes[e]][u]);
    }
    geodisk_graph_destroy(graph);
  }
}

static void many_names(void **state) {
  (void)state;
  enum { NAMES = 200000 };
  name_table table = {0};
  char name[32];
  uint32_t id;
  bool is_new;
  for (uint32_t i = 0; i < NAMES; i++) {
    const int length = snprintf(name, sizeof name, "n%u", i * 7919u);
    assert_int_equal(names_intern(&table, name, (size_t)length, &id, &is_new), GEODISK_OK);
    assert_true(is_new);
    assert_int_equal(id, i);
  }
  assert_true(names_lookup(&table, "n0", 2, &id));
  assert_int_equal(id, 0);
  assert_false(names_lookup(&table, "n1", 2, &id));
  name_index *frozen, *shared;
  assert_int_equal(names_freeze(&table, &frozen), GEODISK_OK);
  assert_int_equal(names_share(frozen, &shared), GEODISK_OK);
  assert_ptr_equal(shared, frozen);
  names_release(frozen);
  for (uint32_t i = 0; i < NAMES; i++) {
    const int length = snprintf(name, sizeof name, "n%u", i * 7919u);
    assert_true(names_find(shared, name, (size_t)length, &id));
    assert_int_equal(id, i);
    assert_false(names_find(shared, name, (size_t)length - 1, &id) && id == i);
  }
  names_release(shared);
}

/* Names that lie in somebody else's block are copied when they are shared, and checked when they are taken. */
static void names_in_a_block(void **state) {
  (void)state;
  char bytes[] = "one\0two\0";
  uint64_t starts[] = {0, 4, 8};
  names_block block = {.bytes = bytes, .size = 8, .starts = starts, .count = 2};
  name_index *borrowed, *copy;
  size_t bad;
  const char *why;
  uint32_t id;
  assert_int_equal(names_index(&block, &borrowed, &bad, &why), GEODISK_OK);
  assert_int_equal(names_share(borrowed, &copy), GEODISK_OK);
  assert_ptr_not_equal(copy, borrowed);
  names_release(borrowed);
  memset(bytes, 'x', sizeof bytes);
  assert_true(names_find(copy, "two", 3, &id) && id == 1);
  assert_int_equal(names_length(copy, 0), 3);
  assert_string_equal(names_at(copy, 0), "one");
  names_release(copy);
  memcpy(bytes, "one\0one", 8);
  assert_int_equal(names_index(&block, &borrowed, &bad, &why), GEODISK_ERROR_FORMAT);
  assert_int_equal(bad, 1);
  assert_string_equal(why, "occurs twice");
}

/* The fingerprint is part of what files keep, so these values never change. */
static void fingerprints(void **state) {
  (void)state;
  geodisk_graph *plain = graph_of("dog\tmammal\ncat\tmammal\n"), *other = graph_of("dog mammal\n\ncat mammal\ndog mammal\n");
  geodisk_graph *order = graph_of("cat\tmammal\ndog\tmammal\n"), *weighted = graph_of("dog\tmammal\t1\ncat\tmammal\t2\n");
  geodisk_graph *renamed = graph_of("dog\tmammal\ncat\tmammals\n");
  const uint64_t value = geodisk_graph_fingerprint(plain);
  assert_int_equal(value, geodisk_graph_fingerprint(other));
  assert_int_not_equal(value, geodisk_graph_fingerprint(order));
  assert_int_not_equal(value, geodisk_graph_fingerprint(weighted));
  assert_int_not_equal(value, geodisk_graph_fingerprint(renamed));
  assert_int_equal(value, UINT64_C(0x1280f7d0ab4349a5));
  assert_int_equal(geodisk_graph_fingerprint(weighted), UINT64_C(0x23253fe0dceaece));
  geodisk_graph_destroy(plain);
  geodisk_graph_destroy(other);
  geodisk_graph_destroy(order);
  geodisk_graph_destroy(weighted);
  geodisk_graph_destroy(renamed);
}

/* 8 bytes per edge, 30 per node and the names, as the header says. */
static void memory_bound(void **state) {
  (void)state;
  enum { N = 1000, EDGES = 20000 };
  static uint32_t children[EDGES], parents[EDGES];
  for (uint32_t e = 0; e < EDGES; e++) {
    children[e] = e / 20;
    parents[e] = (e / 20 + 1 + e % 20) % N;
  }
  const geodisk_graph_arrays arrays = {N, NULL, EDGES, children, parents, NULL};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_edges(graph), EDGES);
  const uint64_t *starts;
  geodisk_graph_names(graph, &starts);
  assert_true(geodisk_graph_memory(graph) >= 8 * EDGES + 30 * N + starts[N]);
  assert_true(geodisk_graph_memory(graph) <= 8 * EDGES + 30 * N + starts[N] + 256);
  geodisk_graph_destroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(from_arrays),         cmocka_unit_test(default_names), cmocka_unit_test(nothing_at_all),
      cmocka_unit_test(bad_arrays),          cmocka_unit_test(many_names),    cmocka_unit_test(names_in_a_block),
      cmocka_unit_test(rows_against_matrix), cmocka_unit_test(fingerprints),  cmocka_unit_test(memory_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_graph_random.c - generators and splits: sizes, shapes, distributions, and that a seed decides everything. */
#include "graph_testing.h"

#include <math.h>

static geodisk_context *context;

static int set_up(void **state) {
  (void)state;
  return geodisk_context_create(1, &context) == GEODISK_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return 0;
}

static geodisk_graph *make(const geodisk_generate_options *options) {
  geodisk_graph *graph = NULL;
  if (geodisk_graph_generate(context, options, &graph) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  assert_consistent(graph);
  return graph;
}

/* ---- generators ------------------------------------------------------------------------------------------------------- */

static void trees(void **state) {
  (void)state;
  static const struct {
    uint64_t branching, depth;
    size_t nodes;
  } cases[] = {{2, 5, 63}, {3, 3, 40}, {1, 4, 5}, {7, 0, 1}, {10, 2, 111}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const geodisk_generate_options o = {.kind = GEODISK_GENERATOR_TREE, .branching = cases[i].branching, .depth = cases[i].depth};
    geodisk_graph *graph = make(&o);
    geodisk_graph_facts f;
    assert_int_equal(geodisk_graph_nodes(graph), cases[i].nodes);
    assert_int_equal(geodisk_graph_edges(graph), cases[i].nodes - 1);
    assert_int_equal(geodisk_graph_describe(context, graph, &f), GEODISK_OK);
    assert_int_equal(f.roots, 1);
    assert_int_equal(f.depth, cases[i].depth);
    assert_int_equal(f.max_children, cases[i].depth > 0 ? cases[i].branching : 0);
    assert_int_equal(f.components, 1);
    geodisk_graph_destroy(graph);
  }
  geodisk_generate_options o = {.kind = GEODISK_GENERATOR_TREE, .branching = 2, .depth = 5, .shape = GEODISK_SHAPE_CLOSED};
  geodisk_graph *closed = make(&o);
  assert_int_equal(geodisk_graph_edges(closed), 2 * 1 + 4 * 2 + 8 * 3 + 16 * 4 + 32 * 5);
  geodisk_graph_destroy(closed);
  o.shape = GEODISK_SHAPE_UNDIRECTED;
  geodisk_graph *both = make(&o);
  assert_int_equal(geodisk_graph_edges(both), 124);
  assert_true(edge_between(both, "0", "1") && edge_between(both, "1", "0"));
  geodisk_graph_destroy(both);
}

/* Of node 2 of a random recursive tree, half hang on 0; of node 3, a third each. */
static void recursive_trees(void **state) {
  (void)state;
  enum { TREES = 3000 };
  int on[3] = {0};
  for (uint64_t seed = 0; seed < TREES; seed++) {
    const geodisk_generate_options o = {.kind = GEODISK_GENERATOR_RECURSIVE, .nodes = 4, .seed = seed};
    geodisk_graph *graph = make(&o);
    assert_int_equal(geodisk_graph_edges(graph), 3);
    const geodisk_graph_rows out = geodisk_graph_out(graph);
    on[out.nodes[2]]++; /* the parent of node 3 */
    geodisk_graph_destroy(graph);
  }
  for (int i = 0; i < 3; i++) /* binomial: six standard deviations of sqrt(3000 * 2/9) = 26 */
    assert_true(on[i] > TREES / 3 - 155 && on[i] < TREES / 3 + 155);
}

static void grids(void **state) {
  (void)state;
  const geodisk_generate_options o = {.kind = GEODISK_GENERATOR_GRID, .rows = 3, .columns = 4};
  geodisk_graph *graph = make(&o);
  assert_int_equal(geodisk_graph_nodes(graph), 12);
  assert_int_equal(geodisk_graph_edges(graph), 2 * 4 + 3 * 3);
  assert_true(edge_between(graph, "5", "1") && edge_between(graph, "5", "4"));
  assert_false(geodisk_graph_has_edge(graph, 4, 3)); /* no edge across the end of a row */
  geodisk_graph_destroy(graph);
}

static void barabasi(void **state) {
  (void)state;
  const geodisk_generate_options o = {.kind = GEODISK_GENERATOR_BARABASI, .nodes = 2000, .attach = 3, .seed = 5};
  geodisk_graph *graph = make(&o);
  const geodisk_graph_rows out = geodisk_graph_out(graph), in = geodisk_graph_in(graph);
  assert_int_equal(geodisk_graph_edges(graph), 3 * (2000 - 3));
  size_t late = 0, early = 0;
  for (uint32_t u = 0; u < 2000; u++) {
    assert_int_equal(out.offsets[u + 1] - out.offsets[u], u == 0 ? 0 : u <= 3 ? 1 : 3);
    for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++)
      assert_true(out.nodes[e] < u);
    const size_t degree = (size_t)(in.offsets[u + 1] - in.offsets[u]);
    early += u < 20 ? degree : 0;
    late += u >= 1980 ? degree : 0;
  }
  /* A node of age t has expected degree 3 sqrt(n/t): the first 20 have about 3 * sqrt(2000) * 2 sqrt(20) = 1200 together. */
  assert_true(early > 600 && early < 2400);
  assert_true(late < 60);
  geodisk_graph_destroy(graph);
}

static void blocks(void **state) {
  (void)state;
  const geodisk_generate_options o = {
      .kind = GEODISK_GENERATOR_BLOCKS, .nodes = 303, .blocks = 3, .p_in = 0.3, .p_out = 0.01, .seed = 2};
  geodisk_graph *graph = make(&o);
  const geodisk_graph_rows out = geodisk_graph_out(graph);
  double inside = 0, between = 0;
  for (uint32_t u = 0; u < 303; u++)
    for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++) {
      assert_true(out.nodes[e] < u);
      *(u / 101 == out.nodes[e] / 101 ? &inside : &between) += 1;
    }
  const double pairs_in = 3 * 101.0 * 100 / 2, pairs_between = 3 * 101.0 * 101;
  assert_true(fabs(inside - 0.3 * pairs_in) < 6 * sqrt(0.3 * 0.7 * pairs_in));
  assert_true(fabs(between - 0.01 * pairs_between) < 6 * sqrt(0.01 * 0.99 * pairs_between));
  geodisk_graph_destroy(graph);
  geodisk_generate_options all = {.kind = GEODISK_GENERATOR_BLOCKS, .nodes = 10, .blocks = 3, .p_in = 1, .p_out = 0};
  graph = make(&all);
  assert_int_equal(geodisk_graph_edges(graph), 6 + 3 + 3); /* blocks of 4, 3, 3 */
  geodisk_graph_destroy(graph);
  all.p_out = 1;
  graph = make(&all);
  assert_int_equal(geodisk_graph_edges(graph), 45);
  geodisk_graph_destroy(graph);
  all.p_in = all.p_out = 1e-300;
  graph = make(&all);
  assert_int_equal(geodisk_graph_edges(graph), 0);
  geodisk_graph_destroy(graph);
}

/* These values never change: a seed is a graph. */
static void seeds(void **state) {
  (void)state;
  static const struct {
    geodisk_generate_options options;
    uint64_t fingerprint;
  } cases[] = {
      {{.kind = GEODISK_GENERATOR_RECURSIVE, .nodes = 1000, .seed = 1}, UINT64_C(0x34257160c16fa466)},
      {{.kind = GEODISK_GENERATOR_BARABASI, .nodes = 1000, .attach = 2, .seed = 1}, UINT64_C(0xbc05168e60f2bc52)},
      {{.kind = GEODISK_GENERATOR_BLOCKS, .nodes = 1000, .blocks = 7, .p_in = 0.1, .p_out = 0.001, .seed = 1},
       UINT64_C(0x6c3dcfe48323f94f)},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_generate_options other = cases[i].options;
    other.seed = 2;
    geodisk_graph *graph = make(&cases[i].options), *another = make(&other);
    assert_int_equal(geodisk_graph_fingerprint(graph), cases[i].fingerprint);
    assert_int_not_equal(geodisk_graph_fingerprint(another), cases[i].fingerprint);
    geodisk_graph_destroy(graph);
    geodisk_graph_destroy(another);
  }
}

static void bad_options(void **state) {
  (void)state;
  static const struct {
    geodisk_generate_options options;
    const char *says;
  } cases[] = {
      {{.kind = GEODISK_GENERATOR_TREE, .branching = 0}, "generate: branching 0 is out of range: at least 1"},
      {{.kind = GEODISK_GENERATOR_TREE, .branching = 2, .depth = 31},
       "generate: depth 31 is out of range: the tree has more than 2^31 nodes"},
      {{.kind = GEODISK_GENERATOR_RECURSIVE}, "generate: nodes 0 is out of range: from 1 to 2^31"},
      {{.kind = GEODISK_GENERATOR_GRID, .rows = 0, .columns = 1},
       "generate: rows 0 is out of range: at least 1, and at most 2^31 nodes"},
      {{.kind = GEODISK_GENERATOR_GRID, .rows = 65536, .columns = 65536},
       "generate: columns 65536 is out of range: at least 1, and at most 2^31 nodes"},
      {{.kind = GEODISK_GENERATOR_BARABASI, .nodes = 5, .attach = 5},
       "generate: attach 5 is out of range: at least 1, and less than nodes"},
      {{.kind = GEODISK_GENERATOR_BLOCKS, .nodes = 5, .blocks = 6},
       "generate: blocks 6 is out of range: at least 1, and at most nodes"},
      {{.kind = GEODISK_GENERATOR_BLOCKS, .nodes = 5, .blocks = 1, .p_in = 2},
       "generate: p_in 2 and p_out 0 must be from 0 to 1"},
      {{.kind = GEODISK_GENERATOR_BLOCKS, .nodes = 5, .blocks = 1, .p_in = (double)NAN},
       "generate: p_in nan and p_out 0 must be from 0 to 1"},
      {{.kind = (geodisk_generator)9}, "generate: there is no generator 9"},
      {{.kind = GEODISK_GENERATOR_TREE, .branching = 1, .shape = (geodisk_shape)7}, "generate: there is no shape 7"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_graph *graph = NULL;
    assert_int_equal(geodisk_graph_generate(context, &cases[i].options, &graph), GEODISK_ERROR_ARGUMENT);
    assert_string_equal(geodisk_context_error(context), cases[i].says);
    assert_null(graph);
  }
}

/* ---- splits ----------------------------------------------------------------------------------------------------------- */

/* The three parts are disjoint, their union is the graph, and every node that has an edge keeps one in training. */
static void assert_split(const geodisk_graph *graph, const geodisk_split *s) {
  const geodisk_graph *parts[] = {s->train, s->validation, s->test};
  const size_t nodes = geodisk_graph_nodes(graph);
  const geodisk_graph_rows out = geodisk_graph_out(graph);
  const geodisk_graph_rows train_out = geodisk_graph_out(s->train), train_in = geodisk_graph_in(s->train);
  const geodisk_graph_rows in = geodisk_graph_in(graph);
  size_t sum = 0;
  for (int p = 0; p < 3; p++) {
    assert_consistent(parts[p]);
    assert_int_equal(geodisk_graph_nodes(parts[p]), nodes);
    sum += geodisk_graph_edges(parts[p]);
  }
  assert_int_equal(sum, geodisk_graph_edges(graph));
  for (uint32_t u = 0; u < nodes; u++) {
    assert_string_equal(geodisk_graph_name(s->test, u), geodisk_graph_name(graph, u));
    for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++) {
      int found = 0;
      for (int p = 0; p < 3; p++)
        found += geodisk_graph_has_edge(parts[p], u, out.nodes[e]);
      assert_int_equal(found, 1);
    }
    const bool has_edge = out.offsets[u] < out.offsets[u + 1] || in.offsets[u] < in.offsets[u + 1];
    const bool keeps = train_out.offsets[u] < train_out.offsets[u + 1] || train_in.offsets[u] < train_in.offsets[u + 1];
    assert_int_equal(has_edge, keeps);
  }
}

static void destroy_split(geodisk_split *s) { geodisk_split_free(s); }

static void closure_splits(void **state) {
  (void)state;
  const geodisk_generate_options o = {.kind = GEODISK_GENERATOR_TREE, .branching = 3, .depth = 6, .shape = GEODISK_SHAPE_CLOSED};
  geodisk_graph *graph = make(&o), *basic = NULL;
  assert_int_equal(geodisk_graph_reduce(context, graph, &basic), GEODISK_OK);
  const size_t candidates = geodisk_graph_edges(graph) - geodisk_graph_edges(basic);
  static const double percents[][2] = {{5, 5}, {10, 20}, {0, 50}, {50, 50}, {100, 0}, {0, 0}, {0.01, 33.3}};
  for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
    const geodisk_split_options options = {.validation = percents[i][0], .test = percents[i][1], .seed = 3};
    geodisk_split s;
    assert_int_equal(geodisk_graph_split(context, graph, &options, &s), GEODISK_OK);
    assert_split(graph, &s);
    assert_int_equal(s.basic, geodisk_graph_edges(basic));
    assert_int_equal(s.candidates, candidates);
    assert_true(fabs((double)geodisk_graph_edges(s.validation) - (double)candidates * percents[i][0] / 100) <= 1);
    assert_true(fabs((double)geodisk_graph_edges(s.test) - (double)candidates * percents[i][1] / 100) <= 1);
    const geodisk_graph_rows rows = geodisk_graph_out(basic);
    for (uint32_t u = 0; u < geodisk_graph_nodes(basic); u++)
      for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++)
        assert_true(geodisk_graph_has_edge(s.train, u, rows.nodes[e]));
    destroy_split(&s);
  }
  /* The default, the same seed, another seed. */
  const geodisk_split_options same = {.validation = 5, .test = 5}, another = {.validation = 5, .test = 5, .seed = 1};
  geodisk_split a, b, c;
  assert_int_equal(geodisk_graph_split(context, graph, NULL, &a), GEODISK_OK);
  assert_int_equal(geodisk_graph_split(context, graph, &same, &b), GEODISK_OK);
  assert_int_equal(geodisk_graph_split(context, graph, &another, &c), GEODISK_OK);
  assert_int_equal(geodisk_graph_fingerprint(a.test), geodisk_graph_fingerprint(b.test));
  assert_int_not_equal(geodisk_graph_fingerprint(a.test), geodisk_graph_fingerprint(c.test));
  destroy_split(&a);
  destroy_split(&b);
  destroy_split(&c);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(basic);
}

/* Every non-basic edge is held out equally often. */
static void splits_are_fair(void **state) {
  (void)state;
  enum { ROUNDS = 2000 };
  geodisk_graph *graph = graph_of("a b\nb c\nc d\na c\nb d\na d\n"); /* three basic, three not */
  int held[4][4] = {{0}};
  for (uint64_t seed = 0; seed < ROUNDS; seed++) {
    const geodisk_split_options options = {.validation = 34, .seed = seed};
    geodisk_split s;
    assert_int_equal(geodisk_graph_split(context, graph, &options, &s), GEODISK_OK);
    assert_int_equal(geodisk_graph_edges(s.validation), 1);
    for (uint32_t u = 0; u < 4; u++)
      for (uint32_t v = 0; v < 4; v++)
        held[u][v] += geodisk_graph_has_edge(s.validation, u, v);
    destroy_split(&s);
  }
  static const uint32_t pairs[3][2] = {{0, 2}, {1, 3}, {0, 3}};
  for (int i = 0; i < 3; i++) { /* six standard deviations of sqrt(2000 * 2/9) = 21 */
    const int n = held[pairs[i][0]][pairs[i][1]];
    assert_true(n > ROUNDS / 3 - 127 && n < ROUNDS / 3 + 127);
  }
  geodisk_graph_destroy(graph);
}

/* Ganea et al.'s protocol: all basic edges in training with a share of the others; what is held out is the same for every share.
 */
static void entailment_splits(void **state) {
  (void)state;
  const geodisk_generate_options o = {.kind = GEODISK_GENERATOR_TREE, .branching = 3, .depth = 6, .shape = GEODISK_SHAPE_CLOSED};
  geodisk_graph *graph = make(&o), *basic = NULL;
  assert_int_equal(geodisk_graph_reduce(context, graph, &basic), GEODISK_OK);
  const double candidates = (double)(geodisk_graph_edges(graph) - geodisk_graph_edges(basic));
  uint64_t test_edges = 0;
  static const double shares[] = {0, 10, 25, 50, 90};
  for (size_t i = 0; i < 5; i++) {
    const geodisk_split_options options = {
        .validation = 5, .test = 5, .seed = 8, .protocol = GEODISK_PROTOCOL_ENTAILMENT, .closure_share = shares[i]};
    geodisk_split s;
    assert_int_equal(geodisk_graph_split(context, graph, &options, &s), GEODISK_OK);
    const double extra = (double)(geodisk_graph_edges(s.train) - geodisk_graph_edges(basic));
    assert_true(fabs(extra - candidates * shares[i] / 100) <= 1);
    const geodisk_graph_rows rows = geodisk_graph_out(basic), train = geodisk_graph_out(s.train);
    for (uint32_t u = 0; u < geodisk_graph_nodes(graph); u++) {
      for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++)
        assert_true(geodisk_graph_has_edge(s.train, u, rows.nodes[e]));
      for (uint64_t e = train.offsets[u]; e < train.offsets[u + 1]; e++)
        assert_false(geodisk_graph_has_edge(s.test, u, train.nodes[e]) ||
                     geodisk_graph_has_edge(s.validation, u, train.nodes[e]));
    }
    assert_true(i == 0 || geodisk_graph_fingerprint(s.test) == test_edges);
    test_edges = geodisk_graph_fingerprint(s.test);
    destroy_split(&s);
  }
  geodisk_graph *rootless = NULL;
  assert_int_equal(geodisk_graph_without_roots(context, graph, &rootless), GEODISK_OK);
  assert_int_equal(geodisk_graph_edges(rootless), geodisk_graph_edges(graph) - (geodisk_graph_nodes(graph) - 1));
  assert_int_equal(geodisk_graph_nodes(rootless), geodisk_graph_nodes(graph));
  geodisk_graph_destroy(rootless);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(basic);
}

/* Ten pairs beside each edge, none of them an edge, half with either end replaced; the same for the same seed. */
static void non_edges(void **state) {
  (void)state;
  const geodisk_generate_options o = {.kind = GEODISK_GENERATOR_TREE, .branching = 3, .depth = 6, .shape = GEODISK_SHAPE_CLOSED};
  geodisk_graph *graph = make(&o), *pairs = NULL, *again = NULL, *others = NULL;
  geodisk_split s;
  assert_int_equal(geodisk_graph_split(context, graph, NULL, &s), GEODISK_OK);
  assert_int_equal(geodisk_graph_non_edges(context, graph, s.test, 10, 1, &pairs), GEODISK_OK);
  assert_int_equal(geodisk_graph_non_edges(context, graph, s.test, 10, 1, &again), GEODISK_OK);
  assert_int_equal(geodisk_graph_non_edges(context, graph, s.test, 10, 2, &others), GEODISK_OK);
  assert_int_equal(geodisk_graph_fingerprint(pairs), geodisk_graph_fingerprint(again));
  assert_int_not_equal(geodisk_graph_fingerprint(pairs), geodisk_graph_fingerprint(others));
  const size_t most = 10 * geodisk_graph_edges(s.test);
  assert_in_range(geodisk_graph_edges(pairs), most * 98 / 100, most); /* a few are drawn twice */
  const geodisk_graph_rows rows = geodisk_graph_out(pairs), test_out = geodisk_graph_out(s.test),
                           test_in = geodisk_graph_in(s.test);
  size_t child_kept = 0, parent_kept = 0;
  for (uint32_t u = 0; u < geodisk_graph_nodes(graph); u++)
    for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++) {
      const uint32_t v = rows.nodes[e];
      assert_false(geodisk_graph_has_edge(graph, u, v));
      const bool has_child = test_out.offsets[u] < test_out.offsets[u + 1],
                 has_parent = test_in.offsets[v] < test_in.offsets[v + 1];
      assert_true(has_child || has_parent);
      child_kept += has_child && !has_parent;
      parent_kept += has_parent && !has_child;
    }
  assert_in_range(child_kept, most / 4, most);
  assert_in_range(parent_kept, most / 4, most);
  assert_int_equal(geodisk_graph_non_edges(context, graph, NULL, 10, 1, &again), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(pairs);
  geodisk_graph_destroy(again);
  geodisk_graph_destroy(others);
  /* A chain: everything is an edge one way, so the ends are replaced to give the other. */
  geodisk_graph *chain = graph_of("a b\nb c\na c\n");
  assert_int_equal(geodisk_graph_non_edges(context, chain, chain, 2, 0, &pairs), GEODISK_OK);
  const geodisk_graph_rows back = geodisk_graph_out(pairs);
  for (uint32_t u = 0; u < 3; u++)
    for (uint64_t e = back.offsets[u]; e < back.offsets[u + 1]; e++)
      assert_true(geodisk_graph_has_edge(chain, back.nodes[e], u));
  assert_in_range(geodisk_graph_edges(pairs), 1, 3);
  geodisk_graph_destroy(pairs);
  geodisk_graph_destroy(chain);
  destroy_split(&s);
  geodisk_graph_destroy(graph);
}

static void network_splits(void **state) {
  (void)state;
  const geodisk_generate_options o = {
      .kind = GEODISK_GENERATOR_BARABASI, .nodes = 500, .attach = 3, .shape = GEODISK_SHAPE_UNDIRECTED, .seed = 4};
  geodisk_graph *graph = make(&o);
  const geodisk_split_options options = {.validation = 10, .test = 20, .seed = 9};
  geodisk_split s;
  assert_int_equal(geodisk_graph_split(context, graph, &options, &s), GEODISK_OK);
  assert_split(graph, &s);
  const geodisk_graph_rows test = geodisk_graph_out(s.test);
  for (uint32_t u = 0; u < 500; u++) /* twins stay together */
    for (uint64_t e = test.offsets[u]; e < test.offsets[u + 1]; e++)
      assert_true(geodisk_graph_has_edge(s.test, test.nodes[e], u));
  assert_int_equal(geodisk_graph_edges(s.validation), 2 * (geodisk_graph_edges(graph) / 20));
  destroy_split(&s);
  geodisk_graph_destroy(graph);
  /* A ring: no edge can go without another, so at most every other one goes. */
  graph = graph_of("a b\nb c\nc d\nd a\n");
  const geodisk_split_options all = {.validation = 50, .test = 50, .seed = 1};
  assert_int_equal(geodisk_graph_split(context, graph, &all, &s), GEODISK_OK);
  assert_split(graph, &s);
  assert_true(geodisk_graph_edges(s.train) >= 2);
  destroy_split(&s);
  const geodisk_split_options bad[] = {
      {.validation = -1},
      {.validation = 60, .test = 41},
      {.validation = (double)NAN},
      {.protocol = GEODISK_PROTOCOL_ENTAILMENT, .closure_share = -1},
      {.protocol = GEODISK_PROTOCOL_ENTAILMENT, .closure_share = 91, .validation = 5, .test = 5},
      {.protocol = GEODISK_PROTOCOL_ENTAILMENT, .closure_share = 10}, /* a ring has no basic edges */
      {.protocol = (geodisk_protocol)9}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(geodisk_graph_split(context, graph, &bad[i], &s), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees),
      cmocka_unit_test(recursive_trees),
      cmocka_unit_test(grids),
      cmocka_unit_test(barabasi),
      cmocka_unit_test(blocks),
      cmocka_unit_test(seeds),
      cmocka_unit_test(bad_options),
      cmocka_unit_test(closure_splits),
      cmocka_unit_test(splits_are_fair),
      cmocka_unit_test(network_splits),
      cmocka_unit_test(entailment_splits),
      cmocka_unit_test(non_edges),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

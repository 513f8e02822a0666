/* test_graph_hold_out.c - splits that hold out what no walk through the training edges finds: basic edges of nodes with several
 * parents, and whole nodes. */
#include "graph_testing.h"

enum { NODES = 400 };

static geodisk_context *context;
static geodisk_graph *closed, *basic; /* a random order in which nodes have up to three parents, and its reduction */

static int set_up(void **state) {
  (void)state;
  const geodisk_generate_options o = {.kind = GEODISK_GENERATOR_BARABASI, .nodes = NODES, .attach = 3, .seed = 5};
  geodisk_graph *graph = NULL;
  if (geodisk_context_create(1, &context) != GEODISK_OK || geodisk_graph_generate(context, &o, &graph) != GEODISK_OK ||
      geodisk_graph_closure(context, graph, NULL, &closed) != GEODISK_OK ||
      geodisk_graph_reduce(context, graph, &basic) != GEODISK_OK)
    return -1;
  geodisk_graph_destroy(graph);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  geodisk_graph_destroy(closed);
  geodisk_graph_destroy(basic);
  geodisk_context_destroy(context);
  return 0;
}

static geodisk_split split_by(const geodisk_split_options *options) {
  geodisk_split s;
  if (geodisk_graph_split(context, closed, options, &s) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  return s;
}

static void destroy_split(geodisk_split *s) { geodisk_split_free(s); }

static size_t row(const geodisk_graph_rows *rows, uint32_t u) { return (size_t)(rows->offsets[u + 1] - rows->offsets[u]); }

/* The edges of two graphs (the second may be NULL) and all that follows from them. */
static geodisk_graph *closure_of(const geodisk_graph *a, const geodisk_graph *b) {
  static uint32_t children[NODES * NODES], parents[NODES * NODES];
  const geodisk_graph *const graphs[2] = {a, b};
  size_t n = 0;
  for (int i = 0; i < 2 && graphs[i] != NULL; i++) {
    const geodisk_graph_rows out = geodisk_graph_out(graphs[i]);
    for (uint32_t u = 0; u < NODES; u++)
      for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++) {
        children[n] = u;
        parents[n++] = out.nodes[e];
      }
  }
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = n, .children = children, .parents = parents};
  geodisk_graph *graph = NULL, *result = NULL;
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_closure(context, graph, NULL, &result), GEODISK_OK);
  geodisk_graph_destroy(graph);
  return result;
}

/* Every edge of `part` is one of the whole graph, and none of those that can be walked to. */
static void assert_cannot_be_walked(const geodisk_graph *part, const geodisk_graph *walked) {
  const geodisk_graph_rows out = geodisk_graph_out(part);
  assert_consistent(part);
  for (uint32_t u = 0; u < NODES; u++)
    for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++) {
      assert_true(geodisk_graph_has_edge(closed, u, out.nodes[e]));
      assert_false(geodisk_graph_has_edge(walked, u, out.nodes[e]));
    }
}

static void parents_are_lost(void **state) {
  (void)state;
  const geodisk_graph_rows out = geodisk_graph_out(basic);
  size_t several = 0;
  for (uint32_t u = 0; u < NODES; u++)
    several += row(&out, u) > 1;
  for (uint64_t seed = 0; seed < 5; seed++) {
    const geodisk_split_options options = {.validation = 10, .test = 20, .seed = seed, .protocol = GEODISK_PROTOCOL_PARENTS};
    geodisk_split s = split_by(&options);
    geodisk_graph *walked = closure_of(s.train, NULL);
    assert_null(s.given);
    assert_int_equal(s.candidates, several);
    assert_int_equal(geodisk_graph_edges(s.validation), (several * 10 + 50) / 100);
    assert_int_equal(geodisk_graph_edges(s.test), (several * 20 + 50) / 100);
    assert_cannot_be_walked(s.validation, walked);
    assert_cannot_be_walked(s.test, walked);
    assert_int_equal(geodisk_graph_edges(walked), geodisk_graph_edges(s.train)); /* what follows from what is left is there */
    const geodisk_graph_rows train = geodisk_graph_out(s.train), test = geodisk_graph_out(s.test),
                             validation = geodisk_graph_out(s.validation);
    for (uint32_t u = 0; u < NODES; u++) {
      const size_t lost = row(&test, u) + row(&validation, u);
      assert_true(lost <= (row(&out, u) > 1)); /* one, of several */
      assert_true(row(&train, u) > 0 || row(&out, u) == 0);
      for (uint64_t e = test.offsets[u]; e < test.offsets[u + 1]; e++)
        assert_true(geodisk_graph_has_edge(basic, u, test.nodes[e]));
      size_t kept = 0;
      for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++)
        kept += geodisk_graph_has_edge(s.train, u, out.nodes[e]);
      assert_int_equal(kept + lost, row(&out, u));
    }
    geodisk_graph_destroy(walked);
    destroy_split(&s);
  }
}

/* Whether a node is taken out: it has no edge in training, though it has parents. */
static bool is_out(const geodisk_split *s, uint32_t u) {
  const geodisk_graph_rows up = geodisk_graph_out(s->train), down = geodisk_graph_in(s->train), all = geodisk_graph_out(basic);
  return row(&up, u) + row(&down, u) == 0 && row(&all, u) > 0;
}

static void nodes_are_taken_out(void **state) {
  (void)state;
  static const struct {
    geodisk_given given;
    size_t leaves, inner, most;
  } cases[] = {{GEODISK_GIVEN_ANCESTOR, 20, 10, 1},
               {GEODISK_GIVEN_TWO_ANCESTORS, 20, 10, 2},
               {GEODISK_GIVEN_PARENT, 20, 10, 1},
               {GEODISK_GIVEN_CHILDREN, 0, 12, 3}};
  const geodisk_graph_rows up = geodisk_graph_out(basic), down = geodisk_graph_in(basic);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const geodisk_split_options options = {.validation = 5,
                                           .test = 5,
                                           .seed = i,
                                           .protocol = GEODISK_PROTOCOL_NODES,
                                           .leaves = cases[i].leaves,
                                           .inner = cases[i].inner,
                                           .given = cases[i].given};
    geodisk_split s = split_by(&options);
    geodisk_graph *walked = closure_of(s.train, s.given), *train = closure_of(s.train, NULL);
    const geodisk_graph_rows given_up = geodisk_graph_out(s.given), given_down = geodisk_graph_in(s.given);
    size_t leaves = 0, inner = 0;
    assert_int_equal(geodisk_graph_edges(train), geodisk_graph_edges(s.train));
    if (cases[i].given != GEODISK_GIVEN_CHILDREN) /* those say something of the children's ancestors, not of the node's */
      assert_cannot_be_walked(s.test, walked);
    assert_cannot_be_walked(s.test, train);
    assert_cannot_be_walked(s.given, train);
    assert_true(geodisk_graph_edges(s.test) > 0 && geodisk_graph_edges(s.validation) > 0);
    for (uint32_t u = 0; u < NODES; u++) {
      const bool children = cases[i].given == GEODISK_GIVEN_CHILDREN;
      const size_t known = row(children ? &given_down : &given_up, u);
      if (!is_out(&s, u)) {
        assert_int_equal(known, 0);
        continue;
      }
      *(row(&down, u) == 0 ? &leaves : &inner) += 1;
      assert_in_range(known, 1, cases[i].most);
      for (uint64_t e = up.offsets[u]; e < up.offsets[u + 1]; e++)
        assert_false(is_out(&s, up.nodes[e]));
      if (cases[i].given == GEODISK_GIVEN_PARENT)
        assert_true(geodisk_graph_has_edge(basic, u, given_up.nodes[given_up.offsets[u]]));
    }
    assert_int_equal(leaves, cases[i].leaves);
    assert_int_equal(inner, cases[i].inner);
    geodisk_graph_destroy(walked);
    geodisk_graph_destroy(train);
    destroy_split(&s);
  }
}

static void seeds_decide(void **state) {
  (void)state;
  for (int p = GEODISK_PROTOCOL_PARENTS; p <= GEODISK_PROTOCOL_NODES; p++) {
    uint64_t prints[3];
    for (int i = 0; i < 3; i++) {
      const geodisk_split_options options = {
          .validation = 10, .test = 10, .seed = i == 2, .protocol = (geodisk_protocol)p, .leaves = 10, .inner = 5};
      geodisk_split s = split_by(&options);
      prints[i] = geodisk_graph_fingerprint(s.train) ^ geodisk_graph_fingerprint(s.test);
      destroy_split(&s);
    }
    assert_true(prints[0] == prints[1] && prints[0] != prints[2]);
  }
}

static void refused(const geodisk_graph *graph, const geodisk_split_options *options, const char *text) {
  geodisk_split s;
  assert_int_equal(geodisk_graph_split(context, graph, options, &s), GEODISK_ERROR_ARGUMENT);
  if (strstr(geodisk_context_error(context), text) == NULL)
    fail_msg("'%s' does not say '%s'", geodisk_context_error(context), text);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  geodisk_graph *tree = graph_of("b a\nc a\nd b\n"), *ring = graph_of("a b\nb c\nc a\n");
  const geodisk_split_options parents = {.test = 10, .protocol = GEODISK_PROTOCOL_PARENTS},
                              many = {.test = 10, .protocol = GEODISK_PROTOCOL_NODES, .leaves = 3},
                              children = {.test = 10,
                                          .protocol = GEODISK_PROTOCOL_NODES,
                                          .leaves = 1,
                                          .given = GEODISK_GIVEN_CHILDREN},
                              given = {.test = 10, .protocol = GEODISK_PROTOCOL_NODES, .given = (geodisk_given)9};
  refused(tree, &parents, "no node has several parents");
  refused(tree, &many, "3 leaves are to be taken out, but no more than 2");
  refused(tree, &children, "leaves have no children");
  refused(tree, &given, "9 says not what is given");
  refused(ring, &parents, "a -> b -> c -> a");
  refused(ring, &many, "a -> b -> c -> a");
  geodisk_graph_destroy(tree);
  geodisk_graph_destroy(ring);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parents_are_lost), cmocka_unit_test(nodes_are_taken_out),
                                     cmocka_unit_test(seeds_decide), cmocka_unit_test(what_cannot_be_is_refused)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* test_vectors_knowledge.c - what a model knows of its hierarchy: the decision is found, kept in the file, and gives back the
 * graph; sets, common ancestors, analogies; nodes without a reach; what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/eval.h"

/* A binary tree of depth 3 in the plane, as caps on the rim: node 0 is the root at the origin, 1 and 2 its children, ... */
enum { NODES = 15 };

typedef struct setting {
  geodisk_context *context;
  geodisk_model *model;
  geodisk_graph *closure;
} setting;

static void place_tree(double *x, double *gap, const geodisk_ball *ball) {
  for (int i = 0; i < NODES; i++) {
    int depth = 0;
    for (int up = i; up > 0; up = (up - 1) / 2)
      depth++;
    const int first = (1 << depth) - 1;
    const double angle = 6.283185307179586 * ((double)(i - first) + 0.5) / (double)(1 << depth);
    const double radius = geodisk_euclidean_from_radius(ball, 1.6 * depth);
    double *at = x + 2 * (size_t)i;
    at[0] = radius * cos(angle);
    at[1] = radius * sin(angle);
    gap[i] = geodisk_gap(ball, at);
  }
}

static int set_up(void **state) {
  static setting s;
  uint32_t child[NODES], parent[NODES];
  geodisk_graph *tree = NULL;
  for (uint32_t i = 1; i < NODES; i++) {
    child[i - 1] = i;
    parent[i - 1] = (i - 1) / 2;
  }
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = NODES - 1, .children = child, .parents = parent};
  const geodisk_model_spec spec = {.nodes = NODES, .ball = geodisk_unit_ball(2)};
  assert_int_equal(geodisk_context_create(2, &s.context), GEODISK_OK);
  assert_int_equal(geodisk_graph_create(s.context, &arrays, NULL, &tree), GEODISK_OK);
  assert_int_equal(geodisk_graph_closure(s.context, tree, NULL, &s.closure), GEODISK_OK);
  assert_int_equal(geodisk_model_create(s.context, &spec, &s.model), GEODISK_OK);
  place_tree(geodisk_model_edit_vectors(s.model), geodisk_model_edit_gap(s.model), &spec.ball);
  geodisk_graph_destroy(tree);
  *state = &s;
  return 0;
}

static int tear_down(void **state) {
  setting *s = *state;
  geodisk_model_destroy(s->model);
  geodisk_graph_destroy(s->closure);
  geodisk_context_destroy(s->context);
  return 0;
}

static bool has(const uint32_t *set, size_t n, uint32_t node) {
  for (size_t i = 0; i < n; i++)
    if (set[i] == node)
      return true;
  return false;
}

/* The answers are the tree's own, for every node and pair. */
static void assert_tree(const setting *s, const geodisk_hierarchy *h) {
  uint32_t set[NODES];
  size_t n;
  for (uint32_t c = 0; c < NODES; c++) {
    assert_int_equal(geodisk_hierarchy_ancestors(s->context, h, c, set, &n), GEODISK_OK);
    size_t expected = 0;
    for (uint32_t up = c; up > 0; up = (up - 1) / 2, expected++) {
      assert_true(expected < n);
      assert_int_equal(set[n - 1 - expected], (up - 1) / 2); /* the deepest last */
    }
    assert_int_equal(n, expected);
    assert_int_equal(geodisk_hierarchy_parents(s->context, h, c, set, &n), GEODISK_OK);
    assert_int_equal(n, c > 0);
    assert_true(c == 0 || set[0] == (c - 1) / 2);
    assert_int_equal(geodisk_hierarchy_children(s->context, h, c, set, &n), GEODISK_OK);
    assert_int_equal(n, c < 7 ? 2 : 0);
    assert_true(n == 0 || (has(set, n, 2 * c + 1) && has(set, n, 2 * c + 2)));
    assert_int_equal(geodisk_hierarchy_siblings(s->context, h, c, set, &n), GEODISK_OK);
    assert_int_equal(n, c > 0);
    assert_true(c == 0 || set[0] == (c % 2 ? c + 1 : c - 1));
    for (uint32_t p = 0; p < NODES; p++) {
      geodisk_is_a_answer a;
      assert_int_equal(geodisk_hierarchy_is_a(s->context, h, c, p, &a), GEODISK_OK);
      assert_int_equal(a.is_a, c == p || geodisk_graph_has_edge(s->closure, c, p));
      assert_true(c == p || a.is_a == (a.score <= a.threshold));
    }
  }
  assert_int_equal(geodisk_hierarchy_descendants(s->context, h, 1, set, &n), GEODISK_OK);
  assert_int_equal(n, 6);
}

static void is_learned_and_kept(void **state) {
  setting *s = *state;
  geodisk_hierarchy_info info, read_info;
  geodisk_hierarchy *h = NULL;
  bool can = false;
  assert_false(geodisk_model_hierarchy(s->model, &info));
  assert_int_equal(geodisk_hierarchy_create(s->context, s->model, NULL, &h), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(s->context), "no threshold"));
  assert_int_equal(geodisk_hierarchy_can_be_learned(s->context, s->model, s->closure, &can), GEODISK_OK);
  assert_true(can);
  assert_int_equal(geodisk_learn_hierarchy(s->context, s->model, s->closure, &info), GEODISK_OK);
  assert_true(info.recall == 1.0 && info.precision == 1.0 && info.f1 == 1.0 && info.slope > 0.0);
  assert_int_equal(geodisk_hierarchy_can_be_learned(s->context, s->model, s->closure, &can), GEODISK_OK);
  assert_false(can); /* once is enough */
  assert_int_equal(geodisk_hierarchy_create(s->context, s->model, NULL, &h), GEODISK_OK);
  assert_tree(s, h);
  geodisk_hierarchy_destroy(h);
  /* Through a file, and in float. */
  const char *path = "knowledge.safetensors";
  geodisk_model *single = NULL, *back = NULL;
  assert_int_equal(geodisk_model_copy(s->context, s->model, GEODISK_WIDTH_FLOAT, true, &single), GEODISK_OK);
  assert_int_equal(geodisk_model_write(s->context, single, path), GEODISK_OK);
  assert_int_equal(geodisk_model_read(s->context, path, &back), GEODISK_OK);
  assert_true(geodisk_model_hierarchy(back, &read_info) && read_info.own_reach);
  assert_true(read_info.threshold == info.threshold && read_info.slope == info.slope && read_info.centre == info.centre);
  assert_int_equal(geodisk_hierarchy_create(s->context, back, NULL, &h), GEODISK_OK);
  assert_tree(s, h);
  geodisk_hierarchy_destroy(h);
  geodisk_model_destroy(single);
  geodisk_model_destroy(back);
  assert_int_equal(remove(path), 0);
}

static void pairs_and_analogies(void **state) {
  setting *s = *state;
  geodisk_hierarchy *h = NULL;
  uint32_t set[NODES], common;
  size_t n;
  bool found;
  assert_int_equal(geodisk_hierarchy_create(s->context, s->model, NULL, &h), GEODISK_OK);
  static const uint32_t pairs[][3] = {{7, 8, 3}, {7, 9, 1}, {7, 14, 0}, {7, 3, 3}, {3, 7, 3}, {5, 5, 5}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    assert_int_equal(geodisk_hierarchy_common_ancestor(s->context, h, pairs[i][0], pairs[i][1], &common, &found), GEODISK_OK);
    assert_true(found && common == pairs[i][2]);
  }
  assert_int_equal(geodisk_hierarchy_analogy(s->context, h, 7, 3, 14, set, &n), GEODISK_OK); /* the parent */
  assert_true(n == 1 && set[0] == 6);
  assert_int_equal(geodisk_hierarchy_analogy(s->context, h, 7, 1, 14, set, &n), GEODISK_OK); /* its parent */
  assert_true(n == 1 && set[0] == 2);
  assert_int_equal(geodisk_hierarchy_analogy(s->context, h, 3, 7, 6, set, &n), GEODISK_OK); /* children */
  assert_true(n == 2 && has(set, n, 13) && has(set, n, 14));
  assert_int_equal(geodisk_hierarchy_analogy(s->context, h, 7, 8, 14, set, &n), GEODISK_OK); /* siblings: nothing */
  assert_int_equal(n, 0);
  geodisk_parent likely[3];
  assert_int_equal(geodisk_hierarchy_likely_parents(s->context, h, 7, 3, likely, &n), GEODISK_OK);
  assert_true(n == 3 && likely[0].node == 3 && likely[1].node == 1 && likely[2].node == 0);
  assert_true(likely[0].probability > 0.5 && likely[0].probability <= 1.0);
  assert_int_equal(geodisk_hierarchy_ancestors(s->context, h, NODES, set, &n), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_hierarchy_is_a(s->context, h, 0, NODES, &(geodisk_is_a_answer){0}), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_hierarchy_common_ancestor(s->context, h, 0, NODES, &common, &found), GEODISK_ERROR_ARGUMENT);
  geodisk_hierarchy_destroy(h);
  /* A threshold of one's own: with one that nothing passes nobody is above anybody; with a huge one all are. */
  const double none = -1e6, all = 1e6, bad = (double)NAN;
  assert_int_equal(geodisk_hierarchy_create(s->context, s->model, &none, &h), GEODISK_OK);
  assert_int_equal(geodisk_hierarchy_ancestors(s->context, h, 7, set, &n), GEODISK_OK);
  assert_int_equal(n, 0);
  assert_int_equal(geodisk_hierarchy_common_ancestor(s->context, h, 7, 14, &common, &found), GEODISK_OK);
  assert_false(found);
  geodisk_hierarchy_destroy(h);
  assert_int_equal(geodisk_hierarchy_create(s->context, s->model, &all, &h), GEODISK_OK);
  assert_int_equal(geodisk_hierarchy_ancestors(s->context, h, 7, set, &n), GEODISK_OK);
  assert_int_equal(n, NODES - 1);
  geodisk_hierarchy_destroy(h);
  assert_int_equal(geodisk_hierarchy_create(s->context, s->model, &bad, &h), GEODISK_ERROR_ARGUMENT);
}

/* New nodes have no reach: the common threshold is theirs; the others keep their own. */
static void placed_nodes(void **state) {
  setting *s = *state;
  const char *text = "new\t3\nnew\t1\n";
  geodisk_graph *edges = NULL;
  geodisk_model *more = NULL;
  geodisk_hierarchy *h = NULL;
  geodisk_parent likely[3];
  uint32_t set[NODES + 1], node;
  size_t n;
  assert_int_equal(geodisk_graph_read_memory(s->context, &(geodisk_memory_file){"new", text, strlen(text)}, NULL, NULL, &edges),
                   GEODISK_OK);
  assert_int_equal(geodisk_model_place(s->context, s->model, edges, NULL, NULL, &more), GEODISK_OK);
  assert_int_equal(geodisk_hierarchy_create(s->context, more, NULL, &h), GEODISK_OK);
  assert_true(geodisk_model_find(more, "new", 3, &node));
  assert_int_equal(geodisk_hierarchy_ancestors(s->context, h, 7, set, &n), GEODISK_OK);
  assert_int_equal(n, 3);
  assert_int_equal(geodisk_hierarchy_likely_parents(s->context, h, node, 3, likely, &n), GEODISK_OK);
  assert_true(n == 3 && (likely[0].node == 3 || likely[1].node == 3));
  assert_int_equal(geodisk_hierarchy_placed_parents(s->context, h, edges, node, 3, likely, &n), GEODISK_OK);
  assert_true(n == 3 && likely[0].node == 3); /* what was given */
  assert_int_equal(geodisk_hierarchy_placed_parents(s->context, h, edges, 8, 3, likely, &n), GEODISK_ERROR_ARGUMENT);
  geodisk_hierarchy_destroy(h);
  geodisk_model_destroy(more);
  geodisk_graph_destroy(edges);
}

/* A model of direct links learns a common threshold from what follows from them, and no reaches. */
static void is_learned_of_links(void **state) {
  setting *s = *state;
  geodisk_graph *tree = NULL;
  geodisk_model *fresh = NULL;
  geodisk_hierarchy *h = NULL;
  geodisk_hierarchy_info info;
  geodisk_is_a_answer a;
  bool can = false;
  assert_int_equal(geodisk_model_copy(s->context, s->model, GEODISK_WIDTH_AUTO, false, &fresh), GEODISK_OK);
  assert_int_equal(geodisk_graph_reduce(s->context, s->closure, &tree), GEODISK_OK);
  assert_int_equal(geodisk_hierarchy_can_be_learned(s->context, fresh, tree, &can), GEODISK_OK);
  assert_false(can); /* nobody says that its points were placed for it */
  assert_int_equal(geodisk_model_set(s->context, fresh, "options", "{\"placement\":\"arcs\"}"), GEODISK_OK);
  assert_int_equal(geodisk_hierarchy_can_be_learned(s->context, fresh, tree, &can), GEODISK_OK);
  assert_true(can);
  assert_int_equal(geodisk_learn_hierarchy(s->context, fresh, tree, &info), GEODISK_OK);
  assert_true(!info.own_reach && info.f1 > 0.9 && info.slope > 0.0);
  assert_int_equal(geodisk_hierarchy_create(s->context, fresh, NULL, &h), GEODISK_OK);
  size_t right = 0;
  for (uint32_t c = 0; c < NODES; c++)
    for (uint32_t p = 0; p < NODES; p++) {
      assert_int_equal(geodisk_hierarchy_is_a(s->context, h, c, p, &a), GEODISK_OK);
      assert_true(c == p || a.threshold == info.threshold);
      right += a.is_a == (c == p || geodisk_graph_has_edge(s->closure, c, p));
    }
  assert_true(right >= NODES * NODES * 9 / 10);
  geodisk_hierarchy_destroy(h);
  geodisk_model_destroy(fresh);
  geodisk_graph_destroy(tree);
}

static void what_cannot_be_learned(void **state) {
  setting *s = *state;
  geodisk_graph *ring = NULL;
  geodisk_model *flat = NULL, *fresh = NULL;
  bool can = true;
  const geodisk_model_spec spec = {.nodes = NODES, .ball = geodisk_unit_ball(2), .space = GEODISK_SPACE_EUCLIDEAN};
  assert_int_equal(geodisk_model_create(s->context, &spec, &flat), GEODISK_OK);
  assert_int_equal(geodisk_model_copy(s->context, s->model, GEODISK_WIDTH_AUTO, false, &fresh), GEODISK_OK);
  assert_int_equal(geodisk_hierarchy_can_be_learned(s->context, flat, s->closure, &can), GEODISK_OK);
  assert_false(can);
  assert_int_equal(geodisk_learn_hierarchy(s->context, flat, s->closure, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_graph_undirected(s->context, s->closure, &ring), GEODISK_OK);
  assert_int_equal(geodisk_hierarchy_can_be_learned(s->context, fresh, ring, &can), GEODISK_OK);
  assert_false(can); /* cycles */
  geodisk_model_destroy(flat);
  geodisk_model_destroy(fresh);
  geodisk_graph_destroy(ring);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_learned_and_kept), cmocka_unit_test(pairs_and_analogies),
                                     cmocka_unit_test(placed_nodes), cmocka_unit_test(is_learned_of_links),
                                     cmocka_unit_test(what_cannot_be_learned)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

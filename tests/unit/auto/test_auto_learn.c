/* test_auto_learn.c - what a model gets when its training has ended: beside the vectors of a tree's direct links an order that
 * knows the whole tree, through files and copies and after nodes were placed; closures that are learned well, networks and flat
 * space get none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/auto.h"

enum { NODES = 200, MORE = NODES + 3 };

typedef struct setting {
  geodisk_context *context;
  geodisk_graph *tree, *closure;
  uint32_t parent[NODES];
} setting;

static int set_up(void **state) {
  static setting s;
  uint32_t child[NODES], parent[NODES];
  geodisk_random random = geodisk_random_stream(3, 0);
  assert_int_equal(geodisk_context_create(2, &s.context), GEODISK_OK);
  for (uint32_t i = 1; i < NODES; i++) {
    child[i - 1] = i;
    parent[i - 1] = s.parent[i] = (uint32_t)geodisk_random_below(&random, i);
  }
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = NODES - 1, .children = child, .parents = parent};
  assert_int_equal(geodisk_graph_create(s.context, &arrays, NULL, &s.tree), GEODISK_OK);
  assert_int_equal(geodisk_graph_closure(s.context, s.tree, NULL, &s.closure), GEODISK_OK);
  *state = &s;
  return 0;
}

static int tear_down(void **state) {
  setting *s = *state;
  geodisk_graph_destroy(s->tree);
  geodisk_graph_destroy(s->closure);
  geodisk_context_destroy(s->context);
  return 0;
}

/* All points at the origin: whatever is answered right comes from elsewhere. */
static geodisk_model *blank(const setting *s, geodisk_space space) {
  const geodisk_model_spec spec = {.nodes = NODES, .ball = geodisk_unit_ball(3), .space = space};
  geodisk_model *model = NULL;
  assert_int_equal(geodisk_model_create(s->context, &spec, &model), GEODISK_OK);
  return model;
}

static bool is_above(const setting *s, uint32_t p, uint32_t c) {
  while (c > 0 && c != p)
    c = s->parent[c];
  return c == p;
}

/* Every node's parent and ancestors, asked of a model. */
static void assert_tree(const setting *s, const geodisk_model *model) {
  geodisk_hierarchy *h = NULL;
  uint32_t set[MORE];
  size_t n;
  assert_int_equal(geodisk_hierarchy_create(s->context, model, NULL, &h), GEODISK_OK);
  for (uint32_t c = 0; c < NODES; c++) {
    assert_int_equal(geodisk_hierarchy_ancestors(s->context, h, c, set, &n), GEODISK_OK);
    size_t old = 0, above = 0;
    for (size_t i = 0; i < n; i++) {
      old += set[i] < NODES;
      assert_true(set[i] >= NODES || (set[i] != c && is_above(s, set[i], c)));
    }
    for (uint32_t up = c; up > 0; up = s->parent[up])
      above++;
    assert_int_equal(old, above);
    assert_true(c == 0 || old < n || set[n - 1] == s->parent[c]);
  }
  geodisk_hierarchy_destroy(h);
}

static void a_tree(void **state) {
  const setting *s = *state;
  geodisk_model *model = blank(s, GEODISK_SPACE_HYPERBOLIC), *single = NULL, *back = NULL, *again = NULL;
  geodisk_hierarchy_info info;
  bool learned = false;
  assert_int_equal(geodisk_auto_learn(s->context, model, s->tree, &learned), GEODISK_OK);
  assert_true(learned && geodisk_model_hierarchy(model, &info));
  assert_true(info.order && !info.own_reach && info.f1 == 1.0);
  assert_tree(s, model);
  /* Nothing of it is from the threads or the vectors, and it is done once. */
  geodisk_context *alone = NULL;
  assert_int_equal(geodisk_context_create(1, &alone), GEODISK_OK);
  again = blank(s, GEODISK_SPACE_HYPERBOLIC);
  assert_int_equal(geodisk_auto_learn(alone, again, s->tree, NULL), GEODISK_OK);
  assert_memory_equal(geodisk_model_order(again), geodisk_model_order(model), NODES * 3 * sizeof(double));
  assert_int_equal(geodisk_auto_learn(alone, again, s->tree, &learned), GEODISK_OK);
  assert_false(learned);
  geodisk_context_destroy(alone);
  /* In float, through a file. */
  const char *path = "auto_learn.safetensors";
  assert_int_equal(geodisk_model_copy(s->context, model, GEODISK_WIDTH_FLOAT, true, &single), GEODISK_OK);
  assert_int_equal(geodisk_model_write(s->context, single, path), GEODISK_OK);
  assert_int_equal(geodisk_model_read(s->context, path, &back), GEODISK_OK);
  assert_true(geodisk_model_hierarchy(back, &info) && info.order);
  assert_tree(s, back);
  assert_int_equal(remove(path), 0);
  geodisk_model_destroy(model);
  geodisk_model_destroy(again);
  geodisk_model_destroy(single);
  geodisk_model_destroy(back);
}

/* Half of the edges that follow from others, beside the tree's own: more loops than hierarchies have. */
static void a_part_of_a_closure(void **state) {
  const setting *s = *state;
  const geodisk_split_options options = {
      .validation = 5, .test = 5, .protocol = GEODISK_PROTOCOL_ENTAILMENT, .closure_share = 50};
  geodisk_split split;
  geodisk_kind_info kind;
  geodisk_model *model = NULL, *arcs = NULL;
  geodisk_hierarchy_info info;
  assert_int_equal(geodisk_graph_split(s->context, s->closure, &options, &split), GEODISK_OK);
  assert_int_equal(geodisk_graph_tell_kind(s->context, split.train, &kind), GEODISK_OK);
  assert_int_equal(kind.kind, GEODISK_KIND_NETWORK);
  const geodisk_model_spec spec = {.nodes = NODES, .ball = geodisk_unit_ball(3)};
  assert_int_equal(geodisk_model_create(s->context, &spec, &model), GEODISK_OK);
  assert_int_equal(geodisk_model_create(s->context, &spec, &arcs), GEODISK_OK);
  assert_int_equal(geodisk_auto_learn(s->context, model, split.train, NULL), GEODISK_OK);
  assert_true(geodisk_model_hierarchy(model, &info) && info.order && info.f1 > 0.999);
  /* One that was placed for it needs none. */
  assert_int_equal(geodisk_model_set(s->context, arcs, "options", "{\"placement\":\"arcs\"}"), GEODISK_OK);
  assert_int_equal(geodisk_auto_learn(s->context, arcs, split.train, NULL), GEODISK_OK);
  assert_true(geodisk_model_hierarchy(arcs, &info) && !info.order);
  geodisk_model_destroy(model);
  geodisk_model_destroy(arcs);
  geodisk_split_free(&split);
}

/* A leaf, a node below that, and one around a node: they are where they were said to be, and the others stay. */
static void placed_nodes(void **state) {
  const setting *s = *state;
  geodisk_model *model = blank(s, GEODISK_SPACE_HYPERBOLIC), *more = NULL;
  geodisk_graph *edges = NULL;
  geodisk_hierarchy *h = NULL;
  uint32_t leaf = 0, below = 0, middle = 0, set[MORE];
  size_t n;
  char text[100];
  assert_int_equal(geodisk_auto_learn(s->context, model, s->tree, NULL), GEODISK_OK);
  uint32_t deep = NODES - 1; /* some node with parents above its own */
  while (deep > 1 && (s->parent[deep] == 0 || s->parent[s->parent[deep]] == 0))
    deep--;
  snprintf(text, sizeof text, "leaf\t%u\nbelow\tleaf\n%u\tmiddle\n", (unsigned)s->parent[deep], (unsigned)deep);
  assert_int_equal(geodisk_graph_read_memory(s->context, &(geodisk_memory_file){"new", text, strlen(text)}, NULL, NULL, &edges),
                   GEODISK_OK);
  assert_int_equal(geodisk_model_place(s->context, model, edges, NULL, NULL, &more), GEODISK_OK);
  assert_tree(s, more);
  assert_memory_equal(geodisk_model_order(more), geodisk_model_order(model), NODES * 3 * sizeof(double));
  assert_true(geodisk_model_find(more, "leaf", 4, &leaf) && geodisk_model_find(more, "below", 5, &below) &&
              geodisk_model_find(more, "middle", 6, &middle));
  assert_int_equal(geodisk_hierarchy_create(s->context, more, NULL, &h), GEODISK_OK);
  assert_int_equal(geodisk_hierarchy_parents(s->context, h, leaf, set, &n), GEODISK_OK);
  assert_true(n == 1 && set[0] == s->parent[deep]);
  assert_int_equal(geodisk_hierarchy_parents(s->context, h, below, set, &n), GEODISK_OK);
  assert_true(n == 1 && set[0] == leaf);
  assert_int_equal(geodisk_hierarchy_parents(s->context, h, middle, set, &n), GEODISK_OK);
  assert_true(n == 1 && set[0] == s->parent[deep]);
  assert_int_equal(geodisk_hierarchy_parents(s->context, h, deep, set, &n), GEODISK_OK);
  assert_true(n == 1 && set[0] == middle);
  geodisk_hierarchy_destroy(h);
  geodisk_graph_destroy(edges);
  geodisk_model_destroy(more);
  geodisk_model_destroy(model);
}

static void train(const setting *s, const geodisk_graph *graph, int dim, geodisk_model **out) {
  geodisk_train_options options = geodisk_train_defaults();
  geodisk_trainer *trainer = NULL;
  geodisk_model *view = NULL;
  options.dim = dim;
  assert_int_equal(geodisk_auto_trainer(s->context, graph, &options, NULL, &trainer), GEODISK_OK);
  while (geodisk_trainer_position(trainer) < geodisk_trainer_epochs(trainer)) {
    geodisk_train_epoch epoch;
    assert_int_equal(geodisk_trainer_epoch(trainer, &epoch), GEODISK_OK);
  }
  assert_int_equal(geodisk_trainer_model(trainer, &view), GEODISK_OK);
  assert_int_equal(geodisk_model_copy(s->context, view, GEODISK_WIDTH_AUTO, true, out), GEODISK_OK);
  geodisk_model_destroy(view);
  geodisk_trainer_destroy(trainer);
}

/* The vectors of a closure tell what is above what; if they do not, an order does. */
static void a_closure(void **state) {
  const setting *s = *state;
  geodisk_model *model = NULL, *nothing = blank(s, GEODISK_SPACE_HYPERBOLIC);
  geodisk_hierarchy_info info;
  train(s, s->closure, 10, &model);
  assert_int_equal(geodisk_auto_learn(s->context, model, s->closure, NULL), GEODISK_OK);
  assert_true(geodisk_model_hierarchy(model, &info) && info.own_reach && !info.order && !info.near);
  assert_null(geodisk_model_order(model));
  assert_tree(s, model);
  assert_int_equal(geodisk_auto_learn(s->context, nothing, s->closure, NULL), GEODISK_OK);
  assert_true(geodisk_model_hierarchy(nothing, &info) && info.order && !info.own_reach);
  assert_tree(s, nothing);
  geodisk_model_destroy(model);
  geodisk_model_destroy(nothing);
}

enum { EACH = 3 };

/* Every node below three others. */
static geodisk_graph *of_many_parents(const setting *s) {
  uint32_t child[NODES * EACH], parent[NODES * EACH];
  size_t edges = 0;
  geodisk_graph *graph = NULL;
  geodisk_random random = geodisk_random_stream(5, 0);
  for (uint32_t i = EACH; i < NODES; i++)
    for (int k = 0; k < EACH; k++) {
      child[edges] = i;
      parent[edges++] = (uint32_t)geodisk_random_below(&random, i);
    }
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = edges, .children = child, .parents = parent};
  assert_int_equal(geodisk_graph_create(s->context, &arrays, NULL, &graph), GEODISK_OK);
  return graph;
}

/* No order in a plane knows them all, but vectors trained on the links have them nearest. */
static void many_parents(void **state) {
  const setting *s = *state;
  uint32_t set[NODES];
  size_t right = 0, n;
  geodisk_graph *graph = of_many_parents(s);
  geodisk_model *model = NULL, *copy = NULL;
  geodisk_hierarchy *h = NULL;
  geodisk_hierarchy_info info;
  geodisk_is_a_answer answer;
  const char *path = "auto_learn_near.safetensors";
  train(s, graph, 10, &model);
  assert_int_equal(geodisk_auto_learn(s->context, model, graph, NULL), GEODISK_OK);
  assert_true(geodisk_model_hierarchy(model, &info) && info.order && info.near && !info.own_reach);
  assert_int_equal(geodisk_model_write(s->context, model, path), GEODISK_OK);
  assert_int_equal(geodisk_model_read(s->context, path, &copy), GEODISK_OK);
  assert_int_equal(remove(path), 0);
  assert_int_equal(geodisk_hierarchy_create(s->context, copy, NULL, &h), GEODISK_OK);
  for (uint32_t c = EACH; c < NODES; c++) {
    assert_int_equal(geodisk_hierarchy_parents(s->context, h, c, set, &n), GEODISK_OK);
    right += n > 0 && geodisk_graph_has_edge(graph, c, set[0]);
    assert_int_equal(geodisk_hierarchy_is_a(s->context, h, c, set[0], &answer), GEODISK_OK);
    assert_true(n == 0 || (answer.is_a && answer.probability >= 0.5));
  }
  assert_true((double)right > 0.98 * (NODES - EACH));
  geodisk_hierarchy_destroy(h);
  geodisk_model_forget_hierarchy(copy);
  assert_false(geodisk_model_hierarchy(copy, &info));
  assert_null(geodisk_model_order(copy));
  geodisk_model_destroy(model);
  geodisk_model_destroy(copy);
  geodisk_graph_destroy(graph);
}

/* The closure of that, in too few dimensions for its ranks: the nearest nodes are above, but seldom a direct parent first. */
static void many_ancestors(void **state) {
  const setting *s = *state;
  uint32_t set[NODES];
  size_t right = 0, n;
  geodisk_graph *graph = of_many_parents(s), *closure = NULL, *basic = NULL;
  geodisk_model *model = NULL;
  geodisk_hierarchy *h = NULL;
  geodisk_hierarchy_info info;
  assert_int_equal(geodisk_graph_closure(s->context, graph, NULL, &closure), GEODISK_OK);
  assert_int_equal(geodisk_graph_reduce(s->context, graph, &basic), GEODISK_OK);
  train(s, closure, 5, &model);
  assert_int_equal(geodisk_auto_learn(s->context, model, closure, NULL), GEODISK_OK);
  assert_true(geodisk_model_hierarchy(model, &info) && info.order && info.near);
  assert_int_equal(geodisk_hierarchy_create(s->context, model, NULL, &h), GEODISK_OK);
  for (uint32_t c = EACH; c < NODES; c++) {
    assert_int_equal(geodisk_hierarchy_parents(s->context, h, c, set, &n), GEODISK_OK);
    right += n > 0 && geodisk_graph_has_edge(basic, c, set[0]);
  }
  assert_true((double)right > 0.83 * (NODES - EACH));
  geodisk_hierarchy_destroy(h);
  geodisk_model_destroy(model);
  geodisk_graph_destroy(basic);
  geodisk_graph_destroy(closure);
  geodisk_graph_destroy(graph);
}

static void who_gets_none(void **state) {
  const setting *s = *state;
  geodisk_graph *network = NULL;
  assert_int_equal(geodisk_graph_undirected(s->context, s->tree, &network), GEODISK_OK);
  const struct {
    const geodisk_graph *graph;
    geodisk_space space;
    bool learned;
  } cases[] = {{network, GEODISK_SPACE_HYPERBOLIC, false}, {s->tree, GEODISK_SPACE_EUCLIDEAN, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_model *model = blank(s, cases[i].space);
    geodisk_hierarchy_info info;
    bool learned = !cases[i].learned;
    assert_int_equal(geodisk_auto_learn(s->context, model, cases[i].graph, &learned), GEODISK_OK);
    assert_int_equal(learned, cases[i].learned);
    assert_int_equal(geodisk_model_hierarchy(model, &info), learned);
    assert_null(geodisk_model_order(model));
    geodisk_model_destroy(model);
  }
  geodisk_graph_destroy(network);
}

static void what_is_refused(void **state) {
  const setting *s = *state;
  geodisk_model *model = blank(s, GEODISK_SPACE_HYPERBOLIC);
  double points[NODES * 3] = {0};
  for (size_t i = 0; i < NODES; i++)
    points[3 * i + 2] = 1.0;
  points[3 * 7] = 0.5; /* whose gap is not 1 */
  assert_int_equal(geodisk_model_set_order(s->context, model, points), GEODISK_ERROR_NUMERIC);
  assert_non_null(strstr(geodisk_context_error(s->context), "point 7"));
  assert_null(geodisk_model_order(model));
  points[3 * 7] = 0.0;
  assert_int_equal(geodisk_model_set_order(s->context, model, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_model_set_order(s->context, NULL, points), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_model_set_order(s->context, model, points), GEODISK_OK);
  assert_int_equal(geodisk_model_set_order(s->context, model, points), GEODISK_ERROR_ARGUMENT);
  geodisk_model_destroy(model);
  model = blank(s, GEODISK_SPACE_HYPERBOLIC);
  assert_int_equal(geodisk_auto_learn(s->context, model, s->closure, NULL), GEODISK_OK);
  assert_int_equal(geodisk_model_set_order(s->context, model, points), GEODISK_ERROR_ARGUMENT); /* it has a decision */
  geodisk_model_destroy(model);
  /* What lies nearer to the centre is not below, however it scores. */
  assert_true(geodisk_order_score(1.0, 2.0, 3.0) == -2.0 && geodisk_order_score(1.0, 3.0, 2.0) == 4.0 &&
              geodisk_order_score(1.0, 2.0, 2.0) == 3.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_tree),        cmocka_unit_test(a_part_of_a_closure),
                                     cmocka_unit_test(placed_nodes),  cmocka_unit_test(a_closure),
                                     cmocka_unit_test(many_parents),  cmocka_unit_test(many_ancestors),
                                     cmocka_unit_test(who_gets_none), cmocka_unit_test(what_is_refused)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

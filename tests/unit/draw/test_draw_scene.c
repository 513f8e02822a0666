/* test_draw_scene.c - scenes: which edges are drawn, the forest of main parents, counts, branches, what is left out. */
#include "graph_testing.h"

#include <math.h>

#include "geodisk/draw.h"

static geodisk_context *context;

static int start(void **state) {
  (void)state;
  return geodisk_context_create(2, &context) == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return 0;
}

/* A model of the names in one string, separated by blanks, at the given points (n x dim). */
static geodisk_model *model_of(const char *names, int dim, double radius, const double *x) {
  static char text[4096];
  const char *list[256];
  size_t n = 0;
  snprintf(text, sizeof text, "%s", names);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
    list[n++] = word;
  const geodisk_model_spec spec = {.nodes = n, .ball = {dim, radius, 1}, .name_list = list};
  geodisk_model *model = NULL;
  assert_int_equal(geodisk_model_create(context, &spec, &model), GEODISK_OK);
  const geodisk_ball ball = geodisk_model_ball(model);
  for (size_t i = 0; x != NULL && i < n; i++) {
    memcpy(geodisk_model_edit_vectors(model) + i * (size_t)dim, x + i * (size_t)dim, (size_t)dim * sizeof *x);
    geodisk_model_edit_gap(model)[i] = geodisk_gap(&ball, x + i * (size_t)dim);
  }
  return model;
}

static geodisk_scene *scene_of(const geodisk_model *model, const geodisk_graph *graph, const geodisk_scene_options *options) {
  geodisk_scene *scene = NULL;
  if (geodisk_scene_create(context, model, graph, options, &scene) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  return scene;
}

static uint32_t at(const geodisk_scene *scene, const char *name) {
  uint32_t i = GEODISK_NODE_NONE;
  if (!geodisk_scene_find(scene, name, &i))
    fail_msg("no '%s' in the scene", name);
  assert_string_equal(geodisk_scene_name(scene, i), name);
  return i;
}

static bool drawn(const geodisk_scene *scene, const char *child, const char *parent) {
  const uint32_t u = at(scene, child), v = at(scene, parent);
  for (size_t e = 0; e < scene->edges; e++)
    if (scene->edge_child[e] == u && scene->edge_parent[e] == v)
      return true;
  return false;
}

/* What holds of every scene. */
static void assert_sound(const geodisk_scene *scene) {
  for (size_t i = 0; i < scene->nodes; i++) {
    const uint32_t u = scene->order[i], p = scene->parent[u];
    assert_true(i == 0 || scene->node[i] > scene->node[i - 1]);
    assert_int_equal(scene->depth[u], p == GEODISK_NODE_NONE ? 0 : scene->depth[p] + 1);
    bool before = p == GEODISK_NODE_NONE;
    for (size_t j = 0; j < i; j++)
      before = before || scene->order[j] == p;
    assert_true(before);
    const double *x = scene->x + 2 * i;
    assert_true(x[0] * x[0] + x[1] * x[1] <= 1 && scene->gap[i] > 0 && scene->gap[i] <= 1);
    assert_true(scene->branch[i] < scene->branches || scene->branch[i] >= GEODISK_BRANCH_OTHER);
  }
  for (size_t e = 0; e < scene->edges; e++) {
    assert_true(scene->edge_child[e] < scene->nodes && scene->edge_parent[e] < scene->nodes);
    assert_true(e == 0 || scene->edge_child[e] > scene->edge_child[e - 1] ||
                (scene->edge_child[e] == scene->edge_child[e - 1] && scene->edge_parent[e] > scene->edge_parent[e - 1]));
  }
}

/* top <- a, b; c below a and b, nearer to b; d below c; top is also written as a parent of c and d. */
static const char diamond[] = "a\ttop\nb\ttop\nc\ta\nc\tb\nd\tc\nc\ttop\nd\ttop\nd\ta\n";
static const char diamond_names[] = "d c b a top alone";
static const double diamond_points[] = {0.6, 0.1, 0.4, 0.1, 0.2, 0.1, -0.2, 0.1, 0, 0, -0.5, -0.5};

static void reduction_and_main_parents(void **state) {
  (void)state;
  geodisk_graph *graph = graph_of(diamond);
  geodisk_model *model = model_of(diamond_names, 2, 1, diamond_points);
  geodisk_scene *scene = scene_of(model, graph, NULL);
  assert_sound(scene);
  assert_int_equal(scene->nodes, 6);
  assert_int_equal(scene->edges, 5);
  assert_true(drawn(scene, "d", "c") && drawn(scene, "c", "a") && drawn(scene, "c", "b") && drawn(scene, "a", "top"));
  assert_false(drawn(scene, "d", "top") || drawn(scene, "c", "top"));
  assert_int_equal(scene->parent[at(scene, "c")], at(scene, "b")); /* the nearer one */
  assert_int_equal(scene->parent[at(scene, "top")], GEODISK_NODE_NONE);
  assert_int_equal(scene->parent[at(scene, "alone")], GEODISK_NODE_NONE);
  assert_int_equal(scene->depth[at(scene, "d")], 3);
  assert_true(scene->descendants_exact && !scene->network && scene->has_graph && scene->unknown == 0);
  assert_int_equal(scene->implied, 3);
  assert_string_equal(scene->why, "it is a transitive closure");
  assert_int_equal(scene->descendants[at(scene, "top")], 4);
  assert_int_equal(scene->descendants[at(scene, "a")], 2); /* c and d, though their main way up is over b */
  assert_int_equal(scene->children[at(scene, "top")], 2);
  assert_int_equal(scene->children[at(scene, "a")], 1);
  assert_int_equal(scene->order[0], at(scene, "top"));
  assert_int_equal(scene->order[1], at(scene, "b")); /* the larger tree first */
  assert_false(scene->projection.projected);
  for (size_t i = 0; i < 6; i++) {
    assert_true(scene->x[2 * i] == diamond_points[2 * i] && scene->x[2 * i + 1] == diamond_points[2 * i + 1]);
    assert_true(scene->gap[i] == geodisk_model_gap(model)[i]);
  }
  geodisk_scene_destroy(scene);

  const geodisk_scene_options all = {.all_edges = true};
  scene = scene_of(model, graph, &all);
  assert_sound(scene);
  assert_int_equal(scene->edges, 8);
  assert_int_equal(scene->implied, 0);
  assert_true(drawn(scene, "d", "top"));
  assert_int_equal(scene->children[at(scene, "top")], 2);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
  geodisk_graph_destroy(graph);
}

static void parts(void **state) {
  (void)state;
  geodisk_graph *graph = graph_of(diamond);
  geodisk_model *model = model_of(diamond_names, 2, 1, diamond_points);
  const geodisk_scene_options below = {.below = "a"}, few = {.max_nodes = 3}, none = {.below = "tip"};
  geodisk_scene *scene = scene_of(model, graph, &below);
  uint32_t i = 77;
  assert_sound(scene);
  assert_int_equal(scene->nodes, 3);
  assert_int_equal(scene->parent[at(scene, "c")], at(scene, "a")); /* b is not there */
  assert_false(geodisk_scene_find(scene, "top", &i) || geodisk_scene_find(scene, "nobody", &i));
  assert_int_equal(i, 77);
  geodisk_scene_destroy(scene);

  scene = scene_of(model, graph, &few); /* top has 4 below it, a and b 2 each */
  assert_sound(scene);
  assert_int_equal(scene->nodes, 3);
  assert_int_equal(scene->edges, 2);
  assert_int_equal(scene->descendants[at(scene, "a")], 2);
  at(scene, "top");
  at(scene, "b");
  geodisk_scene_destroy(scene);

  scene = (geodisk_scene *)7;
  assert_int_equal(geodisk_scene_create(context, model, graph, &none, &scene), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "no node 'tip'; did you mean 'top'?");
  assert_int_equal(geodisk_scene_create(context, model, NULL, &below, &scene), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_scene_create(context, NULL, NULL, NULL, &scene), GEODISK_ERROR_ARGUMENT);
  geodisk_graph *strangers = graph_of("p\tq\n");
  assert_int_equal(geodisk_scene_create(context, model, strangers, NULL, &scene), GEODISK_ERROR_ARGUMENT);
  assert_true(scene == (geodisk_scene *)7);
  geodisk_graph_destroy(strangers);
  geodisk_model_destroy(model);
  geodisk_graph_destroy(graph);
}

static void without_a_graph(void **state) {
  (void)state;
  const double x[] = {1, -1.5};
  geodisk_model *model = model_of("p q", 1, 2, x); /* dim 1: on the diameter; radius 2: halved */
  geodisk_scene *scene = scene_of(model, NULL, NULL);
  assert_sound(scene);
  assert_false(scene->has_graph);
  assert_int_equal(scene->edges, 0);
  assert_int_equal(scene->branches, 0);
  assert_true(scene->x[0] == 0.5 && scene->x[1] == 0 && scene->x[2] == -0.75 && scene->x[3] == 0);
  assert_true(scene->gap[0] == 0.75);
  geodisk_scene_destroy(scene);
  geodisk_scene_destroy(NULL);
  geodisk_model_destroy(model);
}

/* A hierarchy that is no closure loses no edge: the one that others imply was written on purpose. */
static void few_implied(void **state) {
  (void)state;
  geodisk_graph *graph = graph_of("a\ttop\nb\ta\nc\tb\nd\tc\ne\td\ne\ttop\n");
  const double x[] = {0.1, 0, 0.2, 0, 0.3, 0, 0.4, 0, 0.5, 0, 0, 0};
  geodisk_model *model = model_of("a b c d e top", 2, 1, x);
  geodisk_scene *scene = scene_of(model, graph, NULL);
  assert_sound(scene);
  assert_false(scene->network);
  assert_int_equal(scene->edges, 6);
  assert_int_equal(scene->implied, 0);
  assert_int_equal(scene->parent[at(scene, "e")], at(scene, "d"));
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
  geodisk_graph_destroy(graph);
}

/* A complete binary tree of depth 5: the halves are looked into, four trees of fifteen nodes get the colours. */
static void branches(void **state) {
  (void)state;
  const geodisk_generate_options tree = {.kind = GEODISK_GENERATOR_TREE, .branching = 2, .depth = 5};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_generate(context, &tree, &graph), GEODISK_OK);
  const geodisk_model_spec spec = {.nodes = 63, .ball = {2, 1, 1}};
  geodisk_model *model = NULL;
  assert_int_equal(geodisk_model_create(context, &spec, &model), GEODISK_OK);
  geodisk_scene *scene = scene_of(model, graph, NULL);
  assert_sound(scene);
  size_t in_branch[GEODISK_SCENE_BRANCHES] = {0}, trunk = 0;
  for (size_t i = 0; i < 63; i++) {
    if (scene->branch[i] < GEODISK_SCENE_BRANCHES)
      in_branch[scene->branch[i]]++;
    trunk += scene->branch[i] == GEODISK_BRANCH_TRUNK;
    if (scene->depth[i] > 2)
      assert_int_equal(scene->branch[i], scene->branch[scene->parent[i]]);
  }
  assert_int_equal(scene->branches, 4);
  assert_int_equal(trunk, 3);
  for (size_t b = 0; b < scene->branches; b++) {
    assert_int_equal(in_branch[b], scene->branch_size[b]);
    assert_int_equal(scene->branch_size[b], 15);
    assert_int_equal(scene->depth[scene->branch_node[b]], 2);
  }
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
  geodisk_graph_destroy(graph);

  for (unsigned a = 0; a < GEODISK_SCENE_BRANCHES; a++)
    for (unsigned b = 0; b < a; b++)
      assert_true(geodisk_branch_colour(a, false) != geodisk_branch_colour(b, false) &&
                  geodisk_branch_colour(a, true) != geodisk_branch_colour(b, true));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reduction_and_main_parents),
      cmocka_unit_test(parts),
      cmocka_unit_test(without_a_graph),
      cmocka_unit_test(few_implied),
      cmocka_unit_test(branches),
  };
  return cmocka_run_group_tests(tests, start, finish);
}

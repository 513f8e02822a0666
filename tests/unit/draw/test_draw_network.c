/* test_draw_network.c - networks in pictures: all their edges, communities as colours, the barycenter in the middle, hubs. */
#include "graph_testing.h"

#include <math.h>
#include <unistd.h>

#include "geodisk/draw.h"
#include "geodisk/mean.h"

static const char path[] = "test_draw_network.svg";
static geodisk_context *context;

static int start(void **state) {
  (void)state;
  return geodisk_context_create(2, &context) == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  unlink(path);
  return 0;
}

/* Two cliques of five, "a0" .. "a4" and "b0" .. "b4", joined by a0 - b0; a0 has a neighbour "tail" of its own. Each edge once. */
static geodisk_graph *cliques(void) {
  char text[1024] = "tail a0\na0 b0\n";
  for (const char *c = "ab"; *c != 0; c++)
    for (int i = 0; i < 5; i++)
      for (int j = i + 1; j < 5; j++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%c%d %c%d\n", *c, i, *c, j);
  return graph_of(text);
}

enum { NODES = 11, EDGES = 22 };

/* The nodes of a graph at random places around (0.3, 0.2), in a ball of so many dimensions. */
static geodisk_model *scattered(const geodisk_graph *graph, int dim) {
  const char *names[512];
  const size_t n = geodisk_graph_nodes(graph);
  for (uint32_t i = 0; i < n; i++)
    names[i] = geodisk_graph_name(graph, i);
  const geodisk_model_spec spec = {.nodes = n, .ball = geodisk_unit_ball(dim), .name_list = names};
  const geodisk_ball ball = geodisk_unit_ball(dim);
  const double centre[8] = {0.3, 0.2};
  geodisk_random random = geodisk_random_stream(7, 0);
  geodisk_model *model = NULL;
  assert_int_equal(geodisk_model_create(context, &spec, &model), GEODISK_OK);
  for (size_t i = 0; i < n; i++) {
    double x[8], gap;
    geodisk_random_in_ball(&ball, &random, 4, x, &gap);
    double *out = geodisk_model_edit_vectors(model) + i * (size_t)dim;
    geodisk_mobius_add(&ball, centre, x, out);
    geodisk_model_edit_gap(model)[i] = geodisk_gap(&ball, out);
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
  return i;
}

static bool joined(const geodisk_scene *scene, const char *one, const char *other) {
  const uint32_t u = at(scene, one), v = at(scene, other);
  for (size_t e = 0; e < scene->edges; e++)
    if ((scene->edge_child[e] == u && scene->edge_parent[e] == v) || (scene->edge_child[e] == v && scene->edge_parent[e] == u))
      return true;
  return false;
}

/* All edges are there, written once or in both directions; communities are branches, under their hubs. */
static void edges_and_communities(void **state) {
  (void)state;
  geodisk_graph *once = cliques(), *both = NULL;
  assert_int_equal(geodisk_graph_undirected(context, once, &both), GEODISK_OK);
  geodisk_model *model = scattered(once, 2);
  for (int k = 0; k < 2; k++) {
    geodisk_scene *scene = scene_of(model, k == 0 ? once : both, NULL);
    assert_true(scene->network && scene->why != NULL);
    assert_int_equal(scene->nodes, NODES);
    assert_int_equal(scene->edges, EDGES);
    assert_int_equal(scene->implied, 0);
    assert_true(joined(scene, "a0", "b0") && joined(scene, "a0", "a4") && joined(scene, "a3", "a4"));
    assert_int_equal(scene->degree[at(scene, "a0")], 6);
    assert_int_equal(scene->degree[at(scene, "tail")], 1);
    assert_int_equal(scene->branches, 2);
    assert_int_equal(scene->branch_size[0], 6);
    assert_int_equal(scene->branch_size[1], 5);
    assert_int_equal(scene->branch_node[0], at(scene, "a0"));
    assert_int_equal(scene->branch_node[1], at(scene, "b0"));
    for (const char *name = "a1\0a2\0tail\0"; *name != 0; name += strlen(name) + 1)
      assert_int_equal(scene->branch[at(scene, name)], 0);
    assert_int_equal(scene->branch[at(scene, "b3")], 1);
    geodisk_scene_destroy(scene);
  }
  geodisk_graph_destroy(once);
  geodisk_graph_destroy(both);
  geodisk_model_destroy(model);
}

/* A ring has no top: the innermost node is taken. Edges both ways are drawn once. */
static void forest_of_a_ring(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "c", "d"};
  static const double x[4][2] = {{0.5, 0}, {0, 0.1}, {-0.5, 0}, {0, -0.5}};
  const geodisk_model_spec spec = {.nodes = 4, .ball = geodisk_unit_ball(2), .name_list = names};
  const geodisk_ball plane = geodisk_unit_ball(2);
  geodisk_graph *graph = graph_of("a\tb\nb\ta\nb\tc\nc\td\nd\ta\nx\ta\n");
  geodisk_model *model = NULL;
  assert_int_equal(geodisk_model_create(context, &spec, &model), GEODISK_OK);
  for (size_t i = 0; i < 4; i++) {
    memcpy(geodisk_model_edit_vectors(model) + 2 * i, x[i], sizeof x[i]);
    geodisk_model_edit_gap(model)[i] = geodisk_gap(&plane, x[i]);
  }
  geodisk_scene *scene = scene_of(model, graph, NULL);
  assert_true(scene->network && !scene->descendants_exact);
  assert_string_equal(scene->why, "it has cycles");
  assert_int_equal(scene->unknown, 1);
  assert_int_equal(scene->edges, 4);
  assert_int_equal(scene->parent[at(scene, "b")], GEODISK_NODE_NONE);
  assert_int_equal(scene->parent[at(scene, "a")], at(scene, "b"));
  assert_int_equal(scene->depth[at(scene, "d")], 2);
  assert_int_equal(scene->descendants[at(scene, "b")], 3);
  assert_true(joined(scene, "a", "b") && joined(scene, "c", "b") && joined(scene, "d", "c") && joined(scene, "d", "a"));
  geodisk_scene_destroy(scene);
  const geodisk_scene_options below = {.below = "a"}, hierarchy = {.kind = GEODISK_KIND_HIERARCHY};
  assert_int_equal(geodisk_scene_create(context, model, graph, &below, &scene), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "the graph is a network, since it has cycles: nothing is below 'a'");
  assert_int_equal(geodisk_scene_create(context, model, graph, &hierarchy, &scene), GEODISK_ERROR_ARGUMENT);
  geodisk_model_destroy(model);
  geodisk_graph_destroy(graph);
}

/* The barycenter is the origin of the plane; distances between nodes stay; the model's origin is where it was. */
static void middle(void **state) {
  (void)state;
  const geodisk_ball plane = geodisk_unit_ball(2);
  const geodisk_scene_options unscaled = {.scale = 1};
  geodisk_graph *graph = cliques();
  geodisk_model *model = scattered(graph, 2);
  geodisk_scene *scene = scene_of(model, graph, &unscaled);
  double centre[2], gap;
  assert_int_equal(geodisk_mean_gap(&plane, &(geodisk_mean_points){.n = scene->nodes, .points = scene->x, .gaps = scene->gap},
                                    NULL, centre, &gap, NULL),
                   GEODISK_OK);
  assert_true(hypot(centre[0], centre[1]) < 1e-9);
  assert_true(hypot(scene->origin[0], scene->origin[1]) > 0.1);
  for (uint32_t i = 0; i < scene->nodes; i++) {
    double wanted;
    const double *x = scene->x + 2 * (size_t)i;
    assert_int_equal(geodisk_model_distance(context, model, 0, i, &wanted), GEODISK_OK);
    assert_true(fabs(geodisk_distance_gap(&plane, scene->x, scene->gap[0], x, scene->gap[i]) - wanted) < 1e-9);
    const double radius = geodisk_distance_gap(&plane, scene->origin, scene->origin_gap, x, scene->gap[i]);
    assert_true(fabs(radius - geodisk_model_radius(model, i)) < 1e-9);
  }
  geodisk_scene_destroy(scene);

  scene = scene_of(model, graph, NULL); /* scaled from the middle, which stays it: nine of ten are within 0.9 of the radius */
  assert_true(scene->scale != 1);
  assert_int_equal(geodisk_mean_gap(&plane, &(geodisk_mean_points){.n = scene->nodes, .points = scene->x, .gaps = scene->gap},
                                    NULL, centre, &gap, NULL),
                   GEODISK_OK);
  assert_true(hypot(centre[0], centre[1]) < 1e-9);
  size_t inside = 0;
  for (size_t i = 0; i < scene->nodes; i++)
    inside += hypot(scene->x[2 * i], scene->x[2 * i + 1]) < 0.905;
  assert_true(inside >= 9);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
  geodisk_graph_destroy(graph);
}

/* A tree is a network if it is said to be one, and a network whose edges are written once a hierarchy. */
static void as_told(void **state) {
  (void)state;
  geodisk_graph *tree = graph_of("a top\nb top\nc a\nd a\ne b\nf b\n"), *net = cliques();
  geodisk_model *model = scattered(tree, 2), *other = scattered(net, 3);
  const geodisk_scene_options network = {.kind = GEODISK_KIND_NETWORK}, hierarchy = {.kind = GEODISK_KIND_HIERARCHY},
                              neither = {.kind = (geodisk_graph_kind)9};
  geodisk_scene *scene = scene_of(model, tree, &network);
  assert_true(scene->network && scene->why == NULL && scene->edges == 6);
  geodisk_scene_destroy(scene);
  scene = scene_of(other, net, &hierarchy);
  assert_true(!scene->network && scene->edges == EDGES && scene->projection.projected);
  geodisk_scene_destroy(scene);
  assert_int_equal(geodisk_scene_create(context, model, tree, &neither, &scene), GEODISK_ERROR_ARGUMENT);
  geodisk_model_destroy(model);
  geodisk_model_destroy(other);
  geodisk_graph_destroy(tree);
  geodisk_graph_destroy(net);
}

/* Of a network the nodes with the most edges stay. */
static void hubs_only(void **state) {
  (void)state;
  const geodisk_generate_options o = {
      .kind = GEODISK_GENERATOR_BARABASI, .nodes = 300, .attach = 3, .shape = GEODISK_SHAPE_UNDIRECTED, .seed = 2};
  const geodisk_scene_options few = {.max_nodes = 20};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_generate(context, &o, &graph), GEODISK_OK);
  geodisk_model *model = scattered(graph, 2);
  geodisk_scene *scene = scene_of(model, graph, &few), *all = scene_of(model, graph, NULL);
  assert_int_equal(scene->nodes, 20);
  uint32_t least = UINT32_MAX, greater = 0;
  for (uint32_t i = 0; i < 20; i++) {
    const uint32_t degree = all->degree[scene->node[i]], up = scene->parent[i];
    least = degree < least ? degree : least;
    assert_int_equal(scene->depth[i], up == GEODISK_NODE_NONE ? 0 : scene->depth[up] + 1);
  }
  for (uint32_t i = 0; i < all->nodes; i++)
    greater += all->degree[i] > least;
  assert_true(greater < 20);
  geodisk_scene_destroy(scene);
  geodisk_scene_destroy(all);
  geodisk_model_destroy(model);
  geodisk_graph_destroy(graph);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------------- */

static char *draw(const geodisk_scene *scene, const geodisk_picture_options *options) {
  if (geodisk_picture_write(context, scene, path, options, NULL) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  return text;
}

static size_t count(const char *text, const char *part, const char *end) {
  size_t n = 0;
  for (const char *p = text; p != NULL && (p = strstr(p, part)) != NULL && (end == NULL || p < end); p++)
    n++;
  return n;
}

static void pictures(void **state) {
  (void)state;
  geodisk_graph *graph = cliques();
  geodisk_model *model = scattered(graph, 2);
  const geodisk_scene_options shorter = {.scale = 0.6};
  geodisk_scene *scene = scene_of(model, graph, &shorter);
  char *text = draw(scene, NULL);
  const char *edges = strstr(text, "<g id=\"edges\">"), *rim = strstr(text, "<g id=\"rim\">"),
             *labels = strstr(text, "<g id=\"labels\">"), *legend = strstr(text, "<g id=\"legend\">");
  assert_true(edges != NULL && edges < rim && rim < labels && labels < legend);
  assert_int_equal(count(edges, "<path ", rim), EDGES);
  assert_int_equal(count(labels, "<text ", legend), NODES); /* all names of a small graph */
  assert_int_equal(count(legend, "<circle", NULL), 0);      /* no legend; the caption says what the colours are */
  assert_non_null(strstr(legend, "colours are communities"));
  free(text);

  /* By default the barycenter is in the middle; the model's origin is elsewhere. */
  const geodisk_picture_options ways[] = {{0}, {.centre = GEODISK_CENTRE_BARYCENTER}, {.centre = GEODISK_CENTRE_ORIGIN}};
  char *seen[3];
  for (int k = 0; k < 3; k++)
    seen[k] = draw(scene, &ways[k]);
  assert_string_equal(seen[0], seen[1]);
  assert_string_not_equal(seen[0], seen[2]);
  for (int k = 0; k < 3; k++)
    free(seen[k]);

  /* A highlighted node is stressed with its neighbours: the names of the others are written softly. */
  const char *const stressed[] = {"tail"};
  const geodisk_picture_options one = {.highlight = stressed, .highlights = 1};
  text = draw(scene, &one);
  labels = strstr(text, "<g id=\"labels\">");
  assert_int_equal(count(labels, "fill=\"#1a1c1e\"", strstr(text, "<g id=\"legend\">")), 2);
  free(text);
  geodisk_scene_destroy(scene);
  geodisk_model_destroy(model);
  geodisk_graph_destroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_and_communities),
      cmocka_unit_test(forest_of_a_ring),
      cmocka_unit_test(middle),
      cmocka_unit_test(as_told),
      cmocka_unit_test(hubs_only),
      cmocka_unit_test(pictures),
  };
  return cmocka_run_group_tests(tests, start, finish);
}

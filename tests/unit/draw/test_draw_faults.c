/* test_draw_faults.c - scenes, pictures and pages under faults: whichever allocation or write fails, the call says so and leaves
 * nothing. */
#include "faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "geodisk/draw.h"

static const char path[] = "test_draw_faults.svg";
static geodisk_context *context;
static geodisk_model *model;
static geodisk_graph *graph, *ring;
static geodisk_scene *drawn, *own, *net;

static int start(void **state) {
  (void)state;
  const geodisk_generate_options tree = {
      .kind = GEODISK_GENERATOR_TREE, .branching = 2, .depth = 3, .shape = GEODISK_SHAPE_CLOSED};
  const geodisk_generate_options cycles = {
      .kind = GEODISK_GENERATOR_TREE, .branching = 2, .depth = 3, .shape = GEODISK_SHAPE_UNDIRECTED};
  const geodisk_model_spec spec = {.nodes = 15, .ball = geodisk_unit_ball(3)};
  const geodisk_ball ball = geodisk_unit_ball(3);
  if (geodisk_context_create(1, &context) != GEODISK_OK || geodisk_graph_generate(context, &tree, &graph) != GEODISK_OK ||
      geodisk_graph_generate(context, &cycles, &ring) != GEODISK_OK || geodisk_model_create(context, &spec, &model) != GEODISK_OK)
    return -1;
  geodisk_random random = geodisk_random_stream(5, 0);
  for (size_t i = 1; i < 15; i++)
    geodisk_random_in_ball(&ball, &random, 3, geodisk_model_edit_vectors(model) + 3 * i, geodisk_model_edit_gap(model) + i);
  const geodisk_scene_options unscaled = {.scale = 1};
  return geodisk_scene_create(context, model, graph, NULL, &drawn) == GEODISK_OK &&
                 geodisk_scene_create(context, model, ring, NULL, &net) == GEODISK_OK &&
                 geodisk_scene_create(context, model, graph, &unscaled, &own) == GEODISK_OK
             ? 0
             : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_scene_destroy(drawn);
  geodisk_scene_destroy(own);
  geodisk_scene_destroy(net);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(ring);
  geodisk_model_destroy(model);
  geodisk_context_destroy(context);
  return access(path, F_OK) == 0 ? unlink(path) : 0;
}

static geodisk_status scene_with(const geodisk_graph *given, const geodisk_scene_options *options) {
  geodisk_scene *scene = NULL;
  const geodisk_status status = geodisk_scene_create(context, model, given, options, &scene);
  assert_true((scene != NULL) == (status == GEODISK_OK));
  geodisk_scene_destroy(scene);
  return status;
}

static geodisk_status tree_scene(void) {
  const geodisk_scene_options options = {.all_edges = true, .below = "1", .max_nodes = 5};
  return scene_with(graph, &options);
}
static geodisk_status ring_scene(void) {
  const char *const name[] = {"3"}, *const text[] = {"three"};
  const geodisk_scene_options options = {.max_nodes = 9, .renamed = 1, .renamed_names = name, .renamed_texts = text};
  return scene_with(ring, &options);
}
static geodisk_status lone_scene(void) { return scene_with(NULL, NULL); }
static geodisk_status picture(void) {
  const char *const stressed[] = {"3"};
  const geodisk_picture_options options = {
      .highlight = stressed, .highlights = 1, .grid = true, .centre = GEODISK_CENTRE_BARYCENTER, .labels = 200};
  return geodisk_picture_write(context, drawn, path, &options, NULL);
}

static geodisk_status painting(void) {
  const geodisk_picture_options options = {.format = GEODISK_PICTURE_PNG};
  return geodisk_picture_write(context, net, path, &options, NULL);
}

static geodisk_status page(void) { return geodisk_scene_write_page(context, own, path, NULL, NULL); }

/* With the N-th call of a kind failing, for N = 1, 2, ... until none fails any more; returns how many failed. */
static int fail_each(enum fault_kind kind, geodisk_status (*call)(void), geodisk_status expected) {
  for (int n = 1;; n++) {
    unlink(path);
    fault_countdown[kind] = n;
    const geodisk_status status = call();
    const bool reached = fault_countdown[kind] == 0;
    fault_countdown[kind] = 0;
    if (!reached) {
      assert_int_equal(status, GEODISK_OK);
      return n - 1;
    }
    assert_int_equal(status, expected);
    assert_string_not_equal(geodisk_context_error(context), "");
    assert_int_equal(access(path, F_OK), -1);
  }
}

static void memory(void **state) {
  (void)state;
  assert_true(fail_each(FAULT_MEMORY, tree_scene, GEODISK_ERROR_MEMORY) > 40);
  assert_true(fail_each(FAULT_MEMORY, ring_scene, GEODISK_ERROR_MEMORY) > 40);
  assert_true(fail_each(FAULT_MEMORY, lone_scene, GEODISK_ERROR_MEMORY) > 30);
  assert_true(fail_each(FAULT_MEMORY, picture, GEODISK_ERROR_MEMORY) > 20);
  if (strstr(geodisk_features(), "without cairo") == NULL)
    assert_true(fail_each(FAULT_MEMORY, painting, GEODISK_ERROR_MEMORY) > 20);
  assert_true(fail_each(FAULT_MEMORY, page, GEODISK_ERROR_MEMORY) >= 2);
}

static void writes(void **state) {
  (void)state;
  assert_true(fail_each(FAULT_WRITE, picture, GEODISK_ERROR_IO) >= 1);
  assert_true(fail_each(FAULT_RENAME, picture, GEODISK_ERROR_IO) >= 1);
  assert_true(fail_each(FAULT_WRITE, page, GEODISK_ERROR_IO) >= 1);
  assert_true(fail_each(FAULT_RENAME, page, GEODISK_ERROR_IO) >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory), cmocka_unit_test(writes)};
  return cmocka_run_group_tests(tests, start, finish);
}

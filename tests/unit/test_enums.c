/* Numbers that no enum has, wherever the interface takes one: refused as an argument, never followed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "geodisk/draw.h"
#include "geodisk/eval.h"
#include "geodisk/geodisk.h"

static geodisk_context *context;
static geodisk_model *model;
static geodisk_graph *graph;
static const int wrong[] = {-1, 6, 99, INT32_MAX, INT32_MIN};
enum { WRONG = sizeof wrong / sizeof wrong[0] };

static int start(void **state) {
  (void)state;
  const geodisk_model_spec spec = {.nodes = 3, .ball = {2, 1, 1}};
  const uint32_t child[] = {1, 2}, parent[] = {0, 0};
  const geodisk_graph_arrays arrays = {.nodes = 3, .edges = 2, .children = child, .parents = parent};
  return geodisk_context_create(1, &context) == GEODISK_OK && geodisk_model_create(context, &spec, &model) == GEODISK_OK &&
                 geodisk_graph_create(context, &arrays, NULL, &graph) == GEODISK_OK
             ? 0
             : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_graph_destroy(graph);
  geodisk_model_destroy(model);
  geodisk_context_destroy(context);
  return 0;
}

#define REFUSED(call) assert_int_equal(call, GEODISK_ERROR_ARGUMENT)

static void of_models(void **state) {
  (void)state;
  geodisk_model *out = NULL;
  geodisk_index *index = NULL;
  geodisk_neighbour near[3];
  uint32_t node = 0;
  size_t found;
  void *data;
  assert_int_equal(geodisk_index_create(context, model, GEODISK_SEARCH_SCAN, 1, &index), GEODISK_OK);
  for (int i = 0; i < WRONG; i++) {
    const int n = wrong[i];
    const geodisk_ball ball = {2, 1, 1};
    REFUSED(geodisk_model_create(context, &(geodisk_model_spec){.nodes = 3, .ball = ball, .space = (geodisk_space)n}, &out));
    REFUSED(
        geodisk_model_create(context, &(geodisk_model_spec){.nodes = 3, .ball = ball, .precision = (geodisk_precision)n}, &out));
    REFUSED(geodisk_model_copy(context, model, (geodisk_width)n, true, &out));
    REFUSED(geodisk_model_fits(context, model, "it", (geodisk_space)n, &ball));
    REFUSED(geodisk_model_add_tensor(context, model, "x", &(geodisk_tensor){.type = (geodisk_type)n, .rank = 1, .shape = {1}},
                                     &data));
    REFUSED(geodisk_index_create(context, model, (geodisk_search)n, 1, &index));
    REFUSED(geodisk_index_nearest(
        context, index, &(geodisk_nearest_query){.n = 1, .nodes = &node, .k = 1, .side = (geodisk_side)n}, near, &found));
    REFUSED(geodisk_index_chain(context, index, &(geodisk_nearest_query){.n = 1, .nodes = &node, .k = 3, .side = (geodisk_side)n},
                                near, &found));
    if (n != (int)GEODISK_FORMAT_NPY) {
      REFUSED(geodisk_model_export(context, model, "enums.txt", &(geodisk_export_options){.format = (geodisk_format)n}, NULL));
      REFUSED(geodisk_model_import(context, "enums.txt", &(geodisk_import_options){.format = (geodisk_format)n}, NULL, &out));
    }
    REFUSED(geodisk_model_export(context, model, "enums.tsv", &(geodisk_export_options){.width = (geodisk_width)n}, NULL));
    REFUSED(geodisk_model_import(context, "enums.tsv", &(geodisk_import_options){.width = (geodisk_width)n}, NULL, &out));
    REFUSED(geodisk_model_import(context, "enums.tsv", &(geodisk_import_options){.space = (geodisk_space)n}, NULL, &out));
    assert_true(geodisk_type_size((geodisk_type)n) == 0);
  }
  geodisk_index_destroy(index);
}

static void of_graphs(void **state) {
  (void)state;
  geodisk_graph *out = NULL;
  geodisk_split split;
  uint32_t hops[9];
  double lengths[9];
  for (int i = 0; i < WRONG; i++) {
    const int n = wrong[i];
    REFUSED(geodisk_graph_read_memory(context, &(geodisk_memory_file){"it", "a b", 3},
                                      &(geodisk_graph_read_options){.header = (geodisk_choice)n}, NULL, &out));
    REFUSED(geodisk_graph_read_memory(context, &(geodisk_memory_file){"it", "a b", 3},
                                      &(geodisk_graph_read_options){.weights = (geodisk_choice)n}, NULL, &out));
    REFUSED(geodisk_graph_split(context, graph, &(geodisk_split_options){.kind = (geodisk_graph_kind)n, .test = 10}, &split));
    REFUSED(geodisk_graph_split(context, graph, &(geodisk_split_options){.protocol = (geodisk_protocol)n, .test = 10}, &split));
    REFUSED(geodisk_graph_generate(context, &(geodisk_generate_options){.kind = (geodisk_generator)n, .nodes = 3}, &out));
    REFUSED(geodisk_graph_generate(
        context, &(geodisk_generate_options){.kind = GEODISK_GENERATOR_RECURSIVE, .nodes = 3, .shape = (geodisk_shape)n}, &out));
    REFUSED(geodisk_graph_hops(context, graph, &(geodisk_path_options){.way = (geodisk_way)n}, hops, NULL));
    REFUSED(geodisk_graph_lengths(context, graph, &(geodisk_path_options){.way = (geodisk_way)n}, lengths, NULL));
  }
  const geodisk_graph_arrays many = {.nodes = 5000000000}; /* refused at once, not after as many names */
  assert_int_equal(geodisk_graph_create(context, &many, NULL, &out), GEODISK_ERROR_UNSUPPORTED);
}

static void of_optimisation(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2);
  const double points[] = {0.1, 0, 0, 0.1};
  const size_t edges[] = {0, 1};
  double x[4] = {0.1, 0, 0, 0.1};
  geodisk_objective *objective = NULL, *other = NULL;
  assert_int_equal(
      geodisk_objective_poincare(context, &(geodisk_objective_rows){2, 1, edges, NULL}, GEODISK_LOSS_COMPLEMENT, &objective),
      GEODISK_OK);
  for (int i = 0; i < WRONG; i++) {
    const int n = wrong[i];
    geodisk_mean_options mean = geodisk_mean_defaults();
    mean.context = context;
    mean.method = (geodisk_mean_method)n;
    REFUSED(geodisk_mean(&ball, 2, points, NULL, &mean, x, NULL));
    mean = geodisk_mean_defaults();
    mean.schedule.kind = (geodisk_schedule_kind)n;
    REFUSED(geodisk_mean(&ball, 2, points, NULL, &mean, x, NULL));
    mean = geodisk_mean_defaults();
    mean.update = (geodisk_update)n;
    REFUSED(geodisk_mean(&ball, 2, points, NULL, &mean, x, NULL));
    REFUSED(geodisk_objective_poincare(context, &(geodisk_objective_rows){2, 1, edges, NULL}, (geodisk_loss)n, &other));
    geodisk_optim_options optim = geodisk_optim_defaults(GEODISK_METHOD_GRADIENT);
    optim.schedule.kind = (geodisk_schedule_kind)n;
    REFUSED(geodisk_minimise(&ball, objective, &optim, x, NULL, NULL));
    optim = geodisk_optim_defaults(GEODISK_METHOD_GRADIENT);
    optim.update = (geodisk_update)n;
    REFUSED(geodisk_minimise(&ball, objective, &optim, x, NULL, NULL));
    if (n != 6) {
      optim = geodisk_optim_defaults(GEODISK_METHOD_GRADIENT);
      optim.method = (geodisk_method)n;
      REFUSED(geodisk_minimise(&ball, objective, &optim, x, NULL, NULL));
    }
  }
  geodisk_objective_destroy(objective);
}

static void of_evaluation_and_pictures(void **state) {
  (void)state;
  geodisk_eval_points points;
  geodisk_relation *relation = NULL;
  geodisk_ranking ranking;
  geodisk_scene *scene = NULL;
  assert_int_equal(geodisk_eval_points_of_model(context, model, GEODISK_SPACE_HYPERBOLIC, &points), GEODISK_OK);
  assert_int_equal(geodisk_relation_create_plain(context, graph, 3, &relation), GEODISK_OK);
  assert_int_equal(geodisk_scene_create(context, model, graph, NULL, &scene), GEODISK_OK);
  for (int i = 0; i < WRONG; i++) {
    const int n = wrong[i];
    geodisk_eval_points bad = points;
    REFUSED(geodisk_eval_points_of_model(context, model, (geodisk_space)n, &bad));
    bad.space = (geodisk_space)n;
    REFUSED(geodisk_eval_ranking(context, &bad, relation, NULL, NULL, &ranking));
    bad = points;
    bad.precision = (geodisk_precision)n;
    REFUSED(geodisk_eval_ranking(context, &bad, relation, NULL, NULL, &ranking));
    const geodisk_ranking_options definition = {.definition = (geodisk_rank_definition)n},
                                  arithmetic = {.arithmetic = (geodisk_precision)n};
    REFUSED(geodisk_eval_ranking(context, &points, relation, NULL, &definition, &ranking));
    REFUSED(geodisk_eval_ranking(context, &points, relation, NULL, &arithmetic, &ranking));
    const geodisk_picture_options format = {.format = (geodisk_picture_format)n}, centre = {.centre = (geodisk_picture_centre)n};
    REFUSED(geodisk_picture_write(context, scene, "enums.bin", &format, NULL));
    REFUSED(geodisk_picture_write(context, scene, "enums.svg", &centre, NULL));
    assert_int_equal(access("enums.svg", F_OK), -1);
  }
  geodisk_scene_destroy(scene);
  geodisk_relation_destroy(relation);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_models), cmocka_unit_test(of_graphs), cmocka_unit_test(of_optimisation),
                                     cmocka_unit_test(of_evaluation_and_pictures)};
  return cmocka_run_group_tests(tests, start, finish);
}

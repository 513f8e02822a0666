/* finish.c - what is done with a model when its training has ended: it learns to tell what is below what, and if it was trained
 * on direct links or a part of a closure, it gets points beside its vectors that can. */
#include "geodisk/auto.h"

#include <stdlib.h>

static geodisk_status set_order(geodisk_context *context, geodisk_model *model, const geodisk_model *plane) {
  const size_t nodes = geodisk_model_nodes(model);
  double *points = geodisk_allocate(nodes, 3 * sizeof *points);
  if (points == NULL)
    return geodisk_no_memory(context, "for the order of %zu nodes", nodes);
  for (size_t i = 0; i < nodes; i++)
    geodisk_model_point(plane, (uint32_t)i, points + 3 * i, points + 3 * i + 2);
  const geodisk_status st = geodisk_model_set_order(context, model, points);
  free(points);
  return st;
}

/* The recipe entailment in the plane, which draws nothing at random. */
static geodisk_status make_order(geodisk_context *context, geodisk_model *model, const geodisk_graph *graph) {
  geodisk_train_options options = geodisk_train_defaults();
  geodisk_trainer *trainer = NULL;
  geodisk_model *plane = NULL;
  options.dim = 2;
  geodisk_status st = geodisk_train_recipe(context, "entailment", &options);
  if (st == GEODISK_OK)
    st = geodisk_trainer_create(context, graph, &options, &trainer);
  if (st == GEODISK_OK)
    st = geodisk_trainer_model(trainer, &plane);
  if (st == GEODISK_OK)
    st = set_order(context, model, plane);
  geodisk_model_destroy(plane);
  geodisk_trainer_destroy(trainer);
  return st;
}

geodisk_status geodisk_auto_learn(geodisk_context *context, geodisk_model *model, const geodisk_graph *graph, bool *learned) {
  bool can = false, order = false;
  geodisk_status st = geodisk_hierarchy_can_be_learned(context, model, graph, &can);
  if (st == GEODISK_OK && !can)
    st = geodisk_hierarchy_can_be_ordered(context, model, graph, &order);
  if (st == GEODISK_OK && order)
    st = make_order(context, model, graph);
  if (st == GEODISK_OK && (can || order))
    st = geodisk_learn_hierarchy(context, model, graph, NULL);
  if (st == GEODISK_OK && learned != NULL)
    *learned = can || order;
  return st;
}

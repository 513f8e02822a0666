/* finish.c - what is done with a model when its training has ended: it learns to tell what is below what, and if it was trained
 * on direct links or a part of a closure, or its vectors do not tell well, it gets points beside its vectors that can. */
#include "trials.h"
#include "vectors/parents.h"

#include <math.h>
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

/* ---- the parents that are named ---- */

/* Pairs of two ancestors, and of two nodes, that are looked at for the first parents: a second of a processor each. Of the latter
 * there may be more, lest so few nodes are asked that chance counts. */
#define ANCESTORS 1.5e6
#define LOOKED_AT 2e6
#define FEWEST    200.0

/* Every how manyth node is asked: of one, all its ancestors are compared with each other, and it with all nodes. */
static uint32_t every(const geodisk_graph *graph) {
  const geodisk_graph_rows up = geodisk_graph_out(graph);
  const double nodes = (double)geodisk_graph_nodes(graph);
  double pairs = 0.0;
  for (size_t u = 0; u < geodisk_graph_nodes(graph); u++)
    pairs += (double)(up.offsets[u + 1] - up.offsets[u]) * (double)(up.offsets[u + 1] - up.offsets[u]);
  return 1 + (uint32_t)fmax(pairs / ANCESTORS, fmin(nodes * nodes / LOOKED_AT, nodes / FEWEST));
}

geodisk_status auto_first_parents(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                  const geodisk_graph *basic, double *out) {
  const size_t nodes = geodisk_graph_nodes(basic);
  const geodisk_graph_rows up = geodisk_graph_out(graph);
  uint32_t *found = geodisk_allocate(nodes, sizeof *found);
  geodisk_hierarchy *known = NULL;
  geodisk_hierarchy_info info;
  size_t asked = 0, right = 0;
  geodisk_status st = found ? GEODISK_OK : geodisk_no_memory(context, "for %zu nodes", nodes);
  if (st == GEODISK_OK && geodisk_model_hierarchy(model, &info))
    st = geodisk_hierarchy_create(context, model, NULL, &known);
  for (uint32_t u = 0, step = every(graph); u < nodes && st == GEODISK_OK && known; u += step) {
    const size_t above = up.offsets[u + 1] - up.offsets[u],
                 most = above + above / 2 + 31; /* more: the model does not know them */
    size_t count = 0;
    if (above == 0)
      continue;
    asked++;
    st = hierarchy_parents_of_few(context, known, u, most, found, &count);
    right += st == GEODISK_OK && count > 0 && count <= most && geodisk_graph_has_edge(basic, u, found[0]);
  }
  *out = asked > 0 ? (double)right / (double)asked : 0.0;
  geodisk_hierarchy_destroy(known);
  free(found);
  return st;
}

/* ---- the whole ---- */

/* The share of first parents from which on the reaches of a closure do by themselves; up to how many nodes they are helped. */
#define ENOUGH 0.97
enum { MOST_HELPED = 20000 };

/* A model of a closure whose ranks are not good enough to tell what is above what gets an order too, if that names more parents.
 */
static geodisk_status help_closed(geodisk_context *context, geodisk_model *model, const geodisk_graph *graph) {
  geodisk_graph *basic = NULL;
  double alone = 0.0, helped = 0.0;
  if (geodisk_graph_nodes(graph) > MOST_HELPED)
    return GEODISK_OK;
  geodisk_status st = geodisk_graph_reduce(context, graph, &basic);
  if (st == GEODISK_OK)
    st = auto_first_parents(context, model, graph, basic, &alone);
  if (st == GEODISK_OK && alone < ENOUGH) {
    geodisk_model_forget_hierarchy(model);
    if ((st = make_order(context, model, basic)) == GEODISK_OK)
      st = geodisk_learn_hierarchy(context, model, graph, NULL);
    if (st == GEODISK_OK)
      st = auto_first_parents(context, model, graph, basic, &helped);
    if (st == GEODISK_OK && helped <= alone) {
      geodisk_model_forget_hierarchy(model);
      st = geodisk_learn_hierarchy(context, model, graph, NULL);
    }
  }
  geodisk_graph_destroy(basic);
  return st;
}

geodisk_status geodisk_auto_learn(geodisk_context *context, geodisk_model *model, const geodisk_graph *graph, bool *learned) {
  geodisk_hierarchy_info info;
  bool can = false, order = false;
  geodisk_status st = geodisk_hierarchy_can_be_learned(context, model, graph, &can);
  if (st == GEODISK_OK && !can)
    st = geodisk_hierarchy_can_be_ordered(context, model, graph, &order);
  if (st == GEODISK_OK && order)
    st = make_order(context, model, graph);
  if (st == GEODISK_OK && (can || order))
    st = geodisk_learn_hierarchy(context, model, graph, NULL);
  if (st == GEODISK_OK && can && geodisk_model_hierarchy(model, &info) && info.own_reach)
    st = help_closed(context, model, graph);
  if (st == GEODISK_OK && learned != NULL)
    *learned = can || order;
  return st;
}

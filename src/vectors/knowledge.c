/* knowledge.c - what a model knows of its hierarchy: the decision that is stored in it, and single pairs by it.
 *
 * The tensor "is_a" has eight numbers: the centre's node (-1: the origin), the threshold of scores, slope and offset of the
 * logistic, precision, recall and F1 when it was found, and 1 for the version; "reach" has for each node how far its ancestors
 * are (-1: not known). */
#include "knowledge.h"

#include <math.h>
#include <stdlib.h>

enum { NUMBERS = 8, VERSION = 1 };
#define DECISION "is_a"
#define REACH    "reach"

/* ---- the file ------------------------------------------------------------------------------------------------------------ */

bool geodisk_model_hierarchy(const geodisk_model *model, geodisk_hierarchy_info *out) {
  geodisk_tensor t, reach;
  if (model == NULL || !geodisk_model_tensor(model, DECISION, &t) || t.type != GEODISK_TYPE_F64 || t.rank != 1 ||
      t.shape[0] != NUMBERS || t.stride > 1 || geodisk_model_space(model) != GEODISK_SPACE_HYPERBOLIC)
    return false;
  const double *v = t.data;
  const double nodes = (double)geodisk_model_nodes(model);
  if (v[7] != VERSION || !(v[0] == -1.0 || (v[0] >= 0.0 && v[0] < nodes && v[0] == floor(v[0]))))
    return false;
  for (int i = 1; i < NUMBERS; i++)
    if (!isfinite(v[i]))
      return false;
  *out = (geodisk_hierarchy_info){.centre = v[0] < 0.0 ? GEODISK_HIERARCHY_ORIGIN : (uint32_t)v[0],
                                  .threshold = v[1],
                                  .slope = v[2],
                                  .offset = v[3],
                                  .precision = v[4],
                                  .recall = v[5],
                                  .f1 = v[6]};
  out->own_reach = geodisk_model_tensor(model, REACH, &reach) && reach.type == GEODISK_TYPE_F32 && reach.rank == 1 &&
                   reach.shape[0] == geodisk_model_nodes(model) && reach.stride <= 1;
  return true;
}

geodisk_status geodisk_model_set_hierarchy(geodisk_context *context, geodisk_model *model, const geodisk_hierarchy_info *info,
                                           const float *reach) {
  if (model == NULL || info == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: %s is NULL", model == NULL ? "model" : "info");
  const geodisk_tensor decision = {.type = GEODISK_TYPE_F64, .rank = 1, .shape = {NUMBERS}};
  const geodisk_tensor reaches = {.type = GEODISK_TYPE_F32, .rank = 1, .shape = {geodisk_model_nodes(model)}};
  void *data = NULL;
  geodisk_status st = geodisk_model_add_tensor(context, model, DECISION, &decision, &data);
  if (st != GEODISK_OK)
    return st;
  double *v = data;
  const double numbers[NUMBERS] = {info->centre == GEODISK_HIERARCHY_ORIGIN ? -1.0 : (double)info->centre,
                                   info->threshold,
                                   info->slope,
                                   info->offset,
                                   info->precision,
                                   info->recall,
                                   info->f1,
                                   VERSION};
  for (int i = 0; i < NUMBERS; i++)
    v[i] = numbers[i];
  if (reach == NULL || (st = geodisk_model_add_tensor(context, model, REACH, &reaches, &data)) != GEODISK_OK)
    return st;
  float *out = data;
  for (size_t i = 0; i < geodisk_model_nodes(model); i++)
    out[i] = reach[i];
  return GEODISK_OK;
}

geodisk_status hierarchy_copy(geodisk_context *context, const geodisk_model *from, geodisk_model *to) {
  geodisk_hierarchy_info info;
  geodisk_tensor old;
  if (!geodisk_model_hierarchy(from, &info))
    return GEODISK_OK;
  if (!info.own_reach || !geodisk_model_tensor(from, REACH, &old))
    return geodisk_model_set_hierarchy(context, to, &info, NULL);
  const size_t nodes = geodisk_model_nodes(to), known = geodisk_model_nodes(from);
  float *reach = geodisk_allocate(nodes, sizeof *reach);
  if (reach == NULL)
    return geodisk_no_memory(context, "for the reaches of %zu nodes", nodes);
  for (size_t i = 0; i < nodes; i++)
    reach[i] = i < known ? ((const float *)old.data)[i] : -1.0F;
  const geodisk_status st = geodisk_model_set_hierarchy(context, to, &info, reach);
  free(reach);
  return st;
}

/* ---- asking ---------------------------------------------------------------------------------------------------------------- */

static double distance_of(const geodisk_hierarchy *h, uint32_t a, uint32_t b) {
  return geodisk_distance_gap(&h->ball, h->x + a * h->dim, h->gap[a], h->x + b * h->dim, h->gap[b]);
}

double hierarchy_score(const geodisk_hierarchy *h, uint32_t child, uint32_t parent) {
  return distance_of(h, child, parent) - h->radius[child];
}

enum { LOAD_ROWS = 1024 };

static void load_task(void *arg, size_t index) {
  geodisk_hierarchy *h = arg;
  const size_t end = h->nodes - index * LOAD_ROWS < LOAD_ROWS ? h->nodes : (index + 1) * LOAD_ROWS;
  for (size_t i = index * LOAD_ROWS; i < end; i++) {
    const uint32_t node = (uint32_t)i;
    geodisk_model_point(h->model, node, h->x + i * h->dim, &h->gap[i]);
    h->radius[i] = geodisk_radius_from_gap(&h->ball, h->gap[i]);
  }
}

static void centre_task(void *arg, size_t index) {
  geodisk_hierarchy *h = arg;
  const size_t end = h->nodes - index * LOAD_ROWS < LOAD_ROWS ? h->nodes : (index + 1) * LOAD_ROWS;
  for (size_t i = index * LOAD_ROWS; i < end; i++)
    h->radius[i] = distance_of(h, h->info.centre, (uint32_t)i);
}

/* A node's own threshold, where its reach is known, is what that means as a score. */
static void set_thresholds(geodisk_hierarchy *h, const double *given) {
  geodisk_tensor reach = {.data = NULL};
  if (given == NULL && h->info.own_reach)
    geodisk_model_tensor(h->model, REACH, &reach);
  for (size_t i = 0; i < h->nodes; i++) {
    const float own = reach.data != NULL ? ((const float *)reach.data)[i] : -1.0F;
    h->threshold[i] = own >= 0.0F ? (double)own - h->radius[i] : given != NULL ? *given : h->info.threshold;
  }
}

geodisk_status geodisk_hierarchy_create(geodisk_context *context, const geodisk_model *model, const double *threshold,
                                        geodisk_hierarchy **out) {
  if (model == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: %s is NULL", model == NULL ? "model" : "out");
  geodisk_hierarchy *h = geodisk_allocate_zero(1, sizeof *h);
  if (h == NULL)
    return geodisk_no_memory(context, "for a hierarchy");
  h->info = (geodisk_hierarchy_info){.centre = GEODISK_HIERARCHY_ORIGIN, .slope = 1.0};
  geodisk_status st = GEODISK_OK;
  if (geodisk_model_space(model) != GEODISK_SPACE_HYPERBOLIC)
    st = geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                      "hierarchy: the model is in flat space, where there are no half-spaces below");
  else if (!geodisk_model_hierarchy(model, &h->info) && threshold == NULL)
    st = geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                      "the model has no threshold for \"is a\": train on a closed hierarchy or by the recipe entailment, or "
                      "give a `threshold`");
  else if (threshold != NULL && !isfinite(*threshold))
    st = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: the threshold is not finite");
  if (st == GEODISK_OK) {
    h->model = model;
    h->nodes = geodisk_model_nodes(model);
    h->ball = geodisk_model_ball(model);
    h->dim = (size_t)h->ball.dim;
    h->x = geodisk_allocate(h->nodes, h->dim * sizeof *h->x);
    h->gap = geodisk_allocate(h->nodes, sizeof *h->gap);
    h->radius = geodisk_allocate(h->nodes, sizeof *h->radius);
    h->threshold = geodisk_allocate(h->nodes, sizeof *h->threshold);
    if (h->x == NULL || h->gap == NULL || h->radius == NULL || h->threshold == NULL)
      st = geodisk_no_memory(context, "for the hierarchy of %zu nodes", h->nodes);
  }
  if (st != GEODISK_OK) {
    geodisk_hierarchy_destroy(h);
    return st;
  }
  const size_t tasks = (h->nodes + LOAD_ROWS - 1) / LOAD_ROWS;
  geodisk_parallel(context, tasks, load_task, h);
  if (h->info.centre != GEODISK_HIERARCHY_ORIGIN)
    geodisk_parallel(context, tasks, centre_task, h);
  set_thresholds(h, threshold);
  *out = h;
  return GEODISK_OK;
}

void geodisk_hierarchy_destroy(geodisk_hierarchy *h) {
  if (h == NULL)
    return;
  free(h->x);
  free(h->gap);
  free(h->radius);
  free(h->threshold);
  free(h);
}

geodisk_status geodisk_hierarchy_is_a(geodisk_context *context, const geodisk_hierarchy *h, uint32_t child, uint32_t parent,
                                      geodisk_is_a_answer *out) {
  if (h == NULL || out == NULL || child >= h->nodes || parent >= h->nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "is a: %s",
                        h == NULL || out == NULL ? "an argument is NULL" : "not a node");
  const double score = hierarchy_score(h, child, parent), threshold = h->threshold[child];
  *out = (geodisk_is_a_answer){.is_a = child == parent || score <= threshold,
                               .score = score,
                               .threshold = threshold,
                               .probability = 1.0 / (1.0 + exp(-(h->info.slope * (threshold - score) + h->info.offset)))};
  if (child == parent)
    out->probability = 1.0;
  return GEODISK_OK;
}

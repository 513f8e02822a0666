/* knowledge.c - what a model knows of its hierarchy: the decision that is stored in it, and single pairs by it.
 *
 * The tensor "is_a" has eight numbers: the centre's node (-1: the origin), the threshold of scores, slope and offset of the
 * logistic, precision, recall and F1 when it was found, and the version: 1, or 2 where scores are of the order, so that programs
 * that know of none do not take its threshold for one of the vectors, or 3 where there are reaches of the vectors beside it.
 * "reach" has for each node how far its ancestors are (-1: not known); with an order, how far there are none but what it was
 * trained to be near to. "order" has a point of the plane and its gap. */
#include "knowledge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { NUMBERS = 8, VERSION_VECTORS = 1, VERSION_ORDER = 2, VERSION_BOTH = 3 };
#define DECISION "is_a"
#define REACH    "reach"

/* ---- the file ------------------------------------------------------------------------------------------------------------ */

/* A decision of whatever version. */
static const double *any_decision(const geodisk_model *model) {
  geodisk_tensor t;
  const bool there = geodisk_model_tensor(model, DECISION, &t) && t.type == GEODISK_TYPE_F64 && t.rank == 1 &&
                     t.shape[0] == NUMBERS && t.stride <= 1 && geodisk_model_space(model) == GEODISK_SPACE_HYPERBOLIC;
  return there ? t.data : NULL;
}

static bool is_of_order(double version) { return version == VERSION_ORDER || version == VERSION_BOTH; }

/* The decision, if the model has one of these versions, and the order that the second and third go with. */
static const double *find_decision(const geodisk_model *model) {
  const double *v = any_decision(model);
  const double version = v != NULL ? v[NUMBERS - 1] : 0.0;
  return version == VERSION_VECTORS || (is_of_order(version) && geodisk_model_order(model) != NULL) ? v : NULL;
}

/* Whether the coordinates are strictly inside, to the last digit, and the gap belongs to them, as far as they can tell. */
static bool is_in_plane(const double *p) {
  const geodisk_ball plane = geodisk_unit_ball(ORDER_NUMBERS - 1);
  const double meant = 1.0 - (p[0] * p[0] + p[1] * p[1]);
  return p[2] > 0.0 && p[2] <= 1.0 && fabs(p[2] - meant) <= 1e-6 && (meant > 0x1p-48 || geodisk_gap(&plane, p) > 0.0);
}

/* The order of a model, which one with a decision of the first version does not have, whatever else is called so. */
const double *geodisk_model_order(const geodisk_model *model) {
  geodisk_tensor t;
  const double *v = model != NULL ? any_decision(model) : NULL;
  const bool there = model != NULL && (v == NULL || is_of_order(v[NUMBERS - 1])) &&
                     geodisk_model_space(model) == GEODISK_SPACE_HYPERBOLIC && geodisk_model_tensor(model, ORDER, &t) &&
                     t.type == GEODISK_TYPE_F64 && t.rank == 2 && t.shape[0] == geodisk_model_nodes(model) &&
                     t.shape[1] == ORDER_NUMBERS && (t.stride == 0 || t.stride == ORDER_NUMBERS);
  return there ? t.data : NULL;
}

static geodisk_status check_order(geodisk_context *context, const char *label, const geodisk_model *model) {
  const double *order = geodisk_model_order(model);
  const size_t nodes = geodisk_model_nodes(model);
  if (order == NULL)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT,
                        "%s: " DECISION " is of an order, and " ORDER " is not F64 of shape [%zu, %d]", label, nodes,
                        ORDER_NUMBERS);
  for (size_t i = 0; i < nodes; i++)
    if (!is_in_plane(order + i * ORDER_NUMBERS))
      return geodisk_fail(context, GEODISK_ERROR_FORMAT,
                          "%s: " ORDER " of node %zu ('%.64s') is no point of the plane with its gap", label, i,
                          geodisk_model_name(model, (uint32_t)i));
  return GEODISK_OK;
}

/* The reaches that go with it; NULL: there are none. */
static const float *find_reaches(const geodisk_model *model) {
  geodisk_tensor t;
  const bool there = geodisk_model_tensor(model, REACH, &t) && t.type == GEODISK_TYPE_F32 && t.rank == 1 &&
                     t.shape[0] == geodisk_model_nodes(model) && t.stride <= 1;
  return there ? t.data : NULL;
}

/* What is wrong with a decision; NULL: nothing. */
static const char *fault_of(const double *v, size_t nodes) {
  if (!(v[0] == -1.0 || (v[0] >= 0.0 && v[0] < (double)nodes && v[0] == floor(v[0]))))
    return "its centre is no node, and not -1 for the origin";
  for (int i = 1; i < 4; i++)
    if (!isfinite(v[i]))
      return "its threshold, slope or offset is not finite";
  for (int i = 4; i < 7; i++)
    if (!(v[i] >= 0.0 && v[i] <= 1.0))
      return "its precision, recall or F1 is not from 0 to 1";
  return NULL;
}

geodisk_status model_check_hierarchy(geodisk_context *context, const char *label, const geodisk_model *model) {
  geodisk_tensor t;
  const size_t nodes = geodisk_model_nodes(model);
  if (geodisk_model_space(model) != GEODISK_SPACE_HYPERBOLIC)
    return GEODISK_OK;
  if (geodisk_model_order(model) != NULL) { /* with a decision or without, which may be given */
    const geodisk_status order = check_order(context, label, model);
    if (order != GEODISK_OK)
      return order;
  }
  if (!geodisk_model_tensor(model, DECISION, &t))
    return GEODISK_OK;
  if (t.type != GEODISK_TYPE_F64 || t.rank != 1 || t.shape[0] < 1 || t.stride > 1)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: " DECISION " is not F64 of shape [%d]", label, NUMBERS);
  const double *v = t.data, version = v[t.shape[0] - 1];
  if (version > VERSION_BOTH && version < 1e6 && version == floor(version))
    return GEODISK_OK; /* of a newer program: not for us to judge, nor to use */
  if (t.shape[0] != NUMBERS || !(version == VERSION_VECTORS || is_of_order(version)))
    return geodisk_fail(context, GEODISK_ERROR_FORMAT,
                        "%s: " DECISION " is not F64 of shape [%d] that ends with its version, %d to %d", label, NUMBERS,
                        VERSION_VECTORS, VERSION_BOTH);
  const char *fault = fault_of(v, nodes);
  if (fault != NULL)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: " DECISION ": %s", label, fault);
  if (is_of_order(version) && geodisk_model_order(model) == NULL)
    return check_order(context, label, model); /* which says so */
  const float *reach = find_reaches(model);
  if (reach == NULL)
    return !geodisk_model_tensor(model, REACH, &t) && version != VERSION_BOTH
               ? GEODISK_OK
               : geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: " REACH " is not F32 of shape [%zu]", label, nodes);
  for (size_t i = 0; i < nodes; i++)
    if (!(reach[i] == -1.0F || (reach[i] >= 0.0F && isfinite(reach[i]))))
      return geodisk_fail(context, GEODISK_ERROR_FORMAT,
                          "%s: " REACH " of node %zu ('%.64s') is %g, neither a distance nor -1 for not known", label, i,
                          geodisk_model_name(model, (uint32_t)i), (double)reach[i]);
  return GEODISK_OK;
}

bool geodisk_model_hierarchy(const geodisk_model *model, geodisk_hierarchy_info *out) {
  const double *v = model != NULL ? find_decision(model) : NULL;
  if (v == NULL || fault_of(v, geodisk_model_nodes(model)) != NULL)
    return false;
  *out = (geodisk_hierarchy_info){.centre = v[0] < 0.0 ? GEODISK_HIERARCHY_ORIGIN : (uint32_t)v[0],
                                  .threshold = v[1],
                                  .slope = v[2],
                                  .offset = v[3],
                                  .precision = v[4],
                                  .recall = v[5],
                                  .f1 = v[6],
                                  .own_reach = v[NUMBERS - 1] == VERSION_VECTORS && find_reaches(model) != NULL,
                                  .order = geodisk_model_order(model) != NULL,
                                  .near = v[NUMBERS - 1] == VERSION_BOTH && find_reaches(model) != NULL};
  return true;
}

geodisk_status geodisk_model_set_hierarchy(geodisk_context *context, geodisk_model *model, const geodisk_hierarchy_info *info,
                                           const float *reach) {
  if (model == NULL || info == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: %s is NULL", model == NULL ? "model" : "info");
  const geodisk_tensor decision = {.type = GEODISK_TYPE_F64, .rank = 1, .shape = {NUMBERS}};
  const geodisk_tensor reaches = {.type = GEODISK_TYPE_F32, .rank = 1, .shape = {geodisk_model_nodes(model)}};
  const double numbers[NUMBERS] = {info->centre == GEODISK_HIERARCHY_ORIGIN ? -1.0 : (double)info->centre,
                                   info->threshold,
                                   info->slope,
                                   info->offset,
                                   info->precision,
                                   info->recall,
                                   info->f1,
                                   geodisk_model_order(model) == NULL ? VERSION_VECTORS
                                   : reach == NULL                    ? VERSION_ORDER
                                                                      : VERSION_BOTH};
  const char *fault = fault_of(numbers, geodisk_model_nodes(model));
  if (fault != NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: %s", fault);
  void *data = NULL;
  geodisk_status st = geodisk_model_add_tensor(context, model, DECISION, &decision, &data);
  if (st != GEODISK_OK)
    return st;
  memcpy(data, numbers, sizeof numbers);
  if (reach == NULL)
    return GEODISK_OK;
  st = geodisk_model_add_tensor(context, model, REACH, &reaches, &data);
  if (st == GEODISK_OK)
    memcpy(data, reach, geodisk_model_nodes(model) * sizeof *reach);
  else
    model_remove_extra(model, DECISION); /* which means something else without */
  return st;
}

void geodisk_model_forget_hierarchy(geodisk_model *model) {
  if (model == NULL)
    return;
  model_remove_extra(model, DECISION);
  model_remove_extra(model, REACH);
  model_remove_extra(model, ORDER);
}

geodisk_status geodisk_model_set_order(geodisk_context *context, geodisk_model *model, const double *points) {
  geodisk_tensor there;
  if (model == NULL || points == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "order: %s is NULL", model == NULL ? "model" : "points");
  if (geodisk_model_tensor(model, DECISION, &there))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "order: the model has a decision, which an order would change");
  const size_t nodes = geodisk_model_nodes(model);
  for (size_t i = 0; i < nodes; i++)
    if (!is_in_plane(points + i * ORDER_NUMBERS))
      return geodisk_fail(context, GEODISK_ERROR_NUMERIC, "order: point %zu is not in the hyperbolic plane", i);
  const geodisk_tensor order = {.type = GEODISK_TYPE_F64, .rank = 2, .shape = {nodes, ORDER_NUMBERS}};
  void *data = NULL;
  const geodisk_status st = geodisk_model_add_tensor(context, model, ORDER, &order, &data);
  if (st == GEODISK_OK)
    memcpy(data, points, nodes * ORDER_NUMBERS * sizeof *points);
  return st;
}

geodisk_status hierarchy_copy(geodisk_context *context, const geodisk_model *from, geodisk_model *to) {
  geodisk_hierarchy_info info;
  geodisk_tensor old;
  if (!geodisk_model_hierarchy(from, &info))
    return GEODISK_OK;
  if (!(info.own_reach || info.near) || !geodisk_model_tensor(from, REACH, &old))
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

double geodisk_order_score(double distance, double parent_radius, double child_radius) {
  return parent_radius < child_radius ? distance - child_radius : distance + parent_radius;
}

/* By the model's own distance, as the reaches were found. */
static double near_distance(const geodisk_hierarchy *h, uint32_t a, uint32_t b) {
  const size_t dim = (size_t)h->own_ball.dim;
  return geodisk_distance_gap(&h->own_ball, h->own_x + a * dim, h->own_gap[a], h->own_x + b * dim, h->own_gap[b]);
}

bool hierarchy_is_near(const geodisk_hierarchy *h, uint32_t child, uint32_t parent) {
  return h->near[child] >= 0.0F && near_distance(h, child, parent) <= (double)h->near[child];
}

void hierarchy_distances(const geodisk_hierarchy *h, uint32_t child, size_t begin, size_t end, double *out) {
  geodisk_distances_gap(&h->ball, h->x + child * h->dim, h->gap[child], end - begin, h->x + begin * h->dim, h->gap + begin, out);
}

static double score_at(const geodisk_hierarchy *h, uint32_t child, uint32_t parent, double distance) {
  return h->outward ? geodisk_order_score(distance, h->radius[parent], h->radius[child]) : distance - h->radius[child];
}

double hierarchy_score(const geodisk_hierarchy *h, uint32_t child, uint32_t parent) {
  return score_at(h, child, parent, distance_of(h, child, parent));
}

bool hierarchy_is_below_at(const geodisk_hierarchy *h, uint32_t child, uint32_t parent, double distance) {
  return child != parent && (score_at(h, child, parent, distance) <= h->threshold[child] ||
                             (h->near != NULL && hierarchy_is_near(h, child, parent)));
}

bool hierarchy_is_below(const geodisk_hierarchy *h, uint32_t child, uint32_t parent) {
  return child != parent && hierarchy_is_below_at(h, child, parent, distance_of(h, child, parent));
}

geodisk_status hierarchy_parent(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, uint32_t parent,
                                geodisk_parent *out) {
  geodisk_is_a_answer a;
  geodisk_status st = geodisk_hierarchy_is_a(context, h, node, parent, &a);
  double distance = 0.0;
  if (st == GEODISK_OK)
    st = geodisk_model_distance(context, h->model, node, parent, &distance);
  if (st == GEODISK_OK)
    *out = (geodisk_parent){parent, distance, a.probability};
  return st;
}

enum { LOAD_ROWS = 1024 };

static void load_task(void *arg, size_t index) {
  geodisk_hierarchy *h = arg;
  const size_t end = h->nodes - index * LOAD_ROWS < LOAD_ROWS ? h->nodes : (index + 1) * LOAD_ROWS;
  for (size_t i = index * LOAD_ROWS; i < end; i++) {
    const double *own = h->order != NULL ? h->order + i * ORDER_NUMBERS : NULL;
    if (own != NULL) {
      memcpy(h->x + i * h->dim, own, h->dim * sizeof *own);
      h->gap[i] = own[h->dim];
    } else {
      geodisk_model_point(h->model, (uint32_t)i, h->x + i * h->dim, &h->gap[i]);
    }
    h->radius[i] = geodisk_radius_from_gap(&h->ball, h->gap[i]);
    if (h->near != NULL)
      geodisk_model_point(h->model, (uint32_t)i, h->own_x + i * (size_t)h->own_ball.dim, &h->own_gap[i]);
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

static geodisk_status check_threshold(geodisk_context *context, const geodisk_model *model, bool decided,
                                      const double *threshold) {
  if (geodisk_model_space(model) != GEODISK_SPACE_HYPERBOLIC)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "hierarchy: the model is in flat space, where there are no half-spaces below");
  if (!decided && threshold == NULL)
    return geodisk_fail(
        context, GEODISK_ERROR_ARGUMENT,
        "the model has no threshold for \"is a\": train on a closed hierarchy or by the recipe entailment, or give "
        "a `threshold`");
  if (threshold != NULL && !isfinite(*threshold))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: the threshold is not finite");
  return GEODISK_OK;
}

/* Room for the points; those of the model itself besides, where it knows by them what is near (`near`). */
static geodisk_status make_room(geodisk_context *context, geodisk_hierarchy *h, bool near) {
  h->x = geodisk_allocate(h->nodes, h->dim * sizeof *h->x);
  h->gap = geodisk_allocate(h->nodes, sizeof *h->gap);
  h->radius = geodisk_allocate(h->nodes, sizeof *h->radius);
  h->threshold = geodisk_allocate(h->nodes, sizeof *h->threshold);
  bool memory = h->x != NULL && h->gap != NULL && h->radius != NULL && h->threshold != NULL;
  if (near) {
    h->near = find_reaches(h->model);
    h->own_ball = geodisk_model_ball(h->model);
    h->own_x = geodisk_allocate(h->nodes, (size_t)h->own_ball.dim * sizeof *h->own_x);
    h->own_gap = geodisk_allocate(h->nodes, sizeof *h->own_gap);
    memory = memory && h->own_x != NULL && h->own_gap != NULL;
  }
  return memory ? GEODISK_OK : geodisk_no_memory(context, "for the hierarchy of %zu nodes", h->nodes);
}

geodisk_status geodisk_hierarchy_create(geodisk_context *context, const geodisk_model *model, const double *threshold,
                                        geodisk_hierarchy **out) {
  if (model == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: %s is NULL", model == NULL ? "model" : "out");
  geodisk_hierarchy *h = geodisk_allocate_zero(1, sizeof *h);
  if (h == NULL)
    return geodisk_no_memory(context, "for a hierarchy");
  h->info = (geodisk_hierarchy_info){.centre = GEODISK_HIERARCHY_ORIGIN, .slope = 1.0};
  const bool decided = geodisk_model_hierarchy(model, &h->info);
  geodisk_status st = check_threshold(context, model, decided, threshold);
  if (st == GEODISK_OK) {
    h->model = model;
    h->nodes = geodisk_model_nodes(model);
    h->order = geodisk_model_order(model);
    h->outward = h->order != NULL || (decided && !h->info.own_reach);
    h->ball = h->order != NULL ? geodisk_unit_ball(ORDER_NUMBERS - 1) : geodisk_model_ball(model);
    h->dim = (size_t)h->ball.dim;
    st = make_room(context, h, decided && h->info.near && threshold == NULL);
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
  geodisk_free_all(h->x, h->gap, h->radius, h->threshold, h->own_x, h->own_gap, h);
}

geodisk_status geodisk_hierarchy_is_a(geodisk_context *context, const geodisk_hierarchy *h, uint32_t child, uint32_t parent,
                                      geodisk_is_a_answer *out) {
  if (h == NULL || out == NULL || child >= h->nodes || parent >= h->nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "is a: %s",
                        h == NULL || out == NULL ? "an argument is NULL" : "not a node");
  double score = hierarchy_score(h, child, parent), threshold = h->threshold[child];
  if (score > threshold && h->near != NULL && child != parent && hierarchy_is_near(h, child, parent)) {
    score = near_distance(h, child, parent);
    threshold = (double)h->near[child];
  }
  *out = (geodisk_is_a_answer){.is_a = child == parent || score <= threshold,
                               .score = score,
                               .threshold = threshold,
                               .probability = 1.0 / (1.0 + exp(-(h->info.slope * (threshold - score) + h->info.offset)))};
  if (child == parent)
    out->probability = 1.0;
  return GEODISK_OK;
}

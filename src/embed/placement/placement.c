/* placement.c - where the nodes begin: at random near the origin, from the hierarchy, as a tree is constructed, or where another
 * model has them.
 *
 * The tree placement takes a spanning forest of the graph (spanning.c) and nests spherical caps along it (caps.c). So every node
 * is nearer to its ancestors than to almost all others from the start, and training only has to mend what the tree cannot know:
 * nodes with several parents. */
#include "placement.h"
#include "base/squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "construction.h"
#include "embed/trainer.h"
#include "vectors/match.h"

/* ---- rows ---- */

size_t embed_stride(const geodisk_train_options *options) {
  return train_stride((size_t)options->dim, options->precision == GEODISK_PRECISION_FLOAT);
}

void embed_write_row(const geodisk_train_options *options, void *row, const double *x, double gap) {
  const bool single = options->precision == GEODISK_PRECISION_FLOAT;
  if (options->space == GEODISK_SPACE_EUCLIDEAN)
    gap = 1.0;
  const size_t dim = (size_t)options->dim, at = embed_stride(options) - 1;
  const double epsilon = single ? 0x1p-24 : 0x1p-53, rim = train_rim(dim, epsilon);
  const double square = square_of(dim, x);
  const double scale =
      options->space == GEODISK_SPACE_EUCLIDEAN || square <= train_outmost(dim, epsilon) ? 1.0 : sqrt(rim / square);
  if (single) {
    float *to = row;
    for (size_t k = 0; k < dim; k++)
      to[k] = (float)(x[k] * scale);
    to[at] = (float)(gap > (double)TRAIN_LEAST_GAP_FLOAT ? gap : (double)TRAIN_LEAST_GAP_FLOAT);
  } else {
    double *to = row;
    for (size_t k = 0; k < dim; k++)
      to[k] = x[k] * scale;
    to[at] = gap > TRAIN_LEAST_GAP_DOUBLE ? gap : TRAIN_LEAST_GAP_DOUBLE;
  }
}

void embed_read_row(const geodisk_train_options *options, const void *row, double *x, double *gap) {
  const bool single = options->precision == GEODISK_PRECISION_FLOAT;
  const size_t dim = (size_t)options->dim, at = embed_stride(options) - 1;
  if (single) {
    const float *from = row;
    for (size_t k = 0; k < dim; k++)
      x[k] = (double)from[k];
    *gap = (double)from[at];
  } else {
    const double *from = row;
    for (size_t k = 0; k < dim; k++)
      x[k] = from[k];
    *gap = from[at];
  }
}

void embed_set_row(const geodisk_trainer *t, uint32_t node, const double *x, double gap) {
  embed_write_row(&t->options, trainer_row(t, node), x, gap);
}

void embed_get_row(const geodisk_trainer *t, uint32_t node, double *x, double *gap) {
  embed_read_row(&t->options, trainer_row(t, node), x, gap);
}

double embed_weights_of(const uint64_t *offsets, const double *weights, size_t nodes) {
  double sum = 0.0;
  for (size_t first = 0; first < nodes; first += WEIGHTS_BLOCK) {
    const size_t last = nodes - first < WEIGHTS_BLOCK ? nodes : first + WEIGHTS_BLOCK;
    double block = 0.0;
    for (uint64_t e = offsets[first]; e < offsets[last]; e++)
      block += weights[e];
    sum += block;
  }
  return sum;
}

/* ---- by the hierarchy ---- */

/* A node whose children are being placed. */
typedef struct branch {
  uint32_t node, leaves;
  uint32_t used;   /* leaves of the children placed so far */
  uint32_t latest; /* the child placed last, or NO_NODE */
  cap cap;
} branch;

/* Nodes come in the depth-first order, so that caps are needed of one path alone. Of a node that has been placed, its parent and
 * its leaves give way to its leaves and the sibling before it. */
typedef struct layout {
  uint32_t *parent, *leaves; /* of nodes to come; leaves: below a node, itself if it is one */
  branch *path;
  size_t length, room;
  double *directions; /* CAP_SIBLINGS x dim: of siblings */
  double angles[CAP_SIBLINGS];
} layout;

/* The cap of a child, and of its siblings placed before it. While it lasts, rows hold unit vectors: the directions. */
static void place_child(const geodisk_trainer *t, layout *l, const branch *p, const cap_node *node, cap *out, double *direction) {
  double axis[GEODISK_DIM_MOST], gap;
  cap_family family = {p->leaves, p->cap, axis, 0, l->directions, l->angles};
  if (t->options.dim > 2) {
    embed_get_row(t, p->node, axis, &gap);
    for (uint32_t b = p->latest; b != NO_NODE && family.siblings < CAP_SIBLINGS; b = l->leaves[b]) {
      l->angles[family.siblings] = embed_cap_angle(&family, l->parent[b]);
      embed_get_row(t, b, l->directions + family.siblings++ * (size_t)t->options.dim, &gap);
    }
  }
  embed_cap_of_child(&t->options, &family, node, out, direction);
}

/* The radius of a node, which is a float, where its row has the gap. */
static void keep_radius(const geodisk_trainer *t, uint32_t u, float radius) {
  char *at = trainer_row(t, u) + row_bytes(t) - number_bytes(t);
  const double wide = (double)radius;
  memcpy(at, is_single(&t->options) ? (const void *)&radius : (const void *)&wide, number_bytes(t));
}

static float kept_radius(const geodisk_trainer *t, uint32_t u) {
  const char *at = trainer_row(t, u) + row_bytes(t) - number_bytes(t);
  float radius;
  double wide;
  memcpy(&radius, at, sizeof radius);
  if (is_single(&t->options))
    return radius;
  memcpy(&wide, at, sizeof wide);
  return (float)wide;
}

/* Finds all caps and directions. False: out of memory. */
static bool lay_out_caps(const geodisk_trainer *t, layout *l) {
  uint64_t roots = 0;
  cap_forest forest = {0, false};
  uint32_t leaves_used = 0;
  double n[GEODISK_DIM_MOST];
  for (size_t u = 0; u < t->nodes; u++)
    if (l->parent[u] == NO_NODE) {
      forest.leaves += l->leaves[u];
      roots++;
    }
  forest.one_root = roots == 1;
  for (size_t i = 0; i < t->nodes; i++) {
    const uint32_t u = t->order[i];
    while (l->length > 0 && l->path[l->length - 1].node != l->parent[u])
      l->length--;
    if (!array_grow(&l->path, l->length, 1, &l->room, sizeof *l->path))
      return false;
    branch *own = &l->path[l->length], *p = l->length++ > 0 ? own - 1 : NULL;
    *own = (branch){.node = u, .leaves = l->leaves[u], .latest = NO_NODE};
    const cap_node node = {u, own->leaves, p ? p->used : leaves_used};
    if (p)
      place_child(t, l, p, &node, &own->cap, n);
    else
      embed_cap_of_root(&t->options, &forest, &node, &own->cap, n);
    *(p ? &p->used : &leaves_used) += own->leaves;
    l->parent[u] = own->leaves;
    l->leaves[u] = p ? p->latest : NO_NODE;
    if (p)
      p->latest = u;
    embed_set_row(t, u, n, 1.0);
    keep_radius(t, u, own->cap.radius);
  }
  return true;
}

/* False: out of memory. */
static bool lay_out(const geodisk_trainer *t, const spanning_forest *f) {
  layout l = {.parent = f->parent, .leaves = f->leaves};
  double n[GEODISK_DIM_MOST], x[GEODISK_DIM_MOST], gap;
  l.directions = geodisk_allocate(CAP_SIBLINGS * (size_t)t->options.dim, sizeof *l.directions);
  const bool memory = l.directions && lay_out_caps(t, &l);
  for (uint32_t u = 0; u < t->nodes && memory; u++) {
    const float radius = kept_radius(t, u);
    embed_get_row(t, u, n, &gap);
    embed_point_at(&t->options, n, radius, x, &gap);
    embed_set_row(t, u, x, gap);
  }
  geodisk_free_all(l.path, l.directions);
  return memory;
}

/* The length of the edge of a node to its parent in the forest, whichever way it goes. */
static double weight_between(const geodisk_trainer *t, uint32_t u, uint32_t p) {
  for (uint64_t e = t->out.offsets[u]; e < t->out.offsets[u + 1]; e++)
    if (t->out.nodes[e] == p)
      return t->out.weights[e];
  for (uint64_t e = t->out.offsets[p]; e < t->out.offsets[p + 1]; e++)
    if (t->out.nodes[e] == u)
      return t->out.weights[e];
  return 1.0;
}

/* Of a weighted graph the weights are lengths, if all are positive. */
static bool weights_of_forest(const geodisk_trainer *t, const uint32_t *parent, double *weights) {
  for (uint32_t u = 0; u < t->nodes; u++) {
    weights[u] = parent[u] != NO_NODE ? weight_between(t, u, parent[u]) : 1.0;
    if (!(weights[u] > 0.0))
      return false;
  }
  return true;
}

/* The forest, constructed; its parents are used up. */
static geodisk_status construct(geodisk_trainer *t, uint32_t *parent) {
  const size_t dim = (size_t)t->options.dim;
  const bool weighted = t->out.weights != NULL;
  const geodisk_tree_options options = {t->options.dim, t->options.precision, t->options.depth, weighted};
  double *points = geodisk_allocate(t->nodes + 1, (dim + 1) * sizeof *points);
  double *weights = geodisk_allocate(weighted ? t->nodes + 1 : 1, sizeof *weights);
  construction_forest forest = {.nodes = t->nodes, .parent = parent};
  geodisk_tree_info info;
  geodisk_status st = GEODISK_ERROR_MEMORY;
  if (points && weights && weighted && weights_of_forest(t, parent, weights))
    forest.weights = weights;
  if (!points || !weights)
    geodisk_fail(t->context, st, "out of memory for the construction of %zu nodes", t->nodes);
  else
    st = embed_construct(t->context, &options, &forest, points, &info);
  for (uint32_t u = 0; u < t->nodes && st == GEODISK_OK; u++)
    embed_set_row(t, u, points + u * (dim + 1), points[u * (dim + 1) + dim]);
  geodisk_free_all(points, weights);
  if (st == GEODISK_OK && info.exact)
    geodisk_log_event(t->context, GEODISK_LOG_INFO, "the construction of the tree is exact, with a radius of %.1f", info.radius);
  if (st == GEODISK_OK && !info.exact)
    geodisk_log_event(
        t->context, GEODISK_LOG_WARNING,
        "the construction of the tree needs a radius of %.1f in %d dimensions to be exact, more than %s resolves: it has %.1f",
        info.needed, t->options.dim, is_single(&t->options) ? "float" : "double", info.radius);
  return st;
}

/* A copy of some numbers; NULL: out of memory. */
static uint32_t *copy_of(const uint32_t *numbers, size_t count) {
  uint32_t *copy = geodisk_allocate(count, sizeof *copy);
  return copy ? memcpy(copy, numbers, count * sizeof *copy) : NULL;
}

/* The spanning forest, the order of the nodes along it, and, unless it is at random, the placement by it. The forest is found in
 * the room of the rows, which are still empty; what placing needs of it is copied. */
static geodisk_status place_by_hierarchy(geodisk_trainer *t, geodisk_placement how) {
  const size_t n = how == GEODISK_PLACEMENT_RANDOM ? 0 : t->nodes;
  const spanning_forest found = embed_span(t, t->rows);
  const spanning_forest f = {.parent = copy_of(found.parent, n),
                             .leaves = copy_of(found.leaves, n),
                             .depth = copy_of(found.depth, how == GEODISK_PLACEMENT_ARCS ? n : 0)};
  geodisk_status st = GEODISK_OK;
  bool memory = f.parent && f.leaves && f.depth;
  memset(t->rows, 0, t->nodes * row_bytes(t));
  if (memory && how == GEODISK_PLACEMENT_TREE)
    memory = lay_out(t, &f);
  if (memory && how == GEODISK_PLACEMENT_CONSTRUCTION)
    st = construct(t, f.parent);
  if (memory && how == GEODISK_PLACEMENT_ARCS)
    memory = embed_place_on_arcs(t, &f);
  if (!memory)
    st = geodisk_no_memory(t->context, "for the placement of %zu nodes", t->nodes);
  geodisk_free_all(f.parent, f.leaves, f.depth);
  return st;
}

/* ---- at random ---- */

static void place_at_random(geodisk_trainer *t) {
  double x[GEODISK_DIM_MOST], gap;
  for (size_t u = 0; u < t->nodes; u++) {
    embed_point_at_random(&t->options, (uint32_t)u, x, &gap);
    embed_set_row(t, (uint32_t)u, x, gap);
  }
}

/* ---- where another model has them ---- */

uint32_t embed_nearest_parent(const geodisk_trainer *t, uint32_t u, const bool *known) {
  const uint64_t *parents = t->out.offsets;
  uint32_t best = NO_NODE;
  for (uint64_t i = parents[u]; i < parents[u + 1]; i++) {
    const uint32_t v = t->out.nodes[i];
    if ((!known || known[v]) && (best == NO_NODE || parents[v + 1] - parents[v] > parents[best + 1] - parents[best]))
      best = v;
  }
  return best;
}

void embed_walk(int dim, double *x, double *gap, const double *n, double length) {
  const double t = portable_tanh_half(length);
  double aside = 0.0;
  const double r = norm_of((size_t)dim, x), inverse = r > 0.0 ? 1.0 / r : 0.0, inward = (1.0 - t) + t * *gap / (1.0 + r);
  for (int k = 0; k < dim; k++)
    aside += (n[k] + x[k] * inverse) * (n[k] + x[k] * inverse);
  const double z2 = r > 0.0 ? inward * inward + t * r * aside : 1.0, away = *gap * t / z2;
  for (int k = 0; k < dim; k++)
    x[k] += away * (n[k] + x[k] * inverse - (r > 0.0 ? inward : 0.0) * x[k] * inverse);
  *gap = *gap * ((1.0 - t) * (1.0 + t)) / z2;
}

void embed_row_beside(const geodisk_train_options *options, uint32_t node, const void *near, void *row) {
  double x[GEODISK_DIM_MOST], step[GEODISK_DIM_MOST], gap;
  geodisk_random random = geodisk_random_stream(options->seed, stream_of(STREAM_PLACE, node, PLACE_BESIDE));
  embed_random_unit(&random, options->dim, step);
  if (!near) {
    for (int k = 0; k < options->dim; k++)
      x[k] = options->range * step[k];
    gap = 1.0 - options->range * options->range;
  } else {
    const bool flat = options->space == GEODISK_SPACE_EUCLIDEAN;
    embed_read_row(options, near, x, &gap);
    for (int k = 0; k < options->dim && flat; k++)
      x[k] += 0.5 * step[k];
    if (!flat)
      embed_walk(options->dim, x, &gap, step, 0.5);
  }
  embed_write_row(options, row, x, gap);
}

void embed_place_beside(const geodisk_trainer *t, bool *known) {
  for (size_t i = 0; i < t->nodes; i++) {
    const uint32_t u = t->order[i];
    if (known[u])
      continue;
    uint32_t near = embed_nearest_parent(t, u, known);
    for (uint64_t j = t->in.offsets[u]; j < t->in.offsets[u + 1] && near == NO_NODE; j++)
      if (known[t->in.nodes[j]])
        near = t->in.nodes[j];
    embed_row_beside(&t->options, u, near == NO_NODE ? NULL : trainer_row(t, near), trainer_row(t, u));
    known[u] = true;
  }
}

/* Known points are kept. */
static geodisk_status place_from_start(geodisk_trainer *t, const node_match *match) {
  bool *known = geodisk_allocate_zero(t->nodes, sizeof *known);
  if (!known)
    return geodisk_no_memory(t->context, "for %zu nodes", t->nodes);
  double x[GEODISK_DIM_MOST], gap;
  for (uint32_t u = 0; u < t->nodes; u++) {
    known[u] = match->node[u] != NO_NODE;
    if (!known[u])
      continue;
    geodisk_model_point(t->options.start, match->node[u], x, &gap);
    embed_set_row(t, u, x, gap);
  }
  embed_place_beside(t, known);
  free(known);
  return GEODISK_OK;
}

/* ---- all of them ---- */

bool embed_placed_by_tree(const geodisk_train_options *options) {
  return options->placement == GEODISK_PLACEMENT_TREE && options->dim > 1;
}

bool embed_ordered_by_tree(const geodisk_train_options *options) {
  return options->units == GEODISK_UNITS_SOURCE || options->sampling == GEODISK_SAMPLING_NEARBY;
}

static void order_by_number(geodisk_trainer *t) {
  for (uint32_t u = 0; u < t->nodes; u++)
    t->order[u] = u;
}

geodisk_status embed_place(geodisk_trainer *t) {
  const bool ordered = embed_ordered_by_tree(&t->options);
  const geodisk_placement how = t->options.dim > 1 && !t->options.start ? t->options.placement : GEODISK_PLACEMENT_RANDOM;
  const geodisk_model *start = t->options.start;
  node_match match = {.node = NULL};
  geodisk_status st = GEODISK_OK;
  if (start && !match_make(start, t->graph, &match))
    return geodisk_no_memory(t->context, "for %zu nodes", t->nodes);
  /* the same nodes in the same order, as when training goes on */
  const bool same_names = start && match.same_number && geodisk_model_nodes(start) == t->nodes;
  if (how != GEODISK_PLACEMENT_RANDOM || ordered || (start && !same_names))
    st = place_by_hierarchy(t, how);
  else
    order_by_number(t);
  if (st == GEODISK_OK && start)
    st = place_from_start(t, &match);
  else if (st == GEODISK_OK && how == GEODISK_PLACEMENT_RANDOM)
    place_at_random(t);
  match_free(&match);
  if (!ordered)
    order_by_number(t); /* placing may have needed another order */
  return st;
}

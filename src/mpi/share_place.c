/* share_place.c - points placed by all ranks, to the bytes of src/embed/placement/placement.c. From the roots downwards, whoever
 * owns a node places its children, since their caps depend on each other, and tells their owners: a message carries a child's
 * place in the depth-first order, its cap and its direction. */
#include "share_forest.h"

#include "embed/placement/placement.h"
#include "outbox.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 1 << 21 }; /* of what is under way at once from a rank, about */

/* A node on its way to its owner; its direction follows. */
typedef struct placed_node {
  uint32_t node;
  uint32_t order;
  cap cap;
} placed_node;

typedef struct placing {
  const geodisk_train_options *options;
  const mpi_share *share;
  share_forest forest;
  bool tree; /* caps and directions too, not only the order */
  size_t dim, row_bytes;
  char *rows;
  uint32_t *order;
  cap *caps;       /* owned, if tree */
  uint32_t *queue; /* owned nodes that are placed; their children are from `head` on */
  size_t head, tail;
  outbox box;
  char *message;    /* one */
  double *siblings; /* CAP_SIBLINGS x dim: directions of the last children placed, in a ring */
  double angles[CAP_SIBLINGS];
  uint64_t child;         /* the next of the node at the head */
  uint32_t leaves, nodes; /* of its children before that */
} placing;

static void *row_of(const placing *p, uint32_t i) { return p->rows + i * p->row_bytes; }

/* A node that was placed: it waits for its children to be. While it lasts, rows hold directions. */
static void hear_node(void *user, const void *message) {
  placing *p = user;
  placed_node m;
  memcpy(&m, message, sizeof m);
  const uint32_t i = m.node - p->share->first;
  p->order[i] = m.order;
  if (p->tree) {
    double direction[GEODISK_DIM_MOST];
    memcpy(direction, (const char *)message + sizeof m, p->dim * sizeof *direction);
    p->caps[i] = m.cap;
    embed_write_row(p->options, row_of(p, i), direction, 1.0);
  }
  p->queue[p->tail++] = i;
}

/* ---- children --------------------------------------------------------------------------------------------------------- */

/* The cap of child number k of a node, kept for those that come after it. */
static void place_child(placing *p, uint32_t i, uint64_t k, const cap_node *node, cap *out, double *direction) {
  double axis[GEODISK_DIM_MOST], gap;
  embed_read_row(p->options, row_of(p, i), axis, &gap);
  const cap_family family = {p->forest.leaves[i], p->caps[i], axis, k < CAP_SIBLINGS ? k : CAP_SIBLINGS, p->siblings, p->angles};
  embed_cap_of_child(p->options, &family, node, out, direction);
  memcpy(p->siblings + k % CAP_SIBLINGS * p->dim, direction, p->dim * sizeof *direction);
  p->angles[k % CAP_SIBLINGS] = out->angle;
}

/* Works through the queue until it is empty or the box is full. */
static void place_children(void *user) {
  placing *p = user;
  for (; p->head < p->tail; p->head++, p->child = 0, p->leaves = p->nodes = 0) {
    const uint32_t i = p->queue[p->head];
    const forest_child *children = p->forest.children + p->forest.starts[i];
    for (const uint64_t count = p->forest.starts[i + 1] - p->forest.starts[i]; p->child < count; p->child++) {
      const forest_child *c = &children[p->child];
      if (outbox_full(&p->box))
        return;
      placed_node m = {.node = c->node, .order = p->order[i] + 1 + p->nodes};
      double direction[GEODISK_DIM_MOST];
      if (p->tree) {
        const cap_node node = {c->node, c->leaves, p->leaves};
        place_child(p, i, p->child, &node, &m.cap, direction);
        memcpy(p->message + sizeof m, direction, p->dim * sizeof *direction);
      }
      memcpy(p->message, &m, sizeof m);
      p->leaves += c->leaves;
      p->nodes += c->size;
      if (c->node - p->share->first < p->share->owned)
        hear_node(p, p->message);
      else
        outbox_put(&p->box, mpi_share_owner(p->share, c->node), p->message);
    }
  }
}

/* ---- roots ------------------------------------------------------------------------------------------------------------ */

static void place_roots(placing *p) {
  uint64_t leaves = 0, nodes = 0, roots = 0;
  for (uint32_t i = 0; i < p->share->owned; i++)
    if (p->forest.parent[i] == NO_PARENT) {
      leaves += p->forest.leaves[i];
      nodes += p->forest.size[i];
      roots++;
    }
  const cap_forest forest = {mpi_sum(p->share->comm, leaves), mpi_sum(p->share->comm, roots) == 1};
  leaves = mpi_sum_before(p->share->comm, leaves);
  nodes = mpi_sum_before(p->share->comm, nodes);
  for (uint32_t i = 0; i < p->share->owned; i++) {
    if (p->forest.parent[i] != NO_PARENT)
      continue;
    placed_node m = {.node = p->share->first + i, .order = (uint32_t)nodes};
    if (p->tree) {
      double direction[GEODISK_DIM_MOST];
      const cap_node node = {m.node, p->forest.leaves[i], (uint32_t)leaves};
      embed_cap_of_root(p->options, &forest, &node, &m.cap, direction);
      memcpy(p->message + sizeof m, direction, p->dim * sizeof *direction);
    }
    memcpy(p->message, &m, sizeof m);
    hear_node(p, p->message);
    leaves += p->forest.leaves[i];
    nodes += p->forest.size[i];
  }
}

/* ---- points ----------------------------------------------------------------------------------------------------------- */

/* Directions and radii to points. */
static void make_points(placing *p) {
  double direction[GEODISK_DIM_MOST], x[GEODISK_DIM_MOST], gap;
  for (uint32_t i = 0; i < p->share->owned; i++) {
    embed_read_row(p->options, row_of(p, i), direction, &gap);
    embed_point_at(p->options, direction, p->caps[i].radius, x, &gap);
    embed_write_row(p->options, row_of(p, i), x, gap);
  }
}

static geodisk_status place_by_hierarchy(geodisk_context *context, placing *p) {
  const size_t owned = p->share->owned, bytes = sizeof(placed_node) + (p->tree ? p->dim * sizeof(double) : 0);
  geodisk_status status = share_forest_find(context, p->share, &p->forest);
  if (status != GEODISK_OK)
    return status;
  uint32_t *own_order = p->order == NULL ? geodisk_allocate(owned, sizeof *own_order) : NULL;
  p->order = p->order == NULL ? own_order : p->order;
  p->caps = geodisk_allocate(p->tree ? owned : 0, sizeof *p->caps);
  p->queue = geodisk_allocate(owned, sizeof *p->queue);
  p->message = geodisk_allocate(bytes, 1);
  p->siblings = geodisk_allocate(CAP_SIBLINGS * p->dim, sizeof *p->siblings);
  status = outbox_create(context, p->share->comm, bytes, MESSAGE_BYTES / bytes, &p->box);
  if (status == GEODISK_OK)
    status = mpi_agree_memory(
        context, p->share->comm,
        p->order != NULL && p->caps != NULL && p->queue != NULL && p->message != NULL && p->siblings != NULL, "the placement");
  if (status == GEODISK_OK) {
    place_roots(p);
    status = outbox_rounds(&p->box, place_children, hear_node, p);
  }
  if (status == GEODISK_OK && p->tree)
    make_points(p);
  geodisk_free_all(own_order, p->caps, p->queue, p->message, p->siblings);
  outbox_free(&p->box);
  share_forest_free(&p->forest);
  return status;
}

geodisk_status mpi_share_place(geodisk_context *context, const mpi_share *share, const geodisk_train_options *options, void *rows,
                               uint32_t *order) {
  const bool ordered = embed_ordered_by_tree(options);
  placing p = {.options = options,
               .share = share,
               .tree = rows != NULL && embed_placed_by_tree(options),
               .dim = (size_t)options->dim,
               .row_bytes =
                   embed_stride(options) * (options->precision == GEODISK_PRECISION_FLOAT ? sizeof(float) : sizeof(double)),
               .rows = rows};
  if (ordered)
    p.order = order;
  if (rows != NULL)
    memset(rows, 0, share->owned * p.row_bytes);
  geodisk_status status = GEODISK_OK;
  if (p.tree || ordered)
    status = place_by_hierarchy(context, &p);
  for (uint32_t i = 0; i < share->owned && rows != NULL && !p.tree && status == GEODISK_OK; i++) {
    double x[GEODISK_DIM_MOST], gap;
    embed_point_at_random(options, share->first + i, x, &gap);
    embed_write_row(options, row_of(&p, i), x, gap);
  }
  return status;
}

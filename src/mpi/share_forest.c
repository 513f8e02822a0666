/* share_forest.c - a spanning forest found by messages: each rank goes on with its own nodes as far as it can, then all exchange
 * what they have to tell. Every rule is by numbers alone (the deepest parent, of these the first), so the order in which messages
 * come does not matter. */
#include "share_forest.h"
#include "base/sorting.h"

#include "outbox.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGES_AT_ONCE = 1 << 18 };

/* One message for all purposes. */
typedef struct note {
  uint32_t node; /* whom it is for */
  uint32_t from;
  uint64_t value;
} note;

typedef struct search search;
struct search {
  geodisk_context *context;
  const mpi_share *share;
  share_forest *forest;
  outbox box;
  uint64_t *in_starts; /* owned + 1 */
  uint32_t *sources;   /* of the edges to owned nodes, in no order */
  uint32_t *depth, *waiting, *queue;
  uint64_t *hub;     /* of the component: UINT64_MAX - degree, and ... */
  uint32_t *first;   /* ... its number; both smaller is better */
  size_t head, tail; /* of the queue */
  size_t level_end;  /* where the nodes of this level end in it */
  uint32_t telling;  /* the node taken from it, while a hub is looked for; NO_PARENT */
  uint64_t edge;     /* of the node at hand: the next to be told */
  void (*tell)(search *s);
  void (*hear)(search *s, const note *n);
};

/* ---- rounds of messages ----------------------------------------------------------------------------------------------- */

/* `tell` works through the queue: it puts notes into the box, or hears them at once if they are for owned nodes, until the box is
 * full or the queue empty. `hear` takes one note. */
static void tell_notes(void *user) {
  search *s = user;
  s->tell(s);
}

static void hear_note(void *user, const void *message) {
  search *s = user;
  s->hear(s, message);
}

static geodisk_status hold_rounds(search *s, void (*tell)(search *s), void (*hear)(search *s, const note *n)) {
  s->tell = tell;
  s->hear = hear;
  return outbox_rounds(&s->box, tell_notes, hear_note, s);
}

static bool is_owned(const search *s, uint32_t node) { return node - s->share->first < s->share->owned; }

/* Delivers a note, here or elsewhere; false: the box is full. */
static bool post(search *s, const note *n) {
  if (is_owned(s, n->node)) {
    s->hear(s, n);
    return true;
  }
  if (outbox_full(&s->box))
    return false;
  outbox_put(&s->box, mpi_share_owner(s->share, n->node), n);
  return true;
}

/* ---- edges the other way round ---------------------------------------------------------------------------------------- */

static void hear_edge(search *s, const note *n) {
  const uint32_t i = n->node - s->share->first;
  s->sources[s->in_starts[i] + s->waiting[i]++] = n->from;
}

static void tell_edges(search *s) {
  for (; s->head < s->share->owned; s->head++) {
    if (s->edge < s->share->offsets[s->head])
      s->edge = s->share->offsets[s->head];
    for (; s->edge < s->share->offsets[s->head + 1]; s->edge++)
      if (!post(s, &(note){s->share->targets[s->edge], s->share->first + (uint32_t)s->head, 0}))
        return;
  }
}

static geodisk_status turn_edges(search *s) {
  const uint32_t owned = s->share->owned;
  s->in_starts[0] = 0;
  for (uint32_t i = 0; i < owned; i++) {
    s->in_starts[i + 1] = s->in_starts[i] + s->share->in_degree[i];
    s->waiting[i] = 0;
  }
  s->sources = geodisk_allocate((size_t)s->in_starts[owned], sizeof *s->sources);
  const geodisk_status status = mpi_agree_memory(s->context, s->share->comm, s->sources != NULL, "the edges");
  return status == GEODISK_OK ? hold_rounds(s, tell_edges, hear_edge) : status;
}

/* ---- without cycles: the deepest parent ------------------------------------------------------------------------------- */

/* A parent whose depth is known. */
static void hear_depth(search *s, const note *n) {
  const uint32_t i = n->node - s->share->first, deep = (uint32_t)n->value + 1;
  uint32_t *parent = &s->forest->parent[i];
  if (*parent == NO_PARENT || deep > s->depth[i] || (deep == s->depth[i] && n->from < *parent)) {
    *parent = n->from;
    s->depth[i] = deep;
  }
  if (--s->waiting[i] == 0)
    s->queue[s->tail++] = i;
}

static void tell_depths(search *s) {
  for (; s->head < s->tail; s->head++, s->edge = 0) {
    const uint32_t i = s->queue[s->head];
    const uint64_t children = s->in_starts[i + 1] - s->in_starts[i];
    for (; s->edge < children; s->edge++)
      if (!post(s, &(note){s->sources[s->in_starts[i] + s->edge], s->share->first + i, s->depth[i]}))
        return;
  }
}

/* *all: every node was reached, so there is no cycle. */
static geodisk_status deepest_parents(search *s, bool *all) {
  s->head = s->tail = 0;
  s->edge = 0;
  for (uint32_t i = 0; i < s->share->owned; i++) {
    s->forest->parent[i] = NO_PARENT;
    s->depth[i] = 0;
    s->waiting[i] = (uint32_t)(s->share->offsets[i + 1] - s->share->offsets[i]);
    if (s->waiting[i] == 0)
      s->queue[s->tail++] = i;
  }
  const geodisk_status status = hold_rounds(s, tell_depths, hear_depth);
  if (status == GEODISK_OK)
    *all = mpi_sum(s->share->comm, s->tail) == s->share->nodes;
  return status;
}

/* ---- with cycles: the nearest to the hub of the component ------------------------------------------------------------- */

static uint64_t degree_of(const search *s, uint32_t i) {
  return s->share->offsets[i + 1] - s->share->offsets[i] + s->share->in_degree[i];
}

static uint32_t neighbour_of(const search *s, uint32_t i, uint64_t k) {
  const uint64_t parents = s->share->offsets[i + 1] - s->share->offsets[i];
  return k < parents ? s->share->targets[s->share->offsets[i] + k] : s->sources[s->in_starts[i] + (k - parents)];
}

/* The queue is a ring here: a node is in it once at most (waiting says so). */
static void enqueue(search *s, uint32_t i) {
  if (s->waiting[i])
    return;
  s->waiting[i] = 1;
  s->queue[s->tail] = i;
  s->tail = s->tail == s->share->owned ? 0 : s->tail + 1;
}

static uint32_t dequeue(search *s) {
  const uint32_t i = s->queue[s->head];
  s->head = s->head == s->share->owned ? 0 : s->head + 1;
  s->waiting[i] = 0; /* news that come from now on put it in again */
  return i;
}

static void hear_hub(search *s, const note *n) {
  const uint32_t i = n->node - s->share->first;
  if (n->value > s->hub[i] || (n->value == s->hub[i] && n->from >= s->first[i]))
    return;
  s->hub[i] = n->value;
  s->first[i] = n->from;
  enqueue(s, i);
}

static void tell_hubs(search *s) {
  while (s->telling != NO_PARENT || s->head != s->tail) {
    if (s->telling == NO_PARENT) {
      s->telling = dequeue(s);
      s->edge = 0;
    }
    const uint32_t i = s->telling;
    for (const uint64_t degree = degree_of(s, i); s->edge < degree; s->edge++)
      if (!post(s, &(note){neighbour_of(s, i, s->edge), s->first[i], s->hub[i]}))
        return;
    s->telling = NO_PARENT;
  }
}

/* Breadth first, level by level: `from` of a note is a neighbour one step nearer. */
static void hear_step(search *s, const note *n) {
  const uint32_t i = n->node - s->share->first;
  if (s->depth[i] == UINT32_MAX) {
    s->depth[i] = (uint32_t)n->value;
    s->forest->parent[i] = n->from;
    s->queue[s->tail++] = i;
  } else if (s->depth[i] == (uint32_t)n->value && n->from < s->forest->parent[i]) {
    s->forest->parent[i] = n->from;
  }
}

/* Those of one level. */
static void tell_steps(search *s) {
  for (; s->head < s->level_end; s->head++, s->edge = 0) {
    const uint32_t i = s->queue[s->head];
    for (const uint64_t degree = degree_of(s, i); s->edge < degree; s->edge++)
      if (!post(s, &(note){neighbour_of(s, i, s->edge), s->share->first + i, s->depth[i] + 1}))
        return;
  }
}

static geodisk_status nearest_parents(search *s) {
  const uint32_t owned = s->share->owned;
  s->head = s->tail = 0;
  s->edge = 0;
  memset(s->waiting, 0, (owned + (size_t)1) * sizeof *s->waiting);
  for (uint32_t i = 0; i < owned; i++) {
    s->hub[i] = UINT64_MAX - degree_of(s, i);
    s->first[i] = s->share->first + i;
    enqueue(s, i);
  }
  geodisk_status status = hold_rounds(s, tell_hubs, hear_hub);
  s->head = s->tail = 0;
  for (uint32_t i = 0; i < owned; i++) {
    s->forest->parent[i] = NO_PARENT;
    s->depth[i] = UINT32_MAX;
    if (s->first[i] != s->share->first + i)
      continue;
    s->depth[i] = 0;
    s->queue[s->tail++] = i;
  }
  for (bool more = true; more && status == GEODISK_OK; more = outbox_any(&s->box, s->head < s->tail)) {
    s->level_end = s->tail;
    s->edge = 0;
    status = hold_rounds(s, tell_steps, hear_step);
  }
  return status;
}

/* ---- children and what is below them ---------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
  const forest_child *x = a, *y = b;
  return COMPARE(x->node, y->node);
}

static int more_leaves_first(const void *a, const void *b) {
  const forest_child *x = a, *y = b;
  return compare_first(COMPARE(y->leaves, x->leaves), by_number(a, b));
}

/* A child tells its parent that it is there. */
static void hear_child(search *s, const note *n) {
  const uint32_t i = n->node - s->share->first;
  if (s->forest->children == NULL)
    s->forest->starts[i + 1]++;
  else
    s->forest->children[s->forest->starts[i] + s->waiting[i]++] = (forest_child){n->from, 0, 0};
}

static void tell_children(search *s) {
  for (; s->head < s->share->owned; s->head++) {
    const uint32_t parent = s->forest->parent[s->head];
    if (parent != NO_PARENT && !post(s, &(note){parent, s->share->first + (uint32_t)s->head, 0}))
      return;
  }
}

/* Twice: once to count, once to list. */
static geodisk_status list_children(search *s) {
  share_forest *f = s->forest;
  const uint32_t owned = s->share->owned;
  memset(f->starts, 0, (owned + (size_t)1) * sizeof *f->starts);
  s->head = 0;
  geodisk_status status = hold_rounds(s, tell_children, hear_child);
  if (status != GEODISK_OK)
    return status;
  for (uint32_t i = 0; i < owned; i++) {
    f->starts[i + 1] += f->starts[i];
    s->waiting[i] = 0;
  }
  f->children = geodisk_allocate((size_t)f->starts[owned], sizeof *f->children);
  if ((status = mpi_agree_memory(s->context, s->share->comm, f->children != NULL, "the hierarchy")) != GEODISK_OK)
    return status;
  s->head = 0;
  if ((status = hold_rounds(s, tell_children, hear_child)) != GEODISK_OK)
    return status;
  for (uint32_t i = 0; i < owned; i++)
    qsort(f->children + f->starts[i], (size_t)(f->starts[i + 1] - f->starts[i]), sizeof *f->children, by_number);
  return status;
}

/* A child that knows what is below it: value = leaves << 32 | size. */
static void hear_below(search *s, const note *n) {
  share_forest *f = s->forest;
  const uint32_t i = n->node - s->share->first;
  uint64_t low = f->starts[i], high = f->starts[i + 1];
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    if (f->children[middle].node <= n->from)
      low = middle;
    else
      high = middle;
  }
  forest_child *child = &f->children[low];
  child->leaves = (uint32_t)(n->value >> 32);
  child->size = (uint32_t)n->value;
  f->leaves[i] += child->leaves;
  f->size[i] += child->size;
  if (--s->waiting[i] == 0)
    s->queue[s->tail++] = i;
}

static void tell_below(search *s) {
  for (; s->head < s->tail; s->head++) {
    const uint32_t i = s->queue[s->head], parent = s->forest->parent[i];
    const uint64_t value = (uint64_t)s->forest->leaves[i] << 32 | s->forest->size[i];
    if (parent != NO_PARENT && !post(s, &(note){parent, s->share->first + i, value}))
      return;
  }
}

static geodisk_status count_below(search *s) {
  share_forest *f = s->forest;
  const uint32_t owned = s->share->owned;
  s->head = s->tail = 0;
  for (uint32_t i = 0; i < owned; i++) {
    s->waiting[i] = (uint32_t)(f->starts[i + 1] - f->starts[i]);
    f->leaves[i] = s->waiting[i] == 0;
    f->size[i] = 1;
    if (s->waiting[i] == 0)
      s->queue[s->tail++] = i;
  }
  const geodisk_status status = hold_rounds(s, tell_below, hear_below);
  for (uint32_t i = 0; i < owned && status == GEODISK_OK; i++)
    qsort(f->children + f->starts[i], (size_t)(f->starts[i + 1] - f->starts[i]), sizeof *f->children, more_leaves_first);
  return status;
}

/* ---- all of it -------------------------------------------------------------------------------------------------------- */

void share_forest_free(share_forest *forest) {
  geodisk_free_all(forest->parent, forest->leaves, forest->size, forest->starts, forest->children);
  *forest = (share_forest){NULL, NULL, NULL, NULL, NULL};
}

static void free_search(search *s) {
  outbox_free(&s->box);
  geodisk_free_all(s->in_starts, s->sources, s->depth, s->waiting, s->queue, s->hub, s->first);
}

/* The edges are needed no longer. */
static void free_edges(search *s) {
  geodisk_free_all(s->in_starts, s->sources, s->depth);
  s->in_starts = NULL;
  s->sources = s->depth = NULL;
}

static geodisk_status find_parents(search *s) {
  bool all = false;
  geodisk_status status = turn_edges(s);
  if (status == GEODISK_OK)
    status = deepest_parents(s, &all);
  if (status != GEODISK_OK || all)
    return status;
  s->hub = geodisk_allocate(s->share->owned, sizeof *s->hub);
  s->first = geodisk_allocate(s->share->owned, sizeof *s->first);
  status = mpi_agree_memory(s->context, s->share->comm, s->hub != NULL && s->first != NULL, "the hierarchy");
  if (status == GEODISK_OK)
    status = nearest_parents(s);
  geodisk_free_all(s->hub, s->first);
  s->hub = NULL;
  s->first = NULL;
  return status;
}

static geodisk_status create_search(search *s) {
  const size_t owned = s->share->owned;
  s->in_starts = geodisk_allocate(owned + 1, sizeof *s->in_starts);
  s->depth = geodisk_allocate(owned, sizeof *s->depth);
  s->waiting = geodisk_allocate(owned + 1, sizeof *s->waiting);
  s->queue = geodisk_allocate(owned + 1, sizeof *s->queue);
  const geodisk_status status = outbox_create(s->context, s->share->comm, sizeof(note), MESSAGES_AT_ONCE, &s->box);
  return status != GEODISK_OK
             ? status
             : mpi_agree_memory(s->context, s->share->comm,
                                s->in_starts != NULL && s->depth != NULL && s->waiting != NULL && s->queue != NULL,
                                "the hierarchy");
}

geodisk_status share_forest_acyclic(geodisk_context *context, const mpi_share *share, bool *acyclic) {
  share_forest forest = {.parent = geodisk_allocate(share->owned, sizeof *forest.parent)};
  search s = {.context = context, .share = share, .forest = &forest, .telling = NO_PARENT};
  geodisk_status status = create_search(&s);
  if (status == GEODISK_OK)
    status = mpi_agree_memory(context, share->comm, forest.parent != NULL, "the hierarchy");
  if (status == GEODISK_OK)
    status = turn_edges(&s);
  if (status == GEODISK_OK)
    status = deepest_parents(&s, acyclic);
  free_search(&s);
  share_forest_free(&forest);
  return status;
}

geodisk_status share_forest_find(geodisk_context *context, const mpi_share *share, share_forest *out) {
  const size_t owned = share->owned;
  share_forest forest = {geodisk_allocate(owned, 4), geodisk_allocate(owned, 4), geodisk_allocate(owned, 4),
                         geodisk_allocate(owned + 1, sizeof *forest.starts), NULL};
  search s = {.context = context, .share = share, .forest = &forest, .telling = NO_PARENT};
  geodisk_status status = create_search(&s);
  if (status == GEODISK_OK)
    status = mpi_agree_memory(context, share->comm,
                              forest.parent != NULL && forest.leaves != NULL && forest.size != NULL && forest.starts != NULL,
                              "the hierarchy");
  if (status == GEODISK_OK)
    status = find_parents(&s);
  free_edges(&s);
  if (status == GEODISK_OK)
    status = list_children(&s);
  if (status == GEODISK_OK)
    status = count_below(&s);
  free_search(&s);
  if (status == GEODISK_OK)
    *out = forest;
  else
    share_forest_free(&forest);
  return status;
}

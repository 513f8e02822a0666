/* branches.c - which parts of the forest get a colour of their own, and the colours. */
#include "base/sorting.h"
#include "scene.h"

#include <stdlib.h>

/* A branch that holds more than this share of all nodes is looked into; its children are worth it if the largest of them holds at
 * least the other share. */
#define TOO_LARGE 0.31
#define WORTH     0.02
enum { LEAST = 2 }; /* nodes of a branch with a colour */

typedef struct top {
  uint32_t size, node;
  bool final; /* stays, however large */
} top;

typedef struct tops {
  top *list;
  size_t n;
} tops;

/* The tree of each node, itself included: `order` has parents before children. */
static void tree_sizes(const scene_arrays *s, uint32_t *size) {
  for (size_t i = 0; i < s->nodes; i++)
    size[i] = 1;
  for (size_t i = s->nodes; i-- > 0;) {
    const uint32_t u = s->order[i];
    if (s->parent[u] != GEODISK_NODE_NONE)
      size[s->parent[u]] += size[u];
  }
}

static top *largest_open(const tops *t) {
  top *best = NULL;
  for (size_t i = 0; i < t->n; i++)
    if (!t->list[i].final && (best == NULL || t->list[i].size > best->size))
      best = &t->list[i];
  return best;
}

/* Replaces a top by its children, of which the first in `rows` is the largest; false if they are not worth it. */
static bool split_top(tops *t, top *which, const csr *rows, const uint32_t *size, size_t nodes) {
  const uint32_t u = which->node;
  const uint64_t first = rows->offsets[u], end = rows->offsets[u + 1];
  uint32_t largest = 0;
  for (uint64_t e = first; e < end; e++)
    largest = size[rows->nodes[e]] > largest ? size[rows->nodes[e]] : largest;
  if (largest < LEAST || (double)largest < WORTH * (double)nodes)
    return false;
  *which = t->list[--t->n];
  for (uint64_t e = first; e < end; e++)
    t->list[t->n++] = (top){size[rows->nodes[e]], rows->nodes[e], false};
  return true;
}

static int larger_top_first(const void *a, const void *b) {
  const top *p = a, *q = b;
  return compare_first(COMPARE(q->size, p->size), COMPARE(p->node, q->node));
}

static void find_tops(const scene_arrays *s, const csr *rows, const uint32_t *size, tops *t) {
  for (uint32_t u = 0; u < s->nodes; u++)
    if (s->parent[u] == GEODISK_NODE_NONE)
      t->list[t->n++] = (top){size[u], u, false};
  for (top *next; (next = largest_open(t)) != NULL && (double)next->size > TOO_LARGE * (double)s->nodes;)
    if (!split_top(t, next, rows, size, s->nodes))
      next->final = true;
  qsort(t->list, t->n, sizeof *t->list, larger_top_first);
}

geodisk_status scene_branches(geodisk_context *context, scene_arrays *s, geodisk_scene *scene) {
  tops t = {geodisk_allocate(s->nodes, sizeof *t.list), 0};
  uint32_t *size = geodisk_allocate(s->nodes, sizeof *size);
  csr rows = {NULL, NULL, NULL};
  geodisk_status st = GEODISK_OK;
  if (t.list == NULL || size == NULL || csr_from_parents(s->nodes, s->parent, NO_NODE, &rows) != GEODISK_OK) {
    st = geodisk_no_memory(context, "for the picture's branches");
    goto done;
  }
  tree_sizes(s, size);
  find_tops(s, &rows, size, &t);
  for (size_t i = 0; i < s->nodes; i++)
    s->branch[i] = GEODISK_BRANCH_TRUNK;
  for (size_t i = 0; i < t.n; i++) {
    const bool coloured = scene->branches < GEODISK_SCENE_BRANCHES && t.list[i].size >= LEAST;
    s->branch[t.list[i].node] = coloured ? (uint8_t)scene->branches : GEODISK_BRANCH_OTHER;
    if (coloured) {
      scene->branch_node[scene->branches] = t.list[i].node;
      scene->branch_size[scene->branches++] = t.list[i].size;
    }
  }
  for (size_t i = 0; i < s->nodes; i++) {
    const uint32_t u = s->order[i], parent = s->parent[u];
    if (parent != GEODISK_NODE_NONE && s->branch[parent] != GEODISK_BRANCH_TRUNK)
      s->branch[u] = s->branch[parent];
  }
done:
  csr_free(&rows);
  geodisk_free_all(t.list, size);
  return st;
}

/* Paul Tol, Colour Schemes (SRON/EPS/TN/09-002): "muted" for a light ground, "light" for a dark one, so ordered that neighbours
 * in the list differ most. */
uint32_t geodisk_branch_colour(unsigned branch, bool dark) {
  static const uint32_t light_ground[GEODISK_SCENE_BRANCHES] = {0xCC6677, 0x332288, 0x117733, 0x88CCEE,
                                                                0x999933, 0x882255, 0x44AA99, 0xAA4499};
  static const uint32_t dark_ground[GEODISK_SCENE_BRANCHES] = {0xEE8866, 0x77AADD, 0x44BB99, 0xEEDD88,
                                                               0xFFAABB, 0x99DDFF, 0xBBCC33, 0xAAAA00};
  if (branch < GEODISK_SCENE_BRANCHES)
    return dark ? dark_ground[branch] : light_ground[branch];
  if (branch == GEODISK_BRANCH_TRUNK)
    return dark ? 0xE8E8E8 : 0x333333;
  return dark ? 0x8A8F98 : 0x9AA0A6;
}

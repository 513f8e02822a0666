/* spanning.c - a spanning forest of the graph and the depth-first order of its nodes: the hierarchy that placement and near
 * negatives follow. Every choice is by numbers alone (the deepest parent, of these the first; the larger subtree, of equal ones
 * the first), never by the order of a search, so that ranks which hold shares of the graph come to the same forest. */
#include <stdlib.h>
#include <string.h>

#include "base/sorting.h"
#include "embed/trainer.h"

/* Longest paths from the roots in a graph without cycles (Kahn's order); false if there is a cycle. */
static bool deepest_parents(const geodisk_trainer *t, const spanning_forest *f) {
  uint32_t *waiting = f->parent; /* parents not yet placed */
  size_t head = 0, tail = 0;
  for (size_t u = 0; u < t->nodes; u++) {
    waiting[u] = (uint32_t)(t->out.offsets[u + 1] - t->out.offsets[u]);
    f->depth[u] = 0;
    if (waiting[u] == 0)
      f->queue[tail++] = (uint32_t)u;
  }
  while (head < tail) {
    uint32_t v = f->queue[head++];
    for (uint64_t i = t->in.offsets[v]; i < t->in.offsets[v + 1]; i++) {
      uint32_t u = t->in.nodes[i];
      if (f->depth[u] < f->depth[v] + 1)
        f->depth[u] = f->depth[v] + 1;
      if (--waiting[u] == 0)
        f->queue[tail++] = u;
    }
  }
  if (tail < t->nodes)
    return false;
  for (size_t u = 0; u < t->nodes; u++) { /* the parent that is deepest: in a closure, the nearest one */
    f->parent[u] = NO_NODE;
    for (uint64_t i = t->out.offsets[u]; i < t->out.offsets[u + 1]; i++) {
      uint32_t v = t->out.nodes[i];
      if (f->parent[u] == NO_NODE || f->depth[v] > f->depth[f->parent[u]])
        f->parent[u] = v;
    }
  }
  return true;
}

#define UNSEEN UINT32_MAX /* in forest.depth, while it is found */
#define SEEN   (UINT32_MAX - 1)

static uint64_t degree_of(const geodisk_trainer *t, uint32_t u) {
  return t->out.offsets[u + 1] - t->out.offsets[u] + t->in.offsets[u + 1] - t->in.offsets[u];
}

/* Neighbour i of u: parents first, then children. */
static uint32_t neighbour_of(const geodisk_trainer *t, uint32_t u, uint64_t i) {
  const uint64_t parents = t->out.offsets[u + 1] - t->out.offsets[u];
  return i < parents ? t->out.nodes[t->out.offsets[u] + i] : t->in.nodes[t->in.offsets[u] + (i - parents)];
}

/* The node of highest degree, the first of several, in the component of `start`; its nodes become SEEN. */
static uint32_t find_hub(const geodisk_trainer *t, const spanning_forest *f, uint32_t start) {
  size_t head = 0, tail = 0;
  uint32_t hub = start;
  f->queue[tail++] = start;
  f->depth[start] = SEEN;
  while (head < tail) {
    const uint32_t u = f->queue[head++];
    const uint64_t degree = degree_of(t, u), best = degree_of(t, hub);
    if (degree > best || (degree == best && u < hub))
      hub = u;
    for (uint64_t i = 0; i < degree; i++) {
      const uint32_t v = neighbour_of(t, u, i);
      if (f->depth[v] == SEEN)
        continue;
      f->depth[v] = SEEN;
      f->queue[tail++] = v;
    }
  }
  return hub;
}

/* Along edges in either direction from the hub of each component: a node hangs on the first of its neighbours that are one step
 * nearer to it. */
static void nearest_parents(const geodisk_trainer *t, const spanning_forest *f) {
  for (size_t u = 0; u < t->nodes; u++)
    f->depth[u] = UNSEEN;
  for (size_t start = 0; start < t->nodes; start++) {
    if (f->depth[start] != UNSEEN)
      continue;
    size_t head = 0, tail = 0;
    const uint32_t hub = find_hub(t, f, (uint32_t)start);
    f->queue[tail++] = hub;
    f->depth[hub] = 0;
    f->parent[hub] = NO_NODE;
    while (head < tail) {
      const uint32_t u = f->queue[head++];
      for (uint64_t i = 0, degree = degree_of(t, u); i < degree; i++) {
        const uint32_t v = neighbour_of(t, u, i);
        if (f->depth[v] == SEEN) {
          f->depth[v] = f->depth[u] + 1;
          f->parent[v] = u;
          f->queue[tail++] = v;
        } else if (f->depth[v] == f->depth[u] + 1 && u < f->parent[v]) {
          f->parent[v] = u;
        }
      }
    }
  }
}

/* t->order: every node after its parent, subtrees together, larger ones first. Children are linked through first/next lists. */
static void depth_first(geodisk_trainer *t, const spanning_forest *f, const uint32_t *first, const uint32_t *next) {
  size_t n = 0, top = 0;
  uint32_t *stack = f->queue;
  for (size_t root = 0; root < t->nodes; root++) {
    if (f->parent[root] != NO_NODE)
      continue;
    stack[top++] = (uint32_t)root;
    while (top > 0) {
      uint32_t u = stack[--top];
      t->order[n++] = u;
      for (uint32_t c = first[u]; c != NO_NODE; c = next[c])
        stack[top++] = c;
    }
  }
}

/* Leaves below each node (itself if it is one). */
static void count_leaves(const geodisk_trainer *t, const spanning_forest *f) {
  uint32_t *leaves = f->leaves;
  memset(leaves, 0, t->nodes * sizeof *leaves);
  for (size_t i = t->nodes; i-- > 0;) {
    uint32_t u = t->order[i];
    if (leaves[u] == 0)
      leaves[u] = 1;
    if (f->parent[u] != NO_NODE)
      leaves[f->parent[u]] += leaves[u];
  }
}

/* The order, with the children of every node by size: linked first by number, counted, sorted, linked again. spare: 16 bytes per
 * node. */
static void order_nodes(geodisk_trainer *t, const spanning_forest *f, uint64_t *spare) {
  const size_t n = t->nodes;
  uint64_t *keys = spare; /* more leaves first, then by number */
  uint32_t *first = (uint32_t *)(keys + n), *next = first + n;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t u = 0; u < n; u++)
      first[u] = NO_NODE;
    for (size_t u = 0; u < n; u++)
      keys[u] = pass == 0 ? u : (uint64_t)(UINT32_MAX - f->leaves[u]) << 32 | u;
    if (pass == 1)
      qsort(keys, n, sizeof *keys, ascending_u64);
    for (size_t i = 0; i < n; i++) { /* the last one linked is taken off the stack last */
      const uint32_t u = (uint32_t)keys[i];
      if (f->parent[u] == NO_NODE)
        continue;
      next[u] = first[f->parent[u]];
      first[f->parent[u]] = u;
    }
    depth_first(t, f, first, next);
    if (pass == 0)
      count_leaves(t, f);
  }
}

spanning_forest embed_span(geodisk_trainer *t, void *room) {
  const size_t n = t->nodes;
  uint64_t *spare = room; /* 16 bytes per node */
  uint32_t *parent = (uint32_t *)(spare + 2 * n);
  const spanning_forest f = {.parent = parent, .leaves = parent + n, .queue = parent + 2 * n, .depth = parent + 3 * n};
  if (!deepest_parents(t, &f))
    nearest_parents(t, &f);
  order_nodes(t, &f, spare);
  return f;
}

/* forest.c - what is above what: a main parent for every node, the order of the forest they make, and how many nodes are below
 * each. A network has no above: its forest is that of a breadth-first search from the innermost node. */
#include <stdlib.h>
#include <string.h>

#include "base/sorting.h"
#include "hierarchy.h"

/* Steps spent on counting descendants exactly: about a second. */
static const uint64_t COUNTING_STEPS = 200000000;

/* ---- main parents -------------------------------------------------------------------------------------------------- */

/* The nearest of its parents for each node: edges are sorted by child. */
static geodisk_status nearest_parents(geodisk_context *context, const geodisk_model *model, hierarchy *h) {
  for (size_t e = 0; e < h->edges;) {
    const uint32_t u = h->edge_child[e];
    size_t end = e + 1;
    while (end < h->edges && h->edge_child[end] == u)
      end++;
    h->parent[u] = h->edge_parent[e];
    double least = 0, d;
    for (size_t i = e; end - e > 1 && i < end; i++) {
      const geodisk_status st = geodisk_model_distance(context, model, u, h->edge_parent[i], &d);
      if (st != GEODISK_OK)
        return st;
      if (i == e || d < least) {
        least = d;
        h->parent[u] = h->edge_parent[i];
      }
    }
    e = end;
  }
  return GEODISK_OK;
}

typedef struct ranked {
  double radius;
  uint32_t node;
} ranked;

static int by_radius(const void *a, const void *b) {
  const ranked *p = a, *q = b;
  return compare_first(COMPARE(p->radius, q->radius), COMPARE(p->node, q->node));
}

static void search_from(const hierarchy *h, const csr *out, const csr *in, uint32_t start, bool *seen, uint32_t *queue) {
  size_t head = 0, tail = 0;
  queue[tail++] = start;
  seen[start] = true;
  while (head < tail) {
    const uint32_t u = queue[head++];
    for (int way = 0; way < 2; way++) {
      const csr *rows = way == 0 ? out : in;
      for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
        const uint32_t v = rows->nodes[e];
        if (seen[v])
          continue;
        seen[v] = true;
        h->parent[v] = u;
        queue[tail++] = v;
      }
    }
  }
}

/* In a network: breadth first from the innermost node of each component. */
static geodisk_status search_parents(geodisk_context *context, const geodisk_model *model, hierarchy *h) {
  csr out = {NULL, NULL, NULL}, in = {NULL, NULL, NULL};
  ranked *starts = geodisk_allocate(h->nodes, sizeof *starts);
  uint32_t *queue = geodisk_allocate(h->nodes, sizeof *queue);
  bool *seen = geodisk_allocate_zero(h->nodes, sizeof *seen);
  geodisk_status st = GEODISK_OK;
  if (starts == NULL || queue == NULL || seen == NULL ||
      csr_from_arrays(h->nodes, h->edges, h->edge_child, h->edge_parent, &out) != GEODISK_OK ||
      csr_from_arrays(h->nodes, h->edges, h->edge_parent, h->edge_child, &in) != GEODISK_OK)
    st = geodisk_no_memory(context, "for the picture's hierarchy");
  if (st == GEODISK_OK) {
    for (uint32_t i = 0; i < h->nodes; i++)
      starts[i] = (ranked){geodisk_model_radius(model, i), i};
    qsort(starts, h->nodes, sizeof *starts, by_radius);
    for (size_t i = 0; i < h->nodes; i++)
      if (h->in[starts[i].node] && !seen[starts[i].node])
        search_from(h, &out, &in, starts[i].node, seen, queue);
  }
  csr_free(&out);
  csr_free(&in);
  geodisk_free_all(starts, queue, seen);
  return st;
}

geodisk_status forest_parents(geodisk_context *context, const geodisk_model *model, hierarchy *h) {
  return h->network ? search_parents(context, model, h) : nearest_parents(context, model, h);
}

/* ---- order, depth, sizes ----------------------------------------------------------------------------------------- */

/* Depth first with an explicit stack; `rows` are the children in the forest. Fills order and depth; returns how many. */
static size_t walk(hierarchy *h, const csr *rows, const uint32_t *roots, size_t n_roots, uint32_t *stack) {
  size_t n = 0, shown = 0;
  for (size_t i = n_roots; i-- > 0;)
    stack[n++] = roots[i];
  while (n > 0) {
    const uint32_t u = stack[--n];
    h->order[shown++] = u;
    h->depth[u] = h->parent[u] == GEODISK_NODE_NONE ? 0 : h->depth[h->parent[u]] + 1;
    for (uint64_t e = rows->offsets[u + 1]; e-- > rows->offsets[u];)
      stack[n++] = rows->nodes[e];
  }
  return shown;
}

static void sort_by_size(const hierarchy *h, uint32_t *nodes, size_t n, sized_number *scratch) {
  for (size_t i = 0; i < n; i++)
    scratch[i] = (sized_number){h->size[nodes[i]], nodes[i]};
  qsort(scratch, n, sizeof *scratch, larger_first);
  for (size_t i = 0; i < n; i++)
    nodes[i] = scratch[i].number;
}

static void add_up_sizes(hierarchy *h) {
  for (size_t i = 0; i < h->shown; i++)
    h->size[h->order[i]] = 1;
  for (size_t i = h->shown; i-- > 0;) {
    const uint32_t u = h->order[i];
    if (h->parent[u] != GEODISK_NODE_NONE)
      h->size[h->parent[u]] += h->size[u];
  }
}

/* Orders the forest: once to know the sizes, and again with the larger trees first. */
geodisk_status forest_order(geodisk_context *context, hierarchy *h) {
  csr rows = {NULL, NULL, NULL};
  uint32_t *roots = geodisk_allocate(h->nodes, sizeof *roots), *stack = geodisk_allocate(h->nodes, sizeof *stack);
  sized_number *scratch = geodisk_allocate(h->nodes, sizeof *scratch);
  size_t n_roots = 0;
  geodisk_status st = GEODISK_OK;
  if (roots == NULL || stack == NULL || scratch == NULL || csr_from_parents(h->nodes, h->parent, NO_NODE, &rows) != GEODISK_OK) {
    st = geodisk_no_memory(context, "for the picture's hierarchy");
    goto done;
  }
  for (uint32_t u = 0; u < h->nodes; u++)
    if (h->in[u] && h->parent[u] == GEODISK_NODE_NONE)
      roots[n_roots++] = u;
  h->shown = walk(h, &rows, roots, n_roots, stack);
  add_up_sizes(h);
  for (uint32_t u = 0; u < h->nodes; u++)
    if (rows.offsets[u + 1] - rows.offsets[u] > 1)
      sort_by_size(h, rows.nodes + rows.offsets[u], (size_t)(rows.offsets[u + 1] - rows.offsets[u]), scratch);
  if (n_roots > 1)
    sort_by_size(h, roots, n_roots, scratch);
  walk(h, &rows, roots, n_roots, stack);
done:
  csr_free(&rows);
  geodisk_free_all(roots, stack, scratch);
  return st;
}

/* ---- descendants ------------------------------------------------------------------------------------------------- */

/* Different nodes below each; false if that takes too many steps. */
static bool count_exactly(hierarchy *h, const csr *down, uint32_t *mark, uint32_t *stack) {
  uint64_t steps = 0;
  for (uint32_t u = 0; u < h->nodes; u++)
    mark[u] = GEODISK_NODE_NONE;
  for (uint32_t top = 0; top < h->nodes; top++) {
    size_t n = 0;
    uint32_t count = 0;
    if (!h->in[top])
      continue;
    stack[n++] = top;
    while (n > 0) {
      const uint32_t u = stack[--n];
      for (uint64_t e = down->offsets[u]; e < down->offsets[u + 1]; e++) {
        const uint32_t v = down->nodes[e];
        if (mark[v] == top)
          continue;
        mark[v] = top;
        stack[n++] = v;
        count++;
      }
      if ((steps += 1 + down->offsets[u + 1] - down->offsets[u]) > COUNTING_STEPS)
        return false;
    }
    h->descendants[top] = count;
  }
  return true;
}

/* In a network the children are those in the forest. */
static void count_forest_children(hierarchy *h) {
  memset(h->children, 0, h->nodes * sizeof *h->children);
  for (uint32_t u = 0; u < h->nodes; u++)
    if (h->parent[u] != GEODISK_NODE_NONE)
      h->children[h->parent[u]]++;
}

geodisk_status forest_count(geodisk_context *context, hierarchy *h) {
  csr down;
  uint32_t *mark = geodisk_allocate(h->nodes, sizeof *mark), *stack = geodisk_allocate(h->nodes, sizeof *stack);
  if (mark == NULL || stack == NULL || csr_from_arrays(h->nodes, h->edges, h->edge_parent, h->edge_child, &down) != GEODISK_OK) {
    geodisk_free_all(mark, stack);
    return geodisk_no_memory(context, "for the picture's hierarchy");
  }
  for (uint32_t u = 0; u < h->nodes; u++)
    h->children[u] = (uint32_t)(down.offsets[u + 1] - down.offsets[u]);
  h->descendants_exact = !h->network && count_exactly(h, &down, mark, stack);
  for (uint32_t u = 0; !h->descendants_exact && u < h->nodes; u++)
    h->descendants[u] = h->in[u] ? h->size[u] - 1 : 0;
  if (h->network)
    count_forest_children(h);
  csr_free(&down);
  geodisk_free_all(mark, stack);
  return GEODISK_OK;
}

geodisk_status hierarchy_limit(geodisk_context *context, hierarchy *h, size_t most) {
  sized_number *list = geodisk_allocate(h->shown, sizeof *list);
  if (list == NULL)
    return geodisk_no_memory(context, "for the picture's hierarchy");
  for (size_t i = 0; i < h->shown; i++) /* a tie goes to the one that comes first in the forest's order, so to a parent */
    list[i] = (sized_number){h->descendants[h->order[i]], (uint32_t)i};
  qsort(list, h->shown, sizeof *list, larger_first);
  for (size_t i = most; i < h->shown; i++)
    h->in[h->order[list[i].number]] = false;
  free(list);
  size_t kept = 0;
  for (size_t i = 0; i < h->shown; i++)
    if (h->in[h->order[i]])
      h->order[kept++] = h->order[i];
  h->shown = kept;
  hierarchy_drop_edges(h);
  memset(h->size, 0, h->nodes * sizeof *h->size);
  add_up_sizes(h);
  return GEODISK_OK;
}

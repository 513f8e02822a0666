/* place_parents.c - likely parents of a node that was placed: what the edges say that it was placed by, then what its place says.
 */
#include "knowledge.h"

#include <stdlib.h>
#include <string.h>

/* The nodes of the hierarchy that a row of the graph names. */
static size_t named(const geodisk_hierarchy *h, const geodisk_graph *graph, const geodisk_graph_rows *rows, uint32_t u,
                    uint32_t *out) {
  size_t n = 0;
  for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
    const uint32_t v = rows->nodes[e];
    n += geodisk_model_find(h->model, geodisk_graph_name(graph, v), geodisk_graph_name_length(graph, v), &out[n]);
  }
  return n;
}

/* What is above each of some nodes; `set` has them first and has room for all nodes. */
static geodisk_status above_all(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, size_t n, uint32_t *set,
                                size_t *found) {
  uint32_t *others = geodisk_allocate(n, sizeof *others);
  if (others == NULL)
    return geodisk_no_memory(context, "for likely parents");
  memcpy(others, set, n * sizeof *others);
  size_t above = 0, kept = 0;
  const geodisk_status status = geodisk_hierarchy_ancestors(context, h, others[0], set, &above);
  for (size_t i = 0; i < above && status == GEODISK_OK; i++) {
    bool all = set[i] != node;
    for (size_t j = 1; j < n && all; j++)
      all = hierarchy_is_below(h, others[j], set[i]);
    if (all)
      set[kept++] = set[i];
  }
  *found = kept;
  free(others);
  return status;
}

/* What the edges say, the deepest last. */
static geodisk_status told(geodisk_context *context, const geodisk_hierarchy *h, const geodisk_graph *graph, uint32_t node,
                           uint32_t *set, size_t *found) {
  const geodisk_graph_rows up = geodisk_graph_out(graph), down = geodisk_graph_in(graph);
  const char *name = geodisk_model_name(h->model, node);
  uint32_t u;
  *found = 0;
  if (!geodisk_graph_find(graph, name, geodisk_model_name_length(h->model, node), &u))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "likely parents: the graph does not have '%.100s'", name);
  size_t n = named(h, graph, &up, u, set);
  geodisk_status status = GEODISK_OK;
  if (n == 0 && (n = named(h, graph, &down, u, set)) > 0)
    status = above_all(context, h, node, n, set, &n);
  if (status == GEODISK_OK)
    status = hierarchy_sort(context, h, set, n);
  *found = n;
  return status;
}

/* Adds likely parents that are not there yet, until there are k. */
static size_t add_new(geodisk_parent *out, size_t n, size_t k, const geodisk_parent *more, size_t count) {
  for (size_t i = 0; i < count && n < k; i++) {
    bool there = false;
    for (size_t j = 0; j < n && !there; j++)
      there = out[j].node == more[i].node;
    if (!there)
      out[n++] = more[i];
  }
  return n;
}

geodisk_status geodisk_hierarchy_placed_parents(geodisk_context *context, const geodisk_hierarchy *h, const geodisk_graph *graph,
                                                uint32_t node, size_t k, geodisk_parent *out, size_t *found) {
  if (h == NULL || graph == NULL || out == NULL || found == NULL || node >= h->nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "likely parents: an argument is NULL, or no node");
  const size_t most = k < h->nodes ? k : h->nodes;
  size_t n = 0, likely = 0, kept = 0;
  uint32_t *set = geodisk_allocate(h->nodes, sizeof *set);
  geodisk_parent *more = geodisk_allocate(2 * most + 1, sizeof *more);
  geodisk_status status =
      set != NULL && more != NULL ? told(context, h, graph, node, set, &n) : geodisk_no_memory(context, "for likely parents");
  for (size_t i = n; i-- > 0 && kept < most && status == GEODISK_OK;)
    status = hierarchy_parent(context, h, node, set[i], &out[kept++]);
  if (status == GEODISK_OK && kept < most)
    status = geodisk_hierarchy_likely_parents(context, h, node, 2 * most, more, &likely);
  if (status == GEODISK_OK)
    *found = add_new(out, kept, most, more, likely);
  geodisk_free_all(set, more);
  return status;
}

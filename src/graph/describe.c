/* describe.c - figures of a graph: roots, leaves, depth, components, degrees. */
#include "order.h"

#include <string.h>

static bool same_rows(const geodisk_graph *graph) {
  return memcmp(graph->out.offsets, graph->in.offsets, (graph->nodes + 1) * sizeof *graph->out.offsets) == 0 &&
         memcmp(graph->out.nodes, graph->in.nodes, (size_t)graph->edges * sizeof *graph->out.nodes) == 0;
}

static void count_degrees(const geodisk_graph *graph, geodisk_graph_facts *facts) {
  for (size_t u = 0; u < graph->nodes; u++) {
    const size_t parents = (size_t)parents_of(graph, u), children = (size_t)children_of(graph, u);
    facts->roots += parents == 0;
    facts->leaves += children == 0;
    facts->isolated += parents == 0 && children == 0;
    facts->max_parents = parents > facts->max_parents ? parents : facts->max_parents;
    facts->max_children = children > facts->max_children ? children : facts->max_children;
  }
}

/* Longest path by taking parents first; `order` is complete. */
static int64_t longest_path(const geodisk_graph *graph, const uint32_t *order, uint32_t *depth) {
  uint32_t deepest = 0;
  for (size_t i = 0; i < graph->nodes; i++) {
    const uint32_t u = order[i];
    depth[u] = 0;
    for (uint64_t e = graph->out.offsets[u]; e < graph->out.offsets[u + 1]; e++) {
      const uint32_t through = depth[graph->out.nodes[e]] + 1;
      depth[u] = through > depth[u] ? through : depth[u];
    }
    deepest = depth[u] > deepest ? depth[u] : deepest;
  }
  return deepest;
}

/* Sizes of components into `size`; returns the largest. */
static size_t component_sizes(size_t nodes, const uint32_t *component, uint32_t *size) {
  uint32_t largest = 0;
  memset(size, 0, nodes * sizeof *size);
  for (size_t u = 0; u < nodes; u++)
    if (++size[component[u]] > largest)
      largest = size[component[u]];
  return largest;
}

geodisk_status geodisk_graph_describe(geodisk_context *context, const geodisk_graph *graph, geodisk_graph_facts *out) {
  if (graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "describe: %s is NULL", graph == NULL ? "graph" : "out");
  geodisk_graph_facts facts = {.nodes = graph->nodes, .edges = (size_t)graph->edges, .weighted = graph->out.weights != NULL};
  geodisk_status status = GEODISK_OK;
  uint32_t *first = geodisk_allocate(graph->nodes, sizeof *first), *second = geodisk_allocate(graph->nodes, sizeof *second);
  size_t sorted, strong;
  if (first == NULL || second == NULL) {
    status = geodisk_no_memory(context, "for a description of %zu nodes", graph->nodes);
    goto done;
  }
  count_degrees(graph, &facts);
  facts.mean_degree = graph->nodes > 0 ? (double)graph->edges / (double)graph->nodes : 0;
  facts.symmetric = graph->edges > 0 && same_rows(graph);
  if ((status = geodisk_graph_components(context, graph, false, first, &facts.components)) != GEODISK_OK)
    goto done;
  facts.largest_component = component_sizes(graph->nodes, first, second);
  if ((status = topological_order(context, graph, first, &sorted)) != GEODISK_OK)
    goto done;
  facts.depth = sorted == graph->nodes ? longest_path(graph, first, second) : -1;
  if (facts.depth < 0) {
    if ((status = geodisk_graph_components(context, graph, true, first, &strong)) != GEODISK_OK)
      goto done;
    component_sizes(graph->nodes, first, second);
    for (size_t u = 0; u < graph->nodes; u++)
      facts.cyclic_nodes += second[first[u]] > 1;
  }
  *out = facts;

done:
  geodisk_free_all(first, second);
  return status;
}

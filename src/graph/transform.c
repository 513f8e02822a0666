/* transform.c - graphs from graphs by rearranging edges: both directions, the other direction, what lies below a node. */
#include "order.h"

static geodisk_status check_graph(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out, const char *what) {
  if (graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: %s is NULL", what, graph == NULL ? "graph" : "out");
  return GEODISK_OK;
}

/* ---- directions ------------------------------------------------------------------------------------------------------- */

/* Merges the sorted out-row and in-row of u into one; a node in both appears once, with the larger weight. */
static uint64_t merge_rows(const geodisk_graph *graph, size_t u, csr *rows, uint64_t at) {
  const csr *out = &graph->out, *in = &graph->in;
  uint64_t a = out->offsets[u], b = in->offsets[u];
  while (a < out->offsets[u + 1] || b < in->offsets[u + 1]) {
    const uint32_t x = a < out->offsets[u + 1] ? out->nodes[a] : NO_NODE, y = b < in->offsets[u + 1] ? in->nodes[b] : NO_NODE;
    rows->nodes[at] = x < y ? x : y;
    if (rows->weights != NULL && out->weights != NULL && in->weights != NULL) {
      const double wx = x <= y ? out->weights[a] : 0, wy = y <= x ? in->weights[b] : 0;
      rows->weights[at] = wx > wy ? wx : wy;
    }
    at++;
    a += x <= y;
    b += y <= x;
  }
  return at;
}

geodisk_status geodisk_graph_undirected(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out) {
  const geodisk_status status = check_graph(context, graph, out, "undirected");
  if (status != GEODISK_OK)
    return status;
  csr rows;
  if (csr_allocate(graph->nodes, 2 * graph->edges, graph->out.weights != NULL, &rows) != GEODISK_OK)
    return geodisk_no_memory(context, "for an undirected graph of %zu nodes", graph->nodes);
  for (size_t u = 0; u < graph->nodes; u++)
    rows.offsets[u + 1] = merge_rows(graph, u, &rows, rows.offsets[u]);
  return graph_with_rows(context, graph, &rows, out);
}

geodisk_status geodisk_graph_reverse(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out) {
  const geodisk_status status = check_graph(context, graph, out, "reverse");
  if (status != GEODISK_OK)
    return status;
  csr rows;
  if (csr_allocate(graph->nodes, graph->edges, graph->out.weights != NULL, &rows) != GEODISK_OK)
    return geodisk_no_memory(context, "for a reversed graph of %zu nodes", graph->nodes);
  csr_transpose(graph->nodes, &graph->out, &rows);
  return graph_with_rows(context, graph, &rows, out);
}

geodisk_status geodisk_graph_without_roots(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out) {
  const geodisk_status status = check_graph(context, graph, out, "without roots");
  if (status != GEODISK_OK)
    return status;
  csr rows;
  if (csr_allocate(graph->nodes, graph->edges, graph->out.weights != NULL, &rows) != GEODISK_OK)
    return geodisk_no_memory(context, "for a graph without roots of %zu nodes", graph->nodes);
  uint64_t at = 0;
  for (size_t u = 0; u < graph->nodes; u++) {
    for (uint64_t e = graph->out.offsets[u]; e < graph->out.offsets[u + 1]; e++)
      if (parents_of(graph, graph->out.nodes[e]) > 0)
        csr_copy_edge(&graph->out, e, &rows, at++);
    rows.offsets[u + 1] = at;
  }
  return graph_with_rows(context, graph, &rows, out);
}

/* ---- subgraphs -------------------------------------------------------------------------------------------------------- */

/* new_id[u]: NO_NODE, or anything else for the nodes to keep. The subgraph they induce. */
static geodisk_status induced(geodisk_context *context, const geodisk_graph *graph, uint32_t *new_id, geodisk_graph **out) {
  name_table names = {0};
  name_index *index = NULL;
  csr rows = {NULL, NULL, NULL};
  uint64_t edges = 0;
  bool is_new;
  geodisk_status status = GEODISK_OK;
  for (size_t u = 0; u < graph->nodes && status == GEODISK_OK; u++)
    if (new_id[u] != NO_NODE)
      status = names_intern(&names, geodisk_graph_name(graph, (uint32_t)u), geodisk_graph_name_length(graph, (uint32_t)u),
                            &new_id[u], &is_new);
  for (size_t u = 0; u < graph->nodes; u++)
    for (uint64_t e = graph->out.offsets[u]; e < graph->out.offsets[u + 1]; e++)
      edges += new_id[u] != NO_NODE && new_id[graph->out.nodes[e]] != NO_NODE;
  const size_t nodes = names.count;
  if (status == GEODISK_OK)
    status = names_freeze(&names, &index);
  if (status == GEODISK_OK)
    status = csr_allocate(nodes, edges, graph->out.weights != NULL, &rows);
  names_free(&names);
  if (status != GEODISK_OK) {
    names_release(index);
    return geodisk_no_memory(context, "for a subgraph of %zu nodes", graph->nodes);
  }
  uint64_t at = 0;
  for (size_t u = 0; u < graph->nodes; u++) {
    if (new_id[u] == NO_NODE)
      continue;
    for (uint64_t e = graph->out.offsets[u]; e < graph->out.offsets[u + 1]; e++)
      if (new_id[graph->out.nodes[e]] != NO_NODE) {
        csr_copy_edge(&graph->out, e, &rows, at);
        rows.nodes[at++] = new_id[graph->out.nodes[e]];
      }
    rows.offsets[new_id[u] + 1] = at;
  }
  return graph_from_rows(context, index, &rows, NULL, out);
}

geodisk_status geodisk_graph_subgraph_below(geodisk_context *context, const geodisk_graph *graph, uint32_t node,
                                            geodisk_graph **out) {
  geodisk_status status = check_graph(context, graph, out, "subgraph");
  if (status != GEODISK_OK)
    return status;
  if (node >= graph->nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "subgraph: %u is not a node, there are %zu", node, graph->nodes);
  uint32_t *stack = geodisk_allocate(graph->nodes, sizeof *stack), *keep = geodisk_allocate(graph->nodes, sizeof *keep);
  if (stack == NULL || keep == NULL) {
    status = geodisk_no_memory(context, "for a subgraph of %zu nodes", graph->nodes);
    goto done;
  }
  for (size_t u = 0; u < graph->nodes; u++)
    keep[u] = NO_NODE;
  keep[node] = 0;
  csr_reach(&graph->in, node, 0, keep, stack);
  status = induced(context, graph, keep, out);

done:
  geodisk_free_all(stack, keep);
  return status;
}

/* order.h - orders and cycles of a graph: what closure, reduction, splits and checks start from. Internal to the graph module. */
#pragma once

#include "store.h"

/* Nodes so that parents come before children. *sorted: how many there are in `order`; fewer than nodes if there are cycles (then
 * those on cycles and below them are left out). */
geodisk_status topological_order(geodisk_context *context, const geodisk_graph *graph, uint32_t *order, size_t *sorted);

/* Fails with ARGUMENT and a text that names one cycle. */
geodisk_status fail_cycle(geodisk_context *context, const geodisk_graph *graph, const char *what);

/* "a -> b -> ... -> a", shortened in the middle if it is long. */
enum { SHOWN_CYCLE = 512 };
geodisk_status show_cycle(geodisk_context *context, const geodisk_graph *graph, char shown[SHOWN_CYCLE]);

/* Numbers groups of nodes in the order of their first nodes; how many there are. number: nodes. */
size_t renumber_groups(size_t nodes, uint32_t *group, uint32_t *number);

/* The share of chains u -> v -> w with an edge u -> w: 1 in a transitive closure, NaN if there are no chains. Of very many chains
 * some are looked at (*sampled). */
geodisk_status closed_chains(geodisk_context *context, const geodisk_graph *graph, double *share, bool *sampled);

/* Which way round a graph looks. */
geodisk_direction_guess guess_direction(const geodisk_graph_facts *facts);

static inline uint64_t parents_of(const geodisk_graph *graph, size_t u) {
  return graph->out.offsets[u + 1] - graph->out.offsets[u];
}

static inline uint64_t children_of(const geodisk_graph *graph, size_t u) {
  return graph->in.offsets[u + 1] - graph->in.offsets[u];
}

/* The place of edge u -> v, or `edges` if there is none. */
static inline uint64_t find_edge(const geodisk_graph *graph, uint32_t u, uint32_t v) {
  const uint64_t first = graph->out.offsets[u], end = graph->out.offsets[u + 1];
  const uint64_t at = first + csr_place(graph->out.nodes + first, (size_t)(end - first), v);
  return at < end && graph->out.nodes[at] == v ? at : graph->edges;
}

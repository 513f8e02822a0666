/* match.c - a graph and a model side by side. Where the model shares the graph's names nothing is looked up. */
#include "match.h"

#include <stdlib.h>

#include "graph/graph_names.h"
#include "model.h"

bool match_make(const geodisk_model *model, const geodisk_graph *graph, node_match *out) {
  const size_t nodes = geodisk_graph_nodes(graph);
  const bool shared = graph_names(graph) == model->names;
  node_match match = {.node = geodisk_allocate(nodes, sizeof *match.node), .same_number = true};
  if (match.node == NULL)
    return false;
  for (uint32_t u = 0; u < nodes; u++) {
    match.node[u] = shared ? u : NO_NODE;
    match.missing +=
        !shared && !geodisk_model_find(model, geodisk_graph_name(graph, u), geodisk_graph_name_length(graph, u), &match.node[u]);
    match.same_number = match.same_number && match.node[u] == u;
  }
  *out = match;
  return true;
}

void match_free(node_match *match) {
  free(match->node);
  *match = (node_match){.node = NULL};
}

/* ---- edges ------------------------------------------------------------------------------------------------------------- */

typedef struct matched_edges {
  const geodisk_graph *graph;
  geodisk_graph_rows rows;
  const uint32_t *node;
  bool once;
  uint32_t u; /* where the next piece begins */
  uint64_t e;
  uint32_t from[1024], to[1024];
} matched_edges;

static bool next_edges(void *user, uint64_t piece, csr_pairs *out) {
  matched_edges *m = user;
  const size_t nodes = geodisk_graph_nodes(m->graph);
  size_t n = 0;
  if (piece == 0)
    m->u = 0, m->e = 0;
  for (; m->u < nodes; m->u++) {
    const uint32_t from = m->node != NULL ? m->node[m->u] : m->u;
    for (; m->e < m->rows.offsets[m->u + 1]; m->e++) {
      const uint32_t v = m->rows.nodes[m->e], to = m->node != NULL ? m->node[v] : v;
      if (from == NO_NODE || to == NO_NODE || (m->once && m->u > v && geodisk_graph_has_edge(m->graph, v, m->u)))
        continue;
      if (n == sizeof m->from / sizeof *m->from)
        goto full;
      m->from[n] = from;
      m->to[n++] = to;
    }
  }
full:
  *out = (csr_pairs){.count = n, .from = m->from, .to = m->to};
  return n > 0;
}

geodisk_status match_rows(const geodisk_graph *graph, const uint32_t *node, size_t model_nodes, bool once, csr *out) {
  matched_edges *m = geodisk_allocate(1, sizeof *m);
  const geodisk_status status =
      m != NULL ? csr_allocate(model_nodes, geodisk_graph_edges(graph), false, out) : GEODISK_ERROR_MEMORY;
  if (status == GEODISK_OK) {
    m->graph = graph;
    m->rows = geodisk_graph_out(graph);
    m->node = node;
    m->once = once;
    csr_fill(model_nodes, next_edges, m, out);
    csr_sort(model_nodes, out);
  }
  free(m);
  return status;
}

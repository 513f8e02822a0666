/* advice.c - what somebody who trains on a graph, or draws it, had better know: cheap enough to be asked every time. */
#include "order.h"

/* Below so many edges a shape says nothing. */
enum { FEWEST_EDGES = 4, STREAM_ADVICE = 0x6e02 };
/* Chains of two edges that are looked at. */
static const uint64_t chains_wanted = 100000;
/* A hierarchy given by its direct links: hardly any chain has its direct edge as well, and a node has hardly more than a parent.
 */
static const double closed_at_most = 0.1, parents_at_most = 1.5;
/* Cycles are a slip in a hierarchy where they touch fewer than one node in so many. */
enum { CYCLIC_ONE_IN = 5 };

/* The share of chains u -> v -> w that have the edge u -> w, from nodes spread over the graph; 1 if there are no chains. */
static double closed_share(const geodisk_graph *graph) {
  const csr *out = &graph->out;
  uint64_t chains = 0, closed = 0;
  geodisk_random random = geodisk_random_stream(0, STREAM_ADVICE);
  const size_t looks = graph->nodes < chains_wanted ? graph->nodes : chains_wanted;
  for (size_t i = 0; i < looks && chains < chains_wanted; i++) {
    const uint32_t u = (uint32_t)(looks == graph->nodes ? i : geodisk_random_below(&random, graph->nodes));
    for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1] && chains < chains_wanted; e++) {
      const uint32_t v = out->nodes[e];
      for (uint64_t k = out->offsets[v]; k < out->offsets[v + 1]; k++, chains++)
        closed += geodisk_graph_has_edge(graph, u, out->nodes[k]);
    }
  }
  return chains > 0 ? (double)closed / (double)chains : 1;
}

geodisk_status geodisk_graph_advise(geodisk_context *context, const geodisk_graph *graph, geodisk_graph_advice *out) {
  if (graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "advice: %s is NULL", graph == NULL ? "graph" : "out");
  geodisk_graph_facts facts;
  const geodisk_status status = geodisk_graph_describe(context, graph, &facts);
  if (status != GEODISK_OK)
    return status;
  geodisk_graph_advice advice = {.cyclic_nodes = 0};
  if (!facts.symmetric && facts.cyclic_nodes * CYCLIC_ONE_IN < facts.nodes)
    advice.cyclic_nodes = facts.cyclic_nodes;
  if (facts.depth >= 0 && facts.edges >= FEWEST_EDGES) {
    const geodisk_direction_guess direction = guess_direction(&facts);
    advice.parent_first = direction == GEODISK_PARENT_FIRST;
    advice.direct_links = direction == GEODISK_CHILD_FIRST && facts.depth >= 2 &&
                          (double)facts.edges <= parents_at_most * (double)facts.nodes && closed_share(graph) <= closed_at_most;
  }
  *out = advice;
  return GEODISK_OK;
}

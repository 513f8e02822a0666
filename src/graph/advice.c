/* advice.c - what somebody who trains on a graph, or draws it, had better know: cheap enough to be asked every time. */
#include "order.h"

/* Below so many edges a shape says nothing. */
enum { FEWEST_EDGES = 4 };
/* A hierarchy is given by its direct links if hardly any chain of two edges has the direct edge as well. */
static const double closed_at_most = 0.1;
/* Cycles are a slip in a hierarchy where they touch fewer than one node in so many. */
enum { CYCLIC_ONE_IN = 5 };

geodisk_status geodisk_graph_advise(geodisk_context *context, const geodisk_graph *graph, geodisk_graph_advice *out) {
  if (graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "advice: %s is NULL", graph == NULL ? "graph" : "out");
  geodisk_graph_facts facts;
  geodisk_status status = geodisk_graph_describe(context, graph, &facts);
  if (status != GEODISK_OK)
    return status;
  geodisk_graph_advice advice = {.cyclic_nodes = 0};
  if (!facts.symmetric && facts.cyclic_nodes * CYCLIC_ONE_IN < facts.nodes)
    advice.cyclic_nodes = facts.cyclic_nodes;
  if (facts.depth >= 0 && facts.edges >= FEWEST_EDGES) {
    geodisk_kind_info kind;
    if ((status = geodisk_graph_tell_kind(context, graph, &kind)) != GEODISK_OK)
      return status;
    const geodisk_direction_guess direction =
        kind.kind == GEODISK_KIND_HIERARCHY ? guess_direction(&facts) : GEODISK_DIRECTION_UNDECIDED;
    advice.parent_first = direction == GEODISK_DIRECTION_PARENT_FIRST;
    advice.direct_links = direction == GEODISK_DIRECTION_CHILD_FIRST && facts.depth >= 2 && kind.closed_share <= closed_at_most;
  }
  *out = advice;
  return GEODISK_OK;
}

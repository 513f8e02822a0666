/* kind.c - whether a graph is a hierarchy or a network: what it is drawn, split and coloured by. */
#include "order.h"

#include <math.h>
#include <stdlib.h>

enum { STREAM_CHAINS = 0x6e01 };
static const uint64_t chain_budget = 200000000;

/* A graph without cycles is a closure, perhaps with edges held out, if this share of its chains of two edges has the direct edge
 * and this share of all pairs with a path between them has an edge: chains of cliques have the first, stars the second. */
static const double closed_enough = 0.75, paired_enough = 0.5;

/* Loops (edges beyond those of a spanning forest) per node. A tree has none, WordNet's nouns 0.03, ontologies with several
 * parents a node up to 0.8, a grid 0.8, networks of friends and the like 1 and more. */
static const double few_loops = 0.3, many_loops = 0.9;

/* Ontologies have many leaves; a network whose edges are written once, in some order, few. */
static const double leafy = 0.4;

/* ---- chains ----------------------------------------------------------------------------------------------------------- */

/* Chains u -> v -> w that begin at u, and those of them with an edge u -> w. */
static void count_chains(const geodisk_graph *graph, uint32_t u, uint32_t *mark, uint64_t *chains, uint64_t *closed) {
  const csr *out = &graph->out;
  for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1]; e++)
    mark[out->nodes[e]] = u + 1;
  for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1]; e++) {
    const uint32_t v = out->nodes[e];
    for (uint64_t f = out->offsets[v]; f < out->offsets[v + 1]; f++)
      if (out->nodes[f] != u) {
        ++*chains;
        *closed += mark[out->nodes[f]] == u + 1;
      }
  }
}

geodisk_status closed_chains(geodisk_context *context, const geodisk_graph *graph, double *share, bool *sampled) {
  uint64_t total = 0, chains = 0, closed = 0;
  for (size_t v = 0; v < graph->nodes; v++)
    total += parents_of(graph, v) * children_of(graph, v);
  uint32_t *mark = geodisk_allocate_zero(graph->nodes, sizeof *mark);
  if (mark == NULL)
    return geodisk_no_memory(context, "for the closure of %zu nodes", graph->nodes);
  *sampled = total > chain_budget;
  if (!*sampled) {
    for (size_t u = 0; u < graph->nodes; u++)
      count_chains(graph, (uint32_t)u, mark, &chains, &closed);
  } else {
    geodisk_random random = geodisk_random_stream(0, STREAM_CHAINS);
    while (chains < chain_budget / 10) { /* some node has chains, or there would be none to be too many */
      const uint32_t u = (uint32_t)geodisk_random_below(&random, graph->nodes);
      count_chains(graph, u, mark, &chains, &closed);
    }
  }
  free(mark);
  *share = chains > 0 ? (double)closed / (double)chains : (double)NAN;
  return GEODISK_OK;
}

/* ---- paths ------------------------------------------------------------------------------------------------------------- */

/* Whether no more than `most` pairs of nodes have a path from one to the other: those of a graph without cycles are counted until
 * there are more. Takes about as many steps as there are chains of two edges in the closure. */
static geodisk_status few_paths(geodisk_context *context, const geodisk_graph *graph, double most, bool *few) {
  uint32_t *mark = geodisk_allocate_zero(graph->nodes, sizeof *mark), *stack = geodisk_allocate(graph->nodes, sizeof *stack);
  double pairs = 0;
  if (mark == NULL || stack == NULL) {
    geodisk_free_all(mark, stack);
    return geodisk_no_memory(context, "for a look of %zu nodes", graph->nodes);
  }
  for (uint32_t top = 0; pairs <= most && top < graph->nodes; top++)
    pairs += (double)csr_reach(&graph->out, top, top + 1, mark, stack);
  geodisk_free_all(mark, stack);
  *few = pairs <= most;
  return GEODISK_OK;
}

/* ---- the kind --------------------------------------------------------------------------------------------------------- */

static geodisk_kind_info judge(const geodisk_graph_facts *f, double closed_share, bool closed) {
  const double n = (double)(f->nodes - f->isolated), components = (double)(f->components - f->isolated);
  geodisk_kind_info info = {.kind = GEODISK_KIND_NETWORK, .closed_share = closed_share};
  info.loops = n > 0 ? ((double)f->edges - n + components) / n : 0;
  if (f->symmetric)
    info.why = "every edge is there in both directions";
  else if (f->depth < 0)
    info.why = "it has cycles";
  else if (!closed && info.loops > many_loops)
    info.why = "its nodes have too many edges for a hierarchy";
  else if (!closed && info.loops > few_loops && (double)(f->leaves - f->isolated) < leafy * n)
    info.why = "it has many loops and few leaves";
  else {
    info.kind = GEODISK_KIND_HIERARCHY;
    info.closed = closed;
    info.why = info.closed ? "it is a transitive closure" : "its edges lead upwards";
  }
  return info;
}

geodisk_status geodisk_graph_tell_kind(geodisk_context *context, const geodisk_graph *graph, geodisk_kind_info *out) {
  if (graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "kind: %s is NULL", graph == NULL ? "graph" : "out");
  geodisk_graph_facts facts;
  double share = (double)NAN;
  bool sampled, closed = false;
  geodisk_status status = geodisk_graph_describe(context, graph, &facts);
  if (status == GEODISK_OK && facts.depth >= 0)
    status = closed_chains(context, graph, &share, &sampled);
  if (status == GEODISK_OK && share >= closed_enough)
    status = few_paths(context, graph, (double)graph->edges / paired_enough, &closed);
  if (status == GEODISK_OK)
    *out = judge(&facts, share, closed);
  return status;
}

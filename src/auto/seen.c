/* seen.c - what a graph looks like, as far as that decides how to train it. */
#include "trials.h"

/* Edges a node up to which a graph is like a tree; and how many times the mean of neighbours makes a hub. */
#define TREELIKE 1.05
#define HUB      8.0

static size_t most_neighbours(const geodisk_graph *graph, bool symmetric) {
  const geodisk_graph_rows out = geodisk_graph_out(graph), in = geodisk_graph_in(graph);
  size_t most = 0;
  for (size_t u = 0; u < geodisk_graph_nodes(graph); u++) {
    const size_t own = (size_t)(out.offsets[u + 1] - out.offsets[u]), others = (size_t)(in.offsets[u + 1] - in.offsets[u]);
    const size_t count = symmetric ? own : own + others;
    most = count > most ? count : most;
  }
  return most;
}

geodisk_status auto_look(geodisk_context *context, const geodisk_graph *graph, auto_seen *out) {
  geodisk_graph_facts facts;
  geodisk_closure closure = GEODISK_CLOSURE_NONE;
  geodisk_status st = geodisk_graph_describe(context, graph, &facts);
  if (st == GEODISK_OK && facts.edges > 0)
    st = geodisk_train_closure(context, graph, &closure);
  if (st != GEODISK_OK)
    return st;
  auto_seen seen = {.nodes = facts.nodes, .links = facts.symmetric ? facts.edges / 2 : facts.edges};
  const double nodes = (double)facts.nodes, links = (double)seen.links;
  seen.hubs = links > 0 ? (double)most_neighbours(graph, facts.symmetric) * nodes / (2.0 * links) : 0.0;
  seen.weighted = facts.weighted;
  seen.part = closure == GEODISK_CLOSURE_PART;
  seen.kind = closure == GEODISK_CLOSURE_WHOLE              ? GEODISK_AUTO_CLOSED
              : seen.links + facts.components == seen.nodes ? GEODISK_AUTO_TREE
              : links < TREELIKE * nodes                    ? GEODISK_AUTO_TREELIKE
              : seen.hubs >= HUB                            ? GEODISK_AUTO_HUBS
                                                            : GEODISK_AUTO_EVEN;
  *out = seen;
  return GEODISK_OK;
}

const char *auto_name(const auto_seen *seen) {
  static const char *const names[] = {"a closed hierarchy", "a tree", "nearly a tree", "a network with hubs",
                                      "a network without hubs"};
  return seen->part ? "a hierarchy with a part of its closure" : names[seen->kind];
}

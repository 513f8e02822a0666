/* trained_on.c - is this the graph that a model was trained on? By the fingerprint in its file, whatever the order of the lines.
 */
#include "geodisk/vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match.h"

/* Closures of more edges are not tried. */
enum { MOST_EDGES = 20000000 };

/* The graph with its nodes in the order of the model's; *out stays NULL if they are not the same nodes. */
static geodisk_status in_order_of(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                  geodisk_graph **out) {
  const size_t nodes = geodisk_graph_nodes(graph), edges = geodisk_graph_edges(graph);
  if (geodisk_model_nodes(model) != nodes)
    return GEODISK_OK;
  const geodisk_graph_rows rows = geodisk_graph_out(graph);
  const char **names = geodisk_allocate(nodes, sizeof *names);
  uint32_t *children = geodisk_allocate(edges, sizeof *children), *parents = geodisk_allocate(edges, sizeof *parents);
  geodisk_status status = GEODISK_OK;
  node_match match = {.node = NULL};
  if (names == NULL || children == NULL || parents == NULL || !match_make(model, graph, &match))
    status = geodisk_no_memory(context, "to compare the graph with the model's");
  if (status == GEODISK_OK && match.missing == 0) {
    for (uint32_t u = 0; u < nodes; u++)
      names[u] = geodisk_model_name(model, u);
    geodisk_graph_children(graph, children);
    for (size_t e = 0; e < edges; e++) {
      children[e] = match.node[children[e]];
      parents[e] = match.node[rows.nodes[e]];
    }
    const geodisk_graph_arrays arrays = {nodes, names, edges, children, parents, rows.weights};
    status = geodisk_graph_create(context, &arrays, NULL, out);
  }
  free(names);
  match_free(&match);
  geodisk_free_all(children, parents);
  return status;
}

static bool matches(const geodisk_graph *graph, const char *fingerprint) {
  char text[20];
  snprintf(text, sizeof text, "%016" PRIx64, geodisk_graph_fingerprint(graph));
  return strcmp(text, fingerprint) == 0;
}

static geodisk_status make_closure(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out) {
  const geodisk_closure_options options = {.max_edges = MOST_EDGES};
  return geodisk_graph_closure(context, graph, &options, out);
}

static geodisk_status make_closed_network(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out) {
  geodisk_graph *closed = NULL;
  geodisk_status status = make_closure(context, graph, &closed);
  if (status == GEODISK_OK)
    status = geodisk_graph_undirected(context, closed, out);
  geodisk_graph_destroy(closed);
  return status;
}

static geodisk_status make_reversed_closure(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out) {
  geodisk_graph *reversed = NULL;
  geodisk_status status = geodisk_graph_reverse(context, graph, &reversed);
  if (status == GEODISK_OK)
    status = make_closure(context, reversed, out);
  geodisk_graph_destroy(reversed);
  return status;
}

/* What people make of a graph before they train on it. */
static const struct {
  geodisk_trained_on what;
  geodisk_status (*make)(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out);
} variants[] = {{GEODISK_TRAINED_ON_CLOSURE, make_closure},
                {GEODISK_TRAINED_ON_UNDIRECTED, geodisk_graph_undirected},
                {GEODISK_TRAINED_ON_REDUCTION, geodisk_graph_reduce},
                {GEODISK_TRAINED_ON_REVERSE, geodisk_graph_reverse},
                {GEODISK_TRAINED_ON_REVERSED_CLOSURE, make_reversed_closure},
                {GEODISK_TRAINED_ON_UNDIRECTED_CLOSURE, make_closed_network}};

geodisk_status geodisk_model_trained_on(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                        geodisk_trained_on *out) {
  if (model == NULL || graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "trained on: %s is NULL",
                        model == NULL   ? "model"
                        : graph == NULL ? "graph"
                                        : "out");
  const char *fingerprint = geodisk_model_get(model, "graph");
  geodisk_trained_on found = fingerprint == NULL ? GEODISK_TRAINED_ON_UNKNOWN : GEODISK_TRAINED_ON_ANOTHER;
  geodisk_graph *ordered = NULL;
  geodisk_status status = GEODISK_OK;
  if (fingerprint != NULL)
    status = in_order_of(context, model, graph, &ordered);
  if (ordered != NULL && matches(ordered, fingerprint))
    found = GEODISK_TRAINED_ON_THIS;
  for (size_t i = 0;
       ordered != NULL && found == GEODISK_TRAINED_ON_ANOTHER && status == GEODISK_OK && i < sizeof variants / sizeof variants[0];
       i++) {
    geodisk_graph *variant = NULL;
    status = variants[i].make(context, ordered, &variant);
    if (status == GEODISK_OK && matches(variant, fingerprint))
      found = variants[i].what;
    geodisk_graph_destroy(variant);
    if (status == GEODISK_ERROR_ARGUMENT) /* cycles, or too large: not this one */
      status = GEODISK_OK;
  }
  geodisk_graph_destroy(ordered);
  if (status == GEODISK_OK)
    *out = found;
  return status;
}

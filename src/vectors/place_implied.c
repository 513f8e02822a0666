/* place_implied.c - what follows for a new node from the edges that are given, by what the model knows of its hierarchy: in a
 * model that was trained on a closure it belongs beside all its ancestors, not only beside those that are named. */
#include "base/grow.h"
#include "knowledge.h"
#include "match.h"
#include "place.h"

#include <string.h>

/* The edges of a graph that grows. */
typedef struct growing {
  geodisk_context *context;
  const geodisk_model *model;
  const geodisk_graph *graph;
  geodisk_hierarchy *tree;
  node_match match;
  uint32_t *number;   /* per node of the model: its number in the new graph, or NO_NODE */
  const char **names; /* of the new graph */
  size_t nodes, room; /* of names */
  uint32_t *child, *parent;
  double *weight; /* or NULL */
  size_t edges, edge_room;
  uint32_t *above;  /* per node of the model: room for a set */
  uint32_t *counts; /* per node of the model: in how many sets it is */
} growing;

static geodisk_status add_edge(growing *g, uint32_t child, uint32_t parent, double weight) {
  size_t room[3] = {g->edge_room, g->edge_room, g->edge_room}; /* which grow alike */
  if (!array_grow(&g->child, g->edges, 1, &room[0], sizeof *g->child) ||
      !array_grow(&g->parent, g->edges, 1, &room[1], sizeof *g->parent) ||
      !array_grow(&g->weight, g->edges, 1, &room[2], sizeof *g->weight))
    return geodisk_no_memory(g->context, "for the ancestors of new nodes");
  g->edge_room = room[0];
  g->child[g->edges] = child;
  g->parent[g->edges] = parent;
  g->weight[g->edges++] = weight;
  return GEODISK_OK;
}

/* The number of one of the model's nodes in the new graph, which may have to get one. */
static geodisk_status number_of(growing *g, uint32_t node, uint32_t *out) {
  if (g->number[node] == NO_NODE) {
    if (!array_grow(&g->names, g->nodes, 1, &g->room, sizeof *g->names))
      return geodisk_no_memory(g->context, "for the ancestors of new nodes");
    g->number[node] = (uint32_t)g->nodes;
    g->names[g->nodes++] = geodisk_model_name(g->model, node);
  }
  *out = g->number[node];
  return GEODISK_OK;
}

/* Counts in how many of the sets of ancestors of a node's neighbours in the model each node is; parents are in their own. Returns
 * how many sets there are, -1 after a failure. */
static int count_above(growing *g, uint32_t u, const geodisk_graph_rows *rows, bool parents) {
  int sets = 0;
  memset(g->counts, 0, geodisk_model_nodes(g->model) * sizeof *g->counts);
  for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
    const uint32_t node = g->match.node[rows->nodes[e]];
    size_t n = 0;
    if (node == NO_NODE)
      continue;
    if (geodisk_hierarchy_ancestors(g->context, g->tree, node, g->above, &n) != GEODISK_OK)
      return -1;
    for (size_t i = 0; i < n; i++)
      g->counts[g->above[i]]++;
    g->counts[node] += parents;
    sets++;
  }
  return sets;
}

/* Ancestors of one new node: all that any of its parents has, or if it has none, what all of its children have. */
static geodisk_status add_ancestors(growing *g, uint32_t u) {
  const geodisk_graph_rows up = geodisk_graph_out(g->graph), down = geodisk_graph_in(g->graph);
  const bool parents = up.offsets[u] < up.offsets[u + 1];
  const int sets = count_above(g, u, parents ? &up : &down, parents);
  geodisk_status status = sets < 0 ? geodisk_no_memory(g->context, "for the ancestors of new nodes") : GEODISK_OK;
  for (uint32_t v = 0; v < geodisk_model_nodes(g->model) && sets > 0 && status == GEODISK_OK; v++) {
    uint32_t number = 0;
    if (g->counts[v] < (parents ? 1U : (uint32_t)sets))
      continue;
    status = number_of(g, v, &number);
    if (status == GEODISK_OK && number < geodisk_graph_nodes(g->graph) &&
        (geodisk_graph_has_edge(g->graph, u, number) || geodisk_graph_has_edge(g->graph, number, u)))
      continue; /* it is there */
    if (status == GEODISK_OK)
      status = add_edge(g, u, number, 1.0);
  }
  return status;
}

static geodisk_status grow(growing *g) {
  const size_t nodes = geodisk_graph_nodes(g->graph), known = geodisk_model_nodes(g->model);
  const geodisk_graph_rows out = geodisk_graph_out(g->graph);
  g->room = nodes;
  g->names = geodisk_allocate(nodes, sizeof *g->names);
  g->number = geodisk_allocate(known, sizeof *g->number);
  g->above = geodisk_allocate(known, sizeof *g->above);
  g->counts = geodisk_allocate(known, sizeof *g->counts);
  if (g->names == NULL || g->number == NULL || g->above == NULL || g->counts == NULL ||
      !match_make(g->model, g->graph, &g->match))
    return geodisk_no_memory(g->context, "for the ancestors of new nodes");
  for (size_t i = 0; i < known; i++)
    g->number[i] = NO_NODE;
  for (uint32_t u = 0; u < nodes; u++) {
    g->names[g->nodes++] = geodisk_graph_name(g->graph, u);
    if (g->match.node[u] != NO_NODE)
      g->number[g->match.node[u]] = u;
  }
  geodisk_status status = geodisk_hierarchy_create(g->context, g->model, NULL, &g->tree);
  for (uint32_t u = 0; u < nodes && status == GEODISK_OK; u++) {
    for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1] && status == GEODISK_OK; e++)
      status = add_edge(g, u, out.nodes[e], out.weights != NULL ? out.weights[e] : 1.0);
    if (status == GEODISK_OK && g->match.node[u] == NO_NODE)
      status = add_ancestors(g, u);
  }
  return status;
}

geodisk_status place_add_implied(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                 geodisk_graph **out) {
  geodisk_hierarchy_info info;
  if (!geodisk_model_hierarchy(model, &info) || !info.own_reach)
    return GEODISK_OK;
  growing g = {.context = context, .model = model, .graph = graph};
  geodisk_status status = grow(&g);
  const geodisk_graph_arrays arrays = {.nodes = g.nodes,
                                       .names = g.names,
                                       .edges = g.edges,
                                       .children = g.child,
                                       .parents = g.parent,
                                       .weights = geodisk_graph_out(graph).weights != NULL ? g.weight : NULL};
  if (status == GEODISK_OK)
    status = geodisk_graph_create(context, &arrays, NULL, out);
  geodisk_hierarchy_destroy(g.tree);
  match_free(&g.match);
  geodisk_free_all(g.names, g.number, g.above, g.counts, g.child, g.parent, g.weight);
  return status;
}

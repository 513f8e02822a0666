/* hierarchy.c - from a graph to the edges that are drawn: those of its reduction between nodes of the model, in one part of it or
 * all. */
#include "hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "vectors/match.h"

/* ---- edges by numbers of the model ------------------------------------------------------------------------------- */

/* Rows as two arrays, sorted by (child, parent). Frees the rows. */
static void list_edges(size_t nodes, csr *rows, uint32_t *child, uint32_t *parent) {
  for (uint32_t u = 0; u < nodes; u++)
    for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
      child[e] = u;
      parent[e] = rows->nodes[e];
    }
  csr_free(rows);
}

/* The edges of the graph whose ends the model has, sorted; in a network one for each pair of nodes. */
static geodisk_status take_edges(geodisk_context *context, const geodisk_graph *graph, const uint32_t *number, const hierarchy *h,
                                 size_t *n, uint32_t **child, uint32_t **parent) {
  csr rows = {NULL, NULL, NULL};
  const geodisk_status status = match_rows(graph, number, h->nodes, h->network, &rows);
  const size_t kept = status == GEODISK_OK ? (size_t)rows.offsets[h->nodes] : 0;
  uint32_t *from = geodisk_allocate(kept, sizeof *from), *to = geodisk_allocate(kept, sizeof *to);
  if (status != GEODISK_OK || from == NULL || to == NULL) {
    csr_free(&rows);
    geodisk_free_all(from, to);
    return geodisk_no_memory(context, "for the picture's hierarchy");
  }
  list_edges(h->nodes, &rows, from, to);
  *n = kept;
  *child = from;
  *parent = to;
  return GEODISK_OK;
}

/* The number in the model of each node of the graph. */
static geodisk_status match_names(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph, hierarchy *h,
                                  node_match *out) {
  if (!match_make(model, graph, out))
    return geodisk_no_memory(context, "for the picture's hierarchy");
  h->unknown = out->missing;
  if (out->missing == 0 || out->missing < geodisk_graph_nodes(graph))
    return GEODISK_OK;
  match_free(out);
  return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the graph and the model have no node in common");
}

/* Whether the graph is a hierarchy or a network, and whether it is a closure. */
static geodisk_status choose_kind(geodisk_context *context, const geodisk_graph *graph, const geodisk_scene_options *options,
                                  hierarchy *h, bool *closed) {
  geodisk_kind_info info;
  geodisk_graph_facts facts;
  if (options->kind < GEODISK_KIND_AUTO || options->kind > GEODISK_KIND_NETWORK)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "scene: %d is no kind of graph", (int)options->kind);
  geodisk_status st = geodisk_graph_tell_kind(context, graph, &info);
  if (st != GEODISK_OK)
    return st;
  h->network = (options->kind != GEODISK_KIND_AUTO ? options->kind : info.kind) == GEODISK_KIND_NETWORK;
  h->why = options->kind == GEODISK_KIND_AUTO ? info.why : NULL;
  *closed = info.closed;
  if (!h->network && info.kind == GEODISK_KIND_NETWORK) { /* as the caller wants it */
    if ((st = geodisk_graph_describe(context, graph, &facts)) == GEODISK_OK && facts.depth < 0)
      st = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the graph has cycles: it cannot be drawn as a hierarchy");
  }
  return st;
}

/* Of a hierarchy the reduction, which the forest is made of, and beside it all edges where these are drawn. */
static geodisk_status read_hierarchy(geodisk_context *context, const geodisk_graph *graph, const uint32_t *number, bool all,
                                     hierarchy *h) {
  geodisk_graph *reduced = NULL;
  geodisk_status st = geodisk_graph_reduce(context, graph, &reduced);
  if (st == GEODISK_OK)
    st = take_edges(context, reduced, number, h, &h->edges, &h->edge_child, &h->edge_parent);
  if (st == GEODISK_OK && all)
    st = take_edges(context, graph, number, h, &h->drawn, &h->drawn_child, &h->drawn_parent);
  if (st == GEODISK_OK && !all)
    h->implied = geodisk_graph_edges(graph) - geodisk_graph_edges(reduced);
  geodisk_graph_destroy(reduced);
  return st;
}

static geodisk_status read_edges(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                 const geodisk_scene_options *options, hierarchy *h) {
  node_match match = {.node = NULL};
  bool closed = false;
  geodisk_status st = choose_kind(context, graph, options, h, &closed);
  if (st != GEODISK_OK || (st = match_names(context, model, graph, h, &match)) != GEODISK_OK)
    return st;
  if (!h->network)
    st = read_hierarchy(context, graph, match.node, options->all_edges || !closed, h);
  else if ((st = take_edges(context, graph, match.node, h, &h->edges, &h->edge_child, &h->edge_parent)) == GEODISK_OK)
    st = network_communities(context, graph, match.node, h);
  match_free(&match);
  return st;
}

/* In a network an edge leads up to the end that is nearer to the root of the forest. */
static geodisk_status orient_edges(geodisk_context *context, hierarchy *h) {
  for (size_t e = 0; e < h->edges; e++) {
    const uint32_t u = h->edge_child[e], v = h->edge_parent[e];
    const bool down = h->depth[u] < h->depth[v];
    h->edge_child[e] = down ? v : u;
    h->edge_parent[e] = down ? u : v;
  }
  csr rows;
  if (csr_from_arrays(h->nodes, h->edges, h->edge_child, h->edge_parent, &rows) != GEODISK_OK)
    return geodisk_no_memory(context, "for the picture's hierarchy");
  csr_sort(h->nodes, &rows);
  list_edges(h->nodes, &rows, h->edge_child, h->edge_parent);
  return GEODISK_OK;
}

/* ---- what is in the picture -------------------------------------------------------------------------------------- */

static size_t keep_edges(const bool *in, size_t n, uint32_t *child, uint32_t *parent) {
  size_t kept = 0;
  for (size_t e = 0; e < n; e++)
    if (in[child[e]] && in[parent[e]]) {
      child[kept] = child[e];
      parent[kept++] = parent[e];
    }
  return kept;
}

void hierarchy_drop_edges(hierarchy *h) {
  h->edges = keep_edges(h->in, h->edges, h->edge_child, h->edge_parent);
  if (h->drawn_child != NULL)
    h->drawn = keep_edges(h->in, h->drawn, h->drawn_child, h->drawn_parent);
}

/* Only `top` and what is below it. */
static geodisk_status keep_below(geodisk_context *context, hierarchy *h, uint32_t top) {
  csr down;
  uint32_t *stack = geodisk_allocate(h->nodes, sizeof *stack), *below = geodisk_allocate_zero(h->nodes, sizeof *below);
  if (stack == NULL || below == NULL || csr_from_arrays(h->nodes, h->edges, h->edge_parent, h->edge_child, &down) != GEODISK_OK) {
    geodisk_free_all(stack, below);
    return geodisk_no_memory(context, "for the picture's hierarchy");
  }
  below[top] = 1;
  csr_reach(&down, top, 1, below, stack);
  for (size_t u = 0; u < h->nodes; u++)
    h->in[u] = below[u] == 1;
  csr_free(&down);
  geodisk_free_all(stack, below);
  hierarchy_drop_edges(h);
  return GEODISK_OK;
}

/* ---- all together ------------------------------------------------------------------------------------------------ */

static bool allocate(hierarchy *h, size_t nodes) {
  *h = (hierarchy){.nodes = nodes};
  h->in = geodisk_allocate(nodes, sizeof *h->in);
  h->parent = geodisk_allocate(nodes, sizeof *h->parent);
  h->size = geodisk_allocate_zero(nodes, sizeof *h->size);
  h->order = geodisk_allocate(nodes, sizeof *h->order);
  h->depth = geodisk_allocate_zero(nodes, sizeof *h->depth);
  h->children = geodisk_allocate_zero(nodes, sizeof *h->children);
  h->descendants = geodisk_allocate_zero(nodes, sizeof *h->descendants);
  if (h->in == NULL || h->parent == NULL || h->size == NULL || h->order == NULL || h->depth == NULL || h->children == NULL ||
      h->descendants == NULL)
    return false;
  for (size_t u = 0; u < nodes; u++) {
    h->in[u] = true;
    h->parent[u] = GEODISK_NODE_NONE;
  }
  return true;
}

geodisk_status hierarchy_make(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                              const geodisk_scene_options *options, hierarchy *h) {
  geodisk_status st = GEODISK_OK;
  uint32_t top = 0;
  if (!allocate(h, geodisk_model_nodes(model)))
    return geodisk_no_memory(context, "for the picture's hierarchy");
  if (options->below != NULL && !geodisk_model_find(model, options->below, strlen(options->below), &top))
    return draw_unknown_node(context, model, options->below);
  if (options->below != NULL && graph == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "what is below '%s' cannot be known without a graph", options->below);
  if (graph != NULL && (st = read_edges(context, model, graph, options, h)) != GEODISK_OK)
    return st;
  if (options->below != NULL && h->network)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the graph is a network%s%s: nothing is below '%s'",
                        h->why != NULL ? ", since " : "", h->why != NULL ? h->why : "", options->below);
  if (options->below != NULL && (st = keep_below(context, h, top)) != GEODISK_OK)
    return st;
  if (h->network && options->max_nodes > 0 && options->max_nodes < h->nodes)
    st = network_limit(context, h, options->max_nodes);
  if (st == GEODISK_OK)
    st = forest_parents(context, model, h);
  if (st == GEODISK_OK)
    st = forest_order(context, h);
  if (st == GEODISK_OK && h->network)
    st = orient_edges(context, h);
  if (st == GEODISK_OK)
    st = forest_count(context, h);
  if (st == GEODISK_OK && !h->network && options->max_nodes > 0 && options->max_nodes < h->shown)
    st = hierarchy_limit(context, h, options->max_nodes);
  return st;
}

void hierarchy_free(hierarchy *h) {
  geodisk_free_all(h->in, h->edge_child, h->edge_parent, h->drawn_child, h->drawn_parent, h->community, h->parent, h->size,
                   h->order, h->depth, h->children, h->descendants);
  *h = (hierarchy){0};
}

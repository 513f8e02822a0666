/* export_graph.c - a model for programs that draw graphs: GraphML, GEXF and JSON with the coordinates of every node. */
#include "export_graph.h"
#include "match.h"

#include <inttypes.h>
#include <stdio.h>

/* "x", "y", "z" of up to three coordinates; "x1", "x2", ... of more. */
enum { COLUMN_NAME = 24 };

typedef struct graph_export {
  const char **names; /* of the model's nodes */
  uint32_t *children, *parents;
  double *weights; /* or NULL */
  size_t edges;
  uint64_t unknown; /* nodes of the graph that the model does not have */
  double *values;   /* nodes x dim */
  char (*column_text)[COLUMN_NAME];
  const char **columns;
} graph_export;

static void export_free(graph_export *e) {
  geodisk_free_all(e->names, e->children, e->parents, e->weights, e->values, e->column_text, e->columns);
}

/* The graph's edges by the numbers of the model's nodes. */
static bool take_edges(const geodisk_model *model, const geodisk_graph *graph, graph_export *e) {
  const size_t nodes = geodisk_graph_nodes(graph), edges = geodisk_graph_edges(graph);
  const geodisk_graph_rows rows = geodisk_graph_out(graph);
  node_match match = {.node = NULL};
  e->children = geodisk_allocate(edges, sizeof *e->children);
  e->parents = geodisk_allocate(edges, sizeof *e->parents);
  if (rows.weights != NULL)
    e->weights = geodisk_allocate(edges, sizeof *e->weights);
  const bool there = e->children != NULL && e->parents != NULL && (rows.weights == NULL || e->weights != NULL) &&
                     match_make(model, graph, &match);
  e->unknown += match.missing;
  for (uint32_t u = 0; there && u < nodes; u++)
    for (uint64_t k = rows.offsets[u]; k < rows.offsets[u + 1]; k++) {
      if (match.node[u] == NO_NODE || match.node[rows.nodes[k]] == NO_NODE)
        continue;
      e->children[e->edges] = match.node[u];
      e->parents[e->edges] = match.node[rows.nodes[k]];
      if (rows.weights != NULL)
        e->weights[e->edges] = rows.weights[k];
      e->edges++;
    }
  match_free(&match);
  return there;
}

static bool take_nodes(const geodisk_model *model, bool single, graph_export *e) {
  const size_t nodes = geodisk_model_nodes(model), dim = (size_t)geodisk_model_dim(model);
  e->names = geodisk_allocate(nodes, sizeof *e->names);
  e->values = geodisk_allocate(nodes * dim, sizeof *e->values);
  e->column_text = geodisk_allocate(dim, sizeof *e->column_text);
  e->columns = geodisk_allocate(dim, sizeof *e->columns);
  if (e->names == NULL || e->values == NULL || e->column_text == NULL || e->columns == NULL)
    return false;
  for (size_t k = 0; k < dim; k++) {
    if (dim <= 3)
      snprintf(e->column_text[k], COLUMN_NAME, "%c", "xyz"[k]);
    else
      snprintf(e->column_text[k], COLUMN_NAME, "x%zu", k + 1);
    e->columns[k] = e->column_text[k];
  }
  for (uint32_t u = 0; u < nodes; u++) {
    double gap;
    double *x = e->values + (size_t)u * dim;
    e->names[u] = geodisk_model_name(model, u);
    geodisk_model_point(model, u, x, &gap);
    for (size_t k = 0; single && k < dim; k++)
      x[k] = (double)(float)x[k];
  }
  return true;
}

geodisk_status export_graph(geodisk_context *context, const geodisk_model *model, const char *path, geodisk_format format,
                            const geodisk_export_options *options) {
  static const struct {
    geodisk_format of_model;
    geodisk_graph_format of_graph;
  } formats[] = {{GEODISK_FORMAT_GRAPHML, GEODISK_GRAPH_GRAPHML},
                 {GEODISK_FORMAT_GEXF, GEODISK_GRAPH_GEXF},
                 {GEODISK_FORMAT_JSON, GEODISK_GRAPH_JSON}};
  graph_export e = {.names = NULL};
  geodisk_graph *graph = NULL;
  geodisk_status status = GEODISK_OK;
  const bool single = options->width == GEODISK_WIDTH_FLOAT;
  if (!take_nodes(model, single, &e) || (options->graph != NULL && !take_edges(model, options->graph, &e)))
    status = geodisk_no_memory(context, "to write %s", path);
  if (status == GEODISK_OK && e.unknown > 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "%s: nodes of the graph that the model does not have, left out with their edges: %" PRIu64, path,
                      e.unknown);
  const geodisk_graph_arrays arrays = {geodisk_model_nodes(model), e.names, e.edges, e.children, e.parents, e.weights};
  if (status == GEODISK_OK)
    status = geodisk_graph_create(context, &arrays, NULL, &graph);
  geodisk_graph_write_options write = {
      .node_columns = (size_t)geodisk_model_dim(model), .node_column_names = e.columns, .node_values = e.values};
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (formats[i].of_model == format)
      write.format = formats[i].of_graph;
  if (status == GEODISK_OK)
    status = geodisk_graph_write(context, graph, path, &write);
  geodisk_graph_destroy(graph);
  export_free(&e);
  return status;
}

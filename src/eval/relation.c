/* relation.c - a graph in terms of points: nodes found in the model by name, what is missing said, rows numbered by point. */
#include "relation.h"

#include "ranking_slices.h"

#include <stdio.h>
#include <stdlib.h>

geodisk_status geodisk_eval_points_of_model(geodisk_context *context, const geodisk_model *model, geodisk_space space,
                                            geodisk_eval_points *out) {
  if (model == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "points of a model: %s is NULL", model == NULL ? "model" : "out");
  if ((unsigned)space > GEODISK_SPACE_EUCLIDEAN)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "points: no space has the number %d", (int)space);
  const geodisk_tensor vectors = geodisk_model_vector_rows(model), gap = geodisk_model_gap_rows(model);
  const bool gaps = space == GEODISK_SPACE_HYPERBOLIC && geodisk_model_space(model) == GEODISK_SPACE_HYPERBOLIC;
  const geodisk_eval_points points = {.nodes = geodisk_model_nodes(model),
                                      .ball = geodisk_model_ball(model),
                                      .space = space,
                                      .precision = geodisk_model_precision(model),
                                      .vectors = vectors.data,
                                      .vectors_stride = vectors.stride,
                                      .gap = gaps ? gap.data : NULL,
                                      .gap_stride = gaps ? gap.stride : 0,
                                      .order = gaps ? geodisk_model_order(model) : NULL};
  *out = points;
  return GEODISK_OK;
}

/* ---- what is missing ----------------------------------------------------------------------------------------------------- */

static uint64_t count_missing_edges(const geodisk_graph *graph, const uint32_t *points) {
  const geodisk_graph_rows rows = geodisk_graph_out(graph);
  uint64_t missing = 0;
  for (size_t u = 0; u < geodisk_graph_nodes(graph); u++)
    for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++)
      missing += points[u] == GEODISK_RELATION_NO_POINT || points[rows.nodes[e]] == GEODISK_RELATION_NO_POINT;
  return missing;
}

/* "'a', 'b' and 7 more" */
static void list_missing(const relation_missing *m, char *text, size_t size) {
  size_t at = 0;
  const size_t shown = m->missing_nodes < GEODISK_EVAL_MISSING_SHOWN ? m->missing_nodes : GEODISK_EVAL_MISSING_SHOWN;
  text[0] = 0;
  for (size_t i = 0; i < shown && at < size; i++)
    at += (size_t)snprintf(text + at, size - at, "%s'%.60s'", i > 0 ? ", " : "", m->names[i]);
  if (m->missing_nodes > shown && at < size)
    snprintf(text + at, size - at, " and %zu more", m->missing_nodes - shown);
}

geodisk_status relation_report_missing(geodisk_context *context, const relation_missing *m, bool skip) {
  char list[512];
  list_missing(m, list, sizeof list);
  if (!skip)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "%zu of the graph's %zu nodes are not in the model: %s; skipping them would leave out %llu of %zu edges",
                        m->missing_nodes, m->nodes, list, (unsigned long long)m->missing_edges, m->edges);
  if (m->missing_nodes == m->nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "none of the graph's %zu nodes is in the model: %s", m->nodes, list);
  geodisk_log_event(context, GEODISK_LOG_WARNING,
                    "%zu of the graph's %zu nodes are not in the model and left out, with %llu of %zu edges: %s",
                    m->missing_nodes, m->nodes, (unsigned long long)m->missing_edges, m->edges, list);
  return GEODISK_OK;
}

static geodisk_status report_missing(geodisk_context *context, const geodisk_graph *graph, const geodisk_relation_info *info,
                                     bool skip) {
  relation_missing m = {.nodes = geodisk_graph_nodes(graph),
                        .edges = geodisk_graph_edges(graph),
                        .missing_nodes = info->missing_nodes,
                        .missing_edges = info->missing_edges};
  for (size_t i = 0; i < info->missing_nodes && i < GEODISK_EVAL_MISSING_SHOWN; i++)
    m.names[i] = geodisk_graph_name(graph, info->missing[i]);
  return relation_report_missing(context, &m, skip);
}

/* ---- rows by point ------------------------------------------------------------------------------------------------------- */

/* Takes `points` over. */
static geodisk_status create(geodisk_context *context, const geodisk_graph *graph, size_t nodes, uint32_t *points,
                             geodisk_relation **out) {
  geodisk_relation *r = geodisk_allocate_zero(1, sizeof *r);
  if (r == NULL) {
    free(points);
    return geodisk_no_memory(context, "to go on");
  }
  *r = (geodisk_relation){.graph = graph, .nodes = nodes, .points = points};
  if (points == NULL && nodes == geodisk_graph_nodes(graph)) {
    r->rows = geodisk_graph_out(graph);
  } else if (match_rows(graph, points, nodes, false, &r->own) == GEODISK_OK) {
    r->rows = (geodisk_graph_rows){.offsets = r->own.offsets, .nodes = r->own.nodes};
  } else {
    geodisk_relation_destroy(r);
    return geodisk_no_memory(context, "for %zu edges", geodisk_graph_edges(graph));
  }
  *out = r;
  return GEODISK_OK;
}

geodisk_status geodisk_relation_create(geodisk_context *context, const geodisk_graph *graph, const geodisk_model *model,
                                       bool skip_missing, geodisk_relation_info *info, geodisk_relation **out) {
  if (graph == NULL || model == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "relation: %s is NULL",
                        graph == NULL   ? "graph"
                        : model == NULL ? "model"
                                        : "out");
  const size_t nodes = geodisk_graph_nodes(graph);
  node_match match;
  if (!match_make(model, graph, &match))
    return geodisk_no_memory(context, "for %zu nodes", nodes);
  geodisk_relation_info found = {.missing_nodes = match.missing};
  size_t shown = 0;
  for (uint32_t u = 0; match.missing > 0 && u < nodes && shown < GEODISK_EVAL_MISSING_SHOWN; u++)
    if (match.node[u] == NO_NODE)
      found.missing[shown++] = u;
  geodisk_status st = GEODISK_OK;
  if (found.missing_nodes > 0) {
    found.missing_edges = count_missing_edges(graph, match.node);
    st = report_missing(context, graph, &found, skip_missing);
  }
  if (info != NULL)
    *info = found;
  if (st != GEODISK_OK || match.same_number)
    match_free(&match);
  return st != GEODISK_OK ? st : create(context, graph, geodisk_model_nodes(model), match.node, out);
}

geodisk_status geodisk_relation_create_plain(geodisk_context *context, const geodisk_graph *graph, size_t nodes,
                                             geodisk_relation **out) {
  if (graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "relation: %s is NULL", graph == NULL ? "graph" : "out");
  if (geodisk_graph_nodes(graph) > nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the graph has %zu nodes, but there are only %zu points",
                        geodisk_graph_nodes(graph), nodes);
  return create(context, graph, nodes, NULL, out);
}

void geodisk_relation_destroy(geodisk_relation *relation) {
  if (relation == NULL)
    return;
  free(relation->points);
  csr_free(&relation->own);
  free(relation);
}

size_t geodisk_relation_points(const geodisk_relation *relation) { return relation->nodes; }
geodisk_graph_rows geodisk_relation_rows(const geodisk_relation *relation) { return relation->rows; }

size_t relation_members(const geodisk_relation *relation, uint32_t *out) {
  const size_t nodes = geodisk_graph_nodes(relation->graph);
  size_t count = 0;
  for (uint32_t u = 0; u < nodes; u++)
    if (relation_point(relation, u) != GEODISK_RELATION_NO_POINT)
      out[count++] = u;
  return count;
}

geodisk_status relation_check(geodisk_context *context, const char *task, const geodisk_relation *relation,
                              const geodisk_eval_points *points, const void *out) {
  if (relation == NULL || points == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: an argument is NULL", task);
  if (geodisk_relation_points(relation) != points->nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: the relation is over other points", task);
  return GEODISK_OK;
}

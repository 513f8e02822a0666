/* eval_is_a.c - reads the graphs of the task entailment, draws non-edges where no file has them, and lets the library judge. */
#include "eval_is_a.h"

#include <stdlib.h>

/* A graph with its relation to the points. */
typedef struct source_graph {
  geodisk_graph *graph;
  geodisk_relation *relation;
} source_graph;

static void close_graph(source_graph *g) {
  geodisk_relation_destroy(g->relation);
  geodisk_graph_destroy(g->graph);
}

static geodisk_status open_file(geodisk_context *context, const is_a_task *task, const char *path, source_graph *out) {
  geodisk_status st = graph_source_read(context, task->source, path, NULL, &out->graph);
  if (st == GEODISK_OK)
    st = geodisk_relation_create(context, out->graph, task->model, task->skip_missing, NULL, &out->relation);
  return st;
}

/* ---- drawing --------------------------------------------------------------------------------------------------------------- */

static size_t edges_of(const geodisk_relation *r) {
  return r == NULL ? 0 : (size_t)geodisk_relation_rows(r).offsets[geodisk_relation_points(r)];
}

/* The edges of up to three relations as one graph whose nodes are the points. */
static geodisk_status union_of(geodisk_context *context, const geodisk_relation *const relations[3], size_t points,
                               geodisk_graph **out) {
  size_t edges = 0, at = 0;
  for (int i = 0; i < 3; i++)
    edges += edges_of(relations[i]);
  uint32_t *child = geodisk_allocate(edges, sizeof *child), *parent = geodisk_allocate(edges, sizeof *parent);
  geodisk_status st = GEODISK_OK;
  if (child == NULL || parent == NULL)
    st = geodisk_no_memory(context, "for %zu edges", edges);
  for (int i = 0; i < 3 && st == GEODISK_OK; i++) {
    if (relations[i] == NULL)
      continue;
    const geodisk_graph_rows rows = geodisk_relation_rows(relations[i]);
    for (uint32_t u = 0; u < points; u++)
      for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++, at++) {
        child[at] = u;
        parent[at] = rows.nodes[e];
      }
  }
  const geodisk_graph_arrays arrays = {.nodes = points, .edges = at, .children = child, .parents = parent};
  if (st == GEODISK_OK)
    st = geodisk_graph_create(context, &arrays, NULL, out);
  free(child);
  free(parent);
  return st;
}

/* Without the edges that were trained on, only a model that was trained on the judged ones, or that does not say on what, lets
 * non-edges be drawn: any other has edges that nobody would know here. */
static geodisk_status check_known(geodisk_context *context, const is_a_task *task) {
  geodisk_trained_on on = GEODISK_TRAINED_ON_THIS;
  const geodisk_status st = task->train != NULL ? GEODISK_OK : geodisk_model_trained_on(context, task->model, task->graph, &on);
  if (st != GEODISK_OK)
    return st;
  if (on == GEODISK_TRAINED_ON_ANOTHER)
    return geodisk_fail(
        context, GEODISK_ERROR_ARGUMENT,
        "non-edges cannot be drawn: the model was trained on edges that are not in GRAPH, and they would be drawn "
        "too; give them by --train GRAPH, or non-edges by --non-edges%s",
        task->validation != NULL ? " and --validation-non-edges" : "");
  if (on == GEODISK_TRAINED_ON_UNKNOWN)
    geodisk_log_event(
        context, GEODISK_LOG_WARNING,
        "non-edges are drawn as if there were no edges but those given and what follows from them; if the model was "
        "trained on others, give them by --train GRAPH");
  return GEODISK_OK;
}

/* Everything that is known to be an edge: the closure of all there is. */
static geodisk_status known_edges(geodisk_context *context, const is_a_task *task, const geodisk_relation *validation,
                                  geodisk_graph **out) {
  const geodisk_relation *const all[3] = {task->edges, task->train, validation};
  const geodisk_closure_options options = {.allow_cycles = true, .max_edges = graph_source_max_edges(task->source)};
  geodisk_graph *graph = NULL;
  geodisk_status st = union_of(context, all, task->points->nodes, &graph);
  if (st == GEODISK_OK)
    st = geodisk_graph_closure(context, graph, &options, out);
  geodisk_graph_destroy(graph);
  return st;
}

static geodisk_status draw(geodisk_context *context, const is_a_task *task, const geodisk_graph *known,
                           const geodisk_relation *beside, uint64_t seed, source_graph *out) {
  const geodisk_relation *const one[3] = {beside, NULL, NULL};
  geodisk_graph *edges = NULL;
  geodisk_status st = union_of(context, one, task->points->nodes, &edges);
  if (st == GEODISK_OK)
    st = geodisk_graph_non_edges(context, known, edges, (size_t)task->per_edge, seed, &out->graph);
  if (st == GEODISK_OK)
    st = geodisk_relation_create_plain(context, out->graph, task->points->nodes, &out->relation);
  geodisk_graph_destroy(edges);
  return st;
}

geodisk_status is_a_run(geodisk_context *context, const is_a_task *task, geodisk_is_a *out) {
  source_graph non_edges = {0}, validation = {0}, validation_non_edges = {0};
  geodisk_graph *known = NULL;
  geodisk_status st = GEODISK_OK;
  const bool validated = task->validation != NULL;
  const bool draws = task->non_edges == NULL || (validated && task->validation_non_edges == NULL);
  if (validated)
    st = open_file(context, task, task->validation, &validation);
  if (st == GEODISK_OK && draws && (st = check_known(context, task)) == GEODISK_OK)
    st = known_edges(context, task, validation.relation, &known);
  if (st == GEODISK_OK)
    st = task->non_edges != NULL ? open_file(context, task, task->non_edges, &non_edges)
                                 : draw(context, task, known, task->edges, 2 * task->options.seed + 1, &non_edges);
  if (st == GEODISK_OK && validated)
    st = task->validation_non_edges != NULL
             ? open_file(context, task, task->validation_non_edges, &validation_non_edges)
             : draw(context, task, known, validation.relation, 2 * task->options.seed, &validation_non_edges);
  const geodisk_is_a_pairs judged = {task->edges, non_edges.relation},
                           chosen_on = {validation.relation, validation_non_edges.relation};
  if (st == GEODISK_OK)
    st = geodisk_eval_is_a(context, task->points, &judged, validated ? &chosen_on : NULL, &task->options, out);
  geodisk_graph_destroy(known);
  close_graph(&non_edges);
  close_graph(&validation);
  close_graph(&validation_non_edges);
  return st;
}

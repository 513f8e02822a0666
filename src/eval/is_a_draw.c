/* is_a_draw.c - draws pairs that are no edges: outside the closure of all edges that are given. */
#include "is_a_draw.h"

#include "relation.h"

enum { PER_EDGE = 10 };

static size_t edges_of(const geodisk_relation *r) {
  return r == NULL ? 0 : (size_t)geodisk_relation_rows(r).offsets[geodisk_relation_points(r)];
}

/* The edges of up to three relations as one graph whose nodes are the points. */
static geodisk_status union_of(geodisk_context *context, const geodisk_relation *const relations[3], geodisk_graph **out) {
  const size_t points = geodisk_relation_points(relations[0]);
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
  geodisk_free_all(child, parent);
  return st;
}

/* Without the edges that were trained on, only a model that was trained on the judged ones, or that does not say on what, lets
 * non-edges be drawn: any other has edges that nobody would know here. */
static geodisk_status check_known(geodisk_context *context, const geodisk_is_a_options *options, const geodisk_relation *edges) {
  geodisk_trained_on on = GEODISK_TRAINED_ON_THIS;
  if (options->model == NULL || options->train != NULL)
    return GEODISK_OK;
  const geodisk_status st = geodisk_model_trained_on(context, options->model, edges->graph, &on);
  if (st != GEODISK_OK)
    return st;
  if (on == GEODISK_TRAINED_ON_ANOTHER)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "non-edges cannot be drawn: the model was trained on edges that are not in the graph, and they would be "
                        "drawn too; give them by `train`, or non-edges by `non_edges` and `validation_non_edges`");
  if (on == GEODISK_TRAINED_ON_UNKNOWN)
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "non-edges are drawn as if there were no edges but those given and what follows from them; if the model "
                      "was trained on others, give them by `train`");
  return GEODISK_OK;
}

/* Everything that is known to be an edge: the closure of all there is. */
static geodisk_status known_edges(geodisk_context *context, const geodisk_is_a_options *options,
                                  const geodisk_relation *const given[3], geodisk_graph **out) {
  const geodisk_closure_options closure = {.allow_cycles = true, .max_edges = options->max_edges};
  geodisk_graph *graph = NULL;
  geodisk_status st = union_of(context, given, &graph);
  if (st == GEODISK_OK)
    st = geodisk_graph_closure(context, graph, &closure, out);
  geodisk_graph_destroy(graph);
  return st;
}

static geodisk_status draw(geodisk_context *context, const geodisk_is_a_options *options, const geodisk_graph *known, int which,
                           geodisk_is_a_pairs *pairs, is_a_drawn *out) {
  const geodisk_relation *const one[3] = {pairs->edges, NULL, NULL};
  const size_t per_edge = options->per_edge > 0 ? options->per_edge : PER_EDGE;
  geodisk_graph *edges = NULL;
  geodisk_status st = union_of(context, one, &edges);
  if (st == GEODISK_OK)
    st = geodisk_graph_non_edges(context, known, edges, per_edge, 2 * options->seed + (which == 0), &out->graphs[which]);
  if (st == GEODISK_OK)
    st =
        geodisk_relation_create_plain(context, out->graphs[which], geodisk_relation_points(pairs->edges), &out->relations[which]);
  pairs->non_edges = out->relations[which];
  geodisk_graph_destroy(edges);
  return st;
}

geodisk_status is_a_draw(geodisk_context *context, const geodisk_is_a_options *options, geodisk_is_a_pairs *judged,
                         geodisk_is_a_pairs *validation, is_a_drawn *out) {
  const bool for_judged = judged->non_edges == NULL, for_validation = validation != NULL && validation->non_edges == NULL;
  const geodisk_relation *const given[3] = {judged->edges, options->train, validation != NULL ? validation->edges : NULL};
  geodisk_graph *known = NULL;
  geodisk_status st = GEODISK_OK;
  if (for_judged || for_validation) {
    st = check_known(context, options, judged->edges);
    if (st == GEODISK_OK)
      st = known_edges(context, options, given, &known);
  }
  if (st == GEODISK_OK && for_judged)
    st = draw(context, options, known, 0, judged, out);
  if (st == GEODISK_OK && for_validation)
    st = draw(context, options, known, 1, validation, out);
  geodisk_graph_destroy(known);
  return st;
}

void is_a_drawn_destroy(is_a_drawn *drawn) {
  for (int i = 0; i < 2; i++) {
    geodisk_relation_destroy(drawn->relations[i]);
    geodisk_graph_destroy(drawn->graphs[i]);
  }
}

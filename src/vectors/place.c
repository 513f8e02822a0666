/* place.c - new nodes in a model whose own nodes stay where they are: in rounds, each from the nodes that have a place already.
 */
#include "place.h"
#include "knowledge.h"
#include "match.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_COMPETITORS = 16, DEFAULT_ITERATIONS = 200, PIECE = 64 };
static const double default_tolerance = 0.01;

static geodisk_ball ball_of(const placing *p) { return geodisk_model_ball(p->model); }

/* ---- the new model --------------------------------------------------------------------------------------------------- */

/* Numbers for the graph's nodes: those of the model, and new ones after them. */
static geodisk_status number_nodes(placing *p) {
  const size_t n = geodisk_graph_nodes(p->graph);
  p->old = geodisk_model_nodes(p->model);
  p->in_graph = geodisk_allocate(n, sizeof *p->in_graph);
  node_match match;
  if (p->in_graph == NULL || !match_make(p->model, p->graph, &match))
    return geodisk_no_memory(p->context, "to place the nodes");
  p->in_model = match.node;
  for (uint32_t i = 0; i < n; i++)
    if (p->in_model[i] == NO_NODE) {
      p->in_model[i] = (uint32_t)(p->old + p->fresh);
      p->in_graph[p->fresh++] = i;
    }
  if (p->old + p->fresh > NAMES_MAX)
    return geodisk_fail(p->context, GEODISK_ERROR_ARGUMENT, "place: too many nodes");
  return p->fresh > 0 ? GEODISK_OK
                      : geodisk_fail(p->context, GEODISK_ERROR_ARGUMENT, "place: the model has all nodes of the graph already");
}

/* The old points, copied number by number, whatever the stride. */
static void copy_points(const placing *p) {
  const size_t dim = (size_t)ball_of(p).dim, stride = model_row_stride(&p->model->vectors.view);
  const size_t size = geodisk_type_size(p->model->vectors.view.type);
  for (size_t i = 0; i < p->old; i++) {
    memcpy((char *)p->out->vectors.own + i * dim * size, (const char *)p->model->vectors.view.data + i * stride * size,
           dim * size);
    if (p->model->gap.view.data != NULL)
      memcpy((char *)p->out->gap.own + i * size,
             (const char *)p->model->gap.view.data + i * model_row_stride(&p->model->gap.view) * size, size);
  }
}

static void count_edges(const placing *p) {
  const uint64_t *old = geodisk_model_counts(p->model);
  uint64_t *counts = geodisk_model_edit_counts(p->out);
  const geodisk_graph_rows out = geodisk_graph_out(p->graph), in = geodisk_graph_in(p->graph);
  memcpy(counts, old, p->old * sizeof *counts);
  for (size_t i = 0; i < p->fresh; i++) {
    const uint32_t g = p->in_graph[i];
    counts[p->old + i] = out.offsets[g + 1] - out.offsets[g] + in.offsets[g + 1] - in.offsets[g];
  }
}

static geodisk_status make_model(placing *p) {
  const size_t n = p->old + p->fresh;
  const char **names = geodisk_allocate(n, sizeof *names);
  if (names == NULL)
    return geodisk_no_memory(p->context, "to place the nodes");
  for (size_t i = 0; i < n; i++)
    names[i] = i < p->old ? geodisk_model_name(p->model, (uint32_t)i) : geodisk_graph_name(p->graph, p->in_graph[i - p->old]);
  const geodisk_model_spec spec = {.nodes = n,
                                   .ball = ball_of(p),
                                   .space = geodisk_model_space(p->model),
                                   .precision = geodisk_model_precision(p->model),
                                   .counts = geodisk_model_counts(p->model) != NULL,
                                   .name_list = names};
  geodisk_status status = geodisk_model_create(p->context, &spec, &p->out);
  free(names);
  if (status != GEODISK_OK)
    return status;
  copy_points(p);
  if (spec.counts)
    count_edges(p);
  for (size_t i = 0; status == GEODISK_OK && geodisk_model_key(p->model, i) != NULL; i++)
    status = geodisk_model_set(p->context, p->out, geodisk_model_key(p->model, i),
                               geodisk_model_get(p->model, geodisk_model_key(p->model, i)));
  if (status == GEODISK_OK)
    status = model_copy_history(p->context, p->model, p->out);
  if (status == GEODISK_OK && geodisk_model_order(p->model) == NULL) /* else when the new nodes have theirs: place_order */
    status = hierarchy_copy(p->context, p->model, p->out);
  return status;
}

/* ---- rounds ---------------------------------------------------------------------------------------------------------- */

/* The nodes that can be placed now; an error names those that never can. */
static geodisk_status choose_round(placing *p, size_t left) {
  p->n_to_do = 0;
  for (uint32_t i = 0; i < p->fresh; i++)
    if (p->round[i] == UNPLACED && place_neighbours(p, p->in_graph[i]) > 0)
      p->to_do[p->n_to_do++] = i;
  if (p->n_to_do > 0)
    return GEODISK_OK;
  char names[256] = "";
  size_t shown = 0;
  for (uint32_t i = 0; i < p->fresh && shown < 3; i++)
    if (p->round[i] == UNPLACED) {
      const size_t used = strlen(names);
      snprintf(names + used, sizeof names - used, "%s'%.60s'", shown > 0 ? ", " : "",
               geodisk_graph_name(p->graph, p->in_graph[i]));
      shown++;
    }
  return geodisk_fail(p->context, GEODISK_ERROR_ARGUMENT, "place: no chain of edges joins %zu new node%s to the model: %s%s",
                      left, left == 1 ? "" : "s", names, left > shown ? ", ..." : "");
}

/* In pieces, so that Ctrl-C is heard and memory stays bounded. */
static geodisk_status run_round(placing *p, const geodisk_index *index, size_t *done) {
  uint32_t *all = p->to_do;
  const size_t n = p->n_to_do;
  geodisk_status status = GEODISK_OK;
  bool failed[PIECE];
  p->failed = failed;
  for (size_t first = 0; status == GEODISK_OK && first < n; first += PIECE) {
    p->to_do = all + first;
    p->n_to_do = n - first < PIECE ? n - first : PIECE;
    status = place_prepare(p, index);
    if (status == GEODISK_OK)
      geodisk_parallel(p->context, p->n_to_do, place_node, p);
    for (size_t i = 0; status == GEODISK_OK && i < p->n_to_do; i++)
      if (failed[i])
        status = geodisk_no_memory(p->context, "to place the nodes");
    *done += p->n_to_do;
    const geodisk_progress progress = {"placing", "nodes", *done, p->fresh, NULL};
    if (status == GEODISK_OK && !geodisk_progress_event(p->context, &progress))
      status = geodisk_fail(p->context, GEODISK_ERROR_STOPPED, "placing was stopped");
  }
  p->to_do = all;
  for (size_t i = 0; i < n; i++)
    p->round[all[i]] = p->now;
  return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

/* A sample of the old nodes, ascending: each with the same chance (Knuth's selection sampling). */
static geodisk_status draw_sample(placing *p) {
  p->crowd = (crowd){.model = p->model, .count = p->old, .scale = 1};
  if (p->options.negatives == 0 || p->options.negatives >= p->old)
    return GEODISK_OK;
  const size_t wanted = p->options.negatives;
  p->sample = geodisk_allocate(wanted, sizeof *p->sample);
  if (p->sample == NULL)
    return geodisk_no_memory(p->context, "to place the nodes");
  geodisk_random random = geodisk_random_stream(p->options.seed, 1);
  size_t taken = 0;
  for (size_t i = 0; i < p->old && taken < wanted; i++)
    if (geodisk_random_below(&random, p->old - i) < wanted - taken)
      p->sample[taken++] = (uint32_t)i;
  p->crowd.nodes = p->sample;
  p->crowd.count = taken;
  p->crowd.scale = (double)p->old / (double)taken;
  return GEODISK_OK;
}

static geodisk_status make_room(placing *p) {
  p->round = geodisk_allocate(p->fresh, sizeof *p->round);
  p->to_do = geodisk_allocate(p->fresh, sizeof *p->to_do);
  p->found = geodisk_allocate_zero(p->fresh, sizeof *p->found);
  p->sums = geodisk_allocate(p->old, sizeof *p->sums);
  p->near = geodisk_allocate(PIECE, p->options.competitors * sizeof *p->near);
  p->n_near = geodisk_allocate(PIECE, sizeof *p->n_near);
  if (p->round == NULL || p->to_do == NULL || p->found == NULL || p->sums == NULL || p->near == NULL || p->n_near == NULL)
    return geodisk_no_memory(p->context, "to place the nodes");
  for (size_t i = 0; i < p->fresh; i++)
    p->round[i] = UNPLACED;
  for (size_t i = 0; i < p->old; i++)
    p->sums[i] = (double)NAN;
  return GEODISK_OK;
}

static geodisk_status run_rounds(placing *p) {
  geodisk_index *index = NULL;
  geodisk_status status = geodisk_index_create(p->context, p->model, GEODISK_SEARCH_AUTO, p->fresh, &index);
  size_t done = 0;
  for (p->now = 0; status == GEODISK_OK && done < p->fresh; p->now++) {
    status = choose_round(p, p->fresh - done);
    if (status == GEODISK_OK)
      status = run_round(p, index, &done);
  }
  geodisk_index_destroy(index);
  return status;
}

/* Edges that placed nobody. */
static void count_unused(const placing *p, geodisk_place_info *info) {
  const geodisk_graph_rows out = geodisk_graph_out(p->graph);
  for (uint32_t g = 0; g < geodisk_graph_nodes(p->graph); g++)
    for (uint64_t e = out.offsets[g]; e < out.offsets[g + 1]; e++) {
      const uint32_t a = p->in_model[g], b = p->in_model[out.nodes[e]];
      if (a < p->old && b < p->old)
        info->known_edges++;
      else if (a >= p->old && b >= p->old && p->round[a - p->old] == p->round[b - p->old])
        info->late_edges++;
    }
}

static void free_placing(placing *p) {
  geodisk_free_all(p->in_model, p->in_graph, p->round, p->to_do, p->found, p->sums, p->near, p->n_near, p->sample);
}

geodisk_status geodisk_model_place(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                   const geodisk_place_options *options, geodisk_place_info *info, geodisk_model **out) {
  if (model == NULL || graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "place: %s is NULL",
                        model == NULL   ? "model"
                        : graph == NULL ? "graph"
                                        : "out");
  placing p = {.context = context, .model = model, .graph = graph};
  if (options != NULL)
    p.options = *options;
  if (!(p.options.tolerance >= 0 && isfinite(p.options.tolerance)))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "place: the tolerance %g is not a finite number >= 0",
                        p.options.tolerance);
  p.options.competitors = p.options.competitors != 0 ? p.options.competitors : DEFAULT_COMPETITORS;
  p.options.iterations = p.options.iterations != 0 ? p.options.iterations : DEFAULT_ITERATIONS;
  p.options.tolerance = p.options.tolerance != 0 ? p.options.tolerance : default_tolerance;
  p.options.competitors = p.options.competitors < model->nodes ? p.options.competitors : model->nodes;
  geodisk_graph *whole = NULL;
  geodisk_status status = p.options.as_given ? GEODISK_OK : place_add_implied(context, model, graph, &whole);
  if (whole != NULL)
    p.graph = whole;
  if (status == GEODISK_OK)
    status = number_nodes(&p);
  if (status == GEODISK_OK)
    status = make_room(&p);
  if (status == GEODISK_OK)
    status = draw_sample(&p);
  if (status == GEODISK_OK)
    status = make_model(&p);
  if (status == GEODISK_OK)
    status = run_rounds(&p);
  if (status == GEODISK_OK)
    status = place_order(&p);
  if (status == GEODISK_OK) {
    if (p.options.placed != NULL)
      memcpy(p.options.placed, p.found, p.fresh * sizeof *p.found);
    if (info != NULL) {
      *info = (geodisk_place_info){.placed = p.fresh, .rounds = p.now};
      count_unused(&p, info);
    }
    *out = p.out;
  } else {
    geodisk_model_destroy(p.out);
  }
  free_placing(&p);
  geodisk_graph_destroy(whole);
  return status;
}

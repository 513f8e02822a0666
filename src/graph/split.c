/* split.c - training, validation and test edges. Each edge gets a label; which ones are held out is drawn without replacement. */
#include "hold_out.h"

#include <stdlib.h>

enum { STREAM_ACYCLIC = 0x5301, STREAM_CYCLIC = 0x5302, STREAM_SHARE = 0x5303 };

/* ---- hierarchies: non-basic edges ---------------------------------------------------------------------------------- */

/* Exactly the wanted numbers among the candidates, in one pass: of `left` candidates still to come, each one wanted is drawn with
 * equal probability. */
static void draw_nonbasic(const geodisk_graph *graph, const geodisk_graph *basic, const geodisk_split_options *options,
                          uint8_t *label, geodisk_split *split) {
  uint64_t left = graph->edges - basic->edges;
  hold_out_counts(options, left, split);
  uint64_t validation = split->wanted_validation, test = split->wanted_test;
  geodisk_random random = geodisk_random_stream(options->seed, STREAM_ACYCLIC);
  for (size_t u = 0; u < graph->nodes; u++) {
    uint64_t b = basic->out.offsets[u];
    for (uint64_t e = graph->out.offsets[u]; e < graph->out.offsets[u + 1]; e++) {
      if (b < basic->out.offsets[u + 1] && basic->out.nodes[b] == graph->out.nodes[e]) {
        b++;
        continue;
      }
      const uint64_t draw = geodisk_random_below(&random, left--);
      if (draw < validation) {
        label[e] = PART_VALIDATION;
        validation--;
      } else if (draw < validation + test) {
        label[e] = PART_TEST;
        test--;
      }
    }
  }
}

/* Of the non-basic edges that are not held out so many stay in training as are asked for; the others are left out. Which ones
 * does not change what is held out. */
static void draw_share(const geodisk_graph *graph, const geodisk_graph *basic, const geodisk_split_options *options,
                       uint8_t *label, const geodisk_split *split) {
  uint64_t left = split->candidates - split->wanted_validation - split->wanted_test;
  uint64_t wanted = percent_of(split->candidates, options->closure_share);
  geodisk_random random = geodisk_random_stream(options->seed, STREAM_SHARE);
  for (size_t u = 0; u < graph->nodes; u++) {
    uint64_t b = basic->out.offsets[u];
    for (uint64_t e = graph->out.offsets[u]; e < graph->out.offsets[u + 1]; e++) {
      if (b < basic->out.offsets[u + 1] && basic->out.nodes[b] == graph->out.nodes[e]) {
        b++;
      } else if (label[e] == PART_TRAIN) {
        if (geodisk_random_below(&random, left--) < wanted)
          wanted--;
        else
          label[e] = PART_NONE;
      }
    }
  }
}

/* ---- networks: any edges ------------------------------------------------------------------------------------------- */

/* Goes over the edges in random order and holds one out (with its twin the other way round) while both its nodes keep another. */
static geodisk_status draw_any(geodisk_context *context, const geodisk_graph *graph, const geodisk_split_options *options,
                               uint8_t *label, geodisk_split *split) {
  const uint64_t edges = graph->edges;
  uint64_t *order = geodisk_allocate((size_t)edges, sizeof *order), *kept = geodisk_allocate_zero(graph->nodes, sizeof *kept);
  uint32_t *child = geodisk_allocate((size_t)edges, sizeof *child);
  geodisk_status status = GEODISK_OK;
  if (order == NULL || kept == NULL || child == NULL) {
    status = geodisk_no_memory(context, "for a split of %zu nodes", graph->nodes);
    goto done;
  }
  geodisk_graph_children(graph, child);
  uint64_t units = 0; /* edges, twins taken as one */
  for (uint64_t e = 0; e < edges; e++) {
    const uint32_t u = child[e], v = graph->out.nodes[e];
    if (u > v && find_edge(graph, v, u) < edges)
      continue;
    order[units++] = e;
    kept[u]++;
    kept[v]++;
  }
  const uint64_t size_of_all = edges == 2 * units ? 2 : 1; /* in an undirected graph edges come in twos, and so must the shares */
  uint64_t wanted[3] = {0, size_of_all * percent_of(edges / size_of_all, options->validation),
                        size_of_all * percent_of(edges / size_of_all, options->test)};
  if (wanted[PART_VALIDATION] + wanted[PART_TEST] > edges) /* both rounded up */
    wanted[PART_TEST] = edges - wanted[PART_VALIDATION];
  split->wanted_validation = wanted[PART_VALIDATION];
  split->wanted_test = wanted[PART_TEST];
  geodisk_random random = geodisk_random_stream(options->seed, STREAM_CYCLIC);
  for (uint64_t left = units; left > 0; left--) {
    const uint64_t draw = geodisk_random_below(&random, left), e = order[draw];
    order[draw] = order[left - 1];
    const uint32_t u = child[e], v = graph->out.nodes[e];
    const uint64_t twin = find_edge(graph, v, u), size = 1 + (twin < edges);
    const int part = wanted[PART_VALIDATION] >= size ? PART_VALIDATION : PART_TEST;
    if (wanted[part] < size || kept[u] < 2 || kept[v] < 2)
      continue;
    wanted[part] -= size;
    kept[u]--;
    kept[v]--;
    label[e] = (uint8_t)part;
    if (twin < edges)
      label[twin] = (uint8_t)part;
  }
  split->basic = 0;
  split->candidates = edges;

done:
  geodisk_free_all(order, kept, child);
  return status;
}

/* ---- the three graphs ------------------------------------------------------------------------------------------------- */

static geodisk_status part_of(geodisk_context *context, const geodisk_graph *graph, const uint8_t *label, uint8_t part,
                              geodisk_graph **out) {
  uint64_t edges = 0;
  for (uint64_t e = 0; e < graph->edges; e++)
    edges += label[e] == part;
  csr rows;
  if (csr_allocate(graph->nodes, edges, graph->out.weights != NULL, &rows) != GEODISK_OK)
    return geodisk_no_memory(context, "for a split of %zu nodes", graph->nodes);
  uint64_t at = 0;
  for (size_t u = 0; u < graph->nodes; u++) {
    for (uint64_t e = graph->out.offsets[u]; e < graph->out.offsets[u + 1]; e++)
      if (label[e] == part)
        csr_copy_edge(&graph->out, e, &rows, at++);
    rows.offsets[u + 1] = at;
  }
  return graph_with_rows(context, graph, &rows, out);
}

/* How to split: as asked for, but a graph with cycles has no reduction. */
static geodisk_status choose_kind(geodisk_context *context, const geodisk_graph *graph, geodisk_graph_kind wanted,
                                  geodisk_graph_kind *out) {
  geodisk_kind_info info;
  geodisk_graph_facts facts;
  geodisk_status status = GEODISK_OK;
  if (wanted < GEODISK_KIND_AUTO || wanted > GEODISK_KIND_NETWORK)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "split: %d is no kind of graph", (int)wanted);
  *out = wanted;
  if (wanted == GEODISK_KIND_AUTO) {
    if ((status = geodisk_graph_tell_kind(context, graph, &info)) == GEODISK_OK)
      *out = info.kind;
  } else if (wanted == GEODISK_KIND_HIERARCHY) {
    if ((status = geodisk_graph_describe(context, graph, &facts)) == GEODISK_OK && facts.depth < 0)
      *out = GEODISK_KIND_NETWORK;
  }
  return status;
}

static geodisk_status check_options(geodisk_context *context, const geodisk_split_options *options) {
  if (!(options->validation >= 0 && options->test >= 0 && options->validation + options->test <= 100))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "split: %g %% for validation and %g %% for test: both must be >= 0 and their sum at most 100",
                        options->validation, options->test);
  if (options->protocol < GEODISK_PROTOCOL_LINKS || options->protocol > GEODISK_PROTOCOL_NODES)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "split: %d is no protocol", (int)options->protocol);
  if (options->given < GEODISK_GIVEN_ANCESTOR || options->given > GEODISK_GIVEN_CHILDREN)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "split: %d says not what is given", (int)options->given);
  if (options->protocol == GEODISK_PROTOCOL_ENTAILMENT &&
      !(options->closure_share >= 0 && options->closure_share + options->validation + options->test <= 100))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "split: %g %% of the closure for training, %g %% for validation and %g %% for test are more than 100",
                        options->closure_share, options->validation, options->test);
  return GEODISK_OK;
}

/* Labels the edges. */
static geodisk_status draw(geodisk_context *context, const geodisk_graph *graph, const geodisk_split_options *options,
                           uint8_t *label, geodisk_split *split) {
  geodisk_graph *basic = NULL;
  geodisk_status status = GEODISK_OK;
  split->kind = GEODISK_KIND_HIERARCHY; /* what protocols other than LINKS are for */
  if (options->protocol == GEODISK_PROTOCOL_LINKS)
    status = choose_kind(context, graph, options->kind, &split->kind);
  if (status != GEODISK_OK)
    return status;
  if (split->kind == GEODISK_KIND_NETWORK)
    return draw_any(context, graph, options, label, split);
  if ((status = geodisk_graph_reduce(context, graph, &basic)) != GEODISK_OK)
    return status;
  split->basic = basic->edges;
  if (options->protocol == GEODISK_PROTOCOL_PARENTS)
    status = hold_out_parents(context, graph, basic, options, label, split);
  else if (options->protocol == GEODISK_PROTOCOL_NODES)
    status = hold_out_nodes(context, graph, basic, options, label, split);
  else
    draw_nonbasic(graph, basic, options, label, split);
  if (options->protocol == GEODISK_PROTOCOL_ENTAILMENT)
    draw_share(graph, basic, options, label, split);
  geodisk_graph_destroy(basic);
  return status;
}

void geodisk_split_free(geodisk_split *split) {
  geodisk_graph *const graphs[PARTS] = {split->train, split->validation, split->test, split->given};
  for (int i = 0; i < PARTS; i++)
    geodisk_graph_destroy(graphs[i]);
  *split = (geodisk_split){0};
}

geodisk_status geodisk_graph_split(geodisk_context *context, const geodisk_graph *graph, const geodisk_split_options *options,
                                   geodisk_split *out) {
  if (graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "split: %s is NULL", graph == NULL ? "graph" : "out");
  options = options != NULL ? options : &(const geodisk_split_options){.validation = 5, .test = 5};
  geodisk_split split = {0};
  uint8_t *label = NULL;
  geodisk_status status = check_options(context, options);
  if (status != GEODISK_OK)
    goto done;
  if ((label = geodisk_allocate_zero((size_t)graph->edges, sizeof *label)) == NULL) {
    status = geodisk_no_memory(context, "for a split of %zu nodes", graph->nodes);
    goto done;
  }
  if ((status = draw(context, graph, options, label, &split)) != GEODISK_OK)
    goto done;
  geodisk_graph **const parts[PARTS] = {&split.train, &split.validation, &split.test, &split.given};
  const int wanted = options->protocol == GEODISK_PROTOCOL_NODES ? PARTS : PART_GIVEN;
  for (int i = 0; i < wanted && status == GEODISK_OK; i++)
    status = part_of(context, graph, label, (uint8_t)i, parts[i]);

done:
  free(label);
  if (status == GEODISK_OK) {
    *out = split;
  } else {
    geodisk_split_free(&split);
  }
  return status;
}

/* bench_cuda_bytes.c - whether a device trains to the bytes of the processor: 20 sets of options, which reach every branch of the
 * training loop, on 3 graphs, in float and double, several times each. */
#include "bench_cuda.h"

#include <stdlib.h>
#include <string.h>

#include "geodisk/vectors.h"

enum { NODES = 400, HUB_TARGETS = 300, NEGATIVES = 40, EPOCHS = 3 };

/* What differs from the defaults; 0 is AUTO, or the first of its kind. */
static const struct bytes_case {
  const char *name;
  uint64_t batch, core_epochs, burn_in;
  size_t negatives;
  double sharpness, sharpness_first, regularization, lr, inner;
  int dim;
  geodisk_units units;
  uint32_t block;
  geodisk_sampling sampling;
  geodisk_update update;
  geodisk_loss loss;
  geodisk_rates rates;
  geodisk_space space;
  geodisk_placement placement;
} cases[] = {
    {.name = "defaults", .dim = 10},
    {.name = "the plane", .dim = 2},
    {.name = "one dimension", .dim = 1},
    {.name = "many dimensions", .dim = 100, .lr = 0.5},
    {.name = "edge units", .dim = 5, .units = GEODISK_UNITS_EDGE, .batch = 100, .negatives = 12},
    {.name = "a batch of 1", .dim = 2, .units = GEODISK_UNITS_EDGE, .batch = 1, .negatives = 7},
    {.name = "blocks of 3", .dim = 10, .block = 3, .batch = 17},
    {.name = "one unit a block", .dim = 5, .block = 1, .sharpness = 4, .sharpness_first = 0.75},
    {.name = "uniform", .dim = 7, .sampling = GEODISK_SAMPLING_UNIFORM},
    {.name = "by degree", .dim = 16, .sampling = GEODISK_SAMPLING_DEGREE, .sharpness = 3.7, .burn_in = 1},
    {.name = "nearby", .dim = 10, .sampling = GEODISK_SAMPLING_NEARBY, .inner = 0.6, .block = 8},
    {.name = "complement", .dim = 33, .loss = GEODISK_LOSS_COMPLEMENT, .sharpness = 0.5, .rates = GEODISK_RATES_COSINE},
    {.name = "natural", .dim = 10, .update = GEODISK_UPDATE_NATURAL, .regularization = 0.3, .rates = GEODISK_RATES_LINEAR},
    {.name = "euclidean", .dim = 2, .update = GEODISK_UPDATE_EUCLIDEAN, .units = GEODISK_UNITS_EDGE, .batch = 64, .lr = 5},
    {.name = "flat", .dim = 7, .space = GEODISK_SPACE_EUCLIDEAN, .sharpness = 1.3, .regularization = 0.01},
    {.name = "flat, squares", .dim = 15, .space = GEODISK_SPACE_EUCLIDEAN, .sharpness = 4, .loss = GEODISK_LOSS_COMPLEMENT},
    {.name = "a core", .dim = 10, .core_epochs = 3, .sharpness = 8},
    {.name = "all negatives", .dim = 8, .negatives = GEODISK_NEGATIVES_ALL, .block = 5},
    {.name = "tree placement", .dim = 2, .placement = GEODISK_PLACEMENT_TREE, .block = 8, .batch = 64},
    {.name = "many negatives", .dim = 32, .negatives = 250},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static geodisk_train_options options_of(const struct bytes_case *c, bool single) {
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = c->dim;
  o.precision = single ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
  o.units = c->units;
  o.block = c->block;
  o.batch = c->batch;
  o.core_epochs = c->core_epochs;
  o.burn_in = c->burn_in;
  o.negatives = c->negatives ? c->negatives : NEGATIVES;
  o.sampling = c->sampling;
  o.inner = c->inner;
  o.power = 0.75;
  o.update = c->update;
  o.loss = c->loss;
  o.rates = c->rates;
  o.space = c->space;
  o.sharpness = c->sharpness;
  o.sharpness_first = c->sharpness_first;
  o.regularization = c->regularization;
  o.lr = o.lr_first = c->lr;
  o.placement = c->placement == GEODISK_PLACEMENT_TREE ? c->placement : GEODISK_PLACEMENT_RANDOM;
  o.epochs = EPOCHS;
  o.range = 0.1;
  return o;
}

/* A hierarchy in which some have two parents and one has HUB_TARGETS, more than a unit takes: closed, or with weights, or in both
 * directions. */
static geodisk_status make_graph(geodisk_context *context, int kind, geodisk_graph **out) {
  static uint32_t children[3 * NODES], parents[3 * NODES];
  static double weights[3 * NODES];
  size_t edges = 0;
  for (uint32_t u = 1; u < NODES; u++)
    for (uint32_t v = 0; v < (u + 1 == NODES ? HUB_TARGETS : u % 5 == 0 ? 2u : 1u); v++, edges++) {
      children[edges] = u;
      parents[edges] = u + 1 == NODES ? v : v == 0 ? (u - 1) / 3 : (u - 1) / 2;
      weights[edges] = 0.25 + (double)(edges % 7);
    }
  const geodisk_graph_arrays arrays = {
      .nodes = NODES, .edges = edges, .children = children, .parents = parents, .weights = kind == 1 ? weights : NULL};
  geodisk_graph *graph = NULL;
  geodisk_status st = geodisk_graph_create(context, &arrays, NULL, &graph);
  if (st != GEODISK_OK || kind == 1) {
    *out = graph;
    return st;
  }
  st = kind == 0 ? geodisk_graph_closure(context, graph, NULL, out) : geodisk_graph_undirected(context, graph, out);
  geodisk_graph_destroy(graph);
  return st;
}

/* Coordinates and gaps of all points, NODES x (dim + 1). */
static geodisk_status train(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options,
                            double *out) {
  geodisk_trainer *trainer = NULL;
  geodisk_model *model = NULL;
  const size_t dim = (size_t)options->dim;
  geodisk_status st = geodisk_trainer_create(context, graph, options, &trainer);
  if (st == GEODISK_OK)
    st = geodisk_trainer_run(trainer, NULL, NULL);
  if (st == GEODISK_OK)
    st = geodisk_trainer_model(trainer, &model);
  for (uint32_t u = 0; u < NODES && st == GEODISK_OK; u++)
    geodisk_model_point(model, u, out + u * (dim + 1), out + u * (dim + 1) + dim);
  geodisk_model_destroy(model);
  geodisk_trainer_destroy(trainer);
  return st;
}

static geodisk_status compare(geodisk_context *context, const geodisk_graph *graph, geodisk_train_options *o, int runs,
                              bool *same) {
  const size_t row = (size_t)o->dim + 1;
  double *expected = geodisk_allocate((size_t)2 * NODES, row * sizeof *expected), *got = expected + NODES * row;
  if (!expected)
    return geodisk_no_memory(context, "for the points");
  o->device = GEODISK_DEVICE_CPU;
  geodisk_status st = train(context, graph, o, expected);
  o->device = GEODISK_DEVICE_CUDA;
  for (int run = 0; run < runs && st == GEODISK_OK && *same; run++) {
    st = train(context, graph, o, got);
    *same = st == GEODISK_OK && memcmp(got, expected, NODES * row * sizeof *got) == 0;
  }
  free(expected);
  return st;
}

geodisk_status bench_cuda_bytes(geodisk_context *context, int runs, bench_cuda_compared *out) {
  static const char *const kinds[] = {"closed", "weighted", "undirected"};
  geodisk_status st = GEODISK_OK;
  const bench_time start = bench_now();
  *out = (bench_cuda_compared){.sets = CASES, .graphs = sizeof kinds / sizeof kinds[0]};
  for (int kind = 0; kind < out->graphs && st == GEODISK_OK; kind++) {
    geodisk_graph *graph = NULL;
    st = make_graph(context, kind, &graph);
    for (int i = 0; i < 2 * CASES && st == GEODISK_OK; i++) {
      geodisk_train_options o = options_of(&cases[i / 2], i % 2);
      bool same = true;
      st = compare(context, graph, &o, runs, &same);
      out->trainings += runs;
      if (st != GEODISK_OK)
        st = geodisk_fail(context, st, "%s, %s: %s", cases[i / 2].name, kinds[kind], geodisk_context_error(context));
      else if (!same)
        st = geodisk_fail(context, GEODISK_ERROR_NUMERIC, "%s, %s, %s: other bytes on the device than on the processor",
                          cases[i / 2].name, kinds[kind], i % 2 ? "float" : "double");
    }
    geodisk_graph_destroy(graph);
  }
  out->seconds = bench_since(start).wall;
  return st;
}

/* test_mpi_trainer.c - epochs on ranks against the same epochs in one process: every row, every figure of the history, bit by
 * bit, with checkpoints and resumptions in between. */
#include "mpi_testing.h"

#include "mpi/exchange.h"
#include "mpi/launch.h"
#include "mpi/ranks.h"

#include <string.h>

/* A tree with extra edges, and a hub that points to a third of all nodes: it has several units. */
static geodisk_graph *make_graph(geodisk_context *context, size_t nodes, bool weighted) {
  const size_t most = 4 * nodes;
  geodisk_random random = geodisk_random_stream(11, nodes);
  uint32_t *children = geodisk_allocate(most, 4), *parents = geodisk_allocate(most, 4);
  double *weights = geodisk_allocate(most, 8);
  check(children != NULL && parents != NULL && weights != NULL);
  size_t edges = 0;
  for (uint32_t u = 1; u < nodes; u++) {
    children[edges] = u;
    parents[edges++] = (uint32_t)geodisk_random_below(&random, u);
    children[edges] = u;
    parents[edges++] = (uint32_t)geodisk_random_below(&random, u);
    if (u > nodes / 2 && u % 3 != 0) {
      children[edges] = (uint32_t)nodes - 1;
      parents[edges++] = u - 1;
    }
  }
  for (size_t e = 0; e < edges; e++)
    weights[e] = 0.25 + geodisk_random_uniform(&random);
  const geodisk_graph_arrays arrays = {
      .nodes = nodes, .edges = edges, .children = children, .parents = parents, .weights = weighted ? weights : NULL};
  geodisk_graph *graph = NULL;
  check_ok(context, geodisk_graph_create(context, &arrays, NULL, &graph));
  free(children);
  free(parents);
  free(weights);
  return graph;
}

/* Rows by number, and the history. */
static void compare(geodisk_trainer *t, const geodisk_trainer *plain) {
  const ranks *r = ranks_of(t);
  const size_t size = row_bytes(t);
  char *rows = geodisk_allocate((size_t)r->owned + 1, size);
  check(rows != NULL);
  check_ok(t->context, ranks_rows_by_number(t, rows));
  check(t->position == plain->position && t->stride == plain->stride && t->history_rows == plain->history_rows);
  check(memcmp(rows, (const char *)plain->rows + r->share->first * size, r->owned * size) == 0);
  for (size_t i = 0; i < t->history_rows; i++) {
    geodisk_train_epoch a = t->history[i], b = plain->history[i];
    a.seconds = b.seconds = 0.0;
    check(memcmp(&a, &b, sizeof a) == 0);
  }
  free(rows);
}

/* A checkpoint by all ranks, from which they go on. */
static geodisk_trainer *resumed(geodisk_context *context, const geodisk_graph *graph, geodisk_trainer *t) {
  mpi_share *share = NULL;
  geodisk_trainer *again = NULL;
  const geodisk_train_options o = geodisk_trainer_options(t);
  check_ok(context, geodisk_trainer_save(t, "middle.safetensors"));
  geodisk_trainer_destroy(t);
  check_ok(context, mpi_share_of_graph(context, MPI_COMM_WORLD, graph, &share));
  check_ok(context, mpi_trainer_of_share(context, share, "middle.safetensors", &o, &again));
  return again;
}

static void train_graph(const geodisk_graph *graph, const geodisk_train_options *o, int threads) {
  geodisk_context *context = NULL;
  check(geodisk_context_create(threads, &context) == GEODISK_OK);
  geodisk_trainer *t = NULL, *plain = NULL;
  mpi_share *share = NULL;
  check_ok(context, geodisk_trainer_create(context, graph, o, &plain));
  check_ok(context, mpi_share_of_graph(context, MPI_COMM_WORLD, graph, &share));
  check_ok(context, mpi_trainer_of_share(context, share, NULL, o, &t));
  compare(t, plain);
  for (uint64_t epoch = 0; epoch < geodisk_trainer_epochs(plain); epoch++) {
    check_ok(context, geodisk_trainer_epoch(plain, NULL));
    check_ok(context, geodisk_trainer_epoch(t, NULL));
    if (t->position >= t->options.core_epochs)
      compare(t, plain);
    if (epoch == 1 || epoch == 12) /* in the midst of the core, and of all epochs */
      t = resumed(context, graph, t);
  }
  geodisk_model *model = NULL;
  check(geodisk_trainer_model(t, &model) == GEODISK_ERROR_UNSUPPORTED && model == NULL);
  geodisk_trainer_destroy(t);
  geodisk_trainer_destroy(plain);
  geodisk_context_destroy(context);
}

static void train_both(size_t nodes, bool weighted, const geodisk_train_options *o, int threads) {
  geodisk_context *context = context_of_one_thread();
  geodisk_graph *graph = make_graph(context, nodes, weighted);
  train_graph(graph, o, threads);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* The options of a training, from the defaults. */
static geodisk_train_options options_of(int dim, size_t negatives) {
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = dim;
  o.negatives = negatives;
  o.epochs = 3;
  return o;
}

/* A program that has started MPI itself keeps it. */
static void start_twice(void) {
  geodisk_context *context = context_of_one_thread();
  geodisk_mpi *mpi = NULL;
  check_ok(context, geodisk_mpi_start(context, &mpi));
  check(geodisk_mpi_rank(mpi) == rank_here() && geodisk_mpi_ranks(mpi) == ranks_here());
  check(geodisk_mpi_leader(mpi) > 0 && geodisk_mpi_peak_memory(mpi) > 1000000);
  geodisk_mpi_end(mpi);
  geodisk_context_destroy(context);
}

/* A closure has a core; its own default is to train it first. */
static void train_cores(void) {
  geodisk_context *context = context_of_one_thread();
  static const geodisk_generate_options made[] = {
      {.kind = GEODISK_GENERATOR_RECURSIVE, .nodes = 4500, .seed = 3, .shape = GEODISK_SHAPE_CLOSED},
      {.kind = GEODISK_GENERATOR_TREE,
       .branching = 3000,
       .depth = 1,
       .shape = GEODISK_SHAPE_UNDIRECTED}, /* no two nodes of the core are joined */
      {.kind = GEODISK_GENERATOR_GRID, .rows = 70, .columns = 70, .shape = GEODISK_SHAPE_UNDIRECTED},
  };
  for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
    geodisk_graph *graph = NULL;
    check_ok(context, geodisk_graph_generate(context, &made[i], &graph));
    geodisk_train_options o = options_of(5, 30);
    o.core_epochs = 11;
    train_graph(graph, &o, 2);
    o.precision = GEODISK_PRECISION_FLOAT;
    o.batch = 100;
    train_graph(graph, &o, 1);
    geodisk_graph_destroy(graph);
  }
  /* pairs that hang on each other, far from all others */
  enum { NODES = 3000 };
  uint32_t children[NODES * 2], parents[NODES * 2];
  size_t n = 0;
  for (uint32_t u = 0; u < NODES; u++) {
    children[n] = u;
    parents[n++] = u % 5 == 0 ? NODES - 1 - u : u / 2;
    children[n] = u % 5 == 0 ? NODES - 1 - u : u;
    parents[n++] = u % 5 == 0 ? u : u / 7;
  }
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = n, .children = children, .parents = parents};
  geodisk_graph *graph = NULL;
  check_ok(context, geodisk_graph_create(context, &arrays, NULL, &graph));
  geodisk_train_options o = options_of(3, 20);
  o.core_epochs = 3;
  train_graph(graph, &o, 1);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

int main(int argc, char **argv) {
  int offered;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &offered);
  start_twice();
  geodisk_train_options o = options_of(5, 100);
  train_both(2500, false, &o, 1);
  train_both(2500, true, &o, 2);
  o.precision = GEODISK_PRECISION_FLOAT;
  o.sampling = GEODISK_SAMPLING_UNIFORM;
  o.sharpness = 2;
  o.batch = 640;
  train_both(2500, true, &o, 3);
  o = options_of(2, 20);
  o.placement = GEODISK_PLACEMENT_TREE;
  o.sampling = GEODISK_SAMPLING_DEGREE;
  train_both(1100, false, &o, 1);
  o = options_of(3, 50);
  o.burn_in = 2;
  o.sampling = GEODISK_SAMPLING_NEARBY;
  train_both(2100, true, &o, 2);
  o = options_of(3, 5);
  train_both(300, true, &o, 1); /* some ranks own no node */
  o = options_of(20, GEODISK_NEGATIVES_ALL);
  train_both(900, false, &o, 2);
  o = options_of(4, 10);
  o.units = GEODISK_UNITS_EDGE;
  o.sampling = GEODISK_SAMPLING_NEARBY;
  o.batch = 1000;
  train_both(1500, true, &o, 2);
  o.sampling = GEODISK_SAMPLING_UNIFORM;
  train_both(1500, false, &o, 1);
  o = options_of(6, 40);
  o.space = GEODISK_SPACE_EUCLIDEAN;
  o.loss = GEODISK_LOSS_COMPLEMENT;
  o.precision = GEODISK_PRECISION_FLOAT;
  train_both(2500, false, &o, 2);
  train_cores();
  MPI_Finalize();
  return 0;
}

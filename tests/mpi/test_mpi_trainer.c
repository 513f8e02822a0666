/* test_mpi_trainer.c - epochs on ranks against the same epochs in one process: every row, every figure of the history, bit by
 * bit; and what was sent against the formulas of docs/scaling.md. */
#include "mpi_testing.h"

#include "mpi/exchange.h"
#include "mpi/launch.h"
#include "mpi/ranks.h"

#include <string.h>

/* A tree with extra edges, and a hub that points to a third of all nodes: its negatives are found another way. */
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

/* Rows as a row of the other holds them: the share's own. */
static void compare(const geodisk_trainer *t, const geodisk_trainer *plain) {
  const ranks *r = ranks_of(t);
  const size_t size = row_bytes(t);
  check(t->position == plain->position && t->stride == plain->stride);
  check(memcmp(r->home, (const char *)plain->rows + r->share->first * size, r->share->owned * size) == 0);
  for (size_t i = 0; i < t->position; i++) {
    geodisk_train_epoch a = t->history[i], b = plain->history[i];
    a.seconds = b.seconds = 0.0;
    check(memcmp(&a, &b, sizeof a) == 0);
  }
}

/* What all ranks together have sent, against the deal: rows that change ranks, and parts at every border between games. */
static void check_traffic(const geodisk_trainer *t, bool by_degree) {
  const ranks *r = ranks_of(t);
  uint64_t away = 0, parts = 0, moves = 0;
  for (uint32_t i = 0; i < r->share->owned; i++)
    away += rank_of_part(r, 0, r->own_part[i]) != r->rank;
  away = mpi_sum(MPI_COMM_WORLD, away);
  for (uint32_t p = 0; p < r->parts; p++)
    for (uint32_t round = 1; round < tournament_rounds(r->parts); round++)
      if (rank_of_part(r, round, p) != rank_of_part(r, round + 1, p)) {
        const uint64_t count = deal_first(&r->deal, p + 1) - deal_first(&r->deal, p), links = r->inner_count[p];
        uint64_t bytes = (count * row_bytes(t) + 63) / 64 * 64 + count * (by_degree ? 16 : 8) + links * (r->wide ? 8 : 4);
        parts += (bytes + 63) / 64 * 64;
        moves++;
      }
  const geodisk_mpi_traffic sent = geodisk_mpi_trainer_traffic(t);
  check(sent.rows == away * (2 * row_bytes(t) + sizeof(row_head)));
  check(sent.parts == parts);
  check(sent.part_messages == moves);
  if (r->parts % 2 == 0) /* one part each way at each border, in each round but the first */
    check(moves == 2 * (uint64_t)(r->count - 1) * (r->parts - 1));
}

static void train_both(size_t nodes, bool weighted, const geodisk_train_options *o, int threads, uint64_t most_records) {
  geodisk_context *context = NULL;
  check(geodisk_context_create(threads, &context) == GEODISK_OK);
  geodisk_trainer *t = NULL, *plain = NULL;
  geodisk_graph *graph = make_graph(context, nodes, weighted);
  mpi_share *share = NULL;
  check_ok(context, geodisk_trainer_create(context, graph, o, &plain));
  check_ok(context, mpi_share_of_graph(context, MPI_COMM_WORLD, graph, &share));
  check_ok(context, mpi_trainer_of_share(context, share, NULL, o, &t));
  if (most_records)
    ranks_of(t)->most_records = most_records;
  compare(t, plain);
  for (uint64_t epoch = 0; epoch < o->burn_in + (o->epochs ? o->epochs : 3); epoch++) {
    check_ok(context, geodisk_trainer_epoch(plain, NULL));
    check_ok(context, geodisk_trainer_epoch(t, NULL));
    compare(t, plain);
    check_traffic(t, epoch < o->burn_in || o->sampling == GEODISK_SAMPLING_DEGREE);
  }
  geodisk_model *model = NULL;
  check(geodisk_trainer_model(t, &model) == GEODISK_ERROR_UNSUPPORTED && model == NULL);
  geodisk_trainer_destroy(t);
  geodisk_trainer_destroy(plain);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* The options of a training, from the defaults. */
static geodisk_train_options options_of(int dim, size_t negatives, uint32_t parts) {
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = dim;
  o.negatives = negatives;
  o.parts = parts;
  o.epochs = 2;
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

int main(int argc, char **argv) {
  int offered;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &offered);
  start_twice();
  geodisk_train_options o = options_of(5, 10, 0);
  train_both(2500, false, &o, 1, 0);
  train_both(2500, true, &o, 2, 0);
  o.precision = GEODISK_PRECISION_FLOAT;
  o.sampling = GEODISK_SAMPLING_UNIFORM;
  o.sharpness = 2;
  train_both(2500, true, &o, 3, 0);
  o = options_of(2, 20, 9); /* an odd number of parts: in every round one has nobody to meet */
  o.sampling = GEODISK_SAMPLING_DEGREE;
  train_both(1100, false, &o, 1, 0);
  o = options_of(3, 5, 12);
  o.burn_in = 1;
  o.epochs = GEODISK_AUTO_EPOCHS;
  train_both(1100, false, &o, 2, 0);
  o = options_of(3, 5, 8);
  o.epochs = 2;
  train_both(300, true, &o, 1, 100); /* so few links at a time that every round is sent apart; some ranks own no node */
  o = options_of(20, 200, 8);        /* as many negatives as a part has nodes: complements are listed */
  train_both(900, false, &o, 2, 1000);
  o = options_of(2, 2, 300); /* many parts: more games than edges */
  o.epochs = 1;
  train_both(1500, false, &o, 2, 0);
  if (ranks_here() <= 2) { /* more than 2^16 nodes in a part */
    o = options_of(2, 3, 4);
    o.epochs = 1;
    o.precision = GEODISK_PRECISION_FLOAT;
    train_both(4 * 66000 + 3, false, &o, 2, 0);
  }
  MPI_Finalize();
  return 0;
}

/* test_mpi_share.c - shares of a graph that every rank has: the ranges cover the nodes in whole blocks, the pieces put together
 * are the graph; and exchanges with uneven counts, agreement on errors. */
#include "mpi/exchange.h"
#include "mpi/share.h"
#include "mpi_testing.h"

#include <string.h>

static geodisk_graph *random_graph(geodisk_context *context, size_t nodes, size_t edges, bool weighted) {
  geodisk_random random = geodisk_random_stream(7, nodes);
  uint32_t *children = geodisk_allocate(edges, 4), *parents = geodisk_allocate(edges, 4);
  double *weights = geodisk_allocate(edges, 8);
  check(children != NULL && parents != NULL && weights != NULL);
  for (size_t e = 0; e < edges; e++) {
    children[e] = (uint32_t)geodisk_random_below(&random, nodes);
    parents[e] = (uint32_t)geodisk_random_below(&random, nodes);
    weights[e] = geodisk_random_uniform(&random);
  }
  const geodisk_graph_arrays arrays = {
      .nodes = nodes, .edges = edges, .children = children, .parents = parents, .weights = weighted ? weights : NULL};
  geodisk_graph *graph = NULL;
  check_ok(context, geodisk_graph_create(context, &arrays, NULL, &graph));
  free(children);
  free(parents);
  free(weights);
  return graph;
}

static void test_slices(geodisk_context *context, size_t nodes, size_t edges, bool weighted) {
  geodisk_graph *graph = random_graph(context, nodes, edges, weighted);
  const geodisk_graph_rows out = geodisk_graph_out(graph), in = geodisk_graph_in(graph);
  mpi_share *share = NULL;
  check_ok(context, mpi_share_of_graph(context, MPI_COMM_WORLD, graph, &share));
  check(share->nodes == nodes && share->edges == geodisk_graph_edges(graph));
  check(share->firsts[0] == 0 && share->firsts[share->ranks] == nodes);
  for (int r = 0; r < share->ranks; r++) {
    check(share->firsts[r] <= share->firsts[r + 1]);
    check(share->firsts[r] % SHARE_BLOCK == 0 || share->firsts[r] == nodes);
  }
  for (uint32_t u = 0; u < nodes; u++) {
    const int owner = mpi_share_owner(share, u);
    check(share->firsts[owner] <= u && u < share->firsts[owner + 1]);
  }
  check(share->edges_before == out.offsets[share->first]);
  for (uint32_t i = 0; i < share->owned; i++) {
    const uint32_t u = share->first + i;
    check(strcmp(share->names + share->name_starts[i], geodisk_graph_name(graph, u)) == 0);
    check(share->offsets[i + 1] - share->offsets[i] == out.offsets[u + 1] - out.offsets[u]);
    check(share->in_degree[i] == in.offsets[u + 1] - in.offsets[u]);
    for (uint64_t e = share->offsets[i]; e < share->offsets[i + 1]; e++) {
      check(share->targets[e] == out.nodes[share->edges_before + e]);
      check(weighted ? share->weights[e] == out.weights[share->edges_before + e] : share->weights == NULL);
    }
  }
  check(mpi_sum(MPI_COMM_WORLD, share->offsets[share->owned]) == share->edges);
  check(mpi_sum_before(MPI_COMM_WORLD, share->offsets[share->owned]) == share->edges_before);
  check(share->fingerprint == geodisk_graph_fingerprint(graph));
  mpi_share_destroy(share);
  geodisk_graph_destroy(graph);
}

/* Rank r sends (r + 1) * (s + 1) * scale numbers to rank s; with a large scale, messages of several pieces. */
static void test_exchange(uint64_t scale) {
  const int rank = rank_here(), ranks = ranks_here();
  uint64_t sent[64], received[64], out = 0, in = 0;
  for (int s = 0; s < ranks; s++)
    out += sent[s] = s == 1 ? 0 : (uint64_t)(rank + 1) * (uint64_t)(s + 1) * scale; /* nothing for rank 1 */
  mpi_exchange_counts(MPI_COMM_WORLD, sent, received);
  for (int s = 0; s < ranks; s++) {
    check(received[s] == (rank == 1 ? 0 : (uint64_t)(rank + 1) * (uint64_t)(s + 1) * scale));
    in += received[s];
  }
  uint32_t *from = geodisk_allocate(out, sizeof *from), *to = geodisk_allocate(in, sizeof *to);
  check(from != NULL && to != NULL);
  uint64_t at = 0;
  for (int s = 0; s < ranks; s++)
    for (uint64_t i = 0; i < sent[s]; i++)
      from[at++] = (uint32_t)((uint64_t)rank * 1000003u + (uint64_t)s * 1009u + i * 17u);
  mpi_exchange(MPI_COMM_WORLD, sizeof *from, from, sent, to, received);
  at = 0;
  for (int s = 0; s < ranks; s++)
    for (uint64_t i = 0; i < received[s]; i++)
      check(to[at++] == (uint32_t)((uint64_t)s * 1000003u + (uint64_t)rank * 1009u + i * 17u));
  free(from);
  free(to);
}

static void test_agreement(geodisk_context *context) {
  const int rank = rank_here(), last = ranks_here() - 1;
  check(mpi_agree(context, MPI_COMM_WORLD, GEODISK_OK) == GEODISK_OK);
  geodisk_status status = rank == last ? geodisk_fail(context, GEODISK_ERROR_IO, "rank %d found no file", rank) : GEODISK_OK;
  check(mpi_agree(context, MPI_COMM_WORLD, status) == GEODISK_ERROR_IO);
  char text[64];
  snprintf(text, sizeof text, "rank %d found no file", last);
  check(strcmp(geodisk_context_error(context), text) == 0);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  geodisk_context *context = context_of_one_thread();
  test_slices(context, 2, 5, false);
  test_slices(context, 1024, 3000, true);
  test_slices(context, 1025, 3000, false);
  test_slices(context, 10000, 30000, true);
  test_exchange(1);
  test_exchange(1500);
  test_exchange(1500000);
  test_agreement(context);
  geodisk_context_destroy(context);
  MPI_Finalize();
  return 0;
}

/* test_mpi_place.c - points placed by all ranks lie where a plain process puts them, byte by byte, and nodes stand in the same
 * order: trees, closures, forests, cycles, stars, in the plane and in more dimensions, float and double. */
#include <string.h>

#include "embed/backend.h"
#include "embed/placement/placement.h"
#include "mpi/share.h"
#include "mpi_testing.h"

static void compare(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options) {
  geodisk_trainer *plain = NULL;
  mpi_share *share = NULL;
  check_ok(context, geodisk_trainer_create(context, graph, options, &plain));
  check_ok(context, mpi_share_of_graph(context, MPI_COMM_WORLD, graph, &share));
  const size_t bytes = row_bytes(plain);
  check(plain->stride == embed_stride(options));
  char *rows = geodisk_allocate(share->owned, bytes);
  uint32_t *order = geodisk_allocate(share->owned, sizeof *order);
  check(rows != NULL && order != NULL);
  memset(rows, 0x5a, share->owned * bytes);
  const geodisk_train_options resolved = geodisk_trainer_options(plain);
  check_ok(context, mpi_share_place(context, share, &resolved, rows, order));
  check(memcmp(rows, (const char *)plain->rows + share->first * bytes, share->owned * bytes) == 0);
  for (uint32_t i = 0; i < share->owned && embed_ordered_by_tree(options); i++)
    check(plain->order[order[i]] == share->first + i);
  free(rows);
  free(order);
  mpi_share_destroy(share);
  geodisk_trainer_destroy(plain);
}

static void compare_all(geodisk_context *context, const geodisk_graph *graph) {
  static const struct {
    int dim;
    geodisk_precision precision;
    geodisk_sampling sampling;
    geodisk_placement placement;
  } cases[] = {
      {2, GEODISK_PRECISION_DOUBLE, GEODISK_SAMPLING_NEARBY, GEODISK_PLACEMENT_TREE},
      {10, GEODISK_PRECISION_FLOAT, GEODISK_SAMPLING_NEARBY, GEODISK_PLACEMENT_TREE},
      {3, GEODISK_PRECISION_DOUBLE, GEODISK_SAMPLING_UNIFORM, GEODISK_PLACEMENT_TREE},
      {1, GEODISK_PRECISION_DOUBLE, GEODISK_SAMPLING_NEARBY, GEODISK_PLACEMENT_TREE},
      {4, GEODISK_PRECISION_FLOAT, GEODISK_SAMPLING_DEGREE, GEODISK_PLACEMENT_RANDOM},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_train_options o = geodisk_train_defaults();
    o.dim = cases[i].dim;
    o.seed = 5 + i;
    o.precision = cases[i].precision;
    o.sampling = cases[i].sampling;
    o.placement = cases[i].placement;
    o.negatives = 2;
    compare(context, graph, &o);
  }
}

static geodisk_graph *random_graph(geodisk_context *context, size_t nodes, size_t edges, bool cycles) {
  geodisk_random random = geodisk_random_stream(11, nodes + edges);
  uint32_t *children = geodisk_allocate(edges, 4), *parents = geodisk_allocate(edges, 4);
  check(children != NULL && parents != NULL);
  for (size_t e = 0; e < edges; e++) {
    children[e] = (uint32_t)geodisk_random_below(&random, nodes);
    parents[e] = (uint32_t)geodisk_random_below(&random, cycles ? nodes : children[e] + 1);
  }
  for (size_t e = 0; !cycles && e < edges; e++) { /* scatter the numbers: parents on any rank */
    children[e] = (uint32_t)((uint64_t)children[e] * 7919 % nodes);
    parents[e] = (uint32_t)((uint64_t)parents[e] * 7919 % nodes);
  }
  const geodisk_graph_arrays arrays = {.nodes = nodes, .edges = edges, .children = children, .parents = parents};
  geodisk_graph *graph = NULL;
  check_ok(context, geodisk_graph_create(context, &arrays, NULL, &graph));
  free(children);
  free(parents);
  return graph;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  geodisk_context *context = context_of_one_thread();
  geodisk_graph *graph = NULL;
  check_ok(context, geodisk_graph_read(context, GEODISK_DATA_DIR "/mammals.tsv", NULL, NULL, &graph));
  compare_all(context, graph);
  geodisk_graph_destroy(graph);
  static const geodisk_generate_options made[] = {
      {.kind = GEODISK_GENERATOR_TREE, .branching = 5000, .depth = 1},                                /* a star */
      {.kind = GEODISK_GENERATOR_RECURSIVE, .nodes = 4500, .seed = 3, .shape = GEODISK_SHAPE_CLOSED}, /* a closure */
      {.kind = GEODISK_GENERATOR_GRID,
       .rows = 70,
       .columns = 70,
       .shape = GEODISK_SHAPE_UNDIRECTED},                             /* cycles, ties everywhere */
      {.kind = GEODISK_GENERATOR_TREE, .branching = 1, .depth = 2500}, /* a path over all ranks */
  };
  for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
    check_ok(context, geodisk_graph_generate(context, &made[i], &graph));
    compare_all(context, graph);
    geodisk_graph_destroy(graph);
  }
  static const struct {
    size_t nodes, edges;
    bool cycles;
  } drawn[] = {{4500, 4000, false}, {4500, 20000, false}, {4500, 4000, true}, {3, 2, false}};
  for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
    graph = random_graph(context, drawn[i].nodes, drawn[i].edges, drawn[i].cycles);
    compare_all(context, graph);
    geodisk_graph_destroy(graph);
  }
  geodisk_context_destroy(context);
  MPI_Finalize();
  return 0;
}

/* share.c - the share of a graph as an object: slicing a graph that every rank has, which node belongs to whom. */
#include "share.h"

#include "embed/placement/placement.h"
#include "exchange.h"

#include <stdlib.h>
#include <string.h>

uint32_t mpi_share_first(uint64_t nodes, int ranks, int rank) {
  const uint64_t blocks = (nodes + SHARE_BLOCK - 1) / SHARE_BLOCK;
  const uint64_t first = blocks * (uint64_t)rank / (uint64_t)ranks * SHARE_BLOCK;
  return (uint32_t)(first < nodes ? first : nodes);
}

int mpi_range_owner(uint64_t nodes, int ranks, uint32_t node) {
  const uint64_t blocks = (nodes + SHARE_BLOCK - 1) / SHARE_BLOCK, block = node / SHARE_BLOCK;
  int rank = (int)(block * (uint64_t)ranks / blocks); /* this one, or a neighbour where it was rounded */
  while (rank > 0 && node < mpi_share_first(nodes, ranks, rank))
    rank--;
  while (node >= mpi_share_first(nodes, ranks, rank + 1))
    rank++;
  return rank;
}

void mpi_share_destroy(mpi_share *share) {
  if (share == NULL)
    return;
  geodisk_free_all(share->firsts, share->offsets, share->targets, share->weights, share->in_degree, share->names,
                   share->name_starts, share);
}

mpi_share *mpi_share_empty(MPI_Comm comm, uint64_t nodes) {
  mpi_share *share = geodisk_allocate_zero(1, sizeof *share);
  if (share == NULL)
    return NULL;
  share->comm = comm;
  MPI_Comm_rank(comm, &share->rank);
  MPI_Comm_size(comm, &share->ranks);
  share->nodes = nodes;
  share->firsts = geodisk_allocate((size_t)share->ranks + 1, sizeof *share->firsts);
  if (share->firsts == NULL) {
    free(share);
    return NULL;
  }
  for (int r = 0; r <= share->ranks; r++)
    share->firsts[r] = mpi_share_first(nodes, share->ranks, r);
  share->first = share->firsts[share->rank];
  share->owned = share->firsts[share->rank + 1] - share->first;
  return share;
}

/* Copies what the share needs of the graph; false: no memory. */
static bool copy_rows(const geodisk_graph *graph, mpi_share *share) {
  const geodisk_graph_rows out = geodisk_graph_out(graph), in = geodisk_graph_in(graph);
  const uint64_t *starts;
  const char *names = geodisk_graph_names(graph, &starts);
  const size_t first = share->first, owned = share->owned;
  const uint64_t edge = out.offsets[first], name = starts[first];
  const size_t edges = (size_t)(out.offsets[first + owned] - edge), bytes = (size_t)(starts[first + owned] - name);
  share->edges = geodisk_graph_edges(graph);
  share->edges_before = edge;
  share->offsets = geodisk_allocate(owned + 1, sizeof *share->offsets);
  share->targets = geodisk_allocate(edges, sizeof *share->targets);
  share->weights = out.weights != NULL ? geodisk_allocate(edges, sizeof *share->weights) : NULL;
  share->in_degree = geodisk_allocate(owned, sizeof *share->in_degree);
  share->names = geodisk_allocate(bytes, 1);
  share->name_starts = geodisk_allocate(owned + 1, sizeof *share->name_starts);
  if (share->offsets == NULL || share->targets == NULL || (out.weights != NULL && share->weights == NULL) ||
      share->in_degree == NULL || share->names == NULL || share->name_starts == NULL)
    return false;
  for (size_t i = 0; i <= owned; i++) {
    share->offsets[i] = out.offsets[first + i] - edge;
    share->name_starts[i] = starts[first + i] - name;
  }
  for (size_t i = 0; i < owned; i++)
    share->in_degree[i] = (uint32_t)(in.offsets[first + i + 1] - in.offsets[first + i]);
  memcpy(share->targets, out.nodes + edge, edges * sizeof *share->targets);
  if (out.weights != NULL)
    memcpy(share->weights, out.weights + edge, edges * sizeof *share->weights);
  memcpy(share->names, names + name, bytes);
  share->mean_weight =
      out.weights != NULL ? embed_weights_of(out.offsets, out.weights, (size_t)share->nodes) / (double)share->edges : 1.0;
  share->fingerprint = geodisk_graph_fingerprint(graph);
  return true;
}

geodisk_status mpi_share_of_graph(geodisk_context *context, MPI_Comm comm, const geodisk_graph *graph, mpi_share **out) {
  mpi_share *share = mpi_share_empty(comm, geodisk_graph_nodes(graph));
  geodisk_status status = GEODISK_OK;
  if (share == NULL || !copy_rows(graph, share))
    status = geodisk_no_memory(context, "for a share of a graph of %zu nodes", geodisk_graph_nodes(graph));
  status = mpi_agree(context, comm, status);
  if (status == GEODISK_OK)
    *out = share;
  else
    mpi_share_destroy(share);
  return status;
}

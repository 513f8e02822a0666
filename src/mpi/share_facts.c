/* share_facts.c - whether a graph in shares is a hierarchy, and closed. */
#include "share_facts.h"

#include "exchange.h"
#include "share_forest.h"

#include <stdlib.h>
#include <string.h>

/* Edges that others imply, and how many of them are there; nodes that are nobody's target. */
typedef struct implied_edges {
  uint64_t implied, there, leaves;
} implied_edges;

/* Adds those from u over targets that this rank owns to the targets of these. */
static void count_implied(const mpi_share *share, const uint32_t *targets, size_t count, implied_edges *out) {
  for (size_t i = 0; i < count; i++) {
    const uint32_t row = targets[i] - share->first;
    if (row >= share->owned)
      continue;
    for (uint64_t e = share->offsets[row]; e < share->offsets[row + 1]; e++) {
      out->implied++;
      out->there += csr_has(targets, count, share->targets[e]);
    }
  }
}

/* The nodes that a plain process looks at and this rank owns, as words: node, count, targets; returns how many. */
static uint64_t looked_at(const mpi_share *share, uint32_t *out) {
  const uint64_t step = share->nodes / 512 + 1;
  uint64_t n = 0;
  for (uint64_t u = 0; u < share->nodes; u += step) {
    const uint64_t i = u - share->first;
    if (i >= share->owned)
      continue;
    const uint64_t first = share->offsets[i], count = share->offsets[i + 1] - first;
    if (out) {
      out[n] = (uint32_t)u;
      out[n + 1] = (uint32_t)count;
      memcpy(out + n + 2, share->targets + first, (size_t)count * sizeof *out);
    }
    n += 2 + count;
  }
  return n;
}

/* Rank by rank tells all others what it has of those nodes. */
static geodisk_status look_whether_closed(geodisk_context *context, const mpi_share *share, graph_facts *out) {
  geodisk_status status = GEODISK_OK;
  implied_edges here = {0, 0, 0};
  for (uint32_t i = 0; i < share->owned; i++)
    here.leaves += share->in_degree[i] == 0;
  for (int r = 0; r < share->ranks && status == GEODISK_OK; r++) {
    uint64_t count = r == share->rank ? looked_at(share, NULL) : 0;
    MPI_Bcast(&count, 1, MPI_UINT64_T, r, share->comm);
    uint32_t *words = geodisk_allocate((size_t)count, sizeof *words);
    if ((status = mpi_agree_memory(context, share->comm, words != NULL, "the targets of some nodes")) == GEODISK_OK) {
      if (r == share->rank)
        looked_at(share, words);
      for (uint64_t at = 0; at < count; at += 1 << 28)
        MPI_Bcast(words + at, count - at < 1 << 28 ? (int)(count - at) : 1 << 28, MPI_UINT32_T, r, share->comm);
      for (uint64_t at = 0; at < count; at += 2 + (uint64_t)words[at + 1])
        count_implied(share, words + at + 2, words[at + 1], &here);
    }
    free(words);
  }
  if (status != GEODISK_OK)
    return status;
  MPI_Allreduce(MPI_IN_PLACE, &here, 3, MPI_UINT64_T, MPI_SUM, share->comm);
  embed_judge_closed(here.implied, here.there, here.leaves, out);
  return status;
}

geodisk_status mpi_share_facts(geodisk_context *context, const mpi_share *share, graph_facts *out) {
  *out = (graph_facts){.nodes = share->nodes, .edges = share->edges};
  geodisk_status status = share_forest_acyclic(context, share, &out->acyclic);
  if (status == GEODISK_OK && out->acyclic)
    status = look_whether_closed(context, share, out);
  return status;
}

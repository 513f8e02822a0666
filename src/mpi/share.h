/* share.h - what a rank holds of a graph: the nodes it owns, a range of the numbers a plain process gives them, with their names
 * and out-edges. Internal to the mpi module. All functions but destroy and owner are collective and fail on all ranks or on none.
 */
#pragma once

#include <mpi.h>

#include "embed/checkpoint.h"
#include "geodisk/graph.h"

/* Ranges are whole blocks of this many nodes, those by which the trainer adds up (the last one takes the rest). */
enum { SHARE_BLOCK = 1024 };

typedef struct mpi_share {
  MPI_Comm comm; /* as given; not owned */
  int rank, ranks;
  uint64_t nodes, edges;        /* of the whole graph */
  uint32_t *firsts;             /* ranks + 1: rank r owns the nodes firsts[r] .. firsts[r + 1] - 1; may be none */
  uint32_t first, owned;        /* = firsts[rank], firsts[rank + 1] - firsts[rank] */
  uint64_t edges_before;        /* edges of the ranks before: edge i of this share is edge edges_before + i of the graph */
  uint64_t *offsets;            /* owned + 1, from 0: out-edges of owned nodes, as in geodisk_graph_out */
  uint32_t *targets;            /* their targets, ascending within a row */
  double *weights;              /* or NULL, on all ranks or on none */
  uint32_t *in_degree;          /* of owned nodes */
  char *names;                  /* of owned nodes, each ended by a NUL */
  uint64_t *name_starts;        /* owned + 1, from 0 */
  double mean_weight;           /* of the whole graph, as the trainer takes it; 1 without weights */
  uint64_t fingerprint;         /* geodisk_graph_fingerprint of the whole graph */
  geodisk_graph_read_info info; /* of the whole file; zero if the graph was not read */
} mpi_share;

/* Slices a graph that every rank has. Errors: MEMORY. */
geodisk_status mpi_share_of_graph(geodisk_context *context, MPI_Comm comm, const geodisk_graph *graph, mpi_share **out);

/* Reads an edge list: every rank reads a range of its bytes (of a compressed file or a pipe, rank 0 reads all and deals it out),
 * so that none needs memory for the whole graph. Numbers, edges, weights and counts are those of geodisk_graph_read, errors too,
 * with line and field; events come on rank 0 only. UNSUPPORTED: options->strict. Errors else as there. */
geodisk_status mpi_share_read(geodisk_context *context, MPI_Comm comm, const char *path,
                              const geodisk_graph_read_options *options, mpi_share **out);

/* Places the points as a plain process does, byte by byte: rows of the owned nodes (embed_stride elements each, all of them
 * written), and for each its place in the depth-first order of the hierarchy, if nodes go by it (embed_ordered_by_tree; else
 * `order` is not touched and may be NULL). rows NULL: only the order. options->start is not looked at. */
geodisk_status mpi_share_place(geodisk_context *context, const mpi_share *share, const geodisk_train_options *options, void *rows,
                               uint32_t *order);

/* Writes a checkpoint, one file with the bytes of geodisk_trainer_save: every rank writes its ranges of a temporary file, and
 * when all have flushed theirs, rank 0 puts it in place; after an error what was there before is still there. Of `c`, options,
 * history and position are the same on all ranks, rows are those of the owned nodes; the rest is filled in. Errors: those of
 * geodisk_model_write, UNSUPPORTED for what is no plain file. */
geodisk_status mpi_share_save(geodisk_context *context, const mpi_share *share, const checkpoint *c, const char *path);

/* Reads a checkpoint of the share's graph: what it says, and the rows of the owned nodes (free() them; room for one more than
 * there are). Errors: those of geodisk_trainer_resume. */
geodisk_status mpi_share_load(geodisk_context *context, const mpi_share *share, const char *path,
                              const geodisk_train_options *options, checkpoint_found *found, void **rows);

/* A share of so many nodes in all with nothing but its ranges filled in; NULL: no memory. Not collective. */
mpi_share *mpi_share_empty(MPI_Comm comm, uint64_t nodes);
void mpi_share_destroy(mpi_share *share); /* NULL is fine; not collective */

/* firsts[r] of a graph of so many nodes: blocks dealt out as evenly as they go. */
uint32_t mpi_share_first(uint64_t nodes, int ranks, int rank);

/* The rank whose range of so many nodes holds this one. */
int mpi_range_owner(uint64_t nodes, int ranks, uint32_t node);

/* The rank that owns a node. */
static inline int mpi_share_owner(const mpi_share *share, uint32_t node) {
  int low = 0, high = share->ranks;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (share->firsts[middle] <= node)
      low = middle;
    else
      high = middle;
  }
  return low;
}

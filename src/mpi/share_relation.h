/* share_relation.h - a graph in shares in terms of the points of a model in slices: rows at the ranks that have the points.
 * Internal to the mpi module; collective, but for free. */
#pragma once

#include "geodisk/vectors.h"
#include "share.h"

/* The slice of a model that a rank has: points are dealt out as nodes are (mpi_share_first). */
typedef struct model_share {
  MPI_Comm comm;
  int rank, ranks;
  uint64_t nodes; /* of the whole model */
  uint32_t first, owned;
  geodisk_model *model; /* of the owned nodes; of the first node where there are none */
} model_share;

geodisk_status model_share_read(geodisk_context *context, MPI_Comm comm, const char *path, model_share *out);
void model_share_free(model_share *share);

typedef struct share_relation {
  uint64_t *offsets; /* owned points + 1 */
  uint32_t *targets; /* numbers of points, ascending within a row */
} share_relation;

/* Nodes are found in the model by name; those that are not are an error or, with skip_missing, left out with a log event on rank
 * 0, as geodisk_relation_create does. */
geodisk_status share_relation_create(geodisk_context *context, const mpi_share *graph, const model_share *points,
                                     bool skip_missing, share_relation *out);
void share_relation_free(share_relation *relation);

/* share_sums.h - the sums of a model file that many ranks write or read. Internal to the mpi module. */
#pragma once

#include <mpi.h>

#include "vectors/slices.h"

/* On every rank the sums of the whole, from those of each in the order of ranks; a rank may bring none. Collective. */
geodisk_status mpi_join_sums(geodisk_context *context, MPI_Comm comm, const model_sums *mine, model_sums *out);

/* Whether a model file is as it was written: each rank reads its part of the bytes of every array. Fails on all ranks or on none.
 * Collective. */
geodisk_status mpi_check_sums(geodisk_context *context, MPI_Comm comm, const char *path);

/* shared_file.h - one file written by all ranks, each its ranges: there as a whole or not at all. Internal to the mpi module. */
#pragma once

#include <mpi.h>

#include "geodisk/base.h"

typedef struct shared_file {
  geodisk_context *context;
  MPI_Comm comm;
  const char *path;
  geodisk_file *file; /* rank 0: the temporary file, in which all write */
  int fd;
} shared_file;

/* Rank 0 makes a temporary file beside the path, all open it. UNSUPPORTED for what is no plain file. Collective. */
geodisk_status shared_file_open(geodisk_context *context, MPI_Comm comm, const char *path, shared_file *out);

/* Writes bytes at a place. */
geodisk_status shared_file_put(shared_file *file, uint64_t at, const void *bytes, size_t size);

/* Every rank flushes what it has written, with the status it has come to; if that is OK on all, rank 0 puts the file in place,
 * else what was there before stays. Collective. */
geodisk_status shared_file_close(shared_file *file, geodisk_status status);

/* mpi_testing.h - what the tests under mpirun share. A check that fails on one rank ends all of them: others may be waiting for
 * it in a collective call. */
#ifndef GEODISK_MPI_TESTING_H
#define GEODISK_MPI_TESTING_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "geodisk/base.h"

#if defined(__SANITIZE_ADDRESS__)
/* Keeps Open MPI's plug-ins loaded, so that what they leave behind can be told by its place from a leak of ours. */
int dlclose(void *handle);
int dlclose(void *handle) { return handle == NULL; }
#endif

#define check(condition)                                                                                                         \
  do {                                                                                                                           \
    if (!(condition)) {                                                                                                          \
      int rank_;                                                                                                                 \
      MPI_Comm_rank(MPI_COMM_WORLD, &rank_);                                                                                     \
      fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, rank_, #condition);                                    \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                                              \
    }                                                                                                                            \
  } while (0)

static inline int rank_here(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline int ranks_here(void) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

/* The call must succeed; its error is shown. */
#define check_ok(context, call)                                                                                                  \
  do {                                                                                                                           \
    if ((call) != GEODISK_OK) {                                                                                                  \
      fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, rank_here(), geodisk_context_error(context));                  \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                                              \
    }                                                                                                                            \
  } while (0)

static inline geodisk_context *context_of_one_thread(void) {
  geodisk_context *context = NULL;
  check(geodisk_context_create(1, &context) == GEODISK_OK);
  return context;
}

#endif

/* exchange.h - what the ranks do together: agree on an error, and exchange arrays of any length. Internal to the mpi module.
 *
 * Every function here but one is collective: all ranks of the communicator call it, in the same order. */
#pragma once

#include <mpi.h>

#include "geodisk/base.h"

/* The first rank whose status is not OK decides: all return its status, and its error text is on every rank's context. So a
 * collective function fails on all ranks or on none. */
geodisk_status mpi_agree(geodisk_context *context, MPI_Comm comm, geodisk_status status);

/* received[r] = what rank r has in sent[this rank]. */
void mpi_exchange_counts(MPI_Comm comm, const uint64_t *sent, uint64_t *received /* both: ranks */);

/* All to all: the elements for rank 0, then those for rank 1, ... lie one after the other in `from`, those received likewise in
 * `to`. The counts of both sides must fit (mpi_exchange_counts). Messages are cut into pieces of at most 16 MiB, so that counts
 * may be larger than an int and nothing but the two arrays takes memory. */
void mpi_exchange(MPI_Comm comm, size_t element_bytes, const void *from, const uint64_t *sent, void *to,
                  const uint64_t *received);

/* Whether threads other than the first may send, one at a time. */
bool mpi_any_thread(void);

/* The sum of `value` over the ranks before this one. */
uint64_t mpi_sum_before(MPI_Comm comm, uint64_t value);
uint64_t mpi_sum(MPI_Comm comm, uint64_t value);
uint64_t mpi_most(MPI_Comm comm, uint64_t value);

/* Where the elements for each rank begin, those for rank 0 at 0. This one is local. */
void mpi_starts(size_t ranks, const uint64_t *counts, uint64_t *starts);

/* Exchanges counts, makes room for what comes, and exchanges it: *to (free() it) has *count elements, received[r] of them from
 * rank r. Fails on all ranks or on none. */
geodisk_status mpi_deliver(geodisk_context *context, MPI_Comm comm, size_t element_bytes, const void *from, const uint64_t *sent,
                           uint64_t *received, void **to, size_t *count);

/* Agreement on whether all have the memory they asked for. */
geodisk_status mpi_agree_memory(geodisk_context *context, MPI_Comm comm, bool enough, const char *what);

#ifdef __clang_analyzer__ /* which looks at one file at a time and would not know that a rank's own failure comes back */
#define mpi_agree(context, comm, status) ((void)(context), (void)(comm), (status))
#define mpi_agree_memory(context, comm, enough, what)                                                                            \
  ((void)(context), (void)(comm), (enough) ? GEODISK_OK : GEODISK_ERROR_MEMORY)
#endif

/* exchange.c - agreement on errors, and all-to-all exchanges in pieces: rank r sends to r + 1 while it receives from r - 1, then
 * to r + 2 while it receives from r - 2, and so on, so that every rank has one partner each way at a time. */
#include "exchange.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 1 << 24, TEXT_BYTES = 2048, PIECE_TAG = 71 };

geodisk_status(mpi_agree)(geodisk_context *context, MPI_Comm comm, geodisk_status status) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int mine = status != GEODISK_OK ? rank : ranks;
  int first = ranks;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == ranks)
    return GEODISK_OK;
  struct {
    int status;
    char text[TEXT_BYTES];
  } error = {.status = (int)status};
  if (rank == first)
    strncpy(error.text, geodisk_context_error(context), TEXT_BYTES - 1);
  MPI_Bcast(&error, (int)sizeof error, MPI_BYTE, first, comm);
  return rank == first ? status : geodisk_fail(context, (geodisk_status)error.status, "%s", error.text);
}

void mpi_exchange_counts(MPI_Comm comm, const uint64_t *sent, uint64_t *received) {
  MPI_Alltoall(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, comm);
}

/* One message each way, piece by piece. */
static void exchange_pair(MPI_Comm comm, int target, const char *from, size_t sent, int source, char *to, size_t received) {
  while (sent > 0 || received > 0) {
    const size_t out = sent < PIECE_BYTES ? sent : PIECE_BYTES, in = received < PIECE_BYTES ? received : PIECE_BYTES;
    MPI_Sendrecv(from, (int)out, MPI_BYTE, out > 0 ? target : MPI_PROC_NULL, PIECE_TAG, to, (int)in, MPI_BYTE,
                 in > 0 ? source : MPI_PROC_NULL, PIECE_TAG, comm, MPI_STATUS_IGNORE);
    from = out > 0 ? from + out : from;
    to = in > 0 ? to + in : to;
    sent -= out;
    received -= in;
  }
}

/* Where the elements of rank r begin. */
static size_t elements_before(const uint64_t *counts, int r) {
  uint64_t sum = 0;
  for (int i = 0; i < r; i++)
    sum += counts[i];
  return (size_t)sum;
}

void mpi_exchange(MPI_Comm comm, size_t element_bytes, const void *from, const uint64_t *sent, void *to,
                  const uint64_t *received) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int step = 0; step < ranks; step++) {
    const int target = (rank + step) % ranks, source = (rank - step + ranks) % ranks;
    const char *out = (const char *)from + elements_before(sent, target) * element_bytes;
    char *in = (char *)to + elements_before(received, source) * element_bytes;
    if (step > 0)
      exchange_pair(comm, target, out, (size_t)sent[target] * element_bytes, source, in,
                    (size_t)received[source] * element_bytes);
    else if (sent[rank] > 0)
      memcpy(in, out, (size_t)sent[rank] * element_bytes);
  }
}

geodisk_status(mpi_agree_memory)(geodisk_context *context, MPI_Comm comm, bool enough, const char *what) {
  return mpi_agree(context, comm, enough ? GEODISK_OK : geodisk_no_memory(context, "for %s", what));
}

geodisk_status mpi_deliver(geodisk_context *context, MPI_Comm comm, size_t element_bytes, const void *from, const uint64_t *sent,
                           uint64_t *received, void **to, size_t *count) {
  int ranks;
  uint64_t sum = 0;
  MPI_Comm_size(comm, &ranks);
  mpi_exchange_counts(comm, sent, received);
  for (int r = 0; r < ranks; r++)
    sum += received[r];
  void *room = geodisk_allocate((size_t)sum, element_bytes);
  const geodisk_status status = mpi_agree_memory(context, comm, room != NULL, "what the other ranks send");
  if (status != GEODISK_OK) {
    free(room);
    return status;
  }
  mpi_exchange(comm, element_bytes, from, sent, room, received);
  *to = room;
  *count = (size_t)sum;
  return GEODISK_OK;
}

bool mpi_any_thread(void) {
  int offered = MPI_THREAD_SINGLE;
  MPI_Query_thread(&offered);
  return offered >= MPI_THREAD_SERIALIZED;
}

uint64_t mpi_sum_before(MPI_Comm comm, uint64_t value) {
  int rank;
  uint64_t sum = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Exscan(&value, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return rank == 0 ? 0 : sum; /* which rank 0's result is not */
}

uint64_t mpi_sum(MPI_Comm comm, uint64_t value) {
  uint64_t sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

uint64_t mpi_most(MPI_Comm comm, uint64_t value) {
  uint64_t most = 0;
  MPI_Allreduce(&value, &most, 1, MPI_UINT64_T, MPI_MAX, comm);
  return most;
}

void mpi_starts(size_t ranks, const uint64_t *counts, uint64_t *starts) {
  uint64_t sum = 0;
  for (size_t r = 0; r < ranks; r++) {
    starts[r] = sum;
    sum += counts[r];
  }
}

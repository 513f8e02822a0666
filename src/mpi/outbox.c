/* outbox.c - messages sorted by the ranks they are for, and sent. */
#include "outbox.h"

#include <stdlib.h>
#include <string.h>

geodisk_status outbox_create(geodisk_context *context, MPI_Comm comm, size_t element_bytes, size_t room, outbox *out) {
  outbox box = {.context = context, .comm = comm, .element_bytes = element_bytes, .room = room};
  MPI_Comm_rank(comm, &box.rank);
  MPI_Comm_size(comm, &box.ranks);
  box.messages = geodisk_allocate(room, element_bytes);
  box.sorted = geodisk_allocate(room, element_bytes);
  box.to = geodisk_allocate(room, sizeof *box.to);
  box.sent = geodisk_allocate(2 * (size_t)box.ranks, sizeof *box.sent);
  box.received = box.sent != NULL ? box.sent + box.ranks : NULL;
  *out = box;
  return mpi_agree_memory(context, comm, box.messages != NULL && box.sorted != NULL && box.to != NULL && box.sent != NULL,
                          "messages between ranks");
}

void outbox_free(outbox *box) {
  geodisk_free_all(box->messages, box->sorted, box->to, box->sent);
  *box = (outbox){.room = 0};
}

void outbox_put(outbox *box, int rank, const void *message) {
  memcpy(box->messages + box->count * box->element_bytes, message, box->element_bytes);
  box->to[box->count++] = rank;
}

geodisk_status outbox_send(outbox *box, void **came, size_t *count) {
  const size_t ranks = (size_t)box->ranks, bytes = box->element_bytes;
  uint64_t *next = box->received; /* not needed yet */
  memset(box->sent, 0, ranks * sizeof *box->sent);
  for (size_t i = 0; i < box->count; i++)
    box->sent[box->to[i]]++;
  mpi_starts(ranks, box->sent, next);
  for (size_t i = 0; i < box->count; i++)
    memcpy(box->sorted + next[box->to[i]]++ * bytes, box->messages + i * bytes, bytes);
  box->count = 0;
  return mpi_deliver(box->context, box->comm, bytes, box->sorted, box->sent, box->received, came, count);
}

bool outbox_any(const outbox *box, bool mine) {
  int here = mine, any = 0;
  MPI_Allreduce(&here, &any, 1, MPI_INT, MPI_MAX, box->comm);
  return any != 0;
}

geodisk_status outbox_rounds(outbox *box, void (*tell)(void *user), void (*hear)(void *user, const void *message), void *user) {
  for (;;) {
    tell(user);
    if (!outbox_any(box, box->count > 0))
      return GEODISK_OK;
    void *came = NULL;
    size_t count = 0;
    const geodisk_status status = outbox_send(box, &came, &count);
    if (status != GEODISK_OK)
      return status;
    for (size_t i = 0; i < count; i++)
      hear(user, (const char *)came + i * box->element_bytes);
    free(came);
  }
}

/* outbox.h - small messages to many ranks, collected and sent together. Internal to the mpi module. */
#pragma once

#include "exchange.h"

typedef struct outbox {
  geodisk_context *context;
  MPI_Comm comm;
  int rank, ranks;
  size_t element_bytes;
  size_t room, count;        /* of messages */
  char *messages, *sorted;   /* room each */
  int *to;                   /* room: whom each is for */
  uint64_t *sent, *received; /* ranks */
} outbox;

/* Room for so many messages of so many bytes. Collective. */
geodisk_status outbox_create(geodisk_context *context, MPI_Comm comm, size_t element_bytes, size_t room, outbox *out);
void outbox_free(outbox *box);

static inline bool outbox_full(const outbox *box) { return box->count == box->room; }

/* Adds a message; the box must not be full. */
void outbox_put(outbox *box, int rank, const void *message);

/* Sends all and empties the box; *came (free() it) has *count messages. Collective. */
geodisk_status outbox_send(outbox *box, void **came, size_t *count);

/* Whether it is true on any rank. Collective. */
bool outbox_any(const outbox *box, bool mine);

/* Rounds of messages until nobody has any left: `tell` puts what there is to tell into the box, until that is full; `hear` takes
 * one message that came, and may give `tell` more to do. Collective. */
geodisk_status outbox_rounds(outbox *box, void (*tell)(void *user), void (*hear)(void *user, const void *message), void *user);

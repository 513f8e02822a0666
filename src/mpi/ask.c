/* ask.c - questions sorted by who knows, sent, answered, and the answers put back in order. */
#include "ask.h"

#include <stdlib.h>
#include <string.h>

#include "outbox.h"

enum { AT_ONCE = 1 << 17, TOLD_BYTES = 1 << 21 };

typedef struct desk {
  uint64_t *sent, *received, *next; /* ranks each */
  char *sorted, *answers;           /* AT_ONCE each */
} desk;

static uint32_t key_of(const char *question) {
  uint32_t key;
  memcpy(&key, question, sizeof key);
  return key;
}

static void begin(const mpi_share *share, const uint64_t *counts, uint64_t *next) {
  for (int r = 0; r < share->ranks; r++)
    next[r] = r > 0 ? next[r - 1] + counts[r - 1] : 0;
}

static geodisk_status ask_some(geodisk_context *context, const mpi_share *share, const asking *a, const char *questions,
                               size_t count, char *answers, const desk *d) {
  void *came = NULL;
  size_t asked = 0;
  memset(d->sent, 0, (size_t)share->ranks * sizeof *d->sent);
  for (size_t i = 0; i < count; i++)
    d->sent[mpi_share_owner(share, key_of(questions + i * a->question_bytes))]++;
  begin(share, d->sent, d->next);
  for (size_t i = 0; i < count; i++) {
    const char *q = questions + i * a->question_bytes;
    memcpy(d->sorted + d->next[mpi_share_owner(share, key_of(q))]++ * a->question_bytes, q, a->question_bytes);
  }
  geodisk_status st = mpi_deliver(context, share->comm, a->question_bytes, d->sorted, d->sent, d->received, &came, &asked);
  if (st != GEODISK_OK)
    return st;
  char *told = geodisk_allocate(asked, a->answer_bytes);
  if ((st = mpi_agree_memory(context, share->comm, told != NULL, "answers to other ranks")) == GEODISK_OK) {
    for (size_t i = 0; i < asked; i++)
      a->answer(a->user, (const char *)came + i * a->question_bytes, told + i * a->answer_bytes);
    mpi_exchange(share->comm, a->answer_bytes, told, d->received, d->answers, d->sent);
    begin(share, d->sent, d->next);
    for (size_t i = 0; i < count; i++) {
      const int owner = mpi_share_owner(share, key_of(questions + i * a->question_bytes));
      memcpy(answers + i * a->answer_bytes, d->answers + d->next[owner]++ * a->answer_bytes, a->answer_bytes);
    }
  }
  geodisk_free_all(came, told);
  return st;
}

geodisk_status mpi_ask(geodisk_context *context, const mpi_share *share, const asking *a, const void *questions, size_t count,
                       void *answers) {
  const size_t ranks = (size_t)share->ranks;
  const uint64_t turns = mpi_most(share->comm, (count + AT_ONCE - 1) / AT_ONCE);
  desk d = {geodisk_allocate(3 * ranks, sizeof *d.sent), NULL, NULL, geodisk_allocate(AT_ONCE, a->question_bytes),
            geodisk_allocate(AT_ONCE, a->answer_bytes)};
  geodisk_status st = mpi_agree_memory(context, share->comm, d.sent && d.sorted && d.answers, "questions to other ranks");
  if (st == GEODISK_OK) {
    d.received = d.sent + ranks;
    d.next = d.sent + 2 * ranks;
  }
  for (uint64_t turn = 0; turn < turns && st == GEODISK_OK; turn++) {
    const size_t first = turn * AT_ONCE < count ? (size_t)turn * AT_ONCE : count, left = count - first;
    st = ask_some(context, share, a, (const char *)questions + first * a->question_bytes, left < AT_ONCE ? left : AT_ONCE,
                  (char *)answers + first * a->answer_bytes, &d);
  }
  geodisk_free_all(d.sent, d.sorted, d.answers);
  return st;
}

geodisk_status mpi_tell(geodisk_context *context, const mpi_share *share, const telling *t, size_t count) {
  outbox box;
  char *message = geodisk_allocate(1, t->message_bytes);
  geodisk_status st = outbox_create(context, share->comm, t->message_bytes, TOLD_BYTES / t->message_bytes + 1, &box);
  if (st == GEODISK_OK)
    st = mpi_agree_memory(context, share->comm, message != NULL, "messages between ranks");
  for (size_t i = 0; st == GEODISK_OK;) {
    for (; i < count && !outbox_full(&box); i++) {
      t->message(t->user, i, message);
      outbox_put(&box, mpi_share_owner(share, key_of(message)), message);
    }
    void *came = NULL;
    size_t heard = 0;
    if (!outbox_any(&box, box.count > 0))
      break;
    if ((st = outbox_send(&box, &came, &heard)) != GEODISK_OK)
      break;
    for (size_t k = 0; k < heard; k++)
      t->hear(t->user, (const char *)came + k * t->message_bytes);
    free(came);
  }
  outbox_free(&box);
  free(message);
  return st;
}

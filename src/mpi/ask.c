/* ask.c - questions sorted by who knows, sent, answered, and the answers put back in order. */
#include "ask.h"

#include <stdlib.h>
#include <string.h>

#include "outbox.h"

enum { AT_ONCE = 1 << 17, TOLD_BYTES = 1 << 21 };

typedef struct desk {
  uint64_t *sent, *received, *next; /* ranks each */
  uint32_t *sorted;                 /* AT_ONCE questions */
  char *answers;                    /* AT_ONCE */
} desk;

static geodisk_status ask_some(geodisk_context *context, const mpi_share *share, const asking *a, const uint32_t *questions,
                               size_t count, char *answers, const desk *d) {
  const size_t words = a->question_words, ranks = (size_t)share->ranks;
  void *came = NULL;
  size_t asked = 0;
  memset(d->sent, 0, ranks * sizeof *d->sent);
  for (size_t i = 0; i < count; i++)
    d->sent[mpi_share_owner(share, questions[i * words])]++;
  mpi_starts(ranks, d->sent, d->next);
  for (size_t i = 0; i < count; i++) {
    const uint32_t *q = questions + i * words;
    memcpy(d->sorted + d->next[mpi_share_owner(share, *q)]++ * words, q, words * sizeof *q);
  }
  geodisk_status st =
      mpi_deliver(context, share->comm, words * sizeof *questions, d->sorted, d->sent, d->received, &came, &asked);
  if (st != GEODISK_OK)
    return st;
  char *told = geodisk_allocate(asked, a->answer_bytes);
  if ((st = mpi_agree_memory(context, share->comm, told != NULL, "answers to other ranks")) == GEODISK_OK) {
    for (size_t i = 0; i < asked; i++)
      a->answer(a->user, (const uint32_t *)came + i * words, told + i * a->answer_bytes);
    mpi_exchange(share->comm, a->answer_bytes, told, d->received, d->answers, d->sent);
    mpi_starts(ranks, d->sent, d->next);
    for (size_t i = 0; i < count; i++) {
      const int owner = mpi_share_owner(share, questions[i * words]);
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
  desk d = {geodisk_allocate(3 * ranks, sizeof *d.sent), NULL, NULL,
            geodisk_allocate(AT_ONCE, a->question_words * sizeof *d.sorted), geodisk_allocate(AT_ONCE, a->answer_bytes)};
  geodisk_status st = mpi_agree_memory(context, share->comm, d.sent && d.sorted && d.answers, "questions to other ranks");
  if (st == GEODISK_OK) {
    d.received = d.sent + ranks;
    d.next = d.sent + 2 * ranks;
  }
  for (uint64_t turn = 0; turn < turns && st == GEODISK_OK; turn++) {
    const size_t first = turn * AT_ONCE < count ? (size_t)turn * AT_ONCE : count, left = count - first;
    st = ask_some(context, share, a, (const uint32_t *)questions + first * a->question_words, left < AT_ONCE ? left : AT_ONCE,
                  (char *)answers + first * a->answer_bytes, &d);
  }
  geodisk_free_all(d.sent, d.sorted, d.answers);
  return st;
}

typedef struct told {
  const mpi_share *share;
  const telling *what;
  size_t next, count;
  void *message;
  outbox box;
} told;

static void tell(void *user) {
  told *t = user;
  for (; t->next < t->count && !outbox_full(&t->box); t->next++) {
    t->what->message(t->what->user, t->next, t->message);
    outbox_put(&t->box, mpi_share_owner(t->share, *(const uint32_t *)t->message), t->message);
  }
}

static void hear(void *user, const void *message) {
  const told *t = user;
  t->what->hear(t->what->user, message);
}

geodisk_status mpi_tell(geodisk_context *context, const mpi_share *share, const telling *what, size_t count) {
  told t = {.share = share, .what = what, .count = count, .message = geodisk_allocate(1, what->message_bytes)};
  geodisk_status st = outbox_create(context, share->comm, what->message_bytes, TOLD_BYTES / what->message_bytes + 1, &t.box);
  if (st == GEODISK_OK)
    st = mpi_agree_memory(context, share->comm, t.message != NULL, "messages between ranks");
  if (st == GEODISK_OK)
    st = outbox_rounds(&t.box, tell, hear, &t);
  outbox_free(&t.box);
  free(t.message);
  return st;
}

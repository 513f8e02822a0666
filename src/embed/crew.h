/* crew.h - threads and their rooms: what back-ends with threads have in common. */
#pragma once

#include <stdatomic.h>
#include <string.h>

#include "backend.h"

typedef struct embed_worker {
  drawn_block drawn[2]; /* the one that is pulled, and the next */
  void *scratch, *sums; /* of the kernel: sums of candidates, int32_t of float kernels, else int64_t; zero between blocks */
  uint32_t *pulled, *list;
  tally sum;
} embed_worker;

typedef struct embed_crew {
  size_t candidates; /* of a block: what there is room for */
  int count;
  embed_worker *workers;
  atomic_bool *busy;
} embed_crew;

bool embed_crew_create(const geodisk_trainer *t, size_t candidates, embed_crew *out); /* false: out of memory; destroy it too */
void embed_crew_destroy(embed_crew *c);
embed_worker *embed_crew_take(embed_crew *c); /* one that no other thread has; there are as many as threads */
void embed_crew_give(embed_crew *c, const embed_worker *w);
void embed_crew_tally(embed_crew *c, tally *sum); /* adds what all have counted, and forgets it */
/* The pulls of a block, of which units and candidates are given, on t->rows. False: out of memory. */
bool embed_crew_pull(const geodisk_trainer *t, const train_rule *rule, embed_worker *w, train_block *b, train_result *result);
void embed_crew_move(const geodisk_trainer *t, const train_rule *rule, embed_worker *w, const train_moves *moves);

/* What a candidate was pulled becomes the sum of its row (first), or is added to it; its own becomes zero. */
static inline void embed_crew_add(const geodisk_trainer *t, const train_block *b, uint32_t candidate, int64_t *to, bool first) {
  const bool narrow = t->kernel && is_single(&t->options); /* sums of a block have 32 bits */
  char *from = (char *)b->sums + candidate * t->stride * (narrow ? sizeof(int32_t) : sizeof(int64_t));
  b->pulled[candidate] = 0;
  (narrow ? t->kernel->add_f : t->kernel ? t->kernel->add_d : embed_plain_add)(t->stride, from, to, first);
}

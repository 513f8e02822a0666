/* crew.c - threads that pull blocks and move rows, each with room of its own; and the same by the plain loop, where there are no
 * kernels. What back-ends with threads have in common. */
#include "crew.h"

#include <stdlib.h>
#include <string.h>

static void destroy_worker(embed_worker *w) {
  embed_drawn_destroy(&w->drawn[0]);
  embed_drawn_destroy(&w->drawn[1]);
  geodisk_free_all(w->scratch, w->sums, w->pulled, w->list);
}

static bool create_worker(const geodisk_trainer *t, size_t candidates, embed_worker *w) {
  const size_t scratch = (train_scratch_bytes(candidates, t->stride) + 63) / 64 * 64,
               sums = (candidates * t->stride * sizeof(int64_t) + 63) / 64 * 64;
  const bool first = embed_drawn_create(t, candidates, &w->drawn[0]),
             drawn = embed_drawn_create(t, candidates, &w->drawn[1]) && first;
  w->scratch = aligned_alloc(64, scratch);
  w->sums = aligned_alloc(64, sums);
  w->pulled = geodisk_allocate_zero(candidates, sizeof *w->pulled);
  w->list = geodisk_allocate(candidates + 1, sizeof *w->list);
  if (w->scratch) /* vectors are read whole: what lies beyond the last number is ignored, but never unset */
    memset(w->scratch, 0, scratch);
  if (w->sums)
    memset(w->sums, 0, sums);
  return drawn && w->scratch && w->sums && w->pulled && w->list;
}

bool embed_crew_create(const geodisk_trainer *t, size_t candidates, embed_crew *c) {
  *c = (embed_crew){.candidates = candidates, .count = geodisk_context_threads(t->context)};
  c->workers = geodisk_allocate_zero((size_t)c->count, sizeof *c->workers);
  c->busy = geodisk_allocate_zero((size_t)c->count, sizeof *c->busy);
  bool memory = c->workers && c->busy;
  for (int i = 0; i < c->count && memory; i++)
    memory = create_worker(t, candidates, &c->workers[i]);
  return memory;
}

void embed_crew_destroy(embed_crew *c) {
  for (int i = 0; c->workers && i < c->count; i++)
    destroy_worker(&c->workers[i]);
  geodisk_free_all(c->workers, c->busy);
}

embed_worker *embed_crew_take(embed_crew *c) {
  for (int i = 0;; i = (i + 1) % c->count) {
    bool free_one = false;
    if (atomic_compare_exchange_strong(&c->busy[i], &free_one, true))
      return &c->workers[i];
  }
}

void embed_crew_give(embed_crew *c, const embed_worker *w) { atomic_store(&c->busy[w - c->workers], false); }

void embed_crew_tally(embed_crew *c, tally *sum) {
  for (int i = 0; i < c->count; i++) {
    embed_add_tally(sum, &c->workers[i].sum);
    c->workers[i].sum = (tally){0};
  }
}

bool embed_crew_pull(const geodisk_trainer *t, const train_rule *rule, embed_worker *w, train_block *b, train_result *result) {
  const bool single = is_single(&t->options);
  *result = (train_result){0};
  b->rows = t->rows;
  b->scratch = w->scratch;
  b->sums = w->sums;
  b->pulled = w->pulled;
  b->list = w->list;
  if (!t->kernel)
    return embed_plain_pulls(rule, single, b, result);
  (single ? t->kernel->pulls_f : t->kernel->pulls_d)(rule, b, result);
  return true;
}

void embed_crew_move(const geodisk_trainer *t, const train_rule *rule, embed_worker *w, const train_moves *moves) {
  const bool single = is_single(&t->options);
  train_moved moved = {0};
  if (t->kernel)
    (single ? t->kernel->moves_f : t->kernel->moves_d)(rule, moves, &moved);
  else
    embed_plain_moves(rule, single, moves, &moved);
  const tally one = {.clips = moved.clips, .bad = moved.bad, .bad_node = moved.bad_row};
  embed_add_tally(&w->sum, &one);
}

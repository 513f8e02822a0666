/* threads.c - the loop on threads and vector kernels, to the bytes of plain.c.
 *
 * Workers take blocks of a batch; what a block pulls is added to sums that all share. Sums exist only for rows that a batch
 * pulls: they get numbers ("slots") as they come. Which row gets which is left to chance; nothing depends on it. A worker draws a
 * block before it pulls the one before, so that rows are fetched meanwhile. When all blocks are done, workers move the rows, slot
 * by slot. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "trainer.h"

enum { UNITS_AT_ONCE = 64, SLOTS_PER_TASK = 128, SLOTS_AT_ONCE = 64, SLOTS_AHEAD = 12 };
#define BEING_ADDED UINT32_MAX

/* Slots that a worker has taken, to be given to nodes: many at once, so that workers do not wait for each other. */
typedef struct slot_run {
  _Alignas(64) uint32_t next;
  uint32_t end;
} slot_run;

typedef struct crew {
  embed_crew base;
  size_t slot_room;          /* what there is room for */
  _Atomic uint32_t *slot_of; /* nodes: slot + 1, or 0; BEING_ADDED: a worker has it */
  uint32_t *node_of;         /* slots; NO_NODE: given to nobody */
  int64_t *sums;             /* slots x stride */
  atomic_uint used;
  atomic_uint_fast64_t taken; /* blocks of the batch */
  slot_run *runs;             /* of each worker */
  bool alone;                 /* the batch at hand is done by one thread */
} crew;

/* ---- creation ---- */

static void destroy_crew(crew *c) {
  if (!c)
    return;
  embed_crew_destroy(&c->base);
  free((void *)c->slot_of);
  free(c->node_of);
  free(c->runs);
  free(c->sums);
  free(c);
}

void embed_threads_destroy(geodisk_trainer *t) {
  destroy_crew(t->own);
  t->own = NULL;
}

/* Slots that a batch can need: never more than nodes, and what workers have taken for nothing. */
static size_t most_slots(const geodisk_trainer *t, const epoch_plan *plan, size_t candidates) {
  const uint64_t blocks = embed_batch_blocks(plan);
  const size_t most = blocks < t->nodes / candidates + 1 ? (size_t)blocks * candidates : t->nodes;
  return (most < t->nodes ? most : t->nodes) + (size_t)geodisk_context_threads(t->context) * SLOTS_AT_ONCE;
}

static bool create_crew(const geodisk_trainer *t, size_t candidates, size_t slots, crew *c) {
  const bool memory = embed_crew_create(t, candidates, &c->base);
  c->slot_room = slots;
  c->slot_of = embed_allocate_rows(t->nodes * sizeof *c->slot_of);
  c->node_of = geodisk_allocate(slots, sizeof *c->node_of);
  c->sums = embed_allocate_rows(slots * t->stride * sizeof *c->sums); /* pages that are never touched cost nothing */
  c->runs = aligned_alloc(_Alignof(slot_run), (size_t)c->base.count * sizeof *c->runs);
  if (c->slot_of)
    memset((void *)c->slot_of, 0, t->nodes * sizeof *c->slot_of);
  return memory && c->slot_of && c->node_of && c->sums && c->runs;
}

static crew *crew_of(geodisk_trainer *t, const epoch_plan *plan) {
  const size_t candidates = embed_most_candidates(t, plan), slots = most_slots(t, plan, candidates);
  crew *c = t->own;
  if (c && c->base.candidates >= candidates && c->slot_room >= slots)
    return c;
  embed_threads_destroy(t);
  c = geodisk_allocate_zero(1, sizeof *c);
  if (c && !create_crew(t, candidates, slots, c)) {
    destroy_crew(c);
    c = NULL;
  }
  t->own = c;
  return c;
}

/* ---- pulls ---- */

static uint32_t next_slot(crew *c, slot_run *r, uint32_t node) {
  if (r->next == r->end) {
    r->next = atomic_fetch_add(&c->used, SLOTS_AT_ONCE);
    r->end = r->next + SLOTS_AT_ONCE;
  }
  c->node_of[r->next] = node;
  return r->next++;
}

/* The slot of a node + 1, or 0: the caller alone has it until it puts it back. */
static uint32_t take_slot(crew *c, uint32_t node) {
  uint32_t slot = atomic_load_explicit(&c->slot_of[node], memory_order_relaxed);
  while (!c->alone && (slot == BEING_ADDED || (slot = atomic_exchange(&c->slot_of[node], BEING_ADDED)) == BEING_ADDED))
    slot = atomic_load_explicit(&c->slot_of[node], memory_order_relaxed);
  return slot;
}

/* What workers have left of their slots. */
static void end_runs(crew *c) {
  for (int i = 0; i < c->base.count; i++) {
    slot_run *r = &c->runs[i];
    if (r->end == atomic_load(&c->used))
      atomic_store(&c->used, r->next);
    else
      while (r->next < r->end)
        c->node_of[r->next++] = NO_NODE;
  }
}

/* What a block pulled, from its candidates to the sums of their rows. */
static void keep_sums(const geodisk_trainer *t, crew *c, slot_run *r, const train_block *b) {
  for (size_t i = 0; i < b->listed; i++) {
    if (i + SLOTS_AHEAD < b->listed)
      __builtin_prefetch((const void *)&c->slot_of[b->index[b->list[i + SLOTS_AHEAD]]], 1);
    const uint32_t node = b->index[b->list[i]], had = take_slot(c, node), slot = had ? had - 1 : next_slot(c, r, node);
    embed_crew_add(t, b, b->list[i], c->sums + (size_t)slot * t->stride, had == 0);
    atomic_store_explicit(&c->slot_of[node], slot + 1, memory_order_release);
  }
}

typedef struct job {
  geodisk_trainer *t;
  const epoch_plan *plan;
  crew *crew;
  uint64_t batch, at_once; /* at_once: blocks that a worker takes */
} job;

/* Blocks that a worker has taken and not drawn. */
typedef struct block_run {
  uint64_t next, end;
} block_run;

/* The next block that has units; false: all have been taken. */
static bool draw_next(const job *j, block_run *run, drawn_block *d) {
  const uint64_t blocks = embed_batch_blocks(j->plan);
  for (d->units = 0; d->units == 0;) {
    if (run->next == run->end) {
      run->next = atomic_fetch_add(&j->crew->taken, j->at_once);
      run->end = run->next + j->at_once;
    }
    if (run->next >= blocks)
      return false;
    const uint64_t block = embed_block_at(j->t, j->plan, j->batch, run->next++);
    if (block != UINT64_MAX)
      embed_draw_block(j->t, j->plan, block, d);
  }
  return true;
}

static void pull_block(const job *j, embed_worker *w, const drawn_block *d, const drawn_block *next) {
  train_block b = {.units = d->units, .unit = d->unit, .candidates = d->candidates, .index = d->node};
  train_result result;
  if (next) {
    b.next = next->node;
    b.nexts = next->candidates;
  }
  (void)embed_crew_pull(j->t, &j->plan->rule, w, &b, &result); /* kernels need no memory */
  tally one = {.loss = result.loss, .edges = result.edges, .skipped = result.skipped, .pairs = result.pairs, .bad = result.bad};
  if (result.bad)
    one.bad_node = d->node[d->unit[result.bad_unit].source];
  embed_add_tally(&w->sum, &one);
  keep_sums(j->t, j->crew, &j->crew->runs[w - j->crew->base.workers], &b);
}

/* What one worker takes of the batch. Kernels round to nearest and keep small numbers: the epoch and the context's threads have
 * seen to it. */
static void pull_blocks(void *arg, size_t task) {
  const job *j = arg;
  embed_worker *w = embed_crew_take(&j->crew->base);
  block_run run = {0, 0};
  int at = 0;
  (void)task;
  for (bool more = draw_next(j, &run, &w->drawn[0]); more; at ^= 1) {
    more = draw_next(j, &run, &w->drawn[at ^ 1]);
    pull_block(j, w, &w->drawn[at], more ? &w->drawn[at ^ 1] : NULL);
  }
  embed_crew_give(&j->crew->base, w);
}

/* ---- steps ---- */

static void move_slots(void *arg, size_t task) {
  const job *j = arg;
  crew *c = j->crew;
  embed_worker *w = embed_crew_take(&c->base);
  const size_t first = task * SLOTS_PER_TASK, used = atomic_load(&c->used), left = used - first,
               count = left < SLOTS_PER_TASK ? left : SLOTS_PER_TASK;
  for (size_t i = first, run = 0; i < first + count; i += run + 1) { /* runs of slots that have nodes */
    for (run = 0; i + run < first + count && c->node_of[i + run] != NO_NODE; run++)
      atomic_store_explicit(&c->slot_of[c->node_of[i + run]], 0, memory_order_relaxed);
    const train_moves moves = {run, c->node_of + i, j->t->rows, c->sums + i * j->t->stride};
    if (run > 0)
      embed_crew_move(j->t, &j->plan->rule, w, &moves);
  }
  embed_crew_give(&c->base, w);
}

bool embed_threads_batch(geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, tally *sum) {
  crew *c = crew_of(t, plan);
  if (!c)
    return false;
  const job j = {t, plan, c, batch, plan->block_units < UNITS_AT_ONCE ? UNITS_AT_ONCE / plan->block_units : 1};
  /* a small batch is done before others have woken up */
  geodisk_context *helpers = embed_batch_blocks(plan) * plan->block_units * (plan->far + 16u) >= 1u << 15 ? t->context : NULL;
  c->alone = !helpers || c->base.count == 1;
  atomic_store(&c->used, 0);
  atomic_store(&c->taken, 0);
  memset(c->runs, 0, (size_t)c->base.count * sizeof *c->runs);
  geodisk_parallel(helpers, c->alone ? 1 : (size_t)c->base.count, pull_blocks, (void *)&j);
  embed_crew_tally(&c->base, sum);
  end_runs(c);
  if (sum->bad)
    return true;
  geodisk_parallel(helpers, ((size_t)atomic_load(&c->used) + SLOTS_PER_TASK - 1) / SLOTS_PER_TASK, move_slots, (void *)&j);
  embed_crew_tally(&c->base, sum);
  return true;
}

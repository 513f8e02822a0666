/* threads.c - the loop on threads and vector kernels, to the bytes of plain.c.
 *
 * Workers take blocks of a batch; each adds what its blocks pull to sums of its own. Sums exist only for rows that a batch pulls:
 * they get numbers ("slots") as they come, the same for all workers. Which row gets which is left to chance; nothing depends on
 * it. When all blocks are done, workers move the rows, slot by slot, and leave the sums zero. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "trainer.h"

enum { UNITS_PER_TASK = 64, SLOTS_PER_TASK = 128 };
#define BEING_GIVEN UINT32_MAX

typedef struct crew {
  embed_crew base;
  size_t slot_room;          /* what there is room for */
  _Atomic uint32_t *slot_of; /* nodes: slot + 1, or 0 */
  uint32_t *node_of;         /* slots */
  atomic_uint used;
  int64_t **parts; /* of each worker: slots x stride */
  bool alone;      /* the batch at hand is done by one thread, which is the first worker */
} crew;

/* ---- creation ---- */

static void destroy_crew(crew *c) {
  if (!c)
    return;
  for (int i = 0; c->parts && i < c->base.count; i++)
    free(c->parts[i]);
  embed_crew_destroy(&c->base);
  free((void *)c->slot_of);
  free(c->node_of);
  free(c->parts);
  free(c);
}

void embed_threads_destroy(geodisk_trainer *t) {
  destroy_crew(t->own);
  t->own = NULL;
}

/* Slots that a batch can need: never more than nodes. */
static size_t most_slots(const geodisk_trainer *t, const epoch_plan *plan, size_t candidates) {
  const uint64_t blocks = embed_batch_blocks(plan);
  const size_t most = blocks < t->nodes / candidates + 1 ? (size_t)blocks * candidates : t->nodes;
  return most < t->nodes ? most : t->nodes;
}

static bool create_crew(const geodisk_trainer *t, size_t candidates, size_t slots, crew *c) {
  bool memory = embed_crew_create(t, candidates, &c->base);
  c->slot_room = slots;
  c->parts = geodisk_allocate_zero((size_t)c->base.count, sizeof *c->parts);
  c->slot_of = geodisk_allocate_zero(t->nodes, sizeof *c->slot_of);
  c->node_of = geodisk_allocate(slots, sizeof *c->node_of);
  memory = memory && c->parts && c->slot_of && c->node_of;
  for (int i = 0; i < c->base.count && memory; i++) {
    c->parts[i] = geodisk_allocate_zero(slots, t->stride * sizeof **c->parts); /* pages that are never touched cost nothing */
    memory = c->parts[i] != NULL;
  }
  return memory;
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

static uint32_t slot_alone(crew *c, uint32_t node) {
  uint32_t slot = atomic_load_explicit(&c->slot_of[node], memory_order_relaxed);
  if (slot == 0) {
    slot = atomic_load_explicit(&c->used, memory_order_relaxed) + 1;
    c->node_of[slot - 1] = node;
    atomic_store_explicit(&c->slot_of[node], slot, memory_order_relaxed);
    atomic_store_explicit(&c->used, slot, memory_order_relaxed);
  }
  return slot - 1;
}

/* The slot of a node; the first to ask gives it one. */
static uint32_t slot_of(crew *c, uint32_t node) {
  if (c->alone) /* as in very small batches, where atomic exchanges would take a tenth of the time */
    return slot_alone(c, node);
  uint32_t slot = atomic_load_explicit(&c->slot_of[node], memory_order_acquire);
  if (slot == 0 && atomic_compare_exchange_strong(&c->slot_of[node], &slot, BEING_GIVEN)) {
    const uint32_t mine = atomic_fetch_add(&c->used, 1);
    c->node_of[mine] = node;
    atomic_store_explicit(&c->slot_of[node], mine + 1, memory_order_release);
    return mine;
  }
  while (slot == 0 || slot == BEING_GIVEN)
    slot = atomic_load_explicit(&c->slot_of[node], memory_order_acquire);
  return slot - 1;
}

static void pull_block(const geodisk_trainer *t, const epoch_plan *plan, crew *c, embed_worker *w, uint64_t block) {
  drawn_block *d = &w->drawn;
  embed_draw_block(t, plan, block, d);
  if (d->units == 0)
    return;
  train_block b = {.units = d->units, .unit = d->unit, .candidates = d->candidates, .index = d->node};
  train_result result;
  (void)embed_crew_pull(t, &plan->rule, w, &b, &result); /* kernels need no memory */
  tally one = {.loss = result.loss, .edges = result.edges, .skipped = result.skipped, .pairs = result.pairs, .bad = result.bad};
  if (result.bad)
    one.bad_node = d->node[d->unit[result.bad_unit].source];
  embed_add_tally(&w->sum, &one);
  int64_t *sums = c->parts[w - c->base.workers];
  for (size_t i = 0; i < b.listed; i++)
    embed_crew_add(t, &b, b.list[i], sums + (size_t)slot_of(c, d->node[b.list[i]]) * t->stride);
}

typedef struct job {
  geodisk_trainer *t;
  const epoch_plan *plan;
  crew *crew;
  uint64_t batch, blocks; /* blocks: of a task */
} job;

/* Kernels round to nearest and keep small numbers: the epoch and the context's threads have seen to it. */
static void pull_blocks(void *arg, size_t task) {
  const job *j = arg;
  embed_worker *w = embed_crew_take(&j->crew->base);
  const uint64_t blocks = embed_batch_blocks(j->plan);
  for (uint64_t i = task * j->blocks; i < (task + 1) * j->blocks && i < blocks; i++) {
    const uint64_t block = embed_block_at(j->t, j->plan, j->batch, i);
    if (block != UINT64_MAX)
      pull_block(j->t, j->plan, j->crew, w, block);
  }
  embed_crew_give(&j->crew->base, w);
}

/* ---- steps ---- */

static void move_slots(void *arg, size_t task) {
  const job *j = arg;
  crew *c = j->crew;
  embed_worker *w = embed_crew_take(&c->base);
  const size_t first = task * SLOTS_PER_TASK, used = atomic_load(&c->used),
               end = used - first < SLOTS_PER_TASK ? used : first + SLOTS_PER_TASK;
  for (size_t i = first; i < end; i++)
    atomic_store_explicit(&c->slot_of[c->node_of[i]], 0, memory_order_relaxed);
  const train_moves moves = {end - first, c->node_of + first, j->t->rows, c->parts, c->alone ? 1 : (size_t)c->base.count, first};
  embed_crew_move(j->t, &j->plan->rule, w, &moves);
  embed_crew_give(&c->base, w);
}

bool embed_threads_batch(geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, tally *sum) {
  crew *c = crew_of(t, plan);
  if (!c)
    return false;
  const job j = {t, plan, c, batch, plan->block_units < UNITS_PER_TASK ? UNITS_PER_TASK / plan->block_units : 1};
  const size_t tasks = (size_t)((embed_batch_blocks(plan) + j.blocks - 1) / j.blocks);
  /* a small batch is done before others have woken up */
  geodisk_context *helpers = embed_batch_blocks(plan) * plan->block_units * (plan->far + 16u) >= 1u << 15 ? t->context : NULL;
  c->alone = !helpers || c->base.count == 1;
  atomic_store(&c->used, 0);
  geodisk_parallel(helpers, tasks, pull_blocks, (void *)&j);
  embed_crew_tally(&c->base, sum);
  if (sum->bad)
    return true;
  geodisk_parallel(helpers, ((size_t)atomic_load(&c->used) + SLOTS_PER_TASK - 1) / SLOTS_PER_TASK, move_slots, (void *)&j);
  embed_crew_tally(&c->base, sum);
  return true;
}

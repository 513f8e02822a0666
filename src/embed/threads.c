/* threads.c - the loop on threads and vector kernels, to the bytes of plain.c.
 *
 * Workers take blocks of a batch; each adds what its blocks pull to sums of its own. Sums exist only for rows that a batch pulls:
 * they get numbers ("slots") as they come, the same for all workers. Which row gets which is left to chance; nothing depends on
 * it. When all blocks are done, workers move the rows, slot by slot, and leave the sums zero. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "trainer.h"

enum { UNITS_PER_TASK = 64, SLOTS_PER_TASK = 128 };
#define BEING_GIVEN UINT32_MAX

typedef struct worker {
  drawn_block drawn;
  void *scratch, *sums; /* of the kernel: sums of candidates */
  uint32_t *pulled, *list;
  int64_t *slots; /* slots x stride */
  tally sum;
} worker;

typedef struct crew {
  size_t candidates, slot_room; /* what there is room for */
  int count;
  worker *workers;
  atomic_bool *busy;
  _Atomic uint32_t *slot_of; /* nodes: slot + 1, or 0 */
  uint32_t *node_of;         /* slots */
  atomic_uint used;
  int64_t **parts; /* the workers' slots */
  bool alone;      /* the batch at hand is done by one thread, which is the first worker */
} crew;

/* ---- creation ---- */

static void destroy_worker(worker *w) {
  embed_drawn_destroy(&w->drawn);
  free(w->scratch);
  free(w->sums);
  free(w->pulled);
  free(w->list);
  free(w->slots);
}

static void destroy_crew(crew *c) {
  if (!c)
    return;
  for (int i = 0; c->workers && i < c->count; i++)
    destroy_worker(&c->workers[i]);
  free(c->workers);
  free(c->busy);
  free((void *)c->slot_of);
  free(c->node_of);
  free(c->parts);
  free(c);
}

void embed_threads_destroy(geodisk_trainer *t) {
  destroy_crew(t->own);
  t->own = NULL;
}

static bool create_worker(const geodisk_trainer *t, const crew *c, worker *w) {
  const size_t lines = (train_scratch_bytes(c->candidates, t->stride) + 63) / 64, sums = c->candidates * row_bytes(t);
  const bool drawn = embed_drawn_create(t, c->candidates, &w->drawn);
  w->scratch = aligned_alloc(64, 64 * lines);
  w->sums = aligned_alloc(64, (sums + 63) / 64 * 64);
  w->pulled = geodisk_allocate_zero(c->candidates, sizeof *w->pulled);
  w->list = geodisk_allocate(c->candidates + 1, sizeof *w->list);
  w->slots = geodisk_allocate_zero(c->slot_room, t->stride * sizeof *w->slots); /* pages that are never touched cost nothing */
  if (w->scratch) /* vectors are read whole: what lies beyond the last number is ignored, but never unset */
    memset(w->scratch, 0, 64 * lines);
  if (w->sums)
    memset(w->sums, 0, sums);
  return drawn && w->scratch && w->sums && w->pulled && w->list && w->slots;
}

/* Slots that a batch can need: never more than nodes. */
static size_t most_slots(const geodisk_trainer *t, const epoch_plan *plan, size_t candidates) {
  const uint64_t blocks = embed_batch_blocks(plan);
  return blocks < t->nodes / candidates + 1 ? (size_t)blocks * candidates : t->nodes;
}

static crew *crew_of(geodisk_trainer *t, const epoch_plan *plan) {
  const size_t candidates = embed_most_candidates(t, plan);
  size_t slots = most_slots(t, plan, candidates);
  slots = slots < t->nodes ? slots : t->nodes;
  crew *c = t->own;
  if (c && c->candidates >= candidates && c->slot_room >= slots)
    return c;
  embed_threads_destroy(t);
  c = geodisk_allocate_zero(1, sizeof *c);
  if (!c)
    return NULL;
  *c = (crew){.candidates = candidates, .slot_room = slots, .count = geodisk_context_threads(t->context)};
  c->workers = geodisk_allocate_zero((size_t)c->count, sizeof *c->workers);
  c->busy = geodisk_allocate_zero((size_t)c->count, sizeof *c->busy);
  c->parts = geodisk_allocate((size_t)c->count, sizeof *c->parts);
  c->slot_of = geodisk_allocate_zero(t->nodes, sizeof *c->slot_of);
  c->node_of = geodisk_allocate(slots, sizeof *c->node_of);
  bool memory = c->workers && c->busy && c->parts && c->slot_of && c->node_of;
  for (int i = 0; i < c->count && memory; i++) {
    memory = create_worker(t, c, &c->workers[i]);
    c->parts[i] = c->workers[i].slots;
  }
  if (!memory) {
    destroy_crew(c);
    return NULL;
  }
  t->own = c;
  return c;
}

static worker *take_worker(crew *c) {
  for (int i = 0;; i = (i + 1) % c->count) {
    bool free_one = false;
    if (atomic_compare_exchange_strong(&c->busy[i], &free_one, true))
      return &c->workers[i];
  }
}

static void give_worker(crew *c, const worker *w) { atomic_store(&c->busy[w - c->workers], false); }

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

/* What a block pulled, from the sums of its candidates to those of the nodes. */
static void keep_sums(const geodisk_trainer *t, crew *c, worker *w, const train_block *b) {
  const size_t stride = t->stride;
  for (size_t i = 0; i < b->listed; i++) {
    const uint32_t candidate = b->list[i];
    int64_t *to = w->slots + (size_t)slot_of(c, b->index[candidate]) * stride;
    b->pulled[candidate] = 0;
    if (is_single(&t->options)) {
      int32_t *from = (int32_t *)b->sums + candidate * stride;
      for (size_t k = 0; k < stride; k++)
        to[k] = train_add(to[k], from[k]);
      memset(from, 0, stride * sizeof *from);
    } else {
      int64_t *from = (int64_t *)b->sums + candidate * stride;
      for (size_t k = 0; k < stride; k++)
        to[k] = train_add(to[k], from[k]);
      memset(from, 0, stride * sizeof *from);
    }
  }
}

static void pull_block(const geodisk_trainer *t, const epoch_plan *plan, crew *c, worker *w, uint64_t block) {
  drawn_block *d = &w->drawn;
  embed_draw_block(t, plan, block, d);
  if (d->units == 0)
    return;
  train_block b = {.units = d->units,
                   .unit = d->unit,
                   .candidates = d->candidates,
                   .index = d->node,
                   .rows = t->rows,
                   .scratch = w->scratch,
                   .sums = w->sums,
                   .pulled = w->pulled,
                   .list = w->list};
  train_result result = {0};
  (is_single(&t->options) ? t->kernel->pulls_f : t->kernel->pulls_d)(&plan->rule, &b, &result);
  tally one = {.loss = result.loss, .edges = result.edges, .skipped = result.skipped, .pairs = result.pairs, .bad = result.bad};
  if (result.bad)
    one.bad_node = d->node[d->unit[result.bad_unit].source];
  embed_add_tally(&w->sum, &one);
  keep_sums(t, c, w, &b);
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
  worker *w = take_worker(j->crew);
  const uint64_t blocks = embed_batch_blocks(j->plan);
  for (uint64_t i = task * j->blocks; i < (task + 1) * j->blocks && i < blocks; i++) {
    const uint64_t block = embed_block_at(j->t, j->plan, j->batch, i);
    if (block != UINT64_MAX)
      pull_block(j->t, j->plan, j->crew, w, block);
  }
  give_worker(j->crew, w);
}

/* ---- steps ---- */

static void move_slots(void *arg, size_t task) {
  const job *j = arg;
  const geodisk_trainer *t = j->t;
  crew *c = j->crew;
  worker *w = take_worker(c);
  const size_t first = task * SLOTS_PER_TASK, used = atomic_load(&c->used),
               end = used - first < SLOTS_PER_TASK ? used : first + SLOTS_PER_TASK;
  train_moved moved = {0};
  for (size_t i = first; i < end; i++)
    atomic_store_explicit(&c->slot_of[c->node_of[i]], 0, memory_order_relaxed);
  const train_moves moves = {end - first, c->node_of + first, t->rows, c->parts, c->alone ? 1 : (size_t)c->count, first};
  (is_single(&t->options) ? t->kernel->moves_f : t->kernel->moves_d)(&j->plan->rule, &moves, &moved);
  const tally one = {.clips = moved.clips, .bad = moved.bad, .bad_node = moved.bad_row};
  embed_add_tally(&w->sum, &one);
  give_worker(c, w);
}

static void gather_tallies(crew *c, tally *sum) {
  for (int i = 0; i < c->count; i++) {
    embed_add_tally(sum, &c->workers[i].sum);
    c->workers[i].sum = (tally){0};
  }
}

bool embed_threads_batch(geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, tally *sum) {
  crew *c = crew_of(t, plan);
  if (!c)
    return false;
  const job j = {t, plan, c, batch, plan->block_units < UNITS_PER_TASK ? UNITS_PER_TASK / plan->block_units : 1};
  const size_t tasks = (size_t)((embed_batch_blocks(plan) + j.blocks - 1) / j.blocks);
  /* a small batch is done before others have woken up */
  geodisk_context *helpers = embed_batch_blocks(plan) * plan->block_units * (plan->far + 16u) >= 1u << 15 ? t->context : NULL;
  c->alone = !helpers || c->count == 1;
  atomic_store(&c->used, 0);
  geodisk_parallel(helpers, tasks, pull_blocks, (void *)&j);
  gather_tallies(c, sum);
  if (sum->bad)
    return true;
  geodisk_parallel(helpers, ((size_t)atomic_load(&c->used) + SLOTS_PER_TASK - 1) / SLOTS_PER_TASK, move_slots, (void *)&j);
  gather_tallies(c, sum);
  return true;
}

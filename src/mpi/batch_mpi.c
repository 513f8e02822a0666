/* batch_mpi.c - a batch on ranks: rounds of blocks, the pulls of each, sums to the owners of the rows; then every rank moves its
 * own.
 */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "embed/placement.h"
#include "exchange.h"
#include "round.h"

enum { SLOTS_PER_TASK = 128 };

/* ---- creation ---- */

static void free_rooms(crew *c) {
  room *rooms[] = {&c->questions, &c->asked,  &c->answers, &c->weights, &c->units, &c->unit_weights, &c->degree_draws, &c->far,
                   &c->table,     &c->wanted, &c->sorted,  &c->slot,    &c->lent,  &c->rows,         &c->told,         &c->heard};
  for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
    free(rooms[i]->bytes);
}

void ranks_crew_destroy(crew *c) {
  if (!c)
    return;
  for (int i = 0; c->workers && i < c->count; i++) {
    worker *w = &c->workers[i];
    embed_drawn_destroy(&w->drawn);
    free(w->scratch);
    free(w->sums);
    free(w->pulled);
    free(w->list);
  }
  free_rooms(c);
  free(c->workers);
  free((void *)c->busy);
  free(c->blocks);
  free(c->sent);
  free(c->foreign);
  free(c->touched);
  free(c->slot_of);
  free(c->row_of);
  free(c->sums);
  free(c);
}

static bool create_worker(const geodisk_trainer *t, const crew *c, worker *w) {
  geodisk_trainer view = *t;
  view.out.weights = ranks_of(t)->weights; /* whether there are any */
  const size_t lines = (train_scratch_bytes(c->candidates, t->stride) + 63) / 64,
               sums = c->candidates * t->stride * sizeof(int64_t);
  const bool drawn = embed_drawn_create(&view, c->candidates, &w->drawn);
  w->scratch = aligned_alloc(64, 64 * lines);
  w->sums = aligned_alloc(64, (sums + 63) / 64 * 64);
  w->pulled = geodisk_allocate_zero(c->candidates, sizeof *w->pulled);
  w->list = geodisk_allocate(c->candidates + 1, sizeof *w->list);
  if (w->sums)
    memset(w->sums, 0, sums);
  return drawn && w->scratch && w->sums && w->pulled && w->list;
}

/* Sums of own rows are as many as rows: pages that are never touched cost nothing. */
static bool create_crew(const geodisk_trainer *t, const epoch_plan *plan, crew *c) {
  const ranks *r = ranks_of(t);
  const size_t count = (size_t)r->count, others = r->fetch_room;
  c->candidates = embed_most_candidates(t, plan);
  c->count = geodisk_context_threads(t->context);
  c->workers = geodisk_allocate_zero((size_t)c->count, sizeof *c->workers);
  c->busy = geodisk_allocate_zero((size_t)c->count, sizeof *c->busy);
  c->blocks = geodisk_allocate_zero(r->at_once, sizeof *c->blocks);
  c->sent = geodisk_allocate_zero(3 * count, sizeof *c->sent);
  c->foreign = geodisk_allocate_zero(others, t->stride * sizeof *c->foreign);
  c->touched = geodisk_allocate_zero(others, 1);
  c->slot_of = geodisk_allocate_zero(r->owned, sizeof *c->slot_of);
  c->row_of = geodisk_allocate(r->owned, sizeof *c->row_of);
  c->sums = geodisk_allocate_zero(r->owned, t->stride * sizeof *c->sums);
  bool memory = c->workers && c->busy && c->blocks && c->sent && c->foreign && c->touched && c->slot_of && c->row_of && c->sums;
  if (c->sent) {
    c->received = c->sent + count;
    c->next = c->sent + 2 * count;
  }
  for (int i = 0; i < LOCKS; i++)
    atomic_flag_clear(&c->locks[i]);
  for (int i = 0; i < c->count && memory; i++)
    memory = create_worker(t, c, &c->workers[i]);
  return memory;
}

static bool crew_of(geodisk_trainer *t, const epoch_plan *plan) {
  ranks *r = ranks_of(t);
  if (r->crew && r->crew->candidates >= embed_most_candidates(t, plan))
    return true;
  ranks_crew_destroy(r->crew);
  r->crew = geodisk_allocate_zero(1, sizeof *r->crew);
  const bool memory = r->crew && create_crew(t, plan, r->crew);
  return ranks_all(r, memory);
}

worker *crew_take(crew *c) {
  for (int i = 0;; i = (i + 1) % c->count) {
    bool free_one = false;
    if (atomic_compare_exchange_strong(&c->busy[i], &free_one, true))
      return &c->workers[i];
  }
}

void crew_give(crew *c, const worker *w) { atomic_store(&c->busy[w - c->workers], false); }

/* ---- pulls ---- */

typedef struct job {
  geodisk_trainer *t;
  const epoch_plan *plan;
  crew *crew;
} job;

static void lock(crew *c, uint32_t row) {
  while (atomic_flag_test_and_set_explicit(&c->locks[row % LOCKS], memory_order_acquire))
    ;
}

static void unlock(crew *c, uint32_t row) { atomic_flag_clear_explicit(&c->locks[row % LOCKS], memory_order_release); }

/* The sums of a row; one of this rank gets a slot for them. */
static int64_t *sums_of(const geodisk_trainer *t, crew *c, uint32_t row) {
  const uint32_t owned = ranks_of(t)->owned;
  if (row >= owned) {
    c->touched[row - owned] = 1;
    return c->foreign + (size_t)(row - owned) * t->stride;
  }
  if (c->slot_of[row] == 0) {
    const uint32_t slot = atomic_fetch_add(&c->slots, 1);
    c->row_of[slot] = row;
    c->slot_of[row] = slot + 1;
  }
  return c->sums + (size_t)(c->slot_of[row] - 1) * t->stride;
}

/* What a block pulled, from the sums of its candidates to those of the rows. */
static void keep_sums(const geodisk_trainer *t, crew *c, const train_block *b) {
  const size_t stride = t->stride;
  const bool narrow = t->kernel && is_single(&t->options);
  for (size_t i = 0; i < b->listed; i++) {
    const uint32_t candidate = b->list[i], row = b->index[candidate];
    int32_t *narrow_sums = (int32_t *)b->sums + candidate * stride;
    int64_t *wide_sums = (int64_t *)b->sums + candidate * stride;
    b->pulled[candidate] = 0;
    lock(c, row);
    int64_t *to = sums_of(t, c, row);
    for (size_t k = 0; k < stride; k++)
      to[k] = train_add(to[k], narrow ? narrow_sums[k] : wide_sums[k]);
    unlock(c, row);
    memset(narrow ? (void *)narrow_sums : (void *)wide_sums, 0, stride * (narrow ? sizeof *narrow_sums : sizeof *wide_sums));
  }
}

static void note_bad(const geodisk_trainer *t, crew *c, uint32_t row) {
  ranks *r = ranks_of(t);
  lock(c, 0);
  uint32_t *bad = geodisk_reallocate(r->bad, r->bads + 1, sizeof *bad);
  if (bad) {
    r->bad = bad;
    bad[r->bads++] = row < r->owned ? r->first + row : ((uint32_t *)c->sorted.bytes)[row - r->owned];
  } else {
    atomic_store(&c->memory, false);
  }
  unlock(c, 0);
}

/* Whatever the caller has set, kernels round to nearest and keep small numbers. */
static void pull_block(void *arg, size_t index) {
  const job *j = arg;
  const geodisk_trainer *t = j->t;
  crew *c = j->crew;
  const kept_draw *d = &c->blocks[index].drawn;
  const uint32_t owned = ranks_of(t)->owned, *slot = c->slot.bytes;
  const bool single = is_single(&t->options);
  if (d->units == 0)
    return;
  worker *w = crew_take(c);
  fenv_t theirs;
  fegetenv(&theirs);
  fesetenv(FE_DFL_ENV);
  for (size_t i = 0; i < d->candidates; i++)
    if (d->node[i] >= owned)
      d->node[i] = owned + slot[d->node[i] - owned];
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
  if (t->kernel)
    (single ? t->kernel->pulls_f : t->kernel->pulls_d)(&j->plan->rule, &b, &result);
  else if (!embed_plain_pulls(&j->plan->rule, single, &b, &result))
    atomic_store(&c->memory, false);
  const tally one = {.loss = result.loss, .edges = result.edges, .skipped = result.skipped, .pairs = result.pairs};
  embed_add_tally(&w->sum, &one);
  if (result.bad)
    note_bad(t, c, d->node[d->unit[result.bad_unit].source]);
  keep_sums(t, c, &b);
  fesetenv(&theirs);
  crew_give(c, w);
}

/* ---- sums to the owners of the rows ---- */

static bool return_sums(geodisk_trainer *t, crew *c) {
  ranks *r = ranks_of(t);
  const uint32_t *places = c->sorted.bytes;
  const size_t sums = t->stride * sizeof(int64_t), bytes = sizeof(uint64_t) + sums;
  size_t touched = 0;
  for (size_t i = 0; i < c->fetched; i++)
    touched += c->touched[i];
  const bool ok = ranks_reserve(&c->told, touched, bytes) && atomic_load(&c->memory);
  memset(c->sent, 0, (size_t)r->count * sizeof *c->sent);
  char *out = c->told.bytes;
  for (size_t i = 0; i < c->fetched && ok; i++) { /* which are sorted by owner */
    if (!c->touched[i])
      continue;
    const uint64_t place = places[i];
    c->sent[mpi_share_owner(r->share, places[i])]++;
    memcpy(out, &place, sizeof place);
    memcpy(out + sizeof place, c->foreign + i * t->stride, sums);
    memset(c->foreign + i * t->stride, 0, sums);
    c->touched[i] = 0;
    out += bytes;
  }
  if (!ranks_trade(r, ok, bytes, c->told.bytes, c->sent, &c->heard, c->received, &r->sent.sums))
    return false;
  const char *in = c->heard.bytes;
  for (int k = 0; k < r->count; k++)
    for (uint64_t i = 0; i < c->received[k]; i++, in += bytes) {
      uint64_t place;
      memcpy(&place, in, sizeof place);
      int64_t *to = sums_of(t, c, (uint32_t)place - r->first);
      const int64_t *from = (const int64_t *)(const void *)(in + sizeof place);
      for (size_t n = 0; n < t->stride; n++)
        to[n] += from[n];
    }
  return true;
}

/* ---- steps ---- */

static void move_slots(void *arg, size_t task) {
  const job *j = arg;
  const geodisk_trainer *t = j->t;
  crew *c = j->crew;
  const bool single = is_single(&t->options);
  const size_t first = task * SLOTS_PER_TASK, used = atomic_load(&c->slots);
  worker *w = crew_take(c);
  fenv_t theirs;
  fegetenv(&theirs);
  fesetenv(FE_DFL_ENV);
  const train_moves moves = {
      used - first < SLOTS_PER_TASK ? used - first : SLOTS_PER_TASK, c->row_of + first, t->rows, &c->sums, 1, first};
  train_moved moved = {0};
  if (t->kernel)
    (single ? t->kernel->moves_f : t->kernel->moves_d)(&j->plan->rule, &moves, &moved);
  else
    embed_plain_moves(&j->plan->rule, single, &moves, &moved);
  const tally one = {.clips = moved.clips, .bad = moved.bad};
  embed_add_tally(&w->sum, &one);
  fesetenv(&theirs);
  crew_give(c, w);
}

/* Lists the rows that came to numbers that are not finite. */
static bool list_bad_rows(const geodisk_trainer *t, const crew *c) {
  ranks *r = ranks_of(t);
  const size_t used = atomic_load(&c->slots);
  double x[512], gap;
  r->bad = geodisk_reallocate(r->bad, used, sizeof *r->bad);
  for (size_t i = 0; i < used && r->bad; i++) {
    embed_read_row(&t->options, trainer_row(t, c->row_of[i]), x, &gap);
    bool finite = isfinite(gap);
    for (int k = 0; k < t->options.dim; k++)
      finite = finite && isfinite(x[k]);
    if (!finite)
      r->bad[r->bads++] = r->first + c->row_of[i];
  }
  return r->bad != NULL;
}

static void answer_number(void *user, const void *question, void *answer) {
  const ranks *r = ranks_of(user);
  uint32_t place;
  memcpy(&place, question, sizeof place);
  const uint32_t number = r->number ? r->number[place - r->first] : place;
  memcpy(answer, &number, sizeof number);
}

/* The smallest number of the nodes that were listed. */
static bool find_bad(geodisk_trainer *t, tally *sum) {
  ranks *r = ranks_of(t);
  const asking number = {sizeof *r->bad, sizeof *r->bad, answer_number, t};
  uint32_t least = NO_NODE;
  if (mpi_ask(t->context, r->share, &number, r->bad, r->bads, r->bad) != GEODISK_OK)
    return false;
  for (size_t i = 0; i < r->bads; i++)
    least = r->bad[i] < least ? r->bad[i] : least;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT32_T, MPI_MIN, r->share->comm);
  const tally one = {.bad = true, .bad_node = least};
  embed_add_tally(sum, &one);
  return true;
}

/* ---- a batch ---- */

/* The blocks of a round that are this rank's: a range of the batch's, so that those of neighbouring places are with their owner.
 */
static void take_blocks(const geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, uint64_t round, crew *c) {
  const ranks *r = ranks_of(t);
  const uint64_t blocks = embed_batch_blocks(plan), first = blocks * (uint64_t)r->rank / (uint64_t)r->count,
                 end = blocks * ((uint64_t)r->rank + 1) / (uint64_t)r->count;
  c->used = 0;
  for (uint64_t i = first + round * r->at_once; i < end && i < first + (round + 1) * r->at_once; i++) {
    const uint64_t block = embed_block_at(t, plan, batch, i);
    if (block != UINT64_MAX)
      c->blocks[c->used++].number = block;
  }
}

static bool run_round(geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, uint64_t round, job *j) {
  crew *c = j->crew;
  take_blocks(t, plan, batch, round, c);
  bool ok = round_fetch(t, plan, c);
  if (ok)
    geodisk_parallel(t->context, c->used, pull_block, j);
  ok = ok && return_sums(t, c);
  for (size_t b = 0; b < c->used; b++) {
    free(c->blocks[b].bytes);
    c->blocks[b].bytes = NULL;
  }
  ranks_of(t)->sent.rounds += ranks_of(t)->rank == 0;
  return ok;
}

/* What all ranks counted; whether pulls or steps came to numbers that are not finite. */
static bool add_up(geodisk_trainer *t, crew *c, tally *sum) {
  ranks *r = ranks_of(t);
  tally mine = {0};
  for (int i = 0; i < c->count; i++) {
    embed_add_tally(&mine, &c->workers[i].sum);
    c->workers[i].sum = (tally){0};
  }
  int64_t all[] = {mine.loss, (int64_t)mine.edges, (int64_t)mine.skipped, (int64_t)mine.pairs, (int64_t)mine.clips, r->bads > 0,
                   mine.bad};
  MPI_Allreduce(MPI_IN_PLACE, all, sizeof all / sizeof all[0], MPI_INT64_T, MPI_SUM, r->share->comm);
  const tally whole = {.loss = all[0],
                       .edges = (uint64_t)all[1],
                       .skipped = (uint64_t)all[2],
                       .pairs = (uint64_t)all[3],
                       .clips = (uint64_t)all[4]};
  embed_add_tally(sum, &whole);
  if (all[5] == 0 && all[6] == 0)
    return true;
  const bool listed = all[5] > 0 || list_bad_rows(t, c);
  return ranks_all(r, listed) && find_bad(t, sum);
}

bool ranks_batch(geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, tally *sum) {
  ranks *r = ranks_of(t);
  if (!crew_of(t, plan))
    return false;
  crew *c = r->crew;
  job j = {t, plan, c};
  const uint64_t most = (embed_batch_blocks(plan) + (uint64_t)r->count - 1) / (uint64_t)r->count;
  r->bads = 0;
  atomic_store(&c->memory, true);
  for (uint64_t round = 0; round * r->at_once < most; round++)
    if (!run_round(t, plan, batch, round, &j))
      return false;
  const size_t slots = atomic_load(&c->slots);
  if (r->bads == 0)
    geodisk_parallel(t->context, (slots + SLOTS_PER_TASK - 1) / SLOTS_PER_TASK, move_slots, &j);
  const bool ok = add_up(t, c, sum);
  for (size_t i = 0; i < slots; i++)
    c->slot_of[c->row_of[i]] = 0;
  atomic_store(&c->slots, 0);
  return ok;
}

/* batch_mpi.c - a batch on ranks: rounds of blocks, the pulls of each, sums to the owners of the rows; then every rank moves its
 * own. With several threads one of them exchanges while the others pull: the sums of the round before, then what the next one
 * needs, of which units and candidates wait for no point, so that they are there before the next batch begins. */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "embed/placement/placement.h"
#include "exchange.h"
#include "round.h"

enum { SLOTS_PER_TASK = 128 };

/* ---- creation ---- */

static void destroy_round(const ranks *r, rank_round *round) {
  room *rooms[] = {&round->questions,    &round->asked, &round->answers, &round->weights, &round->units,  &round->unit_weights,
                   &round->degree_draws, &round->far,   &round->table,   &round->wanted,  &round->sorted, &round->slot,
                   &round->lent,         &round->rows,  &round->told,    &round->heard};
  for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
    free(rooms[i]->bytes);
  for (size_t b = 0; round->blocks && b < r->at_once; b++)
    free(round->blocks[b].bytes);
  geodisk_free_all(round->blocks, round->sent, round->foreign, round->touched);
}

void ranks_crew_destroy(const ranks *r, crew *c) {
  if (!c)
    return;
  for (int i = 0; i < ROUNDS_AT_ONCE; i++)
    destroy_round(r, &c->rounds[i]);
  embed_crew_destroy(&c->base);
  geodisk_free_all(c->slot_of, c->row_of, c->sums, c);
}

static bool create_round(const geodisk_trainer *t, int which, rank_round *round) {
  const ranks *r = ranks_of(t);
  const size_t count = (size_t)r->count, others = r->fetch_room;
  round->first_row = r->owned + (uint32_t)((size_t)which * others);
  round->blocks = geodisk_allocate_zero(r->at_once, sizeof *round->blocks);
  round->sent = geodisk_allocate_zero(3 * count, sizeof *round->sent);
  round->foreign = geodisk_allocate_zero(others, t->stride * sizeof *round->foreign);
  round->touched = geodisk_allocate_zero(others, 1);
  if (round->sent) {
    round->received = round->sent + count;
    round->next = round->sent + 2 * count;
  }
  return round->blocks && round->sent && round->foreign && round->touched;
}

/* Sums of own rows are as many as rows: pages that are never touched cost nothing. */
static bool create_crew(const geodisk_trainer *t, const epoch_plan *plan, crew *c) {
  const ranks *r = ranks_of(t);
  geodisk_trainer view = *t;
  view.out.weights = r->weights; /* whether there are any */
  bool memory = embed_crew_create(&view, embed_most_candidates(t, plan), &c->base);
  c->drawn_batch = UINT64_MAX;
  c->slot_of = geodisk_allocate_zero(r->owned, sizeof *c->slot_of);
  c->row_of = geodisk_allocate(r->owned, sizeof *c->row_of);
  c->sums = geodisk_allocate_zero(r->owned, t->stride * sizeof *c->sums);
  memory = memory && c->slot_of && c->row_of && c->sums;
  for (int i = 0; i < r->rounds && memory; i++)
    memory = create_round(t, i, &c->rounds[i]);
  for (int i = 0; i < LOCKS; i++)
    atomic_flag_clear(&c->locks[i]);
  return memory;
}

static bool crew_of(geodisk_trainer *t, const epoch_plan *plan) {
  ranks *r = ranks_of(t);
  if (r->crew && r->crew->base.candidates >= embed_most_candidates(t, plan))
    return true;
  ranks_crew_destroy(r, r->crew);
  r->crew = geodisk_allocate_zero(1, sizeof *r->crew);
  const bool memory = r->crew && create_crew(t, plan, r->crew);
  return ranks_all(r, memory);
}

/* ---- pulls ---- */

typedef struct job {
  geodisk_trainer *t;
  const epoch_plan *plan;
  uint64_t batch, round; /* being pulled */
  crew *crew;
  rank_round *pulled, *other; /* the round whose blocks are pulled, and the one that messages are about */
  bool ok;                    /* of the messages */
} job;

static void lock(crew *c, uint32_t row) {
  while (atomic_flag_test_and_set_explicit(&c->locks[row % LOCKS], memory_order_acquire))
    ;
}

static void unlock(crew *c, uint32_t row) { atomic_flag_clear_explicit(&c->locks[row % LOCKS], memory_order_release); }

/* The sums of a row of a round; one of this rank gets a slot for them. The row is locked. */
static int64_t *sums_of(const geodisk_trainer *t, crew *c, const rank_round *round, uint32_t row) {
  if (row >= ranks_of(t)->owned) {
    round->touched[row - round->first_row] = 1;
    return round->foreign + (size_t)(row - round->first_row) * t->stride;
  }
  if (c->slot_of[row] == 0) {
    const uint32_t slot = atomic_fetch_add(&c->slots, 1);
    c->row_of[slot] = row;
    c->slot_of[row] = slot + 1;
  }
  return c->sums + (size_t)(c->slot_of[row] - 1) * t->stride;
}

/* What a block pulled, from the sums of its candidates to those of the rows. */
static void keep_sums(const geodisk_trainer *t, crew *c, const rank_round *round, const train_block *b) {
  for (size_t i = 0; i < b->listed; i++) {
    const uint32_t row = b->index[b->list[i]];
    lock(c, row);
    embed_crew_add(t, b, b->list[i], sums_of(t, c, round, row), false);
    unlock(c, row);
  }
}

static void note_bad(const geodisk_trainer *t, crew *c, const rank_round *round, uint32_t row) {
  ranks *r = ranks_of(t);
  lock(c, 0);
  uint32_t *bad = geodisk_reallocate(r->bad, r->bads + 1, sizeof *bad);
  if (bad) {
    r->bad = bad;
    bad[r->bads++] = row < r->owned ? r->first + row : ((uint32_t *)round->sorted.bytes)[row - round->first_row];
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
  const rank_round *round = j->pulled;
  const kept_draw *d = &round->blocks[index].drawn;
  const uint32_t owned = ranks_of(t)->owned, *slot = round->slot.bytes;
  if (d->units == 0)
    return;
  embed_worker *w = embed_crew_take(&c->base);
  fenv_t theirs;
  fegetenv(&theirs);
  fesetenv(FE_DFL_ENV);
  for (size_t i = 0; i < d->candidates; i++)
    if (d->node[i] >= owned)
      d->node[i] = round->first_row + slot[d->node[i] - owned];
  train_block b = {.units = d->units, .unit = d->unit, .candidates = d->candidates, .index = d->node};
  train_result result;
  if (!embed_crew_pull(t, &j->plan->rule, w, &b, &result))
    atomic_store(&c->memory, false);
  const tally one = {.loss = result.loss, .edges = result.edges, .skipped = result.skipped, .pairs = result.pairs};
  embed_add_tally(&w->sum, &one);
  if (result.bad)
    note_bad(t, c, round, d->node[d->unit[result.bad_unit].source]);
  keep_sums(t, c, round, &b);
  fesetenv(&theirs);
  embed_crew_give(&c->base, w);
}

/* ---- sums to the owners of the rows ---- */

static bool return_sums(geodisk_trainer *t, crew *c, rank_round *round) {
  ranks *r = ranks_of(t);
  const uint32_t *places = round->sorted.bytes;
  const size_t sums = t->stride * sizeof(int64_t), bytes = sizeof(uint64_t) + sums;
  size_t touched = 0;
  for (size_t i = 0; i < round->fetched; i++)
    touched += round->touched[i];
  const bool ok = ranks_reserve(&round->told, touched, bytes) && atomic_load(&c->memory);
  memset(round->sent, 0, (size_t)r->count * sizeof *round->sent);
  char *out = round->told.bytes;
  for (size_t i = 0; i < round->fetched && ok; i++) { /* which are sorted by owner */
    if (!round->touched[i])
      continue;
    const uint64_t place = places[i];
    round->sent[mpi_share_owner(r->share, places[i])]++;
    memcpy(out, &place, sizeof place);
    memcpy(out + sizeof place, round->foreign + i * t->stride, sums);
    memset(round->foreign + i * t->stride, 0, sums);
    round->touched[i] = 0;
    out += bytes;
  }
  if (!ranks_trade(r, ok, bytes, round->told.bytes, round->sent, &round->heard, round->received, &r->sent.sums))
    return false;
  const char *in = round->heard.bytes;
  for (int k = 0; k < r->count; k++)
    for (uint64_t i = 0; i < round->received[k]; i++, in += bytes) {
      uint64_t place;
      memcpy(&place, in, sizeof place);
      const uint32_t row = (uint32_t)place - r->first;
      const int64_t *from = (const int64_t *)(const void *)(in + sizeof place);
      lock(c, row);
      int64_t *to = sums_of(t, c, round, row);
      for (size_t n = 0; n < t->stride; n++)
        to[n] = train_add(to[n], from[n]);
      unlock(c, row);
    }
  for (size_t b = 0; b < round->used; b++) {
    free(round->blocks[b].bytes);
    round->blocks[b].bytes = NULL;
  }
  round->used = 0;
  r->sent.rounds += r->rank == 0;
  return true;
}

/* ---- steps ---- */

static void move_slots(void *arg, size_t task) {
  const job *j = arg;
  const geodisk_trainer *t = j->t;
  crew *c = j->crew;
  const size_t first = task * SLOTS_PER_TASK, used = atomic_load(&c->slots);
  embed_worker *w = embed_crew_take(&c->base);
  fenv_t theirs;
  fegetenv(&theirs);
  fesetenv(FE_DFL_ENV);
  int64_t *sums = c->sums + first * t->stride;
  const train_moves moves = {used - first < SLOTS_PER_TASK ? used - first : SLOTS_PER_TASK, c->row_of + first, t->rows, sums};
  embed_crew_move(t, &j->plan->rule, w, &moves);
  memset(sums, 0, moves.count * t->stride * sizeof *sums);
  fesetenv(&theirs);
  embed_crew_give(&c->base, w);
}

/* Lists the rows that came to numbers that are not finite. */
static bool list_bad_rows(const geodisk_trainer *t, const crew *c) {
  ranks *r = ranks_of(t);
  const size_t used = atomic_load(&c->slots);
  double x[GEODISK_DIM_MOST], gap;
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

static void answer_number(void *user, const uint32_t *question, void *answer) {
  const ranks *r = ranks_of(user);
  *(uint32_t *)answer = r->number ? r->number[*question - r->first] : *question;
}

/* The smallest number of the nodes that were listed. */
static bool find_bad(geodisk_trainer *t, tally *sum) {
  ranks *r = ranks_of(t);
  const asking number = {1, sizeof *r->bad, answer_number, t};
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
static void take_blocks(const geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, uint64_t number, rank_round *round) {
  const ranks *r = ranks_of(t);
  const uint64_t blocks = embed_batch_blocks(plan), first = blocks * (uint64_t)r->rank / (uint64_t)r->count,
                 end = blocks * ((uint64_t)r->rank + 1) / (uint64_t)r->count;
  round->used = 0;
  for (uint64_t i = first + number * r->at_once; i < end && i < first + (number + 1) * r->at_once; i++) {
    const uint64_t block = embed_block_at(t, plan, batch, i);
    if (block != UINT64_MAX)
      round->blocks[round->used++].number = block;
  }
}

static uint64_t rounds_of(const ranks *r, const epoch_plan *plan) {
  const uint64_t most = (embed_batch_blocks(plan) + (uint64_t)r->count - 1) / (uint64_t)r->count;
  return (most + r->at_once - 1) / r->at_once;
}

/* What can be said while blocks are pulled: the sums of the round before; then all that the next round of the batch needs, or
 * what the next batch's first one needs but for its rows, which are about to move. */
static bool exchange_meanwhile(const job *j) {
  geodisk_trainer *t = j->t;
  crew *c = j->crew;
  const bool last = j->round + 1 == rounds_of(ranks_of(t), j->plan);
  if (j->round > 0 && !return_sums(t, c, j->other))
    return false;
  if (last && j->batch + 1 == j->plan->batches)
    return true;
  take_blocks(t, j->plan, j->batch + last, last ? 0 : j->round + 1, j->other);
  if (!round_draw(t, j->plan, c, j->other) || (!last && !round_fetch_rows(t, c, j->other)))
    return false;
  if (last) {
    c->drawn_epoch = j->plan->number;
    c->drawn_batch = j->batch + 1;
  }
  return true;
}

/* Task 0 are the messages, which any thread may get, the others are blocks. */
static void pull_or_exchange(void *arg, size_t index) {
  job *j = arg;
  if (index > 0)
    pull_block(j, index - 1);
  else
    j->ok = exchange_meanwhile(j);
}

static bool run_rounds_at_once(job *j) {
  geodisk_trainer *t = j->t;
  crew *c = j->crew;
  rank_round *first = &c->rounds[c->at];
  if (c->drawn_batch != j->batch || c->drawn_epoch != j->plan->number) {
    take_blocks(t, j->plan, j->batch, 0, first);
    if (!round_draw(t, j->plan, c, first))
      return false;
  }
  c->drawn_batch = UINT64_MAX;
  if (!round_fetch_rows(t, c, first))
    return false;
  for (j->round = 0; j->round < rounds_of(ranks_of(t), j->plan); j->round++) {
    j->pulled = &c->rounds[c->at];
    j->other = &c->rounds[c->at ^ 1];
    geodisk_parallel(t->context, j->pulled->used + 1, pull_or_exchange, j);
    if (!j->ok)
      return false;
    c->at ^= 1;
  }
  return return_sums(t, c, &c->rounds[c->at ^ 1]);
}

static bool run_rounds_in_turn(job *j) {
  geodisk_trainer *t = j->t;
  crew *c = j->crew;
  j->pulled = &c->rounds[0];
  for (j->round = 0; j->round < rounds_of(ranks_of(t), j->plan); j->round++) {
    take_blocks(t, j->plan, j->batch, j->round, j->pulled);
    if (!round_draw(t, j->plan, c, j->pulled) || !round_fetch_rows(t, c, j->pulled))
      return false;
    geodisk_parallel(t->context, j->pulled->used, pull_block, j);
    if (!return_sums(t, c, j->pulled))
      return false;
  }
  return true;
}

/* What all ranks counted; whether pulls or steps came to numbers that are not finite. */
static bool add_up(geodisk_trainer *t, crew *c, tally *sum) {
  ranks *r = ranks_of(t);
  tally mine = {0};
  embed_crew_tally(&c->base, &mine);
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
  job j = {.t = t, .plan = plan, .batch = batch, .crew = c};
  r->bads = 0;
  atomic_store(&c->memory, true);
  if (!(r->rounds > 1 ? run_rounds_at_once(&j) : run_rounds_in_turn(&j)))
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

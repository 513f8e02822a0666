/* plain.c - the training loop in plain C: the definition. Threads, vector kernels and ranks compute the same bytes faster.
 *
 *   for each block of the batch:                              (backend.h; points are only read)
 *     draw its candidates
 *     for each unit u of the block:
 *       y, likelihoods, softmax, pulls of targets and pushes of negatives
 *       add pull x unit tangent, as whole numbers, to the sums of u and of each candidate; |pull| to its path
 *   for each row that was pulled:
 *       one exponential map along its sum, with the step min(rate, cap / path)
 *
 * The formulas are in plain_real.h. Whole numbers make the order of blocks meaningless: whoever computes them, sums are the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trainer.h"

/* What a unit needs, for so many candidates. Numbers are float or double. */
typedef struct plain_room {
  void *y, *likely, *pull, *own;
  uint32_t *who;
  bool *struck;
} plain_room;

#define TRAIN_SINGLE 1
#include "kernel/train_constants.h"
#define NAME(x) plain_float_##x
#include "plain_real.h"
#undef NAME
#undef TRAIN_SINGLE
#define TRAIN_SINGLE 0
#include "kernel/train_constants.h"
#define NAME(x) plain_double_##x
#include "plain_real.h"

static bool create_room(size_t candidates, size_t stride, plain_room *room) {
  room->y = geodisk_allocate(candidates, sizeof(double));
  room->likely = geodisk_allocate(candidates, sizeof(double));
  room->pull = geodisk_allocate(TRAIN_MOST_TARGETS, sizeof(double));
  room->own = geodisk_allocate(stride, sizeof(double));
  room->who = geodisk_allocate(candidates, sizeof *room->who);
  room->struck = geodisk_allocate(candidates, sizeof *room->struck);
  return room->y && room->likely && room->pull && room->own && room->who && room->struck;
}

static void destroy_room(plain_room *room) {
  geodisk_free_all(room->y, room->likely, room->pull, room->own, room->who, room->struck);
}

/* The pulls of one block: into the sums of its candidates, then of their nodes. */
static void pull_block(const geodisk_trainer *t, const epoch_plan *plan, uint64_t block, drawn_block *d, plain_room *room,
                       int64_t *own_sums, int64_t *sums, tally *sum) {
  const size_t stride = plan->rule.stride;
  embed_draw_block(t, plan, block, d);
  memset(own_sums, 0, d->candidates * stride * sizeof *own_sums);
  tally own = {.pairs = d->units * d->candidates};
  for (size_t i = 0; i < d->units; i++)
    (is_single(&t->options) ? plain_float_unit : plain_double_unit)(&plan->rule, d, t->rows, &d->unit[i], room, own_sums, &own);
  embed_add_tally(sum, &own);
  for (size_t c = 0; c < d->candidates; c++)
    for (size_t k = 0; k < stride; k++)
      sums[d->node[c] * stride + k] = train_add(sums[d->node[c] * stride + k], own_sums[c * stride + k]);
}

/* The step of a row, if it has a sum; whether it ended at a finite place. */
static bool move_row(const train_rule *rule, bool single, void *row, const int64_t *sums, uint64_t *clips) {
  bool pulled = false, finite = true;
  for (size_t k = 0; k < rule->stride; k++)
    pulled = pulled || sums[k] != 0;
  if (!pulled)
    return true;
  const int64_t path = sums[rule->stride - 1];
  *clips += single ? plain_float_move(rule, row, sums, path) : plain_double_move(rule, row, sums, path);
  for (size_t k = 0; k < rule->stride; k++)
    finite = finite && isfinite(single ? (double)((const float *)row)[k] : ((const double *)row)[k]);
  return finite;
}

/* The steps of all rows with a sum. */
static void move_rows(const geodisk_trainer *t, const epoch_plan *plan, const int64_t *sums, tally *sum) {
  for (size_t u = 0; u < t->nodes; u++) {
    if (move_row(&plan->rule, is_single(&t->options), trainer_row(t, u), sums + u * plan->rule.stride, &sum->clips))
      continue;
    sum->bad_node = sum->bad && sum->bad_node < u ? sum->bad_node : (uint32_t)u;
    sum->bad = true;
  }
}

bool embed_plain_batch(geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, tally *sum) {
  const size_t most = embed_most_candidates(t, plan), stride = plan->rule.stride;
  drawn_block d;
  plain_room room = {0};
  int64_t *own_sums = geodisk_allocate(most, stride * sizeof *own_sums),
          *sums = geodisk_allocate_zero(t->nodes, stride * sizeof *sums);
  const bool drawn = embed_drawn_create(t, most, &d), memory = create_room(most, stride, &room) && drawn && own_sums && sums;
  for (uint64_t i = 0; i < embed_batch_blocks(plan) && memory; i++) {
    const uint64_t block = embed_block_at(t, plan, batch, i);
    if (block != UINT64_MAX)
      pull_block(t, plan, block, &d, &room, own_sums, sums, sum);
  }
  if (memory && !sum->bad)
    move_rows(t, plan, sums, sum);
  embed_drawn_destroy(&d);
  destroy_room(&room);
  geodisk_free_all(own_sums, sums);
  return memory;
}

/* ---- for other holders of rows ---- */

bool embed_plain_pulls(const train_rule *rule, bool single, train_block *b, train_result *result) {
  drawn_block *d = geodisk_allocate_zero(1, sizeof *d);
  plain_room room = {0};
  const bool memory = create_room(b->candidates, rule->stride, &room) && d;
  for (size_t i = 0; i < b->units && memory; i++) {
    tally own = {0};
    d->node = (uint32_t *)b->index;
    d->candidates = b->candidates;
    (single ? plain_float_unit : plain_double_unit)(rule, d, b->rows, &b->unit[i], &room, b->sums, &own);
    if (own.bad && !result->bad)
      result->bad_unit = (uint32_t)i;
    result->bad = result->bad || own.bad;
    result->loss += own.loss;
    result->edges += own.edges;
    result->skipped += own.skipped;
  }
  result->pairs += b->units * b->candidates;
  b->listed = 0;
  for (size_t c = 0; c < b->candidates && memory; c++) {
    const int64_t *sums = (const int64_t *)b->sums + c * rule->stride;
    bool pulled = false;
    for (size_t k = 0; k < rule->stride; k++)
      pulled = pulled || sums[k] != 0;
    if (pulled)
      b->list[b->listed++] = (uint32_t)c;
  }
  destroy_room(&room);
  free(d);
  return memory;
}

void embed_plain_add(size_t stride, void *from, int64_t *to, bool first) {
  int64_t *sum = from;
  for (size_t k = 0; k < stride; k++)
    to[k] = first ? sum[k] : train_add(to[k], sum[k]);
  memset(sum, 0, stride * sizeof *sum);
}

void embed_plain_moves(const train_rule *rule, bool single, const train_moves *m, train_moved *moved) {
  const size_t stride = rule->stride, bytes = stride * (single ? sizeof(float) : sizeof(double));
  for (size_t i = 0; i < m->count; i++) {
    if (move_row(rule, single, (char *)m->rows + m->row[i] * bytes, m->sums + i * stride, &moved->clips))
      continue;
    moved->bad_row = moved->bad && moved->bad_row < m->row[i] ? moved->bad_row : m->row[i];
    moved->bad = true;
  }
}

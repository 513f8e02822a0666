/* fetch.c - what the blocks of a round need from other ranks: the targets of their units, then the rows of their candidates. */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "base/sorting.h"
#include "exchange.h"
#include "round.h"

enum { BORROWED_BYTES = 12 << 20 }; /* about */

void ranks_plan_rounds(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  r->rounds = ranks_all(r, mpi_any_thread() && geodisk_context_threads(t->context) > 1) ? ROUNDS_AT_ONCE : 1;
  const epoch_plan plan = embed_plan(t); /* all epochs have the same number of candidates */
  const size_t degree = t->edges / t->nodes < TRAIN_MOST_TARGETS ? t->edges / t->nodes + 2 : TRAIN_MOST_TARGETS;
  const size_t named = plan.block_units * (t->options.units == GEODISK_UNITS_EDGE ? 2 : degree);
  const size_t candidates = named + (plan.all ? t->nodes : (size_t)plan.far + plan.near);
  const size_t blocks = BORROWED_BYTES / (candidates * (2 * row_bytes(t) + t->stride * sizeof(int64_t))) / (size_t)r->rounds;
  const uint64_t most = (embed_batch_blocks(&plan) + (uint64_t)r->count - 1) / (uint64_t)r->count;
  r->at_once = blocks < 1 ? 1 : blocks < most ? blocks : (size_t)most;
  const size_t others = t->nodes - r->owned, needed = r->at_once * embed_most_candidates(t, &plan);
  r->fetch_room = needed < others ? needed : others;
}

/* ---- units ---- */

/* Answers to what others asked: units one after the other, for rank 0, 1, ...; round->next: the words for each rank. */
static bool answer_units(const geodisk_trainer *t, rank_round *round) {
  const ranks *r = ranks_of(t);
  const uint64_t *unit = round->asked.bytes;
  size_t words = 0;
  for (int k = 0; k < r->count; k++) {
    round->next[k] = 0;
    for (uint64_t i = 0; i < round->received[k]; i++)
      round->next[k] += ranks_unit(t, *unit++, NULL, NULL);
    words += round->next[k];
  }
  if (!ranks_reserve(&round->answers, words, sizeof(uint32_t)) ||
      (r->weights && !ranks_reserve(&round->weights, words, sizeof(double))))
    return false;
  uint32_t *out = round->answers.bytes;
  double *weights = r->weights ? round->weights.bytes : NULL;
  unit = round->asked.bytes;
  for (int k = 0; k < r->count; k++)
    for (uint64_t i = 0; i < round->received[k]; i++) {
      const size_t n = ranks_unit(t, *unit++, out, weights);
      out += n;
      weights = weights ? weights + n : NULL;
    }
  return true;
}

/* The units of all blocks, with their targets at round->units. */
static bool fetch_units(geodisk_trainer *t, const epoch_plan *plan, rank_round *round) {
  ranks *r = ranks_of(t);
  uint64_t numbers[TRAIN_MOST_UNITS];
  const bool ok = ranks_reserve(&round->questions, r->at_once * plan->block_units, sizeof(uint64_t));
  memset(round->sent, 0, (size_t)r->count * sizeof *round->sent);
  for (size_t b = 0; b < round->used; b++)
    for (size_t i = 0, n = embed_block_numbers(t, plan, round->blocks[b].number, numbers); i < n; i++)
      round->sent[ranks_unit_owner(t, numbers[i])]++;
  mpi_starts((size_t)r->count, round->sent, round->next);
  for (size_t b = 0; b < round->used && ok; b++)
    for (size_t i = 0, n = embed_block_numbers(t, plan, round->blocks[b].number, numbers); i < n; i++)
      ((uint64_t *)round->questions.bytes)[round->next[ranks_unit_owner(t, numbers[i])]++] = numbers[i];
  if (!ranks_trade(r, ok, sizeof(uint64_t), round->questions.bytes, round->sent, &round->asked, round->received, &r->sent.units))
    return false;
  const bool answered = answer_units(t, round);
  memcpy(round->sent, round->next, (size_t)r->count * sizeof *round->sent);
  if (!ranks_trade(r, answered, sizeof(uint32_t), round->answers.bytes, round->sent, &round->units, round->received,
                   &r->sent.units) ||
      (r->weights && !ranks_trade(r, true, sizeof(double), round->weights.bytes, round->sent, &round->unit_weights,
                                  round->received, &r->sent.units)))
    return false;
  mpi_starts((size_t)r->count, round->received, round->next);
  uint32_t *words = round->units.bytes;
  for (size_t b = 0; b < round->used; b++) { /* in the order in which they were asked for */
    kept_block *k = &round->blocks[b];
    k->count = 0;
    for (size_t i = 0, n = embed_block_numbers(t, plan, k->number, numbers); i < n; i++) {
      uint64_t *at = &round->next[ranks_unit_owner(t, numbers[i])];
      uint32_t *unit = words + *at, count = unit[1], all = unit[2];
      const uint64_t first = *at + UNIT_HEAD, row = all > count ? first + count : first;
      if (all > count) /* by number till now */
        qsort(words + row, all, sizeof *words, ascending_u32);
      k->place[k->count] = (unit_place){unit[0], unit[0], first, count, all, row};
      *at += ranks_unit_words(count, all);
      k->count += k->place[k->count].count > 0;
    }
  }
  return true;
}

/* ---- draws by degree ---- */

typedef struct degree_draw {
  uint32_t place, word;
} degree_draw;

static void answer_draw(void *user, const uint32_t *question, void *answer) {
  const geodisk_trainer *t = user;
  const uint32_t i = question[0] - ranks_of(t)->first, first = i / DEGREE_BLOCK * DEGREE_BLOCK;
  const alias table = {t->aliases.other + first, t->aliases.threshold + first};
  *(uint32_t *)answer = ranks_of(t)->first + first + embed_degree_place(&table, i - first, question[1]);
}

static bool fetch_draws(geodisk_trainer *t, const epoch_plan *plan, rank_round *round) {
  ranks *r = ranks_of(t);
  const size_t far = plan->far, count = round->used * far;
  uint32_t *places = geodisk_allocate(far, 2 * sizeof *places);
  const bool ok = places && ranks_reserve(&round->degree_draws, count, sizeof(degree_draw)) &&
                  ranks_reserve(&round->far, count, sizeof(uint32_t));
  if (!ranks_all(r, ok)) {
    free(places);
    return false;
  }
  degree_draw *draws = round->degree_draws.bytes;
  for (size_t b = 0; b < round->used; b++) {
    embed_degree_draws(t, plan, round->blocks[b].number, places, places + far);
    for (size_t i = 0; i < far; i++) {
      draws[b * far + i] = (degree_draw){places[i], places[far + i]};
      r->sent.rows += ranks_owns(r, places[i]) ? 0 : sizeof *draws + sizeof(uint32_t); /* and what is answered */
    }
  }
  free(places);
  const asking draw = {2, sizeof(uint32_t), answer_draw, t};
  return mpi_ask(t->context, r->share, &draw, draws, count, round->far.bytes) == GEODISK_OK;
}

/* ---- candidates ---- */

typedef struct drawing {
  const geodisk_trainer *view; /* with the fetched targets in place of the graph's */
  const epoch_plan *plan;
  crew *crew;
  rank_round *round;
} drawing;

/* A copy of what was drawn, in one piece of memory. */
static bool keep(const drawn_block *d, kept_block *k) {
  size_t targets = 0;
  for (size_t i = 0; i < d->units; i++)
    targets += d->unit[i].targets;
  const size_t units = d->units * sizeof *d->unit, weights = d->weights ? targets * sizeof *d->weights : 0;
  char *bytes = malloc(units + weights + (targets + d->candidates + 1) * sizeof(uint32_t));
  free(k->bytes);
  k->bytes = bytes;
  if (!bytes)
    return false;
  k->drawn = (kept_draw){.units = d->units, .candidates = d->candidates, .named = d->named};
  k->drawn.unit = (train_unit *)(void *)bytes;
  k->drawn.weights = d->weights ? (double *)(void *)(bytes + units) : NULL;
  k->drawn.targets = (uint32_t *)(void *)(bytes + units + weights);
  k->drawn.node = k->drawn.targets + targets;
  memcpy(k->drawn.unit, d->unit, units);
  if (weights > 0)
    memcpy(k->drawn.weights, d->weights, weights);
  memcpy(k->drawn.targets, d->targets, targets * sizeof *d->targets);
  memcpy(k->drawn.node, d->node, d->candidates * sizeof *d->node);
  for (size_t i = 0, n = 0; i < d->units; n += d->unit[i++].targets) {
    k->drawn.unit[i].target = k->drawn.targets + n;
    k->drawn.unit[i].weights = d->weights ? k->drawn.weights + n : NULL;
  }
  return true;
}

static void draw_block(void *arg, size_t i) {
  const drawing *g = arg;
  crew *c = g->crew;
  kept_block *k = &g->round->blocks[i];
  embed_worker *w = embed_crew_take(&c->base);
  const uint32_t *far =
      g->plan->sampling == GEODISK_SAMPLING_DEGREE && !g->plan->all ? (uint32_t *)g->round->far.bytes + i * g->plan->far : NULL;
  embed_draw_units(g->view, g->plan, k->number, k->place, k->count, far, &w->drawn[0]);
  if (!keep(&w->drawn[0], k))
    atomic_store(&c->memory, false);
  embed_crew_give(&c->base, w);
}

/* ---- rows ---- */

typedef struct entry {
  uint32_t place, id; /* id + 1; 0: free */
} entry;

/* Candidates become rows: those of this rank as they are, others r->owned + id, each place once. round->wanted: their places. */
static bool number_rows(const ranks *r, rank_round *round) {
  size_t most = 0, size = 64;
  for (size_t b = 0; b < round->used; b++)
    most += round->blocks[b].drawn.candidates;
  while (size < 2 * most)
    size *= 2;
  if (!ranks_reserve(&round->table, size, sizeof(entry)) || !ranks_reserve(&round->wanted, most, sizeof(uint32_t)))
    return false;
  entry *table = round->table.bytes;
  uint32_t *wanted = round->wanted.bytes, n = 0;
  memset(table, 0, size * sizeof *table);
  for (size_t b = 0; b < round->used; b++) {
    const kept_draw *d = &round->blocks[b].drawn;
    for (size_t i = 0; i < d->candidates; i++) {
      const uint32_t place = d->node[i];
      if (ranks_owns(r, place)) {
        d->node[i] = place - r->first;
        continue;
      }
      size_t at = (uint64_t)(place * 0x9E3779B1u) * size >> 32;
      while (table[at].id && table[at].place != place)
        at = (at + 1) & (size - 1);
      if (!table[at].id) {
        wanted[n] = place;
        table[at] = (entry){place, ++n};
      }
      d->node[i] = r->owned + table[at].id - 1;
    }
  }
  round->fetched = n;
  return true;
}

/* What others want, in the order in which they asked. */
static bool lend_rows(const geodisk_trainer *t, rank_round *round) {
  const ranks *r = ranks_of(t);
  const uint32_t *places = round->lent.bytes;
  const size_t bytes = row_bytes(t);
  size_t count = 0;
  for (int k = 0; k < r->count; k++)
    count += round->received[k];
  if (!ranks_reserve(&round->rows, count, bytes))
    return false;
  for (size_t i = 0; i < count; i++)
    memcpy((char *)round->rows.bytes + i * bytes, trainer_row(t, places[i] - r->first), bytes);
  return true;
}

/* The rows of the candidates, behind the own ones; round->sorted: their places in that order, round->slot: where each id went. */
bool round_fetch_rows(geodisk_trainer *t, const crew *c, rank_round *round) {
  ranks *r = ranks_of(t);
  const bool ok = atomic_load(&c->memory) && number_rows(r, round) &&
                  ranks_reserve(&round->sorted, round->fetched, sizeof(uint32_t)) &&
                  ranks_reserve(&round->slot, round->fetched, sizeof(uint32_t));
  const size_t n = ok ? round->fetched : 0, bytes = row_bytes(t);
  const uint32_t *wanted = round->wanted.bytes;
  memset(round->sent, 0, (size_t)r->count * sizeof *round->sent);
  for (size_t i = 0; i < n; i++)
    round->sent[mpi_share_owner(r->share, wanted[i])]++;
  mpi_starts((size_t)r->count, round->sent, round->next);
  for (size_t i = 0; i < n; i++) {
    const uint64_t at = round->next[mpi_share_owner(r->share, wanted[i])]++;
    ((uint32_t *)round->sorted.bytes)[at] = wanted[i];
    ((uint32_t *)round->slot.bytes)[i] = (uint32_t)at;
  }
  if (!ranks_trade(r, ok, sizeof(uint32_t), round->sorted.bytes, round->sent, &round->lent, round->received, &r->sent.rows) ||
      !ranks_all(r, lend_rows(t, round)))
    return false;
  for (int k = 0; k < r->count; k++)
    if (k != r->rank && round->received[k] > 0) {
      r->sent.rows += round->received[k] * bytes;
      r->sent.messages++;
    }
  mpi_exchange(r->share->comm, bytes, round->rows.bytes, round->received, trainer_row(t, round->first_row), round->sent);
  return true;
}

bool round_draw(geodisk_trainer *t, const epoch_plan *plan, crew *c, rank_round *round) {
  if (!fetch_units(t, plan, round))
    return false;
  if (plan->sampling == GEODISK_SAMPLING_DEGREE && !plan->all && !fetch_draws(t, plan, round))
    return false;
  geodisk_trainer view = *t;
  view.out =
      (geodisk_graph_rows){.nodes = round->units.bytes, .weights = ranks_of(t)->weights ? round->unit_weights.bytes : NULL};
  drawing g = {&view, plan, c, round};
  geodisk_parallel(t->context, round->used, draw_block, &g);
  return true;
}

/* grouped.c - one step for each source instead of one for each edge, with the same bytes on any number of threads.
 *
 * An epoch has two rounds, each with every second source of every part. First the parts train these sources side by side: all
 * positives of u at once against one set of negatives from the part of u; u and the negatives move, the positives are read from
 * copies and stay. Then the targets are pulled to their sources, a bounded number at a time: those with many sources to the ones
 * of the round, the others at the end of the epoch to all of theirs. Here it is the copies that move, while rows stay; they
 * become the rows when all have moved. Copies of targets lie behind the rows, at index nodes + node. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trainer.h"

enum { ROUNDS = 2, SOURCES_AT_ONCE = 256, FEW_SOURCES = 16, EDGES_PER_TASK = 4096, NODES_PER_TASK = 4096 };
#define LONGEST_PULL 1.0 /* a target moves at most this far for SOURCES_AT_ONCE pulls */

typedef struct group_round {
  geodisk_trainer *t;
  const episode *episode;
  uint32_t number;
  tally *sums; /* one per part */
} group_round;

/* Of the sums of a round's sources. */
static double sign_of(const group_round *r) { return r->number + 1 == ROUNDS ? 1.0 : -1.0; }

/* From the rows from + v to the rows to + v, for all targets v. */
typedef struct copying {
  const geodisk_trainer *t;
  size_t from, to;
} copying;

static void copy_targets(void *arg, size_t index) {
  const copying *c = arg;
  const geodisk_trainer *t = c->t;
  const size_t first = index * NODES_PER_TASK, last = first + NODES_PER_TASK < t->nodes ? first + NODES_PER_TASK : t->nodes;
  for (size_t v = first; v < last; v++)
    if (t->is_target[v])
      memcpy(trainer_row(t, c->to + v), trainer_row(t, c->from + v), row_bytes(t));
}

/* A source: its place in its part and its edges. */
typedef struct group {
  uint32_t u, place;
  uint64_t first, last;
} group;

/* Up to SOURCES_AT_ONCE positives of a group, from edge e on. */
static void add_positives(const geodisk_trainer *t, const group *g, uint64_t e, double *weights, train_step *step) {
  step->positives = g->last - e < SOURCES_AT_ONCE ? (size_t)(g->last - e) : SOURCES_AT_ONCE;
  step->weights = t->out.weights ? weights : NULL;
  for (size_t i = 0; i < step->positives; i++) {
    step->index[step->negatives + i] = (uint32_t)t->nodes + t->out.nodes[e + i];
    if (t->out.weights)
      weights[i] = t->out.weights[e + i] / t->mean_weight;
  }
}

/* One or two sources. */
static void train_groups(const group_round *r, worker *w, const pool *from, const group *groups, size_t count, tally *sum) {
  geodisk_trainer *t = r->t;
  const size_t wanted = t->options.negatives == GEODISK_ALL_NEGATIVES ? t->nodes : t->options.negatives;
  const double sign = sign_of(r);
  double weights[2][SOURCES_AT_ONCE], likelihoods[2];
  company c = {.count = count, .places = count};
  bool few = true;
  for (size_t i = 0; i < count; i++) {
    c.steps[i] = (train_step){.u = groups[i].u, .index = w->index + i * w->index_room, .hold = true};
    c.place[i] = groups[i].place;
    few = few && groups[i].last - groups[i].first <= SOURCES_AT_ONCE;
  }
  embed_negatives(t, w, from, r->episode->sampling, wanted, &c);
  if (c.apart && few) {
    for (size_t i = 0; i < count; i++)
      add_positives(t, &groups[i], groups[i].first, weights[i], &c.steps[i]);
    embed_take_steps(t, w, r->episode->rule, c.steps, count, likelihoods, sum);
    for (size_t i = 0; i < count; i++)
      t->group_sums[groups[i].u] = sign * likelihoods[i];
    return;
  }
  for (size_t i = 0; i < count; i++) {
    const group *g = &groups[i];
    if (c.steps[i].negatives == 0) {
      sum->skipped += g->last - g->first;
      continue;
    }
    for (uint64_t e = g->first; e < g->last && !sum->bad; e += SOURCES_AT_ONCE) {
      add_positives(t, g, e, weights[0], &c.steps[i]);
      embed_take_steps(t, w, r->episode->rule, &c.steps[i], 1, likelihoods, sum);
      t->group_sums[g->u] = sign * likelihoods[0];
    }
  }
}

/* Sources come in no order that the machine could guess: what the next but one and those after it need is fetched early. */
static inline __attribute__((always_inline)) void fetch_ahead(const geodisk_trainer *t, const pool *from, uint32_t at) {
  const uint32_t soon = at + 2 * ROUNDS, later = at + 4 * ROUNDS, last = at + 8 * ROUNDS;
  if (last < from->count)
    __builtin_prefetch(&t->out.offsets[from->nodes[last]]);
  if (later < from->count)
    __builtin_prefetch(&t->out.nodes[t->out.offsets[from->nodes[later]]]);
  if (soon >= from->count)
    return;
  const uint64_t first = t->out.offsets[from->nodes[soon]], end = t->out.offsets[from->nodes[soon] + 1];
  for (uint64_t e = first; e < end && e < first + 16; e++)
    __builtin_prefetch(&t->strata.place[t->out.nodes[e]]);
}

static void train_part(void *arg, size_t part) {
  const group_round *r = arg;
  geodisk_trainer *t = r->t;
  alias table;
  const pool from = embed_pool(t, (uint32_t)part, r->episode->sampling, &table);
  const uint32_t count = from.count;
  worker *w = embed_take_worker(t);
  embed_start_stream(w, stream_of(STREAM_GROUP, r->episode->number, (uint64_t)r->number << 12 | part));
  tally *sum = &r->sums[part];
  *sum = nothing;
  group groups[2];
  size_t waiting = 0;
  for (uint32_t at = r->number; at < count && !sum->bad; at += ROUNDS) {
    const uint32_t u = from.nodes[at];
    fetch_ahead(t, &from, at);
    if (t->out.offsets[u] == t->out.offsets[u + 1])
      continue;
    groups[waiting++] = (group){.u = u, .place = at, .first = t->out.offsets[u], .last = t->out.offsets[u + 1]};
    if (waiting == 2) {
      train_groups(r, w, &from, groups, 2, sum);
      waiting = 0;
    }
  }
  if (waiting > 0 && !sum->bad)
    train_groups(r, w, &from, groups, 1, sum);
  embed_give_worker(t, w);
}

/* The first node whose edges come after those of others, `edges` or more. */
static size_t first_after(const geodisk_trainer *t, uint64_t edges) {
  size_t low = 0, high = t->nodes;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (t->in.offsets[middle] < edges)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Targets with EDGES_PER_TASK edges, or one with more: nodes with many sources are often neighbours. */
static void pull_targets(void *arg, size_t index) {
  const group_round *r = arg;
  geodisk_trainer *t = r->t;
  train_rule rule = *r->episode->rule;
  rule.longest = LONGEST_PULL;
  const bool single = t->options.precision == GEODISK_PRECISION_FLOAT, last_round = r->number + 1 == ROUNDS;
  const double sign = sign_of(r);
  worker *w = embed_take_worker(t);
  const size_t last = first_after(t, (index + 1) * (uint64_t)EDGES_PER_TASK);
  for (size_t v = first_after(t, index * (uint64_t)EDGES_PER_TASK); v < last; v++) {
    double weights[SOURCES_AT_ONCE], doubles[SOURCES_AT_ONCE + TRAIN_PAD];
    float floats[SOURCES_AT_ONCE + TRAIN_PAD];
    uint64_t e = t->in.offsets[v];
    const uint64_t end = t->in.offsets[v + 1];
    const bool few = end - e < FEW_SOURCES;
    if (e == end)
      continue;
    memcpy(trainer_row(t, t->nodes + v), trainer_row(t, v), row_bytes(t));
    while (e < end && (!few || last_round)) {
      size_t n = 0;
      for (const uint64_t stop = end - e < SOURCES_AT_ONCE ? end : e + SOURCES_AT_ONCE; e < stop; e++) {
        const uint32_t u = t->in.nodes[e];
        const double sum = few ? fabs(t->group_sums[u]) : sign * t->group_sums[u];
        w->index[n] = u;
        if (single)
          floats[n] = (float)sum;
        else
          doubles[n] = sum;
        weights[n] = t->in.weights ? t->in.weights[e] / t->mean_weight : 1.0;
        n += sum > 0.0; /* else it is of another round, or had no negatives */
      }
      if (n > 0)
        embed_pull_target(t, w, &rule, (uint32_t)(t->nodes + v), n, t->in.weights ? weights : NULL,
                          single ? (void *)floats : (void *)doubles);
    }
  }
  embed_give_worker(t, w);
}

tally embed_grouped_epoch(geodisk_trainer *t, const episode *e) {
  tally sum = nothing;
  const uint32_t parts = t->strata.parts;
  embed_deal(t, e->number);
  tally *sums = geodisk_allocate(parts, sizeof *sums);
  if (!sums || (e->sampling == GEODISK_SAMPLING_DEGREE && !embed_build_aliases(t))) {
    free(sums);
    return out_of_memory;
  }
  const size_t tasks = (t->nodes + NODES_PER_TASK - 1) / NODES_PER_TASK;
  copying out = {t, 0, t->nodes}, back = {t, t->nodes, 0};
  memset(t->group_sums, 0, t->nodes * sizeof *t->group_sums);
  geodisk_parallel(t->context, tasks, copy_targets, &out);
  for (uint32_t number = 0; number < ROUNDS && !sum.bad; number++) {
    group_round r = {t, e, number, sums};
    geodisk_parallel(t->context, parts, train_part, &r);
    for (uint32_t p = 0; p < parts; p++)
      embed_add_tally(&sum, &sums[p]);
    if (sum.bad)
      break;
    geodisk_parallel(t->context, (t->edges + EDGES_PER_TASK - 1) / EDGES_PER_TASK, pull_targets, &r);
    geodisk_parallel(t->context, tasks, copy_targets, &back);
  }
  free(sums);
  return sum;
}

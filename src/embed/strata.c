/* strata.c - the schedule that gives the same bytes on any number of threads.
 *
 * Nodes are dealt into P parts by a seeded permutation, anew every epoch. Bucket {a, b} holds the edges between the parts a and
 * b; it touches rows of these two parts only (negatives come from the part of u), so disjoint pairs can run side by side: first
 * all {a, a}, then the P - 1 rounds of a round-robin tournament. A bucket is not stored: it is found by going through the nodes
 * of both parts and picking the edges that lead to the other one. Every bucket has a random stream of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trainer.h"

/* Parts below this many nodes per negative clearly hurt: a source would see the same few negatives again and again. */
enum { NODES_PER_NEGATIVE = 3, USUAL_PARTS = 16 };

static uint32_t choose_parts(const geodisk_trainer *t) {
  if (t->options.negatives == GEODISK_ALL_NEGATIVES || t->options.async)
    return 1;
  if (t->options.parts)
    return t->options.parts;
  size_t most = t->nodes / (NODES_PER_NEGATIVE * t->options.negatives);
  if (most > USUAL_PARTS)
    most = USUAL_PARTS;
  return most < 2 ? 1 : (uint32_t)(most / 2 * 2);
}

geodisk_status embed_strata_create(geodisk_trainer *t) {
  strata *s = &t->strata;
  s->parts = choose_parts(t);
  if (s->parts > t->nodes)
    s->parts = (uint32_t)t->nodes;
  s->part_of = geodisk_allocate(t->nodes, sizeof *s->part_of);
  s->nodes = geodisk_allocate(t->nodes, sizeof *s->nodes);
  s->first = geodisk_allocate((size_t)s->parts + 1, sizeof *s->first);
  s->reaches = geodisk_allocate(t->nodes, sizeof *s->reaches);
  if (!s->part_of || !s->nodes || !s->first || !s->reaches)
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory for the schedule");
  return GEODISK_OK;
}

void embed_strata_destroy(geodisk_trainer *t) {
  free(t->strata.part_of);
  free(t->strata.nodes);
  free(t->strata.first);
  free(t->strata.reaches);
}

void embed_deal(geodisk_trainer *t, uint64_t epoch) {
  strata *s = &t->strata;
  const size_t n = t->nodes;
  geodisk_random random = geodisk_random_stream(t->options.seed, stream_of(STREAM_DEAL, epoch, 0));
  uint32_t *cards = s->nodes;
  for (size_t i = 0; i < n; i++)
    cards[i] = (uint32_t)i;
  for (size_t i = n - 1; i > 0; i--) {
    size_t j = (size_t)geodisk_random_below(&random, i + 1);
    uint32_t c = cards[i];
    cards[i] = cards[j];
    cards[j] = c;
  }
  for (uint32_t p = 0; p <= s->parts; p++)
    s->first[p] = (uint32_t)(n * p / s->parts);
  for (uint32_t p = 0; p < s->parts; p++)
    for (uint32_t i = s->first[p]; i < s->first[p + 1]; i++)
      s->part_of[cards[i]] = (uint8_t)p;
  uint32_t next[MOST_PARTS];
  memcpy(next, s->first, s->parts * sizeof *next);
  for (size_t i = 0; i < n; i++)
    s->nodes[next[s->part_of[t->order[i]]]++] = t->order[i];
}

/* ---- one bucket ---- */

typedef struct tournament_round {
  geodisk_trainer *t;
  const train_rule *rule;
  uint64_t epoch;
  geodisk_sampling sampling;
  uint32_t number; /* 0: all {a, a}; r: round r of the tournament */
  uint32_t pairs;
  tally sums[MOST_PARTS];
} tournament_round;

/* A step that visits all of `count` places in a scattered order: near the golden section, without a common divisor. */
static uint32_t scattering_jump(uint32_t count) {
  if (count <= 1)
    return 0;
  for (uint32_t jump = (uint32_t)((double)count * 0.6180339887) | 1u;; jump += 2) {
    uint32_t a = jump, b = count;
    while (b != 0) {
      uint32_t rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1)
      return jump % count;
  }
}

static void note_reach(geodisk_trainer *t, uint32_t u) {
  uint32_t reach = 0;
  for (uint64_t e = t->out.offsets[u]; e < t->out.offsets[u + 1]; e++)
    reach |= 1u << t->strata.part_of[t->out.nodes[e]] % 32;
  t->strata.reaches[u] = reach;
}

/* The edges of a bucket with source in part a and target in part b. Sources come in a scattered order: every `jump`-th. */
static void train_half(tournament_round *r, worker *w, uint32_t a, uint32_t b, tally *sum) {
  geodisk_trainer *t = r->t;
  const strata *s = &t->strata;
  const uint32_t count = s->first[a + 1] - s->first[a];
  alias table = {t->aliases.other ? t->aliases.other + s->first[a] : NULL,
                 t->aliases.other ? t->aliases.threshold + s->first[a] : NULL};
  const pool from = {s->nodes + s->first[a], count, r->sampling == GEODISK_SAMPLING_DEGREE ? &table : NULL};
  const bool all = t->options.negatives == GEODISK_ALL_NEGATIVES;
  const uint32_t jump = scattering_jump(count);
  uint32_t at = embed_word(t, w) % count;
  for (uint32_t i = 0; i < count && !sum->bad; i++, at = at + jump < count ? at + jump : at + jump - count) {
    uint32_t u = from.nodes[at];
    if (r->number == 0) /* every node comes by once: note where its edges lead, to pass it by in rounds that do not concern it */
      note_reach(t, u);
    else if (!(s->reaches[u] >> b % 32 & 1u))
      continue;
    for (uint64_t e = t->out.offsets[u]; e < t->out.offsets[u + 1]; e++) {
      uint32_t v = t->out.nodes[e];
      if (s->part_of[v] != b)
        continue;
      size_t negatives = embed_negatives(t, w, u, &from, at, r->sampling, all ? t->nodes : t->options.negatives, w->index);
      if (negatives == 0) {
        sum->skipped++;
        continue;
      }
      w->index[negatives] = v;
      double weight = t->out.weights ? t->out.weights[e] / t->mean_weight : 1.0;
      embed_step(t, w, r->rule, u, negatives, t->out.weights ? &weight : NULL, sum);
      if (sum->bad)
        break;
    }
  }
}

/* The two parts of pair i in a round; the larger number last. */
static void pair_of(const tournament_round *r, uint32_t i, uint32_t *a, uint32_t *b) {
  const uint32_t parts = r->t->strata.parts, even = parts + parts % 2, turn = r->number - 1;
  if (r->number == 0) {
    *a = *b = i;
    return;
  }
  *a = i == 0 ? even - 1 : (turn + i) % (even - 1);
  *b = (turn + (even - 1) - i) % (even - 1);
  if (*a > *b) {
    uint32_t c = *a;
    *a = *b;
    *b = c;
  }
}

static void train_bucket(void *arg, size_t index) {
  tournament_round *r = arg;
  uint32_t a, b;
  pair_of(r, (uint32_t)index, &a, &b);
  if (b >= r->t->strata.parts)
    return; /* a bye, when the number of parts is odd */
  worker *w = embed_take_worker(r->t);
  embed_start_stream(w, stream_of(STREAM_BUCKET, r->epoch, (uint64_t)a << 12 | b));
  tally *sum = &r->sums[index];
  train_half(r, w, a, b, sum);
  if (a != b && !sum->bad)
    train_half(r, w, b, a, sum);
  embed_give_worker(r->t, w);
}

/* Tables for drawing by degree inside each part. */
bool embed_build_aliases(geodisk_trainer *t) {
  const strata *s = &t->strata;
  double *weights = geodisk_allocate(t->nodes, sizeof *weights);
  uint32_t *scratch = geodisk_allocate(t->nodes + 2, 12);
  const bool ok = weights && scratch;
  if (ok)
    for (uint32_t p = 0; p < s->parts; p++) {
      for (uint32_t i = s->first[p]; i < s->first[p + 1]; i++) {
        uint32_t u = s->nodes[i];
        weights[i] = pow((double)(t->in.offsets[u + 1] - t->in.offsets[u]), t->options.power);
      }
      alias table = {t->aliases.other + s->first[p], t->aliases.threshold + s->first[p]};
      embed_build_alias(weights + s->first[p], s->first[p + 1] - s->first[p], &table, scratch);
    }
  free(weights);
  free(scratch);
  return ok;
}

tally embed_strata_epoch(geodisk_trainer *t, const train_rule *rule, uint64_t epoch, geodisk_sampling sampling) {
  tally sum = {0};
  const uint32_t parts = t->strata.parts, rounds = parts == 1 ? 1 : parts + parts % 2;
  embed_deal(t, epoch);
  tournament_round *r = geodisk_allocate_zero(1, sizeof *r);
  if (!r || (sampling == GEODISK_SAMPLING_DEGREE && !embed_build_aliases(t))) {
    free(r);
    return out_of_memory;
  }
  for (uint32_t number = 0; number < rounds && !sum.bad; number++) {
    *r = (tournament_round){.t = t, .rule = rule, .epoch = epoch, .sampling = sampling, .number = number};
    r->pairs = number == 0 ? parts : (parts + 1) / 2;
    geodisk_parallel(t->context, r->pairs, train_bucket, r);
    for (uint32_t i = 0; i < r->pairs; i++)
      embed_add_tally(&sum, &r->sums[i]); /* in fixed order, whatever the threads */
  }
  free(r);
  return sum;
}

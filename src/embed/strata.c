/* strata.c - the schedule that gives the same bytes on any number of threads.
 *
 * Nodes are dealt into P parts by a seeded permutation, anew every epoch. Bucket {a, b} holds the edges between the parts a and
 * b; it touches rows of these two parts only (negatives come from the part of u), so disjoint pairs can run side by side: first
 * all {a, a}, then the P - 1 rounds of a round-robin tournament. A pair may begin as soon as both its parts have finished the
 * round before; the order in which a part meets the others is fixed, so the result is too. Edges are sorted
 * into buckets anew every epoch, as pairs of places in their parts: 4 bytes each. Every bucket has a random stream of its own. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "trainer.h"

/* Parts below this many nodes per negative clearly hurt: a source would see the same few negatives again and again. */
enum { NODES_PER_NEGATIVE = 3, USUAL_PARTS = 16 };

/* Above this many nodes, parts become more rather than larger, so that the rows of two of them stay in a core's cache. */
enum { CACHED_PART = 8192 };

/* Links of so many edges are in memory at a time; with more, an epoch is sorted and trained a few rounds at a time. */
enum { MOST_LINKS = 1 << 22 };

static uint32_t choose_parts(const geodisk_trainer *t) {
  if (t->options.negatives == GEODISK_ALL_NEGATIVES || t->options.async)
    return 1;
  if (t->options.parts)
    return t->options.parts;
  size_t most = t->nodes / (NODES_PER_NEGATIVE * t->options.negatives);
  size_t usual = t->nodes / CACHED_PART + 1;
  usual = usual < USUAL_PARTS ? USUAL_PARTS : usual < MOST_PARTS - 1 ? usual + usual % 2 : MOST_PARTS;
  if (most > usual)
    most = usual;
  return most < 2 ? 1 : (uint32_t)(most / 2 * 2);
}

geodisk_status embed_strata_create(geodisk_trainer *t) {
  strata *s = &t->strata;
  s->parts = choose_parts(t);
  s->most_links = MOST_LINKS;
  if (s->parts > t->nodes)
    s->parts = (uint32_t)t->nodes;
  if (s->parts < 1)
    s->parts = 1;
  const bool links = !t->options.async && (t->options.variant == GEODISK_VARIANT_EDGE || t->options.burn_in > 0);
  s->largest = (t->nodes + s->parts - 1) / s->parts;
  s->wide = s->largest > 0xFFFF;
  s->part_of = geodisk_allocate(t->nodes, sizeof *s->part_of);
  s->nodes = geodisk_allocate_zero(t->nodes + 1, sizeof *s->nodes); /* one more may be read, never used */
  s->place = geodisk_allocate(t->nodes, sizeof *s->place);
  s->first = geodisk_allocate((size_t)s->parts + 1, sizeof *s->first);
  s->start = geodisk_allocate_zero(links ? (size_t)s->parts * s->parts + 1 : 0, sizeof *s->start);
  s->inner = geodisk_allocate(links ? t->nodes : 0, sizeof *s->inner);
  if (!s->part_of || !s->nodes || !s->place || !s->first || !s->start || !s->inner)
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory for the schedule");
  return GEODISK_OK;
}

void embed_strata_destroy(geodisk_trainer *t) {
  free(t->strata.part_of);
  free(t->strata.nodes);
  free(t->strata.place);
  free(t->strata.first);
  free(t->strata.start);
  free(t->strata.inner);
  free(t->strata.links);
}

void embed_deal(geodisk_trainer *t, uint64_t epoch) {
  strata *s = &t->strata;
  worker *w = &t->workers[0];
  const uint32_t n = (uint32_t)t->nodes;
  embed_start_stream(w, stream_of(STREAM_DEAL, epoch, 0));
  uint32_t *cards = s->nodes;
  for (uint32_t i = 0; i < n; i++)
    cards[i] = i;
  for (uint32_t i = n - 1; i > 0; i--) {
    uint32_t j = embed_below(t, w, i + 1), c = cards[i];
    cards[i] = cards[j];
    cards[j] = c;
  }
  uint32_t next[MOST_PARTS];
  for (uint32_t p = 0; p <= s->parts; p++)
    s->first[p] = (uint32_t)((uint64_t)n * p / s->parts);
  for (uint32_t p = 0; p < s->parts; p++) {
    next[p] = s->first[p];
    for (uint32_t i = s->first[p]; i < s->first[p + 1]; i++)
      s->part_of[cards[i]] = (uint8_t)p;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t u = t->order[i], at = next[s->part_of[u]]++;
    s->nodes[at] = u;
    s->place[u] = at;
  }
}

pool embed_pool(const geodisk_trainer *t, uint32_t part, geodisk_sampling sampling, alias *table) {
  const strata *s = &t->strata;
  if (sampling == GEODISK_SAMPLING_DEGREE)
    *table = (alias){t->aliases.other + s->first[part], t->aliases.threshold + s->first[part]};
  return (pool){.part = part,
                .nodes = s->nodes + s->first[part],
                .count = s->first[part + 1] - s->first[part],
                .alias = sampling == GEODISK_SAMPLING_DEGREE ? table : NULL,
                .rows = t->rows,
                .row_bytes = t->stride * row_bytes(t)};
}

/* ---- edges sorted by the parts they join ---- */

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

/* The round in which two parts meet. */
static uint32_t round_between(uint32_t parts, uint32_t a, uint32_t b) {
  const uint32_t last = parts + parts % 2 - 1; /* the last part stays while the others move round: see opponents() */
  if (a == b || last == 0)
    return 0;
  if (a == last || b == last)
    return 1 + (a < b ? a : b);
  return 1 + (uint32_t)((uint64_t)(a + b) * ((last + 1) / 2) % last);
}

/* Goes through the sources of part a in a scattered order and counts or writes its links: those of some rounds, and always those
 * within the part. Finding them ahead lets training run through lists instead of jumping about in the graph. */
static void sort_part(const geodisk_trainer *t, uint32_t a, uint64_t *next, bool write) {
  const strata *s = &t->strata;
  bool wanted[MOST_PARTS];
  for (uint32_t b = 0; b < s->parts; b++) {
    const uint32_t round = round_between(s->parts, a, b);
    wanted[b] = a == b || (round >= s->from_round && round < s->to_round);
  }
  const uint32_t first = s->first[a], count = s->first[a + 1] - first, jump = scattering_jump(count);
  uint16_t *narrow = s->links;
  uint32_t *wide = s->links;
  for (uint32_t i = 0, at = 0; i < count; i++, at = at + jump < count ? at + jump : at + jump - count) {
    const uint32_t u = s->nodes[first + at];
    if (write)
      s->inner[first + at] = (uint32_t)(next[a] - s->start[(size_t)a * s->parts + a]);
    for (uint64_t e = t->out.offsets[u]; e < t->out.offsets[u + 1]; e++) {
      const uint32_t v = t->out.nodes[e], b = s->part_of[v];
      if (!wanted[b])
        continue;
      const uint64_t to = next[b]++;
      if (!write)
        continue;
      const uint32_t target = s->place[v] - s->first[b];
      if (s->wide) {
        wide[2 * to] = at;
        wide[2 * to + 1] = target;
      } else {
        narrow[2 * to] = (uint16_t)at;
        narrow[2 * to + 1] = (uint16_t)target;
      }
    }
  }
}

static void count_links(void *arg, size_t part) {
  const geodisk_trainer *t = arg;
  uint64_t *counts = t->strata.start + part * t->strata.parts;
  memset(counts, 0, t->strata.parts * sizeof *counts);
  sort_part(t, (uint32_t)part, counts, false);
}

static void write_links(void *arg, size_t part) {
  const geodisk_trainer *t = arg;
  uint64_t next[MOST_PARTS];
  memcpy(next, t->strata.start + part * t->strata.parts, t->strata.parts * sizeof *next);
  sort_part(t, (uint32_t)part, next, true);
}

bool embed_sort_links(geodisk_trainer *t, uint32_t from_round, uint32_t to_round) {
  strata *s = &t->strata;
  const size_t buckets = (size_t)s->parts * s->parts;
  s->from_round = from_round;
  s->to_round = to_round;
  geodisk_parallel(t->context, s->parts, count_links, t);
  uint64_t sum = 0;
  for (size_t i = 0; i <= buckets; i++) {
    uint64_t count = i < buckets ? s->start[i] : 0;
    s->start[i] = sum;
    sum += count;
  }
  if (sum > s->room) { /* some more than needed now: the next epoch deals anew */
    free(s->links);
    s->room = sum + sum / 32;
    if (!(s->links = geodisk_allocate(s->room, s->wide ? 8 : 4))) {
      s->room = 0;
      return false;
    }
  }
  geodisk_parallel(t->context, s->parts, write_links, t);
  return true;
}

/* ---- one bucket ---- */

/* A tournament: in round 0 every part meets itself, in round r its opponent of that round. */
typedef struct tournament {
  geodisk_trainer *t;
  const train_rule *rule;
  uint64_t epoch;
  geodisk_sampling sampling;
  uint32_t rounds; /* to be played now and before */
  uint32_t games;  /* in each round but the first, in which every part has one */
  pthread_mutex_t lock;
  pthread_cond_t finished;
  uint32_t played[MOST_PARTS]; /* rounds that a part has finished */
  uint32_t open;               /* games before this one have begun */
  bool stop;
  struct game {
    bool begun;
    tally sum;
  } * list;
} tournament;

static double edge_weight(const geodisk_trainer *t, uint32_t u, uint32_t v) {
  uint64_t low = t->out.offsets[u], high = t->out.offsets[u + 1];
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (t->out.nodes[middle] < v)
      low = middle + 1;
    else
      high = middle;
  }
  return t->out.weights[low] / t->mean_weight;
}

/* The edges of a bucket with source in part a and target in part b. Negatives are drawn for a few edges at a time, so that their
 * rows are on their way while others are trained. */
static void train_half(const tournament *r, worker *w, uint32_t a, uint32_t b, tally *sum) {
  geodisk_trainer *t = r->t;
  const strata *s = &t->strata;
  alias table;
  const pool from = embed_pool(t, a, r->sampling, &table);
  const size_t wanted = t->options.negatives == GEODISK_ALL_NEGATIVES ? t->nodes : t->options.negatives;
  const uint32_t *targets = s->nodes + s->first[b];
  const uint64_t end = s->start[(size_t)a * s->parts + b + 1];
  w->source = w->hub = NO_NODE; /* what was listed belongs to another pool */
  for (uint64_t first = s->start[(size_t)a * s->parts + b]; first < end && !sum->bad; first += AHEAD) {
    uint32_t u[AHEAD];
    size_t negatives[AHEAD], n = end - first < AHEAD ? (size_t)(end - first) : AHEAD;
    for (size_t i = 0; i < n; i++) {
      const pair link = link_at(s, first + i);
      uint32_t *index = w->index + i * w->index_room;
      u[i] = from.nodes[link.source];
      if (w->source != u[i])
        embed_note_positives(t, w, u[i], a, link.source);
      negatives[i] = embed_negatives(t, w, u[i], &from, link.source, r->sampling, wanted, index);
      index[negatives[i]] = targets[link.target];
    }
    for (size_t i = 0; i < n && !sum->bad; i++) {
      uint32_t *index = w->index + i * w->index_room;
      if (negatives[i] == 0) {
        sum->skipped++;
        continue;
      }
      double weight = t->out.weights ? edge_weight(t, u[i], index[negatives[i]]) : 1.0;
      embed_step(t, w, r->rule, u[i], index, negatives[i], t->out.weights ? &weight : NULL, sum);
    }
  }
}

/* The parts that meet in a game of a round, the smaller number first; b >= parts: a has nobody to meet. */
static void opponents(uint32_t parts, uint32_t round, uint32_t game, uint32_t *a, uint32_t *b) {
  const uint32_t even = parts + parts % 2, turn = round - 1;
  if (round == 0) {
    *a = *b = game;
    return;
  }
  uint32_t x = game == 0 ? even - 1 : (turn + game) % (even - 1), y = (turn + (even - 1) - game) % (even - 1);
  *a = x < y ? x : y;
  *b = x < y ? y : x;
}

static uint32_t games_before(const tournament *r, uint32_t round) {
  return round == 0 ? 0 : r->t->strata.parts + (round - 1) * r->games;
}

/* A game whose parts have both finished the rounds before it: no thread waits for the slowest game of a round. Returns false if
 * all have begun; waits while there are some, but none is ready. */
static bool next_game(tournament *r, uint32_t *game, uint32_t *a, uint32_t *b) {
  const uint32_t parts = r->t->strata.parts, last = games_before(r, r->rounds);
  for (;;) {
    while (r->open < last && r->list[r->open].begun)
      r->open++;
    if (r->open == last || r->stop)
      return false;
    for (*game = r->open; *game < last; ++*game) {
      if (r->list[*game].begun)
        continue;
      uint32_t round = *game < parts ? 0 : 1 + (*game - parts) / r->games;
      opponents(parts, round, *game - games_before(r, round), a, b);
      if (r->played[*a] == round && (*b >= parts || r->played[*b] == round)) {
        r->list[*game].begun = true;
        return true;
      }
    }
    pthread_cond_wait(&r->finished, &r->lock);
  }
}

static void play(void *arg, size_t index) {
  (void)index;
  tournament *r = arg;
  const uint32_t parts = r->t->strata.parts;
  uint32_t game, a, b;
  worker *w = embed_take_worker(r->t);
  pthread_mutex_lock(&r->lock);
  while (next_game(r, &game, &a, &b)) {
    pthread_mutex_unlock(&r->lock);
    tally sum = nothing;
    if (b < parts) {
      embed_start_stream(w, stream_of(STREAM_BUCKET, r->epoch, (uint64_t)a << 12 | b));
      train_half(r, w, a, b, &sum);
      if (a != b && !sum.bad)
        train_half(r, w, b, a, &sum);
    }
    pthread_mutex_lock(&r->lock);
    r->list[game].sum = sum;
    r->stop = r->stop || sum.bad;
    r->played[a]++;
    if (b < parts && b != a)
      r->played[b]++;
    pthread_cond_broadcast(&r->finished);
  }
  pthread_mutex_unlock(&r->lock);
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
        uint64_t degree = t->in.offsets[u + 1] - t->in.offsets[u] + t->out.offsets[u + 1] - t->out.offsets[u];
        weights[i] = pow((double)degree, t->options.power);
      }
      alias table = {t->aliases.other + s->first[p], t->aliases.threshold + s->first[p]};
      embed_build_alias(weights + s->first[p], s->first[p + 1] - s->first[p], &table, scratch);
    }
  free(weights);
  free(scratch);
  return ok;
}

tally embed_strata_epoch(geodisk_trainer *t, const train_rule *rule, uint64_t epoch, geodisk_sampling sampling) {
  tally sum = nothing;
  const uint32_t parts = t->strata.parts, all = parts == 1 ? 1 : parts + parts % 2;
  const uint32_t most = (uint32_t)(t->edges / t->strata.most_links) + 1, phases = most < all ? most : all;
  tournament r = {.t = t, .rule = rule, .epoch = epoch, .sampling = sampling, .games = (parts + 1) / 2};
  const uint32_t games = games_before(&r, all);
  r.list = geodisk_allocate_zero(games, sizeof *r.list);
  embed_deal(t, epoch);
  if (!r.list || (sampling == GEODISK_SAMPLING_DEGREE && !embed_build_aliases(t))) {
    free(r.list);
    return out_of_memory;
  }
  pthread_mutex_init(&r.lock, NULL);
  pthread_cond_init(&r.finished, NULL);
  bool memory = true;
  for (uint32_t phase = 0; phase < phases && memory && !r.stop; phase++) {
    r.rounds = (uint32_t)((uint64_t)all * (phase + 1) / phases);
    memory = embed_sort_links(t, (uint32_t)((uint64_t)all * phase / phases), r.rounds);
    if (memory)
      geodisk_parallel(t->context, (size_t)t->worker_count, play, &r);
  }
  pthread_cond_destroy(&r.finished);
  pthread_mutex_destroy(&r.lock);
  for (uint32_t i = 0; i < games; i++)
    embed_add_tally(&sum, &r.list[i].sum); /* in fixed order, whatever the threads */
  free(r.list);
  return memory ? sum : out_of_memory;
}

/* strata.c - the schedule that gives the same bytes on any number of threads.
 *
 * Nodes are dealt into P parts by a seeded permutation (deal.h), anew every epoch. Bucket {a, b} holds the edges between the
 * parts a and b; it touches rows of these two parts only (negatives come from the part of u), so disjoint pairs can run side by
 * side: first all {a, a}, then the P - 1 rounds of a round-robin tournament. A pair may begin as soon as both its parts have
 * finished the round before; the order in which a part meets the others is fixed, so the result is too. Edges are sorted into
 * buckets anew every epoch, as pairs of places in their parts: 4 bytes each. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "trainer.h"

/* Parts of few nodes per negative hurt: a source sees the same ones again and again. Fewer than 3 clearly do; with fewer than 50,
 * 16 parts cost 0.005 MAP of WordNet's nouns, 8 parts 0.002. Negatives from nearby do not mind: for them 16 are better. */
enum { NODES_PER_NEGATIVE = 3, AMPLE_NODES_PER_NEGATIVE = 50, USUAL_PARTS = 16, FEWER_PARTS = 8 };

/* Above this many nodes, parts become more rather than larger, so that the rows of two of them stay in the cache that cores
 * share; smaller ones would fit into a core's own, but then games are so short that fetching rows takes longer than it saves. */
enum { CACHED_PART = 32768 };

/* Links of so many edges are in memory at a time; with more, an epoch is sorted and trained a few rounds at a time. */
enum { MOST_LINKS = 1 << 22 };

uint32_t embed_choose_parts(const geodisk_train_options *o, size_t nodes) {
  if (o->negatives == GEODISK_ALL_NEGATIVES || o->async)
    return 1;
  if (o->parts)
    return o->parts < nodes ? o->parts : (uint32_t)nodes;
  size_t most = nodes / (NODES_PER_NEGATIVE * o->negatives);
  size_t usual = nodes / CACHED_PART + 1;
  usual = usual < USUAL_PARTS ? USUAL_PARTS : usual < MOST_PARTS - 1 ? usual + usual % 2 : MOST_PARTS;
  if (o->sampling != GEODISK_SAMPLING_NEARBY && usual == USUAL_PARTS &&
      nodes / USUAL_PARTS / AMPLE_NODES_PER_NEGATIVE < o->negatives)
    usual = FEWER_PARTS;
  if (most > usual)
    most = usual;
  return most < 2 ? 1 : (uint32_t)(most / 2 * 2);
}

geodisk_status embed_strata_create(geodisk_trainer *t) {
  strata *s = &t->strata;
  s->parts = embed_choose_parts(&t->options, t->nodes);
  s->most_links = MOST_LINKS;
  const bool links = !t->options.async && (t->options.variant == GEODISK_VARIANT_EDGE || t->options.burn_in > 0);
  s->largest = (t->nodes + s->parts - 1) / s->parts;
  s->wide = s->largest > 0xFFFF;
  s->part_of = geodisk_allocate(t->nodes, sizeof *s->part_of);
  s->nodes = geodisk_allocate_zero(t->nodes + 1, sizeof *s->nodes); /* one more may be read, never used */
  s->place = geodisk_allocate(t->nodes, sizeof *s->place);
  s->first = geodisk_allocate((size_t)s->parts + 1, sizeof *s->first);
  s->start = geodisk_allocate_zero(links ? (size_t)s->parts * s->parts + 1 : 0, sizeof *s->start);
  s->inner = geodisk_allocate(links ? t->nodes : 0, sizeof *s->inner);
  s->moved = geodisk_allocate(links ? (t->nodes + 63) / 64 : 0, sizeof *s->moved);
  if (!s->part_of || !s->nodes || !s->place || !s->first || !s->start || !s->inner || !s->moved)
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
  free(t->strata.weights);
  free(t->strata.moved);
}

deal embed_deal_of(const geodisk_trainer *t, uint32_t parts, uint64_t epoch) {
  uint32_t words[4 * ((2 * DEAL_ROUNDS + 3) / 4)];
  t->kernel->random_words(t->options.seed, stream_of(STREAM_DEAL, epoch, 0), 0, sizeof words / 16, words);
  return deal_make((uint32_t)t->nodes, parts, words);
}

enum { CARDS_PER_TASK = 1024 };

typedef struct dealing {
  const geodisk_trainer *t;
  deal deal;
} dealing;

static void deal_some(void *arg, size_t index) {
  const dealing *d = arg;
  uint32_t cards[CARDS_PER_TASK], walking[CARDS_PER_TASK];
  const uint32_t first = (uint32_t)index * CARDS_PER_TASK, left = d->deal.n - first,
                 count = left < CARDS_PER_TASK ? left : CARDS_PER_TASK;
  for (uint32_t k = 0; k < count; k++)
    cards[k] = first + k;
  deal_cards(&d->deal, count, cards, walking);
  for (uint32_t k = 0; k < count; k++)
    d->t->strata.part_of[d->t->order[first + k]] = (uint16_t)deal_part(&d->deal, cards[k]);
}

void embed_deal(geodisk_trainer *t, uint64_t epoch) {
  strata *s = &t->strata;
  dealing d = {t, embed_deal_of(t, s->parts, epoch)};
  uint32_t next[MOST_PARTS];
  for (uint32_t p = 0; p <= s->parts; p++)
    s->first[p] = deal_first(&d.deal, p);
  memcpy(next, s->first, s->parts * sizeof *next);
  geodisk_parallel(t->context, (t->nodes + CARDS_PER_TASK - 1) / CARDS_PER_TASK, deal_some, &d);
  for (uint32_t i = 0; i < d.deal.n; i++) {
    const uint32_t u = t->order[i], at = next[s->part_of[u]]++;
    s->nodes[at] = u;
    s->place[u] = at;
  }
  s->sorted = false;
}

/* Rows of a cycle are fetched so many steps before they are needed. */
enum { ROWS_AHEAD = 8 };

/* Brings row from[i] to place i, for all i, in place: along the cycles of the permutation. What a game touches then lies
 * together; games are a good deal faster for it. */
static void line_up_rows(geodisk_trainer *t, const uint32_t *from) {
  uint64_t *moved = t->strata.moved;
  const size_t bytes = row_bytes(t), n = t->nodes;
  char *rows = t->rows, first[512 * 8 + 128];
  memset(moved, 0, (n + 63) / 64 * sizeof *moved);
  for (size_t start = 0; start < n; start++) {
    if (moved[start / 64] >> start % 64 & 1)
      continue;
    size_t to = start, ahead = start;
    memcpy(first, rows + start * bytes, bytes);
    for (int i = 0; i < ROWS_AHEAD; i++)
      ahead = from[ahead];
    for (;;) {
      const size_t next = from[to];
      for (size_t line = 0; line < bytes; line += 64)
        __builtin_prefetch(rows + ahead * bytes + line, 1);
      ahead = from[ahead];
      moved[to / 64] |= (uint64_t)1 << to % 64;
      if (next == start)
        break;
      memcpy(rows + to * bytes, rows + next * bytes, bytes);
      to = next;
    }
    memcpy(rows + to * bytes, first, bytes);
  }
}

/* The links from part a to part b. */
static link_list links_between(const strata *s, uint32_t a, uint32_t b) {
  const uint64_t *at = s->start + (size_t)a * s->parts + b;
  return (link_list){.pairs = (const char *)s->links + at[0] * (s->wide ? 8 : 4),
                     .weights = s->weights ? s->weights + at[0] : NULL,
                     .count = at[1] - at[0],
                     .wide = s->wide};
}

pool embed_pool(const geodisk_trainer *t, uint32_t part, geodisk_sampling sampling, alias *table) {
  const strata *s = &t->strata;
  const uint32_t first = s->first[part];
  pool from = {.nodes = s->lined_up ? NULL : s->nodes + first,
               .first_row = first,
               .count = s->first[part + 1] - first,
               .rows = t->rows,
               .row_bytes = row_bytes(t)};
  if (sampling == GEODISK_SAMPLING_DEGREE) {
    *table = (alias){t->aliases.other + first, t->aliases.threshold + first};
    from.alias = table;
  }
  if (s->sorted) {
    from.inner = links_between(s, part, part);
    from.inner_first = s->inner + first;
  }
  return from;
}

/* ---- edges sorted by the parts they join ---- */

/* Sources come in no order that the machine could guess: it is told so many ahead. */
enum { SOURCES_AHEAD = 16 };

static uint32_t next_place(uint32_t at, uint32_t jump, uint32_t count) {
  return at + jump < count ? at + jump : at + jump - count;
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
  uint32_t ahead[2] = {(uint32_t)((uint64_t)SOURCES_AHEAD * jump % count),
                       (uint32_t)(SOURCES_AHEAD / 2 * (uint64_t)jump % count)};
  for (uint32_t i = 0, at = 0; i < count; i++, at = next_place(at, jump, count)) {
    const uint32_t u = s->nodes[first + at];
    __builtin_prefetch(&t->out.offsets[s->nodes[first + ahead[0]]]);
    __builtin_prefetch(&t->out.nodes[t->out.offsets[s->nodes[first + ahead[1]]]]);
    for (int k = 0; k < 2; k++)
      ahead[k] = next_place(ahead[k], jump, count);
    if (write)
      s->inner[first + at] = (uint32_t)(next[a] - s->start[(size_t)a * s->parts + a]);
    for (uint64_t e = t->out.offsets[u]; e < t->out.offsets[u + 1]; e++) {
      const uint32_t v = t->out.nodes[e], b = s->part_of[v];
      if (!wanted[b])
        continue;
      const uint64_t to = next[b]++;
      if (!write)
        continue;
      link_set(s->links, s->wide, to, at, s->place[v] - s->first[b]);
      if (s->weights)
        s->weights[to] = t->out.weights[e] / t->mean_weight;
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

/* Counting, and as a task before it lining up the rows, which nobody needs yet. */
static void line_up_or_count(void *arg, size_t task) {
  geodisk_trainer *t = arg;
  if (task == 0)
    line_up_rows(t, t->strata.nodes);
  else
    count_links(arg, task - 1);
}

bool embed_sort_links(geodisk_trainer *t, uint32_t from_round, uint32_t to_round) {
  strata *s = &t->strata;
  const size_t buckets = (size_t)s->parts * s->parts;
  s->from_round = from_round;
  s->to_round = to_round;
  if (s->lined_up)
    geodisk_parallel(t->context, s->parts, count_links, t);
  else
    geodisk_parallel(t->context, (size_t)s->parts + 1, line_up_or_count, t);
  s->lined_up = true;
  uint64_t sum = 0;
  for (size_t i = 0; i <= buckets; i++) {
    uint64_t count = i < buckets ? s->start[i] : 0;
    s->start[i] = sum;
    sum += count;
  }
  if (sum > s->room) { /* some more than needed now: the next epoch deals anew */
    free(s->links);
    free(s->weights);
    s->room = sum + sum / 32;
    s->links = geodisk_allocate(s->room, s->wide ? 8 : 4);
    s->weights = t->out.weights ? geodisk_allocate(s->room, sizeof *s->weights) : NULL;
    if (!s->links || (t->out.weights && !s->weights)) {
      s->room = 0;
      return false;
    }
  }
  geodisk_parallel(t->context, s->parts, write_links, t);
  s->sorted = true;
  return true;
}

/* ---- the games ---- */

typedef struct tournament {
  geodisk_trainer *t;
  const episode *episode;
  uint32_t rounds; /* to be played now and before */
  pthread_mutex_t lock;
  pthread_cond_t finished;
  uint32_t played[MOST_PARTS]; /* rounds that a part has finished */
  uint32_t open;               /* games before this one have begun */
  bool stop;
  struct turn {
    bool begun;
    tally sum;
  } * list;
} tournament;

/* A game whose parts have both finished the rounds before it: no thread waits for the slowest game of a round. Returns false if
 * all have begun; waits while there are some, but none is ready. */
static bool next_game(tournament *r, uint32_t *number, uint32_t *a, uint32_t *b) {
  const uint32_t parts = r->t->strata.parts, last = games_before(r->t->strata.parts, r->rounds);
  for (;;) {
    while (r->open < last && r->list[r->open].begun)
      r->open++;
    if (r->open == last || r->stop)
      return false;
    for (*number = r->open; *number < last; ++*number) {
      if (r->list[*number].begun)
        continue;
      uint32_t round = *number < parts ? 0 : 1 + (*number - parts) / tournament_games(parts);
      opponents(parts, round, *number - games_before(parts, round), a, b);
      if (r->played[*a] == round && (*b >= parts || r->played[*b] == round)) {
        r->list[*number].begun = true;
        return true;
      }
    }
    pthread_cond_wait(&r->finished, &r->lock);
  }
}

static tally play_between(const tournament *r, worker *w, uint32_t a, uint32_t b) {
  geodisk_trainer *t = r->t;
  const strata *s = &t->strata;
  alias tables[2];
  game g = {.a = a, .b = b, .sides = {embed_pool(t, a, r->episode->sampling, &tables[0])}, .links = {links_between(s, a, b)}};
  if (a != b) {
    g.sides[1] = embed_pool(t, b, r->episode->sampling, &tables[1]);
    g.links[1] = links_between(s, b, a);
  }
  return embed_play(t, w, r->episode, &g);
}

static void play_games(void *arg, size_t index) {
  (void)index;
  tournament *r = arg;
  const uint32_t parts = r->t->strata.parts;
  uint32_t number, a, b;
  worker *w = embed_take_worker(r->t);
  pthread_mutex_lock(&r->lock);
  while (next_game(r, &number, &a, &b)) {
    pthread_mutex_unlock(&r->lock);
    const tally sum = b < parts ? play_between(r, w, a, b) : nothing;
    pthread_mutex_lock(&r->lock);
    r->list[number].sum = sum;
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

tally embed_strata_epoch(geodisk_trainer *t, const episode *e) {
  tally sum = nothing;
  const uint32_t parts = t->strata.parts, all = tournament_rounds(parts);
  const uint32_t most = (uint32_t)(t->edges / t->strata.most_links) + 1, phases = most < all ? most : all;
  tournament r = {.t = t, .episode = e};
  const uint32_t games = games_before(parts, all);
  r.list = geodisk_allocate_zero(games, sizeof *r.list);
  embed_deal(t, e->number);
  if (!r.list || (e->sampling == GEODISK_SAMPLING_DEGREE && !embed_build_aliases(t))) {
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
      geodisk_parallel(t->context, (size_t)t->worker_count, play_games, &r);
  }
  line_up_rows(t, t->strata.place); /* by number again */
  t->strata.lined_up = false;
  pthread_cond_destroy(&r.finished);
  pthread_mutex_destroy(&r.lock);
  for (uint32_t i = 0; i < games; i++)
    embed_add_tally(&sum, &r.list[i].sum); /* in fixed order, whatever the threads */
  free(r.list);
  if (sum.bad) {
    sum.bad_child = t->strata.nodes[sum.bad_child];
    sum.bad_parent = t->strata.nodes[sum.bad_parent];
  }
  return memory ? sum : out_of_memory;
}

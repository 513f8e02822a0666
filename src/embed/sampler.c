/* sampler.c - negatives: K distinct nodes of a pool that are neither u nor positives of u, in bounded time for every graph.
 *
 * Draws are places in the pool. They are rejected when they hit u, a positive or a place already taken, without a branch: a draw
 * is written down in any case, and counts only if its place was free. If that takes too long (the complement is small), the
 * complement is listed once, kept while the same u comes again, and drawn from directly; all of it if it has no more than K
 * nodes. */
#include <string.h>

#include "trainer.h"

void embed_start_stream(worker *w, uint64_t stream) {
  w->stream = stream;
  w->position = 0;
  w->words_used = WORDS;
  w->places_of = 0;
  w->hub = NO_NODE;
  w->source = NO_NODE;
}

static void refill(geodisk_trainer *t, worker *w) {
  t->kernel->random_words(t->options.seed, w->stream, w->position, WORDS / 4, w->words);
  w->position += WORDS / 4;
  w->words_used = 0;
}

uint32_t embed_word(geodisk_trainer *t, worker *w) {
  if (w->words_used == WORDS)
    refill(t, w);
  return w->words[w->words_used++];
}

/* Lemire's method: a word times n, its upper half; lower halves below `floor` would favour some. */
uint32_t embed_below(geodisk_trainer *t, worker *w, uint32_t n) {
  uint64_t product = (uint64_t)embed_word(t, w) * n;
  if ((uint32_t)product < n)
    for (uint32_t floor = (0u - n) % n; (uint32_t)product < floor;)
      product = (uint64_t)embed_word(t, w) * n;
  return (uint32_t)(product >> 32);
}

/* ---- positives of a source: their places in the pool ---- */

typedef struct cursor {
  uint64_t at, end;
} cursor;

static cursor first_positive(const geodisk_trainer *t, const pool *from, uint32_t u, uint32_t place) {
  if (from->inner_first)
    return (cursor){from->inner_first[place], from->inner.count};
  return (cursor){t->out.offsets[u], t->out.offsets[u + 1]};
}

static bool next_positive(const geodisk_trainer *t, const pool *from, uint32_t place, cursor *c, uint32_t *out) {
  while (c->at < c->end) {
    const uint64_t i = c->at++;
    if (from->inner_first) {
      const pair link = link_at(&from->inner, i);
      *out = link.target;
      return link.source == place;
    }
    const uint32_t v = t->out.nodes[i];
    if (t->strata.part_of[v] == from->part) {
      *out = t->strata.place[v] - t->strata.first[from->part];
      return true;
    }
  }
  return false;
}

/* Where u stands in the pool. */
static uint32_t own_place(const geodisk_trainer *t, const pool *from, uint32_t u, uint32_t position) {
  return from->inner_first ? position : t->strata.place[u] - t->strata.first[from->part];
}

/* Marks u and its positives, however many. */
static void close_positives(const geodisk_trainer *t, worker *w, uint32_t u, const pool *from, uint32_t place) {
  if (++w->closing == 0) {
    memset(w->closed, 0, w->largest * sizeof *w->closed);
    w->closing = 1;
  }
  cursor c = first_positive(t, from, u, place);
  w->closed[place] = w->closing;
  for (uint32_t v; next_positive(t, from, place, &c, &v);)
    w->closed[v] = w->closing;
}

/* Lists the places of u and its positives in the pool if they are few, and closes them if they are many. */
static void note_positives(const geodisk_trainer *t, worker *w, uint32_t u, const pool *from, uint32_t place) {
  cursor c = first_positive(t, from, u, place);
  w->source = u;
  w->taken[0] = place;
  w->taken_count = 1;
  w->crowded = false;
  for (uint32_t v; next_positive(t, from, place, &c, &v);) {
    if (w->taken_count == MOST_TAKEN) {
      w->taken_count = 1;
      w->crowded = true;
      close_positives(t, w, u, from, place);
      return;
    }
    w->taken[w->taken_count++] = v;
  }
}

/* ---- draws: places of the pool that may be taken; `count` or more means none ---- */

/* A place near `position`: 2^k + (less than 2^k) steps to either side, k uniform below levels: log-uniform in the distance. */
static inline uint32_t nearby(uint32_t position, uint32_t levels, uint32_t word) {
  uint32_t k = ((word >> 24) * levels) >> 8, distance = (1u << k) + (uint32_t)(((uint64_t)(word & 0x7FFFFFu) << k) >> 23);
  return word & 0x800000u ? position + distance : position - distance; /* below 0 wraps to more than count */
}

static uint32_t levels_of(uint32_t count) {
  uint32_t levels = 0;
  while ((count - 1) >> levels)
    levels++;
  return levels;
}

/* Uniform draws from a small pool, two from a word (Lemire's method as in embed_below). Place `count` stands for a draw that
 * would favour some; it is never free. */
static void draw_places(geodisk_trainer *t, worker *w, uint32_t count) {
  const uint16_t n = (uint16_t)count, floor = (uint16_t)((0x10000u - count) % count);
  uint32_t words[WORDS];
  uint16_t halves[PLACES];
  t->kernel->random_words(t->options.seed, w->stream, w->position, WORDS / 4, words);
  w->position += WORDS / 4;
  memcpy(halves, words, sizeof halves);
  for (size_t i = 0; i < PLACES; i++) {
    uint16_t high = (uint16_t)(((uint32_t)halves[i] * n) >> 16), low = (uint16_t)(halves[i] * (uint32_t)n);
    w->places[i] = low < floor ? n : high;
  }
  w->places_used = 0;
  w->places_of = count;
}

/* Takes places one by one: the node is written down in any case, and counts if its place was free. Returns how many did. */
static size_t take(const pool *from, uint16_t *stamp, uint16_t step, const uint16_t *places, size_t count, uint32_t *index) {
  const uint32_t *nodes = from->nodes;
  const char *rows = from->rows;
  const size_t row_bytes = from->row_bytes;
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    const uint32_t place = places[i], node = nodes[place];
    const size_t fresh = stamp[place] != step;
    stamp[place] = step;
    index[n] = node;
    n += fresh;
    __builtin_prefetch(rows + node * row_bytes, 1);
  }
  return n;
}

static size_t draw_small(geodisk_trainer *t, worker *w, const pool *from, size_t n, size_t wanted, uint32_t *index) {
  for (size_t tries = 0; n < wanted && tries < 16 * wanted + 64;) {
    if (w->places_of != from->count || w->places_used == PLACES)
      draw_places(t, w, from->count);
    size_t more = wanted - n, left = PLACES - w->places_used;
    more = more < left ? more : left;
    n += take(from, w->stamp, w->step, w->places + w->places_used, more, index + n);
    w->places_used += more;
    tries += more;
  }
  return n;
}

/* One place of any pool. */
static size_t take_one(const pool *from, worker *w, uint32_t place, uint32_t *index) {
  size_t fresh = w->stamp[place] != w->step;
  w->stamp[place] = w->step;
  *index = from->nodes[place];
  __builtin_prefetch(from->rows + *index * from->row_bytes, 1);
  return fresh;
}

static size_t draw_nearby(geodisk_trainer *t, worker *w, const pool *from, uint32_t position, size_t wanted, uint32_t *index) {
  const uint32_t levels = levels_of(from->count), count = from->count;
  size_t n = 0;
  for (size_t tries = 0; n < wanted && tries < 4 * wanted; tries++) {
    uint32_t i = nearby(position, levels, embed_word(t, w));
    n += take_one(from, w, i < count ? i : count, index + n);
  }
  return n;
}

static size_t draw_large(geodisk_trainer *t, worker *w, const pool *from, size_t n, size_t wanted, uint32_t *index) {
  for (size_t tries = 0; n < wanted && tries < 16 * wanted + 64; tries++) {
    uint32_t i = embed_below(t, w, from->count);
    if (from->alias && embed_word(t, w) >= from->alias->threshold[i])
      i = from->alias->other[i];
    n += take_one(from, w, i, index + n);
  }
  return n;
}

/* The same for a source with very many positives: they are closed. */
static size_t draw_crowded(geodisk_trainer *t, worker *w, const pool *from, size_t wanted, uint32_t *index) {
  size_t n = 0;
  for (size_t tries = 0; n < wanted && tries < 16 * wanted + 64; tries++) {
    uint32_t i = embed_below(t, w, from->count);
    if (from->alias && embed_word(t, w) >= from->alias->threshold[i])
      i = from->alias->other[i];
    if (w->closed[i] != w->closing)
      n += take_one(from, w, i, index + n);
  }
  return n;
}

/* ---- a small complement ---- */

static void list_rest(geodisk_trainer *t, worker *w, uint32_t u, const pool *from, uint32_t place) {
  close_positives(t, w, u, from, place);
  w->hub = u;
  w->rest_count = 0;
  for (uint32_t i = 0; i < from->count; i++)
    if (w->closed[i] != w->closing)
      w->rest[w->rest_count++] = from->nodes[i];
}

/* The first `wanted` of a random permutation of the rest (its order changes, which does not matter). */
static size_t draw_rest(geodisk_trainer *t, worker *w, size_t wanted, uint32_t *index) {
  if (wanted > w->rest_count)
    wanted = w->rest_count;
  for (size_t i = 0; i < wanted; i++) {
    size_t j = i + embed_below(t, w, (uint32_t)(w->rest_count - i));
    uint32_t node = w->rest[j];
    w->rest[j] = w->rest[i];
    w->rest[i] = index[i] = node;
  }
  return wanted;
}

size_t embed_negatives(geodisk_trainer *t, worker *w, uint32_t u, const pool *from, uint32_t position, geodisk_sampling sampling,
                       size_t wanted, uint32_t *index) {
  if (w->hub == u)
    return draw_rest(t, w, wanted, index);
  if (wanted >= from->count) {
    list_rest(t, w, u, from, own_place(t, from, u, position));
    return draw_rest(t, w, wanted, index);
  }
  if (w->source != u)
    note_positives(t, w, u, from, own_place(t, from, u, position));
  if (++w->step == 0) {
    memset(w->stamp, 0, ((size_t)from->count + 1) * sizeof *w->stamp);
    w->step = 1;
  }
  w->stamp[from->count] = w->step;
  for (size_t i = 0; i < w->taken_count; i++)
    w->stamp[w->taken[i]] = w->step;
  size_t n = 0;
  if (w->crowded) {
    n = draw_crowded(t, w, from, wanted, index);
  } else {
    if (sampling == GEODISK_SAMPLING_NEARBY) /* if the neighbourhood is crowded with positives, fewer */
      n = draw_nearby(t, w, from, position, (size_t)(t->options.nearby * (double)wanted), index);
    n = from->alias || from->count > 0xFFFF ? draw_large(t, w, from, n, wanted, index) : draw_small(t, w, from, n, wanted, index);
  }
  if (n == wanted)
    return n;
  list_rest(t, w, u, from, own_place(t, from, u, position));
  return draw_rest(t, w, wanted, index);
}

void embed_build_alias(const double *weights, size_t n, alias *table, uint32_t *scratch) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++)
    sum += weights[i];
  /* Small shares are stacked from the front of scratch, large ones from its back; a large one fills up each small one. */
  size_t small = 0, large = n;
  double *share = (double *)(void *)(scratch + 2 * ((n + 1) / 2)); /* n doubles after n (even) words */
  for (size_t i = 0; i < n; i++) {
    share[i] = sum > 0.0 ? weights[i] / sum * (double)n : 1.0;
    table->other[i] = (uint32_t)i;
    table->threshold[i] = UINT32_MAX;
    if (share[i] < 1.0)
      scratch[small++] = (uint32_t)i;
    else
      scratch[--large] = (uint32_t)i;
  }
  while (small > 0 && large < n) {
    uint32_t s = scratch[--small], l = scratch[large];
    table->threshold[s] = (uint32_t)(share[s] * 4294967295.0);
    table->other[s] = l;
    share[l] -= 1.0 - share[s];
    if (share[l] < 1.0) {
      large++;
      scratch[small++] = l;
    }
  }
}

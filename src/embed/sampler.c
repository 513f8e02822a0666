/* sampler.c - negatives: K distinct nodes of a pool that are neither u nor positives of u, in bounded time for every graph.
 *
 * Draws are places in the pool. Nearly always they come from a comb (train.h), which spreads them evenly over the hierarchy and
 * cannot draw a place twice; the few that hit u, a positive or the other edge of a couple are drawn anew. Where that cannot be
 * done they are drawn one by one, and if that takes too long too (the complement is small) the complement is listed once, kept
 * while the same u comes again, and drawn from directly; all of it if it has no more than K nodes. */
#include <string.h>

#include "trainer.h"

void embed_forget_pool(worker *w) { w->hub = w->taken[0].source = w->taken[1].source = NO_NODE; }

void embed_start_stream(worker *w, uint64_t stream) {
  w->stream = stream;
  w->position = 0;
  w->words_used = WORDS;
  w->halves_used = w->halves_count = w->halves_last = 0;
  embed_forget_pool(w);
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

const uint16_t *embed_halves(geodisk_trainer *t, worker *w, size_t n) {
  if (w->halves_count - w->halves_used < n) {
    const size_t from = w->halves_used - w->halves_last;
    memmove(w->halves, w->halves + from, (w->halves_count - from) * sizeof *w->halves);
    w->halves_count -= from;
    w->halves_used -= from;
    for (; w->halves_count - w->halves_used < n; w->halves_count += HALVES) {
      uint32_t words[WORDS];
      t->kernel->random_words(t->options.seed, w->stream, w->position, WORDS / 4, words);
      w->position += WORDS / 4;
      memcpy(w->halves + w->halves_count, words, sizeof words);
    }
  }
  w->halves_used += n;
  w->halves_last = n;
  return w->halves + w->halves_used - n;
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
    *out = t->strata.place[t->out.nodes[i]] - from->first_row;
    if (*out < from->count)
      return true;
  }
  return false;
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
static void note_positives(const geodisk_trainer *t, worker *w, uint32_t u, const pool *from, uint32_t place, holdings *out) {
  if (out->source == u && (!out->crowded || out->closing == w->closing))
    return;
  cursor c = first_positive(t, from, u, place);
  out->source = u;
  out->place[0] = place;
  out->count = 1;
  out->crowded = false;
  for (uint32_t v; next_positive(t, from, place, &c, &v);) {
    if (out->count == MOST_TAKEN) {
      out->count = 1;
      out->crowded = true;
      close_positives(t, w, u, from, place);
      out->closing = w->closing;
      return;
    }
    out->place[out->count++] = v;
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

/* Takes a place if it is free: the node is written down in any case. Returns 1 if it was. */
static size_t take(const pool *from, worker *w, uint32_t place, uint32_t *index) {
  const size_t fresh = w->stamp[place] != w->step;
  w->stamp[place] = w->step;
  *index = row_at(from, place);
  __builtin_prefetch(from->rows + *index * from->row_bytes, 1);
  return fresh;
}

/* One after the other, `near` of them from nearby if they are to be had there: by degree, from very large pools, of sources with
 * very many positives, or of a pool not much larger than what is wanted. */
static size_t draw_one_by_one(geodisk_trainer *t, worker *w, const pool *from, const holdings *own, size_t near,
                              uint32_t position, size_t wanted, uint32_t *index) {
  const uint32_t count = from->count, levels = levels_of(count);
  if (++w->step == 0) {
    memset(w->stamp, 0, (w->largest + 1) * sizeof *w->stamp);
    w->step = 1;
  }
  w->stamp[count] = w->step;
  for (size_t i = 0; i < own->count; i++)
    w->stamp[own->place[i]] = w->step;
  size_t n = 0;
  for (size_t tries = 0; n < near && tries < 4 * near; tries++) {
    const uint32_t i = nearby(position, levels, embed_word(t, w));
    if (i < count && !(own->crowded && w->closed[i] == w->closing))
      n += take(from, w, i, index + n);
  }
  for (size_t tries = 0; n < wanted && tries < 16 * wanted + 64; tries++) {
    uint32_t i = embed_below(t, w, count);
    if (from->alias && embed_word(t, w) >= from->alias->threshold[i])
      i = from->alias->other[i];
    if (!(own->crowded && w->closed[i] == w->closing))
      n += take(from, w, i, index + n);
  }
  return n;
}

/* ---- draws by a comb ---- */

/* So many slices of a pool must have at least this many places each. */
enum { LEAST_SLICE = 2 };

static bool is_listed(const uint32_t *list, size_t n, uint32_t place) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == place)
      return true;
  return false;
}

static bool is_drawn(const worker *w, const combed *c, uint32_t place) {
  if (c->places[train_comb_tooth(&w->comb, place)] == place)
    return true;
  for (size_t i = 0; i < c->loose_count; i++)
    if (c->loose[i] == place)
      return true;
  return false;
}

/* A place that nobody holds or has drawn, from nearby or from all, for a slot of the list; false if none was found. */
static bool draw_loose(geodisk_trainer *t, worker *w, const holdings *own, const company *other, combed *c, bool near,
                       uint32_t position, size_t slot) {
  const uint32_t count = w->comb.count, levels = levels_of(count);
  const bool second = c != w->combed && w->combed[0].used;
  for (int tries = 0; tries < 64 && c->loose_count < c->loose_room; tries++) {
    const uint32_t p = near ? nearby(position, levels, embed_word(t, w)) : embed_below(t, w, count);
    if (p >= count || is_listed(own->place, own->count, p) || (other && is_listed(other->place, other->count, p)) ||
        is_drawn(w, c, p) || (second && is_drawn(w, &w->combed[0], p)))
      continue;
    c->slot[c->loose_count] = (uint16_t)slot;
    c->loose[c->loose_count++] = (uint16_t)p;
    return true;
  }
  return false;
}

/* Another draw where one hit a place that may not be drawn. What was drawn first still counts as drawn, for the other edge of a
 * couple too: so a positive of one has the same chance as any node to be a negative of the other. */
static bool mend(geodisk_trainer *t, worker *w, const holdings *own, const company *other, combed *c, uint32_t place) {
  const uint32_t tooth = train_comb_tooth(&w->comb, place);
  return c->places[tooth] != place || draw_loose(t, w, own, other, c, false, 0, tooth);
}

static void set_comb(worker *w, uint32_t count, uint32_t teeth) {
  train_comb *comb = &w->comb;
  if (comb->count == count && comb->teeth == teeth)
    return;
  comb->count = count;
  comb->teeth = teeth;
  for (uint32_t j = 0; j <= teeth; j++) {
    w->starts[j] = (uint16_t)(j * count / teeth);
    w->middles[j] = (uint16_t)((2 * j + 1) * count / (2 * teeth));
  }
}

/* Draws a place from each tooth; the second edge of a couple takes the other half of it than the first one does. False if none
 * of them is one that may not be drawn. */
static bool draw_teeth(geodisk_trainer *t, worker *w, const holdings *own, const company *other, const combed *first, combed *c) {
  enum { AT_LEAST = 4 }; /* u is repeated: nearly always the same number of places is compared, which the machine can guess */
  uint16_t barred[MOST_TAKEN + sizeof other->place / sizeof *other->place];
  size_t n = 0;
  for (size_t i = 0; i < AT_LEAST; i++)
    barred[i] = (uint16_t)own->place[0];
  for (size_t i = 0; i < own->count; i++)
    barred[n++] = (uint16_t)own->place[i];
  for (size_t i = 0; other && i < other->count; i++)
    barred[n++] = (uint16_t)other->place[i];
  if (!first)
    w->comb.turn = embed_below(t, w, w->comb.count);
  const uint16_t *random = embed_halves(t, w, w->comb.teeth);
  return t->kernel->comb_draw(&w->comb, random, first ? random - w->comb.teeth : NULL, barred, n < AT_LEAST ? AT_LEAST : n,
                              c->places) ||
         (first && first->loose_count > 0);
}

/* Draws again what may not be drawn; false if that was not possible. */
static bool mend_all(geodisk_trainer *t, worker *w, const holdings *own, const company *other, const combed *first, combed *c) {
  bool ok = true;
  for (size_t i = 0; i < own->count && ok; i++)
    ok = mend(t, w, own, other, c, own->place[i]);
  for (size_t i = 0; other && i < other->count && ok; i++)
    ok = mend(t, w, own, other, c, other->place[i]);
  for (size_t i = 0; first && i < first->loose_count && ok; i++)
    ok = mend(t, w, own, other, c, first->loose[i]);
  return ok;
}

/* Evenly spread draws: `near` of them from nearby, the others by a comb. False if not enough were found. */
static bool draw_combed(geodisk_trainer *t, worker *w, const pool *from, const holdings *own, company *other, uint32_t position,
                        size_t near, size_t wanted, uint32_t *restrict index) {
  const bool second = other && other->second;
  const size_t teeth = wanted - near;
  combed *c = &w->combed[second];
  const combed *first = second && w->combed[0].used ? &w->combed[0] : NULL;
  set_comb(w, from->count, (uint32_t)teeth);
  c->loose_count = 0;
  bool ok = !draw_teeth(t, w, own, other, first, c) || mend_all(t, w, own, other, first, c);
  for (size_t i = teeth; i < wanted && ok; i++)
    ok = draw_loose(t, w, own, other, c, true, position, i) || draw_loose(t, w, own, other, c, false, 0, i);
  if (!ok)
    return false;
  if (from->nodes)
    for (size_t i = 0; i < teeth; i++)
      index[i] = from->nodes[c->places[i]];
  else
    for (size_t i = 0; i < teeth; i++)
      index[i] = from->first_row + c->places[i];
  for (size_t i = 0; i < c->loose_count; i++)
    index[c->slot[i]] = row_at(from, c->loose[i]);
  c->used = true;
  if (other)
    other->kept = !second || first;
  return true;
}

/* ---- a small complement ---- */

static void list_rest(geodisk_trainer *t, worker *w, uint32_t u, const pool *from, uint32_t place) {
  close_positives(t, w, u, from, place);
  w->hub = u;
  w->rest_count = 0;
  for (uint32_t i = 0; i < from->count; i++)
    if (w->closed[i] != w->closing)
      w->rest[w->rest_count++] = row_at(from, i);
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
                       size_t wanted, company *other, uint32_t *index) {
  const bool second = other && other->second;
  const size_t near = sampling == GEODISK_SAMPLING_NEARBY ? (size_t)(t->options.nearby * (double)wanted) : 0;
  w->combed[second].used = false;
  if (other)
    other->kept = false;
  if (w->hub != u && wanted < from->count) {
    holdings *own = &w->taken[second];
    note_positives(t, w, u, from, position, own);
    const bool even =
        !from->alias && !own->crowded && from->count <= UINT16_MAX && near < wanted && from->count / LEAST_SLICE >= wanted;
    if (even && draw_combed(t, w, from, own, other, position, near, wanted, index))
      return wanted;
    const size_t n = draw_one_by_one(t, w, from, own, near, position, wanted, index);
    if (n == wanted)
      return n;
  }
  if (w->hub != u)
    list_rest(t, w, u, from, position);
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

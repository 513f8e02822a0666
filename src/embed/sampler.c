/* sampler.c - negatives: K distinct nodes of a pool that are neither u nor positives of u, in bounded time for every graph.
 *
 * Draws are places in the pool. Nearly always they come from a comb (train.h), which spreads them evenly over the hierarchy and
 * cannot draw a place twice, for one edge or for those of a company; the few that hit u, a positive or another edge of the
 * company are drawn anew. Where that cannot be done they are drawn one by one, and if that takes too long too (the complement is
 * small) the complement is listed once, kept while the same u comes again, and drawn from directly; all of it if it has no more
 * than K nodes. */
#include <string.h>

#include "trainer.h"

void embed_start_stream(worker *w, uint64_t stream) {
  w->stream = stream;
  w->position = 0;
  w->words_used = WORDS;
  w->halves_used = w->halves_count = 0;
  w->hub = NO_NODE;
  for (size_t i = 0; i < TRAIN_AT_ONCE; i++)
    w->taken[i].source = NO_NODE;
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
    w->halves_count -= w->halves_used;
    memmove(w->halves, w->halves + w->halves_used, w->halves_count * sizeof *w->halves);
    w->halves_used = 0;
    for (; w->halves_count < n; w->halves_count += HALVES) {
      uint32_t words[WORDS];
      t->kernel->random_words(t->options.seed, w->stream, w->position, WORDS / 4, words);
      w->position += WORDS / 4;
      memcpy(w->halves + w->halves_count, words, sizeof words);
    }
  }
  w->halves_used += n;
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

enum { FEW_POSITIVES = 3 };

/* Lists the places of u and its positives in the pool if they are few, and closes them if they are many. */
static void note_positives(const geodisk_trainer *t, worker *w, uint32_t u, const pool *from, uint32_t place, holdings *out) {
  if (out->source == u && (!out->crowded || out->closing == w->closing))
    return;
  cursor c = first_positive(t, from, u, place);
  out->source = u;
  out->place[0] = place;
  out->count = 1;
  out->crowded = false;
  if (from->inner_first && c.end - c.at >= FEW_POSITIVES) { /* how many cannot be guessed: the first few without a branch */
    for (size_t i = 0; i < FEW_POSITIVES; i++) {
      const pair link = link_at(&from->inner, c.at++);
      out->place[out->count] = link.target;
      out->count += link.source == place;
    }
    if (out->count <= FEW_POSITIVES)
      return;
  }
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

/* From now on no place is taken. */
static void clear_stamps(worker *w) {
  if (++w->step == 0) {
    memset(w->stamp, 0, w->largest * sizeof *w->stamp);
    w->step = 1;
  }
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
  clear_stamps(w);
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

/* So many slices of a pool must have at least this many places each: one for each step of a company. */
enum { LEAST_SLICE = TRAIN_AT_ONCE };

static void set_comb(worker *w, uint32_t count, uint32_t teeth) {
  train_comb *comb = w->comb = &w->combs[count % 2];
  if (comb->count == count && comb->teeth == teeth)
    return;
  comb->count = count;
  comb->teeth = teeth;
  for (uint32_t j = 0; j <= teeth; j++)
    w->starts[count % 2][j] = (uint16_t)(j * count / teeth);
}

static bool is_listed(const uint32_t *list, size_t n, uint32_t place) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == place)
      return true;
  return false;
}

/* Whether list i may have it: it is neither barred there nor drawn for any list. */
static bool is_open(const worker *w, const train_draw *draws, size_t lists, size_t i, uint32_t place) {
  if (place >= w->comb->count || w->stamp[place] == w->step)
    return false;
  const uint32_t tooth = train_comb_tooth(w->comb, place);
  for (size_t k = 0; k < lists; k++)
    if (draws[k].places[tooth] == place)
      return false;
  return !is_listed(draws[i].barred, draws[i].barred_count, place);
}

/* An open place, from nearby or from all; false if none was found. */
static bool draw_loose(geodisk_trainer *t, worker *w, const pool *from, const train_draw *draws, size_t lists, size_t i,
                       bool near, uint32_t *row) {
  const uint32_t levels = levels_of(from->count), source = draws[i].barred[0];
  for (int tries = 0; tries < 64; tries++) {
    const uint32_t place = near ? nearby(source, levels, embed_word(t, w)) : embed_below(t, w, from->count);
    if (!is_open(w, draws, lists, i, place))
      continue;
    w->stamp[place] = w->step;
    *row = row_at(from, place);
    return true;
  }
  return false;
}

/* What list i has from elsewhere: draws that replace those of barred places, and draws from nearby that follow the teeth. What
 * was drawn first still counts as drawn, for all lists: so a positive of one step has the same chance as any node to be a
 * negative of another. */
static bool draw_elsewhere(geodisk_trainer *t, worker *w, const pool *from, const train_draw *draws, size_t lists, size_t i,
                           size_t wanted, uint32_t *index) {
  const uint32_t *barred = draws[i].barred;
  bool ok = true;
  for (size_t k = 0; k < draws[i].barred_count && ok; k++) {
    const uint32_t tooth = train_comb_tooth(w->comb, barred[k]);
    if (draws[i].places[tooth] == barred[k] && !is_listed(barred, k, barred[k]))
      ok = draw_loose(t, w, from, draws, lists, i, false, &index[tooth]);
  }
  for (size_t k = w->comb->teeth; k < wanted && ok; k++)
    ok = draw_loose(t, w, from, draws, lists, i, true, &index[k]) || draw_loose(t, w, from, draws, lists, i, false, &index[k]);
  return ok;
}

/* The list of a step: barred are its own places and those of its company. */
static train_draw draw_of(worker *w, size_t i, const company *c) {
  holdings *own = &w->taken[i];
  const size_t n = own->count + c->places;
  for (size_t k = 0; k < c->places; k++)
    own->place[own->count + k] = c->place[k];
  for (size_t k = 0; k < USUALLY_BARRED; k++) /* the same number nearly always, which the machine can guess */
    own->place[n + k] = own->place[0];
  return (train_draw){own->place, n < USUALLY_BARRED ? USUALLY_BARRED : n, w->places + i * w->places_room};
}

/* Evenly spread draws: `near` of each step from nearby, the others by a comb. False if not enough were found. */
static bool draw_combed(geodisk_trainer *t, worker *w, const pool *from, size_t near, size_t wanted, company *c) {
  const size_t teeth = wanted - near, lists = c->count;
  train_draw draws[TRAIN_AT_ONCE];
  set_comb(w, from->count, (uint32_t)teeth);
  w->comb->turn = embed_below(t, w, from->count);
  for (size_t i = 0; i < lists; i++)
    draws[i] = draw_of(w, i, c);
  const unsigned hits = t->kernel->comb_draw(w->comb, embed_halves(t, w, lists * teeth), draws, lists);
  for (size_t i = 0; i < lists; i++) {
    const uint16_t *restrict places = draws[i].places;
    uint32_t *restrict index = c->steps[i].index;
    c->steps[i].negatives = wanted;
    for (size_t j = 0; j < teeth; j++)
      index[j] = from->nodes ? from->nodes[places[j]] : from->first_row + places[j];
  }
  if (!hits && near == 0)
    return true;
  clear_stamps(w);
  for (size_t i = 0; i < lists; i++)
    if (!draw_elsewhere(t, w, from, draws, lists, i, wanted, c->steps[i].index))
      return false;
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

/* For all steps at once, if that is possible. */
static bool draw_together(geodisk_trainer *t, worker *w, const pool *from, size_t near, size_t wanted, company *c) {
  if (from->alias || from->count > UINT16_MAX || near >= wanted || from->count / LEAST_SLICE < wanted)
    return false;
  for (size_t i = 0; i < c->count; i++) {
    if (w->hub == c->steps[i].u)
      return false;
    note_positives(t, w, c->steps[i].u, from, c->place[i], &w->taken[i]);
    if (w->taken[i].crowded)
      return false;
  }
  return draw_combed(t, w, from, near, wanted, c);
}

static size_t draw_alone(geodisk_trainer *t, worker *w, uint32_t u, const pool *from, uint32_t place, size_t near, size_t wanted,
                         uint32_t *index) {
  if (w->hub != u && wanted < from->count) {
    note_positives(t, w, u, from, place, &w->taken[0]);
    if (draw_one_by_one(t, w, from, &w->taken[0], near, place, wanted, index) == wanted)
      return wanted;
  }
  if (w->hub != u)
    list_rest(t, w, u, from, place);
  return draw_rest(t, w, wanted, index);
}

void embed_negatives(geodisk_trainer *t, worker *w, const pool *from, geodisk_sampling sampling, size_t wanted, company *c) {
  const size_t near = sampling == GEODISK_SAMPLING_NEARBY ? (size_t)(t->options.nearby * (double)wanted) : 0;
  c->apart = draw_together(t, w, from, near, wanted, c);
  if (c->apart)
    return;
  for (size_t i = 0; i < c->count; i++) {
    train_step *step = &c->steps[i];
    company alone = {.steps = {*step}, .count = 1, .place = {c->place[i]}, .places = 1};
    if (c->count > 1 && draw_together(t, w, from, near, wanted, &alone))
      step->negatives = wanted;
    else
      step->negatives = draw_alone(t, w, step->u, from, c->place[i], near, wanted, step->index);
  }
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

/* sampler.c - negatives: K distinct nodes of a pool that are neither u nor positives of u, in bounded time for every graph.
 *
 * Draws are rejected when they hit u, a positive or a node already taken. If that takes too long (the complement is small), the
 * complement is listed once, kept while the same u comes again, and drawn from directly; all of it if it has no more than K
 * nodes. */
#include <string.h>

#include "trainer.h"

/* Positives are stamped one by one up to this degree; for more, a binary search per draw is cheaper. */
enum { STAMP_DEGREE = 64 };

void embed_start_stream(worker *w, uint64_t stream) {
  w->stream = stream;
  w->position = 0;
  w->words_used = WORDS;
  w->half_left = false;
  w->hub = NO_NODE;
}

uint32_t embed_word(geodisk_trainer *t, worker *w) {
  if (w->words_used == WORDS) {
    t->kernel->random_words(t->options.seed, w->stream, w->position, WORDS / 4, w->words);
    w->position += WORDS / 4;
    w->words_used = 0;
  }
  return w->words[w->words_used++];
}

/* Half a word. Small pools need no more, and random words are a good part of what drawing costs. */
static uint32_t half_word(geodisk_trainer *t, worker *w) {
  w->half_left = !w->half_left;
  if (w->half_left) {
    w->halves = embed_word(t, w);
    return w->halves >> 16;
  }
  return w->halves & 0xFFFFu;
}

/* A number below n without bias (Lemire). */
static uint32_t below(geodisk_trainer *t, worker *w, uint32_t n) {
  if (n <= 0xFFFFu) {
    uint32_t product = half_word(t, w) * n;
    if ((product & 0xFFFFu) < n)
      for (uint32_t floor = (0x10000u - n) % n; (product & 0xFFFFu) < floor;)
        product = half_word(t, w) * n;
    return product >> 16;
  }
  uint64_t product = (uint64_t)embed_word(t, w) * n;
  if ((uint32_t)product < n)
    for (uint32_t floor = (0u - n) % n; (uint32_t)product < floor;)
      product = (uint64_t)embed_word(t, w) * n;
  return (uint32_t)(product >> 32);
}

static bool is_positive(const geodisk_trainer *t, uint32_t u, uint32_t v) {
  const uint32_t *row = t->out.nodes + t->out.offsets[u];
  size_t low = 0, high = t->out.offsets[u + 1] - t->out.offsets[u];
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (row[middle] < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low < t->out.offsets[u + 1] - t->out.offsets[u] && row[low] == v;
}

/* A place near `position`: 2^k + (less than 2^k) steps to either side, k uniform: log-uniform in the distance. Outside: `count`.
 */
static uint32_t nearby(geodisk_trainer *t, worker *w, uint32_t position, uint32_t count) {
  uint32_t levels = 0, word = embed_word(t, w);
  while ((count - 1) >> levels)
    levels++;
  uint32_t k = (uint32_t)(((uint64_t)(word >> 1) * levels) >> 31);
  uint32_t distance = (1u << k) + (embed_word(t, w) & ((1u << k) - 1u));
  if (word & 1u)
    return distance <= position ? position - distance : count;
  return distance < count - position ? position + distance : count;
}

static uint32_t draw(geodisk_trainer *t, worker *w, const pool *from, uint32_t position, bool near) {
  if (near)
    return nearby(t, w, position, from->count);
  uint32_t i = below(t, w, from->count);
  if (from->alias && embed_word(t, w) >= from->alias->threshold[i])
    i = from->alias->other[i];
  return i;
}

/* Lists the complement of u in the pool. */
static void list_rest(geodisk_trainer *t, worker *w, uint32_t u, const pool *from) {
  w->hub = u;
  w->rest_count = 0;
  for (uint32_t i = 0; i < from->count; i++)
    if (from->nodes[i] != u && !is_positive(t, u, from->nodes[i]))
      w->rest[w->rest_count++] = from->nodes[i];
}

/* The first `wanted` of a random permutation of the rest (its order changes, which does not matter). */
static size_t draw_rest(geodisk_trainer *t, worker *w, size_t wanted, uint32_t *index) {
  if (wanted > w->rest_count)
    wanted = w->rest_count;
  for (size_t i = 0; i < wanted; i++) {
    size_t j = i + below(t, w, (uint32_t)(w->rest_count - i));
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
    list_rest(t, w, u, from);
    return draw_rest(t, w, wanted, index);
  }
  if (++w->step == 0) {
    memset(w->stamp, 0, t->nodes * sizeof *w->stamp);
    w->step = 1;
  }
  const uint32_t step = w->step;
  uint32_t *stamp = w->stamp;
  const uint64_t first = t->out.offsets[u], last = t->out.offsets[u + 1];
  const bool search = last - first > STAMP_DEGREE;
  stamp[u] = step;
  if (!search)
    for (uint64_t i = first; i < last; i++)
      stamp[t->out.nodes[i]] = step;

  const size_t near = sampling == GEODISK_SAMPLING_NEARBY ? wanted / 2 : 0, patience = 16 * wanted + 64;
  size_t n = 0;
  for (size_t tries = 0; n < wanted && tries < patience; tries++) {
    /* The first half nearby; if that side of the order is crowded with positives, the rest is drawn uniformly. */
    uint32_t i = draw(t, w, from, position, n < near && tries < 4 * near);
    if (i >= from->count)
      continue;
    uint32_t node = from->nodes[i];
    if (stamp[node] == step || (search && is_positive(t, u, node)))
      continue;
    stamp[node] = step;
    index[n++] = node;
  }
  if (n == wanted)
    return n;
  list_rest(t, w, u, from);
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

/* units.c - who is in which block of an epoch, and which block in which batch.
 *
 * Units are numbered along the depth-first order of the hierarchy: unit i is the node at place i with its targets. The few nodes
 * with more than TRAIN_MOST_TARGETS of them have further units behind all others. Every epoch the units are shuffled: runs of a
 * few stay together, and are dealt anew within regions of the order, whose size changes from epoch to epoch; so the units of a
 * block, which are negatives of each other, are now near kin, now strangers. The batches take turns: each has one block of every
 * `batches` neighbouring ones. Nothing of it needs a table, so that any rank knows where any unit is. */
#include <stdlib.h>

#include "trainer.h"

void embed_words(uint64_t seed, int use, uint64_t epoch, uint64_t number, uint32_t out[4]) {
  const uint64_t stream = stream_of(use, epoch, number >> 40);
  const uint32_t counter[4] = {(uint32_t)number, (uint32_t)(number >> 32) & 0xFFu, (uint32_t)stream, (uint32_t)(stream >> 32)};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  geodisk_philox(counter, key, out);
}

/* ---- a permutation of 0 .. n-1, computable for one number at a time: a Feistel network on its bits, walked until it ends below
 * n
 */

static shuffle shuffle_make(uint64_t n, const uint32_t words[8]) {
  unsigned bits = 2;
  while (bits < 62 && (n - 1) >> bits)
    bits++;
  shuffle s = {.n = n, .low_bits = bits / 2};
  s.low_mask = ((uint64_t)1 << s.low_bits) - 1;
  s.high_mask = ((uint64_t)1 << (bits - s.low_bits)) - 1;
  for (int i = 0; i < 8; i++)
    s.keys[i] = words[i];
  return s;
}

static uint64_t mix(uint32_t key, uint64_t half) {
  uint64_t x = (half ^ key) * 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
  return x >> 32;
}

static uint64_t shuffled(const shuffle *s, uint64_t i) {
  do {
    uint64_t high = i >> s->low_bits, low = i & s->low_mask;
    for (int r = 0; r < 8; r += 2) {
      high ^= mix(s->keys[r], low) & s->high_mask;
      low ^= mix(s->keys[r + 1], high) & s->low_mask;
    }
    i = high << s->low_bits | low;
  } while (i >= s->n);
  return i;
}

shuffle embed_shuffle(const geodisk_trainer *t, const epoch_plan *plan, uint64_t region) {
  const uint64_t runs = (plan->units + plan->run - 1) / plan->run, left = runs - region * plan->region;
  uint32_t words[8];
  embed_words(t->options.seed, STREAM_SHUFFLE, plan->number, 2 * region, words);
  embed_words(t->options.seed, STREAM_SHUFFLE, plan->number, 2 * region + 1, words + 4);
  return shuffle_make(left < plan->region ? left : plan->region, words);
}

/* ---- units ---- */

/* The sources of every GUIDE_STEP-th edge, and of the last one. */
static geodisk_status create_guide(geodisk_trainer *t) {
  const size_t count = t->edges / GUIDE_STEP + 2;
  t->guide = geodisk_allocate(count, sizeof *t->guide);
  if (!t->guide)
    return geodisk_no_memory(t->context, "for %zu edges", t->edges);
  uint32_t u = 0;
  for (size_t i = 0; i < count; i++) {
    const uint64_t edge = i * GUIDE_STEP < t->edges ? i * GUIDE_STEP : t->edges - 1;
    while (t->out.offsets[u + 1] <= edge)
      u++;
    t->guide[i] = u;
  }
  return GEODISK_OK;
}

size_t embed_extra_units(const uint64_t *offsets, const uint32_t *order, size_t nodes, extra_unit *out) {
  size_t n = 0;
  for (size_t place = 0; place < nodes; place++) {
    const size_t u = order ? order[place] : place;
    for (uint64_t part = 1; part * TRAIN_MOST_TARGETS < offsets[u + 1] - offsets[u]; part++, n++)
      if (out)
        out[n] = (extra_unit){(uint32_t)place, (uint32_t)part};
  }
  return n;
}

geodisk_status embed_units_create(geodisk_trainer *t) {
  if (t->options.units == GEODISK_UNITS_EDGE)
    return create_guide(t);
  t->extras = embed_extra_units(t->out.offsets, t->order, t->nodes, NULL);
  t->extra = geodisk_allocate(t->extras, sizeof *t->extra);
  if (!t->extra)
    return geodisk_no_memory(t->context, "for %zu units", t->extras);
  embed_extra_units(t->out.offsets, t->order, t->nodes, t->extra);
  return GEODISK_OK;
}

uint64_t embed_unit_count(const geodisk_trainer *t) {
  return t->options.units == GEODISK_UNITS_EDGE ? t->edges : t->nodes + t->extras;
}

static uint32_t source_of(const geodisk_trainer *t, uint64_t edge) {
  const uint32_t *guide = t->guide + edge / GUIDE_STEP;
  return (uint32_t)csr_row(t->out.offsets, guide[0], guide[1] + (size_t)1, edge);
}

/* Unit number `unit` in the order of the hierarchy. */
static unit_place unit_of(const geodisk_trainer *t, uint64_t unit) {
  if (t->options.units == GEODISK_UNITS_EDGE) {
    const uint32_t u = source_of(t, unit);
    const uint64_t row = t->out.offsets[u];
    return (unit_place){t->place ? t->place[u] : 0, u, unit, 1, (uint32_t)(t->out.offsets[u + 1] - row), row};
  }
  const extra_unit of = unit < t->nodes ? (extra_unit){(uint32_t)unit, 0} : t->extra[unit - t->nodes];
  const uint32_t u = embed_node_at(t, of.place);
  const uint64_t row = t->out.offsets[u], first = row + (uint64_t)of.part * TRAIN_MOST_TARGETS, end = t->out.offsets[u + 1];
  const uint32_t count = end - first < TRAIN_MOST_TARGETS ? (uint32_t)(end - first) : TRAIN_MOST_TARGETS;
  return (unit_place){of.place, u, first, count, (uint32_t)(end - row), row};
}

size_t embed_block_numbers(const geodisk_trainer *t, const epoch_plan *plan, uint64_t block, uint64_t *numbers) {
  const uint64_t runs = (plan->units + plan->run - 1) / plan->run, block_runs = plan->block_units / plan->run;
  uint64_t region = UINT64_MAX, first = 0;
  shuffle s = {0};
  size_t count = 0;
  for (uint64_t run = block * block_runs; run < (block + 1) * block_runs && run < runs; run++) {
    if (run / plan->region != region) {
      region = run / plan->region;
      first = region * plan->region;
      s = region == 0 ? plan->first : embed_shuffle(t, plan, region);
    }
    const uint64_t unit = (first + shuffled(&s, run - first)) * plan->run;
    for (uint64_t i = unit; i < unit + plan->run && i < plan->units; i++)
      numbers[count++] = i;
    if (t->order && unit < t->nodes) /* what is read next is fetched while others are told */
      __builtin_prefetch(&t->order[unit]);
  }
  return count;
}

size_t embed_block_units(const geodisk_trainer *t, const epoch_plan *plan, uint64_t block, unit_place *out) {
  uint64_t numbers[TRAIN_MOST_UNITS];
  const size_t count = embed_block_numbers(t, plan, block, numbers);
  size_t n = 0;
  if (t->options.units == GEODISK_UNITS_SOURCE)
    for (size_t i = 0; i < count; i++)
      if (numbers[i] < t->nodes)
        __builtin_prefetch(&t->out.offsets[embed_node_at(t, numbers[i])]);
  for (size_t i = 0; i < count; i++) {
    out[n] = unit_of(t, numbers[i]);
    __builtin_prefetch(&t->out.nodes[out[n].first]);
    n += out[n].count > 0;
  }
  return n;
}

/* ---- batches ---- */

uint64_t embed_block_at(const geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, uint64_t i) {
  if (plan->batches == 1)
    return i < plan->blocks ? i : UINT64_MAX;
  uint32_t words[4];
  embed_words(t->options.seed, STREAM_BATCH, plan->number, i, words);
  const uint64_t turn = ((uint64_t)words[0] << 32 | words[1]) % plan->batches,
                 block = i * plan->batches + (batch + turn) % plan->batches;
  return block < plan->blocks ? block : UINT64_MAX;
}

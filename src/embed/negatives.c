/* negatives.c - the candidates of a block: its sources, their targets, and the negatives it draws.
 *
 * Negatives from everywhere come from a comb: the depth-first order is cut into as many slices as there are negatives, and one
 * node is drawn from each, so that they are spread evenly over the hierarchy. Those from nearby stand at log-uniform distance
 * from a source in that order, from 1 on: siblings and cousins, the hardest to tell from ancestors. A share of both may be drawn
 * from the inner nodes alone, in the same way, as if the order had no others. Draws that hit a source or a target of the block
 * are left out. All random numbers of a block are hashes under a key drawn for (seed, epoch, block). */
#include <stdlib.h>
#include <string.h>

#include "kernel/train_draws.h"
#include "trainer.h"

size_t embed_most_candidates(const geodisk_trainer *t, const epoch_plan *plan) {
  const size_t named = (size_t)plan->block_units * (t->options.units == GEODISK_UNITS_EDGE ? 2 : 1 + TRAIN_MOST_TARGETS);
  const size_t most = (named < t->nodes ? named : t->nodes) + (plan->all ? t->nodes : (size_t)plan->far + plan->near);
  return most;
}

bool embed_drawn_create(const geodisk_trainer *t, size_t candidates, drawn_block *out) {
  const size_t targets = (size_t)TRAIN_MOST_UNITS * TRAIN_MOST_TARGETS;
  memset(out, 0, sizeof *out);
  out->unit = geodisk_allocate(TRAIN_MOST_UNITS, sizeof *out->unit);
  out->targets = geodisk_allocate(targets, sizeof *out->targets);
  out->weights = t->out.weights ? geodisk_allocate(targets, sizeof *out->weights) : NULL;
  out->node = geodisk_allocate(candidates + 64, sizeof *out->node);
  out->words = geodisk_allocate(candidates + 64, sizeof *out->words);
  out->table = geodisk_allocate_zero(BLOCK_TABLE, sizeof *out->table);
  return out->unit && out->targets && (out->weights || !t->out.weights) && out->node && out->words && out->table;
}

void embed_drawn_destroy(drawn_block *d) { geodisk_free_all(d->unit, d->targets, d->weights, d->node, d->words, d->table); }

/* ---- the table of sources and targets ---- */

static uint32_t slot_of(uint32_t node) { return node * 2654435761u >> 18; } /* 14 bits */
static uint32_t filter_of(uint32_t node) { return node & (BLOCK_FILTER - 1); }

/* The candidate that a node is; it becomes one. */
static uint32_t name(drawn_block *d, uint32_t node) {
  uint32_t at = slot_of(node);
  for (; d->table[at]; at = (at + 1) & (BLOCK_TABLE - 1))
    if (d->node[d->table[at] - 1] == node)
      return d->table[at] - 1;
  const uint32_t c = (uint32_t)d->candidates++;
  d->used[d->named++] = at;
  d->table[at] = c + 1;
  d->node[c] = node;
  d->filter[filter_of(node) / 64] |= (uint64_t)1 << filter_of(node) % 64;
  return c;
}

static inline bool is_named(const drawn_block *d, uint32_t node) {
  if (!(d->filter[filter_of(node) / 64] >> filter_of(node) % 64 & 1))
    return false;
  for (uint32_t at = slot_of(node); d->table[at]; at = (at + 1) & (BLOCK_TABLE - 1))
    if (d->node[d->table[at] - 1] == node)
      return true;
  return false;
}

/* Negatives, as nodes. */
static void add_negatives(drawn_block *d, const uint32_t *nodes, size_t count) {
  size_t n = d->candidates;
  for (size_t i = 0; i < count; i++) {
    d->node[n] = nodes[i];
    n += !is_named(d, nodes[i]);
  }
  d->candidates = n;
}

static void add_places(const geodisk_trainer *t, drawn_block *d, uint32_t *places, size_t count) {
  for (size_t i = 0; i < count; i++)
    places[i] = embed_node_at(t, places[i]);
  add_negatives(d, places, count);
}

static void forget_names(drawn_block *d) {
  for (size_t i = 0; i < d->named; i++)
    d->table[d->used[i]] = 0;
  for (size_t i = 0; i < d->named; i++)
    d->filter[filter_of(d->node[i]) / 64] = 0;
}

enum { SHORT_ROW = 32 };

/* Whether a node is among so many, which are sorted; few are looked at all, without a branch. */
static bool is_among(const uint32_t *nodes, size_t count, uint32_t node) {
  if (count <= SHORT_ROW) {
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++)
      found |= nodes[i] == node;
    return found;
  }
  return csr_has(nodes, count, node);
}

/* Drops what was drawn and is a target of u that its unit does not have: of an edge's source, or of one with very many. */
static void drop_targets(const geodisk_trainer *t, const unit_place *unit, drawn_block *d) {
  size_t kept = d->named;
  if (unit->count == unit->row_count)
    return;
  for (size_t c = d->named; c < d->candidates; c++) {
    const uint32_t node = d->node[c];
    d->node[kept] = node;
    kept += !is_among(t->out.nodes + unit->row, unit->row_count, node);
  }
  d->candidates = kept;
}

/* ---- draws ---- */

/* Where `slices` slices of so many begin, and where the last one ends. */
static void cut(uint64_t count, uint32_t slices, uint32_t *begins) {
  for (uint32_t i = 0; i <= slices; i++)
    begins[i] = slices ? (uint32_t)(i * count / slices) : 0;
}

bool embed_comb(geodisk_trainer *t, const epoch_plan *plan) {
  if (plan->far == t->comb_far && plan->far_inner == t->comb_inner && t->comb)
    return true;
  free(t->comb);
  t->comb = geodisk_allocate((size_t)plan->far + 2, sizeof *t->comb);
  t->comb_far = plan->far;
  t->comb_inner = plan->far_inner;
  if (t->comb) {
    cut(t->inners, plan->far_inner, t->comb);
    cut(t->nodes, plan->far - plan->far_inner, t->comb + plan->far_inner + 1);
  }
  return t->comb != NULL;
}

/* The places of all nodes that edges lead to. */
bool embed_list_inner(geodisk_trainer *t, const uint64_t *led) {
  t->inners = 0;
  for (size_t i = 0; i < t->nodes; i++)
    t->inners += led[i / 64] >> i % 64 & 1;
  t->inner = geodisk_allocate(t->inners, sizeof *t->inner);
  for (size_t i = 0, n = 0; i < t->nodes && t->inner; i++)
    if (led[i / 64] >> i % 64 & 1)
      t->inner[n++] = (uint32_t)i;
  return t->inner != NULL;
}

geodisk_status embed_inner_create(geodisk_trainer *t) {
  const size_t words = t->nodes / 64 + 1;
  uint64_t *led = geodisk_allocate_zero(2 * words, sizeof *led), *places = led ? led + words : NULL; /* by node; by place */
  for (size_t e = 0; e < t->edges && led; e++)
    led[t->out.nodes[e] / 64] |= (uint64_t)1 << t->out.nodes[e] % 64;
  for (size_t i = 0; i < t->nodes && led; i++) {
    const uint32_t node = embed_node_at(t, i);
    places[i / 64] |= (led[node / 64] >> node % 64 & 1) << i % 64;
  }
  const bool memory = led && embed_list_inner(t, places);
  free(led);
  return memory ? GEODISK_OK : geodisk_no_memory(t->context, "for the inner nodes");
}

/* A word to a place that the tables of its block may replace by another; the next word decides. */
static uint32_t degree_draw(const geodisk_trainer *t, uint32_t w, uint32_t *next) {
  const uint64_t blocks = (t->nodes + DEGREE_BLOCK - 1) / DEGREE_BLOCK;
  const uint32_t block = embed_degree_place(&t->alias_blocks, (uint32_t)(w * blocks >> 32), train_hash(w, 1));
  const uint64_t first = (uint64_t)block * DEGREE_BLOCK, left = t->nodes - first;
  *next = train_hash(w, 3);
  return (uint32_t)(first + (train_hash(w, 2) * (left < DEGREE_BLOCK ? left : DEGREE_BLOCK) >> 32));
}

void embed_degree_draws(const geodisk_trainer *t, const epoch_plan *plan, uint64_t block, uint32_t *places, uint32_t *words) {
  uint32_t keys[4];
  embed_words(t->options.seed, STREAM_BLOCK, plan->number, block, keys);
  (t->kernel ? t->kernel->words : draw_words)(keys[1], 1u << 16, plan->far, words);
  for (size_t i = 0; i < plan->far; i++)
    places[i] = degree_draw(t, words[i], &words[i]);
}

/* How many inner nodes stand before a place: the number of the node there, if it is one; at most that of the last. */
static uint32_t inner_at(const geodisk_trainer *t, uint32_t place) { return (uint32_t)csr_place(t->inner, t->inners - 1, place); }

static void add_far(const geodisk_trainer *t, const epoch_plan *plan, const uint32_t *keys, drawn_block *d) {
  uint32_t *w = d->words;
  if (plan->sampling == GEODISK_SAMPLING_DEGREE) {
    (t->kernel ? t->kernel->words : draw_words)(keys[1], 1u << 16, plan->far, w);
    for (size_t i = 0; i < plan->far; i++) {
      uint32_t word;
      const uint32_t at = degree_draw(t, w[i], &word), first = at / DEGREE_BLOCK * DEGREE_BLOCK;
      const alias table = {t->aliases.other + first, t->aliases.threshold + first};
      w[i] = first + embed_degree_place(&table, at - first, word);
    }
  } else {
    void (*const comb)(uint32_t, const uint32_t *, size_t, uint32_t *) = t->kernel ? t->kernel->comb : draw_comb;
    const uint32_t inner = plan->far_inner;
    if (inner > 0)
      comb(keys[3], t->comb, inner, w);
    for (size_t i = 0; i < inner; i++)
      w[i] = t->inner[w[i]];
    comb(keys[1], t->comb + inner + 1, plan->far - inner, w + inner);
  }
  add_places(t, d, w, plan->far);
}

static void add_near(const geodisk_trainer *t, const epoch_plan *plan, const uint32_t *keys, const uint32_t *places,
                     drawn_block *d) {
  void (*const near)(uint32_t, const uint32_t *, size_t, uint64_t, size_t, uint32_t *) = t->kernel ? t->kernel->near : draw_near;
  const uint32_t inner = plan->near_inner;
  uint32_t *w = d->words, from[TRAIN_MOST_UNITS];
  size_t drawn = 0;
  for (size_t i = 0; i < d->units && inner > 0; i++)
    from[i] = inner_at(t, places[i]);
  if (inner > 0)
    near(keys[3], from, d->units, t->inners, inner, w);
  for (size_t i = 0; i < inner; i++)
    w[i] = w[i] == UINT32_MAX ? w[i] : t->inner[w[i]];
  near(keys[2], places, d->units, t->nodes, plan->near - inner, w + inner);
  for (size_t i = 0; i < plan->near; i++) {
    w[drawn] = w[i];
    drawn += w[i] != UINT32_MAX;
  }
  add_places(t, d, w, drawn);
}

void embed_draw_block(const geodisk_trainer *t, const epoch_plan *plan, uint64_t block, drawn_block *d) {
  unit_place units[TRAIN_MOST_UNITS];
  const size_t count = embed_block_units(t, plan, block, units);
  embed_draw_units(t, plan, block, units, count, NULL, d);
}

void embed_draw_units(const geodisk_trainer *t, const epoch_plan *plan, uint64_t block, const unit_place *units, size_t count,
                      const uint32_t *far, drawn_block *d) {
  uint32_t keys[4], places[TRAIN_MOST_UNITS];
  embed_words(t->options.seed, STREAM_BLOCK, plan->number, block, keys);
  d->candidates = d->named = 0;
  d->units = count;
  for (size_t i = 0; i < d->units; i++) {
    places[i] = units[i].place;
    d->unit[i] =
        (train_unit){.source = name(d, units[i].node), .targets = units[i].count, .key = train_hash(keys[0], (uint32_t)i)};
  }
  if (d->units == 0)
    return;
  size_t n = 0;
  for (size_t i = 0; i < d->units; i++) {
    d->unit[i].target = d->targets + n;
    d->unit[i].weights = d->weights ? d->weights + n : NULL;
    for (uint64_t e = units[i].first; e < units[i].first + units[i].count; e++, n++) {
      d->targets[n] = name(d, t->out.nodes[e]);
      if (d->weights)
        d->weights[n] = t->out.weights[e] / t->mean_weight;
    }
  }
  if (plan->all)
    for (size_t i = 0; i < t->nodes; i++) {
      uint32_t place = (uint32_t)i;
      add_places(t, d, &place, 1);
    }
  else if (!far)
    add_far(t, plan, keys, d);
  else
    add_negatives(d, far, plan->far);
  if (plan->near > 0)
    add_near(t, plan, keys, places, d);
  for (size_t i = 0; i < d->units; i++) {
    d->unit[i].apart = plan->mates && units[i].count == units[i].row_count ? 0 : (uint32_t)d->named;
    drop_targets(t, &units[i], d);
  }
  forget_names(d);
}

/* ---- by degree ---- */

double embed_degree_weight(const geodisk_train_options *options, uint64_t degree) {
  return degree > 0 ? portable_pow((double)degree, options->power) : options->power > 0.0 ? 0.0 : 1.0;
}

/* Small shares are stacked from the front of `stack`, large ones from its back; a large one fills up each small one. */
static double build_alias(const double *weights, size_t n, const alias *table, uint32_t *stack, double *share) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++)
    sum += weights[i];
  size_t small = 0, large = n;
  for (size_t i = 0; i < n; i++) {
    share[i] = sum > 0.0 ? weights[i] / sum * (double)n : 1.0;
    table->other[i] = (uint32_t)i;
    table->threshold[i] = UINT32_MAX;
    if (share[i] < 1.0)
      stack[small++] = (uint32_t)i;
    else
      stack[--large] = (uint32_t)i;
  }
  while (small > 0 && large < n) {
    const uint32_t s = stack[--small], l = stack[large];
    table->threshold[s] = (uint32_t)(share[s] * 4294967295.0);
    table->other[s] = l;
    share[l] -= 1.0 - share[s];
    if (share[l] < 1.0) {
      large++;
      stack[small++] = l;
    }
  }
  return sum;
}

double embed_degree_table(const double *weights, size_t count, const alias *out) {
  uint32_t stack[DEGREE_BLOCK];
  double share[DEGREE_BLOCK];
  return build_alias(weights, count, out, stack, share);
}

bool embed_degree_blocks(geodisk_trainer *t, const double *sums) {
  const size_t blocks = (t->nodes + DEGREE_BLOCK - 1) / DEGREE_BLOCK;
  uint32_t *stack = geodisk_allocate(blocks, sizeof *stack);
  double *share = geodisk_allocate(blocks, sizeof *share);
  t->alias_blocks.other = geodisk_allocate(blocks, sizeof *t->alias_blocks.other);
  t->alias_blocks.threshold = geodisk_allocate(blocks, sizeof *t->alias_blocks.threshold);
  const bool memory = stack && share && t->alias_blocks.other && t->alias_blocks.threshold;
  if (memory)
    build_alias(sums, blocks, &t->alias_blocks, stack, share);
  geodisk_free_all(stack, share);
  return memory;
}

geodisk_status embed_alias_create(geodisk_trainer *t) {
  const size_t n = t->nodes, blocks = (n + DEGREE_BLOCK - 1) / DEGREE_BLOCK;
  t->aliases.other = geodisk_allocate(n, sizeof *t->aliases.other);
  t->aliases.threshold = geodisk_allocate(n, sizeof *t->aliases.threshold);
  double weights[DEGREE_BLOCK], *sums = geodisk_allocate(blocks, sizeof *sums);
  bool memory = t->aliases.other && t->aliases.threshold && sums;
  for (size_t first = 0; first < n && memory; first += DEGREE_BLOCK) {
    const size_t count = n - first < DEGREE_BLOCK ? n - first : DEGREE_BLOCK;
    for (size_t i = 0; i < count; i++) {
      const uint32_t u = embed_node_at(t, first + i);
      const uint64_t degree = t->out.offsets[u + 1] - t->out.offsets[u] + t->in.offsets[u + 1] - t->in.offsets[u];
      weights[i] = embed_degree_weight(&t->options, degree);
    }
    const alias table = {t->aliases.other + first, t->aliases.threshold + first};
    sums[first / DEGREE_BLOCK] = embed_degree_table(weights, count, &table);
  }
  memory = memory && embed_degree_blocks(t, sums);
  free(sums);
  return memory ? GEODISK_OK : geodisk_no_memory(t->context, "for sampling");
}

/* draw_block.h - the units and candidates of a block by a group of threads: what src/embed/units.c and negatives.c say, in their
 * order. Where the plain loop numbers things one after the other, threads find out what is kept and then count together. */
#pragma once

#include "train_job.h"

/* ---- random words, shuffles ---- */

DEVICE_CODE void words_of(uint64_t seed, int use, uint64_t epoch, uint64_t number, uint32_t out[4]) {
  const uint64_t stream = (uint64_t)use << 56 | (epoch & 0xFFFFFFFFu) << 24 | (number >> 40 & 0xFFFFFFu);
  uint32_t c0 = (uint32_t)number, c1 = (uint32_t)(number >> 32) & 0xFFu, c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
  uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
  for (int round = 0; round < 10; round++) { /* Philox4x32-10, as in src/base/random.c */
    const uint64_t product0 = (uint64_t)0xD2511F53u * c0, product1 = (uint64_t)0xCD9E8D57u * c2;
    c0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)product1;
    c2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)product0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

DEVICE_CODE uint64_t mix_half(uint32_t key, uint64_t half) {
  uint64_t x = (half ^ key) * 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
  return x >> 32;
}

DEVICE_CODE uint64_t shuffled_by(const shuffle *s, uint64_t i) {
  do {
    uint64_t high = i >> s->low_bits, low = i & s->low_mask;
    for (int r = 0; r < 8; r += 2) {
      high ^= mix_half(s->keys[r], low) & s->high_mask;
      low ^= mix_half(s->keys[r + 1], high) & s->low_mask;
    }
    i = high << s->low_bits | low;
  } while (i >= s->n);
  return i;
}

DEVICE_CODE shuffle shuffle_of(const device_job *j, uint64_t region) {
  const epoch_plan *plan = &j->plan;
  const uint64_t runs = (plan->units + plan->run - 1) / plan->run, left = runs - region * plan->region;
  shuffle s;
  unsigned bits = 2;
  s.n = left < plan->region ? left : plan->region;
  while (bits < 62 && (s.n - 1) >> bits)
    bits++;
  s.low_bits = bits / 2;
  s.low_mask = ((uint64_t)1 << s.low_bits) - 1;
  s.high_mask = ((uint64_t)1 << (bits - s.low_bits)) - 1;
  words_of(j->seed, STREAM_SHUFFLE, plan->number, 2 * region, s.keys);
  words_of(j->seed, STREAM_SHUFFLE, plan->number, 2 * region + 1, s.keys + 4);
  return s;
}

/* ---- units ---- */

DEVICE_CODE uint64_t block_of(const device_job *j, uint64_t batch, uint64_t i) {
  const epoch_plan *plan = &j->plan;
  if (plan->batches == 1)
    return i < plan->blocks ? i : UINT64_MAX;
  uint32_t words[4];
  words_of(j->seed, STREAM_BATCH, plan->number, i, words);
  const uint64_t turn = ((uint64_t)words[0] << 32 | words[1]) % plan->batches,
                 block = i * plan->batches + (batch + turn) % plan->batches;
  return block < plan->blocks ? block : UINT64_MAX;
}

/* The node at a place of the order, which a graph that is numbered in its order does without. */
DEVICE_CODE uint32_t node_at(const device_job *j, uint64_t place) { return j->order ? j->order[place] : (uint32_t)place; }

DEVICE_CODE uint32_t source_of_edge(const device_job *j, uint64_t edge) {
  uint64_t low = j->guide[edge / GUIDE_STEP], high = (uint64_t)j->guide[edge / GUIDE_STEP + 1] + 1;
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    if (j->offsets[middle] <= edge)
      low = middle;
    else
      high = middle;
  }
  return (uint32_t)low;
}

DEVICE_CODE unit_place unit_at(const device_job *j, uint64_t number) {
  unit_place p;
  if (j->edge_units) {
    p.node = source_of_edge(j, number);
    p.place = j->place ? j->place[p.node] : 0;
    p.row = j->offsets[p.node];
    p.first = number;
    p.count = 1;
    p.row_count = (uint32_t)(j->offsets[p.node + 1] - p.row);
    return p;
  }
  const bool extra = number >= j->nodes;
  const uint32_t part = extra ? j->extra[number - j->nodes].part : 0;
  p.place = extra ? j->extra[number - j->nodes].place : (uint32_t)number;
  p.node = node_at(j, p.place);
  p.row = j->offsets[p.node];
  p.first = p.row + (uint64_t)part * TRAIN_MOST_TARGETS;
  const uint64_t end = j->offsets[p.node + 1];
  p.count = end - p.first < TRAIN_MOST_TARGETS ? (uint32_t)(end - p.first) : TRAIN_MOST_TARGETS;
  p.row_count = (uint32_t)(end - p.row);
  return p;
}

/* The units of the block that have targets. */
DEVICE_CODE uint32_t find_units(const device_job *j, const group *g, uint64_t block, block_shared *s) {
  const epoch_plan *plan = &j->plan;
  const uint64_t runs = (plan->units + plan->run - 1) / plan->run, block_runs = plan->block_units / plan->run;
  uint32_t count = 0;
  for (uint32_t base = 0; base < plan->block_units; base += g->threads) {
    const uint32_t i = base + g->thread;
    const uint64_t run = block * block_runs + i / plan->run;
    bool there = i < plan->block_units && run < runs;
    unit_place p;
    if (there) {
      const uint64_t region = run / plan->region, first = region * plan->region;
      const shuffle order = region == 0 ? plan->first : shuffle_of(j, region);
      const uint64_t number = (first + shuffled_by(&order, run - first)) * plan->run + i % plan->run;
      there = number < plan->units;
      if (there)
        p = unit_at(j, number);
      there = there && p.count > 0;
    }
    const uint32_t at = group_place(g, there, &count);
    if (there)
      s->unit[at] = p;
  }
  return count;
}

/* ---- names: sources and targets, each a candidate once, in the order in which they come ---- */

DEVICE_CODE uint32_t slot_hash(uint32_t node) { return node * 2654435761u >> 12; }

/* Where its parts are, for so many names: shared where they fit. */
DEVICE_CODE void place_view(const device_job *j, const group *g, char *room, uint32_t names, uint64_t draws, block_view *v) {
  const shared_sizes *z = &j->shared;
  v->source = v->s + 1;
  uint32_t *shared = (uint32_t *)((char *)v->source + (size_t)z->units * z->dim * (j->single ? 4 : 8));
  v->area = shared;
  shared += z->area;
  uint32_t *node = (uint32_t *)room;
  room += lines_of((uint64_t)j->most_candidates * 4);
  uint32_t *own = (uint32_t *)room;
  room += lines_of((uint64_t)j->most_names * 8);
  uint32_t *table = (uint32_t *)room;
  room += lines_of((uint64_t)table_of(j->most_names) * 12);
  uint32_t *mask = (uint32_t *)room;
  v->lists = room + lines_of(mask_words_of(j->most_candidates) * 4 * TRAIN_MOST_UNITS) + g->warp * list_bytes(j->most_candidates);
  const bool few = names <= z->names, narrow = names + draws <= z->candidates;
  const uint32_t size = table_of(names);
  v->table_mask = size - 1;
  v->name = few ? shared : own;
  v->slot = few ? shared + z->names : own + j->most_names;
  shared += 2 * z->names;
  v->key = few ? v->area : table;
  v->first = v->key + size;
  v->candidate = v->first + size;
  v->node = narrow ? shared : node;
  v->mask = narrow ? shared + z->candidates : mask;
}

DEVICE_CODE void list_names(const device_job *j, const group *g, block_view *v) {
  block_shared *s = v->s;
  for (uint32_t i = g->thread; i <= v->table_mask; i += g->threads) {
    v->key[i] = NO_NODE;
    v->first[i] = UNIT_NONE;
  }
  for (uint32_t i = g->thread; i < BLOCK_FILTER / 32; i += g->threads)
    s->filter[i] = 0;
  for (uint32_t i = g->thread; i < v->units; i += g->threads)
    v->name[i] = s->unit[i].node;
  for (uint32_t u = g->warp; u < v->units; u += g->warps)
    for (uint32_t k = g->lane; k < s->unit[u].count; k += WIDTH)
      v->name[s->start[u] + k] = j->targets[s->unit[u].first + k];
  group_sync(g);
}

DEVICE_CODE void name_candidates(const group *g, block_view *v) {
  const uint32_t names = v->s->start[v->units];
  for (uint32_t i = g->thread; i < names; i += g->threads) {
    const uint32_t node = v->name[i];
    uint32_t at = slot_hash(node) & v->table_mask;
    for (;; at = (at + 1) & v->table_mask) {
      const uint32_t was = swap_if(&v->key[at], NO_NODE, node);
      if (was == NO_NODE || was == node)
        break;
    }
    lower_to(&v->first[at], i);
    v->slot[i] = at;
    or_into(&v->s->filter[node % BLOCK_FILTER / 32], 1u << node % 32);
  }
  group_sync(g);
  uint32_t count = 0;
  for (uint32_t base = 0; base < names; base += g->threads) {
    const uint32_t i = base + g->thread;
    const bool keep = i < names && v->first[v->slot[i]] == i;
    const uint32_t c = group_place(g, keep, &count);
    if (keep) {
      v->node[c] = v->name[i];
      v->candidate[v->slot[i]] = c;
    }
  }
  group_sync(g);
  for (uint32_t i = g->thread; i < names; i += g->threads)
    v->slot[i] = v->candidate[v->slot[i]];
  v->named = count;
}

DEVICE_CODE bool is_a_name(const block_view *v, uint32_t node) {
  if (!(v->s->filter[node % BLOCK_FILTER / 32] >> node % 32 & 1))
    return false;
  for (uint32_t at = slot_hash(node) & v->table_mask; v->key[at] != NO_NODE; at = (at + 1) & v->table_mask)
    if (v->key[at] == node)
      return true;
  return false;
}

/* ---- negatives ---- */

DEVICE_CODE uint32_t by_alias(const alias *of, uint64_t first, uint32_t place, uint32_t word) {
  return word < of->threshold[first + place] ? place : of->other[first + place];
}

/* From slice i of a comb. */
DEVICE_CODE uint32_t from_slice(const uint32_t *comb, uint32_t key, uint32_t i) {
  const uint32_t start = comb[i], length = comb[i + 1] - start;
  return start + (uint32_t)((uint64_t)train_hash(key, (1u << 16) + i) * length >> 32);
}

DEVICE_CODE uint32_t draw_far_place(const device_job *j, const uint32_t *keys, uint32_t i) {
  if (i < j->plan.far_inner)
    return j->inner[from_slice(j->comb, keys[3], i)];
  if (j->plan.sampling != GEODISK_SAMPLING_DEGREE)
    return from_slice(j->comb + j->plan.far_inner + 1, keys[1], i - j->plan.far_inner);
  const uint32_t w = train_hash(keys[1], (1u << 16) + i);
  const uint64_t blocks = (j->nodes + DEGREE_BLOCK - 1) / DEGREE_BLOCK;
  const uint32_t block = by_alias(&j->alias_blocks, 0, (uint32_t)(w * blocks >> 32), train_hash(w, 1));
  const uint64_t first = (uint64_t)block * DEGREE_BLOCK, left = j->nodes - first;
  const uint32_t at = (uint32_t)(train_hash(w, 2) * (left < DEGREE_BLOCK ? left : DEGREE_BLOCK) >> 32);
  return (uint32_t)first + by_alias(&j->aliases, first, at, train_hash(w, 3));
}

/* How many inner nodes stand before a place; of the last, if it is behind all. */
DEVICE_CODE uint32_t inner_before(const device_job *j, uint32_t place) {
  return (uint32_t)row_from(j->inner, 0, j->inners - 1, place);
}

/* At a distance from `from` among so many; UINT64_MAX: none. */
DEVICE_CODE uint64_t at_distance(uint32_t key, uint32_t i, uint32_t from, uint32_t octaves, uint64_t nodes) {
  const uint32_t w = train_hash(key, (1u << 28) + i), other = train_hash(w, 2);
  const unsigned octave = (unsigned)((uint64_t)(w << 1) * octaves >> 32);
  const double f = (double)other * 0x1p-32;
  const double power = 1.0 + f * (0.69583 + f * (0.22607 + f * 0.0781));
  const uint32_t distance = (uint32_t)(power * (double)(1u << octave));
  uint64_t to = w >> 31 ? (uint64_t)from + distance : (uint64_t)from - distance;
  if (to >= nodes)
    to = w >> 31 ? (uint64_t)from - distance : (uint64_t)from + distance;
  return to < nodes ? to : UINT64_MAX;
}

DEVICE_CODE uint64_t draw_near_place(const device_job *j, const uint32_t *keys, uint32_t i, const block_view *v) {
  const uint32_t inner = j->plan.near_inner;
  if (i >= inner)
    return at_distance(keys[2], i - inner, v->s->unit[(i - inner) % v->units].place, j->octaves, j->nodes);
  const uint64_t at = at_distance(keys[3], i, inner_before(j, v->s->unit[i % v->units].place), j->inner_octaves, j->inners);
  return at == UINT64_MAX ? at : j->inner[at];
}

/* Whether it is a target of a unit's node that the unit does not have. */
DEVICE_CODE bool is_left_out(const device_job *j, const block_view *v, uint32_t node) {
  for (uint32_t u = 0; u < v->units; u++) {
    const unit_place *p = &v->s->unit[u];
    if (p->count != p->row_count && row_has(j->targets, p->row, p->row + p->row_count, node))
      return true;
  }
  return false;
}

DEVICE_CODE void draw_negatives(const device_job *j, const group *g, block_view *v) {
  const epoch_plan *plan = &j->plan;
  const uint64_t draws = plan->all ? j->nodes : (uint64_t)plan->far + plan->near;
  bool whole = true;
  for (uint32_t u = 0; u < v->units; u++)
    whole = whole && v->s->unit[u].count == v->s->unit[u].row_count;
  uint32_t count = v->named;
  for (uint64_t base = 0; base < draws; base += g->threads) {
    const uint64_t i = base + g->thread;
    uint32_t node = NO_NODE;
    if (i < draws) {
      const uint64_t place = plan->all       ? i
                             : i < plan->far ? draw_far_place(j, v->s->keys, (uint32_t)i)
                                             : draw_near_place(j, v->s->keys, (uint32_t)(i - plan->far), v);
      node = place == UINT64_MAX ? NO_NODE : node_at(j, place);
    }
    const bool keep = node != NO_NODE && !is_a_name(v, node) && (whole || !is_left_out(j, v, node));
    const uint32_t c = group_place(g, keep, &count);
    if (keep)
      v->node[c] = node;
  }
  v->candidates = count;
  v->mask_words = (uint32_t)mask_words_of(count);
}

/* All of it; false where the block has no units. */
DEVICE_CODE bool draw_whole_block(const device_job *j, const group *g, uint64_t block, block_shared *s, char *room,
                                  block_view *v) {
  v->s = s;
  v->units = find_units(j, g, block, s);
  if (g->thread == 0) {
    words_of(j->seed, STREAM_BLOCK, j->plan.number, block, s->keys);
    s->loss = 0;
    s->skipped = 0;
    s->first_bad = UNIT_NONE;
  }
  group_sync(g);
  if (v->units == 0)
    return false;
  if (g->thread == 0) {
    s->start[0] = v->units;
    for (uint32_t u = 0; u < v->units; u++)
      s->start[u + 1] = s->start[u] + s->unit[u].count;
  }
  group_sync(g);
  const uint64_t draws = j->plan.all ? j->nodes : (uint64_t)j->plan.far + j->plan.near;
  place_view(j, g, room, s->start[v->units], draws, v);
  list_names(j, g, v);
  name_candidates(g, v);
  draw_negatives(j, g, v);
  group_sync(g);
  return true;
}

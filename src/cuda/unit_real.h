/* unit_real.h - the pulls of a block and the steps of rows by a group of threads, for one type of numbers: included once for
 * float and once for double, after kernel/train_constants.h and NAME. Operation by operation what src/embed/plain_real.h does:
 * candidates in the lanes where each is a number, coordinates in the lanes where each is a point. Lists keep the order of the
 * candidates, since random numbers and partial sums go by the place in them. */

#include "screen_real.h"

/* ---- a unit ---- */

/* A warp's lists, for as many as there are candidates, and targets' pulls. */
typedef struct NAME(lists) {
  uint32_t *who;
  real *y, *likely;
  real *pull, *target_y; /* TRAIN_MOST_TARGETS */
} NAME(lists);

DEVICE_CODE NAME(lists) NAME(lists_of)(const device_job *j, const block_view *v) {
  const size_t room = (size_t)j->most_candidates + 32;
  NAME(lists) l;
  l.y = (real *)v->lists;
  l.likely = l.y + room;
  l.pull = l.likely + room;
  l.target_y = l.pull + TRAIN_MOST_TARGETS;
  l.who = (uint32_t *)(l.target_y + TRAIN_MOST_TARGETS);
  return l;
}

/* Candidates that are the source or its targets, or stand apart, are no negatives. */
DEVICE_CODE void NAME(strike)(const device_job *j, const group *g, const block_view *v, uint32_t i) {
  const unit_place *p = &v->s->unit[i];
  uint32_t *mask = v->mask + (size_t)i * v->mask_words;
  if (!(j->plan.mates && p->count == p->row_count)) {
    for (uint32_t w = g->lane; w * 32 < v->named; w += WIDTH)
      mask[w] &= v->named - w * 32 >= 32 ? 0 : 0xFFFFFFFFu << (v->named - w * 32);
  } else {
    for (uint32_t n = g->lane; n <= p->count; n += WIDTH) {
      const uint32_t c = v->slot[n < p->count ? v->s->start[i] + n : i];
      and_into(&mask[c / 32], ~(1u << c % 32));
    }
  }
  warp_sync();
}

/* The negatives that count, in the order of candidates. */
DEVICE_CODE uint32_t NAME(list_near)(const group *g, const block_view *v, uint32_t i, uint32_t *who) {
  const uint32_t *mask = v->mask + (size_t)i * v->mask_words;
  uint32_t count = 0;
  for (uint32_t base = 0; base < v->mask_words; base += WIDTH) {
    uint32_t bits = base + g->lane < v->mask_words ? mask[base + g->lane] : 0, total;
    uint32_t at = count + warp_before(g, count_bits(bits), &total);
    for (; bits; bits &= bits - 1)
      who[at++] = (base + g->lane) * 32 + first_bit(bits);
    count += total;
  }
  warp_sync();
  return count;
}

/* A source as it is pulled: its own sums gather in the lanes of its coordinates. */
typedef struct NAME(pulled) {
  const real *u;
  real gap, along, path;
  real own[GEODISK_DIM_MOST / WIDTH];
} NAME(pulled);

/* Whether the sums of a candidate are gathered in the group first: of the first ones, for float. */
DEVICE_CODE bool NAME(is_gathered)(const device_job *j, const block_view *v, uint32_t c) {
  return TRAIN_SINGLE && c < v->named && (c + 1) * ((uint32_t)j->plan.rule.dim + 1) <= j->shared.area;
}

/* Adds to the k-th sum of a candidate. In float a block's sums fit into 32 bits (src/embed/schedule.c), each number more so. */
DEVICE_CODE void NAME(add)(const device_job *j, const block_view *v, bool gathered, uint32_t c, uint32_t node, uint32_t k,
                           real value) {
  const uint32_t width = (uint32_t)j->plan.rule.dim + 1;
#if TRAIN_SINGLE
  const int32_t whole = whole_of(value);
  if (gathered) {
    add_int((int32_t *)v->area + c * width + k, whole);
    return;
  }
#else
  const int64_t whole = (int64_t)LRINT(value);
  (void)v;
  (void)c;
  (void)gathered;
#endif
  if (whole)
    add_long(&j->sums[(size_t)node * width + k], whole);
}

/* The row is to be moved; by one lane. */
DEVICE_CODE void NAME(mark)(const device_job *j, uint64_t batch, uint32_t node) {
  if (j->marked[node] != j->mark && exchange(&j->marked[node], j->mark) != j->mark)
    j->list[add_some(&j->listed[batch], 1)] = node;
}

/* What a pull needs to know of its candidate, worked out by one lane. */
typedef struct NAME(pull) {
  uint32_t candidate, node;
  real gap, square, pc, size; /* pc: the pull times the coefficient that makes the tangent a unit vector */
} NAME(pull);

/* A pull p along the geodesic between the source and candidate c, y of which is known. */
DEVICE_CODE NAME(pull) NAME(pull_of)(const device_job *j, const block_view *v, uint32_t c, real y, real p, real own_gap) {
  const train_rule *rule = &j->plan.rule;
  NAME(pull) of;
  of.candidate = c;
  of.node = v->node[c];
  of.gap = NAME(row_of)(j, of.node)[rule->stride - 1];
  of.square = rule->flat ? y : y * of.gap;
  const real distance = SQRT1(of.square);
  const real steep = rule->flat ? 1 / distance : 1 / (distance * SQRT1(FMA1(own_gap, of.gap, of.square)));
  of.pc = p * (of.square > LEAST_SQUARE ? steep : 0);
  of.size = p < 0 ? -p : p;
  return of;
}

/* That of lane i, for all. */
DEVICE_CODE NAME(pull) NAME(pull_from)(const NAME(pull) * of, uint32_t i) {
  NAME(pull) out;
  out.candidate = warp_word(of->candidate, i);
  out.node = warp_word(of->node, i);
  out.gap = NAME(warp_number)(of->gap, i);
  out.square = NAME(warp_number)(of->square, i);
  out.pc = NAME(warp_number)(of->pc, i);
  out.size = NAME(warp_number)(of->size, i);
  return out;
}

/* The k-th coordinate of what is added to the candidate's sums. */
DEVICE_CODE real NAME(tangent)(const train_rule *rule, const NAME(pull) * of, real difference, real m, real drag) {
  const real scale = (real)rule->scale;
  real t = (rule->flat ? difference : FMA1(of->gap, difference, -(of->square * m))) * of->pc * scale;
  if (drag < 0)
    t = FMA1(drag * of->gap, m, t);
  return t;
}

DEVICE_CODE void NAME(pull_one)(const device_job *j, const group *g, const block_view *v, uint64_t batch, const NAME(pull) * of,
                                real drag, NAME(pulled) * u) {
  const train_rule *rule = &j->plan.rule;
  const bool gathered = NAME(is_gathered)(j, v, of->candidate);
  const real *m = NAME(row_of)(j, of->node), scale = (real)rule->scale;
  for (uint32_t k = g->lane, i = 0; k < rule->dim; k += WIDTH, i++) {
    const real difference = u->u[k] - m[k];
    NAME(add)(j, v, gathered, of->candidate, of->node, k, NAME(tangent)(rule, of, difference, m[k], drag));
    u->own[i] = FMA1(of->pc, difference, u->own[i]);
  }
  if (g->lane == rule->dim % WIDTH)
    NAME(add)(j, v, gathered, of->candidate, of->node, (uint32_t)rule->dim, of->size * scale);
  if (g->lane == 0 && !gathered)
    NAME(mark)(j, batch, of->node);
  u->along = FMA1(of->pc, of->square, u->along);
  u->path += of->size;
}

DEVICE_CODE void NAME(pull_source)(const device_job *j, const group *g, const block_view *v, uint64_t batch, uint32_t c,
                                   const NAME(pulled) * u) {
  const train_rule *rule = &j->plan.rule;
  const uint32_t node = v->node[c];
  const bool gathered = NAME(is_gathered)(j, v, c);
  const real scale = (real)rule->scale;
  for (uint32_t k = g->lane, i = 0; k < rule->dim; k += WIDTH, i++) {
    const real t = rule->flat ? -u->own[i] : FMA1(-u->gap, u->own[i], -(u->along * u->u[k]));
    NAME(add)(j, v, gathered, c, node, k, t * scale);
  }
  if (g->lane == rule->dim % WIDTH)
    NAME(add)(j, v, gathered, c, node, (uint32_t)rule->dim, u->path * scale);
  if (g->lane == 0 && !gathered)
    NAME(mark)(j, batch, node);
}

DEVICE_CODE void NAME(note_bad)(const group *g, block_shared *s, uint32_t i) {
  if (g->lane == 0)
    lower_to(&s->first_bad, i);
}

/* What a unit notes for its targets. */
typedef struct NAME(softmax) {
  real growth, inverse, z, share;
  int64_t loss;
} NAME(softmax);

/* Likelihoods of the negatives, relative to the furthest target's; their sum. */
DEVICE_CODE real NAME(likelihoods)(const device_job *j, const group *g, const block_view *v, const real *u, uint32_t negatives,
                                   NAME(softmax) * m, NAME(lists) l) {
  const train_rule *rule = &j->plan.rule;
  NAME(parts) sum = NAME(parts_zero)();
  for (uint32_t base = 0; base < negatives; base += WIDTH) {
    const uint32_t n = base + g->lane;
    real r = 0;
    if (n < negatives) {
      const real y = NAME(y_of)(rule, u, NAME(row_of)(j, v->node[l.who[n]]));
      r = NAME(ratio)(rule, m->growth, NAME(growth)(rule, y, m->inverse));
      l.y[n] = y;
      l.likely[n] = r;
    }
    NAME(parts_add)(&sum, n, r);
  }
  return NAME(parts_total)(&sum);
}

/* Softmax of each target over itself and the negatives: their pulls, the sum of shares, the loss. */
DEVICE_CODE void NAME(targets)(const device_job *j, const group *g, const block_view *v, uint32_t i, uint32_t key, const real *u,
                               NAME(softmax) * m, NAME(lists) l) {
  const train_rule *rule = &j->plan.rule;
  const unit_place *p = &v->s->unit[i];
  const real one = NAME(ratio)(rule, m->growth, rule->flat ? 0 : 1);
  NAME(parts) shares = NAME(parts_zero)(), losses = NAME(parts_zero)();
  for (uint32_t base = 0; base < p->count; base += WIDTH) {
    const uint32_t n = base + g->lane;
    const bool there = n < p->count;
    real share = 0, weight = 0, loss = 0;
    if (there) {
      const real y = NAME(y_of)(rule, u, NAME(row_of)(j, v->name[v->s->start[i] + n]));
      const real r = NAME(ratio)(rule, m->growth, NAME(growth)(rule, y, m->inverse));
      weight = j->weights ? (real)(j->weights[p->first + n] / j->mean_weight) : 1;
      const real whole = (rule->complement ? one : r) + m->z;
      share = weight / whole;
      l.pull[n] = NAME(thin)(rule, key, (uint32_t)(TRAIN_TARGET_INDEX + n), rule->complement ? weight : share * m->z);
      l.target_y[n] = y;
      loss = NAME(log)(whole / r);
    }
    NAME(parts_add)(&shares, n, share);
    NAME(parts_fma)(&losses, n, weight, loss, there);
  }
  m->share = NAME(parts_total)(&shares);
  m->loss = (int64_t)LRINT(NAME(parts_total)(&losses) * (real)TRAIN_LOSS_SCALE);
}

/* By how much all pushes are reduced. */
DEVICE_CODE real NAME(press)(const train_rule *rule, const group *g, uint32_t negatives, real share, NAME(lists) l) {
  if (!(rule->bound > 0))
    return 1;
  NAME(parts) pressed = NAME(parts_zero)();
  for (uint32_t base = 0; base < negatives; base += WIDTH) {
    const uint32_t n = base + g->lane;
    NAME(parts_add)(&pressed, n, n < negatives ? NAME(least)(l.likely[n] * share, (real)TRAIN_SMALL_PUSH) : 0);
  }
  const real pressure = NAME(parts_total)(&pressed);
  return pressure > (real)rule->bound ? (real)rule->bound / pressure : 1;
}

/* Pushes as they act: lists shrink to those that are not 0. */
DEVICE_CODE uint32_t NAME(keep_pushes)(const train_rule *rule, const group *g, uint32_t key, uint32_t negatives, real share,
                                       real factor, NAME(lists) l) {
  uint32_t kept = 0;
  for (uint32_t base = 0; base < negatives; base += WIDTH) {
    const uint32_t n = base + g->lane;
    const bool there = n < negatives;
    const real p = there ? -NAME(thin)(rule, key, n, l.likely[n] * share * factor) : 0, y = there ? l.y[n] : 0;
    const uint32_t who = there ? l.who[n] : 0;
    uint32_t total;
    const uint32_t at = kept + warp_place(g, p != 0, &total);
    warp_sync();
    if (p != 0) {
      l.likely[at] = p;
      l.y[at] = y;
      l.who[at] = who;
    }
    kept += total;
  }
  warp_sync();
  return kept;
}

#ifdef __CUDACC__

/* Two pulls at a time, one in each half of a warp, where a point fits into half of it; the source's own sums gather in the lower
 * half, one pull after the other. */
typedef struct NAME(halves) {
  uint32_t half, k;
  real u, own, along, path;
} NAME(halves);

/* The pulls of the lanes whose bits are set. */
DEVICE_CODE void NAME(pull_pairs)(const device_job *j, const block_view *v, uint64_t batch, const NAME(pull) * of, uint32_t bits,
                                  real drag, NAME(halves) * h) {
  const train_rule *rule = &j->plan.rule;
  while (bits) {
    const uint32_t first = first_bit(bits);
    bits &= bits - 1;
    const bool two = bits != 0;
    const uint32_t second = two ? first_bit(bits) : first;
    bits &= bits - 1;
    const NAME(pull) mine = NAME(pull_from)(of, h->half ? second : first);
    const real m = h->k < rule->dim ? NAME(row_of)(j, mine.node)[h->k] : 0, difference = h->u - m;
    if (h->k <= rule->dim && (two || !h->half)) {
      const bool gathered = NAME(is_gathered)(j, v, mine.candidate);
      NAME(add)
      (j, v, gathered, mine.candidate, mine.node, h->k,
       h->k < rule->dim ? NAME(tangent)(rule, &mine, difference, m, drag) : mine.size * (real)rule->scale);
      if (h->k == 0 && !gathered)
        NAME(mark)(j, batch, mine.node);
    }
    __syncwarp();
    const real next_difference = __shfl_down_sync(WHOLE_WARP, difference, 16),
               next_pc = __shfl_down_sync(WHOLE_WARP, mine.pc, 16), next_square = __shfl_down_sync(WHOLE_WARP, mine.square, 16),
               next_size = __shfl_down_sync(WHOLE_WARP, mine.size, 16);
    h->own = FMA1(mine.pc, difference, h->own);
    h->along = FMA1(mine.pc, mine.square, h->along);
    h->path += mine.size;
    if (two) {
      h->own = FMA1(next_pc, next_difference, h->own);
      h->along = FMA1(next_pc, next_square, h->along);
      h->path += next_size;
    }
  }
}

DEVICE_CODE void NAME(pull_narrow)(const device_job *j, const group *g, const block_view *v, uint64_t batch, uint32_t i,
                                   const real *u, uint32_t kept, NAME(lists) l) {
  const train_rule *rule = &j->plan.rule;
  const unit_place *p = &v->s->unit[i];
  const real gap = u[rule->stride - 1], scale = (real)rule->scale;
  NAME(halves) h;
  h.half = g->lane / 16;
  h.k = g->lane % 16;
  h.u = h.k < rule->dim ? u[h.k] : 0;
  h.own = h.along = h.path = 0;
  NAME(pull) of = {0};
  for (uint32_t base = 0; base < kept; base += WIDTH) {
    const uint32_t n = base + g->lane;
    if (n < kept)
      of = NAME(pull_of)(j, v, l.who[n], l.y[n], l.likely[n], gap);
    NAME(pull_pairs)(j, v, batch, &of, __ballot_sync(WHOLE_WARP, n < kept), 0, &h);
  }
  const real drag = -(real)((rule->flat ? 2.0 : 1.0) * rule->regularization * rule->scale);
  for (uint32_t base = 0; base < p->count; base += WIDTH) {
    const uint32_t n = base + g->lane;
    const real pull = n < p->count ? l.pull[n] : 0;
    const bool pulls = n < p->count && (pull != 0 || drag < 0);
    if (pulls)
      of = NAME(pull_of)(j, v, v->slot[v->s->start[i] + n], l.target_y[n], pull, gap);
    NAME(pull_pairs)(j, v, batch, &of, __ballot_sync(WHOLE_WARP, pulls), drag, &h);
  }
  if (h.half || !(h.path > 0) || h.k > rule->dim)
    return;
  const uint32_t c = v->slot[i];
  const bool gathered = NAME(is_gathered)(j, v, c);
  const real t = rule->flat ? -h.own : FMA1(-gap, h.own, -(h.along * h.u));
  NAME(add)(j, v, gathered, c, v->node[c], h.k, (h.k < rule->dim ? t : h.path) * scale);
  if (h.k == 0 && !gathered)
    NAME(mark)(j, batch, v->node[c]);
}

#endif

DEVICE_CODE void NAME(pull_all)(const device_job *j, const group *g, const block_view *v, uint64_t batch, uint32_t i,
                                const real *u, uint32_t kept, NAME(lists) l) {
  const train_rule *rule = &j->plan.rule;
  const unit_place *p = &v->s->unit[i];
#ifdef __CUDACC__
  if (rule->dim < 16) {
    NAME(pull_narrow)(j, g, v, batch, i, u, kept, l);
    return;
  }
#endif
  NAME(pulled) own;
  own.u = u;
  own.gap = u[rule->stride - 1];
  own.along = own.path = 0;
  for (uint32_t k = g->lane, n = 0; k < rule->dim; k += WIDTH, n++)
    own.own[n] = 0;
  NAME(pull) of = {0};
  for (uint32_t base = 0; base < kept; base += WIDTH) {
    const uint32_t n = base + g->lane, some = kept - base < WIDTH ? kept - base : WIDTH;
    if (n < kept)
      of = NAME(pull_of)(j, v, l.who[n], l.y[n], l.likely[n], own.gap);
    for (uint32_t lane = 0; lane < some; lane++) {
      const NAME(pull) one = NAME(pull_from)(&of, lane);
      NAME(pull_one)(j, g, v, batch, &one, 0, &own);
    }
  }
  const real drag = -(real)((rule->flat ? 2.0 : 1.0) * rule->regularization * rule->scale);
  for (uint32_t base = 0; base < p->count; base += WIDTH) {
    const uint32_t n = base + g->lane, some = p->count - base < WIDTH ? p->count - base : WIDTH;
    real pull = 0;
    if (n < p->count) {
      pull = l.pull[n];
      of = NAME(pull_of)(j, v, v->slot[v->s->start[i] + n], l.target_y[n], pull, own.gap);
    }
    for (uint32_t lane = 0; lane < some; lane++) {
      if (!(NAME(warp_number)(pull, lane) != 0) && !(drag < 0))
        continue;
      const NAME(pull) one = NAME(pull_from)(&of, lane);
      NAME(pull_one)(j, g, v, batch, &one, drag, &own);
    }
  }
  if (own.path > 0)
    NAME(pull_source)(j, g, v, batch, v->slot[i], &own);
}

DEVICE_CODE void NAME(unit)(const device_job *j, const group *g, const block_view *v, uint64_t batch, uint32_t i, NAME(lists) l) {
  const train_rule *rule = &j->plan.rule;
  block_shared *s = v->s;
  const real *u = NAME(row_of)(j, s->unit[i].node);
  const uint32_t key = train_hash(s->keys[0], i);
  NAME(strike)(j, g, v, i);
  const uint32_t negatives = NAME(list_near)(g, v, i, l.who);
  NAME(softmax) m;
  m.growth = ((const real *)s->growth)[i];
  m.inverse = (real)1 / u[rule->stride - 1];
  m.z = NAME(likelihoods)(j, g, v, u, negatives, &m, l);
  if (g->lane == 0 && negatives == 0)
    add_some(&s->skipped, s->unit[i].count);
  if (!(m.z <= (real)LARGEST)) {
    NAME(note_bad)(g, s, i);
    return;
  }
  if (negatives == 0)
    return;
  NAME(targets)(j, g, v, i, key, u, &m, l);
  if (!(m.share <= (real)LARGEST)) {
    NAME(note_bad)(g, s, i);
    return;
  }
  if (g->lane == 0)
    add_long(&s->loss, m.loss);
  warp_sync();
  const real factor = NAME(press)(rule, g, negatives, m.share, l);
  const uint32_t kept = NAME(keep_pushes)(rule, g, key, negatives, m.share, factor, l);
  NAME(pull_all)(j, g, v, batch, i, u, kept, l);
}

/* ---- a block ---- */

/* What the group has gathered goes to the sums of the rows. */
DEVICE_CODE void NAME(hand_over)(const device_job *j, const group *g, const block_view *v, uint64_t batch) {
#if TRAIN_SINGLE
  const uint32_t width = (uint32_t)j->plan.rule.dim + 1, room = j->shared.area / width;
  for (uint32_t c = g->warp; c < v->named && c < room; c += g->warps) {
    const uint32_t node = v->node[c];
    for (uint32_t k = g->lane; k < width; k += WIDTH) {
      const int32_t sum = ((const int32_t *)v->area)[c * width + k];
      if (sum == 0)
        continue;
      add_long(&j->sums[(size_t)node * width + k], sum);
      NAME(mark)(j, batch, node);
    }
  }
#endif
  block_shared *s = v->s;
  if (g->thread == 0) {
    add_long(&j->tally->loss, s->loss);
    add_long(&j->tally->edges, (int64_t)(s->start[v->units] - v->units));
    add_long(&j->tally->pairs, (int64_t)v->units * v->candidates);
    if (s->skipped)
      add_long(&j->tally->skipped, s->skipped);
    if (s->first_bad != UNIT_NONE) {
      lower_to(&j->tally->bad_source, s->unit[s->first_bad].node);
      lower_to_long(&j->tally->bad_pulls, batch);
    }
  }
  (void)batch;
}

DEVICE_CODE void NAME(block)(const device_job *j, const group *g, uint64_t batch, uint64_t block, block_shared *s, char *room) {
  block_view v;
  if (!draw_whole_block(j, g, block, s, room, &v))
    return;
#if TRAIN_SINGLE
  for (uint32_t i = g->thread; i < j->shared.area; i += g->threads) /* the table has done its work */
    v.area[i] = 0;
#endif
  NAME(find_limits)(j, g, &v);
  NAME(screen)(j, g, &v);
  const NAME(lists) l = NAME(lists_of)(j, &v);
  for (uint32_t i = g->warp; i < v.units; i += g->warps)
    NAME(unit)(j, g, &v, batch, i, l);
  group_sync(g);
  NAME(hand_over)(j, g, &v, batch);
  group_sync(g);
}

#include "step_real.h"

/* train_usual.h - the steps that nearly all training consists of: geodesic updates in hyperbolic space without weights. The same
 * passes as in train_lanes.h with all choices made, and for two edges side by side: every pass of an edge waits for the whole of
 * its last one, and what the processor would wait for in one edge it does for the other. Included once per type by train_simd.h.
 */

/* One edge; the same with few rows, or with sparse pulls; all positives of a source, which stay; a target that its sources pull.
 */
#ifndef TRAIN_USUAL_KINDS
#define TRAIN_USUAL_KINDS 1
enum { FEW_ROWS = 16 }; /* one or two vectors: all passes without loops, and nearly all in registers */
typedef enum usual_kind { USUAL_EDGE, USUAL_FEW, USUAL_SPARSE, USUAL_GROUP, USUAL_TARGET, NOT_USUAL } usual_kind;

static usual_kind kind_of(const train_rule *rule, const train_step *step) {
  if (rule->flat || rule->complement || rule->update != TRAIN_GEODESIC || step->weights)
    return NOT_USUAL;
  const bool sparse = rule->sparse > 0.0;
  if (step->hold)
    return sparse ? NOT_USUAL : !step->others ? USUAL_GROUP : step->negatives == 0 ? USUAL_TARGET : NOT_USUAL;
  if (step->positives != 1 || step->others)
    return NOT_USUAL;
#ifdef KERNEL_AVX512
  if (!sparse && !rule->squarings && step->negatives < FEW_ROWS)
    return USUAL_FEW;
#endif
  return sparse ? USUAL_SPARSE : USUAL_EDGE;
}
#endif

#define IS_EDGE(kind) ((kind) == USUAL_EDGE || (kind) == USUAL_SPARSE)

/* One edge on its way through the passes. */
typedef struct LANE(edge) {
  uint32_t *index;
  size_t negatives, n, moving; /* n rows, the first `moving` of them move */
  LANE(arrays) a;
  real *u, *tangent, S, own;
  double likelihoods, share; /* likelihoods of negatives times the share are their pulls */
  bool any_far, far;
} LANE(edge);

/* Scratch in which each array has `room`. */
SIMD_INLINE void LANE(set_scratch)(LANE(edge) * e, real *s, size_t room) {
  e->a = (LANE(arrays)){s, s + room, s + 2 * room, s + 3 * room, s + 4 * room, s + 5 * room, s + 6 * room};
  e->tangent = s + TRAIN_ARRAYS * room;
}

/* The list of rows is filled up to a multiple of `whole`. */
SIMD_INLINE void LANE(begin_edge)(usual_kind kind, LANE(layout) l, real *rows, const train_step *step, size_t whole,
                                  LANE(edge) * e) {
  const size_t n = step->negatives + (IS_EDGE(kind) ? 1 : step->positives);
  e->index = step->index;
  e->negatives = step->negatives;
  e->n = n;
  e->moving = IS_EDGE(kind) ? n : step->negatives;
  LANE(set_scratch)(e, step->scratch, n + TRAIN_PAD);
  e->u = LANE(row)(l, rows, step->u);
  e->S = e->u[l.gap];
  for (size_t i = n; i < (n + whole - 1) / whole * whole; i++)
    e->index[i] = e->index[0];
}

#ifdef LANE_QUARTERS
/* |m-u|^2 of 16 rows and their gaps, which come out of the sums by themselves. Rows are taken by fours; where there are no more,
 * ones. */
SIMD_INLINE LANE(vec)
    LANE(distances_and_gaps)(LANE(layout) l, real *rows, const uint32_t *index, size_t left, const real *u, LANE(vec) * gaps) {
  const LANE(ints) coordinates = LANE(first)(l.tail);
  const LANE(vec) own = (LANE(vec))((LANE(ints))LANE(load)(u) & coordinates);
  LANE(vec) t[4];
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; i++) {
    t[i] = LANE(all)((real)1);
    if (4 * i < left) {
      LANE(vec) d[4];
#pragma GCC unroll 4
      for (size_t r = 0; r < 4; r++)
        d[r] = LANE(square_in)(coordinates, LANE(load)(LANE(row)(l, rows, index[4 * i + r])) - own);
      t[i] = LANE(quarter_sums)(d);
    }
  }
  return LANE(max)(LANE(join_quarters)(t, l.gap_apart, gaps), LANE(all)((real)LANE_NEAREST));
}
#endif

SIMD_INLINE void LANE(edge_distances)(LANE(layout) l, real *rows, LANE(edge) * e, bool few) {
  const size_t n = e->n, end = few ? (size_t)FEW_ROWS : n;
  for (size_t i = 0; i < end; i += LANE(count)) {
#ifdef LANE_QUARTERS
    if (l.gap_apart) {
      LANE(vec) gaps, squares = LANE(distances_and_gaps)(l, rows, e->index + i, n - i, e->u, &gaps);
      LANE(store)(e->a.square + i, squares);
      LANE(store)(e->a.gap + i, gaps);
      continue;
    }
#endif
    real *row[LANE(count)];
    for (int r = 0; r < LANE(count); r++)
      row[r] = LANE(row)(l, rows, e->index[i + (size_t)r]);
    LANE(store)(e->a.gap + i, LANE(pick)(row, l.gap));
    LANE(store)(e->a.square + i, LANE(squared_distances)(l, row, e->u));
  }
}

SIMD_INLINE void LANE(edge_likelihoods)(LANE(edge) * e, bool few) {
  const LANE(vec) S = LANE(all)(e->S);
  const size_t negatives = e->negatives, end = few ? (size_t)FEW_ROWS : e->n;
  LANE(vec) sum = LANE(all)(0);
  for (size_t i = 0; i < end; i += LANE(count)) {
    LANE(vec) c, p = LANE(likelihood)(LANE(load)(e->a.square + i), S * LANE(load)(e->a.gap + i), &c);
    LANE(store)(e->a.c + i, c);
    LANE(store)(e->a.pull + i, p);
    if (i + LANE(count) <= negatives)
      sum = sum + p;
    else if (i < negatives)
      sum = sum + (LANE(vec))((LANE(ints))p & LANE(first)(negatives - i));
  }
  e->likelihoods = (double)LANE(sum)(sum);
}

/* The loss and the share; of several positives also their pulls (into keep). False if the loss is not finite. */
SIMD_INLINE bool LANE(edge_loss)(usual_kind kind, const train_rule *rule, const train_step *step, LANE(edge) * e,
                                 train_result *result) {
  if (kind == USUAL_TARGET) {
    e->share = 0.0;
    LANE(pulls_of_sources)(rule, step, e->a);
    return true;
  }
  if (kind == USUAL_GROUP)
    return LANE(many_positives)(rule, step, e->a, e->likelihoods, result, &e->share);
  const double p = (double)e->a.pull[e->negatives], z = e->likelihoods + p, ratio = z / p;
  e->share = 1.0 / z;
  if (!(ratio <= DBL_MAX))
    return false;
  LANE(count_loss)(result, ratio);
  return true;
}

/* Sparse pulls: leaves in the list only the negatives that are pulled, and the positive, with their pulls. */
SIMD_INLINE void LANE(edge_thin)(const train_rule *rule, const train_step *step, LANE(edge) * e) {
  const LANE(arrays) a = e->a;
  const size_t negatives = e->negatives;
  const LANE(vec) least = LANE(all)((real)rule->sparse), share = LANE(all)((real)e->share);
  const real unit = (real)(rule->sparse * 0x1p-16);
  size_t left = 0;
  for (size_t i = 0; i < negatives; i += LANE(count)) {
    LANE(vec) weight = LANE(load)(a.pull + i) * share, limit = (LANE(from_halves)(step->randoms + i) + (real)0.5) * unit;
    unsigned kept = LANE(bits)((LANE(ints))(limit < weight) & LANE(first)(negatives - i));
    if (!kept)
      continue;
    real weights[LANE(count)];
    LANE(store)(weights, LANE(max)(weight, least));
    for (; kept; kept &= kept - 1) {
      const size_t r = (size_t)__builtin_ctz(kept);
      e->index[left] = e->index[i + r];
      a.square[left] = a.square[i + r];
      a.gap[left] = a.gap[i + r];
      a.c[left] = a.c[i + r];
      a.pull[left++] = -weights[r];
    }
  }
  e->index[left] = e->index[negatives];
  a.square[left] = a.square[negatives];
  a.gap[left] = a.gap[negatives];
  a.c[left] = a.c[negatives];
  a.pull[left] = (real)(e->likelihoods * e->share);
  e->negatives = left;
  e->n = e->moving = left + 1;
}

/* From likelihoods to moves and to weights of the tangent at u (into c), as LANE(plan) and LANE(moves). Steps up to TRAIN_FAR
 * need no guards: |z| >= 1 - tanh(1/4). */
SIMD_INLINE void LANE(edge_plan)(usual_kind kind, const train_rule *rule, LANE(edge) * e, bool few, train_result *result) {
  const LANE(arrays) a = e->a;
  const size_t negatives = e->negatives, n = e->n, end = few ? (size_t)FEW_ROWS : n;
  const LANE(vec) one = LANE(all)((real)1), zero = LANE(all)(0), half = LANE(all)((real)0.5), S = LANE(all)(e->S);
  const LANE(vec) minus = LANE(all)((real)-e->share), rate = LANE(all)((real)-rule->lr), least = LANE(all)((real)LANE_LEAST_GAP);
  const LANE(vec) only = LANE(all)((real)(e->likelihoods * e->share));
  LANE(vec) own = zero;
  LANE(ints) clips = {0};
  e->any_far = false;
  for (size_t i = 0; i < end; i += LANE(count)) {
    const LANE(vec) d2 = LANE(load)(a.square + i), gap = LANE(load)(a.gap + i), c = LANE(load)(a.c + i);
    LANE(vec) pull = LANE(load)(a.pull + i);
    if (kind != USUAL_SPARSE)
      pull = pull * minus;
    LANE(ints) there = LANE(first)(n - i);
    if (kind == USUAL_SPARSE) {
      pull = (LANE(vec))((LANE(ints))pull & there);
    } else if (i + LANE(count) > negatives) {
      const LANE(vec) positive = kind == USUAL_EDGE ? only : LANE(load)(a.keep + i);
      pull = i >= negatives ? positive : LANE(select)(LANE(first)(negatives - i), pull, positive);
      pull = (LANE(vec))((LANE(ints))pull & there);
    }
    const LANE(vec) weight = pull * c;
    own = LANE(fma)(weight, d2, own);
    LANE(store)(a.c + i, weight);
    LANE(store)(a.pull + i, pull);
    if (!IS_EDGE(kind) && i >= e->moving)
      continue;
    const LANE(vec) step = pull * rate, x2 = LANE(max)(one - gap, zero);
    LANE(vec) nx = c * LANE(fma)(half * gap, S - gap + d2, d2 * x2);
    nx = LANE(min)(LANE(max)(nx, -one), one);
    LANE(vec) t, below = one, shrink, z2; /* tanh is t / below, and the rest times below^2 */
    if (__builtin_expect(!LANE(any)((LANE(ints))(LANE(magnitude)(step) > (real)TRAIN_FAR)), 1)) {
      t = LANE(tanh_half_fraction)(step, &below);
      const LANE(vec) ahead = LANE(fma)(t, nx, below), tt = t * t;
      shrink = below * below - tt;
      z2 = LANE(fma)(ahead, ahead, tt * LANE(max)(LANE(fma)(-nx, nx, x2), zero));
    } else {
      LANE(vec) rest;
      e->any_far = true;
      t = LANE(tanh_half)(LANE(magnitude)(step), &rest);
      t = LANE(select)((LANE(ints))(step < zero), -t, t);
      shrink = rest * (one + LANE(magnitude)(t));
      const LANE(vec) ahead = LANE(fma)(t, nx, one);
      z2 = LANE(fma)(ahead, ahead, t * t * LANE(max)(LANE(fma)(-nx, nx, x2), zero));
      z2 = LANE(max)(LANE(max)(z2, rest * rest), gap * gap * (real)0.25);
    }
#ifdef KERNEL_AVX512
    const LANE(vec) scale = gap * LANE(inverse)(z2);
#else
    const LANE(vec) scale = gap / z2;
#endif
    const LANE(vec) f = scale * t, deep = LANE(min)(scale * shrink, one);
    LANE(store)(a.keep + i, LANE(fma)(f, LANE(fma)(c * d2, below, t), one));
    LANE(store)(a.away + i, f * below * (c * gap));
    LANE(store)(a.new_gap + i, LANE(max)(deep, least));
    clips -= (LANE(ints))(deep < least) & (IS_EDGE(kind) ? there : LANE(first)(e->moving - i));
  }
  e->own = LANE(sum)(own);
  if (LANE(any)(clips))
    for (int r = 0; r < LANE(count); r++)
      result->clips += (uint64_t)clips[r];
}

SIMD_INLINE void LANE(edge_measure)(usual_kind kind, const train_rule *rule, LANE(layout) l, real *rows, const LANE(edge) * e,
                                    uint32_t turn) {
  const size_t n = e->moving, every = TRAIN_MEASURE_EVERY;
  const bool often = turn % TRAIN_MEASURE_OFTEN == 0;
  for (size_t i = (every - turn % every) % every; i < n; i += every)
    LANE(measure)(l, LANE(row)(l, rows, e->index[i]));
  if (e->any_far)
    for (size_t i = 0; i < n; i++)
      if (fabs((double)e->a.pull[i]) * rule->lr > TRAIN_FAR)
        LANE(measure)(l, LANE(row)(l, rows, e->index[i]));
  if (often && IS_EDGE(kind))
    LANE(measure)(l, LANE(row)(l, rows, e->index[n - 1]));
  if (often || e->far)
    LANE(measure)(l, e->u);
}

/* One or two edges (a constant) pass by pass. */
SIMD_INLINE void LANE(edges)(usual_kind kind, const train_rule *rule, LANE(layout) l, real *rows, const train_step *step,
                             size_t count, train_result *result) {
  LANE(edge) e[2];
  for (size_t i = 0; i < count; i++)
    LANE(begin_edge)(kind, l, rows, &step[i], LANE(count), &e[i]);
  for (size_t i = 0; i < count; i++)
    LANE(edge_distances)(l, rows, &e[i], false);
  for (size_t i = 0; i < count; i++) {
    LANE(edge_likelihoods)(&e[i], false);
    if (rule->squarings)
      e[i].likelihoods = IS_EDGE(kind) ? LANE(sharpen)(rule->squarings, e[i].negatives, e[i].a.pull)
                                       : LANE(sharpen_held)(rule->squarings, e[i].negatives, e[i].n, e[i].a.pull);
    result->likelihoods[i] = e[i].likelihoods;
  }
  for (size_t i = 0; i < count; i++)
    if (!LANE(edge_loss)(kind, rule, &step[i], &e[i], result)) {
      result->bad = true;
      result->bad_step = i;
      return;
    }
  if (kind == USUAL_SPARSE)
    for (size_t i = 0; i < count; i++)
      LANE(edge_thin)(rule, &step[i], &e[i]);
  for (size_t i = 0; i < count; i++)
    LANE(edge_plan)(kind, rule, &e[i], false, result);
  for (size_t i = 0; i < count; i++) {
    const train_step moved = {.u = step[i].u, .index = step[i].index};
    LANE(move_rows)(l, rows, &moved, e[i].n, e[i].moving, e[i].a, e[i].tangent);
  }
  for (size_t i = 0; i < count; i++) {
    e[i].far = false;
    if (!LANE(move_source)(rule, l, e[i].u, e[i].S, e[i].own, e[i].tangent, result, &e[i].far)) {
      result->bad = true;
      result->bad_step = i;
      return;
    }
  }
  for (size_t i = 0; i < count; i++)
    LANE(edge_measure)(kind, rule, l, rows, &e[i], step[i].turn);
}

#ifdef KERNEL_AVX512
/* The same for USUAL_FEW. Where i is a constant, edges live in registers. */
#define EACH_EDGE(...)                                                                                                           \
  do {                                                                                                                           \
    {                                                                                                                            \
      enum { i = 0 };                                                                                                            \
      __VA_ARGS__;                                                                                                               \
    }                                                                                                                            \
    if (count == 2) {                                                                                                            \
      enum { i = 1 };                                                                                                            \
      __VA_ARGS__;                                                                                                               \
    }                                                                                                                            \
  } while (0)
SIMD_INLINE void LANE(edges_of_few)(const train_rule *rule, LANE(layout) l, real *rows, const train_step *step, size_t count,
                                    train_result *result) {
  real few[2][TRAIN_ARRAYS * FEW_ROWS + 2 * LANE(count)] __attribute__((aligned(64)));
  LANE(edge) e[2];
  EACH_EDGE(LANE(begin_edge)(USUAL_EDGE, l, rows, &step[i], FEW_ROWS, &e[i]); LANE(set_scratch)(&e[i], few[i], FEW_ROWS));
  EACH_EDGE(LANE(edge_distances)(l, rows, &e[i], true));
  EACH_EDGE(LANE(edge_likelihoods)(&e[i], true); result->likelihoods[i] = e[i].likelihoods);
  EACH_EDGE(if (!LANE(edge_loss)(USUAL_EDGE, rule, &step[i], &e[i], result)) {
    result->bad = true;
    result->bad_step = i;
    return;
  });
  EACH_EDGE(LANE(edge_plan)(USUAL_EDGE, rule, &e[i], true, result));
  EACH_EDGE(LANE(move_rows)(l, rows, &step[i], e[i].n, e[i].n, e[i].a, e[i].tangent));
  EACH_EDGE(e[i].far = false; if (!LANE(move_source)(rule, l, e[i].u, e[i].S, e[i].own, e[i].tangent, result, &e[i].far)) {
    result->bad = true;
    result->bad_step = i;
    return;
  });
  EACH_EDGE(LANE(edge_measure)(USUAL_EDGE, rule, l, rows, &e[i], step[i].turn));
}
#undef EACH_EDGE
#endif

/* Functions for the layouts that people use, in which all but the sizes is constant. APART: rows of one vector, the gap in a
 * quarter of its own; ONE and TWO vectors; HALF: one and a half. */
#define LAYOUT_APART (l.chunks = 1, l.stride = LANE(count))
#define LAYOUT_ONE   (l.chunks = 1, l.gap_apart = 0, l.half_last = false)
#define LAYOUT_TWO   (l.chunks = 2, l.stride = 2 * (size_t)LANE(count), l.gap_apart = 0, l.half_last = false)
#define LAYOUT_HALF  (l.chunks = 2, l.stride = 2 * (size_t)LANE(count), l.gap_apart = 0, l.half_last = true)
#define USUAL_FUNCTION(name, kind, steps, set)                                                                                   \
  static __attribute__((noinline)) void LANE(name)(const train_rule *rule, real *rows, const train_step *step,                   \
                                                   train_result *result) {                                                       \
    LANE(layout) l = LANE(layout_of)(rule);                                                                                      \
    (void)(set);                                                                                                                 \
    l.gap_in_last = true;                                                                                                        \
    LANE(edges)(kind, rule, l, rows, step, steps, result);                                                                       \
  }
#define FEW_FUNCTION(name, steps, set)                                                                                           \
  static __attribute__((noinline)) void LANE(name)(const train_rule *rule, real *rows, const train_step *step,                   \
                                                   train_result *result) {                                                       \
    LANE(layout) l = LANE(layout_of)(rule);                                                                                      \
    (void)(set);                                                                                                                 \
    l.gap_in_last = true;                                                                                                        \
    LANE(edges_of_few)(rule, l, rows, step, steps, result);                                                                      \
  }
/* few: what is done for edges of few rows: `few` where there are such functions, else `edge`. */
#define USUAL_FUNCTIONS(suffix, set, few)                                                                                        \
  USUAL_FUNCTION(edge_##suffix, USUAL_EDGE, 1, set)                                                                              \
  USUAL_FUNCTION(edges_##suffix, USUAL_EDGE, 2, set)                                                                             \
  USUAL_FUNCTION(sparse_edge_##suffix, USUAL_SPARSE, 1, set)                                                                     \
  USUAL_FUNCTION(sparse_edges_##suffix, USUAL_SPARSE, 2, set)                                                                    \
  USUAL_FUNCTION(group_##suffix, USUAL_GROUP, 1, set)                                                                            \
  USUAL_FUNCTION(groups_##suffix, USUAL_GROUP, 2, set)                                                                           \
  USUAL_FUNCTION(target_##suffix, USUAL_TARGET, 1, set)                                                                          \
  static const LANE(usual_function)                                                                                              \
      LANE(usual_##suffix)[][2] = {[USUAL_EDGE] = {LANE(edge_##suffix), LANE(edges_##suffix)},                                   \
                                   [USUAL_FEW] = {LANE(few##_##suffix), LANE(few##s_##suffix)},                                  \
                                   [USUAL_SPARSE] = {LANE(sparse_edge_##suffix), LANE(sparse_edges_##suffix)},                   \
                                   [USUAL_GROUP] = {LANE(group_##suffix), LANE(groups_##suffix)},                                \
                                   [USUAL_TARGET] = {LANE(target_##suffix)}};

typedef void (*LANE(usual_function))(const train_rule *rule, real *rows, const train_step *step, train_result *result);
#ifdef LANE_QUARTERS
FEW_FUNCTION(few_apart, 1, LAYOUT_APART)
FEW_FUNCTION(fews_apart, 2, LAYOUT_APART)
USUAL_FUNCTIONS(apart, LAYOUT_APART, few)
#endif
USUAL_FUNCTIONS(one, LAYOUT_ONE, edge)
USUAL_FUNCTIONS(two, LAYOUT_TWO, edge)
#ifdef LANE_HALVES
FEW_FUNCTION(few_half, 1, LAYOUT_HALF)
FEW_FUNCTION(fews_half, 2, LAYOUT_HALF)
USUAL_FUNCTIONS(half, LAYOUT_HALF, few)
#endif
#undef LAYOUT_APART
#undef LAYOUT_ONE
#undef LAYOUT_TWO
#undef LAYOUT_HALF
#undef USUAL_FUNCTION
#undef FEW_FUNCTION
#undef USUAL_FUNCTIONS

/* False: another layout. */
SIMD_INLINE bool LANE(usual_steps)(usual_kind kind, const train_rule *rule, real *rows, const train_step *step, size_t count,
                                   train_result *result) {
  const LANE(layout) l = LANE(layout_of)(rule);
  if (!l.gap_in_last)
    return false;
#ifdef LANE_QUARTERS
  if (l.gap_apart && l.stride == LANE(count)) {
    LANE(usual_apart)[kind][count - 1](rule, rows, step, result);
    return true;
  }
#endif
#ifdef LANE_HALVES
  if (l.half_last) {
    LANE(usual_half)[kind][count - 1](rule, rows, step, result);
    return true;
  }
#endif
  if (l.chunks == 1)
    LANE(usual_one)[kind][count - 1](rule, rows, step, result);
  else if (l.chunks == 2 && l.stride == 2 * (size_t)LANE(count))
    LANE(usual_two)[kind][count - 1](rule, rows, step, result);
  else
    return false;
  return true;
}

static void LANE(step)(const train_rule *rule, real *rows, const train_step *step, size_t count, train_result *result) {
  usual_kind kind = kind_of(rule, step), other = count == 2 ? kind_of(rule, step + 1) : kind;
  if ((kind == USUAL_FEW && other == USUAL_EDGE) || (kind == USUAL_EDGE && other == USUAL_FEW))
    kind = other = USUAL_EDGE; /* for any number of rows, with the same result */
  result->bad_step = 0;
  if (kind != NOT_USUAL && kind == other && (count == 1 || kind != USUAL_TARGET) &&
      LANE(usual_steps)(kind, rule, rows, step, count, result))
    return;
  for (size_t i = 0; i < count && !result->bad; i++) {
    result->bad_step = i;
    LANE(any_step)(rule, rows, &step[i], result);
  }
}

/* train_rows.h - rows as vectors of `real`: how they lie in them, their distances from u, and how they and u are moved, for all
 * training steps. Included once per type by train_simd.h. */

/* Scratch: one number per row and array, padded to whole vectors. */
typedef struct LANE(arrays) {
  real *square, *gap, *c, *pull, *keep, *away, *new_gap;
} LANE(arrays);

/* How rows lie in vectors: the coordinates fill `chunks` vectors, the last of them `tail` lanes; the gap follows. A row is whole
 * cache lines, so the last vector is the row's own. Inlined with constant chunks for the dims people use. */
typedef struct LANE(layout) {
  size_t dim, stride, gap, chunks, tail;
  bool gap_in_last; /* the gap is in the last vector of the coordinates */
  size_t gap_apart; /* or 0: the quarter that it has to itself in the only vector of a row */
  bool half_last;   /* the row has two vectors, and the second is not used beyond its lower half */
} LANE(layout);

SIMD_INLINE real *LANE(row)(LANE(layout) l, real *rows, uint32_t i) { return rows + (size_t)i * l.stride; }

SIMD_INLINE LANE(layout) LANE(layout_of)(const train_rule *rule) {
  LANE(layout) l = {.dim = rule->dim, .stride = rule->stride, .gap = rule->gap};
  l.chunks = (l.dim + LANE(count) - 1) / LANE(count);
  l.tail = l.dim - (l.chunks - 1) * LANE(count);
  l.gap_in_last = l.gap < l.chunks * LANE(count);
#ifdef LANE_QUARTERS
  if (l.chunks == 1 && l.gap_in_last && l.gap % 4 == 0 && l.gap > 0)
    l.gap_apart = l.gap / 4;
#endif
#ifdef LANE_HALVES
  l.half_last = l.chunks == 2 && l.gap_in_last && l.gap < LANE(count) + LANE(count) / 2;
#endif
  return l;
}

/* |m-u|^2 of a vector of rows. */
SIMD_INLINE LANE(vec) LANE(squared_distances)(LANE(layout) l, real *const *row, const real *u) {
  LANE(vec) sums[LANE(count)];
  const size_t end = (l.chunks - 1) * LANE(count);
#ifdef LANE_HALVES
  if (l.half_last) {
    const LANE(vec) own = LANE(load)(u);
    const LANE(half) rest = LANE(half_load_first)((unsigned)l.tail, u + end);
    for (int r = 0; r < LANE(count); r++) {
      const LANE(half) h = LANE(half_load_first)((unsigned)l.tail, row[r] + end) - rest;
      const LANE(vec) d = LANE(load)(row[r]) - own;
      sums[r] = LANE(fma)(d, d, LANE(widen)(h * h));
    }
    return LANE(max)(LANE(row_sums)(sums), LANE(all)((real)LANE_NEAREST));
  }
#endif
  const LANE(vec) last = LANE(load)(u + end);
  const LANE(ints) tail = LANE(first)(l.tail);
  for (int r = 0; r < LANE(count); r++) {
    LANE(vec) d = (LANE(vec))((LANE(ints))(LANE(load)(row[r] + end) - last) & tail);
    sums[r] = d * d;
  }
  for (size_t k = 0; k < end; k += LANE(count)) {
    LANE(vec) own = LANE(load)(u + k);
    for (int r = 0; r < LANE(count); r++) {
      LANE(vec) d = LANE(load)(row[r] + k) - own;
      sums[r] = LANE(fma)(d, d, sums[r]);
    }
  }
  return LANE(max)(LANE(row_sums)(sums), LANE(all)((real)LANE_NEAREST));
}

/* ROW(j) for the rows from i up to `end`, with a sum j for each of four. */
#define BY_FOURS(ROW, end)                                                                                                       \
  do {                                                                                                                           \
    for (; i + SUMS <= (end); i += SUMS) {                                                                                       \
      ROW(0);                                                                                                                    \
      ROW(1);                                                                                                                    \
      ROW(2);                                                                                                                    \
      ROW(3);                                                                                                                    \
    }                                                                                                                            \
    for (; i < (end); i++)                                                                                                       \
      ROW(0);                                                                                                                    \
  } while (0)

#ifdef LANE_HALVES
/* LANE(move_rows) for rows of one vector and a half. */
SIMD_INLINE void LANE(move_rows_and_halves)(LANE(layout) l, real *rows, const train_step *step, size_t n, size_t moving,
                                            LANE(arrays) a, real *tangent) {
  enum { SUMS = 4 };
  const uint32_t *index = step->index;
  const real *u = LANE(row)(l, rows, step->u);
  const LANE(vec) own = LANE(load)(u), zero = LANE(all)(0);
  const LANE(half) rest = LANE(half_load)(u + LANE(count)), nothing = LANE(half_all)(0);
  LANE(vec) sum[SUMS] = {zero, zero, zero, zero};
  LANE(half) half_sum[SUMS] = {nothing, nothing, nothing, nothing};
  size_t i = 0;
#define MOVE_ROW(j)                                                                                                              \
  do {                                                                                                                           \
    real *x = rows + index[i + (j)] * l.stride;                                                                                  \
    const real c = a.c[i + (j)], away = a.away[i + (j)], keep = a.keep[i + (j)];                                                 \
    const LANE(vec) v = LANE(load)(x), off = v - own;                                                                            \
    const LANE(half) h = LANE(half_load)(x + LANE(count)), half_off = h - rest;                                                  \
    sum[j] = LANE(fma)(LANE(all)(c), off, sum[j]);                                                                               \
    half_sum[j] = LANE(half_fma)(LANE(half_all)(c), half_off, half_sum[j]);                                                      \
    LANE(store)(x, LANE(fma)(LANE(all)(away), off, LANE(all)(keep) * v));                                                        \
    LANE(half_store)                                                                                                             \
    (x + LANE(count), LANE(half_with)(LANE(half_fma)(LANE(half_all)(away), half_off, LANE(half_all)(keep) * h),                  \
                                      l.gap - LANE(count), a.new_gap[i + (j)]));                                                 \
  } while (0)
  BY_FOURS(MOVE_ROW, moving);
#undef MOVE_ROW
#define PULL_ROW(j)                                                                                                              \
  do {                                                                                                                           \
    const real *x = rows + index[i + (j)] * l.stride;                                                                            \
    sum[j] = LANE(fma)(LANE(all)(a.c[i + (j)]), LANE(load)(x) - own, sum[j]);                                                    \
    half_sum[j] = LANE(half_fma)(LANE(half_all)(a.c[i + (j)]), LANE(half_load)(x + LANE(count)) - rest, half_sum[j]);            \
  } while (0)
  BY_FOURS(PULL_ROW, n);
#undef PULL_ROW
  LANE(store)(tangent, (sum[0] + sum[1]) + (sum[2] + sum[3]));
  LANE(store)(tangent + LANE(count), LANE(widen)((half_sum[0] + half_sum[1]) + (half_sum[2] + half_sum[3])));
}
#endif

/* Third pass: moves the rows, and sums their pulls on u (weights in c) into tangent. Several sums, since each waits for its last
 * addition. */
SIMD_INLINE void LANE(move_rows)(LANE(layout) l, real *rows, const train_step *step, size_t n, size_t moving, LANE(arrays) a,
                                 real *tangent) {
#ifdef LANE_HALVES
  if (l.half_last) {
    LANE(move_rows_and_halves)(l, rows, step, n, moving, a, tangent);
    return;
  }
#endif
  enum { SUMS = 4 };
  const uint32_t *index = step->index;
  const real *u = LANE(row)(l, rows, step->u);
  const size_t gap_at = l.gap - (l.chunks - 1) * LANE(count);
  const LANE(ints) gap_lane = l.gap_in_last ? LANE(first)(gap_at + 1) & ~LANE(first)(gap_at) : (LANE(ints)){0};
  for (size_t k = 0; k < l.chunks; k++) {
    const bool with_gap = k + 1 == l.chunks && l.gap_in_last;
    real *column = rows + k * LANE(count);
    const LANE(vec) own = LANE(load)(u + k * LANE(count)), zero = LANE(all)(0);
    LANE(vec) sum[SUMS] = {zero, zero, zero, zero};
    size_t i = 0;
#define MOVE_ROW(j)                                                                                                              \
  do {                                                                                                                           \
    real *x = column + index[i + (j)] * l.stride;                                                                                \
    LANE(vec) v = LANE(load)(x), off = v - own;                                                                                  \
    sum[j] = LANE(fma)(LANE(all)(a.c[i + (j)]), off, sum[j]);                                                                    \
    v = LANE(fma)(LANE(all)(a.away[i + (j)]), off, LANE(all)(a.keep[i + (j)]) * v);                                              \
    LANE(store)(x, with_gap ? LANE(select)(gap_lane, LANE(all)(a.new_gap[i + (j)]), v) : v);                                     \
  } while (0)
    BY_FOURS(MOVE_ROW, moving);
#undef MOVE_ROW
#define PULL_ROW(j) sum[j] = LANE(fma)(LANE(all)(a.c[i + (j)]), LANE(load)(column + index[i + (j)] * l.stride) - own, sum[j])
    BY_FOURS(PULL_ROW, n);
#undef PULL_ROW
    LANE(store)(tangent + k * LANE(count), (sum[0] + sum[1]) + (sum[2] + sum[3]));
  }
  if (!l.gap_in_last)
    for (size_t i = 0; i < moving; i++)
      rows[index[i] * l.stride + l.gap] = a.new_gap[i];
}
#undef BY_FOURS

/* The gap of a row, whose last vector is given. Stored with it where it is in there: who loads a vector right after a store to
 * part of it has to wait. */
SIMD_INLINE void LANE(store_gap)(LANE(layout) l, real *x, LANE(vec) last, real gap) {
  const size_t end = (l.chunks - 1) * LANE(count);
  if (l.gap_in_last) {
    const LANE(ints) here = LANE(first)(l.gap - end + 1) & ~LANE(first)(l.gap - end);
    LANE(store)(x + end, LANE(select)(here, LANE(all)(gap), last));
  } else {
    LANE(store)(x + end, last);
    x[l.gap] = gap;
  }
}

/* See PLAIN(measure). */
SIMD_INLINE void LANE(measure)(LANE(layout) l, real *x) {
  const LANE(ints) tail = LANE(first)(l.tail);
  const size_t end = (l.chunks - 1) * LANE(count);
  const LANE(vec) last = LANE(load)(x + end);
  double square = LANE(squares)((LANE(vec))((LANE(ints))last & tail)), gap = (double)x[l.gap];
  for (size_t k = 0; k < end; k += LANE(count))
    square += LANE(squares)(LANE(load)(x + k));
  if (square == 0.0 || (gap > LANE_GAP_TRUST && 1.0 - square > 0.5 * LANE_GAP_TRUST)) {
    LANE(store_gap)(l, x, last, (real)(1.0 - square));
    return;
  }
  const LANE(vec) scale = LANE(all)((real)sqrt(fmin(1.0 - gap, train_rim(l.dim, LANE_EPSILON)) / square));
  for (size_t k = 0; k < end; k += LANE(count))
    LANE(store)(x + k, LANE(load)(x + k) * scale);
  LANE(store)(x + end, LANE(select)(tail, last * scale, last));
}

/* The tangent by whose sum of pulls u moves, g = S tangent - own u: |g|^2 and g.u. */
SIMD_INLINE void LANE(source_tangent)(LANE(layout) l, const real *u, real S, real own, const real *tangent, double *square,
                                      double *along) {
  const size_t end = (l.chunks - 1) * LANE(count);
  LANE(vec) squares = LANE(all)(0), products = LANE(all)(0);
  for (size_t k = 0; k <= end; k += LANE(count)) {
    LANE(vec) x = LANE(load)(u + k), g = S * LANE(load)(tangent + k) - own * x;
    if (k == end)
      g = (LANE(vec))((LANE(ints))g & LANE(first)(l.tail));
    squares = LANE(fma)(g, g, squares);
    products = LANE(fma)(g, x, products);
  }
  *square = (double)LANE(sum)(squares);
  *along = (double)LANE(sum)(products);
}

/* u' = keep u + away g. */
SIMD_INLINE void LANE(put_source)(LANE(layout) l, real *u, real S, real own, const real *tangent, real keep, real away,
                                  real gap) {
  const size_t end = (l.chunks - 1) * LANE(count);
  const real from_tangent = away * S, from_own = keep - away * own;
  for (size_t k = 0; k < end; k += LANE(count))
    LANE(store)(u + k, from_own * LANE(load)(u + k) + from_tangent * LANE(load)(tangent + k));
  LANE(store_gap)(l, u, from_own * LANE(load)(u + end) + from_tangent * LANE(load)(tangent + end), gap);
}

/* Moves u by the sum of its pulls. False if that is not finite. */
SIMD_INLINE bool LANE(move_source)(const train_rule *rule, LANE(layout) l, real *u, real S, real own, const real *tangent,
                                   train_result *result, bool *far) {
  double square, along;
  LANE(source_tangent)(l, u, S, own, tangent, &square, &along);
  if (!(square <= DBL_MAX))
    return false;
  if (!(square > 0.0))
    return true;
  const train_move m = train_source_move(rule, square, along, (double)u[l.gap], LANE_LEAST_GAP);
  LANE(put_source)(l, u, S, own, tangent, (real)m.keep, (real)m.away, (real)m.gap);
  result->clips += m.clipped;
  *far = m.far;
  return true;
}

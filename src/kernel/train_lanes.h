/* train_lanes.h - the training step of train.h on vectors of `real`: distances of a vector of rows at a time by a transposing
 * sum, all scalars of the pulls for a vector of rows at a time, one pass over the rows to move them. Included once per type by
 * train_simd.h. */

/* Scratch: one number per row and array, padded to whole vectors. */
typedef struct LANE(arrays) {
  real *square, *gap, *c, *pull, *keep, *away, *new_gap;
  real *tangent; /* one number per coordinate */
} LANE(arrays);

SIMD_INLINE real *LANE(row)(const train_rule *rule, real *rows, uint32_t i) { return rows + (size_t)i * rule->stride; }

/* |m-u|^2 and the gap of every row. `chunks` vectors hold the coordinates, the last one `tail` of them. */
SIMD_INLINE void LANE(distances)(const train_rule *rule, real *rows, const train_step *step, size_t padded, size_t chunks,
                                 LANE(ints) tail, LANE(arrays) a) {
  const real *u = LANE(row)(rule, rows, step->u);
  for (size_t first = 0; first < padded; first += LANE(count)) {
    LANE(vec) sums[LANE(count)];
    const real *row[LANE(count)];
    for (int r = 0; r < LANE(count); r++) {
      row[r] = LANE(row)(rule, rows, step->index[first + (size_t)r]);
      a.gap[first + (size_t)r] = row[r][rule->dim];
    }
    LANE(vec) last = LANE(load)(u + (chunks - 1) * LANE(count));
    for (int r = 0; r < LANE(count); r++) {
      LANE(vec) d = (LANE(vec))((LANE(ints))(LANE(load)(row[r] + (chunks - 1) * LANE(count)) - last) & tail);
      sums[r] = d * d;
    }
    for (size_t k = 0; k + 1 < chunks; k++) {
      LANE(vec) own = LANE(load)(u + k * LANE(count));
      for (int r = 0; r < LANE(count); r++) {
        LANE(vec) d = LANE(load)(row[r] + k * LANE(count)) - own;
        sums[r] = LANE(fma)(d, d, sums[r]);
      }
    }
    LANE(store)(a.square + first, LANE(max)(LANE(row_sums)(sums), LANE(all)((real)TRAIN_LEAST_SQUARE)));
  }
}

/* e^-d into pull, and c. */
SIMD_INLINE void LANE(likelihoods)(const train_rule *rule, real S, size_t padded, LANE(arrays) a) {
  const LANE(vec) one = LANE(all)((real)1), own = LANE(all)(S);
  for (size_t i = 0; i < padded; i += LANE(count)) {
    LANE(vec) d2 = LANE(load)(a.square + i), root = LANE(sqrt)(d2);
    if (rule->flat) {
      LANE(store)(a.pull + i, LANE(exp)(-root));
      LANE(store)(a.c + i, one / root);
      continue;
    }
    LANE(vec) st = own * LANE(load)(a.gap + i), long_side = LANE(sqrt)(st + d2);
    /* sqrt(1+q) + sqrt(q) = (long_side + root) / sqrt(st), so e^-d = st / (long_side + root)^2 */
    LANE(vec) s = long_side + root;
    LANE(store)(a.pull + i, st / (s * s));
    LANE(store)(a.c + i, one / (root * long_side));
  }
}

/* Loss and pulls from the likelihoods. */
SIMD_INLINE double LANE(pulls)(const train_rule *rule, const train_step *step, size_t padded, LANE(arrays) a,
                               double *likelihoods) {
  const size_t negatives = step->negatives, n = negatives + step->positives, whole = negatives / LANE(count) * LANE(count);
  LANE(vec) sums = LANE(all)(0);
  for (size_t i = 0; i < whole; i += LANE(count))
    sums = sums + LANE(load)(a.pull + i);
  if (whole < negatives)
    sums = sums + (LANE(vec))((LANE(ints))LANE(load)(a.pull + whole) & LANE(first)(negatives - whole));
  *likelihoods = (double)LANE(sum)(sums);
  for (size_t i = n; i < padded; i++)
    a.pull[i] = 0;
  if (step->others) {
    for (size_t i = 0; i < n; i++) {
      double w = step->weights ? step->weights[i] : 1.0;
      a.pull[i] = (real)(rule->complement ? w : w * (step->others[i] / (step->others[i] + (double)a.pull[i])));
    }
    return 0.0;
  }
  double sum = *likelihoods + (rule->complement ? 1.0 : 0.0), loss = 0.0, share = 0.0;
  for (size_t i = negatives; i < n; i++) {
    double w = step->weights ? step->weights[i - negatives] : 1.0, e = (double)a.pull[i], z = rule->complement ? sum : sum + e;
    loss += w * log(z / e);
    share += w / z;
    a.keep[i] = (real)(rule->complement ? w : w * (sum / z)); /* parked while the negatives are scaled */
  }
  const LANE(vec) minus = LANE(all)((real)-share);
  for (size_t i = 0; i < padded; i += LANE(count))
    LANE(store)(a.pull + i, LANE(load)(a.pull + i) * minus);
  for (size_t i = negatives; i < n; i++)
    a.pull[i] = a.keep[i];
  for (size_t i = n; i < padded; i++)
    a.pull[i] = 0;
  if (rule->sparse > 0.0) {
    const real least = (real)rule->sparse, unit = (real)(rule->sparse * 0x1p-32);
    for (size_t i = 0; i < negatives; i++)
      if (-a.pull[i] < least)
        a.pull[i] = (real)step->randoms[i] * unit < -a.pull[i] ? -least : 0;
  }
  return loss;
}

/* keep, away and new gap of every row, for the update rule; returns how many were clipped. gentle: no step is longer than 0.5. */
SIMD_INLINE uint64_t LANE(moves)(const train_rule *rule, real S, size_t n, size_t padded, bool gentle, LANE(arrays) a) {
  const LANE(vec) one = LANE(all)((real)1), zero = LANE(all)(0), own = LANE(all)(S), half = LANE(all)((real)0.5);
  const LANE(vec) least = LANE(all)((real)LANE_LEAST_GAP), limit = LANE(all)((real)(1.0 - rule->margin));
  LANE(ints) clips = {0};
  for (size_t i = 0; i < padded; i += LANE(count)) {
    LANE(vec) pull = LANE(load)(a.pull + i), c = LANE(load)(a.c + i), gap = LANE(load)(a.gap + i), d2 = LANE(load)(a.square + i);
    LANE(vec) step = pull * (real)-rule->lr;
    if (rule->flat) {
      LANE(store)(a.keep + i, one);
      LANE(store)(a.away + i, step * c);
      LANE(store)(a.new_gap + i, gap);
      continue;
    }
    LANE(vec) x2 = LANE(max)(one - gap, zero), bound = LANE(sqrt)(x2);
    LANE(vec) nx = c * LANE(fma)(half * gap, own - gap + d2, d2 * x2); /* n.x, by Cauchy-Schwarz at most |x| */
    nx = LANE(min)(LANE(max)(nx, -bound), bound);
    LANE(ints) clipped;
    if (rule->update == TRAIN_GEODESIC) {
      LANE(vec) rest, t = LANE(magnitude)(step);
      if (gentle) {
        t = LANE(tanh_half_small)(t);
        rest = one - t;
      } else {
        t = LANE(tanh_half)(t, &rest);
      }
      LANE(vec) shrink = rest * (one + t); /* 1 - t^2 */
      t = LANE(select)((LANE(ints))(step < zero), -t, t);
      LANE(vec) ahead = LANE(fma)(t, nx, one), aside = LANE(max)(x2 - nx * nx, zero);
      LANE(vec) z2 = LANE(fma)(ahead, ahead, t * t * aside);
      z2 = LANE(max)(LANE(max)(z2, rest * rest), gap * gap * (real)0.25); /* |z| >= 1 - |t|, and >= 1 - |x| >= gap/2 */
      LANE(vec) f = gap * t / z2, deep = LANE(min)(gap * (shrink / z2), one);
      LANE(store)(a.keep + i, LANE(fma)(f, LANE(fma)(c, d2, t), one));
      LANE(store)(a.away + i, f * (c * gap));
      clipped = (LANE(ints))(deep < least);
      LANE(store)(a.new_gap + i, LANE(max)(deep, least));
    } else {
      LANE(vec) length = rule->update == TRAIN_NATURAL ? half * gap * step : (step + step) / gap;
      length = LANE(min)(LANE(max)(length, LANE(all)((real)-TRAIN_LONGEST)), LANE(all)((real)TRAIN_LONGEST));
      LANE(vec) norm2 = LANE(fma)(length, length, LANE(fma)(length + length, nx, x2));
      clipped = (LANE(ints))(norm2 > limit * limit);
      LANE(vec) scale = LANE(select)(clipped, limit / LANE(sqrt)(norm2), one);
      LANE(store)(a.keep + i, scale * LANE(fma)(length, c * d2, one));
      LANE(store)(a.away + i, scale * length * (c * gap));
      LANE(store)(a.new_gap + i, LANE(select)(clipped, one - limit * limit, one - norm2));
    }
    clips -= i + LANE(count) <= n ? clipped : clipped & LANE(first)(n - i);
  }
  uint64_t count = 0;
  for (int r = 0; r < LANE(count); r++)
    count += (uint64_t)clips[r];
  return count;
}

/* See PLAIN(measure). */
SIMD_INLINE void LANE(measure)(real *x, size_t dim) {
  double s[4] = {0.0, 0.0, 0.0, 0.0};
  size_t k = 0;
  for (; k + 4 <= dim; k += 4)
    for (size_t j = 0; j < 4; j++)
      s[j] += (double)x[k + j] * (double)x[k + j];
  for (; k < dim; k++)
    s[0] += (double)x[k] * (double)x[k];
  double square = (s[0] + s[1]) + (s[2] + s[3]), gap = (double)x[dim];
  if (square == 0.0 || (gap > LANE_GAP_TRUST && 1.0 - square > 0.5 * LANE_GAP_TRUST)) {
    x[dim] = (real)(1.0 - square);
  } else {
    double scale = sqrt((1.0 - gap) / square);
    for (k = 0; k < dim; k++)
      x[k] = (real)((double)x[k] * scale);
  }
}

/* Moves the rows, and sums their pulls on u (weights in a.c) into a.tangent. `tail` coordinates in the last of `chunks` vectors;
 * the gap follows them in the same vector unless that is full. */
SIMD_INLINE void LANE(move_rows)(const train_rule *rule, real *rows, const train_step *step, size_t chunks, size_t tail,
                                 LANE(arrays) a) {
  const size_t n = step->negatives + step->positives, moving = step->hold ? step->negatives : n, stride = rule->stride;
  const uint32_t *index = step->index;
  const real *u = LANE(row)(rule, rows, step->u);
  const bool skip = rule->sparse > 0.0, full = tail == LANE(count);
  const LANE(ints) gap_lane = full ? (LANE(ints)){0} : LANE(first)(tail + 1) & ~LANE(first)(tail);
  for (size_t k = 0; k < chunks; k++) {
    const bool last = k + 1 == chunks;
    real *column = rows + k * LANE(count);
    const LANE(vec) own = LANE(load)(u + k * LANE(count));
    LANE(vec) sum = LANE(all)(0);
    for (size_t i = moving; i < n; i++)
      sum = LANE(fma)(LANE(all)(a.c[i]), LANE(load)(column + index[i] * stride) - own, sum);
    for (size_t i = 0; i < moving; i++) {
      if (skip && a.pull[i] == 0)
        continue;
      real *x = column + index[i] * stride;
      LANE(vec) v = LANE(load)(x), off = v - own;
      sum = LANE(fma)(LANE(all)(a.c[i]), off, sum);
      v = LANE(fma)(LANE(all)(a.away[i]), off, LANE(all)(a.keep[i]) * v);
      if (!last || full)
        LANE(store)(x, v);
      else
        LANE(store_first)(x, LANE(select)(gap_lane, LANE(all)(a.new_gap[i]), v), tail + 1);
    }
    LANE(store)(a.tangent + k * LANE(count), sum);
  }
  if (full)
    for (size_t i = 0; i < moving; i++)
      rows[index[i] * stride + rule->dim] = a.new_gap[i];
}

/* Measures the gaps of the positives, of a rotating share of the negatives, and of what moved far. */
SIMD_INLINE void LANE(measure_rows)(const train_rule *rule, real *rows, const train_step *step, bool gentle, LANE(arrays) a) {
  const size_t n = step->negatives + step->positives;
  const bool all = !gentle || rule->update != TRAIN_GEODESIC;
  const size_t every = all ? 1 : TRAIN_MEASURE_EVERY, first = all ? 0 : (every - step->turn % every) % every;
  for (size_t i = first; i < step->negatives; i += every) {
    bool far = all && (rule->update != TRAIN_GEODESIC || fabs((double)a.pull[i]) * rule->lr > 0.5);
    if (a.pull[i] != 0 && (far || (i + step->turn) % TRAIN_MEASURE_EVERY == 0))
      LANE(measure)(LANE(row)(rule, rows, step->index[i]), rule->dim);
  }
  for (size_t i = step->negatives; i < n && !step->hold; i++)
    if (a.pull[i] != 0)
      LANE(measure)(LANE(row)(rule, rows, step->index[i]), rule->dim);
}

/* Moves u by the sum of its pulls. */
SIMD_INLINE void LANE(move_source)(const train_rule *rule, real *u, double length, double along, const double *g,
                                   train_result *result) {
  train_move m = geodisk_train_move(rule, train_source_step(rule, length), (double)u[rule->dim], along / length, LANE_LEAST_GAP);
  for (size_t k = 0; k < rule->dim; k++)
    u[k] = (real)(m.keep * (double)u[k] + m.away * g[k] / length);
  u[rule->dim] = (real)m.gap;
  result->clips += m.clipped;
}

static void LANE(step)(const train_rule *rule, real *rows, const train_step *step, train_result *result) {
  const size_t n = step->negatives + step->positives, dim = rule->dim;
  const size_t padded = (n + LANE(count) - 1) / LANE(count) * LANE(count), room = n + TRAIN_PAD;
  const size_t chunks = (dim + LANE(count) - 1) / LANE(count), tail = dim - (chunks - 1) * LANE(count);
  real *scratch = step->scratch;
  double *g = (double *)step->scratch + TRAIN_ARRAYS * room;
  LANE(arrays)
  a = {scratch,
       scratch + room,
       scratch + 2 * room,
       scratch + 3 * room,
       scratch + 4 * room,
       scratch + 5 * room,
       scratch + 6 * room,
       (real *)(void *)(g + dim + TRAIN_PAD)};
  real *u = LANE(row)(rule, rows, step->u);
  const real S = rule->flat ? (real)1 : u[dim];
  for (size_t i = n; i < padded; i++)
    step->index[i] = step->index[0];
  LANE(distances)(rule, rows, step, padded, chunks, LANE(first)(tail), a);
  LANE(likelihoods)(rule, S, padded, a);
  double loss = LANE(pulls)(rule, step, padded, a, &result->likelihoods);
  result->loss += loss;
  if (!(fabs(loss) <= DBL_MAX)) {
    result->bad = true;
    return;
  }
  double most = 1.0; /* no pull is stronger than the sum of the weights */
  for (size_t i = 0; i < step->positives; i++)
    most = i == 0 ? (step->weights ? step->weights[0] : 1.0) : most + (step->weights ? step->weights[i] : 1.0);
  const bool gentle = rule->lr * fmax(most, rule->sparse) < 0.5;
  if (!step->others)
    result->clips += LANE(moves)(rule, S, step->hold ? step->negatives : n, padded, gentle, a);
  LANE(vec) own_sum = LANE(all)(0);
  for (size_t i = 0; i < padded; i += LANE(count)) {
    LANE(vec) weight = LANE(load)(a.pull + i) * LANE(load)(a.c + i);
    LANE(store)(a.c + i, weight); /* c itself is not needed any more */
    own_sum = LANE(fma)(weight, LANE(load)(a.square + i), own_sum);
  }
  real own = rule->flat ? 0 : LANE(sum)(own_sum);
  LANE(move_rows)(rule, rows, step, chunks, tail, a);
  if (!rule->flat && !step->others)
    LANE(measure_rows)(rule, rows, step, gentle, a);
  double square = 0.0, along = 0.0;
  for (size_t k = 0; k < dim; k++) {
    g[k] = (double)S * (double)a.tangent[k] - (double)own * (double)u[k];
    square += g[k] * g[k];
    along += g[k] * (double)u[k];
  }
  if (!(square <= DBL_MAX)) {
    result->bad = true;
    return;
  }
  if (square > 0.0)
    LANE(move_source)(rule, u, sqrt(square), along, g, result);
  if (!rule->flat)
    LANE(measure)(u, dim);
}

/* train_lanes.h - the training step of train.h on vectors of `real`, in three passes: distances and likelihoods of a vector of
 * rows at a time (a transposing sum), then all scalars of their moves, then the rows themselves. Included once per type by
 * train_simd.h. */

/* e^-d, and c, from |m-u|^2 and S(u) S(m), with one root: of p = |m-u|^2 (S(u) S(m) + |m-u|^2), since c = 1 / sqrt(p), and
 * (sqrt(1+q) + sqrt(q))^2 = 1 + 2 q + 2 sqrt(q (1+q)), so e^-d = st / (st + 2 |m-u|^2 + 2 sqrt(p)). */
SIMD_INLINE LANE(vec) LANE(likelihood)(LANE(vec) d2, LANE(vec) st, LANE(vec) * c) {
  const LANE(vec) p = d2 * (st + d2), two = LANE(all)((real)2);
#ifdef KERNEL_AVX512
  *c = LANE(inverse_root)(p);
  return st * LANE(inverse)(LANE(fma)(two, LANE(fma)(p, *c, d2), st));
#else
  const LANE(vec) root = LANE(sqrt)(p);
  *c = 1 / root;
  return st / LANE(fma)(two, root + d2, st);
#endif
}

/* First pass: |m-u|^2 and the gap of every row. */
SIMD_INLINE void LANE(measure_distances)(LANE(layout) l, real *rows, const train_step *step, size_t padded, LANE(arrays) a) {
  const real *u = LANE(row)(l, rows, step->u);
  for (size_t i = 0; i < padded; i += LANE(count)) {
    real *row[LANE(count)];
    for (int r = 0; r < LANE(count); r++)
      row[r] = LANE(row)(l, rows, step->index[i + (size_t)r]);
    LANE(store)(a.gap + i, LANE(pick)(row, l.gap));
    LANE(store)(a.square + i, LANE(squared_distances)(l, row, u));
  }
}

/* Then c, and e^-d (into pull) of every row. Returns the sum of e^-d over the negatives. */
SIMD_INLINE double LANE(likelihoods)(const train_rule *rule, const train_step *step, real S, size_t padded, LANE(arrays) a) {
  const LANE(vec) own = LANE(all)(S);
  LANE(vec) sum = LANE(all)(0);
  for (size_t i = 0; i < padded; i += LANE(count)) {
    LANE(vec) d2 = LANE(load)(a.square + i), e, c;
    if (rule->flat) {
      LANE(vec) root = LANE(sqrt)(d2);
      e = LANE(exp)(-root);
      c = 1 / root;
    } else {
      e = LANE(likelihood)(d2, own * LANE(load)(a.gap + i), &c);
    }
    LANE(store)(a.c + i, c);
    LANE(store)(a.pull + i, e);
    if (i + LANE(count) <= step->negatives)
      sum = sum + e;
    else if (i < step->negatives)
      sum = sum + (LANE(vec))((LANE(ints))e & LANE(first)(step->negatives - i));
  }
  return (double)LANE(sum)(sum);
}

/* Sharper likelihoods, for one positive: their ratios to the positive's, squared. Returns the sum over the negatives; not a
 * number if the positive's is none or 0. */
SIMD_INLINE double LANE(sharpen)(int squarings, size_t negatives, real *likelihoods) {
  const real unit = likelihoods[negatives];
  const LANE(vec) inverse = LANE(all)(1 / unit), most = LANE(all)((real)ldexp(1.0, TRAIN_LIKELIEST >> squarings));
  LANE(vec) sum = LANE(all)(0);
  for (size_t i = 0; i < negatives; i += LANE(count)) {
    LANE(vec) ratio = LANE(min)(LANE(load)(likelihoods + i) * inverse, most);
    for (int k = 0; k < squarings; k++)
      ratio = ratio * ratio;
    LANE(store)(likelihoods + i, ratio);
    sum = sum + (LANE(vec))((LANE(ints))ratio & LANE(first)(negatives - i));
  }
  likelihoods[negatives] = 1;
  return unit > 0 ? (double)LANE(sum)(sum) : (double)NAN;
}

/* The same for steps with hold, which may have several positives and hand the sum on: likelihoods themselves are squared. */
SIMD_INLINE double LANE(sharpen_held)(int squarings, size_t negatives, size_t n, real *likelihoods) {
  const LANE(vec) least = LANE(all)((real)TRAIN_LEAST_LIKELIHOOD);
  LANE(vec) sum = LANE(all)(0);
  for (size_t i = 0; i < n; i += LANE(count)) {
    LANE(vec) e = LANE(load)(likelihoods + i);
    for (int k = 0; k < squarings; k++)
      e = LANE(max)(e * e, least);
    LANE(store)(likelihoods + i, e);
    if (i < negatives)
      sum = sum + (LANE(vec))((LANE(ints))e & LANE(first)(negatives - i));
  }
  return (double)LANE(sum)(sum);
}

/* Adds log(ratio) to the loss; logarithms are taken of products. */
SIMD_INLINE void LANE(count_loss)(train_result *result, double ratio) {
  result->ratio *= ratio;
  if (!(result->ratio < TRAIN_LARGE_RATIO)) {
    result->loss += log(result->ratio);
    result->ratio = 1.0;
  }
}

/* The same for the first n of a vector; false if one is not finite. */
SIMD_INLINE bool LANE(count_losses)(train_result *result, LANE(vec) ratio, size_t n) {
  double product[LANE(count)];
  ratio = LANE(select)(LANE(first)(n), ratio, LANE(all)((real)1));
  for (size_t k = 0; k < LANE(count); k++)
    product[k] = (double)ratio[k];
  if (!LANE(any)(~(LANE(ints))(ratio <= (real)TRAIN_SMALL_RATIO))) { /* nearly always */
#pragma GCC unroll 4
    for (size_t half = LANE(count) / 2; half > 0; half /= 2)
      for (size_t k = 0; k < half; k++)
        product[k] *= product[k + half];
    LANE(count_loss)(result, product[0]);
    return true;
  }
  bool finite = true;
  for (size_t k = 0; k < LANE(count); k++) {
    finite = finite && product[k] <= DBL_MAX;
    LANE(count_loss)(result, product[k]);
  }
  return finite;
}

/* The pulls of the positives (parked in keep until the second pass), the loss, and the factor that makes likelihoods of the
 * negatives their pulls. False if a number is not finite. */
SIMD_INLINE bool LANE(few_positives)(const train_rule *rule, const train_step *step, LANE(arrays) a, double likelihoods,
                                     train_result *result, double *share) {
  const double sum = likelihoods + (rule->complement ? 1.0 : 0.0);
  bool finite = true;
  *share = 0.0;
  for (size_t i = step->negatives; i < step->negatives + step->positives; i++) {
    double w = step->weights ? step->weights[i - step->negatives] : 1.0, e = (double)a.pull[i];
    double z = rule->complement ? sum : sum + e, ratio = z / e, inverse = 1.0 / z;
    finite = finite && ratio <= DBL_MAX;
    if (step->weights)
      result->loss += w * log(ratio);
    else
      LANE(count_loss)(result, ratio);
    *share += w * inverse;
    a.keep[i] = (real)(rule->complement ? w : w * (sum * inverse));
  }
  return finite;
}

/* The same a vector at a time, for positives without weights. */
SIMD_INLINE bool LANE(many_positives)(const train_rule *rule, const train_step *step, LANE(arrays) a, double likelihoods,
                                      train_result *result, double *share) {
  const size_t first = step->negatives, n = first + step->positives;
  const LANE(vec) sum = LANE(all)((real)(likelihoods + (rule->complement ? 1.0 : 0.0))), one = LANE(all)((real)1);
  LANE(vec) shares = LANE(all)(0);
  bool finite = true;
  for (size_t i = first; i < n; i += LANE(count)) {
    LANE(vec) e = LANE(load)(a.pull + i), z = rule->complement ? sum : sum + e, inverse = one / z;
    LANE(store)(a.keep + i, rule->complement ? one : sum * inverse);
    shares = shares + (LANE(vec))((LANE(ints))inverse & LANE(first)(n - i));
    finite = LANE(count_losses)(result, z / e, n - i) && finite;
  }
  *share = (double)LANE(sum)(shares);
  return finite;
}

/* The pulls of u's sources, when u is the target. */
SIMD_INLINE void LANE(pulls_of_sources)(const train_rule *rule, const train_step *step, LANE(arrays) a) {
  const real *others = step->others;
  const LANE(vec) one = LANE(all)((real)1);
  for (size_t i = 0; i < step->positives; i += LANE(count)) {
    LANE(vec) other = LANE(load)(others + i), e = LANE(load)(a.pull + i);
    LANE(store)(a.keep + i, rule->complement ? one : other / (other + e));
  }
  for (size_t i = 0; i < step->positives && step->weights; i++)
    a.keep[i] *= (real)step->weights[i];
}

SIMD_INLINE bool LANE(positives)(const train_rule *rule, const train_step *step, LANE(arrays) a, double likelihoods,
                                 train_result *result, double *share) {
  if (step->others) {
    *share = 0.0;
    LANE(pulls_of_sources)(rule, step, a);
    return true;
  }
  return step->positives > 2 && !step->weights ? LANE(many_positives)(rule, step, a, likelihoods, result, share)
                                               : LANE(few_positives)(rule, step, a, likelihoods, result, share);
}

/* Sparse pulls: weights below q become q or nothing. */
SIMD_INLINE void LANE(thin)(const train_rule *rule, const train_step *step, LANE(arrays) a) {
  const real least = (real)rule->sparse;
  for (size_t i = 0; i < step->negatives; i++)
    if (-a.pull[i] < least)
      a.pull[i] = train_is_kept(-(double)a.pull[i], rule->sparse, step->randoms[i]) ? -least : 0;
}

/* keep, away and the new gap of a vector of rows that walk `step` away from u; returns which of them were clipped. */
SIMD_INLINE LANE(ints) LANE(moves)(const train_rule *rule, LANE(vec) own, LANE(vec) step, LANE(arrays) a, size_t i) {
  const LANE(vec) one = LANE(all)((real)1), zero = LANE(all)(0), half = LANE(all)((real)0.5);
  LANE(vec) c = LANE(load)(a.c + i), gap = LANE(load)(a.gap + i), d2 = LANE(load)(a.square + i);
  if (rule->flat) {
    LANE(store)(a.keep + i, one);
    LANE(store)(a.away + i, step * c);
    LANE(store)(a.new_gap + i, gap);
    return (LANE(ints)){0};
  }
  LANE(vec) x2 = LANE(max)(one - gap, zero);
  LANE(vec) nx = c * LANE(fma)(half * gap, own - gap + d2, d2 * x2); /* n.x, by Cauchy-Schwarz at most |x| < 1 */
  nx = LANE(min)(LANE(max)(nx, -one), one);
  if (rule->update == TRAIN_GEODESIC) {
    LANE(vec) rest, t;
    if (!LANE(any)((LANE(ints))(LANE(magnitude)(step) > (real)TRAIN_FAR))) { /* nearly always */
      t = LANE(tanh_half_small)(step);
      rest = one - LANE(magnitude)(t);
    } else {
      t = LANE(tanh_half)(LANE(magnitude)(step), &rest);
      t = LANE(select)((LANE(ints))(step < zero), -t, t);
    }
    LANE(vec) shrink = rest * (one + LANE(magnitude)(t)); /* 1 - t^2 */
    LANE(vec) ahead = LANE(fma)(t, nx, one), aside = LANE(max)(x2 - nx * nx, zero);
    LANE(vec) z2 = LANE(fma)(ahead, ahead, t * t * aside);
    z2 = LANE(max)(LANE(max)(z2, rest * rest), gap * gap * (real)0.25); /* |z| >= 1 - |t|, and >= 1 - |x| >= gap/2 */
#ifdef KERNEL_AVX512
    LANE(vec) scale = gap * LANE(inverse)(z2);
#else
    LANE(vec) scale = gap / z2;
#endif
    LANE(vec) f = scale * t, deep = LANE(min)(scale * shrink, one);
    const LANE(vec) least = LANE(all)((real)LANE_LEAST_GAP);
    LANE(store)(a.keep + i, LANE(fma)(f, LANE(fma)(c, d2, t), one));
    LANE(store)(a.away + i, f * (c * gap));
    LANE(store)(a.new_gap + i, LANE(max)(deep, least));
    return (LANE(ints))(deep < least);
  }
  const LANE(vec) limit = LANE(all)((real)(1.0 - rule->margin)), far = LANE(all)((real)TRAIN_LONGEST);
  LANE(vec) length = rule->update == TRAIN_NATURAL ? half * gap * step : (step + step) / gap;
  length = LANE(min)(LANE(max)(length, -far), far);
  LANE(vec) norm2 = LANE(fma)(length, length, LANE(fma)(length + length, nx, x2));
  LANE(ints) clipped = (LANE(ints))(norm2 > limit * limit);
  LANE(vec) scale = LANE(select)(clipped, limit / LANE(sqrt)(norm2), one);
  LANE(store)(a.keep + i, scale * LANE(fma)(length, c * d2, one));
  LANE(store)(a.away + i, scale * length * (c * gap));
  LANE(store)(a.new_gap + i, LANE(select)(clipped, one - limit * limit, one - LANE(max)(norm2, zero)));
  return clipped;
}

/* Second pass: from likelihoods to pulls, to moves of the rows, to weights of the tangent at u (into c). Returns the share of u
 * itself in that tangent. */
SIMD_INLINE real LANE(plan)(const train_rule *rule, const train_step *step, real S, double share, size_t padded, LANE(arrays) a,
                            train_result *result) {
  const size_t negatives = step->negatives, n = negatives + step->positives, moving = step->hold ? negatives : n;
  const LANE(vec) minus = LANE(all)((real)-share), own = LANE(all)(S), rate = LANE(all)((real)-rule->lr);
  LANE(vec) own_share = LANE(all)(0);
  LANE(ints) clips = {0};
  for (size_t i = 0; i < padded; i += LANE(count)) {
    LANE(vec) pull = LANE(load)(a.pull + i) * minus;
    if (i + LANE(count) > negatives) {
      LANE(vec) positive = (LANE(vec))((LANE(ints))LANE(load)(a.keep + i) & LANE(first)(n - i));
      pull = i >= negatives ? positive : LANE(select)(LANE(first)(negatives - i), pull, positive);
    }
    LANE(store)(a.pull + i, pull);
  }
  if (rule->sparse > 0.0)
    LANE(thin)(rule, step, a);
  for (size_t i = 0; i < padded; i += LANE(count)) {
    LANE(vec) pull = LANE(load)(a.pull + i), weight = pull * LANE(load)(a.c + i);
    if (i < moving) {
      LANE(ints) clipped = LANE(moves)(rule, own, pull * rate, a, i);
      clips -= i + LANE(count) <= moving ? clipped : clipped & LANE(first)(moving - i);
    }
    LANE(store)(a.c + i, weight); /* c itself is not needed any more */
    own_share = LANE(fma)(weight, LANE(load)(a.square + i), own_share);
  }
  if (LANE(any)(clips))
    for (int r = 0; r < LANE(count); r++)
      result->clips += (uint64_t)clips[r];
  return rule->flat ? 0 : LANE(sum)(own_share);
}

/* Sparse pulls: leaves only the rows that are pulled, in `index` and in all arrays that the third pass reads. Returns how many of
 * them move, and in *n how many there are. */
SIMD_INLINE size_t LANE(compact)(const train_step *step, size_t moving, size_t *n, LANE(arrays) a) {
  size_t left = 0, movers = 0;
  for (size_t i = 0; i < *n; i++) {
    if (a.pull[i] == 0)
      continue;
    step->index[left] = step->index[i];
    a.pull[left] = a.pull[i];
    a.c[left] = a.c[i];
    a.keep[left] = a.keep[i];
    a.away[left] = a.away[i];
    a.new_gap[left] = a.new_gap[i];
    left++;
    movers += i < moving;
  }
  *n = left;
  return movers;
}

/* Measures the gaps of a rotating share of the rows that moved, and of those that moved far. */
SIMD_INLINE void LANE(measure_rows)(const train_rule *rule, LANE(layout) l, real *rows, const train_step *step, size_t moving,
                                    bool often, LANE(arrays) a) {
  const size_t every = TRAIN_MEASURE_EVERY;
  for (size_t i = (every - step->turn % every) % every; i < moving; i += every)
    LANE(measure)(l, LANE(row)(l, rows, step->index[i]));
  const LANE(vec) far = LANE(all)((real)(TRAIN_FAR / rule->lr));
  for (size_t i = 0; i < moving; i += LANE(count))
    if (LANE(any)((LANE(ints))(LANE(magnitude)(LANE(load)(a.pull + i)) > far)))
      for (size_t k = i; k < i + LANE(count) && k < moving; k++)
        if (fabs((double)a.pull[k]) * rule->lr > TRAIN_FAR)
          LANE(measure)(l, LANE(row)(l, rows, step->index[k]));
  if (often && moving > step->negatives)
    LANE(measure)(l, LANE(row)(l, rows, step->index[moving - 1]));
}

SIMD_INLINE void LANE(step_for)(const train_rule *rule, LANE(layout) l, real *rows, const train_step *step,
                                train_result *result) {
  const size_t n = step->negatives + step->positives, room = n + TRAIN_PAD;
  const size_t padded = (n + LANE(count) - 1) / LANE(count) * LANE(count);
  real *s = step->scratch, *tangent = s + TRAIN_ARRAYS * room;
  LANE(arrays) a = {s, s + room, s + 2 * room, s + 3 * room, s + 4 * room, s + 5 * room, s + 6 * room};
  real *u = LANE(row)(l, rows, step->u);
  const real S = rule->flat ? (real)1 : u[l.gap];
  for (size_t i = n; i < padded; i++)
    step->index[i] = step->index[0];
  double share;
  LANE(measure_distances)(l, rows, step, padded, a);
  double likelihoods = LANE(likelihoods)(rule, step, S, padded, a);
  if (rule->squarings)
    likelihoods = step->hold ? LANE(sharpen_held)(rule->squarings, step->negatives, n, a.pull)
                             : LANE(sharpen)(rule->squarings, step->negatives, a.pull);
  result->likelihoods[result->bad_step] = likelihoods;
  if (!LANE(positives)(rule, step, a, likelihoods, result, &share)) {
    result->bad = true;
    return;
  }
  real own = LANE(plan)(rule, step, S, share, padded, a, result);
  size_t left = n, moving = step->hold ? step->negatives : n;
  if (rule->sparse > 0.0)
    moving = LANE(compact)(step, moving, &left, a);
  LANE(move_rows)(l, rows, step, left, moving, a, tangent);
  bool far = false;
  if (!LANE(move_source)(rule, l, u, S, own, tangent, result, &far)) {
    result->bad = true;
    return;
  }
  if (!rule->flat) {
    const bool often = step->turn % TRAIN_MEASURE_OFTEN == 0;
    LANE(measure_rows)(rule, l, rows, step, moving, often && !step->hold, a);
    if (often || far)
      LANE(measure)(l, u);
  }
}

static void LANE(any_step)(const train_rule *rule, real *rows, const train_step *step, train_result *result) {
  LANE(layout) l = LANE(layout_of)(rule);
  if (l.chunks == 1) {
    l.chunks = 1;
    LANE(step_for)(rule, l, rows, step, result);
  } else if (l.chunks == 2) {
    l.chunks = 2;
    LANE(step_for)(rule, l, rows, step, result);
  } else {
    LANE(step_for)(rule, l, rows, step, result);
  }
}

/* Measures `count` rows; returns the sum of their radii. */
static double LANE(settle)(const train_rule *rule, real *rows, size_t count) {
  LANE(layout) l = LANE(layout_of)(rule);
  train_result sum = {.ratio = 1.0};
  for (size_t i = 0; i < count; i++) {
    real *x = rows + i * l.stride;
    LANE(measure)(l, x);
    double gap = (double)x[l.gap], side = 1.0 + sqrt(fmax(0.0, 1.0 - gap));
    LANE(count_loss)(&sum, side * side / gap); /* radius = log((1 + |x|)^2 / gap) */
  }
  return sum.loss + log(sum.ratio);
}

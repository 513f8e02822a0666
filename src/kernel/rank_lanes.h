/* rank_lanes.h - the kernels of rank.h on vectors of `real`, a register long. Included by rank_simd.h once per type; no include
 * guard for that reason.
 *
 * Each sum of squares runs over the columns in order with one fma each, as in the plain version: AVX2, AVX-512 and plain C give
 * the same bits; SSE2, which has no fma, differs in the last ones. */

#if REAL_IS_FLOAT
typedef int32_t LANE(integer);
#else
typedef int64_t LANE(integer);
#endif
typedef real LANE(vec) __attribute__((vector_size(sizeof(vec))));
typedef real LANE(loose) __attribute__((vector_size(sizeof(vec)), aligned(sizeof(real)), may_alias));
typedef LANE(integer) LANE(ints) __attribute__((vector_size(sizeof(vec))));
enum { LANE(count) = sizeof(vec) / sizeof(real), LANE(group) = RANK_GROUP_BYTES / sizeof(real) };

SIMD_INLINE LANE(vec) LANE(all)(real a) { return a - (LANE(vec)){0}; }
SIMD_INLINE LANE(vec) LANE(load)(const real *p) { return *(const LANE(loose) *)p; }
SIMD_INLINE void LANE(store)(real *p, LANE(vec) a) { *(LANE(loose) *)p = a; }

/* ---- what the compilers' vector extensions lack: fma, comparisons as bits, moving the lanes that were picked together ---- */

#if defined(KERNEL_AVX512) && REAL_IS_FLOAT
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return _mm512_fmadd_ps(a, b, c); }
SIMD_INLINE unsigned LANE(less)(LANE(vec) a, LANE(vec) b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
SIMD_INLINE count_lanes LANE(count_less)(count_lanes n, LANE(vec) a, LANE(vec) b) {
  return _mm512_mask_sub_epi32(n, _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), n, _mm512_set1_epi32(-1));
}
SIMD_INLINE void LANE(pack)(real *p, unsigned bits, LANE(vec) a) {
  _mm512_storeu_ps(p, _mm512_maskz_compress_ps((__mmask16)bits, a));
}
#elif defined(KERNEL_AVX512)
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return _mm512_fmadd_pd(a, b, c); }
SIMD_INLINE unsigned LANE(less)(LANE(vec) a, LANE(vec) b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
SIMD_INLINE count_lanes LANE(count_less)(count_lanes n, LANE(vec) a, LANE(vec) b) {
  return _mm512_mask_sub_epi64(n, _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), n, _mm512_set1_epi64(-1));
}
SIMD_INLINE void LANE(pack)(real *p, unsigned bits, LANE(vec) a) {
  _mm512_storeu_pd(p, _mm512_maskz_compress_pd((__mmask8)bits, a));
}
#else
#if defined(KERNEL_AVX2) && REAL_IS_FLOAT
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return _mm256_fmadd_ps(a, b, c); }
SIMD_INLINE unsigned LANE(less)(LANE(vec) a, LANE(vec) b) { return (unsigned)_mm256_movemask_ps((__m256)(a < b)); }
#elif defined(KERNEL_AVX2)
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return _mm256_fmadd_pd(a, b, c); }
SIMD_INLINE unsigned LANE(less)(LANE(vec) a, LANE(vec) b) { return (unsigned)_mm256_movemask_pd((__m256d)(a < b)); }
#elif REAL_IS_FLOAT
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return a * b + c; }
SIMD_INLINE unsigned LANE(less)(LANE(vec) a, LANE(vec) b) { return (unsigned)_mm_movemask_ps((__m128)(a < b)); }
#else
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return a * b + c; }
SIMD_INLINE unsigned LANE(less)(LANE(vec) a, LANE(vec) b) { return (unsigned)_mm_movemask_pd((__m128d)(a < b)); }
#endif

/* n with 1 added in every lane where a < b. */
SIMD_INLINE count_lanes LANE(count_less)(count_lanes n, LANE(vec) a, LANE(vec) b) {
  return (count_lanes)((LANE(ints))n - (LANE(ints))(a < b));
}

/* The lanes whose bit is set, moved together, at p; a whole vector at p may be written. */
SIMD_INLINE void LANE(pack)(real *p, unsigned bits, LANE(vec) a) {
  for (size_t i = 0, found = 0; i < LANE(count); i++) {
    p[found] = a[i];
    found += bits >> i & 1;
  }
}
#endif

/* ---- tile ---- */

/* Two vectors of points by four sources at a time: 8 sums in registers. */
SIMD_INLINE unsigned LANE(tile_of_dim)(const size_t dim, size_t n, const real *y, const real *w, const real *x, const real *limit,
                                       real near, real *out) {
  unsigned below[RANK_SOURCES] = {0}, close[RANK_SOURCES] = {0};
  const LANE(vec) closest = LANE(all)(near);
  for (size_t j = 0; j < n; j += (size_t)2 * LANE(count)) {
    const real *column = y + j / LANE(group) * LANE(group) * dim + j % LANE(group);
    LANE(vec) a[RANK_SOURCES], b[RANK_SOURCES];
    for (int s = 0; s < RANK_SOURCES; s++)
      a[s] = b[s] = LANE(all)(0);
    for (size_t c = 0; c < dim; c++) {
      const LANE(vec) p = LANE(load)(column + c * LANE(group)), q = LANE(load)(column + c * LANE(group) + LANE(count));
      for (int s = 0; s < RANK_SOURCES; s++) {
        const LANE(vec) from = LANE(all)(x[RANK_SOURCES * c + (size_t)s]);
        const LANE(vec) d = p - from, e = q - from;
        a[s] = LANE(fma)(d, d, a[s]);
        b[s] = LANE(fma)(e, e, b[s]);
      }
    }
    const LANE(vec) wp = LANE(load)(w + j), wq = LANE(load)(w + j + LANE(count));
    for (int s = 0; s < RANK_SOURCES; s++) {
      const LANE(vec) top = LANE(all)(limit[s]);
      close[s] |= LANE(less)(a[s], closest) | LANE(less)(b[s], closest);
      a[s] = a[s] * wp;
      b[s] = b[s] * wq;
      below[s] |= LANE(less)(a[s], top) | LANE(less)(b[s], top);
      LANE(store)(out + (size_t)s * RANK_POINTS + j, a[s]);
      LANE(store)(out + (size_t)s * RANK_POINTS + j + LANE(count), b[s]);
    }
  }
  unsigned bits = 0;
  for (unsigned s = 0; s < RANK_SOURCES; s++)
    bits |= (below[s] != 0 ? 1u : 0u) << s | (close[s] != 0 ? 1u : 0u) << (RANK_SOURCES + s);
  return bits;
}

static unsigned LANE(rank_tile)(size_t dim, size_t n, const real *y, const real *w, const real *x, const real *limit, real near,
                                real *out) {
  switch (dim) {
  case 2:
    return LANE(tile_of_dim)(2, n, y, w, x, limit, near, out);
  case 5:
    return LANE(tile_of_dim)(5, n, y, w, x, limit, near, out);
  case 10:
    return LANE(tile_of_dim)(10, n, y, w, x, limit, near, out);
  default:
    return LANE(tile_of_dim)(dim, n, y, w, x, limit, near, out);
  }
}

/* ---- count ---- */

/* The q below `split` moved to the front of q (their number is returned), the others to `rest` (or nowhere); both padded with
 * infinity to whole vectors. Writing in place is safe: a vector is read before anything is written behind its end. */
SIMD_INLINE size_t LANE(part)(size_t n, real *q, real split, real *rest) {
  const LANE(vec) top = LANE(all)(split), infinity = LANE(all)((real)INFINITY);
  const unsigned all = (unsigned)((1ull << LANE(count)) - 1);
  size_t less = 0, other = 0;
  for (size_t j = 0; j < n; j += LANE(count)) {
    const LANE(vec) a = LANE(load)(q + j);
    const unsigned bits = LANE(less)(a, top);
    if (rest != NULL) {
      LANE(pack)(rest + other, ~bits & all, a);
      other += LANE(count) - count_bits(bits);
    } else if (bits == 0) {
      continue;
    }
    LANE(pack)(q + less, bits, a);
    less += count_bits(bits);
  }
  LANE(store)(q + less, infinity);
  if (rest != NULL)
    LANE(store)(rest + other, infinity);
  return less;
}

/* below[i] = how many of the n numbers are less than t[i]: counted lane by lane for four thresholds at a time, by the bits of the
 * comparison where there are only one or two vectors of numbers. */
SIMD_INLINE void LANE(count_below)(size_t n, const real *q, size_t k, const real *t, uint32_t *below) {
  size_t i = 0;
  if (n > (size_t)2 * LANE(count))
    for (; i + 4 <= k; i += 4) {
      count_lanes counts[4] = {{0}};
      for (size_t j = 0; j < n; j += LANE(count)) {
        const LANE(vec) a = LANE(load)(q + j);
        for (int s = 0; s < 4; s++)
          counts[s] = LANE(count_less)(counts[s], a, LANE(all)(t[i + (size_t)s]));
      }
      sum_counts(counts[0], counts[1], counts[2], counts[3], below + i);
    }
  for (; i < k; i++) {
    const LANE(vec) top = LANE(all)(t[i]);
    size_t less = 0;
    for (size_t j = 0; j < n; j += LANE(count))
      less += count_bits(LANE(less)(LANE(load)(q + j), top));
    below[i] = (uint32_t)less;
  }
}

/* n numbers, all in [t[-1], t[k]) and padded with infinity, into the k + 1 counts of hist: few thresholds one by one, many by
 * halving, as a quicksort does. */
static void LANE(count_between)(size_t n, real *q, size_t k, const real *t, uint32_t *hist) {
  real rest[RANK_POINTS + LANE(count)];
  while (k > RANK_FEW) {
    const size_t half = k / 2, less = LANE(part)(n, q, t[half], rest);
    if (n > less)
      LANE(count_between)(n - less, rest, k - half - 1, t + half + 1, hist + half + 1);
    if (less == 0)
      return;
    n = less;
    k = half;
  }
  uint32_t below[RANK_FEW], before = 0;
  LANE(count_below)(n, q, k, t, below);
  for (size_t i = 0; i < k; i++) {
    hist[i] += below[i] - before;
    before = below[i];
  }
  hist[k] += (uint32_t)n - before;
}

static void LANE(rank_count)(size_t n, real *q, size_t k, const real *t, uint32_t *hist) {
  const size_t below = LANE(part)(n, q, t[k - 1], NULL);
  if (below > 0)
    LANE(count_between)(below, q, k - 1, t, hist);
}

/* ---- sum ---- */

SIMD_INLINE double LANE(sum_of_kind)(const rank_distance kind, double scale, double unit, size_t n, const real *q) {
  const vec scales = vec_all(scale), units = vec_all(unit);
  vec a = vec_all(0.0), b = a;
  for (size_t j = 0; j < n; j += (size_t)2 * LANES) {
    a += likelihood_of(kind, scales, units, WIDEN(q + j));
    b += likelihood_of(kind, scales, units, WIDEN(q + j + LANES));
  }
  double lane[LANES], sum = 0.0;
  vec_store(lane, a + b);
  for (size_t i = 0; i < LANES; i++)
    sum += lane[i];
  return sum;
}

static double LANE(rank_sum)(rank_distance kind, double scale, double unit, size_t n, const real *q) {
  switch (kind) {
  case RANK_UNIT:
    return LANE(sum_of_kind)(RANK_UNIT, scale, unit, n, q);
  case RANK_FLAT:
    return LANE(sum_of_kind)(RANK_FLAT, scale, unit, n, q);
  default:
    return LANE(sum_of_kind)(RANK_CURVED, scale, unit, n, q);
  }
}

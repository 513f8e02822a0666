/* rank_simd.h - the vector versions of the evaluation's kernels for one instruction set: rank_sse2.c, rank_avx2.c and
 * rank_avx512.c each include it with KERNEL_AVX512, KERNEL_AVX2 or neither, and RANK_TABLE and RANK_NAME defined. */
#include <math.h>

#include "rank.h"
#include "simd.h"
#include "simd_math.h"

/* Thresholds that numbers are compared with one by one; more are halved first. */
enum { RANK_FEW = 8 };

/* How many bits are set: an instruction where there is one, else (SSE2, at most 4 bits) a table of 16 digits. */
SIMD_INLINE size_t count_bits(unsigned bits) {
#if defined(__POPCNT__)
  return (size_t)__builtin_popcount(bits);
#else
  return (size_t)(0x4332322132212110ULL >> (4 * bits) & 15);
#endif
}

/* The sums of the lanes of four vectors of counts, which lie in 32-bit lanes, or in 64-bit ones and are below 2^32. */
#if defined(KERNEL_AVX512)
typedef __m512i count_lanes;
SIMD_INLINE __m128i fold(count_lanes a) {
  const __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
  return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}
#elif defined(KERNEL_AVX2)
typedef __m256i count_lanes;
SIMD_INLINE __m128i fold(count_lanes a) { return _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)); }
#else
typedef __m128i count_lanes;
SIMD_INLINE __m128i fold(count_lanes a) { return a; }
#endif
SIMD_INLINE void sum_counts(count_lanes a, count_lanes b, count_lanes c, count_lanes d, uint32_t out[4]) {
  const __m128i p = fold(a), q = fold(b), r = fold(c), s = fold(d);
  const __m128i pq = _mm_add_epi32(_mm_unpacklo_epi32(p, q), _mm_unpackhi_epi32(p, q));
  const __m128i rs = _mm_add_epi32(_mm_unpacklo_epi32(r, s), _mm_unpackhi_epi32(r, s));
  _mm_storeu_si128((__m128i *)(void *)out, _mm_add_epi32(_mm_unpacklo_epi64(pq, rs), _mm_unpackhi_epi64(pq, rs)));
}

/* d, and e^-d, from one vector of q; q = infinity gives e^-d = 0 (and any large d). */
SIMD_INLINE vec distance_of(const rank_distance kind, vec scale, vec unit, vec q) {
  const vec s = q * scale, largest = vec_all(0x1p1000);
  if (kind == RANK_FLAT)
    return unit * vec_sqrt(s);
  return unit * vec_log1p(vec_min(2.0 * (s + vec_sqrt(vec_fma(s, s, s))), largest));
}

SIMD_INLINE vec likelihood_of(const rank_distance kind, vec scale, vec unit, vec q) {
  const vec one = vec_all(1.0), s = q * scale;
  if (kind == RANK_UNIT)
    return one / (one + 2.0 * (s + vec_sqrt(vec_fma(s, s, s)))); /* e^d - 1 = 2 (s + sqrt(s + s^2)) */
  const vec d = vec_min(distance_of(kind, scale, unit, q), vec_all(700.0));
  return vec_select(vec_less(s, vec_all(0x1p1000)), one / (one + 2.0 * vec_half_expm1(d)), vec_all(0.0));
}

static void distances(rank_distance kind, double scale, double unit, size_t n, const double *q, double *out) {
  const vec scales = vec_all(scale), units = vec_all(unit);
  if (kind == RANK_FLAT)
    for (size_t j = 0; j < n; j += LANES)
      vec_store(out + j, distance_of(RANK_FLAT, scales, units, vec_load(q + j)));
  else
    for (size_t j = 0; j < n; j += LANES)
      vec_store(out + j, distance_of(RANK_CURVED, scales, units, vec_load(q + j)));
}

#define real          double
#define REAL_IS_FLOAT 0
#define LANE(name)    double_##name
#define WIDEN(p)      vec_load(p)
#include "rank_lanes.h"
#undef real
#undef REAL_IS_FLOAT
#undef LANE
#undef WIDEN

#define real          float
#define REAL_IS_FLOAT 1
#define LANE(name)    float_##name
#define WIDEN(p)      vec_loadf(p)
#include "rank_lanes.h"

const rank_table RANK_TABLE = {.name = RANK_NAME,
                               .d = {double_rank_tile, double_rank_count, double_rank_sum},
                               .f = {float_rank_tile, float_rank_count, float_rank_sum},
                               .distances = distances};

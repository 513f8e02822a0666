/* simd_lanes.h - vectors of `real` (float or double) of the width of the instruction set, for kernels that compute in the type of
 * their rows. + - * / and comparisons come from the compilers' vector extensions; here is the rest. Included once per type by
 * train_simd.h with real, LANE(name), and REAL_IS_FLOAT (0 or 1) defined; KERNEL_AVX512 / KERNEL_AVX2 / neither (SSE2) choose the
 * width. */

#if defined(KERNEL_AVX512)
#define LANE_BYTES 64
#elif defined(KERNEL_AVX2)
#define LANE_BYTES 32
#else
#define LANE_BYTES 16
#endif

#if REAL_IS_FLOAT
typedef int32_t LANE(integer);
#else
typedef int64_t LANE(integer);
#endif
typedef real LANE(vec) __attribute__((vector_size(LANE_BYTES)));
typedef real LANE(loose) __attribute__((vector_size(LANE_BYTES), aligned(sizeof(real)), may_alias));
typedef LANE(integer) LANE(ints) __attribute__((vector_size(LANE_BYTES)));
enum { LANE(count) = LANE_BYTES / sizeof(real) };

SIMD_INLINE LANE(vec) LANE(all)(real a) { return a - (LANE(vec)){0}; }
SIMD_INLINE LANE(vec) LANE(load)(const real *p) { return *(const LANE(loose) *)p; }
SIMD_INLINE void LANE(store)(real *p, LANE(vec) a) { *(LANE(loose) *)p = a; }
SIMD_INLINE LANE(vec) LANE(select)(LANE(ints) yes, LANE(vec) a, LANE(vec) b) {
#if defined(KERNEL_AVX512) && REAL_IS_FLOAT
  return _mm512_mask_mov_ps(b, _mm512_movepi32_mask((__m512i)yes), a);
#elif defined(KERNEL_AVX512)
  return _mm512_mask_mov_pd(b, _mm512_movepi64_mask((__m512i)yes), a);
#else
  return (LANE(vec))((yes & (LANE(ints))a) | (~yes & (LANE(ints))b));
#endif
}
SIMD_INLINE LANE(vec) LANE(magnitude)(LANE(vec) a) {
  const LANE(ints) sign = (LANE(ints))(-(LANE(vec)){0});
  return (LANE(vec))((LANE(ints))a & ~sign);
}

/* A bit for each lane of a mask. */
SIMD_INLINE unsigned LANE(bits)(LANE(ints) a) {
#if defined(KERNEL_AVX512) && REAL_IS_FLOAT
  return _mm512_movepi32_mask((__m512i)a);
#elif defined(KERNEL_AVX512)
  return _mm512_movepi64_mask((__m512i)a);
#elif defined(KERNEL_AVX2) && REAL_IS_FLOAT
  return (unsigned)_mm256_movemask_ps((__m256)a);
#elif defined(KERNEL_AVX2)
  return (unsigned)_mm256_movemask_pd((__m256d)a);
#elif REAL_IS_FLOAT
  return (unsigned)_mm_movemask_ps((__m128)a);
#else
  return (unsigned)_mm_movemask_pd((__m128d)a);
#endif
}

/* Whole numbers below 2^16. */
SIMD_INLINE LANE(vec) LANE(from_halves)(const uint16_t *p) {
  typedef uint16_t halves __attribute__((vector_size(2 * LANE_BYTES / sizeof(real)), aligned(2), may_alias));
  typedef int32_t words __attribute__((vector_size(4 * LANE_BYTES / sizeof(real))));
  return __builtin_convertvector(__builtin_convertvector(*(const halves *)p, words), LANE(vec));
}

/* A mask of the first n lanes. */
SIMD_INLINE LANE(ints) LANE(first)(size_t n) {
  static const LANE(integer) numbers[16] __attribute__((aligned(64))) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return *(const LANE(ints) *)numbers < (LANE(integer))n;
}

/* Below: pick(row, k) is element k of as many rows as there are lanes; row_sums(a) is the sum of the lanes of each of as many
 * vectors; squares(v) is the sum of squares of the lanes, in double. inverse_root and inverse are 1/sqrt(a)
 * and 1/a to 2 ulp, by an approximation and Newton's step where there is one for the type. */
#if defined(KERNEL_AVX512) && REAL_IS_FLOAT
SIMD_INLINE LANE(vec) LANE(sqrt)(LANE(vec) a) { return _mm512_sqrt_ps(a); }
SIMD_INLINE LANE(vec) LANE(pick)(real *const *row, size_t k) {
  return _mm512_set_ps(row[15][k], row[14][k], row[13][k], row[12][k], row[11][k], row[10][k], row[9][k], row[8][k], row[7][k],
                       row[6][k], row[5][k], row[4][k], row[3][k], row[2][k], row[1][k], row[0][k]);
}
SIMD_INLINE double LANE(squares)(LANE(vec) v) {
  __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(v)), high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
  return _mm512_reduce_add_pd(_mm512_fmadd_pd(high, high, low * low));
}
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return _mm512_fmadd_ps(a, b, c); }
SIMD_INLINE LANE(vec) LANE(inverse_root)(LANE(vec) a) {
  LANE(vec) r = _mm512_rsqrt14_ps(a);
  return LANE(fma)(r * (real)0.5, LANE(fma)(-(a * r), r, LANE(all)(1)), r);
}
SIMD_INLINE LANE(vec) LANE(inverse)(LANE(vec) a) {
  LANE(vec) r = _mm512_rcp14_ps(a);
  return LANE(fma)(r, LANE(fma)(-a, r, LANE(all)(1)), r);
}
SIMD_INLINE LANE(vec) LANE(max)(LANE(vec) a, LANE(vec) b) { return _mm512_max_ps(a, b); }
SIMD_INLINE LANE(vec) LANE(min)(LANE(vec) a, LANE(vec) b) { return _mm512_min_ps(a, b); }
SIMD_INLINE real LANE(sum)(LANE(vec) a) { return _mm512_reduce_add_ps(a); }
SIMD_INLINE bool LANE(any)(LANE(ints) a) { return _mm512_test_epi32_mask((__m512i)a, (__m512i)a) != 0; }
/* The sums of the four quarters of four vectors: quarter q holds those of the quarters q. */
SIMD_INLINE LANE(vec) LANE(quarter_sums)(const LANE(vec) * a) {
  __m512 s = _mm512_unpacklo_ps(a[0], a[1]) + _mm512_unpackhi_ps(a[0], a[1]);
  __m512 t = _mm512_unpacklo_ps(a[2], a[3]) + _mm512_unpackhi_ps(a[2], a[3]);
  __m512d x = _mm512_castps_pd(s), y = _mm512_castps_pd(t);
  return _mm512_castpd_ps(_mm512_unpacklo_pd(x, y)) + _mm512_castpd_ps(_mm512_unpackhi_pd(x, y));
}
SIMD_INLINE LANE(vec) LANE(row_sums)(const LANE(vec) * a) {
  __m512 t[4];
  for (size_t i = 0; i < 4; i++)
    t[i] = LANE(quarter_sums)(a + 4 * i);
  __m512 p = _mm512_shuffle_f32x4(t[0], t[1], 0x88) + _mm512_shuffle_f32x4(t[0], t[1], 0xdd);
  __m512 q = _mm512_shuffle_f32x4(t[2], t[3], 0x88) + _mm512_shuffle_f32x4(t[2], t[3], 0xdd);
  return _mm512_shuffle_f32x4(p, q, 0x88) + _mm512_shuffle_f32x4(p, q, 0xdd);
}
/* From the quarter sums of 16 vectors: the sums of the quarters before `quarter` (1 to 3), and that quarter by itself. */
SIMD_INLINE LANE(vec) LANE(join_quarters)(const LANE(vec) * t, size_t quarter, LANE(vec) * apart) {
  __m512 even[2] = {_mm512_shuffle_f32x4(t[0], t[1], 0x88), _mm512_shuffle_f32x4(t[2], t[3], 0x88)};
  __m512 odd[2] = {_mm512_shuffle_f32x4(t[0], t[1], 0xdd), _mm512_shuffle_f32x4(t[2], t[3], 0xdd)};
  __m512 first = _mm512_shuffle_f32x4(even[0], even[1], 0x88), second = _mm512_shuffle_f32x4(odd[0], odd[1], 0x88);
  if (quarter == 1) {
    *apart = second;
    return first;
  }
  __m512 third = _mm512_shuffle_f32x4(even[0], even[1], 0xdd);
  *apart = quarter == 2 ? third : _mm512_shuffle_f32x4(odd[0], odd[1], 0xdd);
  return quarter == 2 ? first + second : first + second + third;
}
/* Squares in the lanes of the mask; the others stay. */
SIMD_INLINE LANE(vec) LANE(square_in)(LANE(ints) lanes, LANE(vec) a) {
  return _mm512_mask_mul_ps(a, _mm512_movepi32_mask((__m512i)lanes), a, a);
}
#elif defined(KERNEL_AVX512)
SIMD_INLINE LANE(vec) LANE(sqrt)(LANE(vec) a) { return _mm512_sqrt_pd(a); }
SIMD_INLINE LANE(vec) LANE(pick)(real *const *row, size_t k) {
  return _mm512_set_pd(row[7][k], row[6][k], row[5][k], row[4][k], row[3][k], row[2][k], row[1][k], row[0][k]);
}
SIMD_INLINE double LANE(squares)(LANE(vec) v) { return _mm512_reduce_add_pd(v * v); }
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return _mm512_fmadd_pd(a, b, c); }
SIMD_INLINE LANE(vec) LANE(inverse_root)(LANE(vec) a) {
  LANE(vec) r = _mm512_rsqrt14_pd(a);
  r = LANE(fma)(r * 0.5, LANE(fma)(-(a * r), r, LANE(all)(1)), r);
  return LANE(fma)(r * 0.5, LANE(fma)(-(a * r), r, LANE(all)(1)), r);
}
SIMD_INLINE LANE(vec) LANE(inverse)(LANE(vec) a) {
  LANE(vec) r = _mm512_rcp14_pd(a);
  r = LANE(fma)(r, LANE(fma)(-a, r, LANE(all)(1)), r);
  return LANE(fma)(r, LANE(fma)(-a, r, LANE(all)(1)), r);
}
SIMD_INLINE LANE(vec) LANE(max)(LANE(vec) a, LANE(vec) b) { return _mm512_max_pd(a, b); }
SIMD_INLINE LANE(vec) LANE(min)(LANE(vec) a, LANE(vec) b) { return _mm512_min_pd(a, b); }
SIMD_INLINE real LANE(sum)(LANE(vec) a) { return _mm512_reduce_add_pd(a); }
SIMD_INLINE bool LANE(any)(LANE(ints) a) { return _mm512_test_epi32_mask((__m512i)a, (__m512i)a) != 0; }
SIMD_INLINE LANE(vec) LANE(row_sums)(const LANE(vec) * a) {
  __m512d s[4];
  for (size_t i = 0; i < 4; i++)
    s[i] = _mm512_unpacklo_pd(a[2 * i], a[2 * i + 1]) + _mm512_unpackhi_pd(a[2 * i], a[2 * i + 1]);
  __m512d p = _mm512_shuffle_f64x2(s[0], s[1], 0x88) + _mm512_shuffle_f64x2(s[0], s[1], 0xdd);
  __m512d q = _mm512_shuffle_f64x2(s[2], s[3], 0x88) + _mm512_shuffle_f64x2(s[2], s[3], 0xdd);
  return _mm512_shuffle_f64x2(p, q, 0x88) + _mm512_shuffle_f64x2(p, q, 0xdd);
}
/* Vectors of half the length. */
typedef __m256d LANE(half);
SIMD_INLINE LANE(half) LANE(half_load)(const real *p) { return _mm256_loadu_pd(p); }
SIMD_INLINE LANE(half) LANE(half_load_first)(unsigned n, const real *p) { /* the others 0 */
  return _mm256_maskz_loadu_pd((__mmask8)((1u << n) - 1), p);
}
SIMD_INLINE void LANE(half_store)(real *p, LANE(half) a) { _mm256_storeu_pd(p, a); }
SIMD_INLINE LANE(half) LANE(half_all)(real a) { return _mm256_set1_pd(a); }
SIMD_INLINE LANE(half) LANE(half_fma)(LANE(half) a, LANE(half) b, LANE(half) c) { return _mm256_fmadd_pd(a, b, c); }
SIMD_INLINE LANE(half) LANE(half_with)(LANE(half) a, size_t lane, real b) {
  return _mm256_mask_mov_pd(a, (__mmask8)(1u << lane), _mm256_set1_pd(b));
}
SIMD_INLINE LANE(vec) LANE(widen)(LANE(half) a) { return _mm512_zextpd256_pd512(a); }
#elif defined(KERNEL_AVX2) && REAL_IS_FLOAT
SIMD_INLINE LANE(vec) LANE(sqrt)(LANE(vec) a) { return _mm256_sqrt_ps(a); }
SIMD_INLINE bool LANE(any)(LANE(ints) a) { return _mm256_testz_si256((__m256i)a, (__m256i)a) == 0; }
SIMD_INLINE LANE(vec) LANE(pick)(real *const *row, size_t k) {
  return _mm256_set_ps(row[7][k], row[6][k], row[5][k], row[4][k], row[3][k], row[2][k], row[1][k], row[0][k]);
}
SIMD_INLINE double LANE(squares)(LANE(vec) v) {
  __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(v)), high = _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));
  low = _mm256_fmadd_pd(high, high, low * low);
  __m128d s = _mm256_castpd256_pd128(low) + _mm256_extractf128_pd(low, 1);
  return _mm_cvtsd_f64(s) + _mm_cvtsd_f64(_mm_unpackhi_pd(s, s));
}
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return _mm256_fmadd_ps(a, b, c); }
SIMD_INLINE LANE(vec) LANE(max)(LANE(vec) a, LANE(vec) b) { return _mm256_max_ps(a, b); }
SIMD_INLINE LANE(vec) LANE(min)(LANE(vec) a, LANE(vec) b) { return _mm256_min_ps(a, b); }
SIMD_INLINE real LANE(sum)(LANE(vec) a) {
  __m128 s = _mm256_castps256_ps128(a) + _mm256_extractf128_ps(a, 1);
  s = s + _mm_movehl_ps(s, s);
  return _mm_cvtss_f32(s) + _mm_cvtss_f32(_mm_shuffle_ps(s, s, 1));
}
SIMD_INLINE LANE(vec) LANE(row_sums)(const LANE(vec) * a) {
  __m256 r[2];
  for (size_t i = 0; i < 2; i++) {
    __m256 s = _mm256_unpacklo_ps(a[4 * i], a[4 * i + 1]) + _mm256_unpackhi_ps(a[4 * i], a[4 * i + 1]);
    __m256 t = _mm256_unpacklo_ps(a[4 * i + 2], a[4 * i + 3]) + _mm256_unpackhi_ps(a[4 * i + 2], a[4 * i + 3]);
    r[i] = _mm256_shuffle_ps(s, t, 0x44) + _mm256_shuffle_ps(s, t, 0xee);
  }
  return _mm256_permute2f128_ps(r[0], r[1], 0x20) + _mm256_permute2f128_ps(r[0], r[1], 0x31);
}
#elif defined(KERNEL_AVX2)
SIMD_INLINE LANE(vec) LANE(sqrt)(LANE(vec) a) { return _mm256_sqrt_pd(a); }
SIMD_INLINE bool LANE(any)(LANE(ints) a) { return _mm256_testz_si256((__m256i)a, (__m256i)a) == 0; }
SIMD_INLINE LANE(vec) LANE(pick)(real *const *row, size_t k) { return _mm256_set_pd(row[3][k], row[2][k], row[1][k], row[0][k]); }
SIMD_INLINE double LANE(squares)(LANE(vec) v) {
  v = v * v;
  __m128d s = _mm256_castpd256_pd128(v) + _mm256_extractf128_pd(v, 1);
  return _mm_cvtsd_f64(s) + _mm_cvtsd_f64(_mm_unpackhi_pd(s, s));
}
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return _mm256_fmadd_pd(a, b, c); }
SIMD_INLINE LANE(vec) LANE(max)(LANE(vec) a, LANE(vec) b) { return _mm256_max_pd(a, b); }
SIMD_INLINE LANE(vec) LANE(min)(LANE(vec) a, LANE(vec) b) { return _mm256_min_pd(a, b); }
SIMD_INLINE real LANE(sum)(LANE(vec) a) {
  __m128d s = _mm256_castpd256_pd128(a) + _mm256_extractf128_pd(a, 1);
  return _mm_cvtsd_f64(s) + _mm_cvtsd_f64(_mm_unpackhi_pd(s, s));
}
SIMD_INLINE LANE(vec) LANE(row_sums)(const LANE(vec) * a) {
  __m256d s = _mm256_unpacklo_pd(a[0], a[1]) + _mm256_unpackhi_pd(a[0], a[1]);
  __m256d t = _mm256_unpacklo_pd(a[2], a[3]) + _mm256_unpackhi_pd(a[2], a[3]);
  return _mm256_permute2f128_pd(s, t, 0x20) + _mm256_permute2f128_pd(s, t, 0x31);
}
#elif REAL_IS_FLOAT
SIMD_INLINE LANE(vec) LANE(sqrt)(LANE(vec) a) { return _mm_sqrt_ps(a); }
SIMD_INLINE bool LANE(any)(LANE(ints) a) { return _mm_movemask_epi8(_mm_cmpeq_epi32((__m128i)a, _mm_setzero_si128())) != 0xFFFF; }
SIMD_INLINE LANE(vec) LANE(pick)(real *const *row, size_t k) { return _mm_set_ps(row[3][k], row[2][k], row[1][k], row[0][k]); }
SIMD_INLINE double LANE(squares)(LANE(vec) v) {
  __m128d low = _mm_cvtps_pd(v), high = _mm_cvtps_pd(_mm_movehl_ps(v, v));
  low = high * high + low * low;
  return low[0] + low[1];
}
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return a * b + c; }
SIMD_INLINE LANE(vec) LANE(max)(LANE(vec) a, LANE(vec) b) { return _mm_max_ps(a, b); }
SIMD_INLINE LANE(vec) LANE(min)(LANE(vec) a, LANE(vec) b) { return _mm_min_ps(a, b); }
SIMD_INLINE real LANE(sum)(LANE(vec) a) {
  __m128 s = a + _mm_movehl_ps(a, a);
  return _mm_cvtss_f32(s) + _mm_cvtss_f32(_mm_shuffle_ps(s, s, 1));
}
SIMD_INLINE LANE(vec) LANE(row_sums)(const LANE(vec) * a) {
  __m128 s = _mm_unpacklo_ps(a[0], a[1]) + _mm_unpackhi_ps(a[0], a[1]);
  __m128 t = _mm_unpacklo_ps(a[2], a[3]) + _mm_unpackhi_ps(a[2], a[3]);
  return _mm_movelh_ps(s, t) + _mm_movehl_ps(t, s);
}
#else
SIMD_INLINE LANE(vec) LANE(sqrt)(LANE(vec) a) { return _mm_sqrt_pd(a); }
SIMD_INLINE bool LANE(any)(LANE(ints) a) { return _mm_movemask_epi8(_mm_cmpeq_epi32((__m128i)a, _mm_setzero_si128())) != 0xFFFF; }
SIMD_INLINE LANE(vec) LANE(pick)(real *const *row, size_t k) { return _mm_set_pd(row[1][k], row[0][k]); }
SIMD_INLINE double LANE(squares)(LANE(vec) v) { return v[0] * v[0] + v[1] * v[1]; }
SIMD_INLINE LANE(vec) LANE(fma)(LANE(vec) a, LANE(vec) b, LANE(vec) c) { return a * b + c; }
SIMD_INLINE LANE(vec) LANE(max)(LANE(vec) a, LANE(vec) b) { return _mm_max_pd(a, b); }
SIMD_INLINE LANE(vec) LANE(min)(LANE(vec) a, LANE(vec) b) { return _mm_min_pd(a, b); }
SIMD_INLINE real LANE(sum)(LANE(vec) a) { return a[0] + a[1]; }
SIMD_INLINE LANE(vec) LANE(row_sums)(const LANE(vec) * a) { return _mm_unpacklo_pd(a[0], a[1]) + _mm_unpackhi_pd(a[0], a[1]); }
#endif

/* e^x for x <= 0: x = k ln 2 + r, the series in r, times 2^k by the exponent's bits. Relative error 2 ulp; 0 below the type's
 * range. */
SIMD_INLINE LANE(vec) LANE(exp)(LANE(vec) x) {
#if REAL_IS_FLOAT
  const LANE(vec) magic = LANE(all)(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer held in the low bits */
  x = LANE(max)(x, LANE(all)(-87.0f));
  LANE(vec) shifted = LANE(fma)(x, LANE(all)(1.44269504f), magic), k = shifted - magic;
  LANE(vec) r = LANE(fma)(k, LANE(all)(-0.693359375f), x);
  r = LANE(fma)(k, LANE(all)(2.12194440e-4f), r);
  LANE(vec) p = LANE(all)(1.0f / 5040);
  p = LANE(fma)(p, r, LANE(all)(1.0f / 720));
  p = LANE(fma)(p, r, LANE(all)(1.0f / 120));
  p = LANE(fma)(p, r, LANE(all)(1.0f / 24));
  p = LANE(fma)(p, r, LANE(all)(1.0f / 6));
  p = LANE(fma)(p, r, LANE(all)(0.5f));
  p = LANE(fma)(p, r, LANE(all)(1.0f));
  p = LANE(fma)(p, r, LANE(all)(1.0f));
  return p * (LANE(vec))(((LANE(ints))shifted << 23) + (LANE(ints))LANE(all)(1.0f));
#else
  const LANE(vec) magic = LANE(all)(6755399441055744.0); /* 1.5 * 2^52 */
  x = LANE(max)(x, LANE(all)(-708.0));
  LANE(vec) shifted = LANE(fma)(x, LANE(all)(0x1.71547652b82fep+0), magic), k = shifted - magic;
  LANE(vec) r = LANE(fma)(k, LANE(all)(-0x1.62e42fee00000p-1), x);
  r = LANE(fma)(k, LANE(all)(-0x1.a39ef35793c76p-33), r);
  static const double inverse_factorials[] = {1.0 / 6227020800.0,
                                              1.0 / 479001600.0,
                                              1.0 / 39916800.0,
                                              1.0 / 3628800.0,
                                              1.0 / 362880.0,
                                              1.0 / 40320.0,
                                              1.0 / 5040.0,
                                              1.0 / 720.0,
                                              1.0 / 120.0,
                                              1.0 / 24.0,
                                              1.0 / 6.0,
                                              0.5,
                                              1.0,
                                              1.0};
  LANE(vec) p = LANE(all)(inverse_factorials[0]);
  for (int i = 1; i < 14; i++)
    p = LANE(fma)(p, r, LANE(all)(inverse_factorials[i]));
  return p * (LANE(vec))(((LANE(ints))shifted << 52) + (LANE(ints))LANE(all)(1.0));
#endif
}

/* tanh(s/2) for |s| <= 0.5, so that it keeps its digits, as a fraction: the series in float (the first term left out is below
 * 2^-26 of it), a continued fraction in double. */
SIMD_INLINE LANE(vec) LANE(tanh_half_fraction)(LANE(vec) s, LANE(vec) * below) {
  const LANE(vec) h = s * (real)0.5, h2 = h * h;
#if REAL_IS_FLOAT
  LANE(vec) p = LANE(fma)(h2, LANE(all)(62.0f / 2835), LANE(all)(-17.0f / 315));
  p = LANE(fma)(h2, p, LANE(all)(2.0f / 15));
  p = LANE(fma)(h2, p, LANE(all)(-1.0f / 3));
  *below = LANE(all)(1);
  return LANE(fma)(h * h2, p, h);
#else
  LANE(vec) top = LANE(fma)(h2, LANE(fma)(h2, LANE(all)((real)378) + h2, LANE(all)((real)17325)), LANE(all)((real)135135));
  LANE(vec) rest = LANE(fma)(h2, LANE(fma)(h2, LANE(all)((real)28), LANE(all)((real)3150)), LANE(all)((real)62370));
  *below = LANE(fma)(h2, rest, LANE(all)((real)135135));
  return h * top;
#endif
}
SIMD_INLINE LANE(vec) LANE(tanh_half_small)(LANE(vec) s) {
  LANE(vec) below, top = LANE(tanh_half_fraction)(s, &below);
  return top / below;
}

/* t = tanh(s/2) and 1 - t for s >= 0. */
SIMD_INLINE LANE(vec) LANE(tanh_half)(LANE(vec) s, LANE(vec) * rest) {
  const LANE(vec) one = LANE(all)((real)1), e = LANE(exp)(-s), unit = one / (one + e);
  *rest = (e + e) * unit;
  return LANE(select)((LANE(ints))(s < LANE(all)((real)0.5)), LANE(tanh_half_small)(s), (one - e) * unit);
}

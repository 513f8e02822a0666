/* simd.h - the few vector operations the kernels are written in, for three widths: 8 (AVX-512), 4 (AVX2 with fma) or 2 (SSE2)
 * doubles. + - * / and the integer operators come from the compilers' vector extensions; here is the rest: fma, square root,
 * selection by lane, and loads that turn rows into columns.
 *
 * A group is LANES rows; offset[r] is where row r starts, in elements from the base. load4 puts columns c..c+3 of a group into
 * four vectors, lane r holding row r; load2 and load1 are for what is left of a dimension that is not a multiple of 4. */
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define SIMD_INLINE static inline __attribute__((always_inline))

/* Columns c, c+1 of two rows: row p first. */
SIMD_INLINE __m128 two_by_two(const float *p, const float *q) {
  return _mm_loadh_pi(_mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(const void *)p), (const __m64 *)(const void *)q);
}

#if defined(KERNEL_AVX512)
#define VEC(operation) _mm512_##operation##_pd
enum { LANES = 8 };
typedef __m512d vec;
typedef __mmask8 mask;
typedef unsigned long long veci __attribute__((vector_size(64)));

SIMD_INLINE void vec_storef(float *p, vec a) { _mm256_storeu_ps(p, _mm512_cvtpd_ps(a)); }
SIMD_INLINE vec vec_loadf(const float *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
SIMD_INLINE vec vec_fma(vec a, vec b, vec c) { return _mm512_fmadd_pd(a, b, c); }
SIMD_INLINE vec vec_square_minus(vec y, vec t) { return _mm512_fmsub_pd(y, y, t); }
SIMD_INLINE double one_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
SIMD_INLINE mask vec_less(vec a, vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
SIMD_INLINE mask vec_is_nan(vec a) { return _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q); }
SIMD_INLINE vec vec_select(mask m, vec yes, vec no) { return _mm512_mask_blend_pd(m, no, yes); }
SIMD_INLINE mask mask_or(mask a, mask b) { return (mask)(a | b); }
SIMD_INLINE mask mask_and(mask a, mask b) { return (mask)(a & b); }
SIMD_INLINE unsigned mask_bits(mask m) { return m; }

SIMD_INLINE __m512d pair4(const double *low, const double *high) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
}

SIMD_INLINE void load4(const double *base, const size_t *offset, size_t c, vec column[4]) {
  base += c;
  const __m512d a = pair4(base + offset[0], base + offset[2]), b = pair4(base + offset[1], base + offset[3]);
  const __m512d d = pair4(base + offset[4], base + offset[6]), e = pair4(base + offset[5], base + offset[7]);
  const __m512d ab0 = _mm512_unpacklo_pd(a, b), ab1 = _mm512_unpackhi_pd(a, b);
  const __m512d de0 = _mm512_unpacklo_pd(d, e), de1 = _mm512_unpackhi_pd(d, e);
  column[0] = _mm512_shuffle_f64x2(ab0, de0, 0x88);
  column[1] = _mm512_shuffle_f64x2(ab1, de1, 0x88);
  column[2] = _mm512_shuffle_f64x2(ab0, de0, 0xdd);
  column[3] = _mm512_shuffle_f64x2(ab1, de1, 0xdd);
}

SIMD_INLINE __m256d pair2(const double *low, const double *high) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

SIMD_INLINE void load2(const double *base, const size_t *offset, size_t c, vec column[2]) {
  base += c;
  const __m512d even = _mm512_insertf64x4(_mm512_castpd256_pd512(pair2(base + offset[0], base + offset[2])),
                                          pair2(base + offset[4], base + offset[6]), 1);
  const __m512d odd = _mm512_insertf64x4(_mm512_castpd256_pd512(pair2(base + offset[1], base + offset[3])),
                                         pair2(base + offset[5], base + offset[7]), 1);
  column[0] = _mm512_unpacklo_pd(even, odd);
  column[1] = _mm512_unpackhi_pd(even, odd);
}

SIMD_INLINE void load1(const double *base, const size_t *offset, size_t c, vec column[1]) {
  base += c;
  column[0] = _mm512_setr_pd(base[offset[0]], base[offset[1]], base[offset[2]], base[offset[3]], base[offset[4]], base[offset[5]],
                             base[offset[6]], base[offset[7]]);
}

SIMD_INLINE __m256 pair4f(const float *low, const float *high) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

/* The 4 x 4 blocks are turned while they are float (half as wide) and widened afterwards. */
SIMD_INLINE void load4f(const float *base, const size_t *offset, size_t c, vec column[4]) {
  base += c;
  const __m256 r0 = pair4f(base + offset[0], base + offset[4]), r1 = pair4f(base + offset[1], base + offset[5]);
  const __m256 r2 = pair4f(base + offset[2], base + offset[6]), r3 = pair4f(base + offset[3], base + offset[7]);
  const __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(r0, r1)), b = _mm256_castps_pd(_mm256_unpackhi_ps(r0, r1));
  const __m256d d = _mm256_castps_pd(_mm256_unpacklo_ps(r2, r3)), e = _mm256_castps_pd(_mm256_unpackhi_ps(r2, r3));
  column[0] = _mm512_cvtps_pd(_mm256_castpd_ps(_mm256_unpacklo_pd(a, d)));
  column[1] = _mm512_cvtps_pd(_mm256_castpd_ps(_mm256_unpackhi_pd(a, d)));
  column[2] = _mm512_cvtps_pd(_mm256_castpd_ps(_mm256_unpacklo_pd(b, e)));
  column[3] = _mm512_cvtps_pd(_mm256_castpd_ps(_mm256_unpackhi_pd(b, e)));
}

SIMD_INLINE void load2f(const float *base, const size_t *offset, size_t c, vec column[2]) {
  base += c;
  const __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(two_by_two(base + offset[0], base + offset[1])),
                                        two_by_two(base + offset[4], base + offset[5]), 1);
  const __m256 b = _mm256_insertf128_ps(_mm256_castps128_ps256(two_by_two(base + offset[2], base + offset[3])),
                                        two_by_two(base + offset[6], base + offset[7]), 1);
  column[0] = _mm512_cvtps_pd(_mm256_shuffle_ps(a, b, 0x88));
  column[1] = _mm512_cvtps_pd(_mm256_shuffle_ps(a, b, 0xdd));
}

SIMD_INLINE void load1f(const float *base, const size_t *offset, size_t c, vec column[1]) {
  base += c;
  column[0] = _mm512_cvtps_pd(_mm256_setr_ps(base[offset[0]], base[offset[1]], base[offset[2]], base[offset[3]], base[offset[4]],
                                             base[offset[5]], base[offset[6]], base[offset[7]]));
}
#elif defined(KERNEL_AVX2)
#define VEC(operation) _mm256_##operation##_pd
enum { LANES = 4 };
typedef __m256d vec;
typedef __m256d mask;
typedef unsigned long long veci __attribute__((vector_size(32)));

SIMD_INLINE void vec_storef(float *p, vec a) { _mm_storeu_ps(p, _mm256_cvtpd_ps(a)); }
SIMD_INLINE vec vec_loadf(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
SIMD_INLINE vec vec_fma(vec a, vec b, vec c) { return _mm256_fmadd_pd(a, b, c); }
SIMD_INLINE vec vec_square_minus(vec y, vec t) { return _mm256_fmsub_pd(y, y, t); }
SIMD_INLINE double one_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
SIMD_INLINE mask vec_less(vec a, vec b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
SIMD_INLINE mask vec_is_nan(vec a) { return _mm256_cmp_pd(a, a, _CMP_UNORD_Q); }
SIMD_INLINE vec vec_select(mask m, vec yes, vec no) { return _mm256_blendv_pd(no, yes, m); }
SIMD_INLINE mask mask_or(mask a, mask b) { return _mm256_or_pd(a, b); }
SIMD_INLINE mask mask_and(mask a, mask b) { return _mm256_and_pd(a, b); }
SIMD_INLINE unsigned mask_bits(mask m) { return (unsigned)_mm256_movemask_pd(m); }

SIMD_INLINE __m256d pair2(const double *low, const double *high) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

SIMD_INLINE void load2(const double *base, const size_t *offset, size_t c, vec column[2]) {
  base += c;
  const __m256d even = pair2(base + offset[0], base + offset[2]), odd = pair2(base + offset[1], base + offset[3]);
  column[0] = _mm256_unpacklo_pd(even, odd);
  column[1] = _mm256_unpackhi_pd(even, odd);
}

SIMD_INLINE void load4(const double *base, const size_t *offset, size_t c, vec column[4]) {
  load2(base, offset, c, column);
  load2(base, offset, c + 2, column + 2);
}

SIMD_INLINE void load1(const double *base, const size_t *offset, size_t c, vec column[1]) {
  base += c;
  column[0] = _mm256_setr_pd(base[offset[0]], base[offset[1]], base[offset[2]], base[offset[3]]);
}

SIMD_INLINE void load4f(const float *base, const size_t *offset, size_t c, vec column[4]) {
  base += c;
  const __m128 r0 = _mm_loadu_ps(base + offset[0]), r1 = _mm_loadu_ps(base + offset[1]);
  const __m128 r2 = _mm_loadu_ps(base + offset[2]), r3 = _mm_loadu_ps(base + offset[3]);
  const __m128 a = _mm_unpacklo_ps(r0, r1), b = _mm_unpackhi_ps(r0, r1);
  const __m128 d = _mm_unpacklo_ps(r2, r3), e = _mm_unpackhi_ps(r2, r3);
  column[0] = _mm256_cvtps_pd(_mm_movelh_ps(a, d));
  column[1] = _mm256_cvtps_pd(_mm_movehl_ps(d, a));
  column[2] = _mm256_cvtps_pd(_mm_movelh_ps(b, e));
  column[3] = _mm256_cvtps_pd(_mm_movehl_ps(e, b));
}

SIMD_INLINE void load2f(const float *base, const size_t *offset, size_t c, vec column[2]) {
  base += c;
  const __m128 a = two_by_two(base + offset[0], base + offset[1]), b = two_by_two(base + offset[2], base + offset[3]);
  column[0] = _mm256_cvtps_pd(_mm_shuffle_ps(a, b, 0x88));
  column[1] = _mm256_cvtps_pd(_mm_shuffle_ps(a, b, 0xdd));
}

SIMD_INLINE void load1f(const float *base, const size_t *offset, size_t c, vec column[1]) {
  base += c;
  column[0] = _mm256_cvtps_pd(_mm_setr_ps(base[offset[0]], base[offset[1]], base[offset[2]], base[offset[3]]));
}
#else
#define VEC(operation) _mm_##operation##_pd
enum { LANES = 2 };
typedef __m128d vec;
typedef __m128d mask;
typedef unsigned long long veci __attribute__((vector_size(16)));

SIMD_INLINE void vec_storef(float *p, vec a) { _mm_storel_pi((__m64 *)(void *)p, _mm_cvtpd_ps(a)); }
SIMD_INLINE vec vec_loadf(const float *p) { return _mm_setr_pd((double)p[0], (double)p[1]); }
SIMD_INLINE vec vec_fma(vec a, vec b, vec c) { return a * b + c; } /* two roundings: only where that is enough */
SIMD_INLINE double one_fma(double a, double b, double c) { return a * b + c; }

/* y^2 - t for t near y^2, without fma: y = h + l with 26 bits each (Dekker), so every product below is exact. */
SIMD_INLINE vec vec_square_minus(vec y, vec t) {
  const vec square = y * y, wide = y * 134217729.0; /* 2^27 + 1 */
  const vec h = wide - (wide - y), l = y - h;
  return (square - t) + (((h * h - square) + 2.0 * h * l) + l * l);
}
SIMD_INLINE mask vec_less(vec a, vec b) { return _mm_cmplt_pd(a, b); }
SIMD_INLINE mask vec_is_nan(vec a) { return _mm_cmpunord_pd(a, a); }
SIMD_INLINE vec vec_select(mask m, vec yes, vec no) { return _mm_or_pd(_mm_and_pd(m, yes), _mm_andnot_pd(m, no)); }
SIMD_INLINE mask mask_or(mask a, mask b) { return _mm_or_pd(a, b); }
SIMD_INLINE mask mask_and(mask a, mask b) { return _mm_and_pd(a, b); }
SIMD_INLINE unsigned mask_bits(mask m) { return (unsigned)_mm_movemask_pd(m); }

SIMD_INLINE void load2(const double *base, const size_t *offset, size_t c, vec column[2]) {
  const __m128d r0 = _mm_loadu_pd(base + c + offset[0]), r1 = _mm_loadu_pd(base + c + offset[1]);
  column[0] = _mm_unpacklo_pd(r0, r1);
  column[1] = _mm_unpackhi_pd(r0, r1);
}

SIMD_INLINE void load4(const double *base, const size_t *offset, size_t c, vec column[4]) {
  load2(base, offset, c, column);
  load2(base, offset, c + 2, column + 2);
}

SIMD_INLINE void load1(const double *base, const size_t *offset, size_t c, vec column[1]) {
  column[0] = _mm_setr_pd(base[c + offset[0]], base[c + offset[1]]);
}

SIMD_INLINE void load4f(const float *base, const size_t *offset, size_t c, vec column[4]) {
  const __m128 r0 = _mm_loadu_ps(base + c + offset[0]), r1 = _mm_loadu_ps(base + c + offset[1]);
  const __m128 a = _mm_unpacklo_ps(r0, r1), b = _mm_unpackhi_ps(r0, r1);
  column[0] = _mm_cvtps_pd(a);
  column[1] = _mm_cvtps_pd(_mm_movehl_ps(a, a));
  column[2] = _mm_cvtps_pd(b);
  column[3] = _mm_cvtps_pd(_mm_movehl_ps(b, b));
}

SIMD_INLINE void load2f(const float *base, const size_t *offset, size_t c, vec column[2]) {
  const __m128 a = two_by_two(base + c + offset[0], base + c + offset[1]);
  column[0] = _mm_cvtps_pd(_mm_shuffle_ps(a, a, 0x08));
  column[1] = _mm_cvtps_pd(_mm_shuffle_ps(a, a, 0x0d));
}

SIMD_INLINE void load1f(const float *base, const size_t *offset, size_t c, vec column[1]) {
  column[0] = _mm_setr_pd((double)base[c + offset[0]], (double)base[c + offset[1]]);
}
#endif

/* What differs by the width of a register alone. */
SIMD_INLINE vec vec_all(double a) { return VEC(set1)(a); }
SIMD_INLINE vec vec_load(const double *p) { return VEC(loadu)(p); }
SIMD_INLINE void vec_store(double *p, vec a) { VEC(storeu)(p, a); }
SIMD_INLINE vec vec_sqrt(vec a) { return VEC(sqrt)(a); }
SIMD_INLINE vec vec_min(vec a, vec b) { return VEC(min)(a, b); }
SIMD_INLINE vec vec_max(vec a, vec b) { return VEC(max)(a, b); }

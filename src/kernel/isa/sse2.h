/* sse2.h - what lanes.h needs of SSE2, which every x86-64 has: a vector is four registers. There is no fma: the C library's,
 * which rounds once in software, is as exact and much slower. */
#pragma once

#include <emmintrin.h>

#define PARTS  4
#define PART_F __m128
#define PART_D __m128d
#define PART_I __m128i
#include "parts.h"

/* The product of two floats is exact in double; the sum rounded to odd in double rounds to float as if it had been exact. */
LANES_INLINE __m128d fma_two(__m128 a, __m128 b, __m128 c) {
  typedef int64_t bits2 __attribute__((vector_size(16)));
  const __m128d product = _mm_cvtps_pd(a) * _mm_cvtps_pd(b), add = _mm_cvtps_pd(c), sum = product + add;
  const __m128d back = sum - product, error = (product - (sum - back)) + (add - back), zero = _mm_setzero_pd();
  /* inexact and even: the last bit is made odd, towards the error */
  const bits2 even = ((bits2)sum & 1) - 1, towards = ((bits2)(error > zero) ^ (bits2)(sum > zero)) | 1;
  return (__m128d)((bits2)sum + (towards & even & (bits2)(error != zero)));
}
LANES_INLINE nf fma_nf(nf a, nf b, nf c) {
  const __m128 low = _mm_cvtpd_ps(fma_two(a, b, c));
  return _mm_movelh_ps(low, _mm_cvtpd_ps(fma_two(_mm_movehl_ps(a, a), _mm_movehl_ps(b, b), _mm_movehl_ps(c, c))));
}
LANES_INLINE nd fma_nd(nd a, nd b, nd c) { return (nd){fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1])}; }
LANES_INLINE vf fma_f(vf a, vf b, vf c) { EACH_F(fma_nf, F(a), F(b), F(c)); }
LANES_INLINE vd fma_d(vd a, vd b, vd c) { EACH_D(fma_nd, D(a), D(b), D(c)); }
LANES_INLINE vf sqrt_f(vf a) { EACH_F(_mm_sqrt_ps, F(a)); }
LANES_INLINE vd sqrt_d(vd a) { EACH_D(_mm_sqrt_pd, D(a)); }
LANES_INLINE vf min_f(vf a, vf b) { EACH_F(_mm_min_ps, F(a), F(b)); }
LANES_INLINE vd min_d(vd a, vd b) { EACH_D(_mm_min_pd, D(a), D(b)); }
LANES_INLINE uint32_t up_to_f(vf a, vf b) { BITS_OF_EACH(4, _mm_movemask_ps(_mm_cmple_ps(F(a), F(b)))); }
LANES_INLINE uint32_t up_to_d(vd a, vd b) { BITS_OF_EACH(2, _mm_movemask_pd(_mm_cmple_pd(D(a), D(b)))); }
LANES_INLINE vi whole_f(vf a) { EACH_I(_mm_cvtps_epi32, F(a)); }

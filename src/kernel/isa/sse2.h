/* sse2.h - what lanes.h needs of SSE2, which every x86-64 has: a vector is four registers. There is no fma: the C library's,
 * which rounds once in software, is as exact and much slower. */
#ifndef GEODISK_ISA_SSE2_H
#define GEODISK_ISA_SSE2_H

#include <emmintrin.h>

#define PARTS  4
#define PART_F __m128
#define PART_D __m128d
#include "parts.h"

/* The product of two floats is exact in double; the sum rounded to odd in double rounds to float as if it had been exact. */
LANES_INLINE float fma_one(float a, float b, float c) {
  const double product = (double)a * (double)b, sum = product + (double)c;
  const double back = sum - product, error = (product - (sum - back)) + ((double)c - back);
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  if (error != 0.0 && !(bits & 1)) /* inexact: make the last bit odd, towards the error */
    bits = (error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1;
  double odd;
  memcpy(&odd, &bits, sizeof odd);
  return (float)odd;
}

LANES_INLINE vf fma_f(vf a, vf b, vf c) {
  vf out;
  for (int i = 0; i < 16; i++)
    out[i] = fma_one(a[i], b[i], c[i]);
  return out;
}
LANES_INLINE vd fma_d(vd a, vd b, vd c) {
  vd out;
  for (int i = 0; i < 8; i++)
    out[i] = fma(a[i], b[i], c[i]);
  return out;
}
LANES_INLINE vf sqrt_f(vf a) { EACH_F(_mm_sqrt_ps, F(a)); }
LANES_INLINE vd sqrt_d(vd a) { EACH_D(_mm_sqrt_pd, D(a)); }
LANES_INLINE vf min_f(vf a, vf b) { EACH_F(_mm_min_ps, F(a), F(b)); }
LANES_INLINE vd min_d(vd a, vd b) { EACH_D(_mm_min_pd, D(a), D(b)); }
LANES_INLINE uint32_t up_to_f(vf a, vf b) {
  uint32_t bits = 0;
  for (int i = 0; i < 4; i++)
    bits |= (uint32_t)_mm_movemask_ps(_mm_cmple_ps(F(a), F(b))) << 4 * i;
  return bits;
}
LANES_INLINE uint32_t up_to_d(vd a, vd b) {
  uint32_t bits = 0;
  for (int i = 0; i < 4; i++)
    bits |= (uint32_t)_mm_movemask_pd(_mm_cmple_pd(D(a), D(b))) << 2 * i;
  return bits;
}
LANES_INLINE vi whole_f(vf a) {
  union {
    vi v;
    __m128i r[4];
  } out;
  for (int i = 0; i < PARTS; i++)
    out.r[i] = _mm_cvtps_epi32(F(a));
  return out.v;
}

#undef EACH_F
#undef EACH_D
#undef F
#undef D

#endif

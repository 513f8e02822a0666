/* simd_math.h - the two functions the kernels need beyond the square root, to about one unit in the last place, without branches:
 * log(1 + w) for w >= 0 and (exp(a) - 1)/2 for 0 <= a <= 700. Both are relatively accurate near zero.
 *
 * The coefficients are minimax fits made for this file (Remez exchange in 60 digits); the errors named are relative ones. */
#pragma once

#include "simd.h"

/* ---- what has to be exact ---- */

/* a b - p exactly, where p = a * b. */
SIMD_INLINE vec vec_product_rest(vec a, vec b, vec p) {
#if defined(KERNEL_AVX512) || defined(KERNEL_AVX2)
  return vec_fma(a, b, -p);
#else
  const vec wide_a = a * 134217729.0, wide_b = b * 134217729.0; /* 2^27 + 1: Dekker */
  const vec ah = wide_a - (wide_a - a), al = a - ah, bh = wide_b - (wide_b - b), bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
}

/* c - a b for c near a b, exactly. */
SIMD_INLINE vec vec_residual(vec c, vec a, vec b) {
#if defined(KERNEL_AVX512) || defined(KERNEL_AVX2)
  return vec_fma(-a, b, c);
#else
  const vec p = a * b;
  return (c - p) - vec_product_rest(a, b, p);
#endif
}

/* What the sum s = a + b lost (Knuth). */
SIMD_INLINE vec vec_sum_rest(vec a, vec b, vec s) {
  const vec t = s - a;
  return (a - (s - t)) + (b - t);
}

/* ---- functions ---- */

/* ln 2 in two parts: the upper has 21 zero bits at its end, so a multiple by an exponent is exact. */
#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW  0x1.a39ef35793c76p-33

/* 2^52 + 2^51: adding it to a number below 2^51 rounds to an integer and leaves that integer in the lowest bits. */
#define ROUNDER 0x1.8p52

/* log(1+w). u = 1 + w = 2^e m with m in [sqrt(1/2), sqrt(2)); c is what the sum lost, so f = (m - 1) + c 2^-e carries all of w.
 * With s = f/(2+f): log(1+f) = f - s (f - s^2 L(s^2)), L fitted on s^2 <= 0.02944 to 2^-59. */
typedef struct log1p_parts {
  vec e, f, c; /* 1 + w = 2^e (1 + f + c), |c| below half an ulp of 1 + f */
  vec shrink;  /* 2^-e */
} log1p_parts;

SIMD_INLINE log1p_parts split_log1p(vec w) {
  const vec one = vec_all(1.0);
  const vec larger = vec_max(one, w), smaller = vec_min(one, w); /* in this order NaN stays NaN */
  const vec u = larger + smaller;
  const vec c = smaller - (u - larger);
  const veci bits = (veci)u + (0x3ff0000000000000ULL - 0x3fe6a09e667f3bcdULL);
  const veci exponent = bits >> 52; /* biased by 1023 */
  const vec m = (vec)((bits & 0x000fffffffffffffULL) + 0x3fe6a09e667f3bcdULL);
  const vec shrink = (vec)((2046 - exponent) << 52);
  const vec e = (vec)(exponent | 0x4330000000000000ULL) - vec_all(0x1p52 + 1023.0);
  return (log1p_parts){e, m - one, c, shrink};
}

/* e LN2_LOW + log(1+f) - f; s = f/(2+f). */
SIMD_INLINE vec log1p_tail(vec e, vec f, vec s) {
  const vec z = s * s, z2 = z * z;
  const vec low =
      vec_fma(vec_fma(vec_all(0x1.24924941f5011p-2), z, vec_all(0x1.999999997fd76p-2)), z, vec_all(0x1.5555555555592p-1));
  const vec high =
      vec_fma(vec_fma(vec_fma(vec_all(0x1.2f0634b5ae1b1p-3), z, vec_all(0x1.39a1a6ef6231ep-3)), z, vec_all(0x1.74663fa29ad56p-3)),
              z, vec_all(0x1.c71c520604c50p-3));
  const vec series = z * vec_fma(high, z2 * z, low);
  return vec_fma(e, vec_all(LN2_LOW), s * (series - f));
}

SIMD_INLINE vec vec_log1p(vec w) {
  const log1p_parts p = split_log1p(w);
  const vec f = vec_fma(p.c, p.shrink, p.f);
  return vec_fma(p.e, vec_all(LN2_HIGH), f + log1p_tail(p.e, f, f / (f + 2.0)));
}

/* log(1+w) in two halves, for loops of their own, and a little cheaper: for e > 0 f is m - 1, without what the sum lost, which
 * costs up to 1.4 units; for e = 0 it is w. */
typedef struct log1p_halfway {
  vec e, f, s;
} log1p_halfway;

SIMD_INLINE log1p_halfway begin_log1p(vec w) {
  const vec u = w + 1.0;
  const veci bits = (veci)u + (0x3ff0000000000000ULL - 0x3fe6a09e667f3bcdULL);
  const veci exponent = bits >> 52;
  const vec m = (vec)((bits & 0x000fffffffffffffULL) + 0x3fe6a09e667f3bcdULL);
  const vec e = (vec)(exponent | 0x4330000000000000ULL) - vec_all(0x1p52 + 1023.0);
  const vec f = vec_select(vec_less(vec_all(0x1.6a09e667f3bccp0), u), m - 1.0, w); /* the number below sqrt(2); NaN stays NaN */
  return (log1p_halfway){e, f, f / (f + 2.0)};
}

SIMD_INLINE vec finish_log1p(log1p_halfway p) { return vec_fma(p.e, vec_all(LN2_HIGH), p.f + log1p_tail(p.e, p.f, p.s)); }

/* log(1 + w + rest) in two vectors, to about 2^-55: as above, but f and the sum keep what they lose. */
SIMD_INLINE vec vec_log1p_pair(vec w, vec rest, vec *low) {
  const log1p_parts p = split_log1p(w);
  const vec missing = (p.c + rest) * p.shrink, f = p.f + missing;
  const vec f_rest = vec_sum_rest(p.f, missing, f) / (1.0 + f);
  const vec whole = p.e * LN2_HIGH, sum = whole + f; /* whole is exact */
  const vec sum_rest = vec_sum_rest(whole, f, sum) + (log1p_tail(p.e, f, f / (f + 2.0)) + f_rest);
  const vec result = sum + sum_rest;
  *low = sum_rest - (result - sum);
  return result;
}

/* (exp(a) - 1)/2. a = e ln2 + r, |r| <= ln2/2; exp(r) - 1 = r + r^2 Q(r), Q fitted to 2^-55 of r. Then half of 2^e (exp(r)-1) +
 * (2^e - 1): for e = 0 the second part vanishes and nothing is lost; from e = 1 on the sum is at least 0.41 of its larger part.
 */
SIMD_INLINE vec vec_half_expm1(vec a) {
  const vec shifted = vec_fma(a, vec_all(0x1.71547652b82fep0), vec_all(ROUNDER)); /* 1/ln2 */
  const vec e = shifted - ROUNDER;
  const vec r = vec_fma(e, vec_all(-LN2_LOW), vec_fma(e, vec_all(-LN2_HIGH), a));
  const vec power = (vec)(((veci)shifted << 52) + 0x3fe0000000000000ULL); /* 2^(e-1) */
  const vec r2 = r * r, r4 = r2 * r2;
  const vec q0 = vec_fma(vec_all(0x1.555555555555cp-3), r, vec_all(0x1.0000000000005p-1));
  const vec q1 = vec_fma(vec_all(0x1.111111110e6e2p-7), r, vec_all(0x1.55555555520f4p-5));
  const vec q2 = vec_fma(vec_all(0x1.a01a01b5d3078p-13), r, vec_all(0x1.6c16c17f375c2p-10));
  const vec q3 = vec_fma(vec_all(0x1.71ddea11bf0e0p-19), r, vec_all(0x1.a019a6861b79dp-16));
  const vec q4 = vec_fma(vec_all(0x1.af769764c6224p-26), r, vec_all(0x1.28a2ab3af9f52p-22));
  const vec low = vec_fma(q1, r2, q0), high = vec_fma(vec_fma(q4, r2, q3), r2, q2);
  const vec p = vec_fma(r2, vec_fma(high, r4, low), r);
  return vec_fma(power, p, power - 0.5);
}

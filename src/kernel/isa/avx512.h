/* avx512.h - what lanes.h needs of AVX-512 (F, DQ, BW, VL): a vector is one register. */
#pragma once

#include <immintrin.h>

LANES_INLINE vf fma_f(vf a, vf b, vf c) { return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
LANES_INLINE vd fma_d(vd a, vd b, vd c) { return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
LANES_INLINE nf fma_nf(nf a, nf b, nf c) { return fma_f(a, b, c); }
LANES_INLINE nd fma_nd(nd a, nd b, nd c) { return fma_d(a, b, c); }
LANES_INLINE vf sqrt_f(vf a) { return (vf)_mm512_sqrt_ps((__m512)a); }
LANES_INLINE vd sqrt_d(vd a) { return (vd)_mm512_sqrt_pd((__m512d)a); }
LANES_INLINE vf min_f(vf a, vf b) { return (vf)_mm512_min_ps((__m512)a, (__m512)b); }
LANES_INLINE vd min_d(vd a, vd b) { return (vd)_mm512_min_pd((__m512d)a, (__m512d)b); }
LANES_INLINE uint32_t up_to_f(vf a, vf b) { return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ); }
LANES_INLINE uint32_t up_to_d(vd a, vd b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ); }
LANES_INLINE vi whole_f(vf a) { return (vi)_mm512_cvtps_epi32((__m512)a); }
LANES_INLINE vl whole_d(vd a) { return (vl)_mm512_cvtpd_epi64((__m512d)a); }

/* The lanes whose bit is set, moved together at `out`, which has room for a whole vector. */
LANES_INLINE void pack_f(float *out, uint32_t bits, vf a) {
  _mm512_storeu_ps(out, _mm512_maskz_compress_ps((__mmask16)bits, (__m512)a));
}
LANES_INLINE void pack_d(double *out, uint32_t bits, vd a) {
  _mm512_storeu_pd(out, _mm512_maskz_compress_pd((__mmask8)bits, (__m512d)a));
}
LANES_INLINE void pack_words_f(uint32_t *out, uint32_t bits, vu a) {
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi32((__mmask16)bits, (__m512i)a));
}
LANES_INLINE void pack_words_d(uint32_t *out, uint32_t bits, vu8 a) {
  _mm256_storeu_si256((__m256i *)(void *)out, _mm256_maskz_compress_epi32((__mmask8)bits, (__m256i)a));
}

/* out[c * 16 + r] = row r's number column + c, for up to sixteen of them. */
LANES_INLINE void turn_f(const float *const rows[16], size_t column, float *out, size_t columns) {
  __m512 a[16], b[16];
  for (int i = 0; i < 16; i++)
    a[i] = _mm512_loadu_ps(rows[i] + column);
  for (int i = 0; i < 16; i += 2) {
    b[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    a[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(b[i]), _mm512_castps_pd(b[i + 2])));
    a[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(b[i]), _mm512_castps_pd(b[i + 2])));
    a[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(b[i + 1]), _mm512_castps_pd(b[i + 3])));
    a[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(b[i + 1]), _mm512_castps_pd(b[i + 3])));
  }
  for (int i = 0; i < 4; i++) { /* quarters of rows 0-3, 4-7, 8-11, 12-15 */
    const __m512 p = _mm512_shuffle_f32x4(a[i], a[i + 4], 0x88), q = _mm512_shuffle_f32x4(a[i], a[i + 4], 0xdd);
    const __m512 r = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0x88), s = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0xdd);
    b[i] = _mm512_shuffle_f32x4(p, r, 0x88);
    b[i + 8] = _mm512_shuffle_f32x4(p, r, 0xdd);
    b[i + 4] = _mm512_shuffle_f32x4(q, s, 0x88);
    b[i + 12] = _mm512_shuffle_f32x4(q, s, 0xdd);
  }
  for (size_t i = 0; i < columns; i++)
    _mm512_storeu_ps(out + 16 * i, b[i]);
}

LANES_INLINE void turn_d(const double *const rows[8], size_t column, double *out, size_t columns) {
  for (size_t c = 0; c < columns; c++)
    for (size_t i = 0; i < 8; i++)
      out[8 * c + i] = rows[i][column + c];
}

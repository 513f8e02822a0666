/* avx2.h - what lanes.h needs of AVX2 with FMA: a vector is two registers. */
#pragma once

#include <immintrin.h>

#define PARTS  2
#define PART_F __m256
#define PART_D __m256d
#define PART_I __m256i
#include "parts.h"

LANES_INLINE vf fma_f(vf a, vf b, vf c) { EACH_F(_mm256_fmadd_ps, F(a), F(b), F(c)); }
LANES_INLINE vd fma_d(vd a, vd b, vd c) { EACH_D(_mm256_fmadd_pd, D(a), D(b), D(c)); }
LANES_INLINE nf fma_nf(nf a, nf b, nf c) { return _mm256_fmadd_ps(a, b, c); }
LANES_INLINE nd fma_nd(nd a, nd b, nd c) { return _mm256_fmadd_pd(a, b, c); }
LANES_INLINE vf sqrt_f(vf a) { EACH_F(_mm256_sqrt_ps, F(a)); }
LANES_INLINE vd sqrt_d(vd a) { EACH_D(_mm256_sqrt_pd, D(a)); }
LANES_INLINE vf min_f(vf a, vf b) { EACH_F(_mm256_min_ps, F(a), F(b)); }
LANES_INLINE vd min_d(vd a, vd b) { EACH_D(_mm256_min_pd, D(a), D(b)); }
LANES_INLINE uint32_t up_to_f(vf a, vf b) { BITS_OF_EACH(8, _mm256_movemask_ps(_mm256_cmp_ps(F(a), F(b), _CMP_LE_OQ))); }
LANES_INLINE uint32_t up_to_d(vd a, vd b) { BITS_OF_EACH(4, _mm256_movemask_pd(_mm256_cmp_pd(D(a), D(b), _CMP_LE_OQ))); }
LANES_INLINE vi whole_f(vf a) { EACH_I(_mm256_cvtps_epi32, F(a)); }

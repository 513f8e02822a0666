/* train_simd.h - the vector versions of the training step for one instruction set: train_sse2.c, train_avx2.c and train_avx512.c
 * each include it with KERNEL_AVX512, KERNEL_AVX2 or neither, and TRAIN_TABLE and TRAIN_NAME defined. */
#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "train.h"

#define SIMD_INLINE static inline __attribute__((always_inline))

#define real           double
#define REAL_IS_FLOAT  0
#define LANE(name)     double_##name
#define LANE_LEAST_GAP TRAIN_LEAST_GAP_DOUBLE
#define LANE_GAP_TRUST TRAIN_GAP_TRUST_DOUBLE
#define LANE_EPSILON   0x1p-53
#define LANE_NEAREST   TRAIN_LEAST_SQUARE_DOUBLE
#ifdef KERNEL_AVX512
#define LANE_HALVES 1
#endif
#include "simd_lanes.h"
#include "train_rows.h"
/* which these build on */
#include "train_lanes.h"
#include "train_usual.h"
#undef real
#undef REAL_IS_FLOAT
#undef LANE
#undef LANE_BYTES
#undef LANE_LEAST_GAP
#undef LANE_GAP_TRUST
#undef LANE_EPSILON
#undef LANE_NEAREST
#undef LANE_HALVES

#define real           float
#define REAL_IS_FLOAT  1
#define LANE(name)     float_##name
#define LANE_LEAST_GAP TRAIN_LEAST_GAP_FLOAT
#define LANE_GAP_TRUST TRAIN_GAP_TRUST_FLOAT
#define LANE_EPSILON   0x1p-24
#define LANE_NEAREST   TRAIN_LEAST_SQUARE_FLOAT
#ifdef KERNEL_AVX512
#define LANE_QUARTERS 1
#endif
#include "simd_lanes.h"
#include "train_rows.h"
/* which these build on */
#include "train_lanes.h"
#include "train_usual.h"

/* Philox4x32-10, a vector of counters at a time, each of its four words in a lane of 64 bits: a product needs that much, and the
 * upper halves are left to themselves until the end. Lanes are numbered so that interleaving the words puts counters in order. */
#if defined(KERNEL_AVX512)
typedef uint64_t words64 __attribute__((vector_size(64)));
static const words64 lane_counters = {0, 4, 1, 5, 2, 6, 3, 7};
#define MULTIPLY(a, b)        (words64) _mm512_mul_epu32((__m512i)(a), (__m512i)(b))
#define INTERLEAVE_LOW(a, b)  (words64) _mm512_unpacklo_epi64((__m512i)(a), (__m512i)(b))
#define INTERLEAVE_HIGH(a, b) (words64) _mm512_unpackhi_epi64((__m512i)(a), (__m512i)(b))
#elif defined(KERNEL_AVX2)
typedef uint64_t words64 __attribute__((vector_size(32)));
static const words64 lane_counters = {0, 2, 1, 3};
#define MULTIPLY(a, b)        (words64) _mm256_mul_epu32((__m256i)(a), (__m256i)(b))
#define INTERLEAVE_LOW(a, b)  (words64) _mm256_unpacklo_epi64((__m256i)(a), (__m256i)(b))
#define INTERLEAVE_HIGH(a, b) (words64) _mm256_unpackhi_epi64((__m256i)(a), (__m256i)(b))
#else
typedef uint64_t words64 __attribute__((vector_size(16)));
static const words64 lane_counters = {0, 1};
#define MULTIPLY(a, b)        (words64) _mm_mul_epu32((__m128i)(a), (__m128i)(b))
#define INTERLEAVE_LOW(a, b)  (words64) _mm_unpacklo_epi64((__m128i)(a), (__m128i)(b))
#define INTERLEAVE_HIGH(a, b) (words64) _mm_unpackhi_epi64((__m128i)(a), (__m128i)(b))
#endif

static void random_words(uint64_t seed, uint64_t stream, uint64_t position, size_t blocks, uint32_t *out) {
  enum {
    LANES = sizeof(words64) / 8,
    SETS = 4,
    AT_ONCE = LANES * SETS,
    WORDS_EACH = 4 * LANES
  }; /* several sets side by side, since each waits for its products */
  const words64 zero = {0}, low = zero + 0xFFFFFFFFu, first = zero + 0xD2511F53u, second = zero + 0xCD9E8D57u;
  for (size_t done = 0; done < blocks; done += AT_ONCE) {
    words64 a[SETS], b[SETS], c[SETS], d[SETS];
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (size_t i = 0; i < SETS; i++) {
      a[i] = lane_counters + (position + done + i * LANES);
      b[i] = a[i] >> 32;
      c[i] = zero + stream;
      d[i] = c[i] >> 32;
    }
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
      for (size_t i = 0; i < SETS; i++) {
        words64 p = MULTIPLY(a[i], first), q = MULTIPLY(c[i], second);
        a[i] = (q >> 32) ^ b[i] ^ k0;
        c[i] = (p >> 32) ^ d[i] ^ k1;
        b[i] = q;
        d[i] = p;
      }
    uint32_t last[4 * AT_ONCE], *to = blocks - done < AT_ONCE ? last : out + 4 * done;
    for (size_t i = 0; i < SETS; i++) {
      words64 ab = (a[i] & low) | b[i] << 32, cd = (c[i] & low) | d[i] << 32;
      words64 halves[2] = {INTERLEAVE_LOW(ab, cd), INTERLEAVE_HIGH(ab, cd)};
      memcpy(to + WORDS_EACH * i, halves, sizeof halves);
    }
    if (to == last)
      memcpy(out + 4 * done, last, (blocks - done) * 16);
  }
}

#include "train_comb.h"

const train_table TRAIN_TABLE = {TRAIN_NAME, double_step, float_step, double_settle, float_settle, random_words, comb_draw};

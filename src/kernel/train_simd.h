/* train_simd.h - the vector versions of the training step for one instruction set: train_sse2.c, train_avx2.c and train_avx512.c
 * each include it with KERNEL_AVX512, KERNEL_AVX2 or neither, and TRAIN_TABLE and TRAIN_NAME defined. */
#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>

#include "train.h"

#define SIMD_INLINE static inline __attribute__((always_inline))

#define real           double
#define REAL_IS_FLOAT  0
#define LANE(name)     double_##name
#define LANE_LEAST_GAP TRAIN_LEAST_GAP_DOUBLE
#define LANE_GAP_TRUST TRAIN_GAP_TRUST_DOUBLE
#include "simd_lanes.h"
#include "train_lanes.h"
#undef real
#undef REAL_IS_FLOAT
#undef LANE
#undef LANE_BYTES
#undef LANE_LEAST_GAP
#undef LANE_GAP_TRUST

#define real           float
#define REAL_IS_FLOAT  1
#define LANE(name)     float_##name
#define LANE_LEAST_GAP TRAIN_LEAST_GAP_FLOAT
#define LANE_GAP_TRUST TRAIN_GAP_TRUST_FLOAT
#include "simd_lanes.h"
#include "train_lanes.h"

/* Philox4x32-10, WIDE counters at a time; the compiler vectorises the inner loops. */
static void random_words(uint64_t seed, uint64_t stream, uint64_t position, size_t blocks, uint32_t *out) {
  enum { WIDE = 16 };
  for (size_t first = 0; first < blocks; first += WIDE) {
    uint32_t a[WIDE], b[WIDE], c[WIDE], d[WIDE], k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (size_t i = 0; i < WIDE; i++) {
      uint64_t p = position + first + i;
      a[i] = (uint32_t)p;
      b[i] = (uint32_t)(p >> 32);
      c[i] = (uint32_t)stream;
      d[i] = (uint32_t)(stream >> 32);
    }
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
      for (size_t i = 0; i < WIDE; i++) {
        uint64_t p = (uint64_t)a[i] * 0xD2511F53u, q = (uint64_t)c[i] * 0xCD9E8D57u;
        uint32_t a1 = (uint32_t)(q >> 32) ^ b[i] ^ k0, c1 = (uint32_t)(p >> 32) ^ d[i] ^ k1;
        b[i] = (uint32_t)q;
        d[i] = (uint32_t)p;
        a[i] = a1;
        c[i] = c1;
      }
    for (size_t i = 0; i < WIDE && first + i < blocks; i++) {
      out[4 * (first + i)] = a[i];
      out[4 * (first + i) + 1] = b[i];
      out[4 * (first + i) + 2] = c[i];
      out[4 * (first + i) + 3] = d[i];
    }
  }
}

const train_table TRAIN_TABLE = {TRAIN_NAME, double_step, float_step, random_words};

/* lanes.h - the vectors that kernels of the trainer are written in: 64 bytes, sixteen floats (vf) or eight doubles (vd), on every
 * instruction set; where registers are shorter the compiler takes several. + - * / and the integer operators come from the
 * compilers' vector extensions; what those lack stands in isa/, one file for each instruction set. Every operation rounds once
 * and acts on each lane alone, so that the same program gives the same bytes everywhere, plain C included. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES_INLINE static inline __attribute__((always_inline))

typedef float vf __attribute__((vector_size(64)));
typedef double vd __attribute__((vector_size(64)));
typedef int32_t vi __attribute__((vector_size(64)));
typedef uint32_t vu __attribute__((vector_size(64)));
typedef uint32_t vu8 __attribute__((vector_size(32)));
typedef int32_t vi8 __attribute__((vector_size(32)));
typedef int64_t vl __attribute__((vector_size(64)));
typedef uint64_t vw __attribute__((vector_size(64)));

LANES_INLINE vf all_f(float a) { return (vf){a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a}; }
LANES_INLINE vd all_d(double a) { return (vd){a, a, a, a, a, a, a, a}; }
LANES_INLINE vf load_f(const float *p) {
  vf a;
  memcpy(&a, p, sizeof a);
  return a;
}
LANES_INLINE vd load_d(const double *p) {
  vd a;
  memcpy(&a, p, sizeof a);
  return a;
}
LANES_INLINE vu words_f(const uint32_t *p) {
  vu a;
  memcpy(&a, p, sizeof a);
  return a;
}
LANES_INLINE vu8 words_d(const uint32_t *p) {
  vu8 a;
  memcpy(&a, p, sizeof a);
  return a;
}
/* first, first + 1, ... */
LANES_INLINE vu count_f(uint32_t first) { return (vu){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} + first; }
LANES_INLINE vu8 count_d(uint32_t first) { return (vu8){0, 1, 2, 3, 4, 5, 6, 7} + first; }
LANES_INLINE void store_f(float *p, vf a) { memcpy(p, &a, sizeof a); }
LANES_INLINE void store_d(double *p, vd a) { memcpy(p, &a, sizeof a); }
/* By lane: `yes` where the mask is all ones, `no` where it is zero. */
LANES_INLINE vf select_f(vi mask, vf yes, vf no) { return (vf)((mask & (vi)yes) | (~mask & (vi)no)); }
LANES_INLINE vd select_d(vl mask, vd yes, vd no) { return (vd)((mask & (vl)yes) | (~mask & (vl)no)); }

/* Where nothing but speed asks for whole vectors, the longest that a register holds (nf, nd): compilers keep those there. */
#if defined(KERNEL_AVX512)
#define REGISTER_BYTES 64
#elif defined(KERNEL_AVX2)
#define REGISTER_BYTES 32
#else
#define REGISTER_BYTES 16
#endif
typedef float nf __attribute__((vector_size(REGISTER_BYTES)));
typedef double nd __attribute__((vector_size(REGISTER_BYTES)));

#if defined(KERNEL_AVX512)
#include "isa/avx512.h"
#elif defined(KERNEL_AVX2)
#include "isa/avx2.h"
#elif defined(KERNEL_NEON)
#include "isa/neon.h"
#else
#include "isa/sse2.h"
#endif
#undef F /* of parts.h */
#undef D

/* neon.h - what lanes.h needs of NEON on 64-bit ARM: a vector is four registers. */
#pragma once

#include <arm_neon.h>

#define ISA_HAS_WHOLE_D
#define PARTS  4
#define PART_F float32x4_t
#define PART_D float64x2_t
#define PART_I int32x4_t
#include "parts.h"

LANES_INLINE vf fma_f(vf a, vf b, vf c) { EACH_F(vfmaq_f32, F(c), F(a), F(b)); }
LANES_INLINE vd fma_d(vd a, vd b, vd c) { EACH_D(vfmaq_f64, D(c), D(a), D(b)); }
LANES_INLINE nf fma_nf(nf a, nf b, nf c) { return (nf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b); }
LANES_INLINE nd fma_nd(nd a, nd b, nd c) { return (nd)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b); }
LANES_INLINE vf sqrt_f(vf a) { EACH_F(vsqrtq_f32, F(a)); }
LANES_INLINE vd sqrt_d(vd a) { EACH_D(vsqrtq_f64, D(a)); }
/* a < b ? a : b, as on other machines: b where either is no number */
LANES_INLINE vf min_f(vf a, vf b) { return select_f((vi)(a < b), a, b); }
LANES_INLINE vd min_d(vd a, vd b) { return select_d((vl)(a < b), a, b); }
LANES_INLINE uint32_t up_to_f(vf a, vf b) {
  uint32_t bits = 0;
  for (int i = 0; i < 16; i++)
    bits |= (uint32_t)(a[i] <= b[i]) << i;
  return bits;
}
LANES_INLINE uint32_t up_to_d(vd a, vd b) {
  uint32_t bits = 0;
  for (int i = 0; i < 8; i++)
    bits |= (uint32_t)(a[i] <= b[i]) << i;
  return bits;
}
LANES_INLINE vi whole_f(vf a) { EACH_I(vcvtnq_s32_f32, F(a)); }
LANES_INLINE vl whole_d(vd a) {
  union {
    vl v;
    int64x2_t r[4];
  } out;
  for (int i = 0; i < PARTS; i++)
    out.r[i] = vcvtnq_s64_f64(D(a));
  return out.v;
}

/* parts.h - vectors of lanes.h that are several registers: PARTS of type PART_F, PART_D or PART_I. */
#pragma once

#include "loops.h"

typedef union parts_f {
  vf v;
  PART_F r[PARTS];
} parts_f;
typedef union parts_d {
  vd v;
  PART_D r[PARTS];
} parts_d;
typedef union parts_i {
  vi v;
  PART_I r[PARTS];
} parts_i;

/* op(a, b ...) on every register */
#define EACH_OF(type, op, ...)                                                                                                   \
  type out;                                                                                                                      \
  for (int i = 0; i < PARTS; i++)                                                                                                \
    out.r[i] = op(__VA_ARGS__);                                                                                                  \
  return out.v
#define EACH_F(op, ...) EACH_OF(parts_f, op, __VA_ARGS__)
#define EACH_D(op, ...) EACH_OF(parts_d, op, __VA_ARGS__)
#define EACH_I(op, ...) EACH_OF(parts_i, op, __VA_ARGS__)
#define F(a)            ((parts_f){a}).r[i]
#define D(a)            ((parts_d){a}).r[i]

/* `mask` of every register, each `lanes` bits */
#define BITS_OF_EACH(lanes, mask)                                                                                                \
  uint32_t bits = 0;                                                                                                             \
  for (int i = 0; i < PARTS; i++)                                                                                                \
    bits |= (uint32_t)(mask) << (lanes)*i;                                                                                       \
  return bits

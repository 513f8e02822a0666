/* parts.h - vectors of lanes.h that are several registers: PARTS of type PART_F or PART_D. */
#ifndef GEODISK_ISA_PARTS_H
#define GEODISK_ISA_PARTS_H

#include "loops.h"

typedef union parts_f {
  vf v;
  PART_F r[PARTS];
} parts_f;
typedef union parts_d {
  vd v;
  PART_D r[PARTS];
} parts_d;

/* op(a, b ...) on every register */
#define EACH_OF(type, op, ...)                                                                                                   \
  type out;                                                                                                                      \
  for (int i = 0; i < PARTS; i++)                                                                                                \
    out.r[i] = op(__VA_ARGS__);                                                                                                  \
  return out.v
#define EACH_F(op, ...) EACH_OF(parts_f, op, __VA_ARGS__)
#define EACH_D(op, ...) EACH_OF(parts_d, op, __VA_ARGS__)
#define F(a)            ((parts_f){a}).r[i]
#define D(a)            ((parts_d){a}).r[i]

#endif

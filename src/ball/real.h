/* real.h - the sources of src/ball are compiled twice: for double, and with GEODISK_SINGLE for float (the twins with suffix f).
 * They read `real` numbers, compute in double-double, and round once to `real`. */
#pragma once

#ifdef __CUDACC__ /* of double, for devices: distance_device.h */
typedef double real;
#define INTERNAL(operation) ball_##operation##_device
#define REAL_EPSILON        0x1p-53
#define REAL_MIN            0x1p-1022
#elif defined GEODISK_FMA /* of double, for processors with fused multiply-add: distances_gap.c */
typedef double real;
#define INTERNAL(operation) ball_##operation##_fma
#define REAL_EPSILON        0x1p-53
#define REAL_MIN            0x1p-1022
#elif defined GEODISK_SINGLE
typedef float real;
#define NAME(operation)     geodisk_##operation##f /* public */
#define INTERNAL(operation) ball_##operation##_f   /* shared between the sources of src/ball */
#define REAL_EPSILON        0x1p-24                /* half an ulp of 1 */
#define REAL_MIN            0x1p-126
#else
typedef double real;
#define NAME(operation)     geodisk_##operation
#define INTERNAL(operation) ball_##operation##_d
#define REAL_EPSILON        0x1p-53
#define REAL_MIN            0x1p-1022
#endif

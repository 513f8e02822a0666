/* train_constants.h - constants of the trainer's formulas for the type of numbers that TRAIN_SINGLE names (1: float, 0: double).
 * Has no include guard: it is included once for each. */
#undef real
#undef INT
#undef UINT
#undef SUM
#undef LANES
#undef FMA1
#undef SQRT1
#undef LRINT
#undef MAGIC
#undef FRACTION
#undef BIAS
#undef HALF_ROOT
#undef LOG2E
#undef LN2
#undef LN2_HIGH
#undef LN2_LOW
#undef EXP_TERMS
#undef LOG_TERMS
#undef LARGEST
#undef LEAST_GAP
#undef LEAST_SQUARE
#undef GAP_TRUST
#undef SLACK
#undef EPSILON

#define LOG2E 1.44269504088896341
#define LN2   0.69314718055994531

#if TRAIN_SINGLE
#define real         float
#define INT          int32_t
#define UINT         uint32_t
#define SUM          int32_t /* of a block */
#define LANES        TRAIN_LANES_FLOAT
#define FMA1         fmaf
#define SQRT1        sqrtf
#define LRINT        llrintf
#define MAGIC        0x1.8p23
#define FRACTION     23
#define BIAS         127
#define HALF_ROOT    0x3F3504F3
#define LN2_HIGH     0.693359375
#define LN2_LOW      (-2.12194440e-4)
#define EXP_TERMS    7
#define LOG_TERMS    9
#define LARGEST      0x1p127
#define LEAST_GAP    TRAIN_LEAST_GAP_FLOAT
#define LEAST_SQUARE TRAIN_LEAST_SQUARE_FLOAT
#define GAP_TRUST    TRAIN_GAP_TRUST_FLOAT
#define SLACK        TRAIN_SLACK_FLOAT
#define EPSILON      0x1p-24
#else
#define real         double
#define INT          int64_t
#define UINT         uint64_t
#define SUM          int64_t
#define LANES        TRAIN_LANES_DOUBLE
#define FMA1         fma
#define SQRT1        sqrt
#define LRINT        llrint
#define MAGIC        0x1.8p52
#define FRACTION     52
#define BIAS         1023
#define HALF_ROOT    0x3FE6A09E667F3BCD
#define LN2_HIGH     0.693147180369123816490
#define LN2_LOW      1.90821492927058770002e-10
#define EXP_TERMS    13
#define LOG_TERMS    23
#define LARGEST      0x1p1023
#define LEAST_GAP    TRAIN_LEAST_GAP_DOUBLE
#define LEAST_SQUARE TRAIN_LEAST_SQUARE_DOUBLE
#define GAP_TRUST    TRAIN_GAP_TRUST_DOUBLE
#define SLACK        TRAIN_SLACK_DOUBLE
#define EPSILON      0x1p-53
#endif

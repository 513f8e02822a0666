/* kernel_limits.h - where the kernels, plain and vector, hand a row back as hard. */
#pragma once

/* Below LEAST_SQUARE a sum of squares may have lost digits to underflow; above LARGEST_SQUARE, or LARGEST_SINH2, a product with
 * it may overflow. LEAST_NORM stands for the length of a zero vector. */
#define LEAST_SQUARE   0x1p-900
#define LARGEST_SQUARE 0x1p900
#define LARGEST_SINH2  0x1p500
#define LEAST_NORM     0x1p-500

/* The exponential map is easy while (t^2 S |x| / (R^3 |z|^3))^2 is below this: its error is then below 10 units of 2^-53 R. Where
 * 1/|z|^2 < 3/2 it always is, since S |x| / R^3 is at most 0.39; and the gap of the result is right to a few units. For float
 * results 2^-53 is small change. */
#define MOST_PULL       0.5625
#define MOST_PULL_FLOAT 0x1p50
#define EASY_PULL       1.5
#define EASY_PULL_FLOAT 0x1p20

/* D beyond this is as good as infinite (t = 1, and the result lies on the rim). */
#define LONGEST_STEP 100.0

/* The new gap carries the error of exp(D), D times that of D: with the gap wanted, longer steps are hard. */
#define LONGEST_STEP_GAP       3.0
#define LONGEST_STEP_GAP_FLOAT 60.0

/* A result whose gap is below this share of R^2 could round onto the rim. */
#define RIM       0x1p-44
#define RIM_FLOAT 0x1p-21

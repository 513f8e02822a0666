/* measure.h - the exact answer of a case and the error of a given one, in units of the number type's 2^-53 or 2^-24.
 *
 * eps = 2^-53 (floats: 2^-24). A point of the ball is counted by |got - exact| / (eps R + slack), everything else by
 * |got - exact| / (eps |exact|), vectors by their lengths. `slack`, of exp only, is how far the exact answer moves when each
 * coordinate of v is multiplied by 1 +- eps: the largest move over 8 random patterns of signs. Below the smallest normal number
 * eps |exact| is replaced by half the spacing of the denormals (times sqrt(dim) for a vector), what rounding alone costs there.
 */
#ifndef GEODISK_TESTS_MEASURE_H
#define GEODISK_TESTS_MEASURE_H

#include "cases.h"

typedef struct measurement {
  double units;
  bool inside; /* strictly inside the ball, checked exactly; true for operations that return no point */
} measurement;

/* Enough bits for the case on the road of mp_ball.c. The tests compare a sample with twice as many. */
mpfr_prec_t case_precision(mp_ball *mp, const accuracy_case *c);

/* The exact answer at the given precision: output_numbers() numbers, taken from mp's scratch. Resets mp. */
mpfr_ptr case_exact(mp_ball *mp, const accuracy_case *c, mpfr_prec_t precision);

/* Measures `got` (output_numbers() numbers); fills in c->slack if that is still to do. */
measurement case_measure(mp_ball *mp, accuracy_case *c, const double *got);

/* What the library says, in the case's number type. */
void case_call(const accuracy_case *c, double *got);

/* Whether R^2 - |x|^2 > 0, decided exactly. */
bool strictly_inside(mp_ball *mp, const geodisk_ball *ball, const double *x);

#endif

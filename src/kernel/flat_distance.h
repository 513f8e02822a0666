/* flat_distance.h - |x - y| in flat space, right to the last digits and free of over- and underflow, by operations that are the
 * same on every machine and device. */
#pragma once

#include <stddef.h>

#include "dd.h"

static inline ON_DEVICE double flat_distance(size_t dim, const double *x, const double *y) {
  double largest = 0.0;
  for (size_t i = 0; i < dim; i++) {
    const double d = fabs(x[i] - y[i]);
    largest = d > largest ? d : largest;
  }
  if (!(largest > 0.0) || largest > DBL_MAX)
    return largest;
  const int e = ilogb(largest), exponent = e < -1000 ? -1000 : e > 1000 ? 1000 : e;
  dd sum = {0.0, 0.0};
  for (size_t i = 0; i < dim; i++)
    sum = dd_add(sum, dd_sqr(dd_scale(two_sum(x[i], -y[i]), power_of_two(-exponent))));
  return ldexp(dd_round(dd_sqrt(sum)), exponent);
}

/* squares.h - sums over coordinates, added one after the other: the same bits on every machine. */
#pragma once

#include <math.h>
#include <stddef.h>

/* |x|^2 */
static inline double square_of(size_t dim, const double *x) {
  double sum = 0.0;
  for (size_t k = 0; k < dim; k++)
    sum += x[k] * x[k];
  return sum;
}

/* |x - y|^2 */
static inline double square_between(size_t dim, const double *x, const double *y) {
  double sum = 0.0;
  for (size_t k = 0; k < dim; k++)
    sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

static inline double norm_of(size_t dim, const double *x) { return sqrt(square_of(dim, x)); }

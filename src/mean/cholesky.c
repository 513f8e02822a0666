/* cholesky.c - A = U^T U of a small symmetric positive definite matrix, upper triangle by rows, and the solution with it. */
#include <math.h>

#include "solver.h"

/* Row i of the packed triangle, so that row[j] is entry (i, j) for j >= i. */
static double *row_of(size_t dim, double *a, size_t i) { return a + i * dim - i * (i + 1) / 2; }
static const double *row_of_const(size_t dim, const double *a, size_t i) { return a + i * dim - i * (i + 1) / 2; }

bool cholesky_factor(size_t dim, double *a) {
  for (size_t i = 0; i < dim; i++) {
    double *row = row_of(dim, a, i);
    if (!(row[i] > 0.0 && isfinite(row[i])))
      return false;
    const double pivot = sqrt(row[i]);
    for (size_t j = i; j < dim; j++)
      row[j] /= pivot;
    for (size_t k = i + 1; k < dim; k++) {
      double *below = row_of(dim, a, k);
      for (size_t j = k; j < dim; j++)
        below[j] -= row[k] * row[j];
    }
  }
  return true;
}

void cholesky_solve(size_t dim, const double *a, double *x) {
  for (size_t i = 0; i < dim; i++) {
    const double *row = row_of_const(dim, a, i);
    x[i] /= row[i];
    for (size_t j = i + 1; j < dim; j++)
      x[j] -= row[j] * x[i];
  }
  for (size_t i = dim; i-- > 0;) {
    const double *row = row_of_const(dim, a, i);
    for (size_t j = i + 1; j < dim; j++)
      x[i] -= row[j] * x[j];
    x[i] /= row[i];
  }
}

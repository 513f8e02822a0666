/* procrustes.c - U V^T of a square matrix by one-sided Jacobi rotations: columns are turned in pairs until all are orthogonal. */
#include "procrustes.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SWEEPS = 60 }; /* convergence is quadratic: ten are many */

static double column_dot(size_t dim, const double *m, size_t i, size_t j) {
  double sum = 0;
  for (size_t r = 0; r < dim; r++)
    sum += m[r * dim + i] * m[r * dim + j];
  return sum;
}

static void turn_columns(size_t dim, double *m, size_t i, size_t j, double c, double s) {
  for (size_t r = 0; r < dim; r++) {
    const double x = m[r * dim + i], y = m[r * dim + j];
    m[r * dim + i] = c * x - s * y;
    m[r * dim + j] = s * x + c * y;
  }
}

/* Makes columns i and j of M orthogonal; false if they were. */
static bool make_orthogonal(size_t dim, double *m, double *v, size_t i, size_t j) {
  const double p = column_dot(dim, m, i, j), a = column_dot(dim, m, i, i), b = column_dot(dim, m, j, j);
  if (!(fabs(p) > DBL_EPSILON * sqrt(a * b)))
    return false;
  const double z = (b - a) / (2 * p), t = copysign(1 / (fabs(z) + sqrt(1 + z * z)), z);
  const double c = 1 / sqrt(1 + t * t), s = c * t;
  turn_columns(dim, m, i, j, c, s);
  turn_columns(dim, v, i, j, c, s);
  return true;
}

/* A unit column orthogonal to the first `done` columns, from the axis that has most left outside them. */
static void complete_column(size_t dim, double *u, size_t done) {
  size_t axis = 0;
  double most = -1;
  for (size_t r = 0; r < dim; r++) {
    double left = 1;
    for (size_t k = 0; k < done; k++)
      left -= u[r * dim + k] * u[r * dim + k];
    if (left > most) {
      most = left;
      axis = r;
    }
  }
  for (size_t r = 0; r < dim; r++)
    u[r * dim + done] = r == axis;
  for (int twice = 0; twice < 2; twice++)
    for (size_t k = 0; k < done; k++) {
      const double p = column_dot(dim, u, k, done);
      for (size_t r = 0; r < dim; r++)
        u[r * dim + done] -= p * u[r * dim + k];
    }
  const double length = sqrt(column_dot(dim, u, done, done));
  for (size_t r = 0; r < dim; r++)
    u[r * dim + done] /= length;
}

static void swap_columns(size_t dim, double *m, size_t i, size_t j) {
  for (size_t r = 0; r < dim; r++) {
    const double x = m[r * dim + i];
    m[r * dim + i] = m[r * dim + j];
    m[r * dim + j] = x;
  }
}

/* Columns of M by falling length, each divided by it; those that are nothing beside the first are replaced. */
static void normalise_columns(size_t dim, double *m, double *v) {
  double first = 0;
  for (size_t i = 0; i < dim; i++) {
    size_t longest = i;
    for (size_t j = i + 1; j < dim; j++)
      if (column_dot(dim, m, j, j) > column_dot(dim, m, longest, longest))
        longest = j;
    if (longest != i) {
      swap_columns(dim, m, i, longest);
      swap_columns(dim, v, i, longest);
    }
    const double length = sqrt(column_dot(dim, m, i, i));
    first = i == 0 ? length : first;
    if (!(length > first * (double)dim * DBL_EPSILON)) {
      for (size_t k = i; k < dim; k++)
        complete_column(dim, m, k);
      return;
    }
    for (size_t r = 0; r < dim; r++)
      m[r * dim + i] /= length;
  }
}

void eval_procrustes(size_t dim, double *m, double *v, double *q) {
  memset(v, 0, dim * dim * sizeof *v);
  for (size_t i = 0; i < dim; i++)
    v[i * dim + i] = 1;
  bool turned = true;
  for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
    turned = false;
    for (size_t i = 0; i < dim; i++)
      for (size_t j = i + 1; j < dim; j++)
        turned = make_orthogonal(dim, m, v, i, j) || turned;
  }
  normalise_columns(dim, m, v);
  for (size_t r = 0; r < dim; r++)
    for (size_t c = 0; c < dim; c++) {
      double sum = 0;
      for (size_t k = 0; k < dim; k++)
        sum += m[r * dim + k] * v[c * dim + k];
      q[r * dim + c] = sum;
    }
}

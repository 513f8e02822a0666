/* mp_mean.c - the barycenter in multi-precision: logarithms on the hyperboloid in MPFR, Newton steps with a Hessian that is only
 * known to double. Such a step shrinks the error by about 1e-13 instead of squaring it; what is converged to is the zero of the
 * multi-precision gradient, and it is unique. */
#include "mp_mean.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RN MPFR_RNDN

enum { MOST_STEPS = 60 };

static void *room(size_t count, size_t size) {
  void *block = calloc(count > 0 ? count : 1, size);
  if (!block) {
    fprintf(stderr, "mp_mean: out of memory\n");
    exit(1);
  }
  return block;
}

void mp_points_create(mp_ball *ball, size_t n, mp_points *points) {
  *points = (mp_points){n, ball->dim, room(n * (size_t)(ball->dim + 1), sizeof *points->rows)};
  for (size_t i = 0; i < n * (size_t)(ball->dim + 1); i++)
    mpfr_init2(points->rows + i, ball->precision);
}

void mp_points_destroy(mp_points *points) {
  for (size_t i = 0; i < points->n * (size_t)(points->dim + 1); i++)
    mpfr_clear(points->rows + i);
  free(points->rows);
  *points = (mp_points){0};
}

mpfr_ptr mp_points_row(const mp_points *points, size_t i) { return points->rows + i * (size_t)(points->dim + 1); }

/* (t+1)/R: ball coordinates of a tangent at p times this are components in an orthonormal frame (curvature -1). */
static void frame_factor(mp_ball *ball, mpfr_srcptr p, mpfr_ptr out) {
  mpfr_add_ui(out, p, 2, RN);
  mpfr_div(out, out, ball->radius, RN);
}

/* One pass: the mean logarithm (ball coordinates) and, if wanted, the Hessian in double. Returns the gradient's length. */
static double pass(mp_ball *ball, const mp_points *points, const double *weights, mpfr_srcptr p, mpfr_ptr mean, double *hessian) {
  const size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr log = mp_take(ball, n), factor = mp_take(ball, 4), length = factor + 1, sum = factor + 2, ratio = factor + 3;
  double unit[64], coth_sum = 0, weight_sum = 0;
  frame_factor(ball, p, factor);
  for (size_t j = 0; j < n; j++)
    mpfr_set_zero(mean + j, 1);
  mpfr_set_zero(sum, 1);
  for (size_t i = 0; hessian && i < n * n; i++)
    hessian[i] = 0;
  for (size_t i = 0; i < points->n; i++) {
    const double w = weights ? weights[i] : 1.0;
    if (w == 0.0)
      continue;
    mp_log_lifted(ball, p, mp_points_row(points, i), log);
    mp_length(ball, log, n, length);
    for (size_t j = 0; j < n; j++) {
      mpfr_div(ratio, log + j, length, RN);
      unit[j] = mpfr_zero_p(length) ? 0.0 : mpfr_get_d(ratio, RN);
      mpfr_mul_d(ratio, log + j, w, RN);
      mpfr_add(mean + j, mean + j, ratio, RN);
    }
    mpfr_mul(ratio, length, factor, RN);
    const double theta = mpfr_get_d(ratio, RN), h = theta > 0 ? theta / tanh(theta) : 1.0;
    coth_sum += w * h;
    weight_sum += w;
    mpfr_add_d(sum, sum, w, RN);
    for (size_t j = 0; hessian && j < n; j++)
      for (size_t k = 0; k < n; k++)
        hessian[j * n + k] += w * (1 - h) * unit[j] * unit[k];
  }
  for (size_t j = 0; hessian && j < n; j++) {
    hessian[j * n + j] += coth_sum;
    for (size_t k = 0; k < n; k++)
      hessian[j * n + k] /= weight_sum;
  }
  for (size_t j = 0; j < n; j++)
    mpfr_div(mean + j, mean + j, sum, RN);
  mp_length(ball, mean, n, length);
  mpfr_mul(length, length, factor, RN);
  const double result = mpfr_get_d(length, RN);
  mp_release(ball, mark);
  return result;
}

double mp_mean_gradient(mp_ball *ball, const mp_points *points, const double *weights, mpfr_srcptr p, mpfr_ptr gradient) {
  return pass(ball, points, weights, p, gradient, NULL);
}

/* Gauss with pivots on a copy; right becomes the solution. */
static void solve(size_t n, double *a, double *right) {
  for (size_t c = 0; c < n; c++) {
    size_t pivot = c;
    for (size_t r = c + 1; r < n; r++)
      if (fabs(a[r * n + c]) > fabs(a[pivot * n + c]))
        pivot = r;
    for (size_t k = 0; k < n; k++) {
      const double t = a[c * n + k];
      a[c * n + k] = a[pivot * n + k];
      a[pivot * n + k] = t;
    }
    const double t = right[c];
    right[c] = right[pivot];
    right[pivot] = t;
    for (size_t r = c + 1; r < n; r++) {
      const double f = a[r * n + c] / a[c * n + c];
      for (size_t k = c; k < n; k++)
        a[r * n + k] -= f * a[c * n + k];
      right[r] -= f * right[c];
    }
  }
  for (size_t r = n; r-- > 0;) {
    for (size_t k = r + 1; k < n; k++)
      right[r] -= a[r * n + k] * right[k];
    right[r] /= a[r * n + r];
  }
}

void mp_mean(mp_ball *ball, const mp_points *points, const double *weights, int digits, mpfr_ptr p) {
  const size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr mean = mp_take(ball, n), next = mp_take(ball, n + 1), scale = mp_take(ball, 2), ratio = scale + 1;
  double *hessian = room(n * n, sizeof *hessian), *step = room(n, sizeof *step);
  const double enough = pow(10, -digits);
  double norm = pass(ball, points, weights, p, mean, hessian);
  for (int i = 0; norm > enough; i++) {
    if (i == MOST_STEPS || !isfinite(norm)) {
      fprintf(stderr, "mp_mean: no convergence, gradient %g\n", norm);
      exit(1);
    }
    mp_length(ball, mean, n, scale); /* the step is solved for in units of the gradient, which double can hold */
    for (size_t j = 0; j < n; j++) {
      mpfr_div(ratio, mean + j, scale, RN);
      step[j] = mpfr_get_d(ratio, RN);
    }
    solve(n, hessian, step);
    for (size_t j = 0; j < n; j++)
      mpfr_mul_d(mean + j, scale, step[j], RN);
    mp_exp_lifted(ball, p, mean, next);
    for (size_t j = 0; j <= n; j++)
      mpfr_set(p + j, next + j, RN);
    norm = pass(ball, points, weights, p, mean, hessian);
  }
  free(hessian);
  free(step);
  mp_release(ball, mark);
}

/* mean_pass.h - one pass of a mean over rows q_i with gaps T_i and weights w_i, seen from a point p with gap S: what is summed.
 *
 *   delta = q - p,  s = |delta|^2,  u = R^2 s / (S T) = sinh^2(theta/2),  g = sqrt(u + u^2) = sinh(theta)/2
 *   theta = log1p(2 (u + g)),   f = theta / (2g) = theta / sinh(theta),   h = f (1 + 2u) = theta coth(theta)
 *   zeta  = (S delta - s p) / T,   log_p(q) = f zeta,   unit tangent towards q = zeta R / (S g)
 *
 * plain sums (MEAN_SUMS(dim) numbers, plus the upper triangle of the last one if the Hessian is wanted):
 *   w theta^2,  w h,  w theta,  w u,  w f zeta (dim),  w zeta (dim, if the centroid is wanted),
 *   w (h-1)/g^2 zeta zeta^T (rows of the upper triangle)
 *
 * For the median, which pulls with 1 instead of theta: f = 1 / (2g), h = coth(theta), and h/g^2 instead of (h-1)/g^2; rows at p
 * (g = 0) add nothing to these but their weight to the last of the first four sums, in the place of w u.
 *
 * accurate sums (pairs hi, lo; MEAN_PAIRS(dim) of them):
 *   c s,  w theta^2,  w theta,  c delta (dim),  with c = w f / T:   sum of w log_p(q) = S (sum of c delta) - (sum of c s) p
 *
 * In the accurate form delta, s, u, g and theta are carried in two doubles and c is rounded once, so that the relative error of
 * each row's logarithm is little more than 2^-53; the sums are compensated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MEAN_SUMS(dim)    (4 + 2 * (dim))
#define MEAN_HESSIAN(dim) ((dim) * ((dim) + 1) / 2)
#define MEAN_PAIRS(dim)   (3 + (dim))

/* The room a pass over so many rows needs, in doubles. */
#define MEAN_SCRATCH(dim, rows) ((2 * (dim) + 6) * ((rows) + 8))

typedef struct mean_point {
  size_t dim;
  const double *p;
  double gap, gap_rest;     /* S = gap + gap_rest */
  double ratio, ratio_rest; /* R^2 / S */
  double weight_scale;      /* weights (ones if there are none) are multiplied by this power of two */
  bool hessian, centroid;   /* what is wanted of a plain pass */
  bool median;
} mean_point;

/* Adds the sums of n <= KERNEL_ROWS rows to `sums`. weights NULL: ones. All gaps are > 0. */
typedef void mean_pass_fn(const mean_point *at, size_t n, const double *q, const double *gaps, const double *weights,
                          double *sums, double *scratch);

/* In plain C; the vector versions are in the tables of kernel.h. */
mean_pass_fn geodisk_mean_plain_ref, geodisk_mean_accurate_ref;

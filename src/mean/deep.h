/* deep.h - points as directions and gaps in double-double, and the passes over them (deep.c). */
#pragma once

#include "kernel/dd.h"
#include "solver.h"

/* A point in units of R: x = rho n, S = 1 - rho^2. */
typedef struct polar {
  dd rho, gap;
  dd *n; /* dim */
} polar;

typedef struct deep {
  geodisk_context *context;
  geodisk_ball ball;
  size_t dim, n;
  polar *points;  /* n */
  dd *directions; /* (n + 2) x dim: of the points, the base and the trial */
  const double *weights;
  double weight_scale;
  dd weight_sum;
  polar base, trial;
  size_t trial_ray, base_ray; /* the point that the geodesic of found.ray_length leads to */
  double *units;              /* n x dim: unit tangents at the trial towards the points */
  evaluation found;

  size_t tasks;
  double *task_sums; /* what each task of a pass sums up; room for dim numbers */
  dd *task_tangents; /* tasks x dim */
} deep;

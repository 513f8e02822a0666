/* point_distances.h - distances of one point to many, by the ranking kernels. */
#pragma once

#include "prepared.h"

/* What a task measures with. */
typedef struct point_distances {
  const prepared *points;
  const rank_table *kernel;
  size_t tile_points;
  double *y, *w, *q, *d, *x, *scratch;
} point_distances;

bool point_distances_create(const prepared *points, const char *instructions, point_distances *out); /* false: out of memory */
void point_distances_destroy(point_distances *m);

/* Of point u to the points ids[0..n) (NULL: 0 .. n-1), into out. */
void point_distances_from(const point_distances *m, size_t u, size_t n, const uint32_t *ids, double *out);

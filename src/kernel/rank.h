/* rank.h - the kernels of the evaluation: how near are all points to a source, how many of them lie between thresholds, and the
 * sum of e^-d over them.
 *
 * Points lie in tiles: groups of RANK_GROUP_BYTES / sizeof(real) points, each group dim columns of one number per point.
 * Arithmetic is in the type of the numbers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Sources at a time, points in a tile at most, and the bytes of one column of a group. */
enum { RANK_SOURCES = 4, RANK_POINTS = 256, RANK_GROUP_BYTES = 128 };

/* How s = scale * q gives a distance: in the unit ball of curvature -1 s = sinh^2(d/2); for another curvature the same times
 * `unit`; in flat space d = unit sqrt(s). */
typedef enum rank_distance { RANK_UNIT = 0, RANK_CURVED = 1, RANK_FLAT = 2 } rank_distance;

/* For tiles of type `real`; n is a multiple of the group.
 *
 *   tile       out[s*RANK_POINTS + j] = |x_s - y_j|^2 w_j, s < RANK_SOURCES, j < n      x: dim x RANK_SOURCES; y: a tile; w: n.
 *              Each sum runs over the columns in order, one fma each (SSE2: a product and a sum). Returns bit s if some out of
 *              source s is < limit[s], and bit RANK_SOURCES + s if some |x_s - y_j|^2 is < near
 *   count      hist[i] += how many of q[0..n) lie in [t[i-1], t[i]), i < k, t[-1] = -infinity; the others are not counted
 *              n <= RANK_POINTS; t: k >= 1 numbers, ascending. q is overwritten, up to 64 bytes past its end
 *   sum        the sum of e^-d, d from scale * q[0..n); infinity adds 0
 */
typedef struct rank_double {
  unsigned (*tile)(size_t dim, size_t n, const double *y, const double *w, const double *x, const double *limit, double near,
                   double *out);
  void (*count)(size_t n, double *q, size_t k, const double *t, uint32_t *hist);
  double (*sum)(rank_distance kind, double scale, double unit, size_t n, const double *q);
} rank_double;

typedef struct rank_float {
  unsigned (*tile)(size_t dim, size_t n, const float *y, const float *w, const float *x, const float *limit, float near,
                   float *out);
  void (*count)(size_t n, float *q, size_t k, const float *t, uint32_t *hist);
  double (*sum)(rank_distance kind, double scale, double unit, size_t n, const float *q);
} rank_float;

typedef struct rank_table {
  const char *name; /* of the instruction set */
  rank_double d;
  rank_float f;
  /* out[0..n) = d from scale * q[0..n). n: a multiple of the group of double. */
  void (*distances)(rank_distance kind, double scale, double unit, size_t n, const double *q, double *out);
} rank_table;

/* The table of that name; the plain one ("ref") for a name that was not built in. */
const rank_table *geodisk_rank_table(const char *name);

extern const rank_table geodisk_rank_ref, geodisk_rank_sse2, geodisk_rank_avx2, geodisk_rank_avx512;

/* scan.h - all points of a model seen from a few, tile by tile, by the kernels of kernel/rank.h. Internal to the vectors module.
 */
#pragma once

#include "collect.h"
#include "kernel/rank.h"

/* Points that go through the tiles together. */
enum { SCAN_GROUP = 8 * RANK_SOURCES };

/* One thread's tile: points laid out by columns, and the products |x - y|^2 R^2/S(y) of RANK_SOURCES points x with them. */
typedef struct scanner {
  const space_view *view;
  const rank_table *kernels;
  double *columns; /* dim x RANK_POINTS */
  double *sources; /* dim x RANK_SOURCES for each group of sources */
  double weights[RANK_POINTS];
  double products[RANK_SOURCES * RANK_POINTS];
  double largest; /* weight */
} scanner;

/* For at most SCAN_GROUP points. NULL: out of memory. */
scanner *scanner_create(geodisk_context *context, const space_view *view);
void scanner_destroy(scanner *s);

/* Offers the nodes [begin, end) to n <= SCAN_GROUP collectors. */
void scan_nearest(scanner *s, size_t begin, size_t end, collector *collectors, size_t n);

/* How many of the nodes [begin, end) other than the point's own and `other` are nearer to the point than `distance`. */
size_t scan_nearer(scanner *s, size_t begin, size_t end, const probe_point *point, uint32_t other, double distance);

/* out[i] = the sum of exp(-d(x_i, m)) over all nodes m but points[i].self, for n <= SCAN_GROUP points. */
void scan_sums(scanner *s, size_t n, const probe_point *points, double *out);

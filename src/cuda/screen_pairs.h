/* screen_pairs.h - which pairs of a source and a point have |x-y|^2 w below a limit of the source: most have not, and float can
 * tell. A pair that is not beyond its limit by float is looked at again in full.
 *
 * In float, coordinates c with |c| <= most are off by at most 2^-24 most (rounding), so differences by 2^-23 most and a little of
 * themselves, and |x-y| by sqrt(dim) 2^-23 most and a little of itself. So if |x-y| sqrt(w) <= root of the limit, then
 *
 *   the sum in float <= (root . 1/sqrt(w) + sqrt(dim) 2^-23 most)^2
 *
 * with every factor made larger by `spare`, which is more than all roundings on the way. What overflows or is no number is not
 * beyond. */
#pragma once

#include "group.h"

typedef struct pair_screen {
  uint64_t points, sources;
  uint32_t dim, width; /* columns that are looked at, zeros behind the last coordinates; numbers of a source's row */
  float *columns;      /* of the points: dim of `stride` numbers each */
  float *reach;        /* of the points: 1/sqrt(w) */
  uint64_t stride;
  float *rows;  /* of the sources: their coordinates, zeros, and at last the root of their limit */
  float margin; /* the absolute part of the error */
} pair_screen;

/* Kernels know these numbers of columns, and go through any larger one as it is. */
static inline uint32_t screen_dim(uint64_t dim) {
  static const uint32_t known[] = {2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (dim <= known[i])
      return known[i];
  return (uint32_t)dim;
}
static inline uint32_t screen_width(uint32_t dim) { return (dim + 4) / 4 * 4; } /* whole 16 bytes, with one for the root */

#define SCREEN_TINY 0x1p-140f /* more than what underflow takes away */

DEVICE_CODE double screen_spare(uint64_t dim) { return 1.0 + (double)(dim + 8) * 0x1p-23; }

/* least: pairs nearer than this are never beyond. */
static inline float screen_margin(uint64_t dim, double most, double least) {
  return (float)((sqrt((double)dim) * 0x1p-23 * most + least) * (1.0 + (double)(dim + 8) * 0x1p-23)) + SCREEN_TINY;
}
DEVICE_CODE float screen_reach(uint64_t dim, double weight) { return (float)(screen_spare(dim) / sqrt(weight)) + SCREEN_TINY; }
DEVICE_CODE float screen_root(uint64_t dim, double limit) { return (float)(screen_spare(dim) * sqrt(limit)) + SCREEN_TINY; }

DEVICE_CODE bool is_beyond(float sum, float root, float reach, float margin) {
  const float most = fmaf(root, reach, margin);
  return sum > most * most;
}

/* The sum of a pair, as kernels have it. */
DEVICE_CODE float screen_sum(const pair_screen *s, uint64_t source, uint64_t point) {
  float sum = 0;
  for (uint32_t c = 0; c < s->dim; c++) {
    const float d = s->columns[c * s->stride + point] - s->rows[source * s->width + c];
    sum = fmaf(d, d, sum);
  }
  return sum;
}

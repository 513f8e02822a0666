/* rank_job.h - what a ranking on a device works on; pointers are of the device, or of the host where tests compute the same. */
#pragma once

#include "group.h"
#include "kernel/rank_device.h"
#include "screen_pairs.h"

typedef struct device_ranking {
  uint64_t nodes, dim, sources;
  const void *tiles, *weights;
  double near_square;
  const uint32_t *node;
  const uint64_t *start; /* sources + 1: where the positives of a source begin among all */
  const uint64_t *offsets, *known_offsets;
  const uint32_t *targets, *known;
  bool single, gensim;
  void *nearness, *thresholds; /* of source i from 2 start[i] on: q of its positives, ascending; and what hist counts between */
  uint64_t *used;              /* how many thresholds */
  uint32_t *hist;
  pair_screen screen;
  uint8_t *close; /* sources */
  rank_record *out;
  /* of the loss; scale NULL: none */
  const double *scale;
  rank_distance kind;
  double unit;
  uint64_t part_points, parts; /* points of a part of a sum, and how many parts */
  double *part;                /* parts x sources: e^-d summed over the negatives of a part */
} device_ranking;

enum { LOSS_PARTS = 64 };

/* Sums are cut into parts by the points alone, so that they are the same at every run. */
static inline void cut_sums(device_ranking *r) {
  r->part_points = (r->nodes + LOSS_PARTS - 1) / LOSS_PARTS;
  r->parts = r->scale ? (r->nodes + r->part_points - 1) / r->part_points : 0;
}

/* The distance, and e^-d, from s = q/S. */
DEVICE_CODE double loss_distance(const device_ranking *r, double s) {
  const double root = sqrt(s);
  return r->unit * (r->kind == RANK_FLAT ? root : 2.0 * asinh(root));
}
DEVICE_CODE double loss_likelihood(const device_ranking *r, double s) {
  if (r->kind != RANK_UNIT)
    return exp(-loss_distance(r, s));
  const double growth = sqrt(s) + sqrt(1.0 + s); /* e^(d/2) */
  return 1.0 / (growth * growth);
}

/* Whether a node is in an ascending row. */
DEVICE_CODE bool is_in_row(const uint64_t *offsets, const uint32_t *nodes, uint32_t u, uint32_t v) {
  return row_has(nodes, offsets[u], offsets[u + 1], v);
}

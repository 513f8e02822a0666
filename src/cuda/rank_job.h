/* rank_job.h - what a ranking on a device works on; pointers are of the device, or of the host where tests compute the same. */
#ifndef GEODISK_CUDA_RANK_JOB_H
#define GEODISK_CUDA_RANK_JOB_H

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
} device_ranking;

/* Whether a node is in an ascending row. */
DEVICE_CODE bool is_in_row(const uint64_t *offsets, const uint32_t *nodes, uint32_t u, uint32_t v) {
  uint64_t low = offsets[u], high = offsets[u + 1];
  const uint64_t end = high;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (nodes[middle] < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end && nodes[low] == v;
}

#endif

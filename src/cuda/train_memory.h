/* train_memory.h - what training needs of a device's memory, and where the edges go: to the device with all else, or, where they
 * do not fit, nowhere: kernels then read them in the host's memory over the bus, row by row. And what a job is told for which
 * there is no room. */
#pragma once

#include <stdio.h>

#include "embed/trainer_device.h"
#include "train_job.h"

typedef struct train_needs {
  uint64_t points, edges; /* bytes: of points, sums and all else; and of what there is for each edge */
} train_needs;

typedef enum edges_place { EDGES_ON_DEVICE, EDGES_ON_HOST, EDGES_NOWHERE } edges_place;

/* Of an epoch: counters of its batches, where the slices of far negatives begin, and the room of one group; of more groups there
 * are as many as fit into what is left. targets: the most that a unit has. */
static inline uint64_t needs_of_epoch(const geodisk_trainer *t, uint32_t targets) {
  const geodisk_train_options *o = &t->options;
  const bool of_edges = o->units == GEODISK_UNITS_EDGE;
  const uint64_t block = of_edges || o->block < 1 ? 1 : o->block, units = of_edges ? t->edges : t->nodes + t->extras;
  const uint64_t wanted = o->batch / block, in_batch = wanted > 0 ? wanted : 1, negatives = o->negatives;
  const uint64_t names = block * (1 + (uint64_t)targets), draws = negatives < t->nodes ? negatives : t->nodes;
  const uint64_t candidates = (names < t->nodes ? names : t->nodes) + draws;
  const uint32_t warps = (uint32_t)(block < 32 ? block : 32);
  return ((units + block - 1) / block / in_batch + 1) * 4 + (draws + 2) * 4 +
         room_of_group((uint32_t)candidates, (uint32_t)names, warps);
}

static inline train_needs needs_of(const geodisk_trainer *t, uint32_t targets) {
  const uint64_t width = (uint64_t)t->options.dim + 1, n = t->nodes, edges = t->edges, sampled = t->sample ? t->sample->edges : 0;
  const uint64_t points = n * row_bytes(t) + n * width * 8 + n * 8 + (n + 1) * 8 + n * 4 + (t->place ? n * 4 : 0) +
                          (t->guide ? (edges / GUIDE_STEP + 2) * 4 : 0) + (t->aliases.other ? n * 8 : 0) +
                          t->extras * sizeof *t->extra + t->inners * 4 + sampled * (SAMPLE_NODES * 4 + 8);
  const train_needs needs = {points + needs_of_epoch(t, targets), edges * (t->out.weights ? 12 : 4)};
  return needs;
}

/* What is told of any other job for which there is not enough. */
static inline void tell_memory(const char *what, uint64_t needed, uint64_t free_bytes, uint64_t all, char why[DEVICE_TEXT]) {
  const double GiB = 0x1p-30;
  snprintf(why, DEVICE_TEXT, "%s needs %.2f GiB of the device's memory, %.2f GiB of %.2f GiB are free", what,
           (double)needed * GiB, (double)free_bytes * GiB, (double)all * GiB);
}

/* With so much free of so much in all; NOWHERE: `why` says what is missing. */
static inline edges_place place_edges(const train_needs *needs, uint64_t free_bytes, uint64_t all, char why[DEVICE_TEXT]) {
  const double GiB = 0x1p-30;
  if (needs->points + needs->edges < free_bytes)
    return EDGES_ON_DEVICE;
  if (needs->points < free_bytes)
    return EDGES_ON_HOST;
  snprintf(why, DEVICE_TEXT,
           "training needs %.2f GiB of the device's memory (and %.2f GiB for the edges, which can stay with the host), %.2f GiB "
           "of %.2f GiB are free",
           (double)needs->points * GiB, (double)needs->edges * GiB, (double)free_bytes * GiB, (double)all * GiB);
  return EDGES_NOWHERE;
}

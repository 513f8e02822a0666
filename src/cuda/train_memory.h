/* train_memory.h - what training needs of a device's memory, and where the edges go: to the device with all else, or, where they
 * do not fit, nowhere: kernels then read them in the host's memory over the bus, row by row. */
#ifndef GEODISK_CUDA_TRAIN_MEMORY_H
#define GEODISK_CUDA_TRAIN_MEMORY_H

#include <stdio.h>

#include "embed/trainer_device.h"

typedef struct train_needs {
  uint64_t points, edges; /* bytes: of points, sums and all else; and of what there is for each edge */
} train_needs;

typedef enum edges_place { EDGES_ON_DEVICE, EDGES_ON_HOST, EDGES_NOWHERE } edges_place;

/* But for the room of groups, which takes what is left. */
static inline train_needs needs_of(const geodisk_trainer *t) {
  const uint64_t width = (uint64_t)t->options.dim + 1, n = t->nodes, edges = t->edges;
  const uint64_t points = n * row_bytes(t) + n * width * 8 + n * 8 + (n + 1) * 8 + n * 4 + (t->place ? n * 4 : 0) +
                          (t->guide ? (edges / GUIDE_STEP + 2) * 4 : 0) + (t->aliases.other ? n * 8 : 0) + t->inners * 4;
  const train_needs needs = {points, edges * (t->out.weights ? 12 : 4)};
  return needs;
}

/* With so much free of so much in all; NOWHERE: `why` says what is missing. */
static inline edges_place place_edges(const train_needs *needs, uint64_t free_bytes, uint64_t all, char why[DEVICE_TEXT]) {
  const double GiB = 0x1p-30;
  if (needs->points + needs->edges < free_bytes)
    return EDGES_ON_DEVICE;
  if (needs->points < free_bytes)
    return EDGES_ON_HOST;
  snprintf(
      why, DEVICE_TEXT,
      "training needs %.2f GiB of the device's memory (and %.2f GiB for the edges, which can stay with the host), %.2f GiB of "
      "%.2f GiB are free",
      (double)needs->points * GiB, (double)needs->edges * GiB, (double)free_bytes * GiB, (double)all * GiB);
  return EDGES_NOWHERE;
}

#endif

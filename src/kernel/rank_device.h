/* rank_device.h - what a ranking asks of a device (device.h): the q of all positives, then how many of the other points lie
 * between their thresholds, to the bits of the kernels of rank.h. */
#ifndef GEODISK_KERNEL_RANK_DEVICE_H
#define GEODISK_KERNEL_RANK_DEVICE_H

#include "device.h"
#include "rank.h"

/* Points in tiles as rank.h has them, all in one; numbers are float if `single`, else double. */
typedef struct rank_points {
  size_t nodes, dim;
  bool single;
  const void *tiles, *weights; /* whole groups */
  double near_square;          /* pairs with a smaller |x-y|^2 need a second look, which a device does not have; 0: none */
} rank_points;

typedef struct rank_sources {
  size_t count;
  const uint32_t *node;
  const size_t *start;     /* count + 1: where the positives of a source begin among all */
  const uint64_t *offsets; /* rows of positives, nodes + 1; targets ascending */
  const uint32_t *targets;
  const uint64_t *known_offsets; /* or NULL */
  const uint32_t *known;
  bool itself; /* is one of the points that are counted */
} rank_sources;

typedef struct rank_device {
  geodisk_status (*open)(const rank_points *points, const rank_sources *sources, void **out, char why[DEVICE_TEXT]);
  /* The q of the positives; whether a source is so close to one that it needs a second look. */
  geodisk_status (*measure)(void *own, void *nearness, uint8_t *close, char why[DEVICE_TEXT]);
  /* hist of rank.h for each source: used[i] thresholds of source i begin at 2 start[i]. */
  geodisk_status (*scan)(void *own, const void *thresholds, const size_t *used, uint32_t *hist, uint8_t *close,
                         char why[DEVICE_TEXT]);
  void (*close)(void *own);
} rank_device;

#endif

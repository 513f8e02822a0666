/* device_search.h - near nodes with the help of a device: it says which nodes may be among the nearest, and the accurate distance
 * decides here as ever. Internal to the vectors module. */
#pragma once

#include "collect.h"
#include "kernel/rank_device.h"

/* The points of a model on a device. */
typedef struct device_search {
  const near_device *device; /* NULL: there is none */
  void *handle;
} device_search;

/* Takes the points there. UNSUPPORTED (no device), DEVICE, MEMORY. */
geodisk_status device_search_open(geodisk_context *context, const space_view *view, device_search *out);
void device_search_close(device_search *search);

/* Whether it has the answers: few of a question, and not of one side only. */
bool device_search_can(const device_search *search, const space_view *view, size_t k, geodisk_side side);

/* The k nearest of n <= UINT32_MAX points of the same side. DEVICE, MEMORY. */
geodisk_status device_search_ask(geodisk_context *context, const device_search *search, const space_view *view, size_t n,
                                 const probe_point *points, size_t k, geodisk_neighbour *out, size_t *found);

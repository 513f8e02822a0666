/* device.h - the seam between the library and libgeodisk-cuda, which it loads at run time and never links. The library there
 * gives one table by the symbol DEVICE_SYMBOL; modules that can compute on a device define what they ask of it: training in
 * embed/trainer_device.h, ranks and neighbours in rank_device.h. Both sides are built together: they meet only if `build` is the
 * same. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "geodisk/base.h"

/* Of the version and of the structs that both sides see. */
#define DEVICE_SYMBOL "geodisk_device_table"
#define DEVICE_LAYOUT 4

enum { DEVICE_TEXT = 256 };

typedef struct device_facts {
  char name[DEVICE_TEXT]; /* "NVIDIA H200" */
  uint64_t memory, free;  /* bytes */
  int processors;
} device_facts;

typedef struct device_table {
  uint32_t layout;     /* DEVICE_LAYOUT */
  const char *version; /* of the library it was built with */
  /* Whether there is a device that can be used; else `why` says what is missing. */
  geodisk_status (*look)(device_facts *out, char why[DEVICE_TEXT]);
  const struct embed_device *train; /* embed/trainer_device.h */
  const struct rank_device *rank;   /* kernel/rank_device.h */
  const struct near_device *near;   /* too */
} device_table;

/* The table, of a device that can be used: UNSUPPORTED with the reason on the context if the library is not there, is of another
 * version, or finds no device. Loaded once for a process, and kept. */
geodisk_status geodisk_device_open(geodisk_context *context, const device_table **out);
/* Takes the place of what would be loaded, for tests; NULL: as before. */
void geodisk_device_replace(const device_table *table);

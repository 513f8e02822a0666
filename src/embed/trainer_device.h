/* trainer_device.h - what the trainer asks of a device (kernel/device.h): libgeodisk-cuda answers, and in tests the same code
 * compiled for the host. Functions that return a status say in `why` what went wrong. */
#pragma once

#include "backend.h"
#include "kernel/device.h"

/* What an epoch comes to. */
typedef struct device_end {
  tally sum;
  uint64_t radii;     /* times RADIUS_SCALE; UINT64_MAX: one is not finite */
  double sample_loss; /* mean */
} device_end;

typedef struct embed_device {
  size_t trainer_bytes, plan_bytes; /* of the structs that both sides see */
  /* Takes the graph and all that does not change to the device. */
  geodisk_status (*create)(const geodisk_trainer *t, void **out, char why[DEVICE_TEXT]);
  geodisk_status (*put_rows)(void *own, const geodisk_trainer *t, char why[DEVICE_TEXT]);
  geodisk_status (*get_rows)(void *own, const geodisk_trainer *t, char why[DEVICE_TEXT]);
  /* All batches of an epoch, what ends it included. */
  geodisk_status (*epoch)(void *own, const geodisk_trainer *t, const epoch_plan *plan, device_end *out, char why[DEVICE_TEXT]);
  /* Copies the points to another place there; and from it, while epochs run, to the host. */
  geodisk_status (*set_aside)(void *own, const geodisk_trainer *t, char why[DEVICE_TEXT]);
  geodisk_status (*read_aside)(void *own, const geodisk_trainer *t, void *rows, char why[DEVICE_TEXT]);
  void (*destroy)(void *own);
} embed_device;

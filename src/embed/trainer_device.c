/* trainer_device.c - the back-end of a trainer whose epochs run on a device: the graph is taken there once, points stay there
 * between epochs and come back when somebody asks for them. What is computed there is in src/cuda. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "trainer.h"
#include "trainer_device.h"

typedef struct device_own {
  const embed_device *device;
  void *handle;
  bool there; /* the device has the points */
  bool newer; /* and newer ones than t->rows */
  device_end end;
} device_own;

static geodisk_status told(const geodisk_trainer *t, geodisk_status st, const char *why) {
  return st == GEODISK_OK ? st : geodisk_fail(t->context, st, "%s", why);
}

static geodisk_status device_fetch(const geodisk_trainer *t) {
  device_own *own = t->own;
  char why[DEVICE_TEXT] = "";
  if (!own->newer)
    return GEODISK_OK;
  const geodisk_status st = own->device->get_rows(own->handle, t, why);
  own->newer = st != GEODISK_OK;
  return told(t, st, why);
}

static geodisk_status device_epoch(geodisk_trainer *t, const epoch_plan *plan, tally *sum) {
  device_own *own = t->own;
  char why[DEVICE_TEXT] = "";
  geodisk_status st = own->there ? GEODISK_OK : own->device->put_rows(own->handle, t, why);
  own->there = st == GEODISK_OK;
  if (st == GEODISK_OK) {
    own->newer = true;
    st = own->device->epoch(own->handle, t, plan, &own->end, why);
  }
  if (st == GEODISK_OK)
    *sum = own->end.sum;
  return told(t, st, why);
}

static bool device_radius(geodisk_trainer *t, double *mean) {
  const device_own *own = t->own;
  *mean = own->end.radii == UINT64_MAX ? (double)NAN : (double)own->end.radii / RADIUS_SCALE / (double)t->nodes;
  return true;
}

static double device_sample_loss(geodisk_trainer *t) { return ((const device_own *)t->own)->end.sample_loss; }

static geodisk_status device_set_aside(geodisk_trainer *t) {
  device_own *own = t->own;
  char why[DEVICE_TEXT] = "";
  if (!own->there) /* no epoch has been trained here */
    return GEODISK_ERROR_UNSUPPORTED;
  return own->device->set_aside(own->handle, t, why);
}

static geodisk_status device_read_aside(const geodisk_trainer *t, void *rows, char *why) {
  const device_own *own = t->own;
  return own->device->read_aside(own->handle, t, rows, why);
}

static void device_destroy(geodisk_trainer *t) {
  device_own *own = t->own;
  if (own && own->handle)
    own->device->destroy(own->handle);
  free(own);
  t->own = NULL;
  embed_sample_destroy(t->sample);
}

static const embed_backend device_backend = {.epoch = device_epoch,
                                             .radius = device_radius,
                                             .sample_loss = device_sample_loss,
                                             .core_epoch = embed_core_epoch,
                                             .name = embed_name,
                                             .save = embed_save,
                                             .fetch = device_fetch,
                                             .set_aside = device_set_aside,
                                             .read_aside = device_read_aside,
                                             .destroy = device_destroy};

/* A device does a batch at a time and waits for the last of it: it wants many units in each. */
enum { LEAST_UNITS = 1024, LEAST_EDGES = 20000 };

static bool pays(const geodisk_trainer *t) {
  const epoch_plan plan = embed_plan(t);
  return t->edges >= LEAST_EDGES && plan.units / plan.batches >= LEAST_UNITS;
}

/* AUTO stays with the processor, and can say why. */
static geodisk_status stay(geodisk_trainer *t, const char *why) {
  snprintf(t->reason, sizeof t->reason, "%s", why);
  return GEODISK_OK;
}

geodisk_status embed_device_attach(geodisk_trainer *t) {
  const device_table *table = NULL;
  const bool automatic = t->options.device == GEODISK_DEVICE_AUTO;
  t->device = GEODISK_DEVICE_CPU;
  if (t->options.device == GEODISK_DEVICE_CPU)
    return GEODISK_OK;
  if (automatic && !pays(t)) /* told before a device is looked for, which takes longer than a small graph */
    return stay(t, "for this graph and these options a device would be no faster");
  geodisk_status st = geodisk_device_open(t->context, &table);
  if (st == GEODISK_OK && (table->train->trainer_bytes != sizeof *t || table->train->plan_bytes != sizeof(epoch_plan)))
    st = geodisk_fail(t->context, GEODISK_ERROR_UNSUPPORTED, "libgeodisk-cuda was built from other sources than this library");
  if (st != GEODISK_OK)
    return automatic ? stay(t, geodisk_context_error(t->context)) : st;
  char why[DEVICE_TEXT] = "";
  device_own *own = geodisk_allocate_zero(1, sizeof *own);
  if (!own)
    return geodisk_no_memory(t->context, "to go on");
  own->device = table->train;
  st = own->device->create(t, &own->handle, why);
  if (st != GEODISK_OK) {
    free(own);
    return automatic ? stay(t, why) : told(t, st, why);
  }
  t->own = own;
  t->backend = &device_backend;
  t->device = GEODISK_DEVICE_CUDA;
  return GEODISK_OK;
}

geodisk_device geodisk_trainer_device(const geodisk_trainer *t) { return t->device; }

const char *geodisk_trainer_device_reason(const geodisk_trainer *t) { return t->reason; }

void geodisk_trainer_tell_device(const geodisk_trainer *t) {
  char name[DEVICE_TEXT] = "";
  if (t->options.device == GEODISK_DEVICE_CPU)
    return;
  if (t->device == GEODISK_DEVICE_CUDA && geodisk_device_name(t->context, name, sizeof name))
    geodisk_log_event(t->context, GEODISK_LOG_INFO, "training on %s", name);
  else
    geodisk_log_event(t->context, GEODISK_LOG_INFO, "training on the processor: %s", t->reason);
}

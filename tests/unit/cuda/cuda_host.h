/* cuda_host.h - a device that is the host: what src/cuda runs on a device, compiled by the C compiler for groups of one thread
 * (src/cuda/group.h). So a machine without a device can hold all but its hardware to the plain loop. */
#ifndef GEODISK_CUDA_HOST_H
#define GEODISK_CUDA_HOST_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/draw_block.h"
#include "cuda/rank_job.h"
#include "embed/trainer_device.h"

#define TRAIN_SINGLE 1
#include "kernel/train_constants.h"
#define NAME(x) host_float_##x
#include "cuda/unit_real.h"
#undef NAME
#undef TRAIN_SINGLE
#define TRAIN_SINGLE 0
#include "kernel/train_constants.h"
#define NAME(x) host_double_##x
#include "cuda/unit_real.h"
#undef NAME

typedef struct host_trainer {
  device_job job;
  char *rows;
  uint32_t targets, mark;
} host_trainer;

static inline void host_destroy(void *own) {
  host_trainer *h = own;
  free(h->rows);
  free(h->job.sums);
  free(h->job.marked);
  free(h->job.list);
  free(h);
}

static inline geodisk_status host_create(const geodisk_trainer *t, void **out, char why[DEVICE_TEXT]) {
  host_trainer *h = calloc(1, sizeof *h);
  (void)why;
  fill_job(t, &h->job);
  h->targets = most_targets(t);
  h->rows = malloc(t->nodes * row_bytes(t));
  h->job.rows = h->rows;
  h->job.sums = calloc(t->nodes * ((size_t)t->options.dim + 1), sizeof *h->job.sums);
  h->job.marked = calloc(t->nodes, sizeof *h->job.marked);
  h->job.list = malloc(t->nodes * sizeof *h->job.list);
  *out = h;
  return GEODISK_OK;
}

static inline geodisk_status host_put_rows(void *own, const geodisk_trainer *t, char why[DEVICE_TEXT]) {
  (void)why;
  memcpy(((host_trainer *)own)->rows, t->rows, t->nodes * row_bytes(t));
  return GEODISK_OK;
}

static inline geodisk_status host_get_rows(void *own, const geodisk_trainer *t, char why[DEVICE_TEXT]) {
  (void)why;
  memcpy(t->rows, ((host_trainer *)own)->rows, t->nodes * row_bytes(t));
  return GEODISK_OK;
}

/* The kernels, one after the other. */
static inline void host_pull_blocks(const device_job *j, uint64_t batch, block_shared *s) {
  const group g = {.thread = 0, .threads = 1, .lane = 0, .warp = 0, .warps = 1};
  if (j->tally->bad_pulls < batch || j->tally->bad_moves < batch)
    return;
  for (uint64_t i = 0; i < embed_batch_blocks(&j->plan); i++) {
    const uint64_t block = block_of(j, batch, i);
    if (block != UINT64_MAX)
      (j->single ? host_float_block : host_double_block)(j, &g, batch, block, s, j->room);
  }
}

static inline void host_move_rows(const device_job *j, uint64_t batch) {
  if (j->tally->bad_pulls <= batch || j->tally->bad_moves < batch)
    return;
  for (uint32_t i = 0; i < j->listed[batch]; i++)
    (j->single ? host_float_step : host_double_step)(j, j->list[i], batch);
}

static inline void host_measure(const device_job *j, device_end *out) {
  const group g = {.thread = 0, .threads = 1, .lane = 0, .warp = 0, .warps = 1};
  for (uint64_t i = 0; i < j->nodes && out->radii != UINT64_MAX; i++) {
    const uint64_t radius = (j->single ? host_float_radius : host_double_radius)(j, i);
    out->radii = radius == UINT64_MAX ? radius : out->radii + radius;
  }
  for (uint64_t i = 0; i < j->sampled; i++)
    out->sample_loss += (j->single ? host_float_sample_loss : host_double_sample_loss)(j, &g, i);
  out->sample_loss /= j->sampled ? (double)j->sampled : 1.0;
}

static inline geodisk_status host_epoch(void *own, const geodisk_trainer *t, const epoch_plan *plan, device_end *out,
                                        char why[DEVICE_TEXT]) {
  host_trainer *h = own;
  device_job *j = &h->job;
  (void)why;
  j->plan = *plan;
  j->comb = t->comb;
  size_blocks(j, h->targets, 512);
  device_tally noted = {
      .bad_pulls = UINT64_MAX, .bad_moves = UINT64_MAX, .bad_source = UINT32_MAX, .bad_row = UINT32_MAX, .unbounded = 0};
  j->tally = &noted;
  j->room = malloc(j->room_bytes);
  j->listed = calloc(plan->batches, sizeof *j->listed);
  block_shared *s = malloc(shared_bytes(&j->shared, number_bytes(t)));
  memset(out, 0, sizeof *out);
  for (uint64_t batch = 0; batch < plan->batches; batch++) {
    j->mark = ++h->mark;
    host_pull_blocks(j, batch, s);
    host_move_rows(j, batch);
  }
  host_measure(j, out);
  device_sum(&noted, &out->sum);
  free(s);
  free(j->room);
  free(j->listed);
  return GEODISK_OK;
}

static inline geodisk_status host_look(device_facts *out, char why[DEVICE_TEXT]) {
  (void)why;
  *out = (device_facts){.name = "the host"};
  return GEODISK_OK;
}

static const embed_device host_train = {sizeof(geodisk_trainer), sizeof(epoch_plan), host_create, host_put_rows,
                                        host_get_rows,           host_epoch,         host_destroy};

/* ---- rankings ---- */

#define rank_real double
#define RANK_FMA  fma
#define NAME(x)   host_double_##x
#include "cuda/rank_real.h"
#undef rank_real
#undef RANK_FMA
#undef NAME
#define rank_real float
#define RANK_FMA  fmaf
#define NAME(x)   host_float_##x
#include "cuda/rank_real.h"
#undef rank_real
#undef RANK_FMA
#undef NAME

static inline geodisk_status host_open(const rank_points *p, const rank_sources *s, void **out, char why[DEVICE_TEXT]) {
  device_ranking *r = calloc(1, sizeof *r);
  (void)why;
  *r = (device_ranking){.nodes = p->nodes,
                        .dim = p->dim,
                        .sources = s->count,
                        .tiles = p->tiles,
                        .weights = p->weights,
                        .near_square = p->near_square,
                        .node = s->node,
                        .start = s->start,
                        .offsets = s->offsets,
                        .known_offsets = s->known_offsets,
                        .targets = s->targets,
                        .known = s->known,
                        .single = p->single,
                        .itself = s->itself,
                        .close = calloc(s->count, sizeof *r->close)};
  *out = r;
  return GEODISK_OK;
}

static inline void host_get_close(const device_ranking *r, uint8_t *close) {
  for (uint64_t i = 0; i < r->sources; i++)
    close[i] = r->close[i] != 0;
}

static inline geodisk_status host_measure_positives(void *own, void *nearness, uint8_t *close, char why[DEVICE_TEXT]) {
  const group g = {.thread = 0, .threads = 1, .lane = 0, .warp = 0, .warps = 1};
  device_ranking *r = own;
  (void)why;
  r->nearness = nearness;
  for (uint64_t i = 0; i < r->sources; i++)
    (r->single ? host_float_measure_source : host_double_measure_source)(r, &g, i);
  host_get_close(r, close);
  return GEODISK_OK;
}

static inline void host_scan_pair(const device_ranking *r, uint64_t i, uint32_t v) {
  const uint32_t u = r->node[i];
  const uint64_t last = 2 * r->start[i] + r->used[i] - 1;
  if (r->single) {
    const float square = host_float_square(r, u, v), q = square * ((const float *)r->weights)[v];
    if (q < ((const float *)r->thresholds)[last])
      host_float_count_pair(r, i, v, q);
  } else {
    const double square = host_double_square(r, u, v), q = square * ((const double *)r->weights)[v];
    if (host_double_is_close(r, u, v, square))
      r->close[i] = 1;
    if (q < ((const double *)r->thresholds)[last])
      host_double_count_pair(r, i, v, q);
  }
}

static inline geodisk_status host_scan(void *own, const void *thresholds, const size_t *used, uint32_t *hist, uint8_t *close,
                                       char why[DEVICE_TEXT]) {
  device_ranking *r = own;
  (void)why;
  r->thresholds = (void *)(uintptr_t)thresholds;
  r->used = used;
  r->hist = hist;
  memset(hist, 0, 2 * r->start[r->sources] * sizeof *hist);
  for (uint64_t i = 0; i < r->sources; i++)
    for (uint32_t v = 0; v < r->nodes; v++)
      host_scan_pair(r, i, v);
  host_get_close(r, close);
  return GEODISK_OK;
}

static inline void host_close(void *own) {
  free(((device_ranking *)own)->close);
  free(own);
}

static const rank_device host_rank = {host_open, host_measure_positives, host_scan, host_close};

static const device_table host_device = {.layout = DEVICE_LAYOUT, .look = host_look, .train = &host_train, .rank = &host_rank};

#endif

/* cuda_host.h - a device that is the host: what src/cuda runs on a device, compiled by the C compiler for groups of one thread
 * (src/cuda/group.h). So a machine without a device can hold all but its hardware to the plain loop. */
#ifndef GEODISK_CUDA_HOST_H
#define GEODISK_CUDA_HOST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/draw_block.h"
#include "cuda/near_job.h"
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
  char *rows, *aside;
  uint32_t targets, mark;
} host_trainer;

static inline void host_destroy(void *own) {
  host_trainer *h = own;
  free(h->rows);
  free(h->aside);
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

static inline geodisk_status host_set_aside(void *own, const geodisk_trainer *t, char why[DEVICE_TEXT]) {
  host_trainer *h = own;
  (void)why;
  free(h->aside);
  h->aside = malloc(t->nodes * row_bytes(t));
  memcpy(h->aside, h->rows, t->nodes * row_bytes(t));
  return GEODISK_OK;
}

static inline geodisk_status host_read_aside(void *own, const geodisk_trainer *t, void *rows, char why[DEVICE_TEXT]) {
  (void)why;
  memcpy(rows, ((host_trainer *)own)->aside, t->nodes * row_bytes(t));
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

static const embed_device host_train = {sizeof(geodisk_trainer), sizeof(epoch_plan), host_create,
                                        host_put_rows,           host_get_rows,      host_epoch,
                                        host_set_aside,          host_read_aside,    host_destroy};

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

#define HOST_EITHER(r, name, ...) ((r)->single ? host_float_##name((r), __VA_ARGS__) : host_double_##name((r), __VA_ARGS__))

/* The kernels, one after the other. */
static inline void host_run_ranking(const device_ranking *r) {
  const group g = {.thread = 0, .threads = 1, .lane = 0, .warp = 0, .warps = 1};
  const pair_screen *s = &r->screen;
  for (uint64_t i = 0; i < r->sources; i++) {
    HOST_EITHER(r, measure_source, &g, i);
    HOST_EITHER(r, sort_source, &g, i);
    HOST_EITHER(r, prepare_source, i);
  }
  for (uint64_t j = 0; j < r->nodes; j++)
    HOST_EITHER(r, prepare_point, j);
  for (uint64_t i = 0; i < r->sources; i++)
    for (uint32_t j = 0; j < r->nodes; j++)
      if (!is_beyond(screen_sum(s, i, j), s->rows[(i + 1) * s->width - 1], s->reach[j], s->margin))
        HOST_EITHER(r, count_pair, i, j);
  for (uint64_t i = 0; i < r->sources; i++)
    for (uint64_t part = 0; part < r->parts; part++)
      HOST_EITHER(r, sum_some, i, part);
  for (uint64_t i = 0; i < r->sources; i++)
    HOST_EITHER(r, score_source, i);
}

static inline geodisk_status host_rank_all(const rank_points *p, const rank_sources *s, rank_record *out, uint8_t *close,
                                           char why[DEVICE_TEXT]) {
  const uint32_t dim = screen_dim(p->dim);
  uint64_t *start = calloc(s->count + 1, sizeof *start);
  (void)why;
  for (size_t i = 0; i < s->count; i++)
    start[i + 1] = start[i] + s->offsets[s->node[i] + 1] - s->offsets[s->node[i]];
  const uint64_t pairs = start[s->count];
  device_ranking r = {.nodes = p->nodes,
                      .dim = p->dim,
                      .sources = s->count,
                      .tiles = p->tiles,
                      .weights = p->weights,
                      .near_square = p->near_square,
                      .node = s->node,
                      .start = start,
                      .offsets = s->offsets,
                      .known_offsets = s->known_offsets,
                      .targets = s->targets,
                      .known = s->known,
                      .single = p->single,
                      .gensim = s->gensim,
                      .nearness = malloc(2 * pairs * sizeof(double)),
                      .thresholds = malloc(2 * pairs * sizeof(double)),
                      .used = malloc(s->count * sizeof *r.used),
                      .hist = calloc(2 * pairs, sizeof *r.hist),
                      .close = close,
                      .out = out,
                      .scale = s->scale,
                      .kind = s->kind,
                      .unit = s->unit};
  cut_sums(&r);
  r.part = calloc(r.parts * s->count + 1, sizeof *r.part);
  r.screen = (pair_screen){.points = p->nodes,
                           .sources = s->count,
                           .dim = dim,
                           .width = screen_width(dim),
                           .columns = malloc(dim * p->nodes * sizeof(float)),
                           .reach = malloc(p->nodes * sizeof(float)),
                           .stride = p->nodes,
                           .rows = malloc(s->count * screen_width(dim) * sizeof(float)),
                           .margin = screen_margin(p->dim, 1.0, sqrt(2.0 * p->near_square))};
  host_run_ranking(&r);
  void *const parts[] = {start,  r.nearness,       r.thresholds,   r.used,       r.hist,
                         r.part, r.screen.columns, r.screen.reach, r.screen.rows};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    free(parts[i]);
  return GEODISK_OK;
}

static const rank_device host_rank = {host_rank_all};

/* ---- searches ---- */

static inline void host_near_close(void *own) {
  near_job *j = own;
  void *const parts[] = {(void *)(uintptr_t)j->points,
                         (void *)(uintptr_t)j->gap,
                         (void *)(uintptr_t)j->weights,
                         j->rows,
                         j->screen.columns,
                         j->screen.reach};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    free(parts[i]);
  free(j);
}

static inline void *host_copy(const void *from, size_t size) {
  void *to = malloc(size);
  memcpy(to, from, size);
  return to;
}

static inline geodisk_status host_near_open(const near_points *p, void **out, char why[DEVICE_TEXT]) {
  near_job *j = calloc(1, sizeof *j);
  const uint32_t dim = screen_dim(p->dim), width = screen_width(dim);
  (void)why;
  j->nodes = p->nodes;
  j->dim = p->dim;
  near_set_ball(j, p);
  j->points = host_copy(p->x, p->nodes * p->dim * sizeof *p->x);
  j->gap = host_copy(p->gap, p->nodes * sizeof *p->gap);
  j->weights = host_copy(p->weights, p->nodes * sizeof *p->weights);
  for (size_t i = 0; i < p->nodes; i++)
    j->heaviest = fmax(j->heaviest, p->weights[i]);
  j->rows = malloc(p->nodes * width * sizeof *j->rows);
  j->screen = (pair_screen){.points = p->nodes,
                            .dim = dim,
                            .width = width,
                            .columns = malloc(dim * p->nodes * sizeof(float)),
                            .reach = malloc(p->nodes * sizeof(float)),
                            .stride = p->nodes};
  for (size_t i = 0; i < p->nodes; i++)
    near_prepare_point(j, i);
  *out = j;
  return GEODISK_OK;
}

/* The kernels, one after the other. */
static inline void host_run_search(const near_job *j) {
  const group g = {.thread = 0, .threads = 1, .lane = 0, .warp = 0, .warps = 1};
  const pair_screen *s = &j->screen;
  for (uint64_t q = 0; q < s->sources; q++) {
    near_prepare_question(j, q);
    for (uint32_t b = 0; b < NEAR_BUCKETS; b++)
      near_bucket(j, q, b);
    near_bound(j, &g, q);
    for (uint32_t p = 0; p < j->nodes; p++)
      if (!is_beyond(screen_sum(s, q, p), s->rows[(q + 1) * s->width - 1], s->reach[p], s->margin))
        near_collect(j, q, p);
    near_settle(j, &g, q);
  }
}

static size_t host_unanswered; /* questions that were left to the processor */

static inline geodisk_status host_near_ask(const void *own, const near_questions *q, near_answer *out, uint32_t *found,
                                           char why[DEVICE_TEXT]) {
  near_job j = *(const near_job *)own;
  double most = 0;
  (void)why;
  for (size_t i = 0; i < j.nodes * j.dim; i++)
    most = fmax(most, fabs(j.points[i]));
  for (size_t i = 0; i < q->count * j.dim; i++)
    most = fmax(most, fabs(q->x[i]));
  j.k = q->k;
  j.x = q->x;
  j.x_gap = q->gap;
  j.slack = q->slack;
  j.self = q->self;
  j.relative = q->relative;
  j.out = out;
  j.found = found;
  j.key = malloc(NEAR_BUCKETS * q->count * sizeof *j.key);
  j.nearest = malloc(NEAR_BUCKETS * q->count * sizeof *j.nearest);
  j.limit = malloc(q->count * sizeof *j.limit);
  j.count = calloc(q->count, sizeof *j.count);
  j.who = malloc(q->count * NEAR_COLLECTED * sizeof *j.who);
  j.product = malloc(q->count * NEAR_COLLECTED * sizeof *j.product);
  j.screen.sources = q->count;
  j.screen.rows = malloc(q->count * j.screen.width * sizeof(float));
  j.screen.margin = screen_margin(j.dim, most, 0.0);
  host_run_search(&j);
  for (size_t i = 0; i < q->count; i++)
    host_unanswered += found[i] == 0;
  void *const parts[] = {j.key, j.nearest, j.limit, j.count, j.who, j.product, j.screen.rows};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    free(parts[i]);
  return GEODISK_OK;
}

static const near_device host_near = {host_near_open, host_near_ask, host_near_close};

static const device_table host_device = {
    .layout = DEVICE_LAYOUT, .look = host_look, .train = &host_train, .rank = &host_rank, .near = &host_near};

/* What a test runs on: the host, or with GEODISK_TEST_DEVICE in the environment the real device, if there is one; else it is to
 * be skipped (exit code 77), for the reason that is printed. */
static inline bool choose_device(void) {
  char name[DEVICE_TEXT];
  geodisk_context *context = NULL;
  if (!getenv("GEODISK_TEST_DEVICE")) {
    geodisk_device_replace(&host_device);
    return true;
  }
  geodisk_device_replace(NULL);
  if (geodisk_context_create(1, &context) != GEODISK_OK)
    return false;
  const bool there = geodisk_device_name(context, name, sizeof name);
  if (!there)
    printf("skipped: %s\n", geodisk_context_error(context));
  geodisk_context_destroy(context);
  return there;
}

#endif

/* trainer.c - the trainer as an object: creation, epochs, history, and the model over its rows. */
#define _DEFAULT_SOURCE 1 /* for madvise */
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/grow.h"
#include "base/squares.h"
#include "placement/placement.h"
#include "trainer.h"

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- creation ---- */

/* Rows are read in no order: with pages of 2 MB the processor finds them all without walking page tables. */
void *embed_allocate_rows(size_t size) {
  const size_t huge = (size_t)1 << 21;
  if (size < 2 * huge)
    return aligned_alloc(64, (size + 63) / 64 * 64);
  void *rows = aligned_alloc(huge, (size + huge - 1) / huge * huge);
#ifdef MADV_HUGEPAGE
  if (rows)
    (void)madvise(rows, (size + huge - 1) / huge * huge, MADV_HUGEPAGE); /* a hint; without it all is only slower */
#endif
  return rows;
}

geodisk_status embed_start(geodisk_context *context, const geodisk_train_options *options, size_t nodes, size_t edges,
                           double mean_weight, geodisk_trainer *t) {
  t->context = context;
  t->options = *options;
  t->nodes = nodes;
  t->edges = edges;
  t->mean_weight = mean_weight;
  t->kernel = geodisk_train_table(geodisk_instruction_set(context));
  t->stride = embed_stride(options);
  if (nodes < 2)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the graph has %zu node%s; an embedding needs at least two", nodes,
                        nodes == 1 ? "" : "s");
  if (edges == 0)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "the graph has no edges (self-loops do not count): there is nothing to learn");
  if (!(mean_weight > 0.0))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "all edges have weight 0: there is nothing to learn");
  if (!isfinite(mean_weight))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the weights are too large: their sum is not finite");
  return GEODISK_OK;
}

double embed_heaviest_unit(const geodisk_trainer *t, const geodisk_graph_rows *rows, size_t nodes) {
  const bool edges = t->options.units == GEODISK_UNITS_EDGE;
  double most = 0.0;
  for (size_t u = 0; u < nodes; u++) {
    const uint64_t first = rows->offsets[u], end = rows->offsets[u + 1];
    if (!rows->weights) { /* as many as there are */
      const uint64_t count = edges || end - first < TRAIN_MOST_TARGETS ? end - first : TRAIN_MOST_TARGETS;
      most = fmax(most, edges && count > 0 ? 1.0 : (double)count);
      continue;
    }
    for (uint64_t at = first; at < end; at += edges ? 1 : TRAIN_MOST_TARGETS) {
      double sum = 0.0;
      for (uint64_t e = at; e < end && e < at + (edges ? 1 : TRAIN_MOST_TARGETS); e++)
        sum += rows->weights[e] / t->mean_weight;
      most = sum > most ? sum : most;
    }
  }
  return most;
}

/* Below this scale of sums ordinary pulls would be rounded away. */
#define LEAST_SCALE 0x1p12

geodisk_status embed_check_weights(const geodisk_trainer *t) {
  const epoch_plan plan = embed_plan(t);
  if (plan.rule.scale >= LEAST_SCALE)
    return GEODISK_OK;
  return geodisk_fail(t->context, GEODISK_ERROR_ARGUMENT,
                      "the weights are too uneven%s: the targets of one node weigh %g times the mean edge",
                      is_single(&t->options) ? " for float (double takes more)" : "", t->most_weight);
}

/* Everything but the placement of the points. */
static geodisk_status create_frame(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options,
                                   geodisk_trainer *t) {
  t->backend = &embed_on_threads;
  t->graph = graph;
  t->out = geodisk_graph_out(graph);
  t->in = geodisk_graph_in(graph);
  const size_t nodes = geodisk_graph_nodes(graph), edges = geodisk_graph_edges(graph);
  const double mean_weight =
      t->out.weights && edges > 0 ? embed_weights_of(t->out.offsets, t->out.weights, nodes) / (double)edges : 1.0;
  geodisk_status st = embed_start(context, options, nodes, edges, mean_weight, t);
  graph_facts facts;
  if (st != GEODISK_OK || (st = embed_graph_facts(t, &facts)) != GEODISK_OK)
    return st;
  embed_resolve(&facts, &t->options);
  /* 64 bytes more, since the kernels load whole vectors; rows begin on a cache line */
  if (t->nodes > SIZE_MAX / 4 / row_bytes(t))
    return geodisk_fail(context, GEODISK_ERROR_MEMORY, "too many nodes");
  const size_t size = (t->nodes * row_bytes(t) + 127) / 64 * 64 + 64;
  t->rows = embed_allocate_rows(size);
  t->order = geodisk_allocate(t->nodes, sizeof *t->order);
  if (!t->rows || !t->order)
    return geodisk_no_memory(context, "for %zu points", t->nodes);
  memset(t->rows, 0, size);
  t->most_weight = embed_heaviest_unit(t, &t->out, t->nodes);
  return GEODISK_OK;
}

/* Where each node stands in the order: what edge units draw nearby negatives from. */
static geodisk_status create_places(geodisk_trainer *t) {
  if (t->options.units != GEODISK_UNITS_EDGE || t->options.sampling != GEODISK_SAMPLING_NEARBY)
    return GEODISK_OK;
  t->place = geodisk_allocate(t->nodes, sizeof *t->place);
  for (size_t i = 0; i < t->nodes && t->place; i++)
    t->place[embed_node_at(t, i)] = (uint32_t)i;
  return t->place ? GEODISK_OK : geodisk_no_memory(t->context, "for %zu nodes", t->nodes);
}

/* Made after the points have been placed, which takes memory of its own. */
geodisk_status embed_create_units(geodisk_trainer *t) {
  geodisk_status st = embed_units_create(t);
  if (st == GEODISK_OK)
    st = create_places(t);
  if (st == GEODISK_OK && (t->options.sampling == GEODISK_SAMPLING_DEGREE || t->options.burn_in > 0))
    st = embed_alias_create(t);
  if (st == GEODISK_OK && t->options.inner > 0.0)
    st = embed_inner_create(t);
  if (st == GEODISK_OK && !t->is_core)
    st = embed_sample_create(t);
  if (st == GEODISK_OK)
    st = embed_check_weights(t);
  return st == GEODISK_OK ? embed_device_attach(t) : st;
}

static geodisk_status create(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options,
                             bool is_core, geodisk_trainer **out) {
  geodisk_trainer *t = geodisk_allocate_zero(1, sizeof *t);
  if (!t)
    return geodisk_no_memory(context, "to go on");
  t->is_core = is_core;
  fenv_t theirs; /* points are placed by rounding to nearest, whatever the caller has set */
  fegetenv(&theirs);
  fesetenv(FE_DFL_ENV);
  geodisk_status st = create_frame(context, graph, options, t);
  if (st == GEODISK_OK)
    st = embed_place(t);
  if (st == GEODISK_OK)
    st = embed_create_units(t);
  fesetenv(&theirs);
  if (st != GEODISK_OK)
    geodisk_trainer_destroy(t);
  else
    *out = t;
  return st;
}

geodisk_status embed_create_core(const geodisk_trainer *whole, const geodisk_graph *graph, geodisk_trainer **out) {
  geodisk_train_options options = embed_core_options(&whole->options);
  options.device = whole->device; /* as was decided for the whole */
  return create(whole->context, graph, &options, true, out);
}

geodisk_status geodisk_trainer_create(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options,
                                      geodisk_trainer **out) {
  const geodisk_train_options defaults = geodisk_train_defaults();
  if (!options)
    options = &defaults;
  const geodisk_status st = embed_check_options(context, options);
  return st == GEODISK_OK ? create(context, graph, options, false, out) : st;
}

void geodisk_trainer_destroy(geodisk_trainer *t) {
  if (!t)
    return;
  (void)geodisk_trainer_wait(t);
  if (t->backend)
    t->backend->destroy(t);
  embed_core_destroy(t->core);
  geodisk_free_all(t->aliases.other, t->aliases.threshold, t->alias_blocks.other, t->alias_blocks.threshold, t->rows, t->order,
                   t->place, t->extra, t->guide, t->inner, t->comb, t->history, t->note, t);
}

/* ---- epochs ---- */

void embed_add_tally(tally *sum, const tally *part) {
  sum->loss += part->loss;
  sum->edges += part->edges;
  sum->skipped += part->skipped;
  sum->pairs += part->pairs;
  sum->clips += part->clips;
  if (part->bad) {
    sum->bad_node = sum->bad && sum->bad_node < part->bad_node ? sum->bad_node : part->bad_node;
    sum->bad = true;
  }
}

enum { RADII_AT_ONCE = 64 };

/* r = 2 artanh|x| = log((1 + |x|)^2 / S); in flat space |x|. As whole numbers, which add up the same in any order. */
uint64_t embed_radii(const geodisk_trainer *t, const void *rows, size_t count) {
  const bool flat = t->options.space == GEODISK_SPACE_EUCLIDEAN;
  uint64_t sum = 0;
  double x[GEODISK_DIM_MOST], gap, radii[RADII_AT_ONCE];
  for (size_t first = 0; first < count; first += RADII_AT_ONCE) {
    const size_t n = count - first < RADII_AT_ONCE ? count - first : RADII_AT_ONCE;
    for (size_t i = 0; i < n; i++) {
      embed_read_row(&t->options, (const char *)rows + (first + i) * row_bytes(t), x, &gap);
      const double square = square_of((size_t)t->options.dim, x);
      if (!(square < 0x1p60) || !(gap > 0.0)) /* NaN too, of which logarithms know nothing */
        return UINT64_MAX;
      const double norm = sqrt(square);
      radii[i] = flat ? norm : (1.0 + norm) * (1.0 + norm) / gap;
    }
    for (size_t i = 0; i < n && !flat; i++) /* apart from the rest, so that several are under way at once */
      radii[i] = portable_log(radii[i]);
    for (size_t i = 0; i < n; i++) {
      if (!(radii[i] < 0x1p30))
        return UINT64_MAX;
      sum += (uint64_t)((radii[i] > 0.0 ? radii[i] : 0.0) * RADIUS_SCALE);
    }
  }
  return sum;
}

enum { ROWS_PER_TASK = 1024 };

typedef struct measuring {
  const geodisk_trainer *t;
  uint64_t *radii; /* one sum per task */
} measuring;

static void measure_rows(void *arg, size_t index) {
  const measuring *m = arg;
  const size_t first = index * ROWS_PER_TASK, left = m->t->nodes - first;
  m->radii[index] = embed_radii(m->t, trainer_row(m->t, first), left < ROWS_PER_TASK ? left : ROWS_PER_TASK);
}

static bool mean_radius(geodisk_trainer *t, double *radius) {
  const size_t tasks = (t->nodes + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
  measuring m = {t, geodisk_allocate(tasks, sizeof *m.radii)};
  if (!m.radii)
    return false;
  geodisk_parallel(t->context, tasks, measure_rows, &m);
  uint64_t sum = 0;
  bool finite = true;
  for (size_t i = 0; i < tasks; i++) {
    finite = finite && m.radii[i] != UINT64_MAX;
    sum += m.radii[i];
  }
  free(m.radii);
  *radius = finite ? (double)sum / RADIUS_SCALE / (double)t->nodes : (double)NAN;
  return true;
}

static bool plain_batch(geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, tally *sum) {
  return t->kernel ? embed_threads_batch(t, plan, batch, sum) : embed_plain_batch(t, plan, batch, sum);
}

const char *embed_name(geodisk_trainer *t, uint32_t node) {
  snprintf(t->number, sizeof t->number, "%" PRIu32, node);
  return t->graph ? geodisk_graph_name(t->graph, node) : t->number;
}

static void plain_destroy(geodisk_trainer *t) {
  embed_threads_destroy(t);
  embed_sample_destroy(t->sample);
}

const embed_backend embed_on_threads = {.batch = plain_batch,
                                        .radius = mean_radius,
                                        .sample_loss = embed_sample_loss,
                                        .core_epoch = embed_core_epoch,
                                        .name = embed_name,
                                        .save = embed_save,
                                        .destroy = plain_destroy};

/* All batches, until one comes to a number that is not finite. */
static geodisk_status run_batches(geodisk_trainer *t, const epoch_plan *plan, tally *sum) {
  geodisk_status st = GEODISK_OK;
  if (!embed_comb(t, plan))
    return geodisk_no_memory(t->context, "for an epoch");
  if (t->backend->epoch)
    st = t->backend->epoch(t, plan, sum);
  for (uint64_t batch = 0; batch < plan->batches && !sum->bad && !t->backend->epoch; batch++) {
    if (!t->backend->batch(t, plan, batch, sum))
      return geodisk_no_memory(t->context, "for an epoch");
    sum->bad_batch = batch;
  }
  if (st == GEODISK_OK && sum->bad)
    st = geodisk_fail(
        t->context, GEODISK_ERROR_NUMERIC, "a number is not finite at node \"%s\", epoch %llu, step %llu (learning rate %g)",
        t->backend->name(t, sum->bad_node), (unsigned long long)t->position, (unsigned long long)sum->bad_batch, plan->rate);
  return st;
}

geodisk_status embed_one_epoch(geodisk_trainer *t, geodisk_train_epoch *out) {
  const double start = seconds_now();
  fenv_t theirs; /* rates and sums round to nearest, whatever the caller has set */
  fegetenv(&theirs);
  fesetenv(FE_DFL_ENV);
  const epoch_plan plan = embed_plan(t);
  tally sum = {0};
  geodisk_status st = run_batches(t, &plan, &sum);
  double radius = 0.0;
  if (st == GEODISK_OK && !t->backend->radius(t, &radius))
    st = geodisk_no_memory(t->context, "for the end of an epoch");
  if (st == GEODISK_OK && !isfinite(radius))
    st = geodisk_fail(t->context, GEODISK_ERROR_NUMERIC,
                      "a number is not finite among the points at the end of epoch %llu (learning rate %g)",
                      (unsigned long long)t->position, plan.rate);
  if (st == GEODISK_OK)
    *out = (geodisk_train_epoch){.epoch = t->position,
                                 .lr = plan.rate,
                                 .loss = sum.edges ? (double)sum.loss / TRAIN_LOSS_SCALE / (double)sum.edges : 0.0,
                                 .sample = t->sample ? t->backend->sample_loss(t) : 0.0,
                                 .edges = sum.edges,
                                 .skipped = sum.skipped,
                                 .clips = sum.clips,
                                 .radius = radius,
                                 .pairs = sum.pairs,
                                 .seconds = seconds_now() - start};
  fesetenv(&theirs);
  return st;
}

/* A history longer than models keep is thinned as they do. */
static void thin_history(geodisk_trainer *t) {
  size_t kept = 0;
  if (t->history_rows < 2 * (size_t)GEODISK_HISTORY_ROWS)
    return;
  for (size_t i = 0; i < t->history_rows; i++)
    if (geodisk_history_keeps(t->history[i].epoch, t->position))
      t->history[kept++] = t->history[i];
  t->history_rows = kept;
}

geodisk_status geodisk_trainer_epoch(geodisk_trainer *t, geodisk_train_epoch *info) {
  if (!array_grow(&t->history, t->history_rows, 1, &t->history_room, sizeof *t->history))
    return geodisk_no_memory(t->context, "for the history");
  geodisk_train_epoch e;
  const geodisk_status st = t->position < t->options.core_epochs ? t->backend->core_epoch(t, &e) : embed_one_epoch(t, &e);
  if (st != GEODISK_OK)
    return st;
  t->history[t->history_rows++] = e;
  t->position++;
  thin_history(t);
  if (info)
    *info = e;
  return GEODISK_OK;
}

/* Steps taken, and all there will be as far as that is known: an epoch of the core has fewer. */
static geodisk_progress progress_of(const geodisk_trainer *t, const char *extra) {
  const uint64_t core_epochs = t->options.core_epochs, core = t->position < core_epochs ? t->position : core_epochs;
  const uint64_t core_edges = core > 0 ? t->history[0].edges + t->history[0].skipped : 0, epochs = geodisk_trainer_epochs(t);
  const uint64_t done = core * core_edges + (t->position - core) * t->edges;
  const uint64_t total = core_epochs * core_edges + (epochs - core_epochs) * t->edges;
  return (geodisk_progress){"training", "edges", done, total, extra};
}

geodisk_status geodisk_trainer_run(geodisk_trainer *t, geodisk_train_fn callback, void *user) {
  while (t->position < geodisk_trainer_epochs(t)) {
    geodisk_train_epoch info;
    geodisk_status st = geodisk_trainer_epoch(t, &info);
    if (st != GEODISK_OK)
      return st;
    char extra[64];
    const char *of = t->position <= t->options.core_epochs ? " of the core" : "";
    snprintf(extra, sizeof extra, "epoch %" PRIu64 "%s, loss %.4f", t->position, of, info.loss);
    const geodisk_progress progress = progress_of(t, extra);
    bool go_on = geodisk_progress_event(t->context, &progress);
    if (callback && !callback(user, t, &info))
      go_on = false;
    if (t->backend->agree)
      go_on = t->backend->agree(t, go_on);
    if (!go_on)
      return geodisk_fail(t->context, GEODISK_ERROR_STOPPED, "stopped after epoch %llu", (unsigned long long)t->position);
  }
  return GEODISK_OK;
}

void geodisk_trainer_points(const geodisk_trainer *t, double *out) {
  const size_t dim = (size_t)t->options.dim;
  double gap;
  const bool here = t->out.offsets && embed_core_gather(t) == GEODISK_OK;
  for (size_t u = 0; u < t->nodes && here; u++)
    embed_get_row(t, (uint32_t)u, out + u * dim, &gap);
  for (size_t i = 0; i < t->nodes * dim && !here; i++)
    out[i] = (double)NAN; /* no process has them all, or a device has lost them */
}

uint64_t geodisk_trainer_position(const geodisk_trainer *t) { return t->position; }
uint64_t geodisk_trainer_epochs(const geodisk_trainer *t) {
  return t->options.core_epochs + t->options.burn_in + t->options.epochs;
}
geodisk_train_options geodisk_trainer_options(const geodisk_trainer *t) { return t->options; }

geodisk_status geodisk_trainer_note(geodisk_trainer *t, const char *text) {
  char *note = geodisk_allocate(strlen(text) + 1, 1);
  if (!note)
    return geodisk_no_memory(t->context, "for a note");
  memcpy(note, text, strlen(text) + 1);
  free(t->note);
  t->note = note;
  return GEODISK_OK;
}

const geodisk_train_epoch *geodisk_trainer_history(const geodisk_trainer *t, size_t *count) {
  *count = t->history_rows;
  return t->history;
}

/* trainer.c - the trainer as an object: creation, epochs, history, and the model over its rows. */
#define _DEFAULT_SOURCE 1 /* for madvise */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "placement.h"
#include "trainer.h"

static const embed_backend plain_backend; /* below */

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
    return aligned_alloc(64, size);
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
  t->gap = train_gap_place((size_t)options->dim, options->precision == GEODISK_PRECISION_FLOAT);
  t->longest =
      (options->negatives > nodes ? nodes : options->negatives) + (options->variant == GEODISK_VARIANT_GROUPED ? 256 : 1);
  t->cooling = NOT_COOLING;
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

/* Everything but the placement of the points. */
static geodisk_status create_frame(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options,
                                   geodisk_trainer *t) {
  t->backend = &plain_backend;
  t->graph = graph;
  t->out = geodisk_graph_out(graph);
  t->in = geodisk_graph_in(graph);
  const size_t nodes = geodisk_graph_nodes(graph), edges = geodisk_graph_edges(graph);
  const double mean_weight =
      t->out.weights && edges > 0 ? embed_weights_of(t->out.offsets, t->out.weights, nodes) / (double)edges : 1.0;
  geodisk_status st = embed_start(context, options, nodes, edges, mean_weight, t);
  if (st != GEODISK_OK)
    return st;
  if (options->async && edges > UINT32_MAX)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "asynchronous training is for graphs with less than 2^32 edges");
  const bool grouped = options->variant == GEODISK_VARIANT_GROUPED;
  /* 64 bytes more, since the kernels load whole vectors; rows begin on a cache line */
  if (t->nodes > SIZE_MAX / 4 / row_bytes(t))
    return geodisk_fail(context, GEODISK_ERROR_MEMORY, "too many nodes");
  size_t size = ((grouped ? 2 : 1) * t->nodes * row_bytes(t) + 127) / 64 * 64 + 64;
  t->rows = embed_allocate_rows(size);
  t->order = geodisk_allocate(t->nodes, sizeof *t->order);
  t->group_sums = grouped ? geodisk_allocate_zero(t->nodes, sizeof *t->group_sums) : NULL;
  t->is_target = grouped ? geodisk_allocate(t->nodes, sizeof *t->is_target) : NULL;
  if (!t->rows || !t->order || (grouped && (!t->group_sums || !t->is_target)))
    return geodisk_fail(context, GEODISK_ERROR_MEMORY, "out of memory for %zu points", t->nodes);
  memset(t->rows, 0, size);
  for (size_t v = 0; grouped && v < t->nodes; v++)
    t->is_target[v] = t->in.offsets[v + 1] > t->in.offsets[v];
  if (options->sampling == GEODISK_SAMPLING_DEGREE || options->burn_in > 0) {
    t->aliases.other = geodisk_allocate(t->nodes, sizeof *t->aliases.other);
    t->aliases.threshold = geodisk_allocate(t->nodes, sizeof *t->aliases.threshold);
    if (!t->aliases.other || !t->aliases.threshold)
      return geodisk_fail(context, GEODISK_ERROR_MEMORY, "out of memory for sampling");
  }
  return options->epochs == GEODISK_AUTO_EPOCHS ? embed_held_out_create(t) : GEODISK_OK;
}

/* What training needs; made after the points have been placed, which takes memory of its own. */
static geodisk_status create_schedule(geodisk_trainer *t) {
  geodisk_status st = embed_strata_create(t);
  if (st == GEODISK_OK && (st = embed_create_workers(t, t->strata.largest)) != GEODISK_OK)
    return geodisk_fail(t->context, st, "out of memory for %d workers", t->worker_count);
  return st;
}

geodisk_status geodisk_trainer_create(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options,
                                      geodisk_trainer **out) {
  geodisk_train_options defaults = geodisk_train_defaults();
  if (!options)
    options = &defaults;
  geodisk_status st = embed_check_options(context, options);
  if (st != GEODISK_OK)
    return st;
  geodisk_trainer *t = geodisk_allocate_zero(1, sizeof *t);
  if (!t)
    return geodisk_fail(context, GEODISK_ERROR_MEMORY, "out of memory");
  if ((st = create_frame(context, graph, options, t)) != GEODISK_OK)
    goto failed;
  if ((st = embed_place(t)) != GEODISK_OK)
    goto failed;
  if ((st = create_schedule(t)) != GEODISK_OK)
    goto failed;
  *out = t;
  return GEODISK_OK;
failed:
  geodisk_trainer_destroy(t);
  return st;
}

void geodisk_trainer_destroy(geodisk_trainer *t) {
  if (!t)
    return;
  if (t->backend)
    t->backend->destroy(t);
  embed_core_destroy(t->core);
  embed_destroy_workers(t);
  free(t->aliases.other);
  free(t->aliases.threshold);
  free(t->rows);
  free(t->order);
  free(t->group_sums);
  free(t->is_target);
  free(t->history);
  free(t);
}

/* ---- epochs ---- */

typedef struct settling {
  geodisk_trainer *t;
  double *radii; /* one sum per task */
} settling;

double embed_settle_block(const geodisk_trainer *t, void *rows, size_t count) {
  const size_t dim = (size_t)t->options.dim;
  const bool single = t->options.precision == GEODISK_PRECISION_FLOAT;
  const train_rule rule = {.dim = dim, .stride = t->stride, .gap = t->gap};
  if (t->options.space != GEODISK_SPACE_EUCLIDEAN)
    return single ? t->kernel->settle_f(&rule, rows, count) : t->kernel->settle_d(&rule, rows, count);
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    double square = 0.0;
    for (size_t k = 0; k < dim; k++) {
      const double x = single ? (double)((const float *)rows)[i * t->stride + k] : ((const double *)rows)[i * t->stride + k];
      square += x * x;
    }
    sum += sqrt(square);
  }
  return sum;
}

static void settle_rows(void *arg, size_t index) {
  const settling *s = arg;
  const size_t first = index * ROWS_PER_TASK, left = s->t->nodes - first;
  s->radii[index] = embed_settle_block(s->t, trainer_row(s->t, first), left < ROWS_PER_TASK ? left : ROWS_PER_TASK);
}

/* Makes gaps and coordinates consistent; *radius is then the mean radius (in flat space the mean norm). False: out of memory. */
static bool settle(geodisk_trainer *t, double *radius) {
  const size_t tasks = (t->nodes + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
  settling s = {t, geodisk_allocate(tasks, sizeof *s.radii)};
  if (!s.radii)
    return false;
  geodisk_parallel(t->context, tasks, settle_rows, &s);
  double sum = 0.0;
  for (size_t i = 0; i < tasks; i++)
    sum += s.radii[i];
  free(s.radii);
  *radius = sum / (double)t->nodes;
  return true;
}

static tally plain_epoch(geodisk_trainer *t, const episode *e) {
  if (t->options.async)
    return embed_async_epoch(t, e);
  if (t->options.variant == GEODISK_VARIANT_GROUPED && e->number >= t->options.core_epochs + t->options.burn_in)
    return embed_grouped_epoch(t, e);
  return embed_strata_epoch(t, e);
}

static const char *plain_name(geodisk_trainer *t, uint32_t row) { return geodisk_graph_name(t->graph, row % (uint32_t)t->nodes); }

static void plain_destroy(geodisk_trainer *t) {
  embed_strata_destroy(t);
  embed_held_out_destroy(t->held_out);
}

static const embed_backend plain_backend = {.epoch = plain_epoch,
                                            .settle = settle,
                                            .held_out_loss = embed_held_out_loss,
                                            .name = plain_name,
                                            .save = embed_save,
                                            .destroy = plain_destroy};

geodisk_status embed_one_epoch(geodisk_trainer *t, geodisk_train_epoch *out) {
  const geodisk_train_options *o = &t->options;
  const uint64_t epoch = t->position - o->core_epochs;
  const bool burning = epoch < o->burn_in;
  const double rate =
      t->cooling == NOT_COOLING ? embed_rate(o, epoch) : embed_cooling_rate(o, t->position - t->cooling, t->last - t->cooling);
  const train_rule rule = {.dim = (size_t)o->dim,
                           .stride = t->stride,
                           .gap = t->gap,
                           .lr = (double)o->sharpness * rate,
                           .squarings = __builtin_ctz((unsigned)o->sharpness),
                           .update = (train_update)o->update,
                           .flat = o->space == GEODISK_SPACE_EUCLIDEAN,
                           .complement = o->loss == GEODISK_NEGATIVES_COMPLEMENT,
                           .margin = o->margin,
                           .sparse = o->sparse};
  double start = seconds_now();
  geodisk_sampling sampling = burning ? GEODISK_SAMPLING_DEGREE : o->sampling;
  const episode now = {&rule, t->position, sampling};
  const tally sum = t->backend->epoch(t, &now);
  if (sum.bad && sum.bad_child == NO_NODE)
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory in an epoch");
  if (sum.bad)
    return geodisk_fail(t->context, GEODISK_ERROR_NUMERIC,
                        "a number is not finite at node \"%s\", edge \"%s\" -> \"%s\", epoch %llu, step %llu (learning rate %g)",
                        t->backend->name(t, sum.bad_child), t->backend->name(t, sum.bad_child),
                        t->backend->name(t, sum.bad_parent), (unsigned long long)t->position, (unsigned long long)sum.edges,
                        rate);
  double radius;
  if (!t->backend->settle(t, &radius))
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory at the end of an epoch");
  if (!isfinite(radius))
    return geodisk_fail(t->context, GEODISK_ERROR_NUMERIC,
                        "a number is not finite among the points at the end of epoch %llu (learning rate %g)",
                        (unsigned long long)t->position, rate);
  *out = (geodisk_train_epoch){.epoch = t->position,
                               .lr = rate,
                               .loss = sum.edges ? sum.loss / (double)sum.edges : 0.0,
                               .held_out = o->epochs == GEODISK_AUTO_EPOCHS ? t->backend->held_out_loss(t) : 0.0,
                               .edges = sum.edges,
                               .skipped = sum.skipped,
                               .clips = sum.clips,
                               .radius = radius,
                               .seconds = seconds_now() - start};
  return GEODISK_OK;
}

geodisk_status geodisk_trainer_epoch(geodisk_trainer *t, geodisk_train_epoch *info) {
  const geodisk_train_options *o = &t->options;
  if (t->position + 1 > t->history_room) {
    size_t room = t->history_room ? 2 * t->history_room : 64;
    geodisk_train_epoch *history = geodisk_reallocate(t->history, room, sizeof *history);
    if (!history)
      return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory for the history");
    t->history = history;
    t->history_room = room;
  }
  geodisk_train_epoch *e = &t->history[t->position];
  const geodisk_status st = t->position < o->core_epochs ? embed_core_epoch(t, e) : embed_one_epoch(t, e);
  if (st != GEODISK_OK)
    return st;
  t->position++;
  if (o->epochs == GEODISK_AUTO_EPOCHS)
    embed_follow(t);
  if (info)
    *info = *e;
  return GEODISK_OK;
}

/* Steps taken, and all there will be as far as that is known: an epoch of the core has fewer. */
static geodisk_progress progress_of(const geodisk_trainer *t, const char *extra) {
  const uint64_t core_epochs = t->options.core_epochs, core = t->position < core_epochs ? t->position : core_epochs;
  const uint64_t core_edges = core > 0 ? t->history[0].edges + t->history[0].skipped : 0, epochs = geodisk_trainer_epochs(t);
  const uint64_t done = core * core_edges + (t->position - core) * t->edges;
  const uint64_t total = epochs ? core_epochs * core_edges + (epochs - core_epochs) * t->edges : 0;
  return (geodisk_progress){"training", "edges", done, total, extra};
}

geodisk_status geodisk_trainer_run(geodisk_trainer *t, geodisk_train_fn callback, void *user) {
  for (uint64_t epochs; (epochs = geodisk_trainer_epochs(t)) == 0 || t->position < epochs;) {
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
  embed_core_gather(t);
  for (size_t u = 0; u < t->nodes && t->graph; u++)
    embed_get_row(t, (uint32_t)u, out + u * dim, &gap);
  for (size_t i = 0; i < t->nodes * dim && !t->graph; i++)
    out[i] = (double)NAN; /* no process has them all */
}

uint64_t geodisk_trainer_position(const geodisk_trainer *t) { return t->position; }
uint64_t geodisk_trainer_epochs(const geodisk_trainer *t) {
  return t->options.epochs == GEODISK_AUTO_EPOCHS ? t->last : t->options.core_epochs + t->options.burn_in + t->options.epochs;
}
geodisk_train_options geodisk_trainer_options(const geodisk_trainer *t) { return t->options; }

const geodisk_train_epoch *geodisk_trainer_history(const geodisk_trainer *t, size_t *count) {
  *count = t->position;
  return t->history;
}

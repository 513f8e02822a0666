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

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- creation ---- */

/* Rows are read in no order: with pages of 2 MB the processor finds them all without walking page tables. */
static void *allocate_rows(size_t size) {
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

static geodisk_status create_workers(geodisk_trainer *t) {
  const size_t rows = t->longest + TRAIN_PAD;
  t->worker_count = geodisk_context_threads(t->context);
  t->workers = geodisk_allocate_zero((size_t)t->worker_count, sizeof *t->workers);
  t->busy = geodisk_allocate_zero((size_t)t->worker_count, sizeof *t->busy);
  t->lock = geodisk_allocate_zero(1, sizeof(pthread_mutex_t));
  if (!t->workers || !t->busy || !t->lock)
    return GEODISK_ERROR_MEMORY;
  pthread_mutex_init(t->lock, NULL);
  for (int i = 0; i < t->worker_count; i++) {
    worker *w = &t->workers[i];
    w->stamp = geodisk_allocate_zero(t->strata.largest + 1, sizeof *w->stamp);
    w->index_room = rows;
    w->index = geodisk_allocate(rows, AHEAD * sizeof *w->index);
    w->rest = geodisk_allocate(t->strata.largest, sizeof *w->rest);
    w->randoms = geodisk_allocate(rows, sizeof *w->randoms);
    w->scratch = geodisk_allocate(train_scratch_bytes(t->longest, (size_t)t->options.dim), 1);
    if (!w->stamp || !w->index || !w->rest || !w->randoms || !w->scratch)
      return GEODISK_ERROR_MEMORY;
  }
  return GEODISK_OK;
}

/* Everything but the placement of the points. */
static geodisk_status create_frame(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options,
                                   geodisk_trainer *t) {
  t->context = context;
  t->graph = graph;
  t->options = *options;
  t->out = geodisk_graph_out(graph);
  t->in = geodisk_graph_in(graph);
  t->nodes = geodisk_graph_nodes(graph);
  t->edges = geodisk_graph_edges(graph);
  t->kernel = geodisk_train_table(geodisk_instruction_set(context));
  t->stride = embed_stride(options);
  if (t->nodes < 2)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the graph has %zu node%s; an embedding needs at least two", t->nodes,
                        t->nodes == 1 ? "" : "s");
  if (t->edges == 0)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "the graph has no edges (self-loops do not count): there is nothing to learn");
  t->mean_weight = 1.0;
  if (t->out.weights) {
    t->mean_weight = embed_weights_of(t->out.offsets, t->out.weights, t->nodes) / (double)t->edges;
    if (!(t->mean_weight > 0.0))
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "all edges have weight 0: there is nothing to learn");
    if (!isfinite(t->mean_weight))
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the weights are too large: their sum is not finite");
  }
  const bool grouped = options->variant == GEODISK_VARIANT_GROUPED;
  t->longest = (options->negatives > t->nodes ? t->nodes : options->negatives) + (grouped ? 256 : 1);
  /* 64 bytes more, since the kernels load whole vectors; rows begin on a cache line */
  size_t bytes = row_bytes(t);
  if (t->nodes > SIZE_MAX / 4 / (t->stride * bytes))
    return geodisk_fail(context, GEODISK_ERROR_MEMORY, "too many nodes");
  size_t size = ((grouped ? 2 : 1) * t->nodes * t->stride * bytes + 127) / 64 * 64 + 64;
  t->rows = allocate_rows(size);
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
  t->cooling = NOT_COOLING;
  geodisk_status st = GEODISK_OK;
  if (options->epochs == GEODISK_AUTO_EPOCHS && (st = embed_held_out_create(t)) != GEODISK_OK)
    return st;
  return st;
}

/* What training needs; made after the points have been placed, which takes memory of its own. */
static geodisk_status create_schedule(geodisk_trainer *t) {
  geodisk_status st = embed_strata_create(t);
  if (st == GEODISK_OK && (st = create_workers(t)) != GEODISK_OK)
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
  for (int i = 0; t->workers && i < t->worker_count; i++) {
    free(t->workers[i].stamp);
    free(t->workers[i].index);
    free(t->workers[i].rest);
    free(t->workers[i].randoms);
    free(t->workers[i].scratch);
  }
  if (t->lock)
    pthread_mutex_destroy(t->lock);
  free(t->lock);
  free(t->busy);
  free(t->workers);
  embed_strata_destroy(t);
  embed_held_out_destroy(t->held_out);
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

enum { ROWS_PER_TASK = 1024 };

typedef struct settling {
  geodisk_trainer *t;
  double *radii; /* one sum per task */
} settling;

static void settle_rows(void *arg, size_t index) {
  const settling *s = arg;
  const geodisk_trainer *t = s->t;
  const size_t first = index * ROWS_PER_TASK, left = t->nodes - first, count = left < ROWS_PER_TASK ? left : ROWS_PER_TASK;
  const size_t dim = (size_t)t->options.dim;
  double sum = 0.0;
  if (t->options.space == GEODISK_SPACE_EUCLIDEAN) {
    double x[512], gap;
    for (size_t i = 0; i < count; i++) {
      double square = 0.0;
      embed_get_row(t, (uint32_t)(first + i), x, &gap);
      for (size_t k = 0; k < dim; k++)
        square += x[k] * x[k];
      sum += sqrt(square);
    }
  } else if (t->options.precision == GEODISK_PRECISION_FLOAT) {
    sum = t->kernel->settle_f((float *)t->rows + first * t->stride, count, dim, t->stride);
  } else {
    sum = t->kernel->settle_d((double *)t->rows + first * t->stride, count, dim, t->stride);
  }
  s->radii[index] = sum;
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

geodisk_status geodisk_trainer_epoch(geodisk_trainer *t, geodisk_train_epoch *info) {
  const geodisk_train_options *o = &t->options;
  const bool burning = t->position < o->burn_in;
  const train_rule rule = {.dim = (size_t)o->dim,
                           .stride = t->stride,
                           .lr = t->cooling == NOT_COOLING
                                     ? embed_rate(o, t->position)
                                     : embed_cooling_rate(o, t->position - t->cooling, t->last - t->cooling),
                           .update = (train_update)o->update,
                           .flat = o->space == GEODISK_SPACE_EUCLIDEAN,
                           .complement = o->loss == GEODISK_NEGATIVES_COMPLEMENT,
                           .margin = o->margin,
                           .sparse = o->sparse};
  if (t->position + 1 > t->history_room) {
    size_t room = t->history_room ? 2 * t->history_room : 64;
    geodisk_train_epoch *history = geodisk_reallocate(t->history, room, sizeof *history);
    if (!history)
      return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory for the history");
    t->history = history;
    t->history_room = room;
  }
  double start = seconds_now();
  geodisk_sampling sampling = burning ? GEODISK_SAMPLING_DEGREE : o->sampling;
  tally sum;
  if (o->async)
    sum = embed_async_epoch(t, &rule, t->position, sampling);
  else if (o->variant == GEODISK_VARIANT_GROUPED && !burning)
    sum = embed_grouped_epoch(t, &rule, t->position, sampling);
  else
    sum = embed_strata_epoch(t, &rule, t->position, sampling);
  if (sum.bad && sum.bad_child == NO_NODE)
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory in an epoch");
  if (sum.bad)
    return geodisk_fail(t->context, GEODISK_ERROR_NUMERIC,
                        "a number is not finite at node \"%s\", edge \"%s\" -> \"%s\", epoch %llu, step %llu (learning rate %g)",
                        geodisk_graph_name(t->graph, sum.bad_child), geodisk_graph_name(t->graph, sum.bad_child),
                        geodisk_graph_name(t->graph, sum.bad_parent), (unsigned long long)t->position,
                        (unsigned long long)sum.edges, rule.lr);
  double radius;
  if (!settle(t, &radius))
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory at the end of an epoch");
  if (!isfinite(radius))
    return geodisk_fail(t->context, GEODISK_ERROR_NUMERIC,
                        "a number is not finite among the points at the end of epoch %llu (learning rate %g)",
                        (unsigned long long)t->position, rule.lr);
  geodisk_train_epoch *e = &t->history[t->position];
  *e = (geodisk_train_epoch){.epoch = t->position,
                             .lr = rule.lr,
                             .loss = sum.edges ? sum.loss / (double)sum.edges : 0.0,
                             .held_out = t->held_out ? embed_held_out_loss(t) : 0.0,
                             .edges = sum.edges,
                             .skipped = sum.skipped,
                             .clips = sum.clips,
                             .radius = radius,
                             .seconds = seconds_now() - start};
  t->position++;
  if (t->held_out)
    embed_follow(t);
  if (info)
    *info = *e;
  return GEODISK_OK;
}

geodisk_status geodisk_trainer_run(geodisk_trainer *t, geodisk_train_fn callback, void *user) {
  for (uint64_t epochs; (epochs = geodisk_trainer_epochs(t)) == 0 || t->position < epochs;) {
    geodisk_train_epoch info;
    geodisk_status st = geodisk_trainer_epoch(t, &info);
    if (st != GEODISK_OK)
      return st;
    char extra[64];
    snprintf(extra, sizeof extra, "epoch %" PRIu64 ", loss %.4f", t->position, info.loss);
    const geodisk_progress progress = {"training", "edges", t->position * t->edges, geodisk_trainer_epochs(t) * t->edges, extra};
    bool go_on = geodisk_progress_event(t->context, &progress);
    if (callback && !callback(user, t, &info))
      go_on = false;
    if (!go_on)
      return geodisk_fail(t->context, GEODISK_ERROR_STOPPED, "stopped after epoch %llu", (unsigned long long)t->position);
  }
  return GEODISK_OK;
}

void geodisk_trainer_points(const geodisk_trainer *t, double *out) {
  const size_t dim = (size_t)t->options.dim;
  double gap;
  for (size_t u = 0; u < t->nodes; u++)
    embed_get_row(t, (uint32_t)u, out + u * dim, &gap);
}

uint64_t geodisk_trainer_position(const geodisk_trainer *t) { return t->position; }
uint64_t geodisk_trainer_epochs(const geodisk_trainer *t) {
  return t->held_out ? t->last : t->options.burn_in + t->options.epochs;
}
geodisk_train_options geodisk_trainer_options(const geodisk_trainer *t) { return t->options; }

const geodisk_train_epoch *geodisk_trainer_history(const geodisk_trainer *t, size_t *count) {
  *count = t->position;
  return t->history;
}

/* ranking.c - reconstruction, link prediction and the exact loss: which nodes are judged, the tasks, and the figures. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "estimate.h"
#include "ranking_slices.h"
#include "relation.h"

/* Sources and positives of one task, at most: enough to turn a tile into columns once for many sources, few enough for the
 * second-level cache. A task with one source may have more positives. */
enum { BLOCK_SOURCES = 512, BLOCK_POSITIVES = 65536, BLOCKS_WANTED = 64 };

typedef struct ranking_run {
  rank_job job;
  geodisk_context *context;
  bool single;
  size_t count; /* of sources */
  size_t blocks;
  uint32_t *starts; /* blocks + 1: which sources belong to a task */
  rank_record *records;
  pthread_t caller; /* progress is reported from its thread */
  atomic_size_t done;
  atomic_bool memory_out;
} ranking_run;

/* The nodes with positives, or a sample of them. */
static geodisk_status choose_sources(geodisk_context *context, const geodisk_graph_rows *rows, size_t nodes,
                                     const geodisk_ranking_options *options, uint32_t **out, size_t *count, size_t *all) {
  size_t n = 0;
  for (size_t u = 0; u < nodes; u++)
    n += rows->offsets[u + 1] > rows->offsets[u];
  if (n == 0)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the graph has no edges to evaluate");
  uint32_t *sources = geodisk_allocate(n, sizeof *sources);
  if (sources == NULL)
    return geodisk_no_memory(context, "for %zu nodes", n);
  size_t at = 0;
  for (size_t u = 0; u < nodes; u++)
    if (rows->offsets[u + 1] > rows->offsets[u])
      sources[at++] = (uint32_t)u;
  *all = *count = n;
  if (options->sample > 0 && options->sample < n) {
    uint32_t *drawn = geodisk_allocate(options->sample, sizeof *drawn);
    if (drawn == NULL) {
      free(sources);
      return geodisk_no_memory(context, "for a sample of %zu nodes", options->sample);
    }
    ranking_draw(options->seed, options->sample, n, drawn);
    for (size_t i = 0; i < options->sample; i++)
      sources[i] = sources[drawn[i]]; /* drawn[i] >= i */
    free(drawn);
    *count = options->sample;
  }
  *out = sources;
  return GEODISK_OK;
}

/* Cuts the sources into tasks; the cuts depend on the graph only, never on the threads. */
static void cut_blocks(ranking_run *run) {
  const geodisk_graph_rows *rows = &run->job.positives;
  size_t most = run->count / BLOCKS_WANTED / RANK_SOURCES * RANK_SOURCES;
  most = most < RANK_SOURCES ? RANK_SOURCES : most > BLOCK_SOURCES ? BLOCK_SOURCES : most;
  uint64_t positives = 0;
  size_t begin = 0;
  run->blocks = 0;
  run->starts[0] = 0;
  for (size_t i = 0; i < run->count; i++) {
    const uint32_t u = run->job.sources[i];
    const uint64_t own = rows->offsets[u + 1] - rows->offsets[u];
    if (i > begin && (i - begin == most || positives + own > BLOCK_POSITIVES)) {
      run->starts[++run->blocks] = (uint32_t)i;
      begin = i;
      positives = 0;
    }
    positives += own;
  }
  run->starts[++run->blocks] = (uint32_t)run->count;
}

static void report(ranking_run *run, size_t done) {
  const geodisk_progress progress = {.task = "ranking", .unit = "nodes", .done = done, .total = run->count};
  if (!geodisk_progress_event(run->context, &progress))
    atomic_store(&run->job.stopped, true);
}

static void run_task(void *arg, size_t index) {
  ranking_run *run = arg;
  if (rank_job_stopped(&run->job))
    return;
  const size_t first = run->starts[index], count = run->starts[index + 1] - first;
  rank_record *out = run->records + first;
  if (!rank_block(run->single ? &rank_in_float : &rank_in_double, &run->job, first, count, out)) {
    atomic_store(&run->memory_out, true);
    atomic_store(&run->job.stopped, true);
  }
  const size_t done = atomic_fetch_add(&run->done, count) + count;
  if (done < run->count && pthread_equal(pthread_self(), run->caller))
    report(run, done);
}

/* A device has much to do before its memory is worth filling. */
#define LEAST_PAIRS 1e8

/* On a device, if that is wanted: what of it there is goes to *out, else NULL. */
static geodisk_status find_device(const ranking_run *run, geodisk_device wanted, const rank_device **out) {
  const device_table *table = NULL;
  *out = NULL;
  if (wanted == GEODISK_DEVICE_CPU ||
      (wanted == GEODISK_DEVICE_AUTO && (double)run->count * (double)run->job.nodes < LEAST_PAIRS))
    return GEODISK_OK;
  const geodisk_status st = geodisk_device_open(run->context, &table);
  if (st == GEODISK_OK)
    *out = table->rank;
  return wanted == GEODISK_DEVICE_AUTO ? GEODISK_OK : st;
}

/* All sources on a device. *left: it could not, and the processor is to do it, which AUTO does not mind. */
static geodisk_status run_on_device(ranking_run *run, geodisk_device wanted, const rank_device *device, bool *left) {
  const rank_arithmetic *arithmetic = run->single ? &rank_in_float : &rank_in_double;
  report(run, 0);
  const geodisk_status st = arithmetic->by_device(run->context, device, &run->job, run->count, run->records);
  *left = st != GEODISK_OK && wanted == GEODISK_DEVICE_AUTO;
  if (!*left)
    return st;
  geodisk_log_once(run->context, GEODISK_LOG_WARNING, "ranks are counted on the processor: %s",
                   geodisk_context_error(run->context));
  return GEODISK_OK;
}

static geodisk_status run_tasks(ranking_run *run, geodisk_device wanted) {
  const rank_device *device = NULL;
  run->records = geodisk_allocate_zero(run->count, sizeof *run->records);
  run->starts = geodisk_allocate(run->count + 1, sizeof *run->starts);
  if (run->records == NULL || run->starts == NULL)
    return geodisk_no_memory(run->context, "for %zu nodes", run->count);
  geodisk_status st = find_device(run, wanted, &device);
  bool left = device == NULL;
  if (st == GEODISK_OK && device)
    st = run_on_device(run, wanted, device, &left);
  if (st != GEODISK_OK || !left)
    return st;
  cut_blocks(run);
  report(run, 0);
  geodisk_parallel(run->context, run->blocks, run_task, run);
  if (!rank_job_stopped(&run->job))
    report(run, run->count);
  if (atomic_load(&run->memory_out))
    return geodisk_no_memory(run->context, "to rank");
  return rank_job_stopped(&run->job) ? geodisk_fail(run->context, GEODISK_ERROR_STOPPED, "stopped") : GEODISK_OK;
}

/* ---- figures ----------------------------------------------------------------------------------------------------------- */

static void fill_figures(const ranking_run *run, size_t all, geodisk_ranking *out) {
  ranking_sums sums = {.nodes_all = all};
  ranking_sums_add(&sums, run->count, run->records);
  if (run->count < all)
    ranking_sums_square(&sums, run->count, run->records);
  ranking_sums_finish(&sums, run->job.loss, out);
}

static void fill_nodes(const ranking_run *run, size_t nodes, const geodisk_ranking_nodes *by_node) {
  double *const arrays[] = {by_node->mean_rank, by_node->average_precision, by_node->loss, by_node->loss_complement};
  for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++)
    for (size_t i = 0; arrays[a] != NULL && i < nodes; i++)
      arrays[a][i] = (double)NAN;
  for (size_t i = 0; i < run->count; i++) {
    const rank_record *r = &run->records[i];
    const uint32_t u = run->job.sources[i];
    if (by_node->mean_rank != NULL)
      by_node->mean_rank[u] = r->rank_sum / r->positives;
    if (by_node->average_precision != NULL)
      by_node->average_precision[u] = r->average_precision;
    if (by_node->loss != NULL && run->job.loss)
      by_node->loss[u] = r->loss_sum;
    if (by_node->loss_complement != NULL && run->job.loss)
      by_node->loss_complement[u] = r->complement_sum;
  }
}

static geodisk_status check_relation(geodisk_context *context, const char *name, const geodisk_relation *relation, size_t nodes) {
  if (geodisk_relation_points(relation) != nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: the relation is over %zu points, but there are %zu", name,
                        geodisk_relation_points(relation), nodes);
  return GEODISK_OK;
}

geodisk_status geodisk_eval_ranking(geodisk_context *context, const geodisk_eval_points *points,
                                    const geodisk_relation *positives, const geodisk_relation *known,
                                    const geodisk_ranking_options *options, geodisk_ranking *out) {
  options = options != NULL ? options : &(const geodisk_ranking_options){0};
  if (positives == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "ranking: %s is NULL", positives == NULL ? "positives" : "out");
  if ((unsigned)options->device > GEODISK_DEVICE_AUTO)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "ranking: no such device (%d)", (int)options->device);
  if ((unsigned)options->definition > GEODISK_RANK_GENSIM || (unsigned)options->arithmetic > GEODISK_PRECISION_FLOAT)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "ranking: no such definition (%d) or arithmetic (%d)",
                        (int)options->definition, (int)options->arithmetic);
  prepared p = {0};
  uint32_t *sources = NULL;
  ranking_run run = {.context = context, .caller = pthread_self()};
  size_t all = 0;
  geodisk_status st = prepared_create(context, points, &p);
  if (st != GEODISK_OK)
    return st;
  if ((st = check_relation(context, "positives", positives, points->nodes)) != GEODISK_OK)
    goto done;
  if (known != NULL && (st = check_relation(context, "known", known, points->nodes)) != GEODISK_OK)
    goto done;
  run.single = options->arithmetic == GEODISK_PRECISION_FLOAT && p.single_fits;
  run.job.own = run.job.points = &p;
  run.job.nodes = points->nodes;
  run.job.kernel = geodisk_rank_table(geodisk_instruction_set(context));
  run.job.positives = geodisk_relation_rows(positives);
  run.job.known = known != NULL ? geodisk_relation_rows(known) : (geodisk_graph_rows){0};
  run.job.definition = options->definition;
  run.job.loss = options->loss;
  run.job.tile_points = prepared_tile_points(&p, run.single ? sizeof(float) : sizeof(double));
  if ((st = choose_sources(context, &run.job.positives, points->nodes, options, &sources, &run.count, &all)) != GEODISK_OK)
    goto done;
  run.job.sources = sources;
  if ((st = run_tasks(&run, options->device)) != GEODISK_OK)
    goto done;
  fill_figures(&run, all, out);
  if (options->by_node != NULL)
    fill_nodes(&run, points->nodes, options->by_node);
done:
  geodisk_free_all(run.records, run.starts, sources);
  prepared_destroy(&p);
  return st;
}

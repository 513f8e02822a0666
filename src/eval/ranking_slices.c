/* ranking_slices.c - the steps of a ranking whose points come by in slices; and the figures that records add up to. */
#include "ranking_slices.h"

#include <math.h>

#include "estimate.h"

/* Sources of a task as in ranking.c; tasks and positives of a batch. */
enum { TASK_SOURCES = 512, BATCH_TASKS = 64, BATCH_POSITIVES = 1 << 21 };

geodisk_status ranking_slices_create(geodisk_context *context, const geodisk_eval_points *own, size_t first, size_t nodes,
                                     const geodisk_graph_rows *positives, ranking_slices *out) {
  ranking_slices r = {.context = context};
  const geodisk_status st = prepared_create(context, own, &r.own);
  if (st != GEODISK_OK)
    return st;
  r.job.own_first = first;
  r.job.nodes = nodes;
  r.job.positives = *positives;
  r.job.kernel = geodisk_rank_table(geodisk_instruction_set(context));
  *out = r;
  return GEODISK_OK;
}

geodisk_status ranking_slices_settle(ranking_slices *r, const geodisk_ranking_options *options, double largest,
                                     bool single_fits) {
  const bool single = options->arithmetic == GEODISK_PRECISION_FLOAT && single_fits;
  r->arithmetic = single ? &rank_in_float : &rank_in_double;
  r->job.own = &r->own;
  r->job.definition = options->definition;
  r->job.tile_points = prepared_tile_points(&r->own, single ? sizeof(float) : sizeof(double));
  r->largest = largest;
  return prepared_rescale(r->context, &r->own, largest);
}

void ranking_slices_free(ranking_slices *r) { prepared_destroy(&r->own); }

size_t ranking_batch_size(const ranking_slices *r, const uint32_t *sources, size_t count) {
  const uint64_t *offsets = r->job.positives.offsets;
  uint64_t positives = 0;
  size_t n = 0;
  while (n < count && n < (size_t)TASK_SOURCES * BATCH_TASKS) {
    positives += offsets[sources[n] + 1] - offsets[sources[n]];
    if (n > 0 && positives > BATCH_POSITIVES)
      break;
    n++;
  }
  return n;
}

void ranking_draw(uint64_t seed, size_t n, size_t all, uint32_t *out) { estimate_draw(seed, 0, n, all, out); }

/* ---- a batch ---- */

struct ranking_batch {
  ranking_slices *r;
  size_t count, tasks;
  void **task;
  prepared slice;
};

geodisk_status ranking_batch_open(ranking_slices *r, const uint32_t *sources, size_t count, ranking_batch **out) {
  ranking_batch *batch = geodisk_allocate_zero(1, sizeof *batch);
  bool enough = batch != NULL;
  if (enough) {
    *batch = (ranking_batch){.r = r, .count = count, .tasks = (count + TASK_SOURCES - 1) / TASK_SOURCES};
    batch->task = geodisk_allocate_zero(batch->tasks, sizeof *batch->task);
    enough = batch->task != NULL;
    r->job.sources = sources;
  }
  for (size_t i = 0; enough && i < batch->tasks; i++) {
    const size_t first = i * TASK_SOURCES, left = count - first;
    batch->task[i] = r->arithmetic->open(&r->job, first, left < TASK_SOURCES ? left : TASK_SOURCES);
    enough = batch->task[i] != NULL;
  }
  if (!enough) {
    ranking_batch_close(batch, NULL);
    return geodisk_no_memory(r->context, "to rank");
  }
  *out = batch;
  return GEODISK_OK;
}

static void measure_task(void *arg, size_t index) {
  const ranking_batch *batch = arg;
  batch->r->arithmetic->measure(batch->task[index]);
}

static void sort_task(void *arg, size_t index) {
  const ranking_batch *batch = arg;
  batch->r->arithmetic->sort(batch->task[index]);
}

static void scan_task(void *arg, size_t index) {
  const ranking_batch *batch = arg;
  batch->r->arithmetic->scan(batch->task[index]);
}

/* Runs a step of all tasks on one slice. */
static geodisk_status use_slice(ranking_batch *batch, const geodisk_eval_points *slice, size_t first, geodisk_task_fn step) {
  ranking_slices *r = batch->r;
  geodisk_status st = prepared_create(r->context, slice, &batch->slice);
  if (st != GEODISK_OK)
    return st;
  if ((st = prepared_rescale(r->context, &batch->slice, r->largest)) == GEODISK_OK) {
    r->job.points = &batch->slice;
    r->job.first = first;
    geodisk_parallel(r->context, batch->tasks, step, batch);
  }
  prepared_destroy(&batch->slice);
  return st;
}

geodisk_status ranking_batch_measure(ranking_batch *batch, const geodisk_eval_points *slice, size_t first) {
  return use_slice(batch, slice, first, measure_task);
}

void ranking_batch_sort(ranking_batch *batch) { geodisk_parallel(batch->r->context, batch->tasks, sort_task, batch); }

geodisk_status ranking_batch_scan(ranking_batch *batch, const geodisk_eval_points *slice, size_t first) {
  return use_slice(batch, slice, first, scan_task);
}

void ranking_batch_close(ranking_batch *batch, rank_record *out) {
  if (batch == NULL)
    return;
  for (size_t i = 0; batch->task != NULL && i < batch->tasks; i++)
    if (batch->task[i] != NULL)
      batch->r->arithmetic->close(batch->task[i], out != NULL ? out + i * TASK_SOURCES : NULL);
  geodisk_free_all(batch->task, batch);
}

/* ---- figures ---- */

/* The parts of each ratio. */
static void terms_of(const rank_record *r, double above[RANKING_TERMS], double below[RANKING_TERMS]) {
  const double a[RANKING_TERMS] = {r->rank_sum,        r->average_precision, (double)r->hits[0], (double)r->hits[1],
                                   (double)r->hits[2], r->auc_sum,           r->loss_sum,        r->complement_sum,
                                   (double)r->near[0], r->near[1] / 3.0,     r->near[2] / 10.0,  (double)r->near_all};
  for (int k = 0; k < RANKING_TERMS; k++) {
    above[k] = a[k];
    below[k] = (double)r->positives;
  }
  below[1] = below[8] = below[9] = below[10] = 1.0; /* means over nodes, not over pairs */
  above[11] /= (double)r->positives;
  below[11] = 1.0;
  below[5] = (double)r->compared; /* those with negatives */
}

/* What terms_of says, added up. Whole numbers are added as such, which a double would do as exactly, and so, whatever their
 * order, to the same; the others one after the other. */
void ranking_sums_add(ranking_sums *sums, size_t count, const rank_record *records) {
  uint64_t positives = 0, compared = 0, hits[3] = {0}, nearest = 0;
  double ranks = sums->above[0], precision = sums->above[1], auc = sums->above[5], loss = sums->above[6],
         complement = sums->above[7], of_3 = sums->above[9], of_10 = sums->above[10], of_degree = sums->above[11];
  for (size_t i = 0; i < count; i++) {
    const rank_record *r = &records[i];
    positives += r->positives;
    compared += r->compared;
    for (int h = 0; h < 3; h++)
      hits[h] += r->hits[h];
    nearest += r->near[0];
    ranks += r->rank_sum;
    precision += r->average_precision;
    auc += r->auc_sum;
    loss += r->loss_sum;
    complement += r->complement_sum;
    of_3 += r->near[1] / 3.0;
    of_10 += r->near[2] / 10.0;
    of_degree += (double)r->near_all / (double)r->positives;
  }
  const double above[RANKING_TERMS] = {0, 0, (double)hits[0], (double)hits[1], (double)hits[2], 0, 0, 0, (double)nearest, 0,
                                       0, 0};
  const double all = (double)positives, nodes = (double)count,
               below[RANKING_TERMS] = {all, nodes, all, all, all, (double)compared, all, all, nodes, nodes, nodes, nodes};
  for (int k = 0; k < RANKING_TERMS; k++) {
    sums->above[k] += above[k];
    sums->below[k] += below[k];
  }
  const struct {
    int term;
    double sum;
  } in_order[] = {{0, ranks}, {1, precision}, {5, auc}, {6, loss}, {7, complement}, {9, of_3}, {10, of_10}, {11, of_degree}};
  for (size_t i = 0; i < sizeof in_order / sizeof in_order[0]; i++)
    sums->above[in_order[i].term] = in_order[i].sum;
  sums->pairs += positives;
  sums->nodes += count;
}

void ranking_sums_square(ranking_sums *sums, size_t count, const rank_record *records) {
  double above[RANKING_TERMS], below[RANKING_TERMS];
  for (size_t i = 0; i < count; i++) {
    terms_of(&records[i], above, below);
    for (int k = 0; k < RANKING_TERMS; k++) {
      const double rest = above[k] - estimate_value(sums->above[k], sums->below[k]) * below[k];
      sums->squares[k] += rest * rest;
    }
  }
}

void ranking_sums_finish(const ranking_sums *sums, bool loss, geodisk_ranking *out) {
  const geodisk_estimate none = {(double)NAN, (double)NAN, (double)NAN};
  geodisk_estimate e[RANKING_TERMS];
  for (int k = 0; k < RANKING_TERMS; k++) {
    e[k] = estimate_of_sums(sums->nodes, sums->nodes_all, sums->above[k], sums->below[k], sums->squares[k]);
    if ((k >= 1 && k <= 5) || k >= 8)
      e[k] = estimate_within_one(sums->nodes, sums->nodes_all, e[k]);
  }
  *out = (geodisk_ranking){.nodes = sums->nodes,
                           .nodes_all = sums->nodes_all,
                           .pairs = sums->pairs,
                           .mean_rank = e[0],
                           .map = e[1],
                           .hits_at_1 = e[2],
                           .hits_at_3 = e[3],
                           .hits_at_10 = e[4],
                           .auc = e[5],
                           .precision_at_1 = e[8],
                           .precision_at_3 = e[9],
                           .precision_at_10 = e[10],
                           .precision_at_degree = e[11],
                           .loss = loss ? e[6] : none,
                           .loss_complement = loss ? e[7] : none};
}

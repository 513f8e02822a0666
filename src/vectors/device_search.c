/* device_search.c - rows for a device, its candidates, and the answers made of them. */
#include "device_search.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

enum { SOME = 1024, FEW = 128 }; /* points, or questions that are taken there, of a task; and questions that are answered */
enum { PIECE = 24 * 1024 };      /* questions that the device gets together: while it has them, those before are answered */

static size_t minimum(size_t a, size_t b) { return a < b ? a : b; }

/* ---- the points ---- */

typedef struct rows_job {
  const space_view *view;
  double *x, *weights;
} rows_job;

static void fill_rows(void *arg, size_t task) {
  const rows_job *job = arg;
  const space_view *view = job->view;
  const size_t end = minimum((task + 1) * SOME, view->nodes);
  for (size_t i = task * SOME; i < end; i++) {
    double gap;
    geodisk_model_point(view->model, (uint32_t)i, job->x + i * view->dim, &gap);
    job->weights[i] = space_weight(view, i);
  }
}

geodisk_status device_search_open(geodisk_context *context, const space_view *view, device_search *out) {
  const device_table *table = NULL;
  char why[DEVICE_TEXT] = "";
  *out = (device_search){0};
  geodisk_status status = geodisk_device_open(context, &table);
  if (status != GEODISK_OK)
    return status;
  rows_job job = {view, geodisk_allocate(view->nodes, view->dim * sizeof *job.x), geodisk_allocate(view->nodes, sizeof *job.x)};
  if (job.x == NULL || job.weights == NULL) {
    status = geodisk_no_memory(context, "for the search");
  } else {
    geodisk_parallel(context, (view->nodes + SOME - 1) / SOME, fill_rows, &job);
    const near_points points = {view->nodes, view->dim, job.x, job.weights};
    status = table->near->open(&points, &out->handle, why);
    if (status == GEODISK_OK)
      out->device = table->near;
    else
      geodisk_fail(context, status, "%s", why);
  }
  free(job.x);
  free(job.weights);
  return status;
}

void device_search_close(device_search *search) {
  if (search->device != NULL)
    search->device->close(search->handle);
  *search = (device_search){0};
}

bool device_search_can(const device_search *search, const space_view *view, size_t k, geodisk_side side) {
  return search->device != NULL && side == GEODISK_SIDE_ANY && k <= NEAR_MOST && k < view->nodes && view->nodes < INT32_MAX;
}

/* ---- questions ---- */

typedef struct answer_job {
  geodisk_context *context;
  const space_view *view;
  size_t n, k;
  const probe_point *points;
  double *x, *slack; /* for the device */
  uint32_t *self;
  uint32_t *nodes, *count; /* from the device */
  geodisk_neighbour *out;
  size_t *found;
  atomic_bool failed;
} answer_job;

static void fill_questions(void *arg, size_t task) {
  const answer_job *job = arg;
  const size_t end = minimum((task + 1) * SOME, job->n), dim = job->view->dim;
  for (size_t i = task * SOME; i < end; i++) {
    memcpy(job->x + i * dim, job->points[i].x, dim * sizeof *job->x);
    job->slack[i] = job->points[i].slack;
    job->self[i] = job->points[i].self;
  }
}

/* |x-y|^2 R^2/S(y) in plain arithmetic. */
static double product_of(const space_view *view, const probe_point *point, uint32_t node, double weight, double *y) {
  double gap, sum = 0;
  geodisk_model_point(view->model, node, y, &gap);
  for (size_t c = 0; c < view->dim; c++)
    sum += (point->x[c] - y[c]) * (point->x[c] - y[c]);
  return sum * weight;
}

/* The i-th question; false: out of memory. */
static bool answer_one(const answer_job *job, size_t i, collector *c) {
  const space_view *view = job->view;
  const uint32_t *nodes = job->nodes + i * (job->k + NEAR_SPARE);
  collector_reuse(c, &job->points[i]);
  if (job->count[i] == 0) { /* too many to tell */
    scanner *scan = scanner_create(job->context, view);
    if (scan == NULL)
      return false;
    scan_nearest(scan, 0, view->nodes, c, 1);
    scanner_destroy(scan);
  }
  for (size_t a = 0; a < job->count[i]; a++) {
    const double weight = space_weight(view, nodes[a]);
    collector_offer(c, nodes[a], product_of(view, &job->points[i], nodes[a], weight, c->y), weight);
  }
  if (!c->failed)
    job->found[i] = collector_finish(c, job->out + i * job->k);
  return !c->failed;
}

static void answer_some(answer_job *job, size_t first, size_t end) {
  collector c;
  bool ok = collector_open(&c, job->view, &job->points[first], job->k);
  for (size_t i = first; ok && i < end; i++)
    ok = answer_one(job, i, &c);
  if (!ok)
    atomic_store(&job->failed, true);
  collector_close(&c);
}

/* One step of a search: the device has a piece of the questions, the other threads answer the one before. */
typedef struct search_step {
  const device_search *search;
  answer_job *job;
  size_t begin, end;     /* answered by now: .. begin; collected by the device: .. end */
  geodisk_status status; /* of the device */
  char why[DEVICE_TEXT];
} search_step;

static void collect_piece(search_step *step) {
  const answer_job *job = step->job;
  const size_t first = step->end, room = job->k + NEAR_SPARE;
  const near_questions questions = {minimum(job->n - first, PIECE),
                                    job->k,
                                    job->x + first * job->view->dim,
                                    job->slack + first,
                                    job->self + first,
                                    job->view->relative};
  step->status =
      step->search->device->ask(step->search->handle, &questions, job->nodes + first * room, job->count + first, step->why);
}

static void do_step(void *arg, size_t task) {
  search_step *step = arg;
  const size_t first = step->begin + (task - 1) * FEW;
  if (task > 0)
    answer_some(step->job, first, minimum(first + FEW, step->end));
  else if (step->end < step->job->n)
    collect_piece(step);
}

static geodisk_status ask(const device_search *search, answer_job *job) {
  geodisk_context *context = job->context;
  search_step step = {.search = search, .job = job};
  job->x = geodisk_allocate(job->n, job->view->dim * sizeof *job->x);
  job->slack = geodisk_allocate(job->n, sizeof *job->slack);
  job->self = geodisk_allocate(job->n, sizeof *job->self);
  job->nodes = geodisk_allocate(job->n, (job->k + NEAR_SPARE) * sizeof *job->nodes);
  job->count = geodisk_allocate(job->n, sizeof *job->count);
  if (!(job->x && job->slack && job->self && job->nodes && job->count))
    return geodisk_no_memory(context, "for the search");
  geodisk_parallel(context, (job->n + SOME - 1) / SOME, fill_questions, job);
  while (step.begin < job->n && step.status == GEODISK_OK) {
    geodisk_parallel(context, 1 + (step.end - step.begin + FEW - 1) / FEW, do_step, &step);
    step.begin = step.end;
    step.end = minimum(step.end + PIECE, job->n);
  }
  if (step.status != GEODISK_OK)
    return geodisk_fail(context, step.status, "%s", step.why);
  return atomic_load(&job->failed) ? geodisk_no_memory(context, "for the search") : GEODISK_OK;
}

geodisk_status device_search_ask(geodisk_context *context, const device_search *search, const space_view *view, size_t n,
                                 const probe_point *points, size_t k, geodisk_neighbour *out, size_t *found) {
  answer_job job = {.context = context, .view = view, .n = n, .k = k, .points = points, .out = out};
  job.found = found;
  const geodisk_status status = n > 0 ? ask(search, &job) : GEODISK_OK;
  void *const arrays[] = {job.x, job.slack, job.self, job.nodes, job.count};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    free(arrays[i]);
  return status;
}

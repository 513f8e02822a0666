/* device_search.c - rows for a device, and its answers. */
#include "device_search.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

enum { SOME = 1024 }; /* points, or questions, of a task */

static size_t minimum(size_t a, size_t b) { return a < b ? a : b; }

/* ---- the points ---- */

typedef struct rows_job {
  const space_view *view;
  double *x, *gap, *weights;
} rows_job;

static void fill_rows(void *arg, size_t task) {
  const rows_job *job = arg;
  const space_view *view = job->view;
  const size_t end = minimum((task + 1) * SOME, view->nodes);
  for (size_t i = task * SOME; i < end; i++) {
    geodisk_model_point(view->model, (uint32_t)i, job->x + i * view->dim, &job->gap[i]);
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
  rows_job job = {view, geodisk_allocate(view->nodes, view->dim * sizeof *job.x), geodisk_allocate(view->nodes, sizeof *job.x),
                  geodisk_allocate(view->nodes, sizeof *job.x)};
  if (job.x == NULL || job.gap == NULL || job.weights == NULL) {
    status = geodisk_no_memory(context, "for the search");
  } else {
    geodisk_parallel(context, (view->nodes + SOME - 1) / SOME, fill_rows, &job);
    const near_points points = {.nodes = view->nodes,
                                .dim = view->dim,
                                .hyperbolic = view->hyperbolic,
                                .radius = view->ball.radius,
                                .curvature = view->ball.curvature,
                                .x = job.x,
                                .gap = job.gap,
                                .weights = job.weights};
    status = table->near->open(&points, &out->handle, why);
    if (status == GEODISK_OK)
      out->device = table->near;
    else
      geodisk_fail(context, status, "%s", why);
  }
  geodisk_free_all(job.x, job.gap, job.weights);
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
  double *x, *gap, *slack; /* for the device */
  uint32_t *self;
  near_answer *answers; /* from the device */
  uint32_t *count;
  geodisk_neighbour *out;
  size_t *found;
  atomic_bool failed;
} answer_job;

static void fill_questions(void *arg, size_t task) {
  const answer_job *job = arg;
  const size_t end = minimum((task + 1) * SOME, job->n), dim = job->view->dim;
  for (size_t i = task * SOME; i < end; i++) {
    memcpy(job->x + i * dim, job->points[i].x, dim * sizeof *job->x);
    job->gap[i] = job->points[i].gap;
    job->slack[i] = job->points[i].slack;
    job->self[i] = job->points[i].self;
  }
}

/* The i-th question, of which the device had too many candidates; false: out of memory. */
static bool look_at_all(const answer_job *job, size_t i) {
  collector c;
  scanner *scan = scanner_create(job->context, job->view);
  const bool ok = collector_open(&c, job->view, &job->points[i], job->k) && scan != NULL;
  if (ok)
    scan_nearest(scan, 0, job->view->nodes, &c, 1);
  if (ok && !c.failed)
    job->found[i] = collector_finish(&c, job->out + i * job->k);
  const bool done = ok && !c.failed;
  collector_close(&c);
  scanner_destroy(scan);
  return done;
}

static void take_answers(void *arg, size_t task) {
  answer_job *job = arg;
  const size_t end = minimum((task + 1) * SOME, job->n);
  for (size_t i = task * SOME; i < end; i++) {
    job->found[i] = job->count[i];
    for (size_t a = i * job->k; a < i * job->k + job->count[i]; a++)
      job->out[a] = (geodisk_neighbour){job->answers[a].node, job->answers[a].distance};
    if (job->count[i] == 0 && !look_at_all(job, i))
      atomic_store(&job->failed, true);
  }
}

static geodisk_status ask(const device_search *search, answer_job *job) {
  const size_t tasks = (job->n + SOME - 1) / SOME;
  char why[DEVICE_TEXT] = "";
  job->x = geodisk_allocate(job->n, job->view->dim * sizeof *job->x);
  job->gap = geodisk_allocate(job->n, sizeof *job->gap);
  job->slack = geodisk_allocate(job->n, sizeof *job->slack);
  job->self = geodisk_allocate(job->n, sizeof *job->self);
  job->answers = geodisk_allocate(job->n, job->k * sizeof *job->answers);
  job->count = geodisk_allocate(job->n, sizeof *job->count);
  if (!(job->x && job->gap && job->slack && job->self && job->answers && job->count))
    return geodisk_no_memory(job->context, "for the search");
  geodisk_parallel(job->context, tasks, fill_questions, job);
  const near_questions questions = {job->n, job->k, job->x, job->gap, job->slack, job->self, job->view->relative};
  const geodisk_status status = search->device->ask(search->handle, &questions, job->answers, job->count, why);
  if (status != GEODISK_OK)
    return geodisk_fail(job->context, status, "%s", why);
  geodisk_parallel(job->context, tasks, take_answers, job);
  return atomic_load(&job->failed) ? geodisk_no_memory(job->context, "for the search") : GEODISK_OK;
}

geodisk_status device_search_ask(geodisk_context *context, const device_search *search, const space_view *view, size_t n,
                                 const probe_point *points, size_t k, geodisk_neighbour *out, size_t *found) {
  answer_job job = {.context = context, .view = view, .n = n, .k = k, .points = points, .out = out};
  job.found = found;
  const geodisk_status status = n > 0 ? ask(search, &job) : GEODISK_OK;
  void *const arrays[] = {job.x, job.gap, job.slack, job.self, job.answers, job.count};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    free(arrays[i]);
  return status;
}

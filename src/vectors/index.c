/* index.c - near nodes of a model: by looking at all points, several questions at a time, through the tree of boxes,
 * or with a device. */
#include "box_tree.h"
#include "device_search.h"
#include "scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The tree is tried when so many questions are expected, and kept when a sample of SAMPLE questions looks at less than this share
 * of the numbers that a scan looks at: the scan goes through them several times faster. */
enum { QUESTIONS_MIN = 1024, NODES_MIN = 1000, SAMPLE = 16 };
static const double share_max = 0.15;

struct geodisk_index {
  space_view view;
  bool has_tree;
  box_tree tree;
  device_search device;
  bool leaves_device; /* CUDA_AUTO */
};

/* ---- many questions -------------------------------------------------------------------------------------------------- */

/* Questions that are under way. */
typedef struct search_job {
  geodisk_context *context; /* for its instruction set */
  const geodisk_index *index;
  size_t n, k;
  const probe_point *points; /* n */
  size_t parts;              /* ranges of points that are scanned side by side */
  collector *collectors;     /* parts x n, for a scan of less than a group for each thread; or NULL */
  geodisk_neighbour *out;
  size_t *found;
  bool *failed; /* per task */
} search_job;

static size_t minimum(size_t a, size_t b) { return a < b ? a : b; }

/* Task: SCAN_GROUP questions over all points. */
static void search_group(void *arg, size_t task) {
  const search_job *job = arg;
  const space_view *view = &job->index->view;
  const size_t first = task * SCAN_GROUP, n = minimum(job->n - first, SCAN_GROUP);
  collector collectors[SCAN_GROUP] = {{0}};
  scanner *scan = job->index->has_tree ? NULL : scanner_create(job->context, view);
  bool ok = job->index->has_tree || scan != NULL;
  for (size_t i = 0; i < n; i++)
    ok = collector_open(&collectors[i], view, &job->points[first + i], job->k) && ok;
  if (ok && job->index->has_tree)
    for (size_t i = 0; i < n; i++)
      box_tree_search(&job->index->tree, view, &collectors[i]);
  else if (ok)
    scan_nearest(scan, 0, view->nodes, collectors, n);
  for (size_t i = 0; i < n; i++) {
    if (ok && !collectors[i].failed)
      job->found[first + i] = collector_finish(&collectors[i], job->out + (first + i) * job->k);
    else
      job->failed[task] = true;
    collector_close(&collectors[i]);
  }
  scanner_destroy(scan);
}

/* Task: all questions over one range of points. */
static void search_part(void *arg, size_t task) {
  const search_job *job = arg;
  const space_view *view = &job->index->view;
  const size_t each = (view->nodes + job->parts - 1) / job->parts;
  const size_t begin = minimum(task * each, view->nodes), end = minimum(begin + each, view->nodes);
  collector *collectors = job->collectors + task * job->n;
  scanner *scan = scanner_create(job->context, view);
  job->failed[task] = scan == NULL;
  for (size_t i = 0; i < job->n; i++)
    job->failed[task] = !collector_open(&collectors[i], view, &job->points[i], job->k) || job->failed[task];
  for (size_t i = 0; !job->failed[task] && i < job->n; i += SCAN_GROUP)
    scan_nearest(scan, begin, end, collectors + i, minimum(job->n - i, SCAN_GROUP));
  scanner_destroy(scan);
}

/* Few questions: the points are dealt out. */
static bool search_parts(geodisk_context *context, search_job *job) {
  job->collectors = geodisk_allocate_zero(job->parts * job->n, sizeof *job->collectors);
  if (job->collectors == NULL)
    return false;
  geodisk_parallel(context, job->parts, search_part, job);
  bool ok = true;
  for (size_t i = 0; i < job->parts; i++)
    ok = ok && !job->failed[i];
  for (size_t i = 0; i < job->n; i++) {
    collector *c = &job->collectors[i];
    for (size_t part = 1; part < job->parts; part++)
      collector_merge(c, &job->collectors[part * job->n + i]);
    ok = ok && !c->failed;
    if (ok)
      job->found[i] = collector_finish(c, job->out + i * job->k);
  }
  for (size_t i = 0; i < job->parts * job->n; i++)
    collector_close(&job->collectors[i]);
  free(job->collectors);
  return ok;
}

/* Pieces that a device gets together. */
static geodisk_status search_by_device(geodisk_context *context, const search_job *whole) {
  enum { PIECE = 1 << 17 };
  geodisk_status status = GEODISK_OK;
  for (size_t first = 0; status == GEODISK_OK && first < whole->n; first += PIECE) {
    const size_t n = minimum(whole->n - first, PIECE);
    const geodisk_progress progress = {"searching", "questions", first + n, whole->n, NULL};
    status = device_search_ask(context, &whole->index->device, &whole->index->view, n, whole->points + first, whole->k,
                               whole->out + first * whole->k, whole->found + first);
    if (status == GEODISK_OK && !geodisk_progress_event(context, &progress))
      status = geodisk_fail(context, GEODISK_ERROR_STOPPED, "the search was stopped");
  }
  return status;
}

static void tell_left(geodisk_context *context) {
  geodisk_log_once(context, GEODISK_LOG_WARNING, "nearest nodes are looked for on the processor: %s",
                   geodisk_context_error(context));
}

/* Answers in bounded pieces, so that Ctrl-C is heard. */
static geodisk_status search_all(geodisk_context *context, const search_job *whole) {
  enum { PIECE = 128 * SCAN_GROUP };
  if (whole->n > 0 && device_search_can(&whole->index->device, &whole->index->view, whole->k, whole->points[0].side)) {
    const geodisk_status by_device = search_by_device(context, whole);
    if (!whole->index->leaves_device || by_device == GEODISK_OK || by_device == GEODISK_ERROR_STOPPED)
      return by_device;
    tell_left(context);
  }
  const size_t threads = (size_t)geodisk_context_threads(context), tasks = (PIECE + SCAN_GROUP - 1) / SCAN_GROUP;
  bool *failed = geodisk_allocate_zero(tasks > threads ? tasks : threads, sizeof *failed);
  if (failed == NULL)
    return geodisk_no_memory(context, "for the search");
  geodisk_status status = GEODISK_OK;
  for (size_t first = 0; status == GEODISK_OK && first < whole->n; first += PIECE) {
    search_job job = *whole;
    job.n = minimum(whole->n - first, PIECE);
    job.points += first;
    job.out += first * whole->k;
    job.found += first;
    job.failed = failed;
    const size_t groups = (job.n + SCAN_GROUP - 1) / SCAN_GROUP;
    bool ok = true;
    if (!job.index->has_tree && groups < threads) {
      job.parts = threads;
      ok = search_parts(context, &job);
    } else {
      geodisk_parallel(context, groups, search_group, &job);
      for (size_t i = 0; i < groups; i++)
        ok = ok && !failed[i];
    }
    const geodisk_progress progress = {"searching", "questions", first + job.n, whole->n, NULL};
    if (!ok)
      status = geodisk_no_memory(context, "for the search");
    else if (!geodisk_progress_event(context, &progress))
      status = geodisk_fail(context, GEODISK_ERROR_STOPPED, "the search was stopped");
  }
  free(failed);
  return status;
}

/* ---- the index ------------------------------------------------------------------------------------------------------- */

/* The share of the numbers that a scan looks at which the tree looks at, for a sample of nodes; or infinity, out of memory. */
static double tree_share(const geodisk_index *index) {
  enum { NEAREST = 10 };
  const space_view *view = &index->view;
  double *x = geodisk_allocate(view->dim, sizeof *x);
  uint64_t numbers = 0;
  bool ok = x != NULL;
  for (size_t i = 0; ok && i < SAMPLE; i++) {
    const uint32_t node = (uint32_t)((2 * i + 1) * view->nodes / (2 * (size_t)SAMPLE));
    probe_point point = {.x = x, .self = node};
    collector c;
    geodisk_model_point(view->model, node, x, &point.gap);
    probe_prepare(view, &point);
    ok = collector_open(&c, view, &point, NEAREST);
    if (ok)
      numbers += box_tree_search(&index->tree, view, &c);
    collector_close(&c);
  }
  free(x);
  return ok ? (double)numbers / ((double)SAMPLE * (double)view->nodes * (double)view->dim) : (double)INFINITY;
}

/* From so many pairs of a question and a node on a device is worth it. */
#define DEVICE_PAIRS 1e8

/* CUDA, and CUDA_AUTO where that has enough to do. */
static geodisk_status open_device(geodisk_context *context, geodisk_search search, size_t questions, geodisk_index *index) {
  index->leaves_device = search == GEODISK_SEARCH_CUDA_AUTO;
  if (search != GEODISK_SEARCH_CUDA && !(index->leaves_device && (double)questions * (double)index->view.nodes >= DEVICE_PAIRS))
    return GEODISK_OK;
  const geodisk_status status = device_search_open(context, &index->view, &index->device);
  if (status == GEODISK_OK || !index->leaves_device)
    return status;
  if (status != GEODISK_ERROR_UNSUPPORTED) /* there is one */
    tell_left(context);
  return GEODISK_OK;
}

geodisk_status geodisk_index_create(geodisk_context *context, const geodisk_model *model, geodisk_search search, size_t questions,
                                    geodisk_index **out) {
  if (model == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "index: %s is NULL", model == NULL ? "model" : "out");
  if ((unsigned)search > GEODISK_SEARCH_CUDA_AUTO)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "index: no search has the number %d", (int)search);
  geodisk_index *index = geodisk_allocate_zero(1, sizeof *index);
  if (index == NULL)
    return geodisk_no_memory(context, "for the search");
  space_open(context, model, &index->view);
  const geodisk_status status = open_device(context, search, questions, index);
  if (status != GEODISK_OK) {
    free(index);
    return status;
  }
  const bool many = questions >= QUESTIONS_MIN && model->nodes >= NODES_MIN;
  const bool automatic = search == GEODISK_SEARCH_AUTO || (index->leaves_device && index->device.device == NULL);
  if (search == GEODISK_SEARCH_TREE || (automatic && many)) {
    if (box_tree_build(&index->view, &index->tree) != GEODISK_OK) {
      free(index);
      return geodisk_no_memory(context, "for the search");
    }
    index->has_tree = search == GEODISK_SEARCH_TREE || tree_share(index) < share_max;
    if (!index->has_tree)
      box_tree_free(&index->tree);
  }
  *out = index;
  return GEODISK_OK;
}

void geodisk_index_destroy(geodisk_index *index) {
  if (index == NULL)
    return;
  box_tree_free(&index->tree);
  device_search_close(&index->device);
  free(index);
}

geodisk_search geodisk_index_search(const geodisk_index *index) {
  if (index->device.device != NULL)
    return GEODISK_SEARCH_CUDA;
  return index->has_tree ? GEODISK_SEARCH_TREE : GEODISK_SEARCH_SCAN;
}

/* ---- questions ------------------------------------------------------------------------------------------------------- */

/* The points asked about, and their coordinates (to be freed with them). */
static probe_point *make_points(const geodisk_index *index, size_t n, double **coordinates) {
  probe_point *points = geodisk_allocate_zero(n, sizeof *points);
  *coordinates = geodisk_allocate(n, index->view.dim * sizeof **coordinates);
  if (points == NULL || *coordinates == NULL) {
    geodisk_free_all(points, *coordinates);
    return NULL;
  }
  for (size_t i = 0; i < n; i++) {
    points[i].x = *coordinates + i * index->view.dim;
    points[i].self = NO_NODE;
  }
  return points;
}

static geodisk_status check_query(geodisk_context *context, const geodisk_index *index, const geodisk_nearest_query *query,
                                  const void *out, const void *found) {
  const bool none = query == NULL || query->n == 0;
  if (index == NULL || query == NULL || (!none && ((query->nodes == NULL && query->x == NULL) || out == NULL || found == NULL)))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "nearest: an argument is NULL");
  if (query->k < 1)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "nearest: k must be at least 1");
  if ((unsigned)query->side > GEODISK_SIDE_LOWER)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "nearest: no side has the number %d", (int)query->side);
  for (size_t i = 0; query->nodes != NULL && i < query->n; i++)
    if (query->nodes[i] >= index->view.nodes)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "nearest: %u is not a node", query->nodes[i]);
  return GEODISK_OK;
}

/* Copies a point that is asked about to x and returns its gap: NaN if it is not finite, or outside the ball. */
static double take_point(const space_view *view, const double *from, const double *gap, double *x) {
  memcpy(x, from, view->dim * sizeof *x);
  const double inside = view->hyperbolic ? geodisk_gap(&view->ball, x) : 1.0;
  const double own = gap != NULL && view->hyperbolic ? *gap : inside;
  bool good = inside > 0 && own > 0 && own <= view->ball.radius * view->ball.radius * (1 + 0x1p-22);
  for (size_t k = 0; k < view->dim; k++)
    good = good && isfinite(x[k]);
  return good ? own : (double)NAN;
}

enum { POINTS_OF_TASK = 1024 };
typedef struct point_job {
  const space_view *view;
  const geodisk_nearest_query *query;
  probe_point *points;
} point_job;

static void make_ready(void *arg, size_t task) {
  const point_job *job = arg;
  const geodisk_nearest_query *query = job->query;
  for (size_t i = task * POINTS_OF_TASK; i < minimum((task + 1) * POINTS_OF_TASK, query->n); i++) {
    probe_point *point = &job->points[i];
    double *x = (double *)(uintptr_t)point->x;
    if (query->nodes != NULL) {
      geodisk_model_point(job->view->model, query->nodes[i], x, &point->gap);
      point->self = query->nodes[i];
    } else
      point->gap = take_point(job->view, query->x + i * job->view->dim, query->gap != NULL ? &query->gap[i] : NULL, x);
    point->side = query->side;
    probe_prepare(job->view, point);
  }
}

geodisk_status geodisk_index_nearest(geodisk_context *context, const geodisk_index *index, const geodisk_nearest_query *query,
                                     geodisk_neighbour *out, size_t *found) {
  geodisk_status status = check_query(context, index, query, out, found);
  if (status != GEODISK_OK)
    return status;
  const size_t n = query->n;
  double *x;
  probe_point *points = make_points(index, n, &x);
  if (points == NULL)
    return geodisk_no_memory(context, "for the search");
  geodisk_parallel(context, (n + POINTS_OF_TASK - 1) / POINTS_OF_TASK, make_ready, &(point_job){&index->view, query, points});
  for (size_t i = 0; query->nodes == NULL && status == GEODISK_OK && i < n; i++)
    if (isnan(points[i].gap))
      status = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "nearest: point %zu is not finite, or outside the ball", i);
  const search_job job = {
      .context = context, .index = index, .n = n, .k = query->k, .points = points, .out = out, .found = found};
  if (status == GEODISK_OK)
    status = search_all(context, &job);
  geodisk_free_all(points, x);
  return status;
}

geodisk_status geodisk_index_chain(geodisk_context *context, const geodisk_index *index, const geodisk_nearest_query *query,
                                   geodisk_neighbour *out, size_t *found) {
  geodisk_status status = check_query(context, index, query, out, found);
  if (status == GEODISK_OK && (query->side == GEODISK_SIDE_ANY || query->nodes == NULL))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "chain: nodes are needed, and a side, HIGHER or LOWER");
  for (size_t i = 0; status == GEODISK_OK && i < query->n; i++) {
    geodisk_nearest_query next = {.n = 1, .nodes = &query->nodes[i], .k = 1, .side = query->side};
    geodisk_neighbour *chain = out + i * query->k;
    size_t length = 0, one = 1;
    for (; status == GEODISK_OK && one == 1 && length < query->k; length += one) {
      status = geodisk_index_nearest(context, index, &next, &chain[length], &one);
      next.nodes = &chain[length].node;
    }
    if (status == GEODISK_OK)
      found[i] = length;
  }
  return status;
}

geodisk_status geodisk_index_parents(geodisk_context *context, const geodisk_index *index, uint32_t node, size_t k,
                                     geodisk_parent *out, size_t *found) {
  geodisk_neighbour *near = k > 0 ? geodisk_allocate(k, sizeof *near) : NULL;
  double *x = index != NULL ? geodisk_allocate(index->view.dim, sizeof *x) : NULL, sum = (double)NAN;
  size_t n = 0;
  geodisk_status status = GEODISK_OK;
  if (index == NULL || k == 0 || out == NULL || found == NULL)
    status = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "parents: an argument is NULL, or k is 0");
  else if (near == NULL || x == NULL)
    status = geodisk_no_memory(context, "for the search");
  else
    status = geodisk_index_nearest(
        context, index, &(geodisk_nearest_query){.n = 1, .nodes = &node, .k = k, .side = GEODISK_SIDE_HIGHER}, near, &n);
  if (status == GEODISK_OK) {
    scanner *scan = scanner_create(context, &index->view);
    probe_point point = {.x = x, .self = node};
    geodisk_model_point(index->view.model, node, x, &point.gap);
    probe_prepare(&index->view, &point);
    if (scan != NULL)
      scan_sums(scan, 1, &point, &sum);
    else
      status = geodisk_no_memory(context, "for the search");
    scanner_destroy(scan);
  }
  if (status == GEODISK_OK) {
    for (size_t i = 0; i < n; i++)
      out[i] = (geodisk_parent){near[i].node, near[i].distance, exp(-near[i].distance) / sum};
    *found = n;
  }
  geodisk_free_all(near, x);
  return status;
}

/* ---- rank ------------------------------------------------------------------------------------------------------------ */

typedef struct rank_job {
  geodisk_context *context;
  const space_view *view;
  const probe_point *point;
  uint32_t other;
  double distance; /* to it */
  size_t parts;
  size_t *nearer; /* per part; SIZE_MAX: out of memory */
} rank_job;

/* Task: counts one range of points. */
static void rank_part(void *arg, size_t task) {
  const rank_job *job = arg;
  const size_t n = job->view->nodes, each = (n + job->parts - 1) / job->parts, begin = minimum(task * each, n);
  scanner *scan = scanner_create(job->context, job->view);
  job->nearer[task] =
      scan != NULL ? scan_nearer(scan, begin, minimum(begin + each, n), job->point, job->other, job->distance) : SIZE_MAX;
  scanner_destroy(scan);
}

geodisk_status geodisk_index_rank(geodisk_context *context, const geodisk_index *index, uint32_t a, uint32_t b, size_t *out) {
  if (index == NULL || out == NULL || a >= index->view.nodes || b >= index->view.nodes || a == b)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "rank: two different nodes and a place for the answer are needed");
  const space_view *view = &index->view;
  const size_t threads = (size_t)geodisk_context_threads(context);
  double *numbers = geodisk_allocate(view->dim, 2 * sizeof *numbers);
  size_t *nearer = geodisk_allocate(threads, sizeof *nearer), rank = 1;
  geodisk_status status = numbers != NULL && nearer != NULL ? GEODISK_OK : geodisk_no_memory(context, "for the search");
  if (status == GEODISK_OK) {
    probe_point point = {.x = numbers, .self = a};
    geodisk_model_point(view->model, a, numbers, &point.gap);
    probe_prepare(view, &point);
    rank_job job = {.context = context, .view = view, .point = &point, .other = b, .parts = threads, .nearer = nearer};
    job.distance = probe_distance(view, &point, b, numbers + view->dim);
    geodisk_parallel(context, threads, rank_part, &job);
    for (size_t i = 0; i < threads && status == GEODISK_OK; i++) {
      status = nearer[i] != SIZE_MAX ? GEODISK_OK : geodisk_no_memory(context, "for the search");
      rank += nearer[i];
    }
  }
  if (status == GEODISK_OK)
    *out = rank;
  geodisk_free_all(numbers, nearer);
  return status;
}

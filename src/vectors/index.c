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

/* Answers in bounded pieces, so that Ctrl-C is heard. */
static geodisk_status search_all(geodisk_context *context, const search_job *whole) {
  enum { PIECE = 128 * SCAN_GROUP };
  if (whole->n > 0 && device_search_can(&whole->index->device, &whole->index->view, whole->k, whole->points[0].side))
    return search_by_device(context, whole);
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

geodisk_status geodisk_index_create(geodisk_context *context, const geodisk_model *model, geodisk_search search, size_t questions,
                                    geodisk_index **out) {
  if (model == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "index: %s is NULL", model == NULL ? "model" : "out");
  if ((unsigned)search > GEODISK_SEARCH_CUDA)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "index: no search has the number %d", (int)search);
  geodisk_index *index = geodisk_allocate_zero(1, sizeof *index);
  if (index == NULL)
    return geodisk_no_memory(context, "for the search");
  space_open(context, model, &index->view);
  if (search == GEODISK_SEARCH_CUDA) {
    const geodisk_status status = device_search_open(context, &index->view, &index->device);
    if (status != GEODISK_OK) {
      free(index);
      return status;
    }
  }
  const bool many = questions >= QUESTIONS_MIN && model->nodes >= NODES_MIN;
  if (search == GEODISK_SEARCH_TREE || (search == GEODISK_SEARCH_AUTO && many)) {
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
    free(points);
    free(*coordinates);
    return NULL;
  }
  for (size_t i = 0; i < n; i++) {
    points[i].x = *coordinates + i * index->view.dim;
    points[i].self = NO_NODE;
  }
  return points;
}

static geodisk_status check_call(geodisk_context *context, const geodisk_index *index, size_t n, const void *in, size_t k,
                                 const void *out, const void *found) {
  if (index == NULL || (n > 0 && (in == NULL || out == NULL || found == NULL)))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "nearest: an argument is NULL");
  if (k < 1)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "nearest: k must be at least 1");
  return GEODISK_OK;
}

enum { NODES_OF_TASK = 1024 };
typedef struct node_job {
  const geodisk_index *index;
  size_t n;
  const uint32_t *nodes;
  geodisk_side side;
  probe_point *points;
} node_job;

static void ask_about_nodes(void *arg, size_t task) {
  const node_job *job = arg;
  const space_view *view = &job->index->view;
  for (size_t i = task * NODES_OF_TASK; i < minimum((task + 1) * NODES_OF_TASK, job->n); i++) {
    probe_point *point = &job->points[i];
    geodisk_model_point(view->model, job->nodes[i], (double *)(uintptr_t)point->x, &point->gap);
    point->self = job->nodes[i];
    point->side = job->side;
    probe_prepare(view, point);
  }
}

geodisk_status geodisk_index_nearest(geodisk_context *context, const geodisk_index *index, size_t n, const uint32_t *nodes,
                                     size_t k, geodisk_side side, geodisk_neighbour *out, size_t *found) {
  geodisk_status status = check_call(context, index, n, nodes, k, out, found);
  if (status != GEODISK_OK)
    return status;
  if ((unsigned)side > GEODISK_SIDE_LOWER)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "nearest: no side has the number %d", (int)side);
  for (size_t i = 0; i < n; i++)
    if (nodes[i] >= index->view.nodes)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "nearest: %u is not a node", nodes[i]);
  double *x;
  probe_point *points = make_points(index, n, &x);
  if (points == NULL)
    return geodisk_no_memory(context, "for the search");
  node_job own = {index, n, nodes, side, points};
  geodisk_parallel(context, (n + NODES_OF_TASK - 1) / NODES_OF_TASK, ask_about_nodes, &own);
  const search_job job = {.context = context, .index = index, .n = n, .k = k, .points = points, .out = out, .found = found};
  status = search_all(context, &job);
  free(points);
  free(x);
  return status;
}

geodisk_status geodisk_index_nearest_to(geodisk_context *context, const geodisk_index *index, size_t n, const double *x,
                                        const double *gap, size_t k, geodisk_neighbour *out, size_t *found) {
  geodisk_status status = check_call(context, index, n, x, k, out, found);
  if (status != GEODISK_OK)
    return status;
  const space_view *view = &index->view;
  double *copy;
  probe_point *points = make_points(index, n, &copy);
  if (points == NULL)
    return geodisk_no_memory(context, "for the search");
  memcpy(copy, x, n * view->dim * sizeof *copy);
  for (size_t i = 0; status == GEODISK_OK && i < n; i++) {
    const double inside = view->hyperbolic ? geodisk_gap(&view->ball, points[i].x) : 1.0;
    points[i].gap = gap != NULL && view->hyperbolic ? gap[i] : inside;
    bool finite = true;
    for (size_t k2 = 0; k2 < view->dim; k2++)
      finite = finite && isfinite(points[i].x[k2]);
    if (!finite || !(inside > 0) ||
        !(points[i].gap > 0 && points[i].gap <= view->ball.radius * view->ball.radius * (1 + 0x1p-22)))
      status = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "nearest: point %zu is not finite, or outside the ball", i);
    else
      probe_prepare(view, &points[i]);
  }
  const search_job job = {.context = context, .index = index, .n = n, .k = k, .points = points, .out = out, .found = found};
  if (status == GEODISK_OK)
    status = search_all(context, &job);
  free(points);
  free(copy);
  return status;
}

geodisk_status geodisk_index_chain(geodisk_context *context, const geodisk_index *index, uint32_t node, geodisk_side side,
                                   size_t room, geodisk_neighbour *out, size_t *found) {
  if (side != GEODISK_SIDE_HIGHER && side != GEODISK_SIDE_LOWER)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "chain: the side must be HIGHER or LOWER");
  size_t n = 0, one = 1;
  while (n < room && one == 1) {
    const geodisk_status status = geodisk_index_nearest(context, index, 1, &node, 1, side, &out[n], &one);
    if (status != GEODISK_OK)
      return status;
    if (one == 1)
      node = out[n++].node;
  }
  *found = n;
  return GEODISK_OK;
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
    status = geodisk_index_nearest(context, index, 1, &node, k, GEODISK_SIDE_HIGHER, near, &n);
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
  free(near);
  free(x);
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
  free(numbers);
  free(nearer);
  return status;
}

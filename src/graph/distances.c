/* distances.c - graph distances from many sources: breadth-first search and Dijkstra's algorithm, sources spread over threads.
 *
 * A task handles a few sources with a work space of its own, which it takes from a pool of as many as there are threads. Sums are
 * kept per source and added in order, so the figures do not depend on the number of threads. */
#include "order.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES_PER_TASK = 8, TASKS_PER_THREAD = 16 };

typedef struct work_space {
  atomic_flag taken;
  uint32_t *row;   /* distances, when nobody wants them; breadth-first */
  double *length;  /* the same, Dijkstra */
  uint32_t *queue; /* nodes: the queue, or the heap */
  uint32_t *place; /* nodes: where in the heap, Dijkstra */
} work_space;

/* What one source gave. */
typedef struct source_sum {
  uint64_t reached; /* itself not counted */
  double sum, longest;
} source_sum;

typedef struct many_sources {
  const geodisk_graph *graph;
  geodisk_way way;
  size_t n_sources;
  const uint32_t *sources; /* or NULL: all */
  uint32_t *hops;
  double *lengths;
  bool dijkstra;
  work_space *spaces;
  int space_count;
  size_t first; /* source of the first task */
  source_sum *sums;
} many_sources;

static uint32_t source_at(const many_sources *m, size_t i) { return m->sources != NULL ? m->sources[i] : (uint32_t)i; }

/* ---- breadth-first ---------------------------------------------------------------------------------------------------- */

static source_sum search_hops(const many_sources *m, uint32_t source, uint32_t *row, uint32_t *queue) {
  const csr *sides[2] = {&m->graph->out, &m->graph->in};
  const int first = m->way == GEODISK_WAY_TO_CHILDREN, last = m->way != GEODISK_WAY_TO_PARENTS;
  size_t begin = 0, end = 0;
  uint64_t sum = 0;
  memset(row, 0xff, m->graph->nodes * sizeof *row);
  row[source] = 0;
  queue[end++] = source;
  while (begin < end) {
    const uint32_t u = queue[begin++], next = row[u] + 1;
    sum += row[u];
    for (int side = first; side <= last; side++)
      for (uint64_t e = sides[side]->offsets[u]; e < sides[side]->offsets[u + 1]; e++) {
        const uint32_t v = sides[side]->nodes[e];
        if (row[v] == GEODISK_GRAPH_UNREACHABLE) {
          row[v] = next;
          queue[end++] = v;
        }
      }
  }
  return (source_sum){end - 1, (double)sum, row[queue[end - 1]]};
}

/* ---- Dijkstra --------------------------------------------------------------------------------------------------------- */

typedef struct heap {
  uint32_t *nodes; /* nodes[0] is nearest */
  uint32_t *place; /* of a node in the heap */
  const double *length;
  size_t count;
} heap;

static void heap_put(heap *h, size_t at, uint32_t node) {
  h->nodes[at] = node;
  h->place[node] = (uint32_t)at;
}

static void heap_up(heap *h, size_t at) {
  const uint32_t node = h->nodes[at];
  for (; at > 0 && h->length[h->nodes[(at - 1) / 2]] > h->length[node]; at = (at - 1) / 2)
    heap_put(h, at, h->nodes[(at - 1) / 2]);
  heap_put(h, at, node);
}

static uint32_t heap_take(heap *h) {
  const uint32_t nearest = h->nodes[0], node = h->nodes[--h->count];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= h->count)
      break;
    if (child + 1 < h->count && h->length[h->nodes[child + 1]] < h->length[h->nodes[child]])
      child++;
    if (h->length[h->nodes[child]] >= h->length[node])
      break;
    heap_put(h, at, h->nodes[child]);
    at = child;
  }
  if (h->count > 0)
    heap_put(h, at, node);
  return nearest;
}

static source_sum search_lengths(const many_sources *m, uint32_t source, double *row, uint32_t *queue, uint32_t *place) {
  const csr *sides[2] = {&m->graph->out, &m->graph->in};
  const int first = m->way == GEODISK_WAY_TO_CHILDREN, last = m->way != GEODISK_WAY_TO_PARENTS;
  heap h = {.length = row};
  h.nodes = queue;
  h.place = place;
  source_sum s = {0, 0, 0};
  for (size_t v = 0; v < m->graph->nodes; v++)
    row[v] = (double)INFINITY;
  row[source] = 0;
  heap_put(&h, h.count++, source);
  while (h.count > 0) {
    const uint32_t u = heap_take(&h);
    s.reached += u != source;
    s.sum += row[u];
    s.longest = row[u]; /* they come in order */
    for (int side = first; side <= last; side++)
      for (uint64_t e = sides[side]->offsets[u]; e < sides[side]->offsets[u + 1]; e++) {
        const uint32_t v = sides[side]->nodes[e];
        const double length = row[u] + (sides[side]->weights != NULL ? sides[side]->weights[e] : 1);
        if (!(length < row[v]))
          continue;
        const bool is_new = isinf(row[v]);
        row[v] = length;
        if (is_new)
          heap_put(&h, h.count++, v);
        heap_up(&h, place[v]);
      }
  }
  return s;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------------ */

static work_space *take_space(many_sources *m) {
  for (int i = 0;; i = (i + 1) % m->space_count)
    if (!atomic_flag_test_and_set_explicit(&m->spaces[i].taken, memory_order_acquire))
      return &m->spaces[i];
}

static void run_task(void *arg, size_t task) {
  many_sources *m = arg;
  work_space *space = take_space(m);
  const size_t begin = m->first + task * SOURCES_PER_TASK, nodes = m->graph->nodes;
  const size_t end = begin + SOURCES_PER_TASK < m->n_sources ? begin + SOURCES_PER_TASK : m->n_sources;
  for (size_t i = begin; i < end; i++) {
    if (m->dijkstra)
      m->sums[i] = search_lengths(m, source_at(m, i), m->lengths != NULL ? m->lengths + i * nodes : space->length, space->queue,
                                  space->place);
    else
      m->sums[i] = search_hops(m, source_at(m, i), m->hops != NULL ? m->hops + i * nodes : space->row, space->queue);
  }
  atomic_flag_clear_explicit(&space->taken, memory_order_release);
}

static bool allocate_spaces(many_sources *m, int count) {
  const size_t nodes = m->graph->nodes;
  m->spaces = geodisk_allocate_zero((size_t)count, sizeof *m->spaces);
  if (m->spaces == NULL)
    return false;
  m->space_count = count;
  for (int i = 0; i < count; i++) {
    work_space *s = &m->spaces[i];
    atomic_flag_clear(&s->taken);
    s->queue = geodisk_allocate(nodes, sizeof *s->queue);
    s->row = !m->dijkstra && m->hops == NULL ? geodisk_allocate(nodes, sizeof *s->row) : NULL;
    s->length = m->dijkstra && m->lengths == NULL ? geodisk_allocate(nodes, sizeof *s->length) : NULL;
    s->place = m->dijkstra ? geodisk_allocate(nodes, sizeof *s->place) : NULL;
    if (s->queue == NULL || (!m->dijkstra && m->hops == NULL && s->row == NULL) || (m->dijkstra && s->place == NULL) ||
        (m->dijkstra && m->lengths == NULL && s->length == NULL))
      return false;
  }
  return true;
}

static void free_spaces(many_sources *m) {
  for (int i = 0; i < m->space_count; i++) {
    geodisk_free_all(m->spaces[i].queue, m->spaces[i].row, m->spaces[i].length, m->spaces[i].place);
  }
  free(m->spaces);
}

static geodisk_distance_info add_up(const many_sources *m) {
  geodisk_distance_info info = {.pairs = (uint64_t)m->n_sources * (m->graph->nodes - (m->graph->nodes > 0))};
  uint64_t reached = 0;
  double sum = 0;
  for (size_t i = 0; i < m->n_sources; i++) {
    reached += m->sums[i].reached;
    sum += m->sums[i].sum;
    info.longest = m->sums[i].longest > info.longest ? m->sums[i].longest : info.longest;
  }
  info.unreachable = info.pairs - reached;
  info.mean = reached > 0 ? sum / (double)reached : 0;
  return info;
}

static geodisk_status from_sources(geodisk_context *context, const geodisk_graph *graph, const geodisk_path_options *options,
                                   many_sources *m, geodisk_distance_info *info) {
  if (graph == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "distances: graph is NULL");
  m->graph = graph;
  if (options != NULL) {
    m->way = options->way;
    m->sources = options->sources;
    m->n_sources = options->n_sources;
  }
  if ((unsigned)m->way > GEODISK_WAY_TO_CHILDREN)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "distances: there is no way %d", (int)m->way);
  if (m->sources == NULL)
    m->n_sources = m->graph->nodes;
  for (size_t i = 0; m->sources != NULL && i < m->n_sources; i++)
    if (m->sources[i] >= m->graph->nodes)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "distances: source %zu is %u, there are %zu nodes", i, m->sources[i],
                          m->graph->nodes);
  const int threads = geodisk_context_threads(context);
  geodisk_status status = GEODISK_OK;
  m->sums = geodisk_allocate(m->n_sources, sizeof *m->sums);
  if (m->sums == NULL || !allocate_spaces(m, threads))
    status = geodisk_no_memory(context, "for the distances of %zu nodes", m->graph->nodes);
  const size_t step = (size_t)threads * TASKS_PER_THREAD * SOURCES_PER_TASK;
  for (m->first = 0; m->first < m->n_sources && status == GEODISK_OK; m->first += step) {
    const size_t left = m->n_sources - m->first, now = left < step ? left : step;
    geodisk_parallel(context, (now + SOURCES_PER_TASK - 1) / SOURCES_PER_TASK, run_task, m);
    const geodisk_progress progress = {.task = "searching", .unit = "sources", .done = m->first + now, .total = m->n_sources};
    if (!geodisk_progress_event(context, &progress))
      status = geodisk_fail(context, GEODISK_ERROR_STOPPED, "distances: stopped");
  }
  if (status == GEODISK_OK && info != NULL)
    *info = add_up(m);
  free_spaces(m);
  free(m->sums);
  return status;
}

/* ---- public ----------------------------------------------------------------------------------------------------------- */

geodisk_status geodisk_graph_hops(geodisk_context *context, const geodisk_graph *graph, const geodisk_path_options *options,
                                  uint32_t *out, geodisk_distance_info *info) {
  return from_sources(context, graph, options, &(many_sources){.hops = out}, info);
}

geodisk_status geodisk_graph_lengths(geodisk_context *context, const geodisk_graph *graph, const geodisk_path_options *options,
                                     double *out, geodisk_distance_info *info) {
  return from_sources(context, graph, options, &(many_sources){.lengths = out, .dijkstra = true}, info);
}

size_t geodisk_graph_sample(const geodisk_graph *graph, size_t count, uint64_t seed, uint32_t *out) {
  enum { STREAM = 0x5a01 };
  geodisk_random random = geodisk_random_stream(seed, STREAM);
  size_t taken = 0;
  count = count < graph->nodes ? count : graph->nodes;
  for (size_t u = 0; u < graph->nodes && taken < count; u++)
    if (geodisk_random_below(&random, graph->nodes - u) < count - taken)
      out[taken++] = (uint32_t)u;
  return taken;
}

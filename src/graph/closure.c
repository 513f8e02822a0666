/* closure.c - transitive closure and reduction.
 *
 * Closure, without cycles: parents come first, so the ancestors of u are its parents and their ancestors, which are known. Taking
 * the parents nearest first (latest in the order), a parent that is already among the ancestors collected brings nothing new and
 * is passed over: only edges of the reduction cost time. With cycles: a search from every node. */
#include "base/grow.h"
#include "order.h"

#include <inttypes.h>
#include <string.h>

enum { PROGRESS_STEP = 4096 };

/* Rows under construction, in any order of the nodes. */
typedef struct reach {
  uint32_t *nodes;
  size_t used, room;
  uint64_t *start; /* nodes + 1: where the row of a node begins; its length is in `length` */
  uint32_t *length;
  uint32_t *mark; /* 1 + the node whose row has this one; a node is in the row being made if its mark is that node's */
} reach;

static geodisk_status reach_push(reach *r, uint32_t node) {
  if (!array_grow(&r->nodes, r->used, 1, &r->room, sizeof *r->nodes))
    return GEODISK_ERROR_MEMORY;
  r->nodes[r->used++] = node;
  return GEODISK_OK;
}

/* ---- one row ---------------------------------------------------------------------------------------------------------- */

/* Sorts a few parents by their place in the order, latest first; `place` is the place of each node. */
static void sort_by_place(uint32_t *nodes, size_t n, const uint32_t *place) {
  for (size_t gap = n / 2; gap > 0; gap /= 2) /* Shell's sort: rows are short, and nothing is allocated */
    for (size_t i = gap; i < n; i++) {
      const uint32_t node = nodes[i];
      size_t j = i;
      for (; j >= gap && place[nodes[j - gap]] < place[node]; j -= gap)
        nodes[j] = nodes[j - gap];
      nodes[j] = node;
    }
}

static geodisk_status row_from_parents(const geodisk_graph *graph, uint32_t u, const uint32_t *place, uint32_t *parents,
                                       reach *r) {
  const size_t degree = (size_t)parents_of(graph, u);
  memcpy(parents, graph->out.nodes + graph->out.offsets[u], degree * sizeof *parents);
  sort_by_place(parents, degree, place);
  for (size_t i = 0; i < degree; i++) {
    const uint32_t p = parents[i];
    if (r->mark[p] == u + 1)
      continue;
    r->mark[p] = u + 1;
    if (reach_push(r, p) != GEODISK_OK)
      return GEODISK_ERROR_MEMORY;
    for (uint64_t e = r->start[p], end = r->start[p] + r->length[p]; e < end; e++) {
      const uint32_t ancestor = r->nodes[e];
      if (r->mark[ancestor] != u + 1) {
        r->mark[ancestor] = u + 1;
        if (reach_push(r, ancestor) != GEODISK_OK)
          return GEODISK_ERROR_MEMORY;
      }
    }
  }
  return GEODISK_OK;
}

/* The row itself is the queue of the search. */
static geodisk_status row_by_search(const geodisk_graph *graph, uint32_t u, reach *r) {
  r->mark[u] = u + 1;
  uint64_t next = r->used;
  for (uint32_t at = u;; at = r->nodes[next++]) {
    for (uint64_t e = graph->out.offsets[at]; e < graph->out.offsets[at + 1]; e++) {
      const uint32_t v = graph->out.nodes[e];
      if (r->mark[v] != u + 1) {
        r->mark[v] = u + 1;
        if (reach_push(r, v) != GEODISK_OK)
          return GEODISK_ERROR_MEMORY;
      }
    }
    if (next == r->used)
      return GEODISK_OK;
  }
}

/* ---- all rows --------------------------------------------------------------------------------------------------------- */

static geodisk_status make_rows(geodisk_context *context, const geodisk_graph *graph, const uint32_t *order,
                                const uint32_t *place, uint32_t *parents, uint64_t max_edges, reach *r) {
  for (size_t i = 0; i < graph->nodes; i++) {
    const uint32_t u = order != NULL ? order[i] : (uint32_t)i;
    r->start[u] = r->used;
    const geodisk_status status = order != NULL ? row_from_parents(graph, u, place, parents, r) : row_by_search(graph, u, r);
    if (status != GEODISK_OK)
      return geodisk_fail(context, status, "closure: not enough memory for more than %zu edges", r->used);
    r->length[u] = (uint32_t)(r->used - r->start[u]);
    if (max_edges > 0 && r->used > max_edges)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "closure: it has more than %" PRIu64 " edges, the limit", max_edges);
    const geodisk_progress progress = {.task = "closing", .unit = "nodes", .done = i + 1, .total = graph->nodes};
    if (i % PROGRESS_STEP == PROGRESS_STEP - 1 && !geodisk_progress_event(context, &progress))
      return geodisk_fail(context, GEODISK_ERROR_STOPPED, "closure: stopped");
  }
  return GEODISK_OK;
}

static geodisk_status rows_of_reach(size_t nodes, const reach *r, csr *rows) {
  if (csr_allocate(nodes, r->used, false, rows) != GEODISK_OK)
    return GEODISK_ERROR_MEMORY;
  for (size_t u = 0; u < nodes; u++) {
    if (r->nodes != NULL) /* it is when there are no edges at all */
      memcpy(rows->nodes + rows->offsets[u], r->nodes + r->start[u], r->length[u] * sizeof *rows->nodes);
    rows->offsets[u + 1] = rows->offsets[u] + r->length[u];
  }
  return GEODISK_OK;
}

/* The order of a graph without cycles and each node's place in it; order[0] NO_NODE if there are cycles (and nodes). */
static geodisk_status order_and_place(geodisk_context *context, const geodisk_graph *graph, uint32_t *order, uint32_t *place,
                                      bool *acyclic) {
  size_t sorted;
  const geodisk_status status = topological_order(context, graph, order, &sorted);
  if (status != GEODISK_OK)
    return status;
  *acyclic = sorted == graph->nodes;
  for (size_t i = 0; i < sorted; i++)
    place[order[i]] = (uint32_t)i;
  return GEODISK_OK;
}

geodisk_status geodisk_graph_closure(geodisk_context *context, const geodisk_graph *graph, const geodisk_closure_options *options,
                                     geodisk_graph **out) {
  if (graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "closure: %s is NULL", graph == NULL ? "graph" : "out");
  const size_t nodes = graph->nodes;
  geodisk_status status = GEODISK_OK;
  bool acyclic = false;
  csr rows = {NULL, NULL, NULL};
  reach r = {.start = geodisk_allocate(nodes, sizeof *r.start), .length = geodisk_allocate(nodes, sizeof *r.length)};
  r.mark = geodisk_allocate_zero(nodes, sizeof *r.mark);
  uint32_t *order = geodisk_allocate(nodes, sizeof *order), *place = geodisk_allocate(nodes, sizeof *place);
  uint32_t *parents = geodisk_allocate(nodes, sizeof *parents);
  if (r.start == NULL || r.length == NULL || r.mark == NULL || order == NULL || place == NULL || parents == NULL) {
    status = geodisk_no_memory(context, "for the closure of %zu nodes", graph->nodes);
    goto done;
  }
  if ((status = order_and_place(context, graph, order, place, &acyclic)) != GEODISK_OK)
    goto done;
  if (!acyclic && (options == NULL || !options->allow_cycles)) {
    status = fail_cycle(context, graph, "closure");
    goto done;
  }
  status = make_rows(context, graph, acyclic ? order : NULL, place, parents, options != NULL ? options->max_edges : 0, &r);
  if (status == GEODISK_OK && rows_of_reach(nodes, &r, &rows) != GEODISK_OK)
    status = geodisk_no_memory(context, "for a closure of %zu edges", r.used);

done:
  geodisk_free_all(r.nodes, r.start, r.length, r.mark, order, place, parents);
  return status == GEODISK_OK ? graph_with_rows(context, graph, &rows, out) : status;
}

/* ---- reduction -------------------------------------------------------------------------------------------------------- */

/* Work space for the search up from one node. */
typedef struct climb {
  const geodisk_graph *graph;
  const uint32_t *place;
  uint32_t *mark;  /* 1 + the node from whose parents this one was reached */
  uint32_t *stack; /* nodes */
  uint32_t *parents;
} climb;

/* Marks all ancestors of `p` that may be parents of u: none of those lies before `first` in the order. */
static void mark_ancestors(climb *c, uint32_t u, uint32_t p, uint32_t first) {
  size_t height = 0;
  c->stack[height++] = p;
  while (height > 0) {
    const uint32_t at = c->stack[--height];
    for (uint64_t e = c->graph->out.offsets[at]; e < c->graph->out.offsets[at + 1]; e++) {
      const uint32_t v = c->graph->out.nodes[e];
      if (c->mark[v] != u + 1 && c->place[v] >= first) {
        c->mark[v] = u + 1;
        c->stack[height++] = v;
      }
    }
  }
}

/* Nearest parents first: one that is reached from a nearer one is left out. */
static void mark_replaced(climb *c, uint32_t u) {
  const size_t degree = (size_t)parents_of(c->graph, u);
  memcpy(c->parents, c->graph->out.nodes + c->graph->out.offsets[u], degree * sizeof *c->parents);
  sort_by_place(c->parents, degree, c->place);
  for (size_t i = 0; i + 1 < degree; i++)
    if (c->mark[c->parents[i]] != u + 1)
      mark_ancestors(c, u, c->parents[i], c->place[c->parents[degree - 1]]);
}

static geodisk_status reduced_rows(geodisk_context *context, climb *c, csr *rows) {
  const csr *out = &c->graph->out;
  uint64_t kept = 0;
  for (size_t u = 0; u < c->graph->nodes; u++) {
    mark_replaced(c, (uint32_t)u);
    for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1]; e++)
      if (c->mark[out->nodes[e]] != u + 1) {
        csr_copy_edge(out, e, rows, kept++);
      }
    rows->offsets[u + 1] = kept;
    const geodisk_progress progress = {.task = "reducing", .unit = "nodes", .done = u + 1, .total = c->graph->nodes};
    if (u % PROGRESS_STEP == PROGRESS_STEP - 1 && !geodisk_progress_event(context, &progress))
      return geodisk_fail(context, GEODISK_ERROR_STOPPED, "reduction: stopped");
  }
  return GEODISK_OK;
}

geodisk_status geodisk_graph_reduce(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out) {
  if (graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "reduction: %s is NULL", graph == NULL ? "graph" : "out");
  const size_t nodes = graph->nodes;
  geodisk_status status = GEODISK_OK;
  bool acyclic = false;
  csr rows = {NULL, NULL, NULL};
  uint32_t *order = geodisk_allocate(nodes, sizeof *order), *place = geodisk_allocate(nodes, sizeof *place);
  climb c = {.graph = graph, .place = place, .mark = geodisk_allocate_zero(nodes, sizeof *c.mark)};
  c.stack = geodisk_allocate(nodes, sizeof *c.stack);
  c.parents = geodisk_allocate(nodes, sizeof *c.parents);
  if (order == NULL || place == NULL || c.mark == NULL || c.stack == NULL || c.parents == NULL ||
      csr_allocate(nodes, graph->edges, graph->out.weights != NULL, &rows) != GEODISK_OK) {
    status = geodisk_no_memory(context, "for the reduction of %zu nodes", graph->nodes);
    goto done;
  }
  if ((status = order_and_place(context, graph, order, place, &acyclic)) != GEODISK_OK)
    goto done;
  status = acyclic ? reduced_rows(context, &c, &rows) : fail_cycle(context, graph, "reduction");

done:
  geodisk_free_all(order, place, c.mark, c.stack, c.parents);
  if (status == GEODISK_OK)
    return graph_with_rows(context, graph, &rows, out);
  csr_free(&rows);
  return status;
}

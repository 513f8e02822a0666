/* fit_pairs.c - pairs of nodes with their distance in the graph and that of their points, one first node to a task. */
#include "fit_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "each_node.h"
#include "estimate.h"
#include "point_distances.h"
#include "relation.h"

/* The pairs of one source. */
typedef struct source_pairs {
  size_t n;
  double *graph, *points; /* one block */
  uint64_t unreachable;
} source_pairs;

typedef struct pairs_run {
  const fit_request *request;
  geodisk_context *context;
  size_t count;        /* of sources */
  source_pairs *found; /* by source */
} pairs_run;

/* What a task works with. */
typedef struct pairs_work {
  uint32_t *hops;   /* nodes of the graph, or NULL */
  double *lengths;  /* the same, with weights */
  uint32_t *others; /* members: places of the targets */
  uint32_t *ids;    /* members: their points, those with a path */
  point_distances distances;
} pairs_work;

static bool allocate_work(const pairs_run *run, pairs_work *k) {
  const fit_request *r = run->request;
  const size_t nodes = geodisk_graph_nodes(r->graph);
  *k = (pairs_work){0};
  if (r->weighted)
    k->lengths = geodisk_allocate(nodes, sizeof *k->lengths);
  else
    k->hops = geodisk_allocate(nodes, sizeof *k->hops);
  k->others = geodisk_allocate(r->members_count, sizeof *k->others);
  k->ids = geodisk_allocate(r->members_count, sizeof *k->ids);
  const bool distances = point_distances_create(r->points, geodisk_instruction_set(run->context), &k->distances);
  return (k->lengths || k->hops) && k->others && k->ids && distances;
}

static void free_work(pairs_work *k) {
  void *const arrays[] = {k->hops, k->lengths, k->others, k->ids};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    free(arrays[i]);
  point_distances_destroy(&k->distances);
}

/* The places of the members that source `place` is compared with: in all pairs of an undirected graph those after it. */
static size_t choose_targets(const fit_request *r, size_t place, uint32_t *others) {
  size_t n = 0;
  if (r->sources == NULL) {
    for (size_t i = r->way == GEODISK_WAY_BOTH ? place + 1 : 0; i < r->members_count; i++)
      if (i != place)
        others[n++] = (uint32_t)i;
    return n;
  }
  n = r->targets < r->members_count - 1 ? r->targets : r->members_count - 1;
  estimate_draw(r->seed, place + 1, n, r->members_count - 1, others); /* of all but itself */
  for (size_t i = 0; i < n; i++)
    others[i] += others[i] >= place;
  return n;
}

/* Keeps the targets that a path of finite length > 0 leads to: their points in k->ids, the lengths in s->graph. */
static bool keep_reachable(const pairs_run *run, const pairs_work *k, size_t targets, source_pairs *s) {
  const fit_request *r = run->request;
  double *block = geodisk_allocate(targets, 2 * sizeof *block);
  if (block == NULL)
    return false;
  s->graph = block;
  for (size_t i = 0; i < targets; i++) {
    const uint32_t node = r->members[k->others[i]];
    double length = (double)INFINITY;
    if (k->lengths != NULL)
      length = k->lengths[node];
    else if (k->hops[node] != GEODISK_GRAPH_UNREACHABLE)
      length = (double)k->hops[node];
    if (length > 0.0 && length < (double)INFINITY) {
      k->ids[s->n] = relation_point(r->relation, node);
      s->graph[s->n++] = length;
    } else {
      s->unreachable++;
    }
  }
  s->points = block + s->n;
  return true;
}

static bool run_source(void *arg, size_t index) {
  const pairs_run *run = arg;
  const fit_request *r = run->request;
  const size_t place = r->sources != NULL ? r->sources[index] : index;
  const uint32_t node = r->members[place];
  const geodisk_path_options from = {r->way, &node, 1};
  pairs_work k;
  source_pairs s = {0};
  bool ok = allocate_work(run, &k);
  if (ok && r->weighted)
    ok = geodisk_graph_lengths(NULL, r->graph, &from, k.lengths, NULL) == GEODISK_OK;
  else if (ok)
    ok = geodisk_graph_hops(NULL, r->graph, &from, k.hops, NULL) == GEODISK_OK;
  ok = ok && keep_reachable(run, &k, choose_targets(r, place, k.others), &s);
  if (ok)
    point_distances_from(&k.distances, relation_point(r->relation, node), s.n, k.ids, s.points);
  free_work(&k);
  run->found[index] = s;
  return ok;
}

/* One array of all pairs from those of each source, which are given back as soon as they are copied. */
static bool join_pairs(pairs_run *run, fit_pairs *out) {
  size_t n = 0;
  out->starts = geodisk_allocate(run->count + 1, sizeof *out->starts);
  for (size_t i = 0; i < run->count; i++)
    n += run->found[i].n;
  out->graph = geodisk_allocate(n, sizeof *out->graph);
  out->points = geodisk_allocate(n, sizeof *out->points);
  if (out->starts == NULL || out->graph == NULL || out->points == NULL)
    return false;
  n = 0;
  for (size_t i = 0; i < run->count; i++) {
    source_pairs *s = &run->found[i];
    out->starts[i] = n;
    memcpy(out->graph + n, s->graph, s->n * sizeof *s->graph);
    memcpy(out->points + n, s->points, s->n * sizeof *s->points);
    n += s->n;
    out->unreachable += s->unreachable;
    free(s->graph);
    s->graph = NULL;
  }
  out->starts[run->count] = n;
  out->sources = run->count;
  return true;
}

geodisk_status fit_pairs_create(geodisk_context *context, const fit_request *request, fit_pairs *out) {
  const size_t count = request->sources != NULL ? request->sources_count : request->members_count;
  pairs_run run = {.request = request, .context = context, .count = count};
  fit_pairs pairs = {0};
  run.found = geodisk_allocate_zero(count, sizeof *run.found);
  if (run.found == NULL)
    return geodisk_no_memory(context, "for %zu nodes", count);
  geodisk_status st = each_node(context, "comparing distances", count, run_source, &run);
  if (st == GEODISK_ERROR_MEMORY || (st == GEODISK_OK && !join_pairs(&run, &pairs)))
    st = geodisk_no_memory(context, "for the pairs of %zu nodes; a sample needs less", count);
  for (size_t i = 0; i < count; i++)
    free(run.found[i].graph);
  free(run.found);
  if (st == GEODISK_OK)
    *out = pairs;
  else
    fit_pairs_destroy(&pairs);
  return st;
}

void fit_pairs_destroy(fit_pairs *pairs) {
  geodisk_free_all(pairs->starts, pairs->graph, pairs->points);
  *pairs = (fit_pairs){0};
}

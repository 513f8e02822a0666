/* routing.c - greedy routing: for each target the distances of all points to it, the next node of every node, and how far that
 * leads. Distances fall along the way, so it never comes back, and what is known of a node holds for all who pass it. */
#include <string.h>

#include "each_node.h"
#include "estimate.h"
#include "point_distances.h"
#include "relation.h"

#define UNKNOWN UINT32_MAX
#define LOST    (UINT32_MAX - 1)

/* What came of the parcels to one target. */
typedef struct target_record {
  uint64_t pairs, arrived;
  double stretch; /* summed */
} target_record;

typedef struct routing_run {
  geodisk_context *context;
  const geodisk_relation *relation;
  const prepared *points;
  geodisk_graph_rows out, in;
  const uint32_t *members; /* nodes with points */
  size_t members_count, count;
  const uint32_t *drawn; /* places among the members; NULL: all */
  target_record *records;
} routing_run;

/* What a task works with, all by node of the graph but the distances, which are by point. */
typedef struct routing_work {
  uint32_t *hops, *steps, *path;
  double *distance;
  point_distances distances;
} routing_work;

static bool allocate_work(const routing_run *run, routing_work *k) {
  const size_t nodes = geodisk_graph_nodes(run->relation->graph);
  *k = (routing_work){.hops = geodisk_allocate(nodes, sizeof *k->hops),
                      .steps = geodisk_allocate(nodes, sizeof *k->steps),
                      .path = geodisk_allocate(nodes, sizeof *k->path),
                      .distance = geodisk_allocate(run->points->points.nodes, sizeof *k->distance)};
  const bool distances = point_distances_create(run->points, geodisk_instruction_set(run->context), &k->distances);
  return k->hops && k->steps && k->path && k->distance && distances;
}

static void free_work(routing_work *k) {
  geodisk_free_all(k->hops, k->steps, k->path, k->distance);
  point_distances_destroy(&k->distances);
}

/* The neighbour nearest to the target if it is nearer than v, of several the one with the smallest number; else v itself. */
static uint32_t next_node(const routing_run *run, const routing_work *k, uint32_t v, uint32_t target) {
  const geodisk_graph_rows *const rows[] = {&run->out, &run->in};
  double least = k->distance[relation_point(run->relation, v)];
  uint32_t best = v;
  for (int r = 0; r < 2; r++)
    for (uint64_t e = rows[r]->offsets[v]; e < rows[r]->offsets[v + 1]; e++) {
      const uint32_t w = rows[r]->nodes[e], point = relation_point(run->relation, w);
      if (w == target)
        return w;
      if (point == GEODISK_RELATION_NO_POINT)
        continue;
      if (k->distance[point] < least || (k->distance[point] == least && best != v && w < best)) {
        least = k->distance[point];
        best = w;
      }
    }
  return best;
}

/* How many steps lead from v to the target, or LOST; for all nodes on the way. */
static uint32_t steps_from(const routing_run *run, const routing_work *k, uint32_t v, uint32_t target) {
  size_t length = 0;
  while (k->steps[v] == UNKNOWN) {
    const uint32_t next = next_node(run, k, v, target);
    if (next == v)
      k->steps[v] = LOST;
    else {
      k->path[length++] = v;
      v = next;
    }
  }
  uint32_t steps = k->steps[v];
  while (length > 0)
    k->steps[k->path[--length]] = steps = steps == LOST ? LOST : steps + 1;
  return steps;
}

static bool run_target(void *arg, size_t index) {
  const routing_run *run = arg;
  const uint32_t target = run->members[run->drawn != NULL ? run->drawn[index] : index];
  const size_t nodes = geodisk_graph_nodes(run->relation->graph);
  target_record *r = &run->records[index];
  routing_work k;
  bool ok = allocate_work(run, &k);
  ok = ok && geodisk_graph_hops(NULL, run->relation->graph, &(geodisk_path_options){.sources = &target, .n_sources = 1}, k.hops,
                                NULL) == GEODISK_OK;
  if (ok) {
    point_distances_from(&k.distances, relation_point(run->relation, target), run->points->points.nodes, NULL, k.distance);
    memset(k.steps, 0xff, nodes * sizeof *k.steps);
    k.steps[target] = 0;
  }
  for (size_t i = 0; ok && i < run->members_count; i++) {
    const uint32_t v = run->members[i];
    if (v == target || k.hops[v] == GEODISK_GRAPH_UNREACHABLE)
      continue;
    const uint32_t steps = steps_from(run, &k, v, target);
    r->pairs++;
    r->arrived += steps != LOST;
    r->stretch += steps != LOST ? (double)steps / (double)k.hops[v] : 0.0;
  }
  free_work(&k);
  return ok;
}

static void success_term(const void *arg, size_t i, double *a, double *b) {
  const target_record *r = (const target_record *)arg + i;
  *a = (double)r->arrived;
  *b = (double)r->pairs;
}

static void stretch_term(const void *arg, size_t i, double *a, double *b) {
  const target_record *r = (const target_record *)arg + i;
  *a = r->stretch;
  *b = (double)r->arrived;
}

static geodisk_status run_targets(routing_run *run, geodisk_routing *out) {
  run->records = geodisk_allocate_zero(run->count, sizeof *run->records);
  if (run->records == NULL)
    return geodisk_no_memory(run->context, "for %zu nodes", run->count);
  const geodisk_status st = each_node(run->context, "routing", run->count, run_target, run);
  if (st != GEODISK_OK)
    return st == GEODISK_ERROR_MEMORY ? geodisk_no_memory(run->context, "to route") : st;
  geodisk_routing routing = {.targets = run->count, .all = run->members_count};
  for (size_t i = 0; i < run->count; i++) {
    routing.pairs += run->records[i].pairs;
    routing.arrived += run->records[i].arrived;
  }
  if (routing.pairs == 0)
    return geodisk_fail(run->context, GEODISK_ERROR_ARGUMENT, "no pair of the graph's nodes has a path between them");
  routing.success = estimate_within_one(run->count, run->members_count,
                                        estimate_ratio(run->count, run->members_count, success_term, run->records));
  routing.stretch = estimate_ratio(run->count, run->members_count, stretch_term, run->records);
  *out = routing;
  return GEODISK_OK;
}

/* The nodes that have points, and the targets drawn among them. */
static geodisk_status choose_targets(routing_run *run, const geodisk_routing_options *options, uint32_t *members,
                                     uint32_t *drawn) {
  const size_t nodes = geodisk_graph_nodes(run->relation->graph);
  if (members == NULL || drawn == NULL)
    return geodisk_no_memory(run->context, "for %zu nodes", nodes);
  run->members = members;
  run->count = run->members_count = relation_members(run->relation, members);
  const size_t sample = estimate_sample(run->context, nodes, options->sample, options->all_pairs);
  if (sample > 0 && sample < run->members_count) {
    run->count = sample;
    estimate_draw(options->seed, 0, run->count, run->members_count, drawn);
    run->drawn = drawn;
  }
  return GEODISK_OK;
}

geodisk_status geodisk_eval_routing(geodisk_context *context, const geodisk_eval_points *points, const geodisk_relation *relation,
                                    const geodisk_routing_options *options, geodisk_routing *out) {
  options = options != NULL ? options : &(const geodisk_routing_options){0};
  prepared p = {0};
  geodisk_status st = relation_check(context, "routing", relation, points, out);
  if (st == GEODISK_OK)
    st = prepared_create(context, points, &p);
  if (st != GEODISK_OK)
    return st;
  const size_t nodes = geodisk_graph_nodes(relation->graph);
  uint32_t *members = geodisk_allocate(nodes, sizeof *members), *drawn = geodisk_allocate(nodes, sizeof *drawn);
  routing_run run = {.context = context,
                     .relation = relation,
                     .points = &p,
                     .out = geodisk_graph_out(relation->graph),
                     .in = geodisk_graph_in(relation->graph)};
  if ((st = choose_targets(&run, options, members, drawn)) == GEODISK_OK)
    st = run_targets(&run, out);
  geodisk_free_all(run.records, members, drawn);
  prepared_destroy(&p);
  return st;
}

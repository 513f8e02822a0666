/* relation.h - a graph in terms of points: inside of geodisk_relation. */
#pragma once

#include "geodisk/eval.h"
#include "vectors/match.h"

struct geodisk_relation {
  const geodisk_graph *graph;
  size_t nodes;            /* of points */
  uint32_t *points;        /* node of the graph -> point, or GEODISK_RELATION_NO_POINT; NULL: the same number */
  geodisk_graph_rows rows; /* by point; the graph's own if `points` is NULL and it has as many nodes */
  csr own;                 /* the rows, where they are not the graph's */
};

/* The point of a node of the graph, or GEODISK_RELATION_NO_POINT. */
static inline uint32_t relation_point(const geodisk_relation *relation, uint32_t node) {
  return relation->points == NULL ? node : relation->points[node];
}

/* The nodes of the graph that have points, ascending, into `out`, which has room for all nodes; how many. */
size_t relation_members(const geodisk_relation *relation, uint32_t *out);

/* ARGUMENT if one of the arguments of a task is NULL, or the relation is over other points. */
geodisk_status relation_check(geodisk_context *context, const char *task, const geodisk_relation *relation,
                              const geodisk_eval_points *points, const void *out);

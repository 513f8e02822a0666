/* fit_pairs.h - pairs of nodes with their distance in the graph and that of their points. */
#pragma once

#include "prepared.h"

typedef struct fit_pairs {
  size_t sources; /* first nodes */
  size_t *starts; /* sources + 1: where the pairs of a first node begin */
  double *graph;  /* distances in the graph, all > 0 and finite */
  double *points; /* distances of the points */
  uint64_t unreachable;
} fit_pairs;

/* Which pairs: those of `members`, nodes of `graph` that have points, ascending. */
typedef struct fit_request {
  const geodisk_graph *graph;
  const geodisk_relation *relation;
  const prepared *points;
  geodisk_way way;
  bool weighted;
  size_t members_count;
  const uint32_t *members;
  size_t sources_count;
  const uint32_t *sources; /* places in `members`; NULL: all pairs */
  size_t targets;          /* of a sample: others that each source meets, at most */
  uint64_t seed;
} fit_request;

/* Errors: MEMORY, STOPPED. */
geodisk_status fit_pairs_create(geodisk_context *context, const fit_request *request, fit_pairs *out);
void fit_pairs_destroy(fit_pairs *pairs);

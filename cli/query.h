/* query.h - what the parts of `geodisk query` share: the request, the session, and the answers (query_answers.c). */
#ifndef GEODISK_CLI_QUERY_H
#define GEODISK_CLI_QUERY_H

#include "args.h"

enum { QUERY_CHAIN_MAX = 10000 };

/* What the command line asks for. */
typedef struct query_request {
  common_options common;
  int space; /* of a MODEL that does not say: index into "hyperbolic|euclidean" */
  double radius;
  int64_t neighbours, count, depth, steps;
  bool near, parents, children, ancestors, descendants, norm, vector, analogy, barycenter;
  const char *distance, *rank, *difference, *geodesic; /* the other node, or NULL */
  int questions;                                       /* how many of them */
  bool batch;
  bool full; /* numbers with all their digits */
} query_request;

typedef struct query_session {
  const query_request *r;
  geodisk_context *context;
  const geodisk_model *model;
  geodisk_index *index;
  const char *path;
  uint32_t distance, rank, difference, geodesic; /* the other nodes */
  bool several;                                  /* nodes: name them in every line */
  const char *node;                              /* the node whose answers are printed, and in JSON: is a comma due? */
  bool first;
} query_session;

/* Nearest nodes of a batch: any, higher, lower. */
typedef struct query_nearest {
  geodisk_neighbour *list[3];
  size_t *found[3];
  size_t k[3];
} query_nearest;

/* Finds what the request wants of nearest nodes for n nodes together; freed by query_free_nearest also after a failure. */
geodisk_status query_find_nearest(const query_session *s, size_t n, const uint32_t *nodes, query_nearest *a);
void query_free_nearest(query_nearest *a);

/* Prints all answers for one node, the i-th of those that *a is of. */
geodisk_status query_answer_node(query_session *s, uint32_t node, const query_nearest *a, size_t i);

/* Prints a point made of several nodes (analogy, barycenter) and the nodes near to it but for those. */
geodisk_status query_answer_point(query_session *s, size_t n, const uint32_t *nodes);

static inline geodisk_status query_no_memory(const query_session *s) {
  geodisk_fail(s->context, GEODISK_ERROR_MEMORY, "not enough memory for the answers");
  return GEODISK_ERROR_MEMORY;
}

#endif

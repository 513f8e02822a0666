/* query.h - what the parts of `geodisk query` share: the request, the session, and the answers (query_answers.c). */
#pragma once

#include "args.h"

enum { QUERY_CHAIN_MAX = 10000 };

/* What the command line asks for. */
typedef struct query_request {
  common_options common;
  int space;  /* of a MODEL that does not say: index into "hyperbolic|euclidean" */
  int device; /* for nearest nodes: index into "cpu|cuda|auto" */
  double radius;
  int64_t neighbours, count, depth, steps;
  bool near, parents, children, ancestors, descendants, siblings, norm, vector, analogy, barycenter;
  bool is_a, common_ancestor; /* of two nodes */
  double threshold;           /* of scores, if given */
  bool threshold_given, count_given;
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
  geodisk_hierarchy *hierarchy; /* NULL: the model has no threshold, the old way is taken */
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

/* ---- by the half-space score (query_hierarchy.c) ---- */

/* Whether something is asked that the hierarchy answers, and whether only it does. */
bool query_wants_hierarchy(const query_request *r);

/* Parents, children, ancestors, descendants and siblings of a node, as far as they are asked for. */
geodisk_status query_answer_hierarchy(query_session *s, uint32_t node);

/* --is-a and --lowest-common-ancestor of two nodes; --analogy of three, if one of the first two is above the other: else *done
 * is false. */
geodisk_status query_answer_pair(query_session *s, const uint32_t *nodes);
geodisk_status query_answer_analogy(query_session *s, const uint32_t *nodes, bool *done);

/* What query_answers.c prints with: a key in JSON, names with distances, a number, a word. */
bool query_as_json(const query_session *s);
void query_begin_key(query_session *s, const char *key);
void query_put_neighbours(query_session *s, const char *key, size_t n, const geodisk_neighbour *list);
void query_put_number(const query_session *s, double value);

static inline geodisk_status query_no_memory(const query_session *s) { return geodisk_no_memory(s->context, "for the answers"); }

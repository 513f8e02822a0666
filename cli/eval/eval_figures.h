/* eval_figures.h - what the parts of `geodisk eval` share: the request, the session, and how figures are printed
 * (eval_figures.c). */
#pragma once

#include "graph_source.h"

/* Tasks. */
enum {
  RECONSTRUCTION = 1,
  LINK_PREDICTION = 2,
  LOSS = 4,
  KENDALL = 8,
  DISTORTION = 16,
  LEXICAL = 32,
  PRECISION = 64,
  ROUTING = 128,
  ENTAILMENT = 256
};

/* What the command line asks for. */
typedef struct eval_request {
  common_options common;
  graph_source source;
  const char *model, *graph;
  const char *tasks, *train, *lexical, *per_node, *pos;
  const char *validation, *non_edges, *validation_non_edges;
  unsigned wanted; /* task bits */
  int definition, precision, space, device;
  bool directed, as_given, lengths, skip_missing, all_pairs;
  int64_t sample, seed, per_edge;
  double alpha, radius, threshold;
  bool alpha_given, threshold_given;
} eval_request;

typedef struct eval_session {
  const eval_request *r;
  geodisk_context *context;
  geodisk_model *model;
  geodisk_eval_points points;
  geodisk_graph *graph, *train;
  geodisk_relation *relation, *known;
  cli_figures figures;
  bool sampled; /* the figures that are printed come with intervals */
} eval_session;

void eval_print_estimate(eval_session *s, const char *key, const geodisk_estimate *e);
void eval_print_ranking(eval_session *s, const geodisk_ranking *r);
void eval_print_fit(eval_session *s, const geodisk_fit *f, bool sampled);
void eval_print_classification(eval_session *s, int score, const geodisk_classification *c);

/* A table: name, positives, mean rank, average precision, losses; a line for each node judged. */
geodisk_status eval_write_nodes(const eval_session *s, const geodisk_ranking_nodes *nodes);

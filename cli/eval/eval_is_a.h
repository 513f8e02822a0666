/* eval_is_a.h - the task entailment of `geodisk eval`: its graphs, and the non-edges drawn beside them. */
#ifndef GEODISK_CLI_EVAL_IS_A_H
#define GEODISK_CLI_EVAL_IS_A_H

#include "graph_source.h"

typedef struct is_a_task {
  const geodisk_model *model;
  const geodisk_eval_points *points;
  const graph_source *source;                                /* how the files are read */
  const geodisk_graph *graph;                                /* the edges to judge, as they were read */
  const geodisk_relation *edges, *train;                     /* the same by the model's nodes; train: or NULL */
  const char *non_edges, *validation, *validation_non_edges; /* files, or NULL */
  int64_t per_edge;                                          /* non-edges that are drawn where there is no file */
  bool skip_missing;
  geodisk_is_a_options options;
} is_a_task;

/* Reads and draws what is missing, and judges. Non-edges are pairs outside the closure of all edges given: those to judge, of
 * the validation and of the training. Where they must be drawn and the model was trained on edges that are not given, that is an
 * error, ARGUMENT: they could be drawn as non-edges. */
geodisk_status is_a_run(geodisk_context *context, const is_a_task *task, geodisk_is_a *out);

#endif

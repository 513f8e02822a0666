/* bench_knowledge.h - what the parts of `geodisk bench knowledge` share. */
#pragma once

#include "bench.h"
#include "geodisk/embed.h"
#include "geodisk/eval.h"

enum { KNOWLEDGE_DIMS = 8, KNOWLEDGE_NON_EDGES = 10 };

typedef struct knowledge_request {
  common_options common;
  const char *dict, *root, *recipe, *link_recipe, *dim_list;
  int dims[KNOWLEDGE_DIMS];
  int n_dims;
  int64_t seeds, leaves, inner;
} knowledge_request;

/* What came of a split. */
typedef struct knowledge_judged {
  geodisk_split split;
  geodisk_model *model;
  geodisk_is_a found;
} knowledge_judged;

/* A model of a graph, by a recipe or (NULL) as by default, that knows its hierarchy if there is one. */
geodisk_status knowledge_train(geodisk_context *context, const char *recipe, int dim, uint64_t seed, const geodisk_graph *graph,
                               geodisk_model **out);

/* Judges the test edges of a split against non-edges outside `known`, thresholds from its validation edges if it has some. The
 * model may have other numbers for the nodes than the graphs. */
geodisk_status knowledge_judge(geodisk_context *context, const geodisk_model *model, const geodisk_graph *known,
                               const geodisk_split *split, uint64_t seed, geodisk_is_a *out);

/* Splits a graph, trains and judges: the three together. *model is the caller's to destroy, also after a failure. */
geodisk_status knowledge_split(geodisk_context *context, const knowledge_request *r, const geodisk_graph *graph,
                               const geodisk_split_options *options, int dim, knowledge_judged *out);
void knowledge_free(knowledge_judged *judged);

/* What no walk through the training edges answers (bench_knowledge_unseen.c): a lost parent, and whole nodes. */
geodisk_status knowledge_parents(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure);
geodisk_status knowledge_nodes(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure);

/* What a model says of the hierarchy it was shown (bench_knowledge_answers.c). */
geodisk_status knowledge_answers(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure);

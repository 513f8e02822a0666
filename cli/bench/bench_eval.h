/* bench_eval.h - what bench_eval.c and bench_eval_others.c share. */
#pragma once

#include "bench.h"

enum { BENCH_EVAL_QUERIES = 1000 };

/* A graph and its model, in temporary files. */
typedef struct bench_dataset {
  const char *root; /* of the part of WordNet, or NULL: all nouns */
  int epochs;
  char graph[4096], model[4096];
} bench_dataset;

typedef struct bench_eval_run {
  const common_options *common;
  const char *dict;
  int64_t dim;
  bench_dataset nouns, mammals;
} bench_eval_run;

/* What a measurement has at hand. */
typedef struct bench_material {
  geodisk_context *context;
  geodisk_model *model;
  geodisk_graph *graph;
  geodisk_relation *relation;
  geodisk_eval_points points;
} bench_material;

/* Reads a dataset as `geodisk eval` does. The process ends soon: nothing is given back. */
geodisk_status bench_eval_open(const bench_dataset *data, bench_material *m);

/* What others take, in seconds for the whole task; NaN: not there. */
typedef struct bench_eval_others {
  double rank, near, rank_figure; /* of the nodes asked about */
  double own_figure;              /* what geodisk says of those */
  double tau, tau_figure;
} bench_eval_others;

/* A bench_job: measures NumPy and scipy on the datasets of a bench_eval_run, into a bench_eval_others. */
int bench_eval_ask_others(void *argument, void *result);

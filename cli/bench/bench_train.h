/* bench_train.h - what bench_train.c and bench_train_others.c share. */
#pragma once

#include "bench.h"

enum { BENCH_TRAIN_FEW = 10 }; /* negatives of the comparison with gensim, which it has by default */

/* The graphs that are trained on: the nouns and a large network, in temporary files; a large hierarchy, in memory. */
typedef enum bench_train_data { TRAIN_NOUNS, TRAIN_NETWORK, TRAIN_TREE, TRAIN_DATA } bench_train_data;

typedef struct bench_train_run {
  const common_options *common;
  const char *dict, *root;
  int64_t dim, epochs, repeats, gensim_edges, large_nodes;
  bool large;
  char graphs[TRAIN_DATA][4096];
} bench_train_run;

/* What gensim takes for a number of edges of the nouns, all of which it knows; NaN: not there. */
typedef struct bench_train_gensim {
  double wall, cpu, edges;
} bench_train_gensim;

/* A bench_job: measures gensim on the nouns of a bench_train_run, into a bench_train_gensim. */
int bench_train_ask_gensim(void *argument, void *result);

/* bench_quality.h - the rows of `geodisk bench quality`: what is trained, with which settings, and what is wanted of it. */
#pragma once

#include "args.h"

typedef enum quality_graph {
  QUALITY_NOUNS,   /* the closure of WordNet's nouns */
  QUALITY_MAMMALS, /* of its mammals */
  QUALITY_TREE,    /* generated, undirected, like the next: a complete tree */
  QUALITY_GRID,
  QUALITY_POWER /* a power law of degrees */
} quality_graph;

enum { QUALITY_NO_CORE = -1 };

/* Options that a row sets; what is 0 is left to be chosen by the trainer. */
typedef struct quality_settings {
  int64_t epochs;
  int64_t core_epochs; /* QUALITY_NO_CORE: none */
  size_t negatives;
  uint64_t batch;
  double sharpness, sharpness_first, lr, cap;
} quality_settings;

/* At most so many of each, of MAP at least; 0: nothing is said. */
typedef struct quality_bounds {
  double mean_rank, map, wall, cpu;
} quality_bounds;

typedef struct quality_row {
  const char *key;
  quality_graph graph;
  int dim;
  bool held_out; /* a twentieth of the edges that can be is left out in training, and it is them that are ranked */
  bool flat;     /* Euclidean space */
  bool single;   /* float, else double */
  quality_settings settings;
  quality_bounds must, goal;
} quality_row;

enum { QUALITY_ROWS = 29 };
extern const quality_row quality_rows[QUALITY_ROWS];

/* The graph of a row: what is trained, and where edges are held out, those (else NULL). */
geodisk_status quality_make_graph(geodisk_context *context, const quality_row *row, const char *dict, geodisk_graph **train,
                                  geodisk_graph **test);
geodisk_train_options quality_options(const quality_row *row, uint64_t seed);

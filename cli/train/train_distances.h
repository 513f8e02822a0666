/* train_distances.h - `geodisk train --objective distances`: points whose distances are those of a graph or a matrix. */
#pragma once

#include "graph_source.h"

typedef struct distances_job {
  const char *graph;  /* a file, or NULL: then there is a matrix */
  const char *matrix; /* a file, or NULL */
  const char *output;
  const graph_source *source;
  geodisk_distance_options options;
} distances_job;

/* Returns the exit code. */
int train_distances(const common_options *common, const distances_job *job);

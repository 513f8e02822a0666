/* train_save.h - how `geodisk train` ends: the model is written, with what it shall know of the hierarchy. */
#pragma once

#include "geodisk/embed.h"
#include "graph_source.h"
#include "processes.h"

typedef struct finished_training {
  geodisk_trainer *trainer;
  const geodisk_graph *graph; /* NULL on ranks, none of which has it: read again by rank 0 */
  const graph_source *source;
  const char *path, *output;
  geodisk_mpi *mpi; /* or NULL */
} finished_training;

geodisk_status train_save(geodisk_context *context, const finished_training *f);

/* train_session.h - what `geodisk train` was told, and what is open while it trains. */
#pragma once

#include <stdio.h>

#include "args.h"
#include "geodisk/auto.h"
#include "graph_source.h"
#include "processes.h"

typedef struct train_arguments {
  const char *graph; /* the argument */
  const char *distances;
  int objective, stress;
  const char *output, *recipe, *init, *resume, *log, *epochs, *negatives, *core_epochs, *batch;
  geodisk_train_options options;
  geodisk_model *start; /* read from init */
  int64_t dim, seed, block, burn_in, checkpoint_every, eval_every;
  int update, loss, sampling, precision, space, units, rates, placement, device;
  graph_source source;
} train_arguments;

/* What is open while training. */
typedef struct session {
  const train_arguments *a;
  geodisk_context *context;
  const geodisk_graph *graph;
  geodisk_mpi *mpi; /* or NULL: no ranks */
  bool quiet;
  bool look; /* settings that are open are chosen by looking and trying */
  geodisk_auto_choice choice;
  FILE *log;
  bool failed;      /* the model could not be written */
  bool unwatched;   /* the log could not, or the evaluation failed */
  char reason[512]; /* why */
} session;

/* Options into *a, which is all zero; -1 to go on. The caller destroys a->start. */
int train_parse(int argc, char **argv, common_options *common, train_arguments *a);

/* The log, one JSON object a line: opening it goes on with one of a training that is resumed. */
geodisk_status train_open_log(session *s, const geodisk_trainer *trainer);
void train_write_log(FILE *log, const geodisk_train_epoch *e, const geodisk_ranking *ranking, const geodisk_mpi_traffic *sent);

/* What came of it, to standard output; returns the exit code. */
int train_report(const common_options *common, const session *s, geodisk_trainer *trainer, bool stopped);

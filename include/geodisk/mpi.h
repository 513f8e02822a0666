/* geodisk/mpi.h - the trainer on many machines (library geodisk-mpi).
 *
 * The same loop as in one process, with messages instead of memory: every rank owns a range of the nodes, with their points and
 * edges; of each batch it takes some blocks, borrows the points that these need, returns the sums of their pulls, and moves its
 * own points. No rank holds the whole graph or the whole embedding, and the result is that of a plain process, byte by byte, for
 * any number of ranks and threads. docs/scaling.md has the costs.
 *
 * For example:
 *     geodisk_mpi *mpi = NULL;
 *     if (geodisk_mpi_launched()) status = geodisk_mpi_start(context, &mpi);
 *     status = geodisk_mpi_trainer_create(context, mpi, &source, &options, &trainer);      // on all ranks
 *     status = geodisk_trainer_run(trainer, callback, user);                               // as ever, on all ranks
 *     status = geodisk_trainer_save(trainer, path);
 *     geodisk_trainer_destroy(trainer);
 *     geodisk_mpi_end(mpi);
 *
 * All functions but those said to be local are collective: every rank calls them, in the same order, and they fail on all ranks
 * with the same status and text or on none. */
#ifndef GEODISK_MPI_H
#define GEODISK_MPI_H

#include "geodisk/embed.h"
#include "geodisk/eval.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct geodisk_mpi geodisk_mpi;

/* Whether this process was started as one of several (or by mpirun or srun as the only one), from its environment alone. Local;
 * does not touch MPI. */
GEODISK_API bool geodisk_mpi_launched(void);

/* Starts MPI and ends it, unless the program has done so itself. Only the thread that calls this speaks to MPI from then on.
 * UNSUPPORTED if MPI cannot be used by a program with threads. */
GEODISK_API geodisk_status geodisk_mpi_start(geodisk_context *context, geodisk_mpi **out);
GEODISK_API void geodisk_mpi_end(geodisk_mpi *mpi); /* NULL is fine */

GEODISK_API int geodisk_mpi_rank(const geodisk_mpi *mpi);  /* 0 for NULL; local */
GEODISK_API int geodisk_mpi_ranks(const geodisk_mpi *mpi); /* 1 for NULL; local */

/* The process number of rank 0 if it runs on this machine, else 0. Local. */
GEODISK_API long geodisk_mpi_leader(const geodisk_mpi *mpi);

/* The first rank whose status is not OK decides: all return its status, with its error text on their contexts. */
GEODISK_API geodisk_status geodisk_mpi_agree(geodisk_context *context, geodisk_mpi *mpi, geodisk_status status);

/* What to train on. */
typedef struct geodisk_mpi_source {
  const char *path; /* an edge list that every rank can open */
  geodisk_graph_read_options read;
  const char *resume; /* a checkpoint to go on from, or NULL */
} geodisk_mpi_source;

/* A trainer on all ranks: geodisk_trainer_epoch, _run and _save are collective, _position, _epochs, _options and _history local;
 * _points (NaN) and _model (UNSUPPORTED) are not offered, since no rank has them. Errors: those of geodisk_graph_read,
 * geodisk_trainer_create and _resume; ARGUMENT if a rank has other options or another file than rank 0, named; UNSUPPORTED for a
 * start, and for a core with edge units. Where a batch has fewer blocks than there are ranks, some are idle: a warning. */
GEODISK_API geodisk_status geodisk_mpi_trainer_create(geodisk_context *context, geodisk_mpi *mpi,
                                                      const geodisk_mpi_source *source, const geodisk_train_options *options,
                                                      geodisk_trainer **out);

/* What all ranks together have sent to others in the last epoch, in bytes: units with their targets, rows, sums of rows, each
 * with what asked for it; in how many messages, and in how many rounds. docs/scaling.md has the formulas. Local. */
typedef struct geodisk_mpi_traffic {
  uint64_t units, rows, sums;
  uint64_t messages, rounds;
} geodisk_mpi_traffic;
GEODISK_API geodisk_mpi_traffic geodisk_mpi_trainer_traffic(const geodisk_trainer *trainer);

/* The most memory that any rank has had so far, in bytes. Local for NULL. */
GEODISK_API uint64_t geodisk_mpi_peak_memory(geodisk_mpi *mpi);

/* What is judged. */
typedef struct geodisk_mpi_judged {
  const char *model; /* a model file, */
  const char *graph; /* and an edge list, that every rank can open */
  geodisk_graph_read_options read;
  bool skip_missing; /* leave out nodes of the graph that are not in the model; else they are an error */
} geodisk_mpi_judged;

/* geodisk_eval_ranking by all ranks: each has a share of the points and of the edges, the shares of the points go round in a
 * ring. Figures are those of a plain process to the last digit. *nodes: how many points there are. Errors: those of
 * geodisk_model_read, geodisk_graph_read, geodisk_relation_create and geodisk_eval_ranking; UNSUPPORTED for losses. */
GEODISK_API geodisk_status geodisk_mpi_eval_ranking(geodisk_context *context, geodisk_mpi *mpi, const geodisk_mpi_judged *judged,
                                                    const geodisk_ranking_options *options, uint64_t *nodes,
                                                    geodisk_ranking *out);

/* What was written. */
typedef struct geodisk_mpi_exported {
  uint64_t nodes;
  int dim;
  geodisk_export_info info;
} geodisk_mpi_exported;

/* geodisk_model_export by all ranks: a model file that every rank can open, in another format, with the bytes that a plain
 * process writes. Errors: those of geodisk_model_read and geodisk_model_export; UNSUPPORTED for the model format itself, for what
 * is no plain file, and where the format does not allow some of the names. */
GEODISK_API geodisk_status geodisk_mpi_export(geodisk_context *context, geodisk_mpi *mpi, const char *model, const char *path,
                                              const geodisk_export_options *options /* or NULL */,
                                              geodisk_mpi_exported *out /* or NULL */);

#ifdef __cplusplus
}
#endif
#endif

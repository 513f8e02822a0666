/* launch.h - MPI as started by the command, and the trainer of a graph that every rank has. Internal to the mpi module. */
#ifndef GEODISK_MPI_LAUNCH_H
#define GEODISK_MPI_LAUNCH_H

#include <mpi.h>

#include "geodisk/mpi.h"

struct geodisk_mpi {
  MPI_Comm comm;
  int rank, ranks;
  long leader;
};

/* The trainer owns the graph from here on, even if this fails. */
geodisk_status mpi_trainer_of_graph(geodisk_context *context, MPI_Comm comm, geodisk_graph *graph, const char *resume,
                                    const geodisk_train_options *options, geodisk_trainer **out);

#endif

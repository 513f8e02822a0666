/* launch.h - MPI as started by the command, and the trainer of a graph in shares. Internal to the mpi module. */
#pragma once

#include <mpi.h>

#include "geodisk/mpi.h"
#include "share.h"

struct geodisk_mpi {
  MPI_Comm comm;
  int rank, ranks;
  long leader;
  bool started; /* by us */
};

/* The trainer owns the share from here on, even if this fails. */
geodisk_status mpi_trainer_of_share(geodisk_context *context, mpi_share *share, const char *resume,
                                    const geodisk_train_options *options, geodisk_trainer **out);

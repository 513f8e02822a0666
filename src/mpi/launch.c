/* launch.c - starting and ending MPI, from what the launcher left in the environment. */
#include "launch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "exchange.h"

bool geodisk_mpi_launched(void) {
  static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"};
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
    if (getenv(signs[i]))
      return true;
  return false;
}

/* Whoever runs on the machine of rank 0 learns its process number. */
static long find_leader(const geodisk_mpi *mpi) {
  struct {
    long process;
    char machine[256];
  } here = {.process = (long)getpid()}, leader;
  if (gethostname(here.machine, sizeof here.machine - 1) != 0)
    return 0;
  leader = here;
  MPI_Bcast(&leader, (int)sizeof leader, MPI_BYTE, 0, mpi->comm);
  return strcmp(here.machine, leader.machine) == 0 ? leader.process : 0;
}

geodisk_status geodisk_mpi_start(geodisk_context *context, geodisk_mpi **out) {
  geodisk_mpi *mpi = geodisk_allocate_zero(1, sizeof *mpi);
  if (!mpi)
    return geodisk_fail(context, GEODISK_ERROR_MEMORY, "out of memory");
  int offered = MPI_THREAD_SINGLE, running = 0;
  MPI_Initialized(&running);
  mpi->started = !running;
  if (running)
    MPI_Query_thread(&offered);
  else
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &offered);
  mpi->comm = MPI_COMM_WORLD;
  MPI_Comm_rank(mpi->comm, &mpi->rank);
  MPI_Comm_size(mpi->comm, &mpi->ranks);
  if (offered < MPI_THREAD_FUNNELED) {
    geodisk_mpi_end(mpi);
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "this MPI cannot be used by a program with threads");
  }
  mpi->leader = find_leader(mpi);
  *out = mpi;
  return GEODISK_OK;
}

void geodisk_mpi_end(geodisk_mpi *mpi) {
  if (!mpi)
    return;
  if (mpi->started)
    MPI_Finalize();
  free(mpi);
}

int geodisk_mpi_rank(const geodisk_mpi *mpi) { return mpi ? mpi->rank : 0; }
long geodisk_mpi_leader(const geodisk_mpi *mpi) { return mpi ? mpi->leader : 0; }
int geodisk_mpi_ranks(const geodisk_mpi *mpi) { return mpi ? mpi->ranks : 1; }

uint64_t geodisk_mpi_peak_memory(geodisk_mpi *mpi) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  uint64_t peak = (uint64_t)usage.ru_maxrss * 1024;
  if (mpi)
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_UINT64_T, MPI_MAX, mpi->comm);
  return peak;
}

geodisk_status geodisk_mpi_agree(geodisk_context *context, geodisk_mpi *mpi, geodisk_status status) {
  return mpi ? mpi_agree(context, mpi->comm, status) : status;
}

geodisk_status geodisk_mpi_trainer_create(geodisk_context *context, geodisk_mpi *mpi, const geodisk_mpi_source *source,
                                          const geodisk_train_options *options, geodisk_trainer **out) {
  mpi_share *share = NULL;
  const geodisk_status st = mpi_share_read(context, mpi->comm, source->path, &source->read, &share);
  return st == GEODISK_OK ? mpi_trainer_of_share(context, share, source->resume, options, out) : st;
}

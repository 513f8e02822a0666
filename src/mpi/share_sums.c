/* share_sums.c - every rank's sums at every rank, joined. */
#include "share_sums.h"

#include "exchange.h"

#include <stdlib.h>

geodisk_status mpi_join_sums(geodisk_context *context, MPI_Comm comm, const model_sums *mine, model_sums *out) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  model_sums *all = geodisk_allocate((size_t)ranks, sizeof *all), whole = {.count = 0};
  const geodisk_status status = mpi_agree_memory(context, comm, all != NULL, "the sums of the ranks");
  if (status == GEODISK_OK) {
    MPI_Allgather(mine, (int)sizeof *mine, MPI_BYTE, all, (int)sizeof *all, MPI_BYTE, comm);
    for (int r = 0; r < ranks; r++)
      model_sums_join(&whole, &all[r]);
    *out = whole;
  }
  free(all);
  return status;
}

geodisk_status mpi_check_sums(geodisk_context *context, MPI_Comm comm, const char *path) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  model_file *file = NULL;
  model_sums mine = {.count = 0}, all;
  geodisk_status status = model_file_open(context, path, &file);
  if (status == GEODISK_OK)
    status = model_file_sum(file, rank, ranks, &mine);
  status = mpi_agree(context, comm, status);
  if (status == GEODISK_OK)
    status = mpi_join_sums(context, comm, &mine, &all);
  if (status == GEODISK_OK)
    status = model_file_check(file, &all);
  model_file_close(file);
  return status;
}

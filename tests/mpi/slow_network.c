/* slow_network.c - a network between ranks of one machine: preloaded, it lets every exchange of a training take as long as it
 * would between machines. NETWORK_LATENCY are the microseconds of a message, NETWORK_RATE the bytes a second of a machine's link
 * each way (0: no limit). Who waits sleeps, so that the other threads of its rank have the processor. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double latency = -1, rate;
static double waited; /* seconds */

static void take(double messages, double bytes) {
  if (latency < 0) {
    const char *text = getenv("NETWORK_LATENCY"), *speed = getenv("NETWORK_RATE");
    latency = text ? 1e-6 * strtod(text, NULL) : 0;
    rate = speed ? strtod(speed, NULL) : 0;
  }
  const double seconds = messages * latency + (rate > 0 ? bytes / rate : 0);
  if (!(seconds > 0))
    return;
  struct timespec before, after,
      pause = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
  clock_gettime(CLOCK_MONOTONIC, &before);
  nanosleep(&pause, NULL);
  clock_gettime(CLOCK_MONOTONIC, &after);
  waited += (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
}

/* Up and down a tree of the ranks. */
static double levels_of(MPI_Comm comm) {
  int ranks, levels = 0;
  MPI_Comm_size(comm, &ranks);
  for (int k = 1; k < ranks; k *= 2)
    levels++;
  return levels;
}

static double bytes_of(int count, MPI_Datatype type) {
  int size;
  MPI_Type_size(type, &size);
  return (double)count * size;
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status) {
  const double sent = bytes_of(out_count, out_type), received = bytes_of(in_count, in_type);
  const int result = PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
  take(1, sent > received ? sent : received);
  return result;
}

int MPI_Alltoall(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type,
                 MPI_Comm comm) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  const int result = PMPI_Alltoall(out, out_count, out_type, in, in_count, in_type, comm);
  take(ranks - 1, (ranks - 1) * bytes_of(out_count, out_type));
  return result;
}

int MPI_Allreduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int result = PMPI_Allreduce(out, in, count, type, op, comm);
  take(2 * levels_of(comm), 2 * bytes_of(count, type));
  return result;
}

/* How long, into the file that NETWORK_LOG names. */
int MPI_Finalize(void) {
  const char *path = getenv("NETWORK_LOG");
  FILE *log = path ? fopen(path, "a") : NULL;
  if (log) {
    fprintf(log, "%.6f\n", waited);
    fclose(log);
  }
  return PMPI_Finalize();
}

/* delay.c - MPI with delays: preloaded, it holds back messages at random before they start, and keeps quiet for a while about
 * those that have gone or come. Every rank and every run delays otherwise; the result must not change. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t state;
static unsigned long delays;

static uint32_t dice(uint32_t sides) {
  if (state == 0) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    state = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15u ^ (uint64_t)getpid() << 32 ^ 1u;
  }
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 33) % sides);
}

/* One call in `share` waits up to `most` microseconds. */
static void delay(uint32_t share, uint32_t most) {
  if (dice(share) != 0)
    return;
  delays++;
  const struct timespec pause = {.tv_nsec = 1000L * dice(most)};
  nanosleep(&pause, NULL);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  delay(3, 3000);
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  delay(5, 1000);
  return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Testsome(int count, MPI_Request *requests, int *done, int *which, MPI_Status *statuses) {
  if (dice(2) == 0) {
    delays++;
    *done = 0;
    return MPI_SUCCESS;
  }
  return PMPI_Testsome(count, requests, done, which, statuses);
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status) {
  delay(4, 1000);
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
}

int MPI_Allreduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  delay(4, 1000);
  return PMPI_Allreduce(out, in, count, type, op, comm);
}

/* How often, into the file that DELAY_LOG names. */
int MPI_Finalize(void) {
  const char *path = getenv("DELAY_LOG");
  FILE *log = path ? fopen(path, "a") : NULL;
  if (log) {
    fprintf(log, "%lu\n", delays);
    fclose(log);
  }
  return PMPI_Finalize();
}

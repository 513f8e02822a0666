/* launch.c - starting and ending MPI, from what the launcher left in the environment. */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "embed/backend.h"
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
    return geodisk_no_memory(context, "to go on");
  int offered = MPI_THREAD_SINGLE, running = 0;
  MPI_Initialized(&running);
  mpi->started = !running;
  if (running)
    MPI_Query_thread(&offered);
  else
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &offered);
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

/* ---- whether all ranks are asked for the same ---- */

enum { LOOKED_AT = 1 << 16 };

/* What tells two files apart without reading all of them: their sizes, and a hash of their beginnings, middles and ends. Zeros
 * for what is no plain file, which rank 0 alone reads, and for one that cannot be opened, which reading will say. */
static void look_at_file(const char *path, uint64_t out[2]) {
  struct stat about;
  FILE *file = path ? fopen(path, "rb") : NULL;
  unsigned char *bytes = geodisk_allocate(LOOKED_AT, 1);
  out[0] = out[1] = 0;
  if (file && bytes && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode)) {
    const long size = (long)about.st_size, at[3] = {0, size / 2, size > LOOKED_AT ? size - LOOKED_AT : 0};
    out[0] = (uint64_t)size;
    out[1] = 14695981039346656037u; /* FNV-1a */
    for (int k = 0; k < 3 && fseek(file, at[k], SEEK_SET) == 0; k++)
      for (size_t i = 0, n = fread(bytes, 1, LOOKED_AT, file); i < n; i++)
        out[1] = (out[1] ^ bytes[i]) * 1099511628211u;
  }
  if (file)
    fclose(file);
  free(bytes);
}

static geodisk_status same_file(geodisk_context *context, const geodisk_mpi *mpi, const char *what, const char *path) {
  uint64_t here[2], leading[2];
  look_at_file(path, here);
  memcpy(leading, here, sizeof here);
  MPI_Bcast(leading, 2, MPI_UINT64_T, 0, mpi->comm);
  geodisk_status st = GEODISK_OK;
  if (memcmp(here, leading, sizeof here) != 0)
    st = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "rank %d has another %s than rank 0: %s has %llu bytes there%s", mpi->rank,
                      what, path ? path : "none", (unsigned long long)here[0],
                      here[0] == leading[0] ? ", as many, but others" : "");
  return mpi_agree(context, mpi->comm, st);
}

static geodisk_status same_reading(geodisk_context *context, const geodisk_mpi *mpi, const geodisk_graph_read_options *o) {
  char here[256], leading[256];
  snprintf(here, sizeof here, "separator %d, header %d, weights %d, reverse %d, no quotes %d, no comments %d, columns %.100s",
           o->separator, (int)o->header, (int)o->weights, o->reverse, o->no_quotes, o->no_comments,
           o->columns ? o->columns : "as they are");
  memcpy(leading, here, sizeof here);
  MPI_Bcast(leading, sizeof leading, MPI_BYTE, 0, mpi->comm);
  geodisk_status st = GEODISK_OK;
  if (strcmp(here, leading) != 0)
    st = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "rank %d reads the graph in another way than rank 0: %s; there: %s",
                      mpi->rank, here, leading);
  return mpi_agree(context, mpi->comm, st);
}

static geodisk_status same_options(geodisk_context *context, const geodisk_mpi *mpi, const geodisk_train_options *options) {
  geodisk_train_options leading = *options;
  char changes[512] = "";
  MPI_Bcast(&leading, (int)sizeof leading, MPI_BYTE, 0, mpi->comm);
  leading.start = NULL; /* an address of rank 0 */
  geodisk_train_options mine = *options;
  mine.start = NULL;
  char *here = embed_options_text(&mine), *there = embed_options_text(&leading);
  geodisk_status st = here && there ? GEODISK_OK : geodisk_no_memory(context, "to go on");
  if (st == GEODISK_OK && strcmp(here, there) != 0) {
    if (!embed_options_changed(&leading, &mine, changes, sizeof changes))
      snprintf(changes, sizeof changes, "epochs %llu instead of %llu", (unsigned long long)mine.epochs,
               (unsigned long long)leading.epochs);
    st = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "rank %d has other options than rank 0: %s", mpi->rank, changes);
  }
  geodisk_free_all(here, there);
  return mpi_agree(context, mpi->comm, st);
}

geodisk_status geodisk_mpi_trainer_create(geodisk_context *context, geodisk_mpi *mpi, const geodisk_mpi_source *source,
                                          const geodisk_train_options *options, geodisk_trainer **out) {
  mpi_share *share = NULL;
  geodisk_status st = same_options(context, mpi, options);
  if (st == GEODISK_OK)
    st = same_reading(context, mpi, &source->read);
  if (st == GEODISK_OK)
    st = same_file(context, mpi, "graph", source->path);
  if (st == GEODISK_OK)
    st = same_file(context, mpi, "checkpoint", source->resume);
  if (st == GEODISK_OK)
    st = mpi_share_read(context, mpi->comm, source->path, &source->read, &share);
  return st == GEODISK_OK ? mpi_trainer_of_share(context, share, source->resume, options, out) : st;
}

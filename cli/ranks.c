/* ranks.c - the seam between the command and libgeodisk-mpi, which it may have been built without. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What launchers leave in the environment: Open MPI, MPICH and its kin, PMIx. */
static const char *first_of(const char *const *names) {
  for (; *names; names++) {
    const char *value = getenv(*names);
    if (value && *value)
      return value;
  }
  return NULL;
}

bool ranks_launched(void) {
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", NULL};
  return first_of(sizes) != NULL;
}

bool ranks_silence(void) {
  static const char *const numbers[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL};
  const char *rank = first_of(numbers);
  if (!rank || strcmp(rank, "0") == 0)
    return false;
  if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
    exit(1);
  return true;
}

#ifdef GEODISK_WITH_MPI
#include "geodisk/mpi.h"

geodisk_status ranks_start(geodisk_context *context, geodisk_mpi **out) { return geodisk_mpi_start(context, out); }
void ranks_end(geodisk_mpi *mpi) { geodisk_mpi_end(mpi); }
bool ranks_leads(const geodisk_mpi *mpi) { return geodisk_mpi_rank(mpi) == 0; }
int ranks_count(const geodisk_mpi *mpi) { return geodisk_mpi_ranks(mpi); }
geodisk_status ranks_agree(geodisk_context *context, geodisk_mpi *mpi, geodisk_status status) {
  return geodisk_mpi_agree(context, mpi, status);
}
geodisk_status ranks_trainer(geodisk_context *context, geodisk_mpi *mpi, const char *path, bool reverse, const char *resume,
                             const geodisk_train_options *options, geodisk_trainer **out) {
  const geodisk_mpi_source source = {.path = path, .read = {.reverse = reverse}, .resume = resume};
  return geodisk_mpi_trainer_create(context, mpi, &source, options, out);
}

#else

static geodisk_status missing(geodisk_context *context) {
  return geodisk_fail(
      context, GEODISK_ERROR_UNSUPPORTED,
      "this geodisk was built without MPI: it cannot train as one of several processes. Install Open MPI (Debian: "
      "libopenmpi-dev, openmpi-bin) and build it again, or start it without mpirun");
}

geodisk_status ranks_start(geodisk_context *context, geodisk_mpi **out) {
  (void)out;
  return missing(context);
}
void ranks_end(geodisk_mpi *mpi) { (void)mpi; }
bool ranks_leads(const geodisk_mpi *mpi) {
  (void)mpi;
  return true;
}
int ranks_count(const geodisk_mpi *mpi) {
  (void)mpi;
  return 1;
}
geodisk_status ranks_agree(geodisk_context *context, geodisk_mpi *mpi, geodisk_status status) {
  (void)context;
  (void)mpi;
  return status;
}
geodisk_status ranks_trainer(geodisk_context *context, geodisk_mpi *mpi, const char *path, bool reverse, const char *resume,
                             const geodisk_train_options *options, geodisk_trainer **out) {
  (void)mpi;
  (void)path;
  (void)reverse;
  (void)resume;
  (void)options;
  (void)out;
  return missing(context);
}
#endif

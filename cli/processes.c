/* processes.c - the seam between the command and libgeodisk-mpi, which it may have been built without. */
#include "processes.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "args.h"

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

bool ranks_several(void) {
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
  const char *size = first_of(sizes);
  return size != NULL && strtol(size, NULL, 10) > 1;
}

/* Two texts in turn, so that a signal between never finds a half-written one. */
static char last_words[2][1024];
static volatile sig_atomic_t spoken;
static int voice = STDERR_FILENO; /* of ranks above 0 what was standard error; -1: none */
static FILE *unsaid;              /* what they would have said before MPI has started */
static long rank_number;
static bool started;
static long leader; /* rank 0's process */

bool ranks_silence(void) {
  static const char *const numbers[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL};
  const char *rank = first_of(numbers);
  if (!rank || strcmp(rank, "0") == 0)
    return false;
  rank_number = strtol(rank, NULL, 10);
  voice = dup(STDERR_FILENO);
  unsaid = tmpfile();
  if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
    exit(1);
  if (unsaid)
    dup2(fileno(unsaid), STDERR_FILENO);
  return true;
}

/* Where all ranks fail in the same way, rank 0 says so, and mpirun ends the others meanwhile. */
int ranks_speak_up(int code) {
  char text[4096];
  if (started || code == 0)
    return 0;
  if (sleep(2) > 0)
    return code; /* told to end */
  fflush(stderr);
  const ssize_t length = unsaid ? pread(fileno(unsaid), text, sizeof text, 0) : 0;
  if (voice >= 0) {
    dprintf(voice, "geodisk: rank %ld failed before it could join the others:\n", rank_number);
    if (length > 0 && write(voice, text, (size_t)length) < 0)
      return code; /* nobody listens */
  }
  return code;
}

void ranks_last_words(const char *format, ...) {
  const int next = 1 - (int)spoken;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(last_words[next], sizeof last_words[next], format, arguments);
  va_end(arguments);
  spoken = next;
}

static void on_end(int signal_number) {
  cli_interrupt();
  if (signal_number != SIGTERM || voice < 0 || (leader > 0 && kill((pid_t)leader, 0) == 0))
    return;
  const char *text = last_words[spoken];
  size_t length = 0;
  while (text[length])
    length++;
  if (write(voice, text, length) < 0)
    _exit(1); /* nobody listens */
}

/* After MPI_Init, which may set handlers of its own. */
static void listen_for_the_end(void) {
  struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
}

#ifdef GEODISK_WITH_MPI
/* What reading and placing needed for a while shall not count in what a rank takes. glibc gives a large piece back to the system
 * when it is freed, but keeps all later ones of its size, unless the size is settled. */
static void give_memory_back(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 19);
#endif
}

bool ranks_built(void) { return true; }
geodisk_status ranks_start(geodisk_context *context, geodisk_mpi **out) {
  const geodisk_status st = geodisk_mpi_start(context, out);
  if (st != GEODISK_OK)
    return st;
  started = true;
  give_memory_back();
  if (unsaid && !freopen("/dev/null", "w", stderr))
    return geodisk_fail(context, GEODISK_ERROR_IO, "/dev/null cannot be opened");
  if (rank_number > 1)
    voice = -1; /* rank 1 speaks in case that rank 0 has died */
  leader = geodisk_mpi_rank(*out) == 0 ? 0 : geodisk_mpi_leader(*out);
  if (geodisk_mpi_rank(*out) != 0 && leader == 0)
    voice = -1; /* on another machine one cannot know */
  listen_for_the_end();
  return st;
}

#else
bool ranks_built(void) { return false; }

static geodisk_status missing(geodisk_context *context) {
  return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED,
                      "this geodisk was built without MPI: it cannot work as one of several processes. Install Open MPI (Debian: "
                      "libopenmpi-dev, openmpi-bin) and build it again, or start it without mpirun");
}

/* What stands in for libgeodisk-mpi: one process. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
geodisk_status ranks_start(geodisk_context *context, geodisk_mpi **out) {
  (void)listen_for_the_end;
  (void)started;
  return missing(context);
}
void geodisk_mpi_end(geodisk_mpi *mpi) {}
int geodisk_mpi_rank(const geodisk_mpi *mpi) { return 0; }
int geodisk_mpi_ranks(const geodisk_mpi *mpi) { return 1; }
uint64_t geodisk_mpi_peak_memory(geodisk_mpi *mpi) { return 0; }
geodisk_mpi_traffic geodisk_mpi_trainer_traffic(const geodisk_trainer *trainer) { return (geodisk_mpi_traffic){0}; }
geodisk_status geodisk_mpi_agree(geodisk_context *context, geodisk_mpi *mpi, geodisk_status status) { return status; }
geodisk_status geodisk_mpi_trainer_create(geodisk_context *context, geodisk_mpi *mpi, const geodisk_mpi_source *source,
                                          const geodisk_train_options *options, geodisk_trainer **out) {
  return missing(context);
}
geodisk_status geodisk_mpi_eval_ranking(geodisk_context *context, geodisk_mpi *mpi, const geodisk_mpi_judged *judged,
                                        const geodisk_ranking_options *options, uint64_t *nodes, geodisk_ranking *out) {
  return missing(context);
}
geodisk_status geodisk_mpi_export(geodisk_context *context, geodisk_mpi *mpi, const char *model, const char *path,
                                  const geodisk_export_options *options, geodisk_mpi_exported *out) {
  return missing(context);
}
#endif

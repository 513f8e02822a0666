/* bench_measure.c - what the topics of `geodisk bench` share: clocks, peak memory, a process of its own for a measurement, and
 * temporary files. */
#include "bench.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bench_time bench_now(void) { return (bench_time){seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID)}; }

bench_time bench_since(bench_time start) {
  const bench_time now = bench_now();
  return (bench_time){now.wall - start.wall, now.cpu - start.cpu};
}

bench_time bench_better(bench_time a, bench_time b) {
  return (bench_time){a.wall < b.wall ? a.wall : b.wall, a.cpu < b.cpu ? a.cpu : b.cpu};
}

double bench_peak_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss;
}

void bench_processor(char *name, size_t room) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(name, room, "unknown processor");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
      line[strcspn(line, "\n")] = 0;
      snprintf(name, room, "%s", strchr(line, ':') + 2);
      break;
    }
  if (file != NULL)
    fclose(file);
}

bool bench_first_line(const char *command, char *line, size_t room) {
  FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a fixed command */
  const bool there = pipe != NULL && fgets(line, (int)room, pipe) != NULL;
  if (there)
    line[strcspn(line, "\n")] = 0;
  char rest[256];
  while (there && fgets(rest, sizeof rest, pipe) != NULL) {
  }
  if (pipe != NULL)
    pclose(pipe);
  return there;
}

char *bench_read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  long length = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0)
    length = ftell(file);
  if (length >= 0 && fseek(file, 0, SEEK_SET) == 0)
    bytes = geodisk_allocate((size_t)length + 1, 1);
  if (bytes != NULL) {
    *size = fread(bytes, 1, (size_t)length, file);
    bytes[*size] = 0;
  }
  if (file != NULL)
    fclose(file);
  return bytes;
}

/* What the child writes, as a whole. Who asks for the end may have asked this process alone: the child is told too. */
static bool receive(int from, pid_t child, void *result, size_t size) {
  struct pollfd there = {.fd = from, .events = POLLIN};
  bool told = false;
  int ready;
  while ((ready = poll(&there, 1, 200)) == 0 || (ready < 0 && errno == EINTR))
    if (cli_interrupted() && !told)
      told = kill(child, cli_interrupted_code() - 128) == 0;
  return ready > 0 && read(from, result, size) == (ssize_t)size;
}

int bench_in_child(bench_job *job, void *argument, void *result, size_t size) {
  int ends[2];
  if (pipe(ends) != 0)
    return cli_error("cannot start a measurement: %s", strerror(errno));
  fflush(stdout);
  cli_listen();
  const pid_t child = fork();
  if (child == 0) {
    const int code = job(argument, result);
    const bool sent = code == EXIT_OK && write(ends[1], result, size) == (ssize_t)size; /* a pipe takes it in one piece */
    _exit(code != EXIT_OK || sent ? code : EXIT_FAILED);
  }
  close(ends[1]);
  const bool whole = child > 0 && receive(ends[0], child, result, size);
  close(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (cli_interrupted())
    return cli_interrupted_code();
  if (whole)
    return EXIT_OK;
  if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) != EXIT_OK)
    return WEXITSTATUS(status); /* it has said why */
  return cli_error("a measurement ended early");
}

FILE *bench_temporary(char *path, size_t room) {
  const char *folder = getenv("TMPDIR");
  cli_listen(); /* it is to be removed at the end, whatever end that is */
  const int length = snprintf(path, room, "%s/geodisk-bench-XXXXXX", folder != NULL && *folder != 0 ? folder : "/tmp");
  const int fd = (size_t)length < room ? mkstemp(path) : (errno = ENAMETOOLONG, -1);
  FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (file == NULL)
    cli_error("%s: cannot open: %s", path, strerror(errno));
  return file;
}

bool bench_temporary_name(char *path, size_t room) {
  FILE *file = bench_temporary(path, room);
  if (file != NULL)
    fclose(file);
  return file != NULL;
}

geodisk_status bench_write_nouns(geodisk_context *context, const char *dict, const geodisk_wordnet_options *options,
                                 const char *path, geodisk_graph **out) {
  geodisk_graph *graph = NULL;
  geodisk_status status = geodisk_graph_read_wordnet(context, dict, options, NULL, &graph);
  if (status == GEODISK_OK)
    status = geodisk_graph_write(context, graph, path, NULL);
  if (out != NULL)
    *out = graph;
  else
    geodisk_graph_destroy(graph);
  return status;
}

geodisk_status bench_run_geodisk(geodisk_context *context, const char *before, const char *words, char *line, size_t room) {
  char program[2048], command[8192];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length < 0)
    return geodisk_fail(context, GEODISK_ERROR_IO, "cannot find my own program: %s", strerror(errno));
  program[length] = 0;
  snprintf(command, sizeof command, "%s'%s' %s --json --quiet </dev/null", before, program, words);
  fflush(stdout);
  FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): of our own making */
  const bool read = pipe != NULL && fgets(line, (int)room, pipe) != NULL;
  if (pipe == NULL || pclose(pipe) != 0 || !read)
    return geodisk_fail(context, GEODISK_ERROR_IO, "this failed: %s", command);
  return GEODISK_OK;
}

bool bench_find_number(const char *line, const char *key, double *out) {
  char name[64];
  const int length = snprintf(name, sizeof name, "\"%s\":", key);
  const char *at = strstr(line, name);
  char *end = NULL;
  if (at == NULL)
    return false;
  at += length + (at[length] == '[');
  *out = strtod(at, &end);
  return end > at;
}

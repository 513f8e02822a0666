/* bench_cuda_command.c - the whole command on a device, as somebody types it: `geodisk train` reads a TSV, trains to MAP .995 and
 * writes the model; `geodisk eval` reads both and ranks all edges. */
#include "bench_cuda.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs geodisk with these words; the line of JSON that it prints goes to `line`. */
static geodisk_status run_words(geodisk_context *context, const char *words, char *line, size_t room, double *seconds) {
  char program[2048], command[8192];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length < 0)
    return geodisk_fail(context, GEODISK_ERROR_IO, "cannot find my own program: %s", strerror(errno));
  program[length] = 0;
  snprintf(command, sizeof command, "'%s' %s --json --quiet </dev/null", program, words);
  fflush(stdout);
  const bench_time start = bench_now();
  FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): of our own making */
  line[0] = 0;
  const bool read = pipe && fgets(line, (int)room, pipe);
  if (!pipe || pclose(pipe) != 0 || !read)
    return geodisk_fail(context, GEODISK_ERROR_IO, "this failed: %s", command);
  *seconds = bench_since(start).wall;
  return GEODISK_OK;
}

/* "map":0.9961, or "map":[0.9961, ... */
static bool find_map(const char *line, double *out) {
  const char *at = strstr(line, "\"map\":");
  if (!at)
    return false;
  at += strlen("\"map\":");
  *out = strtod(at + (*at == '['), NULL);
  return true;
}

static geodisk_status run_both(geodisk_context *context, const char *graph, const char *model, const bench_cuda_length *length,
                               bench_cuda_whole *out) {
  char words[6144], line[8192];
  snprintf(words, sizeof words, "train '%s' -o '%s' --dim %d --precision float --core-epochs %d --epochs %d --device cuda", graph,
           model, BENCH_CUDA_DIM, (int)length->core_epochs, (int)length->epochs);
  geodisk_status st = run_words(context, words, line, sizeof line, &out->train);
  if (st != GEODISK_OK)
    return st;
  snprintf(words, sizeof words, "eval '%s' '%s' --tasks reconstruction --device cuda", model, graph);
  st = run_words(context, words, line, sizeof line, &out->eval);
  if (st == GEODISK_OK && !find_map(line, &out->map))
    st = geodisk_fail(context, GEODISK_ERROR_FORMAT, "an evaluation did not say how it went: %s", line);
  return st;
}

geodisk_status bench_cuda_command(geodisk_context *context, const geodisk_graph *graph, const char *path,
                                  const bench_cuda_length *length, bench_cuda_whole *out) {
  char model[2048], written[2048] = "";
  FILE *file = bench_temporary(model, sizeof model), *tsv = path ? NULL : bench_temporary(written, sizeof written);
  geodisk_status st = GEODISK_OK;
  if (!file || (!path && !tsv))
    st = geodisk_fail(context, GEODISK_ERROR_IO, "there is no place for a temporary file");
  if (st == GEODISK_OK && !path)
    st = geodisk_graph_write(context, graph, written, NULL);
  if (st == GEODISK_OK)
    st = run_both(context, path ? path : written, model, length, out);
  if (file) {
    fclose(file);
    unlink(model);
  }
  if (tsv) {
    fclose(tsv);
    unlink(written);
  }
  return st;
}

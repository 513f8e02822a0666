/* bench_cuda_command.c - the whole command on a device, as somebody types it: `geodisk train` reads a TSV, trains to MAP .995 and
 * writes the model; `geodisk eval` reads both and ranks all edges. */
#include "bench_cuda.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static geodisk_status run_words(geodisk_context *context, const char *words, char *line, size_t room, double *seconds) {
  const bench_time start = bench_now();
  const geodisk_status st = bench_run_geodisk(context, "", words, line, room);
  *seconds = bench_since(start).wall;
  return st;
}

static geodisk_status run_both(geodisk_context *context, const char *graph, const char *model, const bench_cuda_length *length,
                               bench_cuda_whole *out) {
  char words[6144], line[8192] = "";
  snprintf(words, sizeof words, "train '%s' -o '%s' --dim %d --precision float --core-epochs %d --epochs %d --device cuda", graph,
           model, BENCH_CUDA_DIM, (int)length->core_epochs, (int)length->epochs);
  geodisk_status st = run_words(context, words, line, sizeof line, &out->train);
  if (st != GEODISK_OK)
    return st;
  snprintf(words, sizeof words, "eval '%s' '%s' --tasks reconstruction --device cuda", model, graph);
  st = run_words(context, words, line, sizeof line, &out->eval);
  if (st == GEODISK_OK && !bench_find_number(line, "map", &out->map))
    st = geodisk_fail(context, GEODISK_ERROR_FORMAT, "an evaluation did not say how it went: %s", line);
  return st;
}

geodisk_status bench_cuda_command(geodisk_context *context, const geodisk_graph *graph, const char *path,
                                  const bench_cuda_length *length, bench_cuda_whole *out) {
  char model[2048], written[2048] = "";
  const bool file = bench_temporary_name(model, sizeof model), tsv = !path && bench_temporary_name(written, sizeof written);
  geodisk_status st = GEODISK_OK;
  if (!file || (!path && !tsv))
    st = geodisk_fail(context, GEODISK_ERROR_IO, "there is no place for a temporary file");
  if (st == GEODISK_OK && !path)
    st = geodisk_graph_write(context, graph, written, NULL);
  if (st == GEODISK_OK)
    st = run_both(context, path ? path : written, model, length, out);
  if (file)
    unlink(model);
  if (tsv)
    unlink(written);
  return st;
}

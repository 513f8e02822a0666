/* bench_cuda.h - what the files of `geodisk bench cuda` share. */
#pragma once

#include "bench.h"
#include "geodisk/embed.h"

enum { BENCH_CUDA_DIM = 10 };

/* How long a training is. */
typedef struct bench_cuda_length {
  uint64_t core_epochs, epochs;
} bench_cuda_length;

/* The whole command (bench_cuda_command.c): seconds of both, and the MAP that the second says. */
typedef struct bench_cuda_whole {
  double train, eval, map;
} bench_cuda_whole;
/* path NULL: of the graph, written as a TSV first, which is not timed. */
geodisk_status bench_cuda_command(geodisk_context *context, const geodisk_graph *graph, const char *path,
                                  const bench_cuda_length *length, bench_cuda_whole *out);

/* Bytes compared with the processor's (bench_cuda_bytes.c). NUMERIC, with the first that differs. */
typedef struct bench_cuda_compared {
  int sets, graphs, trainings; /* on the device */
  double seconds;
} bench_cuda_compared;
geodisk_status bench_cuda_bytes(geodisk_context *context, int runs, bench_cuda_compared *out);

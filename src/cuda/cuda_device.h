/* cuda_device.h - what the sources for CUDA share: errors as statuses with a reason, and memory. */
#pragma once

#include <cuda_runtime.h>

#include "kernel/device.h"

/* OK, or the status of an error of CUDA with what was being done and its reason in `why`. */
geodisk_status cuda_status(cudaError_t error, const char *doing, char *why);
/* Bytes that may still be taken, and all there are: what is free, or less if the environment's GEODISK_CUDA_MEMORY (GiB) says so.
 */
cudaError_t cuda_room(size_t *free_bytes, size_t *all);
/* cudaMalloc; nothing is asked for where it would not fit. */
cudaError_t cuda_reserve(size_t bytes, void **out);

/* Returns from a function whose caller wants to know why. */
#define TRY(call, what)                                                                                                          \
  do {                                                                                                                           \
    const geodisk_status tried = cuda_status((call), what, why);                                                                 \
    if (tried != GEODISK_OK)                                                                                                     \
      return tried;                                                                                                              \
  } while (0)

/* An array of a job on the device: copied from the host, or zeros, or left as it is. */
typedef enum part_kind { PART_COPY, PART_ZERO, PART_ROOM } part_kind;
typedef struct cuda_part {
  void *at; /* the address of the pointer to it */
  size_t bytes;
  part_kind kind;
  const void *from;
} cuda_part;

/* All arrays of a job in one piece of memory, and its stream. Both are kept for the next job: to ask the driver for them takes
 * longer than many a job. */
typedef struct cuda_arena {
  void *memory;
  size_t size;
  cudaStream_t stream;
} cuda_arena;

/* MEMORY: what it is for ("a ranking"), what it needs and what is free. */
geodisk_status arena_open(cuda_arena *a, const cuda_part *parts, size_t count, const char *what, char *why);
void arena_close(cuda_arena *a); /* waits for its stream; also after a failure */

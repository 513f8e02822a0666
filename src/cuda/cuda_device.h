/* cuda_device.h - what the sources for CUDA share: errors as statuses with a reason, and memory. */
#ifndef GEODISK_CUDA_DEVICE_H
#define GEODISK_CUDA_DEVICE_H

#include <cuda_runtime.h>

#include "kernel/device.h"

/* OK, or the status of an error of CUDA with what was being done and its reason in `why`. */
geodisk_status cuda_status(cudaError_t error, const char *doing, char *why);
/* cudaMalloc; nothing is asked for where it would not fit. */
cudaError_t cuda_reserve(size_t bytes, void **out);

#endif

/* kernel_sse2.c - the vector kernels for SSE2; CMakeLists.txt gives this file its own flags. */
#define KERNEL_SSE2
#define KERNEL_NAME  "sse2"
#define KERNEL_TABLE geodisk_kernel_sse2
#include "simd_kernels.h"

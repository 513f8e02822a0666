/* kernel_avx2.c - the vector kernels for AVX2; CMakeLists.txt gives this file its own flags. */
#define KERNEL_AVX2
#define KERNEL_NAME  "avx2"
#define KERNEL_TABLE geodisk_kernel_avx2
#include "simd_kernels.h"

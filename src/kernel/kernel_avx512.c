/* kernel_avx512.c - the vector kernels for AVX512; CMakeLists.txt gives this file its own flags. */
#define KERNEL_AVX512
#define KERNEL_NAME  "avx512"
#define KERNEL_TABLE geodisk_kernel_avx512
#include "simd_kernels.h"

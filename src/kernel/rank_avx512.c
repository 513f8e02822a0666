/* rank_avx512.c - the kernels of the evaluation for avx512; the build gives this file its flags. */
#define KERNEL_AVX512
#define RANK_TABLE geodisk_rank_avx512
#define RANK_NAME  "avx512"
#include "rank_simd.h"

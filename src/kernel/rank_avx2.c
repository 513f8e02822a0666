/* rank_avx2.c - the kernels of the evaluation for avx2; the build gives this file its flags. */
#define KERNEL_AVX2
#define RANK_TABLE geodisk_rank_avx2
#define RANK_NAME  "avx2"
#include "rank_simd.h"

/* rank_sse2.c - the kernels of the evaluation for sse2; the build gives this file its flags. */
#define RANK_TABLE geodisk_rank_sse2
#define RANK_NAME  "sse2"
#include "rank_simd.h"

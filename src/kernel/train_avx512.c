/* train_avx512.c - the trainer's kernels for AVX-512; the build gives this file its flags. */
#define KERNEL_AVX512
#define TRAIN_TABLE geodisk_train_avx512
#define TRAIN_NAME  "avx512"
#include "train_isa.h"

/* train_avx2.c - the trainer's kernels for AVX2; the build gives this file its flags. */
#define KERNEL_AVX2
#define TRAIN_TABLE geodisk_train_avx2
#define TRAIN_NAME  "avx2"
#include "train_isa.h"

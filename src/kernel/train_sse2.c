/* train_sse2.c - the trainer's kernels for SSE2; the build gives this file its flags. */
#define KERNEL_SSE2
#define TRAIN_TABLE geodisk_train_sse2
#define TRAIN_NAME  "sse2"
#include "train_isa.h"

/* train_neon.c - the trainer's kernels for NEON; the build gives this file its flags. */
#define KERNEL_NEON
#define TRAIN_TABLE geodisk_train_neon
#define TRAIN_NAME  "neon"
#include "train_isa.h"

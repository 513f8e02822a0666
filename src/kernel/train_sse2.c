/* train_sse2.c - the training step for sse2; the build gives this file its flags. */

#define TRAIN_TABLE geodisk_train_sse2
#define TRAIN_NAME  "sse2"
#include "train_simd.h"

/* train.c - the choice of the trainer's kernels by name. */
#include "train.h"

#include <string.h>

const train_table *geodisk_train_table(const char *name) {
  static const train_table *const tables[] = {
#ifdef GEODISK_SIMD_X86
      &geodisk_train_avx512, &geodisk_train_avx2, &geodisk_train_sse2,
#endif
#ifdef GEODISK_SIMD_ARM
      &geodisk_train_neon,
#endif
      NULL};
  for (size_t i = 0; tables[i]; i++)
    if (strcmp(tables[i]->name, name) == 0)
      return tables[i];
  return NULL;
}

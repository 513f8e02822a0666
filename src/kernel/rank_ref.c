/* rank_ref.c - the kernels of the evaluation in plain C, the truth the vector versions are held to, and the choice of a table. */
#include <math.h>
#include <string.h>

#include "rank.h"

#define real        double
#define PLAIN(name) plain_double_##name
#define REAL_FMA    fma
#include "rank_plain.h"
#undef real
#undef PLAIN
#undef REAL_FMA

#define real        float
#define PLAIN(name) plain_float_##name
#define REAL_FMA    fmaf
#include "rank_plain.h"

static void distances(rank_distance kind, double scale, double unit, size_t n, const double *q, double *out) {
  for (size_t j = 0; j < n; j++) {
    const double root = sqrt(q[j] * scale);
    out[j] = kind == RANK_FLAT ? unit * root : unit * 2.0 * asinh(root);
  }
}

const rank_table geodisk_rank_ref = {.name = "ref",
                                     .d = {plain_double_tile, plain_double_count, plain_double_sum},
                                     .f = {plain_float_tile, plain_float_count, plain_float_sum},
                                     .distances = distances};

const rank_table *geodisk_rank_table(const char *name) {
#ifdef GEODISK_SIMD_X86
  static const rank_table *const tables[] = {&geodisk_rank_avx512, &geodisk_rank_avx2, &geodisk_rank_sse2};
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
    if (strcmp(tables[i]->name, name) == 0)
      return tables[i];
#endif
  (void)name;
  return &geodisk_rank_ref;
}

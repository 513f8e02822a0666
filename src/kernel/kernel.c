/* kernel.c - the choice of a kernel table by name, and the ball in the form the kernels want. */
#include "kernel.h"

#include <math.h>
#include <string.h>

const kernel_table *geodisk_kernel_table(const char *name) {
#ifdef GEODISK_SIMD_X86
  static const kernel_table *const tables[] = {&geodisk_kernel_avx512, &geodisk_kernel_avx2, &geodisk_kernel_sse2};
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
    if (strcmp(tables[i]->name, name) == 0)
      return tables[i];
#endif
  (void)name;
  return &geodisk_kernel_ref;
}

bool geodisk_kernel_ball(int dim, double radius, double curvature, kernel_ball *out) {
  if (!(dim >= 1 && radius >= 0x1p-200 && radius <= 0x1p200 && curvature >= 0x1p-400 && curvature <= 0x1p400))
    return false;
  const double square = radius * radius, columns = dim;
  /* Double rows: the compensated sum is off by about dim 2^-107 R^2 (at worst dim^2 2^-106), which shall stay below 2^-56 S;
   * 2^-44 leaves room for the rounding of a result near the rim. Float rows: the plain sum is off by at most
   * (dim/32 + 16) 2^-54 R^2, which shall stay below 2^-25 S. */
  *out = (kernel_ball){.dim = (size_t)dim,
                       .radius = radius,
                       .square = square,
                       .square_rest = fma(radius, radius, -square),
                       .grid = exp2(ceil(log2(square))),
                       .curvature = curvature,
                       .unit = 1.0 / sqrt(curvature),
                       .shallow = square * fmax(0x1p-44, columns * 0x1p-50),
                       .shallow_float = square * fmax(0x1p-24, (columns / 32 + 16) * 0x1p-29)};
  return true;
}

/* kernel_functions.h - the initialiser of a kernel table, from functions of the names of kernel.h (float ones with suffix f). The
 * last lines of ref.c and of simd_kernels.h. */
#define FUNCTIONS(suffix)                                                                                                        \
  {                                                                                                                              \
    .gaps = gaps##suffix, .sinh2_many = sinh2_many##suffix, .distance_many = distance_many##suffix,                              \
    .distance_rows = distance_rows##suffix, .distance_tile = distance_tile##suffix, .exp_many = exp_many##suffix,                \
    .geodesic_step = geodesic_step##suffix, .natural_step = natural_step##suffix,                                                \
  }

const kernel_table KERNEL_TABLE = {
    .name = KERNEL_NAME, .d = FUNCTIONS(), .f = FUNCTIONS(f), .mean_plain = MEAN_PLAIN, .mean_accurate = MEAN_ACCURATE};

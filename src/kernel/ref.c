/* ref.c - the kernels in plain C, a row at a time, with libm and double-double sums: the truth the vector kernels are held to,
 * and what runs on processors without any of them. */

#include "dd.h"
#include "kernel.h"
#include "kernel_limits.h"

typedef enum verdict { EASY, HARD, OUTSIDE } verdict; /* of a row */

#define REAL    double
#define NAME(x) x
#include "ref_rows.h"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##f
#include "ref_rows.h"
#undef REAL
#undef NAME

#define KERNEL_NAME   "ref"
#define KERNEL_TABLE  geodisk_kernel_ref
#define MEAN_PLAIN    geodisk_mean_plain_ref /* mean_ref.c */
#define MEAN_ACCURATE geodisk_mean_accurate_ref
#include "kernel_functions.h"

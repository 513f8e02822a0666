/* kernel.h - the table of vector kernels: one per instruction set, chosen by name at run time.
 *
 * A kernel works on at most KERNEL_ROWS rows on one thread; src/ball/batch.c and its likes split batches into such chunks. What a
 * kernel computes for a row depends on that row alone: never on its position, its neighbours or n.
 *
 * Kernels handle the rows that are easy in double. Hard rows (nearly on the rim, differences that underflow, a step whose answer
 * is ill-conditioned) are listed in `hard` and their number is returned. The caller computes them with the accurate functions of
 * its own module: kernel stands below them and cannot call up. Where points are written, hard rows stay untouched, so `out` may
 * be an input; where numbers are written, a hard row's number means nothing. Rows clearly outside the ball get NaN at once; rows
 * with NaN or infinite numbers come back as hard.
 *
 * Every kernel exists for rows of double and of float (float rows are widened, all arithmetic is double, results round once).
 *
 * To add a kernel: 1. a member of KERNEL_FUNCTIONS, with shapes in the comment; 2. the plain version in ref_rows.h; 3. the vector
 * version in a simd_*.h written with the operations of simd.h; 4. one line in kernel_functions.h, which names it in all tables.
 * Nothing else: the build compiles it for every instruction set. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mean_pass.h"

enum { KERNEL_ROWS = 256, KERNEL_TILE_X = 16, KERNEL_TILE_Y = 64, KERNEL_TILE = KERNEL_TILE_X * KERNEL_TILE_Y };

/* The ball as the kernels want it. */
typedef struct kernel_ball {
  size_t dim;
  double radius;                 /* R */
  double square, square_rest;    /* R^2 = square + square_rest, to 106 bits */
  double grid;                   /* the power of two with R^2 <= grid < 2 R^2 */
  double curvature;              /* k */
  double unit;                   /* 1/sqrt(k): a length in the ball of curvature -1 times this is the length here */
  double shallow, shallow_float; /* the least gap that is not hard, rows of double and of float */
} kernel_ball;

/* Fills `out`; false if the ball is not valid, or so large or small that squares would leave the range of double: then every row
 * is hard, do not call a kernel. */
bool geodisk_kernel_ball(int dim, double radius, double curvature, kernel_ball *out);

/* The kernels for rows of type `real`. `hard` has room for all rows (pairs) of the call. Arrays are row-major.
 *
 *   gaps           out[i] = S(x_i)                               x: n x dim; out is double for both types
 *   sinh2_many     out[i] = sinh^2(sqrt(k) d(x, y_i) / 2)        x: dim; y: n x dim; x_gap[0] > 0: the gap of x, x_gap[1]: what
 *   distance_many  out[i] = d(x, y_i)                              the exact gap is more than that; y_gap: n gaps that go with y
 *                                                                  as geodisk_distance_gap takes them, or NULL
 *   distance_rows  out[i] = d(x_i, y_i)                          x, y: n x dim
 *   distance_tile  out[i*stride + j] = d(x_i, y_j)               x: m x dim, m <= KERNEL_TILE_X; y: n x dim, n <= KERNEL_TILE_Y;
 *                                                                  x_gap, y_gap: exact gaps or NaN; hard: i*KERNEL_TILE_Y + j
 *   exp_many       out_i = exp at x_i of v_i                     x, v, out: n x dim; out_gap: n or NULL; out may be x or v
 *   geodesic_step  out_i = exp at x_i of c df_i,                 x, df, out: n x dim; out may be x or df
 *                  c = -lr k S(x_i)^2 / (4R^2)
 *   natural_step   out_i = project(x_i + c df_i, margin)         the same; *projected += how many were projected
 */
/* NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type */
#define KERNEL_FUNCTIONS(real)                                                                                                   \
  struct {                                                                                                                       \
    size_t (*gaps)(const kernel_ball *ball, size_t n, const real *x, double *out, uint16_t *hard);                               \
    size_t (*sinh2_many)(const kernel_ball *ball, const real *x, const double x_gap[2], size_t n, const real *y,                 \
                         const real *y_gap, real *out, uint16_t *hard);                                                          \
    size_t (*distance_many)(const kernel_ball *ball, const real *x, const double x_gap[2], size_t n, const real *y,              \
                            const real *y_gap, real *out, uint16_t *hard);                                                       \
    size_t (*distance_rows)(const kernel_ball *ball, size_t n, const real *x, const real *y, real *out, uint16_t *hard);         \
    size_t (*distance_tile)(const kernel_ball *ball, size_t m, const real *x, const double *x_gap, size_t n, const real *y,      \
                            const double *y_gap, real *out, size_t stride, uint16_t *hard);                                      \
    size_t (*exp_many)(const kernel_ball *ball, size_t n, const real *x, const real *v, real *out, real *out_gap,                \
                       uint16_t *hard);                                                                                          \
    size_t (*geodesic_step)(const kernel_ball *ball, size_t n, const real *x, const real *df, double lr, real *out,              \
                            uint16_t *hard);                                                                                     \
    size_t (*natural_step)(const kernel_ball *ball, size_t n, const real *x, const real *df, double lr, double margin,           \
                           real *out, size_t *projected, uint16_t *hard);                                                        \
  }

/* NOLINTEND(bugprone-macro-parentheses) */

typedef KERNEL_FUNCTIONS(double) kernel_double;
typedef KERNEL_FUNCTIONS(float) kernel_float;

typedef struct kernel_table {
  const char *name; /* as geodisk_instruction_set gives it */
  kernel_double d;
  kernel_float f;
  mean_pass_fn *mean_plain, *mean_accurate; /* mean_pass.h */
} kernel_table;

/* The table of that name; the plain one ("ref") for a name that was not built in. */
const kernel_table *geodisk_kernel_table(const char *name);

extern const kernel_table geodisk_kernel_ref, geodisk_kernel_sse2, geodisk_kernel_avx2, geodisk_kernel_avx512;

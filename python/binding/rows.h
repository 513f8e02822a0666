/* rows.h - loops over rows for the functions of ball.h that take one point at a time, so that NumPy arrays go through in one
 * call.
 *
 * A function is handed over by its address. Operand a of row i begins at a + i * a_step, so a step of 0 is the same point for
 * every row and nothing needs to be repeated in memory. Rows are spread over the context's threads (NULL: this one). The names
 * tell what a function takes: p a point or tangent, s a number; and what it gives: a point or a number. */
#pragma once

#include <geodisk/geodisk.h>

#define ROWS_OF(real, f)                                                                                                         \
  typedef struct rows_operands##f {                                                                                              \
    size_t n;                                                                                                                    \
    const real *a, *b, *c, *s;                                                                                                   \
    size_t a_step, b_step, c_step, s_step;                                                                                       \
    real *out;                                                                                                                   \
    size_t out_step;                                                                                                             \
  } rows_operands##f;                                                                                                            \
  typedef void (*rows_p_point##f)(const geodisk_ball *, const real *, real *);                                                   \
  typedef void (*rows_pp_point##f)(const geodisk_ball *, const real *, const real *, real *);                                    \
  typedef void (*rows_ppp_point##f)(const geodisk_ball *, const real *, const real *, const real *, real *);                     \
  typedef void (*rows_pps_point##f)(const geodisk_ball *, const real *, const real *, real, real *);                             \
  typedef void (*rows_sp_point##f)(const geodisk_ball *, real, const real *, real *);                                            \
  typedef real (*rows_s_number##f)(const geodisk_ball *, real);                                                                  \
  typedef real (*rows_p_number##f)(const geodisk_ball *, const real *);                                                          \
  typedef real (*rows_pp_number##f)(const geodisk_ball *, const real *, const real *);                                           \
  typedef real (*rows_ppp_number##f)(const geodisk_ball *, const real *, const real *, const real *);                            \
  ROWS_MAP(p_point##f, f)                                                                                                        \
  ROWS_MAP(pp_point##f, f) ROWS_MAP(ppp_point##f, f) ROWS_MAP(pps_point##f, f) ROWS_MAP(sp_point##f, f) ROWS_MAP(s_number##f, f) \
      ROWS_MAP(p_number##f, f) ROWS_MAP(pp_number##f, f) ROWS_MAP(ppp_number##f, f)
#define ROWS_MAP(name, f)                                                                                                        \
  void rows_map_##name(geodisk_context *context, const geodisk_ball *ball, rows_##name function, const rows_operands##f *o);

ROWS_OF(double, )
ROWS_OF(float, f)

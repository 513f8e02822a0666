/* batch.c - many points at once: the rows of a batch are split into tasks for the context's threads and into chunks for the
 * vector kernels (src/kernel). Rows the kernels call hard are computed here, with the operations of point.h, in double-double.
 *
 * A row's result depends on that row alone, so neither the split nor the number of threads shows in it. */
#include <stdatomic.h>

#include "kernel/kernel.h"
#include "point.h"

#ifdef GEODISK_SINGLE
typedef kernel_float kernels;
#define KERNELS(table) (&(table)->f)
#else
typedef kernel_double kernels;
#define KERNELS(table) (&(table)->d)
#endif

/* Rows of a task, some ten microseconds at least; of all pairs it is a strip KERNEL_TILE_X rows high. */
static const size_t TASK_ROWS = 4 * (size_t)KERNEL_ROWS, STRIP_WIDTH = 16 * (size_t)KERNEL_TILE_Y;

/* A call of a batch function: its arguments, and what they have in common. */
typedef struct batch {
  const geodisk_ball *ball;
  frame f;
  kernel_ball kernel_ball;
  const kernels *kernels; /* NULL: no vector code for such a ball */
  bool sinh2;             /* distances: sinh^2(sqrt(k) d/2) is wanted */
  point one;              /* distances: the one point, */
  double one_gap[2];      /* its gap and what the exact gap is more, caller's units */
  size_t n, m;            /* rows of x (or y, where x is one), rows of y in all pairs */
  const real *x, *y;      /* rows; y: tangents, gradients or the second points */
  const real *y_gap;
  double lr, margin;
  real *out, *out_gap;
  atomic_size_t projected;
} batch;

/* Fills the common part. False: the ball is not one. */
static bool start(geodisk_context *context, const geodisk_ball *ball, batch *b) {
  b->ball = ball;
  if (!INTERNAL(load_frame)(ball, &b->f))
    return false;
  if (geodisk_kernel_ball(ball->dim, ball->radius, ball->curvature, &b->kernel_ball))
    b->kernels = KERNELS(geodisk_kernel_table(geodisk_instruction_set(context)));
  return true;
}

static void run(geodisk_context *context, size_t rows, geodisk_task_fn task, batch *b) {
  geodisk_parallel(context, rows / TASK_ROWS + (rows % TASK_ROWS != 0), task, b);
}

/* The next chunk of task `index`: its first row and number of rows; false after the last. */
static bool next_chunk(size_t n, size_t index, size_t *first, size_t *rows) {
  const size_t begin = index * TASK_ROWS, end = n - begin < TASK_ROWS ? n : begin + TASK_ROWS;
  *first = *rows == 0 ? begin : *first + *rows;
  if (*first >= end)
    return false;
  *rows = end - *first < KERNEL_ROWS ? end - *first : KERNEL_ROWS;
  return true;
}

/* What a batch does when there is no vector code: all rows are hard. */
static size_t all_hard(size_t rows, uint16_t *hard) {
  for (size_t i = 0; i < rows; i++)
    hard[i] = (uint16_t)i;
  return rows;
}

static void nan_numbers(size_t n, real *out) {
  for (size_t i = 0; i < n; i++)
    out[i] = (real)NAN;
}

static void nan_points(const geodisk_ball *ball, size_t n, real *out, real *out_gap) {
  for (size_t i = 0; i < n && ball->dim > 0; i++)
    INTERNAL(fill_nan)(ball, out + i * (size_t)ball->dim, NULL);
  if (out_gap != NULL)
    nan_numbers(n, out_gap);
}

/* ---- distances ------------------------------------------------------------------------------------------------------- */

/* d(x,y) or sinh^2(sqrt(k) d/2) of loaded points. */
static real pair_number(const batch *b, const point *x, const point *y) {
  pair p;
  INTERNAL(load_pair)(&b->f, x, y, &p);
  if (p.equal)
    return (real)0.0;
  if (b->sinh2)
    return to_real_wide(dd_sqr(p.sinh), 2 * p.sinh_exponent);
  return to_real_wide(dd_div(p.half, b->f.root_k), p.half_exponent + 1);
}

static real hard_distance_many(const batch *b, size_t row) {
  const real *y = b->y + row * (size_t)b->f.dim;
  point p;
  return INTERNAL(load_either)(&b->f, y, b->y_gap ? b->y_gap + row : NULL, &p) ? pair_number(b, &b->one, &p) : (real)NAN;
}

static void many_task(void *arg, size_t index) {
  const batch *b = arg;
  uint16_t hard[KERNEL_ROWS];
  for (size_t first = 0, rows = 0; next_chunk(b->n, index, &first, &rows);) {
    const real *y = b->y + first * (size_t)b->f.dim, *gap = b->y_gap ? b->y_gap + first : NULL;
    size_t found;
    if (b->kernels == NULL)
      found = all_hard(rows, hard);
    else
      found = (b->sinh2 ? b->kernels->sinh2_many : b->kernels->distance_many)(&b->kernel_ball, b->one.x, b->one_gap, rows, y, gap,
                                                                              b->out + first, hard);
    for (size_t i = 0; i < found; i++)
      b->out[first + hard[i]] = hard_distance_many(b, first + hard[i]);
  }
}

/* Loads the one point. With gaps given for the others it has a gap of its own: that of its coordinates, rounded. */
static bool load_one(batch *b, const real *x) {
  const dd gap = INTERNAL(exact_gap)(&b->f, x);
  const int square = 2 * b->f.exponent;
  if (b->y_gap == NULL) {
    b->one_gap[0] = ldexp(gap.hi, square);
    b->one_gap[1] = ldexp(gap.lo, square);
    return INTERNAL(load_point)(&b->f, x, 1.0, &b->one);
  }
  if (!(gap.hi > 0.0))
    return false;
  const double rounded = (double)INTERNAL(gap_to_real)(&b->f, gap, 0);
  b->one_gap[0] = rounded;
  b->one_gap[1] = ldexp(dd_round(dd_add_d(gap, -ldexp(rounded, -square))), square);
  return INTERNAL(load_point_gap)(&b->f, x, rounded, &b->one);
}

static void one_to_many(geodisk_context *context, batch *b, const real *x) {
  if (start(context, b->ball, b) && load_one(b, x))
    run(context, b->n, many_task, b);
  else
    nan_numbers(b->n, b->out);
}

void NAME(distance_many)(geodisk_context *context, const geodisk_ball *ball, const real *x, size_t n, const real *y,
                         const real *y_gap, real *out) {
  one_to_many(context, &(batch){.ball = ball, .n = n, .y = y, .y_gap = y_gap, .out = out}, x);
}

void NAME(sinh2_many)(geodisk_context *context, const geodisk_ball *ball, const real *x, size_t n, const real *y,
                      const real *y_gap, real *out) {
  one_to_many(context, &(batch){.ball = ball, .sinh2 = true, .n = n, .y = y, .y_gap = y_gap, .out = out}, x);
}

static void rows_task(void *arg, size_t index) {
  const batch *b = arg;
  const size_t dim = (size_t)b->f.dim;
  uint16_t hard[KERNEL_ROWS];
  for (size_t first = 0, rows = 0; next_chunk(b->n, index, &first, &rows);) {
    const real *x = b->x + first * dim, *y = b->y + first * dim;
    const size_t found =
        b->kernels ? b->kernels->distance_rows(&b->kernel_ball, rows, x, y, b->out + first, hard) : all_hard(rows, hard);
    for (size_t i = 0; i < found; i++)
      b->out[first + hard[i]] = NAME(distance)(b->ball, x + hard[i] * dim, y + hard[i] * dim);
  }
}

void NAME(distance_rows)(geodisk_context *context, const geodisk_ball *ball, size_t n, const real *x, const real *y, real *out) {
  batch b = {.n = n, .x = x, .y = y, .out = out};
  if (start(context, ball, &b))
    run(context, n, rows_task, &b);
  else
    nan_numbers(n, out);
}

/* ---- all pairs ------------------------------------------------------------------------------------------------------- */

/* The gaps of a few rows, all of them exact to a unit; NaN for what is not in the ball. */
static void exact_gaps(const batch *b, size_t rows, const real *x, double *gap) {
  uint16_t hard[KERNEL_ROWS];
  const size_t found = b->kernels->gaps(&b->kernel_ball, rows, x, gap, hard);
  for (size_t i = 0; i < found; i++) {
    const dd exact = INTERNAL(exact_gap)(&b->f, x + hard[i] * (size_t)b->f.dim);
    gap[hard[i]] = exact.hi > 0.0 ? ldexp(exact.hi, 2 * b->f.exponent) : (double)NAN;
  }
}

/* Task: a strip of KERNEL_TILE_X rows of x by STRIP_WIDTH rows of y. */
static void all_task(void *arg, size_t index) {
  const batch *b = arg;
  const size_t dim = (size_t)b->f.dim, strips = (b->n + KERNEL_TILE_X - 1) / KERNEL_TILE_X;
  const size_t row = index % strips * KERNEL_TILE_X, rows = b->n - row < KERNEL_TILE_X ? b->n - row : KERNEL_TILE_X;
  const size_t begin = index / strips * STRIP_WIDTH, end = b->m - begin < STRIP_WIDTH ? b->m : begin + STRIP_WIDTH;
  const real *x = b->x + row * dim;
  double x_gap[KERNEL_TILE_X], y_gap[KERNEL_TILE_Y];
  uint16_t hard[KERNEL_TILE];
  if (b->kernels != NULL)
    exact_gaps(b, rows, x, x_gap);
  for (size_t column = begin; column < end; column += KERNEL_TILE_Y) {
    const size_t columns = end - column < KERNEL_TILE_Y ? end - column : KERNEL_TILE_Y;
    const real *y = b->y + column * dim;
    real *out = b->out + row * b->m + column;
    size_t found;
    if (b->kernels != NULL) {
      exact_gaps(b, columns, y, y_gap);
      found = b->kernels->distance_tile(&b->kernel_ball, rows, x, x_gap, columns, y, y_gap, out, b->m, hard);
    } else {
      found = all_hard(KERNEL_TILE, hard);
    }
    for (size_t h = 0; h < found; h++) {
      const size_t i = hard[h] / KERNEL_TILE_Y, j = hard[h] % KERNEL_TILE_Y;
      if (i < rows && j < columns)
        out[i * b->m + j] = NAME(distance)(b->ball, x + i * dim, y + j * dim);
    }
  }
}

void NAME(distance_all)(geodisk_context *context, const geodisk_ball *ball, size_t n, const real *x, size_t m, const real *y,
                        real *out) {
  batch b = {.n = n, .m = m, .x = x, .y = y, .out = out};
  const size_t strips = (n + KERNEL_TILE_X - 1) / KERNEL_TILE_X;
  if (start(context, ball, &b))
    geodisk_parallel(context, strips * ((m + STRIP_WIDTH - 1) / STRIP_WIDTH), all_task, &b);
  else
    nan_numbers(n * m, out);
}

/* ---- steps ----------------------------------------------------------------------------------------------------------- */

/* The factor -lr / lam^2 = -lr (S sqrt(k) / (2 R))^2 from a gradient to the tangent of a step, times 2^-*exponent. */
static dd step_factor(const batch *b, const point *p, int *exponent) {
  int share_exponent;
  const dd share = normalised(dd_div_d(dd_mul(p->gap, b->f.root_k), 2.0 * b->f.radius), &share_exponent);
  const double lr = frexp(b->lr, exponent);
  *exponent += 2 * (share_exponent + b->f.exponent);
  return dd_mul_d(dd_sqr(share), -lr);
}

static bool hard_exp(const batch *b, size_t row, const double *lr) {
  const size_t at = row * (size_t)b->f.dim;
  point p;
  heading h;
  if (!INTERNAL(load_point)(&b->f, b->x + at, 1.0, &p) || (lr && !(fabs(*lr) <= DBL_MAX)))
    return false;
  int exponent = 0;
  const dd factor = lr ? step_factor(b, &p, &exponent) : dd_from(1.0);
  if (!INTERNAL(load_heading)(b->f.dim, b->y + at, factor.hi < 0.0 ? -1.0 : 1.0, &h))
    return false;
  h.norm = dd_mul(h.norm, factor.hi < 0.0 ? dd_neg(factor) : factor);
  h.exponent += exponent;
  INTERNAL(exp_from)(&b->f, &p, &h, b->out + at, b->out_gap ? b->out_gap + row : NULL);
  return true;
}

static void exp_task(void *arg, size_t index) {
  const batch *b = arg;
  const size_t dim = (size_t)b->f.dim;
  uint16_t hard[KERNEL_ROWS];
  for (size_t first = 0, rows = 0; next_chunk(b->n, index, &first, &rows);) {
    const size_t at = first * dim;
    real *gap = b->out_gap ? b->out_gap + first : NULL;
    const size_t found = b->kernels ? b->kernels->exp_many(&b->kernel_ball, rows, b->x + at, b->y + at, b->out + at, gap, hard)
                                    : all_hard(rows, hard);
    for (size_t i = 0; i < found; i++)
      if (!hard_exp(b, first + hard[i], NULL))
        nan_points(b->ball, 1, b->out + at + hard[i] * dim, gap ? gap + hard[i] : NULL);
  }
}

void NAME(exp_many)(geodisk_context *context, const geodisk_ball *ball, size_t n, const real *x, const real *v, real *out,
                    real *out_gap) {
  batch b = {.n = n, .x = x, .y = v, .out = out, .out_gap = out_gap};
  if (start(context, ball, &b))
    run(context, n, exp_task, &b);
  else
    nan_points(ball, n, out, out_gap);
}

static void geodesic_task(void *arg, size_t index) {
  const batch *b = arg;
  const size_t dim = (size_t)b->f.dim;
  uint16_t hard[KERNEL_ROWS];
  for (size_t first = 0, rows = 0; next_chunk(b->n, index, &first, &rows);) {
    const size_t at = first * dim;
    const size_t found = b->kernels
                             ? b->kernels->geodesic_step(&b->kernel_ball, rows, b->x + at, b->y + at, b->lr, b->out + at, hard)
                             : all_hard(rows, hard);
    for (size_t i = 0; i < found; i++)
      if (!hard_exp(b, first + hard[i], &b->lr))
        nan_points(b->ball, 1, b->out + at + hard[i] * dim, NULL);
  }
}

void NAME(geodesic_step_many)(geodisk_context *context, const geodisk_ball *ball, size_t n, const real *x, const real *df,
                              real lr, real *out) {
  batch b = {.n = n, .x = x, .y = df, .lr = (double)lr, .out = out};
  if (start(context, ball, &b))
    run(context, n, geodesic_task, &b);
  else
    nan_points(ball, n, out, NULL);
}

/* Whether the row was projected. */
static bool hard_natural(const batch *b, size_t row) {
  const size_t at = row * (size_t)b->f.dim;
  const real *x = b->x + at, *df = b->y + at;
  real *out = b->out + at;
  point p;
  if (!INTERNAL(load_point)(&b->f, x, 1.0, &p) || !(fabs(b->lr) <= DBL_MAX)) {
    INTERNAL(fill_nan)(b->ball, out, NULL);
    return false;
  }
  int exponent, df_exponent;
  const dd factor = step_factor(b, &p, &exponent);
  for (int i = 0; i < b->f.dim; i++) {
    const double number = frexp((double)df[i], &df_exponent);
    out[i] = (real)dd_round(dd_add_d(dd_ldexp(dd_mul_d(factor, number), exponent + df_exponent), (double)x[i]));
  }
  return NAME(project)(b->ball, out, (real)b->margin, out);
}

static void natural_task(void *arg, size_t index) {
  batch *b = arg;
  uint16_t hard[KERNEL_ROWS];
  size_t projected = 0;
  for (size_t first = 0, rows = 0; next_chunk(b->n, index, &first, &rows);) {
    const size_t at = first * (size_t)b->f.dim;
    const size_t found = b->kernels ? b->kernels->natural_step(&b->kernel_ball, rows, b->x + at, b->y + at, b->lr, b->margin,
                                                               b->out + at, &projected, hard)
                                    : all_hard(rows, hard);
    for (size_t i = 0; i < found; i++)
      projected += hard_natural(b, first + hard[i]);
  }
  atomic_fetch_add_explicit(&b->projected, projected, memory_order_relaxed);
}

size_t NAME(natural_step_many)(geodisk_context *context, const geodisk_ball *ball, size_t n, const real *x, const real *df,
                               real lr, real margin, real *out) {
  batch b = {.n = n, .x = x, .y = df, .lr = (double)lr, .margin = (double)margin, .out = out};
  if (!(margin > (real)0.0 && margin < (real)1.0) || !start(context, ball, &b)) {
    nan_points(ball, n, out, NULL);
    return 0;
  }
  run(context, n, natural_task, &b);
  return atomic_load(&b.projected);
}

/* simd_distance.h - gaps and distances of rows: q = sinh^2(sqrt(k) d/2) = R^2 |x-y|^2 / (S(x) S(y)) from the sums of simd_rows.h,
 * then d from q (take_distances). Included once for double and once for float rows.
 *
 * Whether a lane is easy is always asked in the form "less than", so that NaN makes it hard. */

/* Lanes whose gap can be trusted, and lanes clearly outside the ball. */
SIMD_INLINE mask NAME(inside)(const kernel_ball *ball, vec gap) {
  return vec_less(vec_all(FLOAT_ROWS ? ball->shallow_float : ball->shallow), gap);
}
SIMD_INLINE mask NAME(outside)(const kernel_ball *ball, vec gap) {
  return vec_less(gap, vec_all(FLOAT_ROWS ? -ball->shallow_float : -ball->shallow));
}

/* Lanes whose |x-y|^2 has not underflowed. Differences of float cannot. */
SIMD_INLINE mask NAME(apart)(vec dd) { return vec_less(vec_all(FLOAT_ROWS ? -1.0 : LEAST_SQUARE), dd); }

/* Gaps given beside y (geodisk_distance_gap says what they mean). Where the gap rules, the point meant is (1+a) x or (1+b) y,
 *     (1+b)^2 = (R^2 - given gap) / (R^2 - gap of the coordinates),
 * off by the rounding of the coordinates, and with D = |x|^2 - |y|^2
 *     |(1+a) x - (1+b) y|^2 = dd + a (D + dd) - b (D - dd) + (a - b) (a |x|^2 - b |y|^2) + a b dd.
 * Easy unless that cancels, given and coordinates do not belong together, or the points may count as being on one ray. Sets t->dd
 * and t->gap. */
SIMD_INLINE mask NAME(use_given_gap)(const kernel_ball *ball, const double x_gap[2], vec given, NAME(totals) * t) {
  const double square = ball->square, half = 0.5 * square, most = 0.75 * square;
  const double x_own = x_gap[0] + x_gap[1], xx = square - x_own;
  const vec zero = vec_all(0.0), yy = square - t->gap;
  /* Either gap rules from R^2/2 down; up to 3/4 R^2 if the other does. */
  const mask y_rules = vec_less(given, vec_all(x_gap[0] <= half ? most : half));
  const mask x_rules = x_gap[0] <= half ? mask_or(y_rules, vec_less(zero, given)) : vec_less(given, vec_all(half));
  const double grow_x = x_gap[0] <= most ? x_gap[1] / xx : 0.0;
  const vec grow_y = vec_select(y_rules, (t->gap - given) / yy, zero);
  const vec a = vec_select(x_rules, vec_all(grow_x * (0.5 - grow_x * (0.125 - 0.0625 * grow_x))), zero);
  const vec b = grow_y * (0.5 - grow_y * (0.125 - 0.0625 * grow_y));
  const vec difference = (t->gap - x_gap[0]) - x_gap[1];
  const vec moved =
      t->dd + ((a * (difference + t->dd) - b * (difference - t->dd)) + ((a - b) * (a * xx - b * yy) + a * b * t->dd));
  const vec radial =
      (x_gap[0] - given) * (x_gap[0] - given) * (1.05 / (4.0 * square)) + square * (FLOAT_ROWS ? 0x1p-41 : 0x1p-98);
  const mask sideways =
      mask_or(vec_less(vec_all(square * (FLOAT_ROWS ? 0x1p-12 : 0x1p-27)), vec_min(given, vec_all(x_gap[0]))),
              mask_or(vec_less(vec_all(square * (FLOAT_ROWS ? 0x1p-15 : 0x1p-40)), moved), vec_less(radial, moved)));
  const mask separate =
      mask_and(vec_less(t->dd * 0.5, moved), vec_less(vec_all(square * (FLOAT_ROWS ? 0x1p-52 : 0x1p-96)), moved));
  const mask agree = vec_less(grow_y * grow_y, vec_all(FLOAT_ROWS ? 0x1p-40 : 0x1p-60));
  const mask valid = mask_and(vec_less(zero, given), vec_less(given, vec_all(square * (1.0 + 0x1p-52))));
  t->dd = moved;
  t->gap = given;
  return mask_and(mask_and(valid, agree), mask_and(separate, sideways));
}

/* q of one group into `out`; returns the bits of the easy lanes. factor = R^2 / S(x). */
SIMD_INLINE unsigned NAME(many_group)(const bool distance, const size_t dim, const kernel_ball *ball, const REAL *x,
                                      const double x_gap[2], double factor, const REAL *y, const REAL *y_gap,
                                      const size_t *offset, double *out) {
  NAME(totals) t = NAME(sum_group)(WANT_GAP | WANT_DIFFERENCE | WANT_ONE_Q, dim, ball, y, x, offset);
  if (y_gap == NULL) {
    const mask bad = NAME(outside)(ball, t.gap);
    const vec q = vec_select(bad, vec_all((double)NAN), factor * t.dd / t.gap);
    vec_store(out, distance ? half_distance(q) : q);
    return mask_bits(mask_or(bad, mask_and(NAME(inside)(ball, t.gap), NAME(apart)(t.dd))));
  }
  const mask easy = NAME(use_given_gap)(ball, x_gap, NAME(load)(y_gap), &t);
  const vec q = factor * t.dd / t.gap;
  vec_store(out, distance ? half_distance(q) : q);
  return mask_bits(mask_and(easy, vec_less(q, vec_all(LARGEST_SINH2))));
}

/* The whole groups among n rows. The ball is copied so that the compiler sees that no store changes it. */
SIMD_INLINE size_t NAME(many_rows)(const bool distance, const size_t dim, const kernel_ball *ball, const REAL *x,
                                   const double x_gap[2], size_t n, const REAL *y, const REAL *y_gap, double *out,
                                   uint16_t *hard) {
  const kernel_ball own = *ball;
  const double gap[2] = {x_gap[0], x_gap[1]}, factor = own.square / gap[0];
  size_t offset[LANES], found = 0, i = 0;
  whole_offsets(dim, offset);
  if (y_gap == NULL)
    for (; i + LANES <= n; i += LANES)
      found = list_hard(NAME(many_group)(distance, dim, &own, x, gap, factor, y + i * dim, NULL, offset, out + i), LANES, i, hard,
                        found);
  else
    for (; i + LANES <= n; i += LANES)
      found = list_hard(NAME(many_group)(distance, dim, &own, x, gap, factor, y + i * dim, y_gap + i, offset, out + i), LANES, i,
                        hard, found);
  return found;
}

/* The rows that do not fill a group. */
static __attribute__((noinline)) size_t NAME(many_tail)(const bool distance, const kernel_ball *ball, const REAL *x,
                                                        const double x_gap[2], size_t n, const REAL *y, const REAL *y_gap,
                                                        double *out, uint16_t *hard, size_t found) {
  const size_t start = n / LANES * LANES, left = n - start, dim = ball->dim;
  if (left == 0)
    return found;
  size_t offset[LANES];
  REAL gap[LANES];
  tail_offsets(dim, left, offset);
  for (size_t r = 0; r < LANES; r++)
    gap[r] = y_gap == NULL ? 0 : y_gap[start + (r < left ? r : left - 1)];
  const unsigned easy = NAME(many_group)(distance, dim, ball, x, x_gap, ball->square / x_gap[0], y + start * dim,
                                         y_gap == NULL ? NULL : gap, offset, out + start);
  return list_hard(easy, left, start, hard, found);
}

/* n <= KERNEL_ROWS rows; the dimensions people use most are constants in their loops, without gaps. */
SIMD_INLINE size_t NAME(many_chunk)(const bool distance, const kernel_ball *ball, const REAL *x, const double x_gap[2], size_t n,
                                    const REAL *y, const REAL *y_gap, double *out, uint16_t *hard) {
  size_t found;
  switch (y_gap == NULL ? ball->dim : 0) {
  case 2:
    found = NAME(many_rows)(distance, 2, ball, x, x_gap, n, y, NULL, out, hard);
    break;
  case 5:
    found = NAME(many_rows)(distance, 5, ball, x, x_gap, n, y, NULL, out, hard);
    break;
  case 10:
    found = NAME(many_rows)(distance, 10, ball, x, x_gap, n, y, NULL, out, hard);
    break;
  default:
    found = NAME(many_rows)(distance, ball->dim, ball, x, x_gap, n, y, y_gap, out, hard);
  }
  return NAME(many_tail)(distance, ball, x, x_gap, n, y, y_gap, out, hard, found);
}

static size_t NAME(sinh2_many)(const kernel_ball *ball, const REAL *x, const double x_gap[2], size_t n, const REAL *y,
                               const REAL *y_gap, REAL *out, uint16_t *hard) {
  double q[KERNEL_ROWS];
  const size_t found = NAME(many_chunk)(false, ball, x, x_gap, n, y, y_gap, q, hard);
  NAME(copy_out)(n, q, out);
  return found;
}

static size_t NAME(distance_many)(const kernel_ball *ball, const REAL *x, const double x_gap[2], size_t n, const REAL *y,
                                  const REAL *y_gap, REAL *out, uint16_t *hard) {
  double q[KERNEL_ROWS];
  const size_t found = NAME(many_chunk)(true, ball, x, x_gap, n, y, y_gap, q, hard);
  take_distances(ball->unit, n, q);
  NAME(copy_out)(n, q, out);
  return found;
}

static size_t NAME(distance_rows)(const kernel_ball *ball, size_t n, const REAL *x, const REAL *y, REAL *out, uint16_t *hard) {
  double q[KERNEL_ROWS];
  size_t offset[LANES], found = 0;
  whole_offsets(ball->dim, offset);
  for (size_t i = 0; i < n; i += LANES) {
    const size_t rows = n - i < LANES ? n - i : LANES, at = i * ball->dim;
    if (rows < LANES)
      tail_offsets(ball->dim, rows, offset);
    const NAME(totals) t =
        NAME(sum_group)(WANT_GAP | WANT_GAP_Q | WANT_DIFFERENCE | WANT_Q, ball->dim, ball, y + at, x + at, offset);
    const mask bad = mask_or(NAME(outside)(ball, t.gap), NAME(outside)(ball, t.gap_q));
    const mask good = mask_and(mask_and(NAME(inside)(ball, t.gap), NAME(inside)(ball, t.gap_q)), NAME(apart)(t.dd));
    vec_store(q + i, half_distance(vec_select(bad, vec_all((double)NAN), (ball->square / t.gap) * (t.dd / t.gap_q))));
    found = list_hard(mask_bits(mask_or(bad, good)), rows, i, hard, found);
  }
  take_distances(ball->unit, n, q);
  NAME(copy_out)(n, q, out);
  return found;
}

static size_t NAME(gaps)(const kernel_ball *ball, size_t n, const REAL *x, double *out, uint16_t *hard) {
  double gap[KERNEL_ROWS];
  size_t offset[LANES], found = 0;
  whole_offsets(ball->dim, offset);
  for (size_t i = 0; i < n; i += LANES) {
    const size_t rows = n - i < LANES ? n - i : LANES;
    if (rows < LANES)
      tail_offsets(ball->dim, rows, offset);
    const NAME(totals) t = NAME(sum_group)(WANT_GAP, ball->dim, ball, x + i * ball->dim, NULL, offset);
    const mask bad = NAME(outside)(ball, t.gap);
    vec_store(gap + i, vec_select(bad, vec_all((double)NAN), t.gap));
    found = list_hard(mask_bits(mask_or(bad, NAME(inside)(ball, t.gap))), rows, i, hard, found);
  }
  copy_out(n, gap, out);
  return found;
}

/* The columns of up to KERNEL_TILE_Y rows, `count` columns from `first` on: to[c * KERNEL_TILE_Y + row]; zero where no row is. */
static void NAME(turn_tile)(size_t dim, size_t n, const REAL *y, size_t first, size_t count, double *to) {
  size_t offset[LANES];
  if (n < KERNEL_TILE_Y)
    memset(to, 0, count * KERNEL_TILE_Y * sizeof *to);
  whole_offsets(dim, offset);
  for (size_t i = 0; i < n; i += LANES) {
    if (n - i < LANES)
      tail_offsets(dim, n - i, offset);
    const REAL *rows = y + i * dim;
    vec column[4];
    size_t c = 0;
    for (; c + 4 <= count; c += 4) {
      NAME(load4)(rows, offset, first + c, column);
      for (size_t k = 0; k < 4; k++)
        vec_store(to + (c + k) * KERNEL_TILE_Y + i, column[k]);
    }
    for (; c < count; c++) {
      NAME(load1)(rows, offset, first + c, column);
      vec_store(to + c * KERNEL_TILE_Y + i, column[0]);
    }
  }
}

/* All pairs of a tile. The columns of y are turned once for all x, 32 at a time; |x_i - y_j|^2 builds up in `q`. */
static size_t NAME(distance_tile)(const kernel_ball *ball, size_t m, const REAL *x, const double *x_gap, size_t n, const REAL *y,
                                  const double *y_gap, REAL *out, size_t stride, uint16_t *hard) {
  enum { TILE_COLUMNS = 32, WIDE = 4 * LANES };
  double q[KERNEL_TILE], turned[TILE_COLUMNS * KERNEL_TILE_Y], over_gap[KERNEL_TILE_Y];
  const size_t dim = ball->dim;
  size_t found = 0;
  memset(q, 0, sizeof q);
  for (size_t j = 0; j < KERNEL_TILE_Y; j++)
    over_gap[j] = j < n ? ball->square / y_gap[j] : 1.0;
  for (size_t first = 0; first < dim; first += TILE_COLUMNS) {
    const size_t count = dim - first < TILE_COLUMNS ? dim - first : TILE_COLUMNS;
    NAME(turn_tile)(dim, n, y, first, count, turned);
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < n; j += WIDE) {
        vec sum[4] = {vec_all(0.0), vec_all(0.0), vec_all(0.0), vec_all(0.0)};
        for (size_t c = 0; c < count; c++) {
          const vec xc = vec_all((double)x[i * dim + first + c]);
          for (size_t k = 0; k < 4; k++) {
            const vec d = vec_load(turned + c * KERNEL_TILE_Y + j + k * LANES) - xc;
            sum[k] = vec_fma(d, d, sum[k]);
          }
        }
        for (size_t k = 0; k < 4; k++) {
          double *to = q + i * KERNEL_TILE_Y + j + k * LANES;
          vec_store(to, vec_load(to) + sum[k]);
        }
      }
  }
  for (size_t i = 0; i < m; i++) {
    double *row = q + i * KERNEL_TILE_Y;
    const vec over_x = vec_all(1.0 / x_gap[i]);
    for (size_t j = 0; j < n; j += LANES) {
      const vec dd = vec_load(row + j), s = over_x * vec_load(over_gap + j) * dd;
      const mask bad = vec_is_nan(s);
      vec_store(row + j, half_distance(s));
      const size_t rows = n - j < LANES ? n - j : LANES;
      found = list_hard(mask_bits(mask_or(bad, NAME(apart)(dd))), rows, i * KERNEL_TILE_Y + j, hard, found);
    }
    take_distances(ball->unit, n, row);
    NAME(copy_out)(n, row, out + i * stride);
  }
  return found;
}

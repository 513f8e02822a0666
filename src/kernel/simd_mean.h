/* simd_mean.h - the passes of the means (mean_pass.h) in vectors: a lane is a row. Rows are turned into columns of a tile in
 * `scratch`, so that the sums over rows run along columns; the order of every sum depends on n alone.
 *
 * Included by simd_kernels.h. */

#define MEAN_SMALL_U 0x1p-13 /* as in mean_ref.c */
#define MEAN_LEAST_G 0x1p-300
#define MEAN_TINY    0x1p-1000 /* stands for u + u^2 = 0, whose root is then no divisor 0 */

/* A sum in two vectors, and adding term + rest to it. */
typedef struct vec_pair {
  vec high, low;
} vec_pair;

SIMD_INLINE vec_pair vec_pair_add(vec_pair sum, vec term, vec rest) {
  const vec s = sum.high + term;
  return (vec_pair){s, sum.low + (vec_sum_rest(sum.high, term, s) + rest)};
}

/* ---- lanes into one number, in a fixed order ---- */

SIMD_INLINE double lanes_sum(vec a) {
  double lane[LANES];
  vec_store(lane, a);
  for (int width = LANES / 2; width > 0; width /= 2)
    for (int r = 0; r < width; r++)
      lane[r] += lane[r + width];
  return lane[0];
}

SIMD_INLINE void add_lanes_to_pair(double *pair, vec_pair sum) {
  double high[LANES], low[LANES];
  vec_store(high, sum.high);
  vec_store(low, sum.low);
  for (int r = 0; r < LANES; r++) {
    const double s = pair[0] + high[r], t = s - pair[0];
    const double rest = ((pair[0] - (s - t)) + (high[r] - t)) + (pair[1] + low[r]);
    pair[0] = s + rest;
    pair[1] = rest - (pair[0] - s);
  }
}

/* ---- the tile ---- */

typedef struct mean_tile {
  size_t rows;          /* a whole number of groups */
  double *column;       /* dim x rows: delta, then zeta */
  double *rest;         /* dim x rows: what delta lost; accurate only */
  double *weight, *gap; /* rows; rows beyond n weigh nothing */
  double *a, *b, *c;    /* rows: factors */
} mean_tile;

SIMD_INLINE mean_tile mean_tile_at(const mean_point *at, size_t n, const double *gaps, const double *weights, double *scratch) {
  mean_tile t = {.rows = (n + LANES - 1) / LANES * LANES};
  t.weight = scratch;
  t.gap = t.weight + t.rows;
  t.a = t.gap + t.rows;
  t.b = t.a + t.rows;
  t.c = t.b + t.rows;
  t.column = t.c + t.rows;
  t.rest = t.column + at->dim * t.rows;
  for (size_t i = 0; i < t.rows; i++) {
    t.weight[i] = i >= n ? 0.0 : weights == NULL ? at->weight_scale : weights[i] * at->weight_scale;
    t.gap[i] = gaps[i < n ? i : n - 1];
  }
  return t;
}

/* Where the rows of the group from row i on start; beyond n the last row stands in. */
SIMD_INLINE void mean_offsets(size_t dim, size_t i, size_t n, size_t offset[LANES]) {
  for (size_t r = 0; r < LANES; r++)
    offset[r] = (i + r < n ? i + r : n - 1) * dim;
}

/* Columns c ... of a group, minus p; returns how many there are. */
SIMD_INLINE size_t mean_columns(const double *q, const size_t *offset, size_t dim, size_t c, vec column[4]) {
  if (c + 4 <= dim) {
    load4(q, offset, c, column);
    return 4;
  }
  if (c + 2 <= dim) {
    load2(q, offset, c, column);
    return 2;
  }
  load1(q, offset, c, column);
  return 1;
}

/* ---- the plain pass ---- */

typedef struct mean_factors {
  vec theta, f, h, across;
} mean_factors;

SIMD_INLINE mean_factors mean_factors_of(vec u, bool median) {
  const vec square = vec_fma(u, u, u), safe = vec_max(square, vec_all(MEAN_TINY)), g = vec_sqrt(safe);
  const vec theta = vec_log1p(2.0 * (u + g)), half = 0.5 / g, inverse_square = 4.0 * half * half;
  mean_factors m = {.theta = theta};
  if (median) {
    const vec here = vec_all(0.0);
    const mask apart = vec_less(vec_all(MEAN_LEAST_G), g);
    m.f = vec_select(apart, half, here);
    m.h = m.f * vec_fma(vec_all(2.0), u, vec_all(1.0));
    m.across = vec_select(apart, m.h * inverse_square, here);
  } else {
    m.f = theta * half;
    m.h = m.f * vec_fma(vec_all(2.0), u, vec_all(1.0));
    m.across =
        vec_select(vec_less(u, vec_all(MEAN_SMALL_U)), vec_fma(u, vec_all(-32.0 / 15.0), vec_all(4.0 / 3.0)), (m.h - 1.0) / safe);
  }
  return m;
}

/* delta, and from it the factors of every row; the sums that need no column. */
SIMD_INLINE void mean_plain_rows(const size_t dim, const mean_point *at, size_t n, const double *q, const mean_tile *t,
                                 double *into) {
  vec loss = vec_all(0.0), coth = loss, length = loss, other = loss;
  const vec ratio = vec_all(at->ratio), gap = vec_all(at->gap);
  for (size_t i = 0; i < t->rows; i += LANES) {
    size_t offset[LANES];
    vec column[4], s = vec_all(0.0);
    mean_offsets(dim, i, n, offset);
    for (size_t c = 0, count; c < dim; c += count) {
      count = mean_columns(q, offset, dim, c, column);
      for (size_t k = 0; k < count; k++) {
        const vec delta = column[k] - at->p[c + k];
        s = vec_fma(delta, delta, s);
        vec_store(t->column + (c + k) * t->rows + i, delta);
      }
    }
    const vec w = vec_load(t->weight + i), inverse = 1.0 / vec_load(t->gap + i), u = s * ratio * inverse;
    const mean_factors m = mean_factors_of(u, at->median);
    loss = vec_fma(w * m.theta, m.theta, loss);
    coth = vec_fma(w, m.h, coth);
    length = vec_fma(w, m.theta, length);
    if (at->median)
      other = other + vec_select(vec_less(vec_all(0.0), m.f), vec_all(0.0), w);
    else
      other = vec_fma(w, u, other);
    vec_store(t->a + i, gap * inverse);
    vec_store(t->b + i, s * inverse);
    vec_store(t->c + i, w * m.f);
    vec_store(t->gap + i, w * m.across); /* the gap has done its work */
  }
  into[0] += lanes_sum(loss);
  into[1] += lanes_sum(coth);
  into[2] += lanes_sum(length);
  into[3] += lanes_sum(other);
}

/* zeta of `count` columns (1 or 2, a constant after inlining) from c on, and the sums of f zeta. */
SIMD_INLINE void mean_plain_some_columns(const size_t count, const mean_point *at, const mean_tile *t, size_t c, double *into) {
  const size_t rows = t->rows;
  const double *a = t->a, *b = t->b, *f = t->c;
  double *first = t->column + c * rows, *second = first + (count > 1 ? rows : 0);
  const vec p = vec_all(-at->p[c]), other_p = vec_all(-at->p[c + count - 1]);
  vec pull = vec_all(0.0), other_pull = pull;
  for (size_t i = 0; i < rows; i += LANES) {
    const vec along = vec_load(a + i), back = vec_load(b + i), factor = vec_load(f + i);
    const vec zeta = vec_fma(along, vec_load(first + i), back * p);
    pull = vec_fma(factor, zeta, pull);
    if (count > 1) {
      const vec other = vec_fma(along, vec_load(second + i), back * other_p);
      other_pull = vec_fma(factor, other, other_pull);
      vec_store(second + i, other);
    }
    vec_store(first + i, zeta);
  }
  into[4 + c] += lanes_sum(pull);
  if (count > 1)
    into[4 + c + 1] += lanes_sum(other_pull);
}

static void mean_plain_columns(const mean_point *at, const mean_tile *t, double *into) {
  size_t c = 0;
  for (; c + 2 <= at->dim; c += 2)
    mean_plain_some_columns(2, at, t, c, into);
  if (c < at->dim)
    mean_plain_some_columns(1, at, t, c, into);
  for (c = 0; at->centroid && c < at->dim; c++) {
    vec sum = vec_all(0.0);
    for (size_t i = 0; i < t->rows; i += LANES)
      sum = vec_fma(vec_load(t->weight + i), vec_load(t->column + c * t->rows + i), sum);
    into[4 + at->dim + c] += lanes_sum(sum);
  }
}

/* The sums of scaled times `count` columns (a constant after inlining) from `column` on. Even and odd groups are summed apart: so
 * few sums would wait for each other. */
SIMD_INLINE double *mean_dots(const size_t count, const mean_tile *t, const double *scaled, const double *column, double *into) {
  vec even[4], odd[4];
  size_t i = 0;
  for (size_t k = 0; k < count; k++)
    even[k] = odd[k] = vec_all(0.0);
  for (; i + 2 * (size_t)LANES <= t->rows; i += 2 * (size_t)LANES) {
    const vec first = vec_load(scaled + i), second = vec_load(scaled + i + LANES);
    for (size_t k = 0; k < count; k++) {
      even[k] = vec_fma(first, vec_load(column + k * t->rows + i), even[k]);
      odd[k] = vec_fma(second, vec_load(column + k * t->rows + i + LANES), odd[k]);
    }
  }
  for (size_t k = 0; i < t->rows && k < count; k++)
    even[k] = vec_fma(vec_load(scaled + i), vec_load(column + k * t->rows + i), even[k]);
  for (size_t k = 0; k < count; k++)
    *into++ += lanes_sum(even[k] + odd[k]);
  return into;
}

/* The upper triangle of the sum of `across` zeta zeta^T: a row of it at a time, four entries together. */
static void mean_plain_hessian(const mean_point *at, const mean_tile *t, double *triangle) {
  double *scaled = t->a; /* a has done its work */
  for (size_t j = 0; j < at->dim; j++) {
    for (size_t i = 0; i < t->rows; i += LANES)
      vec_store(scaled + i, vec_load(t->gap + i) * vec_load(t->column + j * t->rows + i));
    const double *column = t->column + j * t->rows;
    size_t left = at->dim - j;
    for (; left >= 4; left -= 4, column += 4 * t->rows)
      triangle = mean_dots(4, t, scaled, column, triangle);
    if (left == 3)
      triangle = mean_dots(3, t, scaled, column, triangle);
    else if (left == 2)
      triangle = mean_dots(2, t, scaled, column, triangle);
    else if (left == 1)
      triangle = mean_dots(1, t, scaled, column, triangle);
  }
}

static void mean_plain(const mean_point *at, size_t n, const double *q, const double *gaps, const double *weights, double *into,
                       double *scratch) {
  const mean_tile t = mean_tile_at(at, n, gaps, weights, scratch);
  if (at->dim == 2)
    mean_plain_rows(2, at, n, q, &t, into);
  else if (at->dim == 10)
    mean_plain_rows(10, at, n, q, &t, into);
  else
    mean_plain_rows(at->dim, at, n, q, &t, into);
  mean_plain_columns(at, &t, into);
  if (at->hessian)
    mean_plain_hessian(at, &t, into + MEAN_SUMS(at->dim));
}

/* ---- the accurate pass ---- */

/* theta = log1p(2 (u + g)) and c = w theta / (2 g T), from s in two vectors; everything in two but c, which is rounded once. */
typedef struct mean_accurate_factors {
  vec theta, weighted, weighted_rest, c;
} mean_accurate_factors;

SIMD_INLINE mean_accurate_factors mean_accurate_of(const mean_point *at, vec_pair s, vec gap, vec w) {
  const vec ratio = vec_all(at->ratio), product = s.high * ratio;
  const vec product_rest = vec_product_rest(s.high, ratio, product) + vec_fma(s.high, vec_all(at->ratio_rest), s.low * ratio);
  const vec u = product / gap, u_rest = (vec_residual(product, u, gap) + product_rest) / gap;
  const vec square = u * u, square_rest = vec_fma(2.0 * u, u_rest, vec_product_rest(u, u, square));
  const vec total = u + square, total_rest = vec_sum_rest(u, square, total) + (u_rest + square_rest);
  const vec safe = vec_max(total, vec_all(MEAN_TINY)), g = vec_sqrt(safe);
  const vec g_rest = (vec_residual(safe, g, g) + total_rest) / (2.0 * g);
  const vec sum = u + g, sum_rest = vec_sum_rest(g, u, sum) + (u_rest + g_rest);
  vec theta_rest;
  const vec theta = vec_log1p_pair(2.0 * sum, 2.0 * sum_rest, &theta_rest);
  const vec below = 2.0 * g * gap, below_rest = vec_fma(2.0 * g_rest, gap, vec_product_rest(2.0 * g, gap, below));
  mean_accurate_factors m = {.theta = theta, .weighted = w * theta};
  m.weighted_rest = vec_fma(w, theta_rest, vec_product_rest(w, theta, m.weighted));
  const vec quotient = m.weighted / below;
  const vec left = vec_residual(m.weighted, quotient, below) + (m.weighted_rest - quotient * below_rest);
  m.c = quotient + left / below;
  return m;
}

SIMD_INLINE vec_pair mean_accurate_square(const size_t dim, const mean_point *at, const double *q, const size_t *offset,
                                          const mean_tile *t, size_t i) {
  vec_pair s = {vec_all(0.0), vec_all(0.0)};
  vec column[4];
  for (size_t c = 0, count; c < dim; c += count) {
    count = mean_columns(q, offset, dim, c, column);
    for (size_t k = 0; k < count; k++) {
      const vec minus_p = vec_all(-at->p[c + k]), delta = column[k] + minus_p;
      const vec rest = vec_sum_rest(column[k], minus_p, delta), square = delta * delta;
      s = vec_pair_add(s, square, vec_fma(2.0 * delta, rest, vec_product_rest(delta, delta, square)));
      vec_store(t->column + (c + k) * t->rows + i, delta);
      vec_store(t->rest + (c + k) * t->rows + i, rest);
    }
  }
  const vec high = s.high + s.low;
  return (vec_pair){high, s.low - (high - s.high)};
}

SIMD_INLINE void mean_accurate_rows(const size_t dim, const mean_point *at, size_t n, const double *q, const mean_tile *t,
                                    double *into) {
  vec_pair pull = {vec_all(0.0), vec_all(0.0)}, loss = pull, length = pull;
  for (size_t i = 0; i < t->rows; i += LANES) {
    size_t offset[LANES];
    mean_offsets(dim, i, n, offset);
    const vec_pair s = mean_accurate_square(dim, at, q, offset, t, i);
    const mean_accurate_factors m = mean_accurate_of(at, s, vec_load(t->gap + i), vec_load(t->weight + i));
    const vec cs = m.c * s.high, square = m.weighted * m.theta;
    pull = vec_pair_add(pull, cs, vec_fma(m.c, s.low, vec_product_rest(m.c, s.high, cs)));
    loss = vec_pair_add(loss, square, vec_product_rest(m.weighted, m.theta, square));
    length = vec_pair_add(length, m.weighted, m.weighted_rest);
    vec_store(t->c + i, m.c);
  }
  add_lanes_to_pair(into, pull);
  add_lanes_to_pair(into + 2, loss);
  add_lanes_to_pair(into + 4, length);
}

static void mean_accurate(const mean_point *at, size_t n, const double *q, const double *gaps, const double *weights,
                          double *into, double *scratch) {
  const mean_tile t = mean_tile_at(at, n, gaps, weights, scratch);
  if (at->dim == 10)
    mean_accurate_rows(10, at, n, q, &t, into);
  else
    mean_accurate_rows(at->dim, at, n, q, &t, into);
  for (size_t c = 0; c < at->dim; c++) {
    const double *column = t.column + c * t.rows, *rest = t.rest + c * t.rows;
    vec_pair sum = {vec_all(0.0), vec_all(0.0)};
    for (size_t i = 0; i < t.rows; i += LANES) {
      const vec factor = vec_load(t.c + i), delta = vec_load(column + i), term = factor * delta;
      sum = vec_pair_add(sum, term, vec_fma(factor, vec_load(rest + i), vec_product_rest(factor, delta, term)));
    }
    add_lanes_to_pair(into + 6 + 2 * c, sum);
  }
}

#define MEAN_PLAIN    mean_plain
#define MEAN_ACCURATE mean_accurate

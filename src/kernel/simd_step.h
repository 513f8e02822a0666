/* simd_step.h - steps of many points: the exponential map, the geodesic update and the natural-gradient update. Included once for
 * double and once for float rows.
 *
 * Three stages over a few rows at a time: the sums (simd_rows.h), the coefficients A, B of each row (vectorised over rows), and
 * out = x + A x + B u along each row. With h = (exp(D) - 1)/2, t = tanh(D/2) = h/(h+1) and |z|^2 = Z/(h+1)^2 the inversion form
 * of the exponential map, exp_x(v) = x + (S t/R) (n + t x/R) / |z|^2, reads Z = (h+1)^2 + 2 h (h+1) n.x/R + h^2 |x|^2/R^2,    A =
 * S h^2 / (R^2 Z),    B = S h (h+1) / (R |u| Z), gap of the result = (2h+1) S / Z. Z cancels when walking from near the rim
 * straight inward; the error of the result is then about 4 t^2 |x| S / (R^3 |z|^3) units, and rows where that is too much are
 * hard, like those that end on the rim. */

enum { NAME(STEP_ROWS) = 64 };

typedef struct NAME(step) {
  double gap[NAME(STEP_ROWS)], uu[NAME(STEP_ROWS)], xu[NAME(STEP_ROWS)]; /* S(x), |u|^2, x.u */
  double a[NAME(STEP_ROWS)], b[NAME(STEP_ROWS)];                         /* out = x + a x + b u */
  double new_gap[NAME(STEP_ROWS)];
  unsigned easy[NAME(STEP_ROWS) / LANES]; /* bits of a group's rows */
} NAME(step);

SIMD_INLINE void NAME(step_sums_group)(const size_t dim, const kernel_ball *ball, const REAL *x, const REAL *u,
                                       const size_t *offset, size_t i, NAME(step) * s) {
  const NAME(totals) t = NAME(sum_group)(WANT_GAP | WANT_DOTS | WANT_Q, dim, ball, x, u, offset);
  vec_store(s->gap + i, t.gap);
  vec_store(s->uu + i, t.qq);
  vec_store(s->xu + i, t.pq);
}

SIMD_INLINE void NAME(step_sums_rows)(const size_t dim, const kernel_ball *ball, size_t n, const REAL *x, const REAL *u,
                                      NAME(step) * s) {
  size_t offset[LANES];
  whole_offsets(dim, offset);
  for (size_t i = 0; i + LANES <= n; i += LANES)
    NAME(step_sums_group)(dim, ball, x + i * dim, u + i * dim, offset, i, s);
}

static __attribute__((noinline)) void NAME(step_sums)(const kernel_ball *ball, size_t n, const REAL *x, const REAL *u,
                                                      NAME(step) * s) {
  if (ball->dim == 10)
    NAME(step_sums_rows)(10, ball, n, x, u, s);
  else
    NAME(step_sums_rows)(ball->dim, ball, n, x, u, s);
  const size_t start = n / LANES * LANES;
  if (start < n) {
    size_t offset[LANES];
    tail_offsets(ball->dim, n - start, offset);
    NAME(step_sums_group)(ball->dim, ball, x + start * ball->dim, u + start * ball->dim, offset, start, s);
  }
}

/* The coefficients of the exponential map of v = u, or, if slope is given, of v = *slope S^2/R u: then R|v|/S = |slope| S |u|. In
 * the order of the header of this file, with everything over |u| Z. */
static void NAME(exp_coefficients)(const kernel_ball *ball, size_t n, const double *slope, bool want_gap, NAME(step) * s) {
  const vec rim = vec_all(ball->square * (FLOAT_ROWS ? RIM_FLOAT : RIM));
  const double direction = slope != NULL && *slope < 0 ? -1.0 / ball->radius : 1.0 / ball->radius,
               over_square = 1.0 / ball->square;
  /* Three loops, because one would be a chain of dependent operations too long for the processor to overlap. */
  for (size_t i = 0; i < n; i += LANES) {
    const vec gap = vec_load(s->gap + i), norm = vec_max(vec_all(LEAST_NORM), vec_sqrt(vec_load(s->uu + i)));
    vec_store(s->uu + i, norm);
    vec_store(s->b + i, (slope == NULL ? 2.0 * ball->radius / gap : fabs(2.0 * *slope) * gap) * norm);
  }
  for (size_t i = 0; i < n; i += LANES)
    vec_store(s->a + i, vec_half_expm1(vec_min(vec_all(LONGEST_STEP), vec_load(s->b + i))));
  for (size_t i = 0; i < n; i += LANES) {
    const vec gap = vec_load(s->gap + i), xu = vec_load(s->xu + i), norm = vec_load(s->uu + i), length = vec_load(s->b + i);
    const vec h = vec_load(s->a + i), h1 = h + 1.0;
    const vec hh = h * h, hh1 = hh + h, h1h1 = hh1 + h1; /* h^2, h (h+1), (h+1)^2 */
    const vec rho2 = 1.0 - gap * over_square;
    const vec w = 1.0 / vec_fma(norm, vec_fma(hh, rho2, h1h1), hh1 * (xu * (2.0 * direction))); /* 1 / (|u| Z) */
    const vec over_z = norm * w, gap_over_z = gap * over_z, over_zz = h1h1 * over_z;            /* 1/Z, S/Z, 1/|z|^2 */
    const vec a = hh * (gap_over_z * over_square), new_gap = (h + h1) * gap_over_z;
    vec_store(s->a + i, a);
    vec_store(s->b + i, hh1 * (gap * w * direction));
    vec_store(s->new_gap + i, new_gap);
    mask easy = vec_less(over_zz, vec_all(FLOAT_ROWS ? EASY_PULL_FLOAT : EASY_PULL));
    if (!want_gap && mask_bits(easy) != ALL_LANES)
      easy = mask_or(easy, vec_less(a * a * rho2 * over_zz, vec_all(FLOAT_ROWS ? MOST_PULL_FLOAT : MOST_PULL)));
    if (want_gap) /* the new gap has the relative error of Z, and of exp(length) */
      easy = mask_and(easy, vec_less(length, vec_all(FLOAT_ROWS ? LONGEST_STEP_GAP_FLOAT : LONGEST_STEP_GAP)));
    s->easy[i / LANES] = mask_bits(mask_and(easy, mask_and(NAME(inside)(ball, gap), vec_less(rim, new_gap))));
  }
}

/* out = x + a x + b u for the rows whose bit is set; the others go to `hard`. */
SIMD_INLINE size_t NAME(write_rows)(const size_t dim, size_t first, size_t rows, const NAME(step) * s, const REAL *x,
                                    const REAL *u, REAL *out, uint16_t *hard, size_t found) {
  for (size_t i = 0; i < rows; i += LANES) {
    const size_t count = rows - i < LANES ? rows - i : LANES;
    const unsigned all = (1u << count) - 1u, easy = s->easy[i / LANES] & all;
    if (count == LANES && easy == all) {
      for (size_t r = 0, at = (first + i) * dim; r < LANES; r++, at += dim)
        NAME(combine)(dim, s->a[i + r], s->b[i + r], x + at, u + at, out + at);
      continue;
    }
    for (size_t r = 0, at = (first + i) * dim; r < count; r++, at += dim)
      if (easy >> r & 1u)
        NAME(combine)(dim, s->a[i + r], s->b[i + r], x + at, u + at, out + at);
      else
        hard[found++] = (uint16_t)(first + i + r);
  }
  return found;
}

static __attribute__((noinline)) size_t NAME(exp_rows)(const kernel_ball *ball, size_t n, const REAL *x, const REAL *u,
                                                       const double *slope, REAL *out, REAL *out_gap, uint16_t *hard) {
  NAME(step) s;
  size_t found = 0;
  for (size_t first = 0; first < n; first += NAME(STEP_ROWS)) {
    const size_t rows = n - first < NAME(STEP_ROWS) ? n - first : NAME(STEP_ROWS);
    NAME(step_sums)(ball, rows, x + first * ball->dim, u + first * ball->dim, &s);
    NAME(exp_coefficients)(ball, rows, slope, out_gap != NULL, &s);
    if (ball->dim == 10)
      found = NAME(write_rows)(10, first, rows, &s, x, u, out, hard, found);
    else
      found = NAME(write_rows)(ball->dim, first, rows, &s, x, u, out, hard, found);
    if (out_gap != NULL)
      NAME(copy_out)(rows, s.new_gap, out_gap + first);
  }
  return found;
}

static size_t NAME(exp_many)(const kernel_ball *ball, size_t n, const REAL *x, const REAL *v, REAL *out, REAL *out_gap,
                             uint16_t *hard) {
  return NAME(exp_rows)(ball, n, x, v, NULL, out, out_gap, hard);
}

static size_t NAME(geodesic_step)(const kernel_ball *ball, size_t n, const REAL *x, const REAL *df, double lr, REAL *out,
                                  uint16_t *hard) {
  const double slope = -lr * ball->curvature / (4.0 * ball->radius);
  return NAME(exp_rows)(ball, n, x, df, &slope, out, NULL, hard);
}

/* One row of the natural update that leaves the ball of radius `limit`: x + b u pulled back along its ray. False: too large. */
static bool NAME(project_row)(size_t dim, double b, const REAL *x, const REAL *u, double limit, REAL *out) {
  double square = 0.0;
  for (size_t block = 0; block < dim; block += 16) {
    double part = 0.0;
    for (size_t c = block; c < dim && c < block + 16; c++) {
      const double moved = (double)x[c] + b * (double)u[c];
      part += moved * moved;
    }
    square += part;
  }
  const double shrink = limit / sqrt(square);
  if (!(square < LARGEST_SQUARE))
    return false;
  for (size_t c = 0; c < dim; c++)
    out[c] = (REAL)(shrink * ((double)x[c] + b * (double)u[c]));
  return true;
}

/* b of x + b u, and which rows can be written as they are (easy) or after projection (outside): the first stay within `safe`,
 * the radius up to which rounding cannot reach the rim; the others exceed the limit, if that is safe itself. */
static void NAME(natural_coefficients)(const kernel_ball *ball, size_t n, double factor, double limit, NAME(step) * s,
                                       unsigned *outside) {
  const double safe = ball->radius * (1.0 - (FLOAT_ROWS ? RIM_FLOAT : RIM));
  const vec within = vec_all(limit < safe ? limit * limit : safe * safe);
  const vec beyond = vec_all(limit < safe ? limit * limit : (double)INFINITY);
  for (size_t i = 0; i < n; i += LANES) {
    const vec gap = vec_load(s->gap + i), b = factor * gap * gap;
    const vec moved = vec_fma(b, 2.0 * vec_load(s->xu + i) + b * vec_load(s->uu + i), ball->square - gap);
    const mask easy = NAME(inside)(ball, gap);
    vec_store(s->a + i, vec_all(0.0));
    vec_store(s->b + i, b);
    s->easy[i / LANES] = mask_bits(mask_and(easy, vec_less(moved, within)));
    outside[i / LANES] = mask_bits(mask_and(easy, vec_less(beyond, moved)));
  }
}

static size_t NAME(natural_step)(const kernel_ball *ball, size_t n, const REAL *x, const REAL *df, double lr, double margin,
                                 REAL *out, size_t *projected, uint16_t *hard) {
  const double limit = ball->radius * (1.0 - margin);
  NAME(step) s;
  unsigned outside[NAME(STEP_ROWS) / LANES];
  size_t found = 0;
  for (size_t first = 0; first < n; first += NAME(STEP_ROWS)) {
    const size_t rows = n - first < NAME(STEP_ROWS) ? n - first : NAME(STEP_ROWS), before = found;
    NAME(step_sums)(ball, rows, x + first * ball->dim, df + first * ball->dim, &s);
    NAME(natural_coefficients)(ball, rows, -lr * ball->curvature / (4.0 * ball->square), limit, &s, outside);
    if (ball->dim == 10)
      found = NAME(write_rows)(10, first, rows, &s, x, df, out, hard, found);
    else
      found = NAME(write_rows)(ball->dim, first, rows, &s, x, df, out, hard, found);
    size_t kept = before; /* of the rows not written, project those outside */
    for (size_t h = before; h < found; h++) {
      const size_t i = hard[h] - first, at = hard[h] * ball->dim;
      if (outside[i / LANES] >> i % LANES & 1u && NAME(project_row)(ball->dim, s.b[i], x + at, df + at, limit, out + at))
        ++*projected;
      else
        hard[kept++] = hard[h];
    }
    found = kept;
  }
  return found;
}

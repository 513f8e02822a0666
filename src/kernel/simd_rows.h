/* simd_rows.h - sums over the columns of a group of rows, the first stage of every kernel. Included once for double and once for
 * float rows (REAL, and NAME(x) for x with the right suffix); no include guard for that reason.
 *
 * Sums run over blocks of 32 columns in 4 accumulators each, so that the rounding error grows with the number of blocks, not of
 * columns. The gap S = R^2 - sum p_i^2 of double rows needs more: inside the ball the value left always exceeds the next square,
 * so its subtraction loses rest = (a - s) - p^2 exactly representable up to 2^-106, and the rests are summed beside. What this
 * leaves is about dim 2^-108 R^2, far below 2^-53 S for every gap that is not hard (kernel.c). Squares of float are exact in
 * double and gaps of float points are at least 2^-24 R^2: there the plain sum is enough. */

/* What to sum over the columns of rows p and q (q: one row for all lanes when ONE_Q). */
typedef struct NAME(sums) {
  vec left, rest;          /* the gap of p, double rows */
  vec left_q, rest_q;      /* the gap of q */
  vec pp[4], qq[4], pq[4]; /* squares and product */
  vec dd[4];               /* |p - q|^2 */
} NAME(sums);

typedef struct NAME(totals) {
  vec gap, gap_q, qq, pq, dd;
} NAME(totals);

SIMD_INLINE void NAME(add_gap)(vec y, vec *left, vec *rest, vec *squares) {
  if (FLOAT_ROWS) {
    *squares = vec_fma(y, y, *squares);
    return;
  }
  const vec square = y * y, less = *left - square;
  *rest += vec_minus_square(*left - less, y, square);
  *left = less;
}

SIMD_INLINE void NAME(add_column)(const int want, NAME(sums) * s, const int j, vec p, vec q) {
  if (want & WANT_GAP)
    NAME(add_gap)(p, &s->left, &s->rest, &s->pp[j]);
  if (want & WANT_GAP_Q)
    NAME(add_gap)(q, &s->left_q, &s->rest_q, &s->qq[j]);
  if (want & WANT_DOTS) {
    s->qq[j] = vec_fma(q, q, s->qq[j]);
    s->pq[j] = vec_fma(p, q, s->pq[j]);
  }
  if (want & WANT_DIFFERENCE) {
    const vec d = p - q;
    s->dd[j] = vec_fma(d, d, s->dd[j]);
  }
}

SIMD_INLINE vec NAME(flush)(vec part[4]) {
  const vec sum = (part[0] + part[1]) + (part[2] + part[3]);
  part[0] = part[1] = part[2] = part[3] = vec_all(0.0);
  return sum;
}

#define Q_COLUMN(k) (want & WANT_ONE_Q ? vec_all((double)q[c + (k)]) : want & WANT_Q ? b[k] : a[k])

/* The totals for one group. `want` and, in the specialised kernels, `dim` are constants after inlining. */
SIMD_INLINE NAME(totals) NAME(sum_group)(const int want, const size_t dim, const kernel_ball *ball, const REAL *p, const REAL *q,
                                         const size_t *offset) {
  const vec zero = vec_all(0.0);
  NAME(sums) s = {.left = vec_all(ball->square), .rest = vec_all(ball->square_rest)};
  s.left_q = s.left;
  s.rest_q = s.rest;
  vec pp = zero;
  NAME(totals) t = {zero, zero, zero, zero, zero};
  NAME(flush)(s.pp), NAME(flush)(s.qq), NAME(flush)(s.pq), NAME(flush)(s.dd);
  for (size_t block = 0; block < dim; block += 32) {
    const size_t end = dim - block < 32 ? dim : block + 32;
    size_t c = block;
    vec a[4], b[4];
    for (; c + 4 <= end; c += 4) {
      NAME(load4)(p, offset, c, a);
      if (want & WANT_Q)
        NAME(load4)(q, offset, c, b);
      NAME(add_column)(want, &s, 0, a[0], Q_COLUMN(0));
      NAME(add_column)(want, &s, 1, a[1], Q_COLUMN(1));
      NAME(add_column)(want, &s, 2, a[2], Q_COLUMN(2));
      NAME(add_column)(want, &s, 3, a[3], Q_COLUMN(3));
    }
    if ((end - c) & 2) {
      NAME(load2)(p, offset, c, a);
      if (want & WANT_Q)
        NAME(load2)(q, offset, c, b);
      NAME(add_column)(want, &s, 0, a[0], Q_COLUMN(0));
      NAME(add_column)(want, &s, 1, a[1], Q_COLUMN(1));
      c += 2;
    }
    if ((end - c) & 1) {
      NAME(load1)(p, offset, c, a);
      if (want & WANT_Q)
        NAME(load1)(q, offset, c, b);
      NAME(add_column)(want, &s, 2, a[0], Q_COLUMN(0));
    }
    if (FLOAT_ROWS && want & WANT_GAP)
      pp += NAME(flush)(s.pp);
    if (want & WANT_DOTS) {
      t.qq += NAME(flush)(s.qq);
      t.pq += NAME(flush)(s.pq);
    } else if (FLOAT_ROWS && want & WANT_GAP_Q) {
      t.qq += NAME(flush)(s.qq);
    }
    if (want & WANT_DIFFERENCE)
      t.dd += NAME(flush)(s.dd);
  }
  t.gap = FLOAT_ROWS ? vec_all(ball->square) - pp : s.left + s.rest;
  t.gap_q = FLOAT_ROWS ? vec_all(ball->square) - t.qq : s.left_q + s.rest_q;
  return t;
}
#undef Q_COLUMN

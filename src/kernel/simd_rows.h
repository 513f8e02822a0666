/* simd_rows.h - sums over the columns of a group of rows, the first stage of every kernel. Included once for double and once for
 * float rows (REAL, and NAME(x) for x with the right suffix); no include guard for that reason.
 *
 * Sums run over blocks of 32 columns in 4 accumulators each, so that the rounding error grows with the number of blocks, not of
 * columns. The gap S = R^2 - sum p_i^2 of double rows needs more: its squares are added to a power of two P >= R^2, so that every
 * partial sum is a multiple of P 2^-52, its increments are exact, and what a square loses, p^2 - increment, is one fma. These
 * rests are summed beside. What this leaves is about dim 2^-107 R^2, far below 2^-53 S for every gap that is not hard (kernel.c).
 * Squares of float are exact in double and gaps of float points are at least 2^-24 R^2: there the plain sum is enough. */

/* What to sum over the columns of rows p and q (q: one row for all lanes when ONE_Q). */
typedef struct NAME(sums) {
  vec sum, rest;           /* P + sum p_i^2 = sum + rest, double rows */
  vec sum_q, rest_q;       /* the same of q */
  vec pp[4], qq[4], pq[4]; /* squares and product */
  vec dd[4];               /* |p - q|^2 */
} NAME(sums);

typedef struct NAME(totals) {
  vec gap, gap_q, qq, pq, dd;
} NAME(totals);

SIMD_INLINE void NAME(add_square)(vec y, vec *sum, vec *rest, vec *plain) {
  if (FLOAT_ROWS) {
    *plain = vec_fma(y, y, *plain);
    return;
  }
  const vec before = *sum;
  *sum = vec_fma(y, y, before);
  *rest += vec_square_minus(y, *sum - before);
}

SIMD_INLINE vec NAME(gap_of)(const kernel_ball *ball, vec sum, vec rest, vec plain) {
  if (FLOAT_ROWS)
    return ball->square - plain;
  return (ball->square - (sum - ball->grid)) + (ball->square_rest - rest);
}

SIMD_INLINE void NAME(add_column)(const int want, NAME(sums) * s, const int j, vec p, vec q) {
  if (want & WANT_GAP)
    NAME(add_square)(p, &s->sum, &s->rest, &s->pp[j]);
  if (want & WANT_GAP_Q)
    NAME(add_square)(q, &s->sum_q, &s->rest_q, &s->qq[j]);
  if (want & WANT_DOTS) {
    s->qq[j] = vec_fma(q, q, s->qq[j]);
    s->pq[j] = vec_fma(p, q, s->pq[j]);
  }
  if (want & WANT_DIFFERENCE) {
    const vec d = p - q;
    s->dd[j] = vec_fma(d, d, s->dd[j]);
  }
}

/* Ends a block of columns: its sum is the total, or added to it. */
SIMD_INLINE void NAME(flush)(vec part[4], size_t block, vec *total) {
  const vec sum = (part[0] + part[1]) + (part[2] + part[3]);
  if (block == 0)
    *total = sum;
  else
    *total += sum;
  part[0] = part[1] = part[2] = part[3] = vec_all(0.0);
}

#define Q_COLUMN(k) (want & WANT_ONE_Q ? vec_all((double)q[c + (k)]) : want & WANT_Q ? b[k] : a[k])

/* The totals for one group. `want` and, in the specialised kernels, `dim` are constants after inlining. */
SIMD_INLINE NAME(totals) NAME(sum_group)(const int want, const size_t dim, const kernel_ball *ball, const REAL *p, const REAL *q,
                                         const size_t *offset) {
  const vec zero = vec_all(0.0);
  NAME(sums) s = {.sum = vec_all(ball->grid), .rest = zero, .sum_q = vec_all(ball->grid), .rest_q = zero};
  vec pp = zero;
  NAME(totals) t = {zero, zero, zero, zero, zero};
  for (int j = 0; j < 4; j++)
    s.pp[j] = s.qq[j] = s.pq[j] = s.dd[j] = zero;
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
      NAME(flush)(s.pp, block, &pp);
    if (want & WANT_DOTS || (FLOAT_ROWS && want & WANT_GAP_Q))
      NAME(flush)(s.qq, block, &t.qq);
    if (want & WANT_DOTS)
      NAME(flush)(s.pq, block, &t.pq);
    if (want & WANT_DIFFERENCE)
      NAME(flush)(s.dd, block, &t.dd);
  }
  t.gap = NAME(gap_of)(ball, s.sum, s.rest, pp);
  t.gap_q = NAME(gap_of)(ball, s.sum_q, s.rest_q, t.qq);
  return t;
}
#undef Q_COLUMN

/* rank_plain.h - the kernels of rank.h in plain C. Included by rank_ref.c once per type (real, PLAIN(name), REAL_FMA); no include
 * guard for that reason. */

static unsigned PLAIN(tile)(size_t dim, size_t n, const real *y, const real *w, const real *x, const real *limit, real near,
                            real *out) {
  const size_t group = RANK_GROUP_BYTES / sizeof(real);
  unsigned bits = 0;
  for (size_t s = 0; s < RANK_SOURCES; s++)
    for (size_t j = 0; j < n; j++) {
      const real *column = y + j / group * group * dim + j % group;
      real sum = 0;
      for (size_t c = 0; c < dim; c++) {
        const real d = column[c * group] - x[RANK_SOURCES * c + s];
        sum = REAL_FMA(d, d, sum);
      }
      const real q = sum * w[j];
      out[s * RANK_POINTS + j] = q;
      bits |= (q < limit[s] ? 1u : 0u) << s | (sum < near ? 1u : 0u) << (RANK_SOURCES + s);
    }
  return bits;
}

static void PLAIN(count)(size_t n, real *q, size_t k, const real *t, uint32_t *hist) {
  size_t below = 0;
  for (size_t j = 0; j < n; j++)
    if (q[j] < t[k - 1])
      q[below++] = q[j];
  for (size_t j = 0; j < below; j++) {
    size_t low = 0, high = k - 1; /* the first threshold above q[j] is one of t[low .. high] */
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (q[j] < t[middle])
        high = middle;
      else
        low = middle + 1;
    }
    hist[low]++;
  }
}

static double PLAIN(sum)(rank_distance kind, double scale, double unit, size_t n, const real *q) {
  double sum = 0.0;
  for (size_t j = 0; j < n; j++) {
    const double root = sqrt((double)q[j] * scale);
    sum += exp(-unit * (kind == RANK_FLAT ? root : 2.0 * asinh(root)));
  }
  return sum;
}

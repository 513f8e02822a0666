/* rank_real.h - ranks by pairs of a source and a point, for one type of numbers: included once for float and once for double
 * (rank_real, RANK_FMA, NAME). The sum of squares runs over the columns in order, one fma each, as in src/kernel/rank_plain.h. */

/* Column c of point j. */
DEVICE_CODE rank_real NAME(coordinate)(const device_ranking *r, uint64_t c, uint64_t j) {
  const uint64_t group_points = RANK_GROUP_BYTES / sizeof(rank_real);
  return ((const rank_real *)r->tiles)[j / group_points * group_points * r->dim + c * group_points + j % group_points];
}

/* |x_u - y_j|^2 */
DEVICE_CODE rank_real NAME(square)(const device_ranking *r, uint64_t u, uint64_t j) {
  rank_real sum = 0;
  for (uint64_t c = 0; c < r->dim; c++) {
    const rank_real d = NAME(coordinate)(r, c, j) - NAME(coordinate)(r, c, u);
    sum = RANK_FMA(d, d, sum);
  }
  return sum;
}

/* Whether a pair is to be looked at again: in double only, where near_square is given, and a little more often than it has to be.
 */
DEVICE_CODE bool NAME(is_close)(const device_ranking *r, uint64_t u, uint64_t j, rank_real square) {
  return r->near_square > 0.0 && (double)square <= 2.0 * r->near_square && u != j;
}

/* The positives of a source, by a warp. */
DEVICE_CODE void NAME(measure_source)(const device_ranking *r, const group *g, uint64_t i) {
  const uint32_t u = r->node[i];
  const uint64_t first = r->offsets[u], count = r->offsets[u + 1] - first;
  for (uint64_t k = g->lane; k < count; k += WIDTH) {
    const uint32_t v = r->targets[first + k];
    const rank_real square = NAME(square)(r, u, v);
    ((rank_real *)r->nearness)[r->start[i] + k] = square * ((const rank_real *)r->weights)[v];
    if (NAME(is_close)(r, u, v, square))
      r->close[i] = 1;
  }
}

/* A pair whose q is below the last threshold: it is counted unless it is a positive, known, or the source itself. */
DEVICE_FAR void NAME(count_pair)(const device_ranking *r, uint64_t i, uint32_t v, rank_real q) {
  const uint32_t u = r->node[i];
  if ((u == v && !r->itself) || is_in_row(r->offsets, r->targets, u, v) ||
      (r->known_offsets && is_in_row(r->known_offsets, r->known, u, v)))
    return;
  const uint64_t begin = 2 * r->start[i];
  const rank_real *t = (const rank_real *)r->thresholds + begin;
  uint64_t low = 0, high = r->used[i] - 1; /* the first threshold above q is one of t[low .. high] */
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (q < t[middle])
      high = middle;
    else
      low = middle + 1;
  }
  add_some(&r->hist[begin + low], 1);
}

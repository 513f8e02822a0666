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

/* The next number above one that is not negative. */
DEVICE_CODE rank_real NAME(above)(rank_real a) {
  union {
    double d;
    float f;
    uint64_t u64;
    uint32_t u32;
  } bits;
  if (sizeof a == sizeof bits.f) {
    bits.f = (float)a;
    bits.u32++;
    return (rank_real)bits.f;
  }
  bits.d = (double)a;
  bits.u64++;
  return (rank_real)bits.d;
}

/* The q of the positives of a source, by a warp. */
DEVICE_CODE void NAME(measure_source)(const device_ranking *r, const group *g, uint64_t i) {
  const uint32_t u = r->node[i];
  const uint64_t first = r->offsets[u], count = r->offsets[u + 1] - first;
  rank_real *q = (rank_real *)r->nearness + 2 * r->start[i];
  for (uint64_t k = g->lane; k < count; k += WIDTH) {
    const uint32_t v = r->targets[first + k];
    const rank_real square = NAME(square)(r, u, v);
    q[k] = square * ((const rank_real *)r->weights)[v];
    if (NAME(is_close)(r, u, v, square))
      r->close[i] = 1;
  }
}

/* Sorts them, by a warp: a bitonic network over the next power of two, which is less than twice as many. */
DEVICE_CODE void NAME(sort_source)(const device_ranking *r, const group *g, uint64_t i) {
  const uint64_t count = r->start[i + 1] - r->start[i];
  rank_real *q = (rank_real *)r->nearness + 2 * r->start[i];
  uint64_t whole = 1;
  while (whole < count)
    whole *= 2;
  for (uint64_t k = count + g->lane; k < whole; k += WIDTH)
    q[k] = (rank_real)INFINITY;
  warp_sync();
  for (uint64_t size = 2; size <= whole; size *= 2)
    for (uint64_t step = size / 2; step > 0; step /= 2) {
      for (uint64_t k = g->lane; k < whole / 2; k += WIDTH) {
        const uint64_t low = k / step * 2 * step + k % step, high = low + step;
        const rank_real a = q[low], b = q[high];
        if ((a > b) == !(low & size)) {
          q[low] = b;
          q[high] = a;
        }
      }
      warp_sync();
    }
}

/* Thresholds of a source from its sorted positives (as in src/eval/rank_block.h), and its row of the screen. */
DEVICE_CODE void NAME(prepare_source)(const device_ranking *r, uint64_t i) {
  const uint64_t count = r->start[i + 1] - r->start[i];
  const rank_real *q = (const rank_real *)r->nearness + 2 * r->start[i];
  rank_real *t = (rank_real *)r->thresholds + 2 * r->start[i];
  uint64_t used = 0;
  for (uint64_t k = 0; k < count; k++) {
    if (k > 0 && q[k] == q[k - 1])
      continue;
    if (used == 0 || t[used - 1] != q[k])
      t[used++] = q[k];
    t[used++] = NAME(above)(q[k]);
  }
  r->used[i] = used;
  float *row = r->screen.rows + i * r->screen.width;
  for (uint64_t c = 0; c + 1 < r->screen.width; c++)
    row[c] = c < r->dim ? (float)NAME(coordinate)(r, c, r->node[i]) : 0;
  row[r->screen.width - 1] = screen_root(r->dim, (double)t[used - 1]);
}

/* A point as the screen has it. */
DEVICE_CODE void NAME(prepare_point)(const device_ranking *r, uint64_t j) {
  for (uint64_t c = 0; c < r->screen.dim; c++)
    r->screen.columns[c * r->screen.stride + j] = c < r->dim ? (float)NAME(coordinate)(r, c, j) : 0;
  r->screen.reach[j] = screen_reach(r->dim, (double)((const rank_real *)r->weights)[j]);
}

/* A pair that the screen lets pass: counted if its q is below the last threshold, unless it is a positive, known, or the source
 * itself. */
DEVICE_FAR void NAME(count_pair)(const device_ranking *r, uint64_t i, uint32_t v) {
  const uint32_t u = r->node[i];
  const uint64_t begin = 2 * r->start[i];
  const rank_real *t = (const rank_real *)r->thresholds + begin;
  const rank_real square = NAME(square)(r, u, v), q = square * ((const rank_real *)r->weights)[v];
  uint64_t low = 0, high = r->used[i] - 1; /* the first threshold above q is one of t[low .. high] */
  if (NAME(is_close)(r, u, v, square))
    r->close[i] = 1;
  if (!(q < t[high]) || (u == v && !r->gensim) || is_in_row(r->offsets, r->targets, u, v) ||
      (r->known_offsets && is_in_row(r->known_offsets, r->known, u, v)))
    return;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (q < t[middle])
      high = middle;
    else
      low = middle + 1;
  }
  add_some(&r->hist[begin + low], 1);
}

/* ---- the loss ---- */

/* A part of a source's sum: e^-d of the points that are neither it, nor positive, nor known. dim is known to the compiler, or
 * that of r; `own` is the source's point, or NULL where it is read again for each pair. */
DEVICE_CODE double NAME(sum_part)(const device_ranking *r, uint64_t i, uint64_t part, const uint64_t dim, const rank_real *own) {
  const uint64_t group_points = RANK_GROUP_BYTES / sizeof(rank_real), first = part * r->part_points;
  const uint64_t end = first + r->part_points < r->nodes ? first + r->part_points : r->nodes;
  const uint32_t u = r->node[i];
  const uint64_t row_end = r->offsets[u + 1], known_end = r->known_offsets ? r->known_offsets[u + 1] : 0;
  uint64_t row = row_from(r->targets, r->offsets[u], row_end, first);
  uint64_t known = r->known_offsets ? row_from(r->known, r->known_offsets[u], known_end, first) : 0;
  double sum = 0;
  for (uint64_t j = first; j < end; j++) {
    const rank_real *column = (const rank_real *)r->tiles + j / group_points * group_points * r->dim + j % group_points;
    rank_real square = 0;
    for (uint64_t c = 0; c < dim; c++) {
      const rank_real d = column[c * group_points] - (own ? own[c] : NAME(coordinate)(r, c, u));
      square = RANK_FMA(d, d, square);
    }
    const rank_real q = square * ((const rank_real *)r->weights)[j];
    const bool positive = row < row_end && r->targets[row] == j, is_known = known < known_end && r->known[known] == j;
    row += positive;
    known += is_known;
    if (!positive && !is_known && j != u)
      sum += loss_likelihood(r, (double)q * r->scale[i]);
  }
  return sum;
}

DEVICE_CODE void NAME(sum_some)(const device_ranking *r, uint64_t i, uint64_t part) {
  rank_real own[10];
  if (r->dim == 10 || r->dim == 5)
    for (uint64_t c = 0; c < r->dim; c++)
      own[c] = NAME(coordinate)(r, c, r->node[i]);
  r->part[part * r->sources + i] = r->dim == 10  ? NAME(sum_part)(r, i, part, 10, own)
                                   : r->dim == 5 ? NAME(sum_part)(r, i, part, 5, own)
                                                 : NAME(sum_part)(r, i, part, r->dim, NULL);
}

/* The loss of the positives, as in src/eval/rank_blocks.c. */
DEVICE_CODE void NAME(add_losses)(const device_ranking *r, uint64_t i, rank_record *out) {
  const rank_real *q = (const rank_real *)r->nearness + 2 * r->start[i];
  double z = 0;
  for (uint64_t part = 0; part < r->parts; part++)
    z += r->part[part * r->sources + i];
  for (uint64_t k = 0; k < r->start[i + 1] - r->start[i]; k++) {
    const double d = loss_distance(r, (double)q[k] * r->scale[i]), t = d + log(z);
    out->loss_sum += fmax(t, 0.0) + log1p(exp(-fabs(t)));
    out->complement_sum += d + log1p(z);
  }
}

/* From counts to figures, as in src/eval/rank_block.h. */
DEVICE_CODE void NAME(score_source)(const device_ranking *r, uint64_t i) {
  const uint32_t u = r->node[i];
  const uint64_t begin = 2 * r->start[i], count = r->start[i + 1] - r->start[i];
  const rank_real *q = (const rank_real *)r->nearness + begin, *t = (const rank_real *)r->thresholds + begin;
  const uint32_t *hist = r->hist + begin;
  uint64_t left_out = count, nearer = 0, at = 0;
  if (r->known_offsets)
    left_out = rank_union(r->targets + r->offsets[u], count, r->known + r->known_offsets[u],
                          r->known_offsets[u + 1] - r->known_offsets[u]);
  rank_score score = rank_score_begin(r->nodes, count, left_out, r->gensim);
  for (uint64_t k = 0; k < count; k++) {
    if (k == 0 || q[k] != q[k - 1]) {
      while (t[at] != q[k])
        nearer += hist[at++];
      nearer += hist[at++]; /* now: all below q[k]; hist[at]: those equal to it */
    }
    rank_score_add(&score, nearer, hist[at]);
  }
  if (r->parts)
    NAME(add_losses)(r, i, &score.record);
  r->out[i] = rank_score_end(&score);
}

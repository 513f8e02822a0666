/* prepared_loads.h - rows into columns of tiles and groups of sources, in the type of the arithmetic. Included by prepared.c once
 * for double and once for float (REAL, NAME); no include guard for that reason. */

/* |x / R|^2 of n rows of this type, and their gaps. */
static void NAME(prepared_squares)(const prepared *p, size_t first, size_t n, double inverse_radius, double *square,
                                   double *gap) {
  const REAL *rows = (const REAL *)p->points.vectors + first * row_stride(&p->points);
  const size_t stride = row_stride(&p->points), gap_stride = p->points.gap_stride != 0 ? p->points.gap_stride : 1;
  for (size_t j = 0; j < n; j++) {
    square[j] = 0.0;
    gap[j] = (double)((const REAL *)p->points.gap)[(first + j) * gap_stride];
  }
  for (size_t c = 0; c < p->dim; c++)
    for (size_t j = 0; j < n; j++) {
      const double e = (double)rows[j * stride + c] * inverse_radius;
      square[j] += e * e;
    }
}

static void NAME(load_columns)(const prepared *p, size_t node, size_t stride, REAL *column) {
  const size_t at = node * row_stride(&p->points);
  const double factor = p->factor[node];
  if (p->points.precision == GEODISK_PRECISION_FLOAT) {
    const float *row = (const float *)p->points.vectors + at;
    for (size_t c = 0; c < p->dim; c++)
      column[c * stride] = (REAL)((double)row[c] * factor);
  } else {
    const double *row = (const double *)p->points.vectors + at;
    for (size_t c = 0; c < p->dim; c++)
      column[c * stride] = (REAL)(row[c] * factor);
  }
}

void NAME(prepared_tile)(const prepared *p, size_t n, size_t first, const uint32_t *ids, REAL *y, REAL *w) {
  const size_t group = RANK_GROUP_BYTES / sizeof(REAL), whole = (n + group - 1) / group * group;
  if (whole > n)
    memset(y + (whole - group) * p->dim, 0, group * p->dim * sizeof *y);
  for (size_t j = 0; j < n; j++) {
    const size_t node = ids != NULL ? ids[j] : first + j;
    NAME(load_columns)(p, node, group, y + j / group * group * p->dim + j % group);
    w[j] = (REAL)p->weight[node];
  }
  for (size_t j = n; j < whole; j++)
    w[j] = 1;
}

void NAME(prepared_source)(const prepared *p, size_t node, size_t s, REAL *x) {
  NAME(load_columns)(p, node, RANK_SOURCES, x + s);
}

/* prepared_loads.h - rows into columns of tiles and groups of sources, in the type of the arithmetic. Included by prepared.c once
 * for double and once for float (REAL, NAME); no include guard for that reason. */

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

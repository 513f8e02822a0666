/* step_real.h - the steps of rows that were pulled, and what ends an epoch, for one type of numbers: included by unit_real.h. */

DEVICE_CODE void NAME(note_step)(const device_job *j, uint32_t node, uint64_t batch, bool clipped, bool finite) {
  if (clipped)
    add_long(&j->tally->clips, 1);
  if (finite)
    return;
  lower_to(&j->tally->bad_row, node);
  lower_to_long(&j->tally->bad_moves, batch);
}

/* Takes the sums of a row, which become zero; whether there are any. */
DEVICE_CODE bool NAME(take_sums)(int64_t *from, const size_t width, int64_t *sums) {
  bool pulled = false;
  for (size_t k = 0; k < width; k++) {
    sums[k] = from[k];
    pulled = pulled || sums[k] != 0;
  }
  for (size_t k = 0; k < width && pulled; k++)
    from[k] = 0;
  return pulled;
}

/* The step of a row of a dimension that the compiler knows: all in registers. */
DEVICE_CODE void NAME(step_dim)(const device_job *j, uint32_t node, uint64_t batch, const size_t dim, const size_t stride) {
  train_rule rule = j->plan.rule;
  int64_t sums[16];
  real x[16], *row = (real *)j->rows + (size_t)node * stride;
  bool finite = true;
  rule.dim = dim;
  rule.stride = stride;
  if (!NAME(take_sums)(j->sums + (size_t)node * (dim + 1), dim + 1, sums))
    return;
  NAME(load)(x, row, dim);
  x[stride - 1] = row[stride - 1];
  const bool clipped = NAME(move)(&rule, x, sums, sums[dim]);
  for (size_t k = 0; k < dim; k++) {
    row[k] = x[k];
    finite = finite && isfinite(x[k]);
  }
  row[stride - 1] = x[stride - 1];
  NAME(note_step)(j, node, batch, clipped, finite && isfinite(x[stride - 1]));
}

/* The step of one row that was listed. */
DEVICE_CODE void NAME(step)(const device_job *j, uint32_t node, uint64_t batch) {
  const train_rule *rule = &j->plan.rule;
  const size_t dim = rule->dim;
  int64_t sums[513];
  real *row = (real *)j->rows + (size_t)node * rule->stride;
  if (dim == 10)
    NAME(step_dim)(j, node, batch, 10, 16);
  else if (dim == 5)
    NAME(step_dim)(j, node, batch, 5, TRAIN_SINGLE ? 16 : 8);
  else if (dim == 2)
    NAME(step_dim)(j, node, batch, 2, TRAIN_SINGLE ? 16 : 8);
  else if (NAME(take_sums)(j->sums + (size_t)node * (dim + 1), dim + 1, sums)) {
    const bool clipped = NAME(move)(rule, row, sums, sums[dim]);
    bool finite = isfinite(row[rule->stride - 1]);
    for (size_t k = 0; k < dim; k++)
      finite = finite && isfinite(row[k]);
    NAME(note_step)(j, node, batch, clipped, finite);
  }
}

/* ---- the end of an epoch ---- */

/* The radius of a row, as in src/embed/trainer.c; UINT64_MAX: it is not finite. */
DEVICE_CODE uint64_t NAME(radius)(const device_job *j, uint64_t node) {
  const real *row = NAME(row_of)(j, (uint32_t)node);
  const double gap = (double)row[j->plan.rule.stride - 1];
  double square = 0.0;
  for (size_t k = 0; k < j->plan.rule.dim; k++)
    square += (double)row[k] * (double)row[k];
  if (!(square < 0x1p60) || !(gap > 0.0))
    return UINT64_MAX;
  const double norm = sqrt(square), radius = j->flat ? norm : portable_log((1.0 + norm) * (1.0 + norm) / gap);
  return radius < 0x1p30 ? (uint64_t)((radius > 0.0 ? radius : 0.0) * RADIUS_SCALE) : UINT64_MAX;
}

/* The distance of two rows, as in src/embed/stopping.c. */
DEVICE_CODE double NAME(sample_distance)(const device_job *j, uint32_t a, uint32_t b) {
  const real *x = NAME(row_of)(j, a), *y = NAME(row_of)(j, b);
  double square = 0.0;
  for (size_t k = 0; k < j->plan.rule.dim; k++)
    square += ((double)x[k] - (double)y[k]) * ((double)x[k] - (double)y[k]);
  if (j->flat)
    return sqrt(square);
  const double gaps = (double)x[j->plan.rule.stride - 1] * (double)y[j->plan.rule.stride - 1];
  return 2.0 * portable_log((sqrt(gaps + square) + sqrt(square)) / sqrt(gaps));
}

/* The loss of a sampled edge: by a warp. */
DEVICE_CODE double NAME(sample_loss)(const device_job *j, const group *g, uint64_t edge) {
  const uint32_t *nodes = j->sample + edge * SAMPLE_NODES;
  const double own = NAME(sample_distance)(j, nodes[0], nodes[1]), most = 700.0;
  double sum = j->complement ? portable_exp(fmin(j->sharpness * own, most)) : 1.0;
  for (uint32_t base = 2; base < SAMPLE_NODES; base += WIDTH) {
    const uint32_t node = nodes[base + g->lane];
    double e = 0.0;
    if (node != NO_NODE)
      e = portable_exp(fmin(j->sharpness * (own - NAME(sample_distance)(j, nodes[0], node)), most));
    sum = warp_add_in_order(sum, e, node != NO_NODE);
  }
  return portable_log(sum);
}

/* train_plain.h - the training step in plain C, the truth the vector versions are held to: rows of `real`, all arithmetic in
 * double. Included by train_ref.c once for double and once for float, with real, PLAIN(name), LEAST_GAP, GAP_TRUST, EPSILON and
 * NEAREST defined. */

/* sum of pull_i n_i at u, and what every row needs; scratch arrays of one double per row. */
typedef struct PLAIN(arrays) {
  double *square, *gap, *c, *pull;
} PLAIN(arrays);

static double PLAIN(squared_distance)(const real *a, const real *b, size_t dim) {
  double s = 0.0;
  for (size_t k = 0; k < dim; k++) {
    double d = (double)a[k] - (double)b[k];
    s += d * d;
  }
  return s;
}

/* A gap carried by its own recurrence drifts away from the coordinates. Where they resolve it, it is measured; deeper, the
 * coordinates are scaled to it, and stay off the rim. */
static void PLAIN(measure)(real *x, size_t dim, size_t gap_place) {
  double square = 0.0;
  for (size_t k = 0; k < dim; k++)
    square += (double)x[k] * (double)x[k];
  double gap = (double)x[gap_place];
  if (square == 0.0 || (gap > GAP_TRUST && 1.0 - square > 0.5 * GAP_TRUST)) {
    x[gap_place] = (real)(1.0 - square);
  } else {
    double scale = sqrt(fmin(1.0 - gap, train_rim(dim, EPSILON)) / square);
    for (size_t k = 0; k < dim; k++)
      x[k] = (real)((double)x[k] * scale);
  }
}

/* Distances, softmax and pulls. Returns the loss. */
static double PLAIN(pulls)(const train_rule *rule, const real *rows, const train_step *step, PLAIN(arrays) a,
                           double *likelihoods) {
  const size_t n = step->positives + step->negatives;
  const real *u = rows + (size_t)step->u * rule->stride;
  const double S = (double)u[rule->gap];
  for (size_t i = 0; i < n; i++) {
    const real *x = rows + (size_t)step->index[i] * rule->stride;
    double d2 = fmax(PLAIN(squared_distance)(x, u, rule->dim), NEAREST);
    a.square[i] = d2;
    a.gap[i] = (double)x[rule->gap];
    if (rule->flat) {
      a.c[i] = 1.0 / sqrt(d2);
      a.pull[i] = exp(-sqrt(d2));
    } else {
      double st = S * a.gap[i], q = d2 / st, s = sqrt(1.0 + q) + sqrt(q);
      a.c[i] = 1.0 / (sqrt(d2) * sqrt(st + d2));
      a.pull[i] = 1.0 / (s * s);
    }
  }
  if (rule->squarings) {
    const double unit = step->hold ? 1.0 : a.pull[n - 1], most = ldexp(1.0, TRAIN_LIKELIEST >> rule->squarings);
    for (size_t i = 0; i < n; i++) {
      a.pull[i] = fmin(a.pull[i] / unit, most);
      for (int k = 0; k < rule->squarings; k++)
        a.pull[i] = fmax(a.pull[i] * a.pull[i], step->hold ? TRAIN_LEAST_LIKELIHOOD : 0.0);
    }
  }
  double sum = rule->complement ? 1.0 : 0.0, loss = 0.0, share = 0.0;
  for (size_t i = 0; i < step->negatives; i++)
    sum += a.pull[i];
  *likelihoods = sum - (rule->complement ? 1.0 : 0.0);
  if (step->others) {
    const real *others = step->others;
    for (size_t i = 0; i < n; i++) {
      double w = step->weights ? step->weights[i] : 1.0, other = (double)others[i];
      a.pull[i] = rule->complement ? w : w * (other / (other + a.pull[i]));
    }
    return 0.0;
  }
  for (size_t i = step->negatives; i < n; i++) {
    double w = step->weights ? step->weights[i - step->negatives] : 1.0, e = a.pull[i], z = rule->complement ? sum : sum + e;
    loss += w * log(z / e);
    share += w / z;
    a.pull[i] = rule->complement ? w : w * (sum / z);
  }
  for (size_t i = 0; i < step->negatives; i++) {
    double weight = a.pull[i] * share;
    if (weight < rule->sparse)
      weight = train_is_kept(weight, rule->sparse, step->randoms[i]) ? rule->sparse : 0.0;
    a.pull[i] = -weight;
  }
  return loss;
}

/* The tangent at u, g = sum pull c (S (m-u) - |m-u|^2 u), in flat space sum pull c (m-u); returns |g|^2 and g.u. */
static double PLAIN(source_tangent)(const train_rule *rule, const real *rows, const train_step *step, PLAIN(arrays) a, double *g,
                                    double *along) {
  const size_t n = step->positives + step->negatives;
  const real *u = rows + (size_t)step->u * rule->stride;
  const double S = rule->flat ? 1.0 : (double)u[rule->gap];
  double own = 0.0, square = 0.0;
  *along = 0.0;
  for (size_t i = 0; i < n; i++)
    own += rule->flat ? 0.0 : a.pull[i] * a.c[i] * a.square[i];
  for (size_t k = 0; k < rule->dim; k++) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
      sum += a.pull[i] * a.c[i] * ((double)rows[(size_t)step->index[i] * rule->stride + k] - (double)u[k]);
    g[k] = S * sum - own * (double)u[k];
    square += g[k] * g[k];
    *along += g[k] * (double)u[k];
  }
  return square;
}

static void PLAIN(one_step)(const train_rule *rule, real *rows, const train_step *step, train_result *result) {
  const size_t n = step->positives + step->negatives, dim = rule->dim, room = n + TRAIN_PAD;
  double *scratch = step->scratch, *g = scratch + TRAIN_ARRAYS * room, along;
  PLAIN(arrays) a = {scratch, scratch + room, scratch + 2 * room, scratch + 3 * room};
  double loss = PLAIN(pulls)(rule, rows, step, a, &result->likelihoods[result->bad_step]);
  double pulled = PLAIN(source_tangent)(rule, rows, step, a, g, &along);
  result->loss += loss;
  if (!(fabs(loss) <= DBL_MAX && pulled <= DBL_MAX)) {
    result->bad = true;
    return;
  }
  real *u = rows + (size_t)step->u * rule->stride;
  const double S = (double)u[rule->gap];
  const bool often = step->turn % TRAIN_MEASURE_OFTEN == 0;
  size_t moved = 0;
  for (size_t i = 0; i < (step->hold ? step->negatives : n); i++) {
    if (a.pull[i] == 0.0)
      continue;
    real *x = rows + (size_t)step->index[i] * rule->stride;
    double gap = a.gap[i], d2 = a.square[i];
    double nx = a.c[i] * (0.5 * gap * (S - gap + d2) + d2 * (1.0 - gap)); /* n.x, by Cauchy-Schwarz at most |x| < 1 */
    nx = fmin(fmax(nx, -1.0), 1.0);
    train_move m = move_row(rule, -rule->lr * a.pull[i], gap, d2, a.c[i], nx, LEAST_GAP);
    for (size_t k = 0; k < dim; k++)
      x[k] = (real)(m.keep * (double)x[k] + m.away * ((double)x[k] - (double)u[k]));
    x[rule->gap] = (real)m.gap;
    result->clips += m.clipped;
    if (!rule->flat && (m.far || (moved + step->turn) % TRAIN_MEASURE_EVERY == 0 || (often && i + 1 == n)))
      PLAIN(measure)(x, dim, rule->gap);
    moved++;
  }
  bool far = false;
  if (pulled > 0.0) {
    train_move m = train_source_move(rule, pulled, along, S, LEAST_GAP);
    far = m.far;
    for (size_t k = 0; k < dim; k++)
      u[k] = (real)(m.keep * (double)u[k] + m.away * g[k]);
    u[rule->gap] = (real)m.gap;
    result->clips += m.clipped;
  }
  if (!rule->flat && (often || far))
    PLAIN(measure)(u, dim, rule->gap);
}

static void PLAIN(step)(const train_rule *rule, real *rows, const train_step *step, size_t count, train_result *result) {
  for (size_t i = 0; i < count && !result->bad; i++) {
    result->bad_step = i;
    PLAIN(one_step)(rule, rows, &step[i], result);
  }
}

static double PLAIN(settle)(const train_rule *rule, real *rows, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    real *x = rows + i * rule->stride;
    PLAIN(measure)(x, rule->dim, rule->gap);
    double gap = (double)x[rule->gap], side = 1.0 + sqrt(fmax(0.0, 1.0 - gap));
    sum += log(side * side / gap);
  }
  return sum;
}

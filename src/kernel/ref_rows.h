/* ref_rows.h - the kernels of ref.c for one type of rows (REAL; NAME(x) is x with the right suffix). Included twice. */

#define FLOAT_ROWS (sizeof(REAL) == sizeof(float))

/* S(x) to the last digit; what the vector kernels call hard is hard here, too. */
static verdict NAME(gap_of)(const kernel_ball *ball, const REAL *x, double *gap) {
  sum3 sum = {ball->square, ball->square_rest, 0.0};
  for (size_t c = 0; c < ball->dim; c++)
    sum3_add_product(&sum, (double)x[c], -(double)x[c]);
  const double shallow = FLOAT_ROWS ? ball->shallow_float : ball->shallow;
  *gap = dd_round(sum3_value(&sum));
  return *gap > shallow ? EASY : *gap < -shallow ? OUTSIDE : HARD;
}

/* x . y and |x - y|^2 in double-double, rounded once. */
static double NAME(dot)(size_t dim, const REAL *x, const REAL *y) {
  dd sum = {0.0, 0.0};
  for (size_t c = 0; c < dim; c++)
    sum = dd_add(sum, two_prod((double)x[c], (double)y[c]));
  return dd_round(sum);
}
static double NAME(square_distance)(size_t dim, const REAL *x, const REAL *y) {
  dd sum = {0.0, 0.0};
  for (size_t c = 0; c < dim; c++)
    sum = dd_add(sum, dd_sqr(two_sum((double)x[c], -(double)y[c])));
  return dd_round(sum);
}

/* q = R^2 |x-y|^2 / (S(x) S(y)); *out is NaN for a point outside. */
static verdict NAME(sinh2_of)(const kernel_ball *ball, const REAL *x, double x_gap, const REAL *y, double *out) {
  double gap;
  const verdict is = NAME(gap_of)(ball, y, &gap);
  const double square = NAME(square_distance)(ball->dim, x, y);
  *out = is == OUTSIDE ? (double)NAN : (ball->square / x_gap) * (square / gap);
  return is == EASY && !(square > LEAST_SQUARE) ? HARD : is;
}

static size_t NAME(gaps)(const kernel_ball *ball, size_t n, const REAL *x, double *out, uint16_t *hard) {
  size_t found = 0;
  for (size_t i = 0; i < n; i++) {
    const verdict is = NAME(gap_of)(ball, x + i * ball->dim, out + i);
    if (is == OUTSIDE)
      out[i] = (double)NAN;
    else if (is == HARD)
      hard[found++] = (uint16_t)i;
  }
  return found;
}

/* Rows with gaps of their own are all left to the caller, whose accurate functions are the plain version of that. */
static size_t NAME(sinh2_many)(const kernel_ball *ball, const REAL *x, const double x_gap[2], size_t n, const REAL *y,
                               const REAL *y_gap, REAL *out, uint16_t *hard) {
  size_t found = 0;
  for (size_t i = 0; i < n; i++) {
    double q;
    if (y_gap != NULL || NAME(sinh2_of)(ball, x, x_gap[0], y + i * ball->dim, &q) == HARD)
      hard[found++] = (uint16_t)i;
    else
      out[i] = (REAL)q;
  }
  return found;
}

static size_t NAME(distance_many)(const kernel_ball *ball, const REAL *x, const double x_gap[2], size_t n, const REAL *y,
                                  const REAL *y_gap, REAL *out, uint16_t *hard) {
  size_t found = 0;
  for (size_t i = 0; i < n; i++) {
    double q;
    if (y_gap != NULL || NAME(sinh2_of)(ball, x, x_gap[0], y + i * ball->dim, &q) == HARD)
      hard[found++] = (uint16_t)i;
    else
      out[i] = (REAL)(2.0 * ball->unit * asinh(sqrt(q)));
  }
  return found;
}

static size_t NAME(distance_rows)(const kernel_ball *ball, size_t n, const REAL *x, const REAL *y, REAL *out, uint16_t *hard) {
  size_t found = 0;
  for (size_t i = 0; i < n; i++) {
    const REAL *xi = x + i * ball->dim, *yi = y + i * ball->dim;
    double gap, q;
    const verdict vx = NAME(gap_of)(ball, xi, &gap), vy = NAME(sinh2_of)(ball, xi, gap, yi, &q);
    if (vx == OUTSIDE || vy == OUTSIDE)
      out[i] = (REAL)NAN;
    else if (vx == HARD || vy == HARD)
      hard[found++] = (uint16_t)i;
    else
      out[i] = (REAL)(2.0 * ball->unit * asinh(sqrt(q)));
  }
  return found;
}

static size_t NAME(distance_tile)(const kernel_ball *ball, size_t m, const REAL *x, const double *x_gap, size_t n, const REAL *y,
                                  const double *y_gap, REAL *out, size_t stride, uint16_t *hard) {
  size_t found = 0;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      const double square = NAME(square_distance)(ball->dim, x + i * ball->dim, y + j * ball->dim);
      const double q = (ball->square / x_gap[i]) * (square / y_gap[j]);
      if (q == q && !(square > LEAST_SQUARE))
        hard[found++] = (uint16_t)(i * KERNEL_TILE_Y + j);
      else
        out[i * stride + j] = (REAL)(2.0 * ball->unit * asinh(sqrt(q)));
    }
  return found;
}

/* exp at x of u, or of c u with c = *slope S^2 / R if slope is given; simd_step.h has the formulas. False: hard. */
static bool NAME(exp_row)(const kernel_ball *ball, const REAL *x, const REAL *u, const double *slope, REAL *out, REAL *out_gap) {
  double gap;
  if (NAME(gap_of)(ball, x, &gap) != EASY)
    return false;
  const double uu = NAME(dot)(ball->dim, u, u), norm = fmax(sqrt(uu), LEAST_NORM);
  const double length = 2.0 * (slope == NULL ? ball->radius / gap : fabs(*slope) * gap) * norm;
  const double h = 0.5 * expm1(fmin(length, LONGEST_STEP)), share = gap / ball->square;
  const double sign = slope != NULL && *slope < 0.0 ? -1.0 : 1.0;
  const double cosine = sign * NAME(dot)(ball->dim, x, u) / (norm * ball->radius); /* n.x/R */
  const double z = (h + 1.0) * (h + 1.0) + 2.0 * h * (h + 1.0) * cosine + h * h * (1.0 - share);
  const double a = share * h * h / z, b = sign * gap * h * (h + 1.0) / (ball->radius * norm * z);
  const double new_gap = (2.0 * h + 1.0) * gap / z, over_zz = (h + 1.0) * (h + 1.0) / z;
  const double pull = a * a * (1.0 - share) * over_zz;
  bool easy = over_zz < (FLOAT_ROWS ? EASY_PULL_FLOAT : EASY_PULL);
  if (out_gap == NULL)
    easy = easy || pull < (FLOAT_ROWS ? MOST_PULL_FLOAT : MOST_PULL);
  else
    easy = easy && length < (FLOAT_ROWS ? LONGEST_STEP_GAP_FLOAT : LONGEST_STEP_GAP);
  if (!(easy && uu < LARGEST_SQUARE && new_gap > ball->square * (FLOAT_ROWS ? RIM_FLOAT : RIM)))
    return false;
  for (size_t c = 0; c < ball->dim; c++)
    out[c] = (REAL)((double)x[c] + (a * (double)x[c] + b * (double)u[c]));
  if (out_gap != NULL)
    *out_gap = (REAL)new_gap;
  return true;
}

static size_t NAME(exp_many)(const kernel_ball *ball, size_t n, const REAL *x, const REAL *v, REAL *out, REAL *out_gap,
                             uint16_t *hard) {
  size_t found = 0;
  for (size_t i = 0, at = 0; i < n; i++, at += ball->dim)
    if (!NAME(exp_row)(ball, x + at, v + at, NULL, out + at, out_gap == NULL ? NULL : out_gap + i))
      hard[found++] = (uint16_t)i;
  return found;
}

static size_t NAME(geodesic_step)(const kernel_ball *ball, size_t n, const REAL *x, const REAL *df, double lr, REAL *out,
                                  uint16_t *hard) {
  const double slope = -lr * ball->curvature / (4.0 * ball->radius);
  size_t found = 0;
  for (size_t i = 0, at = 0; i < n; i++, at += ball->dim)
    if (!NAME(exp_row)(ball, x + at, df + at, &slope, out + at, NULL))
      hard[found++] = (uint16_t)i;
  return found;
}

static size_t NAME(natural_step)(const kernel_ball *ball, size_t n, const REAL *x, const REAL *df, double lr, double margin,
                                 REAL *out, size_t *projected, uint16_t *hard) {
  const double limit = ball->radius * (1.0 - margin), safe = ball->radius * (1.0 - (FLOAT_ROWS ? RIM_FLOAT : RIM));
  size_t found = 0;
  for (size_t i = 0, at = 0; i < n; i++, at += ball->dim) {
    double gap, square = 0.0;
    const bool inside = NAME(gap_of)(ball, x + at, &gap) == EASY;
    const double b = -lr * ball->curvature / (4.0 * ball->square) * gap * gap;
    for (size_t c = 0; c < ball->dim; c++) {
      const double moved = (double)x[at + c] + b * (double)df[at + c];
      square += moved * moved;
    }
    const bool beyond = square > limit * limit;
    if (!inside || !(square < LARGEST_SQUARE) || !((beyond ? limit : sqrt(square)) < safe)) {
      hard[found++] = (uint16_t)i;
      continue;
    }
    const double shrink = beyond ? limit / sqrt(square) : 1.0;
    for (size_t c = 0; c < ball->dim; c++)
      out[at + c] = (REAL)(shrink * ((double)x[at + c] + b * (double)df[at + c]));
    *projected += beyond;
  }
  return found;
}

#undef FLOAT_ROWS

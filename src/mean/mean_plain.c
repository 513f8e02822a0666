/* mean_plain.c - the passes of geodisk_mean over coordinates, and the moves of its trial point. */
#include "mean_plain.h"
#include "base/squares.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of all chunks of a wave are kept until they are added up in order: at most so many numbers, at most so many chunks. */
enum { WAVE_NUMBERS = 1 << 20, LARGEST_WAVE = 4096 };

/* Rounding error of a row's logarithm, relative to its length, in units of 2^-53. Accurate: c is rounded once, theta is known to
 * a quarter unit, the gap to one, which counts at most as much as the logarithm is long; measured below 1.5. Plain: each of the
 * dim squares and up to 140 additions of a sum round once. */
static const double ACCURATE_UNITS = 4.0, PLAIN_UNITS = 200.0, PLAIN_UNITS_PER_DIM = 2.0;

/* A step shorter than this (hyperbolic length) is added to the coordinates: exp differs from it by its square. */
static const double TINY_STEP = 1e-9;

/* ---- creation -------------------------------------------------------------------------------------------------------- */

geodisk_status plain_create(const geodisk_ball *ball, const geodisk_mean_options *options, plain *e) {
  const size_t dim = (size_t)ball->dim;
  *e = (plain){.context = options->context,
               .ball = *ball,
               .dim = dim,
               .update = options->method == GEODISK_MEAN_GRADIENT ? options->update : GEODISK_UPDATE_GEODESIC,
               .margin = options->margin,
               .least_gap = (double)INFINITY,
               .kernels = geodisk_kernel_table(geodisk_instruction_set(options->context))};
  e->has_kernel_ball = geodisk_kernel_ball(ball->dim, ball->radius, ball->curvature, &e->kernel_ball);
  const size_t triangle = dim <= LARGEST_HESSIAN ? MEAN_HESSIAN(dim) : 0;
  e->most_sums = MEAN_SUMS(dim) + triangle;
  if (e->most_sums < 2 * MEAN_PAIRS(dim))
    e->most_sums = 2 * MEAN_PAIRS(dim);
  e->base = geodisk_allocate_zero(dim, sizeof(double));
  e->trial = geodisk_allocate_zero(dim, sizeof(double));
  e->totals = geodisk_allocate(e->most_sums, sizeof *e->totals);
  e->found.descent = geodisk_allocate(dim, sizeof(double));
  double *curvature = geodisk_allocate(triangle, sizeof(double));
  e->found.curvature = curvature;
  if (e->base == NULL || e->trial == NULL || e->totals == NULL || e->found.descent == NULL || curvature == NULL) {
    plain_destroy(e);
    return geodisk_no_memory(options->context, "for the mean in dim %zu", dim);
  }
  return GEODISK_OK;
}

void plain_destroy(plain *e) {
  geodisk_free_all(e->base, e->trial, e->totals, e->chunk_sums, e->results, e->found.descent, e->found.curvature);
  *e = (plain){0};
}

/* ---- a pass ---------------------------------------------------------------------------------------------------------- */

/* R^2 - |x|^2 to all digits. */
static dd exact_gap(const geodisk_ball *ball, const double *x) {
  const dd square = two_prod(ball->radius, ball->radius);
  sum3 s = {square.hi, square.lo, 0.0};
  for (int j = 0; j < ball->dim; j++)
    sum3_add_product(&s, x[j], -x[j]);
  return sum3_value(&s);
}

void plain_begin(plain *e, int wanted) {
  const dd gap = exact_gap(&e->ball, e->trial), ratio = dd_div(two_prod(e->ball.radius, e->ball.radius), gap);
  const double scale = e->at.weight_scale;
  e->accurate = (wanted & PASS_ACCURATE) != 0;
  e->at = (mean_point){.dim = e->dim,
                       .p = e->trial,
                       .gap = gap.hi,
                       .gap_rest = gap.lo,
                       .ratio = ratio.hi,
                       .ratio_rest = ratio.lo,
                       .weight_scale = scale,
                       .hessian = (wanted & PASS_HESSIAN) != 0 && e->dim <= LARGEST_HESSIAN,
                       .centroid = (wanted & PASS_CENTROID) != 0,
                       .median = (wanted & PASS_MEDIAN) != 0};
  e->n_sums = e->accurate ? 2 * MEAN_PAIRS(e->dim) : MEAN_SUMS(e->dim) + (e->at.hessian ? MEAN_HESSIAN(e->dim) : 0);
  e->rows = 0;
  for (size_t i = 0; i < e->n_sums; i++)
    e->totals[i] = dd_from(0.0);
}

typedef struct feeding {
  plain *e;
  size_t n, first_chunk;
  const double *points, *weights;
  double *gaps;
  bool compute_gaps;
} feeding;

/* The gaps of up to KERNEL_ROWS rows; false for a row outside the ball, which result->bad_row then names. */
static bool gaps_of_rows(const feeding *f, size_t begin, size_t n, double *gaps, chunk_result *result) {
  const plain *e = f->e;
  const double *rows = f->points + begin * e->dim;
  uint16_t hard[KERNEL_ROWS];
  size_t n_hard = n;
  if (e->has_kernel_ball)
    n_hard = e->kernels->d.gaps(&e->kernel_ball, n, rows, gaps, hard);
  for (size_t k = 0; k < n_hard; k++) {
    const size_t i = e->has_kernel_ball ? hard[k] : k;
    gaps[i] = geodisk_gap(&e->ball, rows + i * e->dim);
  }
  for (size_t i = 0; i < n; i++) {
    if (!(gaps[i] > 0.0)) {
      result->bad_row = begin + i;
      return false;
    }
    result->least_gap = gaps[i] < result->least_gap ? gaps[i] : result->least_gap;
  }
  return true;
}

static void chunk_task(void *arg, size_t index) {
  const feeding *f = arg;
  const plain *e = f->e;
  const size_t chunk_begin = (f->first_chunk + index) * CHUNK_ROWS;
  const size_t chunk_end = chunk_begin + CHUNK_ROWS < f->n ? chunk_begin + CHUNK_ROWS : f->n;
  chunk_result *result = &e->results[index];
  double *sums = e->chunk_sums + index * e->n_sums, own_gaps[KERNEL_ROWS];
  enum { SMALL = 8192 };
  double small[SMALL], *scratch = small;
  *result = (chunk_result){(double)INFINITY, SIZE_MAX, false};
  memset(sums, 0, e->n_sums * sizeof(double));
  if (MEAN_SCRATCH(e->dim, KERNEL_ROWS) > SMALL &&
      (scratch = geodisk_allocate(MEAN_SCRATCH(e->dim, KERNEL_ROWS), sizeof(double))) == NULL) {
    result->no_memory = true;
    return;
  }
  for (size_t begin = chunk_begin; begin < chunk_end; begin += KERNEL_ROWS) {
    const size_t n = chunk_end - begin < KERNEL_ROWS ? chunk_end - begin : KERNEL_ROWS;
    double *gaps = f->gaps == NULL ? own_gaps : f->gaps + begin;
    if (f->compute_gaps && !gaps_of_rows(f, begin, n, gaps, result))
      break;
    (e->accurate ? e->kernels->mean_accurate : e->kernels->mean_plain)(
        &e->at, n, f->points + begin * e->dim, gaps, f->weights == NULL ? NULL : f->weights + begin, sums, scratch);
  }
  if (scratch != small)
    free(scratch);
}

/* Checks weights and adds them up; finds their scale from the first that is positive. */
static geodisk_status learn_weights(plain *e, size_t n, const double *weights) {
  if (weights == NULL) {
    if (e->at.weight_scale == 0.0)
      e->at.weight_scale = 1.0;
    e->weight_sum = dd_add_d(e->weight_sum, (double)n * e->at.weight_scale);
    return GEODISK_OK;
  }
  for (size_t i = 0; i < n; i++) {
    if (!(weights[i] >= 0.0 && isfinite(weights[i])))
      return geodisk_fail(e->context, GEODISK_ERROR_ARGUMENT, "weight %llu is %g: weights must be finite and not negative",
                          (unsigned long long)(e->rows + i), weights[i]);
    if (e->at.weight_scale == 0.0 && weights[i] > 0.0)
      e->at.weight_scale = ldexp(1.0, -ilogb(weights[i]));
    e->weight_sum = dd_add_d(e->weight_sum, weights[i] * e->at.weight_scale);
  }
  return GEODISK_OK;
}

static void add_chunk(plain *e, const double *sums) {
  if (e->accurate)
    for (size_t i = 0; i < e->n_sums; i += 2)
      e->totals[i] = dd_add(e->totals[i], (dd){sums[i], sums[i + 1]});
  else
    for (size_t i = 0; i < e->n_sums; i++)
      e->totals[i] = dd_add_d(e->totals[i], sums[i]);
}

/* Room for the sums of as many chunks at a time as are fed and as memory should hold. */
static bool make_room(plain *e, size_t chunks) {
  size_t wave = WAVE_NUMBERS / e->most_sums;
  wave = wave < 1 ? 1 : wave > LARGEST_WAVE ? LARGEST_WAVE : wave;
  wave = chunks < wave ? chunks : wave;
  if (wave <= e->wave)
    return true;
  double *sums = geodisk_reallocate(e->chunk_sums, wave, e->most_sums * sizeof *sums);
  if (sums == NULL)
    return false;
  e->chunk_sums = sums;
  chunk_result *results = geodisk_reallocate(e->results, wave, sizeof *results);
  if (results == NULL)
    return false;
  e->results = results;
  e->wave = wave;
  return true;
}

/* Adds the chunks of a wave in order, or names what is wrong with the first bad one. */
static geodisk_status add_wave(plain *e, size_t chunks) {
  for (size_t c = 0; c < chunks; c++) {
    if (e->results[c].no_memory)
      return geodisk_no_memory(e->context, "for the mean in dim %zu", e->dim);
    if (e->results[c].bad_row != SIZE_MAX)
      return geodisk_fail(e->context, GEODISK_ERROR_ARGUMENT, "point %llu is not inside the ball",
                          (unsigned long long)(e->rows + e->results[c].bad_row));
    e->least_gap = fmin(e->least_gap, e->results[c].least_gap);
    add_chunk(e, e->chunk_sums + c * e->n_sums);
  }
  return GEODISK_OK;
}

geodisk_status plain_feed(plain *e, size_t n, const double *points, const double *weights, double *gaps) {
  geodisk_status status = GEODISK_OK;
  if (!e->learned && (status = learn_weights(e, n, weights)) != GEODISK_OK)
    return status;
  const size_t chunks = (n + CHUNK_ROWS - 1) / CHUNK_ROWS;
  if (!make_room(e, chunks))
    return geodisk_no_memory(e->context, "for the mean");
  feeding f = {e, n, 0, points, weights, NULL, gaps == NULL || !e->learned};
  f.gaps = gaps;
  for (; f.first_chunk < chunks && status == GEODISK_OK; f.first_chunk += e->wave) {
    const size_t now = chunks - f.first_chunk < e->wave ? chunks - f.first_chunk : e->wave;
    geodisk_parallel(e->context, now, chunk_task, &f);
    status = add_wave(e, now);
  }
  e->rows += n;
  return status;
}

/* ---- what was found -------------------------------------------------------------------------------------------------- */

/* lam(p): coordinates times this are components in an orthonormal frame. */
static double frame_factor(const plain *e, double gap) { return 2.0 * e->ball.radius / (gap * sqrt(e->ball.curvature)); }

static void read_accurate(plain *e) {
  const dd gap = {e->at.gap, e->at.gap_rest}, pull = e->totals[0];
  const double lam = frame_factor(e, e->at.gap);
  e->found.loss = 0.5 * dd_round(dd_div(e->totals[2], e->weight_sum)) / e->ball.curvature;
  for (size_t j = 0; j < e->dim; j++) {
    const dd sum = dd_sub(dd_mul(gap, e->totals[6 + 2 * j]), dd_mul_d(pull, e->trial[j]));
    e->found.descent[j] = lam * dd_round(dd_div(sum, e->weight_sum));
  }
}

static void read_plain(plain *e, double *curvature) {
  const double lam = frame_factor(e, e->at.gap), lift = e->ball.radius / e->at.gap;
  e->found.loss = 0.5 * dd_round(dd_div(e->totals[0], e->weight_sum)) / e->ball.curvature;
  e->found.mean_coth = dd_round(dd_div(e->totals[1], e->weight_sum));
  for (size_t j = 0; j < e->dim; j++)
    e->found.descent[j] = lam * dd_round(dd_div(e->totals[4 + j], e->weight_sum));
  const dd *triangle = e->totals + MEAN_SUMS(e->dim);
  for (size_t j = 0, t = 0; e->at.hessian && j < e->dim; j++)
    for (size_t k = j; k < e->dim; k++, t++)
      curvature[t] = (j == k ? e->found.mean_coth : 0.0) - lift * (lift * (triangle[t].hi / e->weight_sum.hi));
}

/* On the hyperboloid the sum of the points has the component sum w cosh(theta) along p and sum w sinh(theta) n across:
 * cosh(theta) = 1 + 2u, sinh(theta) n = 2R/S zeta. */
void plain_centroid_step(const plain *e, double *step) {
  const double along = e->weight_sum.hi + 2.0 * dd_round(e->totals[3]);
  double across = 0.0;
  for (size_t j = 0; j < e->dim; j++) {
    step[j] = 2.0 * e->ball.radius / e->at.gap * dd_round(e->totals[4 + e->dim + j]);
    across += step[j] * step[j];
  }
  across = sqrt(across);
  const double factor = across > 0.0 ? atanh(fmin(across / along, 1.0 - DBL_EPSILON)) / (across * sqrt(e->ball.curvature)) : 0.0;
  for (size_t j = 0; j < e->dim; j++)
    step[j] *= factor;
}

geodisk_status plain_end(plain *e) {
  if (e->rows == 0)
    return geodisk_fail(e->context, GEODISK_ERROR_ARGUMENT, "there are no points");
  if (!(e->weight_sum.hi > 0.0))
    return geodisk_fail(e->context, GEODISK_ERROR_ARGUMENT, "all weights are zero");
  if (e->learned && e->rows != e->expected_rows)
    return geodisk_fail(e->context, GEODISK_ERROR_ARGUMENT, "this pass had %llu points, the first had %llu",
                        (unsigned long long)e->rows, (unsigned long long)e->expected_rows);
  e->learned = true;
  e->expected_rows = e->rows;
  double *curvature = e->found.curvature;
  const dd theta_sum = e->totals[e->accurate ? 4 : 2];
  if (e->accurate)
    read_accurate(e);
  else
    read_plain(e, curvature);
  const double mean_distance = dd_round(dd_div(theta_sum, e->weight_sum)) / sqrt(e->ball.curvature);
  const double units = e->accurate ? ACCURATE_UNITS : PLAIN_UNITS + PLAIN_UNITS_PER_DIM * (double)e->dim;
  const double lam = frame_factor(e, e->at.gap);
  e->found.norm = norm_of(e->dim, e->found.descent) * (1.0 + (double)e->dim * DBL_EPSILON);
  /* The last part: squares of differences below 2^-511 R underflow, and with them logarithms that short. */
  e->found.error = units * 0.5 * DBL_EPSILON * mean_distance + lam * 0x1p-500 * e->ball.radius;
  e->found.floor = 0.5 * DBL_EPSILON * norm_of(e->dim, e->trial) * lam * e->found.mean_coth;
  if (!isfinite(e->found.norm) || !isfinite(e->found.loss))
    return geodisk_fail(e->context, GEODISK_ERROR_NUMERIC, "the gradient is not finite");
  return GEODISK_OK;
}

/* ---- moves ----------------------------------------------------------------------------------------------------------- */

/* trial = base moved by the step. */
static void move_trial(plain *e, const solver *s) {
  const double lam = frame_factor(e, e->base_gap);
  const double square = square_of(e->dim, s->step);
  for (size_t j = 0; j < e->dim; j++)
    e->trial[j] = s->step[j] / lam;
  if (e->update == GEODISK_UPDATE_GEODESIC && square < TINY_STEP * TINY_STEP) {
    for (size_t j = 0; j < e->dim; j++)
      e->trial[j] += e->base[j];
    if (exact_gap(&e->ball, e->trial).hi > 0.0)
      return;
    for (size_t j = 0; j < e->dim; j++)
      e->trial[j] = s->step[j] / lam;
  }
  e->clips += geodisk_update_point(&e->ball, e->update, e->margin, e->base, e->base_gap, e->trial, e->trial, &e->trial_gap);
}

void plain_adopt(plain *e) {
  memcpy(e->base, e->trial, e->dim * sizeof(double));
  e->base_gap = geodisk_gap(&e->ball, e->base);
}

geodisk_status plain_move(plain *e, solver *s, request *next) {
  if (*next == ASK_DONE)
    return GEODISK_OK;
  if (s->still) {
    memcpy(e->trial, e->base, e->dim * sizeof(double));
    return GEODISK_OK;
  }
  move_trial(e, s);
  for (size_t j = 0; j < e->dim; j++)
    if (!isfinite(e->trial[j]))
      return geodisk_fail(e->context, GEODISK_ERROR_NUMERIC, "iteration %llu: the point is no longer finite",
                          (unsigned long long)s->iterations);
  if (memcmp(e->trial, e->base, e->dim * sizeof(double)) == 0)
    *next = s->base_accurate ? solver_settled(s) : ASK_ACCURATE;
  return GEODISK_OK;
}

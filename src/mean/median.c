/* median.c - the geometric median: minimises f(p) = sum w_i d(p, q_i) / sum w_i.
 *
 * -grad f is the weighted mean of the unit tangents n_i towards the points, the Hessian the mean of sqrt(k) coth(theta_i) across
 * each of them. On the hyperboloid d is a concave function of the Lorentz product, so a step of length artanh(|grad f| / mean
 * coth) (for curvature -1) along -grad f never increases f: Weiszfeld's iteration. Newton's step is tried first.
 *
 * f has kinks at the points: q_j is the median if and only if the pull of all others is at most its own weight (Kuhn). Whenever
 * the nearest point to p seems to satisfy that, it is looked at. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/squares.h"
#include "mean_run.h"

static const double DEFAULT_TOLERANCE = 1e-12;
enum { DEFAULT_ITERATIONS = 1000 };
static const double LOSS_ROUNDING = 512 * DBL_EPSILON;
static const double SEEMS_TO = 1.25; /* how much stronger than its weight the pull may look from nearby */
static const double UNITS = 400.0;   /* bound on the error of a unit tangent in a plain pass, of 2^-53 */

typedef struct median {
  plain e;
  const geodisk_ball *ball;
  const geodisk_mean_options *options;
  size_t n;
  const double *points, *weights;
  double *gaps, *distances; /* n */
  double *factor, *step;    /* dim (dim+1)/2, dim */
  double root_k;

  /* At the base. */
  double loss, norm, mean_coth;
  double *descent;    /* dim: the mean unit tangent */
  double weight_here; /* share of the points at the base itself */
  double stretch;     /* of the majorant's steps */
  uint64_t iterations, passes;
} median;

static double weight_share(const median *m, size_t i) {
  const double w = m->weights == NULL ? 1.0 : m->weights[i];
  return w * m->e.at.weight_scale / m->e.weight_sum.hi;
}

/* A pass at the trial. The loss and the mean coth come back; the tangent and the Hessian stay in e.found, in units of 1/sqrt(k).
 */
static geodisk_status look_at_trial(median *m, double *loss) {
  plain_begin(&m->e, PASS_HESSIAN | PASS_MEDIAN);
  m->passes++;
  geodisk_status status = plain_feed(&m->e, m->n, m->points, m->weights, m->gaps);
  if (status == GEODISK_OK)
    status = plain_end(&m->e);
  if (status == GEODISK_OK)
    *loss = dd_round(dd_div(m->e.totals[2], m->e.weight_sum)) / m->root_k;
  return status;
}

/* The trial becomes the base. */
static void adopt(median *m, double loss) {
  m->loss = loss;
  m->mean_coth = m->e.found.mean_coth;
  m->weight_here = m->e.totals[3].hi / m->e.weight_sum.hi;
  for (size_t j = 0; j < m->e.dim; j++)
    m->descent[j] = m->root_k * m->e.found.descent[j];
  m->norm = norm_of(m->e.dim, m->descent);
  if (m->weight_here > 0.0) { /* at a point: what is left of the pull when its own weight resists */
    const double left = m->norm > m->weight_here ? 1.0 - m->weight_here / m->norm : 0.0;
    for (size_t j = 0; j < m->e.dim; j++)
      m->descent[j] *= left;
    m->norm *= left;
  }
  plain_adopt(&m->e);
}

/* The majorant's step, times a factor. */
static void weiszfeld_step(median *m, double factor) {
  const double share = fmin(m->norm / m->mean_coth, 1.0 - DBL_EPSILON);
  for (size_t j = 0; j < m->e.dim; j++)
    m->step[j] = m->norm > 0.0 ? factor * atanh(share) / (m->root_k * m->norm) * m->descent[j] : 0.0;
}

/* Newton's, if the Hessian at the base is positive definite enough to give a step that is not long. e.found is still the base's.
 */
static bool newton_step(median *m) {
  const size_t triangle = m->e.dim * (m->e.dim + 1) / 2;
  if (!m->e.at.hessian || m->weight_here > 0.0)
    return false;
  for (size_t t = 0; t < triangle; t++)
    m->factor[t] = m->root_k * m->e.found.curvature[t];
  if (!cholesky_factor(m->e.dim, m->factor))
    return false;
  memcpy(m->step, m->descent, m->e.dim * sizeof(double));
  cholesky_solve(m->e.dim, m->factor, m->step);
  return norm_of(m->e.dim, m->step) * m->root_k < 1.0; /* NaN: no */
}

static void move(median *m) {
  const double lam = 2.0 * m->ball->radius / (m->e.base_gap * m->root_k);
  for (size_t j = 0; j < m->e.dim; j++)
    m->step[j] /= lam;
  geodisk_exp(m->ball, m->e.base, m->step, m->e.trial);
}

/* Moves the base by m->step if that lowers the loss. */
static geodisk_status try_step(median *m, bool *better) {
  double loss;
  *better = false;
  move(m);
  if (memcmp(m->e.trial, m->e.base, m->e.dim * sizeof(double)) == 0)
    return GEODISK_OK;
  const geodisk_status status = look_at_trial(m, &loss);
  if (status != GEODISK_OK)
    return status;
  const double norm = m->root_k * m->e.found.norm;
  *better = loss < m->loss || (loss <= m->loss * (1.0 + LOSS_ROUNDING) && norm < 0.9 * m->norm);
  if (*better)
    adopt(m, loss);
  return GEODISK_OK;
}

/* Tries Newton's step, then the majorant's: stretched, twice as much after every success (along a geodesic between points f is
 * nearly linear and the majorant far too careful), and as it is. */
static geodisk_status descend(median *m, bool *better) {
  geodisk_status status = GEODISK_OK;
  *better = false;
  if (newton_step(m) && ((status = try_step(m, better)) != GEODISK_OK || *better))
    return status;
  if (m->stretch > 1.0) {
    weiszfeld_step(m, m->stretch);
    if ((status = try_step(m, better)) != GEODISK_OK)
      return status;
    m->stretch = *better ? 2.0 * m->stretch : fmax(1.0, m->stretch / 8.0);
    if (*better)
      return GEODISK_OK;
  }
  weiszfeld_step(m, 1.0);
  status = try_step(m, better);
  m->stretch = *better ? 2.0 * m->stretch : 1.0;
  return status;
}

/* Looks at the nearest point if it may be the median. *found: it is, and is the base now. */
static geodisk_status try_nearest(median *m, bool *found) {
  size_t nearest = 0;
  *found = false;
  geodisk_distance_many(m->options->context, m->ball, m->e.base, m->n, m->points, NULL, m->distances);
  for (size_t i = 1; i < m->n; i++)
    if (m->distances[i] < m->distances[nearest])
      nearest = i;
  const double *q = m->points + nearest * m->e.dim;
  double share = 0.0, square = 0.0, loss; /* of all points at the same place */
  for (size_t i = 0; i < m->n; i++)
    if (m->distances[i] == m->distances[nearest] && memcmp(m->points + i * m->e.dim, q, m->e.dim * sizeof *q) == 0)
      share += weight_share(m, i);
  geodisk_log(m->ball, m->e.base, q, m->step);
  const double length = geodisk_norm(m->ball, m->e.base, m->step), lam = 2.0 * m->ball->radius / (m->e.base_gap * m->root_k);
  for (size_t j = 0; j < m->e.dim; j++) {
    const double other = m->descent[j] - (length > 0.0 ? share * lam * m->step[j] / length : 0.0);
    square += other * other;
  }
  if (!(sqrt(square) <= SEEMS_TO * share) || !(length * m->root_k < 1.0))
    return GEODISK_OK;
  memcpy(m->e.trial, q, m->e.dim * sizeof *q);
  const geodisk_status status = look_at_trial(m, &loss);
  if (status != GEODISK_OK)
    return status;
  *found = m->root_k * m->e.found.norm <= m->e.totals[3].hi / m->e.weight_sum.hi;
  if (*found || loss < m->loss)
    adopt(m, loss);
  return GEODISK_OK;
}

static geodisk_status run(median *m, bool *converged, bool *stopped) {
  const double tolerance = m->options->tolerance > 0.0 ? m->options->tolerance : DEFAULT_TOLERANCE;
  const uint64_t most = m->options->iterations > 0 ? m->options->iterations : DEFAULT_ITERATIONS;
  double loss;
  bool better = true, found = false;
  geodisk_status status = look_at_trial(m, &loss);
  if (status != GEODISK_OK)
    return status;
  adopt(m, loss);
  for (;; m->iterations++) {
    const geodisk_mean_iteration now = {m->iterations, m->loss, m->norm, m->e.base, m->e.base_gap, 0};
    if ((status = mean_report(m->options, &now, stopped)) != GEODISK_OK)
      return status;
    *converged = m->norm <= tolerance || found || !better;
    if (*stopped || *converged || m->iterations >= most)
      return GEODISK_OK;
    if ((status = try_nearest(m, &found)) != GEODISK_OK)
      return status;
    if (found)
      continue;
    /* try_nearest may have left the base's Hessian behind: make it again only if it looked elsewhere and stayed. */
    if (memcmp(m->e.trial, m->e.base, m->e.dim * sizeof(double)) != 0) {
      memcpy(m->e.trial, m->e.base, m->e.dim * sizeof(double));
      if ((status = look_at_trial(m, &loss)) != GEODISK_OK)
        return status;
    }
    if ((status = descend(m, &better)) != GEODISK_OK)
      return status;
  }
}

geodisk_status geodisk_median(const geodisk_ball *ball, size_t n, const double *points, const double *weights,
                              const geodisk_mean_options *options, double *out, geodisk_mean_info *info) {
  const geodisk_mean_options defaults = geodisk_mean_defaults();
  options = options != NULL ? options : &defaults;
  geodisk_status status = mean_check_options(ball, options);
  if (status != GEODISK_OK)
    return status;
  median m = {.ball = ball,
              .options = options,
              .n = n,
              .points = points,
              .weights = weights,
              .root_k = sqrt(ball->curvature),
              .stretch = 1.0};
  const size_t dim = (size_t)ball->dim;
  bool converged = false, stopped = false;
  m.gaps = geodisk_allocate(n, sizeof *m.gaps);
  m.distances = geodisk_allocate(n, sizeof *m.distances);
  m.descent = geodisk_allocate(dim, sizeof *m.descent);
  m.step = geodisk_allocate(dim, sizeof *m.step);
  m.factor = geodisk_allocate(dim <= LARGEST_HESSIAN ? dim : 0, (dim + 1) * sizeof *m.factor);
  if (m.gaps == NULL || m.distances == NULL || m.descent == NULL || m.step == NULL || m.factor == NULL) {
    status = geodisk_no_memory(options->context, "for the median of %zu points", n);
    goto done;
  }
  if ((status = plain_create(ball, options, &m.e)) != GEODISK_OK)
    goto done;
  if (options->start != NULL)
    memcpy(m.e.trial, options->start, dim * sizeof(double));
  if ((status = run(&m, &converged, &stopped)) != GEODISK_OK)
    goto done;
  memcpy(out, m.e.base, dim * sizeof *out);
  if (info != NULL) {
    /* f is convex: f(p) - f* <= |grad f| d(p, p*), and d(p, p*) is at most the mean of d(p, q) + d(q, p*), so at most 2 f(p). */
    const double error = (UNITS + 4.0 * (double)dim) * 0.5 * DBL_EPSILON;
    *info = (geodisk_mean_info){.iterations = m.iterations,
                                .passes = m.passes,
                                .loss = m.loss,
                                .gradient_norm = m.norm,
                                .error_bound = 2.0 * m.loss * (m.norm + error),
                                .converged = converged,
                                .stopped = stopped};
  }
done:
  plain_destroy(&m.e);
  geodisk_free_all(m.gaps, m.distances, m.descent, m.step, m.factor);
  return status;
}

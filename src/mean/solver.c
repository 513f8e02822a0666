/* solver.c - the steps towards a barycenter: Newton with backtracking and polishing, gradient descent, fixed point.
 *
 * Newton goes on plain passes (loss, gradient, Hessian) while far away. Once the next step lands so near that only the gradient's
 * rounding error counts, accurate passes (gradient alone, in two doubles) take over with the last Hessian: one to step on, one
 * that certifies the result. */
#include "solver.h"
#include "base/squares.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* From this gradient norm on a Newton step is exact to about its square: the next pass is an accurate one. */
static const double NEARLY_THERE = 1e-5;
/* A loss is known to about this, relative: larger values within it do not count as larger. */
static const double LOSS_ROUNDING = 512 * DBL_EPSILON;
static const double BACKTRACK = 0.25;
static const double FAR_AWAY = 2.0; /* steps that are long on the scale of the curvature */
enum { MOST_BACKTRACKS = 4, MOST_POLISHES = 6 };

/* ---- creation -------------------------------------------------------------------------------------------------------- */

geodisk_status solver_create(const geodisk_ball *ball, const geodisk_mean_options *options, solver *s) {
  *s = (solver){.options = *options, .dim = (size_t)ball->dim, .root_k = sqrt(ball->curvature)};
  const size_t triangle = s->dim <= LARGEST_HESSIAN ? s->dim * (s->dim + 1) / 2 : 0;
  if (s->options.iterations == 0)
    s->options.iterations = options->method == GEODISK_MEAN_NEWTON ? (triangle > 0 ? 100 : 1000) : 100000;
  s->step = geodisk_allocate_zero(s->dim, sizeof(double));
  s->base.descent = geodisk_allocate_zero(s->dim, sizeof(double));
  s->factor = geodisk_allocate_zero(triangle, sizeof(double));
  s->centroid_step = geodisk_allocate_zero(s->dim, sizeof(double));
  if (s->step == NULL || s->centroid_step == NULL || s->base.descent == NULL || s->factor == NULL) {
    solver_destroy(s);
    return geodisk_no_memory(options->context, "for the mean in dim %d", ball->dim);
  }
  return GEODISK_OK;
}

void solver_destroy(solver *s) {
  geodisk_free_all(s->step, s->base.descent, s->factor, s->centroid_step);
  s->step = s->base.descent = s->factor = s->centroid_step = NULL;
}

/* ---- steps ----------------------------------------------------------------------------------------------------------- */

/* The step that minimises the majorant: f is a sum of concave functions of the Lorentz products <p, q_i>; replacing each by its
 * tangent leaves a linear function, least at a point along -grad f at the distance artanh(|grad f| / mean of theta coth theta)
 * (for curvature -1). It never increases f. */
static void majorant_step(solver *s) {
  const double share = fmin(s->root_k * s->base.norm / s->base.mean_coth, 1.0 - DBL_EPSILON);
  const double length = s->base.norm > 0.0 ? atanh(share) / (s->root_k * s->base.norm) : 0.0;
  for (size_t j = 0; j < s->dim; j++)
    s->step[j] = length * s->base.descent[j];
}

static void newton_step(solver *s) {
  if (!s->has_factor) {
    majorant_step(s);
    return;
  }
  memcpy(s->step, s->base.descent, s->dim * sizeof(double));
  cholesky_solve(s->dim, s->factor, s->step);
}

static void gradient_step(solver *s) {
  const double rate = s->gradient_rate > 0.0 ? s->gradient_rate : geodisk_schedule_rate(&s->options.schedule, s->iterations);
  for (size_t j = 0; j < s->dim; j++)
    s->step[j] = rate * s->base.descent[j];
}

static void method_step(solver *s) {
  s->still = false;
  s->ray = 0.0;
  if (s->options.method == GEODISK_MEAN_GRADIENT)
    gradient_step(s);
  else if (s->options.method == GEODISK_MEAN_FIXED_POINT)
    majorant_step(s);
  else
    newton_step(s);
}

/* ---- decisions ------------------------------------------------------------------------------------------------------- */

static void adopt(solver *s, const evaluation *trial, bool accurate) {
  double *descent = s->base.descent;
  memcpy(descent, trial->descent, s->dim * sizeof(double));
  s->base = *trial;
  s->base.descent = descent;
  s->base.curvature = NULL;
  s->base_accurate = accurate;
  s->accepted = true;
  s->has_base = true;
  if (trial->curvature != NULL) {
    memcpy(s->factor, trial->curvature, s->dim * (s->dim + 1) / 2 * sizeof(double));
    s->has_factor = cholesky_factor(s->dim, s->factor);
  }
}

static request done(solver *s) {
  const double bound = s->base.norm + s->base.error;
  s->converged = s->options.tolerance > 0.0 ? bound <= s->options.tolerance : s->converged;
  return ASK_DONE;
}

/* A last accurate look at the base, unless it had one. */
static request certify(solver *s) {
  s->still = true;
  s->polishes = MOST_POLISHES;
  return s->base_accurate ? done(s) : ASK_ACCURATE;
}

request solver_stop(solver *s) {
  s->stopped = true;
  return certify(s);
}

request solver_settled(solver *s) {
  s->converged = true;
  return done(s);
}

/* A first Newton step that is long on the scale of the curvature is a bad guess when the points surround a place far from the
 * start; the Lorentz centroid is then a better one. */
static bool try_centroid(solver *s) {
  const double far = FAR_AWAY / s->root_k;
  if (s->centroid_tried || s->iterations > 0 || !(norm_of(s->dim, s->step) > far && norm_of(s->dim, s->centroid_step) > far))
    return false;
  s->centroid_tried = true;
  memcpy(s->step, s->centroid_step, s->dim * sizeof(double));
  return true;
}

/* The trial is not better: a shorter step, then the majorant's, then nothing more can be gained. */
static request step_back(solver *s) {
  s->accepted = false;
  if (s->centroid_tried && s->iterations == 0 && s->backtracks == 0) {
    s->backtracks++;
    method_step(s);
    return ASK_PLAIN;
  }
  if (s->ray > 0.0) {
    s->ray *= BACKTRACK;
    if (++s->backtracks <= MOST_BACKTRACKS)
      return ASK_PLAIN;
    s->ray = 0.0;
    s->backtracks = 0;
  }
  if (s->backtracks < MOST_BACKTRACKS) {
    s->backtracks++;
    for (size_t j = 0; j < s->dim; j++)
      s->step[j] *= BACKTRACK;
    return ASK_PLAIN;
  }
  if (!s->majorant_tried) {
    s->majorant_tried = true;
    majorant_step(s);
    return ASK_PLAIN;
  }
  s->converged = true;
  return certify(s);
}

static request next_plain(solver *s, const evaluation *trial) {
  const bool newton = s->options.method == GEODISK_MEAN_NEWTON;
  if (s->has_base && newton) {
    const bool lower = trial->loss <= s->base.loss * (1.0 + LOSS_ROUNDING);
    if (!lower || !(trial->norm < s->base.norm || trial->loss < s->base.loss))
      return step_back(s);
  }
  s->iterations += s->has_base;
  s->backtracks = 0;
  s->majorant_tried = false;
  adopt(s, trial, false);
  const double rounding = fmax(4.0 * trial->floor, 2.0 * trial->error);
  if (s->options.tolerance > 0.0 && trial->norm + trial->error <= s->options.tolerance)
    return done(s);
  if (s->iterations >= s->options.iterations)
    return certify(s);
  if (!newton && trial->norm <= rounding) {
    s->converged = true;
    return certify(s);
  }
  method_step(s);
  if (newton && try_centroid(s))
    return ASK_PLAIN;
  /* In a space of negative curvature far points look as on a tree, and a long step must hit one of its branches: only geodesics
   * to the points themselves do. */
  if (newton && s->base.ray_length > 0.0 && norm_of(s->dim, s->step) * s->root_k > FAR_AWAY) {
    s->ray = s->base.ray_length;
    return ASK_PLAIN;
  }
  return newton && trial->norm <= (s->has_factor ? fmax(NEARLY_THERE, rounding) : rounding) ? ASK_ACCURATE : ASK_PLAIN;
}

static request next_accurate(solver *s, const evaluation *trial) {
  const double before = s->base.norm;
  const bool better = trial->norm < before || !s->base_accurate;
  if (s->still) {
    adopt(s, trial, true);
    return done(s);
  }
  s->polishes++;
  s->iterations += better;
  if (better)
    adopt(s, trial, true);
  s->converged = true;
  const bool within_tolerance = s->options.tolerance > 0.0 && s->base.norm + s->base.error <= s->options.tolerance;
  const bool exhausted = s->polishes >= MOST_POLISHES || (s->polishes > 1 && !(trial->norm < 0.5 * before));
  if (!better || within_tolerance || exhausted || s->base.norm <= 0.25 * s->base.error)
    return done(s);
  method_step(s);
  return ASK_ACCURATE;
}

request solver_next(solver *s, const evaluation *trial, bool accurate) {
  s->passes++;
  s->accepted = false;
  return accurate ? next_accurate(s, trial) : next_plain(s, trial);
}

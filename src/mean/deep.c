/* deep.c - geodisk_mean_gap: barycenters of points given as (x, gap), however deep, in double-double.
 *
 * Points are polar, in units of R: a unit direction n, rho = |x|/R and S = 1 - rho^2, each in two doubles. Seen from p, with
 * m = n_q - n_p and mu = |m|^2/2, the difference delta = q - p has
 *
 *     |delta|^2 = (rho_q - rho_p)^2 + 2 rho_q rho_p mu,        rho_q - rho_p = (S_p - S_q) / (rho_q + rho_p)
 *     a = sinh(theta/2) = |delta| / sqrt(S_p S_q)
 *
 * and the direction of log_p(q), split along n_p and across it (m_t = m + mu n_p is orthogonal to n_p), is that of
 *
 *     [ (rho_q - rho_p)(1 - rho_p rho_q) - rho_q mu (1 + rho_p^2) ] / S_p   and   rho_q m_t.
 *
 * Nothing here cancels or leaves the range of double down to gaps of 1e-300. A base point deeper than coordinates resolve and a
 * point whose direction agrees with its own to 2^-50 are on one ray, as everywhere in the library. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/squares.h"
#include "deep.h"
#include "deep_math.h"
#include "mean_run.h"

static const double DEEPEST_RESOLVED = 2 * DBL_EPSILON; /* 2^-51: a smaller gap (R = 1) is not resolved by coordinates */
static const double SAME_RAY = 4 * DBL_EPSILON;         /* 2^-50 */
static const double GAP_RULES = 0.5;                    /* gaps up to this share of R^2 give the radius, else coordinates do */
static const double GAPS_SUFFICE = 0.75;                /* ... and between the two either does */
static const double ON_THE_RAY = 0x1p-98;               /* a unit step's part across that is smaller is rounding */

/* Relative error of a point's logarithm in double-double, with a wide margin. */
static const double DEEP_UNITS = 0x1p-90;

enum { POINTS_A_TASK = 64 };

/* ---- points ---------------------------------------------------------------------------------------------------------- */

/* Loads x / R and its gap; false if that is not a point of the ball. */
static bool load(const geodisk_ball *ball, const double *x, double gap, polar *p) {
  const int dim = ball->dim;
  double largest = 0.0;
  for (int j = 0; j < dim; j++) {
    if (!isfinite(x[j]))
      return false;
    largest = fmax(largest, fabs(x[j]));
  }
  const int e = largest > 0.0 ? ilogb(largest) : 0;
  dd square = {0.0, 0.0};
  for (int j = 0; j < dim; j++) {
    const double a = ldexp(x[j], -e);
    square = dd_add(square, two_prod(a, a));
  }
  const dd length = dd_sqrt(square), rest = dd_div(dd_from(ldexp(1.0, e)), dd_from(ball->radius));
  p->rho = dd_mul(length, rest);
  if (largest > 0.0)
    for (int j = 0; j < dim; j++)
      p->n[j] = dd_div(dd_from(ldexp(x[j], -e)), length);
  else
    for (int j = 0; j < dim; j++)
      p->n[j] = dd_from(j == 0 ? 1.0 : 0.0);
  if (!(gap > 0.0) || !(dd_add_d(p->rho, -1.0).hi < 0.0))
    return false;
  p->gap = dd_div(dd_div(dd_from(gap), dd_from(ball->radius)), dd_from(ball->radius));
  if (!(p->gap.hi <= 1.0 + 2 * DBL_EPSILON))
    return false;
  if (p->gap.hi <= GAP_RULES) {
    p->rho = dd_sqrt(dd_add_d(dd_neg(p->gap), 1.0));
    return largest > 0.0; /* deep, but in no direction, is nowhere */
  }
  p->gap = dd_add_d(dd_neg(dd_sqr(p->rho)), 1.0);
  return true;
}

/* Rounds to (x, gap); pulls x inside the ball along its ray. */
static void unload(const geodisk_ball *ball, const polar *p, double *x, double *gap) {
  const double g = dd_round(dd_mul_d(dd_mul_d(p->gap, ball->radius), ball->radius));
  for (double shrink = 0.0;; shrink += 0.5 * DBL_EPSILON) {
    for (int j = 0; j < ball->dim; j++) {
      const double entry = dd_round(dd_mul_d(dd_mul(p->rho, p->n[j]), ball->radius));
      x[j] = entry - entry * shrink;
    }
    if (geodisk_gap(ball, x) > 0.0)
      break;
  }
  *gap = fmax(g, DBL_MIN);
}

static dd dot(size_t dim, const dd *a, const dd *b) {
  dd sum = {0.0, 0.0};
  for (size_t j = 0; j < dim; j++)
    sum = dd_add(sum, dd_mul(a[j], b[j]));
  return sum;
}

static void scale_vector(size_t dim, dd *v, dd factor) {
  for (size_t j = 0; j < dim; j++)
    v[j] = dd_mul(v[j], factor);
}

/* ---- one point seen from another ------------------------------------------------------------------------------------- */

/* sqrt(a^2 + b^2) without overflow. */
static dd hypotenuse(dd a, dd b) {
  const double largest = fmax(fabs(a.hi), fabs(b.hi));
  if (!(largest > 0.0 && largest <= DBL_MAX)) /* ilogb has no answer then */
    return dd_from(largest);
  const int e = ilogb(largest);
  return dd_ldexp(dd_sqrt(dd_add(dd_sqr(dd_ldexp(a, -e)), dd_sqr(dd_ldexp(b, -e)))), e);
}

typedef struct sight {
  dd theta;  /* sqrt(k) d */
  dd along;  /* the unit tangent at p towards q: along n_p, */
  dd across; /* ... and the factor of m_t */
  dd mu;
} sight;

/* m: room for n_q - n_p. */
static sight look(const deep *e, const polar *p, const polar *q, dd *m) {
  sight s = {.mu = {0.0, 0.0}};
  for (size_t j = 0; j < e->dim; j++) {
    m[j] = dd_sub(q->n[j], p->n[j]);
    s.mu = dd_add(s.mu, dd_sqr(m[j]));
  }
  const bool same_ray = p->gap.hi < DEEPEST_RESOLVED && s.mu.hi <= SAME_RAY * SAME_RAY;
  s.mu = same_ray ? dd_from(0.0) : dd_scale(s.mu, 0.5);
  for (size_t j = 0; same_ray && j < e->dim; j++)
    m[j] = dd_from(0.0);

  const dd sum = dd_add(q->rho, p->rho);
  const bool by_gaps = fmax(p->gap.hi, q->gap.hi) <= GAPS_SUFFICE;
  const dd ascent = by_gaps ? dd_div(dd_sub(p->gap, q->gap), sum) : dd_sub(q->rho, p->rho); /* rho_q - rho_p */
  const dd root_p = dd_sqrt(p->gap), root_q = dd_sqrt(q->gap);
  const dd radial = dd_div(dd_div(ascent, root_p), root_q);
  const dd sideways = dd_div(dd_div(dd_sqrt(dd_scale(dd_mul(dd_mul(q->rho, p->rho), s.mu), 2.0)), root_p), root_q);
  const dd a = hypotenuse(radial, sideways);
  s.theta = dd_scale(full_asinh(a), 2.0);

  /* 1 - rho_p rho_q = (1 - rho_p) + rho_p (1 - rho_q), 1 - rho = S / (1 + rho) */
  const dd short_p = dd_div(p->gap, dd_add_d(p->rho, 1.0)), short_q = dd_div(q->gap, dd_add_d(q->rho, 1.0));
  const dd rest = dd_add(short_p, dd_mul(p->rho, short_q));
  const dd outward = dd_mul(ascent, dd_div(rest, p->gap));
  const dd inward = dd_div(dd_mul(dd_mul(q->rho, s.mu), dd_add_d(dd_sqr(p->rho), 1.0)), p->gap);
  const dd along = dd_sub(outward, inward);
  const dd chord2 = dd_mul(s.mu, dd_add_d(dd_neg(s.mu), 2.0)); /* |m_t|^2; opposite directions may round below 0 */
  const dd chord = chord2.hi > 0.0 ? dd_sqrt(chord2) : dd_from(0.0);
  const dd length = hypotenuse(along, dd_mul(q->rho, chord));
  if (length.hi > 0.0) {
    s.along = dd_div(along, length);
    s.across = s.mu.hi > 0.0 ? dd_div(q->rho, length) : dd_from(0.0);
  } else {
    s.along = s.across = dd_from(0.0);
  }
  return s;
}

/* ---- a pass ---------------------------------------------------------------------------------------------------------- */

/* Sums of a task: loss, coth, theta, along, push (the part of sum w theta m_t along n_p), then sum w theta across m (dim), all
 * dd; then the Hessian's upper triangle in double. */
enum { LOSS, COTH, THETA, ALONG, PUSH, SCALARS };

static size_t sums_length(size_t dim) { return 2 * (SCALARS + dim) + dim * (dim + 1) / 2; }

static void add_point(const deep *e, size_t i, dd *sums, double *triangle, dd *m) {
  double *unit = e->units + i * e->dim;
  const double w = e->weights == NULL ? 1.0 : e->weights[i] * e->weight_scale;
  memset(unit, 0, e->dim * sizeof *unit);
  if (w == 0.0)
    return;
  const sight s = look(e, &e->trial, &e->points[i], m);
  const double theta = s.theta.hi;
  const double coth = theta > 1e-4 ? theta / tanh(theta) : 1.0 + theta * theta / 3.0;
  sums[LOSS] = dd_add(sums[LOSS], dd_mul_d(dd_sqr(s.theta), w));
  sums[COTH] = dd_add_d(sums[COTH], w * coth);
  sums[THETA] = dd_add(sums[THETA], dd_mul_d(s.theta, w));
  sums[ALONG] = dd_add(sums[ALONG], dd_mul(dd_mul_d(s.theta, w), s.along));
  const dd pull = dd_mul(dd_mul_d(s.theta, w), s.across);
  sums[PUSH] = dd_add(sums[PUSH], dd_mul(pull, s.mu));
  for (size_t j = 0; j < e->dim; j++) {
    sums[SCALARS + j] = dd_add(sums[SCALARS + j], dd_mul(pull, m[j]));
    unit[j] = s.along.hi * e->trial.n[j].hi + s.across.hi * (m[j].hi + s.mu.hi * e->trial.n[j].hi);
  }
  for (size_t j = 0; j < e->dim; j++)
    for (size_t k = j; k < e->dim; k++)
      *triangle++ += w * (coth - 1.0) * unit[j] * unit[k];
}

static void pass_task(void *arg, size_t index) {
  deep *e = arg;
  const size_t begin = index * POINTS_A_TASK, end = begin + POINTS_A_TASK < e->n ? begin + POINTS_A_TASK : e->n;
  double *own = e->task_sums + index * sums_length(e->dim);
  dd *sums = (dd *)own, *m = e->task_tangents + index * e->dim;
  double *triangle = own + 2 * (SCALARS + e->dim);
  memset(own, 0, sums_length(e->dim) * sizeof *own);
  for (size_t i = begin; i < end; i++)
    add_point(e, i, sums, triangle, m);
}

/* The point whose geodesic goes most downhill, and the step along it that Newton's rule gives there, at most to the point. */
static void find_ray(deep *e) {
  const double root_k = sqrt(e->ball.curvature);
  double best = 0.0, along = 0.0, bend = 0.0;
  for (size_t i = 0; i < e->n; i++) {
    double slope = 0.0;
    for (size_t j = 0; j < e->dim; j++)
      slope += e->units[i * e->dim + j] * e->found.descent[j];
    if (slope > best) {
      best = slope;
      e->trial_ray = i;
    }
  }
  e->found.ray_length = 0.0;
  if (!(best > 0.0))
    return;
  const double *unit = e->units + e->trial_ray * e->dim, *curvature = e->found.curvature;
  for (size_t j = 0; j < e->dim; j++)
    for (size_t k = j; k < e->dim; k++)
      bend += (j == k ? 1.0 : 2.0) * *curvature++ * unit[j] * unit[k];
  along = look(e, &e->trial, &e->points[e->trial_ray], e->task_tangents).theta.hi / root_k;
  e->found.ray_length = fmin(best / bend, along);
}

/* Adds up the tasks in order and reads loss, gradient and Hessian off the sums. */
static geodisk_status evaluate(deep *e) {
  const size_t dim = e->dim, length = sums_length(dim), tasks = (e->n + POINTS_A_TASK - 1) / POINTS_A_TASK;
  geodisk_parallel(e->context, tasks, pass_task, e);
  dd *sums = (dd *)e->task_sums;
  double *triangle = e->task_sums + 2 * (SCALARS + dim);
  for (size_t t = 1; t < tasks; t++) {
    const double *other = e->task_sums + t * length;
    for (size_t i = 0; i < SCALARS + dim; i++)
      sums[i] = dd_add(sums[i], ((const dd *)other)[i]);
    for (size_t i = 0; i < dim * (dim + 1) / 2; i++)
      triangle[i] += other[2 * (SCALARS + dim) + i];
  }
  const double root_k = sqrt(e->ball.curvature), weight = e->weight_sum.hi;
  e->found.loss = 0.5 * dd_round(dd_div(sums[LOSS], e->weight_sum)) / e->ball.curvature;
  e->found.mean_coth = sums[COTH].hi / weight;
  const dd along = dd_add(sums[ALONG], sums[PUSH]);
  for (size_t j = 0; j < dim; j++) {
    const dd sum = dd_add(dd_mul(along, e->trial.n[j]), sums[SCALARS + j]);
    e->found.descent[j] = dd_round(dd_div(sum, e->weight_sum)) / root_k;
  }
  for (size_t j = 0, t = 0; j < dim; j++)
    for (size_t k = j; k < dim; k++, t++)
      e->found.curvature[t] = (j == k ? e->found.mean_coth : 0.0) - triangle[t] / weight;
  e->found.norm = norm_of(dim, e->found.descent) * (1.0 + (double)dim * DBL_EPSILON);
  e->found.error = DEEP_UNITS * dd_round(dd_div(sums[THETA], e->weight_sum)) / root_k;
  e->found.floor = e->found.error;
  if (!isfinite(e->found.norm) || !isfinite(e->found.loss))
    return geodisk_fail(e->context, GEODISK_ERROR_NUMERIC, "the gradient is not finite");
  find_ray(e);
  return GEODISK_OK;
}

/* ---- moves ----------------------------------------------------------------------------------------------------------- */

static void copy_point(const deep *e, const polar *from, polar *to) {
  to->rho = from->rho;
  to->gap = from->gap;
  memcpy(to->n, from->n, e->dim * sizeof *to->n);
}

/* n holds the coordinates (R = 1), gap the gap: makes n a direction and rho agree with what rules. */
static void settle_polar(const deep *e, polar *p) {
  p->rho = dd_sqrt(dot(e->dim, p->n, p->n));
  if (p->rho.hi > 0.0)
    scale_vector(e->dim, p->n, dd_inv(p->rho));
  else
    memcpy(p->n, e->base.n, e->dim * sizeof *p->n);
  if (p->gap.hi <= GAP_RULES)
    p->rho = dd_sqrt(dd_add_d(dd_neg(p->gap), 1.0));
  else
    p->gap = dd_add_d(dd_neg(dd_sqr(p->rho)), 1.0);
}

/* The part of the unit step across n_p into `across`, its square into *across2; returns the part along n_p. */
static dd split_step(const deep *e, const double *step, dd length, dd *across, dd *across2) {
  const polar *p = &e->base;
  const dd unit = dd_inv(length);
  dd radial = {0.0, 0.0};
  for (size_t j = 0; j < e->dim; j++)
    radial = dd_add(radial, dd_mul_d(p->n[j], step[j]));
  const dd e_r = dd_mul(radial, unit);
  *across2 = dd_from(0.0);
  for (size_t j = 0; j < e->dim; j++) {
    across[j] = dd_sub(dd_mul_d(unit, step[j]), dd_mul(e_r, p->n[j]));
    *across2 = dd_add(*across2, dd_sqr(across[j]));
  }
  if (across2->hi < ON_THE_RAY * ON_THE_RAY) {
    *across2 = dd_from(0.0);
    for (size_t j = 0; j < e->dim; j++)
      across[j] = dd_from(0.0);
  }
  return e_r;
}

/* trial = base walked along `step`: with t = tanh(D/2), e the unit direction, e_r its part along n,
 *     |z|^2 = (1 - t rho)^2 + 2 t rho (1 + e_r),   S' = S (1 - t^2) / |z|^2
 *     x' = [ (rho - t)(1 - t rho) + t (1 + rho^2)(1 + e_r) ] / |z|^2 along n,   S t / |z|^2 across.
 * z is carried times 2^k, near 1. */
static void walk(deep *e, const double *step) {
  const polar *p = &e->base;
  polar *out = &e->trial;
  dd square = {0.0, 0.0}, across2;
  for (size_t j = 0; j < e->dim; j++)
    square = dd_add(square, two_prod(step[j], step[j]));
  const dd length = dd_sqrt(square);
  if (!(length.hi > 0.0)) {
    copy_point(e, p, out);
    return;
  }
  dd *across = out->n;
  const dd e_r = split_step(e, step, length, across, &across2);
  /* 1 + e_r; for steps inward from 1 - e_r^2 = |across|^2. */
  const dd turn = e_r.hi < 0.0 ? dd_div(across2, dd_add_d(dd_neg(e_r), 1.0)) : dd_add_d(e_r, 1.0);
  const dd shrink = dd_expm1(dd_neg(dd_mul_d(length, sqrt(e->ball.curvature)))), decay = dd_add_d(shrink, 1.0);   /* e^-D */
  const dd sum = dd_add_d(decay, 1.0), t = dd_div(dd_neg(shrink), sum), rest = dd_div(dd_scale(decay, 2.0), sum); /* 1 - t */
  const dd short_p = dd_div(p->gap, dd_add_d(p->rho, 1.0));                                                       /* 1 - rho */
  const dd q = dd_add(rest, dd_mul(t, short_p));                                                                  /* 1 - t rho */
  const int k = -ilogb(fmax(q.hi, sqrt(turn.hi)));
  const dd q_k = dd_ldexp(q, k), turn_k = dd_ldexp(dd_ldexp(turn, k), k), gap_k = dd_ldexp(p->gap, k);
  const dd z2 = dd_add(dd_sqr(q_k), dd_scale(dd_mul(dd_mul(t, p->rho), turn_k), 2.0));
  const dd ahead = dd_mul(dd_ldexp(dd_sub(rest, short_p), k), q_k);
  const dd along = dd_div(dd_add(ahead, dd_mul(dd_mul(t, turn_k), dd_add_d(dd_sqr(p->rho), 1.0))), z2);
  const dd aside = dd_ldexp(dd_div(dd_mul(gap_k, t), z2), k);
  out->gap = dd_div(dd_mul(dd_mul(gap_k, dd_ldexp(rest, k)), dd_add_d(t, 1.0)), z2);
  for (size_t j = 0; j < e->dim; j++)
    across[j] = dd_add(dd_mul(along, p->n[j]), dd_mul(aside, across[j]));
  settle_polar(e, out);
}

/* trial = the point at the hyperbolic length `along` on the geodesic from the base to q. On the hyperboloid it is a P + b Q with
 * a = sinh(D - L)/sinh D, b = sinh(L)/sinh D (D the distance, L the length, times sqrt(k)); cosh r = (2 - S)/S, sinh r = 2 rho/S.
 * A point far along has the direction of q to all digits, which a step in the tangent space could not give it. */
static void walk_to(deep *e, const polar *q, double along) {
  const polar *p = &e->base;
  polar *out = &e->trial;
  const double root_k = sqrt(e->ball.curvature);
  const dd full = look(e, p, q, e->task_tangents).theta, part = dd_mul_d(dd_from(along), root_k), left = dd_sub(full, part);
  const dd whole = dd_expm1(dd_scale(dd_neg(full), 2.0));
  const dd a = dd_mul(dd_add_d(dd_expm1(dd_neg(part)), 1.0), dd_div(dd_expm1(dd_scale(dd_neg(left), 2.0)), whole));
  const dd b = dd_mul(dd_add_d(dd_expm1(dd_neg(left)), 1.0), dd_div(dd_expm1(dd_scale(dd_neg(part), 2.0)), whole));
  if (!(full.hi > 0.0 && left.hi > 0.0)) {
    copy_point(e, full.hi > 0.0 ? q : p, out);
    return;
  }
  const dd a_p = dd_div(a, p->gap), b_q = dd_div(b, q->gap);
  const dd cosh_p = dd_mul(a_p, dd_add_d(dd_neg(p->gap), 2.0)), cosh_q = dd_mul(b_q, dd_add_d(dd_neg(q->gap), 2.0));
  const dd below = dd_add_d(dd_add(cosh_p, cosh_q), 1.0);
  const dd x_p = dd_div(dd_scale(dd_mul(a_p, p->rho), 2.0), below), x_q = dd_div(dd_scale(dd_mul(b_q, q->rho), 2.0), below);
  for (size_t j = 0; j < e->dim; j++)
    out->n[j] = dd_add(dd_mul(x_p, p->n[j]), dd_mul(x_q, q->n[j]));
  out->gap = dd_div(dd_from(2.0), below);
  settle_polar(e, out);
}

/* A trial deeper than coordinates resolve, with a point on its ray to 2^-50, takes that point's direction: the deepest one's. */
static void snap_to_ray(deep *e) {
  size_t deepest = e->n;
  if (!(e->trial.gap.hi < DEEPEST_RESOLVED))
    return;
  for (size_t i = 0; i < e->n; i++) {
    double square = 0.0;
    for (size_t j = 0; j < e->dim; j++) {
      const double m = dd_sub(e->points[i].n[j], e->trial.n[j]).hi;
      square += m * m;
    }
    if (square <= SAME_RAY * SAME_RAY && (deepest == e->n || e->points[i].gap.hi < e->points[deepest].gap.hi))
      deepest = i;
  }
  if (deepest < e->n)
    memcpy(e->trial.n, e->points[deepest].n, e->dim * sizeof *e->trial.n);
}

/* ---- the run --------------------------------------------------------------------------------------------------------- */

static void deep_destroy(deep *e) {
  geodisk_free_all(e->points, e->directions, e->found.descent, e->found.curvature, e->task_sums, e->units, e->task_tangents);
}

static geodisk_status deep_create(const geodisk_ball *ball, size_t n, const geodisk_mean_options *options, deep *e) {
  const size_t dim = (size_t)ball->dim, tasks = (n + POINTS_A_TASK - 1) / POINTS_A_TASK;
  *e = (deep){.context = options->context, .ball = *ball, .dim = dim, .n = n, .tasks = tasks};
  e->points = geodisk_allocate(n, sizeof *e->points);
  e->directions = n > SIZE_MAX - 2 ? NULL : geodisk_allocate(n + 2, dim * sizeof *e->directions);
  e->found.descent = geodisk_allocate(dim, sizeof(double));
  e->found.curvature = geodisk_allocate(dim, (dim + 1) * sizeof(double));
  e->task_sums = geodisk_allocate(tasks, sums_length(dim) * sizeof(double));
  e->units = geodisk_allocate(n, dim * sizeof(double));
  e->task_tangents = geodisk_allocate(tasks, dim * sizeof *e->task_tangents);
  if (e->points == NULL || e->directions == NULL || e->found.descent == NULL || e->found.curvature == NULL ||
      e->task_sums == NULL || e->units == NULL || e->task_tangents == NULL) {
    return geodisk_no_memory(options->context, "for the mean of %zu points", n);
  }
  for (size_t i = 0; i < n; i++)
    e->points[i].n = e->directions + i * dim;
  e->base.n = e->directions + n * dim;
  e->trial.n = e->directions + (n + 1) * dim;
  return GEODISK_OK;
}

static geodisk_status load_all(deep *e, const geodisk_mean_points *of, const geodisk_mean_options *options) {
  const double *points = of->points, *weights = e->weights = of->weights;
  e->weight_scale = weights == NULL ? 1.0 : 0.0;
  for (size_t i = 0; i < e->n; i++) {
    const double gap = of->gaps == NULL ? geodisk_gap(&e->ball, points + i * e->dim) : of->gaps[i];
    if (!load(&e->ball, points + i * e->dim, gap, &e->points[i]))
      return geodisk_fail(e->context, GEODISK_ERROR_ARGUMENT, "point %zu is not inside the ball", i);
    const double w = weights == NULL ? 1.0 : weights[i];
    if (!(w >= 0.0 && isfinite(w)))
      return geodisk_fail(e->context, GEODISK_ERROR_ARGUMENT, "weight %zu is %g: weights must be finite and not negative", i, w);
    if (e->weight_scale == 0.0 && w > 0.0)
      e->weight_scale = ldexp(1.0, -ilogb(w));
    e->weight_sum = dd_add_d(e->weight_sum, w * e->weight_scale);
  }
  if (e->n == 0)
    return geodisk_fail(e->context, GEODISK_ERROR_ARGUMENT, "there are no points");
  if (!(e->weight_sum.hi > 0.0))
    return geodisk_fail(e->context, GEODISK_ERROR_ARGUMENT, "all weights are zero");
  for (size_t j = 0; j < e->dim; j++)
    e->trial.n[j] = dd_from(j == 0 ? 1.0 : 0.0);
  e->trial.rho = dd_from(0.0);
  e->trial.gap = dd_from(1.0);
  if (options->start != NULL) {
    const double gap = options->start_gap > 0.0 ? options->start_gap : geodisk_gap(&e->ball, options->start);
    if (!load(&e->ball, options->start, gap, &e->trial))
      return geodisk_fail(e->context, GEODISK_ERROR_ARGUMENT, "the start is not inside the ball");
  }
  return GEODISK_OK;
}

/* Passes until the solver is done. Every pass is an accurate one. */
static geodisk_status run(deep *e, solver *s, double *out, double *out_gap) {
  request next = ASK_PLAIN;
  while (next != ASK_DONE) {
    geodisk_status status = evaluate(e);
    if (status != GEODISK_OK)
      return status;
    const uint64_t before = s->iterations;
    const bool first = !s->has_base;
    next = solver_next(s, &e->found, next == ASK_ACCURATE);
    if (s->accepted) {
      copy_point(e, &e->trial, &e->base);
      e->base_ray = e->trial_ray;
      unload(&e->ball, &e->base, out, out_gap);
    }
    if (s->accepted && (first || s->iterations > before)) {
      const geodisk_mean_iteration now = {s->iterations, s->base.loss, s->base.norm, out, *out_gap, 0};
      bool stop = false;
      if ((status = mean_report(&s->options, &now, &stop)) != GEODISK_OK)
        return status;
      if (stop && next != ASK_DONE)
        next = solver_stop(s);
    }
    if (s->still)
      copy_point(e, &e->base, &e->trial);
    else if (s->ray > 0.0)
      walk_to(e, &e->points[e->base_ray], s->ray);
    else
      walk(e, s->step);
    snap_to_ray(e);
  }
  return GEODISK_OK;
}

/* What rounding the result to (x, gap) adds to its error: the gap's rounding moves it along the ray by at most 2^-53 / sqrt(k);
 * the coordinates' across it (and, near the origin, along it) by 2^-53 |x| lam, as far as coordinates resolve at all. */
static double rounding_of_result(const deep *e) {
  const double across = e->base.gap.hi < DEEPEST_RESOLVED ? 0.0 : 2.0 * e->base.rho.hi / e->base.gap.hi;
  return 0.5 * DBL_EPSILON * (2.0 + across) / sqrt(e->ball.curvature);
}

geodisk_status geodisk_mean_gap(const geodisk_ball *ball, const geodisk_mean_points *points, const geodisk_mean_options *options,
                                double *out, double *out_gap, geodisk_mean_info *info) {
  const geodisk_mean_options defaults = geodisk_mean_defaults();
  options = options != NULL ? options : &defaults;
  geodisk_status status = mean_check_options(ball, options);
  if (status != GEODISK_OK)
    return status;
  if (options->method != GEODISK_MEAN_NEWTON || ball->dim > LARGEST_HESSIAN)
    return geodisk_fail(options->context, GEODISK_ERROR_ARGUMENT, "points with gaps: only Newton's method, and dim at most %d",
                        (int)LARGEST_HESSIAN);
  deep e = {0};
  solver s = {0};
  double *x = geodisk_allocate((size_t)ball->dim, sizeof *x), gap = 0.0;
  if (x == NULL)
    return geodisk_no_memory(options->context, "for the mean");
  if ((status = deep_create(ball, points->n, options, &e)) != GEODISK_OK ||
      (status = solver_create(ball, options, &s)) != GEODISK_OK || (status = load_all(&e, points, options)) != GEODISK_OK ||
      (status = run(&e, &s, x, &gap)) != GEODISK_OK)
    goto done;
  memcpy(out, x, e.dim * sizeof *out);
  if (out_gap != NULL)
    *out_gap = gap;
  if (info != NULL)
    *info = (geodisk_mean_info){.iterations = s.iterations,
                                .passes = s.passes,
                                .loss = s.base.loss,
                                .gradient_norm = s.base.norm,
                                .error_bound = s.base.norm + s.base.error + rounding_of_result(&e),
                                .converged = s.converged,
                                .stopped = s.stopped};
done:
  free(x);
  deep_destroy(&e);
  solver_destroy(&s);
  return status;
}

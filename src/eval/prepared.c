/* prepared.c - points made ready for the ranking kernels: checked, scaled into the unit ball, moved to where their gaps put them.
 */
#include "prepared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pairs nearer than this are looked at again: the rounding of the moved coordinates, 2^-53, is then at least 2^-22 of what
 * separates them. */
#define NEAR 0x1p-26

/* Single precision: 1/S times a squared distance, at most 4, must not overflow. */
#define SINGLE_WEIGHT 0x1p120

enum { CACHE_BYTES = 24576 }; /* what a tile may take of a first-level cache of 32 KiB */

static size_t row_stride(const geodisk_eval_points *points) {
  return points->vectors_stride != 0 ? points->vectors_stride : (size_t)points->ball.dim;
}

void prepared_row(const prepared *p, size_t node, double *x, double *gap) {
  const size_t at = node * row_stride(&p->points);
  const size_t gap_at = node * (p->points.gap_stride != 0 ? p->points.gap_stride : 1);
  *gap = (double)NAN;
  if (p->points.precision == GEODISK_PRECISION_FLOAT) {
    const float *row = (const float *)p->points.vectors + at;
    for (size_t c = 0; c < p->dim; c++)
      x[c] = (double)row[c];
    if (p->points.gap != NULL)
      *gap = (double)((const float *)p->points.gap)[gap_at];
  } else {
    memcpy(x, (const double *)p->points.vectors + at, p->dim * sizeof *x);
    if (p->points.gap != NULL)
      *gap = ((const double *)p->points.gap)[gap_at];
  }
}

#define REAL    double
#define NAME(x) x
#include "prepared_loads.h"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##f
#include "prepared_loads.h"
#undef REAL
#undef NAME

/* |x / R|^2, and whether all numbers are finite. */
static bool scaled_square(size_t dim, const double *x, double inverse_radius, double *out) {
  double sum = 0.0;
  for (size_t c = 0; c < dim; c++) {
    const double e = x[c] * inverse_radius;
    sum += e * e;
  }
  *out = sum;
  return isfinite(sum);
}

/* How far a point whose gap is s is to be moved along its ray: 1 where its coordinates agree with the gap. */
static double stretch_of(double s, double square) { return sqrt((1.0 - s) / square); }

/* Factor and weight of a point of the ball from its gap s, 1/s and the stretch; false if it is not inside. */
static bool prepare_inside(double r, double s, double inverse, double square, double stretch, double *factor, double *weight) {
  *factor = 1.0 / r;
  if (!(s > 0.0 && s <= 1.0 + 0x1p-20))
    return false;
  if (s >= 0.5) { /* the coordinates say where the point is */
    *weight = 1.0 / (1.0 - square);
    return square < 1.0;
  }
  if (!(stretch > 0.5 && stretch < 2.0))
    return false;
  if (fabs(stretch - 1.0) > 0x1p-52)
    *factor = r == 1.0 ? stretch : stretch / r;
  *weight = inverse;
  return isfinite(inverse);
}

/* The same without a gap. */
static bool prepare_by_coordinates(const prepared *p, const double *x, double *factor, double *weight) {
  const double r = p->points.ball.radius, own = geodisk_gap(&p->points.ball, x) / r / r;
  *factor = 1.0 / r;
  *weight = 1.0 / own;
  return own > 0.0;
}

static double inside_unit(double gap, double r) { return r == 1.0 ? gap : gap / r / r; }

/* Points of a task; none of them is wrong if `bad` is SIZE_MAX, else it is the first that is. */
enum { POINTS_OF_TASK = 1024 };
typedef struct ball_job {
  prepared *p;
  size_t *bad;
  bool *single_fits;
} ball_job;

static bool prepare_point(const prepared *p, size_t i, double *x, bool *finite) {
  const double r = p->points.ball.radius;
  double gap, square;
  prepared_row(p, i, x, &gap);
  *finite = scaled_square(p->dim, x, 1.0 / r, &square);
  if (!*finite || isnan(gap))
    return *finite && prepare_by_coordinates(p, x, &p->factor[i], &p->weight[i]);
  const double s = inside_unit(gap, r);
  return prepare_inside(r, s, 1.0 / s, square, stretch_of(s, square), &p->factor[i], &p->weight[i]);
}

/* Points that are prepared side by side, operation by operation as one is: no division or root waits for that of another point.
 */
enum { TOGETHER = 8 };

/* False if one of them is to be looked at alone: it is not inside, or has no gap. */
static bool prepare_together(const prepared *p, size_t first) {
  const double r = p->points.ball.radius, inverse_radius = 1.0 / r;
  double square[TOGETHER], s[TOGETHER], stretch[TOGETHER], inverse[TOGETHER];
  bool fine = p->points.gap != NULL;
  if (!fine)
    return false;
  if (p->points.precision == GEODISK_PRECISION_FLOAT)
    prepared_squaresf(p, first, TOGETHER, inverse_radius, square, s);
  else
    prepared_squares(p, first, TOGETHER, inverse_radius, square, s);
  for (int j = 0; j < TOGETHER; j++)
    s[j] = inside_unit(s[j], r);
  for (int j = 0; j < TOGETHER; j++) {
    stretch[j] = stretch_of(s[j], square[j]);
    inverse[j] = 1.0 / s[j];
  }
  for (size_t j = 0; j < TOGETHER; j++)
    fine = isfinite(square[j]) &&
           prepare_inside(r, s[j], inverse[j], square[j], stretch[j], &p->factor[first + j], &p->weight[first + j]) && fine;
  return fine;
}

static void prepare_some(void *arg, size_t task) {
  const ball_job *job = arg;
  const prepared *p = job->p;
  const size_t first = task * POINTS_OF_TASK, left = p->points.nodes - first;
  double *x = geodisk_allocate(p->dim, sizeof *x);
  bool finite;
  job->bad[task] = x == NULL ? first : SIZE_MAX;
  job->single_fits[task] = true;
  const size_t end = first + (left < POINTS_OF_TASK ? left : POINTS_OF_TASK);
  for (size_t i = first; i < end && job->bad[task] == SIZE_MAX;) {
    const size_t some = end - i < TOGETHER ? end - i : TOGETHER;
    const bool done = some == TOGETHER && prepare_together(p, i);
    for (size_t stop = i + some; i < stop && job->bad[task] == SIZE_MAX; i++) {
      if (!done && !prepare_point(p, i, x, &finite))
        job->bad[task] = i;
      job->single_fits[task] = job->single_fits[task] && p->weight[i] < SINGLE_WEIGHT;
    }
  }
  free(x);
}

/* What is wrong with a point; if nothing is, memory was out. */
static geodisk_status explain_bad(geodisk_context *context, const prepared *p, size_t i, double *x) {
  bool finite;
  if (prepare_point(p, i, x, &finite))
    return geodisk_no_memory(context, "for %zu points", p->points.nodes);
  if (!finite)
    return geodisk_fail(context, GEODISK_ERROR_NUMERIC, "point %zu: its coordinates are not finite", i);
  char radius[GEODISK_NUMBER_BYTES];
  geodisk_format_double(p->points.ball.radius, radius);
  return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                      p->points.gap == NULL ? "point %zu is not inside the ball of radius %s"
                                            : "point %zu: gap and coordinates do not belong to a point in the ball of radius %s",
                      i, radius);
}

static geodisk_status prepare_ball(geodisk_context *context, prepared *p, double *x) {
  const size_t tasks = (p->points.nodes + POINTS_OF_TASK - 1) / POINTS_OF_TASK;
  ball_job job = {p, geodisk_allocate(tasks, sizeof *job.bad), geodisk_allocate(tasks, sizeof *job.single_fits)};
  geodisk_status st = GEODISK_OK;
  if (job.bad == NULL || job.single_fits == NULL)
    st = geodisk_no_memory(context, "for %zu points", p->points.nodes);
  else
    geodisk_parallel(context, tasks, prepare_some, &job);
  for (size_t i = 0; i < tasks && st == GEODISK_OK; i++) {
    if (job.bad[i] != SIZE_MAX)
      st = explain_bad(context, p, job.bad[i], x);
    p->single_fits = p->single_fits && job.single_fits[i];
  }
  geodisk_free_all(job.bad, job.single_fits);
  return st;
}

/* Flat points are scaled by a power of two so that all norms are at most 1: no square can overflow, and nothing is rounded. */
static geodisk_status prepare_flat(geodisk_context *context, prepared *p, double *x) {
  double largest = 0.0;
  for (size_t i = 0; i < p->points.nodes; i++) {
    double gap;
    prepared_row(p, i, x, &gap);
    for (size_t c = 0; c < p->dim; c++) {
      if (!isfinite(x[c]))
        return geodisk_fail(context, GEODISK_ERROR_NUMERIC, "point %zu: its coordinates are not finite", i);
      largest = fmax(largest, fabs(x[c]));
    }
  }
  return prepared_rescale(context, p, largest);
}

geodisk_status prepared_rescale(geodisk_context *context, prepared *p, double largest) {
  if (p->kind != RANK_FLAT)
    return GEODISK_OK;
  int exponent = 0;
  p->largest = largest;
  frexp(largest * sqrt((double)p->dim), &exponent);
  if (exponent > 1000 || exponent < -1000)
    return geodisk_fail(context, GEODISK_ERROR_NUMERIC, "the coordinates are too %s", exponent > 0 ? "large" : "small");
  p->unit = ldexp(1.0, exponent);
  for (size_t i = 0; i < p->points.nodes; i++) {
    p->factor[i] = 1.0 / p->unit;
    p->weight[i] = 1.0;
  }
  return GEODISK_OK;
}

static geodisk_status check_points(geodisk_context *context, const geodisk_eval_points *points) {
  if (points == NULL || points->nodes == 0 || points->vectors == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "there are no points to evaluate");
  if (points->nodes >= UINT32_MAX)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%zu points are more than can be evaluated", points->nodes);
  if ((unsigned)points->space > GEODISK_SPACE_EUCLIDEAN || (unsigned)points->precision > GEODISK_PRECISION_FLOAT)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "points: no such space (%d) or precision (%d)", (int)points->space,
                        (int)points->precision);
  if (points->space == GEODISK_SPACE_HYPERBOLIC ? !geodisk_ball_valid(&points->ball) : points->ball.dim < 1)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the ball of the points (dim %d) is not valid", points->ball.dim);
  return GEODISK_OK;
}

geodisk_status prepared_create(geodisk_context *context, const geodisk_eval_points *points, prepared *out) {
  geodisk_status st = check_points(context, points);
  if (st != GEODISK_OK)
    return st;
  const bool flat = points->space == GEODISK_SPACE_EUCLIDEAN;
  prepared p = {.points = *points, .dim = (size_t)points->ball.dim, .single_fits = true};
  if (flat)
    p.points.gap = NULL;
  p.kind = flat ? RANK_FLAT : points->ball.curvature == 1.0 ? RANK_UNIT : RANK_CURVED;
  if (p.points.gap != NULL)
    p.near_square = NEAR * NEAR;
  p.unit = flat ? 1.0 : 1.0 / sqrt(points->ball.curvature);
  p.factor = geodisk_allocate(points->nodes, sizeof *p.factor);
  p.weight = geodisk_allocate(points->nodes, sizeof *p.weight);
  double *x = geodisk_allocate(p.dim, sizeof *x);
  if (p.factor == NULL || p.weight == NULL || x == NULL)
    st = geodisk_no_memory(context, "for %zu points", points->nodes);
  else
    st = flat ? prepare_flat(context, &p, x) : prepare_ball(context, &p, x);
  free(x);
  if (st == GEODISK_OK)
    *out = p;
  else
    prepared_destroy(&p);
  return st;
}

void prepared_destroy(prepared *p) {
  geodisk_free_all(p->factor, p->weight);
  p->factor = p->weight = NULL;
}

size_t prepared_tile_points(const prepared *p, size_t bytes_per_number) {
  const size_t group = RANK_GROUP_BYTES / bytes_per_number;
  size_t points = CACHE_BYTES / ((p->dim + 1) * bytes_per_number) / group * group;
  points = points > RANK_POINTS ? RANK_POINTS : points;
  return points < 2 * group ? 2 * group : points;
}

double prepared_distance(const prepared *p, double q_over_gap) {
  if (p->kind == RANK_FLAT)
    return p->unit * sqrt(q_over_gap);
  return p->unit * 2.0 * asinh(sqrt(q_over_gap));
}

/* |x^ - y^|, the distance of the directions of x and y: the difference less its part along x, so that near points keep their
 * digits. */
static double chord(size_t dim, const double *x, const double *y) {
  double xx = 0.0, yy = 0.0, along = 0.0, across = 0.0;
  for (size_t c = 0; c < dim; c++) {
    xx += x[c] * x[c];
    yy += y[c] * y[c];
    along += (y[c] - x[c]) * (y[c] + x[c]);
  }
  const double x_length = sqrt(xx), y_length = sqrt(yy);
  const double stretch = along / (x_length * (x_length + y_length)); /* |y|/|x| - 1 */
  for (size_t c = 0; c < dim; c++) {
    const double e = (y[c] - x[c]) - x[c] * stretch;
    across += e * e;
  }
  return sqrt(across) / y_length;
}

/* |x-y|^2 of two deep points from radii and directions, in the unit ball: with rho = sqrt(1 - S),
 * (rho - rho')^2 + rho rho' |x^ - y^|^2, where rho - rho' = (S' - S) / (rho + rho'). Directions closer than 2^-50 count as the
 * same where ball.h says so, with the bounds of double for points in float too: a trainer in single precision moves its points by
 * what their coordinates say. */
static double polar_square(const prepared *p, const double *x, double s, const double *y, double t) {
  const double inner = fmax(s, t), outer = fmin(s, t);
  double across = chord(p->dim, x, y);
  if (across <= 0x1p-50 && (outer < 0x1p-51 || (outer < 0x1p-27 && inner > 2.0 * outer)))
    across = 0.0;
  const double a = sqrt(1.0 - s), b = sqrt(1.0 - t), along = (s - t) / (a + b);
  return along * along + a * b * across * across;
}

void prepared_fix_near(const prepared *p, const prepared *own, size_t u, size_t self, size_t n, size_t first, const uint32_t *ids,
                       double *q, double *scratch) {
  const double r = p->points.ball.radius;
  double *x = scratch, *y = scratch + p->dim, x_gap = (double)NAN, y_gap;
  for (size_t j = 0; j < n; j++) {
    const size_t node = ids != NULL ? ids[j] : first + j;
    if (!(q[j] < p->near_square * p->weight[node]) || node == self)
      continue;
    if (isnan(x_gap)) {
      prepared_row(own, u, x, &x_gap);
      x_gap = x_gap / r / r;
      if (!(x_gap < 0.5))
        return;
    }
    prepared_row(p, node, y, &y_gap);
    y_gap = y_gap / r / r;
    if (y_gap < 0.5)
      q[j] = polar_square(p, x, x_gap, y, y_gap) * p->weight[node];
  }
}

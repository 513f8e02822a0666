/* geodisk/mean.h - barycenters and medians of points of one ball.
 *
 * The barycenter of points q_i with weights w_i >= 0 minimises
 *
 *     f(p) = 1/2 sum w_i d(p, q_i)^2 / sum w_i,        -grad f(p) = sum w_i log_p(q_i) / sum w_i.
 *
 * f is 1-strongly convex along geodesics whatever the curvature, so its minimum is unique and d(p, p*) <= |grad f(p)|: the
 * gradient norm, plus a bound on its own rounding error, is a certificate. Every result carries it as info.error_bound.
 *
 * Weights may be zero, not negative; points may be equal, on one ray, a single one, or at the rim. Results are bit-identical for
 * any number of threads. The radius must lie between 1e-60 and 1e60.
 *
 * For example:
 *     geodisk_mean_info info;
 *     geodisk_mean(&ball, n, points, NULL, NULL, out, &info);       // the true barycenter is within info.error_bound of out
 */
#ifndef GEODISK_MEAN_H
#define GEODISK_MEAN_H

#include "geodisk/optim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum geodisk_mean_method {
  GEODISK_MEAN_NEWTON = 0,      /* Newton's steps in the tangent space, backtracking; quadratic convergence */
  GEODISK_MEAN_GRADIENT = 1,    /* descent; without a rate the paper's 1/(2 sqrt(k) D + 1), for which it proves convergence */
  GEODISK_MEAN_FIXED_POINT = 2, /* minimises a majorant of f in closed form; no step size, every step decreases f */
  GEODISK_MEAN_STOCHASTIC = 3   /* one random point (or `batch`) a step, with any update rule and schedule */
} geodisk_mean_method;

/* Where a run stands; handed to the callback at the start and after every iteration. */
typedef struct geodisk_mean_iteration {
  uint64_t iteration;
  double loss;          /* f(p); of stochastic descent: NaN between evaluations (one every `evaluate_every` steps) */
  double gradient_norm; /* |grad f(p)|; the same */
  const double *point;  /* p, valid during the call */
  double gap;           /* its gap */
  uint64_t clips;
} geodisk_mean_iteration;

typedef struct geodisk_mean_options {
  geodisk_context *context; /* threads, error text, progress events; NULL: none */
  geodisk_mean_method method;
  double tolerance;    /* stop when |grad f|, its rounding error included, is at most this; 0: go as far as rounding allows */
  uint64_t iterations; /* at most so many steps; 0: 100 for Newton, 100000 for the others */
  const double *start; /* dim, where to begin; NULL: the origin */
  double start_gap;    /* its gap, for starts deeper than coordinates can tell; 0: from the coordinates */

  /* Gradient and stochastic descent. */
  geodisk_update update;
  double margin;             /* where natural and euclidean updates clip */
  geodisk_schedule schedule; /* rate 0: the paper's step for gradient, 0.1 for stochastic */

  /* Stochastic descent. */
  uint64_t seed;           /* which points are drawn, in proportion to their weights */
  size_t batch;            /* points a step */
  uint64_t evaluate_every; /* steps between evaluations of loss and gradient for the callback; 0: never */

  bool (*on_iteration)(void *user, const geodisk_mean_iteration *iteration); /* false: stop here; NULL: none */
  void *user;
} geodisk_mean_options;

/* Newton, tolerance 0, geodesic update, margin 1e-10, constant rate 0 (see schedule), batch 1. */
GEODISK_API geodisk_mean_options geodisk_mean_defaults(void);

typedef struct geodisk_mean_info {
  uint64_t iterations;  /* steps taken */
  uint64_t passes;      /* times all points were visited */
  double loss;          /* f at the result */
  double gradient_norm; /* |grad f| at the result, as computed */
  double error_bound;   /* the true barycenter is at most this far from the result: gradient_norm + its rounding error */
  uint64_t clips;       /* of natural and euclidean updates */
  bool converged;       /* the tolerance is reached, or, with tolerance 0, rounding allows no more */
  bool stopped;         /* the callback ended the run */
} geodisk_mean_info;

/* The weighted barycenter. points: n x dim, weights: n or NULL for ones; options NULL: defaults.
 * Not reaching the tolerance is not an error: see info.converged and info.error_bound. Errors: ARGUMENT (no points, a point
 * outside the ball, a weight that is negative or NaN, all weights zero, an option outside its domain; the text names the index),
 * STOPPED (by the context's progress callback), NUMERIC (a learning rate that leads out of the numbers), MEMORY; outputs are then
 * untouched. Cost: about six passes over the points, each O(n dim^2) for Newton up to dim 512, O(n dim) otherwise (beyond dim 512
 * the Hessian is replaced by its mean eigenvalue). Memory: n numbers (the gaps). Accuracy: within 1e-14 (1 + r) + 2 * 2^-53 R
 * lam(out) of the true barycenter, r its radius, for points to depth 18; the second part is the grid of doubles. */
GEODISK_API geodisk_status geodisk_mean(const geodisk_ball *ball, size_t n, const double *points, const double *weights,
                                        const geodisk_mean_options *options, double *out, geodisk_mean_info *info);

typedef struct geodisk_mean_points {
  size_t n;
  const double *points;  /* n x dim */
  const double *gaps;    /* n; NULL: from the coordinates */
  const double *weights; /* n; NULL: ones */
} geodisk_mean_points;

/* The same for points as (x, gap), to sqrt(k) r = 300 and beyond (see ball.h). The radius of the result is right to 1e-14
 * relative, its direction to 4 * 2^-53. error_bound is meant in the sense of ball.h: for a result deeper than coordinates resolve
 * it bounds the error along the ray. Computed in double-double, about eighty times slower than geodisk_mean; Newton only: other
 * methods are refused. */
GEODISK_API geodisk_status geodisk_mean_gap(const geodisk_ball *ball, const geodisk_mean_points *points,
                                            const geodisk_mean_options *options, double *out, double *out_gap,
                                            geodisk_mean_info *info);

typedef struct geodisk_mean_problems {
  size_t n;                       /* problems */
  const size_t *begin;            /* n + 1: problem j has the points begin[j] .. begin[j + 1] - 1 */
  const double *points, *weights; /* of all of them; weights NULL: ones */
} geodisk_mean_problems;

/* Many small problems at once, spread over the context's threads. out: problems x dim; info: one per problem, or NULL. The first
 * failing problem ends it, its text names problem and index. Callbacks and start are ignored. */
GEODISK_API geodisk_status geodisk_mean_many(const geodisk_ball *ball, const geodisk_mean_problems *problems,
                                             const geodisk_mean_options *options, double *out, geodisk_mean_info *info);

/* ---- streaming ----------------------------------------------------------------------------------------------------- */

/* For more points than fit into memory: they come in blocks of any size, again and again until the stream says it is done.
 *
 *     for (bool done = false; !done;) {
 *       while (next block) geodisk_mean_stream_push(stream, rows, points, weights);
 *       geodisk_mean_stream_end_pass(stream, &done);
 *     }
 *     geodisk_mean_stream_result(stream, out, &info);
 *
 * Every pass must push the same rows in the same order; the result is then bit-identical to geodisk_mean, however the rows are
 * cut into blocks. Not for the stochastic method (ARGUMENT). Memory: a few blocks of 1024 rows. */
typedef struct geodisk_mean_stream geodisk_mean_stream;
GEODISK_API geodisk_status geodisk_mean_stream_create(const geodisk_ball *ball, const geodisk_mean_options *options,
                                                      geodisk_mean_stream **out);
GEODISK_API geodisk_status geodisk_mean_stream_push(geodisk_mean_stream *stream, size_t rows, const double *points,
                                                    const double *weights);
GEODISK_API geodisk_status geodisk_mean_stream_end_pass(geodisk_mean_stream *stream, bool *done);
GEODISK_API geodisk_status geodisk_mean_stream_result(const geodisk_mean_stream *stream, double *out, geodisk_mean_info *info);
GEODISK_API void geodisk_mean_stream_destroy(geodisk_mean_stream *stream);

/* ---- other centres ------------------------------------------------------------------------------------------------- */

/* The geometric median minimises sum w_i d(p, q_i) / sum w_i: robust against outliers. Weiszfeld's iteration on the hyperboloid,
 * where it is the exact minimiser of a majorant, with Newton's steps where they are better. If the median is one of the points it
 * is found as such. options: context, tolerance (0: 1e-12), iterations, start, the callback. info.error_bound here bounds the
 * loss: it is at most so far above the least possible (f is convex, not strongly). */
GEODISK_API geodisk_status geodisk_median(const geodisk_ball *ball, size_t n, const double *points, const double *weights,
                                          const geodisk_mean_options *options, double *out, geodisk_mean_info *info);

/* The Lorentz centroid: the weighted sum of the points on the hyperboloid, scaled back onto it. It minimises
 * sum w_i (cosh(sqrt(k) d(p, q_i)) - 1). Closed form. Errors: as geodisk_mean. */
GEODISK_API geodisk_status geodisk_lorentz_centroid(geodisk_context *context, const geodisk_ball *ball, size_t n,
                                                    const double *points, const double *weights, double *out);

/* The point halfway between x and y, which is the barycenter of the two: geodisk_geodesic at 1/2. Pure. */
GEODISK_API void geodisk_midpoint(const geodisk_ball *ball, const double *x, const double *y, double *out);

#ifdef __cplusplus
}
#endif
#endif

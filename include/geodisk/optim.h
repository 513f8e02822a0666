/* geodisk/optim.h - minimising losses that are functions of hyperbolic distances: the paper's three update rules, learning-rate
 * schedules, objectives with their chain rule and gradient check, and the methods of descent.
 *
 * A loss of distances over points x_1 ... x_n of one ball is a sum of terms,
 *
 *     f(x) = sum_t  loss_t( d(x_i, x_j) for the pairs (i,j) of term t ),
 *
 * where the caller says what the pairs are and, for one term's distances, what the loss and its derivatives are. geodisk does the
 * rest: distances, chain rule, update, stopping. Any subset of the points may be fixed. Gradients are Riemannian (tangents in the
 * ball's coordinates, as in ball.h), the gradient norm is the one of the product of hyperbolic spaces:
 * |grad f|^2 = sum over free points of (lam(x_i) |grad_i f|)^2.
 *
 * Points are carried as (x, gap), so nothing saturates at the rim. A run never produces NaN: a loss, derivative, gradient or step
 * that is not finite ends it with GEODISK_ERROR_NUMERIC and a text that names the iteration and the term or the point.
 *
 * Everything here is deterministic: same seed, same bytes, for any number of threads.
 *
 * For example:
 *     geodisk_objective *stress = NULL;
 *     geodisk_objective_stress(NULL, n, matrix, NULL, NULL, &stress);
 *     geodisk_optim_options options = geodisk_optim_defaults(GEODISK_METHOD_BACKTRACKING);
 *     geodisk_optim_info info;
 *     geodisk_minimise(&ball, stress, &options, x, NULL, &info);          // x: n rows, in and out
 */
#ifndef GEODISK_OPTIM_H
#define GEODISK_OPTIM_H

#include "geodisk/ball.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- update rules -------------------------------------------------------------------------------------------------- */

/* The paper's three algorithms. With g the Riemannian gradient at x and a learning rate a:
 *   geodesic    x <- exp_x(-a g)                    walks along the geodesic, no boundary, no clipping
 *   natural     x <- project(x - a g)               adds the tangent as if the ball were flat: biased outwards
 *   euclidean   x <- project(x - a lam(x)^2 g)      adds the Euclidean gradient, which explodes towards the rim */
typedef enum geodisk_update {
  GEODISK_UPDATE_GEODESIC = 0,
  GEODISK_UPDATE_NATURAL = 1,
  GEODISK_UPDATE_EUCLIDEAN = 2
} geodisk_update;

/* Where the natural and the Euclidean rule clip: |x| <= R (1 - margin). The paper's epsilon. */
#define GEODISK_MARGIN_DEFAULT 1e-10

/* Moves (x, x_gap) by the tangent `step` (usually -rate * gradient) under a rule; returns whether the result was clipped. A
 * step that is not finite, or a point outside, gives NaN. out may be x or step; out_gap may be NULL. Pure. */
GEODISK_API bool geodisk_update_point(const geodisk_ball *ball, geodisk_update rule, double margin, const double *x, double x_gap,
                                      const double *step, double *out, double *out_gap);

/* ---- learning-rate schedules --------------------------------------------------------------------------------------- */

typedef enum geodisk_schedule_kind {
  GEODISK_SCHEDULE_CONSTANT = 0,  /* rate */
  GEODISK_SCHEDULE_LINEAR = 1,    /* from rate to end over `steps` steps, then end */
  GEODISK_SCHEDULE_GEOMETRIC = 2, /* rate (end/rate)^(t/steps), then end; end > 0 */
  GEODISK_SCHEDULE_INVERSE = 3,   /* rate / (1 + decay t) */
  GEODISK_SCHEDULE_COSINE = 4,    /* half a cosine from rate to end over `steps` steps, then end */
  GEODISK_SCHEDULE_CALLBACK = 5   /* callback(user, t) */
} geodisk_schedule_kind;

typedef struct geodisk_schedule {
  geodisk_schedule_kind kind;
  double rate;    /* the rate of step 0, > 0 */
  double end;     /* the rate from step `steps` on */
  double decay;   /* of the inverse schedule, >= 0 */
  uint64_t steps; /* length of the way from rate to end; 0: the iterations of the run */
  double (*callback)(void *user, uint64_t step);
  void *user;
} geodisk_schedule;

/* A constant rate. */
GEODISK_API geodisk_schedule geodisk_schedule_constant(double rate);

/* The rate of step t (from 0). NaN if the schedule is malformed (rate <= 0, geometric end <= 0, no callback, steps 0 outside a
 * run where `end` is approached). Pure. */
GEODISK_API double geodisk_schedule_rate(const geodisk_schedule *schedule, uint64_t step);

/* ---- objectives ---------------------------------------------------------------------------------------------------- */

/* The loss of one term from the distances of its pairs (in their order), and its derivatives with respect to them. Called on the
 * thread that called the library, one term at a time. */
typedef double (*geodisk_loss_fn)(void *user, size_t term, size_t count, const double *distances, double *derivatives);

typedef struct geodisk_objective_spec {
  size_t n_points;
  size_t n_pairs;
  const size_t *pairs; /* n_pairs x 2 indices of points, i != j */
  size_t n_terms;
  const size_t *term_begin; /* n_terms + 1: term t has the pairs term_begin[t] ... term_begin[t+1] - 1; NULL: n_terms is ignored,
                               all pairs are one term */
  const bool *fixed;        /* n_points, which points do not move; NULL: none */
  geodisk_loss_fn loss;
  void *user; /* must outlive the objective */
} geodisk_objective_spec;

/* An objective is immutable and owns copies of the arrays. `context` (or NULL) takes the error text and gives threads. */
typedef struct geodisk_objective geodisk_objective;

/* Errors: ARGUMENT (an index out of range, a pair of equal indices, term_begin not ascending from 0 to n_pairs, no loss), MEMORY.
 * Cost: O(n_points + n_pairs). */
GEODISK_API geodisk_status geodisk_objective_create(geodisk_context *context, const geodisk_objective_spec *spec,
                                                    geodisk_objective **out);
GEODISK_API void geodisk_objective_destroy(geodisk_objective *objective);
GEODISK_API size_t geodisk_objective_points(const geodisk_objective *objective);
GEODISK_API size_t geodisk_objective_pairs(const geodisk_objective *objective);
GEODISK_API size_t geodisk_objective_terms(const geodisk_objective *objective);

/* What the ready-made objectives are made of: rows of two points (pairs; edges u, v) or three (triplets). */
typedef struct geodisk_objective_rows {
  size_t n_points;
  size_t n_rows;
  const size_t *rows; /* n_rows x 2, or x 3 */
  const bool *fixed;  /* n_points, which points do not move; NULL: none */
} geodisk_objective_rows;

/* f = sum over pairs of w_p d_p^2, w_p >= 0 or, with `weights` NULL, 1; one term per pair. */
GEODISK_API geodisk_status geodisk_objective_squared(geodisk_context *context, const geodisk_objective_rows *pairs,
                                                     const double *weights /* n_rows */, geodisk_objective **out);

/* f = sum over i < j of w_ij (d_ij - D_ij)^2: embeds a distance matrix. The upper triangles are read; a weight of 0 leaves a pair
 * out. One term per pair. */
GEODISK_API geodisk_status geodisk_objective_stress(geodisk_context *context, size_t n_points, const double *matrix /* n x n */,
                                                    const double *weights /* n x n or NULL */, const bool *fixed,
                                                    geodisk_objective **out);

/* The loss of Poincare embeddings, exact, with all negatives: for each edge (u,v)
 *     d(u,v) + log( sum over m of exp(-d(u,m)) ),
 * where m runs over v and the nodes that are not neighbours of u (GEODISK_LOSS_NICKEL_KIELA, also gensim's), or over the
 * complement of u's neighbours, in which u itself stands with exp(0) = 1 (GEODISK_LOSS_COMPLEMENT, the paper's formula).
 * One term per node that has an edge; n_points - 1 pairs each, so the cost is quadratic in the nodes. Repeated edges count twice.
 */
typedef enum geodisk_loss { GEODISK_LOSS_NICKEL_KIELA = 0, GEODISK_LOSS_COMPLEMENT = 1 } geodisk_loss;
GEODISK_API geodisk_status geodisk_objective_poincare(geodisk_context *context, const geodisk_objective_rows *edges,
                                                      geodisk_loss loss, geodisk_objective **out);

/* f = sum over triplets (a, near, far) of max(0, margin + d(a,near) - d(a,far)): ranking by a hinge. One term per triplet. */
GEODISK_API geodisk_status geodisk_objective_ranking(geodisk_context *context, const geodisk_objective_rows *triplets,
                                                     double margin, geodisk_objective **out);

/* The loss and the Riemannian gradient at the given points (rows of fixed points: zero). Either output may be NULL.
 * Errors: ARGUMENT (a point outside the ball, named), NUMERIC (a term or gradient that is not finite, named), MEMORY. */
GEODISK_API geodisk_status geodisk_objective_evaluate(geodisk_context *context, const geodisk_ball *ball,
                                                      const geodisk_objective *objective, const double *x /* n x dim */,
                                                      const double *gap /* n or NULL */, double *loss,
                                                      double *gradient /* n x dim */);

/* How far the gradient is from what differences of the loss say. */
typedef struct geodisk_gradient_check {
  double error;             /* the largest |difference - derivative| over all free coordinates, over the scale below */
  double scale;             /* 1 + the largest derivative */
  size_t point, coordinate; /* where it occurs */
  double derivative, difference;
  double uncertainty; /* how well the difference is known, by its own extrapolation, over the scale */
} geodisk_gradient_check;

/* Compares every free coordinate's derivative (along unit-speed geodesics) with central differences of the loss at the steps h,
 * h/2 ... h/128, extrapolated to step 0 (Romberg's table, its best entry); h is a quarter of the distance to the nearest partner,
 * at most 1/4. For a smooth loss the truncation error is of tenth order and more, so that what remains is the rounding of the
 * loss itself, about 2^-53 |f| / h: three to five digits beyond the best a plain difference can give. A loss with kinks (ranking)
 * is right only where no kink lies within h. Only the terms a point takes part in are recomputed for it: the cost is 16 dim
 * evaluations of those, per free point. Errors: as geodisk_objective_evaluate. */
GEODISK_API geodisk_status geodisk_objective_check(geodisk_context *context, const geodisk_ball *ball,
                                                   const geodisk_objective *objective, const double *x, const double *gap,
                                                   geodisk_gradient_check *out);

/* ---- descent ------------------------------------------------------------------------------------------------------- */

typedef enum geodisk_method {
  GEODISK_METHOD_GRADIENT = 0,     /* x <- update(x, -rate_t grad f) */
  GEODISK_METHOD_BACKTRACKING = 1, /* the same with a step found by Armijo's rule; the schedule's rate is the first one tried */
  GEODISK_METHOD_STOCHASTIC = 2,   /* gradient descent with an unbiased estimate of grad f from `batch` random terms */
  GEODISK_METHOD_MOMENTUM = 3,     /* m <- momentum * transport(m) + grad f,  x <- update(x, -rate_t m) */
  GEODISK_METHOD_ADAGRAD = 4,      /* rate divided by the root of the sum of each point's squared gradient norms */
  GEODISK_METHOD_ADAM = 5,         /* momentum transported, second moment one number per point (Becigneul and Ganea 2019) */
  GEODISK_METHOD_RSVRG = 6,        /* variance-reduced stochastic descent (Zhang, Reddi and Sra 2016) */
  GEODISK_METHOD_ACCELERATED = 7   /* RNAG-SC (Kim and Yang 2022): Nesterov's method with a proof on hyperbolic space */
} geodisk_method;

/* What a run has reached; handed to the callback at the start and after every iteration (with a batch: after every
 * `evaluate_every` of them). */
typedef struct geodisk_iteration {
  uint64_t iteration; /* steps done */
  double loss;
  double gradient_norm;
  double rate;       /* of the last step */
  uint64_t clips;    /* points clipped so far */
  const double *x;   /* n x dim, valid during the call */
  const double *gap; /* n */
} geodisk_iteration;

typedef struct geodisk_optim_options {
  geodisk_context *context; /* threads, error text, progress events; NULL: none */
  geodisk_method method;
  geodisk_update update;
  double margin; /* where natural and euclidean clip */
  geodisk_schedule schedule;
  uint64_t iterations; /* at most so many steps */
  double tolerance;    /* converged when the gradient norm is at most this */

  size_t batch;            /* terms a step, drawn with replacement; 0: all of them, which backtracking and accelerated need */
  uint64_t seed;           /* which terms are drawn */
  uint64_t evaluate_every; /* with a batch: steps between evaluations of the whole loss; 0: one pass over the terms */
  uint64_t inner;          /* RSVRG: steps between full gradients; 0: twice the number of terms over the batch */

  double momentum;   /* momentum and Adam's first moment, in [0,1) */
  double beta2;      /* Adam's second moment, in [0,1) */
  double stabiliser; /* added to Adam's and Adagrad's denominators, > 0 */

  double decrease; /* backtracking: share of the linear decrease that is asked for, in (0,1) */
  double shrink;   /* backtracking: factor of a refused step, in (0,1) */

  double convexity;  /* accelerated: mu > 0, strong convexity of f; the schedule's rate is the step, at most 1/smoothness */
  double distortion; /* accelerated: xi >= 1 of the method; the proof asks for 4 zeta - 3 with zeta = D coth D, D = sqrt(k) times
                        the diameter of the region of the run; 1 is Nesterov's own and the fastest where it converges */

  bool (*on_iteration)(void *user, const geodisk_iteration *iteration); /* false: stop here; NULL: none */
  void *user;
} geodisk_optim_options;

/* The defaults: geodesic update, margin 1e-10, constant rate 0.1 (backtracking: first step 1), 1000 iterations, tolerance 1e-9,
 * batch 1, momentum 0.9, beta2 0.999, stabiliser 1e-12, decrease 1e-4, shrink 1/2, convexity 1, distortion 1. */
GEODISK_API geodisk_optim_options geodisk_optim_defaults(geodisk_method method);

typedef struct geodisk_optim_info {
  uint64_t iterations;  /* steps done */
  uint64_t evaluations; /* evaluations of the whole loss */
  double loss;          /* at the returned points */
  double gradient_norm; /* at the returned points */
  uint64_t clips;       /* how often a point was clipped */
  bool converged;       /* gradient_norm <= tolerance */
  bool stopped;         /* the callback ended the run */
} geodisk_optim_info;

/* Minimises f from the given points, which are replaced by the last ones reached (backtracking: never worse than the start).
 * Fixed points stay bit for bit as they are. With `gap` NULL the gaps are computed from the coordinates at the start and dropped
 * at the end: for points deeper than coordinates can tell pass them. Options NULL: backtracking with its defaults. Reaching
 * `iterations`, or a callback that stops, is not an error: see info. Errors: ARGUMENT (an option outside its domain, a point
 * outside the ball), NUMERIC (not finite; the text names the iteration and the term or the point), STOPPED (by the context's
 * progress callback), MEMORY; x, gap and info are then untouched. */
GEODISK_API geodisk_status geodisk_minimise(const geodisk_ball *ball, const geodisk_objective *objective,
                                            const geodisk_optim_options *options, double *x /* n x dim */,
                                            double *gap /* n or NULL */, geodisk_optim_info *info /* or NULL */);

#ifdef __cplusplus
}
#endif
#endif

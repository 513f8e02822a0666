/* solver.h - how a barycenter is found, apart from how points are stored: the solver is handed what a pass over the points has
 * found at a trial point and says what to do next. It never sees a point, so that the same steps serve points in memory, points
 * in blocks and points deeper than coordinates.
 *
 * Tangents here have components in an orthonormal frame at the base point (so their Euclidean length is the hyperbolic one). */
#pragma once

#include "geodisk/mean.h"

/* What a pass finds at a point. */
typedef struct evaluation {
  double loss;
  double norm;       /* |grad f| */
  double error;      /* bound on the rounding error of the gradient */
  double floor;      /* gradient norm that the rounding of the point itself causes, about */
  double mean_coth;  /* weighted mean of theta coth(theta) >= 1 */
  double *descent;   /* -grad f: dim */
  double *curvature; /* the Hessian of f: upper triangle by rows, or NULL (not computed, or dim too large) */
  double ray_length; /* a good step along the geodesic to one of the points, or 0: not offered */
} evaluation;

typedef enum request { ASK_PLAIN, ASK_ACCURATE, ASK_DONE } request;

typedef struct solver {
  geodisk_mean_options options; /* with defaults filled in */
  size_t dim;
  double root_k;
  double gradient_rate; /* the paper's, or 0: the schedule's */

  /* Output of solver_next. */
  double *step;  /* dim: the next trial is the base moved by this */
  bool accepted; /* the trial just evaluated becomes the base, before the step is taken */
  bool still;    /* the next trial is the base itself */
  double ray;    /* > 0: the next trial is this far along the geodesic offered by ray_length, instead of the step */

  /* The base. */
  evaluation base;
  bool has_base, base_accurate;
  double *factor; /* Cholesky factor of the Hessian: dim (dim+1)/2 */
  bool has_factor;

  double *centroid_step; /* dim: from the start to the Lorentz centroid, in case the start is far away */
  bool centroid_tried;
  int backtracks, polishes;
  bool majorant_tried;
  bool stopped, converged;
  uint64_t iterations, passes;
} solver;

/* Errors: MEMORY. solver_destroy on a zeroed solver is fine. */
geodisk_status solver_create(const geodisk_ball *ball, const geodisk_mean_options *options, solver *s);
void solver_destroy(solver *s);

/* Takes in the evaluation of a trial, plain or accurate, and says what to evaluate next. */
request solver_next(solver *s, const evaluation *trial, bool accurate);

/* For callers whose points have a grid: the step asked for does not move an accurately evaluated base. The run is done. */
request solver_settled(solver *s);

/* Ends the run early, with what is known of the base; what is still to do for a certificate. */
request solver_stop(solver *s);

/* The largest dim whose Hessian is formed. */
enum { LARGEST_HESSIAN = 512 };

/* Cholesky: factors the upper triangle a (by rows) as U^T U; false if it is not positive definite. Solves U^T U x = b in place.
 */
bool cholesky_factor(size_t dim, double *a);
void cholesky_solve(size_t dim, const double *a, double *x);

/* run.h - the state of one minimisation, and what a method is: a way to take one step. */
#pragma once

#include "objective.h"

typedef struct run {
  evaluator e;
  geodisk_optim_options options;
  size_t n, dim;
  double *x, *gap;  /* the points: n x dim, n */
  double *gradient; /* n x dim: of f at x while `fresh`, else an estimate */
  double loss, norm;
  bool fresh;    /* loss, norm and gradient belong to x */
  bool finished; /* the method can do no more */
  uint64_t iteration, evaluations, clips;
  geodisk_random random;
  double last_rate;

  /* What methods keep from step to step; a method asks for the arrays it needs. */
  double *step;          /* n x dim */
  double *velocity;      /* n x dim: momentum, a tangent at x */
  double *second;        /* n: sums of squared gradient norms */
  double *trial_x;       /* n x dim */
  double *trial_gap;     /* n */
  double *full_gradient; /* n x dim: the whole gradient at trial_x (backtracking's trial, RSVRG's snapshot) */
  bool *clipped;         /* n */
  double trial_step;     /* backtracking: the next step to try */
} run;

typedef enum run_arrays { NEEDS_VELOCITY = 1, NEEDS_SECOND = 2, NEEDS_TRIAL = 4, NEEDS_FULL_GRADIENT = 8 } run_arrays;

typedef struct method {
  geodisk_status (*step)(run *r, double rate);
  int needs;           /* of run_arrays */
  bool whole_gradient; /* cannot work with a batch */
  bool sampled;        /* cannot work without */
  bool geodesic_only;
} method;

geodisk_status step_gradient(run *r, double rate);
geodisk_status step_backtracking(run *r, double rate);
geodisk_status step_momentum(run *r, double rate);
geodisk_status step_adagrad(run *r, double rate);
geodisk_status step_adam(run *r, double rate);
geodisk_status step_rsvrg(run *r, double rate);
geodisk_status step_accelerated(run *r, double rate);

/* Evaluates loss and gradient at x; they are then fresh. */
geodisk_status run_evaluate(run *r);

/* Makes `gradient` what the method steps along: the whole gradient, or an unbiased estimate from a batch. */
geodisk_status run_estimate_gradient(run *r);

/* Draws options.batch terms and adds up their gradients at (x, gap), scaled to be unbiased. The generator is passed by value, so
 * that the same terms can be drawn twice; *next is where it goes on. */
geodisk_status run_sample_gradient(run *r, geodisk_random random, const double *x, const double *gap, double *gradient,
                                   geodisk_random *next);

/* Calls task(r, i) for every free point, in parallel. */
void run_for_free_points(run *r, void (*task)(run *r, size_t i));

/* Moves every free point by its row of `step` under the update rule, carries `velocity` along if there is one, counts clips;
 * names the first point that is no longer finite. x is then no longer fresh. */
geodisk_status run_move(run *r);

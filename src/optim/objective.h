/* objective.h - an objective from the inside, and its evaluation: shared by the losses, the gradient check and the methods. */
#pragma once

#include "geodisk/optim.h"

struct geodisk_objective {
  size_t n_points, n_pairs, n_terms;
  size_t largest_term;    /* pairs in the largest term */
  size_t *pairs;          /* n_pairs x 2 */
  size_t *term_begin;     /* n_terms + 1 */
  size_t *incident_begin; /* n_points + 1 */
  size_t *incident;       /* 2 n_pairs: the pairs a point takes part in, ascending */
  bool *fixed;            /* n_points */
  geodisk_loss_fn loss;
  void *user;
  void (*release)(void *user); /* for objectives that own their user data */
};

/* Where an evaluation happens: what to compute with, and the iteration to name in errors (NO_ITERATION: none). */
#define NO_ITERATION UINT64_MAX
typedef struct evaluator {
  geodisk_context *context;
  const geodisk_ball *ball;
  const geodisk_objective *objective;
  double *distances;   /* n_pairs */
  double *derivatives; /* n_pairs */
  double *units;       /* n_pairs x 2 x dim: the gradients of each distance at either end */
  double *tangents;    /* n_points x dim, room for one tangent per point */
} evaluator;

geodisk_status evaluator_create(geodisk_context *context, const geodisk_ball *ball, const geodisk_objective *objective,
                                evaluator *out);
void evaluator_destroy(evaluator *e);

/* The loss, and with gradient != NULL the Riemannian gradient of every point (zero rows for fixed ones) and its norm. */
geodisk_status evaluator_full(evaluator *e, const double *x, const double *gap, uint64_t iteration, double *loss,
                              double *gradient, double *norm);

/* Adds factor times the gradient of one term at (x, gap). */
geodisk_status evaluator_add_term(evaluator *e, size_t term, const double *x, const double *gap, uint64_t iteration,
                                  double factor, double *gradient);

/* Loads points: copies x, computes gaps where `gap` is NULL, names the first point outside the ball. */
geodisk_status objective_load_points(geodisk_context *context, const geodisk_ball *ball, size_t n, const double *x,
                                     const double *gap, double *out_x, double *out_gap);

/* Records "iteration 7: ..." (without the iteration if there is none) as a NUMERIC error. */
geodisk_status numeric_failure(geodisk_context *context, uint64_t iteration, const char *format, ...) GEODISK_PRINTF(3, 4);

/* The Riemannian norm of a tangent at a point of that gap, free of over- and underflow. */
double tangent_norm(const geodisk_ball *ball, double gap, const double *v);

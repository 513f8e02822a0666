/* attraction.h - the loss of one point among fixed nodes, and descent on it. Internal to the vectors module. */
#pragma once

#include "model.h"

/* The fixed nodes that sums run over. */
typedef struct crowd {
  const geodisk_model *model;
  const uint32_t *nodes; /* ascending; NULL: all below `count` */
  size_t count;
  double scale; /* each counts for so many */
} crowd;

/* exp(-d(x, m)) summed over the crowd without the nodes in `skip` (ascending); those are never in it, however it was drawn. */
double crowd_sum(const crowd *c, const double *x, double gap, const uint32_t *skip, size_t n_skip);

/* A node and what it has to do with the point. */
typedef struct relation {
  uint32_t node;
  double weight; /* of the edge */
  double sum;    /* Z of a child or a competitor */
} relation;

typedef struct attraction {
  const geodisk_model *model; /* where all related nodes have their place */
  crowd negatives;
  const uint32_t *skip; /* neighbours, ascending: no negatives */
  size_t n_skip;
  const relation *parents, *children, *competitors;
  size_t n_parents, n_children, n_competitors;
} attraction;

typedef struct descent {
  uint64_t iterations;
  double loss, gradient_norm;
  bool converged;
} descent;

/* Moves (x, *gap) downhill. False: out of memory. */
bool attraction_descend(const attraction *a, uint64_t iterations, double tolerance, double *x, double *gap, descent *out);

/* The loss at a point, and the Euclidean unit-frame gradient's opposite (dim numbers), whose length is the gradient's Riemannian
 * norm; `y` is scratch of 2 dim numbers. Exposed for tests. */
double attraction_loss(const attraction *a, const double *x, double gap, double *downhill, double *y);

/* knowledge.h - the hierarchy that a model knows, ready to be asked. Internal to the vectors module. */
#pragma once

#include "geodisk/vectors.h"
#include "parents.h"

struct geodisk_hierarchy {
  const geodisk_model *model;
  const double *order; /* the points that are asked about, nodes x 3; NULL: the model's own */
  geodisk_hierarchy_info info;
  size_t nodes, dim;
  geodisk_ball ball;
  double *x;         /* nodes x dim */
  double *gap;       /* nodes */
  double *radius;    /* nodes: distances from the centre */
  double *threshold; /* nodes: a score up to this says yes */
  bool outward;      /* nothing is above what is nearer to the centre: points were placed for the score, without reaches */
  /* Beside an order: how far what the model's own points have right goes (-1: nowhere), and these; NULL: not known. */
  const float *near;
  geodisk_ball own_ball;
  double *own_x, *own_gap;
};

/* d(p,c) - d(o,c), or that of an order, and whether it is within c's threshold. Nothing is below itself. */
double hierarchy_score(const geodisk_hierarchy *h, uint32_t child, uint32_t parent);
/* Whether the model's own points, beside an order, have the parent so near to the child that it is above it. */
bool hierarchy_is_near(const geodisk_hierarchy *h, uint32_t child, uint32_t parent);
bool hierarchy_is_below(const geodisk_hierarchy *h, uint32_t child, uint32_t parent);
/* The distances of a node from those from begin to end, and the same decision for one whose distance is known. */
void hierarchy_distances(const geodisk_hierarchy *h, uint32_t child, size_t begin, size_t end, double *out);
bool hierarchy_is_below_at(const geodisk_hierarchy *h, uint32_t child, uint32_t parent, double distance);

/* The points of an order, and the tensor's name. */
#define ORDER "order"
enum { ORDER_NUMBERS = 3 };

/* The decision of one model for another that has its nodes and more, whose reaches are not known. If it is by the order, that
 * must have been set. */
geodisk_status hierarchy_copy(geodisk_context *context, const geodisk_model *from, geodisk_model *to);

/* A likely parent of a node, with their distance, in the model's own space. */
geodisk_status hierarchy_parent(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, uint32_t parent,
                                geodisk_parent *out);

/* Puts a set in order, the deepest last. */
geodisk_status hierarchy_sort(geodisk_context *context, const geodisk_hierarchy *h, uint32_t *set, size_t n);

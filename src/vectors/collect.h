/* collect.h - the k nearest of the points that are offered, exactly. Internal to the vectors module.
 *
 * Points are offered with q = sinh^2(sqrt(k) d / 2) in plain arithmetic (Euclidean space: q = d^2), which is cheap and nearly
 * right: within a relative rounding error, and but for the difference between a point's coordinates and the place its gap says it
 * has. Both are bounded, so each point has bounds lo <= q <= hi. Points whose lo exceeds the k-th smallest hi are out; for the
 * few that are left in the end the accurate distance decides, and among equal ones the smaller number. The answer therefore does
 * not depend on the order of the offers, nor on how they were found. */
#pragma once

#include "base/csr.h"
#include "model.h"

/* What the search functions know about a model. */
typedef struct space_view {
  const geodisk_model *model;
  geodisk_ball ball;
  bool hyperbolic;
  size_t nodes, dim;
  double slack;    /* how far any point's place may be from its coordinates */
  double relative; /* bound of the relative rounding error of q */
} space_view;

/* Fills the view; one pass over the points. */
void space_open(geodisk_context *context, const geodisk_model *model, space_view *out);

/* The weight of a node, R^2 / S (1 in Euclidean space). */
double space_weight(const space_view *view, size_t node);

/* One point that is asked about. */
typedef struct probe_point {
  const double *x; /* dim */
  double gap;      /* 1 in Euclidean space */
  double slack;    /* of its own place, plus the view's */
  double depth;
  uint32_t self; /* a node that is not to be found, or NO_NODE */
  geodisk_side side;
} probe_point;

/* Fills slack and depth from x and gap. */
void probe_prepare(const space_view *view, probe_point *point);

/* The accurate distance from the point to a node. `y` has room for dim numbers. */
double probe_distance(const space_view *view, const probe_point *point, uint32_t node, double *y);

typedef struct candidate {
  double lo, hi;
  double distance; /* accurate, or NaN: not computed yet */
  uint32_t node;
} candidate;

typedef struct collector {
  const space_view *view;
  const probe_point *point;
  size_t k;
  double *best; /* the k smallest hi, the largest of them first (a heap) */
  size_t n_best;
  candidate *list;
  size_t n, room;
  double *y;   /* scratch: rows of a few nodes */
  bool failed; /* out of memory */
} collector;

/* False: out of memory. */
bool collector_open(collector *c, const space_view *view, const probe_point *point, size_t k);
void collector_close(collector *c);

/* Points with plain q (without its factor 1/S of the point asked about) above this cannot be among the k nearest; `weight` is the
 * largest of the points in question. */
double collector_limit(const collector *c, double weight);

/* Offers a node: `product` is |x-y|^2 R^2/S(y) in plain arithmetic. */
void collector_offer(collector *c, uint32_t node, double product, double weight);

/* Offers what another collector for the same point has. */
void collector_merge(collector *c, const collector *other);

/* The answer, nearest first; returns how many (at most k). */
size_t collector_finish(collector *c, geodisk_neighbour *out);

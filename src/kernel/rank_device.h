/* rank_device.h - what an evaluation and a search ask of a device (device.h): ranks to the bits of the kernels of rank.h, and
 * the nodes among which the nearest of a point are. */
#pragma once

#include "device.h"
#include "rank.h"
#include "rank_score.h"

/* Points in tiles as rank.h has them, all in one; numbers are float if `single`, else double. */
typedef struct rank_points {
  size_t nodes, dim;
  bool single;
  const void *tiles, *weights; /* whole groups */
  double near_square;          /* pairs with a smaller |x-y|^2 need a second look, which a device does not have; 0: none */
} rank_points;

typedef struct rank_sources {
  size_t count;
  const uint32_t *node;    /* each has positives */
  const uint64_t *offsets; /* rows of positives, nodes + 1; targets ascending */
  const uint32_t *targets;
  const uint64_t *known_offsets; /* or NULL */
  const uint32_t *known;
  bool gensim; /* its definition of a rank */
  /* For the exact loss: count numbers 1/S, and how s = q/S gives a distance (rank.h); NULL: without. */
  const double *scale;
  rank_distance kind;
  double unit;
} rank_sources;

/* Points as rows, with their gaps and weights, for searches: products are |x-y|^2 weight(y), as in src/vectors/collect.h. */
typedef struct near_points {
  size_t nodes, dim;
  bool hyperbolic;
  double radius, curvature; /* of the ball */
  const double *x;          /* nodes x dim */
  const double *gap, *weights;
} near_points;

/* Points that are asked about. */
typedef struct near_questions {
  size_t count, k;      /* 1 <= k <= NEAR_MOST, and there are more than k points */
  const double *x;      /* count x dim */
  const double *gap;    /* count */
  const double *slack;  /* count: how far places may be from coordinates, its own and the points' */
  const uint32_t *self; /* count: a node that is no answer, or UINT32_MAX */
  double relative;      /* bound of the relative error of a product */
} near_questions;

/* The most answers to a question. */
enum { NEAR_MOST = 32 };

typedef struct near_answer {
  uint32_t node;
  double distance; /* the accurate one */
} near_answer;

typedef struct rank_device {
  /* The figures of all sources; losses only up to rounding, since e^-d is summed in another order. close[i] becomes 1 where
   * points need a second look: out[i] is not to be used. */
  geodisk_status (*rank)(const rank_points *points, const rank_sources *sources, rank_record *out, uint8_t *close,
                         char why[DEVICE_TEXT]);
} rank_device;

/* Searches: of each question the k nearest from out[i * k] on, nearest first, of equally near ones the smaller number first; and
 * found[i] = k, or 0 where too many came into question. Several threads may ask at once. */
typedef struct near_device {
  geodisk_status (*open)(const near_points *points, void **out, char why[DEVICE_TEXT]);
  geodisk_status (*ask)(const void *own, const near_questions *questions, near_answer *out, uint32_t *found,
                        char why[DEVICE_TEXT]);
  void (*close)(void *own);
} near_device;

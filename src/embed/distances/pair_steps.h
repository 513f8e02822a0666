/* pair_steps.h - points moved pair by pair towards the lengths between them: a tournament in which everybody meets everybody. */
#pragma once

#include "geodisk/embed.h"

/* Points and the lengths between them, in an order drawn at random, so that the first ones are a sample of all. */
typedef struct pair_points {
  geodisk_context *context;
  int dim;
  bool flat;
  size_t nodes, count;  /* how many there are, and how many of them, the first ones, take part */
  const float *lengths; /* nodes x nodes; pairs whose length is not positive and finite do not count */
  double *rows;         /* nodes x (dim + 1): coordinates and gap; gaps of flat space stay as they are */
  uint32_t *blocks;     /* room for the order of blocks: (nodes + 31) / 32 + 1 */
  uint64_t seed;
} pair_points;

/* How a pair moves: towards the distance `curve` times its length. */
typedef struct pair_rule {
  geodisk_stress stress;
  double curve;
  double heat;  /* in units of squared length: at first large, at last near 0 */
  bool squares; /* of the errors, relative to the length, are made small; else their sizes */
} pair_rule;

/* Every pair once: both points go along the geodesic through them. Blocks of 32 points meet in rounds, in an order drawn for the
 * epoch; within a round no point is in two blocks: the same bytes on any number of threads. */
void embed_pair_epoch(const pair_points *p, const pair_rule *rule, uint64_t epoch);

/* A point that is none of them against those that take part, which stay: its length to number i is
 * lengths[sources[i] * stride]. */
void embed_point_epoch(const pair_points *p, const pair_rule *rule, const double *lengths, size_t stride, const uint32_t *sources,
                       double *x);

/* Whether a length counts. */
static inline bool embed_counts(double length) { return length > 0.0 && length < 1e300; }

/* Every point `factor` times as far from the origin. */
void embed_stretch(const pair_points *p, double factor);

/* Of two rows; and |x - y|^2. */
double embed_distance_between(int dim, bool flat, const double *x, const double *y, double *square);

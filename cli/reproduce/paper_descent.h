/* paper_descent.h - the paper's descent, edge by edge, in plain double (paper_descent.c). */
#pragma once

#include <geodisk/geodisk.h>

enum { PAPER_MOST_DIM = 5 };

typedef struct paper_points {
  geodisk_ball ball; /* of radius 1 */
  size_t nodes;
  double *x, *gap;        /* nodes x dim, nodes; one block with the next two */
  double *moved, *weight; /* of one step: where points go; e^-d, and then their new gaps */
} paper_points;

/* Points uniform in the cube of half-side 0.001; false: no memory. */
bool paper_points_start(paper_points *at, size_t nodes, int dim, uint64_t seed);
void paper_points_end(paper_points *at);

typedef struct paper_step {
  geodisk_update update;
  double rate;
  uint32_t u, v;
  const uint32_t *others; /* different, none of them u or v */
  size_t n_others;
  bool complement; /* the paper's denominator; else gensim's */
} paper_step;

/* One step; returns the loss before it. Points with their gaps stay in the ball; numbers that are not finite stay what they are.
 */
double paper_edge_step(paper_points *at, const paper_step *s);

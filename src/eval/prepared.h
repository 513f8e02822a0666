/* prepared.h - points made ready for the ranking kernels, inside the unit ball, and tiles of them turned into columns.
 *
 * A kernel computes q(u, y) = |x_u - y|^2 / S(y), which for one u orders as the distance does, and d = f(q / S(u)). Points given
 * as (x, gap) mean what ball.h says: deeper than S = R^2/2 the gap tells the radius and x the direction, so such rows are moved
 * along their ray to where the gap puts them. What even this cannot resolve, pairs of deep points in nearly the same direction,
 * gets a second look (prepared_fix_near). */
#pragma once

#include "geodisk/eval.h"
#include "kernel/rank.h"

typedef struct prepared {
  geodisk_eval_points points;
  size_t dim;
  double *factor;     /* nodes: what a row is multiplied by */
  double *weight;     /* nodes: 1/S in the unit ball; 1 in Euclidean space */
  rank_distance kind; /* how q gives d */
  double unit;        /* d = unit times the distance in the unit ball of curvature -1, or in the scaled flat space */
  double near_square; /* pairs of points whose |x-y|^2 is below this need a second look; 0: none */
  bool single_fits;   /* no gap is too small for single precision */
  double largest;     /* flat space: the largest coordinate, from which the scale follows */
} prepared;

/* Checks the points and fills `out`. ARGUMENT, NUMERIC, MEMORY. */
geodisk_status prepared_create(geodisk_context *context, const geodisk_eval_points *points, prepared *out);
void prepared_destroy(prepared *p);

/* In flat space, scales the points as those of a larger set, of which they are a part, with this largest coordinate. NUMERIC. */
geodisk_status prepared_rescale(geodisk_context *context, prepared *p, double largest);

/* How many points a tile of these points shall hold: as many as stay in the first-level cache, a multiple of the group size. */
size_t prepared_tile_points(const prepared *p, size_t bytes_per_number);

/* A row as it is stored, widened; its gap as given (NaN if there is none). */
void prepared_row(const prepared *p, size_t node, double *x /* dim */, double *gap);

/* Columns of n points into y (whole groups; what is left of the last one is zero, with weight 1) and their weights into w. ids
 * NULL: the points first .. first + n - 1, else ids[0..n). */
void prepared_tile(const prepared *p, size_t n, size_t first, const uint32_t *ids, double *y, double *w);
void prepared_tilef(const prepared *p, size_t n, size_t first, const uint32_t *ids, float *y, float *w);

/* One source as column s of a group of RANK_SOURCES. */
void prepared_source(const prepared *p, size_t node, size_t s, double *x /* dim x RANK_SOURCES */);
void prepared_sourcef(const prepared *p, size_t node, size_t s, float *x);

/* The second look: corrects the q of those of the n points of a tile that are nearer to node u of `own` than near_square. self:
 * which point of p is that node, or SIZE_MAX. scratch: 2 dim. */
void prepared_fix_near(const prepared *p, const prepared *own, size_t u, size_t self, size_t n, size_t first, const uint32_t *ids,
                       double *q, double *scratch);

/* d from q / S(u), in double. */
double prepared_distance(const prepared *p, double q_over_gap);

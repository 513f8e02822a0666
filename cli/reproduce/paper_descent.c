/* paper_descent.c - the paper's embedding as its text has it: one edge u -> v at a time, and some nodes m without an edge from u,
 *
 *     L = d(u,v) + log( Z ),   Z = sum over m of e^-d(u,m), and 1 for u itself (the paper's formula) or e^-d(u,v) (gensim's),
 *
 * every point moved by one of the three updates against its gradient. The trainer of the library does the same a hundred times
 * faster, but goes through the edges in an order of its own; here they are drawn uniformly. */
#include "paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool paper_points_start(paper_points *at, size_t nodes, int dim, uint64_t seed) {
  const size_t row = (size_t)dim;
  geodisk_random start = geodisk_random_stream(seed, 0);
  *at = (paper_points){.ball = geodisk_unit_ball(dim), .nodes = nodes};
  at->x = geodisk_allocate(2 * nodes * (row + 1), sizeof *at->x);
  if (at->x == NULL)
    return false;
  at->moved = at->x + nodes * row;
  at->gap = at->moved + nodes * row;
  at->distance = at->gap + nodes;
  for (size_t i = 0; i < nodes * row; i++)
    at->x[i] = 0.001 * (2 * geodisk_random_uniform(&start) - 1);
  for (size_t i = 0; i < nodes; i++)
    at->gap[i] = geodisk_gap(&at->ball, at->x + i * row);
  return true;
}

void paper_points_end(paper_points *at) {
  free(at->x);
  at->x = NULL;
}

/* Moves m against `pull` times the gradient of d(u, m), and adds the same for u to `along`. The slot holds log_u(m), and then
 * where m goes; its distance becomes the new gap. */
static void move_one(paper_points *at, const paper_step *s, size_t slot, uint32_t m, double pull, double *along) {
  const size_t row = (size_t)at->ball.dim;
  const double *x = at->x + m * row, factor = s->rate * pull / at->distance[slot];
  double *to = at->moved + slot * row, step[PAPER_MOST_DIM];
  geodisk_log_gap(&at->ball, x, at->gap[m], at->x + s->u * row, at->gap[s->u], step); /* log / d: the unit tangent to the other */
  for (size_t i = 0; i < row; i++) {
    along[i] += factor * to[i];
    step[i] *= factor;
  }
  geodisk_update_point(&at->ball, s->update, GEODISK_DEFAULT_MARGIN, x, at->gap[m], step, to, &at->distance[slot]);
}

/* log_u(m) into a slot, and its length, which is the distance. */
static double look_at(paper_points *at, uint32_t u, uint32_t m, size_t slot) {
  const size_t row = (size_t)at->ball.dim;
  double *to = at->moved + slot * row, square = 0;
  geodisk_log_gap(&at->ball, at->x + u * row, at->gap[u], at->x + m * row, at->gap[m], to);
  for (size_t i = 0; i < row; i++)
    square += to[i] * to[i];
  return 2 * sqrt(square) / at->gap[u];
}

double paper_edge_step(paper_points *at, const paper_step *s) {
  const size_t row = (size_t)at->ball.dim;
  double along[PAPER_MOST_DIM] = {0}, sum = 0;
  /* Slot 0 is v, the others follow. All pulls come from the points before the step. */
  for (size_t k = 0; k <= s->n_others; k++) {
    at->distance[k] = look_at(at, s->u, k == 0 ? s->v : s->others[k - 1], k);
    sum += k > 0 ? exp(-at->distance[k]) : s->complement ? 1 : exp(-at->distance[0]);
  }
  const double loss = at->distance[0] + log(sum);
  for (size_t k = 0; k <= s->n_others; k++) {
    const uint32_t m = k == 0 ? s->v : s->others[k - 1];
    const double share = exp(-at->distance[k]) / sum, pull = k > 0 ? -share : s->complement ? 1 : 1 - share;
    if (at->distance[k] > 0) {
      move_one(at, s, k, m, pull, along);
    } else { /* two points in one place: there is no direction */
      memcpy(at->moved + k * row, at->x + m * row, row * sizeof *at->x);
      at->distance[k] = at->gap[m];
    }
  }
  geodisk_update_point(&at->ball, s->update, GEODISK_DEFAULT_MARGIN, at->x + s->u * row, at->gap[s->u], along, at->x + s->u * row,
                       &at->gap[s->u]);
  for (size_t k = 0; k <= s->n_others; k++) {
    const uint32_t m = k == 0 ? s->v : s->others[k - 1];
    memcpy(at->x + m * row, at->moved + k * row, row * sizeof *at->x);
    at->gap[m] = at->distance[k];
  }
  return loss;
}

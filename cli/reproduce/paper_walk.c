/* paper_walk.c - stochastic descent on d(p, q0)^2 + d(p, q1)^2 for q0 = (0, 0) and q1 = (1 - 1e-8, 0), one of the two squared
 * distances at a time, by the three updates. */
#include "paper_walk.h"

enum { DIM = PAPER_WALK_DIM };

const char *const paper_walk_rules[PAPER_WALK_RULES] = {"geodesic", "natural", "euclidean", "geodesic-plane", "natural-plane"};
const double paper_walk_rates[PAPER_WALK_RATES] = {0.0001, 0.01, 0.02, 0.05, 0.1, 0.2};
static const double second[DIM] = {1 - 1e-8, 0}, range = 0.001, near_share = 0.05;

paper_walker paper_walker_start(int rule, int rate, uint64_t seed) {
  paper_walker w = {.ball = geodisk_unit_ball(DIM),
                    .rule = (geodisk_update)(rule % PAPER_WALK_DRAWN),
                    .rate = paper_walk_rates[rate],
                    .anchors = {{0, 0}}};
  geodisk_random start = geodisk_random_stream(seed, 0);
  for (int d = 0; d < DIM; d++) {
    w.anchors[1][d] = second[d];
    w.x[d] = d == 0 || rule >= PAPER_WALK_DRAWN ? range * (2 * geodisk_random_uniform(&start) - 1) : 0;
  }
  for (int i = 0; i < 2; i++)
    w.gaps[i] = geodisk_gap(&w.ball, w.anchors[i]);
  w.gap = geodisk_gap(&w.ball, w.x);
  w.optimum = geodisk_distance(&w.ball, w.anchors[0], w.anchors[1]) / 2;
  for (int i = 0; i < 2; i++)
    w.near_gap[i] = geodisk_gap_from_radius(&w.ball, w.optimum * (1 + (i == 0 ? near_share : -near_share)));
  w.random = geodisk_random_stream(seed, 1 + (uint64_t)rate);
  return w;
}

/* One step against the gradient of d(p, q)^2, -2 log_p(q), for one of the anchors. */
void paper_walker_step(paper_walker *w) {
  double v[DIM];
  const uint32_t i = geodisk_random_bits32(&w->random) & 1;
  geodisk_log_gap(&w->ball, w->x, w->gap, w->anchors[i], w->gaps[i], v);
  for (int d = 0; d < DIM; d++)
    v[d] *= 2 * w->rate;
  w->clipped = geodisk_update_point(&w->ball, w->rule, GEODISK_MARGIN_DEFAULT, w->x, w->gap, v, w->x, &w->gap);
}

double paper_walker_offset(const paper_walker *w) { return geodisk_radius_from_gap(&w->ball, w->gap) - w->optimum; }

double paper_walker_loss(const paper_walker *w) {
  const double a = geodisk_distance_gap(&w->ball, w->x, w->gap, w->anchors[0], w->gaps[0]);
  const double b = geodisk_distance_gap(&w->ball, w->x, w->gap, w->anchors[1], w->gaps[1]);
  return a * a + b * b;
}

bool paper_walker_is_near(const paper_walker *w) { return w->gap >= w->near_gap[0] && w->gap <= w->near_gap[1]; }

double paper_walk_clips_at(void) {
  const paper_walker w = paper_walker_start(0, 0, 0);
  const double x = geodisk_euclidean_from_radius(&w.ball, w.optimum), gap = geodisk_gap_from_radius(&w.ball, w.optimum);
  return (1 - GEODISK_MARGIN_DEFAULT - x) / (w.optimum * gap); /* a step of 2 rate d, times gap / 2 in coordinates */
}

/* test_cli_descent.c - a step of the paper's descent, which `geodisk reproduce` takes in plain double, against the same step made
 * of the library's log and update rules; at all depths, for the three updates and both losses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reproduce/paper_descent.h"

enum { NODES = 12, OTHERS = 10 };

static const uint32_t others[OTHERS] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/* The step by the library: gradients of distances are unit tangents, -log / d. */
static double step_by_library(const paper_points *at, const paper_step *s, double x[NODES][PAPER_MOST_DIM], double *gap) {
  const size_t row = (size_t)at->ball.dim;
  const double *u = at->x + s->u * row;
  double distance[OTHERS + 1], sum = 0, along[PAPER_MOST_DIM] = {0};
  for (size_t k = 0; k <= OTHERS; k++) {
    const uint32_t m = k == 0 ? s->v : s->others[k - 1];
    distance[k] = geodisk_distance_gap(&at->ball, u, at->gap[s->u], at->x + m * row, at->gap[m]);
    sum += k == 0 && s->complement ? 1 : exp(-distance[k]);
  }
  for (size_t k = 0; k <= OTHERS; k++) {
    const uint32_t m = k == 0 ? s->v : s->others[k - 1];
    const double share = exp(-distance[k]) / sum, pull = k > 0 ? -share : s->complement ? 1 : 1 - share;
    double there[PAPER_MOST_DIM], back[PAPER_MOST_DIM];
    geodisk_log_gap(&at->ball, u, at->gap[s->u], at->x + m * row, at->gap[m], there);
    geodisk_log_gap(&at->ball, at->x + m * row, at->gap[m], u, at->gap[s->u], back);
    for (size_t i = 0; i < row; i++) {
      along[i] += s->rate * pull / distance[k] * there[i];
      back[i] *= s->rate * pull / distance[k];
    }
    geodisk_update_point(&at->ball, s->update, GEODISK_MARGIN_DEFAULT, at->x + m * row, at->gap[m], back, x[m], &gap[m]);
  }
  geodisk_update_point(&at->ball, s->update, GEODISK_MARGIN_DEFAULT, u, at->gap[s->u], along, x[s->u], &gap[s->u]);
  return distance[0] + log(sum);
}

/* Points within a distance of the centre, one of them at it; returns the largest hyperbolic difference over all of a step. */
static double worst_difference(int dim, geodisk_update update, double depth, double rate, bool complement, uint64_t seed) {
  const paper_step step = {update, rate, 0, 1, others, OTHERS, complement};
  geodisk_random random = geodisk_random_stream(seed, 7);
  paper_points at;
  double x[NODES][PAPER_MOST_DIM], gap[NODES], worst = 0;
  assert_true(paper_points_start(&at, NODES, dim, seed));
  for (uint32_t i = 0; depth > 0 && i < NODES; i++)
    geodisk_random_in_ball(&at.ball, &random, depth, at.x + i * (size_t)dim, &at.gap[i]);
  const double loss = step_by_library(&at, &step, x, gap), own = paper_edge_step(&at, &step);
  assert_true(fabs(loss - own) <= 1e-13 * (1 + fabs(loss)));
  for (uint32_t i = 0; i < NODES; i++)
    worst = fmax(worst, geodisk_distance_gap(&at.ball, x[i], gap[i], at.x + i * (size_t)dim, at.gap[i]));
  paper_points_end(&at);
  return worst;
}

/* One unit of 2^-53 in x is e^depth / 2 of them as a distance; a geodesic step of length 2 adds to the depth. The natural and the
 * Euclidean update forget the gap, so that at the boundary of 1e-10 their points are where x is, to 2^-53 / 1e-10. The Euclidean
 * one goes far out of the disk before it is put there, in the direction of a sum of pulls, which cancel the more the deeper u is.
 */
static void steps_are_the_librarys(void **state) {
  (void)state;
  for (int dim = 2; dim <= PAPER_MOST_DIM; dim += 3)
    for (int update = 0; update < 3; update++)
      for (int depth = 0; depth <= (update == GEODISK_UPDATE_EUCLIDEAN ? 6 : 30); depth += 3)
        for (int k = 0; k < 6; k++) {
          const double rate = k < 3 ? 0.05 : 2, far = depth + (k < 3 ? 0.5 : 6);
          const double bound = (update == 2 ? 1024 : 64) * 0x1p-53 * exp(update == 0 ? far : fmax(far, 24));
          const double worst = worst_difference(dim, (geodisk_update)update, depth, rate, k % 2 == 0, (uint64_t)k);
          if (!(worst <= bound))
            print_error("dim %d, update %d, depth %d, rate %g: %g above %g\n", dim, update, depth, rate, worst, bound);
          assert_true(worst <= bound);
        }
}

static void points_in_one_place_stay(void **state) {
  (void)state;
  const paper_step step = {GEODISK_UPDATE_GEODESIC, 1, 0, 1, others, OTHERS, false};
  paper_points at;
  assert_true(paper_points_start(&at, NODES, 2, 0));
  for (size_t i = 0; i < NODES; i++) {
    memcpy(at.x + 2 * i, (const double[]){0.25, 0.5}, 2 * sizeof *at.x);
    at.gap[i] = 0.6875;
  }
  assert_true(fabs(paper_edge_step(&at, &step) - log(11)) < 1e-15);
  for (size_t i = 0; i < NODES; i++)
    assert_true(at.x[2 * i] == 0.25 && at.x[2 * i + 1] == 0.5 && at.gap[i] == 0.6875);
  paper_points_end(&at);
}

/* Gap and x of a point that walks for long stay two views of one depth. */
static void gaps_stay_true(void **state) {
  (void)state;
  paper_points at;
  geodisk_random random = geodisk_random_stream(3, 9);
  assert_true(paper_points_start(&at, NODES, 2, 0));
  for (int t = 0; t < 20000; t++) {
    uint32_t deck[NODES];
    for (uint32_t i = 0; i < NODES; i++) {
      const uint32_t j = (uint32_t)geodisk_random_below(&random, i + 1);
      deck[i] = deck[j];
      deck[j] = i;
    }
    const paper_step step = {GEODISK_UPDATE_GEODESIC, 1, deck[0], deck[1], deck + 2, OTHERS, false};
    paper_edge_step(&at, &step);
  }
  for (size_t i = 0; i < NODES; i++)
    assert_true(fabs(geodisk_gap(&at.ball, at.x + 2 * i) - at.gap[i]) <= 8 * 0x1p-53);
  paper_points_end(&at);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_the_librarys),
      cmocka_unit_test(points_in_one_place_stay),
      cmocka_unit_test(gaps_stay_true),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

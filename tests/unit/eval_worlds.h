/* eval_worlds.h - random points and graphs for tests of the ranking. */
#ifndef GEODISK_EVAL_WORLDS_H
#define GEODISK_EVAL_WORLDS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/eval.h"

enum { MOST_NODES = 500, MOST_DIM = 40 };

typedef struct world {
  geodisk_eval_points points;
  double x[MOST_NODES * MOST_DIM], gap[MOST_NODES];
  float xf[MOST_NODES * MOST_DIM], gapf[MOST_NODES];
  geodisk_graph *graph, *known_graph;
  geodisk_relation *positives, *known;
} world;

static inline geodisk_graph *random_graph(geodisk_random *random, size_t nodes, size_t edges, bool hubs) {
  uint32_t *ends = test_malloc(2 * (edges + 1) * sizeof *ends);
  for (size_t e = 0; e < edges; e++) {
    const double u = geodisk_random_uniform(random), v = geodisk_random_uniform(random);
    ends[e] = (uint32_t)((hubs ? u * u : u) * (double)nodes); /* squares: some have many edges, many none */
    ends[edges + e] = (uint32_t)(v * (double)nodes);
  }
  const geodisk_graph_arrays arrays = {.nodes = nodes, .edges = edges, .children = ends, .parents = ends + edges};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  test_free(ends);
  return graph;
}

/* Random points, some of them equal, and a random graph; space, storage, dim and depth vary with `round`. */
static inline world *make_world(int round) {
  world *w = test_calloc(1, sizeof *w);
  geodisk_random random = geodisk_random_stream(77, (uint64_t)round);
  const size_t nodes = 2 + (size_t)geodisk_random_below(&random, round % 5 == 0 ? MOST_NODES - 2 : 150);
  static const int dims[] = {1, 2, 3, 5, 10, 17, 40};
  geodisk_ball ball = geodisk_unit_ball(dims[round % 7]);
  if (round % 6 == 3)
    ball = (geodisk_ball){ball.dim, 2.5, 0.3};
  const bool flat = round % 6 == 4, single = round % 4 == 1;
  const double depth = 1.0 + 5.0 * geodisk_random_uniform(&random);
  for (size_t i = 0; i < nodes; i++) {
    double *x = w->x + i * (size_t)ball.dim;
    geodisk_random_in_ball(&ball, &random, depth / sqrt(ball.curvature), x, &w->gap[i]);
    if (i > 0 && geodisk_random_below(&random, 8) == 0) /* a copy of an older point */
      memcpy(x, w->x + geodisk_random_below(&random, i) * (size_t)ball.dim, (size_t)ball.dim * sizeof *x);
    for (int c = 0; c < ball.dim; c++) {
      w->xf[i * (size_t)ball.dim + (size_t)c] = (float)x[c];
      if (single)
        x[c] = (double)(float)x[c]; /* what is compared with must know the same numbers */
    }
    w->gap[i] = geodisk_gap(&ball, x);
    w->gapf[i] = (float)w->gap[i];
  }
  w->points = (geodisk_eval_points){.nodes = nodes,
                                    .ball = ball,
                                    .space = flat ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC,
                                    .precision = single ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE,
                                    .vectors = single ? (void *)w->xf : (void *)w->x};
  if (round % 3 == 0)
    w->points.gap = single ? (void *)w->gapf : (void *)w->gap;
  w->graph = random_graph(&random, nodes, (size_t)geodisk_random_below(&random, 3 * nodes) + 2 * nodes, true);
  w->known_graph = random_graph(&random, nodes, nodes, true);
  assert_int_equal(geodisk_relation_create_plain(NULL, w->graph, nodes, &w->positives), GEODISK_OK);
  assert_int_equal(geodisk_relation_create_plain(NULL, w->known_graph, nodes, &w->known), GEODISK_OK);
  return w;
}

static inline void destroy_world(world *w) {
  geodisk_relation_destroy(w->positives);
  geodisk_relation_destroy(w->known);
  geodisk_graph_destroy(w->graph);
  geodisk_graph_destroy(w->known_graph);
  test_free(w);
}

#endif

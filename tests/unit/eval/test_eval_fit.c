/* test_eval_fit.c - distances of graph and points: a chain that is kept exactly, closures, directions, weights, missing nodes,
 * samples, threads, errors. (tests/eval compares with scipy.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/eval.h"

enum { MOST = 400, DIM = 3 };

typedef struct forest {
  geodisk_graph *graph;
  geodisk_relation *relation;
  geodisk_eval_points points;
  double x[MOST * DIM], gap[MOST];
} forest;

static geodisk_graph *graph_of(size_t nodes, size_t edges, const uint32_t *child, const uint32_t *parent, const double *weights) {
  const geodisk_graph_arrays arrays = {.nodes = nodes, .edges = edges, .children = child, .parents = parent, .weights = weights};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  return graph;
}

/* A random tree, each child a random step away from its parent. */
static forest *make_tree(size_t nodes, uint64_t seed) {
  forest *f = test_calloc(1, sizeof *f);
  geodisk_random random = geodisk_random_stream(seed, 9);
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  uint32_t child[MOST], parent[MOST];
  for (size_t i = 0; i < nodes; i++) {
    double *x = f->x + i * DIM, v[DIM];
    if (i > 0) {
      child[i - 1] = (uint32_t)i;
      parent[i - 1] = (uint32_t)geodisk_random_below(&random, i);
      const double *p = f->x + parent[i - 1] * DIM;
      double norm = 0.0;
      for (int c = 0; c < DIM; c++) {
        v[c] = geodisk_random_normal(&random) + 2.0 * p[c];
        norm += v[c] * v[c];
      }
      const double length = (1.0 + geodisk_random_uniform(&random)) / geodisk_metric_factor(&ball, p);
      for (int c = 0; c < DIM; c++)
        v[c] *= length / sqrt(norm);
      geodisk_exp(&ball, p, v, x);
    }
    f->gap[i] = geodisk_gap(&ball, x);
  }
  f->graph = graph_of(nodes, nodes - 1, child, parent, NULL);
  f->points = (geodisk_eval_points){.nodes = nodes, .ball = ball, .vectors = f->x, .gap = f->gap};
  assert_int_equal(geodisk_relation_create_plain(NULL, f->graph, nodes, &f->relation), GEODISK_OK);
  return f;
}

static void destroy_tree(forest *f) {
  geodisk_relation_destroy(f->relation);
  geodisk_graph_destroy(f->graph);
  test_free(f);
}

static void near_to(const char *what, double got, double expected, double bound) {
  if (!(fabs(got - expected) <= bound))
    fail_msg("%s: %.17g, expected %.17g", what, got, expected);
}

/* Nodes at distances 0, 1, 2, ... on a ray, far deeper than coordinates tell: graph distances are kept, to 2^-26 (prepared.c). */
static void chain(void **state) {
  (void)state;
  enum { N = 60 };
  const geodisk_ball ball = {2, 3.0, 4.0}; /* curvature -4: lengths halve */
  double x[2 * N], gap[N];
  uint32_t child[N], parent[N];
  for (size_t i = 0; i < N; i++) {
    const double radius = (double)i;
    gap[i] = geodisk_gap_from_radius(&ball, radius);
    x[2 * i] = 0.8 * fmin(geodisk_euclidean_from_radius(&ball, radius), 3.0 * (1.0 - 0x1p-52));
    x[2 * i + 1] = -0.75 * x[2 * i];
    child[i] = (uint32_t)i + 1;
    parent[i] = (uint32_t)i;
  }
  geodisk_graph *graph = graph_of(N, N - 1, child, parent, NULL), *closed = NULL;
  assert_int_equal(geodisk_graph_closure(NULL, graph, NULL, &closed), GEODISK_OK);
  const geodisk_eval_points points = {.nodes = N, .ball = ball, .vectors = x, .gap = gap};
  for (int round = 0; round < 4; round++) {
    geodisk_relation *relation = NULL;
    geodisk_fit fit;
    const geodisk_fit_options options = {.directed = round >= 2};
    assert_int_equal(geodisk_relation_create_plain(NULL, round % 2 == 0 ? graph : closed, N, &relation), GEODISK_OK);
    assert_int_equal(geodisk_eval_fit(NULL, &points, relation, &options, &fit), GEODISK_OK);
    assert_int_equal(fit.pairs, N * (N - 1) / 2);
    assert_int_equal(fit.unreachable, round >= 2 ? N * (N - 1) / 2 : 0);
    assert_int_equal(fit.nodes, N);
    assert_true(fit.reduced);
    near_to("distortion", fit.distortion_mean.value, 0.0, 1e-9);
    near_to("scaled", fit.distortion_scaled.value, 0.0, 1e-9);
    near_to("scale", fit.scale, 1.0, 1e-8);
    near_to("worst", fit.distortion_worst, 1.0, 1e-8);
    assert_true(fit.kendall_tau.value > 0.96); /* equal distances differ in the last digit: no ties there */
    assert_true(fit.spearman.value > 0.998);
    near_to("depth", fit.depth_radius, 1.0, 1e-15);
    assert_int_equal(fit.depth_nodes, N);
    geodisk_relation_destroy(relation);
  }
  /* the closure as it is: every distance is 1 */
  geodisk_relation *relation = NULL;
  geodisk_fit fit;
  const geodisk_fit_options options = {.as_given = true};
  assert_int_equal(geodisk_relation_create_plain(NULL, closed, N, &relation), GEODISK_OK);
  assert_int_equal(geodisk_eval_fit(NULL, &points, relation, &options, &fit), GEODISK_OK);
  assert_true(isnan(fit.kendall_tau.value) && !fit.reduced);
  near_to("worst", fit.distortion_worst, N - 1, 1e-6);
  geodisk_relation_destroy(relation);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(closed);
}

/* a - b - c with weights 2 and 3, and d apart; flat points at 0, 4, 10. */
static void weights_and_flat_space(void **state) {
  (void)state;
  const uint32_t child[] = {0, 1}, parent[] = {1, 2};
  const double weights[] = {2, 3}, x[] = {0, 4, 10, 77};
  geodisk_graph *graph = graph_of(4, 2, child, parent, weights);
  geodisk_relation *relation = NULL;
  const geodisk_eval_points points = {.nodes = 4, .ball = geodisk_unit_ball(1), .space = GEODISK_SPACE_EUCLIDEAN, .vectors = x};
  const geodisk_fit_options options = {.weighted = true};
  geodisk_fit fit;
  assert_int_equal(geodisk_relation_create_plain(NULL, graph, 4, &relation), GEODISK_OK);
  assert_int_equal(geodisk_eval_fit(NULL, &points, relation, &options, &fit), GEODISK_OK);
  assert_int_equal(fit.pairs, 3);
  assert_int_equal(fit.unreachable, 3);
  near_to("tau", fit.kendall_tau.value, 1.0, 1e-15);
  near_to("distortion", fit.distortion_mean.value, 1.0, 1e-15); /* all distances are twice as long */
  near_to("scaled", fit.distortion_scaled.value, 0.0, 1e-15);
  near_to("scale", fit.scale, 0.5, 1e-15);
  near_to("worst", fit.distortion_worst, 1.0, 1e-15);
  assert_int_equal(fit.depth_nodes, 3); /* d is no root: it has nothing below */
  near_to("depth", fit.depth_radius, -1.0, 1e-15);
  assert_int_equal(geodisk_eval_fit(NULL, &points, relation, NULL, &fit), GEODISK_OK);
  near_to("distortion by edges", fit.distortion_mean.value, (3.0 + 5.0 + 4.0) / 3.0, 1e-14);
  geodisk_relation_destroy(relation);
  geodisk_graph_destroy(graph);
}

static void threads_and_storage(void **state) {
  (void)state;
  forest *f = make_tree(150, 3);
  geodisk_fit first = {0}, fit = {0};
  const geodisk_fit_options sample = {.sample = 50, .pairs = 2000, .seed = 5};
  for (int round = 0; round < 2; round++) {
    const geodisk_fit_options *options = round == 0 ? NULL : &sample;
    memset(&first, 0, sizeof first);
    assert_int_equal(geodisk_eval_fit(NULL, &f->points, f->relation, options, &first), GEODISK_OK);
    assert_int_equal(first.pairs, round == 0 ? 150 * 149 / 2 : 2000);
    for (int threads = 1; threads <= 5; threads++) {
      geodisk_context *context = NULL;
      memset(&fit, 0, sizeof fit);
      assert_int_equal(geodisk_context_create(threads, &context), GEODISK_OK);
      assert_int_equal(geodisk_eval_fit(context, &f->points, f->relation, options, &fit), GEODISK_OK);
      assert_memory_equal(&first, &fit, sizeof fit);
      geodisk_context_destroy(context);
    }
  }
  /* floats, and rows that lie apart, give the same but for rounding */
  float *rows = test_calloc(150 * 8, sizeof *rows), gap[150];
  for (size_t i = 0; i < 150; i++) {
    gap[i] = (float)f->gap[i];
    for (size_t c = 0; c < DIM; c++)
      rows[i * 8 + c] = (float)f->x[i * DIM + c];
  }
  const geodisk_eval_points points = {.nodes = 150,
                                      .ball = f->points.ball,
                                      .precision = GEODISK_PRECISION_FLOAT,
                                      .vectors = rows,
                                      .vectors_stride = 8,
                                      .gap = gap};
  assert_int_equal(geodisk_eval_fit(NULL, &f->points, f->relation, NULL, &first), GEODISK_OK);
  assert_int_equal(geodisk_eval_fit(NULL, &points, f->relation, NULL, &fit), GEODISK_OK);
  near_to("tau in float", fit.kendall_tau.value, first.kendall_tau.value, 1e-3);
  near_to("distortion in float", fit.distortion_mean.value, first.distortion_mean.value, 1e-4);
  test_free(rows);
  destroy_tree(f);
}

/* Of 200 intervals at 95 % between 176 and 200 hold the figure (a true share of 0.95 misses this once in 10^4); groups of first
 * nodes share their second nodes, so the intervals are not exactly that. */
static void samples(void **state) {
  (void)state;
  forest *f = make_tree(400, 4);
  geodisk_fit exact, fit;
  assert_int_equal(geodisk_eval_fit(NULL, &f->points, f->relation, NULL, &exact), GEODISK_OK);
  int held[4] = {0};
  for (uint64_t seed = 0; seed < 200; seed++) {
    const geodisk_fit_options options = {.sample = 80, .pairs = 4000, .seed = seed};
    assert_int_equal(geodisk_eval_fit(NULL, &f->points, f->relation, &options, &fit), GEODISK_OK);
    assert_int_equal(fit.pairs, 4000);
    const geodisk_estimate *got[] = {&fit.kendall_tau, &fit.spearman, &fit.distortion_mean, &fit.distortion_scaled};
    const double expected[] = {exact.kendall_tau.value, exact.spearman.value, exact.distortion_mean.value,
                               exact.distortion_scaled.value};
    for (int i = 0; i < 4; i++) {
      assert_true(got[i]->low < got[i]->value && got[i]->value < got[i]->high);
      held[i] += got[i]->low <= expected[i] && expected[i] <= got[i]->high;
    }
    assert_true(fit.distortion_worst <= exact.distortion_worst);
    assert_true(fit.depth_radius == exact.depth_radius);
  }
  for (int i = 0; i < 4; i++)
    if (held[i] < 176)
      fail_msg("figure %d: %d of 200 intervals hold it", i, held[i]);
  destroy_tree(f);
}

static bool stop(void *user, const geodisk_progress *progress) {
  (void)user;
  return progress->done < 20;
}

static void missing_and_errors(void **state) {
  (void)state;
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
  /* a - b - c - d in the graph, b not in the model: distances go through it all the same */
  static const char *const graph_names[] = {"a", "b", "c", "d"}, *const model_names[] = {"d", "c", "a"};
  const uint32_t child[] = {0, 1, 2}, parent[] = {1, 2, 3};
  const geodisk_graph_arrays arrays = {.nodes = 4, .names = graph_names, .edges = 3, .children = child, .parents = parent};
  const double x[] = {3, 2, 0};
  const geodisk_model_spec spec = {
      .nodes = 3, .ball = geodisk_unit_ball(1), .space = GEODISK_SPACE_EUCLIDEAN, .name_list = model_names, .vectors = x};
  geodisk_graph *graph = NULL;
  geodisk_model *model = NULL;
  geodisk_relation *relation = NULL;
  geodisk_eval_points points;
  geodisk_fit fit;
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_model_create(context, &spec, &model), GEODISK_OK);
  assert_int_equal(geodisk_relation_create(context, graph, model, true, NULL, &relation), GEODISK_OK);
  assert_int_equal(geodisk_eval_points_of_model(context, model, GEODISK_SPACE_EUCLIDEAN, &points), GEODISK_OK);
  assert_int_equal(geodisk_eval_fit(context, &points, relation, NULL, &fit), GEODISK_OK);
  assert_int_equal(fit.pairs, 3);
  near_to("distortion", fit.distortion_mean.value, 0.0, 1e-15);
  const geodisk_fit untouched = fit;
  points.nodes = 2;
  assert_int_equal(geodisk_eval_fit(context, &points, relation, NULL, &fit), GEODISK_ERROR_ARGUMENT);
  points.nodes = 3;
  assert_int_equal(geodisk_eval_fit(context, &points, NULL, NULL, &fit), GEODISK_ERROR_ARGUMENT);
  geodisk_relation_destroy(relation);
  geodisk_model_destroy(model);
  geodisk_graph_destroy(graph);

  graph = graph_of(3, 0, NULL, NULL, NULL);
  assert_int_equal(geodisk_relation_create_plain(context, graph, 3, &relation), GEODISK_OK);
  points.vectors = x;
  assert_int_equal(geodisk_eval_fit(context, &points, relation, NULL, &fit), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "no pair of the graph's nodes has a path between them");
  geodisk_relation_destroy(relation);
  geodisk_graph_destroy(graph);

  forest *f = make_tree(100, 1);
  const geodisk_fit_options small = {.sample = 39};
  assert_int_equal(geodisk_eval_fit(context, &f->points, f->relation, &small, &fit), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "40 at least"));
  geodisk_context_on_progress(context, stop, NULL);
  assert_int_equal(geodisk_eval_fit(context, &f->points, f->relation, NULL, &fit), GEODISK_ERROR_STOPPED);
  assert_memory_equal(&fit, &untouched, sizeof fit);
  destroy_tree(f);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chain), cmocka_unit_test(weights_and_flat_space),
                                     cmocka_unit_test(threads_and_storage), cmocka_unit_test(samples),
                                     cmocka_unit_test(missing_and_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

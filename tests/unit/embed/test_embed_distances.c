/* Points fitted to distances: what can be embedded is found again, trees are kept better in hyperbolic space than in flat space,
 * threads do not matter, and what there is of a stopped fit can be used. */
#include <math.h>

#include "embed_testing.h"

/* All distances of points: n x n. */
static double *distances_of(int dim, size_t n, const double *x, const double *gap) {
  const geodisk_ball ball = geodisk_unit_ball(dim);
  double *out = malloc(n * n * 8);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double square = 0.0;
      for (int k = 0; k < dim; k++)
        square += pow(x[i * (size_t)dim + (size_t)k] - x[j * (size_t)dim + (size_t)k], 2.0);
      out[i * n + j] = i == j ? 0.0
                       : gap  ? geodisk_distance_gap(&ball, x + i * (size_t)dim, gap[i], x + j * (size_t)dim, gap[j])
                              : sqrt(square);
    }
  return out;
}

static geodisk_graph *random_tree(uint32_t n, bool weighted) {
  uint32_t *child = malloc(n * 4), *parent = malloc(n * 4);
  double *weights = malloc(n * 8);
  geodisk_random random = geodisk_random_stream(5, 1);
  for (uint32_t u = 1; u < n; u++) {
    child[u - 1] = u;
    parent[u - 1] = (uint32_t)geodisk_random_below(&random, u);
    weights[u - 1] = 0.5 + geodisk_random_uniform(&random);
  }
  const geodisk_graph_arrays arrays = {
      .nodes = n, .edges = n - 1, .children = child, .parents = parent, .weights = weighted ? weights : NULL};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  free(child);
  free(parent);
  free(weights);
  return graph;
}

/* Distances of random points, to a thousandth, in both spaces, whatever is minimised. */
static void test_what_can_be_embedded_is_found_again(void **state) {
  (void)state;
  enum { N = 24, MOST = 5 };
  double x[N * MOST], gap[N], found[N * MOST], gaps[N];
  geodisk_random random = geodisk_random_stream(1, 2);
  for (int dim = 2; dim <= MOST; dim += 3)
    for (int flat = 0; flat < 2; flat++)
      for (int stress = 0; stress < (dim == 2 ? 2 : 1); stress++) {
        const geodisk_ball ball = geodisk_unit_ball(dim);
        for (size_t i = 0; i < N; i++) {
          geodisk_random_in_ball(&ball, &random, 4.0, x + i * (size_t)dim, &gap[i]);
          for (size_t k = 0; k < (size_t)dim && flat; k++)
            x[i * (size_t)dim + k] = geodisk_random_normal(&random);
        }
        double *lengths = distances_of(dim, N, x, flat ? NULL : gap);
        const geodisk_distances d = {N, N, NULL, lengths};
        const geodisk_distance_options o = {
            .dim = dim, .space = flat ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC, .stress = (geodisk_stress)stress};
        geodisk_distance_result r;
        assert_int_equal(geodisk_fit_distances(NULL, &d, &o, found, gaps, &r), GEODISK_OK);
        if (!(r.mean < 1e-3 && r.squared < 2e-3 && r.pairs == N * (N - 1) / 2))
          fail_msg("dim %d, %s, stress %d: distortion %g, squared %g", dim, flat ? "flat" : "hyperbolic", stress, r.mean,
                   r.squared);
        double *now = distances_of(dim, N, found, flat ? NULL : gaps), mean = 0.0, worst = 0.0, least = 1e9;
        for (size_t i = 0; i < N * N; i++) /* what it says is what there is */
          if (lengths[i] > 0.0) {
            const double ratio = now[i] / lengths[i];
            mean += fabs(r.scale * ratio - 1.0) / (N * (N - 1));
            worst = fmax(worst, ratio);
            least = fmin(least, ratio);
          }
        assert_true(fabs(mean - r.mean) < 1e-9 && fabs(worst / least - r.worst) < 1e-6 * r.worst);
        free(lengths);
        free(now);
      }
}

static void test_trees_are_kept_better_than_in_flat_space(void **state) {
  (void)state;
  enum { N = 60, MOST = 5 };
  double x[N * MOST], gaps[N];
  for (int weighted = 0; weighted < 2; weighted++) {
    geodisk_graph *g = random_tree(N, weighted);
    for (int dim = 2; dim <= MOST; dim += 3) {
      geodisk_distance_options o = {.dim = dim, .steps = 60, .weighted = true};
      geodisk_distance_result curved, flat;
      assert_int_equal(geodisk_fit_graph_distances(NULL, g, &o, x, gaps, &curved), GEODISK_OK);
      assert_string_equal(curved.start, "tree");
      o.space = GEODISK_SPACE_EUCLIDEAN;
      assert_int_equal(geodisk_fit_graph_distances(NULL, g, &o, x, gaps, &flat), GEODISK_OK);
      if (!(curved.mean < 0.02 && curved.mean < 0.3 * flat.mean))
        fail_msg("dim %d: distortion %g, in flat space %g", dim, curved.mean, flat.mean);
    }
    geodisk_graph_destroy(g);
  }
}

/* The same tree by its distances alone: a tree of shortest edges is found in them. */
static void test_a_tree_is_found_in_its_distances(void **state) {
  (void)state;
  enum { N = 60, DIM = 2 };
  double x[N * DIM], gaps[N], all[N * N];
  geodisk_graph *g = random_tree(N, true);
  assert_int_equal(geodisk_graph_lengths(NULL, g, NULL, all, NULL), GEODISK_OK);
  const geodisk_distances d = {N, N, NULL, all};
  const geodisk_distance_options o = {.dim = DIM, .steps = 60};
  geodisk_distance_result r;
  assert_int_equal(geodisk_fit_distances(NULL, &d, &o, x, gaps, &r), GEODISK_OK);
  assert_string_equal(r.start, "tree");
  assert_true(r.mean < 0.02);
  geodisk_graph_destroy(g);
}

/* What is flat, a ladder of squares, is no worse in hyperbolic space, of which flat space is the limit. */
static void test_never_worse_than_flat(void **state) {
  (void)state;
  enum { SIDE = 7, DIM = 2 };
  double x[SIDE * SIDE * DIM], gaps[SIDE * SIDE];
  const geodisk_generate_options grid = {.kind = GEODISK_GENERATOR_GRID, .rows = SIDE, .columns = SIDE};
  geodisk_graph *g = NULL;
  assert_int_equal(geodisk_graph_generate(NULL, &grid, &g), GEODISK_OK);
  for (int stress = 0; stress < 2; stress++) {
    geodisk_distance_options o = {.dim = DIM, .stress = (geodisk_stress)stress, .steps = 40};
    geodisk_distance_result curved, flat;
    assert_int_equal(geodisk_fit_graph_distances(NULL, g, &o, x, gaps, &curved), GEODISK_OK);
    o.space = GEODISK_SPACE_EUCLIDEAN;
    assert_int_equal(geodisk_fit_graph_distances(NULL, g, &o, x, gaps, &flat), GEODISK_OK);
    if (!(curved.mean <= flat.mean * (1.0 + 1e-5) || (stress == 1 && curved.squared <= flat.squared * (1.0 + 1e-5))))
      fail_msg("distortion %g, in flat space %g", curved.mean, flat.mean);
    assert_true(fabs(curved.flat - (stress ? flat.squared : flat.mean)) < 1e-5 * curved.flat);
  }
  geodisk_graph_destroy(g);
}

static void test_threads_do_not_matter(void **state) {
  (void)state;
  enum { N = 70, DIM = 3 };
  double x[2][N * DIM], gaps[2][N];
  geodisk_graph *g = random_tree(N, false);
  const geodisk_distance_options o = {.dim = DIM, .steps = 20};
  for (int i = 0; i < 2; i++) {
    geodisk_context *context = make_context(i == 0 ? 1 : 3);
    assert_int_equal(geodisk_fit_graph_distances(context, g, &o, x[i], gaps[i], NULL), GEODISK_OK);
    geodisk_context_destroy(context);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  assert_memory_equal(gaps[0], gaps[1], sizeof gaps[0]);
  geodisk_graph_destroy(g);
}

/* Every third node a landmark: the others are placed by their distances to these alone. */
static void test_landmarks_place_the_others(void **state) {
  (void)state;
  enum { N = 60, DIM = 2 };
  double x[N * DIM], gaps[N], all[N * N], some[N * N];
  uint32_t sources[N];
  size_t count = 0;
  geodisk_graph *g = make_graph(CHAIN, N, false);
  assert_int_equal(geodisk_graph_lengths(NULL, g, NULL, all, NULL), GEODISK_OK);
  for (uint32_t u = 0; u < N; u += 3) {
    memcpy(some + count * N, all + u * N, N * sizeof *some);
    sources[count++] = u;
  }
  const geodisk_distances d = {N, count, sources, some};
  const geodisk_distance_options o = {.dim = DIM, .space = GEODISK_SPACE_EUCLIDEAN, .steps = 300};
  geodisk_distance_result r;
  assert_int_equal(geodisk_fit_distances(NULL, &d, &o, x, gaps, &r), GEODISK_OK);
  double *now = distances_of(DIM, N, x, NULL), mean = 0.0;
  for (size_t i = 0; i < N * N; i++)
    mean += all[i] > 0.0 ? fabs(r.scale * now[i] / all[i] - 1.0) / (N * (N - 1)) : 0.0;
  assert_true(r.mean < 0.02 && mean < 0.05);
  free(now);
  geodisk_graph_destroy(g);
}

static bool stop_at_once(void *user, const geodisk_progress *progress) {
  (void)user;
  return strcmp(progress->task, "fitting distances") != 0;
}

static void test_stopped_and_refused(void **state) {
  (void)state;
  enum { N = 30, DIM = 2 };
  double x[N * DIM], gaps[N], none[N * N];
  geodisk_context *context = make_context(1);
  geodisk_graph *g = random_tree(N, false);
  geodisk_distance_options o = {.dim = DIM, .steps = 50};
  geodisk_distance_result r = {.start = NULL};
  geodisk_context_on_progress(context, stop_at_once, NULL);
  assert_int_equal(geodisk_fit_graph_distances(context, g, &o, x, gaps, &r), GEODISK_ERROR_STOPPED);
  assert_true(r.start && r.mean > 0.0 && r.mean < 0.5);
  geodisk_context_on_progress(context, NULL, NULL);
  memset(none, 0, sizeof none);
  const geodisk_distances nothing = {N, N, NULL, none};
  assert_int_equal(geodisk_fit_distances(context, &nothing, &o, x, gaps, &r), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "no two nodes have a distance"));
  none[1] = 1e31;
  assert_int_equal(geodisk_fit_distances(context, &nothing, &o, x, gaps, &r), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "the distance of nodes 0 and 1 is 1e+31"));
  none[1] = 1.0;
  none[N + 2] = 5e-324;
  assert_int_equal(geodisk_fit_distances(context, &nothing, &o, x, gaps, &r), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "the distance of nodes 1 and 2 is"));
  o.dim = 0;
  assert_int_equal(geodisk_fit_graph_distances(context, g, &o, x, gaps, &r), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(g);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_can_be_embedded_is_found_again),
      cmocka_unit_test(test_trees_are_kept_better_than_in_flat_space),
      cmocka_unit_test(test_a_tree_is_found_in_its_distances),
      cmocka_unit_test(test_never_worse_than_flat),
      cmocka_unit_test(test_threads_do_not_matter),
      cmocka_unit_test(test_landmarks_place_the_others),
      cmocka_unit_test(test_stopped_and_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Trees that are constructed: every neighbour is nearer than every other node, directions are as far apart as said, lengths are
 * kept, and what does not fit or is no tree is told. */
#include <math.h>

#include "embed/placement/directions.h"
#include "embed_testing.h"

typedef enum growth { PATH, STARS, BINARY, RECURSIVE, HUBS, BRUSH, FOREST, GROWTHS, LONG } growth;

static uint32_t parent_of(growth kind, uint32_t u, geodisk_random *random, const uint32_t *ends) {
  switch (kind) {
  case PATH:
    return u - 1;
  case STARS: /* one hub, whose neighbours are hubs */
    return u <= 20 ? 0 : 1 + u % 20;
  case BINARY:
    return (u - 1) / 2;
  case RECURSIVE:
    return (uint32_t)geodisk_random_below(random, u);
  case HUBS: /* in proportion to degree */
    return u == 1 ? 0 : ends[geodisk_random_below(random, 2 * ((uint64_t)u - 1))];
  case BRUSH: /* a path, with tufts of leaves */
    return u < 15 ? u - 1 : (uint32_t)geodisk_random_below(random, 15);
  case FOREST:
    return u % 40 == 0 ? NO_NODE : u - 1 - (uint32_t)geodisk_random_below(random, u % 40);
  case LONG: /* paths on paths */
    return geodisk_random_below(random, 20) > 0 ? u - 1 : (uint32_t)geodisk_random_below(random, u);
  case GROWTHS:
    break;
  }
  return 0;
}

static geodisk_graph *grow(growth kind, uint32_t n, uint64_t seed, bool weighted) {
  uint32_t *child = malloc(n * 4), *parent = malloc(n * 4), *ends = malloc(2 * n * 4);
  double *weights = malloc(n * 8);
  geodisk_random random = geodisk_random_stream(seed, (uint64_t)kind);
  size_t edges = 0;
  for (uint32_t u = 1; u < n; u++) {
    const uint32_t p = parent_of(kind, u, &random, ends);
    ends[2 * u - 2] = u;
    ends[2 * u - 1] = p;
    if (p == NO_NODE)
      continue;
    const bool turned = u % 3 == 0; /* the ways edges go do not matter */
    child[edges] = turned ? p : u;
    parent[edges] = turned ? u : p;
    weights[edges++] = 0.2 + geodisk_random_uniform(&random);
  }
  const geodisk_graph_arrays arrays = {
      .nodes = n, .edges = edges, .children = child, .parents = parent, .weights = weighted ? weights : NULL};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  free(child);
  free(parent);
  free(ends);
  free(weights);
  return graph;
}

static bool are_neighbours(const geodisk_graph *g, uint32_t u, uint32_t v) {
  return geodisk_graph_has_edge(g, u, v) || geodisk_graph_has_edge(g, v, u);
}

/* How many nodes have a neighbour that is not nearer than all others. */
static size_t count_wrong(const geodisk_graph *g, int dim, const double *x, const double *gap) {
  const size_t n = geodisk_graph_nodes(g);
  const geodisk_ball ball = geodisk_unit_ball(dim);
  size_t wrong = 0;
  for (uint32_t u = 0; u < n; u++) {
    double furthest = 0.0, nearest = (double)INFINITY;
    for (uint32_t v = 0; v < n; v++) {
      const double d = geodisk_distance_gap(&ball, x + u * (size_t)dim, gap[u], x + v * (size_t)dim, gap[v]);
      if (u != v && are_neighbours(g, u, v))
        furthest = fmax(furthest, d);
      else if (u != v)
        nearest = fmin(nearest, d);
    }
    wrong += !(furthest < nearest);
  }
  return wrong;
}

static void test_every_neighbour_is_nearer_than_all_others(void **state) {
  static const uint32_t sizes[] = {2, 3, 4, 7, 50, 160};
  static const int dims[] = {2, 3, 4, 7};
  (void)state;
  double *x = malloc(160 * 7 * 8), *gap = malloc(160 * 8);
  int exact = 0, all = 0;
  for (int kind = 0; kind < GROWTHS; kind++)
    for (size_t i = 0; i < 6; i++)
      for (size_t d = 0; d < 4; d++) {
        geodisk_graph *g = grow((growth)kind, sizes[i], 3 + i, false);
        const geodisk_tree_options o = {.dim = dims[d]};
        geodisk_tree_info info;
        assert_int_equal(geodisk_construct_tree(NULL, g, &o, x, gap, &info), GEODISK_OK);
        all++;
        exact += info.exact;
        const geodisk_ball ball = geodisk_unit_ball(dims[d]);
        const size_t wrong = count_wrong(g, dims[d], x, gap);
        if (info.exact && wrong > 0)
          fail_msg("growth %d, %u nodes, dim %d, radius %g: %zu nodes have a neighbour that is not nearest", kind, sizes[i],
                   dims[d], info.radius, wrong);
        for (size_t u = 0; u < sizes[i]; u++) { /* gaps belong to their points, and none is further out than said */
          double square = 0.0;
          for (int k = 0; k < dims[d]; k++)
            square += x[u * (size_t)dims[d] + (size_t)k] * x[u * (size_t)dims[d] + (size_t)k];
          assert_true(fabs(1.0 - square - gap[u]) <= 1e-13 && geodisk_radius_from_gap(&ball, gap[u]) <= info.radius + 1e-9);
        }
        geodisk_graph_destroy(g);
      }
  assert_true(exact == all);
  free(x);
  free(gap);
}

/* Short of what it takes, neighbours are no longer nearest: lengths are not longer than they need to be by much. */
static void test_lengths_are_needed(void **state) {
  (void)state;
  double *x = malloc(160 * 2 * 8), *gap = malloc(160 * 8);
  static const growth kinds[] = {STARS, HUBS, BRUSH};
  for (size_t i = 0; i < 3; i++) {
    geodisk_graph *g = grow(kinds[i], 160, 9, false);
    const geodisk_tree_options o = {.dim = 2, .stretch = 0.6};
    assert_int_equal(geodisk_construct_tree(NULL, g, &o, x, gap, NULL), GEODISK_OK);
    assert_true(count_wrong(g, 2, x, gap) > 0);
    geodisk_graph_destroy(g);
  }
  free(x);
  free(gap);
}

/* Trees that are far too deep for a double when their paths are straight. */
static void test_long_paths_are_bent(void **state) {
  static const struct {
    growth kind;
    uint32_t nodes;
  } cases[] = {{PATH, 700}, {PATH, 60}, {RECURSIVE, 700}, {BRUSH, 200}, {FOREST, 400}, {LONG, 700}, {LONG, 300}};
  (void)state;
  double *x = malloc(700 * 2 * 8), *gap = malloc(700 * 8);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_graph *g = grow(cases[i].kind, cases[i].nodes, 2 + i, false);
    const geodisk_tree_options o = {.dim = 2};
    geodisk_tree_info info;
    assert_int_equal(geodisk_construct_tree(NULL, g, &o, x, gap, &info), GEODISK_OK);
    const size_t wrong = count_wrong(g, 2, x, gap);
    if (!info.exact || wrong > 0)
      fail_msg("growth %d, %u nodes: radius %g of %g, %zu nodes have a neighbour that is not nearest", cases[i].kind,
               cases[i].nodes, info.radius, info.needed, wrong);
    geodisk_graph_destroy(g);
  }
  free(x);
  free(gap);
}

/* Cycles of 3 to `longest` nodes, each with one node in common with what there was before, and trees on all of them. */
static geodisk_graph *grow_cycles(uint32_t n, uint32_t longest, uint32_t first, geodisk_random *random) {
  uint32_t *child = malloc(2 * n * 4), *parent = malloc(2 * n * 4);
  size_t edges = 0;
  for (uint32_t u = 1; u < n;) {
    const uint32_t on = (uint32_t)geodisk_random_below(random, u);
    uint32_t length = u == 1 && first > 0 ? first : 3 + (uint32_t)geodisk_random_below(random, longest - 2), from = on;
    if (geodisk_random_below(random, 3) > 0 && !(u == 1 && first > 0))
      length = 2; /* a leaf */
    if (u + length - 1 > n)
      length = 2;
    for (uint32_t k = 1; k < length; k++, u++) {
      child[edges] = u;
      parent[edges++] = from;
      from = u;
    }
    if (length > 2) {
      child[edges] = on;
      parent[edges++] = from;
    }
  }
  const geodisk_graph_arrays arrays = {.nodes = n, .edges = edges, .children = child, .parents = parent};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  free(child);
  free(parent);
  return graph;
}

static void test_cycles_without_common_edges_are_constructed(void **state) {
  static const struct {
    uint32_t nodes, longest, first;
  } cases[] = {{3, 3, 3},   {4, 4, 4},    {5, 5, 5},     {90, 90, 90}, {500, 4, 500}, {40, 3, 0},  {60, 4, 0},
               {120, 5, 0}, {200, 12, 0}, {300, 60, 80}, {300, 6, 0},  {250, 3, 200}, {500, 40, 0}};
  (void)state;
  double *x = malloc(600 * 2 * 8), *gap = malloc(600 * 8);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      geodisk_random random = geodisk_random_stream(seed, i);
      geodisk_graph *g = grow_cycles(cases[i].nodes, cases[i].longest, cases[i].first, &random);
      const geodisk_tree_options o = {.dim = 2};
      geodisk_tree_info info;
      assert_int_equal(geodisk_construct_tree(NULL, g, &o, x, gap, &info), GEODISK_OK);
      const size_t wrong = count_wrong(g, 2, x, gap);
      if (!info.exact || wrong > 0)
        fail_msg("%u nodes, cycles of up to %u, seed %d, radius %g: %zu nodes have a neighbour that is not nearest",
                 cases[i].nodes, cases[i].longest, (int)seed, info.radius, wrong);
      geodisk_graph_destroy(g);
    }
  free(x);
  free(gap);
}

static void test_directions_are_apart(void **state) {
  static const size_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 20, 24, 25, 40, 100, 333, 1000};
  static const int dims[] = {2, 3, 4, 5, 10, 40};
  (void)state;
  double *n = malloc(1000 * 40 * 8);
  for (size_t d = 0; d < 6; d++) {
    double before = 4.0;
    for (size_t c = 0; c < 17; c++) {
      const size_t dim = (size_t)dims[d], count = counts[c];
      const double angle = embed_directions_angle(dims[d], count);
      double least = 4.0;
      memset(n, 0xff, count * dim * sizeof *n);
      embed_directions(dims[d], count, angle, n);
      assert_true(n[0] == 1.0);
      for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++) {
          double dot = 0.0;
          for (size_t k = 0; k < dim; k++)
            dot += n[i * dim + k] * n[j * dim + k];
          if (i == j)
            assert_true(fabs(dot - 1.0) < 1e-12);
          else
            least = fmin(least, acos(fmax(-1.0, fmin(1.0, dot))));
        }
      if (count > 1 && !(least > angle - 1e-6))
        fail_msg("%zu directions in dim %d: %g apart, not %g", count, dims[d], least, angle);
      assert_true(angle <= before + 1e-9);
      before = angle;
      /* no less than a square lattice on a sphere of as much surface would have, by a third in 3 dimensions */
      if (dims[d] == 3 && count > 8)
        assert_true(angle > 0.75 * sqrt(12.566370614 / (double)count));
    }
  }
  free(n);
}

static void test_weights_are_lengths(void **state) {
  (void)state;
  enum { N = 120 };
  double *x = malloc(N * 3 * 8), *gap = malloc(N * 8), *length = malloc(N * N * 8);
  geodisk_graph *g = grow(RECURSIVE, N, 4, true);
  const geodisk_tree_options o = {.dim = 3, .weighted = true};
  geodisk_tree_info info;
  assert_int_equal(geodisk_construct_tree(NULL, g, &o, x, gap, &info), GEODISK_OK);
  assert_int_equal(geodisk_graph_lengths(NULL, g, NULL, length, NULL), GEODISK_OK);
  const geodisk_ball ball = geodisk_unit_ball(3);
  double worst = 1.0;
  for (uint32_t u = 0; u < N; u++)
    for (uint32_t v = 0; v < u; v++) {
      const double d = geodisk_distance_gap(&ball, x + 3 * u, gap[u], x + 3 * v, gap[v]),
                   ratio = d / (info.scale * length[u * N + v]);
      if (are_neighbours(g, u, v))
        assert_true(fabs(ratio - 1.0) < 0.01);
      assert_true(ratio < 1.01);
      worst = fmin(worst, ratio);
    }
  assert_true(worst > 0.3 && fabs(info.radius - 34.0) < 1e-9);
  geodisk_graph_destroy(g);
  free(x);
  free(gap);
  free(length);
}

static void test_what_does_not_fit_is_told(void **state) {
  (void)state;
  geodisk_context *context = make_context(1);
  double *x = malloc(4000 * 2 * 8), *gap = malloc(4000 * 8);
  geodisk_graph *g = grow(HUBS, 4000, 5, false), *ring = make_graph(CLIQUE, 4, false);
  geodisk_tree_options o = {.dim = 2};
  geodisk_tree_info info;
  assert_int_equal(geodisk_construct_tree(context, g, &o, x, gap, &info), GEODISK_OK);
  assert_true(!info.exact && info.needed > 37.0 && fabs(info.radius - 37.0) < 1e-9);
  o.precision = GEODISK_PRECISION_FLOAT;
  assert_int_equal(geodisk_construct_tree(context, g, &o, x, gap, &info), GEODISK_OK);
  assert_true(info.radius < 18.0);
  assert_int_equal(geodisk_construct_tree(context, ring, &o, x, gap, &info), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "has an edge in common with another"));
  o.dim = 3;
  assert_int_equal(geodisk_construct_tree(context, ring, &o, x, gap, &info), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "closes a cycle"));
  o.dim = 1;
  assert_int_equal(geodisk_construct_tree(context, g, &o, x, gap, &info), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(g);
  geodisk_graph_destroy(ring);
  geodisk_context_destroy(context);
  free(x);
  free(gap);
}

/* A trainer without epochs holds the construction, and goes on from it. */
static void test_it_is_a_placement(void **state) {
  (void)state;
  enum { N = 160 };
  geodisk_context *context = make_context(2);
  geodisk_graph *g = grow(RECURSIVE, N, 6, false), *both = NULL;
  assert_int_equal(geodisk_graph_undirected(context, g, &both), GEODISK_OK);
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = 2;
  o.placement = GEODISK_PLACEMENT_CONSTRUCTION;
  o.epochs = GEODISK_EPOCHS_NONE;
  geodisk_trainer *t = make_trainer(context, both, &o);
  train_on(context, t);
  assert_true(geodisk_trainer_position(t) == 0 && geodisk_trainer_epochs(t) == 0);
  double *x = malloc(N * 2 * 8), *gap = malloc(N * 8);
  for (uint32_t u = 0; u < N; u++)
    embed_get_row(t, u, x + 2 * u, &gap[u]);
  assert_int_equal(count_wrong(g, 2, x, gap), 0);
  geodisk_trainer_destroy(t);
  o.epochs = 3;
  t = make_trainer(context, both, &o);
  train_on(context, t);
  assert_true(geodisk_trainer_position(t) == 3);
  geodisk_trainer_destroy(t);
  o.space = GEODISK_SPACE_EUCLIDEAN;
  assert_int_equal(geodisk_trainer_create(context, both, &o, &t), GEODISK_ERROR_ARGUMENT);
  free(x);
  free(gap);
  geodisk_graph_destroy(g);
  geodisk_graph_destroy(both);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_neighbour_is_nearer_than_all_others),
      cmocka_unit_test(test_lengths_are_needed),
      cmocka_unit_test(test_long_paths_are_bent),
      cmocka_unit_test(test_cycles_without_common_edges_are_constructed),
      cmocka_unit_test(test_directions_are_apart),
      cmocka_unit_test(test_weights_are_lengths),
      cmocka_unit_test(test_what_does_not_fit_is_told),
      cmocka_unit_test(test_it_is_a_placement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

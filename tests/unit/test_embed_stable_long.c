/* No rate breaks the training: from 0.01 to 100, float and double, dim 1 to 50, on the mammals of WordNet, a star, a chain, a
 * clique and a complete tree, 5 seeds each, every number stays finite, no point comes to lie on the rim, and gaps are those of
 * the coordinates to 1e-6, where these can tell. Natural steps are clipped at the margin, and say how often. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "embed/trainer.h"

typedef enum shape { MAMMALS, STAR, CHAIN, CLIQUE, TREE, SHAPES } shape;
static const char *const shape_names[] = {"mammals", "star", "chain", "clique", "tree"};

enum { SEEDS = 5, SMALL = 40 };

static bool is_edge(shape kind, uint32_t u, uint32_t v) {
  switch (kind) {
  case STAR:
    return v == 0 && u != 0;
  case CHAIN:
    return v + 1 == u;
  case CLIQUE:
    return u != v;
  default: /* a complete tree of three children each, closed */
    while (u > 0) {
      u = (u - 1) / 3;
      if (u == v)
        return true;
    }
    return false;
  }
}

static geodisk_graph *make_graph(shape kind) {
  geodisk_graph *graph = NULL;
  if (kind == MAMMALS) {
    assert_int_equal(geodisk_graph_read(NULL, GEODISK_TESTS_DIR "/../data/mammals.tsv", NULL, NULL, &graph), GEODISK_OK);
    return graph;
  }
  uint32_t child[SMALL * SMALL], parent[SMALL * SMALL];
  size_t edges = 0;
  for (uint32_t u = 0; u < SMALL; u++)
    for (uint32_t v = 0; v < SMALL; v++)
      if (is_edge(kind, u, v)) {
        child[edges] = u;
        parent[edges++] = v;
      }
  const geodisk_graph_arrays arrays = {.nodes = SMALL, .edges = edges, .children = child, .parents = parent};
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  return graph;
}

static void check_points(const geodisk_trainer *t, const char *what) {
  const geodisk_ball ball = geodisk_unit_ball(t->options.dim);
  for (uint32_t u = 0; u < t->nodes; u++) {
    double x[512], gap;
    embed_get_row(t, u, x, &gap);
    for (int k = 0; k < t->options.dim; k++)
      if (!isfinite(x[k]))
        fail_msg("%s: node %u: coordinate %d is %g", what, u, k, x[k]);
    const double measured = geodisk_gap(&ball, x);
    if (!(gap > 0.0 && gap <= 1.0 && measured > 0.0))
      fail_msg("%s: node %u: gap %g, coordinates say %g", what, u, gap, measured);
    if (t->options.precision == GEODISK_PRECISION_DOUBLE && gap > 1e-9 && !(fabs(gap - measured) <= 1e-6 * gap))
      fail_msg("%s: node %u: gap %.17g, coordinates say %.17g", what, u, gap, measured);
  }
}

/* Trains and checks; returns how many moves were clipped. */
static uint64_t train(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *o, const char *what) {
  geodisk_trainer *t = NULL;
  assert_int_equal(geodisk_trainer_create(context, graph, o, &t), GEODISK_OK);
  uint64_t clips = 0;
  for (uint64_t i = 0; i < o->epochs; i++) {
    geodisk_train_epoch e;
    if (geodisk_trainer_epoch(t, &e) != GEODISK_OK)
      fail_msg("%s: %s", what, geodisk_context_error(context));
    if (!(isfinite(e.loss) && isfinite(e.radius)))
      fail_msg("%s: loss %g, radius %g", what, e.loss, e.radius);
    clips += e.clips;
  }
  check_points(t, what);
  geodisk_trainer_destroy(t);
  return clips;
}

static const double rates[] = {0.01, 0.1, 1.0, 10.0, 100.0};
static const int dims[] = {1, 2, 5, 10, 50};

static void check_rates(geodisk_update update) {
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
  for (shape kind = MAMMALS; kind < SHAPES; kind++) {
    geodisk_graph *graph = make_graph(kind);
    uint64_t clips = 0;
    for (int r = 0; r < 5; r++)
      for (int d = 0; d < 5; d++)
        for (int seed = 1; seed <= SEEDS; seed++)
          for (int single = 0; single < 2; single++) {
            geodisk_train_options o = geodisk_train_defaults();
            char what[128];
            o.dim = dims[d];
            o.lr = rates[r];
            o.rates = GEODISK_RATES_CONSTANT;
            o.update = update;
            o.precision = single ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
            o.placement = seed % 2 ? GEODISK_PLACEMENT_TREE : GEODISK_PLACEMENT_RANDOM;
            o.variant = seed == 4 ? GEODISK_VARIANT_GROUPED : GEODISK_VARIANT_EDGE;
            o.sampling = (geodisk_sampling)(seed % 3);
            o.negatives = 5;
            o.epochs = kind == MAMMALS ? 2 : 20;
            o.parts = kind == CLIQUE ? 4 : 0; /* in one part, nobody has a negative */
            o.seed = (uint64_t)seed;
            snprintf(what, sizeof what, "%s, rate %g, dim %d, seed %d, %s", shape_names[kind], rates[r], dims[d], seed,
                     single ? "float" : "double");
            clips += train(context, graph, &o, what);
          }
    if (update == GEODISK_UPDATE_NATURAL && kind != CLIQUE && clips == 0)
      fail_msg("%s: natural steps at a rate of 100 were never clipped", shape_names[kind]);
    geodisk_graph_destroy(graph);
  }
  geodisk_context_destroy(context);
}

static void test_geodesic_steps(void **state) {
  (void)state;
  check_rates(GEODISK_UPDATE_GEODESIC);
}

static void test_natural_steps(void **state) {
  (void)state;
  check_rates(GEODISK_UPDATE_NATURAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_geodesic_steps),
      cmocka_unit_test(test_natural_steps),
  };
  return cmocka_run_group_tests_name("any rate", tests, NULL, NULL);
}

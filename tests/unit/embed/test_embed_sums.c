/* Sums of pulls cannot overflow: a node with far more targets than a unit has, pulled by all units of a block, in float (whose
 * sums of a block have 32 bits) as in the plain loop (which has 64); weights as uneven as can be, which are refused by name where
 * sums cannot hold them, and counted right where they can. */
#include <math.h>

#include "embed_testing.h"

static const char path[] = "embed_sums.safetensors";

/* A star, both ways: node 0 and n - 1 others, in units of 256; the first edge of node 1 is heavy. */
static geodisk_graph *make_star(uint32_t n, double heavy) {
  uint32_t *child = malloc(2 * n * sizeof *child), *parent = malloc(2 * n * sizeof *parent);
  double *weights = malloc(2 * n * sizeof *weights);
  size_t edges = 0;
  for (uint32_t u = 1; u < n; u++)
    for (int back = 0; back < 2; back++) {
      child[edges] = back ? 0 : u;
      parent[edges] = back ? u : 0;
      weights[edges++] = u == 1 && !back ? heavy : 1.0;
    }
  const geodisk_graph_arrays arrays = {
      .nodes = n, .edges = edges, .children = child, .parents = parent, .weights = heavy == 1.0 ? NULL : weights};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  free(child);
  free(parent);
  free(weights);
  return graph;
}

static geodisk_train_options some_options(void) {
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = 2;
  o.precision = GEODISK_PRECISION_FLOAT;
  o.placement = GEODISK_PLACEMENT_RANDOM;
  o.range = 0.3;
  o.epochs = 1;
  o.core_epochs = 0;
  o.negatives = 16;
  o.rates = GEODISK_RATES_CONSTANT;
  return o;
}

/* The bytes of the plain loop from all kernels, for a hub of 40 units; blocks of it alone are among those of an epoch. */
static void test_hubs(void **state) {
  (void)state;
  const char *sets[MOST_SETS];
  const size_t count = kernel_sets(sets);
  geodisk_graph *graph = make_star(40 * TRAIN_MOST_TARGETS, 1.0);
  for (int c = 0; c < 3; c++) {
    geodisk_train_options o = some_options();
    o.loss = c == 1 ? GEODISK_LOSS_COMPLEMENT : GEODISK_LOSS_NICKEL_KIELA;
    o.sparse = c == 2 ? 0.9 : 0.0;
    o.regularization = c == 2 ? 10.0 : 0.0;
    o.bound = 0.0;
    const bytes expected = train_in((way){"ref", 1, 0, 0}, graph, &o, path);
    for (size_t s = 0; s < count; s++) {
      const bytes got = train_in((way){sets[s], 2, 0, 0}, graph, &o, path);
      if (!same_bytes(got, expected))
        fail_msg("case %d: %s differs from the plain loop", c, sets[s]);
      free(got.data);
    }
    free(expected.data);
  }
  geodisk_graph_destroy(graph);
}

/* The hub of a star in a batch: source of as many units as it has, and in every other unit target or negative. */
static double most_of_hub(const geodisk_trainer *t, const epoch_plan *plan, const geodisk_train_options *o) {
  const double units = (double)embed_batch_blocks(plan) * plan->block_units, all = (double)t->edges;
  const double own = fmin(all / 2.0, units * t->most_weight), others = fmin(all / 2.0, units * t->most_weight - own);
  const double candidates = (double)embed_most_candidates(t, plan), parts = fmin(units, (double)t->extras + 1.0);
  return 2.0 * own + others + o->sparse * (candidates * parts + units + fmin(all, units * TRAIN_MOST_TARGETS));
}

/* The scale is a power of two by which the most that a block can pull stays below 2^31 in float, a batch below 2^63 in double,
 * where it has 40 bits. */
static void test_scales(void **state) {
  (void)state;
  geodisk_context *context = make_context(1);
  for (int c = 0; c < 24; c++) {
    geodisk_graph *graph = make_star(c % 3 == 0 ? 50 : c % 3 == 1 ? 5000 : 40 * TRAIN_MOST_TARGETS, c % 2 ? 100.0 : 1.0);
    geodisk_train_options o = some_options();
    o.precision = c / 6 % 2 ? GEODISK_PRECISION_DOUBLE : GEODISK_PRECISION_FLOAT;
    o.units = c / 12 ? GEODISK_UNITS_EDGE : GEODISK_UNITS_SOURCE;
    o.sparse = c % 4 == 0 ? 0.5 : 0.0;
    geodisk_trainer *t = make_trainer(context, graph, &o);
    const epoch_plan plan = embed_plan(t);
    int exponent;
    assert_true(frexp(plan.rule.scale, &exponent) == 0.5);
    const bool single = o.precision == GEODISK_PRECISION_FLOAT;
    /* a row can be the source of one unit, or of all if it is a hub: pulled and pushed by what targets weigh, or by what thinning
     * raises for each candidate; and in each of the others a target or a negative */
    const double units = plan.block_units, own = t->extras > 0 ? units : 1.0,
                 candidates = (double)embed_most_candidates(t, &plan);
    const double block = own * (2.0 * t->most_weight + o.sparse * candidates) + (units - own) * (t->most_weight + o.sparse);
    if (single)
      assert_true(plan.rule.scale * block < 0x1p31);
    else
      assert_true(plan.rule.scale == 0x1p40 && plan.rule.scale * most_of_hub(t, &plan, &o) < 0x1p63);
    geodisk_trainer_destroy(t);
    geodisk_graph_destroy(graph);
  }
  geodisk_context_destroy(context);
}

/* Large graphs in double: batches are cut so that sums keep 40 bits whatever can come together, but are never small. Graphs too
 * large for a test: the plan needs no more than their numbers. */
static void test_forty_bits(void **state) {
  (void)state;
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_star(50, 1.0);
  static const size_t nodes[] = {100000, 2000000, 1000000000}, extras[] = {0, 100000};
  static const uint64_t batches[] = {4096, 1 << 20, UINT64_MAX};
  static const double heavy[] = {1.0, 20.0, TRAIN_MOST_TARGETS};
  for (int c = 0; c < 54; c++) {
    geodisk_train_options o = some_options();
    o.precision = GEODISK_PRECISION_DOUBLE;
    o.sparse = 0.03;
    o.negatives = 768;
    o.batch = batches[c / 3 % 3];
    geodisk_trainer *t = make_trainer(context, graph, &o);
    t->nodes = nodes[c % 3];
    t->edges = 20 * t->nodes;
    t->most_weight = heavy[c / 9 % 3];
    t->extras = extras[c / 27];
    const epoch_plan plan = embed_plan(t);
    const uint64_t units = embed_batch_blocks(&plan) * plan.block_units;
    assert_true(plan.rule.scale == 0x1p40 && plan.rule.scale * most_of_hub(t, &plan, &o) < 0x1p63);
    if (units > o.batch || units < 3000)
      fail_msg("case %d: batches of %llu units", c, (unsigned long long)units);
    t->options.batch = units; /* as if it had been asked for */
    assert_true(embed_plan(t).batches == plan.batches);
    t->nodes = geodisk_graph_nodes(graph);
    t->extras = 0;
    geodisk_trainer_destroy(t);
  }
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* One edge a million times as heavy as the others: 14,900 times the mean, which float refuses and double takes. Its ends come
 * together. */
static void test_uneven_weights(void **state) {
  (void)state;
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_star(7600, 1e6);
  geodisk_train_options o = some_options();
  geodisk_trainer *t = NULL;
  assert_int_equal(geodisk_trainer_create(context, graph, &o, &t), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "the weights are too uneven for float (double takes more)"));
  assert_non_null(strstr(geodisk_context_error(context), "times the mean edge"));
  assert_null(t);
  o.precision = GEODISK_PRECISION_DOUBLE;
  o.epochs = 20;
  t = make_trainer(context, graph, &o);
  const geodisk_ball ball = geodisk_unit_ball(o.dim);
  double x[2], y[2], gap_x, gap_y, mean = 0.0;
  train_on(context, t);
  embed_get_row(t, 0, x, &gap_x);
  for (uint32_t u = 2; u < 102; u++) {
    embed_get_row(t, u, y, &gap_y);
    mean += geodisk_distance_gap(&ball, x, gap_x, y, gap_y) / 100.0;
  }
  embed_get_row(t, 1, y, &gap_y);
  const double heavy = geodisk_distance_gap(&ball, x, gap_x, y, gap_y);
  if (!(isfinite(mean) && heavy < mean))
    fail_msg("the heavy edge is %g long, the others %g", heavy, mean);
  geodisk_trainer_destroy(t);

  /* the same in float, where weights are as uneven as float takes */
  geodisk_graph *milder = make_star(7600, 1000.0);
  const char *sets[MOST_SETS];
  const size_t count = kernel_sets(sets);
  o.precision = GEODISK_PRECISION_FLOAT;
  o.epochs = 2;
  const bytes expected = train_in((way){"ref", 1, 0, 0}, milder, &o, path);
  for (size_t s = 0; s < count; s++) {
    const bytes got = train_in((way){sets[s], 2, 0, 0}, milder, &o, path);
    assert_true(same_bytes(got, expected));
    free(got.data);
  }
  free(expected.data);
  geodisk_graph_destroy(milder);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hubs),
      cmocka_unit_test(test_scales),
      cmocka_unit_test(test_forty_bits),
      cmocka_unit_test(test_uneven_weights),
  };
  return cmocka_run_group_tests_name("sums", tests, NULL, NULL);
}

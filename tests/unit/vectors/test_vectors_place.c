/* test_vectors_place.c - new nodes in a model: the loss and its gradient, where nodes come to rest, and what must stay as it was.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/vectors.h"
#include "vectors/attraction.h"

enum { CONTEXTS = 3, NODES = 120, DIM = 3 };
static geodisk_context *contexts[CONTEXTS], *context;

static int start(void **state) {
  (void)state;
  for (int i = 0; i < CONTEXTS; i++)
    if (geodisk_context_create(i + 1, &contexts[i]) != GEODISK_OK)
      return -1;
  context = contexts[0];
  return 0;
}

static int finish(void **state) {
  (void)state;
  for (int i = 0; i < CONTEXTS; i++)
    geodisk_context_destroy(contexts[i]);
  return 0;
}

static void assert_ok(geodisk_status status) {
  if (status != GEODISK_OK)
    fail_msg("%s: %s", geodisk_status_text(status), geodisk_context_error(context));
}

/* Nodes "0" ... at random. */
static geodisk_model *make_model(geodisk_space space, geodisk_precision precision, double curvature) {
  const geodisk_model_spec spec = {
      .nodes = NODES, .ball = {DIM, 1.5, curvature}, .space = space, .precision = precision, .counts = true};
  geodisk_model *model = NULL;
  assert_ok(geodisk_model_create(context, &spec, &model));
  geodisk_random random = geodisk_random_stream(4, 4);
  for (size_t i = 0; i < NODES; i++) {
    double x[DIM], gap;
    geodisk_random_in_ball(&spec.ball, &random, 5, x, &gap);
    for (size_t k = 0; k < DIM; k++) {
      if (precision == GEODISK_PRECISION_DOUBLE)
        geodisk_model_edit_vectors(model)[i * DIM + k] = x[k];
      else
        geodisk_model_edit_vectorsf(model)[i * DIM + k] = (float)x[k];
    }
    if (space == GEODISK_SPACE_HYPERBOLIC && precision == GEODISK_PRECISION_DOUBLE)
      geodisk_model_edit_gap(model)[i] = gap;
    else if (space == GEODISK_SPACE_HYPERBOLIC)
      geodisk_model_edit_gapf(model)[i] = (float)gap;
  }
  assert_ok(geodisk_model_set(context, model, "seed", "4"));
  return model;
}

static geodisk_graph *make_graph(const char *edges) {
  geodisk_graph *graph = NULL;
  assert_ok(geodisk_graph_read_memory(context, &(geodisk_memory_file){"edges", edges, strlen(edges)}, NULL, NULL, &graph));
  return graph;
}

/* ---- the loss --------------------------------------------------------------------------------------------------------- */

static double distance(const geodisk_model *model, const double *x, double gap, uint32_t node) {
  const geodisk_ball ball = geodisk_model_ball(model);
  double y[DIM], y_gap, sum = 0;
  geodisk_model_point(model, node, y, &y_gap);
  if (geodisk_model_space(model) == GEODISK_SPACE_HYPERBOLIC)
    return geodisk_distance_gap(&ball, x, gap, y, y_gap);
  for (int k = 0; k < DIM; k++)
    sum = hypot(sum, x[k] - y[k]);
  return sum;
}

static const relation parents[] = {{.node = 3, .weight = 1}, {.node = 50, .weight = 2}};
static const relation children[] = {{.node = 7, .weight = 0.5, .sum = 0.3}};
static const relation competitors[] = {{.node = 3, .weight = 1, .sum = 0.2}, {.node = 9, .weight = 1, .sum = 1.5}};
static const uint32_t neighbours[] = {3, 7, 50};

/* The formula of the header, term by term. */
static double direct_loss(const geodisk_model *model, const double *x, double gap) {
  double sum = 0, loss = 0;
  for (uint32_t m = 0; m < NODES; m++)
    if (m != 3 && m != 7 && m != 50)
      sum += exp(-distance(model, x, gap, m));
  for (int i = 0; i < 2; i++) {
    const double d = distance(model, x, gap, parents[i].node);
    loss += parents[i].weight * -log(exp(-d) / (exp(-d) + sum));
  }
  const double d = distance(model, x, gap, 7);
  loss += children[0].weight * -log(exp(-d) / (exp(-d) + children[0].sum));
  for (int i = 0; i < 2; i++)
    loss += log(1 + exp(-distance(model, x, gap, competitors[i].node)) / competitors[i].sum);
  return loss;
}

static void loss_and_gradient(void **state) {
  (void)state;
  for (int which = 0; which < 3; which++) {
    const bool flat = which == 2;
    geodisk_model *model =
        make_model(flat ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC, GEODISK_PRECISION_DOUBLE, which == 0 ? 1 : 0.6);
    const geodisk_ball ball = geodisk_model_ball(model);
    const attraction a = {.model = model,
                          .negatives = {.model = model, .count = NODES, .scale = 1},
                          .skip = neighbours,
                          .n_skip = 3,
                          .parents = parents,
                          .n_parents = 2,
                          .children = children,
                          .n_children = 1,
                          .competitors = competitors,
                          .n_competitors = 2};
    geodisk_random random = geodisk_random_stream(1, 9);
    for (int trial = 0; trial < 20; trial++) {
      double x[DIM], gap, downhill[DIM], scratch[2 * DIM], unused[DIM];
      geodisk_random_in_ball(&ball, &random, 5, x, &gap);
      const double loss = attraction_loss(&a, x, gap, downhill, scratch), truth = direct_loss(model, x, gap);
      assert_true(fabs(loss - truth) <= 1e-12 * (1 + fabs(truth)));
      for (int k = 0; k < DIM; k++) {
        /* A step h along a unit vector of the orthonormal frame, both ways: the slope is minus the entry of downhill. */
        const double h = 1e-4, unit = flat ? 1 : gap * sqrt(ball.curvature) / (2 * ball.radius);
        double side[2];
        for (int s = 0; s < 2; s++) {
          double v[DIM] = {0}, y[DIM], y_gap = gap;
          v[k] = (s == 0 ? h : -h) * unit;
          if (flat)
            for (int i = 0; i < DIM; i++)
              y[i] = x[i] + v[i];
          else
            geodisk_exp_gap(&ball, x, gap, v, y, &y_gap);
          side[s] = attraction_loss(&a, y, y_gap, unused, scratch);
        }
        const double slope = (side[0] - side[1]) / (2 * h);
        if (!(fabs(slope + downhill[k]) <= 1e-6 * (1 + fabs(slope))))
          fail_msg("slope %.12g, gradient %.12g", slope, -downhill[k]);
      }
    }
    /* A sum over some, scaled. */
    const uint32_t some[] = {1, 7, 60};
    const crowd c = {.model = model, .nodes = some, .count = 3, .scale = 40};
    double x[DIM] = {0.1, 0.2, 0.3}, gap = flat ? 1 : geodisk_gap(&ball, x);
    const double sum = 40 * (exp(-distance(model, x, gap, 1)) + exp(-distance(model, x, gap, 60)));
    assert_true(fabs(crowd_sum(&c, x, gap, neighbours, 3) - sum) <= 1e-13 * sum);
    geodisk_model_destroy(model);
  }
}

/* ---- placing ---------------------------------------------------------------------------------------------------------- */

/* One edge, several, a child, a weight, and a node whose neighbour is new too. */
static const char edges[] =
    "one\t5\nmany\t6\nmany\t7\nmany\t8\n11\tabove\nheavy\t20\t3\nheavy\t21\t1\nsecond\tone\nthird\tsecond\n5\t6\n";

static void old_stay_new_come(void **state) {
  (void)state;
  for (int which = 0; which < 3; which++) {
    const geodisk_space space = which == 1 ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC;
    const geodisk_precision precision = which == 2 ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
    geodisk_model *model = make_model(space, precision, 0.8), *out = NULL, *again = NULL;
    geodisk_graph *graph = make_graph(edges);
    geodisk_placed placed[16];
    geodisk_place_info info;
    assert_ok(geodisk_model_place(context, model, graph, &(geodisk_place_options){.placed = placed}, &info, &out));
    assert_int_equal(info.placed, 6);
    assert_int_equal(info.rounds, 3);
    assert_int_equal(info.known_edges, 1);
    assert_int_equal(info.late_edges, 0);
    assert_int_equal(geodisk_model_nodes(out), NODES + 6);
    assert_string_equal(geodisk_model_get(out, "seed"), "4");
    static const char *const names[] = {"one", "many", "above", "heavy", "second", "third"};
    static const uint32_t rounds[] = {0, 0, 0, 0, 1, 2}, degrees[] = {2, 3, 1, 2, 2, 1};
    for (uint32_t i = 0; i < 6; i++) {
      assert_string_equal(geodisk_model_name(out, NODES + i), names[i]);
      assert_true(placed[i].node == NODES + i && placed[i].round == rounds[i] && placed[i].converged);
      /* (In flat space the points are so crowded that new ones may end on their neighbours, a corner of the loss.) */
      assert_true((placed[i].gradient_norm <= 0.01 || space == GEODISK_SPACE_EUCLIDEAN) && isfinite(placed[i].loss));
      assert_int_equal(geodisk_model_counts(out)[NODES + i], degrees[i]);
    }
    const size_t numbers = (size_t)NODES * DIM;
    if (precision == GEODISK_PRECISION_DOUBLE)
      assert_memory_equal(geodisk_model_vectors(model), geodisk_model_vectors(out), numbers * sizeof(double));
    else
      assert_memory_equal(geodisk_model_vectorsf(model), geodisk_model_vectorsf(out), numbers * sizeof(float));
    for (uint32_t i = 0; i < NODES; i++)
      assert_string_equal(geodisk_model_name(model, i), geodisk_model_name(out, i));
    /* The file takes it, and threads make no difference. */
    assert_ok(geodisk_model_write(context, out, "/dev/null"));
    for (int t = 1; t < CONTEXTS; t++) {
      assert_int_equal(geodisk_model_place(contexts[t], model, graph, NULL, NULL, &again), GEODISK_OK);
      for (uint32_t i = 0; i < NODES + 6; i++) {
        double x[DIM], y[DIM], x_gap, y_gap;
        geodisk_model_point(out, i, x, &x_gap);
        geodisk_model_point(again, i, y, &y_gap);
        assert_memory_equal(x, y, sizeof x);
        assert_true(x_gap == y_gap || space == GEODISK_SPACE_EUCLIDEAN);
      }
      geodisk_model_destroy(again);
    }
    geodisk_graph_destroy(graph);
    geodisk_model_destroy(out);
    geodisk_model_destroy(model);
  }
}

/* What else is placed with it does not matter; the seed does, and which negatives are drawn. */
static void each_by_itself(void **state) {
  (void)state;
  geodisk_model *model = make_model(GEODISK_SPACE_HYPERBOLIC, GEODISK_PRECISION_DOUBLE, 1), *all = NULL, *alone = NULL;
  const geodisk_ball ball = geodisk_model_ball(model);
  geodisk_graph *both = make_graph("a\t5\nb\t6\nc\ta\n"), *single = make_graph("b\t6\n");
  assert_ok(geodisk_model_place(context, model, both, NULL, NULL, &all));
  assert_ok(geodisk_model_place(context, model, single, NULL, NULL, &alone));
  double x[DIM], y[DIM], x_gap, y_gap;
  geodisk_model_point(all, NODES + 1, x, &x_gap);
  geodisk_model_point(alone, NODES, y, &y_gap);
  assert_memory_equal(x, y, sizeof x);
  geodisk_model_destroy(alone);
  const geodisk_place_options other = {.seed = 77}, sampled = {.negatives = 60}, all_drawn = {.negatives = NODES};
  const geodisk_place_options *const options[] = {&other, &sampled, &all_drawn};
  for (int i = 0; i < 3; i++) {
    assert_ok(geodisk_model_place(context, model, single, options[i], NULL, &alone));
    geodisk_model_point(alone, NODES, y, &y_gap);
    if (i == 2)
      assert_memory_equal(x, y, sizeof x);
    else
      assert_memory_not_equal(x, y, sizeof x);
    assert_true(geodisk_distance_gap(&ball, x, x_gap, y, y_gap) < 20);
    geodisk_model_destroy(alone);
  }
  geodisk_graph_destroy(both);
  geodisk_graph_destroy(single);
  geodisk_model_destroy(all);
  geodisk_model_destroy(model);
}

/* The place is a low one: no point around it has a loss lower by more than the tolerance allows; and it is below its parent,
 * which is the likeliest one. */
static void a_good_place(void **state) {
  (void)state;
  geodisk_model *model = make_model(GEODISK_SPACE_HYPERBOLIC, GEODISK_PRECISION_DOUBLE, 1), *out = NULL;
  char text[4096] = "";
  for (int i = 0; i < 100; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "new%d\t%d\n", i, i);
  geodisk_graph *graph = make_graph(text);
  geodisk_placed placed[256];
  assert_ok(geodisk_model_place(context, model, graph, &(geodisk_place_options){.placed = placed}, NULL, &out));
  geodisk_index *index = NULL;
  assert_ok(geodisk_index_create(context, out, GEODISK_SEARCH_AUTO, 0, &index));
  int likeliest = 0, below = 0;
  for (uint32_t i = 0; i < 100; i++) {
    geodisk_parent parent[3];
    size_t found;
    assert_ok(geodisk_index_parents(context, index, NODES + i, 3, parent, &found));
    below += geodisk_model_radius(out, NODES + i) > geodisk_model_radius(out, i);
    likeliest += found > 0 && parent[0].node == i;
    double sum = 0, d;
    for (uint32_t m = 0; m < NODES + 100; m++)
      if (m != NODES + i) {
        assert_ok(geodisk_model_distance(context, out, NODES + i, m, &d));
        sum += exp(-d);
      }
    for (size_t j = 0; j < found; j++) {
      assert_ok(geodisk_model_distance(context, out, NODES + i, parent[j].node, &d));
      assert_true(parent[j].distance == d && fabs(parent[j].probability - exp(-d) / sum) <= 1e-9);
      assert_true(j == 0 || parent[j - 1].distance <= d);
    }
  }
  assert_true(below >= 95);
  assert_true(likeliest >= 95);
  size_t found;
  geodisk_parent one;
  assert_int_equal(geodisk_index_parents(context, index, NODES + 100, 1, &one, &found), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_index_parents(context, index, 0, 0, &one, &found), GEODISK_ERROR_ARGUMENT);
  geodisk_index_destroy(index);
  geodisk_graph_destroy(graph);
  geodisk_model_destroy(out);
  geodisk_model_destroy(model);
}

static void refusals(void **state) {
  (void)state;
  geodisk_model *model = make_model(GEODISK_SPACE_HYPERBOLIC, GEODISK_PRECISION_DOUBLE, 1), *out = NULL;
  static const struct {
    const char *edges, *part;
  } cases[] = {
      {"1\t2\n3\t4\n", "has all nodes of the graph already"},
      {"a\t1\nx\ty\ny\tz\n", "joins 3 new nodes to the model: 'x', 'y', 'z'"},
      {"x\ty\n", "joins 2 new nodes to the model: 'x', 'y'"},
      {"a\t1\t0\n", "joins 1 new node to the model: 'a'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_graph *graph = make_graph(cases[i].edges);
    assert_int_equal(geodisk_model_place(context, model, graph, NULL, NULL, &out), GEODISK_ERROR_ARGUMENT);
    if (strstr(geodisk_context_error(context), cases[i].part) == NULL)
      fail_msg("'%s', expected '...%s...'", geodisk_context_error(context), cases[i].part);
    assert_null(out);
    geodisk_graph_destroy(graph);
  }
  geodisk_graph *graph = make_graph("a\t1\n");
  const geodisk_place_options bad = {.tolerance = -1};
  assert_int_equal(geodisk_model_place(context, model, graph, &bad, NULL, &out), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(graph);
  geodisk_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loss_and_gradient), cmocka_unit_test(old_stay_new_come), cmocka_unit_test(each_by_itself),
      cmocka_unit_test(a_good_place),      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, start, finish);
}

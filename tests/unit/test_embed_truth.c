/* What the trainer says of itself: with all negatives its loss is the exact one of the evaluation and falls; a number that is not
 * finite stops it, by name, and what was saved before stays good. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "embed_testing.h"
#include "geodisk/eval.h"

/* A complete tree, every node with `branching` children, closed; nodes are named by their numbers, level by level. */
static geodisk_graph *make_tree(uint64_t branching, uint64_t depth) {
  const geodisk_generate_options options = {
      .kind = GEODISK_TREE, .shape = GEODISK_CLOSED, .branching = branching, .depth = depth};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_generate(NULL, &options, &graph), GEODISK_OK);
  return graph;
}

/* ---- the exact loss ---- */

static double exact_loss(geodisk_context *context, const geodisk_graph *graph, geodisk_trainer *t) {
  const geodisk_ranking_options options = {.loss = true};
  geodisk_model *model = NULL, *copy = NULL;
  geodisk_relation *relation = NULL;
  geodisk_eval_points points;
  geodisk_ranking ranking;
  assert_int_equal(geodisk_trainer_model(t, &model), GEODISK_OK);
  assert_int_equal(geodisk_model_copy(context, model, GEODISK_WIDTH_AUTO, false, &copy), GEODISK_OK);
  assert_int_equal(geodisk_eval_points_of_model(context, copy, GEODISK_SPACE_HYPERBOLIC, &points), GEODISK_OK);
  assert_int_equal(geodisk_relation_create_plain(context, graph, geodisk_graph_nodes(graph), &relation), GEODISK_OK);
  assert_int_equal(geodisk_eval_ranking(context, &points, relation, NULL, &options, NULL, &ranking), GEODISK_OK);
  geodisk_relation_destroy(relation);
  geodisk_model_destroy(copy);
  geodisk_model_destroy(model);
  return t->options.loss == GEODISK_NEGATIVES_COMPLEMENT ? ranking.loss_complement.value : ranking.loss.value;
}

/* At a rate of 1e-12 points stay where they are (to 1e-9, after 426 steps), so the mean of the losses of all steps is the loss
 * of the embedding. At 0.02 every epoch lowers it. */
static void test_all_negatives_give_the_exact_loss(void **state) {
  (void)state;
  geodisk_context *context = make_context(2);
  geodisk_graph *graph = make_tree(3, 4);
  for (int c = 0; c < 8; c++) {
    geodisk_train_options o = geodisk_train_defaults();
    o.dim = c < 4 ? 2 : 5;
    o.precision = c % 4 < 2 ? GEODISK_PRECISION_DOUBLE : GEODISK_PRECISION_FLOAT;
    o.loss = c % 2 ? GEODISK_NEGATIVES_COMPLEMENT : GEODISK_NEGATIVES_NICKEL_KIELA;
    o.negatives = GEODISK_ALL_NEGATIVES;
    o.rates = GEODISK_RATES_CONSTANT;
    o.epochs = 1;
    o.lr = 1e-12;
    o.variant = c % 3 == 2 ? GEODISK_VARIANT_GROUPED : GEODISK_VARIANT_EDGE;
    geodisk_trainer *t = make_trainer(context, graph, &o);
    geodisk_train_epoch e;
    double expected = exact_loss(context, graph, t);
    assert_int_equal(geodisk_trainer_epoch(t, &e), GEODISK_OK);
    assert_int_equal(e.edges, geodisk_graph_edges(graph));
    assert_int_equal(e.skipped, 0);
    const double bound = o.precision == GEODISK_PRECISION_DOUBLE ? 1e-8 : 1e-5;
    if (!(expected > 0.1 && fabs(e.loss - expected) <= bound * expected))
      fail_msg("case %d: the trainer says %.12g, the evaluation %.12g", c, e.loss, expected);
    geodisk_trainer_destroy(t);

    o.lr = 0.02;
    o.epochs = 4;
    t = make_trainer(context, graph, &o);
    for (int i = 0; i < 4; i++) {
      assert_int_equal(geodisk_trainer_epoch(t, &e), GEODISK_OK);
      double lower = exact_loss(context, graph, t);
      if (!(lower < expected))
        fail_msg("case %d, epoch %d: the loss goes from %.12g to %.12g", c, i, expected, lower);
      expected = lower;
    }
    geodisk_trainer_destroy(t);
  }
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* ---- a number that is not finite ---- */

enum { ROOT = 0, GOOD_EPOCHS = 3 };

/* Saves after each epoch, as the command does with --checkpoint-every; after the last good one a coordinate of the root breaks.
 */
static bool save_then_break(void *user, geodisk_trainer *t, const geodisk_train_epoch *e) {
  assert_true(e->epoch < GOOD_EPOCHS);
  assert_int_equal(geodisk_trainer_save(t, user), GEODISK_OK);
  if (e->epoch + 1 < GOOD_EPOCHS)
    return true;
  const double value = t->options.seed % 2 ? (double)NAN : (double)INFINITY;
  if (t->options.precision == GEODISK_PRECISION_FLOAT)
    ((float *)t->rows)[ROOT * t->stride + 1] = (float)value;
  else
    ((double *)t->rows)[ROOT * t->stride + 1] = value;
  return true;
}

/* "... at node "u", edge "u" -> "0", epoch 3, step n (learning rate 0.25)", with an edge of the graph: the root is the target of
 * every other node and never a negative, so the first edge to it is where it shows. */
static void check_text(const geodisk_graph *graph, const char *text) {
  char node[32], child[32], parent[32];
  unsigned long long epoch, step;
  double rate;
  uint32_t u;
  if (sscanf(text,
             "a number is not finite at node \"%31[^\"]\", edge \"%31[^\"]\" -> \"%31[^\"]\", epoch %llu, step %llu "
             "(learning rate %lf)",
             node, child, parent, &epoch, &step, &rate) != 6)
    fail_msg("the text is: %s", text);
  assert_string_equal(node, child);
  assert_string_equal(parent, "0");
  assert_true(geodisk_graph_find(graph, child, strlen(child), &u) && geodisk_graph_has_edge(graph, u, ROOT));
  assert_int_equal(epoch, GOOD_EPOCHS);
  assert_in_range(step, 1, geodisk_graph_edges(graph));
  assert_true(rate == 0.25);
}

static void test_what_is_not_finite_stops_training(void **state) {
  (void)state;
  static const char *const sets[] = {"ref", "sse2", "avx2", "avx512"};
  static const char path[] = "embed_last_good.safetensors";
  geodisk_graph *graph = make_tree(3, 4);
  for (int set = 0; set < 4; set++)
    for (int c = 0; c < 8; c++) {
      geodisk_context *context = make_context(c % 3 + 1);
      if (geodisk_use_instruction_set(context, sets[set]) != GEODISK_OK) {
        geodisk_context_destroy(context);
        continue;
      }
      geodisk_train_options o = geodisk_train_defaults();
      o.dim = 3;
      o.negatives = 6;
      o.epochs = 5;
      o.rates = GEODISK_RATES_CONSTANT;
      o.lr = 0.25;
      o.precision = c % 2 ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
      o.variant = c < 4 ? GEODISK_VARIANT_EDGE : GEODISK_VARIANT_GROUPED;
      o.seed = (uint64_t)(c / 2);
      geodisk_trainer *t = make_trainer(context, graph, &o), *resumed = NULL;
      const geodisk_status status = geodisk_trainer_run(t, save_then_break, (void *)(uintptr_t)path);
      if (status != GEODISK_ERROR_NUMERIC)
        fail_msg("%s, case %d: status %d", sets[set], c, (int)status);
      if (o.variant == GEODISK_VARIANT_EDGE)
        check_text(graph, geodisk_context_error(context));
      assert_int_equal(geodisk_trainer_position(t), GOOD_EPOCHS);
      geodisk_trainer_destroy(t);

      /* the checkpoint is whole, and leads to where training would have come */
      t = make_trainer(context, graph, &o);
      assert_int_equal(geodisk_trainer_run(t, NULL, NULL), GEODISK_OK);
      assert_int_equal(geodisk_trainer_resume(context, graph, path, &o, &resumed), GEODISK_OK);
      assert_int_equal(geodisk_trainer_position(resumed), GOOD_EPOCHS);
      assert_int_equal(geodisk_trainer_run(resumed, NULL, NULL), GEODISK_OK);
      assert_memory_equal(resumed->rows, t->rows, t->nodes * row_bytes(t));
      geodisk_trainer_destroy(resumed);
      geodisk_trainer_destroy(t);
      geodisk_context_destroy(context);
    }
  remove(path);
  geodisk_graph_destroy(graph);
}

/* A node without edges is in no step; its gap shows at the end of the epoch. */
static void test_what_is_not_finite_shows_at_the_end(void **state) {
  (void)state;
  const uint32_t child[] = {1, 2, 3}, parent[] = {0, 0, 0};
  const geodisk_graph_arrays arrays = {.nodes = 6, .edges = 3, .children = child, .parents = parent};
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = 2;
  o.negatives = 1;
  o.seed = 3;
  for (int broken = 0; broken < 2; broken++) {
    geodisk_trainer *t = make_trainer(context, graph, &o);
    if (broken)
      ((double *)t->rows)[5 * t->stride + 2] = (double)NAN;
    const geodisk_status status = geodisk_trainer_epoch(t, NULL);
    assert_int_equal(status, broken ? GEODISK_ERROR_NUMERIC : GEODISK_OK);
    geodisk_trainer_destroy(t);
  }
  assert_non_null(strstr(geodisk_context_error(context), "a number is not finite"));
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* Weights that sum to nothing, or to more than there is, are refused: divided by their mean they would all be NaN or 0. */
static void test_weights_must_have_a_mean(void **state) {
  (void)state;
  const uint32_t child[] = {1, 2, 3}, parent[] = {0, 0, 0};
  const double none[] = {0.0, 0.0, 0.0}, large[] = {1e308, 1e308, 1.0};
  geodisk_context *context = make_context(1);
  for (int c = 0; c < 2; c++) {
    const geodisk_graph_arrays arrays = {
        .nodes = 4, .edges = 3, .children = child, .parents = parent, .weights = c ? large : none};
    geodisk_graph *graph = NULL;
    geodisk_trainer *t = NULL;
    assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
    assert_int_equal(geodisk_trainer_create(context, graph, NULL, &t), GEODISK_ERROR_ARGUMENT);
    assert_non_null(strstr(geodisk_context_error(context), c ? "weights are too large" : "weight 0"));
    assert_null(t);
    geodisk_graph_destroy(graph);
  }
  geodisk_context_destroy(context);
}

/* At a small rate, regularisation moves every target by -rate times the Riemannian gradient of |v|^2 for each of its edges:
 * (S/2)^2 2 v (by Euclidean steps 2 v); compared with the same training without it. */
static void test_regularization_pulls_to_the_origin(void **state) {
  (void)state;
  enum { DIM = 3 };
  const double rate = 1e-6, strength = 2.0;
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_tree(3, 3);
  for (int c = 0; c < 12; c++) {
    geodisk_train_options o = geodisk_train_defaults();
    o.dim = DIM;
    o.epochs = 1;
    o.negatives = GEODISK_ALL_NEGATIVES;
    o.rates = GEODISK_RATES_CONSTANT;
    o.lr = rate;
    o.range = 0.5;
    o.placement = GEODISK_PLACEMENT_RANDOM;
    o.update = (geodisk_update)(c % 3);
    o.space = c % 4 == 3 ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC;
    o.variant = c < 6 ? GEODISK_VARIANT_EDGE : GEODISK_VARIANT_GROUPED;
    geodisk_trainer *plain = make_trainer(context, graph, &o), *pulled;
    o.regularization = strength;
    pulled = make_trainer(context, graph, &o);
    assert_int_equal(geodisk_trainer_epoch(plain, NULL), GEODISK_OK);
    assert_int_equal(geodisk_trainer_epoch(pulled, NULL), GEODISK_OK);
    for (uint32_t v = 0; v < plain->nodes; v++) {
      double x[DIM], y[DIM], gap, unused;
      embed_get_row(plain, v, x, &gap);
      embed_get_row(pulled, v, y, &unused);
      const double edges = (double)(plain->in.offsets[v + 1] - plain->in.offsets[v]);
      const bool flat = o.space == GEODISK_SPACE_EUCLIDEAN || o.update == GEODISK_UPDATE_EUCLIDEAN;
      const double factor = rate * strength * edges * (flat ? 2.0 : 0.5 * gap * gap);
      for (int k = 0; k < DIM; k++)
        if (!(fabs(x[k] - y[k] - factor * x[k]) <= 1e-3 * factor * fabs(x[k]) + 1e-9))
          fail_msg("case %d node %u: moved by %g, expected %g", c, v, x[k] - y[k], factor * x[k]);
    }
    geodisk_trainer_destroy(plain);
    geodisk_trainer_destroy(pulled);
  }
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_negatives_give_the_exact_loss),   cmocka_unit_test(test_what_is_not_finite_stops_training),
      cmocka_unit_test(test_what_is_not_finite_shows_at_the_end), cmocka_unit_test(test_weights_must_have_a_mean),
      cmocka_unit_test(test_regularization_pulls_to_the_origin),
  };
  return cmocka_run_group_tests_name("what the trainer says", tests, NULL, NULL);
}

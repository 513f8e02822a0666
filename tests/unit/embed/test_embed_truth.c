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
      .kind = GEODISK_GENERATOR_TREE, .shape = GEODISK_SHAPE_CLOSED, .branching = branching, .depth = depth};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_generate(NULL, &options, &graph), GEODISK_OK);
  return graph;
}

static long double squared_norm(const long double *x, size_t dim) {
  long double sum = 0.0L;
  for (size_t k = 0; k < dim; k++)
    sum += x[k] * x[k];
  return sum;
}

/* ---- the exact loss ---- */

static double exact_loss(geodisk_context *context, const geodisk_graph *graph, geodisk_trainer *t) {
  const geodisk_ranking_options options = {.loss = true};
  geodisk_model *model = NULL;
  geodisk_relation *relation = NULL;
  geodisk_eval_points points;
  geodisk_ranking ranking;
  assert_int_equal(geodisk_trainer_model(t, &model), GEODISK_OK);
  assert_int_equal(geodisk_eval_points_of_model(context, model, GEODISK_SPACE_HYPERBOLIC, &points), GEODISK_OK);
  assert_int_equal(geodisk_relation_create_plain(context, graph, geodisk_graph_nodes(graph), &relation), GEODISK_OK);
  assert_int_equal(geodisk_eval_ranking(context, &points, relation, NULL, &options, &ranking), GEODISK_OK);
  geodisk_relation_destroy(relation);
  geodisk_model_destroy(model);
  return t->options.loss == GEODISK_LOSS_COMPLEMENT ? ranking.loss_complement.value : ranking.loss.value;
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
    o.loss = c % 2 ? GEODISK_LOSS_COMPLEMENT : GEODISK_LOSS_NICKEL_KIELA;
    o.negatives = GEODISK_NEGATIVES_ALL;
    o.sharpness = o.sharpness_first = 1.0;
    o.placement = GEODISK_PLACEMENT_TREE;
    o.rates = GEODISK_RATES_CONSTANT;
    o.cap = o.sparse = 0.0;
    o.epochs = 1;
    o.lr = 1e-12;
    o.units = c % 3 == 2 ? GEODISK_UNITS_EDGE : GEODISK_UNITS_SOURCE;
    geodisk_trainer *t = make_trainer(context, graph, &o);
    geodisk_train_epoch e;
    double expected = exact_loss(context, graph, t);
    assert_int_equal(geodisk_trainer_epoch(t, &e), GEODISK_OK);
    assert_int_equal(e.edges, geodisk_graph_edges(graph));
    assert_int_equal(e.skipped, 0);
    /* losses of units are whole multiples of 2^-20; negatives less likely than 1e-4 of the furthest target are left out */
    const double bound = o.precision == GEODISK_PRECISION_DOUBLE ? 1e-3 : 1.1e-3;
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

/* ---- one step ---- */

/* The loss of an edge by its definition, all nodes but u and its targets being negatives, in long double. */
static long double loss_of(const geodisk_trainer *t, const geodisk_graph *graph, uint32_t u, uint32_t v, double weight,
                           const long double *x) {
  const size_t dim = (size_t)t->options.dim;
  const bool flat = t->options.space == GEODISK_SPACE_EUCLIDEAN, complement = t->options.loss == GEODISK_LOSS_COMPLEMENT;
  long double sum = complement ? 1.0L : 0.0L, own = 0.0L;
  for (uint32_t m = 0; m < t->nodes; m++) {
    if (m == u || (m != v && geodisk_graph_has_edge(graph, u, m)))
      continue;
    long double square = 0.0L, gap_u = 1.0L, gap_m = 1.0L;
    for (size_t k = 0; k < dim; k++) {
      const long double a = x[u * dim + k], b = x[m * dim + k];
      square += (a - b) * (a - b);
      gap_u -= a * a;
      gap_m -= b * b;
    }
    const long double d = flat ? sqrtl(square) : acoshl(1.0L + 2.0L * square / (gap_u * gap_m));
    own = m == v ? d : own;
    sum += m == v && complement ? 0.0L : expl(-(long double)t->options.sharpness * d);
  }
  /* as the trainer counts: sharpness does not steepen the slope */
  return (long double)weight * (own + logl(sum) / (long double)t->options.sharpness) +
         (long double)t->options.regularization * squared_norm(x + v * dim, dim);
}

/* Moves of a step at a rate of 1e-6, against minus the gradient by differences of the loss: Riemannian, (S/2)^2 times the plain
 * one, but for Euclidean steps and in flat space. To 1e-5 of the largest. */
static void check_step(geodisk_trainer *t, const geodisk_graph *graph, const char *what) {
  enum { DIM = 3 };
  const double rate = t->options.lr;
  const epoch_plan plan = embed_plan(t);
  const size_t numbers = t->nodes * DIM;
  const bool plain = t->options.space == GEODISK_SPACE_EUCLIDEAN || t->options.update == GEODISK_UPDATE_EUCLIDEAN;
  unit_place unit;
  tally sum = {0};
  assert_int_equal(embed_block_units(t, &plan, embed_block_at(t, &plan, 0, 0), &unit), 1);
  const uint32_t u = unit.node, v = t->out.nodes[unit.first];
  const double weight = t->out.weights ? t->out.weights[unit.first] / t->mean_weight : 1.0;
  long double *x = malloc(numbers * sizeof *x);
  double *before = malloc(numbers * sizeof *before), *after = malloc(numbers * sizeof *after),
         *moves = malloc(numbers * sizeof *moves);
  geodisk_trainer_points(t, before);
  assert_true(embed_comb(t, &plan));
  assert_true(t->backend->batch(t, &plan, 0, &sum));
  geodisk_trainer_points(t, after);
  for (size_t i = 0; i < numbers; i++)
    x[i] = (long double)before[i];
  double most = 0.0;
  for (size_t i = 0; i < numbers; i++) {
    const long double h = 1e-6L, at = x[i];
    x[i] = at + h;
    const long double up = loss_of(t, graph, u, v, weight, x);
    x[i] = at - h;
    const long double down = loss_of(t, graph, u, v, weight, x);
    x[i] = at;
    const long double gap = 1.0L - squared_norm(x + i / DIM * DIM, DIM);
    moves[i] = -rate * (double)((up - down) / (2.0L * h) * (plain ? 1.0L : gap * gap / 4.0L));
    most = fabs(moves[i]) > most ? fabs(moves[i]) : most;
  }
  assert_true(most > 0.01 * rate);
  for (size_t i = 0; i < numbers; i++)
    if (!(fabs(after[i] - before[i] - moves[i]) <= 1e-5 * most))
      fail_msg("%s: edge %u -> %u moves coordinate %zu of node %zu by %g, expected %g", what, u, v, i % DIM, i / DIM,
               after[i] - before[i], moves[i]);
  free(x);
  free(before);
  free(after);
  free(moves);
}

static void test_one_step_follows_the_gradient(void **state) {
  (void)state;
  static const double sharpness[] = {1.0, 0.5, 2.0, 3.7};
  const char *sets[MOST_SETS + 1] = {"ref"};
  const size_t count = 1 + kernel_sets(sets + 1);
  for (size_t s = 0; s < count; s++)
    for (int c = 0; c < 48; c++) {
      char what[96];
      geodisk_context *context = context_of(sets[s], 1);
      geodisk_graph *graph = make_graph(TREE, 15, c % 5 == 0);
      geodisk_train_options o = geodisk_train_defaults();
      o.dim = 3;
      o.units = GEODISK_UNITS_EDGE;
      o.batch = 1;
      o.negatives = GEODISK_NEGATIVES_ALL;
      o.cap = 0.0;
      o.epochs = 1;
      o.rates = GEODISK_RATES_CONSTANT;
      o.lr = 1e-6;
      o.placement = GEODISK_PLACEMENT_RANDOM;
      o.range = 0.4; /* so near to each other that no likelihood is small enough to be dropped */
      o.update = (geodisk_update)(c % 3);
      o.space = c / 3 % 2 ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC;
      o.loss = c / 6 % 2 ? GEODISK_LOSS_COMPLEMENT : GEODISK_LOSS_NICKEL_KIELA;
      o.sharpness = o.sharpness_first = sharpness[c / 12];
      o.regularization = c % 7 == 0 ? 0.7 : 0.0;
      o.seed = (uint64_t)c;
      snprintf(what, sizeof what, "%s, case %d", sets[s], c);
      geodisk_trainer *t = make_trainer(context, graph, &o);
      check_step(t, graph, what);
      geodisk_trainer_destroy(t);
      geodisk_graph_destroy(graph);
      geodisk_context_destroy(context);
    }
}

/* ---- a number that is not finite ---- */

enum { ROOT = 0, GOOD_EPOCHS = 3 };

/* Saves after each epoch, as the command does with --checkpoint-every; after the last good one a coordinate of the root breaks.
 */
static bool save_then_break(void *user, geodisk_trainer *t, const geodisk_train_epoch *e) {
  if (e->epoch >= GOOD_EPOCHS)
    fail_msg("units %d, precision %d, seed %d: training went on", (int)t->options.units, (int)t->options.precision,
             (int)t->options.seed);
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

/* "... at node "u", epoch 3, step n (learning rate 0.25)": the root or a node that points to it; or, where no step had a pull for
 * it, at the end of the epoch. */
static void check_text(const geodisk_graph *graph, const char *text) {
  char node[32];
  unsigned long long epoch, step;
  double rate;
  uint32_t u;
  if (strcmp(text, "a number is not finite among the points at the end of epoch 3 (learning rate 0.25)") == 0)
    return;
  if (sscanf(text, "a number is not finite at node \"%31[^\"]\", epoch %llu, step %llu (learning rate %lf)", node, &epoch, &step,
             &rate) != 4)
    fail_msg("the text is: %s", text);
  assert_true(geodisk_graph_find(graph, node, strlen(node), &u) && (u == ROOT || geodisk_graph_has_edge(graph, u, ROOT)));
  assert_int_equal(epoch, GOOD_EPOCHS);
  assert_in_range(step, 0, geodisk_graph_edges(graph) - 1);
  assert_true(rate == 0.25);
}

static void test_what_is_not_finite_stops_training(void **state) {
  (void)state;
  const char *sets[MOST_SETS + 1] = {"ref"};
  const size_t count = 1 + kernel_sets(sets + 1);
  static const char path[] = "embed_last_good.safetensors";
  geodisk_graph *graph = make_tree(3, 4);
  for (size_t set = 0; set < count; set++)
    for (int c = 0; c < 8; c++) {
      geodisk_context *context = context_of(sets[set], c % 3 + 1);
      geodisk_train_options o = geodisk_train_defaults();
      o.dim = 3;
      o.negatives = 6;
      o.epochs = 5;
      o.rates = GEODISK_RATES_CONSTANT;
      o.lr = 0.25;
      o.core_epochs = 0;
      o.batch = c < 2 ? 1 : 50;
      o.precision = c % 2 ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
      o.units = c < 4 ? GEODISK_UNITS_EDGE : GEODISK_UNITS_SOURCE;
      o.seed = (uint64_t)(c / 2);
      geodisk_trainer *t = make_trainer(context, graph, &o), *resumed = NULL;
      const geodisk_status status = geodisk_trainer_run(t, save_then_break, (void *)(uintptr_t)path);
      if (status != GEODISK_ERROR_NUMERIC)
        fail_msg("%s, case %d: status %d", sets[set], c, (int)status);
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
  o.units = GEODISK_UNITS_EDGE;
  o.sampling = GEODISK_SAMPLING_DEGREE; /* never draws it */
  for (int broken = 0; broken < 2; broken++) {
    geodisk_trainer *t = make_trainer(context, graph, &o);
    if (broken)
      ((double *)t->rows)[6 * t->stride - 1] = (double)NAN;
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_negatives_give_the_exact_loss), cmocka_unit_test(test_one_step_follows_the_gradient),
      cmocka_unit_test(test_what_is_not_finite_stops_training), cmocka_unit_test(test_what_is_not_finite_shows_at_the_end),
      cmocka_unit_test(test_weights_must_have_a_mean),
  };
  return cmocka_run_group_tests_name("what the trainer says", tests, NULL, NULL);
}

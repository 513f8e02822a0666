/* test_auto.c - what suits a graph: kinds, the share of trials, the same choice on any number of threads, what is given stays,
 * and a choice that is stopped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "auto/trials.h"

static geodisk_graph *generate(geodisk_generate_options options) {
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_generate(NULL, &options, &graph), GEODISK_OK);
  return graph;
}

static geodisk_graph *grid(uint64_t side) {
  return generate((geodisk_generate_options){
      .kind = GEODISK_GENERATOR_GRID, .shape = GEODISK_SHAPE_UNDIRECTED, .rows = side, .columns = side});
}

static geodisk_graph *scale_free(void) {
  return generate((geodisk_generate_options){
      .kind = GEODISK_GENERATOR_BARABASI, .shape = GEODISK_SHAPE_UNDIRECTED, .nodes = 24, .attach = 2, .seed = 1});
}

/* A ring, and a node in the middle. */
static geodisk_graph *wheel(void) {
  enum { RIM = 40 };
  uint32_t from[2 * RIM], to[2 * RIM];
  for (uint32_t i = 0; i < RIM; i++) {
    from[2 * i] = from[2 * i + 1] = i;
    to[2 * i] = (i + 1) % RIM;
    to[2 * i + 1] = RIM;
  }
  const geodisk_graph_arrays arrays = {.nodes = RIM + 1, .edges = (size_t)2 * RIM, .children = from, .parents = to};
  geodisk_graph *graph = NULL, *both = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_undirected(NULL, graph, &both), GEODISK_OK);
  geodisk_graph_destroy(graph);
  return both;
}

static geodisk_graph *tree(geodisk_shape shape) {
  return generate((geodisk_generate_options){.kind = GEODISK_GENERATOR_TREE, .shape = shape, .branching = 3, .depth = 3});
}

static geodisk_train_options in_dim(int dim) {
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = dim;
  return o;
}

static geodisk_auto_choice choice_of(const geodisk_graph *graph, const geodisk_train_options *o) {
  geodisk_auto_choice choice;
  assert_int_equal(geodisk_auto_choose(NULL, graph, o, &choice), GEODISK_OK);
  return choice;
}

static void kinds(void **state) {
  (void)state;
  const geodisk_train_options o = in_dim(3);
  struct {
    geodisk_graph *graph;
    geodisk_auto_kind kind;
    bool tried;
    const char *text;
  } cases[] = {{tree(GEODISK_SHAPE_CLOSED), GEODISK_AUTO_CLOSED, false, "a closed hierarchy: "},
               {tree(GEODISK_SHAPE_UNDIRECTED), GEODISK_AUTO_TREE, true, "a tree: "},
               {grid(6), GEODISK_AUTO_EVEN, true, "a network without hubs: "},
               {wheel(), GEODISK_AUTO_HUBS, true, "a network with hubs: "}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const geodisk_auto_choice choice = choice_of(cases[i].graph, &o);
    assert_int_equal(choice.kind, cases[i].kind);
    assert_int_equal(choice.trials > 0, cases[i].tried);
    assert_int_equal(strncmp(choice.text, cases[i].text, strlen(cases[i].text)), 0);
    assert_true(choice.options.sharpness > 0.0 && choice.options.lr > 0.0);
    assert_int_equal(choice.options.epochs == 0, choice.kind == GEODISK_AUTO_TREE); /* which is constructed */
    geodisk_graph_destroy(cases[i].graph);
  }
}

/* A closure whose nodes have two parents each is tried: what looking settles comes to a MAP of 0.990 there. That of a tree is
 * not, and a stop leaves what looking settles. */
static bool stops(void *data, const geodisk_progress *progress) {
  (void)progress;
  return --*(int *)data > 0;
}

static void closures_with_several_parents(void **state) {
  (void)state;
  enum { NODES = 90 };
  uint32_t from[2 * NODES], to[2 * NODES];
  size_t edges = 0;
  geodisk_random random = geodisk_random_stream(4, 0);
  for (uint32_t u = 1; u < NODES; u++)
    for (int k = 0; k < 2; k++) {
      from[edges] = u;
      to[edges++] = (uint32_t)geodisk_random_below(&random, u);
    }
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = edges, .children = from, .parents = to};
  geodisk_graph *links = NULL, *closure = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &links), GEODISK_OK);
  assert_int_equal(geodisk_graph_closure(NULL, links, NULL, &closure), GEODISK_OK);
  const geodisk_train_options o = in_dim(10);
  geodisk_auto_choice choice, again;
  geodisk_trainer *trainer = NULL, *looked = NULL;
  geodisk_ranking tried, settled;
  assert_int_equal(geodisk_auto_trainer(NULL, closure, &o, &choice, &trainer), GEODISK_OK);
  assert_int_equal(geodisk_trainer_run(trainer, NULL, NULL), GEODISK_OK);
  assert_int_equal(geodisk_auto_judge(NULL, closure, trainer, true, &tried), GEODISK_OK);
  assert_int_equal(geodisk_trainer_create(NULL, closure, &o, &looked), GEODISK_OK);
  assert_int_equal(geodisk_trainer_run(looked, NULL, NULL), GEODISK_OK);
  assert_int_equal(geodisk_auto_judge(NULL, closure, looked, true, &settled), GEODISK_OK);
  assert_true(choice.kind == GEODISK_AUTO_CLOSED && choice.trials > 1 && choice.trainings == 0);

  assert_true(settled.map.value < 0.995 && tried.map.value > 0.999);
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  int left = 20;
  geodisk_context_on_progress(context, stops, &left);
  assert_int_equal(geodisk_auto_choose(context, closure, &o, &again), GEODISK_OK);
  assert_true(again.stopped && again.trials == 0 && again.options.placement != choice.options.placement);
  geodisk_context_destroy(context);
  geodisk_trainer_destroy(trainer);
  geodisk_trainer_destroy(looked);
  geodisk_graph_destroy(links);
  geodisk_graph_destroy(closure);
}

static geodisk_graph *joined(const uint32_t *from, const uint32_t *to, size_t nodes, size_t edges) {
  const geodisk_graph_arrays arrays = {.nodes = nodes, .edges = edges, .children = from, .parents = to};
  geodisk_graph *graph = NULL, *both = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_undirected(NULL, graph, &both), GEODISK_OK);
  geodisk_graph_destroy(graph);
  return both;
}

/* A ring is constructed; a ring of triangles, whose cycles have edges in common, is arranged by its distances: a random start
 * leaves it in tangles. */
static void rings_of_nodes(void **state) {
  (void)state;
  enum { RING = 90 };
  uint32_t from[RING + RING / 2], to[RING + RING / 2];
  for (uint32_t i = 0; i < RING; i++) {
    from[i] = i;
    to[i] = (i + 1) % RING;
    from[RING + i / 2] = i / 2 * 2;
    to[RING + i / 2] = (i / 2 * 2 + 2) % RING;
  }
  const geodisk_train_options o = in_dim(2);
  for (int triangles = 0; triangles < 2; triangles++) {
    geodisk_graph *graph = joined(from, to, RING, (size_t)(triangles ? RING + RING / 2 : RING));
    const geodisk_auto_choice choice = choice_of(graph, &o);
    assert_true(choice.map == 1.0 && choice.mean_rank == 1.0 && (choice.trainings == 0) == !triangles);
    assert_non_null(strstr(choice.text, triangles ? ", from distances in flat space, "
                                                  : "construction of a spanning tree and of cycles, not trained"));
    geodisk_graph_destroy(graph);
  }
}

/* Stars whose hubs are joined in a ring: the edge that is left out of the spanning tree is one between hubs,
 * which costs the least. What is expected: all precisions 1 but those of two hubs, whose last neighbour is not near. */
static void spanning(void **state) {
  (void)state;
  enum { HUBS = 5, LEAVES = 12, NODES = HUBS * (LEAVES + 1) };
  uint32_t from[NODES], to[NODES];
  size_t edges = 0;
  for (uint32_t h = 0; h < HUBS; h++) {
    from[edges] = h * (LEAVES + 1);
    to[edges++] = (h + 1) % HUBS * (LEAVES + 1);
    for (uint32_t i = 1; i <= LEAVES; i++) {
      from[edges] = h * (LEAVES + 1);
      to[edges++] = h * (LEAVES + 1) + i;
    }
  }
  geodisk_graph *graph = joined(from, to, NODES, edges);
  const geodisk_train_options o = in_dim(2);
  auto_state c = {.graph = graph, .given = o};
  auto_candidate candidate = {.options = o, .untrained = true, .begins = AUTO_BEGINS_SPANNING};
  candidate.options.epochs = GEODISK_EPOCHS_NONE;
  geodisk_trainer *trainer = NULL;
  geodisk_ranking ranking;
  assert_int_equal(auto_begin(&c, &candidate), GEODISK_OK);
  assert_int_equal(geodisk_trainer_create(NULL, graph, &candidate.options, &trainer), GEODISK_OK);
  assert_int_equal(geodisk_auto_judge(NULL, graph, trainer, true, &ranking), GEODISK_OK);
  assert_true(ranking.map.value >= 1.0 - 2.0 / (LEAVES + 2) / NODES);
  geodisk_trainer_destroy(trainer);
  geodisk_model_destroy(c.starts[AUTO_BEGINS_SPANNING]);
  geodisk_graph_destroy(graph);
}

/* A tree too large for trials is constructed where there is room. */
static void large_trees(void **state) {
  (void)state;
  geodisk_graph *graph = generate(
      (geodisk_generate_options){.kind = GEODISK_GENERATOR_TREE, .shape = GEODISK_SHAPE_UNDIRECTED, .branching = 3, .depth = 9});
  const geodisk_train_options o = in_dim(5);
  const geodisk_auto_choice choice = choice_of(graph, &o);
  assert_int_equal(choice.trials, 0);
  assert_string_equal(choice.text, "a tree: construction, not trained");
  assert_int_equal(choice.options.epochs, 0);
  geodisk_graph_destroy(graph);
}

/* At most a third of all pairs, and neither threads nor instruction sets matter. */
static void share_and_threads(void **state) {
  (void)state;
  geodisk_graph *graph = scale_free();
  const geodisk_train_options o = in_dim(2);
  const geodisk_auto_choice one = choice_of(graph, &o);
  assert_true(one.trials >= 3 && one.pairs > 0);
  assert_true(3 * one.pairs <= one.whole);
  geodisk_context *context = NULL;
  geodisk_auto_choice many;
  assert_int_equal(geodisk_context_create(3, &context), GEODISK_OK);
  assert_int_equal(geodisk_use_instruction_set(context, "ref"), GEODISK_OK);
  assert_int_equal(geodisk_auto_choose(context, graph, &o, &many), GEODISK_OK);
  assert_string_equal(one.text, many.text);
  assert_int_equal(one.pairs, many.pairs);
  assert_true(one.map == many.map && one.options.sharpness == many.options.sharpness && one.flat_map == many.flat_map);
  geodisk_context_destroy(context);
  geodisk_graph_destroy(graph);
}

/* What is given is taken; with the number of epochs given there are no trials. */
static void what_is_given(void **state) {
  (void)state;
  geodisk_graph *graph = grid(5);
  geodisk_train_options o = in_dim(2);
  o.sharpness = 3.0;
  o.lr = 0.05;
  geodisk_auto_choice choice = choice_of(graph, &o);
  assert_true(choice.options.sharpness == 3.0 && choice.options.lr == 0.05);
  assert_int_equal(choice.trials, 1); /* there is one way */
  o = in_dim(2);
  o.epochs = 7;
  choice = choice_of(graph, &o);
  assert_int_equal(choice.trials, 0);
  assert_int_equal(choice.options.epochs, 7);
  assert_true(isnan(choice.map) && isnan(choice.flat_map));
  geodisk_graph_destroy(graph);
}

/* What is perfect is the result, less sharp (the first trial has 24) as long as it stays perfect. */
static void perfect_trials(void **state) {
  (void)state;
  geodisk_graph *graph = grid(6);
  geodisk_trainer *trainer = NULL;
  geodisk_auto_choice choice;
  geodisk_ranking ranking;
  const geodisk_train_options o = in_dim(5);
  assert_int_equal(geodisk_auto_trainer(NULL, graph, &o, &choice, &trainer), GEODISK_OK);
  assert_true(choice.map == 1.0 && choice.mean_rank == 1.0);
  assert_true(choice.trials > 1 && choice.options.sharpness >= 1.0 && choice.options.sharpness < 12.0);
  assert_int_equal(geodisk_trainer_position(trainer), geodisk_trainer_epochs(trainer));
  assert_int_equal(geodisk_auto_judge(NULL, graph, trainer, true, &ranking), GEODISK_OK);
  assert_true(ranking.map.value == 1.0);
  geodisk_trainer_destroy(trainer);
  geodisk_graph_destroy(graph);
}

/* Lengths take neighbours apart: if the construction that keeps them has bad ranks, that without them is taken, else not. */
static void trees_with_lengths(void **state) {
  (void)state;
  enum { NODES = 60 };
  const geodisk_train_options o = in_dim(2);
  for (int alike = 0; alike < 2; alike++) {
    uint32_t from[NODES], to[NODES];
    double lengths[NODES];
    for (uint32_t i = 1; i < NODES; i++) {
      from[i - 1] = i;
      to[i - 1] = (i - 1) / 2;
      lengths[i - 1] = alike || i % 5 != 1 ? 1.0 : 20.0;
    }
    const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = NODES - 1, .children = from, .parents = to, .weights = lengths};
    geodisk_graph *graph = NULL, *both = NULL;
    assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
    assert_int_equal(geodisk_graph_undirected(NULL, graph, &both), GEODISK_OK);
    const geodisk_auto_choice choice = choice_of(both, &o);
    assert_true(choice.map == 1.0 && choice.options.epochs == 0);
    assert_true((strstr(choice.text, "without lengths") == NULL) == (alike == 1));
    geodisk_graph_destroy(both);
    geodisk_graph_destroy(graph);
  }
}

/* The result is the best of whole trainings, done, and as good as flat space in the same dimension. */
static void as_good_as_flat(void **state) {
  (void)state;
  geodisk_graph *graph = scale_free();
  for (int dim = 2; dim <= 3; dim++) {
    geodisk_trainer *trainer = NULL, *flat = NULL;
    geodisk_auto_choice choice;
    geodisk_ranking ranking, in_flat_space;
    geodisk_train_options o = in_dim(dim);
    assert_int_equal(geodisk_auto_trainer(NULL, graph, &o, &choice, &trainer), GEODISK_OK);
    assert_int_equal(geodisk_trainer_position(trainer), geodisk_trainer_epochs(trainer));
    assert_int_equal(geodisk_auto_judge(NULL, graph, trainer, true, &ranking), GEODISK_OK);
    assert_true(ranking.map.value == choice.map && ranking.mean_rank.value == choice.mean_rank);
    o.space = GEODISK_SPACE_EUCLIDEAN;
    assert_int_equal(geodisk_auto_trainer(NULL, graph, &o, NULL, &flat), GEODISK_OK);
    assert_int_equal(geodisk_trainer_run(flat, NULL, NULL), GEODISK_OK);
    assert_int_equal(geodisk_auto_judge(NULL, graph, flat, true, &in_flat_space), GEODISK_OK);
    if (choice.map < 1.0)
      assert_true(choice.trainings >= 2 && choice.flat_map == in_flat_space.map.value);
    assert_true(choice.map >= in_flat_space.map.value - AUTO_SAME_MAP);
    geodisk_trainer_destroy(flat);
    geodisk_trainer_destroy(trainer);
  }
  geodisk_graph_destroy(graph);
}

/* Points of flat space, bent: hyperbolic, inside the ball, with ranks as good. */
static void bent_points(void **state) {
  (void)state;
  geodisk_graph *graph = grid(7);
  geodisk_trainer *flat = NULL;
  geodisk_ranking ranking;
  auto_trial bent = {0};
  geodisk_train_options o = in_dim(2);
  auto_state c = {.graph = graph, .given = o};
  o.space = GEODISK_SPACE_EUCLIDEAN;
  o.epochs = 150;
  assert_int_equal(geodisk_trainer_create(NULL, graph, &o, &flat), GEODISK_OK);
  assert_int_equal(geodisk_trainer_run(flat, NULL, NULL), GEODISK_OK);
  assert_int_equal(geodisk_auto_judge(NULL, graph, flat, true, &ranking), GEODISK_OK);
  assert_int_equal(auto_bend(&c, flat, ranking.map.value, &bent), GEODISK_OK);
  assert_non_null(bent.trainer);
  assert_true(bent.map >= ranking.map.value - AUTO_SAME_MAP);
  const geodisk_train_options of = geodisk_trainer_options(bent.trainer);
  assert_true(of.space == GEODISK_SPACE_HYPERBOLIC && of.sharpness > 0.0 && of.sharpness <= 64.0);
  assert_int_equal(geodisk_trainer_epochs(bent.trainer), 0);
  double points[49 * 2], furthest = 0.0;
  geodisk_trainer_points(bent.trainer, points);
  for (int u = 0; u < 49; u++)
    furthest = fmax(furthest, hypot(points[2 * u], points[2 * u + 1]));
  assert_true(furthest > 0x1p-26 && furthest <= 0.5);
  geodisk_trainer_destroy(bent.trainer);
  geodisk_trainer_destroy(flat);
  geodisk_graph_destroy(graph);
}

typedef struct patience {
  size_t left;
  const char *task;
} patience;

static bool wait_a_while(void *user, const geodisk_progress *progress) {
  patience *p = user;
  return strcmp(progress->task, p->task) != 0 || p->left-- > 0;
}

/* Stopped in the first whole training: it can be gone on with, to the bytes that it would have come to. Stopped in a later one:
 * the first is there, whole. */
static void stopped_while_training(void **state) {
  (void)state;
  geodisk_graph *graph = scale_free();
  const geodisk_train_options o = in_dim(2);
  const size_t epochs[] = {5, 2500};
  for (size_t i = 0; i < 2; i++) {
    patience p = {epochs[i], "training"};
    geodisk_context *context = NULL;
    geodisk_trainer *trainer = NULL, *alone = NULL;
    geodisk_auto_choice choice;
    double x[48], y[48];
    assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
    geodisk_context_on_progress(context, wait_a_while, &p);
    assert_int_equal(geodisk_auto_trainer(context, graph, &o, &choice, &trainer), GEODISK_OK);
    assert_true(choice.stopped);
    assert_int_equal(choice.trainings, i);
    assert_int_equal(geodisk_trainer_position(trainer), i == 0 ? 5 : geodisk_trainer_epochs(trainer));
    geodisk_context_on_progress(context, NULL, NULL);
    assert_int_equal(geodisk_trainer_run(trainer, NULL, NULL), GEODISK_OK);
    assert_int_equal(geodisk_trainer_create(context, graph, &choice.options, &alone), GEODISK_OK);
    assert_int_equal(geodisk_trainer_run(alone, NULL, NULL), GEODISK_OK);
    geodisk_trainer_points(trainer, x);
    geodisk_trainer_points(alone, y);
    assert_memory_equal(x, y, sizeof x);
    geodisk_trainer_destroy(alone);
    geodisk_trainer_destroy(trainer);
    geodisk_context_destroy(context);
  }
  geodisk_graph_destroy(graph);
}

/* Stopped in its first trial, and in a later one: the best so far is a trainer that can be trained, saved and resumed. */
static void stopped(void **state) {
  (void)state;
  geodisk_graph *graph = scale_free();
  const geodisk_train_options o = in_dim(2);
  const size_t epochs[] = {3, 200};
  for (size_t i = 0; i < 2; i++) {
    patience p = {epochs[i], "choosing"};
    geodisk_context *context = NULL;
    geodisk_trainer *trainer = NULL, *again = NULL;
    geodisk_auto_choice choice;
    geodisk_ranking ranking;
    char path[] = "/tmp/geodisk-auto-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
    geodisk_context_on_progress(context, wait_a_while, &p);
    assert_int_equal(geodisk_auto_trainer(context, graph, &o, &choice, &trainer), GEODISK_OK);
    assert_true(choice.stopped && choice.trials >= 1);
    assert_non_null(strstr(choice.text, "interrupted"));
    geodisk_context_on_progress(context, NULL, NULL);
    assert_int_equal(geodisk_auto_judge(context, graph, trainer, true, &ranking), GEODISK_OK);
    assert_true(ranking.map.value == choice.map);
    assert_int_equal(geodisk_trainer_position(trainer), 0);
    assert_int_equal(geodisk_trainer_save(trainer, path), GEODISK_OK);
    assert_int_equal(geodisk_trainer_resume(context, graph, path, NULL, &again), GEODISK_OK);
    assert_int_equal(geodisk_trainer_epoch(again, NULL), GEODISK_OK);
    geodisk_model *model = NULL;
    assert_int_equal(geodisk_trainer_model(again, &model), GEODISK_OK);
    assert_string_equal(geodisk_model_get(model, "choice"), choice.text);
    geodisk_model_destroy(model);
    geodisk_trainer_destroy(again);
    geodisk_trainer_destroy(trainer);
    geodisk_context_destroy(context);
    remove(path);
  }
  geodisk_graph_destroy(graph);
}

/* What is no number, or negative, is not taken for AUTO. */
static void no_numbers(void **state) {
  (void)state;
  geodisk_graph *graph = tree(GEODISK_SHAPE_UNDIRECTED);
  geodisk_auto_choice choice;
  for (int i = 0; i < 6; i++) {
    geodisk_train_options o = in_dim(2);
    double *const fields[] = {&o.lr, &o.sharpness, &o.sharpness_first};
    *fields[i / 2] = i % 2 ? (double)NAN : -1.0;
    assert_int_equal(geodisk_auto_choose(NULL, graph, &o, &choice), GEODISK_ERROR_ARGUMENT);
  }
  geodisk_graph_destroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kinds),
                                     cmocka_unit_test(closures_with_several_parents),
                                     cmocka_unit_test(rings_of_nodes),
                                     cmocka_unit_test(spanning),
                                     cmocka_unit_test(large_trees),
                                     cmocka_unit_test(share_and_threads),
                                     cmocka_unit_test(what_is_given),
                                     cmocka_unit_test(perfect_trials),
                                     cmocka_unit_test(trees_with_lengths),
                                     cmocka_unit_test(stopped),
                                     cmocka_unit_test(as_good_as_flat),
                                     cmocka_unit_test(bent_points),
                                     cmocka_unit_test(stopped_while_training),
                                     cmocka_unit_test(no_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

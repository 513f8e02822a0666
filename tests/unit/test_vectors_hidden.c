/* test_vectors_hidden.c - 50 leaves of the mammals are hidden, the rest is trained, and each is placed by one edge, the one to
 * its parent: that parent is among the 5 likeliest for at least 80 % of them (nearly all, in fact: the bound is the promise, not
 * the measurement, which is printed). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/embed.h"
#include "geodisk/vectors.h"

enum { HIDDEN = 50, BEST = 5 };
static geodisk_context *context;

static void assert_ok(geodisk_status status) {
  if (status != GEODISK_OK)
    fail_msg("%s: %s", geodisk_status_text(status), geodisk_context_error(context));
}

static size_t degree(geodisk_graph_rows rows, uint32_t u) { return (size_t)(rows.offsets[u + 1] - rows.offsets[u]); }

/* Which leaves are hidden, with one parent of each, drawn from the seed. */
static void choose(const geodisk_graph *tree, uint64_t seed, bool *hidden, uint32_t *leaf, uint32_t *parent) {
  const size_t n = geodisk_graph_nodes(tree);
  const geodisk_graph_rows out = geodisk_graph_out(tree), in = geodisk_graph_in(tree);
  geodisk_random random = geodisk_random_stream(seed, 0);
  memset(hidden, 0, n * sizeof *hidden);
  for (size_t found = 0; found < HIDDEN;) {
    const uint32_t u = (uint32_t)geodisk_random_below(&random, n);
    if (hidden[u] || degree(in, u) > 0 || degree(out, u) == 0)
      continue;
    hidden[u] = true;
    leaf[found] = u;
    parent[found++] = out.nodes[out.offsets[u] + geodisk_random_below(&random, degree(out, u))];
  }
}

/* The closure without the edges of hidden nodes. The nodes keep their names, not their numbers. */
static geodisk_graph *visible_part(const geodisk_graph *closure, const geodisk_graph *tree, const bool *hidden) {
  const geodisk_graph_rows out = geodisk_graph_out(closure);
  char *text = malloc(geodisk_graph_edges(closure) * 96 + 1), *end = text;
  assert_non_null(text);
  for (uint32_t u = 0; u < geodisk_graph_nodes(closure); u++) {
    uint32_t same;
    const char *name = geodisk_graph_name(closure, u);
    assert_true(geodisk_graph_find(tree, name, strlen(name), &same));
    for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1] && !hidden[same]; e++)
      end += snprintf(end, 96, "%s\t%s\n", name, geodisk_graph_name(closure, out.nodes[e]));
  }
  geodisk_graph *graph = NULL;
  assert_ok(geodisk_graph_read_memory(context, "visible", text, (size_t)(end - text), NULL, NULL, &graph));
  free(text);
  return graph;
}

static geodisk_model *train(const geodisk_graph *graph, int dim, uint64_t seed) {
  geodisk_train_options options = geodisk_train_defaults();
  assert_ok(geodisk_train_recipe(context, "mammals", &options));
  options.dim = dim;
  options.seed = seed;
  options.epochs = 150; /* enough here, and quick */
  geodisk_trainer *trainer = NULL;
  geodisk_model *over = NULL, *model = NULL;
  assert_ok(geodisk_trainer_create(context, graph, &options, &trainer));
  assert_ok(geodisk_trainer_run(trainer, NULL, NULL));
  assert_ok(geodisk_trainer_model(trainer, &over));
  assert_ok(geodisk_model_copy(context, over, GEODISK_WIDTH_AUTO, false, &model));
  geodisk_model_destroy(over);
  geodisk_trainer_destroy(trainer);
  return model;
}

/* How many hidden leaves have their parent among the likeliest. */
static int found_again(const geodisk_model *model, const geodisk_graph *tree, const uint32_t *leaf, const uint32_t *parent) {
  char text[HIDDEN * 128], *end = text;
  for (int i = 0; i < HIDDEN; i++)
    end += snprintf(end, 128, "%s\t%s\n", geodisk_graph_name(tree, leaf[i]), geodisk_graph_name(tree, parent[i]));
  geodisk_graph *edges = NULL;
  geodisk_model *out = NULL;
  geodisk_index *index = NULL;
  geodisk_placed placed[2 * HIDDEN];
  assert_ok(geodisk_graph_read_memory(context, "edges", text, strlen(text), NULL, NULL, &edges));
  assert_ok(geodisk_model_place(context, model, edges, NULL, placed, NULL, &out));
  assert_ok(geodisk_index_create(context, out, GEODISK_SEARCH_AUTO, HIDDEN, &index));
  int right = 0;
  for (int i = 0; i < HIDDEN; i++) {
    geodisk_parent likely[BEST];
    size_t found;
    uint32_t node;
    const char *name = geodisk_graph_name(tree, leaf[i]), *wanted = geodisk_graph_name(tree, parent[i]);
    assert_true(geodisk_model_find(out, name, strlen(name), &node));
    assert_ok(geodisk_index_parents(context, index, node, BEST, likely, &found));
    for (size_t j = 0; j < found; j++)
      right += strcmp(geodisk_model_name(out, likely[j].node), wanted) == 0;
  }
  geodisk_index_destroy(index);
  geodisk_model_destroy(out);
  geodisk_graph_destroy(edges);
  return right;
}

static void hidden_leaves(void **state) {
  (void)state;
  assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
  geodisk_graph *closure = NULL, *tree = NULL;
  assert_ok(geodisk_graph_read(context, GEODISK_TESTS_DIR "/../data/mammals.tsv", NULL, NULL, &closure));
  assert_ok(geodisk_graph_reduce(context, closure, &tree));
  bool *hidden = malloc(geodisk_graph_nodes(tree) * sizeof *hidden);
  for (uint64_t seed = 1; seed <= 2; seed++) {
    const int dim = seed == 1 ? 5 : 2;
    uint32_t leaf[HIDDEN], parent[HIDDEN];
    choose(tree, seed, hidden, leaf, parent);
    geodisk_graph *visible = visible_part(closure, tree, hidden);
    geodisk_model *model = train(visible, dim, seed);
    const int right = found_again(model, tree, leaf, parent);
    print_message("dim %d: %d of %d hidden leaves have their parent among the %d likeliest\n", dim, right, HIDDEN, BEST);
    assert_true(right >= HIDDEN * 8 / 10);
    geodisk_model_destroy(model);
    geodisk_graph_destroy(visible);
  }
  free(hidden);
  geodisk_graph_destroy(tree);
  geodisk_graph_destroy(closure);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hidden_leaves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* No rate breaks the training, all ways of embed_stable.h: on stars, a chain, a clique and a tree, and every third way on the
 * mammals of WordNet; by each of the three updates on at least one of these, by the kernels of every instruction set and the
 * plain loop in turn. */
#include "embed_stable.h"

enum { SHAPES = 6, MAMMALS = 5, UPDATES = 3 };

static void test_all_ways(void **state) {
  (void)state;
  const char *sets[MOST_SETS + 1] = {"ref"};
  const size_t count = 1 + kernel_sets(sets + 1);
  for (int kind = 0; kind < SHAPES; kind++) {
    geodisk_graph *graph = NULL;
    if (kind == MAMMALS)
      assert_int_equal(geodisk_graph_read(NULL, GEODISK_TESTS_DIR "/../data/mammals.tsv", NULL, NULL, &graph), GEODISK_OK);
    else
      graph = make_graph((shape)kind, 40, kind == TREE);
    for (uint32_t i = 0; i < STABLE_WAYS; i++) {
      char what[160];
      geodisk_train_options o = stable_way(i, what, sizeof what);
      o.update = (geodisk_update)((i + (uint32_t)kind) % UPDATES);
      o.margin = i / 3 % 2 ? 1e-5 : 1e-10;
      if (kind == MAMMALS) {
        if (i % 3 != 0 || o.negatives == GEODISK_NEGATIVES_ALL)
          continue;
        o.update = (geodisk_update)(i / 3 % UPDATES);
        o.epochs = 2;
        o.batch = 500;
      }
      geodisk_context *context = context_of(sets[(i / 7) % count], 2);
      train_and_check(context, graph, &o, what);
      geodisk_context_destroy(context);
    }
    geodisk_graph_destroy(graph);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_ways)};
  return cmocka_run_group_tests_name("any rate", tests, NULL, NULL);
}

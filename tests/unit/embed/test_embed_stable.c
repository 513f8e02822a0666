/* No rate breaks the training: to 100, sharpness to 64, with a cap and without, float and double, on a star, a chain, a clique
 * and a tree, a sample of all ways (test_embed_stable_long.c goes all of them). Natural steps are clipped at the margin, and say
 * how often. */
#include "embed_stable.h"

enum { STEP = 7 }; /* coprime to the numbers of choices: every value of each meets every value of the others */

static void check_ways(geodisk_update update) {
  geodisk_context *context = make_context(2);
  for (shape kind = TREE; kind <= OUT_STAR; kind++) {
    geodisk_graph *graph = make_graph(kind, 31, kind == CHAIN);
    uint64_t clips = 0;
    for (uint32_t i = (uint32_t)kind; i < STABLE_WAYS; i += STEP) {
      char what[160];
      geodisk_train_options o = stable_way(i, what, sizeof what);
      o.update = update;
      o.margin = i % 2 ? 1e-5 : 1e-10;
      clips += train_and_check(context, graph, &o, what);
    }
    if (update != GEODISK_UPDATE_GEODESIC && kind != CLIQUE && kind != OUT_STAR && clips == 0)
      fail_msg("shape %d: steps at a rate of 100 were never clipped", (int)kind);
    geodisk_graph_destroy(graph);
  }
  geodisk_context_destroy(context);
}

static void test_geodesic_steps(void **state) {
  (void)state;
  check_ways(GEODISK_UPDATE_GEODESIC);
}

static void test_natural_steps(void **state) {
  (void)state;
  check_ways(GEODISK_UPDATE_NATURAL);
}

static void test_euclidean_steps(void **state) {
  (void)state;
  check_ways(GEODISK_UPDATE_EUCLIDEAN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_geodesic_steps),
      cmocka_unit_test(test_natural_steps),
      cmocka_unit_test(test_euclidean_steps),
  };
  return cmocka_run_group_tests_name("any rate", tests, NULL, NULL);
}

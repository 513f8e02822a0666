/* test_embed_faults.c - the trainer when memory runs out: whichever allocation fails, creation and epochs (of the core and of the
 * whole) say so, leak nothing, and can be tried again. */
#include "faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/embed.h"

enum { MOST_ALLOCATIONS = 2000 };

static geodisk_graph *make_graph(void) {
  enum { NODES = 60 };
  uint32_t child[2 * NODES], parent[2 * NODES];
  size_t edges = 0;
  for (uint32_t u = 1; u < NODES; u++) {
    child[edges] = u;
    parent[edges++] = (u - 1) / 3;
    if (u % 7 == 0) {
      child[edges] = u;
      parent[edges++] = (u - 1) / 2;
    }
  }
  const geodisk_graph_arrays arrays = {NODES, NULL, edges, child, parent, NULL};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  return graph;
}

static void test_memory(void **state) {
  (void)state;
  geodisk_graph *graph = make_graph();
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  for (int variant = 0; variant < 2; variant++) {
    geodisk_train_options o = geodisk_train_defaults();
    o.variant = (geodisk_variant)variant;
    o.dim = 3;
    o.negatives = 5;
    o.core_epochs = 1;
    o.burn_in = 1;
    o.epochs = 1;
    /* call 0 creates, the others are epochs */
    for (int call = 0; call < 4; call++) {
      long failures = 0;
      for (long n = 1; n < MOST_ALLOCATIONS; n++) {
        geodisk_trainer *t = NULL;
        if (call > 0)
          assert_int_equal(geodisk_trainer_create(context, graph, &o, &t), GEODISK_OK);
        for (int before = 1; before < call; before++)
          assert_int_equal(geodisk_trainer_epoch(t, NULL), GEODISK_OK);
        fault_countdown[FAULT_MEMORY] = n;
        const geodisk_status st = call == 0 ? geodisk_trainer_create(context, graph, &o, &t) : geodisk_trainer_epoch(t, NULL);
        const long left = fault_countdown[FAULT_MEMORY];
        fault_countdown[FAULT_MEMORY] = 0;
        if (st != GEODISK_OK) {
          assert_int_equal(st, GEODISK_ERROR_MEMORY);
          assert_non_null(strstr(geodisk_context_error(context), "memory"));
          failures++;
          if (call == 0)
            assert_null(t);
          else /* again, with memory */
            assert_int_equal(geodisk_trainer_epoch(t, NULL), GEODISK_OK);
        }
        geodisk_trainer_destroy(t);
        if (left > 0)
          break; /* there are no more */
      }
      assert_true(failures > 0);
    }
  }
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

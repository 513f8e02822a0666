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
  assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
  const char *usual = geodisk_instruction_set(context);
  for (int c = 0; c < 8; c++) {
    static const char *const sets[] = {"ref", NULL}; /* the plain loop, and kernels on threads */
    geodisk_train_options o = geodisk_train_defaults();
    if (sets[c % 2])
      assert_int_equal(geodisk_use_instruction_set(context, sets[c % 2]), GEODISK_OK);
    else
      assert_int_equal(geodisk_use_instruction_set(context, usual), GEODISK_OK);
    o.units = c / 2 == 1 ? GEODISK_UNITS_EDGE : GEODISK_UNITS_SOURCE;
    o.precision = c / 2 == 2 ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
    o.placement = c / 2 == 3 ? GEODISK_PLACEMENT_ARCS : c / 2 == 2 ? GEODISK_PLACEMENT_TREE : GEODISK_PLACEMENT_RANDOM;
    o.dim = 3;
    o.negatives = 5;
    o.batch = 30;
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

/* A checkpoint is written and read; the file that was there before stays whole until another one is. */
static void test_checkpoints(void **state) {
  (void)state;
  static const char path[] = "embed_faults.safetensors";
  geodisk_graph *graph = make_graph();
  geodisk_context *context = NULL;
  geodisk_trainer *t = NULL;
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = 3;
  o.epochs = 3;
  o.core_epochs = 0;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  assert_int_equal(geodisk_trainer_create(context, graph, &o, &t), GEODISK_OK);
  assert_int_equal(geodisk_trainer_epoch(t, NULL), GEODISK_OK);
  assert_int_equal(geodisk_trainer_save(t, path), GEODISK_OK);
  for (int saving = 0; saving < 2; saving++) {
    long failures = 0;
    for (long n = 1, left = 0; n < MOST_ALLOCATIONS && left == 0; n++) {
      geodisk_trainer *resumed = NULL;
      fault_countdown[FAULT_MEMORY] = n;
      const geodisk_status st =
          saving ? geodisk_trainer_save(t, path) : geodisk_trainer_resume(context, graph, path, &o, &resumed);
      left = fault_countdown[FAULT_MEMORY];
      fault_countdown[FAULT_MEMORY] = 0;
      if (st != GEODISK_OK) {
        assert_int_equal(st, GEODISK_ERROR_MEMORY);
        assert_null(resumed);
        failures++;
        assert_int_equal(geodisk_trainer_resume(context, graph, path, &o, &resumed), GEODISK_OK);
        assert_int_equal(geodisk_trainer_position(resumed), 1);
      }
      geodisk_trainer_destroy(resumed);
    }
    assert_true(failures > 0);
  }
  remove(path);
  geodisk_trainer_destroy(t);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_checkpoints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

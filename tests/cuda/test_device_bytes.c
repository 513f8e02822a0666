/* The same bytes from the device as from the CPU: 20 sets of options on 3 graphs, float and double, 5 runs each. Needs a device;
 * without one it is skipped (exit code 77), and tests/unit/cuda/test_cuda_bytes.c says what can be said. */
#include "unit/embed_cases.h"

static const char path[] = "device_bytes.safetensors";

static void set_wide(geodisk_train_options *o) { o->lr = 0.5; }
static void set_small_blocks(geodisk_train_options *o) {
  o->block = 3;
  o->batch = 17;
  o->nearby = 1.0;
}
static void set_many(geodisk_train_options *o) {
  o->negatives = 250;
  o->sparse = 0.0;
  o->bound = 1.0;
  o->epochs = 6;
}

static const embed_case more_cases[] = {
    {"wide", HIERARCHY, 100, set_wide},
    {"blocks of 3", HIERARCHY, 10, set_small_blocks},
    {"many negatives", HIERARCHY, 32, set_many},
};
enum { MORE_CASES = sizeof more_cases / sizeof more_cases[0], RUNS = 5 };

static void check_case(const embed_case *c, const geodisk_graph *graph, const char *kind, bool single) {
  geodisk_train_options o = options_of(c, single);
  const bytes expected = train_in((way){NULL, 2, 0, 0}, graph, &o, path);
  o.device = GEODISK_DEVICE_CUDA;
  for (int run = 0; run < RUNS; run++) {
    const bytes got = train_in((way){NULL, 1, run % 2, 1}, graph, &o, path);
    if (!same_bytes(got, expected))
      fail_msg("%s, %s, %s, run %d: other bytes than the CPU", c->name, kind, single ? "float" : "double", run);
    free(got.data);
  }
  free(expected.data);
}

static void check_all(case_graph kind, const char *name) {
  geodisk_graph *graph = graph_of_case(kind);
  for (int i = 0; i < EMBED_CASES + MORE_CASES; i++)
    for (int single = 0; single < 2; single++)
      check_case(i < EMBED_CASES ? &embed_cases[i] : &more_cases[i - EMBED_CASES], graph, name, single);
  geodisk_graph_destroy(graph);
}

static void test_hierarchy(void **state) {
  (void)state;
  check_all(HIERARCHY, "hierarchy");
}
static void test_weighted(void **state) {
  (void)state;
  check_all(WEIGHTED, "weighted");
}
static void test_undirected(void **state) {
  (void)state;
  check_all(UNDIRECTED, "undirected");
}

/* A number that is not finite is told as the CPU tells it. */
static void test_not_finite(void **state) {
  (void)state;
  geodisk_graph *graph = make_hub(400, false, false);
  geodisk_train_options o = geodisk_train_defaults();
  o.space = GEODISK_SPACE_EUCLIDEAN;
  o.core_epochs = 0;
  o.cap = 0.0;
  o.lr = o.lr_first = o.lr_last = 1e6;
  o.regularization = 1e6;
  o.epochs = 60;
  char texts[2][512] = {"", ""};
  for (int i = 0; i < 2; i++) {
    geodisk_context *context = make_context(1);
    o.device = i ? GEODISK_DEVICE_CUDA : GEODISK_DEVICE_CPU;
    geodisk_trainer *t = make_trainer(context, graph, &o);
    assert_int_equal(geodisk_trainer_run(t, NULL, NULL), GEODISK_ERROR_NUMERIC);
    snprintf(texts[i], sizeof texts[i], "%s", geodisk_context_error(context));
    geodisk_trainer_destroy(t);
    geodisk_context_destroy(context);
  }
  assert_string_equal(texts[0], texts[1]);
  geodisk_graph_destroy(graph);
}

/* Edges that have no room on the device stay with the host; the bytes are the same, and less room is refused. */
static void test_edges_on_host(void **state) {
  (void)state;
  geodisk_graph *graph = make_graph(CLIQUE, 1500, true);
  geodisk_train_options o = options_of(&embed_cases[0], true);
  o.epochs = 1;
  const bytes expected = train_in((way){NULL, 2, 0, 0}, graph, &o, path);
  o.device = GEODISK_DEVICE_CUDA;
  setenv("GEODISK_CUDA_MEMORY", "0.014", 1); /* the edges alone take 0.025 GiB */
  const bytes got = train_in((way){NULL, 1, 0, 1}, graph, &o, path);
  assert_true(same_bytes(got, expected));
  free(got.data);
  free(expected.data);
  geodisk_context *context = make_context(1);
  geodisk_trainer *t = NULL;
  setenv("GEODISK_CUDA_MEMORY", "0.00001", 1);
  assert_int_equal(geodisk_trainer_create(context, graph, &o, &t), GEODISK_ERROR_MEMORY);
  assert_non_null(strstr(geodisk_context_error(context), "training needs 0.00 GiB of the device's memory"));
  unsetenv("GEODISK_CUDA_MEMORY");
  geodisk_context_destroy(context);
  geodisk_graph_destroy(graph);
}

int main(void) {
  char name[256];
  geodisk_context *context = make_context(1);
  if (!geodisk_device_name(context, name, sizeof name)) {
    print_message("skipped: %s\n", geodisk_context_error(context));
    geodisk_context_destroy(context);
    return 77;
  }
  print_message("device: %s\n", name);
  geodisk_context_destroy(context);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hierarchy),  cmocka_unit_test(test_weighted),      cmocka_unit_test(test_undirected),
      cmocka_unit_test(test_not_finite), cmocka_unit_test(test_edges_on_host),
  };
  return cmocka_run_group_tests_name("the same bytes from the device", tests, NULL, NULL);
}

/* The same bytes of a saved model from the plain loop and the kernels of every instruction set, on 1, 2, 3 and 8 threads, in one
 * go and resumed in the middle, for float and double and every set of options in embed_cases.h; other bytes from another seed.
 * Called with the name of a file it writes all those models there, one after the other, as trained by the context's own
 * instruction set on one thread, and their points to FILE.points: tests/cross and tools/cross compare machines by them. */
#include "embed_cases.h"

static const char path[] = "embed_bytes.safetensors";

/* One way to train c gives the expected bytes. */
static void check_way(const embed_case *c, geodisk_graph *graph, const geodisk_train_options *o, way how, bytes expected) {
  const bytes got = train_in(how, graph, o, path);
  if (!same_bytes(got, expected))
    fail_msg("%s, %s, %s, %d threads%s: other bytes than the plain loop", c->name,
             o->precision == GEODISK_PRECISION_FLOAT ? "float" : "double", how.set, how.threads,
             how.save_after ? ", resumed" : "");
  free(got.data);
}

/* All ways: all numbers of threads by the widest instruction set, 1 and 8 by the others; another seed. */
static void check_all_ways(const embed_case *c, geodisk_graph *graph, geodisk_train_options *o, bytes expected) {
  static const int threads[] = {1, 2, 3, 8};
  const char *sets[MOST_SETS];
  const size_t count = kernel_sets(sets);
  check_way(c, graph, o, (way){"ref", 2, 2, 3}, expected);
  for (size_t s = 0; s < count; s++)
    for (int i = 0; i < 4; i += s == 0 ? 1 : 3)
      check_way(c, graph, o, (way){sets[s], threads[i], i % 2 ? 1 + i / 2 : 0, threads[3 - i]}, expected);
  o->seed = 2;
  const bytes other = train_in((way){NULL, 2, 0, 0}, graph, o, path);
  assert_false(same_bytes(other, expected));
  free(other.data);
}

static void check_case(const embed_case *c, bool single) {
  const size_t number = (size_t)(c - embed_cases);
  geodisk_graph *graph = graph_of_case(c->graph);
  geodisk_train_options o = options_of(c, single);
  print_message("%s, %s\n", c->name, single ? "float" : "double");
  const bytes expected = train_in((way){"ref", 1, 0, 0}, graph, &o, path);
  if (SANITIZED) { /* each set's code once, on threads, and resumed; in float if not in double */
    const char *sets[MOST_SETS];
    const size_t count = kernel_sets(sets);
    for (size_t s = 0; s < count; s++)
      if ((number + s) % 2 == single)
        check_way(c, graph, &o, (way){sets[s], 3, s / 2 == 0, 2}, expected);
  } else {
    check_all_ways(c, graph, &o, expected);
  }
  free(expected.data);
  geodisk_graph_destroy(graph);
}

static void test_double(void **state) {
  (void)state;
  for (size_t i = 0; i < EMBED_CASES; i++)
    check_case(&embed_cases[i], false);
}

static void test_float(void **state) {
  (void)state;
  for (size_t i = 0; i < EMBED_CASES; i++)
    check_case(&embed_cases[i], true);
}

/* Kernels are compared at all: where the library has any, the set of a new context is among them. */
static void test_kernels_are_there(void **state) {
  (void)state;
  const char *sets[MOST_SETS];
  const size_t count = kernel_sets(sets);
  geodisk_context *context = make_context(1);
  const char *own = geodisk_instruction_set(context);
  print_message("compared with the plain loop: %zu instruction sets, the widest is %s\n", count, own);
  assert_true(strcmp(own, "ref") == 0 || count > 0);
  geodisk_context_destroy(context);
}

/* ---- for other machines ---- */

static const char *written;

/* Every row of a model that was trained, in hexadecimal digits, which say all bits on every machine. */
static void write_points(FILE *file, const geodisk_graph *graph, const geodisk_train_options *o) {
  geodisk_context *context = make_context(1);
  geodisk_trainer *t = make_trainer(context, graph, o);
  train_on(context, t);
  for (uint32_t u = 0; u < t->nodes; u++) {
    double x[64], gap;
    embed_get_row(t, u, x, &gap);
    for (int k = 0; k < o->dim; k++)
      fprintf(file, "%a ", x[k]);
    fprintf(file, "%a\n", gap);
  }
  geodisk_trainer_destroy(t);
  geodisk_context_destroy(context);
}

static void write_model(FILE *file, const geodisk_graph *graph, const geodisk_train_options *o) {
  const bytes model = train_in((way){NULL, 1, 0, 0}, graph, o, path);
  assert_int_equal(fwrite(model.data, 1, model.size, file), model.size);
  free(model.data);
}

static void write_all(void **state) {
  (void)state;
  char points_name[512];
  snprintf(points_name, sizeof points_name, "%s.points", written);
  FILE *models = fopen(written, "wb"), *points = fopen(points_name, "w");
  assert_true(models && points);
  for (size_t i = 0; i < 2 * EMBED_CASES; i++) {
    const embed_case *c = &embed_cases[i / 2];
    geodisk_graph *graph = graph_of_case(c->graph);
    const geodisk_train_options o = options_of(c, i % 2);
    fprintf(points, "%s, %s\n", c->name, i % 2 ? "float" : "double");
    write_points(points, graph, &o);
    write_model(models, graph, &o);
    geodisk_graph_destroy(graph);
  }
  assert_int_equal(fclose(models), 0);
  assert_int_equal(fclose(points), 0);
}

static int write_for_others(const char *name) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(write_all)};
  written = name;
  printf("by %s\n", geodisk_instruction_set(NULL));
  return cmocka_run_group_tests_name("models of one machine", tests, NULL, NULL);
}

int main(int argc, char **argv) {
  if (argc == 2)
    return write_for_others(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kernels_are_there),
      cmocka_unit_test(test_double),
      cmocka_unit_test(test_float),
  };
  return cmocka_run_group_tests_name("the same bytes", tests, NULL, NULL);
}

/* test_vectors_faults.c - models under faults: whichever allocation, write, flush, close or rename fails, the call says so, the
 * old file stays as it was, and nothing is left behind. */
#include "faults.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "geodisk/vectors.h"

static const char folder[] = "test_vectors_faults.dir";
static const char path[] = "test_vectors_faults.dir/model.safetensors";
static const char other[] = "test_vectors_faults.dir/other.npy", beside[] = "test_vectors_faults.dir/other.names";
static geodisk_context *context;
static geodisk_model *model;

static geodisk_status make_model(size_t nodes, geodisk_model **out) {
  const geodisk_model_spec spec = {.nodes = nodes, .ball = {3, 1, 1}, .counts = true};
  geodisk_model *made = NULL;
  geodisk_status status = geodisk_model_create(context, &spec, &made);
  void *data;
  const geodisk_tensor tensor = {.type = GEODISK_TYPE_F32, .rank = 1, .shape = {5}};
  if (status == GEODISK_OK)
    status = geodisk_model_set(context, made, "seed", "7");
  if (status == GEODISK_OK)
    status = geodisk_model_set_history(context, made, &(geodisk_history){1, 2, "epoch loss", (const double[]){0, 0.5}});
  if (status == GEODISK_OK)
    status = geodisk_model_add_tensor(context, made, "state", &tensor, &data);
  if (status != GEODISK_OK)
    geodisk_model_destroy(made);
  else
    *out = made;
  return status;
}

static int start(void **state) {
  (void)state;
  mkdir(folder, 0777);
  unlink(path);
  unlink(other);
  unlink(beside);
  return geodisk_context_create(1, &context) == GEODISK_OK && make_model(40000, &model) == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_model_destroy(model);
  geodisk_context_destroy(context);
  unlink(path);
  return rmdir(folder); /* fails if something was left behind */
}

static int files_in_folder(void) {
  DIR *dir = opendir(folder);
  int n = 0;
  while (readdir(dir) != NULL)
    n++;
  closedir(dir);
  return n - 2;
}

static void write_old(void) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs("the old file", file);
  fclose(file);
}

static void assert_old(void) {
  char text[32] = {0};
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fread(text, 1, sizeof text - 1, file), strlen("the old file"));
  fclose(file);
  assert_string_equal(text, "the old file");
  assert_int_equal(files_in_folder(), 1);
}

/* Runs `call` with the N-th call of a kind failing, for N = 1, 2, ... until none fails any more; returns how many failed. */
static int fail_each(enum fault_kind kind, geodisk_status (*call)(void), geodisk_status expected, void (*check)(void)) {
  for (int n = 1;; n++) {
    fault_countdown[kind] = n;
    const geodisk_status status = call();
    const bool reached = fault_countdown[kind] == 0;
    fault_countdown[kind] = 0;
    if (!reached) {
      assert_int_equal(status, GEODISK_OK);
      return n - 1;
    }
    assert_int_equal(status, expected);
    assert_string_not_equal(geodisk_context_error(context), "");
    check();
  }
}

static geodisk_status write_it(void) { return geodisk_model_write(context, model, path); }
static void nothing(void) {}

static void writing(void **state) {
  (void)state;
  static const struct {
    enum fault_kind kind;
    geodisk_status status;
    int least; /* so many calls there are at least */
  } kinds[] = {
      {FAULT_MEMORY, GEODISK_ERROR_MEMORY, 4}, {FAULT_WRITE, GEODISK_ERROR_IO, 5},  {FAULT_FSYNC, GEODISK_ERROR_IO, 1},
      {FAULT_CLOSE, GEODISK_ERROR_IO, 1},      {FAULT_RENAME, GEODISK_ERROR_IO, 1},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    write_old();
    int n;
    if (kinds[i].kind == FAULT_FSYNC || kinds[i].kind == FAULT_CLOSE) {
      /* Only the first concerns the file; the second is the folder's, and by then the file is in place. */
      fault_countdown[kinds[i].kind] = 1;
      assert_int_equal(write_it(), kinds[i].status);
      assert_old();
      fault_countdown[kinds[i].kind] = 0;
      n = 1;
    } else {
      n = fail_each(kinds[i].kind, write_it, kinds[i].status, assert_old);
    }
    assert_true(n >= kinds[i].least);
  }
  assert_int_equal(files_in_folder(), 1);
}

/* Writes that take only a part of what they are given are gone on with. */
static void short_writes(void **state) {
  (void)state;
  for (int n = 1; n < 8; n++) {
    geodisk_model *back = NULL;
    fault_countdown[FAULT_SHORT_WRITE] = n;
    assert_int_equal(write_it(), GEODISK_OK);
    fault_countdown[FAULT_SHORT_WRITE] = 0;
    assert_int_equal(geodisk_model_read(context, path, &back), GEODISK_OK);
    assert_int_equal(geodisk_model_nodes(back), 40000);
    geodisk_model_destroy(back);
  }
}

static geodisk_status read_it(void) {
  geodisk_model *back = NULL;
  const geodisk_status status = geodisk_model_read(context, path, &back);
  geodisk_model_destroy(back);
  return status;
}

static geodisk_status make_it(void) {
  geodisk_model *made = NULL;
  const geodisk_status status = make_model(10, &made);
  geodisk_model_destroy(made);
  return status;
}

static geodisk_status copy_it(void) {
  geodisk_model *copy = NULL;
  const geodisk_status status = geodisk_model_copy(context, model, GEODISK_WIDTH_AUTO, true, &copy);
  geodisk_model_destroy(copy);
  return status;
}

static void memory(void **state) {
  (void)state;
  assert_int_equal(write_it(), GEODISK_OK);
  assert_true(fail_each(FAULT_MEMORY, read_it, GEODISK_ERROR_MEMORY, nothing) > 10);
  assert_true(fail_each(FAULT_MEMORY, make_it, GEODISK_ERROR_MEMORY, nothing) > 10);
  assert_true(fail_each(FAULT_MEMORY, copy_it, GEODISK_ERROR_MEMORY, nothing) > 10);
}

/* The other formats. */
static geodisk_format format;

static geodisk_status export_it(void) {
  const geodisk_export_options options = {.format = format};
  return geodisk_model_export(context, model, other, &options, NULL);
}

static geodisk_status import_it(void) {
  geodisk_model *back = NULL;
  const geodisk_status status = geodisk_model_import(context, other, NULL, NULL, &back);
  geodisk_model_destroy(back);
  return status;
}

static void other_formats(void **state) {
  (void)state;
  geodisk_model *large = model, *small = NULL;
  const char *names[] = {"a b", "c", "a_b", ""};
  const geodisk_model_spec spec = {.nodes = 4, .ball = {2, 1, 1}, .name_list = names};
  assert_int_equal(geodisk_model_create(context, &spec, &small), GEODISK_OK);
  for (format = GEODISK_FORMAT_MODEL; format <= GEODISK_FORMAT_NPY; format++) {
    model = small;
    assert_true(fail_each(FAULT_MEMORY, export_it, GEODISK_ERROR_MEMORY, nothing) > 3);
    assert_true(fail_each(FAULT_MEMORY, import_it, GEODISK_ERROR_MEMORY, nothing) > 3);
    model = large;
    assert_true(fail_each(FAULT_WRITE, export_it, GEODISK_ERROR_IO, nothing) >= 2);
    assert_int_equal(import_it(), GEODISK_OK);
  }
  model = large;
  geodisk_model_destroy(small);
  unlink(other);
  unlink(beside);
}

/* Questions and new nodes. */
static geodisk_search search;

static geodisk_status ask_it(void) {
  geodisk_index *index = NULL;
  uint32_t nodes[20], found_names[3];
  geodisk_neighbour near[20 * 5];
  geodisk_parent parents[2];
  size_t found[20], rank;
  double x[3], gap;
  for (uint32_t i = 0; i < 20; i++)
    nodes[i] = i;
  geodisk_status status = geodisk_index_create(context, model, search, 20, &index);
  if (status == GEODISK_OK)
    status = geodisk_index_nearest(context, index, &(geodisk_nearest_query){.n = 20, .nodes = nodes, .k = 5}, near, found);
  if (status == GEODISK_OK)
    status = geodisk_index_nearest(
        context, index, &(geodisk_nearest_query){.n = 1, .nodes = nodes, .k = 5, .side = GEODISK_SIDE_LOWER}, near, found);
  if (status == GEODISK_OK)
    status = geodisk_index_rank(context, index, 0, 1, &rank);
  if (status == GEODISK_OK)
    status = geodisk_index_parents(context, index, 0, 2, parents, found);
  if (status == GEODISK_OK)
    status = geodisk_model_analogy(context, model, 0, 1, 2, x, &gap);
  if (status == GEODISK_OK)
    status = geodisk_model_between(context, model, 0, 1, 0.5, x, &gap);
  if (status == GEODISK_OK)
    status = geodisk_model_mean(context, model, 3, nodes, NULL, x, &gap);
  if (status == GEODISK_OK)
    status = geodisk_model_distance(context, model, 0, 1, &gap);
  if (status == GEODISK_OK)
    status = geodisk_model_suggest(context, model, "x", 3, found_names, found);
  geodisk_index_destroy(index);
  return status;
}

static geodisk_graph *edges;

static geodisk_status place_it(void) {
  geodisk_model *out = NULL;
  const geodisk_place_options options = {.negatives = 20};
  const geodisk_status status = geodisk_model_place(context, model, edges, &options, NULL, &out);
  geodisk_model_destroy(out);
  return status;
}

static void questions_and_places(void **state) {
  (void)state;
  static const char text[] = "a\t1\nb\ta\n3\ta\n";
  geodisk_model *large = model, *small = NULL;
  assert_int_equal(make_model(30, &small), GEODISK_OK);
  assert_int_equal(geodisk_graph_read_memory(context, &(geodisk_memory_file){"edges", text, sizeof text - 1}, NULL, NULL, &edges),
                   GEODISK_OK);
  model = small;
  for (search = GEODISK_SEARCH_SCAN; search <= GEODISK_SEARCH_TREE; search++)
    assert_true(fail_each(FAULT_MEMORY, ask_it, GEODISK_ERROR_MEMORY, nothing) > 20);
  assert_true(fail_each(FAULT_MEMORY, place_it, GEODISK_ERROR_MEMORY, nothing) > 20);
  model = large;
  geodisk_graph_destroy(edges);
  geodisk_model_destroy(small);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writing),       cmocka_unit_test(short_writes),         cmocka_unit_test(memory),
      cmocka_unit_test(other_formats), cmocka_unit_test(questions_and_places),
  };
  return cmocka_run_group_tests(tests, start, finish);
}

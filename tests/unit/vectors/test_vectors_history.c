/* The history of a training in a model: set, thinned, copied, written, read, and refused where it is none. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "geodisk/vectors.h"

enum { COLUMNS = 3 };

static geodisk_model *small_model(void) {
  const geodisk_model_spec spec = {.nodes = 3, .ball = geodisk_unit_ball(2)};
  geodisk_model *model = NULL;
  assert_int_equal(geodisk_model_create(NULL, &spec, &model), GEODISK_OK);
  return model;
}

/* Rows of epochs first .. end - 1: the epoch, its root, minus it. Free it. */
static double *make_rows(uint64_t first, uint64_t end) {
  double *rows = malloc((size_t)(end - first) * COLUMNS * sizeof *rows);
  for (uint64_t i = first; i < end; i++) {
    double *row = rows + (i - first) * COLUMNS;
    row[0] = (double)i;
    row[1] = sqrt((double)i);
    row[2] = -(double)i;
  }
  return rows;
}

static geodisk_status set_rows(geodisk_context *context, geodisk_model *model, size_t rows, const double *values) {
  const geodisk_history h = {rows, COLUMNS, "epoch root minus", values};
  return geodisk_model_set_history(context, model, &h);
}

static void test_short_histories_stay_whole(void **state) {
  (void)state;
  geodisk_model *model = small_model();
  geodisk_history h;
  assert_false(geodisk_model_history(model, &h));
  double *rows = make_rows(0, GEODISK_HISTORY_ROWS);
  assert_int_equal(set_rows(NULL, model, GEODISK_HISTORY_ROWS, rows), GEODISK_OK);
  assert_true(geodisk_model_history(model, &h));
  assert_int_equal(h.rows, GEODISK_HISTORY_ROWS);
  assert_int_equal(h.columns, COLUMNS);
  assert_memory_equal(h.values, rows, GEODISK_HISTORY_ROWS * COLUMNS * sizeof *rows);
  assert_int_equal(geodisk_history_column(&h, "minus"), 2);
  assert_int_equal(geodisk_history_column(&h, "epoch"), 0);
  assert_true(geodisk_history_column(&h, "roo") == SIZE_MAX);
  assert_int_equal(geodisk_model_set_history(NULL, model, NULL), GEODISK_OK);
  assert_false(geodisk_model_history(model, &h));
  assert_null(geodisk_model_get(model, "history_columns"));
  free(rows);
  geodisk_model_destroy(model);
}

/* A million epochs, more than any header could hold; the same rows whether they came at once or in several sittings. */
static void test_long_histories_are_thinned_alike(void **state) {
  (void)state;
  enum { EPOCHS = 1100000 };
  static const uint64_t sittings[] = {1, 16384, 16385, 30000, 131072, 700001, EPOCHS};
  double *all = make_rows(0, EPOCHS);
  geodisk_model *at_once = small_model(), *in_parts = small_model();
  geodisk_history whole, part;
  assert_int_equal(set_rows(NULL, at_once, EPOCHS, all), GEODISK_OK);
  assert_true(geodisk_model_history(at_once, &whole));
  assert_in_range(whole.rows, GEODISK_HISTORY_ROWS / 2 + GEODISK_HISTORY_ROWS / 4, GEODISK_HISTORY_ROWS);
  assert_true(whole.values[0] == 0 && whole.values[(whole.rows - 1) * COLUMNS] == EPOCHS - 1);
  for (size_t i = 0; i < sizeof sittings / sizeof sittings[0]; i++) {
    const uint64_t before = i > 0 ? sittings[i - 1] : 0;
    const size_t kept = geodisk_model_history(in_parts, &part) ? part.rows : 0;
    double *rows = malloc((kept + (size_t)(sittings[i] - before)) * COLUMNS * sizeof *rows);
    if (kept > 0)
      memcpy(rows, part.values, kept * COLUMNS * sizeof *rows);
    memcpy(rows + kept * COLUMNS, all + before * COLUMNS, (size_t)(sittings[i] - before) * COLUMNS * sizeof *rows);
    assert_int_equal(set_rows(NULL, in_parts, kept + (size_t)(sittings[i] - before), rows), GEODISK_OK);
    free(rows);
  }
  assert_true(geodisk_model_history(in_parts, &part));
  assert_int_equal(part.rows, whole.rows);
  assert_memory_equal(part.values, whole.values, whole.rows * COLUMNS * sizeof *all);
  assert_true(geodisk_history_keeps(UINT64_MAX - 1, UINT64_MAX) && geodisk_history_keeps(0, UINT64_MAX));
  assert_false(geodisk_history_keeps(1, UINT64_MAX) || geodisk_history_keeps(5, 5));
  free(all);
  geodisk_model_destroy(at_once);
  geodisk_model_destroy(in_parts);
}

static void test_it_goes_through_files_and_copies(void **state) {
  (void)state;
  geodisk_model *model = small_model(), *copy = NULL, *back = NULL;
  double *rows = make_rows(0, 5);
  geodisk_history h;
  assert_int_equal(set_rows(NULL, model, 5, rows), GEODISK_OK);
  assert_int_equal(geodisk_model_copy(NULL, model, GEODISK_WIDTH_FLOAT, false, &copy), GEODISK_OK);
  assert_int_equal(geodisk_model_write(NULL, copy, "history.safetensors"), GEODISK_OK);
  geodisk_model_destroy(copy);
  assert_int_equal(geodisk_model_copy(NULL, model, GEODISK_WIDTH_AUTO, true, &copy), GEODISK_OK);
  assert_true(geodisk_model_history(copy, &h) && h.rows == 5);
  assert_int_equal(geodisk_model_read(NULL, "history.safetensors", &back), GEODISK_OK);
  assert_true(geodisk_model_history(back, &h));
  assert_int_equal(h.rows, 5);
  assert_string_equal(h.names, "epoch root minus");
  assert_memory_equal(h.values, rows, 5 * COLUMNS * sizeof *rows);
  remove("history.safetensors");
  free(rows);
  geodisk_model_destroy(model);
  geodisk_model_destroy(copy);
  geodisk_model_destroy(back);
}

static void test_what_is_no_history_is_refused(void **state) {
  (void)state;
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  geodisk_model *model = small_model();
  geodisk_history h;
  static const char *const names[] = {"epoch loss", "epoch loss loss", "epoch  loss", "epoch loss ", "epochs a b", "", "a b c"};
  double *rows = make_rows(0, 4);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const geodisk_history bad = {4, COLUMNS, names[i], rows};
    assert_int_equal(geodisk_model_set_history(context, model, &bad), GEODISK_ERROR_ARGUMENT);
  }
  assert_int_equal(set_rows(context, model, 4, rows), GEODISK_OK);
  static const struct {
    int at;
    double value;
  } faults[] = {{4, (double)NAN}, {3, 0}, {3, 1.5}, {3, (double)INFINITY}, {0, -1}};
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    const double before = rows[faults[i].at];
    rows[faults[i].at] = faults[i].value;
    assert_int_equal(set_rows(context, model, 4, rows), GEODISK_ERROR_NUMERIC);
    assert_non_null(strstr(geodisk_context_error(context), faults[i].at == 0 ? "row 0" : "row 1"));
    rows[faults[i].at] = before;
  }
  assert_true(geodisk_model_history(model, &h) && h.rows == 4); /* arguments are refused before anything is changed */
  rows[4] = (double)INFINITY;                                   /* a loss may be infinite */
  assert_int_equal(set_rows(context, model, 4, rows), GEODISK_OK);
  free(rows);
  geodisk_model_destroy(model);
  geodisk_context_destroy(context);
}

/* What no reader would take is not written; a table from before the columns had names is one. */
static void test_tensors_called_history(void **state) {
  (void)state;
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  const double rows[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 1, (double)NAN, 3, 4, 5, 6, 7}}, fine[2][8] = {{0}, {1}};
  geodisk_tensor tensor = {.type = GEODISK_TYPE_F64, .rank = 2, .shape = {2, 8}, .data = rows};
  geodisk_model *model = small_model();
  assert_int_equal(geodisk_model_add_tensor(context, model, "history", &tensor, NULL), GEODISK_OK);
  assert_int_equal(geodisk_model_write(context, model, "broken.safetensors"), GEODISK_ERROR_FORMAT);
  assert_string_equal(geodisk_context_error(context), "broken.safetensors: history: row 1 has an entry that is no number");
  geodisk_model_destroy(model);

  model = small_model();
  tensor.data = fine;
  geodisk_history h;
  assert_int_equal(geodisk_model_add_tensor(context, model, "history", &tensor, NULL), GEODISK_OK);
  assert_true(geodisk_model_history(model, &h) && geodisk_history_column(&h, "radius") == 7);
  assert_int_equal(geodisk_model_set(context, model, "history_columns", "epoch loss"), GEODISK_OK);
  assert_false(geodisk_model_history(model, &h));
  assert_int_equal(geodisk_model_write(context, model, "broken.safetensors"), GEODISK_ERROR_FORMAT);
  assert_non_null(strstr(geodisk_context_error(context), "broken.safetensors: history is missing, or is not F64"));
  geodisk_model_destroy(model);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_short_histories_stay_whole),       cmocka_unit_test(test_long_histories_are_thinned_alike),
      cmocka_unit_test(test_it_goes_through_files_and_copies), cmocka_unit_test(test_what_is_no_history_is_refused),
      cmocka_unit_test(test_tensors_called_history),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

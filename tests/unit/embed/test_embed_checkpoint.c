/* Checkpoints: training goes on from a file to the bytes of an uninterrupted run, with more epochs too; what does not fit is
 * refused by name: another graph, other options, another version of the loop, fields that were damaged; options left open are
 * those of the file. */
#include "embed_testing.h"

static const char path[] = "embed_checkpoint.safetensors";

static geodisk_train_options some_options(void) {
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = 4;
  o.negatives = 8;
  o.epochs = 7;
  o.burn_in = 2;
  o.core_epochs = 0;
  o.rates = GEODISK_RATES_CONSTANT;
  return o;
}

/* A checkpoint after so many epochs. */
static void save_after(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *o, int epochs) {
  geodisk_trainer *t = make_trainer(context, graph, o);
  train_epochs(context, t, epochs);
  assert_int_equal(geodisk_trainer_save(t, path), GEODISK_OK);
  geodisk_trainer_destroy(t);
}

static void assert_refused(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *o,
                           geodisk_status status, const char *words) {
  geodisk_trainer *t = (geodisk_trainer *)context; /* stays untouched */
  assert_int_equal(geodisk_trainer_resume(context, graph, path, o, &t), status);
  if (!strstr(geodisk_context_error(context), words))
    fail_msg("expected \"%s\": %s", words, geodisk_context_error(context));
  assert_non_null(strstr(geodisk_context_error(context), path));
  assert_true(t == (geodisk_trainer *)context);
}

/* Saved after any epoch, before the first and after the last too. */
static void test_after_any_epoch(void **state) {
  (void)state;
  geodisk_context *context = make_context(2);
  geodisk_graph *graph = make_graph(TREE, 127, false);
  for (int c = 0; c < 2; c++) {
    geodisk_train_options o = some_options();
    o.core_epochs = c ? 4 : 0;
    o.precision = c ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
    const int epochs = (int)(o.core_epochs + o.burn_in + o.epochs);
    const bytes expected = train_in((way){NULL, 1, 0, 0}, graph, &o, path);
    for (int after = 0; after <= epochs; after++) {
      geodisk_trainer *t = NULL;
      save_after(context, graph, &o, after);
      if (geodisk_trainer_resume(context, graph, path, after % 2 ? &o : NULL, &t) != GEODISK_OK)
        fail_msg("after %d epochs: %s", after, geodisk_context_error(context));
      assert_int_equal(geodisk_trainer_position(t), after);
      train_on(context, t);
      assert_int_equal(geodisk_trainer_save(t, path), GEODISK_OK);
      geodisk_trainer_destroy(t);
      const bytes got = take_file(path);
      if (!same_bytes(got, expected))
        fail_msg("case %d: saved after %d epochs, training ends with other bytes", c, after);
      free(got.data);
    }
    free(expected.data);
  }
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

static void test_more_epochs(void **state) {
  (void)state;
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(TREE, 63, false);
  geodisk_train_options o = some_options();
  geodisk_trainer *t = NULL;
  o.units = GEODISK_UNITS_EDGE; /* the shuffles of source units are finer towards the end */
  save_after(context, graph, &o, 9);
  o.epochs = 12; /* at a constant rate and sharpness it makes no difference when that is said */
  assert_int_equal(geodisk_trainer_resume(context, graph, path, &o, &t), GEODISK_OK);
  assert_int_equal(geodisk_trainer_epochs(t), 14);
  train_on(context, t);
  assert_int_equal(geodisk_trainer_save(t, path), GEODISK_OK);
  geodisk_trainer_destroy(t);
  const bytes got = take_file(path), expected = train_in((way){NULL, 1, 0, 0}, graph, &o, path);
  assert_true(same_bytes(got, expected));
  free(got.data);
  free(expected.data);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* What was left open is not asked for again; nor is the number of epochs. */
static void test_open_options_are_those_of_the_file(void **state) {
  (void)state;
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(TREE, 63, false);
  geodisk_train_options o = some_options(), open = geodisk_train_defaults();
  o.sharpness = 3.7;
  o.cap = 0.25;
  o.lr = 0.7;
  o.block = 5;
  o.batch = 99;
  o.nearby = 0.6;
  o.placement = GEODISK_PLACEMENT_TREE;
  save_after(context, graph, &o, 3);
  open.dim = o.dim;
  open.burn_in = o.burn_in;
  open.rates = o.rates;
  geodisk_trainer *t = NULL;
  if (geodisk_trainer_resume(context, graph, path, &open, &t) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  const geodisk_train_options got = geodisk_trainer_options(t);
  char changes[512];
  assert_false(embed_options_changed(&got, &o, changes, sizeof changes));
  assert_true(got.sharpness == 3.7 && got.cap == 0.25 && got.lr == 0.7 && got.block == 5 && got.batch == 99 &&
              got.negatives == 8);
  assert_true(got.nearby == 0.6 && got.placement == GEODISK_PLACEMENT_TREE && got.epochs == 7 && got.core_epochs == 0);
  geodisk_trainer_destroy(t);
  remove(path);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

static void test_what_differs_is_told(void **state) {
  (void)state;
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(TREE, 63, false), *weighted = make_graph(TREE, 63, true),
                *large = make_graph(TREE, 64, false);
  geodisk_train_options o = some_options();
  save_after(context, graph, &o, 3);
  assert_refused(context, weighted, &o, GEODISK_ERROR_ARGUMENT, "its graph is another one");
  assert_refused(context, large, NULL, GEODISK_ERROR_ARGUMENT, "63 nodes; now");
  o.lr = 0.25;
  o.negatives = 9;
  assert_refused(context, graph, &o, GEODISK_ERROR_ARGUMENT, "negatives was 8, now 9; lr was 0.3, now 0.25");
  o = some_options();
  o.precision = GEODISK_PRECISION_FLOAT;
  assert_refused(context, graph, &o, GEODISK_ERROR_ARGUMENT, "precision was \"double\", now \"float\"");
  o = some_options();
  o.units = GEODISK_UNITS_EDGE;
  o.seed = 5;
  assert_refused(context, graph, &o, GEODISK_ERROR_ARGUMENT, "units was \"source\", now \"edge\"; seed was 1, now 5");
  o = some_options();
  o.batch = 3;
  o.cap = 0.0;
  assert_refused(context, graph, &o, GEODISK_ERROR_ARGUMENT, "batch was 8192, now 3; cap was 1, now 0");
  remove(path);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(weighted);
  geodisk_graph_destroy(large);
  geodisk_context_destroy(context);
}

/* The file with one of its fields changed or (NULL) taken out. */
static void change_field(geodisk_context *context, const char *key, const char *value) {
  geodisk_model *model = NULL;
  assert_int_equal(geodisk_model_read(context, path, &model), GEODISK_OK);
  assert_int_equal(geodisk_model_set(context, model, key, value), GEODISK_OK);
  assert_int_equal(geodisk_model_write(context, model, path), GEODISK_OK);
  geodisk_model_destroy(model);
}

static void test_damaged_fields_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *key, *value;
    geodisk_status status;
    const char *words;
  } cases[] = {
      {"position", NULL, GEODISK_ERROR_FORMAT, "a model, but not a checkpoint"},
      {"position", "many", GEODISK_ERROR_FORMAT, "field \"position\" is no whole number: many"},
      {"position", "-1", GEODISK_ERROR_FORMAT, "field \"position\" is no whole number: -1"},
      {"position", "2.5", GEODISK_ERROR_FORMAT, "field \"position\" is no whole number: 2.5"},
      {"position", "1e300", GEODISK_ERROR_FORMAT, "field \"position\" is no whole number"},
      {"position", "2", GEODISK_ERROR_FORMAT, "field \"history\" is missing or does not fit position 2"},
      {"position", "4", GEODISK_ERROR_FORMAT, "field \"history\" is missing or does not fit position 4"},
      {"trainer", NULL, GEODISK_ERROR_ARGUMENT, "a checkpoint of version 1 of the training loop"},
      {"trainer", "1", GEODISK_ERROR_ARGUMENT, "a checkpoint of version 1 of the training loop"},
      {"trainer", "99", GEODISK_ERROR_ARGUMENT, "a checkpoint of version 99 of the training loop"},
      {"graph", NULL, GEODISK_ERROR_ARGUMENT, "its graph is another one (fingerprint unknown"},
      {"graph", "0123456789abcdef", GEODISK_ERROR_ARGUMENT, "its graph is another one (fingerprint 0123456789abcdef"},
      {"options", NULL, GEODISK_ERROR_FORMAT, "field \"options\" is missing or malformed"},
      {"options", "{\"dim\":4}", GEODISK_ERROR_FORMAT, "field \"options\" is missing or malformed"},
  };
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(TREE, 63, false);
  const geodisk_train_options o = some_options();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    save_after(context, graph, &o, 3);
    change_field(context, cases[i].key, cases[i].value);
    assert_refused(context, graph, &o, cases[i].status, cases[i].words);
    assert_refused(context, graph, NULL, cases[i].status, cases[i].words);
  }
  remove(path);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* Options that were tampered with are checked like any others. */
static void test_options_out_of_range_are_refused(void **state) {
  (void)state;
  static const char *const changes[][2] = {{"\"block\":32", "\"block\":99"},
                                           {"\"sharpness\":4", "\"sharpness\":-4"},
                                           {"\"lr\":1,", "\"lr\":-1,"},
                                           {"\"batch\":18446744073709551615", "\"batch\":x"},
                                           {"\"batch\":18446744073709551615", "\"batch\":18446744073709551616"},
                                           {"\"dim\":", "\"dim\":-"},
                                           {"\"dim\":", "\"dim\":1e300,\"d\":"},
                                           {"\"seed\":1", "\"seed\":1.5"},
                                           {"\"negatives\":8", "\"negatives\":\"some\""},
                                           {"\"epochs\":", "\"epochs\":0,\"e\":"},
                                           {"\"core_epochs\":", "\"core_epochs\":18446744073709551615,\"c\":"},
                                           {"\"core_epochs\":", "\"core_epochs\":4294967296,\"c\":"},
                                           {"\"units\":\"source\"", "\"units\":\"soup\""}};
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(TREE, 63, false);
  geodisk_train_options o = some_options();
  o.sharpness = 4.0;
  o.lr = 1.0;
  o.block = 32;
  o.batch = UINT64_MAX;
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    save_after(context, graph, &o, 3);
    geodisk_model *model = NULL;
    geodisk_trainer *t = NULL;
    char text[2048];
    assert_int_equal(geodisk_model_read(context, path, &model), GEODISK_OK);
    const char *was = geodisk_model_get(model, "options"), *at = strstr(was, changes[i][0]);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - was), was, changes[i][1], at + strlen(changes[i][0]));
    geodisk_model_destroy(model);
    change_field(context, "options", text);
    if (geodisk_trainer_resume(context, graph, path, NULL, &t) == GEODISK_OK)
      fail_msg("a checkpoint with %s was taken", changes[i][1]);
    assert_null(t);
  }
  remove(path);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_after_any_epoch),
      cmocka_unit_test(test_more_epochs),
      cmocka_unit_test(test_open_options_are_those_of_the_file),
      cmocka_unit_test(test_what_differs_is_told),
      cmocka_unit_test(test_damaged_fields_are_refused),
      cmocka_unit_test(test_options_out_of_range_are_refused),
  };
  return cmocka_run_group_tests_name("checkpoints", tests, NULL, NULL);
}

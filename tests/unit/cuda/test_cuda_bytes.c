/* What src/cuda computes is what the plain loop computes, byte by byte: its code compiled for the host, for float and double and
 * every set of options in embed_cases.h, in one go or resumed. */
#include "embed_cases.h"

#include "cuda_host.h"
#include "geodisk/auto.h"

static const char path[] = "cuda_bytes.safetensors";

static void check_case(const embed_case *c, bool single, bool resumed) {
  geodisk_graph *graph = graph_of_case(c->graph);
  geodisk_train_options o = options_of(c, single);
  print_message("%s, %s\n", c->name, single ? "float" : "double");
  const bytes expected = train_in((way){"ref", 1, 0, 0}, graph, &o, path);
  o.device = GEODISK_DEVICE_CUDA;
  const bytes got = train_in((way){NULL, 1, resumed, 1}, graph, &o, path);
  if (!same_bytes(got, expected))
    fail_msg("%s, %s%s: other bytes than the plain loop", c->name, single ? "float" : "double", resumed ? ", resumed" : "");
  free(got.data);
  free(expected.data);
  geodisk_graph_destroy(graph);
}

static void test_double(void **state) {
  (void)state;
  for (size_t i = 0; i < EMBED_CASES; i++)
    check_case(&embed_cases[i], false, i % 2 == 0);
}

static void test_float(void **state) {
  (void)state;
  for (size_t i = 0; i < EMBED_CASES; i++)
    check_case(&embed_cases[i], true, i % 2 != 0);
}

/* ---- what goes wrong ---- */

static geodisk_status breaks_at_once(const geodisk_trainer *t, void **out, char why[DEVICE_TEXT]) {
  (void)t;
  (void)out;
  snprintf(why, DEVICE_TEXT, "it has fallen off the bus");
  return GEODISK_ERROR_DEVICE;
}

static geodisk_status fails_to_create(const geodisk_trainer *t, void **out, char why[DEVICE_TEXT]) {
  (void)t;
  (void)out;
  snprintf(why, DEVICE_TEXT, "it does not fit");
  return GEODISK_ERROR_MEMORY;
}

static geodisk_status fails_in_epoch(void *own, const geodisk_trainer *t, const epoch_plan *plan, device_end *out,
                                     char why[DEVICE_TEXT]) {
  (void)own;
  (void)t;
  (void)plan;
  (void)out;
  snprintf(why, DEVICE_TEXT, "a kernel failed");
  return GEODISK_ERROR_DEVICE;
}

static geodisk_status fails_to_fetch(void *own, const geodisk_trainer *t, char why[DEVICE_TEXT]) {
  (void)own;
  (void)t;
  snprintf(why, DEVICE_TEXT, "it has fallen off the bus");
  return GEODISK_ERROR_DEVICE;
}

/* Each error is a status with its reason, and the checkpoint of before stays what it was. */
static void test_errors(void **state) {
  (void)state;
  embed_device broken = host_train;
  const device_table table = {.layout = DEVICE_LAYOUT, .look = host_look, .train = &broken};
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_hub(400, false, false);
  geodisk_train_options o = options_of(&embed_cases[0], true);
  geodisk_trainer *t = NULL;
  o.device = GEODISK_DEVICE_CUDA;
  geodisk_device_replace(&table);

  broken.create = fails_to_create;
  assert_int_equal(geodisk_trainer_create(context, graph, &o, &t), GEODISK_ERROR_MEMORY);
  assert_string_equal(geodisk_context_error(context), "it does not fit");
  assert_null(t);
  broken.create = host_create;

  t = make_trainer(context, graph, &o);
  assert_int_equal(geodisk_trainer_device(t), GEODISK_DEVICE_CUDA);
  train_epochs(context, t, 1);
  assert_int_equal(geodisk_trainer_save(t, path), GEODISK_OK);
  broken.epoch = fails_in_epoch;
  assert_int_equal(geodisk_trainer_run(t, NULL, NULL), GEODISK_ERROR_DEVICE);
  assert_string_equal(geodisk_context_error(context), "a kernel failed");
  assert_int_equal(geodisk_trainer_position(t), 1);
  broken.get_rows = fails_to_fetch;
  assert_int_equal(geodisk_trainer_save(t, path), GEODISK_ERROR_DEVICE);
  assert_string_equal(geodisk_context_error(context), "it has fallen off the bus");
  geodisk_trainer_destroy(t);

  o.device = GEODISK_DEVICE_CPU;
  assert_int_equal(geodisk_trainer_resume(context, graph, path, &o, &t), GEODISK_OK);
  assert_int_equal(geodisk_trainer_position(t), 1);
  assert_int_equal(geodisk_trainer_device(t), GEODISK_DEVICE_CPU);
  geodisk_trainer_destroy(t);
  remove(path);
  geodisk_device_replace(&host_device);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* A checkpoint that is written while training goes on is the one that is written at once; also of a core, while its last epoch
 * or the first of the whole graph is trained. */
static const char later[] = "cuda_later.safetensors", nowhere[] = "no/such/folder/cuda.safetensors";

static void check_later(geodisk_context *context, geodisk_trainer *t) {
  assert_int_equal(geodisk_trainer_save(t, path), GEODISK_OK);
  assert_int_equal(geodisk_trainer_checkpoint(t, later), GEODISK_OK);
  train_epochs(context, t, 1);
  assert_int_equal(geodisk_trainer_wait(t), GEODISK_OK);
  const bytes expected = take_file(path), got = take_file(later);
  assert_true(same_bytes(got, expected));
  free(got.data);
  free(expected.data);
}

static void test_checkpoints(void **state) {
  (void)state;
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_hub(400, false, false);
  geodisk_train_options o = options_of(&embed_cases[0], true);
  o.device = GEODISK_DEVICE_CUDA;
  geodisk_trainer *t = make_trainer(context, graph, &o);
  train_epochs(context, t, 2);
  check_later(context, t);
  assert_int_equal(geodisk_trainer_checkpoint(t, nowhere), GEODISK_OK);
  assert_int_equal(geodisk_trainer_checkpoint(t, later), GEODISK_ERROR_IO); /* of the one before */
  assert_non_null(strstr(geodisk_context_error(context), nowhere));
  assert_int_equal(geodisk_trainer_checkpoint(t, nowhere), GEODISK_OK);
  assert_int_equal(geodisk_trainer_wait(t), GEODISK_ERROR_IO);
  assert_int_equal(geodisk_trainer_wait(t), GEODISK_OK);
  assert_int_equal(geodisk_trainer_checkpoint(t, later), GEODISK_OK);
  geodisk_trainer_destroy(t);
  assert_int_equal(geodisk_trainer_resume(context, graph, later, &o, &t), GEODISK_OK);
  assert_int_equal(geodisk_trainer_position(t), 3);
  geodisk_trainer_destroy(t);
  remove(later);
  remove(path);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

static int set_aside;
static geodisk_status counts_aside(void *own, const geodisk_trainer *t, char why[DEVICE_TEXT]) {
  set_aside++;
  return host_set_aside(own, t, why);
}

static void test_core_checkpoints(void **state) {
  (void)state;
  embed_device counting = host_train;
  const device_table table = {.layout = DEVICE_LAYOUT, .look = host_look, .train = &counting};
  geodisk_context *context = make_context(1);
  counting.set_aside = counts_aside;
  geodisk_device_replace(&table);
  for (int single = 0; single < 2; single++) {
    geodisk_graph *graph = make_hub(400, false, false);
    geodisk_train_options o = options_of(&embed_cases[0], single);
    set_core(&o); /* three epochs of it, two of all */
    o.device = GEODISK_DEVICE_CUDA;
    geodisk_trainer *t = make_trainer(context, graph, &o);
    set_aside = 0;
    train_epochs(context, t, 1);
    check_later(context, t);
    check_later(context, t);
    assert_int_equal(set_aside, 2);
    check_later(context, t); /* of a core that has just ended, whose points the host has */
    check_later(context, t);
    assert_int_equal(set_aside, 3);
    geodisk_trainer_destroy(t);
    t = make_trainer(context, graph, &o);
    train_epochs(context, t, 2);
    assert_int_equal(geodisk_trainer_checkpoint(t, nowhere), GEODISK_OK);
    train_epochs(context, t, 1); /* what it came to is told, although the core is no more */
    assert_int_equal(geodisk_trainer_wait(t), GEODISK_ERROR_IO);
    geodisk_trainer_destroy(t);
    geodisk_graph_destroy(graph);
  }
  remove(later);
  remove(path);
  geodisk_device_replace(&host_device);
  geodisk_context_destroy(context);
}

/* `auto` takes the device for large batches of a large graph, and the processor where there is no room on it or it fails. */
static void test_auto(void **state) {
  (void)state;
  embed_device full = host_train, broken = host_train;
  const device_table no_room = {.layout = DEVICE_LAYOUT, .look = host_look, .train = &full},
                     no_use = {.layout = DEVICE_LAYOUT, .look = host_look, .train = &broken};
  geodisk_context *context = make_context(1);
  geodisk_graph *small = make_graph(CLIQUE, 20, false), *large = make_graph(CLIQUE, 150, false);
  geodisk_train_options o = options_of(&embed_cases[2], true); /* edge units */
  o.device = GEODISK_DEVICE_AUTO;
  o.batch = 4096;
  const struct {
    const geodisk_graph *graph;
    const device_table *table;
    geodisk_device expected;
    const char *reason;
  } rows[] = {{small, &host_device, GEODISK_DEVICE_CPU, "for this graph and these options a device would be no faster"},
              {large, &host_device, GEODISK_DEVICE_CUDA, ""},
              {large, &no_room, GEODISK_DEVICE_CPU, "it does not fit"},
              {large, &no_use, GEODISK_DEVICE_CPU, "it has fallen off the bus"}};
  full.create = fails_to_create;
  broken.create = breaks_at_once;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    geodisk_device_replace(rows[i].table);
    geodisk_trainer *t = make_trainer(context, rows[i].graph, &o);
    assert_int_equal(geodisk_trainer_device(t), rows[i].expected);
    assert_string_equal(geodisk_trainer_device_reason(t), rows[i].reason);
    geodisk_trainer_destroy(t);
  }
  geodisk_device_replace(&host_device);
  geodisk_graph_destroy(small);
  geodisk_graph_destroy(large);
  geodisk_context_destroy(context);
}

/* Where trainings run is told before the first of many, and once. */
typedef struct told {
  int device, progress, others;
  bool first;
} told;

static void on_log(void *user, geodisk_log_level level, const char *text) {
  told *t = user;
  (void)level;
  t->others += strcmp(text, "training on the host") != 0;
  t->device += strcmp(text, "training on the host") == 0;
  t->first = t->first || (t->device == 1 && t->progress == 0);
}

static bool on_progress(void *user, const geodisk_progress *progress) {
  return ++((told *)user)->progress < 40 && progress->total > 0;
}

static void test_told(void **state) {
  (void)state;
  told t = {0};
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(CHAIN, 9, false);
  geodisk_train_options o = geodisk_train_defaults();
  geodisk_trainer *trainer = NULL;
  geodisk_auto_choice choice;
  o.dim = 2;
  o.device = GEODISK_DEVICE_CUDA;
  geodisk_context_on_log(context, on_log, &t);
  geodisk_context_on_progress(context, on_progress, &t);
  assert_int_equal(geodisk_auto_trainer(context, graph, &o, &choice, &trainer), GEODISK_OK);
  assert_true(choice.stopped);
  assert_true(t.first);
  assert_int_equal(t.device, 1);
  assert_int_equal(t.others, 0);
  geodisk_trainer_destroy(trainer);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

static int use_the_host(void **state) {
  (void)state;
  geodisk_device_replace(&host_device);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_double),
      cmocka_unit_test(test_float),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_checkpoints),
      cmocka_unit_test(test_core_checkpoints),
      cmocka_unit_test(test_auto),
      cmocka_unit_test(test_told),
  };
  return cmocka_run_group_tests_name("the same bytes from the code for devices", tests, use_the_host, NULL);
}

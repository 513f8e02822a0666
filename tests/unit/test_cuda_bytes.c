/* What src/cuda computes is what the plain loop computes, byte by byte: its code compiled for the host, for float and double and
 * every set of options in embed_cases.h, in one go or resumed. */
#include "embed_cases.h"

#include "cuda_host.h"

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

static int use_the_host(void **state) {
  (void)state;
  geodisk_device_replace(&host_device);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_double),
      cmocka_unit_test(test_float),
  };
  return cmocka_run_group_tests_name("the same bytes from the code for devices", tests, use_the_host, NULL);
}

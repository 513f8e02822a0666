/* test_cli_output.c - numbers and JSON as the command prints them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "args.h"

/* What `print` writes to standard output. */
static const char *printed(void (*print)(void), char *text, size_t bytes) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  dup2(ends[1], STDOUT_FILENO);
  print();
  const int code = cli_finish();
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(ends[1]);
  const ssize_t n = read(ends[0], text, bytes - 1);
  close(ends[0]);
  text[n > 0 ? n : 0] = 0;
  assert_int_equal(code, EXIT_OK);
  return text;
}

static void print_strings(void) {
  json_string("plain");
  json_string("say \"hi\" \\ to\n\t\x01 Zo\xc3\xab");
  json_string("");
}

static void print_numbers(void) {
  const double values[] = {0.1, -3, 1e300, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    json_number(values[i]);
    putchar(' ');
  }
}

static void json(void **state) {
  (void)state;
  char text[256];
  assert_string_equal(printed(print_strings, text, sizeof text),
                      "\"plain\"\"say \\\"hi\\\" \\\\ to\\u000a\\u0009\\u0001 Zo\xc3\xab\"\"\"");
  assert_string_equal(printed(print_numbers, text, sizeof text), "0.1 -3 1e300 null null ");
}

static void numbers(void **state) {
  (void)state;
  char buffer[GEODISK_NUMBER_BYTES];
  double value = 7;
  assert_string_equal(shortest_double(0.1, buffer), "0.1");
  assert_string_equal(shortest_float(0.1f, buffer), "0.1");
  assert_true(parse_number("-2.5e3", &value) && value == -2500);
  assert_false(parse_number("2.5 ", &value) || parse_number("nan", &value));
  assert_true(value == -2500);
}

static void nearest_name(void **state) {
  (void)state;
  static const char *const names[] = {"distance", "exp", "transport"};
  assert_string_equal(args_nearest("distanec", names, 3), "distance");
  assert_string_equal(args_nearest("dist", names, 3), "distance");
  assert_string_equal(args_nearest("exq", names, 3), "exp");
  assert_null(args_nearest("barycenter", names, 3));
  assert_null(args_nearest("exp", names, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(json), cmocka_unit_test(numbers), cmocka_unit_test(nearest_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_base_number.c - shortest decimals and strict reading. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/base.h"

static void shortest_texts(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {
      {0, "0"},
      {-0.0, "-0"},
      {1, "1"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {0.1 + 0.2, "0.30000000000000004"},
      {100, "100"},
      {123456789, "123456789"},
      {1e15, "1000000000000000"},
      {1e16, "1e16"},
      {0.00001, "0.00001"},
      {0.0000012, "1.2e-6"},
      {1e22, "1e22"},
      {1e23, "1e23"},
      {1e-300, "1e-300"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e308"},
      {2.2250738585072014e-308, "2.2250738585072014e-308"},
      {0x1p-44, "5.684341886080802e-14"}, /* the nearest with 16 digits, ...801e-14, reads back as another number */
      {0x1p60, "1.152921504606847e18"},
      {9007199254740993.0, "9007199254740992"},
      {(double)INFINITY, "inf"},
      {-(double)INFINITY, "-inf"},
      {(double)NAN, "nan"},
  };
  char buffer[GEODISK_NUMBER_BYTES];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(geodisk_format_double(cases[i].value, buffer), strlen(cases[i].text));
    assert_string_equal(buffer, cases[i].text);
  }
  assert_int_equal(geodisk_format_float(0.1f, buffer), 3);
  assert_string_equal(buffer, "0.1");
  geodisk_format_float(16777216.0f, buffer);
  assert_string_equal(buffer, "16777216");
  geodisk_format_float(0x1p-149f, buffer);
  assert_string_equal(buffer, "1e-45");
  geodisk_format_float(3.4028235e38f, buffer);
  assert_string_equal(buffer, "3.4028235e38");
}

/* Any bits: what is written reads back the same, and fits the buffer. */
static void round_trip(void **state) {
  (void)state;
  geodisk_random random = geodisk_random_stream(5, 0);
  char buffer[GEODISK_NUMBER_BYTES];
  for (int i = 0; i < 50000; i++) {
    const uint64_t bits = geodisk_random_bits64(&random);
    double value, back;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
      continue;
    const int length = geodisk_format_double(value, buffer);
    assert_true(length < GEODISK_NUMBER_BYTES && buffer[length] == 0);
    assert_true(geodisk_parse_double(buffer, (size_t)length, &back));
    assert_memory_equal(&value, &back, sizeof value);
    float narrow;
    memcpy(&narrow, &bits, sizeof narrow);
    if (!isfinite(narrow))
      continue;
    assert_true(geodisk_parse_double(buffer, (size_t)geodisk_format_float(narrow, buffer), &back));
    assert_true((float)back == narrow);
  }
}

static void reading(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } good[] = {
      {"0", 0},
      {"-0.5", -0.5},
      {"+.5", 0.5},
      {"5.", 5},
      {"1e3", 1000},
      {"1E-3", 0.001},
      {"0x1.8p1", 3},
      {"-0X10", -16},
      {"1e-400", 0},
      {"000000000000000000000000000000000001", 1},
      {"0.1000000000000000055511151231257827", 0.1},
      {"9007199254740993", 9007199254740992.0},
      {"9007199254740993.0000000000000000001", 9007199254740994.0},
      {"123456789012345678901234567890e-29", 1.2345678901234567},
  };
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    double value = (double)NAN;
    if (!geodisk_parse_double(good[i].text, strlen(good[i].text), &value) || value != good[i].value)
      fail_msg("'%s' read as %a, expected %a", good[i].text, value, good[i].value);
  }
  static const char *const bad[] = {
      "",     " 1",    "1 ",    "1,5", "1e400", "inf",      "nan",  "-",  "+", ".", "e5",  "1e",   "1e+",   "0x",
      "0x1p", "1.2.3", "--1",   "1-",  "1e5.0", "Infinity", "0x1g", "1f", "x", "٣", "1_0", "-inf", "0x.p1", "1e4000000000000",
      "1d5",  "0b1",   "1'000", "\t1"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    double value = 7;
    if (geodisk_parse_double(bad[i], strlen(bad[i]), &value) || value != 7)
      fail_msg("'%s' was taken for the number %a", bad[i], value);
  }
  double value = 7;
  assert_false(geodisk_parse_double("1\0", 2, &value));
  assert_true(geodisk_parse_double("12345", 2, &value) && value == 12); /* only the length counts, no NUL is needed */
  char long_zero[1002];
  memset(long_zero, '0', sizeof long_zero);
  assert_true(geodisk_parse_double(long_zero, 1000, &value) && value == 0);
  assert_false(geodisk_parse_double(long_zero, 1001, &value));
}

/* Where a locale with a decimal comma is installed, numbers still have a point. */
static void locale_has_no_say(void **state) {
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8", "pl_PL.UTF-8", "ru_RU.UTF-8", "de_DE"};
  bool found = false;
  for (size_t i = 0; !found && i < sizeof names / sizeof names[0]; i++)
    found = setlocale(LC_ALL, names[i]) != NULL;
  if (!found)
    skip();
  reading(state);
  shortest_texts(state);
  round_trip(state);
  setlocale(LC_ALL, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shortest_texts),
      cmocka_unit_test(round_trip),
      cmocka_unit_test(reading),
      cmocka_unit_test(locale_has_no_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

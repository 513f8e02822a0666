/* cmocka.h - as much of cmocka as the unit tests use, for machines that Debian's cross compilers build for and Debian has no
 * cmocka for (cmake/cross.cmake). An assertion that fails prints what it found and ends the test; the others go on. */
#ifndef GEODISK_TESTS_CROSS_CMOCKA_H
#define GEODISK_TESTS_CROSS_CMOCKA_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*CMFixtureFunction)(void **state);
struct CMUnitTest {
  const char *name;
  void (*test_func)(void **state);
  CMFixtureFunction setup_func, teardown_func;
  void *initial_state;
};
#define cmocka_unit_test(f)                                                                                                      \
  { #f, f, NULL, NULL, NULL }
#define cmocka_unit_test_setup_teardown(f, setup, teardown)                                                                      \
  { #f, f, setup, teardown, NULL }

#define test_malloc malloc
#define test_calloc calloc
#define test_free   free

enum { CM_RETURNED, CM_FAILED, CM_SKIPPED };
static jmp_buf cm_way_out;

#define print_message(...) ((void)printf(__VA_ARGS__), (void)fflush(stdout))
#define print_error(...)   ((void)fprintf(stderr, __VA_ARGS__))
#define skip()             longjmp(cm_way_out, CM_SKIPPED)
#define fail_msg(...)      (print_error("%s:%d: ", __FILE__, __LINE__), print_error(__VA_ARGS__), print_error("\n"), cm_leave())
#define fail()             fail_msg("failed")
static inline _Noreturn void cm_leave(void) { longjmp(cm_way_out, CM_FAILED); }

static inline void cm_check(bool holds, const char *what, const char *file, int line) {
  if (holds)
    return;
  print_error("%s:%d: %s does not hold\n", file, line, what);
  cm_leave();
}
static inline void cm_check_numbers(uintmax_t a, uintmax_t b, bool equal, const char *what, const char *file, int line) {
  if ((a == b) == equal)
    return;
  print_error("%s:%d: %s: %" PRIuMAX " and %" PRIuMAX " are %s\n", file, line, what, a, b, equal ? "not equal" : "equal");
  cm_leave();
}
static inline void cm_check_strings(const char *a, const char *b, bool equal, const char *file, int line) {
  if ((strcmp(a, b) == 0) == equal)
    return;
  print_error("%s:%d: \"%s\" and \"%s\" are %s\n", file, line, a, b, equal ? "not equal" : "equal");
  cm_leave();
}
static inline void cm_check_bytes(const void *a, const void *b, size_t size, bool equal, const char *file, int line) {
  if ((memcmp(a, b, size) == 0) == equal)
    return;
  size_t i = 0;
  while (equal && ((const unsigned char *)a)[i] == ((const unsigned char *)b)[i])
    i++;
  print_error("%s:%d: %zu bytes are %s, the first at %zu\n", file, line, size, equal ? "not equal" : "equal", i);
  cm_leave();
}
static inline void cm_check_range(uintmax_t a, uintmax_t low, uintmax_t high, const char *file, int line) {
  if (a >= low && a <= high)
    return;
  print_error("%s:%d: %" PRIuMAX " is not from %" PRIuMAX " to %" PRIuMAX "\n", file, line, a, low, high);
  cm_leave();
}

#define CM_TEXT(a, b)                    #a ", " #b
#define assert_true(a)                   cm_check((a) ? true : false, #a, __FILE__, __LINE__)
#define assert_false(a)                  cm_check((a) ? false : true, "not " #a, __FILE__, __LINE__)
#define assert_null(a)                   cm_check((a) == NULL, #a " is NULL", __FILE__, __LINE__)
#define assert_non_null(a)               cm_check((a) != NULL, #a " is not NULL", __FILE__, __LINE__)
#define assert_ptr_equal(a, b)           cm_check((const void *)(a) == (const void *)(b), #a " is " #b, __FILE__, __LINE__)
#define assert_ptr_not_equal(a, b)       cm_check((const void *)(a) != (const void *)(b), #a " is not " #b, __FILE__, __LINE__)
#define assert_int_equal(a, b)           cm_check_numbers((uintmax_t)(a), (uintmax_t)(b), true, CM_TEXT(a, b), __FILE__, __LINE__)
#define assert_int_not_equal(a, b)       cm_check_numbers((uintmax_t)(a), (uintmax_t)(b), false, CM_TEXT(a, b), __FILE__, __LINE__)
#define assert_in_range(a, low, high)    cm_check_range((uintmax_t)(a), (uintmax_t)(low), (uintmax_t)(high), __FILE__, __LINE__)
#define assert_string_equal(a, b)        cm_check_strings(a, b, true, __FILE__, __LINE__)
#define assert_string_not_equal(a, b)    cm_check_strings(a, b, false, __FILE__, __LINE__)
#define assert_memory_equal(a, b, n)     cm_check_bytes(a, b, n, true, __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, n) cm_check_bytes(a, b, n, false, __FILE__, __LINE__)

static inline int cm_run(const struct CMUnitTest *test) {
  void *state = test->initial_state;
  if (test->setup_func && test->setup_func(&state) != 0) {
    print_error("%s: its preparation failed\n", test->name);
    return CM_FAILED;
  }
  const int way = setjmp(cm_way_out);
  if (way == CM_RETURNED)
    test->test_func(&state);
  if (test->teardown_func && test->teardown_func(&state) != 0) {
    print_error("%s: its clearing up failed\n", test->name);
    return CM_FAILED;
  }
  return way;
}

/* How many tests failed; those before and after a group of tests may be NULL. */
static inline int cm_run_group(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction before,
                               CMFixtureFunction after) {
  static const char *const words[] = {"passed", "FAILED", "skipped"};
  int failures = 0;
  void *state = NULL;
  if (before && before(&state) != 0) {
    print_error("%s: the preparation failed\n", name);
    return 1;
  }
  for (size_t i = 0; i < count; i++) {
    struct CMUnitTest test = tests[i];
    test.initial_state = state;
    const int way = cm_run(&test);
    print_message("%s: %s\n", test.name, words[way]);
    failures += way == CM_FAILED;
  }
  if (after && after(&state) != 0)
    failures++;
  print_message("%s: %zu tests, %d failed\n", name, count, failures);
  return failures;
}
#define cmocka_run_group_tests_name(name, tests, before, after)                                                                  \
  cm_run_group(name, tests, sizeof tests / sizeof tests[0], before, after)
#define cmocka_run_group_tests(tests, before, after) cmocka_run_group_tests_name(#tests, tests, before, after)

#endif

/* test_ball_accuracy.c - holds every operation of geodisk/ball.h to 4 units at worst and 2 in 99 of 100 cases, nothing on or
 * outside the rim: over the reference file and over random cases in all regions, double and float (measure.h: how it is counted).
 *
 *     test_ball_accuracy [seed [cases]]        other cases, or more of them; 100,000 without arguments
 *
 * GEODISK_ACCURACY_SEED sets the seed too. A failing run prints the worst case of each operation that failed, or as many of the
 * failing ones as GEODISK_ACCURACY_SHOW says. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "survey.h"

#define WORST_ALLOWED 4.0
#define P99_ALLOWED   2.0

static uint64_t seed = 20240229;
static size_t cases = 110000;

static bool within(const digest *sum) { return sum->worst <= WORST_ALLOWED && sum->p99 <= P99_ALLOWED && sum->outside == 0; }

/* ---- the reference file ---------------------------------------------------------------------------------------------- */

static void reference_file(void **state) {
  (void)state;
  FILE *file = fopen(GEODISK_TESTS_DIR "/ball.tsv", "r");
  assert_non_null(file);
  static char line[1 << 16];
  static accuracy_case c;
  enum { LINES = 1400 };
  static measurement results[LINES];
  static signed char op_of[LINES]; /* stands for the region in the digests */
  double got[MAX_NUMBERS];
  mp_ball mp;
  mp_ball_create(&mp, MAX_DIM);
  size_t count = 0;
  int failed = 0;
  while (fgets(line, sizeof line, file)) {
    char *outputs;
    assert_true(count < LINES);
    assert_true(case_parse(line, &c, &outputs));
    case_call(&c, got);
    results[count] = case_measure(&mp, &c, got);
    op_of[count] = (signed char)(c.op - operations);
    if (!(results[count].units <= WORST_ALLOWED) || !results[count].inside) {
      print_error("%.4g units%s: ", results[count].units, results[count].inside ? "" : ", on or outside the rim");
      case_print(stderr, &c);
      failed++;
    }
    count++;
  }
  fclose(file);
  mp_ball_destroy(&mp);
  assert_int_equal(count, LINES);
  for (int op = 0; op < operation_count; op++) {
    digest sum = digest_of(results, op_of, count, op);
    if (sum.cases == 0)
      continue;
    print_message("reference %-22s %6zu cases   worst %7.3f   p99 %7.3f\n", operations[op].name, sum.cases, sum.worst, sum.p99);
    failed += !within(&sum);
  }
  assert_int_equal(failed, 0);
}

/* ---- random cases ---------------------------------------------------------------------------------------------------- */

/* The worst case, or as many failing ones as GEODISK_ACCURACY_SHOW says. */
static void show_failures(const survey *s, const digest *sum) {
  const char *given = getenv("GEODISK_ACCURACY_SHOW");
  survey_print(stderr, s, sum->worst_at);
  long more = given ? strtol(given, NULL, 10) - 1 : 0;
  for (size_t i = 0; i < s->cases && more > 0; i++)
    if (i != sum->worst_at && (!(s->results[i].units <= WORST_ALLOWED) || !s->results[i].inside)) {
      survey_print(stderr, s, i);
      more--;
    }
}

static void random_cases(void **state) {
  (void)state;
  survey *surveys = geodisk_allocate_zero((size_t)operation_count * 2, sizeof *surveys);
  geodisk_context *context = NULL;
  assert_non_null(surveys);
  assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
  size_t total = survey_plan(surveys, seed, cases);
  survey_run(context, surveys, (size_t)operation_count * 2);
  geodisk_context_destroy(context);
  int failed = 0;
  for (int i = 0; i < 2 * operation_count; i++) {
    digest sum = survey_digest(&surveys[i], -1);
    print_message("%22s%-1s %6zu cases   worst %7.3f   p99 %7.3f%s\n", surveys[i].op->name, surveys[i].single ? "f" : "",
                  sum.cases, sum.worst, sum.p99, sum.outside ? "   OUTSIDE" : "");
    if (!within(&sum)) {
      show_failures(&surveys[i], &sum);
      failed++;
    }
  }
  print_message("%zu cases, seed %llu\n", total, (unsigned long long)seed);
  survey_free(surveys, (size_t)operation_count * 2);
  free(surveys);
  assert_int_equal(failed, 0);
}

static bool read_count(const char *text, unsigned long long *out) {
  char *end;
  errno = 0;
  *out = strtoull(text, &end, 0);
  return errno == 0 && end != text && *end == '\0';
}

int main(int argc, char **argv) {
  const char *given = argc > 1 ? argv[1] : getenv("GEODISK_ACCURACY_SEED");
  unsigned long long number;
  if (given) {
    if (!read_count(given, &number))
      return fprintf(stderr, "test_ball_accuracy: the seed '%s' is not a number\n", given), 2;
    seed = number;
  }
  if (argc > 2) {
    if (!read_count(argv[2], &number))
      return fprintf(stderr, "test_ball_accuracy: the number of cases '%s' is not a number\n", argv[2]), 2;
    cases = (size_t)number;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(reference_file), cmocka_unit_test(random_cases)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

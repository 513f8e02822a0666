/* bench_table.c - the table of a topic as the documents have it: a line that says when, where, of which commit and by which
 * command it was measured, then columns and rows. tools/measure-docs puts it between its marks. GEODISK_COMMIT comes from the
 * build. */
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef GEODISK_COMMIT
#define GEODISK_COMMIT "unknown"
#endif

bool bench_markdown;
char bench_card[256];
static char said[4096] = "geodisk"; /* what was typed, without what only says how to print */

void bench_remember(int argc, char **argv) {
  for (int i = 0; i < argc; i++)
    if (strcmp(argv[i], "--markdown") != 0 && strcmp(argv[i], "--quiet") != 0)
      snprintf(said + strlen(said), sizeof said - strlen(said), " %s", argv[i]);
}

void bench_stamp(FILE *out) {
  static const char commit[] = GEODISK_COMMIT, dirty[] = "-dirty";
  const size_t length = strlen(commit), rest = strlen(dirty);
  const bool changed = length > rest && strcmp(commit + length - rest, dirty) == 0;
  const time_t now = time(NULL);
  struct tm day = {0};
  char date[16] = "", processor[256];
  if (gmtime_r(&now, &day) != NULL)
    strftime(date, sizeof date, "%Y-%m-%d", &day);
  bench_processor(processor, sizeof processor);
  fprintf(out, "Measured %s on %s%s%s, %ld cores, commit %.*s%s, by `%s`:\n\n", date, bench_card, *bench_card ? ", " : "",
          processor, sysconf(_SC_NPROCESSORS_ONLN), (int)(changed ? length - rest : length), commit,
          changed ? ", changed since" : "", said);
}

void bench_table_begin(const char *columns) {
  if (bench_markdown)
    bench_stamp(stdout);
  printf("| %s |\n|", columns);
  for (const char *column = columns; column != NULL; column = strchr(column + 1, '|'))
    fputs(" --- |", stdout);
  putchar('\n');
}

static void put_cells(const char *format, va_list arguments) {
  fputs("| ", stdout);
  vprintf(format, arguments);
  putchar(' ');
}

void bench_table_text(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_cells(format, arguments);
  va_end(arguments);
}

void bench_table_number(double value) {
  char text[64];
  snprintf(text, sizeof text, "%.3g", value);
  if (strchr(text, 'e') != NULL && fabs(value) >= 1)
    snprintf(text, sizeof text, "%.0f", strtod(text, NULL));
  if (isfinite(value))
    bench_table_text("%s", text);
  else
    fputs("| ", stdout);
}

void bench_table_numbers(size_t count, const double *values) {
  for (size_t i = 0; i < count; i++)
    bench_table_number(values[i]);
}

void bench_table_count(double value) {
  char digits[64];
  const int length = snprintf(digits, sizeof digits, "%.0f", value);
  fputs("| ", stdout);
  for (int i = 0; i < length; i++)
    printf("%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
  putchar(' ');
}

void bench_table_end_row(void) {
  fputs("|\n", stdout);
  fflush(stdout);
}

void bench_table_row(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_cells(format, arguments);
  va_end(arguments);
  bench_table_end_row();
}

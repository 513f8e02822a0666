/* paper_table.c - the tables of `geodisk reproduce`: TSV files with a line of settings and a line of names, written as a whole,
 * and read again for the report. */
#include "bench/bench.h"
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void paper_append_list(paper_buffer *b, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  b->failed = b->failed || length < 0 || !geodisk_grow(&b->text, b->size, (size_t)length + 1, &b->room, 1);
  if (b->failed)
    return;
  vsnprintf(b->text + b->size, b->room - b->size, format, arguments);
  b->size += (size_t)length;
}

void paper_append(paper_buffer *b, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  paper_append_list(b, format, arguments);
  va_end(arguments);
}

void paper_cell(paper_buffer *b, const char *text) {
  const bool first = b->size == 0 || b->text[b->size - 1] == '\n';
  paper_append(b, "%s%s", first ? "" : "\t", text);
}

void paper_number(paper_buffer *b, double value) {
  char text[GEODISK_NUMBER_BYTES];
  paper_cell(b, shortest_double(value, text));
}

void paper_numbers(paper_buffer *b, int n, const double *values) {
  for (int i = 0; i < n; i++)
    paper_number(b, values[i]);
}

void paper_end_row(paper_buffer *b) { paper_append(b, "\n"); }

void paper_path(const paper *p, const char *name, const char *ending, char *path, size_t room) {
  snprintf(path, room, "%s/%s.%s", p->dir, name, ending);
}

int paper_write_file(const paper *p, const char *name, const char *ending, const paper_buffer *b) {
  char path[4096];
  paper_path(p, name, ending, path, sizeof path);
  return paper_write_text(p, path, b);
}

int paper_write_text(const paper *p, const char *path, const paper_buffer *b) {
  geodisk_file *file = NULL;
  geodisk_status status = b->failed ? GEODISK_ERROR_MEMORY : geodisk_file_create(p->context, path, &file);
  if (status == GEODISK_OK) {
    status = geodisk_file_write(file, b->text, b->size);
    status = geodisk_file_finish(file, status);
  }
  if (status == GEODISK_ERROR_MEMORY)
    return cli_error("not enough memory for %s", path);
  return status == GEODISK_OK ? EXIT_OK : cli_failed(p->context, status);
}

/* Cuts the lines after the first into cells. */
static bool split_cells(paper_data *data, char *text) {
  size_t lines = 0;
  data->columns = 1;
  for (const char *c = text; *c != 0; c++) {
    data->columns += lines == 0 && *c == '\t';
    lines += *c == '\n';
  }
  data->cells = geodisk_allocate_zero(lines * data->columns, sizeof *data->cells);
  if (data->cells == NULL || lines == 0)
    return false;
  data->rows = lines - 1;
  char *c = text;
  for (size_t line = 0; line < lines; line++)
    for (size_t column = 0; column < data->columns; column++) {
      data->cells[line * data->columns + column] = c;
      c += strcspn(c, "\t\n");
      if (*c != (column + 1 < data->columns ? '\t' : '\n'))
        return false;
      *c++ = 0;
    }
  return true;
}

/* The settings are the first line, the names of the columns the second: both are in `line`. */
static bool open_table(const paper *p, const char *table, const char *line, paper_data *out) {
  char path[4096];
  size_t size;
  *out = (paper_data){0};
  paper_path(p, table, "tsv", path, sizeof path);
  out->text = bench_read_file(path, &size);
  char *rest = out->text == NULL ? NULL : strchr(out->text, '\n');
  const bool fine = rest != NULL && out->text[0] == '#' && (line == NULL || strncmp(out->text, line, strlen(line)) == 0) &&
                    split_cells(out, rest + 1);
  if (!fine)
    paper_close(out);
  return fine;
}

bool paper_open(const paper *p, const paper_part *part, const char *table, paper_data *out) {
  char settings[PAPER_SETTINGS], line[2 * PAPER_SETTINGS];
  const char *columns = "";
  part->settings(p, settings);
  for (int i = 0; i < PAPER_TABLES && part->tables[i] != NULL; i++)
    columns = strcmp(part->tables[i], table) == 0 ? part->columns[i] : columns;
  snprintf(line, sizeof line, "# %s by geodisk %s: %s; %s\n%s\n", table, geodisk_version(), settings,
           geodisk_instruction_set(p->context), columns);
  return open_table(p, table, p->reread ? NULL : line, out);
}

bool paper_open_any(const paper *p, const char *table, paper_data *out) { return open_table(p, table, NULL, out); }

void paper_close(paper_data *data) {
  geodisk_free_all(data->text, data->cells);
  *data = (paper_data){0};
}

double paper_setting(const paper *p, const char *table, const char *words) {
  paper_data d;
  double value = (double)NAN;
  if (paper_open_any(p, table, &d)) {
    d.text[strcspn(d.text, "\n")] = 0;
    const char *end = strstr(d.text, words), *begin = end;
    while (begin != NULL && begin > d.text && strchr("0123456789", begin[-1]) != NULL)
      begin--;
    if (begin != end)
      value = strtod(begin, NULL);
  }
  paper_close(&d);
  return value;
}

const char *paper_at(const paper_data *data, size_t row, const char *column) {
  for (size_t c = 0; row < data->rows && c < data->columns; c++)
    if (strcmp(data->cells[c], column) == 0)
      return data->cells[(row + 1) * data->columns + c];
  return "";
}

double paper_value(const paper_data *data, size_t row, const char *column) {
  double value = (double)NAN;
  const char *cell = paper_at(data, row, column);
  return *cell != 0 && parse_number(cell, &value) ? value : strcmp(cell, "inf") == 0 ? (double)INFINITY : (double)NAN;
}

bool paper_row_is(const paper_data *data, size_t row, const char *key) {
  for (size_t c = 0; c < data->columns; c++) {
    const char *cell = data->cells[(row + 1) * data->columns + c];
    const size_t length = strlen(cell);
    if (strncmp(cell, key, length) != 0 || (key[length] != '\t' && key[length] != 0))
      return false;
    if (key[length] == 0)
      return true;
    key += length + 1;
  }
  return false;
}

double paper_lookup(const paper_data *data, const char *column, const char *key_format, ...) {
  char key[256];
  va_list arguments;
  va_start(arguments, key_format);
  vsnprintf(key, sizeof key, key_format, arguments);
  va_end(arguments);
  for (size_t row = 0; row < data->rows; row++)
    if (paper_row_is(data, row, key))
      return paper_value(data, row, column);
  return (double)NAN;
}

paper_mean paper_mean_of(size_t n, const double *values) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++)
    sum += values[i];
  const double mean = sum / (double)n;
  for (size_t i = 0; i < n; i++)
    squares += (values[i] - mean) * (values[i] - mean);
  return n == 0 ? (paper_mean){(double)NAN, (double)NAN}
                : (paper_mean){mean, n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : 0};
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double paper_quantile(size_t n, double *values, double q) {
  qsort(values, n, sizeof *values, compare_doubles);
  const double place = q * (double)(n - 1);
  const size_t below = (size_t)place;
  if (below + 1 >= n || values[below] == values[below + 1])
    return values[below];
  return values[below] + (place - (double)below) * (values[below + 1] - values[below]);
}

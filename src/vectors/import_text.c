/* import_text.c - names and vectors from text: word2vec's, and tables separated by tabs, commas or blanks. */
#include "import.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool import_two_numbers(const char *line, size_t length, uint64_t *rows, uint64_t *columns) {
  uint64_t number[2] = {0, 0};
  const char *p = line, *end = line + length;
  while (end > p && (is_blank(end[-1]) || end[-1] == '\r'))
    end--;
  for (int i = 0; i < 2; i++) {
    const char *start = p;
    for (; p < end && *p >= '0' && *p <= '9' && p - start < 18; p++)
      number[i] = 10 * number[i] + (uint64_t)(*p - '0');
    if (p == start || (i == 0 && (p == end || !is_blank(*p))))
      return false;
    while (i == 0 && p < end && is_blank(*p))
      p++;
  }
  *rows = number[0];
  *columns = number[1];
  return p == end;
}

/* ---- lines of a name and numbers between blanks ---------------------------------------------------------------------- */

/* From the right, so that names may have blanks inside. */
bool import_split_line(const char *text, size_t length, size_t columns, double *row, size_t *name, size_t *bad) {
  size_t end = length;
  for (size_t k = columns; k > 0; k--) {
    while (end > 0 && is_blank(text[end - 1]))
      end--;
    size_t begin = end;
    while (begin > 0 && !is_blank(text[begin - 1]))
      begin--;
    double value;
    *bad = begin > 0 ? k : 0; /* the line's first word is a name, not a number */
    if (begin == 0 || !geodisk_parse_double(text + begin, end - begin, &value))
      return false;
    if (row != NULL)
      row[k - 1] = value;
    end = begin;
  }
  while (end > 0 && is_blank(text[end - 1]))
    end--;
  *name = end;
  return true;
}

static geodisk_status read_line(importer *im, const char *line, size_t length) {
  size_t name, bad;
  char text[96];
  if (memchr(line, 0, length) != NULL)
    return import_fail(im, "a NUL byte");
  if (import_split_line(line, length, im->columns, im->row, &name, &bad))
    return import_row(im, line, name);
  if (bad == 0)
    snprintf(text, sizeof text, "fewer than a name and %zu numbers", im->columns);
  else
    snprintf(text, sizeof text, "number %zu of %zu is not a finite number", bad, im->columns);
  return import_fail(im, text);
}

/* Lines until the end; blank ones are skipped. */
static geodisk_status read_lines(importer *im) {
  char *line;
  size_t length;
  geodisk_status status;
  while ((status = stream_line(&im->in, &line, &length)) == GEODISK_OK && line != NULL) {
    size_t first = 0;
    while (first < length && is_blank(line[first]))
      first++;
    if (first == length)
      continue;
    status = read_line(im, line, length);
    if (status != GEODISK_OK)
      return status;
  }
  return status;
}

geodisk_status import_word2vec_sizes(importer *im, uint64_t *rows) {
  char *line;
  size_t length;
  uint64_t columns;
  const geodisk_status status = stream_line(&im->in, &line, &length);
  if (status != GEODISK_OK)
    return status;
  if (line == NULL || !import_two_numbers(line, length, rows, &columns))
    return import_fail(im, "word2vec's first line, the numbers of nodes and of dimensions, was expected");
  return import_columns(im, columns);
}

geodisk_status import_word2vec(importer *im) {
  uint64_t rows = 0;
  geodisk_status status = import_word2vec_sizes(im, &rows);
  if (status == GEODISK_OK)
    status = read_lines(im);
  if (status == GEODISK_OK && im->rows + im->info.duplicates != rows)
    status = geodisk_fail(im->context, GEODISK_ERROR_FORMAT, "%s: %" PRIu64 " rows, but its first line says %" PRIu64,
                          im->in.label, im->rows + im->info.duplicates, rows);
  return status;
}

static void say_header(const importer *im) {
  geodisk_log_event(im->context, GEODISK_LOG_INFO, "%s: the first line is taken as a header", im->in.label);
}

/* Blanks, no first line of sizes: GloVe's way. The first line tells how many numbers there are; it is a header if its last word
 * is not one. */
static geodisk_status import_blanks(importer *im) {
  char *line;
  size_t length, name, bad;
  geodisk_status status;
  do
    status = stream_line(&im->in, &line, &length);
  while (status == GEODISK_OK && line != NULL && length == 0);
  if (status != GEODISK_OK || line == NULL)
    return status;
  uint64_t words = 0;
  for (size_t i = 0; i < length; i++)
    words += !is_blank(line[i]) && (i == 0 || is_blank(line[i - 1]));
  if (words < 2)
    return import_fail(im, "one word only; a name and numbers were expected");
  status = import_columns(im, words - 1);
  if (status != GEODISK_OK)
    return status;
  if (!import_split_line(line, length, im->columns, im->row, &name, &bad) && bad == im->columns)
    say_header(im);
  else
    status = read_line(im, line, length);
  return status == GEODISK_OK ? read_lines(im) : status;
}

/* ---- tables with quotes ---------------------------------------------------------------------------------------------- */

typedef struct field {
  char *text;
  size_t length;
} field;

/* Takes the next field of a record, quotes undone in place; *at becomes the start of the one after it, or NULL. False: text after
 * a closing quote. */
static bool next_field(char **at, char *end, char separator, field *out) {
  char *p = *at;
  if (p < end && *p == '"') {
    char *to = ++p;
    out->text = p;
    for (; p < end; p++) {
      if (*p == '"' && (++p == end || *p != '"'))
        break;
      *to++ = *p;
    }
    out->length = (size_t)(to - out->text);
  } else {
    char *stop = memchr(p, separator, (size_t)(end - p));
    out->text = p;
    p = stop != NULL ? stop : end;
    out->length = (size_t)(p - out->text);
  }
  if (p < end && *p != separator)
    return false;
  *at = p < end ? p + 1 : NULL;
  return true;
}

static size_t count_fields(const char *record, size_t length, char separator) {
  size_t fields = 1;
  bool quoted = false, may_open = true;
  for (size_t i = 0; i < length; i++) {
    const bool mark = record[i] == '"' && (quoted || may_open);
    quoted = quoted != mark;
    fields += !quoted && record[i] == separator;
    may_open = mark || (!quoted && record[i] == separator);
  }
  return fields;
}

/* Blanks around a number do not matter. */
static bool parse_field(const field *f, double *out) {
  const char *text = f->text;
  size_t length = f->length;
  while (length > 0 && is_blank(*text)) {
    text++;
    length--;
  }
  while (length > 0 && is_blank(text[length - 1]))
    length--;
  return geodisk_parse_double(text, length, out);
}

static geodisk_status read_record(importer *im, char *record, size_t length, char separator, bool first) {
  const bool named = im->names_path == NULL && !im->numbered;
  char *at = record, *end = record + length, text[96];
  field name = {record, 0}, f;
  if (memchr(record, 0, length) != NULL)
    return import_fail(im, "a NUL byte");
  if (named && !next_field(&at, end, separator, &name))
    return import_fail(im, "text after a closing quote");
  size_t bad = 0, numbers = 0, counted = 0; /* the first column that is no number; how many are, and are their own number */
  for (size_t k = 0; k < im->columns; k++) {
    if (at == NULL) {
      snprintf(text, sizeof text, "%zu numbers, expected %zu", k, im->columns);
      return import_fail(im, text);
    }
    if (!next_field(&at, end, separator, &f))
      return import_fail(im, "text after a closing quote");
    const bool number = parse_field(&f, &im->row[k]);
    bad = number || bad != 0 ? bad : k + 1;
    numbers += number;
    counted += number && im->row[k] == (double)k;
  }
  /* A header has no numbers; pandas writes 0, 1, ... after an empty name. */
  if (first && (numbers == 0 || (named && name.length == 0 && counted == im->columns && counted > 1))) {
    say_header(im);
    return GEODISK_OK;
  }
  if (bad != 0) {
    snprintf(text, sizeof text, "column %zu is not a finite number", bad + named);
    return import_fail(im, text);
  }
  if (at != NULL) {
    snprintf(text, sizeof text, "more than %zu numbers", im->columns);
    return import_fail(im, text);
  }
  return import_row(im, name.text, name.length);
}

geodisk_status import_table(importer *im, char separator) {
  const char *mark;
  size_t found;
  geodisk_status status = stream_peek(&im->in, 3, &mark, &found);
  if (status == GEODISK_OK && found == 3 && memcmp(mark, "\xef\xbb\xbf", 3) == 0)
    stream_take(&im->in, 3);
  if (separator == ' ' && im->names_path == NULL && !im->numbered)
    return status == GEODISK_OK ? import_blanks(im) : status;
  char *record;
  size_t length;
  bool first = true;
  while (status == GEODISK_OK && (status = stream_record(&im->in, separator, &record, &length)) == GEODISK_OK && record != NULL) {
    if (length == 0)
      continue;
    if (first) {
      const size_t fields = count_fields(record, length, separator);
      status = import_columns(im, fields - (im->names_path == NULL && !im->numbered));
    }
    if (status == GEODISK_OK)
      status = read_record(im, record, length, separator, first);
    first = false;
  }
  return status;
}

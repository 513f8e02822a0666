/* points.c - reads points as text or npy; every refusal names the row and the column. */
#include "points.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

/* ---- the whole file -------------------------------------------------------------------------------------------------- */

static const char *title(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

static const char npy_mark[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* The bytes of a file, with a NUL behind them. NULL after printing an error. */
static char *read_all(const char *path, size_t *size) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  char *bytes = NULL;
  size_t room = 1 << 16, used = 0;
  if (file == NULL) {
    cli_error("%s: %s", path, strerror(errno));
    return NULL;
  }
  bytes = geodisk_allocate(room, 1);
  while (bytes != NULL) {
    const size_t got = fread(bytes + used, 1, room - 1 - used, file);
    if (memcmp(bytes, npy_mark, used + got < sizeof npy_mark ? used + got : sizeof npy_mark) != 0 && used + got == room - 1 &&
        memchr(bytes + used, 0, got) != NULL) { /* no text, and perhaps without end, as /dev/zero is */
      cli_error("%s: a NUL byte: neither text nor npy", title(path));
      free(bytes);
      if (file != stdin)
        fclose(file);
      return NULL;
    }
    used += got;
    if (used < room - 1)
      break;
    char *more = room <= SIZE_MAX / 2 ? geodisk_reallocate(bytes, room *= 2, 1) : NULL;
    if (more == NULL)
      free(bytes);
    bytes = more;
  }
  if (bytes == NULL)
    cli_error("%s: out of memory", title(path));
  else if (ferror(file)) {
    cli_error("%s: %s", title(path), strerror(errno));
    free(bytes);
    bytes = NULL;
  }
  if (file != stdin)
    fclose(file);
  if (bytes == NULL)
    return NULL;
  bytes[used] = 0;
  *size = used;
  return bytes;
}

void points_free(point_rows *rows) {
  for (size_t i = 0; rows->names != NULL && i < rows->n; i++)
    free(rows->names[i]);
  geodisk_free_all(rows->names, rows->x, rows->lines);
  *rows = (point_rows){0};
}

/* ---- npy -------------------------------------------------------------------------------------------------------------- */

static bool refuse(const char *path, const char *why) {
  cli_error("%s: %s", title(path), why);
  return false;
}

static uint64_t little_endian(const unsigned char *bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;)
    value = value << 8 | bytes[i];
  return value;
}

/* The text after 'key': in the header's dictionary, or NULL. */
static const char *dictionary_value(const char *header, const char *key) {
  const char *found = strstr(header, key);
  if (found == NULL)
    return NULL;
  found += strlen(key);
  while (*found == '\'' || *found == '"' || *found == ':' || *found == ' ')
    found++;
  return found;
}

/* Reads "(n, dim)". */
static bool read_shape(const char *text, size_t *n, size_t *dim) {
  char *end;
  if (text == NULL || *text != '(')
    return false;
  errno = 0;
  const unsigned long long rows = strtoull(text + 1, &end, 10);
  if (end == text + 1 || *end != ',')
    return false;
  const char *second = end + 1;
  const unsigned long long columns = strtoull(second, &end, 10);
  while (*end == ' ' || *end == ',')
    end++;
  *n = (size_t)rows;
  *dim = (size_t)columns;
  return errno == 0 && end != second && *end == ')' && columns > 0;
}

static bool read_npy(const char *path, const char *bytes, size_t size, point_rows *out) {
  const unsigned char *b = (const unsigned char *)bytes;
  const size_t length_bytes = size > 6 && b[6] >= 2 ? 4 : 2;
  if (size < 8 + length_bytes || b[6] < 1 || b[6] > 3)
    return refuse(path, "npy: unknown version");
  const uint64_t header_bytes = little_endian(b + 8, length_bytes);
  const size_t start = 8 + length_bytes;
  if (header_bytes > size - start || header_bytes > 65536)
    return refuse(path, "npy: the file ends within its header");
  char header[65537];
  memcpy(header, bytes + start, (size_t)header_bytes);
  header[header_bytes] = 0;
  const char *type = dictionary_value(header, "descr"), *order = dictionary_value(header, "fortran_order");
  const bool wide = type != NULL && strncmp(type, "<f8", 3) == 0, narrow = type != NULL && strncmp(type, "<f4", 3) == 0;
  if (!wide && !narrow)
    return refuse(path, "npy: the numbers must be float64 or float32, little endian");
  if (order == NULL || strncmp(order, "False", 5) != 0)
    return refuse(path, "npy: the array must be in C order (numpy.ascontiguousarray makes it so)");
  if (!read_shape(dictionary_value(header, "shape"), &out->n, &out->dim))
    return refuse(path, "npy: the array must have two dimensions, a row for each point");
  if (out->n == 0)
    return refuse(path, "there are no points");
  const size_t width = wide ? 8 : 4, data = start + (size_t)header_bytes;
  if (out->n > SIZE_MAX / out->dim / width || out->n * out->dim * width > size - data)
    return refuse(path, "npy: the file ends within its numbers");
  out->x = geodisk_allocate(out->n, out->dim * sizeof *out->x);
  out->lines = geodisk_allocate(out->n, sizeof *out->lines);
  if (out->x == NULL || out->lines == NULL)
    return refuse(path, "out of memory");
  for (size_t i = 0; i < out->n * out->dim; i++) {
    const uint64_t bits = little_endian(b + data + width * i, width);
    if (wide) {
      memcpy(&out->x[i], &bits, sizeof bits);
    } else {
      const uint32_t half = (uint32_t)bits;
      float single;
      memcpy(&single, &half, sizeof half);
      out->x[i] = (double)single;
    }
    if (!isfinite(out->x[i])) {
      cli_error("%s: row %zu, column %zu: the number is not finite", title(path), i / out->dim + 1, i % out->dim + 1);
      return false;
    }
  }
  for (size_t i = 0; i < out->n; i++)
    out->lines[i] = i + 1;
  return true;
}

/* ---- text ------------------------------------------------------------------------------------------------------------- */

/* A field of a row: its text, NUL-terminated in place. */
typedef struct fields {
  char **text;
  size_t n, room;
} fields;

static bool add_field(fields *f, char *text) {
  if (!geodisk_grow(&f->text, f->n, 1, &f->room, sizeof *f->text))
    return false;
  f->text[f->n++] = text;
  return true;
}

/* Takes the quotes off a field that begins with one, in place; returns what follows it. */
static char *unquote(char *text) {
  char *out = text;
  char *p = text + 1;
  for (; *p != 0; p++) {
    if (*p == '"' && p[1] != '"')
      break;
    if (*p == '"')
      p++;
    *out++ = *p;
  }
  char *rest = *p == '"' ? p + 1 : p;
  *out = 0;
  return rest;
}

/* The separator of a row: its first tab, comma or semicolon outside quotes, else blanks. */
static char separator_of(const char *row) {
  bool quoted = false;
  for (; *row != 0; row++) {
    quoted = quoted != (*row == '"');
    if (!quoted && (*row == '\t' || *row == ',' || *row == ';'))
      return *row;
  }
  return ' ';
}

/* Cuts a row into fields, without the blanks around them. What stands between a closing quote and the separator is dropped. */
static bool cut_row(char *row, fields *f) {
  const char separator = separator_of(row), single[2] = {separator, 0};
  const char *stops = separator == ' ' ? " \t" : single;
  f->n = 0;
  for (char *p = row;; p++) {
    p += strspn(p, separator == '\t' ? " " : " \t");
    if (*p == 0 && separator == ' ')
      return true;
    char *text = p, *end = NULL;
    if (*p == '"')
      p = unquote(p);
    else {
      end = p += strcspn(p, stops);
      while (end > text && end[-1] == ' ')
        end--;
    }
    p += strcspn(p, stops);
    const char stop = *p;
    if (end != NULL)
      *end = 0;
    if (!add_field(f, text))
      return false;
    if (stop == 0)
      return true;
  }
}

typedef struct reader {
  const char *path;
  point_rows *out;
  fields row;
  size_t room;
  bool header_seen, started, named;
} reader;

static bool fail_at(const reader *r, size_t line, size_t column, const char *what) {
  cli_error("%s: row %zu, column %zu: %s", title(r->path), line, column, what);
  return false;
}

/* The first row with a number decides: with a name in front or not. One row without any may stand before it, a header. */
static bool start_reading(reader *r, size_t line, bool *header) {
  double ignored;
  size_t numbers = 0;
  for (size_t i = 0; i < r->row.n; i++)
    numbers += parse_number(r->row.text[i], &ignored);
  *header = numbers == 0;
  if (*header && r->header_seen)
    return fail_at(r, line, 1, "there is no number in it");
  r->header_seen = true;
  if (*header)
    return true;
  r->named = !parse_number(r->row.text[0], &ignored);
  r->out->dim = r->row.n - r->named;
  r->started = true;
  return true;
}

static bool grow(reader *r) {
  point_rows *o = r->out;
  size_t room[3] = {r->room, r->room, r->room}; /* which grow alike */
  if (!geodisk_grow(&o->x, o->n, 1, &room[0], o->dim * sizeof *o->x) ||
      !geodisk_grow(&o->lines, o->n, 1, &room[1], sizeof *o->lines) ||
      (r->named && !geodisk_grow(&o->names, o->n, 1, &room[2], sizeof *o->names)))
    return refuse(r->path, "out of memory");
  r->room = room[0];
  return true;
}

static bool take_row(reader *r, size_t line) {
  point_rows *o = r->out;
  if (r->row.n != o->dim + r->named) {
    cli_error("%s: row %zu has %zu numbers, the first had %zu", title(r->path), line, r->row.n - (r->named && r->row.n > 0),
              o->dim);
    return false;
  }
  if (!grow(r))
    return false;
  for (size_t j = 0; j < o->dim; j++)
    if (!parse_number(r->row.text[j + r->named], &o->x[o->n * o->dim + j])) {
      cli_error("%s: row %zu, column %zu: '%.40s' is not a number", title(r->path), line, j + r->named + 1,
                r->row.text[j + r->named]);
      return false;
    }
  if (r->named) {
    const size_t length = strlen(r->row.text[0]);
    char *name = geodisk_allocate(length + 1, 1);
    if (name == NULL)
      return refuse(r->path, "out of memory");
    memcpy(name, r->row.text[0], length + 1);
    o->names[o->n] = name;
  }
  o->lines[o->n++] = line;
  return true;
}

/* One row of text, NUL-terminated, of `length` bytes. */
static bool read_row(reader *r, char *row, size_t length, size_t line) {
  const size_t blank = strspn(row, " \t");
  bool header = false;
  if (strlen(row) != length)
    return fail_at(r, line, 1, "there is a NUL byte in it");
  if (row[blank] == 0 || row[blank] == '#')
    return true;
  if (!cut_row(row, &r->row))
    return refuse(r->path, "out of memory");
  if (!r->started && !start_reading(r, line, &header))
    return false;
  return header || take_row(r, line);
}

static bool read_text(const char *path, char *bytes, size_t size, point_rows *out) {
  reader r = {.path = path, .out = out};
  bool fine = true;
  size_t line = 0;
  char *p = bytes, *end = bytes + size;
  if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) /* a byte-order mark */
    p += 3;
  while (fine && p < end) {
    char *next = memchr(p, '\n', (size_t)(end - p)), *stop;
    if (next == NULL)
      next = end;
    stop = next > p && next[-1] == '\r' ? next - 1 : next;
    *stop = 0;
    fine = read_row(&r, p, (size_t)(stop - p), ++line);
    p = next + 1;
  }
  free(r.row.text);
  if (fine && out->n == 0)
    return refuse(path, "there are no points");
  return fine;
}

bool points_read(const char *path, point_rows *out) {
  size_t size = 0;
  *out = (point_rows){0};
  char *bytes = read_all(path, &size);
  if (bytes == NULL)
    return false;
  const bool npy = size >= sizeof npy_mark && memcmp(bytes, npy_mark, sizeof npy_mark) == 0;
  const bool fine = npy ? read_npy(path, bytes, size, out) : read_text(path, bytes, size, out);
  free(bytes);
  if (!fine)
    points_free(out);
  return fine;
}

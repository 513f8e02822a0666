/* import.c - reads names and vectors of other programs into a model: finds out the format, collects the rows, makes points of
 * them. */
#include "import.h"
#include "base/grow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "safetensors.h"

/* Points may lie outside the rim by this share of R, which is rounding to float and a little more; they are pulled inside. */
#define RIM_SLACK 0x1p-20

/* How near to the hyperboloid a row must lie, relative to its time: four digits are few even for float. */
#define HYPERBOLOID_SLACK 1e-3

enum { PEEK = 1 << 16 };

geodisk_status import_fail(const importer *im, const char *what) {
  const bool binary = im->info.format == GEODISK_FORMAT_WORD2VEC_BINARY || im->info.format == GEODISK_FORMAT_NPY;
  return geodisk_fail(im->context, GEODISK_ERROR_FORMAT, "%s: %s %" PRIu64 ": %s", im->in.label, binary ? "row" : "line",
                      im->in.line, what);
}

/* ---- collecting rows ------------------------------------------------------------------------------------------------- */

geodisk_status import_columns(importer *im, uint64_t columns) {
  const uint64_t least = im->options->lorentz ? 2 : 1;
  if (columns < least || columns > MODEL_MAX_DIM + least - 1)
    return geodisk_fail(im->context, GEODISK_ERROR_FORMAT,
                        "%s: rows of %" PRIu64 " numbers; it must be from %" PRIu64 " to %" PRIu64, im->in.label, columns, least,
                        MODEL_MAX_DIM + least - 1);
  im->columns = (size_t)columns;
  im->row = geodisk_allocate(im->columns, sizeof *im->row);
  return im->row != NULL ? GEODISK_OK : geodisk_no_memory(im->context, "to read %s", im->in.label);
}

static geodisk_status make_room(importer *im) {
  return array_grow(&im->values, im->rows, 1, &im->room, im->columns * (im->single ? sizeof(float) : sizeof(double)))
             ? GEODISK_OK
             : geodisk_no_memory(im->context, "to read %s", im->in.label);
}

geodisk_status import_row(importer *im, const char *name, size_t length) {
  uint32_t id;
  bool is_new = true;
  if (im->names_path == NULL && !im->numbered) {
    if (geodisk_utf8_prefix(name, length) != length)
      return import_fail(im, "the name is not UTF-8");
    const geodisk_status status = names_intern(&im->names, name, length, &id, &is_new);
    if (status == GEODISK_ERROR_UNSUPPORTED)
      return geodisk_fail(im->context, status, "%s: more than %zu rows", im->in.label, NAMES_MAX);
    if (status != GEODISK_OK)
      return geodisk_no_memory(im->context, "to read %s", im->in.label);
  }
  if (!is_new) {
    im->info.duplicates++;
    return GEODISK_OK;
  }
  const geodisk_status status = make_room(im);
  if (status != GEODISK_OK)
    return status;
  const size_t at = im->rows * im->columns;
  for (size_t k = 0; k < im->columns; k++) {
    if (im->single)
      ((float *)im->values)[at + k] = (float)im->row[k];
    else
      ((double *)im->values)[at + k] = im->row[k];
    if (!isfinite(im->single ? (double)(float)im->row[k] : im->row[k]))
      return import_fail(im, "a number that is not finite, or too large");
  }
  im->rows++;
  return GEODISK_OK;
}

/* Names from their own file, one a line, or numbers. */
static geodisk_status collect_names(importer *im) {
  uint32_t id;
  bool is_new = true;
  geodisk_status status = GEODISK_OK;
  if (im->numbered) {
    char number[24];
    for (size_t i = 0; status == GEODISK_OK && i < im->rows; i++)
      status = names_intern(&im->names, number, (size_t)snprintf(number, sizeof number, "%zu", i), &id, &is_new);
    return status == GEODISK_OK ? status : geodisk_no_memory(im->context, "to read %s", im->in.label);
  }
  stream file;
  status = stream_open(im->context, im->names_path, &file);
  if (status != GEODISK_OK)
    return status;
  char *line;
  size_t length;
  while ((status = stream_line(&file, &line, &length)) == GEODISK_OK && line != NULL) {
    if (memchr(line, 0, length) != NULL || geodisk_utf8_prefix(line, length) != length)
      status = geodisk_fail(im->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 ": not UTF-8, or a NUL byte", file.label,
                            file.line);
    else if ((status = names_intern(&im->names, line, length, &id, &is_new)) != GEODISK_OK)
      status = geodisk_no_memory(im->context, "to read %s", im->in.label);
    else if (!is_new)
      status = geodisk_fail(im->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 ": the name '%.*s' occurs twice", file.label,
                            file.line, (int)(length < 64 ? length : 64), line);
    if (status != GEODISK_OK)
      break;
  }
  if (status == GEODISK_OK && im->names.count != im->rows)
    status = geodisk_fail(im->context, GEODISK_ERROR_FORMAT, "%s: %zu names, but %s has %zu rows", file.label, im->names.count,
                          im->in.label, im->rows);
  stream_close(&file);
  return status;
}

/* ---- rows to points -------------------------------------------------------------------------------------------------- */

static void load(const importer *im, size_t row, double *out) {
  for (size_t k = 0; k < im->columns; k++)
    out[k] = im->single ? (double)((const float *)im->values)[row * im->columns + k]
                        : ((const double *)im->values)[row * im->columns + k];
}

/* Back into the values, which shrink from dim + 1 to dim columns on the hyperboloid: row i then lies before where it was. */
static void store(importer *im, size_t row, size_t dim, const double *x) {
  for (size_t k = 0; k < dim; k++) {
    if (im->single)
      ((float *)im->values)[row * dim + k] = (float)x[k];
    else
      ((double *)im->values)[row * dim + k] = x[k];
  }
}

static geodisk_status fail_point(const importer *im, size_t row, const char *what, double value) {
  return geodisk_fail(im->context, GEODISK_ERROR_FORMAT, "%s: row %zu ('%.64s') %s (%.9g)", im->in.label, row + 1,
                      im->names.bytes + im->names.starts[row], what, value);
}

/* Pulls a point on the rim inside by as little as its numbers can; returns its gap. */
static double pull_inside(const importer *im, const geodisk_ball *ball, double *x) {
  double gap = geodisk_gap(ball, x);
  for (double margin = im->single ? 0x1p-24 : 0x1p-53; !(gap > 0); margin *= 2) {
    geodisk_project(ball, x, margin, x);
    for (int k = 0; im->single && k < ball->dim; k++)
      x[k] = (double)(float)x[k];
    gap = geodisk_gap(ball, x);
  }
  return gap;
}

/* The gap of a point of the ball, which is pulled inside if it is on the rim. */
static geodisk_status ball_point(importer *im, const geodisk_ball *ball, size_t row, double *x, double *gap) {
  *gap = geodisk_gap(ball, x);
  if (*gap > 0)
    return GEODISK_OK;
  double square = 0;
  for (int k = 0; k < ball->dim; k++)
    square += x[k] / ball->radius * (x[k] / ball->radius);
  if (!(square <= (1 + RIM_SLACK) * (1 + RIM_SLACK)))
    return fail_point(im, row, "lies outside the ball: |x| / R is too large; give another radius, or `space` euclidean?",
                      sqrt(square));
  im->info.pulled++;
  *gap = pull_inside(im, ball, x);
  return GEODISK_OK;
}

/* A point of the hyperboloid (t, s), as ball coordinates in place. With c = sqrt(1 + k |s|^2) = cosh(sqrt(k) r):
 *     x = R sqrt(k) s / (1 + c),   S = 2 R^2 / (1 + c)                (no digits are lost however deep the point lies) */
static geodisk_status hyperboloid_point(const importer *im, const geodisk_ball *ball, size_t row, double *p, double *gap) {
  const double root = sqrt(ball->curvature), time = p[0] * root;
  double length = 0;
  for (int k = 1; k <= ball->dim; k++)
    length = hypot(length, p[k] * root);
  const double c = hypot(1.0, length);
  if (!(fabs(time - c) <= HYPERBOLOID_SLACK * c))
    return fail_point(im, row, "is not on the hyperboloid of this curvature: its time should be", c / root);
  for (int k = 0; k < ball->dim; k++)
    p[k] = ball->radius * (p[k + 1] * root / (1 + c));
  for (int k = 0; im->single && k < ball->dim; k++)
    p[k] = (double)(float)p[k];
  pull_inside(im, ball, p); /* how deep it is the gap knows */
  *gap = 2 * ball->radius * ball->radius / (1 + c);
  const double least = im->single ? 0x1p-126 : 0x1p-1022;
  return *gap >= least ? GEODISK_OK : fail_point(im, row, "lies too deep for a gap of this width", c);
}

/* Turns the rows into points and gaps of `ball`. */
static geodisk_status make_points(importer *im, const geodisk_ball *ball, void *gaps) {
  geodisk_status status = GEODISK_OK;
  for (size_t i = 0; status == GEODISK_OK && i < im->rows; i++) {
    double gap = 0;
    load(im, i, im->row);
    status = im->options->lorentz ? hyperboloid_point(im, ball, i, im->row, &gap) : ball_point(im, ball, i, im->row, &gap);
    if (status != GEODISK_OK)
      return status;
    store(im, i, (size_t)ball->dim, im->row);
    if (im->single)
      ((float *)gaps)[i] = (float)gap;
    else
      ((double *)gaps)[i] = gap;
  }
  return status;
}

static geodisk_status finish(importer *im, geodisk_model **out) {
  const geodisk_import_options *o = im->options;
  if (im->rows == 0)
    return geodisk_fail(im->context, GEODISK_ERROR_FORMAT, "%s: no rows", im->in.label);
  if (im->names_path != NULL || im->numbered) {
    const geodisk_status status = collect_names(im);
    if (status != GEODISK_OK)
      return status;
  }
  model_parts parts = {.space = o->space, .precision = im->single ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE};
  parts.ball = (geodisk_ball){(int)im->columns - o->lorentz, o->radius, o->curvature};
  geodisk_status status = GEODISK_OK;
  if (o->space == GEODISK_SPACE_HYPERBOLIC) {
    parts.gap = geodisk_allocate(im->rows, im->single ? sizeof(float) : sizeof(double));
    status =
        parts.gap != NULL ? make_points(im, &parts.ball, parts.gap) : geodisk_no_memory(im->context, "to read %s", im->in.label);
  }
  if (status == GEODISK_OK && names_freeze(&im->names, &parts.names) != GEODISK_OK)
    status = geodisk_no_memory(im->context, "to read %s", im->in.label);
  if (status != GEODISK_OK) {
    free(parts.gap);
    return status;
  }
  parts.vectors = im->values;
  im->values = NULL;
  return model_assemble(&parts, out) == GEODISK_OK ? GEODISK_OK : geodisk_no_memory(im->context, "to read %s", im->in.label);
}

/* ---- the format ------------------------------------------------------------------------------------------------------ */

/* What separates the fields of the first record: a tab if there is one outside quotes, else a comma, else blanks. */
static char first_separator(const char *text, size_t n) {
  bool quoted = false, may_open = true, comma = false;
  for (size_t i = 0; i < n && (quoted || text[i] != '\n'); i++) {
    const bool mark = text[i] == '"' && (quoted || may_open);
    quoted = quoted != mark;
    if (!quoted && text[i] == '\t')
      return '\t';
    comma = comma || (!quoted && text[i] == ',');
    may_open = mark || (!quoted && text[i] == ',');
  }
  return comma ? ',' : ' ';
}

/* From the first bytes. */
static geodisk_status detect(importer *im, char *separator) {
  const char *text;
  size_t n;
  const geodisk_status status = stream_peek(&im->in, PEEK, &text, &n);
  if (status != GEODISK_OK)
    return status;
  const char *lf = n > 0 ? memchr(text, '\n', n) : NULL;
  const size_t line = lf != NULL ? (size_t)(lf - text) : n;
  uint64_t rows, columns;
  *separator = first_separator(text, n);
  if (n >= 9 && text[8] == '{' && memchr(text, 0, 8) != NULL) {
    im->info.format = GEODISK_FORMAT_MODEL;
  } else if (n >= 6 && memcmp(text, "\x93NUMPY", 6) == 0) {
    im->info.format = GEODISK_FORMAT_NPY;
  } else if (n >= 2 && ((unsigned char)text[0] == 0x1f && (unsigned char)text[1] == 0x8b)) {
    return geodisk_fail(im->context, GEODISK_ERROR_UNSUPPORTED, "%s: compressed; unpack it first", im->in.label);
  } else if (import_two_numbers(text, line, &rows, &columns)) {
    /* Text if the second line is a name and that many numbers; a line longer than what we see is judged by what it is made of. */
    const char *second = lf != NULL ? lf + 1 : text + n, *end = memchr(second, '\n', (size_t)(text + n - second));
    size_t length = (size_t)((end != NULL ? end : text + n) - second), name, bad;
    const bool whole = end != NULL || n < PEEK;
    if (length > 0 && second[length - 1] == '\r')
      length--;
    const bool is_text = whole && columns <= MODEL_MAX_DIM + 1
                             ? columns > 0 && import_split_line(second, length, (size_t)columns, NULL, &name, &bad)
                             : geodisk_utf8_prefix(second, length) + 4 > length && memchr(second, 0, length) == NULL;
    im->info.format = is_text || length == 0 ? GEODISK_FORMAT_WORD2VEC : GEODISK_FORMAT_WORD2VEC_BINARY;
  } else {
    im->info.format = *separator == ',' ? GEODISK_FORMAT_CSV : GEODISK_FORMAT_TSV;
  }
  return GEODISK_OK;
}

static geodisk_status check_options(geodisk_context *context, const geodisk_import_options *o) {
  if ((unsigned)o->format > GEODISK_FORMAT_NPY || (unsigned)o->width > GEODISK_WIDTH_FLOAT)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "import: no such format (%d) or width (%d)", (int)o->format,
                        (int)o->width);
  if (o->space != GEODISK_SPACE_HYPERBOLIC && o->space != GEODISK_SPACE_EUCLIDEAN)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "import: no space has the number %d", (int)o->space);
  const geodisk_ball ball = {1, o->radius, o->curvature};
  const double square = o->radius * o->radius;
  if (!geodisk_ball_valid(&ball) || !(square > 0 && square <= 1e300))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "import: radius %g and curvature %g must be > 0 and not too large",
                        o->radius, o->curvature);
  if (o->lorentz && o->space == GEODISK_SPACE_EUCLIDEAN)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "import: the hyperboloid is not Euclidean");
  return GEODISK_OK;
}

static geodisk_status read_rows(importer *im, char separator) {
  switch (im->info.format) {
  case GEODISK_FORMAT_WORD2VEC:
    return import_word2vec(im);
  case GEODISK_FORMAT_WORD2VEC_BINARY:
    return import_word2vec_binary(im);
  case GEODISK_FORMAT_CSV:
    return import_table(im, ',');
  case GEODISK_FORMAT_NPY:
    return import_npy(im);
  default:
    return import_table(im, separator == ',' ? '\t' : separator);
  }
}

/* "x.npy" -> "x.names", if there is such a file; NULL if not. */
static geodisk_status find_names(importer *im, const char *path, char **found) {
  const size_t length = strlen(path);
  if (length < 4 || strcmp(path + length - 4, ".npy") != 0)
    return GEODISK_OK;
  char *beside = geodisk_allocate(length + 8, 1);
  if (beside == NULL)
    return geodisk_no_memory(im->context, "to read %s", im->in.label);
  memcpy(beside, path, length - 4);
  memcpy(beside + length - 4, ".names", 7);
  if (access(beside, F_OK) != 0) {
    free(beside);
    return GEODISK_OK;
  }
  *found = beside;
  return GEODISK_OK;
}

/* A model file. What is no plain file cannot be opened a second time: all of it goes through the stream. */
static geodisk_status read_model(importer *im, const char *path, geodisk_model **out) {
  struct stat about;
  if (im->in.own_fd && fstat(im->in.fd, &about) == 0 && S_ISREG(about.st_mode))
    return geodisk_model_read(im->context, path, out);
  const char *bytes;
  size_t size, header, data; /* as much as the header says and one more: it need not end by itself */
  geodisk_status status = stream_peek(&im->in, 9, &bytes, &size);
  if (status == GEODISK_OK && header_length(bytes, size, &header)) {
    status = stream_peek(&im->in, 8 + header, &bytes, &size);
    if (status == GEODISK_OK && size == 8 + header && header_data_size(bytes, size, &data) && data < SIZE_MAX - 9 - header)
      status = stream_peek(&im->in, 8 + header + data + 1, &bytes, &size);
  }
  return status == GEODISK_OK ? geodisk_model_read_memory(im->context, im->in.label, bytes, size, out) : status;
}

static geodisk_status run(importer *im, const char *path, geodisk_model **out) {
  char separator = 0, *beside = NULL;
  geodisk_status status = detect(im, &separator);
  if (status == GEODISK_OK && im->options->format != GEODISK_FORMAT_AUTO)
    im->info.format = im->options->format;
  if (status == GEODISK_OK && im->info.format == GEODISK_FORMAT_MODEL)
    return read_model(im, path, out);
  const char *names = im->options->names;
  const bool has_names = im->info.format == GEODISK_FORMAT_WORD2VEC || im->info.format == GEODISK_FORMAT_WORD2VEC_BINARY;
  if (status == GEODISK_OK && names != NULL && has_names)
    status = geodisk_fail(im->context, GEODISK_ERROR_ARGUMENT, "%s: word2vec files hold their names themselves", im->in.label);
  if (status == GEODISK_OK && names == NULL && im->info.format == GEODISK_FORMAT_NPY)
    status = find_names(im, path, &beside);
  im->numbered = (names != NULL && *names == 0) || (names == NULL && im->info.format == GEODISK_FORMAT_NPY && beside == NULL);
  im->names_path = names != NULL && *names != 0 ? names : beside;
  im->single = im->options->width == GEODISK_WIDTH_FLOAT ||
               (im->options->width == GEODISK_WIDTH_AUTO && im->info.format == GEODISK_FORMAT_WORD2VEC_BINARY);
  if (status == GEODISK_OK)
    status = read_rows(im, separator);
  if (status == GEODISK_OK)
    status = finish(im, out);
  free(beside);
  return status;
}

geodisk_status geodisk_model_import(geodisk_context *context, const char *path, const geodisk_import_options *options,
                                    geodisk_import_info *info, geodisk_model **out) {
  if (path == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "import: %s is NULL", path == NULL ? "path" : "out");
  geodisk_import_options o = options != NULL ? *options : (geodisk_import_options){.format = GEODISK_FORMAT_AUTO};
  o.radius = o.radius == 0 ? 1 : o.radius;
  o.curvature = o.curvature == 0 ? 1 : o.curvature;
  geodisk_status status = check_options(context, &o);
  importer im = {.context = context, .options = &o};
  if (status == GEODISK_OK)
    status = stream_open(context, path, &im.in);
  if (status != GEODISK_OK)
    return status;
  geodisk_model *model = NULL;
  status = run(&im, path, &model);
  stream_close(&im.in);
  names_free(&im.names);
  geodisk_free_all(im.values, im.row);
  if (status != GEODISK_OK)
    return status;
  if (im.info.duplicates > 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING, "%s: %" PRIu64 " rows left out because their name had come before", path,
                      im.info.duplicates);
  if (im.info.pulled > 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "%s: %" PRIu64 " points lay on the rim of the ball and were pulled inside: how deep they were is not known",
                      path, im.info.pulled);
  if (info != NULL)
    *info = im.info;
  *out = model;
  return GEODISK_OK;
}

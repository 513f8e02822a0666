/* import_binary.c - names and vectors from binary files: word2vec's, and NumPy's npy. */
#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "byte_order.h"

static void load_numbers(const char *bytes, size_t count, size_t size, double *out) {
  for (size_t k = 0; k < count; k++) {
    if (size == sizeof(float)) {
      float value;
      order_copy(&value, bytes + k * size, 1, size);
      out[k] = (double)value;
    } else {
      order_copy(&out[k], bytes + k * size, 1, size);
    }
  }
}

/* ---- word2vec -------------------------------------------------------------------------------------------------------- */

enum { NAME_MAX_BYTES = 1 << 16 };

/* A row is: name, blank, numbers. Some writers end it with a line feed, which then stands before the next name. */
static geodisk_status read_word2vec_row(importer *im) {
  const size_t numbers = im->columns * sizeof(float);
  const char *bytes;
  size_t found, wanted = 256 + numbers;
  const char *blank;
  for (;; wanted = 2 * wanted) {
    const geodisk_status status = stream_peek(&im->in, wanted, &bytes, &found);
    if (status != GEODISK_OK)
      return status;
    blank = found > 0 ? memchr(bytes, ' ', found) : NULL;
    if (blank != NULL || found < wanted || found > NAME_MAX_BYTES + numbers)
      break;
  }
  if (blank == NULL)
    return import_fail(im, "a name and a blank were expected (is the number of nodes or dimensions right?)");
  size_t name = (size_t)(blank - bytes);
  const geodisk_status status = stream_peek(&im->in, name + 1 + numbers, &bytes, &found);
  if (status != GEODISK_OK)
    return status;
  if (found < name + 1 + numbers)
    return import_fail(im, "the file ends within this row");
  const char *start = bytes;
  while (name > 0 && *start == '\n') {
    start++;
    name--;
  }
  if (memchr(start, 0, name) != NULL)
    return import_fail(im, "a NUL byte in the name (is the number of dimensions right?)");
  load_numbers(start + name + 1, im->columns, sizeof(float), im->row);
  const geodisk_status added = import_row(im, start, name);
  stream_take(&im->in, (size_t)(start - bytes) + name + 1 + numbers);
  return added;
}

geodisk_status import_word2vec_binary(importer *im) {
  uint64_t rows = 0;
  geodisk_status status = import_word2vec_sizes(im, &rows);
  for (uint64_t i = 0; status == GEODISK_OK && i < rows; i++) {
    im->in.line = i + 1;
    status = read_word2vec_row(im);
  }
  const char *rest;
  size_t found = 0;
  if (status == GEODISK_OK)
    status = stream_peek(&im->in, 2, &rest, &found);
  if (status == GEODISK_OK && (found == 2 || (found == 1 && *rest != '\n')))
    status = import_fail(im, "something follows the last row");
  return status;
}

/* ---- npy ------------------------------------------------------------------------------------------------------------- */

typedef struct npy_header {
  size_t size; /* of a number: 4 or 8 */
  bool fortran_order;
  uint64_t rows, columns;
} npy_header;

/* The text after 'key': in the header, a dict of Python; NULL if it is not there. */
static const char *value_of(const char *header, const char *key) {
  const char *p = strstr(header, key);
  if (p == NULL)
    return NULL;
  p += strlen(key);
  p += strspn(p, " ");
  if (*p++ != ':')
    return NULL;
  return p + strspn(p, " ");
}

/* Digits with blanks around them, up to 10^18. */
static bool whole_number(const char **at, uint64_t *out) {
  const char *p = *at + strspn(*at, " ");
  const size_t digits = strspn(p, "0123456789");
  if (digits < 1 || digits > 18)
    return false;
  *out = strtoull(p, NULL, 10);
  *at = p + digits + strspn(p + digits, " ");
  return true;
}

static bool parse_npy(const char *header, npy_header *out) {
  const char *type = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'"),
             *shape = value_of(header, "'shape'");
  if (type == NULL || order == NULL || shape == NULL)
    return false;
  if (strncmp(type, "'<f8'", 5) == 0)
    out->size = sizeof(double);
  else if (strncmp(type, "'<f4'", 5) == 0)
    out->size = sizeof(float);
  else
    return false;
  out->fortran_order = strncmp(order, "True", 4) == 0;
  /* "(rows, columns)", perhaps with a comma before the parenthesis. */
  const char *p = shape + 1;
  if (*shape != '(' || !whole_number(&p, &out->rows) || *p++ != ',' || !whole_number(&p, &out->columns))
    return false;
  p += *p == ',';
  p += strspn(p, " ");
  return *p == ')';
}

static geodisk_status fail_header(const importer *im, const char *what) {
  return geodisk_fail(im->context, GEODISK_ERROR_FORMAT, "%s: npy header: %s", im->in.label, what);
}

/* Columns one after another: into their places in `values`, which must hold all rows. So the file must really be that long. */
static geodisk_status read_by_columns(importer *im, const npy_header *h) {
  const char *bytes;
  size_t found;
  struct stat about;
  if (fstat(im->in.fd, &about) != 0 || (uint64_t)about.st_size / h->size / im->columns < h->rows)
    return fail_header(im, "the file is too short (or no plain file, which Fortran's order needs)");
  for (size_t i = 0; i < h->rows; i++) { /* room for all */
    memset(im->row, 0, im->columns * sizeof *im->row);
    const geodisk_status status = import_row(im, "", 0);
    if (status != GEODISK_OK)
      return status;
  }
  for (size_t k = 0; k < im->columns; k++)
    for (size_t i = 0; i < h->rows; i++) {
      double value;
      const geodisk_status status = stream_peek(&im->in, h->size, &bytes, &found);
      if (status != GEODISK_OK)
        return status;
      im->in.line = i + 1;
      if (found < h->size)
        return import_fail(im, "the file ends too early");
      load_numbers(bytes, 1, h->size, &value);
      stream_take(&im->in, h->size);
      if (!isfinite(im->single ? (double)(float)value : value))
        return import_fail(im, "a number that is not finite, or too large");
      if (im->single)
        ((float *)im->values)[i * im->columns + k] = (float)value;
      else
        ((double *)im->values)[i * im->columns + k] = value;
    }
  return GEODISK_OK;
}

static geodisk_status read_by_rows(importer *im, const npy_header *h) {
  const size_t size = im->columns * h->size;
  const char *bytes;
  size_t found;
  for (uint64_t i = 0; i < h->rows; i++) {
    geodisk_status status = stream_peek(&im->in, size, &bytes, &found);
    if (status != GEODISK_OK)
      return status;
    im->in.line = i + 1;
    if (found < size)
      return import_fail(im, "the file ends too early");
    load_numbers(bytes, im->columns, h->size, im->row);
    status = import_row(im, "", 0);
    if (status != GEODISK_OK)
      return status;
    stream_take(&im->in, size);
  }
  return GEODISK_OK;
}

geodisk_status import_npy(importer *im) {
  enum { MAGIC = 8, HEADER_ROOM = 4096 };
  const char *bytes;
  size_t found;
  geodisk_status status = stream_peek(&im->in, MAGIC + 4, &bytes, &found);
  if (status != GEODISK_OK)
    return status;
  if (found < MAGIC + 4 || memcmp(bytes, "\x93NUMPY", 6) != 0)
    return fail_header(im, "its first bytes are not npy's");
  const int major = (unsigned char)bytes[6];
  const unsigned char *p = (const unsigned char *)bytes + MAGIC;
  const size_t width = major == 1 ? 2 : 4;
  const size_t length = p[0] + (size_t)p[1] * 256 + (width == 4 ? (size_t)p[2] * 65536 + (size_t)p[3] * 16777216 : 0);
  char header[HEADER_ROOM + 1];
  if (major < 1 || major > 3 || length > HEADER_ROOM)
    return fail_header(im, "a version or a length that is not known");
  status = stream_peek(&im->in, MAGIC + width + length, &bytes, &found);
  if (status != GEODISK_OK)
    return status;
  if (found < MAGIC + width + length)
    return fail_header(im, "the file ends too early");
  memcpy(header, bytes + MAGIC + width, length);
  header[length] = 0;
  npy_header h;
  if (!parse_npy(header, &h))
    return fail_header(im, "an array of two dimensions of float64 or float32 ('<f8', '<f4') was expected");
  stream_take(&im->in, MAGIC + width + length);
  if (im->options->width == GEODISK_WIDTH_AUTO)
    im->single = h.size == sizeof(float);
  status = import_columns(im, h.columns);
  if (status == GEODISK_OK && h.rows > NAMES_MAX)
    status = fail_header(im, "too many rows");
  if (status == GEODISK_OK)
    status = h.fortran_order ? read_by_columns(im, &h) : read_by_rows(im, &h);
  if (status == GEODISK_OK)
    status = stream_peek(&im->in, 1, &bytes, &found);
  if (status == GEODISK_OK && found > 0)
    status = import_fail(im, "something follows the last row");
  return status;
}

/* safetensors.c - reads and checks the header of a safetensors file, which may have been made to do harm. */
#include "safetensors.h"
#include "base/grow.h"
#include "base/sorting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "sums.h"

static const char *const type_names[] = {"F64", "F32", "U64", "U32", "U8"}; /* by geodisk_type */
enum { TYPES = sizeof type_names / sizeof type_names[0] };

const char *header_type_name(geodisk_type type) { return type_names[type]; }

typedef struct parser {
  geodisk_context *context;
  const char *label;
  json_reader json;
  file_header *header;
} parser;

static geodisk_status fail_at(const parser *p, const char *what) {
  return geodisk_fail(p->context, GEODISK_ERROR_FORMAT, "%s: header: %s at byte %zu", p->label, what, p->json.at + 8);
}

static geodisk_status fail_tensor(const parser *p, const char *name, const char *what) {
  return geodisk_fail(p->context, GEODISK_ERROR_FORMAT, "%s: header: '%s': %s", p->label, name, what);
}

/* Takes a text and undoes its escapes. */
static geodisk_status take_text(parser *p, const char *what, char **out) {
  json_slice slice;
  if (!json_text(&p->json, &slice))
    return fail_at(p, what);
  char *text = geodisk_allocate(slice.length + 1, 1);
  if (text == NULL)
    return geodisk_no_memory(p->context, "for the header of %s", p->label);
  json_decode(slice, text);
  *out = text;
  return GEODISK_OK;
}

/* ---- metadata -------------------------------------------------------------------------------------------------------- */

const char *header_text(const file_header *header, const char *key) {
  for (size_t i = 0; i < header->n_texts; i++)
    if (strcmp(header->texts[i].key, key) == 0)
      return header->texts[i].text;
  return NULL;
}

static geodisk_status parse_text(parser *p) {
  file_header *h = p->header;
  model_text pair = {NULL, NULL};
  geodisk_status status = take_text(p, "a key of __metadata__ was expected", &pair.key);
  if (status == GEODISK_OK && !json_take(&p->json, ':'))
    status = fail_at(p, "':' was expected");
  if (status == GEODISK_OK)
    status = take_text(p, "a text without NUL was expected", &pair.text);
  if (status == GEODISK_OK && strcmp(pair.key, SUM_KEY) == 0)
    h->digits = 8 + p->json.at - 1 - SUM_DIGITS; /* if it is no sum, or written with escapes, that is found out */
  if (status == GEODISK_OK && header_text(h, pair.key) != NULL)
    status = fail_tensor(p, pair.key, "twice in __metadata__");
  if (status == GEODISK_OK && h->n_texts == TEXTS_MAX)
    status = fail_at(p, "too many keys in __metadata__");
  if (status == GEODISK_OK && !array_grow(&h->texts, h->n_texts, 1, &h->text_room, sizeof *h->texts))
    status = geodisk_no_memory(p->context, "for the header of %s", p->label);
  if (status == GEODISK_OK) {
    h->texts[h->n_texts++] = pair;
    return GEODISK_OK;
  }
  geodisk_free_all(pair.key, pair.text);
  return status;
}

/* The members of an object, whose '{' is next; `member` takes key, colon and value. */
static geodisk_status parse_object(parser *p, geodisk_status (*member)(parser *)) {
  if (!json_take(&p->json, '{'))
    return fail_at(p, "'{' was expected");
  if (json_take(&p->json, '}'))
    return GEODISK_OK;
  for (;;) {
    const geodisk_status status = member(p);
    if (status != GEODISK_OK)
      return status;
    if (json_take(&p->json, '}'))
      return GEODISK_OK;
    if (!json_take(&p->json, ','))
      return fail_at(p, "',' or '}' was expected");
  }
}

/* ---- tensors --------------------------------------------------------------------------------------------------------- */

const file_tensor *header_tensor(const file_header *header, const char *name) {
  for (size_t i = 0; i < header->n_tensors; i++)
    if (strcmp(header->tensors[i].name, name) == 0)
      return &header->tensors[i];
  return NULL;
}

/* [a, b, ...] with at most `room` whole numbers. */
static geodisk_status parse_numbers(parser *p, uint64_t *out, int room, int *count) {
  int n = 0;
  if (!json_take(&p->json, '['))
    return fail_at(p, "'[' was expected");
  if (json_take(&p->json, ']')) {
    *count = 0;
    return GEODISK_OK;
  }
  do {
    if (n == room)
      return fail_at(p, "too many numbers");
    if (!json_unsigned(&p->json, &out[n++]))
      return fail_at(p, "a whole number was expected");
  } while (json_take(&p->json, ','));
  *count = n;
  return json_take(&p->json, ']') ? GEODISK_OK : fail_at(p, "',' or ']' was expected");
}

/* What the members of a tensor's object may say, each once. */
enum { HAS_TYPE = 1, HAS_SHAPE = 2, HAS_OFFSETS = 4, HAS_ALL = 7 };

static geodisk_status parse_type(parser *p, file_tensor *t) {
  json_slice slice;
  if (!json_text(&p->json, &slice))
    return fail_at(p, "a type was expected");
  for (int i = 0; i < TYPES; i++)
    if (json_equals(slice, type_names[i])) {
      t->tensor.type = (geodisk_type)i;
      return GEODISK_OK;
    }
  return fail_tensor(p, t->name, "its dtype is not one of F64, F32, U64, U32, U8");
}

static geodisk_status parse_shape(parser *p, file_tensor *t) {
  uint64_t numbers[GEODISK_TENSOR_RANK];
  const geodisk_status status = parse_numbers(p, numbers, GEODISK_TENSOR_RANK, &t->tensor.rank);
  if (status != GEODISK_OK)
    return status;
  for (int i = 0; i < t->tensor.rank; i++) {
    if (numbers[i] > SIZE_MAX)
      return fail_tensor(p, t->name, "its shape is too large");
    t->tensor.shape[i] = (size_t)numbers[i];
  }
  return GEODISK_OK;
}

static geodisk_status parse_offsets(parser *p, file_tensor *t) {
  uint64_t numbers[2];
  int count = 0;
  const geodisk_status status = parse_numbers(p, numbers, 2, &count);
  if (status != GEODISK_OK)
    return status;
  if (count != 2)
    return fail_tensor(p, t->name, "data_offsets must be two numbers");
  t->begin = numbers[0];
  t->end = numbers[1];
  return GEODISK_OK;
}

static geodisk_status parse_tensor_body(parser *p, file_tensor *t) {
  static const struct {
    const char *key;
    geodisk_status (*parse)(parser *, file_tensor *);
  } members[] = {{"dtype", parse_type}, {"shape", parse_shape}, {"data_offsets", parse_offsets}};
  int have = 0;
  if (!json_take(&p->json, '{'))
    return fail_at(p, "'{' was expected");
  do {
    json_slice key;
    if (!json_text(&p->json, &key))
      return fail_at(p, "a key was expected");
    int which = 0;
    while (which < 3 && !json_equals(key, members[which].key))
      which++;
    if (which == 3 || have & 1 << which)
      return fail_tensor(p, t->name, "a key that is not dtype, shape or data_offsets, or one of them twice");
    have |= 1 << which;
    if (!json_take(&p->json, ':'))
      return fail_at(p, "':' was expected");
    const geodisk_status status = members[which].parse(p, t);
    if (status != GEODISK_OK)
      return status;
  } while (json_take(&p->json, ','));
  if (!json_take(&p->json, '}'))
    return fail_at(p, "',' or '}' was expected");
  size_t count;
  if (have != HAS_ALL)
    return fail_tensor(p, t->name, "dtype, shape or data_offsets is missing");
  if (!model_tensor_count(&t->tensor, &count))
    return fail_tensor(p, t->name, "its shape is too large");
  if (t->begin > t->end || t->end - t->begin != count * geodisk_type_size(t->tensor.type))
    return fail_tensor(p, t->name, "data_offsets do not agree with shape and dtype");
  return GEODISK_OK;
}

static geodisk_status parse_member(parser *p) {
  file_header *h = p->header;
  file_tensor t = {.name = NULL};
  geodisk_status status = take_text(p, "the name of a tensor was expected", &t.name);
  const bool metadata = status == GEODISK_OK && strcmp(t.name, "__metadata__") == 0;
  if (status == GEODISK_OK && !json_take(&p->json, ':'))
    status = fail_at(p, "':' was expected");
  if (status == GEODISK_OK && metadata) {
    status = h->n_texts == 0 ? parse_object(p, parse_text) : fail_at(p, "a second __metadata__");
    free(t.name);
    return status;
  }
  if (status == GEODISK_OK && header_tensor(h, t.name) != NULL)
    status = fail_tensor(p, t.name, "twice");
  if (status == GEODISK_OK && h->n_tensors == TENSORS_MAX)
    status = fail_at(p, "too many tensors");
  if (status == GEODISK_OK)
    status = parse_tensor_body(p, &t);
  if (status == GEODISK_OK && !array_grow(&h->tensors, h->n_tensors, 1, &h->tensor_room, sizeof *h->tensors))
    status = geodisk_no_memory(p->context, "for the header of %s", p->label);
  if (status == GEODISK_OK) {
    h->tensors[h->n_tensors++] = t;
    return GEODISK_OK;
  }
  free(t.name);
  return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b) {
  const file_tensor *s = a, *t = b;
  return compare_first(COMPARE(s->begin, t->begin), COMPARE(s->end, t->end));
}

/* The arrays must follow each other from the first byte of the data to the last. */
static geodisk_status check_places(parser *p, size_t data_size) {
  file_header *h = p->header;
  if (h->n_tensors > 1)
    qsort(h->tensors, h->n_tensors, sizeof *h->tensors, by_place);
  uint64_t at = 0;
  for (size_t i = 0; i < h->n_tensors; i++) {
    if (h->tensors[i].begin != at)
      return fail_tensor(p, h->tensors[i].name, h->tensors[i].begin < at ? "overlaps another tensor" : "a hole before it");
    at = h->tensors[i].end;
    if (at > data_size)
      return fail_tensor(p, h->tensors[i].name, "reaches past the end of the file");
  }
  return at == data_size ? GEODISK_OK
                         : geodisk_fail(p->context, GEODISK_ERROR_FORMAT, "%s: %zu bytes after the last tensor", p->label,
                                        data_size - (size_t)at);
}

/* The sum in __metadata__ of an array, or of the header (name NULL). */
static geodisk_status find_sum(const parser *p, const char *name, uint32_t *out) {
  const size_t room = sizeof SUM_KEY + 1 + (name != NULL ? strlen(name) : 0);
  char *key = geodisk_allocate(room, 1);
  if (key == NULL)
    return geodisk_no_memory(p->context, "for the header of %s", p->label);
  snprintf(key, room, "%s%s%s", SUM_KEY, name != NULL ? "." : "", name != NULL ? name : "");
  const char *text = header_text(p->header, key);
  const geodisk_status status = text != NULL && sums_parse(text, out)
                                    ? GEODISK_OK
                                    : fail_tensor(p, key, "in __metadata__ is missing, or is not a sum of 8 digits");
  free(key);
  return status;
}

/* Whether the header is the one that was written; files without any sum are fine. */
static geodisk_status check_sums(const parser *p, const char *file) {
  file_header *h = p->header;
  for (size_t i = 0; i < h->n_texts; i++)
    h->has_sums = h->has_sums || strncmp(h->texts[i].key, SUM_KEY, strlen(SUM_KEY)) == 0;
  if (!h->has_sums)
    return GEODISK_OK;
  uint32_t written;
  geodisk_status status = find_sum(p, NULL, &written);
  if (status != GEODISK_OK)
    return status;
  const uint32_t sum = sums_of_header(file, p->json.size, h->digits);
  if (sum != written)
    return geodisk_fail(p->context, GEODISK_ERROR_FORMAT, "%s: the header is damaged: the CRC-32C of its bytes is %08x, not %08x",
                        p->label, (unsigned)sum, (unsigned)written);
  for (size_t i = 0; i < h->n_tensors && status == GEODISK_OK; i++)
    status = find_sum(p, h->tensors[i].name, &h->tensors[i].sum);
  return status;
}

bool header_length(const char *file, size_t size, size_t *length) {
  uint64_t number = 0;
  if (size < 9 || file[8] != '{')
    return false;
  for (int i = 7; i >= 0; i--)
    number = number << 8 | (unsigned char)file[i];
  if (number > HEADER_MAX)
    return false;
  *length = (size_t)number;
  return true;
}

bool header_data_size(const char *file, size_t size, size_t *out) {
  file_header header = {.data = size};
  parser p = {NULL, "", {file + 8, size - 8, 0}, &header};
  uint64_t end = 0;
  const bool fine = geodisk_utf8_prefix(file + 8, size - 8) == size - 8 && parse_object(&p, parse_member) == GEODISK_OK;
  for (size_t i = 0; fine && i < header.n_tensors; i++)
    end = header.tensors[i].end > end ? header.tensors[i].end : end;
  header_free(&header);
  if (!fine || end > SIZE_MAX)
    return false;
  *out = (size_t)end;
  return true;
}

geodisk_status header_parse(geodisk_context *context, const char *label, const char *file, size_t size, file_header *out) {
  if (size < 8)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: %zu bytes are too few for a model file", label, size);
  uint64_t length = 0;
  for (int i = 7; i >= 0; i--)
    length = length << 8 | (unsigned char)file[i];
  if (length > HEADER_MAX || length > size - 8)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT,
                        "%s: not a model file, or cut short (a header of %llu bytes in a file of %zu)", label,
                        (unsigned long long)length, size);
  file_header header = {.data = 8 + (size_t)length};
  parser p = {context, label, {file + 8, (size_t)length, 0}, &header};
  geodisk_status status = GEODISK_OK;
  if (length == 0 || file[8] != '{')
    status = geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: not a model file: its header does not begin with '{'", label);
  else if (geodisk_utf8_prefix(file + 8, (size_t)length) != length)
    status = geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: header: not UTF-8 at byte %zu", label,
                          8 + geodisk_utf8_prefix(file + 8, (size_t)length));
  else
    status = parse_object(&p, parse_member);
  if (status == GEODISK_OK && !json_end(&p.json))
    status = fail_at(&p, "something follows");
  if (status == GEODISK_OK)
    status = check_sums(&p, file);
  if (status == GEODISK_OK)
    status = check_places(&p, size - header.data);
  if (status != GEODISK_OK)
    header_free(&header);
  else
    *out = header;
  return status;
}

void header_free(file_header *header) {
  for (size_t i = 0; i < header->n_tensors; i++)
    free(header->tensors[i].name);
  for (size_t i = 0; i < header->n_texts; i++) {
    geodisk_free_all(header->texts[i].key, header->texts[i].text);
  }
  geodisk_free_all(header->tensors, header->texts);
  *header = (file_header){0};
}

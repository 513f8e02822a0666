/* json_values.c - reads JSON into a list of values. Without recursion, so that no depth of brackets can overrun the stack. */
#include "json_values.h"
#include "base/characters.h"
#include "base/grow.h"

#include <string.h>

typedef struct json_reader {
  document *d;
  char *at, *end;
  json_values *values;
  uint32_t open, last; /* the value that is open, and the last one in it; NO_NODE */
} json_reader;

static void skip_space(json_reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
    r->at++;
}

static geodisk_status fail_here(const json_reader *r, const char *reason) { return document_fail(r->d, r->at, 12, reason); }

/* ---- texts ------------------------------------------------------------------------------------------------------------ */

/* A text, unescaped in place. */
static geodisk_status take_text(json_reader *r, const char **text, size_t *length) {
  const char *p = r->at + 1;
  char *write = r->at + 1;
  *text = write;
  while (p < r->end && *p != '"') {
    if ((unsigned char)*p < 0x20)
      return fail_here(r, "a line end or control character in a text");
    if (*p != '\\') {
      *write++ = *p++;
      continue;
    }
    p++;
    const uint32_t c = json_unescape(&p, r->end);
    if (c == 0)
      return fail_here(r, "an escape that JSON does not have");
    write = put_utf8(c, write);
  }
  if (p >= r->end)
    return fail_here(r, "a text is opened and never closed");
  *length = (size_t)(write - *text);
  r->at = r->at + (p + 1 - r->at);
  return GEODISK_OK;
}

/* ---- values ----------------------------------------------------------------------------------------------------------- */

static geodisk_status add_value(json_reader *r, json_kind kind, const char *key, size_t key_length, uint32_t *out) {
  json_values *v = r->values;
  if (v->count >= NAMES_MAX || !array_grow(&v->list, v->count, 1, &v->room, sizeof *v->list))
    return document_memory(r->d);
  *out = (uint32_t)v->count++;
  v->list[*out] = (json_value){
      .kind = kind, .up = r->open, .next = NO_NODE, .first = NO_NODE, .key = key, .key_length = key_length, .text = r->at};
  if (r->last != NO_NODE)
    v->list[r->last].next = *out;
  else if (r->open != NO_NODE)
    v->list[r->open].first = *out;
  r->last = *out;
  return GEODISK_OK;
}

/* A number or a word: what reaches to the next sign of punctuation. */
static geodisk_status take_scalar(json_reader *r, json_value *value) {
  static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
  const char *start = r->at;
  while (r->at < r->end && strchr(",:]} \t\r\n\"[{", *r->at) == NULL)
    r->at++;
  value->text = start;
  value->length = (size_t)(r->at - start);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (json_is_word(value, words[i]))
      return GEODISK_OK;
  double number;
  value->kind = JSON_NUMBER;
  if (geodisk_parse_double(start, value->length, &number) && strchr("-0123456789", *start) != NULL)
    return GEODISK_OK;
  r->at -= value->length;
  return fail_here(r, "expected a value");
}

/* One value; an object or array is left open. */
static geodisk_status take_value(json_reader *r, const char *key, size_t key_length) {
  uint32_t id = 0;
  skip_space(r);
  if (r->at == r->end)
    return fail_here(r, "the file ends where a value is expected");
  const char c = *r->at;
  const json_kind kind = c == '{' ? JSON_OBJECT : c == '[' ? JSON_ARRAY : c == '"' ? JSON_TEXT : JSON_WORD;
  const geodisk_status status = add_value(r, kind, key, key_length, &id);
  if (status != GEODISK_OK)
    return status;
  json_value *value = &r->values->list[id];
  if (kind == JSON_TEXT)
    return take_text(r, &value->text, &value->length);
  if (kind == JSON_WORD)
    return take_scalar(r, value);
  r->at++;
  r->open = id;
  r->last = NO_NODE;
  return GEODISK_OK;
}

/* The next member or element of what is open, or its end. */
static geodisk_status take_next(json_reader *r) {
  const json_value *open = &r->values->list[r->open];
  const bool object = open->kind == JSON_OBJECT, first = open->first == NO_NODE;
  skip_space(r);
  if (r->at == r->end)
    return fail_here(r, "the file ends inside a bracket");
  if (*r->at == (object ? '}' : ']')) {
    r->at++;
    r->last = r->open;
    r->open = open->up;
    return GEODISK_OK;
  }
  if (!first) {
    if (*r->at != ',')
      return fail_here(r, "expected a comma or the closing bracket");
    r->at++;
    skip_space(r);
  }
  if (!object)
    return take_value(r, NULL, 0);
  const char *key;
  size_t length;
  if (r->at == r->end || *r->at != '"')
    return fail_here(r, "expected a name in quotes");
  const geodisk_status status = take_text(r, &key, &length);
  if (status != GEODISK_OK)
    return status;
  skip_space(r);
  if (r->at == r->end || *r->at != ':')
    return fail_here(r, "expected a colon");
  r->at++;
  return take_value(r, key, length);
}

geodisk_status json_parse(document *d, json_values *out) {
  json_reader r = {.d = d, .at = d->text, .end = d->text + d->size, .values = out, .open = NO_NODE, .last = NO_NODE};
  geodisk_status status = take_value(&r, NULL, 0);
  while (status == GEODISK_OK && r.open != NO_NODE)
    status = take_next(&r);
  skip_space(&r);
  if (status == GEODISK_OK && r.at < r.end)
    status = fail_here(&r, "text after the end of the document");
  return status;
}

const json_value *json_member(const json_values *values, const json_value *object, const char *key) {
  if (object->kind != JSON_OBJECT)
    return NULL;
  const size_t length = strlen(key);
  for (const json_value *v = json_first(values, object); v != NULL; v = json_next(values, v))
    if (v->key_length == length && memcmp(v->key, key, length) == 0)
      return v;
  return NULL;
}

bool json_is_word(const json_value *value, const char *word) {
  return value->kind == JSON_WORD && strlen(word) == value->length && memcmp(value->text, word, value->length) == 0;
}

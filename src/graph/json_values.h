/* json_values.h - a JSON document (RFC 8259) as a list of values, each after the one that holds it. Internal to the graph module.
 */
#pragma once

#include "document.h"

typedef enum json_kind { JSON_OBJECT, JSON_ARRAY, JSON_TEXT, JSON_NUMBER, JSON_WORD /* true, false, null */ } json_kind;

typedef struct json_value {
  json_kind kind;
  uint32_t up, next; /* the value that holds it; the one after it in there; NO_NODE: none */
  uint32_t first;    /* in it, of an object or an array */
  const char *key;   /* in an object, unescaped; or NULL */
  size_t key_length;
  const char *text; /* unescaped; of an object or array where it begins */
  size_t length;
} json_value;

typedef struct json_values {
  json_value *list;
  size_t count, room;
} json_values;

/* Errors: FORMAT with the line, MEMORY. Texts are unescaped in place. Any depth is fine. */
geodisk_status json_parse(document *d, json_values *out);

/* The member of an object with this key, or NULL. */
const json_value *json_member(const json_values *values, const json_value *object, const char *key);

bool json_is_word(const json_value *value, const char *word);

static inline const json_value *json_first(const json_values *values, const json_value *holder) {
  return holder->first != NO_NODE ? &values->list[holder->first] : NULL;
}
static inline const json_value *json_next(const json_values *values, const json_value *value) {
  return value->next != NO_NODE ? &values->list[value->next] : NULL;
}

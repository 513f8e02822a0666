/* json.h - the JSON of a model file's header, read in place: what is wanted next is asked for, nothing is built. Internal to the
 * vectors module.
 *
 * The header is an object of objects of texts and whole numbers; a reader of just that is smaller than the code that would walk a
 * general library's tree, needs no memory of its own however large a hostile header is, and leaves the model file without a
 * dependency. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json_reader {
  const char *text; /* UTF-8, checked by the caller */
  size_t size;
  size_t at; /* after a failure: where it went wrong */
} json_reader;

/* What stands between the quotes of a text, escapes not yet undone. */
typedef struct json_slice {
  const char *raw;
  size_t length;
} json_slice;

/* Each skips white space and takes what it names; false, with nothing taken but white space, if something else stands there. */
bool json_take(json_reader *reader, char punctuation);
bool json_text(json_reader *reader, json_slice *out); /* without NUL characters and lone surrogates */
bool json_unsigned(json_reader *reader, uint64_t *out);
bool json_end(json_reader *reader); /* nothing but white space is left */

/* Undoes the escapes of a slice that json_text gave; `out` has room for slice.length + 1 bytes. Returns the length; ends with a
 * NUL. */
size_t json_decode(json_slice slice, char *out);

/* Whether a slice means these ASCII characters. */
bool json_equals(json_slice slice, const char *ascii);

/* The length of a text as JSON, quotes included, and the text itself (not NUL-terminated); returns the end of what it wrote. */
size_t json_quoted_length(const char *text);
char *json_quote(const char *text, char *out);

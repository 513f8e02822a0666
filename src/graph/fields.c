/* fields.c - lines into fields, with and without quotes. */
#include "fields.h"

#include <string.h>

static void trim(field *f) {
  while (f->length > 0 && is_blank(f->text[0])) {
    f->text++;
    f->length--;
  }
  while (f->length > 0 && is_blank(f->text[f->length - 1]))
    f->length--;
}

static int split_blanks(char *line, size_t length, field *out, int room) {
  size_t at = 0;
  int count = 0;
  for (;;) {
    while (at < length && is_blank(line[at]))
      at++;
    if (at == length || count == room)
      return count;
    const size_t start = at;
    while (at < length && !is_blank(line[at]))
      at++;
    out[count++] = (field){line + start, at - start, false};
  }
}

int split_plain(char *line, size_t length, char separator, field *out, int room) {
  if (separator == ' ')
    return split_blanks(line, length, out, room);
  char *const end = line + length;
  int count = 0;
  while (count < room) {
    char *stop = memchr(line, separator, (size_t)(end - line));
    field *f = &out[count++];
    *f = (field){line, (size_t)((stop != NULL ? stop : end) - line), false};
    trim(f);
    if (stop == NULL)
      break;
    line = stop + 1;
  }
  return count;
}

/* ---- quotes ----------------------------------------------------------------------------------------------------------- */

static bool separates(char c, char separator) { return separator == ' ' ? is_blank(c) : c == separator; }

bool scan_quotes(quote_scan *scan, const char *line, size_t length, char separator) {
  for (; scan->at < length; scan->at++) {
    const char c = line[scan->at];
    switch (scan->state) {
    case SCAN_FIELD_START:
      if (c == '"')
        scan->state = SCAN_QUOTED;
      else if (!separates(c, separator) && !is_blank(c))
        scan->state = SCAN_PLAIN;
      break;
    case SCAN_PLAIN:
      if (separates(c, separator))
        scan->state = SCAN_FIELD_START;
      break;
    case SCAN_QUOTED:
      if (c == '"')
        scan->state = SCAN_AFTER_QUOTE;
      break;
    case SCAN_AFTER_QUOTE:
      scan->state = c == '"' ? SCAN_QUOTED : separates(c, separator) ? SCAN_FIELD_START : SCAN_PLAIN;
      break;
    }
  }
  return scan->state == SCAN_QUOTED;
}

/* Undoes the quotes of the field that begins at line[*at] (the opening quote); *at moves behind the closing one. */
static field unquote(char *line, size_t length, size_t *at) {
  char *write = line + ++*at;
  field f = {write, 0, true};
  while (*at < length) {
    if (line[*at] == '"') {
      ++*at;
      if (*at == length || line[*at] != '"')
        break;
    }
    *write++ = line[(*at)++];
  }
  f.length = (size_t)(write - f.text);
  return f;
}

int split_quoted(char *line, size_t length, char separator, field *out, int room, int *count) {
  size_t at = 0;
  *count = 0;
  for (;;) {
    while (at < length && is_blank(line[at]) && (separator == ' ' || line[at] != separator))
      at++;
    if (*count == room || (separator == ' ' && at == length))
      return 0;
    field *f = &out[(*count)++];
    if (at < length && line[at] == '"') {
      const size_t start = at;
      *f = unquote(line, length, &at);
      while (at < length && is_blank(line[at]) && !separates(line[at], separator))
        at++;
      if (at < length && !separates(line[at], separator)) {
        const int column = *count;
        out[0] = (field){line + start, length - start, false};
        return column;
      }
    } else {
      const size_t start = at;
      while (at < length && !separates(line[at], separator))
        at++;
      *f = (field){line + start, at - start, false};
      trim(f);
    }
    if (at == length)
      return 0;
    at++;
  }
}

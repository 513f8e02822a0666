/* json.c - a pull reader for JSON objects of texts and whole numbers (RFC 8259), and the quoting of texts. */
#include "json.h"
#include "base/characters.h"

#include <string.h>

static void skip_space(json_reader *reader) {
  while (reader->at < reader->size) {
    const char c = reader->text[reader->at];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
      break;
    reader->at++;
  }
}

bool json_take(json_reader *reader, char punctuation) {
  skip_space(reader);
  if (reader->at >= reader->size || reader->text[reader->at] != punctuation)
    return false;
  reader->at++;
  return true;
}

bool json_end(json_reader *reader) {
  skip_space(reader);
  return reader->at == reader->size;
}

bool json_unsigned(json_reader *reader, uint64_t *out) {
  skip_space(reader);
  const char *p = reader->text + reader->at, *end = reader->text + reader->size, *start = p;
  uint64_t value = 0;
  for (; p < end && *p >= '0' && *p <= '9'; p++) {
    const unsigned digit = (unsigned)(*p - '0');
    if (value > (UINT64_MAX - digit) / 10)
      return false;
    value = 10 * value + digit;
  }
  if (p == start || (*start == '0' && p - start > 1) || (p < end && (*p == '.' || *p == 'e' || *p == 'E')))
    return false;
  reader->at += (size_t)(p - start);
  *out = value;
  return true;
}

bool json_text(json_reader *reader, json_slice *out) {
  skip_space(reader);
  const char *p = reader->text + reader->at, *end = reader->text + reader->size;
  if (p == end || *p != '"')
    return false;
  const char *start = ++p;
  while (p < end && *p != '"') {
    if ((unsigned char)*p < 0x20)
      return false;
    if (*p++ == '\\' && json_unescape(&p, end) == 0)
      return false;
  }
  if (p == end)
    return false;
  *out = (json_slice){start, (size_t)(p - start)};
  reader->at = (size_t)(p + 1 - reader->text);
  return true;
}

size_t json_decode(json_slice slice, char *out) {
  const char *p = slice.raw, *end = p + slice.length;
  char *to = out;
  while (p < end) {
    if (*p != '\\') {
      *to++ = *p++;
      continue;
    }
    p++;
    to = put_utf8(json_unescape(&p, end), to);
  }
  *to = 0;
  return (size_t)(to - out);
}

bool json_equals(json_slice slice, const char *ascii) {
  const char *p = slice.raw, *end = p + slice.length;
  for (; p < end; ascii++) {
    uint32_t c = (unsigned char)*p++;
    if (c == '\\')
      c = json_unescape(&p, end);
    if (*ascii == 0 || c != (unsigned char)*ascii)
      return false;
  }
  return *ascii == 0;
}

/* The letter of a short escape, or 0. */
static char short_escape(char c) {
  static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
  const char *found = strchr(plain, c);
  return found != NULL ? letter[found - plain] : 0;
}

size_t json_quoted_length(const char *text) {
  size_t length = 2;
  for (; *text != 0; text++)
    length += short_escape(*text) != 0 ? 2 : (unsigned char)*text < 0x20 ? 6 : 1;
  return length;
}

char *json_quote(const char *text, char *out) {
  static const char hex[] = "0123456789abcdef";
  *out++ = '"';
  for (; *text != 0; text++) {
    const char escape = short_escape(*text);
    if (escape != 0) {
      *out++ = '\\';
      *out++ = escape;
    } else if ((unsigned char)*text < 0x20) {
      memcpy(out, "\\u00", 4);
      out[4] = hex[*text >> 4];
      out[5] = hex[*text & 15];
      out += 6;
    } else {
      *out++ = *text;
    }
  }
  *out++ = '"';
  return out;
}

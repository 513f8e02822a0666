/* json.c - a pull reader for JSON objects of texts and whole numbers (RFC 8259), and the quoting of texts. */
#include "json.h"

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

/* Four hexadecimal digits, or -1. */
static int hex4(const char *p, const char *end) {
  int value = 0;
  if (end - p < 4)
    return -1;
  for (int i = 0; i < 4; i++) {
    const char c = p[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0)
      return -1;
    value = 16 * value + digit;
  }
  return value;
}

/* The character an escape stands for (p is after the backslash) and how many bytes it has; 0: not an escape that is allowed. */
static uint32_t unescape(const char *p, const char *end, size_t *bytes) {
  static const char letters[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
  if (p == end || *p == 0)
    return 0;
  *bytes = 1;
  const char *found = strchr(letters, *p);
  if (found != NULL)
    return (unsigned char)meaning[found - letters];
  if (*p != 'u')
    return 0;
  const int first = hex4(p + 1, end);
  *bytes = 5;
  if (first < 0xd800 || first > 0xdfff)
    return first < 0 ? 0 : (uint32_t)first;
  const bool pair = first < 0xdc00 && end - p >= 11 && p[5] == '\\' && p[6] == 'u';
  const int second = pair ? hex4(p + 7, end) : -1;
  *bytes = 11;
  if (second < 0xdc00 || second > 0xdfff)
    return 0;
  return 0x10000u + (((uint32_t)first - 0xd800u) << 10) + ((uint32_t)second - 0xdc00u);
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
    if (*p++ != '\\')
      continue;
    size_t bytes;
    if (unescape(p, end, &bytes) == 0)
      return false;
    p += bytes;
  }
  if (p == end)
    return false;
  *out = (json_slice){start, (size_t)(p - start)};
  reader->at = (size_t)(p + 1 - reader->text);
  return true;
}

static char *put_utf8(uint32_t c, char *out) {
  if (c < 0x80) {
    *out++ = (char)c;
  } else if (c < 0x800) {
    *out++ = (char)(0xc0 | c >> 6);
    *out++ = (char)(0x80 | (c & 0x3f));
  } else {
    if (c < 0x10000) {
      *out++ = (char)(0xe0 | c >> 12);
    } else {
      *out++ = (char)(0xf0 | c >> 18);
      *out++ = (char)(0x80 | (c >> 12 & 0x3f));
    }
    *out++ = (char)(0x80 | (c >> 6 & 0x3f));
    *out++ = (char)(0x80 | (c & 0x3f));
  }
  return out;
}

size_t json_decode(json_slice slice, char *out) {
  const char *p = slice.raw, *end = p + slice.length;
  char *to = out;
  while (p < end) {
    if (*p != '\\') {
      *to++ = *p++;
      continue;
    }
    size_t bytes = 0;
    to = put_utf8(unescape(p + 1, end, &bytes), to);
    p += 1 + bytes;
  }
  *to = 0;
  return (size_t)(to - out);
}

bool json_equals(json_slice slice, const char *ascii) {
  const char *p = slice.raw, *end = p + slice.length;
  for (; p < end; ascii++) {
    uint32_t c = (unsigned char)*p++;
    if (c == '\\') {
      size_t bytes = 0;
      c = unescape(p, end, &bytes);
      p += bytes;
    }
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

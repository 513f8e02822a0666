/* escape.c - text from files made safe for terminals and for rows of a table: what would move the cursor, end a line or is no
 * text at all is written as a person can read it. */
#include "geodisk/base.h"

#include <stdio.h>
#include <string.h>

/* The bytes of the UTF-8 character at text[0..length), 0 if there is none. */
static size_t character_bytes(const char *text, size_t length) {
  for (size_t bytes = 1; bytes <= 4 && bytes <= length; bytes++)
    if (geodisk_utf8_prefix(text, bytes) == bytes)
      return bytes;
  return 0;
}

/* The number of a character of two or three bytes that moves the cursor, ends a line or turns the order of what follows, 0 for
 * others: U+0080 to U+009F, line and paragraph separators (U+2028, U+2029), embeddings and overrides of direction (U+202A to
 * U+202E) and isolates (U+2066 to U+2069). */
static unsigned steering(const char *text, size_t bytes) {
  const unsigned char *s = (const unsigned char *)text;
  const unsigned c = bytes == 2   ? (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu)
                     : bytes == 3 ? (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu)
                                  : 0;
  return (c >= 0x80 && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ? c : 0;
}

/* Writes what stands for the character at `text`; returns how many bytes of the text it was. */
static size_t escape_one(const char *text, size_t length, bool backslashes, char out[8]) {
  static const char plain[] = "\t\n\r", letter[] = "tnr";
  const size_t bytes = character_bytes(text, length);
  const unsigned char c = (unsigned char)*text;
  const char *found = c != 0 ? strchr(plain, c) : NULL;
  if (found != NULL)
    snprintf(out, 8, "\\%c", letter[found - plain]);
  else if (bytes == 0 || c < 0x20 || c == 0x7f)
    snprintf(out, 8, "\\x%02x", c);
  else if (steering(text, bytes) != 0)
    snprintf(out, 8, "\\u%04x", steering(text, bytes));
  else if (backslashes && c == '\\')
    snprintf(out, 8, "\\\\");
  else
    snprintf(out, 8, "%.*s", (int)bytes, text);
  return bytes > 0 ? bytes : 1;
}

size_t geodisk_escape(const char *text, size_t length, bool backslashes, char *out, size_t room) {
  size_t needed = 0, used = 0;
  while (length > 0) {
    char one[8];
    const size_t bytes = escape_one(text, length, backslashes, one), size = strlen(one);
    if (used == needed && used + size < room) {
      memcpy(out + used, one, size);
      used += size;
    }
    needed += size;
    text += bytes;
    length -= bytes;
  }
  if (room > 0)
    out[used] = 0;
  return needed;
}

/* characters.c - characters as UTF-8, and behind the escapes of JSON (RFC 8259). */
#include "characters.h"

#include <string.h>

/* Four hexadecimal digits, or -1. */
static int hex4(const char *p, const char *end) {
  int value = 0;
  for (int i = 0; i < 4; i++) {
    const char c = end - p > i ? p[i] : 0;
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

uint32_t json_unescape(const char **p, const char *end) {
  static const char letters[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
  const char *found = *p < end && **p != 0 ? strchr(letters, **p) : NULL;
  if (found != NULL) {
    ++*p;
    return (unsigned char)meaning[found - letters];
  }
  const int first = *p < end && **p == 'u' ? hex4(*p + 1, end) : -1;
  if (first < 0)
    return 0;
  *p += 5;
  if (first < 0xd800 || first > 0xdfff)
    return (uint32_t)first;
  const int second = first < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u' ? hex4(*p + 2, end) : -1;
  if (second < 0xdc00 || second > 0xdfff)
    return 0;
  *p += 6;
  return 0x10000u + (((uint32_t)first - 0xd800u) << 10) + ((uint32_t)second - 0xdc00u);
}

char *put_utf8(uint32_t c, char *out) {
  static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  *out++ = (char)(lead[more] | c >> (6 * more));
  for (int i = more - 1; i >= 0; i--)
    *out++ = (char)(0x80 | (c >> (6 * i) & 0x3f));
  return out;
}

size_t take_utf8(const char *p, uint32_t *c) {
  const unsigned char *s = (const unsigned char *)p;
  const size_t length = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  *c = length == 1 ? s[0] : s[0] & (0x7fu >> length);
  for (size_t i = 1; i < length; i++)
    *c = *c << 6 | (s[i] & 0x3fu);
  return length;
}

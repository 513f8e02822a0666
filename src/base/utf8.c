/* utf8.c - which bytes are UTF-8 (RFC 3629). */
#include "geodisk/base.h"

#include <string.h>

/* Bytes of the sequence that starts at s (n > 0 bytes left), 0 if it is not valid: the first byte tells how many follow, and the
 * second one's range rules out overlong forms, surrogates and what lies past U+10FFFF. */
static size_t sequence(const unsigned char *s, size_t n) {
  const unsigned char first = s[0];
  if (first < 0x80)
    return 1;
  if (first < 0xc2 || first > 0xf4)
    return 0;
  const size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (n < length)
    return 0;
  const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (s[1] < low || s[1] > high)
    return 0;
  for (size_t i = 2; i < length; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  return length;
}

size_t geodisk_utf8_prefix(const char *text, size_t length) {
  size_t at = 0;
  while (at < length) {
    uint64_t word;
    if (length - at >= sizeof word) { /* eight bytes of ASCII at a time */
      memcpy(&word, text + at, sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        at += sizeof word;
        continue;
      }
    }
    const size_t step = sequence((const unsigned char *)text + at, length - at);
    if (step == 0)
      return at;
    at += step;
  }
  return length;
}

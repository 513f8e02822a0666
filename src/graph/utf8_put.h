/* utf8_put.h - a character as UTF-8: for escapes of JSON and references of XML. */
#ifndef GEODISK_GRAPH_UTF8_PUT_H
#define GEODISK_GRAPH_UTF8_PUT_H

#include <stdint.h>

/* Writes up to four bytes and returns where they end. */
static inline char *put_utf8(uint32_t c, char *out) {
  if (c < 0x80) {
    *out++ = (char)c;
    return out;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  *out++ = (char)(lead[more] | c >> (6 * more));
  for (int i = more - 1; i >= 0; i--)
    *out++ = (char)(0x80 | (c >> (6 * i) & 0x3f));
  return out;
}

#endif

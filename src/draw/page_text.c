/* page_text.c - plain text, JSON and base64 into a file, through a buffer. */
#include "page_text.h"
#include "base/put_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void page_flush(page_text *out) {
  if (out->status == GEODISK_OK && out->used > 0)
    out->status = geodisk_file_write(out->file, out->buffer, out->used);
  out->used = 0;
}

void page_put(page_text *out, const void *bytes, size_t size) {
  const unsigned char *from = bytes;
  out->bytes += size;
  while (size > 0) {
    const size_t room = sizeof out->buffer - out->used, n = size < room ? size : room;
    memcpy(out->buffer + out->used, from, n);
    out->used += n;
    from += n;
    size -= n;
    if (out->used == sizeof out->buffer)
      page_flush(out);
  }
}

static void put_bytes(void *user, const void *bytes, size_t size) { page_put(user, bytes, size); }

static void put_number(void *user, double value) {
  char text[GEODISK_NUMBER_BYTES] = "null";
  page_put(user, text, isfinite(value) ? (size_t)geodisk_format_double(value, text) : strlen(text));
}

static void put_string(void *user, char letter, const char *text) {
  (void)letter; /* j */
  page_string(user, text, strlen(text));
}

void page_format(page_text *out, const char *format, ...) {
  static const text_target target = {put_bytes, put_number, put_string};
  va_list arguments;
  va_start(arguments, format);
  put_format(&target, out, format, arguments);
  va_end(arguments);
}

void page_string(page_text *out, const char *text, size_t length) {
  page_put(out, "\"", 1);
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)text[i];
    char escaped[8];
    if (c == '"' || c == '\\') {
      page_put(out, c == '"' ? "\\\"" : "\\\\", 2);
    } else if (c < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x7f) {
      snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)c);
      page_put(out, escaped, strlen(escaped));
    } else {
      page_put(out, &c, 1);
    }
  }
  page_put(out, "\"", 1);
}

/* The `count` (1 to 3) lowest bytes of `group`, the first one highest, as four letters. */
static void put_group(page_text *out, uint32_t group, unsigned count) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  group <<= 8 * (3 - count);
  char four[4];
  for (unsigned i = 0; i < 4; i++)
    four[i] = i <= count ? letters[(group >> (18 - 6 * i)) & 63] : '=';
  page_put(out, four, 4);
}

void page_base64(page_text *out, const void *bytes, size_t size) {
  const unsigned char *from = bytes;
  for (size_t i = 0; i < size; i++) {
    out->left = out->left << 8 | from[i];
    if (++out->left_count == 3) {
      put_group(out, out->left, 3);
      out->left = 0;
      out->left_count = 0;
    }
  }
}

void page_base64_end(page_text *out) {
  if (out->left_count > 0)
    put_group(out, out->left, out->left_count);
  out->left = 0;
  out->left_count = 0;
}

/* page_text.h - what a page is written with: plain text, JSON strings that are safe inside HTML, base64. Internal to the draw
 * module. The first failure stays; what follows is then without effect. */
#pragma once

#include "geodisk/base.h"

typedef struct page_text {
  geodisk_file *file;
  geodisk_status status;
  size_t bytes;        /* written so far */
  size_t used;         /* of the buffer */
  uint32_t left;       /* base64: bytes that wait for a group of three to be full */
  unsigned left_count; /* 0, 1 or 2 */
  unsigned char buffer[1 << 14];
} page_text;

void page_put(page_text *out, const void *bytes, size_t size);
void page_flush(page_text *out);

/* A text with %s, %u and %n, numbers as JSON has them: the shortest decimal, null if it is not finite; %j is a text as a JSON
 * string. */
void page_format(page_text *out, const char *format, ...);

/* A JSON string with its quotes; '<' is written \\u003c, so that no name can end the script element around it. */
void page_string(page_text *out, const char *text, size_t length);

/* Base64 of bytes that come in pieces; `end` writes what waits, with its padding. */
void page_base64(page_text *out, const void *bytes, size_t size);
void page_base64_end(page_text *out);

/* stream.h - bytes from a file or standard input, looked at before they are taken. Internal to the vectors module. */
#pragma once

#include "geodisk/base.h"

/* The longest line: 65,536 numbers of 25 bytes and a name fit. */
enum { STREAM_LINE_MAX = 1 << 24 };

typedef struct stream {
  geodisk_context *context;
  const char *label; /* the file in messages */
  int fd;
  bool own_fd;
  char *buffer;
  size_t room, begin, end; /* of the buffer; what is in it and not taken */
  bool ended;              /* nothing is left to read into it */
  uint64_t line;           /* lines taken so far */
} stream;

/* Errors: IO, MEMORY. */
geodisk_status stream_open(geodisk_context *context, const char *path, stream *out);
void stream_close(stream *in);

/* Makes the next `wanted` bytes visible, or as many as there are; *found <= wanted only at the end. They stay until the next
 * call. */
geodisk_status stream_peek(stream *in, size_t wanted, const char **bytes, size_t *found);
void stream_take(stream *in, size_t bytes);

/* Takes the next line, without its end (LF or CRLF); *line is NULL when there is none. The bytes may be changed and stay until
 * the next call. Errors: IO, MEMORY, FORMAT (longer than STREAM_LINE_MAX). */
geodisk_status stream_line(stream *in, char **line, size_t *length);

/* The same, but a line end inside quotation marks that open a field does not end it. `separator` is that of the fields. */
geodisk_status stream_record(stream *in, char separator, char **record, size_t *length);

/* file_output.h - bytes into a file that is there as a whole or not at all, compressed if its name ends in .gz. Internal to the
 * graph module. */
#ifndef GEODISK_GRAPH_FILE_OUTPUT_H
#define GEODISK_GRAPH_FILE_OUTPUT_H

#include "geodisk/base.h"

enum { OUTPUT_BUFFER = 1 << 18 };

typedef struct deflate_state deflate_state;

typedef struct output {
  geodisk_context *context;
  const char *label; /* the file in messages */
  char *path;        /* what the temporary file will be renamed to; NULL: written directly */
  char *temporary;
  int fd;
  bool own_fd;
  deflate_state *deflater; /* NULL: plain */
  char *buffer;
  size_t used;
} output;

/* "-" is standard output; what exists and is no plain file (a pipe, /dev/null) is written directly. */
geodisk_status output_open(geodisk_context *context, const char *path, output *out);
geodisk_status output_put(output *out, const char *bytes, size_t size);

/* Flushes, and puts the file in its place; or, after a failure, removes what was written. Both free everything. */
geodisk_status output_commit(output *out);
void output_abandon(output *out);

geodisk_status output_raw(output *out, const char *bytes, size_t size);

/* gzip.c */
geodisk_status deflate_open(output *out);
geodisk_status deflate_write(output *out, const char *bytes, size_t size, bool last);
void deflate_close(output *out);

#endif

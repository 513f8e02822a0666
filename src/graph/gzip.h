/* gzip.h - gzip data, both ways. Internal to the graph module; without zlib at build time all of it answers UNSUPPORTED. */
#pragma once

#include "text_input.h"

/* Reading. `made` is how many bytes came out; 0 at the end. */
geodisk_status gzip_open(input *in);
geodisk_status gzip_read(input *in, void *buffer, size_t size, size_t *made);
void gzip_close(input *in);

/* Writing to `file`, which the caller commits after `finish`. */
typedef struct gzip_writer gzip_writer;
geodisk_status gzip_writer_create(geodisk_context *context, const char *label, geodisk_file *file, gzip_writer **out);
geodisk_status gzip_writer_put(gzip_writer *writer, const char *bytes, size_t size);
geodisk_status gzip_writer_finish(gzip_writer *writer);
void gzip_writer_destroy(gzip_writer *writer);

/* gzip.c - undoes gzip, several members in a row included, and tells truncated from damaged data; makes it for the writer.
 * Without zlib at build time everything here answers UNSUPPORTED. */
#include "gzip.h"

#include <stdlib.h>
#include <string.h>

#ifdef GEODISK_HAVE_ZLIB
#include <zlib.h>

enum { RAW_BYTES = 1 << 16, GZIP_WINDOW = 15 + 16 /* the largest window, gzip's header */ };

/* Edge lists shrink to a fifth or a tenth; gzip can make 1032 bytes of one. What grows to more than GROWN bytes and MOST times
 * its size was made to fill the memory. */
#define GROWN ((uint64_t)64 << 20)
enum { MOST = 200 };

struct gzip_state {
  z_stream stream;
  uint64_t made; /* bytes so far */
  bool between;  /* a member has ended, and no other begun */
  unsigned char raw[RAW_BYTES];
};

geodisk_status gzip_open(input *in) {
  gzip_state *gzip = geodisk_allocate_zero(1, sizeof *gzip);
  if (gzip == NULL || inflateInit2(&gzip->stream, GZIP_WINDOW) != Z_OK) {
    free(gzip);
    return geodisk_no_memory(in->context, "to decompress %s", in->label);
  }
  in->gzip = gzip;
  return GEODISK_OK;
}

void gzip_close(input *in) {
  if (in->gzip == NULL)
    return;
  inflateEnd(&in->gzip->stream);
  free(in->gzip);
  in->gzip = NULL;
}

/* What follows a member: another one, nothing, or bytes that do not belong there. */
static geodisk_status next_member(input *in) {
  gzip_state *gzip = in->gzip;
  if (gzip->stream.next_in[0] != 0x1f)
    return geodisk_fail(in->context, GEODISK_ERROR_FORMAT, "%s: there are other bytes after the end of the gzip data", in->label);
  gzip->between = false;
  return inflateReset(&gzip->stream) == Z_OK ? GEODISK_OK
                                             : geodisk_fail(in->context, GEODISK_ERROR_FORMAT, "%s: bad gzip data", in->label);
}

geodisk_status gzip_read(input *in, void *buffer, size_t size, size_t *made) {
  gzip_state *gzip = in->gzip;
  gzip->stream.next_out = buffer;
  gzip->stream.avail_out = (uInt)size; /* at most 2 MAX_LINE */
  while (gzip->stream.avail_out == size) {
    geodisk_status status = GEODISK_OK;
    if (gzip->stream.avail_in == 0) {
      size_t got;
      if ((status = input_raw(in, gzip->raw, sizeof gzip->raw, &got)) != GEODISK_OK)
        return status;
      gzip->stream.next_in = gzip->raw;
      gzip->stream.avail_in = (uInt)got;
      if (got == 0 && gzip->between)
        break;
      if (got == 0)
        return geodisk_fail(in->context, GEODISK_ERROR_FORMAT, "%s: the gzip data is truncated: the file ends too early",
                            in->label);
    }
    if (gzip->between && (status = next_member(in)) != GEODISK_OK)
      return status;
    const int result = inflate(&gzip->stream, Z_NO_FLUSH);
    if (result == Z_STREAM_END)
      gzip->between = true;
    else if (result == Z_MEM_ERROR)
      return geodisk_no_memory(in->context, "to decompress %s", in->label);
    else if (result != Z_OK && result != Z_BUF_ERROR)
      return geodisk_fail(in->context, GEODISK_ERROR_FORMAT, "%s: the gzip data is damaged: %s", in->label,
                          gzip->stream.msg != NULL ? gzip->stream.msg : "unknown reason");
  }
  *made = size - gzip->stream.avail_out;
  gzip->made += *made;
  if (gzip->made > GROWN && gzip->made / MOST > in->taken)
    return geodisk_fail(
        in->context, GEODISK_ERROR_FORMAT,
        "%s: grows to more than %d times its size, as no edge list does; to read it all the same, decompress it first (gzip -d)",
        in->label, MOST);
  return GEODISK_OK;
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

struct gzip_writer {
  geodisk_file *file;
  z_stream stream;
  size_t used;
  unsigned char plain[RAW_BYTES], packed[RAW_BYTES];
};

geodisk_status gzip_writer_create(geodisk_context *context, const char *label, geodisk_file *file, gzip_writer **out) {
  gzip_writer *writer = geodisk_allocate_zero(1, sizeof *writer);
  if (writer == NULL ||
      deflateInit2(&writer->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    free(writer);
    return geodisk_no_memory(context, "to compress %s", label);
  }
  writer->file = file;
  *out = writer;
  return GEODISK_OK;
}

static geodisk_status pack(gzip_writer *writer, int flush) {
  z_stream *stream = &writer->stream;
  stream->next_in = writer->plain;
  stream->avail_in = (uInt)writer->used;
  writer->used = 0;
  int result;
  do {
    stream->next_out = writer->packed;
    stream->avail_out = sizeof writer->packed;
    result = deflate(stream, flush);
    const geodisk_status status = geodisk_file_write(writer->file, writer->packed, sizeof writer->packed - stream->avail_out);
    if (status != GEODISK_OK)
      return status;
  } while (flush == Z_FINISH ? result != Z_STREAM_END : stream->avail_out == 0);
  return GEODISK_OK;
}

geodisk_status gzip_writer_put(gzip_writer *writer, const char *bytes, size_t size) {
  while (size > 0) {
    if (writer->used == sizeof writer->plain) {
      const geodisk_status status = pack(writer, Z_NO_FLUSH);
      if (status != GEODISK_OK)
        return status;
    }
    const size_t room = sizeof writer->plain - writer->used, n = size < room ? size : room;
    memcpy(writer->plain + writer->used, bytes, n);
    writer->used += n;
    bytes += n;
    size -= n;
  }
  return GEODISK_OK;
}

geodisk_status gzip_writer_finish(gzip_writer *writer) { return pack(writer, Z_FINISH); }

void gzip_writer_destroy(gzip_writer *writer) {
  if (writer == NULL)
    return;
  deflateEnd(&writer->stream);
  free(writer);
}

#else
#pragma GCC diagnostic ignored "-Wunused-parameter" /* what stands in for zlib */

geodisk_status gzip_open(input *in) {
  return geodisk_fail(in->context, GEODISK_ERROR_UNSUPPORTED,
                      "%s: is gzip data, and this library was built without zlib: decompress it first (gzip -d)", in->label);
}

geodisk_status gzip_read(input *in, void *buffer, size_t size, size_t *made) { return gzip_open(in); }

void gzip_close(input *in) {}

geodisk_status gzip_writer_create(geodisk_context *context, const char *label, geodisk_file *file, gzip_writer **out) {
  return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED,
                      "%s: cannot write gzip data, this library was built without zlib: choose a name without .gz", label);
}

geodisk_status gzip_writer_put(gzip_writer *writer, const char *bytes, size_t size) { return GEODISK_ERROR_UNSUPPORTED; }

geodisk_status gzip_writer_finish(gzip_writer *writer) { return GEODISK_ERROR_UNSUPPORTED; }

void gzip_writer_destroy(gzip_writer *writer) {}

#endif

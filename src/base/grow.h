/* grow.h - arrays that grow, and bytes that do. */
#pragma once

#include "geodisk/base.h"

/* geodisk_grow, without a call where there is room. */
static inline bool array_grow(void *array, size_t used, size_t more, size_t *room, size_t size) {
  return (more <= *room && used <= *room - more) || geodisk_grow(array, used, more, room, size);
}

/* Bytes one after the other. All zero is an empty one. Once memory is out it stays as it is. */
typedef struct byte_sink {
  char *bytes;
  size_t length, room;
  bool failed; /* memory is out */
} byte_sink;
void sink_add(byte_sink *sink, const void *bytes, size_t length);
void sink_text(byte_sink *sink, const char *text);

/* Room for `length` more bytes, which count when sink->length is raised; NULL: memory is out, or `length` is 0. */
char *sink_room(byte_sink *sink, size_t length);

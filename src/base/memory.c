/* memory.c - allocation of count * size bytes with the product checked. Zero bytes count as one, so that NULL always means
 * failure. */
#define _DEFAULT_SOURCE 1 /* for madvise */
#include "geodisk/base.h"
#include "grow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Whether count * size fits; *bytes is at least 1. */
static bool byte_count(size_t count, size_t size, size_t *bytes) {
  if (size != 0 && count > SIZE_MAX / size)
    return false;
  *bytes = count * size;
  if (*bytes == 0)
    *bytes = 1;
  return true;
}

/* What is read in no order is found sooner in pages of 2 MB. A hint. */
static void *on_large_pages(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
  const uintptr_t page = 4096, first = ((uintptr_t)block + page - 1) / page * page;
  if (block != NULL && bytes >= (size_t)8 << 20)
    (void)madvise((char *)block + (first - (uintptr_t)block), (bytes - (first - (uintptr_t)block)) / page * page, MADV_HUGEPAGE);
#else
  (void)bytes;
#endif
  return block;
}

void *geodisk_allocate(size_t count, size_t size) {
  size_t bytes;
  return byte_count(count, size, &bytes) ? on_large_pages(malloc(bytes), bytes) : NULL;
}

void *geodisk_allocate_zero(size_t count, size_t size) {
  size_t bytes;
  return byte_count(count, size, &bytes) ? on_large_pages(calloc(1, bytes), bytes) : NULL;
}

void *geodisk_reallocate(void *block, size_t count, size_t size) {
  size_t bytes;
  return byte_count(count, size, &bytes) ? realloc(block, bytes) : NULL;
}

void geodisk_free_blocks(size_t count, void *const blocks[]) {
  for (size_t i = 0; i < count; i++)
    free(blocks[i]);
}

bool geodisk_grow(void *array, size_t used, size_t more, size_t *room, size_t size) {
  if (more <= *room && used <= *room - more)
    return true;
  const size_t wanted = used + more + *room / 2 + 256;
  void *block;
  memcpy(&block, array, sizeof block); /* the pointer, whatever it points to */
  block = geodisk_reallocate(block, wanted, size);
  if (block == NULL)
    return false;
  memcpy(array, &block, sizeof block);
  *room = wanted;
  return true;
}

char *sink_room(byte_sink *sink, size_t length) {
  sink->failed = sink->failed || !array_grow(&sink->bytes, sink->length, length, &sink->room, 1);
  return sink->failed || length == 0 ? NULL : sink->bytes + sink->length;
}

void sink_add(byte_sink *sink, const void *bytes, size_t length) {
  char *to = sink_room(sink, length);
  if (to == NULL)
    return;
  memcpy(to, bytes, length);
  sink->length += length;
}

void sink_text(byte_sink *sink, const char *text) { sink_add(sink, text, strlen(text)); }

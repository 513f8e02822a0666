/* ranges.c - where the lines and records of an edge list begin, found from any byte of it: for readers that share a file. */
#include "ranges.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fields.h"
#include "text_input.h"

enum { COUNT_BUFFER = 1 << 20 };

static void count_bytes(const char *bytes, size_t size, range_count *out) {
  const char *end = bytes + size;
  out->quotes = out->quotes || memchr(bytes, '"', size) != NULL;
  for (const char *p = bytes; p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
    out->lines++;
}

geodisk_status edge_range_count(geodisk_context *context, const char *path, uint64_t begin, uint64_t end, range_count *out) {
  geodisk_status status = GEODISK_OK;
  range_count counted = {0, false};
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  char *buffer = geodisk_allocate(COUNT_BUFFER, 1);
  if (fd < 0)
    status = geodisk_fail(context, GEODISK_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
  else if (buffer == NULL)
    status = geodisk_no_memory(context, "to read %s", path);
  while (status == GEODISK_OK && begin < end) {
    const size_t wanted = end - begin < COUNT_BUFFER ? (size_t)(end - begin) : COUNT_BUFFER;
    const ssize_t got = pread(fd, buffer, wanted, (off_t)begin);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      status = geodisk_fail(context, GEODISK_ERROR_IO, "%s: cannot read: %s", path, strerror(errno));
    if (got == 0)
      status = geodisk_fail(context, GEODISK_ERROR_IO, "%s: it became shorter while it was read", path);
    if (got <= 0)
      break;
    count_bytes(buffer, (size_t)got, &counted);
    begin += (uint64_t)got;
  }
  free(buffer);
  if (fd >= 0)
    close(fd);
  if (status == GEODISK_OK)
    *out = counted;
  return status;
}

/* Whether a quotation mark is open after a line, given whether one was before. As next_record sees it. */
static bool open_after(const edge_plan *plan, const char *line, size_t length, bool open) {
  if (memchr(line, '"', length) == NULL)
    return open;
  if (!open && plan_is_comment(plan, line, length))
    return false;
  quote_scan scan = {.at = 0, .state = open ? SCAN_QUOTED : SCAN_FIELD_START};
  return scan_quotes(&scan, line, length, plan->separator);
}

geodisk_status edge_range_walk(geodisk_context *context, const char *path, const edge_plan *plan, uint64_t stop,
                               bool until_record, edge_place *place, bool *open) {
  input in;
  geodisk_status status = input_open_at(context, path, "reading edges", place->at, place->lines, &in);
  if (status != GEODISK_OK)
    return status;
  while (input_offset(&in) < stop && !(until_record && !*open)) {
    char *line;
    size_t length;
    status = input_line(&in, &line, &length);
    if (status != GEODISK_OK || line == NULL)
      break;
    *open = open_after(plan, line, length, *open);
  }
  *place = (edge_place){input_offset(&in), in.line};
  input_close(&in);
  return status == GEODISK_ERROR_FORMAT ? GEODISK_OK : status;
}

/* stream.c - a buffered reader that can look ahead: to find out a format, and to hand out lines of any length. */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_ROOM = 1 << 18 };

geodisk_status stream_open(geodisk_context *context, const char *path, stream *out) {
  const bool standard = strcmp(path, "-") == 0;
  *out = (stream){.context = context, .label = standard ? "standard input" : path, .own_fd = !standard};
  out->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (out->fd < 0)
    return geodisk_fail(context, GEODISK_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
  struct stat about;
  if (fstat(out->fd, &about) == 0 && S_ISDIR(about.st_mode)) {
    stream_close(out);
    return geodisk_fail(context, GEODISK_ERROR_IO, "%s: is a directory, not a file", path);
  }
  return GEODISK_OK;
}

void stream_close(stream *in) {
  if (in->own_fd && in->fd >= 0)
    close(in->fd);
  free(in->buffer);
  in->buffer = NULL;
  in->fd = -1;
}

/* Reads once more into the buffer, after making room. */
static geodisk_status fill(stream *in) {
  if (in->begin > 0 && (in->begin == in->end || in->end == in->room)) {
    memmove(in->buffer, in->buffer + in->begin, in->end - in->begin);
    in->end -= in->begin;
    in->begin = 0;
  }
  if (in->end == in->room) {
    const size_t room = in->room == 0 ? FIRST_ROOM : 2 * in->room;
    char *buffer = geodisk_reallocate(in->buffer, room, 1);
    if (buffer == NULL)
      return geodisk_no_memory(in->context, "to read %s", in->label);
    in->buffer = buffer;
    in->room = room;
  }
  for (;;) {
    const ssize_t n = read(in->fd, in->buffer + in->end, in->room - in->end);
    if (n < 0 && errno == EINTR) { /* a signal: perhaps to stop */
      const geodisk_progress progress = {.task = "reading", .unit = "bytes", .done = in->end};
      if (!geodisk_progress_event(in->context, &progress))
        return geodisk_fail(in->context, GEODISK_ERROR_STOPPED, "%s: stopped while reading", in->label);
      continue;
    }
    if (n < 0)
      return geodisk_fail(in->context, GEODISK_ERROR_IO, "%s: cannot read: %s", in->label, strerror(errno));
    in->ended = n == 0;
    in->end += (size_t)n;
    return GEODISK_OK;
  }
}

geodisk_status stream_peek(stream *in, size_t wanted, const char **bytes, size_t *found) {
  while (in->end - in->begin < wanted && !in->ended) {
    const geodisk_status status = fill(in);
    if (status != GEODISK_OK)
      return status;
  }
  *bytes = in->buffer + in->begin;
  *found = in->end - in->begin < wanted ? in->end - in->begin : wanted;
  return GEODISK_OK;
}

void stream_take(stream *in, size_t bytes) { in->begin += bytes; }

/* Whether quotes are open, and whether the next byte may open them: at the start of a field. */
typedef struct quote_state {
  bool quoted, may_open;
} quote_state;

/* The end of the record from byte `from` of the rest on: the offset of its LF, or SIZE_MAX. */
static size_t record_end(const stream *in, size_t from, char separator, quote_state *state) {
  const char *text = in->buffer + in->begin;
  const size_t n = in->end - in->begin;
  if (separator == 0) {
    const char *lf = n > from ? memchr(text + from, '\n', n - from) : NULL;
    return lf != NULL ? (size_t)(lf - text) : SIZE_MAX;
  }
  for (size_t i = from; i < n; i++) {
    const char c = text[i];
    if (c == '\n' && !state->quoted)
      return i;
    const bool mark = c == '"' && (state->quoted || state->may_open);
    state->quoted = state->quoted != mark;
    state->may_open = mark || (!state->quoted && c == separator); /* a doubled mark closes and opens again */
  }
  return SIZE_MAX;
}

geodisk_status stream_record(stream *in, char separator, char **record, size_t *length) {
  quote_state state = {false, true};
  size_t seen = 0, lf;
  while ((lf = record_end(in, seen, separator, &state)) == SIZE_MAX && !in->ended) {
    seen = in->end - in->begin;
    if (seen > STREAM_LINE_MAX)
      return geodisk_fail(in->context, GEODISK_ERROR_FORMAT, "%s: line %llu is longer than %d bytes%s", in->label,
                          (unsigned long long)in->line + 1, STREAM_LINE_MAX, state.quoted ? " (a quote that never ends?)" : "");
    const geodisk_status status = fill(in);
    if (status != GEODISK_OK)
      return status;
  }
  if (lf == SIZE_MAX && state.quoted)
    return geodisk_fail(in->context, GEODISK_ERROR_FORMAT, "%s: line %llu: a quote that never ends", in->label,
                        (unsigned long long)in->line + 1);
  char *text = in->buffer + in->begin;
  const size_t left = in->end - in->begin;
  if (lf == SIZE_MAX && left == 0) {
    *record = NULL;
    return GEODISK_OK;
  }
  size_t n = lf == SIZE_MAX ? left : lf;
  in->begin += lf == SIZE_MAX ? left : lf + 1;
  in->line++;
  for (const char *p = text; separator != 0 && (p = memchr(p, '\n', (size_t)(text + n - p))) != NULL; p++)
    in->line++;
  if (n > 0 && text[n - 1] == '\r')
    n--;
  *record = text;
  *length = n;
  return GEODISK_OK;
}

geodisk_status stream_line(stream *in, char **line, size_t *length) { return stream_record(in, 0, line, length); }

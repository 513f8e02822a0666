/* text_input.c - where the readers get their lines from. One buffer of 2 MiB is filled and its complete lines are handed out in
 * place; what is left of a line moves to the front before the next filling. */
#include "text_input.h"

#include "gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- bytes ------------------------------------------------------------------------------------------------------------ */

geodisk_status input_raw(input *in, void *buffer, size_t size, size_t *got) {
  *got = 0;
  if (in->peeked > 0) {
    const size_t n = in->peeked < size ? in->peeked : size;
    memcpy(buffer, in->peek, n);
    memmove(in->peek, in->peek + n, in->peeked - n);
    in->peeked -= n;
    *got = n;
    return GEODISK_OK;
  }
  if (in->fd < 0) {
    const size_t n = in->memory_left < size ? in->memory_left : size;
    if (n > 0)
      memcpy(buffer, in->memory, n);
    in->memory += n;
    in->memory_left -= n;
    in->taken += n;
    *got = n;
    return GEODISK_OK;
  }
  ssize_t n;
  while ((n = read(in->fd, buffer, size)) < 0 &&
         errno == EINTR) { /* a signal: perhaps Ctrl-C while we wait for somebody to type */
    const geodisk_progress progress = {.task = in->task, .unit = "bytes", .done = in->taken, .total = in->total};
    if (!geodisk_progress_event(in->context, &progress))
      return geodisk_fail(in->context, GEODISK_ERROR_STOPPED, "%s: stopped while reading", in->label);
  }
  if (n < 0)
    return geodisk_fail(in->context, GEODISK_ERROR_IO, "%s: cannot read: %s", in->label, strerror(errno));
  in->taken += (uint64_t)n;
  *got = (size_t)n;
  return GEODISK_OK;
}

/* Looks at the first two bytes and starts gzip if they are its mark. */
static geodisk_status start(input *in) {
  size_t have = 0, got = 1;
  unsigned char mark[2];
  geodisk_status status = GEODISK_OK;
  while (have < 2 && got > 0 && status == GEODISK_OK) {
    status = input_raw(in, mark + have, 2 - have, &got);
    have += got;
  }
  memcpy(in->peek, mark, have);
  in->peeked = have;
  if (status == GEODISK_OK && have == 2 && mark[0] == 0x1f && mark[1] == 0x8b)
    status = gzip_open(in);
  if (status == GEODISK_OK && have == 0)
    status = geodisk_fail(in->context, GEODISK_ERROR_FORMAT, "%s: the file is empty", in->label);
  if (status == GEODISK_OK && (in->buffer = geodisk_allocate(FIRST_BUFFER, 1)) == NULL)
    status = geodisk_no_memory(in->context, "to read %s", in->label);
  in->capacity = FIRST_BUFFER;
  if (status != GEODISK_OK)
    input_close(in);
  return status;
}

geodisk_status input_open(geodisk_context *context, const char *path, const char *task, input *in) {
  const bool standard = strcmp(path, "-") == 0;
  *in = (input){.context = context, .label = standard ? "standard input" : path, .task = task};
  in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (in->fd < 0)
    return geodisk_fail(context, GEODISK_ERROR_IO, "%s: cannot open: %s", in->label, strerror(errno));
  in->own_fd = !standard;
  struct stat about;
  if (fstat(in->fd, &about) == 0) {
    if (S_ISDIR(about.st_mode)) {
      input_close(in);
      return geodisk_fail(context, GEODISK_ERROR_IO, "%s: is a directory, not a file", path);
    }
    in->total = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
  }
  return start(in);
}

geodisk_status input_open_at(geodisk_context *context, const char *path, const char *task, uint64_t offset, uint64_t line,
                             input *in) {
  struct stat about;
  *in = (input){.context = context, .label = path, .task = task, .taken = offset, .line = line};
  in->fd = open(path, O_RDONLY | O_CLOEXEC);
  in->own_fd = in->fd >= 0;
  if (in->fd < 0 || lseek(in->fd, (off_t)offset, SEEK_SET) < 0 || fstat(in->fd, &about) != 0) {
    const int reason = errno;
    input_close(in);
    return geodisk_fail(context, GEODISK_ERROR_IO, "%s: cannot open: %s", path, strerror(reason));
  }
  in->total = (uint64_t)about.st_size;
  in->capacity = FIRST_BUFFER;
  if ((in->buffer = geodisk_allocate(FIRST_BUFFER, 1)) == NULL) {
    input_close(in);
    return geodisk_no_memory(context, "to read %s", path);
  }
  return GEODISK_OK;
}

geodisk_status input_open_memory(geodisk_context *context, const geodisk_memory_file *file, input *in) {
  *in = (input){.context = context,
                .label = file->label != NULL ? file->label : "memory",
                .task = "reading",
                .fd = -1,
                .memory = file->bytes,
                .memory_left = file->size,
                .total = file->size};
  return start(in);
}

void input_close(input *in) {
  gzip_close(in);
  if (in->own_fd)
    close(in->fd);
  free(in->buffer);
  in->own_fd = false;
  in->buffer = NULL;
}

/* ---- lines ------------------------------------------------------------------------------------------------------------ */

static uint64_t count_lines(const char *text, const char *end) {
  uint64_t n = 0;
  for (const char *p = text; p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
    n++;
  return n;
}

static geodisk_status grow(input *in) {
  char *buffer = geodisk_reallocate(in->buffer, 2 * in->capacity, 1);
  if (buffer == NULL)
    return geodisk_no_memory(in->context, "to read %s", in->label);
  in->buffer = buffer;
  in->capacity *= 2;
  return GEODISK_OK;
}

/* Moves what is left to the front and fills the buffer up. */
static geodisk_status fill(input *in) {
  memmove(in->buffer, in->buffer + in->begin, in->end - in->begin);
  in->end -= in->begin;
  in->begin = 0;
  if (in->end == in->capacity) {
    const geodisk_status status = grow(in);
    if (status != GEODISK_OK)
      return status;
  }
  const size_t before = in->end;
  while (!in->ended && in->end < in->capacity) {
    size_t got;
    const geodisk_status status = in->gzip != NULL ? gzip_read(in, in->buffer + in->end, in->capacity - in->end, &got)
                                                   : input_raw(in, in->buffer + in->end, in->capacity - in->end, &got);
    if (status != GEODISK_OK)
      return status;
    in->ended = got == 0;
    in->end += got;
  }
  const char *nul = memchr(in->buffer + before, 0, in->end - before);
  if (nul != NULL) {
    const unsigned char *s = (const unsigned char *)in->buffer;
    const bool utf16 = in->line == 0 && in->end >= 2 && ((s[0] == 0xff && s[1] == 0xfe) || (s[0] == 0xfe && s[1] == 0xff));
    return geodisk_fail(in->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 ": a NUL byte%s", in->label,
                        in->line + 1 + count_lines(in->buffer + in->begin, nul),
                        utf16 ? "; the file is UTF-16: convert it to UTF-8" : ": this is not a text file");
  }
  const geodisk_progress progress = {.task = in->task, .unit = "bytes", .done = in->taken, .total = in->total};
  if (!geodisk_progress_event(in->context, &progress))
    return geodisk_fail(in->context, GEODISK_ERROR_STOPPED, "%s: stopped while reading", in->label);
  return GEODISK_OK;
}

static geodisk_status too_long(const input *in) {
  return geodisk_fail(in->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 " is too long: a line has less than %d bytes",
                      in->label, in->line + 1, MAX_LINE);
}

geodisk_status input_peek(input *in, const char **text, size_t *size) {
  geodisk_status status = GEODISK_OK;
  while (status == GEODISK_OK && !in->ended && in->end - in->begin < MAX_LINE &&
         memchr(in->buffer + in->begin, '\n', in->end - in->begin) == NULL)
    status = fill(in);
  *text = in->buffer + in->begin;
  *size = in->end - in->begin;
  return status;
}

geodisk_status input_all(input *in, char **text, size_t *size) {
  geodisk_status status = GEODISK_OK;
  while (status == GEODISK_OK && !in->ended)
    status = fill(in);
  *text = in->buffer + in->begin;
  *size = in->end - in->begin;
  return status;
}

/* Finds the end of the line that starts `skip` bytes after in->begin, filling the buffer if need be, which may move it. *found:
 * its length without, *whole: with its line end; both 0 when nothing is left. */
static geodisk_status find_line(input *in, size_t skip, size_t *found, size_t *whole) {
  const char *end;
  size_t looked = skip; /* bytes after in->begin that need not be looked at again */
  while ((end = memchr(in->buffer + in->begin + looked, '\n', in->end - in->begin - looked)) == NULL && !in->ended) {
    looked = in->end - in->begin;
    if (looked >= MAX_LINE)
      return too_long(in);
    const geodisk_status status = fill(in);
    if (status != GEODISK_OK)
      return status;
  }
  const size_t length = end != NULL ? (size_t)(end - in->buffer) - in->begin : in->end - in->begin;
  *found = length - skip;
  *whole = *found + (end != NULL);
  return GEODISK_OK; /* shorter than MAX_LINE: the buffer holds no more than that many bytes, and the line end is one of them */
}

/* The length of a line without the carriage return before its line end. */
static size_t without_return(const char *line, size_t found, size_t whole) {
  return found > 0 && whole > found && line[found - 1] == '\r' ? found - 1 : found;
}

geodisk_status input_line(input *in, char **line, size_t *length) {
  size_t found, whole;
  const geodisk_status status = find_line(in, 0, &found, &whole);
  if (status != GEODISK_OK)
    return status;
  *line = whole > 0 ? in->buffer + in->begin : NULL;
  *length = without_return(in->buffer + in->begin, found, whole);
  in->line += whole > 0;
  in->begin += whole;
  in->record_length = whole;
  return GEODISK_OK;
}

bool input_ready(const input *in) { return in->ended || memchr(in->buffer + in->begin, '\n', in->end - in->begin) != NULL; }

geodisk_status input_extend(input *in, char **line, size_t *length, bool *more) {
  size_t found, whole;
  in->begin -= in->record_length; /* keep the record in the buffer */
  in->line--;
  const geodisk_status status = find_line(in, in->record_length, &found, &whole);
  if (status != GEODISK_OK)
    return status;
  *line = in->buffer + in->begin;
  *more = whole > 0;
  in->line += 1 + *more;
  if (*more) {
    *length = in->record_length + without_return(*line + in->record_length, found, whole);
    in->record_length += whole;
  }
  in->begin += in->record_length;
  return GEODISK_OK;
}

const char *show_field(char shown[SHOWN_FIELD], const char *text, size_t length) {
  size_t used = 0;
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)text[i];
    if (used > SHOWN_FIELD - 12) {
      memcpy(shown + used, "...", 3);
      used += 3;
      break;
    }
    if (c >= 0x20 && c < 0x7f)
      shown[used++] = (char)c;
    else
      used += (size_t)snprintf(shown + used, SHOWN_FIELD - used, "\\x%02x", c);
  }
  shown[used] = 0;
  return shown;
}

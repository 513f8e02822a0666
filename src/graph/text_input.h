/* text_input.h - bytes from a file, standard input or memory, gzip undone on the way, handed out line by line. Internal to the
 * graph module. */
#pragma once

#include "geodisk/graph.h"

/* The longest line (or record with line ends inside quotes) is one byte shorter than this. */
enum { MAX_LINE = 1 << 20, FIRST_BUFFER = 1 << 18 };

typedef struct gzip_state gzip_state;

typedef struct input {
  geodisk_context *context;
  const char *label; /* the file in messages */
  const char *task;  /* what progress events say */
  int fd;            /* -1: memory */
  bool own_fd;
  const unsigned char *memory;
  size_t memory_left;
  unsigned char peek[2]; /* the first bytes, looked at to recognise gzip */
  size_t peeked;
  gzip_state *gzip; /* NULL: plain */
  uint64_t taken;   /* bytes of the file read so far */
  uint64_t total;   /* bytes in all, 0: not known */
  char *buffer;
  size_t capacity;      /* of the buffer; grows when a line does not fit */
  size_t begin, end;    /* what is in it and not handed out */
  bool ended;           /* nothing is left to read into it */
  uint64_t line;        /* number of the line handed out last, the last of its record's */
  size_t record_length; /* of what was handed out last, its line end included */
} input;

/* Opens a file, or "-". Errors: IO (with the system's reason; a directory), MEMORY, UNSUPPORTED (gzip without zlib). */
geodisk_status input_open(geodisk_context *context, const char *path, const char *task, input *in);
geodisk_status input_open_memory(geodisk_context *context, const geodisk_memory_file *file, input *in);

/* Opens a plain file at a byte where a line begins, with so many lines before it; gzip is not looked for. */
geodisk_status input_open_at(geodisk_context *context, const char *path, const char *task, uint64_t offset, uint64_t line,
                             input *in);
void input_close(input *in);

/* The next line without its end; *line is NULL when there is none. The bytes may be changed by the caller and stay until the next
 * call. Errors: IO, FORMAT (gzip, a NUL byte, a line too long), STOPPED. */
geodisk_status input_line(input *in, char **line, size_t *length);

/* Whether the next input_line will leave what was handed out before where it is. */
bool input_ready(const input *in);

/* Adds the following line to the one just handed out (its start may move): *length grows by its line end and that line. *more is
 * false, and nothing changes, when there is none. */
geodisk_status input_extend(input *in, char **line, size_t *length, bool *more);

/* What lies in the buffer, at least one line if there is one, without handing it out: to find out about the format. */
geodisk_status input_peek(input *in, const char **text, size_t *size);

/* All that is left, in the buffer, which stays the input's. Errors: IO, FORMAT (gzip, a NUL byte), MEMORY, STOPPED. */
geodisk_status input_all(input *in, char **text, size_t *size);

/* Reads up to `size` bytes of the file as it is, for gzip. */
geodisk_status input_raw(input *in, void *buffer, size_t size, size_t *got);

/* The place in a plain file of the first byte not handed out. */
static inline uint64_t input_offset(const input *in) { return in->taken - in->peeked - (in->end - in->begin); }

/* A field for a message: printable, shortened. */
enum { SHOWN_FIELD = 64 };
const char *show_field(char shown[SHOWN_FIELD], const char *text, size_t length);

/* output.c - names, numbers and JSON on standard output, and the check that all of it arrived. */
#include "args.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *shortest_double(double value, char *buffer) {
  geodisk_format_double(value, buffer);
  return buffer;
}

const char *shortest_float(float value, char *buffer) {
  geodisk_format_float(value, buffer);
  return buffer;
}

bool parse_number(const char *text, double *out) { return geodisk_parse_double(text, strlen(text), out); }

/* In pieces, so that no length needs memory: a character has at most 4 bytes, an escape at most 6. */
static void put_escaped(FILE *stream, const char *text, bool backslashes) {
  enum { PIECE = 256 };
  char shown[6 * PIECE + 1];
  for (size_t length = strlen(text); length > 0;) {
    size_t piece = length < PIECE ? length : PIECE;
    for (size_t back = 0; piece < length && back < 3 && ((unsigned char)text[piece] & 0xc0) == 0x80; back++)
      piece--; /* not in the middle of a character */
    geodisk_escape(text, piece, backslashes, shown, sizeof shown);
    fputs(shown, stream);
    text += piece;
    length -= piece;
  }
}

void put_text(FILE *stream, const char *text) { put_escaped(stream, text, false); }
void put_name(FILE *stream, const char *name) { put_escaped(stream, name, true); }

void put_arguments(FILE *stream, const char *format, va_list arguments) {
  char text[6000]; /* a path has 4096 bytes at most */
  vsnprintf(text, sizeof text, format, arguments);
  put_text(stream, text);
}

void put_said(FILE *stream, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_arguments(stream, format, arguments);
  fputc('\n', stream);
  va_end(arguments);
}

void json_string(const char *text) {
  putchar('"');
  for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
    const unsigned char c = (unsigned char)*text;
    char shown[8];
    bytes = 1;
    if (c == '"' || c == '\\') {
      printf("\\%c", c);
    } else if (c < 0x20 || c == 0x7f) {
      printf("\\u%04x", c);
    } else if (c < 0x80) {
      putchar(c);
    } else {
      while (bytes <= 4 && bytes <= left && geodisk_utf8_prefix(text, bytes) != bytes)
        bytes++;
      if (bytes <= 4 && bytes <= left) { /* what a terminal would obey becomes \u009b or \u202e, as JSON writes it too */
        geodisk_escape(text, bytes, false, shown, sizeof shown);
        fputs(shown, stdout);
      } else {
        fputs("\\ufffd", stdout);
        bytes = 1;
      }
    }
  }
  putchar('"');
}

void json_number(double value) {
  char buffer[GEODISK_NUMBER_BYTES];
  fputs(isfinite(value) ? shortest_double(value, buffer) : "null", stdout);
}

static void json_hole(char kind, va_list *arguments) {
  const char *text;
  switch (kind) {
  case 'n':
    json_number(va_arg(*arguments, double));
    break;
  case 'w':
    printf("%.0f", va_arg(*arguments, double));
    break;
  case 'b':
    fputs(va_arg(*arguments, int) ? "true" : "false", stdout);
    break;
  case 'd':
    printf("%d", va_arg(*arguments, int));
    break;
  case 'z':
    printf("%zu", va_arg(*arguments, size_t));
    break;
  case 'u':
    printf("%" PRIu64, va_arg(*arguments, uint64_t));
    break;
  default:
    text = va_arg(*arguments, const char *);
    if (kind == 'j' && text != NULL)
      json_string(text);
    else
      fputs(text != NULL ? text : "null", stdout);
  }
}

void json_format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  for (const char *hole; (hole = strchr(format, '%')) != NULL; format = hole + 2) {
    fwrite(format, 1, (size_t)(hole - format), stdout);
    json_hole(hole[1], &arguments);
  }
  fputs(format, stdout);
  va_end(arguments);
}

void figures_key(cli_figures *f, const char *key) {
  if (f->json)
    printf("%s\"%s\": ", f->begun ? ", " : "{", key);
  else
    printf("%s\t", key);
  f->begun = true;
}

void figures_count(cli_figures *f, const char *key, uint64_t value) {
  figures_key(f, key);
  printf(f->json ? "%" PRIu64 : "%" PRIu64 "\n", value);
}

void figures_number(cli_figures *f, const char *key, double value) {
  figures_key(f, key);
  if (f->json)
    json_number(value);
  else
    printf("%.6g\n", isnan(value) ? (double)NAN : value); /* never "-nan" */
}

void figures_end(const cli_figures *f) {
  if (f->json)
    puts("}");
}

/* Two names of one file that is still to be made. */
static bool same_new_file(const char *a, const char *b) {
  struct stat in, out;
  if (stat(a, &in) == 0 || stat(b, &out) == 0)
    return false;
  const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
  if (strcmp(slash_a != NULL ? slash_a + 1 : a, slash_b != NULL ? slash_b + 1 : b) != 0)
    return false;
  char folder_a[PATH_MAX], folder_b[PATH_MAX];
  const int long_a = snprintf(folder_a, sizeof folder_a, "%.*s.", slash_a != NULL ? (int)(slash_a + 1 - a) : 0, a);
  const int long_b = snprintf(folder_b, sizeof folder_b, "%.*s.", slash_b != NULL ? (int)(slash_b + 1 - b) : 0, b);
  return long_a < PATH_MAX && long_b < PATH_MAX && stat(folder_a, &in) == 0 && stat(folder_b, &out) == 0 &&
         in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

int cli_check_inputs(const command_spec *command, const char *option, const char *output, const char *const *inputs, int n) {
  struct stat out, in;
  if (output == NULL || strcmp(output, "-") == 0)
    return -1;
  const bool there = stat(output, &out) == 0;
  if (there && !S_ISREG(out.st_mode))
    return -1;
  for (int i = 0; i < n; i++) {
    if (inputs[i] == NULL || strcmp(inputs[i], "-") == 0)
      continue;
    if (there && stat(inputs[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
      return cli_usage_error(command, "%s %s would overwrite the input %s: they are the same file", option, output, inputs[i]);
    if (!there && same_new_file(output, inputs[i]))
      return cli_usage_error(command, "%s %s and %s would be the same file", option, output, inputs[i]);
  }
  return -1;
}

ssize_t cli_read_line(FILE *file, char **line, size_t *room) {
  size_t length = 0;
  int c = EOF;
  do {
    if (!geodisk_grow(line, length, 2, room, 1)) {
      errno = ENOMEM;
      return -1;
    }
    if ((c = getc_unlocked(file)) != EOF)
      (*line)[length++] = (char)c;
  } while (c != EOF && c != '\n' && length <= CLI_LINE_MAX);
  (*line)[length] = 0;
  return length > 0 ? (ssize_t)length : -1;
}

int cli_finish(void) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return EXIT_OK;
  return cli_error("standard output: %s", errno != 0 ? strerror(errno) : "not everything could be written");
}

/* output.c - numbers and JSON on standard output, and the check that all of it arrived. */
#include "args.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *shortest_double(double value, char *buffer) {
  geodisk_format_double(value, buffer);
  return buffer;
}

const char *shortest_float(float value, char *buffer) {
  geodisk_format_float(value, buffer);
  return buffer;
}

bool parse_number(const char *text, double *out) { return geodisk_parse_double(text, strlen(text), out); }

void json_string(const char *text) {
  putchar('"');
  for (; *text != 0; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      printf("\\%c", c);
    else if (c < 0x20)
      printf("\\u%04x", c);
    else
      putchar(c);
  }
  putchar('"');
}

void json_number(double value) {
  char buffer[GEODISK_NUMBER_BYTES];
  fputs(isfinite(value) ? shortest_double(value, buffer) : "null", stdout);
}

int cli_finish(void) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return EXIT_OK;
  return cli_error("standard output: %s", errno != 0 ? strerror(errno) : "not everything could be written");
}

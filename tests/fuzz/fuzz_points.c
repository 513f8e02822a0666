/* fuzz_points.c - the command's reader of points: text and npy. Linked with cli/points.c alone; what that calls of the rest of
 * the command is here. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "args.h"
#include "points.h"

static char message[1000];

int cli_error(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  return EXIT_FAILED;
}

bool parse_number(const char *text, double *out) { return geodisk_parse_double(text, strlen(text), out); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  point_rows rows = {0};
  char path[64];
  const int fd = memfd_create("points", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size)
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  message[0] = 0;
  if (points_read(path, &rows)) {
    if (rows.n == 0 || rows.dim == 0)
      abort();
    for (size_t i = 0; i < rows.n * rows.dim; i++)
      if (!isfinite(rows.x[i]))
        abort();
    for (size_t i = 0; rows.names != NULL && i < rows.n; i++)
      if (strlen(rows.names[i]) > size)
        abort();
    points_free(&rows);
  } else if (message[0] == 0) {
    abort();
  }
  close(fd);
  return 0;
}

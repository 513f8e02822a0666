/* bench_python.c - runs a Python program beside a measurement, on the same data: Debian's own Python, with what Debian packages.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PYTHON "/usr/bin/python3"

/* The next number a program printed. */
static bool next_number(FILE *from, double *out) {
  char word[64];
  return fscanf(from, "%63s", word) == 1 && parse_number(word, out);
}

/* Writes bytes to a new file from a template ending in XXXXXX. */
static bool write_file(char *path, const void *bytes, size_t size) {
  const int file = mkstemp(path);
  FILE *out = file < 0 ? NULL : fdopen(file, "wb");
  if (out == NULL)
    return false;
  const bool fine = fwrite(bytes, 1, size, out) == size;
  return fclose(out) == 0 && fine;
}

bool bench_python(const char *script, size_t script_size, const char *arguments, const void *data, size_t data_size, double *out,
                  int count) {
  char input[] = "/tmp/geodisk-bench-XXXXXX", code[] = "/tmp/geodisk-bench-XXXXXX", command[256];
  bool fine = access(PYTHON, X_OK) == 0 && write_file(input, data, data_size) && write_file(code, script, script_size);
  if (fine) {
    snprintf(command, sizeof command, PYTHON " %s %s %s 2>/dev/null", code, input, arguments);
    FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a fixed command */
    fine = pipe != NULL;
    for (int i = 0; fine && i < count; i++)
      fine = next_number(pipe, &out[i]);
    if (pipe != NULL)
      pclose(pipe);
  }
  unlink(input);
  unlink(code);
  return fine;
}

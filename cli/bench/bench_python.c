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

bool bench_python_start(bench_program *program, const char *script, size_t script_size, const char *arguments, const void *data,
                        size_t data_size) {
  char command[512];
  cli_listen(); /* the files are to be removed at the end */
  *program = (bench_program){NULL, "/tmp/geodisk-bench-XXXXXX", "/tmp/geodisk-bench-XXXXXX"};
  if (access(PYTHON, X_OK) != 0 || !write_file(program->input, data, data_size) ||
      !write_file(program->code, script, script_size))
    return false;
  snprintf(command, sizeof command, PYTHON " %s %s %s 2>/dev/null", program->code, program->input, arguments);
  program->pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a fixed command */
  return program->pipe != NULL;
}

bool bench_python_read(bench_program *program, double *out, int count) {
  bool fine = program->pipe != NULL;
  for (int i = 0; fine && i < count; i++)
    fine = next_number(program->pipe, &out[i]);
  return fine;
}

void bench_python_end(bench_program *program) {
  if (program->pipe != NULL)
    pclose(program->pipe);
  unlink(program->input);
  unlink(program->code);
}

bool bench_python(const char *script, size_t script_size, const char *arguments, const void *data, size_t data_size, double *out,
                  int count) {
  bench_program program;
  const bool fine =
      bench_python_start(&program, script, script_size, arguments, data, data_size) && bench_python_read(&program, out, count);
  bench_python_end(&program);
  return fine;
}

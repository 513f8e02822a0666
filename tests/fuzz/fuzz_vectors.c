/* fuzz_vectors.c - the readers of other programs' vectors: word2vec, tables, npy. The first byte, from 'a' on, chooses options;
 * the rest is the file. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "geodisk/vectors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const geodisk_format formats[] = {GEODISK_FORMAT_AUTO, GEODISK_FORMAT_WORD2VEC, GEODISK_FORMAT_WORD2VEC_BINARY,
                                           GEODISK_FORMAT_TSV,  GEODISK_FORMAT_CSV,      GEODISK_FORMAT_NPY,
                                           GEODISK_FORMAT_AUTO, GEODISK_FORMAT_AUTO};
  geodisk_context *context = NULL;
  geodisk_model *model = NULL;
  if (size == 0 || geodisk_context_create(1, &context) != GEODISK_OK)
    return 0;
  const unsigned bits = (unsigned)(data[0] - 'a') & 0xff;
  const bool flat = (bits & 16) != 0;
  const geodisk_import_options options = {.format = formats[bits & 7],
                                          .lorentz = (bits & 8) != 0 && !flat,
                                          .space = flat ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC,
                                          .width = (bits & 32) != 0 ? GEODISK_WIDTH_FLOAT : GEODISK_WIDTH_AUTO,
                                          .names = (bits & 64) != 0 ? "" : NULL};
  char path[64];
  const int fd = memfd_create("vectors", 0);
  if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (geodisk_model_import(context, path, &options, NULL, &model) == GEODISK_OK) {
    /* What was read can be written as a model. */
    if (geodisk_model_write(context, model, "/dev/null") != GEODISK_OK)
      abort();
  } else if (model != NULL || geodisk_context_error(context)[0] == 0) {
    abort();
  }
  close(fd);
  geodisk_model_destroy(model);
  geodisk_context_destroy(context);
  return 0;
}

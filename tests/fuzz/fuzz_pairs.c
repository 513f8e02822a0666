/* fuzz_pairs.c - the reader of word pairs with scores. The first byte, from 'a' on, chooses options; the rest is the file. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eval/word_pairs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  geodisk_context *context = NULL;
  word_pairs pairs = {0};
  if (size == 0 || geodisk_context_create(1, &context) != GEODISK_OK)
    return 0;
  char path[64];
  const int fd = memfd_create("pairs", 0);
  if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (word_pairs_read(context, path, data[0] == 'n' ? 'N' : 0, &pairs) == GEODISK_OK) {
    for (size_t i = 0; i < pairs.n; i++)
      if (!isfinite(pairs.pairs[i].score) || strlen(pairs.pairs[i].first) + strlen(pairs.pairs[i].second) > size)
        abort();
  } else if (pairs.pairs != NULL || geodisk_context_error(context)[0] == 0) {
    abort();
  }
  close(fd);
  word_pairs_destroy(&pairs);
  geodisk_context_destroy(context);
  return 0;
}

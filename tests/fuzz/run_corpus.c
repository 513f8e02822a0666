/* run_corpus.c - runs a fuzz target over the files named, without libFuzzer: the everyday test of its corpus. */
#include "fuzz.h"

#include <stdio.h>

int main(int argc, char **argv) {
  enum { MOST = 1 << 22 };
  uint8_t *data = malloc(MOST);
  int done = 0;
  for (int i = 1; i < argc && data != NULL; i++) {
    FILE *file = fopen(argv[i], "rb");
    if (file == NULL) {
      perror(argv[i]);
      free(data);
      return 1;
    }
    const size_t size = fread(data, 1, MOST, file);
    fclose(file);
    uint8_t *exact = malloc(size > 0 ? size : 1); /* so that a sanitizer sees a step past its end */
    if (exact == NULL)
      break;
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    done++;
  }
  free(data);
  printf("%d inputs\n", done);
  return done > 0 ? 0 : 1;
}

/* word_pairs.h - reading files of word pairs with scores. */
#pragma once

#include "geodisk/base.h"

typedef struct word_pair {
  char *first, *second; /* one block, owned by `first` */
  double score;
} word_pair;

typedef struct word_pairs {
  word_pair *pairs;
  size_t n;
  size_t filtered; /* lines of another part of speech */
} word_pairs;

/* The format is that of geodisk_eval_entailment. Errors: IO, FORMAT, MEMORY. */
geodisk_status word_pairs_read(geodisk_context *context, const char *path, char pos, word_pairs *out);
void word_pairs_destroy(word_pairs *pairs);

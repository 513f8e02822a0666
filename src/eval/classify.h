/* classify.h - a score as a classifier of pairs: the threshold of the best F1, and the figures of a test by a threshold, with
 * bootstrap intervals. A low score says yes. */
#pragma once

#include "geodisk/eval.h"

/* Scored pairs in ascending order; `yes` says which are edges. */
typedef struct scored_pair {
  double score;
  bool yes;
} scored_pair;

/* Sorts by score, edges first among equal scores. */
void classify_sort(scored_pair *pairs, size_t n);

/* The threshold with the best F1 of "score <= threshold", halfway to the next score, and that F1. The pairs are sorted. */
double classify_threshold(const scored_pair *pairs, size_t n, double *f1);

/* Precision, recall and F1 by the threshold, and AUC and average precision, which need none; 95 % intervals from `resamples` of
 * the pairs (0: none). The pairs are sorted. MEMORY. */
geodisk_status classify_judge(geodisk_context *context, const scored_pair *pairs, size_t n, double threshold, size_t resamples,
                              uint64_t seed, geodisk_classification *out);

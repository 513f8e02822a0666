/* merge_sort.h - a stable, threaded merge sort of pairs that counts inversions. */
#pragma once

#include "geodisk/base.h"

typedef struct sort_pair {
  double key, value;
} sort_pair;

/* Sorts by key (keys equal: by value, if `both`); n pairs in `a`, as many in `scratch`. *inversions (or NULL) = how many pairs i
 * < j had a[i] > a[j] before. Numbers must not be NaN. Returns where the sorted pairs are: `a` or `scratch`. O(n log n); the same
 * for any number of threads. */
sort_pair *merge_sort(geodisk_context *context, size_t n, sort_pair *a, sort_pair *scratch, bool both, uint64_t *inversions);

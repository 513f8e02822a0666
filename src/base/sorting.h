/* sorting.h - comparisons for qsort. Seen by every module. */
#pragma once

#include <stdint.h>

/* -1, 0 or 1: ascending in x; descending with the two exchanged. */
#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/* The first comparison decides, then the other. */
static inline int compare_first(int first, int then) { return first != 0 ? first : then; }

static inline int ascending_doubles(const void *a, const void *b) { return COMPARE(*(const double *)a, *(const double *)b); }
static inline int ascending_u32(const void *a, const void *b) { return COMPARE(*(const uint32_t *)a, *(const uint32_t *)b); }
static inline int ascending_u64(const void *a, const void *b) { return COMPARE(*(const uint64_t *)a, *(const uint64_t *)b); }

/* What is sorted by its size or weight: the largest first, of equal ones that with the smallest number. A struct that begins with
 * one of these is sorted in the same way. */
typedef struct sized_number {
  uint32_t size, number;
} sized_number;
typedef struct weighted_number {
  double weight;
  uint32_t number;
} weighted_number;

static inline int larger_first(const void *a, const void *b) {
  const sized_number *x = a, *y = b;
  return compare_first(COMPARE(y->size, x->size), COMPARE(x->number, y->number));
}
static inline int heavier_first(const void *a, const void *b) {
  const weighted_number *x = a, *y = b;
  return compare_first(COMPARE(y->weight, x->weight), COMPARE(x->number, y->number));
}

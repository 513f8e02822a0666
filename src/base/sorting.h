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

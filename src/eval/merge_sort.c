/* merge_sort.c - a stable merge sort of pairs with a count of inversions. Runs of RUN pairs are sorted one to a task; then each
 * level of merging is cut into tasks of RUN results, whose sources are found by bisection (the "merge path"), so that the last
 * levels, with few and long merges, keep all threads busy too. */
#include "merge_sort.h"

#include <stdlib.h>
#include <string.h>

enum { RUN = 8192, SHORT = 16 };

typedef struct sort_job {
  size_t n, width; /* width: pairs in each of the sorted runs that are merged two and two */
  sort_pair *from, *to;
  bool both;
  uint64_t *inversions; /* by task, added to */
} sort_job;

static inline bool before(const sort_pair *a, const sort_pair *b, bool both) {
  return a->key < b->key || (both && a->key == b->key && a->value < b->value);
}

/* Merges `count` pairs of a[0..a_left) and b[0..b_left) into out; a_after: how many pairs follow a[a_left) in its run. */
static uint64_t merge(const sort_pair *a, size_t a_left, const sort_pair *b, size_t b_left, size_t a_after, bool both,
                      sort_pair *out) {
  const sort_pair *const a_end = a + a_left, *const b_end = b + b_left;
  uint64_t inversions = 0;
  while (a < a_end && b < b_end) {
    const bool take_b = before(b, a, both);
    *out++ = *(take_b ? b : a); /* both choices ready: no jump to mispredict */
    inversions += take_b ? (uint64_t)(a_end - a) : 0;
    a += !take_b;
    b += take_b;
  }
  memcpy(out, a, (size_t)(a_end - a) * sizeof *a);
  out += a_end - a;
  memcpy(out, b, (size_t)(b_end - b) * sizeof *b);
  return inversions + (uint64_t)b_left * a_after;
}

static uint64_t sort_short(size_t n, sort_pair *a, bool both) {
  uint64_t inversions = 0;
  for (size_t i = 1; i < n; i++) {
    const sort_pair p = a[i];
    size_t j = i;
    for (; j > 0 && before(&p, &a[j - 1], both); j--)
      a[j] = a[j - 1];
    a[j] = p;
    inversions += i - j;
  }
  return inversions;
}

/* Sorts one run, from and back to `from`. */
static void sort_run(void *arg, size_t index) {
  sort_job *job = arg;
  const size_t start = index * RUN, n = job->n - start < RUN ? job->n - start : RUN;
  sort_pair *a = job->from + start, *b = job->to + start;
  uint64_t inversions = 0;
  for (size_t i = 0; i < n; i += SHORT)
    inversions += sort_short(n - i < SHORT ? n - i : SHORT, a + i, job->both);
  for (size_t width = SHORT; width < n; width *= 2) {
    for (size_t i = 0; i < n; i += 2 * width) {
      const size_t first = n - i < width ? n - i : width, second = n - i - first < width ? n - i - first : width;
      inversions += merge(a + i, first, a + i + first, second, 0, job->both, b + i);
    }
    sort_pair *other = a;
    a = b;
    b = other;
  }
  if (a != job->from + start)
    memcpy(job->from + start, a, n * sizeof *a);
  job->inversions[index] += inversions;
}

/* How many of the first `count` results of merging a[0..a_n) and b[0..b_n) come from a. */
static size_t from_a(const sort_pair *a, size_t a_n, const sort_pair *b, size_t b_n, size_t count, bool both) {
  size_t low = count > b_n ? count - b_n : 0, high = count < a_n ? count : a_n;
  while (low < high) {
    const size_t i = low + (high - low) / 2; /* enough of a? Not if a[i] comes before (or with) b[count - i - 1] */
    if (before(&b[count - i - 1], &a[i], both))
      high = i;
    else
      low = i + 1;
  }
  return low;
}

/* Results [index * RUN, (index + 1) * RUN) of one level. */
static void merge_part(void *arg, size_t index) {
  sort_job *job = arg;
  const size_t start = index * RUN, end = job->n - start < RUN ? job->n : start + RUN;
  const size_t base = start / (2 * job->width) * (2 * job->width), left = job->n - base;
  const size_t a_n = left < job->width ? left : job->width, b_n = left - a_n < job->width ? left - a_n : job->width;
  const sort_pair *a = job->from + base, *b = a + a_n;
  const size_t i = from_a(a, a_n, b, b_n, start - base, job->both), i_end = from_a(a, a_n, b, b_n, end - base, job->both);
  const size_t j = start - base - i, j_end = end - base - i_end;
  job->inversions[index] += merge(a + i, i_end - i, b + j, j_end - j, a_n - i_end, job->both, job->to + start);
}

sort_pair *merge_sort(geodisk_context *context, size_t n, sort_pair *a, sort_pair *scratch, bool both, uint64_t *inversions) {
  const size_t tasks = (n + RUN - 1) / RUN;
  uint64_t few[64] = {0}, *counts = tasks <= 64 ? few : geodisk_allocate_zero(tasks, sizeof *counts), total = 0;
  if (counts == NULL)
    return NULL;
  sort_job job = {.n = n, .width = RUN, .from = a, .to = scratch, .both = both, .inversions = counts};
  geodisk_parallel(context, tasks, sort_run, &job);
  for (; job.width < n; job.width *= 2) {
    geodisk_parallel(context, tasks, merge_part, &job);
    sort_pair *other = job.from;
    job.from = job.to;
    job.to = other;
  }
  for (size_t i = 0; i < tasks; i++)
    total += counts[i];
  if (counts != few)
    free(counts);
  if (inversions != NULL)
    *inversions = total;
  return job.from;
}

/* correlation.c - Kendall's tau-b and Spearman's rho in n log n: sorted by x (and y), the inversions of y are the discordant
 * pairs (Knight 1966); sorted by y, ranks and their products follow. */
#include <math.h>

#include "geodisk/eval.h"
#include "merge_sort.h"

/* n (n-1) / 2 */
static uint64_t pairs_of(uint64_t n) { return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n; }

/* Pairs sorted by (x, y): those tied in x, and in both. Turns each (x, y) into (y, rank of x). */
static void rank_x(size_t n, sort_pair *a, uint64_t *tied_x, uint64_t *tied_both) {
  *tied_x = *tied_both = 0;
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && a[end].key == a[i].key;)
      end++;
    *tied_x += pairs_of(end - i);
    for (size_t j = i, last; j < end; j = last) {
      for (last = j + 1; last < end && a[last].value == a[j].value;)
        last++;
      *tied_both += pairs_of(last - j);
    }
    const double rank = 0.5 * (double)(i + end + 1); /* the mean of i+1 .. end */
    for (size_t j = i; j < end; j++)
      a[j] = (sort_pair){.key = a[j].value, .value = rank};
  }
}

/* Pairs (y, rank of x) sorted by y: those tied in y; sums of products of ranks about their mean m. */
static void rank_y(size_t n, const sort_pair *a, uint64_t *tied_y, double *xy, double *yy, double *xx) {
  const double m = 0.5 * ((double)n + 1.0);
  *tied_y = 0;
  *xy = *yy = *xx = 0.0;
  for (size_t i = 0, end; i < n; i = end) {
    double x_sum = 0.0;
    for (end = i; end < n && a[end].key == a[i].key; end++) {
      const double x = a[end].value - m;
      x_sum += x;
      *xx += x * x;
    }
    *tied_y += pairs_of(end - i);
    const double y = 0.5 * (double)(i + end + 1) - m;
    *xy += x_sum * y;
    *yy += (double)(end - i) * y * y;
  }
}

geodisk_status geodisk_rank_correlation(geodisk_context *context, size_t n, const double *x, const double *y,
                                        geodisk_correlation *out) {
  if (n < 2 || x == NULL || y == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "rank correlation: %s",
                        n < 2 ? "fewer than 2 observations" : "an array is NULL");
  sort_pair *a = geodisk_allocate(n, sizeof *a), *b = geodisk_allocate(n, sizeof *b);
  geodisk_status st = GEODISK_OK;
  if (a == NULL || b == NULL) {
    st = geodisk_no_memory(context, "for %zu observations", n);
    goto done;
  }
  for (size_t i = 0; i < n; i++) {
    a[i] = (sort_pair){x[i], y[i]};
    if (isnan(x[i]) || isnan(y[i])) {
      st = geodisk_fail(context, GEODISK_ERROR_NUMERIC, "rank correlation: observation %zu is not a number", i);
      goto done;
    }
  }
  geodisk_correlation r = {.pairs = pairs_of(n)};
  sort_pair *sorted = merge_sort(context, n, a, b, true, NULL);
  if (sorted != NULL) {
    rank_x(n, sorted, &r.tied_x, &r.tied_both);
    sorted = merge_sort(context, n, sorted, sorted == a ? b : a, false, &r.discordant);
  }
  if (sorted == NULL) {
    st = geodisk_no_memory(context, "for %zu observations", n);
    goto done;
  }
  double xy, yy, xx;
  rank_y(n, sorted, &r.tied_y, &xy, &yy, &xx);
  r.concordant = r.pairs - r.tied_x - r.tied_y + r.tied_both - r.discordant;
  /* the difference first, in integers: it may be small */
  const double excess =
      r.concordant >= r.discordant ? (double)(r.concordant - r.discordant) : -(double)(r.discordant - r.concordant);
  r.kendall_tau = excess / sqrt((double)(r.pairs - r.tied_x)) / sqrt((double)(r.pairs - r.tied_y));
  r.spearman = xy / sqrt(xx) / sqrt(yy);
  *out = r;
done:
  geodisk_free_all(a, b);
  return st;
}

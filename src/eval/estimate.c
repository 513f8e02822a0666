/* estimate.c - 95 % confidence intervals: ratios over sampled nodes, and figures of groups. */
#include "estimate.h"

#include <math.h>

#define NORMAL_QUANTILE 1.959963984540054 /* of 97.5 % */

double estimate_value(double above, double below) { return below > 0.0 ? above / below : (double)NAN; }

geodisk_estimate estimate_of_sums(size_t n, size_t all, double above, double below, double squares) {
  const double value = estimate_value(above, below);
  if (n >= all)
    return (geodisk_estimate){value, value, value};
  const double finite = 1.0 - (double)n / (double)all, count = (double)n;
  const double half = n > 1 ? NORMAL_QUANTILE * sqrt(finite * count / (count - 1.0) * squares) / below : (double)INFINITY;
  return (geodisk_estimate){value, value - half, value + half};
}

geodisk_estimate estimate_within_one(size_t n, size_t all, geodisk_estimate e) {
  if (n >= all || isnan(e.value))
    return e;
  const double unseen = 3.0 / (double)n * (1.0 - (double)n / (double)all);
  if (e.value == 1.0)
    e.low = fmin(e.low, 1.0 - unseen);
  if (e.value == 0.0)
    e.high = fmax(e.high, unseen);
  e.low = fmax(e.low, 0.0);
  e.high = fmin(e.high, 1.0);
  return e;
}

geodisk_estimate estimate_ratio(size_t n, size_t all, estimate_term_fn term, const void *arg) {
  double a, b, a_sum = 0.0, b_sum = 0.0, squares = 0.0;
  for (size_t i = 0; i < n; i++) {
    term(arg, i, &a, &b);
    a_sum += a;
    b_sum += b;
  }
  for (size_t i = 0; n < all && i < n; i++) {
    term(arg, i, &a, &b);
    const double rest = a - estimate_value(a_sum, b_sum) * b;
    squares += rest * rest;
  }
  return estimate_of_sums(n, all, a_sum, b_sum, squares);
}

/* The 97.5 % quantile of Student's distribution with f degrees of freedom: the normal one z with the correction of Cornish and
 * Fisher (Abramowitz & Stegun 26.7.5), within 0.1 % for f >= 5. */
static double student_quantile(double f) {
  const double z = NORMAL_QUANTILE, z2 = z * z;
  const double g1 = z * (z2 + 1.0) / 4.0;
  const double g2 = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
  const double g3 = z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
  return z + (g1 + (g2 + g3 / f) / f) / f;
}

geodisk_estimate estimate_from_groups(double value, size_t n, const double *groups, double share) {
  double mean = 0.0, squares = 0.0;
  for (size_t i = 0; i < n; i++)
    mean += groups[i] / (double)n;
  for (size_t i = 0; i < n; i++)
    squares += (groups[i] - mean) * (groups[i] - mean);
  const double count = (double)n;
  const double error = n > 1 ? sqrt(fmax(0.0, 1.0 - share) * squares / (count - 1.0) / count) : (double)INFINITY;
  const double half = n > 1 ? student_quantile(count - 1.0) * error : (double)INFINITY;
  return (geodisk_estimate){value, value - half, value + half};
}

void estimate_draw(uint64_t seed, uint64_t stream, size_t n, size_t all, uint32_t *out) {
  geodisk_random random = geodisk_random_stream(seed, stream);
  size_t wanted = n;
  for (size_t i = 0; i < all && wanted > 0; i++)
    if (geodisk_random_below(&random, all - i) < wanted)
      out[n - wanted--] = (uint32_t)i;
}

size_t estimate_sample(geodisk_context *context, size_t nodes, size_t asked, bool all_pairs) {
  enum { ALL_PAIRS = 1 << 24, SAMPLE = 400 };
  if (asked > 0 || all_pairs || 0.5 * (double)nodes * ((double)nodes - 1.0) <= ALL_PAIRS)
    return asked;
  geodisk_log_event(context, GEODISK_LOG_INFO,
                    "graph distances from a sample of %d nodes (`sample` asks for another number, `all_pairs` for all of them)",
                    SAMPLE);
  return SAMPLE;
}

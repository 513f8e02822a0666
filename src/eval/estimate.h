/* estimate.h - 95 % confidence intervals of figures from samples. */
#pragma once

#include "geodisk/eval.h"

/* The ratio sum(a_i) / sum(b_i) over n sampled units out of `all`, drawn without replacement, with the interval of the usual
 * linearisation: its variance is (1 - n/all) n/(n-1) sum((a_i - ratio b_i)^2) / sum(b_i)^2. above, below: the two sums; squares:
 * the third. Exact (no interval) if n = all; NaN if there is nothing to divide by. */
double estimate_value(double above, double below);
geodisk_estimate estimate_of_sums(size_t n, size_t all, double above, double below, double squares);

/* The same from pairs that come from term(arg, i, &a, &b), in ascending i. */
typedef void (*estimate_term_fn)(const void *arg, size_t i, double *a, double *b);
geodisk_estimate estimate_ratio(size_t n, size_t all, estimate_term_fn term, const void *arg);

/* Ends the interval of a figure between 0 and 1 there. If all units agree on 0 or 1, they have no spread to tell an
 * interval from; it then reaches 3/n, the share of units that n of them miss with a probability of 5 % (the rule of three), times
 * the share of units that were not drawn. */
geodisk_estimate estimate_within_one(size_t n, size_t all, geodisk_estimate e);

/* The value of the whole sample with the interval from the same figure of n independent groups of it (n <= 64): value +- t s /
 * sqrt(n), t the 97.5 % quantile of Student's distribution, times sqrt(1 - share), share = how much of all was sampled. */
geodisk_estimate estimate_from_groups(double value, size_t n, const double *groups, double share);

/* How many of `nodes` to sample for figures of pairs: as many as asked for; 0 asked: all (0), or where pairs are very many a few
 * hundred nodes, which is said, unless all pairs are wanted. */
size_t estimate_sample(geodisk_context *context, size_t nodes, size_t asked, bool all_pairs);

/* A sample of n of the numbers 0 .. all-1 without replacement, ascending, into out. */
void estimate_draw(uint64_t seed, uint64_t stream, size_t n, size_t all, uint32_t *out);

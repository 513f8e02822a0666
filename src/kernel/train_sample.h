/* train_sample.h - what the sample of the loss needs of one edge, over the vectors of lanes.h: operation by operation the loss of
 * src/embed/stopping.c with the functions of portable.h. */
#pragma once

#include "lanes.h"
#include "portable.h"
#include "train.h"

/* portable_log, x > 0 and normal. */
LANES_INLINE vd sample_log(vd x) {
  const vw fraction = ((vw)x & 0x000FFFFFFFFFFFFFu) | 0x3FE0000000000000u; /* in [1/2, 1) */
  const vl low = (vl)((vd)fraction < all_d(0.70710678118654752));
  const vl exponent = (vl)((vw)x >> 52) - 1022 + low; /* where it is low one less: the mask is -1 */
  const vd m = select_d(low, (vd)fraction * all_d(2.0), (vd)fraction);
  const vd e = __builtin_convertvector(__builtin_convertvector(exponent, vi8), vd);
  const vd z = (m - all_d(1.0)) / (m + all_d(1.0)), w = z * z;
  vd sum = all_d(0.0);
  for (int n = 23; n >= 3; n -= 2)
    sum = (sum + all_d(1.0 / n)) * w;
  return e * all_d(PORTABLE_LN2) + all_d(2.0) * (z + z * sum);
}

/* portable_exp, x up to 709. */
LANES_INLINE vd sample_exp(vd x) {
  const vl there = (vl)(x > all_d(-708.0));
  x = select_d(there, x, all_d(0.0));
  const vd y = x * all_d(1.4426950408889634) + all_d(0.5);
  const vd cut = __builtin_convertvector(__builtin_convertvector(y, vi8), vd); /* towards zero */
  const vd n = cut - select_d((vl)(cut > y), all_d(1.0), all_d(0.0));
  const vd r = (x - n * all_d(0.693147180369123816490)) - n * all_d(1.90821492927058770002e-10);
  vd sum = all_d(0.0);
  for (int k = 13; k >= 1; k--)
    sum = (sum + all_d(1.0)) * (r / all_d((double)k));
  const vl whole = __builtin_convertvector(__builtin_convertvector(n, vi8), vl);
  const vd power = (vd)((vw)(whole + 1023) << 52);
  return select_d(there, (all_d(1.0) + sum) * power, all_d(0.0));
}

static void sample_terms(double sharpness, bool flat, double *distances, const double *gaps, double *terms) {
  for (size_t i = 0; i < TRAIN_SAMPLE_ROOM; i += TRAIN_LANES_DOUBLE) {
    const vd square = load_d(distances + i), gap = load_d(gaps + i), root = sqrt_d(square);
    store_d(distances + i, flat ? root : all_d(2.0) * sample_log((sqrt_d(gap + square) + root) / sqrt_d(gap)));
  }
  const vd own = all_d(distances[0]);
  for (size_t i = 0; i < TRAIN_SAMPLE_ROOM; i += TRAIN_LANES_DOUBLE)
    store_d(terms + i, sample_exp(min_d(all_d(sharpness) * (own - load_d(distances + i)), all_d(TRAIN_SAMPLE_MOST))));
}

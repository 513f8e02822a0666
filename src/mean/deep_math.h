/* deep_math.h - asinh to all 100 bits of a double-double. (dd.h's is good to 2^-70, which suffices to round to double; here it is
 * summed over points whose pulls cancel.) */
#pragma once

#include "kernel/dd.h"

/* e^r - 1 for |r| <= 0.5: the series at r/256, then eight doublings E <- E (2 + E). Its first omitted term is below 2^-118 of r.
 */
static inline dd full_expm1(dd r) {
  const dd s = dd_scale(r, 0x1p-8);
  dd sum = dd_from(1.0);
  for (int k = 12; k >= 2; k--)
    sum = dd_add_d(dd_mul(dd_div(s, dd_from((double)k)), sum), 1.0);
  dd e = dd_mul(s, sum);
  for (int i = 0; i < 8; i++)
    e = dd_add(dd_scale(e, 2.0), dd_sqr(e));
  return e;
}

/* log(1 + w) for 1 + w in [0.7, 1.5]: one Newton step from the double logarithm y: c = (1 + w) e^-y - 1 is below 2^-52, so that
 * c - c^2/2 is log(1 + c) to all digits. */
static inline dd full_log1p_near(dd w) {
  const double y = log1p(w.hi);
  const dd e = full_expm1(dd_from(-y)), c = dd_add(dd_add(w, e), dd_mul(w, e));
  return dd_add(dd_from(y), dd_sub(c, dd_scale(dd_sqr(c), 0.5)));
}

/* log(u), u > 0. DD_LN2 has 2^-108 relative, times an exponent below 2^11. */
static inline dd full_log(dd u) {
  int e;
  const double m = frexp(u.hi, &e);
  if (m < 0.70710678118654752)
    e--;
  const dd log_m = full_log1p_near(dd_add_d(dd_ldexp(u, -e), -1.0));
  return dd_add(dd_mul_d(DD_LN2, (double)e), log_m);
}

/* asinh(a), a >= 0. */
static inline dd full_asinh(dd a) {
  if (a.hi > 0x1p110)
    return dd_add(full_log(a), DD_LN2);
  const dd a2 = dd_sqr(a), w = dd_add(a, dd_div(a2, dd_add_d(dd_sqrt(dd_add_d(a2, 1.0)), 1.0)));
  return w.hi < 0.4 ? full_log1p_near(w) : full_log(dd_add_d(w, 1.0));
}

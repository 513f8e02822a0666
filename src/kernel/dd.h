/* dd.h - double-double arithmetic: a number is hi + lo, hi the nearest double to it, about 104 significant bits.
 *
 * The ball's single functions carry every scalar and every vector entry this way and round once at the end, so that what they
 * return is right to the last digits. dd_expm1 and dd_log1p are good to about 2^-70 relative: far below what a double can show,
 * which is all that is asked of them. No fast path may reorder these sums: they are compiled without contraction or fast-math,
 * for devices too (ON_DEVICE), and take nothing from libm but roots and powers of two: the same numbers everywhere. */
#pragma once

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "portable.h"

typedef struct dd {
  double hi, lo;
} dd;

static inline ON_DEVICE dd dd_from(double a) { return (dd){a, 0.0}; }

/* a + b exactly, for |a| >= |b| (Dekker) and for any a, b (Knuth). */
static inline ON_DEVICE dd fast_two_sum(double a, double b) {
  double s = a + b;
  return (dd){s, b - (s - a)};
}
static inline ON_DEVICE dd two_sum(double a, double b) {
  double s = a + b, t = s - a;
  return (dd){s, (a - (s - t)) + (b - t)};
}

/* a * b exactly. Without a fast fma by Dekker's splitting at 27 bits: exact while nothing over- or underflows. */
static inline ON_DEVICE dd two_prod(double a, double b) {
  double p = a * b;
#if defined FP_FAST_FMA || defined __CUDA_ARCH__
  return (dd){p, fma(a, b, -p)};
#else
  const double split = 134217729.0; /* 2^27 + 1 */
  double ca = split * a, ah = ca - (ca - a), al = a - ah;
  double cb = split * b, bh = cb - (cb - b), bl = b - bh;
  return (dd){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
#endif
}

static inline ON_DEVICE dd dd_neg(dd a) { return (dd){-a.hi, -a.lo}; }
static inline ON_DEVICE dd dd_scale(dd a, double power_of_two) { return (dd){a.hi * power_of_two, a.lo * power_of_two}; }
static inline ON_DEVICE double dd_round(dd a) { return a.hi + a.lo; }

static inline ON_DEVICE dd dd_add(dd a, dd b) {
  dd s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
  s = fast_two_sum(s.hi, s.lo + t.hi);
  return fast_two_sum(s.hi, s.lo + t.lo);
}
static inline ON_DEVICE dd dd_add_d(dd a, double b) {
  dd s = two_sum(a.hi, b);
  return fast_two_sum(s.hi, s.lo + a.lo);
}
static inline ON_DEVICE dd dd_sub(dd a, dd b) { return dd_add(a, dd_neg(b)); }

static inline ON_DEVICE dd dd_mul(dd a, dd b) {
  dd p = two_prod(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
static inline ON_DEVICE dd dd_mul_d(dd a, double b) {
  dd p = two_prod(a.hi, b);
  return fast_two_sum(p.hi, p.lo + a.lo * b);
}
static inline ON_DEVICE dd dd_sqr(dd a) { return dd_mul(a, a); }

/* a / b: two partial quotients, the second one of the exact remainder. */
static inline ON_DEVICE dd dd_div(dd a, dd b) {
  double q = a.hi / b.hi;
  dd rest = dd_sub(a, dd_mul_d(b, q));
  return fast_two_sum(q, rest.hi / b.hi);
}
static inline ON_DEVICE dd dd_div_d(dd a, double b) {
  double q = a.hi / b;
  dd p = two_prod(q, b);
  return fast_two_sum(q, (((a.hi - p.hi) - p.lo) + a.lo) / b);
}
static inline ON_DEVICE dd dd_inv(dd a) { return dd_div(dd_from(1.0), a); }

/* sqrt(a), a >= 0: one Newton step in double-double from the double root. */
static inline ON_DEVICE dd dd_sqrt(dd a) {
  if (!(a.hi > 0.0))
    return dd_from(a.hi == 0.0 ? 0.0 : (double)NAN);
  double r = sqrt(a.hi);
  dd rest = dd_sub(a, two_prod(r, r));
  return fast_two_sum(r, rest.hi / (2.0 * r));
}

/* 2^e for e in [-1022, 1023]; a 2^e for any e. */
static inline ON_DEVICE double power_of_two(int e) {
  assert(e >= -1022 && e <= 1023);
  uint64_t bits = (uint64_t)(e + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power;
}
static inline ON_DEVICE dd dd_ldexp(dd a, int e) {
  return e >= -1022 && e <= 1023 ? dd_scale(a, power_of_two(e)) : (dd){ldexp(a.hi, e), ldexp(a.lo, e)};
}

#define DD_LN2   ((dd){0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56})
#define DD_SIXTH ((dd){0x1.5555555555555p-3, 0x1.5555555555555p-57})
#define DD_PI    ((dd){0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53})

/* e^r - 1 for |r| <= 0.52: the series at s = r/16, then four doublings E <- E (2 + E). The terms from s^4 on are below 2^-19 of
 * the sum, so double suffices for them; the first one left out, s^12/12!, is below 2^-83 of it. */
static inline ON_DEVICE dd dd_expm1_small(dd r) {
  if (fabs(r.hi) < 0x1p-110)
    return r; /* and r/16 may be denormal */
  dd s = dd_scale(r, 0.0625);
  double h = s.hi;
  double tail = 1.0 / 39916800.0;
  tail = 1.0 / 3628800.0 + h * tail;
  tail = 1.0 / 362880.0 + h * tail;
  tail = 1.0 / 40320.0 + h * tail;
  tail = 1.0 / 5040.0 + h * tail;
  tail = 1.0 / 720.0 + h * tail;
  tail = 1.0 / 120.0 + h * tail;
  tail = 1.0 / 24.0 + h * tail;
  dd s2 = dd_sqr(s), s3 = dd_mul(s2, s);
  dd e = dd_add_d(dd_mul(s3, DD_SIXTH), h * h * h * h * tail);
  e = dd_add(s, dd_add(dd_scale(s2, 0.5), e));
  for (int i = 0; i < 4; i++)
    e = dd_add(dd_scale(e, 2.0), dd_sqr(e));
  return e;
}

/* e^x = (1 + *rest) 2^*exponent with |rest| <= 0.42, for |x| <= 1e6. */
static inline ON_DEVICE void dd_exp_split(dd x, dd *rest, int *exponent) {
  double k = nearbyint(x.hi * 0x1.71547652b82fep+0);
  *exponent = (int)k;
  *rest = dd_expm1_small(dd_sub(x, dd_mul_d(DD_LN2, k)));
}

/* e^x - 1, and e^x = *power 2^*exponent, for -1e6 <= x <= 700. */
static inline ON_DEVICE dd dd_expm1_split(dd x, dd *power, int *exponent) {
  if (fabs(x.hi) <= 0.34) {
    dd e = dd_expm1_small(x);
    *power = dd_add_d(e, 1.0);
    *exponent = 0;
    return e;
  }
  dd rest;
  dd_exp_split(x, &rest, exponent);
  *power = dd_add_d(rest, 1.0);
  return dd_add_d(dd_ldexp(*power, *exponent), -1.0);
}
static inline ON_DEVICE dd dd_expm1(dd x) {
  dd power;
  int exponent;
  return dd_expm1_split(x, &power, &exponent);
}

/* log(u), u > 0: u = m 2^e with m in [0.7, 1.42), and one Newton step y + (m e^-y - 1) from the double logarithm y of m. */
static inline ON_DEVICE dd dd_log(dd u) {
  int e;
  double m = frexp(u.hi, &e);
  if (m < 0.70710678118654752)
    e--;
  dd v = dd_ldexp(u, -e);
  double y = portable_log(v.hi);
  dd c = dd_add(dd_mul(v, dd_expm1_small(dd_from(-y))), dd_add_d(v, -1.0));
  dd log_m = dd_add(dd_from(y), dd_add_d(c, -0.5 * c.hi * c.hi));
  return dd_add(dd_mul_d(DD_LN2, (double)e), log_m);
}

/* log(1 + w), w > -1, relative to its own size near 0. */
static inline ON_DEVICE dd dd_log1p(dd w) {
  if (fabs(w.hi) > 0.4)
    return dd_log(dd_add_d(w, 1.0));
  double y = portable_log(1.0 + w.hi); /* off by 2^-53 where w is minute, which the step mends as well */
  dd em1 = dd_expm1_small(dd_from(-y));
  dd c = dd_add(dd_add(w, em1), dd_mul(w, em1)); /* (1 + w) e^-y - 1 */
  return dd_add(dd_from(y), dd_add_d(c, -0.5 * c.hi * c.hi));
}

/* asinh(a), a >= 0. */
static inline ON_DEVICE dd dd_asinh(dd a) {
  if (a.hi < 0x1p-55)
    return a; /* a - a^3/6 */
  if (a.hi > 0x1p60)
    return dd_add(dd_log(a), DD_LN2);
  dd a2 = dd_sqr(a);
  dd root = dd_sqrt(dd_add_d(a2, 1.0));
  return dd_log1p(dd_add(a, dd_div(a2, dd_add_d(root, 1.0))));
}

/* A sum of many double-double terms: the rounding errors of the high words are added up apart with the low words. As good as a
 * chain of dd_add but for a factor of the number of terms, and several times faster, since the additions need not wait for each
 * other. */
typedef struct sum2 {
  double high, low;
} sum2;

static inline ON_DEVICE void sum2_add(sum2 *s, dd term) {
  dd t = two_sum(s->high, term.hi);
  s->high = t.hi;
  s->low += t.lo + term.lo;
}
static inline ON_DEVICE dd sum2_value(const sum2 *s) { return fast_two_sum(s->high, s->low); }

/* A sum of products in three cascaded terms: exact to about 2^-155 of the largest partial sum, so that a result of size 2^-53 of
 * it still has all its digits (two terms do not suffice there from dim 50 on). */
typedef struct sum3 {
  double a, b, c;
} sum3;

static inline ON_DEVICE void sum3_add(sum3 *s, double term) {
  dd t = two_sum(s->a, term);
  s->a = t.hi;
  t = two_sum(s->b, t.lo);
  s->b = t.hi;
  s->c += t.lo;
}
static inline ON_DEVICE void sum3_add_product(sum3 *s, double x, double y) {
  dd p = two_prod(x, y);
  sum3_add(s, p.hi);
  dd t = two_sum(s->b, p.lo);
  s->b = t.hi;
  s->c += t.lo;
}
static inline ON_DEVICE dd sum3_value(const sum3 *s) {
  dd low = two_sum(s->b, s->c);
  dd high = two_sum(s->a, low.hi);
  return fast_two_sum(high.hi, high.lo + low.lo);
}

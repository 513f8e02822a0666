/* portable.h - functions of one variable by + - * / and sqrt alone, in a stated order, so that they give the same bytes on every
 * machine, whatever its libm. What decides where a point lies comes from here. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ON_DEVICE __host__ __device__ /* nvcc compiles it for both */
#else
#define ON_DEVICE
#endif

#define PORTABLE_LN2 0.69314718055994530942
#define PORTABLE_PI  3.14159265358979323846

/* 2^n for -1022 <= n <= 1023. */
static inline ON_DEVICE double portable_power2(int n) {
  const uint64_t bits = (uint64_t)(n + 1023) << 52;
  double out;
  memcpy(&out, &bits, sizeof out);
  return out;
}

/* e^x, to 2 units of 2^-53: x = n ln 2 + r, |r| <= ln 2 / 2, Taylor's series to r^13. Below -708: 0; above 709: 2^1023. */
static inline ON_DEVICE double portable_exp(double x) {
  if (!(x > -708.0))
    return x == x ? 0.0 : x;
  if (x > 709.0)
    return 0x1p1023;
  const double n = floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  double sum = 0.0;
  for (int k = 13; k >= 1; k--)
    sum = (sum + 1.0) * (r / k);
  return (1.0 + sum) * portable_power2((int)n);
}

/* log(x) for normal x > 0, to 3 units of 2^-53: x = m 2^e, sqrt(1/2) <= m < sqrt(2), log m = 2 artanh(z), z = (m-1)/(m+1). */
static inline ON_DEVICE double portable_log(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int e = (int)(bits >> 52) - 1022;
  bits = (bits & 0x000FFFFFFFFFFFFFu) | 0x3FE0000000000000u; /* in [1/2, 1) */
  double m;
  memcpy(&m, &bits, sizeof m);
  if (m < 0.70710678118654752) {
    m *= 2.0;
    e--;
  }
  const double z = (m - 1.0) / (m + 1.0), w = z * z;
  double sum = 0.0;
  for (int n = 23; n >= 3; n -= 2)
    sum = (sum + 1.0 / n) * w;
  return e * PORTABLE_LN2 + 2.0 * (z + z * sum);
}

/* x^y to 2 + 5 |y log x| units. */
static inline ON_DEVICE double portable_pow(double x, double y) { return y == 0.0 ? 1.0 : portable_exp(y * portable_log(x)); }

/* tanh(x / 2) for x >= 0, to 5 units. Up to 1 by the continued fraction of tanh at x/4 and doubling. */
static inline ON_DEVICE double portable_tanh_half(double x) {
  if (x > 1.0) {
    const double e = portable_exp(-x);
    return (1.0 - e) / (1.0 + e);
  }
  const double h = 0.25 * x, h2 = h * h;
  const double t = h * (((h2 + 378.0) * h2 + 17325.0) * h2 + 135135.0) / (((28.0 * h2 + 3150.0) * h2 + 62370.0) * h2 + 135135.0);
  return 2.0 * t / (1.0 + t * t);
}

/* sin and cos of x, |x| <= 1e5, to 2 units of 2^-53 absolutely: x = n pi/2 + r, Taylor's series. */
static inline ON_DEVICE void portable_sincos(double x, double *sine, double *cosine) {
  const double n = floor(x * 0.63661977236758134 + 0.5);
  const double r = ((x - n * 1.57079632673412561417) - n * 6.07710050630396597660e-11) - n * 2.02226624879595063154e-21,
               w = r * r;
  double s = 0.0, c = 0.0;
  for (int k = 17; k >= 3; k -= 2)
    s = (1.0 + s) * (-w / (double)(k * (k - 1)));
  for (int k = 16; k >= 2; k -= 2)
    c = (1.0 + c) * (-w / (double)(k * (k - 1)));
  s = r + r * s;
  c = 1.0 + c;
  const int quarter = (int)((int64_t)n & 3);
  *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
  *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}
static inline ON_DEVICE double portable_sin(double x) {
  double s, c;
  portable_sincos(x, &s, &c);
  return s;
}
static inline ON_DEVICE double portable_cos(double x) {
  double s, c;
  portable_sincos(x, &s, &c);
  return c;
}

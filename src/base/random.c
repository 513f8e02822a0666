/* random.c - Philox4x32-10 and the numbers drawn from it.
 *
 * Everything here is integer arithmetic, or +, -, *, / and sqrt on doubles, which IEEE 754 rounds correctly: the same seed gives
 * the same bytes on every machine, whatever its libm. */
#include "geodisk/base.h"

#include <math.h>

enum { BLOCK = 4 };

static uint32_t low32(uint64_t value) { return (uint32_t)(value & 0xffffffffu); }
static uint32_t high32(uint64_t value) { return (uint32_t)(value >> 32); }

void geodisk_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  /* Multipliers and Weyl increments (golden ratio, sqrt(3) - 1) of Salmon, Moraes, Dror, Shaw, SC 2011. */
  const uint64_t multiply0 = 0xD2511F53u, multiply1 = 0xCD9E8D57u;
  const uint32_t bump0 = 0x9E3779B9u, bump1 = 0xBB67AE85u;
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; round++) {
    const uint64_t product0 = multiply0 * c0, product1 = multiply1 * c2;
    c0 = high32(product1) ^ c1 ^ k0;
    c1 = low32(product1);
    c2 = high32(product0) ^ c3 ^ k1;
    c3 = low32(product0);
    k0 += bump0;
    k1 += bump1;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

geodisk_random geodisk_random_stream(uint64_t seed, uint64_t stream) {
  return (geodisk_random){.seed = seed, .stream = stream, .used = BLOCK};
}

uint32_t geodisk_random_bits32(geodisk_random *random) {
  if (random->used >= BLOCK) {
    const uint32_t counter[4] = {low32(random->position), high32(random->position), low32(random->stream),
                                 high32(random->stream)};
    const uint32_t key[2] = {low32(random->seed), high32(random->seed)};
    geodisk_philox(counter, key, random->block);
    random->position++;
    random->used = 0;
  }
  return random->block[random->used++];
}

uint64_t geodisk_random_bits64(geodisk_random *random) {
  const uint64_t low = geodisk_random_bits32(random);
  return low | (uint64_t)geodisk_random_bits32(random) << 32;
}

double geodisk_random_uniform(geodisk_random *random) { return (double)(geodisk_random_bits64(random) >> 11) * 0x1p-53; }

/* log(s) for normal s in (0,1), to a few ulps, by basic arithmetic only: s = m 2^e with m in [sqrt(1/2), sqrt(2)), and
 * log m = 2 artanh(z), z = (m-1)/(m+1), |z| < 0.1716. The series stops at z^23: the next term, z^25/25, is below 2^-68. */
static double portable_log(double s) {
  int e;
  double m = frexp(s, &e);
  if (m < 0.70710678118654752) {
    m *= 2;
    e--;
  }
  const double z = (m - 1) / (m + 1), w = z * z;
  double sum = 0;
  for (int n = 23; n >= 3; n -= 2)
    sum = (sum + 1.0 / n) * w;
  return e * 0.69314718055994531 + 2 * (z + z * sum);
}

/* Marsaglia's polar method: (u,v) uniform in the unit disk, s = u^2 + v^2; u and v times sqrt(-2 log(s)/s) are independent
 * normals. */
double geodisk_random_normal(geodisk_random *random) {
  if (random->has_spare) {
    random->has_spare = false;
    return random->spare;
  }
  double u, v, s;
  do {
    u = 2 * geodisk_random_uniform(random) - 1;
    v = 2 * geodisk_random_uniform(random) - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  const double scale = sqrt(-2 * portable_log(s) / s);
  random->spare = v * scale;
  random->has_spare = true;
  return u * scale;
}

/* Lemire's multiplication method (ACM TOMACS 2019): the high half of bits * bound, drawn again in the 2^64 mod bound cases
 * that would favour some results. */
uint64_t geodisk_random_below(geodisk_random *random, uint64_t bound) {
  if (bound == 0)
    return 0;
  __extension__ typedef unsigned __int128 wide;
  wide product = (wide)geodisk_random_bits64(random) * bound;
  if ((uint64_t)product < bound) {
    const uint64_t unfair = (0 - bound) % bound;
    while ((uint64_t)product < unfair)
      product = (wide)geodisk_random_bits64(random) * bound;
  }
  return (uint64_t)(product >> 64);
}

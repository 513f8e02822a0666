/* paper_exact.c - the exponential map in quadruple precision, without a library for it: what `geodisk reproduce theory` counts
 * errors against, and the cases it does so for. */
#include "paper_exact.h"

#include <float.h>
#include <geodisk/geodisk.h>
#include <math.h>

enum { DIM = PAPER_EXACT_DIM };

#if LDBL_MANT_DIG >= 113 || !defined(__SIZEOF_FLOAT128__)
typedef long double quad; /* 113 bits on most processors that have no __float128 */
#define QUAD_BITS LDBL_MANT_DIG
#else
__extension__ typedef __float128 quad;
#define QUAD_BITS 113
#endif

int paper_exact_bits(void) { return QUAD_BITS; }

static quad quad_sqrt(quad a) {
  quad s = (quad)sqrt((double)a);
  for (int i = 0; i < 3 && s > 0; i++) /* Newton: 53, 106, 113 bits */
    s = (s + a / s) / 2;
  return s;
}

/* e^a - 1 for a >= 0: Taylor's series on a / 2^k, then k times e^2b - 1 = (e^b - 1)(e^b + 1). */
static quad quad_expm1(quad a) {
  int k = 0;
  for (; a > (quad)0.02; k++)
    a /= 2;
  quad sum = 0, term = 1;
  for (int i = 1; i < 20; i++) {
    term *= a / i;
    sum += term;
  }
  for (; k > 0; k--)
    sum *= sum + 2;
  return sum;
}

/* docs/math.md, sections 4 and 5: exp_x(v) = x + S t z / |z|^2 with z = v/|v| + t x, t = tanh(|v| / S). Inwards from near the rim
 * z cancels, so it is put together along the ray and across it: with c and s the cosine and sine of the angle between x and v,
 * rho = |x|, its part along the ray is c + t rho, and where c < 0 that is s^2 / (1 - c) - (1 - t) - t (1 - rho). */
void paper_exp_exact(const double *x, const double *v, double *high, double *low) {
  const quad p[DIM] = {(quad)x[0], (quad)x[1]}, w[DIM] = {(quad)v[0], (quad)v[1]}, a = p[0] * p[0], b = p[1] * p[1];
  const quad gap = a > b ? 1 - a - b : 1 - b - a; /* the first difference is exact where it matters */
  const quad rho = quad_sqrt(a + b), length = quad_sqrt(w[0] * w[0] + w[1] * w[1]);
  const quad e = quad_expm1(2 * length / gap), t = e / (e + 2), rest = 2 / (e + 2);
  const quad ray[DIM] = {rho > 0 ? p[0] / rho : 1, rho > 0 ? p[1] / rho : 0};
  const quad c = (ray[0] * w[0] + ray[1] * w[1]) / length;
  const quad s = rho > 0 ? (p[0] * w[1] - p[1] * w[0]) / (rho * length) : w[1] / length;
  const quad along = c < 0 ? s * s / (1 - c) - rest - t * gap / (1 + rho) : c + t * rho, square = along * along + s * s;
  for (int i = 0; i < DIM; i++) {
    const quad z = along * ray[i] + s * (i == 0 ? -ray[1] : ray[0]), y = p[i] + gap * t * z / square;
    high[i] = (double)y;
    low[i] = (double)(y - (quad)high[i]);
  }
}

void paper_exp_case(double depth, double direction, double angle, double length, double *x, double *v) {
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  const double radius = geodisk_euclidean_from_radius(&ball, depth);
  x[0] = radius * cos(direction);
  x[1] = radius * sin(direction);
  geodisk_project(&ball, x, DBL_EPSILON, x);
  const double size = length / geodisk_metric_factor(&ball, x), c = cos(direction), s = sin(direction);
  /* sin and cos of a small angle, so that nearness to parallel is not lost in an addition of angles */
  v[0] = size * (cos(angle) * c - sin(angle) * s);
  v[1] = size * (cos(angle) * s + sin(angle) * c);
}

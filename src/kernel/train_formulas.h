/* train_formulas.h - the formulas of the training loop for one type of numbers, of those that are the same for whoever computes
 * it: likelihoods of distances, thinning, and the step of a row. train_constants.h and NAME come first; there is no include
 * guard: it is included once for float and once for double, by the plain loop (src/embed/plain.c) and by what runs on devices
 * (src/cuda).
 *
 * Every operation below rounds once, in the order in which it is written; FMA is one operation. */

/* e^x, |x| <= 80: x = n ln 2 + r, Taylor's series, 2^n by its bits. */
static inline ON_DEVICE real NAME(exp)(real x) {
  const real y = x * (real)LOG2E + (real)MAGIC, n = y - (real)MAGIC; /* adding MAGIC rounds to a whole number */
  const real r = (x - n * (real)LN2_HIGH) - n * (real)LN2_LOW;
  real sum = (real)inverse_factorial(EXP_TERMS);
  for (int k = EXP_TERMS - 1; k >= 0; k--)
    sum = FMA1(sum, r, (real)inverse_factorial(k));
  return sum * (real)portable_power2((int)n);
}

/* log(x), x > 0 and normal: x = m 2^e, sqrt(1/2) <= m < sqrt(2), log m = 2 artanh((m-1) / (m+1)). */
static inline ON_DEVICE real NAME(log)(real x) {
  INT bits;
  memcpy(&bits, &x, sizeof bits);
  const INT e = (bits - HALF_ROOT) >> FRACTION;
  bits -= (INT)((UINT)e << FRACTION);
  real m, sum = 0;
  memcpy(&m, &bits, sizeof m);
  const real z = (m - 1) / (m + 1), w = z * z;
  for (int k = LOG_TERMS; k >= 3; k -= 2)
    sum = (sum + (real)1 / (real)k) * w;
  return FMA1((real)e, (real)LN2, (real)2 * FMA1(z, sum, z));
}

/* x^(2B) */
static inline ON_DEVICE real NAME(power)(const train_rule *rule, real x) {
  if (rule->squarings < 0)
    return NAME(exp)((real)(2.0 * rule->sharpness) * NAME(log)(x));
  for (int i = 0; i < rule->squarings; i++)
    x = x * x;
  return x;
}

static inline ON_DEVICE real NAME(total)(real part[LANES]) {
  for (int half = LANES / 2; half >= 1; half /= 2)
    for (int i = 0; i < half; i++)
      part[i] += part[i + half];
  return part[0];
}

static inline ON_DEVICE real NAME(least)(real a, real b) { return a < b ? a : b; }

/* The distance as it enters ratios: a = e^(d/2) from y = |u-m|^2 / S(m); in flat space d from |u-m|^2. inverse: 1 / S(u). */
static inline ON_DEVICE real NAME(growth)(const train_rule *rule, real y, real inverse) {
  if (rule->flat)
    return SQRT1(y);
  const real q = y * inverse;
  return SQRT1(1 + q) + SQRT1(q);
}

/* The likelihood of `a` relative to that of `than`: (e^(d'/2) / e^(d/2))^(2B). */
static inline ON_DEVICE real NAME(ratio)(const train_rule *rule, real than, real a) {
  const real r = rule->flat ? NAME(exp)(NAME(least)((real)0.5 * (than - a), 80)) : than / a;
  return NAME(power)(rule, NAME(least)(r, (real)rule->most));
}

/* A pull below `sparse` becomes that, or nothing, so that its mean stays. */
static inline ON_DEVICE real NAME(thin)(const train_rule *rule, uint32_t key, uint32_t index, real pull) {
  const real sparse = (real)rule->sparse, random = (real)(train_hash(key, index) >> 8) * (real)(rule->sparse * 0x1p-24);
  return !(rule->sparse > 0) || pull >= sparse ? pull : random < pull ? sparse : 0;
}

/* tanh(x/2) and, in *rest, 1 - it; x >= 0: up to 1 by the continued fraction of tanh(x/4). */
static inline ON_DEVICE real NAME(tanh_half)(real x, real *rest) {
  if (x > 1) {
    const real e = NAME(exp)(-NAME(least)(x, 80));
    *rest = (real)2 * e / (1 + e);
    return (1 - e) / (1 + e);
  }
  const real h = x * (real)0.25, h2 = h * h;
  const real top = FMA1(FMA1(h2 + 378, h2, (real)17325), h2, (real)135135);
  const real below = FMA1(FMA1(FMA1((real)28, h2, (real)3150), h2, (real)62370), h2, (real)135135);
  const real t = h * top / below, tanh = (real)2 * t / FMA1(t, t, (real)1);
  *rest = 1 - tanh;
  return tanh;
}

/* One step of a row along its sum g, whose path is beside it. Returns whether it was clipped. */
static inline ON_DEVICE bool NAME(move)(const train_rule *rule, real *x, const int64_t *sum, int64_t path) {
  const size_t dim = rule->dim, last = rule->stride - 1;
  const real s = x[last];
  real g[GEODISK_DIM_MOST], square = 0, radius2 = 0;
  for (size_t k = 0; k < dim; k++) {
    g[k] = (real)((double)sum[k] * (1.0 / rule->scale));
    square = FMA1(g[k], g[k], square);
  }
  real step = (real)rule->rate;
  if (rule->cap > 0)
    step = NAME(least)(step, (real)rule->cap / (real)((double)path * (1.0 / rule->scale)));
  if (rule->flat) {
    for (size_t k = 0; k < dim; k++)
      x[k] = FMA1(step, g[k], x[k]);
    x[last] = 1;
    return false;
  }
  const real norm = SQRT1(square), length = step * norm, unit = norm > 0 ? 1 / norm : 0;
  for (size_t k = 0; k < dim; k++)
    radius2 = FMA1(x[k], x[k], radius2);
  real wanted;
  bool clipped;
  if (rule->update == TRAIN_GEODESIC) {
    /* z = n + t x = (n + e) - (1 - t r) e with r = |x|, e = x / r;  x' = x + S t z / |z|^2,  S' = S (1 - t^2) / |z|^2 */
    real rest, aside = 0;
    const real t = NAME(tanh_half)(length, &rest), r = SQRT1(radius2), inverse = r > 0 ? 1 / r : 0;
    const real inward = FMA1(t, s / (1 + r), rest); /* 1 - t r */
    for (size_t k = 0; k < dim; k++) {
      const real a = FMA1(x[k], inverse, g[k] * unit);
      aside = FMA1(a, a, aside);
    }
    const real z2 = r > 0 ? FMA1(t * r, aside, inward * inward) : 1, away = s * t / z2;
    for (size_t k = 0; k < dim; k++) {
      const real e = x[k] * inverse, a = FMA1(g[k], unit, e);
      x[k] = FMA1(away, FMA1(-(r > 0 ? inward : 0), e, a), x[k]);
    }
    wanted = NAME(least)(s * (rest * (1 + t)) / z2, 1);
    clipped = !(wanted >= LEAST_GAP);
  } else {
    const real factor =
        NAME(least)(rule->update == TRAIN_NATURAL ? (real)0.5 * s * length : (real)2 / s * length, (real)1e9) * unit;
    const real edge = (real)(1.0 - rule->margin);
    real norm2 = 0;
    for (size_t k = 0; k < dim; k++) {
      x[k] = FMA1(factor, g[k], x[k]);
      norm2 = FMA1(x[k], x[k], norm2);
    }
    clipped = !(norm2 <= edge * edge);
    const real shrink = clipped ? edge / SQRT1(norm2) : 1;
    for (size_t k = 0; k < dim; k++)
      x[k] = x[k] * shrink;
    wanted = clipped ? (real)(1.0 - (1.0 - rule->margin) * (1.0 - rule->margin)) : 1 - norm2;
  }
  wanted = wanted >= LEAST_GAP ? wanted : LEAST_GAP;
  /* where coordinates resolve the gap it is measured; deeper it is carried, and coordinates follow where they are off,
   * always inside the ball */
  real norm2 = 0;
  for (size_t k = 0; k < dim; k++)
    norm2 = FMA1(x[k], x[k], norm2);
  const real target = NAME(least)(1 - wanted, (real)train_rim(dim, EPSILON)), measured = 1 - norm2, off = norm2 - target;
  const bool trusted = measured >= GAP_TRUST && wanted >= GAP_TRUST, wrong = !trusted && (off > 0 || off < -SLACK);
  const real scale = wrong ? SQRT1(target / norm2) : 1;
  for (size_t k = 0; k < dim; k++)
    x[k] = x[k] * scale;
  x[last] = trusted ? measured : wanted;
  return clipped;
}

/* train_ref.c - the plain training step, and the choice of a table by name. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "geodisk/base.h"
#include "train.h"

/* Moves a point of gap S by `step` along the unit tangent n = c (S (x-u) + square x), with n.x given. */
static train_move move_row(const train_rule *rule, double step, double gap, double square, double c, double nx,
                           double least_gap) {
  train_move m = {1.0, 0.0, gap, false, fabs(step) > TRAIN_FAR};
  if (rule->flat) {
    m.away = step * c;
  } else if (rule->update == TRAIN_GEODESIC) {
    double e = exp(-fabs(step)), t = copysign((m.far ? 1.0 - e : -expm1(-fabs(step))) / (1.0 + e), step); /* tanh(step/2) */
    double rest = 2.0 * e / (1.0 + e);                                                                    /* 1 - |t| */
    double ahead = 1.0 + t * nx, aside = fmax(1.0 - gap - nx * nx, 0.0);
    double z2 = fmax(fmax(ahead * ahead + t * t * aside, rest * rest), 0.25 * gap * gap);
    double f = gap * t / z2;
    m.keep = 1.0 + f * (c * square + t);
    m.away = f * c * gap;
    m.gap = fmin(gap * (rest * (1.0 + fabs(t)) / z2), 1.0);
    m.clipped = !(m.gap >= least_gap);
    if (m.clipped)
      m.gap = least_gap;
  } else {
    double length = rule->update == TRAIN_NATURAL ? 0.5 * gap * step : 2.0 / gap * step; /* Euclidean */
    length = fmin(fmax(length, -TRAIN_LONGEST), TRAIN_LONGEST);
    double norm2 = (1.0 - gap) + 2.0 * length * nx + length * length, limit = 1.0 - rule->margin;
    m.clipped = !(norm2 <= limit * limit);
    double scale = m.clipped ? limit / sqrt(norm2) : 1.0;
    m.keep = scale * (1.0 + length * c * square);
    m.away = scale * length * c * gap;
    m.gap = m.clipped ? 1.0 - limit * limit : 1.0 - fmax(norm2, 0.0); /* points that nearly coincide round n.x */
  }
  return m;
}

train_move geodisk_train_move(const train_rule *rule, double step, double gap, double nx, double least_gap) {
  return move_row(rule, step, gap, 0.0, rule->flat ? 1.0 : 1.0 / gap, nx, least_gap);
}

#define real        double
#define PLAIN(name) plain_double_##name
#define LEAST_GAP   TRAIN_LEAST_GAP_DOUBLE
#define GAP_TRUST   TRAIN_GAP_TRUST_DOUBLE
#define EPSILON     0x1p-53
#define NEAREST     TRAIN_LEAST_SQUARE_DOUBLE
#include "train_plain.h"
#undef real
#undef PLAIN
#undef LEAST_GAP
#undef GAP_TRUST
#undef EPSILON
#undef NEAREST

#define real        float
#define PLAIN(name) plain_float_##name
#define LEAST_GAP   TRAIN_LEAST_GAP_FLOAT
#define GAP_TRUST   TRAIN_GAP_TRUST_FLOAT
#define EPSILON     0x1p-24
#define NEAREST     TRAIN_LEAST_SQUARE_FLOAT
#include "train_plain.h"

static void random_words(uint64_t seed, uint64_t stream, uint64_t position, size_t blocks, uint32_t *out) {
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  for (size_t i = 0; i < blocks; i++) {
    uint64_t p = position + i;
    const uint32_t counter[4] = {(uint32_t)p, (uint32_t)(p >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
    geodisk_philox(counter, key, out + 4 * i);
  }
}

#include "train_comb.h"

const train_table geodisk_train_ref = {"ref",        plain_double_step, plain_float_step, plain_double_settle, plain_float_settle,
                                       random_words, comb_draw};

const train_table *geodisk_train_table(const char *name) {
#ifdef GEODISK_SIMD_X86
  const train_table *tables[] = {&geodisk_train_avx512, &geodisk_train_avx2, &geodisk_train_sse2};
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
    if (strcmp(tables[i]->name, name) == 0)
      return tables[i];
#else
  (void)name;
#endif
  return &geodisk_train_ref;
}

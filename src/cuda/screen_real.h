/* screen_real.h - what comes before the units of a block, for one type of numbers: sums in parts, distances of rows, and the bits
 * of the candidates that are near enough to each source to count. Included by unit_real.h. */

#include "kernel/train_formulas.h"

/* ---- sums in LANES parts: the number n goes to part n mod LANES, parts are added in halves ---- */

#ifdef __CUDACC__

typedef real NAME(parts); /* of a lane below LANES its part */

DEVICE_CODE NAME(parts) NAME(parts_zero)(void) { return 0; }

/* The numbers base + lane, base a multiple of 32; 0 where there is none. */
DEVICE_CODE void NAME(parts_add)(NAME(parts) * sum, uint32_t n, real value) {
  (void)n;
  *sum += value;
  for (int from = LANES; from < WIDTH; from += LANES)
    *sum += __shfl_down_sync(WHOLE_WARP, value, (unsigned)from);
}

DEVICE_CODE real NAME(parts_total)(NAME(parts) * sum) {
  real part = *sum;
  for (int half = LANES / 2; half >= 1; half /= 2)
    part += __shfl_down_sync(WHOLE_WARP, part, (unsigned)half);
  return __shfl_sync(WHOLE_WARP, part, 0);
}

/* As parts_add, of what is fma(a, b, part): of losses. */
DEVICE_CODE void NAME(parts_fma)(NAME(parts) * sum, uint32_t n, real a, real b, bool there) {
  (void)n;
  *sum = there ? FMA1(a, b, *sum) : *sum;
  for (int from = LANES; from < WIDTH; from += LANES) {
    const real c = __shfl_down_sync(WHOLE_WARP, a, (unsigned)from), d = __shfl_down_sync(WHOLE_WARP, b, (unsigned)from);
    const bool is = __shfl_down_sync(WHOLE_WARP, (int)there, (unsigned)from) != 0;
    *sum = is ? FMA1(c, d, *sum) : *sum;
  }
}

/* The number that lane i has. */
DEVICE_CODE real NAME(warp_number)(real a, uint32_t i) { return __shfl_sync(WHOLE_WARP, a, (int)i); }

DEVICE_CODE real NAME(warp_largest)(real a) {
  for (int half = WIDTH / 2; half >= 1; half /= 2) {
    const real other = __shfl_xor_sync(WHOLE_WARP, a, half);
    a = other > a ? other : a;
  }
  return a;
}

#else

typedef struct NAME(parts) {
  real part[LANES];
} NAME(parts);

DEVICE_CODE NAME(parts) NAME(parts_zero)(void) { return (NAME(parts)){{0}}; }
DEVICE_CODE void NAME(parts_add)(NAME(parts) * sum, uint32_t n, real value) { sum->part[n % LANES] += value; }
DEVICE_CODE real NAME(parts_total)(NAME(parts) * sum) { return NAME(total)(sum->part); }
DEVICE_CODE void NAME(parts_fma)(NAME(parts) * sum, uint32_t n, real a, real b, bool there) {
  if (there)
    sum->part[n % LANES] = FMA1(a, b, sum->part[n % LANES]);
}
DEVICE_CODE real NAME(warp_number)(real a, uint32_t i) {
  (void)i;
  return a;
}
DEVICE_CODE real NAME(warp_largest)(real a) { return a; }

#endif

/* ---- distances ---- */

DEVICE_CODE const real *NAME(row_of)(const device_job *j, uint32_t node) {
  return (const real *)j->rows + (size_t)node * j->plan.rule.stride;
}

/* The first numbers of a row that begins on 16 bytes, rounded up to whole 16 bytes. */
DEVICE_CODE void NAME(load)(real *to, const real *from, const size_t count) {
#ifdef __CUDACC__
#if TRAIN_SINGLE
  for (size_t k = 0; k < count; k += 4) {
    const float4 part = *(const float4 *)(from + k);
    to[k] = part.x;
    to[k + 1] = part.y;
    to[k + 2] = part.z;
    to[k + 3] = part.w;
  }
#else
  for (size_t k = 0; k < count; k += 2) {
    const double2 part = *(const double2 *)(from + k);
    to[k] = part.x;
    to[k + 1] = part.y;
  }
#endif
#else
  memcpy(to, from, count * sizeof *to);
#endif
}

/* |u-m|^2 for a dimension that the compiler knows. */
DEVICE_CODE real NAME(square_dim)(const real *u, const real *m, const size_t dim) {
  real square = 0;
  for (size_t k = 0; k < dim; k++) {
    const real difference = u[k] - m[k];
    square = FMA1(difference, difference, square);
  }
  return square;
}

DEVICE_CODE real NAME(square_rows)(const real *u, const real *m, const size_t dim) {
  real a[SHARED_DIM], b[SHARED_DIM];
  NAME(load)(a, u, dim);
  NAME(load)(b, m, dim);
  return NAME(square_dim)(a, b, dim);
}

/* y = |u-m|^2 / S(m); in flat space |u-m|^2. Both are rows. */
DEVICE_CODE real NAME(y_of)(const train_rule *rule, const real *u, const real *m) {
  const real square = rule->dim == 10  ? NAME(square_rows)(u, m, 10)
                      : rule->dim == 5 ? NAME(square_rows)(u, m, 5)
                      : rule->dim == 2 ? NAME(square_rows)(u, m, 2)
                                       : NAME(square_dim)(u, m, rule->dim);
  return rule->flat ? square : square * ((real)1 / m[rule->stride - 1]);
}

/* The furthest target of each unit, and the limit of y beyond which negatives are dropped. */
DEVICE_CODE void NAME(find_limits)(const device_job *j, const group *g, block_view *v) {
  const train_rule *rule = &j->plan.rule;
  block_shared *s = v->s;
  for (uint32_t i = g->warp; i < v->units; i += g->warps) {
    const real *u = NAME(row_of)(j, s->unit[i].node);
    real furthest = 0;
    for (uint32_t n = g->lane; n < s->unit[i].count; n += WIDTH) {
      const real y = NAME(y_of)(rule, u, NAME(row_of)(j, v->name[s->start[i] + n]));
      furthest = y > furthest ? y : furthest;
    }
    furthest = NAME(warp_largest)(furthest);
    const real gap = u[rule->stride - 1], inverse = (real)1 / gap;
    const real growth = NAME(growth)(rule, furthest, inverse), far = growth * (real)rule->reach;
    const real half = (far - 1 / far) * (real)0.5, length = growth + (real)(2.0 * rule->reach);
    real limit = rule->flat ? length * length : half * half * gap;
    limit = limit < (real)LARGEST ? limit : (real)LARGEST;
    if (g->lane == 0) {
      ((real *)s->growth)[i] = growth;
      ((real *)s->limit)[i] = limit;
    }
    for (uint32_t k = g->lane; k < rule->dim && j->shared.dim; k += WIDTH)
      ((real *)v->source)[i * j->shared.dim + k] = u[k];
  }
  group_sync(g);
}

/* A bit for each unit and candidate that is near enough: each thread takes a candidate and goes through the units. */
DEVICE_CODE void NAME(screen_dim)(const device_job *j, const group *g, block_view *v, const size_t dim) {
  const train_rule *rule = &j->plan.rule;
  const real *limits = (const real *)v->s->limit;
  const uint32_t end = (v->candidates + WIDTH - 1) / WIDTH * WIDTH, wide = j->shared.dim;
  for (uint32_t c = g->thread; c < end; c += g->threads) {
    const bool there = c < v->candidates;
    const real *row = NAME(row_of)(j, v->node[there ? c : 0]);
    const real inverse = rule->flat ? (real)1 : (real)1 / row[rule->stride - 1];
    uint32_t *word = v->mask + c / 32;
    real m[SHARED_DIM], u[SHARED_DIM];
    NAME(load)(m, row, dim);
    for (uint32_t i = 0; i < v->units; i++, word += v->mask_words) {
      NAME(load)(u, (const real *)v->source + i * wide, dim);
      const real square = NAME(square_dim)(u, m, dim), y = rule->flat ? square : square * inverse;
      warp_write_bits(g, word, c, there && y <= limits[i]);
    }
  }
}

DEVICE_CODE void NAME(screen)(const device_job *j, const group *g, block_view *v) {
  const train_rule *rule = &j->plan.rule;
  const uint32_t end = (v->candidates + WIDTH - 1) / WIDTH * WIDTH;
  if (rule->dim == 10)
    NAME(screen_dim)(j, g, v, 10);
  else if (rule->dim == 5)
    NAME(screen_dim)(j, g, v, 5);
  else if (rule->dim == 2)
    NAME(screen_dim)(j, g, v, 2);
  else
    for (uint32_t c = g->thread; c < end; c += g->threads) {
      const bool there = c < v->candidates;
      const real *row = NAME(row_of)(j, v->node[there ? c : 0]);
      for (uint32_t i = 0; i < v->units; i++)
        warp_write_bits(g, v->mask + (size_t)i * v->mask_words + c / 32, c,
                        there && NAME(y_of)(rule, NAME(row_of)(j, v->s->unit[i].node), row) <= ((real *)v->s->limit)[i]);
    }
  group_sync(g);
}

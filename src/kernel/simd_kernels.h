/* simd_kernels.h - the vector kernels of one instruction set: included by kernel_sse2.c, kernel_avx2.c and kernel_avx512.c, each
 * compiled with its own flags. Defines the table named by KERNEL_TABLE. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "kernel_limits.h"
#include "simd.h"
#include "simd_math.h"

/* What simd_rows.h sums: p and q are two rows per lane, or q is one row for all (ONE_Q). */
enum { WANT_GAP = 1, WANT_GAP_Q = 2, WANT_DOTS = 4, WANT_DIFFERENCE = 8, WANT_ONE_Q = 16, WANT_Q = 32 };

enum { ALL_LANES = (1 << LANES) - 1 };

/* Appends the rows of a group whose bit is not in `easy`. */
SIMD_INLINE size_t list_hard(unsigned easy, size_t rows, size_t first, uint16_t *hard, size_t found) {
  unsigned bits = ~easy & ((1u << rows) - 1u);
  for (; __builtin_expect(bits != 0, 0); bits &= bits - 1)
    hard[found++] = (uint16_t)(first + (size_t)__builtin_ctz(bits));
  return found;
}

/* Where the rows of a group start, */
SIMD_INLINE void whole_offsets(size_t dim, size_t offset[LANES]) {
  for (size_t r = 0; r < LANES; r++)
    offset[r] = r * dim;
}

/* and of one that has only `left` rows: the other lanes repeat the last. */
SIMD_INLINE void tail_offsets(size_t dim, size_t left, size_t offset[LANES]) {
  for (size_t r = 0; r < LANES; r++)
    offset[r] = (r < left ? r : left - 1) * dim;
}

/* d sqrt(k) = 2 asinh(sqrt q) = log(1 + w), w = 2 (q + sqrt(q + q^2)): one root and no quotient, relatively accurate for small
 * and large q. In stages, each over a whole chunk: as one, the chain of dependent operations is too long for the processor to
 * overlap with the next. On AVX-512 the root goes with the stage before, which leaves the divider idle; narrower vectors have
 * more instructions in flight, and lose by that. */
enum { ROOT_EARLY = LANES == 8 };

SIMD_INLINE vec log_argument(vec q) {
  const vec half = q + vec_sqrt(vec_fma(q, q, q));
  return half + half;
}

/* What goes from q to take_distances. */
SIMD_INLINE vec half_distance(vec q) { return ROOT_EARLY ? log_argument(q) : q; }

/* The rest of the way, in place, whole groups; unit = 1/sqrt(k). */
static void take_distances(double unit, size_t n, double *q) {
  double e[KERNEL_ROWS], f[KERNEL_ROWS];
  for (size_t i = 0; i < n && !ROOT_EARLY; i += LANES)
    vec_store(q + i, log_argument(vec_load(q + i)));
  for (size_t i = 0; i < n; i += LANES) {
    const log1p_halfway p = begin_log1p(vec_load(q + i));
    vec_store(e + i, p.e);
    vec_store(f + i, p.f);
    vec_store(q + i, p.s);
  }
  for (size_t i = 0; i < n; i += LANES)
    vec_store(q + i, unit * finish_log1p((log1p_halfway){vec_load(e + i), vec_load(f + i), vec_load(q + i)}));
}

SIMD_INLINE void copy_out(size_t n, const double *from, double *out) { memcpy(out, from, n * sizeof *out); }
SIMD_INLINE void copy_outf(size_t n, const double *from, float *out) {
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    vec_storef(out + i, vec_load(from + i));
  for (; i < n; i++)
    out[i] = (float)from[i];
}
SIMD_INLINE vec load(const double *p) { return vec_load(p); }
SIMD_INLINE vec loadf(const float *p) { return vec_loadf(p); }

/* out = x + a x + b u along one row; the same operations on every element whatever the width. */
SIMD_INLINE void combine(size_t dim, double a, double b, const double *x, const double *u, double *out) {
  size_t c = 0;
  const vec av = vec_all(a), bv = vec_all(b);
  for (; c + LANES <= dim; c += LANES) {
    const vec xv = vec_load(x + c);
    vec_store(out + c, vec_fma(av, xv, vec_fma(bv, vec_load(u + c), xv)));
  }
#if defined(KERNEL_AVX512)
  if ((dim - c) & 4) {
    const __m256d xv = _mm256_loadu_pd(x + c);
    _mm256_storeu_pd(out + c,
                     _mm256_fmadd_pd(_mm256_set1_pd(a), xv, _mm256_fmadd_pd(_mm256_set1_pd(b), _mm256_loadu_pd(u + c), xv)));
    c += 4;
  }
#endif
#if defined(KERNEL_AVX512) || defined(KERNEL_AVX2)
  if ((dim - c) & 2) {
    const __m128d xv = _mm_loadu_pd(x + c);
    _mm_storeu_pd(out + c, _mm_fmadd_pd(_mm_set1_pd(a), xv, _mm_fmadd_pd(_mm_set1_pd(b), _mm_loadu_pd(u + c), xv)));
    c += 2;
  }
#endif
  if (c < dim)
    out[c] = one_fma(a, x[c], one_fma(b, u[c], x[c]));
}

SIMD_INLINE void combinef(size_t dim, double a, double b, const float *x, const float *u, float *out) {
  size_t c = 0;
  const vec av = vec_all(a), bv = vec_all(b);
  for (; c + LANES <= dim; c += LANES) {
    const vec xv = vec_loadf(x + c);
    vec_storef(out + c, vec_fma(av, xv, vec_fma(bv, vec_loadf(u + c), xv)));
  }
  for (; c < dim; c++)
    out[c] = (float)one_fma(a, (double)x[c], one_fma(b, (double)u[c], (double)x[c]));
}

#define FLOAT_ROWS (sizeof(REAL) == sizeof(float))
#define REAL       double
#define NAME(x)    x
#include "simd_rows.h"

#include "simd_distance.h"
#include "simd_step.h"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##f
#include "simd_rows.h"

#include "simd_distance.h"
#include "simd_step.h"
#undef REAL
#undef NAME

#include "simd_mean.h"

#include "kernel_functions.h"

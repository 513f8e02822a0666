/* group.h - threads that work on one block together, as the sources of this folder see them: on a device the threads of a CUDA
 * block in warps of 32, on the host a single thread that is a warp of 1. All that is different between the two is here, so that
 * the code above is the same text for nvcc and for gcc, and a machine without a device can hold it to the plain loop.
 *
 * Functions named group_ are called by all threads of a group, those named warp_ by all of a warp. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__

#define WIDTH       32
#define DEVICE_CODE static __device__ __forceinline__
#define DEVICE_FAR  static __device__ __noinline__
#define WHOLE_WARP  0xFFFFFFFFu

typedef struct group {
  uint32_t thread, threads, lane, warp, warps;
  uint32_t *counts; /* shared: one for each warp, and one more */
} group;

DEVICE_CODE void group_sync(const group *g) {
  (void)g;
  __syncthreads();
}
DEVICE_CODE void warp_sync(void) { __syncwarp(); }

/* How many of the lanes below have `keep`; all of them in *total. */
DEVICE_CODE uint32_t warp_place(const group *g, bool keep, uint32_t *total) {
  const uint32_t bits = __ballot_sync(WHOLE_WARP, keep);
  *total = (uint32_t)__popc(bits);
  return (uint32_t)__popc(bits & ((1u << g->lane) - 1));
}

/* The sum of `count` over the lanes below; over all in *total. */
DEVICE_CODE uint32_t warp_before(const group *g, uint32_t count, uint32_t *total) {
  uint32_t sum = count;
  for (uint32_t d = 1; d < 32; d *= 2) {
    const uint32_t other = __shfl_up_sync(WHOLE_WARP, sum, d);
    sum += g->lane >= d ? other : 0;
  }
  *total = __shfl_sync(WHOLE_WARP, sum, 31);
  return sum - count;
}

/* The number that this thread gets if it keeps something: from *count on, in the order of threads. *count goes on. */
DEVICE_CODE uint32_t group_place(const group *g, bool keep, uint32_t *count) {
  uint32_t total, here = warp_place(g, keep, &total);
  if (g->lane == 0)
    g->counts[g->warp] = total;
  __syncthreads();
  const uint32_t before = warp_before(g, g->lane < g->warps ? g->counts[g->lane] : 0, &total);
  here += *count + __shfl_sync(WHOLE_WARP, before, (int)g->warp);
  *count += total;
  __syncthreads();
  return here;
}

/* sum + the values of the lanes that have one, one after the other. */
DEVICE_CODE double warp_add_in_order(double sum, double value, bool there) {
  for (int i = 0; i < 32; i++) {
    const double other = __shfl_sync(WHOLE_WARP, value, i);
    sum = __shfl_sync(WHOLE_WARP, (int)there, i) ? sum + other : sum;
  }
  return sum;
}

DEVICE_CODE double warp_largest_double(double a) {
  for (int half = 16; half >= 1; half /= 2) {
    const double other = __shfl_xor_sync(WHOLE_WARP, a, half);
    a = other > a ? other : a;
  }
  return a;
}

/* Lane i has the bit of thing number `first` + i: they become the word. */
DEVICE_CODE void warp_write_bits(const group *g, uint32_t *word, uint32_t first, bool bit) {
  (void)first;
  const uint32_t bits = __ballot_sync(WHOLE_WARP, bit);
  if (g->lane == 0)
    *word = bits;
}
DEVICE_CODE uint32_t first_bit(uint32_t bits) { return (uint32_t)__ffs((int)bits) - 1; }
DEVICE_CODE uint32_t count_bits(uint32_t bits) { return (uint32_t)__popc(bits); }

/* What lane i has; the nearest whole number. */
DEVICE_CODE uint32_t warp_word(uint32_t a, uint32_t i) { return __shfl_sync(WHOLE_WARP, a, (int)i); }
DEVICE_CODE int32_t whole_of(float a) { return __float2int_rn(a); }

DEVICE_CODE uint32_t swap_if(uint32_t *at, uint32_t expected, uint32_t value) { return atomicCAS(at, expected, value); }
DEVICE_CODE void lower_to(uint32_t *at, uint32_t value) { atomicMin(at, value); }
DEVICE_CODE void lower_to_long(uint64_t *at, uint64_t value) { atomicMin((unsigned long long *)at, (unsigned long long)value); }
DEVICE_CODE void or_into(uint32_t *at, uint32_t bits) { atomicOr(at, bits); }
DEVICE_CODE void and_into(uint32_t *at, uint32_t bits) { atomicAnd(at, bits); }
DEVICE_CODE uint32_t add_some(uint32_t *at, uint32_t value) { return atomicAdd(at, value); }
DEVICE_CODE uint32_t exchange(uint32_t *at, uint32_t value) { return atomicExch(at, value); }
DEVICE_CODE void add_int(int32_t *at, int32_t value) { atomicAdd(at, value); }
DEVICE_CODE void add_long(int64_t *at, int64_t value) { atomicAdd((unsigned long long *)at, (unsigned long long)value); }

#else

#include <math.h>
#include <string.h>

#define WIDTH       1
#define DEVICE_CODE static inline
#define DEVICE_FAR  static

typedef struct group {
  uint32_t thread, threads, lane, warp, warps;
} group;

DEVICE_CODE void group_sync(const group *g) { (void)g; }
DEVICE_CODE void warp_sync(void) {}

DEVICE_CODE uint32_t warp_place(const group *g, bool keep, uint32_t *total) {
  (void)g;
  *total = keep;
  return 0;
}

DEVICE_CODE uint32_t warp_before(const group *g, uint32_t count, uint32_t *total) {
  (void)g;
  *total = count;
  return 0;
}

DEVICE_CODE uint32_t group_place(const group *g, bool keep, uint32_t *count) {
  (void)g;
  *count += keep;
  return *count - keep;
}

DEVICE_CODE double warp_add_in_order(double sum, double value, bool there) { return there ? sum + value : sum; }

DEVICE_CODE double warp_largest_double(double a) { return a; }

DEVICE_CODE void warp_write_bits(const group *g, uint32_t *word, uint32_t first, bool bit) {
  (void)g;
  const uint32_t before = first % 32 ? *word & ((1u << first % 32) - 1) : 0;
  *word = before | (uint32_t)bit << first % 32;
}
DEVICE_CODE uint32_t first_bit(uint32_t bits) { return (uint32_t)__builtin_ctz(bits); }
DEVICE_CODE uint32_t count_bits(uint32_t bits) { return (uint32_t)__builtin_popcount(bits); }

DEVICE_CODE uint32_t warp_word(uint32_t a, uint32_t i) {
  (void)i;
  return a;
}
DEVICE_CODE int32_t whole_of(float a) { return (int32_t)llrintf(a); }

DEVICE_CODE uint32_t swap_if(uint32_t *at, uint32_t expected, uint32_t value) {
  const uint32_t was = *at;
  if (was == expected)
    *at = value;
  return was;
}
DEVICE_CODE void lower_to(uint32_t *at, uint32_t value) { *at = value < *at ? value : *at; }
DEVICE_CODE void lower_to_long(uint64_t *at, uint64_t value) { *at = value < *at ? value : *at; }
DEVICE_CODE void or_into(uint32_t *at, uint32_t bits) { *at |= bits; }
DEVICE_CODE void and_into(uint32_t *at, uint32_t bits) { *at &= bits; }
DEVICE_CODE uint32_t add_some(uint32_t *at, uint32_t value) {
  *at += value;
  return *at - value;
}
DEVICE_CODE uint32_t exchange(uint32_t *at, uint32_t value) {
  const uint32_t was = *at;
  *at = value;
  return was;
}
DEVICE_CODE void add_int(int32_t *at, int32_t value) { *at = (int32_t)((uint32_t)*at + (uint32_t)value); }
DEVICE_CODE void add_long(int64_t *at, int64_t value) { *at = (int64_t)((uint64_t)*at + (uint64_t)value); }

#endif

/* The first place of an ascending row from `at` on whose node is not below `least`. */
DEVICE_CODE uint64_t row_from(const uint32_t *nodes, uint64_t at, uint64_t end, uint64_t least) {
  while (at < end) {
    const uint64_t middle = at + (end - at) / 2;
    if (nodes[middle] < least)
      at = middle + 1;
    else
      end = middle;
  }
  return at;
}

DEVICE_CODE bool row_has(const uint32_t *nodes, uint64_t at, uint64_t end, uint32_t node) {
  at = row_from(nodes, at, end, node);
  return at < end && nodes[at] == node;
}

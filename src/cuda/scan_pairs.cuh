/* scan_pairs.cuh - all pairs of a screen (screen_pairs.h): a thread has some points in registers and goes through the sources
 * that its block shares. What is not beyond goes to HIT::pair(job, source, point). */
#ifndef GEODISK_CUDA_SCAN_PAIRS_CUH
#define GEODISK_CUDA_SCAN_PAIRS_CUH

#include "screen_pairs.h"

enum { SCAN_THREADS = 256, SCAN_SHARED = 64, SCAN_SOURCES = 512 };

/* Points of a thread: as many as there are registers for. */
#define SCAN_POINTS(dim) ((dim) == 0 ? 1 : (dim) <= 12 ? 4 : (dim) <= 20 ? 2 : 1)

/* For SCAN_CASE(dim): the dimensions of screen_dim. */
#define SCAN_CASES                                                                                                               \
  SCAN_CASE(2)                                                                                                                   \
  SCAN_CASE(3)                                                                                                                   \
  SCAN_CASE(4)                                                                                                                   \
  SCAN_CASE(5)                                                                                                                   \
  SCAN_CASE(6)                                                                                                                   \
  SCAN_CASE(8)                                                                                                                   \
  SCAN_CASE(10)                                                                                                                  \
  SCAN_CASE(12)                                                                                                                  \
  SCAN_CASE(16)                                                                                                                  \
  SCAN_CASE(20)                                                                                                                  \
  SCAN_CASE(24)                                                                                                                  \
  SCAN_CASE(32)

/* DIM columns, or any number if 0: then the numbers of a pair are read where they are. */
template <int DIM, class HIT>
static __global__ void __launch_bounds__(SCAN_THREADS) scan_pairs(const __grid_constant__ typename HIT::job job) {
  enum { POINTS = SCAN_POINTS(DIM), ROOM = DIM ? DIM : 1, WIDE = DIM ? (DIM + 4) / 4 * 4 : 4 };
  __shared__ float4 shared[SCAN_SHARED * WIDE / 4];
  const pair_screen *const s = &job.screen;
  const uint64_t first = (uint64_t)blockIdx.x * SCAN_THREADS * POINTS + threadIdx.x, begin = (uint64_t)blockIdx.y * SCAN_SOURCES;
  const uint64_t end = begin + SCAN_SOURCES < s->sources ? begin + SCAN_SOURCES : s->sources;
  const float margin = s->margin;
  float y[POINTS][ROOM], reach[POINTS];
  for (int p = 0; p < POINTS; p++) {
    const uint64_t j = first + (uint64_t)p * SCAN_THREADS, at = j < s->points ? j : 0;
    reach[p] = s->reach[at];
    for (int c = 0; c < DIM; c++)
      y[p][c] = s->columns[c * s->stride + at];
  }
  for (uint64_t i = begin; i < end; i += SCAN_SHARED) {
    const uint32_t count = end - i < SCAN_SHARED ? (uint32_t)(end - i) : SCAN_SHARED;
    if (DIM) {
      __syncthreads();
      const float4 *from = (const float4 *)(s->rows + i * WIDE);
      for (uint32_t k = threadIdx.x; k < count * (WIDE / 4); k += SCAN_THREADS)
        shared[k] = from[k];
      __syncthreads();
    }
    for (uint32_t a = 0; a < count; a++) {
      float x[WIDE];
      for (int c = 0; c < WIDE / 4 && DIM; c++) {
        const float4 part = shared[a * (WIDE / 4) + c];
        x[4 * c] = part.x;
        x[4 * c + 1] = part.y;
        x[4 * c + 2] = part.z;
        x[4 * c + 3] = part.w;
      }
      const float root = DIM ? x[WIDE - 1] : s->rows[(i + a) * s->width + s->width - 1];
      bool near[POINTS], any = false;
      for (int p = 0; p < POINTS; p++) {
        float sum = 0;
        for (int c = 0; c < DIM; c++) {
          const float d = y[p][c] - x[c];
          sum = fmaf(d, d, sum);
        }
        if (!DIM && first < s->points)
          sum = screen_sum(s, i + a, first);
        near[p] = !is_beyond(sum, root, reach[p], margin);
        any = any || near[p];
      }
      if (any)
        for (int p = 0; p < POINTS; p++)
          if (near[p] && first + (uint64_t)p * SCAN_THREADS < s->points)
            HIT::pair(&job, i + a, (uint32_t)(first + (uint64_t)p * SCAN_THREADS));
    }
  }
}

template <int DIM, class HIT> static void scan_of_dim(const typename HIT::job *job, cudaStream_t stream) {
  const uint64_t each = SCAN_THREADS * SCAN_POINTS(DIM);
  const dim3 grid((uint32_t)((job->screen.points + each - 1) / each),
                  (uint32_t)((job->screen.sources + SCAN_SOURCES - 1) / SCAN_SOURCES));
  scan_pairs<DIM, HIT><<<grid, SCAN_THREADS, 0, stream>>>(*job);
}

/* The kernel of the screen's dimension (screen_dim). */
template <class HIT> static void scan_all(const typename HIT::job *job, cudaStream_t stream) {
  switch (job->screen.dim) {
#define SCAN_CASE(dim)                                                                                                           \
  case dim:                                                                                                                      \
    scan_of_dim<dim, HIT>(job, stream);                                                                                          \
    break;
    SCAN_CASES
#undef SCAN_CASE
  default:
    scan_of_dim<0, HIT>(job, stream);
  }
}

#endif

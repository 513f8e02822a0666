/* rank.cu - exact ranks on a CUDA device: every source against every point (kernel/rank_device.h). A thread has two points in
 * registers and goes through the sources that its block shares; what is nearer than a source's furthest positive, which is
 * little, is counted by rank_real.h. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda_device.h"
#include "rank_job.h"

#define rank_real double
#define RANK_FMA  fma
#define NAME(x)   double_##x
#include "rank_real.h"
#undef rank_real
#undef RANK_FMA
#undef NAME
#define rank_real float
#define RANK_FMA  fmaf
#define NAME(x)   float_##x
#include "rank_real.h"
#undef rank_real
#undef RANK_FMA
#undef NAME

/* ---- kernels ---- */

enum { THREADS = 256, POINTS = 2, SHARED_SOURCES = 32, BLOCK_SOURCES = 512, MOST_DIM = 16 };

static __global__ void measure_positives(const __grid_constant__ device_ranking r) {
  group g;
  g.lane = threadIdx.x % 32;
  const uint64_t i = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (i >= r.sources)
    return;
  if (r.single)
    float_measure_source(&r, &g, i);
  else
    double_measure_source(&r, &g, i);
}

static __device__ __forceinline__ float coordinate_of(const device_ranking *r, float, uint64_t c, uint64_t j) {
  return float_coordinate(r, c, j);
}
static __device__ __forceinline__ double coordinate_of(const device_ranking *r, double, uint64_t c, uint64_t j) {
  return double_coordinate(r, c, j);
}
static __device__ __forceinline__ bool close_of(const device_ranking *r, uint64_t u, uint64_t j, float s) {
  return float_is_close(r, u, j, s);
}
static __device__ __forceinline__ bool close_of(const device_ranking *r, uint64_t u, uint64_t j, double s) {
  return double_is_close(r, u, j, s);
}
static __device__ __forceinline__ void count_of(const device_ranking *r, uint64_t i, uint64_t v, float q) {
  float_count_pair(r, i, (uint32_t)v, q);
}
static __device__ __forceinline__ void count_of(const device_ranking *r, uint64_t i, uint64_t v, double q) {
  double_count_pair(r, i, (uint32_t)v, q);
}

/* DIM columns, or any number if 0: then points are read again for each source. */
template <typename T, int DIM>
static __global__ void __launch_bounds__(THREADS) scan_pairs(const __grid_constant__ device_ranking r) {
  enum { ROOM = DIM ? DIM : 1 };
  __shared__ T x[SHARED_SOURCES][ROOM], last[SHARED_SOURCES];
  const uint64_t first = (uint64_t)blockIdx.x * THREADS * POINTS + threadIdx.x, begin = (uint64_t)blockIdx.y * BLOCK_SOURCES;
  const uint64_t end = begin + BLOCK_SOURCES < r.sources ? begin + BLOCK_SOURCES : r.sources;
  T y[POINTS][ROOM], w[POINTS];
  const T near = (T)(2.0 * r.near_square);
  for (int p = 0; p < POINTS; p++) {
    const uint64_t j = first + (uint64_t)p * THREADS, at = j < r.nodes ? j : 0;
    w[p] = ((const T *)r.weights)[at];
    for (int c = 0; c < DIM; c++)
      y[p][c] = coordinate_of(&r, T(), (uint64_t)c, at);
  }
  for (uint64_t i = begin; i < end; i += SHARED_SOURCES) {
    const uint32_t count = end - i < SHARED_SOURCES ? (uint32_t)(end - i) : SHARED_SOURCES;
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < count * ROOM; k += THREADS) {
      const uint32_t s = k / ROOM, c = k % ROOM;
      if (DIM)
        x[s][c] = coordinate_of(&r, T(), c, r.node[i + s]);
      if (c == 0)
        last[s] = ((const T *)r.last)[i + s];
    }
    __syncthreads();
    for (uint32_t s = 0; s < count; s++)
      for (int p = 0; p < POINTS; p++) {
        const uint64_t j = first + (uint64_t)p * THREADS;
        T sum = 0;
        for (int c = 0; c < DIM; c++) {
          const T d = y[p][c] - x[s][c];
          sum = fma(d, d, sum);
        }
        if (!DIM && j < r.nodes)
          for (uint64_t c = 0; c < r.dim; c++) {
            const T d = coordinate_of(&r, T(), c, j) - coordinate_of(&r, T(), c, r.node[i + s]);
            sum = fma(d, d, sum);
          }
        const T q = sum * w[p];
        if (j < r.nodes && (q < last[s] || sum <= near)) {
          if (close_of(&r, r.node[i + s], j, sum))
            r.close[i + s] = 1;
          if (q < last[s])
            count_of(&r, i + s, j, q);
        }
      }
  }
}

/* The last threshold of each source. */
static __global__ void take_last(const __grid_constant__ device_ranking r) {
  const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= r.sources)
    return;
  const uint64_t at = 2 * r.start[i] + r.used[i] - 1;
  if (r.single)
    ((float *)r.last)[i] = ((const float *)r.thresholds)[at];
  else
    ((double *)r.last)[i] = ((const double *)r.thresholds)[at];
}

/* ---- the table ---- */

enum { MOST_PARTS = 16 };

typedef struct cuda_ranking {
  device_ranking r;
  cudaStream_t stream;
  void *parts[MOST_PARTS];
  int count;
  uint64_t pairs;
  size_t number;
} cuda_ranking;

#define TRY(call, what)                                                                                                          \
  do {                                                                                                                           \
    const geodisk_status tried = cuda_status((call), what, why);                                                                 \
    if (tried != GEODISK_OK)                                                                                                     \
      return tried;                                                                                                              \
  } while (0)

static void close_ranking(void *own) {
  cuda_ranking *c = (cuda_ranking *)own;
  if (c->stream)
    cudaStreamSynchronize(c->stream);
  for (int i = 0; i < c->count; i++)
    cudaFree(c->parts[i]);
  if (c->stream)
    cudaStreamDestroy(c->stream);
  free(c);
}

static geodisk_status reserve(cuda_ranking *c, size_t bytes, void **out, char *why) {
  TRY(cuda_reserve(bytes, out), "memory for a ranking");
  c->parts[c->count++] = *out;
  return GEODISK_OK;
}

static geodisk_status take(cuda_ranking *c, const void *from, size_t bytes, const void **out, char *why) {
  void *there = nullptr;
  const geodisk_status st = reserve(c, bytes, &there, why);
  if (st != GEODISK_OK)
    return st;
  TRY(cudaMemcpyAsync(there, from, bytes, cudaMemcpyHostToDevice, c->stream), "copying points");
  *out = there;
  return GEODISK_OK;
}

static geodisk_status start(cuda_ranking *c, const rank_points *p, const rank_sources *s, char *why) {
  device_ranking *r = &c->r;
  geodisk_status st = GEODISK_OK;
  TRY(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking), "a stream");
  c->number = p->single ? sizeof(float) : sizeof(double);
  c->pairs = s->start[s->count];
  const size_t group_points = RANK_GROUP_BYTES / c->number, whole = (p->nodes + group_points - 1) / group_points * group_points;
  r->nodes = p->nodes;
  r->dim = p->dim;
  r->sources = s->count;
  r->near_square = p->near_square;
  r->single = p->single;
  r->itself = s->itself;
#define TAKE(what, from, bytes) (st == GEODISK_OK ? (st = take(c, (from), (bytes), (const void **)&(what), why)) : st)
  TAKE(r->tiles, p->tiles, whole * p->dim * c->number);
  TAKE(r->weights, p->weights, whole * c->number);
  TAKE(r->node, s->node, s->count * sizeof *s->node);
  TAKE(r->start, s->start, (s->count + 1) * sizeof *s->start);
  TAKE(r->offsets, s->offsets, (p->nodes + 1) * sizeof *s->offsets);
  TAKE(r->targets, s->targets, s->offsets[p->nodes] * sizeof *s->targets);
  if (s->known_offsets) {
    TAKE(r->known_offsets, s->known_offsets, (p->nodes + 1) * sizeof *s->known_offsets);
    TAKE(r->known, s->known, s->known_offsets[p->nodes] * sizeof *s->known);
  }
#undef TAKE
#define RESERVE(what, bytes) (st == GEODISK_OK ? (st = reserve(c, (bytes), (void **)&(what), why)) : st)
  RESERVE(r->nearness, c->pairs * c->number);
  RESERVE(r->thresholds, 2 * c->pairs * c->number);
  RESERVE(r->hist, 2 * c->pairs * sizeof(uint32_t));
  RESERVE(r->close, s->count * sizeof(uint32_t));
  RESERVE(r->last, s->count * c->number);
  RESERVE(r->used, s->count * sizeof(uint64_t));
#undef RESERVE
  if (st != GEODISK_OK)
    return st;
  TRY(cudaMemsetAsync(r->hist, 0, 2 * c->pairs * sizeof(uint32_t), c->stream), "clearing counts");
  TRY(cudaMemsetAsync(r->close, 0, s->count * sizeof(uint32_t), c->stream), "clearing counts");
  return GEODISK_OK;
}

static geodisk_status open_ranking(const rank_points *points, const rank_sources *sources, void **out, char why[DEVICE_TEXT]) {
  cuda_ranking *c = (cuda_ranking *)calloc(1, sizeof *c);
  if (!c)
    return GEODISK_ERROR_MEMORY;
  const geodisk_status st = start(c, points, sources, why);
  if (st == GEODISK_OK)
    *out = c;
  else
    close_ranking(c);
  return st;
}

/* Marks of the device to those of the caller. */
static geodisk_status get_close(cuda_ranking *c, uint8_t *close, char *why) {
  uint32_t *marks = (uint32_t *)malloc(c->r.sources * sizeof *marks);
  if (!marks) {
    snprintf(why, DEVICE_TEXT, "out of memory for the ranking");
    return GEODISK_ERROR_MEMORY;
  }
  const geodisk_status st =
      cuda_status(cudaMemcpy(marks, c->r.close, c->r.sources * sizeof *marks, cudaMemcpyDeviceToHost), "ranking", why);
  for (uint64_t i = 0; i < c->r.sources && st == GEODISK_OK; i++)
    close[i] = marks[i] != 0;
  free(marks);
  return st;
}

static geodisk_status measure(void *own, void *nearness, uint8_t *close, char why[DEVICE_TEXT]) {
  cuda_ranking *c = (cuda_ranking *)own;
  measure_positives<<<(uint32_t)((c->r.sources + 7) / 8), THREADS, 0, c->stream>>>(c->r);
  TRY(cudaGetLastError(), "starting a kernel");
  TRY(cudaMemcpyAsync(nearness, c->r.nearness, c->pairs * c->number, cudaMemcpyDeviceToHost, c->stream), "ranking");
  TRY(cudaStreamSynchronize(c->stream), "ranking");
  return get_close(c, close, why);
}

template <typename T> static void scan_all(const device_ranking *r, cudaStream_t stream) {
  const dim3 grid((uint32_t)((r->nodes + THREADS * POINTS - 1) / (THREADS * POINTS)),
                  (uint32_t)((r->sources + BLOCK_SOURCES - 1) / BLOCK_SOURCES));
  switch (r->dim) {
  case 2:
    scan_pairs<T, 2><<<grid, THREADS, 0, stream>>>(*r);
    break;
  case 5:
    scan_pairs<T, 5><<<grid, THREADS, 0, stream>>>(*r);
    break;
  case 10:
    scan_pairs<T, 10><<<grid, THREADS, 0, stream>>>(*r);
    break;
  default:
    scan_pairs<T, 0><<<grid, THREADS, 0, stream>>>(*r);
  }
}

static geodisk_status scan(void *own, const void *thresholds, const size_t *used, uint32_t *hist, uint8_t *close,
                           char why[DEVICE_TEXT]) {
  cuda_ranking *c = (cuda_ranking *)own;
  device_ranking *r = &c->r;
  TRY(cudaMemcpyAsync(r->thresholds, thresholds, 2 * c->pairs * c->number, cudaMemcpyHostToDevice, c->stream),
      "copying thresholds");
  TRY(cudaMemcpyAsync((void *)r->used, used, r->sources * sizeof *used, cudaMemcpyHostToDevice, c->stream), "copying thresholds");
  take_last<<<(uint32_t)((r->sources + THREADS - 1) / THREADS), THREADS, 0, c->stream>>>(*r);
  if (r->single)
    scan_all<float>(r, c->stream);
  else
    scan_all<double>(r, c->stream);
  TRY(cudaGetLastError(), "starting a kernel");
  TRY(cudaMemcpyAsync(hist, r->hist, 2 * c->pairs * sizeof *hist, cudaMemcpyDeviceToHost, c->stream), "ranking");
  TRY(cudaStreamSynchronize(c->stream), "ranking");
  return get_close(c, close, why);
}

extern "C" const rank_device cuda_rank;
const rank_device cuda_rank = {open_ranking, measure, scan, close_ranking};

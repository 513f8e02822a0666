/* nearest.cu - searches on a CUDA device (kernel/rank_device.h): the kernels around near_job.h. Points stay there while an index
 * is open; questions come in pieces. */
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cuda_device.h"
#include "near_job.h"
#include "scan_pairs.cuh"

/* ---- kernels ---- */

enum { THREADS = 256, SHARED_POINTS = 64, BUCKETS_OF_BLOCK = 8, PIECE = 1 << 17 };

static __global__ void prepare_points(const __grid_constant__ near_job j) {
  const uint64_t p = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (p < j.nodes)
    near_prepare_point(&j, p);
}

static __global__ void prepare_questions(const __grid_constant__ near_job j) {
  const uint64_t q = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (q < j.screen.sources)
    near_prepare_question(&j, q);
}

/* A thread of find_nearest: some questions, and numbers of a point's row. */
template <int DIM> struct asked {
  enum { OWN = SCAN_POINTS(DIM), ROOM = DIM ? DIM : 1, WIDE = DIM ? (DIM + 4) / 4 * 4 : 4 };
  float x[OWN][ROOM];
};

/* near_bucket for the questions of a thread, the points shared by its block. */
template <int DIM>
static __device__ __forceinline__ void find_in_bucket(const near_job *j, uint64_t first, uint32_t bucket, const asked<DIM> &of,
                                                      float4 *shared) {
  enum { OWN = asked<DIM>::OWN, WIDE = asked<DIM>::WIDE };
  const uint64_t sources = j->screen.sources, count = (j->nodes + NEAR_BUCKETS - 1 - bucket) / NEAR_BUCKETS;
  float best[OWN];
  int32_t who[OWN];
  for (int o = 0; o < OWN; o++) {
    best[o] = INFINITY;
    who[o] = NEAR_NONE;
  }
  for (uint64_t base = 0; base < count; base += SHARED_POINTS) {
    const uint32_t some = count - base < SHARED_POINTS ? (uint32_t)(count - base) : SHARED_POINTS;
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < some * (WIDE / 4); k += THREADS)
      shared[k] = ((const float4 *)(j->rows + ((base + k / (WIDE / 4)) * NEAR_BUCKETS + bucket) * WIDE))[k % (WIDE / 4)];
    __syncthreads();
    for (uint32_t a = 0; a < some; a++) {
      float y[WIDE];
      for (int c = 0; c < WIDE / 4; c++) {
        const float4 part = shared[a * (WIDE / 4) + c];
        y[4 * c] = part.x;
        y[4 * c + 1] = part.y;
        y[4 * c + 2] = part.z;
        y[4 * c + 3] = part.w;
      }
      const int32_t point = (int32_t)((base + a) * NEAR_BUCKETS + bucket);
      for (int o = 0; o < OWN; o++) {
        float sum = 0;
        for (int c = 0; c < DIM; c++) {
          const float d = y[c] - of.x[o][c];
          sum = fmaf(d, d, sum);
        }
        const float key = sum * y[WIDE - 1];
        who[o] = key < best[o] ? point : who[o];
        best[o] = key < best[o] ? key : best[o];
      }
    }
  }
  for (int o = 0; o < OWN; o++) {
    const uint64_t q = first + (uint64_t)o * THREADS;
    if (q < sources) {
      j->key[bucket * sources + q] = best[o];
      j->nearest[bucket * sources + q] = who[o];
    }
  }
}

/* The points of a few buckets. DIM 0: any number of columns. */
template <int DIM> static __global__ void __launch_bounds__(THREADS) find_nearest(const __grid_constant__ near_job j) {
  const uint64_t first = (uint64_t)blockIdx.x * THREADS * SCAN_POINTS(DIM) + threadIdx.x;
  const uint32_t begin = blockIdx.y * BUCKETS_OF_BLOCK, end = begin + BUCKETS_OF_BLOCK;
  if constexpr (DIM == 0) {
    for (uint32_t bucket = begin; bucket < end && first < j.screen.sources; bucket++)
      near_bucket(&j, first, bucket);
  } else {
    __shared__ float4 shared[SHARED_POINTS * asked<DIM>::WIDE / 4];
    asked<DIM> of;
    for (int o = 0; o < asked<DIM>::OWN; o++) {
      const uint64_t q = first + (uint64_t)o * THREADS, at = q < j.screen.sources ? q : 0;
      for (int c = 0; c < DIM; c++)
        of.x[o][c] = j.screen.rows[at * asked<DIM>::WIDE + c];
    }
    for (uint32_t bucket = begin; bucket < end; bucket++)
      find_in_bucket<DIM>(&j, first, bucket, of, shared);
  }
}

/* A warp for each question. */
static __global__ void bound_questions(const __grid_constant__ near_job j) {
  const uint64_t q = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
  group g = {};
  g.lane = threadIdx.x % 32;
  if (q < j.screen.sources)
    near_bound(&j, &g, q);
}

struct near_hit {
  typedef near_job job;
  static __device__ __forceinline__ void pair(const near_job *j, uint64_t q, uint32_t point) { near_collect(j, q, point); }
};

static __global__ void settle_questions(const __grid_constant__ near_job j) {
  const uint64_t q = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
  group g = {};
  g.lane = threadIdx.x % 32;
  if (q < j.screen.sources)
    near_settle(&j, &g, q);
}

template <int DIM> static void find_of_dim(const near_job *j, cudaStream_t stream) {
  const uint64_t each = THREADS * SCAN_POINTS(DIM);
  const dim3 grid((uint32_t)((j->screen.sources + each - 1) / each), NEAR_BUCKETS / BUCKETS_OF_BLOCK);
  find_nearest<DIM><<<grid, THREADS, 0, stream>>>(*j);
}

static void find_all(const near_job *j, cudaStream_t stream) {
  switch (j->screen.dim) {
#define SCAN_CASE(dim)                                                                                                           \
  case dim:                                                                                                                      \
    find_of_dim<dim>(j, stream);                                                                                                 \
    break;
    SCAN_CASES
#undef SCAN_CASE
  default:
    find_of_dim<0>(j, stream);
  }
}

/* ---- the table ---- */

typedef struct cuda_near {
  near_job job;   /* with the points */
  double largest; /* coordinate */
  cuda_arena arena;
} cuda_near;

static void near_close(void *own) {
  cuda_near *c = (cuda_near *)own;
  arena_close(&c->arena);
  free(c);
}

static double largest_of(const double *x, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; i++)
    most = fabs(x[i]) > most ? fabs(x[i]) : most;
  return most;
}

static geodisk_status open_points(cuda_near *c, const near_points *p, char *why) {
  near_job *j = &c->job;
  pair_screen *s = &j->screen;
  j->nodes = s->points = s->stride = p->nodes;
  j->dim = p->dim;
  near_set_ball(j, p);
  j->heaviest = largest_of(p->weights, p->nodes);
  c->largest = largest_of(p->x, p->nodes * p->dim);
  s->dim = screen_dim(p->dim);
  s->width = screen_width(s->dim);
  const cuda_part parts[] = {
      {&j->points, p->nodes * p->dim * sizeof *p->x, PART_COPY, p->x},
      {&j->gap, p->nodes * sizeof *p->gap, PART_COPY, p->gap},
      {&j->weights, p->nodes * sizeof *p->weights, PART_COPY, p->weights},
      {&j->rows, p->nodes * s->width * sizeof(float), PART_ROOM, nullptr},
      {&s->columns, s->dim * s->stride * sizeof(float), PART_ROOM, nullptr},
      {&s->reach, p->nodes * sizeof(float), PART_ROOM, nullptr},
  };
  const geodisk_status st =
      arena_open(&c->arena, parts, sizeof parts / sizeof parts[0], "a search, for its points,", why);
  if (st != GEODISK_OK)
    return st;
  prepare_points<<<(uint32_t)((p->nodes + THREADS - 1) / THREADS), THREADS, 0, c->arena.stream>>>(*j);
  TRY(cudaGetLastError(), "starting a kernel");
  TRY(cudaStreamSynchronize(c->arena.stream), "copying points");
  return GEODISK_OK;
}

static geodisk_status near_open(const near_points *points, void **out, char why[DEVICE_TEXT]) {
  cuda_near *c = (cuda_near *)calloc(1, sizeof *c);
  if (!c) {
    snprintf(why, DEVICE_TEXT, "out of memory");
    return GEODISK_ERROR_MEMORY;
  }
  const geodisk_status st = open_points(c, points, why);
  if (st == GEODISK_OK)
    *out = c;
  else
    near_close(c);
  return st;
}

/* Questions first .. first + n - 1. */
static geodisk_status ask_some(const cuda_near *c, const near_questions *q, size_t first, size_t n, cuda_arena *arena,
                               near_answer *out, uint32_t *found, char *why) {
  near_job job = c->job, *j = &job;
  pair_screen *s = &j->screen;
  const double largest = largest_of(q->x + first * j->dim, n * j->dim);
  j->k = q->k;
  j->relative = q->relative;
  s->sources = n;
  s->margin = screen_margin(j->dim, largest > c->largest ? largest : c->largest, 0.0);
  const cuda_part parts[] = {
      {&j->x, n * j->dim * sizeof *q->x, PART_COPY, q->x + first * j->dim},
      {&j->x_gap, n * sizeof *q->gap, PART_COPY, q->gap + first},
      {&j->slack, n * sizeof *q->slack, PART_COPY, q->slack + first},
      {&j->self, n * sizeof *q->self, PART_COPY, q->self + first},
      {&j->count, n * sizeof *j->count, PART_ZERO, nullptr},
      {&s->rows, n * s->width * sizeof(float), PART_ROOM, nullptr},
      {&j->key, NEAR_BUCKETS * n * sizeof *j->key, PART_ROOM, nullptr},
      {&j->nearest, NEAR_BUCKETS * n * sizeof *j->nearest, PART_ROOM, nullptr},
      {&j->limit, n * sizeof *j->limit, PART_ROOM, nullptr},
      {&j->who, n * NEAR_COLLECTED * sizeof *j->who, PART_ROOM, nullptr},
      {&j->product, n * NEAR_COLLECTED * sizeof *j->product, PART_ROOM, nullptr},
      {&j->out, n * q->k * sizeof *j->out, PART_ZERO, nullptr},
      {&j->found, n * sizeof *j->found, PART_ROOM, nullptr},
  };
  const geodisk_status st = arena_open(arena, parts, sizeof parts / sizeof parts[0], "a search", why);
  if (st != GEODISK_OK)
    return st;
  cudaStream_t stream = arena->stream;
  const uint32_t warps = (uint32_t)((n + THREADS / 32 - 1) / (THREADS / 32));
  prepare_questions<<<(uint32_t)((n + THREADS - 1) / THREADS), THREADS, 0, stream>>>(*j);
  find_all(j, stream);
  bound_questions<<<warps, THREADS, 0, stream>>>(*j);
  scan_all<near_hit>(j, stream);
  settle_questions<<<warps, THREADS, 0, stream>>>(*j);
  TRY(cudaGetLastError(), "starting a kernel");
  TRY(cudaMemcpyAsync(out + first * q->k, j->out, n * q->k * sizeof *out, cudaMemcpyDeviceToHost, stream), "searching");
  TRY(cudaMemcpyAsync(found + first, j->found, n * sizeof *found, cudaMemcpyDeviceToHost, stream), "searching");
  TRY(cudaStreamSynchronize(stream), "searching");
  return GEODISK_OK;
}

static geodisk_status near_ask(const void *own, const near_questions *questions, near_answer *out, uint32_t *found,
                               char why[DEVICE_TEXT]) {
  geodisk_status st = GEODISK_OK;
  for (size_t first = 0; first < questions->count && st == GEODISK_OK; first += PIECE) {
    const size_t left = questions->count - first;
    cuda_arena arena = {};
    st = ask_some((const cuda_near *)own, questions, first, left < PIECE ? left : PIECE, &arena, out, found, why);
    arena_close(&arena);
  }
  return st;
}

extern "C" const near_device cuda_nearest;
const near_device cuda_nearest = {near_open, near_ask, near_close};

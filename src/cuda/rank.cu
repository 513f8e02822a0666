/* rank.cu - exact ranks on a CUDA device (kernel/rank_device.h): positives are measured and sorted, every source is held against
 * every point (scan_pairs.cuh), and counts become figures, all there; the host gets the figures. */
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cuda_device.h"
#include "rank_job.h"
#include "scan_pairs.cuh"

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

enum { THREADS = 256 };

/* The function of the type of the numbers. */
#define EITHER(r, name, ...) ((r).single ? float_##name(&(r), __VA_ARGS__) : double_##name(&(r), __VA_ARGS__))

/* A warp for each source. */
static __global__ void measure_sources(const __grid_constant__ device_ranking r) {
  const uint64_t i = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
  group g = {};
  g.lane = threadIdx.x % 32;
  if (i >= r.sources)
    return;
  EITHER(r, measure_source, &g, i);
  EITHER(r, sort_source, &g, i);
}

static __global__ void prepare_points(const __grid_constant__ device_ranking r) {
  const uint64_t j = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (j < r.nodes)
    EITHER(r, prepare_point, j);
}

static __global__ void prepare_sources(const __grid_constant__ device_ranking r) {
  const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < r.sources)
    EITHER(r, prepare_source, i);
}

struct rank_hit {
  typedef device_ranking job;
  static __device__ __forceinline__ void pair(const device_ranking *r, uint64_t i, uint32_t v) { EITHER(*r, count_pair, i, v); }
};

/* A thread for each source and part: all threads of a warp look at the same point. */
static __global__ void sum_sources(const __grid_constant__ device_ranking r) {
  const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < r.sources)
    EITHER(r, sum_some, i, blockIdx.y);
}

static __global__ void score_sources(const __grid_constant__ device_ranking r) {
  const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < r.sources)
    EITHER(r, score_source, i);
}

/* ---- the table ---- */

typedef struct cuda_ranking {
  device_ranking r;
  cuda_arena arena;
} cuda_ranking;

/* Where the positives of each source begin; NULL: out of memory. */
static uint64_t *find_starts(const rank_sources *s) {
  uint64_t *start = (uint64_t *)malloc((s->count + 1) * sizeof *start), sum = 0;
  for (size_t i = 0; start && i < s->count; i++) {
    start[i] = sum;
    sum += s->offsets[s->node[i] + 1] - s->offsets[s->node[i]];
  }
  if (start)
    start[s->count] = sum;
  return start;
}

static geodisk_status open_ranking(cuda_ranking *c, const rank_points *p, const rank_sources *s, const uint64_t *start,
                                   char *why) {
  device_ranking *r = &c->r;
  pair_screen *screen = &r->screen;
  const size_t number = p->single ? sizeof(float) : sizeof(double), group_points = RANK_GROUP_BYTES / number;
  const size_t whole = (p->nodes + group_points - 1) / group_points * group_points, pairs = start[s->count];
  r->nodes = screen->points = p->nodes;
  r->sources = screen->sources = s->count;
  r->dim = p->dim;
  r->near_square = p->near_square;
  r->single = p->single;
  r->gensim = s->gensim;
  r->scale = s->scale;
  r->kind = s->kind;
  r->unit = s->unit;
  cut_sums(r);
  screen->dim = screen_dim(p->dim);
  screen->width = screen_width(screen->dim);
  screen->stride = p->nodes;
  screen->margin = screen_margin(p->dim, 1.0, sqrt(2.0 * p->near_square)); /* they are inside the unit ball */
  const cuda_part parts[] = {
      {&r->tiles, whole * p->dim * number, PART_COPY, p->tiles},
      {&r->weights, whole * number, PART_COPY, p->weights},
      {&r->node, s->count * sizeof *s->node, PART_COPY, s->node},
      {&r->start, (s->count + 1) * sizeof *start, PART_COPY, start},
      {&r->offsets, (p->nodes + 1) * sizeof *s->offsets, PART_COPY, s->offsets},
      {&r->targets, s->offsets[p->nodes] * sizeof *s->targets, PART_COPY, s->targets},
      {&r->hist, 2 * pairs * sizeof *r->hist, PART_ZERO, nullptr},
      {&r->close, s->count * sizeof *r->close, PART_ZERO, nullptr},
      {&r->nearness, 2 * pairs * number, PART_ROOM, nullptr},
      {&r->thresholds, 2 * pairs * number, PART_ROOM, nullptr},
      {&r->used, s->count * sizeof *r->used, PART_ROOM, nullptr},
      {&r->out, s->count * sizeof *r->out, PART_ROOM, nullptr},
      {&screen->columns, screen->dim * screen->stride * sizeof(float), PART_ROOM, nullptr},
      {&screen->reach, p->nodes * sizeof(float), PART_ROOM, nullptr},
      {&screen->rows, s->count * screen->width * sizeof(float), PART_ROOM, nullptr},
      {&r->part, r->parts * s->count * sizeof *r->part, PART_ROOM, nullptr},
      {&r->scale, r->parts ? s->count * sizeof *s->scale : 0, PART_COPY, s->scale},
      {&r->known_offsets, (p->nodes + 1) * sizeof *s->known_offsets, PART_COPY, s->known_offsets},
      {&r->known, s->known_offsets ? s->known_offsets[p->nodes] * sizeof *s->known : 0, PART_COPY, s->known},
  };
  const size_t count = sizeof parts / sizeof parts[0] - (s->known_offsets ? 0 : 2);
  return arena_open(&c->arena, parts, count, "a ranking", why);
}

static geodisk_status run_ranking(cuda_ranking *c, rank_record *out, uint8_t *close, char *why) {
  const device_ranking *r = &c->r;
  cudaStream_t stream = c->arena.stream;
  const uint32_t sources = (uint32_t)((r->sources + THREADS - 1) / THREADS);
  measure_sources<<<(uint32_t)((r->sources + THREADS / 32 - 1) / (THREADS / 32)), THREADS, 0, stream>>>(*r);
  prepare_points<<<(uint32_t)((r->nodes + THREADS - 1) / THREADS), THREADS, 0, stream>>>(*r);
  prepare_sources<<<sources, THREADS, 0, stream>>>(*r);
  scan_all<rank_hit>(r, stream);
  if (r->parts)
    sum_sources<<<dim3(sources, (uint32_t)r->parts), THREADS, 0, stream>>>(*r);
  score_sources<<<sources, THREADS, 0, stream>>>(*r);
  TRY(cudaGetLastError(), "starting a kernel");
  TRY(cudaMemcpyAsync(out, r->out, r->sources * sizeof *out, cudaMemcpyDeviceToHost, stream), "ranking");
  TRY(cudaMemcpyAsync(close, r->close, r->sources * sizeof *close, cudaMemcpyDeviceToHost, stream), "ranking");
  TRY(cudaStreamSynchronize(stream), "ranking");
  return GEODISK_OK;
}

static geodisk_status rank_sources_all(const rank_points *points, const rank_sources *sources, rank_record *out, uint8_t *close,
                                       char why[DEVICE_TEXT]) {
  cuda_ranking c = {};
  uint64_t *start = find_starts(sources);
  if (!start) {
    snprintf(why, DEVICE_TEXT, "out of memory for the ranking");
    return GEODISK_ERROR_MEMORY;
  }
  geodisk_status st = open_ranking(&c, points, sources, start, why);
  if (st == GEODISK_OK)
    st = run_ranking(&c, out, close, why);
  arena_close(&c.arena);
  free(start);
  return st;
}

extern "C" const rank_device cuda_rank;
const rank_device cuda_rank = {rank_sources_all};

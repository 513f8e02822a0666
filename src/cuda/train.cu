/* train.cu - training on a CUDA device: the kernels around unit_real.h, and the table that the trainer calls
 * (embed/trainer_device.h).
 *
 * Graph, points and sums stay on the device. An epoch is two kernels for each batch, the pulls of its blocks and the steps of the
 * rows that were pulled, and two for its end; the host queues them all and waits once. */
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cuda_device.h"
#include "draw_block.h"
#include "embed/trainer_device.h"
#include "train_memory.h"

#define TRAIN_SINGLE 1
#include "kernel/train_constants.h"
#define NAME(x) float_##x
#include "unit_real.h"
#undef NAME
#undef TRAIN_SINGLE
#define TRAIN_SINGLE 0
#include "kernel/train_constants.h"
#define NAME(x) double_##x
#include "unit_real.h"
#undef NAME

/* ---- kernels ---- */

enum { MOST_THREADS = 1024, USUAL_THREADS = 512, MOVE_THREADS = 128, END_THREADS = 256 };

static __device__ __forceinline__ group group_here(block_shared *s) {
  group g;
  g.thread = threadIdx.x;
  g.threads = blockDim.x;
  g.lane = threadIdx.x % 32;
  g.warp = threadIdx.x / 32;
  g.warps = blockDim.x / 32;
  g.counts = s ? s->counts : nullptr;
  return g;
}

/* Something went wrong in a batch before this one. */
static __device__ __forceinline__ bool is_over(const device_job *j, uint64_t batch) {
  return j->tally->bad_pulls < batch || j->tally->bad_moves < batch;
}

template <bool single>
static __global__ void __launch_bounds__(MOST_THREADS, 1) pull_blocks(const __grid_constant__ device_job j, uint64_t batch) {
  extern __shared__ double shared[];
  block_shared *s = (block_shared *)shared;
  const group g = group_here(s);
  const uint64_t blocks = (j.plan.blocks + j.plan.batches - 1) / j.plan.batches;
  if (is_over(&j, batch))
    return;
  for (uint64_t i = blockIdx.x; i < blocks; i += gridDim.x) {
    const uint64_t block = block_of(&j, batch, i);
    if (block == UINT64_MAX)
      continue;
    if (single)
      float_block(&j, &g, batch, block, s, j.room + blockIdx.x * j.room_bytes);
    else
      double_block(&j, &g, batch, block, s, j.room + blockIdx.x * j.room_bytes);
  }
}

template <bool single> static __global__ void move_rows(const __grid_constant__ device_job j, uint64_t batch) {
  if (j.tally->bad_pulls <= batch || j.tally->bad_moves < batch)
    return;
  const uint32_t count = j.listed[batch];
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    if (single)
      float_step(&j, j.list[i], batch);
    else
      double_step(&j, j.list[i], batch);
}

static __global__ void measure_radii(const __grid_constant__ device_job j) {
  uint64_t sum = 0;
  bool unbounded = false;
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < j.nodes; i += (uint64_t)gridDim.x * blockDim.x) {
    const uint64_t radius = j.single ? float_radius(&j, i) : double_radius(&j, i);
    unbounded = unbounded || radius == UINT64_MAX;
    sum += radius;
  }
  for (int half = 16; half >= 1; half /= 2)
    sum += __shfl_xor_sync(WHOLE_WARP, (unsigned long long)sum, half);
  if (threadIdx.x % 32 == 0)
    add_long(&j.tally->radii, (int64_t)sum);
  if (unbounded)
    or_into(&j.tally->unbounded, 1);
}

static __global__ void measure_sample(const __grid_constant__ device_job j) {
  const group g = group_here(nullptr);
  const uint64_t edge = (uint64_t)blockIdx.x * g.warps + g.warp;
  if (edge >= j.sampled)
    return;
  const double loss = j.single ? float_sample_loss(&j, &g, edge) : double_sample_loss(&j, &g, edge);
  if (g.lane == 0)
    j.losses[edge] = loss;
}

/* ---- memory ---- */

enum { MOST_PARTS = 24 };

typedef struct cuda_trainer {
  device_job job;
  cudaStream_t stream;
  void *parts[MOST_PARTS];
  int count;
  uint32_t targets, comb_far, comb_inner, mark;
  uint64_t batches_room, room_size;
  uint64_t planned_groups, planned_shared; /* how many groups run at once, with so much shared memory and so many threads */
  uint32_t planned_threads;
  uint32_t *comb;
  void *room;
  double *losses;      /* of the host, pinned */
  device_tally *tally; /* too */
  int processors, device;
  void *lent[2]; /* arrays of the host that the device reads */
  int lents;
  void *aside; /* points that were set aside, on the device */
  cudaStream_t copier;
  cudaEvent_t set_aside;
} cuda_trainer;

static geodisk_status reserve(cuda_trainer *c, size_t bytes, void **out, char *why) {
  TRY(cuda_reserve(bytes, out), "memory for the graph and its points");
  c->parts[c->count++] = *out;
  return GEODISK_OK;
}

/* An array of the host, copied to the device; NULL stays NULL. */
template <typename T> static geodisk_status take(cuda_trainer *c, const T **at, size_t count, char *why) {
  void *there = nullptr;
  if (!*at || count == 0) {
    *at = nullptr;
    return GEODISK_OK;
  }
  const geodisk_status st = reserve(c, count * sizeof(T), &there, why);
  if (st != GEODISK_OK)
    return st;
  TRY(cudaMemcpyAsync(there, *at, count * sizeof(T), cudaMemcpyHostToDevice, c->stream), "copying the graph");
  *at = (const T *)there;
  return GEODISK_OK;
}

static void destroy(void *own) {
  cuda_trainer *c = (cuda_trainer *)own;
  if (!c)
    return;
  if (c->stream)
    cudaStreamSynchronize(c->stream);
  for (int i = 0; i < c->count; i++)
    cudaFree(c->parts[i]);
  cudaFree(c->comb);
  cudaFree(c->room);
  cudaFree(c->job.listed);
  cudaFreeHost(c->losses);
  cudaFreeHost(c->tally);
  for (int i = 0; i < c->lents; i++)
    cudaHostUnregister(c->lent[i]);
  cudaFree(c->aside);
  if (c->set_aside)
    cudaEventDestroy(c->set_aside);
  if (c->copier)
    cudaStreamDestroy(c->copier);
  if (c->stream)
    cudaStreamDestroy(c->stream);
  free(c);
}

/* An array that stays where it is, in the host's memory, and is read from there; it is the caller's. */
template <typename T> static geodisk_status lend(cuda_trainer *c, const T **at, size_t count, char *why) {
  void *here = (void *)(uintptr_t)*at, *there = nullptr;
  if (!here || count == 0) {
    *at = nullptr;
    return GEODISK_OK;
  }
  TRY(cudaHostRegister(here, count * sizeof(T), cudaHostRegisterMapped), "lending the host's memory");
  c->lent[c->lents++] = here;
  TRY(cudaHostGetDevicePointer(&there, here, 0), "lending the host's memory");
  *at = (const T *)there;
  return GEODISK_OK;
}

template <typename T> static geodisk_status bring(cuda_trainer *c, edges_place edges, const T **at, size_t count, char *why) {
  return edges == EDGES_ON_HOST ? lend(c, at, count, why) : take(c, at, count, why);
}

static geodisk_status take_all(cuda_trainer *c, const geodisk_trainer *t, edges_place edges, char *why) {
  device_job *j = &c->job;
  const size_t n = t->nodes, degree_blocks = (n + DEGREE_BLOCK - 1) / DEGREE_BLOCK, width = (size_t)t->options.dim + 1;
  fill_job(t, j);
  geodisk_status st = bring(c, edges, &j->targets, t->edges, why);
  if (st == GEODISK_OK)
    st = bring(c, edges, &j->weights, t->edges, why);
#define TAKE(what, number) (st == GEODISK_OK ? (st = take(c, &(what), (number), why)) : st)
  TAKE(j->offsets, n + 1);
  TAKE(j->order, n);
  TAKE(j->place, n);
  TAKE(j->guide, t->edges / GUIDE_STEP + 2);
  TAKE(j->inner, t->inners);
  TAKE(j->extra, t->extras);
  TAKE(j->sample, j->sampled * SAMPLE_NODES);
  TAKE(*(const uint32_t **)&j->aliases.other, n);
  TAKE(*(const uint32_t **)&j->aliases.threshold, n);
  TAKE(*(const uint32_t **)&j->alias_blocks.other, degree_blocks);
  TAKE(*(const uint32_t **)&j->alias_blocks.threshold, degree_blocks);
#undef TAKE
#define RESERVE(what, bytes) (st == GEODISK_OK ? (st = reserve(c, (bytes), (void **)&(what), why)) : st)
  RESERVE(j->rows, n * row_bytes(t));
  RESERVE(j->sums, n * width * sizeof(int64_t));
  RESERVE(j->marked, n * sizeof(uint32_t));
  RESERVE(j->list, n * sizeof(uint32_t));
  RESERVE(j->tally, sizeof(device_tally));
  RESERVE(j->losses, (j->sampled + 1) * sizeof(double));
#undef RESERVE
  if (st != GEODISK_OK)
    return st;
  TRY(cudaMemsetAsync(j->sums, 0, n * width * sizeof(int64_t), c->stream), "clearing sums");
  TRY(cudaMemsetAsync(j->marked, 0, n * sizeof(uint32_t), c->stream), "clearing marks");
  TRY(cudaMallocHost((void **)&c->losses, (j->sampled + 1) * sizeof(double)), "memory of the host");
  TRY(cudaMallocHost((void **)&c->tally, sizeof(device_tally)), "memory of the host");
  return GEODISK_OK;
}

static geodisk_status start(cuda_trainer *c, const geodisk_trainer *t, char *why) {
  size_t free_bytes = 0, all = 0;
  TRY(cuda_room(&free_bytes, &all), "asking for its memory");
  c->targets = most_targets(t);
  const train_needs needs = needs_of(t, c->targets);
  const edges_place edges = place_edges(&needs, free_bytes, all, why);
  if (edges == EDGES_NOWHERE)
    return GEODISK_ERROR_MEMORY;
  TRY(cudaGetDevice(&c->device), "choosing a device");
  TRY(cudaDeviceGetAttribute(&c->processors, cudaDevAttrMultiProcessorCount, c->device), "asking for its processors");
  TRY(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking), "a stream");
  const geodisk_status st = take_all(c, t, edges, why);
  if (st != GEODISK_OK)
    return st;
  TRY(cudaStreamSynchronize(c->stream), "copying the graph");
  return GEODISK_OK;
}

static geodisk_status create(const geodisk_trainer *t, void **out, char why[DEVICE_TEXT]) {
  cuda_trainer *c = (cuda_trainer *)calloc(1, sizeof *c);
  if (!c) {
    snprintf(why, DEVICE_TEXT, "out of memory");
    return GEODISK_ERROR_MEMORY;
  }
  const geodisk_status st = start(c, t, why);
  if (st == GEODISK_OK)
    *out = c;
  else
    destroy(c);
  return st;
}

static geodisk_status put_rows(void *own, const geodisk_trainer *t, char why[DEVICE_TEXT]) {
  cuda_trainer *c = (cuda_trainer *)own;
  TRY(cudaMemcpyAsync(c->job.rows, t->rows, t->nodes * row_bytes(t), cudaMemcpyHostToDevice, c->stream), "copying points");
  TRY(cudaStreamSynchronize(c->stream), "copying points");
  return GEODISK_OK;
}

static geodisk_status get_rows(void *own, const geodisk_trainer *t, char why[DEVICE_TEXT]) {
  cuda_trainer *c = (cuda_trainer *)own;
  TRY(cudaMemcpyAsync(t->rows, c->job.rows, t->nodes * row_bytes(t), cudaMemcpyDeviceToHost, c->stream), "copying points");
  TRY(cudaStreamSynchronize(c->stream), "copying points");
  return GEODISK_OK;
}

static geodisk_status set_aside(void *own, const geodisk_trainer *t, char why[DEVICE_TEXT]) {
  cuda_trainer *c = (cuda_trainer *)own;
  const size_t bytes = t->nodes * row_bytes(t);
  if (!c->aside) {
    TRY(cuda_reserve(bytes, &c->aside), "memory for a checkpoint");
    TRY(cudaStreamCreateWithFlags(&c->copier, cudaStreamNonBlocking), "a stream");
    TRY(cudaEventCreateWithFlags(&c->set_aside, cudaEventDisableTiming), "an event");
  }
  TRY(cudaMemcpyAsync(c->aside, c->job.rows, bytes, cudaMemcpyDeviceToDevice, c->stream), "setting points aside");
  TRY(cudaEventRecord(c->set_aside, c->stream), "setting points aside");
  return GEODISK_OK;
}

static geodisk_status read_aside(void *own, const geodisk_trainer *t, void *rows, char why[DEVICE_TEXT]) {
  cuda_trainer *c = (cuda_trainer *)own;
  TRY(cudaSetDevice(c->device), "choosing a device"); /* this is another thread */
  TRY(cudaStreamWaitEvent(c->copier, c->set_aside, 0), "copying points");
  TRY(cudaMemcpyAsync(rows, c->aside, t->nodes * row_bytes(t), cudaMemcpyDeviceToHost, c->copier), "copying points");
  TRY(cudaStreamSynchronize(c->copier), "copying points");
  return GEODISK_OK;
}

/* ---- an epoch ---- */

/* What changes with the plan: the comb, counters of the batches, the room of groups. */
static geodisk_status prepare(cuda_trainer *c, const geodisk_trainer *t, const epoch_plan *plan, uint32_t *grid,
                              uint32_t *threads, char *why) {
  device_job *j = &c->job;
  j->plan = *plan;
  /* two blocks to a processor; where there are too few for that, each has all of one */
  const uint64_t blocks = embed_batch_blocks(plan);
  *threads = size_blocks(j, c->targets, blocks <= (uint64_t)c->processors ? MOST_THREADS : USUAL_THREADS);
  const uint64_t shared = shared_bytes(&j->shared, number_bytes(t));
  const void *kernel = j->single ? (const void *)pull_blocks<true> : (const void *)pull_blocks<false>;
  if (c->planned_threads != *threads || c->planned_shared != shared) {
    int each = 0;
    TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared), "shared memory");
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)*threads, shared), "planning a kernel");
    c->planned_groups = (uint64_t)(each > 0 ? each : 1) * (uint64_t)c->processors;
    c->planned_threads = *threads;
    c->planned_shared = shared;
  }
  uint64_t groups = c->planned_groups, most = (uint64_t)4 << 30;
  groups = groups < blocks ? groups : blocks;
  if (c->room_size < groups * j->room_bytes) { /* as many groups as there is room for */
    size_t free_bytes = 0, all = 0;
    TRY(cuda_room(&free_bytes, &all), "asking for its memory");
    most = free_bytes + c->room_size < most ? free_bytes + c->room_size : most;
  }
  while (groups > 1 && groups * j->room_bytes >= most)
    groups = (groups + 1) / 2;
  *grid = (uint32_t)groups;
  if (c->room_size < groups * j->room_bytes) {
    cudaFree(c->room);
    c->room = nullptr;
    c->room_size = 0;
    TRY(cuda_reserve(groups * j->room_bytes, &c->room), "memory for its blocks");
    c->room_size = groups * j->room_bytes;
  }
  j->room = (char *)c->room;
  if (c->comb_far != plan->far || c->comb_inner != plan->far_inner || !c->comb) {
    const size_t bytes = ((size_t)plan->far + 2) * sizeof *c->comb;
    cudaFree(c->comb);
    c->comb = nullptr;
    TRY(cudaMalloc((void **)&c->comb, bytes), "memory for negatives");
    TRY(cudaMemcpyAsync(c->comb, t->comb, bytes, cudaMemcpyHostToDevice, c->stream), "copying negatives");
    c->comb_far = plan->far;
    c->comb_inner = plan->far_inner;
    j->comb = c->comb;
  }
  if (c->batches_room < plan->batches) {
    cudaFree(j->listed);
    j->listed = nullptr;
    c->batches_room = 0;
    TRY(cudaMalloc((void **)&j->listed, plan->batches * sizeof *j->listed), "memory for batches");
    c->batches_room = plan->batches;
  }
  TRY(cudaMemsetAsync(j->listed, 0, plan->batches * sizeof *j->listed, c->stream), "clearing counters");
  device_tally *tally = c->tally;
  memset(tally, 0, sizeof *tally);
  tally->bad_pulls = tally->bad_moves = UINT64_MAX;
  tally->bad_source = tally->bad_row = UINT32_MAX;
  TRY(cudaMemcpyAsync(j->tally, tally, sizeof *tally, cudaMemcpyHostToDevice, c->stream), "clearing counters");
  return GEODISK_OK;
}

/* Marks never meet again: before they do, all are taken away. */
static geodisk_status next_mark(cuda_trainer *c, char *why) {
  if (c->mark == UINT32_MAX) {
    TRY(cudaMemsetAsync(c->job.marked, 0, c->job.nodes * sizeof(uint32_t), c->stream), "clearing marks");
    c->mark = 0;
  }
  c->job.mark = ++c->mark;
  return GEODISK_OK;
}

static void collect(const cuda_trainer *c, device_end *out) {
  memset(out, 0, sizeof *out);
  device_sum(c->tally, &out->sum);
  out->radii = c->tally->unbounded ? UINT64_MAX : (uint64_t)c->tally->radii;
  for (uint64_t i = 0; i < c->job.sampled; i++)
    out->sample_loss += c->losses[i];
  if (c->job.sampled)
    out->sample_loss /= (double)c->job.sampled;
}

static geodisk_status epoch(void *own, const geodisk_trainer *t, const epoch_plan *plan, device_end *out, char why[DEVICE_TEXT]) {
  cuda_trainer *c = (cuda_trainer *)own;
  device_job *j = &c->job;
  uint32_t grid = 0, threads = 0;
  geodisk_status st = prepare(c, t, plan, &grid, &threads, why);
  const size_t shared = shared_bytes(&j->shared, number_bytes(t));
  const uint32_t movers = (uint32_t)c->processors * 8;
  for (uint64_t batch = 0; batch < plan->batches && st == GEODISK_OK; batch++) {
    st = next_mark(c, why);
    if (j->single) {
      pull_blocks<true><<<grid, threads, shared, c->stream>>>(*j, batch);
      move_rows<true><<<movers, MOVE_THREADS, 0, c->stream>>>(*j, batch);
    } else {
      pull_blocks<false><<<grid, threads, shared, c->stream>>>(*j, batch);
      move_rows<false><<<movers, MOVE_THREADS, 0, c->stream>>>(*j, batch);
    }
  }
  if (st != GEODISK_OK)
    return st;
  measure_radii<<<(uint32_t)c->processors * 4, END_THREADS, 0, c->stream>>>(*j);
  if (j->sampled)
    measure_sample<<<(uint32_t)((j->sampled + 7) / 8), END_THREADS, 0, c->stream>>>(*j);
  TRY(cudaGetLastError(), "starting a kernel");
  TRY(cudaMemcpyAsync(c->tally, j->tally, sizeof *c->tally, cudaMemcpyDeviceToHost, c->stream), "copying counters");
  TRY(cudaMemcpyAsync(c->losses, j->losses, j->sampled * sizeof(double), cudaMemcpyDeviceToHost, c->stream), "copying losses");
  TRY(cudaStreamSynchronize(c->stream), "an epoch");
  collect(c, out);
  return GEODISK_OK;
}

extern "C" const embed_device cuda_train;
const embed_device cuda_train = {sizeof(geodisk_trainer), sizeof(epoch_plan), create, put_rows, get_rows, epoch, set_aside, read_aside, destroy};

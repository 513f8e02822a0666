/* cuda_device.cu - the library's table, the device it finds, and errors of CUDA as statuses. */
#include "cuda_device.h"
#include "train_memory.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

geodisk_status cuda_status(cudaError_t error, const char *doing, char *why) {
  if (error == cudaSuccess)
    return GEODISK_OK;
  (void)cudaGetLastError(); /* one that does not stick is forgotten */
  snprintf(why, DEVICE_TEXT, "CUDA: %s: %s (%s)", doing, cudaGetErrorString(error), cudaGetErrorName(error));
  switch (error) {
  case cudaErrorMemoryAllocation:
    return GEODISK_ERROR_MEMORY;
  case cudaErrorNoDevice:
  case cudaErrorInsufficientDriver:
  case cudaErrorSystemDriverMismatch:
  case cudaErrorCompatNotSupportedOnDevice:
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorInvalidDevice:
    return GEODISK_ERROR_UNSUPPORTED;
  default:
    return GEODISK_ERROR_DEVICE;
  }
}

/* ---- memory ---- */

/* What jobs have left for the next: a few pieces, together not more than KEPT_BYTES. */
enum { KEPT = 4 };
static const size_t KEPT_BYTES = (size_t)2 << 30;
static std::mutex kept_lock;
static cuda_arena kept[KEPT];

static void release(cuda_arena *a) {
  if (a->stream)
    cudaStreamDestroy(a->stream);
  cudaFree(a->memory);
  *a = cuda_arena();
}

static void release_kept(void) {
  std::lock_guard<std::mutex> guard(kept_lock);
  for (int i = 0; i < KEPT; i++)
    release(&kept[i]);
}

/* The smallest piece that is large enough and not far too large; false: there is none. */
static bool take_kept(size_t bytes, cuda_arena *out) {
  std::lock_guard<std::mutex> guard(kept_lock);
  int best = -1;
  for (int i = 0; i < KEPT; i++)
    if (kept[i].memory && kept[i].size >= bytes && kept[i].size / 4 <= bytes + ((size_t)16 << 20) &&
        (best < 0 || kept[i].size < kept[best].size))
      best = i;
  if (best < 0)
    return false;
  *out = kept[best];
  kept[best] = cuda_arena();
  return true;
}

/* In an empty place, or in that of the smallest. */
static void keep(cuda_arena *a) {
  std::lock_guard<std::mutex> guard(kept_lock);
  int place = 0;
  size_t sum = a->size;
  for (int i = 0; i < KEPT; i++) {
    sum += kept[i].size;
    place = kept[i].size < kept[place].size ? i : place;
  }
  if (sum - kept[place].size > KEPT_BYTES || kept[place].size > a->size) {
    release(a);
    return;
  }
  release(&kept[place]);
  kept[place] = *a;
  *a = cuda_arena();
}

cudaError_t cuda_room(size_t *free_bytes, size_t *all) {
  static std::atomic<size_t> at_first{0};
  const cudaError_t error = cudaMemGetInfo(free_bytes, all);
  const char *given = getenv("GEODISK_CUDA_MEMORY");
  size_t none = 0;
  if (error != cudaSuccess || !given)
    return error;
  at_first.compare_exchange_strong(none, *free_bytes);
  const size_t first = at_first, used = first > *free_bytes ? first - *free_bytes : 0;
  const size_t limit = (size_t)(strtod(given, nullptr) * 0x1p30), left = limit > used ? limit - used : 0;
  *free_bytes = left < *free_bytes ? left : *free_bytes;
  return error;
}

cudaError_t cuda_reserve(size_t bytes, void **out) {
  for (int tries = 0; tries < 2; tries++) {
    size_t free_bytes = 0, all = 0;
    cudaError_t error = cuda_room(&free_bytes, &all);
    if (error == cudaSuccess)
      error = bytes < free_bytes ? cudaMalloc(out, bytes ? bytes : 1) : cudaErrorMemoryAllocation;
    if (error != cudaErrorMemoryAllocation)
      return error;
    (void)cudaGetLastError();
    release_kept();
  }
  return cudaErrorMemoryAllocation;
}

/* Arrays begin on whole lines of memory. */
static size_t lines(size_t bytes) { return (bytes + 255) / 256 * 256; }

static geodisk_status no_room(const char *what, size_t bytes, char *why) {
  size_t free_bytes = 0, all = 0;
  TRY(cuda_room(&free_bytes, &all), "asking for its memory");
  tell_memory(what, bytes, free_bytes, all, why);
  return GEODISK_ERROR_MEMORY;
}

geodisk_status arena_open(cuda_arena *a, const cuda_part *parts, size_t count, const char *what, char *why) {
  size_t bytes = 0;
  *a = cuda_arena();
  for (size_t i = 0; i < count; i++)
    bytes += lines(parts[i].bytes);
  if (!take_kept(bytes, a)) {
    const cudaError_t error = cuda_reserve(bytes, &a->memory);
    if (error == cudaErrorMemoryAllocation)
      return no_room(what, bytes, why);
    TRY(error, what);
    a->size = bytes;
    TRY(cudaStreamCreateWithFlags(&a->stream, cudaStreamNonBlocking), "a stream");
  }
  char *at = (char *)a->memory;
  for (size_t i = 0; i < count; i++) {
    *(void **)parts[i].at = at;
    if (parts[i].kind == PART_COPY && parts[i].bytes)
      TRY(cudaMemcpyAsync(at, parts[i].from, parts[i].bytes, cudaMemcpyHostToDevice, a->stream), "copying to the device");
    else if (parts[i].kind == PART_ZERO)
      TRY(cudaMemsetAsync(at, 0, parts[i].bytes, a->stream), "clearing memory");
    at += lines(parts[i].bytes);
  }
  return GEODISK_OK;
}

void arena_close(cuda_arena *a) {
  if (a->memory && a->stream && cudaStreamSynchronize(a->stream) == cudaSuccess)
    keep(a);
  else
    release(a);
}

static geodisk_status look(device_facts *out, char why[DEVICE_TEXT]) {
  int count = 0, device = 0, major = 0;
  size_t free_bytes = 0, all = 0;
  cudaDeviceProp about;
  geodisk_status st = cuda_status(cudaGetDeviceCount(&count), "looking for devices", why);
  if (st == GEODISK_OK && count == 0) {
    snprintf(why, DEVICE_TEXT, "CUDA finds no device");
    return GEODISK_ERROR_UNSUPPORTED;
  }
  if (st == GEODISK_OK)
    st = cuda_status(cudaGetDevice(&device), "choosing a device", why);
  if (st == GEODISK_OK)
    st = cuda_status(cudaGetDeviceProperties(&about, device), "asking a device", why);
  if (st == GEODISK_OK)
    st = cuda_status(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "asking a device", why);
  if (st == GEODISK_OK && major < 8) {
    snprintf(why, DEVICE_TEXT, "%.200s has compute capability %d.%d; 8.0 is needed", about.name, about.major, about.minor);
    return GEODISK_ERROR_UNSUPPORTED;
  }
  if (st == GEODISK_OK)
    st = cuda_status(cuda_room(&free_bytes, &all), "asking for its memory", why);
  if (st != GEODISK_OK)
    return st;
  snprintf(out->name, sizeof out->name, "%s", about.name);
  out->memory = all;
  out->free = free_bytes;
  out->processors = about.multiProcessorCount;
  return GEODISK_OK;
}

extern "C" {
extern const struct embed_device cuda_train;
extern const struct rank_device cuda_rank;
extern const struct near_device cuda_nearest;
__attribute__((visibility("default"))) extern const device_table geodisk_device_table;
}
const device_table geodisk_device_table = {DEVICE_LAYOUT, GEODISK_DEVICE_VERSION, look, &cuda_train, &cuda_rank, &cuda_nearest};

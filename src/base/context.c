/* context.c - the context: worker threads, the text of the last error, log and progress events, the instruction set.
 *
 * The pool: workers sleep until a job is open, join it, take indices from an atomic counter until none is left, and leave. The
 * caller works too; it closes the job when the indices are gone and waits only for workers that joined, so a small job never
 * waits for a sleeper.
 *
 * A fork copies the context but not its workers, and the locks as they happened to be. In the child nothing of the pool is
 * touched any more: jobs run on their caller's thread, and destroying only frees memory. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "geodisk/base.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 1024, ERROR_BYTES = 1024, LOG_BYTES = 1024 };

struct geodisk_context {
  char error[ERROR_BYTES];
  const char *instruction_set;
  geodisk_log_fn log;
  bool hushed; /* no log events for now */
  void *log_user;
  char told[LOG_BYTES]; /* by geodisk_log_once */
  geodisk_write_fn write;
  void *write_user;
  geodisk_progress_fn progress;
  void *progress_user;

  pid_t process; /* whose threads the workers are */
  int workers;   /* threads started, the caller's not counted */
  pthread_t *threads;
  pthread_mutex_t mutex;
  pthread_cond_t wake;  /* a job is open, or quit */
  pthread_cond_t idle;  /* active fell to 0 */
  bool open, quit;      /* guarded by mutex, like the next three */
  uint64_t job;         /* number of the open job: a worker joins each once */
  int active;           /* workers inside the job */
  geodisk_task_fn task; /* written before the job opens */
  void *arg;
  size_t count;
  atomic_size_t next;  /* the next index to hand out */
  atomic_bool running; /* a job is under way: a nested call runs on its own thread */
};

/* ---- instruction sets ------------------------------------------------------------------------------------------------ */

static const char *const set_names[] = {"avx512", "avx2", "sse2", "neon", "ref"}; /* widest first */
enum { SETS = sizeof set_names / sizeof set_names[0] };

static bool machine_has(const char *name) {
  if (strcmp(name, "ref") == 0)
    return true;
#ifdef GEODISK_SIMD_X86
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (strcmp(name, "sse2") == 0)
    return true;
  if (strcmp(name, "avx2") == 0)
    return avx2;
  if (strcmp(name, "avx512") == 0)
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#endif
#ifdef GEODISK_SIMD_ARM
  if (strcmp(name, "neon") == 0) /* which every 64-bit ARM has */
    return true;
#endif
  return false;
}

/* The static name equal to `name` if it is known and the machine has it, else NULL. */
static const char *find_set(const char *name) {
  for (int i = 0; i < SETS; i++)
    if (strcmp(set_names[i], name) == 0)
      return machine_has(name) ? set_names[i] : NULL;
  return NULL;
}

static const char *widest_set(void) {
  int i = 0;
  while (!machine_has(set_names[i]))
    i++;
  return set_names[i];
}

/* What GEODISK_ISA asks for, the widest when it is unset or empty; NULL when it asks for what is not there. */
static const char *environment_set(void) {
  const char *name = getenv("GEODISK_ISA");
  return name == NULL || *name == 0 ? widest_set() : find_set(name);
}

const char *geodisk_instruction_set(const geodisk_context *context) {
  if (context != NULL)
    return context->instruction_set;
  const char *name = environment_set();
  return name != NULL ? name : widest_set();
}

geodisk_status geodisk_use_instruction_set(geodisk_context *context, const char *name) {
  if (context == NULL || name == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "instruction set: %s is NULL", context == NULL ? "context" : "name");
  const char *set = find_set(name);
  if (set == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "instruction set '%s' is not one of avx512, avx2, sse2, neon, ref, or this machine lacks it", name);
  context->instruction_set = set;
  return GEODISK_OK;
}

/* ---- worker threads -------------------------------------------------------------------------------------------------- */

/* The cores this process may run on, which in a container or under taskset are fewer than the machine has. */
static int available_cores(void) {
  cpu_set_t cores;
  int n = 0;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0)
    n = CPU_COUNT(&cores);
  else
    n = (int)sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : n;
}

/* Whether the workers stayed behind in the process that this one was forked from. */
static bool is_forked(const geodisk_context *context) { return context->process != getpid(); }

static void work(geodisk_context *context) {
  size_t i;
  while ((i = atomic_fetch_add_explicit(&context->next, 1, memory_order_relaxed)) < context->count)
    context->task(context->arg, i);
}

static void *worker_main(void *argument) {
  geodisk_context *context = argument;
  uint64_t seen = 0;
  fesetenv(FE_DFL_ENV); /* not what the thread that made the context had set */
  pthread_mutex_lock(&context->mutex);
  for (;;) {
    while (!context->quit && !(context->open && context->job != seen))
      pthread_cond_wait(&context->wake, &context->mutex);
    if (context->quit)
      break;
    seen = context->job;
    context->active++;
    pthread_mutex_unlock(&context->mutex);
    work(context);
    pthread_mutex_lock(&context->mutex);
    if (--context->active == 0)
      pthread_cond_signal(&context->idle);
  }
  pthread_mutex_unlock(&context->mutex);
  return NULL;
}

/* A thread with room for what the kernels keep on the stack: some C libraries (musl) give a new thread 128 KB. */
static int start_worker(geodisk_context *context, pthread_t *out) {
  static const size_t least = (size_t)2 << 20;
  pthread_attr_t attributes;
  size_t size = 0;
  if (pthread_attr_init(&attributes) != 0)
    return -1;
  pthread_attr_getstacksize(&attributes, &size);
  if (size < least)
    pthread_attr_setstacksize(&attributes, least);
  const int failure = pthread_create(out, &attributes, worker_main, context);
  pthread_attr_destroy(&attributes);
  return failure;
}

geodisk_status geodisk_context_create(int threads, geodisk_context **out) {
  if (threads < 0 || threads > MAX_THREADS || out == NULL)
    return GEODISK_ERROR_ARGUMENT;
  const char *set = environment_set();
  if (set == NULL)
    return GEODISK_ERROR_ARGUMENT;
  if (threads == 0)
    threads = available_cores();
  geodisk_context *context = geodisk_allocate_zero(1, sizeof *context);
  if (context == NULL)
    return GEODISK_ERROR_MEMORY;
  context->instruction_set = set;
  context->process = getpid();
  context->threads = geodisk_allocate((size_t)threads, sizeof *context->threads);
  if (context->threads == NULL) {
    free(context);
    return GEODISK_ERROR_MEMORY;
  }
  pthread_mutex_init(&context->mutex, NULL); /* these three cannot fail on Linux */
  pthread_cond_init(&context->wake, NULL);
  pthread_cond_init(&context->idle, NULL);
  while (context->workers < threads - 1) {
    if (start_worker(context, &context->threads[context->workers]) != 0) {
      geodisk_context_destroy(context);
      return GEODISK_ERROR_THREAD;
    }
    context->workers++;
  }
  *out = context;
  return GEODISK_OK;
}

static void end_workers(geodisk_context *context) {
  pthread_mutex_lock(&context->mutex);
  context->quit = true;
  pthread_cond_broadcast(&context->wake);
  pthread_mutex_unlock(&context->mutex);
  for (int i = 0; i < context->workers; i++)
    pthread_join(context->threads[i], NULL);
  pthread_cond_destroy(&context->idle);
  pthread_cond_destroy(&context->wake);
  pthread_mutex_destroy(&context->mutex);
}

void geodisk_context_destroy(geodisk_context *context) {
  if (context == NULL)
    return;
  if (!is_forked(context)) /* else there is nobody to join, and a lock may be held by a thread that is not there */
    end_workers(context);
  geodisk_free_all(context->threads, context);
}

int geodisk_context_threads(const geodisk_context *context) {
  return context == NULL || is_forked(context) ? 1 : context->workers + 1;
}

void geodisk_parallel(geodisk_context *context, size_t count, geodisk_task_fn task, void *arg) {
  if (context == NULL || context->workers == 0 || count < 2 || is_forked(context) || atomic_exchange(&context->running, true)) {
    for (size_t i = 0; i < count; i++)
      task(arg, i);
    return;
  }
  pthread_mutex_lock(&context->mutex);
  context->task = task;
  context->arg = arg;
  context->count = count;
  atomic_store_explicit(&context->next, 0, memory_order_relaxed);
  context->job++;
  context->open = true;
  pthread_cond_broadcast(&context->wake);
  pthread_mutex_unlock(&context->mutex);

  work(context);

  pthread_mutex_lock(&context->mutex);
  context->open = false;
  while (context->active > 0)
    pthread_cond_wait(&context->idle, &context->mutex);
  pthread_mutex_unlock(&context->mutex);
  atomic_store(&context->running, false);
}

/* ---- errors and events ----------------------------------------------------------------------------------------------- */

const char *geodisk_context_error(const geodisk_context *context) { return context == NULL ? "" : context->error; }

/* The parentheses keep the analyzer's macro in base.h away. */
geodisk_status(geodisk_fail)(geodisk_context *context, geodisk_status status, const char *format, ...) {
  if (context != NULL) {
    va_list arguments;
    va_start(arguments, format);
    char text[ERROR_BYTES]; /* apart from context->error, which may be one of the arguments */
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    geodisk_escape(text, strlen(text), false, context->error, sizeof context->error);
  }
  return status;
}

void geodisk_context_on_log(geodisk_context *context, geodisk_log_fn log, void *user) {
  if (context == NULL)
    return;
  context->log = log;
  context->log_user = user;
  context->told[0] = 0; /* to others */
}

void geodisk_context_on_progress(geodisk_context *context, geodisk_progress_fn progress, void *user) {
  if (context == NULL)
    return;
  context->progress = progress;
  context->progress_user = user;
}

void geodisk_context_on_write(geodisk_context *context, geodisk_write_fn write, void *user) {
  if (context == NULL)
    return;
  context->write = write;
  context->write_user = user;
}

geodisk_write_fn context_write(const geodisk_context *context, void **user) {
  *user = context != NULL ? context->write_user : NULL;
  return context != NULL ? context->write : NULL;
}

void geodisk_log_hush(geodisk_context *context, bool hush) {
  if (context != NULL)
    context->hushed = hush;
}

void geodisk_log_event(geodisk_context *context, geodisk_log_level level, const char *format, ...) {
  if (context == NULL || context->log == NULL || context->hushed)
    return;
  char text[LOG_BYTES], shown[LOG_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  geodisk_escape(text, strlen(text), false, shown, sizeof shown);
  context->log(context->log_user, level, shown);
}

void geodisk_log_once(geodisk_context *context, geodisk_log_level level, const char *format, ...) {
  if (context == NULL || context->log == NULL || context->hushed)
    return;
  char text[LOG_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (strcmp(text, context->told) != 0)
    geodisk_log_event(context, level, "%s", text);
  memcpy(context->told, text, sizeof text);
}

bool geodisk_progress_event(geodisk_context *context, const geodisk_progress *progress) {
  return context == NULL || context->progress == NULL || context->progress(context->progress_user, progress);
}

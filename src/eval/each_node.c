/* each_node.c - a task for each of many nodes, on all threads; progress comes from the thread that called. */
#include "each_node.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct nodes_run {
  geodisk_context *context;
  const char *task;
  size_t count;
  bool (*one)(void *arg, size_t index);
  void *arg;
  pthread_t caller;
  atomic_size_t done;
  atomic_bool stopped, memory_out;
} nodes_run;

static void report(nodes_run *run, size_t done) {
  const geodisk_progress progress = {.task = run->task, .unit = "nodes", .done = done, .total = run->count};
  if (!geodisk_progress_event(run->context, &progress))
    atomic_store(&run->stopped, true);
}

static void run_task(void *arg, size_t index) {
  nodes_run *run = arg;
  if (atomic_load_explicit(&run->stopped, memory_order_relaxed))
    return;
  if (!run->one(run->arg, index)) {
    atomic_store(&run->memory_out, true);
    atomic_store(&run->stopped, true);
  }
  const size_t done = atomic_fetch_add(&run->done, 1) + 1;
  if (done < run->count && pthread_equal(pthread_self(), run->caller))
    report(run, done);
}

geodisk_status each_node(geodisk_context *context, const char *task, size_t count, bool (*one)(void *arg, size_t index),
                         void *arg) {
  nodes_run run = {.context = context, .task = task, .count = count, .one = one, .arg = arg, .caller = pthread_self()};
  report(&run, 0);
  geodisk_parallel(context, count, run_task, &run);
  if (!atomic_load(&run.stopped))
    report(&run, count);
  if (atomic_load(&run.memory_out))
    return GEODISK_ERROR_MEMORY;
  return atomic_load(&run.stopped) ? geodisk_fail(context, GEODISK_ERROR_STOPPED, "stopped") : GEODISK_OK;
}

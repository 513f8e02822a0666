/* test_base_fork.c - contexts after a fork: the child, which has none of the worker threads, can use and destroy its copy at
 * once, whatever the threads were doing. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "geodisk/base.h"

enum { COUNT = 1000, CHILDREN = 50, SECONDS = 20 };

static void mark(void *arg, size_t index) { ((unsigned char *)arg)[index]++; }

/* Whether every index runs once. */
static bool all_run(geodisk_context *context) {
  unsigned char seen[COUNT] = {0};
  geodisk_parallel(context, COUNT, mark, seen);
  for (int i = 0; i < COUNT; i++)
    if (seen[i] != 1)
      return false;
  return true;
}

/* What the child does: it has one thread, its jobs run, and the context goes. A deadlock ends by the alarm. */
static int child(geodisk_context *context) {
  alarm(SECONDS);
  const bool fine = geodisk_context_threads(context) == 1 && all_run(context);
  geodisk_context_destroy(context);
  return fine ? 0 : 1;
}

static void assert_child_is_well(geodisk_context *context) {
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0)
    _exit(child(context));
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_fork_of_an_idle_pool(void **state) {
  (void)state;
  for (int threads = 1; threads <= 4; threads++) {
    geodisk_context *context = NULL;
    assert_int_equal(geodisk_context_create(threads, &context), GEODISK_OK);
    assert_child_is_well(context); /* before the first job */
    assert_true(all_run(context));
    assert_child_is_well(context);
    assert_int_equal(geodisk_context_threads(context), threads); /* the parent keeps its own */
    assert_true(all_run(context));
    geodisk_context_destroy(context);
  }
}

typedef struct other {
  geodisk_context *context;
  atomic_bool stop;
  atomic_int rounds;
} other;

static void *keep_busy(void *arg) {
  other *o = arg;
  while (!atomic_load(&o->stop)) {
    all_run(o->context);
    atomic_fetch_add(&o->rounds, 1);
  }
  return NULL;
}

/* The pool's locks are copied as they happen to be, its job half done. */
static void a_fork_while_another_thread_works(void **state) {
  (void)state;
  other o = {.context = NULL};
  assert_int_equal(geodisk_context_create(3, &o.context), GEODISK_OK);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, keep_busy, &o), 0);
  while (atomic_load(&o.rounds) == 0) {
  }
  for (int i = 0; i < CHILDREN; i++)
    assert_child_is_well(o.context);
  atomic_store(&o.stop, true);
  pthread_join(thread, NULL);
  geodisk_context_destroy(o.context);
}

typedef struct nested {
  pid_t pid;
  geodisk_context *context;
} nested;

/* A job of which one task forks: the child goes on with the task, alone. */
static void fork_once(void *arg, size_t index) {
  nested *n = arg;
  if (index != 0)
    return;
  n->pid = fork();
  if (n->pid == 0)
    _exit(child(n->context));
}

static void a_fork_inside_a_task(void **state) {
  (void)state;
  nested n = {.pid = -1};
  assert_int_equal(geodisk_context_create(2, &n.context), GEODISK_OK);
  geodisk_parallel(n.context, 8, fork_once, &n);
  int status = 0;
  assert_int_equal(waitpid(n.pid, &status, 0), n.pid);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  geodisk_context_destroy(n.context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fork_of_an_idle_pool),
      cmocka_unit_test(a_fork_while_another_thread_works),
      cmocka_unit_test(a_fork_inside_a_task),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

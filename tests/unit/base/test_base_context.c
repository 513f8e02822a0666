/* test_base_context.c - status texts, error texts, events, worker threads, instruction sets, checked allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "geodisk/base.h"

static void status_texts(void **state) {
  (void)state;
  for (int s = GEODISK_OK; s <= GEODISK_ERROR_DEVICE; s++) {
    assert_true(strlen(geodisk_status_text((geodisk_status)s)) > 4);
    assert_string_not_equal(geodisk_status_text((geodisk_status)s), "unknown status");
    for (int other = GEODISK_OK; other < s; other++)
      assert_string_not_equal(geodisk_status_text((geodisk_status)s), geodisk_status_text((geodisk_status)other));
  }
  assert_string_equal(geodisk_status_text(GEODISK_ERROR_MEMORY), "out of memory");
  assert_string_equal(geodisk_status_text((geodisk_status)99), "unknown status");
  assert_string_equal(geodisk_version(), GEODISK_VERSION);
}

static void bad_arguments(void **state) {
  (void)state;
  geodisk_context *const untouched = (geodisk_context *)state;
  geodisk_context *context = untouched;
  assert_int_equal(geodisk_context_create(-1, &context), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_context_create(1025, &context), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_context_create(1, NULL), GEODISK_ERROR_ARGUMENT);
  assert_ptr_equal(context, untouched);
}

static void null_context(void **state) {
  (void)state;
  const geodisk_progress progress = {.task = "t", .unit = "u"};
  geodisk_context_destroy(NULL);
  assert_int_equal(geodisk_context_threads(NULL), 1);
  assert_string_equal(geodisk_context_error(NULL), "");
  assert_int_equal(geodisk_fail(NULL, GEODISK_ERROR_IO, "%d", 1), GEODISK_ERROR_IO);
  geodisk_log_event(NULL, GEODISK_LOG_INFO, "%d", 1);
  geodisk_context_on_log(NULL, NULL, NULL);
  geodisk_context_on_progress(NULL, NULL, NULL);
  assert_true(geodisk_progress_event(NULL, &progress));
  assert_int_equal(geodisk_use_instruction_set(NULL, "ref"), GEODISK_ERROR_ARGUMENT);
}

static void error_texts(void **state) {
  (void)state;
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  assert_string_equal(geodisk_context_error(context), "");
  assert_int_equal(geodisk_fail(context, GEODISK_ERROR_FORMAT, "line %d", 7), GEODISK_ERROR_FORMAT);
  assert_string_equal(geodisk_context_error(context), "line 7");
  geodisk_fail(context, GEODISK_ERROR_FORMAT, "file x: %s", geodisk_context_error(context));
  assert_string_equal(geodisk_context_error(context), "file x: line 7");
  geodisk_fail(context, GEODISK_ERROR_FORMAT, "%*s", 100000, "far too long");
  assert_true(strlen(geodisk_context_error(context)) < 100000);
  geodisk_context_destroy(context);
}

struct events {
  int logs, calls;
  geodisk_log_level level;
  char text[64];
  uint64_t stop_at;
};

static void on_log(void *user, geodisk_log_level level, const char *text) {
  struct events *events = user;
  events->logs++;
  events->level = level;
  strncpy(events->text, text, sizeof events->text - 1);
}

static bool on_progress(void *user, const geodisk_progress *progress) {
  struct events *events = user;
  events->calls++;
  return progress->done < events->stop_at;
}

static void callbacks(void **state) {
  (void)state;
  struct events events = {.stop_at = 2};
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  geodisk_progress progress = {.task = "counting", .unit = "steps", .total = 3};
  assert_true(geodisk_progress_event(context, &progress));
  geodisk_log_event(context, GEODISK_LOG_INFO, "nobody listens");

  geodisk_context_on_log(context, on_log, &events);
  geodisk_context_on_progress(context, on_progress, &events);
  geodisk_log_event(context, GEODISK_LOG_WARNING, "%d self-loops", 3);
  assert_int_equal(events.logs, 1);
  assert_int_equal(events.level, GEODISK_LOG_WARNING);
  assert_string_equal(events.text, "3 self-loops");
  progress.done = 1;
  assert_true(geodisk_progress_event(context, &progress));
  progress.done = 2;
  assert_false(geodisk_progress_event(context, &progress));
  assert_int_equal(events.calls, 2);

  geodisk_log_hush(context, true); /* what nobody hears has not been told */
  geodisk_log_once(context, GEODISK_LOG_INFO, "step %d", 1);
  geodisk_log_hush(context, false);
  static const struct { int step, logs; } once[] = {{1, 2}, {1, 2}, {2, 3}, {2, 3}, {1, 4}};
  for (size_t i = 0; i < sizeof once / sizeof once[0]; i++) {
    geodisk_log_once(context, GEODISK_LOG_INFO, "step %d", once[i].step);
    assert_int_equal(events.logs, once[i].logs);
  }
  geodisk_context_on_log(context, on_log, &events); /* another one may listen */
  geodisk_log_once(context, GEODISK_LOG_INFO, "step 1");
  assert_int_equal(events.logs, 5);

  geodisk_context_on_log(context, NULL, NULL);
  geodisk_log_event(context, GEODISK_LOG_INFO, "nobody listens again");
  assert_int_equal(events.logs, 5);
  geodisk_context_destroy(context);
}

struct job {
  size_t n;
  uint64_t *out; /* plain memory: the thread sanitizer would see an index handed out twice or read too early */
};

static void square(void *arg, size_t index) {
  struct job *job = arg;
  job->out[index] += (uint64_t)index * index + 1;
}

static void every_index_once(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 3, 8};
  static const size_t counts[] = {0, 1, 2, 3, 1000};
  for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
    geodisk_context *context = NULL;
    assert_int_equal(geodisk_context_create(threads[t], &context), GEODISK_OK);
    assert_int_equal(geodisk_context_threads(context), threads[t]);
    for (int repeat = 0; repeat < 200; repeat++) {
      uint64_t out[1000] = {0};
      const size_t n = counts[repeat % 5];
      struct job job = {n, out};
      geodisk_parallel(context, n, square, &job);
      for (size_t i = 0; i < 1000; i++)
        assert_true(out[i] == (i < n ? i * i + 1 : 0));
    }
    geodisk_context_destroy(context);
  }
  geodisk_context *all = NULL;
  assert_int_equal(geodisk_context_create(0, &all), GEODISK_OK);
  assert_true(geodisk_context_threads(all) >= 1);
  geodisk_context_destroy(all);
}

/* Odd indices take longer than even ones, so one thread is at work when the other has nothing left to do. */
static void slow_square(void *arg, size_t index) {
  const struct timespec pause = {0, index % 2 == 1 ? 20000000 : 2000000};
  nanosleep(&pause, NULL);
  square(arg, index);
}

static void returns_when_all_is_done(void **state) {
  (void)state;
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(4, &context), GEODISK_OK);
  for (int repeat = 0; repeat < 5; repeat++) {
    uint64_t out[8] = {0};
    struct job job = {8, out};
    geodisk_parallel(context, 8, slow_square, &job);
    for (size_t i = 0; i < 8; i++)
      assert_true(out[i] == i * i + 1);
  }
  geodisk_context_destroy(context);
}

struct outer {
  geodisk_context *context;
  uint64_t out[8][16];
};

static void run_inner(void *arg, size_t index) {
  struct outer *outer = arg;
  struct job job = {16, outer->out[index]};
  geodisk_parallel(outer->context, 16, square, &job);
}

static void nested_call_runs_in_place(void **state) {
  (void)state;
  struct outer outer = {0};
  assert_int_equal(geodisk_context_create(4, &outer.context), GEODISK_OK);
  for (int repeat = 0; repeat < 20; repeat++) {
    memset(outer.out, 0, sizeof outer.out);
    geodisk_parallel(outer.context, 8, run_inner, &outer);
    for (size_t i = 0; i < 8; i++)
      for (size_t j = 0; j < 16; j++)
        assert_true(outer.out[i][j] == j * j + 1);
  }
  geodisk_context_destroy(outer.context);
}

static void instruction_sets(void **state) {
  (void)state;
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  const char *widest = geodisk_instruction_set(context);
  assert_int_equal(geodisk_use_instruction_set(context, "ref"), GEODISK_OK);
  assert_string_equal(geodisk_instruction_set(context), "ref");
  assert_int_equal(geodisk_use_instruction_set(context, "avx9000"), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "avx9000"));
  assert_int_equal(geodisk_use_instruction_set(context, NULL), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_instruction_set(context), "ref");
  assert_int_equal(geodisk_use_instruction_set(context, widest), GEODISK_OK);
  geodisk_context_destroy(context);

  setenv("GEODISK_ISA", "ref", 1);
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  assert_string_equal(geodisk_instruction_set(context), "ref");
  assert_string_equal(geodisk_instruction_set(NULL), "ref");
  geodisk_context_destroy(context);
  setenv("GEODISK_ISA", "avx9000", 1);
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_ERROR_ARGUMENT);
  setenv("GEODISK_ISA", "", 1);
  assert_string_equal(geodisk_instruction_set(NULL), widest);
  unsetenv("GEODISK_ISA");
}

static void allocation(void **state) {
  (void)state;
  assert_null(geodisk_allocate(SIZE_MAX / 8 + 1, 8));
  assert_null(geodisk_allocate_zero(SIZE_MAX, SIZE_MAX));
  void *nothing = geodisk_allocate(0, 8);
  assert_non_null(nothing);
  free(nothing);
  unsigned char *block = geodisk_allocate_zero(3, 5);
  assert_non_null(block);
  for (int i = 0; i < 15; i++)
    assert_int_equal(block[i], 0);
  block[14] = 9;
  assert_null(geodisk_reallocate(block, SIZE_MAX / 2, 3));
  unsigned char *grown = geodisk_reallocate(block, 1000, 5);
  assert_non_null(grown);
  assert_int_equal(grown[14], 9);
  grown = geodisk_reallocate(grown, 0, 5);
  assert_non_null(grown);
  size_t room = 0;
  uint16_t *some = NULL;
  assert_true(geodisk_grow(&some, 0, 3, &room, sizeof *some));
  assert_true(room >= 3);
  some[2] = 7;
  const size_t before = room;
  assert_true(geodisk_grow(&some, 3, before - 3, &room, sizeof *some));
  assert_int_equal(room, before);
  assert_true(geodisk_grow(&some, before, 1, &room, sizeof *some));
  assert_true(room > before + before / 2 - 1 && some[2] == 7);
  assert_false(geodisk_grow(&some, before, SIZE_MAX / 4, &room, sizeof(double)));
  assert_int_equal(some[2], 7);
  free(some);
  void *another = geodisk_allocate(2, 8);
  geodisk_free_all(grown, NULL, another); /* the sanitizers see what is left */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(status_texts),
      cmocka_unit_test(bad_arguments),
      cmocka_unit_test(null_context),
      cmocka_unit_test(error_texts),
      cmocka_unit_test(callbacks),
      cmocka_unit_test(every_index_once),
      cmocka_unit_test(returns_when_all_is_done),
      cmocka_unit_test(nested_call_runs_in_place),
      cmocka_unit_test(instruction_sets),
      cmocka_unit_test(allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

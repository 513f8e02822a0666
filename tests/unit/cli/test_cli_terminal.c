/* test_cli_terminal.c - what the command shows on standard error while a task runs: nothing for a short one, plain lines into a
 * file, a bar on a terminal (a pseudo-terminal here); and Ctrl-C. */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "args.h"

enum { OUTPUT = 8192 };

/* Sends standard error to `fd` until undivert. */
static int divert(int fd) {
  fflush(stderr);
  const int saved = dup(STDERR_FILENO);
  dup2(fd, STDERR_FILENO);
  return saved;
}

static void undivert(int saved) {
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
}

/* A task of `total` units that takes about `seconds`; a message halfway. */
static bool run_task(geodisk_context *context, uint64_t total, double seconds) {
  const struct timespec pause = {0, (long)(1e9 * seconds / (double)total)};
  for (uint64_t done = 0; done <= total; done++) {
    const geodisk_progress progress = {.task = "counting", .unit = "sheep", .done = done, .total = total, .extra = "loss 1.5"};
    if (!geodisk_progress_event(context, &progress))
      return false;
    if (done == total / 2)
      geodisk_log_event(context, GEODISK_LOG_WARNING, "a black one");
    nanosleep(&pause, NULL);
  }
  return true;
}

/* What the task of that length writes to a pipe. */
static char *through_pipe(bool quiet, double seconds, char *text) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const int saved = divert(ends[1]);
  const common_options common = {.threads = 1, .quiet = quiet};
  geodisk_context *context = cli_context(&common);
  const bool done = context != NULL && run_task(context, 50, seconds);
  geodisk_context_destroy(context);
  undivert(saved);
  close(ends[1]);
  assert_true(done);
  const ssize_t n = read(ends[0], text, OUTPUT - 1);
  close(ends[0]);
  text[n > 0 ? n : 0] = 0;
  return text;
}

static void short_task_shows_nothing(void **state) {
  (void)state;
  char text[OUTPUT];
  assert_string_equal(through_pipe(false, 0.05, text), "geodisk: warning: a black one\n");
  assert_string_equal(through_pipe(true, 0.05, text), "");
}

static void plain_lines(void **state) {
  (void)state;
  char text[OUTPUT];
  through_pipe(false, 1.3, text);
  assert_non_null(strstr(text, "geodisk: warning: a black one\n"));
  assert_non_null(strstr(text, "counting 100 %, "));
  assert_non_null(strstr(text, " sheep/s"));
  assert_non_null(strstr(text, " left, loss 1.5\n"));
  assert_null(strchr(text, '\r'));
  assert_null(strchr(text, '\033'));
}

static void bar_on_a_terminal(void **state) {
  (void)state;
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  assert_true(slave >= 0);
  const int saved = divert(slave);
  const common_options common = {.threads = 1};
  geodisk_context *context = cli_context(&common);
  const bool done = context != NULL && run_task(context, 50, 1.3);
  geodisk_context_destroy(context);
  undivert(saved);
  assert_true(done);
  char text[OUTPUT];
  const ssize_t n = read(master, text, sizeof text - 1);
  close(slave);
  close(master);
  text[n > 0 ? n : 0] = 0;
  assert_non_null(strstr(text, "counting [####"));
  assert_non_null(strstr(text, "####] 100 %"));
  assert_non_null(strstr(text, "left, loss 1.5"));
  assert_true(n > 4 && strcmp(text + n - 4, "\r\033[K") == 0); /* the line is empty at the end */
}

static void interrupt(void **state) {
  (void)state;
  const common_options common = {.threads = 1, .quiet = true};
  geodisk_context *context = cli_context(&common);
  assert_non_null(context);
  assert_false(cli_interrupted());
  raise(SIGINT);
  assert_true(cli_interrupted());
  assert_false(run_task(context, 50, 0.05));
  assert_int_equal(cli_failed(context, GEODISK_ERROR_STOPPED), 130);
  assert_int_equal(cli_failed(context, geodisk_fail(context, GEODISK_ERROR_IO, "disk on fire")), EXIT_FAILED);
  struct sigaction action;
  sigaction(SIGINT, NULL, &action);
  assert_true(action.sa_handler == SIG_DFL); /* a second Ctrl-C ends the program */
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_task_shows_nothing), cmocka_unit_test(plain_lines), cmocka_unit_test(bar_on_a_terminal),
      cmocka_unit_test(interrupt), /* last: the flag stays */
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

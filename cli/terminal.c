/* terminal.c - the command's context: messages and progress on standard error, Ctrl-C and its kin.
 *
 * On a terminal, a task of more than a second shows one line that is drawn over and over; elsewhere a plain line now and then. */
#include "args.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Seconds: nothing is shown before FIRST; then the bar is drawn every REDRAW, a plain line every LINE. */
static const double FIRST = 1, REDRAW = 0.1, LINE = 10;
enum { BAR = 24 };

static volatile sig_atomic_t interrupted; /* the signal, set by its handler, which has nowhere else to write */

static struct {
  bool quiet, is_terminal;
  char task[64];              /* the running task, to notice the next one */
  double started, last_shown; /* seconds; last_shown 0: not shown yet */
  uint64_t first_done;        /* `done` of the first event: the rate counts from there */
  bool bar_on_screen;
} view;

double cli_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void erase_bar(void) {
  if (view.bar_on_screen)
    fputs("\r\033[K", stderr);
  view.bar_on_screen = false;
}

/* A field that the command calls otherwise. */
static const struct {
  const char *field, *option;
} renamed[] = {{"start", "init"}, {"rates", "lr-schedule"}, {"as_given", "no-reduce"}, {"weighted", "lengths"}};

/* The option of the field of `length` letters at text. */
static size_t put_option(const char *text, size_t length, char *out, size_t room) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
    if (strcmp(name, renamed[i].field) == 0)
      snprintf(name, sizeof name, "%s", renamed[i].option);
  for (char *p = name; *p != 0; p++)
    *p = *p == '_' ? '-' : *p;
  const int written = snprintf(out, room, "--%s", name);
  return (size_t)written < room ? (size_t)written : room - 1;
}

char *cli_translate(const char *text, char *out, size_t room) {
  size_t n = 0;
  while (*text != 0 && n + 1 < room) {
    const size_t length = *text == '`' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_") : 0;
    if (length > 0 && length < 60 && text[1 + length] == '`') {
      n += put_option(text + 1, length, out + n, room - n);
      text += length + 2;
    } else
      out[n++] = *text++;
  }
  out[n] = 0;
  return out;
}

static void on_log(void *user, geodisk_log_level level, const char *text) {
  (void)user;
  if (view.quiet)
    return;
  erase_bar();
  const char *warning = cli_coloured(STDERR_FILENO) ? "\033[1;33mwarning:\033[0m " : "warning: ";
  char translated[2048];
  fprintf(stderr, "geodisk: %s%s\n", level == GEODISK_LOG_WARNING ? warning : "",
          cli_translate(text, translated, sizeof translated));
}

/* 1234567 as "1.23 M". */
static void print_count(double count) {
  static const char *const suffix[] = {"", " k", " M", " G", " T"};
  int i = 0;
  for (; count >= 1000 && i < 4; i++)
    count /= 1000;
  fprintf(stderr, "%.3g%s", count, suffix[i]);
}

static void print_time(double seconds) {
  const long s = (long)(seconds + 0.5);
  if (s >= 3600)
    fprintf(stderr, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  else
    fprintf(stderr, "%ld:%02ld", s / 60, s % 60);
}

static void show(const geodisk_progress *p, double elapsed) {
  const double rate = (double)(p->done - view.first_done) / elapsed;
  if (view.is_terminal)
    fputs("\r\033[K", stderr);
  fprintf(stderr, "%s ", p->task);
  if (p->total > 0) {
    const double share = (double)p->done / (double)p->total;
    if (view.is_terminal) {
      fputc('[', stderr);
      for (int i = 0; i < BAR; i++)
        fputc((i + 0.5) / BAR < share ? '#' : '.', stderr);
      fputs("] ", stderr);
    }
    fprintf(stderr, "%.0f %%", 100 * share);
  } else {
    print_count((double)p->done);
    fprintf(stderr, " %s", p->unit);
  }
  fputs(", ", stderr);
  print_count(rate);
  fprintf(stderr, " %s/s", p->unit);
  if (p->total > p->done && rate > 0) {
    fputs(", ", stderr);
    print_time((double)(p->total - p->done) / rate);
    fputs(" left", stderr);
  }
  if (p->extra != NULL)
    fprintf(stderr, ", %s", p->extra);
  if (!view.is_terminal)
    fputc('\n', stderr);
  view.bar_on_screen = view.is_terminal;
}

static bool on_progress(void *user, const geodisk_progress *p) {
  (void)user;
  if (interrupted) {
    erase_bar();
    return false;
  }
  if (view.quiet)
    return true;
  const double time = cli_seconds();
  if (strncmp(view.task, p->task, sizeof view.task - 1) != 0 || p->done < view.first_done) {
    erase_bar();
    snprintf(view.task, sizeof view.task, "%s", p->task);
    view.started = time;
    view.last_shown = 0;
    view.first_done = p->done;
    return true;
  }
  const double elapsed = time - view.started;
  const bool finished = p->total > 0 && p->done >= p->total;
  if (elapsed >= FIRST && (time - view.last_shown >= (view.is_terminal ? REDRAW : LINE) || finished)) {
    show(p, elapsed);
    view.last_shown = time;
  }
  if (finished) {
    erase_bar();
    view.task[0] = 0;
  }
  return true;
}

static void on_interrupt(int signal_number) { interrupted = signal_number; }

bool cli_interrupted(void) { return interrupted != 0; }
int cli_interrupted_code(void) { return 128 + (interrupted != 0 ? (int)interrupted : SIGINT); }
void cli_interrupt(void) { interrupted = SIGINT; }

/* The first Ctrl-C, SIGTERM or SIGHUP asks the running task to stop, a second one ends the program at once. Who started us with
 * nohup does not want to hear of the third. */
void cli_listen(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, before;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    if (signals[i] != SIGHUP || (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN))
      sigaction(signals[i], &action, NULL);
}

/* Models are mapped: where another program cuts such a file short, or writes over it (geodisk puts another in its place, which
 * does no harm), reading on is impossible. */
static void on_bus_error(int signal_number, siginfo_t *info, void *unused) {
  static const char text[] = "\ngeodisk: error: a file was cut short by another program while it was being read\n";
  (void)unused;
  if (info->si_code == BUS_ADRERR && write(STDERR_FILENO, text, sizeof text - 1) > 0)
    _exit(EXIT_FAILED);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void listen_for_bus_errors(void) {
  struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, NULL);
}

geodisk_context *cli_context_or_null(const common_options *common) {
  geodisk_context *context = NULL;
  const geodisk_status status = geodisk_context_create((int)common->threads, &context);
  if (status == GEODISK_ERROR_ARGUMENT)
    cli_error("GEODISK_ISA='%s' is not an instruction set of this machine (avx512, avx2, sse2, neon, ref)",
              getenv("GEODISK_ISA"));
  else if (status != GEODISK_OK)
    cli_error("%s", geodisk_status_text(status));
  if (context == NULL)
    return NULL;
  view.quiet = common->quiet;
  view.is_terminal = isatty(STDERR_FILENO) == 1;
  geodisk_context_on_log(context, on_log, NULL);
  geodisk_context_on_progress(context, on_progress, NULL);
  cli_listen();
  listen_for_bus_errors();
  return context;
}

geodisk_context *cli_context(const common_options *common) {
  geodisk_context *context = cli_context_or_null(common);
  if (context == NULL)
    exit(EXIT_FAILED);
  return context;
}

int cli_failed(const geodisk_context *context, geodisk_status status) {
  erase_bar();
  if (status == GEODISK_ERROR_STOPPED && interrupted) {
    fputs("geodisk: interrupted\n", stderr);
    return cli_interrupted_code();
  }
  const char *text = geodisk_context_error(context);
  char translated[2048];
  return cli_error("%s", cli_translate(*text != 0 ? text : geodisk_status_text(status), translated, sizeof translated));
}

int cli_end(geodisk_context *context, geodisk_status status) {
  const int code = status == GEODISK_OK ? cli_finish() : cli_failed(context, status);
  geodisk_context_destroy(context);
  return code;
}

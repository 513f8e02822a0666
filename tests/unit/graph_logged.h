/* graph_logged.h - a context whose log is kept, for tests of what readers of graphs say. */
#ifndef GEODISK_GRAPH_LOGGED_H
#define GEODISK_GRAPH_LOGGED_H

#include "graph_testing.h"

typedef struct fixture {
  geodisk_context *context;
  char log[2048];
} fixture;

static void collect(void *user, geodisk_log_level level, const char *text) {
  fixture *f = user;
  const size_t used = strlen(f->log);
  snprintf(f->log + used, sizeof f->log - used, "%s%s\n", level == GEODISK_LOG_WARNING ? "W " : "I ", text);
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (f == NULL || geodisk_context_create(1, &f->context) != GEODISK_OK)
    return -1;
  geodisk_context_on_log(f->context, collect, f);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  geodisk_context_destroy(f->context);
  free(f);
  return 0;
}

#endif

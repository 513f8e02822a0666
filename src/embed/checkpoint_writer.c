/* checkpoint_writer.c - a checkpoint that is written while training goes on: a back-end with memory of its own sets the points
 * aside there, and a thread fetches and writes them; of a core, it puts the other nodes beside. The thread has a context of its
 * own, since errors are told by contexts. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "checkpoint.h"
#include "trainer.h"

struct checkpoint_writer {
  pthread_t thread;
  bool joined;
  const geodisk_trainer *t, *from; /* whose points these are: its own, or those of its core */
  geodisk_trainer whole;           /* as t is now, with the rows of the writer */
  void *core_rows;                 /* NULL: there is no core */
  bool *known;                     /* its nodes */
  geodisk_context *context;
  checkpoint c;
  geodisk_train_epoch *history;
  void *rows;
  char *path, *note;
  geodisk_status st;
  char why[512];
};
typedef struct checkpoint_writer writer;

static char *copy_of(const char *text) {
  const size_t size = text ? strlen(text) + 1 : 1;
  char *copy = geodisk_allocate(size, 1);
  if (copy)
    memcpy(copy, text ? text : "", size);
  return copy;
}

static void destroy(writer *w) {
  geodisk_context_destroy(w->context);
  geodisk_free_all(w->history, w->rows, w->core_rows, w->known, w->path, w->note, w);
}

/* All that is to be written, as it is now, but for the points. NULL: out of memory. */
static writer *make(geodisk_trainer *t, const char *path) {
  writer *w = geodisk_allocate_zero(1, sizeof *w);
  if (!w)
    return NULL;
  w->t = t;
  w->from = t->core ? embed_core_trainer(t->core) : t;
  if (t->core) {
    w->core_rows = embed_allocate_rows((w->from->nodes * row_bytes(t) + 63) / 64 * 64);
    w->known = geodisk_allocate(t->nodes, sizeof *w->known);
  }
  w->history = geodisk_allocate(t->history_rows, sizeof *w->history);
  w->rows = embed_allocate_rows((t->nodes * row_bytes(t) + 63) / 64 * 64);
  w->path = copy_of(path);
  w->note = copy_of(t->note);
  const bool enough = w->history && w->rows && w->path && w->note && (!t->core || (w->core_rows && w->known));
  if (!enough || geodisk_context_create(1, &w->context) != GEODISK_OK) {
    destroy(w);
    return NULL;
  }
  w->whole = *t;
  w->whole.rows = w->rows;
  memcpy(w->history, t->history, t->history_rows * sizeof *w->history);
  w->c = (checkpoint){.options = t->options,
                      .history = w->history,
                      .rows_kept = t->history_rows,
                      .position = t->position,
                      .note = t->note ? w->note : NULL,
                      .nodes = t->nodes,
                      .graph = t->graph,
                      .rows = w->rows};
  return w;
}

static void *write_aside(void *arg) {
  writer *w = arg;
  geodisk_model *model = NULL;
  w->st = w->from->backend->read_aside(w->from, w->core_rows ? w->core_rows : w->rows, w->why);
  if (w->st != GEODISK_OK)
    return NULL;
  if (w->core_rows)
    embed_core_spread(&w->whole, w->core_rows, w->known);
  w->c.fingerprint = geodisk_graph_fingerprint(w->t->graph);
  w->st = embed_model_of(w->context, w->t, &w->c, &model);
  if (w->st == GEODISK_OK)
    w->st = geodisk_model_write(w->context, model, w->path);
  geodisk_model_destroy(model);
  if (w->st != GEODISK_OK)
    snprintf(w->why, sizeof w->why, "%s", geodisk_context_error(w->context));
  return NULL;
}

void embed_writer_join(geodisk_trainer *t) {
  writer *w = t->writer;
  if (w && !w->joined)
    pthread_join(w->thread, NULL);
  if (w)
    w->joined = true;
}

geodisk_status geodisk_trainer_wait(geodisk_trainer *t) {
  writer *w = t->writer;
  if (!w)
    return GEODISK_OK;
  embed_writer_join(t);
  const geodisk_status st = w->st == GEODISK_OK ? GEODISK_OK : geodisk_fail(t->context, w->st, "%s", w->why);
  t->writer = NULL;
  destroy(w);
  return st;
}

geodisk_status geodisk_trainer_checkpoint(geodisk_trainer *t, const char *path) {
  const geodisk_status before = geodisk_trainer_wait(t);
  if (before != GEODISK_OK)
    return before;
  geodisk_trainer *from = t->core ? embed_core_trainer(t->core) : t;
  writer *w = t->graph && from->backend->set_aside ? make(t, path) : NULL;
  if (!w || from->backend->set_aside(from) != GEODISK_OK || pthread_create(&w->thread, NULL, write_aside, w) != 0) {
    if (w)
      destroy(w);
    return geodisk_trainer_save(t, path); /* which needs no second place for the points */
  }
  t->writer = w;
  return GEODISK_OK;
}

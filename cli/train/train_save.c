/* train_save.c - writes a model that is trained. Of a hierarchy it first learns to tell what is below what. */
#include "train_save.h"

#include <stdio.h>

#include "geodisk/auto.h"

/* Learns if there is something to learn, and writes: what was trained also where learning fails. */
static geodisk_status learn_and_write(geodisk_context *context, geodisk_model *model, const geodisk_graph *graph,
                                      const char *output) {
  const geodisk_status learned = geodisk_auto_learn(context, model, graph, NULL);
  char reason[512];
  snprintf(reason, sizeof reason, "%s", learned == GEODISK_OK ? "" : geodisk_context_error(context));
  const geodisk_status written = geodisk_model_write(context, model, output);
  if (written != GEODISK_OK || learned == GEODISK_OK)
    return written;
  return geodisk_fail(context, learned, "%s is saved without what tells what is below what: %s", output, reason);
}

/* The ranks have written the model; the first takes it up again. */
static geodisk_status learn_on_ranks(geodisk_context *context, const finished_training *f) {
  geodisk_graph *graph = NULL;
  geodisk_model *written = NULL;
  geodisk_status st = geodisk_model_read(context, f->output, &written);
  if (st == GEODISK_OK && (st = geodisk_graph_read(NULL, f->path, &f->source->read, NULL, &graph)) != GEODISK_OK)
    st = geodisk_fail(context, st, "%s is saved without what tells what is below what: %s cannot be read again", f->output,
                      f->path); /* what is amiss with it was said before */
  if (st == GEODISK_OK)
    st = learn_and_write(context, written, graph, f->output);
  geodisk_model_destroy(written);
  geodisk_graph_destroy(graph);
  return st;
}

/* Edges of a graph that one rank may hold whole, beside its share. */
enum { RANK_EDGES = 1 << 20 };

/* The edges of the graph, which no rank knows but by what it trained on. */
static uint64_t edges_of(const geodisk_trainer *trainer) {
  size_t n;
  const geodisk_train_epoch *history = geodisk_trainer_history(trainer, &n);
  return n > 0 ? history[n - 1].edges + history[n - 1].skipped : UINT64_MAX;
}

/* Up to there it learns; up to what one process would learn from it says who will. */
static geodisk_status learn_if_small(geodisk_context *context, const finished_training *f) {
  const uint64_t edges = edges_of(f->trainer);
  if (edges <= RANK_EDGES)
    return learn_on_ranks(context, f);
  if (edges <= GEODISK_HIERARCHY_EDGES)
    geodisk_log_event(context, GEODISK_LOG_INFO,
                      "ranks do not look whether the model can tell what is below what, which takes the whole graph in one "
                      "process: geodisk train --resume without mpirun does");
  return GEODISK_OK;
}

geodisk_status train_save(geodisk_context *context, const finished_training *f) {
  if (f->graph == NULL) {
    geodisk_status st = geodisk_trainer_save(f->trainer, f->output);
    if (st == GEODISK_OK && ranks_leads(f->mpi))
      st = learn_if_small(context, f);
    return geodisk_mpi_agree(context, f->mpi, st);
  }
  geodisk_model *model = NULL;
  geodisk_status st = geodisk_trainer_model(f->trainer, &model);
  if (st == GEODISK_OK)
    st = learn_and_write(context, model, f->graph, f->output);
  geodisk_model_destroy(model);
  return st;
}

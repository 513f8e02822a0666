/* checkpoint.c - the model over the trainer's rows, which is also its checkpoint: random numbers depend on seed and epoch alone,
 * so the points, the position, the options and the graph's fingerprint are all there is to remember. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trainer.h"

/* The history as a table of numbers, in this order; without times, so that the same training gives the same bytes. */
enum { HISTORY_COLUMNS = 8 };

static void history_row(const geodisk_train_epoch *e, double *out) {
  const double row[HISTORY_COLUMNS] = {(double)e->epoch, e->lr,    e->loss, e->held_out, (double)e->edges, (double)e->skipped,
                                       (double)e->clips, e->radius};
  memcpy(out, row, sizeof row);
}

static geodisk_train_epoch history_epoch(const double *row) {
  return (geodisk_train_epoch){.epoch = (uint64_t)row[0],
                               .lr = row[1],
                               .loss = row[2],
                               .held_out = row[3],
                               .edges = (uint64_t)row[4],
                               .skipped = (uint64_t)row[5],
                               .clips = (uint64_t)row[6],
                               .radius = row[7]};
}

/* [{"epoch":0,"lr":0.5,"loss":1.25,"radius":3.1,"clips":0}, ...]: without times, so that the same training gives the same bytes.
 */
static char *history_text(const geodisk_trainer *t) {
  char *text = geodisk_allocate(t->position + 1, 160), *end = text;
  if (!text)
    return NULL;
  *end++ = '[';
  for (uint64_t i = 0; i < t->position; i++) {
    const geodisk_train_epoch *e = &t->history[i];
    char lr[32], loss[32], radius[32];
    geodisk_format_double(e->lr, lr);
    geodisk_format_double(e->loss, loss);
    geodisk_format_double(e->radius, radius);
    end += snprintf(end, 160, "%s{\"epoch\":%" PRIu64 ",\"lr\":%s,\"loss\":%s,\"radius\":%s,\"clips\":%" PRIu64 "}", i ? "," : "",
                    e->epoch, lr, loss, radius, e->clips);
  }
  snprintf(end, 2, "]");
  return text;
}

static geodisk_status add_metadata(geodisk_trainer *t, geodisk_model *model) {
  char number[32];
  char *options = embed_options_text(&t->options), *history = history_text(t);
  geodisk_status st = GEODISK_ERROR_MEMORY;
  if (!options || !history) {
    geodisk_fail(t->context, st, "out of memory for the model's metadata");
    goto done;
  }
  if ((st = geodisk_model_set(t->context, model, "options", options)) != GEODISK_OK)
    goto done;
  if ((st = geodisk_model_set(t->context, model, "history", history)) != GEODISK_OK)
    goto done;
  snprintf(number, sizeof number, "%" PRIu64, t->options.seed);
  if ((st = geodisk_model_set(t->context, model, "seed", number)) != GEODISK_OK)
    goto done;
  snprintf(number, sizeof number, "%" PRIu64, t->position);
  if ((st = geodisk_model_set(t->context, model, "position", number)) != GEODISK_OK)
    goto done;
  snprintf(number, sizeof number, "%016" PRIx64, geodisk_graph_fingerprint(t->graph));
  if ((st = geodisk_model_set(t->context, model, "graph", number)) != GEODISK_OK)
    goto done;
  st = geodisk_model_set(t->context, model, "program", "geodisk " GEODISK_VERSION);
done:
  free(options);
  free(history);
  return st;
}

geodisk_status geodisk_trainer_model(geodisk_trainer *t, geodisk_model **out) {
  const bool flat = t->options.space == GEODISK_SPACE_EUCLIDEAN;
  geodisk_model_spec spec = {.nodes = t->nodes,
                             .ball = geodisk_unit_ball(t->options.dim),
                             .space = t->options.space,
                             .precision = t->options.precision,
                             .counts = true,
                             .vectors = t->rows,
                             .vectors_stride = t->stride,
                             .gap = flat ? NULL : (const char *)t->rows + (size_t)t->options.dim * row_bytes(t),
                             .gap_stride = flat ? 0 : t->stride};
  spec.names = geodisk_graph_names(t->graph, &spec.starts);
  geodisk_model *model = NULL;
  geodisk_status st = geodisk_model_create(t->context, &spec, &model);
  if (st != GEODISK_OK)
    return st;
  uint64_t *counts = geodisk_model_edit_counts(model); /* in how many edges a node stands */
  for (size_t u = 0; u < t->nodes; u++)
    counts[u] = t->out.offsets[u + 1] - t->out.offsets[u] + t->in.offsets[u + 1] - t->in.offsets[u];
  st = add_metadata(t, model);
  if (st != GEODISK_OK)
    geodisk_model_destroy(model);
  else
    *out = model;
  return st;
}

geodisk_status embed_save(geodisk_trainer *t, const char *path) {
  geodisk_model *model = NULL;
  void *rows = NULL;
  geodisk_status st = geodisk_trainer_model(t, &model);
  if (st != GEODISK_OK)
    return st;
  const geodisk_tensor tensor = {.type = GEODISK_TYPE_F64, .rank = 2, .shape = {t->position, HISTORY_COLUMNS}};
  if (t->position > 0 && (st = geodisk_model_add_tensor(t->context, model, "history", &tensor, &rows)) == GEODISK_OK)
    for (uint64_t i = 0; i < t->position; i++)
      history_row(&t->history[i], (double *)rows + i * HISTORY_COLUMNS);
  if (st == GEODISK_OK)
    st = geodisk_model_write(t->context, model, path);
  geodisk_model_destroy(model);
  return st;
}

geodisk_status geodisk_trainer_save(geodisk_trainer *t, const char *path) { return t->backend->save(t, path); }

/* ---- resuming ---- */

static geodisk_status read_position(geodisk_context *context, const geodisk_model *model, const char *path, uint64_t *position,
                                    geodisk_tensor *history) {
  const char *text = geodisk_model_get(model, "position");
  if (!text)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: a model, but not a checkpoint of geodisk's trainer", path);
  *position = strtoull(text, NULL, 10);
  *history = (geodisk_tensor){0};
  if (*position == 0)
    return GEODISK_OK;
  if (!geodisk_model_tensor(model, "history", history) || history->type != GEODISK_TYPE_F64 || history->rank != 2 ||
      history->shape[0] != *position || history->shape[1] != HISTORY_COLUMNS)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: field \"history\" is missing or does not fit position %s", path,
                        text);
  return GEODISK_OK;
}

static geodisk_status check_graph(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                  const char *path) {
  char fingerprint[32];
  const char *text = geodisk_model_get(model, "graph");
  snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, geodisk_graph_fingerprint(graph));
  if (text && strcmp(text, fingerprint) == 0 && geodisk_model_nodes(model) == geodisk_graph_nodes(graph))
    return GEODISK_OK;
  return geodisk_fail(
      context, GEODISK_ERROR_ARGUMENT,
      "%s: its graph is another one (fingerprint %s, %zu nodes; now %s, %zu nodes): train anew, or start from it with "
      "--init",
      path, text ? text : "unknown", geodisk_model_nodes(model), fingerprint, geodisk_graph_nodes(graph));
}

geodisk_status geodisk_trainer_resume(geodisk_context *context, const geodisk_graph *graph, const char *path,
                                      const geodisk_train_options *options, geodisk_trainer **out) {
  geodisk_model *model = NULL;
  geodisk_trainer *t = NULL;
  geodisk_train_options saved = geodisk_train_defaults();
  geodisk_tensor history;
  uint64_t position = 0;
  char changes[512];
  geodisk_status st = geodisk_model_read(context, path, &model);
  if (st != GEODISK_OK)
    return st;
  if ((st = read_position(context, model, path, &position, &history)) != GEODISK_OK)
    goto done;
  if ((st = check_graph(context, model, graph, path)) != GEODISK_OK)
    goto done;
  const char *text = geodisk_model_get(model, "options");
  if (!text || !embed_options_from_text(text, &saved)) {
    st = geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: field \"options\" is missing or malformed", path);
    goto done;
  }
  if (options && embed_options_changed(&saved, options, changes, sizeof changes)) {
    st = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s was trained with other options: %s", path, changes);
    goto done;
  }
  if (options)
    saved.epochs = options->epochs;
  saved.start = model; /* every node is known: it begins where the checkpoint has it */
  if ((st = geodisk_trainer_create(context, graph, &saved, &t)) != GEODISK_OK)
    goto done;
  t->options.start = NULL;
  t->history_room = position + 64;
  t->history = geodisk_allocate(t->history_room, sizeof *t->history);
  if (!t->history) {
    st = geodisk_fail(context, GEODISK_ERROR_MEMORY, "out of memory for the history");
    goto done;
  }
  for (t->position = 0; t->position < position;) { /* what was decided on the way is decided again */
    t->history[t->position] = history_epoch((const double *)history.data + t->position * HISTORY_COLUMNS);
    t->position++;
    if (saved.epochs == GEODISK_AUTO_EPOCHS)
      embed_follow(t);
  }
  *out = t;
  t = NULL;
done:
  geodisk_trainer_destroy(t);
  geodisk_model_destroy(model);
  return st;
}

/* checkpoint.c - the model over the trainer's rows, which is also its checkpoint: random numbers depend on seed and epoch alone,
 * so the points, the position, the options and the graph's fingerprint are all there is to remember. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "placement/placement.h"
#include "trainer.h"

/* Of the loop: a checkpoint of another one cannot go on. */
#define TRAINER_VERSION "2"

/* The history as a table of numbers; without times, so that the same training gives the same bytes. */
#define HISTORY_NAMES "epoch lr loss sample edges skipped clips radius pairs"
enum { HISTORY_COLUMNS = 9 };

static void history_row(const geodisk_train_epoch *e, double *out) {
  const double row[HISTORY_COLUMNS] = {
      (double)e->epoch, e->lr,     e->loss,         e->sample, (double)e->edges, (double)e->skipped,
      (double)e->clips, e->radius, (double)e->pairs};
  memcpy(out, row, sizeof row);
}

/* Whether a row of the history may be read: its counts are whole numbers. The epochs have been looked at when the model was read.
 */
static bool history_row_fine(const double *row) {
  static const int counts[] = {4, 5, 6, 8};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    const double count = row[counts[i]];
    if (!(count >= 0.0 && count <= 0x1p62) || count != floor(count))
      return false;
  }
  return true;
}

static geodisk_train_epoch history_epoch(const double *row) {
  return (geodisk_train_epoch){.epoch = (uint64_t)row[0],
                               .lr = row[1],
                               .loss = row[2],
                               .sample = row[3],
                               .edges = (uint64_t)row[4],
                               .skipped = (uint64_t)row[5],
                               .clips = (uint64_t)row[6],
                               .radius = row[7],
                               .pairs = (uint64_t)row[8]};
}

static geodisk_status add_history(geodisk_context *context, const checkpoint *c, geodisk_model *model) {
  double *rows = geodisk_allocate(c->rows_kept, HISTORY_COLUMNS * sizeof *rows);
  if (!rows)
    return geodisk_no_memory(context, "for the history");
  for (size_t i = 0; i < c->rows_kept; i++)
    history_row(&c->history[i], rows + i * HISTORY_COLUMNS);
  const geodisk_history history = {c->rows_kept, HISTORY_COLUMNS, HISTORY_NAMES, rows};
  const geodisk_status st = geodisk_model_set_history(context, model, &history);
  free(rows);
  return st;
}

static geodisk_status add_metadata(geodisk_context *context, const checkpoint *c, geodisk_model *model) {
  char number[32];
  char *options = embed_options_text(&c->options);
  geodisk_status st = GEODISK_ERROR_MEMORY;
  if (!options) {
    geodisk_fail(context, st, "out of memory for the model's metadata");
    goto done;
  }
  if ((st = geodisk_model_set(context, model, "options", options)) != GEODISK_OK)
    goto done;
  if ((st = add_history(context, c, model)) != GEODISK_OK)
    goto done;
  snprintf(number, sizeof number, "%" PRIu64, c->options.seed);
  if ((st = geodisk_model_set(context, model, "seed", number)) != GEODISK_OK)
    goto done;
  snprintf(number, sizeof number, "%" PRIu64, c->position);
  if ((st = geodisk_model_set(context, model, "position", number)) != GEODISK_OK)
    goto done;
  snprintf(number, sizeof number, "%016" PRIx64, c->fingerprint);
  if ((st = geodisk_model_set(context, model, "graph", number)) != GEODISK_OK)
    goto done;
  if ((st = geodisk_model_set(context, model, "trainer", TRAINER_VERSION)) != GEODISK_OK)
    goto done;
  if (c->note && (st = geodisk_model_set(context, model, "choice", c->note)) != GEODISK_OK)
    goto done;
  st = geodisk_model_set(context, model, "program", "geodisk " GEODISK_VERSION);
done:
  free(options);
  return st;
}

geodisk_status embed_checkpoint_model(geodisk_context *context, const checkpoint *c, geodisk_model **out) {
  const geodisk_train_options *o = &c->options;
  const bool flat = o->space == GEODISK_SPACE_EUCLIDEAN;
  const bool single = o->precision == GEODISK_PRECISION_FLOAT;
  const size_t stride = embed_stride(o), gap = stride - 1, bytes = single ? sizeof(float) : sizeof(double);
  const geodisk_model_spec spec = {.nodes = c->nodes,
                                   .ball = geodisk_unit_ball(o->dim),
                                   .space = o->space,
                                   .precision = o->precision,
                                   .counts = true,
                                   .vectors = c->rows,
                                   .vectors_stride = stride,
                                   .gap = flat ? NULL : (const char *)c->rows + gap * bytes,
                                   .gap_stride = flat ? 0 : stride,
                                   .graph = c->graph,
                                   .names = c->names,
                                   .starts = c->starts};
  geodisk_model *model = NULL;
  geodisk_status st = geodisk_model_create(context, &spec, &model);
  if (st == GEODISK_OK)
    st = add_metadata(context, c, model);
  if (st != GEODISK_OK)
    geodisk_model_destroy(model);
  else
    *out = model;
  return st;
}

static geodisk_status checkpoint_of(const geodisk_trainer *t, checkpoint *out) {
  checkpoint c = {.options = t->options,
                  .history = t->history,
                  .rows_kept = t->history_rows,
                  .position = t->position,
                  .note = t->note,
                  .fingerprint = geodisk_graph_fingerprint(t->graph),
                  .nodes = t->nodes,
                  .graph = t->graph,
                  .rows = t->rows};
  *out = c;
  return embed_core_gather(t);
}

geodisk_status embed_model_of(geodisk_context *context, const geodisk_trainer *t, const checkpoint *c, geodisk_model **out) {
  const geodisk_status st = embed_checkpoint_model(context, c, out);
  if (st != GEODISK_OK)
    return st;
  uint64_t *counts = geodisk_model_edit_counts(*out); /* in how many edges a node stands */
  for (size_t u = 0; u < t->nodes; u++)
    counts[u] = t->out.offsets[u + 1] - t->out.offsets[u] + t->in.offsets[u + 1] - t->in.offsets[u];
  return st;
}

/* Whether there can be a model of its points in this process. */
static geodisk_status check_names(const geodisk_trainer *t) {
  if (t->graph)
    return GEODISK_OK;
  return geodisk_fail(t->context, GEODISK_ERROR_UNSUPPORTED,
                      t->out.offsets ? "nodes without names make no model: ask for their points"
                                     : "the points are spread over ranks: save the model and read it");
}

geodisk_status geodisk_trainer_model(geodisk_trainer *t, geodisk_model **out) {
  const geodisk_status refused = check_names(t);
  if (refused != GEODISK_OK)
    return refused;
  checkpoint c;
  const geodisk_status st = checkpoint_of(t, &c);
  return st == GEODISK_OK ? embed_model_of(t->context, t, &c, out) : st;
}

geodisk_status embed_save(geodisk_trainer *t, const char *path) {
  geodisk_model *model = NULL;
  checkpoint c;
  geodisk_status st = check_names(t);
  if (st == GEODISK_OK)
    st = checkpoint_of(t, &c);
  if (st == GEODISK_OK)
    st = embed_model_of(t->context, t, &c, &model);
  if (st != GEODISK_OK)
    return st;
  st = geodisk_model_write(t->context, model, path);
  geodisk_model_destroy(model);
  return st;
}

geodisk_status geodisk_trainer_save(geodisk_trainer *t, const char *path) {
  (void)geodisk_trainer_wait(t); /* what it comes to is overtaken by this one */
  return t->backend->save(t, path);
}

/* ---- resuming ---- */

/* Where training was, which must agree with the last epoch of the history. */
static geodisk_status read_position(geodisk_context *context, const geodisk_model *model, const char *path, uint64_t *position,
                                    geodisk_history *history) {
  const char *text = geodisk_model_get(model, "position"), *version = geodisk_model_get(model, "trainer");
  double number = 0.0;
  if (!text)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: a model, but not a checkpoint of geodisk's trainer", path);
  if (!version || strcmp(version, TRAINER_VERSION) != 0)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "%s: a checkpoint of version %s of the training loop; this is version " TRAINER_VERSION
                        ": train anew, or start from it as a model",
                        path, version ? version : "1");
  if (!geodisk_parse_double(text, strlen(text), &number) || !(number >= 0.0 && number <= 0x1p53) || number != floor(number))
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: field \"position\" is no whole number: %s", path, text);
  *position = (uint64_t)number;
  *history = (geodisk_history){0};
  if (*position == 0)
    return GEODISK_OK;
  if (!geodisk_model_history(model, history) || history->columns != HISTORY_COLUMNS ||
      strcmp(history->names, HISTORY_NAMES) != 0 || history->values[(history->rows - 1) * HISTORY_COLUMNS] != number - 1.0)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: field \"history\" is missing or does not fit position %s", path,
                        text);
  return GEODISK_OK;
}

static geodisk_status check_graph(geodisk_context *context, const geodisk_model *model, size_t nodes, const char *path,
                                  const checkpoint_graph *graph) {
  char fingerprint[32];
  const char *text = geodisk_model_get(model, "graph");
  snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, graph->fingerprint);
  if (text && strcmp(text, fingerprint) == 0 && nodes == graph->nodes)
    return GEODISK_OK;
  return geodisk_fail(
      context, GEODISK_ERROR_ARGUMENT,
      "%s: its graph is another one (fingerprint %s, %zu nodes; now %s, %zu nodes): train anew, or start from it as a model",
      path, text ? text : "unknown", nodes, fingerprint, graph->nodes);
}

static geodisk_status read_options(geodisk_context *context, const geodisk_model *model, const char *path,
                                   geodisk_train_options *out) {
  const char *text = geodisk_model_get(model, "options");
  if (!text || !embed_options_from_text(text, out))
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: field \"options\" is missing or malformed", path);
  if (embed_check_options(NULL, out) != GEODISK_OK || out->core_epochs == GEODISK_CORE_EPOCHS_AUTO ||
      out->epochs == GEODISK_EPOCHS_AUTO)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: field \"options\" has a number out of range", path);
  return GEODISK_OK;
}

geodisk_status geodisk_train_resumed(geodisk_context *context, const char *path, geodisk_train_options *out) {
  geodisk_train_options options = geodisk_train_defaults();
  geodisk_model *model = NULL;
  geodisk_history history;
  uint64_t position;
  geodisk_status st = geodisk_model_read(context, path, &model);
  if (st == GEODISK_OK)
    st = read_position(context, model, path, &position, &history);
  if (st == GEODISK_OK)
    st = read_options(context, model, path, &options);
  geodisk_model_destroy(model);
  if (st == GEODISK_OK)
    *out = options;
  return st;
}

geodisk_status embed_checkpoint_read(geodisk_context *context, const geodisk_model *model, size_t nodes, const char *path,
                                     const checkpoint_graph *graph, const geodisk_train_options *options, checkpoint_found *out) {
  checkpoint_found found = {.options = geodisk_train_defaults()};
  geodisk_history history;
  char changes[512];
  geodisk_status st = read_position(context, model, path, &found.position, &history);
  if (st == GEODISK_OK)
    st = check_graph(context, model, nodes, path, graph);
  if (st == GEODISK_OK)
    st = read_options(context, model, path, &found.options);
  if (st != GEODISK_OK)
    return st;
  if (options && embed_options_changed(&found.options, options, changes, sizeof changes))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s was trained with other options: %s", path, changes);
  if (options && options->epochs != GEODISK_EPOCHS_AUTO)
    found.options.epochs = options->epochs;
  found.rows = history.rows;
  found.history = geodisk_allocate(found.rows + 64, sizeof *found.history);
  if (!found.history)
    return geodisk_no_memory(context, "for the history");
  for (size_t i = 0; i < found.rows; i++) {
    const double *row = history.values + i * HISTORY_COLUMNS;
    if (!history_row_fine(row)) {
      free(found.history);
      return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: history: row %zu has a count that is no whole number", path, i);
    }
    found.history[i] = history_epoch(row);
  }
  *out = found;
  return GEODISK_OK;
}

geodisk_status geodisk_trainer_resume(geodisk_context *context, const geodisk_graph *graph, const char *path,
                                      const geodisk_train_options *options, geodisk_trainer **out) {
  geodisk_model *model = NULL;
  geodisk_trainer *t = NULL;
  checkpoint_found found = {.history = NULL};
  geodisk_status st = geodisk_model_read(context, path, &model);
  if (st != GEODISK_OK)
    return st;
  const checkpoint_graph now = {geodisk_graph_fingerprint(graph), geodisk_graph_nodes(graph)};
  if ((st = embed_checkpoint_read(context, model, geodisk_model_nodes(model), path, &now, options, &found)) != GEODISK_OK)
    goto done;
  const uint64_t core_epochs = found.options.core_epochs;
  found.options.start = model; /* every node is known: it begins where the checkpoint has it */
  found.options.core_epochs = 0;
  found.options.device = options ? options->device : GEODISK_DEVICE_CPU;
  if ((st = geodisk_trainer_create(context, graph, &found.options, &t)) != GEODISK_OK)
    goto done;
  t->options.start = NULL;
  t->options.core_epochs = core_epochs;
  embed_go_on(t, &found);
  const char *note = geodisk_model_get(model, "choice");
  if (note && (st = geodisk_trainer_note(t, note)) != GEODISK_OK) {
    geodisk_trainer_destroy(t);
    goto done;
  }
  *out = t;
done:
  free(found.history);
  geodisk_model_destroy(model);
  return st;
}

void embed_go_on(geodisk_trainer *t, checkpoint_found *found) {
  t->history = found->history;
  t->history_rows = found->rows;
  t->history_room = found->rows + 64;
  t->position = found->position;
  found->history = NULL;
}

/* checkpoint.h - what a checkpoint of the trainer says, apart from where its points come from: so that a plain process and
 * back-ends write and read the same files. Seen by src/embed and the back-ends. */
#pragma once

#include "geodisk/embed.h"

/* All that is remembered; nodes, names and rows may be those of a range of the nodes. */
typedef struct checkpoint {
  geodisk_train_options options;
  const geodisk_train_epoch *history;
  size_t rows_kept;     /* of the history */
  uint64_t position;    /* epochs done */
  const char *note;     /* kept as "choice", or NULL */
  uint64_t fingerprint; /* of the graph */
  size_t nodes;
  const geodisk_graph *graph; /* with these nodes, whose names are shared; or NULL, and names: */
  const char *names;
  const uint64_t *starts; /* nodes + 1, from 0 */
  const void *rows;       /* nodes x embed_stride(options) */
} checkpoint;

/* A model over the rows and names, which must outlive it, with the metadata of the checkpoint; counts are 0, to be filled in. */
geodisk_status embed_checkpoint_model(geodisk_context *context, const checkpoint *c, geodisk_model **out);

/* The same with the counts of a trainer that has the whole graph. */
geodisk_status embed_model_of(geodisk_context *context, const geodisk_trainer *t, const checkpoint *c, geodisk_model **out);

/* What to go on from. */
typedef struct checkpoint_found {
  geodisk_train_options options; /* as they were saved, with the wanted number of epochs */
  uint64_t position;
  geodisk_train_epoch *history; /* `rows` entries, room for 64 more; free() it */
  size_t rows;
} checkpoint_found;

/* The graph that training is to go on with. */
typedef struct checkpoint_graph {
  uint64_t fingerprint;
  size_t nodes;
} checkpoint_graph;

/* Reads what a model of `nodes` nodes in all says about its training, and checks that it belongs to the graph and to the options
 * (NULL: whatever they were). Errors: FORMAT, ARGUMENT (another graph, other options), MEMORY. */
geodisk_status embed_checkpoint_read(geodisk_context *context, const geodisk_model *model, size_t nodes, const char *path,
                                     const checkpoint_graph *graph, const geodisk_train_options *options, checkpoint_found *out);

/* Puts a new trainer where the checkpoint was; takes over the history. */
void embed_go_on(geodisk_trainer *t, checkpoint_found *found);

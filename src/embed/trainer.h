/* trainer.h - what the sources of src/embed share and no back-end outside needs. */
#pragma once

#include "backend.h"
#include "placement/placement.h"

/* spanning.c */
typedef struct spanning_forest {
  uint32_t *parent; /* NO_NODE for a root */
  uint32_t *leaves; /* below each node, itself if it is one */
  uint32_t *queue;  /* scratch, nodes */
  uint32_t *depth;
} spanning_forest;
/* The forest, in a room of 32 bytes a node, and t->order. */
spanning_forest embed_span(geodisk_trainer *t, void *room);

/* arcs.c */
/* Points on arcs of the circle (docs/training.md). False if memory is short. */
bool embed_place_on_arcs(geodisk_trainer *t, const spanning_forest *f);

/* placement.c */
geodisk_status embed_place(geodisk_trainer *t);
void embed_set_row(const geodisk_trainer *t, uint32_t node, const double *x, double gap);
void embed_get_row(const geodisk_trainer *t, uint32_t node, double *x, double *gap);
/* Of the known parents of u (all, if NULL) the one with most parents, the first of several: in a closure the nearest. */
uint32_t embed_nearest_parent(const geodisk_trainer *t, uint32_t u, const bool *known);
/* Puts every node that is not known beside a parent or child that is, which makes it known. */
void embed_place_beside(const geodisk_trainer *t, bool *known);

/* core.c */
/* One of the first core_epochs; after the last all rows are in place. */
geodisk_status embed_core_epoch(geodisk_trainer *t, geodisk_train_epoch *out);
/* The points in t->rows, wherever they are; meanwhile as if it had been the last. */
geodisk_status embed_core_gather(const geodisk_trainer *t);
void embed_core_destroy(embed_core *core);
geodisk_trainer *embed_core_trainer(const embed_core *core);
/* Puts the core's rows where they belong among t->rows, and all other nodes beside them. known: scratch, one for each node. */
void embed_core_spread(const geodisk_trainer *t, const void *core_rows, bool *known);

/* trainer.c */
geodisk_status embed_create_core(const geodisk_trainer *whole, const geodisk_graph *graph, geodisk_trainer **out);

/* trainer_device.c: epochs run on a device if the options want it */
geodisk_status embed_device_attach(geodisk_trainer *t);

/* negatives.c */
geodisk_status embed_alias_create(geodisk_trainer *t);
geodisk_status embed_inner_create(geodisk_trainer *t);

/* checkpoint_writer.c: waits for what is being written, and leaves telling what it came to for later */
void embed_writer_join(geodisk_trainer *t);

/* checkpoint.c */
geodisk_status embed_save(geodisk_trainer *t, const char *path);

/* stopping.c */
geodisk_status embed_sample_create(geodisk_trainer *t);

/* trainer.h - what the sources of src/embed share and no back-end outside needs. */
#ifndef GEODISK_EMBED_TRAINER_H
#define GEODISK_EMBED_TRAINER_H

#include "backend.h"

/* spanning.c */
typedef struct spanning_forest {
  uint32_t *parent; /* NO_NODE for a root */
  uint32_t *queue;  /* scratch, nodes */
  uint32_t *depth;
} spanning_forest;
/* Fills the forest, the leaves below each node (itself if it is one), and t->order. spare: 16 bytes per node. */
void embed_span(geodisk_trainer *t, spanning_forest *f, uint32_t *leaves, void *spare);

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
void embed_core_gather(const geodisk_trainer *t); /* meanwhile: all rows as if it had been the last */
void embed_core_destroy(embed_core *core);

/* options.c */
geodisk_train_options embed_core_options(const geodisk_train_options *options);

/* trainer.c */
geodisk_status embed_one_epoch(geodisk_trainer *t, geodisk_train_epoch *out); /* neither counted nor kept in the history */

/* strata.c */
geodisk_status embed_strata_create(geodisk_trainer *t);
void embed_strata_destroy(geodisk_trainer *t);
void embed_deal(geodisk_trainer *t, uint64_t epoch);
/* After the deal: the links of some rounds. False: out of memory. */
bool embed_sort_links(geodisk_trainer *t, uint32_t from_round, uint32_t to_round);
pool embed_pool(const geodisk_trainer *t, uint32_t part, geodisk_sampling sampling, alias *table);
bool embed_build_aliases(geodisk_trainer *t); /* for drawing by degree inside each part; false: out of memory */
tally embed_strata_epoch(geodisk_trainer *t, const episode *e);

/* sampler.c */
void embed_start_stream(worker *w, uint64_t stream);
uint32_t embed_word(geodisk_trainer *t, worker *w);
uint32_t embed_below(geodisk_trainer *t, worker *w, uint32_t n); /* without bias */
/* The next n, at most as many as TRAIN_AT_ONCE steps have rows. They stay until the next call. */
const uint16_t *embed_halves(geodisk_trainer *t, worker *w, size_t n);
/* Steps that are to be taken side by side, which must not share a row: their negatives are drawn together. */
typedef struct company {
  train_step steps[TRAIN_AT_ONCE]; /* given are u and index */
  size_t count;
  uint32_t place[2 * TRAIN_AT_ONCE]; /* in the pool: of the sources, then of other rows there that move */
  size_t places;
  bool apart; /* out: no negative is a row of another step; not so where complements are too small for that */
} company;

/* Fills the steps' lists with up to `wanted` distinct negatives. */
void embed_negatives(geodisk_trainer *t, worker *w, const pool *from, geodisk_sampling sampling, size_t wanted, company *c);

/* step.c. Rows to move are in a step's index: the negatives, then the positives. */
/* The steps of edges; those without negatives are counted and skipped. */
void embed_steps(geodisk_trainer *t, worker *w, const train_rule *rule, company *c, tally *sum);
/* Any steps that share no row that moves. likelihoods (or NULL): the sums of their negatives'. */
void embed_take_steps(geodisk_trainer *t, worker *w, const train_rule *rule, train_step *steps, size_t count, double *likelihoods,
                      tally *sum);
/* Moves v only, towards `sources` rows, each with the sum that embed_take_steps gave for it; they are listed in w->index. */
void embed_pull_target(geodisk_trainer *t, worker *w, const train_rule *rule, uint32_t v, size_t sources, const double *weights,
                       const void *others);

/* checkpoint.c */
geodisk_status embed_save(geodisk_trainer *t, const char *path);

/* converge.c */
geodisk_status embed_held_out_create(geodisk_trainer *t);
uint32_t embed_source_of(const geodisk_trainer *t, uint64_t edge);

/* grouped.c, async.c */
tally embed_grouped_epoch(geodisk_trainer *t, const episode *e);
tally embed_async_epoch(geodisk_trainer *t, const episode *e);

#endif

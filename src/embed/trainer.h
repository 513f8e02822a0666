/* trainer.h - the trainer's state, shared by the sources of src/embed. */
#ifndef GEODISK_EMBED_TRAINER_H
#define GEODISK_EMBED_TRAINER_H

#include "geodisk/embed.h"
#include "kernel/train.h"

/* Streams of random numbers: the upper 8 bits say what for, the rest epoch and place, so that no two uses ever share a stream. */
enum { STREAM_PLACE = 1, STREAM_DEAL = 2, STREAM_BUCKET = 3, STREAM_GROUP = 4, STREAM_ASYNC = 5, STREAM_HELD_OUT = 6 };
static inline uint64_t stream_of(int use, uint64_t epoch, uint64_t place) {
  return (uint64_t)use << 56 | (epoch & 0xFFFFFFFFu) << 24 | (place & 0xFFFFFFu);
}

enum { MOST_PARTS = 256 };

/* The nodes of an epoch dealt into parts: nodes[first[p] .. first[p+1]) are those of part p, in the order of trainer->order; the
 * place of a node in its part is its place there less first[p]. links[start[a*parts + b] .. next) are the edges from part a to
 * part b as pairs of places; those of one source lie together. */
typedef struct strata {
  uint32_t parts;
  uint8_t *part_of;  /* nodes */
  uint32_t *nodes;   /* nodes */
  uint32_t *place;   /* nodes: where each stands in `nodes` */
  uint32_t *first;   /* parts + 1 */
  uint64_t *start;   /* parts * parts + 1 */
  uint32_t *inner;   /* nodes, by where they stand: their first link within their own part, among those of the part */
  size_t largest;    /* the most nodes of a part */
  void *links;       /* pairs of uint16_t, or of uint32_t if wide; those of rounds from_round to to_round - 1 */
  uint64_t room;     /* for so many */
  size_t most_links; /* an epoch of more edges is sorted and trained a few rounds at a time */
  uint32_t from_round, to_round;
  bool wide; /* a part has more than 2^16 - 1 nodes */
} strata;

typedef struct pair {
  uint32_t source, target; /* places in their parts */
} pair;

static inline pair link_at(const strata *s, uint64_t i) {
  if (s->wide) {
    const uint32_t *at = (const uint32_t *)s->links + 2 * i;
    return (pair){at[0], at[1]};
  }
  const uint16_t *at = (const uint16_t *)s->links + 2 * i;
  return (pair){at[0], at[1]};
}

enum { WORDS = 256, PLACES = 2 * WORDS, MOST_TAKEN = 64, AHEAD = 4 };
#define NO_NODE UINT32_MAX

/* What a thread needs for itself. */
typedef struct worker {
  uint16_t *stamp; /* places in a part: the last step that took the node there as positive or negative */
  uint16_t step;   /* counts steps; starts anew (and clears stamps) when it wraps */
  uint32_t *index; /* AHEAD lists of rows, each of index_room */
  size_t index_room;
  uint32_t words[WORDS]; /* of the stream, those before words_used gone */
  size_t words_used;
  uint16_t places[PLACES]; /* uniform draws from a pool of places_of nodes, made in advance; those before places_used gone */
  size_t places_used;
  uint32_t places_of;
  uint64_t stream, position;
  uint32_t source;            /* whose positives `taken` lists, or no node */
  uint32_t taken[MOST_TAKEN]; /* places in the pool that are u itself or its positives */
  size_t taken_count;
  bool crowded; /* there are more */
  uint32_t hub; /* the node whose complement `rest` lists, or no node */
  uint32_t *rest;
  size_t rest_count;
  uint32_t *randoms;
  void *scratch;
} worker;

/* Walker's alias table: draws i with probability proportional to its weight in constant time. */
typedef struct alias {
  uint32_t *other;
  uint32_t *threshold; /* keep i if a random word is below */
} alias;

/* Where negatives may come from: a part, with a table for drawing them by degree (or NULL: uniform). */
typedef struct pool {
  uint32_t part;
  const uint32_t *nodes;
  uint32_t count;
  const alias *alias;
  const char *rows; /* those drawn are fetched at once */
  size_t row_bytes;
} pool;

typedef struct held_out held_out;
#define NOT_COOLING UINT64_MAX

struct geodisk_trainer {
  geodisk_context *context;
  const geodisk_graph *graph;
  geodisk_graph_rows out, in;
  geodisk_train_options options;
  const train_table *kernel;
  size_t nodes, edges, stride, longest; /* longest: the most rows of one step */
  double mean_weight;
  void *rows;         /* nodes x stride, of the options' precision; grouped: as many again, for copies of targets */
  double *group_sums; /* grouped: per source, the likelihoods of its negatives */
  bool *is_target;    /* grouped: per node */
  uint32_t *order;    /* the nodes in depth-first order of the hierarchy; by number where nothing depends on it */
  strata strata;
  alias aliases; /* as long as nodes; the table of part p begins at first[p] */
  worker *workers;
  int worker_count;
  bool *busy; /* which workers are taken */
  void *lock;
  uint64_t position;      /* epochs done, burn-in included */
  held_out *held_out;     /* epochs auto, else NULL */
  uint64_t cooling, last; /* epochs auto: when the rate began to cool down, or NOT_COOLING, and when training ends */
  geodisk_train_epoch *history;
  size_t history_room;
};

/* What an epoch adds up, per bucket in fixed order. */
typedef struct tally {
  double loss, ratio; /* as in train_result */
  uint64_t edges, skipped, clips;
  bool bad;
  uint32_t bad_child, bad_parent;
} tally;

static const tally nothing = {.ratio = 1.0};
/* What an epoch returns when memory is out. */
static const tally out_of_memory = {.ratio = 1.0, .bad = true, .bad_child = NO_NODE, .bad_parent = NO_NODE};

static inline size_t row_bytes(const geodisk_trainer *t) {
  return t->options.precision == GEODISK_PRECISION_FLOAT ? sizeof(float) : sizeof(double);
}

/* options.c */
geodisk_status embed_check_options(geodisk_context *context, const geodisk_train_options *options);
double embed_rate(const geodisk_train_options *options, uint64_t epoch);
double embed_cooling_rate(const geodisk_train_options *options, uint64_t epoch, uint64_t epochs); /* of so many */
char *embed_options_text(const geodisk_train_options *options);                                   /* JSON; free() */
bool embed_options_changed(const geodisk_train_options *a, const geodisk_train_options *b, char *text, size_t size);
bool embed_options_from_text(const char *text, geodisk_train_options *options);

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
void embed_set_row(geodisk_trainer *t, uint32_t node, const double *x, double gap);
void embed_get_row(const geodisk_trainer *t, uint32_t node, double *x, double *gap);

/* strata.c */
geodisk_status embed_strata_create(geodisk_trainer *t);
void embed_strata_destroy(geodisk_trainer *t);
void embed_deal(geodisk_trainer *t, uint64_t epoch);
/* After the deal: the links of some rounds. False: out of memory. */
bool embed_sort_links(geodisk_trainer *t, uint32_t from_round, uint32_t to_round);
pool embed_pool(const geodisk_trainer *t, uint32_t part, geodisk_sampling sampling, alias *table);
bool embed_build_aliases(geodisk_trainer *t); /* for drawing by degree inside each part; false: out of memory */
tally embed_strata_epoch(geodisk_trainer *t, const train_rule *rule, uint64_t epoch, geodisk_sampling sampling);

/* sampler.c */
void embed_start_stream(worker *w, uint64_t stream);
uint32_t embed_word(geodisk_trainer *t, worker *w);
/* Notes the places in the pool of u's positives, before embed_negatives is called for u; without it they are looked up. */
void embed_note_positives(const geodisk_trainer *t, worker *w, uint32_t u, uint32_t part, uint32_t place);
uint32_t embed_below(geodisk_trainer *t, worker *w, uint32_t n); /* without bias */
/* Fills index with up to `wanted` distinct negatives of u; returns how many. position: where u stands in the pool. */
size_t embed_negatives(geodisk_trainer *t, worker *w, uint32_t u, const pool *from, uint32_t position, geodisk_sampling sampling,
                       size_t wanted, uint32_t *index);
void embed_build_alias(const double *weights, size_t n, alias *table, uint32_t *scratch);

/* step.c: workers */
worker *embed_take_worker(geodisk_trainer *t);
void embed_give_worker(geodisk_trainer *t, worker *w);

/* step.c. Rows to move are in `index` (w->index where it is not given): the negatives, then the positives. */
void embed_add_tally(tally *sum, const tally *part);
void embed_step(geodisk_trainer *t, worker *w, const train_rule *rule, uint32_t u, uint32_t *index, size_t negatives,
                const double *weight, tally *sum);
/* All positives at once, which stay; returns the sum of the negatives' likelihoods. */
double embed_group_step(geodisk_trainer *t, worker *w, const train_rule *rule, uint32_t u, size_t negatives, size_t positives,
                        const double *weights, tally *sum);
/* Moves v only, towards `sources` rows, each with the sum that embed_group_step gave for it. */
void embed_pull_target(geodisk_trainer *t, worker *w, const train_rule *rule, uint32_t v, size_t sources, const double *weights,
                       const void *others);

/* converge.c */
geodisk_status embed_held_out_create(geodisk_trainer *t);
void embed_held_out_destroy(held_out *sample);
double embed_held_out_loss(geodisk_trainer *t);
void embed_follow(geodisk_trainer *t); /* after an epoch: has the loss converged? */

/* grouped.c, async.c */
tally embed_grouped_epoch(geodisk_trainer *t, const train_rule *rule, uint64_t epoch, geodisk_sampling sampling);
tally embed_async_epoch(geodisk_trainer *t, const train_rule *rule, uint64_t epoch, geodisk_sampling sampling);

#endif

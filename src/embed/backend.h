/* backend.h - what a back-end of the trainer sees: the trainer's state, the table it fills, and a game, which is what all of them
 * play: the edges between two parts, in sequence, on rows that nobody else touches meanwhile. A game knows parts and links by
 * views, so it does not matter where their rows come from. */
#ifndef GEODISK_EMBED_BACKEND_H
#define GEODISK_EMBED_BACKEND_H

#include "deal.h"
#include "geodisk/embed.h"
#include "kernel/train.h"
#include "tournament.h"

/* Streams of random numbers: the upper 8 bits say what for, the rest epoch and place, so that no two uses ever share a stream. */
enum { STREAM_PLACE = 1, STREAM_DEAL = 2, STREAM_BUCKET = 3, STREAM_GROUP = 4, STREAM_ASYNC = 5, STREAM_HELD_OUT = 6 };
static inline uint64_t stream_of(int use, uint64_t epoch, uint64_t place) {
  return (uint64_t)use << 56 | (epoch & 0xFFFFFFFFu) << 24 | (place & 0xFFFFFFu);
}

/* ---- parts and links, as a game sees them ---- */

typedef struct pair {
  uint32_t source, target; /* places in their parts */
} pair;

/* Links from one part to another; those of one source lie together. */
typedef struct link_list {
  const void *pairs;     /* of uint16_t, or of uint32_t if wide: a part has more than 2^16 - 1 nodes */
  const double *weights; /* or NULL: 1 */
  uint64_t count;
  bool wide;
} link_list;

static inline pair link_at(const link_list *list, uint64_t i) {
  if (list->wide) {
    const uint32_t *at = (const uint32_t *)list->pairs + 2 * i;
    return (pair){at[0], at[1]};
  }
  const uint16_t *at = (const uint16_t *)list->pairs + 2 * i;
  return (pair){at[0], at[1]};
}

static inline void link_set(void *pairs, bool wide, uint64_t i, uint32_t source, uint32_t target) {
  if (wide) {
    ((uint32_t *)pairs)[2 * i] = source;
    ((uint32_t *)pairs)[2 * i + 1] = target;
  } else {
    ((uint16_t *)pairs)[2 * i] = (uint16_t)source;
    ((uint16_t *)pairs)[2 * i + 1] = (uint16_t)target;
  }
}

/* Walker's alias table: draws i with probability proportional to its weight in constant time. */
typedef struct alias {
  uint32_t *other;
  uint32_t *threshold; /* keep i if a random word is below */
} alias;

/* A part, where negatives come from. Place i of it has the row nodes[i], or first_row + i if nodes is NULL; its positives within
 * the part are the links of `inner` from inner_first[i] on. Without inner_first they are looked up in the trainer's graph. */
typedef struct pool {
  uint32_t count;
  const uint32_t *nodes;
  uint32_t first_row;
  const alias *alias; /* for drawing by degree, or NULL: uniform */
  link_list inner;
  const uint32_t *inner_first;
  const char *rows; /* those drawn are fetched at once */
  size_t row_bytes;
} pool;

static inline uint32_t row_at(const pool *p, uint32_t place) { return p->nodes ? p->nodes[place] : p->first_row + place; }

/* What an epoch adds up, per game in fixed order. */
typedef struct tally {
  double loss, ratio; /* as in train_result */
  uint64_t edges, skipped, clips;
  bool bad;
  uint32_t bad_child, bad_parent; /* rows */
} tally;

#define NO_NODE UINT32_MAX
static const tally nothing = {.ratio = 1.0};
/* What an epoch returns when memory is out. */
static const tally out_of_memory = {.ratio = 1.0, .bad = true, .bad_child = NO_NODE, .bad_parent = NO_NODE};

enum { WORDS = 256, HALVES = 2 * WORDS, MOST_TAKEN = 64, USUALLY_BARRED = 6 };

/* The places in a pool that a source and its positives have. */
typedef struct holdings {
  uint32_t source;                                                 /* or no node */
  uint32_t place[MOST_TAKEN + 2 * TRAIN_AT_ONCE + USUALLY_BARRED]; /* the source's first; room for those of its company */
  size_t count;
  bool crowded;     /* there are more: all are closed ... */
  uint32_t closing; /* ... at this time */
} holdings;

/* What a thread needs for itself. */
typedef struct worker {
  uint16_t *stamp; /* places in a part: the last draws that took the node there */
  uint16_t step;   /* counts such draws; starts anew (and clears stamps) when it wraps */
  uint32_t *index; /* 2 * TRAIN_AT_ONCE lists of rows, each of index_room */
  size_t index_room;
  uint32_t words[WORDS]; /* of the stream, those before words_used gone */
  size_t words_used;
  uint16_t *halves; /* of words too: halves_count of them, of which halves_used are gone */
  size_t halves_count, halves_used;
  train_comb combs[2], *comb; /* parts differ by one node at most: one comb for even counts, one for odd ones */
  uint16_t *starts[2];        /* their own */
  uint16_t *places;           /* drawn by the comb: TRAIN_AT_ONCE lists, each of places_room */
  size_t places_room;
  uint64_t stream, position;
  holdings taken[TRAIN_AT_ONCE]; /* of the edges of a company */
  uint32_t *closed;              /* places in a part: the last time they were closed */
  uint32_t closing;              /* counts these times */
  size_t largest;                /* the most nodes of a part */
  uint32_t hub;                  /* the node whose complement `rest` lists, or no node */
  uint32_t *rest;
  size_t rest_count;
  uint16_t *randoms; /* TRAIN_AT_ONCE lists, each of index_room */
  void *scratch;     /* for TRAIN_AT_ONCE steps, each scratch_bytes */
  size_t scratch_bytes;
  void (*pulse)(void *arg); /* called now and then during a game, or NULL */
  void *pulse_arg;
} worker;

/* ---- the trainer ---- */

/* The nodes of an epoch dealt into parts: nodes[first[p] .. first[p+1]) are those of part p, in the order of trainer->order; the
 * place of a node in its part is its place there less first[p]. The links start[a*parts + b] .. next are the edges from part a to
 * part b as pairs of places; those of one source lie together. */
typedef struct strata {
  uint32_t parts;
  uint16_t *part_of; /* nodes */
  uint32_t *nodes;   /* nodes */
  uint32_t *place;   /* nodes: where each stands in `nodes` */
  uint32_t *first;   /* parts + 1 */
  uint64_t *start;   /* parts * parts + 1 */
  uint32_t *inner;   /* nodes, by where they stand: their first link within their own part, among those of the part */
  size_t largest;    /* the most nodes of a part */
  void *links;       /* those of rounds from_round to to_round - 1 */
  double *weights;   /* of the links, or NULL */
  uint64_t room;     /* for so many */
  size_t most_links; /* an epoch of more edges is sorted and trained a few rounds at a time */
  uint32_t from_round, to_round;
  bool wide;       /* a part has more than 2^16 - 1 nodes */
  bool sorted;     /* the links are of this epoch's deal */
  bool lined_up;   /* rows lie in the order of `nodes`, not of their numbers */
  uint64_t *moved; /* a bit per row, while they are lined up */
} strata;

/* The held-out sample of GEODISK_AUTO_EPOCHS. */
enum { SAMPLE_NEGATIVES = 32, SAMPLE_NODES = 2 + SAMPLE_NEGATIVES };
typedef struct held_out {
  size_t edges;
  uint32_t (*nodes)[SAMPLE_NODES]; /* rows of u, v and negatives; NO_NODE where there are fewer */
  double *losses;
} held_out;
#define NOT_COOLING UINT64_MAX

typedef struct embed_backend embed_backend;
typedef struct embed_core embed_core;

struct geodisk_trainer {
  geodisk_context *context;
  const geodisk_graph *graph; /* NULL where no process has all of it; so are out and in */
  geodisk_graph_rows out, in;
  geodisk_train_options options;
  const train_table *kernel;
  size_t nodes, edges, stride, gap, longest; /* of rows: see train_gap_place; longest: the most rows of one step */
  double mean_weight;
  void *rows;         /* nodes x stride, of the options' precision; grouped: as many again, for copies of targets */
  double *group_sums; /* grouped: per source, the likelihoods of its negatives; below 0 if not of the last round, 0: none yet */
  bool *is_target;    /* grouped: per node */
  uint32_t *order;    /* the nodes in depth-first order of the hierarchy; by number where nothing depends on it */
  strata strata;
  alias aliases; /* as long as nodes; the table of part p begins at first[p] */
  worker *workers;
  int worker_count;
  bool *busy; /* which workers are taken */
  void *lock;
  uint64_t position;      /* epochs done, of the core and burn-in included */
  embed_core *core;       /* while it is trained, else NULL */
  held_out *held_out;     /* epochs auto, else NULL */
  uint64_t cooling, last; /* epochs auto: when the rate began to cool down, or NOT_COOLING, and when training ends */
  geodisk_train_epoch *history;
  size_t history_room;
  const embed_backend *backend;
  void *own; /* the back-end's */
};

/* At the end of an epoch, radii are added up for blocks of so many rows, then the blocks. */
enum { ROWS_PER_TASK = 1024 };

/* An epoch as a game knows it. */
typedef struct episode {
  const train_rule *rule;
  uint64_t number;
  geodisk_sampling sampling;
} episode;

/* Parts a <= b that meet: links[0] lead from a to b, links[1] from b to a. If a = b only sides[0] and links[0] count. */
typedef struct game {
  uint32_t a, b;
  pool sides[2];
  link_list links[2];
} game;

/* What differs between back-ends. Rows of a tally's bad step are named by `name`. */
struct embed_backend {
  tally (*epoch)(geodisk_trainer *t, const episode *e);
  bool (*settle)(geodisk_trainer *t, double *radius); /* at its end; false: out of memory */
  double (*held_out_loss)(geodisk_trainer *t);
  const char *(*name)(geodisk_trainer *t, uint32_t row);
  geodisk_status (*save)(geodisk_trainer *t, const char *path);
  bool (*agree)(geodisk_trainer *t, bool go_on); /* whether all go on; NULL where there is nobody to ask */
  void (*destroy)(geodisk_trainer *t);           /* what is its own */
};

static inline size_t number_bytes(const geodisk_trainer *t) {
  return t->options.precision == GEODISK_PRECISION_FLOAT ? sizeof(float) : sizeof(double);
}
static inline size_t row_bytes(const geodisk_trainer *t) { return t->stride * number_bytes(t); }
static inline char *trainer_row(const geodisk_trainer *t, size_t i) { return (char *)t->rows + i * row_bytes(t); }

/* options.c */
geodisk_status embed_check_options(geodisk_context *context, const geodisk_train_options *options);
double embed_rate(const geodisk_train_options *options, uint64_t epoch); /* from the first of the whole graph */
double embed_cooling_rate(const geodisk_train_options *options, uint64_t epoch, uint64_t epochs); /* of so many */
char *embed_options_text(const geodisk_train_options *options);                                   /* JSON; free() */
bool embed_options_changed(const geodisk_train_options *a, const geodisk_train_options *b, char *text, size_t size);
bool embed_options_from_text(const char *text, geodisk_train_options *options);

/* strata.c */
uint32_t embed_choose_parts(const geodisk_train_options *options, size_t nodes);
deal embed_deal_of(const geodisk_trainer *t, uint32_t parts, uint64_t epoch);

/* game.c */
tally embed_play(geodisk_trainer *t, worker *w, const episode *e, const game *g);

/* sampler.c. scratch: 12 bytes for each of n + 2. */
void embed_build_alias(const double *weights, size_t n, alias *table, uint32_t *scratch);

/* step.c */
geodisk_status embed_create_workers(geodisk_trainer *t, size_t largest); /* for parts of up to so many nodes */
void embed_destroy_workers(geodisk_trainer *t);
worker *embed_take_worker(geodisk_trainer *t);
void embed_give_worker(geodisk_trainer *t, worker *w);
void embed_add_tally(tally *sum, const tally *part);

/* trainer.c */
/* What all back-ends begin with: options, sizes, kernel, rates; the graph's numbers of nodes and edges, and its mean weight (1
 * without weights), are checked. */
geodisk_status embed_start(geodisk_context *context, const geodisk_train_options *options, size_t nodes, size_t edges,
                           double mean_weight, geodisk_trainer *t);
void *embed_allocate_rows(size_t size);
/* Makes gaps and coordinates of `count` rows consistent; returns the sum of their radii (in flat space of their norms). */
double embed_settle_block(const geodisk_trainer *t, void *rows, size_t count);

/* converge.c */
void embed_follow(geodisk_trainer *t);                      /* after an epoch: has the loss converged? */
geodisk_status embed_held_out_allocate(geodisk_trainer *t); /* room for it */
/* The i-th of its edges, and then, by whoever has that edge u -> v and the row of u's targets, its nodes. */
uint64_t embed_sample_edge(const geodisk_trainer *t, size_t i, geodisk_random *random);
void embed_sample_nodes(const geodisk_trainer *t, geodisk_random *random, uint32_t u, uint32_t v, const uint32_t *targets,
                        size_t count, uint32_t *nodes);
double embed_held_out_loss(geodisk_trainer *t);
void embed_held_out_destroy(held_out *sample);

#endif

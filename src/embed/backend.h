/* backend.h - what a back-end of the trainer sees: the trainer's state, the plan of an epoch, and the table it fills.
 *
 * An epoch is a number of batches, a batch a number of blocks, a block some units that share their candidates (kernel/train.h).
 * Which unit is in which block, which block in which batch, and what a block draws follows from graph, options, seed and epoch
 * alone. All blocks of a batch read the same points; their pulls are added up as integers, so that it does not matter who
 * computes which, nor in which order; then every row that was pulled makes one step. */
#pragma once

#include "base/csr.h"
#include "geodisk/embed.h"
#include "kernel/train.h"

/* Streams of random numbers: the upper 8 bits say what for, the rest epoch and place, so that no two uses ever share a stream. */
enum { STREAM_PLACE = 1, STREAM_SHUFFLE = 2, STREAM_BLOCK = 3, STREAM_BATCH = 4, STREAM_SAMPLE = 6 };
static inline uint64_t stream_of(int use, uint64_t epoch, uint64_t place) {
  return (uint64_t)use << 56 | (epoch & 0xFFFFFFFFu) << 24 | (place & 0xFFFFFFu);
}

/* Four random words for (use, epoch, number). */
void embed_words(uint64_t seed, int use, uint64_t epoch, uint64_t number, uint32_t out[4]);

/* ---- an epoch ---- */

/* Walker's alias table: draws i with probability proportional to its weight in constant time. Places are drawn by degree in two
 * steps, first a block of DEGREE_BLOCK of them, then one of it: so a rank needs the tables of its own blocks only, and that of
 * the blocks. */
enum { DEGREE_BLOCK = 1024 };
typedef struct alias {
  uint32_t *other;
  uint32_t *threshold; /* keep i if a random word is below */
} alias;

/* A permutation of 0 .. n-1, computable for one number at a time (units.c). */
typedef struct shuffle {
  uint64_t n;
  unsigned low_bits;
  uint64_t low_mask, high_mask;
  uint32_t keys[8];
} shuffle;

/* What an epoch does, settled before it begins. */
typedef struct epoch_plan {
  train_rule rule;
  uint64_t number; /* of the epoch: keys all that is drawn */
  double rate;     /* as the history tells it */
  uint64_t units;
  uint32_t block_units; /* units of a block */
  uint32_t run;         /* units that stay together when they are shuffled */
  uint64_t region;      /* runs that are shuffled among each other */
  shuffle first;        /* of the first region */
  uint64_t blocks, batches;
  uint32_t far, near;             /* negatives that a block draws from everywhere, and from nearby; and how many ... */
  uint32_t far_inner, near_inner; /* ... of each are drawn from the inner nodes, before the others */
  bool all;                       /* every node is a candidate */
  bool mates;                     /* sources and targets of other units of the block are negatives */
  geodisk_sampling sampling;
} epoch_plan;

/* A unit: targets from .. from + count - 1 of the node at a place of the order; in an edge unit one of them. */
typedef struct unit_place {
  uint32_t place, node;
  uint64_t first; /* edge */
  uint32_t count;
  uint32_t row_count; /* all targets of the node, in ascending order: from t->out.nodes[row] on */
  uint64_t row;
} unit_place;

/* What an epoch adds up: whole numbers, in any order. */
typedef struct tally {
  int64_t loss; /* times TRAIN_LOSS_SCALE */
  uint64_t edges, skipped, pairs, clips;
  bool bad;
  uint32_t bad_node; /* the smallest of those that came to a number that is not finite */
  uint64_t bad_batch;
} tally;

void embed_add_tally(tally *sum, const tally *part);

/* ---- the trainer ---- */

/* Some edges, each with negatives of its own, by whose loss it is told whether training has converged. */
enum { SAMPLE_NEGATIVES = 32, SAMPLE_NODES = 2 + SAMPLE_NEGATIVES };
typedef struct loss_sample {
  size_t edges;
  uint32_t (*nodes)[SAMPLE_NODES]; /* rows of u, v and negatives; NO_NODE where there are fewer */
  double *losses;
} loss_sample;

typedef struct embed_backend embed_backend;
typedef struct embed_core embed_core;

enum { GUIDE_STEP = 16 };

/* A unit beyond the first of a node with more than TRAIN_MOST_TARGETS targets. */
typedef struct extra_unit {
  uint32_t place, part;
} extra_unit;

struct geodisk_trainer {
  geodisk_context *context;
  const geodisk_graph *graph; /* NULL of a bare graph (no `in` then), and where no process has all of it (nor `out`) */
  geodisk_graph_rows out, in;
  geodisk_train_options options; /* resolved: nothing is left to be chosen */
  const train_table *kernel;     /* NULL: the plain loop */
  size_t nodes, edges, stride;
  double mean_weight, most_weight; /* of an edge; and the most that the targets of a unit weigh, in units of the mean */
  void *rows;                      /* nodes x stride, of the options' precision */
  uint32_t *order; /* the nodes in depth-first order of the hierarchy; NULL where nodes go by their places there */
  uint32_t *place; /* where each node stands there; edge units with negatives from nearby only, else NULL */
  uint32_t *guide; /* edge units: the source of every GUIDE_STEP-th edge */
  extra_unit *extra;
  size_t extras;
  alias aliases;      /* for drawing by degree, else NULL: of the places, each within its block, ... */
  alias alias_blocks; /* ... and of the blocks */
  uint32_t *inner;    /* places of the inner nodes, which have edges into them, ascending; NULL where none are drawn apart */
  size_t inners;
  uint32_t
      *comb; /* far_inner + 1: where the slices of the inner nodes begin; then the same of the order, for the other far ones */
  uint32_t comb_far, comb_inner; /* what it was made for */
  char *note;                    /* what its models keep as "choice", or NULL */
  uint64_t position;             /* epochs done, of the core and burn-in included */
  embed_core *core;              /* while it is trained, else NULL */
  bool is_core;                  /* this is the trainer of a core */
  loss_sample *sample;
  geodisk_train_epoch *history; /* of the epochs that are kept (geodisk_history_keeps), all of them at first */
  size_t history_rows, history_room;
  const embed_backend *backend;
  geodisk_device device;            /* where epochs run: the CPU or a device, never AUTO */
  char reason[256];                 /* why AUTO took the CPU */
  char number[16];                  /* of a node without a name, as text */
  struct checkpoint_writer *writer; /* a checkpoint that is under way, or NULL */
  void *own;                        /* the back-end's */
};

/* What differs between back-ends. */
struct embed_backend {
  /* Pulls of a batch, then the steps of all rows that were pulled. False: out of memory. */
  bool (*batch)(geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, tally *sum);
  /* Or all batches at once; tally.bad_batch says which one came to a number that is not finite. */
  geodisk_status (*epoch)(geodisk_trainer *t, const epoch_plan *plan, tally *sum);
  bool (*radius)(geodisk_trainer *t, double *mean); /* of all points, at the end of an epoch; false: out of memory */
  double (*sample_loss)(geodisk_trainer *t);
  geodisk_status (*core_epoch)(geodisk_trainer *t, geodisk_train_epoch *out); /* one of the first core_epochs */
  const char *(*name)(geodisk_trainer *t, uint32_t node);
  geodisk_status (*save)(geodisk_trainer *t, const char *path);
  geodisk_status (*fetch)(const geodisk_trainer *t); /* the points into t->rows; NULL where they always are */
  /* Sets the points aside, which training then does not touch, and reads them; NULL where nothing is set aside. The second is
   * called from another thread, while epochs run. */
  geodisk_status (*set_aside)(geodisk_trainer *t);
  geodisk_status (*read_aside)(const geodisk_trainer *t, void *rows, char *why);
  bool (*agree)(geodisk_trainer *t, bool go_on); /* whether all go on; NULL where there is nobody to ask */
  void (*destroy)(geodisk_trainer *t);           /* what is its own */
};

/* The node at a place of the order. */
static inline uint32_t embed_node_at(const geodisk_trainer *t, uint64_t place) {
  return t->order ? t->order[place] : (uint32_t)place;
}
static inline bool is_single(const geodisk_train_options *o) { return o->precision == GEODISK_PRECISION_FLOAT; }
static inline size_t number_bytes(const geodisk_trainer *t) { return is_single(&t->options) ? sizeof(float) : sizeof(double); }
static inline size_t row_bytes(const geodisk_trainer *t) { return t->stride * number_bytes(t); }
static inline char *trainer_row(const geodisk_trainer *t, size_t i) { return (char *)t->rows + i * row_bytes(t); }

/* ---- units.c: who is in which block, and which block in which batch ---- */

geodisk_status embed_units_create(geodisk_trainer *t);
/* Further units of nodes with very many targets, in the order (NULL: as numbered); listed if there is a list. Returns how many.
 */
size_t embed_extra_units(const uint64_t *offsets, const uint32_t *order, size_t nodes, extra_unit *out);
/* Units of an epoch; of every node one, and more where it has very many targets; or of every edge one. */
uint64_t embed_unit_count(const geodisk_trainer *t);
/* The units of a block by number; returns how many. Room for TRAIN_MOST_UNITS. */
size_t embed_block_numbers(const geodisk_trainer *t, const epoch_plan *plan, uint64_t block, uint64_t *numbers);
/* The shuffle of a region of a plan. */
shuffle embed_shuffle(const geodisk_trainer *t, const epoch_plan *plan, uint64_t region);
/* The units of a block, without those that have no targets; returns how many. Room for TRAIN_MOST_UNITS. */
size_t embed_block_units(const geodisk_trainer *t, const epoch_plan *plan, uint64_t block, unit_place *out);
/* The blocks of a batch are block(0) .. block(plan->blocks / batches, rounded up); UINT64_MAX: there is none. */
static inline uint64_t embed_batch_blocks(const epoch_plan *plan) { return (plan->blocks + plan->batches - 1) / plan->batches; }
uint64_t embed_block_at(const geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, uint64_t i);

/* ---- negatives.c: the candidates of a block ---- */

enum { BLOCK_TABLE = 1 << 14, BLOCK_FILTER = 1 << 12 };

/* A block as it is drawn, in nodes. Room for the most candidates there can be. */
typedef struct drawn_block {
  size_t units, candidates;
  size_t named;      /* sources and targets: the first of the candidates */
  train_unit *unit;  /* TRAIN_MOST_UNITS */
  uint32_t *targets; /* of all units, as candidates */
  double *weights;   /* of the targets, or NULL */
  uint32_t *node;    /* candidates */
  uint32_t *words;   /* random numbers: as many as candidates */
  /* a table of the candidates that are sources or targets */
  uint32_t *table;                    /* BLOCK_TABLE: candidate + 1, or 0 */
  uint64_t filter[BLOCK_FILTER / 64]; /* bits of nodes that are in it */
  uint32_t used[TRAIN_MOST_UNITS * (TRAIN_MOST_TARGETS + 1)];
} drawn_block;

/* The most candidates a block of this plan can have. */
size_t embed_most_candidates(const geodisk_trainer *t, const epoch_plan *plan);
bool embed_drawn_create(const geodisk_trainer *t, size_t candidates, drawn_block *out); /* false: out of memory */
void embed_drawn_destroy(drawn_block *drawn);
void embed_draw_block(const geodisk_trainer *t, const epoch_plan *plan, uint64_t block, drawn_block *d);
/* The same from the units that embed_block_units tells. far: the nodes that embed_degree_draws comes to, or NULL. */
void embed_draw_units(const geodisk_trainer *t, const epoch_plan *plan, uint64_t block, const unit_place *units, size_t count,
                      const uint32_t *far, drawn_block *d);
/* What a block draws by degree: plan->far places, each to be replaced by another one of its DEGREE_BLOCK as the word demands. */
void embed_degree_draws(const geodisk_trainer *t, const epoch_plan *plan, uint64_t block, uint32_t *places, uint32_t *words);
static inline uint32_t embed_degree_place(const alias *of_block, uint32_t place, uint32_t word) { /* both within the block */
  return word < of_block->threshold[place] ? place : of_block->other[place];
}
/* For plan->far slices of the order. False: out of memory. */
bool embed_comb(geodisk_trainer *t, const epoch_plan *plan);
/* Lists the inner nodes, of whose places the bits are set; false: out of memory. */
bool embed_list_inner(geodisk_trainer *t, const uint64_t *led);
/* The weight of a node of that degree; the table of a block of them (at most DEGREE_BLOCK), whose sum is returned; and
 * t->alias_blocks from the sums of all blocks (false: out of memory). */
double embed_degree_weight(const geodisk_train_options *options, uint64_t degree);
double embed_degree_table(const double *weights, size_t count, const alias *out);
bool embed_degree_blocks(geodisk_trainer *t, const double *sums);

/* ---- schedule.c: what an epoch is to do ---- */

epoch_plan embed_plan(const geodisk_trainer *t);
double embed_rate(const geodisk_train_options *options, uint64_t epoch); /* from the first of the whole graph, burn-in included */
geodisk_train_options embed_core_options(const geodisk_train_options *options);

/* ---- plain.c: the loop in plain C, which defines what all others compute ---- */

bool embed_plain_batch(geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, tally *sum);
/* What the kernels do, for those who hold rows and blocks themselves. Sums are int64_t for float rows too. False: out of memory.
 */
bool embed_plain_pulls(const train_rule *rule, bool single, train_block *block, train_result *result);
void embed_plain_add(size_t stride, void *from, int64_t *to, bool first);
void embed_plain_moves(const train_rule *rule, bool single, const train_moves *moves, train_moved *moved);

/* ---- threads.c ---- */

bool embed_threads_batch(geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, tally *sum);
void embed_threads_destroy(geodisk_trainer *t);

/* ---- options.c, choose.c ---- */

geodisk_status embed_check_options(geodisk_context *context, const geodisk_train_options *options);
char *embed_options_text(const geodisk_train_options *options); /* JSON; free() */
/* Whether `now`, where it says anything, differs from `then` in more than the number of epochs; the differences as text. */
bool embed_options_changed(const geodisk_train_options *then, const geodisk_train_options *now, char *text, size_t size);
bool embed_options_from_text(const char *text, geodisk_train_options *options);

/* What of a graph decides the options that were left open. */
typedef struct graph_facts {
  uint64_t nodes, edges;
  bool acyclic; /* a hierarchy */
  bool closed;  /* and its own transitive closure, as far as looked at */
  bool gaps;    /* closed, or a part of it, but some edges that others imply are not there */
  bool part;    /* a large hierarchy of which most nodes are leaves, with some of the edges of its closure */
} graph_facts;
/* A hierarchy counts as closed if four fifths of the edges that others imply are there: some may have been held out, or be
 * unknown. leaves: nodes that are nobody's target. */
void embed_judge_closed(uint64_t implied, uint64_t there, uint64_t leaves, graph_facts *out);
geodisk_status embed_graph_facts(const geodisk_trainer *t, graph_facts *out);
void embed_resolve(const graph_facts *facts, geodisk_train_options *options);

/* ---- trainer.c ---- */

/* What all back-ends begin with: options, sizes, kernel; the graph's numbers of nodes and edges, and its mean weight (1 without
 * weights), are checked. */
geodisk_status embed_start(geodisk_context *context, const geodisk_train_options *options, size_t nodes, size_t edges,
                           double mean_weight, geodisk_trainer *t);
void *embed_allocate_rows(size_t size);
/* The most that the targets of a unit of these rows weigh, in units of the mean weight; and, when t->most_weight is that of all,
 * whether sums have room for it. */
double embed_heaviest_unit(const geodisk_trainer *t, const geodisk_graph_rows *rows, size_t nodes);
geodisk_status embed_check_weights(const geodisk_trainer *t);
/* Units, places, the sample of the loss, and the device: what training needs once the points have been placed. */
geodisk_status embed_create_units(geodisk_trainer *t);
extern const embed_backend embed_on_threads; /* the back-end of one process without a device */
/* The name of a node of this process's graph, or its number. */
const char *embed_name(geodisk_trainer *t, uint32_t node);
geodisk_status embed_one_epoch(geodisk_trainer *t, geodisk_train_epoch *out); /* neither counted nor kept in the history */
/* The sum of the radii of `count` rows (in flat space of their norms), times RADIUS_SCALE; UINT64_MAX: one is not finite. */
#define RADIUS_SCALE 0x1p24
uint64_t embed_radii(const geodisk_trainer *t, const void *rows, size_t count);

/* ---- stopping.c ---- */

geodisk_status embed_sample_allocate(geodisk_trainer *t); /* room for the sample */
/* The i-th of its edges, and then, by whoever has that edge u -> v and the row of u's targets, its nodes. */
uint64_t embed_sample_edge(const geodisk_trainer *t, size_t i, geodisk_random *random);
void embed_sample_nodes(const geodisk_trainer *t, geodisk_random *random, uint32_t u, uint32_t v, const uint32_t *targets,
                        size_t count, uint32_t *nodes);
double embed_sample_loss(geodisk_trainer *t);
void embed_sample_destroy(loss_sample *sample);

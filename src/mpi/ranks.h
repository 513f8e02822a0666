/* ranks.h - the trainer on ranks: what each keeps between epochs and during one. Internal to the mpi module.
 *
 * Between epochs a rank has the rows of the nodes it owns ("at home"). During one, rows sit in the parts they were dealt into;
 * parts sit in slots and travel from rank to rank. Nodes are known by their place in the order ("orders"), from which everybody
 * can tell the part; the place inside a part is that among its sorted orders. */
#ifndef GEODISK_MPI_RANKS_H
#define GEODISK_MPI_RANKS_H

#include <mpi.h>

#include "embed/backend.h"
#include "geodisk/mpi.h"
#include "share.h"

/* An edge on its way to the rank that trains it: orders of both ends, on arrival places. */
typedef struct link_record {
  uint32_t source, target;
} link_record;

/* What is sent with a row. */
typedef struct row_head {
  uint32_t order, degree;
} row_head;

/* A place for a part: a block of t->rows. */
typedef struct part_slot {
  uint32_t part; /* or NO_NODE: free */
  char *block;
  uint32_t *nodes; /* place -> row of t->rows */
} part_slot;

/* Where the sections of a part's block begin, in bytes: rows come first. A block is sent as it is, in lines of 64 bytes. */
typedef struct part_shape {
  size_t orders, other, threshold, inner_first, inner, bytes;
} part_shape;

/* The edges of some rounds that this rank trains, as they came: by sender, and within by bucket. Those from part a to part b are
 * bucket number[a * parts + b] - first of `count`. */
typedef struct delivery {
  uint32_t *number; /* parts * parts: counted through all ranks; NO_NODE: not in these rounds */
  uint32_t first, count;
  link_record *records;
  double *weights;  /* or NULL */
  uint64_t *starts; /* [sender * (count + 1) + bucket] */
  uint64_t longest; /* links of a bucket */
} delivery;

/* A link to be sorted by its source's turn. */
typedef struct turned_link {
  uint32_t turn, target; /* a place */
  uint64_t record;
} turned_link;

/* A worker's own: the links of a game as pairs of places, and what sorting them needs. */
typedef struct desk {
  void *pairs[2];
  double *weights[2];
  uint32_t *heads; /* largest + 1 */
  turned_link *links, *spare;
} desk;

typedef struct ranks {
  mpi_share *share;
  MPI_Comm comm; /* a duplicate of the share's, for messages of the tournament */
  int rank, count;
  MPI_Datatype line;                    /* 64 bytes */
  uint32_t parts, first_game, end_game; /* of every round from 1 on, this rank plays these */
  uint32_t largest;                     /* the most nodes of a part */
  uint64_t most_records;                /* links that a rank may receive at a time; with more, a few rounds at a time */
  bool wide;
  char *home;             /* rows of the nodes owned */
  uint32_t *order;        /* owned: their place in the order; NULL: their number */
  uint32_t *target_order; /* edges: of their targets; share->targets where that is their number */
  uint32_t *scattered[2]; /* by largest or largest - 1 nodes in a part: the i-th source to be trained ... */
  uint32_t *turn_of[2];   /* ... and when a source's turn comes */
  /* of an epoch */
  deal deal;
  bool by_degree;
  uint64_t inner_count[MOST_PARTS];
  part_slot *slots;
  uint32_t slot_count;
  size_t slot_rows;             /* rows that fit into a slot */
  uint32_t slot_of[MOST_PARTS]; /* NO_NODE: not here */
  uint32_t began[MOST_PARTS];   /* by slot: the part that was there first */
  uint16_t *own_part, *target_part;
  uint32_t *arrivals; /* in the order in which they came: rows, of the slots where their parts began */
  double *degrees;    /* slots x largest, or NULL */
  double *inner_weights[MOST_PARTS];
  delivery links;
  desk *desks;
  geodisk_mpi_traffic traffic; /* of this rank; when the epoch is over, of all */
  char bad_names[2][256];
  uint32_t bad_rows[2];
} ranks;

static inline ranks *ranks_of(const geodisk_trainer *t) { return t->own; }
static inline int rank_of_game(const ranks *r, uint32_t g) {
  return (int)((((uint64_t)g + 1) * (uint64_t)r->count - 1) / ((r->parts + 1) / 2));
}
/* The rank where a part is in a round; in round 0 where it is in round 1. */
static inline int rank_of_part(const ranks *r, uint32_t round, uint32_t part) {
  return rank_of_game(r, seat_of(r->parts, round > 0 ? round : 1, part));
}
static inline uint32_t part_count(const ranks *r, uint32_t part) {
  return deal_first(&r->deal, part + 1) - deal_first(&r->deal, part);
}
static inline uint32_t order_of(const ranks *r, uint32_t owned) { return r->order ? r->order[owned] : r->share->first + owned; }

/* parts.c. The next three are collective; false: out of memory somewhere. */
bool ranks_all(const ranks *r, bool ok); /* true on all */
#ifdef __clang_analyzer__ /* which looks at one file at a time and would not know that `ok` is then true here too */
#define ranks_all(r, ok) ((ranks_all)(r, ok) && (ok))
#endif
bool ranks_deal(geodisk_trainer *t, uint64_t epoch, bool by_degree); /* rows of all parts to where they begin */
bool ranks_gather(geodisk_trainer *t);                               /* and home */
part_shape ranks_shape(const geodisk_trainer *t, uint32_t part);
/* The place of an order among `count` sorted ones, which are evenly spread over 0 .. n-1; it is one of them. */
uint32_t ranks_place(const uint32_t *orders, uint32_t count, uint32_t n, uint32_t order);

/* deliver.c */
bool ranks_deliver(geodisk_trainer *t, uint32_t from_round, uint32_t to_round); /* collective; false: out of memory somewhere */
void ranks_delivered(geodisk_trainer *t);                                       /* frees it */
/* The links of a bucket as places, in the order of a plain process, at side 0 or 1 of the desk. */
link_list ranks_open_bucket(const geodisk_trainer *t, uint32_t a, uint32_t b, const desk *d, int side);
/* Of the bucket within a part: into `pairs` and `weights` (or NULL), and for each place its first link. */
void ranks_open_inner(const geodisk_trainer *t, uint32_t part, const desk *d, void *pairs, double *weights, uint32_t *first);

/* rounds.c: the tournament of some rounds, after which every part is where it is needed next. false: out of memory somewhere. */
bool ranks_play(geodisk_trainer *t, const episode *e, uint32_t from_round, uint32_t to_round, tally *sums);

#endif

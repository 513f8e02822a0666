/* round.h - a round of a batch on one rank: its blocks from their numbers to the sums they leave. Internal to the mpi module. */
#ifndef GEODISK_MPI_ROUND_H
#define GEODISK_MPI_ROUND_H

#include "ranks.h"

/* What was drawn for a block, as in drawn_block; its candidates are places, then rows of t->rows. */
typedef struct kept_draw {
  size_t units, candidates, named;
  train_unit *unit;
  uint32_t *targets, *node;
  double *weights;
} kept_draw;

/* A block, kept until its rows have come. */
typedef struct kept_block {
  uint64_t number;
  size_t count; /* of its units, those without targets left out */
  unit_place place[TRAIN_MOST_UNITS];
  kept_draw drawn;
  void *bytes; /* of all that was drawn */
} kept_block;

typedef struct worker {
  drawn_block drawn;
  void *scratch, *sums;
  uint32_t *pulled, *list;
  tally sum;
} worker;

enum { LOCKS = 1024 };

struct crew {
  size_t candidates; /* the most of a block */
  int count;
  worker *workers;
  atomic_bool *busy;
  atomic_bool memory;                                           /* false: it was not enough */
  kept_block *blocks;                                           /* at_once */
  size_t used;                                                  /* of them in this round */
  uint64_t *sent, *received, *next;                             /* ranks each */
  room questions, asked, answers, weights, units, unit_weights; /* of units: there and back */
  room degree_draws, far;
  /* rows of others */
  room table; /* place -> id, by hashing */
  room wanted, sorted, slot, lent, rows;
  size_t fetched;
  int64_t *foreign; /* fetch room x stride: their sums */
  unsigned char *touched;
  room told, heard;
  /* sums of own rows: they get slots as they are pulled */
  uint32_t *slot_of; /* owned: slot + 1, or 0 */
  uint32_t *row_of;  /* slots */
  int64_t *sums;     /* slots x stride */
  atomic_uint slots;
  atomic_flag locks[LOCKS];
};

/* fetch.c: units, candidates and rows of c->blocks. Collective; false: out of memory somewhere. */
bool round_fetch(geodisk_trainer *t, const epoch_plan *plan, crew *c);

worker *crew_take(crew *c);
void crew_give(crew *c, const worker *w);

#endif

/* round.h - a round of a batch on one rank: its blocks from their numbers to the sums they leave. Internal to the mpi module. */
#pragma once

#include "embed/crew.h"
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

/* What one round needs. There are two of them where messages and pulls go on at once: while the blocks of one are pulled, the
 * sums of the round before go to their owners and what the next needs is fetched. */
typedef struct rank_round {
  kept_block *blocks;                                           /* at_once */
  size_t used;                                                  /* of them */
  uint64_t *sent, *received, *next;                             /* ranks each */
  room questions, asked, answers, weights, units, unit_weights; /* of units: there and back */
  room degree_draws, far;
  /* rows of others */
  uint32_t first_row; /* where they begin in t->rows */
  room table;         /* place -> id, by hashing */
  room wanted, sorted, slot, lent, rows;
  size_t fetched;
  int64_t *foreign; /* fetch room x stride: their sums */
  unsigned char *touched;
  room told, heard;
} rank_round;

enum { LOCKS = 1024, ROUNDS_AT_ONCE = 2 };

struct crew {
  embed_crew base;
  atomic_bool memory; /* false: it was not enough */
  rank_round rounds[ROUNDS_AT_ONCE];
  int at;                            /* the round that is pulled, or will be */
  uint64_t drawn_epoch, drawn_batch; /* whose first round is drawn already, at `at`; UINT64_MAX: none */
  /* sums of own rows: they get slots as they are pulled */
  uint32_t *slot_of; /* owned: slot + 1, or 0 */
  uint32_t *row_of;  /* slots */
  int64_t *sums;     /* slots x stride */
  atomic_uint slots;
  atomic_flag locks[LOCKS];
};

/* fetch.c: the units and candidates of a round's blocks, which wait for no point; then the rows of its candidates. Collective;
 * false: out of memory somewhere. */
bool round_draw(geodisk_trainer *t, const epoch_plan *plan, crew *c, rank_round *round);
bool round_fetch_rows(geodisk_trainer *t, const crew *c, rank_round *round);

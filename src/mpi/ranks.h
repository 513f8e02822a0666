/* ranks.h - the trainer on ranks: what each keeps. Internal to the mpi module.
 *
 * While it trains, a node is known by its place in the depth-first order ("place"): t->order is NULL. Every rank owns a range of
 * the places (as long as its range of the numbers, share.h), with their rows and units. A batch goes by rounds. In a round every
 * rank takes some blocks of the batch; asks the owners of their units for the targets; draws the candidates; asks the owners of
 * those it does not own for their rows; computes the pulls; and sends the sums of other ranks' rows to their owners. When all
 * rounds are over, every rank moves its own rows. */
#pragma once

#include <mpi.h>
#include <stdatomic.h>

#include "embed/backend.h"
#include "geodisk/mpi.h"
#include "share.h"

/* Memory that grows. */
typedef struct room {
  void *bytes;
  size_t size;
} room;

typedef struct ranks_core ranks_core;
typedef struct crew crew;

typedef struct ranks {
  mpi_share *share; /* the nodes by number, without edges once these have gone to their places */
  int rank, count;
  uint32_t first, owned; /* places: the same range as that of the numbers */
  uint32_t *number;      /* owned: of the node at each place; NULL: places are numbers */
  /* units: row i has the targets, as places, of the node at place unit_place[i] */
  uint64_t *offsets; /* rows + 1 */
  uint32_t *targets;
  double *weights;       /* or NULL */
  uint32_t *unit_place;  /* rows; NULL: first + i */
  extra_unit *extra;     /* of owned places, which they name from 0 */
  uint64_t *unit_firsts; /* ranks + 1: of edge units, or of extra units, the first of each rank */
  uint32_t (*sample_places)[SAMPLE_NODES];
  int rounds;        /* under way at once: 2 where all ranks have several threads, else 1 */
  size_t at_once;    /* blocks that a rank takes in a round, so that what it borrows stays small */
  size_t fetch_room; /* the most rows that these can need from others: t->rows has room for those of each round behind the own
                        ones */
  /* of a batch */
  crew *crew;
  uint32_t *bad; /* places of sources that came to numbers that are not finite */
  size_t bads;
  ranks_core *core;            /* while it is trained, else NULL */
  geodisk_mpi_traffic sent;    /* by this rank in this epoch */
  geodisk_mpi_traffic traffic; /* by all in the last one */
  char bad_name[256];
} ranks;

static inline ranks *ranks_of(const geodisk_trainer *t) { return t->own; }
static inline bool ranks_owns(const ranks *r, uint32_t place) { return place - r->first < r->owned; }

/* Collective: whether it is true on all. */
bool ranks_all(const ranks *r, bool ok);
#ifdef __clang_analyzer__ /* which looks at one file at a time and would not know that `ok` is then true here too */
#define ranks_all(r, ok) ((ranks_all)(r, ok) && (ok))
#endif

/* Room for so many elements; what was there is lost. */
bool ranks_reserve(room *r, size_t count, size_t element_bytes);

/* All to all: `to` gets room for what comes, received[] says how much from whom. *bytes counts what goes to others. Collective;
 * false: out of memory somewhere, or not `ok` somewhere. */
bool ranks_trade(ranks *r, bool ok, size_t element_bytes, const void *from, const uint64_t *sent, room *to, uint64_t *received,
                 uint64_t *bytes);

/* places.c: from numbers to places and back. */
geodisk_status ranks_take_places(geodisk_trainer *t, uint32_t *place /* of owned numbers, or NULL; taken over */,
                                 void *rows_by_number);
geodisk_status ranks_rows_by_number(geodisk_trainer *t, void *rows); /* the owned numbers' rows */
geodisk_status ranks_degree_tables(geodisk_trainer *t);
/* The places of all inner nodes, on every rank: a bit a node on the way, then four bytes an inner node. */
geodisk_status ranks_list_inner(geodisk_trainer *t);

/* units_mpi.c: units and who has them. */
int ranks_unit_owner(const geodisk_trainer *t, uint64_t unit);
/* The targets of a unit of this rank, as an answer: place, how many, how many the node has in all; the targets; and, if these are
 * not all, all of them, which are no negatives of it. Returns its length. out NULL: only that. */
enum { UNIT_HEAD = 3 };
static inline size_t ranks_unit_words(uint32_t count, uint32_t all) {
  return UNIT_HEAD + (size_t)count + (all > count ? all : 0);
}
size_t ranks_unit(const geodisk_trainer *t, uint64_t unit, uint32_t *out, double *weights);

/* fetch.c: rounds, at_once and fetch_room. Collective. */
void ranks_plan_rounds(geodisk_trainer *t);

/* batch_mpi.c */
bool ranks_batch(geodisk_trainer *t, const epoch_plan *plan, uint64_t batch, tally *sum);
void ranks_crew_destroy(const ranks *r, crew *c);

/* core_mpi.c */
geodisk_status ranks_core_epoch(geodisk_trainer *t, geodisk_train_epoch *out);
geodisk_status ranks_core_gather(geodisk_trainer *t); /* meanwhile: all rows as if it had been the last */
void ranks_core_destroy(ranks_core *core);

/* trainer_mpi.c: the trainer of a core, which owns the share from here on even if this fails. */
geodisk_status ranks_create_core(const geodisk_trainer *whole, mpi_share *share, geodisk_trainer **out);

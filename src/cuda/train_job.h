/* train_job.h - what training on a device works on: the graph, points and sums, the plan of an epoch, and the room that a group
 * of threads has for a block. Pointers are of the device where it runs on one, of the host where tests compute the same there. */
#pragma once

#include <assert.h>
#include <string.h>

#include "embed/backend.h"
#include "group.h"

/* What an epoch adds up, in any order. */
typedef struct device_tally {
  int64_t loss, edges, skipped, pairs, clips;
  uint64_t bad_pulls,
      bad_moves; /* the first batch that came to a number that is not finite, by pulls or by moves; or UINT64_MAX */
  uint32_t bad_source, bad_row; /* the smallest node in it */
  int64_t radii;                /* times RADIUS_SCALE */
  uint32_t unbounded;           /* rows whose radius is not finite */
} device_tally;

/* What a block mostly needs fits into what its threads share; what it may need at most is kept in memory of the group's own. */
typedef struct shared_sizes {
  uint32_t units, dim;        /* of the sources, rounded up; 0: they are not shared */
  uint32_t candidates, names; /* names: sources and targets, with repetitions */
  uint32_t area;              /* words */
} shared_sizes;

typedef struct device_job {
  /* the graph and its order, as in geodisk_trainer */
  uint64_t nodes, edges;
  const uint64_t *offsets;
  const uint32_t *targets;
  const double *weights; /* or NULL */
  double mean_weight;
  const uint32_t *order, *place, *guide, *comb, *inner;
  uint64_t inners;
  const extra_unit *extra;
  alias aliases, alias_blocks;
  const uint32_t *sample; /* sampled edges x SAMPLE_NODES */
  double *losses;         /* sampled edges */
  uint64_t sampled;
  uint64_t seed;
  bool edge_units, single, flat, complement;
  /* what is trained */
  void *rows;       /* nodes x stride */
  int64_t *sums;    /* nodes x (dim + 1): coordinates and path; zero between batches */
  uint32_t *marked; /* nodes: `mark` where a row has been listed in this batch */
  uint32_t *list;   /* nodes: rows that were pulled */
  uint32_t *listed; /* how many, one for each batch of the epoch */
  device_tally *tally;
  /* the epoch */
  epoch_plan plan;
  uint32_t octaves;       /* of the order: negatives from nearby are at most so many powers of two away */
  uint32_t inner_octaves; /* of the inner nodes */
  double sharpness;       /* of the loss of the sample */
  uint32_t mark;          /* another one in every batch */
  shared_sizes shared;
  /* room of groups, one after the other */
  char *room;
  uint64_t room_bytes;                  /* of a group */
  uint32_t most_candidates, most_names; /* of a block */
} device_job;

enum {
  SHARED_DIM = 32 /* up to here the sources' points are shared */
};
#define UNIT_NONE UINT32_MAX

/* What the threads of a group share; behind it the arrays of shared_sizes. */
typedef struct block_shared {
  double growth[TRAIN_MOST_UNITS], limit[TRAIN_MOST_UNITS];
  unit_place unit[TRAIN_MOST_UNITS];
  int64_t loss;
  uint32_t skipped, first_bad;
  uint32_t keys[4];
  uint32_t start[TRAIN_MOST_UNITS + 1]; /* of each unit's targets among all names */
  uint32_t filter[BLOCK_FILTER / 32];
  uint32_t counts[33];
  uint32_t pad[2];
} block_shared;
static_assert(sizeof(block_shared) % 16 == 0, "points behind it are read 16 bytes at a time");

/* A block that is being worked on, as its threads see it. */
typedef struct block_view {
  block_shared *s;
  uint32_t units, named, candidates;
  void *source;                                  /* points of the sources, units x shared.dim */
  uint32_t *area;                                /* shared: the table of names; then sums of the first candidates, for float */
  uint32_t *node;                                /* candidates */
  uint32_t *name;                                /* nodes of the sources, then of all targets */
  uint32_t *slot;                                /* where they are in the table; then which candidates */
  uint32_t *key, *first, *candidate, table_mask; /* the table: node, its first place among the names, its candidate */
  uint32_t *mask, mask_words;                    /* for each unit a bit for each candidate: near enough to count */
  char *lists;                                   /* of the warps */
} block_view;

/* Bytes of the parts of a group's own room. */
static inline ON_DEVICE uint64_t lines_of(uint64_t size) { return (size + 127) / 128 * 128; }
static inline ON_DEVICE uint64_t list_bytes(uint32_t candidates) {
  return lines_of((uint64_t)(candidates + 32 + TRAIN_MOST_TARGETS) * 24);
}
static inline ON_DEVICE uint64_t mask_words_of(uint32_t candidates) { return (candidates + 31) / 32; }
static inline ON_DEVICE uint64_t shared_bytes(const shared_sizes *z, size_t number) {
  return sizeof(block_shared) + (uint64_t)z->units * z->dim * number + 4 * ((uint64_t)z->candidates + 2 * (uint64_t)z->names) +
         4 * ((uint64_t)z->units * mask_words_of(z->candidates) + z->area);
}
static inline ON_DEVICE uint32_t table_of(uint32_t names) { /* a power of two: half of it is empty */
  uint32_t size = 64;
  while (size < 2 * names)
    size *= 2;
  return size;
}
static inline ON_DEVICE uint64_t room_of_group(uint32_t candidates, uint32_t names, uint32_t warps) {
  return lines_of((uint64_t)candidates * 4) + lines_of((uint64_t)names * 8) + lines_of((uint64_t)table_of(names) * 12) +
         lines_of(mask_words_of(candidates) * 4 * TRAIN_MOST_UNITS) + warps * list_bytes(candidates);
}

/* The job of a trainer, with the trainer's own arrays. most_targets: of a unit. */
static inline void fill_job(const geodisk_trainer *t, device_job *j) {
  const geodisk_train_options *o = &t->options;
  memset(j, 0, sizeof *j);
  j->nodes = t->nodes;
  j->edges = t->edges;
  j->offsets = t->out.offsets;
  j->targets = t->out.nodes;
  j->weights = t->out.weights;
  j->mean_weight = t->mean_weight;
  j->order = t->order;
  j->place = t->place;
  j->guide = t->guide;
  j->inner = t->inner;
  j->inners = t->inners;
  j->extra = t->extra;
  j->aliases = t->aliases;
  j->alias_blocks = t->alias_blocks;
  j->sample = t->sample ? (const uint32_t *)t->sample->nodes : NULL;
  j->sampled = t->sample ? t->sample->edges : 0;
  j->sharpness = o->sharpness;
  j->seed = o->seed;
  j->edge_units = o->units == GEODISK_UNITS_EDGE;
  j->single = is_single(o);
  j->flat = o->space == GEODISK_SPACE_EUCLIDEAN;
  j->complement = o->loss == GEODISK_LOSS_COMPLEMENT;
}

/* The most targets that a unit of the graph has. */
static inline uint32_t most_targets(const geodisk_trainer *t) {
  uint64_t most = 1;
  for (size_t u = 0; u < t->nodes && t->options.units == GEODISK_UNITS_SOURCE; u++) {
    const uint64_t count = t->out.offsets[u + 1] - t->out.offsets[u];
    most = count > most ? count : most;
  }
  return most < TRAIN_MOST_TARGETS ? (uint32_t)most : TRAIN_MOST_TARGETS;
}

static inline uint32_t octaves_of(uint64_t nodes) {
  uint32_t octaves = 1;
  while (octaves < 31 && nodes > 0 && (nodes - 1) >> octaves)
    octaves++;
  return octaves;
}

/* Sizes of a block of this plan: threads of a group, what is shared, what a group has for itself. */
static inline uint32_t size_blocks(device_job *j, uint32_t targets, uint32_t most_threads) {
  const epoch_plan *plan = &j->plan;
  const uint32_t units = plan->block_units;
  const uint64_t names = (uint64_t)units * (1 + targets), draws = plan->all ? j->nodes : (uint64_t)plan->far + plan->near;
  j->most_candidates = (uint32_t)((names < j->nodes ? names : j->nodes) + draws);
  j->most_names = (uint32_t)names;
  j->octaves = octaves_of(j->nodes);
  j->inner_octaves = octaves_of(j->inners);
  shared_sizes *z = &j->shared;
  z->units = units;
  z->dim = plan->rule.dim <= SHARED_DIM ? ((uint32_t)plan->rule.dim + 3) / 4 * 4 : 0; /* whole 16 bytes */
  z->names = names < 1024 ? (uint32_t)names : 1024;
  z->candidates = j->most_candidates < 1536 ? j->most_candidates : 1536;
  const uint32_t table = table_of(z->names);
  const uint32_t gathered = j->single && units > 1 ? z->names * ((uint32_t)plan->rule.dim + 1) : 0;
  z->area = gathered < 3 * table ? 3 * table : gathered < 6144 ? gathered : 6144;
  const uint32_t threads = 32 * units < most_threads ? 32 * units : most_threads;
  j->room_bytes = room_of_group(j->most_candidates, j->most_names, WIDTH == 1 ? 1 : threads / 32);
  return threads;
}

/* What the tally of an epoch says, in the trainer's terms. */
static inline void device_sum(const device_tally *from, tally *out) {
  const bool pulls = from->bad_pulls <= from->bad_moves;
  memset(out, 0, sizeof *out);
  out->loss = from->loss;
  out->edges = (uint64_t)from->edges;
  out->skipped = (uint64_t)from->skipped;
  out->pairs = (uint64_t)from->pairs;
  out->clips = (uint64_t)from->clips;
  out->bad = from->bad_pulls != UINT64_MAX || from->bad_moves != UINT64_MAX;
  out->bad_node = pulls ? from->bad_source : from->bad_row;
  out->bad_batch = pulls ? from->bad_pulls : from->bad_moves;
}

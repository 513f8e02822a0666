/* train.h - the two kernels of the trainer: the pulls of a block of units, and the steps of the rows that were pulled.
 *
 * A unit is a source with its targets. The units of a block share their candidates, and all that happens in a block is said in
 * terms of these: sources come first, then other targets, then negatives. For a unit with source u, each candidate m that is
 * neither u nor a target of u is a negative. With the gap S, q = |u-m|^2 / (S(u) S(m)) = sinh^2(d/2) and a = sqrt(1+q) + sqrt(q)
 * = e^(d/2) the likelihood of m is a^(-2B), B the sharpness. src/embed/plain.c defines every operation and its order; the kernels
 * here give the same bytes faster. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "geodisk/base.h"
#include "portable.h"

typedef enum train_update { TRAIN_GEODESIC = 0, TRAIN_NATURAL = 1, TRAIN_EUCLIDEAN = 2 } train_update;

/* Elements of a row: the coordinates, zeros, and as the last one the gap: whole lines of 64 bytes. Rows of sums are like it, with
 * the path in place of the gap. */
static inline ON_DEVICE size_t train_stride(size_t dim, bool single) { return single ? (dim + 16) / 16 * 16 : (dim + 8) / 8 * 8; }
enum { TRAIN_LANES_FLOAT = 16, TRAIN_LANES_DOUBLE = 8 };

/* What is the same for all units of an epoch. */
typedef struct train_rule {
  size_t dim, stride;
  train_update update;
  bool flat;       /* Euclidean space: a = e^(d/2) all the same */
  bool complement; /* the denominator leaves the target out and counts u itself, a constant 1 */
  double sharpness;
  int squarings;         /* 2B = 2^squarings, or -1: any power */
  double reach;          /* negatives further away than the furthest target by this factor in a are dropped: WEIGHT^(-1/(2B)) */
  double most;           /* a(target) / a(negative) is taken to be at most this: MOST_LIKELY^(1/(2B)) */
  double sparse;         /* pulls below it become it or nothing, at random; 0: off */
  double bound;          /* of a unit's pushes, each counted up to TRAIN_SMALL_PUSH; 0: none */
  double regularization; /* targets are pulled to the origin by this times S |x|, in flat space 2 |x| */
  double scale;          /* of sums as integers: a power of two */
  double rate, cap;      /* step = min(rate, cap / path); cap 0: none */
  double margin;         /* natural and euclidean: points are kept to |x| <= 1 - margin */
} train_rule;

#define TRAIN_LEAST_WEIGHT 1e-4
#define TRAIN_MOST_LIKELY  0x1p96
#define TRAIN_SMALL_PUSH   0.03

typedef struct train_unit {
  uint32_t source;        /* a candidate */
  uint32_t targets;       /* how many */
  const uint32_t *target; /* candidates */
  const double *weights;  /* or NULL: 1 */
  uint32_t key;           /* of its random numbers */
  uint32_t apart;         /* so many candidates, the first, are no negatives of it */
} train_unit;

enum { TRAIN_MOST_UNITS = 32, TRAIN_MOST_TARGETS = 256 };

typedef struct train_block {
  size_t units;
  const train_unit *unit;
  size_t candidates;
  const uint32_t *index; /* of the candidates' rows */
  const void *rows;
  void *scratch;    /* train_scratch_bytes(candidates, stride), lines of 64 bytes */
  void *sums;       /* out: candidates x stride of int32_t (float rows) or int64_t; zero before */
  uint32_t *pulled; /* candidates: whether they are listed; zero before */
  uint32_t *list;   /* out: candidates that were pulled */
  size_t listed;
  const uint32_t *next; /* rows that will be read next: they are fetched between the units */
  size_t nexts;
} train_block;

typedef struct train_result {
  int64_t loss;   /* sum of -w log(likelihood / denominator), times TRAIN_LOSS_SCALE */
  uint64_t pairs; /* of source and candidate */
  uint64_t edges, skipped;
  bool bad; /* a number is not finite */
  uint32_t bad_unit;
} train_result;
#define TRAIN_LOSS_SCALE 0x1p20

static inline size_t train_room(size_t candidates) { return (candidates + 31) / 16 * 16; }
static inline size_t train_scratch_bytes(size_t candidates, size_t stride) {
  return (train_room(candidates) * (stride + 10) + (size_t)16 * (TRAIN_MOST_TARGETS + 64)) * sizeof(double);
}

/* 1 / k!, folded by compilers. */
static inline __attribute__((always_inline)) ON_DEVICE double inverse_factorial(int k) {
  double product = 1.0;
  for (int i = 2; i <= k; i++)
    product *= i;
  return 1.0 / product;
}

/* Sums never overflow but where a number was not finite, which ends training; until then they go round. */
static inline ON_DEVICE int64_t train_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

/* Random bits for index i under a unit's key: two rounds of multiplication and shifts (the finalizer of MurmurHash3) on a Weyl
 * sequence. */
static inline ON_DEVICE uint32_t train_hash(uint32_t key, uint32_t i) {
  uint32_t h = key + i * 0x9E3779B9u;
  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h = (h ^ h >> 13) * 0xC2B2AE35u;
  return h ^ h >> 16;
}
enum { TRAIN_TARGET_INDEX = 1 << 24 }; /* random numbers of targets come from here on */

/* Rows to move: row[i] by the sums at i * stride. */
typedef struct train_moves {
  size_t count;
  const uint32_t *row;
  void *rows;
  const int64_t *sums;
} train_moves;
typedef struct train_moved {
  uint64_t clips;
  bool bad;
  uint32_t bad_row;
} train_moved;

/* An edge of the sample of the loss, its target first, then the negatives: distances come as |u-m|^2 and become d(u, m); gaps are
 * S(u) S(m); terms[i] becomes e^(sharpness (d_0 - d_i)), the exponent at most TRAIN_SAMPLE_MOST. */
enum { TRAIN_SAMPLE_ROOM = 40 };
#define TRAIN_SAMPLE_MOST 700.0

typedef struct train_table {
  const char *name;
  void (*pulls_d)(const train_rule *rule, train_block *block, train_result *result);
  void (*pulls_f)(const train_rule *rule, train_block *block, train_result *result);
  void (*moves_d)(const train_rule *rule, const train_moves *moves, train_moved *moved);
  void (*moves_f)(const train_rule *rule, const train_moves *moves, train_moved *moved);
  /* What a block pulled a candidate (sums of train_block) becomes the sum of its row, or is added to it; its own becomes zero. */
  void (*add_d)(size_t stride, void *from, int64_t *to, bool first);
  void (*add_f)(size_t stride, void *from, int64_t *to, bool first);
  /* train_draws.h */
  void (*words)(uint32_t key, uint32_t first, size_t count, uint32_t *words);
  void (*comb)(uint32_t key, const uint32_t *comb, size_t count, uint32_t *places);
  void (*near)(uint32_t key, const uint32_t *sources, size_t units, uint64_t nodes, size_t count, uint32_t *places);
  void (*sample)(double sharpness, bool flat, double *distances, const double *gaps, double *terms);
} train_table;

/* By the name of the instruction set; NULL for "ref" and for a name that was not built in: then plain.c computes. */
const train_table *geodisk_train_table(const char *name);
extern const train_table geodisk_train_sse2, geodisk_train_avx2, geodisk_train_avx512, geodisk_train_neon;

/* The deepest gap the trainer goes to, so that products of two gaps stay in range: radius 39 in float, 299 in double. */
#define TRAIN_LEAST_GAP_FLOAT  0x1p-54f
#define TRAIN_LEAST_GAP_DOUBLE 0x1p-430
/* Points nearer than this (squared) coincide: there is no direction between them. */
#define TRAIN_LEAST_SQUARE_FLOAT  0x1p-120f
#define TRAIN_LEAST_SQUARE_DOUBLE 0x1p-900
/* Above this gap coordinates resolve it, and it is measured from them. Below, it is carried, and coordinates are scaled to it
 * where they are too far out, or too far in by more than the slack. */
#define TRAIN_GAP_TRUST_FLOAT  0x1p-10f
#define TRAIN_GAP_TRUST_DOUBLE 0x1p-30
#define TRAIN_SLACK_FLOAT      4e-7f
#define TRAIN_SLACK_DOUBLE     1e-15
/* What |x|^2 of a row is brought to where it is larger: products, sum and scale round, each by epsilon, and what comes out is
 * still below train_outmost, up to which rows are left alone when they are read: those of a checkpoint always are. */
static inline ON_DEVICE double train_rim(size_t dim, double epsilon) { return 1.0 - 4.0 * (double)(dim + 8) * epsilon; }
static inline ON_DEVICE double train_outmost(size_t dim, double epsilon) { return 1.0 - 2.0 * (double)(dim + 8) * epsilon; }

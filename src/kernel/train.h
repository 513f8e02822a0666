/* train.h - the kernel of the trainer: one step of the loss of Poincare embeddings for a source u, its positives and its
 * negatives.
 *
 * A row is dim coordinates and the gap, with zeros between and after: stride elements, a multiple of 64 bytes. Rows are points of
 * the ball of radius 1 and curvature -1; in Euclidean space the gap is not used. With q = |u-m|^2 / (S(u) S(m)),
 *
 *   e^-d(u,m) = 1 / (sqrt(1+q) + sqrt(q))^2,     dL/dd(u,m) = w [m = v] - softmax_m
 *
 * and every row but u moves along the one geodesic through u, by the exact exponential map:
 *
 *   c = 1 / (|m-u| sqrt(S(u) S(m) + |m-u|^2)),    n = c (S(m) (m-u) + |m-u|^2 m)      the unit tangent at m away from u
 *   m' = m + f (c |m-u|^2 + t) m + f c S(m) (m-u),    f = S(m) t / |z|^2,    |z|^2 = (1 + t n.m)^2 + t^2 (|m|^2 - (n.m)^2),    S'
 * = S (1-t^2) / |z|^2
 *
 * so each costs a few scalars, which are computed for a whole vector of rows at a time. All pulls of a step are taken from the
 * state before it; rows must be distinct. */
#ifndef GEODISK_KERNEL_TRAIN_H
#define GEODISK_KERNEL_TRAIN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum train_update { TRAIN_GEODESIC = 0, TRAIN_NATURAL = 1, TRAIN_EUCLIDEAN = 2 } train_update;

/* What is the same for all steps of an epoch. */
typedef struct train_rule {
  size_t dim, stride, gap; /* of rows: see train_gap_place */
  double lr;
  train_update update;
  bool flat;       /* Euclidean space */
  int squarings;   /* of likelihoods: they are e^(-2^squarings d), and pulls the derivatives by 2^squarings d; 0 with complement,
                      and where a step without hold has several positives */
  bool complement; /* the denominator leaves the positive out and counts u itself, a constant 1 */
  double margin;   /* natural and euclidean: points are kept to |x| <= 1 - margin */
  double longest;  /* u moves at most this far in a step; 0: any length */
  double sparse;   /* softmax weights below it are raised to it with probability weight/sparse, else dropped; 0: off */
} train_rule;

/* Elements of a row, whole cache lines, and where its gap is: in float in a quarter of a vector of its own if that makes the row
 * no longer, since a transposing sum of the row then gives both the distance and the gap. */
static inline size_t train_stride(size_t dim, bool single) { return single ? (dim + 16) / 16 * 16 : (dim + 8) / 8 * 8; }
static inline size_t train_gap_place(size_t dim, bool single) {
  const size_t apart = (dim + 3) / 4 * 4;
  return single && apart < train_stride(dim, single) ? apart : dim;
}

/* One step. index holds `negatives` negatives, then `positives` positives: distinct rows, none of them u, and room for TRAIN_PAD
 * more. */
typedef struct train_step {
  uint32_t u;
  uint32_t *index;
  size_t negatives, positives;
  const double *weights; /* of the positives, or NULL: 1 */
  const void *others;    /* or NULL: u is the target and the "positives" are its sources, each with the sum (a number of the rows'
                            type, with room for TRAIN_PAD more) of the likelihoods of its own negatives; there are no negatives
                            here and no loss is counted */
  bool hold;             /* only u and the negatives move */
  const uint16_t *randoms; /* `negatives` random numbers, only used by sparse pulls */
  uint32_t turn;           /* counts the steps: which negatives have their gap measured this time */
  void *scratch;           /* train_scratch_bytes(positives + negatives, dim) */
} train_step;

#define TRAIN_AT_ONCE ((size_t)2) /* steps side by side */

/* What came of it. Sums are added to. */
typedef struct train_result {
  double loss;                       /* sum over positives of -w log(e^-d(u,v) / denominator), but for the log of ... */
  double ratio;                      /* ... the product of what came last, >= 1: loss + log(ratio) is the whole; starts at 1 */
  double likelihoods[TRAIN_AT_ONCE]; /* of each step: the sum of e^-d over its negatives */
  uint64_t clips;                    /* rows pulled back to the margin, or to the deepest gap of the number type */
  bool bad;                          /* a number is not finite: the step was abandoned */
  size_t bad_step;                   /* which of two; the one that was taken last */
} train_result;

/* Sparse pulls: a weight below `least` is kept, and raised to it, if the random number is below its share of it; half a unit
 * more, so that on the average nothing is lost. */
static inline bool train_is_kept(double weight, double least, uint16_t random) {
  return ((double)random + 0.5) * 0x1p-16 * least < weight;
}

/* Squared likelihoods are taken relative to the positive's, which becomes 1; a negative counts at most 2^96. With hold they are
 * squared as they are, and are at least 2^-100. */
enum { TRAIN_LIKELIEST = 96 };
#define TRAIN_LEAST_LIKELIHOOD 0x1p-100

/* Products of ratios are cut here: one more factor, at most 2^860, must not overflow. */
#define TRAIN_LARGE_RATIO 1e20
#define TRAIN_SMALL_RATIO 0x1p50 /* sixteen of these may be multiplied at once */

enum { TRAIN_PAD = 16, TRAIN_ARRAYS = 8 };

/* Of the rows, those with (place + turn) % EVERY = 0 have their gap measured; of u and the last positive, in turns % OFTEN = 0.
 */
enum { TRAIN_MEASURE_EVERY = 64, TRAIN_MEASURE_OFTEN = 8 };

static inline size_t train_scratch_bytes(size_t rows, size_t dim) {
  return ((rows + TRAIN_PAD) * TRAIN_ARRAYS + 2 * (dim + TRAIN_PAD)) * sizeof(double);
}

/* Steps longer than this may tell the gap from the coordinates by themselves; up to it tanh is a short series. */
#define TRAIN_FAR 0.5

/* How a row moves by `step` along a unit tangent n away from u: x' = keep x + away (x - u), with a new gap. */
typedef struct train_move {
  double keep, away, gap;
  bool clipped;
  bool far; /* the step was so long that it may tell the gap from the coordinates */
} train_move;

/* u itself, along n: x' = keep x + away n, nx = n.x. */
train_move geodisk_train_move(const train_rule *rule, double step, double gap, double nx, double least_gap);

/* The same for a tangent g of which |g|^2 and along = g.x are given: x' = keep x + away g. Short geodesic steps, which nearly all
 * are, need no exponential and no root: t = tanh(step/2) is |g| top / below, a continued fraction in |g|^2, and z2 and all that
 * is divided by it come out times below^2. */
static inline __attribute__((always_inline)) train_move train_source_move(const train_rule *rule, double square, double along,
                                                                          double gap, double least_gap) {
  const double far = rule->longest > 0.0 && rule->longest < TRAIN_FAR ? rule->longest : TRAIN_FAR;
  const double half = 0.5 * rule->lr, h2 = half * half * square, h4 = h2 * h2;
  train_move m;
  if (h2 <= 0.25 * far * far && rule->update == TRAIN_GEODESIC && !rule->flat) {
    const double top = half * ((135135.0 + h2 * 17325.0) + h4 * (378.0 + h2));
    const double below = (135135.0 + h2 * 62370.0) + h4 * (3150.0 + h2 * 28.0);
    const double ahead = below + top * along, side = square * (1.0 - gap) - along * along, top2 = top * top, t2 = top2 * square;
    const double scale = gap / (ahead * ahead + (side > 0.0 ? top2 * side : 0.0));
    m.keep = 1.0 + t2 * scale;
    m.away = top * below * scale;
    m.gap = (below * below - t2) * scale;
    m.gap = m.gap < 1.0 ? m.gap : 1.0;
    m.clipped = m.gap < least_gap;
    m.gap = m.clipped ? least_gap : m.gap;
    m.far = false;
    return m;
  }
  const double length = sqrt(square), step = rule->lr * length;
  m = geodisk_train_move(rule, rule->longest > 0.0 && step > rule->longest ? rule->longest : step, gap, along / length,
                         least_gap);
  m.away /= length;
  m.far = true;
  return m;
}

/* Makes coordinates and gaps of `count` rows consistent; returns the sum of their hyperbolic radii. */
typedef double (*train_settle_double)(const train_rule *rule, double *rows, size_t count);
typedef double (*train_settle_float)(const train_rule *rule, float *rows, size_t count);

/* One step, or two that share no row and no scratch: as if taken one after the other, but faster. */
typedef void (*train_step_double)(const train_rule *rule, double *rows, const train_step *step, size_t count,
                                  train_result *result);
typedef void (*train_step_float)(const train_rule *rule, float *rows, const train_step *step, size_t count, train_result *result);

/* Draws out of `count` places, all different and each place equally likely: the places are cut into slices, like the teeth of a
 * comb bent to a ring, which a random turn shifts; one place is drawn from each tooth. Two lists share no place if one takes the
 * other half of each tooth; the last place of an odd tooth is left out then. */
typedef struct train_comb {
  uint32_t count, teeth;  /* count < 2^16, teeth <= count / 2 */
  uint32_t turn;          /* random, below count */
  const uint16_t *starts; /* of the teeth before the turn, floor(j count / teeth), and the end; room for TRAIN_COMB_PAD more */
} train_comb;

#define TRAIN_COMB_PAD ((size_t)16)

/* A list to be drawn, with room for TRAIN_COMB_PAD more. */
typedef struct train_draw {
  const uint32_t *barred; /* places that it must not have */
  size_t barred_count;
  uint16_t *places;
} train_draw;

/* The tooth that a place belongs to. */
static inline uint32_t train_comb_tooth(const train_comb *c, uint32_t place) {
  const uint32_t at = place >= c->turn ? place - c->turn : place + (c->count - c->turn);
  return ((at + 1) * c->teeth - 1) / c->count;
}

typedef struct train_table {
  const char *name;
  train_step_double d;
  train_step_float f;
  train_settle_double settle_d;
  train_settle_float settle_f;
  /* out[0 .. 4*blocks): Philox4x32-10 of the counters (position + i, stream), i < blocks, under the key seed: the numbers that
   * geodisk_random_stream(seed, stream) gives from that position on. */
  void (*random_words)(uint64_t seed, uint64_t stream, uint64_t position, size_t blocks, uint32_t *out);
  /* A place from each tooth for one list or two, from `teeth` random numbers each (and room for TRAIN_COMB_PAD more). Of two, the
   * upper bit of the first's number says which half of a tooth it has, the second has the other, and the other bits say where in
   * it. Returns a bit for each list that may have a barred place; others have none. */
  unsigned (*comb_draw)(const train_comb *comb, const uint16_t *random, const train_draw *draws, size_t lists);
} train_table;

/* By the name of the instruction set; the plain one ("ref") for a name that was not built in. */
const train_table *geodisk_train_table(const char *name);

extern const train_table geodisk_train_ref, geodisk_train_sse2, geodisk_train_avx2, geodisk_train_avx512;

/* The deepest gap the trainer goes to, so that products of two gaps stay in range: radius 39 in float, 299 in double. */
#define TRAIN_LEAST_GAP_FLOAT  0x1p-54
#define TRAIN_LEAST_GAP_DOUBLE 0x1p-430

/* Points nearer than this (squared) are taken to be this far apart, so that no coefficient overflows and the square of it is a
 * normal number; float tells none apart there. */
#define TRAIN_LEAST_SQUARE_FLOAT  0x1p-60
#define TRAIN_LEAST_SQUARE_DOUBLE 0x1p-80

/* A Euclidean step longer than this ends at the margin in any case; its square must not overflow. */
#define TRAIN_LONGEST 1e9

/* The largest |x|^2 that is surely inside the ball: off the rim by what rounding can add, of the entries and of their sum. */
static inline double train_rim(size_t dim, double epsilon) { return 1.0 - 8.0 * epsilon - (double)dim * 0x1p-53; }

/* Above this gap coordinates resolve it (to 2^-12 in float, 2^-23 in double): it is measured from them now and then. Below, they
 * are scaled to it. */
#define TRAIN_GAP_TRUST_FLOAT  0x1p-12
#define TRAIN_GAP_TRUST_DOUBLE 0x1p-30

#endif

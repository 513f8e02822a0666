/* mean_plain.h - passes over points given by their coordinates, in memory or in blocks: threaded, vectorised, in a fixed order of
 * summation. A pass is begun at a trial point, fed with rows, and ended with an evaluation. */
#pragma once

#include "kernel/dd.h"
#include "kernel/kernel.h"
#include "solver.h"

/* Rows are summed in chunks of this many, chunk by chunk in order: whoever feeds rows must cut them at multiples of it. */
enum { CHUNK_ROWS = 1024 };

typedef struct chunk_result {
  double least_gap;
  size_t bad_row; /* of the fed rows, or SIZE_MAX */
  bool no_memory;
} chunk_result;

typedef struct plain {
  geodisk_context *context;
  geodisk_ball ball;
  size_t dim;
  geodisk_update update;
  double margin;
  const kernel_table *kernels;
  kernel_ball kernel_ball;
  bool has_kernel_ball; /* else gaps are computed one by one */

  double *base, *trial; /* dim */
  double base_gap;      /* of (x, gap), for the update rules */
  double trial_gap;
  uint64_t clips;

  /* The pass. */
  mean_point at;
  bool accurate;
  dd *totals; /* of the sums: as many as plain with Hessian or accurate need */
  size_t n_sums, most_sums;
  double *chunk_sums;    /* wave x n_sums */
  chunk_result *results; /* wave */
  size_t wave;           /* chunks that are summed at a time */
  uint64_t rows;         /* fed so far */

  /* Learned in the first pass. */
  bool learned;
  uint64_t expected_rows;
  dd weight_sum; /* scaled by at.weight_scale */
  double least_gap;

  /* What the last pass found. */
  evaluation found;
} plain;

geodisk_status plain_create(const geodisk_ball *ball, const geodisk_mean_options *options, plain *e);
void plain_destroy(plain *e);

/* What is wanted of a pass: PASS_ACCURATE loss and gradient in two doubles, and nothing else; otherwise loss and gradient and
 * these. */
enum { PASS_PLAIN = 0, PASS_ACCURATE = 1, PASS_HESSIAN = 2, PASS_CENTROID = 4, PASS_MEDIAN = 8 };

/* Begins a pass at the trial point. With PASS_MEDIAN `found` is that of sum w d: see median.c. */
void plain_begin(plain *e, int wanted);

/* Feeds rows. gaps: n numbers that are filled in the first pass and read in the others, or NULL: computed each time. Errors name
 * the row, counted from the beginning of the pass: ARGUMENT (a point outside, a weight that is negative or not finite), MEMORY.
 */
geodisk_status plain_feed(plain *e, size_t n, const double *points, const double *weights, double *gaps);

/* After a pass with `centroid`: the step from the trial to the Lorentz centroid, in an orthonormal frame. */
void plain_centroid_step(const plain *e, double *step);

/* Ends the pass: e->found. Errors: ARGUMENT (no rows, all weights zero, not the rows of the first pass), NUMERIC. */
geodisk_status plain_end(plain *e);

/* The trial becomes the base. */
void plain_adopt(plain *e);

/* Makes the trial the solver asks for; changes *next if it does not differ from the base. Errors: NUMERIC (a step out of the
 * numbers). */
geodisk_status plain_move(plain *e, solver *s, request *next);

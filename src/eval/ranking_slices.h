/* ranking_slices.h - a ranking by many, each of whom has a slice of the points and judges its own: the others' slices come by one
 * after the other, twice. The figures are those of a plain ranking. Seen by src/eval and the back-ends. */
#pragma once

#include "ranking_job.h"

typedef struct ranking_slices {
  geodisk_context *context;
  prepared own;
  rank_job job;
  const rank_arithmetic *arithmetic;
  double largest; /* flat space: of the coordinates of all slices */
} ranking_slices;

/* Own points, from number `first` on, of `nodes` in all, and the rows of their positives by numbers among all. Afterwards
 * own.largest and own.single_fits say what all must agree on (the largest; all of them) and give to _settle. */
geodisk_status ranking_slices_create(geodisk_context *context, const geodisk_eval_points *own, size_t first, size_t nodes,
                                     const geodisk_graph_rows *positives, ranking_slices *out);
geodisk_status ranking_slices_settle(ranking_slices *r, const geodisk_ranking_options *options, double largest, bool single_fits);
void ranking_slices_free(ranking_slices *r);

/* How many of the sources (own points, ascending) one batch should take, so that it needs some 100 MB at most. */
size_t ranking_batch_size(const ranking_slices *r, const uint32_t *sources, size_t count);

/* Some sources that are judged together. All slices must have been measured before they are sorted, and then scanned. */
typedef struct ranking_batch ranking_batch;
geodisk_status ranking_batch_open(ranking_slices *r, const uint32_t *sources, size_t count, ranking_batch **out);
geodisk_status ranking_batch_measure(ranking_batch *batch, const geodisk_eval_points *slice, size_t first);
void ranking_batch_sort(ranking_batch *batch);
geodisk_status ranking_batch_scan(ranking_batch *batch, const geodisk_eval_points *slice, size_t first);
void ranking_batch_close(ranking_batch *batch, rank_record *out); /* NULL: what it found is not wanted; batch NULL is fine */

/* A sample of n of the numbers 0 .. all-1, ascending: which of the nodes with positives are judged. */
void ranking_draw(uint64_t seed, size_t n, size_t all, uint32_t *out);

/* ---- figures of records, added in their order ---- */

enum { RANKING_TERMS = 12 };
typedef struct ranking_sums {
  size_t nodes, nodes_all; /* judged, and that might have been */
  uint64_t pairs;
  double above[RANKING_TERMS], below[RANKING_TERMS]; /* of the ratios that the figures are */
  double squares[RANKING_TERMS];                     /* of what is left, for the intervals of a sample */
} ranking_sums;
void ranking_sums_add(ranking_sums *sums, size_t count, const rank_record *records);
/* Once more over all records, if they are a sample. */
void ranking_sums_square(ranking_sums *sums, size_t count, const rank_record *records);
void ranking_sums_finish(const ranking_sums *sums, bool loss, geodisk_ranking *out);

/* ---- nodes of the graph that are not in the model ---- */

typedef struct relation_missing {
  size_t nodes, edges; /* of the graph */
  size_t missing_nodes;
  uint64_t missing_edges;
  const char *names[GEODISK_EVAL_MISSING_SHOWN]; /* of the first of them */
} relation_missing;

/* ARGUMENT with a text that says so, or if they are to be left out, a log event. */
geodisk_status relation_report_missing(geodisk_context *context, const relation_missing *missing, bool skip);

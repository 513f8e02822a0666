/* rank_job.h - what the tasks of a ranking share, and what each of them leaves behind. */
#ifndef GEODISK_EVAL_RANK_JOB_H
#define GEODISK_EVAL_RANK_JOB_H

#include <stdatomic.h>

#include "prepared.h"

/* The figures of one source. */
typedef struct rank_record {
  double rank_sum; /* over its positives; a multiple of 1/2 */
  double average_precision;
  double auc_sum;
  double loss_sum, complement_sum;
  uint32_t positives;
  uint32_t compared; /* positives, or 0 if there are no negatives to compare with */
  uint32_t hits[3];  /* rank <= 1, 3, 10 */
} rank_record;

typedef struct rank_job {
  const prepared *points;
  const rank_table *kernel;
  geodisk_graph_rows positives, known; /* known.offsets NULL: none */
  const uint32_t *sources;             /* the nodes judged, ascending */
  geodisk_rank_definition definition;
  bool loss;
  size_t tile_points;
  atomic_bool stopped; /* the tasks end early: out of memory, or the caller wants to stop */
} rank_job;

static inline bool rank_job_stopped(const rank_job *job) { return atomic_load_explicit(&job->stopped, memory_order_relaxed); }

/* One task: `count` sources from job->sources[first] on, into out[0..count). False if memory is out. In double and in single
 * precision. */
bool rank_block(const rank_job *job, size_t first, size_t count, rank_record *out);
bool rank_blockf(const rank_job *job, size_t first, size_t count, rank_record *out);

#endif

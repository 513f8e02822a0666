/* rank_blocks.c - the tasks of a ranking, in double and in single precision, and how ranks become figures. */
#include <math.h>
#include <stdlib.h>

#include "base/csr.h"
#include "ranking_job.h"

/* The positives of a source that come, nearest first, with what the job says of it. */
static rank_score begin_source(const rank_job *job, size_t u) {
  const geodisk_graph_rows *a = &job->positives, *b = &job->known;
  const uint64_t positives = a->offsets[u + 1] - a->offsets[u];
  const uint64_t left_out = b->offsets == NULL ? positives
                                               : rank_union(a->nodes + a->offsets[u], positives, b->nodes + b->offsets[u],
                                                            b->offsets[u + 1] - b->offsets[u]);
  return rank_score_begin(job->nodes, positives, left_out, job->definition == GEODISK_RANK_GENSIM);
}

/* The loss of a positive: q/S(u); Z. */
static void add_loss(const rank_job *job, rank_record *r, double q_over_gap, double z) {
  const double d = prepared_distance(job->points, q_over_gap);
  const double t = d + log(z); /* d + log(z + e^-d) = log(1 + e^t), without overflow, and 0 for z = 0 */
  r->loss_sum += fmax(t, 0.0) + log1p(exp(-fabs(t)));
  r->complement_sum += d + log1p(z);
}

#define REAL      double
#define IS_DOUBLE 1
#define NAME(x)   x
#define KERNEL    d
enum { GROUP = RANK_GROUP_BYTES / sizeof(double), GROUPf = RANK_GROUP_BYTES / sizeof(float) };
#include "rank_block.h"
#undef REAL
#undef IS_DOUBLE
#undef NAME
#undef KERNEL

#define REAL      float
#define IS_DOUBLE 0
#define NAME(x)   x##f
#define KERNEL    f
#include "rank_block.h"
#undef REAL
#undef IS_DOUBLE
#undef NAME
#undef KERNEL

const rank_arithmetic rank_in_double = {open_block, measure_slice, sort_positives, scan_slice, close_block, rank_all};
const rank_arithmetic rank_in_float = {open_blockf, measure_slicef, sort_positivesf, scan_slicef, close_blockf, rank_allf};

bool rank_block(const rank_arithmetic *arithmetic, const rank_job *job, size_t first, size_t count, rank_record *out) {
  void *task = arithmetic->open(job, first, count);
  if (task == NULL)
    return false;
  arithmetic->measure(task);
  arithmetic->sort(task);
  arithmetic->scan(task);
  arithmetic->close(task, out);
  return true;
}

/* rank_blocks.c - the tasks of a ranking, in double and in single precision, and how ranks become figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ranking_job.h"

static const double hit_ranks[] = {1, 3, 10};

/* The figures of one source while its positives come in, nearest first. */
typedef struct rank_score {
  const rank_job *job;
  double negatives; /* how many */
  double positives; /* how many there will be */
  double precision_sum;
  rank_record record;
} rank_score;

/* How many nodes are in either of two ascending rows. */
static uint64_t count_union(const geodisk_graph_rows *a, const geodisk_graph_rows *b, size_t u) {
  uint64_t i = a->offsets[u], j = b->offsets[u], n = 0;
  for (; i < a->offsets[u + 1] && j < b->offsets[u + 1]; n++) {
    const uint32_t x = a->nodes[i], y = b->nodes[j];
    i += x <= y;
    j += y <= x;
  }
  return n + (a->offsets[u + 1] - i) + (b->offsets[u + 1] - j);
}

static rank_score rank_score_begin(const rank_job *job, size_t u) {
  const uint64_t positives = job->positives.offsets[u + 1] - job->positives.offsets[u];
  const uint64_t left_out = job->known.offsets != NULL ? count_union(&job->positives, &job->known, u) : positives;
  const uint64_t itself = job->definition == GEODISK_RANK_GENSIM ? 0 : 1;
  return (rank_score){.job = job, .negatives = (double)(job->nodes - left_out - itself), .positives = (double)positives};
}

/* One more positive: how many negatives are nearer, how many as near; q/S(u); Z. */
static void rank_score_add(rank_score *s, uint64_t nearer, uint64_t ties, double q_over_gap, double z) {
  const bool gensim = s->job->definition == GEODISK_RANK_GENSIM;
  const double rank = 1.0 + (double)nearer + (gensim ? 0.0 : 0.5 * (double)ties);
  rank_record *r = &s->record;
  r->positives++;
  r->rank_sum += rank;
  const double place = rank + (double)(r->positives - 1); /* among positives and negatives together */
  s->precision_sum += r->positives / place;
  for (size_t h = 0; h < sizeof hit_ranks / sizeof hit_ranks[0]; h++) {
    r->hits[h] += rank <= hit_ranks[h];
    r->near[h] += place <= hit_ranks[h];
  }
  r->near_all += place <= s->positives;
  if (s->negatives > 0) {
    r->compared++;
    r->auc_sum += 1.0 - (rank - 1.0) / s->negatives;
  }
  if (s->job->loss) {
    const double d = prepared_distance(s->job->points, q_over_gap);
    const double t = d + log(z); /* d + log(z + e^-d) = log(1 + e^t), without overflow, and 0 for z = 0 */
    r->loss_sum += fmax(t, 0.0) + log1p(exp(-fabs(t)));
    r->complement_sum += d + log1p(z);
  }
}

static rank_record rank_score_end(rank_score *s) {
  s->record.average_precision = s->precision_sum / s->record.positives;
  return s->record;
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

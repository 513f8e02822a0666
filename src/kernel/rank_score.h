/* rank_score.h - how counts become ranks, and ranks figures: the same operations in the same order on the processor and, compiled
 * by nvcc, on a device. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define RANK_CODE static __device__ __forceinline__
#else
#define RANK_CODE static inline
#endif

/* The figures of one source. */
typedef struct rank_record {
  double rank_sum; /* over its positives; a multiple of 1/2 */
  double average_precision;
  double auc_sum;
  double loss_sum, complement_sum;
  uint32_t positives;
  uint32_t compared; /* positives, or 0 if there are no negatives to compare with */
  uint32_t hits[3];  /* rank <= 1, 3, 10 */
  uint32_t near[3];  /* positives among the nearest 1, 3, 10 of positives and negatives together */
  uint32_t near_all; /* among as many as there are positives */
} rank_record;

/* The figures of one source while its positives come in, nearest first. */
typedef struct rank_score {
  bool gensim;      /* ties count as farther */
  double negatives; /* how many */
  double positives; /* how many there will be */
  double precision_sum;
  rank_record record;
} rank_score;

/* How many nodes are in either of two ascending rows. */
RANK_CODE uint64_t rank_union(const uint32_t *a, uint64_t a_count, const uint32_t *b, uint64_t b_count) {
  uint64_t i = 0, j = 0, n = 0;
  for (; i < a_count && j < b_count; n++) {
    const uint32_t x = a[i], y = b[j];
    i += x <= y;
    j += y <= x;
  }
  return n + (a_count - i) + (b_count - j);
}

/* left_out: nodes that are positive or known. */
RANK_CODE rank_score rank_score_begin(uint64_t nodes, uint64_t positives, uint64_t left_out, bool gensim) {
  rank_score s;
  memset(&s, 0, sizeof s);
  s.gensim = gensim;
  s.negatives = (double)(nodes - left_out - (gensim ? 0 : 1));
  s.positives = (double)positives;
  return s;
}

/* One more positive: how many negatives are nearer, how many as near. */
RANK_CODE void rank_score_add(rank_score *s, uint64_t nearer, uint64_t ties) {
  const double rank = 1.0 + (double)nearer + (s->gensim ? 0.0 : 0.5 * (double)ties);
  rank_record *r = &s->record;
  r->positives++;
  r->rank_sum += rank;
  const double place = rank + (double)(r->positives - 1); /* among positives and negatives together */
  s->precision_sum += r->positives / place;
  for (int h = 0; h < 3; h++) {
    const double most = h == 0 ? 1.0 : h == 1 ? 3.0 : 10.0;
    r->hits[h] += rank <= most;
    r->near[h] += place <= most;
  }
  r->near_all += place <= s->positives;
  if (s->negatives > 0) {
    r->compared++;
    r->auc_sum += 1.0 - (rank - 1.0) / s->negatives;
  }
}

RANK_CODE rank_record rank_score_end(rank_score *s) {
  s->record.average_precision = s->precision_sum / s->record.positives;
  return s->record;
}

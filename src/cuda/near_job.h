/* near_job.h - the nearest points of many, on a device: what is computed for one question, or one pair. Pointers are of the
 * device, or of the host where tests compute the same.
 *
 * Points are dealt to NEAR_BUCKETS buckets by their numbers. Of each the nearest to a question is found in float; k of these,
 * measured in double, bound the distance of the k-th nearest of all, whatever float made of them. Then all points within the
 * bound are collected (screen_pairs.h), and it is drawn tighter by the k nearest of those. Bounds are what
 * src/vectors/collect.c would keep: what lies beyond cannot be an answer. The accurate distance, which is the processor's to the
 * last bit, puts the others in order. */
#pragma once

#include "ball/distance_device.h"
#include "group.h"
#include "kernel/flat_distance.h"
#include "kernel/rank_device.h"
#include "screen_pairs.h"

enum { NEAR_BUCKETS = 128, NEAR_COLLECTED = 128, NEAR_NONE = -1 };

typedef struct near_job {
  geodisk_ball ball;
  bool hyperbolic;
  uint64_t nodes, dim, k;
  const double *points, *gap, *weights; /* rows */
  const double *x, *x_gap, *slack;      /* of the questions */
  const uint32_t *self;
  double relative, heaviest; /* heaviest: the largest weight */
  float *rows;               /* of the points as the screen has its sources, with the weight at last */
  float *key;                /* buckets x questions: the smallest product in float, and whose it is */
  int32_t *nearest;
  double *limit;      /* of the questions: larger products are no answers */
  uint32_t *count;    /* of those collected */
  uint32_t *who;      /* questions x NEAR_COLLECTED */
  double *product;    /* too; at last their distances */
  near_answer *out;   /* questions x k */
  uint32_t *found;    /* questions */
  pair_screen screen; /* its sources are the questions */
} near_job;

static inline void near_set_ball(near_job *j, const near_points *p) {
  j->hyperbolic = p->hyperbolic;
  j->ball.dim = (int)p->dim;
  j->ball.radius = p->radius;
  j->ball.curvature = p->curvature;
}

DEVICE_CODE double near_product(const near_job *j, uint64_t question, uint32_t point) {
  const double *x = j->x + question * j->dim, *y = j->points + (uint64_t)point * j->dim;
  double sum = 0;
  for (uint64_t c = 0; c < j->dim; c++) {
    const double d = y[c] - x[c];
    sum = fma(d, d, sum);
  }
  return sum * j->weights[point];
}

DEVICE_CODE double near_distance(const near_job *j, uint64_t question, uint32_t point) {
  const double *x = j->x + question * j->dim, *y = j->points + (uint64_t)point * j->dim;
  return j->hyperbolic ? ball_distance_device(&j->ball, x, j->x_gap[question], y, j->gap[point]) : flat_distance(j->dim, x, y);
}

/* The largest that a product with what is known of the places may be, and what follows for all others from the k-th smallest of
 * these: collector_offer and collector_limit. */
DEVICE_CODE double near_high(const near_job *j, uint64_t question, uint32_t point, double product) {
  const double high = sqrt(product) + j->slack[question] * sqrt(j->weights[point]);
  return high * high * (1 + j->relative);
}
DEVICE_CODE double near_limit(const near_job *j, uint64_t question, double high) {
  const double root = sqrt(high) + j->slack[question] * sqrt(j->heaviest);
  return root * root * (1 + 4 * j->relative);
}

/* A point as the screen and the buckets have it. */
DEVICE_CODE void near_prepare_point(const near_job *j, uint64_t p) {
  const pair_screen *s = &j->screen;
  float *row = j->rows + p * s->width;
  for (uint32_t c = 0; c + 1 < s->width; c++)
    row[c] = c < j->dim ? (float)j->points[p * j->dim + c] : 0;
  for (uint32_t c = 0; c < s->dim; c++)
    s->columns[c * s->stride + p] = row[c];
  row[s->width - 1] = (float)j->weights[p];
  s->reach[p] = screen_reach(j->dim, j->weights[p]);
}

/* A question as the screen has it; its root comes later. */
DEVICE_CODE void near_prepare_question(const near_job *j, uint64_t q) {
  float *row = j->screen.rows + q * j->screen.width;
  for (uint32_t c = 0; c < j->screen.width; c++)
    row[c] = c < j->dim ? (float)j->x[q * j->dim + c] : 0;
}

/* The smallest key that the lanes have, and the lane's own if it is that: lanes with equal ones go by their number. */
DEVICE_CODE void near_smallest(float *key, int32_t *who) {
#ifdef __CUDACC__
  for (int half = 16; half >= 1; half /= 2) {
    const float other = __shfl_xor_sync(WHOLE_WARP, *key, half);
    const int32_t other_who = __shfl_xor_sync(WHOLE_WARP, *who, half);
    const bool better = other < *key || (other == *key && other_who > *who);
    *key = better ? other : *key;
    *who = better ? other_who : *who;
  }
#else
  (void)key;
  (void)who;
#endif
}

/* The bound from the nearest of k buckets, by a warp: the limit of the question, and its root in the screen. */
DEVICE_CODE void near_bound(const near_job *j, const group *g, uint64_t q) {
  enum { OWN = NEAR_BUCKETS / WIDTH };
  float key[OWN];
  int32_t who[OWN];
  for (int b = 0; b < OWN; b++) {
    const uint64_t at = ((uint64_t)b * WIDTH + g->lane) * j->screen.sources + q;
    key[b] = j->key[at];
    who[b] = j->nearest[at];
  }
  double high = 0;
  uint64_t taken = 0;
  for (int round = 0; round < NEAR_BUCKETS && taken < j->k; round++) {
    float best = INFINITY;
    int32_t nearest = NEAR_NONE;
    for (int b = 0; b < OWN; b++)
      if (who[b] != NEAR_NONE && (key[b] < best || nearest == NEAR_NONE)) {
        best = key[b];
        nearest = who[b];
      }
    near_smallest(&best, &nearest);
    if (nearest == NEAR_NONE)
      break;
    for (int b = 0; b < OWN; b++)
      who[b] = who[b] == nearest ? NEAR_NONE : who[b];
    if ((uint32_t)nearest == j->self[q])
      continue;
    const double own = near_high(j, q, (uint32_t)nearest, near_product(j, q, (uint32_t)nearest));
    high = own > high ? own : high;
    taken++;
  }
  if (g->lane == 0) {
    const double limit = taken < j->k ? (double)INFINITY : near_limit(j, q, high);
    j->limit[q] = limit;
    j->screen.rows[(q + 1) * j->screen.width - 1] = screen_root(j->dim, limit);
  }
}

/* A pair that the screen lets pass. */
DEVICE_CODE void near_collect(const near_job *j, uint64_t q, uint32_t point) {
  if (point == j->self[q])
    return;
  const double product = near_product(j, q, point);
  if (product > j->limit[q])
    return;
  const uint32_t at = add_some(&j->count[q], 1);
  if (at < NEAR_COLLECTED) {
    j->who[q * NEAR_COLLECTED + at] = point;
    j->product[q * NEAR_COLLECTED + at] = product;
  }
}

/* Distances, by a warp, of what was collected and is not beyond the bound that the k smallest products give; infinity for the
 * others. False if one is no number. */
DEVICE_CODE bool near_measure(const near_job *j, const group *g, uint64_t q) {
  const uint32_t count = j->count[q], *who = j->who + q * NEAR_COLLECTED;
  double *product = j->product + q * NEAR_COLLECTED, high = 0, bad = 0;
  for (uint32_t a = g->lane; a < count; a += WIDTH) {
    uint64_t before = 0;
    for (uint32_t b = 0; b < count; b++)
      before += product[b] < product[a] || (product[b] == product[a] && b < a);
    const double own = before < j->k ? near_high(j, q, who[a], product[a]) : 0.0;
    high = own > high ? own : high;
  }
  const double limit = near_limit(j, q, warp_largest_double(high));
  warp_sync();
  for (uint32_t a = g->lane; a < count; a += WIDTH) {
    product[a] = product[a] <= limit ? near_distance(j, q, who[a]) : (double)INFINITY;
    bad = product[a] == product[a] ? bad : 1.0;
  }
  warp_sync();
  return warp_largest_double(bad) == 0.0;
}

/* The answers from what was collected, by a warp. */
DEVICE_CODE void near_settle(const near_job *j, const group *g, uint64_t q) {
  const uint32_t count = j->count[q], *who = j->who + q * NEAR_COLLECTED;
  const double *distance = j->product + q * NEAR_COLLECTED;
  const bool settled = count <= NEAR_COLLECTED && count >= j->k && near_measure(j, g, q);
  if (g->lane == 0)
    j->found[q] = settled ? (uint32_t)j->k : 0;
  for (uint32_t a = g->lane; a < count && settled; a += WIDTH) {
    uint64_t before = 0;
    for (uint32_t b = 0; b < count; b++)
      before += distance[b] < distance[a] || (distance[b] == distance[a] && who[b] < who[a]);
    if (before < j->k)
      j->out[q * j->k + before] = (near_answer){who[a], distance[a]};
  }
}

/* The nearest of a bucket, as kernels find it. */
DEVICE_CODE void near_bucket(const near_job *j, uint64_t q, uint32_t bucket) {
  const pair_screen *s = &j->screen;
  float best = INFINITY;
  int32_t who = NEAR_NONE;
  for (uint64_t p = bucket; p < j->nodes; p += NEAR_BUCKETS) {
    const float key = screen_sum(s, q, p) * j->rows[(p + 1) * s->width - 1];
    who = key < best ? (int32_t)p : who;
    best = key < best ? key : best;
  }
  j->key[bucket * s->sources + q] = best;
  j->nearest[bucket * s->sources + q] = who;
}

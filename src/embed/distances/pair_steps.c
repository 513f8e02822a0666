/* pair_steps.c - stochastic descent on the stress of distances (Zheng, Pawar, Goodman 2019), in hyperbolic space: a pair that is
 * d apart and should be t apart moves along its geodesic, each point at most half of what is missing, and less as the heat falls.
 *
 * A point x moved by m towards y, at the distance d, is on the hyperboloid (a x + b y) with a = sinh(d - m) / sinh d and
 * b = sinh m / sinh d. With X0 + 1 = 2/S, S the gap, that is in the ball
 *
 *     1/S' = a/S(x) + b/S(y) + (1 - a - b)/2,      x' = S' (a x/S(x) + b y/S(y)),
 *
 * and sinh d and cosh d are those of the q = sinh^2(d/2) that the distance comes from. */
#include "pair_steps.h"
#include "base/squares.h"

#include <math.h>

#include "embed/placement/placement.h"
#include "embed/trainer.h"

enum { BLOCK = 32 };
#define LEAST_GAP 0x1p-48 /* coordinates do not resolve more: a distance of 34.7 from the origin */
#define LONGEST   1.0     /* step apart: longer ones cancel digits */
#define TOGETHER  1e-6    /* of the distance wanted: points nearer than that have no direction to part in */

double embed_distance_between(int dim, bool flat, const double *x, const double *y, double *square) {
  const double sum = square_between((size_t)dim, x, y);
  *square = sum;
  if (flat)
    return sqrt(sum);
  const double q = sum / (x[dim] * y[dim]), root = sqrt(q);
  return root < 1e-6 ? 2.0 * root : 2.0 * portable_log(root + sqrt(1.0 + q));
}

/* How far each of the two goes towards the other. */
static double step_length(const pair_rule *rule, double d, double length) {
  const double target = rule->curve * length, half = 0.5 * (d - target);
  if (rule->squares) {
    const double share = rule->heat / (length * length);
    return share < 1.0 ? share * half : half;
  }
  double most = rule->heat * rule->curve / length;
  if (rule->stress == GEODISK_STRESS_SQUARED)
    most *= 2.0 * d / target;
  return half > most ? most : half < -most ? -most : half;
}

static void measure_gap(int dim, double *x) { x[dim] = 1.0 - square_of((size_t)dim, x); }

/* Points that lie together: the first one aside, along one of the axes. */
static void part(int dim, bool flat, double target, double *x) {
  const int axis = x[0] < 0.0 ? dim - 1 : 0;
  double n[GEODISK_DIM_MOST] = {0};
  n[axis] = 1.0;
  if (flat) {
    x[axis] += 0.5 * target;
    return;
  }
  embed_walk(dim, x, x + dim, n, 0.5 * (target < LONGEST ? target : LONGEST));
  if (x[dim] > 0x1p-20)
    measure_gap(dim, x);
}

/* What a step of that length, from a point with gap sx towards one with gap sy, multiplies the two with, and the new gap. */
typedef struct mixture {
  double own, other, gap;
} mixture;

static mixture mix(double a, double b, double sx, double sy) {
  const double px = a / sx, py = b / sy, p = px + py + 0.5 * (1.0 - a - b);
  const double gap = 1.0 / p;
  return (mixture){px * gap, py * gap, p > 0.0 && gap > LEAST_GAP ? gap : LEAST_GAP};
}

/* a and b above; q = sinh^2(d/2) > 0. False: no step at all. */
static bool shares(double q, double root, double step, double *a, double *b) {
  const double length = step < -LONGEST ? LONGEST : fabs(step), t = portable_tanh_half(length);
  const double sine = 2.0 * t / ((1.0 - t) * (1.0 + t)), sinh_m = step < 0.0 ? -sine : sine;
  const double exp_m = step < 0.0 ? (1.0 + t) / (1.0 - t) : (1.0 - t) / (1.0 + t); /* of -m */
  const double sinh_d = 2.0 * root * sqrt(1.0 + q), cosh_d = 1.0 + 2.0 * q;
  *a = exp_m - sinh_m / (sinh_d * (cosh_d + sinh_d));
  *b = sinh_m / sinh_d;
  return length > 0.0;
}

static void set_gap(int dim, const mixture *m, double *x) {
  x[dim] = m->gap;
  if (m->gap > 0x1p-20) /* measured anew where coordinates have the digits */
    measure_gap(dim, x);
}

/* moved: y, or NULL: then x goes the whole way alone. */
static void step_pair(int dim, bool flat, const pair_rule *rule, double length, double *x, const double *y, double *moved) {
  double square, a, b;
  const double d = embed_distance_between(dim, flat, x, y, &square), target = rule->curve * length;
  if (!(d > TOGETHER * target)) {
    part(dim, flat, target, x);
    return;
  }
  const double step = (moved ? 1.0 : 2.0) * step_length(rule, d, length);
  if (flat) {
    const double share = step / d;
    for (int k = 0; k < dim; k++) {
      const double along = share * (y[k] - x[k]);
      x[k] += along;
      if (moved)
        moved[k] -= along;
    }
    return;
  }
  const double q = square / (x[dim] * y[dim]);
  if (!shares(q, sqrt(q), step, &a, &b))
    return;
  const mixture mx = mix(a, b, x[dim], y[dim]), my = mix(a, b, y[dim], x[dim]);
  for (int k = 0; k < dim; k++) {
    const double u = x[k], v = y[k];
    x[k] = mx.own * u + mx.other * v;
    if (moved)
      moved[k] = my.own * v + my.other * u;
  }
  set_gap(dim, &mx, x);
  if (moved)
    set_gap(dim, &my, moved);
}

/* ---- a tournament ---- */

typedef struct tournament {
  const pair_points *p;
  const pair_rule *rule;
  size_t blocks, seats; /* seats: blocks, and an empty one if their number is odd */
  size_t round;
} tournament;

static void meet(const tournament *t, size_t i, size_t j) {
  const pair_points *p = t->p;
  const size_t stride = (size_t)p->dim + 1;
  const double length = (double)p->lengths[i * p->nodes + j];
  double *y = p->rows + j * stride;
  if (embed_counts(length))
    step_pair(p->dim, p->flat, t->rule, length, p->rows + i * stride, y, y);
}

static void meet_at_home(void *arg, size_t block) {
  const tournament *t = arg;
  const size_t first = block * BLOCK, end = first + BLOCK < t->p->count ? first + BLOCK : t->p->count;
  for (size_t i = first; i < end; i++)
    for (size_t j = i + 1; j < end; j++)
      meet(t, i, j);
}

/* The circle method: the last seat stays, the others go round. */
static void meet_abroad(void *arg, size_t table) {
  const tournament *t = arg;
  const size_t ring = t->seats - 1, n = t->p->count;
  const size_t left = table == 0 ? ring : (t->round + table) % ring, right = (t->round + ring - table) % ring;
  const size_t a = t->p->blocks[left], b = t->p->blocks[right];
  if (a >= t->blocks || b >= t->blocks)
    return;
  for (size_t shift = 0; shift < BLOCK; shift++)
    for (size_t k = 0; k < BLOCK; k++) {
      const size_t i = a * BLOCK + k, j = b * BLOCK + (k + shift) % BLOCK;
      if (i < n && j < n)
        meet(t, i, j);
    }
}

/* Coordinates as long as the gap says: rounding would let the two drift apart. */
static void settle(const pair_points *p) {
  const size_t dim = (size_t)p->dim;
  for (size_t i = 0; i < p->count; i++) {
    double *x = p->rows + i * (dim + 1);
    const double factor = x[dim] > 0x1p-20 ? 1.0 : sqrt((1.0 - x[dim]) / square_of(dim, x));
    for (size_t k = 0; k < dim; k++)
      x[k] *= factor;
  }
}

void embed_pair_epoch(const pair_points *p, const pair_rule *rule, uint64_t epoch) {
  tournament t = {.p = p, .rule = rule, .blocks = (p->count + BLOCK - 1) / BLOCK};
  t.seats = t.blocks + t.blocks % 2;
  geodisk_random random = geodisk_random_stream(p->seed, stream_of(STREAM_PLACE, epoch, PLACE_PAIRS));
  for (size_t i = 0; i < t.seats; i++)
    p->blocks[i] = (uint32_t)i;
  for (size_t i = t.seats; i-- > 1;) {
    const size_t j = (size_t)geodisk_random_below(&random, i + 1);
    const uint32_t swapped = p->blocks[i];
    p->blocks[i] = p->blocks[j];
    p->blocks[j] = swapped;
  }
  geodisk_parallel(p->context, t.blocks, meet_at_home, &t);
  for (t.round = 0; t.round + 1 < t.seats; t.round++)
    geodisk_parallel(p->context, t.seats / 2, meet_abroad, &t);
  if (!p->flat)
    settle(p);
}

void embed_point_epoch(const pair_points *p, const pair_rule *rule, const double *lengths, size_t stride, const uint32_t *sources,
                       double *x) {
  for (size_t i = 0; i < p->count; i++) {
    const double length = lengths[sources[i] * stride];
    if (embed_counts(length))
      step_pair(p->dim, p->flat, rule, length, x, p->rows + i * ((size_t)p->dim + 1), NULL);
  }
}

void embed_stretch(const pair_points *p, double factor) {
  const size_t dim = (size_t)p->dim;
  for (size_t i = 0; i < p->count; i++) {
    double *x = p->rows + i * (dim + 1), f = factor;
    const double norm = norm_of(dim, x);
    if (!p->flat && norm > 0.0) { /* e^radius = (1 + |x|)^2 / S */
      const double radius = norm < 1e-6 ? 2.0 * norm * factor : factor * portable_log((1.0 + norm) * (1.0 + norm) / x[dim]);
      const double e = portable_exp(-(radius < 34.0 ? radius : 34.0));
      f = portable_tanh_half(radius) / norm;
      x[dim] = 4.0 * e / ((1.0 + e) * (1.0 + e));
    }
    for (size_t k = 0; k < dim; k++)
      x[k] *= f;
  }
}

/* attraction.c - the loss of a new point among fixed nodes. With delta = y - x, S and T the gaps of x and y,
 *
 *     q = R^2 |delta|^2 / (S T),      exp(-d) = (sqrt(1 + q) + sqrt(q))^(-2 / sqrt(k)),
 *     the unit vector (in an orthonormal frame at x) towards y is  w / |w|,  w = S delta - |delta|^2 x,
 *     |w|^2 = |delta|^2 (S T + R^2 |delta|^2),
 *
 * so that a sum of pulls c_m towards y_m needs only A = sum a_m, B = sum a_m |delta_m|^2, C = sum a_m y_m with a_m = c_m / |w_m|:
 * it is S (C - A x) - B x. In flat space exp(-d) = exp(-|delta|) and the unit vector is delta / |delta|: C - A x. */
#include "attraction.h"
#include "base/squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps are halved until the loss decreases by this share of what the gradient promises; below this length the point stands. */
static const double enough = 1e-4, shortest = 1e-12, longest = 0.5;

/* One fixed node seen from the point: e = exp(-d), |delta|^2, 1/|w| (0 where the point lies on it), and e^(sqrt(k) d / 2), or d
 * in flat space. */
typedef struct sight {
  double e, square, inverse, grow;
} sight;

typedef struct viewer {
  const geodisk_ball *ball;
  bool hyperbolic, unit; /* curvature 1 */
  double whole, root;    /* R^2, sqrt(k) */
  const double *x;
  double gap;
  size_t dim;
} viewer;

static viewer view_from(const geodisk_model *model, const double *x, double gap) {
  return (viewer){.ball = &model->ball,
                  .hyperbolic = model->space == GEODISK_SPACE_HYPERBOLIC,
                  .unit = model->ball.curvature == 1.0,
                  .whole = model->ball.radius * model->ball.radius,
                  .root = sqrt(model->ball.curvature),
                  .x = x,
                  .gap = gap,
                  .dim = (size_t)model->ball.dim};
}

static sight look(const viewer *v, const double *y, double y_gap) {
  sight s = {.square = 0};
  for (size_t k = 0; k < v->dim; k++)
    s.square += (y[k] - v->x[k]) * (y[k] - v->x[k]);
  if (!v->hyperbolic) {
    s.grow = sqrt(s.square);
    s.e = exp(-s.grow);
    s.inverse = s.grow > 0 ? 1 / s.grow : 0;
    return s;
  }
  const double area = v->gap * y_gap, q = v->whole * s.square / area;
  s.grow = sqrt(1 + q) + sqrt(q);
  s.e = v->unit ? 1 / (s.grow * s.grow) : pow(s.grow, -2 / v->root);
  s.inverse = s.square > 0 ? 1 / sqrt(s.square * (area + v->whole * s.square)) : 0;
  return s;
}

static double distance_of(const viewer *v, const sight *s) { return v->hyperbolic ? 2 * log(s->grow) / v->root : s->grow; }

/* Sums of pulls. */
typedef struct pulls {
  double a, b;
  double *c; /* dim */
} pulls;

static void pull(pulls *p, const viewer *v, const sight *s, const double *y, double strength) {
  const double a = strength * s->inverse;
  p->a += a;
  p->b += a * s->square;
  for (size_t k = 0; k < v->dim; k++)
    p->c[k] += a * y[k];
}

/* Adds factor * (the sum of the pulls) to `out`, or puts it there, which may be p->c. */
static void add_up(const pulls *p, const viewer *v, double factor, double *out, bool put) {
  for (size_t k = 0; k < v->dim; k++) {
    const double along = p->c[k] - p->a * v->x[k];
    out[k] = (put ? 0 : out[k]) + factor * (v->hyperbolic ? v->gap * along - p->b * v->x[k] : along);
  }
}

/* The crowd's sum; with `p`, its pulls of strength e each. */
static double look_at_crowd(const crowd *c, const viewer *v, const uint32_t *skip, size_t n_skip, pulls *p, double *y) {
  double sum = 0, y_gap;
  size_t next = 0;
  for (size_t i = 0; i < c->count; i++) {
    const uint32_t node = c->nodes != NULL ? c->nodes[i] : (uint32_t)i;
    while (next < n_skip && skip[next] < node)
      next++;
    if (next < n_skip && skip[next] == node)
      continue;
    geodisk_model_point(c->model, node, y, &y_gap);
    const sight s = look(v, y, y_gap);
    sum += s.e;
    if (p != NULL)
      pull(p, v, &s, y, s.e);
  }
  return sum * c->scale;
}

double crowd_sum(const crowd *c, const double *x, double gap, const uint32_t *skip, size_t n_skip) {
  double *y = geodisk_allocate((size_t)c->model->ball.dim, sizeof *y);
  if (y == NULL)
    return (double)NAN;
  const viewer v = view_from(c->model, x, gap);
  const double sum = look_at_crowd(c, &v, skip, n_skip, NULL, y);
  free(y);
  return sum;
}

double attraction_loss(const attraction *a, const double *x, double gap, double *downhill, double *y) {
  const viewer v = view_from(a->model, x, gap);
  double loss = 0, y_gap, share = 0;
  pulls p = {0, 0, downhill};
  double *own = y + v.dim; /* the pulls towards single nodes */
  memset(downhill, 0, v.dim * sizeof *downhill);
  memset(own, 0, v.dim * sizeof *own);
  const double sum = a->n_parents > 0 ? look_at_crowd(&a->negatives, &v, a->skip, a->n_skip, &p, y) : 0;
  pulls q = {0, 0, own};
  for (size_t i = 0; i < a->n_parents; i++) {
    const relation *r = &a->parents[i];
    geodisk_model_point(a->model, r->node, y, &y_gap);
    const sight s = look(&v, y, y_gap);
    loss += r->weight * (distance_of(&v, &s) + log(s.e + sum));
    share += r->weight / (s.e + sum);
    pull(&q, &v, &s, y, r->weight * sum / (s.e + sum));
  }
  for (size_t i = 0; i < a->n_children; i++) {
    const relation *r = &a->children[i];
    geodisk_model_point(a->model, r->node, y, &y_gap);
    const sight s = look(&v, y, y_gap);
    loss += r->weight * (distance_of(&v, &s) + log(s.e + r->sum));
    pull(&q, &v, &s, y, r->weight * r->sum / (s.e + r->sum));
  }
  for (size_t i = 0; i < a->n_competitors; i++) {
    const relation *r = &a->competitors[i];
    geodisk_model_point(a->model, r->node, y, &y_gap);
    const sight s = look(&v, y, y_gap);
    loss += r->weight * log1p(s.e / r->sum);
    pull(&q, &v, &s, y, -r->weight * s.e / (s.e + r->sum));
  }
  const double push = -share * a->negatives.scale;
  add_up(&p, &v, push, downhill, true); /* over its own C */
  add_up(&q, &v, 1, downhill, false);
  return loss;
}

/* The point `step` along the unit-frame vector `direction`. */
static void walk(const viewer *v, double step, const double *direction, double *tangent, double *out, double *out_gap) {
  const double unit = v->hyperbolic ? v->gap * v->root / (2 * v->ball->radius) : 1; /* 1/lam */
  for (size_t k = 0; k < v->dim; k++)
    tangent[k] = step * unit * direction[k];
  if (v->hyperbolic) {
    geodisk_exp_gap(v->ball, v->x, v->gap, tangent, out, out_gap);
    return;
  }
  for (size_t k = 0; k < v->dim; k++)
    out[k] = v->x[k] + tangent[k];
  *out_gap = v->gap;
}

bool attraction_descend(const attraction *a, uint64_t iterations, double tolerance, double *x, double *gap, descent *out) {
  const size_t dim = (size_t)a->model->ball.dim;
  double *block = geodisk_allocate(dim, 6 * sizeof *block);
  if (block == NULL)
    return false;
  double *downhill = block, *next = block + dim, *next_downhill = block + 2 * dim, *tangent = block + 3 * dim,
         *y = block + 4 * dim;
  double loss = attraction_loss(a, x, *gap, downhill, y), norm = norm_of(dim, downhill), step = 1;
  *out = (descent){.converged = norm <= tolerance};
  while (!out->converged && out->iterations < iterations) {
    const viewer v = view_from(a->model, x, *gap);
    double next_gap = *gap, next_loss = loss;
    bool better = false;
    for (step = fmin(2 * step, longest / norm); !better && step * norm > shortest; step /= 2) {
      walk(&v, step, downhill, tangent, next, &next_gap);
      next_loss = attraction_loss(a, next, next_gap, next_downhill, y);
      better = next_loss <= loss - enough * step * norm * norm;
    }
    out->iterations++;
    if (!better) {
      out->converged = true; /* a corner, or as far as rounding goes */
      break;
    }
    step *= 2; /* the loop has halved it once more */
    memcpy(x, next, dim * sizeof *x);
    memcpy(downhill, next_downhill, dim * sizeof *downhill);
    *gap = next_gap;
    loss = next_loss;
    norm = norm_of(dim, downhill);
    out->converged = norm <= tolerance;
  }
  out->loss = loss;
  out->gradient_norm = norm;
  free(block);
  return true;
}

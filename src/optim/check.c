/* check.c - the gradient check: derivatives along unit-speed geodesics against central differences of the loss extrapolated to
 * step 0 (Ridders' way of choosing the best entry of the Romberg table). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "objective.h"

/* The first step: a share of the distance to the nearest partner, within which the distance is analytic, at most 1/4. */
static const double FIRST_STEP = 0.25, SHARE_OF_NEAREST = 0.25;
enum { LEVELS = 8 };

typedef struct checker {
  const evaluator *e;
  const double *x, *gap;
  const double *base; /* distances of all pairs at (x, gap) */
  double *scratch;    /* distances and derivatives of one term */
  double *moved;      /* dim */
} checker;

static size_t term_of_pair(const geodisk_objective *o, size_t pair) {
  size_t low = 0, high = o->n_terms; /* term_begin[low] <= pair < term_begin[high] */
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (o->term_begin[middle] <= pair)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The sum of the terms point i takes part in, with i moved to `moved`. */
static double local_loss(const checker *c, size_t i, const double *moved, double moved_gap) {
  const geodisk_objective *o = c->e->objective;
  const size_t dim = (size_t)c->e->ball->dim;
  double sum = 0.0, rest = 0.0;
  for (size_t k = o->incident_begin[i]; k < o->incident_begin[i + 1];) {
    const size_t term = term_of_pair(o, o->incident[k]), begin = o->term_begin[term], end = o->term_begin[term + 1];
    memcpy(c->scratch, c->base + begin, (end - begin) * sizeof(double));
    for (; k < o->incident_begin[i + 1] && o->incident[k] < end; k++) {
      const size_t p = o->incident[k], j = o->pairs[2 * p] == i ? o->pairs[2 * p + 1] : o->pairs[2 * p];
      c->scratch[p - begin] = geodisk_distance_gap(c->e->ball, moved, moved_gap, c->x + j * dim, c->gap[j]);
    }
    const double value = o->loss(o->user, term, end - begin, c->scratch, c->scratch + o->largest_term), next = sum + value;
    rest += fabs(sum) >= fabs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
  return sum + rest;
}

/* (f(h) - f(-h)) / 2h along coordinate c of point i, h in hyperbolic length, and the rounding error to expect of it. */
static double central_difference(const checker *c, size_t i, size_t coordinate, double h, double *rounding) {
  const size_t dim = (size_t)c->e->ball->dim;
  const double lam = 2.0 * c->e->ball->radius / (c->gap[i] * sqrt(c->e->ball->curvature));
  double value[2], step = h / lam;
  for (int side = 0; side < 2; side++, step = -step) {
    double moved_gap;
    memset(c->moved, 0, dim * sizeof(double));
    c->moved[coordinate] = step;
    geodisk_exp_gap(c->e->ball, c->x + i * dim, c->gap[i], c->moved, c->moved, &moved_gap);
    value[side] = local_loss(c, i, c->moved, moved_gap);
  }
  *rounding = 4.0 * DBL_EPSILON * fmax(fabs(value[0]), fabs(value[1])) / h;
  return (value[0] - value[1]) / (2.0 * h);
}

static double extrapolated(const checker *c, size_t i, size_t coordinate, double h, double *uncertainty) {
  double table[LEVELS][LEVELS], best = (double)NAN, rounding;
  *uncertainty = (double)INFINITY;
  for (int level = 0; level < LEVELS; level++, h *= 0.5) {
    table[0][level] = central_difference(c, i, coordinate, h, &rounding);
    double factor = 4.0;
    for (int order = 1; order <= level; order++, factor *= 4.0) {
      table[order][level] = (factor * table[order - 1][level] - table[order - 1][level - 1]) / (factor - 1.0);
      const double change =
          fmax(fabs(table[order][level] - table[order - 1][level]), fabs(table[order][level] - table[order - 1][level - 1]));
      if (fmax(change, rounding) <= *uncertainty) { /* agreement below the rounding error is chance */
        *uncertainty = fmax(change, rounding);
        best = table[order][level];
      }
    }
  }
  return best;
}

static double first_step(const checker *c, size_t i) {
  const geodisk_objective *o = c->e->objective;
  double nearest = FIRST_STEP / SHARE_OF_NEAREST;
  for (size_t k = o->incident_begin[i]; k < o->incident_begin[i + 1]; k++) {
    const double d = c->base[o->incident[k]];
    nearest = d > 0.0 && d < nearest ? d : nearest;
  }
  return SHARE_OF_NEAREST * nearest;
}

static geodisk_status check_all(const checker *c, const double *gradient, geodisk_gradient_check *out) {
  const geodisk_objective *o = c->e->objective;
  const size_t dim = (size_t)c->e->ball->dim;
  geodisk_gradient_check worst = {.scale = 0.0};
  double error = -1.0;
  for (size_t i = 0; i < o->n_points; i++) {
    if (o->fixed[i])
      continue;
    const double lam = 2.0 * c->e->ball->radius / (c->gap[i] * sqrt(c->e->ball->curvature)), h = first_step(c, i);
    for (size_t k = 0; k < dim; k++) {
      double uncertainty;
      const double derivative = lam * gradient[i * dim + k], difference = extrapolated(c, i, k, h, &uncertainty);
      if (!isfinite(difference))
        return numeric_failure(c->e->context, NO_ITERATION, "the loss around point %zu is not finite", i);
      worst.scale = fmax(worst.scale, fabs(derivative));
      if (fabs(derivative - difference) > error) {
        error = fabs(derivative - difference);
        worst.point = i;
        worst.coordinate = k;
        worst.derivative = derivative;
        worst.difference = difference;
        worst.uncertainty = uncertainty;
      }
    }
  }
  worst.scale += 1.0;
  worst.error = fmax(error, 0.0) / worst.scale;
  worst.uncertainty /= worst.scale;
  *out = worst;
  return GEODISK_OK;
}

geodisk_status geodisk_objective_check(geodisk_context *context, const geodisk_ball *ball, const geodisk_objective *objective,
                                       const double *x, const double *gap, geodisk_gradient_check *out) {
  evaluator e = {.objective = objective};
  const size_t n = objective->n_points;
  double *own = NULL, *own_gap = NULL, *gradient = NULL, *base = NULL, *scratch = NULL, *moved = NULL, loss, norm;
  geodisk_status status = evaluator_create(context, ball, objective, &e);
  if (status != GEODISK_OK)
    return status;
  const size_t dim = (size_t)ball->dim;
  own = geodisk_allocate(n, dim * sizeof *own);
  own_gap = geodisk_allocate(n, sizeof *own_gap);
  gradient = geodisk_allocate(n, dim * sizeof *gradient);
  base = geodisk_allocate(objective->n_pairs, sizeof *base);
  scratch = geodisk_allocate(objective->largest_term, 2 * sizeof *scratch);
  moved = geodisk_allocate(dim, sizeof *moved);
  if (own == NULL || own_gap == NULL || gradient == NULL || base == NULL || scratch == NULL || moved == NULL) {
    status = geodisk_no_memory(context, "for %zu points", n);
    goto done;
  }
  if ((status = objective_load_points(context, ball, n, x, gap, own, own_gap)) != GEODISK_OK)
    goto done;
  if ((status = evaluator_full(&e, own, own_gap, NO_ITERATION, &loss, gradient, &norm)) != GEODISK_OK)
    goto done;
  memcpy(base, e.distances, objective->n_pairs * sizeof *base);
  const checker c = {&e, own, own_gap, base, scratch, moved};
  status = check_all(&c, gradient, out);
done:
  geodisk_free_all(own, own_gap, gradient, base, scratch, moved);
  evaluator_destroy(&e);
  return status;
}

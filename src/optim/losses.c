/* losses.c - the ready-made objectives: squared distances, stress, the loss of Poincare embeddings with all negatives, and the
 * hinge on triplets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "objective.h"

/* Hands `user` over to a new objective; frees it with `release` on failure. */
static geodisk_status create_owning(geodisk_context *context, geodisk_objective_spec spec, void (*release)(void *),
                                    geodisk_objective **out) {
  const geodisk_status status = geodisk_objective_create(context, &spec, out);
  if (status == GEODISK_OK)
    (*out)->release = release;
  else
    release(spec.user);
  return status;
}

/* 0, 1, ... n: terms of one pair each (step 1), or of two. */
static size_t *counting(size_t n, size_t step) {
  size_t *begin = geodisk_allocate(n + 1, sizeof *begin);
  for (size_t i = 0; begin != NULL && i <= n; i++)
    begin[i] = i * step;
  return begin;
}

/* ---- squared distances ----------------------------------------------------------------------------------------------- */

static double squared_loss(void *user, size_t term, size_t count, const double *distances, double *derivatives) {
  const double *weights = user, w = weights == NULL ? 1.0 : weights[term];
  (void)count;
  derivatives[0] = 2.0 * w * distances[0];
  return w * distances[0] * distances[0];
}

geodisk_status geodisk_objective_squared(geodisk_context *context, const geodisk_objective_rows *pairs, const double *weights,
                                         geodisk_objective **out) {
  const size_t n_pairs = pairs->n_rows;
  double *own = NULL;
  size_t *begin = counting(n_pairs, 1);
  if (begin == NULL)
    return geodisk_no_memory(context, "for the objective");
  if (weights != NULL) {
    for (size_t p = 0; p < n_pairs; p++)
      if (!(weights[p] >= 0.0 && isfinite(weights[p]))) {
        free(begin);
        return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "objective: the weight of pair %zu is %g, not >= 0", p, weights[p]);
      }
    own = geodisk_allocate(n_pairs, sizeof *own);
    if (own == NULL) {
      free(begin);
      return geodisk_no_memory(context, "for the objective");
    }
    memcpy(own, weights, n_pairs * sizeof *own);
  }
  const geodisk_objective_spec spec = {pairs->n_points, n_pairs, pairs->rows, n_pairs, begin, pairs->fixed, squared_loss, own};
  const geodisk_status status = create_owning(context, spec, free, out);
  free(begin);
  return status;
}

/* ---- stress ---------------------------------------------------------------------------------------------------------- */

/* user: target and weight of every term, one after the other. */
static double stress_loss(void *user, size_t term, size_t count, const double *distances, double *derivatives) {
  const double *data = user, target = data[2 * term], w = data[2 * term + 1], off = distances[0] - target;
  (void)count;
  derivatives[0] = 2.0 * w * off;
  return w * off * off;
}

static geodisk_status check_stress(geodisk_context *context, size_t n, const double *matrix, const double *weights,
                                   size_t *n_pairs) {
  *n_pairs = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) {
      const double w = weights == NULL ? 1.0 : weights[i * n + j], target = matrix[i * n + j];
      if (!(w >= 0.0 && isfinite(w)))
        return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "stress: the weight of (%zu, %zu) is %g, not >= 0", i, j, w);
      if (w > 0.0 && !(target >= 0.0 && isfinite(target)))
        return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "stress: the distance of (%zu, %zu) is %g, not >= 0", i, j, target);
      *n_pairs += w > 0.0;
    }
  return GEODISK_OK;
}

geodisk_status geodisk_objective_stress(geodisk_context *context, size_t n_points, const double *matrix, const double *weights,
                                        const bool *fixed, geodisk_objective **out) {
  size_t n_pairs, next = 0;
  geodisk_status status = check_stress(context, n_points, matrix, weights, &n_pairs);
  if (status != GEODISK_OK)
    return status;
  size_t *begin = counting(n_pairs, 1), *pairs = geodisk_allocate(n_pairs, 2 * sizeof *pairs);
  double *data = geodisk_allocate(n_pairs, 2 * sizeof *data);
  if (begin == NULL || pairs == NULL || data == NULL) {
    free(data);
    status = geodisk_no_memory(context, "for the objective");
    goto done;
  }
  for (size_t i = 0; i < n_points; i++)
    for (size_t j = i + 1; j < n_points; j++) {
      const double w = weights == NULL ? 1.0 : weights[i * n_points + j];
      if (w == 0.0)
        continue;
      pairs[2 * next] = i;
      pairs[2 * next + 1] = j;
      data[2 * next] = matrix[i * n_points + j];
      data[2 * next + 1] = w;
      next++;
    }
  const geodisk_objective_spec spec = {n_points, n_pairs, pairs, n_pairs, begin, fixed, stress_loss, data};
  status = create_owning(context, spec, free, out);
done:
  geodisk_free_all(begin, pairs);
  return status;
}

/* ---- Poincare embeddings --------------------------------------------------------------------------------------------- */

/* One term per node with an edge. In the term of node u the pair with node m stands at m, less one for m > u. */
typedef struct poincare {
  bool complement;
  size_t *begin;    /* of each term in `positive` */
  size_t *positive; /* positions of the neighbours in the term's pairs, repeated edges repeated */
} poincare;

static void poincare_release(void *user) {
  poincare *data = user;
  geodisk_free_all(data->begin, data->positive, data);
}

/* sum over positives v of  d_v + log s_v,  s_v = A + e^{-d_v} (Nickel and Kiela) or A + 1 (complement), A = sum of e^{-d_m} over
 * the nodes that are not neighbours. All exponentials are taken relative to the least distance, so that far nodes cannot make s_v
 * 0. While it runs a derivative > 0 marks a neighbour. */
static double poincare_loss(void *user, size_t term, size_t count, const double *distances, double *derivatives) {
  const poincare *data = user;
  const size_t *first = data->positive + data->begin[term], *end = data->positive + data->begin[term + 1];
  double nearest = data->complement ? 0.0 : (double)INFINITY, negatives = 0.0, loss = 0.0, share = 0.0;
  for (size_t m = 0; m < count; m++) {
    derivatives[m] = 0.0;
    nearest = distances[m] < nearest ? distances[m] : nearest;
  }
  for (const size_t *p = first; p < end; p++)
    derivatives[*p] += 1.0;
  for (size_t m = 0; m < count; m++)
    if (!(derivatives[m] > 0.0)) {
      derivatives[m] = -exp(nearest - distances[m]);
      negatives -= derivatives[m];
    }
  for (const size_t *p = first; p < end; p++) {
    const double own = data->complement ? 1.0 : exp(nearest - distances[*p]), sum = negatives + own;
    loss += distances[*p] + log(sum) - nearest;
    share += 1.0 / sum;
    if (!data->complement)
      derivatives[*p] -= own / sum; /* never below 0 */
  }
  for (size_t m = 0; m < count; m++)
    if (!(derivatives[m] > 0.0))
      derivatives[m] *= share;
  return loss;
}

static geodisk_status check_edges(geodisk_context *context, size_t n_points, size_t n_edges, const size_t *edges) {
  for (size_t e = 0; e < n_edges; e++)
    if (edges[2 * e] >= n_points || edges[2 * e + 1] >= n_points || edges[2 * e] == edges[2 * e + 1])
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "edge %zu is (%zu, %zu), which are not two different nodes of %zu", e,
                          edges[2 * e], edges[2 * e + 1], n_points);
  return GEODISK_OK;
}

/* Sorts the edges by their first node: the positives of all terms; term_of[u] is the term of node u, or n_points. */
static void group_edges(size_t n_points, size_t n_edges, const size_t *edges, size_t *term_of, size_t *begin, size_t *positive) {
  size_t terms = 0;
  for (size_t u = 0; u < n_points; u++)
    term_of[u] = 0;
  for (size_t e = 0; e < n_edges; e++)
    term_of[edges[2 * e]]++;
  for (size_t u = 0, next = 0; u < n_points; u++) {
    const size_t count = term_of[u];
    term_of[u] = count > 0 ? terms++ : n_points;
    if (count > 0)
      begin[term_of[u]] = next;
    next += count;
  }
  for (size_t e = 0; e < n_edges; e++) {
    const size_t u = edges[2 * e], v = edges[2 * e + 1];
    positive[begin[term_of[u]]++] = v - (v > u);
  }
  memmove(begin + 1, begin, terms * sizeof *begin);
  begin[0] = 0;
}

geodisk_status geodisk_objective_poincare(geodisk_context *context, const geodisk_objective_rows *edges, geodisk_loss loss,
                                          geodisk_objective **out) {
  const size_t n_points = edges->n_points, n_edges = edges->n_rows;
  geodisk_status status = check_edges(context, n_points, n_edges, edges->rows);
  if (status == GEODISK_OK && (unsigned)loss > GEODISK_LOSS_COMPLEMENT)
    status = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "no loss has the number %d", (int)loss);
  if (status != GEODISK_OK)
    return status;
  size_t *term_of = geodisk_allocate(n_points, sizeof *term_of), *pairs = NULL, *begin = NULL, terms = 0, next = 0;
  poincare *data = geodisk_allocate_zero(1, sizeof *data);
  if (term_of == NULL || data == NULL)
    goto no_memory;
  data->complement = loss == GEODISK_LOSS_COMPLEMENT;
  data->begin = geodisk_allocate(n_points + 1, sizeof *data->begin);
  data->positive = geodisk_allocate(n_edges, sizeof *data->positive);
  if (data->begin == NULL || data->positive == NULL)
    goto no_memory;
  group_edges(n_points, n_edges, edges->rows, term_of, data->begin, data->positive);
  for (size_t u = 0; u < n_points; u++)
    terms += term_of[u] < n_points;
  if (terms > 0 && n_points - 1 > SIZE_MAX / terms)
    goto no_memory;
  pairs = geodisk_allocate(terms * (n_points - 1), 2 * sizeof *pairs);
  begin = counting(terms, n_points - 1);
  if (pairs == NULL || begin == NULL)
    goto no_memory;
  for (size_t u = 0; u < n_points; u++)
    for (size_t m = 0; m < n_points && term_of[u] < n_points; m++)
      if (m != u) {
        pairs[2 * next] = u;
        pairs[2 * next + 1] = m;
        next++;
      }
  const geodisk_objective_spec spec = {n_points, next, pairs, terms, begin, edges->fixed, poincare_loss, data};
  status = create_owning(context, spec, poincare_release, out);
  goto done;
no_memory:
  status = geodisk_no_memory(context, "for the objective");
  if (data != NULL)
    poincare_release(data);
done:
  geodisk_free_all(term_of, pairs, begin);
  return status;
}

/* ---- ranking --------------------------------------------------------------------------------------------------------- */

static double ranking_loss(void *user, size_t term, size_t count, const double *distances, double *derivatives) {
  const double loss = *(const double *)user + distances[0] - distances[1];
  (void)term;
  (void)count;
  derivatives[0] = loss > 0.0 ? 1.0 : 0.0;
  derivatives[1] = -derivatives[0];
  return loss > 0.0 ? loss : 0.0;
}

geodisk_status geodisk_objective_ranking(geodisk_context *context, const geodisk_objective_rows *triplets, double margin,
                                         geodisk_objective **out) {
  const size_t n_triplets = triplets->n_rows, *rows = triplets->rows;
  if (!(margin >= 0.0 && isfinite(margin)))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "ranking: the margin is %g, not >= 0", margin);
  size_t *pairs = geodisk_allocate(n_triplets, 4 * sizeof *pairs), *begin = counting(n_triplets, 2);
  double *own = geodisk_allocate(1, sizeof *own);
  geodisk_status status;
  if (pairs == NULL || begin == NULL || own == NULL) {
    free(own);
    status = geodisk_no_memory(context, "for the objective");
    goto done;
  }
  *own = margin;
  for (size_t t = 0; t < n_triplets; t++)
    for (size_t k = 0; k < 2; k++) {
      pairs[4 * t + 2 * k] = rows[3 * t];
      pairs[4 * t + 2 * k + 1] = rows[3 * t + 1 + k];
    }
  const geodisk_objective_spec spec = {triplets->n_points, 2 * n_triplets, pairs, n_triplets, begin,
                                       triplets->fixed,    ranking_loss,   own};
  status = create_owning(context, spec, free, out);
done:
  geodisk_free_all(pairs, begin);
  return status;
}

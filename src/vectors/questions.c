/* questions.c - what a model says about one, two or three nodes. */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geodisk/mean.h"
#include "kernel/flat_distance.h"

/* Coordinates of up to three nodes, in one block. */
typedef struct three {
  double *x[3];
  double gap[3];
} three;

static geodisk_status load(geodisk_context *context, const geodisk_model *model, int n, const uint32_t *nodes, three *out) {
  const size_t dim = (size_t)model->ball.dim;
  for (int i = 0; i < n; i++)
    if (nodes[i] >= model->nodes)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%u is not a node of the model", nodes[i]);
  out->x[0] = geodisk_allocate(3 * dim, sizeof *out->x[0]);
  if (out->x[0] == NULL)
    return geodisk_no_memory(context, "for the points");
  for (int i = 0; i < n; i++) {
    out->x[i] = out->x[0] + (size_t)i * dim;
    geodisk_model_point(model, nodes[i], out->x[i], &out->gap[i]);
  }
  return GEODISK_OK;
}

geodisk_status geodisk_model_distance(geodisk_context *context, const geodisk_model *model, uint32_t a, uint32_t b, double *out) {
  three p;
  const uint32_t nodes[] = {a, b};
  const geodisk_status status = load(context, model, 2, nodes, &p);
  if (status != GEODISK_OK)
    return status;
  *out = model->space == GEODISK_SPACE_HYPERBOLIC ? geodisk_distance_gap(&model->ball, p.x[0], p.gap[0], p.x[1], p.gap[1])
                                                  : flat_distance((size_t)model->ball.dim, p.x[0], p.x[1]);
  free(p.x[0]);
  return GEODISK_OK;
}

double geodisk_model_norm(const geodisk_model *model, uint32_t node) {
  if (node >= model->nodes)
    return (double)NAN;
  double norm = 0;
  for (size_t k = 0; k < (size_t)model->ball.dim; k++)
    norm = hypot(norm, model_coordinate_at(model, node, k));
  return norm;
}

double geodisk_model_radius(const geodisk_model *model, uint32_t node) {
  const double norm = geodisk_model_norm(model, node), R = model->ball.radius;
  if (isnan(norm) || model->space == GEODISK_SPACE_EUCLIDEAN)
    return norm;
  const double gap = model_gap_at(model, node);
  return gap <= R * R / 2 ? geodisk_radius_from_gap(&model->ball, gap) : geodisk_radius_from_euclidean(&model->ball, norm);
}

geodisk_status geodisk_model_between(geodisk_context *context, const geodisk_model *model, uint32_t a, uint32_t b, double t,
                                     double *x, double *gap) {
  three p;
  const uint32_t nodes[] = {a, b};
  double unused;
  if (!isfinite(t))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "between: the share %g is not finite", t);
  const geodisk_status status = load(context, model, 2, nodes, &p);
  if (status != GEODISK_OK)
    return status;
  gap = gap != NULL ? gap : &unused;
  if (model->space == GEODISK_SPACE_HYPERBOLIC) {
    geodisk_geodesic_gap(&model->ball, p.x[0], p.gap[0], p.x[1], p.gap[1], t, x, gap);
  } else {
    for (int k = 0; k < model->ball.dim; k++)
      x[k] = (1 - t) * p.x[0][k] + t * p.x[1][k];
    *gap = (double)NAN;
  }
  free(p.x[0]);
  return GEODISK_OK;
}

geodisk_status geodisk_model_analogy(geodisk_context *context, const geodisk_model *model, uint32_t a, uint32_t b, uint32_t c,
                                     double *x, double *gap) {
  three p;
  const uint32_t nodes[] = {a, b, c};
  double unused;
  const geodisk_status status = load(context, model, 3, nodes, &p);
  if (status != GEODISK_OK)
    return status;
  gap = gap != NULL ? gap : &unused;
  if (model->space == GEODISK_SPACE_HYPERBOLIC) {
    geodisk_log_gap(&model->ball, p.x[0], p.gap[0], p.x[1], p.gap[1], p.x[1]);
    geodisk_transport_gap(&model->ball, p.x[0], p.gap[0], p.x[2], p.gap[2], p.x[1], p.x[1]);
    geodisk_exp_gap(&model->ball, p.x[2], p.gap[2], p.x[1], x, gap);
  } else {
    for (int k = 0; k < model->ball.dim; k++)
      x[k] = p.x[2][k] + (p.x[1][k] - p.x[0][k]);
    *gap = (double)NAN;
  }
  free(p.x[0]);
  return GEODISK_OK;
}

/* Sum of w_i x_i over sum of w_i, rows of dim numbers. */
static geodisk_status arithmetic_mean(geodisk_context *context, size_t n, size_t dim, const double *rows, const double *weights,
                                      double *out) {
  double total = 0;
  for (size_t i = 0; i < n; i++) {
    const double w = weights != NULL ? weights[i] : 1;
    if (!(w >= 0 && isfinite(w)))
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "mean: weight %zu is not a finite number >= 0", i);
    total += w;
  }
  if (!(total > 0))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "mean: all weights are zero");
  memset(out, 0, dim * sizeof *out);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < dim; k++)
      out[k] += (weights != NULL ? weights[i] : 1) / total * rows[i * dim + k];
  return GEODISK_OK;
}

geodisk_status geodisk_model_mean(geodisk_context *context, const geodisk_model *model, size_t n, const uint32_t *nodes,
                                  const double *weights, double *x, double *gap) {
  const size_t dim = (size_t)model->ball.dim;
  for (size_t i = 0; i < n; i++)
    if (nodes[i] >= model->nodes)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%u is not a node of the model", nodes[i]);
  if (n < 1)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "mean: no nodes");
  double *rows = geodisk_allocate(n, dim * sizeof *rows), *gaps = geodisk_allocate(n, sizeof *gaps), unused;
  geodisk_status status = rows != NULL && gaps != NULL ? GEODISK_OK : geodisk_no_memory(context, "for the points");
  gap = gap != NULL ? gap : &unused;
  for (size_t i = 0; status == GEODISK_OK && i < n; i++)
    geodisk_model_point(model, nodes[i], rows + i * dim, &gaps[i]);
  if (status == GEODISK_OK && model->space == GEODISK_SPACE_HYPERBOLIC) {
    geodisk_mean_options options = geodisk_mean_defaults();
    options.context = context;
    status = geodisk_mean_gap(&model->ball, &(geodisk_mean_points){.n = n, .points = rows, .gaps = gaps, .weights = weights},
                              &options, x, gap, NULL);
  } else if (status == GEODISK_OK) {
    status = arithmetic_mean(context, n, dim, rows, weights, x);
    if (status == GEODISK_OK)
      *gap = (double)NAN;
  }
  geodisk_free_all(rows, gaps);
  return status;
}

/* model_check.c - whether points may be in a model: finite vectors, gaps that belong to them. Done before writing, after
 * reading and when asked for, in blocks side by side; the fault reported is the first one. */
#include "model.h"

#include <math.h>
#include <stdio.h>

enum { BLOCK = 4096 }; /* nodes */

typedef struct check {
  const geodisk_model *model;
  size_t first;   /* block */
  size_t *faults; /* per block from the first on: its first bad node, or SIZE_MAX */
} check;

/* What is wrong with a node's numbers. */
typedef enum verdict { FINE, NOT_FINITE, NOT_INSIDE, GAP_OUT_OF_RANGE, GAP_APART } verdict;

/* Whether every entry is finite; their squares need not be. */
static bool is_finite(const geodisk_model *model, size_t node) {
  for (size_t k = 0; k < (size_t)model->ball.dim; k++)
    if (!isfinite(model_coordinate_at(model, node, k)))
      return false;
  return true;
}

/* Whether the coordinates are strictly inside the ball, to the last digit. */
static bool is_inside(const geodisk_model *model, size_t node) {
  const size_t at = node * model_row_stride(&model->vectors.view);
  if (model->precision == GEODISK_PRECISION_DOUBLE)
    return geodisk_gap(&model->ball, (const double *)model->vectors.view.data + at) > 0;
  return geodisk_gapf(&model->ball, (const float *)model->vectors.view.data + at) > 0;
}

static verdict judge(const geodisk_model *model, size_t node) {
  const double square = model_square_at(model, node);
  if (model->space == GEODISK_SPACE_EUCLIDEAN)
    return isfinite(square) || is_finite(model, node) ? FINE : NOT_FINITE;
  if (!isfinite(square))
    return is_finite(model, node) ? NOT_INSIDE : NOT_FINITE;
  const bool is_float = model->precision == GEODISK_PRECISION_FLOAT;
  const double rounding = 0x1p-50 * (model->ball.dim + 2); /* of |x|^2 above, as a share of R^2, and some more */
  const double whole = model->ball.radius * model->ball.radius, gap = model_gap_at(model, node), meant = whole - square;
  if (meant < rounding * whole && !is_inside(model, node))
    return NOT_INSIDE;
  if (!(gap > 0 && gap <= whole * (1 + (is_float ? 0x1p-22 : 0x1p-50)))) /* R^2 may have been rounded up */
    return GAP_OUT_OF_RANGE;
  const double slack = MODEL_GAP_RELATIVE * (gap + fabs(meant)) + whole * (is_float ? MODEL_GAP_FLOAT : MODEL_GAP_DOUBLE);
  return fabs(gap - meant) <= slack ? FINE : GAP_APART;
}

static void check_block(void *arg, size_t index) {
  const check *c = arg;
  const size_t begin = (c->first + index) * BLOCK, n = c->model->nodes, end = n - begin < BLOCK ? n : begin + BLOCK;
  size_t i = begin;
  while (i < end && judge(c->model, i) == FINE)
    i++;
  c->faults[index] = i < end ? i : SIZE_MAX;
}

static void describe(const geodisk_model *model, size_t node, model_fault *out) {
  const verdict v = judge(model, node);
  out->node = node;
  out->array = v == NOT_FINITE || v == NOT_INSIDE ? "vectors" : "gap";
  if (v == NOT_FINITE)
    snprintf(out->reason, sizeof out->reason, "is not finite");
  else if (v == NOT_INSIDE)
    snprintf(out->reason, sizeof out->reason, "lies on or outside the rim of the ball");
  else if (v == GAP_OUT_OF_RANGE)
    snprintf(out->reason, sizeof out->reason, "is %.9g, not in (0, R^2]", model_gap_at(model, node));
  else
    snprintf(out->reason, sizeof out->reason, "is %.9g, but its coordinates say %.9g", model_gap_at(model, node),
             model->ball.radius * model->ball.radius - model_square_at(model, node));
}

bool model_points_fault(geodisk_context *context, const geodisk_model *model, model_fault *out) {
  enum { AT_ONCE = 256 }; /* blocks: their verdicts lie on the stack, nothing here can fail */
  size_t faults[AT_ONCE];
  const size_t blocks = (model->nodes + BLOCK - 1) / BLOCK;
  for (size_t first = 0; first < blocks; first += AT_ONCE) {
    const size_t count = blocks - first < AT_ONCE ? blocks - first : AT_ONCE;
    check c = {model, first, faults};
    geodisk_parallel(context, count, check_block, &c);
    for (size_t i = 0; i < count; i++)
      if (faults[i] != SIZE_MAX) {
        describe(model, faults[i], out);
        return true;
      }
  }
  return false;
}

geodisk_status geodisk_model_check(geodisk_context *context, const geodisk_model *model) {
  model_fault fault;
  if (model == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "check: model is NULL");
  if (model_points_fault(context, model, &fault))
    return geodisk_fail(context, GEODISK_ERROR_NUMERIC, "%s of node %zu ('%.64s') %s", fault.array, fault.node,
                        geodisk_model_name(model, (uint32_t)fault.node), fault.reason);
  return GEODISK_OK;
}

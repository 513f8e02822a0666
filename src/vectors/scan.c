/* scan.c - every point of a model, a tile at a time, several points asked about at once. */
#include "scan.h"

#include <math.h>

/* Points of one group of columns in a tile. */
enum { COLUMN = RANK_GROUP_BYTES / sizeof(double) };

scanner *scanner_create(geodisk_context *context, const space_view *view) {
  scanner *s = geodisk_allocate(1, sizeof *s);
  if (s == NULL)
    return NULL;
  s->view = view;
  s->kernels = geodisk_rank_table(geodisk_instruction_set(context));
  s->columns = geodisk_allocate(view->dim, RANK_POINTS * sizeof *s->columns);
  s->sources = geodisk_allocate(view->dim, SCAN_GROUP * sizeof *s->sources);
  if (s->columns == NULL || s->sources == NULL) {
    scanner_destroy(s);
    return NULL;
  }
  return s;
}

void scanner_destroy(scanner *s) {
  if (s == NULL)
    return;
  geodisk_free_all(s->columns, s->sources, s);
}

static size_t minimum(size_t a, size_t b) { return a < b ? a : b; }

/* Columns of the points first .. first + n - 1 and their weights; what is left of the last group repeats the last point. Returns
 * the points of whole groups. */
static size_t load_tile(scanner *s, size_t first, size_t n) {
  const space_view *view = s->view;
  const geodisk_tensor *t = &view->model->vectors.view;
  const size_t stride = model_row_stride(t), whole = (n + COLUMN - 1) / COLUMN * COLUMN;
  s->largest = 0;
  for (size_t j = 0; j < whole; j++) {
    const size_t node = first + (j < n ? j : n - 1);
    double *column = s->columns + j / COLUMN * COLUMN * view->dim + j % COLUMN;
    if (view->model->precision == GEODISK_PRECISION_DOUBLE) {
      const double *x = (const double *)t->data + node * stride;
      for (size_t k = 0; k < view->dim; k++)
        column[k * COLUMN] = x[k];
    } else {
      const float *x = (const float *)t->data + node * stride;
      for (size_t k = 0; k < view->dim; k++)
        column[k * COLUMN] = (double)x[k];
    }
    s->weights[j] = space_weight(view, node);
    s->largest = s->weights[j] > s->largest ? s->weights[j] : s->largest;
  }
  return whole;
}

/* Coordinates of n points as the kernel takes them, in groups of RANK_SOURCES; the last group is filled up with its last point.
 */
static void load_sources(const scanner *s, size_t n, const double *const *x) {
  const size_t whole = (n + RANK_SOURCES - 1) / RANK_SOURCES * RANK_SOURCES;
  for (size_t i = 0; i < whole; i++)
    for (size_t k = 0; k < s->view->dim; k++)
      s->sources[i / RANK_SOURCES * RANK_SOURCES * s->view->dim + k * RANK_SOURCES + i % RANK_SOURCES] = x[minimum(i, n - 1)][k];
}

/* Products of group g of the sources with the tile; bit i is not set if none of source i is below limit[i]. */
static unsigned multiply(scanner *s, size_t g, size_t whole, const double *limit) {
  const double *x = s->sources + g * RANK_SOURCES * s->view->dim;
  return s->kernels->d.tile(s->view->dim, whole, s->columns, s->weights, x, limit, 0, s->products);
}

/* ---- near nodes ------------------------------------------------------------------------------------------------------ */

static void offer_tile(const scanner *s, size_t first, size_t n, const double *products, double limit, collector *c) {
  for (size_t j = 0; j < n; j++) {
    if (products[j] > limit)
      continue;
    collector_offer(c, (uint32_t)(first + j), products[j], s->weights[j]);
    limit = collector_limit(c, s->largest);
  }
}

void scan_nearest(scanner *s, size_t begin, size_t end, collector *collectors, size_t n) {
  const double *x[SCAN_GROUP];
  for (size_t i = 0; i < n; i++)
    x[i] = collectors[i].point->x;
  load_sources(s, n, x);
  for (size_t first = begin; first < end; first += RANK_POINTS) {
    const size_t count = minimum(end - first, RANK_POINTS), whole = load_tile(s, first, count);
    for (size_t g = 0; g * RANK_SOURCES < n; g++) {
      double limit[RANK_SOURCES] = {-1, -1, -1, -1}; /* nothing is below */
      const size_t here = minimum(n - g * RANK_SOURCES, RANK_SOURCES);
      unsigned all = 0;
      for (size_t i = 0; i < here; i++) {
        limit[i] = collector_limit(&collectors[g * RANK_SOURCES + i], s->largest);
        all |= (isinf(limit[i]) ? 1u : 0u) << i; /* as long as fewer than k are found, whatever the product */
      }
      const unsigned some = multiply(s, g, whole, limit) | all;
      for (size_t i = 0; i < here; i++)
        if (some >> i & 1)
          offer_tile(s, first, count, s->products + i * RANK_POINTS, limit[i], &collectors[g * RANK_SOURCES + i]);
    }
  }
}

/* ---- ranks ----------------------------------------------------------------------------------------------------------- */

size_t scan_nearer(scanner *s, size_t begin, size_t end, const probe_point *point, uint32_t other, double distance) {
  const space_view *view = s->view;
  /* |x-y| R / sqrt(S(y)) below `low` means nearer for certain, above `high` farther; between, the accurate distance decides. */
  const double half = sqrt(view->ball.curvature) * distance / 2;
  const double root = view->hyperbolic ? sinh(half) * sqrt(point->gap) : distance;
  const double error = (1 + half) * 0x1p-48 + view->relative, low = root * (1 - error), high = root * (1 + error);
  const double none[RANK_SOURCES] = {-1, -1, -1, -1}, *x = point->x;
  double *y = s->sources + RANK_SOURCES * view->dim; /* the second group is not in use */
  size_t nearer = 0;
  load_sources(s, 1, &x);
  for (size_t first = begin; first < end; first += RANK_POINTS) {
    const size_t count = minimum(end - first, RANK_POINTS);
    multiply(s, 0, load_tile(s, first, count), none);
    for (size_t j = 0; j < count; j++) {
      const uint32_t node = (uint32_t)(first + j);
      const double length = sqrt(s->products[j]), slack = point->slack * sqrt(s->weights[j]);
      if (node != point->self && node != other && !(length - slack > high))
        nearer += length + slack < low || probe_distance(view, point, node, y) < distance;
    }
  }
  return nearer;
}

/* ---- sums ------------------------------------------------------------------------------------------------------------ */

void scan_sums(scanner *s, size_t n, const probe_point *points, double *out) {
  const space_view *view = s->view;
  const rank_distance kind = !view->hyperbolic ? RANK_FLAT : view->ball.curvature == 1.0 ? RANK_UNIT : RANK_CURVED;
  const double none[RANK_SOURCES] = {-1, -1, -1, -1}, unit = view->hyperbolic ? 1 / sqrt(view->ball.curvature) : 1;
  const double *x[SCAN_GROUP];
  for (size_t i = 0; i < n; i++) {
    x[i] = points[i].x;
    out[i] = 0;
  }
  load_sources(s, n, x);
  for (size_t first = 0; first < view->nodes; first += RANK_POINTS) {
    const size_t count = minimum(view->nodes - first, RANK_POINTS), whole = load_tile(s, first, count);
    for (size_t i = 0; i < n; i++) {
      double *products = s->products + i % RANK_SOURCES * RANK_POINTS;
      if (i % RANK_SOURCES == 0)
        multiply(s, i / RANK_SOURCES, whole, none);
      for (size_t j = count; j < whole; j++)
        products[j] = (double)INFINITY; /* adds nothing */
      if (points[i].self >= first && points[i].self - first < count)
        products[points[i].self - first] = (double)INFINITY;
      out[i] += s->kernels->d.sum(kind, 1 / points[i].gap, unit, whole, products);
    }
  }
}

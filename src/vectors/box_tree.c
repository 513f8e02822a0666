/* box_tree.c - building the tree of boxes, and searching it depth first, nearer half first. */
#include "box_tree.h"
#include "base/squares.h"

#include <math.h>

enum { LEAF = 64, DEPTH_MAX = 64 };
static const size_t ranges_max = (size_t)16 << 20; /* bytes */

/* One coordinate of a node; coordinate `dim` is the weight. */
static double key_of(const space_view *view, uint32_t node, size_t coordinate) {
  return coordinate == view->dim ? space_weight(view, node) : model_coordinate_at(view->model, node, coordinate);
}

/* ---- building -------------------------------------------------------------------------------------------------------- */

typedef struct builder {
  const space_view *view;
  box_tree *tree;
  size_t leaf;
} builder;

static void measure(const builder *b, tree_box *box, double *range) {
  const space_view *view = b->view;
  for (size_t k = 0; k < view->dim; k++) {
    range[2 * k] = (double)INFINITY;
    range[2 * k + 1] = -(double)INFINITY;
  }
  box->least = (double)INFINITY;
  box->largest = 0;
  for (size_t i = box->begin; i < box->end; i++) {
    const uint32_t node = b->tree->order[i];
    for (size_t k = 0; k < view->dim; k++) {
      const double x = key_of(view, node, k);
      range[2 * k] = x < range[2 * k] ? x : range[2 * k];
      range[2 * k + 1] = x > range[2 * k + 1] ? x : range[2 * k + 1];
    }
    const double weight = space_weight(view, node);
    box->least = weight < box->least ? weight : box->least;
    box->largest = weight > box->largest ? weight : box->largest;
  }
}

/* The coordinate in which the points are farthest apart: sideways seen from a point of middling gap, or by their gaps alone. */
static size_t widest(const builder *b, const tree_box *box, const double *range) {
  const space_view *view = b->view;
  const double R = view->hyperbolic ? view->ball.radius : 1.0;
  const double middling = sqrt(box->least) * sqrt(box->largest); /* R^2/S */
  size_t best = 0;
  double spread = -1;
  for (size_t k = 0; k < view->dim; k++) {
    const double wide = (range[2 * k + 1] - range[2 * k]) / R;
    if (wide > spread) {
      spread = wide;
      best = k;
    }
  }
  if (!view->hyperbolic)
    return best;
  const double sideways = 2 * asinh(spread * sqrt(middling) / 2), radially = log(box->largest / box->least);
  return radially > sideways ? view->dim : best;
}

/* Puts the points of order[begin..end) so that those before `middle` have the smaller keys (Hoare's selection; the pivot is the
 * median of three, and of equal keys some go to either side, so that the work stays linear). */
static void halve(const builder *b, size_t begin, size_t end, size_t middle, size_t coordinate) {
  uint32_t *order = b->tree->order;
  while (end - begin > 1) {
    const double p = key_of(b->view, order[begin], coordinate), q = key_of(b->view, order[begin + (end - begin) / 2], coordinate),
                 r = key_of(b->view, order[end - 1], coordinate);
    const double pivot = fmax(fmin(p, q), fmin(fmax(p, q), r));
    size_t i = begin, j = end - 1;
    for (;;) {
      while (key_of(b->view, order[i], coordinate) < pivot)
        i++;
      while (key_of(b->view, order[j], coordinate) > pivot)
        j--;
      if (i >= j)
        break;
      const uint32_t swap = order[i];
      order[i++] = order[j];
      order[j--] = swap;
    }
    const size_t cut = i > j ? i : j + 1; /* keys before it are <= pivot, from it on >= pivot */
    if (middle < cut && cut < end)
      end = cut;
    else if (middle >= cut && cut > begin)
      begin = cut;
    else
      return; /* the middle stands right */
  }
}

/* The box of order[begin..end) and all within; returns its number. */
static uint32_t build(builder *b, uint32_t begin, uint32_t end) {
  box_tree *tree = b->tree;
  const uint32_t number = (uint32_t)tree->count++;
  tree_box *box = &tree->boxes[number];
  double *range = tree->ranges + (size_t)2 * number * b->view->dim;
  box->begin = begin;
  box->end = end;
  box->right = 0;
  measure(b, box, range);
  if (end - begin <= b->leaf)
    return number;
  const uint32_t middle = begin + (end - begin) / 2;
  halve(b, begin, end, middle, widest(b, box, range));
  build(b, begin, middle);
  const uint32_t right = build(b, middle, end);
  tree->boxes[number].right = right;
  return number;
}

geodisk_status box_tree_build(const space_view *view, box_tree *out) {
  const size_t n = view->nodes;
  size_t leaf = LEAF, leaves = 1;
  const size_t each = 2 * view->dim * sizeof(double) + sizeof(tree_box);
  while (n / leaf > ranges_max / each / 4 && leaf < n)
    leaf *= 2;
  while ((n + leaves - 1) / leaves > leaf)
    leaves *= 2; /* halving makes all leaves alike in size */
  *out = (box_tree){.order = geodisk_allocate(n, sizeof *out->order),
                    .boxes = geodisk_allocate(2 * leaves, sizeof *out->boxes),
                    .ranges = geodisk_allocate(2 * leaves * view->dim, 2 * sizeof *out->ranges)};
  if (out->order == NULL || out->boxes == NULL || out->ranges == NULL) {
    box_tree_free(out);
    return GEODISK_ERROR_MEMORY;
  }
  for (size_t i = 0; i < n; i++)
    out->order[i] = (uint32_t)i;
  builder b = {view, out, leaf};
  build(&b, 0, (uint32_t)n);
  return GEODISK_OK;
}

void box_tree_free(box_tree *tree) {
  geodisk_free_all(tree->order, tree->boxes, tree->ranges);
  *tree = (box_tree){.order = NULL};
}

/* ---- searching ------------------------------------------------------------------------------------------------------- */

/* The square of the distance from x to the box. */
static double outside(const space_view *view, const double *x, const double *range) {
  double sum = 0;
  for (size_t k = 0; k < view->dim; k++) {
    const double below = range[2 * k] - x[k], above = x[k] - range[2 * k + 1];
    const double d = below > above ? below : above;
    sum += d > 0 ? d * d : 0;
  }
  return sum;
}

/* Whether no point of the box is on the wanted side. depth + 1 = weight where the gap rules, and is not far from it elsewhere. */
static bool wrong_side(const collector *c, const tree_box *box) {
  const double margin = 0x1p-8;
  if (!c->view->hyperbolic || c->point->side == GEODISK_SIDE_ANY)
    return false;
  const double weight = c->point->depth + 1;
  return c->point->side == GEODISK_SIDE_HIGHER ? box->least > weight * (1 + margin) : box->largest < weight * (1 - margin);
}

static void look_at(const box_tree *tree, const tree_box *box, collector *c) {
  const space_view *view = c->view;
  const double *x = c->point->x;
  double limit = collector_limit(c, box->largest);
  for (size_t i = box->begin; i < box->end; i++) {
    const uint32_t node = tree->order[i];
    const size_t at = node * model_row_stride(&view->model->vectors.view);
    double sum = 0;
    if (view->model->precision == GEODISK_PRECISION_DOUBLE) {
      const double *y = (const double *)view->model->vectors.view.data + at;
      sum = square_between(view->dim, y, x);
    } else {
      const float *y = (const float *)view->model->vectors.view.data + at;
      for (size_t k = 0; k < view->dim; k++)
        sum += ((double)y[k] - x[k]) * ((double)y[k] - x[k]);
    }
    const double weight = space_weight(view, node), product = sum * weight;
    if (product > limit)
      continue;
    collector_offer(c, node, product, weight);
    limit = collector_limit(c, box->largest);
  }
}

uint64_t box_tree_search(const box_tree *tree, const space_view *view, collector *c) {
  struct {
    uint32_t box;
    double product;
  } stack[2 * DEPTH_MAX];
  size_t depth = 0;
  uint64_t numbers = 0;
  stack[depth].box = 0;
  stack[depth++].product = 0;
  while (depth > 0) {
    depth--;
    const uint32_t number = stack[depth].box;
    const tree_box *box = &tree->boxes[number];
    if (stack[depth].product > collector_limit(c, box->least) || wrong_side(c, box))
      continue;
    if (box->right == 0) {
      look_at(tree, box, c);
      numbers += (uint64_t)(box->end - box->begin) * view->dim;
      continue;
    }
    const uint32_t half[2] = {number + 1, box->right};
    double product[2];
    for (int i = 0; i < 2; i++)
      product[i] = outside(view, c->point->x, tree->ranges + (size_t)2 * half[i] * view->dim) * tree->boxes[half[i]].least;
    const int nearer = product[1] < product[0];
    for (int i = 0; i < 2; i++) { /* the nearer one is taken from the stack first */
      const int which = i == 0 ? !nearer : nearer;
      stack[depth].box = half[which];
      stack[depth++].product = product[which];
    }
    numbers += 4 * view->dim;
  }
  return numbers;
}

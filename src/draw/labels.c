/* labels.c - which names are written, and where. Heavier wishes choose first; each tries eight places around its node and takes
 * the one that covers the fewest other nodes, if it meets no label that is there already. Eager ones that found none try again,
 * farther off and smaller. A grid of cells finds what is near. */
#include "base/grow.h"
#include "base/sorting.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>

enum { PLACES = 8, FAR_PLACES = 16, RINGS = 5, FAR_SIZES = 4 }; /* sizes of letters: down to 0.6 of the wish */
#define LARGE 0.3  /* radius of a node that no smaller one's label hides, in sizes of the letters */
#define GAP   0.22 /* between a node and its label, in sizes of the letters */
#define PADDING                                                                                                                  \
  0.12 /* above and below a label, in sizes of the letters; twice that at its sides. Two labels are twice as far apart */

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Things by the cells of a grid that they lie in. */
typedef struct cell_grid {
  double cell;
  size_t columns, rows;
  uint64_t *offsets; /* of dots; cells + 2 */
  uint32_t *dots;
  uint32_t *first, *next; /* lists of boxes: cells, and entries; GEODISK_NODE_NONE ends one */
  uint32_t *box;          /* entries */
  size_t entries, room;
} cell_grid;

static size_t column_of(const cell_grid *g, double x) {
  const double c = floor(x / g->cell);
  return c < 0 ? 0 : c >= (double)g->columns ? g->columns - 1 : (size_t)c;
}

static size_t row_of(const cell_grid *g, double y) {
  const double c = floor(y / g->cell);
  return c < 0 ? 0 : c >= (double)g->rows ? g->rows - 1 : (size_t)c;
}

static size_t cell_of_dot(const cell_grid *g, const double *dot) { return row_of(g, dot[1]) * g->columns + column_of(g, dot[0]); }

static bool grid_make(const label_paper *paper, double cell, cell_grid *g) {
  *g = (cell_grid){.cell = cell};
  g->columns = (size_t)ceil(paper->width / cell) + 1;
  g->rows = (size_t)ceil(paper->height / cell) + 1;
  const size_t cells = g->columns * g->rows;
  g->offsets = geodisk_allocate_zero(cells + 2, sizeof *g->offsets);
  g->dots = geodisk_allocate(paper->n_dots, sizeof *g->dots);
  g->first = geodisk_allocate(cells, sizeof *g->first);
  if (g->offsets == NULL || g->dots == NULL || g->first == NULL)
    return false;
  for (size_t i = 0; i < cells; i++)
    g->first[i] = GEODISK_NODE_NONE;
  for (size_t i = 0; i < paper->n_dots; i++)
    g->offsets[cell_of_dot(g, paper->dots + 3 * i) + 2]++;
  for (size_t i = 2; i <= cells; i++)
    g->offsets[i] += g->offsets[i - 1];
  for (size_t i = 0; i < paper->n_dots; i++)
    g->dots[g->offsets[cell_of_dot(g, paper->dots + 3 * i) + 1]++] = (uint32_t)i;
  return true;
}

static void grid_free(cell_grid *g) { geodisk_free_all(g->offsets, g->dots, g->first, g->next, g->box); }

static bool grid_add(cell_grid *g, const label_box *b, uint32_t number) {
  for (size_t row = row_of(g, b->top); row <= row_of(g, b->bottom); row++)
    for (size_t column = column_of(g, b->left); column <= column_of(g, b->right); column++) {
      size_t room[2] = {g->room, g->room}; /* which grow alike */
      if (!array_grow(&g->next, g->entries, 1, &room[0], sizeof *g->next) ||
          !array_grow(&g->box, g->entries, 1, &room[1], sizeof *g->box))
        return false;
      g->room = room[0];
      const size_t cell = row * g->columns + column;
      g->box[g->entries] = number;
      g->next[g->entries] = g->first[cell];
      g->first[cell] = (uint32_t)g->entries++;
    }
  return true;
}

static bool meet(const label_box *a, const label_box *b) {
  return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

typedef struct work {
  const label_paper *paper;
  cell_grid grid;
  label_box *boxes; /* of the labels placed, with their padding */
  size_t n;
} work;

static bool is_free(const work *w, const label_box *b) {
  if (!(b->left >= 0 && b->top >= 0 && b->right <= w->paper->width && b->bottom <= w->paper->height))
    return false;
  for (size_t i = 0; i < w->paper->n_taken; i++)
    if (meet(b, &w->paper->taken[i]))
      return false;
  for (size_t row = row_of(&w->grid, b->top); row <= row_of(&w->grid, b->bottom); row++)
    for (size_t column = column_of(&w->grid, b->left); column <= column_of(&w->grid, b->right); column++)
      for (uint32_t e = w->grid.first[row * w->grid.columns + column]; e != GEODISK_NODE_NONE; e = w->grid.next[e])
        if (meet(b, &w->boxes[w->grid.box[e]]))
          return false;
  return true;
}

/* How much a box hides: the areas of the nodes whose middle it covers; infinite if one of them is large and larger than its own.
 */
static double hidden(const work *w, const label_box *b, const label_wish *wish) {
  double sum = 0;
  for (size_t row = row_of(&w->grid, b->top); row <= row_of(&w->grid, b->bottom); row++)
    for (size_t column = column_of(&w->grid, b->left); column <= column_of(&w->grid, b->right); column++) {
      const size_t cell = row * w->grid.columns + column;
      for (uint64_t e = w->grid.offsets[cell]; e < w->grid.offsets[cell + 1]; e++) {
        const double *dot = w->paper->dots + 3 * (size_t)w->grid.dots[e];
        if (dot[0] > b->left && dot[0] < b->right && dot[1] > b->top && dot[1] < b->bottom)
          sum += dot[2] > wish->r && dot[2] > LARGE * wish->size ? (double)INFINITY : dot[2] * dot[2];
      }
    }
  return sum;
}

/* The k-th place of a label around its node, best first: right, left, above, below, and between. */
static placed_label at_place(const label_wish *wish, int k) {
  static const struct { signed char x, y; } way[PLACES] = {{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {-1, -1}, {1, 1}, {-1, 1}};
  const double s = wish->size, width = text_width(wish->text, wish->bold) * s, height = (TEXT_ASCENT + TEXT_DESCENT) * s;
  const bool corner = way[k].x != 0 && way[k].y != 0;
  const double away = (wish->r + GAP * s) * (corner ? 0.75 : 1);
  placed_label p = {.wish = wish, .size = s};
  const double middle = wish->x + way[k].x * (away + width / 2);
  const double top = wish->y + way[k].y * (away + height / 2) - height / 2;
  p.anchor = way[k].x > 0 ? ANCHOR_START : way[k].x < 0 ? ANCHOR_END : ANCHOR_MIDDLE;
  p.x = middle - way[k].x * width / 2;
  p.y = top + TEXT_ASCENT * s;
  p.box = (label_box){middle - width / 2, top, middle + width / 2, top + height};
  return p;
}

/* The k-th of the places farther off, on the given ring around the node, for letters of size s. */
static placed_label at_far_place(const label_wish *wish, int k, int ring, double s) {
  const double angle = 2 * 3.14159265358979323846 * k / FAR_PLACES, x = cos(angle), y = sin(angle);
  const double width = text_width(wish->text, wish->bold) * s, away = wish->r + (0.9 + 0.9 * ring) * s;
  placed_label p = {.wish = wish, .size = s, .far = true};
  p.anchor = x > 0.3 ? ANCHOR_START : x < -0.3 ? ANCHOR_END : ANCHOR_MIDDLE;
  p.x = wish->x + away * x;
  const double left = p.x - (p.anchor == ANCHOR_START ? 0 : p.anchor == ANCHOR_END ? width : width / 2);
  const double middle = wish->y + away * y;
  p.y = middle + (TEXT_ASCENT - TEXT_DESCENT) / 2 * s;
  p.box = (label_box){left, p.y - TEXT_ASCENT * s, left + width, p.y + TEXT_DESCENT * s};
  return p;
}

/* The best place so far. */
typedef struct choice {
  bool found;
  double cost;
  placed_label label;
  label_box padded;
} choice;

/* Takes a place if it is free and better than what there is. `less` is what speaks against it, in squares of the letters' size.
 */
static void consider(const work *w, const placed_label *p, double less, choice *best) {
  const double pad = PADDING * p->size;
  const label_box padded = {p->box.left - 2 * pad, p->box.top - pad, p->box.right + 2 * pad, p->box.bottom + pad};
  if (!is_free(w, &padded))
    return;
  const double cost = hidden(w, &p->box, p->wish) + less * p->size * p->size;
  if (isfinite(cost) && (!best->found || cost < best->cost))
    *best = (choice){true, cost, *p, padded};
}

static bool take(work *w, const choice *best, placed_label *out, bool *enough) {
  if (!best->found)
    return false;
  out[w->n] = best->label;
  w->boxes[w->n] = best->padded;
  *enough = grid_add(&w->grid, &w->boxes[w->n], (uint32_t)w->n);
  w->n++;
  return true;
}

static bool place(work *w, const label_wish *wish, placed_label *out, bool *enough) {
  choice best = {0};
  for (int k = 0; k < PLACES; k++) {
    const placed_label p = at_place(wish, k);
    consider(w, &p, 0.002 * k, &best);
  }
  return take(w, &best, out, enough);
}

/* A place farther off, the nearer the better; smaller letters where there is none for large ones. */
static void place_far(work *w, const label_wish *wish, placed_label *out, bool *enough) {
  double s = wish->size;
  for (int size = 0; size < FAR_SIZES; size++, s *= 0.85) {
    choice best = {0};
    for (int ring = 0; ring < RINGS; ring++)
      for (int k = 0; k < FAR_PLACES; k++) {
        const placed_label p = at_far_place(wish, k, ring, s);
        consider(w, &p, 0.05 * ring, &best);
      }
    if (take(w, &best, out, enough))
      return;
  }
}

static int by_weight(const void *a, const void *b) {
  const label_wish *p = a, *q = b;
  return compare_first(COMPARE(q->weight, p->weight), COMPARE(p->node, q->node));
}

geodisk_status labels_place(geodisk_context *context, const label_paper *paper, size_t n_wishes, label_wish *wishes, size_t most,
                            placed_label *out, size_t *n) {
  work w = {.paper = paper, .boxes = geodisk_allocate(n_wishes + 1, sizeof *w.boxes)};
  bool enough = grid_make(paper, fmax(8, paper->height / 64), &w.grid) && w.boxes != NULL;
  if (n_wishes > 0)
    qsort(wishes, n_wishes, sizeof *wishes, by_weight);
  for (size_t i = 0; enough && i < n_wishes && w.n < most; i++)
    wishes[i].eager = !place(&w, &wishes[i], out, &enough) && wishes[i].eager;
  for (size_t i = 0; enough && i < n_wishes && w.n < most; i++)
    if (wishes[i].eager)
      place_far(&w, &wishes[i], out, &enough);
  grid_free(&w.grid);
  free(w.boxes);
  if (!enough)
    return geodisk_no_memory(context, "for the labels");
  *n = w.n;
  return GEODISK_OK;
}

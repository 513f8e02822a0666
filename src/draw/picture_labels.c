/* picture_labels.c - which nodes of a picture want a label, how large, and the labels that found a place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

static geodisk_status no_memory(geodisk_context *context) {
  return geodisk_fail(context, GEODISK_ERROR_MEMORY, "not enough memory for the picture");
}

/* ---- wishes ------------------------------------------------------------------------------------------------------ */

/* High nodes (many descendants) and central ones first; before them the one at the centre, and highlighted ones before all. */
static double label_weight(const picture *p, uint32_t i) {
  const double *x = p->x + 2 * (size_t)i, inside = fmax(0, 1 - x[0] * x[0] - x[1] * x[1]);
  return (p->highlighted[i] ? 1000 : 0) + (x[0] == 0 && x[1] == 0 ? 100 : 0) +
         (1 + picture_rank(p, i)) * (0.35 + sqrt(inside)) * (p->stressed[i] ? 1 : 0.1);
}

static size_t wanted_labels(const picture *p) {
  if (p->options->no_labels)
    return p->options->highlights;
  if (p->options->labels > 0)
    return p->options->labels > p->options->highlights ? p->options->labels : p->options->highlights;
  return 70 + p->options->highlights;
}

static void free_wishes(label_wish *wishes, size_t n) {
  for (size_t i = 0; wishes != NULL && i < n; i++)
    free(wishes[i].text);
  free(wishes);
}

typedef struct weighted {
  double weight;
  uint32_t node;
} weighted;

static int heavy_first(const void *a, const void *b) {
  const weighted *p = a, *q = b;
  if (p->weight != q->weight)
    return p->weight > q->weight ? -1 : 1;
  return p->node < q->node ? -1 : 1;
}

/* The heaviest nodes, some more than there are labels wanted: not all of them find a place. */
static geodisk_status make_wishes(geodisk_context *context, const picture *p, size_t most, label_wish **out, size_t *n) {
  const geodisk_scene *scene = p->scene;
  weighted *all = geodisk_allocate(scene->nodes, sizeof *all);
  size_t count = most < scene->nodes / 6 ? 6 * most : scene->nodes;
  if (p->options->no_labels && count > most)
    count = most;
  label_wish *wishes = geodisk_allocate_zero(count, sizeof *wishes);
  if (all == NULL || wishes == NULL) {
    free(all);
    free(wishes);
    return no_memory(context);
  }
  for (uint32_t i = 0; i < scene->nodes; i++)
    all[i] = (weighted){label_weight(p, i), i};
  qsort(all, scene->nodes, sizeof *all, heavy_first);
  bool enough = true;
  double highest = 1;
  for (uint32_t i = 0; i < scene->nodes; i++)
    highest = fmax(highest, picture_rank(p, i));
  for (size_t k = 0; k < count; k++) {
    const uint32_t i = all[k].node;
    const double *dot = p->dots + 3 * (size_t)i, rank = picture_rank(p, i) / highest;
    const double size = (9.4 + 7.6 * rank * sqrt(rank)) * (0.76 + 0.24 * picture_shrink(p, i));
    wishes[k] = (label_wish){.node = i,
                             .weight = all[k].weight,
                             .x = dot[0],
                             .y = dot[1],
                             .r = dot[2],
                             .size = fmax((p->highlighted[i] ? fmax(size, 13) : size) * p->unit, 6.5),
                             .bold = p->highlighted[i],
                             .text = label_text(geodisk_scene_name(scene, i), p->options->full_names)};
    enough = enough && wishes[k].text != NULL;
  }
  free(all);
  if (!enough) {
    free_wishes(wishes, count);
    return no_memory(context);
  }
  *out = wishes;
  *n = count;
  return GEODISK_OK;
}

/* ---- what labels rather do not cover ----------------------------------------------------------------------------- */

#define BETWEEN 7.0 /* thousandths of the height from one point of an edge to the next */
enum { HIGH = 3, MOST_POINTS = 100 };

/* Points along an edge on paper, the ends not among them; returns how many. `dots` may be NULL. */
static size_t edge_points(const picture *p, size_t e, double *dots) {
  const uint32_t child = p->scene->edge_child[e], parent = p->scene->edge_parent[e];
  if (picture_rank(p, child) < HIGH)
    return 0;
  const canvas_arc arc = disk_arc(&p->frame, p->x + 2 * (size_t)parent, p->x + 2 * (size_t)child);
  const double length = hypot(arc.x2 - arc.x1, arc.y2 - arc.y1);
  const size_t n = (size_t)fmin(MOST_POINTS, length / (BETWEEN * p->unit));
  for (size_t k = 0; dots != NULL && k < n; k++) {
    const double t = ((double)k + 1) / ((double)n + 1);
    double x = arc.x1 + t * (arc.x2 - arc.x1), y = arc.y1 + t * (arc.y2 - arc.y1);
    if (!arc.straight) { /* from the chord out to the circle */
      const double r = hypot(x - arc.cx, y - arc.cy);
      x = arc.cx + (x - arc.cx) * arc.r / r;
      y = arc.cy + (y - arc.cy) * arc.r / r;
    }
    dots[3 * k] = x;
    dots[3 * k + 1] = y;
    dots[3 * k + 2] = 1.3 * p->unit;
  }
  return n;
}

/* The nodes, and points along the edges that lead to high ones: n x 3 numbers, the caller's to free. */
static double *find_obstacles(const picture *p, size_t *n) {
  size_t count = p->scene->nodes;
  for (size_t e = 0; e < p->scene->edges; e++)
    count += edge_points(p, e, NULL);
  double *dots = geodisk_allocate(count, 3 * sizeof *dots);
  if (dots == NULL)
    return NULL;
  memcpy(dots, p->dots, 3 * p->scene->nodes * sizeof *dots);
  size_t at = p->scene->nodes;
  for (size_t e = 0; e < p->scene->edges; e++)
    at += edge_points(p, e, dots + 3 * at);
  *n = count;
  return dots;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

geodisk_status picture_draw_labels(geodisk_context *context, const picture *p, canvas *c, geodisk_picture_info *info) {
  const size_t most = wanted_labels(p);
  const double caption = text_width(p->caption, false) * fmax(9.5 * p->unit, 7) + 24 * p->unit;
  const label_box taken[2] = {p->legend_box, {0, p->height - 28 * p->unit, *p->caption != 0 ? caption : 0, p->height}};
  label_paper paper = {p->width, p->height, taken, 2, 0, NULL};
  double *obstacles = find_obstacles(p, &paper.n_dots);
  label_wish *wishes = NULL;
  placed_label *placed = NULL;
  size_t n_wishes = 0, n = 0;
  paper.dots = obstacles;
  geodisk_status st = obstacles != NULL ? make_wishes(context, p, most, &wishes, &n_wishes) : no_memory(context);
  if (st == GEODISK_OK && (placed = geodisk_allocate(n_wishes + 1, sizeof *placed)) == NULL)
    st = no_memory(context);
  if (st == GEODISK_OK)
    st = labels_place(context, &paper, n_wishes, wishes, most, placed, &n);
  if (st == GEODISK_OK)
    c->class->group(c, "labels");
  for (size_t k = n; st == GEODISK_OK && k-- > 0;) { /* the heaviest last, on top of the halos of the others */
    const label_wish *w = placed[k].wish;
    const canvas_text text = {.text = w->text,
                              .x = placed[k].x,
                              .y = placed[k].y,
                              .anchor = placed[k].anchor,
                              .size = w->size,
                              .bold = w->bold,
                              .rgb = p->stressed[w->node] ? p->theme->ink : p->theme->soft_ink,
                              .halo = fmax(0.26 * w->size, 1.2),
                              .halo_rgb = p->theme->halo};
    c->class->text(c, &text);
  }
  info->labels = n;
  info->labels_wanted = most < p->scene->nodes ? most : p->scene->nodes;
  free(obstacles);
  free_wishes(wishes, n_wishes);
  free(placed);
  return st;
}

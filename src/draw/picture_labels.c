/* picture_labels.c - which nodes of a picture want a label, how large, and the labels that found a place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorting.h"
#include "picture.h"

enum { LABELS = 70, NETWORK_LABELS = 45 };

/* ---- wishes ------------------------------------------------------------------------------------------------------ */

/* High nodes (many descendants) and central ones first; before them the one at the centre, and highlighted ones before all. */
static double label_weight(const picture *p, uint32_t i) {
  const double *x = p->x + 2 * (size_t)i, inside = fmax(0, 1 - x[0] * x[0] - x[1] * x[1]);
  const double place = p->scene->network ? 1 + 0.35 * sqrt(inside) : 0.35 + sqrt(inside); /* hubs, wherever they are */
  return (p->highlighted[i] ? 1000 : 0) + (x[0] == 0 && x[1] == 0 ? 100 : 0) +
         (1 + picture_rank(p, i)) * place * (p->stressed[i] ? 1 : 0.1);
}

static size_t wanted_labels(const picture *p) {
  if (p->options->no_labels)
    return p->options->highlights;
  if (p->options->labels > 0)
    return p->options->labels > p->options->highlights ? p->options->labels : p->options->highlights;
  return (p->small ? p->scene->nodes : p->scene->network ? NETWORK_LABELS : LABELS) + p->options->highlights;
}

static void free_wishes(label_wish *wishes, size_t n) {
  for (size_t i = 0; wishes != NULL && i < n; i++)
    free(wishes[i].text);
  free(wishes);
}

/* The heaviest nodes, some more than there are labels wanted: not all of them find a place. */
static geodisk_status make_wishes(geodisk_context *context, const picture *p, size_t most, label_wish **out, size_t *n) {
  const geodisk_scene *scene = p->scene;
  weighted_number *all = geodisk_allocate(scene->nodes, sizeof *all);
  const size_t inside = scene->nodes - p->rim_names;
  size_t count = most < inside / 6 ? 6 * most : inside;
  if (p->options->no_labels && count > most)
    count = most;
  label_wish *wishes = geodisk_allocate_zero(count, sizeof *wishes);
  if (all == NULL || wishes == NULL) {
    geodisk_free_all(all, wishes);
    return geodisk_no_memory(context, "for the picture");
  }
  size_t found = 0;
  for (uint32_t i = 0; i < scene->nodes; i++)
    if (!p->at_rim[i])
      all[found++] = (weighted_number){label_weight(p, i), i};
  if (found > 0)
    qsort(all, found, sizeof *all, heavier_first);
  bool enough = true;
  double highest = 1;
  for (uint32_t i = 0; i < scene->nodes; i++)
    highest = fmax(highest, picture_rank(p, i));
  for (size_t k = 0; k < count; k++) {
    const uint32_t i = all[k].number;
    const double *dot = p->dots + 3 * (size_t)i, rank = picture_rank(p, i) / highest;
    const double largest = p->small ? 4.5 : 7.6; /* where all have names, that of a hub need not be so much larger */
    const double size = (9.4 + largest * rank * sqrt(rank)) * (0.76 + 0.24 * picture_shrink(p, i)) * p->letters;
    wishes[k] = (label_wish){.node = i,
                             .weight = all[k].weight,
                             .x = dot[0],
                             .y = dot[1],
                             .r = dot[2],
                             .size = fmax((p->highlighted[i] ? fmax(size, 13) : size) * p->unit, 6.5),
                             .bold = p->highlighted[i],
                             .eager = p->small || p->highlighted[i],
                             .text = label_shorten(geodisk_scene_label(scene, i), label_limit(p->scene))};
    enough = enough && wishes[k].text != NULL;
  }
  free(all);
  if (!enough) {
    free_wishes(wishes, count);
    return geodisk_no_memory(context, "for the picture");
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
  if (!p->small && (p->scene->network || picture_rank(p, child) < HIGH))
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

/* The nodes, and points along the edges that lead to high ones, in a small graph along all: n x 3 numbers, the caller's to free.
 */
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

/* The boxes that labels keep clear of: legend, caption, names around the rim. The caller's to free. */
static label_box *find_taken(const picture *p, size_t *n) {
  label_box *taken = geodisk_allocate(2 + p->rim_names, sizeof *taken);
  if (taken == NULL)
    return NULL;
  const double caption = text_width(p->caption, false) * fmax(9.5 * p->unit, 7) + 24 * p->unit;
  taken[0] = p->legend_box;
  taken[1] = (label_box){0, p->height - 28 * p->unit, *p->caption != 0 ? caption : 0, p->height};
  for (size_t i = 0; i < p->rim_names; i++)
    taken[2 + i] = p->rim[i].box;
  *n = 2 + p->rim_names;
  return taken;
}

/* From the edge of a node to its name. */
static void draw_line(const picture *p, canvas *c, uint32_t node, double x, double y) {
  const double *dot = p->dots + 3 * (size_t)node, length = hypot(x - dot[0], y - dot[1]);
  if (length <= dot[2] + 1.5 * p->unit)
    return;
  const double t = dot[2] / length;
  const canvas_arc line = {dot[0] + t * (x - dot[0]), dot[1] + t * (y - dot[1]), x, y, true, 0, 0, 0};
  c->class->arc(c, &line);
}

/* Where the line to a label ends: at the edge of its box that is nearest. */
static void line_end(const placed_label *label, double *x, double *y) {
  *x = fmin(fmax(label->wish->x, label->box.left), label->box.right);
  *y = fmin(fmax(label->wish->y, label->box.top), label->box.bottom);
}

static void draw_lines(const picture *p, canvas *c, const placed_label *placed, size_t n) {
  const double gap = 0.25 * p->rim_size;
  c->class->group(c, "lines");
  c->class->pen(c, (canvas_paint){p->theme->soft_ink, 0.55}, 0.8 * p->unit);
  for (size_t i = 0; i < p->rim_names; i++) {
    const rim_name *name = &p->rim[i];
    draw_line(p, c, name->node, name->x + (name->anchor == ANCHOR_START ? -gap : gap), (name->box.top + name->box.bottom) / 2);
  }
  for (size_t k = 0; k < n; k++)
    if (placed[k].far) {
      double x, y;
      line_end(&placed[k], &x, &y);
      draw_line(p, c, placed[k].wish->node, x, y);
    }
}

static void draw_text(const picture *p, canvas *c, uint32_t node, canvas_text text) {
  text.bold = p->highlighted[node];
  text.rgb = p->stressed[node] ? p->theme->ink : p->theme->soft_ink;
  text.halo = fmax(0.26 * text.size, 1.2);
  text.halo_rgb = p->theme->halo;
  c->class->text(c, &text);
}

geodisk_status picture_draw_labels(geodisk_context *context, const picture *p, canvas *c, geodisk_picture_info *info) {
  const size_t wanted = wanted_labels(p), most = wanted > p->rim_names ? wanted - p->rim_names : 0;
  label_paper paper = {.width = p->width, .height = p->height};
  label_box *taken = find_taken(p, &paper.n_taken);
  double *obstacles = find_obstacles(p, &paper.n_dots);
  label_wish *wishes = NULL;
  placed_label *placed = NULL;
  size_t n_wishes = 0, n = 0;
  paper.taken = taken;
  paper.dots = obstacles;
  geodisk_status st = obstacles != NULL && taken != NULL ? make_wishes(context, p, most, &wishes, &n_wishes)
                                                         : geodisk_no_memory(context, "for the picture");
  if (st == GEODISK_OK && (placed = geodisk_allocate(n_wishes + 1, sizeof *placed)) == NULL)
    st = geodisk_no_memory(context, "for the picture");
  if (st == GEODISK_OK)
    st = labels_place(context, &paper, n_wishes, wishes, most, placed, &n);
  if (st == GEODISK_OK) {
    if (p->small)
      draw_lines(p, c, placed, n);
    c->class->group(c, "labels");
  }
  for (size_t i = 0; st == GEODISK_OK && i < p->rim_names; i++)
    draw_text(p, c, p->rim[i].node,
              (canvas_text){
                  .text = p->rim[i].text, .x = p->rim[i].x, .y = p->rim[i].y, .anchor = p->rim[i].anchor, .size = p->rim_size});
  for (size_t k = n; st == GEODISK_OK && k-- > 0;) /* the heaviest last, on top of the halos of the others */
    draw_text(p, c, placed[k].wish->node,
              (canvas_text){.text = placed[k].wish->text,
                            .x = placed[k].x,
                            .y = placed[k].y,
                            .anchor = placed[k].anchor,
                            .size = placed[k].size});
  info->labels = n + p->rim_names;
  info->labels_wanted = wanted < p->scene->nodes ? wanted : p->scene->nodes;
  geodisk_free_all(taken, obstacles);
  free_wishes(wishes, n_wishes);
  free(placed);
  return st;
}

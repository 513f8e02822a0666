/* picture_drawing.c - the disk of a picture, shape by shape: grid, edges as geodesic arcs, rim, nodes; and the legend. */
#include <math.h>
#include <stdlib.h>

#include "picture.h"

/* Nodes shrink towards the rim as lengths do, but not to nothing; many nodes are smaller ones. */
double picture_shrink(const picture *p, uint32_t i) {
  const double *x = p->x + 2 * (size_t)i, inside = fmax(0, 1 - x[0] * x[0] - x[1] * x[1]);
  const double least = p->small ? 0.62 : 0.34;
  return least + (1 - least) * sqrt(inside);
}

double picture_crowd(const picture *p) {
  return fmin(1.35, fmax(0.42, pow(1200.0 / (double)p->scene->nodes, 0.25))) * p->letters;
}

double picture_rank(const picture *p, uint32_t i) {
  const uint32_t *sizes = p->scene->network ? p->scene->degree : p->scene->descendants;
  return log2((1 + (double)sizes[i]) / (1 + (double)p->least));
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static double dim_factor(const picture *p, uint32_t i) { return p->stressed[i] ? 1 : 0.22; }

/* Circles around the centre at distances 1, 2, 3, ... of the disk, and twelve diameters. */
static void draw_grid(const picture *p, canvas *c) {
  enum { CIRCLES = 5, DIAMETERS = 12 };
  const canvas_paint none = {0, 0}, line = {p->theme->grid, 0.38};
  c->class->group(c, "grid");
  c->class->pen(c, line, 0.6 * p->unit);
  for (int k = 0; k < DIAMETERS; k++) {
    const double angle = k * 3.14159265358979323846 / DIAMETERS, x = p->frame.radius * cos(angle),
                 y = p->frame.radius * sin(angle);
    const canvas_arc diameter = {p->frame.x - x, p->frame.y + y, p->frame.x + x, p->frame.y - y, true, 0, 0, 0};
    c->class->arc(c, &diameter);
  }
  for (int k = 1; k <= CIRCLES; k++) {
    const char text[2] = {(char)('0' + k), 0};
    const double r = p->frame.radius * tanh(k / 2.0);
    c->class->disk(c, p->frame.x, p->frame.y, r, none, line, 0.6 * p->unit, NULL);
    const canvas_text mark = {.text = text,
                              .x = p->frame.x,
                              .y = p->frame.y + r - 2.5 * p->unit,
                              .anchor = ANCHOR_MIDDLE,
                              .size = fmax(8.5 * p->unit, 6),
                              .rgb = p->theme->soft_ink,
                              .halo = 2 * p->unit,
                              .halo_rgb = p->theme->disk};
    c->class->text(c, &mark);
  }
}

#define THICKNESS 12.0 /* steps per thousandth of the height */
enum { STRENGTHS = 8, MANY_EDGES = 250 };

typedef struct drawn_edge {
  size_t edge;
  unsigned thickness, colour, strength; /* equal ones share a pen */
  bool stressed;
} drawn_edge;

static int thin_first(const void *a, const void *b) {
  const drawn_edge *p = a, *q = b;
  if (p->stressed != q->stressed)
    return p->stressed ? 1 : -1;
  if ((p->colour == GEODISK_BRANCH_OTHER) != (q->colour == GEODISK_BRANCH_OTHER)) /* grey ones beneath */
    return p->colour == GEODISK_BRANCH_OTHER ? -1 : 1;
  if (p->strength != q->strength)
    return p->strength < q->strength ? -1 : 1;
  if (p->thickness != q->thickness)
    return p->thickness < q->thickness ? -1 : 1;
  if (p->colour != q->colour)
    return p->colour < q->colour ? -1 : 1;
  return p->edge < q->edge ? -1 : 1;
}

/* In a hierarchy by what is below; ways beside the forest are thin. In a network all the same, and thin where there are many. */
static double edge_width(const picture *p, uint32_t child, uint32_t parent) {
  const geodisk_scene *scene = p->scene;
  if (scene->network) {
    const double a_node = 2 * (double)scene->edges / (double)scene->nodes;
    return 0.9 * fmin(1, pow(6 / a_node, 0.3)) * picture_crowd(p);
  }
  const double rank = scene->parent[child] == parent ? picture_rank(p, child) : 0;
  return (0.65 + 0.26 * rank) * sqrt(picture_shrink(p, child)) * picture_crowd(p);
}

/* An edge between communities has none of their colours. */
static unsigned edge_colour(const geodisk_scene *scene, uint32_t child, uint32_t parent) {
  return !scene->network || scene->branch[child] == scene->branch[parent] ? scene->branch[child] : GEODISK_BRANCH_OTHER;
}

/* In a network of many edges long ones, and those between communities, are fainter, so that what lies together shows. */
static unsigned edge_strength(const picture *p, uint32_t child, uint32_t parent) {
  const geodisk_scene *scene = p->scene;
  if (!scene->network || scene->edges < MANY_EDGES)
    return STRENGTHS;
  const double *x = p->x + 2 * (size_t)child, *y = p->x + 2 * (size_t)parent;
  const double many = fmin(1, log2((double)scene->edges / MANY_EDGES) / 4); /* in full from 16 times as many on */
  double strength = fmin(1, 0.3 / hypot(x[0] - y[0], x[1] - y[1]));
  if (scene->branch[child] != scene->branch[parent])
    strength *= 0.6;
  return 1 + (unsigned)((STRENGTHS - 1) * (1 - many * (1 - strength)) + 0.5);
}

/* In a network with highlighted nodes the edges at these, not those among their neighbours. */
static bool edge_stressed(const picture *p, uint32_t child, uint32_t parent) {
  if (p->scene->network && p->any_highlighted)
    return p->highlighted[child] || p->highlighted[parent];
  return p->stressed[child] && p->stressed[parent];
}

static geodisk_status draw_edges(geodisk_context *context, const picture *p, canvas *c) {
  const geodisk_scene *scene = p->scene;
  drawn_edge *list = geodisk_allocate(scene->edges, sizeof *list);
  if (list == NULL)
    return geodisk_no_memory(context, "for the picture");
  for (size_t e = 0; e < scene->edges; e++) {
    const uint32_t child = scene->edge_child[e], parent = scene->edge_parent[e];
    list[e] = (drawn_edge){e, (unsigned)(THICKNESS * edge_width(p, child, parent) + 0.5), edge_colour(scene, child, parent),
                           edge_strength(p, child, parent), edge_stressed(p, child, parent)};
  }
  if (scene->edges > 0)
    qsort(list, scene->edges, sizeof *list, thin_first);
  const double fade = fmin(1, fmax(0.2, pow(2000.0 / (double)(scene->edges + 1), 0.33)));
  c->class->group(c, "edges");
  for (size_t k = 0; k < scene->edges; k++) {
    const drawn_edge *d = &list[k], *before = k > 0 ? &list[k - 1] : NULL;
    const uint32_t child = scene->edge_child[d->edge], parent = scene->edge_parent[d->edge];
    if (before == NULL || before->thickness != d->thickness || before->colour != d->colour || before->strength != d->strength ||
        before->stressed != d->stressed) {
      const double width = d->thickness / THICKNESS,
                   alpha = fmin(0.85, 0.34 + 0.24 * width) * fade * (d->stressed ? 1 : 0.3) * d->strength / STRENGTHS;
      c->class->pen(c, (canvas_paint){geodisk_branch_colour(d->colour, p->options->dark), alpha}, width * p->unit);
    }
    const canvas_arc arc = disk_arc(&p->frame, p->x + 2 * (size_t)parent, p->x + 2 * (size_t)child);
    c->class->arc(c, &arc);
  }
  free(list);
  return GEODISK_OK;
}

typedef struct drawn_node {
  double r;
  uint32_t node;
  bool stressed, highlighted;
} drawn_node;

static int small_first(const void *a, const void *b) {
  const drawn_node *p = a, *q = b;
  if (p->highlighted != q->highlighted)
    return p->highlighted ? 1 : -1;
  if (p->stressed != q->stressed)
    return p->stressed ? 1 : -1;
  if (p->r != q->r)
    return p->r < q->r ? -1 : 1;
  return p->node < q->node ? -1 : 1;
}

static geodisk_status draw_nodes(geodisk_context *context, const picture *p, canvas *c) {
  const geodisk_scene *scene = p->scene;
  drawn_node *list = geodisk_allocate(scene->nodes, sizeof *list);
  if (list == NULL)
    return geodisk_no_memory(context, "for the picture");
  for (uint32_t i = 0; i < scene->nodes; i++)
    list[i] = (drawn_node){p->dots[3 * (size_t)i + 2], i, p->stressed[i], p->highlighted[i]};
  qsort(list, scene->nodes, sizeof *list, small_first);
  c->class->group(c, "nodes");
  for (size_t k = 0; k < scene->nodes; k++) {
    const uint32_t i = list[k].node;
    const double *dot = p->dots + 3 * (size_t)i;
    const canvas_paint fill = {geodisk_branch_colour(scene->branch[i], p->options->dark), 0.92 * dim_factor(p, i)};
    canvas_paint line = {p->theme->disk, dot[2] > 2.2 * p->unit ? dim_factor(p, i) : 0};
    double width = 0.8 * p->unit;
    if (p->highlighted[i]) {
      line = (canvas_paint){p->theme->stress, 1};
      width = 1.6 * p->unit;
    }
    c->class->disk(c, dot[0], dot[1], dot[2], fill, line, width, geodisk_scene_name(scene, i));
  }
  free(list);
  return GEODISK_OK;
}

geodisk_status picture_draw_disk(geodisk_context *context, const picture *p, canvas *c) {
  const canvas_paint none = {0, 0};
  c->class->group(c, "disk");
  c->class->box(c, 0, 0, p->width, p->height, (canvas_paint){p->theme->paper, 1});
  c->class->disk(c, p->frame.x, p->frame.y, p->frame.radius, (canvas_paint){p->theme->disk, 1}, none, 0, NULL);
  if (p->options->grid)
    draw_grid(p, c);
  geodisk_status st = draw_edges(context, p, c);
  if (st != GEODISK_OK)
    return st;
  c->class->group(c, "rim");
  c->class->disk(c, p->frame.x, p->frame.y, p->frame.radius, none, (canvas_paint){p->theme->rim, 1}, 1.1 * p->unit, NULL);
  return draw_nodes(context, p, c);
}

void picture_draw_legend(const picture *p, canvas *c) {
  const double s = p->legend_size, line = 1.55 * s;
  const canvas_paint none = {0, 0};
  c->class->group(c, "legend");
  for (size_t i = 0; i < p->legend_lines; i++) {
    const double y = p->legend_box.top + line * ((double)i + 0.5);
    c->class->disk(c, p->legend_box.left + 0.45 * s, y, 0.42 * s, (canvas_paint){p->legend[i].rgb, 1}, none, 0, NULL);
    const canvas_text text = {
        .text = p->legend[i].text, .x = p->legend_box.left + 1.4 * s, .y = y + 0.36 * s, .size = s, .rgb = p->theme->ink};
    c->class->text(c, &text);
  }
  if (*p->caption != 0 && !p->options->no_legend) {
    const canvas_text text = {.text = p->caption,
                              .x = 12 * p->unit,
                              .y = p->height - 11 * p->unit,
                              .size = fmax(9.5 * p->unit, 7),
                              .rgb = p->theme->soft_ink};
    c->class->text(c, &text);
  }
}

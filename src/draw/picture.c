/* picture.c - a scene drawn: the disk, edges as geodesic arcs, nodes, labels, legend. All lengths go with the height of the
 * picture, so that a picture of twice the size is the same picture. */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy.h"

enum { SIZE = 1000, SMALLEST = 200, LARGEST = 20000, CAPTION = 200 };

typedef struct theme {
  uint32_t paper, disk, rim, grid, ink, soft_ink, halo, stress;
} theme;
static const theme light_theme = {0xffffff, 0xfcfcfa, 0x555b61, 0x8f969d, 0x1a1c1e, 0x6b7177, 0xffffff, 0x000000};
static const theme dark_theme = {0x0f1216, 0x15191f, 0x8b939c, 0x5d666f, 0xf1f3f5, 0x9aa3ac, 0x0f1216, 0xffffff};

typedef struct legend_line {
  uint32_t rgb;
  char *text;
} legend_line;

typedef struct picture {
  const geodisk_scene *scene;
  const geodisk_picture_options *options;
  const theme *theme;
  double *x; /* nodes x 2: in the unit disk, moved */
  disk_frame frame;
  double unit; /* a thousandth of the height */
  double width, height;
  double *dots;      /* nodes x 3: x, y, radius on paper */
  bool *highlighted; /* nodes */
  bool *stressed;    /* nodes: highlighted, or on the way up from there, or below; all if nothing is highlighted */
  bool any_highlighted;
  legend_line legend[GEODISK_BRANCHES + 1];
  size_t legend_lines;
  double legend_size; /* of its letters */
  label_box legend_box;
  char caption[CAPTION];
} picture;

static geodisk_status no_memory(geodisk_context *context) {
  return geodisk_fail(context, GEODISK_ERROR_MEMORY, "not enough memory for the picture");
}

/* ---- layout ---------------------------------------------------------------------------------------------------------------- */

/* Nodes shrink towards the rim as lengths do, but not to nothing; many nodes are smaller ones. */
static double shrink(const picture *p, uint32_t i) {
  const double *x = p->x + 2 * (size_t)i, inside = fmax(0, 1 - x[0] * x[0] - x[1] * x[1]);
  return 0.34 + 0.66 * sqrt(inside);
}

static double crowd(const picture *p) { return fmin(1.35, fmax(0.42, pow(1200.0 / (double)p->scene->nodes, 0.25))); }

static double rank_of(const geodisk_scene *scene, uint32_t i) { return log2(1 + (double)scene->descendants[i]); }

static void place_dots(picture *p) {
  for (uint32_t i = 0; i < p->scene->nodes; i++) {
    const double *x = p->x + 2 * (size_t)i;
    double r = (2.1 + 0.95 * rank_of(p->scene, i)) * shrink(p, i) * crowd(p);
    if (p->highlighted[i])
      r = fmax(r * 1.25, 4);
    p->dots[3 * (size_t)i] = p->frame.x + p->frame.radius * x[0];
    p->dots[3 * (size_t)i + 1] = p->frame.y - p->frame.radius * x[1];
    p->dots[3 * (size_t)i + 2] = fmax(r, 0.5) * p->unit;
  }
}

/* The legend stands at the upper right; the paper is as much wider as it needs not to touch the disk. */
static void place_legend(picture *p) {
  const double s = p->legend_size, line = 1.55 * s, margin = 16 * p->unit;
  double wide = 0;
  for (size_t i = 0; i < p->legend_lines; i++)
    wide = fmax(wide, text_width(p->legend[i].text, false) * s);
  wide += 1.5 * s;
  const double high = line * (double)p->legend_lines;
  double beside = 0;
  if (p->legend_lines > 0) { /* how far the disk reaches to the right at the legend's lower edge */
    const double down = p->frame.y - (margin + high + s);
    const double reach = down > 0 ? sqrt(fmax(0, p->frame.radius * p->frame.radius - down * down)) : p->frame.radius;
    beside = fmax(0, p->frame.x + reach + margin + wide + margin - p->height);
  }
  p->width = ceil(p->height + beside);
  p->legend_box = (label_box){p->width - margin - wide, margin, p->width - margin, margin + high};
}

static geodisk_status make_legend(geodisk_context *context, picture *p) {
  const geodisk_scene *scene = p->scene;
  bool others = false;
  for (size_t i = 0; i < scene->nodes; i++)
    others = others || scene->branch[i] == GEODISK_BRANCH_OTHER;
  p->legend_size = fmax(12.5 * p->unit, 8);
  if (p->options->no_legend || scene->branches == 0)
    return GEODISK_OK;
  for (unsigned b = 0; b < scene->branches + (others ? 1 : 0); b++) {
    const bool named = b < scene->branches;
    legend_line *line = &p->legend[b];
    line->rgb = geodisk_branch_colour(named ? b : GEODISK_BRANCH_OTHER, p->options->dark);
    line->text = label_text(named ? geodisk_scene_name(scene, scene->branch_node[b]) : "other", !named || p->options->full_names);
    if (line->text == NULL)
      return no_memory(context);
    p->legend_lines++;
  }
  return GEODISK_OK;
}

static void make_caption(picture *p) {
  char scale[48] = "", projected[96] = "";
  if (p->scene->scale != 1)
    snprintf(scale, sizeof scale, "distances from the origin drawn \xc3\x97 %.2g", p->scene->scale);
  if (p->scene->projection.projected)
    snprintf(projected, sizeof projected, "%d dimensions projected, mean distortion %.1f %%", geodisk_model_dim(p->scene->model),
             100 * p->scene->projection.distortion_mean);
  snprintf(p->caption, sizeof p->caption, "%s%s%s", projected, *projected != 0 && *scale != 0 ? "; " : "", scale);
}

/* Highlighted nodes, what is above them in the forest, and what is below. */
static geodisk_status find_highlighted(geodisk_context *context, picture *p) {
  const geodisk_scene *scene = p->scene;
  for (size_t k = 0; k < p->options->highlights; k++) {
    uint32_t i;
    if (!geodisk_scene_find(scene, p->options->highlight[k], &i))
      return draw_missing_node(context, scene, p->options->highlight[k]);
    p->highlighted[i] = p->any_highlighted = true;
  }
  for (size_t k = 0; k < scene->nodes; k++) { /* downwards: parents come first */
    const uint32_t i = scene->order[k], up = scene->parent[i];
    p->stressed[i] = !p->any_highlighted || p->highlighted[i] || (up != GEODISK_NO_NODE && p->stressed[up]);
  }
  for (size_t k = 0; k < scene->nodes; k++)
    if (p->highlighted[k])
      for (uint32_t up = scene->parent[k]; up != GEODISK_NO_NODE; up = scene->parent[up])
        p->stressed[up] = true;
  return GEODISK_OK;
}

/* ---- drawing -----------------------------------------------------------------------------------------------------------------
 */

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

typedef struct drawn_edge {
  size_t edge;
  unsigned thickness, colour; /* equal ones share a pen */
  bool stressed;
} drawn_edge;

static int thin_first(const void *a, const void *b) {
  const drawn_edge *p = a, *q = b;
  if (p->stressed != q->stressed)
    return p->stressed ? 1 : -1;
  if (p->thickness != q->thickness)
    return p->thickness < q->thickness ? -1 : 1;
  if (p->colour != q->colour)
    return p->colour < q->colour ? -1 : 1;
  return p->edge < q->edge ? -1 : 1;
}

static geodisk_status draw_edges(geodisk_context *context, const picture *p, canvas *c) {
  const geodisk_scene *scene = p->scene;
  drawn_edge *list = geodisk_allocate(scene->edges, sizeof *list);
  if (list == NULL)
    return no_memory(context);
  for (size_t e = 0; e < scene->edges; e++) {
    const uint32_t child = scene->edge_child[e], parent = scene->edge_parent[e];
    list[e] = (drawn_edge){e, (unsigned)rank_of(scene, child), scene->branch[child], p->stressed[child] && p->stressed[parent]};
  }
  if (scene->edges > 0)
    qsort(list, scene->edges, sizeof *list, thin_first);
  const double fade = fmin(1, fmax(0.3, pow(2000.0 / (double)(scene->edges + 1), 0.25)));
  c->class->group(c, "edges");
  for (size_t k = 0; k < scene->edges; k++) {
    const drawn_edge *d = &list[k], *before = k > 0 ? &list[k - 1] : NULL;
    const uint32_t child = scene->edge_child[d->edge], parent = scene->edge_parent[d->edge];
    if (before == NULL || before->thickness != d->thickness || before->colour != d->colour || before->stressed != d->stressed) {
      const double alpha = fmin(0.85, 0.42 + 0.06 * d->thickness) * fade * (d->stressed ? 1 : 0.3);
      const double width = (0.65 + 0.26 * d->thickness) * p->unit * sqrt(crowd(p));
      c->class->pen(c, (canvas_paint){geodisk_branch_colour(d->colour, p->options->dark), alpha}, width);
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
    return no_memory(context);
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

/* ---- labels
 * -------------------------------------------------------------------------------------------------------------------- */

/* High nodes (many descendants) and central ones first; highlighted ones before all. */
static double label_weight(const picture *p, uint32_t i) {
  const double *x = p->x + 2 * (size_t)i, inside = fmax(0, 1 - x[0] * x[0] - x[1] * x[1]);
  return (p->highlighted[i] ? 1000 : 0) + (1 + rank_of(p->scene, i)) * (0.35 + sqrt(inside)) * (p->stressed[i] ? 1 : 0.1);
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
  for (size_t k = 0; k < count; k++) {
    const uint32_t i = all[k].node;
    const double *dot = p->dots + 3 * (size_t)i;
    const double size = fmin(17, 9.2 + 0.72 * rank_of(scene, i)) * (0.72 + 0.28 * shrink(p, i));
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

static geodisk_status draw_labels(geodisk_context *context, const picture *p, canvas *c, geodisk_picture_info *info) {
  const size_t most = wanted_labels(p);
  const double caption = text_width(p->caption, false) * fmax(9.5 * p->unit, 7) + 24 * p->unit;
  const label_box taken[2] = {p->legend_box, {0, p->height - 28 * p->unit, *p->caption != 0 ? caption : 0, p->height}};
  const label_paper paper = {p->width, p->height, taken, 2, p->scene->nodes, p->dots};
  label_wish *wishes = NULL;
  placed_label *placed = NULL;
  size_t n_wishes = 0, n = 0;
  geodisk_status st = make_wishes(context, p, most, &wishes, &n_wishes);
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
  free_wishes(wishes, n_wishes);
  free(placed);
  return st;
}

static void draw_legend(const picture *p, canvas *c) {
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

static geodisk_status draw(geodisk_context *context, const picture *p, canvas *c, geodisk_picture_info *info) {
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
  if ((st = draw_nodes(context, p, c)) != GEODISK_OK || (st = draw_labels(context, p, c, info)) != GEODISK_OK)
    return st;
  draw_legend(p, c);
  return GEODISK_OK;
}

/* ---- the file
 * -------------------------------------------------------------------------------------------------------------------- */

static geodisk_status check(geodisk_context *context, const geodisk_scene *scene, const char *path,
                            const geodisk_picture_options *o, geodisk_picture_format *format) {
  static const struct {
    const char *end;
    geodisk_picture_format format;
  } ends[] = {{".png", GEODISK_PICTURE_PNG}, {".svg", GEODISK_PICTURE_SVG}, {".pdf", GEODISK_PICTURE_PDF}};
  if (scene == NULL || path == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "picture: an argument is NULL");
  if (o->size != 0 && (o->size < SMALLEST || o->size > LARGEST))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "picture: a size of %d; %d to %d are possible", o->size, SMALLEST,
                        LARGEST);
  *format = o->format;
  const size_t length = strlen(path);
  for (size_t i = 0; o->format == GEODISK_PICTURE_AUTO && i < sizeof ends / sizeof ends[0]; i++)
    if (length > 4 && strcmp(path + length - 4, ends[i].end) == 0)
      *format = ends[i].format;
  if (*format < GEODISK_PICTURE_PNG || *format > GEODISK_PICTURE_PDF)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: does not end in .png, .svg or .pdf, and no format is given", path);
  return GEODISK_OK;
}

static geodisk_status lay_out(geodisk_context *context, picture *p) {
  const size_t nodes = p->scene->nodes;
  p->x = geodisk_allocate(nodes, 2 * sizeof *p->x);
  p->dots = geodisk_allocate(nodes, 3 * sizeof *p->dots);
  p->highlighted = geodisk_allocate_zero(nodes, sizeof *p->highlighted);
  p->stressed = geodisk_allocate_zero(nodes, sizeof *p->stressed);
  if (p->x == NULL || p->dots == NULL || p->highlighted == NULL || p->stressed == NULL)
    return no_memory(context);
  geodisk_status st = view_make(context, p->scene, p->options, p->x);
  if (st != GEODISK_OK || (st = find_highlighted(context, p)) != GEODISK_OK || (st = make_legend(context, p)) != GEODISK_OK)
    return st;
  p->frame = (disk_frame){p->height / 2, p->height / 2, p->height / 2 - 24 * p->unit};
  place_legend(p);
  make_caption(p);
  place_dots(p);
  return GEODISK_OK;
}

static geodisk_status write_bytes(geodisk_context *context, const char *path, const byte_sink *bytes) {
  geodisk_file *file = NULL;
  geodisk_status st = geodisk_file_create(context, path, &file);
  if (st != GEODISK_OK)
    return st;
  if ((st = geodisk_file_write(file, bytes->bytes, bytes->length)) != GEODISK_OK) {
    geodisk_file_abandon(file);
    return st;
  }
  return geodisk_file_commit(file);
}

geodisk_status geodisk_picture_write(geodisk_context *context, const geodisk_scene *scene, const char *path,
                                     const geodisk_picture_options *options, geodisk_picture_info *info) {
  static const geodisk_picture_options defaults = {0};
  picture p = {.scene = scene, .options = options != NULL ? options : &defaults};
  geodisk_picture_format format = GEODISK_PICTURE_AUTO;
  geodisk_picture_info found = {0};
  canvas *c = NULL;
  byte_sink bytes = {0};
  geodisk_status st = check(context, scene, path, p.options, &format);
  if (st != GEODISK_OK)
    return st;
  p.theme = p.options->dark ? &dark_theme : &light_theme;
  p.height = p.options->size > 0 ? p.options->size : SIZE;
  p.unit = p.height / 1000;
  st = lay_out(context, &p);
  if (st == GEODISK_OK)
    st = format == GEODISK_PICTURE_SVG ? svg_canvas_create(context, p.width, p.height, &c)
                                       : cairo_canvas_create(context, format, p.width, p.height, &c);
  if (st == GEODISK_OK)
    st = draw(context, &p, c, &found);
  if (st == GEODISK_OK)
    st = c->class->finish(c, context, &bytes);
  if (st == GEODISK_OK)
    st = write_bytes(context, path, &bytes);
  if (st == GEODISK_OK && info != NULL) {
    found.width = (int)p.width;
    found.height = (int)p.height;
    *info = found;
  }
  if (c != NULL)
    c->class->destroy(c);
  free(bytes.bytes);
  free(p.x);
  free(p.dots);
  free(p.highlighted);
  free(p.stressed);
  for (size_t i = 0; i < p.legend_lines; i++)
    free(p.legend[i].text);
  return st;
}

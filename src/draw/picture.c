/* picture.c - a scene laid out on paper, and the file. All lengths go with the height of the picture, so that a picture of twice
 * the size is the same picture. */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy.h"

enum { SIZE = 1000, SMALLEST = 200, LARGEST = 20000 };

static const theme light_theme = {0xffffff, 0xfcfcfa, 0x555b61, 0x8f969d, 0x1a1c1e, 0x6b7177, 0xffffff, 0x000000};
static const theme dark_theme = {0x0f1216, 0x15191f, 0x8b939c, 0x5d666f, 0xf1f3f5, 0x9aa3ac, 0x0f1216, 0xffffff};

static geodisk_status no_memory(geodisk_context *context) {
  return geodisk_fail(context, GEODISK_ERROR_MEMORY, "not enough memory for the picture");
}

/* ---- layout ------------------------------------------------------------------------------------------------------ */

static void place_dots(picture *p) {
  for (uint32_t i = 0; i < p->scene->nodes; i++) {
    const double *x = p->x + 2 * (size_t)i;
    double r = (2.1 + 0.95 * picture_rank(p, i)) * picture_shrink(p, i) * picture_crowd(p);
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

/* ---- the file ---------------------------------------------------------------------------------------------------- */

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
  p->least = UINT32_MAX;
  for (size_t i = 0; i < nodes; i++)
    p->least = p->scene->descendants[i] < p->least ? p->scene->descendants[i] : p->least;
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
    st = picture_draw_disk(context, &p, c);
  if (st == GEODISK_OK)
    st = picture_draw_labels(context, &p, c, &found);
  if (st == GEODISK_OK)
    picture_draw_legend(&p, c);
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

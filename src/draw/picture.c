/* picture.c - a scene laid out on paper, and the file. All lengths go with the height of the picture, so that a picture of twice
 * the size is the same picture. */
#include "picture.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy.h"

enum { SIZE = 1000, SMALLEST = 200, LARGEST = 20000 };
enum { SMALL = 100 };         /* nodes of a small graph */
#define LARGER_LETTERS  160.0 /* fewer nodes than this have larger type */
#define LARGEST_LETTERS 1.6   /* times as large */

static const theme light_theme = {0xffffff, 0xfcfcfa, 0x555b61, 0x8f969d, 0x1a1c1e, 0x6b7177, 0xffffff, 0x000000};
static const theme dark_theme = {0x0f1216, 0x15191f, 0x8b939c, 0x5d666f, 0xf1f3f5, 0x9aa3ac, 0x0f1216, 0xffffff};

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

/* How far disk and names reach to the right above the line y. */
static double reach_above(const picture *p, double y) {
  const double down = p->frame.y - y;
  double reach = p->frame.x + (down > 0 ? sqrt(fmax(0, p->frame.radius * p->frame.radius - down * down)) : p->frame.radius);
  for (size_t i = 0; i < p->rim_names; i++)
    if (p->rim[i].box.top < y)
      reach = fmax(reach, p->rim[i].box.right);
  return reach;
}

/* The legend stands at the upper right; the paper is as much wider as it needs not to touch the disk and its names. */
static void place_legend(picture *p, double width) {
  const double s = p->legend_size, line = 1.55 * s, margin = 16 * p->unit;
  double wide = 0;
  for (size_t i = 0; i < p->legend_lines; i++)
    wide = fmax(wide, text_width(p->legend[i].text, false) * s);
  wide += 1.5 * s;
  const double high = line * (double)p->legend_lines;
  if (p->legend_lines > 0)
    width = fmax(width, reach_above(p, margin + high + s) + margin + wide + margin);
  p->width = ceil(width);
  p->legend_box = (label_box){p->width - margin - wide, margin, p->width - margin, margin + high};
}

static geodisk_status make_legend(geodisk_context *context, picture *p) {
  const geodisk_scene *scene = p->scene;
  bool others = false;
  for (size_t i = 0; i < scene->nodes; i++)
    others = others || scene->branch[i] == GEODISK_BRANCH_OTHER;
  p->legend_size = fmax(12.5 * fmin(p->letters, 1.25) * p->unit, 8);
  if (p->options->no_legend || scene->branches == 0 || scene->network)
    return GEODISK_OK;
  for (unsigned b = 0; b < scene->branches + (others ? 1 : 0); b++) {
    const bool named = b < scene->branches;
    legend_line *line = &p->legend[b];
    line->rgb = geodisk_branch_colour(named ? b : GEODISK_BRANCH_OTHER, p->options->dark);
    line->text = label_shorten(named ? geodisk_scene_label(scene, scene->branch_node[b]) : "other", label_limit(p->scene));
    if (line->text == NULL)
      return geodisk_no_memory(context, "for the picture");
    p->legend_lines++;
  }
  return GEODISK_OK;
}

/* Adds a part to the caption, a semicolon between. */
static void GEODISK_PRINTF(2, 3) add_caption(picture *p, const char *format, ...) {
  const size_t used = strlen(p->caption);
  va_list arguments;
  if (used + 3 >= sizeof p->caption)
    return;
  if (used > 0)
    memcpy(p->caption + used, "; ", 3);
  va_start(arguments, format);
  vsnprintf(p->caption + strlen(p->caption), sizeof p->caption - strlen(p->caption), format, arguments);
  va_end(arguments);
}

/* A number with two digits that count, whatever the locale. */
static void two_digits(double value, char out[GEODISK_NUMBER_BYTES]) {
  const int places = 1 - (int)floor(log10(value));
  const double power = pow(10, abs(places)); /* exact, so that no digits follow */
  geodisk_format_double(places >= 0 ? round(value * power) / power : round(value / power) * power, out);
}

static geodisk_status make_caption(geodisk_context *context, picture *p) {
  const geodisk_scene *scene = p->scene;
  char number[GEODISK_NUMBER_BYTES] = "";
  if (scene->projection.projected) {
    const long long tenths = llround(1000 * scene->projection.distortion_mean);
    add_caption(p, "%d dimensions projected, mean distortion %lld.%lld %%", geodisk_model_dim(scene->model), tenths / 10,
                tenths % 10);
  }
  if (scene->scale != 1) {
    two_digits(scene->scale, number);
    add_caption(p, "distances from the %s drawn \xc3\x97 %s", scene->network ? "middle" : "origin", number);
  }
  if (scene->network && scene->branches > 1)
    add_caption(p, "colours are communities");
  if (*scene->prefix != 0) {
    char *text = label_shorten(scene->prefix, (size_t)2 * LONGEST_LABEL);
    if (text == NULL)
      return geodisk_no_memory(context, "for the picture");
    add_caption(p, "\xe2\x80\xa6 stands for %s", text);
    free(text);
  }
  return GEODISK_OK;
}

/* In a network a highlighted node is stressed with its neighbours. */
static void stress_neighbours(picture *p) {
  const geodisk_scene *scene = p->scene;
  for (size_t i = 0; i < scene->nodes; i++)
    p->stressed[i] = !p->any_highlighted || p->highlighted[i];
  for (size_t e = 0; e < scene->edges; e++) {
    const uint32_t u = scene->edge_child[e], v = scene->edge_parent[e];
    p->stressed[u] = p->stressed[u] || p->highlighted[v];
    p->stressed[v] = p->stressed[v] || p->highlighted[u];
  }
}

/* What is above highlighted nodes in the forest, and what is below. */
static void stress_lines(picture *p) {
  const geodisk_scene *scene = p->scene;
  for (size_t k = 0; k < scene->nodes; k++) { /* downwards: parents come first */
    const uint32_t i = scene->order[k], up = scene->parent[i];
    p->stressed[i] = !p->any_highlighted || p->highlighted[i] || (up != GEODISK_NODE_NONE && p->stressed[up]);
  }
  for (size_t k = 0; k < scene->nodes; k++)
    if (p->highlighted[k])
      for (uint32_t up = scene->parent[k]; up != GEODISK_NODE_NONE; up = scene->parent[up])
        p->stressed[up] = true;
}

static geodisk_status find_highlighted(geodisk_context *context, picture *p) {
  for (size_t k = 0; k < p->options->highlights; k++) {
    uint32_t i;
    if (!geodisk_scene_find(p->scene, p->options->highlight[k], &i))
      return draw_missing_node(context, p->scene, p->options->highlight[k]);
    p->highlighted[i] = p->any_highlighted = true;
  }
  if (p->scene->network)
    stress_neighbours(p);
  else
    stress_lines(p);
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

/* The disk with the names around it, and the width of the paper. */
static geodisk_status place_disk(geodisk_context *context, picture *p) {
  const double margin = 12 * p->unit, half = p->height / 2;
  double left = 0, right = 0;
  p->frame = (disk_frame){0, half, half - (p->small ? 38 : 24) * p->unit};
  if (p->small && !p->options->no_labels && (p->options->labels == 0 || p->options->labels >= p->scene->nodes)) {
    const geodisk_status st = rim_names_make(context, p, &left, &right);
    if (st != GEODISK_OK)
      return st;
  }
  p->frame.x = fmax(half, left + margin);
  for (size_t i = 0; i < p->rim_names; i++) {
    p->rim[i].x += p->frame.x;
    p->rim[i].box.left += p->frame.x;
    p->rim[i].box.right += p->frame.x;
  }
  place_legend(p, p->frame.x + fmax(half, right + margin));
  return GEODISK_OK;
}

static geodisk_status lay_out(geodisk_context *context, picture *p) {
  const size_t nodes = p->scene->nodes;
  p->x = geodisk_allocate(nodes, 2 * sizeof *p->x);
  p->dots = geodisk_allocate(nodes, 3 * sizeof *p->dots);
  p->highlighted = geodisk_allocate_zero(nodes, sizeof *p->highlighted);
  p->stressed = geodisk_allocate_zero(nodes, sizeof *p->stressed);
  p->at_rim = geodisk_allocate_zero(nodes, sizeof *p->at_rim);
  if (p->x == NULL || p->dots == NULL || p->highlighted == NULL || p->stressed == NULL || p->at_rim == NULL)
    return geodisk_no_memory(context, "for the picture");
  const uint32_t *sizes = p->scene->network ? p->scene->degree : p->scene->descendants;
  p->least = UINT32_MAX;
  for (size_t i = 0; i < nodes; i++)
    p->least = sizes[i] < p->least ? sizes[i] : p->least;
  p->small = nodes <= SMALL;
  p->letters = fmin(LARGEST_LETTERS, fmax(1, 1 + (LARGEST_LETTERS - 1) * (LARGER_LETTERS - (double)nodes) / LARGER_LETTERS));
  geodisk_status st = view_make(context, p->scene, p->options, p->x);
  if (st == GEODISK_OK)
    st = find_highlighted(context, p);
  if (st == GEODISK_OK)
    st = make_legend(context, p);
  if (st == GEODISK_OK)
    st = make_caption(context, p);
  if (st == GEODISK_OK)
    st = place_disk(context, p);
  if (st == GEODISK_OK)
    place_dots(p);
  return st;
}

static geodisk_status write_bytes(geodisk_context *context, const char *path, const byte_sink *bytes) {
  geodisk_file *file = NULL;
  geodisk_status st = geodisk_file_create(context, path, &file);
  return st != GEODISK_OK ? st : geodisk_file_finish(file, geodisk_file_write(file, bytes->bytes, bytes->length));
}

/* Which fonts to install: Debian's packages, which other systems call much the same. */
static void tell_missing(geodisk_context *context, const canvas_missing *missing, size_t labels) {
  static const char *const packages[] = {"fonts-noto-cjk", "fonts-noto-color-emoji", "fonts-noto-core"};
  char list[128] = "";
  for (unsigned i = 0; i < sizeof packages / sizeof packages[0]; i++)
    if (missing->scripts >> i & 1) {
      const size_t used = strlen(list);
      snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? " and " : "", packages[i]);
    }
  geodisk_log_event(context, GEODISK_LOG_WARNING,
                    "%zu names have letters that no font of this machine has, as U+%04X in '%s': install %s, or write SVG, which "
                    "the viewer's fonts show",
                    labels > 0 ? labels : missing->texts, (unsigned)missing->code, missing->example, list);
}

geodisk_status geodisk_picture_write(geodisk_context *context, const geodisk_scene *scene, const char *path,
                                     const geodisk_picture_options *options, geodisk_picture_info *info) {
  picture p = {.scene = scene, .options = options != NULL ? options : &(const geodisk_picture_options){0}};
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
  if (st == GEODISK_OK) {
    found.unwritable = c->missing.texts;
    picture_draw_legend(&p, c);
  }
  if (st == GEODISK_OK)
    st = c->class->finish(c, context, &bytes);
  if (st == GEODISK_OK)
    st = write_bytes(context, path, &bytes);
  if (st == GEODISK_OK && c->missing.code != 0)
    tell_missing(context, &c->missing, found.unwritable);
  if (st == GEODISK_OK && info != NULL) {
    found.width = (int)p.width;
    found.height = (int)p.height;
    *info = found;
  }
  if (c != NULL)
    c->class->destroy(c);
  geodisk_free_all(bytes.bytes, p.x, p.dots, p.highlighted, p.stressed, p.at_rim);
  for (size_t i = 0; i < p.rim_names; i++)
    free(p.rim[i].text);
  free(p.rim);
  for (size_t i = 0; i < p.legend_lines; i++)
    free(p.legend[i].text);
  return st;
}

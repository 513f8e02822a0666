/* page.c - a scene as one HTML file: the viewer's page (web/, embedded by the build) with the scene's data put in at its marks.
 * What the data look like, web/src/data.ts reads: "about" (JSON), "names" (JSON), and the arrays one after the other,
 * little-endian, in base64. */
#include "geodisk/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page_text.h"
#include "viewer.h"

enum {
  FIXED_BYTES = 6,        /* of a coordinate of the model's own vectors: steps of 2^-47, finer than any picture */
  VECTORS_MOST = 9000000, /* bytes of base64 that the vectors may take */
  PAGE_VERSION = 2,       /* of the data; web/src/data.ts knows it */
};

/* The node in the middle at the start: the root with most below it, the first of equals. */
static uint32_t main_root(const geodisk_scene *scene) {
  uint32_t best = GEODISK_NODE_NONE;
  if (!scene->has_graph || scene->network)
    return best;
  for (uint32_t i = 0; i < scene->nodes; i++)
    if (scene->parent[i] == GEODISK_NODE_NONE && (best == GEODISK_NODE_NONE || scene->descendants[i] > scene->descendants[best]))
      best = i;
  return best;
}

static bool carries_vectors(const geodisk_scene *scene, const geodisk_page_options *options) {
  const double text = (double)scene->nodes * geodisk_model_dim(scene->model) * FIXED_BYTES * 4 / 3;
  return scene->projection.projected && !options->no_vectors && text <= VECTORS_MOST;
}

/* What a coordinate of 1 stands for: the ball's radius; in flat space the largest coordinate. */
static geodisk_status vector_unit(geodisk_context *context, const geodisk_scene *scene, double *out) {
  const geodisk_model *model = scene->model;
  const size_t dim = (size_t)geodisk_model_dim(model);
  if (geodisk_model_space(model) == GEODISK_SPACE_HYPERBOLIC) {
    *out = geodisk_model_ball(model).radius;
    return GEODISK_OK;
  }
  double *x = geodisk_allocate(dim, sizeof *x), largest = 0;
  if (x == NULL)
    return geodisk_no_memory(context, "for the page");
  for (size_t i = 0; i < scene->nodes; i++) {
    geodisk_model_point(model, scene->node[i], x, NULL);
    for (size_t k = 0; k < dim; k++)
      largest = fmax(largest, fabs(x[k]));
  }
  free(x);
  *out = largest > 0 ? largest : 1;
  return GEODISK_OK;
}

/* ---- the data ------------------------------------------------------------------------------------------------------------- */

static void put_colours(page_text *out, unsigned branch) {
  char light[16], dark[16];
  snprintf(light, sizeof light, "#%06x", (unsigned)(geodisk_branch_colour(branch, false) & 0xffffff));
  snprintf(dark, sizeof dark, "#%06x", (unsigned)(geodisk_branch_colour(branch, true) & 0xffffff));
  page_format(out, "\"light\":\"%s\",\"dark\":\"%s\"", light, dark);
}

static void put_branches(page_text *out, const geodisk_scene *scene) {
  page_format(out, ",\"branches\":[");
  for (unsigned b = 0; b < scene->branches; b++) {
    page_format(out, "%s{\"node\":%u,\"nodes\":%u,", b > 0 ? "," : "", (size_t)scene->branch_node[b],
                (size_t)scene->branch_size[b]);
    put_colours(out, b);
    page_format(out, "}");
  }
  page_format(out, "],\"other\":{");
  put_colours(out, GEODISK_BRANCH_OTHER);
  page_format(out, "},\"trunk\":{");
  put_colours(out, GEODISK_BRANCH_TRUNK);
  page_format(out, "}");
}

/* The history as JSON inside a JSON string, some hundred epochs of it at even distances: as many as a chart can show. */
static void put_history(page_text *out, const geodisk_model *model) {
  enum { SHOWN = 512 };
  static const char *const keys[] = {"epoch", "lr", "loss", "radius"};
  const char *text = geodisk_model_get(model, "history"); /* of a model made by hand */
  geodisk_history h;
  if (!geodisk_model_history(model, &h)) {
    page_format(out, text == NULL ? "null" : "%j", text);
    return;
  }
  const double last = h.values[(h.rows - 1) * h.columns];
  double next = 0;
  page_format(out, "\"[");
  for (size_t i = 0; i < h.rows; i++) {
    const double *row = h.values + i * h.columns;
    if (row[0] < next && i + 1 < h.rows)
      continue;
    page_format(out, next > 0 ? ",{" : "{");
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
      const size_t column = geodisk_history_column(&h, keys[k]);
      page_format(out, "%s\\\"%s\\\":%n", k > 0 ? "," : "", keys[k], column < h.columns ? row[column] : (double)NAN);
    }
    page_format(out, "}");
    next = row[0] + 1 > row[0] + last / SHOWN ? row[0] + 1 : row[0] + last / SHOWN;
  }
  page_format(out, "]\"");
}

static void put_about(page_text *out, const geodisk_scene *scene, const char *title, uint32_t root, bool vectors, double unit) {
  const geodisk_model *model = scene->model;
  const bool flat = geodisk_model_space(model) == GEODISK_SPACE_EUCLIDEAN;
  const char *no = "false", *yes = "true";
  page_format(out, "{\"version\":%u,\"title\":%j,\"nodes\":%u,\"edges\":%u,\"dim\":%u,\"flat\":%s,\"curvature\":%n",
              (size_t)PAGE_VERSION, title, scene->nodes, scene->edges, (size_t)geodisk_model_dim(model), flat ? yes : no,
              geodisk_model_ball(model).curvature);
  page_format(out, ",\"graph\":%s,\"network\":%s,\"root\":", scene->has_graph ? yes : no, scene->network ? yes : no);
  page_format(out, root == GEODISK_NODE_NONE ? "-1" : "%u", (size_t)root);
  put_branches(out, scene);
  page_format(out, ",\"vectors\":%u,\"unit\":%n,\"distortion\":%n,\"history\":", (size_t)(vectors ? FIXED_BYTES : 0), unit,
              scene->projection.projected ? scene->projection.distortion_median : (double)NAN);
  put_history(out, model);
  page_format(out, "}");
}

/* Names, each as a string, or with what it is called where that is something else: ["dog.n.01","dog"]. */
static void put_names(page_text *out, const geodisk_scene *scene) {
  for (uint32_t i = 0; i < scene->nodes; i++) {
    const char *name = geodisk_scene_name(scene, i), *label = geodisk_scene_label(scene, i);
    const bool same = strcmp(name, label) == 0;
    page_format(out, "%s%s", i > 0 ? ",\n" : "[", same ? "" : "[");
    page_string(out, name, geodisk_model_name_length(scene->model, scene->node[i]));
    if (!same)
      page_format(out, ",%j]", label);
  }
  page_format(out, "]");
}

static void put_integer(page_text *out, uint64_t value, unsigned size) {
  unsigned char bytes[8];
  for (unsigned i = 0; i < size; i++)
    bytes[i] = (unsigned char)(value >> (8 * i));
  page_base64(out, bytes, size);
}

static void put_double(page_text *out, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_integer(out, bits, 8);
}

static void put_whole(page_text *out, size_t n, const uint32_t *values) {
  for (size_t i = 0; i < n; i++)
    put_integer(out, values[i], 4);
}

/* A coordinate of [-1, 1] in steps of 2^-47, two's complement. */
static void put_fixed(page_text *out, double value) {
  const double steps = ldexp(1.0, 8 * FIXED_BYTES - 1), rounded = nearbyint(value * steps);
  put_integer(out, (uint64_t)(int64_t)fmax(-steps, fmin(rounded, steps - 1)), FIXED_BYTES);
}

static geodisk_status put_arrays(geodisk_context *context, page_text *out, const geodisk_scene *scene, bool vectors,
                                 double unit) {
  const geodisk_model *model = scene->model;
  const size_t n = scene->nodes, dim = (size_t)geodisk_model_dim(model);
  double *x = geodisk_allocate(dim, sizeof *x);
  if (x == NULL)
    return geodisk_no_memory(context, "for the page");
  for (size_t axis = 0; axis < 2; axis++)
    for (size_t i = 0; i < n; i++)
      put_double(out, scene->x[2 * i + axis]);
  for (size_t i = 0; i < n; i++)
    put_double(out, scene->gap[i]);
  for (size_t i = 0; vectors && i < n; i++) {
    double gap;
    geodisk_model_point(model, scene->node[i], x, &gap);
    put_double(out, isnan(gap) ? 1 : gap / unit / unit);
  }
  for (size_t i = 0; scene->network && i < n; i++) /* nothing is above anything */
    put_integer(out, GEODISK_NODE_NONE, 4);
  put_whole(out, scene->network ? 0 : n, scene->parent);
  put_whole(out, n, scene->network ? scene->degree : scene->descendants);
  put_whole(out, scene->edges, scene->edge_child);
  put_whole(out, scene->edges, scene->edge_parent);
  page_base64(out, scene->branch, n);
  for (size_t i = 0; vectors && i < n; i++) {
    geodisk_model_point(model, scene->node[i], x, NULL);
    for (size_t k = 0; k < dim; k++)
      put_fixed(out, x[k] / unit);
  }
  page_base64_end(out);
  free(x);
  return GEODISK_OK;
}

/* ---- the page ------------------------------------------------------------------------------------------------------------- */

/* Copies the viewer's page from *at up to `mark` (NULL: its end), and goes on after it. */
static void put_viewer(page_text *out, size_t *at, const char *mark) {
  const size_t length = mark != NULL ? strlen(mark) : 0, start = *at;
  size_t end = draw_viewer_size - length;
  if (mark != NULL)
    for (end = start; end + length < draw_viewer_size && memcmp(draw_viewer + end, mark, length) != 0;)
      end++;
  page_put(out, draw_viewer + start, end - start);
  *at = end + length;
}

geodisk_status geodisk_scene_write_page(geodisk_context *context, const geodisk_scene *scene, const char *path,
                                        const geodisk_page_options *options, geodisk_page_info *info) {
  if (scene == NULL || path == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "page: an argument is NULL");
  if (scene->scale != 1)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "page: the scene has scale %g, not 1", scene->scale);
  options = options != NULL ? options : &(const geodisk_page_options){0};
  const char *title = options->title != NULL ? options->title : "geodisk";
  if (geodisk_utf8_prefix(title, strlen(title)) != strlen(title))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "page: the title is not UTF-8");
  const uint32_t root = main_root(scene);
  const bool vectors = carries_vectors(scene, options);
  double unit = 1;
  geodisk_status status;
  if (vectors && (status = vector_unit(context, scene, &unit)) != GEODISK_OK)
    return status;
  page_text *out = geodisk_allocate_zero(1, sizeof *out);
  if (out == NULL)
    return geodisk_no_memory(context, "for the page");
  if ((status = geodisk_file_create(context, path, &out->file)) != GEODISK_OK) {
    free(out);
    return status;
  }
  size_t at = 0;
  put_viewer(out, &at, "/*ABOUT*/");
  put_about(out, scene, title, root, vectors, unit);
  put_viewer(out, &at, "/*NAMES*/");
  put_names(out, scene);
  put_viewer(out, &at, "/*ARRAYS*/");
  status = put_arrays(context, out, scene, vectors, unit);
  put_viewer(out, &at, NULL);
  page_flush(out);
  if (status == GEODISK_OK)
    status = out->status;
  status = geodisk_file_finish(out->file, status);
  if (status == GEODISK_OK && info != NULL)
    *info = (geodisk_page_info){.bytes = out->bytes, .vectors = vectors, .root = root};
  free(out);
  return status;
}

/* export.c - a model's names and vectors for other programs. Rows are made in blocks side by side and written in order; what each
 * block loses is counted on the way. */
#include "base/grow.h"
#include "byte_order.h"
#include "export_graph.h"
#include "export_names.h"
#include "slices.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A point has moved when the reader sees it farther away than this, in the ball of curvature -1. */
#define MOVED 0.01

enum { BLOCK_ROWS = 256, BLOCKS = 32 };

/* What a block of rows has become. */
typedef struct block {
  byte_sink out;
  uint64_t moved, pulled;
  double worst, worst_radius;
  size_t worst_node;
  size_t too_large; /* the first node with a number that is too large for float, or SIZE_MAX */
} block;

typedef struct exporter {
  geodisk_context *context;
  const geodisk_model *model;
  geodisk_format format;
  bool lorentz, single; /* hyperboloid; numbers as float */
  size_t dim, columns;
  uint64_t nodes; /* of the whole file */
  export_names renamed;
  model_export_fn put; /* takes the bytes of the file, one after the other */
  void *user;
  size_t first; /* node of the first block under way */
  block blocks[BLOCKS];
} exporter;

/* ---- points as the file holds them ----------------------------------------------------------------------------------- */

static double rounded(const exporter *e, double x) { return e->single ? (double)(float)x : x; }

/* Rounds a point of the ball, keeps it inside, and notes how far that has moved it. */
static void round_point(const exporter *e, block *b, size_t node, const double *x, double gap, double *out) {
  const geodisk_ball *ball = &e->model->ball;
  for (size_t k = 0; k < e->dim; k++)
    out[k] = rounded(e, x[k]);
  if (e->model->space == GEODISK_SPACE_EUCLIDEAN)
    return;
  double seen = geodisk_gap(ball, out);
  b->pulled += !(seen > 0);
  for (double margin = e->single ? 0x1p-23 : 0x1p-52; !(seen > 0) && margin < 1; margin *= 2) {
    geodisk_project(ball, out, margin, out);
    for (size_t k = 0; k < e->dim; k++)
      out[k] = rounded(e, out[k]);
    seen = geodisk_gap(ball, out);
  }
  const double moved = geodisk_distance_gap(ball, x, gap, out, seen);
  b->moved += moved * sqrt(ball->curvature) > MOVED;
  if (moved > b->worst) {
    b->worst = moved;
    b->worst_node = node;
    b->worst_radius = geodisk_radius_from_gap(ball, gap);
  }
}

/* (x, gap) on the hyperboloid: s = 2R x / (S sqrt(k)), t = (R^2 + |x|^2) / (S sqrt(k)) with |x|^2 = R^2 - S. */
static void hyperboloid_point(const exporter *e, const double *x, double gap, double *out) {
  const geodisk_ball *ball = &e->model->ball;
  const double root = sqrt(ball->curvature), square = ball->radius * ball->radius;
  out[0] = (2 * square - gap) / (gap * root);
  for (size_t k = 0; k < e->dim; k++)
    out[k + 1] = 2 * ball->radius * x[k] / (gap * root);
}

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

/* A name with quotes around it if the table's reader would else take it for something else. */
static void put_field(block *b, const char *name, size_t length, char separator) {
  const bool plain = length > 0 && name[0] != '"' && name[0] != '\xef' && memchr(name, separator, length) == NULL &&
                     memchr(name, '\n', length) == NULL && memchr(name, '\r', length) == NULL;
  if (plain) {
    sink_add(&b->out, name, length);
    return;
  }
  char *to = sink_room(&b->out, 2 * length + 2);
  const char *start = to;
  if (to == NULL)
    return;
  *to++ = '"';
  for (size_t i = 0; i < length; i++) {
    if (name[i] == '"')
      *to++ = '"';
    *to++ = name[i];
  }
  *to++ = '"';
  b->out.length += (size_t)(to - start);
}

static void put_text_row(const exporter *e, block *b, const char *name, size_t length, const double *row) {
  const bool bare = e->format == GEODISK_FORMAT_TENSORBOARD; /* names stand elsewhere */
  const char separator = bare || e->format == GEODISK_FORMAT_TSV ? '\t' : e->format == GEODISK_FORMAT_CSV ? ',' : ' ';
  if (e->format == GEODISK_FORMAT_WORD2VEC)
    sink_add(&b->out, name, length);
  else if (!bare)
    put_field(b, name, length, separator);
  char *to = sink_room(&b->out, e->columns * (GEODISK_NUMBER_BYTES + 1) + 1);
  if (to == NULL)
    return;
  const char *start = to;
  for (size_t k = 0; k < e->columns; k++) {
    if (k > 0 || !bare)
      *to++ = separator;
    to += geodisk_format_double(rounded(e, row[k]), to);
  }
  *to++ = '\n';
  b->out.length += (size_t)(to - start);
}

static void put_binary_row(const exporter *e, block *b, const char *name, size_t length, const double *row) {
  const size_t size = e->single ? sizeof(float) : sizeof(double);
  const bool named = e->format == GEODISK_FORMAT_WORD2VEC_BINARY;
  char *to = sink_room(&b->out, (named ? length + 1 : 0) + e->columns * size);
  if (to == NULL)
    return;
  if (named) {
    memcpy(to, name, length);
    to[length] = ' ';
    to += length + 1;
    b->out.length += length + 1;
  }
  for (size_t k = 0; k < e->columns; k++) {
    const float narrow = (float)row[k];
    order_copy(to + k * size, e->single ? (const void *)&narrow : (const void *)&row[k], 1, size);
  }
  b->out.length += e->columns * size;
}

static void make_row(const exporter *e, block *b, size_t node, double *x, double *row) {
  const char *name = export_name(&e->renamed, e->model, node);
  double gap;
  geodisk_model_point(e->model, (uint32_t)node, x, &gap);
  if (e->lorentz)
    hyperboloid_point(e, x, gap, row);
  else
    round_point(e, b, node, x, gap, row);
  for (size_t k = 0; k < e->columns; k++)
    if (!isfinite(rounded(e, row[k])) && b->too_large == SIZE_MAX)
      b->too_large = node;
  if (e->format == GEODISK_FORMAT_NPY || e->format == GEODISK_FORMAT_WORD2VEC_BINARY)
    put_binary_row(e, b, name, strlen(name), row);
  else
    put_text_row(e, b, name, strlen(name), row);
}

static void make_block(void *arg, size_t index) {
  exporter *e = arg;
  block *b = &e->blocks[index];
  const size_t begin = e->first + index * BLOCK_ROWS, n = e->model->nodes;
  const size_t end = n - begin < BLOCK_ROWS ? n : begin + BLOCK_ROWS;
  double *numbers = geodisk_allocate(e->dim + e->columns, sizeof *numbers);
  b->out.length = 0;
  b->out.failed = numbers == NULL;
  for (size_t i = begin; i < end && !b->out.failed; i++)
    make_row(e, b, i, numbers, numbers + e->dim);
  free(numbers);
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

static geodisk_status put_in_file(void *user, const void *bytes, size_t size) { return geodisk_file_write(user, bytes, size); }

/* What stands before the rows. */
static geodisk_status write_head(const exporter *e) {
  char text[256];
  int n = 0;
  if (e->format == GEODISK_FORMAT_WORD2VEC || e->format == GEODISK_FORMAT_WORD2VEC_BINARY) {
    n = snprintf(text, sizeof text, "%" PRIu64 " %zu\n", e->nodes, e->columns);
  } else if (e->format == GEODISK_FORMAT_NPY) {
    /* Magic, version 1.0, length of the dict, which blanks fill up so that 128 bytes stand before the data. */
    enum { BEFORE = 10, ALL = 128 };
    memcpy(text, "\x93NUMPY\x01\x00\x76\x00", BEFORE); /* 0x76 = ALL - BEFORE */
    memset(text + BEFORE, ' ', ALL - BEFORE);
    const int used =
        snprintf(text + BEFORE, ALL - BEFORE, "{'descr': '<f%d', 'fortran_order': False, 'shape': (%" PRIu64 ", %zu), }",
                 e->single ? 4 : 8, e->nodes, e->columns);
    text[BEFORE + used] = ' ';
    text[ALL - 1] = '\n';
    n = ALL;
  } else if (e->format == GEODISK_FORMAT_CSV) {
    geodisk_status status = e->put(e->user, "name", 4);
    for (size_t k = 0; status == GEODISK_OK && k < e->columns; k++) {
      n = e->lorentz && k == 0 ? snprintf(text, sizeof text, ",t") : snprintf(text, sizeof text, ",x%zu", k + !e->lorentz);
      status = e->put(e->user, text, (size_t)n);
    }
    return status == GEODISK_OK ? e->put(e->user, "\n", 1) : status;
  }
  return e->put(e->user, text, (size_t)n);
}

/* Adds what a block has lost. */
static void count_losses(const block *b, geodisk_export_info *info) {
  info->moved += b->moved;
  info->pulled += b->pulled;
  if (b->worst > info->worst) {
    info->worst = b->worst;
    info->worst_node = (uint32_t)b->worst_node;
    info->worst_radius = b->worst_radius;
  }
}

static geodisk_status write_rows(exporter *e, const char *path, geodisk_export_info *info) {
  const size_t n = e->model->nodes;
  geodisk_status status = GEODISK_OK;
  for (e->first = 0; status == GEODISK_OK && e->first < n; e->first += (size_t)BLOCKS * BLOCK_ROWS) {
    const size_t left = (n - e->first + BLOCK_ROWS - 1) / BLOCK_ROWS, count = left < BLOCKS ? left : BLOCKS;
    for (size_t i = 0; i < count; i++) {
      e->blocks[i].moved = e->blocks[i].pulled = 0;
      e->blocks[i].worst = 0;
      e->blocks[i].too_large = SIZE_MAX;
    }
    geodisk_parallel(e->context, count, make_block, e);
    for (size_t i = 0; status == GEODISK_OK && i < count; i++) {
      const block *b = &e->blocks[i];
      if (b->out.failed)
        status = geodisk_no_memory(e->context, "to write %s", path);
      else if (b->too_large != SIZE_MAX)
        status = geodisk_fail(e->context, GEODISK_ERROR_NUMERIC, "%s: not written: node '%.64s' has a number too large for %s",
                              path, geodisk_model_name(e->model, (uint32_t)b->too_large), e->single ? "float32" : "float64");
      else
        status = e->put(e->user, b->out.bytes, b->out.length);
      count_losses(b, info);
    }
  }
  return status;
}

/* One a line. */
static geodisk_status put_names(const exporter *e) {
  geodisk_status status = GEODISK_OK;
  for (size_t i = 0; status == GEODISK_OK && i < e->model->nodes; i++) {
    const char *name = export_name(&e->renamed, e->model, i);
    status = e->put(e->user, name, strlen(name));
    if (status == GEODISK_OK)
      status = e->put(e->user, "\n", 1);
  }
  return status;
}

static geodisk_status write_names(exporter *e, const char *path) {
  geodisk_file *file = NULL;
  geodisk_status status = geodisk_file_create(e->context, path, &file);
  if (status != GEODISK_OK)
    return status;
  e->user = file;
  return geodisk_file_finish(file, put_names(e));
}

static bool ends_in(const char *path, const char *ending) {
  const size_t length = strlen(path), part = strlen(ending);
  return length > part && strcmp(path + length - part, ending) == 0;
}

static geodisk_format format_of_path(const char *path) {
  static const struct {
    const char *ending;
    geodisk_format format;
  } endings[] = {{".safetensors", GEODISK_FORMAT_MODEL},
                 {".tsv", GEODISK_FORMAT_TSV},
                 {".csv", GEODISK_FORMAT_CSV},
                 {".npy", GEODISK_FORMAT_NPY},
                 {".bin", GEODISK_FORMAT_WORD2VEC_BINARY},
                 {".txt", GEODISK_FORMAT_WORD2VEC},
                 {".w2v", GEODISK_FORMAT_WORD2VEC},
                 {".vec", GEODISK_FORMAT_WORD2VEC},
                 {".graphml", GEODISK_FORMAT_GRAPHML},
                 {".gexf", GEODISK_FORMAT_GEXF},
                 {".json", GEODISK_FORMAT_JSON}};
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
    if (ends_in(path, endings[i].ending))
      return endings[i].format;
  return GEODISK_FORMAT_AUTO;
}

static bool has_names_file(geodisk_format format) { return format == GEODISK_FORMAT_NPY || format == GEODISK_FORMAT_TENSORBOARD; }

/* "x.npy" -> "x.names", "x.tsv" -> "x.metadata.tsv"; else the path with the same after it. */
static char *names_beside(const char *path, geodisk_format format) {
  const bool npy = format == GEODISK_FORMAT_NPY;
  const size_t length = strlen(path) - (ends_in(path, npy ? ".npy" : ".tsv") ? 4 : 0), room = length + 16;
  char *beside = geodisk_allocate(room, 1);
  if (beside != NULL)
    snprintf(beside, room, "%.*s%s", (int)length, path, npy ? ".names" : ".metadata.tsv");
  return beside;
}

static geodisk_status write_files(exporter *e, const char *path, const char *names, geodisk_export_info *info) {
  char *beside = NULL;
  geodisk_status status = export_names_make(&e->renamed, e->model, e->format, &info->renamed);
  if (status != GEODISK_OK)
    return geodisk_no_memory(e->context, "to write %s", path);
  if (has_names_file(e->format)) {
    if (names == NULL && (names = beside = names_beside(path, e->format)) == NULL)
      return geodisk_no_memory(e->context, "to write %s", path);
    status = write_names(e, names);
  }
  geodisk_file *file = NULL;
  if (status == GEODISK_OK)
    status = geodisk_file_create(e->context, path, &file);
  if (status == GEODISK_OK) {
    e->user = file;
    status = write_head(e);
    if (status == GEODISK_OK)
      status = write_rows(e, path, info);
    status = geodisk_file_finish(file, status);
  }
  free(beside);
  return status;
}

static void tell_losses(const exporter *e, const char *path, const geodisk_export_info *info, const char *worst) {
  const geodisk_ball *ball = &e->model->ball;
  if (info->renamed > 0)
    geodisk_log_event(e->context, GEODISK_LOG_WARNING,
                      "%s: %" PRIu64 " names changed, because the format does not allow blanks or line ends in them", path,
                      info->renamed);
  if (info->moved > 0)
    geodisk_log_event(
        e->context, GEODISK_LOG_WARNING,
        "%s: %" PRIu64
        " points near the rim are not where they were (%s, without gaps): '%.64s' at radius %.4g by a distance of %.3g%s",
        path, info->moved, e->single ? "float32" : "float64", worst, info->worst_radius, info->worst,
        info->pulled > 0 ? "; some had to be pulled inside" : "");
  if (info->left_out > 0)
    geodisk_log_event(e->context, GEODISK_LOG_WARNING,
                      "%s: the format holds names and vectors only: %" PRIu64 " texts, counts or tensors are left out", path,
                      info->left_out);
  if (e->model->space == GEODISK_SPACE_HYPERBOLIC && (ball->radius != 1 || ball->curvature != 1))
    geodisk_log_event(e->context, GEODISK_LOG_WARNING, "%s: the format does not hold the ball: radius %.17g, curvature %.17g",
                      path, ball->radius, ball->curvature);
}

static geodisk_status check_options(geodisk_context *context, const geodisk_model *model, const char *path,
                                    const geodisk_export_options *o, geodisk_format format) {
  if (format == GEODISK_FORMAT_AUTO)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: its end does not tell the format; name it", path);
  if ((unsigned)format > GEODISK_FORMAT_JSON || (unsigned)o->width > GEODISK_WIDTH_FLOAT)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "export: no such format (%d) or width (%d)", (int)format, (int)o->width);
  if (o->lorentz && (model->space == GEODISK_SPACE_EUCLIDEAN || format == GEODISK_FORMAT_MODEL))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: %s", path,
                        format == GEODISK_FORMAT_MODEL ? "a model file holds points of the ball, not of the hyperboloid"
                                                       : "the vectors are Euclidean: they have no place on the hyperboloid");
  if (has_names_file(format) && strcmp(path, "-") == 0 && o->names == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s on standard output: say where the names go",
                        format == GEODISK_FORMAT_NPY ? "npy" : "TensorBoard's table");
  if (is_graph_format(format) && o->lorentz)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: a graph holds points of the ball, not of the hyperboloid", path);
  if (!is_graph_format(format) && o->graph != NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: only GraphML, GEXF and JSON hold the edges of a graph", path);
  return GEODISK_OK;
}

static geodisk_status write_model(geodisk_context *context, const geodisk_model *model, geodisk_width width, const char *path) {
  const bool as_it_is =
      width == GEODISK_WIDTH_AUTO || (width == GEODISK_WIDTH_FLOAT) == (model->precision == GEODISK_PRECISION_FLOAT);
  if (as_it_is)
    return geodisk_model_write(context, model, path);
  geodisk_model *copy = NULL;
  geodisk_status status = geodisk_model_copy(context, model, width, true, &copy);
  if (status == GEODISK_OK)
    status = geodisk_model_write(context, copy, path);
  geodisk_model_destroy(copy);
  return status;
}

static exporter *new_exporter(geodisk_context *context, const geodisk_model *model, const geodisk_export_options *o,
                              geodisk_format format) {
  exporter *e = geodisk_allocate_zero(1, sizeof *e);
  if (e == NULL)
    return NULL;
  e->context = context;
  e->model = model;
  e->nodes = model->nodes;
  e->format = format;
  e->lorentz = o->lorentz;
  e->single = o->width == GEODISK_WIDTH_FLOAT || format == GEODISK_FORMAT_WORD2VEC_BINARY ||
              (o->width == GEODISK_WIDTH_AUTO && model->precision == GEODISK_PRECISION_FLOAT);
  e->dim = (size_t)model->ball.dim;
  e->columns = e->dim + o->lorentz;
  return e;
}

static void free_exporter(exporter *e) {
  for (size_t i = 0; i < BLOCKS; i++)
    free(e->blocks[i].out.bytes);
  export_names_free(&e->renamed, e->model);
  free(e);
}

static uint64_t count_left_out(const geodisk_model *model) {
  return model->n_texts + model->n_extras + model->n_unread + (model->counts.view.data != NULL);
}

geodisk_status geodisk_model_export(geodisk_context *context, const geodisk_model *model, const char *path,
                                    const geodisk_export_options *options, geodisk_export_info *info) {
  if (model == NULL || path == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "export: %s is NULL", model == NULL ? "model" : "path");
  const geodisk_export_options o = options != NULL ? *options : (geodisk_export_options){.format = GEODISK_FORMAT_AUTO};
  const geodisk_format format = o.format != GEODISK_FORMAT_AUTO ? o.format : format_of_path(path);
  geodisk_status status = check_options(context, model, path, &o, format);
  if (status != GEODISK_OK)
    return status;
  geodisk_export_info lost = {.left_out = count_left_out(model)};
  if (format == GEODISK_FORMAT_MODEL) {
    lost.left_out = 0;
    status = write_model(context, model, o.width, path);
  } else if (is_graph_format(format)) {
    status = export_graph(context, model, path, format, &o);
  } else {
    exporter *e = new_exporter(context, model, &o, format);
    if (e == NULL)
      return geodisk_no_memory(context, "to write %s", path);
    e->put = put_in_file;
    status = write_files(e, path, o.names, &lost);
    if (status == GEODISK_OK)
      tell_losses(e, path, &lost, geodisk_model_name(model, lost.worst_node));
    free_exporter(e);
  }
  if (status == GEODISK_OK && info != NULL)
    *info = lost;
  return status;
}

/* ---- in slices -------------------------------------------------------------------------------------------------------- */

geodisk_status model_slice_export(geodisk_context *context, const model_export *job, model_export_fn put, void *user,
                                  geodisk_export_info *info) {
  const geodisk_export_options *o = &job->options;
  const geodisk_format format = o->format != GEODISK_FORMAT_AUTO ? o->format : format_of_path(job->path);
  geodisk_status status = check_options(context, job->model, job->path, o, format);
  if (status != GEODISK_OK)
    return status;
  if (format == GEODISK_FORMAT_MODEL || is_graph_format(format))
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "%s: %s is for one process", job->path,
                        is_graph_format(format) ? "a graph" : "a model file to a model file");
  exporter *e = new_exporter(context, job->model, o, format);
  geodisk_export_info lost = {.left_out = count_left_out(job->model)};
  if (e == NULL)
    return geodisk_no_memory(context, "to write %s", job->path);
  e->nodes = job->nodes;
  e->put = put;
  e->user = user;
  if (export_names_make(&e->renamed, job->model, format, &lost.renamed) != GEODISK_OK)
    status = geodisk_no_memory(context, "to write %s", job->path);
  else if (lost.renamed > 0)
    status = geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED,
                          "%s: some names have blanks or line ends, which the format does not allow; one process finds others "
                          "for them: start geodisk without mpirun, or take TSV or CSV",
                          job->path);
  else if (job->names_only)
    status = put_names(e);
  else if (job->first)
    status = write_head(e);
  if (status == GEODISK_OK && !job->names_only)
    status = write_rows(e, job->path, &lost);
  free_exporter(e);
  if (status == GEODISK_OK)
    *info = lost;
  return status;
}

geodisk_status model_export_names_path(geodisk_context *context, const char *path, const geodisk_export_options *o, char **out) {
  const geodisk_format format = o->format != GEODISK_FORMAT_AUTO ? o->format : format_of_path(path);
  *out = NULL;
  if (!has_names_file(format))
    return GEODISK_OK;
  *out = o->names != NULL ? strdup(o->names) : names_beside(path, format);
  return *out != NULL ? GEODISK_OK : geodisk_no_memory(context, "to write %s", path);
}

void model_export_report(geodisk_context *context, const model_export *job, const geodisk_export_info *info, const char *worst) {
  const geodisk_format format = job->options.format != GEODISK_FORMAT_AUTO ? job->options.format : format_of_path(job->path);
  exporter *e = new_exporter(context, job->model, &job->options, format);
  if (e == NULL)
    return; /* nothing is lost but a message */
  tell_losses(e, job->path, info, worst);
  free_exporter(e);
}

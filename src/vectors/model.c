/* model.c - the model object: making, copying, and looking into it. */
#include "model.h"
#include "base/squares.h"

#include "graph/graph_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tensors --------------------------------------------------------------------------------------------------------- */

size_t geodisk_type_size(geodisk_type type) {
  static const size_t sizes[] = {8, 4, 8, 4, 1};
  return (unsigned)type < sizeof sizes / sizeof sizes[0] ? sizes[type] : 0;
}

bool model_tensor_count(const geodisk_tensor *tensor, size_t *count) {
  size_t bytes = geodisk_type_size(tensor->type);
  for (int i = 0; i < tensor->rank; i++) {
    if (tensor->shape[i] != 0 && bytes > SIZE_MAX / tensor->shape[i])
      return false;
    bytes *= tensor->shape[i];
  }
  *count = bytes / geodisk_type_size(tensor->type);
  return true;
}

size_t model_row_length(const geodisk_tensor *tensor) {
  size_t length = 1;
  for (int i = 1; i < tensor->rank; i++)
    length *= tensor->shape[i];
  return length;
}

size_t model_row_stride(const geodisk_tensor *tensor) { return tensor->stride != 0 ? tensor->stride : model_row_length(tensor); }

static double number_at(const geodisk_tensor *t, size_t at) {
  return t->type == GEODISK_TYPE_F64 ? ((const double *)t->data)[at] : (double)((const float *)t->data)[at];
}

double model_gap_at(const geodisk_model *model, size_t node) {
  return number_at(&model->gap.view, node * model_row_stride(&model->gap.view));
}

double model_coordinate_at(const geodisk_model *model, size_t node, size_t k) {
  return number_at(&model->vectors.view, node * model_row_stride(&model->vectors.view) + k);
}

double model_square_at(const geodisk_model *model, size_t node) {
  const size_t dim = (size_t)model->ball.dim, at = node * model_row_stride(&model->vectors.view);
  double sum = 0;
  if (model->precision == GEODISK_PRECISION_DOUBLE) {
    const double *x = (const double *)model->vectors.view.data + at;
    sum = square_of(dim, x);
  } else {
    const float *x = (const float *)model->vectors.view.data + at;
    for (size_t i = 0; i < dim; i++)
      sum += (double)x[i] * (double)x[i];
  }
  return sum;
}

/* ---- making a model -------------------------------------------------------------------------------------------------- */

static geodisk_status check_spec(geodisk_context *context, const geodisk_model_spec *spec) {
  if (spec->nodes < 1 || spec->nodes > NAMES_MAX)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: %zu nodes; it must be from 1 to %zu", spec->nodes, NAMES_MAX);
  if (spec->ball.dim < 1 || spec->ball.dim > MODEL_MAX_DIM)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: dim is %d; it must be from 1 to %d", spec->ball.dim,
                        MODEL_MAX_DIM);
  if (spec->space != GEODISK_SPACE_HYPERBOLIC && spec->space != GEODISK_SPACE_EUCLIDEAN)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: no space has the number %d", (int)spec->space);
  if (spec->precision != GEODISK_PRECISION_DOUBLE && spec->precision != GEODISK_PRECISION_FLOAT)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: no precision has the number %d", (int)spec->precision);
  const bool hyperbolic = spec->space == GEODISK_SPACE_HYPERBOLIC;
  if (hyperbolic && !geodisk_ball_valid(&spec->ball))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: radius %g and curvature %g must be finite and > 0",
                        spec->ball.radius, spec->ball.curvature);
  const double square = spec->ball.radius * spec->ball.radius;
  if (hyperbolic && !(square > 0 && square <= 1e300))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: the square of the radius %g is out of range", spec->ball.radius);
  if (hyperbolic && (spec->vectors == NULL) != (spec->gap == NULL))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: vectors and gap must be given together");
  if (!hyperbolic && spec->gap != NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: Euclidean vectors have no gaps");
  if (spec->vectors_stride != 0 && spec->vectors_stride < (size_t)spec->ball.dim)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: vectors_stride is %zu, less than dim %d", spec->vectors_stride,
                        spec->ball.dim);
  if ((spec->names == NULL) != (spec->starts == NULL) ||
      (spec->names != NULL) + (spec->name_list != NULL) + (spec->graph != NULL) > 1)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "model: give names with starts, or name_list, or graph, or none of them");
  if (spec->graph != NULL && geodisk_graph_nodes(spec->graph) != spec->nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: %zu nodes, but its graph has %zu", spec->nodes,
                        geodisk_graph_nodes(spec->graph));
  return GEODISK_OK;
}

/* The caller's array, or one of the model's own. */
static geodisk_status make_array(model_array *array, geodisk_type type, int rank, size_t rows, size_t columns, const void *data,
                                 size_t stride) {
  array->view = (geodisk_tensor){.type = type, .rank = rank, .shape = {rows, columns}, .data = data, .stride = stride};
  if (data != NULL)
    return GEODISK_OK;
  size_t count;
  array->view.stride = 0;
  if (!model_tensor_count(&array->view, &count))
    return GEODISK_ERROR_MEMORY;
  array->own = geodisk_allocate_zero(count, geodisk_type_size(type));
  array->view.data = array->own;
  return array->own != NULL ? GEODISK_OK : GEODISK_ERROR_MEMORY;
}

static geodisk_status make_arrays(geodisk_model *model, const geodisk_model_spec *spec) {
  const geodisk_type type = spec->precision == GEODISK_PRECISION_FLOAT ? GEODISK_TYPE_F32 : GEODISK_TYPE_F64;
  const size_t n = spec->nodes;
  geodisk_status status = make_array(&model->vectors, type, 2, n, (size_t)spec->ball.dim, spec->vectors, spec->vectors_stride);
  if (status == GEODISK_OK && spec->space == GEODISK_SPACE_HYPERBOLIC)
    status = make_array(&model->gap, type, 1, n, 0, spec->gap, spec->gap_stride);
  if (status == GEODISK_OK && spec->counts)
    status = make_array(&model->counts, GEODISK_TYPE_U64, 1, n, 0, NULL, 0);
  const double square = spec->ball.radius * spec->ball.radius;
  for (size_t i = 0; status == GEODISK_OK && model->gap.own != NULL && i < n; i++) {
    if (type == GEODISK_TYPE_F64)
      ((double *)model->gap.own)[i] = square;
    else
      ((float *)model->gap.own)[i] = (float)square;
  }
  return status;
}

/* Copies the names of the spec into one block. */
static geodisk_status copy_names(const geodisk_model_spec *spec, names_block *block) {
  enum { NUMBER = 24 };
  const size_t n = spec->nodes;
  uint64_t *starts = geodisk_allocate(n + 1, sizeof *starts);
  if (starts == NULL)
    return GEODISK_ERROR_MEMORY;
  char number[NUMBER];
  starts[0] = 0;
  for (size_t i = 0; i < n && spec->names == NULL; i++)
    starts[i + 1] =
        starts[i] + 1 + (spec->name_list != NULL ? strlen(spec->name_list[i]) : (size_t)snprintf(number, NUMBER, "%zu", i));
  if (spec->names != NULL)
    memcpy(starts, spec->starts, (n + 1) * sizeof *starts);
  char *bytes = geodisk_allocate((size_t)starts[n], 1);
  if (bytes == NULL) {
    free(starts);
    return GEODISK_ERROR_MEMORY;
  }
  if (spec->names != NULL)
    memcpy(bytes, spec->names, (size_t)starts[n]);
  for (size_t i = 0; spec->names == NULL && i < n; i++) {
    if (spec->name_list == NULL)
      snprintf(number, NUMBER, "%zu", i);
    memcpy(bytes + starts[i], spec->name_list != NULL ? spec->name_list[i] : number, (size_t)(starts[i + 1] - starts[i]));
  }
  *block =
      (names_block){.bytes = bytes, .size = starts[n], .starts = starts, .count = n, .own_bytes = bytes, .own_starts = starts};
  return GEODISK_OK;
}

/* The names of the spec, or a share of `names` if there are any. */
static geodisk_status make_names(geodisk_context *context, const geodisk_model_spec *spec, name_index *names, name_index **out) {
  names_block block;
  size_t bad = 0;
  const char *why = NULL;
  geodisk_status status = names != NULL ? names_share(names, out) : copy_names(spec, &block);
  if (status == GEODISK_OK && names == NULL)
    status = names_index(&block, out, &bad, &why);
  if (status == GEODISK_ERROR_FORMAT)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: the name of node %zu %s", bad, why);
  return status == GEODISK_OK ? GEODISK_OK : geodisk_no_memory(context, "for the model");
}

static geodisk_status create_model(geodisk_context *context, const geodisk_model_spec *spec, name_index *names,
                                   geodisk_model **out) {
  geodisk_model *model = geodisk_allocate_zero(1, sizeof *model);
  if (model == NULL)
    return geodisk_no_memory(context, "for the model");
  model->nodes = spec->nodes;
  model->space = spec->space;
  model->precision = spec->precision;
  model->ball = spec->space == GEODISK_SPACE_HYPERBOLIC ? spec->ball : geodisk_unit_ball(spec->ball.dim);
  const geodisk_status status = make_arrays(model, spec) != GEODISK_OK ? geodisk_no_memory(context, "for the model")
                                                                       : make_names(context, spec, names, &model->names);
  if (status != GEODISK_OK)
    geodisk_model_destroy(model);
  else
    *out = model;
  return status;
}

geodisk_status geodisk_model_create(geodisk_context *context, const geodisk_model_spec *spec, geodisk_model **out) {
  if (spec == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "model: %s is NULL", spec == NULL ? "spec" : "out");
  const geodisk_status status = check_spec(context, spec);
  return status == GEODISK_OK ? create_model(context, spec, spec->graph != NULL ? graph_names(spec->graph) : NULL, out) : status;
}

geodisk_status model_assemble(model_parts *parts, geodisk_model **out) {
  const geodisk_type type = parts->precision == GEODISK_PRECISION_FLOAT ? GEODISK_TYPE_F32 : GEODISK_TYPE_F64;
  const size_t n = parts->names->count;
  geodisk_model *model = geodisk_allocate_zero(1, sizeof *model);
  if (model != NULL) {
    model->nodes = n;
    model->ball = parts->ball;
    model->space = parts->space;
    model->precision = parts->precision;
    model->names = parts->names;
    model->vectors = (model_array){{type, 2, {n, (size_t)parts->ball.dim}, parts->vectors, 0}, parts->vectors};
    if (parts->gap != NULL)
      model->gap = (model_array){{type, 1, {n}, parts->gap, 0}, parts->gap};
    *out = model;
  } else {
    names_release(parts->names);
    geodisk_free_all(parts->vectors, parts->gap);
  }
  *parts = (model_parts){.vectors = NULL};
  return model != NULL ? GEODISK_OK : GEODISK_ERROR_MEMORY;
}

static void free_array(model_array *array) { free(array->own); }

void geodisk_model_destroy(geodisk_model *model) {
  if (model == NULL)
    return;
  free_array(&model->vectors);
  free_array(&model->gap);
  free_array(&model->counts);
  names_release(model->names);
  for (size_t i = 0; i < model->n_texts; i++) {
    geodisk_free_all(model->texts[i].key, model->texts[i].text);
  }
  free(model->texts);
  for (size_t i = 0; i < model->n_extras; i++) {
    free(model->extras[i].name);
    free_array(&model->extras[i].array);
  }
  free(model->extras);
  model_release_block(model);
  free(model);
}

/* Row by row into a contiguous array. */
static void copy_rows(const geodisk_tensor *from, void *to) {
  const size_t rows = from->rank > 0 ? from->shape[0] : 1, size = geodisk_type_size(from->type);
  const size_t length = model_row_length(from) * size, stride = model_row_stride(from) * size;
  for (size_t i = 0; i < rows && length > 0; i++)
    memcpy((char *)to + i * length, (const char *)from->data + i * stride, length);
}

/* The same from one precision to the other. */
static void convert_rows(const geodisk_tensor *from, const geodisk_tensor *to, void *data) {
  const size_t length = model_row_length(from), stride = model_row_stride(from);
  if (from->type == to->type) {
    copy_rows(from, data);
    return;
  }
  for (size_t i = 0; i < from->shape[0]; i++)
    for (size_t k = 0; k < length; k++) {
      if (to->type == GEODISK_TYPE_F32)
        ((float *)data)[i * length + k] = (float)((const double *)from->data)[i * stride + k];
      else
        ((double *)data)[i * length + k] = (double)((const float *)from->data)[i * stride + k];
    }
}

static geodisk_status copy_extra(geodisk_context *context, geodisk_model *copy, const model_extra *extra) {
  geodisk_tensor tensor = extra->array.view;
  tensor.data = NULL;
  void *data;
  const geodisk_status status = geodisk_model_add_tensor(context, copy, extra->name, &tensor, &data);
  if (status == GEODISK_OK)
    copy_rows(&extra->array.view, data);
  return status;
}

geodisk_status geodisk_model_copy(geodisk_context *context, const geodisk_model *model, geodisk_width width, bool extras,
                                  geodisk_model **out) {
  if (model == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "copy: %s is NULL", model == NULL ? "model" : "out");
  if ((unsigned)width > GEODISK_WIDTH_FLOAT)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "copy: no width has the number %d", (int)width);
  const geodisk_model_spec spec = {.nodes = model->nodes,
                                   .ball = model->ball,
                                   .space = model->space,
                                   .precision = width == GEODISK_WIDTH_FLOAT    ? GEODISK_PRECISION_FLOAT
                                                : width == GEODISK_WIDTH_DOUBLE ? GEODISK_PRECISION_DOUBLE
                                                                                : model->precision,
                                   .counts = model->counts.view.data != NULL};
  geodisk_model *copy = NULL;
  geodisk_status status = create_model(context, &spec, model->names, &copy);
  if (status != GEODISK_OK)
    return status;
  convert_rows(&model->vectors.view, &copy->vectors.view, copy->vectors.own);
  if (model->gap.view.data != NULL)
    convert_rows(&model->gap.view, &copy->gap.view, copy->gap.own);
  if (spec.counts)
    copy_rows(&model->counts.view, copy->counts.own);
  for (size_t i = 0; status == GEODISK_OK && i < model->n_texts; i++)
    status = geodisk_model_set(context, copy, model->texts[i].key, model->texts[i].text);
  if (status == GEODISK_OK)
    status = model_copy_history(context, model, copy);
  geodisk_tensor there;
  for (size_t i = 0; status == GEODISK_OK && extras && i < model->n_extras; i++)
    if (!geodisk_model_tensor(copy, model->extras[i].name, &there))
      status = copy_extra(context, copy, &model->extras[i]);
  if (status != GEODISK_OK) {
    geodisk_model_destroy(copy);
    return status;
  }
  *out = copy;
  return GEODISK_OK;
}

geodisk_status geodisk_model_fits(geodisk_context *context, const geodisk_model *model, const char *label, geodisk_space space,
                                  const geodisk_ball *ball) {
  static const char *const spaces[] = {"hyperbolic", "euclidean"};
  if (model == NULL || label == NULL || ball == NULL || (unsigned)space > GEODISK_SPACE_EUCLIDEAN)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "fits: %s",
                        model == NULL   ? "model is NULL"
                        : label == NULL ? "label is NULL"
                        : ball == NULL  ? "ball is NULL"
                                        : "no such space");
  const geodisk_ball *own = &model->ball;
  if (model->space != space)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: its space is %s, and %s is asked for", label, spaces[model->space],
                        spaces[space]);
  if (own->dim != ball->dim)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: its dim is %d, and %d is asked for", label, own->dim, ball->dim);
  if (space == GEODISK_SPACE_HYPERBOLIC && (own->radius != ball->radius || own->curvature != ball->curvature))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "%s: its ball has radius %.17g and curvature -%.17g, and radius %.17g and curvature -%.17g are asked for",
                        label, own->radius, own->curvature, ball->radius, ball->curvature);
  return GEODISK_OK;
}

/* ---- what is in it --------------------------------------------------------------------------------------------------- */

size_t geodisk_model_nodes(const geodisk_model *model) { return model->nodes; }
int geodisk_model_dim(const geodisk_model *model) { return model->ball.dim; }
geodisk_space geodisk_model_space(const geodisk_model *model) { return model->space; }
geodisk_precision geodisk_model_precision(const geodisk_model *model) { return model->precision; }
geodisk_ball geodisk_model_ball(const geodisk_model *model) { return model->ball; }

/* The data if it has this type and its rows are contiguous. */
static const void *contiguous(const model_array *array, geodisk_type type) {
  const geodisk_tensor *view = &array->view;
  return view->data != NULL && view->type == type && model_row_stride(view) == model_row_length(view) ? view->data : NULL;
}

static void *editable(const geodisk_model *model, const model_array *array, geodisk_type type) {
  return model->block == NULL && array->own != NULL && array->view.data == array->own && array->view.type == type ? array->own
                                                                                                                  : NULL;
}

const double *geodisk_model_vectors(const geodisk_model *model) { return contiguous(&model->vectors, GEODISK_TYPE_F64); }
const float *geodisk_model_vectorsf(const geodisk_model *model) { return contiguous(&model->vectors, GEODISK_TYPE_F32); }
const double *geodisk_model_gap(const geodisk_model *model) { return contiguous(&model->gap, GEODISK_TYPE_F64); }
const float *geodisk_model_gapf(const geodisk_model *model) { return contiguous(&model->gap, GEODISK_TYPE_F32); }
const uint64_t *geodisk_model_counts(const geodisk_model *model) { return contiguous(&model->counts, GEODISK_TYPE_U64); }
geodisk_tensor geodisk_model_vector_rows(const geodisk_model *model) { return model->vectors.view; }
geodisk_tensor geodisk_model_gap_rows(const geodisk_model *model) { return model->gap.view; }
double *geodisk_model_edit_vectors(geodisk_model *model) { return editable(model, &model->vectors, GEODISK_TYPE_F64); }
float *geodisk_model_edit_vectorsf(geodisk_model *model) { return editable(model, &model->vectors, GEODISK_TYPE_F32); }
double *geodisk_model_edit_gap(geodisk_model *model) { return editable(model, &model->gap, GEODISK_TYPE_F64); }
float *geodisk_model_edit_gapf(geodisk_model *model) { return editable(model, &model->gap, GEODISK_TYPE_F32); }
uint64_t *geodisk_model_edit_counts(geodisk_model *model) { return editable(model, &model->counts, GEODISK_TYPE_U64); }

void geodisk_model_point(const geodisk_model *model, uint32_t node, double *x, double *gap) {
  const size_t dim = (size_t)model->ball.dim, at = node * model_row_stride(&model->vectors.view);
  if (model->precision == GEODISK_PRECISION_DOUBLE) {
    memcpy(x, (const double *)model->vectors.view.data + at, dim * sizeof *x);
  } else {
    const float *row = (const float *)model->vectors.view.data + at;
    for (size_t i = 0; i < dim; i++)
      x[i] = (double)row[i];
  }
  if (gap == NULL)
    return;
  *gap = model->gap.view.data != NULL ? model_gap_at(model, node) : (double)NAN;
  if (model->precision == GEODISK_PRECISION_FLOAT && model->gap.view.data != NULL)
    *gap = fmin(*gap, model->ball.radius * model->ball.radius); /* if rounded up */
}

const char *geodisk_model_name(const geodisk_model *model, uint32_t node) {
  return node < model->nodes ? names_at(model->names, node) : NULL;
}

size_t geodisk_model_name_length(const geodisk_model *model, uint32_t node) {
  return node < model->nodes ? names_length(model->names, node) : 0;
}

const char *geodisk_model_names(const geodisk_model *model, const uint64_t **starts) {
  *starts = model->names->starts;
  return model->names->bytes;
}

bool geodisk_model_find(const geodisk_model *model, const char *name, size_t length, uint32_t *node) {
  return names_find(model->names, name, length, node);
}

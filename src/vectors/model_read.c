/* model_read.c - a model from its file: mapped into memory, and everything in it checked before anyone sees it. */
#include "sums.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "byte_order.h"

enum { FORMAT_VERSION = 1, FIRST_ROOM = 1 << 16 };

/* What is being read. */
typedef struct source {
  geodisk_context *context;
  const char *label;
  const file_header *header;
  geodisk_model *model;
  size_t first; /* number of its first node in messages */
} source;

static geodisk_status fail_field(const source *s, const char *field, const char *what) {
  return geodisk_fail(s->context, GEODISK_ERROR_FORMAT, "%s: %s %s", s->label, field, what);
}

void model_release_block(geodisk_model *model) {
  if (model->mapped)
    munmap(model->block, model->block_size);
  else
    free(model->block);
  model->block = NULL;
}

/* ---- metadata -------------------------------------------------------------------------------------------------------- */

static geodisk_status read_positive(const source *s, const char *key, double *out) {
  const char *text = header_text(s->header, key);
  double value;
  if (text == NULL || !geodisk_parse_double(text, strlen(text), &value) || !(value > 0))
    return fail_field(s, key, "in __metadata__ is not a finite number > 0");
  *out = value;
  return GEODISK_OK;
}

static geodisk_status check_version(const source *s) {
  const char *format = header_text(s->header, "format"), *version = header_text(s->header, "format_version");
  if (format == NULL || strcmp(format, "geodisk") != 0)
    return fail_field(s, "format", "in __metadata__ is not 'geodisk': a safetensors file, but not a model");
  double number;
  if (version == NULL || !geodisk_parse_double(version, strlen(version), &number) || !(number >= 1))
    return fail_field(s, "format_version", "in __metadata__ is not a number from 1 on");
  if (number >= FORMAT_VERSION + 1)
    return geodisk_fail(s->context, GEODISK_ERROR_UNSUPPORTED,
                        "%s: format_version %s is newer than this program, which reads up to %d", s->label, version,
                        FORMAT_VERSION);
  return GEODISK_OK;
}

static geodisk_status read_texts(const source *s) {
  geodisk_model *model = s->model;
  geodisk_status status = check_version(s);
  if (status != GEODISK_OK)
    return status;
  const char *space = header_text(s->header, "space");
  if (space != NULL && strcmp(space, "hyperbolic") == 0)
    model->space = GEODISK_SPACE_HYPERBOLIC;
  else if (space != NULL && strcmp(space, "euclidean") == 0)
    model->space = GEODISK_SPACE_EUCLIDEAN;
  else
    return fail_field(s, "space", "in __metadata__ is neither hyperbolic nor euclidean");
  model->ball = geodisk_unit_ball(1);
  if (model->space == GEODISK_SPACE_HYPERBOLIC) {
    status = read_positive(s, "radius", &model->ball.radius);
    if (status == GEODISK_OK)
      status = read_positive(s, "curvature", &model->ball.curvature);
    const double square = model->ball.radius * model->ball.radius;
    if (status == GEODISK_OK && !(square > 0 && square <= 1e300))
      status = fail_field(s, "radius", "in __metadata__ is out of range");
  }
  for (size_t i = 0; status == GEODISK_OK && i < s->header->n_texts; i++)
    if (!model_reserved_key(s->header->texts[i].key) && s->header->texts[i].key[0] != 0)
      status = geodisk_model_set(s->context, model, s->header->texts[i].key, s->header->texts[i].text);
  return status;
}

/* ---- arrays ---------------------------------------------------------------------------------------------------------- */

/* The array where it lies in the file, or a copy if it does not lie at a multiple of its numbers' size, or on a machine with the
 * other order of bytes. */
static geodisk_status place_array(const source *s, const file_tensor *found, model_array *out) {
  const char *data = (const char *)s->model->block + s->header->data + found->begin;
  const size_t bytes = (size_t)(found->end - found->begin), size = geodisk_type_size(found->tensor.type);
  out->view = found->tensor;
  out->view.data = data;
  if (order_is_ours(size) && (uintptr_t)data % size == 0)
    return GEODISK_OK;
  out->own = geodisk_allocate(bytes, 1);
  if (out->own == NULL)
    return geodisk_no_memory(s->context, "to read %s", s->label);
  order_copy(out->own, data, bytes / size, size);
  out->view.data = out->own;
  return GEODISK_OK;
}

/* A tensor that must have this type and shape (columns 0: one dimension); NULL after an error. */
static const file_tensor *expect_tensor(const source *s, const char *name, geodisk_type type, size_t rows, size_t columns,
                                        geodisk_status *status) {
  const file_tensor *t = header_tensor(s->header, name);
  if (t == NULL) {
    *status = fail_field(s, name, "is missing");
    return NULL;
  }
  const geodisk_tensor *v = &t->tensor;
  if (v->type != type || v->rank != (columns > 0 ? 2 : 1) || v->shape[0] != rows || (columns > 0 && v->shape[1] != columns)) {
    char want[96];
    if (columns > 0)
      snprintf(want, sizeof want, "is not %s of shape [%zu, %zu]", header_type_name(type), rows, columns);
    else
      snprintf(want, sizeof want, "is not %s of shape [%zu]", header_type_name(type), rows);
    *status = fail_field(s, name, want);
    return NULL;
  }
  return t;
}

static geodisk_status read_vectors(const source *s) {
  geodisk_model *model = s->model;
  const file_tensor *t = header_tensor(s->header, "vectors");
  if (t == NULL)
    return fail_field(s, "vectors", "is missing");
  const geodisk_tensor *v = &t->tensor;
  if ((v->type != GEODISK_TYPE_F64 && v->type != GEODISK_TYPE_F32) || v->rank != 2 || v->shape[0] < 1 ||
      v->shape[0] > NAMES_MAX || v->shape[1] < 1 || v->shape[1] > MODEL_MAX_DIM)
    return fail_field(s, "vectors", "is not F64 or F32 of shape [nodes, dim]");
  model->precision = v->type == GEODISK_TYPE_F64 ? GEODISK_PRECISION_DOUBLE : GEODISK_PRECISION_FLOAT;
  model->nodes = v->shape[0];
  model->ball.dim = (int)v->shape[1];
  geodisk_status status = place_array(s, t, &model->vectors);
  if (status == GEODISK_OK && model->space == GEODISK_SPACE_HYPERBOLIC) {
    t = expect_tensor(s, "gap", v->type, model->nodes, 0, &status);
    if (status == GEODISK_OK)
      status = place_array(s, t, &model->gap);
  } else if (status == GEODISK_OK && header_tensor(s->header, "gap") != NULL) {
    status = fail_field(s, "gap", "is there, but the space is euclidean");
  }
  if (status == GEODISK_OK && header_tensor(s->header, "counts") != NULL) {
    t = expect_tensor(s, "counts", GEODISK_TYPE_U64, model->nodes, 0, &status);
    if (status == GEODISK_OK)
      status = place_array(s, t, &model->counts);
  }
  return status;
}

static geodisk_status read_names(const source *s) {
  const file_tensor *text = header_tensor(s->header, "names");
  if (text == NULL || text->tensor.type != GEODISK_TYPE_U8 || text->tensor.rank != 1)
    return fail_field(s, "names", text == NULL ? "is missing" : "is not U8 of one dimension");
  geodisk_status status = GEODISK_OK;
  const file_tensor *offsets = expect_tensor(s, "name_offsets", GEODISK_TYPE_U64, s->model->nodes + 1, 0, &status);
  if (status != GEODISK_OK)
    return status;
  model_array bytes = {.own = NULL}, starts = {.own = NULL};
  status = place_array(s, text, &bytes);
  if (status == GEODISK_OK)
    status = place_array(s, offsets, &starts);
  if (status != GEODISK_OK)
    return status;
  const names_block block = {.bytes = bytes.view.data, /* never out of place */
                             .size = text->tensor.shape[0],
                             .starts = starts.view.data,
                             .count = s->model->nodes,
                             .own_starts = starts.own};
  size_t bad;
  const char *why;
  status = names_index(&block, &s->model->names, &bad, &why);
  if (status == GEODISK_ERROR_MEMORY)
    return geodisk_no_memory(s->context, "to read %s", s->label);
  if (status != GEODISK_OK)
    return geodisk_fail(s->context, status, "%s: names: the name of node %zu %s", s->label, s->first + bad, why);
  return GEODISK_OK;
}

static geodisk_status read_extras(const source *s) {
  for (size_t i = 0; i < s->header->n_tensors; i++) {
    const file_tensor *t = &s->header->tensors[i];
    if (model_reserved_name(t->name))
      continue;
    if (t->name[0] == 0)
      return fail_field(s, "a tensor", "has an empty name");
    model_array array = {.own = NULL};
    geodisk_status status = place_array(s, t, &array);
    if (status == GEODISK_OK && model_put_extra(s->model, t->name, &array.view, array.own) != GEODISK_OK)
      status = geodisk_no_memory(s->context, "to read %s", s->label);
    if (status != GEODISK_OK)
      return status;
  }
  return GEODISK_OK;
}

geodisk_status model_from_header(geodisk_context *context, const char *label, const file_header *header, size_t first,
                                 geodisk_model *model) {
  const source s = {context, label, header, model, first};
  geodisk_status status = read_texts(&s);
  if (status == GEODISK_OK)
    status = read_vectors(&s);
  if (status == GEODISK_OK)
    status = read_names(&s);
  if (status == GEODISK_OK)
    status = read_extras(&s);
  if (status == GEODISK_OK)
    status = model_check_history(context, label, model);
  if (status == GEODISK_OK)
    status = model_check_hierarchy(context, label, model);
  model_fault fault;
  if (status == GEODISK_OK && model_points_fault(context, model, &fault))
    status = geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: %s of node %zu ('%.64s') %s", label, fault.array,
                          first + fault.node, geodisk_model_name(model, (uint32_t)fault.node), fault.reason);
  return status;
}

/* Fills a model whose block is there. */
static geodisk_status read_block(geodisk_context *context, const char *label, geodisk_model *model) {
  file_header header;
  geodisk_status status = header_parse(context, label, model->block, model->block_size, &header);
  if (status != GEODISK_OK)
    return status;
  status = sums_check(context, label, &header, (const char *)model->block + header.data);
  if (status == GEODISK_OK)
    status = model_from_header(context, label, &header, 0, model);
  header_free(&header);
  return status;
}

/* ---- the bytes ------------------------------------------------------------------------------------------------------- */

/* Reads on until the block has `wanted` bytes, or there are no more. */
static geodisk_status read_up_to(geodisk_context *context, const char *label, int fd, size_t wanted, size_t *room,
                                 geodisk_model *model) {
  while (model->block_size < wanted) {
    if (model->block_size == *room) { /* not at once what a header asks for, which may have lied */
      const size_t twice = *room == 0 ? FIRST_ROOM : 2 * *room;
      void *larger = geodisk_reallocate(model->block, twice < wanted ? twice : wanted, 1);
      if (larger == NULL)
        return geodisk_no_memory(context, "to read %s", label);
      model->block = larger;
      *room = twice < wanted ? twice : wanted;
    }
    const ssize_t n = read(fd, (char *)model->block + model->block_size, *room - model->block_size);
    if (n < 0 && errno != EINTR)
      return geodisk_fail(context, GEODISK_ERROR_IO, "%s: cannot read: %s", label, strerror(errno));
    const geodisk_progress progress = {.task = "reading", .unit = "bytes", .done = model->block_size, .total = wanted};
    if (n < 0 && !geodisk_progress_event(context, &progress)) /* a signal: perhaps to stop */
      return geodisk_fail(context, GEODISK_ERROR_STOPPED, "%s: stopped while reading", label);
    if (n == 0)
      return GEODISK_OK;
    model->block_size += n > 0 ? (size_t)n : 0;
  }
  return GEODISK_OK;
}

/* A pipe: its header, then as many bytes as that says, and one to see that there are no more. What is no model, or never ends, is
 * found out by that; the parser says what is wrong. */
static geodisk_status read_stream(geodisk_context *context, const char *label, int fd, geodisk_model *model) {
  size_t room = 0, header = 0, data;
  geodisk_status status = read_up_to(context, label, fd, 9, &room, model);
  if (status != GEODISK_OK || !header_length(model->block, model->block_size, &header))
    return status;
  status = read_up_to(context, label, fd, 8 + header, &room, model);
  if (status != GEODISK_OK || model->block_size < 8 + header || !header_data_size(model->block, 8 + header, &data) ||
      data >= SIZE_MAX - 9 - header)
    return status;
  return read_up_to(context, label, fd, 8 + header + data + 1, &room, model);
}

static geodisk_status map_file(geodisk_context *context, const char *label, int fd, geodisk_model *model) {
  struct stat about;
  if (fstat(fd, &about) != 0)
    return geodisk_fail(context, GEODISK_ERROR_IO, "%s: cannot read: %s", label, strerror(errno));
  if (S_ISDIR(about.st_mode))
    return geodisk_fail(context, GEODISK_ERROR_IO, "%s: is a directory, not a file", label);
  if (!S_ISREG(about.st_mode) || about.st_size == 0)
    return read_stream(context, label, fd, model);
  if ((uintmax_t)about.st_size > SIZE_MAX)
    return geodisk_no_memory(context, "to read %s", label);
  void *block = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (block == MAP_FAILED)
    return geodisk_fail(context, GEODISK_ERROR_IO, "%s: cannot map into memory: %s", label, strerror(errno));
  model->block = block;
  model->block_size = (size_t)about.st_size;
  model->mapped = true;
  return GEODISK_OK;
}

geodisk_status geodisk_model_read(geodisk_context *context, const char *path, geodisk_model **out) {
  if (path == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "read: %s is NULL", path == NULL ? "path" : "out");
  const bool standard = strcmp(path, "-") == 0;
  const char *label = standard ? "standard input" : path;
  geodisk_model *model = geodisk_allocate_zero(1, sizeof *model);
  if (model == NULL)
    return geodisk_no_memory(context, "to read %s", label);
  const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  geodisk_status status = fd >= 0 ? map_file(context, label, fd, model)
                                  : geodisk_fail(context, GEODISK_ERROR_IO, "%s: cannot open: %s", label, strerror(errno));
  if (fd >= 0 && !standard)
    close(fd); /* the mapping stays */
  if (status == GEODISK_OK)
    status = read_block(context, label, model);
  if (status != GEODISK_OK)
    geodisk_model_destroy(model);
  else
    *out = model;
  return status;
}

geodisk_status geodisk_model_read_memory(geodisk_context *context, const char *label, const void *bytes, size_t size,
                                         geodisk_model **out) {
  if (label == NULL || (bytes == NULL && size > 0) || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "read: %s is NULL",
                        label == NULL ? "label"
                        : out == NULL ? "out"
                                      : "bytes");
  geodisk_model *model = geodisk_allocate_zero(1, sizeof *model);
  if (model == NULL || (model->block = geodisk_allocate(size, 1)) == NULL) {
    free(model);
    return geodisk_no_memory(context, "to read %s", label);
  }
  if (size > 0)
    memcpy(model->block, bytes, size);
  model->block_size = size;
  const geodisk_status status = read_block(context, label, model);
  if (status != GEODISK_OK)
    geodisk_model_destroy(model);
  else
    *out = model;
  return status;
}

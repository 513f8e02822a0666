/* model_write.c - a model into its file. Arrays of 8-byte numbers come first, then those of 4, then bytes, each kind in the order
 * of names, so that every array lies at a multiple of its numbers' size although the format allows no holes. */
#include "base/grow.h"
#include "sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_order.h"
#include "json.h"
#include "kernel/crc32c.h"
#include "slices.h"

/* An array on its way into the file. */
typedef struct placed {
  const char *name;
  geodisk_tensor tensor;
  uint32_t sum;
} placed;

static int by_size_and_name(const void *a, const void *b) {
  const placed *s = a, *t = b;
  const size_t s_size = geodisk_type_size(s->tensor.type), t_size = geodisk_type_size(t->tensor.type);
  if (s_size != t_size)
    return s_size > t_size ? -1 : 1;
  return strcmp(s->name, t->name);
}

/* Lists the arrays of a model in the order of the file; `out` has room for n_extras + 5. */
static size_t list_arrays(const geodisk_model *model, placed *out) {
  const name_index *names = model->names;
  const geodisk_tensor bytes = {GEODISK_TYPE_U8, 1, {(size_t)names->starts[names->count]}, names->bytes, 0};
  const geodisk_tensor starts = {GEODISK_TYPE_U64, 1, {names->count + 1}, names->starts, 0};
  size_t n = 0;
  out[n++] = (placed){"vectors", model->vectors.view, 0};
  out[n++] = (placed){"names", bytes, 0};
  out[n++] = (placed){"name_offsets", starts, 0};
  if (model->gap.view.data != NULL)
    out[n++] = (placed){"gap", model->gap.view, 0};
  if (model->counts.view.data != NULL)
    out[n++] = (placed){"counts", model->counts.view, 0};
  for (size_t i = 0; i < model->n_extras; i++)
    out[n++] = (placed){model->extras[i].name, model->extras[i].array.view, 0};
  qsort(out, n, sizeof *out, by_size_and_name);
  return n;
}

/* ---- the header ------------------------------------------------------------------------------------------------------ */

static void put_quoted(byte_sink *g, const char *text) {
  const size_t length = json_quoted_length(text);
  char *to = sink_room(g, length);
  if (to == NULL)
    return;
  json_quote(text, to);
  g->length += length;
}

static void put_pair(byte_sink *g, const char *key, const char *text) {
  put_quoted(g, key);
  sink_text(g, ":");
  put_quoted(g, text);
}

static const char before_sum[] = "{\"__metadata__\":{\"" SUM_KEY "\":\"";

static void put_sum(byte_sink *g, const placed *array) {
  char digits[SUM_DIGITS + 1];
  sums_format(array->sum, digits);
  const size_t quoted = json_quoted_length(array->name);
  char *to = sink_room(g, quoted + sizeof SUM_KEY);
  if (to == NULL)
    return;
  json_quote(array->name, to + sizeof SUM_KEY);
  memcpy(to, "\"" SUM_KEY ".", sizeof SUM_KEY + 1); /* over the quote that stands there */
  g->length += quoted + sizeof SUM_KEY;
  sink_text(g, ":");
  put_quoted(g, digits);
}

static void put_metadata(byte_sink *g, const geodisk_model *model, const placed *arrays, size_t n) {
  char number[GEODISK_NUMBER_BYTES];
  sink_text(g, before_sum);
  sink_text(g, "00000000\",\"format\":\"geodisk\",\"format_version\":\"1\",");
  if (model->space == GEODISK_SPACE_HYPERBOLIC) {
    sink_text(g, "\"space\":\"hyperbolic\",");
    geodisk_format_double(model->ball.radius, number);
    put_pair(g, "radius", number);
    sink_text(g, ",");
    geodisk_format_double(model->ball.curvature, number);
    put_pair(g, "curvature", number);
  } else {
    sink_text(g, "\"space\":\"euclidean\"");
  }
  for (size_t i = 0; i < model->n_texts; i++) {
    sink_text(g, ",");
    put_pair(g, model->texts[i].key, model->texts[i].text);
  }
  for (size_t i = 0; i < n; i++) {
    sink_text(g, ",");
    put_sum(g, &arrays[i]);
  }
  sink_text(g, "}");
}

static uint64_t tensor_bytes(const geodisk_tensor *tensor) {
  size_t count = 0;
  model_tensor_count(tensor, &count); /* it fitted when it was added */
  return (uint64_t)count * geodisk_type_size(tensor->type);
}

static void length_bytes(uint64_t length, unsigned char out[8]) {
  for (int i = 0; i < 8; i++)
    out[i] = (unsigned char)(length >> 8 * i & 0xff);
}

/* The first bytes of the file: the header's length and the whole header, padded with blanks to a multiple of 8 bytes. */
static bool compose_header(const geodisk_model *model, const placed *arrays, size_t n, byte_sink *g) {
  uint64_t at = 0;
  char text[128], digits[SUM_DIGITS + 1];
  sink_text(g, "        "); /* for the length */
  put_metadata(g, model, arrays, n);
  for (size_t i = 0; i < n; i++) {
    const geodisk_tensor *t = &arrays[i].tensor;
    sink_text(g, ",");
    put_quoted(g, arrays[i].name);
    snprintf(text, sizeof text, ":{\"dtype\":\"%s\",\"shape\":[", header_type_name(t->type));
    sink_text(g, text);
    for (int d = 0; d < t->rank; d++) {
      snprintf(text, sizeof text, "%s%zu", d > 0 ? "," : "", t->shape[d]);
      sink_text(g, text);
    }
    const uint64_t end = at + tensor_bytes(t);
    snprintf(text, sizeof text, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", at, end);
    sink_text(g, text);
    at = end;
  }
  sink_text(g, "}");
  while (!g->failed && g->length % 8 != 0)
    sink_text(g, " ");
  if (g->failed)
    return false;
  const size_t place = 8 + strlen(before_sum);
  length_bytes(g->length - 8, (unsigned char *)g->bytes);
  sums_format(sums_of_header(g->bytes, g->length - 8, place), digits);
  memcpy(g->bytes + place, digits, SUM_DIGITS);
  return true;
}

/* ---- the arrays ------------------------------------------------------------------------------------------------------ */

static geodisk_status write_numbers(geodisk_file *file, const char *numbers, size_t count, size_t size) {
  char turned[4096];
  if (order_is_ours(size))
    return geodisk_file_write(file, numbers, count * size);
  geodisk_status status = GEODISK_OK;
  while (count > 0 && status == GEODISK_OK) {
    const size_t n = count < sizeof turned / size ? count : sizeof turned / size;
    order_copy(turned, numbers, n, size);
    status = geodisk_file_write(file, turned, n * size);
    numbers += n * size;
    count -= n;
  }
  return status;
}

static geodisk_status write_tensor(geodisk_file *file, const geodisk_tensor *t) {
  const size_t rows = t->rank > 0 ? t->shape[0] : 1, size = geodisk_type_size(t->type);
  const size_t length = model_row_length(t), stride = model_row_stride(t);
  if (length == stride)
    return write_numbers(file, t->data, rows * length, size);
  geodisk_status status = GEODISK_OK;
  for (size_t i = 0; status == GEODISK_OK && i < rows; i++)
    status = write_numbers(file, (const char *)t->data + i * stride * size, length, size);
  return status;
}

/* The arrays of the whole file, where those of a model are a range of it. */
static void widen_arrays(placed *arrays, size_t n, const model_slice *slice) {
  for (size_t i = 0; i < n; i++) {
    geodisk_tensor *t = &arrays[i].tensor;
    if (strcmp(arrays[i].name, "names") == 0)
      t->shape[0] = (size_t)slice->name_bytes;
    else if (strcmp(arrays[i].name, "name_offsets") == 0)
      t->shape[0] = (size_t)slice->nodes + 1;
    else if (model_reserved_name(arrays[i].name))
      t->shape[0] = (size_t)slice->nodes;
  }
}

static geodisk_status write_all(geodisk_file *file, const byte_sink *header, const placed *arrays, size_t n) {
  geodisk_status status = geodisk_file_write(file, header->bytes, header->length);
  for (size_t i = 0; status == GEODISK_OK && i < n; i++)
    status = write_tensor(file, &arrays[i].tensor);
  return status;
}

/* What the reader would refuse. */
static geodisk_status check_model(geodisk_context *context, const geodisk_model *model, const char *path, size_t first) {
  model_fault fault;
  if (model->n_extras + 5 > TENSORS_MAX || model->n_texts + model->n_extras + 11 > TEXTS_MAX)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: not written: more than %d tensors or %d texts", path, TENSORS_MAX,
                        TEXTS_MAX);
  geodisk_status status = model_check_history(context, path, model);
  if (status == GEODISK_OK)
    status = model_check_hierarchy(context, path, model);
  if (status != GEODISK_OK)
    return status;
  if (model_points_fault(context, model, &fault))
    return geodisk_fail(context, GEODISK_ERROR_NUMERIC, "%s: not written: %s of node %zu ('%.64s') %s", path, fault.array,
                        first + fault.node, geodisk_model_name(model, (uint32_t)fault.node), fault.reason);
  return GEODISK_OK;
}

/* Lists the arrays with their sums (those of all slices, or NULL: they are computed) and composes the header. Free both, whatever
 * the result. */
static geodisk_status prepare(geodisk_context *context, const geodisk_model *model, const char *path, const model_slice *slice,
                              const model_sums *sums, placed **arrays, size_t *n, byte_sink *header) {
  *arrays = geodisk_allocate(model->n_extras + 5, sizeof **arrays);
  if (*arrays != NULL) {
    *n = list_arrays(model, *arrays);
    if (slice != NULL)
      widen_arrays(*arrays, *n, slice);
    for (size_t i = 0; i < *n; i++)
      (*arrays)[i].sum = slice == NULL ? sums_of_tensor(context, &(*arrays)[i].tensor) : sums != NULL ? sums->of[i].sum : 0;
  }
  if (*arrays == NULL || !compose_header(model, *arrays, *n, header))
    return geodisk_no_memory(context, "to write %s", path);
  if (header->length - 8 > HEADER_MAX)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: not written: its texts exceed %d bytes", path, HEADER_MAX);
  return GEODISK_OK;
}

geodisk_status geodisk_model_write(geodisk_context *context, const geodisk_model *model, const char *path) {
  if (model == NULL || path == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "write: %s is NULL", model == NULL ? "model" : "path");
  geodisk_status status = check_model(context, model, path, 0);
  if (status != GEODISK_OK)
    return status;
  byte_sink header = {0};
  geodisk_file *file = NULL;
  size_t n = 0;
  placed *arrays = NULL;
  status = prepare(context, model, path, NULL, NULL, &arrays, &n, &header);
  if (status == GEODISK_OK)
    status = geodisk_file_create(context, path, &file);
  if (status == GEODISK_OK) {
    status = write_all(file, &header, arrays, n);
    status = geodisk_file_finish(file, status);
  }
  geodisk_free_all(header.bytes, arrays);
  return status;
}

/* ---- in slices -------------------------------------------------------------------------------------------------------- */

enum { SLICE_BUFFER = 1 << 20 };

/* Where the bytes go, collected in a buffer. */
typedef struct slice_writer {
  const model_slice *slice;
  model_put_fn put;
  void *user;
  char *buffer; /* SLICE_BUFFER */
  size_t used;
  uint64_t at;           /* of the buffer's first byte in the file */
  model_sum sum;         /* of the array that is being put */
  geodisk_status status; /* the first failure, after which nothing is put */
} slice_writer;

static void flush_slice(slice_writer *w) {
  if (w->used > 0 && w->status == GEODISK_OK)
    w->status = w->put(w->user, w->at, w->buffer, w->used);
  w->at += w->used;
  w->used = 0;
}

static void put_bytes(slice_writer *w, const void *bytes, size_t size) {
  w->sum.sum = crc32c(w->sum.sum, bytes, size);
  w->sum.bytes += size;
  for (const char *from = bytes; size > 0 && w->status == GEODISK_OK;) {
    const size_t n = size < SLICE_BUFFER - w->used ? size : SLICE_BUFFER - w->used;
    memcpy(w->buffer + w->used, from, n);
    w->used += n;
    from += n;
    size -= n;
    if (w->used == SLICE_BUFFER)
      flush_slice(w);
  }
}

/* Numbers of memory, as they lie in the file. */
static void put_numbers(slice_writer *w, const char *numbers, size_t count, size_t size) {
  if (order_is_ours(size)) {
    put_bytes(w, numbers, count * size);
    return;
  }
  for (size_t i = 0; i < count && w->status == GEODISK_OK; i++) {
    char turned[8];
    order_copy(turned, numbers + i * size, 1, size);
    put_bytes(w, turned, size);
  }
}

/* Starts of names count from the file's first name; the last one is where the last name of the file ends. */
static void put_starts(slice_writer *w, const uint64_t *starts, size_t nodes) {
  const bool last = w->slice->nodes_before + nodes == w->slice->nodes;
  for (size_t i = 0; i < nodes + last && w->status == GEODISK_OK; i++) {
    const uint64_t start = starts[i] + w->slice->name_bytes_before;
    put_numbers(w, (const char *)&start, 1, sizeof start);
  }
}

/* The range of an array that belongs to the slice; the array begins at byte `begin` of the file. */
static void put_array(slice_writer *w, const geodisk_model *model, const placed *array, uint64_t begin) {
  const geodisk_tensor *t = &array->tensor;
  const size_t size = geodisk_type_size(t->type), row = model_row_length(t) * size, stride = model_row_stride(t) * size;
  const bool of_nodes = model_reserved_name(array->name), names = strcmp(array->name, "names") == 0;
  flush_slice(w);
  if (!of_nodes && w->slice->nodes_before > 0)
    return; /* whoever has the first node writes what does not belong to nodes */
  w->at = begin + (names ? w->slice->name_bytes_before : of_nodes ? w->slice->nodes_before * row : 0);
  if (names) {
    put_bytes(w, t->data, (size_t)model->names->starts[model->nodes]);
  } else if (strcmp(array->name, "name_offsets") == 0) {
    put_starts(w, model->names->starts, model->nodes);
  } else {
    const size_t rows = of_nodes ? model->nodes : t->rank > 0 ? t->shape[0] : 1;
    for (size_t i = 0; i < rows && w->status == GEODISK_OK; i++)
      put_numbers(w, (const char *)t->data + i * stride, row / size, size);
  }
}

/* How many arrays there are is the same in every slice. */
static geodisk_status check_slice(geodisk_context *context, const geodisk_model *model, const char *path,
                                  const model_slice *slice) {
  if (model->n_extras + 5 > MODEL_SLICE_ARRAYS)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "%s: not written: more than %d tensors by many at once", path,
                        MODEL_SLICE_ARRAYS);
  return check_model(context, model, path, (size_t)slice->nodes_before);
}

geodisk_status model_slice_write(geodisk_context *context, const geodisk_model *model, const char *path, const model_slice *slice,
                                 model_put_fn put, void *user, model_sums *sums) {
  geodisk_status status = check_slice(context, model, path, slice);
  if (status != GEODISK_OK)
    return status;
  byte_sink header = {0}; /* tells where the arrays begin */
  model_sums mine = {.count = 0};
  placed *arrays = NULL;
  slice_writer w = {.slice = slice, .put = put, .user = user, .buffer = geodisk_allocate(SLICE_BUFFER, 1)};
  status = prepare(context, model, path, slice, NULL, &arrays, &mine.count, &header);
  if (status == GEODISK_OK && w.buffer == NULL)
    status = geodisk_no_memory(context, "to write %s", path);
  uint64_t begin = header.length;
  for (size_t i = 0; i < mine.count && status == GEODISK_OK && w.status == GEODISK_OK; i++) {
    w.sum = (model_sum){0, 0};
    put_array(&w, model, &arrays[i], begin);
    mine.of[i] = w.sum;
    begin += tensor_bytes(&arrays[i].tensor);
  }
  flush_slice(&w);
  status = status == GEODISK_OK ? w.status : status;
  if (status == GEODISK_OK)
    *sums = mine;
  geodisk_free_all(w.buffer, header.bytes, arrays);
  return status;
}

void model_sums_join(model_sums *sums, const model_sums *next) {
  if (sums->count == 0)
    sums->count = next->count;
  for (size_t i = 0; i < next->count; i++) {
    sums->of[i].sum = crc32c_join(sums->of[i].sum, next->of[i].sum, next->of[i].bytes);
    sums->of[i].bytes += next->of[i].bytes;
  }
}

geodisk_status model_slice_header(geodisk_context *context, const geodisk_model *model, const char *path,
                                  const model_slice *slice, const model_sums *sums, model_put_fn put, void *user) {
  byte_sink header = {0};
  size_t n = 0;
  placed *arrays = NULL;
  geodisk_status status = prepare(context, model, path, slice, sums, &arrays, &n, &header);
  if (status == GEODISK_OK)
    status = put(user, 0, header.bytes, header.length);
  geodisk_free_all(header.bytes, arrays);
  return status;
}

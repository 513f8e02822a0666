/* model_slice.c - a range of the nodes of a model file as a model of its own. The header is read whole; of the arrays, the rows
 * of the range. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "byte_order.h"
#include "kernel/crc32c.h"
#include "slices.h"
#include "sums.h"

struct model_file {
  geodisk_context *context;
  char *path;
  int fd;
  uint64_t size;
  file_header header;
  uint64_t nodes;
};

static geodisk_status fail_format(const model_file *file, const char *name) {
  return geodisk_fail(file->context, GEODISK_ERROR_FORMAT, "%s: %s does not fit the number of nodes", file->path, name);
}

static geodisk_status read_at(const model_file *file, uint64_t at, void *out, size_t size) {
  for (char *to = out; size > 0;) {
    const ssize_t n = pread(file->fd, to, size, (off_t)at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return geodisk_fail(file->context, GEODISK_ERROR_IO, "%s: cannot read: %s", file->path,
                          n < 0 ? strerror(errno) : "it became shorter");
    to += n;
    at += (uint64_t)n;
    size -= (size_t)n;
  }
  return GEODISK_OK;
}

static geodisk_status read_header(model_file *file) {
  unsigned char length[8] = {0};
  uint64_t bytes = 0;
  geodisk_status status = read_at(file, 0, length, file->size < 8 ? (size_t)file->size : 8);
  for (int i = 7; i >= 0; i--)
    bytes = bytes << 8 | length[i];
  if (bytes > HEADER_MAX || file->size < 8 || bytes > file->size - 8)
    bytes = 0; /* the parser says what is wrong */
  char *text = geodisk_allocate(8 + (size_t)bytes, 1);
  if (status == GEODISK_OK && text == NULL)
    status = geodisk_no_memory(file->context, "to read %s", file->path);
  if (status == GEODISK_OK) {
    memcpy(text, length, sizeof length);
    status = read_at(file, 8, text + 8, (size_t)bytes);
  }
  if (status == GEODISK_OK)
    status = header_parse(file->context, file->path, text, (size_t)file->size, &file->header);
  free(text);
  return status;
}

geodisk_status model_file_open(geodisk_context *context, const char *path, model_file **out) {
  geodisk_status status = GEODISK_OK;
  struct stat about;
  model_file *file = geodisk_allocate_zero(1, sizeof *file);
  if (file == NULL || (file->path = strdup(path)) == NULL) {
    free(file);
    return geodisk_no_memory(context, "to read %s", path);
  }
  file->context = context;
  file->fd = open(path, O_RDONLY | O_CLOEXEC);
  if (file->fd < 0 || fstat(file->fd, &about) != 0)
    status = geodisk_fail(context, GEODISK_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
  else if (!S_ISREG(about.st_mode))
    status = geodisk_fail(context, GEODISK_ERROR_IO, "%s: is not a plain file, which a model read by many must be", path);
  else
    file->size = (uint64_t)about.st_size;
  if (status == GEODISK_OK)
    status = read_header(file);
  const file_tensor *vectors = status == GEODISK_OK ? header_tensor(&file->header, "vectors") : NULL;
  if (vectors != NULL && vectors->tensor.rank == 2)
    file->nodes = vectors->tensor.shape[0];
  if (status == GEODISK_OK && file->nodes == 0)
    status = geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: vectors is missing, or not of shape [nodes, dim]", path);
  if (status == GEODISK_OK)
    *out = file;
  else
    model_file_close(file);
  return status;
}

void model_file_close(model_file *file) {
  if (file == NULL)
    return;
  if (file->fd >= 0)
    close(file->fd);
  header_free(&file->header);
  geodisk_free_all(file->path, file);
}

uint64_t model_file_nodes(const model_file *file) { return file->nodes; }

/* ---- slices ----------------------------------------------------------------------------------------------------------- */

/* What is being cut out. */
typedef struct cutting {
  const model_file *file;
  uint64_t first;
  size_t count;
  uint64_t name_begin, name_end; /* bytes of the names */
  file_header header;            /* of the slice; names, texts are the file's */
  char *block;
  uint64_t used;
  size_t unread; /* arrays that are not cut */
} cutting;

/* Where the names of the range lie. */
static geodisk_status find_names(cutting *c) {
  const model_file *file = c->file;
  const file_tensor *starts = header_tensor(&file->header, "name_offsets"), *names = header_tensor(&file->header, "names");
  uint64_t ends[2], there;
  if (starts == NULL || starts->tensor.type != GEODISK_TYPE_U64 || starts->tensor.rank != 1 ||
      starts->tensor.shape[0] != file->nodes + 1 || names == NULL || names->tensor.rank != 1 ||
      names->tensor.type != GEODISK_TYPE_U8)
    return fail_format(file, "name_offsets");
  for (int i = 0; i < 2; i++) {
    const uint64_t at = file->header.data + starts->begin + (c->first + (i == 0 ? 0 : c->count)) * sizeof *ends;
    const geodisk_status status = read_at(file, at, &there, sizeof there);
    if (status != GEODISK_OK)
      return status;
    order_copy(&ends[i], &there, 1, sizeof there);
  }
  if (ends[0] > ends[1] || ends[1] > names->end - names->begin)
    return fail_format(file, "name_offsets");
  c->name_begin = ends[0];
  c->name_end = ends[1];
  return GEODISK_OK;
}

/* The part of an array that belongs to the range: *from and its size in bytes; a shape to go with it. */
static geodisk_status cut_array(const cutting *c, const file_tensor *t, file_tensor *out, uint64_t *from) {
  const bool names = strcmp(t->name, "names") == 0;
  const size_t extra = strcmp(t->name, "name_offsets") == 0; /* one more than nodes */
  *out = *t;
  *from = t->begin;
  if (names) {
    *from += c->name_begin;
    out->tensor.shape[0] = (size_t)(c->name_end - c->name_begin);
    out->end = out->begin + (c->name_end - c->name_begin);
  } else if (model_reserved_name(t->name)) {
    if (t->tensor.rank < 1 || t->tensor.shape[0] != c->file->nodes + extra)
      return fail_format(c->file, t->name);
    const uint64_t row = (t->end - t->begin) / t->tensor.shape[0];
    *from += c->first * row;
    out->tensor.shape[0] = c->count + extra;
    out->end = out->begin + (c->count + extra) * row;
  }
  return GEODISK_OK;
}

static bool is_wanted(const char *name) { return model_reserved_name(name) || strcmp(name, "history") == 0; }

/* Lets starts of names count from another place; those before it become large, which is found out. */
static void count_from(char *starts, size_t count, uint64_t place) {
  for (size_t i = 0; i < count; i++) {
    uint64_t start;
    order_copy(&start, starts + i * sizeof start, 1, sizeof start);
    start -= place;
    order_copy(starts + i * sizeof start, &start, 1, sizeof start);
  }
}

/* Lays the wanted arrays out one after the other, each at a multiple of 8, and reads them. */
static geodisk_status cut_all(cutting *c) {
  const file_header *whole = &c->file->header;
  geodisk_status status = GEODISK_OK;
  uint64_t *from = geodisk_allocate(whole->n_tensors, sizeof *from);
  c->header.tensors = geodisk_allocate(whole->n_tensors, sizeof *c->header.tensors);
  if (from == NULL || c->header.tensors == NULL)
    status = geodisk_no_memory(c->file->context, "to read %s", c->file->path);
  for (size_t i = 0; i < whole->n_tensors && status == GEODISK_OK; i++) {
    if (!is_wanted(whole->tensors[i].name)) {
      c->unread++;
      continue;
    }
    file_tensor *t = &c->header.tensors[c->header.n_tensors];
    status = cut_array(c, &whole->tensors[i], t, &from[c->header.n_tensors++]);
    const uint64_t bytes = t->end - t->begin;
    t->begin = c->used;
    t->end = c->used + bytes;
    c->used = (t->end + 7) / 8 * 8;
  }
  if (status == GEODISK_OK && (c->used > SIZE_MAX || (c->block = geodisk_allocate((size_t)c->used, 1)) == NULL))
    status = geodisk_no_memory(c->file->context, "to read %s", c->file->path);
  for (size_t i = 0; i < c->header.n_tensors && status == GEODISK_OK; i++) {
    const file_tensor *t = &c->header.tensors[i];
    status = read_at(c->file, whole->data + from[i], c->block + t->begin, (size_t)(t->end - t->begin));
    if (status == GEODISK_OK && strcmp(t->name, "name_offsets") == 0)
      count_from(c->block + t->begin, c->count + 1, c->name_begin);
  }
  free(from);
  return status;
}

geodisk_status model_file_slice(model_file *file, uint64_t first, size_t count, geodisk_model **out) {
  cutting c = {.file = file, .first = first, .count = count};
  c.header.texts = file->header.texts;
  c.header.n_texts = file->header.n_texts;
  geodisk_model *model = geodisk_allocate_zero(1, sizeof *model);
  geodisk_status status = model != NULL ? find_names(&c) : geodisk_no_memory(file->context, "to read %s", file->path);
  if (status == GEODISK_OK)
    status = cut_all(&c);
  if (status == GEODISK_OK) {
    model->block = c.block;
    model->block_size = (size_t)c.used;
    model->n_unread = c.unread;
    c.block = NULL;
    status = model_from_header(file->context, file->path, &c.header, (size_t)first, model);
  }
  geodisk_free_all(c.block, c.header.tensors);
  if (status == GEODISK_OK)
    *out = model;
  else if (model != NULL)
    geodisk_model_destroy(model);
  return status;
}

/* ---- sums -------------------------------------------------------------------------------------------------------------- */

geodisk_status model_file_sum(model_file *file, int part, int parts, model_sums *out) {
  enum { AT_ONCE = 1 << 20 };
  model_sums sums = {.count = 0};
  geodisk_status status = GEODISK_OK;
  char *buffer = geodisk_allocate(AT_ONCE, 1);
  if (buffer == NULL)
    return geodisk_no_memory(file->context, "to read %s", file->path);
  for (size_t i = 0; i < file->header.n_tensors && status == GEODISK_OK; i++) {
    const file_tensor *t = &file->header.tensors[i];
    if (!is_wanted(t->name))
      continue;
    const uint64_t bytes = t->end - t->begin, n = (uint64_t)parts, k = (uint64_t)part, rest = bytes % n;
    model_sum *sum = &sums.of[sums.count++];
    uint64_t at = bytes / n * k + (k < rest ? k : rest);
    const uint64_t end = at + bytes / n + (k < rest);
    sum->bytes = end - at;
    while (at < end && status == GEODISK_OK && file->header.has_sums) {
      const size_t size = end - at < AT_ONCE ? (size_t)(end - at) : AT_ONCE;
      status = read_at(file, file->header.data + t->begin + at, buffer, size);
      if (status == GEODISK_OK)
        sum->sum = crc32c(sum->sum, buffer, size);
      at += size;
    }
  }
  free(buffer);
  if (status == GEODISK_OK)
    *out = sums;
  return status;
}

geodisk_status model_file_check(const model_file *file, const model_sums *sums) {
  size_t next = 0;
  for (size_t i = 0; i < file->header.n_tensors && file->header.has_sums; i++) {
    const file_tensor *t = &file->header.tensors[i];
    if (is_wanted(t->name) && sums->of[next++].sum != t->sum)
      return sums_fail(file->context, file->path, t, sums->of[next - 1].sum);
  }
  return GEODISK_OK;
}

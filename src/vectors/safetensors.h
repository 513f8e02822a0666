/* safetensors.h - the header of a safetensors file: which arrays there are, where they lie, and texts by key. Internal to the
 * vectors module.
 *
 *   8 bytes   length of the header, little endian
 *   header    {"__metadata__": {key: text, ...}, name: {"dtype": "F64", "shape": [..], "data_offsets": [begin, end]}, ...}
 *             followed by blanks so that the data begin at a multiple of 8
 *   data      the arrays, without holes; offsets count from here */
#pragma once

#include "model.h"

/* Limits of what is read: the header's as in the public readers, the others so that a hostile header stays cheap. */
enum { HEADER_MAX = 100000000, TENSORS_MAX = 1024, TEXTS_MAX = 4096 };

/* One array of the file; tensor.data is not set. */
typedef struct file_tensor {
  char *name;
  geodisk_tensor tensor;
  uint64_t begin, end; /* bytes, from the start of the data */
  uint32_t sum;        /* if the header has sums */
} file_tensor;

typedef struct file_header {
  file_tensor *tensors;
  size_t n_tensors, tensor_room;
  model_text *texts;
  size_t n_texts, text_room;
  size_t data;   /* where the data begin in the file */
  size_t digits; /* where the header's own sum stands in the file; 0: there is none */
  bool has_sums; /* it is right, and every array has one (sums.h) */
} file_header;

/* Reads and checks the header of a file of `size` bytes: syntax, types, sizes, arrays that cover the data without holes or
 * overlaps, its own sum. Of `file` only the header is looked at. Errors: FORMAT, MEMORY. */
geodisk_status header_parse(geodisk_context *context, const char *label, const char *file, size_t size, file_header *out);
void header_free(file_header *header);

/* For files that come bit by bit. The length of the header that the first 9 bytes announce; false if they cannot begin a model.
 * And how many bytes of data a whole header announces; false if it is not one. */
bool header_length(const char *file, size_t size, size_t *length);
bool header_data_size(const char *file, size_t size, size_t *out);

/* The array of that name, or NULL. */
const file_tensor *header_tensor(const file_header *header, const char *name);
const char *header_text(const file_header *header, const char *key);

/* The name of a type in the file, e.g. "F64". */
const char *header_type_name(geodisk_type type);

/* Fills a model whose block holds the arrays of the header; node 0 is called `first` in messages. */
geodisk_status model_from_header(geodisk_context *context, const char *label, const file_header *header, size_t first,
                                 geodisk_model *model);

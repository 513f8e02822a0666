/* model.h - how a model lies in memory. Internal to the vectors module. */
#pragma once

#include "base/names.h"
#include "geodisk/vectors.h"

enum { MODEL_MAX_DIM = 1 << 16 };

/* How far a gap may be from what its coordinates say: MODEL_GAP_RELATIVE (S + |S(x)|) + MODEL_GAP_* R^2. The trainer's gaps agree
 * to 1e-6; coordinates of double know S to 2^-52 R^2, of float to 2^-23 R^2, and both drift for a while between corrections. */
#define MODEL_GAP_RELATIVE 0x1p-10
#define MODEL_GAP_DOUBLE   0x1p-30
#define MODEL_GAP_FLOAT    0x1p-12

/* An array and, if it is the model's own, what to free. */
typedef struct model_array {
  geodisk_tensor view; /* data NULL: there is none */
  void *own;
} model_array;

typedef struct model_extra {
  char *name;
  model_array array;
} model_extra;

typedef struct model_text {
  char *key, *text;
} model_text;

struct geodisk_model {
  size_t nodes;
  geodisk_ball ball;
  geodisk_space space;
  geodisk_precision precision;
  model_array vectors, gap, counts;
  name_index *names;
  model_text *texts; /* sorted by key */
  size_t n_texts;
  model_extra *extras;       /* sorted by name */
  size_t n_extras, n_unread; /* unread: what the file has besides, of a slice */
  void *block;               /* the file: mapped, or read into memory; or NULL */
  size_t block_size;
  bool mapped;
};

/* Numbers in a tensor; false if that many bytes do not fit a size_t. */
bool model_tensor_count(const geodisk_tensor *tensor, size_t *count);

/* Numbers from one row to the next, and in a row (both 1 for rank 0). */
size_t model_row_length(const geodisk_tensor *tensor);
size_t model_row_stride(const geodisk_tensor *tensor);

/* A node's gap, and |x|^2, which is not finite if an entry is not (or if it is far outside any ball a model may have). */
double model_gap_at(const geodisk_model *model, size_t node);
double model_coordinate_at(const geodisk_model *model, size_t node, size_t k);
double model_square_at(const geodisk_model *model, size_t node);

/* The first node whose vector or gap may not be in a model, with the reason; false if there is none. */
typedef struct model_fault {
  size_t node;
  const char *array; /* "vectors" or "gap" */
  char reason[160];
} model_fault;
bool model_points_fault(geodisk_context *context, const geodisk_model *model, model_fault *out);

/* Gives back the file's block. */
void model_release_block(geodisk_model *model);

/* Whether this key belongs to the file itself, and this name to an array of the model. */
bool model_reserved_key(const char *key);
bool model_reserved_name(const char *name);

/* A model from parts which it takes over (empty afterwards, whatever the result): its names, and its vectors and gaps (NULL in
 * Euclidean space) in blocks that free() takes. The points are not checked. */
typedef struct model_parts {
  name_index *names;
  geodisk_ball ball;
  geodisk_space space;
  geodisk_precision precision;
  void *vectors, *gap;
} model_parts;
geodisk_status model_assemble(model_parts *parts, geodisk_model **out);

/* For the reader, which has found the tensor in a file: adds it without checking its name. Takes over *own. */
geodisk_status model_put_extra(geodisk_model *model, const char *name, const geodisk_tensor *tensor, void *own);
void model_remove_extra(geodisk_model *model, const char *name); /* if it is there */

/* Whether the history of a model that was read is one: its shape, the names of its columns, its numbers. FORMAT. */
geodisk_status model_check_history(geodisk_context *context, const char *label, const geodisk_model *model);

/* The same for the decision that its hierarchy is asked by: the tensors "is_a" and "reach" (knowledge.c). */
geodisk_status model_check_hierarchy(geodisk_context *context, const char *label, const geodisk_model *model);

/* The history of one model for another that follows from it. */
geodisk_status model_copy_history(geodisk_context *context, const geodisk_model *from, geodisk_model *to);

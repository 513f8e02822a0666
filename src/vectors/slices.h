/* slices.h - model files written and read by many at once, each a range of the nodes: the same bytes as one process writes. Seen
 * by src/vectors and the back-ends. */
#pragma once

#include "geodisk/vectors.h"

/* Which nodes of the whole file a model has: those after nodes_before others. */
typedef struct model_slice {
  uint64_t nodes, nodes_before;           /* of the whole file, and before the slice */
  uint64_t name_bytes, name_bytes_before; /* likewise, NULs included */
} model_slice;

/* Takes bytes for a place in the file. */
typedef geodisk_status (*model_put_fn)(void *user, uint64_t at, const void *bytes, size_t size);

/* The sum of what a slice has of an array, and how many bytes that is. */
typedef struct model_sum {
  uint32_t sum;
  uint64_t bytes;
} model_sum;

enum { MODEL_SLICE_ARRAYS = 64 };

/* The sums of all arrays of a file, as far as a slice has them; all zero: of nothing. */
typedef struct model_sums {
  size_t count;
  model_sum of[MODEL_SLICE_ARRAYS];
} model_sums;

/* Puts the slice's arrays where they belong; the slice with the first node also puts other tensors. Metadata and other tensors
 * must be alike in all slices. *sums is what it has put. `path` is for messages. Errors: as geodisk_model_write, and those of
 * `put`. */
geodisk_status model_slice_write(geodisk_context *context, const geodisk_model *model, const char *path, const model_slice *slice,
                                 model_put_fn put, void *user, model_sums *sums);

/* Joins the sums of the next slice to those of all before it. */
void model_sums_join(model_sums *sums, const model_sums *next);

/* Puts the header of the file, once the sums of all slices are joined; any slice may do it. */
geodisk_status model_slice_header(geodisk_context *context, const geodisk_model *model, const char *path,
                                  const model_slice *slice, const model_sums *sums, model_put_fn put, void *user);

/* A model file of which only parts are read. */
typedef struct model_file model_file;
geodisk_status model_file_open(geodisk_context *context, const char *path, model_file **out);
void model_file_close(model_file *file); /* NULL is fine */
uint64_t model_file_nodes(const model_file *file);

/* A model of `count` >= 1 nodes from number `first` on, with the file's metadata and its tensor "history"; no other. Checked as
 * geodisk_model_read does, as far as it was read. */
geodisk_status model_file_slice(model_file *file, uint64_t first, size_t count, geodisk_model **out);

/* The sums of the `part`-th of `parts` parts of the bytes of every array that slices have; joined in their order, they must be
 * those that the header says (FORMAT, naming the array; OK if it has none). */
geodisk_status model_file_sum(model_file *file, int part, int parts, model_sums *out);
geodisk_status model_file_check(const model_file *file, const model_sums *sums);

/* ---- other formats ---------------------------------------------------------------------------------------------------- */

/* What a slice gives to a file in another format. */
typedef struct model_export {
  const geodisk_model *model; /* the slice */
  geodisk_export_options options;
  const char *path;
  uint64_t nodes;  /* of the whole file */
  bool first;      /* the slice has the first node: what stands before the rows comes with it */
  bool names_only; /* the names, one a line, that go beside npy */
} model_export;

/* Takes the slice's bytes of the file, one after the other. */
typedef geodisk_status (*model_export_fn)(void *user, const void *bytes, size_t size);

/* The bytes of geodisk_model_export; UNSUPPORTED for the model format, and where names have to be changed. */
geodisk_status model_slice_export(geodisk_context *context, const model_export *job, model_export_fn put, void *user,
                                  geodisk_export_info *info);

/* Where the names go beside the file; NULL: nowhere. free() it. */
geodisk_status model_export_names_path(geodisk_context *context, const char *path, const geodisk_export_options *o, char **out);

/* The log events about what all slices have lost together; worst: the name of the node that was moved most. */
void model_export_report(geodisk_context *context, const model_export *job, const geodisk_export_info *info, const char *worst);

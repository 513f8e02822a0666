/* slices.h - model files written and read by many at once, each a range of the nodes: the same bytes as one process writes. Seen
 * by src/vectors and the back-ends. */
#ifndef GEODISK_VECTORS_SLICES_H
#define GEODISK_VECTORS_SLICES_H

#include "geodisk/vectors.h"

/* Which nodes of the whole file a model has: those after nodes_before others. */
typedef struct model_slice {
  uint64_t nodes, nodes_before;           /* of the whole file, and before the slice */
  uint64_t name_bytes, name_bytes_before; /* likewise, NULs included */
} model_slice;

/* Takes bytes for a place in the file. */
typedef geodisk_status (*model_put_fn)(void *user, uint64_t at, const void *bytes, size_t size);

/* Puts the slice's bytes where they belong; the slice with the first node also puts the header, its metadata and other tensors,
 * which all slices must have alike. `path` is for messages. Errors: as geodisk_model_write, and those of `put`. */
geodisk_status model_slice_write(geodisk_context *context, const geodisk_model *model, const char *path, const model_slice *slice,
                                 model_put_fn put, void *user);

/* A model file of which only parts are read. */
typedef struct model_file model_file;
geodisk_status model_file_open(geodisk_context *context, const char *path, model_file **out);
void model_file_close(model_file *file); /* NULL is fine */
uint64_t model_file_nodes(const model_file *file);

/* A model of `count` >= 1 nodes from number `first` on, with the file's metadata and its tensor "history"; no other. Checked as
 * geodisk_model_read does, as far as it was read. */
geodisk_status model_file_slice(model_file *file, uint64_t first, size_t count, geodisk_model **out);

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

#endif

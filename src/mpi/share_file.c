/* share_file.c - checkpoints written and read by all ranks, each its range of the nodes. */
#include "share.h"

#include "embed/placement/placement.h"
#include "exchange.h"
#include "share_sums.h"
#include "shared_file.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

static geodisk_status put_range(void *user, uint64_t at, const void *bytes, size_t size) {
  return shared_file_put(user, at, bytes, size);
}

/* The slice of the model that this rank has. */
static geodisk_status model_of_range(geodisk_context *context, const mpi_share *share, const checkpoint *c, geodisk_model **out) {
  geodisk_model *model = NULL;
  const geodisk_status status = embed_checkpoint_model(context, c, &model);
  if (status != GEODISK_OK)
    return status;
  uint64_t *counts = geodisk_model_edit_counts(model); /* in how many edges a node stands */
  for (size_t i = 0; i < share->owned; i++)
    counts[i] = share->offsets[i + 1] - share->offsets[i] + share->in_degree[i];
  *out = model;
  return GEODISK_OK;
}

/* This rank's range of the file; the one with the first node writes the header once the sums of all are known. */
static geodisk_status write_range(shared_file *file, const mpi_share *share, const checkpoint *c) {
  const uint64_t name_bytes = share->name_starts[share->owned];
  const model_slice slice = {share->nodes, share->first, mpi_sum(share->comm, name_bytes),
                             mpi_sum_before(share->comm, name_bytes)};
  geodisk_model *model = NULL;
  model_sums mine = {.count = 0}, all = {.count = 0};
  geodisk_status status = share->owned > 0 ? model_of_range(file->context, share, c, &model) : GEODISK_OK;
  if (status == GEODISK_OK && model != NULL)
    status = model_slice_write(file->context, model, file->path, &slice, put_range, file, &mine);
  const geodisk_status joined = mpi_join_sums(file->context, file->comm, &mine, &all);
  if (status == GEODISK_OK)
    status = joined;
  if (status == GEODISK_OK && model != NULL && share->first == 0)
    status = model_slice_header(file->context, model, file->path, &slice, &all, put_range, file);
  geodisk_model_destroy(model);
  return status;
}

geodisk_status mpi_share_save(geodisk_context *context, const mpi_share *share, const checkpoint *c, const char *path) {
  shared_file file;
  checkpoint mine = *c;
  mine.fingerprint = share->fingerprint;
  mine.nodes = share->owned;
  mine.names = share->names;
  mine.starts = share->name_starts;
  const geodisk_status status = shared_file_open(context, share->comm, path, &file);
  return status == GEODISK_OK ? shared_file_close(&file, write_range(&file, share, &mine)) : status;
}

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

/* The rows of the owned nodes, as a plain process takes them over; the names must be those of the graph. */
static geodisk_status take_rows(geodisk_context *context, const mpi_share *share, const geodisk_model *model, const char *path,
                                const geodisk_train_options *options, void **out) {
  const size_t bytes = embed_stride(options) * (options->precision == GEODISK_PRECISION_FLOAT ? sizeof(float) : sizeof(double));
  double x[GEODISK_DIM_MOST], gap;
  if (geodisk_model_dim(model) != options->dim || geodisk_model_space(model) != options->space)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: its points do not fit its options", path);
  char *rows = geodisk_allocate_zero((size_t)share->owned + 1, bytes);
  if (rows == NULL)
    return geodisk_no_memory(context, "for %u points", share->owned);
  for (uint32_t i = 0; i < share->owned; i++) {
    if (strcmp(geodisk_model_name(model, i), share->names + share->name_starts[i]) != 0) {
      free(rows);
      return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: node %u is called '%.64s', in the graph '%.64s'", path,
                          share->first + i, geodisk_model_name(model, i), share->names + share->name_starts[i]);
    }
    geodisk_model_point(model, i, x, &gap);
    embed_write_row(options, rows + i * bytes, x, options->space == GEODISK_SPACE_EUCLIDEAN ? 1.0 : gap);
  }
  *out = rows;
  return GEODISK_OK;
}

/* A rank without nodes reads the first one, for what the file says. */
static geodisk_status load_range(geodisk_context *context, const mpi_share *share, const char *path,
                                 const geodisk_train_options *options, checkpoint_found *found, void **rows) {
  model_file *file = NULL;
  geodisk_model *model = NULL;
  const checkpoint_graph graph = {share->fingerprint, (size_t)share->nodes};
  geodisk_status status = model_file_open(context, path, &file);
  if (status != GEODISK_OK)
    return status;
  const uint64_t nodes = model_file_nodes(file);
  const bool fits = nodes == share->nodes && share->owned > 0; /* else it is refused below */
  status = model_file_slice(file, fits ? share->first : 0, fits ? share->owned : 1, &model);
  if (status == GEODISK_OK)
    status = embed_checkpoint_read(context, model, (size_t)nodes, path, &graph, options, found);
  if (status == GEODISK_OK)
    status = take_rows(context, share, model, path, &found->options, rows);
  geodisk_model_destroy(model);
  model_file_close(file);
  return status;
}

geodisk_status mpi_share_load(geodisk_context *context, const mpi_share *share, const char *path,
                              const geodisk_train_options *options, checkpoint_found *found, void **rows) {
  checkpoint_found mine = {.history = NULL};
  void *my_rows = NULL;
  geodisk_status status = mpi_check_sums(context, share->comm, path);
  if (status == GEODISK_OK)
    status = mpi_agree(context, share->comm, load_range(context, share, path, options, &mine, &my_rows));
  if (status != GEODISK_OK) {
    geodisk_free_all(mine.history, my_rows);
    return status;
  }
  *found = mine;
  *rows = my_rows;
  return GEODISK_OK;
}

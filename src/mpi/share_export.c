/* share_export.c - a model in another format, written by all ranks: each makes the rows of its nodes twice, first to learn how
 * many bytes they are, so that everybody's place in the file is known, then to write them. */
#include "exchange.h"
#include "geodisk/mpi.h"
#include "launch.h"
#include "share_relation.h"
#include "shared_file.h"
#include "vectors/slices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPORT_BUFFER = 1 << 20, WORST_BYTES = 128 };

/* Where bytes go: counted only, or collected and written. */
typedef struct export_sink {
  shared_file *file; /* NULL: counted */
  uint64_t at;       /* of the buffer's first byte; counted: how many there were */
  char *buffer;
  size_t used;
} export_sink;

static geodisk_status flush_sink(export_sink *sink) {
  const geodisk_status status = shared_file_put(sink->file, sink->at, sink->buffer, sink->used);
  sink->at += sink->used;
  sink->used = 0;
  return status;
}

static geodisk_status take_bytes(void *user, const void *bytes, size_t size) {
  export_sink *sink = user;
  geodisk_status status = GEODISK_OK;
  if (sink->file == NULL) {
    sink->at += size;
    return GEODISK_OK;
  }
  for (const char *from = bytes; size > 0 && status == GEODISK_OK;) {
    const size_t n = size < EXPORT_BUFFER - sink->used ? size : EXPORT_BUFFER - sink->used;
    memcpy(sink->buffer + sink->used, from, n);
    sink->used += n;
    from += n;
    size -= n;
    if (sink->used == EXPORT_BUFFER)
      status = flush_sink(sink);
  }
  return status;
}

/* This rank's bytes; one without nodes has none. */
static geodisk_status make_bytes(geodisk_context *context, const model_share *share, const model_export *job, export_sink *sink,
                                 geodisk_export_info *info) {
  if (share->owned == 0)
    return GEODISK_OK;
  geodisk_status status = model_slice_export(context, job, take_bytes, sink, info);
  if (status == GEODISK_OK && sink->file != NULL)
    status = flush_sink(sink);
  return status;
}

static geodisk_status export_file(geodisk_context *context, const model_share *share, const model_export *job, const char *path,
                                  geodisk_export_info *info) {
  shared_file file;
  export_sink count = {.file = NULL}, write = {.buffer = geodisk_allocate(EXPORT_BUFFER, 1)};
  geodisk_status status = mpi_agree_memory(context, share->comm, write.buffer != NULL, "the file");
  if (status == GEODISK_OK)
    status = mpi_agree(context, share->comm, make_bytes(context, share, job, &count, info));
  if (status == GEODISK_OK) {
    write.at = mpi_sum_before(share->comm, count.at);
    write.file = &file;
    status = shared_file_open(context, share->comm, path, &file);
  }
  if (status == GEODISK_OK)
    status = shared_file_close(&file, make_bytes(context, share, job, &write, info));
  free(write.buffer);
  return status;
}

/* What all have lost together, and the name of the node that was moved most: of several, the first. */
static void add_losses(const model_share *share, geodisk_export_info *info, char worst[WORST_BYTES]) {
  struct {
    double value;
    int rank;
  } mine = {info->worst, share->rank}, most;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, share->comm);
  struct {
    double radius;
    uint64_t left_out;
    uint32_t node;
    char name[WORST_BYTES];
  } there = {info->worst_radius, info->left_out, share->first + info->worst_node, {0}};
  if (share->owned > 0)
    snprintf(there.name, sizeof there.name, "%s", geodisk_model_name(share->model, info->worst_node));
  MPI_Bcast(&there, (int)sizeof there, MPI_BYTE, most.rank, share->comm);
  const uint64_t sums[2] = {info->moved, info->pulled};
  uint64_t all[2], left_out = info->left_out, most_left_out = 0;
  MPI_Allreduce(sums, all, 2, MPI_UINT64_T, MPI_SUM, share->comm);
  MPI_Allreduce(&left_out, &most_left_out, 1, MPI_UINT64_T, MPI_MAX, share->comm);
  info->moved = all[0];
  info->pulled = all[1];
  info->left_out = most_left_out;
  info->worst = most.value;
  info->worst_radius = there.radius;
  info->worst_node = there.node;
  memcpy(worst, there.name, WORST_BYTES);
}

geodisk_status geodisk_mpi_export(geodisk_context *context, geodisk_mpi *mpi, const char *model, const char *path,
                                  const geodisk_export_options *options, geodisk_mpi_exported *out) {
  model_share share = {.model = NULL};
  geodisk_status status = model_share_read(context, mpi->comm, model, &share);
  if (status != GEODISK_OK)
    return status;
  model_export job = {.model = share.model, .path = path, .nodes = share.nodes, .first = share.first == 0};
  if (options != NULL)
    job.options = *options;
  char *names = NULL, worst[WORST_BYTES];
  geodisk_export_info info = {.moved = 0};
  status = mpi_agree(context, mpi->comm, model_export_names_path(context, path, &job.options, &names));
  if (status == GEODISK_OK && names != NULL) {
    job.names_only = true;
    status = export_file(context, &share, &job, names, &info);
    job.names_only = false;
  }
  if (status == GEODISK_OK)
    status = export_file(context, &share, &job, path, &info);
  if (status == GEODISK_OK) {
    add_losses(&share, &info, worst);
    if (share.rank == 0)
      model_export_report(context, &job, &info, worst);
    if (out != NULL)
      *out = (geodisk_mpi_exported){.nodes = share.nodes, .dim = geodisk_model_dim(share.model), .info = info};
  }
  free(names);
  model_share_free(&share);
  return status;
}

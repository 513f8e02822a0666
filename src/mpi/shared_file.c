/* shared_file.c - a temporary file of rank 0 in which all write at their places; flushed by all, then renamed. */
#include "shared_file.h"

#include "base/file_place.h"
#include "exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static geodisk_status fail_io(const shared_file *file, const char *what) {
  return geodisk_fail(file->context, GEODISK_ERROR_IO, "%s: cannot %s: %s", file->path, what, strerror(errno));
}

geodisk_status shared_file_open(geodisk_context *context, MPI_Comm comm, const char *path, shared_file *out) {
  int rank;
  char temporary[PATH_BYTES] = {0};
  shared_file file = {.context = context, .comm = comm, .path = path, .fd = -1};
  geodisk_status status = GEODISK_OK;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    status = geodisk_file_create(context, path, &file.file);
    const char *name = status == GEODISK_OK ? file_temporary_path(file.file) : NULL;
    if (status == GEODISK_OK && (name == NULL || strlen(name) >= PATH_BYTES))
      status = geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "%s: many ranks can only write a plain file", path);
    if (status == GEODISK_OK)
      memcpy(temporary, name, strlen(name));
  }
  status = mpi_agree(context, comm, status);
  MPI_Bcast(temporary, PATH_BYTES, MPI_BYTE, 0, comm);
  if (status == GEODISK_OK && (file.fd = open(temporary, O_WRONLY | O_CLOEXEC)) < 0)
    status = fail_io(&file, "open for writing");
  if ((status = mpi_agree(context, comm, status)) == GEODISK_OK) {
    *out = file;
    return GEODISK_OK;
  }
  if (file.fd >= 0)
    close(file.fd);
  geodisk_file_abandon(file.file);
  return status;
}

geodisk_status shared_file_put(shared_file *file, uint64_t at, const void *bytes, size_t size) {
  for (const char *from = bytes; size > 0;) {
    const ssize_t n = pwrite(file->fd, from, size, (off_t)at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail_io(file, "write");
    from += n;
    at += (uint64_t)n;
    size -= (size_t)n;
  }
  return GEODISK_OK;
}

geodisk_status shared_file_close(shared_file *file, geodisk_status status) {
  if (status == GEODISK_OK && fsync(file->fd) != 0)
    status = fail_io(file, "flush");
  if (close(file->fd) != 0 && status == GEODISK_OK)
    status = fail_io(file, "close");
  status = mpi_agree(file->context, file->comm, status);
  if (status == GEODISK_OK && file->file != NULL)
    status = geodisk_file_commit(file->file);
  else
    geodisk_file_abandon(file->file);
  file->file = NULL;
  return mpi_agree(file->context, file->comm, status);
}

/* file.c - files that are there as a whole or not at all: written under a temporary name in the same folder, flushed to disk,
 * renamed. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18, NAME_ATTEMPTS = 1000 };

struct geodisk_file {
  geodisk_context *context;
  char *label;     /* the path as given, for messages */
  char *path;      /* where the temporary file goes in the end; NULL: written directly */
  char *temporary; /* NULL: none, or already renamed */
  int fd;
  bool own_fd;
  size_t used;
  char buffer[BUFFER_BYTES];
};

static geodisk_status fail_io(const geodisk_file *file, const char *what) {
  return geodisk_fail(file->context, GEODISK_ERROR_IO, "%s: cannot %s: %s", file->label, what, strerror(errno));
}

/* Length of the folder part of a path, its last slash included. */
static size_t folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* The temporary name is short and its own, so that it fits wherever the wanted name does. */
static geodisk_status open_temporary(geodisk_file *file, const struct stat *old) {
  const size_t folder = folder_length(file->path), room = folder + 64;
  char *name = geodisk_allocate(room, 1);
  if (name == NULL)
    return geodisk_fail(file->context, GEODISK_ERROR_MEMORY, "%s: not enough memory to write it", file->label);
  memcpy(name, file->path, folder);
  for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    snprintf(name + folder, room - folder, ".geodisk-%ld-%d.tmp", (long)getpid(), attempt);
    file->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd >= 0 || errno != EEXIST)
      break;
  }
  if (file->fd < 0) {
    const int reason = errno;
    free(name);
    errno = reason;
    return fail_io(file, "open for writing");
  }
  file->temporary = name;
  if (old != NULL)
    (void)!fchmod(file->fd, old->st_mode & 07777); /* as the file had; where that is not allowed, as new files have */
  return GEODISK_OK;
}

geodisk_status geodisk_file_create(geodisk_context *context, const char *path, geodisk_file **out) {
  if (path == NULL || *path == 0 || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s", out == NULL ? "out is NULL" : "the path of a file is empty");
  const bool standard = strcmp(path, "-") == 0;
  geodisk_file *file = geodisk_allocate(1, sizeof *file);
  if (file == NULL || (file->label = strdup(standard ? "standard output" : path)) == NULL) {
    free(file);
    return geodisk_fail(context, GEODISK_ERROR_MEMORY, "%s: not enough memory to write it", path);
  }
  file->context = context;
  file->path = file->temporary = NULL;
  file->fd = -1;
  file->used = 0;
  geodisk_status status = GEODISK_OK;
  struct stat about;
  const bool exists = !standard && stat(path, &about) == 0;
  if (standard) {
    file->fd = STDOUT_FILENO;
  } else if (exists && S_ISDIR(about.st_mode)) {
    status = geodisk_fail(context, GEODISK_ERROR_IO, "%s: is a directory, not a file", path);
  } else if (exists && !S_ISREG(about.st_mode)) {
    file->fd = open(path, O_WRONLY | O_CLOEXEC);
    if (file->fd < 0)
      status = fail_io(file, "open for writing");
  } else {
    file->path = exists ? realpath(path, NULL) : strdup(path); /* a link stays, the file behind it is replaced */
    if (file->path != NULL)
      status = open_temporary(file, exists ? &about : NULL);
    else if (exists)
      status = fail_io(file, "open for writing");
    else
      status = geodisk_fail(context, GEODISK_ERROR_MEMORY, "%s: not enough memory to write it", path);
  }
  file->own_fd = !standard && file->fd >= 0;
  if (status != GEODISK_OK) {
    geodisk_file_abandon(file);
    return status;
  }
  *out = file;
  return GEODISK_OK;
}

static geodisk_status write_all(const geodisk_file *file, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t n = write(file->fd, bytes, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail_io(file, "write");
    bytes += n;
    size -= (size_t)n;
  }
  return GEODISK_OK;
}

static geodisk_status flush(geodisk_file *file) {
  const geodisk_status status = write_all(file, file->buffer, file->used);
  file->used = 0;
  return status;
}

geodisk_status geodisk_file_write(geodisk_file *file, const void *bytes, size_t size) {
  if (size > BUFFER_BYTES - file->used) {
    const geodisk_status status = flush(file);
    if (status != GEODISK_OK || size >= BUFFER_BYTES)
      return status != GEODISK_OK ? status : write_all(file, bytes, size);
  }
  memcpy(file->buffer + file->used, bytes, size);
  file->used += size;
  return GEODISK_OK;
}

const char *file_temporary_path(const geodisk_file *file) { return file->temporary; }

/* The folder's entry is flushed as far as the file system lets us: the file itself is already safe. */
static void flush_folder(char *path) {
  const size_t folder = folder_length(path);
  path[folder] = 0;
  const int fd = open(folder > 0 ? path : ".", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  (void)!fsync(fd);
  close(fd);
}

geodisk_status geodisk_file_commit(geodisk_file *file) {
  geodisk_status status = flush(file);
  if (status == GEODISK_OK && file->temporary != NULL && fsync(file->fd) != 0)
    status = fail_io(file, "flush");
  if (file->own_fd) {
    file->own_fd = false;
    if (close(file->fd) != 0 && status == GEODISK_OK)
      status = fail_io(file, "close");
  }
  if (status == GEODISK_OK && file->temporary != NULL) {
    if (rename(file->temporary, file->path) == 0) {
      free(file->temporary);
      file->temporary = NULL;
      flush_folder(file->path);
    } else {
      status = fail_io(file, "put in place");
    }
  }
  geodisk_file_abandon(file);
  return status;
}

void geodisk_file_abandon(geodisk_file *file) {
  if (file == NULL)
    return;
  if (file->own_fd)
    close(file->fd);
  if (file->temporary != NULL)
    unlink(file->temporary);
  free(file->temporary);
  free(file->path);
  free(file->label);
  free(file);
}

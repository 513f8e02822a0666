/* file_output.c - writes to a temporary file beside the wanted one, flushes it to disk, renames it. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "file_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static geodisk_status fail_io(const output *out, const char *what) {
  return geodisk_fail(out->context, GEODISK_ERROR_IO, "%s: cannot %s: %s", out->label, what, strerror(errno));
}

/* A name beside `path` that no file has yet, opened. */
static geodisk_status open_temporary(output *out, const struct stat *old) {
  const size_t room = strlen(out->path) + 48;
  out->temporary = geodisk_allocate(room, 1);
  if (out->temporary == NULL)
    return geodisk_fail(out->context, GEODISK_ERROR_MEMORY, "%s: not enough memory to write it", out->label);
  for (int attempt = 0; attempt < 1000; attempt++) {
    snprintf(out->temporary, room, "%s.%ld-%d.tmp", out->path, (long)getpid(), attempt);
    out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out->fd >= 0 || errno != EEXIST)
      break;
  }
  if (out->fd < 0) {
    free(out->temporary);
    out->temporary = NULL; /* nothing to remove */
    return fail_io(out, "open for writing");
  }
  if (old != NULL)
    (void)!fchmod(out->fd, old->st_mode & 07777); /* as the file had; if not allowed, as new files have */
  return GEODISK_OK;
}

static bool ends_in_gz(const char *path) {
  const size_t length = strlen(path);
  return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

geodisk_status output_open(geodisk_context *context, const char *path, output *out) {
  const bool standard = strcmp(path, "-") == 0;
  *out = (output){.context = context, .label = standard ? "standard output" : path, .fd = -1};
  geodisk_status status = GEODISK_OK;
  struct stat about;
  const bool exists = !standard && stat(path, &about) == 0;
  if (standard) {
    out->fd = STDOUT_FILENO;
  } else if (exists && S_ISDIR(about.st_mode)) {
    status = geodisk_fail(context, GEODISK_ERROR_IO, "%s: is a directory, not a file", path);
  } else if (exists && !S_ISREG(about.st_mode)) {
    out->fd = open(path, O_WRONLY | O_CLOEXEC);
    if (out->fd < 0)
      status = fail_io(out, "open for writing");
  } else {
    out->path = exists ? realpath(path, NULL) : strdup(path); /* a link stays, the file behind it is replaced */
    status = out->path != NULL ? open_temporary(out, exists ? &about : NULL) : fail_io(out, "open for writing");
  }
  out->own_fd = !standard && out->fd >= 0;
  if (status == GEODISK_OK && (out->buffer = geodisk_allocate(OUTPUT_BUFFER, 1)) == NULL)
    status = geodisk_fail(context, GEODISK_ERROR_MEMORY, "%s: not enough memory to write it", out->label);
  if (status == GEODISK_OK && ends_in_gz(path))
    status = deflate_open(out);
  if (status != GEODISK_OK)
    output_abandon(out);
  return status;
}

geodisk_status output_raw(output *out, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t n = write(out->fd, bytes, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail_io(out, "write");
    bytes += n;
    size -= (size_t)n;
  }
  return GEODISK_OK;
}

static geodisk_status flush(output *out, bool last) {
  const geodisk_status status =
      out->deflater != NULL ? deflate_write(out, out->buffer, out->used, last) : output_raw(out, out->buffer, out->used);
  out->used = 0;
  return status;
}

geodisk_status output_put(output *out, const char *bytes, size_t size) {
  while (size > 0) {
    if (out->used == OUTPUT_BUFFER) {
      const geodisk_status status = flush(out, false);
      if (status != GEODISK_OK)
        return status;
    }
    const size_t n = size < OUTPUT_BUFFER - out->used ? size : OUTPUT_BUFFER - out->used;
    memcpy(out->buffer + out->used, bytes, n);
    out->used += n;
    bytes += n;
    size -= n;
  }
  return GEODISK_OK;
}

/* The folder's entry is flushed as far as the file system lets us: the file itself is already safe. */
static void flush_folder(const char *path) {
  char *folder = strdup(path);
  if (folder == NULL)
    return;
  char *slash = strrchr(folder, '/');
  if (slash != NULL)
    slash[slash == folder] = 0;
  const int fd = open(slash != NULL ? folder : ".", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    (void)!fsync(fd);
    close(fd);
  }
  free(folder);
}

geodisk_status output_commit(output *out) {
  geodisk_status status = flush(out, true);
  if (status == GEODISK_OK && out->temporary != NULL && fsync(out->fd) != 0)
    status = fail_io(out, "flush");
  if (out->own_fd) {
    out->own_fd = false;
    if (close(out->fd) != 0 && status == GEODISK_OK)
      status = fail_io(out, "close");
  }
  if (status == GEODISK_OK && out->temporary != NULL) {
    if (rename(out->temporary, out->path) != 0) {
      status = fail_io(out, "put in place");
    } else {
      flush_folder(out->path);
      free(out->temporary);
      out->temporary = NULL; /* nothing to remove */
    }
  }
  output_abandon(out);
  return status;
}

void output_abandon(output *out) {
  if (out->own_fd)
    close(out->fd);
  if (out->temporary != NULL)
    unlink(out->temporary);
  deflate_close(out);
  free(out->temporary);
  free(out->path);
  free(out->buffer);
  *out = (output){.fd = -1};
}

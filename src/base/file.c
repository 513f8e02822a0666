/* file.c - files that are there as a whole or not at all: written under a temporary name in the same folder, flushed to disk,
 * renamed. The temporary name tells which file it is for, and the file is locked while it is written; so whoever writes the same
 * file next can remove what a killed process has left. */
#define _DEFAULT_SOURCE     /* flock */
#define _XOPEN_SOURCE   700 /* realpath */
#include "file_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18, NAME_ATTEMPTS = 1000, MARK_BYTES = 32, LINKS = 40 };

struct geodisk_file {
  geodisk_context *context;
  char *label;            /* the path as given, for messages */
  char *path;             /* where the temporary file goes in the end; NULL: written directly */
  char *temporary;        /* NULL: none, or already renamed */
  geodisk_write_fn write; /* takes the bytes; NULL: they go to fd */
  void *user;
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

/* How the temporary names for a file begin: short, so that they fit wherever its own name does. (FNV-1a, 64 bits.) */
static void temporary_mark(const char *name, char mark[MARK_BYTES]) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name != 0; name++)
    hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
  snprintf(mark, MARK_BYTES, ".geodisk-%016" PRIx64 "-", hash);
}

/* Removes a temporary file if nobody has it locked. While this is about to, its owner may have put it in place and begun another
 * of the same name; but what is locked here under its name nobody else will remove or put in place. */
static void remove_if_stale(int folder, const char *name) {
  const int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return;
  struct stat mine, there;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &mine) == 0 && fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
      mine.st_dev == there.st_dev && mine.st_ino == there.st_ino)
    (void)!unlinkat(folder, name, 0);
  close(fd);
}

/* A new file, locked: 1; or 0, because somebody who took it for stale was faster; or -1 with errno set. Where there are no locks,
 * nobody takes anything for stale. */
static int open_locked(const char *name, int *fd) {
  struct stat about;
  *fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (*fd < 0)
    return errno == EEXIST ? 0 : -1;
  if ((flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && fstat(*fd, &about) == 0 && about.st_nlink > 0)
    return 1;
  close(*fd);
  *fd = -1;
  errno = EEXIST;
  return 0;
}

/* Removes what killed processes have left of a file in this folder, as far as it can. */
static void remove_stale(const char *folder, const char *mark) {
  DIR *entries = opendir(*folder != 0 ? folder : ".");
  if (entries == NULL)
    return;
  for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
    if (strncmp(entry->d_name, mark, strlen(mark)) == 0)
      remove_if_stale(dirfd(entries), entry->d_name);
  closedir(entries);
}

static geodisk_status open_temporary(geodisk_file *file, const struct stat *old) {
  const size_t folder = folder_length(file->path), room = folder + 64;
  char *name = geodisk_allocate(room, 1);
  if (name == NULL)
    return geodisk_no_memory(file->context, "to write %s", file->label);
  char mark[MARK_BYTES];
  temporary_mark(file->path + folder, mark);
  memcpy(name, file->path, folder);
  name[folder] = 0;
  remove_stale(name, mark);
  for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    snprintf(name + folder, room - folder, "%s%ld-%d.tmp", mark, (long)getpid(), attempt);
    if (open_locked(name, &file->fd) != 0)
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

/* Where a path leads that does not exist: itself, or through links to what is not there yet. NULL with errno set. free() it. */
static char *missing_target(const char *path) {
  char *at = strdup(path);
  struct stat about;
  for (int links = 0; at != NULL && lstat(at, &about) == 0 && S_ISLNK(about.st_mode); links++) {
    const size_t size = (size_t)about.st_size + 1, folder = folder_length(at);
    char *target = links < LINKS ? geodisk_allocate(folder + size, 1) : NULL;
    const ssize_t length = target != NULL ? readlink(at, target + folder, size) : -1;
    if (links == LINKS)
      errno = ELOOP;
    if (length < 0 || (size_t)length >= size) {
      geodisk_free_all(target, at);
      return NULL;
    }
    target[folder + (size_t)length] = 0;
    if (target[folder] == '/')
      memmove(target, target + folder, (size_t)length + 1);
    else
      memcpy(target, at, folder);
    free(at);
    at = target;
  }
  return at;
}

/* What is free for the system's own user counts as free, and a file system that does not say how large it is has room. */
static geodisk_status check_room(const geodisk_file *file, uint64_t bytes) {
  struct statvfs disk;
  if (file->temporary == NULL || fstatvfs(file->fd, &disk) != 0 || disk.f_blocks == 0 || disk.f_frsize == 0)
    return GEODISK_OK;
  if (bytes / disk.f_frsize < disk.f_bfree)
    return GEODISK_OK;
  return geodisk_fail(file->context, GEODISK_ERROR_IO, "%s: needs %" PRIu64 " bytes, and its disk has %" PRIu64 " free: %s",
                      file->label, bytes, (uint64_t)disk.f_bfree * disk.f_frsize, strerror(ENOSPC));
}

geodisk_status geodisk_file_check(geodisk_context *context, const char *path) {
  return geodisk_file_check_room(context, path, 0);
}

geodisk_status geodisk_file_check_room(geodisk_context *context, const char *path, uint64_t bytes) {
  struct stat about;
  if (path != NULL && strcmp(path, "-") != 0 && stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
    return access(path, W_OK) == 0
               ? GEODISK_OK
               : geodisk_fail(context, GEODISK_ERROR_IO, "%s: cannot open for writing: %s", path, strerror(errno));
  geodisk_file *file = NULL;
  geodisk_status status = geodisk_file_create(context, path, &file);
  if (status == GEODISK_OK) {
    status = bytes > 0 ? check_room(file, bytes) : GEODISK_OK;
    geodisk_file_abandon(file);
  }
  return status;
}

geodisk_status geodisk_file_create(geodisk_context *context, const char *path, geodisk_file **out) {
  if (path == NULL || *path == 0 || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s", out == NULL ? "out is NULL" : "the path of a file is empty");
  const bool standard = strcmp(path, "-") == 0;
  geodisk_file *file = geodisk_allocate(1, sizeof *file);
  void *user = NULL;
  const geodisk_write_fn write = standard ? context_write(context, &user) : NULL;
  if (file == NULL || (file->label = strdup(write != NULL ? "output" : standard ? "standard output" : path)) == NULL) {
    free(file);
    return geodisk_no_memory(context, "to write %s", path);
  }
  file->context = context;
  file->path = file->temporary = NULL;
  file->write = write;
  file->user = user;
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
    errno = ENOMEM;
    file->path = exists ? realpath(path, NULL) : missing_target(path); /* a link stays, the file behind it is replaced */
    if (file->path != NULL)
      status = open_temporary(file, exists ? &about : NULL);
    else if (errno != ENOMEM)
      status = fail_io(file, "open for writing");
    else
      status = geodisk_no_memory(context, "to write %s", path);
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
  if (file->write != NULL) {
    const geodisk_status status = size > 0 ? file->write(file->user, bytes, size) : GEODISK_OK;
    return status == GEODISK_OK ? status
                                : geodisk_fail(file->context, status, "%s: %s", file->label, geodisk_status_text(status));
  }
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
  const int lock = file->temporary != NULL ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : -1; /* nobody takes it for stale meanwhile */
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
  if (lock >= 0)
    (void)!close(lock);
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
  geodisk_free_all(file->temporary, file->path, file->label, file);
}

geodisk_status geodisk_file_finish(geodisk_file *file, geodisk_status status) {
  if (status == GEODISK_OK)
    return geodisk_file_commit(file);
  geodisk_file_abandon(file);
  return status;
}

/* ---- in memory --------------------------------------------------------------------------------------------------------- */

geodisk_status geodisk_bytes_write(void *bytes, const void *piece, size_t size) {
  geodisk_bytes *to = bytes;
  if (size > to->room - to->size) {
    const size_t least = to->size + size, room = to->room <= SIZE_MAX / 2 && 2 * to->room > least ? 2 * to->room : least;
    char *larger = least >= size ? geodisk_reallocate(to->bytes, room, 1) : NULL;
    if (larger == NULL)
      return GEODISK_ERROR_MEMORY;
    to->bytes = larger;
    to->room = room;
  }
  memcpy(to->bytes + to->size, piece, size);
  to->size += size;
  return GEODISK_OK;
}

void geodisk_bytes_free(geodisk_bytes *bytes) {
  free(bytes->bytes);
  *bytes = (geodisk_bytes){0};
}

/* faults.h - for tests named test_*_faults.c, whose calls of the functions below go through __wrap_ (tests/CMakeLists.txt): the
 * N-th call of one kind fails. Include it in one file only. */
#ifndef GEODISK_TESTS_FAULTS_H
#define GEODISK_TESTS_FAULTS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum fault_kind { FAULT_MEMORY, FAULT_WRITE, FAULT_SHORT_WRITE, FAULT_FSYNC, FAULT_RENAME, FAULT_CLOSE, FAULT_KINDS };

/* Which call from now on fails, 1 the next; 0: none. */
static long fault_countdown[FAULT_KINDS];

static int fault_due(enum fault_kind kind) {
  if (fault_countdown[kind] == 0)
    return 0;
  return --fault_countdown[kind] == 0;
}

void *__real_geodisk_allocate(size_t count, size_t size);
void *__real_geodisk_allocate_zero(size_t count, size_t size);
void *__real_geodisk_reallocate(void *block, size_t count, size_t size);
bool __real_geodisk_grow(void *array, size_t used, size_t more, size_t *room, size_t size);
char *__real_strdup(const char *text);
ssize_t __real_write(int fd, const void *bytes, size_t size);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_close(int fd);

void *__wrap_geodisk_allocate(size_t count, size_t size);
void *__wrap_geodisk_allocate_zero(size_t count, size_t size);
void *__wrap_geodisk_reallocate(void *block, size_t count, size_t size);
bool __wrap_geodisk_grow(void *array, size_t used, size_t more, size_t *room, size_t size);
char *__wrap_strdup(const char *text);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_close(int fd);

void *__wrap_geodisk_allocate(size_t count, size_t size) {
  return fault_due(FAULT_MEMORY) ? NULL : __real_geodisk_allocate(count, size);
}

void *__wrap_geodisk_allocate_zero(size_t count, size_t size) {
  return fault_due(FAULT_MEMORY) ? NULL : __real_geodisk_allocate_zero(count, size);
}

void *__wrap_geodisk_reallocate(void *block, size_t count, size_t size) {
  return fault_due(FAULT_MEMORY) ? NULL : __real_geodisk_reallocate(block, count, size);
}

bool __wrap_geodisk_grow(void *array, size_t used, size_t more, size_t *room, size_t size) {
  return !fault_due(FAULT_MEMORY) && __real_geodisk_grow(array, used, more, room, size);
}

char *__wrap_strdup(const char *text) { return fault_due(FAULT_MEMORY) ? NULL : __real_strdup(text); }

ssize_t __wrap_write(int fd, const void *bytes, size_t size) {
  if (fault_due(FAULT_WRITE)) {
    errno = ENOSPC;
    return -1;
  }
  if (fault_due(FAULT_SHORT_WRITE) && size > 1) /* what a disk does when it is nearly full */
    size /= 2;
  return __real_write(fd, bytes, size);
}

int __wrap_fsync(int fd) {
  if (!fault_due(FAULT_FSYNC))
    return __real_fsync(fd);
  errno = EIO;
  return -1;
}

int __wrap_rename(const char *from, const char *to) {
  if (!fault_due(FAULT_RENAME))
    return __real_rename(from, to);
  errno = EACCES;
  return -1;
}

int __wrap_close(int fd) {
  const int result = __real_close(fd);
  if (!fault_due(FAULT_CLOSE))
    return result;
  errno = EIO;
  return -1;
}

#endif

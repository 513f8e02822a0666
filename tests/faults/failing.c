/* failing.c - loaded in front of the command (LD_PRELOAD): runs it again and again in forked copies, in each of which another
 * call of one kind fails that geodisk makes, and looks at how the copy ends.
 *
 *   FAIL_KIND    memory, write, short (half of what should be written is), fsync, rename, close, open, read, map or thread
 *   FAIL_STEP    the first, then every so-many-th call; 1: all of them
 *   FAIL_OUTPUT  the file that the command writes; or none
 *
 * First it runs without a fault: that is what a good run gives. A copy in which a call failed ends with code 1, says why, and
 * leaves FAIL_OUTPUT as it was before; or, where geodisk can do without what it did not get, it ends with code 0 and gives all
 * that the good run gave. A training that is done is saved also where what comes after it fails, and says so. No signal, no block
 * of memory that is not given back, no temporary file that stays. Calls that libraries make for themselves do not fail: what they
 * do then is theirs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { MEMORY, WRITE, SHORT, FSYNC, RENAME, CLOSE, OPEN, READ, MAP, THREAD, KINDS };
static const char *const kinds[KINDS] = {"memory", "write", "short", "fsync", "rename", "close", "open", "read", "map", "thread"};

/* What a copy tells the one that watches. */
typedef struct report {
  atomic_long calls; /* of the kind that fails */
  atomic_long live;  /* blocks that are not given back */
  atomic_bool fired, ended;
} report;

static enum kind failing = KINDS; /* KINDS: nothing fails, nothing is counted */
static long countdown;            /* the call that fails */
static report *told;

/* ---- whose call it is -------------------------------------------------------------------------------------------------- */

static struct range { uintptr_t begin, end; } code[8];
static int ranges;

static int note_object(struct dl_phdr_info *object, size_t size, void *program) {
  (void)size;
  bool *first = program; /* the program itself has no name, and comes first */
  const bool ours = *first || strstr(object->dlpi_name, "libgeodisk") != NULL;
  *first = false;
  for (int i = 0; ours && i < object->dlpi_phnum && ranges < 8; i++)
    if (object->dlpi_phdr[i].p_type == PT_LOAD && (object->dlpi_phdr[i].p_flags & PF_X) != 0) {
      const uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
      code[ranges++] = (struct range){begin, begin + object->dlpi_phdr[i].p_memsz};
    }
  return 0;
}

static bool is_ours(const void *caller) {
  for (int i = 0; i < ranges; i++)
    if ((uintptr_t)caller >= code[i].begin && (uintptr_t)caller < code[i].end)
      return true;
  return false;
}

/* Whether the call of this kind is the one that fails. */
static bool due(enum kind kind, const void *caller) {
  if (kind != failing || !is_ours(caller))
    return false;
  const bool now = atomic_fetch_add(&told->calls, 1) + 1 == countdown;
  if (now)
    atomic_store(&told->fired, true);
  return now;
}

/* ---- memory: blocks of ours are remembered until they are given back --------------------------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

enum { SLOTS = 1 << 18 };
static void *blocks[SLOTS]; /* a hash table; 1 stands for one that was given back */
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void enter(void) {
  while (atomic_flag_test_and_set(&busy))
    ;
}

static void *remember(void *block, const void *caller) {
  if (block == NULL || told == NULL || !is_ours(caller))
    return block;
  enter();
  size_t slot = ((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15u >> 46;
  while ((uintptr_t)blocks[slot] > 1)
    slot = (slot + 1) % SLOTS;
  blocks[slot] = block;
  atomic_fetch_add(&told->live, 1);
  atomic_flag_clear(&busy);
  return block;
}

static void forget(const void *block) {
  if (block == NULL || told == NULL)
    return;
  enter();
  size_t slot = ((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15u >> 46;
  while (blocks[slot] != NULL && blocks[slot] != block)
    slot = (slot + 1) % SLOTS;
  if (blocks[slot] != NULL) {
    blocks[slot] = (void *)1;
    atomic_fetch_sub(&told->live, 1);
  }
  atomic_flag_clear(&busy);
}

#define CALLER __builtin_return_address(0)

static void *none(void) {
  errno = ENOMEM;
  return NULL;
}

void *malloc(size_t size) { return due(MEMORY, CALLER) ? none() : remember(__libc_malloc(size), CALLER); }
void *calloc(size_t count, size_t size) { return due(MEMORY, CALLER) ? none() : remember(__libc_calloc(count, size), CALLER); }
void *aligned_alloc(size_t alignment, size_t size) {
  return due(MEMORY, CALLER) ? none() : remember(__libc_memalign(alignment, size), CALLER);
}

void *realloc(void *block, size_t size) {
  if (due(MEMORY, CALLER))
    return none();
  forget(block);
  void *larger = __libc_realloc(block, size);
  return remember(larger != NULL ? larger : block, CALLER) == block && larger == NULL ? NULL : larger;
}

char *strdup(const char *text) {
  const size_t size = strlen(text) + 1;
  char *copy = due(MEMORY, CALLER) ? none() : remember(__libc_malloc(size), CALLER);
  return copy != NULL ? memcpy(copy, text, size) : NULL;
}

void free(void *block) {
  forget(block);
  __libc_free(block);
}

/* ---- files and threads ------------------------------------------------------------------------------------------------- */

static int fail(int reason) {
  errno = reason;
  return -1;
}

ssize_t write(int fd, const void *bytes, size_t size) {
  if (due(WRITE, CALLER))
    return fail(ENOSPC);
  return syscall(SYS_write, fd, bytes, size > 1 && due(SHORT, CALLER) ? size / 2 : size);
}

ssize_t read(int fd, void *bytes, size_t size) { return due(READ, CALLER) ? fail(EIO) : syscall(SYS_read, fd, bytes, size); }
int fsync(int fd) { return due(FSYNC, CALLER) ? fail(EIO) : (int)syscall(SYS_fsync, fd); }
int rename(const char *from, const char *to) {
  return due(RENAME, CALLER) ? fail(EACCES) : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int close(int fd) {
  const bool fails = due(CLOSE, CALLER);
  const int result = (int)syscall(SYS_close, fd);
  return fails ? fail(EIO) : result;
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return due(OPEN, CALLER) ? fail(EMFILE) : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  if (due(MAP, CALLER)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

static int (*real_thread)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg) {
  return due(THREAD, CALLER) ? EAGAIN : real_thread(thread, attributes, run, arg);
}

/* ---- the runs ---------------------------------------------------------------------------------------------------------- */

static const char *output; /* FAIL_OUTPUT */

typedef struct bytes {
  char *data;
  size_t size;
  bool there;
} bytes;

static bytes file_bytes(const char *path) {
  bytes b = {0};
  FILE *file = path != NULL ? fopen(path, "rb") : NULL;
  if (file == NULL)
    return b;
  struct stat about;
  if (fstat(fileno(file), &about) == 0 && (b.data = __libc_malloc((size_t)about.st_size + 1)) != NULL) {
    b.size = fread(b.data, 1, (size_t)about.st_size, file);
    b.there = true;
    b.data[b.size] = 0;
  }
  fclose(file);
  return b;
}

static bool same_bytes(const bytes *a, const bytes *b) {
  return a->there == b->there && a->size == b->size && (!a->there || memcmp(a->data, b->data, a->size) == 0);
}

static void put_back(const bytes *b) {
  FILE *file = b->there ? fopen(output, "wb") : NULL;
  if (file != NULL) {
    fwrite(b->data, 1, b->size, file);
    fclose(file);
  } else if (output != NULL) {
    remove(output);
  }
}

static int temporaries(void) {
  DIR *here = opendir(".");
  int count = 0;
  for (const struct dirent *entry; here != NULL && (entry = readdir(here)) != NULL;)
    count += strncmp(entry->d_name, ".geodisk-", 9) == 0;
  if (here != NULL)
    closedir(here);
  return count;
}

static void redirect(int to, const char *path) {
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || dup2(fd, to) < 0)
    _exit(99);
  syscall(SYS_close, fd);
}

/* Forks a copy in which call `number` fails (0: none). In the copy it returns -1, and the command runs; else how the copy ended.
 */
static int run_copy(enum kind kind, long number) {
  *told = (report){0};
  const pid_t copy = fork();
  if (copy == 0) {
    redirect(STDOUT_FILENO, "stdout.txt");
    redirect(STDERR_FILENO, "stderr.txt");
    failing = kind;
    countdown = number;
    return -1;
  }
  int status = 0;
  if (copy < 0 || waitpid(copy, &status, 0) != copy)
    _exit(99);
  return status;
}

/* What a copy with a fault did wrong; NULL: nothing. `before` and `good`: the output as it was, and as a good run makes it. */
static const char *judge(int status, const bytes *before, const bytes good[2]) {
  const bytes now = file_bytes(output), out = file_bytes("stdout.txt"), err = file_bytes("stderr.txt");
  const char *wrong = NULL;
  if (WIFSIGNALED(status))
    wrong = "ended by a signal";
  else if (!atomic_load(&told->ended))
    wrong = "ended without its exit";
  else if (WEXITSTATUS(status) == 0 && (!same_bytes(&now, &good[0]) || !same_bytes(&out, &good[1])))
    wrong = "exit code 0, but not what a good run gives";
  else if (WEXITSTATUS(status) > 1)
    wrong = "another exit code than 0 or 1";
  else if (WEXITSTATUS(status) == 1 && strstr(err.data, " is saved without ") == NULL && !same_bytes(&now, before))
    wrong = "the file that was there is not intact";
  else if (WEXITSTATUS(status) == 1 && output != NULL && strstr(err.data, " is saved without ") != NULL &&
           same_bytes(&now, before))
    wrong = "what was said to be saved is not";
  else if (WEXITSTATUS(status) == 1 && strstr(err.data, "geodisk: error: ") == NULL)
    wrong = "no reason given";
  else if (atomic_load(&told->live) != 0)
    wrong = "memory not given back";
  else if (temporaries() > 0)
    wrong = "a temporary file stays";
  if (wrong != NULL)
    fprintf(stderr, "%s: exit status %d, %ld blocks; it said: %s\n", wrong, status, atomic_load(&told->live), err.data);
  __libc_free(now.data);
  __libc_free(out.data);
  __libc_free(err.data);
  return wrong;
}

static int watch(enum kind kind, long step) {
  const bytes before = file_bytes(output);
  int status = run_copy(KINDS, 0);
  if (status == -1)
    return -1;
  const bytes good[2] = {file_bytes(output), file_bytes("stdout.txt")};
  if (status != 0 || atomic_load(&told->live) != 0) {
    fprintf(stderr, "without a fault: exit status %d, %ld blocks not given back\n", status, atomic_load(&told->live));
    return 1;
  }
  long faults = 0, refused = 0, bad = 0;
  for (long number = 1;; number += step) {
    put_back(&before);
    if ((status = run_copy(kind, number)) == -1)
      return -1;
    if (!atomic_load(&told->fired))
      break;
    faults++;
    refused += status != 0;
    if (judge(status, &before, good) != NULL) {
      fprintf(stderr, "  when call %ld of kind %s failed\n", number, kinds[kind]);
      bad++;
    }
  }
  put_back(&before);
  printf("%s: %ld faults of %ld calls, %ld refused, %ld wrong\n", kinds[kind], faults, atomic_load(&told->calls), refused, bad);
  return bad == 0 ? 0 : 1;
}

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("FAIL_KIND"), *step = getenv("FAIL_STEP");
  int kind = 0;
  bool first = true;
  while (name != NULL && kind < KINDS && strcmp(name, kinds[kind]) != 0)
    kind++;
  if (name == NULL || kind == KINDS)
    return;
  unsetenv("LD_PRELOAD"); /* what the command starts is left alone */
  *(void **)&real_thread = dlsym(RTLD_NEXT, "pthread_create");
  output = getenv("FAIL_OUTPUT");
  dl_iterate_phdr(note_object, &first);
  told = (report *)syscall(SYS_mmap, NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const int code_of = told != MAP_FAILED ? watch((enum kind)kind, step != NULL && atol(step) > 0 ? atol(step) : 1) : 99;
  if (code_of < 0)
    return; /* a copy: the command runs */
  fflush(stdout);
  _exit(code_of);
}

__attribute__((destructor)) static void end(void) {
  if (told != NULL)
    atomic_store(&told->ended, true);
}

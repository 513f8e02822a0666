/* test_base_file.c - files that are there as a whole or not at all, and UTF-8. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file_place.h"

static geodisk_context *context;

/* Between opening a temporary file and locking it: its owner puts it in place, and begins the next one of that name. */
static char owners[96];
int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);
int __wrap_flock(int fd, int how) {
  if (*owners != 0) {
    char name[sizeof owners];
    memcpy(name, owners, sizeof name);
    *owners = 0;
    assert_int_equal(rename(name, "test_base_file.race"), 0);
    FILE *next = fopen(name, "w");
    assert_non_null(next);
    fclose(next);
  }
  return __real_flock(fd, how);
}

static int start(void **state) {
  (void)state;
  return geodisk_context_create(1, &context) == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return 0;
}

static void assert_content(const char *path, const char *text) {
  char content[64] = {0};
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fread(content, 1, sizeof content - 1, file), strlen(text));
  fclose(file);
  assert_string_equal(content, text);
}

static void put(const char *path, const char *text) {
  geodisk_file *file = NULL;
  assert_int_equal(geodisk_file_create(context, path, &file), GEODISK_OK);
  assert_int_equal(geodisk_file_write(file, text, strlen(text)), GEODISK_OK);
  assert_int_equal(geodisk_file_commit(file), GEODISK_OK);
}

static void replaced_as_a_whole(void **state) {
  (void)state;
  const char path[] = "test_base_file.tmp", link[] = "test_base_file.link";
  geodisk_file *file = NULL;
  put(path, "one");
  assert_content(path, "one");
  assert_int_equal(geodisk_file_create(context, path, &file), GEODISK_OK);
  assert_int_equal(geodisk_file_write(file, "two", 3), GEODISK_OK);
  assert_content(path, "one");
  geodisk_file_abandon(file);
  assert_content(path, "one");
  geodisk_file_abandon(NULL);

  /* Permissions stay, and a link stays a link. */
  struct stat about;
  assert_int_equal(chmod(path, 0640), 0);
  unlink(link);
  assert_int_equal(symlink(path, link), 0);
  put(link, "three");
  assert_content(path, "three");
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0640);
  assert_int_equal(lstat(link, &about), 0);
  assert_true(S_ISLNK(about.st_mode));
  unlink(link);
  unlink(path);

  /* A name as long as names can be. */
  char longest[256];
  memset(longest, 'x', 255);
  longest[255] = 0;
  put(longest, "four");
  assert_content(longest, "four");
  unlink(longest);
}

/* How many temporary files there are. */
static int temporaries(void) {
  int n = 0;
  DIR *folder = opendir(".");
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    n += strncmp(entry->d_name, ".geodisk-", 9) == 0;
  closedir(folder);
  return n;
}

/* What a killed process leaves of a file goes when the same file is written again; what is being written stays. */
static void left_by_the_killed(void **state) {
  (void)state;
  const char path[] = "killed", folder[] = "test_base_file.folder"; /* its own: other tests write beside it */
  mkdir(folder, 0777);
  assert_int_equal(chdir(folder), 0);
  const int before = temporaries();
  for (int i = 0; i < 3; i++) {
    const pid_t child = fork();
    if (child == 0) {
      geodisk_file *file = NULL;
      geodisk_file_create(NULL, path, &file);
      kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0); /* it stays a zombie */
    assert_int_equal(temporaries(), before + 1);
  }
  geodisk_file *one = NULL, *two = NULL;
  assert_int_equal(geodisk_file_create(context, path, &one), GEODISK_OK);
  assert_int_equal(temporaries(), before + 1);
  assert_int_equal(geodisk_file_create(context, path, &two), GEODISK_OK);
  put("other", "x");
  assert_int_equal(temporaries(), before + 2);
  assert_int_equal(geodisk_file_write(one, "one", 3), GEODISK_OK);
  assert_int_equal(geodisk_file_commit(one), GEODISK_OK);
  assert_int_equal(geodisk_file_write(two, "two", 3), GEODISK_OK);
  assert_int_equal(geodisk_file_commit(two), GEODISK_OK);
  assert_content(path, "two");
  assert_int_equal(temporaries(), before);
  while (waitpid(-1, NULL, 0) > 0)
    ;
  unlink(path);
  unlink("other");
  assert_int_equal(chdir(".."), 0);
  rmdir(folder);
}

/* A link to what is not there stays, and what it points at comes to be; links in a circle are refused. */
static void dangling_links(void **state) {
  (void)state;
  struct stat about;
  mkdir("test_base_file.dir", 0777);
  unlink("test_base_file.a"); /* what an earlier run left that failed */
  unlink("test_base_file.b");
  assert_int_equal(symlink("test_base_file.b", "test_base_file.a"), 0);
  assert_int_equal(symlink("test_base_file.dir/c", "test_base_file.b"), 0);
  put("test_base_file.a", "far");
  assert_content("test_base_file.dir/c", "far");
  assert_int_equal(lstat("test_base_file.a", &about), 0);
  assert_true(S_ISLNK(about.st_mode));
  unlink("test_base_file.a");
  unlink("test_base_file.b");
  unlink("test_base_file.dir/c");
  rmdir("test_base_file.dir");
  assert_int_equal(symlink("test_base_file.b", "test_base_file.a"), 0);
  assert_int_equal(symlink("test_base_file.a", "test_base_file.b"), 0);
  geodisk_file *file = NULL;
  assert_int_equal(geodisk_file_create(context, "test_base_file.a", &file), GEODISK_ERROR_IO);
  char expected[200];
  snprintf(expected, sizeof expected, "test_base_file.a: cannot open for writing: %s", strerror(ELOOP));
  assert_non_null(strstr(geodisk_context_error(context), expected));
  unlink("test_base_file.a");
  unlink("test_base_file.b");
}

/* What somebody else has begun under the name of what he has put in place meanwhile is not taken for something left. */
static void begun_anew(void **state) {
  (void)state;
  geodisk_file *file = NULL;
  char name[sizeof owners];
  assert_int_equal(geodisk_file_create(context, "test_base_file.race", &file), GEODISK_OK);
  const char *mine = file_temporary_path(file), *process = strrchr(mine, '-'); /* .geodisk-HASH-PID-0.tmp */
  while (process[-1] != '-')
    process--;
  snprintf(name, sizeof name, "%.*sx.tmp", (int)(process - mine), mine);
  geodisk_file_abandon(file);
  FILE *theirs = fopen(name, "w");
  assert_non_null(theirs);
  fclose(theirs);
  memcpy(owners, name, sizeof name);
  assert_int_equal(geodisk_file_create(context, "test_base_file.race", &file), GEODISK_OK);
  assert_int_equal(*owners, 0);
  assert_int_equal(access(name, F_OK), 0);
  geodisk_file_abandon(file);
  unlink(name);
  unlink("test_base_file.race");
}

/* Looking at a pipe does not open it: that would wait for a reader, and end his file. */
static void checked_beforehand(void **state) {
  (void)state;
  unlink("test_base_file.pipe");
  assert_int_equal(mkfifo("test_base_file.pipe", 0600), 0);
  assert_int_equal(geodisk_file_check(context, "test_base_file.pipe"), GEODISK_OK);
  assert_int_equal(geodisk_file_check_room(context, "test_base_file.pipe", UINT64_MAX), GEODISK_OK);
  unlink("test_base_file.pipe");
  assert_int_equal(geodisk_file_check(context, "test_base_file.new"), GEODISK_OK);
  assert_int_equal(access("test_base_file.new", F_OK), -1);
  assert_int_equal(geodisk_file_check(context, "no/such/folder/x"), GEODISK_ERROR_IO);
  assert_int_equal(geodisk_file_check(context, NULL), GEODISK_ERROR_ARGUMENT);

  /* No disk has that much room. */
  assert_int_equal(geodisk_file_check_room(context, "test_base_file.new", 4096), GEODISK_OK);
  assert_int_equal(geodisk_file_check_room(context, "test_base_file.new", UINT64_MAX), GEODISK_ERROR_IO);
  assert_non_null(
      strstr(geodisk_context_error(context), "test_base_file.new: needs 18446744073709551615 bytes, and its disk has "));
  assert_int_equal(access("test_base_file.new", F_OK), -1);
}

static void escaped(void **state) {
  (void)state;
  static const struct {
    const char *text, *message, *row;
  } cases[] = {
      {"plain", "plain", "plain"},
      {"a\tb", "a\\tb", "a\\tb"},
      {"\n\r\x1b[31m\x7f", "\\n\\r\\x1b[31m\\x7f", "\\n\\r\\x1b[31m\\x7f"},
      {"back\\slash", "back\\slash", "back\\\\slash"},
      {"sch\xc3\xb6n \xf0\x9f\x90\xb6", "sch\xc3\xb6n \xf0\x9f\x90\xb6", "sch\xc3\xb6n \xf0\x9f\x90\xb6"},
      {"\xc2\x9b\xc2\xa0", "\\u009b\xc2\xa0", "\\u009b\xc2\xa0"}, /* a control character, and a blank that is none */
      {"a\xe2\x80\xaetxt\xe2\x80\xac \xe2\x81\xa6", "a\\u202etxt\\u202c \\u2066",
       "a\\u202etxt\\u202c \\u2066"}, /* written backwards */
      {"\xe2\x80\xa8\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa", "\\u2028\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
       "\\u2028\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"},
      {"\xff\xc3", "\\xff\\xc3", "\\xff\\xc3"},
  };
  char out[64];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const size_t length = strlen(cases[i].text);
    assert_int_equal(geodisk_escape(cases[i].text, length, false, out, sizeof out), strlen(cases[i].message));
    assert_string_equal(out, cases[i].message);
    assert_int_equal(geodisk_escape(cases[i].text, length, true, out, sizeof out), strlen(cases[i].row));
    assert_string_equal(out, cases[i].row);
  }
  assert_int_equal(geodisk_escape("a\0b", 3, true, out, sizeof out), 6);
  assert_string_equal(out, "a\\x00b");
  assert_int_equal(geodisk_escape("ab\033c", 4, true, out, 6), 7); /* no half of an escape, and nothing after it */
  assert_string_equal(out, "ab");
  assert_int_equal(geodisk_escape("abc", 3, true, NULL, 0), 3);
  geodisk_fail(context, GEODISK_ERROR_IO, "node '%s'", "\033[2J");
  assert_string_equal(geodisk_context_error(context), "node '\\x1b[2J'");
}

static void refused(void **state) {
  (void)state;
  geodisk_file *file = NULL;
  assert_int_equal(geodisk_file_create(context, ".", &file), GEODISK_ERROR_IO);
  assert_non_null(strstr(geodisk_context_error(context), "is a directory"));
  assert_int_equal(geodisk_file_create(context, "no/such/folder/x", &file), GEODISK_ERROR_IO);
  assert_non_null(strstr(geodisk_context_error(context), "no/such/folder/x: cannot open for writing: No such file"));
  assert_int_equal(geodisk_file_create(context, "", &file), GEODISK_ERROR_ARGUMENT);
  assert_null(file);
  /* A full disk. */
  assert_int_equal(geodisk_file_create(context, "/dev/full", &file), GEODISK_OK);
  assert_int_equal(geodisk_file_write(file, "x", 1), GEODISK_OK);
  assert_int_equal(geodisk_file_commit(file), GEODISK_ERROR_IO);
  assert_non_null(strstr(geodisk_context_error(context), "/dev/full: cannot write: No space left"));
}

/* Pieces of all sizes around the buffer's. */
static void large(void **state) {
  (void)state;
  const char path[] = "test_base_file.large";
  enum { SIZE = 3 << 20 };
  unsigned char *bytes = malloc(SIZE), *back = malloc(SIZE);
  geodisk_random random = geodisk_random_stream(1, 1);
  for (size_t i = 0; i < SIZE; i++)
    bytes[i] = (unsigned char)geodisk_random_bits32(&random);
  geodisk_file *file = NULL;
  assert_int_equal(geodisk_file_create(context, path, &file), GEODISK_OK);
  for (size_t at = 0; at < SIZE;) {
    size_t n = (size_t)geodisk_random_below(&random, geodisk_random_below(&random, 2) ? 100000 : 600000);
    n = n < SIZE - at ? n : SIZE - at;
    assert_int_equal(geodisk_file_write(file, bytes + at, n), GEODISK_OK);
    at += n;
  }
  assert_int_equal(geodisk_file_commit(file), GEODISK_OK);
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  assert_int_equal(fread(back, 1, SIZE, in), SIZE);
  assert_int_equal(fgetc(in), EOF);
  fclose(in);
  assert_memory_equal(bytes, back, SIZE);
  free(bytes);
  free(back);
  unlink(path);
}

static void utf8(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t prefix;
  } cases[] = {
      {"", 0},
      {"plain ascii text, longer than eight", 35},
      {"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 21},
      {"eight888\xc3\xa9", 10},
      {"a\x80", 1},                     /* a byte that only continues */
      {"a\xc0\x80", 1},                 /* overlong forms */
      {"a\xc1\xbf", 1},                 /* */
      {"a\xe0\x9f\xbf", 1},             /* */
      {"a\xf0\x8f\xbf\xbf", 1},         /* */
      {"a\xed\xa0\x80", 1},             /* a surrogate */
      {"a\xf4\x90\x80\x80", 1},         /* past U+10FFFF */
      {"a\xf5\x80\x80\x80", 1},         /* */
      {"a\xe2\x82", 1},                 /* cut short */
      {"a\xe2\x82x", 1},                /* */
      {"a\xe2x\x82", 1},                /* */
      {"12345678\xe2\x82\xac\xff", 11}, /* */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_int_equal(geodisk_utf8_prefix(cases[i].text, strlen(cases[i].text)), cases[i].prefix);
  assert_int_equal(geodisk_utf8_prefix("a\0b", 3), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replaced_as_a_whole),
      cmocka_unit_test(left_by_the_killed),
      cmocka_unit_test(begun_anew),
      cmocka_unit_test(dangling_links),
      cmocka_unit_test(checked_beforehand),
      cmocka_unit_test(escaped),
      cmocka_unit_test(refused),
      cmocka_unit_test(large),
      cmocka_unit_test(utf8),
  };
  return cmocka_run_group_tests(tests, start, finish);
}

/* test_graph_write.c - writing and reading back: the same graph for any names, separators, weights; gzip; files that are there as
 * a whole or not at all. */
#define _XOPEN_SOURCE 700
#include "graph_testing.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[80];
static geodisk_context *context;

static int set_up(void **state) {
  (void)state;
  /* In memory where there is such a place: thousands of files are flushed to disk. */
  snprintf(folder, sizeof folder, "%s/graph-write-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".");
  if (mkdtemp(folder) == NULL || geodisk_context_create(1, &context) != GEODISK_OK)
    return -1;
  snprintf(path, sizeof path, "%s/out.tsv", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  remove(path);
  return rmdir(folder); /* fails if a temporary file was left */
}

static size_t file_text(const char *name, char *text, size_t room) {
  FILE *file = fopen(name, "rb");
  assert_non_null(file);
  const size_t size = fread(text, 1, room - 1, file);
  text[size] = 0;
  fclose(file);
  return size;
}

/* ---- exact text ------------------------------------------------------------------------------------------------------- */

static void written_as(const char *input, const geodisk_graph_write_options *options, const char *expected) {
  char text[1024];
  geodisk_graph *graph = graph_of(input);
  if (geodisk_graph_write(context, graph, path, options) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  file_text(path, text, sizeof text);
  assert_string_equal(text, expected);
  geodisk_graph_destroy(graph);
}

static void exact_text(void **state) {
  (void)state;
  const geodisk_graph_write_options comma = {.separator = ','}, blank = {.separator = ' '}, reverse = {.reverse = true};
  const geodisk_graph_write_options bare = {.no_weights = true, .no_lone_nodes = true};
  written_as("dog mammal\ncat mammal\n", NULL, "dog\tmammal\ncat\tmammal\n");
  written_as("dog mammal\ncat mammal\n", &reverse, "mammal\tdog\nmammal\tcat\n");
  written_as("b,c d\na,c d\nb,a\n", NULL, "b\tc d\nb\ta\na\tc d\n");
  written_as("b,c d\na,c d\n", &blank, "b \"c d\"\na \"c d\"\n");
  written_as("\"x,y\",\"say \"\"hi\"\"\"\n", &comma, "\"x,y\",\"say \"\"hi\"\"\"\n");
  written_as("a\tb\t0.1\nb\tc\t2\n", NULL, "a\tb\t0.1\nb\tc\t2\n");
  written_as("a\tb\t0.1\nb\tc\t2\nlone wolf\n", NULL, "a\tb\t0.1\nb\tc\t2\n\"lone wolf\"\n");
  written_as("a\tb\t0.1\nb\tc\t2\nlone wolf\n", &bare, "a\tb\nb\tc\n");
  written_as("\"#tag\",\"%x\"\n\"child\",parent\n", NULL, "\"#tag\"\t%x\nchild\tparent\n");
  written_as("\"child\",parent\na,b\n", NULL, "\"child\"\tparent\na\tb\n"); /* else it would be read as a header */
  written_as("\"a\",b\n1,2\n", NULL, "\"a\"\tb\n1\t2\n");
}

/* ---- the same graph comes back ---------------------------------------------------------------------------------------- */

/* A name made of pieces that have meant trouble somewhere. */
static size_t random_name(geodisk_random *random, char *name) {
  static const char *const pieces[] = {"\t",
                                       "\"",
                                       "\"\"",
                                       "\n",
                                       "\r\n",
                                       "\r",
                                       ",",
                                       ";",
                                       "|",
                                       " ",
                                       "#",
                                       "%",
                                       "a",
                                       "b",
                                       "1",
                                       "-2",
                                       ".",
                                       "e5",
                                       "\\n",
                                       "child",
                                       "parent",
                                       "\xc3\xa9",
                                       "\xe6\xbc\xa2",
                                       "\xf0\x9f\x90\x95",
                                       "\xef\xbb\xbf",
                                       "\xc2\xa0",
                                       "\x01",
                                       "\x7f",
                                       "source",
                                       "target",
                                       "'",
                                       "\v"};
  size_t length = 0;
  for (uint64_t n = geodisk_random_below(random, 5); n > 0; n--) {
    const char *piece = pieces[geodisk_random_below(random, sizeof pieces / sizeof pieces[0])];
    memcpy(name + length, piece, strlen(piece));
    length += strlen(piece);
  }
  name[length] = 0;
  return length;
}

static geodisk_graph *random_graph(uint64_t seed) {
  enum { MOST = 40, NAME = 64 };
  geodisk_random random = geodisk_random_stream(seed, 7);
  static char text[MOST][NAME];
  const char *names[MOST];
  uint32_t children[2 * MOST], parents[2 * MOST];
  double weights[2 * MOST];
  size_t nodes = 0;
  for (uint64_t wanted = 1 + geodisk_random_below(&random, MOST); nodes < wanted; nodes++) {
    size_t same = 0;
    random_name(&random, text[nodes]);
    while (same < nodes && strcmp(text[same], text[nodes]) != 0)
      same++;
    if (same < nodes) /* another one instead */
      snprintf(text[nodes], NAME, "%zu", 1000 + nodes);
    names[nodes] = text[nodes];
  }
  const size_t edges = (size_t)geodisk_random_below(&random, 2 * nodes);
  for (size_t e = 0; e < edges; e++) {
    children[e] = (uint32_t)geodisk_random_below(&random, nodes);
    parents[e] = (uint32_t)geodisk_random_below(&random, nodes);
    weights[e] = geodisk_random_below(&random, 4) == 0 ? 0 : exp(30 * geodisk_random_normal(&random));
  }
  const geodisk_graph_arrays arrays = {nodes, names, edges, children, parents, seed % 3 == 0 ? weights : NULL};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  return graph;
}

static void any_names_come_back(void **state) {
  (void)state;
  enum { GRAPHS = 1000 };
  static const char separators[] = "\t,;| ";
  for (uint64_t seed = 0; seed < GRAPHS; seed++) {
    geodisk_graph *graph = random_graph(seed), *back = NULL;
    const geodisk_graph_write_options options = {.separator = separators[seed % 5], .reverse = seed % 2 == 1};
    const geodisk_graph_read_options reading = {.reverse = options.reverse};
    assert_int_equal(geodisk_graph_write(context, graph, path, &options), GEODISK_OK);
    geodisk_graph_read_info info;
    if (geodisk_graph_read(context, path, &reading, &info, &back) != GEODISK_OK)
      fail_msg("graph %d: %s", (int)seed, geodisk_context_error(context));
    assert_same_graph(graph, back);
    assert_int_equal(info.self_loops + info.duplicates + info.blank_fields, 0);
    assert_consistent(back);
    geodisk_graph_destroy(graph);
    geodisk_graph_destroy(back);
  }
}

static void gzip_comes_back(void **state) {
  (void)state;
  enum { N = 100000 };
  uint32_t *children = test_malloc(N * sizeof *children), *parents = test_malloc(N * sizeof *parents);
  for (uint32_t i = 0; i < N; i++) {
    children[i] = i;
    parents[i] = i / 2;
  }
  const geodisk_graph_arrays arrays = {N, NULL, N, children, parents, NULL};
  geodisk_graph *graph = NULL, *back = NULL;
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  char zipped[96];
  snprintf(zipped, sizeof zipped, "%s/out.gz", folder);
  const geodisk_status status = geodisk_graph_write(context, graph, zipped, NULL);
  if (status == GEODISK_ERROR_UNSUPPORTED) {
    geodisk_graph_destroy(graph);
    test_free(children);
    test_free(parents);
    skip();
  }
  assert_int_equal(status, GEODISK_OK);
  geodisk_graph_read_info info;
  assert_int_equal(geodisk_graph_read(context, zipped, NULL, &info, &back), GEODISK_OK);
  assert_true(info.gzip);
  assert_same_graph(graph, back);
  geodisk_graph_destroy(back);
  geodisk_graph_destroy(graph);
  test_free(children);
  test_free(parents);

  /* Truncated anywhere, damaged anywhere, followed by something else, followed by another member. */
  enum { ROOM = 1 << 20 };
  char *bytes = test_malloc(2 * ROOM), says[160];
  const size_t size = file_text(zipped, bytes, ROOM);
  remove(zipped);
  assert_true(size > 1000 && size < ROOM - 1);
  for (size_t cut = 2; cut < size; cut += size / 50) {
    back = NULL;
    assert_int_equal(geodisk_graph_read_memory(context, &(geodisk_memory_file){"z", bytes, cut}, NULL, NULL, &back),
                     GEODISK_ERROR_FORMAT);
    assert_string_equal(geodisk_context_error(context), "z: the gzip data is truncated: the file ends too early");
    assert_null(back);
  }
  bytes[size / 2] ^= 0x10;
  assert_int_equal(geodisk_graph_read_memory(context, &(geodisk_memory_file){"z", bytes, size}, NULL, NULL, &back),
                   GEODISK_ERROR_FORMAT);
  snprintf(says, sizeof says, "%s", geodisk_context_error(context));
  assert_non_null(strstr(says, "z: "));
  bytes[size / 2] ^= 0x10;
  memcpy(bytes + size, "junk", 4);
  assert_int_equal(geodisk_graph_read_memory(context, &(geodisk_memory_file){"z", bytes, size + 4}, NULL, NULL, &back),
                   GEODISK_ERROR_FORMAT);
  assert_string_equal(geodisk_context_error(context), "z: there are other bytes after the end of the gzip data");
  memcpy(bytes + size, bytes, size);
  assert_int_equal(geodisk_graph_read_memory(context, &(geodisk_memory_file){"z", bytes, 2 * size}, NULL, &info, &back),
                   GEODISK_OK);
  assert_int_equal(info.duplicates, N - 1);
  geodisk_graph_destroy(back);
  test_free(bytes);
}

/* ---- files ------------------------------------------------------------------------------------------------------------ */

static bool stop(void *user, const geodisk_progress *progress) {
  (void)user;
  (void)progress;
  return false;
}

static void whole_or_not_at_all(void **state) {
  (void)state;
  char text[64], linked[96];
  geodisk_graph *graph = graph_of("a b\n");
  assert_int_equal(geodisk_graph_write(context, graph, path, NULL), GEODISK_OK);
  assert_int_equal(chmod(path, 0640), 0);

  /* Stopped half-way: the old file stays. */
  enum { N = 10000 };
  static uint32_t children[N], parents[N];
  for (uint32_t i = 0; i < N; i++) {
    children[i] = i;
    parents[i] = (i + 1) % N;
  }
  const geodisk_graph_arrays arrays = {N, NULL, N, children, parents, NULL};
  geodisk_graph *large = NULL;
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &large), GEODISK_OK);
  geodisk_context_on_progress(context, stop, NULL);
  assert_int_equal(geodisk_graph_write(context, large, path, NULL), GEODISK_ERROR_STOPPED);
  geodisk_context_on_progress(context, NULL, NULL);
  file_text(path, text, sizeof text);
  assert_string_equal(text, "a\tb\n");

  /* Through a link, the file behind it is replaced, with its permissions. */
  snprintf(linked, sizeof linked, "%s/link", folder);
  assert_int_equal(symlink("out.tsv", linked), 0);
  const geodisk_graph_write_options comma = {.separator = ','};
  assert_int_equal(geodisk_graph_write(context, graph, linked, &comma), GEODISK_OK);
  file_text(path, text, sizeof text);
  assert_string_equal(text, "a,b\n");
  struct stat about;
  assert_int_equal(lstat(linked, &about), 0);
  assert_true(S_ISLNK(about.st_mode));
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 07777, 0640);
  remove(linked);

  assert_int_equal(geodisk_graph_write(context, large, "/dev/null", NULL), GEODISK_OK);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(large);
}

static void refusals(void **state) {
  (void)state;
  geodisk_graph *graph = graph_of("a b\n");
  char nowhere[112];
  snprintf(nowhere, sizeof nowhere, "%s/no/such/folder.tsv", folder);
  assert_int_equal(geodisk_graph_write(context, graph, nowhere, NULL), GEODISK_ERROR_IO);
  assert_non_null(strstr(geodisk_context_error(context), "folder.tsv: cannot open for writing: No such file or directory"));
  assert_int_equal(geodisk_graph_write(context, graph, folder, NULL), GEODISK_ERROR_IO);
  assert_non_null(strstr(geodisk_context_error(context), ": is a directory, not a file"));
  assert_int_equal(geodisk_graph_write(context, graph, NULL, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_graph_write(context, NULL, path, NULL), GEODISK_ERROR_ARGUMENT);
  const geodisk_graph_write_options colon = {.separator = ':'};
  assert_int_equal(geodisk_graph_write(context, graph, path, &colon), GEODISK_ERROR_ARGUMENT);
  if (access("/dev/full", W_OK) == 0) {
    assert_int_equal(geodisk_graph_write(context, graph, "/dev/full", NULL), GEODISK_ERROR_IO);
    assert_string_equal(geodisk_context_error(context), "/dev/full: cannot write: No space left on device");
  }
  geodisk_graph_destroy(graph);

  enum { LONG = 1 << 19 };
  char *name = test_malloc(LONG + 1);
  memset(name, 'x', LONG);
  name[LONG] = 0;
  const char *names[] = {name, "y"};
  const uint32_t zero = 0, one = 1;
  const geodisk_graph_arrays arrays = {2, names, 1, &zero, &one, NULL};
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_write(context, graph, path, NULL), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(graph);
  test_free(name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_text),      cmocka_unit_test(any_names_come_back),
      cmocka_unit_test(gzip_comes_back), cmocka_unit_test(whole_or_not_at_all),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* test_mpi_read.c - an edge list read by all ranks at once gives what one process reads: the same numbers, edges, weights and
 * counts, the same errors at the same lines, whatever the text looks like and wherever the ranges cut it. */
#include "share_testing.h"

static const char file_name[] = "edges.txt";

typedef struct text {
  char *bytes;
  size_t used, room;
} text;

static void put(text *t, const char *format, ...) {
  va_list args;
  if (t->room - t->used < 4096) {
    t->room += t->room + 65536;
    t->bytes = realloc(t->bytes, t->room);
    check(t->bytes != NULL);
  }
  va_start(args, format);
  t->used += (size_t)vsnprintf(t->bytes + t->used, t->room - t->used, format, args);
  va_end(args);
}

static void write_text(const void *bytes, size_t size) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_here() == 0) {
    FILE *file = fopen(file_name, "wb");
    check(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void count_event(void *user, geodisk_log_level level, const char *message) {
  (void)level;
  unsigned *hash = user;
  for (; *message; message++)
    *hash = *hash * 31 + (unsigned char)*message;
}

/* Reads the file both ways; both succeed with the same share, or fail with the same text. Returns whether they succeeded. */
static bool compare(geodisk_context *context, const geodisk_graph_read_options *options) {
  geodisk_graph *graph = NULL;
  geodisk_graph_read_info info;
  unsigned plain_events = 0, events = 0;
  geodisk_context_on_log(context, count_event, &plain_events);
  const geodisk_status expected = geodisk_graph_read(context, file_name, options, &info, &graph);
  char error[1024];
  snprintf(error, sizeof error, "%s", geodisk_context_error(context));
  mpi_share *share = NULL, *slice = NULL;
  geodisk_context_on_log(context, count_event, &events);
  const geodisk_status status = mpi_share_read(context, MPI_COMM_WORLD, file_name, options, &share);
  geodisk_context_on_log(context, NULL, NULL);
  if (status != expected || (status != GEODISK_OK && strcmp(error, geodisk_context_error(context)) != 0)) {
    fprintf(stderr, "rank %d: expected %d '%s', got %d '%s'\n", rank_here(), expected, error, status,
            geodisk_context_error(context));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (status != GEODISK_OK)
    return false;
  check_ok(context, mpi_share_of_graph(context, MPI_COMM_WORLD, graph, &slice));
  check_same_share(share, slice);
  check(events == (rank_here() == 0 ? plain_events : 0));
  const geodisk_graph_read_info *got = &share->info;
  check(got->lines == info.lines && got->comments == info.comments && got->blank_lines == info.blank_lines);
  check(got->edges_read == info.edges_read && got->self_loops == info.self_loops && got->duplicates == info.duplicates);
  check(got->blank_fields == info.blank_fields && got->lone_nodes == info.lone_nodes);
  check(got->missing_weights == info.missing_weights && got->extra_fields == info.extra_fields);
  check(got->separator == info.separator && got->header == info.header && got->weighted == info.weighted);
  check(got->gzip == info.gzip);
  mpi_share_destroy(share);
  mpi_share_destroy(slice);
  geodisk_graph_destroy(graph);
  return true;
}

/* ---- random texts ---- */

static void put_name(text *t, geodisk_random *random, size_t names, bool quotes) {
  const unsigned n = (unsigned)geodisk_random_below(random, names);
  if (!quotes || n % 5 != 0)
    put(t, "n%u", n);
  else if (n % 3 == 0)
    put(t, "\"n%u, or\n# so \"\"it\"\"\nis\r\nsaid\"", n);
  else
    put(t, "\"n%u\t\"", n);
}

typedef struct style {
  const char *separator, *line_end;
  bool header, weights, quotes, odd, mark;
} style;

static void random_text(text *t, geodisk_random *random, const style *s, size_t lines, size_t names) {
  t->used = 0;
  put(t, "%s%s%s", s->mark ? "\xef\xbb\xbf" : "", s->header ? "child" : "", s->header ? s->separator : "");
  if (s->header)
    put(t, "parent%s", s->line_end);
  for (size_t i = 0; i < lines; i++) {
    const uint64_t kind = s->odd ? geodisk_random_below(random, 40) : 40;
    if (kind == 0)
      put(t, "# a \"comment%s", s->line_end);
    if (kind == 1)
      put(t, "  %s", s->line_end);
    put_name(t, random, names, s->quotes);
    if (kind == 2) {
      put(t, "%s", s->line_end); /* a node by itself */
      continue;
    }
    put(t, "%s", s->separator);
    if (kind != 3)
      put_name(t, random, names, s->quotes);
    if (s->weights && kind != 4)
      put(t, "%s%g", s->separator, geodisk_random_uniform(random));
    if (s->weights && kind == 5)
      put(t, "%sextra", s->separator);
    put(t, "%s", i + 1 < lines || i % 2 ? s->line_end : "");
  }
}

static void test_random_texts(geodisk_context *context) {
  static const style styles[] = {
      {"\t", "\n", false, false, false, false, false}, {"\t", "\r\n", true, false, false, true, true},
      {",", "\n", true, true, true, true, false},      {" ", "\n", false, false, false, true, false},
      {";", "\r\n", false, true, true, false, true},   {"\t", "\n", false, true, true, true, false},
  };
  static const geodisk_graph_read_options ways[] = {
      {.separator = 0},
      {.reverse = true, .header = GEODISK_CHOICE_YES, .weights = GEODISK_CHOICE_NO},
      {.no_quotes = true, .no_comments = true},
      {.header = GEODISK_CHOICE_NO, .weights = GEODISK_CHOICE_YES}, /* mostly an error somewhere */
      {.separator = ','},
  };
  geodisk_random random = geodisk_random_stream(3, 1);
  text t = {NULL, 0, 0};
  for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++)
    for (size_t lines = 1; lines < 1500; lines = lines * 4 + 1)
      for (size_t repeat = 0; repeat < sizeof ways / sizeof ways[0]; repeat++) {
        random_text(&t, &random, &styles[i], lines, 2 + lines / 2);
        write_text(t.bytes, t.used);
        compare(context, &ways[repeat]);
      }
  /* more than one piece for every rank, and more than a block of nodes */
  const style large = {"\t", "\n", false, true, false, true, false};
  random_text(&t, &random, &large, 135000 * (size_t)ranks_here(), 60000);
  write_text(t.bytes, t.used);
  check(compare(context, NULL));
  free(t.bytes);
}

/* ---- errors ---- */

static void test_errors(geodisk_context *context) {
  static const char *const bad[] = {"a\tb\theavy\n", "a\t\"b\"c\n", "a\t\"b\n", "a\xff\tb\n", "a\tb\r\tc\n", "a\tb\t-1\n"};
  text t = {NULL, 0, 0};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    for (int at = 0; at < 40; at += 3) {
      t.used = 0;
      for (int line = 0; line < 40; line++) {
        put(&t, "n%d\tm%d\t1\n", line, line % 7);
        if (line == at)
          put(&t, "%s", bad[i]);
        if (line == 30) /* a second error, which nobody hears of if it comes later */
          put(&t, "a\tb\tnumber\n");
      }
      write_text(t.bytes, t.used);
      check(!compare(context, NULL));
    }
  static const char *const odd[] = {"", "\n", "# nothing\n\n", "\t\n\t\n", "a\tb", "a\n", "a b\nb c\nc d", "a\ta\n", "a\ta\t3\n"};
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    write_text(odd[i], strlen(odd[i]));
    compare(context, NULL);
  }
  const geodisk_graph_read_options strict = {.strict = true};
  mpi_share *share = NULL;
  check(mpi_share_read(context, MPI_COMM_WORLD, file_name, &strict, &share) == GEODISK_ERROR_UNSUPPORTED);
  check(mpi_share_read(context, MPI_COMM_WORLD, "no/such/file", NULL, &share) == GEODISK_ERROR_IO);
  check(strstr(geodisk_context_error(context), "no/such/file: cannot open") != NULL && share == NULL);
  free(t.bytes);
}

static void test_mammals(geodisk_context *context) {
  geodisk_graph *graph = NULL;
  mpi_share *share = NULL, *slice = NULL;
  check_ok(context, geodisk_graph_read(context, GEODISK_DATA_DIR "/mammals.tsv", NULL, NULL, &graph));
  check_ok(context, mpi_share_read(context, MPI_COMM_WORLD, GEODISK_DATA_DIR "/mammals.tsv", NULL, &share));
  check_ok(context, mpi_share_of_graph(context, MPI_COMM_WORLD, graph, &slice));
  check_same_share(share, slice);
  if (strstr(geodisk_features(), "without zlib") == NULL) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_here() == 0)
      check_ok(context, geodisk_graph_write(context, graph, "mammals.tsv.gz", NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    mpi_share_destroy(share);
    mpi_share_destroy(slice);
    geodisk_graph_destroy(graph);
    check_ok(context, geodisk_graph_read(context, "mammals.tsv.gz", NULL, NULL, &graph));
    check_ok(context, mpi_share_read(context, MPI_COMM_WORLD, "mammals.tsv.gz", NULL, &share));
    check_ok(context, mpi_share_of_graph(context, MPI_COMM_WORLD, graph, &slice));
    check(share->info.gzip);
    check_same_share(share, slice);
  }
  mpi_share_destroy(share);
  mpi_share_destroy(slice);
  geodisk_graph_destroy(graph);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  geodisk_context *context = context_of_one_thread();
  test_mammals(context);
  test_random_texts(context);
  test_errors(context);
  geodisk_context_destroy(context);
  MPI_Finalize();
  return 0;
}

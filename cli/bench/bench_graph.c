/* bench_graph.c - `geodisk bench graph`: how long graphs take to read and close, and how much memory at the peak, against what
 * the project promises: 16 bytes per edge, 40 per node and the names; 743,241 lines in 0.5 s, linear in size; the closure of
 * WordNet's nouns in 2 s and 300 MB. Each measurement runs in a process of its own, so that its peak is its own. */
#include "bench.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const double line_seconds = 0.5 / 743241, closure_seconds = 2, closure_bytes = 300e6;
enum { BYTES_PER_EDGE = 16, BYTES_PER_NODE = 40, SEED = 1, REPEATS = 3 };

static const command_spec spec = {
    "bench graph",
    "reading 10^7 random edges and WordNet: time and peak memory against their bounds",
    "",
    "Writes a file of random edges (in $TMPDIR, or /tmp), reads it, and prints seconds and peak memory beside the bounds; the "
    "same at a tenth of the size; and where WordNet is installed its noun closure, read from a file and computed. One thread; "
    "the best of three runs. The bound in seconds is for cpu, what one core spent; wall is longer on a busy machine.",
    "geodisk bench graph\n"
    "geodisk bench graph --edges 100000000 --nodes 10000000 --json",
};

/* ---- a measurement in a process of its own ---------------------------------------------------------------------------- */

typedef struct measured {
  bench_time time;
  double peak; /* bytes of the process at its peak, what it held before left out */
  double nodes, edges, name_bytes;
} measured;

typedef geodisk_status read_fn(geodisk_context *context, const char *path, measured *m, geodisk_graph **out);

static geodisk_status read_job(geodisk_context *context, const char *path, measured *m, geodisk_graph **out) {
  const bench_time start = bench_now();
  const geodisk_status status = geodisk_graph_read(context, path, NULL, NULL, out);
  m->time = bench_since(start);
  return status;
}

static geodisk_status closure_job(geodisk_context *context, const char *path, measured *m, geodisk_graph **out) {
  geodisk_graph *direct = NULL;
  geodisk_status status = geodisk_graph_read(context, path, NULL, NULL, &direct);
  const bench_time start = bench_now();
  if (status == GEODISK_OK)
    status = geodisk_graph_closure(context, direct, NULL, out);
  m->time = bench_since(start);
  geodisk_graph_destroy(direct);
  return status;
}

typedef struct graph_job {
  read_fn *read;
  const char *path;
} graph_job;

static int run_job(void *argument, void *result) {
  const graph_job *job = argument;
  measured *m = result;
  const common_options one = {.threads = 1, .quiet = true};
  geodisk_context *context = cli_context(&one);
  const double before = bench_peak_bytes();
  geodisk_graph *graph = NULL;
  const geodisk_status status = job->read(context, job->path, m, &graph);
  if (status != GEODISK_OK)
    return cli_failed(context, status);
  m->peak = bench_peak_bytes() - before;
  m->nodes = (double)geodisk_graph_nodes(graph);
  m->edges = (double)geodisk_graph_edges(graph);
  const uint64_t *starts;
  geodisk_graph_names(graph, &starts);
  m->name_bytes = (double)starts[geodisk_graph_nodes(graph)];
  return EXIT_OK;
}

static int measure(read_fn *read, const char *path, measured *best) {
  graph_job job = {read, path};
  int code = bench_in_child(run_job, &job, best, sizeof *best);
  for (int i = 1; i < REPEATS && code == EXIT_OK; i++) {
    measured again = {.peak = 0};
    code = bench_in_child(run_job, &job, &again, sizeof again);
    best->time = bench_better(best->time, again.time);
    best->peak = again.peak < best->peak ? again.peak : best->peak;
  }
  return code;
}

/* ---- files ------------------------------------------------------------------------------------------------------------ */

static int close_file(FILE *file, const char *path) {
  if (ferror(file) != 0 || fclose(file) != 0)
    return cli_error("%s: cannot write: %s", path, strerror(errno));
  return EXIT_OK;
}

/* `edges` random pairs of `nodes` names. */
static int write_random(char *path, size_t room, uint64_t edges, uint64_t nodes) {
  FILE *file = bench_temporary(path, room);
  if (file == NULL)
    return EXIT_FAILED;
  geodisk_random random = geodisk_random_stream(SEED, 0);
  for (uint64_t i = 0; i < edges && !cli_interrupted(); i++)
    fprintf(file, "node%llu\tnode%llu\n", (unsigned long long)geodisk_random_below(&random, nodes),
            (unsigned long long)geodisk_random_below(&random, nodes));
  int code = close_file(file, path);
  if (cli_interrupted())
    code = cli_interrupted_code();
  if (code != EXIT_OK)
    unlink(path);
  return code;
}

/* WordNet's nouns; EXIT_OK and an empty path if they are not there. */
static int write_nouns(char *path, size_t room, bool direct) {
  static const char dict[] = "/usr/share/wordnet";
  if (access("/usr/share/wordnet/data.noun", R_OK) != 0) {
    path[0] = 0;
    return EXIT_OK;
  }
  const common_options one = {.threads = 1, .quiet = true};
  geodisk_context *context = cli_context(&one);
  if (!bench_temporary_name(path, room))
    return EXIT_FAILED;
  const geodisk_wordnet_options options = {.direct = direct};
  const geodisk_status status = bench_write_nouns(context, dict, &options, path, NULL);
  const int code = status == GEODISK_OK ? EXIT_OK : cli_failed(context, status);
  if (code != EXIT_OK)
    unlink(path);
  geodisk_context_destroy(context);
  return code;
}

/* ---- the table -------------------------------------------------------------------------------------------------------- */

typedef struct row {
  const char *key, *what, *title; /* the title is the documents' */
  measured m;
  double lines; /* of the file */
  double seconds_bound, bytes_bound;
} row;

static void print_row(const row *r, bool json, bool first) {
  if (json) {
    json_format("%s\"%s\": {\"nodes\": %w, \"edges\": %w, \"cpu_seconds\": %n, \"wall_seconds\": %n, \"seconds_bound\": %n, "
                "\"peak_bytes\": %w, \"peak_bytes_bound\": %w}",
                first ? "{" : ", ", r->key, r->m.nodes, r->m.edges, r->m.time.cpu, r->m.time.wall, r->seconds_bound, r->m.peak,
                r->bytes_bound);
    return;
  }
  if (first)
    printf("%-28s %10s %9s %8s %8s %8s %9s %9s %7s\n", "", "lines", "nodes", "cpu s", "bound", "wall s", "peak MB", "bound",
           "B/edge");
  printf("%-28s %10.0f %9.0f %8.3f %8.3f %8.3f %9.1f %9.1f %7.1f%s\n", r->what, r->lines, r->m.nodes, r->m.time.cpu,
         r->seconds_bound, r->m.time.wall, r->m.peak / 1e6, r->bytes_bound / 1e6, r->m.peak / r->m.edges,
         r->m.time.cpu <= r->seconds_bound && r->m.peak <= r->bytes_bound ? "" : "  over the bound");
}

static void print_table(const row *rows, int count) {
  bench_table_begin("task | cpu s | wall s | peak MB | bytes an edge");
  for (const row *r = rows; r < rows + count; r++) {
    bench_table_text("%s", r->title);
    bench_table_numbers(4, (const double[]){r->m.time.cpu, r->m.time.wall, 1e-6 * r->m.peak, r->m.peak / r->m.edges});
    bench_table_end_row();
  }
}

/* Fills in what a row measures; the file at `path` is removed. */
static int measure_row(row *r, read_fn *read, const char *path, double lines) {
  const int code = measure(read, path, &r->m);
  unlink(path);
  if (code != EXIT_OK)
    return code;
  r->lines = lines > 0 ? lines : r->m.edges;
  if (read == closure_job) {
    r->seconds_bound = closure_seconds;
    r->bytes_bound = closure_bytes;
  } else {
    r->seconds_bound = r->lines * line_seconds;
    r->bytes_bound = BYTES_PER_EDGE * r->lines + BYTES_PER_NODE * r->m.nodes + r->m.name_bytes;
  }
  return EXIT_OK;
}

int bench_graph(int argc, char **argv) {
  int64_t edges = 10000000, nodes = 1000000;
  common_options common;
  const option_spec options[] = {
      OPT_INT("edges", 0, &edges, "N", "random edges (default: 10000000)", 10, 1e10),
      OPT_INT("nodes", 0, &nodes, "N", "names they are between (default: 1000000)", 10, 4e9),
      BENCH_MARKDOWN,
      OPT_END,
  };
  int code = args_parse(&spec, options, &common, argc, argv);
  if (code >= 0)
    return code;
  row rows[4] = {{.key = "tenth", .what = "read random edges, a tenth", .title = "10⁶ random edges on 10⁵ nodes, read"},
                 {.key = "random", .what = "read random edges", .title = "10⁷ random edges on 10⁶ nodes, read"},
                 {.key = "nouns", .what = "read WordNet's noun closure", .title = "WordNet's noun closure, read"},
                 {.key = "closure", .what = "close WordNet's nouns", .title = "WordNet's nouns, closed"}};
  const int64_t tenth = edges / 10;
  char path[4096];
  int done = 0;
  code = write_random(path, sizeof path, (uint64_t)tenth, (uint64_t)nodes / 10);
  if (code == EXIT_OK)
    code = measure_row(&rows[done++], read_job, path, (double)tenth);
  if (code == EXIT_OK)
    code = write_random(path, sizeof path, (uint64_t)edges, (uint64_t)nodes);
  if (code == EXIT_OK)
    code = measure_row(&rows[done++], read_job, path, (double)edges);
  for (int direct = 0; direct < 2 && code == EXIT_OK; direct++) {
    code = write_nouns(path, sizeof path, direct == 1);
    if (code == EXIT_OK && path[0] != 0)
      code = measure_row(&rows[done++], direct == 1 ? closure_job : read_job, path, 0);
  }
  if (code != EXIT_OK)
    return code;
  if (bench_markdown)
    print_table(rows, done);
  for (int i = 0; i < done && !bench_markdown; i++)
    print_row(&rows[i], common.json, i == 0);
  if (common.json && !bench_markdown)
    puts("}");
  return cli_finish();
}

/* bench_mpi.c - `geodisk bench mpi`: training on ranks against one process: speed at 2 ranks of one thread against 2 threads,
 * bytes sent in an epoch against the formulas of docs/scaling.md, and the peak memory of a rank against its bound. It starts
 * mpirun and itself, as a user would. */
#include "bench.h"
#include "ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EPOCHS = 2, DIM = 10, ATTACH = 10, NEGATIVES = 50, FEW_NEGATIVES = 5, PARTS = 16 };
enum { ROW_BYTES = (DIM + 1 + 15) / 16 * 16 * 4 }; /* whole lines of floats */
enum { RECORD_BYTES = 8, COUNT_BYTES = 8, HEAD_BYTES = 8, PLACE_BYTES = 8, PAIR_BYTES = 4, WIDE_PAIR_BYTES = 8 };
static const double efficiency_bound = 0.85, memory_factor = 2.5, memory_free = 200e6;

static const command_spec spec = {
    "bench mpi",
    "training on ranks of this machine: speed, bytes sent, memory of a rank",
    "",
    0,
    0,
    "Generates random graphs (Barabasi and Albert's, in $TMPDIR or /tmp) and trains on them in one process and, by mpirun, on "
    "ranks: edges a second of 2 ranks with one thread each against one process with 2 threads, the best of some runs in turn; "
    "whether the models are the same; the bytes that 2, 3 and 4 ranks send in an epoch, beside the formulas of docs/scaling.md; "
    "and the peak memory of 4 ranks on a large graph beside its bound, 2.5 times what the graph and the points take, divided by "
    "4, and 200 MB. At last what the formulas say of 10^9 nodes and 10^10 edges on many machines.",
    "geodisk bench mpi\n"
    "geodisk bench mpi --nodes 20000 --large-edges 1000000 --json",
};

/* What a training says. */
typedef struct trained {
  double rate, peak;                   /* edges a second, bytes */
  double rows, edges, parts, messages; /* sent in its last epoch */
} trained;

typedef struct workshop {
  char program[4096], graph[256], model[256], log[256];
  double nodes, links, name_bytes;
} workshop;

/* ---- running ---- */

static bool find_number(const char *text, const char *key, double *out) {
  char name[64];
  snprintf(name, sizeof name, "\"%s\":", key);
  const char *at = strstr(text, name);
  char *end = NULL;
  if (at)
    *out = strtod(at + strlen(name), &end);
  return at && end > at + strlen(name);
}

/* The last line of a file. */
static bool last_line(const char *path, char *line, int room) {
  FILE *file = fopen(path, "r");
  bool any = false;
  while (file && fgets(line, room, file))
    any = true;
  if (file)
    fclose(file);
  return any;
}

/* geodisk train on so many ranks (0: a plain process) with so many threads each. */
static int run_training(const workshop *w, int ranks, int threads, const char *more, trained *out) {
  char start[128] = "", command[8192 + 1024], line[4096] = "";
  if (ranks > 0)
    snprintf(start, sizeof start, "mpirun --oversubscribe -n %d ", ranks);
  snprintf(
      command, sizeof command,
      "%s'%s' train '%s' -o '%s' --log '%s' --dim %d --precision float --epochs %d --threads %d --json --quiet %s </dev/null",
      start, w->program, w->graph, w->model, w->log, DIM, EPOCHS, threads, more);
  fflush(stdout);
  FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): of our own making */
  const bool read = pipe && fgets(line, sizeof line, pipe);
  if (!pipe || pclose(pipe) != 0 || !read)
    return cli_error("this failed: %s", command);
  *out = (trained){0};
  bool whole = find_number(line, "edges_per_second", &out->rate);
  if (ranks > 0)
    whole = whole && find_number(line, "peak_bytes", &out->peak) && last_line(w->log, line, sizeof line) &&
            find_number(line, "sent_rows", &out->rows) && find_number(line, "sent_edges", &out->edges) &&
            find_number(line, "sent_parts", &out->parts) && find_number(line, "part_messages", &out->messages);
  return whole ? EXIT_OK : cli_error("a training did not say how it went: %s", line);
}

/* A graph of so many edges in a temporary file, as others would bring it. */
static int write_graph(geodisk_context *context, workshop *w, double edges) {
  const geodisk_generate_options options = {
      .kind = GEODISK_BARABASI, .nodes = (uint64_t)(edges / ATTACH) + ATTACH, .attach = ATTACH, .seed = 1};
  geodisk_graph *graph = NULL;
  FILE *file = bench_temporary(w->graph, sizeof w->graph);
  if (!file)
    return EXIT_FAILED;
  fclose(file);
  geodisk_status st = geodisk_graph_generate(context, &options, &graph);
  if (st == GEODISK_OK)
    st = geodisk_graph_write(context, graph, w->graph, NULL);
  if (st == GEODISK_OK) {
    const uint64_t *starts;
    geodisk_graph_names(graph, &starts);
    w->nodes = (double)geodisk_graph_nodes(graph);
    w->links = (double)geodisk_graph_edges(graph);
    w->name_bytes = (double)starts[geodisk_graph_nodes(graph)];
  }
  geodisk_graph_destroy(graph);
  return st == GEODISK_OK ? EXIT_OK : cli_failed(context, st);
}

static bool same_files(const char *a, const char *b) {
  FILE *one = fopen(a, "rb"), *other = fopen(b, "rb");
  bool same = one && other;
  for (int x = 0; same && x != EOF;) {
    x = getc(one);
    same = x == getc(other);
  }
  if (one)
    fclose(one);
  if (other)
    fclose(other);
  return same;
}

/* ---- measuring ---- */

typedef struct measured {
  double plain_rate, ranks_rate;
  bool same;
  trained sent[3]; /* by 2, 3, 4 ranks */
  double peak, peak_bound;
  double thread_rate; /* of the forecast */
  workshop small, large;
} measured;

static int measure_speed(workshop *w, int64_t repeats, measured *m) {
  char plain[300], more[64];
  snprintf(plain, sizeof plain, "%s.plain", w->model);
  snprintf(more, sizeof more, "--negatives %d", NEGATIVES);
  int code = EXIT_OK;
  m->same = true;
  for (int64_t i = 0; i < repeats && code == EXIT_OK; i++) {
    trained a = {0}, b = {0};
    code = run_training(w, 0, 2, more, &a);
    if (code == EXIT_OK && rename(w->model, plain) != 0)
      code = cli_error("%s: %s", plain, strerror(errno));
    if (code == EXIT_OK)
      code = run_training(w, 2, 1, more, &b);
    m->same = m->same && code == EXIT_OK && same_files(w->model, plain);
    m->plain_rate = a.rate > m->plain_rate ? a.rate : m->plain_rate;
    m->ranks_rate = b.rate > m->ranks_rate ? b.rate : m->ranks_rate;
  }
  unlink(plain);
  return code;
}

/* What the formulas of docs/scaling.md say. */
static trained predicted(double n, double e, double parts, int ranks) {
  const double away = 1.0 - 1.0 / ranks, row = ROW_BYTES;
  const double pair = n / parts > 65535.0 ? WIDE_PAIR_BYTES : PAIR_BYTES;
  const double part = n / parts * (row + PLACE_BYTES) + e / parts / parts * pair;
  trained t = {.rows = n * (2.0 * row + HEAD_BYTES) * away,
               .edges = e * RECORD_BYTES * away + parts * parts * COUNT_BYTES * (ranks - 1),
               .messages = 2.0 * (ranks - 1) * (parts - 1)};
  t.parts = t.messages * part;
  return t;
}

static int measure_all(geodisk_context *context, double nodes, double large_edges, int64_t repeats, measured *m) {
  char more[64];
  int code = write_graph(context, &m->small, nodes * ATTACH);
  if (code == EXIT_OK)
    code = measure_speed(&m->small, repeats, m);
  snprintf(more, sizeof more, "--negatives %d --parts %d", NEGATIVES, PARTS);
  for (int i = 0; i < 3 && code == EXIT_OK; i++)
    code = run_training(&m->small, 2 + i, 1, more, &m->sent[i]);
  unlink(m->small.graph);
  if (code == EXIT_OK)
    code = write_graph(context, &m->large, large_edges);
  snprintf(more, sizeof more, "--negatives %d", FEW_NEGATIVES);
  trained t = {0};
  if (code == EXIT_OK)
    code = run_training(&m->large, 4, 1, more, &t);
  unlink(m->large.graph);
  /* both directions of the edges, where rows of them begin, names; the points */
  const double graph = 8.0 * m->large.links + (16.0 + 8.0) * m->large.nodes + m->large.name_bytes,
               points = ROW_BYTES * m->large.nodes;
  m->peak = t.peak;
  m->peak_bound = memory_factor * (graph + points) / 4.0 + memory_free;
  return code;
}

/* ---- machines that are not here ---- */

static const double far_nodes = 1e9, far_edges = 1e10, far_bytes_per_second = 25e9 / 8;
enum { FAR_THREADS = 32, FAR_PARTS = 1024 };
static const int far_machines[] = {4, 8, 16, 32, 64, 128, 256};

/* An epoch on so many machines, one rank with FAR_THREADS threads on each, every thread as fast as one here. A thread plays a
 * game, so no more have work than there are games of a rank in a round. */
typedef struct forecast {
  double training, moving, dealing, epoch; /* seconds: of which the first two go on at the same time */
  double memory;                           /* bytes of a machine */
} forecast;

static forecast forecast_of(double thread_rate, int machines) {
  const trained sent = predicted(far_nodes, far_edges, FAR_PARTS, machines);
  const int all = FAR_PARTS / 2, most = (all + machines - 1) / machines; /* games of a round, and of a rank in it */
  const double games = all, most_games = most, threads = most < FAR_THREADS ? most : FAR_THREADS;
  const double borders = machines > 2 ? 2.0 : 1.0, part = sent.parts / sent.messages;
  forecast f = {.training = far_edges * most_games / games / (thread_rate * threads),
                .moving = borders * (FAR_PARTS - 1) * part / far_bytes_per_second,
                .dealing = (sent.rows + sent.edges) / machines / far_bytes_per_second};
  f.epoch = (f.training > f.moving ? f.training : f.moving) + f.dealing;
  /* rows at home and in slots; per edge its target, that one's part and place in the order; per node where its edges and its name
     begin, its degree, place, part, a name of ten letters */
  f.memory = far_nodes / machines * (ROW_BYTES + 8 + 8 + 4 + 4 + 2 + 11) + (2.0 * most_games + 2.0) * part +
             far_edges / machines * (4 + 4 + 2);
  return f;
}

/* ---- printing ---- */

static void print_text(const measured *m) {
  const double efficiency = m->ranks_rate / m->plain_rate;
  printf("%.0f nodes, %.0f edges: 2 threads %.3g edges/s, 2 ranks %.3g edges/s, efficiency %.3f (at least %.2f)%s\n",
         m->small.nodes, m->small.links, m->plain_rate, m->ranks_rate, efficiency, efficiency_bound,
         efficiency < efficiency_bound ? "  below the bound" : "");
  printf("models of both: %s\n\n", m->same ? "the same bytes" : "DIFFERENT");
  printf("%-6s %14s %14s %8s %14s %14s %8s %14s %14s %8s %9s\n", "ranks", "rows, bytes", "formula", "ratio", "edges, bytes",
         "formula", "ratio", "parts, bytes", "formula", "ratio", "messages");
  for (int i = 0; i < 3; i++) {
    const trained *t = &m->sent[i], p = predicted(m->small.nodes, m->small.links, PARTS, 2 + i);
    printf("%-6d %14.0f %14.0f %8.4f %14.0f %14.0f %8.4f %14.0f %14.0f %8.4f %4.0f/%.0f\n", 2 + i, t->rows, p.rows,
           t->rows / p.rows, t->edges, p.edges, t->edges / p.edges, t->parts, p.parts, t->parts / p.parts, t->messages,
           p.messages);
  }
  printf("\n%.0f nodes, %.0f edges on 4 ranks: at most %.1f MB a rank (bound %.1f MB)%s\n", m->large.nodes, m->large.links,
         m->peak / 1e6, m->peak_bound / 1e6, m->peak > m->peak_bound ? "  over the bound" : "");
  const double one = far_edges / (m->thread_rate * FAR_THREADS);
  printf("\n%.0e nodes, %.0e edges on machines with %d threads of %.3g edges/s and %.0f Gb/s between them, seconds an epoch:\n"
         "%-9s %9s %9s %9s %9s %9s %12s\n",
         far_nodes, far_edges, FAR_THREADS, m->thread_rate, far_bytes_per_second * 8e-9, "machines", "training", "moving",
         "dealing", "epoch", "speed-up", "GB a machine");
  for (size_t i = 0; i < sizeof far_machines / sizeof far_machines[0]; i++) {
    const forecast f = forecast_of(m->thread_rate, far_machines[i]);
    printf("%-9d %9.1f %9.1f %9.1f %9.1f %9.1f %12.1f\n", far_machines[i], f.training, f.moving, f.dealing, f.epoch,
           one / f.epoch, f.memory / 1e9);
  }
}

static void print_json(const measured *m) {
  printf("{\"threads_edges_per_second\": ");
  json_number(m->plain_rate);
  printf(", \"ranks_edges_per_second\": ");
  json_number(m->ranks_rate);
  printf(", \"efficiency\": ");
  json_number(m->ranks_rate / m->plain_rate);
  printf(", \"same_bytes\": %s, \"sent\": [", m->same ? "true" : "false");
  for (int i = 0; i < 3; i++) {
    const trained *t = &m->sent[i], p = predicted(m->small.nodes, m->small.links, PARTS, 2 + i);
    printf("%s{\"ranks\": %d, \"rows\": %.0f, \"rows_formula\": %.0f, \"edges\": %.0f, \"edges_formula\": %.0f, \"parts\": %.0f, "
           "\"parts_formula\": %.0f, \"messages\": %.0f, \"messages_formula\": %.0f}",
           i ? ", " : "", 2 + i, t->rows, p.rows, t->edges, p.edges, t->parts, p.parts, t->messages, p.messages);
  }
  printf("], \"peak_bytes\": %.0f, \"peak_bytes_bound\": %.0f, \"forecast\": [", m->peak, m->peak_bound);
  for (size_t i = 0; i < sizeof far_machines / sizeof far_machines[0]; i++) {
    const forecast f = forecast_of(m->thread_rate, far_machines[i]);
    printf("%s{\"machines\": %d, \"training_seconds\": %.3f, \"moving_seconds\": %.3f, \"dealing_seconds\": %.3f, "
           "\"epoch_seconds\": %.3f, \"memory_bytes\": %.0f}",
           i ? ", " : "", far_machines[i], f.training, f.moving, f.dealing, f.epoch, f.memory);
  }
  puts("]}");
}

int bench_mpi(int argc, char **argv) {
  double thread_rate = 0.0;
  int64_t nodes = 80000, large_edges = 10000000, repeats = 3;
  common_options common = {0};
  int n_args;
  const char *args[1];
  const option_spec options[] = {
      {"nodes", 0, OPTION_INT, &nodes, "N", "of the graph for speed and bytes, with ten edges each (default: 80000)", 5000, 1e8,
       NULL},
      {"large-edges", 0, OPTION_INT, &large_edges, "N", "of the graph for memory (default: 10000000)", 10000, 1e10, NULL},
      {"repeats", 0, OPTION_INT, &repeats, "N", "runs of each for speed, of which the best counts (default: 3)", 1, 100, NULL},
      {"thread-rate", 0, OPTION_DOUBLE, &thread_rate, "X", "edges a second of a thread in the forecast (default: as measured)", 1,
       1e9, NULL},
      {NULL, 0, OPTION_FLAG, NULL, NULL, NULL, 0, 0, NULL},
  };
  int code = args_parse(&spec, options, &common, argc, argv, args, &n_args);
  if (code >= 0)
    return code;
  if (!ranks_built())
    return cli_error("this geodisk was built without MPI (Debian: libopenmpi-dev, openmpi-bin)");
  FILE *mpirun = popen("mpirun --version 2>/dev/null", "r"); /* NOLINT(cert-env33-c): a fixed command */
  char version[256];
  const bool there = mpirun && fgets(version, sizeof version, mpirun);
  while (there && fgets(version, sizeof version, mpirun)) {
  }
  if (mpirun)
    pclose(mpirun);
  if (!there)
    return cli_error("mpirun is not there (Debian: openmpi-bin)");
  if (geteuid() == 0) { /* which Open MPI wants to hear twice */
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  }
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  measured m = {.thread_rate = thread_rate};
  const ssize_t length = readlink("/proc/self/exe", m.small.program, sizeof m.small.program - 1);
  if (length < 0)
    return cli_error("cannot find my own program: %s", strerror(errno));
  FILE *model = bench_temporary(m.small.model, sizeof m.small.model);
  FILE *log = bench_temporary(m.small.log, sizeof m.small.log);
  geodisk_context *context = cli_context(&common);
  m.large = m.small;
  code = model && log && context ? measure_all(context, (double)nodes, (double)large_edges, repeats, &m) : EXIT_FAILED;
  if (model)
    fclose(model);
  if (log)
    fclose(log);
  unlink(m.small.model);
  unlink(m.small.log);
  geodisk_context_destroy(context);
  if (code != EXIT_OK)
    return code;
  if (!(m.thread_rate > 0.0))
    m.thread_rate = m.plain_rate / 2.0;
  if (common.json)
    print_json(&m);
  else
    print_text(&m);
  return cli_finish();
}

/* bench_mpi.c - `geodisk bench mpi`: training on ranks against one process: speed at 2 ranks of one thread against 2 threads,
 * bytes sent in an epoch against the formulas of docs/scaling.md, and the peak memory of a rank against its bound. It starts
 * mpirun and itself, as a user would. */
#include "bench.h"
#include "processes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EPOCHS = 2, DIM = 10, ATTACH = 10, NEGATIVES = 512, BLOCK = 32, BATCH = 8192 };
enum { STRIDE = (DIM + 1 + 15) / 16 * 16, ROW_BYTES = STRIDE * 4 }; /* whole lines of floats */
enum { PLACE_BYTES = 4, UNIT_BYTES = 8 + 12, SUM_BYTES = 8 + STRIDE * 8 };
/* What ranks choose by looking, and one process by more. */
#define SETTINGS "--sharpness 16 --lr 0.3"
static const double efficiency_bound = 0.85, memory_free = 64e6;

static const command_spec spec = {
    "bench mpi",
    "training on ranks of this machine: speed, bytes sent, memory of a rank",
    "",
    "Generates random graphs (Barabasi and Albert's, in $TMPDIR or /tmp) and trains on them in one process and, by mpirun, on "
    "ranks: edges a second of 2 ranks with one thread each against one process with 2 threads, the best of some runs in turn; "
    "whether the models are the same; the bytes that 2, 3 and 4 ranks send in an epoch, beside the formulas of docs/scaling.md; "
    "and the peak memory of 4 ranks on a large graph beside its bound, what the graph and the points take, divided by 4, and 64 "
    "MB. At last what the formulas say of 10^9 nodes and 10^10 edges on many machines, which exchange while they work.",
    "geodisk bench mpi\n"
    "geodisk bench mpi --nodes 20000 --large-edges 1000000 --json",
};

/* What a training says. */
typedef struct trained {
  double rate, peak;                          /* edges a second, bytes */
  double units, rows, sums, messages, rounds; /* sent in its last epoch */
} trained;

typedef struct workshop {
  char graph[256], model[256], log[256];
  double nodes, links, name_bytes;
} workshop;

/* ---- running ---- */

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
static int run_training(geodisk_context *context, const workshop *w, int ranks, int threads, trained *out) {
  char start[128] = "", words[2048], line[4096] = "";
  if (ranks > 0)
    snprintf(start, sizeof start, "mpirun --oversubscribe -n %d ", ranks);
  snprintf(words, sizeof words,
           "train '%s' -o '%s' --log '%s' --dim %d --precision float --epochs %d --threads %d " SETTINGS
           " --negatives %d --batch %d",
           w->graph, w->model, w->log, DIM, EPOCHS, threads, NEGATIVES, BATCH);
  const geodisk_status status = bench_run_geodisk(context, start, words, line, sizeof line);
  if (status != GEODISK_OK)
    return cli_failed(context, status);
  *out = (trained){0};
  bool whole = bench_find_number(line, "edges_per_second", &out->rate);
  if (ranks > 0)
    whole = whole && bench_find_number(line, "peak_bytes", &out->peak) && last_line(w->log, line, sizeof line) &&
            bench_find_number(line, "sent_units", &out->units) && bench_find_number(line, "sent_rows", &out->rows) &&
            bench_find_number(line, "sent_sums", &out->sums) && bench_find_number(line, "messages", &out->messages) &&
            bench_find_number(line, "rounds", &out->rounds);
  return whole ? EXIT_OK : cli_error("a training did not say how it went: %s", line);
}

/* A graph of so many edges in a temporary file, as others would bring it. */
static int write_graph(geodisk_context *context, workshop *w, double edges) {
  const geodisk_generate_options options = {
      .kind = GEODISK_GENERATOR_BARABASI, .nodes = (uint64_t)(edges / ATTACH) + ATTACH, .attach = ATTACH, .seed = 1};
  geodisk_graph *graph = NULL;
  if (!bench_temporary_name(w->graph, sizeof w->graph))
    return EXIT_FAILED;
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

static int measure_speed(geodisk_context *context, const workshop *w, int64_t repeats, measured *m) {
  char plain[300];
  snprintf(plain, sizeof plain, "%s.plain", w->model);
  int code = EXIT_OK;
  m->same = true;
  for (int64_t i = 0; i < repeats && code == EXIT_OK; i++) {
    trained a = {0}, b = {0};
    code = run_training(context, w, 0, 2, &a);
    if (code == EXIT_OK && rename(w->model, plain) != 0)
      code = cli_error("%s: %s", plain, strerror(errno));
    if (code == EXIT_OK)
      code = run_training(context, w, 2, 1, &b);
    m->same = m->same && code == EXIT_OK && same_files(w->model, plain);
    m->plain_rate = a.rate > m->plain_rate ? a.rate : m->plain_rate;
    m->ranks_rate = b.rate > m->ranks_rate ? b.rate : m->ranks_rate;
  }
  unlink(plain);
  return code;
}

/* What the formulas of docs/scaling.md say is the most that can be sent: of rows and sums, if no candidate came twice and all
 * were pulled. */
static trained predicted(double n, double e, int ranks) {
  const double away = 1.0 - 1.0 / ranks, blocks = n / BLOCK, candidates = NEGATIVES + BLOCK * (1.0 + e / n);
  return (trained){.units = (n * UNIT_BYTES + e * PLACE_BYTES) * away,
                   .rows = blocks * candidates * (ROW_BYTES + PLACE_BYTES) * away,
                   .sums = blocks * candidates * SUM_BYTES * away};
}

/* large_edges 0: without the graph for memory and more than two ranks. */
static int measure_all(geodisk_context *context, double nodes, double large_edges, int64_t repeats, measured *m) {
  int code = write_graph(context, &m->small, nodes * ATTACH);
  if (code == EXIT_OK)
    code = measure_speed(context, &m->small, repeats, m);
  for (int i = 0; i < (large_edges > 0 ? 3 : 1) && code == EXIT_OK; i++)
    code = run_training(context, &m->small, 2 + i, 1, &m->sent[i]);
  unlink(m->small.graph);
  if (code != EXIT_OK || !(large_edges > 0))
    return code;
  code = write_graph(context, &m->large, large_edges);
  trained t = {0};
  if (code == EXIT_OK)
    code = run_training(context, &m->large, 4, 1, &t);
  unlink(m->large.graph);
  /* both directions of the edges, where rows of them begin, names; the points */
  const double graph = 8.0 * m->large.links + (16.0 + 8.0) * m->large.nodes + m->large.name_bytes,
               points = ROW_BYTES * m->large.nodes;
  m->peak = t.peak;
  m->peak_bound = (graph + points) / 4.0 + memory_free;
  return code;
}

/* ---- machines that are not here ---- */

static const double far_nodes = 1e9, far_edges = 1e10, far_latency = 5e-6;
enum { FAR_THREADS = 32, FAR_BATCH = 1 << 20, ROUND_BLOCKS = 28, ROUND_TRADES = 5, ROUND_TREES = 9 };
static const int far_machines[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
static const double far_links[] = {25e9 / 8, 200e9 / 8}; /* bytes a second */
enum { LINKS = sizeof far_links / sizeof far_links[0] };

/* An epoch on so many machines, one rank with FAR_THREADS threads on each, every thread as fast as one here. Seconds. */
typedef struct forecast {
  double training, waiting, moving[LINKS], epoch[LINKS];
  double memory; /* bytes of a machine */
} forecast;

/* Rows are sent as if no candidate came twice, sums for the share of them that was pulled here. A round has some exchanges, in
 * which a rank sends to each other one in turn, and some agreements, which go up and down a tree. All rounds of a batch exchange
 * while another is pulled, but for the first one's rows and the last one's sums. */
static forecast forecast_of(const measured *m, int machines) {
  const trained most = predicted(far_nodes, far_edges, machines), *here = &m->sent[0];
  const double pulled = here->rows > 0.0 ? here->sums / SUM_BYTES / (here->rows / (ROW_BYTES + PLACE_BYTES)) : 0.0;
  const double blocks = (double)FAR_BATCH / BLOCK / machines, rounds = blocks > ROUND_BLOCKS ? blocks / ROUND_BLOCKS : 1.0;
  double levels = 0.0;
  for (int k = 1; k < machines; k *= 2)
    levels++;
  forecast f = {.training = far_edges / (m->thread_rate * FAR_THREADS * machines),
                .waiting = machines == 1 ? 0.0
                                         : far_nodes / FAR_BATCH * rounds * far_latency *
                                               (ROUND_TRADES * (machines - 1.0) + ROUND_TREES * 2.0 * levels)};
  for (int k = 0; k < LINKS; k++) {
    f.moving[k] = (most.units + most.rows + pulled * most.sums) / machines / far_links[k];
    const double exchange = f.moving[k] + f.waiting, seen = exchange / rounds;
    f.epoch[k] = fmax(f.training, exchange - seen) + seen;
  }
  /* rows; per edge its target; per node where its edges and its name begin, twice its degree, number, slot, a name of ten letters
   */
  f.memory = far_nodes / machines * (ROW_BYTES + 8 + 8 + 8 + 8 + 4 + 8 + 11) + far_edges / machines * PLACE_BYTES + memory_free;
  return f;
}

/* ---- printing ---- */

static void print_text(const measured *m) {
  const double efficiency = m->ranks_rate / m->plain_rate;
  printf("%.0f nodes, %.0f edges: 2 threads %.3g edges/s, 2 ranks %.3g edges/s, efficiency %.3f (at least %.2f)%s\n",
         m->small.nodes, m->small.links, m->plain_rate, m->ranks_rate, efficiency, efficiency_bound,
         efficiency < efficiency_bound ? "  below the bound" : "");
  printf("models of both: %s\n\n", m->same ? "the same bytes" : "DIFFERENT");
  printf("%-6s %14s %14s %8s %14s %14s %8s %14s %14s %8s %9s %7s\n", "ranks", "units, bytes", "at most", "ratio", "rows, bytes",
         "at most", "ratio", "sums, bytes", "at most", "ratio", "messages", "rounds");
  for (int i = 0; i < 3; i++) {
    const trained *t = &m->sent[i], p = predicted(m->small.nodes, m->small.links, 2 + i);
    printf("%-6d %14.0f %14.0f %8.4f %14.0f %14.0f %8.4f %14.0f %14.0f %8.4f %9.0f %7.0f\n", 2 + i, t->units, p.units,
           t->units / p.units, t->rows, p.rows, t->rows / p.rows, t->sums, p.sums, t->sums / p.sums, t->messages, t->rounds);
  }
  printf("\n%.0f nodes, %.0f edges on 4 ranks: at most %.1f MB a rank (bound %.1f MB)%s\n", m->large.nodes, m->large.links,
         m->peak / 1e6, m->peak_bound / 1e6, m->peak > m->peak_bound ? "  over the bound" : "");
  printf("\n%.0e nodes, %.0e edges on machines with %d threads of %.3g edges/s, batches of 2^20 units, %.0f us a message; "
         "seconds an epoch at %.0f and %.0f Gb/s:\n"
         "%-9s %9s %9s %9s %9s %9s %9s %12s\n",
         far_nodes, far_edges, FAR_THREADS, m->thread_rate, far_latency * 1e6, far_links[0] * 8e-9, far_links[1] * 8e-9,
         "machines", "training", "waiting", "moving", "moving", "epoch", "epoch", "GB a machine");
  for (size_t i = 0; i < sizeof far_machines / sizeof far_machines[0]; i++) {
    const forecast f = forecast_of(m, far_machines[i]);
    printf("%-9d %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %12.1f\n", far_machines[i], f.training, f.waiting, f.moving[0], f.moving[1],
           f.epoch[0], f.epoch[1], f.memory / 1e9);
  }
}

static void print_json(const measured *m) {
  json_format(
      "{\"threads_edges_per_second\": %n, \"ranks_edges_per_second\": %n, \"efficiency\": %n, \"same_bytes\": %b, \"sent\": [",
      m->plain_rate, m->ranks_rate, m->ranks_rate / m->plain_rate, m->same);
  for (int i = 0; i < 3; i++) {
    const trained *t = &m->sent[i], p = predicted(m->small.nodes, m->small.links, 2 + i);
    printf("%s{\"ranks\": %d, \"units\": %.0f, \"units_most\": %.0f, \"rows\": %.0f, \"rows_most\": %.0f, \"sums\": %.0f, "
           "\"sums_most\": %.0f, \"messages\": %.0f, \"rounds\": %.0f}",
           i ? ", " : "", 2 + i, t->units, p.units, t->rows, p.rows, t->sums, p.sums, t->messages, t->rounds);
  }
  printf("], \"peak_bytes\": %.0f, \"peak_bytes_bound\": %.0f, \"forecast\": [", m->peak, m->peak_bound);
  for (size_t i = 0; i < sizeof far_machines / sizeof far_machines[0]; i++) {
    const forecast f = forecast_of(m, far_machines[i]);
    printf("%s{\"machines\": %d, \"training_seconds\": %.3f, \"waiting_seconds\": %.3f, \"moving_seconds\": [%.3f, %.3f], "
           "\"epoch_seconds\": [%.3f, %.3f], \"memory_bytes\": %.0f}",
           i ? ", " : "", far_machines[i], f.training, f.waiting, f.moving[0], f.moving[1], f.epoch[0], f.epoch[1], f.memory);
  }
  puts("]}");
}

static void print_table(const measured *m) {
  bench_table_begin("ranks | bytes of units | at most | bytes of rows | at most | bytes of sums | at most | messages");
  for (int i = 0; i < 3; i++) {
    const trained *t = &m->sent[i], p = predicted(m->small.nodes, m->small.links, 2 + i);
    const double numbers[] = {2 + i, t->units, p.units, t->rows, p.rows, t->sums, p.sums, t->messages};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
      bench_table_count(numbers[k]);
    bench_table_end_row();
  }
}

static void print_forecast(const measured *m) {
  bench_table_begin(
      "machines | work, s | waiting, s | moving at 25 Gb/s, s | at 200 Gb/s, s | epoch at 25 Gb/s, s | at 200 Gb/s, s");
  for (size_t i = 0; i < sizeof far_machines / sizeof far_machines[0]; i++) {
    const forecast f = forecast_of(m, far_machines[i]);
    bench_table_count(far_machines[i]);
    const double numbers[] = {f.training, f.waiting, f.moving[0], f.moving[1], f.epoch[0], f.epoch[1]};
    bench_table_numbers(sizeof numbers / sizeof numbers[0], numbers);
    bench_table_end_row();
  }
}

int bench_mpi(int argc, char **argv) {
  double thread_rate = 0.0;
  bool only_forecast = false;
  int64_t nodes = 80000, large_edges = 10000000, repeats = 3;
  common_options common = {0};
  const option_spec options[] = {
      OPT_INT("nodes", 0, &nodes, "N", "of the graph for speed and bytes, with ten edges each (default: 80000)", 5000, 1e8),
      OPT_INT("large-edges", 0, &large_edges, "N", "of the graph for memory (default: 10000000)", 10000, 1e10),
      OPT_INT("repeats", 0, &repeats, "N", "runs of each for speed, of which the best counts (default: 3)", 1, 100),
      OPT_DOUBLE("thread-rate", 0, &thread_rate, "X", "edges a second of a thread in the forecast (default: as measured)", 1,
                 1e9),
      OPT_FLAG("forecast", 0, &only_forecast, "with --markdown: the forecast, measuring only what it needs"),
      BENCH_MARKDOWN,
      OPT_END,
  };
  int code = args_parse(&spec, options, &common, argc, argv);
  if (code >= 0)
    return code;
  if (!ranks_built())
    return cli_error("this geodisk was built without MPI (Debian: libopenmpi-dev, openmpi-bin)");
  char version[256];
  if (!bench_first_line("mpirun --version 2>/dev/null", version, sizeof version))
    return cli_error("mpirun is not there (Debian: openmpi-bin)");
  if (geteuid() == 0) { /* which Open MPI wants to hear twice */
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  }
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  measured m = {.thread_rate = thread_rate};
  const bool files =
      bench_temporary_name(m.small.model, sizeof m.small.model) && bench_temporary_name(m.small.log, sizeof m.small.log);
  geodisk_context *context = cli_context(&common);
  m.large = m.small;
  code = files ? measure_all(context, (double)nodes, only_forecast ? 0 : (double)large_edges, repeats, &m) : EXIT_FAILED;
  unlink(m.small.model);
  unlink(m.small.log);
  geodisk_context_destroy(context);
  if (code != EXIT_OK)
    return code;
  if (!(m.thread_rate > 0.0))
    m.thread_rate = m.plain_rate / 2.0;
  if (bench_markdown && only_forecast)
    print_forecast(&m);
  else if (bench_markdown)
    print_table(&m);
  else if (common.json)
    print_json(&m);
  else
    print_text(&m);
  return cli_finish();
}

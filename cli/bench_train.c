/* bench_train.c - `geodisk bench train`: how fast the trainer is on the closure of WordNet's nouns in dim 10 with 50 uniform
 * negatives from a random placement, against what the project promises on 2 threads: 4.5 million edges a second in float, 3 in
 * double, 30 grouped; 1.85 times the rate of one thread; at most 1.1 times the time of natural steps; AVX2 half of AVX-512; at 10
 * negatives 500 times gensim; memory: points, graph and 64 MB; 0.6 of the rate with 10^7 edges on 10^6 nodes. */
#include "bench_train.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const double spare_bytes = 64e6, gensim_bound = 500;
enum { NEGATIVES = 50, EPOCHS = 6, REPEATS = 3, GENSIM_EDGES = 100000, LARGE_NODES = 1000000, LARGE_ATTACH = 10, SEED = 1 };

static const command_spec spec = {
    "bench train",
    "training on WordNet's nouns: edges a second, scaling, instruction sets, memory, and gensim on the same edges",
    "",
    0,
    0,
    "Trains on the closure of WordNet's nouns with 50 uniform negatives from a random placement, in many ways, and prints "
    "edges a second beside what is promised on 2 threads (run it with --threads 2). Each way runs in a process of its own for a "
    "few epochs, all of them in turn, several times; the best epoch counts. cpu is what the processors spent on it, all threads "
    "together; wall is longer on a busy machine. Peak is the memory of the process less what it had before it read the graph; "
    "its bound is the size of the points (dim + 1 numbers each) and the graph, and 64 MB. gensim's PoincareModel, which knows "
    "all "
    "edges, trains on a random choice of them with 10 negatives, on one thread as it always does; its seconds an edge are "
    "compared with those of geodisk at 10 negatives.",
    "geodisk bench train --threads 2\n"
    "geodisk bench train --threads 2 --scale --gensim 0\n"
    "geodisk bench train --root mammal.n.01 --gensim 500 --json",
};

/* ---- what is trained ---------------------------------------------------------------------------------------------------------
 */

enum {
  FLOAT,
  DOUBLE,
  GROUPED_FLOAT,
  GROUPED_DOUBLE,
  SPARSE,
  NATURAL_FLOAT,
  NATURAL_DOUBLE,
  ONE_FLOAT,
  ONE_DOUBLE,
  AVX2_FLOAT,
  AVX2_DOUBLE,
  FEW_ONE,
  FEW,
  FEW_FLOAT,
  FEW_GROUPED,
  LARGE,
  ROWS
};

static const struct row {
  const char *key, *what;
  double promised; /* edges a second; 0: nothing */
  double sparse;
  const char *instructions;
  bench_train_data data;
  geodisk_precision precision;
  geodisk_variant variant;
  geodisk_update update;
  int negatives;
  bool one; /* thread, else as asked for */
} rows[ROWS] = {
    [FLOAT] = {"float", "float", .promised = 4.5e6, .precision = GEODISK_PRECISION_FLOAT},
    [DOUBLE] = {"double", "double", .promised = 3e6},
    [GROUPED_FLOAT] = {"grouped_float", "float, grouped", .promised = 30e6, .precision = GEODISK_PRECISION_FLOAT,
                       .variant = GEODISK_VARIANT_GROUPED},
    [GROUPED_DOUBLE] = {"grouped_double", "double, grouped", .variant = GEODISK_VARIANT_GROUPED},
    [SPARSE] = {"sparse_float", "float, sparse pulls (0.03)", .precision = GEODISK_PRECISION_FLOAT, .sparse = 0.03},
    [NATURAL_FLOAT] = {"natural_float", "float, natural steps", .precision = GEODISK_PRECISION_FLOAT,
                       .update = GEODISK_UPDATE_NATURAL},
    [NATURAL_DOUBLE] = {"natural_double", "double, natural steps", .update = GEODISK_UPDATE_NATURAL},
    [ONE_FLOAT] = {"one_thread_float", "float, one thread", .precision = GEODISK_PRECISION_FLOAT, .one = true},
    [ONE_DOUBLE] = {"one_thread_double", "double, one thread", .one = true},
    [AVX2_FLOAT] = {"avx2_float", "float, AVX2", .precision = GEODISK_PRECISION_FLOAT, .instructions = "avx2"},
    [AVX2_DOUBLE] = {"avx2_double", "double, AVX2", .instructions = "avx2"},
    [FEW_ONE] = {"k10_one_thread", "double, 10 negatives, one thread", .one = true, .negatives = BENCH_TRAIN_FEW},
    [FEW] = {"k10", "double, 10 negatives", .negatives = BENCH_TRAIN_FEW},
    [FEW_FLOAT] = {"k10_float", "float, 10 negatives", .precision = GEODISK_PRECISION_FLOAT, .negatives = BENCH_TRAIN_FEW},
    [FEW_GROUPED] = {"k10_grouped", "double, 10 negatives, grouped", .variant = GEODISK_VARIANT_GROUPED,
                     .negatives = BENCH_TRAIN_FEW},
    [LARGE] = {"scale", "float, the large graph", .data = TRAIN_LARGE, .precision = GEODISK_PRECISION_FLOAT},
};

typedef struct measured {
  bench_time time; /* of the best epoch */
  double edges;    /* of an epoch; NaN: not measured */
  double peak, peak_bound;
  double nodes;
} measured;

typedef struct training {
  const bench_train_run *bench;
  const struct row *row;
} training;

static geodisk_train_options options_of(const bench_train_run *bench, const struct row *row) {
  geodisk_train_options options = geodisk_train_defaults();
  options.dim = (int)bench->dim;
  options.precision = row->precision;
  options.variant = row->variant;
  options.update = row->update;
  options.sparse = row->sparse;
  options.negatives = row->negatives > 0 ? (size_t)row->negatives : NEGATIVES;
  options.sampling = GEODISK_SAMPLING_UNIFORM;
  options.placement = GEODISK_PLACEMENT_RANDOM;
  options.rates = GEODISK_RATES_CONSTANT;
  options.lr = 0.3;
  options.epochs = (uint64_t)bench->epochs;
  return options;
}

static geodisk_status best_epoch(geodisk_trainer *trainer, int64_t epochs, measured *out) {
  geodisk_status status = GEODISK_OK;
  for (int64_t i = 0; i < epochs && status == GEODISK_OK; i++) {
    geodisk_train_epoch epoch;
    const bench_time start = bench_now();
    status = geodisk_trainer_epoch(trainer, &epoch);
    const bench_time took = bench_since(start);
    out->time = i == 0 ? took : bench_better(out->time, took);
    out->edges = (double)(epoch.edges + epoch.skipped);
  }
  return status;
}

static int train_job(void *argument, void *result) {
  const training *job = argument;
  const bench_train_run *bench = job->bench;
  common_options common = *bench->common;
  measured *out = result;
  *out = (measured){.edges = (double)NAN};
  if (job->row->one)
    common.threads = 1;
  const double before = bench_peak_bytes();
  geodisk_context *context = cli_context(&common);
  if (context == NULL)
    return EXIT_FAILED;
  if (job->row->instructions != NULL && geodisk_use_instruction_set(context, job->row->instructions) != GEODISK_OK)
    return EXIT_OK; /* the processor lacks it */
  const geodisk_train_options options = options_of(bench, job->row);
  geodisk_graph *graph = NULL;
  geodisk_trainer *trainer = NULL;
  geodisk_status status = geodisk_graph_read(context, bench->graphs[job->row->data], NULL, NULL, &graph);
  if (status == GEODISK_OK)
    status = geodisk_trainer_create(context, graph, &options, &trainer);
  if (status == GEODISK_OK)
    status = best_epoch(trainer, job->row->data == TRAIN_LARGE ? 1 : bench->epochs, out);
  if (status != GEODISK_OK)
    return cli_failed(context, status);
  const double number = options.precision == GEODISK_PRECISION_FLOAT ? sizeof(float) : sizeof(double);
  out->nodes = (double)geodisk_graph_nodes(graph);
  out->peak = bench_peak_bytes() - before;
  out->peak_bound = out->nodes * (double)(options.dim + 1) * number + (double)geodisk_graph_memory(graph) + spare_bytes;
  return EXIT_OK;
}

/* Trains once more and keeps the better of both. */
static int measure(const bench_train_run *bench, int row, int repeat, measured *best) {
  training job = {bench, &rows[row]};
  measured again = {.edges = 0};
  const int code = bench_in_child(train_job, &job, &again, sizeof again);
  if (code != EXIT_OK)
    return code;
  if (repeat > 0) {
    again.time = bench_better(best->time, again.time);
    again.peak = fmin(best->peak, again.peak);
  }
  *best = again;
  return EXIT_OK;
}

/* ---- graphs ------------------------------------------------------------------------------------------------------------------
 */

static int write_nouns(void *argument, void *result) {
  const bench_train_run *bench = argument;
  const geodisk_wordnet_options wordnet = {.root = bench->root};
  geodisk_context *context = cli_context(bench->common);
  geodisk_graph *graph = NULL;
  if (context == NULL)
    return EXIT_FAILED;
  geodisk_status status = geodisk_graph_read_wordnet(context, bench->dict, &wordnet, NULL, &graph);
  if (status == GEODISK_OK)
    status = geodisk_graph_write(context, graph, bench->graphs[TRAIN_NOUNS], NULL);
  *(bool *)result = true;
  return status == GEODISK_OK ? EXIT_OK : cli_failed(context, status);
}

/* Every new node goes to ten older ones, rather to those that many go to: the hubs of a closure. */
static int write_large(void *argument, void *result) {
  const bench_train_run *bench = argument;
  const geodisk_generate_options generate = {
      .kind = GEODISK_BARABASI, .nodes = (uint64_t)bench->large_nodes, .attach = LARGE_ATTACH, .seed = SEED};
  geodisk_context *context = cli_context(bench->common);
  geodisk_graph *graph = NULL;
  if (context == NULL)
    return EXIT_FAILED;
  geodisk_status status = geodisk_graph_generate(context, &generate, &graph);
  if (status == GEODISK_OK)
    status = geodisk_graph_write(context, graph, bench->graphs[TRAIN_LARGE], NULL);
  *(bool *)result = true;
  return status == GEODISK_OK ? EXIT_OK : cli_failed(context, status);
}

static int make_graphs(bench_train_run *bench) {
  static bench_job *const jobs[TRAIN_DATA] = {write_nouns, write_large};
  const bool wanted[TRAIN_DATA] = {true, bench->large};
  for (int i = 0; i < TRAIN_DATA; i++) {
    FILE *file = wanted[i] ? bench_temporary(bench->graphs[i], sizeof bench->graphs[i]) : NULL;
    bool made;
    if (!wanted[i])
      continue;
    if (file == NULL)
      return EXIT_FAILED;
    fclose(file);
    const int code = bench_in_child(jobs[i], bench, &made, sizeof made);
    if (code != EXIT_OK)
      return code;
  }
  return EXIT_OK;
}

static void remove_graphs(const bench_train_run *bench) {
  for (int i = 0; i < TRAIN_DATA; i++)
    if (bench->graphs[i][0] != 0)
      unlink(bench->graphs[i]);
}

/* ---- printing ----------------------------------------------------------------------------------------------------------------
 */

static void print_row(int row, const measured *m, bool json) {
  const double rate = m->edges / m->time.wall, promised = rows[row].promised;
  if (json) {
    printf(", \"%s\": {\"edges_per_second\": ", rows[row].key);
    json_number(rate);
    printf(", \"edges_per_second_promised\": ");
    json_number(promised > 0 ? promised : (double)NAN);
    printf(", \"edges_per_cpu_second\": ");
    json_number(m->edges / m->time.cpu);
    printf(", \"wall_seconds\": ");
    json_number(m->time.wall);
    printf(", \"cpu_seconds\": ");
    json_number(m->time.cpu);
    printf(", \"nodes\": %.0f, \"edges\": ", m->nodes);
    json_number(m->edges);
    printf(", \"peak_bytes\": %.0f, \"peak_bytes_bound\": %.0f}", m->peak, m->peak_bound);
  } else if (isnan(m->edges)) {
    printf("%-38s not measured: the processor lacks it\n", rows[row].what);
  } else {
    printf("%-38s %7.2f ", rows[row].what, 1e-6 * rate);
    if (promised > 0)
      printf("%8.1f", 1e-6 * promised);
    else
      printf("%8s", "");
    printf(" %8.4f %8.4f %8.1f %7.1f%s\n", m->time.wall, m->time.cpu, 1e-6 * m->peak, 1e-6 * m->peak_bound,
           rate < promised           ? "   below the promise"
           : m->peak > m->peak_bound ? "   over the bound"
                                     : "");
  }
}

/* Ratios of times for an edge, of two rows: `slow` over `fast`. */
static const struct {
  const char *key, *what;
  int slow, fast;
  double bound;
  bool most; /* the bound is an upper one */
} ratios[] = {
    {"scaling_float", "rate against one thread, float", ONE_FLOAT, FLOAT, 1.85, false},
    {"scaling_double", "rate against one thread, double", ONE_DOUBLE, DOUBLE, 1.85, false},
    {"geodesic_natural_float", "time against natural steps, float", FLOAT, NATURAL_FLOAT, 1.1, true},
    {"geodesic_natural_double", "time against natural steps, double", DOUBLE, NATURAL_DOUBLE, 1.1, true},
    {"avx2_float_ratio", "rate of AVX2, float", FLOAT, AVX2_FLOAT, 0.5, false},
    {"avx2_double_ratio", "rate of AVX2, double", DOUBLE, AVX2_DOUBLE, 0.5, false},
    {"scale_ratio", "rate on the large graph, float", FLOAT, LARGE, 0.6, false},
};

static void print_ratio(const char *key, const char *what, double wall, double cpu, double bound, bool most, bool json) {
  const bool kept = most ? wall <= bound : wall >= bound;
  if (json) {
    printf(", \"%s\": {\"ratio\": ", key);
    json_number(wall);
    printf(", \"ratio_cpu\": ");
    json_number(cpu);
    printf(", \"%s\": %g}", most ? "at_most" : "at_least", bound);
  } else if (!isnan(wall)) {
    printf("%-48s %8.2f, by cpu %8.2f; promised %s %g%s\n", what, wall, cpu, most ? "at most" : "at least", bound,
           kept ? "" : "   not kept");
  }
}

static void print_ratios(const bench_train_run *bench, const measured *m, bool json) {
  if (!json)
    putchar('\n');
  for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
    const measured *slow = &m[ratios[i].slow], *fast = &m[ratios[i].fast];
    if (bench->large || ratios[i].fast != LARGE)
      print_ratio(ratios[i].key, ratios[i].what, slow->time.wall / slow->edges * fast->edges / fast->time.wall,
                  slow->time.cpu / slow->edges * fast->edges / fast->time.cpu, ratios[i].bound, ratios[i].most, json);
  }
}

static void print_gensim(const bench_train_gensim *gensim, const measured *m, bool json) {
  static const struct {
    const char *key, *what;
    int row;
  } against[] = {
      {"gensim_one_thread", "times gensim: double, one thread", FEW_ONE},
      {"gensim_ratio", "times gensim: double", FEW},
      {"gensim_float", "times gensim: float", FEW_FLOAT},
      {"gensim_grouped", "times gensim: double, grouped", FEW_GROUPED},
  };
  if (json) {
    printf(", \"gensim\": {\"wall_seconds\": ");
    json_number(gensim->wall);
    printf(", \"cpu_seconds\": ");
    json_number(gensim->cpu);
    printf(", \"edges\": ");
    json_number(gensim->edges);
    putchar('}');
  } else if (isnan(gensim->wall)) {
    printf("\ngensim: not measured: /usr/bin/python3 lacks the package\n");
    return;
  } else {
    printf("\ngensim: %.0f edges in %.2f s (%.2f s by cpu), %.0f a second; 10 negatives, double, one thread\n", gensim->edges,
           gensim->wall, gensim->cpu, gensim->edges / gensim->wall);
  }
  for (size_t i = 0; i < sizeof against / sizeof against[0]; i++) {
    const measured *own = &m[against[i].row];
    print_ratio(against[i].key, against[i].what, gensim->wall / gensim->edges * own->edges / own->time.wall,
                gensim->cpu / gensim->edges * own->edges / own->time.cpu, gensim_bound, false, json);
  }
}

/* ---- the command
 * --------------------------------------------------------------------------------------------------------------- */

static bool is_wanted(const bench_train_run *bench, int row) { return rows[row].data != TRAIN_LARGE || bench->large; }

static int measure_all(bench_train_run *bench, int threads, const char *instructions) {
  const bool json = bench->common->json;
  measured m[ROWS] = {{.edges = 0}};
  int code = make_graphs(bench);
  for (int repeat = 0; repeat < bench->repeats; repeat++)
    for (int i = 0; i < ROWS && code == EXIT_OK; i++)
      if (is_wanted(bench, i))
        code = measure(bench, i, repeat, &m[i]);
  bench_train_gensim gensim = {(double)NAN, (double)NAN, (double)NAN};
  if (code == EXIT_OK && bench->gensim_edges > 0)
    code = bench_in_child(bench_train_ask_gensim, bench, &gensim, sizeof gensim);
  if (code != EXIT_OK)
    return code;
  if (json)
    printf("{\"threads\": %d, \"instruction_set\": \"%s\", \"dim\": %d, \"negatives\": %d", threads, instructions,
           (int)bench->dim, NEGATIVES);
  else
    printf("%.0f nodes, %.0f edges, dim %d, %d uniform negatives; %d threads, %s; the best of %d runs of %d epochs\n\n"
           "%-38s %7s %8s %8s %8s %8s %7s\n",
           m[FLOAT].nodes, m[FLOAT].edges, (int)bench->dim, NEGATIVES, threads, instructions, (int)bench->repeats,
           (int)bench->epochs, "millions of edges a second", "", "promised", "wall s", "cpu s", "peak MB", "bound");
  for (int i = 0; i < ROWS; i++)
    if (is_wanted(bench, i))
      print_row(i, &m[i], json);
  print_ratios(bench, m, json);
  if (bench->gensim_edges > 0)
    print_gensim(&gensim, m, json);
  if (json)
    fputs("}\n", stdout);
  return cli_finish();
}

int bench_train(int argc, char **argv) {
  common_options common = {0};
  bench_train_run bench = {.common = &common,
                           .dict = "/usr/share/wordnet",
                           .dim = 10,
                           .epochs = EPOCHS,
                           .repeats = REPEATS,
                           .gensim_edges = GENSIM_EDGES,
                           .large_nodes = LARGE_NODES};
  const option_spec options[] = {
      {"dim", 'd', OPTION_INT, &bench.dim, "N", "of the points (default: 10, which the promises are for)", 1, 512, NULL},
      {"epochs", 'e', OPTION_INT, &bench.epochs, "N", "in each run (default: 6)", 1, 1000, NULL},
      {"repeats", 0, OPTION_INT, &bench.repeats, "N", "runs of each kind (default: 3)", 1, 1000, NULL},
      {"gensim", 0, OPTION_INT, &bench.gensim_edges, "EDGES",
       "how many edges gensim trains on (default: 100000, five to ten seconds; 0: leave it out)", 0, 1e9, NULL},
      {"scale", 0, OPTION_FLAG, &bench.large, NULL, "also train one epoch on a generated graph of 10^6 nodes and 10^7 edges", 0,
       0, NULL},
      {"scale-nodes", 0, OPTION_INT, &bench.large_nodes, "N", "nodes of that graph (default: 1000000), ten edges each", 100, 1e8,
       NULL},
      {"root", 0, OPTION_STRING, &bench.root, "SYNSET", "only this synset and those below it (default: all nouns)", 0, 0, NULL},
      {"dict", 0, OPTION_STRING, &bench.dict, "DIR", "the folder of WordNet's database (default: /usr/share/wordnet)", 0, 0,
       NULL},
      {NULL, 0, OPTION_FLAG, NULL, NULL, NULL, 0, 0, NULL}};
  const char *args[1];
  int n_args;
  int code = args_parse(&spec, options, &common, argc, argv, args, &n_args);
  if (code >= 0)
    return code;
  common.quiet = true; /* progress of many short runs says nothing */
  geodisk_context *context = cli_context(&common);
  if (context == NULL)
    return EXIT_FAILED;
  const int threads = geodisk_context_threads(context);
  const char *instructions = geodisk_instruction_set(context);
  geodisk_context_destroy(context); /* before there are children */
  code = measure_all(&bench, threads, instructions);
  remove_graphs(&bench);
  return code;
}

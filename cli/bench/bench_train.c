/* bench_train.c - `geodisk bench train`: how fast the trainer is on the closure of WordNet's nouns in dim 10 from the tree
 * placement, against what is wanted on 2 threads: 0.9 thousand million pairs of a source and a candidate a second and thread with
 * 768 negatives in float; 1.85 times the rate of one thread; at most 1.1 times the time of natural steps; AVX2 half of AVX-512;
 * with the settings of geodisk.gensim 300 times gensim; 0.6 of the rate with 10^8 edges on 10^7 nodes, in the memory of points,
 * graph and 128 MB. */
#include "bench_train.h"
#include "bench_tree.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const double spare_bytes = 128e6, gensim_bound = 300;
enum { EPOCHS = 6, REPEATS = 3, LARGE_EPOCHS = 2, GENSIM_EDGES = 100000, LARGE_NODES = 10000000, LARGE_ATTACH = 10, SEED = 1 };

static const command_spec spec = {
    "bench train",
    "training on WordNet's nouns: pairs and edges a second, scaling, instruction sets, memory, and gensim on the same edges",
    "",
    "Trains on the closure of WordNet's nouns from the tree placement in many ways, and prints what is done in a second beside "
    "what is wanted on 2 threads (run it with --threads 2): pairs of a source and a candidate for each thread, by the clock and "
    "by the seconds that processors spent, and edges. A source is trained with all its targets and 768 negatives (source units), "
    "or each edge with negatives of its own (edge units). Each way runs in a process of its own for a few epochs, all of them in "
    "turn, several times; the best epoch counts. cpu is of all threads together; wall is longer on a busy machine. Peak is the "
    "memory of the process less what it had before it read the graph; its bound is the size of the points (dim + 1 numbers each) "
    "and the graph, and 128 MB. gensim's PoincareModel, which knows all edges, trains on a random choice of them with 10 "
    "negatives, on one thread as it always does; its seconds an edge are compared with those of geodisk.gensim's settings for 10 "
    "negatives: source units of which two share 40, in batches of 16. The large graphs of --scale are a closed hierarchy without "
    "names, six children a node and edges to all ancestors, placed as late in a training, then from a random start; and, from a "
    "file and the tree placement, a network of Barabasi and Albert, in which targets are as far as other nodes: nearly all "
    "negatives push.",
    "geodisk bench train --threads 2\n"
    "geodisk bench train --threads 2 --scale --gensim 0\n"
    "geodisk bench train --scale --scale-nodes 1000000\n"
    "geodisk bench train --root mammal.n.01 --gensim 500 --json",
};

/* ---- what is trained ---- */

enum {
  SOURCE,
  SOURCE_ONE,
  SOURCE_DOUBLE,
  SOURCE_DOUBLE_ONE,
  SOURCE_NATURAL,
  SOURCE_DOUBLE_NATURAL,
  SOURCE_AVX2,
  SOURCE_DOUBLE_AVX2,
  SOURCE_SSE2,
  SOURCE_DOUBLE_SSE2,
  EDGE,
  EDGE_ONE,
  EDGE_DOUBLE,
  EDGE_DOUBLE_ONE,
  FEW,
  FEW_ONE,
  FEW_FLOAT,
  LARGE,
  LARGE_START,
  LARGE_NETWORK,
  ROWS
};

/* Options of the ways; all sizes are those that the trainer would choose for graphs like the nouns, or that a promise is for. */
enum { SOURCE_NEGATIVES = 768, SOURCE_BATCH = 8192, EDGE_NEGATIVES = 50, EDGE_BATCH = 4096 };

static const struct row {
  const char *key, *what;
  double must, goal; /* pairs a second and thread; 0: nothing */
  const char *instructions;
  bench_train_data data;
  bool single, edges, few; /* float; edge units; as geodisk.gensim trains at 10 negatives */
  bool random;             /* a hierarchy whose points begin at random */
  geodisk_update update;
  bool one; /* thread, else as asked for */
} rows[ROWS] = {
    [SOURCE] = {"source_float", "sources, float", .must = 0.9e9, .goal = 1.5e9, .single = true},
    [SOURCE_ONE] = {"source_float_one", "sources, float, one thread", .must = 0.9e9, .goal = 1.5e9, .single = true, .one = true},
    [SOURCE_DOUBLE] = {"source_double", "sources, double", .one = false},
    [SOURCE_DOUBLE_ONE] = {"source_double_one", "sources, double, one thread", .one = true},
    [SOURCE_NATURAL] = {"source_float_natural", "sources, float, natural steps", .single = true,
                        .update = GEODISK_UPDATE_NATURAL},
    [SOURCE_DOUBLE_NATURAL] = {"source_double_natural", "sources, double, natural steps", .update = GEODISK_UPDATE_NATURAL},
    [SOURCE_AVX2] = {"source_float_avx2", "sources, float, AVX2", .single = true, .instructions = "avx2"},
    [SOURCE_DOUBLE_AVX2] = {"source_double_avx2", "sources, double, AVX2", .instructions = "avx2"},
    [SOURCE_SSE2] = {"source_float_sse2", "sources, float, SSE2", .single = true, .instructions = "sse2"},
    [SOURCE_DOUBLE_SSE2] = {"source_double_sse2", "sources, double, SSE2", .instructions = "sse2"},
    [EDGE] = {"edge_float", "edges, 50 negatives, float", .edges = true, .single = true},
    [EDGE_ONE] = {"edge_float_one", "edges, 50 negatives, float, one thread", .edges = true, .single = true, .one = true},
    [EDGE_DOUBLE] = {"edge_double", "edges, 50 negatives, double", .edges = true},
    [EDGE_DOUBLE_ONE] = {"edge_double_one", "edges, 50 negatives, double, one thread", .edges = true, .one = true},
    [FEW] = {"k10", "as geodisk.gensim, double", .few = true},
    [FEW_ONE] = {"k10_one", "as geodisk.gensim, double, one thread", .few = true, .one = true},
    [FEW_FLOAT] = {"k10_float", "as geodisk.gensim, float", .few = true, .single = true},
    [LARGE] = {"scale", "sources, float, a large hierarchy", .data = TRAIN_TREE, .single = true},
    [LARGE_START] = {"scale_start", "the same from a random start", .data = TRAIN_TREE, .single = true, .random = true},
    [LARGE_NETWORK] = {"scale_network", "sources, float, a large network", .data = TRAIN_NETWORK, .single = true},
};

typedef struct measured {
  bench_time time;     /* of the best epoch */
  double edges, pairs; /* of an epoch; NaN: not measured */
  double threads, peak, peak_bound, nodes, graph;
} measured;

typedef struct training {
  const bench_train_run *bench;
  const struct row *row;
} training;

/* What python/geodisk/gensim/_training.py takes for a graph of many nodes with many targets each, at gensim's rate. */
static void train_as_drop_in(geodisk_train_options *options) {
  options->placement = GEODISK_PLACEMENT_RANDOM;
  options->negatives = 4 * (size_t)BENCH_TRAIN_FEW;
  options->block = 2;
  options->batch = 16;
  options->cap = options->bound = 2;
  options->sparse = 0.05;
  options->sharpness = options->sharpness_first = 1;
  options->rates = GEODISK_RATES_CONSTANT;
  options->lr = options->lr_first = options->lr_last = 0.1;
}

static geodisk_train_options options_of(const bench_train_run *bench, const struct row *row) {
  geodisk_train_options options = geodisk_train_defaults();
  options.dim = (int)bench->dim;
  options.precision = row->single ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
  options.update = row->update;
  options.placement = row->data == TRAIN_TREE ? GEODISK_PLACEMENT_RANDOM : GEODISK_PLACEMENT_TREE;
  options.core_epochs = 0;
  options.epochs = (uint64_t)bench->epochs;
  options.units = row->edges ? GEODISK_UNITS_EDGE : GEODISK_UNITS_SOURCE;
  options.negatives = row->edges ? EDGE_NEGATIVES : SOURCE_NEGATIVES;
  options.batch = row->edges ? EDGE_BATCH : SOURCE_BATCH;
  if (row->edges || row->few)
    options.sampling = GEODISK_SAMPLING_UNIFORM;
  if (row->few)
    train_as_drop_in(&options);
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
    out->edges = (double)epoch.edges;
    out->pairs = (double)epoch.pairs;
  }
  return status;
}

/* From a file; what the graph is goes to `out`. */
static geodisk_status begin_file(geodisk_context *context, const training *job, const geodisk_train_options *options,
                                 measured *out, geodisk_trainer **trainer) {
  geodisk_graph *graph = NULL;
  geodisk_status status = geodisk_graph_read(context, job->bench->graphs[job->row->data], NULL, NULL, &graph);
  if (status != GEODISK_OK)
    return status;
  out->nodes = (double)geodisk_graph_nodes(graph);
  out->graph = (double)geodisk_graph_memory(graph);
  return geodisk_trainer_create(context, graph, options, trainer);
}

/* The hierarchy, which has no names. Where its points do not begin at random, they stand as late in a training. */
static geodisk_status begin_tree(geodisk_context *context, const training *job, const geodisk_train_options *options,
                                 measured *out, geodisk_trainer **trainer) {
  static bench_tree tree; /* of this process, which ends with the measurement */
  const geodisk_status status = bench_tree_make(context, (uint64_t)job->bench->large_nodes, options->dim, &tree);
  if (status != GEODISK_OK)
    return status;
  const geodisk_bare_graph graph = {.nodes = (size_t)tree.nodes,
                                    .out = {.offsets = tree.offsets, .nodes = tree.targets},
                                    .place = job->row->random ? NULL : bench_tree_place,
                                    .user = &tree};
  out->nodes = (double)tree.nodes;
  out->graph = (out->nodes + 1) * sizeof *tree.offsets + (double)tree.offsets[tree.nodes] * sizeof *tree.targets;
  return geodisk_trainer_create_bare(context, &graph, options, trainer);
}

static int train_job(void *argument, void *result) {
  const training *job = argument;
  const bench_train_run *bench = job->bench;
  common_options common = *bench->common;
  measured *out = result;
  *out = (measured){.edges = (double)NAN, .pairs = (double)NAN};
  if (job->row->one)
    common.threads = 1;
  const double before = bench_peak_bytes();
  geodisk_context *context = cli_context(&common);
  if (job->row->instructions != NULL && geodisk_use_instruction_set(context, job->row->instructions) != GEODISK_OK)
    return EXIT_OK; /* the processor lacks it */
  const geodisk_train_options options = options_of(bench, job->row);
  const bool large = job->row->data != TRAIN_NOUNS;
  geodisk_trainer *trainer = NULL;
  geodisk_status status = (job->row->data == TRAIN_TREE ? begin_tree : begin_file)(context, job, &options, out, &trainer);
  if (status == GEODISK_OK)
    status = best_epoch(trainer, large && bench->epochs > LARGE_EPOCHS ? LARGE_EPOCHS : bench->epochs, out);
  if (status != GEODISK_OK)
    return cli_failed(context, status);
  const double number = options.precision == GEODISK_PRECISION_FLOAT ? sizeof(float) : sizeof(double);
  out->threads = geodisk_context_threads(context);
  out->peak = bench_peak_bytes() - before;
  out->peak_bound = out->nodes * (double)(options.dim + 1) * number + out->graph + spare_bytes;
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

/* ---- graphs ---- */

static int write_nouns(void *argument, void *result) {
  const bench_train_run *bench = argument;
  const geodisk_wordnet_options wordnet = {.root = bench->root};
  geodisk_context *context = cli_context(bench->common);
  const geodisk_status status = bench_write_nouns(context, bench->dict, &wordnet, bench->graphs[TRAIN_NOUNS], NULL);
  *(bool *)result = true;
  return status == GEODISK_OK ? EXIT_OK : cli_failed(context, status);
}

/* Every new node goes to ten older ones, rather to those that many go to: the hubs of a closure. */
static int write_network(void *argument, void *result) {
  const bench_train_run *bench = argument;
  const geodisk_generate_options generate = {
      .kind = GEODISK_GENERATOR_BARABASI, .nodes = (uint64_t)bench->large_nodes, .attach = LARGE_ATTACH, .seed = SEED};
  geodisk_context *context = cli_context(bench->common);
  geodisk_graph *graph = NULL;
  geodisk_status status = geodisk_graph_generate(context, &generate, &graph);
  if (status == GEODISK_OK)
    status = geodisk_graph_write(context, graph, bench->graphs[TRAIN_NETWORK], NULL);
  *(bool *)result = true;
  return status == GEODISK_OK ? EXIT_OK : cli_failed(context, status);
}

static int make_graphs(bench_train_run *bench) {
  static bench_job *const jobs[TRAIN_DATA] = {write_nouns, write_network, NULL};
  const bool wanted[TRAIN_DATA] = {true, bench->large, false};
  for (int i = 0; i < TRAIN_DATA; i++) {
    bool made;
    if (!wanted[i])
      continue;
    if (!bench_temporary_name(bench->graphs[i], sizeof bench->graphs[i]))
      return EXIT_FAILED;
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

/* ---- printing ---- */

static double pairs_of(const measured *m) { return m->pairs / (m->time.wall * m->threads); }

static void json_row(const struct row *row, const measured *m) {
  const double none = (double)NAN;
  const struct {
    const char *key;
    double value;
  } numbers[] = {{"pairs_per_second_and_thread", pairs_of(m)},
                 {"pairs_per_second_and_thread_must", row->must > 0 ? row->must : none},
                 {"pairs_per_second_and_thread_goal", row->goal > 0 ? row->goal : none},
                 {"pairs_per_cpu_second", m->pairs / m->time.cpu},
                 {"edges_per_second", m->edges / m->time.wall},
                 {"edges_per_cpu_second", m->edges / m->time.cpu},
                 {"wall_seconds", m->time.wall},
                 {"cpu_seconds", m->time.cpu},
                 {"nodes", m->nodes},
                 {"edges", m->edges},
                 {"pairs", m->pairs},
                 {"peak_bytes", m->peak},
                 {"peak_bytes_bound", m->peak_bound}};
  printf(", \"%s\": ", row->key);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    json_format("%s\"%s\": %n", i > 0 ? ", " : "{", numbers[i].key, numbers[i].value);
  }
  putchar('}');
}

static void table_row(const struct row *row, const measured *m) {
  if (isnan(m->edges))
    return; /* the processor lacks it */
  bench_table_text("%s", row->what);
  bench_table_numbers(5, (const double[]){1e-9 * m->pairs / m->time.cpu, 1e-6 * m->edges / m->time.cpu, m->time.wall, m->time.cpu,
                                          1e-6 * m->peak});
  bench_table_end_row();
}

static void print_wanted(double value) {
  if (value > 0)
    printf(" %5.2f", 1e-9 * value);
  else
    printf(" %5s", "");
}

static void print_row(const struct row *row, const measured *m) {
  if (isnan(m->edges)) {
    printf("%-42s not measured: the processor lacks it\n", row->what);
    return;
  }
  const double pairs = pairs_of(m);
  printf("%-42s %6.3f %6.3f", row->what, 1e-9 * pairs, 1e-9 * m->pairs / m->time.cpu);
  print_wanted(row->must);
  print_wanted(row->goal);
  printf(" %8.2f %8.4f %8.4f %8.1f %8.1f%s%s\n", 1e-6 * m->edges / m->time.wall, m->time.wall, m->time.cpu, 1e-6 * m->peak,
         1e-6 * m->peak_bound, pairs < row->must ? "   below what must be" : "",
         m->peak > m->peak_bound ? "   over the bound" : "");
}

/* Ratios of times for an edge, of two rows: `slow` over `fast`. */
static const struct {
  const char *key, *what;
  int slow, fast;
  double bound; /* 0: none */
  bool most;    /* the bound is an upper one */
} ratios[] = {
    {"scaling_source_float", "rate against one thread: sources, float", SOURCE_ONE, SOURCE, 1.85, false},
    {"scaling_source_double", "rate against one thread: sources, double", SOURCE_DOUBLE_ONE, SOURCE_DOUBLE, 1.85, false},
    {"scaling_edge_float", "rate against one thread: edges, float", EDGE_ONE, EDGE, 1.85, false},
    {"scaling_edge_double", "rate against one thread: edges, double", EDGE_DOUBLE_ONE, EDGE_DOUBLE, 1.85, false},
    {"geodesic_natural_float", "time against natural steps, float", SOURCE, SOURCE_NATURAL, 1.1, true},
    {"geodesic_natural_double", "time against natural steps, double", SOURCE_DOUBLE, SOURCE_DOUBLE_NATURAL, 1.1, true},
    {"avx2_float_ratio", "rate of AVX2, float", SOURCE, SOURCE_AVX2, 0.5, false},
    {"avx2_double_ratio", "rate of AVX2, double", SOURCE_DOUBLE, SOURCE_DOUBLE_AVX2, 0.5, false},
    {"sse2_float_ratio", "rate of SSE2, float", SOURCE, SOURCE_SSE2, 0, false},
    {"sse2_double_ratio", "rate of SSE2, double", SOURCE_DOUBLE, SOURCE_DOUBLE_SSE2, 0, false},
    {"scale_ratio", "rate on the large hierarchy, float", SOURCE, LARGE, 0.6, false},
    {"scale_start_ratio", "rate on it from a random start", SOURCE, LARGE_START, 0, false},
    {"scale_network_ratio", "rate on the large network, float", SOURCE, LARGE_NETWORK, 0.6, false},
};

static void print_ratio(const char *key, const char *what, double wall, double cpu, double bound, bool most, bool json) {
  const bool kept = !(bound > 0) || (most ? wall <= bound : wall >= bound);
  if (json) {
    json_format(", \"%s\": {\"ratio\": %n, \"ratio_cpu\": %n, \"%s\": %n}", key, wall, cpu, most ? "at_most" : "at_least",
                bound > 0 ? bound : (double)NAN);
  } else if (!isnan(wall)) {
    printf("%-48s %8.2f, by cpu %8.2f", what, wall, cpu);
    if (bound > 0)
      printf("; %s %g wanted%s", most ? "at most" : "at least", bound, kept ? "" : "   not kept");
    putchar('\n');
  }
}

static bool is_wanted(const bench_train_run *bench, int row) { return rows[row].data == TRAIN_NOUNS || bench->large; }

static void print_ratios(const bench_train_run *bench, const measured *m, bool json) {
  if (!json)
    putchar('\n');
  for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
    const measured *slow = &m[ratios[i].slow], *fast = &m[ratios[i].fast];
    if (is_wanted(bench, ratios[i].fast))
      print_ratio(ratios[i].key, ratios[i].what, slow->time.wall / slow->edges * fast->edges / fast->time.wall,
                  slow->time.cpu / slow->edges * fast->edges / fast->time.cpu, ratios[i].bound, ratios[i].most, json);
  }
}

static void print_gensim(const bench_train_gensim *gensim, const measured *m, bool json) {
  static const struct {
    const char *key, *what;
    int row;
    bool bound;
  } against[] = {
      {"gensim_one_thread", "times gensim: double, one thread", FEW_ONE, false},
      {"gensim_ratio", "times gensim: double", FEW, true},
      {"gensim_float", "times gensim: float", FEW_FLOAT, true},
  };
  if (json) {
    json_format(", \"gensim\": {\"wall_seconds\": %n, \"cpu_seconds\": %n, \"edges\": %n}", gensim->wall, gensim->cpu,
                gensim->edges);
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
                gensim->cpu / gensim->edges * own->edges / own->time.cpu, against[i].bound ? gensim_bound : 0, false, json);
  }
}

/* ---- the command ---- */

static void print_head(const bench_train_run *bench, const measured *m, int threads, const char *instructions) {
  if (bench_markdown)
    bench_table_begin("units | 10⁹ pairs a cpu second | 10⁶ edges a cpu second | wall s | cpu s | peak MB");
  else if (bench->common->json)
    printf("{\"threads\": %d, \"instruction_set\": \"%s\", \"dim\": %d, \"negatives\": %d", threads, instructions,
           (int)bench->dim, SOURCE_NEGATIVES);
  else
    printf("%.0f nodes, %.0f edges, dim %d; sources with %d negatives; %d threads, %s; the best of %d runs of %d epochs\n\n"
           "%-42s %6s %6s %5s %5s %8s\n%-42s %6s %6s %5s %5s %8s %8s %8s %8s %8s\n",
           m[SOURCE].nodes, m[SOURCE].edges, (int)bench->dim, SOURCE_NEGATIVES, threads, instructions, (int)bench->repeats,
           (int)bench->epochs, "", "1e9 pairs/s/thread", "", "", "", "1e6", "", "wall", "cpu", "must", "goal", "edges/s",
           "wall s", "cpu s", "peak MB", "bound");
}

static int measure_all(bench_train_run *bench, int threads, const char *instructions) {
  const bool json = bench->common->json;
  measured m[ROWS] = {{.edges = 0}};
  int code = make_graphs(bench);
  for (int repeat = 0; repeat < bench->repeats; repeat++)
    for (int i = 0; i < ROWS && code == EXIT_OK; i++)
      if (is_wanted(bench, i) && (repeat == 0 || rows[i].data == TRAIN_NOUNS)) /* large ones take long */
        code = measure(bench, i, repeat, &m[i]);
  bench_train_gensim gensim = {(double)NAN, (double)NAN, (double)NAN};
  if (code == EXIT_OK && bench->gensim_edges > 0 && !bench_markdown)
    code = bench_in_child(bench_train_ask_gensim, bench, &gensim, sizeof gensim);
  if (code != EXIT_OK)
    return code;
  print_head(bench, m, threads, instructions);
  for (int i = 0; i < ROWS; i++)
    if (is_wanted(bench, i))
      (bench_markdown ? table_row : json ? json_row : print_row)(&rows[i], &m[i]);
  if (bench_markdown)
    return cli_finish();
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
      OPT_INT("dim", 'd', &bench.dim, "N", "of the points (default: 10, which the promises are for)", 1, GEODISK_DIM_MOST),
      OPT_INT("epochs", 'e', &bench.epochs, "N", "in each run (default: 6)", 1, 1000),
      OPT_INT("repeats", 0, &bench.repeats, "N", "runs of each kind (default: 3)", 1, 1000),
      OPT_INT("gensim", 0, &bench.gensim_edges, "EDGES",
              "how many edges gensim trains on (default: 100000, five to ten seconds; 0: leave it out)", 0, 1e9),
      OPT_FLAG("scale", 0, &bench.large,
               "also train two epochs on generated graphs of 10^7 nodes and 10^8 edges, which takes minutes and 2 GB of disk"),
      OPT_INT("scale-nodes", 0, &bench.large_nodes, "N", "nodes of these graphs (default: 10000000), ten edges each", 100, 1e8),
      OPT_TEXT("root", 0, &bench.root, "SYNSET", "only this synset and those below it (default: all nouns)"),
      OPT_TEXT("dict", 0, &bench.dict, "DIR", "the folder of WordNet's database (default: /usr/share/wordnet)"),
      BENCH_MARKDOWN,
      OPT_END};
  int code = args_parse(&spec, options, &common, argc, argv);
  if (code >= 0)
    return code;
  common.quiet = true; /* progress of many short runs says nothing */
  geodisk_context *context = cli_context(&common);
  const int threads = geodisk_context_threads(context);
  const char *instructions = geodisk_instruction_set(context);
  geodisk_context_destroy(context); /* before there are children */
  code = measure_all(&bench, threads, instructions);
  remove_graphs(&bench);
  return code;
}

/* bench_cuda.c - `geodisk bench cuda`: training and exact ranks on a CUDA device: seconds to a MAP on WordNet's nouns, edges a
 * second, the same work on the processor with the same bytes, and a large generated graph. */
#include "bench_cuda.h"
#include "bench_tree.h"

#include <math.h>
#include <string.h>

#include "geodisk/eval.h"
#include "geodisk/vectors.h"

enum {
  DIM = BENCH_CUDA_DIM,
  ATTACH = 10,
  BRANCHING = 5,
  NEGATIVES = 768,
  RANKINGS = 3,
  LARGE_EPOCHS = 2,
  TREE_BATCH = 1 << 20,
  NEAREST = 10,
  PROCESSORS = 2,
  RUNS = 5
};

static const command_spec spec = {
    "bench cuda",
    "training and exact ranks on a CUDA device: seconds to a MAP, edges a second, and the processor beside it",
    "[GRAPH]",
    "Trains on WordNet's nouns (or on GRAPH, an edge list) in 10 dimensions and single precision on the device, for several "
    "lengths: the seconds of all epochs, those of the whole training (the graph taken to the device, the core found, points "
    "placed), edges a second, and exact mean rank and MAP with the milliseconds that counting all ranks took, and those that "
    "finding the ten nearest of every node took, copies included. With --cpu, the first rows are trained on two threads of the "
    "processor too, and the points compared byte by byte. With --large-nodes, two more trainings on generated graphs, from a "
    "tree placement: Barabasi and Albert's, 10 edges a node, and a tree of 5 children a node with edges to all ancestors. With "
    "--tree-nodes, one more on a hierarchy without names that all threads make in memory: of the tree of 6 children a node the "
    "first nodes, depth first, with edges to all ancestors. --all adds all of these, the largest with 400 million nodes, and two "
    "rows more: `command`, the seconds of `geodisk train` from a TSV to a model of MAP .995 and of `geodisk eval` on it; and "
    "`bytes`, 20 sets of options on 3 small graphs, in float and double, trained on the device --runs times each and compared "
    "with the processor's bytes.",
    "geodisk bench cuda\n"
    "geodisk bench cuda nouns.tsv --cpu --threads 2\n"
    "geodisk bench cuda --all\n"
    "geodisk bench cuda nouns.tsv --only command\n"
    "geodisk bench cuda --large-nodes 10000000 --json\n"
    "geodisk bench cuda --only tree --tree-nodes 400000000",
};

typedef struct cuda_row {
  const char *name;
  uint64_t core_epochs, epochs, batch; /* batch 0: what is chosen */
} cuda_row;

/* The lengths of `bench quality` and more; and one of large batches, which a device likes best. */
static const cuda_row rows[] = {
    {"short", 130, 24, 0},   {"to-98", 200, 38, 0},  {"to-99", 330, 68, 0},      {"to-9945", 580, 115, 0},
    {"to-995", 900, 170, 0}, {"best", 3000, 500, 0}, {"longest", 7000, 1200, 0}, {"large-batches", 330, 300, 131072},
};
enum { ROWS = sizeof rows / sizeof rows[0], COMPARED = 2, COMMAND = 4, ALL_LARGE = 10000000, ALL_TREE = 400000000 };

typedef struct cuda_bench {
  const common_options *common;
  geodisk_context *context;
  geodisk_graph *graph;
  geodisk_relation *relation;
  const char *dict, *only;
  int64_t large_nodes, tree_nodes, runs;
  bool cpu, all;
} cuda_bench;

typedef struct trained {
  double seconds, wall, edges; /* of epochs, of everything, and edges a second */
  double last;                 /* edges a second in the last tenth of the epochs */
  double *points;
} trained;

static void rates_of(const geodisk_trainer *trainer, double *seconds, double *rate, double *last) {
  size_t count;
  const geodisk_train_epoch *history = geodisk_trainer_history(trainer, &count);
  double all = 0.0, edges = 0.0, last_seconds = 0.0, last_edges = 0.0;
  for (size_t i = 0; i < count; i++) {
    const bool late = i >= count - (count + 9) / 10;
    all += history[i].seconds;
    edges += (double)history[i].edges;
    last_seconds += late ? history[i].seconds : 0.0;
    last_edges += late ? (double)history[i].edges : 0.0;
  }
  *seconds = all;
  *rate = edges / all;
  *last = last_edges / last_seconds;
}

/* One training, from the options to the points, if they are wanted; free() those. */
static geodisk_status train(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options,
                            bool points, trained *out, geodisk_trainer **trainer) {
  const bench_time start = bench_now();
  geodisk_status st = geodisk_trainer_create(context, graph, options, trainer);
  if (st == GEODISK_OK)
    st = geodisk_trainer_run(*trainer, NULL, NULL);
  if (st != GEODISK_OK)
    return st;
  out->points = points ? geodisk_allocate(geodisk_graph_nodes(graph), DIM * sizeof *out->points) : NULL;
  if (points && !out->points)
    return geodisk_no_memory(context, "for the points");
  if (points)
    geodisk_trainer_points(*trainer, out->points);
  out->wall = bench_since(start).wall;
  rates_of(*trainer, &out->seconds, &out->edges, &out->last);
  return GEODISK_OK;
}

static geodisk_status rank(const cuda_bench *b, geodisk_trainer *trainer, geodisk_device device, geodisk_precision arithmetic,
                           geodisk_ranking *out, double *milliseconds) {
  const geodisk_ranking_options options = {.arithmetic = arithmetic, .device = device};
  geodisk_model *model = NULL, *copy = NULL;
  geodisk_eval_points points;
  geodisk_status st = geodisk_trainer_model(trainer, &model);
  if (st == GEODISK_OK)
    st = geodisk_model_copy(b->context, model, GEODISK_WIDTH_AUTO, false, &copy);
  if (st == GEODISK_OK)
    st = geodisk_eval_points_of_model(b->context, copy, geodisk_model_space(copy), &points);
  *milliseconds = 1e9;
  for (int i = 0; i < RANKINGS && st == GEODISK_OK; i++) {
    const bench_time start = bench_now();
    st = geodisk_eval_ranking(b->context, &points, b->relation, NULL, &options, out);
    const double took = 1e3 * bench_since(start).wall;
    *milliseconds = took < *milliseconds ? took : *milliseconds;
  }
  geodisk_model_destroy(copy);
  geodisk_model_destroy(model);
  return st;
}

/* The nearest of all nodes, the points taken to the device included. */
static geodisk_status find_nearest(const cuda_bench *b, geodisk_trainer *trainer, double *milliseconds) {
  const size_t nodes = geodisk_graph_nodes(b->graph);
  geodisk_model *model = NULL;
  geodisk_neighbour *out = geodisk_allocate(nodes, NEAREST * sizeof *out);
  size_t *found = geodisk_allocate(nodes, sizeof *found);
  uint32_t *all = geodisk_allocate(nodes, sizeof *all);
  geodisk_status st =
      out && found && all ? geodisk_trainer_model(trainer, &model) : geodisk_no_memory(b->context, "for the neighbours");
  for (size_t i = 0; i < nodes && st == GEODISK_OK; i++)
    all[i] = (uint32_t)i;
  *milliseconds = 1e9;
  for (int i = 0; i < RANKINGS && st == GEODISK_OK; i++) {
    geodisk_index *index = NULL;
    const bench_time start = bench_now();
    st = geodisk_index_create(b->context, model, GEODISK_SEARCH_CUDA, nodes, &index);
    if (st == GEODISK_OK)
      st = geodisk_index_nearest(b->context, index, &(geodisk_nearest_query){.n = nodes, .nodes = all, .k = NEAREST}, out, found);
    const double took = 1e3 * bench_since(start).wall;
    *milliseconds = took < *milliseconds ? took : *milliseconds;
    geodisk_index_destroy(index);
  }
  geodisk_model_destroy(model);
  geodisk_free_all(out, found, all);
  return st;
}

static geodisk_train_options options_of(uint64_t core_epochs, uint64_t epochs, uint64_t batch) {
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = DIM;
  o.precision = GEODISK_PRECISION_FLOAT;
  o.negatives = batch ? NEGATIVES : 0;
  o.batch = batch;
  o.core_epochs = core_epochs;
  o.epochs = epochs;
  o.device = GEODISK_DEVICE_CUDA;
  return o;
}

/* The same on the processor: whether the bytes are the same, and how many times longer it took. */
static geodisk_status compare(const cuda_bench *b, const geodisk_train_options *options, const trained *device, trained *cpu,
                              bool *same) {
  geodisk_trainer *trainer = NULL;
  geodisk_context *context = NULL;
  geodisk_train_options o = *options;
  o.device = GEODISK_DEVICE_CPU;
  geodisk_status st = geodisk_context_create(PROCESSORS, &context);
  if (st == GEODISK_OK)
    st = train(context, b->graph, &o, true, cpu, &trainer);
  if (st != GEODISK_OK)
    geodisk_fail(b->context, st, "on the processor: %s", geodisk_context_error(context));
  else
    *same = memcmp(cpu->points, device->points, geodisk_graph_nodes(b->graph) * DIM * sizeof *cpu->points) == 0;
  geodisk_trainer_destroy(trainer);
  geodisk_context_destroy(context);
  return st;
}

/* The row of the document's table; what is not finite stays empty. */
static void print_cells(const char *name, const double *numbers, size_t count, const char *cpu) {
  bench_table_text("%s", name);
  bench_table_numbers(count, numbers);
  bench_table_text("%s", cpu);
  bench_table_end_row();
}

static void print_row(const cuda_bench *b, const cuda_row *row, const trained *t, const geodisk_ranking *ranking,
                      const double *milliseconds, const trained *cpu, bool same) {
  if (bench_markdown) {
    const double numbers[] = {t->seconds,         t->wall,         t->edges / 1e9,  t->last / 1e9,  ranking->mean_rank.value,
                              ranking->map.value, milliseconds[0], milliseconds[1], milliseconds[2]};
    char name[100], text[100] = "";
    snprintf(name, sizeof name, "%s: %d, %d", row->name, (int)row->core_epochs, (int)row->epochs);
    if (cpu->points)
      snprintf(text, sizeof text, "%.3g s: %.0f times as long, %s", cpu->seconds, cpu->seconds / t->seconds,
               same ? "the same bytes" : "OTHER BYTES");
    print_cells(name, numbers, sizeof numbers / sizeof numbers[0], text);
    return;
  }
  if (b->common->json) {
    printf("{\"row\":\"%s\",\"seconds\":%.4f,\"wall\":%.4f,\"edges_per_second\":%.4g,\"edges_per_second_at_last\":%.4g,\"mean_"
           "rank\":%.5f,\"map\":%.5f,\"rank_ms\":%.2f,\"rank_ms_float\":%.2f,\"nearest_ms\":%.2f",
           row->name, t->seconds, t->wall, t->edges, t->last, ranking->mean_rank.value, ranking->map.value, milliseconds[0],
           milliseconds[1], milliseconds[2]);
    if (cpu->points)
      printf(",\"cpu_seconds\":%.3f,\"times\":%.1f,\"same_bytes\":%s", cpu->seconds, cpu->seconds / t->seconds,
             same ? "true" : "false");
    printf("}\n");
    return;
  }
  printf("%-13s epochs %7.3f s, whole %6.2f s, %8.3g edges/s (at last %.3g), mean rank %.4f, MAP %.4f, all ranks in %.1f ms "
         "(float %.1f), ten nearest of all in %.1f ms",
         row->name, t->seconds, t->wall, t->edges, t->last, ranking->mean_rank.value, ranking->map.value, milliseconds[0],
         milliseconds[1], milliseconds[2]);
  if (cpu->points)
    printf("; processor %.2f s, %.1f times as long, %s", cpu->seconds, cpu->seconds / t->seconds,
           same ? "the same bytes" : "OTHER BYTES");
  printf("\n");
}

static geodisk_status run_row(const cuda_bench *b, const cuda_row *row, bool compared) {
  const geodisk_train_options options = options_of(row->core_epochs, row->epochs, row->batch);
  geodisk_trainer *trainer = NULL;
  geodisk_ranking ranking;
  trained t = {0}, cpu = {0};
  double milliseconds[3];
  bool same = false;
  geodisk_status st = train(b->context, b->graph, &options, true, &t, &trainer);
  for (int i = 0; i < 2 && st == GEODISK_OK; i++)
    st =
        rank(b, trainer, GEODISK_DEVICE_CUDA, i ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE, &ranking, &milliseconds[i]);
  if (st == GEODISK_OK)
    st = find_nearest(b, trainer, &milliseconds[2]);
  if (st == GEODISK_OK && compared)
    st = compare(b, &options, &t, &cpu, &same);
  if (st == GEODISK_OK)
    print_row(b, row, &t, &ranking, milliseconds, &cpu, same);
  if (st == GEODISK_OK && compared && !same)
    st = geodisk_fail(b->context, GEODISK_ERROR_NUMERIC, "%s: other bytes on the device than on the processor", row->name);
  geodisk_trainer_destroy(trainer);
  geodisk_free_all(t.points, cpu.points);
  fflush(stdout);
  return st;
}

/* A network with hubs, or a hierarchy of at least as many nodes with all its ancestors. */
static geodisk_status make_large(const cuda_bench *b, bool hierarchy, geodisk_graph **out) {
  geodisk_generate_options generate = {.kind = hierarchy ? GEODISK_GENERATOR_TREE : GEODISK_GENERATOR_BARABASI,
                                       .nodes = (uint64_t)b->large_nodes,
                                       .attach = ATTACH,
                                       .branching = BRANCHING,
                                       .seed = 1};
  for (uint64_t nodes = 1, level = 1; nodes < generate.nodes; nodes += level) {
    level *= BRANCHING;
    generate.depth++;
  }
  geodisk_graph *graph = NULL;
  geodisk_status st = geodisk_graph_generate(b->context, &generate, &graph);
  if (st != GEODISK_OK || !hierarchy) {
    *out = graph;
    return st;
  }
  st = geodisk_graph_closure(b->context, graph, NULL, out);
  geodisk_graph_destroy(graph);
  return st;
}

/* A few epochs of a large graph. */
typedef struct large_run {
  uint64_t nodes, edges;
  double made, whole, seconds; /* until the graph was there, of everything, of the epochs */
  double rate, last;           /* edges a second of all epochs, and of the last tenth of them */
} large_run;

static void print_large(const cuda_bench *b, const char *name, const large_run *l) {
  if (bench_markdown) {
    const double none = (double)NAN,
                 numbers[] = {l->seconds, l->whole, l->rate / 1e9, l->last / 1e9, none, none, none, none, none};
    char text[160];
    snprintf(text, sizeof text, "%s: %.3g nodes, %.3g edges, %d epochs", name, (double)l->nodes, (double)l->edges, LARGE_EPOCHS);
    print_cells(text, numbers, sizeof numbers / sizeof numbers[0], "");
  } else if (b->common->json) {
    printf("{\"row\":\"%s\",\"nodes\":%llu,\"edges\":%llu,\"made\":%.3f,\"seconds\":%.4f,\"wall\":%.4f,\"edges_per_second\":%.4g,"
           "\"edges_per_second_at_last\":%.4g}\n",
           name, (unsigned long long)l->nodes, (unsigned long long)l->edges, l->made, l->seconds, l->whole, l->rate, l->last);
  } else {
    printf("%s: %llu nodes, %llu edges: %d epochs in %.3f s, whole %.1f s, %.3g edges/s (at last %.3g)\n", name,
           (unsigned long long)l->nodes, (unsigned long long)l->edges, LARGE_EPOCHS, l->seconds, l->whole, l->rate, l->last);
  }
  fflush(stdout);
}

/* The hierarchy without names. */
static geodisk_status run_tree(const cuda_bench *b) {
  geodisk_train_options options = geodisk_train_defaults();
  geodisk_trainer *trainer = NULL;
  bench_tree tree;
  const bench_time start = bench_now();
  options.dim = DIM;
  options.precision = GEODISK_PRECISION_FLOAT;
  options.negatives = NEGATIVES;
  options.batch = TREE_BATCH;
  options.epochs = LARGE_EPOCHS;
  options.device = GEODISK_DEVICE_CUDA;
  geodisk_status st = bench_tree_make(b->context, (uint64_t)b->tree_nodes, DIM, &tree);
  large_run found = {.nodes = tree.nodes, .made = bench_since(start).wall};
  const geodisk_bare_graph graph = {
      .nodes = tree.nodes, .out = {.offsets = tree.offsets, .nodes = tree.targets}, .place = bench_tree_place, .user = &tree};
  if (st == GEODISK_OK)
    st = geodisk_trainer_create_bare(b->context, &graph, &options, &trainer);
  if (st == GEODISK_OK)
    st = geodisk_trainer_run(trainer, NULL, NULL);
  if (st == GEODISK_OK) {
    found.edges = tree.offsets[tree.nodes];
    found.whole = bench_since(start).wall;
    rates_of(trainer, &found.seconds, &found.rate, &found.last);
    print_large(b, "tree", &found);
  }
  geodisk_trainer_destroy(trainer);
  bench_tree_free(&tree);
  return st;
}

/* A few epochs of a large graph. */
static geodisk_status run_large(const cuda_bench *b, bool hierarchy) {
  geodisk_train_options options = options_of(0, LARGE_EPOCHS, 1 << 18);
  options.placement = GEODISK_PLACEMENT_TREE; /* points that are apart, as they are for most of a training */
  geodisk_graph *graph = NULL;
  geodisk_trainer *trainer = NULL;
  trained t = {0};
  geodisk_status st = make_large(b, hierarchy, &graph);
  if (st == GEODISK_OK)
    st = train(b->context, graph, &options, false, &t, &trainer);
  const large_run found = {.nodes = st == GEODISK_OK ? geodisk_graph_nodes(graph) : 0,
                           .edges = st == GEODISK_OK ? geodisk_graph_edges(graph) : 0,
                           .whole = t.wall,
                           .seconds = t.seconds,
                           .rate = t.edges,
                           .last = t.last};
  if (st == GEODISK_OK)
    print_large(b, hierarchy ? "large-hierarchy" : "large", &found);
  geodisk_trainer_destroy(trainer);
  geodisk_graph_destroy(graph);
  return st;
}

static bool wants(const cuda_bench *b, const char *row) { return !b->only || strcmp(b->only, row) == 0; }
/* A row that --all adds, or that is named. */
static bool wants_more(const cuda_bench *b, const char *row) { return b->only ? strcmp(b->only, row) == 0 : b->all; }

static geodisk_status run_command(const cuda_bench *b, const char *path) {
  bench_cuda_whole w = {.map = 0.0};
  const bench_cuda_length length = {rows[COMMAND].core_epochs, rows[COMMAND].epochs};
  const geodisk_status st = bench_cuda_command(b->context, b->graph, path, &length, &w);
  if (st != GEODISK_OK)
    return st;
  if (bench_markdown) {
    const double none = (double)NAN, numbers[] = {none, w.train + w.eval, none, none, none, w.map, none, none, none};
    char text[160];
    snprintf(text, sizeof text, "command: train %.3g s, eval %.3g s", w.train, w.eval);
    print_cells(text, numbers, sizeof numbers / sizeof numbers[0], "");
  } else if (b->common->json) {
    printf("{\"row\":\"command\",\"seconds\":%.4f,\"train\":%.4f,\"eval\":%.4f,\"map\":%.5f}\n", w.train + w.eval, w.train,
           w.eval, w.map);
  } else {
    printf("command: %.2f s: train, from the TSV to the model, %.2f s; eval, all ranks, %.2f s; MAP %.4f\n", w.train + w.eval,
           w.train, w.eval, w.map);
  }
  fflush(stdout);
  return GEODISK_OK;
}

static geodisk_status run_bytes(const cuda_bench *b) {
  bench_cuda_compared c;
  const geodisk_status st = bench_cuda_bytes(b->context, (int)b->runs, &c);
  if (st != GEODISK_OK)
    return st;
  if (bench_markdown) {
    double numbers[9];
    char text[160];
    for (int i = 0; i < 9; i++)
      numbers[i] = (double)NAN;
    numbers[1] = c.seconds;
    snprintf(text, sizeof text, "bytes: %d sets of options, %d graphs, %d trainings", c.sets, c.graphs, c.trainings);
    print_cells(text, numbers, sizeof numbers / sizeof numbers[0], "the same bytes");
  } else if (b->common->json) {
    printf("{\"row\":\"bytes\",\"sets\":%d,\"graphs\":%d,\"trainings\":%d,\"seconds\":%.4f,\"same_bytes\":true}\n", c.sets,
           c.graphs, c.trainings, c.seconds);
  } else {
    printf("bytes: %d sets of options on %d graphs, float and double, %d trainings: the same bytes as the processor's\n", c.sets,
           c.graphs, c.trainings);
  }
  fflush(stdout);
  return GEODISK_OK;
}

/* The card, and the columns of the table. */
static void print_head(const cuda_bench *b, const char *name) {
  if (bench_markdown) {
    snprintf(bench_card, sizeof bench_card, "%s", name);
    bench_table_begin("row: core epochs, epochs | epochs s | whole s | G edges/s | at last | mean rank | MAP | all ranks ms | in "
                      "float | ten nearest ms | 2 threads of the processor");
  } else if (!b->common->json)
    printf("%s; dim %d, float\n", name, DIM);
}

/* The nouns, or the graph that was given. */
static geodisk_status run_rows(cuda_bench *b, const char *path) {
  const geodisk_wordnet_options wordnet = {.root = NULL};
  geodisk_status st = path ? geodisk_graph_read(b->context, path, NULL, NULL, &b->graph)
                           : geodisk_graph_read_wordnet(b->context, b->dict, &wordnet, NULL, &b->graph);
  if (st == GEODISK_OK)
    st = geodisk_relation_create_plain(b->context, b->graph, geodisk_graph_nodes(b->graph), &b->relation);
  for (size_t i = 0; i < ROWS && st == GEODISK_OK; i++)
    if (wants(b, rows[i].name))
      st = run_row(b, &rows[i], b->cpu && i < COMPARED);
  if (st == GEODISK_OK && wants_more(b, "command"))
    st = run_command(b, path);
  return st;
}

static geodisk_status run(cuda_bench *b, const char *path) {
  char name[256] = "";
  bool small = wants_more(b, "command");
  if (!geodisk_device_name(b->context, name, sizeof name))
    return GEODISK_ERROR_UNSUPPORTED;
  print_head(b, name);
  for (size_t i = 0; i < ROWS; i++)
    small = small || wants(b, rows[i].name);
  geodisk_status st = small ? run_rows(b, path) : GEODISK_OK;
  if (st == GEODISK_OK && wants_more(b, "bytes"))
    st = run_bytes(b);
  if (st == GEODISK_OK && b->large_nodes > 0 && wants(b, "large"))
    st = run_large(b, false);
  if (st == GEODISK_OK && b->large_nodes > 0 && wants(b, "large-hierarchy"))
    st = run_large(b, true);
  if (st == GEODISK_OK && b->tree_nodes > 0 && wants(b, "tree"))
    st = run_tree(b);
  return st;
}

int bench_cuda(int argc, char **argv) {
  common_options common = {0};
  cuda_bench b = {.common = &common, .dict = "/usr/share/wordnet", .runs = RUNS};
  const option_spec options[] = {
      OPT_FLAG("cpu", 0, &b.cpu, "train the first rows on two threads of the processor too, and compare the bytes"),
      OPT_FLAG("all", 0, &b.all, "all rows there are: --cpu, the whole command, bytes, and large graphs"),
      OPT_INT("runs", 0, &b.runs, "N", "how often each set of options is trained for the row `bytes` (default: 5)", 1, 1000),
      OPT_TEXT("only", 0, &b.only, "ROW",
               "only this row (short ... large-batches, command, bytes, large, large-hierarchy, tree)"),
      OPT_INT("large-nodes", 0, &b.large_nodes, "N", "also generated graphs of N nodes and about 10 N edges (default: none)", 100,
              4e8),
      OPT_INT("tree-nodes", 0, &b.tree_nodes, "N",
              "also a hierarchy of N nodes without names, and about 10 N edges (default: none)", 100, 4e9),
      OPT_TEXT("dict", 0, &b.dict, "DIR", "the folder of WordNet's database (default: /usr/share/wordnet)"),
      BENCH_MARKDOWN,
      OPT_END,
  };
  const int code = args_parse(&spec, options, &common, argc, argv);
  if (code >= 0)
    return code;
  b.cpu = b.cpu || b.all;
  b.large_nodes = b.all && b.large_nodes == 0 ? ALL_LARGE : b.large_nodes;
  b.tree_nodes = b.all && b.tree_nodes == 0 ? ALL_TREE : b.tree_nodes;
  b.context = cli_context(&common);
  const geodisk_status st = run(&b, common.n_args > 0 ? common.args[0] : NULL);
  geodisk_relation_destroy(b.relation);
  geodisk_graph_destroy(b.graph);
  return cli_end(b.context, st);
}

/* bench_cuda.c - `geodisk bench cuda`: training and exact ranks on a CUDA device: seconds to a MAP on WordNet's nouns, edges a
 * second, the same work on the processor with the same bytes, and a large generated graph. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "geodisk/embed.h"
#include "geodisk/eval.h"
#include "geodisk/vectors.h"

enum { DIM = 10, ATTACH = 10, BRANCHING = 5, NEGATIVES = 768, RANKINGS = 3, LARGE_EPOCHS = 2, NEAREST = 10, PROCESSORS = 2 };

static const command_spec spec = {
    "bench cuda",
    "training and exact ranks on a CUDA device: seconds to a MAP, edges a second, and the processor beside it",
    "[GRAPH]",
    0,
    1,
    "Trains on WordNet's nouns (or on GRAPH, an edge list) in 10 dimensions and single precision on the device, for several "
    "lengths: the seconds of all epochs, those of the whole training (the graph taken to the device, the core found, points "
    "placed), edges a second, and exact mean rank and MAP with the milliseconds that counting all ranks took, and those that "
    "finding the ten nearest of every node took, copies included. With --cpu, the first rows are trained on two threads of the "
    "processor too, and the points compared byte by byte. With --large-nodes, two more trainings on generated graphs, from a "
    "tree placement: Barabasi and Albert's, 10 edges a node, and a tree of 5 children a node with edges to all ancestors.",
    "geodisk bench cuda\n"
    "geodisk bench cuda nouns.tsv --cpu --threads 2\n"
    "geodisk bench cuda --large-nodes 10000000 --json",
};

typedef struct cuda_row {
  const char *name;
  uint64_t core_epochs, epochs, batch; /* batch 0: what is chosen */
} cuda_row;

/* The lengths of `bench quality` and more; and one of large batches, which a device likes best. */
static const cuda_row rows[] = {
    {"short", 130, 24, 0},   {"to-98", 200, 38, 0},  {"to-99", 330, 68, 0},      {"to-9945", 580, 115, 0},
    {"to-995", 900, 170, 0}, {"best", 3000, 500, 0}, {"longest", 7000, 1200, 0}, {"large-batches", 330, 300, 32768},
};
enum { ROWS = sizeof rows / sizeof rows[0], COMPARED = 2 };

typedef struct cuda_bench {
  const common_options *common;
  geodisk_context *context;
  geodisk_graph *graph;
  geodisk_relation *relation;
  const char *dict, *only;
  int64_t large_nodes;
  bool cpu;
} cuda_bench;

typedef struct trained {
  double seconds, wall, edges; /* of epochs, of everything, and edges a second */
  double last;                 /* edges a second in the last tenth of the epochs */
  double *points;
} trained;

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
    return geodisk_fail(context, GEODISK_ERROR_MEMORY, "out of memory for the points");
  if (points)
    geodisk_trainer_points(*trainer, out->points);
  out->wall = bench_since(start).wall;
  size_t count;
  const geodisk_train_epoch *history = geodisk_trainer_history(*trainer, &count);
  double edges = 0.0;
  for (size_t i = 0; i < count; i++) {
    out->seconds += history[i].seconds;
    edges += (double)history[i].edges;
  }
  out->edges = edges / out->seconds;
  double seconds = 0.0;
  edges = 0.0;
  for (size_t i = count - (count + 9) / 10; i < count; i++) {
    seconds += history[i].seconds;
    edges += (double)history[i].edges;
  }
  out->last = edges / seconds;
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
    st = geodisk_eval_ranking(b->context, &points, b->relation, NULL, &options, NULL, out);
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
  geodisk_status st = out && found && all ? geodisk_trainer_model(trainer, &model)
                                          : geodisk_fail(b->context, GEODISK_ERROR_MEMORY, "out of memory for the neighbours");
  for (size_t i = 0; i < nodes && st == GEODISK_OK; i++)
    all[i] = (uint32_t)i;
  *milliseconds = 1e9;
  for (int i = 0; i < RANKINGS && st == GEODISK_OK; i++) {
    geodisk_index *index = NULL;
    const bench_time start = bench_now();
    st = geodisk_index_create(b->context, model, GEODISK_SEARCH_CUDA, nodes, &index);
    if (st == GEODISK_OK)
      st = geodisk_index_nearest(b->context, index, nodes, all, NEAREST, GEODISK_SIDE_ANY, out, found);
    const double took = 1e3 * bench_since(start).wall;
    *milliseconds = took < *milliseconds ? took : *milliseconds;
    geodisk_index_destroy(index);
  }
  geodisk_model_destroy(model);
  free(out);
  free(found);
  free(all);
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

static void print_row(const cuda_bench *b, const cuda_row *row, const trained *t, const geodisk_ranking *ranking,
                      const double *milliseconds, const trained *cpu, bool same) {
  if (b->common->json) {
    printf("{\"row\":\"%s\",\"seconds\":%.4f,\"wall\":%.4f,\"edges_per_second\":%.4g,\"edges_per_second_at_last\":%.4g,\"mean_"
           "rank\":%.5f,\"map\":%.5f,"
           "\"rank_ms\":%.2f,\"rank_ms_float\":%.2f,\"nearest_ms\":%.2f",
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
  free(t.points);
  free(cpu.points);
  fflush(stdout);
  return st;
}

/* A network with hubs, or a hierarchy of at least as many nodes with all its ancestors. */
static geodisk_status make_large(const cuda_bench *b, bool hierarchy, geodisk_graph **out) {
  geodisk_generate_options generate = {.kind = hierarchy ? GEODISK_TREE : GEODISK_BARABASI,
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
static geodisk_status run_large(const cuda_bench *b, bool hierarchy) {
  geodisk_train_options options = options_of(0, LARGE_EPOCHS, 1 << 18);
  options.placement = GEODISK_PLACEMENT_TREE; /* points that are apart, as they are for most of a training */
  geodisk_graph *graph = NULL;
  geodisk_trainer *trainer = NULL;
  trained t = {0};
  geodisk_status st = make_large(b, hierarchy, &graph);
  if (st == GEODISK_OK)
    st = train(b->context, graph, &options, false, &t, &trainer);
  const char *name = hierarchy ? "large-hierarchy" : "large";
  if (st == GEODISK_OK && b->common->json)
    printf("{\"row\":\"%s\",\"nodes\":%zu,\"edges\":%zu,\"seconds\":%.4f,\"wall\":%.4f,\"edges_per_second\":%.4g,"
           "\"edges_per_second_at_last\":%.4g}\n",
           name, geodisk_graph_nodes(graph), geodisk_graph_edges(graph), t.seconds, t.wall, t.edges, t.last);
  else if (st == GEODISK_OK)
    printf("%s: %zu nodes, %zu edges: %d epochs in %.3f s, whole %.1f s, %.3g edges/s (at last %.3g)\n", name,
           geodisk_graph_nodes(graph), geodisk_graph_edges(graph), LARGE_EPOCHS, t.seconds, t.wall, t.edges, t.last);
  geodisk_trainer_destroy(trainer);
  geodisk_graph_destroy(graph);
  fflush(stdout);
  return st;
}

static geodisk_status run(cuda_bench *b, const char *path) {
  char name[256] = "";
  const geodisk_wordnet_options wordnet = {.root = NULL};
  if (!geodisk_device_name(b->context, name, sizeof name))
    return GEODISK_ERROR_UNSUPPORTED;
  geodisk_status st = path ? geodisk_graph_read(b->context, path, NULL, NULL, &b->graph)
                           : geodisk_graph_read_wordnet(b->context, b->dict, &wordnet, NULL, &b->graph);
  if (st == GEODISK_OK)
    st = geodisk_relation_create_plain(b->context, b->graph, geodisk_graph_nodes(b->graph), &b->relation);
  if (st == GEODISK_OK && !b->common->json)
    printf("%s; %zu nodes, %zu edges, dim %d, float\n", name, geodisk_graph_nodes(b->graph), geodisk_graph_edges(b->graph), DIM);
  for (size_t i = 0; i < ROWS && st == GEODISK_OK; i++)
    if (!b->only || strcmp(b->only, rows[i].name) == 0)
      st = run_row(b, &rows[i], b->cpu && i < COMPARED);
  if (st == GEODISK_OK && b->large_nodes > 0 && (!b->only || strcmp(b->only, "large") == 0))
    st = run_large(b, false);
  if (st == GEODISK_OK && b->large_nodes > 0 && (!b->only || strcmp(b->only, "large-hierarchy") == 0))
    st = run_large(b, true);
  return st;
}

int bench_cuda(int argc, char **argv) {
  common_options common = {0};
  cuda_bench b = {.common = &common, .dict = "/usr/share/wordnet"};
  const option_spec options[] = {
      {"cpu", 0, OPTION_FLAG, &b.cpu, NULL, "train the first rows on two threads of the processor too, and compare the bytes", 0,
       0, NULL},
      {"only", 0, OPTION_STRING, &b.only, "ROW", "only this row (short ... large-batches, large, large-hierarchy)", 0, 0, NULL},
      {"large-nodes", 0, OPTION_INT, &b.large_nodes, "N", "also generated graphs of N nodes and about 10 N edges (default: none)",
       100, 4e8, NULL},
      {"dict", 0, OPTION_STRING, &b.dict, "DIR", "the folder of WordNet's database (default: /usr/share/wordnet)", 0, 0, NULL},
      {NULL, 0, OPTION_FLAG, NULL, NULL, NULL, 0, 0, NULL},
  };
  const char *args[1];
  int count;
  const int code = args_parse(&spec, options, &common, argc, argv, args, &count);
  if (code >= 0)
    return code;
  b.context = cli_context(&common);
  if (!b.context)
    return EXIT_FAILED;
  const geodisk_status st = run(&b, count > 0 ? args[0] : NULL);
  const int result = st == GEODISK_OK ? cli_finish() : cli_failed(b.context, st);
  geodisk_relation_destroy(b.relation);
  geodisk_graph_destroy(b.graph);
  geodisk_context_destroy(b.context);
  return result;
}

/* bench_quality.c - `geodisk bench quality`: how good embeddings are, by exact ranks, and how long they take, beside what must be
 * and what is wanted on 2 threads. The rows are in bench_quality_rows.c. */
#include "bench_quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { SEEDS = 3, MOST_SEEDS = 100 };

static const command_spec spec = {
    "bench quality",
    "mean rank, MAP and seconds of training on WordNet's nouns and mammals and on other graphs, beside their bounds",
    "[ROW ...]",
    "Trains each row with several seeds, ranks all edges exactly, and prints the means (and standard deviations) of mean rank "
    "and MAP, and the mean seconds of placing and training: wall by the clock, on a busy machine longer, and cpu of all threads "
    "together. Beside them stands what must be kept on 2 threads, and the goal. Rows: nouns-10-98, nouns-10-99, nouns-10-9945 "
    "(in 10 dimensions, as long as it takes to that MAP), nouns-10-best (a minute), nouns-5, nouns-2, nouns-default (no option "
    "but --precision float); mammals-5, mammals-2; held-out-nouns-10, held-out-mammals-5 (a twentieth of the edges is not "
    "trained on, and they are what is ranked); tree-, grid- and power-2, -5 and -10, and tree-flat-, grid-flat-, power-flat- "
    "(generated graphs, undirected: the complete tree of 781 nodes, a grid of 20 x 20, a power law of 2,000 nodes; in hyperbolic "
    "and flat space, with no option at all). A name also stands for all rows that begin with it: nouns, tree, grid-flat. Without "
    "names all rows are run.",
    "geodisk bench quality --threads 2\n"
    "geodisk bench quality mammals tree --seeds 5\n"
    "geodisk bench quality nouns-10-98 --epochs 50 --core-epochs 400 --seeds 1 --json",
};

typedef struct quality_run {
  const common_options *common;
  const char *dict;
  int64_t seeds, epochs, core_epochs;
  int precision;
  bool precision_given, epochs_given, core_given, wanted[QUALITY_ROWS];
} quality_run;

/* ---- one training ---- */

typedef struct trained {
  bench_time time;
  double mean_rank, map, epochs, nodes, edges;
} trained;

typedef struct training {
  const quality_run *bench;
  const quality_row *row;
  uint64_t seed;
} training;

static geodisk_train_options options_of(const training *job) {
  const quality_run *bench = job->bench;
  geodisk_train_options options = quality_options(job->row, job->seed);
  if (bench->epochs_given)
    options.epochs = (uint64_t)bench->epochs;
  if (bench->core_given)
    options.core_epochs = (uint64_t)bench->core_epochs;
  if (bench->precision_given)
    options.precision = (geodisk_precision)bench->precision;
  return options;
}

/* Ranks of the edges of `judged`; those of `known`, if there are any, are neither right nor wrong. */
static geodisk_status evaluate(geodisk_context *context, const geodisk_graph *judged, const geodisk_graph *known,
                               geodisk_trainer *trainer, trained *out) {
  const size_t nodes = geodisk_graph_nodes(judged);
  geodisk_model *model = NULL, *copy = NULL;
  geodisk_relation *relation = NULL, *other = NULL;
  geodisk_eval_points points;
  geodisk_ranking ranking;
  geodisk_status status = geodisk_trainer_model(trainer, &model);
  if (status == GEODISK_OK)
    status = geodisk_model_copy(context, model, GEODISK_WIDTH_AUTO, false, &copy);
  if (status == GEODISK_OK)
    status = geodisk_eval_points_of_model(context, copy, geodisk_model_space(copy), &points);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(context, judged, nodes, &relation);
  if (status == GEODISK_OK && known != NULL)
    status = geodisk_relation_create_plain(context, known, nodes, &other);
  if (status == GEODISK_OK)
    status = geodisk_eval_ranking(context, &points, relation, other, NULL, &ranking);
  if (status == GEODISK_OK) {
    out->mean_rank = ranking.mean_rank.value;
    out->map = ranking.map.value;
  }
  geodisk_relation_destroy(other);
  geodisk_relation_destroy(relation);
  geodisk_model_destroy(copy);
  geodisk_model_destroy(model);
  return status;
}

/* A bench_job; the process ends soon: nothing is given back. */
static int train_job(void *argument, void *result) {
  const training *job = argument;
  trained *out = result;
  const geodisk_train_options options = options_of(job);
  geodisk_context *context = cli_context(job->bench->common);
  geodisk_graph *graph = NULL, *test = NULL;
  geodisk_trainer *trainer = NULL;
  geodisk_status status = quality_make_graph(context, job->row, job->bench->dict, &graph, &test);
  const bench_time start = bench_now();
  if (status == GEODISK_OK)
    status = geodisk_trainer_create(context, graph, &options, &trainer);
  if (status == GEODISK_OK)
    status = geodisk_trainer_run(trainer, NULL, NULL);
  out->time = bench_since(start);
  if (status == GEODISK_OK)
    status = evaluate(context, test != NULL ? test : graph, test != NULL ? graph : NULL, trainer, out);
  if (status != GEODISK_OK)
    return cli_failed(context, status);
  out->epochs = (double)geodisk_trainer_position(trainer);
  out->nodes = (double)geodisk_graph_nodes(graph);
  out->edges = (double)geodisk_graph_edges(graph);
  return EXIT_OK;
}

/* ---- all seeds ---- */

typedef struct mean {
  double value, spread; /* standard deviation of one seed */
} mean;

static mean mean_of(const double *numbers, int64_t n) {
  mean m = {0, 0};
  for (int64_t i = 0; i < n; i++)
    m.value += numbers[i] / (double)n;
  for (int64_t i = 0; i < n; i++)
    m.spread += (numbers[i] - m.value) * (numbers[i] - m.value);
  m.spread = n > 1 ? sqrt(m.spread / (double)(n - 1)) : 0;
  return m;
}

typedef struct measured {
  mean mean_rank, map;
  bench_time time; /* mean */
  double epochs, nodes, edges;
} measured;

static int measure(const quality_run *bench, const quality_row *row, measured *out) {
  double ranks[MOST_SEEDS], maps[MOST_SEEDS];
  *out = (measured){.time = {0, 0}};
  for (int64_t i = 0; i < bench->seeds; i++) {
    training job = {bench, row, (uint64_t)i + 1};
    trained t = {.map = 0};
    const int code = bench_in_child(train_job, &job, &t, sizeof t);
    if (code != EXIT_OK)
      return code;
    ranks[i] = t.mean_rank;
    maps[i] = t.map;
    out->epochs = t.epochs;
    out->nodes = t.nodes;
    out->edges = t.edges;
    out->time.wall += t.time.wall / (double)bench->seeds;
    out->time.cpu += t.time.cpu / (double)bench->seeds;
  }
  out->mean_rank = mean_of(ranks, bench->seeds);
  out->map = mean_of(maps, bench->seeds);
  return EXIT_OK;
}

/* ---- what is kept ---- */

static bool at_most(double value, double bound) { return !(bound > 0) || value <= bound; }

static bool says_nothing(const quality_bounds *b) { return !(b->mean_rank > 0 || b->map > 0 || b->wall > 0 || b->cpu > 0); }

/* What of the bounds is not kept, as text; "": all of them are. */
static void missed(const measured *m, const quality_bounds *b, char *text, size_t size) {
  const struct {
    const char *what;
    bool kept;
  } parts[] = {{"mean rank", at_most(m->mean_rank.value, b->mean_rank)},
               {"MAP", m->map.value >= b->map},
               {"wall", at_most(m->time.wall, b->wall)},
               {"cpu", at_most(m->time.cpu, b->cpu)}};
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (!parts[i].kept && used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", parts[i].what);
}

/* "goal", "kept", what is missed, or "" where nothing is wanted. */
static void verdict(const quality_row *row, const measured *m, char *text, size_t size) {
  char less[64];
  missed(m, &row->must, text, size);
  if (text[0] != '\0') {
    snprintf(less, sizeof less, "missed: %s", text);
    snprintf(text, size, "%s", less);
    return;
  }
  missed(m, &row->goal, less, sizeof less);
  if (!says_nothing(&row->goal) && less[0] == '\0')
    snprintf(text, size, "goal");
  else if (!says_nothing(&row->must))
    snprintf(text, size, "kept");
}

/* ---- printing ---- */

static void print_head(const quality_run *bench, int threads) {
  if (bench_markdown)
    bench_table_begin("row | mean rank | MAP | wall s | cpu s");
  else if (bench->common->json)
    printf("{\"threads\": %d, \"seeds\": %d", threads, (int)bench->seeds);
  else
    printf("%d threads, means of %d seeds; seconds of placing and training (c: the bound is of cpu seconds)\n\n"
           "%-19s %19s %6s %6s  %15s %6s %6s  %7s %8s %5s %5s  %6s\n",
           threads, (int)bench->seeds, "", "mean rank", "must", "goal", "MAP", "must", "goal", "wall s", "cpu s", "must", "goal",
           "epochs");
}

static void print_bound(int width, double value, const char *unit) {
  char text[32];
  snprintf(text, sizeof text, "%.5g%s", value, unit);
  printf(" %*s", width, value > 0 ? text : "");
}

static void print_seconds(const quality_bounds *b) { print_bound(5, b->cpu > 0 ? b->cpu : b->wall, b->cpu > 0 ? "c" : ""); }

static void print_row(const quality_row *row, const measured *m) {
  char text[64];
  verdict(row, m, text, sizeof text);
  printf("%-19s %9.4f ± %7.4f", row->key, m->mean_rank.value, m->mean_rank.spread);
  print_bound(6, row->must.mean_rank, "");
  print_bound(6, row->goal.mean_rank, "");
  printf("  %6.4f ± %6.4f", m->map.value, m->map.spread);
  print_bound(6, row->must.map, "");
  print_bound(6, row->goal.map, "");
  printf("  %7.2f %8.2f", m->time.wall, m->time.cpu);
  print_seconds(&row->must);
  print_seconds(&row->goal);
  printf("  %6.0f  %s\n", m->epochs, text);
  fflush(stdout);
}

static void table_row(const quality_row *row, const measured *m) {
  bench_table_text("%s%s", row->key, strcmp(row->key, "nouns-default") == 0 ? " (dim 10, float)" : "");
  bench_table_text("%.3f | %.4f", m->mean_rank.value, m->map.value);
  bench_table_numbers(2, (const double[]){m->time.wall, m->time.cpu});
  bench_table_end_row();
}

static void json_bounds(const char *key, const quality_bounds *b) {
  const double none = (double)NAN;
  json_format(", \"%s\": {\"mean_rank\": %n, \"map\": %n, \"wall_seconds\": %n, \"cpu_seconds\": %n}", key,
              b->mean_rank > 0 ? b->mean_rank : none, b->map > 0 ? b->map : none, b->wall > 0 ? b->wall : none,
              b->cpu > 0 ? b->cpu : none);
}

static void json_row(const quality_row *row, const measured *m) {
  char text[64];
  verdict(row, m, text, sizeof text);
  json_format(
      ", \"%s\": {\"dim\": %d, \"flat\": %b, \"held_out\": %b, \"nodes\": %n, \"edges\": %n, \"mean_rank\": %n, "
      "\"mean_rank_spread\": %n, \"map\": %n, \"map_spread\": %n, \"epochs\": %n, \"wall_seconds\": %n, \"cpu_seconds\": %n",
      row->key, row->dim, row->flat, row->held_out, m->nodes, m->edges, m->mean_rank.value, m->mean_rank.spread, m->map.value,
      m->map.spread, m->epochs, m->time.wall, m->time.cpu);
  json_bounds("must", &row->must);
  json_bounds("goal", &row->goal);
  json_format(", \"verdict\": %j}", text);
}

/* ---- the command ---- */

static int measure_all(const quality_run *bench, int threads) {
  const bool json = bench->common->json;
  bool begun = false;
  for (int i = 0; i < QUALITY_ROWS; i++) {
    measured m;
    if (!bench->wanted[i])
      continue;
    const int code = measure(bench, &quality_rows[i], &m);
    if (code != EXIT_OK)
      return code;
    if (!begun)
      print_head(bench, threads);
    begun = true;
    (bench_markdown ? table_row : json ? json_row : print_row)(&quality_rows[i], &m);
  }
  if (json && !bench_markdown)
    fputs("}\n", stdout);
  return cli_finish();
}

/* The rows that are named, each by its key or by how it begins; without any name all of them. */
static int choose_rows(quality_run *bench, const char *const *names, int count) {
  for (int row = 0; row < QUALITY_ROWS && count == 0; row++)
    bench->wanted[row] = true;
  for (int n = 0; n < count; n++) {
    const size_t length = strlen(names[n]);
    bool found = false;
    for (int row = 0; row < QUALITY_ROWS; row++) {
      const char *key = quality_rows[row].key;
      if (strncmp(key, names[n], length) == 0 && (key[length] == '\0' || key[length] == '-'))
        found = bench->wanted[row] = true;
    }
    if (!found)
      return cli_usage_error(&spec, "there is no row \"%s\"; --help lists them", names[n]);
  }
  return -1;
}

int bench_quality(int argc, char **argv) {
  common_options common = {0};
  quality_run bench = {.common = &common, .dict = "/usr/share/wordnet", .seeds = SEEDS};
  const option_spec options[] = {
      OPT_INT("seeds", 's', &bench.seeds, "N", "train so many times, with seeds 1 to N (default: 3)", 1, MOST_SEEDS),
      {"epochs", 'e', OPTION_INT, &bench.epochs, "N", "instead of those of the row", 1, 1e9, &bench.epochs_given},
      {"core-epochs", 0, OPTION_INT, &bench.core_epochs, "N", "instead of those of the row", 0, 1e9, &bench.core_given},
      {"precision", 0, OPTION_CHOICE, &bench.precision, "double|float", "of the points (default: as the row has it)", 0, 0,
       &bench.precision_given},
      OPT_TEXT("dict", 0, &bench.dict, "DIR", "the folder of WordNet's database (default: /usr/share/wordnet)"),
      BENCH_MARKDOWN,
      OPT_GONE("best", "name the row nouns-10-best"),
      OPT_GONE("async-compare", "there is one way to train, deterministic on any number of threads"),
      OPT_END};
  int code = args_parse(&spec, options, &common, argc, argv);
  if (code < 0)
    code = choose_rows(&bench, common.args, common.n_args);
  if (code >= 0)
    return code;
  geodisk_context *context = cli_context(&common);
  const int threads = geodisk_context_threads(context);
  geodisk_context_destroy(context); /* before there are children */
  return measure_all(&bench, threads);
}

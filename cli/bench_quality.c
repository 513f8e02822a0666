/* bench_quality.c - `geodisk bench quality`: how good the embeddings of the recipes are, by exact reconstruction, and how long
 * they take, against what the project promises on 2 threads. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double default_bound = 0.01, async_bound = 0.003; /* of MAP */
enum { SEEDS = 3, MOST_SEEDS = 100 };

static const command_spec spec = {
    "bench quality",
    "mean rank, MAP and seconds of the recipes on WordNet's nouns and mammals, beside what is promised",
    "[ROW ...]",
    0,
    -1,
    "Trains each row with several seeds, evaluates the reconstruction exactly, and prints the means (and standard deviations) of "
    "mean rank and MAP beside what is promised; seconds are those of placing and training, the longest of the seeds: wall by the "
    "clock, on a busy machine longer, and cpu of all threads together. Without arguments all rows are run but nouns-best and the "
    "comparison with asynchronous training, some six minutes; rows: nouns-10, nouns-5, nouns-2 (recipe nouns in 10, 5 and 2 "
    "dimensions), nouns-quick (12 epochs, no recipe), nouns-default (no option at all), nouns-best, mammals-5, mammals-2 (recipe "
    "mammals), mammals-default-5, mammals-default-2; strata, async (recipe nouns edge by edge, without and with --async), "
    "strata-default, async-default (40 epochs, no recipe).",
    "geodisk bench quality --threads 2\n"
    "geodisk bench quality mammals-5 mammals-2 --seeds 5\n"
    "geodisk bench quality nouns-10 --seeds 1 --json\n"
    "geodisk bench quality --async-compare --sampling uniform",
};

/* ---- rows --------------------------------------------------------------------------------------------------------------------
 */

enum {
  NOUNS_10,
  NOUNS_5,
  NOUNS_2,
  NOUNS_QUICK,
  NOUNS_DEFAULT,
  NOUNS_BEST,
  MAMMALS_5,
  MAMMALS_2,
  MAMMALS_DEFAULT_5,
  MAMMALS_DEFAULT_2,
  STRATA,
  ASYNC,
  STRATA_DEFAULT,
  ASYNC_DEFAULT,
  ROWS
};

static const struct row {
  const char *key, *recipe;       /* NULL: the defaults */
  double mean_rank, map, seconds; /* promised; 0: nothing */
  int dim;
  bool mammals, asked; /* asked: only if named */
} rows[ROWS] = {
    [NOUNS_10] = {"nouns-10", "nouns", 2.75, 0.93, 60, .dim = 10},
    [NOUNS_5] = {"nouns-5", "nouns", 2.8, 0.927, 60, .dim = 5},
    [NOUNS_2] = {"nouns-2", "nouns", 12, 0.55, 60, .dim = 2},
    [NOUNS_QUICK] = {"nouns-quick", NULL, 0, 0.88, 8, .dim = 10},
    [NOUNS_DEFAULT] = {"nouns-default", NULL, 0, 0, 0, .dim = 10},
    [NOUNS_BEST] = {"nouns-best", "nouns-best", 2.4, 0.942, 0, .dim = 10, .asked = true},
    [MAMMALS_5] = {"mammals-5", "mammals", 1.05, 0.985, 2, .dim = 5, .mammals = true},
    [MAMMALS_2] = {"mammals-2", "mammals", 1.35, 0.945, 2, .dim = 2, .mammals = true},
    [MAMMALS_DEFAULT_5] = {"mammals-default-5", NULL, 0, 0, 0, .dim = 5, .mammals = true},
    [MAMMALS_DEFAULT_2] = {"mammals-default-2", NULL, 0, 0, 0, .dim = 2, .mammals = true},
    [STRATA] = {"strata", "nouns", 0, 0, 0, .dim = 10, .asked = true},
    [ASYNC] = {"async", "nouns", 0, 0, 0, .dim = 10, .asked = true},
    [STRATA_DEFAULT] = {"strata-default", NULL, 0, 0, 0, .dim = 10, .asked = true},
    [ASYNC_DEFAULT] = {"async-default", NULL, 0, 0, 0, .dim = 10, .asked = true},
};

/* Rows whose MAP is promised to be near another's. */
static const struct {
  const char *what;
  int row, other;
  bool async;
} pairs[] = {
    {"nouns: the default against the recipe", NOUNS_DEFAULT, NOUNS_10, false},
    {"mammals, dim 5: the default against the recipe", MAMMALS_DEFAULT_5, MAMMALS_5, false},
    {"mammals, dim 2: the default against the recipe", MAMMALS_DEFAULT_2, MAMMALS_2, false},
    {"deterministic against asynchronous, the recipe", STRATA, ASYNC, true},
    {"deterministic against asynchronous, no recipe", STRATA_DEFAULT, ASYNC_DEFAULT, true},
};

typedef struct quality_run {
  const common_options *common;
  const char *dict;
  int64_t seeds, epochs;
  int precision, sampling;
  bool precision_given, sampling_given, wanted[ROWS];
} quality_run;

/* What nouns-quick trains: so many epochs take a few seconds; and what is compared with --async without a recipe: as many for
 * both, some more than the default stops after. */
enum { QUICK_EPOCHS = 12, COMPARED_EPOCHS = 40 };

static geodisk_train_options options_of(const quality_run *bench, int row, uint64_t seed) {
  geodisk_train_options options = geodisk_train_defaults();
  options.dim = rows[row].dim;
  options.seed = seed;
  if (rows[row].recipe != NULL)
    (void)geodisk_train_recipe(NULL, rows[row].recipe, &options); /* all of them are there */
  if (row == NOUNS_QUICK || row == STRATA_DEFAULT || row == ASYNC_DEFAULT) {
    options.epochs = row == NOUNS_QUICK ? QUICK_EPOCHS : COMPARED_EPOCHS;
    options.precision = GEODISK_PRECISION_FLOAT;
  }
  if (rows[row].recipe != NULL && strncmp(rows[row].recipe, "nouns", 5) == 0 && options.dim > 2)
    options.precision = GEODISK_PRECISION_FLOAT; /* in the plane points lie too deep for it */
  if (row == STRATA || row == ASYNC)
    options.variant = GEODISK_VARIANT_EDGE; /* the other has no asynchronous form */
  options.async = row == ASYNC || row == ASYNC_DEFAULT;
  if (bench->epochs > 0)
    options.epochs = (uint64_t)bench->epochs;
  if (bench->precision_given)
    options.precision = (geodisk_precision)bench->precision;
  if (bench->sampling_given)
    options.sampling = (geodisk_sampling)bench->sampling;
  return options;
}

/* ---- one training ------------------------------------------------------------------------------------------------------------
 */

typedef struct trained {
  bench_time time;
  double mean_rank, map, epochs;
} trained;

typedef struct training {
  const quality_run *bench;
  int row;
  uint64_t seed;
} training;

static geodisk_status evaluate(geodisk_context *context, const geodisk_graph *graph, geodisk_trainer *trainer, trained *out) {
  geodisk_model *model = NULL, *copy = NULL;
  geodisk_relation *relation = NULL;
  geodisk_eval_points points;
  geodisk_ranking ranking;
  geodisk_status status = geodisk_trainer_model(trainer, &model);
  if (status == GEODISK_OK)
    status = geodisk_model_copy(context, model, GEODISK_WIDTH_AUTO, false, &copy);
  if (status == GEODISK_OK)
    status = geodisk_eval_points_of_model(context, copy, geodisk_model_space(copy), &points);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(context, graph, geodisk_graph_nodes(graph), &relation);
  if (status == GEODISK_OK)
    status = geodisk_eval_ranking(context, &points, relation, NULL, NULL, NULL, &ranking);
  if (status == GEODISK_OK) {
    out->mean_rank = ranking.mean_rank.value;
    out->map = ranking.map.value;
  }
  geodisk_relation_destroy(relation);
  geodisk_model_destroy(copy);
  geodisk_model_destroy(model);
  return status;
}

/* A bench_job; the process ends soon: nothing is given back. */
static int train_job(void *argument, void *result) {
  const training *job = argument;
  trained *out = result;
  const geodisk_wordnet_options wordnet = {.root = rows[job->row].mammals ? "mammal.n.01" : NULL};
  const geodisk_train_options options = options_of(job->bench, job->row, job->seed);
  geodisk_context *context = cli_context(job->bench->common);
  geodisk_graph *graph = NULL;
  geodisk_trainer *trainer = NULL;
  if (context == NULL)
    return EXIT_FAILED;
  geodisk_status status = geodisk_graph_read_wordnet(context, job->bench->dict, &wordnet, NULL, &graph);
  const bench_time start = bench_now();
  if (status == GEODISK_OK)
    status = geodisk_trainer_create(context, graph, &options, &trainer);
  if (status == GEODISK_OK)
    status = geodisk_trainer_run(trainer, NULL, NULL);
  out->time = bench_since(start);
  if (status == GEODISK_OK)
    status = evaluate(context, graph, trainer, out);
  if (status != GEODISK_OK)
    return cli_failed(context, status);
  out->epochs = (double)geodisk_trainer_position(trainer);
  return EXIT_OK;
}

/* ---- all seeds ---------------------------------------------------------------------------------------------------------------
 */

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
  mean mean_rank, map, epochs;
  bench_time time; /* the longest */
} measured;

static int measure(const quality_run *bench, int row, measured *out) {
  double ranks[MOST_SEEDS], maps[MOST_SEEDS], epochs[MOST_SEEDS];
  *out = (measured){.time = {0, 0}};
  for (int64_t i = 0; i < bench->seeds; i++) {
    training job = {bench, row, (uint64_t)i + 1};
    trained t = {.map = 0};
    const int code = bench_in_child(train_job, &job, &t, sizeof t);
    if (code != EXIT_OK)
      return code;
    ranks[i] = t.mean_rank;
    maps[i] = t.map;
    epochs[i] = t.epochs;
    out->time = (bench_time){fmax(out->time.wall, t.time.wall), fmax(out->time.cpu, t.time.cpu)};
  }
  out->mean_rank = mean_of(ranks, bench->seeds);
  out->map = mean_of(maps, bench->seeds);
  out->epochs = mean_of(epochs, bench->seeds);
  return EXIT_OK;
}

/* ---- printing ----------------------------------------------------------------------------------------------------------------
 */

static void json_field(const char *key, double value) {
  printf("%s\": ", key);
  json_number(value);
}

static void print_head(const quality_run *bench, int threads) {
  if (bench->common->json)
    printf("{\"threads\": %d, \"seeds\": %d", threads, (int)bench->seeds);
  else
    printf("%d threads, %d seeds\n\n%-18s %17s %8s  %16s %8s  %7s %8s %8s %8s\n", threads, (int)bench->seeds, "", "mean rank",
           "at most", "MAP", "at least", "epochs", "wall s", "cpu s", "at most");
}

static void print_promise(double value, int digits) {
  if (value > 0)
    printf(" %8.*f", digits, value);
  else
    printf(" %8s", "");
}

static void print_row(const struct row *row, const measured *m, bool json) {
  const double none = (double)NAN;
  if (json) {
    printf(", \"%s\": {\"dim\": %d", row->key, row->dim);
    json_field(", \"mean_rank", m->mean_rank.value);
    json_field(", \"mean_rank_spread", m->mean_rank.spread);
    json_field(", \"mean_rank_promised", row->mean_rank > 0 ? row->mean_rank : none);
    json_field(", \"map", m->map.value);
    json_field(", \"map_spread", m->map.spread);
    json_field(", \"map_promised", row->map > 0 ? row->map : none);
    json_field(", \"epochs", m->epochs.value);
    json_field(", \"wall_seconds", m->time.wall);
    json_field(", \"cpu_seconds", m->time.cpu);
    json_field(", \"seconds_promised", row->seconds > 0 ? row->seconds : none);
    putchar('}');
    return;
  }
  printf("%-18s %8.4f ± %6.4f", row->key, m->mean_rank.value, m->mean_rank.spread);
  print_promise(row->mean_rank, 2);
  printf("  %7.4f ± %6.4f", m->map.value, m->map.spread);
  print_promise(row->map, 3);
  printf("  %7.0f %8.2f %8.2f", m->epochs.value, m->time.wall, m->time.cpu);
  print_promise(row->seconds, 0);
  printf("%s%s%s\n", row->mean_rank > 0 && !(m->mean_rank.value <= row->mean_rank) ? "   mean rank not kept" : "",
         !(m->map.value >= row->map) ? "   MAP not kept" : "",
         row->seconds > 0 && !(m->time.wall <= row->seconds) ? "   seconds not kept" : "");
  fflush(stdout);
}

/* The MAP of one row less another's. */
static void print_pairs(const quality_run *bench, const measured *m, bool json) {
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    const int row = pairs[i].row, other = pairs[i].other;
    if (!bench->wanted[row] || !bench->wanted[other])
      continue;
    const double more = m[row].map.value - m[other].map.value, bound = pairs[i].async ? async_bound : default_bound;
    if (json) {
      printf(", \"%s_less_%s\": {", rows[row].key, rows[other].key);
      json_field("\"map", more);
      json_field(", \"at_least", -bound);
      putchar('}');
    } else {
      printf("%s: MAP %+.4f; promised at least %g%s\n", pairs[i].what, more, -bound, more >= -bound ? "" : "   not kept");
    }
  }
}

/* ---- the command
 * --------------------------------------------------------------------------------------------------------------- */

static int measure_all(const quality_run *bench, int threads) {
  const bool json = bench->common->json;
  measured m[ROWS];
  bool begun = false;
  for (int i = 0; i < ROWS; i++) {
    if (!bench->wanted[i])
      continue;
    const int code = measure(bench, i, &m[i]);
    if (code != EXIT_OK)
      return code;
    if (!begun)
      print_head(bench, threads);
    begun = true;
    print_row(&rows[i], &m[i], json);
  }
  if (!json)
    putchar('\n');
  print_pairs(bench, m, json);
  if (json)
    fputs("}\n", stdout);
  return cli_finish();
}

/* The rows named on the command line; without any, the usual ones. */
static int choose_rows(quality_run *bench, const char *const *names, int count, bool best, bool async) {
  for (int n = 0; n < count; n++) {
    int row = 0;
    while (row < ROWS && strcmp(names[n], rows[row].key) != 0)
      row++;
    if (row == ROWS)
      return cli_usage_error(&spec, "there is no row \"%s\"; --help lists them", names[n]);
    bench->wanted[row] = true;
  }
  for (int row = 0; row < ROWS; row++)
    if (count == 0 && !async && !rows[row].asked)
      bench->wanted[row] = true;
  bench->wanted[NOUNS_BEST] |= best;
  for (int row = STRATA; row <= ASYNC_DEFAULT; row++)
    bench->wanted[row] |= async;
  return -1;
}

int bench_quality(int argc, char **argv) {
  common_options common = {0};
  quality_run bench = {.common = &common, .dict = "/usr/share/wordnet", .seeds = SEEDS};
  bool best = false, async = false;
  const option_spec options[] = {
      {"seeds", 's', OPTION_INT, &bench.seeds, "N", "train so many times, with seeds 1 to N (default: 3)", 1, MOST_SEEDS, NULL},
      {"best", 0, OPTION_FLAG, &best, NULL, "the row nouns-best too", 0, 0, NULL},
      {"async-compare", 0, OPTION_FLAG, &async, NULL,
       "the rows strata and async, with and without a recipe, and no other unless named", 0, 0, NULL},
      {"epochs", 'e', OPTION_INT, &bench.epochs, "N", "instead of those of the recipe", 1, 1e9, NULL},
      {"precision", 0, OPTION_CHOICE, &bench.precision, "double|float", "of the points (default: as the row has it)", 0, 0,
       &bench.precision_given},
      {"sampling", 0, OPTION_CHOICE, &bench.sampling, "uniform|degree|nearby", "of negatives, instead of that of the recipe", 0,
       0, &bench.sampling_given},
      {"dict", 0, OPTION_STRING, &bench.dict, "DIR", "the folder of WordNet's database (default: /usr/share/wordnet)", 0, 0,
       NULL},
      {NULL, 0, OPTION_FLAG, NULL, NULL, NULL, 0, 0, NULL}};
  const char **names = geodisk_allocate((size_t)argc, sizeof *names);
  int count;
  if (names == NULL)
    return cli_error("out of memory");
  int code = args_parse(&spec, options, &common, argc, argv, names, &count);
  if (code < 0)
    code = choose_rows(&bench, names, count, best, async);
  free((void *)names);
  if (code >= 0)
    return code;
  geodisk_context *context = cli_context(&common);
  if (context == NULL)
    return EXIT_FAILED;
  const int threads = geodisk_context_threads(context);
  geodisk_context_destroy(context); /* before there are children */
  return measure_all(&bench, threads);
}

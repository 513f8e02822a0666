/* bench_eval.c - `geodisk bench eval`: how fast an embedding of WordNet's nouns is judged and asked, against what the project
 * promises on 2 threads: exact reconstruction in 4 s (float) and 7 s (double), tau-b over all pairs of the mammals in 0.3 s, the
 * 10 neighbours of 1,000 nouns in 0.5 s, each with at most 64 MB beside the model. NumPy and scipy do the same, where they are.
 */
#include "bench_eval.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static const double bytes_bound = 64e6;
enum { EPOCHS = 5, MAMMALS_EPOCHS = 50, K = 10, SAMPLE = 400, REPEATS = 3 };

static const command_spec spec = {
    "bench eval",
    "reconstruction, rank correlation and neighbours on WordNet: time and memory against their bounds",
    "",
    "Trains a model of WordNet's nouns (grouped, 5 epochs: a few seconds) and one of its mammals, judges and asks them, and "
    "prints seconds and peak memory beside the bounds: the best of three runs, each in a process of its own that reads model and "
    "graph as geodisk eval does; reading is not timed, but its memory counts. The model's own bytes are not counted. cpu is what "
    "the processors spent, all threads together; wall is longer on a busy machine. Then the same is done by NumPy (with gensim's "
    "distances where gensim is installed) and scipy on one thread, the reconstruction for 100 nodes and scaled up.",
    "geodisk bench eval --threads 2\n"
    "geodisk bench eval --dict wordnet-3.0/dict --json",
};

typedef struct measured {
  bench_time time;
  double peak;           /* bytes, the model's left out */
  double figure;         /* what came out */
  geodisk_search search; /* of neighbours: what was chosen */
} measured;

/* ---- models --------------------------------------------------------------------------------------------------------------- */

typedef struct training {
  const bench_eval_run *bench;
  const bench_dataset *data;
} training;

static int train_job(void *argument, void *result) {
  const training *t = argument;
  const geodisk_wordnet_options wordnet = {.root = t->data->root};
  geodisk_train_options options = geodisk_train_defaults();
  options.dim = (int)t->bench->dim;
  options.epochs = (uint64_t)t->data->epochs;
  geodisk_context *context = cli_context(t->bench->common);
  geodisk_graph *graph = NULL;
  geodisk_trainer *trainer = NULL;
  const bench_time start = bench_now();
  geodisk_status status = bench_write_nouns(context, t->bench->dict, &wordnet, t->data->graph, &graph);
  if (status == GEODISK_OK)
    status = geodisk_trainer_create(context, graph, &options, &trainer);
  if (status == GEODISK_OK)
    status = geodisk_trainer_run(trainer, NULL, NULL);
  if (status == GEODISK_OK)
    status = geodisk_trainer_save(trainer, t->data->model);
  *(bench_time *)result = bench_since(start);
  return status == GEODISK_OK ? EXIT_OK : cli_failed(context, status);
}

static int make_dataset(const bench_eval_run *bench, bench_dataset *data) {
  if (!bench_temporary_name(data->graph, sizeof data->graph) || !bench_temporary_name(data->model, sizeof data->model))
    return EXIT_FAILED;
  training t = {bench, data};
  bench_time took;
  return bench_in_child(train_job, &t, &took, sizeof took);
}

static void remove_dataset(const bench_dataset *data) {
  if (data->graph[0] != 0)
    unlink(data->graph);
  if (data->model[0] != 0)
    unlink(data->model);
}

geodisk_status bench_eval_open(const bench_dataset *data, bench_material *m) {
  geodisk_status status = geodisk_model_read(m->context, data->model, &m->model);
  if (status == GEODISK_OK)
    status = geodisk_graph_read(m->context, data->graph, NULL, NULL, &m->graph);
  if (status == GEODISK_OK)
    status = geodisk_eval_points_of_model(m->context, m->model, GEODISK_SPACE_HYPERBOLIC, &m->points);
  if (status == GEODISK_OK)
    status = geodisk_relation_create(m->context, m->graph, m->model, false, NULL, &m->relation);
  return status;
}

/* ---- what is measured ------------------------------------------------------------------------------------------------------ */

typedef geodisk_status work_fn(const bench_material *m, measured *out);

static geodisk_status rank(const bench_material *m, geodisk_precision arithmetic, bool loss, measured *out) {
  const geodisk_ranking_options options = {.arithmetic = arithmetic, .loss = loss};
  geodisk_ranking ranking;
  const geodisk_status status = geodisk_eval_ranking(m->context, &m->points, m->relation, NULL, &options, &ranking);
  if (status == GEODISK_OK)
    out->figure = loss ? ranking.loss.value : ranking.mean_rank.value;
  return status;
}

static geodisk_status rank_float(const bench_material *m, measured *out) { return rank(m, GEODISK_PRECISION_FLOAT, false, out); }
static geodisk_status rank_double(const bench_material *m, measured *out) {
  return rank(m, GEODISK_PRECISION_DOUBLE, false, out);
}
static geodisk_status rank_loss(const bench_material *m, measured *out) { return rank(m, GEODISK_PRECISION_DOUBLE, true, out); }

static geodisk_status correlate(const bench_material *m, size_t sample, measured *out) {
  const geodisk_fit_options options = {.sample = sample};
  geodisk_fit fit;
  const geodisk_status status = geodisk_eval_fit(m->context, &m->points, m->relation, &options, &fit);
  if (status == GEODISK_OK)
    out->figure = fit.kendall_tau.value;
  return status;
}

static geodisk_status tau_all(const bench_material *m, measured *out) { return correlate(m, 0, out); }
static geodisk_status tau_sample(const bench_material *m, measured *out) { return correlate(m, SAMPLE, out); }

/* Every node of a regular choice; the index is made in the time. */
static geodisk_status neighbours(const bench_material *m, size_t queries, measured *out) {
  geodisk_index *index = NULL;
  uint32_t *nodes = geodisk_allocate(queries, sizeof *nodes);
  geodisk_neighbour *near = geodisk_allocate(queries, K * sizeof *near);
  size_t *found = geodisk_allocate(queries, sizeof *found);
  geodisk_status status = GEODISK_ERROR_MEMORY;
  if (nodes != NULL && near != NULL && found != NULL) {
    for (size_t i = 0; i < queries; i++)
      nodes[i] = (uint32_t)(i * m->points.nodes / queries);
    status = geodisk_index_create(m->context, m->model, GEODISK_SEARCH_AUTO, queries, &index);
  }
  if (status == GEODISK_OK)
    status =
        geodisk_index_nearest(m->context, index, &(geodisk_nearest_query){.n = queries, .nodes = nodes, .k = K}, near, found);
  double sum = 0.0;
  for (size_t i = 0; status == GEODISK_OK && i < queries * K; i++)
    sum += near[i].distance;
  if (status == GEODISK_OK)
    *out = (measured){.figure = sum / (double)(queries * K), .search = geodisk_index_search(index)};
  geodisk_index_destroy(index);
  geodisk_free_all(nodes, near, found);
  return status;
}

static geodisk_status neighbours_some(const bench_material *m, measured *out) { return neighbours(m, BENCH_EVAL_QUERIES, out); }
static geodisk_status neighbours_all(const bench_material *m, measured *out) { return neighbours(m, m->points.nodes, out); }

enum { RANK_DOUBLE = 1, TAU = 3, NEIGHBOURS = 5, ROWS = 7 };
static const struct {
  const char *key, *what, *figure, *title; /* the title is the documents' */
  work_fn *work;
  bool mammals;
  double seconds_bound; /* 0: none */
} rows[ROWS] = {
    {"reconstruction_float", "reconstruction, float", "mean rank", "exact reconstruction (6.7·10⁹ distances), float arithmetic",
     rank_float, false, 4},
    {"reconstruction_double", "reconstruction, double", "mean rank", "exact reconstruction, double", rank_double, false, 7},
    {"loss", "reconstruction and exact loss", "loss", "the same with the exact loss", rank_loss, false, 0},
    {"kendall_mammals", "tau-b, all pairs of the mammals", "tau-b", "tau-b over all 697,971 pairs of the mammals", tau_all, true,
     0.3},
    {"kendall_sample", "tau-b, from 400 nodes", "tau-b", "tau-b of the nouns, from 400 nodes (524,000 pairs), with intervals",
     tau_sample, false, 0},
    {"neighbours", "10 neighbours of 1,000 nodes", "distance", "the 10 nearest of 1,000 nodes, by scan", neighbours_some, false,
     0.5},
    {"neighbours_all", "10 neighbours of every node", "distance", "the 10 nearest of every node, by the tree", neighbours_all,
     false, 0},
};

typedef struct measurement {
  const bench_eval_run *bench;
  int row;
} measurement;

static int measure_job(void *argument, void *result) {
  const measurement *job = argument;
  const bench_dataset *data = rows[job->row].mammals ? &job->bench->mammals : &job->bench->nouns;
  measured *out = result;
  const double before = bench_peak_bytes();
  bench_material m = {.context = cli_context(job->bench->common)};
  struct stat file = {0};
  geodisk_status status = bench_eval_open(data, &m);
  const bench_time start = bench_now();
  if (status == GEODISK_OK)
    status = rows[job->row].work(&m, out);
  out->time = bench_since(start);
  if (status != GEODISK_OK)
    return cli_failed(m.context, status);
  stat(data->model, &file);
  out->peak = fmax(0.0, bench_peak_bytes() - before - (double)file.st_size);
  return EXIT_OK;
}

static int measure(const bench_eval_run *bench, int row, measured *best) {
  measurement job = {bench, row};
  int code = bench_in_child(measure_job, &job, best, sizeof *best);
  for (int i = 1; i < REPEATS && code == EXIT_OK; i++) {
    measured again = {.peak = 0};
    code = bench_in_child(measure_job, &job, &again, sizeof again);
    best->time = bench_better(best->time, again.time);
    best->peak = fmin(best->peak, again.peak);
  }
  return code;
}

/* ---- printing ------------------------------------------------------------------------------------------------------------ */

static void print_row(int row, const measured *m, bool json) {
  const char *search = m->search == GEODISK_SEARCH_TREE ? "tree" : m->search == GEODISK_SEARCH_SCAN ? "scan" : NULL;
  const double bound = rows[row].seconds_bound;
  if (json) {
    json_format(", \"%s\": {\"wall_seconds\": %n, \"cpu_seconds\": %n, \"seconds_bound\": %n, \"peak_bytes\": %w, "
                "\"peak_bytes_bound\": %w, \"figure\": %n",
                rows[row].key, m->time.wall, m->time.cpu, bound > 0 ? bound : (double)NAN, m->peak, bytes_bound, m->figure);
    if (search != NULL)
      printf(", \"search\": \"%s\"", search);
    putchar('}');
    return;
  }
  printf("%-32s %8.3f %8.3f ", rows[row].what, m->time.wall, m->time.cpu);
  if (bound > 0)
    printf("%7.1f", bound);
  else
    printf("%7s", "");
  printf(" %8.1f %6.0f   %s %.6g%s%s%s\n", 1e-6 * m->peak, 1e-6 * bytes_bound, rows[row].figure, m->figure,
         search != NULL ? ", by " : "", search != NULL ? search : "",
         (bound > 0 && m->time.wall > bound) || m->peak > bytes_bound ? "   over the bound" : "");
}

static void print_table(int row, const measured *m) {
  bench_table_text("%s", rows[row].title);
  bench_table_numbers(3, (const double[]){m->time.wall, m->time.cpu, 1e-6 * m->peak});
  bench_table_end_row();
}

static void print_rival(const char *key, const char *what, double seconds, const measured *own, bool json) {
  if (json) {
    json_format(", \"%s\": {\"seconds\": %n, \"ratio\": %n, \"ratio_cpu\": %n}", key, seconds, seconds / own->time.wall,
                seconds / own->time.cpu);
  } else if (isnan(seconds)) {
    printf("%-48s not measured: /usr/bin/python3 lacks the package\n", what);
  } else {
    printf("%-48s %9.2f s, %6.1f times as long; %6.1f by cpu\n", what, seconds, seconds / own->time.wall,
           seconds / own->time.cpu);
  }
}

static void print_rivals(const bench_eval_others *r, const measured *m, bool json) {
  fputs(json ? ", \"others\": {\"threads\": 1" : "\nOthers, on one thread\n", stdout);
  print_rival("numpy_reconstruction", "NumPy: reconstruction, double (100 nodes, scaled)", r->rank, &m[RANK_DOUBLE], json);
  print_rival("numpy_neighbours", "NumPy: 10 neighbours of 1,000 nodes", r->near, &m[NEIGHBOURS], json);
  print_rival("scipy_kendall", "scipy: tau-b of the mammals' distances, as given", r->tau, &m[TAU], json);
  if (json)
    fputs("}}\n", stdout);
  else if (!isnan(r->rank))
    printf("The 100 nodes' mean rank: NumPy %.10g, geodisk %.10g. The mammals' tau-b: scipy %.12g, geodisk %.12g.\n",
           r->rank_figure, r->own_figure, r->tau_figure, m[TAU].figure);
}

static int measure_all(bench_eval_run *bench, int threads) {
  const bool json = bench->common->json;
  const double none = (double)NAN;
  measured m[ROWS] = {{.peak = 0}};
  bench_eval_others r = {none, none, none, none, none, none};
  int code = make_dataset(bench, &bench->nouns);
  if (code == EXIT_OK)
    code = make_dataset(bench, &bench->mammals);
  if (code != EXIT_OK)
    return code;
  if (bench_markdown)
    bench_table_begin("task | wall s | cpu s | peak MB");
  else if (json)
    printf("{\"threads\": %d, \"dim\": %d", threads, (int)bench->dim);
  else
    printf("%d threads, dim %d; the best of %d runs\n\n%-32s %8s %8s %7s %8s %6s\n", threads, (int)bench->dim, REPEATS, "",
           "wall s", "cpu s", "bound", "peak MB", "bound");
  for (int i = 0; i < ROWS && code == EXIT_OK; i++) {
    code = measure(bench, i, &m[i]);
    if (code == EXIT_OK && bench_markdown)
      print_table(i, &m[i]);
    else if (code == EXIT_OK)
      print_row(i, &m[i], json);
  }
  if (code == EXIT_OK && !bench_markdown)
    code = bench_in_child(bench_eval_ask_others, bench, &r, sizeof r);
  if (code != EXIT_OK)
    return code;
  if (!bench_markdown)
    print_rivals(&r, m, json);
  return cli_finish();
}

int bench_eval(int argc, char **argv) {
  common_options common = {0};
  bench_eval_run bench = {.common = &common,
                          .dict = "/usr/share/wordnet",
                          .dim = 10,
                          .nouns = {.epochs = EPOCHS},
                          .mammals = {.root = "mammal.n.01", .epochs = MAMMALS_EPOCHS}};
  const option_spec options[] = {
      OPT_INT("dim", 'd', &bench.dim, "N", "of the models (default: 10, which the bounds are for)", 1, GEODISK_DIM_MOST),
      OPT_TEXT("root", 0, &bench.nouns.root, "SYNSET", "only this synset and those below it (default: all nouns)"),
      OPT_TEXT("dict", 0, &bench.dict, "DIR", "the folder of WordNet's database (default: /usr/share/wordnet)"), BENCH_MARKDOWN,
      OPT_END};
  int code = args_parse(&spec, options, &common, argc, argv);
  if (code >= 0)
    return code;
  common.quiet = true; /* progress of many short runs says nothing */
  geodisk_context *context = cli_context(&common);
  const int threads = geodisk_context_threads(context);
  geodisk_context_destroy(context); /* before there are children */
  code = measure_all(&bench, threads);
  remove_dataset(&bench.nouns);
  remove_dataset(&bench.mammals);
  return code;
}

/* paper_mammals.c - the paper's real data: the closure of WordNet below mammal, dim 2 and 5, 10 negatives; Kendall's tau, and the
 * tables of loss, reconstruction and link prediction that its source names but does not show. gensim beside it. */
#include "paper_mammals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES = 2, MOST_RATES = 8, NEGATIVES = 10 };

static const char *const rules[RULES] = {"geodesic", "natural"};
static const double all_rates[MOST_RATES] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2}, quick_rates[] = {0.1, 2};

static size_t seeds_of(const paper *p) { return paper_seeds(p, 5, 20); }
static uint64_t epochs_of(const paper *p) { return p->epochs > 0 ? (uint64_t)p->epochs : p->quick ? 2 : 20; }
static size_t rates_of(const paper *p, const double **rates) {
  *rates = p->quick ? quick_rates : all_rates;
  return p->quick ? sizeof quick_rates / sizeof quick_rates[0] : MOST_RATES;
}

/* What is trained on and judged by for one seed: for link prediction every seed has a split of its own. */
typedef struct task {
  const geodisk_graph *graph;
  const geodisk_relation *positives, *known;
  const paper_distances *distances;
  geodisk_split split;
  geodisk_relation *known_edges, *test_edges;
} task;

static void tasks_close(size_t n, task *tasks) {
  for (size_t i = 0; tasks != NULL && i < n; i++) {
    geodisk_relation_destroy(tasks[i].known_edges);
    geodisk_relation_destroy(tasks[i].test_edges);
    geodisk_split_free(&tasks[i].split);
  }
  free(tasks);
}

static geodisk_status task_open(const paper *p, const paper_mammals_data *mammals, bool links, uint64_t seed, task *out) {
  const geodisk_split_options held_out = {.validation = 0, .test = PAPER_HELD_OUT, .seed = seed};
  const size_t nodes = geodisk_graph_nodes(mammals->graph);
  if (!links) {
    *out = (task){.graph = mammals->graph, .positives = mammals->relation, .distances = &mammals->distances};
    return GEODISK_OK;
  }
  geodisk_status status = geodisk_graph_split(p->context, mammals->graph, &held_out, &out->split);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(p->context, out->split.train, nodes, &out->known_edges);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(p->context, out->split.test, nodes, &out->test_edges);
  out->graph = out->split.train;
  out->positives = out->test_edges;
  out->known = out->known_edges;
  return status;
}

/* The tasks of n seeds; NULL after saying why. */
static task *tasks_open(const paper *p, const paper_mammals_data *mammals, bool links, size_t n) {
  task *tasks = geodisk_allocate_zero(n, sizeof *tasks);
  geodisk_status status = tasks == NULL ? GEODISK_ERROR_MEMORY : GEODISK_OK;
  for (size_t i = 0; status == GEODISK_OK && i < n; i++)
    status = task_open(p, mammals, links, (uint64_t)p->seed + i, &tasks[i]);
  if (status == GEODISK_OK)
    return tasks;
  cli_failed(p->context, status);
  tasks_close(n, tasks);
  return NULL;
}

/* Measures of a table: all of them, or for link prediction the last three. */
static int put_quality(const paper_quality *q, bool links, double *values) {
  const double all[PAPER_QUALITIES] = {q->tau, q->tau_closure, q->loss, q->mean_rank, q->map};
  const int skip = links ? 2 : 0;
  memcpy(values, all + skip, (size_t)(PAPER_QUALITIES - skip) * sizeof *values);
  return PAPER_QUALITIES - skip;
}

/* ---- the updates ------------------------------------------------------------------------------------------------------ */

static void settings(const paper *p, char text[PAPER_SETTINGS]) {
  const double *rates;
  snprintf(text, PAPER_SETTINGS,
           "WordNet below %s, edges drawn uniformly, 10 negatives by frequency (uniform-: uniform), constant rate, margin 1e-10, "
           "no burn-in, start uniform in +-0.001, %llu epochs, %zu rates, %zu seeds from %lld on; links-: a split for each seed",
           paper_root(p), (unsigned long long)epochs_of(p), rates_of(p, &rates), seeds_of(p), (long long)p->seed);
}

static void train_job(void *arg, size_t index) { paper_train((paper_training *)arg + index); }

static int write_trainings(const paper *p, const paper_training *all, size_t settings_count, bool links, paper_buffer *out) {
  const size_t seeds = seeds_of(p);
  double *values = geodisk_allocate(seeds * PAPER_QUALITIES, sizeof *values);
  paper_sheet sheet = {&out[0], &out[1], (uint64_t)p->seed, 0};
  if (values == NULL)
    return cli_error("not enough memory");
  int code = EXIT_OK;
  for (size_t k = 0; code == EXIT_OK && k < settings_count; k++) {
    const paper_training *runs = &all[k * seeds];
    char keys[64], rate[GEODISK_NUMBER_BYTES];
    for (size_t s = 0; code == EXIT_OK && s < seeds; s++) {
      if (runs[s].status != GEODISK_OK)
        code = cli_error("the mammals: rate %g by the %s update: %s", runs->rate, rules[runs->update],
                         geodisk_status_text(runs[s].status));
      sheet.measures = put_quality(&runs[s].quality, links, values + s * (size_t)(links ? 3 : PAPER_QUALITIES));
    }
    snprintf(keys, sizeof keys, "%s\t%s", rules[runs->update], shortest_double(runs->rate, rate));
    if (code == EXIT_OK)
      paper_add_runs(&sheet, keys, seeds, values);
  }
  free(values);
  return code;
}

/* Trains by both updates at all rates for all seeds. */
static int run_training(paper *p, int dim, bool links, bool uniform, paper_buffer *out) {
  const double *rates;
  const size_t n_rates = rates_of(p, &rates), seeds = seeds_of(p), count = RULES * n_rates * seeds;
  paper_mammals_data mammals;
  int code = paper_mammals_open(p, &mammals);
  task *tasks = code == EXIT_OK ? tasks_open(p, &mammals, links, seeds) : NULL;
  paper_training *all = geodisk_allocate_zero(count, sizeof *all);
  if (code == EXIT_OK && (all == NULL || tasks == NULL))
    code = all == NULL ? cli_error("not enough memory") : EXIT_FAILED;
  for (size_t i = 0; code == EXIT_OK && all != NULL && i < count; i++) {
    const task *own = &tasks[i % seeds];
    all[i] = (paper_training){.update = (geodisk_update)(i / seeds / n_rates),
                              .rate = rates[i / seeds % n_rates],
                              .dim = dim,
                              .epochs = epochs_of(p),
                              .seed = (uint64_t)p->seed + i % seeds,
                              .by_edge = true,
                              .uniform = uniform,
                              .graph = own->graph,
                              .positives = own->positives,
                              .known = own->known,
                              .distances = own->distances};
  }
  if (code == EXIT_OK)
    code = paper_jobs(p, count, train_job, all, 0, 1);
  if (code == EXIT_OK && all != NULL)
    code = write_trainings(p, all, RULES * n_rates, links, out);
  tasks_close(seeds, tasks);
  paper_mammals_close(&mammals);
  free(all);
  return code;
}

static int run_2(paper *p, paper_buffer *out) { return run_training(p, 2, false, false, out); }
static int run_5(paper *p, paper_buffer *out) { return run_training(p, 5, false, false, out); }
static int run_links_2(paper *p, paper_buffer *out) { return run_training(p, 2, true, false, out); }
static int run_links_5(paper *p, paper_buffer *out) { return run_training(p, 5, true, false, out); }
static int run_uniform_2(paper *p, paper_buffer *out) { return run_training(p, 2, false, true, out); }
static int run_uniform_5(paper *p, paper_buffer *out) { return run_training(p, 5, false, true, out); }

/* ---- gensim ----------------------------------------------------------------------------------------------------------- */

/* Quick: one rate and seed, in dim 2, of reconstruction. */
static size_t gensim_seeds(const paper *p) { return p->quick ? 1 : paper_gensim_seeds(p); }

static void gensim_settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "gensim on WordNet below %s, 10 negatives, constant rate, margin 1e-10, no burn-in, start uniform in +-0.001, batches "
           "of 10, %llu epochs, %zu seeds from %lld on; gensim-links-: a split for each seed",
           paper_root(p), (unsigned long long)epochs_of(p), gensim_seeds(p), (long long)p->seed);
}

typedef struct gensim_tasks {
  const task *tasks;
  bool links;
} gensim_tasks;

static bool judge_gensim(void *user, size_t seed, const geodisk_eval_points *points, double *values) {
  const gensim_tasks *own = user;
  const task *t = &own->tasks[seed];
  paper_quality quality;
  const bool fine = paper_judge(points, t->positives, t->known, t->distances, &quality) == GEODISK_OK;
  put_quality(&quality, own->links, values);
  return fine;
}

static int run_gensim(paper *p, int dim, bool links, paper_buffer *out) {
  const size_t seeds = gensim_seeds(p);
  const geodisk_graph *graphs[PAPER_GENSIM_SEEDS];
  paper_mammals_data mammals;
  int code = paper_mammals_open(p, &mammals);
  task *tasks = code == EXIT_OK ? tasks_open(p, &mammals, links, seeds) : NULL;
  gensim_tasks own = {tasks, links};
  const int measures = links ? 3 : PAPER_QUALITIES;
  const paper_sheet sheet = {&out[0], &out[1], (uint64_t)p->seed, measures};
  for (size_t s = 0; tasks != NULL && s < seeds; s++)
    graphs[s] = tasks[s].graph;
  const paper_gensim_plan plan = {.dim = dim,
                                  .negatives = NEGATIVES,
                                  .epochs = epochs_of(p),
                                  .first_seed = (uint64_t)p->seed,
                                  .rates = paper_gensim_rates,
                                  .n_rates = p->quick ? 1 : sizeof paper_gensim_rates / sizeof paper_gensim_rates[0],
                                  .seeds = seeds,
                                  .more_keys = "",
                                  .graphs = graphs,
                                  .measures = measures,
                                  .judge = judge_gensim,
                                  .user = &own};
  if (code == EXIT_OK)
    code = tasks == NULL ? EXIT_FAILED : paper_gensim_run(p, &plan, &sheet);
  tasks_close(seeds, tasks);
  paper_mammals_close(&mammals);
  return code;
}

static int run_gensim_2(paper *p, paper_buffer *out) { return run_gensim(p, 2, false, out); }
static int run_gensim_5(paper *p, paper_buffer *out) { return p->quick ? PAPER_LEFT_OUT : run_gensim(p, 5, false, out); }
static int run_gensim_links_2(paper *p, paper_buffer *out) { return p->quick ? PAPER_LEFT_OUT : run_gensim(p, 2, true, out); }
static int run_gensim_links_5(paper *p, paper_buffer *out) { return p->quick ? PAPER_LEFT_OUT : run_gensim(p, 5, true, out); }

#define RANKS      "loss\tloss_error\tmean_rank\tmean_rank_error\tmap\tmap_error\tseeds"
#define COLUMNS    "update\trate\ttau\ttau_error\ttau_closure\ttau_closure_error\t" RANKS
#define SEEDS      "update\trate\tseed\ttau\ttau_closure\tloss\tmean_rank\tmap"
#define LINKS      "update\trate\t" RANKS
#define LINK_SEEDS "update\trate\tseed\tloss\tmean_rank\tmap"
const paper_part paper_mammals_parts[PAPER_MAMMALS_PARTS] = {
    {{"mammals-2", "mammals-2-seeds"}, {COLUMNS, SEEDS}, settings, run_2, 0.5, 120},
    {{"mammals-5", "mammals-5-seeds"}, {COLUMNS, SEEDS}, settings, run_5, 0.5, 130},
    {{"links-2", "links-2-seeds"}, {LINKS, LINK_SEEDS}, settings, run_links_2, 0.3, 60},
    {{"links-5", "links-5-seeds"}, {LINKS, LINK_SEEDS}, settings, run_links_5, 0.3, 70},
    {{"uniform-2", "uniform-2-seeds"}, {COLUMNS, SEEDS}, settings, run_uniform_2, 0.5, 120},
    {{"uniform-5", "uniform-5-seeds"}, {COLUMNS, SEEDS}, settings, run_uniform_5, 0.5, 130},
    {{"gensim-2", "gensim-2-seeds"}, {COLUMNS, SEEDS}, gensim_settings, run_gensim_2, 1.5, 70},
    {{"gensim-5", "gensim-5-seeds"}, {COLUMNS, SEEDS}, gensim_settings, run_gensim_5, 0, 70},
    {{"gensim-links-2", "gensim-links-2-seeds"}, {LINKS, LINK_SEEDS}, gensim_settings, run_gensim_links_2, 0, 70},
    {{"gensim-links-5", "gensim-links-5-seeds"}, {LINKS, LINK_SEEDS}, gensim_settings, run_gensim_links_5, 0, 70},
};

const paper_experiment paper_mammals = {"wordnet",
                                        "Real data",
                                        paper_mammals_parts,
                                        PAPER_MAMMALS_PARTS,
                                        paper_mammals_figures,
                                        PAPER_MAMMALS_FIGURES,
                                        paper_mammals_report,
                                        NULL};

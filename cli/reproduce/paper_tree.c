/* paper_tree.c - the paper's artificial data: a complete binary tree of depth 5, undirected and as directed closure, embedded in
 * the disk by stochastic descent on the paper's exact loss (paper_descent.c). Each step takes one edge u -> v, drawn uniformly,
 * and all nodes that u has no edge to, u itself included. The same run is judged after a quarter of its iterations, half, and all
 * of them: the paper does not say how many it made. */
#include "paper_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 63, DIM = 2, RULES = PAPER_TREE_RULES, MOST_RATES = 8, LAST = 100, MOST_EDGES = 258, STAGES = PAPER_TREE_STAGES };
enum { LOSS, EXACT, TAU, TAU_CLOSURE, MEASURES };

const char *const paper_tree_rules[RULES] = {"geodesic", "natural", "euclidean"};
static const double all_rates[MOST_RATES] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2}, quick_rates[] = {0.1, 0.5, 2};

static size_t seeds_of(const paper *p) { return paper_seeds(p, 5, 20); }
static uint64_t iterations_of(const paper *p) { return p->iterations > 0 ? (uint64_t)p->iterations : p->quick ? 1000 : 50000; }
static uint64_t stage_of(const paper *p, int stage) { return iterations_of(p) >> (STAGES - 1 - stage); }
static size_t rates_of(const paper *p, const double **rates) {
  *rates = p->quick ? quick_rates : all_rates;
  return p->quick ? sizeof quick_rates / sizeof quick_rates[0] : MOST_RATES;
}

static void settings(const paper *p, char text[PAPER_SETTINGS]) {
  const double *rates;
  snprintf(text, PAPER_SETTINGS,
           "binary tree of 63 nodes, dim 2, the paper's loss with all negatives, edges drawn uniformly, margin 1e-10, start "
           "uniform in +-0.001, %llu, %llu and %llu iterations, %zu rates, %zu seeds from %lld on",
           (unsigned long long)stage_of(p, 0), (unsigned long long)stage_of(p, 1), (unsigned long long)stage_of(p, 2),
           rates_of(p, &rates), seeds_of(p), (long long)p->seed);
}

typedef struct tree {
  geodisk_graph *graph;
  geodisk_relation *relation;
  bool closed;
  size_t edges;
  uint32_t from[MOST_EDGES], to[MOST_EDGES];
  uint32_t others[NODES][NODES]; /* for each u the nodes it has no edge to */
  size_t n_others[NODES];
} tree;

typedef struct tree_jobs {
  const paper *p;
  const tree *tree;
  const double *rates;
  size_t n_rates, seeds;
  double *values; /* RULES x rates x STAGES x seeds x MEASURES */
} tree_jobs;

static bool judge(const tree *t, const geodisk_eval_points *points, double *values) {
  const geodisk_ranking_options ranking = {.loss = true};
  const geodisk_fit_options as_given = {.as_given = true};
  geodisk_ranking ranks;
  geodisk_fit fit, given = {.kendall_tau = {(double)NAN, (double)NAN, (double)NAN}};
  if (geodisk_eval_ranking(NULL, points, t->relation, NULL, &ranking, &ranks) != GEODISK_OK ||
      geodisk_eval_fit(NULL, points, t->relation, NULL, &fit) != GEODISK_OK ||
      (t->closed && geodisk_eval_fit(NULL, points, t->relation, &as_given, &given) != GEODISK_OK))
    return false;
  values[EXACT] = ranks.loss_complement.value;
  values[TAU] = fit.kendall_tau.value;
  values[TAU_CLOSURE] = given.kendall_tau.value; /* the undirected tree has one reading only */
  return true;
}

/* The numbers of one run at one stage; the seeds of a setting lie together. */
static double *place_of(const tree_jobs *jobs, size_t index, int stage) {
  const size_t seed = index % jobs->seeds, setting = index / jobs->seeds;
  return jobs->values + ((setting * STAGES + (size_t)stage) * jobs->seeds + seed) * MEASURES;
}

static void tree_job(void *arg, size_t index) {
  const tree_jobs *jobs = arg;
  const uint64_t seed = (uint64_t)jobs->p->seed + index % jobs->seeds;
  const size_t rate = index / jobs->seeds % jobs->n_rates, rule = index / jobs->seeds / jobs->n_rates;
  geodisk_random draw = geodisk_random_stream(seed, 1);
  paper_points at;
  for (int k = 0; k < STAGES; k++)
    place_of(jobs, index, k)[LOSS] = (double)INFINITY; /* until it is done */
  if (!paper_points_start(&at, NODES, DIM, seed))
    return;
  uint64_t t = 0;
  for (int stage = 0; stage < STAGES; stage++) {
    const uint64_t end = stage_of(jobs->p, stage);
    double last = 0;
    for (; t < end; t++) {
      const size_t edge = geodisk_random_below(&draw, jobs->tree->edges);
      const uint32_t u = jobs->tree->from[edge];
      const paper_step step = {(geodisk_update)rule,  jobs->rates[rate],       u,   jobs->tree->to[edge],
                               jobs->tree->others[u], jobs->tree->n_others[u], true};
      const double loss = paper_edge_step(&at, &step);
      last += t + LAST >= end ? loss / LAST : 0;
    }
    const geodisk_eval_points embedded = {.nodes = NODES, .ball = at.ball, .vectors = at.x, .gap = at.gap};
    double *values = place_of(jobs, index, stage);
    if (judge(jobs->tree, &embedded, values))
      values[LOSS] = last;
  }
  paper_points_end(&at);
}

static void tree_close(tree *t) {
  geodisk_relation_destroy(t->relation);
  geodisk_graph_destroy(t->graph);
}

static int tree_open(const paper *p, geodisk_shape shape, tree *t) {
  const geodisk_generate_options generate = {.kind = GEODISK_GENERATOR_TREE, .shape = shape, .branching = 2, .depth = 5};
  *t = (tree){.closed = shape == GEODISK_SHAPE_CLOSED};
  geodisk_status status = geodisk_graph_generate(p->context, &generate, &t->graph);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(p->context, t->graph, NODES, &t->relation);
  if (status != GEODISK_OK)
    return cli_failed(p->context, status);
  t->edges = geodisk_graph_edges(t->graph);
  geodisk_graph_children(t->graph, t->from);
  memcpy(t->to, geodisk_graph_out(t->graph).nodes, t->edges * sizeof t->to[0]);
  for (uint32_t u = 0; u < NODES; u++)
    for (uint32_t m = 0; m < NODES; m++)
      if (m != u && !geodisk_graph_has_edge(t->graph, u, m))
        t->others[u][t->n_others[u]++] = m;
  return EXIT_OK;
}

static int write_results(const tree_jobs *jobs, paper_buffer *out) {
  const paper_sheet sheet = {&out[0], &out[1], (uint64_t)jobs->p->seed, MEASURES};
  for (size_t k = 0; k < RULES * jobs->n_rates; k++)
    for (int stage = 0; stage < STAGES; stage++) {
      char keys[96], rate[GEODISK_NUMBER_BYTES];
      const double *values = place_of(jobs, k * jobs->seeds, stage);
      for (size_t s = 0; s < jobs->seeds; s++)
        if (!isfinite(values[s * MEASURES + LOSS]))
          return cli_error("the tree: rate %g by the %s update gives numbers that are not finite", jobs->rates[k % jobs->n_rates],
                           paper_tree_rules[k / jobs->n_rates]);
      snprintf(keys, sizeof keys, "%s\t%s\t%llu", paper_tree_rules[k / jobs->n_rates],
               shortest_double(jobs->rates[k % jobs->n_rates], rate), (unsigned long long)stage_of(jobs->p, stage));
      paper_add_runs(&sheet, keys, jobs->seeds, values);
    }
  return EXIT_OK;
}

static int run_shape(paper *p, geodisk_shape shape, paper_buffer *out) {
  tree t;
  tree_jobs jobs = {.p = p, .tree = &t, .seeds = seeds_of(p)};
  jobs.n_rates = rates_of(p, &jobs.rates);
  const size_t count = RULES * jobs.n_rates * jobs.seeds;
  int code = tree_open(p, shape, &t);
  jobs.values = geodisk_allocate_zero(count * STAGES * MEASURES, sizeof *jobs.values);
  if (code == EXIT_OK && jobs.values == NULL)
    code = cli_error("not enough memory");
  if (code == EXIT_OK)
    code = paper_jobs(p, count, tree_job, &jobs, 0, 1);
  if (code == EXIT_OK)
    code = write_results(&jobs, out);
  tree_close(&t);
  free(jobs.values);
  return code;
}

static int run_undirected(paper *p, paper_buffer *out) { return run_shape(p, GEODISK_SHAPE_UNDIRECTED, out); }
static int run_closure(paper *p, paper_buffer *out) { return run_shape(p, GEODISK_SHAPE_CLOSED, out); }

/* ---- gensim: it draws negatives, here as many as every node of the closure has --------------------------------------- */

enum { GENSIM_NEGATIVES = 57 };

static void gensim_settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "gensim on the binary tree of 63 nodes, dim 2, %d negatives, epochs with about %llu edges in all, batches of 10, %zu "
           "seeds from %lld on",
           GENSIM_NEGATIVES, (unsigned long long)iterations_of(p), paper_gensim_seeds(p), (long long)p->seed);
}

static bool judge_gensim(void *user, size_t seed, const geodisk_eval_points *points, double *values) {
  (void)seed;
  values[LOSS] = (double)NAN;
  return judge(user, points, values);
}

static int run_gensim(paper *p, geodisk_shape shape, paper_buffer *out) {
  tree t;
  const paper_sheet sheet = {&out[0], &out[1], (uint64_t)p->seed, MEASURES};
  char iterations[32];
  int code = tree_open(p, shape, &t);
  const geodisk_graph *const graphs[PAPER_GENSIM_SEEDS] = {t.graph, t.graph, t.graph, t.graph, t.graph};
  snprintf(iterations, sizeof iterations, "\t%llu", (unsigned long long)iterations_of(p));
  if (code == EXIT_OK) {
    const paper_gensim_plan plan = {.dim = DIM,
                                    .negatives = GENSIM_NEGATIVES,
                                    .epochs = (iterations_of(p) + t.edges / 2) / t.edges,
                                    .first_seed = (uint64_t)p->seed,
                                    .rates = paper_gensim_rates,
                                    .n_rates = sizeof paper_gensim_rates / sizeof paper_gensim_rates[0],
                                    .seeds = paper_gensim_seeds(p),
                                    .more_keys = iterations,
                                    .graphs = graphs,
                                    .measures = MEASURES,
                                    .judge = judge_gensim,
                                    .user = &t};
    code = paper_gensim_run(p, &plan, &sheet);
  }
  tree_close(&t);
  return code;
}

static int run_gensim_undirected(paper *p, paper_buffer *out) {
  return p->quick ? PAPER_LEFT_OUT : run_gensim(p, GEODISK_SHAPE_UNDIRECTED, out);
}
static int run_gensim_closure(paper *p, paper_buffer *out) {
  return p->quick ? PAPER_LEFT_OUT : run_gensim(p, GEODISK_SHAPE_CLOSED, out);
}

#define COLUMNS                                                                                                                  \
  "update\trate\titerations\tloss\tloss_error\texact\texact_error\ttau\ttau_error\ttau_closure\ttau_closure_error\tseeds"
#define SEEDS "update\trate\titerations\tseed\tloss\texact\ttau\ttau_closure"
const paper_part paper_tree_parts[PAPER_TREE_PARTS] = {
    {{"tree-undirected", "tree-undirected-seeds"}, {COLUMNS, SEEDS}, settings, run_undirected, 0.3, 60},
    {{"tree-closure", "tree-closure-seeds"}, {COLUMNS, SEEDS}, settings, run_closure, 0.3, 60},
    {{"gensim-tree-undirected", "gensim-tree-undirected-seeds"}, {COLUMNS, SEEDS}, gensim_settings, run_gensim_undirected, 0, 60},
    {{"gensim-tree-closure", "gensim-tree-closure-seeds"}, {COLUMNS, SEEDS}, gensim_settings, run_gensim_closure, 0, 60},
};

const paper_experiment paper_tree = {
    "tree", "Artificial data", paper_tree_parts, PAPER_TREE_PARTS, paper_tree_figures, PAPER_TREE_FIGURES, paper_tree_report,
    NULL};

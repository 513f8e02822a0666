/* paper_tree.c - the paper's artificial data: a complete binary tree of depth 5, undirected and as directed closure, embedded in
 * the disk by stochastic descent on the paper's exact loss (paper_descent.c). Each step takes one edge u -> v, drawn uniformly,
 * and all nodes that u has no edge to, u itself included. */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 63, DIM = 2, RULES = 3, MOST_RATES = 8, LAST = 100, MOST_EDGES = 258, SHAPES = 2 };

static const char *const rules[RULES] = {"geodesic", "natural", "euclidean"};
static const double all_rates[MOST_RATES] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2}, quick_rates[] = {0.1, 1, 2};

static size_t seeds_of(const paper *p) { return p->quick ? 2 : 10; }
static uint64_t iterations_of(const paper *p) { return p->quick ? 300 : 50000; }
static size_t rates_of(const paper *p, const double **rates) {
  *rates = p->quick ? quick_rates : all_rates;
  return p->quick ? sizeof quick_rates / sizeof quick_rates[0] : MOST_RATES;
}

static void settings(const paper *p, char text[PAPER_SETTINGS]) {
  const double *rates;
  snprintf(text, PAPER_SETTINGS,
           "binary tree of 63 nodes, dim 2, the paper's loss with all negatives, edges drawn uniformly, margin 1e-10, start "
           "uniform in "
           "+-0.001, %llu iterations, %zu rates, %zu seeds",
           (unsigned long long)iterations_of(p), rates_of(p, &rates), seeds_of(p));
}

typedef struct tree {
  geodisk_graph *graph;
  geodisk_relation *relation;
  size_t edges;
  uint32_t from[MOST_EDGES], to[MOST_EDGES];
  uint32_t others[NODES][NODES]; /* for each u the nodes it has no edge to */
  size_t n_others[NODES];
} tree;

typedef struct tree_result {
  double last, exact, tau; /* mean loss of the last iterations; of all edges at the end; Kendall's tau */
  bool fine;
} tree_result;

typedef struct tree_jobs {
  const tree *tree;
  uint64_t iterations;
  const double *rates;
  size_t n_rates, seeds;
  tree_result *results; /* RULES x rates x seeds */
} tree_jobs;

static void tree_job(void *arg, size_t index) {
  const tree_jobs *jobs = arg;
  const uint64_t seed = index % jobs->seeds;
  const size_t rate = index / jobs->seeds % jobs->n_rates, rule = index / jobs->seeds / jobs->n_rates;
  geodisk_random draw = geodisk_random_stream(seed, 1);
  tree_result *out = &jobs->results[index];
  paper_points at;
  *out = (tree_result){0};
  if (!paper_points_start(&at, NODES, DIM, seed))
    return;
  for (uint64_t t = 0; t < jobs->iterations; t++) {
    const size_t edge = geodisk_random_below(&draw, jobs->tree->edges);
    const uint32_t u = jobs->tree->from[edge];
    const paper_step step = {(geodisk_update)rule,  jobs->rates[rate],       u,   jobs->tree->to[edge],
                             jobs->tree->others[u], jobs->tree->n_others[u], true};
    const double loss = paper_edge_step(&at, &step);
    out->last += t + LAST >= jobs->iterations ? loss / LAST : 0;
  }
  const geodisk_eval_points embedded = {.nodes = NODES, .ball = at.ball, .vectors = at.x, .gap = at.gap};
  const geodisk_ranking_options ranking = {.loss = true};
  geodisk_ranking ranks;
  geodisk_fit fit;
  out->fine = isfinite(out->last) &&
              geodisk_eval_ranking(NULL, &embedded, jobs->tree->relation, NULL, &ranking, NULL, &ranks) == GEODISK_OK &&
              geodisk_eval_fit(NULL, &embedded, jobs->tree->relation, NULL, &fit) == GEODISK_OK;
  if (out->fine) {
    out->exact = ranks.loss_complement.value;
    out->tau = fit.kendall_tau.value;
  }
  paper_points_end(&at);
}

static void write_results(const tree_jobs *jobs, paper_buffer *out) {
  const size_t n = jobs->seeds;
  double last[16], exact[16], tau[16];
  for (size_t k = 0; k < RULES * jobs->n_rates; k++) {
    for (size_t i = 0; i < n; i++) {
      last[i] = jobs->results[k * n + i].last;
      exact[i] = jobs->results[k * n + i].exact;
      tau[i] = jobs->results[k * n + i].tau;
    }
    const paper_mean a = paper_mean_of(n, last), b = paper_mean_of(n, exact), c = paper_mean_of(n, tau);
    paper_cell(out, rules[k / jobs->n_rates]);
    paper_numbers(out, 8,
                  (const double[]){jobs->rates[k % jobs->n_rates], a.mean, a.error, b.mean, b.error, c.mean, c.error, (double)n});
    paper_end_row(out);
  }
}

static int run_shape(paper *p, geodisk_shape shape, paper_buffer *out) {
  tree t = {0};
  tree_jobs jobs = {.tree = &t, .iterations = iterations_of(p), .seeds = seeds_of(p)};
  const geodisk_generate_options generate = {.kind = GEODISK_TREE, .shape = shape, .branching = 2, .depth = 5};
  jobs.n_rates = rates_of(p, &jobs.rates);
  const size_t count = RULES * jobs.n_rates * jobs.seeds;
  jobs.results = geodisk_allocate_zero(count, sizeof *jobs.results);
  geodisk_status status = jobs.results == NULL ? GEODISK_ERROR_MEMORY : geodisk_graph_generate(p->context, &generate, &t.graph);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(p->context, t.graph, NODES, &t.relation);
  int code = status == GEODISK_OK ? EXIT_OK : cli_failed(p->context, status);
  if (code == EXIT_OK) {
    t.edges = geodisk_graph_edges(t.graph);
    geodisk_graph_children(t.graph, t.from);
    memcpy(t.to, geodisk_graph_out(t.graph).nodes, t.edges * sizeof t.to[0]);
    for (uint32_t u = 0; u < NODES; u++)
      for (uint32_t m = 0; m < NODES; m++)
        if (m != u && !geodisk_graph_has_edge(t.graph, u, m))
          t.others[u][t.n_others[u]++] = m;
    code = paper_jobs(p, count, tree_job, &jobs, 0, 1);
  }
  for (size_t i = 0; code == EXIT_OK && i < count; i++)
    if (!jobs.results[i].fine)
      code = cli_error("the tree: rate %g by the %s update gives numbers that are not finite",
                       jobs.rates[i / jobs.seeds % jobs.n_rates], rules[i / jobs.seeds / jobs.n_rates]);
  if (code == EXIT_OK)
    write_results(&jobs, out);
  geodisk_relation_destroy(t.relation);
  geodisk_graph_destroy(t.graph);
  free(jobs.results);
  return code;
}

static int run_undirected(paper *p, paper_buffer *out) { return run_shape(p, GEODISK_UNDIRECTED, out); }
static int run_closure(paper *p, paper_buffer *out) { return run_shape(p, GEODISK_CLOSED, out); }

#define COLUMNS "update\trate\tloss\tloss_error\texact\texact_error\ttau\ttau_error\tseeds"
static const paper_part parts[SHAPES] = {
    {{"tree-undirected"}, {COLUMNS}, settings, run_undirected, 0.1, 50},
    {{"tree-closure"}, {COLUMNS}, settings, run_closure, 0.1, 50},
};

static const paper_figure figures[] = {
    {"tree", 1300, 900, "tree-closure",
     "set multiplot layout 2,2 margins 0.06,0.985,0.07,0.95 spacing 0.07,0.12\n"
     "set logscale x\nset xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2)\nset xlabel 'learning rate'\nset xrange [0.008:2.5]\n"
     "do for [i=1:4] {\n"
     "  file = i == 1 || i == 3 ? 'tree-undirected.tsv' : 'tree-closure.tsv'\n"
     "  set title (i < 3 ? 'loss, ' : 'Kendall τ, ') . (i == 1 || i == 3 ? 'undirected tree' : 'directed closure of the tree')\n"
     "  set ylabel i < 3 ? 'mean loss of the last 100 iterations (nats)' : 'Kendall τ of distances'\n"
     "  c = i < 3 ? 'loss' : 'tau'\n"
     "  if (i < 3) { set logscale y; set yrange [1:100]; set ytics (1, 2, 5, 10, 20, 50, 100) } else { unset logscale y; set "
     "yrange [-0.1:1]; set ytics auto }\n"
     "  if (i == 1) { set key top left Left reverse opaque } else { set key off }\n"
     "  plot file using (pick('euclidean', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 3 title 'Euclidean', "
     "\\\n"
     "    '' using (pick('natural', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 2 title 'natural', \\\n"
     "    '' using (pick('geodesic', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 1 title 'geodesic'\n"
     "}\n"
     "unset multiplot\n"},
};

static void report_shape(paper *p, paper_report *r, int shape, const char *name) {
  paper_data d;
  const double *rates;
  const size_t n = rates_of(p, &rates);
  if (!paper_open(p, &parts[shape], parts[shape].tables[0], &d))
    return;
  paper_table_begin(r, "graph\trate\tloss geodesic\tloss natural\tloss Euclidean\tτ geodesic\tτ natural\tτ Euclidean");
  double worst[2] = {(double)INFINITY, (double)INFINITY}, best[2] = {-1, -1}, high[2] = {0, 0};
  for (size_t i = 0; i < n; i++) {
    char q[GEODISK_NUMBER_BYTES];
    double loss[RULES], loss_error[RULES], tau[RULES], tau_error[RULES];
    shortest_double(rates[i], q);
    for (int k = 0; k < RULES; k++) {
      loss[k] = paper_lookup(&d, "loss", "%s\t%s", rules[k], q);
      loss_error[k] = paper_lookup(&d, "loss_error", "%s\t%s", rules[k], q);
      tau[k] = paper_lookup(&d, "tau", "%s\t%s", rules[k], q);
      tau_error[k] = paper_lookup(&d, "tau_error", "%s\t%s", rules[k], q);
      if (k < 2) {
        best[k] = fmax(best[k], tau[k]);
        worst[k] = rates[i] >= 0.5 ? fmin(worst[k], tau[k]) : worst[k];
        high[k] = loss[k];
      }
    }
    paper_table_row(r, "%s\t%s\t%.3f ± %.3f\t%.3f ± %.3f\t%.3f ± %.3f\t%.3f ± %.3f\t%.3f ± %.3f\t%.3f ± %.3f", name, q, loss[0],
                    loss_error[0], loss[1], loss_error[1], loss[2], loss_error[2], tau[0], tau_error[0], tau[1], tau_error[1],
                    tau[2], tau_error[2]);
  }
  paper_table_end(r);
  char claim[160];
  snprintf(claim, sizeof claim,
           "Embedding the %s: the geodesic update is stable at high learning rates, the natural update is not", name);
  const bool better = worst[0] > worst[1] && high[0]<high[1], stable = worst[0]> 0.75 * best[0];
  paper_claim(r,
              better && stable   ? PAPER_REPRODUCED
              : better || stable ? PAPER_PARTLY
                                 : PAPER_NOT,
              claim,
              "Best τ over all rates: geodesic %.3f, natural %.3f. Least τ at rates 0.5 to 2: geodesic %.3f, natural %.3f. Loss "
              "at rate 2: "
              "geodesic %.2f, natural %.2f. (Reproduced means: geodesic better in both, and its τ stays above 3/4 of its best.)",
              best[0], best[1], worst[0], worst[1], high[0], high[1]);
  paper_close(&d);
}

static void report(paper *p, paper_report *r) {
  paper_data d;
  const bool there = paper_open(p, &parts[0], parts[0].tables[0], &d);
  paper_close(&d);
  if (!there)
    return;
  paper_heading(r, "Artificial data: a binary tree");
  paper_text(r,
             "A complete binary tree of 63 nodes in the disk. The loss is the paper's, exact: its denominator sums over all "
             "nodes without an "
             "edge from u, and u itself. The paper does not say how many iterations; here %llu, one edge each. Means and "
             "standard errors over "
             "%zu seeds. τ is Kendall's τ-b between all distances in the tree and in the disk.",
             (unsigned long long)iterations_of(p), seeds_of(p));
  paper_show(r, "tree",
             "Loss (mean of the last 100 iterations) and Kendall's τ against the learning rate; bars are standard errors.");
  report_shape(p, r, 0, "undirected tree");
  report_shape(p, r, 1, "closure of the tree");
}

const paper_experiment paper_tree = {"tree", "Artificial data", parts, SHAPES, figures, 1, report, NULL};

/* paper_beyond.c - what the paper does not have: learning rates to 100 with quartiles over seeds, by the library's trainer; and
 * accelerated and variance-reduced descent, its "future work", to the barycenter and (paper_methods.c) for embeddings. */
#include "paper_methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIM = 5, MOST_RATES = 13, PLANE = 2 };

static const char *const rules[] = {"geodesic", "natural"};
static const double all_rates[MOST_RATES] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100};
static const double quick_rates[] = {0.1, 1, 100};

static size_t seeds_of(const paper *p) { return paper_seeds(p, 5, 20); }
static uint64_t epochs_of(const paper *p) { return p->epochs > 0 ? (uint64_t)p->epochs : p->quick ? 4 : 20; }
static size_t rates_of(const paper *p, const double **rates) {
  *rates = p->quick ? quick_rates : all_rates;
  return p->quick ? sizeof quick_rates / sizeof quick_rates[0] : MOST_RATES;
}

static void rate_settings(const paper *p, char text[PAPER_SETTINGS]) {
  const double *rates;
  snprintf(text, PAPER_SETTINGS,
           "WordNet below %s, by the trainer, recipe paper, dim 5, %llu epochs, %zu rates to 100, quartiles over %zu seeds from "
           "%lld on",
           paper_root(p), (unsigned long long)epochs_of(p), rates_of(p, &rates), seeds_of(p), (long long)p->seed);
}

static void train_job(void *arg, size_t index) { paper_train((paper_training *)arg + index); }

/* Quartiles of tau under both readings, mean rank and MAP of the trainings at one rate; and every single one. */
static void write_quartiles(const paper *p, const char *name, const paper_training *runs, size_t n, paper_buffer *out) {
  enum { MEASURES = 4 };
  double values[MEASURES][PAPER_MOST_SEEDS], by_seed[PAPER_MOST_SEEDS * MEASURES];
  char keys[64], rate[GEODISK_NUMBER_BYTES];
  paper_buffer summary = {0};
  const paper_sheet sheet = {&summary, &out[1], (uint64_t)p->seed, MEASURES};
  snprintf(keys, sizeof keys, "%s\t%s", name, shortest_double(runs->rate, rate));
  for (size_t i = 0; i < n; i++) {
    const paper_quality *q = &runs[i].quality;
    const double all[MEASURES] = {q->tau, q->tau_closure, q->mean_rank, q->map};
    for (size_t k = 0; k < MEASURES; k++)
      values[k][i] = by_seed[i * MEASURES + k] = all[k];
  }
  paper_add_runs(&sheet, keys, n, by_seed);
  free(summary.text);
  paper_cell(&out[0], keys);
  for (int k = 0; k < MEASURES; k++)
    for (int q = 1; q <= 3; q++)
      paper_number(&out[0], paper_quantile(n, values[k], q / 4.0));
  paper_number(&out[0], (double)n);
  paper_end_row(&out[0]);
}

static int run_rates(paper *p, paper_buffer *out) {
  const double *rates;
  const size_t n_rates = rates_of(p, &rates), seeds = seeds_of(p), count = 2 * n_rates * seeds;
  paper_mammals_data mammals;
  int code = paper_mammals_open(p, &mammals);
  paper_training *all = geodisk_allocate_zero(count, sizeof *all);
  if (code == EXIT_OK && all == NULL)
    code = cli_error("not enough memory");
  for (size_t i = 0; code == EXIT_OK && all != NULL && i < count; i++)
    all[i] = (paper_training){.update = i / seeds / n_rates == 0 ? GEODISK_UPDATE_GEODESIC : GEODISK_UPDATE_NATURAL,
                              .rate = rates[i / seeds % n_rates],
                              .dim = DIM,
                              .epochs = epochs_of(p),
                              .seed = (uint64_t)p->seed + i % seeds,
                              .graph = mammals.graph,
                              .positives = mammals.relation,
                              .distances = &mammals.distances};
  if (code == EXIT_OK)
    code = paper_jobs(p, count, train_job, all, 0, 1);
  for (size_t i = 0; code == EXIT_OK && all != NULL && i < count; i++)
    if (all[i].status != GEODISK_OK)
      code = cli_error("the mammals at rate %g: %s", all[i].rate, geodisk_status_text(all[i].status));
  for (size_t k = 0; code == EXIT_OK && all != NULL && k < 2 * n_rates; k++)
    write_quartiles(p, rules[k / n_rates], &all[k * seeds], seeds, out);
  paper_mammals_close(&mammals);
  free(all);
  return code;
}

/* ---- other methods of descent ---------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  geodisk_method method;
  double visits; /* gradients of single terms a step: RSVRG takes the full gradient every 4 steps, and two terms a step */
} methods[] = {
    {"gradient", GEODISK_METHOD_GRADIENT, 2},        {"momentum", GEODISK_METHOD_MOMENTUM, 2},
    {"accelerated", GEODISK_METHOD_ACCELERATED, 2},  {"stochastic", GEODISK_METHOD_STOCHASTIC, 1},
    {"variance-reduced", GEODISK_METHOD_RSVRG, 2.5},
};
enum { N_METHODS = sizeof methods / sizeof methods[0], VISITS = 300 };

static void method_settings(const paper *p, char text[PAPER_SETTINGS]) {
  (void)p;
  snprintf(text, PAPER_SETTINGS,
           "half the mean squared distance to (0,0) and (1-1e-8,0), rate 0.1, from (0.0005,0.0003), %d gradients, seed 0",
           VISITS);
}

typedef struct method_run {
  int method;
  double least;
  paper_buffer *out;
} method_run;

static bool on_iteration(void *user, const geodisk_iteration *i) {
  const method_run *run = user;
  paper_cell(run->out, methods[run->method].name);
  paper_numbers(
      run->out, 2,
      (const double[]){methods[run->method].visits * (double)i->iteration, fmax(i->loss - run->least, 1e-14 * run->least)});
  paper_end_row(run->out);
  return true;
}

static int run_methods(paper *p, paper_buffer *out) {
  const geodisk_ball ball = geodisk_unit_ball(PLANE);
  const size_t pairs[4] = {2, 0, 2, 1};
  const double weights[2] = {0.25, 0.25};
  const bool fixed[3] = {true, true, false};
  geodisk_objective *objective = NULL;
  geodisk_status status =
      geodisk_objective_squared(p->context, &(geodisk_objective_rows){3, 2, pairs, fixed}, weights, &objective);
  for (int k = 0; status == GEODISK_OK && k < N_METHODS; k++) {
    double x[3][PLANE] = {{0, 0}, {1 - 1e-8, 0}, {0.0005, 0.0003}};
    const double half = geodisk_distance(&ball, x[0], x[1]) / 2;
    method_run run = {k, half * half / 2, out};
    geodisk_optim_options options = geodisk_optim_defaults(methods[k].method);
    options.context = p->context;
    options.schedule = geodisk_schedule_constant(0.1);
    options.iterations = (uint64_t)(VISITS / methods[k].visits);
    options.tolerance = 1e-12;
    options.evaluate_every = 1;
    if (methods[k].visits == 2)
      options.batch = 0;
    options.momentum = 0.5;
    options.inner = 4;
    options.on_iteration = on_iteration;
    options.user = &run;
    status = geodisk_minimise(&ball, objective, &options, x[0], NULL, NULL);
  }
  geodisk_objective_destroy(objective);
  return status == GEODISK_OK ? EXIT_OK : cli_failed(p->context, status);
}

#define COLUMNS                                                                                                                  \
  "update\trate\ttau_1\ttau_2\ttau_3\ttau_closure_1\ttau_closure_2\ttau_closure_3\trank_1\trank_2\trank_3\tmap_1\tmap_2\tmap_"   \
  "3\tseeds"
#define EMBEDDINGS(graph, quick, full)                                                                                           \
  {                                                                                                                              \
    {"embeddings-" #graph, "embeddings-" #graph "-seeds"}, {PAPER_METHODS_COLUMNS, PAPER_METHODS_SEEDS},                         \
        paper_methods_##graph##_settings, paper_methods_##graph##_run, quick, full                                               \
  }
enum { RATES, METHODS, TREE, CLOSURE, MAMMALS, PARTS };
static const paper_part parts[PARTS] = {
    [RATES] = {{"beyond-rates", "beyond-rates-seeds"},
               {COLUMNS, "update\trate\tseed\ttau\ttau_closure\tmean_rank\tmap"},
               rate_settings,
               run_rates,
               0.5,
               60},
    [METHODS] = {{"beyond-methods"}, {"method\tgradients\texcess"}, method_settings, run_methods, 0.1, 0.1},
    [TREE] = EMBEDDINGS(tree, 0.3, 160),
    [CLOSURE] = EMBEDDINGS(closure, 0.3, 80),
    [MAMMALS] = EMBEDDINGS(mammals, 1.5, 340),
};

static const paper_figure figures[] = {
    {"beyond-rates", 1800, 480, "beyond-rates",
     "set multiplot layout 1,4 margins 0.04,0.99,0.12,0.92 spacing 0.045\n"
     "set logscale x\nset format x '%g'\nset xlabel 'learning rate'\nset xrange [0.008:130]\nset key top right\n"
     "do for [c in 'tau_closure tau rank map'] {\n"
     "  set title (c eq 'tau' ? 'Kendall τ, distances in the hierarchy' : c eq 'tau_closure' ? 'Kendall τ, distances in the "
     "closure' : c eq 'map' ? 'MAP of reconstruction' : 'mean rank of reconstruction')\n"
     "  if (c eq 'rank') { set logscale y } else { unset logscale y }\n"
     "  plot 'beyond-rates.tsv' using (pick('natural', 'rate')):(column(c . '_2')):(column(c . '_1')):(column(c . '_3')) with "
     "yerrorlines ls 2 title 'natural', \\\n"
     "    '' using (pick('geodesic', 'rate')):(column(c . '_2')):(column(c . '_1')):(column(c . '_3')) with yerrorlines ls 1 "
     "title 'geodesic'\n"
     "  set key off\n"
     "}\n"
     "unset multiplot\n"},
    {"beyond-methods", 900, 560, "beyond-methods",
     "set logscale y\nset format y '10^{%L}'\nset xlabel 'gradients of single squared distances'\nset ylabel 'loss above the "
     "least'\n"
     "set key bottom left Left reverse opaque\n"
     "m = 'stochastic gradient momentum variance-reduced accelerated'\n"
     "s(k) = int(word('5 3 6 4 1', k))\n"
     "plot for [k=1:5] 'beyond-methods.tsv' using (pick(word(m, k), 'gradients')):'excess' with lines ls s(k) title word(m, "
     "k)\n"},
};

/* Where training breaks: from one rate to the next the median τ falls to the least share of what it was, or the mean rank rises
 * by the most places. */
typedef struct sharpest {
  double rate, before, after;
} sharpest;

static sharpest breaks_at(const paper_data *d, const char *name, bool by_rank) {
  sharpest found = {(double)NAN, 1, 1};
  double before = (double)NAN;
  for (size_t i = 0; i < d->rows; i++) {
    if (!paper_row_is(d, i, name))
      continue;
    const double value = paper_value(d, i, by_rank ? "rank_2" : "tau_2");
    if (by_rank ? value - before > found.after - found.before : value / before < found.after / found.before)
      found = (sharpest){paper_value(d, i, "rate"), before, value};
    before = value;
  }
  return found;
}

static void say_breaks(paper_report *r, const paper_data *d, const char *name, const char *what) {
  const sharpest tau = breaks_at(d, name, false), rank = breaks_at(d, name, true);
  char texts[2][80] = {"never falls", "never rises"};
  if (isfinite(tau.rate))
    snprintf(texts[0], sizeof texts[0], "falls most at %g, from %.3f to %.3f", tau.rate, tau.before, tau.after);
  if (isfinite(rank.rate))
    snprintf(texts[1], sizeof texts[1], "rises most at %g, from %.0f to %.0f", rank.rate, rank.before, rank.after);
  paper_text(r, "%s: from one rate to the next the median τ %s, and the mean rank %s.", what, texts[0], texts[1]);
}

/* "median (first to third quartile)", after a tab. */
static void add_quartiles(paper_buffer *row, const paper_data *d, size_t i, const char *name, int digits) {
  double q[3];
  for (int k = 0; k < 3; k++) {
    char column[40];
    snprintf(column, sizeof column, "%s_%d", name, k + 1);
    q[k] = paper_value(d, i, column);
  }
  paper_append(row, "\t%.*f (%.*f to %.*f)", digits, q[1], digits, q[0], digits, q[2]);
}

static void report_rates(paper *p, paper_report *r) {
  paper_data d;
  if (!paper_open(p, &parts[RATES], "beyond-rates", &d))
    return;
  paper_text(r,
             "Learning rates to 100 on WordNet's mammals in dim 5, by the library's trainer with the paper's settings. Where "
             "does each update break? Medians and quartiles over %.0f seeds.",
             paper_value(&d, 0, "seeds"));
  paper_show(r, "beyond-rates", "Learning rates to 100: medians, bars from the first to the third quartile.");
  paper_table_begin(r, "update\trate\tτ in the closure\tτ in the hierarchy\tmean rank\tMAP");
  for (size_t i = 0; i < d.rows; i++) {
    paper_buffer row = {0};
    paper_append(&row, "%s\t%s", paper_at(&d, i, "update"), paper_at(&d, i, "rate"));
    add_quartiles(&row, &d, i, "tau_closure", 3);
    add_quartiles(&row, &d, i, "tau", 3);
    add_quartiles(&row, &d, i, "rank", 1);
    add_quartiles(&row, &d, i, "map", 3);
    paper_table_row(r, "%s", row.text != NULL ? row.text : "");
    free(row.text);
  }
  paper_table_end(r);
  if (paper_value(&d, 0, "seeds") >= 5) {
    say_breaks(r, &d, "geodesic", "Geodesic");
    say_breaks(r, &d, "natural", "Natural");
    paper_text(r,
               "(To break is to fall, or rise, most from one rate to the next; that reading was chosen when numbers were seen.)");
  }
  paper_close(&d);
}

static void report_methods(paper *p, paper_report *r) {
  paper_data d;
  if (!paper_open(p, &parts[METHODS], "beyond-methods", &d))
    return;
  paper_show(r, "beyond-methods", "Five methods of descent on the paper's barycenter problem, rate 0.1 (momentum 0.5).");
  paper_table_begin(r, "method\tgradients until the loss is within 1e-6 of the least");
  for (int k = 0; k < N_METHODS; k++) {
    double reached = 0; /* from here on it stays below */
    for (size_t i = 0; i < d.rows; i++)
      if (paper_row_is(&d, i, methods[k].name))
        reached = paper_value(&d, i, "excess") > 1e-6 ? (double)INFINITY
                  : isfinite(reached)                 ? reached
                                                      : paper_value(&d, i, "gradients");
    if (isfinite(reached))
      paper_table_row(r, "%s\t%.0f", methods[k].name, reached);
    else
      paper_table_row(r, "%s\tnot within %d", methods[k].name, VISITS);
  }
  paper_table_end(r);
  paper_close(&d);
}

static void report(paper *p, paper_report *r) {
  paper_data d;
  const bool there = paper_open(p, &parts[METHODS], "beyond-methods", &d);
  paper_close(&d);
  if (!there)
    return;
  paper_heading(r, "Beyond the paper");
  report_rates(p, r);
  report_methods(p, r);
  paper_methods_report(p, &parts[TREE], r);
}

const paper_experiment paper_beyond = {"beyond", "Beyond the paper", parts, PARTS, figures, 2, report, NULL};

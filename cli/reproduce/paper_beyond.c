/* paper_beyond.c - what the paper does not have: learning rates to 100 with quartiles over seeds, for geodesic, natural and
 * asynchronous training; accelerated and variance-reduced descent to the barycenter, its "future work". */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 5, MOST_RATES = 13, MOST_SEEDS = 10, PLANE = 2 };

static const double all_rates[MOST_RATES] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100};
static const double quick_rates[] = {0.1, 1, 100};

static size_t seeds_of(const paper *p) { return p->quick ? 2 : MOST_SEEDS; }
static uint64_t epochs_of(const paper *p) { return p->quick ? 4 : 20; }
static size_t rates_of(const paper *p, const double **rates) {
  *rates = p->quick ? quick_rates : all_rates;
  return p->quick ? sizeof quick_rates / sizeof quick_rates[0] : MOST_RATES;
}

static void rate_settings(const paper *p, char text[PAPER_SETTINGS]) {
  const double *rates;
  snprintf(text, PAPER_SETTINGS,
           "WordNet below %s, dim 5, 10 uniform negatives, constant rate, margin 1e-10, start uniform in +-0.001, %llu epochs, "
           "%zu rates to 100, quartiles of tau, mean rank and MAP over %zu seeds",
           paper_root(p), (unsigned long long)epochs_of(p), rates_of(p, &rates), seeds_of(p));
}

static void train_job(void *arg, size_t index) { paper_train((paper_training *)arg + index); }

/* Quartiles of tau, mean rank and MAP of the trainings at one rate. */
static void write_quartiles(const char *name, const paper_training *runs, size_t n, paper_buffer *out) {
  double values[3][MOST_SEEDS];
  paper_cell(out, name);
  paper_number(out, runs->rate);
  for (size_t i = 0; i < n; i++) {
    values[0][i] = runs[i].quality.tau;
    values[1][i] = runs[i].quality.mean_rank;
    values[2][i] = runs[i].quality.map;
  }
  for (int k = 0; k < 3; k++)
    for (int q = 1; q <= 3; q++)
      paper_number(out, paper_quantile(n, values[k], q / 4.0));
  paper_number(out, (double)n);
  paper_end_row(out);
}

static int run_rates(paper *p, bool async, paper_buffer *out) {
  const double *rates;
  const size_t n_rates = rates_of(p, &rates), seeds = seeds_of(p), rules = async ? 1 : 2, count = rules * n_rates * seeds;
  paper_mammals_data mammals;
  int code = paper_mammals_open(p, &mammals);
  paper_training *all = geodisk_allocate_zero(count, sizeof *all);
  if (code == EXIT_OK && all == NULL) {
    cli_error("not enough memory");
    code = EXIT_FAILED;
  }
  for (size_t i = 0; code == EXIT_OK && i < count; i++)
    all[i] = (paper_training){.update = i / seeds / n_rates == 0 ? GEODISK_UPDATE_GEODESIC : GEODISK_UPDATE_NATURAL,
                              .rate = rates[i / seeds % n_rates],
                              .dim = DIM,
                              .epochs = epochs_of(p),
                              .seed = i % seeds,
                              .async = async,
                              .threads = async ? geodisk_context_threads(p->context) : 1,
                              .graph = mammals.graph,
                              .positives = mammals.relation,
                              .fit = mammals.relation};
  if (code == EXIT_OK && !async)
    code = paper_jobs(p, count, train_job, all, 0, 1);
  for (size_t i = 0; code == EXIT_OK && async && i < count; i++) {
    paper_train(&all[i]);
    if (!paper_progress(p, (double)i / (double)count))
      code = cli_failed(p->context, GEODISK_ERROR_STOPPED);
  }
  for (size_t i = 0; code == EXIT_OK && i < count; i++)
    if (all[i].status != GEODISK_OK)
      code = cli_error("the mammals at rate %g: %s", all[i].rate, geodisk_status_text(all[i].status));
  for (size_t i = 0; code == EXIT_OK && i < count; i += seeds)
    write_quartiles(async                                      ? "asynchronous"
                    : all[i].update == GEODISK_UPDATE_GEODESIC ? "geodesic"
                                                               : "natural",
                    &all[i], seeds, out);
  paper_mammals_close(&mammals);
  free(all);
  return code;
}

static int run_both(paper *p, paper_buffer *out) { return run_rates(p, false, out); }
static int run_async(paper *p, paper_buffer *out) { return run_rates(p, true, out); }

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
  geodisk_status status = geodisk_objective_squared(p->context, 3, 2, pairs, weights, fixed, &objective);
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

#define COLUMNS "update\trate\ttau_1\ttau_2\ttau_3\trank_1\trank_2\trank_3\tmap_1\tmap_2\tmap_3\tseeds"
static const paper_part parts[] = {
    {{"beyond-rates"}, {COLUMNS}, rate_settings, run_both, 0.5, 60},
    {{"varies-async"}, {COLUMNS}, rate_settings, run_async, 0.5, 30},
    {{"beyond-methods"}, {"method\tgradients\texcess"}, method_settings, run_methods, 0.1, 0.1},
};

static const paper_figure figures[] = {
    {"varies-rates", 1500, 500, "varies-async",
     "set multiplot layout 1,3 margins 0.045,0.99,0.12,0.92 spacing 0.055\n"
     "set logscale x\nset format x '%g'\nset xlabel 'learning rate'\nset xrange [0.008:130]\nset key top right\n"
     "do for [c in 'tau rank map'] {\n"
     "  set title (c eq 'tau' ? 'Kendall τ of distances' : c eq 'map' ? 'MAP of reconstruction' : 'mean rank of "
     "reconstruction')\n"
     "  if (c eq 'rank') { set logscale y; set yrange [5:300] } else { unset logscale y; set yrange [0:c eq 'tau' ? 0.5 : 0.7] "
     "}\n"
     "  plot 'beyond-rates.tsv' using (pick('natural', 'rate')):(column(c . '_2')):(column(c . '_1')):(column(c . '_3')) with "
     "yerrorlines ls 2 title 'natural', \\\n"
     "    'varies-async.tsv' using (1.06*pick('asynchronous', 'rate')):(column(c . '_2')):(column(c . '_1')):(column(c . '_3')) "
     "with yerrorlines ls 5 title 'geodesic, asynchronous', \\\n"
     "    'beyond-rates.tsv' using (pick('geodesic', 'rate')):(column(c . '_2')):(column(c . '_1')):(column(c . '_3')) with "
     "yerrorlines ls 1 title 'geodesic'\n"
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

static void add_rows(paper_report *r, const paper_data *d) {
  for (size_t i = 0; i < d->rows; i++)
    paper_table_row(r, "%s\t%s\t%.3f, %.3f, %.3f\t%.1f, %.1f, %.1f\t%.3f, %.3f, %.3f", paper_at(d, i, "update"),
                    paper_at(d, i, "rate"), paper_value(d, i, "tau_1"), paper_value(d, i, "tau_2"), paper_value(d, i, "tau_3"),
                    paper_value(d, i, "rank_1"), paper_value(d, i, "rank_2"), paper_value(d, i, "rank_3"),
                    paper_value(d, i, "map_1"), paper_value(d, i, "map_2"), paper_value(d, i, "map_3"));
}

static void report_methods(paper *p, paper_report *r) {
  paper_data d;
  if (!paper_open(p, &parts[2], "beyond-methods", &d))
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

#define QUARTILES "update\trate\tτ: quartiles\tmean rank: quartiles\tMAP: quartiles"

static void report(paper *p, paper_report *r) {
  paper_data d, methods_done;
  const bool rates = paper_open(p, &parts[0], "beyond-rates", &d);
  if (paper_open(p, &parts[2], "beyond-methods", &methods_done) || rates)
    paper_heading(r, "Beyond the paper");
  if (rates) {
    paper_text(
        r,
        "Learning rates to 100 on WordNet's mammals in dim 5, by the library's trainer with uniform negatives; the figure is in "
        "the last section, beside asynchronous training. Where does each break?");
    say_breaks(r, &d, "geodesic", "Geodesic");
    say_breaks(r, &d, "natural", "Natural");
    paper_table_begin(r, QUARTILES);
    add_rows(r, &d);
    paper_table_end(r);
  }
  paper_close(&d);
  paper_close(&methods_done);
  report_methods(p, r);
}

static void report_async(paper *p, paper_report *r) {
  paper_data async;
  if (paper_open(p, &parts[1], "varies-async", &async)) {
    paper_show(r, "varies-rates", "Learning rates to 100: medians, bars from the first to the third quartile.");
    say_breaks(r, &async, "asynchronous", "Asynchronous training, where threads race, geodesic");
    paper_table_begin(r, QUARTILES);
    add_rows(r, &async);
    paper_table_end(r);
  }
  paper_close(&async);
}

const paper_experiment paper_beyond = {"beyond", "Beyond the paper", parts, 3, figures, 2, report, report_async};

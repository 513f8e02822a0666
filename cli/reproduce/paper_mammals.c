/* paper_mammals.c - the paper's real data: the closure of WordNet below mammal, dim 2 and 5, 10 negatives; Kendall's tau, and the
 * tables of loss, reconstruction and link prediction that its source names but does not show. gensim beside it. */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES = 2, MOST_RATES = 8, DIMS = 2 };

static const char *const rules[RULES] = {"geodesic", "natural"};
static const double all_rates[MOST_RATES] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2}, quick_rates[] = {0.1, 2};

static size_t seeds_of(const paper *p) { return p->quick ? 2 : 5; }
static uint64_t epochs_of(const paper *p) { return p->quick ? 2 : 20; }
static size_t rates_of(const paper *p, const double **rates) {
  *rates = p->quick ? quick_rates : all_rates;
  return p->quick ? sizeof quick_rates / sizeof quick_rates[0] : MOST_RATES;
}

static void settings(const paper *p, char text[PAPER_SETTINGS]) {
  const double *rates;
  snprintf(text, PAPER_SETTINGS,
           "WordNet below %s, edges drawn uniformly, 10 negatives by frequency (in uniform-5: uniform), constant rate, margin "
           "1e-10, no burn-in, start "
           "uniform in +-0.001, %llu "
           "epochs, %zu rates, %zu seeds",
           paper_root(p), (unsigned long long)epochs_of(p), rates_of(p, &rates), seeds_of(p));
}

static void train_job(void *arg, size_t index) { paper_train((paper_training *)arg + index); }

/* Trains by both updates at all rates for all seeds; on what is left of the graph after a split if `links`. */
static int run_training(paper *p, int dim, bool links, bool uniform, paper_buffer *out) {
  const double *rates;
  const size_t n_rates = rates_of(p, &rates), seeds = seeds_of(p), count = RULES * n_rates * seeds;
  const geodisk_split_options held_out = {.validation = 0, .test = 10, .seed = 0};
  paper_mammals_data mammals;
  geodisk_split split = {0};
  geodisk_relation *known = NULL, *test = NULL;
  int code = paper_mammals_open(p, &mammals);
  paper_training *all = geodisk_allocate_zero(count, sizeof *all);
  paper_quality *quality = geodisk_allocate_zero(seeds, sizeof *quality);
  if (code == EXIT_OK && (all == NULL || quality == NULL)) {
    cli_error("not enough memory");
    code = EXIT_FAILED;
  }
  if (code == EXIT_OK && links) {
    const size_t nodes = geodisk_graph_nodes(mammals.graph);
    geodisk_status status = geodisk_graph_split(p->context, mammals.graph, &held_out, &split);
    if (status == GEODISK_OK)
      status = geodisk_relation_create_plain(p->context, split.train, nodes, &known);
    if (status == GEODISK_OK)
      status = geodisk_relation_create_plain(p->context, split.test, nodes, &test);
    code = status == GEODISK_OK ? EXIT_OK : cli_failed(p->context, status);
  }
  for (size_t i = 0; code == EXIT_OK && i < count; i++)
    all[i] = (paper_training){.update = (geodisk_update)(i / seeds / n_rates),
                              .rate = rates[i / seeds % n_rates],
                              .dim = dim,
                              .epochs = epochs_of(p),
                              .seed = i % seeds,
                              .by_edge = true,
                              .uniform = uniform,
                              .graph = links ? split.train : mammals.graph,
                              .positives = links ? test : mammals.relation,
                              .known = known,
                              .fit = links ? NULL : mammals.relation};
  if (code == EXIT_OK)
    code = paper_jobs(p, count, train_job, all, 0, 1);
  for (size_t i = 0; code == EXIT_OK && i < count; i++) {
    if (all[i].status != GEODISK_OK)
      code = cli_error("the mammals: rate %g by the %s update: %s", all[i].rate, rules[all[i].update],
                       geodisk_status_text(all[i].status));
    quality[i % seeds] = all[i].quality;
    if (code != EXIT_OK || i % seeds + 1 < seeds)
      continue;
    paper_cell(out, rules[all[i].update]);
    paper_number(out, all[i].rate);
    paper_quality_cells(out, seeds, quality, !links);
    paper_end_row(out);
  }
  geodisk_relation_destroy(known);
  geodisk_relation_destroy(test);
  geodisk_graph_destroy(split.train);
  geodisk_graph_destroy(split.validation);
  geodisk_graph_destroy(split.test);
  paper_mammals_close(&mammals);
  free(all);
  free(quality);
  return code;
}

static int run_2(paper *p, paper_buffer *out) { return run_training(p, 2, false, false, out); }
static int run_5(paper *p, paper_buffer *out) { return run_training(p, 5, false, false, out); }
static int run_uniform(paper *p, paper_buffer *out) { return run_training(p, 5, false, true, out); }
static int run_links_2(paper *p, paper_buffer *out) { return run_training(p, 2, true, false, out); }
static int run_links_5(paper *p, paper_buffer *out) { return run_training(p, 5, true, false, out); }

/* Quick: one rate and seed. */
static int run_gensim(paper *p, int dim, paper_buffer *out) {
  paper_gensim_plan plan = {.dim = dim, .epochs = epochs_of(p), .seeds = p->quick ? 1 : seeds_of(p)};
  plan.n_rates = rates_of(p, &plan.rates);
  if (p->quick)
    plan.n_rates = 1;
  return paper_gensim_run(p, &plan, out);
}

static int run_gensim_2(paper *p, paper_buffer *out) { return run_gensim(p, 2, out); }
static int run_gensim_5(paper *p, paper_buffer *out) { return p->quick ? PAPER_LEFT_OUT : run_gensim(p, 5, out); }

/* ---- the updates side by side ---------------------------------------------------------------------------------------- */

static void comparison_settings(const paper *p, char text[PAPER_SETTINGS]);
static int run_comparison(paper *p, paper_buffer *out);
static const char *const compared[] = {"geodesic", "natural", "gensim"};
enum { COMPARED = 3 };

/* ---- figures and report ---------------------------------------------------------------------------------------------- */

#define RANKS   "\tloss\tloss_error\tmean_rank\tmean_rank_error\tmap\tmap_error\tseeds"
#define COLUMNS "update\trate\ttau\ttau_error" RANKS
static const paper_part parts[] = {
    {{"mammals-2"}, {COLUMNS}, settings, run_2, 0.3, 30},
    {{"mammals-5"}, {COLUMNS}, settings, run_5, 0.3, 35},
    {{"links-2"}, {"update\trate" RANKS}, settings, run_links_2, 0.2, 20},
    {{"links-5"}, {"update\trate" RANKS}, settings, run_links_5, 0.2, 25},
    {{"gensim-2"}, {COLUMNS "\tbroken"}, settings, run_gensim_2, 1.5, 170},
    {{"gensim-5"}, {COLUMNS "\tbroken"}, settings, run_gensim_5, 0, 170},
    {{"uniform-5"}, {COLUMNS}, settings, run_uniform, 0.3, 35},
    {{"comparison"}, {"dim\trate\tupdate\ttau\ttau_error\tloss\tloss_error\tseeds"}, comparison_settings, run_comparison, 0, 0},
};
enum { RECONSTRUCTION = 0, LINKS = 2, GENSIM = 4, UNIFORM = 6, COMPARISON = 7, PARTS = 8 };

/* It is made from other tables, of which gensim's may be missing. */
static void comparison_settings(const paper *p, char text[PAPER_SETTINGS]) {
  char plain[PAPER_SETTINGS];
  bool there[DIMS];
  for (int k = 0; k < DIMS; k++) {
    paper_data d;
    there[k] = paper_open(p, &parts[GENSIM + k], parts[GENSIM + k].tables[0], &d);
    paper_close(&d);
  }
  settings(p, plain);
  snprintf(text, PAPER_SETTINGS, "%.400s; gensim in dim 2: %s, 5: %s", plain, there[0] ? "yes" : "no", there[1] ? "yes" : "no");
}

static int run_comparison(paper *p, paper_buffer *out) {
  const double *rates;
  const size_t n = rates_of(p, &rates);
  for (int k = 0; k < DIMS; k++) {
    paper_data own, gensim;
    if (!paper_open(p, &parts[k], parts[k].tables[0], &own))
      return PAPER_LEFT_OUT; /* no WordNet */
    paper_open(p, &parts[GENSIM + k], parts[GENSIM + k].tables[0], &gensim);
    for (size_t i = 0; i < n * COMPARED; i++) {
      char key[64], rate[GEODISK_NUMBER_BYTES];
      const char *update = compared[i % COMPARED];
      const paper_data *d = i % COMPARED < RULES ? &own : &gensim;
      snprintf(key, sizeof key, "%s\t%s", update, shortest_double(rates[i / COMPARED], rate));
      for (size_t row = 0; row < d->rows; row++) {
        if (!paper_row_is(d, row, key))
          continue;
        paper_number(out, k == 0 ? 2 : 5);
        paper_cell(out, rate);
        paper_cell(out, update);
        paper_cell(out, paper_at(d, row, "tau"));
        paper_cell(out, paper_at(d, row, "tau_error"));
        paper_cell(out, paper_at(d, row, "loss"));
        paper_cell(out, paper_at(d, row, "loss_error"));
        paper_cell(out, paper_at(d, row, "seeds"));
        paper_end_row(out);
      }
    }
    paper_close(&own);
    paper_close(&gensim);
  }
  return EXIT_OK;
}

static const paper_figure figures[] = {
    {"mammals", 1500, 480, "uniform-5",
     "there(f) = int(system('test -f ' . f . ' && echo 1 || echo 0'))\n"
     "set multiplot layout 1,3 margins 0.055,0.99,0.12,0.92 spacing 0.065\n"
     "set logscale x\nset xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2)\nset xlabel 'learning rate'\nset xrange "
     "[0.008:2.5]\nset ylabel 'Kendall τ of "
     "distances'\n"
     "set key bottom left Left reverse\nset yrange [0:0.75]\n"
     "do for [d in '2 5'] {\n"
     "  set title 'WordNet, dim ' . d . ', negatives by frequency'\n"
     "  g = there('gensim-' . d . '.tsv') ? 'gensim-' . d . '.tsv' : 'mammals-' . d . '.tsv'\n"
     "  plot 'mammals-' . d . '.tsv' using (pick('natural', 'rate')):'tau':'tau_error' with yerrorlines ls 2 title 'natural', "
     "\\\n"
     "    g using (pick('gensim', 'rate')):'tau':'tau_error' with yerrorlines ls 4 title 'gensim (natural)', \\\n"
     "    'mammals-' . d . '.tsv' using (pick('geodesic', 'rate')):'tau':'tau_error' with yerrorlines ls 1 title 'geodesic'\n"
     "}\n"
     "set title 'WordNet, dim 5, uniform negatives'\n"
     "plot 'uniform-5.tsv' using (pick('natural', 'rate')):'tau':'tau_error' with yerrorlines ls 2 title 'natural', \\\n"
     "  '' using (pick('geodesic', 'rate')):'tau':'tau_error' with yerrorlines ls 1 title 'geodesic'\n"
     "unset multiplot\n"},
    {"mammals-tables", 1500, 820, "links-5",
     "there(f) = int(system('test -f ' . f . ' && echo 1 || echo 0'))\n"
     "set multiplot layout 2,4 margins 0.05,0.99,0.08,0.94 spacing 0.055,0.13\n"
     "set logscale x\nset xtics (0.01, '' 0.02, 0.05, '' 0.1, 0.2, '' 0.5, 1, 2)\nset xlabel 'learning rate'\nset xrange "
     "[0.008:2.5]\nset key top left Left reverse "
     "samplen 2\n"
     "do for [d in '2 5'] {\n"
     "  g = there('gensim-' . d . '.tsv') ? 'gensim-' . d . '.tsv' : 'mammals-' . d . '.tsv'\n"
     "  do for [i=1:4] {\n"
     "    file = (i < 4 ? 'mammals-' : 'links-') . d . '.tsv'\n"
     "    c = word('loss mean_rank map map', i)\n"
     "    set title (i == 1 ? 'loss, dim ' : i == 2 ? 'mean rank (reconstruction), dim ' : i == 3 ? 'MAP (reconstruction), dim ' "
     ": 'MAP "
     "(link prediction), dim ') . d\n"
     "    if (i == 2) { set logscale y } else { unset logscale y }\n"
     "    if (i == 1 && d eq '2') { set key on } else { set key off }\n"
     "    plot file using (pick('natural', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 2 title 'natural', "
     "\\\n"
     "      (i < 4 ? g : file) using (pick('gensim', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 4 title "
     "'gensim "
     "(natural)', \\\n"
     "      file using (pick('geodesic', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 1 title 'geodesic'\n"
     "  }\n"
     "}\n"
     "unset multiplot\n"},
};

static void add_row(paper_report *r, const paper_data *d, size_t i, int dim, const char *task) {
  char tau[64] = "";
  if (*paper_at(d, i, "tau") != 0)
    snprintf(tau, sizeof tau, "%.4f ± %.4f", paper_value(d, i, "tau"), paper_value(d, i, "tau_error"));
  paper_table_row(r, "%d\t%s\t%s\t%s\t%s\t%.3f ± %.3f\t%.2f ± %.2f\t%.4f ± %.4f", dim, task, paper_at(d, i, "update"),
                  paper_at(d, i, "rate"), tau, paper_value(d, i, "loss"), paper_value(d, i, "loss_error"),
                  paper_value(d, i, "mean_rank"), paper_value(d, i, "mean_rank_error"), paper_value(d, i, "map"),
                  paper_value(d, i, "map_error"));
}

/* At how many settings the geodesic update is clearly better than the natural one, by more than two standard errors of the
 * difference, and clearly worse; the rest is noise, or the same at low rates. */
typedef struct contest {
  size_t better, worse, settings;
} contest;

static void compare(const paper_data *d, const char *column, bool lower, contest *out) {
  char error[32];
  snprintf(error, sizeof error, "%s_error", column);
  for (size_t i = 0; i < d->rows; i++) {
    if (!paper_row_is(d, i, "geodesic"))
      continue;
    const char *rate = paper_at(d, i, "rate");
    const double gain = paper_value(d, i, column) - paper_lookup(d, column, "natural\t%s", rate);
    const double doubt = 2 * hypot(paper_value(d, i, error), paper_lookup(d, error, "natural\t%s", rate));
    out->better += (lower ? -gain : gain) > doubt;
    out->worse += (lower ? gain : -gain) > doubt;
    out->settings++;
  }
}

/* The best of a column over the rates. */
static double best_of(const paper_data *d, const char *column, const char *rule, bool lower) {
  double best = lower ? (double)INFINITY : -(double)INFINITY;
  for (size_t i = 0; i < d->rows; i++)
    if (paper_row_is(d, i, rule))
      best = lower ? fmin(best, paper_value(d, i, column)) : fmax(best, paper_value(d, i, column));
  return best;
}

static void claim_stability(paper_report *r, const paper_data d[DIMS]) {
  contest tau = {0};
  double high[DIMS][RULES], best[DIMS][RULES];
  bool better = true, stable = true;
  for (int k = 0; k < DIMS; k++) {
    compare(&d[k], "tau", false, &tau);
    for (int rule = 0; rule < RULES; rule++) {
      high[k][rule] = paper_lookup(&d[k], "tau", "%s\t2", rules[rule]);
      best[k][rule] = best_of(&d[k], "tau", rules[rule], false);
    }
    better = better && high[k][0] > high[k][1];
    stable = stable && high[k][0] > 0.75 * best[k][0];
  }
  paper_claim(r,
              better && stable   ? PAPER_REPRODUCED
              : better || stable ? PAPER_PARTLY
                                 : PAPER_NOT,
              "Embedding the mammals: the natural update is vulnerable to the learning rate, the geodesic update is stable",
              "τ at rate 2 and at its best rate: geodesic %.3f of %.3f, natural %.3f of %.3f in dim 2; %.3f of %.3f and %.3f of "
              "%.3f in dim 5. Of %zu settings (rates and dimensions) the geodesic update has the clearly higher τ at %zu, the "
              "clearly lower at %zu (clearly: by two standard errors). (Reproduced means: geodesic better at rate 2, and above "
              "3/4 of its best there.)",
              high[0][0], best[0][0], high[0][1], best[0][1], high[1][0], best[1][0], high[1][1], best[1][1], tau.settings,
              tau.better, tau.worse);
}

/* That it is worse by both measures of a task; partly: by one of them. */
static void claim_worse(paper_report *r, const char *claim, const contest *map, const contest *rank) {
  const bool both = map->worse > 0 && rank->worse > 0 && map->better + rank->better == 0;
  paper_claim(r,
              both                                                     ? PAPER_REPRODUCED
              : map->worse > map->better || rank->worse > rank->better ? PAPER_PARTLY
                                                                       : PAPER_NOT,
              claim,
              "Of %zu settings MAP is clearly worse at %zu and better at %zu, the mean rank worse at %zu and better at %zu.",
              map->settings, map->worse, map->better, rank->worse, rank->better);
}

static void claim_tables(paper_report *r, const paper_data d[DIMS], const paper_data links[DIMS]) {
  contest loss = {0}, map = {0}, rank = {0}, link_map = {0}, link_rank = {0};
  for (int k = 0; k < DIMS; k++) {
    compare(&d[k], "loss", true, &loss);
    compare(&d[k], "map", false, &map);
    compare(&d[k], "mean_rank", true, &rank);
    compare(&links[k], "map", false, &link_map);
    compare(&links[k], "mean_rank", true, &link_rank);
  }
  paper_claim(
      r,
      loss.better == loss.settings ? PAPER_REPRODUCED
      : loss.better > loss.worse   ? PAPER_PARTLY
                                   : PAPER_NOT,
      "The geodesic update reaches a lower loss in every setting (unpublished table)",
      "Of %zu settings clearly lower at %zu, clearly higher at %zu. At the best rate of each: %.3f against %.3f in dim 2, "
      "%.3f against %.3f in dim 5.",
      loss.settings, loss.better, loss.worse, best_of(&d[0], "loss", "geodesic", true), best_of(&d[0], "loss", "natural", true),
      best_of(&d[1], "loss", "geodesic", true), best_of(&d[1], "loss", "natural", true));
  claim_worse(r, "It is worse in reconstruction all the same (unpublished table)", &map, &rank);
  claim_worse(r, "It is worse in link prediction, too (unpublished table)", &link_map, &link_rank);
}

/* The updates side by side at every rate: "mean ± standard error", or a dash. */
static void report_comparison(paper *p, paper_report *r) {
  const double *rates;
  const size_t n = rates_of(p, &rates);
  paper_data d;
  if (!paper_open(p, &parts[COMPARISON], "comparison", &d))
    return;
  paper_table_begin(r, "dim\trate\tτ geodesic\tτ natural\tτ gensim\tloss geodesic\tloss natural\tloss gensim");
  for (size_t i = 0; i < DIMS * n; i++) {
    char q[GEODISK_NUMBER_BYTES], cells[2 * COMPARED][64];
    const int dim = i < n ? 2 : 5;
    shortest_double(rates[i % n], q);
    for (int k = 0; k < 2 * COMPARED; k++) {
      const char *update = compared[k % COMPARED];
      const double value = paper_lookup(&d, k < COMPARED ? "tau" : "loss", "%d\t%s\t%s", dim, q, update);
      const double error = paper_lookup(&d, k < COMPARED ? "tau_error" : "loss_error", "%d\t%s\t%s", dim, q, update);
      if (isfinite(value))
        snprintf(cells[k], sizeof cells[k], "%.3f ± %.3f", value, error);
      else
        snprintf(cells[k], sizeof cells[k], "–");
    }
    paper_table_row(r, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s", dim, q, cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]);
  }
  paper_table_end(r);
  paper_close(&d);
}

/* Everything, a row for each setting. */
static void report_all(paper *p, paper_report *r) {
  static const struct {
    int part, dim;
    const char *task;
  } tables[] = {{0, 2, "reconstruction"},    {4, 2, "reconstruction"},  {1, 5, "reconstruction"}, {5, 5, "reconstruction"},
                {6, 5, "uniform negatives"}, {2, 2, "link prediction"}, {3, 5, "link prediction"}};
  paper_table_begin(r, "dim\ttask\tupdate\trate\tτ\tloss\tmean rank\tMAP");
  for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
    paper_data d;
    const paper_part *part = &parts[tables[k].part];
    paper_open(p, part, part->tables[0], &d);
    for (size_t i = 0; i < d.rows; i++)
      add_row(r, &d, i, tables[k].dim, tables[k].task);
    paper_close(&d);
  }
  paper_table_end(r);
}

/* How far gensim is from the natural update with the same settings, and what other negatives change. */
static void report_variants(paper *p, paper_report *r, const paper_data d[DIMS]) {
  double apart = 0;
  size_t pairs = 0, close = 0;
  for (int k = 0; k < DIMS; k++) {
    paper_data gensim;
    paper_open(p, &parts[GENSIM + k], parts[GENSIM + k].tables[0], &gensim);
    for (size_t i = 0; i < gensim.rows; i++, pairs++) {
      const char *rate = paper_at(&gensim, i, "rate");
      const double gap = fabs(paper_value(&gensim, i, "tau") - paper_lookup(&d[k], "tau", "natural\t%s", rate));
      close += gap < 2 * hypot(paper_value(&gensim, i, "tau_error"), paper_lookup(&d[k], "tau_error", "natural\t%s", rate));
      apart = fmax(apart, gap);
    }
    paper_close(&gensim);
  }
  if (pairs > 0)
    paper_text(r,
               "gensim and the natural update here are the same method by two programs: their mean τ differ by at most %.3f over "
               "%zu settings, at %zu of them by less than two standard errors.",
               apart, pairs, close);
  paper_data uniform;
  if (paper_open(p, &parts[UNIFORM], "uniform-5", &uniform))
    paper_text(
        r,
        "The paper's text draws negatives uniformly. That changes the numbers: τ in dim 5 at rate 0.1 "
        "is then "
        "%.3f (geodesic) and %.3f (natural), at rate 2 %.3f and %.3f; by frequency it is %.3f and %.3f, and %.3f and %.3f.",
        paper_lookup(&uniform, "tau", "geodesic\t0.1"), paper_lookup(&uniform, "tau", "natural\t0.1"),
        paper_lookup(&uniform, "tau", "geodesic\t2"), paper_lookup(&uniform, "tau", "natural\t2"),
        paper_lookup(&d[1], "tau", "geodesic\t0.1"), paper_lookup(&d[1], "tau", "natural\t0.1"),
        paper_lookup(&d[1], "tau", "geodesic\t2"), paper_lookup(&d[1], "tau", "natural\t2"));
  paper_close(&uniform);
}

static void report(paper *p, paper_report *r) {
  paper_data d[DIMS], links[DIMS];
  bool there = true;
  for (int k = 0; k < DIMS; k++) {
    there = paper_open(p, &parts[k], parts[k].tables[0], &d[k]) && there;
    there = paper_open(p, &parts[LINKS + k], parts[LINKS + k].tables[0], &links[k]) && there;
  }
  if (there) {
    paper_heading(r, "Real data: WordNet's mammals");
    paper_text(
        r,
        "The closure of WordNet below mammal.n.01: 1,182 nodes, 6,542 edges. Edges are drawn uniformly; each comes with 10 "
        "negatives, "
        "drawn by how many edges they have, as gensim does, on which the paper's experiments ran; the loss is that of Nickel and "
        "Kiela, the learning rate constant. The paper does not say how many epochs; here %llu. Loss, mean rank and MAP are "
        "exact, over "
        "all nodes. For link prediction 10 %% of the edges that are not basic are held out. gensim is PoincareModel of Debian's "
        "python3-gensim with the same parameters and its own batches of 10. Means and standard errors over %zu seeds.%s",
        (unsigned long long)epochs_of(p), seeds_of(p),
        p->quick ? " Quick: only the carnivores; gensim with one rate and seed, in dim 2." : "");
    paper_show(r, "mammals", "Kendall's τ between distances in the hierarchy and in the ball.");
    paper_show(r, "mammals-tables", "Loss, reconstruction and link prediction against the learning rate.");
    report_comparison(p, r);
    claim_stability(r, d);
    claim_tables(r, d, links);
    report_variants(p, r, d);
    report_all(p, r);
  }
  for (int k = 0; k < DIMS; k++) {
    paper_close(&d[k]);
    paper_close(&links[k]);
  }
}

const paper_experiment paper_mammals = {"wordnet", "Real data", parts, PARTS, figures, 2, report, NULL};

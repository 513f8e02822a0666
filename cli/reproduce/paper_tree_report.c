/* paper_tree_report.c - figures, tables and verdicts of the experiment with the tree. */
#include "paper_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES = PAPER_TREE_RULES, STAGES = PAPER_TREE_STAGES, MOST_RATES = 16 };

const paper_figure paper_tree_figures[PAPER_TREE_FIGURES] = {
    {"tree", 2000, 900, "tree-closure",
     "there(f) = int(system('test -f ' . f . ' && echo 1 || echo 0'))\n"
     "stats 'tree-closure.tsv' using (column('iterations')) nooutput\nlast = STATS_max\n"
     "set multiplot layout 2,4 margins 0.04,0.99,0.07,0.95 spacing 0.045,0.12\n"
     "set logscale x\nset xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2)\nset xlabel 'learning rate'\nset xrange [0.008:2.5]\n"
     "at(u) = is(u) && column('iterations') == last ? column('rate') : NaN\n"
     "do for [i=1:8] {\n"
     "  file = i < 3 || i == 5 ? 'tree-undirected.tsv' : 'tree-closure.tsv'\n"
     "  c = word('loss exact loss exact tau tau_closure tau tau_closure', i)\n"
     "  g = there('gensim-' . file) ? 'gensim-' . file : file\n"
     "  set title (i < 3 || i == 5 ? 'undirected tree' : 'closure of the tree') . (i == 1 || i == 3 ? ', while training' : i == "
     "2 || i == 4 ? ', at the end' : i == 6 || i == 8 ? ', distances in the closure' : i == 7 ? ', distances in the tree' : '')\n"
     "  set ylabel i == 1 || i == 3 ? 'mean loss of the last 100 iterations' : i < 5 ? 'exact loss' : 'Kendall τ of distances'\n"
     "  if (i < 5) { set logscale y; set yrange [1:500]; set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500) } else { unset logscale "
     "y; set yrange [-0.1:1]; set ytics auto }\n"
     "  if (i == 2 || i == 8) { set key top left Left reverse opaque } else { set key off }\n"
     "  if (i < 8) {\n"
     "    plot file using (at('euclidean')):(column(c)):(column(c . '_error')) with yerrorlines ls 3 title 'Euclidean (ours)', "
     "\\\n"
     "      '' using (at('natural')):(column(c)):(column(c . '_error')) with yerrorlines ls 2 title 'natural', \\\n"
     "      g using (at('gensim')):(column(c)):(column(c . '_error')) with yerrorlines ls 4 title 'gensim (natural)', \\\n"
     "      file using (at('geodesic')):(column(c)):(column(c . '_error')) with yerrorlines ls 1 title 'geodesic'\n"
     "  } else {\n"
     "    after(u, k) = is(u) && column('iterations') == int(last / 2**k) ? column('rate') : NaN\n"
     "    plot for [k=0:2] file using (after('natural', k)):(column(c)) with linespoints ls 2 lw 2.5-k*0.8 pt 9+k title "
     "sprintf('natural, %d iterations', int(last / 2**k)), \\\n"
     "      for [k=0:2] '' using (after('geodesic', k)):(column(c)) with linespoints ls 1 lw 2.5-k*0.8 pt 7-k title "
     "sprintf('geodesic, %d iterations', int(last / 2**k))\n"
     "  }\n"
     "}\n"
     "unset multiplot\n"},
};

/* The rates and the numbers of iterations that a table has, in its order. */
typedef struct axes {
  const char *rates[MOST_RATES], *stages[STAGES];
  size_t n_rates, n_stages;
} axes;

static void add_text(const char *text, const char **all, size_t most, size_t *n) {
  for (size_t i = 0; i < *n; i++)
    if (strcmp(all[i], text) == 0)
      return;
  if (*n < most)
    all[(*n)++] = text;
}

static axes axes_of(const paper_data *d) {
  axes a = {.n_rates = 0};
  for (size_t i = 0; i < d->rows; i++) {
    add_text(paper_at(d, i, "rate"), a.rates, MOST_RATES, &a.n_rates);
    add_text(paper_at(d, i, "iterations"), a.stages, STAGES, &a.n_stages);
  }
  return a;
}

static double at(const paper_data *d, const char *column, const char *rule, const char *rate, const char *stage) {
  return paper_lookup(d, column, "%s\t%s\t%s", rule, rate, stage);
}

/* "mean ± standard error", or a dash. */
static const char *cell(const paper_data *d, const char *column, const char *rule, const char *rate, const char *stage,
                        char text[64]) {
  char error[40];
  snprintf(error, sizeof error, "%s_error", column);
  const double value = at(d, column, rule, rate, stage);
  if (isfinite(value))
    paper_mean_text(3, value, at(d, error, rule, rate, stage), at(d, "seeds", rule, rate, stage), text);
  else
    snprintf(text, 64, "–");
  return text;
}

/* What the rule of stability asks, after one number of iterations. */
typedef struct stability {
  double best[2], least[2], high[2]; /* geodesic, natural: best τ; least τ at rates 0.5 to 2; loss at rate 2 */
  bool better, stable, natural_stable;
} stability;

static stability judge_stage(const paper_data *d, const axes *a, const char *stage, const char *tau) {
  stability s = {.best = {-1, -1}, .least = {(double)INFINITY, (double)INFINITY}};
  for (size_t i = 0; i < a->n_rates; i++)
    for (int k = 0; k < 2; k++) {
      const double value = at(d, tau, paper_tree_rules[k], a->rates[i], stage);
      double rate = 0;
      parse_number(a->rates[i], &rate);
      s.best[k] = fmax(s.best[k], value);
      s.least[k] = rate >= 0.5 ? fmin(s.least[k], value) : s.least[k];
      s.high[k] = rate == 2 ? at(d, "loss", paper_tree_rules[k], a->rates[i], stage) : s.high[k];
    }
  s.better = s.least[0] > s.least[1] && s.high[0] < s.high[1];
  s.stable = s.least[0] > 0.75 * s.best[0];
  s.natural_stable = s.least[1] > 0.75 * s.best[1];
  return s;
}

static const char *stable_text(bool stable) { return stable ? "stable" : "not stable"; }

/* The verdict over all stages; the numbers go to `text`. */
static paper_verdict judge_all(const paper_data *d, const axes *a, const char *tau, paper_buffer *text) {
  int full = 0, some = 0;
  for (size_t k = 0; k < a->n_stages; k++) {
    const stability s = judge_stage(d, a, a->stages[k], tau);
    full += s.better && s.stable && !s.natural_stable;
    some += s.better || s.stable || !s.natural_stable;
    paper_append(text,
                 "%sAfter %s iterations: least τ at rates 0.5 to 2 geodesic %.3f (%.1f %% of its best: %s), natural %.3f (%.1f "
                 "%%: %s); loss at rate 2 %.2f and %.2f.",
                 k > 0 ? " " : "", a->stages[k], s.least[0], 100 * s.least[0] / s.best[0], stable_text(s.stable), s.least[1],
                 100 * s.least[1] / s.best[1], stable_text(s.natural_stable), s.high[0], s.high[1]);
  }
  return (size_t)full == a->n_stages ? PAPER_REPRODUCED : some > 0 ? PAPER_PARTLY : PAPER_NOT;
}

static void claim(paper_report *r, paper_claim_id id, const paper_data *d, const axes *a, const char *tau) {
  paper_buffer text = {0};
  const paper_verdict verdict = paper_if(paper_value(d, 0, "seeds"), judge_all(d, a, tau, &text));
  paper_claim(r, id, verdict, verdict, "%s", text.text != NULL ? text.text : "");
  r->markdown.failed |= text.failed;
  free(text.text);
}

/* A row a rate, after all iterations. */
static void add_table(paper_report *r, const paper_data *d, const paper_data *gensim, const axes *a, bool closed) {
  const char *last = a->stages[a->n_stages - 1];
  const char *const shown[] = {"geodesic", "natural", "euclidean"};
  paper_table_begin(r, closed ? "rate\tloss geodesic\tnatural\tEuclidean\tτ in the closure: "
                                "geodesic\tnatural\tgensim\tEuclidean\tτ in the tree: geodesic\tnatural\tgensim\tEuclidean"
                              : "rate\tloss geodesic\tnatural\tEuclidean\tτ geodesic\tnatural\tgensim\tEuclidean");
  for (size_t i = 0; i < a->n_rates; i++) {
    paper_buffer row = {0};
    char text[64];
    paper_append(&row, "%s", a->rates[i]);
    for (int k = 0; k < RULES; k++)
      paper_append(&row, "\t%s", cell(d, "loss", shown[k], a->rates[i], last, text));
    for (int t = closed ? 0 : 1; t < 2; t++) {
      const char *tau = t == 0 ? "tau_closure" : "tau";
      for (int k = 0; k < 2; k++)
        paper_append(&row, "\t%s", cell(d, tau, shown[k], a->rates[i], last, text));
      paper_append(&row, "\t%s", cell(gensim, tau, "gensim", a->rates[i], last, text));
      paper_append(&row, "\t%s", cell(d, tau, "euclidean", a->rates[i], last, text));
    }
    paper_table_row(r, "%s", row.text != NULL ? row.text : "");
    r->markdown.failed |= row.failed;
    free(row.text);
  }
  paper_table_end(r);
}

static void report_shape(paper *p, paper_report *r, int shape) {
  paper_data d, gensim;
  const paper_part *part = &paper_tree_parts[shape], *other = &paper_tree_parts[PAPER_TREE_SHAPES + shape];
  if (!paper_open(p, part, part->tables[0], &d))
    return;
  paper_open(p, other, other->tables[0], &gensim);
  const axes a = axes_of(&d);
  paper_text(r, "%s, after %s iterations:", shape == 0 ? "The undirected tree" : "The closure of the tree",
             a.stages[a.n_stages - 1]);
  add_table(r, &d, &gensim, &a, shape == 1);
  if (shape == 0) {
    claim(r, CLAIM_TREE, &d, &a, "tau");
  } else {
    claim(r, CLAIM_TREE_CLOSURE, &d, &a, "tau_closure");
    claim(r, CLAIM_TREE_READING, &d, &a, "tau");
  }
  paper_close(&d);
  paper_close(&gensim);
}

void paper_tree_report(paper *p, paper_report *r) {
  paper_data d;
  if (!paper_open(p, &paper_tree_parts[0], paper_tree_parts[0].tables[0], &d))
    return;
  const double seeds = paper_value(&d, 0, "seeds");
  char over[64];
  paper_close(&d);
  paper_heading(r, "Artificial data: a binary tree");
  paper_text(r,
             "A complete binary tree of 63 nodes in the disk, one edge a step, drawn uniformly. The loss is the paper's, exact: "
             "its denominator sums over all nodes without an edge from u, and u itself. %s. τ is Kendall's τ-b between all "
             "distances in the graph and in the disk. The graph that is embedded is the closure, and distances in it are 1 or 2, "
             "as the paper's text reads; distances in the tree itself are the other reading. The Euclidean update on the tree is "
             "ours; the paper does not show it. gensim draws 57 negatives, which is as many as every node of the closure has, "
             "keeps the positive in the denominator, and works in batches of 10.",
             paper_over_seeds(seeds, over));
  paper_show(r, "tree",
             "The loss while training and at the end (exact), and Kendall's τ, against the learning rate; bars are standard "
             "errors. Last: τ after each of the three numbers of iterations.");
  for (int shape = 0; shape < PAPER_TREE_SHAPES; shape++)
    report_shape(p, r, shape);
}

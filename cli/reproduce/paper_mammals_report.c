/* paper_mammals_report.c - figures, tables and verdicts of the experiment with WordNet's mammals. */
#include "paper_mammals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIMS = PAPER_MAMMALS_DIMS };
static const int dims[DIMS] = {2, 5};

const paper_figure paper_mammals_figures[PAPER_MAMMALS_FIGURES] = {
    {"mammals", 1700, 860, "uniform-5",
     "there(f) = int(system('test -f ' . f . ' && echo 1 || echo 0'))\n"
     "set multiplot layout 2,4 margins 0.045,0.99,0.07,0.95 spacing 0.04,0.12\n"
     "set logscale x\nset xtics (0.01, '' 0.02, 0.05, '' 0.1, 0.2, '' 0.5, 1, 2)\nset xlabel 'learning rate'\nset xrange "
     "[0.008:2.5]\nset key bottom left Left reverse\n"
     "do for [c in 'tau_closure tau'] {\n"
     "  do for [i=1:4] {\n"
     "    d = word('2 5 2 5', i)\n"
     "    file = (i < 3 ? 'mammals-' : 'uniform-') . d . '.tsv'\n"
     "    g = i < 3 && there('gensim-' . d . '.tsv') ? 'gensim-' . d . '.tsv' : file\n"
     "    set title 'dim ' . d . (i < 3 ? ', negatives by frequency' : ', uniform negatives')\n"
     "    if (i == 1) { set ylabel (c eq 'tau' ? 'τ, distances in the hierarchy' : 'τ, distances in the closure') } else { unset "
     "ylabel }\n"
     "    set yrange [0:*]\n"
     "    if (i == 1 && c eq 'tau_closure') { set key on } else { set key off }\n"
     "    plot file using (pick('natural', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 2 title 'natural', "
     "\\\n"
     "      g using (pick('gensim', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 4 title 'gensim (natural)', "
     "\\\n"
     "      file using (pick('geodesic', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 1 title 'geodesic'\n"
     "  }\n"
     "}\n"
     "unset multiplot\n"},
    {"mammals-tables", 1800, 820, "links-5",
     "there(f) = int(system('test -f ' . f . ' && echo 1 || echo 0'))\n"
     "set multiplot layout 2,5 margins 0.04,0.995,0.08,0.94 spacing 0.042,0.13\n"
     "set logscale x\nset xtics (0.01, '' 0.02, 0.05, '' 0.1, 0.2, '' 0.5, 1, 2)\nset xlabel 'learning rate'\nset xrange "
     "[0.008:2.5]\nset key top left Left reverse samplen 2\n"
     "do for [d in '2 5'] {\n"
     "  do for [i=1:5] {\n"
     "    name = (i < 4 ? 'mammals-' : 'links-') . d . '.tsv'\n"
     "    other = (i < 4 ? 'gensim-' : 'gensim-links-') . d . '.tsv'\n"
     "    g = there(other) ? other : name\n"
     "    c = word('loss mean_rank map mean_rank map', i)\n"
     "    set title (i == 1 ? 'loss' : i < 4 ? 'reconstruction' : 'link prediction') . ', dim ' . d\n"
     "    set ylabel (i == 1 ? 'exact loss (nats)' : c eq 'map' ? 'MAP' : 'mean rank') offset 1.5\n"
     "    if (c eq 'mean_rank') { set logscale y } else { unset logscale y }\n"
     "    if (i == 1 && d eq '2') { set key on } else { set key off }\n"
     "    plot name using (pick('natural', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 2 title 'natural', "
     "\\\n"
     "      g using (pick('gensim', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 4 title 'gensim (natural)', "
     "\\\n"
     "      name using (pick('geodesic', 'rate')):(column(c)):(column(c . '_error')) with yerrorlines ls 1 title 'geodesic'\n"
     "  }\n"
     "}\n"
     "unset multiplot\n"},
};

/* The tables in dim 2 and 5 of one kind; gensim's may be missing. */
typedef struct pair {
  paper_data d[DIMS], gensim[DIMS];
  bool there;
} pair;

static void pair_open(const paper *p, int own, int gensim, pair *out) {
  out->there = true;
  for (int k = 0; k < DIMS; k++) {
    out->there = paper_open(p, &paper_mammals_parts[own + k], paper_mammals_parts[own + k].tables[0], &out->d[k]) && out->there;
    out->gensim[k] = (paper_data){0};
    if (gensim >= 0)
      paper_open(p, &paper_mammals_parts[gensim + k], paper_mammals_parts[gensim + k].tables[0], &out->gensim[k]);
  }
}

static void pair_close(pair *x) {
  for (int k = 0; k < DIMS; k++) {
    paper_close(&x->d[k]);
    paper_close(&x->gensim[k]);
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

static void claim_stability(paper_report *r, paper_claim_id id, const paper_data d[DIMS], const char *tau) {
  double high[DIMS][2], best[DIMS][2];
  bool better = true, stable = true, vulnerable = true;
  for (int k = 0; k < DIMS; k++) {
    for (int rule = 0; rule < 2; rule++) {
      const char *name = rule == 0 ? "geodesic" : "natural";
      high[k][rule] = paper_lookup(&d[k], tau, "%s\t2", name);
      best[k][rule] = best_of(&d[k], tau, name, false);
    }
    better = better && high[k][0] > high[k][1];
    stable = stable && high[k][0] > 0.75 * best[k][0];
    vulnerable = vulnerable && !(high[k][1] > 0.75 * best[k][1]);
  }
  const paper_verdict all = better && stable && vulnerable   ? PAPER_REPRODUCED
                            : better || stable || vulnerable ? PAPER_PARTLY
                                                             : PAPER_NOT;
  const paper_verdict verdict = paper_if(paper_value(&d[0], 0, "seeds"), all);
  paper_claim(r, id, verdict, verdict,
              "τ at rate 2 and at its best rate: in dim 2 geodesic %.3f of %.3f (%.1f %%), natural %.3f of %.3f (%.1f %%); in "
              "dim 5 %.3f of %.3f (%.1f %%) and %.3f of %.3f (%.1f %%). Geodesic %sstable, natural %sstable.",
              high[0][0], best[0][0], 100 * high[0][0] / best[0][0], high[0][1], best[0][1], 100 * high[0][1] / best[0][1],
              high[1][0], best[1][0], 100 * high[1][0] / best[1][0], high[1][1], best[1][1], 100 * high[1][1] / best[1][1],
              stable ? "" : "not ", vulnerable ? "not " : "");
}

static void claim_tables(paper *p, paper_report *r, const pair *plain) {
  paper_contest loss = {0}, map = {0}, rank = {0}, link_map = {0}, link_rank = {0};
  for (int k = 0; k < DIMS; k++) {
    char name[32];
    snprintf(name, sizeof name, "mammals-%d", dims[k]);
    paper_compare(p, name, "loss", true, &loss);
    paper_compare(p, name, "map", false, &map);
    paper_compare(p, name, "mean_rank", true, &rank);
    snprintf(name, sizeof name, "links-%d", dims[k]);
    paper_compare(p, name, "map", false, &link_map);
    paper_compare(p, name, "mean_rank", true, &link_rank);
  }
  paper_claim_loss(r, CLAIM_LOSS, &loss, best_of(&plain->d[1], "loss", "geodesic", true),
                   best_of(&plain->d[1], "loss", "natural", true));
  paper_claim_worse(r, CLAIM_RECONSTRUCTION, &map, &rank);
  paper_claim_worse(r, CLAIM_LINKS, &link_map, &link_rank);
}

/* "mean ± standard error" of a column at a rate, after a tab; or a dash. */
static void add_cell(paper_buffer *row, const paper_data *d, const char *column, const char *rule, const char *rate, int digits) {
  char error[40], text[64];
  snprintf(error, sizeof error, "%s_error", column);
  const double value = paper_lookup(d, column, "%s\t%s", rule, rate);
  if (isfinite(value))
    paper_append(row, "\t%s",
                 paper_mean_text(digits, value, paper_lookup(d, error, "%s\t%s", rule, rate),
                                 paper_lookup(d, "seeds", "%s\t%s", rule, rate), text));
  else
    paper_append(row, "\t–");
}

/* A row for each dimension and rate; `columns` are measures, each by the updates and gensim. */
static void add_table(paper_report *r, const pair *x, const char *heads, int n, const char *const *columns, const int *digits,
                      bool gensim) {
  paper_table_begin(r, heads);
  for (int k = 0; k < DIMS; k++)
    for (size_t i = 0; i < x->d[k].rows && paper_row_is(&x->d[k], i, "geodesic"); i++) {
      const char *rate = paper_at(&x->d[k], i, "rate");
      paper_buffer row = {0};
      paper_append(&row, "%d\t%s", dims[k], rate);
      for (int c = 0; c < n; c++) {
        add_cell(&row, &x->d[k], columns[c], "geodesic", rate, digits[c]);
        add_cell(&row, &x->d[k], columns[c], "natural", rate, digits[c]);
        if (gensim)
          add_cell(&row, &x->gensim[k], columns[c], "gensim", rate, digits[c]);
      }
      paper_table_row(r, "%s", row.text != NULL ? row.text : "");
      r->markdown.failed |= row.failed;
      free(row.text);
    }
  paper_table_end(r);
}

/* How far gensim is from the natural update with the same settings. */
static void say_gensim(paper_report *r, const pair *x) {
  double apart = 0;
  size_t pairs = 0, close = 0;
  for (int k = 0; k < DIMS; k++)
    for (size_t i = 0; i < x->gensim[k].rows; i++) {
      const char *rate = paper_at(&x->gensim[k], i, "rate");
      const double gap = fabs(paper_value(&x->gensim[k], i, "tau") - paper_lookup(&x->d[k], "tau", "natural\t%s", rate));
      if (paper_value(&x->gensim[k], i, "seeds") < 5)
        continue;
      pairs++;
      apart = fmax(apart, gap);
      close +=
          gap < 2 * hypot(paper_value(&x->gensim[k], i, "tau_error"), paper_lookup(&x->d[k], "tau_error", "natural\t%s", rate));
    }
  if (pairs > 0)
    paper_text(r,
               "gensim and the natural update here are the same method by two programs: their mean τ differ by at most %.3f over "
               "%zu settings, at %zu of them by less than two standard errors.",
               apart, pairs, close);
}

/* How many seeds and rates gensim has. */
static void gensim_text(const paper_data *d, char text[64]) {
  if (d->rows == 0)
    snprintf(text, 64, "; gensim is left out");
  else
    snprintf(text, 64, "; gensim: %s seed%s, %zu rate%s", paper_at(d, 0, "seeds"), paper_value(d, 0, "seeds") == 1 ? "" : "s",
             d->rows, d->rows == 1 ? "" : "s");
}

void paper_mammals_report(paper *p, paper_report *r) {
  static const char *const taus[] = {"tau_closure", "tau", "loss"}, *const ranks[] = {"mean_rank", "map"};
  static const int tau_digits[] = {3, 3, 3}, rank_digits[] = {1, 3};
  pair plain, links, uniform;
  pair_open(p, PAPER_MAMMALS_RECONSTRUCTION, PAPER_MAMMALS_GENSIM, &plain);
  pair_open(p, PAPER_MAMMALS_LINKS, PAPER_MAMMALS_GENSIM_LINKS, &links);
  pair_open(p, PAPER_MAMMALS_UNIFORM, -1, &uniform);
  if (plain.there && links.there && uniform.there) {
    char over[64], gensim[64];
    gensim_text(&plain.gensim[0], gensim);
    paper_heading(r, "Real data: WordNet's mammals");
    paper_text(r,
               "The closure of WordNet below mammal.n.01%s. Edges are drawn uniformly; each comes with 10 negatives, drawn by "
               "how many edges they have, as gensim does, on which the paper's experiments ran; or uniformly, as its text says. "
               "The loss is that of Nickel and Kiela, the learning rate constant. Loss, mean rank and MAP are exact, over all "
               "nodes. For link prediction %d %% of the edges that are not basic are held out, others for each seed. %s%s.",
               p->quick ? " (quick: below carnivore.n.01)" : ": 1,182 nodes, 6,542 edges", PAPER_HELD_OUT,
               paper_over_seeds(paper_value(&plain.d[0], 0, "seeds"), over), gensim);
    paper_text(r,
               "**Two readings of τ.** The paper correlates distances in the graph with those in the ball, and its graph of "
               "mammals is the closure, in which two nodes are at distance 1 or 2. In the hierarchy (the transitive reduction) "
               "they are %s apart. Both are shown, each is judged.",
               p->quick ? "farther" : "1 to 16");
    paper_show(r, "mammals", "Kendall's τ with distances in the closure (above) and in the hierarchy (below).");
    add_table(r, &plain,
              "dim\trate\tτ in the closure: geodesic\tnatural\tgensim\tτ in the hierarchy: geodesic\tnatural\tgensim\tloss: "
              "geodesic\tnatural\tgensim",
              3, taus, tau_digits, true);
    paper_text(r, "With uniform negatives:");
    add_table(r, &uniform,
              "dim\trate\tτ in the closure: geodesic\tnatural\tτ in the hierarchy: geodesic\tnatural\tloss: geodesic\tnatural", 3,
              taus, tau_digits, false);
    claim_stability(r, CLAIM_MAMMALS, plain.d, "tau_closure");
    claim_stability(r, CLAIM_MAMMALS_READING, plain.d, "tau");
    claim_stability(r, CLAIM_MAMMALS_UNIFORM, uniform.d, "tau_closure");
    claim_stability(r, CLAIM_MAMMALS_UNIFORM_READING, uniform.d, "tau");
    say_gensim(r, &plain);
    paper_show(r, "mammals-tables", "Loss, reconstruction and link prediction against the learning rate.");
    paper_text(r, "Reconstruction:");
    add_table(r, &plain, "dim\trate\tmean rank: geodesic\tnatural\tgensim\tMAP: geodesic\tnatural\tgensim", 2, ranks, rank_digits,
              true);
    paper_text(r, "Link prediction:");
    add_table(r, &links, "dim\trate\tmean rank: geodesic\tnatural\tgensim\tMAP: geodesic\tnatural\tgensim", 2, ranks, rank_digits,
              true);
    claim_tables(p, r, &plain);
  }
  pair_close(&plain);
  pair_close(&links);
  pair_close(&uniform);
}

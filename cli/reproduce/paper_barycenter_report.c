/* paper_barycenter_report.c - figures, tables and verdicts of the barycenter experiment. */
#include "paper_walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RATES = PAPER_WALK_RATES };

static const double *const rates = paper_walk_rates;

const paper_figure paper_barycenter_figures[PAPER_BARYCENTER_FIGURES] = {
    {"barycenter", 1500, 900, "barycenter-trace",
     "rates = '0.0001 0.01 0.02 0.05 0.1 0.2'\n"
     "set multiplot layout 2,6 margins 0.045,0.995,0.08,0.94 spacing 0.012,0.11\n"
     "set logscale x\nset yrange [2.2:3.5]\nset format x '10^{%L}'\nset xlabel 'iteration'\nset xrange [1:15000]\nset xtics 100\n"
     "set key top left Left reverse samplen 1.2 width -1\nset style fill transparent solid 0.25 noborder\n"
     "on(u) = is(u) && column('rate') == q ? column('iteration') : NaN\n"
     "do for [i=1:6] {\n"
     "  q = real(word(rates, i))\n"
     "  set title 'learning rate ' . word(rates, i)\n  set xrange [1:(i == 1 ? 60000 : 15000)]\n"
     "  if (i == 1) { set ylabel 'log_{10} loss: median, 80 %, all seeds'; set format y '%.1f' } else { unset ylabel; set format "
     "y ''; set key off }\n"
     "  plot for [k=1:3] 'barycenter-trace.tsv' using (on(word('euclidean natural geodesic', "
     "k))):(log10(column('least'))):(log10(column('most'))) with filledcurves fs transparent solid 0.12 noborder lc rgb "
     "word('#009E73 #D55E00 #0072B2', k) title '', \\\n"
     "    for [k=1:3] '' using (on(word('euclidean natural geodesic', k))):(log10(column('low'))):(log10(column('high'))) with "
     "filledcurves lc rgb word('#009E73 #D55E00 #0072B2', k) title (k == 1 ? 'Euclidean' : ''), \\\n"
     "    for [k=2:3] '' using (on(word('euclidean natural geodesic', k))):(log10(column('loss'))) with lines ls 4-k title "
     "word('Euclidean natural geodesic', k), \\\n"
     "    log10(182.6669) with lines ls 8 title 'optimum'\n"
     "}\n"
     "unset logscale x\nunset title\nset yrange [0:110]\nset xrange [-11:16]\nset format x '%g'\nset xtics 5\n"
     "set xlabel 'offset (distance), outwards →'\n"
     "set style fill transparent solid 0.45 border\nset boxwidth 0.5\nset key top left Left reverse samplen 1\n"
     "at(u) = is(u) && column('rate') == q ? column('offset') : NaN\n"
     "do for [i=1:6] {\n"
     "  q = real(word(rates, i))\n"
     "  if (i == 1) { set ylabel 'points of the last 200, mean of all seeds'; set format y '%g' } else { unset ylabel; set "
     "format y '' }\n"
     "  if (i == 2) { set key on } else { set key off }\n"
     "  plot for [k=1:3] 'barycenter-histogram.tsv' using (at(word('euclidean natural geodesic', k))):(column('count')) with "
     "boxes lc rgb word('#009E73 #D55E00 #0072B2', k) title word('Euclidean natural geodesic', k)\n"
     "}\n"
     "unset multiplot\n"},
    {"barycenter-offsets", 900, 560, "barycenter-offsets",
     "stats 'barycenter-offsets.tsv' using (column('clips_at')) nooutput\nedge = STATS_max\n"
     "set logscale x\nset xrange [0.00007:0.3]\nset xlabel 'learning rate'\nset ylabel 'mean offset from the optimum (hyperbolic "
     "distance)'\n"
     "set key top left Left reverse\nset yrange [-1.5:14]\nset format x '%g'\n"
     "set arrow 1 from edge,-1.5 to edge,9.6 nohead lc rgb '#999999' lw 1.5 dt (3,3)\n"
     "set label 1 sprintf('from %.4f on natural steps from the optimum are clipped', edge) at edge*0.93,9.2 right textcolor rgb "
     "'#555555'\n"
     "plot 'barycenter-offsets.tsv' using (pick('natural-plane', 'rate')):'offset':(3*column('offset_error')) with yerrorlines "
     "ls 5 title 'natural, start off the line', \\\n"
     "  '' using (pick('natural', 'rate')):'offset':(3*column('offset_error')) with yerrorlines ls 2 title 'natural, ± 3 "
     "standard errors', \\\n"
     "  '' using (pick('geodesic', 'rate')):'offset':(3*column('offset_error')) with yerrorlines ls 1 title 'geodesic, ± 3 "
     "standard errors', \\\n"
     "  '' using (is('natural') && column('rate') < 0.1 ? column('rate') : NaN):'predicted' with lines ls 8 title 'natural, "
     "first order: rate × (half the distance)^2'\n"},
    {"varies-barycenter", 1400, 520, "varies-barycenter-trace",
     "set multiplot layout 1,3 margins 0.055,0.99,0.13,0.92 spacing 0.05\n"
     "set logscale x\nset xlabel 'time of one run (milliseconds)'\nset key top left Left reverse opaque\nset yrange "
     "[2.2:3.5]\nset format x '%g'\n"
     "do for [i=1:3] {\n"
     "  q = real(word('0.0001 0.01 0.2', i))\n"
     "  set title sprintf('learning rate %g', q)\n"
     "  if (i == 1) { set ylabel 'log_{10} of the mean loss' } else { unset ylabel; set key off }\n"
     "  plot for [k=1:3] 'varies-barycenter-trace.tsv' using (is(word('euclidean natural geodesic', k)) && column('rate') == q ? "
     "column('milliseconds') : NaN):(log10(column('loss'))) with lines ls 4-k title word('Euclidean natural geodesic', k), \\\n"
     "    log10(182.6669) with lines ls 8 title 'optimum'\n"
     "}\n"
     "unset multiplot\n"},
};

/* The columns of one rate for an update. */
static double at(const paper_data *d, const char *column, const char *rule, int rate) {
  char text[GEODISK_NUMBER_BYTES];
  return paper_lookup(d, column, "%s\t%s", rule, shortest_double(rates[rate], text));
}

/* Whether from the optimum both geodesic steps have the same length at all rates (the theorem's own table). */
static bool steps_balanced(const paper *p, double *apart) {
  paper_data d;
  *apart = 0;
  const bool there = paper_open_any(p, "theory-bias", &d);
  for (size_t i = 0; there && i < d.rows; i++)
    if (paper_row_is(&d, i, "geodesic"))
      *apart = fmax(*apart, fabs(paper_value(&d, i, "outwards") - paper_value(&d, i, "inwards")));
  paper_close(&d);
  return there && *apart < 1e-9;
}

static void claim_balance(paper *p, paper_report *r, const paper_data *d) {
  double worst = 0, apart;
  for (int i = 0; i < RATES; i++) {
    worst = fmax(worst, fabs(at(d, "offset", "geodesic", i)) / at(d, "offset_error", "geodesic", i));
    if (i > 0)
      worst = fmax(worst, fabs(at(d, "offset", "geodesic-plane", i)) / at(d, "offset_error", "geodesic-plane", i));
  }
  const bool balanced = steps_balanced(p, &apart);
  const paper_verdict verdict = paper_if(at(d, "seeds", "geodesic", 0), !balanced    ? PAPER_NOT
                                                                        : worst <= 3 ? PAPER_REPRODUCED
                                                                                     : PAPER_PARTLY);
  paper_claim(r, CLAIM_BALANCED, verdict, verdict,
              "The two steps differ by at most %.1g. The mean offset is within %.2f standard errors of 0 at all %d rates on the "
              "line and the %d from %g on in the plane.",
              apart, worst, RATES, RATES - 1, rates[1]);
}

/* Whether at a rate the geodesic loss is clearly lower, by the pairs of a table. */
static bool clearly_lower(const paper *p, const char *table, double rate) {
  paper_data pairs;
  bool lower = false;
  if (paper_open_any(p, "pairs", &pairs))
    for (size_t row = 0; row < pairs.rows; row++)
      lower =
          lower || (strcmp(paper_at(&pairs, row, "table"), table) == 0 && strcmp(paper_at(&pairs, row, "measure"), "loss") == 0 &&
                    paper_value(&pairs, row, "rate") == rate && strcmp(paper_at(&pairs, row, "clear"), "lower") == 0);
  paper_close(&pairs);
  return lower;
}

/* Claims 13 and 14, for the start on the line or in the plane. */
static void claim_bias(paper *p, paper_report *r, const paper_data *d, bool plane) {
  const char *natural = plane ? "natural-plane" : "natural", *geodesic = plane ? "geodesic-plane" : "geodesic";
  bool biased = true, grows = true;
  const double optimum = at(d, "optimum", "geodesic", 0), seeds = at(d, "seeds", "geodesic", 0);
  int clear = 0, fails = 0;
  for (int i = 3; i < RATES; i++) {
    biased = biased && at(d, "offset", natural, i) > 3 * at(d, "offset_error", natural, i);
    grows = grows && (i == 3 || at(d, "offset", natural, i) > at(d, "offset", natural, i - 1));
    const bool lower = clearly_lower(p, plane ? "barycenter-plane" : "barycenter", rates[i]);
    clear += lower;
    fails += lower && at(d, "loss", geodesic, i) < 1.5 * optimum; /* at the start it is twice the optimum */
  }
  const paper_verdict drift = paper_if(seeds, biased && grows ? PAPER_REPRODUCED : biased ? PAPER_PARTLY : PAPER_NOT);
  const paper_verdict high = paper_if(seeds, fails == 3 ? PAPER_REPRODUCED : fails > 0 ? PAPER_PARTLY : PAPER_NOT);
  paper_claim(r, plane ? CLAIM_BIAS_READING : CLAIM_BIAS, drift, drift,
              "Its mean offset is %.2f, %.2f and %.2f at rates 0.05, 0.1 and 0.2 (standard errors %.2f, %.2f, %.2f); at rate "
              "0.01 %.2f ± %.2f, where rate × d² says %.2f.",
              at(d, "offset", natural, 3), at(d, "offset", natural, 4), at(d, "offset", natural, 5),
              at(d, "offset_error", natural, 3), at(d, "offset_error", natural, 4), at(d, "offset_error", natural, 5),
              at(d, "offset", natural, 1), at(d, "offset_error", natural, 1), at(d, "predicted", natural, 1));
  paper_claim(r, plane ? CLAIM_HIGH_RATE_READING : CLAIM_HIGH_RATE, high, high,
              "Mean loss of the last 200 iterations over the least possible one, %.2f, at rates 0.05, 0.1, 0.2: natural %.2f, "
              "%.2f, %.2f; geodesic %.2f, %.2f, %.2f; clear at %d of 3. (At a constant rate neither converges: the geodesic "
              "points keep hovering around the optimum.)",
              optimum, at(d, "loss", natural, 3) / optimum, at(d, "loss", natural, 4) / optimum,
              at(d, "loss", natural, 5) / optimum, at(d, "loss", geodesic, 3) / optimum, at(d, "loss", geodesic, 4) / optimum,
              at(d, "loss", geodesic, 5) / optimum, clear);
}

/* On the line, at the offset x, the loss is (d + x)² + (d - x)² = 2 d² + 2 x²: how much of the second part is the mean's. */
static void claim_cause(paper_report *r, const paper_data *d) {
  double share[RATES];
  int most = 0;
  for (int i = 3; i < RATES; i++) {
    const double squares = (at(d, "loss", "natural", i) - at(d, "optimum", "natural", i)) / 2;
    share[i] = at(d, "offset", "natural", i) * at(d, "offset", "natural", i) / squares;
    most += share[i] > 0.5;
  }
  const paper_verdict verdict = paper_if(at(d, "seeds", "natural", 3), most == RATES - 3 ? PAPER_REPRODUCED
                                                                       : most > 0        ? PAPER_PARTLY
                                                                                         : PAPER_NOT);
  paper_claim(r, CLAIM_BIAS_CAUSE, verdict, verdict,
              "Of what the natural update's loss is above the least, the squared mean offset makes %.0f, %.0f and %.0f %% at "
              "rates 0.05, 0.1 and 0.2; the rest is the spread.",
              100 * share[3], 100 * share[4], 100 * share[5]);
}

static void claim_others(paper_report *r, const paper_data *d) {
  double euclidean = (double)INFINITY;
  int same = 0;
  for (int i = 0; i < RATES; i++)
    euclidean = fmin(euclidean, at(d, "loss", "euclidean", i) / at(d, "optimum", "euclidean", i));
  for (int i = 0; i < 3; i++)
    same += at(d, "arrival", "natural", i) > 0.95 * at(d, "arrival", "geodesic", i);
  const paper_verdict fails = euclidean > 2 ? PAPER_REPRODUCED : PAPER_NOT;
  const paper_verdict cause = paper_if(at(d, "seeds", "geodesic", 0), same == 3  ? PAPER_REPRODUCED
                                                                      : same > 0 ? PAPER_PARTLY
                                                                                 : PAPER_NOT);
  paper_claim(r, CLAIM_EUCLIDEAN, fails, fails, "Its final loss is at least %.2f times the least possible one, at every rate.",
              euclidean);
  paper_claim(r, CLAIM_LOW_RATE_CAUSE, cause, cause,
              "To arrive, the median natural run needs %.0f, %.0f and %.0f iterations at rates 0.0001, 0.01 and 0.02, the "
              "geodesic one %.0f, %.0f and %.0f.",
              at(d, "arrival", "natural", 0), at(d, "arrival", "natural", 1), at(d, "arrival", "natural", 2),
              at(d, "arrival", "geodesic", 0), at(d, "arrival", "geodesic", 1), at(d, "arrival", "geodesic", 2));
}

/* Whether an update ends in the plane with the loss it has on the line, to within three standard errors, at rates 0.1 and 0.2. */
static bool same_in_plane(const paper_data *d, const char *line, const char *plane) {
  bool same = true;
  for (int i = 4; i < RATES; i++)
    same = same && fabs(at(d, "loss", plane, i) - at(d, "loss", line, i)) <=
                       3 * hypot(at(d, "loss_error", plane, i), at(d, "loss_error", line, i));
  return same;
}

static void say_plane(paper_report *r, const paper_data *d) {
  const double least = at(d, "optimum", "geodesic", 0);
  static const char *const names[2][2] = {{"natural", "natural-plane"}, {"geodesic", "geodesic-plane"}};
  paper_text(r, "What the paper does not say: its theorem is about the line through both points. Started beside the line:");
  for (int k = 0; k < 2; k++) {
    const char *line = names[k][0], *plane = names[k][1];
    paper_text(r,
               "The %s update at rates 0.1 and 0.2 ends with a loss of %.3f and %.3f times the least, on the line %.3f and %.3f: "
               "%s to within three standard errors.",
               line, at(d, "loss", plane, 4) / least, at(d, "loss", plane, 5) / least, at(d, "loss", line, 4) / least,
               at(d, "loss", line, 5) / least, same_in_plane(d, line, plane) ? "the same" : "not the same");
  }
}

void paper_barycenter_report(paper *p, paper_report *r) {
  paper_data d;
  char over[64];
  if (!paper_open(p, &paper_barycenter_parts[0], "barycenter-offsets", &d))
    return;
  paper_heading(r, "Barycenter");
  paper_text(
      r,
      "Two points, (0, 0) and (1 - 1e-8, 0); each step follows the gradient of one of the two squared distances, chosen with "
      "probability 1/2. The start is uniform in ±0.001, on the line through both points (so that positions are numbers, as in "
      "the paper's theorem) or in the plane. The paper does not say how many iterations; here %.0f, and %.0f at rate 0.0001. The "
      "gradient is that of d², as in the paper's appendix, so a step goes the share 2 × rate of the way. %s.",
      paper_setting(p, "barycenter-offsets", " iterations"), paper_setting(p, "barycenter-offsets", " at rate 0.0001"),
      paper_over_seeds(at(&d, "seeds", "geodesic", 0), over));
  paper_show(r, "barycenter",
             "Above: the loss, its median over all seeds (not of the Euclidean update, which jumps), the band that holds 80 % of "
             "them, and, paler, the one that holds all. Below: where the last 200 points lie, as signed hyperbolic offset from "
             "the optimum, bins of 0.5; columns of 200 are cut. The Euclidean points are all at the rim.");
  paper_show(r, "barycenter-offsets", "The bias as a number: the mean offset over all seeds.");
  paper_table_begin(
      r,
      "update\trate\tmean offset\trate × d²\tmean loss / least\tsteps clipped\tseeds that came near\tmedian iteration at which");
  for (size_t i = 0; i < d.rows; i++) {
    const double least = paper_value(&d, i, "optimum"), seeds = paper_value(&d, i, "seeds");
    char offset[64], loss[64];
    paper_table_row(r, "%s\t%s\t%s\t%.3g\t%s\t%.2f %%\t%.0f of %.0f\t%.0f", paper_at(&d, i, "update"), paper_at(&d, i, "rate"),
                    paper_mean_text(3, paper_value(&d, i, "offset"), paper_value(&d, i, "offset_error"), seeds, offset),
                    paper_value(&d, i, "predicted"),
                    paper_mean_text(3, paper_value(&d, i, "loss") / least, paper_value(&d, i, "loss_error") / least, seeds, loss),
                    100 * paper_value(&d, i, "clipped"), paper_value(&d, i, "arrived"), seeds, paper_value(&d, i, "arrival"));
  }
  paper_table_end(r);
  claim_balance(p, r, &d);
  claim_bias(p, r, &d, false);
  claim_bias(p, r, &d, true);
  claim_cause(r, &d);
  claim_others(r, &d);
  paper_text(r,
             "The natural update's bias is predictable: a step of length s comes out longer outwards than inwards by s² to "
             "second order; with steps of 2 × rate × d and a pull back of 2 × rate the mean settles at rate × d², where d = %.3f "
             "is the distance of the optimum from either point, until clipping limits it.",
             sqrt(at(&d, "optimum", "geodesic", 0) / 2));
  if (at(&d, "seeds", "geodesic", 0) >= 5)
    say_plane(r, &d);
  paper_close(&d);
}

void paper_barycenter_times(paper *p, paper_report *r) {
  paper_times_report(p, &paper_barycenter_parts[1], r);
  paper_cost_report(p, &paper_barycenter_parts[2], r);
}

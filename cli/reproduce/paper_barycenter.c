/* paper_barycenter.c - the paper's barycenter experiment: stochastic descent on d(p, q0)^2 + d(p, q1)^2 for q0 = (0, 0) and
 * q1 = (1 - 1e-8, 0), one of the two squared distances at a time. How the loss goes, where the last 200 points lie, the mean
 * offset from the optimum with its standard error over many seeds, and the same at equal time (paper_times.c). */
#include "paper.h"
#include "paper_walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DRAWN = PAPER_WALK_DRAWN, RULES = PAPER_WALK_RULES, RATES = PAPER_WALK_RATES, LAST = PAPER_WALK_LAST };
enum { POINTS = 150, BINS = 120 };

static const double *const rates = paper_walk_rates;
static const char *const *const rules = paper_walk_rules;
static const double bin_width = 0.5;

static size_t seeds_of(const paper *p) { return p->quick ? 20 : 100; }

/* At rate 0.0001 fewer iterations do not arrive: the offset falls by the factor 1 - 2 rate a step. */
static uint64_t iterations_of(const paper *p, int rate) { return p->quick && rate > 0 ? 2000 : 50000; }

static void settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "anchors (0,0) and (1-1e-8,0), gradient of d^2, margin 1e-10, start uniform in +-0.001 (on the line or in the plane), "
           "%zu seeds, %llu iterations "
           "(%llu at "
           "rate 0.0001), last %d of them",
           seeds_of(p), (unsigned long long)iterations_of(p, 1), (unsigned long long)iterations_of(p, 0), LAST);
}

/* One run. */
typedef struct walk {
  double offset, loss; /* means of the last iterations */
  double arrival;      /* the first iteration that is nearer to the optimum than near_share of its distance; inf: none */
} walk;

typedef struct walks {
  const paper *p;
  size_t seeds;
  walk *all;                         /* RULES x RATES x seeds */
  double at[RATES][POINTS];          /* iterations whose loss is kept, of seed 0 */
  double loss[RULES][RATES][POINTS]; /* */
  int counts[RULES][RATES][BINS];    /* where the last points of seed 0 lie; bin 0 begins at -BINS/2 - 20 widths */
} walks;

static const int first_bin = -80;

/* At rate 0.0001 the plane shows nothing that the line does not. */
static bool left_out(int rule, int rate) { return rule >= DRAWN && rate == 0; }

static void walk_job(void *arg, size_t index) {
  walks *all = arg;
  const uint64_t seed = index % all->seeds;
  const int rate = (int)(index / all->seeds % RATES), rule = (int)(index / all->seeds / RATES);
  if (left_out(rule, rate))
    return;
  const uint64_t iterations = iterations_of(all->p, rate);
  paper_walker w = paper_walker_start(rule, rate, seed);
  walk *out = &all->all[index];
  *out = (walk){0, 0, (double)INFINITY};
  int point = 0;
  for (uint64_t t = 0; t <= iterations; t++) {
    if (t > 0)
      paper_walker_step(&w);
    if (isinf(out->arrival) && paper_walker_is_near(&w))
      out->arrival = (double)t;
    while (seed == 0 && point < POINTS && (double)t >= all->at[rate][point])
      all->loss[rule][rate][point++] = paper_walker_loss(&w);
    if (t + LAST <= iterations)
      continue;
    const double offset = paper_walker_offset(&w);
    out->offset += offset / LAST;
    out->loss += paper_walker_loss(&w) / LAST;
    if (seed == 0) {
      const int bin = (int)floor(offset / bin_width) - first_bin;
      all->counts[rule][rate][bin < 0 ? 0 : bin < BINS ? bin : BINS - 1]++;
    }
  }
}

/* Iterations 0, 1, 2 ... spaced evenly on a logarithmic scale. */
static void choose_points(walks *all) {
  for (int rate = 0; rate < RATES; rate++) {
    const double last = (double)iterations_of(all->p, rate);
    for (int i = 0; i < POINTS; i++) {
      const double even = floor(exp(log(last) * i / (POINTS - 1)) + 0.5), before = i > 0 ? all->at[rate][i - 1] : 0;
      all->at[rate][i] = fmin(last, fmax(even, i > 0 ? before + 1 : 0));
    }
  }
}

static void write_offsets(const walks *all, paper_buffer *out) {
  const size_t n = all->seeds;
  const paper_walker w = paper_walker_start(0, 0, 0);
  double *values = geodisk_allocate(n, sizeof *values);
  out->failed |= values == NULL;
  for (size_t k = 0; values != NULL && k < (size_t)RULES * RATES; k++) {
    const walk *runs = &all->all[k * n];
    const double rate = rates[k % RATES];
    double arrived = 0;
    if (left_out((int)(k / RATES), (int)(k % RATES)))
      continue;
    for (size_t i = 0; i < n; i++)
      values[i] = runs[i].offset;
    const paper_mean offset = paper_mean_of(n, values);
    for (size_t i = 0; i < n; i++)
      values[i] = runs[i].loss;
    const paper_mean loss = paper_mean_of(n, values);
    for (size_t i = 0; i < n; i++) {
      values[i] = runs[i].arrival;
      arrived += isfinite(values[i]);
    }
    paper_cell(out, rules[k / RATES]);
    paper_numbers(out, 10,
                  (const double[]){rate, offset.mean, offset.error, loss.mean, loss.error, 2 * w.optimum * w.optimum,
                                   rate * w.optimum * w.optimum, arrived, paper_quantile(n, values, 0.5), (double)n});
    paper_end_row(out);
  }
  free(values);
}

static int run_walks(paper *p, paper_buffer *out) {
  walks *all = geodisk_allocate_zero(1, sizeof *all);
  const size_t n = seeds_of(p), count = (size_t)RULES * RATES * n;
  walk *runs = geodisk_allocate(count, sizeof *runs);
  int code = EXIT_FAILED;
  if (all == NULL || runs == NULL) {
    cli_error("not enough memory");
    goto done;
  }
  all->p = p;
  all->seeds = n;
  all->all = runs;
  choose_points(all);
  code = paper_jobs(p, count, walk_job, all, 0, 1);
  if (code != EXIT_OK)
    goto done;
  write_offsets(all, &out[0]);
  for (int rule = 0; rule < DRAWN; rule++)
    for (int rate = 0; rate < RATES; rate++) {
      for (int i = 0; i < POINTS; i++) {
        paper_cell(&out[1], rules[rule]);
        paper_numbers(&out[1], 3, (const double[]){rates[rate], all->at[rate][i], all->loss[rule][rate][i]});
        paper_end_row(&out[1]);
      }
      for (int i = 0; i < BINS; i++) {
        if (all->counts[rule][rate][i] == 0)
          continue;
        paper_cell(&out[2], rules[rule]);
        paper_numbers(&out[2], 3, (const double[]){rates[rate], (i + first_bin + 0.5) * bin_width, all->counts[rule][rate][i]});
        paper_end_row(&out[2]);
      }
    }
done:
  free(all);
  free(runs);
  return code;
}

static const paper_part parts[] = {
    {{"barycenter-offsets", "barycenter-trace", "barycenter-histogram"},
     {"update\trate\toffset\toffset_error\tloss\tloss_error\toptimum\tpredicted\tarrived\tarrival\tseeds",
      "update\trate\titeration\tloss", "update\trate\toffset\tcount"},
     settings,
     run_walks,
     4,
     90},
    {{"varies-barycenter-equal", "varies-barycenter-trace"},
     {"update\trate\tnanoseconds\titerations\tspent\tloss\tloss_error\toffset\toffset_error\tarrival\tseeds",
      "update\trate\tmilliseconds\titerations\tloss\tloss_error"},
     paper_times_settings,
     paper_times_run,
     0.5,
     8},
};

/* ---- figures and report ---------------------------------------------------------------------------------------------- */

static const paper_figure figures[] = {
    {"barycenter", 1500, 900, "barycenter-trace",
     "rates = '0.0001 0.01 0.02 0.05 0.1 0.2'\n"
     "set multiplot layout 2,6 margins 0.045,0.995,0.08,0.94 spacing 0.012,0.11\n"
     "set logscale x\nset yrange [2.2:3.8]\nset format x '10^{%L}'\nset xlabel 'iteration'\nset xrange [1:*]\nset xtics 100\n"
     "set key top right samplen 2\n"
     "do for [i=1:6] {\n"
     "  q = real(word(rates, i))\n"
     "  set title 'learning rate ' . word(rates, i)\n"
     "  if (i == 1) { set ylabel 'log_{10} loss'; set format y '%.1f' } else { unset ylabel; set format y ''; set key off }\n"
     "  plot 'barycenter-trace.tsv' using (is('euclidean') && column('rate') == q ? column('iteration') : "
     "NaN):(log10(column('loss'))) "
     "with lines ls 3 title 'Euclidean', \\\n"
     "    '' using (is('natural') && column('rate') == q ? column('iteration') : NaN):(log10(column('loss'))) with lines ls 2 "
     "title "
     "'natural', \\\n"
     "    '' using (is('geodesic') && column('rate') == q ? column('iteration') : NaN):(log10(column('loss'))) with lines ls 1 "
     "title "
     "'geodesic', \\\n"
     "    log10(182.6669) with lines ls 8 title 'optimum'\n"
     "}\n"
     "unset logscale x\nunset title\nset yrange [0:110]\nset xrange [-11:16]\nset format x '%g'\nset xtics 5\n"
     "set xlabel 'offset (distance), outwards →'\n"
     "set style fill transparent solid 0.45 border\nset boxwidth 0.5\nset key top left Left reverse samplen 1\n"
     "do for [i=1:6] {\n"
     "  q = real(word(rates, i))\n"
     "  if (i == 1) { set ylabel 'points of the last 200'; set format y '%g' } else { unset ylabel; set format y '' }\n"
     "  if (i == 2) { set key on } else { set key off }\n"
     "  plot 'barycenter-histogram.tsv' using (is('euclidean') && column('rate') == q ? column('offset') : "
     "NaN):(column('count')) with "
     "boxes lc rgb '#009E73' title 'Euclidean', \\\n"
     "    '' using (is('natural') && column('rate') == q ? column('offset') : NaN):(column('count')) with boxes lc rgb '#D55E00' "
     "title 'natural', \\\n"
     "    '' using (is('geodesic') && column('rate') == q ? column('offset') : NaN):(column('count')) with boxes lc rgb "
     "'#0072B2' title "
     "'geodesic'\n"
     "}\n"
     "unset multiplot\n"},
    {"barycenter-offsets", 900, 560, "barycenter-offsets",
     "set logscale x\nset xrange [0.00007:0.3]\nset xlabel 'learning rate'\nset ylabel 'mean offset from the optimum (hyperbolic "
     "distance)'\n"
     "set key top left Left reverse\nset yrange [-1.5:14]\nset format x '%g'\n"
     "plot 'barycenter-offsets.tsv' using (pick('natural-plane', 'rate')):'offset':(3*column('offset_error')) with yerrorlines "
     "ls 5 title "
     "'natural, start off the line', \\\n"
     "  '' using (pick('natural', 'rate')):'offset':(3*column('offset_error')) with yerrorlines ls 2 "
     "title "
     "'natural, ± 3 standard errors', \\\n"
     "  '' using (pick('geodesic', 'rate')):'offset':(3*column('offset_error')) with yerrorlines ls 1 title 'geodesic, ± 3 "
     "standard errors', \\\n"
     "  '' using (is('natural') && column('rate') < 0.1 ? column('rate') : NaN):'predicted' with lines ls 8 title 'natural, "
     "first "
     "order: rate × (half the distance)^2'\n"},
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

static void report_claims(paper_report *r, const paper_data *d) {
  double worst = 0, euclidean = (double)INFINITY;
  bool biased = true, grows = true, fails = true;
  for (int i = 0; i < RATES; i++) {
    worst = fmax(worst, fabs(at(d, "offset", "geodesic", i)) / at(d, "offset_error", "geodesic", i));
    if (i > 0)
      worst = fmax(worst, fabs(at(d, "offset", "geodesic-plane", i)) / at(d, "offset_error", "geodesic-plane", i));
    euclidean = fmin(euclidean, at(d, "loss", "euclidean", i) / at(d, "optimum", "euclidean", i));
    if (rates[i] < 0.05)
      continue;
    biased = biased && at(d, "offset", "natural", i) > 3 * at(d, "offset_error", "natural", i);
    grows = grows && (i == 0 || rates[i - 1] < 0.05 || at(d, "offset", "natural", i) > at(d, "offset", "natural", i - 1));
    fails = fails && at(d, "loss", "natural", i) > at(d, "loss", "geodesic", i);
  }
  const double optimum = at(d, "optimum", "geodesic", 0);
  paper_claim(r, worst <= 3 ? PAPER_REPRODUCED : PAPER_NOT,
              "The geodesic update is balanced at the optimum (theorem), at every learning rate",
              "The mean offset is within %.2f standard errors of 0 at all six rates, on the line and in the plane (bound: 3).",
              worst);
  paper_claim(r,
              biased && grows ? PAPER_REPRODUCED
              : biased        ? PAPER_PARTLY
                              : PAPER_NOT,
              "The natural update is biased outwards, the more the higher the rate",
              "Its mean offset is %.2f, %.2f and %.2f at rates 0.05, 0.1 and 0.2 (standard errors %.2f, %.2f, %.2f); at rate "
              "0.01 already "
              "%.2f ± %.2f, where rate × d² says %.2f.",
              at(d, "offset", "natural", 3), at(d, "offset", "natural", 4), at(d, "offset", "natural", 5),
              at(d, "offset_error", "natural", 3), at(d, "offset_error", "natural", 4), at(d, "offset_error", "natural", 5),
              at(d, "offset", "natural", 1), at(d, "offset_error", "natural", 1), at(d, "predicted", "natural", 1));
  paper_claim(
      r, fails ? PAPER_REPRODUCED : PAPER_PARTLY,
      "At a high rate the natural update fails to minimise the loss, the geodesic update does not",
      "Mean loss of the last 200 iterations over the least possible one, %.2f, at rates 0.05, 0.1, 0.2: natural %.2f, %.2f, "
      "%.2f; "
      "geodesic %.2f, %.2f, %.2f. (At a constant rate neither converges: the geodesic points keep hovering around the optimum.)",
      optimum, at(d, "loss", "natural", 3) / optimum, at(d, "loss", "natural", 4) / optimum,
      at(d, "loss", "natural", 5) / optimum, at(d, "loss", "geodesic", 3) / optimum, at(d, "loss", "geodesic", 4) / optimum,
      at(d, "loss", "geodesic", 5) / optimum);
  paper_claim(r, euclidean > 2 ? PAPER_REPRODUCED : PAPER_NOT, "The Euclidean update fails even at extremely small rates",
              "Its final loss is at least %.2f times the least possible one, at every rate.", euclidean);
}

static void report_times(paper *p, paper_report *r) { paper_times_report(p, &parts[1], r); }

static void report(paper *p, paper_report *r) {
  paper_data d;
  if (!paper_open(p, &parts[0], "barycenter-offsets", &d))
    return;
  paper_heading(r, "Barycenter");
  paper_text(
      r,
      "Two points, (0, 0) and (1 - 1e-8, 0); each step follows the gradient of one of the two squared distances, chosen with "
      "probability 1/2. The start is uniform in ±0.001, on the line through both points (so that positions are numbers, as in "
      "the paper's theorem) or in the plane. The paper does not say how many iterations; 50,000 are what rate 0.0001 "
      "needs to arrive%s. The gradient is that of d², as in the paper's appendix, so a step goes the share 2 × rate of the way.",
      p->quick ? " (quick: 2,000 at the other rates)" : "");
  paper_show(r, "barycenter",
             "Above: the loss of seed 0. Below: where its last 200 points lie, as signed hyperbolic offset from the optimum, "
             "bins of 0.5; columns of 200 are cut. The Euclidean points are all at the rim.");
  paper_show(r, "barycenter-offsets", "The bias as a number: the mean offset over all seeds.");
  paper_table_begin(r,
                    "update\trate\tmean offset\tstandard error\tmean loss\tstandard error\tloss / optimum\tseeds that came near");
  for (size_t i = 0; i < d.rows; i++)
    paper_table_row(r, "%s\t%s\t%.4f\t%.4f\t%.2f\t%.2f\t%.3f\t%.0f of %.0f", paper_at(&d, i, "update"), paper_at(&d, i, "rate"),
                    paper_value(&d, i, "offset"), paper_value(&d, i, "offset_error"), paper_value(&d, i, "loss"),
                    paper_value(&d, i, "loss_error"), paper_value(&d, i, "loss") / paper_value(&d, i, "optimum"),
                    paper_value(&d, i, "arrived"), paper_value(&d, i, "seeds"));
  paper_table_end(r);
  report_claims(r, &d);
  paper_close(&d);
}

const paper_experiment paper_barycenter = {"barycenter", "Barycenter", parts, 2, figures, 3, report, report_times};

/* paper_barycenter.c - the paper's barycenter experiment: stochastic descent on d(p, q0)^2 + d(p, q1)^2 for q0 = (0, 0) and
 * q1 = (1 - 1e-8, 0), one of the two squared distances at a time. How the loss goes, where the last 200 points lie, the mean
 * offset from the optimum with its standard error over many seeds, and the same at equal time. */
#include "bench.h"
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DRAWN = 3, RULES = 5, RATES = 6, LAST = 200, POINTS = 150, BINS = 120, DIM = 2 };

/* Starting on the line through both anchors, and, the last two, anywhere in the plane. */
static const char *const rules[RULES] = {"geodesic", "natural", "euclidean", "geodesic-plane", "natural-plane"};
static const double rates[RATES] = {0.0001, 0.01, 0.02, 0.05, 0.1, 0.2};
static const double second[DIM] = {1 - 1e-8, 0}, range = 0.001, bin_width = 0.5, near_share = 0.05;

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

/* The point that walks. */
typedef struct walker {
  geodisk_ball ball;
  geodisk_update rule;
  double rate, x[DIM], gap, anchors[2][DIM], gaps[2], optimum; /* optimum: distance of the barycenter from either anchor */
  geodisk_random random;
} walker;

static walker walker_start(int rule, int rate, uint64_t seed) {
  walker w = {.ball = geodisk_unit_ball(DIM), .rule = (geodisk_update)(rule % DRAWN), .rate = rates[rate], .anchors = {{0, 0}}};
  geodisk_random start = geodisk_random_stream(seed, 0);
  for (int d = 0; d < DIM; d++) {
    w.anchors[1][d] = second[d];
    w.x[d] = d == 0 || rule >= DRAWN ? range * (2 * geodisk_random_uniform(&start) - 1) : 0;
  }
  for (int i = 0; i < 2; i++)
    w.gaps[i] = geodisk_gap(&w.ball, w.anchors[i]);
  w.gap = geodisk_gap(&w.ball, w.x);
  w.optimum = geodisk_distance(&w.ball, w.anchors[0], w.anchors[1]) / 2;
  w.random = geodisk_random_stream(seed, 1 + (uint64_t)rate);
  return w;
}

/* One step against the gradient of d(p, q)^2, -2 log_p(q), for one of the anchors. */
static void walker_step(walker *w) {
  double v[DIM];
  const uint32_t i = geodisk_random_bits32(&w->random) & 1;
  geodisk_log_gap(&w->ball, w->x, w->gap, w->anchors[i], w->gaps[i], v);
  for (int d = 0; d < DIM; d++)
    v[d] *= 2 * w->rate;
  geodisk_update_point(&w->ball, w->rule, GEODISK_DEFAULT_MARGIN, w->x, w->gap, v, w->x, &w->gap);
}

/* How much farther out than the optimum. */
static double walker_offset(const walker *w) { return geodisk_radius_from_gap(&w->ball, w->gap) - w->optimum; }

static double walker_loss(const walker *w) {
  const double a = geodisk_distance_gap(&w->ball, w->x, w->gap, w->anchors[0], w->gaps[0]);
  const double b = geodisk_distance_gap(&w->ball, w->x, w->gap, w->anchors[1], w->gaps[1]);
  return a * a + b * b;
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
  walker w = walker_start(rule, rate, seed);
  walk *out = &all->all[index];
  *out = (walk){0, 0, (double)INFINITY};
  int point = 0;
  for (uint64_t t = 0; t <= iterations; t++) {
    if (t > 0)
      walker_step(&w);
    const double offset = walker_offset(&w);
    if (isinf(out->arrival) && fabs(offset) <= near_share * w.optimum)
      out->arrival = (double)t;
    while (seed == 0 && point < POINTS && (double)t >= all->at[rate][point])
      all->loss[rule][rate][point++] = walker_loss(&w);
    if (t + LAST <= iterations)
      continue;
    out->offset += offset / LAST;
    out->loss += walker_loss(&w) / LAST;
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
  const walker w = walker_start(0, 0, 0);
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

/* ---- equal time ------------------------------------------------------------------------------------------------------ */

static int run_times(paper *p, paper_buffer *out);

static const paper_part parts[] = {
    {{"barycenter-offsets", "barycenter-trace", "barycenter-histogram"},
     {"update\trate\toffset\toffset_error\tloss\tloss_error\toptimum\tpredicted\tarrived\tarrival\tseeds",
      "update\trate\titeration\tloss", "update\trate\toffset\tcount"},
     settings,
     run_walks,
     4,
     170},
    {{"varies-barycenter-steps", "varies-barycenter-trace"},
     {"update\trate\tnanoseconds\tarrival\tmilliseconds", "update\trate\tmilliseconds\tloss"},
     settings,
     run_times,
     0.5,
     1},
};

/* Nanoseconds of a step, gradient included: the best of several measurements. */
static double step_time(int rule) {
  enum { STEPS = 5000, TIMES = 10 };
  double best = (double)INFINITY;
  for (int i = 0; i < TIMES; i++) {
    walker w = walker_start(rule, 1, 0);
    const bench_time start = bench_now();
    for (int t = 0; t < STEPS; t++)
      walker_step(&w);
    best = fmin(best, bench_since(start).cpu);
  }
  return 1e9 * best / STEPS;
}

static int run_times(paper *p, paper_buffer *out) {
  paper_data offsets, trace;
  double ns[DRAWN];
  const bool there = paper_open(p, &parts[0], "barycenter-offsets", &offsets);
  if (!paper_open(p, &parts[0], "barycenter-trace", &trace) || !there) {
    paper_close(&offsets);
    paper_close(&trace);
    return cli_error("barycenter-offsets.tsv and barycenter-trace.tsv have gone");
  }
  for (int rule = 0; rule < DRAWN; rule++)
    ns[rule] = step_time(rule);
  for (int rule = 0; rule < DRAWN; rule++) {
    for (size_t i = 0; i < offsets.rows; i++)
      if (paper_row_is(&offsets, i, rules[rule])) {
        const double arrival = paper_value(&offsets, i, "arrival");
        paper_cell(&out[0], rules[rule]);
        paper_numbers(&out[0], 4,
                      (const double[]){paper_value(&offsets, i, "rate"), ns[rule], arrival, 1e-6 * arrival * ns[rule]});
        paper_end_row(&out[0]);
      }
    for (size_t i = 0; i < trace.rows; i++)
      if (paper_row_is(&trace, i, rules[rule])) {
        paper_cell(&out[1], rules[rule]);
        paper_numbers(&out[1], 3,
                      (const double[]){paper_value(&trace, i, "rate"), 1e-6 * ns[rule] * paper_value(&trace, i, "iteration"),
                                       paper_value(&trace, i, "loss")});
        paper_end_row(&out[1]);
      }
  }
  paper_close(&offsets);
  paper_close(&trace);
  return EXIT_OK;
}

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
     "set xlabel 'offset, outwards →'\n"
     "set style fill solid 0.55 border\nset boxwidth 0.5\nset key top right samplen 1\n"
     "do for [i=1:6] {\n"
     "  q = real(word(rates, i))\n"
     "  if (i == 1) { set ylabel 'points of the last 200'; set format y '%g'; set key on } else { unset ylabel; set format y ''; "
     "set key "
     "off }\n"
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
    {"varies-barycenter", 1100, 520, "varies-barycenter-trace",
     "set multiplot layout 1,2 margins 0.07,0.98,0.13,0.92 spacing 0.08\n"
     "set logscale x\nset xlabel 'milliseconds'\nset ylabel 'log_{10} loss'\nset key top right\nset yrange [2.2:3.0]\n"
     "do for [i=1:2] {\n"
     "  q = i == 1 ? 0.01 : 0.2\n"
     "  set title sprintf('learning rate %g', q)\n"
     "  plot 'varies-barycenter-trace.tsv' using (is('natural') && column('rate') == q ? column('milliseconds') : "
     "NaN):(log10(column('loss'))) with lines ls 2 title 'natural', \\\n"
     "    '' using (is('geodesic') && column('rate') == q ? column('milliseconds') : NaN):(log10(column('loss'))) with lines ls "
     "1 title "
     "'geodesic', \\\n"
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

static void report_times(paper *p, paper_report *r) {
  paper_data times;
  if (!paper_open(p, &parts[1], "varies-barycenter-steps", &times))
    return;
  paper_show(r, "varies-barycenter", "The loss against time, at a low and at a high rate.");
  paper_table_begin(r, "update\tns a step\tms to come within 5 % of the way, rate 0.0001\t0.01\t0.02\t0.05\t0.1\t0.2");
  for (int rule = 0; rule < DRAWN - 1; rule++)
    paper_table_row(r, "%s\t%.0f\t%.2f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f", rules[rule], at(&times, "nanoseconds", rules[rule], 0),
                    at(&times, "milliseconds", rules[rule], 0), at(&times, "milliseconds", rules[rule], 1),
                    at(&times, "milliseconds", rules[rule], 2), at(&times, "milliseconds", rules[rule], 3),
                    at(&times, "milliseconds", rules[rule], 4), at(&times, "milliseconds", rules[rule], 5));
  paper_table_end(r);
  const double low_g = at(&times, "milliseconds", "geodesic", 1), low_n = at(&times, "milliseconds", "natural", 1);
  double best_g = (double)INFINITY, best_n = (double)INFINITY;
  for (int i = 0; i < RATES; i++) {
    best_g = fmin(best_g, at(&times, "milliseconds", "geodesic", i));
    best_n = fmin(best_n, at(&times, "milliseconds", "natural", i));
  }
  paper_claim(r,
              low_n < low_g && best_g < best_n ? PAPER_REPRODUCED
              : low_n < low_g                  ? PAPER_PARTLY
                                               : PAPER_NOT,
              "The natural update is faster at a low rate, since its step is cheaper; the geodesic update arrives sooner by a "
              "higher rate",
              "A natural step takes %.0f ns, a geodesic one %.0f ns; at rate 0.01 they arrive after %.3f and %.3f ms, at the "
              "best of the six "
              "rates after %.3f and %.3f ms.",
              at(&times, "nanoseconds", "natural", 0), at(&times, "nanoseconds", "geodesic", 0), low_n, low_g, best_n, best_g);
  paper_close(&times);
}

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

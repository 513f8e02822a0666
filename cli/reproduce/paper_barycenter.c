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

static size_t seeds_of(const paper *p) { return paper_seeds(p, 10, 100); }

/* At rate 0.0001 fewer iterations do not arrive: the offset falls by the factor 1 - 2 rate a step. */
static uint64_t iterations_of(const paper *p, int rate) {
  if (p->iterations > 0)
    return (uint64_t)p->iterations;
  return p->quick ? (rate == 0 ? 40000 : 2000) : (rate == 0 ? 50000 : 10000);
}

static void settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "anchors (0,0) and (1-1e-8,0), gradient of d^2, margin 1e-10, start uniform in +-0.001 (on the line or in the plane), "
           "%zu seeds from %lld on, %llu iterations (%llu at rate 0.0001), last %d of them",
           seeds_of(p), (long long)p->seed, (unsigned long long)iterations_of(p, 1), (unsigned long long)iterations_of(p, 0),
           LAST);
}

enum { OFFSET, LOSS, ARRIVAL, CLIPPED, MEASURES };

typedef struct walks {
  const paper *p;
  size_t seeds;
  double *values; /* RULES x RATES x seeds x MEASURES: means of the last iterations; the first iteration that is nearer to
                     the optimum than 5 % of its distance, NaN: none; the share of steps that were clipped */
  double *traces; /* DRAWN x RATES x POINTS x seeds: the loss on the way */
  double at[RATES][POINTS];          /* at these iterations */
  double counts[DRAWN][RATES][BINS]; /* where the last points lie, for all seeds; bin 0 begins at -BINS/2 - 20 widths */
  unsigned char *bins;               /* DRAWN x RATES x seeds x LAST: the same by run */
} walks;

static const int first_bin = -80;

/* At rate 0.0001 the plane shows nothing that the line does not. */
static bool left_out(int rule, int rate) { return rule >= DRAWN && rate == 0; }

/* What is kept of a walk at iteration t. */
static void keep(walks *all, const paper_walker *w, size_t index, uint64_t t, int *point) {
  const size_t seed = index % all->seeds, setting = index / all->seeds;
  const int rate = (int)(setting % RATES), rule = (int)(setting / RATES);
  const uint64_t iterations = iterations_of(all->p, rate);
  double *out = all->values + index * MEASURES;
  if (isnan(out[ARRIVAL]) && paper_walker_is_near(w))
    out[ARRIVAL] = (double)t;
  for (; rule < DRAWN && *point < POINTS && (double)t >= all->at[rate][*point]; ++*point)
    all->traces[(setting * POINTS + (size_t)*point) * all->seeds + seed] = paper_walker_loss(w);
  if (t + LAST <= iterations)
    return;
  const double offset = paper_walker_offset(w);
  out[OFFSET] += offset / LAST;
  out[LOSS] += paper_walker_loss(w) / LAST;
  if (rule < DRAWN) {
    const int bin = (int)floor(offset / bin_width) - first_bin;
    all->bins[index * LAST + (size_t)(iterations - t)] = (unsigned char)(bin < 0 ? 0 : bin < BINS ? bin : BINS - 1);
  }
}

static void walk_job(void *arg, size_t index) {
  walks *all = arg;
  const uint64_t seed = (uint64_t)all->p->seed + index % all->seeds;
  const int rate = (int)(index / all->seeds % RATES), rule = (int)(index / all->seeds / RATES);
  if (left_out(rule, rate))
    return;
  const uint64_t iterations = iterations_of(all->p, rate);
  paper_walker w = paper_walker_start(rule, rate, seed);
  double *out = all->values + index * MEASURES, clipped = 0;
  out[ARRIVAL] = (double)NAN;
  int point = 0;
  for (uint64_t t = 0; t <= iterations; t++) {
    if (t > 0)
      paper_walker_step(&w);
    clipped += w.clipped;
    keep(all, &w, index, t, &point);
  }
  out[CLIPPED] = clipped / (double)iterations;
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

/* The summary: means, how many came near, when the median one did (infinite: half of them never), and what is expected. */
static void write_offsets(const walks *all, paper_buffer *out) {
  const size_t n = all->seeds;
  const paper_walker w = paper_walker_start(0, 0, 0);
  double values[PAPER_MOST_SEEDS];
  for (size_t k = 0; k < (size_t)RULES * RATES; k++) {
    const double *runs = all->values + k * n * MEASURES, rate = rates[k % RATES];
    paper_mean means[MEASURES];
    double arrived = 0;
    if (left_out((int)(k / RATES), (int)(k % RATES)))
      continue;
    for (int m = 0; m < MEASURES; m++) {
      for (size_t i = 0; i < n; i++)
        values[i] = runs[i * MEASURES + (size_t)m];
      means[m] = paper_mean_of(n, values);
    }
    for (size_t i = 0; i < n; i++) {
      const double arrival = runs[i * MEASURES + ARRIVAL];
      arrived += isnan(arrival) ? 0 : 1;
      values[i] = isnan(arrival) ? (double)INFINITY : arrival;
    }
    paper_cell(out, rules[k / RATES]);
    paper_numbers(out, 12,
                  (const double[]){rate, means[OFFSET].mean, means[OFFSET].error, means[LOSS].mean, means[LOSS].error,
                                   2 * w.optimum * w.optimum, rate * w.optimum * w.optimum, arrived,
                                   paper_quantile(n, values, 0.5), means[CLIPPED].mean, paper_walk_clips_at(), (double)n});
    paper_end_row(out);
  }
}

static void write_seeds(const walks *all, paper_buffer *out) {
  paper_buffer summary = {0};
  const paper_sheet sheet = {&summary, out, (uint64_t)all->p->seed, MEASURES};
  for (size_t k = 0; k < (size_t)RULES * RATES; k++) {
    char keys[64], rate[GEODISK_NUMBER_BYTES];
    snprintf(keys, sizeof keys, "%s\t%s", rules[k / RATES], shortest_double(rates[k % RATES], rate));
    if (!left_out((int)(k / RATES), (int)(k % RATES)))
      paper_add_runs(&sheet, keys, all->seeds, all->values + k * all->seeds * MEASURES);
  }
  out->failed |= summary.failed;
  free(summary.text);
}

/* Median of the loss over all seeds, the band that holds all of them and the one that holds 80 %; and the histogram of the last
 * points of a run. */
static void write_drawn(walks *all, int rule, int rate, paper_buffer *trace, paper_buffer *histogram) {
  const size_t setting = (size_t)rule * RATES + (size_t)rate, n = all->seeds;
  for (size_t i = 0; i < POINTS; i++) {
    double *values = all->traces + (setting * POINTS + i) * n;
    paper_cell(trace, rules[rule]);
    paper_numbers(trace, 7,
                  (const double[]){rates[rate], all->at[rate][i], paper_quantile(n, values, 0), paper_quantile(n, values, 0.1),
                                   paper_quantile(n, values, 0.5), paper_quantile(n, values, 0.9), paper_quantile(n, values, 1)});
    paper_end_row(trace);
  }
  for (size_t i = 0; i < n * LAST; i++)
    all->counts[rule][rate][all->bins[setting * n * LAST + i]] += 1 / (double)n;
  for (int i = 0; i < BINS; i++) {
    if (all->counts[rule][rate][i] == 0)
      continue;
    paper_cell(histogram, rules[rule]);
    paper_numbers(histogram, 3, (const double[]){rates[rate], (i + first_bin + 0.5) * bin_width, all->counts[rule][rate][i]});
    paper_end_row(histogram);
  }
}

static int run_walks(paper *p, paper_buffer *out) {
  const size_t n = seeds_of(p), count = (size_t)RULES * RATES * n, drawn = (size_t)DRAWN * RATES * n;
  walks *all = geodisk_allocate_zero(1, sizeof *all);
  double *values = geodisk_allocate_zero(count * MEASURES, sizeof *values);
  double *traces = geodisk_allocate_zero(drawn * POINTS, sizeof *traces);
  unsigned char *bins = geodisk_allocate_zero(drawn * LAST, 1);
  int code = all == NULL || values == NULL || traces == NULL || bins == NULL ? cli_error("not enough memory") : EXIT_OK;
  if (code == EXIT_OK && all != NULL) {
    *all = (walks){.p = p, .seeds = n, .values = values, .traces = traces, .bins = bins};
    choose_points(all);
    code = paper_jobs(p, count, walk_job, all, 0, 1);
  }
  if (code == EXIT_OK && all != NULL) {
    write_offsets(all, &out[0]);
    write_seeds(all, &out[3]);
    for (int k = 0; k < DRAWN * RATES; k++)
      write_drawn(all, k / RATES, k % RATES, &out[1], &out[2]);
  }
  geodisk_free_all(all, values, traces, bins);
  return code;
}

const paper_part paper_barycenter_parts[] = {
    {{"barycenter-offsets", "barycenter-trace", "barycenter-histogram", "barycenter-seeds"},
     {"update\trate\toffset\toffset_error\tloss\tloss_error\toptimum\tpredicted\tarrived\tarrival\tclipped\tclips_at\tseeds",
      "update\trate\titeration\tleast\tlow\tloss\thigh\tmost", "update\trate\toffset\tcount",
      "update\trate\tseed\toffset\tloss\tarrival\tclipped"},
     settings,
     run_walks,
     4,
     25},
    {{"varies-barycenter-equal", "varies-barycenter-trace", "varies-barycenter-equal-seeds"},
     {"update\trate\tnanoseconds\titerations\tspent\tloss\tloss_error\toffset\toffset_error\tarrival\tseeds",
      "update\trate\tmilliseconds\titerations\tloss\tloss_error", "update\trate\titerations\tseed\tloss\toffset\tarrival\tspent"},
     paper_times_settings,
     paper_times_run,
     0.5,
     8},
    {{"varies-cost"}, {"dim\tnatural\ttheorem1\tgeodesic"}, paper_cost_settings, paper_cost_run, 0.2, 1},
};

const paper_experiment paper_barycenter = {"barycenter",
                                           "Barycenter",
                                           paper_barycenter_parts,
                                           3,
                                           paper_barycenter_figures,
                                           PAPER_BARYCENTER_FIGURES,
                                           paper_barycenter_report,
                                           paper_barycenter_times};

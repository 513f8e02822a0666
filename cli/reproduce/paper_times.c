/* paper_times.c - the barycenter experiment at equal time. What a step of each update takes is measured, here and now; each then
 * gets as many iterations as fit into the time that the geodesic update needs for its own, and what it spent is measured again.
 * Times differ from run to run, so these tables do. */
#include "bench/bench.h"
#include "paper_walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DRAWN = PAPER_WALK_DRAWN, RATES = PAPER_WALK_RATES, LAST = PAPER_WALK_LAST, POINTS = 80 };

static size_t seeds_of(const paper *p) { return paper_seeds(p, 5, 20); }

/* Of the geodesic update; at rate 0.0001 fewer do not arrive. */
static uint64_t iterations_of(const paper *p, int rate) {
  if (p->iterations > 0)
    return (uint64_t)p->iterations;
  return rate == 0 ? (p->quick ? 20000 : 50000) : p->quick ? 1000 : 5000;
}

void paper_times_settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "barycenter, each update for the time of %llu geodesic steps (%llu at rate 0.0001), %zu seeds; times in milliseconds "
           "of a processor; seeds from %lld on",
           (unsigned long long)iterations_of(p, 1), (unsigned long long)iterations_of(p, 0), seeds_of(p), (long long)p->seed);
}

/* Nanoseconds of a step, gradient included, for every rule and rate: the best of several measurements that take turns. */
static void measure_steps(int times, double ns[DRAWN][RATES]) {
  enum { STEPS = 4000 };
  for (int i = 0; i < times; i++)
    for (int k = 0; k < DRAWN * RATES; k++) {
      paper_walker w = paper_walker_start(k % DRAWN, k / DRAWN, 0);
      const bench_time start = bench_now();
      for (int t = 0; t < STEPS; t++)
        paper_walker_step(&w);
      double *best = &ns[k % DRAWN][k / DRAWN];
      const double time = 1e9 * bench_since(start).cpu / STEPS;
      *best = i == 0 ? time : fmin(*best, time);
    }
}

/* Seconds this thread has worked. */
static double thread_seconds(void) {
  struct timespec now;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

/* One run: the loss when each share of the time has passed, and the rest as in the table. */
typedef struct timed_walk {
  double trace[POINTS], loss, offset, arrival, spent;
} timed_walk;

typedef struct timed_walks {
  size_t seeds;
  uint64_t first;
  double ns[DRAWN][RATES];
  uint64_t iterations[DRAWN][RATES], at[DRAWN][RATES][POINTS];
  timed_walk *all; /* DRAWN x RATES x seeds */
} timed_walks;

/* Times are spaced evenly on a logarithmic scale, from that of one geodesic step on. */
static void plan_walks(const paper *p, timed_walks *walks) {
  for (int rate = 0; rate < RATES; rate++)
    for (int rule = 0; rule < DRAWN; rule++) {
      const double share = walks->ns[0][rate] / walks->ns[rule][rate], last = (double)iterations_of(p, rate);
      walks->iterations[rule][rate] = (uint64_t)(last * share);
      for (int i = 0; i < POINTS; i++)
        walks->at[rule][rate][i] = (uint64_t)(share * exp(log(last) * i / (POINTS - 1)));
    }
}

static void timed_job(void *arg, size_t index) {
  const timed_walks *walks = arg;
  const int rate = (int)(index / walks->seeds % RATES), rule = (int)(index / walks->seeds / RATES);
  const uint64_t iterations = walks->iterations[rule][rate], *at = walks->at[rule][rate];
  paper_walker w = paper_walker_start(rule, rate, walks->first + index % walks->seeds);
  timed_walk *out = &walks->all[index];
  *out = (timed_walk){.arrival = (double)INFINITY};
  const double start = thread_seconds();
  int point = 0;
  for (uint64_t t = 0; t <= iterations; t++) {
    if (t > 0)
      paper_walker_step(&w);
    if (isinf(out->arrival) && paper_walker_is_near(&w))
      out->arrival = (double)t;
    while (point < POINTS && t >= at[point])
      out->trace[point++] = paper_walker_loss(&w);
    if (t + LAST > iterations) {
      out->offset += paper_walker_offset(&w) / LAST;
      out->loss += paper_walker_loss(&w) / LAST;
    }
  }
  for (; point < POINTS; point++) /* the last time, rounded */
    out->trace[point] = paper_walker_loss(&w);
  out->spent = 1e3 * (thread_seconds() - start);
}

static void write_walks(const timed_walks *walks, int rule, int rate, paper_buffer *out) {
  const size_t n = walks->seeds;
  const timed_walk *runs = &walks->all[(size_t)(rule * RATES + rate) * n];
  const double ns = walks->ns[rule][rate], steps = (double)walks->iterations[rule][rate];
  double loss[PAPER_MOST_SEEDS], offset[PAPER_MOST_SEEDS], arrival[PAPER_MOST_SEEDS], spent[PAPER_MOST_SEEDS];
  for (size_t i = 0; i < n; i++) {
    loss[i] = runs[i].loss;
    offset[i] = runs[i].offset;
    arrival[i] = 1e-6 * ns * runs[i].arrival;
    spent[i] = runs[i].spent;
  }
  for (size_t i = 0; i < n; i++) { /* before they are sorted */
    paper_cell(&out[2], paper_walk_rules[rule]);
    paper_numbers(
        &out[2], 7,
        (const double[]){paper_walk_rates[rate], steps, (double)(walks->first + i), loss[i], offset[i], arrival[i], spent[i]});
    paper_end_row(&out[2]);
  }
  const paper_mean a = paper_mean_of(n, loss), b = paper_mean_of(n, offset);
  paper_cell(&out[0], paper_walk_rules[rule]);
  paper_numbers(&out[0], 10,
                (const double[]){paper_walk_rates[rate], ns, steps, paper_quantile(n, spent, 0.5), a.mean, a.error, b.mean,
                                 b.error, paper_quantile(n, arrival, 0.5), (double)n});
  paper_end_row(&out[0]);
  for (int i = 0; i < POINTS; i++) {
    const double at = (double)walks->at[rule][rate][i];
    for (size_t k = 0; k < n; k++)
      loss[k] = runs[k].trace[i];
    const paper_mean c = paper_mean_of(n, loss);
    paper_cell(&out[1], paper_walk_rules[rule]);
    paper_numbers(&out[1], 5, (const double[]){paper_walk_rates[rate], 1e-6 * ns * at, at, c.mean, c.error});
    paper_end_row(&out[1]);
  }
}

int paper_times_run(paper *p, paper_buffer *out) {
  timed_walks *walks = geodisk_allocate_zero(1, sizeof *walks);
  const size_t count = (size_t)DRAWN * RATES * seeds_of(p);
  timed_walk *all = geodisk_allocate(count, sizeof *all);
  int code = EXIT_FAILED;
  if (walks == NULL || all == NULL) {
    cli_error("not enough memory");
  } else {
    walks->seeds = seeds_of(p);
    walks->first = (uint64_t)p->seed;
    walks->all = all;
    measure_steps(p->quick ? 4 : 12, walks->ns);
    plan_walks(p, walks);
    code = paper_jobs(p, count, timed_job, walks, 0.1, 1);
    for (int k = 0; code == EXIT_OK && k < DRAWN * RATES; k++)
      write_walks(walks, k / RATES, k % RATES, out);
  }
  geodisk_free_all(walks, all);
  return code;
}

static double at(const paper_data *d, const char *column, int rule, int rate) {
  char text[GEODISK_NUMBER_BYTES];
  return paper_lookup(d, column, "%s\t%s", paper_walk_rules[rule], shortest_double(paper_walk_rates[rate], text));
}

void paper_times_report(paper *p, const paper_part *part, paper_report *r) {
  paper_data d;
  if (!paper_open(p, part, part->tables[0], &d))
    return;
  const paper_walker w = paper_walker_start(0, 0, 0);
  const double least = 2 * w.optimum * w.optimum, seeds = at(&d, "seeds", 0, 0);
  char over[64];
  paper_text(r,
             "Barycenter at equal time: a step of each update was timed on this machine, and each got as many iterations as fit "
             "into the time that the geodesic update takes for its own. %s; the loss is that of the last 200 iterations, over "
             "the least possible one; to arrive is to come within 5 %% of the way.",
             paper_over_seeds(seeds, over));
  paper_show(r, "varies-barycenter", "The mean loss against time, at the lowest, a low and the highest rate.");
  paper_table_begin(r, "rate\tupdate\tns a step\titerations\tms spent\tloss / least\toffset\tms to arrive");
  double best[2] = {(double)INFINITY, (double)INFINITY};
  for (int rate = 0; rate < RATES; rate++)
    for (int rule = 0; rule < DRAWN; rule++) {
      char loss[64], offset[64];
      paper_mean_text(3, at(&d, "loss", rule, rate) / least, at(&d, "loss_error", rule, rate) / least, seeds, loss);
      paper_mean_text(2, at(&d, "offset", rule, rate), at(&d, "offset_error", rule, rate), seeds, offset);
      paper_table_row(r, "%g\t%s\t%.0f\t%.0f\t%.2f\t%s\t%s\t%.4g", paper_walk_rates[rate], paper_walk_rules[rule],
                      at(&d, "nanoseconds", rule, rate), at(&d, "iterations", rule, rate), at(&d, "spent", rule, rate), loss,
                      offset, at(&d, "arrival", rule, rate));
      if (rule < 2)
        best[rule] = fmin(best[rule], at(&d, "arrival", rule, rate));
    }
  paper_table_end(r);
  int sooner = 0;
  for (int i = 0; i < 3; i++)
    sooner += at(&d, "arrival", 1, i) < at(&d, "arrival", 0, i);
  const paper_verdict low = paper_if(seeds, sooner == 3 ? PAPER_REPRODUCED : sooner > 0 ? PAPER_PARTLY : PAPER_NOT);
  const paper_verdict high = paper_if(seeds, best[0] < best[1] ? PAPER_REPRODUCED : PAPER_NOT);
  paper_claim(r, CLAIM_LOW_RATE, low, low,
              "At rates 0.0001, 0.01 and 0.02 the natural update arrives after %.3f, %.3f and %.3f ms, the geodesic one after "
              "%.3f, %.3f and %.3f; at 0.01 a natural step takes %.0f ns, a geodesic one %.0f.",
              at(&d, "arrival", 1, 0), at(&d, "arrival", 1, 1), at(&d, "arrival", 1, 2), at(&d, "arrival", 0, 0),
              at(&d, "arrival", 0, 1), at(&d, "arrival", 0, 2), at(&d, "nanoseconds", 1, 1), at(&d, "nanoseconds", 0, 1));
  paper_claim(r, CLAIM_SOONER, high, high, "At the best of the six rates of each: geodesic %.3f ms, natural %.3f.", best[0],
              best[1]);
  paper_close(&d);
}

/* ---- the cost of a step by dimension ----------------------------------------------------------------------------------- */

enum { DIMS = 6, MOST_DIM = 2048 };
static const int dims[DIMS] = {2, 8, 32, 128, 512, MOST_DIM};

void paper_cost_settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS, "nanoseconds of a step in dim 2 to %d, the best of %d measurements that take turns", MOST_DIM,
           p->quick ? 5 : 20);
}

/* x + v, pulled back into the disk: what other programs do. */
static void plain_natural(const geodisk_ball *ball, const double *x, const double *v, double *y) {
  double square = 0;
  for (int i = 0; i < ball->dim; i++) {
    y[i] = x[i] + v[i];
    square += y[i] * y[i];
  }
  const double most = 1 - GEODISK_MARGIN_DEFAULT, share = square > most * most ? most / sqrt(square) : 1;
  for (int i = 0; share < 1 && i < ball->dim; i++)
    y[i] *= share;
}

/* Nanoseconds of one step by a form. */
static double cost_of(int form, const geodisk_ball *ball, const double *x, const double *v, double *y) {
  const int times = 200000 / (ball->dim + 100);
  const bench_time start = bench_now();
  for (int t = 0; t < times; t++) {
    if (form == 0)
      plain_natural(ball, x, v, y);
    else if (form == 1)
      geodisk_exp_theorem1(ball, x, v, y);
    else
      geodisk_exp(ball, x, v, y);
  }
  return 1e9 * bench_since(start).cpu / times;
}

int paper_cost_run(paper *p, paper_buffer *out) {
  double *x = geodisk_allocate(3 * (size_t)MOST_DIM, sizeof *x), best[DIMS][3];
  if (x == NULL)
    return cli_error("not enough memory");
  double *v = x + MOST_DIM, *y = v + MOST_DIM;
  for (int i = 0; i < (p->quick ? 5 : 20); i++)
    for (int k = 0; k < DIMS; k++) {
      const geodisk_ball ball = geodisk_unit_ball(dims[k]);
      geodisk_random random = geodisk_random_stream(0, (uint64_t)k);
      geodisk_random_in_ball(&ball, &random, 2, x, NULL);
      geodisk_random_in_ball(&ball, &random, 0.1, v, NULL);
      for (int form = 0; form < 3; form++) {
        const double ns = cost_of(form, &ball, x, v, y);
        best[k][form] = i == 0 ? ns : fmin(best[k][form], ns);
      }
    }
  for (int k = 0; k < DIMS; k++) {
    paper_numbers(out, 4, (const double[]){dims[k], best[k][0], best[k][1], best[k][2]});
    paper_end_row(out);
  }
  free(x);
  return EXIT_OK;
}

void paper_cost_report(paper *p, const paper_part *part, paper_report *r) {
  paper_data d;
  if (!paper_open(p, part, part->tables[0], &d))
    return;
  double most = 0, first = 0, last = 0;
  paper_text(r, "Nanoseconds of one step from a given gradient: natural in plain double, by Theorem 1 in plain double, and by "
                "geodisk's form of the exponential map, which carries twice the digits.");
  paper_table_begin(r, "dim\tnatural\tTheorem 1\tgeodisk\tTheorem 1 / natural\tgeodisk / natural");
  for (size_t i = 0; i < d.rows; i++) {
    const double natural = paper_value(&d, i, "natural"), ratio = paper_value(&d, i, "theorem1") / natural;
    paper_table_row(r, "%s\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f", paper_at(&d, i, "dim"), natural, paper_value(&d, i, "theorem1"),
                    paper_value(&d, i, "geodesic"), ratio, paper_value(&d, i, "geodesic") / natural);
    most = fmax(most, ratio);
    first = i == 0 ? ratio : first;
    last = ratio;
  }
  paper_table_end(r);
  const paper_verdict verdict = last <= first ? PAPER_REPRODUCED : PAPER_NOT;
  paper_claim(r, CLAIM_COST, verdict, verdict,
              "Theorem 1 takes %.2f times as long as a natural step in dim 2, %.2f times in dim %s; at most %.2f times.", first,
              last, paper_at(&d, d.rows - 1, "dim"), most);
  paper_close(&d);
}

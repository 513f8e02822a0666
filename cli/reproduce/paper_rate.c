/* paper_rate.c - gradient descent to barycenters with whole gradients: the paper's Theorem 2 as printed (for d^2) and corrected
 * (for half of it), and the abstract's claim that geodesic descent converges faster than Euclidean descent. */
#include "paper_theory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIM = 2, POINTS = 10, RADII = 3, RUNS = RADII + 1, MOST_STEPS = 33 };

static const double radii[RUNS] = {1, 3, 6, 0.1};

/* f(p) = share * mean of d(p, q_i)^2, share 1/2 or 1. */
typedef struct problem {
  geodisk_ball ball;
  size_t n;
  double radius, points[POINTS][DIM], start[DIM], mean[DIM], least; /* least: of half the mean squared distance */
} problem;

static double loss_of(const problem *q, const double *p) {
  double sum = 0;
  for (size_t i = 0; i < q->n; i++) {
    const double d = geodisk_distance(&q->ball, p, q->points[i]);
    sum += d * d;
  }
  return sum / (2 * (double)q->n);
}

/* Minus the gradient of half the mean squared distance. */
static void descent_direction(const problem *q, const double *p, double *v) {
  v[0] = v[1] = 0;
  for (size_t i = 0; i < q->n; i++) {
    double log[DIM];
    geodisk_log(&q->ball, p, q->points[i], log);
    for (int d = 0; d < DIM; d++)
      v[d] += log[d] / (double)q->n;
  }
}

/* Ten random points within a radius, one of them at that radius, where the descent starts; the last run: one point, from opposite
 * to it. */
static geodisk_status problem_open(paper *p, int run, problem *out) {
  *out = (problem){.ball = geodisk_unit_ball(DIM), .n = run < RADII ? POINTS : 1, .radius = radii[run]};
  geodisk_random random = geodisk_random_stream((uint64_t)p->seed, 100 + (uint64_t)run);
  for (size_t i = 0; i < out->n; i++)
    geodisk_random_in_ball(&out->ball, &random, radii[run], out->points[i], NULL);
  const double ray[DIM] = {geodisk_euclidean_from_radius(&out->ball, radii[run]), 0};
  memcpy(out->points[0], ray, sizeof ray);
  memcpy(out->start, ray, sizeof ray);
  if (run == RADII)
    out->start[0] = -ray[0];
  geodisk_mean_options options = geodisk_mean_defaults();
  options.context = p->context;
  geodisk_mean_info info;
  const geodisk_status status = geodisk_mean(&out->ball, out->n, out->points[0], NULL, &options, out->mean, &info);
  out->least = status == GEODISK_OK ? loss_of(out, out->mean) : 0;
  return status;
}

/* ---- Theorem 2 -------------------------------------------------------------------------------------------------------- */

static uint64_t iterations_of(const paper *p) { return p->quick ? 60 : 300; }

void paper_bound_settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "barycenters of %d random points within distance 1, 3, 6, and of one point from opposite to it at distance 0.1; the "
           "step 1/(2D+1), %llu iterations, for half of the mean squared distance and for all of it, seed %lld",
           POINTS, (unsigned long long)iterations_of(p), (long long)p->seed);
}

int paper_bound_run(paper *p, paper_buffer *out) {
  const double origin[DIM] = {0, 0};
  for (int run = 0; run < RUNS; run++)
    for (int reading = 0; reading < 2; reading++) {
      problem q;
      const geodisk_status status = problem_open(p, run, &q);
      if (status != GEODISK_OK)
        return cli_failed(p->context, status);
      const double D = q.radius, share = reading == 0 ? 1 : 2, rate = fmin(tanh(D) / D, 1 / (2 * D + 1));
      double x[DIM] = {q.start[0], q.start[1]};
      for (uint64_t t = 1; t <= iterations_of(p); t++) {
        double v[DIM];
        descent_direction(&q, x, v);
        for (int d = 0; d < DIM; d++)
          v[d] *= share / (2 * D + 1);
        geodisk_exp(&q.ball, x, v, x);
        const double excess = share * (loss_of(&q, x) - q.least);
        if (!(excess > 1e-14 * share * fmax(q.least, 1e-3)))
          break;
        paper_cell(out, reading == 0 ? "half" : "printed");
        paper_numbers(out, 5,
                      (const double[]){D, (double)t, excess, pow(1 - rate, (double)t - 2) * D * D * D,
                                       geodisk_distance(&q.ball, origin, x)});
        paper_end_row(out);
      }
    }
  return EXIT_OK;
}

/* The largest share of the bound that is reached, and the largest distance from the origin over the radius; and the radii where.
 */
typedef struct worst_bound {
  double share, share_at, depth, depth_at;
} worst_bound;

static worst_bound worst_of(const paper_data *d, const char *reading) {
  worst_bound w = {0};
  for (size_t i = 0; i < d->rows; i++) {
    const double radius = paper_value(d, i, "radius"), share = paper_value(d, i, "excess") / paper_value(d, i, "bound");
    const double depth = paper_value(d, i, "depth") / radius;
    if (!paper_row_is(d, i, reading))
      continue;
    if (share > w.share) {
      w.share = share;
      w.share_at = radius;
    }
    if (depth > w.depth) {
      w.depth = depth;
      w.depth_at = radius;
    }
  }
  return w;
}

void paper_bound_report(paper *p, const paper_part *part, paper_report *r) {
  paper_data d;
  if (!paper_open(p, part, part->tables[0], &d))
    return;
  const worst_bound printed = worst_of(&d, "printed"), half = worst_of(&d, "half");
  const double slack = 1 + 1e-9;
  paper_show(r, "theory-bound",
             "Gradient descent to the barycenter of ten random points within distance D of the origin, from one at distance D, "
             "against the paper's bound: f half the mean squared distance (lines), for which the theorem holds, and all of it "
             "(points), as printed. The run from D = 0.1 is not drawn.");
  paper_claim(
      r, CLAIM_BOUND, paper_both(printed.depth <= slack, printed.share <= slack),
      paper_both(half.depth <= slack, half.share <= slack),
      "As printed the iterates get as far as %.3g D, at D = %g, and the loss above the least is up to %.3g times the bound, at D "
      "= %g. For half the squared distance they stay within %.3g D, and at most %.3g of the bound is reached.",
      printed.depth, printed.depth_at, printed.share, printed.share_at, half.depth, half.share);
  paper_close(&d);
}

/* ---- geodesic against Euclidean descent --------------------------------------------------------------------------------- */

static uint64_t most_iterations(const paper *p) { return p->quick ? 1000 : 10000; }
static size_t steps_of(const paper *p) { return p->quick ? 13 : MOST_STEPS; } /* the best is 2^-10 or longer */
static const double close_enough = 1e-9;

void paper_rate_settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "barycenters of %d random points within distance 1, 3, 6, half the mean squared distance, whole gradients, constant "
           "steps 2^1 to 2^%d, until the loss is within 1e-9 of the least, at most %llu iterations, seed %lld",
           POINTS, 2 - (int)steps_of(p), (unsigned long long)most_iterations(p), (long long)p->seed);
}

/* Iterations until the loss is close to the least; infinite: not within those that are allowed. */
static double iterations_needed(const paper *p, const problem *q, geodisk_update update, double step) {
  double x[DIM] = {q->start[0], q->start[1]}, gap = geodisk_gap(&q->ball, x);
  for (uint64_t t = 0; t <= most_iterations(p); t++) {
    double v[DIM];
    if (loss_of(q, x) - q->least <= close_enough)
      return (double)t;
    descent_direction(q, x, v);
    for (int d = 0; d < DIM; d++)
      v[d] *= step;
    geodisk_update_point(&q->ball, update, GEODISK_MARGIN_DEFAULT, x, gap, v, x, &gap);
  }
  return (double)INFINITY;
}

typedef struct rate_jobs {
  const paper *p;
  problem problems[RADII];
  double iterations[RADII * 2 * MOST_STEPS];
} rate_jobs;

static double step_of(size_t index, size_t steps) { return ldexp(1, 1 - (int)(index % steps)); }

static void rate_job(void *arg, size_t index) {
  rate_jobs *jobs = arg;
  const size_t steps = steps_of(jobs->p);
  const geodisk_update update = index / steps % 2 == 0 ? GEODISK_UPDATE_GEODESIC : GEODISK_UPDATE_EUCLIDEAN;
  jobs->iterations[index] = iterations_needed(jobs->p, &jobs->problems[index / steps / 2], update, step_of(index, steps));
}

int paper_rate_run(paper *p, paper_buffer *out) {
  rate_jobs jobs = {.p = p};
  const size_t steps = steps_of(p), count = 2 * steps * RADII;
  geodisk_status status = GEODISK_OK;
  for (int run = 0; status == GEODISK_OK && run < RADII; run++)
    status = problem_open(p, run, &jobs.problems[run]);
  const int code = status == GEODISK_OK ? paper_jobs(p, count, rate_job, &jobs, 0, 1) : cli_failed(p->context, status);
  for (size_t i = 0; code == EXIT_OK && i < count; i++) {
    paper_cell(out, i / steps % 2 == 0 ? "geodesic" : "euclidean");
    paper_numbers(out, 3, (const double[]){jobs.problems[i / steps / 2].radius, step_of(i, steps), jobs.iterations[i]});
    paper_end_row(out);
  }
  return code;
}

void paper_rate_report(paper *p, const paper_part *part, paper_report *r) {
  paper_data d;
  if (!paper_open(p, part, part->tables[0], &d))
    return;
  double best[RADII][2], step[RADII][2], guaranteed[RADII];
  int faster = 0;
  paper_show(r, "theory-rate",
             "Iterations until the loss is within 1e-9 of the least, for constant steps, whole gradients. Dotted: the step "
             "1/(2D+1) of Theorem 2.");
  paper_table_begin(r, "D\tgeodesic: best step\titerations\titerations at 1/(2D+1), rounded down to a power of 2\tEuclidean: "
                       "best step\titerations");
  for (int k = 0; k < RADII; k++) {
    const double allowed = exp2(floor(log2(1 / (2 * radii[k] + 1))));
    best[k][0] = best[k][1] = guaranteed[k] = (double)INFINITY;
    step[k][0] = step[k][1] = (double)NAN;
    for (size_t i = 0; i < d.rows; i++) {
      const int rule = paper_row_is(&d, i, "euclidean");
      const double n = paper_value(&d, i, "iterations"), s = paper_value(&d, i, "step");
      if (paper_value(&d, i, "radius") != radii[k])
        continue;
      if (rule == 0 && s == allowed)
        guaranteed[k] = n;
      if (n < best[k][rule]) {
        best[k][rule] = n;
        step[k][rule] = s;
      }
    }
    faster += best[k][0] < best[k][1];
    paper_table_row(r, "%g\t%.3g\t%.0f\t%.0f\t%.3g\t%.0f", radii[k], step[k][0], best[k][0], guaranteed[k], step[k][1],
                    best[k][1]);
  }
  paper_table_end(r);
  const paper_verdict verdict = faster == RADII ? PAPER_REPRODUCED : faster > 0 ? PAPER_PARTLY : PAPER_NOT;
  paper_claim(r, CLAIM_RATE, verdict, verdict,
              "At D = 1, 3 and 6 geodesic descent needs %.0f, %.0f and %.0f iterations at its best step, Euclidean descent %.0f, "
              "%.0f and %.0f at its own; geodesic descent with a step that Theorem 2 allows %.0f, %.0f and %.0f.",
              best[0][0], best[1][0], best[2][0], best[0][1], best[1][1], best[2][1], guaranteed[0], guaranteed[1],
              guaranteed[2]);
  paper_close(&d);
}

/* paper_constants.c - second derivatives of squared distances against the constants of propositions 1 and 2 and of the lemma on
 * smoothness; and the steps from the optimum of which the two theorems on the bias speak. */
#include "paper_theory.h"
#include "paper_walk.h"

#include <math.h>
#include <stdio.h>

enum { DIM = 2, STEPS = 80, RADII = 3, POINTS = 10, MOST_CASES = 1000 };

static const double radii[RADII] = {1, 3, 6};

/* ---- second derivatives ------------------------------------------------------------------------------------------------ */

static size_t cases_of(const paper *p) { return p->quick ? 100 : MOST_CASES; }

void paper_smoothness_settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "second derivatives of d(0,p)^2 at distances to %g; largest eigenvalue of the Hessian of mean squared distances to %d "
           "points within radius 1, 3, 6, at %zu points, seed %lld",
           STEPS / 4.0, POINTS, cases_of(p), (long long)p->seed);
}

/* The second difference of d(0, .)^2 at p in coordinates, along axis i; h is small against the distance to the rim. */
static double second_difference(const geodisk_ball *ball, const double *p, int i) {
  const double origin[DIM] = {0, 0}, h = 1e-3 * geodisk_gap(ball, p);
  double q[DIM] = {p[0], p[1]};
  const double middle = geodisk_distance(ball, origin, p);
  q[i] = p[i] + h;
  const double up = q[i] - p[i], above = geodisk_distance(ball, origin, q);
  q[i] = p[i] - up;
  const double below = geodisk_distance(ball, origin, q);
  return ((above - middle) * (above + middle) + (below - middle) * (below + middle)) / (up * up);
}

/* The largest eigenvalue of the Hessian of half the mean squared distance; the metric is a multiple of the Euclidean one, so that
 * a Euclidean frame will do. */
static double largest_eigenvalue(const geodisk_ball *ball, size_t n, double points[][DIM], const double *at) {
  const double frame[DIM][DIM] = {{1, 0}, {0, 1}};
  double h[DIM][DIM] = {{0}};
  for (size_t k = 0; k < n; k++)
    for (int i = 0; i < DIM; i++) {
      double out[DIM];
      geodisk_hessian(ball, at, points[k], frame[i], out);
      for (int j = 0; j < DIM; j++)
        h[i][j] += out[j] / (double)n;
    }
  const double half = (h[0][0] + h[1][1]) / 2;
  return half + hypot((h[0][0] - h[1][1]) / 2, h[0][1]);
}

static void survey_lemma(const paper *p, paper_buffer *out) {
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  for (int k = 0; k < RADII; k++) {
    geodisk_random random = geodisk_random_stream((uint64_t)p->seed, 200 + (uint64_t)k);
    double worst = 0;
    for (size_t i = 0; i < cases_of(p); i++) {
      double points[POINTS][DIM], at[DIM], k2 = 0, d;
      const double origin[DIM] = {0, 0};
      for (int j = 0; j < POINTS; j++) { /* every second time all in one place: the worst that the lemma allows */
        geodisk_random_in_ball(&ball, &random, radii[k], points[i % 2 == 0 ? j : 0], NULL);
        d = geodisk_distance(&ball, origin, points[i % 2 == 0 ? j : 0]);
        k2 = i % 2 == 0 ? fmax(k2, d) : d;
      }
      geodisk_random_in_ball(&ball, &random, radii[k], at, NULL);
      const double value = largest_eigenvalue(&ball, i % 2 == 0 ? POINTS : 1, points, at);
      worst = fmax(worst, value / (geodisk_distance(&ball, origin, at) + k2 + 1));
    }
    paper_numbers(out, 3, (const double[]){radii[k], worst, 2 * worst});
    paper_end_row(out);
  }
}

int paper_smoothness_run(paper *p, paper_buffer *out) {
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  const double origin[DIM] = {0, 0}, along[DIM] = {1, 0}, across[DIM] = {0, 1};
  for (int i = 1; i <= STEPS; i++) {
    const double d = i / 4.0, at[DIM] = {geodisk_euclidean_from_radius(&ball, d), 0}, gap = geodisk_gap(&ball, at);
    double a[DIM], b[DIM];
    geodisk_hessian(&ball, at, origin, along, a);
    geodisk_hessian(&ball, at, origin, across, b);
    paper_numbers(&out[0], 7,
                  (const double[]){d, 2 * a[0], 2 * b[1], second_difference(&ball, at, 0), second_difference(&ball, at, 1),
                                   (cosh(d) - 1) * (4 * d + 1 / at[0]) / gap, 8 * (1 + at[0] * d) / (gap * gap)});
    paper_end_row(&out[0]);
  }
  survey_lemma(p, &out[1]);
  return EXIT_OK;
}

/* Second differences are right to this share. */
static const double slack = 1e-5;

/* The largest second derivative in coordinates over e^d. */
static void claim_growth(paper_report *r, const paper_data *d) {
  double least = (double)INFINITY, first = 0, last = 0;
  for (size_t i = 0; i < d->rows; i++) {
    last = fmax(paper_value(d, i, "euclidean_along"), paper_value(d, i, "euclidean_across")) / exp(paper_value(d, i, "distance"));
    first = i == 0 ? last : first;
    least = fmin(least, last);
  }
  const paper_verdict larger = least > 1 ? PAPER_REPRODUCED : PAPER_NOT;
  paper_claim(r, CLAIM_GROWTH, larger, larger,
              "It is %.3g times e^d at distance %s, at least %.3g times over all, and %.2g times at distance %s.", first,
              paper_at(d, 0, "distance"), least, last, paper_at(d, d->rows - 1, "distance"));
}

void paper_smoothness_report(paper *p, const paper_part *part, paper_report *r) {
  paper_data d, lemma;
  const bool there = paper_open(p, part, "theory-smoothness", &d);
  if (paper_open(p, part, "theory-lemma", &lemma) && there) {
    double least = (double)INFINITY, across = 0, least_e = (double)INFINITY, printed = 0, corrected = 0, last[2] = {0}, worst = 0;
    for (size_t i = 0; i < d.rows; i++) {
      const double t = paper_value(&d, i, "distance"),
                   e[2] = {paper_value(&d, i, "euclidean_along"), paper_value(&d, i, "euclidean_across")};
      least = fmin(least, fmin(paper_value(&d, i, "hyperbolic_along"), paper_value(&d, i, "hyperbolic_across")));
      across = fmax(across, paper_value(&d, i, "hyperbolic_across") * tanh(t) / t); /* over d coth d */
      least_e = fmin(least_e, fmin(e[0], e[1]));
      printed = fmax(printed, fmax(e[0], e[1]) / paper_value(&d, i, "paper"));
      corrected = fmax(corrected, fmax(e[0], e[1]) / paper_value(&d, i, "corrected"));
      last[0] = paper_value(&d, i, "hyperbolic_across");
      last[1] = e[0];
    }
    for (size_t i = 0; i < lemma.rows; i++)
      worst = fmax(worst, paper_value(&lemma, i, "half"));
    paper_show(r, "theory-smoothness",
               "How fast the gradient of squared distance changes, along geodesics and in the coordinates of the disk.");
    paper_claim(r, CLAIM_PROPOSITION1, paper_both(least >= 1 - slack, across <= 1 + slack),
                paper_both(least >= 2 - slack, across <= 2 + slack),
                "The least second derivative is %.6g; the largest is %.6g times d coth d. At distance 20 it is %.1f, in "
                "coordinates %.2g.",
                least, across, last[0], last[1]);
    paper_claim(r, CLAIM_SMOOTHNESS, 2 * worst <= 1 + slack ? PAPER_REPRODUCED : PAPER_NOT,
                worst <= 1 + slack ? PAPER_REPRODUCED : PAPER_NOT,
                "At %.0f points within each radius the largest eigenvalue for the mean of squared distances is up to %.3g times "
                "k1 + k2 + 1, for half of it %.3g.",
                paper_setting(p, "theory-lemma", " points, seed"), 2 * worst, worst);
    paper_claim(r, CLAIM_PROPOSITION2, paper_both(least_e >= 8 - 8 * slack, printed <= 1 + slack),
                paper_both(least_e >= 8 - 8 * slack, corrected <= 1 + slack),
                "The least second derivative in coordinates is %.4g; the largest is up to %.3g times the printed constant, %.6g "
                "times the corrected one.",
                least_e, printed, corrected);
    claim_growth(r, &d);
  }
  paper_close(&d);
  paper_close(&lemma);
}

/* ---- the theorems on the bias ------------------------------------------------------------------------------------------- */

void paper_bias_settings(const paper *p, char text[PAPER_SETTINGS]) {
  (void)p;
  snprintf(text, PAPER_SETTINGS,
           "steps from the barycenter of (0,0) and (1-1e-8,0) towards either, against the gradient of half of each squared "
           "distance, at the paper's six rates");
}

/* A step of the Euclidean length `size` outwards and inwards: the distances covered; infinite: it leaves the disk. */
static void natural_steps(const geodisk_ball *ball, double p, double size, double *in, double *out) {
  const double at[DIM] = {p, 0}, inner[DIM] = {p - size, 0}, outer[DIM] = {p + size, 0};
  *in = inner[0] > -1 ? geodisk_distance(ball, at, inner) : (double)INFINITY;
  *out = outer[0] < 1 ? geodisk_distance(ball, at, outer) : (double)INFINITY;
}

int paper_bias_run(paper *p, paper_buffer *out) {
  const paper_walker w = paper_walker_start(0, 0, 0);
  const double x = geodisk_euclidean_from_radius(&w.ball, w.optimum), at[DIM] = {x, 0}, gap = geodisk_gap(&w.ball, at);
  (void)p;
  for (int i = 0; i < PAPER_WALK_RATES; i++) {
    const double rate = paper_walk_rates[i], length = rate * w.optimum;
    double steps[3][2], y[DIM];
    for (int k = 0; k < 2; k++) {
      const double v[DIM] = {(k == 0 ? -1 : 1) * length * gap / 2, 0};
      geodisk_exp(&w.ball, at, v, y);
      steps[0][k] = geodisk_distance(&w.ball, at, y);
    }
    natural_steps(&w.ball, x, length * sqrt(gap) / 2, &steps[1][0], &steps[1][1]);
    natural_steps(&w.ball, x, length * gap / 2, &steps[2][0], &steps[2][1]);
    for (int k = 0; k < 3; k++) {
      paper_cell(out, k == 0 ? "geodesic" : k == 1 ? "printed" : "corrected");
      /* from which rate on the outer point leaves the disk */
      const double leaves = k == 0 ? (double)INFINITY : (1 - x) / (w.optimum * (k == 1 ? sqrt(gap) : gap) / 2);
      paper_numbers(out, 4, (const double[]){rate, steps[k][0], steps[k][1], leaves});
      paper_end_row(out);
    }
  }
  return EXIT_OK;
}

/* How far the natural steps of one rate, whose three rows begin at `row`, are from the geodesic ones: the larger share. */
static double off_by(const paper_data *d, size_t row) {
  return fmax(fabs(paper_value(d, row + 2, "inwards") / paper_value(d, row, "inwards") - 1),
              fabs(paper_value(d, row + 2, "outwards") / paper_value(d, row, "outwards") - 1));
}

static void claim_close(paper_report *r, const paper_data *d) {
  const size_t low = 0, high = d->rows - 3;
  const paper_verdict close = paper_both(off_by(d, low) < 0.01, off_by(d, high) > 0.1);
  paper_claim(r, CLAIM_CLOSE, close, close,
              "At rate %s the natural steps are off by at most %.3f %%, at rate %s by %.1f %%, at rate %s by %.0f %%; at rate %s "
              "the outer one %s.",
              paper_at(d, low, "rate"), 100 * off_by(d, low), paper_at(d, low + 3, "rate"), 100 * off_by(d, low + 3),
              paper_at(d, high - 3, "rate"), 100 * off_by(d, high - 3), paper_at(d, high, "rate"),
              isinf(off_by(d, high)) ? "leaves the disk" : "does not leave the disk");
}

/* The claim on the balance of the geodesic update belongs to the barycenter's report, which has the rest of it: here the table
 * and the theorem on the natural update. */
void paper_bias_report(paper *p, const paper_part *part, paper_report *r) {
  paper_data d;
  if (!paper_open(p, part, part->tables[0], &d))
    return;
  int fine[2] = {0}, excepted = 0, rates = 0;
  double leaves[2] = {0};
  paper_text(r,
             "Steps from the optimum, for half the squared distance: the distance covered inwards and outwards by the geodesic "
             "update, by the paper's formula for the natural one, and by that formula corrected (inf: outside the disk).");
  paper_table_begin(r, "rate\tgeodesic: in\tout\tprinted: in\tout\tcorrected: in\tout");
  for (size_t i = 0; i + 2 < d.rows; i += 3, rates++) {
    paper_table_row(r, "%s\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g", paper_at(&d, i, "rate"), paper_value(&d, i, "inwards"),
                    paper_value(&d, i, "outwards"), paper_value(&d, i + 1, "inwards"), paper_value(&d, i + 1, "outwards"),
                    paper_value(&d, i + 2, "inwards"), paper_value(&d, i + 2, "outwards"));
    for (size_t k = 0; k < 2; k++) {
      const double in = paper_value(&d, i + 1 + k, "inwards"), out = paper_value(&d, i + 1 + k, "outwards");
      leaves[k] = paper_value(&d, i + 1 + k, "leaves");
      fine[k] += isfinite(in) && isfinite(out) && in < out;
      excepted += k == 1 && isinf(out);
    }
  }
  paper_table_end(r);
  const bool all = fine[1] + excepted == rates;
  paper_claim(r, CLAIM_BIAS_THEOREM,
              fine[0] == rates ? PAPER_REPRODUCED
              : fine[0] > 0    ? PAPER_PARTLY
                               : PAPER_NOT,
              all           ? PAPER_REPRODUCED
              : fine[1] > 0 ? PAPER_PARTLY
                            : PAPER_NOT,
              "With the printed root the outer point leaves the disk from rate %.4f on: %d of %d rates are left. With 1 - p² it "
              "does from %.4f on (%.4f for d², as in the experiment): at the other %d rates the outer step is longer.",
              leaves[0], fine[0], rates, leaves[1], leaves[1] / 2, fine[1]);
  claim_close(r, &d);
  paper_close(&d);
}

/* paper_exp.c - the error of ways to compute the exponential map: geodisk's, the paper's Theorem 1 as printed and with its square
 * root restored, the unstable lemma before it, and the hyperboloid of other programs; against 113 bits (paper_exact.c), over
 * depth and near parallel to the ray, outwards and inwards. */
#include "paper_exact.h"
#include "paper_theory.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIM = PAPER_EXACT_DIM, METHODS = 6, DEPTHS = 37, ANGLES = 17, INWARD = 16, MOST_CASES = 2000 };

/* ---- the other forms, in plain double -------------------------------------------------------------------------------- */

static void exp_lorentz(const double *x, const double *v, double *out) {
  const double square = x[0] * x[0] + x[1] * x[1], below = 1 - square, time = (1 + square) / below;
  const double q = 2 * (x[0] * v[0] + x[1] * v[1]) / below, length = (1 + time) * sqrt(v[0] * v[0] + v[1] * v[1]);
  const double c = cosh(length), s = length > 0 ? sinh(length) / length : 1, new_time = c * time + s * (1 + time) * q;
  for (int i = 0; i < DIM; i++) {
    const double space = 2 * x[i] / below, tangent = (1 + time) * v[i] + q * space;
    out[i] = (c * space + s * tangent) / (1 + new_time);
  }
}

/* The circle of the geodesic and the circle of equal distance, in a basis along the step and across it (with Delta the length).
 */
static void exp_circles(const double *x, const double *v, double *out) {
  const double square = x[0] * x[0] + x[1] * x[1], gap = 1 - square, length = sqrt(v[0] * v[0] + v[1] * v[1]);
  const double cosh1 = cosh(2 * length / gap) - 1, f = -(x[0] * v[0] + x[1] * v[1]) / length, h = sqrt(square - f * f);
  const double centre = -cosh1 * gap / (2 + cosh1 * gap), kx = centre * f, ky = centre * h, rho = gap / (2 * h);
  const double equal = cosh1 * (cosh1 + 2) * gap * gap / ((2 + cosh1 * gap) * (2 + cosh1 * gap));
  const double psi = rho * (rho - ky), w = equal - (kx * kx + ky * ky), psi_rho = psi * psi / (rho * rho);
  const double root = sqrt(4 * kx * kx * psi * psi + 4 * psi_rho * psi * w - psi_rho * w * w);
  const double along = (kx * (2 * psi - w) - root) / (2 * (kx * kx + psi_rho)), across = rho - sqrt(rho * rho - along * along);
  for (int i = 0; i < DIM; i++) {
    const double ex = -v[i] / length, ey = (x[i] - f * ex) / h;
    out[i] = x[i] + along * ex + across * ey;
  }
}

/* Theorem 1 as printed: its Delta is the square of the length to go. */
static void exp_printed(const double *x, const double *v, double *out) {
  const double square = x[0] * x[0] + x[1] * x[1], gap = 1 - square, metric = 4 / (gap * gap);
  const double g[DIM] = {-metric * v[0], -metric * v[1]}, delta = metric * (v[0] * v[0] + v[1] * v[1]);
  const double c = cosh(delta) - 1, f = g[0] * x[0] + g[1] * x[1];
  const double tau = gap / (2 * sqrt(cosh(delta) + 1)) * (delta > 0 ? sinh(delta) / delta : 1), ft = f * tau;
  const double z = 2 + c * (1 + square) - 2 * ft * ft;
  const double xi = (-ft * (z - 2 * c * square + 2 * ft * ft) - z * sqrt(z - c * square + 2 * ft * ft)) /
                    (4 * square * c * ft * ft - 4 * ft * ft * ft * ft + z * z);
  const double below = 1 + sqrt(1 - 4 * square * c * xi * xi + 4 * ft * ft * xi * xi);
  const double along = gap * tau * xi - 2 * gap * f * tau * tau * xi * xi / below, ray = 2 * gap * c * xi * xi / below;
  for (int i = 0; i < DIM; i++)
    out[i] = x[i] + along * g[i] + ray * x[i];
}

static const char *const methods[METHODS] = {"geodisk", "theorem1-domain", "theorem1",
                                             "lemma",   "hyperboloid",     "theorem1-printed"};

/* The error in units of 2^-53, and as a hyperbolic distance. Where there is no number, or a point outside: the radius of the
 * disk, and the distance of two opposite points that doubles can tell from the rim. */
typedef struct exp_error {
  double units, distance;
} exp_error;

static const double farthest = 75;

static void compute(int method, const double *x, const double *v, double *y) {
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  if (method == 0)
    geodisk_exp(&ball, x, v, y);
  else if (method <= 2)
    geodisk_exp_theorem1(&ball, x, v, y);
  else if (method == 3)
    exp_circles(x, v, y);
  else if (method == 4)
    exp_lorentz(x, v, y);
  else
    exp_printed(x, v, y);
}

static exp_error error_of(int method, const double *x, const double *v) {
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  const double unit = DBL_EPSILON / 2;
  double y[DIM], right[DIM], rest[DIM];
  compute(method, x, v, y);
  paper_exp_exact(x, v, right, rest);
  const double apart = hypot(y[0] - right[0] - rest[0], y[1] - right[1] - rest[1]);
  const double gaps = sqrt(geodisk_gap(&ball, y) * geodisk_gap(&ball, right)), distance = 2 * asinh(apart / gaps);
  const bool inside = y[0] * y[0] + y[1] * y[1] < 1;
  return (exp_error){apart < 1 ? apart / unit : 1 / unit, inside && distance < farthest ? distance : farthest};
}

/* ---- the surveys ------------------------------------------------------------------------------------------------------ */

typedef enum survey_kind { BY_DEPTH, OUTWARDS, INWARDS } survey_kind;
static const double outward_depth = 3, right_within = 1e-3;

static size_t cases_of(const paper *p) { return p->quick ? 100 : MOST_CASES; }

void paper_exp_settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "steps of length up to 5 in random directions from depth 0 to 36; steps of length 1 outwards from depth 3 at angles 1 "
           "to 1e-16 to the ray; inwards from depth 0 to 15, of length up to the depth, at angles 1e-1 to 1e-16; %zu cases each, "
           "reference of %d bits",
           cases_of(p), paper_exact_bits());
}

/* A case of a survey: place is a depth, or the angle to the ray outwards. */
static void draw_case(survey_kind kind, double place, geodisk_random *random, double *x, double *v) {
  const double pi = acos(-1.0), direction = 2 * pi * geodisk_random_uniform(random), other = geodisk_random_uniform(random);
  const double length = 5 * (1 - geodisk_random_uniform(random));
  if (kind == BY_DEPTH)
    paper_exp_case(place, direction, 2 * pi * other, length, x, v);
  else if (kind == OUTWARDS)
    paper_exp_case(outward_depth, direction, place, 1, x, v);
  else
    paper_exp_case(place, direction, pow(10, -1 - 15 * other), -(place > 1 ? place : 1) * length / 5, x, v);
}

static void survey(const paper *p, int method, survey_kind kind, int step, double *units, double *distances, paper_buffer *out) {
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  const double place = kind == OUTWARDS ? pow(10, -step) : step;
  geodisk_random random = geodisk_random_stream(1 + (uint64_t)kind, (uint64_t)step); /* the same cases for every method */
  size_t n = 0, right = 0;
  for (size_t i = 0; i < cases_of(p); i++) {
    double x[DIM], v[DIM];
    draw_case(kind, place, &random, x, v);
    if (method == 1 && !geodisk_theorem1_holds(&ball, x, v))
      continue;
    const exp_error error = error_of(method, x, v);
    units[n] = error.units;
    distances[n] = error.distance;
    right += distances[n++] < right_within;
  }
  if (n == 0)
    return;
  paper_cell(out, methods[method]);
  const double median = paper_quantile(n, units, 0.5), middle = paper_quantile(n, distances, 0.5);
  paper_numbers(out, 8,
                (const double[]){place, median, paper_quantile(n, units, 0.99), units[n - 1], middle, distances[n - 1],
                                 (double)right, (double)n});
  paper_end_row(out);
}

int paper_exp_run(paper *p, paper_buffer *out) {
  static const int steps[] = {DEPTHS, ANGLES, INWARD};
  double *units = geodisk_allocate(2 * (size_t)MOST_CASES, sizeof *units);
  if (units == NULL)
    return cli_error("not enough memory");
  int code = EXIT_OK;
  for (int method = 0; code == EXIT_OK && method < METHODS; method++) {
    for (int kind = 0; kind < 3; kind++)
      for (int step = 0; step < steps[kind]; step++)
        survey(p, method, (survey_kind)kind, step, units, units + MOST_CASES, &out[kind]);
    if (!paper_progress(p, (method + 1.0) / METHODS))
      code = cli_failed(p->context, GEODISK_ERROR_STOPPED);
  }
  free(units);
  return code;
}

/* ---- report ----------------------------------------------------------------------------------------------------------- */

/* The largest of a column over the rows of a method between two places, and where it is. */
static double most_of(const paper_data *d, const char *method, const char *column, double from, double to, double *where) {
  double most = 0;
  for (size_t i = 0; i < d->rows; i++) {
    double place = 0;
    const bool there = paper_row_is(d, i, method) && parse_number(d->cells[(i + 1) * d->columns + 1], &place);
    if (!there || place < from || place > to || paper_value(d, i, column) <= most)
      continue;
    most = paper_value(d, i, column);
    if (where != NULL)
      *where = place;
  }
  return most;
}

/* The share of steps from depths 0 to 5 that a method gets right. */
static double share_right(const paper_data *d, const char *method) {
  double right = 0, cases = 0;
  for (size_t i = 0; i < d->rows; i++)
    if (paper_row_is(d, i, method) && paper_value(d, i, "depth") <= 5) {
      right += paper_value(d, i, "right");
      cases += paper_value(d, i, "cases");
    }
  return right / cases;
}

static paper_verdict by_share(double share) { return share >= 1 ? PAPER_REPRODUCED : share > 0.5 ? PAPER_PARTLY : PAPER_NOT; }

static void claim_forms(paper_report *r, const paper_data *depth, const paper_data *angle, const paper_data *inward) {
  const double printed = share_right(depth, "theorem1-printed"), length = share_right(depth, "theorem1");
  const double corrected = share_right(depth, "theorem1-domain");
  double peak = 0;
  const double worst = most_of(depth, "theorem1", "worst", 0, 36, &peak);
  paper_claim(
      r, CLAIM_THEOREM1, by_share(printed), by_share(corrected),
      "As printed %.1f %% of the steps are right, with Δ the length %.1f %%, and of those that turn by less than 90 degrees %.1f "
      "%%. Outside that domain the error is largest at depth %.0f, %.2g units of 2^-53; inside it, to depth 5, at most %.2g "
      "units, or %.2g in hyperbolic distance. geodisk's form: at most %.2g units anywhere, the hyperboloid's %.2g at depth 15.",
      100 * printed, 100 * length, 100 * corrected, peak, worst, most_of(depth, "theorem1-domain", "worst", 0, 5, NULL),
      most_of(depth, "theorem1-domain", "worst_distance", 0, 5, NULL), most_of(depth, "geodisk", "worst", 0, 36, NULL),
      most_of(depth, "hyperboloid", "worst", 15, 15, NULL));
  const double out = most_of(angle, "theorem1-domain", "worst", 0, 1, NULL);
  const double in5 = most_of(inward, "theorem1-domain", "worst", 5, 5, NULL);
  const double in10 = most_of(inward, "theorem1-domain", "worst", 10, 10, NULL);
  const double in = most_of(inward, "theorem1-domain", "worst", 0, 10, NULL);
  const paper_verdict stable = paper_both(out < 1e4, in < 1e4);
  paper_claim(r, CLAIM_PARALLEL, stable, stable,
              "Outwards at most %.2g units of 2^-53. Inwards %.2g units at depth 5 and %.2g at depth 10, which is %.2g and %.2g "
              "in hyperbolic distance; geodisk's form %.2g units there.",
              out, in5, in10, most_of(inward, "theorem1-domain", "worst_distance", 5, 5, NULL),
              most_of(inward, "theorem1-domain", "worst_distance", 10, 10, NULL),
              most_of(inward, "geodisk", "worst", 0, 10, NULL));
  const double lemma = most_of(angle, "lemma", "worst", 0, 1, NULL);
  const paper_verdict unstable = lemma > 1e6 ? PAPER_REPRODUCED : PAPER_NOT;
  paper_claim(r, CLAIM_LEMMA, unstable, unstable, "Up to %.2g units of 2^-53, outwards; Theorem 1 %.2g.", lemma, out);
}

void paper_exp_report(paper *p, const paper_part *part, paper_report *r) {
  paper_data depth, angle, inward;
  const bool a = paper_open(p, part, "exp-depth", &depth), b = paper_open(p, part, "exp-parallel", &angle);
  const bool c = paper_open(p, part, "exp-inward", &inward);
  if (a && b && c) {
    paper_show(
        r, "exp-error",
        "The exponential map in double precision, worst of random cases, against quadruple precision (held to MPFR within 2^-100 "
        "by the tests). Above: random steps, the error in coordinates and as a hyperbolic distance; below: steps nearly parallel "
        "to the ray, inwards by depth and outwards by angle. 10^16 units are the radius of the disk: a point somewhere else, or "
        "no number. Outside its domain Theorem 1 errs as the lemma does: both take the near quarter of the circle.");
    claim_forms(r, &depth, &angle, &inward);
  }
  paper_close(&depth);
  paper_close(&angle);
  paper_close(&inward);
}

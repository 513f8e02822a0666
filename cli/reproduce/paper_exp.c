/* paper_exp.c - the error of four ways to compute the exponential map: geodisk's, the paper's Theorem 1 (square root restored),
 * the unstable lemma before it, and the hyperboloid of other programs; against 113 bits (paper_exact.c), over depth and over the
 * angle between point and step. */
#include "paper.h"
#include "paper_exact.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIM = PAPER_EXACT_DIM, METHODS = 5, DEPTHS = 37, ANGLES = 17, MOST_CASES = 2000 };

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

static const char *const methods[METHODS] = {"geodisk", "theorem1-domain", "theorem1", "lemma", "hyperboloid"};

/* The error in units of 2^-53; 2^53, as much as the radius of the disk, where there is no number; -1 where the method is not
 * asked. */
static double error_of(int method, const double *x, const double *v) {
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  const double unit = DBL_EPSILON / 2;
  double y[DIM], right[DIM], rest[DIM];
  if (method == 1 && !geodisk_theorem1_holds(&ball, x, v))
    return -1;
  if (method == 0)
    geodisk_exp(&ball, x, v, y);
  else if (method <= 2)
    geodisk_exp_theorem1(&ball, x, v, y);
  else if (method == 3)
    exp_circles(x, v, y);
  else
    exp_lorentz(x, v, y);
  paper_exp_exact(x, v, right, rest);
  const double error = hypot(y[0] - right[0] - rest[0], y[1] - right[1] - rest[1]) / unit;
  return error < 1 / unit ? error : 1 / unit;
}

/* ---- the two surveys ------------------------------------------------------------------------------------------------- */

static size_t cases_of(const paper *p) { return p->quick ? 100 : MOST_CASES; }

void paper_exp_settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "steps of length up to 5 in random directions from depth 0 to 36; steps of length 1 outwards from depth 3 at angles 1 "
           "to 1e-16 "
           "to the ray; %zu cases each, reference of %d bits",
           cases_of(p), paper_exact_bits());
}

static void survey(const paper *p, int method, bool by_depth, int step, double *values, paper_buffer *out) {
  const double pi = acos(-1.0), place = by_depth ? step : pow(10, -step);
  geodisk_random random = geodisk_random_stream(by_depth ? 1 : 2, (uint64_t)step); /* the same cases for every method */
  size_t n = 0;
  for (size_t i = 0; i < cases_of(p); i++) {
    double x[DIM], v[DIM];
    const double direction = 2 * pi * geodisk_random_uniform(&random), angle = 2 * pi * geodisk_random_uniform(&random);
    const double length = 5 * (1 - geodisk_random_uniform(&random));
    paper_exp_case(by_depth ? place : 3, direction, by_depth ? angle : place, by_depth ? length : 1, x, v);
    values[n] = error_of(method, x, v);
    n += values[n] >= 0;
  }
  paper_cell(out, methods[method]);
  const double median = paper_quantile(n, values, 0.5), worst = values[n - 1];
  paper_numbers(out, 5, (const double[]){place, median, paper_quantile(n, values, 0.99), worst, (double)n});
  paper_end_row(out);
}

int paper_exp_run(paper *p, paper_buffer *out) {
  double *values = geodisk_allocate(MOST_CASES, sizeof *values);
  if (values == NULL)
    return cli_error("not enough memory");
  for (int method = 0; method < METHODS; method++) {
    for (int step = 0; step < DEPTHS; step++)
      survey(p, method, true, step, values, &out[0]);
    for (int step = 0; step < ANGLES; step++)
      survey(p, method, false, step, values, &out[1]);
  }
  free(values);
  return EXIT_OK;
}

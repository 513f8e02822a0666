/* paper_updates.c - the paper's figure 2: from the same points, steps by the Euclidean, the natural and the geodesic update in
 * several directions, over the geodesics they should follow and the circles of equal distance where they should end. */
#include "paper.h"

#include <math.h>
#include <stdio.h>

enum { STARTS = 5, DIRECTIONS = 8, CURVE = 90, DIM = 2 };

static const double starts[STARTS][DIM] = {{0, 0}, {0.55, 0}, {-0.45, 0.65}, {-0.3, -0.45}, {0.45, -0.7}};
static const char *const rules[] = {"geodesic", "natural", "euclidean"};

/* The Riemannian length of the gradient: 1, and as in the paper 0.01 for the Euclidean update, whose steps would leave the disk.
 */
static const double lengths[] = {1, 1, 0.01};

static void settings(const paper *p, char text[PAPER_SETTINGS]) {
  (void)p;
  snprintf(text, PAPER_SETTINGS, "%d points, %d directions, gradients of length 1 (euclidean: 0.01)", STARTS, DIRECTIONS);
}

/* The tangent of Riemannian length 1 in a direction. */
static void unit_tangent(const geodisk_ball *ball, const double *x, double angle, double *v) {
  const double lam = geodisk_metric_factor(ball, x);
  v[0] = cos(angle) / lam;
  v[1] = sin(angle) / lam;
}

static void add_curves(const geodisk_ball *ball, paper_buffer *out) {
  const double pi = acos(-1.0), far = 9;
  double v[DIM], y[DIM];
  for (int s = 0; s < STARTS; s++) {
    for (int k = 0; k < DIRECTIONS / 2; k++)
      for (int i = -CURVE; i <= CURVE; i++) {
        unit_tangent(ball, starts[s], k * 2 * pi / DIRECTIONS, v);
        for (int d = 0; d < DIM; d++)
          v[d] *= far * i / CURVE;
        geodisk_exp(ball, starts[s], v, y);
        paper_cell(out, "geodesic");
        const int number = s * (DIRECTIONS / 2) + k;
        paper_numbers(out, 3, (const double[]){number, y[0], y[1]});
        paper_end_row(out);
      }
    for (int i = 0; i <= 2 * CURVE; i++) {
      unit_tangent(ball, starts[s], i * pi / CURVE, v);
      geodisk_exp(ball, starts[s], v, y);
      paper_cell(out, "equidistant");
      paper_numbers(out, 3, (const double[]){s, y[0], y[1]});
      paper_end_row(out);
    }
  }
}

/* How a step should be: the distance covered, and how far its end is from the geodesic it set out on. */
static void add_arrow(const geodisk_ball *ball, int rule, const double *x, double angle, paper_buffer *out) {
  double v[DIM], step[DIM], y[DIM], right[DIM], gap;
  unit_tangent(ball, x, angle, v);
  for (int d = 0; d < DIM; d++)
    step[d] = lengths[rule] * v[d];
  geodisk_update_point(ball, (geodisk_update)rule, GEODISK_DEFAULT_MARGIN, x, geodisk_gap(ball, x), step, y, &gap);
  geodisk_exp(ball, x, step, right);
  const double covered = geodisk_distance(ball, x, y);
  const double outward = (x[0] * v[0] + x[1] * v[1]) * geodisk_metric_factor(ball, x);
  paper_cell(out, rules[rule]);
  paper_numbers(out, 9,
                (const double[]){x[0], x[1], y[0], y[1], lengths[rule], covered, covered / lengths[rule], outward,
                                 geodisk_distance(ball, y, right)});
  paper_end_row(out);
}

static int run(paper *p, paper_buffer *out) {
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  const double pi = acos(-1.0);
  (void)p;
  for (int rule = 0; rule < 3; rule++)
    for (int s = 0; s < STARTS; s++)
      for (int k = 0; k < DIRECTIONS; k++)
        add_arrow(&ball, rule, starts[s], k * 2 * pi / DIRECTIONS, &out[0]);
  add_curves(&ball, &out[1]);
  return EXIT_OK;
}

static const paper_part parts[] = {
    {{"updates-steps", "updates-curves"},
     {"update\tx\ty\tto_x\tto_y\tlength\tcovered\tratio\toutward\tmissed_by", "curve\tnumber\tx\ty"},
     settings,
     run,
     0.1,
     0.1},
};

static const paper_figure figures[] = {
    {"updates", 1500, 560, "updates-steps",
     "set multiplot layout 1,3 margins 0.01,0.99,0.02,0.90 spacing 0.01\n"
     "set size ratio -1\nunset tics\nunset border\nunset grid\nset key off\n"
     "set xrange [-1.03:1.03]\nset yrange [-1.03:1.03]\n"
     "set object 1 circle at 0,0 size 1 fillstyle empty border lc rgb '#444444' lw 1.5\n"
     "do for [i=1:3] {\n"
     "  u = word('euclidean natural geodesic', i)\n"
     "  if (i == 1) { set title 'Euclidean update, gradients of length 0.01' }\n"
     "  if (i == 2) { set title 'Natural update, gradients of length 1' }\n"
     "  if (i == 3) { set title 'Geodesic update, gradients of length 1' }\n"
     "  plot for [k=0:19] 'updates-curves.tsv' using (is('geodesic') && column('number') == k ? column('x') : NaN):(column('y')) "
     "with lines ls 9, \\\n"
     "    for [k=0:4] '' using (is('equidistant') && column('number') == k ? column('x') : NaN):(column('y')) with lines lc rgb "
     "'#999999' dt (5,4), \\\n"
     "    'updates-steps.tsv' using (is(u) ? column('x') : "
     "NaN):(column('y')):(column('to_x')-column('x')):(column('to_y')-column('y')) "
     "with vectors head size 0.03,20 filled lw 2 lc rgb (i == 1 ? '#009E73' : i == 2 ? '#D55E00' : '#0072B2'), \\\n"
     "    '' using 2:3 with points pt 7 ps 0.9 lc rgb 'black'\n"
     "}\n"
     "unset multiplot\n"},
};

static void report(paper *p, paper_report *r) {
  paper_data steps;
  double worst = 0, most = 0, least = (double)INFINITY;
  if (!paper_open(p, &parts[0], "updates-steps", &steps))
    return;
  for (size_t i = 0; i < steps.rows; i++) {
    const double ratio = paper_value(&steps, i, "ratio");
    if (paper_row_is(&steps, i, "geodesic"))
      worst = fmax(worst, fabs(ratio - 1));
    if (paper_row_is(&steps, i, "natural")) {
      most = fmax(most, ratio);
      least = fmin(least, ratio);
    }
  }
  paper_heading(r, "The three updates");
  paper_show(
      r, "updates",
      "Steps in eight directions from five points (the paper's figure 2). Grey lines are the geodesics in those directions, "
      "dashed ones the points at distance 1. Gradients have Riemannian length 1; for the Euclidean update 0.01, since longer "
      "steps leave the disk.");
  paper_claim(
      r, worst < 1e-12 && most > 1.2 && least < 0.95 ? PAPER_REPRODUCED : PAPER_NOT,
      "The geodesic update goes exactly as far as the gradient says, the natural update too far outwards and not far enough "
      "inwards",
      "For gradients of length 1 the geodesic steps cover 1 to within %.1g, the natural steps between %.3f and %.3f.", worst,
      least, most);
  paper_close(&steps);
}

const paper_experiment paper_updates = {"updates", "The three updates", parts, 1, figures, 1, report, NULL};

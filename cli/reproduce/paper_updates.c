/* paper_updates.c - the paper's figure 1: from the same points, steps by the Euclidean, the natural and the geodesic update in
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
  geodisk_update_point(ball, (geodisk_update)rule, GEODISK_MARGIN_DEFAULT, x, geodisk_gap(ball, x), step, y, &gap);
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

/* ---- the two circles of the appendix ------------------------------------------------------------------------------------ */

static void circles_settings(const paper *p, char text[PAPER_SETTINGS]) {
  (void)p;
  snprintf(text, PAPER_SETTINGS, "the geodesic from A at 0.65, 65 degrees, along the axis, and the points at distance 1 from A");
}

static void add_point(paper_buffer *out, const char *name, double x, double y) {
  paper_cell(out, name);
  paper_numbers(out, 2, (const double[]){x, y});
  paper_end_row(out);
}

static void add_line(paper_buffer *out, const char *kind, const double *from, const double *to) {
  paper_cell(out, kind);
  paper_numbers(out, 4, (const double[]){from[0], from[1], to[0], to[1]});
  paper_end_row(out);
}

static void add_circle(paper_buffer *out, const char *name, const double *centre, double radius) {
  paper_cell(out, name);
  paper_numbers(out, 3, (const double[]){centre[0], centre[1], radius});
  paper_end_row(out);
}

/* Where the line from a point of the rim through A meets the rim again. */
static void other_end(const double *rim, const double *a, double *out) {
  const double d[DIM] = {a[0] - rim[0], a[1] - rim[1]};
  const double t = -2 * (rim[0] * d[0] + rim[1] * d[1]) / (d[0] * d[0] + d[1] * d[1]);
  for (int i = 0; i < DIM; i++)
    out[i] = rim[i] + t * d[i];
}

/* The paper's construction: P, P' are the ends of the diameter along the step; Q, Q' the second ends of the chords from them
 * through A; N where PQ and P'Q' meet; J, halfway from A to N, is the centre of the geodesic. E is the centre of the circle of
 * equal distance, B and B' are where both circles meet: the ends of the two steps. */
static int run_circles(paper *p, paper_buffer *out) {
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  const double angle = 65 * acos(-1.0) / 180, a = 0.65, at[DIM] = {a * cos(angle), a * sin(angle)}, distance = 1;
  const double poles[2][DIM] = {{1, 0}, {-1, 0}}, f = at[0], below = a * a - f * f, origin[DIM] = {0, 0};
  const double n[DIM] = {(f * (a * a - 1) + (1 - f * f) * at[0]) / below, (1 - f * f) * at[1] / below}; /* errata.md, 8 */
  const double j[DIM] = {(at[0] + n[0]) / 2, (at[1] + n[1]) / 2}, c = cosh(distance) - 1, gap = 1 - a * a, scale = 2 + c * gap;
  const double e[DIM] = {2 * at[0] / scale, 2 * at[1] / scale};
  (void)p;
  add_point(&out[0], "O", 0, 0);
  add_point(&out[0], "A", at[0], at[1]);
  add_point(&out[0], "N", n[0], n[1]);
  add_point(&out[0], "J", j[0], j[1]);
  add_point(&out[0], "E", e[0], e[1]);
  for (int k = 0; k < 2; k++) {
    double q[DIM], v[DIM] = {(k == 0 ? 1 : -1) * distance * gap / 2, 0}, end[DIM];
    other_end(poles[1 - k], at, q);
    geodisk_exp(&ball, at, v, end);
    add_point(&out[0], k == 0 ? "P" : "P'", poles[k][0], poles[k][1]);
    add_point(&out[0], k == 0 ? "Q" : "Q'", q[0], q[1]);
    add_point(&out[0], k == 0 ? "B" : "B'", end[0], end[1]);
    add_line(&out[2], "plain", poles[1 - k], q);
    add_line(&out[2], "plain", poles[k], n);
    add_line(&out[2], "plain", q, k == 0 ? origin : j);
  }
  add_line(&out[2], "plain", poles[0], poles[1]);
  add_line(&out[2], "plain", at, n);
  add_line(&out[2], "step", at, (const double[DIM]){at[0] + 0.3, at[1]});
  add_circle(&out[1], "rim", origin, 1);
  add_circle(&out[1], "geodesic", j, hypot(n[0] - at[0], n[1] - at[1]) / 2);
  add_circle(&out[1], "equidistant", e, sqrt(c * (c + 2)) * gap / scale);
  return EXIT_OK;
}

static const paper_part parts[] = {
    {{"updates-steps", "updates-curves"},
     {"update\tx\ty\tto_x\tto_y\tlength\tcovered\tratio\toutward\tmissed_by", "curve\tnumber\tx\ty"},
     settings,
     run,
     0.1,
     0.1},
    {{"circles-points", "circles", "circles-lines"},
     {"point\tx\ty", "circle\tx\ty\tradius", "line\tx\ty\tto_x\tto_y"},
     circles_settings,
     run_circles,
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
     "NaN):(column('y')):(column('to_x')-column('x')):(column('to_y')-column('y')) with vectors head size 0.03,20 filled lw 2 lc "
     "rgb (i == 1 ? '#009E73' : i == 2 ? '#D55E00' : '#0072B2'), \\\n"
     "    '' using 2:3 with points pt 7 ps 0.9 lc rgb 'black'\n"
     "}\n"
     "unset multiplot\n"},
    {"circles", 900, 790, "circles",
     "set size ratio -1\nunset tics\nunset border\nunset grid\nset key off\nset xrange [-1.15:1.25]\nset yrange [-0.35:1.72]\n"
     "plot 'circles.tsv' using (is('rim') ? column('x') : NaN):'y':'radius' with circles lc rgb '#444444' lw 2 fs empty, \\\n"
     "  '' using (is('geodesic') ? column('x') : NaN):'y':'radius' with circles lc rgb '#0072B2' lw 2.5 fs empty, \\\n"
     "  '' using (is('equidistant') ? column('x') : NaN):'y':'radius' with circles lc rgb '#009E73' lw 2.5 fs empty, \\\n"
     "  'circles-lines.tsv' using (pick('plain', 'x')):'y':(column('to_x')-column('x')):(column('to_y')-column('y')) with "
     "vectors nohead lc rgb '#999999' lw 1.2, \\\n"
     "  '' using (pick('step', 'x')):'y':(column('to_x')-column('x')):(column('to_y')-column('y')) with vectors head filled lc "
     "rgb '#D55E00' lw 3, \\\n"
     "  'circles-points.tsv' using 2:3 with points pt 7 ps 1.1 lc rgb 'black', \\\n"
     "  '' using 2:3:1 with labels offset 1.3,0.9 font ',14'\n"},
};

static void report(paper *p, paper_report *r) {
  paper_data steps;
  double worst = 0, out[2] = {(double)INFINITY, 0}, in[2] = {(double)INFINITY, 0},
         scale[2] = {(double)INFINITY, 0}; /* the least and the most */
  if (!paper_open(p, &parts[0], "updates-steps", &steps))
    return;
  for (size_t i = 0; i < steps.rows; i++) {
    const double ratio = paper_value(&steps, i, "ratio"), outward = paper_value(&steps, i, "outward");
    if (paper_row_is(&steps, i, "geodesic"))
      worst = fmax(worst, fabs(ratio - 1));
    if (paper_row_is(&steps, i, "natural") && fabs(outward) > 1e-9) { /* not straight across */
      double *own = outward > 0 ? out : in;
      own[0] = fmin(own[0], ratio);
      own[1] = fmax(own[1], ratio);
    }
    if (paper_row_is(&steps, i, "euclidean")) {
      const double covered = paper_value(&steps, i, "covered");
      scale[0] = fmin(scale[0], covered);
      scale[1] = fmax(scale[1], covered);
    }
  }
  paper_heading(r, "The three updates");
  paper_show(r, "updates",
             "Steps in eight directions from five points (the paper's figure 1). Grey lines are the geodesics in those "
             "directions, dashed ones the points at distance 1. Gradients have Riemannian length 1; for the Euclidean update "
             "0.01, since longer steps leave the disk.");
  const bool exact = worst<1e-12, far = out[0]> 1, near = in[1] < 1;
  const paper_verdict verdict = exact && far && near ? PAPER_REPRODUCED : exact || far || near ? PAPER_PARTLY : PAPER_NOT;
  paper_claim(r, CLAIM_STEPS, verdict, verdict,
              "For gradients of length 1 the geodesic steps cover 1 to within %.1g, the natural steps outwards between %.3f and "
              "%.3f, inwards between %.3f and %.3f.",
              worst, out[0], out[1], in[0], in[1]);
  const paper_verdict blind = scale[1] > 2 * scale[0] ? PAPER_REPRODUCED : PAPER_NOT;
  paper_claim(r, CLAIM_SCALE, blind, blind, "For gradients of length 0.01 the Euclidean steps cover between %.3f and %.3f.",
              scale[0], scale[1]);
  paper_close(&steps);
}

const paper_experiment paper_updates = {"updates", "The three updates", parts, 2, figures, 2, report, NULL};

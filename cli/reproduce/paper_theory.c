/* paper_theory.c - the paper's theory against numbers: the plan, the figures, and the section of the report. */
#include "paper_theory.h"

enum { EXP, BOUND, SMOOTHNESS, RATE, BIAS, PARTS };

#define ERRORS "\tmedian\tp99\tworst\tmedian_distance\tworst_distance\tright\tcases"
static const paper_part parts[PARTS] = {
    [EXP] = {{"exp-depth", "exp-parallel", "exp-inward"},
             {"method\tdepth" ERRORS, "method\tangle" ERRORS, "method\tdepth" ERRORS},
             paper_exp_settings,
             paper_exp_run,
             1,
             15},
    [BOUND] =
        {{"theory-bound"}, {"reading\tradius\titeration\texcess\tbound\tdepth"}, paper_bound_settings, paper_bound_run, 0.1, 0.2},
    [SMOOTHNESS] = {{"theory-smoothness", "theory-lemma"},
                    {"distance\thyperbolic_along\thyperbolic_across\teuclidean_along\teuclidean_across\tpaper\tcorrected",
                     "radius\thalf\tprinted"},
                    paper_smoothness_settings,
                    paper_smoothness_run,
                    0.1,
                    0.1},
    [RATE] = {{"theory-rate"}, {"update\tradius\tstep\titerations"}, paper_rate_settings, paper_rate_run, 0.5, 8},
    [BIAS] = {{"theory-bias"}, {"reading\trate\tinwards\toutwards\tleaves"}, paper_bias_settings, paper_bias_run, 0.1, 0.1},
};

static const paper_figure figures[] = {
    {"theory-bound", 900, 560, "theory-bound",
     "set logscale y\nset format y '10^{%L}'\nset xlabel 'iteration'\nset ylabel 'loss above the least'\nset key top right "
     "opaque\n"
     "set yrange [1e-14:1e9]\n"
     "on(u, k) = is(u) && column('radius') == int(word('1 3 6', k)) ? column('iteration') : NaN\n"
     "plot for [k=1:3] 'theory-bound.tsv' using (on('half', k)):'bound' with lines lw 2 dt (6,4) lc rgb word('#0072B2 #D55E00 "
     "#009E73', k) title 'bound, D = ' . word('1 3 6', k), \\\n"
     "  for [k=1:3] '' using (on('half', k)):'excess' with lines lw 2.5 lc rgb word('#0072B2 #D55E00 #009E73', k) title 'd^2/2, "
     "D = ' . word('1 3 6', k), \\\n"
     "  for [k=1:3] '' using (on('printed', k)):'excess' every 3 with points pt 6 ps 0.7 lc rgb word('#0072B2 #D55E00 #009E73', "
     "k) title 'd^2 as printed, D = ' . word('1 3 6', k)\n"},
    {"theory-smoothness", 900, 560, "theory-smoothness",
     "set logscale y\nset format y '10^{%L}'\nset xlabel 'hyperbolic distance of p from 0'\nset ylabel 'second derivatives of "
     "d(0, p)^2'\n"
     "set key top left Left reverse\n"
     "plot 'theory-smoothness.tsv' using 1:'euclidean_along' with lines ls 2 title 'in coordinates, along the ray', \\\n"
     "  '' using 1:'euclidean_across' with lines ls 5 title 'in coordinates, across', \\\n"
     "  '' using 1:'paper' with lines ls 8 title \"the paper's constant (Proposition 2)\", \\\n"
     "  '' using 1:'hyperbolic_across' with lines ls 1 title 'along geodesics: across the ray, 2 d coth d', \\\n"
     "  '' using 1:'hyperbolic_along' with lines ls 6 title 'along geodesics: the ray, 2'\n"},
    {"theory-rate", 1300, 480, "theory-rate",
     "set multiplot layout 1,3 margins 0.055,0.99,0.14,0.91 spacing 0.045\n"
     "set logscale xy\nset format x '2^{%L}'\nset logscale x 2\nset format y '10^{%L}'\nset xrange [2**-15:4]\nset yrange "
     "[1:1e5]\n"
     "set xtics 2**-12,2**4\nset xlabel 'constant step'\nset key bottom left Left reverse\n"
     "do for [k=1:3] {\n"
     "  D = real(word('1 3 6', k))\n  set title sprintf('D = %g', D)\n"
     "  if (k == 1) { set ylabel 'iterations' } else { unset ylabel; set key off }\n"
     "  set arrow 1 from 1/(2*D+1),graph 0 to 1/(2*D+1),graph 1 nohead ls 8\n"
     "  plot 'theory-rate.tsv' using (is('euclidean') && column('radius') == D ? column('step') : NaN):'iterations' with "
     "linespoints ls 3 title 'Euclidean', \\\n"
     "    '' using (is('geodesic') && column('radius') == D ? column('step') : NaN):'iterations' with linespoints ls 1 title "
     "'geodesic'\n"
     "}\n"
     "unset multiplot\n"},
    {"exp-error", 1400, 1100, "exp-depth",
     "set multiplot layout 2,2 margins 0.065,0.985,0.065,0.965 spacing 0.075,0.095\n"
     "set logscale y\nset format y '10^{%L}'\nset yrange [0.3:3e16]\nset key top right opaque\n"
     "m = 'lemma hyperboloid theorem1 theorem1-domain geodisk'\n"
     "t(k) = k == 1 ? \"the paper's lemma\" : k == 2 ? 'hyperboloid' : k == 3 ? 'Theorem 1' : k == 4 ? 'Theorem 1, in its "
     "domain' : 'geodisk'\n"
     "s(k) = k == 1 ? 7 : k == 2 ? 4 : k == 3 ? 2 : k == 4 ? 3 : 1\n"
     "set ylabel 'worst error, in units of 2^{-53} of the radius'\n"
     "set xlabel 'depth of the point (distance from 0)'\nset title 'random steps of length up to 5'\n"
     "plot for [k=1:5] 'exp-depth.tsv' using (pick(word(m, k), 'depth')):'worst' with linespoints ls s(k) title t(k)\n"
     "set key off\nset ylabel 'worst error as a hyperbolic distance'\nset yrange [1e-17:300]\nset title 'the same, as a "
     "distance'\n"
     "plot for [k=1:5] 'exp-depth.tsv' using (pick(word(m, k), 'depth')):'worst_distance' with linespoints ls s(k) title t(k)\n"
     "set ylabel 'worst error, in units of 2^{-53} of the radius'\nset yrange [0.3:3e16]\n"
     "set title 'inwards: steps of up to the depth, at angles to 10^{-16} to the ray'\nset xrange [0:15]\n"
     "plot for [k=1:5] 'exp-inward.tsv' using (pick(word(m, k), 'depth')):'worst' with linespoints ls s(k) title t(k)\n"
     "set logscale x\nset format x '10^{%L}'\nset xrange [2:5e-17]\nset xlabel 'angle between the step and the ray (radians)'\n"
     "set title 'outwards: steps of length 1 from depth 3'\n"
     "plot for [k=1:5] 'exp-parallel.tsv' using (pick(word(m, k), 'angle')):'worst' with linespoints ls s(k) title t(k)\n"
     "unset multiplot\n"},
};

static void report(paper *p, paper_report *r) {
  paper_data d;
  const bool there = paper_open(p, &parts[BOUND], "theory-bound", &d);
  paper_close(&d);
  if (!there)
    return;
  paper_heading(r, "Theory");
  paper_exp_report(p, &parts[EXP], r);
  paper_smoothness_report(p, &parts[SMOOTHNESS], r);
  paper_bound_report(p, &parts[BOUND], r);
  paper_rate_report(p, &parts[RATE], r);
  paper_bias_report(p, &parts[BIAS], r);
}

const paper_experiment paper_theory = {"theory", "Theory", parts, PARTS, figures, sizeof figures / sizeof figures[0],
                                       report,   NULL};

/* bench_mean.c - `geodisk bench mean`: how fast barycenters are found, against what the project promises: 100,000 points of dim
 * 10 in at most 8 passes and on 2 threads at 60 million point-visits a second; 10^6 points of dim 2 in 0.25 s; linear in n. And
 * scipy.optimize minimising the same function, where Debian's Python has it. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const command_spec spec = {
    "bench mean",
    "barycenters: passes, point-visits a second, and scipy.optimize on the same points",
    "",
    "Makes random points (uniform in a hyperbolic ball of radius 3 around a point at distance 1 from the origin), finds their "
    "barycenter as far as rounding allows, and prints the time of the best of several runs: everything included, from the gaps "
    "to the certificate. A visit is one point in one pass. cpu is what the processors spent; wall is longer on a busy machine. "
    "Then the same points go to scipy.optimize.minimize (BFGS with the exact gradient, on the hyperboloid), where "
    "/usr/bin/python3 has scipy.",
    "geodisk bench mean\n"
    "geodisk bench mean --threads 2 --json",
};

enum { REPEATS = 9 };

typedef struct outcome {
  size_t n;
  int dim;
  bench_time time; /* best */
  double point[16];
  geodisk_mean_info info;
} outcome;

/* n x dim coordinates; NULL when memory is out. */
static double *random_points(const geodisk_ball *ball, size_t n) {
  double *x = geodisk_allocate(n, (size_t)ball->dim * sizeof *x), centre[16] = {0};
  geodisk_random random = geodisk_random_stream(1, 0);
  centre[0] = geodisk_euclidean_from_radius(ball, 1.0);
  for (size_t i = 0; x != NULL && i < n; i++) {
    double *row = x + i * (size_t)ball->dim;
    geodisk_random_in_ball(ball, &random, 3.0, row, NULL);
    geodisk_mobius_add(ball, centre, row, row);
  }
  return x;
}

static geodisk_status measure(geodisk_context *context, const geodisk_ball *ball, size_t n, const double *x, outcome *o) {
  geodisk_mean_options options = geodisk_mean_defaults();
  options.context = context;
  *o = (outcome){.n = n, .dim = ball->dim, .time = {(double)INFINITY, (double)INFINITY}};
  for (int i = 0; i < REPEATS; i++) {
    const bench_time start = bench_now();
    const geodisk_status status = geodisk_mean(ball, n, x, NULL, &options, o->point, &o->info);
    if (status != GEODISK_OK)
      return status;
    o->time = bench_better(o->time, bench_since(start));
  }
  return GEODISK_OK;
}

/* ---- scipy ------------------------------------------------------------------------------------------------------------ */

/* f over the space part s of a point (sqrt(1+|s|^2), s) of the hyperboloid, with its gradient: the form that suits an
 * unconstrained optimiser best. Prints seconds, value, evaluations and the point in the ball. */
static const char script[] = "import sys, time\n"
                             "import numpy as np\n"
                             "try:\n"
                             "    from scipy.optimize import minimize\n"
                             "except ImportError:\n"
                             "    sys.exit(3)\n"
                             "n, dim = int(sys.argv[2]), int(sys.argv[3])\n"
                             "x = np.fromfile(sys.argv[1]).reshape(n, dim)\n"
                             "def run():\n"
                             "    gap = 1 - (x * x).sum(1)\n"
                             "    t, q = 2 / gap - 1, 2 * x / gap[:, None]\n"
                             "    def f(s):\n"
                             "        up = np.sqrt(1 + s @ s)\n"
                             "        inner = np.maximum(up * t - q @ s, 1 + 1e-15)\n"
                             "        d = np.arccosh(inner)\n"
                             "        pull = d / np.sqrt(inner * inner - 1) / n\n"
                             "        return 0.5 * (d @ d) / n, (pull @ t) / up * s - pull @ q\n"
                             "    return minimize(f, np.zeros(dim), jac=True, method='BFGS', options={'gtol': 1e-13})\n"
                             "best = None\n"
                             "for _ in range(3):\n"
                             "    start = time.perf_counter()\n"
                             "    r = run()\n"
                             "    took = time.perf_counter() - start\n"
                             "    best = took if best is None else min(best, took)\n"
                             "p = r.x / (1 + np.sqrt(1 + r.x @ r.x))\n"
                             "print(repr(best), repr(float(r.fun)), r.nfev, *[repr(float(v)) for v in p])\n";

typedef struct rival {
  bool there;
  double seconds, loss, evaluations, point[16];
} rival;

static rival run_scipy(const geodisk_ball *ball, size_t n, const double *x) {
  char arguments[64];
  double numbers[3 + 16];
  rival r = {0};
  snprintf(arguments, sizeof arguments, "%zu %d", n, ball->dim);
  r.there = bench_python(script, sizeof script - 1, arguments, x, n * (size_t)ball->dim * sizeof *x, numbers, 3 + ball->dim);
  if (r.there) {
    r.seconds = numbers[0];
    r.loss = numbers[1];
    r.evaluations = numbers[2];
    memcpy(r.point, numbers + 3, (size_t)ball->dim * sizeof *r.point);
  }
  return r;
}

/* ---- printing ---------------------------------------------------------------------------------------------------------- */

static double visits(const outcome *o, double seconds) { return (double)o->n * (double)o->info.passes / seconds; }

static void print_outcome(const outcome *o, bool json, bool first) {
  if (json) {
    json_format(
        "%s{\"points\": %z, \"dim\": %d, \"passes\": %u, \"seconds\": %n, \"cpu_seconds\": %n, \"visits_per_second\": %n, "
        "\"gradient_norm\": %n, \"error_bound\": %n}",
        first ? "" : ", ", o->n, o->dim, o->info.passes, o->time.wall, o->time.cpu, visits(o, o->time.wall),
        o->info.gradient_norm, o->info.error_bound);
    return;
  }
  printf("%8zu %4d %7llu %10.2f %10.2f %12.1f %12.1f %14.1e %12.1e\n", o->n, o->dim, (unsigned long long)o->info.passes,
         1e3 * o->time.wall, 1e3 * o->time.cpu, 1e-6 * visits(o, o->time.wall), 1e9 / visits(o, o->time.cpu),
         o->info.gradient_norm, o->info.error_bound);
}

static void print_table(const outcome *o) {
  bench_table_count((double)o->n);
  bench_table_count(o->dim);
  bench_table_count((double)o->info.passes);
  bench_table_numbers(3, (const double[]){1e3 * o->time.wall, 1e3 * o->time.cpu, 1e9 / visits(o, o->time.cpu)});
  bench_table_text("%.0e", o->info.gradient_norm);
  bench_table_end_row();
}

static void print_rival(const rival *r, const outcome *o, const geodisk_ball *ball, bool json) {
  const double apart = r->there ? geodisk_distance(ball, r->point, o->point) : (double)NAN;
  if (json && !r->there)
    puts("], \"scipy\": null}");
  else if (json)
    json_format("], \"scipy\": {\"seconds\": %n, \"evaluations\": %w, \"ratio\": %n, \"distance\": %n}}\n", r->seconds,
                r->evaluations, r->seconds / o->time.wall, apart);
  else if (!r->there)
    printf("\nscipy.optimize: /usr/bin/python3 has no scipy; not compared\n");
  else
    printf("\nscipy.optimize (BFGS), %zu points, dim %d: %.1f ms, %.0f evaluations, %.0f times as long; its point is %.0e away\n",
           o->n, o->dim, 1e3 * r->seconds, r->evaluations, r->seconds / o->time.wall, apart);
}

static int run(const common_options *common) {
  static const struct {
    size_t n;
    int dim;
  } cases[] = {{100000, 10}, {1000000, 2}, {1000, 10}, {10000, 10}, {1000000, 10}};
  geodisk_context *context = cli_context(common);
  outcome first = {0};
  geodisk_status status = GEODISK_OK;
  rival r = {0};
  if (bench_markdown)
    bench_table_begin("points | dim | passes | ms | cpu ms | ns a point and pass | gradient");
  else if (common->json)
    printf("{\"threads\": %d, \"instruction_set\": \"%s\", \"cases\": [", geodisk_context_threads(context),
           geodisk_instruction_set(context));
  else
    printf("%d threads, %s; the best of %d runs\n\n%8s %4s %7s %10s %10s %12s %12s %14s %12s\n", geodisk_context_threads(context),
           geodisk_instruction_set(context), (int)REPEATS, "points", "dim", "passes", "wall ms", "cpu ms", "M visits/s",
           "ns/visit", "gradient", "certified");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0] && status == GEODISK_OK && !cli_interrupted(); i++) {
    const geodisk_ball ball = geodisk_unit_ball(cases[i].dim);
    outcome o = {0};
    double *x = random_points(&ball, cases[i].n);
    status = x == NULL ? GEODISK_ERROR_MEMORY : measure(context, &ball, cases[i].n, x, &o);
    if (status == GEODISK_OK && bench_markdown)
      print_table(&o);
    else if (status == GEODISK_OK)
      print_outcome(&o, common->json, i == 0);
    if (status == GEODISK_OK && i == 0 && !bench_markdown) {
      first = o;
      r = run_scipy(&ball, cases[i].n, x);
    }
    free(x);
  }
  const geodisk_ball ball = geodisk_unit_ball(first.dim);
  if (status == GEODISK_OK && !bench_markdown)
    print_rival(&r, &first, &ball, common->json);
  return cli_end(context, status);
}

int bench_mean(int argc, char **argv) {
  common_options common = {0};
  const option_spec options[] = {BENCH_MARKDOWN, OPT_END};
  const int code = args_parse(&spec, options, &common, argc, argv);
  common.quiet = true; /* progress of many short runs says nothing */
  return code >= 0 ? code : run(&common);
}

/* bench_geometry.c - `geodisk bench geometry`: the batches of ball.h, as ratios in one run: distance against its monotone form
 * without a logarithm and against gensim's, the geodesic step against the natural-gradient step; float, threads, instruction
 * sets. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

static const command_spec spec = {
    .name = "bench geometry",
    .summary = "batches of distances and steps: rates, ratios, and gensim's distance on the same points",
    .arguments = "",
    .description = "Makes random points (uniform in a hyperbolic ball of radius 6) and times the batches on them, the best of "
                   "several runs each: in double and float, on one thread and on all, in cache and from memory. Ratios compare "
                   "what was measured in this run. The same points go to gensim's PoincareKeyedVectors.vector_distance_batch, "
                   "where /usr/bin/python3 has gensim. One thread unless said otherwise.",
    .examples = "geodisk bench geometry\n"
                "geodisk bench geometry --dim 50 --json",
};

enum { REPEATS = 15, IN_CACHE = 8192, FROM_MEMORY = 1000000, SIZES = 4 };

/* Batches compared with gensim: a thousand, what stays in the cache, as many as WordNet has nouns, and more than any cache holds.
 */
static const size_t sizes[SIZES] = {1000, IN_CACHE, 82115, FROM_MEMORY};
enum { NOUNS = 2 };

/* What is measured: n rows of the batch on a context. */
typedef enum operation {
  DISTANCE,
  SINH2,
  EXP,
  GEODESIC_STEP,
  NATURAL_STEP,
  DISTANCE_FLOAT,
  SINH2_FLOAT,
  STEP_FLOAT,
  OPERATIONS
} operation;

static const struct {
  const char *name;
  int arrays; /* of n x dim numbers that are read or written */
  bool single;
} facts[OPERATIONS] = {{"distance_many", 1, false},      {"sinh2_many", 1, false},        {"exp_many", 3, false},
                       {"geodesic_step_many", 3, false}, {"natural_step_many", 3, false}, {"distance_manyf", 1, true},
                       {"sinh2_manyf", 1, true},         {"geodesic_step_manyf", 3, true}};

typedef struct workload {
  geodisk_ball ball;
  size_t n;
  double *x, *v, *df, *out; /* points, tangents, Euclidean gradients */
  float *xf, *dff, *outf;
} workload;

static bool make_workload(int dim, size_t n, workload *w) {
  *w = (workload){.ball = geodisk_unit_ball(dim), .n = n};
  const size_t row = (size_t)dim;
  w->x = geodisk_allocate(n, row * sizeof *w->x);
  w->v = geodisk_allocate(n, row * sizeof *w->v);
  w->df = geodisk_allocate(n, row * sizeof *w->df);
  w->out = geodisk_allocate(n, row * sizeof *w->out);
  w->xf = geodisk_allocate(n, row * sizeof *w->xf);
  w->dff = geodisk_allocate(n, row * sizeof *w->dff);
  w->outf = geodisk_allocate(n, row * sizeof *w->outf);
  if (!w->x || !w->v || !w->df || !w->out || !w->xf || !w->dff || !w->outf)
    return false;
  geodisk_random random = geodisk_random_stream(1, 0);
  for (size_t i = 0; i < n; i++) {
    geodisk_random_in_ball(&w->ball, &random, 6.0, w->x + i * row, NULL);
    geodisk_random_in_ballf(&w->ball, &random, 6.0f, w->xf + i * row, NULL);
    const double factor = geodisk_metric_factor(&w->ball, w->x + i * row); /* steps of length about 0.1 */
    for (size_t k = 0; k < row; k++) {
      w->df[i * row + k] = geodisk_random_normal(&random) * factor / sqrt((double)dim);
      w->dff[i * row + k] = (float)w->df[i * row + k];
      w->v[i * row + k] = -0.1 * w->df[i * row + k] / (factor * factor);
    }
  }
  return true;
}

static void destroy_workload(workload *w) { geodisk_free_all(w->x, w->v, w->df, w->out, w->xf, w->dff, w->outf); }

static void run_once(geodisk_context *context, const workload *w, operation what) {
  const geodisk_ball *b = &w->ball;
  switch (what) {
  case DISTANCE:
    geodisk_distance_many(context, b, w->x, w->n, w->x, NULL, w->out);
    break;
  case SINH2:
    geodisk_sinh2_many(context, b, w->x, w->n, w->x, NULL, w->out);
    break;
  case EXP:
    geodisk_exp_many(context, b, w->n, w->x, w->v, w->out, NULL);
    break;
  case GEODESIC_STEP:
    geodisk_geodesic_step_many(context, b, w->n, w->x, w->df, 0.1, w->out);
    break;
  case NATURAL_STEP:
    geodisk_natural_step_many(context, b, w->n, w->x, w->df, 0.1, 1e-5, w->out);
    break;
  case DISTANCE_FLOAT:
    geodisk_distance_manyf(context, b, w->xf, w->n, w->xf, NULL, w->outf);
    break;
  case SINH2_FLOAT:
    geodisk_sinh2_manyf(context, b, w->xf, w->n, w->xf, NULL, w->outf);
    break;
  case STEP_FLOAT:
    geodisk_geodesic_step_manyf(context, b, w->n, w->xf, w->dff, 0.1f, w->outf);
    break;
  case OPERATIONS:
    break;
  }
}

/* Nanoseconds a row: the best of REPEATS runs, or of what fits into half a second. */
static double time_rows(geodisk_context *context, const workload *w, operation what) {
  const int loops = w->n >= FROM_MEMORY ? 1 : (int)(FROM_MEMORY / 8 / w->n) + 1;
  double best = (double)INFINITY, spent = 0.0;
  for (int i = 0; i < REPEATS && spent < 0.5e9; i++) {
    const bench_time start = bench_now();
    for (int j = 0; j < loops; j++)
      run_once(context, w, what);
    const double took = 1e9 * bench_since(start).wall;
    spent += took;
    best = fmin(best, took / loops / (double)w->n);
  }
  return best;
}

/* ---- gensim ------------------------------------------------------------------------------------------------------------ */

static const char script[] = "import sys, time\n"
                             "import numpy as np\n"
                             "try:\n"
                             "    from gensim.models.poincare import PoincareKeyedVectors\n"
                             "except ImportError:\n"
                             "    sys.exit(3)\n"
                             "n, dim = int(sys.argv[2]), int(sys.argv[3])\n"
                             "x = np.fromfile(sys.argv[1]).reshape(n, dim)\n"
                             "best = 1e9\n"
                             "for _ in range(15):\n"
                             "    start = time.perf_counter()\n"
                             "    for _ in range(4):\n"
                             "        PoincareKeyedVectors.vector_distance_batch(x[0], x)\n"
                             "    best = min(best, (time.perf_counter() - start) / 4)\n"
                             "print(repr(best / n * 1e9))\n";

static double time_gensim(const workload *w) {
  char arguments[64];
  double ns;
  snprintf(arguments, sizeof arguments, "%zu %d", w->n, w->ball.dim);
  return bench_python(script, sizeof script - 1, arguments, w->x, w->n * (size_t)w->ball.dim * sizeof *w->x, &ns, 1)
             ? ns
             : (double)NAN;
}

/* ---- printing ---------------------------------------------------------------------------------------------------------- */

typedef struct results {
  int dim, threads;
  double cached[OPERATIONS], memory[OPERATIONS], all_threads[OPERATIONS]; /* ns a row */
  double sets[4][OPERATIONS];                                             /* 0: not on this machine */
  double ours[SIZES], gensim[SIZES];                                      /* distances, ns a row */
  double copy;                                                            /* bytes a second read from memory */
} results;

static const char *const sets[4] = {"avx512", "avx2", "sse2", "ref"};

static void print_ratio(bool json, const char *key, const char *text, double ratio) {
  if (json) {
    json_format(", \"%s\": %n", key, ratio);
  } else if (isnan(ratio)) {
    printf("%-66s not measured\n", text);
  } else {
    printf("%-66s %8.2f\n", text, ratio);
  }
}

static void print_ratios(const results *r, bool json) {
  const double *c = r->cached;
  print_ratio(json, "distance_over_gensim", "distance_many: times the rate of gensim, 82,115 rows (WordNet's nouns; bound: 20)",
              r->gensim[NOUNS] / r->ours[NOUNS]);
  print_ratio(json, "distance_over_sinh2", "distance_many: share of the rate of sinh2_many (bound: 0.6)", c[SINH2] / c[DISTANCE]);
  print_ratio(json, "geodesic_over_natural", "geodesic_step_many: times as long as natural_step_many (bound: at most 1.5)",
              c[GEODESIC_STEP] / c[NATURAL_STEP]);
  print_ratio(json, "exp_over_natural", "exp_many: times as long as natural_step_many (bound: at most 1.5)",
              c[EXP] / c[NATURAL_STEP]);
  print_ratio(json, "distance_threads", "distance_many: all threads over one, from memory",
              r->memory[DISTANCE] / r->all_threads[DISTANCE]);
  print_ratio(json, "memory_share", "distance_many from memory: share of the bandwidth of a plain sum over the same bytes",
              (double)r->dim * 8.0 / r->memory[DISTANCE] * 1e9 / r->copy);
}

static void print_gensim(const results *r, bool json) {
  fputs(json ? "}, \"gensim\": [" : "\ngensim's vector_distance_batch on the same points\n", stdout);
  for (int i = 0; i < SIZES; i++) {
    if (json) {
      json_format("%s{\"rows\": %z, \"geodisk\": %n, \"gensim\": %n}", i ? ", " : "", sizes[i], r->ours[i], r->gensim[i]);
    } else {
      printf("%10zu rows: %10.2f ns a row; distance_many %8.2f; ratio %8.1f\n", sizes[i], r->gensim[i], r->ours[i],
             r->gensim[i] / r->ours[i]);
    }
  }
  fputs(json ? "]" : "\n", stdout);
}

static void print_table(const results *r) {
  char columns[96];
  snprintf(columns, sizeof columns, "dim %d, one thread, ns a row | in cache | from memory | AVX2 | SSE2 | plain C", r->dim);
  bench_table_begin(columns);
  for (int i = 0; i <= DISTANCE_FLOAT; i++) {
    bench_table_text("`geodisk_%s`%s", facts[i].name,
                     i == SINH2            ? " (orders alike, no logarithm)"
                     : i == DISTANCE_FLOAT ? " (float rows)"
                                           : "");
    bench_table_number(r->cached[i]);
    bench_table_number(r->memory[i]);
    for (int s = 1; s < 4; s++)
      bench_table_number(r->sets[s][0] > 0.0 ? r->sets[s][i] : (double)NAN);
    bench_table_end_row();
  }
}

static void print_results(const results *r, const common_options *common) {
  if (common->json)
    printf("{\"dim\": %d, \"threads\": %d, \"nanoseconds_per_row\": {", r->dim, r->threads);
  else
    printf("dim %d; ns a row, the best of %d runs; one thread: %d rows (in cache), %d rows (memory); threads: %d on %d "
           "rows\n\n%-22s %10s %10s %10s  ",
           r->dim, (int)REPEATS, (int)IN_CACHE, (int)FROM_MEMORY, r->threads, (int)FROM_MEMORY, "", "in cache", "memory",
           "threads");
  for (int s = 0; s < 4 && !common->json; s++)
    printf("%10s", r->sets[s][0] > 0.0 ? sets[s] : "");
  if (!common->json)
    printf("\n");
  for (int i = 0; i < OPERATIONS; i++) {
    if (common->json) {
      json_format("%s\"%s\": [%n, %n, %n", i ? ", " : "", facts[i].name, r->cached[i], r->memory[i], r->all_threads[i]);
      for (int s = 0; s < 4; s++) /* by instruction set; null where there is none */
        json_format(", %n", r->sets[s][0] > 0.0 ? r->sets[s][i] : (double)NAN);
      fputs("]", stdout);
      continue;
    }
    printf("%-22s %10.2f %10.2f %10.2f  ", facts[i].name, r->cached[i], r->memory[i], r->all_threads[i]);
    for (int s = 0; s < 4; s++)
      if (r->sets[s][0] > 0.0)
        printf("%10.2f", r->sets[s][i]);
    printf("\n");
  }
  print_gensim(r, common->json);
  print_ratios(r, common->json);
  if (common->json)
    printf("}\n");
}

/* Bytes a second at which one thread reads memory: a plain sum, eight ways, over the rows. */
static double read_rate(const workload *w) {
  const size_t count = w->n * (size_t)w->ball.dim;
  double best = (double)INFINITY;
  for (int i = 0; i < REPEATS; i++) {
    double s[8] = {0.0};
    const bench_time start = bench_now();
    for (size_t k = 0; k + 8 <= count; k += 8)
      for (size_t j = 0; j < 8; j++)
        s[j] += w->x[k + j];
    const bench_time took = bench_since(start);
    w->out[0] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7]; /* so that it is not left out */
    best = fmin(best, took.wall);
  }
  return (double)count * sizeof(double) / best;
}

static int run(const common_options *common, int dim) {
  const common_options single = {.threads = 1, .quiet = true};
  geodisk_context *one = cli_context(&single), *many = cli_context(common);
  workload cache = {0}, memory = {0};
  results r = {.dim = dim};
  int code = EXIT_FAILED;
  if (!make_workload(dim, IN_CACHE, &cache) || !make_workload(dim, FROM_MEMORY, &memory)) {
    code = cli_error("out of memory");
    goto done;
  }
  r.threads = geodisk_context_threads(many);
  for (int i = 0; i < SIZES && !cli_interrupted() && !bench_markdown; i++) {
    workload part = memory;
    part.n = sizes[i];
    r.gensim[i] = time_gensim(&part);
    r.ours[i] = time_rows(one, &part, DISTANCE);
  }
  r.copy = read_rate(&memory);
  for (operation i = 0; i < OPERATIONS && !cli_interrupted(); i++) {
    r.cached[i] = time_rows(one, &cache, i);
    r.memory[i] = time_rows(one, &memory, i);
    r.all_threads[i] = time_rows(many, &memory, i);
  }
  for (int s = 0; s < 4 && !cli_interrupted(); s++)
    for (operation i = 0; i < OPERATIONS && geodisk_use_instruction_set(one, sets[s]) == GEODISK_OK; i++)
      r.sets[s][i] = time_rows(one, &cache, i);
  if (cli_interrupted()) {
    code = cli_interrupted_code();
    goto done;
  }
  if (bench_markdown)
    print_table(&r);
  else
    print_results(&r, common);
  code = cli_finish();
done:
  destroy_workload(&cache);
  destroy_workload(&memory);
  geodisk_context_destroy(one);
  geodisk_context_destroy(many);
  return code;
}

int bench_geometry(int argc, char **argv) {
  common_options common = {0};
  int64_t dim = 10;
  const option_spec options[] = {OPT_INT("dim", 'd', &dim, "N", "dimensions (default: 10)", 1, GEODISK_DIM_MOST), BENCH_MARKDOWN,
                                 OPT_END};
  const int code = args_parse(&spec, options, &common, argc, argv);
  common.quiet = true;
  return code >= 0 ? code : run(&common, (int)dim);
}

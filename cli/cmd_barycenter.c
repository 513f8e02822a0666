/* cmd_barycenter.c - `geodisk barycenter`: the weighted mean (or median, or centroid) of points from a file, with its
 * certificate. */
#include "args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "points.h"

enum { NEWTON, GRADIENT, FIXED_POINT, SGD, MEDIAN, CENTROID };
#define METHODS   "newton|gradient|fixed-point|sgd|median|centroid"
#define UPDATES   "geodesic|natural|euclidean"
#define SCHEDULES "constant|linear|geometric|inverse|cosine"

static const command_spec spec = {
    "barycenter",
    "the weighted mean of points, with a certified error bound",
    "POINTS",
    "Reads points from POINTS (- for standard input), one a row: numbers separated by tabs, commas or blanks, with or without a "
    "name in front, or a NumPy file (.npy) of float64 or float32. Empty rows and rows that start with # are skipped, one row "
    "without numbers may stand first as a header.\n"
    "Prints the point p that minimises the mean of w d(p, q)^2 / 2, the loss there, the length of the gradient, a bound on the "
    "distance to the true barycenter, and the number of iterations. newton needs a few passes over the points. gradient without "
    "--lr takes the paper's step 1/(2D+1), which is proved to converge; fixed-point needs no step; sgd draws one point (or "
    "--batch) a step. median minimises the mean distance instead, its bound is one for the loss; centroid is that of the "
    "hyperboloid.",
    "geodisk barycenter points.tsv\n"
    "geodisk barycenter vectors.npy --weights weights.txt --json\n"
    "printf '0 0\\n0.99999999 0\\n' | geodisk barycenter - --method sgd --update natural --lr 0.1 --iterations 1000 --trace "
    "trace.tsv",
};

typedef struct request {
  common_options common;
  geodisk_ball ball;
  int method, update, schedule;
  double lr, lr_end, decay, tolerance, margin;
  int64_t iterations, seed, batch, evaluate_every;
  const char *weights, *trace, *start;
} request;

/* ---- the trace ------------------------------------------------------------------------------------------------------- */

typedef struct trace {
  FILE *file;
  int dim;
  bool failed;
} trace;

static bool trace_iteration(void *user, const geodisk_mean_iteration *now) {
  trace *t = user;
  char loss[GEODISK_NUMBER_BYTES], norm[GEODISK_NUMBER_BYTES], x[GEODISK_NUMBER_BYTES];
  fprintf(t->file, "%llu\t%s\t%s\t%llu", (unsigned long long)now->iteration, shortest_double(now->loss, loss),
          shortest_double(now->gradient_norm, norm), (unsigned long long)now->clips);
  for (int j = 0; j < t->dim; j++)
    fprintf(t->file, "\t%s", shortest_double(now->point[j], x));
  t->failed = t->failed || fputc('\n', t->file) == EOF;
  return !t->failed && !cli_interrupted();
}

static bool trace_open(trace *t, const char *path, int dim) {
  *t = (trace){.file = fopen(path, "w"), .dim = dim};
  if (t->file == NULL) {
    cli_error("%s: %s", path, strerror(errno));
    return false;
  }
  fputs("iteration\tloss\tgradient_norm\tclips", t->file);
  for (int j = 1; j <= dim; j++)
    fprintf(t->file, "\tx%d", j);
  fputc('\n', t->file);
  return true;
}

static bool trace_close(trace *t, const char *path) {
  const bool fine = !t->failed && fflush(t->file) == 0 && !ferror(t->file);
  const bool closed = fclose(t->file) == 0;
  t->file = NULL;
  if (!fine || !closed)
    cli_error("%s: not everything could be written", path);
  return fine && closed;
}

/* ---- input ----------------------------------------------------------------------------------------------------------- */

static bool check_points(const request *r, const char *path, const point_rows *rows) {
  for (size_t i = 0; i < rows->n; i++)
    if (!(geodisk_gap(&r->ball, rows->x + i * rows->dim) > 0.0)) {
      char radius[GEODISK_NUMBER_BYTES];
      cli_error("%s: row %zu%s%.60s%s: the point is not inside the ball of radius %s",
                strcmp(path, "-") == 0 ? "standard input" : path, rows->lines[i], rows->names != NULL ? " (" : "",
                rows->names != NULL ? rows->names[i] : "", rows->names != NULL ? ")" : "",
                shortest_double(r->ball.radius, radius));
      return false;
    }
  return true;
}

/* One number a row, as many as points. */
static double *read_weights(const char *path, const point_rows *points) {
  point_rows rows;
  if (!points_read(path, &rows))
    return NULL;
  double *weights = NULL;
  if (rows.dim != 1 || rows.n != points->n)
    cli_error("%s: %zu rows of %zu numbers, but there are %zu points: one weight each", path, rows.n, rows.dim, points->n);
  else {
    for (size_t i = 0; i < rows.n; i++)
      if (!(rows.x[i] >= 0.0)) {
        cli_error("%s: row %zu: the weight is negative", path, rows.lines[i]);
        points_free(&rows);
        return NULL;
      }
    weights = rows.x;
    rows.x = NULL;
  }
  points_free(&rows);
  return weights;
}

/* The numbers of --start. */
static double *read_start(const request *r) {
  double *start = geodisk_allocate((size_t)r->ball.dim, sizeof *start);
  const char *text = r->start;
  int found = 0;
  if (start == NULL) {
    cli_error("out of memory");
    return NULL;
  }
  while (*(text += strspn(text, " ,\t")) != 0) {
    const size_t length = strcspn(text, " ,\t");
    if (found == r->ball.dim || !geodisk_parse_double(text, length, &start[found])) {
      cli_usage_error(&spec, "--start: '%s' is not a point of %d numbers", r->start, r->ball.dim);
      free(start);
      return NULL;
    }
    found++;
    text += length;
  }
  if (found != r->ball.dim) {
    cli_usage_error(&spec, "--start: '%s' is not a point of %d numbers", r->start, r->ball.dim);
    free(start);
    return NULL;
  }
  return start;
}

/* ---- output ---------------------------------------------------------------------------------------------------------- */

static void print_result(const request *r, const double *p, const geodisk_mean_info *info) {
  const char *const names[] = {"loss", "gradient_norm", "error_bound"};
  const double values[] = {info->loss, info->gradient_norm, info->error_bound};
  char number[GEODISK_NUMBER_BYTES];
  const bool json = r->common.json, known = r->method != CENTROID;
  fputs(json ? "{\"point\": [" : "point", stdout);
  for (int j = 0; j < r->ball.dim; j++)
    printf("%s%s", json ? (j > 0 ? ", " : "") : "\t", shortest_double(p[j], number));
  fputs(json ? "]" : "\n", stdout);
  for (int i = 0; known && i < 3; i++) {
    printf(json ? ", \"%s\": " : "%s\t", names[i]);
    if (json)
      json_number(values[i]);
    else
      printf("%s\n", shortest_double(values[i], number));
  }
  if (known)
    printf(json ? ", \"iterations\": %llu, \"passes\": %llu, \"converged\": %s, \"clips\": %llu" : "iterations\t%llu\n",
           (unsigned long long)info->iterations, (unsigned long long)info->passes, info->converged ? "true" : "false",
           (unsigned long long)info->clips);
  fputs(json ? "}\n" : "", stdout);
}

static geodisk_mean_options options_of(const request *r, geodisk_context *context) {
  static const geodisk_mean_method methods[] = {GEODISK_MEAN_NEWTON,     GEODISK_MEAN_GRADIENT, GEODISK_MEAN_FIXED_POINT,
                                                GEODISK_MEAN_STOCHASTIC, GEODISK_MEAN_NEWTON,   GEODISK_MEAN_NEWTON};
  geodisk_mean_options o = geodisk_mean_defaults();
  o.context = context;
  o.method = methods[r->method];
  o.update = (geodisk_update)r->update;
  o.margin = r->margin;
  o.tolerance = r->tolerance;
  o.iterations = (uint64_t)r->iterations;
  o.seed = (uint64_t)r->seed;
  o.batch = (size_t)r->batch;
  o.evaluate_every = (uint64_t)r->evaluate_every;
  o.schedule = (geodisk_schedule){
      .kind = (geodisk_schedule_kind)r->schedule, .rate = r->lr, .end = r->lr_end, .decay = r->decay, .steps = o.iterations};
  return o;
}

static geodisk_status solve(const request *r, const point_rows *rows, const double *weights, const geodisk_mean_options *o,
                            double *p, geodisk_mean_info *info) {
  if (r->method == MEDIAN)
    return geodisk_median(&r->ball, rows->n, rows->x, weights, o, p, info);
  if (r->method == CENTROID)
    return geodisk_lorentz_centroid(o->context, &r->ball, rows->n, rows->x, weights, p);
  return geodisk_mean(&r->ball, rows->n, rows->x, weights, o, p, info);
}

static int run(request *r, const char *path) {
  point_rows rows;
  trace t = {0};
  double *weights = NULL, *start = NULL, *p = NULL;
  geodisk_context *context = NULL;
  geodisk_mean_info info = {0};
  int code = EXIT_FAILED;
  if (!points_read(path, &rows))
    return EXIT_FAILED;
  if (rows.dim > 65536) {
    cli_error("%s: rows of %zu numbers are too long", path, rows.dim);
    goto done;
  }
  r->ball.dim = (int)rows.dim;
  if (!check_points(r, path, &rows) || (r->weights != NULL && (weights = read_weights(r->weights, &rows)) == NULL))
    goto done;
  if (r->start != NULL && (start = read_start(r)) == NULL) {
    code = EXIT_USAGE;
    goto done;
  }
  if ((context = cli_context_or_null(&r->common)) == NULL)
    goto done;
  if ((p = geodisk_allocate(rows.dim, sizeof *p)) == NULL) {
    cli_error("out of memory");
    goto done;
  }
  geodisk_mean_options o = options_of(r, context);
  o.start = start;
  if (r->trace != NULL) {
    if (!trace_open(&t, r->trace, r->ball.dim))
      goto done;
    o.on_iteration = trace_iteration;
    o.user = &t;
  }
  const geodisk_status status = solve(r, &rows, weights, &o, p, &info);
  const bool traced = t.file == NULL || trace_close(&t, r->trace);
  if (status != GEODISK_OK || cli_interrupted())
    code = cli_failed(context, status != GEODISK_OK ? status : GEODISK_ERROR_STOPPED);
  else if (traced) {
    print_result(r, p, &info);
    code = cli_finish();
    if (r->method != CENTROID && !info.converged && !r->common.quiet && r->method != SGD)
      fprintf(stderr, "geodisk: not converged after %llu iterations\n", (unsigned long long)info.iterations);
  }
done:
  if (t.file != NULL)
    trace_close(&t, r->trace);
  geodisk_context_destroy(context);
  points_free(&rows);
  geodisk_free_all(weights, start, p);
  return code;
}

int cmd_barycenter(int argc, char **argv) {
  request r = {.ball = {1, 1.0, 1.0}, .margin = GEODISK_MARGIN_DEFAULT, .batch = 1, .evaluate_every = 1};
  const double most = 9e15; /* a whole number that double holds */
  bool lr_given = false;
  const option_spec options[] = {
      OPT_CHOICE("method", 0, &r.method, METHODS, "how it is found; newton is the default"),
      OPT_TEXT("weights", 'w', &r.weights, "FILE", "a weight for each point, one a row"),
      OPT_DOUBLE("tolerance", 0, &r.tolerance, "X",
                 "stop when the gradient is no longer than this; 0, the default: as far as rounding allows", 0, 1e300),
      OPT_INT("iterations", 0, &r.iterations, "N", "at most so many steps; 0: the method's default", 0, most),
      OPT_TEXT("start", 0, &r.start, "POINT", "where to begin; the origin is the default"),
      {"lr", 0, OPTION_DOUBLE, &r.lr, "X", "learning rate of gradient and sgd; sgd's default is 0.1", 1e-300, 1e300, &lr_given},
      OPT_CHOICE("lr-schedule", 0, &r.schedule, SCHEDULES, "how the learning rate goes"),
      OPT_DOUBLE("lr-end", 0, &r.lr_end, "X", "where linear, geometric and cosine schedules end", 0, 1e300),
      OPT_DOUBLE("lr-decay", 0, &r.decay, "X", "inverse schedule: the rate is lr / (1 + X t)", 0, 1e300),
      OPT_CHOICE("update", 0, &r.update, UPDATES, "how gradient and sgd move; geodesic is the default"),
      OPT_DOUBLE("epsilon", 0, &r.margin, "X", "where natural and euclidean updates clip, as a share of the radius; 1e-10", 1e-16,
                 0.5),
      OPT_INT("seed", 0, &r.seed, "N", "which points sgd draws", 0, most),
      OPT_INT("batch", 0, &r.batch, "N", "how many points sgd draws a step", 1, most),
      OPT_TEXT("trace", 0, &r.trace, "FILE", "write iteration, loss, gradient, clips and point of every step as TSV"),
      OPT_INT("evaluate-every", 0, &r.evaluate_every, "N", "sgd with --trace: steps between values of the loss; 0: none", 0,
              most),
      OPT_DOUBLE("radius", 0, &r.ball.radius, "R", "radius of the ball; 1", 1e-60, 1e60),
      OPT_DOUBLE("curvature", 0, &r.ball.curvature, "K", "the curvature is -K; 1", 1e-60, 1e60),
      OPT_END,
  };
  int code = args_parse(&spec, options, &r.common, argc, argv);
  if (code < 0)
    code = cli_check_inputs(&spec, "--trace", r.trace, (const char *[]){r.common.args[0], r.weights}, 2);
  if (code >= 0)
    return code;
  if (r.trace == NULL)
    r.evaluate_every = 0; /* nobody would see them */
  if (r.schedule != GEODISK_SCHEDULE_CONSTANT && !lr_given)
    return cli_usage_error(&spec, "--lr-schedule needs --lr");
  return run(&r, r.common.args[0]);
}

/* train_distances.c - fits distances and writes the model; what was reached goes to standard output and into the model. */
#include "train_distances.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What there is to be embedded, and its names. */
typedef struct task {
  geodisk_graph *graph;
  geodisk_model *matrix; /* its rows are the distances */
  size_t nodes;
  const char *names;
  const uint64_t *starts;
} task;

/* What is wrong with the distance a from i to j, b the other way; NULL: nothing. */
static const char *fault_of(size_t i, size_t j, double a, double b) {
  if (isnan(a))
    return "not a number";
  if (a < 0.0)
    return "a distance below 0";
  if (i == j)
    return a > 0.0 ? "the distance of a node to itself is not 0" : NULL;
  return a == b || fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b)) ? NULL : "not the same both ways";
}

/* A square of distances: not negative, 0 on the diagonal, and the same both ways up to rounding. */
static geodisk_status check_matrix(geodisk_context *context, const char *path, const geodisk_model *model) {
  const size_t n = geodisk_model_nodes(model);
  const double *rows = geodisk_model_vectors(model);
  if ((size_t)geodisk_model_dim(model) != n)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: %zu rows of %d numbers: distances are a square", path, n,
                        geodisk_model_dim(model));
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double a = rows[i * n + j], b = rows[j * n + i];
      const char *fault = fault_of(i, j, a, b);
      if (fault)
        return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: row %zu, number %zu (%s to %s): %s (%g, and %g the other way)",
                            path, i + 1, j + 1, geodisk_model_name(model, (uint32_t)i), geodisk_model_name(model, (uint32_t)j),
                            fault, a, b);
    }
  return GEODISK_OK;
}

/* Whether it can be read twice, and its rows may begin with names. */
static bool is_table(const char *path) {
  const size_t length = strlen(path);
  struct stat about;
  return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
         !(length >= 4 && strcmp(path + length - 4, ".npy") == 0);
}

/* As a square without a column of names, if it is one; else *out stays NULL, and `reason` says what it is instead. */
static geodisk_status read_bare(const char *path, geodisk_model **out, char *reason, size_t room) {
  const geodisk_import_options options = {.space = GEODISK_SPACE_EUCLIDEAN, .width = GEODISK_WIDTH_DOUBLE, .names = ""};
  geodisk_context *silent = NULL; /* what this says is of no interest if there are names */
  geodisk_model *model = NULL;
  geodisk_status st = geodisk_context_create(1, &silent);
  if (st != GEODISK_OK)
    return st;
  if ((st = geodisk_model_import(silent, path, &options, NULL, &model)) != GEODISK_OK)
    snprintf(reason, room, "%s", geodisk_context_error(silent));
  else if ((size_t)geodisk_model_dim(model) == geodisk_model_nodes(model))
    *out = model;
  else
    snprintf(reason, room, "%s: %zu rows of %d numbers: distances are a square", path, geodisk_model_nodes(model),
             geodisk_model_dim(model));
  if (*out == NULL)
    geodisk_model_destroy(model);
  geodisk_context_destroy(silent);
  return st == GEODISK_ERROR_MEMORY ? st : GEODISK_OK;
}

/* With a first column of names, or without. A pipe is read once, and has names. */
static geodisk_status read_matrix(geodisk_context *context, const char *path, task *t) {
  const geodisk_import_options options = {.space = GEODISK_SPACE_EUCLIDEAN, .width = GEODISK_WIDTH_DOUBLE};
  geodisk_import_info info = {.duplicates = 0};
  char reason[512] = "";
  const char *label = strcmp(path, "-") == 0 ? "standard input" : path;
  geodisk_status st = is_table(path) ? read_bare(path, &t->matrix, reason, sizeof reason) : GEODISK_OK;
  if (st != GEODISK_OK)
    return geodisk_no_memory(context, "to read %s", path);
  if (t->matrix == NULL)
    st = geodisk_model_import(context, path, &options, &info, &t->matrix);
  if (st != GEODISK_OK)
    return st;
  if ((size_t)geodisk_model_dim(t->matrix) + 1 == geodisk_model_nodes(t->matrix) + info.duplicates)
    return geodisk_fail(context, GEODISK_ERROR_FORMAT,
                        "%s: with a first column of names, %zu rows of %d numbers, which is no square; without, %s", label,
                        geodisk_model_nodes(t->matrix) + (size_t)info.duplicates, geodisk_model_dim(t->matrix),
                        *reason != 0 ? reason : "it must be a file, not a pipe");
  if ((st = check_matrix(context, path, t->matrix)) != GEODISK_OK)
    return st;
  t->nodes = geodisk_model_nodes(t->matrix);
  t->names = geodisk_model_names(t->matrix, &t->starts);
  return GEODISK_OK;
}

static geodisk_status read_task(geodisk_context *context, const distances_job *job, task *t) {
  geodisk_status st = geodisk_file_check(context, job->output);
  if (st != GEODISK_OK)
    return st;
  st = job->matrix ? read_matrix(context, job->matrix, t) : graph_source_read(context, job->source, job->graph, NULL, &t->graph);
  if (st != GEODISK_OK)
    return st;
  if (t->graph)
    t->nodes = geodisk_graph_nodes(t->graph);
  const uint64_t dim = job->options.dim > 0 ? (uint64_t)job->options.dim : 0;
  return geodisk_file_check_room(context, job->output, t->nodes * dim * sizeof(double));
}

static geodisk_status write_model(geodisk_context *context, const distances_job *job, const task *t, const double *points,
                                  const double *gaps, const geodisk_distance_result *result) {
  const geodisk_model_spec spec = {
      .nodes = t->nodes, .vectors = points, .gap = gaps, .graph = t->graph, .names = t->names, .starts = t->starts};
  geodisk_model *model = NULL;
  geodisk_status st = geodisk_distance_model(context, &spec, &job->options, result, &model);
  if (st == GEODISK_OK)
    st = geodisk_model_write(context, model, job->output);
  geodisk_model_destroy(model);
  return st;
}

/* What was reached, and what flat space has: of the measure that was minimised. */
static void report(const common_options *common, const distances_job *job, const geodisk_distance_result *r) {
  const bool flat = job->options.space == GEODISK_SPACE_EUCLIDEAN;
  if (common->json) {
    json_format("{\"distortion\":%n,\"distortion_squared\":%n,\"distortion_worst\":%n,\"flat\":%n,\"scale\":%n,\"pairs\":%u,"
                "\"start\":\"%s\",\"model\":%j}\n",
                r->mean, r->squared, r->worst, r->flat, r->scale, r->pairs, r->start, job->output);
  } else if (!common->quiet) {
    FILE *file = strcmp(job->output, "-") == 0 ? stderr : stdout;
    fprintf(file, "distortion %.4f (Sala's mean; Gu's, of squares, %.4f; worst %.3g) over %" PRIu64 " pairs, scale %.4g, ",
            r->mean, r->squared, r->worst, r->pairs, r->scale);
    if (!flat)
      fprintf(file, "in flat space %.4f%s, ", r->flat, job->options.stress == GEODISK_STRESS_SQUARED ? " of squares" : "");
    put_said(file, "begun from %s, model %s", strcmp(r->start, "tree") == 0 ? "a tree" : "classical scaling", job->output);
  }
}

int train_distances(const common_options *common, const distances_job *job) {
  geodisk_context *context = cli_context(common);
  task t = {0};
  double *points = NULL, *gaps = NULL;
  geodisk_distance_result result;
  int code = EXIT_FAILED;
  geodisk_status st = read_task(context, job, &t);
  if (st != GEODISK_OK)
    goto done;
  points = geodisk_allocate(t.nodes, (size_t)job->options.dim * sizeof *points);
  gaps = geodisk_allocate(t.nodes, sizeof *gaps);
  if (!points || !gaps) {
    st = geodisk_no_memory(context, "for %zu points", t.nodes);
    goto done;
  }
  result.start = NULL;
  if (t.graph) {
    st = geodisk_fit_graph_distances(context, t.graph, &job->options, points, gaps, &result);
  } else {
    const geodisk_distances d = {t.nodes, t.nodes, NULL, geodisk_model_vectors(t.matrix)};
    st = geodisk_fit_distances(context, &d, &job->options, points, gaps, &result);
  }
  const bool stopped = st == GEODISK_ERROR_STOPPED && cli_interrupted() && result.start;
  if ((st == GEODISK_OK || stopped) && (st = write_model(context, job, &t, points, gaps, &result)) == GEODISK_OK) {
    report(common, job, &result);
    code = stopped ? cli_interrupted_code() : cli_finish();
    if (stopped)
      put_said(stderr, "geodisk: interrupted; %s has the points as they were", job->output);
  }
done:
  if (st != GEODISK_OK)
    code = cli_failed(context, st);
  geodisk_free_all(points, gaps);
  geodisk_graph_destroy(t.graph);
  geodisk_model_destroy(t.matrix);
  geodisk_context_destroy(context);
  return code;
}

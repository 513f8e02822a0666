/* train_report.c - what a training leaves to read: the log of its epochs, and the report at its end. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "train_session.h"

/* By how much MAP flat space has to be better for that to be said. */
#define FLAT_BETTER 0.005

/* ---- the log ---- */

void train_write_log(FILE *log, const geodisk_train_epoch *e, const geodisk_ranking *ranking, const geodisk_mpi_traffic *sent) {
  const struct {
    const char *name;
    double value;
    bool given;
  } numbers[] = {{"lr", e->lr, true},
                 {"loss", e->loss, true},
                 {"sample", e->sample, e->sample > 0.0},
                 {"radius", e->radius, true},
                 {"mean_rank", ranking ? ranking->mean_rank.value : 0.0, ranking != NULL},
                 {"map", ranking ? ranking->map.value : 0.0, ranking != NULL}};
  char text[GEODISK_NUMBER_BYTES];
  fprintf(log, "{\"epoch\":%" PRIu64, e->epoch + 1);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (numbers[i].given)
      fprintf(log, ",\"%s\":%s", numbers[i].name, isfinite(numbers[i].value) ? shortest_double(numbers[i].value, text) : "null");
  fprintf(log, ",\"edges\":%" PRIu64 ",\"skipped\":%" PRIu64 ",\"clips\":%" PRIu64 ",\"seconds\":%.6f", e->edges, e->skipped,
          e->clips, e->seconds);
  if (sent)
    fprintf(log,
            ",\"sent_units\":%" PRIu64 ",\"sent_rows\":%" PRIu64 ",\"sent_sums\":%" PRIu64 ",\"messages\":%" PRIu64
            ",\"rounds\":%" PRIu64,
            sent->units, sent->rows, sent->sums, sent->messages, sent->rounds);
  fputs("}\n", log);
}

/* Where a log can be gone on with after `epochs` epochs: behind the last whole line of one of them. What a killed process wrote
 * after its last checkpoint is trained, and written, again. Returns false if it is no log; *end 0 if there is none. */
static bool log_end(const char *path, uint64_t epochs, long *end) {
  FILE *log = fopen(path, "r");
  char *line = NULL;
  size_t room = 0;
  uint64_t epoch;
  bool fine = true;
  *end = 0;
  if (!log)
    return true;
  for (ssize_t length; fine && (length = cli_read_line(log, &line, &room)) > 0;) {
    if (line[length - 1] != '\n') { /* cut off, or without end */
      fine = length <= CLI_LINE_MAX;
      break;
    }
    static const char begin[] = "{\"epoch\":";
    char *after = line;
    fine = strncmp(line, begin, strlen(begin)) == 0;
    epoch = fine ? strtoull(line + strlen(begin), &after, 10) : 0;
    fine = fine && *after == ',';
    if (!fine || epoch > epochs)
      break;
    *end = ftell(log);
  }
  free(line);
  fclose(log);
  return fine;
}

/* Of a trainer that was trained while its settings were chosen. */
static void log_history(const session *s, const geodisk_trainer *trainer) {
  size_t count;
  const geodisk_train_epoch *history = geodisk_trainer_history(trainer, &count);
  for (size_t i = 0; i < count; i++)
    train_write_log(s->log, &history[i], NULL, NULL);
}

geodisk_status train_open_log(session *s, const geodisk_trainer *trainer) {
  const char *path = s->a->log;
  long end = 0;
  if (s->a->resume && !log_end(path, geodisk_trainer_position(trainer), &end))
    return geodisk_fail(s->context, GEODISK_ERROR_FORMAT, "%s: is not a log of geodisk train: not gone on with", path);
  s->log = fopen(path, end > 0 ? "r+" : "w");
  if (!s->log || (end > 0 && (ftruncate(fileno(s->log), end) != 0 || fseek(s->log, end, SEEK_SET) != 0)))
    return geodisk_fail(s->context, GEODISK_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
  if (s->look)
    log_history(s, trainer);
  return GEODISK_OK;
}

/* ---- the report ---- */

/* How good it is: mean rank and MAP, and whether flat space would have done better. */
static void report_ranks(const session *s, FILE *to, bool json, const geodisk_ranking *r) {
  const bool sampled = r->nodes < r->nodes_all;
  if (json)
    json_format(",\"mean_rank\":%n,\"map\":%n,\"nodes_judged\":%z", r->mean_rank.value, r->map.value, r->nodes);
  else if (sampled)
    fprintf(to, "mean rank %.4f [%.4f, %.4f], MAP %.4f [%.4f, %.4f], of a sample of %zu nodes\n", r->mean_rank.value,
            r->mean_rank.low, r->mean_rank.high, r->map.value, r->map.low, r->map.high, r->nodes);
  else
    fprintf(to, "mean rank %.4f, MAP %.4f\n", r->mean_rank.value, r->map.value);
  if (s->choice.flat_map > r->map.value + FLAT_BETTER)
    geodisk_log_event(s->context, GEODISK_LOG_WARNING,
                      "flat space does better here: it comes to MAP %.4f (--space euclidean trains in it)", s->choice.flat_map);
}

/* How well the construction of a weighted tree has kept the lengths of its edges, up to one scale. */
static void report_lengths(const session *s, FILE *to, bool json, geodisk_trainer *trainer) {
  const geodisk_train_options o = geodisk_trainer_options(trainer);
  geodisk_model *model = NULL;
  geodisk_relation *relation = NULL;
  geodisk_eval_points points;
  geodisk_fit fit;
  if (o.placement != GEODISK_PLACEMENT_CONSTRUCTION || geodisk_trainer_position(trainer) > 0 ||
      !geodisk_graph_out(s->graph).weights)
    return;
  geodisk_status status = geodisk_trainer_model(trainer, &model);
  if (status == GEODISK_OK)
    status = geodisk_eval_points_of_model(s->context, model, GEODISK_SPACE_HYPERBOLIC, &points);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(s->context, s->graph, geodisk_graph_nodes(s->graph), &relation);
  if (status == GEODISK_OK)
    status = geodisk_eval_fit(s->context, &points, relation, &(geodisk_fit_options){.weighted = true}, &fit);
  if (status == GEODISK_OK && json)
    json_format(",\"distortion_mean\":%n,\"distortion_worst\":%n", fit.distortion_scaled.value, fit.distortion_worst);
  else if (status == GEODISK_OK)
    fprintf(to, "lengths are kept up to a scale with a distortion of %.4g on the mean, %.4g at worst\n",
            fit.distortion_scaled.value, fit.distortion_worst);
  geodisk_relation_destroy(relation);
  geodisk_model_destroy(model);
}

/* A device looks at so many pairs in a second or so: up to there its model is judged by all nodes, not by a sample. */
#define DEVICE_PAIRS 1e12

static bool judged_exactly(const session *s, const geodisk_trainer *trainer) {
  const double nodes = s->graph ? (double)geodisk_graph_nodes(s->graph) : 0.0;
  return geodisk_trainer_device(trainer) == GEODISK_DEVICE_CUDA && nodes * nodes <= DEVICE_PAIRS;
}

int train_report(const common_options *common, const session *s, geodisk_trainer *trainer, bool stopped) {
  const train_arguments *a = s->a;
  const uint64_t peak = s->mpi ? geodisk_mpi_peak_memory(s->mpi) : 0;
  size_t n;
  const geodisk_train_epoch *history = geodisk_trainer_history(trainer, &n);
  double seconds = 0.0, edges = 0.0;
  uint64_t clips = 0, skipped = 0;
  for (size_t i = 0; i < n; i++) {
    if (history[i].seconds > 0.0)
      edges += (double)history[i].edges; /* epochs before a resume have no time */
    seconds += history[i].seconds;
    clips += history[i].clips;
    skipped = history[i].skipped;
  }
  double loss = n ? history[n - 1].loss : 0.0, rate = seconds > 0.0 ? edges / seconds : 0.0;
  FILE *to = strcmp(a->output, "-") == 0 ? stderr : stdout; /* the model has standard output for itself */
  const char *why = stopped ? "interrupted" : "epochs";
  geodisk_ranking ranking;
  const bool judged = !s->mpi && !stopped && (common->json || !common->quiet) &&
                      geodisk_auto_judge(s->context, s->graph, trainer, judged_exactly(s, trainer), &ranking) == GEODISK_OK;
  if (common->json) {
    json_format("{\"epochs\":%u,\"edges_per_second\":%n,\"loss\":%n,\"seconds\":%n,\"clips\":%u,\"skipped\":%u,"
                "\"stopped_because\":\"%s\",\"model\":%j",
                geodisk_trainer_position(trainer), rate, loss, seconds, clips, skipped, why, a->output);
    if (judged) {
      report_ranks(s, to, true, &ranking);
      report_lengths(s, to, true, trainer);
    }
    if (s->look)
      json_format(",\"choice\":%j,\"trials\":%z", s->choice.text, s->choice.trials);
    if (s->mpi)
      json_format(",\"ranks\":%d,\"peak_bytes\":%u", geodisk_mpi_ranks(s->mpi), peak);
    printf("}\n");
  } else if (!common->quiet) {
    if (geodisk_trainer_position(trainer) == 0 && !stopped)
      put_said(to, "points are as placed, without an epoch; model %s", a->output);
    else
      put_said(to, "%" PRIu64 " epochs in %.2f s (%.3g edges/s), loss %.4f, model %s", geodisk_trainer_position(trainer), seconds,
               rate, loss, a->output);
    if (judged) {
      report_ranks(s, to, false, &ranking);
      report_lengths(s, to, false, trainer);
    }
    if (skipped)
      fprintf(to, "%" PRIu64 " edges have no negatives and were skipped\n", skipped);
    if (clips)
      fprintf(to, "%" PRIu64 " moves were clipped at the edge of the ball\n", clips);
  }
  return cli_finish();
}

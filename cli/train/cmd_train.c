/* cmd_train.c - `geodisk train`: reads a graph, trains, writes the model; checkpoints, resuming, a log of epochs, Ctrl-C that
 * saves. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "geodisk/auto.h"
#include "graph_source.h"
#include "train_distances.h"
#include "train_save.h"

typedef struct train_arguments {
  const char *distances;
  int objective, stress;
  const char *output, *recipe, *init, *resume, *log, *epochs, *negatives, *core_epochs, *batch;
  geodisk_train_options options;
  int64_t dim, seed, block, burn_in, checkpoint_every, eval_every;
  int update, loss, sampling, precision, space, units, rates, placement, device;
  graph_source source;
} train_arguments;

/* What is open while training. */
typedef struct session {
  const train_arguments *a;
  geodisk_context *context;
  const geodisk_graph *graph;
  geodisk_mpi *mpi; /* or NULL: no ranks */
  bool quiet;
  bool look; /* settings that are open are chosen by looking and trying */
  geodisk_auto_choice choice;
  FILE *log;
  bool failed;      /* the model could not be written */
  bool unwatched;   /* the log could not, or the evaluation failed */
  char reason[512]; /* why */
} session;

enum { SEED_NOT_GIVEN = -1, USUAL_SEED = 1 };

/* By how much MAP flat space has to be better for that to be said. */
#define FLAT_BETTER 0.005

/* ---- numbers or words ---- */

static bool whole_number(const char *text, uint64_t *out) {
  double value;
  if (!parse_number(text, &value) || value < 1.0 || value > 9e15 || value != (double)(uint64_t)value)
    return false;
  *out = (uint64_t)value;
  return true;
}

static int read_counts(const command_spec *command, train_arguments *a) {
  uint64_t value;
  if (a->epochs && strcmp(a->epochs, "auto") == 0) {
    a->options.epochs = GEODISK_EPOCHS_AUTO;
  } else if (a->epochs) {
    if (strcmp(a->epochs, "0") == 0)
      value = GEODISK_EPOCHS_NONE;
    else if (!whole_number(a->epochs, &value))
      return cli_usage_error(command, "--epochs takes a whole number or \"auto\", not \"%s\"", a->epochs);
    a->options.epochs = value;
  }
  if (a->negatives && strcmp(a->negatives, "all") == 0) {
    a->options.negatives = GEODISK_NEGATIVES_ALL;
  } else if (a->negatives) {
    if (!whole_number(a->negatives, &value))
      return cli_usage_error(command, "--negatives takes a whole number from 1 up or \"all\", not \"%s\"", a->negatives);
    a->options.negatives = (size_t)value;
  }
  if (a->batch && strcmp(a->batch, "all") == 0) {
    a->options.batch = UINT64_MAX;
  } else if (a->batch) {
    if (!whole_number(a->batch, &value))
      return cli_usage_error(command, "--batch takes a whole number from 1 up or \"all\", not \"%s\"", a->batch);
    a->options.batch = value;
  }
  if (a->core_epochs && strcmp(a->core_epochs, "auto") == 0) {
    a->options.core_epochs = GEODISK_CORE_EPOCHS_AUTO;
  } else if (a->core_epochs) {
    if (strcmp(a->core_epochs, "0") == 0)
      value = 0;
    else if (!whole_number(a->core_epochs, &value))
      return cli_usage_error(command, "--core-epochs takes a whole number or \"auto\", not \"%s\"", a->core_epochs);
    a->options.core_epochs = value;
  }
  return -1;
}

/* ---- while training ---- */

static void write_log(FILE *log, const geodisk_train_epoch *e, const geodisk_ranking *ranking, const geodisk_mpi_traffic *sent) {
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

/* For the case that a rank dies. */
static void tell_checkpoint(const char *path, uint64_t epoch) {
  static const char told[] = "geodisk: told to end (if a rank has died, mpirun says which)";
  if (path)
    ranks_last_words("%s; the last checkpoint is of epoch %" PRIu64 ": continue with --resume %s\n", told, epoch, path);
  else
    ranks_last_words("%s; no checkpoint has been written: --checkpoint-every does\n", told);
}

/* Where it runs, if that was not said to be the processor. */
static void tell_device(const session *s, const geodisk_trainer *trainer) {
  char name[256] = "";
  if (s->quiet || s->a->options.device == GEODISK_DEVICE_CPU)
    return;
  if (geodisk_trainer_device(trainer) == GEODISK_DEVICE_CUDA && geodisk_device_name(s->context, name, sizeof name))
    fprintf(stderr, "training on %s\n", name);
  else
    fprintf(stderr, "training on the processor: %s\n", geodisk_trainer_device_reason(trainer));
}

static bool after_epoch(void *user, geodisk_trainer *trainer, const geodisk_train_epoch *e) {
  session *s = user;
  const uint64_t watch = (uint64_t)s->a->eval_every;
  const bool judged = watch > 0 && (e->epoch + 1) % watch == 0;
  geodisk_ranking ranking;
  if (judged) {
    if (geodisk_auto_judge(s->context, s->graph, trainer, true, &ranking) != GEODISK_OK) {
      s->unwatched = true;
      snprintf(s->reason, sizeof s->reason, "%s", geodisk_context_error(s->context));
      return false;
    }
    if (!s->quiet)
      fprintf(stderr, "epoch %" PRIu64 ": mean rank %.4f, MAP %.4f\n", e->epoch + 1, ranking.mean_rank.value, ranking.map.value);
  }
  if (s->log) {
    const geodisk_mpi_traffic sent = s->mpi ? ranks_traffic(trainer) : (geodisk_mpi_traffic){0};
    write_log(s->log, e, judged ? &ranking : NULL, s->mpi ? &sent : NULL);
    if (fflush(s->log) != 0) {
      s->unwatched = true;
      snprintf(s->reason, sizeof s->reason, "%s: cannot write: %s", s->a->log, strerror(errno));
    }
  }
  uint64_t every = (uint64_t)s->a->checkpoint_every;
  if (every > 0 && (e->epoch + 1) % every == 0) {
    if (geodisk_trainer_checkpoint(trainer, s->a->output) != GEODISK_OK) {
      s->failed = true;
      snprintf(s->reason, sizeof s->reason, "%s", geodisk_context_error(s->context));
    } else
      tell_checkpoint(s->a->output, e->epoch + 1);
  }
  return !s->failed && !s->unwatched;
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
    write_log(s->log, &history[i], NULL, NULL);
}

static geodisk_status open_log(session *s, const geodisk_trainer *trainer) {
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

/* What needs the whole graph in one process. */
static int check_ranks(const train_arguments *a, const char *path) {
  if (a->source.closure)
    return cli_error(
        "--closure needs the whole graph in one process: run `geodisk graph closure` first, then train on its output");
  if (a->source.undirected)
    return cli_error(
        "--undirected needs the whole graph in one process: run `geodisk graph undirected` first, then train on its output");
  if (a->init)
    return cli_error("--init is for one process; to go on with a training take --resume");
  if (a->eval_every)
    return cli_error("--eval-every is for one process; evaluate the model when it is trained");
  if (a->options.device == GEODISK_DEVICE_CUDA)
    return cli_error("--device cuda is for one process: ranks compute on their processors");
  if (strcmp(path, "-") == 0)
    return cli_error("standard input cannot be shared by several processes: give a file");
  return EXIT_OK;
}

/* How good it is: mean rank and MAP, and whether flat space would have done better. */
static void report_ranks(const session *s, FILE *to, bool json, const geodisk_ranking *r) {
  const bool sampled = r->nodes < r->nodes_all;
  if (json) {
    printf(",\"mean_rank\":");
    json_number(r->mean_rank.value);
    printf(",\"map\":");
    json_number(r->map.value);
    printf(",\"nodes_judged\":%zu", r->nodes);
  } else if (sampled)
    fprintf(to, "mean rank %.4f [%.4f, %.4f], MAP %.4f [%.4f, %.4f], of a sample of %zu nodes\n", r->mean_rank.value,
            r->mean_rank.low, r->mean_rank.high, r->map.value, r->map.low, r->map.high, r->nodes);
  else
    fprintf(to, "mean rank %.4f, MAP %.4f\n", r->mean_rank.value, r->map.value);
  if (s->choice.flat_map > r->map.value + FLAT_BETTER)
    geodisk_log_event(s->context, GEODISK_LOG_WARNING,
                      "flat space does better here: it comes to MAP %.4f (--space euclidean trains in it)", s->choice.flat_map);
}

/* A device looks at so many pairs in a second or so: up to there its model is judged by all nodes, not by a sample. */
#define DEVICE_PAIRS 1e12

static bool judged_exactly(const session *s, const geodisk_trainer *trainer) {
  const double nodes = s->graph ? (double)geodisk_graph_nodes(s->graph) : 0.0;
  return geodisk_trainer_device(trainer) == GEODISK_DEVICE_CUDA && nodes * nodes <= DEVICE_PAIRS;
}

static int report(const common_options *common, const session *s, geodisk_trainer *trainer, bool stopped) {
  const train_arguments *a = s->a;
  const uint64_t peak = s->mpi ? ranks_peak_memory(s->mpi) : 0;
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
    printf("{\"epochs\":%" PRIu64 ",\"edges_per_second\":", geodisk_trainer_position(trainer));
    json_number(rate);
    printf(",\"loss\":");
    json_number(loss);
    printf(",\"seconds\":");
    json_number(seconds);
    printf(",\"clips\":%" PRIu64 ",\"skipped\":%" PRIu64 ",\"stopped_because\":\"%s\",\"model\":", clips, skipped, why);
    json_string(a->output);
    if (judged)
      report_ranks(s, to, true, &ranking);
    if (s->look) {
      printf(",\"choice\":");
      json_string(s->choice.text);
      printf(",\"trials\":%zu", s->choice.trials);
    }
    if (s->mpi)
      printf(",\"ranks\":%d,\"peak_bytes\":%" PRIu64, ranks_count(s->mpi), peak);
    printf("}\n");
  } else if (!common->quiet) {
    fprintf(to, "%" PRIu64 " epochs in %.2f s (%.3g edges/s), loss %.4f, model %s\n", geodisk_trainer_position(trainer), seconds,
            rate, loss, a->output);
    if (judged)
      report_ranks(s, to, false, &ranking);
    if (skipped)
      fprintf(to, "%" PRIu64 " edges have no negatives and were skipped\n", skipped);
    if (clips)
      fprintf(to, "%" PRIu64 " moves were clipped at the edge of the ball\n", clips);
  }
  return cli_finish();
}

/* A seed that was not given is the checkpoint's: what is chosen may begin from another one than the usual. */
static geodisk_status resume_trainer(geodisk_context *context, const geodisk_graph *graph, const train_arguments *a,
                                     geodisk_trainer **trainer) {
  geodisk_train_options options = a->options;
  geodisk_trainer *as_it_was = NULL;
  geodisk_status st = GEODISK_OK;
  if (a->seed == SEED_NOT_GIVEN && (st = geodisk_trainer_resume(context, graph, a->resume, NULL, &as_it_was)) == GEODISK_OK)
    options.seed = geodisk_trainer_options(as_it_was).seed;
  geodisk_trainer_destroy(as_it_was);
  return st == GEODISK_OK ? geodisk_trainer_resume(context, graph, a->resume, &options, trainer) : st;
}

/* The trainer of this process, or of all ranks together. */
static geodisk_status make_trainer(session *s, geodisk_mpi *mpi, train_arguments *a, const char *path, geodisk_graph **graph,
                                   geodisk_model **start, geodisk_trainer **trainer) {
  geodisk_context *context = s->context;
  geodisk_status st = ranks_agree(context, mpi, ranks_leads(mpi) ? geodisk_file_check(context, a->output) : GEODISK_OK);
  if (st != GEODISK_OK)
    return st;
  if (mpi && ranks_leads(mpi) && !s->quiet && !a->resume && !a->recipe && a->options.epochs == GEODISK_EPOCHS_AUTO)
    fprintf(stderr, "ranks choose settings by looking at the graph alone, without trials\n");
  if (mpi)
    return ranks_trainer(context, mpi, path, &a->source.read, a->resume, &a->options, trainer);
  if ((st = graph_source_read(context, &a->source, path, NULL, graph)) != GEODISK_OK)
    return st;
  const geodisk_ball ball = geodisk_unit_ball(a->options.dim);
  if (a->init && ((st = geodisk_model_read(context, a->init, start)) != GEODISK_OK ||
                  (st = geodisk_model_fits(context, *start, a->init, a->options.space, &ball)) != GEODISK_OK))
    return st;
  s->graph = *graph;
  a->options.start = *start;
  if (a->resume)
    return resume_trainer(context, *graph, a, trainer);
  if (!s->look)
    return geodisk_trainer_create(context, *graph, &a->options, trainer);
  st = geodisk_auto_trainer(context, *graph, &a->options, &s->choice, trainer);
  if (st == GEODISK_OK && !s->quiet)
    fprintf(stderr, "%s\n", s->choice.text);
  return st;
}

/* The model cannot be written; or it can, and the log or an evaluation made the training end: what it has come to is saved. */
static int give_up(const session *s, geodisk_trainer *trainer, bool unwatched) {
  const bool saved = unwatched && !s->failed && geodisk_trainer_save(trainer, s->a->output) == GEODISK_OK;
  if (!ranks_leads(s->mpi))
    return EXIT_FAILED;
  return cli_error("%s; training stopped%s%s", s->reason, saved ? "; continue with --resume " : "", saved ? s->a->output : "");
}

static int train(const common_options *common, train_arguments *a, const char *path) {
  geodisk_context *context = cli_context(common);
  geodisk_graph *graph = NULL;
  geodisk_model *start = NULL;
  geodisk_trainer *trainer = NULL;
  geodisk_mpi *mpi = NULL;
  session s = {.a = a, .context = context, .quiet = common->quiet};
  s.look = !a->resume && !ranks_launched() && (!a->recipe || strcmp(a->recipe, "auto") == 0);
  s.choice.flat_map = (double)NAN;
  int code = EXIT_FAILED;
  geodisk_status st;
  if (!context)
    return EXIT_FAILED;
  if (ranks_launched()) {
    if ((code = check_ranks(a, path)) != EXIT_OK)
      goto done;
    if ((st = ranks_start(context, &mpi)) != GEODISK_OK)
      goto failed;
    s.mpi = mpi;
  }
  if ((st = make_trainer(&s, mpi, a, path, &graph, &start, &trainer)) != GEODISK_OK)
    goto failed;
  tell_checkpoint(a->resume, geodisk_trainer_position(trainer));
  tell_device(&s, trainer);
  if (a->resume && a->options.epochs != GEODISK_EPOCHS_AUTO && geodisk_trainer_position(trainer) >= a->options.epochs)
    geodisk_log_event(context, GEODISK_LOG_WARNING, "%s has had %" PRIu64 " epochs already; --epochs %" PRIu64 " adds none",
                      a->resume, geodisk_trainer_position(trainer), a->options.epochs);
  if (s.look && s.choice.trainings > 0 && (a->checkpoint_every > 0 || a->eval_every > 0))
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "the model was trained while settings were chosen: --checkpoint-every and --eval-every had nothing to do; "
                      "they are for trainings with --epochs N");
  st = a->log && ranks_leads(mpi) ? open_log(&s, trainer) : GEODISK_OK;
  if ((st = ranks_agree(context, mpi, st)) != GEODISK_OK)
    goto failed;
  st = s.look && s.choice.stopped ? GEODISK_ERROR_STOPPED : geodisk_trainer_run(trainer, after_epoch, &s);
  const geodisk_status last = geodisk_trainer_wait(trainer);
  st = st == GEODISK_OK ? last : st;
  bool stopped = st == GEODISK_ERROR_STOPPED && cli_interrupted();
  if (mpi && st == GEODISK_ERROR_STOPPED) /* any of the ranks may have been told */
    stopped = ranks_agree(context, mpi, stopped ? GEODISK_ERROR_STOPPED : GEODISK_OK) != GEODISK_OK;
  bool unwatched = s.unwatched;
  if (mpi && st == GEODISK_ERROR_STOPPED)
    unwatched = ranks_agree(context, mpi, s.unwatched ? GEODISK_ERROR_IO : GEODISK_OK) != GEODISK_OK;
  if (s.failed || unwatched) {
    code = give_up(&s, trainer, unwatched);
    goto done;
  }
  if (st != GEODISK_OK && !stopped)
    goto failed;
  const finished_training finished = {trainer, graph, &a->source, path, a->output, mpi};
  if ((st = stopped ? geodisk_trainer_save(trainer, a->output) : train_save(context, &finished)) != GEODISK_OK)
    goto failed;
  code = report(common, &s, trainer, stopped);
  if (stopped) {
    if (s.look && s.choice.stopped && geodisk_trainer_position(trainer) == geodisk_trainer_epochs(trainer))
      fprintf(stderr, "geodisk: interrupted while looking for better; the best training so far is in %s, whole\n", a->output);
    else if (s.look && s.choice.stopped && s.choice.trainings == 0 && geodisk_trainer_position(trainer) == 0)
      fprintf(stderr, "geodisk: interrupted while choosing; train the best so far with --resume %s\n", a->output);
    else
      fprintf(stderr, "geodisk: interrupted after epoch %" PRIu64 "; continue with --resume %s\n",
              geodisk_trainer_position(trainer), a->output);
    code = cli_interrupted_code();
  }
  goto done;
failed:
  code = cli_failed(context, st);
done:
  if (s.log && fclose(s.log) != 0 && code == EXIT_OK)
    code = cli_error("%s: could not be written", a->log);
  geodisk_trainer_destroy(trainer);
  geodisk_model_destroy(start);
  geodisk_graph_destroy(graph);
  ranks_end(mpi);
  geodisk_context_destroy(context);
  return code;
}

/* Options of the other objective do not apply; those that would change what comes out are refused. */
static int fit_distances(const common_options *common, const train_arguments *a, const char *path) {
  const geodisk_train_options *o = &a->options;
  const distances_job job = {.graph = path,
                             .matrix = a->distances,
                             .output = a->output,
                             .source = &a->source,
                             .options = {.dim = (int)a->dim,
                                         .space = (geodisk_space)a->space,
                                         .stress = (geodisk_stress)a->stress,
                                         .steps = o->epochs == GEODISK_EPOCHS_NONE ? 1 : o->epochs,
                                         .seed = a->options.seed,
                                         .weighted = true}};
  if (ranks_launched())
    return cli_error("--objective distances runs in one process, not under mpirun");
  const struct {
    const char *name;
    bool given;
  } others[] = {{"--resume", a->resume},         {"--init", a->init},
                {"--recipe", a->recipe},         {"--log", a->log},
                {"--eval-every", a->eval_every}, {"--checkpoint-every", a->checkpoint_every},
                {"--precision", a->precision}};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (others[i].given)
      return cli_error("--objective distances does not take %s: it is one short fit, in double; Ctrl-C saves what there is",
                       others[i].name);
  return train_distances(common, &job);
}

/* ---- the command ---- */

static const command_spec command = {
    .name = "train",
    .summary = "embed a graph in hyperbolic space",
    .arguments = "[GRAPH]",
    .min_args = 0,
    .max_args = 1,
    .description = GRAPH_SOURCE_TEXT
    "Learns a point of the "
    "hyperbolic ball "
    "for every node, so that each node is near its parents and far from the rest. The same seed gives the same file on any "
    "number of threads and any machine.\n\n"
    "Settings that are not given are chosen: by looking at the graph, and where that does not settle it, by short trainings with "
    "several starts, sharpnesses and rates (at most a third of the work), of which the best are trained whole, once also in flat "
    "space, and longer while that improves ranks; the best of all is the model. What was seen and taken is printed, and kept in "
    "the model; at the end come mean rank and MAP, of a large graph those of a sample of its nodes.\n\n"
    "Ctrl-C finishes the epoch, saves the model and exits with 130 (SIGTERM with 143, SIGHUP with 129); --resume goes on from "
    "there, to exactly the bytes of an "
    "uninterrupted run. An edge list of direct links (dog, canine; canine, carnivore) usually wants --closure, so that a "
    "node is "
    "near all its ancestors, not only its parents.\n\n"
    "--objective distances keeps how far apart nodes are, by shortest ways in the graph (weights are lengths) or by the matrix "
    "of "
    "--distances, up to one scale that is learned.\n\n"
    "Started by mpirun or srun, all processes train together, to the same file; no process then holds the whole graph.",
    .examples = "geodisk train data/mammals.tsv -o mammals.safetensors --dim 2\n"
                "geodisk train nouns.tsv.gz -o nouns.safetensors --dim 10 --precision float\n"
                "geodisk train nouns.tsv.gz -o nouns.safetensors --resume nouns.safetensors --epochs 300\n"
                "geodisk train --distances cities.csv -o cities.safetensors --dim 2 --space euclidean\n"
                "mpirun -n 4 geodisk train large.tsv -o large.safetensors --checkpoint-every 5",
};

/* The parser knows words as numbers of its own. */
static void words_of_options(train_arguments *a) {
  const geodisk_train_options *o = &a->options;
  a->update = (int)o->update;
  a->loss = (int)o->loss;
  a->sampling = (int)o->sampling;
  a->precision = (int)o->precision;
  a->space = (int)o->space;
  a->units = (int)o->units;
  a->rates = (int)o->rates;
  a->placement = (int)o->placement;
  a->device = (int)o->device;
  a->block = o->block;
  a->burn_in = (int64_t)o->burn_in;
}

int cmd_train(int argc, char **argv) {
  train_arguments a = {.options = geodisk_train_defaults(), .dim = 10, .seed = SEED_NOT_GIVEN, .source = {.advise = true}};
  common_options common = {0};
  geodisk_train_options *o = &a.options;
  words_of_options(&a);
  const option_spec options[] = {
      {"output", 'o', OPTION_STRING, &a.output, "FILE", "the model to write (needed); also the checkpoint", 0, 0, NULL},
      {"dim", 'd', OPTION_INT, &a.dim, "N", "dimensions of the ball (default 10)", 1, 512, NULL},
      {"objective", 0, OPTION_CHOICE, &a.objective, "neighbours|distances",
       "what is learned: who is near whom (default), or how far apart all are", 0, 0, NULL},
      {"distances", 0, OPTION_STRING, &a.distances, "FILE",
       "a square of distances (CSV, TSV or npy) instead of GRAPH; --objective distances goes without saying", 0, 0, NULL},
      {"stress", 0, OPTION_CHOICE, &a.stress, "mean|squared",
       "the distortion of --objective distances: |s d/g - 1| (default) or |(s d/g)^2 - 1|, with s learned", 0, 0, NULL},
      {"recipe", 0, OPTION_STRING, &a.recipe, "NAME",
       "auto (the default): what suits the graph, by looking and short trials; entailment: who is below whom; "
       "link-prediction: edges that were held out; of other programs: paper, gensim; other options change them",
       0, 0, NULL},
      {"epochs", 'e', OPTION_STRING, &a.epochs, "N|auto",
       "passes over the edges (default auto: by the size and kind of the graph); 0: the placement is the model", 0, 0, NULL},
      {"lr", 0, OPTION_DOUBLE, &o->lr, "X", "the learning rate, of the schedule's peak (default: by the graph)", 1e-12, 1e6,
       NULL},
      {"lr-schedule", 0, OPTION_CHOICE, &a.rates, "rise|constant|linear|cosine", "rise: up to --lr, then down", 0, 0, NULL},
      {"lr-first", 0, OPTION_DOUBLE, &o->lr_first, "X", "where `rise` begins", 1e-12, 1e6, NULL},
      {"lr-last", 0, OPTION_DOUBLE, &o->lr_last, "X", "where schedules end", 1e-12, 1e6, NULL},
      {"rise", 0, OPTION_DOUBLE, &o->rise, "X", "the share of the epochs in which `rise` goes up", 0, 1, NULL},
      {"update", 0, OPTION_CHOICE, &a.update, "geodesic|natural|euclidean", "how points move; the two others are for comparison",
       0, 0, NULL},
      {"negatives", 'k', OPTION_STRING, &a.negatives, "K|all",
       "negatives that a block of units shares, or an edge has (default: by the graph; edge 50); all: exact, for small graphs", 0,
       0, NULL},
      {"sampling", 0, OPTION_CHOICE, &a.sampling, "uniform|degree|nearby",
       "how negatives are drawn; nearby: a share of them close by in the hierarchy", 0, 0, NULL},
      {"nearby", 0, OPTION_DOUBLE, &o->nearby, "X", "the share of negatives that come from nearby", 0, 1, NULL},
      {"power", 0, OPTION_DOUBLE, &o->power, "X", "of the degree, for --sampling degree (default 1)", 0, 10, NULL},
      {"loss", 0, OPTION_CHOICE, &a.loss, "nickel-kiela|complement", "with or without the positive in the denominator", 0, 0,
       NULL},
      {"sharpness", 0, OPTION_DOUBLE, &o->sharpness, "B",
       "likelihoods are e^(-B d); 1/16 to 64 (default: by the dimension and the graph)", 0.0625, 64, NULL},
      {"sharpness-first", 0, OPTION_DOUBLE, &o->sharpness_first, "B", "the sharpness of the first 40 % of the epochs", 0.0625, 64,
       NULL},
      {"units", 0, OPTION_CHOICE, &a.units, "source|edge", "what is trained at a time: a node with all its targets, or an edge",
       0, 0, NULL},
      {"block", 0, OPTION_INT, &a.block, "N", "source units that share their negatives (default 32)", 1, 32, NULL},
      {"batch", 0, OPTION_STRING, &a.batch, "N|all", "units that are trained before points move (default: by the graph)", 0, 0,
       NULL},
      {"cap", 0, OPTION_DOUBLE, &o->cap, "X", "no point moves further than this in a batch; 0: any length", 0, 1e6, NULL},
      {"bound", 0, OPTION_DOUBLE, &o->bound, "X", "of the pushes of a unit, each counted up to 0.03; 0: none (default 3.84)", 0,
       1e6, NULL},
      {"burn-in", 0, OPTION_INT, &a.burn_in, "N", "epochs at a low rate before the others", 0, 1e9, NULL},
      {"burn-in-lr", 0, OPTION_DOUBLE, &o->burn_in_lr, "X", "their rate", 1e-12, 1e6, NULL},
      {"device", 0, OPTION_CHOICE, &a.device, "cpu|cuda|auto",
       "where epochs run, to the same bytes; auto: cuda where there is one and the graph is large enough (default cpu)", 0, 0,
       NULL},
      {"precision", 0, OPTION_CHOICE, &a.precision, "double|float", "of the points; float is faster and shallower", 0, 0, NULL},
      {"seed", 's', OPTION_INT, &a.seed, "N", "of all random choices (default 1)", 0, 9e15, NULL},
      {"sparse", 0, OPTION_DOUBLE, &o->sparse, "Q", "pulls weaker than Q are made Q or dropped, at random", 0, 0.999, NULL},
      {"regularization", 0, OPTION_DOUBLE, &o->regularization, "X",
       "pulls targets to the origin: X times |v|^2 for each edge (0)", 0, 1e6, NULL},
      {"async", 0, OPTION_GONE, NULL, NULL, "training is deterministic on any number of threads; --units edge goes edge by edge",
       0, 0, NULL},
      {"variant", 0, OPTION_GONE, NULL, NULL,
       "--units source (the default) trains a node with all its targets, --units edge edge by edge", 0, 0, NULL},
      {"space", 0, OPTION_CHOICE, &a.space, "hyperbolic|euclidean", "euclidean: the flat baseline", 0, 0, NULL},
      {"placement", 0, OPTION_CHOICE, &a.placement, "tree|random|auto|construction|arcs",
       "where the points begin (default auto: by the graph); construction: a tree, exactly; arcs: for entailment", 0, 0, NULL},
      {"depth", 0, OPTION_DOUBLE, &o->depth, "X",
       "radii of the tree placement, or lengths of the construction, are multiplied by this", 1e-3, 100, NULL},
      {"core-epochs", 0, OPTION_STRING, &a.core_epochs, "N|auto",
       "first N epochs without leaves that hang on one node, which then begin beside it", 0, 0, NULL},
      {"init", 0, OPTION_STRING, &a.init, "MODEL", "begin where this model has its nodes; new ones begin beside their neighbours",
       0, 0, NULL},
      {"parts", 0, OPTION_GONE, NULL, NULL, "--batch says how many units are trained before points move", 0, 0, NULL},
      {"checkpoint-every", 0, OPTION_INT, &a.checkpoint_every, "N", "save the model every N epochs", 0, 1e9, NULL},
      {"eval-every", 0, OPTION_INT, &a.eval_every, "N", "print (and log) mean rank and MAP every N epochs", 0, 1e9, NULL},
      {"resume", 0, OPTION_STRING, &a.resume, "MODEL", "go on with a model saved before it was done; only --epochs may differ", 0,
       0, NULL},
      {"log", 0, OPTION_STRING, &a.log, "FILE", "one JSON object a line for each epoch", 0, 0, NULL},
      GRAPH_SOURCE_OPTIONS(a.source),
      {NULL, 0, OPTION_FLAG, NULL, NULL, NULL, 0, 0, NULL},
  };
  const char *args[1];
  int n_args, code = args_parse(&command, options, &common, argc, argv, args, &n_args);
  if (code >= 0)
    return code;
  if (a.recipe) { /* it sets what the other options then change: they are read once more */
    o->dim = (int)a.dim;
    geodisk_context *context = cli_context(&common);
    const geodisk_status st = geodisk_train_recipe(context, a.recipe, o);
    if (st != GEODISK_OK)
      code = cli_usage_error(&command, "--recipe: %s", geodisk_context_error(context));
    geodisk_context_destroy(context);
    if (st != GEODISK_OK)
      return code;
    words_of_options(&a);
    if ((code = args_parse(&command, options, &common, argc, argv, args, &n_args)) >= 0)
      return code;
  }
  if (n_args == 0 && !a.distances)
    return cli_usage_error(&command, "say what to embed: GRAPH, or --distances FILE");
  if (n_args > 0 && a.distances)
    return cli_usage_error(&command, "--distances takes the place of GRAPH: give one of them");
  if (n_args == 0)
    args[0] = a.distances;
  if (!a.output)
    return cli_usage_error(&command, "say where the model goes: -o FILE");
  if (a.init && a.resume)
    return cli_usage_error(&command, "--init begins anew, --resume goes on: give one of them");
  if (strcmp(a.output, "-") == 0 && (common.json || a.checkpoint_every > 0))
    return cli_usage_error(&command, "%s needs -o FILE: the model itself goes to standard output",
                           common.json ? "--json" : "--checkpoint-every");
  const char *const inputs[] = {args[0], a.init, a.resume, a.output};
  if ((code = cli_check_inputs(&command, "--output", a.output, inputs, 2)) >= 0 ||
      (code = cli_check_inputs(&command, "--log", a.log, inputs, 4)) >= 0)
    return code;
  if ((code = read_counts(&command, &a)) >= 0 || (code = graph_source_prepare(&command, &a.source)) >= 0)
    return code;
  o->dim = (int)a.dim;
  o->seed = a.seed == SEED_NOT_GIVEN ? USUAL_SEED : (uint64_t)a.seed;
  o->block = (uint32_t)a.block;
  o->burn_in = (uint64_t)a.burn_in;
  o->update = (geodisk_update)a.update;
  o->loss = (geodisk_loss)a.loss;
  o->sampling = (geodisk_sampling)a.sampling;
  if (a.objective == 1 || a.distances) {
    a.source.advise = false; /* what is advised is for neighbours */
    return fit_distances(&common, &a, a.distances ? NULL : args[0]);
  }
  o->precision = (geodisk_precision)a.precision;
  o->device = (geodisk_device)a.device;
  o->space = (geodisk_space)a.space;
  o->units = (geodisk_units)a.units;
  o->rates = (geodisk_rates)a.rates;
  o->placement = (geodisk_placement)a.placement;
  return train(&common, &a, args[0]);
}

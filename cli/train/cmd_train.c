/* cmd_train.c - `geodisk train`: reads a graph, trains, writes the model; checkpoints, resuming, a log of epochs, Ctrl-C that
 * saves. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "train_distances.h"
#include "train_save.h"
#include "train_session.h"

/* For the case that a rank dies. */
static void tell_checkpoint(const char *path, uint64_t epoch) {
  static const char told[] = "geodisk: told to end (if a rank has died, mpirun says which)";
  if (path)
    ranks_last_words("%s; the last checkpoint is of epoch %" PRIu64 ": continue with --resume %s\n", told, epoch, path);
  else
    ranks_last_words("%s; no checkpoint has been written: --checkpoint-every does\n", told);
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
    const geodisk_mpi_traffic sent = s->mpi ? geodisk_mpi_trainer_traffic(trainer) : (geodisk_mpi_traffic){0};
    train_write_log(s->log, e, judged ? &ranking : NULL, s->mpi ? &sent : NULL);
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

/* What needs the whole graph in one process. */
static int check_ranks(const train_arguments *a) {
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
  if (strcmp(a->graph, "-") == 0)
    return cli_error("standard input cannot be shared by several processes: give a file");
  return EXIT_OK;
}

/* The trainer of this process, or of all ranks together. */
static geodisk_status make_trainer(session *s, geodisk_graph **graph, geodisk_trainer **trainer) {
  geodisk_context *context = s->context;
  geodisk_mpi *mpi = s->mpi;
  const train_arguments *a = s->a;
  geodisk_status st = geodisk_mpi_agree(context, mpi, ranks_leads(mpi) ? geodisk_file_check(context, a->output) : GEODISK_OK);
  if (st != GEODISK_OK)
    return st;
  if (mpi && ranks_leads(mpi) && !s->quiet && !a->resume && !a->recipe && a->options.epochs == GEODISK_EPOCHS_AUTO)
    fprintf(stderr, "ranks choose settings by looking at the graph alone, without trials\n");
  const geodisk_mpi_source source = {.path = a->graph, .read = a->source.read, .resume = a->resume};
  if (mpi)
    return geodisk_mpi_trainer_create(context, mpi, &source, &a->options, trainer);
  if ((st = graph_source_read(context, &a->source, a->graph, NULL, graph)) != GEODISK_OK)
    return st;
  const uint64_t numbers = a->resume || a->options.dim < 1 ? 0 : (uint64_t)geodisk_graph_nodes(*graph) * (uint64_t)a->options.dim;
  const uint64_t width = a->options.precision == GEODISK_PRECISION_FLOAT ? sizeof(float) : sizeof(double);
  if ((st = geodisk_file_check_room(context, a->output, numbers * width)) != GEODISK_OK)
    return st;
  const geodisk_ball ball = geodisk_unit_ball(a->options.dim);
  if (a->start && (st = geodisk_model_fits(context, a->start, a->init, a->options.space, &ball)) != GEODISK_OK)
    return st;
  s->graph = *graph;
  if (a->resume)
    return geodisk_trainer_resume(context, *graph, a->resume, &a->options, trainer);
  if (!s->look)
    return geodisk_trainer_create(context, *graph, &a->options, trainer);
  st = geodisk_auto_trainer(context, *graph, &a->options, &s->choice, trainer);
  if (st == GEODISK_OK && !s->quiet)
    fprintf(stderr, "%s\n", s->choice.text);
  return st;
}

/* The model cannot be written; or it can, and the log or an evaluation made the training end: what it has come to is saved. */
static int give_up(const session *s, geodisk_trainer *trainer) {
  const bool saved = s->unwatched && !s->failed && geodisk_trainer_save(trainer, s->a->output) == GEODISK_OK;
  if (!ranks_leads(s->mpi))
    return EXIT_FAILED;
  return cli_error("%s; training stopped%s%s", s->reason, saved ? "; continue with --resume " : "", saved ? s->a->output : "");
}

/* What was asked for and does nothing. */
static void warn_idle(const session *s, const geodisk_trainer *trainer) {
  const train_arguments *a = s->a;
  const uint64_t position = geodisk_trainer_position(trainer);
  if (a->resume && a->epochs && a->options.epochs != GEODISK_EPOCHS_AUTO && position >= a->options.epochs)
    geodisk_log_event(s->context, GEODISK_LOG_WARNING, "%s has had %" PRIu64 " epochs already; --epochs %" PRIu64 " adds none",
                      a->resume, position, a->options.epochs);
  if (s->look && s->choice.trainings > 0 && (a->checkpoint_every > 0 || a->eval_every > 0))
    geodisk_log_event(s->context, GEODISK_LOG_WARNING,
                      "the model was trained while settings were chosen: --checkpoint-every and --eval-every had nothing to do; "
                      "they are for trainings with --epochs N");
}

/* Trains what is left. STOPPED: *stopped says whether by Ctrl-C, of any of the ranks; s->unwatched likewise becomes that of all.
 */
static geodisk_status run_epochs(session *s, geodisk_trainer *trainer, bool *stopped) {
  geodisk_status st = s->look && s->choice.stopped ? GEODISK_ERROR_STOPPED : geodisk_trainer_run(trainer, after_epoch, s);
  const geodisk_status last = geodisk_trainer_wait(trainer);
  st = st == GEODISK_OK ? last : st;
  *stopped = st == GEODISK_ERROR_STOPPED && cli_interrupted();
  if (s->mpi && st == GEODISK_ERROR_STOPPED) {
    *stopped = geodisk_mpi_agree(s->context, s->mpi, *stopped ? GEODISK_ERROR_STOPPED : GEODISK_OK) != GEODISK_OK;
    s->unwatched = geodisk_mpi_agree(s->context, s->mpi, s->unwatched ? GEODISK_ERROR_IO : GEODISK_OK) != GEODISK_OK;
  }
  return st;
}

static int tell_interrupted(const session *s, const geodisk_trainer *trainer) {
  const uint64_t position = geodisk_trainer_position(trainer);
  const bool choosing = s->look && s->choice.stopped;
  if (choosing && position == geodisk_trainer_epochs(trainer))
    put_said(stderr, "geodisk: interrupted while looking for better; the best training so far is in %s, whole", s->a->output);
  else if (choosing && s->choice.trainings == 0 && position == 0)
    put_said(stderr, "geodisk: interrupted while choosing; train the best so far with --resume %s", s->a->output);
  else
    put_said(stderr, "geodisk: interrupted after epoch %" PRIu64 "; continue with --resume %s", position, s->a->output);
  return cli_interrupted_code();
}

/* Trains, saves and reports; returns the exit code. */
static int train_and_save(const common_options *common, session *s, geodisk_trainer *trainer) {
  const train_arguments *a = s->a;
  bool stopped;
  tell_checkpoint(a->resume, geodisk_trainer_position(trainer));
  if (!s->look && ranks_leads(s->mpi)) /* else it has been told, before the first trial */
    geodisk_trainer_tell_device(trainer);
  warn_idle(s, trainer);
  geodisk_status st = a->log && ranks_leads(s->mpi) ? train_open_log(s, trainer) : GEODISK_OK;
  if ((st = geodisk_mpi_agree(s->context, s->mpi, st)) != GEODISK_OK)
    return cli_failed(s->context, st);
  st = run_epochs(s, trainer, &stopped);
  if (s->failed || s->unwatched)
    return give_up(s, trainer);
  if (st != GEODISK_OK && !stopped)
    return cli_failed(s->context, st);
  const finished_training finished = {trainer, s->graph, &a->source, a->graph, a->output, s->mpi};
  st = stopped ? geodisk_trainer_save(trainer, a->output) : train_save(s->context, &finished);
  if (st == GEODISK_ERROR_STOPPED && cli_interrupted()) {
    put_said(stderr, "geodisk: interrupted after the last epoch; %s", geodisk_context_error(s->context));
    return cli_interrupted_code();
  }
  if (st != GEODISK_OK)
    return cli_failed(s->context, st);
  const int code = train_report(common, s, trainer, stopped);
  return stopped ? tell_interrupted(s, trainer) : code;
}

static int train(const common_options *common, const train_arguments *a) {
  session s = {.a = a, .context = cli_context(common), .quiet = common->quiet};
  geodisk_graph *graph = NULL;
  geodisk_trainer *trainer = NULL;
  geodisk_status st = GEODISK_OK;
  s.look = !a->resume && !ranks_launched() && geodisk_auto_wanted(a->recipe);
  s.choice.flat_map = (double)NAN;
  int code = ranks_launched() ? check_ranks(a) : EXIT_OK;
  if (code == EXIT_OK) {
    if (ranks_launched())
      st = ranks_start(s.context, &s.mpi);
    if (st == GEODISK_OK)
      st = make_trainer(&s, &graph, &trainer);
    code = st == GEODISK_OK ? train_and_save(common, &s, trainer) : cli_failed(s.context, st);
  }
  if (s.log && fclose(s.log) != 0 && code == EXIT_OK)
    code = cli_error("%s: could not be written", a->log);
  geodisk_trainer_destroy(trainer);
  geodisk_graph_destroy(graph);
  geodisk_mpi_end(s.mpi);
  geodisk_context_destroy(s.context);
  return code;
}

/* Options of the other objective do not apply; those that would change what comes out are refused. */
static int fit_distances(const common_options *common, train_arguments *a) {
  const geodisk_train_options *o = &a->options;
  distances_job job = {.graph = a->graph,
                       .matrix = a->distances,
                       .output = a->output,
                       .source = &a->source,
                       .options = geodisk_distance_defaults()};
  job.options.dim = o->dim;
  job.options.space = o->space;
  job.options.stress = (geodisk_stress)a->stress;
  job.options.steps = o->epochs;
  job.options.seed = o->seed;
  a->source.advise = false; /* what is advised is for neighbours */
  if (ranks_launched())
    return cli_error("--objective distances runs in one process, not under mpirun");
  const struct {
    const char *name;
    bool given;
  } others[] = {{"--resume", a->resume},         {"--init", a->init},
                {"--recipe", a->recipe},         {"--log", a->log},
                {"--eval-every", a->eval_every}, {"--checkpoint-every", a->checkpoint_every},
                {"--precision", a->precision},   {"--device", a->options.device == GEODISK_DEVICE_CUDA}};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (others[i].given)
      return cli_error("--objective distances does not take %s: it is one short fit, in double; Ctrl-C saves what there is",
                       others[i].name);
  return train_distances(common, &job);
}

int cmd_train(int argc, char **argv) {
  train_arguments a;
  common_options common = {0};
  int code = train_parse(argc, argv, &common, &a);
  if (code < 0)
    code = a.objective == 1 || a.distances ? fit_distances(&common, &a) : train(&common, &a);
  geodisk_model_destroy(a.start);
  return code;
}

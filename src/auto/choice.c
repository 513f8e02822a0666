/* choice.c - trials: short trainings, each a whole schedule, of all candidates; longer ones of the best; the best of those. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"

/* Trials take up to half as many pairs as the training that follows: a third of all. The first round has a 48th of its epochs (at
 * least 30, or a trial says nothing) for each candidate, the second a 16th for the best two, and for flat space. */
enum { FIRST_ROUND = 48, SECOND_ROUND = 16, LEAST_EPOCHS = 30, FINALISTS = 2, SHARE = 2 };

/* MAPs nearer to each other than this are told apart by mean ranks; and ranks have stopped improving if three times as many
 * epochs have gained less than that: then four times as many are enough. */
#define SAME_MAP    1e-4
#define HARDLY_MORE 5e-4
enum { ENOUGH = 4 };

typedef struct trial {
  geodisk_train_options options; /* as it was begun with */
  geodisk_trainer *trainer;      /* or NULL: not made */
  double map, mean_rank, before; /* before: the MAP of its first round */
} trial;

typedef struct choosing {
  geodisk_context *context;
  const geodisk_graph *graph;
  auto_seen seen;
  uint64_t epochs;             /* of the training that follows */
  uint64_t pairs, pairs_epoch; /* taken so far; of an epoch */
  size_t count, made;          /* candidates; trials */
  trial trials[AUTO_MOST_CANDIDATES];
  trial flat;
  bool stopped;
} choosing;

/* ---- one trial ---- */

static bool go_on(choosing *c) {
  char extra[64];
  snprintf(extra, sizeof extra, "trial %zu", c->made + 1);
  const uint64_t budget = c->pairs_epoch * c->epochs / SHARE;
  const geodisk_progress progress = {"choosing", "pairs", c->pairs, budget > c->pairs ? budget : c->pairs + 1, extra};
  c->stopped = c->stopped || !geodisk_progress_event(c->context, &progress);
  return !c->stopped;
}

/* Trains and judges, in place of what the trial had. A number that is not finite ends it with a MAP below all others. */
static geodisk_status run_trial(choosing *c, uint64_t epochs, trial *t) {
  geodisk_train_options options = t->options;
  geodisk_trainer *trainer = NULL;
  geodisk_train_epoch info;
  geodisk_ranking ranking;
  options.epochs = epochs;
  geodisk_status st = geodisk_trainer_create(c->context, c->graph, &options, &trainer);
  while (st == GEODISK_OK && geodisk_trainer_position(trainer) < geodisk_trainer_epochs(trainer) && go_on(c)) {
    if ((st = geodisk_trainer_epoch(trainer, &info)) == GEODISK_OK) {
      c->pairs += info.pairs;
      c->pairs_epoch = info.pairs > c->pairs_epoch ? info.pairs : c->pairs_epoch;
    }
  }
  if (st == GEODISK_OK && !(c->stopped && t->trainer)) {
    const bool half_done = c->stopped;
    st = geodisk_auto_judge(half_done ? NULL : c->context, c->graph, trainer, false, &ranking);
  }
  if (st == GEODISK_ERROR_STOPPED) {
    c->stopped = true;
    st = GEODISK_OK;
  } else if (st == GEODISK_OK && !(c->stopped && t->trainer)) {
    geodisk_trainer_destroy(t->trainer);
    *t = (trial){t->options, trainer, ranking.map.value, ranking.mean_rank.value, t->trainer ? t->map : 0.0};
    trainer = NULL;
    c->made++;
  } else if (st == GEODISK_ERROR_NUMERIC) {
    st = GEODISK_OK;
  }
  geodisk_trainer_destroy(trainer);
  return st;
}

static bool is_better(const trial *a, const trial *b) {
  if (!a->trainer || !b->trainer)
    return a->trainer && !b->trainer;
  return a->map > b->map + SAME_MAP || (a->map >= b->map - SAME_MAP && a->mean_rank < b->mean_rank);
}

static bool is_perfect(const trial *t) { return t->trainer && t->map >= 1.0 && t->mean_rank <= 1.0; }

/* The best comes first; trials that are equally good stay in their order. */
static void sort_trials(choosing *c) {
  for (size_t i = 1; i < c->count; i++)
    for (size_t k = i; k > 0 && is_better(&c->trials[k], &c->trials[k - 1]); k--) {
      const trial other = c->trials[k];
      c->trials[k] = c->trials[k - 1];
      c->trials[k - 1] = other;
    }
}

/* ---- the rounds ---- */

/* Whether so many more epochs keep trials within their share. The first trial tells how many pairs an epoch has. */
static bool affordable(const choosing *c, uint64_t epochs) {
  return c->pairs + epochs * c->pairs_epoch <= c->epochs * c->pairs_epoch / SHARE;
}

static geodisk_status first_round(choosing *c) {
  const uint64_t wanted = c->epochs / FIRST_ROUND, epochs = wanted > LEAST_EPOCHS ? wanted : LEAST_EPOCHS;
  const uint64_t second = c->epochs / SECOND_ROUND * (FINALISTS + 1);
  geodisk_status st = GEODISK_OK;
  for (size_t i = 0; i < c->count && st == GEODISK_OK && !c->stopped && affordable(c, epochs + (i > 0 ? second : 0)); i++) {
    st = run_trial(c, epochs, &c->trials[i]);
    if (is_perfect(&c->trials[i]))
      break;
  }
  sort_trials(c);
  return st;
}

static geodisk_status second_round(choosing *c) {
  const uint64_t epochs = c->epochs / SECOND_ROUND;
  geodisk_status st = GEODISK_OK;
  for (size_t i = 0; i < FINALISTS && i < c->count && c->trials[i].trainer && st == GEODISK_OK; i++)
    if (!c->stopped && !is_perfect(&c->trials[0]) && epochs > LEAST_EPOCHS && affordable(c, epochs))
      st = run_trial(c, epochs, &c->trials[i]);
  sort_trials(c);
  if (st == GEODISK_OK && !c->stopped && !is_perfect(&c->trials[0]) && affordable(c, epochs)) {
    c->flat.options = c->trials[0].options;
    c->flat.options.space = GEODISK_SPACE_EUCLIDEAN;
    c->flat.options.placement = GEODISK_PLACEMENT_RANDOM;
    c->flat.options.sharpness = c->flat.options.lr = 0.0;
    st = run_trial(c, epochs > LEAST_EPOCHS ? epochs : LEAST_EPOCHS, &c->flat);
  }
  return st;
}

static void destroy_trials(choosing *c) {
  for (size_t i = 0; i < c->count; i++)
    geodisk_trainer_destroy(c->trials[i].trainer);
  geodisk_trainer_destroy(c->flat.trainer);
}

/* ---- what comes of it ---- */

static void describe(const choosing *c, const geodisk_train_options *o, geodisk_auto_choice *out) {
  static const char *const placements[] = {"tree", "random", "automatic", "construction"};
  int used = snprintf(out->text, sizeof out->text, "%s: sharpness %.4g, rate %.4g, %s placement", auto_kind_name(c->seen.kind),
                      o->sharpness, o->lr, placements[o->placement]);
  if (c->made > 0 && used > 0 && (size_t)used < sizeof out->text)
    snprintf(out->text + used, sizeof out->text - (size_t)used, ", the best of %zu trials%s", c->made,
             c->stopped ? ", interrupted" : "");
}

/* The options of the best trial, with the epochs that the training is to have. */
static void settle(choosing *c, const geodisk_train_options *given, geodisk_auto_choice *out) {
  const trial *best = &c->trials[0];
  geodisk_train_options o = geodisk_trainer_options(best->trainer);
  const uint64_t tried = o.epochs;
  if (!is_perfect(best)) {
    const bool slow = best->before > 0.0 && best->map - best->before < HARDLY_MORE;
    o.epochs = slow && ENOUGH * tried < c->epochs ? ENOUGH * tried : c->epochs;
  }
  o.start = given->start;
  *out = (geodisk_auto_choice){.options = o,
                               .kind = c->seen.kind,
                               .trials = c->made,
                               .pairs = c->pairs,
                               .whole = c->pairs + (is_perfect(best) ? 0 : o.epochs * c->pairs_epoch),
                               .stopped = c->stopped,
                               .map = best->map,
                               .mean_rank = best->mean_rank,
                               .flat_map = c->flat.trainer ? c->flat.map : (double)NAN};
  describe(c, &o, out);
}

/* Without trials: what the trainer chooses by looking. */
static geodisk_status take_as_seen(choosing *c, const geodisk_train_options *given, geodisk_auto_choice *out,
                                   geodisk_trainer **trainer) {
  const geodisk_status st = geodisk_trainer_create(c->context, c->graph, given, trainer);
  if (st != GEODISK_OK)
    return st;
  *out = (geodisk_auto_choice){.options = geodisk_trainer_options(*trainer),
                               .kind = c->seen.kind,
                               .stopped = c->stopped,
                               .map = (double)NAN,
                               .mean_rank = (double)NAN,
                               .flat_map = (double)NAN};
  describe(c, &out->options, out);
  return GEODISK_OK;
}

/* The trainer that goes on: the best trial if that is perfect; else a new one, which begins where the best trial has its points
 * if there was no time for more. */
static geodisk_status take_best(choosing *c, const geodisk_train_options *given, geodisk_auto_choice *out,
                                geodisk_trainer **trainer) {
  geodisk_model *model = NULL;
  geodisk_status st = GEODISK_OK;
  settle(c, given, out);
  if (is_perfect(&c->trials[0])) {
    *trainer = c->trials[0].trainer;
    c->trials[0].trainer = NULL;
    return st;
  }
  geodisk_train_options o = out->options;
  if (c->stopped) {
    st = geodisk_trainer_model(c->trials[0].trainer, &model);
    o.start = model;
  }
  if (st == GEODISK_OK)
    st = geodisk_trainer_create(c->context, c->graph, &o, trainer);
  geodisk_model_destroy(model);
  return st;
}

static geodisk_status choose(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *given,
                             geodisk_auto_choice *out, geodisk_trainer **trainer) {
  choosing *c = geodisk_allocate_zero(1, sizeof *c);
  geodisk_train_options candidates[AUTO_MOST_CANDIDATES];
  if (!c)
    return geodisk_fail(context, GEODISK_ERROR_MEMORY, "out of memory");
  c->context = context;
  c->graph = graph;
  geodisk_status st = auto_look(context, graph, &c->seen);
  if (st != GEODISK_OK)
    goto done;
  if (!auto_is_settled(&c->seen, given)) {
    c->epochs = auto_epochs(&c->seen);
    c->count = auto_candidates(&c->seen, given, candidates);
    for (size_t i = 0; i < c->count; i++)
      c->trials[i].options = candidates[i];
    if ((st = first_round(c)) != GEODISK_OK || (st = second_round(c)) != GEODISK_OK)
      goto done;
  }
  st = c->count > 0 && c->trials[0].trainer ? take_best(c, given, out, trainer) : take_as_seen(c, given, out, trainer);
done:
  destroy_trials(c);
  free(c);
  return st;
}

geodisk_status geodisk_auto_trainer(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options,
                                    geodisk_auto_choice *choice, geodisk_trainer **out) {
  const geodisk_train_options given = options ? *options : geodisk_train_defaults();
  geodisk_auto_choice chosen;
  geodisk_trainer *trainer = NULL;
  geodisk_status st = choose(context, graph, &given, &chosen, &trainer);
  if (st == GEODISK_OK)
    st = geodisk_trainer_note(trainer, chosen.text);
  if (st != GEODISK_OK) {
    geodisk_trainer_destroy(trainer);
    return st;
  }
  if (choice)
    *choice = chosen;
  *out = trainer;
  return GEODISK_OK;
}

geodisk_status geodisk_auto_choose(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options,
                                   geodisk_auto_choice *out) {
  geodisk_trainer *trainer = NULL;
  const geodisk_status st = geodisk_auto_trainer(context, graph, options, out, &trainer);
  geodisk_trainer_destroy(trainer);
  return st;
}

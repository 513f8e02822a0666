/* choice.c - trials: short trainings, each a whole schedule, of all candidates, and beside the best of them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trials.h"

/* Trials take up to half as many pairs as the training that follows: a third of all. All have the same number of epochs, so that
 * seven of them are affordable; where these would be too short to tell how each will end, there are fewer, of candidates only. */
enum { SHARE = 2, TRIALS = 7, TELLING = 100, LONG_ENOUGH = 150, LEAST_EPOCHS = 30 };

/* Beside the best sharpness one more and one less are tried; they have to be better by so much MAP, or chance decides. */
#define BESIDE  1.5
#define CLEARLY 0.01

/* MAPs nearer to each other than this are told apart by mean ranks. */
#define SAME_MAP 1e-4

/* What is this near to 1 is trained for a third of the epochs: ranks have all but stopped improving. */
#define NEARLY_PERFECT 0.9995
enum { ENOUGH = 3 };

/* From a construction most nodes are in place at once, and long trainings move them away again: they are twice as long as trials.
 */
enum { TWICE = 2 };

typedef struct trial {
  auto_candidate of;
  geodisk_trainer *trainer; /* or NULL: not made */
  double map, mean_rank;
  double handicap; /* MAP by which it has to be better than others */
} trial;

typedef struct choosing {
  geodisk_context *context;
  const geodisk_graph *graph;
  auto_seen seen;
  uint64_t epochs, tried;      /* of the training that follows; of a trial */
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
static geodisk_status run_trial(choosing *c, trial *t) {
  geodisk_train_options options = t->of.options;
  geodisk_trainer *trainer = NULL;
  geodisk_train_epoch info;
  geodisk_ranking ranking;
  options.epochs = t->of.untrained ? GEODISK_NO_EPOCHS : c->tried;
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
    *t = (trial){t->of, trainer, ranking.map.value, ranking.mean_rank.value, t->handicap};
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
  const double x = a->map - a->handicap, y = b->map - b->handicap;
  return x > y + SAME_MAP || (x >= y - SAME_MAP && a->mean_rank < b->mean_rank);
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

/* Whether one more trial keeps them within their share. The first tells how many pairs an epoch has. */
static bool affordable(const choosing *c) {
  return !c->stopped && c->pairs + c->tried * c->pairs_epoch <= c->epochs * c->pairs_epoch / SHARE;
}

static void set_length(choosing *c) {
  const uint64_t seven = c->epochs / SHARE / TRIALS, each = c->epochs / SHARE / (c->count > 0 ? c->count : 1);
  const uint64_t longer = each < LONG_ENOUGH ? each : LONG_ENOUGH;
  c->tried = seven > TELLING || seven > longer ? seven : longer;
  c->tried = c->tried > LEAST_EPOCHS ? c->tried : LEAST_EPOCHS;
}

static geodisk_status try_candidates(choosing *c) {
  geodisk_status st = GEODISK_OK;
  bool perfect = false;
  for (size_t i = 0; i < c->count && st == GEODISK_OK && !perfect && affordable(c); i++) {
    st = run_trial(c, &c->trials[i]);
    perfect = is_perfect(&c->trials[i]);
  }
  sort_trials(c);
  return st;
}

/* Sharpnesses on both sides of the best one. */
static geodisk_status try_beside(choosing *c) {
  geodisk_status st = GEODISK_OK;
  const auto_candidate best = c->trials[0].of;
  const double factors[] = {BESIDE, 1.0 / BESIDE};
  const bool worth = best.refined && !is_perfect(&c->trials[0]);
  for (int i = 0; i < 2 && st == GEODISK_OK && worth && affordable(c) && c->count < AUTO_MOST_CANDIDATES; i++) {
    trial *t = &c->trials[c->count++];
    *t = (trial){.of = auto_other_sharpness(&best, best.options.sharpness * factors[i])};
    st = run_trial(c, t);
    t->handicap = t->map < NEARLY_PERFECT ? CLEARLY : 0.0;
  }
  sort_trials(c);
  return st;
}

static geodisk_status try_flat(choosing *c) {
  if (!affordable(c) || is_perfect(&c->trials[0]))
    return GEODISK_OK;
  geodisk_train_options *o = &c->flat.of.options;
  *o = c->trials[0].of.options;
  o->space = GEODISK_SPACE_EUCLIDEAN;
  o->placement = GEODISK_PLACEMENT_RANDOM;
  o->sharpness = o->sharpness_first = o->lr = 0.0;
  return run_trial(c, &c->flat);
}

static void destroy_trials(choosing *c) {
  for (size_t i = 0; i < c->count; i++)
    geodisk_trainer_destroy(c->trials[i].trainer);
  geodisk_trainer_destroy(c->flat.trainer);
}

/* ---- what comes of it ---- */

static void describe(const choosing *c, const geodisk_train_options *o, geodisk_auto_choice *out) {
  static const char *const placements[] = {"tree", "random", "automatic", "construction"};
  int used = o->epochs == 0 ? snprintf(out->text, sizeof out->text, "%s: %s, not trained", auto_kind_name(c->seen.kind),
                                       placements[o->placement])
                            : snprintf(out->text, sizeof out->text, "%s: sharpness %.4g, rate %.4g, %s placement",
                                       auto_kind_name(c->seen.kind), o->sharpness, o->lr, placements[o->placement]);
  if (c->made > 0 && used > 0 && (size_t)used < sizeof out->text)
    snprintf(out->text + used, sizeof out->text - (size_t)used, ", the best of %zu trial%s%s", c->made, c->made > 1 ? "s" : "",
             c->stopped ? ", interrupted" : "");
}

/* The settings of the best trial, with the epochs and the rate that the training is to have. */
static geodisk_train_options settle(const choosing *c) {
  const trial *best = &c->trials[0];
  geodisk_train_options o = best->of.options;
  o.lr = best->of.lr > 0.0 ? best->of.lr : o.lr;
  o.epochs = best->map >= NEARLY_PERFECT ? c->epochs / ENOUGH : c->epochs;
  if (o.placement == GEODISK_PLACEMENT_CONSTRUCTION && o.epochs > TWICE * c->tried)
    o.epochs = TWICE * c->tried;
  return o;
}

/* Without trials: what the trainer chooses by looking. */
static geodisk_status take_as_seen(choosing *c, const geodisk_train_options *given, geodisk_auto_choice *out,
                                   geodisk_trainer **trainer) {
  const geodisk_train_options o = auto_settled(&c->seen, given);
  const geodisk_status st = geodisk_trainer_create(c->context, c->graph, &o, trainer);
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
static geodisk_status best_trainer(choosing *c, geodisk_trainer **trainer) {
  trial *best = &c->trials[0];
  if (is_perfect(best) || best->of.untrained) {
    *trainer = best->trainer;
    best->trainer = NULL;
    return GEODISK_OK;
  }
  geodisk_train_options o = settle(c);
  geodisk_model *model = NULL;
  geodisk_status st = GEODISK_OK;
  if (c->stopped) {
    st = geodisk_trainer_model(best->trainer, &model);
    o.start = model;
  }
  if (st == GEODISK_OK)
    st = geodisk_trainer_create(c->context, c->graph, &o, trainer);
  geodisk_model_destroy(model);
  return st;
}

static geodisk_status take_best(choosing *c, geodisk_auto_choice *out, geodisk_trainer **trainer) {
  const double map = c->trials[0].map, mean_rank = c->trials[0].mean_rank;
  const geodisk_status st = best_trainer(c, trainer);
  if (st != GEODISK_OK)
    return st;
  geodisk_train_options o = geodisk_trainer_options(*trainer);
  o.start = NULL;
  const uint64_t left = geodisk_trainer_epochs(*trainer) - geodisk_trainer_position(*trainer);
  *out = (geodisk_auto_choice){.options = o,
                               .kind = c->seen.kind,
                               .trials = c->made,
                               .pairs = c->pairs,
                               .whole = c->pairs + left * c->pairs_epoch,
                               .stopped = c->stopped,
                               .map = map,
                               .mean_rank = mean_rank,
                               .flat_map = c->flat.trainer ? c->flat.map : (double)NAN};
  describe(c, &o, out);
  return GEODISK_OK;
}

static geodisk_status choose(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *given,
                             geodisk_auto_choice *out, geodisk_trainer **trainer) {
  choosing *c = geodisk_allocate_zero(1, sizeof *c);
  auto_candidate candidates[AUTO_MOST_CANDIDATES];
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
      c->trials[i].of = candidates[i];
    set_length(c);
    geodisk_log_hush(context, true);
    if ((st = try_candidates(c)) != GEODISK_OK || (st = try_beside(c)) != GEODISK_OK || (st = try_flat(c)) != GEODISK_OK)
      goto done;
  }
  geodisk_log_hush(context, false);
  st = c->count > 0 && c->trials[0].trainer ? take_best(c, out, trainer) : take_as_seen(c, given, out, trainer);
done:
  geodisk_log_hush(context, false);
  destroy_trials(c);
  free(c);
  return st;
}

geodisk_status geodisk_auto_trainer(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options,
                                    geodisk_auto_choice *choice, geodisk_trainer **out) {
  const geodisk_train_options given = options ? *options : geodisk_train_defaults();
  if (!(given.lr >= 0.0 && given.sharpness >= 0.0 && given.sharpness_first >= 0.0)) /* or they would be taken for AUTO */
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "learning rate and sharpness must be positive numbers, or 0: AUTO");
  geodisk_auto_choice chosen;
  geodisk_trainer *trainer = NULL;
  geodisk_status st = choose(context, graph, &given, &chosen, &trainer);
  if (st == GEODISK_OK && chosen.trials > 0) /* what looking settles, every back-end settles alike, to the same bytes */
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

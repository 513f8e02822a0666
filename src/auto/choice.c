/* choice.c - what suits a graph: looking, trials and whole trainings, and what comes of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trials.h"

static void destroy_trials(auto_state *c) {
  for (size_t i = 0; i < c->count; i++)
    geodisk_trainer_destroy(c->trials[i].trainer);
  geodisk_trainer_destroy(c->best.trainer);
  geodisk_trainer_destroy(c->unfinished.trainer);
  for (int i = 0; i < AUTO_BEGINNINGS; i++)
    geodisk_model_destroy(c->starts[i]);
}

/* ---- in words ---- */

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static const char *beginning(const auto_state *c, const geodisk_train_options *o, auto_beginning begins) {
  static const char *const placements[] = {"tree", "random", "automatic", "construction", "arcs"};
  if (begins == AUTO_BEGINS_PLACED)
    return placements[o->placement];
  if (begins != AUTO_BEGINS_SPANNING)
    return "distances in flat space";
  return c->seen.kind == GEODISK_AUTO_TREE ? "construction without lengths" : "construction of a spanning tree and of cycles";
}

/* Whether flat space may be better than what was taken, and nobody has looked: so only of large networks. */
static bool is_unsure(const auto_state *c, const geodisk_train_options *o) {
  const bool network = c->seen.kind != GEODISK_AUTO_CLOSED && !c->seen.part && auto_is_large(&c->seen) && o->epochs > 0;
  const bool good = c->best.trainer != NULL && c->best.map >= AUTO_NEARLY_PERFECT;
  return network && !good && !c->compared && o->space == GEODISK_SPACE_HYPERBOLIC && c->given.epochs == GEODISK_EPOCHS_AUTO &&
         o->units == GEODISK_UNITS_SOURCE && !c->given.start;
}

static void describe(const auto_state *c, const geodisk_train_options *o, auto_beginning begins, geodisk_auto_choice *out) {
  char what[96], how[96] = "";
  if (c->flattened)
    snprintf(what, sizeof what, "nearly flat, as flat space has it");
  else if (o->epochs == 0)
    snprintf(what, sizeof what, "%s, not trained", beginning(c, o, begins));
  else
    snprintf(what, sizeof what,
             begins == AUTO_BEGINS_PLACED ? "sharpness %.4g, rate %.4g, %s placement" : "sharpness %.4g, rate %.4g, from %s",
             o->sharpness, o->lr, beginning(c, o, begins));
  if (c->made > 0 && c->whole > 0)
    snprintf(how, sizeof how, ", the best of %zu trial%s and %zu training%s", c->made, plural(c->made), c->whole,
             plural(c->whole));
  else if (c->whole > 1)
    snprintf(how, sizeof how, ", the best of %zu trainings", c->whole);
  else if (c->made > 0)
    snprintf(how, sizeof how, ", the best of %zu trial%s", c->made, plural(c->made));
  snprintf(out->text, sizeof out->text, "%s: %s%s%s%s", auto_name(&c->seen), what, how,
           is_unsure(c, o) ? ", not compared with flat space" : "", c->stopped ? ", interrupted" : "");
}

/* ---- what comes of it ---- */

/* Without trials: what the trainer chooses by looking. */
static geodisk_status take_as_seen(auto_state *c, geodisk_auto_choice *out, geodisk_trainer **trainer) {
  const geodisk_train_options o = auto_settled(&c->seen, &c->given);
  const geodisk_status st = geodisk_trainer_create(c->context, c->graph, &o, trainer);
  if (st != GEODISK_OK)
    return st;
  if (!c->told)
    geodisk_trainer_tell_device(*trainer);
  *out = (geodisk_auto_choice){.options = geodisk_trainer_options(*trainer),
                               .kind = c->seen.kind,
                               .trials = c->made,
                               .pairs = c->pairs,
                               .stopped = c->stopped,
                               .map = (double)NAN,
                               .mean_rank = (double)NAN,
                               .flat_map = c->flat_map};
  describe(c, &out->options, AUTO_BEGINS_PLACED, out);
  return GEODISK_OK;
}

/* The best trial, if there was no time for more: a new trainer that begins where it has its points. */
static geodisk_status from_trial(auto_state *c, geodisk_trainer **trainer) {
  auto_trial *best = &c->trials[0];
  geodisk_train_options o = best->of.options;
  geodisk_model *model = NULL;
  o.lr = best->of.lr > 0.0 ? best->of.lr : o.lr;
  o.epochs = best->of.untrained ? GEODISK_EPOCHS_NONE : o.epochs == GEODISK_EPOCHS_AUTO ? c->epochs : o.epochs;
  geodisk_status st = geodisk_trainer_model(best->trainer, &model);
  o.start = model;
  if (st == GEODISK_OK)
    st = geodisk_trainer_create(c->context, c->graph, &o, trainer);
  geodisk_model_destroy(model);
  return st;
}

/* The best whole training; stopped before there was one: that which was going on, or else the best trial. */
static geodisk_status take_best(auto_state *c, geodisk_auto_choice *out, geodisk_trainer **trainer) {
  auto_trial *whole = c->best.trainer ? &c->best : &c->unfinished;
  const auto_trial *judged = c->best.trainer ? &c->best : &c->trials[0];
  const auto_beginning begins = whole->trainer ? whole->of.begins : c->trials[0].of.begins;
  geodisk_status st = GEODISK_OK;
  if (whole->trainer) {
    *trainer = whole->trainer;
    whole->trainer = NULL;
  } else {
    st = from_trial(c, trainer);
  }
  if (st != GEODISK_OK)
    return st;
  geodisk_train_options o = geodisk_trainer_options(*trainer);
  o.start = NULL;
  const uint64_t left = geodisk_trainer_epochs(*trainer) - geodisk_trainer_position(*trainer);
  *out = (geodisk_auto_choice){.options = o,
                               .kind = c->seen.kind,
                               .trials = c->made,
                               .trainings = c->whole,
                               .pairs = c->pairs,
                               .whole = c->pairs + c->trained + left * c->pairs_epoch,
                               .stopped = c->stopped,
                               .map = judged->map,
                               .mean_rank = judged->mean_rank,
                               .flat_map = c->flat_map};
  describe(c, &o, begins, out);
  return GEODISK_OK;
}

static geodisk_status choose(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *given,
                             geodisk_auto_choice *out, geodisk_trainer **trainer) {
  auto_state *c = geodisk_allocate_zero(1, sizeof *c);
  auto_candidate candidates[AUTO_MOST_CANDIDATES];
  if (!c)
    return geodisk_no_memory(context, "to go on");
  c->context = context;
  c->graph = graph;
  c->given = *given;
  c->flat_map = (double)NAN;
  geodisk_status st = auto_look(context, graph, &c->seen);
  if (st == GEODISK_OK && auto_is_settled(&c->seen, given)) {
    st = auto_try_closed(c);
  } else if (st == GEODISK_OK) {
    const size_t count = auto_candidates(&c->seen, given, candidates);
    c->epochs = auto_is_large(&c->seen) ? candidates[0].options.epochs : auto_epochs(&c->seen);
    for (size_t i = 0; i < count; i++)
      if (candidates[i].begins == AUTO_BEGINS_PLACED)
        c->trials[c->count++].of = candidates[i];
      else
        c->others[c->late++] = candidates[i];
    bool enough = false;
    geodisk_log_hush(context, true);
    st = auto_train_part(c, &enough);
    if (st == GEODISK_OK && !c->stopped && !enough)
      st = auto_try(c);
    if (st == GEODISK_OK && !c->stopped && !enough)
      st = auto_train(c);
    geodisk_log_hush(context, false);
  }
  const bool tried = c->best.trainer || c->unfinished.trainer || (c->count > 0 && c->trials[0].trainer);
  if (st == GEODISK_OK)
    st = tried ? take_best(c, out, trainer) : take_as_seen(c, out, trainer);
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
  if (st == GEODISK_OK &&
      chosen.trials + chosen.trainings > 0) /* what looking settles, every back-end settles alike, to the same bytes */
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

bool geodisk_auto_wanted(const char *recipe) { return !recipe || strcmp(recipe, "auto") == 0; }

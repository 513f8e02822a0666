/* trials.c - short trainings, each a whole schedule, of all candidates, and beside the best of them. */
#include <stdio.h>

#include "trials.h"

/* Trials take up to half as many pairs as the training that follows: a third of all. All have the same number of epochs, so that
 * seven of them are affordable; where these would be too short to tell how each will end, there are fewer, of candidates only. */
enum { SHARE = 2, TRIALS = 7, TELLING = 100, LONG_ENOUGH = 150, LEAST_EPOCHS = 30 };

/* Beside the best sharpness one more and one less are tried; they have to be better by so much MAP, or chance decides. */
#define BESIDE  1.5
#define CLEARLY 0.01

/* ---- one trial ---- */

static bool go_on(auto_state *c) {
  char extra[64];
  snprintf(extra, sizeof extra, "trial %zu", c->made + 1);
  const uint64_t budget = c->pairs_epoch * c->epochs / SHARE;
  const geodisk_progress progress = {"choosing", "pairs", c->pairs, budget > c->pairs ? budget : c->pairs + 1, extra};
  c->stopped = c->stopped || !geodisk_progress_event(c->context, &progress);
  return !c->stopped;
}

void auto_tell_device(auto_state *c, const geodisk_trainer *trainer) {
  if (c->told)
    return;
  geodisk_log_hush(c->context, false);
  geodisk_trainer_tell_device(trainer);
  geodisk_log_hush(c->context, true);
  c->told = true;
}

/* Trains and judges, in place of what the trial had. A number that is not finite ends it with a MAP below all others. */
geodisk_status auto_run_trial(auto_state *c, auto_trial *t) {
  geodisk_train_options options = t->of.options;
  geodisk_trainer *trainer = NULL;
  geodisk_train_epoch info;
  geodisk_ranking ranking;
  options.epochs = t->of.untrained ? GEODISK_EPOCHS_NONE : c->tried;
  if (!t->of.untrained)
    options.precision = auto_precision(&c->seen, &options);
  geodisk_status st = geodisk_trainer_create(c->context, c->graph, &options, &trainer);
  if (st == GEODISK_OK)
    auto_tell_device(c, trainer);
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
    *t = (auto_trial){t->of, trainer, ranking.map.value, ranking.mean_rank.value, t->handicap};
    trainer = NULL;
    c->made++;
  } else if (st == GEODISK_ERROR_NUMERIC) {
    st = GEODISK_OK;
  }
  geodisk_trainer_destroy(trainer);
  return st;
}

bool auto_is_better(const auto_trial *a, const auto_trial *b) {
  if (!a->trainer || !b->trainer)
    return a->trainer && !b->trainer;
  const double x = a->map - a->handicap, y = b->map - b->handicap;
  return x > y + AUTO_SAME_MAP || (x >= y - AUTO_SAME_MAP && a->mean_rank < b->mean_rank);
}

bool auto_is_perfect(const auto_trial *t) { return t->trainer && t->map >= 1.0 && t->mean_rank <= 1.0; }

/* The best comes first; trials that are equally good stay in their order. */
static void sort_trials(auto_state *c) {
  for (size_t i = 1; i < c->count; i++)
    for (size_t k = i; k > 0 && auto_is_better(&c->trials[k], &c->trials[k - 1]); k--) {
      const auto_trial other = c->trials[k];
      c->trials[k] = c->trials[k - 1];
      c->trials[k - 1] = other;
    }
}

/* ---- the rounds ---- */

/* Whether one more trial keeps them within their share. The first tells how many pairs an epoch has. */
static bool affordable(const auto_state *c) {
  return !c->stopped && c->pairs + c->tried * c->pairs_epoch <= c->epochs * c->pairs_epoch / SHARE;
}

static void set_length(auto_state *c) {
  const uint64_t seven = c->epochs / SHARE / TRIALS, each = c->epochs / SHARE / (c->count > 0 ? c->count : 1);
  const uint64_t longer = each < LONG_ENOUGH ? each : LONG_ENOUGH;
  c->tried = seven > TELLING || seven > longer ? seven : longer;
  c->tried = c->tried > LEAST_EPOCHS ? c->tried : LEAST_EPOCHS;
}

static geodisk_status try_candidates(auto_state *c) {
  geodisk_status st = GEODISK_OK;
  bool perfect = false;
  for (size_t i = 0; i < c->count && st == GEODISK_OK && !perfect && affordable(c); i++) {
    if (c->trials[i].trainer) /* was constructed */
      continue;
    st = auto_run_trial(c, &c->trials[i]);
    perfect = auto_is_perfect(&c->trials[i]);
  }
  sort_trials(c);
  return st;
}

/* Sharpnesses on both sides of the best one. */
static geodisk_status try_beside(auto_state *c) {
  geodisk_status st = GEODISK_OK;
  const auto_candidate best = c->trials[0].of;
  const double factors[] = {BESIDE, 1.0 / BESIDE};
  const bool worth = best.refined;
  for (int i = 0; i < 2 && st == GEODISK_OK && worth && affordable(c) && c->count < AUTO_MOST_CANDIDATES; i++) {
    auto_trial *t = &c->trials[c->count++];
    *t = (auto_trial){.of = auto_other_sharpness(&best, best.options.sharpness * factors[i])};
    st = auto_run_trial(c, t);
    t->handicap = t->map < AUTO_NEARLY_PERFECT ? CLEARLY : 0.0;
  }
  sort_trials(c);
  return st;
}

/* Of likelihoods whose ranks are perfect the bluntest. */
static geodisk_status try_blunter(auto_state *c) {
  geodisk_status st = GEODISK_OK;
  auto_candidate blunt;
  bool perfect = true;
  while (st == GEODISK_OK && perfect && affordable(c) && c->count < AUTO_MOST_CANDIDATES &&
         auto_blunter(&c->given, &c->trials[0].of, &blunt)) {
    auto_trial *t = &c->trials[c->count++];
    *t = (auto_trial){.of = blunt};
    st = auto_run_trial(c, t);
    perfect = auto_is_perfect(t);
    if (perfect) {
      const auto_trial sharp = c->trials[0];
      c->trials[0] = *t;
      *t = sharp;
    }
  }
  return st;
}

/* A tree, also one with cycles apart, may be constructed exactly: then nothing else is tried. If that of a spanning tree is not
 * exact, it comes last. */
static geodisk_status try_constructed(auto_state *c) {
  geodisk_status st = GEODISK_OK;
  if (c->count > 0 && c->trials[0].of.untrained)
    st = auto_run_trial(c, &c->trials[0]);
  for (size_t i = 0; i < c->late && st == GEODISK_OK && !auto_is_perfect(&c->trials[0]); i++) {
    auto_trial t = {.of = c->others[i]};
    if (!t.of.untrained || (st = auto_begin(c, &t.of)) != GEODISK_OK)
      continue;
    st = auto_run_trial(c, &t);
    if (auto_is_perfect(&t)) {
      const auto_trial worse = c->trials[0];
      c->trials[0] = t;
      t = worse;
    }
    geodisk_trainer_destroy(t.trainer);
  }
  return st;
}

geodisk_status auto_try(auto_state *c) {
  set_length(c);
  if (c->count == 1 && auto_is_large(&c->seen)) /* nothing to choose between */
    return GEODISK_OK;
  geodisk_status begun = try_constructed(c);
  if (begun != GEODISK_OK || auto_is_perfect(&c->trials[0]))
    return begun;
  const geodisk_status st = try_candidates(c);
  if (st != GEODISK_OK)
    return st;
  return auto_is_perfect(&c->trials[0]) ? try_blunter(c) : try_beside(c);
}

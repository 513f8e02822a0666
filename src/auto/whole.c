/* whole.c - whole trainings: the best trials at full length, then longer and from other starts, until ranks no longer improve;
 * and one in flat space, which no embedding in hyperbolic space need be worse than. */
#include <math.h>
#include <stdio.h>

#include "trials.h"

/* Pairs that all of them may take: some half a minute on two processors with AVX2, ten seconds with AVX-512; and up to how many
 * one in flat space does. */
#define ALLOWANCE      3.5e9
#define FLAT_ALLOWANCE 3e10

/* Where the allowance would not do for it: flat space cannot be better by more than FLAT_MATTERS than what is that near to 1;
 * else it is trained for a quarter of the epochs first, and to the end only if that comes within FLAT_NEAR of the best. */
#define FLAT_MATTERS 0.002
#define FLAT_NEAR    0.05
enum { FLAT_SHORT = 4 };

/* How sharp the likelihoods of a small part of a closure may be; and the MAP that will do, if flat space has none that is better.
 */
#define MOST_SHARP 64.0
#define GOOD_PART  0.98

enum { FLAT_EPOCHS = 300 }; /* of a large graph */
#define PAIRS_A_NODE 900.0  /* in an epoch, about, where none has been trained yet */

/* As many of the trials are trained to the end. */
enum { FINALISTS = 3 };

/* Of a small graph chance decides where a start leads: the best settings in turn, from so many others, while all trainings take
 * less than CHEAP. */
enum { RESTARTS = 12 };

/* More trainings, each from another start and, after the first, twice as long as the last, until one has not raised MAP by GAIN;
 * two, where they take less than so many pairs together. */
enum { LONGER = 3 };
#define GAIN  0.001
#define CHEAP 1e9

/* What begins from points of its own comes last and may take a little more. */
#define LATE_ALLOWANCE 4.5e9

/* What is all but perfect is trained for a third of the epochs. From a construction most nodes are in place at once, and long
 * trainings move them away again: they are twice as long as trials. */
enum { ENOUGH = 3, TWICE = 2 };

static bool go_on(auto_state *c, const geodisk_trainer *trainer) {
  char extra[64];
  const uint64_t position = geodisk_trainer_position(trainer);
  if (c->best.trainer)
    snprintf(extra, sizeof extra, "training %zu, MAP %.4f so far", c->whole + 1, c->best.map);
  else
    snprintf(extra, sizeof extra, "training %zu", c->whole + 1);
  const geodisk_progress progress = {"training", "epochs", position, geodisk_trainer_epochs(trainer), extra};
  c->stopped = c->stopped || !geodisk_progress_event(c->context, &progress);
  return !c->stopped;
}

/* Trains and judges. A number that is not finite leaves the trainer NULL; so does a stop, but for what can be gone on with. */
static geodisk_status train(auto_state *c, const auto_candidate *of, auto_trial *out) {
  geodisk_train_epoch info;
  geodisk_ranking ranking;
  geodisk_trainer *trainer = NULL;
  const bool exactly = !auto_is_large(&c->seen);
  geodisk_status st = geodisk_trainer_create(c->context, c->graph, &of->options, &trainer);
  if (st == GEODISK_OK)
    auto_tell_device(c, trainer);
  while (st == GEODISK_OK && geodisk_trainer_position(trainer) < geodisk_trainer_epochs(trainer) && go_on(c, trainer))
    if ((st = geodisk_trainer_epoch(trainer, &info)) == GEODISK_OK) {
      c->trained += info.pairs;
      c->pairs_epoch = info.pairs > c->pairs_epoch ? info.pairs : c->pairs_epoch;
    }
  if (st == GEODISK_OK && !c->stopped &&
      (st = geodisk_auto_judge(c->context, c->graph, trainer, exactly, &ranking)) == GEODISK_OK) {
    *out = (auto_trial){*of, trainer, ranking.map.value, ranking.mean_rank.value, 0.0};
    trainer = NULL;
    c->whole++;
  }
  c->stopped = c->stopped || st == GEODISK_ERROR_STOPPED;
  if (c->stopped && trainer && !c->best.trainer && !c->unfinished.trainer && of->options.space == GEODISK_SPACE_HYPERBOLIC) {
    c->unfinished = (auto_trial){*of, trainer, (double)NAN, (double)NAN, 0.0};
    trainer = NULL;
  }
  geodisk_trainer_destroy(trainer);
  return st == GEODISK_ERROR_STOPPED || st == GEODISK_ERROR_NUMERIC ? GEODISK_OK : st;
}

/* Keeps the better one. */
static void keep(auto_state *c, auto_trial *t) {
  if (auto_is_better(t, &c->best)) {
    geodisk_trainer_destroy(c->best.trainer);
    c->best = *t;
  } else {
    geodisk_trainer_destroy(t->trainer);
  }
  t->trainer = NULL;
}

static bool affordable(const auto_state *c, uint64_t epochs, double allowance) {
  const double epoch = c->pairs_epoch > 0 ? (double)c->pairs_epoch : PAIRS_A_NODE * (double)c->seen.nodes;
  return !c->stopped && (double)(c->pairs + c->trained) + (double)epochs * epoch <= allowance;
}

/* A trial's settings with the epochs and the rate that a training is to have. */
static auto_candidate at_length(const auto_state *c, const auto_trial *t) {
  auto_candidate of = t->of;
  geodisk_train_options *o = &of.options;
  o->lr = of.lr > 0.0 ? of.lr : o->lr;
  if (o->epochs == GEODISK_EPOCHS_AUTO)
    o->epochs = t->map >= AUTO_NEARLY_PERFECT ? c->epochs / ENOUGH : c->epochs;
  if (o->placement == GEODISK_PLACEMENT_CONSTRUCTION && !auto_is_large(&c->seen) && o->epochs > TWICE * c->tried)
    o->epochs = TWICE * c->tried;
  return of;
}

/* Whether flat space may be better than the best there is. */
static geodisk_status flat_matters(auto_state *c, const auto_candidate *flat, bool *out) {
  auto_candidate of = *flat;
  auto_trial t = {0};
  geodisk_status st = GEODISK_OK;
  const bool affords = affordable(c, c->epochs, ALLOWANCE);
  *out = affords || c->best.map < 1.0 - FLAT_MATTERS;
  if (*out && !affords) {
    of.options.epochs = c->epochs / FLAT_SHORT;
    st = train(c, &of, &t);
    *out = t.trainer && t.map > c->best.map - FLAT_NEAR;
    c->compared = t.trainer != NULL;
    geodisk_trainer_destroy(t.trainer);
  }
  return st;
}

/* What `--space euclidean` comes to, whole; if it is better than what there is, its points are taken. */
static geodisk_status train_flat(auto_state *c) {
  auto_candidate of = {.options = c->given};
  auto_trial flat = {0}, bent = {0};
  bool matters = true;
  of.options.space = GEODISK_SPACE_EUCLIDEAN;
  of.options.precision = auto_precision(&c->seen, &of.options);
  geodisk_status st = flat_matters(c, &of, &matters);
  if (st != GEODISK_OK || !matters)
    return st;
  st = train(c, &of, &flat);
  if (!flat.trainer)
    return st;
  c->flat_map = flat.map;
  c->compared = true;
  const bool open = !(c->given.sharpness > 0.0) && !(c->given.lr > 0.0) && c->given.placement == GEODISK_PLACEMENT_AUTO;
  if (open && flat.map > c->best.map) {
    st = auto_bend(c, flat.trainer, flat.map, &bent);
    c->flattened = auto_is_better(&bent, &c->best);
    keep(c, &bent);
  }
  geodisk_trainer_destroy(flat.trainer);
  c->stopped = c->stopped || st == GEODISK_ERROR_STOPPED;
  return st == GEODISK_ERROR_STOPPED ? GEODISK_OK : st;
}

/* The settings that ended best, from other starts, as long, twice as long ... */
static geodisk_status train_longer(auto_state *c, auto_candidate of) {
  geodisk_status st = GEODISK_OK;
  const uint64_t seed = of.options.seed;
  int in_vain = 0;
  for (int i = 1; i <= LONGER && st == GEODISK_OK && !auto_is_perfect(&c->best); i++) {
    auto_trial t = {0};
    const double before = c->best.map;
    of.options.seed = seed + (uint64_t)i;
    of.options.epochs *= i > 1 ? 2 : 1;
    if (!affordable(c, of.options.epochs, in_vain > 0 ? CHEAP : ALLOWANCE))
      break;
    st = train(c, &of, &t);
    c->flattened = c->flattened && !auto_is_better(&t, &c->best);
    keep(c, &t);
    in_vain = c->best.map > before + GAIN ? 0 : in_vain + 1;
    if (in_vain > 1)
      break;
  }
  return st;
}

static geodisk_status restart(auto_state *c) {
  geodisk_status st = GEODISK_OK;
  for (size_t i = 0; i < RESTARTS && st == GEODISK_OK && !auto_is_perfect(&c->best) && affordable(c, c->epochs, CHEAP); i++) {
    const auto_trial *tried = &c->trials[i % FINALISTS];
    auto_trial t = {0};
    if (i % FINALISTS >= c->count || !tried->trainer || tried->of.untrained)
      continue;
    auto_candidate of = at_length(c, tried);
    of.options.seed += LONGER + 1 + i;
    st = train(c, &of, &t);
    c->flattened = c->flattened && !auto_is_better(&t, &c->best);
    keep(c, &t);
  }
  return st;
}

/* Perfect ranks with blunter likelihoods, where that is cheap. */
static geodisk_status train_blunter(auto_state *c) {
  geodisk_status st = GEODISK_OK;
  auto_trial t = {.trainer = c->best.trainer};
  auto_candidate of;
  while (st == GEODISK_OK && t.trainer && auto_is_perfect(&c->best) && !c->flattened &&
         affordable(c, c->epochs / ENOUGH, CHEAP) && auto_blunter(&c->given, &c->best.of, &of)) {
    of.options.lr = of.lr > 0.0 ? of.lr : of.options.lr;
    of.options.epochs = affordable(c, c->epochs, CHEAP) ? c->epochs : c->epochs / ENOUGH;
    t = (auto_trial){0};
    st = train(c, &of, &t);
    if (auto_is_perfect(&t)) {
      geodisk_trainer_destroy(c->best.trainer);
      c->best = t;
    } else {
      geodisk_trainer_destroy(t.trainer);
      t.trainer = NULL;
    }
  }
  return st;
}

/* A candidate at full length; *leads is the MAP of the best so far, `leader` its settings. */
static geodisk_status train_finalist(auto_state *c, const auto_trial *tried, double *leads, auto_candidate *leader) {
  const auto_candidate of = at_length(c, tried);
  auto_trial t = {0};
  const geodisk_status st = train(c, &of, &t);
  if (t.trainer && !of.untrained && t.map > *leads) {
    *leads = t.map;
    *leader = of;
  }
  c->flattened = c->flattened && !auto_is_better(&t, &c->best);
  keep(c, &t);
  return st;
}

/* What begins from points of its own: whole at once. Nothing else depends on it, so that it can only be better. */
static geodisk_status train_late(auto_state *c) {
  geodisk_status st = GEODISK_OK;
  for (size_t i = 0; i < c->late && st == GEODISK_OK && !c->stopped && !auto_is_perfect(&c->best); i++) {
    auto_candidate of = c->others[i];
    auto_trial t = {0};
    if (!of.untrained && !affordable(c, TWICE * c->tried, LATE_ALLOWANCE))
      continue;
    of.options.epochs = of.untrained                               ? GEODISK_EPOCHS_NONE
                        : affordable(c, c->epochs, LATE_ALLOWANCE) ? c->epochs
                                                                   : TWICE * c->tried;
    if ((st = auto_begin(c, &of)) == GEODISK_OK)
      st = train(c, &of, &t);
    c->flattened = c->flattened && !auto_is_better(&t, &c->best);
    keep(c, &t);
  }
  c->stopped = c->stopped || st == GEODISK_ERROR_STOPPED;
  return st == GEODISK_ERROR_STOPPED ? GEODISK_OK : st;
}

/* Whether flat space, whole, is better than the best by more than matters. */
static geodisk_status is_flat_better(auto_state *c, bool *out) {
  auto_candidate of = {.options = c->given};
  auto_trial flat = {0};
  of.options.space = GEODISK_SPACE_EUCLIDEAN;
  const geodisk_status st = train(c, &of, &flat);
  if (flat.trainer)
    c->flat_map = flat.map;
  *out = !flat.trainer || flat.map > c->best.map + FLAT_MATTERS;
  geodisk_trainer_destroy(flat.trainer);
  return st;
}

/* Blunt likelihoods leave the edges that are missing near, sharp ones have the others first: the bluntest that is good enough. */
geodisk_status auto_train_part(auto_state *c, bool *enough) {
  geodisk_status st = GEODISK_OK;
  const double blunt = c->given.dim < 8 ? 4.0 : 8.0;
  bool asked = false, flat_better = true;
  *enough = false;
  if (!auto_is_small_part(&c->seen, &c->given))
    return GEODISK_OK;
  for (double sharpness = blunt; sharpness <= MOST_SHARP && st == GEODISK_OK && !c->stopped && !*enough; sharpness *= 2.0) {
    auto_candidate of = {.options = c->given};
    auto_trial t = {0};
    of.options.sharpness = sharpness;
    of.options.sharpness_first = blunt;
    st = train(c, &of, &t);
    t.handicap = -FLAT_MATTERS; /* it has the edges that are missing nearer than what trials find */
    keep(c, &t);
    if (st == GEODISK_OK && !c->stopped && !asked && c->best.map >= GOOD_PART && c->best.map < 1.0 - FLAT_MATTERS) {
      st = is_flat_better(c, &flat_better);
      asked = true;
    }
    *enough = c->best.map >= 1.0 - FLAT_MATTERS || (c->best.map >= GOOD_PART && !flat_better);
  }
  c->trained = c->pairs_epoch = 0; /* epochs of another kind */
  c->stopped = c->stopped || st == GEODISK_ERROR_STOPPED;
  return st == GEODISK_ERROR_STOPPED ? GEODISK_OK : st;
}

geodisk_status auto_train(auto_state *c) {
  geodisk_status st = GEODISK_OK;
  auto_candidate leader = {0};
  double leads = -1.0;
  int done = 0;
  if (auto_is_perfect(&c->trials[0])) {
    keep(c, &c->trials[0]);
    return train_blunter(c);
  }
  const bool only = c->count == 1 && auto_is_large(&c->seen); /* and so was not tried */
  for (size_t i = 0; i < c->count && done < FINALISTS && st == GEODISK_OK && !auto_is_perfect(&c->best); i++) {
    if (c->trials[i].trainer && c->trials[i].of.untrained) { /* is whole as it is */
      keep(c, &c->trials[i]);
      continue;
    }
    if ((!c->trials[i].trainer && !only) || (done > 0 && !affordable(c, c->epochs, ALLOWANCE)))
      continue;
    st = train_finalist(c, &c->trials[i], &leads, &leader);
    if (done++ == 0 && st == GEODISK_OK && !auto_is_perfect(&c->best) && affordable(c, FLAT_EPOCHS, FLAT_ALLOWANCE))
      st = train_flat(c);
  }
  if (st == GEODISK_OK && leads >= 0.0)
    st = train_longer(c, leader);
  if (st == GEODISK_OK)
    st = train_late(c);
  if (st == GEODISK_OK)
    st = restart(c);
  return st == GEODISK_OK ? train_blunter(c) : st;
}

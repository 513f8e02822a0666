/* schedule.c - what an epoch is to do: its rate, sharpness and negatives, how units are shuffled and cut into blocks and batches,
 * and the scale of the sums. All of it follows from graph, options and the number of the epoch. */
#include "trainer.h"

enum { ROOMY = 8 }; /* dimensions from which on points pass each other easily */

/* ---- rates ---- */

static double between(double from, double to, double share) { return from * portable_pow(to / from, share); }

double embed_rate(const geodisk_train_options *o, uint64_t epoch) {
  if (epoch < o->burn_in)
    return o->burn_in_lr;
  const double share = (double)(epoch - o->burn_in) / (double)o->epochs;
  switch (o->rates) {
  case GEODISK_RATES_CONSTANT:
    return o->lr;
  case GEODISK_RATES_LINEAR:
    return o->lr + (o->lr_last - o->lr) * share;
  case GEODISK_RATES_COSINE:
    return o->lr_last + 0.5 * (o->lr - o->lr_last) * (1.0 + portable_cos(share * PORTABLE_PI));
  case GEODISK_RATES_RISE:
    break;
  }
  if (share < o->rise)
    return between(o->lr_first, o->lr, share / o->rise);
  return between(o->lr, o->lr_last, (share - o->rise) / (1.0 - o->rise));
}

/* ---- the core ---- */

/* Points find their places from nothing: slowly at first, with negatives by degree, then by a rate that rises and falls; all
 * units in one batch. In few dimensions there is less room to pass each other: likelihoods begin blunt, steps are shorter, pushes
 * bounded closer, and more negatives are seen at a time. Where edges are missing (inner nodes are drawn apart then) hardly a leaf
 * is simple, so that the core is most of the graph: its rate rises nearly to its end, and what comes after puts the details
 * right. */
geodisk_train_options embed_core_options(const geodisk_train_options *options) {
  const bool narrow = options->dim < ROOMY;
  geodisk_train_options o = *options;
  o.core_epochs = 0;
  o.placement = GEODISK_PLACEMENT_RANDOM;
  o.burn_in = options->core_epochs / 8;
  o.burn_in_lr = 0.012;
  o.epochs = options->core_epochs - o.burn_in;
  o.rates = GEODISK_RATES_RISE;
  o.rise = options->inner > 0.0 ? 0.9 : 0.65;
  o.lr = 1.0;
  o.lr_first = 0.015;
  o.lr_last = 0.01;
  o.cap = narrow ? 0.55 : options->core_epochs < 400 ? 1.0 : 0.8; /* few steps must be longer */
  o.bound = narrow ? 0.95 * options->bound : options->bound;
  o.sharpness_first = o.sharpness;
  o.batch = UINT64_MAX;
  o.negatives = narrow ? 2 * options->negatives : options->negatives > 1 ? options->negatives / 2 : 1;
  o.nearby = 0.03;
  return o;
}

/* ---- the plan ---- */

/* The most that can pull one row in a block, whose sums have 32 bits in float. As a source a row is pulled by at most what its
 * unit's targets weigh, and pushed by as much, or by `sparse` for each candidate; as a target or a negative by what the other
 * units' targets weigh, or by `sparse`. It is the source of one unit of a block, or of all where it has more targets than one. */
static double most_of_block(const geodisk_trainer *t, const epoch_plan *plan) {
  const double weight = t->most_weight + plan->rule.sparse + 2.0 * plan->rule.regularization;
  const double candidates = (double)embed_most_candidates(t, plan), sources = t->extras > 0 ? plan->block_units : 1.0;
  return (plan->block_units + sources + 1.0) * weight + sources * candidates * plan->rule.sparse;
}

/* The same for a batch. To a unit a row is source, target or negative: that is at most twice what the unit's targets weigh, and
 * all targets of the graph together weigh as many as they are. What thinning raises to `sparse` is counted for each target, for
 * the negative of each unit, and for all candidates of a source, once for each unit that a node with very many targets has. */
static double most_of_batch(const geodisk_trainer *t, const epoch_plan *plan) {
  const double units = (double)embed_batch_blocks(plan) * plan->block_units, edges = (double)t->edges;
  const double weight = fmin(units * t->most_weight, edges), targets = fmin(units * TRAIN_MOST_TARGETS, edges);
  const double parts = fmin(units, (double)t->extras + 1.0), candidates = (double)embed_most_candidates(t, plan);
  return 2.0 * weight + targets * (plan->rule.sparse + 2.0 * plan->rule.regularization) +
         (units + parts * candidates) * plan->rule.sparse;
}

/* The largest power of two by which sums cannot overflow, in double those of 64 bits of a batch. */
#define WHOLE_SCALE(single) ((single) ? 0x1p20 : 0x1p40)
static double scale_of(const geodisk_trainer *t, const epoch_plan *plan) {
  const bool single = is_single(&t->options);
  const double most = single ? most_of_block(t, plan) : most_of_batch(t, plan), room = single ? 0x1p30 : 0x1.8p62;
  double scale = WHOLE_SCALE(single);
  while (scale * most > room && scale > 1.0)
    scale *= 0.5;
  return scale;
}

/* As many batches as the options want; in double more of them where sums would not have their 40 bits. */
static void cut_into_batches(const geodisk_trainer *t, epoch_plan *p) {
  const uint64_t wanted = t->options.batch / p->block_units;
  for (uint64_t blocks = wanted == 0 ? 1 : wanted < p->blocks ? wanted : p->blocks;; blocks /= 2) {
    p->batches = (p->blocks + blocks - 1) / blocks;
    p->rule.scale = scale_of(t, p);
    if (blocks == 1 || is_single(&t->options) || p->rule.scale == WHOLE_SCALE(false))
      return;
  }
}

/* How much of the epochs after the burn-in is done. */
static double share_of(const geodisk_train_options *o, uint64_t epoch) {
  return epoch < o->burn_in ? 0.0 : (double)(epoch - o->burn_in) / (double)o->epochs;
}

/* Likelihoods that begin very blunt are to change the arrangement at large: until the last epochs neither mates nor many of those
 * nearby are in the way. */
static bool is_annealed(const geodisk_train_options *o) { return 8.0 * o->sharpness_first <= o->sharpness; }
static bool is_rearranging(const geodisk_trainer *t, uint64_t epoch) {
  return is_annealed(&t->options) && share_of(&t->options, epoch) < 0.85;
}

static double sharpness_of(const geodisk_trainer *t, uint64_t epoch) {
  const geodisk_train_options *o = &t->options;
  if (t->is_core)
    return o->dim < ROOMY && (double)epoch < 0.4 * (double)(o->burn_in + o->epochs) ? 0.5 * o->sharpness : o->sharpness;
  const double share = share_of(o, epoch), first = is_annealed(o) ? 0.25 : 0.4, second = is_annealed(o) ? 0.6 : 0.7;
  return share < first ? o->sharpness_first : share < second ? sqrt(o->sharpness_first * o->sharpness) : o->sharpness;
}

static void plan_rule(const geodisk_trainer *t, uint64_t epoch, train_rule *rule) {
  const geodisk_train_options *o = &t->options;
  const double sharpness = sharpness_of(t, epoch);
  *rule = (train_rule){.dim = (size_t)o->dim,
                       .stride = t->stride,
                       .update = (train_update)o->update,
                       .flat = o->space == GEODISK_SPACE_EUCLIDEAN,
                       .complement = o->loss == GEODISK_LOSS_COMPLEMENT,
                       .sharpness = sharpness,
                       .squarings = -1,
                       .most = portable_pow(TRAIN_MOST_LIKELY, 0.5 / sharpness),
                       .sparse = o->sparse,
                       .bound = o->bound,
                       .regularization = o->regularization,
                       .rate = embed_rate(o, epoch),
                       .cap = o->cap,
                       .margin = o->margin};
  rule->reach =
      rule->flat ? -portable_log(TRAIN_LEAST_WEIGHT) / (2.0 * sharpness) : portable_pow(TRAIN_LEAST_WEIGHT, -0.5 / sharpness);
  for (int i = 0; i < 8; i++)
    if (2.0 * sharpness == (double)(1 << i))
      rule->squarings = i;
}

/* Regions of 64 (with a core in few dimensions: 256), four times as many, ... runs and all of them, in turn, so that the last
 * epoch has the smallest; all of them while points are still finding their places. */
static uint64_t region_of(const geodisk_trainer *t, uint64_t epoch, uint64_t runs) {
  const geodisk_train_options *o = &t->options;
  const bool early =
      epoch < o->burn_in || (o->rates == GEODISK_RATES_RISE && (double)(epoch - o->burn_in) < o->rise * (double)o->epochs);
  if (early || is_annealed(o) || o->units == GEODISK_UNITS_EDGE)
    return runs;
  const uint64_t smallest = o->dim < ROOMY && (t->is_core || o->core_epochs > 0) ? 256 : 64;
  uint64_t scales = 1;
  while (scales < 28 && smallest << 2 * scales < runs / 8)
    scales++;
  const uint64_t scale = (geodisk_trainer_epochs(t) - 1 - t->position) % (scales + 1), size = smallest << 2 * scale;
  return scale == scales || size > runs ? runs : size;
}

/* How many of so many negatives are inner nodes. */
static uint32_t inner_of(const geodisk_trainer *t, uint32_t count) {
  const uint32_t wanted = (uint32_t)(t->options.inner * (double)count + 0.5);
  return wanted < t->inners ? wanted : (uint32_t)t->inners;
}

epoch_plan embed_plan(const geodisk_trainer *t) {
  const geodisk_train_options *o = &t->options;
  const uint64_t epoch = t->position - o->core_epochs;
  const bool edges = o->units == GEODISK_UNITS_EDGE, burning = epoch < o->burn_in;
  epoch_plan p = {.number = t->position,
                  .units = embed_unit_count(t),
                  .block_units = edges ? 1 : o->block,
                  .mates = !edges && !is_rearranging(t, epoch)};
  plan_rule(t, epoch, &p.rule);
  p.rate = p.rule.rate;
  p.sampling = burning ? GEODISK_SAMPLING_DEGREE : o->sampling;
  p.run = edges || p.block_units % 4 != 0 ? 1 : 4;
  const uint64_t runs = (p.units + p.run - 1) / p.run;
  p.region = region_of(t, epoch, runs);
  if (p.region == runs && !edges)
    p.run = 1;
  p.region = p.run == 1 && p.region == runs ? p.units : p.region;
  p.all = o->negatives > t->nodes / 4 * 3;
  const double nearby = is_rearranging(t, epoch) ? 0.4 * o->nearby : o->nearby;
  p.near = p.sampling == GEODISK_SAMPLING_NEARBY && !p.all ? (uint32_t)((double)o->negatives * nearby + 0.5) : 0;
  p.far = p.all ? 0 : (uint32_t)o->negatives - p.near;
  if (p.sampling != GEODISK_SAMPLING_DEGREE) {
    p.far_inner = inner_of(t, p.far);
    p.near_inner = inner_of(t, p.near);
  }
  const uint64_t block_runs = p.block_units / p.run;
  p.blocks = ((p.units + p.run - 1) / p.run + block_runs - 1) / block_runs;
  cut_into_batches(t, &p);
  p.first = embed_shuffle(t, &p, 0);
  return p;
}

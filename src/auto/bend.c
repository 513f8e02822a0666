/* bend.c - flat space in a little of hyperbolic space. Space of curvature -1/B^2 is flat in the limit: points of flat space,
 * shrunk into a small ball around the origin, keep their ranks. How small it has to be is tried, the largest first. */
#include <stdlib.h>

#include "base/squares.h"
#include "trials.h"

/* The ball's radius is halved so often at most: at 2^-24 distances are those of flat space to 2^-48. */
enum { FIRST = 1, LAST = 24, STEP = 2 };

#define SHARPEST 64.0

/* Moves the centre of the points to the origin and divides by a power of two, which keeps all digits, so that the furthest is
 * within 1. Returns that power. */
static double centre_and_fit(double *x, size_t nodes, size_t dim) {
  double furthest = 0.0, power = 1.0;
  for (size_t k = 0; k < dim; k++) {
    double sum = 0.0;
    for (size_t u = 0; u < nodes; u++)
      sum += x[u * dim + k];
    for (size_t u = 0; u < nodes; u++)
      x[u * dim + k] -= sum / (double)nodes;
  }
  for (size_t u = 0; u < nodes; u++) {
    const double square = square_of(dim, x + u * dim);
    furthest = square > furthest ? square : furthest;
  }
  while (power * power < furthest)
    power *= 2.0;
  while (power * power > 4.0 * furthest && power > 0x1p-60)
    power *= 0.5;
  for (size_t i = 0; i < nodes * dim; i++)
    x[i] /= power;
  return power;
}

/* A trainer with these points times `scale`, and no epochs. */
static geodisk_status place(const auto_state *c, const geodisk_train_options *options, const double *x, double scale,
                            geodisk_trainer **out) {
  const size_t nodes = geodisk_graph_nodes(c->graph), dim = (size_t)options->dim;
  const uint64_t *starts;
  const char *names = geodisk_graph_names(c->graph, &starts);
  const geodisk_model_spec spec = {.nodes = nodes, .ball = geodisk_unit_ball(options->dim), .names = names, .starts = starts};
  geodisk_train_options o = *options;
  geodisk_model *model = NULL;
  geodisk_status st = geodisk_model_create(c->context, &spec, &model);
  if (st != GEODISK_OK)
    return st;
  double *to = geodisk_model_edit_vectors(model), *gap = geodisk_model_edit_gap(model);
  for (size_t u = 0; u < nodes; u++) {
    for (size_t k = 0; k < dim; k++)
      to[u * dim + k] = scale * x[u * dim + k];
    gap[u] = 1.0 - square_of(dim, to + u * dim);
  }
  o.start = model;
  st = geodisk_trainer_create(c->context, c->graph, &o, out);
  geodisk_model_destroy(model);
  return st;
}

/* As it was given, in hyperbolic space, with a sharpness that means the same at this scale: near the origin distances are twice
 * those of the coordinates. */
static geodisk_train_options options_at(const auto_state *c, double flat_sharpness, double power, double scale) {
  geodisk_train_options o = c->given;
  const double sharpness = flat_sharpness * power / (2.0 * scale);
  o.sharpness = o.sharpness_first = sharpness < SHARPEST ? sharpness : SHARPEST;
  o.placement = GEODISK_PLACEMENT_RANDOM;
  o.epochs = GEODISK_EPOCHS_NONE;
  return o;
}

geodisk_status auto_bend(auto_state *c, geodisk_trainer *flat, double flat_map, auto_trial *out) {
  const geodisk_train_options of = geodisk_trainer_options(flat);
  const size_t nodes = geodisk_graph_nodes(c->graph), dim = (size_t)of.dim;
  double *x = geodisk_allocate(nodes, dim * sizeof *x);
  geodisk_status st = GEODISK_OK;
  if (!x)
    return geodisk_no_memory(c->context, "for %zu nodes", nodes);
  geodisk_trainer_points(flat, x);
  const double power = centre_and_fit(x, nodes, dim);
  double scale = 1.0;
  bool good = false;
  for (int i = FIRST; i <= LAST && st == GEODISK_OK && !good; i += STEP) {
    geodisk_ranking ranking;
    auto_trial t = {0};
    scale /= 1 << (i == FIRST ? FIRST : STEP);
    t.of = (auto_candidate){.options = options_at(c, of.sharpness, power, scale), .untrained = true};
    if ((st = place(c, &t.of.options, x, scale, &t.trainer)) != GEODISK_OK)
      break;
    if ((st = geodisk_auto_judge(c->context, c->graph, t.trainer, !auto_is_large(&c->seen), &ranking)) == GEODISK_OK) {
      t.map = ranking.map.value;
      t.mean_rank = ranking.mean_rank.value;
      good = t.map >= flat_map - AUTO_SAME_MAP;
    }
    if (st == GEODISK_OK && auto_is_better(&t, out)) {
      const auto_trial worse = *out;
      *out = t;
      t = worse;
    }
    geodisk_trainer_destroy(t.trainer);
  }
  free(x);
  return st;
}

/* closed.c - small closures. What looking settles suits trees of many dimensions; in the plane, and where many nodes have several
 * parents, other sharpnesses and a random start may do better. There the training that looking settles is tried first; if it is
 * not good, others are, longer. They are judged by what a closure is asked for: ranks, and whether the first parent that the
 * model names (the half-space rule) is one. */
#include <stdlib.h>

#include "trials.h"

enum { MOST_NODES = 4000, LONGER = 4, OTHERS = 4 };

/* Basic edges a node from which on nodes have several parents; and what is good enough. */
#define SEVERAL      1.1
#define GOOD_MAP     0.99
#define GOOD_PARENTS 0.97
#define ALL_BUT_ALL  0.999

/* Pairs that the others may take together: a quarter of a minute, where nodes have many ancestors. */
#define ALLOWANCE 2.5e9

/* Ways to begin, and sharpnesses as multiples of the settled one. */
static const struct other {
  bool random;
  double sharpness;
} in_plane[OTHERS] = {{false, 2.0}, {false, 1.0}, {false, 0.5}, {false, 1.4}},
  in_space[OTHERS] = {{true, 2.0}, {true, 1.0}, {true, 4.0}, {false, 2.0}};

/* Of the nodes that have a parent, the share whose first one is a direct parent. */
static geodisk_status first_parents(const auto_state *c, const geodisk_graph *basic, geodisk_trainer *trainer, double *out) {
  const size_t nodes = geodisk_graph_nodes(basic);
  const geodisk_graph_rows up = geodisk_graph_out(basic);
  uint32_t *found = geodisk_allocate(nodes, sizeof *found);
  geodisk_model *model = NULL;
  geodisk_hierarchy *known = NULL;
  size_t asked = 0, right = 0;
  bool learned = false;
  geodisk_status st = found ? geodisk_trainer_model(trainer, &model) : geodisk_no_memory(c->context, "for %zu nodes", nodes);
  if (st == GEODISK_OK)
    st = geodisk_auto_learn(c->context, model, c->graph, &learned);
  if (st == GEODISK_OK && learned)
    st = geodisk_hierarchy_create(c->context, model, NULL, &known);
  for (uint32_t u = 0; u < nodes && st == GEODISK_OK && known; u++) {
    size_t count = 0;
    if (up.offsets[u] == up.offsets[u + 1])
      continue;
    asked++;
    st = geodisk_hierarchy_parents(c->context, known, u, found, &count);
    right += st == GEODISK_OK && count > 0 && geodisk_graph_has_edge(basic, u, found[0]);
  }
  *out = asked > 0 ? (double)right / (double)asked : 0.0;
  geodisk_hierarchy_destroy(known);
  geodisk_model_destroy(model);
  free(found);
  return st;
}

/* A trial, and how good: MAP and the share of first parents together. A trial that was stopped has no trainer. */
static geodisk_status run(auto_state *c, const geodisk_graph *basic, auto_trial *t, double *parents) {
  geodisk_status st = auto_run_trial(c, t);
  if (st == GEODISK_OK && !c->stopped && t->trainer)
    st = first_parents(c, basic, t->trainer, parents);
  c->stopped = c->stopped || st == GEODISK_ERROR_STOPPED;
  return st == GEODISK_ERROR_STOPPED ? GEODISK_OK : st;
}

static bool is_left_open(const auto_state *c) {
  const geodisk_train_options *o = &c->given;
  return o->dim >= 2 && o->space == GEODISK_SPACE_HYPERBOLIC && o->units == GEODISK_UNITS_SOURCE && !o->start &&
         o->epochs == GEODISK_EPOCHS_AUTO && !(o->sharpness > 0.0) && !(o->sharpness_first > 0.0) && !(o->lr > 0.0) &&
         o->placement == GEODISK_PLACEMENT_AUTO && !(o->burn_in > 0) && o->core_epochs == GEODISK_CORE_EPOCHS_AUTO;
}

/* The others, until one is all but perfect; c->given becomes the best. */
static geodisk_status try_others(auto_state *c, const geodisk_graph *basic, const auto_trial *settled, double parents) {
  const geodisk_train_options open = c->given, looked = geodisk_trainer_options(settled->trainer);
  const uint64_t affordable = (uint64_t)(ALLOWANCE / OTHERS) / (c->pairs_epoch > 0 ? c->pairs_epoch : 1);
  double best = settled->map + parents;
  bool perfect = false, better = false;
  geodisk_status st = GEODISK_OK;
  c->tried = affordable < LONGER * looked.epochs ? affordable : LONGER * looked.epochs;
  for (int i = 0; i < OTHERS && st == GEODISK_OK && !c->stopped && !perfect && c->tried >= looked.epochs; i++) {
    const struct other *other = (open.dim > 2 ? in_space : in_plane) + i;
    geodisk_train_options o = open;
    auto_trial t = {0};
    double right = 0.0;
    o.sharpness = looked.sharpness * other->sharpness;
    o.placement = other->random ? GEODISK_PLACEMENT_RANDOM : o.placement;
    t.of = (auto_candidate){.options = o};
    st = run(c, basic, &t, &right);
    if (st == GEODISK_OK && !c->stopped && t.trainer && t.map >= settled->map && t.map + right > best) {
      best = t.map + right;
      better = true;
      c->given = o;
      c->given.epochs = c->tried;
      perfect = t.map >= ALL_BUT_ALL && right >= ALL_BUT_ALL;
    }
    geodisk_trainer_destroy(t.trainer);
  }
  if (!better) /* then it is as if nothing had been tried */
    c->made = 0;
  return st;
}

/* Whether another training than the settled one may be much better. */
static bool is_in_doubt(const auto_state *c, const geodisk_graph *basic) {
  return c->given.dim == 2 || (double)geodisk_graph_edges(basic) > SEVERAL * (double)geodisk_graph_nodes(basic);
}

geodisk_status auto_try_closed(auto_state *c) {
  geodisk_graph *basic = NULL;
  auto_trial settled = {.of = {.options = c->given}};
  double parents = 0.0;
  if (c->seen.kind != GEODISK_AUTO_CLOSED || c->seen.nodes > MOST_NODES || !is_left_open(c))
    return GEODISK_OK;
  geodisk_status st = geodisk_graph_reduce(c->context, c->graph, &basic);
  if (st == GEODISK_OK && is_in_doubt(c, basic)) {
    c->tried = GEODISK_EPOCHS_AUTO;
    geodisk_log_hush(c->context, true);
    st = run(c, basic, &settled, &parents);
    if (st == GEODISK_OK && !c->stopped && settled.trainer && (settled.map < GOOD_MAP || parents < GOOD_PARENTS))
      st = try_others(c, basic, &settled, parents);
    else
      c->made = 0;
    geodisk_log_hush(c->context, false);
  }
  geodisk_trainer_destroy(settled.trainer);
  geodisk_graph_destroy(basic);
  return st;
}

/* closed.c - closures that are not large. What looking settles suits trees of many dimensions that are not deep; in the plane,
 * where many nodes have several parents or very many ancestors, and where edges are missing, other sharpnesses and a random start
 * may do better. There the training that looking settles is tried first; if it is not good, others are, longer. They are judged
 * by what a closure is asked for: ranks, and whether the first parent that the model names (the half-space rule) is one, or where
 * edges are missing the ranks of those. */
#include <math.h>
#include <stdlib.h>

#include "trials.h"

enum { MOST_NODES = 10000, MOST_EDGES = 150000, LONGER = 4, OTHERS = 4 };

/* Basic edges a node from which on nodes have several parents, edges a node from which on very many ancestors; and what is good
 * enough. */
#define SEVERAL      1.1
#define DEEP         15.0
#define GOOD_MAP     0.99
#define GOOD_ANSWERS 0.97
#define ALL_BUT_ALL  0.999

/* The nearest to flat; by how much flat space has to be better; up to how many nodes it is looked at. */
#define SHARPEST     64.0
#define FLAT_MATTERS 0.005
enum { FLAT_NODES = 2000 };

/* Edges times epochs that the others may take together: some twenty seconds of processor time with the core's. */
#define ALLOWANCE 1e8

/* Ways to begin, and sharpnesses as multiples of the settled one. */
static const struct other {
  bool random;
  double sharpness;
} in_plane[OTHERS] = {{false, 2.0}, {false, 1.0}, {false, 0.5}, {false, 1.4}},
  in_space[OTHERS] = {{true, 2.0}, {true, 1.0}, {true, 4.0}, {false, 2.0}};

/* What a closure is judged by beside its ranks: the first parents, or the edges that follow from others and are missing. */
typedef struct asked {
  geodisk_graph *basic, *edges;      /* edges: those that are missing */
  geodisk_relation *shown, *missing; /* NULL: none are */
} asked;

/* The edges of the closure that the graph does not have. */
static geodisk_status missing_edges(const auto_state *c, const geodisk_graph *closure, geodisk_graph **out) {
  const geodisk_graph_rows up = geodisk_graph_out(closure);
  const uint64_t edges = geodisk_graph_edges(closure);
  uint32_t *child = geodisk_allocate(edges, sizeof *child), *parent = geodisk_allocate(edges, sizeof *parent);
  geodisk_graph_arrays arrays = {.nodes = geodisk_graph_nodes(closure), .children = child, .parents = parent};
  for (uint32_t u = 0; child && parent && u < arrays.nodes; u++)
    for (uint64_t e = up.offsets[u]; e < up.offsets[u + 1]; e++)
      if (!geodisk_graph_has_edge(c->graph, u, up.nodes[e])) {
        child[arrays.edges] = u;
        parent[arrays.edges++] = up.nodes[e];
      }
  const geodisk_status st = child && parent ? geodisk_graph_create(c->context, &arrays, NULL, out)
                                            : geodisk_no_memory(c->context, "for the edges that are missing");
  geodisk_free_all(child, parent);
  return st;
}

static geodisk_status find_asked(const auto_state *c, asked *out) {
  const size_t nodes = geodisk_graph_nodes(c->graph);
  geodisk_graph *closure = NULL;
  geodisk_status st = geodisk_graph_reduce(c->context, c->graph, &out->basic);
  if (st == GEODISK_OK)
    st = geodisk_graph_closure(c->context, c->graph, NULL, &closure);
  if (st == GEODISK_OK && geodisk_graph_edges(closure) > geodisk_graph_edges(c->graph)) {
    st = missing_edges(c, closure, &out->edges);
    if (st == GEODISK_OK)
      st = geodisk_relation_create_plain(c->context, out->edges, nodes, &out->missing);
    if (st == GEODISK_OK)
      st = geodisk_relation_create_plain(c->context, c->graph, nodes, &out->shown);
  }
  geodisk_graph_destroy(closure);
  return st;
}

static void destroy_asked(asked *a) {
  geodisk_graph_destroy(a->basic);
  geodisk_relation_destroy(a->shown);
  geodisk_relation_destroy(a->missing);
  geodisk_graph_destroy(a->edges);
}

/* MAP of the edges that are missing, or how right the parents are that a trainer's points would name. */
static geodisk_status answers(const auto_state *c, const asked *a, geodisk_trainer *trainer, double *out) {
  geodisk_model *model = NULL;
  geodisk_eval_points points;
  geodisk_ranking ranking;
  geodisk_status st = geodisk_trainer_model(trainer, &model);
  if (st == GEODISK_OK && a->missing) {
    st = geodisk_eval_points_of_model(c->context, model, geodisk_model_space(model), &points);
    if (st == GEODISK_OK)
      st = geodisk_eval_ranking(c->context, &points, a->missing, a->shown, NULL, &ranking);
    *out = st == GEODISK_OK ? ranking.map.value : 0.0;
  } else if (st == GEODISK_OK) {
    st = geodisk_learn_trained(c->context, model, c->graph, NULL);
    if (st == GEODISK_OK)
      st = auto_first_parents(c->context, model, c->graph, a->basic, out);
  }
  geodisk_model_destroy(model);
  return st;
}

/* A trial, and how good: MAP and its answers together. A trial that was stopped has no trainer. */
static geodisk_status run(auto_state *c, const asked *a, auto_trial *t, double *right) {
  geodisk_status st = auto_run_trial(c, t);
  if (st == GEODISK_OK && !c->stopped && t->trainer)
    st = answers(c, a, t->trainer, right);
  c->stopped = c->stopped || st == GEODISK_ERROR_STOPPED;
  return st == GEODISK_ERROR_STOPPED ? GEODISK_OK : st;
}

static bool is_left_open(const auto_state *c) {
  const geodisk_train_options *o = &c->given;
  return o->dim >= 2 && o->space == GEODISK_SPACE_HYPERBOLIC && o->units == GEODISK_UNITS_SOURCE && !o->start &&
         o->epochs == GEODISK_EPOCHS_AUTO && !(o->sharpness > 0.0) && !(o->sharpness_first > 0.0) && !(o->lr > 0.0) &&
         o->placement == GEODISK_PLACEMENT_AUTO && !(o->burn_in > 0) && o->core_epochs == GEODISK_CORE_EPOCHS_AUTO;
}

/* The best so far: by MAP and answers, where MAP is at least that of what looking settles. */
typedef struct search {
  const asked *a;
  geodisk_train_options open, looked; /* as given; as looking settles it */
  double least, map, score;
  bool better, perfect;
} search;

/* Tries it; c->given becomes it if it is the best. for_ranks: by MAP alone. */
static geodisk_status try_one(auto_state *c, search *s, struct other other, bool for_ranks) {
  geodisk_train_options o = s->open;
  double right = 0.0;
  o.sharpness = fmin(s->looked.sharpness * other.sharpness, SHARPEST);
  o.placement = other.random ? GEODISK_PLACEMENT_RANDOM : o.placement;
  auto_trial t = {.of = {.options = o}};
  const geodisk_status st = run(c, s->a, &t, &right);
  if (st == GEODISK_OK && !c->stopped && t.trainer &&
      (for_ranks ? t.map > s->map : t.map >= s->least && t.map + right > s->score)) {
    s->score = t.map + right;
    s->map = t.map;
    s->better = true;
    s->perfect = t.map >= ALL_BUT_ALL && right >= ALL_BUT_ALL;
    c->given = o;
    c->given.epochs = c->tried;
  }
  geodisk_trainer_destroy(t.trainer);
  return st;
}

/* Where ranks leave something to be wished and there is room, flat space may have better ones: then what is nearly flat is tried.
 */
static geodisk_status look_at_flat(auto_state *c, search *s) {
  const uint64_t tried = c->tried;
  auto_trial flat = {.of = {.options = s->open}};
  if (c->stopped || s->open.dim <= 2 || s->map >= 1.0 - FLAT_MATTERS || c->seen.nodes > FLAT_NODES)
    return GEODISK_OK;
  flat.of.options.space = GEODISK_SPACE_EUCLIDEAN;
  c->tried = GEODISK_EPOCHS_AUTO;
  geodisk_status st = auto_run_trial(c, &flat);
  c->tried = tried;
  if (st == GEODISK_OK && !c->stopped && flat.trainer) {
    c->flat_map = flat.map;
    if (flat.map > s->map + FLAT_MATTERS)
      st = try_one(c, s, (struct other){true, SHARPEST / s->looked.sharpness}, true);
  }
  geodisk_trainer_destroy(flat.trainer);
  return st;
}

/* The others, until one is all but perfect; c->given becomes the best. */
static geodisk_status try_others(auto_state *c, const asked *a, const auto_trial *settled, double answered) {
  search s = {.a = a,
              .open = c->given,
              .looked = geodisk_trainer_options(settled->trainer),
              .least = settled->map,
              .map = settled->map,
              .score = settled->map + answered};
  const uint64_t affordable = (uint64_t)(ALLOWANCE / OTHERS / (double)geodisk_graph_edges(c->graph)),
                 longer = LONGER * s.looked.epochs;
  geodisk_status st = GEODISK_OK;
  c->tried = affordable < longer ? affordable : longer;
  if (c->tried >= s.looked.epochs) {
    for (int i = 0; i < OTHERS && st == GEODISK_OK && !c->stopped && !s.perfect; i++)
      st = try_one(c, &s, (s.open.dim > 2 ? in_space : in_plane)[i], false);
    if (st == GEODISK_OK)
      st = look_at_flat(c, &s);
  }
  if (!s.better) /* then it is as if nothing had been tried */
    c->made = 0;
  return st;
}

/* Whether another training than the settled one may be much better. */
static bool is_in_doubt(const auto_state *c, const asked *a) {
  const double nodes = (double)geodisk_graph_nodes(c->graph);
  return c->given.dim == 2 || a->missing || (double)geodisk_graph_edges(a->basic) > SEVERAL * nodes ||
         (double)geodisk_graph_edges(c->graph) > DEEP * nodes;
}

geodisk_status auto_try_closed(auto_state *c) {
  asked a = {0};
  auto_trial settled = {.of = {.options = c->given}};
  double right = 0.0;
  if (c->seen.kind != GEODISK_AUTO_CLOSED || c->seen.nodes > MOST_NODES || geodisk_graph_edges(c->graph) > MOST_EDGES ||
      !is_left_open(c))
    return GEODISK_OK;
  geodisk_status st = find_asked(c, &a);
  if (st == GEODISK_OK && is_in_doubt(c, &a)) {
    c->tried = GEODISK_EPOCHS_AUTO;
    geodisk_log_hush(c->context, true);
    st = run(c, &a, &settled, &right);
    if (st == GEODISK_OK && !c->stopped && settled.trainer && (settled.map < GOOD_MAP || right < GOOD_ANSWERS))
      st = try_others(c, &a, &settled, right);
    else
      c->made = 0;
    geodisk_log_hush(c->context, false);
  }
  geodisk_trainer_destroy(settled.trainer);
  destroy_asked(&a);
  return st;
}

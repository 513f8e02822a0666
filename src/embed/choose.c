/* choose.c - options that were left open, from what the graph is like. */

#include "trainer.h"

#include <string.h>

enum { MANY = 20000 }; /* nodes: up to here a graph without hierarchy is one batch */
/* nodes: up to here a tree placement settles by itself; beyond, nodes with several parents want the core, or in the plane, which
 * has no room for one, that the arrangement is changed at large */
enum { LARGE = 5000 };

/* nodes: up to here a part of a closure need be no hierarchy with many leaves and more edges than a tree */
enum { FEW = 2000 };

/* Without chains, of which some edge could follow, few edges are no closure. */
void embed_judge_closed(uint64_t implied, uint64_t there, uint64_t leaves, graph_facts *out) {
  const bool like_it = 2 * leaves > out->nodes && out->edges > out->nodes + out->nodes / 20;
  out->closed = there >= implied - implied / 5 && (implied > 0 || out->edges > out->nodes);
  out->part = !out->closed && there > implied / 20 && (out->nodes <= FEW || like_it);
  out->gaps = out->part || (out->closed && there < implied - implied / 200);
}

/* Whether the targets of u's targets are targets of u, for a sample of the nodes. There is room for a mark of each node. */
static void look_whether_closed(const geodisk_trainer *t, uint32_t *marked, graph_facts *out) {
  const size_t step = t->nodes / 512 + 1;
  uint64_t implied = 0, there = 0;
  memset(marked, 0, t->nodes * sizeof *marked);
  for (size_t i = 0; i < t->nodes; i += step) {
    for (uint64_t e = t->out.offsets[i]; e < t->out.offsets[i + 1]; e++)
      marked[t->out.nodes[e]] = (uint32_t)i + 1;
    for (uint64_t e = t->out.offsets[i]; e < t->out.offsets[i + 1]; e++) {
      const uint32_t v = t->out.nodes[e];
      implied += t->out.offsets[v + 1] - t->out.offsets[v];
      for (uint64_t f = t->out.offsets[v]; f < t->out.offsets[v + 1]; f++)
        there += marked[t->out.nodes[f]] == i + 1;
    }
  }
  uint64_t leaves = 0;
  for (size_t u = 0; u < t->nodes; u++)
    leaves += t->in.offsets[u + 1] == t->in.offsets[u];
  embed_judge_closed(implied, there, leaves, out);
}

/* Whether nodes without targets can be taken away until none is left (Kahn). */
static bool is_acyclic(const geodisk_trainer *t, uint32_t *waiting, uint32_t *queue) {
  size_t head = 0, tail = 0;
  for (size_t u = 0; u < t->nodes; u++) {
    waiting[u] = (uint32_t)(t->out.offsets[u + 1] - t->out.offsets[u]);
    if (waiting[u] == 0)
      queue[tail++] = (uint32_t)u;
  }
  for (; head < tail; head++)
    for (uint64_t e = t->in.offsets[queue[head]]; e < t->in.offsets[queue[head] + 1]; e++)
      if (--waiting[t->in.nodes[e]] == 0)
        queue[tail++] = t->in.nodes[e];
  return tail == t->nodes;
}

geodisk_status embed_graph_facts(const geodisk_trainer *t, graph_facts *out) {
  uint32_t *waiting = geodisk_allocate(t->nodes, sizeof *waiting), *queue = geodisk_allocate(t->nodes, sizeof *queue);
  const bool memory = waiting && queue;
  if (memory) {
    *out = (graph_facts){.nodes = t->nodes, .edges = t->edges, .acyclic = is_acyclic(t, waiting, queue)};
    if (out->acyclic)
      look_whether_closed(t, waiting, out);
  }
  geodisk_free_all(waiting, queue);
  return memory ? GEODISK_OK : geodisk_no_memory(t->context, "for %zu nodes", t->nodes);
}

geodisk_status geodisk_train_closure(geodisk_context *context, const geodisk_graph *graph, geodisk_closure *out) {
  const geodisk_trainer t = {.context = context,
                             .graph = graph,
                             .out = geodisk_graph_out(graph),
                             .in = geodisk_graph_in(graph),
                             .nodes = geodisk_graph_nodes(graph),
                             .edges = geodisk_graph_edges(graph)};
  graph_facts facts;
  const geodisk_status st = embed_graph_facts(&t, &facts);
  if (st == GEODISK_OK)
    *out = facts.closed ? GEODISK_CLOSURE_WHOLE : facts.part ? GEODISK_CLOSURE_PART : GEODISK_CLOSURE_NONE;
  return st;
}

static double first_of(double given, double otherwise) { return given > 0.0 ? given : otherwise; }
static double not_below_zero(double given, double otherwise) { return given >= 0.0 ? given : otherwise; }

static double clamp(double a, double low, double high) { return a < low ? low : a > high ? high : a; }

/* A part of a closure where there is room: which ancestors of a node are its targets is chance, so that it has to stand between
 * them and the others more exactly than in a closure. That takes a sharp end after a blunt beginning, and more time. */
static bool is_exacting(const geodisk_train_options *o, const graph_facts *facts) {
  return facts->part && o->dim > 2 && o->space != GEODISK_SPACE_EUCLIDEAN;
}

/* A closed hierarchy with gaps, in dimensions in which it is learned less sharply for them. */
static bool has_gaps(const geodisk_train_options *o, const graph_facts *facts) {
  return facts->gaps && !facts->part && o->dim >= 8 && o->dim < 16;
}

/* The share of inner nodes among negatives. What stands in the way of a target that others do not share are inner nodes, above
 * all the ancestors that are not shown; but a leaf must not come near an ancestor that was held out. */
static double inner_for(const geodisk_train_options *o, const graph_facts *facts) {
  return facts->part ? 0.8 : has_gaps(o, facts) ? 0.65 : 0.0;
}

/* Epochs of the core, and of the whole graph after it, times nodes. An epoch of the core is one step: however large it is, it
 * takes LEAST_STEPS to find its places. */
static const double LEAST_STEPS = 300.0;
static double core_work(const geodisk_train_options *o, const graph_facts *facts) {
  return is_exacting(o, facts) && o->dim >= 8 ? 1.2e8 : has_gaps(o, facts) ? 6e7 : 4e7;
}
static double work_after_core(const geodisk_train_options *o, const graph_facts *facts) {
  return o->dim < 8 ? 1.6e7 : is_exacting(o, facts) || has_gaps(o, facts) ? 1.2e7 : 8e6;
}

/* Sharper likelihoods in more dimensions, whose volume grows faster. Of a network every neighbour is to be nearer than all
 * others; of a closed hierarchy also the furthest ancestor, for which there is less room. Where some of its edges are missing
 * they are drawn as negatives: the sharper, the more points are pushed from ancestors that nobody told of. */
static double sharpness_for(const geodisk_train_options *o, const graph_facts *facts, bool tree) {
  const bool closed = facts->closed || facts->part;
  if (o->space == GEODISK_SPACE_EUCLIDEAN)
    return 8.0;
  if (is_exacting(o, facts))
    return o->dim <= 3 ? 4.0 : o->dim < 8 ? 8.0 : 24.0;
  if (o->dim <= 2)
    return facts->closed && tree ? 4.0 : 1.0;
  return o->dim <= 3 ? 4.0 : o->dim <= 7 ? (closed ? 4.0 : 8.0) : !closed ? 16.0 : facts->gaps && o->dim < 16 ? 6.0 : 8.0;
}

/* What differs between source units that begin from a hierarchy, from a trained core, and from nothing; and edge units. */
static void resolve_source(const graph_facts *facts, bool tree, geodisk_train_options *o) {
  const bool plane = o->dim <= 2, cored = o->core_epochs > 0, settled = cored || tree, narrow = o->dim < 8;
  const bool annealed = plane && tree && facts->closed, rearranged = annealed && facts->nodes >= LARGE;
  const bool exacting = cored && is_exacting(o, facts);
  const double nodes = (double)facts->nodes;
  o->sharpness = first_of(o->sharpness, sharpness_for(o, facts, tree));
  o->sharpness_first = first_of(o->sharpness_first, rearranged ? o->sharpness / 8.0
                                                    : annealed ? o->sharpness / 4.0
                                                    : exacting ? o->sharpness * (narrow ? 0.375 : 0.25)
                                                               : o->sharpness);
  if (o->epochs == GEODISK_EPOCHS_AUTO)
    o->epochs = (uint64_t)(cored  ? clamp(work_after_core(o, facts) / nodes, 60.0, 300.0)
                           : tree ? clamp(1.2e7 / nodes, 60.0, 300.0)
                                  : clamp(3e6 / nodes, 300.0, 1500.0));
  o->block = o->block ? o->block : 32;
  o->negatives = o->negatives ? o->negatives : !cored ? 768 : narrow ? 384 : o->epochs < 80 || has_gaps(o, facts) ? 768 : 512;
  o->batch = o->batch ? o->batch : cored || rearranged ? 4096 : settled || facts->nodes > MANY ? 8192 : UINT64_MAX;
  o->nearby = not_below_zero(o->nearby, cored ? (facts->gaps ? 0.6 : 0.25) : rearranged ? 0.45 : settled ? 0.4 : 0.1);
  o->inner = not_below_zero(o->inner, cored ? inner_for(o, facts) : 0.0);
  o->cap = not_below_zero(o->cap, cored ? clamp(60.0 / (double)o->epochs, 0.6, 1.0) : 1.0); /* few steps must be longer */
  o->bound = not_below_zero(o->bound, 3.84);
  o->sparse = not_below_zero(o->sparse, 0.03);
  const bool flat = o->space == GEODISK_SPACE_EUCLIDEAN;
  o->lr = first_of(o->lr, cored ? 1.4 : settled ? (tree && !plane ? 0.3 : 1.0) : flat ? 1.0 : o->dim <= 2 ? 0.1 : 0.3);
  o->rise = not_below_zero(o->rise, settled ? 0.0 : 0.5);
  o->lr_first = first_of(o->lr_first, settled ? o->lr : o->lr / 100.0);
  o->lr_last = first_of(o->lr_last, o->lr / (exacting ? 70.0 : cored ? 2500.0 : settled ? 500.0 : 100.0));
}

static void resolve_edges(geodisk_train_options *o) {
  o->sharpness = first_of(o->sharpness, 1.0);
  o->sharpness_first = first_of(o->sharpness_first, o->sharpness);
  o->block = 1;
  o->negatives = o->negatives ? o->negatives : 50;
  o->batch = o->batch ? o->batch : 4096;
  o->nearby = not_below_zero(o->nearby, 0.1);
  o->inner = not_below_zero(o->inner, 0.0);
  o->cap = not_below_zero(o->cap, 1.0);
  o->bound = not_below_zero(o->bound, 0.0);
  o->sparse = not_below_zero(o->sparse, 0.0);
  o->lr = first_of(o->lr, 0.3);
  o->rise = not_below_zero(o->rise, 0.5);
  o->lr_first = first_of(o->lr_first, o->lr / 10.0);
  o->lr_last = first_of(o->lr_last, o->lr / 100.0);
  if (o->epochs == GEODISK_EPOCHS_AUTO)
    o->epochs = 100;
}

/* A closed hierarchy (each node knows all its ancestors) begins from its tree, or where that is large and there is room, from
 * nothing with its core; other graphs begin from nothing. */
void embed_resolve(const graph_facts *facts, geodisk_train_options *o) {
  const bool plane = o->dim <= 2, edges = o->units == GEODISK_UNITS_EDGE, flat = o->space == GEODISK_SPACE_EUCLIDEAN;
  if (o->placement == GEODISK_PLACEMENT_AUTO) {
    const bool cored = o->core_epochs > 0 && o->core_epochs != GEODISK_CORE_EPOCHS_AUTO;
    const bool tree = facts->closed && !flat && !cored && o->dim > 1 && (plane || facts->nodes < LARGE);
    o->placement = tree ? GEODISK_PLACEMENT_TREE : GEODISK_PLACEMENT_RANDOM;
  }
  const bool tree = o->placement != GEODISK_PLACEMENT_RANDOM || o->start;
  const bool none = o->epochs == GEODISK_EPOCHS_NONE;
  if (none)
    o->core_epochs = o->burn_in = 0;
  if (o->core_epochs == GEODISK_CORE_EPOCHS_AUTO)
    o->core_epochs = tree || edges || !(facts->closed || (facts->part && !plane && !flat))
                         ? 0
                         : (uint64_t)clamp(core_work(o, facts) / (double)facts->nodes, LEAST_STEPS,
                                           core_work(o, facts) > 1e8 ? 2000.0 : 700.0);
  o->depth = first_of(o->depth, plane && facts->closed && o->placement == GEODISK_PLACEMENT_TREE ? 0.5 : 1.0);
  if (edges)
    resolve_edges(o);
  else
    resolve_source(facts, tree, o);
  if (none)
    o->epochs = 0;
}

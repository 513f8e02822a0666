/* hold_out.c - splits whose questions no walk through the training edges answers: basic edges of nodes with several parents, and
 * whole nodes of which a few edges are given. */
#include "hold_out.h"

#include <stdlib.h>

enum { STREAM_PARENTS = 0x5321, STREAM_NODES = 0x5322, STREAM_GIVEN = 0x5323, CHILDREN_GIVEN = 3 };

/* ---- walks ------------------------------------------------------------------------------------------------------------- */

/* Nodes that were reached: those with the number of the last walk. */
typedef struct walk {
  uint32_t *mark, *stack;
  uint32_t number;
} walk;

static bool walk_create(size_t nodes, walk *w) {
  *w = (walk){geodisk_allocate_zero(nodes, sizeof *w->mark), geodisk_allocate(nodes, sizeof *w->stack), 0};
  return w->mark != NULL && w->stack != NULL;
}

static void walk_free(walk *w) { geodisk_free_all(w->mark, w->stack); }

/* Adds u and what lies above it along edges of this part. */
static void walk_up(walk *w, const geodisk_graph *graph, const uint8_t *label, uint8_t part, uint32_t u) {
  size_t n = 0;
  w->stack[n++] = u;
  w->mark[u] = w->number;
  while (n > 0) {
    const uint32_t v = w->stack[--n];
    for (uint64_t e = graph->out.offsets[v]; e < graph->out.offsets[v + 1]; e++) {
      const uint32_t p = graph->out.nodes[e];
      if (label[e] != part || w->mark[p] == w->number)
        continue;
      w->mark[p] = w->number;
      w->stack[n++] = p;
    }
  }
}

/* ---- basic edges of nodes with several parents --------------------------------------------------------------------------- */

/* Draws the nodes and for each of them the parent that it loses; labels are those of the basic edges. Exactly as many as are
 * wanted, in one pass. */
static void draw_parents(const geodisk_graph *basic, const geodisk_split_options *options, uint8_t *label, geodisk_split *split) {
  uint64_t left = 0;
  for (size_t u = 0; u < basic->nodes; u++)
    left += parents_of(basic, u) > 1;
  hold_out_counts(options, left, split);
  uint64_t validation = split->wanted_validation, test = split->wanted_test;
  geodisk_random random = geodisk_random_stream(options->seed, STREAM_PARENTS);
  for (size_t u = 0; u < basic->nodes; u++) {
    if (parents_of(basic, u) < 2)
      continue;
    const uint64_t draw = geodisk_random_below(&random, left--), lost = geodisk_random_below(&random, parents_of(basic, u));
    if (draw >= validation + test)
      continue;
    label[basic->out.offsets[u] + lost] = draw < validation ? PART_VALIDATION : PART_TEST;
    if (draw < validation)
      validation--;
    else
      test--;
  }
}

geodisk_status hold_out_parents(geodisk_context *context, const geodisk_graph *graph, const geodisk_graph *basic,
                                const geodisk_split_options *options, uint8_t *label, geodisk_split *split) {
  uint8_t *basic_label = geodisk_allocate_zero((size_t)basic->edges, 1);
  walk w = {0};
  if (basic_label == NULL || !walk_create(graph->nodes, &w)) {
    free(basic_label);
    walk_free(&w);
    return geodisk_no_memory(context, "for a split of %zu nodes", graph->nodes);
  }
  draw_parents(basic, options, basic_label, split);
  for (uint32_t u = 0; u < graph->nodes; u++) { /* what does not follow from the basic edges that are left is in no graph */
    w.number = u + 1;
    walk_up(&w, basic, basic_label, PART_TRAIN, u);
    uint64_t b = basic->out.offsets[u];
    for (uint64_t e = graph->out.offsets[u]; e < graph->out.offsets[u + 1]; e++) {
      const uint32_t v = graph->out.nodes[e];
      if (b < basic->out.offsets[u + 1] && basic->out.nodes[b] == v)
        label[e] = basic_label[b++];
      else if (w.mark[v] != w.number)
        label[e] = PART_NONE;
    }
  }
  free(basic_label);
  walk_free(&w);
  return split->candidates > 0 ? GEODISK_OK
                               : geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                                              "split: no node has several parents, so every edge that is missing cuts one off");
}

/* ---- whole nodes --------------------------------------------------------------------------------------------------------- */

/* Nodes that are taken out have the part that they are in; the others are PART_TRAIN. */
typedef struct taking {
  geodisk_context *context;
  const geodisk_graph *graph, *basic;
  const geodisk_split_options *options;
  uint8_t *label; /* of edges */
  uint8_t *part;  /* of nodes */
  uint32_t *order;
  walk w;
} taking;

/* Parents and children of a node that is taken out stay, so that it can be told where it was. */
static bool can_be_taken(const taking *t, uint32_t u) {
  const csr *rows[2] = {&t->basic->out, &t->basic->in};
  if (parents_of(t->basic, u) == 0 || t->part[u] != PART_TRAIN)
    return false;
  for (int side = 0; side < 2; side++)
    for (uint64_t e = rows[side]->offsets[u]; e < rows[side]->offsets[u + 1]; e++)
      if (t->part[rows[side]->nodes[e]] != PART_TRAIN)
        return false;
  return true;
}

/* Nodes in random order until there are as many as wanted, spread over validation and test. */
static geodisk_status draw_nodes(taking *t, geodisk_random *random, bool leaves, size_t wanted) {
  size_t n = 0, taken = 0;
  for (uint32_t u = 0; u < t->graph->nodes; u++)
    if ((children_of(t->basic, u) == 0) == leaves && parents_of(t->basic, u) > 0)
      t->order[n++] = u;
  const double all = t->options->validation + t->options->test, share = all > 0 ? t->options->validation / all : 0;
  for (size_t left = n; left > 0 && taken < wanted; left--) {
    const uint64_t draw = geodisk_random_below(random, left);
    const uint32_t u = t->order[draw];
    t->order[draw] = t->order[left - 1];
    if (!can_be_taken(t, u))
      continue;
    const bool validation = (uint64_t)((double)(taken + 1) * share) > (uint64_t)((double)taken * share);
    t->part[u] = validation ? PART_VALIDATION : PART_TEST;
    taken++;
  }
  return taken == wanted
             ? GEODISK_OK
             : geodisk_fail(t->context, GEODISK_ERROR_ARGUMENT,
                            "split: %zu %s are to be taken out, but no more than %zu can be: parents and children of those stay",
                            wanted, leaves ? "leaves" : "inner nodes", taken);
}

/* Labels so many of the edges from u that lead to nodes which stay, at random: of the graph's, or of its basic ones. */
static void give_ancestors(taking *t, geodisk_random *random, uint32_t u, size_t wanted, bool direct) {
  const geodisk_graph *from = direct ? t->basic : t->graph;
  uint64_t left = 0;
  for (uint64_t e = from->out.offsets[u]; e < from->out.offsets[u + 1]; e++)
    left += t->part[from->out.nodes[e]] == PART_TRAIN;
  for (uint64_t e = from->out.offsets[u]; e < from->out.offsets[u + 1]; e++) {
    if (t->part[from->out.nodes[e]] != PART_TRAIN)
      continue;
    if (geodisk_random_below(random, left--) < wanted) {
      wanted--;
      t->label[find_edge(t->graph, u, from->out.nodes[e])] = PART_GIVEN;
    }
  }
}

static void give_children(taking *t, geodisk_random *random, uint32_t u) {
  uint64_t left = children_of(t->basic, u), wanted = CHILDREN_GIVEN;
  for (uint64_t e = t->basic->in.offsets[u]; e < t->basic->in.offsets[u + 1]; e++)
    if (geodisk_random_below(random, left--) < wanted) {
      wanted--;
      t->label[find_edge(t->graph, t->basic->in.nodes[e], u)] = PART_GIVEN;
    }
}

static void give(taking *t, uint32_t u) {
  geodisk_random random = geodisk_random_stream(t->options->seed, ((uint64_t)STREAM_GIVEN << 48) ^ u);
  switch (t->options->given) {
  case GEODISK_GIVEN_ANCESTOR:
    give_ancestors(t, &random, u, 1, false);
    break;
  case GEODISK_GIVEN_TWO_ANCESTORS:
    give_ancestors(t, &random, u, 2, false);
    break;
  case GEODISK_GIVEN_PARENT:
    give_ancestors(t, &random, u, 1, true);
    break;
  case GEODISK_GIVEN_CHILDREN:
    give_children(t, &random, u);
    break;
  }
}

/* Edges of the nodes taken out are in no graph, but for those that are given; then those from each of them that do not follow
 * from what is given. */
static void label_edges(taking *t) {
  const csr *out = &t->graph->out;
  for (uint32_t u = 0; u < t->graph->nodes; u++)
    for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1]; e++)
      if (t->part[u] != PART_TRAIN || t->part[out->nodes[e]] != PART_TRAIN)
        t->label[e] = PART_NONE;
  for (uint32_t u = 0; u < t->graph->nodes; u++) {
    if (t->part[u] == PART_TRAIN)
      continue;
    give(t, u);
    t->w.number++;
    for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1]; e++)
      if (t->label[e] == PART_GIVEN)
        walk_up(&t->w, t->graph, t->label, PART_TRAIN, out->nodes[e]);
    for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1]; e++)
      if (t->part[out->nodes[e]] == PART_TRAIN && t->w.mark[out->nodes[e]] != t->w.number)
        t->label[e] = t->part[u];
  }
}

geodisk_status hold_out_nodes(geodisk_context *context, const geodisk_graph *graph, const geodisk_graph *basic,
                              const geodisk_split_options *options, uint8_t *label, geodisk_split *split) {
  taking t = {.context = context, .graph = graph, .basic = basic, .options = options};
  t.label = label;
  geodisk_random random = geodisk_random_stream(options->seed, STREAM_NODES);
  t.part = geodisk_allocate_zero(graph->nodes, sizeof *t.part);
  t.order = geodisk_allocate(graph->nodes, sizeof *t.order);
  geodisk_status status = t.part != NULL && t.order != NULL && walk_create(graph->nodes, &t.w)
                              ? GEODISK_OK
                              : geodisk_no_memory(context, "for a split of %zu nodes", graph->nodes);
  if (status == GEODISK_OK && options->given == GEODISK_GIVEN_CHILDREN && options->leaves > 0)
    status = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "split: leaves have no children that could be given");
  if (status == GEODISK_OK)
    status = draw_nodes(&t, &random, true, options->leaves);
  if (status == GEODISK_OK)
    status = draw_nodes(&t, &random, false, options->inner);
  if (status == GEODISK_OK) {
    label_edges(&t);
    for (uint32_t u = 0; u < graph->nodes; u++)
      split->candidates += parents_of(basic, u) > 0;
  }
  geodisk_free_all(t.part, t.order);
  walk_free(&t.w);
  return status;
}

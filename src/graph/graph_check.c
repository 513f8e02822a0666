/* graph_check.c - looks a graph over and says, topic by topic, what is so and what to do about it. */
#include "order.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOPICS = 8, TEXT = 640, EXAMPLES = 3 };

/* Twice the mean delta against the mean distance: 0 for a tree, 0.23 for a grid of 20 x 20. Up to the first of these a graph
 * counts as like a tree, beyond the second as far from one: our own reading of the scale. */
static const double tree_like = 0.08, far_from_tree = 0.16;

struct geodisk_check {
  geodisk_check_figures figures;
  geodisk_finding findings[TOPICS];
  size_t count;
  char texts[TOPICS][2][TEXT];
};

/* ---- findings --------------------------------------------------------------------------------------------------------- */

static void GEODISK_PRINTF(4, 5)
    add(geodisk_check *check, const char *topic, geodisk_finding_level level, const char *finding, ...) {
  const size_t i = check->count++;
  va_list arguments;
  va_start(arguments, finding);
  vsnprintf(check->texts[i][0], TEXT, finding, arguments);
  va_end(arguments);
  check->findings[i] = (geodisk_finding){topic, level, check->texts[i][0], check->texts[i][1]};
}

/* The advice to the finding added last. */
static void advise(geodisk_check *check, const char *advice) { snprintf(check->texts[check->count - 1][1], TEXT, "%s", advice); }

/* ---- direction -------------------------------------------------------------------------------------------------------- */

/* In a hierarchy there are few roots and many leaves, and the largest family has more children than any child has parents. */
geodisk_direction_guess guess_direction(const geodisk_graph_facts *f) {
  if (f->symmetric)
    return GEODISK_DIRECTION_NONE;
  if (f->leaves >= 2 * f->roots && f->leaves > 0)
    return GEODISK_DIRECTION_CHILD_FIRST;
  if (f->roots >= 2 * f->leaves && f->roots > 0)
    return GEODISK_DIRECTION_PARENT_FIRST;
  if (f->max_children >= 2 * f->max_parents && f->max_parents > 0)
    return GEODISK_DIRECTION_CHILD_FIRST;
  if (f->max_parents >= 2 * f->max_children && f->max_children > 0)
    return GEODISK_DIRECTION_PARENT_FIRST;
  return GEODISK_DIRECTION_UNDECIDED;
}

static void find_direction(geodisk_check *check) {
  const geodisk_graph_facts *f = &check->figures.facts;
  check->figures.direction = guess_direction(f);
  switch (check->figures.direction) {
  case GEODISK_DIRECTION_CHILD_FIRST:
    add(check, "direction", GEODISK_FINDING_FINE,
        "The first column looks like the child, the second like the parent (roots: %zu, leaves: %zu).", f->roots, f->leaves);
    advise(check, "Nothing to do: this is the direction geodisk expects.");
    break;
  case GEODISK_DIRECTION_PARENT_FIRST:
    add(check, "direction", GEODISK_FINDING_PROBLEM,
        "The first column looks like the parent, not the child (nodes without a parent: %zu, without a child: %zu).", f->roots,
        f->leaves);
    advise(check, "If so, read the file with `reverse`: an edge goes from child to parent.");
    break;
  case GEODISK_DIRECTION_NONE:
    add(check, "direction", GEODISK_FINDING_NOTE, "Every edge is there in both directions: the graph is undirected.");
    advise(check, "Nothing to do for a network; a hierarchy needs each edge once, from child to parent.");
    break;
  case GEODISK_DIRECTION_UNDECIDED:
    add(check, "direction", GEODISK_FINDING_NOTE, "The direction cannot be told from the shape (roots: %zu, leaves: %zu).",
        f->roots, f->leaves);
    advise(check, "Look at one edge: the first column must be the child; else read the file with `reverse`.");
    break;
  }
}

/* ---- cycles and components -------------------------------------------------------------------------------------------- */

static geodisk_status find_cycles(geodisk_context *context, const geodisk_graph *graph, geodisk_check *check) {
  const geodisk_graph_facts *f = &check->figures.facts;
  char cycle[SHOWN_CYCLE];
  if (f->depth >= 0) {
    add(check, "cycles", GEODISK_FINDING_FINE, "There are no cycles; edges on the longest path: %" PRId64 ".", f->depth);
    advise(check, "Nothing to do: closure and reduction work on it.");
    return GEODISK_OK;
  }
  if (f->symmetric) {
    add(check, "cycles", GEODISK_FINDING_FINE, "Cycles are of no concern in an undirected graph.");
    advise(check, "Nothing to do; do not take the closure, which would join every node with every other of its component.");
    return GEODISK_OK;
  }
  const geodisk_status status = show_cycle(context, graph, cycle);
  if (status != GEODISK_OK)
    return status;
  add(check, "cycles", GEODISK_FINDING_PROBLEM, "There are cycles, for example %s (nodes on cycles: %zu).", cycle,
      f->cyclic_nodes);
  advise(check, "Remove one edge of each cycle if this is meant to be a hierarchy; for a network make it undirected.");
  return GEODISK_OK;
}

static void find_components(geodisk_check *check) {
  const geodisk_graph_facts *f = &check->figures.facts;
  if (f->components <= 1) {
    add(check, "components", GEODISK_FINDING_FINE, "All nodes are connected.");
    advise(check, "Nothing to do.");
    return;
  }
  add(check, "components", GEODISK_FINDING_NOTE,
      "There are %zu components; the largest has %.4g %% of the nodes; nodes without an edge: %zu.", f->components,
      100 * (double)f->largest_component / (double)f->nodes, f->isolated);
  advise(check, "Distances between components mean nothing: join the roots under a common one, or embed the largest part alone.");
}

static void find_dropped(geodisk_check *check) {
  const geodisk_check_figures *f = &check->figures;
  if (f->self_loops == 0)
    add(check, "self_loops", GEODISK_FINDING_FINE, "There are no self-loops.");
  else
    add(check, "self_loops", GEODISK_FINDING_NOTE, "There are self-loops; left out: %" PRIu64 ".", f->self_loops);
  advise(check, f->self_loops == 0 ? "Nothing to do." : "Nothing to do, unless they point to an error in how the file was made.");
  if (f->duplicates == 0)
    add(check, "duplicates", GEODISK_FINDING_FINE, "There are no duplicate edges.");
  else
    add(check, "duplicates", GEODISK_FINDING_NOTE, "There are duplicate edges; left out: %" PRIu64 ".", f->duplicates);
  advise(check, f->duplicates == 0 ? "Nothing to do."
                                   : "Give a weight in the third column if an edge given twice is to count for more.");
}

/* ---- names ------------------------------------------------------------------------------------------------------------ */

/* A name without what is easily mistaken: letters A-Z in lower case, runs of blanks, '_' and '-' as one blank, none at the ends;
 * also the no-break space, and the zero-width space and mark left out. Returns its length; `key` holds at least `length` bytes.
 */
static size_t plain_key(const char *name, size_t length, char *key) {
  size_t used = 0;
  bool gap = false;
  for (size_t i = 0; i < length; i++) {
    const char c = name[i];
    if (length - i >= 3 && (memcmp(name + i, "\xe2\x80\x8b", 3) == 0 || memcmp(name + i, "\xef\xbb\xbf", 3) == 0)) {
      i += 2;
      continue;
    }
    const bool no_break = length - i >= 2 && memcmp(name + i, "\xc2\xa0", 2) == 0;
    if (c == ' ' || c == '\t' || c == '_' || c == '-' || no_break) {
      i += no_break;
      gap = true;
      continue;
    }
    if (gap && used > 0)
      key[used++] = ' ';
    gap = false;
    key[used++] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  }
  return used;
}

static geodisk_status find_near_duplicates(geodisk_context *context, const geodisk_graph *graph, geodisk_check *check) {
  name_table keys = {0};
  geodisk_status status = GEODISK_OK;
  size_t longest = 0, used = 0;
  for (size_t u = 0; u < graph->nodes; u++) {
    const size_t length = geodisk_graph_name_length(graph, (uint32_t)u);
    longest = length > longest ? length : longest;
  }
  char examples[TEXT / 2] = "", *key = geodisk_allocate(longest, 1);
  uint32_t *first = geodisk_allocate(graph->nodes, sizeof *first); /* the node that brought a key */
  if (key == NULL || first == NULL)
    status = GEODISK_ERROR_MEMORY;
  for (size_t u = 0; u < graph->nodes && status == GEODISK_OK; u++) {
    const char *name = geodisk_graph_name(graph, (uint32_t)u);
    uint32_t id;
    bool is_new;
    status = names_intern(&keys, key, plain_key(name, geodisk_graph_name_length(graph, (uint32_t)u), key), &id, &is_new);
    if (status != GEODISK_OK || is_new) {
      if (status == GEODISK_OK)
        first[id] = (uint32_t)u;
      continue;
    }
    if (check->figures.near_duplicates++ < EXAMPLES)
      used += (size_t)snprintf(examples + used, sizeof examples - used, "%s'%.40s' and '%.40s'", used > 0 ? ", " : "",
                               geodisk_graph_name(graph, first[id]), name);
  }
  names_free(&keys);
  geodisk_free_all(key, first);
  if (status != GEODISK_OK)
    return geodisk_no_memory(context, "for a check of %zu nodes", graph->nodes);
  if (check->figures.near_duplicates == 0) {
    add(check, "names", GEODISK_FINDING_FINE, "No two names differ only in case, blanks, underscores or hyphens.");
    advise(check, "Nothing to do.");
  } else {
    add(check, "names", GEODISK_FINDING_NOTE,
        "Some names differ from another only in case, blanks, underscores or hyphens: %s%s (in all: %" PRIu64 ").", examples,
        check->figures.near_duplicates > EXAMPLES ? ", ..." : "", check->figures.near_duplicates);
    advise(check, "If they mean the same, give them one name: now they are different nodes.");
  }
  return GEODISK_OK;
}

/* ---- closure ---------------------------------------------------------------------------------------------------------- */

static geodisk_status find_closure(geodisk_context *context, const geodisk_graph *graph, geodisk_check *check) {
  geodisk_check_figures *f = &check->figures;
  const geodisk_status status = closed_chains(context, graph, &f->closed_share, &f->closed_sampled);
  if (status != GEODISK_OK)
    return status;
  const char *sampled = f->closed_sampled ? " (sampled)" : "";
  if (f->facts.symmetric) {
    add(check, "closure", GEODISK_FINDING_FINE, "An undirected graph has no closure to take.");
    advise(check, "Nothing to do: train on it as it is.");
  } else if (isnan(f->closed_share)) {
    add(check, "closure", GEODISK_FINDING_FINE, "There are no chains of two edges, so the graph is its own closure.");
    advise(check, "Nothing to do.");
  } else if (f->closed_share == 1) {
    add(check, "closure", GEODISK_FINDING_FINE, "The graph is transitively closed%s: every ancestor is given by an edge.",
        sampled);
    advise(
        check,
        "Nothing to do: this is what embeddings of hierarchies are trained on; the transitive reduction has the direct links.");
  } else {
    add(check, "closure", GEODISK_FINDING_NOTE,
        "The graph is not closed: of its chains of two edges %.4g %% have the direct edge as well%s.", 100 * f->closed_share,
        sampled);
    advise(check, f->facts.depth >= 0
                      ? "For a hierarchy take the transitive closure, so that ancestors count as well as parents."
                      : "Remove the cycles first if this is a hierarchy, then take the closure; a network stays as it is.");
  }
  return GEODISK_OK;
}

/* ---- hyperbolicity ---------------------------------------------------------------------------------------------------- */

static void find_hyperbolicity(geodisk_check *check) {
  const geodisk_hyperbolicity *d = &check->figures.delta;
  const char *where = check->figures.delta_on_reduction ? " of its reduction" : "";
  const double scale = d->mean_distance > 0 ? 2 * d->mean / d->mean_distance : 0;
  char value[80], mean[120];
  if (d->exact)
    snprintf(value, sizeof value, "is %g", d->lower);
  else
    snprintf(value, sizeof value, "lies between %g and %g", d->lower, d->upper);
  if (d->mean_low == d->mean_high)
    snprintf(mean, sizeof mean, "%.3g", d->mean);
  else
    snprintf(mean, sizeof mean, "%.3g (95 %%: %.3g to %.3g)", d->mean, d->mean_low, d->mean_high);
  add(check, "hyperbolicity", scale <= tree_like ? GEODISK_FINDING_FINE : GEODISK_FINDING_NOTE,
      "Gromov's delta%s %s; its mean over fours of nodes is %s at a mean distance of %.3g.", where, value, mean,
      d->mean_distance);
  advise(check, scale <= tree_like ? "It is like a tree: hyperbolic space fits it well, in few dimensions."
                : scale <= far_from_tree
                    ? "It is a tree only in part: use more dimensions, and compare with `space` euclidean."
                    : "It is far from a tree: expect little from hyperbolic space, and compare with `space` euclidean.");
}

static geodisk_status measure_hyperbolicity(geodisk_context *context, const geodisk_graph *graph,
                                            const geodisk_check_options *options, geodisk_check *check) {
  geodisk_check_figures *f = &check->figures;
  geodisk_graph *reduced = NULL;
  geodisk_status status = GEODISK_OK;
  if ((options != NULL && options->no_hyperbolicity) || graph->edges == 0)
    return GEODISK_OK;
  f->delta_on_reduction = f->closed_share == 1 && f->facts.depth >= 0;
  if (f->delta_on_reduction)
    status = geodisk_graph_reduce(context, graph, &reduced);
  if (status == GEODISK_OK)
    status = geodisk_graph_hyperbolicity(context, reduced != NULL ? reduced : graph,
                                         options != NULL ? &options->hyperbolicity : NULL, &f->delta);
  geodisk_graph_destroy(reduced);
  f->delta_known = status == GEODISK_OK;
  if (f->delta_known)
    find_hyperbolicity(check);
  return status;
}

/* ---- public ----------------------------------------------------------------------------------------------------------- */

geodisk_status geodisk_graph_check(geodisk_context *context, const geodisk_graph *graph, const geodisk_graph_read_info *read,
                                   const geodisk_check_options *options, geodisk_check **out) {
  if (graph == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "check: %s is NULL", graph == NULL ? "graph" : "out");
  geodisk_check *check = geodisk_allocate_zero(1, sizeof *check);
  if (check == NULL)
    return geodisk_no_memory(context, "for a check of %zu nodes", graph->nodes);
  if (read != NULL) {
    check->figures.self_loops = read->self_loops;
    check->figures.duplicates = read->duplicates;
  }
  geodisk_status status = geodisk_graph_describe(context, graph, &check->figures.facts);
  if (status != GEODISK_OK)
    goto done;
  find_direction(check);
  if ((status = find_cycles(context, graph, check)) != GEODISK_OK)
    goto done;
  find_components(check);
  find_dropped(check);
  if ((status = find_near_duplicates(context, graph, check)) != GEODISK_OK ||
      (status = find_closure(context, graph, check)) != GEODISK_OK)
    goto done;
  status = measure_hyperbolicity(context, graph, options, check);

done:
  if (status == GEODISK_OK)
    *out = check;
  else
    free(check);
  return status;
}

const geodisk_finding *geodisk_check_findings(const geodisk_check *check, size_t *count) {
  *count = check->count;
  return check->findings;
}

const geodisk_check_figures *geodisk_check_get_figures(const geodisk_check *check) { return &check->figures; }

void geodisk_check_destroy(geodisk_check *check) { free(check); }

/* communities.c - parts of a network with many edges inside and few between, by Louvain's method: nodes move to the community of
 * a neighbour as long as the modularity grows, then communities become the nodes of a smaller graph, and so on.
 *
 * Q = sum over c of  inside(c) / W - (strength(c) / W)^2,  W the strength of all nodes (every edge counts at both its ends), so
 * that a node of strength k with weight w to c gains  2 / W (w - k strength(c) / W)  by joining it. */
#include "base/sorting.h"
#include "order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PASSES = 100 };       /* over the nodes of a level; some ten are usual */
static const double least = 1e-9; /* gains below this share of the node's strength are rounding */

/* One graph of the hierarchy of graphs: every edge at both its ends, loops apart. */
typedef struct level {
  size_t nodes;
  uint64_t *offsets; /* nodes + 1 */
  uint32_t *to;
  double *weight;
  double *strength; /* nodes: of all its edges, loops twice */
  double total;     /* strength of all */
} level;

static void level_free(level *l) {
  geodisk_free_all(l->offsets, l->to, l->weight, l->strength);
  *l = (level){0};
}

static bool level_allocate(level *l, size_t nodes, uint64_t edges) {
  *l = (level){.nodes = nodes};
  l->offsets = geodisk_allocate_zero(nodes + 1, sizeof *l->offsets);
  l->to = geodisk_allocate((size_t)edges, sizeof *l->to);
  l->weight = geodisk_allocate((size_t)edges, sizeof *l->weight);
  l->strength = geodisk_allocate_zero(nodes, sizeof *l->strength);
  return l->offsets != NULL && l->to != NULL && l->weight != NULL && l->strength != NULL;
}

/* The graph itself, edges in both directions as one of their common weight. Without any weight above 0 all count the same. */
static bool first_level(const geodisk_graph *graph, level *l) {
  double sum = 0;
  for (uint64_t e = 0; graph->out.weights != NULL && e < graph->edges; e++)
    sum += graph->out.weights[e];
  const bool weighted = graph->out.weights != NULL && graph->in.weights != NULL && sum > 0 && isfinite(sum);
  if (!level_allocate(l, graph->nodes, 2 * graph->edges))
    return false;
  uint64_t at = 0;
  for (size_t u = 0; u < graph->nodes; u++) {
    uint64_t o = graph->out.offsets[u], i = graph->in.offsets[u];
    const uint64_t o_end = graph->out.offsets[u + 1], i_end = graph->in.offsets[u + 1];
    while (o < o_end || i < i_end) { /* both rows are sorted */
      const uint32_t a = o < o_end ? graph->out.nodes[o] : NO_NODE, b = i < i_end ? graph->in.nodes[i] : NO_NODE;
      double weight = 0;
      l->to[at] = a < b ? a : b;
      if (a <= b)
        weight += weighted ? graph->out.weights[o++] : (o++, 1.0);
      if (b <= a)
        weight += weighted ? graph->in.weights[i++] : (i++, 1.0);
      l->weight[at] = weight;
      l->strength[u] += weight;
      at += weight > 0; /* an edge without weight joins nothing */
    }
    l->offsets[u + 1] = at;
    l->total += l->strength[u];
  }
  return true;
}

/* What moving needs besides the level. */
typedef struct mover {
  uint32_t *community; /* nodes of the level */
  double *strength;    /* communities: of their nodes */
  double *linked;      /* communities: weight to the node in hand; 0 between nodes */
  uint32_t *seen;      /* communities with such a weight */
} mover;

/* The community in which node u is best off; its own if none is better. */
static uint32_t best_for(const level *l, mover *m, uint32_t u) {
  const uint32_t own = m->community[u];
  const double k = l->strength[u];
  size_t n = 0;
  for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++) {
    const uint32_t c = m->community[l->to[e]];
    if (l->to[e] == u)
      continue;
    if (m->linked[c] == 0)
      m->seen[n++] = c;
    m->linked[c] += l->weight[e];
  }
  uint32_t best = own;
  double most = m->linked[own] - k * (m->strength[own] - k) / l->total;
  const double enough = most + least * k;
  for (size_t i = 0; i < n; i++) {
    const uint32_t c = m->seen[i];
    const double gain = m->linked[c] - k * m->strength[c] / l->total;
    if (c != own && gain > enough && (gain > most || (gain == most && c < best))) {
      most = gain;
      best = c;
    }
  }
  for (size_t i = 0; i < n; i++)
    m->linked[m->seen[i]] = 0;
  return best;
}

/* Moves nodes until none wants to; *moved: some did. */
static geodisk_status move_nodes(geodisk_context *context, const level *l, mover *m, bool *moved) {
  *moved = false;
  for (uint32_t u = 0; u < l->nodes; u++) {
    m->community[u] = u;
    m->strength[u] = l->strength[u];
    m->linked[u] = 0;
  }
  bool again = l->total > 0;
  for (int pass = 0; again && pass < MOST_PASSES; pass++) {
    const geodisk_progress progress = {"finding communities", "passes", (uint64_t)pass, 0, NULL};
    if (!geodisk_progress_event(context, &progress))
      return geodisk_fail(context, GEODISK_ERROR_STOPPED, "stopped");
    again = false;
    for (uint32_t u = 0; u < l->nodes; u++) {
      const uint32_t from = m->community[u], to = best_for(l, m, u);
      if (to == from)
        continue;
      m->strength[from] -= l->strength[u];
      m->strength[to] += l->strength[u];
      m->community[u] = to;
      again = *moved = true;
    }
  }
  return GEODISK_OK;
}

/* The graph whose nodes are the communities of `l`: loops stand for what is inside. */
static bool next_level(const level *l, const uint32_t *community, size_t count, level *out) {
  uint32_t *first = geodisk_allocate(count + 1, sizeof *first), *next = geodisk_allocate(l->nodes, sizeof *next);
  uint32_t *seen = geodisk_allocate(count, sizeof *seen);
  double *linked = geodisk_allocate_zero(count, sizeof *linked);
  const bool made =
      first != NULL && next != NULL && seen != NULL && linked != NULL && level_allocate(out, count, l->offsets[l->nodes]);
  for (size_t c = 0; made && c < count; c++)
    first[c] = NO_NODE;
  for (size_t u = l->nodes; made && u-- > 0;) { /* lists in ascending order */
    next[u] = first[community[u]];
    first[community[u]] = (uint32_t)u;
  }
  uint64_t at = 0;
  for (size_t c = 0; made && c < count; c++) {
    size_t n = 0;
    for (uint32_t u = first[c]; u != NO_NODE; u = next[u]) {
      out->strength[c] += l->strength[u];
      for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1]; e++) {
        const uint32_t d = community[l->to[e]];
        if (linked[d] == 0)
          seen[n++] = d;
        linked[d] += l->weight[e];
      }
    }
    for (size_t i = 0; i < n; i++) {
      out->to[at] = seen[i];
      out->weight[at++] = linked[seen[i]];
      linked[seen[i]] = 0;
    }
    out->offsets[c + 1] = at;
    out->total += out->strength[c];
  }
  geodisk_free_all(first, next, seen, linked);
  return made;
}

/* ---- fewer of them ---------------------------------------------------------------------------------------------------- */

static uint32_t top_of(uint32_t *joined, uint32_t c) {
  while (joined[c] != c) {
    joined[c] = joined[joined[c]];
    c = joined[c];
  }
  return c;
}

/* Of the communities with an edge to another the smallest; the last of equals. NO_NODE: there are no more than `most`. */
static uint32_t smallest_linked(const level *l, size_t most, uint32_t *joined, const uint32_t *size, bool *linked) {
  uint32_t best = NO_NODE;
  size_t count = 0;
  memset(linked, 0, l->nodes * sizeof *linked);
  for (uint32_t c = 0; c < l->nodes; c++)
    for (uint64_t e = l->offsets[c]; e < l->offsets[c + 1]; e++)
      if (top_of(joined, c) != top_of(joined, l->to[e]))
        linked[top_of(joined, c)] = true;
  for (uint32_t c = 0; c < l->nodes; c++) {
    if (joined[c] != c || !linked[c])
      continue;
    count++;
    if (best == NO_NODE || size[c] <= size[best])
      best = c;
  }
  return count > most ? best : NO_NODE;
}

/* The community that `c` is best joined with. */
static uint32_t partner_of(const level *l, uint32_t *joined, const double *strength, double *weight, uint32_t c) {
  uint32_t best = NO_NODE;
  double most = 0;
  for (size_t d = 0; d < l->nodes; d++)
    weight[d] = 0;
  for (uint32_t part = 0; part < l->nodes; part++)
    for (uint64_t e = l->offsets[part]; top_of(joined, part) == c && e < l->offsets[part + 1]; e++)
      weight[top_of(joined, l->to[e])] += l->weight[e];
  for (uint32_t d = 0; d < l->nodes; d++) {
    const double gain = weight[d] - strength[c] * strength[d] / l->total;
    if (d != c && weight[d] > 0 && (best == NO_NODE || gain > most)) {
      best = d;
      most = gain;
    }
  }
  return best;
}

/* Joins communities, the smallest first, until no more than `most` of them are linked to another. `l` has them as nodes; `size`
 * is the number of nodes in each; joined[c] becomes the one that c belongs to. */
static bool join_smallest(const level *l, size_t most, uint32_t *size, uint32_t *joined) {
  double *strength = geodisk_allocate(l->nodes, sizeof *strength), *weight = geodisk_allocate(l->nodes, sizeof *weight);
  bool *linked = geodisk_allocate(l->nodes, sizeof *linked);
  const bool made = strength != NULL && weight != NULL && linked != NULL;
  for (uint32_t c = 0; c < l->nodes; c++)
    joined[c] = c;
  if (made && l->nodes > 0)
    memcpy(strength, l->strength, l->nodes * sizeof *strength);
  for (uint32_t c; made && (c = smallest_linked(l, most, joined, size, linked)) != NO_NODE;) {
    const uint32_t d = partner_of(l, joined, strength, weight, c);
    joined[c] = d;
    size[d] += size[c];
    strength[d] += strength[c];
  }
  for (uint32_t c = 0; made && c < l->nodes; c++)
    joined[c] = top_of(joined, c);
  geodisk_free_all(strength, weight, linked);
  return made;
}

/* ---- the answer ------------------------------------------------------------------------------------------------------- */

/* Numbers communities by size, of equal ones that with the first node; `work` has room for all nodes. Returns how many, -1
 * without memory. */
static int64_t order_by_size(size_t nodes, uint32_t *community, uint32_t *work) {
  const size_t count = renumber_groups(nodes, community, work);
  sized_number *list = geodisk_allocate_zero(count, sizeof *list);
  if (list == NULL)
    return -1;
  for (size_t u = nodes; u-- > 0;) {
    list[community[u]].size++;
    list[community[u]].number = (uint32_t)u;
  }
  if (count > 0)
    qsort(list, count, sizeof *list, larger_first);
  for (uint32_t c = 0; c < count; c++)
    work[community[list[c].number]] = c;
  for (size_t u = 0; u < nodes; u++)
    community[u] = work[community[u]];
  free(list);
  return (int64_t)count;
}

/* Of the communities as nodes of a level. */
static double modularity_of(const level *l) {
  double sum = 0;
  for (uint32_t c = 0; c < l->nodes; c++) {
    const double share = l->strength[c] / l->total;
    for (uint64_t e = l->offsets[c]; e < l->offsets[c + 1]; e++)
      sum += l->to[e] == c ? l->weight[e] / l->total : 0;
    sum -= share * share;
  }
  return l->total > 0 ? sum : (double)NAN;
}

/* Community by community until nothing moves. `community` is that of every node of the graph, numbered below l->nodes. */
static geodisk_status climb(geodisk_context *context, const geodisk_graph *graph, level *l, mover *m, uint32_t *community) {
  for (bool moved = true; moved;) {
    const geodisk_status st = move_nodes(context, l, m, &moved);
    if (st != GEODISK_OK)
      return st;
    if (!moved)
      break;
    const size_t count = renumber_groups(l->nodes, m->community, m->seen);
    level next = {0};
    if (!next_level(l, m->community, count, &next)) {
      level_free(&next);
      return geodisk_no_memory(context, "for the communities of %zu nodes", graph->nodes);
    }
    for (size_t u = 0; u < graph->nodes; u++)
      community[u] = m->community[community[u]];
    level_free(l);
    *l = next;
  }
  return GEODISK_OK;
}

/* At most so many, and the level that has them as nodes. */
static bool limit(const geodisk_graph *graph, size_t most, level *l, mover *m, uint32_t *community) {
  uint32_t *size = m->seen, *joined = m->community;
  level fewer = {0};
  memset(size, 0, l->nodes * sizeof *size);
  for (size_t u = 0; u < graph->nodes; u++)
    size[community[u]]++;
  if (!join_smallest(l, most, size, joined))
    return false;
  const size_t count = renumber_groups(l->nodes, joined, m->seen);
  if (!next_level(l, joined, count, &fewer)) {
    level_free(&fewer);
    return false;
  }
  for (size_t u = 0; u < graph->nodes; u++)
    community[u] = joined[community[u]];
  level_free(l);
  *l = fewer;
  return true;
}

geodisk_status geodisk_graph_communities(geodisk_context *context, const geodisk_graph *graph, size_t most, uint32_t *community,
                                         geodisk_community_info *info) {
  if (graph == NULL || community == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "communities: %s is NULL", graph == NULL ? "graph" : "community");
  const size_t n = graph->nodes;
  level l = {0};
  mover m = {geodisk_allocate(n, sizeof *m.community), geodisk_allocate(n, sizeof *m.strength),
             geodisk_allocate(n, sizeof *m.linked), geodisk_allocate(n, sizeof *m.seen)};
  uint32_t *found = geodisk_allocate(n, sizeof *found);
  geodisk_status st = GEODISK_OK;
  int64_t count = -1;
  if (found == NULL || m.community == NULL || m.strength == NULL || m.linked == NULL || m.seen == NULL ||
      !first_level(graph, &l)) {
    st = geodisk_no_memory(context, "for the communities of %zu nodes", graph->nodes);
    goto done;
  }
  for (uint32_t u = 0; u < n; u++)
    found[u] = u;
  if ((st = climb(context, graph, &l, &m, found)) != GEODISK_OK)
    goto done;
  if ((most > 0 && n > 0 && !limit(graph, most, &l, &m, found)) || (count = order_by_size(n, found, m.seen)) < 0) {
    st = geodisk_no_memory(context, "for the communities of %zu nodes", graph->nodes);
    goto done;
  }
  if (n > 0)
    memcpy(community, found, n * sizeof *community);
  if (info != NULL)
    *info = (geodisk_community_info){(size_t)count, modularity_of(&l)};

done:
  level_free(&l);
  geodisk_free_all(m.community, m.strength, m.linked, m.seen, found);
  return st;
}

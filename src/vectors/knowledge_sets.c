/* knowledge_sets.c - ancestors, parents, descendants, children, siblings and the lowest common ancestor by the half-space score.
 *
 * The nodes above c are ordered by how many of them are above each: the deepest has all others above it. Parents are those that
 * no other is below; children of p the nodes below p that are below no other of them. */
#include "base/sorting.h"
#include "knowledge.h"

#include <stdlib.h>

enum { TASK_NODES = 256 };

/* Nodes with what they are sorted by. */
typedef struct ranked {
  uint32_t node;
  size_t above; /* how many of the set are above it */
  double radius;
} ranked;

static int compare_ranked(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  return compare_first(COMPARE(x->above, y->above), compare_first(COMPARE(x->radius, y->radius), COMPARE(x->node, y->node)));
}

static void sort_ranked(ranked *ranks, uint32_t *set, size_t n) {
  qsort(ranks, n, sizeof *ranks, compare_ranked);
  for (size_t i = 0; i < n; i++)
    set[i] = ranks[i].node;
}

static geodisk_status check(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, const uint32_t *out,
                            const size_t *found) {
  if (h == NULL || out == NULL || found == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: an argument is NULL");
  if (node >= h->nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%u is not a node of the model", node);
  return GEODISK_OK;
}

/* ---- all nodes against one ------------------------------------------------------------------------------------------------ */

typedef struct scan_job {
  const geodisk_hierarchy *h;
  uint32_t node;
  bool above; /* which nodes are above it; else below */
  uint8_t *member;
} scan_job;

static void scan_task(void *arg, size_t index) {
  const scan_job *job = arg;
  const size_t end = job->h->nodes - index * TASK_NODES < TASK_NODES ? job->h->nodes : (index + 1) * TASK_NODES;
  double distance[TASK_NODES];
  if (job->above)
    hierarchy_distances(job->h, job->node, index * TASK_NODES, end, distance);
  for (size_t i = index * TASK_NODES; i < end; i++)
    job->member[i] = job->above ? hierarchy_is_below_at(job->h, job->node, (uint32_t)i, distance[i % TASK_NODES])
                                : hierarchy_is_below(job->h, (uint32_t)i, job->node);
}

static geodisk_status members(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, bool above, uint32_t *out,
                              size_t *found) {
  scan_job job = {h, node, above, geodisk_allocate(h->nodes, 1)};
  if (job.member == NULL)
    return geodisk_no_memory(context, "for a set of nodes");
  geodisk_parallel(context, (h->nodes + TASK_NODES - 1) / TASK_NODES, scan_task, &job);
  *found = 0;
  for (size_t i = 0; i < h->nodes; i++)
    if (job.member[i])
      out[(*found)++] = (uint32_t)i;
  free(job.member);
  return GEODISK_OK;
}

/* Each of a set against all of it, which takes long where most nodes are above each other (thresholds that no training makes). */
typedef struct set_job {
  const geodisk_hierarchy *h;
  const uint32_t *set;
  size_t n, first; /* first: of the part that is under way */
  ranked *ranks;   /* n, or NULL */
  uint8_t *direct; /* n, or NULL */
} set_job;

/* In parts, between which somebody may want to stop. */
static geodisk_status each_of(geodisk_context *context, set_job *job, geodisk_task_fn task) {
  enum { PAIRS = 1 << 24, FEW = 64 };
  const size_t part = PAIRS / (job->n + 1) + 1;
  if (job->n < FEW) { /* not worth the threads */
    for (size_t i = 0; i < job->n; i++)
      task(job, i);
    return GEODISK_OK;
  }
  for (job->first = 0; job->first < job->n; job->first += part) {
    geodisk_parallel(context, job->n - job->first < part ? job->n - job->first : part, task, job);
    const geodisk_progress progress = {.task = "comparing", .unit = "nodes", .done = job->first + part, .total = job->n};
    if (job->first + part < job->n && !geodisk_progress_event(context, &progress))
      return geodisk_fail(context, GEODISK_ERROR_STOPPED, "hierarchy: stopped");
  }
  return GEODISK_OK;
}

static void rank_task(void *arg, size_t index) {
  const set_job *job = arg;
  const size_t i = job->first + index;
  ranked *r = &job->ranks[i];
  *r = (ranked){job->set[i], 0, job->h->radius[job->set[i]]};
  for (size_t j = 0; j < job->n; j++)
    r->above += hierarchy_is_below(job->h, job->set[i], job->set[j]);
}

geodisk_status hierarchy_sort(geodisk_context *context, const geodisk_hierarchy *h, uint32_t *set, size_t n) {
  set_job job = {.h = h, .set = set, .n = n, .ranks = geodisk_allocate(n, sizeof *job.ranks)};
  if (job.ranks == NULL)
    return geodisk_no_memory(context, "for a set of nodes");
  const geodisk_status st = each_of(context, &job, rank_task);
  if (st == GEODISK_OK)
    sort_ranked(job.ranks, set, n);
  free(job.ranks);
  return st;
}

/* By the distance from the centre, which for the many nodes below one will do. */
static geodisk_status sort_by_radius(geodisk_context *context, const geodisk_hierarchy *h, uint32_t *set, size_t n) {
  ranked *r = geodisk_allocate(n, sizeof *r);
  if (r == NULL)
    return geodisk_no_memory(context, "for a set of nodes");
  for (size_t i = 0; i < n; i++)
    r[i] = (ranked){set[i], 0, h->radius[set[i]]};
  sort_ranked(r, set, n);
  free(r);
  return GEODISK_OK;
}

/* ---- upwards ------------------------------------------------------------------------------------------------------------- */

geodisk_status geodisk_hierarchy_ancestors(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, uint32_t *out,
                                           size_t *found) {
  geodisk_status st = check(context, h, node, out, found);
  if (st == GEODISK_OK && (st = members(context, h, node, true, out, found)) == GEODISK_OK)
    st = hierarchy_sort(context, h, out, *found);
  return st;
}

/* Beside an order, where the model's own points tell: what these have so near to a node that it is above, but for nodes without a
 * reach that the order has below: those that were placed later. */
static size_t near_parents(const geodisk_hierarchy *h, uint32_t node, uint32_t *out) {
  size_t n = 0;
  for (uint32_t v = 0; h->near != NULL && v < h->nodes; v++)
    if (v != node && hierarchy_is_near(h, node, v) && (h->near[v] >= 0.0F || hierarchy_score(h, v, node) > h->threshold[v]))
      out[n++] = v;
  return n;
}

geodisk_status hierarchy_parents_of_few(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, size_t most,
                                        uint32_t *out, size_t *found) {
  const bool counted = most < h->nodes || h->near == NULL;
  size_t n = 0, kept = 0;
  geodisk_status st = counted ? members(context, h, node, true, out, &n) : GEODISK_OK;
  if (st == GEODISK_OK && n > most)
    *found = n;
  if (st != GEODISK_OK || n > most)
    return st;
  const size_t near = near_parents(h, node, out);
  if (near > 0)
    n = near;
  else if (!counted)
    st = members(context, h, node, true, out, &n);
  uint32_t *parents = geodisk_allocate(h->nodes, sizeof *parents);
  if (st == GEODISK_OK)
    st = parents != NULL ? hierarchy_sort(context, h, out, n) : geodisk_no_memory(context, "for a set of nodes");
  /* From the deepest on: one that is above a parent found already is none. */
  for (size_t i = n; i-- > 0 && st == GEODISK_OK;) {
    bool above = false;
    for (size_t j = 0; j < kept && !above; j++)
      above = hierarchy_is_below(h, parents[j], out[i]);
    if (!above)
      parents[kept++] = out[i];
  }
  for (size_t i = 0; i < kept; i++)
    out[i] = parents[i];
  if (st == GEODISK_OK)
    *found = kept;
  free(parents);
  return st;
}

geodisk_status geodisk_hierarchy_parents(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, uint32_t *out,
                                         size_t *found) {
  const geodisk_status st = check(context, h, node, out, found);
  return st == GEODISK_OK ? hierarchy_parents_of_few(context, h, node, SIZE_MAX, out, found) : st;
}

geodisk_status geodisk_hierarchy_common_ancestor(geodisk_context *context, const geodisk_hierarchy *h, uint32_t a, uint32_t b,
                                                 uint32_t *out, bool *found) {
  size_t n = 0, kept = 0, unused = 0;
  geodisk_status st = check(context, h, a, out, &unused);
  if (st == GEODISK_OK)
    st = check(context, h, b, out, &unused);
  if (st != GEODISK_OK || found == NULL)
    return st != GEODISK_OK ? st : geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hierarchy: an argument is NULL");
  uint32_t *set = geodisk_allocate(h->nodes + 1, sizeof *set);
  if (set == NULL)
    return geodisk_no_memory(context, "for a set of nodes");
  st = members(context, h, a, true, set, &n);
  if (st == GEODISK_OK) {
    set[n++] = a;
    for (size_t i = 0; i < n; i++)
      if (set[i] == b || hierarchy_is_below(h, b, set[i]))
        set[kept++] = set[i];
    st = hierarchy_sort(context, h, set, kept);
  }
  if (st == GEODISK_OK) {
    *found = kept > 0;
    if (kept > 0)
      *out = set[kept - 1];
  }
  free(set);
  return st;
}

/* Nodes above, the deepest first, then those that are so nearly: those of the lowest scores. */
static geodisk_status rank_candidates(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, uint32_t *out,
                                      size_t k, size_t *found) {
  weighted_number *c = geodisk_allocate(h->nodes, sizeof *c);
  uint32_t *above = geodisk_allocate(h->nodes, sizeof *above);
  size_t n = 0;
  geodisk_status st = c == NULL || above == NULL ? geodisk_no_memory(context, "for a set of nodes")
                                                 : geodisk_hierarchy_ancestors(context, h, node, above, &n);
  if (st == GEODISK_OK) {
    size_t others = 0, kept = 0;
    for (uint32_t v = 0; v < h->nodes; v++)
      if (v != node && !hierarchy_is_below(h, node, v))
        c[others++] = (weighted_number){-hierarchy_score(h, node, v), v};
    if (n < k)
      qsort(c, others, sizeof *c, heavier_first);
    for (size_t i = n; i-- > 0 && kept < k;)
      out[kept++] = above[i];
    for (size_t i = 0; i < others && kept < k; i++)
      out[kept++] = c[i].number;
    *found = kept;
  }
  geodisk_free_all(c, above);
  return st;
}

geodisk_status geodisk_hierarchy_likely_parents(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, size_t k,
                                                geodisk_parent *out, size_t *found) {
  size_t n = 0;
  if (h == NULL || out == NULL || found == NULL || node >= h->nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "likely parents: an argument is NULL, or no node");
  uint32_t *nodes = geodisk_allocate(k + 1, sizeof *nodes);
  geodisk_status st =
      nodes != NULL ? rank_candidates(context, h, node, nodes, k, &n) : geodisk_no_memory(context, "for a set of nodes");
  for (size_t i = 0; i < n && st == GEODISK_OK; i++)
    st = hierarchy_parent(context, h, node, nodes[i], &out[i]);
  if (st == GEODISK_OK)
    *found = n;
  free(nodes);
  return st;
}

/* ---- downwards ----------------------------------------------------------------------------------------------------------- */

geodisk_status geodisk_hierarchy_descendants(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, uint32_t *out,
                                             size_t *found) {
  geodisk_status st = check(context, h, node, out, found);
  if (st == GEODISK_OK && (st = members(context, h, node, false, out, found)) == GEODISK_OK)
    st = sort_by_radius(context, h, out, *found);
  return st;
}

/* Of the nodes below one, the highest first. */
static void child_task(void *arg, size_t index) {
  const set_job *job = arg;
  const uint32_t c = job->set[job->first + index];
  bool below = false;
  for (size_t i = 0; i < job->n && !below; i++)
    below = hierarchy_is_below(job->h, c, job->set[i]) && !hierarchy_is_below(job->h, job->set[i], c);
  job->direct[job->first + index] = !below;
}

geodisk_status geodisk_hierarchy_children(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, uint32_t *out,
                                          size_t *found) {
  size_t n = 0, kept = 0;
  geodisk_status st = geodisk_hierarchy_descendants(context, h, node, out, &n);
  if (st != GEODISK_OK)
    return st;
  set_job job = {.h = h, .set = out, .n = n, .direct = geodisk_allocate(n + 1, 1)};
  if (job.direct == NULL)
    return geodisk_no_memory(context, "for a set of nodes");
  st = each_of(context, &job, child_task);
  for (size_t i = 0; i < n && st == GEODISK_OK; i++)
    if (job.direct[i])
      out[kept++] = out[i];
  if (st == GEODISK_OK)
    *found = kept;
  free(job.direct);
  return st;
}

geodisk_status geodisk_hierarchy_siblings(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, uint32_t *out,
                                          size_t *found) {
  size_t parents = 0, kept = 0;
  geodisk_status st = check(context, h, node, out, found);
  if (st != GEODISK_OK)
    return st;
  uint32_t *above = geodisk_allocate(h->nodes, sizeof *above), *children = geodisk_allocate(h->nodes, sizeof *children);
  uint8_t *there = geodisk_allocate_zero(h->nodes, 1);
  if (above == NULL || children == NULL || there == NULL)
    st = geodisk_no_memory(context, "for a set of nodes");
  else
    st = geodisk_hierarchy_parents(context, h, node, above, &parents);
  for (size_t i = 0; i < parents && st == GEODISK_OK; i++) {
    size_t n = 0;
    st = geodisk_hierarchy_children(context, h, above[i], children, &n);
    for (size_t j = 0; j < n && st == GEODISK_OK; j++)
      if (children[j] != node && !there[children[j]]) {
        there[children[j]] = 1;
        out[kept++] = children[j];
      }
  }
  if (st == GEODISK_OK)
    *found = kept;
  geodisk_free_all(above, children, there);
  return st;
}

/* ---- analogies ------------------------------------------------------------------------------------------------------------- */

/* How many levels c is below p: 1 + the nodes between them. */
static geodisk_status levels(geodisk_context *context, const geodisk_hierarchy *h, uint32_t c, uint32_t p, uint32_t *scratch,
                             size_t *out) {
  size_t n = 0;
  const geodisk_status st = members(context, h, c, true, scratch, &n);
  *out = 1;
  for (size_t i = 0; i < n && st == GEODISK_OK; i++)
    *out += hierarchy_is_below(h, scratch[i], p);
  return st;
}

geodisk_status geodisk_hierarchy_analogy(geodisk_context *context, const geodisk_hierarchy *h, uint32_t a, uint32_t b, uint32_t c,
                                         uint32_t *out, size_t *found) {
  geodisk_status st = check(context, h, a, out, found);
  if (st == GEODISK_OK)
    st = check(context, h, b, out, found);
  if (st == GEODISK_OK)
    st = check(context, h, c, out, found);
  if (st != GEODISK_OK)
    return st;
  size_t wanted = 0, n = 0, kept = 0;
  *found = 0;
  const bool up = hierarchy_is_below(h, a, b);
  if (!up && !hierarchy_is_below(h, b, a))
    return GEODISK_OK;
  uint32_t *set = geodisk_allocate(h->nodes, sizeof *set), *scratch = geodisk_allocate(h->nodes, sizeof *scratch);
  st = set == NULL || scratch == NULL ? geodisk_no_memory(context, "for a set of nodes")
                                      : levels(context, h, up ? a : b, up ? b : a, scratch, &wanted);
  if (st == GEODISK_OK)
    st = up ? geodisk_hierarchy_ancestors(context, h, c, set, &n) : geodisk_hierarchy_descendants(context, h, c, set, &n);
  for (size_t i = 0; i < n && st == GEODISK_OK; i++) {
    size_t apart = 0;
    st = levels(context, h, up ? c : set[i], up ? set[i] : c, scratch, &apart);
    if (apart == wanted && set[i] != a && set[i] != b)
      out[kept++] = set[i];
    const geodisk_progress progress = {.task = "comparing", .unit = "nodes", .done = i + 1, .total = n};
    if (st == GEODISK_OK && i + 1 < n && !geodisk_progress_event(context, &progress))
      st = geodisk_fail(context, GEODISK_ERROR_STOPPED, "analogy: stopped");
  }
  if (st == GEODISK_OK)
    *found = kept;
  geodisk_free_all(set, scratch);
  return st;
}

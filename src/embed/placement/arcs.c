/* arcs.c - the placement `arcs`: every node gets an arc of the circle and stands where the score d(p,c) - d(o,c) is the same
 * number at the ends of all arcs, so that "c is below p" can be read off as a score below it. An arc of half-angle alpha with its
 * middle at radius r has the score log(cosh r - sinh r cos alpha) at its ends. With a score of 0 arcs would have to be less than
 * half the circle, and the root, whose score is 0, would be on the edge: it is a little more.
 *
 * Arcs begin nested along the spanning forest, siblings in the order of arrange.c with gaps between them. Then, from the deepest
 * nodes up, a node with children outside its own arc takes another one: of all runs of leaves the one in which those in
 * the arcs of its children outnumber the others the most. So arcs of two parents overlap where their common children
 * are. Only edges of the graph are looked at, never what they imply. All of it lies in a plane, in more dimensions that of the
 * first two coordinates: caps around random centres overlap where they should not. */
#include "arcs.h"
#include "base/sorting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARC_EDGE   1.2  /* e^score at the ends of arcs */
#define ARC_SHARE  0.85 /* an arc fills this share of its slot, the rest is gap */
#define ARC_MARGIN 1.01 /* an arc around others is wider by this factor, so that no two nodes coincide */
#define ARC_TILT   0.02 /* of half an arc: how far points lean out of the plane */

/* A run of the leaves, numbered along the new order. */
typedef struct run {
  uint32_t first, last;
} run;

typedef struct arcs {
  geodisk_trainer *t;
  const uint32_t *parent, *leaves, *depth;
  uint32_t *size, *start;
  uint32_t *sequence; /* nodes by their new places; later the deepest first */
  uint32_t *used;     /* leaves of the children that have their slots */
  run *runs;          /* of each node: what its arc spans */
  double *from, *to;  /* its arc */
  run *family;        /* room for the runs of a node's children */
} arcs;

/* ---- nested arcs ---- */

static void count_sizes(const arcs *a) {
  for (size_t u = 0; u < a->t->nodes; u++)
    a->size[u] = 1;
  for (size_t i = a->t->nodes; i-- > 0;) {
    const uint32_t u = a->t->order[i];
    if (a->parent[u] != NO_NODE)
      a->size[a->parent[u]] += a->size[u];
  }
}

/* The only root, or NO_NODE if there are several. */
static uint32_t only_root(const arcs *a) {
  uint32_t root = NO_NODE;
  for (uint32_t u = 0; u < a->t->nodes; u++) {
    if (a->parent[u] != NO_NODE)
      continue;
    if (root != NO_NODE)
      return NO_NODE;
    root = u;
  }
  return root;
}

static void nest_arcs(const arcs *a, uint32_t root) {
  const size_t n = a->t->nodes;
  double all = 0.0;
  uint32_t roots_used = 0;
  memset(a->used, 0, n * sizeof *a->used);
  for (size_t u = 0; u < n; u++) {
    a->sequence[a->start[u]] = (uint32_t)u;
    all += a->parent[u] == NO_NODE ? (double)a->leaves[u] : 0.0;
  }
  for (size_t i = 0; i < n; i++) {
    const uint32_t u = a->sequence[i], p = a->parent[u];
    uint32_t *used = p == NO_NODE ? &roots_used : &a->used[p];
    const double from = p == NO_NODE ? 0.0 : a->from[p], width = p == NO_NODE ? 2.0 * PORTABLE_PI : a->to[p] - a->from[p];
    const double leaf = width / (p == NO_NODE ? all : (double)a->leaves[p]), slot = leaf * (double)a->leaves[u];
    const double gap = u == root ? 0.0 : 0.5 * (1.0 - ARC_SHARE) * slot;
    a->from[u] = from + leaf * (double)*used + gap;
    a->to[u] = a->from[u] + slot - 2.0 * gap;
    a->runs[u].first = (p == NO_NODE ? 0 : a->runs[p].first) + *used;
    a->runs[u].last = a->runs[u].first + a->leaves[u] - 1;
    *used += a->leaves[u];
  }
}

/* ---- arcs around children elsewhere ---- */

static int compare_runs(const void *x, const void *y) {
  const run *a = x, *b = y;
  return compare_first(COMPARE(a->first, b->first), COMPARE(a->last, b->last));
}

/* Of runs, sorted, the stretch in which leaves inside them outnumber those between them the most. */
static run best_stretch(run *runs, size_t count) {
  size_t pieces = 0;
  for (size_t i = 0; i < count; i++) {
    if (pieces > 0 && runs[i].first <= runs[pieces - 1].last + 1)
      runs[pieces - 1].last = runs[i].last > runs[pieces - 1].last ? runs[i].last : runs[pieces - 1].last;
    else
      runs[pieces++] = runs[i];
  }
  run best = runs[0];
  int64_t value = 0, most = 0;
  uint32_t first = runs[0].first;
  for (size_t i = 0; i < pieces; i++) {
    if (i > 0)
      value -= (int64_t)runs[i].first - runs[i - 1].last - 1;
    if (value <= 0) {
      value = 0;
      first = runs[i].first;
    }
    value += (int64_t)runs[i].last - runs[i].first + 1;
    if (value > most) {
      most = value;
      best = (run){first, runs[i].last};
    }
  }
  return best;
}

static bool spans(run outer, run inner) { return outer.first <= inner.first && inner.last <= outer.last; }

static void widen(const arcs *a, uint32_t p) {
  const geodisk_graph_rows *in = &a->t->in;
  size_t count = 0;
  bool outside = false;
  for (uint64_t e = in->offsets[p]; e < in->offsets[p + 1]; e++) {
    a->family[count] = a->runs[in->nodes[e]];
    outside = outside || !spans(a->runs[p], a->family[count]);
    count++;
  }
  if (!outside)
    return;
  qsort(a->family, count, sizeof *a->family, compare_runs);
  const run best = best_stretch(a->family, count);
  double from = 2.0 * PORTABLE_PI, to = 0.0;
  for (uint64_t e = in->offsets[p]; e < in->offsets[p + 1]; e++) {
    const uint32_t c = in->nodes[e];
    if (!spans(best, a->runs[c]))
      continue;
    from = fmin(from, a->from[c]);
    to = fmax(to, a->to[c]);
  }
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from) * ARC_MARGIN;
  a->from[p] = middle - half;
  a->to[p] = middle + half;
  a->runs[p] = best;
}

/* Nodes by depth, the deepest first; false if an edge does not lead up, as in a circle. */
static bool order_by_depth(const arcs *a) {
  const size_t n = a->t->nodes;
  const geodisk_graph_rows *out = &a->t->out;
  memset(a->used, 0, n * sizeof *a->used);
  for (uint32_t u = 0; u < n; u++) {
    for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1]; e++)
      if (a->depth[out->nodes[e]] >= a->depth[u])
        return false;
    a->used[n - 1 - a->depth[u]]++;
  }
  uint32_t before = 0;
  for (size_t d = 0; d < n; d++) {
    const uint32_t here = a->used[d];
    a->used[d] = before;
    before += here;
  }
  for (uint32_t u = 0; u < n; u++)
    a->sequence[a->used[n - 1 - a->depth[u]]++] = u;
  return true;
}

/* ---- points ---- */

/* A little out of the plane, where there is more: without it no training could leave it. direction[0] and [1]: what is left in
 * the plane. */
static void tilt(const geodisk_train_options *options, uint32_t node, double half, double *direction) {
  const double out = options->dim > 2 ? portable_sin(ARC_TILT * half) : 0.0;
  geodisk_random random = geodisk_random_stream(options->seed, stream_of(STREAM_PLACE, node, PLACE_CAP));
  direction[0] = direction[1] = sqrt(1.0 - out * out);
  if (options->dim > 2)
    embed_random_unit(&random, options->dim - 2, direction + 2);
  for (int k = 2; k < options->dim; k++)
    direction[k] *= out;
}

/* Solves cosh r - sinh r cos(half) = ARC_EDGE. */
static double radius_of_arc(double half) {
  const double s = portable_sin(0.5 * half), sine = portable_sin(half);
  return portable_log((ARC_EDGE + sqrt(ARC_EDGE * ARC_EDGE - sine * sine)) / (2.0 * s * s));
}

static void write_points(const arcs *a, uint32_t root) {
  double direction[GEODISK_DIM_MOST], x[GEODISK_DIM_MOST], gap;
  for (uint32_t u = 0; u < a->t->nodes; u++) {
    const double middle = 0.5 * (a->from[u] + a->to[u]), half = fmin(0.5 * (a->to[u] - a->from[u]), PORTABLE_PI);
    tilt(&a->t->options, u, half, direction);
    direction[0] *= portable_cos(middle);
    direction[1] *= portable_sin(middle);
    const float radius = u == root ? 0.0f : (float)radius_of_arc(half);
    embed_point_at(&a->t->options, direction, radius, x, &gap);
    embed_set_row(a->t, u, x, gap);
  }
}

static bool create(arcs *a) {
  const size_t n = a->t->nodes;
  uint64_t most = 0;
  for (size_t u = 0; u < n; u++) {
    const uint64_t children = a->t->in.offsets[u + 1] - a->t->in.offsets[u];
    most = children > most ? children : most;
  }
  a->size = geodisk_allocate(n, sizeof *a->size);
  a->start = geodisk_allocate(n, sizeof *a->start);
  a->sequence = geodisk_allocate(n, sizeof *a->sequence);
  a->used = geodisk_allocate(n, sizeof *a->used);
  a->runs = geodisk_allocate(n, sizeof *a->runs);
  a->from = geodisk_allocate(n, sizeof *a->from);
  a->to = geodisk_allocate(n, sizeof *a->to);
  a->family = geodisk_allocate(most, sizeof *a->family);
  if (!a->size || !a->start || !a->sequence || !a->used || !a->runs || !a->from || !a->to || !a->family)
    return false;
  count_sizes(a);
  return embed_arrange(a->t, a->parent, a->size, a->start);
}

bool embed_place_on_arcs(geodisk_trainer *t, const spanning_forest *f) {
  arcs a = {.t = t, .parent = f->parent, .leaves = f->leaves, .depth = f->depth};
  const bool memory = create(&a);
  if (memory) {
    const uint32_t root = only_root(&a);
    nest_arcs(&a, root);
    if (order_by_depth(&a))
      for (size_t i = 0; i < t->nodes; i++)
        widen(&a, a.sequence[i]);
    write_points(&a, root);
  }
  geodisk_free_all(a.size, a.start, a.sequence, a.used, a.runs, a.from, a.to, a.family);
  return memory;
}

/* place_order.c - where new nodes stand in the order beside the vectors (vectors.h), in which every node has an arc of the circle
 * and is above what stands within it (embed/arcs.c).
 *
 * A new node with parents gets a small arc in the widest gap of its deepest parent's arc, or of what that shares with the arcs of
 * the others; one with children alone an arc around theirs. What is placed in the same round is not looked at: where in the gap
 * is drawn from the name, so that it does not matter what else is placed. */
#include "base/sorting.h"
#include "kernel/portable.h"
#include "knowledge.h"
#include "place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EDGE   1.2     /* e^score at the ends of arcs, as embed/arcs.c has it */
#define MARGIN 1.01    /* an arc around others is wider by this factor */
#define SMALL  0x1p-10 /* half the arc of a new node, as a share of its gap */

typedef struct arc {
  double middle, half;
} arc;

typedef struct stretch {
  double from, to;
} stretch;

typedef struct arranging {
  const placing *p;
  double *points; /* of the new model, nodes x 3 */
  arc *arcs;
  stretch *taken; /* room for all nodes */
  uint32_t *near; /* likewise */
} arranging;

static arc arc_of(const double *point) {
  const geodisk_ball plane = geodisk_unit_ball(2);
  const double r = geodisk_radius_from_gap(&plane, point[2]), square = (EDGE - exp(-r)) / (2.0 * sinh(r));
  return (arc){atan2(point[1], point[0]), square < 1.0 ? 2.0 * asin(sqrt(square)) : PORTABLE_PI};
}

/* Solves cosh r - sinh r cos(half) = EDGE. */
static void point_of(arc a, double *out) {
  const double s = portable_sin(0.5 * a.half), sine = portable_sin(a.half);
  const double r = portable_log((EDGE + sqrt(EDGE * EDGE - sine * sine)) / (2.0 * s * s)), e = portable_exp(-r);
  const double length = fmin(portable_tanh_half(r), 1.0 - 0x1p-50); /* the gap says how deep */
  out[0] = length * portable_cos(a.middle);
  out[1] = length * portable_sin(a.middle);
  out[2] = fmin(4.0 * e / ((1.0 + e) * (1.0 + e)), 1.0);
}

/* From one direction to another, at most half a turn. */
static double turn(double from, double to) { return remainder(to - from, 2.0 * PORTABLE_PI); }

/* Neighbours of a node of the graph that have a place from an earlier round. */
static size_t placed_before(const arranging *a, const geodisk_graph_rows *rows, uint32_t g, uint32_t round, uint32_t *out) {
  size_t n = 0;
  for (uint64_t e = rows->offsets[g]; e < rows->offsets[g + 1]; e++) {
    const uint32_t node = a->p->in_model[rows->nodes[e]];
    if (node < a->p->old || a->p->round[node - a->p->old] < round)
      out[n++] = node;
  }
  return n;
}

static uint32_t smallest(const arranging *a, const uint32_t *nodes, size_t n) {
  uint32_t best = nodes[0];
  for (size_t i = 1; i < n; i++)
    if (a->arcs[nodes[i]].half < a->arcs[best].half)
      best = nodes[i];
  return best;
}

/* What the arc of the deepest parent shares with those of the others, as turns from its middle; others that share nothing are
 * left out. */
static stretch shared(const arranging *a, uint32_t deepest, const uint32_t *parents, size_t n) {
  const arc own = a->arcs[deepest];
  stretch s = {-own.half, own.half};
  for (size_t i = 0; i < n; i++) {
    const arc other = a->arcs[parents[i]];
    const double middle = turn(own.middle, other.middle), from = fmax(s.from, middle - other.half),
                 to = fmin(s.to, middle + other.half);
    if (other.half < PORTABLE_PI && from < to)
      s = (stretch){from, to};
  }
  return s;
}

static int compare_stretches(const void *x, const void *y) {
  const stretch *a = x, *b = y;
  return COMPARE(a->from, b->from);
}

/* The widest part of a stretch that no smaller arc of another node covers; all of it, if they cover it. */
static stretch widest_gap(const arranging *a, uint32_t deepest, uint32_t round, stretch s) {
  const arc own = a->arcs[deepest];
  size_t n = 0;
  for (size_t v = 0; v < a->p->old + a->p->fresh; v++) {
    if (v == deepest || (v >= a->p->old && a->p->round[v - a->p->old] >= round) || a->arcs[v].half >= own.half)
      continue;
    const double middle = turn(own.middle, a->arcs[v].middle);
    const stretch t = {middle - a->arcs[v].half, middle + a->arcs[v].half};
    if (t.to > s.from && t.from < s.to)
      a->taken[n++] = t;
  }
  qsort(a->taken, n, sizeof *a->taken, compare_stretches);
  stretch best = {0.0, 0.0};
  double free_from = s.from;
  for (size_t i = 0; i <= n; i++) {
    const double until = i < n ? fmin(a->taken[i].from, s.to) : s.to;
    if (until - free_from > best.to - best.from)
      best = (stretch){free_from, until};
    if (i < n)
      free_from = fmax(free_from, a->taken[i].to);
  }
  return best.to > best.from ? best : s;
}

static double drawn(const placing *p, uint32_t g) {
  const char *name = geodisk_graph_name(p->graph, g);
  uint64_t stream = 0xcbf29ce484222325U; /* a hash of the name (FNV-1a) */
  for (size_t i = 0; i < geodisk_graph_name_length(p->graph, g); i++)
    stream = (stream ^ (unsigned char)name[i]) * 0x100000001b3U;
  geodisk_random random = geodisk_random_stream(p->options.seed, stream);
  return geodisk_random_uniform(&random);
}

static arc below(const arranging *a, uint32_t g, uint32_t round, const uint32_t *parents, size_t n) {
  const uint32_t deepest = smallest(a, parents, n);
  const stretch gap = widest_gap(a, deepest, round, shared(a, deepest, parents, n));
  const double width = gap.to - gap.from, at = 0.125 + 0.75 * drawn(a->p, g);
  return (arc){a->arcs[deepest].middle + gap.from + at * width, SMALL * width};
}

static arc around(const arranging *a, const uint32_t *children, size_t n) {
  const arc first = a->arcs[children[0]];
  stretch s = {-first.half, first.half};
  for (size_t i = 1; i < n; i++) {
    const arc other = a->arcs[children[i]];
    const double middle = turn(first.middle, other.middle);
    s = (stretch){fmin(s.from, middle - other.half), fmax(s.to, middle + other.half)};
  }
  return (arc){first.middle + 0.5 * (s.from + s.to), fmin(0.5 * MARGIN * (s.to - s.from), PORTABLE_PI)};
}

/* Whether an arc is within those of all parents. */
static bool is_within(const arranging *a, arc inner, const uint32_t *parents, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const arc outer = a->arcs[parents[i]];
    if (outer.half < PORTABLE_PI && fabs(turn(outer.middle, inner.middle)) + inner.half > outer.half)
      return false;
  }
  return true;
}

static void arrange_node(const arranging *a, uint32_t i) {
  const placing *p = a->p;
  const geodisk_graph_rows up = geodisk_graph_out(p->graph), down = geodisk_graph_in(p->graph);
  const uint32_t g = p->in_graph[i], round = p->round[i];
  const size_t parents = placed_before(a, &up, g, round, a->near);
  const size_t children = placed_before(a, &down, g, round, a->near + parents);
  arc found = {0.0, PORTABLE_PI};
  if (children > 0)
    found = around(a, a->near + parents, children);
  if (parents > 0 && (children == 0 || !is_within(a, found, a->near, parents)))
    found = below(a, g, round, a->near, parents);
  a->arcs[p->old + i] = found;
  point_of(found, a->points + (p->old + i) * ORDER_NUMBERS);
}

geodisk_status place_order(const placing *p) {
  const double *known = geodisk_model_order(p->model);
  const size_t n = p->old + p->fresh;
  if (known == NULL)
    return GEODISK_OK;
  arranging a = {.p = p,
                 .points = geodisk_allocate(n, ORDER_NUMBERS * sizeof *a.points),
                 .arcs = geodisk_allocate(n, sizeof *a.arcs),
                 .taken = geodisk_allocate(n, sizeof *a.taken),
                 .near = geodisk_allocate(n, 2 * sizeof *a.near)};
  geodisk_status st = GEODISK_OK;
  if (a.points == NULL || a.arcs == NULL || a.taken == NULL || a.near == NULL) {
    st = geodisk_no_memory(p->context, "for the order of %zu nodes", n);
  } else {
    memcpy(a.points, known, p->old * ORDER_NUMBERS * sizeof *a.points);
    for (size_t v = 0; v < p->old; v++)
      a.arcs[v] = arc_of(known + v * ORDER_NUMBERS);
    for (uint32_t round = 0; round < p->now; round++)
      for (uint32_t i = 0; i < p->fresh; i++)
        if (p->round[i] == round)
          arrange_node(&a, i);
    st = geodisk_model_set_order(p->context, p->out, a.points);
  }
  geodisk_free_all(a.points, a.arcs, a.taken, a.near);
  return st == GEODISK_OK ? hierarchy_copy(p->context, p->model, p->out) : st;
}

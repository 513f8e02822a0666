/* edge_lengths.c - how long the edges of a constructed tree have to be (geodisk/embed.h has the two conditions): first lengths
 * from the angles at both ends, then all grow until neighbours of a node are further from each other than from it. Every edge
 * belongs to its lower node, so that all passes over edges are passes over nodes. */
#include "edge_lengths.h"

#include <math.h>
#include <string.h>

#include "directions.h"

#define SETTLED    1e-3 /* lengths that change by less have settled */
#define LEAST_SIDE 0.5  /* of a ring */
enum { MOST_ROUNDS = 60, CACHED = 64 };

static void measure_angles(tree *t) {
  double known[CACHED] = {0.0}; /* by degree */
  for (size_t u = 0; u < t->nodes && t->dim > 2; u++) {
    const uint32_t degree = t->degree[u], at = degree < CACHED ? degree : 0;
    if (at == 0 || known[at] == 0.0)
      known[at] = 0.5 * embed_directions_angle(t->dim, degree);
    t->half[u] = known[at];
  }
}

/* Half of the angle that a node has for a neighbour. In the plane, where there are leaves and more, the branches that go on have
 * half of the circle, unless that is less than their part. */
double embed_half_angle(const tree *t, uint32_t u, bool leaf) {
  const uint32_t degree = t->degree[u], leaves = t->leaves[u], inner = degree - leaves;
  if (t->dim > 2)
    return t->half[u];
  if (degree == 1 && !is_leaf(t, u)) /* of a ring, and nothing else */
    return 0.5 * PORTABLE_PI;
  const double share = inner > 0 && leaves > inner ? (double)leaves / (double)inner : 1.0;
  return PORTABLE_PI * (leaf ? 1.0 : share) / (leaves + inner * share);
}

/* How far from a node the half-space of a neighbour begins: -log tan(angle/2). */
static double way_to_half_space(double half) { return -portable_log(portable_sin(0.5 * half) / portable_cos(0.5 * half)); }

/* The shortest edges with which two neighbours at that angle are as far from each other as from the node between them: for
 * c = cosh(length), c = cos/(1 - cos). */
static double shortest_star(double angle) {
  const double cosine = portable_cos(angle);
  if (!(cosine > 0.5))
    return 0.0;
  const double c = cosine / (1.0 - cosine);
  return portable_log(c + sqrt((c - 1.0) * (c + 1.0)));
}

/* By how much two long edges at that angle are shorter than their sum. */
static double shortcut(double angle) { return angle < PORTABLE_PI ? -2.0 * portable_log(portable_sin(0.5 * angle)) : 0.0; }

static double at_least(double a, double b) { return a > b ? a : b; }

/* The least angle at a node between a neighbour that goes on and any other. */
static double narrowest(const tree *t, uint32_t u) {
  return embed_half_angle(t, u, false) + embed_half_angle(t, u, t->leaves[u] > 0);
}

static void first_lengths(tree *t) {
  for (size_t i = 0; i < t->nodes; i++) {
    const uint32_t u = (uint32_t)i, p = t->parent[u];
    if (p == NO_NODE || is_middle(t, u) || is_middle(t, p))
      continue;
    const bool leaf = is_leaf(t, u), parent_leaf = is_leaf(t, p);
    const double mine = embed_half_angle(t, u, parent_leaf), theirs = embed_half_angle(t, p, leaf);
    double length = 0.0;
    if (!leaf && !parent_leaf)
      length = at_least(way_to_half_space(mine) + way_to_half_space(theirs), shortest_star(narrowest(t, u)));
    if (!parent_leaf)
      length = at_least(length, shortest_star(leaf ? 2.0 * theirs : narrowest(t, p)));
    t->length[u] = length + t->margin;
  }
}

/* What a side at v takes for the branches of v and those of its neighbour to be in half-spaces that do not meet, and for it to
 * lie so near to the way to the middle that other edges have a part of their angle left. */
static double side_at(const tree *t, uint32_t v) {
  if (t->degree[v] < 2)
    return LEAST_SIDE;
  const double half = 0.5 * embed_half_angle(t, v, false), rest = narrowest(t, v) / (t->around[v] + 1);
  const double apart = embed_half_asinh(portable_cos(half) / portable_sin(half)), near = 2.0 * portable_log(2.0 / rest);
  return at_least(LEAST_SIDE, at_least(apart, near));
}

static bool is_side(const rings *r, size_t ring, size_t i) { return r->closed[ring] || i + 1 < r->starts[ring + 1]; }

/* Fits a ring to its sides, and puts its members at its radius. */
static void fit_ring(tree *t, size_t ring) {
  const uint32_t middle = (uint32_t)(t->middles + ring);
  embed_ring_fit(t->rings, ring);
  const double length = embed_half_asinh(t->rings->radii[ring]) / 2.0;
  for (size_t i = t->rings->starts[ring]; i < t->rings->starts[ring + 1]; i++) {
    const uint32_t v = t->rings->members[i];
    t->length[t->parent[v] == middle ? v : middle] = length;
  }
}

static void first_sides(tree *t) {
  rings *r = t->rings;
  for (size_t ring = 0; r && ring < r->count; ring++) {
    for (size_t i = r->starts[ring]; i < r->starts[ring + 1]; i++) {
      const double mine = side_at(t, r->members[i]), theirs = side_at(t, r->members[ring_next(r, ring, i)]);
      r->sides[i] = is_side(r, ring, i) ? at_least(mine, theirs) + t->margin : LEAST_SIDE;
    }
    fit_ring(t, ring);
  }
}

/* ---- lengths that settle ---- */

/* Calls f for every edge and every side. */
static void for_each_edge(tree *t, void (*f)(tree *t, uint32_t u, uint32_t v, double length)) {
  const rings *r = t->rings;
  for (size_t i = 0; i < t->nodes; i++) {
    const uint32_t u = (uint32_t)i, p = t->parent[u];
    if (p != NO_NODE && !is_middle(t, u) && !is_middle(t, p))
      f(t, u, p, t->length[u]);
  }
  for (size_t ring = 0; r && ring < r->count; ring++)
    for (size_t i = r->starts[ring]; i < r->starts[ring + 1]; i++)
      if (is_side(r, ring, i))
        f(t, r->members[i], r->members[ring_next(r, ring, i)], r->sides[i]);
}

static void note_longest(tree *t, uint32_t u, uint32_t v, double length) {
  t->longest[u] = at_least(t->longest[u], length);
  t->longest[v] = at_least(t->longest[v], length);
}

/* t->height: the longest edges at the neighbours of a node. */
static void note_most(tree *t, uint32_t u, uint32_t v, double length) {
  (void)length;
  t->height[u] = at_least(t->height[u], t->longest[v]);
  t->height[v] = at_least(t->height[v], t->longest[u]);
}

/* The angle between a side and the way to the middle, 2 atan exp(-side/2), is less than this. */
static double angle_of_side(double side) { return 2.0 * portable_exp(-0.5 * side); }

static void measure_spread(tree *t) {
  const rings *r = t->rings;
  memset(t->spread, 0, (r ? t->nodes : 1) * sizeof *t->spread);
  for (size_t ring = 0; r && ring < r->count; ring++)
    for (size_t i = r->starts[ring], before = r->starts[ring + 1] - 1; i < r->starts[ring + 1]; before = i++) {
      const double one = is_side(r, ring, before) ? angle_of_side(r->sides[before]) : 0.0,
                   other = is_side(r, ring, i) ? angle_of_side(r->sides[i]) : 0.0;
      t->spread[r->members[i]] += at_least(one, other);
    }
}

/* Neighbours x, y of v: d(x, y) is at least the sum of their edges less the shortcut, and must be more than the longest edge at x
 * and at y. Each of the two takes half of it. */
static double need_at(const tree *t, uint32_t v) {
  if (t->degree[v] < 2)
    return 0.0;
  return 0.5 * (t->height[v] + shortcut(narrowest(t, v) - (t->rings ? t->spread[v] : 0.0)) + t->margin);
}

/* Members that are two sides apart, or on both sides of a gap, have to be further from each other than from their neighbours: the
 * shorter side grows by what is missing. */
static void widen(const tree *t, size_t ring, size_t i) {
  const rings *r = t->rings;
  const size_t j = ring_next(r, ring, i), k = ring_next(r, ring, j), count = r->starts[ring + 1] - r->starts[ring];
  const double alone = at_least(t->longest[r->members[i]], t->longest[r->members[j]]) + t->margin;
  if (!is_side(r, ring, i))
    r->sides[i] = at_least(r->sides[i], alone);
  if (count == 3 && (r->closed[ring] || !is_side(r, ring, i) || !is_side(r, ring, j)))
    return;
  const double half = 0.5 * (r->turns[i] + r->turns[j]), radius = r->radii[ring];
  const double there = radius * (half < 0.5 * PORTABLE_PI ? portable_sin(half) : 1.0);
  const double missing = embed_half_sinh(at_least(t->longest[r->members[i]], t->longest[r->members[k]]) + t->margin) - there;
  double *shorter = &r->sides[r->sides[i] < r->sides[j] ? i : j];
  if (missing > 0.0)
    *shorter = embed_half_asinh(embed_half_sinh(*shorter) + missing);
}

static bool lengthen_sides(tree *t, double *before) {
  rings *r = t->rings;
  bool settled = true;
  for (size_t ring = 0; r && ring < r->count; ring++) {
    const size_t first = r->starts[ring], end = r->starts[ring + 1];
    memcpy(before + first, r->sides + first, (end - first) * sizeof *before);
    for (size_t i = first; i < end; i++)
      if (is_side(r, ring, i))
        r->sides[i] = at_least(r->sides[i], at_least(need_at(t, r->members[i]), need_at(t, r->members[ring_next(r, ring, i)])));
    for (size_t i = first; i < end; i++)
      widen(t, ring, i);
    fit_ring(t, ring);
    for (size_t i = first; i < end; i++)
      settled = settled && r->sides[i] < before[i] + SETTLED;
  }
  return settled;
}

/* Lengthening an edge makes demands half as large two edges away, so this settles. `spare`: a number for each member of a ring.
 */
static void lengthen(tree *t, double *spare) {
  bool settled = false;
  for (int round = 0; round < MOST_ROUNDS && !settled; round++) {
    memset(t->longest, 0, t->nodes * sizeof *t->longest);
    memset(t->height, 0, t->nodes * sizeof *t->height);
    for_each_edge(t, note_longest);
    for_each_edge(t, note_most);
    measure_spread(t);
    settled = lengthen_sides(t, spare);
    for (size_t i = 0; i < t->nodes; i++) {
      const uint32_t u = (uint32_t)i, p = t->parent[u];
      if (p == NO_NODE || is_middle(t, u) || is_middle(t, p))
        continue;
      const double need = at_least(need_at(t, u), need_at(t, p));
      settled = settled && need < t->length[u] + SETTLED;
      t->length[u] = at_least(t->length[u], need);
    }
  }
}

/* Weights for lengths. */
static double scale_weights(tree *t, const double *weights) {
  double ratio = 0.0;
  for (size_t u = 0; u < t->nodes; u++) {
    if (t->parent[u] == NO_NODE)
      continue;
    ratio = at_least(ratio, t->length[u] / weights[u]);
    t->length[u] = weights[u];
  }
  return ratio;
}

static void add_length(tree *t, uint32_t u, uint32_t v, double length) {
  (void)u;
  (void)v;
  t->sum += length;
  t->count++;
}

double embed_choose_lengths(tree *t, const double *weights, double *spare, double *mean) {
  double needed = 1.0;
  measure_angles(t);
  first_lengths(t);
  if (weights) {
    needed = scale_weights(t, weights);
  } else {
    first_sides(t);
    lengthen(t, spare);
  }
  for_each_edge(t, add_length);
  *mean = t->sum / (double)t->count;
  return needed;
}

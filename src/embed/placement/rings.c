/* rings.c - polygons in the hyperbolic plane whose corners are nodes, and the paths that become such.
 *
 * Corners at distance r from the middle, with the turn t between them, are a side a apart: sinh(a/2) = sinh(r) sin(t/2). A path
 * of n nodes as n corners of a ring has a radius of about a/2 + log(n/pi), where it was n a long. A path that goes on to the
 * child with most nodes below it leaves at most half of them to every other child, so that log2 of the nodes is the most rings
 * that lie one beyond the other. */
#include "rings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "embed/trainer.h"
#include "geodisk/base.h"
#include "kernel/portable.h"

/* ---- rings ---- */

bool embed_rings_create(rings *r, size_t count, size_t members) {
  *r = (rings){.count = count};
  r->starts = geodisk_allocate_zero(count + 1, sizeof *r->starts);
  r->members = geodisk_allocate(members, sizeof *r->members);
  r->closed = geodisk_allocate_zero(count, sizeof *r->closed);
  r->sides = geodisk_allocate_zero(members, sizeof *r->sides);
  r->turns = geodisk_allocate_zero(members, sizeof *r->turns);
  r->radii = geodisk_allocate_zero(count, sizeof *r->radii);
  return r->starts && r->members && r->closed && r->sides && r->turns && r->radii;
}

bool embed_rings_copy(rings *r, const rings *of) {
  if (!embed_rings_create(r, of->count, of->starts[of->count]))
    return false;
  memcpy(r->starts, of->starts, (of->count + 1) * sizeof *r->starts);
  memcpy(r->members, of->members, of->starts[of->count] * sizeof *r->members);
  memcpy(r->closed, of->closed, of->count * sizeof *r->closed);
  return true;
}

void embed_rings_free(rings *r) {
  geodisk_free_all(r->starts, r->members, r->closed, r->sides, r->turns, r->radii);
  *r = (rings){0};
}

double embed_half_sinh(double x) { return 0.5 * (portable_exp(0.5 * x) - portable_exp(-0.5 * x)); }

double embed_half_asinh(double s) { return 2.0 * portable_log(s + sqrt(s * s + 1.0)); }

/* Turns in proportion to the sides' sinh, none beyond half of the circle. */
void embed_ring_fit(rings *r, size_t ring) {
  const size_t first = r->starts[ring], end = r->starts[ring + 1];
  double longest = 0.0, sum = 0.0, radius = 0.0;
  for (size_t i = first; i < end; i++) {
    r->turns[i] = embed_half_sinh(r->sides[i]);
    longest = r->turns[i] > longest ? r->turns[i] : longest;
  }
  for (size_t i = first; i < end; i++) {
    const double least = longest / (double)(end - first - 1);
    r->turns[i] = r->turns[i] > least ? r->turns[i] : least;
    sum += r->turns[i];
  }
  for (size_t i = first; i < end; i++) {
    const double needed = r->turns[i] / portable_sin(PORTABLE_PI * r->turns[i] / sum);
    radius = needed > radius ? needed : radius;
  }
  for (size_t i = first; i < end; i++) {
    const double half = PORTABLE_PI * r->turns[i] / sum;
    r->turns[i] = 2.0 * half;
    r->sides[i] = embed_half_asinh(radius * portable_sin(half));
  }
  r->radii[ring] = radius;
}

/* ---- paths ---- */

/* A path begins at the node that it hangs on, if this has so few children: that spares an edge. Around one with more, sides are
 * long. */
enum { FEW_CHILDREN = 8 };

typedef struct bending {
  size_t nodes, middles; /* from `middles` on nodes are the middles of cycles */
  const uint32_t *parent;
  uint32_t *children; /* how many */
  uint32_t *below;    /* nodes of a branch */
  uint32_t *heavy;    /* the child with most of them, NO_NODE: none, or a path ends here */
  uint32_t *second;   /* of a root: the child with the most after that */
} bending;

static bool is_heavier(const bending *b, uint32_t u, uint32_t than) {
  return than == NO_NODE || b->below[u] > b->below[than] || (b->below[u] == b->below[than] && u < than);
}

/* Branches from the leaves up; `waiting` and `queue`: a number for each node. */
static void weigh_branches(const bending *b, uint32_t *waiting, uint32_t *queue) {
  size_t head = 0, tail = 0;
  for (size_t u = 0; u < b->nodes; u++) {
    b->below[u] = u < b->middles;
    b->heavy[u] = b->second[u] = NO_NODE;
    if (b->parent[u] != NO_NODE)
      b->children[b->parent[u]]++;
  }
  memcpy(waiting, b->children, b->nodes * sizeof *waiting);
  for (size_t u = 0; u < b->nodes; u++)
    if (waiting[u] == 0)
      queue[tail++] = (uint32_t)u;
  while (head < tail) {
    const uint32_t u = queue[head++], p = b->parent[u];
    if (p == NO_NODE)
      continue;
    b->below[p] += b->below[u];
    if (u < b->middles && p < b->middles) {
      if (is_heavier(b, u, b->heavy[p])) {
        b->second[p] = b->heavy[p];
        b->heavy[p] = u;
      } else if (is_heavier(b, u, b->second[p])) {
        b->second[p] = u;
      }
    }
    if (--waiting[p] == 0)
      queue[tail++] = p;
  }
}

/* The node a path through u begins with going down, or NO_NODE where u is not the top of one. */
static bool is_top(const bending *b, uint32_t u) {
  const uint32_t p = b->parent[u];
  if (u >= b->middles)
    return false;
  if (p == NO_NODE || p >= b->middles)
    return true;
  return b->heavy[p] != u && !(b->parent[p] == NO_NODE && b->second[p] == u);
}

static size_t count_down(const bending *b, uint32_t u) {
  size_t count = 0;
  for (; u != NO_NODE; u = b->heavy[u])
    count++;
  return count;
}

/* Where the path with this top comes from: of a root its other half, else the node it hangs on. */
static uint32_t other_end(const bending *b, uint32_t top) {
  const uint32_t p = b->parent[top];
  return p == NO_NODE ? b->second[top] : p < b->middles && b->children[p] <= FEW_CHILDREN ? p : NO_NODE;
}

static size_t path_length(const bending *b, uint32_t top) {
  const bool root = b->parent[top] == NO_NODE;
  return count_down(b, top) + (root ? count_down(b, b->second[top]) : other_end(b, top) != NO_NODE);
}

/* The middle hangs on the root, on the node that the path hangs on, or, where that is the middle of a cycle, on the top. */
static void bend(const bending *b, uint32_t top, size_t middle, uint32_t *bent, uint32_t *members) {
  const bool root = b->parent[top] == NO_NODE;
  const uint32_t other = other_end(b, top), held = root || other == NO_NODE ? top : other;
  size_t count = root ? count_down(b, other) : other != NO_NODE, at = count;
  for (uint32_t u = other; at > 0; u = b->heavy[u])
    members[--at] = u;
  for (uint32_t u = top; u != NO_NODE; u = b->heavy[u])
    members[count++] = u;
  for (size_t i = 0; i < count; i++)
    if (members[i] != held)
      bent[members[i]] = (uint32_t)middle;
  bent[middle] = held;
}

static bool list_paths(const bending *b, const rings *cycles, size_t least, uint32_t **bent, rings *out) {
  const size_t before = cycles ? cycles->count : 0, held = cycles ? cycles->starts[before] : 0;
  size_t count = before, members = held;
  for (uint32_t u = 0; u < b->nodes; u++)
    if (is_top(b, u) && path_length(b, u) >= least) {
      members += path_length(b, u);
      count++;
    }
  *bent = geodisk_allocate(b->nodes + (count - before) + 1, sizeof **bent);
  if (!embed_rings_create(out, count, members) || !*bent)
    return false;
  memcpy(*bent, b->parent, b->nodes * sizeof **bent);
  for (size_t i = 0; i < before; i++) {
    out->starts[i + 1] = cycles->starts[i + 1];
    out->closed[i] = cycles->closed[i];
  }
  if (held > 0)
    memcpy(out->members, cycles->members, held * sizeof *out->members);
  size_t ring = before;
  for (uint32_t u = 0; u < b->nodes; u++)
    if (is_top(b, u) && path_length(b, u) >= least) {
      bend(b, u, b->nodes + ring - before, *bent, out->members + out->starts[ring]);
      out->starts[ring + 1] = out->starts[ring] + path_length(b, u);
      ring++;
    }
  return true;
}

bool embed_bend_paths(size_t nodes, const uint32_t *parent, const rings *cycles, size_t least, uint32_t **bent, rings *out) {
  bending b = {nodes, nodes - (cycles ? cycles->count : 0), parent, NULL, NULL, NULL, NULL};
  b.children = geodisk_allocate_zero(nodes, sizeof *b.children);
  b.below = geodisk_allocate(nodes, sizeof *b.below);
  b.heavy = geodisk_allocate(nodes, sizeof *b.heavy);
  b.second = geodisk_allocate(nodes, sizeof *b.second);
  uint32_t *waiting = geodisk_allocate(nodes, sizeof *waiting), *queue = geodisk_allocate(nodes, sizeof *queue);
  *out = (rings){0};
  *bent = NULL;
  bool memory = b.children && b.below && b.heavy && b.second && waiting && queue;
  if (memory) {
    weigh_branches(&b, waiting, queue);
    memory = list_paths(&b, cycles, least, bent, out);
  }
  geodisk_free_all(b.children, b.below, b.heavy, b.second, waiting, queue);
  return memory;
}

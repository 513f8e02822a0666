/* construction.c - trees placed exactly: Sarkar's construction with lengths from degrees (geodisk/embed.h has the two
 * conditions), in the plane also cycles and bent paths (rings.h).
 *
 * Lengths are settled for the unrooted tree (edge_lengths.c), then it is hung up at its middle, and points are laid from there
 * outwards, each from the stored point of its parent: a rounding displaces a branch but does not add up along it. */
#include "construction.h"
#include "base/squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "directions.h"
#include "edge_lengths.h"
#include "embed/trainer.h"

#define MARGIN          0.1  /* by which conditions are met more than needed, in length */
#define THIN_MARGIN     0.04 /* where lengths have to be spared */
#define DOUBLE_RESOLVES 34.0 /* radius: there a double's spacing is 0.06 long */
#define FLOAT_RESOLVES  14.5
#define BEYOND          3.0 /* what does not fit loses less by points that blur than by shrinking to where none do */
enum { BENT_NODES = 200000 };

/* ---- shape ---- */

static void link_children(tree *t) {
  for (size_t u = 0; u < t->nodes; u++)
    t->first[u] = NO_NODE;
  for (size_t u = t->nodes; u-- > 0;) {
    const uint32_t p = t->parent[u];
    if (p == NO_NODE) {
      t->root = (uint32_t)u;
      continue;
    }
    t->next[u] = t->first[p];
    t->first[p] = (uint32_t)u;
  }
}

/* Returns how many nodes there are from the root on. */
static size_t order_from(tree *t, uint32_t root) {
  size_t head = 0, tail = 0;
  t->order[tail++] = root;
  while (head < tail)
    for (uint32_t c = t->first[t->order[head++]]; c != NO_NODE; c = t->next[c])
      t->order[tail++] = c;
  return tail;
}

/* Ways down, by the lengths of edges (NULL: 1 each), over `count` nodes of the order; returns the middle of the longest way. */
static uint32_t measure_heights(tree *t, const double *length, size_t count) {
  uint32_t top = t->order[0];
  double longest = -1.0;
  for (size_t i = 0; i < count; i++) {
    t->height[t->order[i]] = 0.0;
    t->deepest[t->order[i]] = NO_NODE;
  }
  for (size_t i = count; i-- > 0;) {
    const uint32_t u = t->order[i], p = t->parent[u];
    if (t->height[u] > longest) {
      longest = t->height[u];
      top = u;
    }
    if (i == 0)
      break;
    const double way = t->height[u] + (length ? length[u] : 1.0);
    if (t->height[p] + way > longest) { /* the longest way so far turns at p */
      longest = t->height[p] + way;
      top = p;
    }
    if (way > t->height[p] || t->deepest[p] == NO_NODE) {
      t->height[p] = way;
      t->deepest[p] = u;
    }
  }
  uint32_t middle = top;
  for (;;) {
    const uint32_t c = t->deepest[middle];
    if (c == NO_NODE || t->height[middle] - 0.5 * (length ? length[c] : 1.0) <= 0.5 * longest)
      return middle;
    middle = c;
  }
}

static void hang_up_at(tree *t, uint32_t root) {
  uint32_t child = NO_NODE, u = root;
  double length = 0.0;
  while (u != NO_NODE) {
    const uint32_t p = t->parent[u];
    const double up = t->length[u];
    t->parent[u] = child;
    t->length[u] = length;
    child = u;
    length = up;
    u = p;
  }
}

/* Several trees hang, each by its middle, on a node at the origin. */
static void join_trees(tree *t, size_t trees) {
  double sum = 0.0;
  for (size_t u = 0; u < t->nodes; u++)
    sum += t->parent[u] != NO_NODE ? t->length[u] : 0.0;
  const double mean = t->nodes > trees && sum > 0.0 ? sum / (double)(t->nodes - trees) : 1.0;
  link_children(t);
  const uint32_t origin = (uint32_t)t->nodes;
  size_t count = 0;
  uint32_t *roots = t->leaves; /* not yet in use */
  for (size_t u = 0; u < t->nodes && trees > 1; u++)
    if (t->parent[u] == NO_NODE)
      roots[count++] = (uint32_t)u;
  for (size_t i = 0; i < count; i++) {
    const uint32_t middle = measure_heights(t, NULL, order_from(t, roots[i]));
    roots[i] = !is_middle(t, middle) ? middle : t->parent[middle] != NO_NODE ? t->parent[middle] : t->first[middle];
  }
  for (size_t i = 0; i < count; i++) {
    hang_up_at(t, roots[i]);
    t->parent[roots[i]] = origin;
    t->length[roots[i]] = mean;
  }
  if (trees > 1) {
    t->parent[origin] = NO_NODE;
    t->length[origin] = 0.0;
    t->nodes++;
  }
}

static void count_neighbours(tree *t) {
  memset(t->degree, 0, t->nodes * sizeof *t->degree);
  memset(t->leaves, 0, t->nodes * sizeof *t->leaves);
  for (size_t u = 0; u < t->nodes; u++)
    if (t->parent[u] != NO_NODE) {
      t->degree[u]++;
      t->degree[t->parent[u]]++;
    }
  for (size_t u = 0; u < t->nodes; u++)
    if (t->parent[u] != NO_NODE) {
      t->leaves[u] += is_leaf(t, t->parent[u]);
      t->leaves[t->parent[u]] += is_leaf(t, (uint32_t)u);
    }
}

/* ---- points ---- */

/* The unit vector at y towards x: along S(y) (x - y) - |x - y|^2 y. */
static void direction_back(int dim, const double *y, double gap, const double *x, double *out) {
  const double square = square_between((size_t)dim, x, y);
  for (int k = 0; k < dim; k++)
    out[k] = gap * (x[k] - y[k]) - square * y[k];
  const double norm = norm_of((size_t)dim, out);
  for (int k = 0; k < dim; k++)
    out[k] = norm > 0.0 ? out[k] / norm : (double)(k == 0);
}

/* What laying the children of a node needs. */
typedef struct fan {
  const tree *t;
  double *points; /* nodes x (dim + 1) */
  bool *mirrored; /* nodes */
  double *code;   /* directions for as many neighbours as there are at most, dim > 2 */
  uint32_t coded; /* for how many neighbours it holds them */
} fan;

static void place_child(const fan *f, uint32_t u, uint32_t child, const double *direction) {
  const size_t dim = (size_t)f->t->dim;
  double *y = f->points + child * (dim + 1);
  memcpy(y, f->points + u * (dim + 1), (dim + 1) * sizeof *y);
  embed_walk((int)dim, y, y + dim, direction, f->t->length[child]);
  f->mirrored[child] = !f->mirrored[u];
}

static uint32_t first_of_kind(const tree *t, uint32_t child, bool leaf, uint32_t but) {
  while (child != NO_NODE && (is_leaf(t, child) != leaf || child == but))
    child = t->next[child];
  return child;
}

static void place_at_turn(const fan *f, uint32_t u, uint32_t child, const double *back, double turn) {
  const double s = f->mirrored[u] ? -portable_sin(turn) : portable_sin(turn), c = portable_cos(turn);
  const double direction[2] = {c * back[0] - s * back[1], s * back[0] + c * back[1]};
  place_child(f, u, child, direction);
}

/* Around the circle, from the direction back: the neighbours that go on, and the leaves evenly between them; the deepest branch
 * opposite. Every second generation the other way round, so that ways on are straight rather than round. */
static void fan_out_in_plane(const fan *f, const tree *t, uint32_t u, const double *back) {
  const bool has_parent = t->parent[u] != NO_NODE;
  const uint32_t leaves = t->leaves[u], inner = t->degree[u] - leaves, deep = t->deepest[u];
  const double wide = embed_half_angle(t, u, false), narrow = embed_half_angle(t, u, true);
  const bool goes_on = deep != NO_NODE && !is_leaf(t, deep);
  uint32_t leaf = first_of_kind(t, t->first[u], true, NO_NODE), on = first_of_kind(t, t->first[u], false, deep);
  double turn = 0.0, before = inner > 0 ? -wide : -narrow; /* half the angle of the one before */
  for (uint32_t i = 0; i == 0 || i < inner; i++) {
    if (inner > 0) {
      turn += before + wide;
      before = wide;
    }
    if (inner > 0 && !(i == 0 && has_parent)) {
      if (goes_on && i == inner / 2) {
        place_at_turn(f, u, deep, back, turn);
      } else {
        place_at_turn(f, u, on, back, turn);
        on = first_of_kind(t, t->next[on], false, deep);
      }
    }
    const uint64_t last = inner > 0 ? (uint64_t)(i + 1) * leaves / inner : leaves;
    for (uint64_t n = inner > 0 ? (uint64_t)i * leaves / inner : 0; n < last && leaf != NO_NODE; n++) {
      turn += before + narrow;
      before = narrow;
      place_at_turn(f, u, leaf, back, turn);
      leaf = first_of_kind(t, t->next[leaf], true, NO_NODE);
    }
  }
}

/* A ring's members in their order, from the one that the middle hangs on. */
static void fan_out_ring(const fan *f, const tree *t, uint32_t middle, const double *back) {
  const rings *r = t->rings;
  const size_t ring = middle - t->middles, count = r->starts[ring + 1] - r->starts[ring];
  size_t at = r->starts[ring];
  double turn = 0.0;
  while (t->parent[middle] != NO_NODE && r->members[at] != t->parent[middle])
    at++;
  for (size_t i = 0; i < count; i++) {
    if (r->members[at] != t->parent[middle])
      place_at_turn(f, middle, r->members[at], back, turn);
    turn += r->turns[at];
    at = ring_next(r, ring, at);
  }
}

/* By the code of as many directions, turned so that the first is the direction back; the deepest branch has the last one. */
static void fan_out(fan *f, const tree *t, uint32_t u, const double *back) {
  const size_t dim = (size_t)t->dim;
  const uint32_t degree = t->degree[u];
  double mirror[GEODISK_DIM_MOST], direction[GEODISK_DIM_MOST];
  if (f->coded != degree) {
    embed_directions(t->dim, degree, 2.0 * embed_half_angle(t, u, false), f->code);
    f->coded = degree;
  }
  for (size_t k = 0; k < dim; k++)
    mirror[k] = (k == 0 ? 1.0 : 0.0) - back[k];
  const double square = square_of(dim, mirror);
  size_t row = t->parent[u] != NO_NODE;
  for (uint32_t c = t->first[u]; c != NO_NODE; c = t->next[c]) {
    const double *n = f->code + (c == t->deepest[u] ? degree - 1 : row++) * dim;
    double along = 0.0;
    for (size_t k = 0; k < dim; k++)
      along += mirror[k] * n[k];
    along = square > 0.0 ? 2.0 * along / square : 0.0;
    for (size_t k = 0; k < dim; k++)
      direction[k] = n[k] - along * mirror[k];
    place_child(f, u, c, direction);
  }
}

static void lay_points(fan *f, const tree *t, double *points) {
  const size_t dim = (size_t)t->dim;
  double back[GEODISK_DIM_MOST];
  for (size_t i = 0; i < t->nodes; i++) {
    const uint32_t u = t->order[i], p = t->parent[u];
    double *x = points + u * (dim + 1);
    memset(back, 0, sizeof back);
    back[0] = 1.0;
    if (i == 0) {
      memset(x, 0, dim * sizeof *x);
      x[dim] = 1.0;
      f->mirrored[u] = false;
    } else {
      direction_back(t->dim, x, x[dim], points + p * (dim + 1), back);
    }
    if (is_middle(t, u))
      fan_out_ring(f, t, u, back);
    else if (dim == 2)
      fan_out_in_plane(f, t, u, back);
    else
      fan_out(f, t, u, back);
  }
}

/* ---- all of it ---- */

static bool create_tree(tree *t, size_t nodes) {
  const size_t ringed = t->rings ? nodes : 1;
  t->around = geodisk_allocate_zero(ringed, sizeof *t->around);
  t->spread = geodisk_allocate_zero(ringed, sizeof *t->spread);
  t->degree = geodisk_allocate(nodes, sizeof *t->degree);
  t->leaves = geodisk_allocate(nodes, sizeof *t->leaves);
  t->first = geodisk_allocate(nodes, sizeof *t->first);
  t->next = geodisk_allocate(nodes, sizeof *t->next);
  t->order = geodisk_allocate(nodes, sizeof *t->order);
  t->deepest = geodisk_allocate(nodes, sizeof *t->deepest);
  t->length = geodisk_allocate_zero(nodes, sizeof *t->length);
  t->longest = geodisk_allocate(nodes, sizeof *t->longest);
  t->height = geodisk_allocate(nodes, sizeof *t->height);
  t->half = geodisk_allocate(t->dim > 2 ? nodes : 1, sizeof *t->half);
  return t->around && t->spread && t->half && t->degree && t->leaves && t->first && t->next && t->order && t->deepest &&
         t->length && t->longest && t->height;
}

static void destroy_tree(tree *t) {
  geodisk_free_all(t->degree, t->leaves, t->first, t->next, t->order, t->deepest, t->length, t->longest, t->height, t->half,
                   t->around, t->spread);
}

static void hang_up(tree *t) {
  link_children(t);
  order_from(t, t->root);
  hang_up_at(t, measure_heights(t, t->length, t->nodes));
  link_children(t);
  order_from(t, t->root);
  measure_heights(t, t->length, t->nodes);
}

/* Lengths, and where the tree hangs. */
static void settle(tree *t, const geodisk_tree_options *o, const double *weights, double *spare, geodisk_tree_info *info) {
  const double resolved = o->precision == GEODISK_PRECISION_FLOAT ? FLOAT_RESOLVES : DOUBLE_RESOLVES;
  double stretch = o->stretch > 0.0 ? o->stretch : 1.0, mean;
  count_neighbours(t);
  const double needed = embed_choose_lengths(t, weights, spare, &mean);
  hang_up(t);
  const double height = t->height[t->root];
  if (weights)
    stretch = resolved / height;
  else if (stretch * height > resolved + BEYOND)
    stretch = (resolved + BEYOND) / height;
  for (size_t u = 0; u < t->nodes; u++)
    t->length[u] *= stretch;
  *info = (geodisk_tree_info){.needed = needed * height, .radius = stretch * height};
  info->exact = needed <= stretch && (weights || info->radius <= resolved);
  info->scale = weights ? stretch : stretch * mean;
}

/* Once; points may be NULL: then only what it takes is found. */
static geodisk_status construct(geodisk_context *context, const geodisk_tree_options *options, const construction_forest *forest,
                                rings *r, double margin, double *points, geodisk_tree_info *info) {
  tree t = {.dim = options->dim, .margin = margin, .nodes = forest->nodes, .parent = forest->parent, .rings = r};
  t.middles = forest->nodes - (r ? r->count : 0);
  fan f = {.t = &t, .points = points};
  const size_t members = r ? r->starts[r->count] : 0;
  double *spare = geodisk_allocate(members, sizeof *spare), *weights = forest->weights;
  bool memory = create_tree(&t, forest->nodes + 1) && spare;
  size_t trees = 0;
  uint32_t most = 0;
  for (size_t u = 0; u < forest->nodes; u++)
    trees += t.parent[u] == NO_NODE;
  if (memory) {
    for (size_t i = 0; i < members; i++)
      t.around[r->members[i]]++;
    if (weights)
      memcpy(t.length, weights, forest->nodes * sizeof *weights);
    join_trees(&t, trees);
    if (weights)
      memcpy(weights, t.length, t.nodes * sizeof *weights); /* by the edges' lower nodes as they are now */
    settle(&t, options, weights, spare, info);
    for (size_t u = 0; u < t.nodes; u++)
      most = t.degree[u] > most ? t.degree[u] : most;
    f.mirrored = geodisk_allocate(t.nodes, sizeof *f.mirrored);
    f.code = geodisk_allocate(options->dim > 2 ? most : 1, (size_t)options->dim * sizeof *f.code);
    memory = f.mirrored && f.code;
  }
  if (memory && points)
    lay_points(&f, &t, points);
  geodisk_free_all(f.mirrored, f.code, spare);
  destroy_tree(&t);
  return memory ? GEODISK_OK : geodisk_no_memory(context, "for a tree of %zu nodes", forest->nodes);
}

/* With paths of so many nodes bent: what it takes, and, if points is not NULL, the points. */
static geodisk_status construct_bent(geodisk_context *context, const geodisk_tree_options *options,
                                     const construction_forest *forest, size_t least, double *points, geodisk_tree_info *info) {
  rings bent;
  construction_forest f = {0};
  double *rows = NULL;
  geodisk_status st = GEODISK_ERROR_MEMORY;
  bool memory = embed_bend_paths(forest->nodes, forest->parent, forest->cycles, least, &f.parent, &bent);
  f.nodes = forest->nodes + bent.count - (forest->cycles ? forest->cycles->count : 0);
  if (memory && points)
    memory = (rows = geodisk_allocate(f.nodes + 1, 3 * sizeof *rows)) != NULL;
  if (memory)
    st = construct(context, options, &f, &bent, THIN_MARGIN, rows, info);
  else
    st = geodisk_no_memory(context, "for a tree of %zu nodes", forest->nodes);
  if (st == GEODISK_OK && points)
    memcpy(points, rows, forest->nodes * 3 * sizeof *points);
  embed_rings_free(&bent);
  geodisk_free_all(f.parent, rows);
  return st;
}

/* Where the forest does not fit: from how many nodes on paths are bent so that it does, or so that the least is missing. Short
 * paths come last, since around a ring distances are no longer sums. */
static geodisk_status fit_by_bending(geodisk_context *context, const geodisk_tree_options *options,
                                     const construction_forest *forest, double *points, geodisk_tree_info *info) {
  static const size_t leasts[] = {SIZE_MAX, 48, 12, 8, 4};
  geodisk_tree_info best = *info;
  size_t least = 0;
  geodisk_status st = GEODISK_OK;
  for (int i = 0; i < 5 && st == GEODISK_OK && !best.exact; i++) {
    geodisk_tree_info found;
    st = construct_bent(context, options, forest, leasts[i], NULL, &found);
    if (st == GEODISK_OK && found.needed < best.needed) {
      best = found;
      least = leasts[i];
    }
  }
  return st == GEODISK_OK && least > 0 ? construct_bent(context, options, forest, least, points, info) : st;
}

geodisk_status embed_construct(geodisk_context *context, const geodisk_tree_options *options, const construction_forest *forest,
                               double *points, geodisk_tree_info *info) {
  const bool bends = options->dim == 2 && !forest->weights && forest->nodes <= BENT_NODES;
  construction_forest kept = *forest;
  rings cycles = {0};
  kept.parent = geodisk_allocate(bends ? forest->nodes : 1, sizeof *kept.parent);
  bool memory = kept.parent != NULL;
  if (memory && forest->cycles)
    memory = embed_rings_copy(&cycles, forest->cycles);
  if (memory && bends)
    memcpy(kept.parent, forest->parent, forest->nodes * sizeof *kept.parent);
  geodisk_status st = memory ? construct(context, options, forest, forest->cycles ? &cycles : NULL, MARGIN, points, info)
                             : geodisk_no_memory(context, "for a tree of %zu nodes", forest->nodes);
  if (st == GEODISK_OK && bends && !info->exact)
    st = fit_by_bending(context, options, &kept, points, info);
  embed_rings_free(&cycles);
  free(kept.parent);
  return st;
}

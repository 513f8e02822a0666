/* construction.c - trees placed exactly: Sarkar's construction with lengths from degrees (geodisk/embed.h has the two
 * conditions).
 *
 * Every edge belongs to its lower node, so that all passes over edges are passes over nodes: lengths are settled for the unrooted
 * tree, then it is hung up at its middle, and points are laid from there outwards, each from the stored point of its parent: a
 * rounding displaces a branch but does not add up along it. */
#include "construction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "directions.h"
#include "trainer.h"

#define MARGIN          0.1  /* by which conditions are met more than needed, in length */
#define DOUBLE_RESOLVES 34.0 /* radius: there a double's spacing is 0.06 long */
#define FLOAT_RESOLVES  14.5
#define SETTLED         1e-3 /* lengths that change by less have settled */
enum { MOST_ROUNDS = 60, CACHED = 64 };

typedef struct tree {
  int dim;
  size_t nodes; /* one more than there are, if several trees hang on the origin */
  uint32_t root;
  uint32_t *parent, *degree;
  uint32_t *leaves;       /* neighbours that have no other neighbour */
  uint32_t *first, *next; /* children */
  uint32_t *order;        /* parents before children */
  uint32_t *deepest;      /* the child with the longest way down, or NO_NODE */
  double *length;         /* of the edge to the parent */
  double *longest;        /* edge at a node */
  double *height;         /* the longest way down */
  double *half;           /* dim > 2: half of the least angle between neighbours */
} tree;

static bool is_leaf(const tree *t, uint32_t u) { return t->degree[u] == 1; }

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

static void order_from(tree *t, uint32_t root) {
  size_t head = 0, tail = 0;
  t->order[tail++] = root;
  while (head < tail)
    for (uint32_t c = t->first[t->order[head++]]; c != NO_NODE; c = t->next[c])
      t->order[tail++] = c;
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
    size_t head = 0, tail = 0;
    t->order[tail++] = roots[i];
    while (head < tail)
      for (uint32_t c = t->first[t->order[head++]]; c != NO_NODE; c = t->next[c])
        t->order[tail++] = c;
    roots[i] = measure_heights(t, NULL, tail);
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

/* ---- lengths ---- */

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
static double half_angle(const tree *t, uint32_t u, bool leaf) {
  const uint32_t degree = t->degree[u], leaves = t->leaves[u], inner = degree - leaves;
  if (t->dim > 2)
    return t->half[u];
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
static double narrowest(const tree *t, uint32_t u) { return half_angle(t, u, false) + half_angle(t, u, t->leaves[u] > 0); }

static void first_lengths(tree *t) {
  for (size_t i = 0; i < t->nodes; i++) {
    const uint32_t u = (uint32_t)i, p = t->parent[u];
    if (p == NO_NODE)
      continue;
    const bool leaf = is_leaf(t, u), parent_leaf = is_leaf(t, p);
    const double mine = half_angle(t, u, parent_leaf), theirs = half_angle(t, p, leaf);
    double length = 0.0;
    if (!leaf && !parent_leaf)
      length = at_least(way_to_half_space(mine) + way_to_half_space(theirs), shortest_star(narrowest(t, u)));
    if (!parent_leaf)
      length = at_least(length, shortest_star(leaf ? 2.0 * theirs : narrowest(t, p)));
    t->length[u] = length + MARGIN;
  }
}

/* Neighbours x, y of v: d(x, y) is about the sum of their edges less the shortcut, and must be more than the longest edge at x
 * and at y. Each of the two takes half of it. Lengthening an edge makes demands half as large two edges away, so this settles. */
static void lengthen(tree *t) {
  double *most = t->height; /* of the longest edges at the neighbours of a node */
  bool settled = false;
  for (int round = 0; round < MOST_ROUNDS && !settled; round++) {
    memset(t->longest, 0, t->nodes * sizeof *t->longest);
    memset(most, 0, t->nodes * sizeof *most);
    for (size_t u = 0; u < t->nodes; u++)
      if (t->parent[u] != NO_NODE) {
        t->longest[u] = at_least(t->longest[u], t->length[u]);
        t->longest[t->parent[u]] = at_least(t->longest[t->parent[u]], t->length[u]);
      }
    for (size_t u = 0; u < t->nodes; u++)
      if (t->parent[u] != NO_NODE) {
        most[u] = at_least(most[u], t->longest[t->parent[u]]);
        most[t->parent[u]] = at_least(most[t->parent[u]], t->longest[u]);
      }
    settled = true;
    for (size_t u = 0; u < t->nodes; u++) {
      const uint32_t p = t->parent[u];
      if (p == NO_NODE)
        continue;
      double need = 0.0;
      for (int end = 0; end < 2; end++) {
        const uint32_t v = end ? p : (uint32_t)u;
        if (t->degree[v] > 1)
          need = at_least(need, 0.5 * (most[v] + shortcut(narrowest(t, v)) + MARGIN));
      }
      settled = settled && need < t->length[u] + SETTLED;
      t->length[u] = at_least(t->length[u], need);
    }
  }
}

/* ---- points ---- */

/* The unit vector at y towards x: along S(y) (x - y) - |x - y|^2 y. */
static void direction_back(int dim, const double *y, double gap, const double *x, double *out) {
  double square = 0.0, norm = 0.0;
  for (int k = 0; k < dim; k++)
    square += (x[k] - y[k]) * (x[k] - y[k]);
  for (int k = 0; k < dim; k++) {
    out[k] = gap * (x[k] - y[k]) - square * y[k];
    norm += out[k] * out[k];
  }
  norm = sqrt(norm);
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
  const double wide = half_angle(t, u, false), narrow = half_angle(t, u, true);
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

/* By the code of as many directions, turned so that the first is the direction back; the deepest branch has the last one. */
static void fan_out(fan *f, const tree *t, uint32_t u, const double *back) {
  const size_t dim = (size_t)t->dim;
  const uint32_t degree = t->degree[u];
  double mirror[GEODISK_DIM_MOST], direction[GEODISK_DIM_MOST], square = 0.0;
  if (f->coded != degree) {
    embed_directions(t->dim, degree, 2.0 * half_angle(t, u, false), f->code);
    f->coded = degree;
  }
  for (size_t k = 0; k < dim; k++) {
    mirror[k] = (k == 0 ? 1.0 : 0.0) - back[k];
    square += mirror[k] * mirror[k];
  }
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
    if (dim == 2)
      fan_out_in_plane(f, t, u, back);
    else
      fan_out(f, t, u, back);
  }
}

/* ---- all of it ---- */

static bool create_tree(tree *t, size_t nodes) {
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
  return t->half && t->degree && t->leaves && t->first && t->next && t->order && t->deepest && t->length && t->longest &&
         t->height;
}

static void destroy_tree(tree *t) {
  free(t->degree);
  free(t->leaves);
  free(t->first);
  free(t->next);
  free(t->order);
  free(t->deepest);
  free(t->length);
  free(t->longest);
  free(t->height);
  free(t->half);
}

/* Weights for lengths: by the largest scale that fits. Returns how much smaller it is than what keeps branches apart. */
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

static void hang_up(tree *t) {
  link_children(t);
  order_from(t, t->root);
  hang_up_at(t, measure_heights(t, t->length, t->nodes));
  link_children(t);
  order_from(t, t->root);
  measure_heights(t, t->length, t->nodes);
}

/* Lengths, and where the tree hangs. */
static void settle(tree *t, const geodisk_tree_options *o, const double *weights, geodisk_tree_info *info) {
  const double resolved = o->precision == GEODISK_PRECISION_FLOAT ? FLOAT_RESOLVES : DOUBLE_RESOLVES;
  double stretch = o->stretch > 0.0 ? o->stretch : 1.0, needed = 1.0, sum = 0.0;
  count_neighbours(t);
  measure_angles(t);
  first_lengths(t);
  if (weights)
    needed = scale_weights(t, weights);
  else
    lengthen(t);
  hang_up(t);
  const double height = t->height[t->root];
  if (weights || stretch * height > resolved)
    stretch = resolved / height;
  for (size_t u = 0; u < t->nodes; u++)
    sum += t->parent[u] != NO_NODE ? t->length[u] *= stretch : 0.0;
  *info = (geodisk_tree_info){.needed = needed * height, .radius = stretch * height, .exact = needed <= stretch};
  info->scale = weights ? stretch : sum / (double)(t->nodes - 1);
}

geodisk_status embed_construct(geodisk_context *context, const geodisk_tree_options *options, size_t nodes, uint32_t *parent,
                               double *weights, double *points, geodisk_tree_info *info) {
  tree t = {.dim = options->dim, .nodes = nodes};
  t.parent = parent;
  fan f = {.t = &t, .points = points};
  bool memory = create_tree(&t, nodes + 1);
  size_t trees = 0;
  uint32_t most = 0;
  for (size_t u = 0; u < nodes; u++)
    trees += parent[u] == NO_NODE;
  if (memory) {
    if (weights)
      memcpy(t.length, weights, nodes * sizeof *weights);
    join_trees(&t, trees);
    if (weights)
      memcpy(weights, t.length, t.nodes * sizeof *weights); /* by the edges' lower nodes as they are now */
    settle(&t, options, weights, info);
    for (size_t u = 0; u < t.nodes; u++)
      most = t.degree[u] > most ? t.degree[u] : most;
    f.mirrored = geodisk_allocate(t.nodes, sizeof *f.mirrored);
    f.code = geodisk_allocate(options->dim > 2 ? most : 1, (size_t)options->dim * sizeof *f.code);
    memory = f.mirrored && f.code;
  }
  if (memory)
    lay_points(&f, &t, points);
  free(f.mirrored);
  free(f.code);
  destroy_tree(&t);
  return memory ? GEODISK_OK : geodisk_no_memory(context, "for a tree of %zu nodes", nodes);
}

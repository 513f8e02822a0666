/* placement.c - where the nodes begin: at random near the origin, or from the hierarchy.
 *
 * The tree placement takes a spanning forest of the graph and nests spherical caps: a node in direction n with a cap of
 * half-angle alpha stands at the radius r = -2 log sin(alpha/2), where exactly the points of its cap are nearer to it than to the
 * origin. Each child gets a cap inside its parent's, in proportion to (its share of the leaves)^POWER; in the plane the arcs are
 * laid side by side, in more dimensions their centres are random. So every node is nearer to its ancestors than to almost all
 * others from the start, and training only has to mend what the tree cannot know: nodes with several parents. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trainer.h"

/* How fast caps shrink with their share of the leaves: near 1 they shrink as fast as in the plane, which leaves space between
 * them. */
#define CAP_POWER  0.78
#define CAP_SPREAD 0.6                    /* centres of children lie within this share of the parent's cap */
#define ARC_SPREAD 0.95                   /* in the plane, the arcs of the children fill this share of the parent's */
enum { CANDIDATES = 16, SIBLINGS = 128 }; /* centres tried for a cap; siblings it is compared with */
#define PI         3.14159265358979323846
#define LEAST_STEP 0.5 /* a child stands at least this much further out than its parent */

/* ---- rows ---- */

void embed_set_row(geodisk_trainer *t, uint32_t node, const double *x, double gap) {
  const size_t dim = (size_t)t->options.dim;
  if (t->options.precision == GEODISK_PRECISION_FLOAT) {
    float *row = (float *)t->rows + node * t->stride;
    for (size_t k = 0; k < dim; k++)
      row[k] = (float)x[k];
    row[dim] = (float)(gap > TRAIN_LEAST_GAP_FLOAT ? gap : TRAIN_LEAST_GAP_FLOAT);
  } else {
    double *row = (double *)t->rows + node * t->stride;
    for (size_t k = 0; k < dim; k++)
      row[k] = x[k];
    row[dim] = gap > TRAIN_LEAST_GAP_DOUBLE ? gap : TRAIN_LEAST_GAP_DOUBLE;
  }
}

void embed_get_row(const geodisk_trainer *t, uint32_t node, double *x, double *gap) {
  const size_t dim = (size_t)t->options.dim;
  if (t->options.precision == GEODISK_PRECISION_FLOAT) {
    const float *row = (const float *)t->rows + node * t->stride;
    for (size_t k = 0; k < dim; k++)
      x[k] = (double)row[k];
    *gap = (double)row[dim];
  } else {
    const double *row = (const double *)t->rows + node * t->stride;
    for (size_t k = 0; k < dim; k++)
      x[k] = row[k];
    *gap = row[dim];
  }
}

/* ---- a spanning forest and its depth-first order ---- */

typedef struct forest {
  uint32_t *parent; /* NO_NODE for a root */
  uint32_t *queue;  /* scratch, nodes */
  uint32_t *depth;
} forest;

/* Longest paths from the roots in a graph without cycles (Kahn's order); false if there is a cycle. */
static bool deepest_parents(const geodisk_trainer *t, forest *f) {
  uint32_t *waiting = f->parent; /* parents not yet placed */
  size_t head = 0, tail = 0;
  for (size_t u = 0; u < t->nodes; u++) {
    waiting[u] = (uint32_t)(t->out.offsets[u + 1] - t->out.offsets[u]);
    f->depth[u] = 0;
    if (waiting[u] == 0)
      f->queue[tail++] = (uint32_t)u;
  }
  while (head < tail) {
    uint32_t v = f->queue[head++];
    for (uint64_t i = t->in.offsets[v]; i < t->in.offsets[v + 1]; i++) {
      uint32_t u = t->in.nodes[i];
      if (f->depth[u] < f->depth[v] + 1)
        f->depth[u] = f->depth[v] + 1;
      if (--waiting[u] == 0)
        f->queue[tail++] = u;
    }
  }
  if (tail < t->nodes)
    return false;
  for (size_t u = 0; u < t->nodes; u++) { /* the parent that is deepest: in a closure, the nearest one */
    f->parent[u] = NO_NODE;
    for (uint64_t i = t->out.offsets[u]; i < t->out.offsets[u + 1]; i++) {
      uint32_t v = t->out.nodes[i];
      if (f->parent[u] == NO_NODE || f->depth[v] > f->depth[f->parent[u]])
        f->parent[u] = v;
    }
  }
  return true;
}

/* Breadth first along edges in either direction, each component from its node of highest degree. */
static void nearest_parents(const geodisk_trainer *t, forest *f) {
  enum { UNSEEN = 0, SEEN = 1, FOUND = 2 };
  uint32_t *state = f->depth;
  memset(state, 0, t->nodes * sizeof *state);
  for (size_t start = 0; start < t->nodes; start++) {
    if (state[start] == FOUND)
      continue;
    /* once over the component to find its hub, once more from there */
    uint32_t hub = (uint32_t)start;
    for (int pass = 0; pass < 2; pass++) {
      size_t head = 0, tail = 0;
      uint32_t mark = pass == 0 ? SEEN : FOUND;
      uint64_t best = 0;
      uint32_t next_hub = hub;
      f->queue[tail++] = hub;
      state[hub] = mark;
      f->parent[hub] = NO_NODE;
      while (head < tail) {
        uint32_t u = f->queue[head++];
        uint64_t degree = t->out.offsets[u + 1] - t->out.offsets[u] + t->in.offsets[u + 1] - t->in.offsets[u];
        if (degree > best) {
          best = degree;
          next_hub = u;
        }
        for (int side = 0; side < 2; side++) {
          const geodisk_graph_rows *rows = side ? &t->in : &t->out;
          for (uint64_t i = rows->offsets[u]; i < rows->offsets[u + 1]; i++) {
            uint32_t v = rows->nodes[i];
            if (state[v] == mark)
              continue;
            state[v] = mark;
            f->parent[v] = u;
            f->queue[tail++] = v;
          }
        }
      }
      hub = next_hub;
    }
  }
}

/* t->order: every node after its parent, subtrees together, larger ones first. Children are linked through first/next lists. */
static void depth_first(geodisk_trainer *t, const forest *f, const uint32_t *first, const uint32_t *next) {
  size_t n = 0, top = 0;
  uint32_t *stack = f->queue;
  for (size_t root = 0; root < t->nodes; root++) {
    if (f->parent[root] != NO_NODE)
      continue;
    stack[top++] = (uint32_t)root;
    while (top > 0) {
      uint32_t u = stack[--top];
      t->order[n++] = u;
      for (uint32_t c = first[u]; c != NO_NODE; c = next[c])
        stack[top++] = c;
    }
  }
}

/* Leaves below each node (itself if it is one). */
static void count_leaves(const geodisk_trainer *t, const forest *f, uint32_t *leaves) {
  memset(leaves, 0, t->nodes * sizeof *leaves);
  for (size_t i = t->nodes; i-- > 0;) {
    uint32_t u = t->order[i];
    if (leaves[u] == 0)
      leaves[u] = 1;
    if (f->parent[u] != NO_NODE)
      leaves[f->parent[u]] += leaves[u];
  }
}

static int compare_keys(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* The order, with the children of every node by size: linked first by number, counted, sorted, linked again. spare: 16 bytes per
 * node. */
static void order_nodes(geodisk_trainer *t, const forest *f, uint32_t *leaves, void *spare) {
  const size_t n = t->nodes;
  uint64_t *keys = spare; /* more leaves first, then by number */
  uint32_t *first = (uint32_t *)(keys + n), *next = first + n;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t u = 0; u < n; u++)
      first[u] = NO_NODE;
    for (size_t u = 0; u < n; u++)
      keys[u] = pass == 0 ? u : (uint64_t)(UINT32_MAX - leaves[u]) << 32 | u;
    if (pass == 1)
      qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0; i < n; i++) { /* the last one linked is taken off the stack last */
      const uint32_t u = (uint32_t)keys[i];
      if (f->parent[u] == NO_NODE)
        continue;
      next[u] = first[f->parent[u]];
      first[f->parent[u]] = u;
    }
    depth_first(t, f, first, next);
    if (pass == 0)
      count_leaves(t, f, leaves);
  }
}

/* ---- the placements ---- */

typedef struct layout {
  const uint32_t *parent;
  uint32_t *leaves; /* below a node, itself if it is one */
  double *angle;    /* half-angle of its cap; in the plane of its arc */
  float *radius;
  double *turn; /* plane: the middle of its arc; used up by the children so far in `used` */
  double *used;
  uint32_t *latest, *before; /* the child of a node placed last, and the sibling placed before a node */
} layout;

/* r = -2 log sin(alpha/2), at least a step beyond the parent. */
static double cap_radius(double angle, double parent_radius) {
  double r = -2.0 * log(sin(0.5 * fmin(angle, PI)));
  return fmax(r, parent_radius + LEAST_STEP);
}

static void place_at(geodisk_trainer *t, uint32_t node, const double *direction, double radius, double *x) {
  double e = tanh(0.5 * radius), c = 1.0 / cosh(0.5 * radius);
  for (int k = 0; k < t->options.dim; k++)
    x[k] = t->options.space == GEODISK_SPACE_EUCLIDEAN ? radius * direction[k] : e * direction[k];
  embed_set_row(t, node, x, c * c);
}

static void random_unit(geodisk_random *random, int dim, double *out) {
  double square = 0.0;
  memset(out, 0, (size_t)dim * sizeof *out);
  while (!(square > 0.0)) {
    square = 0.0;
    for (int k = 0; k < dim; k++) {
      out[k] = geodisk_random_normal(random);
      square += out[k] * out[k];
    }
  }
  for (int k = 0; k < dim; k++)
    out[k] /= sqrt(square);
}

/* A direction at an angle to `axis`, otherwise random. */
static void tilt(geodisk_random *random, int dim, const double *axis, double angle, double *out) {
  double along = 0.0, square = 0.0;
  random_unit(random, dim, out);
  for (int k = 0; k < dim; k++)
    along += out[k] * axis[k];
  for (int k = 0; k < dim; k++) {
    out[k] -= along * axis[k];
    square += out[k] * out[k];
  }
  double side = square > 0.0 ? sin(angle) / sqrt(square) : 0.0;
  for (int k = 0; k < dim; k++)
    out[k] = cos(angle) * axis[k] + side * out[k];
}

/* How far a cap of node u around `centre` is from those of its siblings placed before: the least distance in sums of half-angles.
 */
static double clearance(const geodisk_trainer *t, const layout *l, uint32_t u, const double *centre) {
  double least = DBL_MAX;
  int seen = 0;
  for (uint32_t b = l->latest[l->parent[u]]; b != NO_NODE && seen < SIBLINGS; b = l->before[b], seen++) {
    double n[512], unused, square = 0.0;
    embed_get_row(t, b, n, &unused);
    for (int k = 0; k < t->options.dim; k++)
      square += (centre[k] - n[k]) * (centre[k] - n[k]);
    least = fmin(least, sqrt(square) / (l->angle[u] + l->angle[b]));
  }
  return least;
}

/* A cap inside the parent's. */
static void place_cap(const geodisk_trainer *t, layout *l, geodisk_random *random, uint32_t u, double share, double *n) {
  const int dim = t->options.dim;
  const uint32_t p = l->parent[u];
  double best = -1.0, centre[512], axis[512], unused;
  embed_get_row(t, p, axis, &unused);
  l->angle[u] = l->angle[p] * pow(share, CAP_POWER);
  for (int i = 0; i < CANDIDATES; i++) {
    double aside = l->angle[p] * CAP_SPREAD * pow(geodisk_random_uniform(random), 1.0 / (dim - 1));
    tilt(random, dim, axis, aside, centre);
    double clear = clearance(t, l, u, centre);
    if (clear > best)
      memcpy(n, centre, (size_t)dim * sizeof *n);
    best = fmax(best, clear);
    if (l->latest[p] == NO_NODE)
      break;
  }
  l->before[u] = l->latest[p];
  l->latest[p] = u;
}

/* An arc beside those of the siblings, in the plane. */
static void place_arc(layout *l, uint32_t u, double share, double *turned, double *n) {
  const uint32_t p = l->parent[u];
  double whole = p == NO_NODE ? PI : l->angle[p] * ARC_SPREAD;
  double *used = p == NO_NODE ? turned : &l->used[p];
  l->angle[u] = whole * share;
  l->turn[u] = (p == NO_NODE ? 0.0 : l->turn[p] - whole) + *used + l->angle[u];
  *used += 2.0 * l->angle[u];
  n[0] = cos(l->turn[u]);
  n[1] = sin(l->turn[u]);
}

/* While it lasts, rows hold unit vectors: the directions. */
static void lay_out(geodisk_trainer *t, layout *l) {
  const int dim = t->options.dim;
  geodisk_random random = geodisk_random_stream(t->options.seed, stream_of(STREAM_PLACE, 0, 0));
  double roots = 0.0, turned = 0.0, n[512], x[512];
  size_t root_count = 0;
  for (size_t u = 0; u < t->nodes; u++) {
    l->latest[u] = NO_NODE;
    if (l->parent[u] != NO_NODE)
      continue;
    roots += l->leaves[u];
    root_count++;
  }
  for (size_t i = 0; i < t->nodes; i++) {
    uint32_t u = t->order[i], p = l->parent[u];
    double share = (double)l->leaves[u] / (p == NO_NODE ? roots : (double)l->leaves[p]);
    if (dim == 2) {
      place_arc(l, u, share, &turned, n);
    } else if (p == NO_NODE) {
      l->angle[u] = PI * pow(share, CAP_POWER);
      random_unit(&random, dim, n);
    } else {
      place_cap(t, l, &random, u, share, n);
    }
    const double above = p == NO_NODE ? -LEAST_STEP : (double)l->radius[p];
    l->radius[u] = p == NO_NODE && root_count == 1 ? 0.0f : (float)cap_radius(l->angle[u], above);
    embed_set_row(t, u, n, 1.0);
  }
  for (size_t u = 0; u < t->nodes; u++) {
    embed_get_row(t, (uint32_t)u, n, &turned);
    place_at(t, (uint32_t)u, n, (double)l->radius[u], x);
  }
}

static void place_at_random(geodisk_trainer *t) {
  geodisk_random random = geodisk_random_stream(t->options.seed, stream_of(STREAM_PLACE, 1, 0));
  double x[512];
  for (size_t u = 0; u < t->nodes; u++) {
    double square = 0.0;
    for (int k = 0; k < t->options.dim; k++) {
      x[k] = t->options.range * (2.0 * geodisk_random_uniform(&random) - 1.0);
      square += x[k] * x[k];
    }
    double shrink = square < 0.25 ? 1.0 : 0.5 / sqrt(square); /* a cube in many dimensions sticks out of the ball */
    for (int k = 0; k < t->options.dim; k++)
      x[k] *= shrink;
    embed_set_row(t, (uint32_t)u, x, 1.0 - square * shrink * shrink);
  }
}

/* Known points are kept; new ones begin at their first known parent or child, moved a little so that no two coincide. */
static geodisk_status place_from_start(geodisk_trainer *t, bool same_names) {
  const geodisk_model *start = t->options.start;
  if (geodisk_model_dim(start) != t->options.dim || geodisk_model_space(start) != t->options.space)
    return geodisk_fail(t->context, GEODISK_ERROR_ARGUMENT, "the model to start from has dim %d and another space than asked for",
                        geodisk_model_dim(start));
  bool *known = geodisk_allocate_zero(t->nodes, sizeof *known);
  if (!known)
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory for %zu nodes", t->nodes);
  double x[512], gap;
  for (size_t u = 0; u < t->nodes; u++) {
    uint32_t at;
    const char *name = geodisk_graph_name(t->graph, (uint32_t)u);
    if (same_names)
      at = (uint32_t)u;
    known[u] = same_names || geodisk_model_find(start, name, geodisk_graph_name_length(t->graph, (uint32_t)u), &at);
    if (!known[u])
      continue;
    geodisk_model_point(start, at, x, &gap);
    embed_set_row(t, (uint32_t)u, x, t->options.space == GEODISK_SPACE_EUCLIDEAN ? 1.0 : gap);
  }
  geodisk_random random = geodisk_random_stream(t->options.seed, stream_of(STREAM_PLACE, 2, 0));
  geodisk_ball ball = geodisk_unit_ball(t->options.dim);
  for (size_t i = 0; i < t->nodes; i++) {
    uint32_t u = t->order[i], near = NO_NODE;
    if (known[u])
      continue;
    for (int side = 0; side < 2 && near == NO_NODE; side++) {
      const geodisk_graph_rows *rows = side ? &t->in : &t->out;
      for (uint64_t j = rows->offsets[u]; j < rows->offsets[u + 1] && near == NO_NODE; j++)
        if (known[rows->nodes[j]])
          near = rows->nodes[j];
    }
    double step[512];
    random_unit(&random, t->options.dim, step);
    if (near == NO_NODE) {
      for (int k = 0; k < t->options.dim; k++)
        x[k] = t->options.range * step[k];
      gap = 1.0 - t->options.range * t->options.range;
    } else {
      embed_get_row(t, near, x, &gap);
      for (int k = 0; k < t->options.dim; k++)
        step[k] *= 0.25 * gap; /* half a unit of hyperbolic length */
      if (t->options.space == GEODISK_SPACE_EUCLIDEAN)
        for (int k = 0; k < t->options.dim; k++)
          x[k] += step[k];
      else
        geodisk_exp_gap(&ball, x, gap, step, x, &gap);
    }
    embed_set_row(t, u, x, gap);
    known[u] = true;
  }
  free(known);
  return GEODISK_OK;
}

/* Whether the model to start from has the same nodes in the same order, as when training goes on. */
static bool has_same_names(const geodisk_trainer *t) {
  const geodisk_model *start = t->options.start;
  if (!start || geodisk_model_nodes(start) != t->nodes)
    return false;
  for (uint32_t u = 0; u < t->nodes; u++)
    if (strcmp(geodisk_model_name(start, u), geodisk_graph_name(t->graph, u)) != 0)
      return false;
  return true;
}

/* The spanning forest, the order of the nodes along it, and, if asked for, the tree placement. */
static bool place_by_hierarchy(geodisk_trainer *t, bool tree) {
  const size_t n = t->nodes;
  const bool plane = tree && t->options.dim == 2;
  forest f = {geodisk_allocate(n, 4), geodisk_allocate(n, 4), geodisk_allocate(n, 4)};
  layout l = {.parent = f.parent, .latest = f.queue, .before = f.depth};
  l.leaves = geodisk_allocate(n, sizeof *l.leaves);
  l.angle = geodisk_allocate(tree ? n : 0, sizeof *l.angle);
  l.radius = geodisk_allocate(tree ? n : 0, sizeof *l.radius);
  l.turn = geodisk_allocate(plane ? n : 0, sizeof *l.turn);
  l.used = geodisk_allocate_zero(plane ? n : 0, sizeof *l.used);
  const bool memory = f.parent && f.queue && f.depth && l.leaves && l.angle && l.radius && l.turn && l.used;
  if (memory) {
    if (!deepest_parents(t, &f))
      nearest_parents(t, &f);
    order_nodes(t, &f, l.leaves, t->rows); /* which are still empty */
    memset(t->rows, 0, n * t->stride * row_bytes(t));
    if (tree)
      lay_out(t, &l);
  }
  free(f.parent);
  free(f.queue);
  free(f.depth);
  free(l.leaves);
  free(l.angle);
  free(l.radius);
  free(l.turn);
  free(l.used);
  return memory;
}

geodisk_status embed_place(geodisk_trainer *t) {
  const bool tree = t->options.placement == GEODISK_PLACEMENT_TREE && t->options.dim > 1 && !t->options.start;
  const bool same_names = has_same_names(t);
  if (tree || t->options.sampling == GEODISK_SAMPLING_NEARBY || (t->options.start && !same_names)) {
    if (!place_by_hierarchy(t, tree))
      return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory for the placement of %zu nodes", t->nodes);
  } else {
    for (uint32_t u = 0; u < t->nodes; u++) /* nobody asks for the hierarchy */
      t->order[u] = u;
  }
  if (t->options.start)
    return place_from_start(t, same_names);
  if (!tree)
    place_at_random(t);
  return GEODISK_OK;
}

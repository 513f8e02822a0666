/* projection.c - a model of more than two dimensions (or a flat one) in the hyperbolic plane. Every node keeps its distance from
 * the centre, the top of the hierarchy; its direction is the middle of an arc inside its parent's, as wide as its share of the
 * leaves, and siblings that are near in the model lie side by side. stress_layout.c then fits all distances. */
#include "projection.h"
#include "base/squares.h"

#include <math.h>
#include <string.h>

#define PI            3.14159265358979323846
#define DEEPEST_START 250.0 /* radius */
enum { CHAIN = 1024 };      /* more siblings than this keep their order: the chain takes quadratic time */

/* Coordinates that are deeper say less than their gaps: from here on distances are left to the library. */
#define DEEP 1e-9

double source_distance(const source_points *p, uint32_t a, uint32_t b) {
  const double *x = p->x + a * (size_t)p->dim, *y = p->x + b * (size_t)p->dim;
  if (!p->flat && (p->gap[a] < p->deep || p->gap[b] < p->deep))
    return p->unit * geodisk_distance_gap(&p->ball, x, p->gap[a], y, p->gap[b]);
  const double sum = square_between((size_t)p->dim, x, y);
  if (p->flat)
    return sqrt(sum);
  const double u = p->ball.radius * sqrt(sum / (p->gap[a] * p->gap[b]));
  return 2 * log(u + sqrt(1 + u * u)); /* 2 asinh(u), to the digits a picture needs */
}

static geodisk_status read_source(geodisk_context *context, const scene_arrays *s, const geodisk_model *model, source_points *p) {
  p->nodes = s->nodes;
  p->dim = geodisk_model_dim(model);
  p->ball = geodisk_model_ball(model);
  p->flat = geodisk_model_space(model) == GEODISK_SPACE_EUCLIDEAN;
  p->unit = sqrt(p->ball.curvature);
  p->deep = DEEP * p->ball.radius * p->ball.radius;
  p->x = geodisk_allocate(s->nodes * (size_t)p->dim, sizeof *p->x);
  p->gap = geodisk_allocate(s->nodes, sizeof *p->gap);
  if (p->x == NULL || p->gap == NULL)
    return geodisk_no_memory(context, "for the projection");
  for (size_t i = 0; i < s->nodes; i++)
    geodisk_model_point(model, s->node[i], p->x + i * (size_t)p->dim, &p->gap[i]);
  return GEODISK_OK;
}

/* ---- a forest where there is none -------------------------------------------------------------------------------- */

/* Without a graph the model itself says what is above what: the nearest node that is nearer to the origin. */
static geodisk_status parents_from_model(geodisk_context *context, const scene_arrays *s, const geodisk_model *model,
                                         uint32_t *parent) {
  geodisk_index *index = NULL;
  geodisk_neighbour *near = geodisk_allocate(s->nodes, sizeof *near);
  size_t *found = geodisk_allocate(s->nodes, sizeof *found);
  uint32_t *number = geodisk_allocate(geodisk_model_nodes(model), sizeof *number);
  geodisk_status st =
      near != NULL && found != NULL && number != NULL ? GEODISK_OK : geodisk_no_memory(context, "for the projection");
  if (st == GEODISK_OK)
    st = geodisk_index_create(context, model, GEODISK_SEARCH_AUTO, s->nodes, &index);
  if (st == GEODISK_OK)
    st = geodisk_index_nearest(context, index,
                               &(geodisk_nearest_query){.n = s->nodes, .nodes = s->node, .k = 1, .side = GEODISK_SIDE_HIGHER},
                               near, found);
  if (st == GEODISK_OK) {
    for (size_t u = 0; u < geodisk_model_nodes(model); u++)
      number[u] = GEODISK_NODE_NONE;
    for (uint32_t i = 0; i < s->nodes; i++)
      number[s->node[i]] = i;
    for (size_t i = 0; i < s->nodes; i++)
      parent[i] = found[i] > 0 ? number[near[i].node] : GEODISK_NODE_NONE;
  }
  geodisk_index_destroy(index);
  geodisk_free_all(near, found, number);
  return st;
}

/* ---- the start --------------------------------------------------------------------------------------------------- */

typedef struct layout {
  const source_points *source;
  csr rows;                 /* children in the forest; the roots but the centre hang on the centre */
  double *leaves;           /* nodes: leaves below, at least 1 */
  double *from, *to;        /* nodes: its arc */
  uint32_t *before, *after; /* nodes: what lies beside its arc; GEODISK_NODE_NONE: nothing yet */
  uint32_t *stack;
} layout;

/* The root of the largest tree; without a graph the innermost node, which is the root of all. */
static uint32_t find_centre(const uint32_t *parent, size_t nodes, const double *leaves) {
  uint32_t best = 0;
  bool found = false;
  for (uint32_t i = 0; i < nodes; i++)
    if (parent[i] == GEODISK_NODE_NONE && (!found || leaves[i] > leaves[best])) {
      best = i;
      found = true;
    }
  return best;
}

/* Puts siblings in a chain in which each is followed by the nearest of those left; the first is the nearest to `before`. */
static void chain(const source_points *p, uint32_t *nodes, size_t n, uint32_t before) {
  for (size_t i = 0; i < n; i++) {
    size_t best = i;
    double least = 0;
    for (size_t j = i; j < n; j++) {
      const double d = before == GEODISK_NODE_NONE ? (double)j : source_distance(p, before, nodes[j]);
      if (j == i || d < least) {
        least = d;
        best = j;
      }
    }
    const uint32_t next = nodes[best];
    nodes[best] = nodes[i];
    nodes[i] = next;
    before = next;
  }
}

/* The other way round, if both ends are then nearer to what lies beside them. */
static void turn_chain(const source_points *p, uint32_t *nodes, size_t n, uint32_t before, uint32_t after) {
  if (n < 2 || before == GEODISK_NODE_NONE || after == GEODISK_NODE_NONE)
    return;
  const uint32_t first = nodes[0], last = nodes[n - 1];
  if (source_distance(p, before, first) + source_distance(p, last, after) <=
      source_distance(p, before, last) + source_distance(p, first, after))
    return;
  for (size_t i = 0; i < n / 2; i++) {
    const uint32_t swapped = nodes[i];
    nodes[i] = nodes[n - 1 - i];
    nodes[n - 1 - i] = swapped;
  }
}

/* Shares the arc of u among its children, in an order in which neighbours are near in the model. */
static void share_arc(layout *l, uint32_t u, bool whole_circle, plane_point *out) {
  uint32_t *nodes = l->rows.nodes + l->rows.offsets[u];
  const size_t n = (size_t)(l->rows.offsets[u + 1] - l->rows.offsets[u]);
  double total = 0, at = l->from[u];
  if (n <= CHAIN) {
    chain(l->source, nodes, n, l->before[u]);
    turn_chain(l->source, nodes, n, l->before[u], l->after[u]);
  }
  for (size_t i = 0; i < n; i++)
    total += l->leaves[nodes[i]];
  for (size_t i = 0; i < n; i++) {
    const uint32_t v = nodes[i];
    const double width = (l->to[u] - l->from[u]) * l->leaves[v] / total;
    l->from[v] = at;
    l->to[v] = at += width;
    out[v].angle = l->to[v] - width / 2;
    l->before[v] = i > 0 ? nodes[i - 1] : whole_circle && n > 2 ? nodes[n - 1] : l->before[u];
    l->after[v] = i + 1 < n ? nodes[i + 1] : whole_circle && n > 2 ? nodes[0] : l->after[u];
  }
}

static void spread(layout *l, uint32_t centre, plane_point *out) {
  size_t n = 0;
  l->from[centre] = -PI;
  l->to[centre] = PI;
  l->before[centre] = l->after[centre] = GEODISK_NODE_NONE;
  out[centre].angle = 0;
  l->stack[n++] = centre;
  while (n > 0) {
    const uint32_t u = l->stack[--n];
    out[u].e = exp(fmin(source_distance(l->source, centre, u), DEEPEST_START));
    share_arc(l, u, u == centre, out);
    for (uint64_t e = l->rows.offsets[u + 1]; e-- > l->rows.offsets[u];)
      l->stack[n++] = l->rows.nodes[e];
  }
}

/* Leaves below each node; parents may have any number, so this goes up by counting children that are done. */
static bool count_leaves(const uint32_t *parent, size_t nodes, double *leaves) {
  uint32_t *waiting = geodisk_allocate_zero(nodes, sizeof *waiting), *queue = geodisk_allocate(nodes, sizeof *queue);
  size_t head = 0, tail = 0;
  const bool made = waiting != NULL && queue != NULL;
  for (size_t i = 0; made && i < nodes; i++) {
    leaves[i] = 0;
    if (parent[i] != GEODISK_NODE_NONE)
      waiting[parent[i]]++;
  }
  for (uint32_t i = 0; made && i < nodes; i++)
    if (waiting[i] == 0) {
      leaves[i] = 1;
      queue[tail++] = i;
    }
  while (made && head < tail) {
    const uint32_t u = queue[head++], up = parent[u];
    if (up == GEODISK_NODE_NONE)
      continue;
    leaves[up] += leaves[u];
    if (--waiting[up] == 0)
      queue[tail++] = up;
  }
  geodisk_free_all(waiting, queue);
  return made;
}

static geodisk_status lay_out(geodisk_context *context, const source_points *source, const uint32_t *parent, uint32_t *centre,
                              plane_point *out) {
  const size_t nodes = source->nodes;
  layout l = {.source = source};
  l.leaves = geodisk_allocate(nodes, sizeof *l.leaves);
  l.from = geodisk_allocate(nodes, sizeof *l.from);
  l.to = geodisk_allocate(nodes, sizeof *l.to);
  l.stack = geodisk_allocate(nodes, sizeof *l.stack);
  l.before = geodisk_allocate(nodes, sizeof *l.before);
  l.after = geodisk_allocate(nodes, sizeof *l.after);
  geodisk_status st = geodisk_no_memory(context, "for the projection");
  if (l.leaves != NULL && l.from != NULL && l.to != NULL && l.stack != NULL && l.before != NULL && l.after != NULL &&
      count_leaves(parent, nodes, l.leaves)) {
    *centre = find_centre(parent, nodes, l.leaves);
    if (csr_from_parents(nodes, parent, *centre, &l.rows) == GEODISK_OK) { /* roots are under the centre */
      spread(&l, *centre, out);
      st = GEODISK_OK;
    }
  }
  csr_free(&l.rows);
  geodisk_free_all(l.leaves, l.from, l.to, l.stack, l.before, l.after);
  return st;
}

geodisk_status scene_project(geodisk_context *context, scene_arrays *s, geodisk_scene *scene) {
  source_points source = {0};
  plane_point *points = geodisk_allocate(s->nodes, sizeof *points);
  uint32_t *parent = geodisk_allocate(s->nodes, sizeof *parent), centre = 0;
  geodisk_projection found = {.projected = true};
  geodisk_status st = points != NULL && parent != NULL ? GEODISK_OK : geodisk_no_memory(context, "for the projection");
  if (st == GEODISK_OK)
    st = read_source(context, s, scene->model, &source);
  if (st == GEODISK_OK && scene->has_graph)
    memcpy(parent, s->parent, s->nodes * sizeof *parent);
  else if (st == GEODISK_OK)
    st = parents_from_model(context, s, scene->model, parent);
  if (st == GEODISK_OK)
    st = lay_out(context, &source, parent, &centre, points);
  if (st == GEODISK_OK)
    st = stress_fit(context, &source, parent, centre, points);
  if (st == GEODISK_OK)
    st = stress_measure(context, &source, scene, points, &found);
  if (st == GEODISK_OK) {
    for (size_t i = 0; i < s->nodes; i++) {
      const double e = points[i].e, rho = (e - 1) / (e + 1); /* tanh(r/2) */
      s->x[2 * i] = rho * cos(points[i].angle);
      s->x[2 * i + 1] = rho * sin(points[i].angle);
      s->gap[i] = 4 * e / ((e + 1) * (e + 1)); /* sech^2(r/2) */
    }
    found.centre = centre;
    scene->projection = found;
  }
  geodisk_free_all(source.x, source.gap, points, parent);
  return st;
}

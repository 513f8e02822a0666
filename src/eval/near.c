/* near.c - reaches beside an order: up to where the nearest nodes of each are what it was trained to be near to. Of several such
 * distances the longest is taken by which the model names a direct parent first. What is above what among the nodes within reach
 * is told by the order, which leaves things out, and by their own reaches: so ancestors come before what is below them. */
#include "near.h"

#include <math.h>
#include <stdlib.h>

/* Nearest nodes that are looked at: so many at least, and at most, of as many as make so many pairs of them in all; how many
 * nodes are asked at a time; and up to how many there are reaches. Some seconds of processor time. */
#define PAIRS 8e6
enum { FEWEST = 8, NEAREST = 33, MOST_NEAREST = 128, ASKED = 16384, MOST_NODES = 100000 };

/* Where neither is right, up to so many nodes, a reach that names a direct parent may take in others, but not more than what is
 * above; and so many may be above a node by the order alone. */
enum { FEW_NODES = 5000, MOST_ABOVE = 128 };

/* The nearest nodes of each: rows of `room` nodes and distances. */
typedef struct near_run {
  geodisk_context *context;
  const geodisk_model *model;
  const near_graphs *graphs;
  const geodisk_hierarchy_info *info;
  geodisk_graph *basic;
  geodisk_ball plane;
  const double *order; /* nodes x 3 */
  double *radius;      /* nodes, from the order's centre */
  size_t nodes, room;
  uint32_t *nearest;
  double *distance;
  uint8_t *count; /* nodes: how many of the row are within reach */
  float *reach;
} near_run;

/* A reach is rounded up a little, which may not take in the next node. */
static float rounded_up(double distance) { return (float)(distance * (1.0 + 0x1p-20)); }

static bool is_apart(const near_run *r, uint32_t u, size_t n) {
  const double *distance = r->distance + u * r->room;
  if (n == r->room)
    return r->room == r->nodes - 1;
  return (double)rounded_up(distance[n - 1]) < distance[n] * (1.0 - 0x1p-20);
}

/* The nearest nodes of u, and how far they are its targets, a direct one among them. */
static void take_row(near_run *r, uint32_t u, const geodisk_neighbour *near, size_t found) {
  size_t n = 0, direct = 0;
  for (size_t i = 0; i < r->room; i++) {
    r->nearest[u * r->room + i] = i < found ? near[i].node : u;
    r->distance[u * r->room + i] = i < found ? near[i].distance : (double)INFINITY;
  }
  while (n < found && geodisk_graph_has_edge(r->graphs->trained, u, near[n].node))
    n++;
  while (direct < n && !geodisk_graph_has_edge(r->basic, u, near[direct].node))
    direct++;
  while (n > direct && !is_apart(r, u, n))
    n--;
  r->count[u] = (uint8_t)(n > direct ? n : 0);
}

static geodisk_status take_rows(near_run *r, const geodisk_index *index) {
  const size_t most = r->nodes < ASKED ? r->nodes : ASKED;
  geodisk_neighbour *near = geodisk_allocate(most * r->room, sizeof *near);
  size_t *found = geodisk_allocate(most, sizeof *found);
  uint32_t *asked = geodisk_allocate(most, sizeof *asked);
  geodisk_status st = near && found && asked ? GEODISK_OK : geodisk_no_memory(r->context, "for the nearest of %zu nodes", most);
  for (size_t first = 0; first < r->nodes && st == GEODISK_OK; first += most) {
    geodisk_nearest_query query = {.n = r->nodes - first < most ? r->nodes - first : most, .nodes = asked, .k = r->room};
    for (size_t i = 0; i < query.n; i++)
      asked[i] = (uint32_t)(first + i);
    st = geodisk_index_nearest(r->context, index, &query, near, found);
    for (size_t i = 0; i < query.n && st == GEODISK_OK; i++)
      take_row(r, asked[i], near + i * r->room, found[i]);
  }
  geodisk_free_all(near, found, asked);
  return st;
}

/* ---- the first parent ---------------------------------------------------------------------------------------------------- */

/* As the model has it (hierarchy_is_below in vectors) by the order alone. */
static bool is_below(const near_run *r, uint32_t child, uint32_t parent) {
  const double *c = r->order + 3 * (size_t)child, *p = r->order + 3 * (size_t)parent;
  if (r->radius[parent] >= r->radius[child] && r->info->threshold < r->radius[parent]) /* however near */
    return false;
  const double distance = geodisk_distance_gap(&r->plane, c, c[2], p, p[2]);
  return geodisk_order_score(distance, r->radius[parent], r->radius[child]) <= r->info->threshold;
}

/* Nothing is above a root, so its reach is 0, unless others are where it is. */
static bool is_root(const near_run *r, uint32_t u) {
  const geodisk_graph_rows up = geodisk_graph_out(r->graphs->trained);
  return up.offsets[u] == up.offsets[u + 1] && r->distance[u * r->room] > 0.0;
}

/* A set among which the parents of a node are looked for. */
typedef struct above {
  uint32_t *place; /* nodes: 1 and where in the set it is; 0: nowhere */
  const uint32_t *set;
  size_t n;
  bool out[MOST_ABOVE];            /* no parent: the order has it below the node, and it has no reach */
  bool is[MOST_ABOVE][MOST_ABOVE]; /* [i][j]: j is above i */
  uint32_t own[MOST_ABOVE];        /* where the set is not a row */
} above;

static void look_above(const near_run *r, uint32_t u, const uint32_t *set, size_t n, above *a) {
  a->set = set;
  a->n = n;
  for (size_t i = 0; i < n; i++) {
    a->place[set[i]] = (uint32_t)i + 1;
    a->out[i] = set[i] == u || (r->count[set[i]] == 0 && !is_root(r, set[i]) && is_below(r, set[i], u));
  }
  for (size_t i = 0; i < n; i++) {
    const uint32_t v = set[i], *near = r->nearest + v * r->room;
    for (size_t j = 0; j < n; j++)
      a->is[i][j] = i != j && !a->out[j] && is_below(r, v, set[j]);
    for (size_t k = 0; k < r->count[v]; k++)
      if (a->place[near[k]] > 0 && !a->out[a->place[near[k]] - 1])
        a->is[i][a->place[near[k]] - 1] = true;
  }
  for (size_t i = 0; i < n; i++)
    a->place[set[i]] = 0;
}

static bool is_deeper(const near_run *r, const above *a, const uint32_t *times, size_t i, size_t than) {
  const uint32_t v = a->set[i], w = a->set[than];
  if (times[i] != times[than])
    return times[i] > times[than];
  return r->radius[v] > r->radius[w] || (r->radius[v] == r->radius[w] && v > w);
}

/* For each n, whether a direct parent is named first (the deepest, as hierarchy_sort of vectors has it) among the first n. */
static void look_for_direct(const near_run *r, uint32_t u, const above *a, bool *direct) {
  uint32_t times[MOST_ABOVE];
  for (size_t n = 0; n < a->n; n++) {
    size_t best = SIZE_MAX;
    times[n] = 0;
    for (size_t i = 0; i < n; i++) {
      times[i] += a->is[i][n];
      times[n] += a->is[n][i];
    }
    for (size_t i = 0; i <= n; i++)
      if (!a->out[i] && (best == SIZE_MAX || is_deeper(r, a, times, i, best)))
        best = i;
    direct[n] = best != SIZE_MAX && geodisk_graph_has_edge(r->basic, u, a->set[best]);
  }
}

/* Whether the order alone names a direct parent. */
static bool is_right_by_order(const near_run *r, uint32_t u, above *a) {
  bool direct[MOST_ABOVE] = {false};
  size_t n = 0;
  for (uint32_t v = 0; v < r->nodes && n < MOST_ABOVE; v++)
    if (v != u && is_below(r, u, v))
      a->own[n++] = v;
  if (n == 0 || n == MOST_ABOVE)
    return false;
  look_above(r, u, a->own, n, a);
  look_for_direct(r, u, a, direct);
  return direct[n - 1];
}

/* The longest reach by which a direct parent is named; or none if the order does; or the shortest that takes in others. If there
 * is none of these, it stays. */
static void settle(near_run *r, uint32_t u, above *a) {
  const uint32_t *row = r->nearest + u * r->room;
  bool direct[MOST_ABOVE] = {false};
  size_t right = 0;
  look_above(r, u, row, r->count[u], a);
  look_for_direct(r, u, a, direct);
  for (size_t n = r->count[u]; n > 0; n--)
    if (direct[n - 1] && is_apart(r, u, n)) {
      r->count[u] = (uint8_t)n;
      return;
    }
  if (r->nodes > FEW_NODES)
    return;
  if (is_right_by_order(r, u, a)) {
    r->count[u] = 0;
    return;
  }
  look_above(r, u, row, r->room, a);
  look_for_direct(r, u, a, direct);
  for (size_t n = 1; n <= r->room; n++) {
    right += geodisk_graph_has_edge(r->graphs->closure, u, row[n - 1]);
    if (direct[n - 1] && is_apart(r, u, n) && 2 * right >= n) {
      r->count[u] = (uint8_t)n;
      return;
    }
  }
}

/* ---- all nodes ------------------------------------------------------------------------------------------------------------ */

/* Those with fewer ancestors first. */
static geodisk_status settle_all(near_run *r) {
  const geodisk_graph_rows up = geodisk_graph_out(r->graphs->closure);
  uint32_t *order = geodisk_allocate(r->nodes, sizeof *order);
  uint64_t *at = geodisk_allocate_zero(r->nodes + 1, sizeof *at);
  above *a = geodisk_allocate_zero(1, sizeof *a);
  const bool memory = order && at && a && (a->place = geodisk_allocate_zero(r->nodes, sizeof *a->place)) != NULL;
  if (memory) {
    for (size_t u = 0; u < r->nodes; u++)
      at[up.offsets[u + 1] - up.offsets[u] + 1]++;
    for (size_t i = 1; i < r->nodes; i++)
      at[i] += at[i - 1];
    for (size_t u = 0; u < r->nodes; u++)
      order[at[up.offsets[u + 1] - up.offsets[u]]++] = (uint32_t)u;
    for (size_t i = 0; i < r->nodes; i++)
      if (up.offsets[order[i] + 1] > up.offsets[order[i]])
        settle(r, order[i], a);
  }
  if (a)
    free(a->place);
  geodisk_free_all(order, at, a);
  return memory ? GEODISK_OK : geodisk_no_memory(r->context, "for the reaches of %zu nodes", r->nodes);
}

/* As many nearest nodes as a node has targets, and one more (some, where these are few), if that is not too many. */
static size_t room_for(const geodisk_graph *trained) {
  const geodisk_graph_rows up = geodisk_graph_out(trained);
  const size_t nodes = geodisk_graph_nodes(trained);
  const double affordable = sqrt(PAIRS / (double)nodes);
  size_t room = affordable < NEAREST ? NEAREST : affordable > MOST_NEAREST ? MOST_NEAREST : (size_t)affordable, most = 0;
  for (size_t u = 0; u < nodes; u++)
    most = up.offsets[u + 1] - up.offsets[u] > most ? (size_t)(up.offsets[u + 1] - up.offsets[u]) : most;
  most = most + 1 < FEWEST ? FEWEST : most + 1;
  room = most < room ? most : room;
  return nodes - 1 < room ? nodes - 1 : room;
}

static geodisk_status prepare(near_run *r) {
  r->nearest = geodisk_allocate(r->nodes * r->room, sizeof *r->nearest);
  r->distance = geodisk_allocate(r->nodes * r->room, sizeof *r->distance);
  r->radius = geodisk_allocate(r->nodes, sizeof *r->radius);
  r->count = geodisk_allocate(r->nodes, sizeof *r->count);
  r->reach = geodisk_allocate(r->nodes, sizeof *r->reach);
  if (!(r->nearest && r->distance && r->radius && r->count && r->reach))
    return geodisk_no_memory(r->context, "for the reaches of %zu nodes", r->nodes);
  const uint32_t centre = r->info->centre;
  const double *c = centre != GEODISK_HIERARCHY_ORIGIN ? r->order + 3 * (size_t)centre : NULL;
  for (size_t u = 0; u < r->nodes; u++) {
    const double *p = r->order + 3 * u;
    r->radius[u] = c ? geodisk_distance_gap(&r->plane, c, c[2], p, p[2]) : geodisk_radius_from_gap(&r->plane, p[2]);
  }
  return geodisk_graph_reduce(r->context, r->graphs->trained, &r->basic);
}

geodisk_status near_reaches(geodisk_context *context, const geodisk_model *model, const near_graphs *graphs,
                            const geodisk_hierarchy_info *info, float **out) {
  near_run r = {.context = context,
                .model = model,
                .graphs = graphs,
                .info = info,
                .plane = geodisk_unit_ball(2),
                .order = geodisk_model_order(model),
                .nodes = geodisk_model_nodes(model)};
  geodisk_index *index = NULL;
  *out = NULL;
  if (r.order == NULL || r.nodes > MOST_NODES || r.nodes < 2)
    return GEODISK_OK;
  r.room = room_for(graphs->trained);
  geodisk_status st = prepare(&r);
  if (st == GEODISK_OK)
    st = geodisk_index_create(context, model, GEODISK_SEARCH_AUTO, r.nodes, &index);
  if (st == GEODISK_OK)
    st = take_rows(&r, index);
  if (st == GEODISK_OK)
    st = settle_all(&r);
  for (size_t u = 0; u < r.nodes && st == GEODISK_OK; u++)
    r.reach[u] = r.count[u] > 0 ? rounded_up(r.distance[u * r.room + r.count[u] - 1]) : is_root(&r, (uint32_t)u) ? 0.0F : -1.0F;
  if (st == GEODISK_OK) {
    *out = r.reach;
    r.reach = NULL;
  }
  geodisk_index_destroy(index);
  geodisk_graph_destroy(r.basic);
  geodisk_free_all(r.nearest, r.distance, r.radius, r.count, r.reach);
  return st;
}

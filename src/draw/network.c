/* network.c - what pictures of networks have instead of a hierarchy: communities to colour by, hubs, and a middle. */
#include <math.h>
#include <stdlib.h>

#include "base/sorting.h"
#include "geodisk/mean.h"
#include "scene.h"

geodisk_status network_communities(geodisk_context *context, const geodisk_graph *graph, const uint32_t *number, hierarchy *h) {
  const size_t nodes = geodisk_graph_nodes(graph);
  uint32_t *found = geodisk_allocate(nodes, sizeof *found);
  h->community = geodisk_allocate(h->nodes, sizeof *h->community);
  geodisk_status st =
      found != NULL && h->community != NULL ? GEODISK_OK : geodisk_no_memory(context, "for the picture's network");
  if (st == GEODISK_OK)
    st = geodisk_graph_communities(context, graph, GEODISK_SCENE_BRANCHES, found, NULL);
  for (size_t u = 0; st == GEODISK_OK && u < h->nodes; u++)
    h->community[u] = GEODISK_NODE_NONE;
  for (size_t u = 0; st == GEODISK_OK && u < nodes; u++)
    if (number[u] != GEODISK_NODE_NONE)
      h->community[number[u]] = found[u];
  free(found);
  return st;
}

/* ---- hubs ------------------------------------------------------------------------------------------------------------ */

geodisk_status network_limit(geodisk_context *context, hierarchy *h, size_t most) {
  sized_number *list = geodisk_allocate(h->nodes, sizeof *list);
  if (list == NULL)
    return geodisk_no_memory(context, "for the picture's network");
  for (uint32_t u = 0; u < h->nodes; u++)
    list[u] = (sized_number){0, u};
  for (size_t e = 0; e < h->edges; e++) {
    list[h->edge_child[e]].size++;
    list[h->edge_parent[e]].size++;
  }
  qsort(list, h->nodes, sizeof *list, larger_first);
  for (size_t i = most; i < h->nodes; i++)
    h->in[list[i].number] = false;
  free(list);
  hierarchy_drop_edges(h);
  return GEODISK_OK;
}

/* ---- communities as branches ------------------------------------------------------------------------------------------ */

typedef struct group {
  sized_number community;
  uint32_t hub;
} group;

geodisk_status network_branches(geodisk_context *context, const hierarchy *h, scene_arrays *s, geodisk_scene *scene) {
  uint32_t count = 0;
  for (size_t i = 0; i < s->nodes; i++) {
    const uint32_t c = h->community[s->node[i]];
    count = c != GEODISK_NODE_NONE && c >= count ? c + 1 : count;
  }
  group *groups = geodisk_allocate(count, sizeof *groups);
  uint8_t *colour = geodisk_allocate(count, sizeof *colour);
  if (groups == NULL || colour == NULL) {
    geodisk_free_all(groups, colour);
    return geodisk_no_memory(context, "for the picture's network");
  }
  for (uint32_t c = 0; c < count; c++)
    groups[c] = (group){{0, c}, GEODISK_NODE_NONE};
  for (uint32_t i = 0; i < s->nodes; i++) {
    const uint32_t c = h->community[s->node[i]];
    if (c == GEODISK_NODE_NONE)
      continue;
    groups[c].community.size++;
    if (groups[c].hub == GEODISK_NODE_NONE || s->degree[i] > s->degree[groups[c].hub])
      groups[c].hub = i;
  }
  if (count > 0)
    qsort(groups, count, sizeof *groups, larger_first);
  for (uint32_t k = 0; k < count; k++) {
    const bool coloured = scene->branches < GEODISK_SCENE_BRANCHES && groups[k].community.size >= 2;
    colour[groups[k].community.number] = coloured ? (uint8_t)scene->branches : GEODISK_BRANCH_OTHER;
    if (coloured) {
      scene->branch_node[scene->branches] = groups[k].hub;
      scene->branch_size[scene->branches++] = groups[k].community.size;
    }
  }
  for (size_t i = 0; i < s->nodes; i++) {
    const uint32_t c = h->community[s->node[i]];
    s->branch[i] = c != GEODISK_NODE_NONE ? colour[c] : GEODISK_BRANCH_OTHER;
  }
  geodisk_free_all(groups, colour);
  return GEODISK_OK;
}

/* ---- the middle ------------------------------------------------------------------------------------------------------ */

/* A point seen from `centre`: log has its direction, the distance its length, so nothing saturates. */
static void seen_from(const double *centre, double centre_gap, double *x, double *gap) {
  const geodisk_ball plane = geodisk_unit_ball(2);
  double v[2];
  geodisk_log_gap(&plane, centre, centre_gap, x, *gap, v);
  const double length = hypot(v[0], v[1]), distance = geodisk_distance_gap(&plane, centre, centre_gap, x, *gap);
  const double drawn = length > 0 ? geodisk_euclidean_from_radius(&plane, distance) / length : 0;
  x[0] = drawn * v[0];
  x[1] = drawn * v[1];
  *gap = geodisk_gap_from_radius(&plane, distance);
}

geodisk_status network_centre(geodisk_context *context, scene_arrays *s, geodisk_scene *scene) {
  const geodisk_ball plane = geodisk_unit_ball(2);
  geodisk_mean_options options = geodisk_mean_defaults();
  double centre[2], gap;
  options.context = context;
  const geodisk_status st = geodisk_mean_gap(&plane, &(geodisk_mean_points){.n = s->nodes, .points = s->x, .gaps = s->gap},
                                             &options, centre, &gap, NULL);
  if (st != GEODISK_OK)
    return st;
  for (size_t i = 0; i < s->nodes; i++)
    seen_from(centre, gap, s->x + 2 * i, &s->gap[i]);
  seen_from(centre, gap, scene->origin, &scene->origin_gap);
  return GEODISK_OK;
}

/* non_edges.c - pairs that are no edges, drawn beside given edges by replacing one of their ends. */
#include "order.h"

#include <stdlib.h>

enum { STREAM_NON_EDGES = 0x5311, TRIES = 64 };

typedef struct drawing {
  const geodisk_graph *known;
  const uint32_t *nodes; /* those that have an edge: what ends are replaced by */
  size_t count;
  uint32_t *child, *parent; /* the pairs */
  size_t pairs;
} drawing;

/* Replaces one end of u -> v; false if nothing that was tried is a non-edge. */
static bool draw_one(drawing *d, geodisk_random *random, uint32_t u, uint32_t v, bool replace_parent) {
  for (int i = 0; i < TRIES; i++) {
    const uint32_t other = d->nodes[geodisk_random_below(random, d->count)];
    const uint32_t child = replace_parent ? u : other, parent = replace_parent ? other : v;
    if (child == parent || find_edge(d->known, child, parent) < d->known->edges)
      continue;
    d->child[d->pairs] = child;
    d->parent[d->pairs++] = parent;
    return true;
  }
  return false;
}

/* The first half of an edge's pairs have another parent, the others another child; where there is none (everything is below the
 * root), the other end is replaced. */
static void draw_all(drawing *d, const geodisk_graph *edges, size_t per_edge, uint64_t seed) {
  for (size_t u = 0; u < edges->nodes; u++)
    for (uint64_t e = edges->out.offsets[u]; e < edges->out.offsets[u + 1]; e++) {
      geodisk_random random = geodisk_random_stream(seed, ((uint64_t)STREAM_NON_EDGES << 48) ^ e);
      for (size_t i = 0; i < per_edge; i++) {
        const bool replace_parent = 2 * i < per_edge;
        if (!draw_one(d, &random, (uint32_t)u, edges->out.nodes[e], replace_parent))
          draw_one(d, &random, (uint32_t)u, edges->out.nodes[e], !replace_parent);
      }
    }
}

static size_t nodes_with_edges(const geodisk_graph *graph, uint32_t *nodes) {
  size_t n = 0;
  for (size_t u = 0; u < graph->nodes; u++)
    if (parents_of(graph, u) + children_of(graph, u) > 0)
      nodes[n++] = (uint32_t)u;
  return n;
}

/* Pairs as rows, which is what a graph is made of. */
static geodisk_status graph_of_pairs(geodisk_context *context, const geodisk_graph *of, const drawing *d, geodisk_graph **out) {
  csr rows;
  if (csr_from_arrays(of->nodes, d->pairs, d->child, d->parent, &rows) != GEODISK_OK)
    return geodisk_no_memory(context, "for the non-edges of %zu nodes", of->nodes);
  return graph_with_rows(context, of, &rows, out);
}

geodisk_status geodisk_graph_non_edges(geodisk_context *context, const geodisk_graph *known, const geodisk_graph *edges,
                                       size_t per_edge, uint64_t seed, geodisk_graph **out) {
  if (known == NULL || edges == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "non-edges: an argument is NULL");
  if (known->nodes != edges->nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "non-edges: the graphs have %zu and %zu nodes", known->nodes,
                        edges->nodes);
  if (per_edge > 1000 || edges->edges > SIZE_MAX / 8000)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "non-edges: %zu for each edge are too many", per_edge);
  const size_t room = (size_t)edges->edges * per_edge;
  uint32_t *nodes = geodisk_allocate(known->nodes, sizeof *nodes), *pairs = geodisk_allocate(2 * room + 1, sizeof *pairs);
  geodisk_status status = GEODISK_OK;
  if (nodes == NULL || pairs == NULL) {
    status = geodisk_no_memory(context, "for the non-edges of %zu nodes", known->nodes);
  } else {
    drawing d = {.known = known, .nodes = nodes, .count = nodes_with_edges(known, nodes), .child = pairs, .parent = pairs + room};
    if (d.count > 0)
      draw_all(&d, edges, per_edge, seed);
    status = graph_of_pairs(context, known, &d, out);
  }
  geodisk_free_all(nodes, pairs);
  return status;
}

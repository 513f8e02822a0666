/* depth.c - depth in the graph (breadth-first from all roots at once) against distance from the origin. */
#include "depth.h"

#include <math.h>

#include "relation.h"

/* Fills depth (GEODISK_GRAPH_UNREACHABLE: below no root), with `queue` as work space. */
static void find_depths(const geodisk_graph *graph, uint32_t *depth, uint32_t *queue) {
  const geodisk_graph_rows parents = geodisk_graph_out(graph), children = geodisk_graph_in(graph);
  const size_t nodes = geodisk_graph_nodes(graph);
  size_t begin = 0, end = 0;
  for (size_t u = 0; u < nodes; u++) {
    const bool root = parents.offsets[u] == parents.offsets[u + 1] && children.offsets[u] < children.offsets[u + 1];
    depth[u] = root ? 0 : GEODISK_GRAPH_UNREACHABLE;
    if (root)
      queue[end++] = (uint32_t)u;
  }
  while (begin < end) {
    const uint32_t u = queue[begin++];
    for (uint64_t e = children.offsets[u]; e < children.offsets[u + 1]; e++) {
      const uint32_t v = children.nodes[e];
      if (depth[v] == GEODISK_GRAPH_UNREACHABLE) {
        depth[v] = depth[u] + 1;
        queue[end++] = v;
      }
    }
  }
}

/* A number that grows with the distance from the origin: 1/S where the gap tells it, |x| in flat space. In the ball 1/S does not
 * resolve points near the origin, where |x| does; together they do everywhere. */
static double outwardness(const prepared *p, uint32_t point, double *x) {
  double gap, square = 0.0;
  prepared_row(p, point, x, &gap);
  for (size_t c = 0; c < p->dim; c++)
    square += x[c] * p->factor[point] * x[c] * p->factor[point];
  return p->kind == RANK_FLAT || square < 0.5 ? square : p->weight[point];
}

geodisk_status depth_radius(geodisk_context *context, const geodisk_graph *graph, const geodisk_relation *relation,
                            const prepared *points, double *rho, size_t *nodes) {
  const size_t n = geodisk_graph_nodes(graph);
  uint32_t *depth = geodisk_allocate(n, sizeof *depth), *queue = geodisk_allocate(n, sizeof *queue);
  double *a = geodisk_allocate(n, sizeof *a), *b = geodisk_allocate(n, sizeof *b), *x = geodisk_allocate(points->dim, sizeof *x);
  geodisk_status st = GEODISK_OK;
  if (depth == NULL || queue == NULL || a == NULL || b == NULL || x == NULL) {
    st = geodisk_no_memory(context, "for %zu nodes", n);
    goto done;
  }
  find_depths(graph, depth, queue);
  size_t count = 0;
  for (size_t u = 0; u < n; u++) {
    const uint32_t point = relation_point(relation, (uint32_t)u);
    if (depth[u] == GEODISK_GRAPH_UNREACHABLE || point == GEODISK_RELATION_NO_POINT)
      continue;
    a[count] = (double)depth[u];
    b[count++] = outwardness(points, point, x);
  }
  geodisk_correlation c = {.spearman = (double)NAN};
  if (count >= 2 && (st = geodisk_rank_correlation(context, count, a, b, &c)) != GEODISK_OK)
    goto done;
  *rho = c.spearman;
  *nodes = count;
done:
  geodisk_free_all(depth, queue, a, b, x);
  return st;
}

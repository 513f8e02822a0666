/* distance_fit.h - what fitting distances consists of: the descent, and where it begins. */
#ifndef GEODISK_EMBED_DISTANCE_FIT_H
#define GEODISK_EMBED_DISTANCE_FIT_H

#include "geodisk/embed.h"

/* Over pairs, with ratio = distance of the points / length. */
typedef struct distance_sums {
  double ratio, square, distance;
  uint64_t pairs;
} distance_sums;

/* rows: nodes x (dim + 1), coordinates and gap; they are moved. told: with progress events. MEMORY, STOPPED (rows as they are).
 */
geodisk_status embed_descend_distances(geodisk_context *context, const geodisk_distances *d, const geodisk_distance_options *o,
                                       uint64_t steps, bool told, double *rows);

/* Of two such rows; and |x - y|^2. */
double embed_distance_between(int dim, bool flat, const double *x, const double *y, double *square);

/* Classical scaling: nodes x dim coordinates of flat space whose distances are near the lengths, by the leading eigenvectors of
 * the centred squared lengths between the sources. MEMORY. */
geodisk_status embed_classical_scaling(geodisk_context *context, const geodisk_distances *d, int dim, uint64_t seed, double *out);

/* For every node the neighbour it hangs on in a breadth-first forest from the hubs (NO_NODE for roots), and how long the edge is.
 * False: out of memory. */
bool embed_span_shortest(const geodisk_graph *graph, bool weighted, uint32_t *parent, double *lengths);

#endif

/* depth.h - how deep nodes lie, in the graph and in the ball, and whether the two go together. */
#pragma once

#include "prepared.h"

/* Spearman's rho of depth (edges to the nearest root, by the graph's reduction or the graph itself) and distance from the origin,
 * over the nodes that have a point and lie below a root; *rho is NaN if they are fewer than 2, or all alike. MEMORY. */
geodisk_status depth_radius(geodisk_context *context, const geodisk_graph *graph, const geodisk_relation *relation,
                            const prepared *points, double *rho, size_t *nodes);

/* construction.h - a forest placed so that every node is nearer to its neighbours than to all others. */
#ifndef GEODISK_EMBED_CONSTRUCTION_H
#define GEODISK_EMBED_CONSTRUCTION_H

#include "geodisk/embed.h"

/* parent: nodes + 1, of each node the one it hangs on, NO_NODE for roots; it is used up, and so are weights: nodes + 1, of the
 * edge of each node to its parent, positive, or NULL: then lengths are chosen. points: (nodes + 1) x (dim + 1), coordinates and
 * gap. The last row of each is for a node at the origin on which several trees hang. dim >= 2. MEMORY. */
geodisk_status embed_construct(geodisk_context *context, const geodisk_tree_options *options, size_t nodes, uint32_t *parent,
                               double *weights, double *points, geodisk_tree_info *info);

#endif

/* construction.h - a forest placed so that every node is nearer to its neighbours than to all others. */
#pragma once

#include "geodisk/embed.h"
#include "rings.h"

/* A forest. In the plane, without weights, also cycles that have no edge in common: then the last nodes are the cycles' middles,
 * which take the place of their edges. */
typedef struct construction_forest {
  size_t nodes;
  uint32_t *parent;    /* nodes + 1, of each node the one it hangs on, NO_NODE for roots; it is used up */
  double *weights;     /* nodes + 1, of the edge of each node to its parent, positive; used up; NULL: lengths are chosen */
  const rings *cycles; /* or NULL */
} construction_forest;

/* points: (nodes + 1) x (dim + 1), coordinates and gap. The last row is for a node at the origin on which several trees hang.
 * In the plane, where a forest without weights does not fit, paths are bent. dim >= 2. MEMORY. */
geodisk_status embed_construct(geodisk_context *context, const geodisk_tree_options *options, const construction_forest *forest,
                               double *points, geodisk_tree_info *info);

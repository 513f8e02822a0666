/* near.h - how far the vectors beside an order can be trusted. Internal to the eval module. */
#pragma once

#include "geodisk/eval.h"
#include "geodisk/vectors.h"

/* What a model was trained on, and its closure (the same, perhaps). */
typedef struct near_graphs {
  const geodisk_graph *trained, *closure;
} near_graphs;

/* For each node of a model with an order, whose decision is `info`, the distance up to which its nearest nodes are what it was
 * trained to be near to, a direct parent among them; -1: there is none. Where a shorter one makes the first parent that is named
 * (geodisk_hierarchy_parents) a direct one, that. *out NULL: too many nodes. Errors: MEMORY, and STOPPED. */
geodisk_status near_reaches(geodisk_context *context, const geodisk_model *model, const near_graphs *graphs,
                            const geodisk_hierarchy_info *info, float **out);

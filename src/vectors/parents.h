/* parents.h - the parents of nodes by a model that may claim far too many ancestors. Internal to vectors and auto. */
#pragma once

#include "geodisk/vectors.h"

/* As geodisk_hierarchy_parents, but of a node that has more than `most` above it only how many these are: to compare them with
 * each other would take long. */
geodisk_status hierarchy_parents_of_few(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, size_t most,
                                        uint32_t *out, size_t *found);

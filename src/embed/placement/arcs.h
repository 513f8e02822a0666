/* arcs.h - the placement that keeps the order of a hierarchy: arcs.c and the order of siblings it begins with, arrange.c. */
#pragma once

#include "embed/trainer.h"

/* The place of every node in a depth-first order of the forest with siblings arranged by what joins them besides. `size`: the
 * nodes of each subtree; t->order: a depth-first order. False if memory is short. */
bool embed_arrange(const geodisk_trainer *t, const uint32_t *parent, const uint32_t *size, uint32_t *start);

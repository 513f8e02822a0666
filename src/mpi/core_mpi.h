/* core_mpi.h - the core of a graph in shares. Internal to the mpi module; all collective. */
#pragma once

#include "ranks.h"

/* Of the owned places: whether a node is of the core, and beside which place it begins if not (NO_NODE: near the origin). */
typedef struct core_nodes {
  bool *known;
  uint32_t *near;
  bool *later; /* that is a leaf too, which must have its place before */
} core_nodes;

/* The nodes that src/embed/core.c finds in a plain process. `out` is to be freed even if this fails. */
geodisk_status core_find(geodisk_trainer *t, core_nodes *out);

/* Its graph, on every rank, and the places of its nodes in the whole graph (free() them). */
geodisk_status core_graph(geodisk_trainer *t, const core_nodes *nodes, geodisk_graph **out, uint32_t **places);
